# SPDX-License-Identifier: Apache-2.0
#
# The kernel patches, and the virtual machine that tests them.

EXTRA_DIST += \
	kernel-patches/6.12/0001-xsk-Take-the-pool-back-from-a-driver-that-did-not-ma.patch \
	kernel-patches/6.12/0002-xsk-Let-a-driver-declare-that-it-needs-no-DMA-mappin.patch \
	kernel-patches/6.12/0003-veth-Flush-XDP_TX-to-a-peer-that-has-NAPI-but-no-pro.patch \
	kernel-patches/6.12/0004-veth-Ask-in-one-place-whether-NAPI-is-wanted-and-whe.patch \
	kernel-patches/6.12/0005-veth-Send-from-AF_XDP-sockets-in-zero-copy-mode.patch \
	kernel-patches/6.12/0006-veth-Receive-into-the-buffers-of-AF_XDP-sockets.patch \
	kernel-patches/6.12/0007-xsk-Add-XDP_SKIP_BPF-which-needs-no-program.patch \
	kernel-patches/6.12/0008-i40e-Skip-the-program-for-sockets-bound-with-XDP_SKI.patch \
	kernel-patches/6.12/0009-ixgbe-Skip-the-program-for-sockets-bound-with-XDP_SK.patch \
	kernel-patches/6.12/0010-ice-Skip-the-program-for-sockets-bound-with-XDP_SKIP.patch \
	kernel-patches/6.12/0011-veth-Skip-the-program-for-sockets-bound-with-XDP_SKI.patch \
	kernel-patches/6.12/0012-selftests-net-Test-AF_XDP-on-veth-and-XDP_SKIP_BPF.patch \
	kernel-patches/6.12/0013-igb-Take-back-in-the-loopback-test-only-what-was-sent.patch \
	kernel-patches/6.12/0014-igb-Do-not-wait-for-NAPI-to-complete-before-disablin.patch \
	kernel-patches/6.12/0015-igb-Let-other-files-of-the-driver-receive-and-send.patch \
	kernel-patches/6.12/0016-igb-Tell-XDP-the-NAPI-instance-of-each-receive-queue.patch \
	kernel-patches/6.12/0017-igb-Give-queues-the-buffer-pools-of-AF_XDP-sockets.patch \
	kernel-patches/6.12/0018-igb-Receive-into-the-buffers-of-AF_XDP-sockets.patch \
	kernel-patches/6.12/0019-igb-Send-from-AF_XDP-sockets-in-zero-copy-mode.patch \
	kernel-patches/6.12/0020-igb-Wake-up-the-queues-of-AF_XDP-sockets.patch \
	kernel-patches/6.12/0021-igb-Skip-the-program-for-sockets-bound-with-XDP_SKIP.patch \
	kernel-patches/6.12/0022-igb-Advertise-AF_XDP-zero-copy.patch \
	kernel-patches/6.12/0023-selftests-net-Test-AF_XDP-in-zero-copy-mode-on-netwo.patch \
	kernel-patches/6.12/0024-selftests-bpf-Wait-for-the-link-of-a-card-in-xskxcei.patch \
	kernel-patches/6.12/0025-selftests-bpf-Let-xskxceiver-be-told-how-long-to-wai.patch \
	kernel-patches/6.12/README.md \
	kernel-patches/6.12/config \
	kernel-patches/6.12/config-debug \
	kernel-patches/6.12/series \
	kernel-patches/check-kernel \
	kernel-patches/check-patches \
	kernel-patches/vm/build \
	kernel-patches/vm/complaints \
	kernel-patches/vm/figures \
	kernel-patches/vm/figures-ovs \
	kernel-patches/vm/igb-figures \
	kernel-patches/vm/igb-ovs \
	kernel-patches/vm/init \
	kernel-patches/vm/run \
	kernel-patches/vm/suite \
	kernel-patches/vm/xsk-bench-prog.c \
	kernel-patches/vm/xsk-bench-prog.h \
	kernel-patches/vm/xsk-bench.c \
	kernel-patches/vm/xskxceiver

check-kernel: all
	$(srcdir)/kernel-patches/check-kernel --build=`pwd`
.PHONY: check-kernel

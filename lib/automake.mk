# SPDX-License-Identifier: Apache-2.0
#
# The netdev.  Its objects are sources of the program itself, never of an
# archive: see vswitchd/automake.mk.

lib_afxdp_sources = \
	lib/afxdp-compat.h \
	lib/afxdp-config.c \
	lib/afxdp-config.h \
	lib/afxdp-device.c \
	lib/afxdp-device.h \
	lib/afxdp-features.c \
	lib/afxdp-features.h \
	lib/afxdp-frame.c \
	lib/afxdp-frame.h \
	lib/afxdp-gso.c \
	lib/afxdp-gso.h \
	lib/afxdp-link.c \
	lib/afxdp-link.h \
	lib/afxdp-mtu.c \
	lib/afxdp-mtu.h \
	lib/afxdp-notes.c \
	lib/afxdp-notes.h \
	lib/afxdp-packet.c \
	lib/afxdp-packet.h \
	lib/afxdp-port.c \
	lib/afxdp-port.h \
	lib/afxdp-port-table.c \
	lib/afxdp-port-table.h \
	lib/afxdp-prog.c \
	lib/afxdp-prog.h \
	lib/afxdp-queue.h \
	lib/afxdp-raw.c \
	lib/afxdp-raw.h \
	lib/afxdp-rcu.c \
	lib/afxdp-rcu.h \
	lib/afxdp-rx.c \
	lib/afxdp-rx.h \
	lib/afxdp-skip.c \
	lib/afxdp-skip.h \
	lib/afxdp-socket.c \
	lib/afxdp-socket.h \
	lib/afxdp-stats.c \
	lib/afxdp-stats.h \
	lib/afxdp-tx.c \
	lib/afxdp-tx.h \
	lib/afxdp-umem.c \
	lib/afxdp-umem.h \
	lib/afxdp-unixctl.c \
	lib/afxdp-unixctl.h \
	lib/afxdp-veth.c \
	lib/afxdp-veth.h \
	lib/dp-packet-weak.c \
	lib/netdev-afxdp-port.h \
	lib/netdev-afxdp.c

# Calls of the rest of Open vSwitch that go through netdev-afxdp.c and
# afxdp-rcu.c.
lib_afxdp_wraps = \
	-Wl,--wrap=dpdk_init \
	-Wl,--wrap=netdev_get_mtu \
	-Wl,--wrap=netdev_set_mtu \
	-Wl,--wrap=netdev_turn_flags_on \
	-Wl,--wrap=ovsrcu_synchronize \
	-Wl,--wrap=poll_block

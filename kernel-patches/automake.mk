# SPDX-License-Identifier: Apache-2.0
#
# The kernel patches, and the virtual machine that tests them.

EXTRA_DIST += \
	kernel-patches/6.12/README.md \
	kernel-patches/6.12/config \
	kernel-patches/6.12/config-debug \
	kernel-patches/6.12/series \
	kernel-patches/check-kernel \
	kernel-patches/vm/build \
	kernel-patches/vm/figures \
	kernel-patches/vm/init \
	kernel-patches/vm/run \
	kernel-patches/vm/suite \
	kernel-patches/vm/xsk-bench.c

# The series names the patches.
dist-hook: dist-kernel-patches
dist-kernel-patches:
	@while read -r patch; do \
	    cp $(srcdir)/kernel-patches/6.12/$$patch \
	        $(distdir)/kernel-patches/6.12/ || exit; \
	done < $(srcdir)/kernel-patches/6.12/series

check-kernel: all
	$(srcdir)/kernel-patches/check-kernel --build=`pwd`
.PHONY: check-kernel dist-kernel-patches

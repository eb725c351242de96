# SPDX-License-Identifier: Apache-2.0
#
# OpenFlow into XDP.  Its objects are sources of the program itself, like those
# of lib/.

ofproto_afxdp_sources = \
	ofproto/afxdp-dpif-flow.c \
	ofproto/afxdp-dpif-flow.h \
	ofproto/afxdp-flow-stats.c \
	ofproto/afxdp-flow-stats.h \
	ofproto/afxdp-flow-table.c \
	ofproto/afxdp-flow-table.h \
	ofproto/afxdp-flow-translate.c \
	ofproto/afxdp-flow-translate.h \
	ofproto/afxdp-grace.c \
	ofproto/afxdp-grace.h \
	ofproto/afxdp-offload-flow.c \
	ofproto/afxdp-offload-flow.h \
	ofproto/afxdp-offload-group.c \
	ofproto/afxdp-offload-group.h \
	ofproto/afxdp-offload-port.c \
	ofproto/afxdp-offload-port.h \
	ofproto/afxdp-offload-private.h \
	ofproto/afxdp-offload-put.c \
	ofproto/afxdp-offload-put.h \
	ofproto/afxdp-offload-queue.c \
	ofproto/afxdp-offload-tc.c \
	ofproto/afxdp-offload-tc.h \
	ofproto/afxdp-offload-unixctl.c \
	ofproto/afxdp-offload-unixctl.h \
	ofproto/afxdp-offload.c \
	ofproto/afxdp-offload.h \
	ofproto/afxdp-pool.c \
	ofproto/afxdp-pool.h \
	ofproto/afxdp-refusal.h \
	ofproto/afxdp-target.c \
	ofproto/afxdp-target.h

# Calls that go through our objects: see lib/automake.mk and
# ofproto/afxdp-offload-queue.c.
afxdp_wrap_ldflags = \
	$(lib_afxdp_wraps) \
	-Wl,--wrap=mpsc_queue_insert \
	-Wl,--wrap=xnanosleep

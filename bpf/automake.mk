# SPDX-License-Identifier: Apache-2.0
#
# XDP programs: NAME.bpf.c becomes NAME.bpf.o, and that becomes the libbpf
# skeleton NAME.skel.h, which the sources include as "bpf/NAME.skel.h".  Other
# folders add programs of their own to bpf_sources.

bpf_sources = \
	bpf/afxdp-flow.bpf.c \
	bpf/afxdp-notes.bpf.c \
	bpf/afxdp-xsk.bpf.c
bpf_headers = \
	bpf/afxdp-flow.h \
	bpf/afxdp-flow-lookup.h \
	bpf/afxdp-flow-maps.h \
	bpf/afxdp-flow-parse.h \
	bpf/afxdp-flow-rewrite.h \
	bpf/afxdp-ports.h \
	bpf/afxdp-skb.h \
	bpf/afxdp-skb-notes.h
bpf_objects = $(bpf_sources:.c=.o)
bpf_skeletons = $(bpf_sources:.bpf.c=.skel.h)

BPF_CFLAGS = -O2 -g -Wall -Wextra $(BPF_WERROR)

EXTRA_DIST += $(bpf_sources) $(bpf_headers) bpf/COPYING
BUILT_SOURCES += $(bpf_skeletons)
CLEANFILES += $(bpf_objects) $(bpf_skeletons) $(bpf_objects:.o=.d)

AM_V_BPF = $(am__v_BPF_@AM_V@)
am__v_BPF_ = $(am__v_BPF_@AM_DEFAULT_V@)
am__v_BPF_0 = @echo "  BPF     " $@;
AM_V_SKEL = $(am__v_SKEL_@AM_V@)
am__v_SKEL_ = $(am__v_SKEL_@AM_DEFAULT_V@)
am__v_SKEL_0 = @echo "  SKEL    " $@;

%.bpf.o: %.bpf.c
	@$(MKDIR_P) $(@D)
	$(AM_V_BPF)$(CLANG) -target bpf $(BPF_CFLAGS) -I$(top_srcdir) \
	    -I$(top_srcdir)/bpf $(BPF_INCLUDES) -MD -MP -MF $(@:.o=.d) \
	    -c $< -o $@

%.skel.h: %.bpf.o
	$(AM_V_SKEL)$(BPFTOOL) gen skeleton $< \
	    name $$(echo $(*F) | tr - _) > $@

# Kept, to look at with llvm-objdump.
.SECONDARY: $(bpf_objects)

-include $(bpf_objects:.o=.d)

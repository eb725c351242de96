# SPDX-License-Identifier: Apache-2.0
#
# ovs-vswitchd: Open vSwitch's own objects with our netdev in place of
# netdev-afxdp.o.  The linker takes from an archive only what nothing before it
# defines, so ours are plain objects and come before the archives; the check of
# the link map proves that no object of upstream's got in.

sbin_PROGRAMS += vswitchd/ovs-vswitchd

ovs_vswitchd_objects = \
	$(OVS_BUILD)/vswitchd/bridge.o \
	$(OVS_BUILD)/vswitchd/ovs-vswitchd.o \
	$(OVS_BUILD)/vswitchd/system-stats.o

vswitchd_ovs_vswitchd_SOURCES = $(lib_afxdp_sources) $(ofproto_afxdp_sources)
vswitchd_ovs_vswitchd_LDADD = \
	$(ovs_vswitchd_objects) $(OVS_ARCHIVES) $(OVS_LINK_LIBS)
vswitchd_ovs_vswitchd_LDFLAGS = \
	$(afxdp_wrap_ldflags) \
	-Wl,-Map,vswitchd/ovs-vswitchd.map
EXTRA_vswitchd_ovs_vswitchd_DEPENDENCIES = \
	$(ovs_vswitchd_objects) $(OVS_ARCHIVES)

$(vswitchd_ovs_vswitchd_OBJECTS): | $(bpf_skeletons)

# Written only when the link map is right, so that a wrong one fails each make.
vswitchd/link-map.checked: vswitchd/ovs-vswitchd build-aux/check-link-map
	$(AM_V_GEN)$(PYTHON3) $(top_srcdir)/build-aux/check-link-map \
	    vswitchd/ovs-vswitchd.map && touch $@
ALL_LOCAL += vswitchd/link-map.checked
CLEANFILES += vswitchd/link-map.checked vswitchd/ovs-vswitchd.map

# SPDX-License-Identifier: Apache-2.0
#
# The suites:
#
#   make check         unit tests, no root needed
#   make check-afxdp   ports of type afxdp in network namespaces, as root
#   make check-cni     the CNI plugin with namespaces and runtimes, as root
#   make check-ovs     Open vSwitch's own system tests on our daemon, as root
#   make check-offload      flows in XDP, as root
#   make check-ovs-offload  check-ovs with flows in XDP, as root
#
# TESTSUITEFLAGS selects groups, as in TESTSUITEFLAGS='3 7-9 -k KEYWORD'.
# SUITE_LIMIT, SUITE_MAXSLEEP and SUITE_SLOW are for slow machines, see
# Documentation/internals/tests.rst.  Each suite leaves a line
# "N passed, N failed, N skipped" in tests/results/.

unit_at = \
	tests/budget.at \
	tests/build.at \
	tests/cni-unit.at \
	tests/testsuite.at \
	tests/unit.at
afxdp_at = \
	tests/afxdp-config.at \
	tests/afxdp-containers.at \
	tests/afxdp-faults.at \
	tests/afxdp-macros.at \
	tests/afxdp-rights.at \
	tests/afxdp-testsuite.at \
	tests/afxdp-traffic.at \
	tests/afxdp-tunnels.at \
	tests/afxdp-zerocopy.at
cni_at = \
	tests/afxdp-macros.at \
	tests/cni-commands.at \
	tests/cni-faults.at \
	tests/cni-macros.at \
	tests/cni-roads.at \
	tests/cni-runtimes.at \
	tests/cni-testsuite.at \
	tests/cni-traffic.at
ovs_at = tests/ovs-testsuite.at
ovs_offload_at = tests/ovs-offload-testsuite.at
offload_at = \
	tests/afxdp-macros.at \
	tests/offload-diff.at \
	tests/offload-flow.at \
	tests/offload-load.at \
	tests/offload-refuse.at \
	tests/offload-testsuite.at

EXTRA_DIST += \
	$(unit_at) $(afxdp_at) $(cni_at) $(ovs_at) $(offload_at) \
	$(ovs_offload_at) \
	tests/afxdp-expected \
	tests/bind-queue \
	tests/callgrind-budget \
	tests/cni-expected \
	tests/knows-skip-bpf \
	tests/flow-load.bpf.c \
	tests/offload-diff \
	tests/offload-expected \
	tests/offload-gso \
	tests/offload-load \
	tests/offload-refuse \
	tests/offload_lab.py \
	tests/offload_packets.py \
	tests/ovs-expected \
	tests/read-tunnel \
	tests/refuse-bpf.c \
	tests/run-suite \
	tests/sandbox \
	tests/udp-batches \
	tests/udp-flows \
	tests/vlan-tag.bpf.c \
	tests/xdp-foreign.bpf.c

# Programs of the unit tests, on the objects of the netdev as the daemon has
# them, but for the XDP program and the kernel: those are fakes, see
# tests/fake-xsk.h.

fake_sources = \
	tests/fake-libc.c \
	tests/fake-xsk.c \
	tests/fake-xsk.h
unit_sources = \
	tests/fake-prog.c \
	tests/test-afxdp.c \
	tests/test-afxdp.h \
	tests/test-config.c \
	tests/test-frames.c \
	tests/test-gso.c \
	tests/test-raw.c \
	tests/test-rcu.c \
	tests/test-rings.c \
	tests/test-skip.c \
	tests/test-translate.c \
	$(fake_sources)

netdev_sources = \
	$(filter %.c,$(filter-out \
	lib/afxdp-notes.c lib/afxdp-prog.c lib/afxdp-skip.c,\
	$(lib_afxdp_sources) $(ofproto_afxdp_sources)))
netdev_objects = $(netdev_sources:.c=.$(OBJEXT))
netdev_libs = $(OVS_ARCHIVES) $(OVS_LINK_LIBS)

check_PROGRAMS += \
	tests/callgrind-ours \
	tests/callgrind-stock \
	tests/test-afxdp \
	tests/xsk-talk

tests_callgrind_stock_SOURCES = tests/callgrind-harness.c $(fake_sources)
tests_callgrind_stock_LDADD = $(netdev_libs)
tests_callgrind_stock_DEPENDENCIES = $(OVS_ARCHIVES)

tests_callgrind_ours_SOURCES = \
	tests/callgrind-harness.c tests/fake-prog.c $(fake_sources)
tests_callgrind_ours_LDADD = $(netdev_objects) $(netdev_libs)
tests_callgrind_ours_LDFLAGS = $(afxdp_wrap_ldflags)
tests_callgrind_ours_DEPENDENCIES = $(netdev_objects) $(OVS_ARCHIVES)

# A program for containers.
tests_xsk_talk_SOURCES = tests/xsk-talk.c
tests_xsk_talk_LDADD = -lxdp -lbpf

tests_test_afxdp_SOURCES = $(unit_sources)
tests_test_afxdp_LDADD = $(netdev_objects) $(netdev_libs)
tests_test_afxdp_LDFLAGS = $(afxdp_wrap_ldflags)
tests_test_afxdp_DEPENDENCIES = $(netdev_objects) $(OVS_ARCHIVES)

# The same unit tests once more, with all our objects compiled for the address
# and the undefined behaviour sanitizer.  The model of thread-local storage is
# the one that the linker turns others into; when it does, the test for null
# that gcc puts behind an address fails, "add" having become "lea".

SANITIZED = $(SANITIZER_CFLAGS) -ftls-model=local-exec
sanitized_objects = $(patsubst %.c,tests/sanitized/%.o,\
	$(netdev_sources) $(filter %.c,$(unit_sources)))

tests/sanitized/%.o: %.c
	@$(MKDIR_P) $(@D)
	$(AM_V_CC)$(COMPILE) $(SANITIZED) -MMD -MP -c $< -o $@

tests/test-afxdp-sanitized: $(sanitized_objects) $(OVS_ARCHIVES)
	$(AM_V_CCLD)$(CCLD) $(AM_CFLAGS) $(CFLAGS) $(SANITIZER_CFLAGS) \
	    $(LDFLAGS) $(afxdp_wrap_ldflags) -o $@ $(sanitized_objects) \
	    $(netdev_libs)

# The CNI plugin, too.

sanitized_cni_objects = $(patsubst %.c,tests/sanitized/%.o,\
	$(filter %.c,$(utilities_ovs_afxdp_cni_SOURCES)))
tests/sanitized/utilities/%.o: SANITIZED += $(cni_cppflags)

tests/ovs-afxdp-cni-sanitized: $(sanitized_cni_objects) $(OVS_ARCHIVES)
	$(AM_V_CCLD)$(CCLD) $(AM_CFLAGS) $(CFLAGS) $(SANITIZER_CFLAGS) \
	    $(LDFLAGS) -o $@ $(sanitized_cni_objects) \
	    $(utilities_ovs_afxdp_cni_LDADD)

-include $(sanitized_objects:.o=.d) $(sanitized_cni_objects:.o=.d)

unit_programs = $(check_PROGRAMS) utilities/ovs-afxdp-cni
if HAVE_SANITIZERS
unit_programs += tests/ovs-afxdp-cni-sanitized tests/test-afxdp-sanitized
endif

# The tests of the XDP flow table.  They need root, so that "make check" does
# not run them.

EXTRA_PROGRAMS = tests/flow-load tests/test-flow

tests_flow_load_SOURCES = tests/flow-load.c tests/flow-load.h
tests_flow_load_LDADD = -lbpf
tests/flow-load.$(OBJEXT): tests/flow-load.skel.h

tests_test_flow_SOURCES = \
	tests/flow-frame.c \
	tests/flow-oracle.c \
	tests/flow-prog.c \
	tests/flow-test.h \
	tests/test-afxdp.h \
	tests/test-flow.c \
	tests/test-flow-fixtures.c \
	tests/test-flow-fuzz.c \
	tests/test-flow-table.c
tests_test_flow_LDADD = $(netdev_libs)
tests_test_flow_DEPENDENCIES = $(OVS_ARCHIVES)

# For LD_PRELOAD.
tests/refuse-bpf.so: tests/refuse-bpf.c
	@$(MKDIR_P) $(@D)
	$(AM_V_CCLD)$(COMPILE) -shared -fPIC $(LDFLAGS) -o $@ \
	    '$(srcdir)/tests/refuse-bpf.c' -ldl

# Autotest's scripts, made in the build directory.

AUTOM4TE = autom4te
AUTOTEST = $(AUTOM4TE) --language=autotest

tests/package.m4: Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && { \
	echo 'm4_define([AT_PACKAGE_NAME], [$(PACKAGE_NAME)])'; \
	echo 'm4_define([AT_PACKAGE_TARNAME], [$(PACKAGE_TARNAME)])'; \
	echo 'm4_define([AT_PACKAGE_VERSION], [$(PACKAGE_VERSION)])'; \
	echo 'm4_define([AT_PACKAGE_STRING], [$(PACKAGE_STRING)])'; \
	echo 'm4_define([AT_PACKAGE_BUGREPORT], [$(PACKAGE_BUGREPORT)])'; \
	} > $@

make_suite = $(AM_V_GEN)$(AUTOTEST) -I tests -I '$(srcdir)' -I '$(OVS_SRC)' \
	-o $@ '$(srcdir)/$@.at'

tests/testsuite: $(unit_at) tests/package.m4
	$(make_suite)
tests/afxdp-testsuite: $(afxdp_at) tests/package.m4
	$(make_suite)
tests/cni-testsuite: $(cni_at) tests/package.m4
	$(make_suite)
tests/ovs-testsuite: $(ovs_at) tests/package.m4
	$(make_suite)

tests/offload-testsuite: $(offload_at) tests/package.m4
	$(make_suite)
tests/ovs-offload-testsuite: $(ovs_offload_at) tests/package.m4
	$(make_suite)

tests/atlocal: Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && { \
	echo "HAVE_SANITIZERS='$(HAVE_SANITIZERS)'"; \
	echo "PYTHON3='$(PYTHON3)'"; \
	} > $@

# Running them.

CHECK_LOCAL += check-unit
check-unit: $(unit_programs) tests/testsuite tests/atlocal
	@$(MKDIR_P) tests/results
	@rm -f tests/testsuite.log
	@status=0; \
	$(SHELL) tests/testsuite -C tests $(TESTSUITEFLAGS) || status=1; \
	counts=`$(PYTHON3) $(top_srcdir)/build-aux/count-autotest \
	        tests/testsuite.log`; \
	echo "check: $$counts" | tee tests/results/check; \
	exit $$status

# $(call run_suite,NAME,LIST,SECONDS)
run_suite = $(PYTHON3) $(top_srcdir)/tests/run-suite \
	--suite tests/$(1)-testsuite --work tests/$(1)-testsuite.dir \
	--ovs-source '$(OVS_SRC)' --ovs-build '$(OVS_BUILD)' \
	--programs vswitchd --expected '$(srcdir)/tests/$(2)-expected' \
	--results tests/results/check-$(1) --limit $(or $(SUITE_LIMIT),$(3)) \
	--maxsleep $(or $(SUITE_MAXSLEEP),0) --slow $(or $(SUITE_SLOW),1)

check-afxdp: all tests/afxdp-testsuite tests/vlan-tag.bpf.o \
	     tests/xdp-foreign.bpf.o
	@$(call run_suite,afxdp,afxdp,600) -- $(TESTSUITEFLAGS)

check-cni: all tests/cni-testsuite tests/vlan-tag.bpf.o tests/xsk-talk
	@rm -f tests/cni-times
	@$(call run_suite,cni,cni,900) -- $(TESTSUITEFLAGS)
	@cat tests/cni-times 2>/dev/null || :

check-ovs: all tests/ovs-testsuite
	@$(call run_suite,ovs,ovs,1500) --all-listed -- $(TESTSUITEFLAGS)

check-ovs-offload: all tests/ovs-offload-testsuite
	@$(call run_suite,ovs-offload,ovs,1500) --all-listed -- \
	    $(TESTSUITEFLAGS)

# What fails is tried once more: with the same seed, so that it fails again.
check-offload: all tests/flow-load tests/refuse-bpf.so tests/test-flow \
	       tests/offload-testsuite
	@FLOW_SEED=$${FLOW_SEED-$$(date +%s)}; export FLOW_SEED; \
	echo "FLOW_SEED=$$FLOW_SEED"; \
	$(call run_suite,offload,offload,900) -- $(TESTSUITEFLAGS)

# What check-afxdp, check-cni and check-ovs need: they run without a compiler
# afterwards.
suites: all tests/afxdp-testsuite tests/cni-testsuite tests/ovs-testsuite \
	tests/vlan-tag.bpf.o tests/xdp-foreign.bpf.o tests/xsk-talk

.PHONY: suites
.PHONY: check-afxdp check-cni check-offload check-ovs check-ovs-offload

CLEANFILES += \
	$(EXTRA_PROGRAMS) tests/flow-load.skel.h \
	tests/afxdp-testsuite tests/cni-testsuite \
	tests/offload-testsuite tests/ovs-offload-testsuite \
	tests/ovs-testsuite tests/testsuite \
	tests/atlocal tests/package.m4 tests/testsuite.log \
	tests/cni-times tests/ovs-afxdp-cni-sanitized tests/refuse-bpf.so \
	tests/test-afxdp-sanitized tests/*.bpf.o tests/*.bpf.d
CLEAN_LOCAL += clean-suites
clean-suites:
	rm -rf tests/results tests/sanitized tests/testsuite.dir \
	    tests/afxdp-testsuite.dir tests/cni-testsuite.dir \
	    tests/offload-testsuite.dir \
	    tests/ovs-offload-testsuite.dir tests/ovs-testsuite.dir

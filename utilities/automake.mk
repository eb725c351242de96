# SPDX-License-Identifier: Apache-2.0
#
# ovs-afxdp-bench: a script, its modules in utilities/bench/ and the program
# that makes and counts the traffic.  "make bench" runs all of it on this
# build, with BENCH_FLAGS.

sbin_SCRIPTS = utilities/ovs-afxdp-bench
pkglibexec_PROGRAMS = utilities/bench-traffic
dist_man_MANS += utilities/ovs-afxdp-bench.8

utilities_bench_traffic_SOURCES = \
	utilities/bench-gen.c \
	utilities/bench-redirect.c \
	utilities/bench-rtt.c \
	utilities/bench-sink.c \
	utilities/bench-traffic.c \
	utilities/bench-traffic.h \
	utilities/bench-udp.c
utilities_bench_traffic_LDADD = -lbpf -lpthread

bpf_sources += \
	bpf/bench-gen.bpf.c \
	bpf/bench-redirect.bpf.c \
	bpf/bench-sink.bpf.c
bpf_headers += bpf/bench-count.h

$(utilities_bench_traffic_OBJECTS): | $(bpf_skeletons)

# ovs-afxdp-cni: the CNI plugin, in the folder that runtimes search.

cnidir = $(libexecdir)/cni
cni_PROGRAMS = utilities/ovs-afxdp-cni
dist_man_MANS += utilities/ovs-afxdp-cni.8

cni_sources = \
	lib/afxdp-config.c \
	lib/afxdp-config.h \
	utilities/cni-attachment.c \
	utilities/cni-attachment.h \
	utilities/cni-commands.c \
	utilities/cni-commands.h \
	utilities/cni-config.c \
	utilities/cni-config.h \
	utilities/cni-container.c \
	utilities/cni-env.c \
	utilities/cni-error.c \
	utilities/cni-error.h \
	utilities/cni-flows.c \
	utilities/cni-flows.h \
	utilities/cni-ipam.c \
	utilities/cni-ipam.h \
	utilities/cni-link.c \
	utilities/cni-link.h \
	utilities/cni-nl.c \
	utilities/cni-nl.h \
	utilities/cni-ovsdb.c \
	utilities/cni-ovsdb.h \
	utilities/cni-result.c \
	utilities/cni-result.h \
	utilities/cni-transact.c \
	utilities/cni-transact.h
utilities_ovs_afxdp_cni_SOURCES = $(cni_sources) utilities/ovs-afxdp-cni.c
cni_cppflags = $(LIBNL_CFLAGS) -DAFXDP_VERSION='"$(VERSION)"'
utilities_ovs_afxdp_cni_CPPFLAGS = $(AM_CPPFLAGS) $(cni_cppflags)
utilities_ovs_afxdp_cni_LDADD = \
	$(OVS_ARCHIVES) $(OVS_LINK_LIBS) $(LIBNL_LIBS)
utilities_ovs_afxdp_cni_DEPENDENCIES = $(OVS_ARCHIVES)

benchdir = $(pkgdatadir)/bench
dist_bench_DATA = \
	utilities/bench/__init__.py \
	utilities/bench/chart.py \
	utilities/bench/demands.py \
	utilities/bench/machine.py \
	utilities/bench/main.py \
	utilities/bench/ovs.py \
	utilities/bench/peers.py \
	utilities/bench/plan.py \
	utilities/bench/report.py \
	utilities/bench/results.py \
	utilities/bench/sandbox.py \
	utilities/bench/works.py

EXTRA_DIST += utilities/ovs-afxdp-bench.in
CLEANFILES += utilities/ovs-afxdp-bench

utilities/ovs-afxdp-bench: utilities/ovs-afxdp-bench.in Makefile
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(SED) -e 's|[@]PYTHON3[@]|$(PYTHON3)|' \
	    -e 's|[@]VERSION[@]|$(VERSION)|' \
	    -e 's|[@]pkgdatadir[@]|$(pkgdatadir)|' \
	    -e 's|[@]pkglibexecdir[@]|$(pkglibexecdir)|' \
	    -e 's|[@]sbindir[@]|$(sbindir)|' \
	    -e 's|[@]cnidir[@]|$(cnidir)|' \
	    $(top_srcdir)/utilities/ovs-afxdp-bench.in > $@ && chmod +x $@

# Where the bench finds the parts of this build.
BENCH_ENV = \
	OVS_AFXDP_BENCH_MODULES=$(abs_top_srcdir)/utilities \
	OVS_AFXDP_BENCH_TOOL=$(abs_top_builddir)/utilities/bench-traffic \
	OVS_AFXDP_VSWITCHD=$(abs_top_builddir)/vswitchd/ovs-vswitchd \
	OVS_AFXDP_CNI=$(abs_top_builddir)/utilities/ovs-afxdp-cni \
	OVS_BUILD=$(OVS_BUILD) OVS_SRC=$(OVS_SRC) PYTHONDONTWRITEBYTECODE=1
BENCH_FLAGS = --json bench.json --svg bench.svg --rst bench.rst

bench: all
	$(BENCH_ENV) utilities/ovs-afxdp-bench $(BENCH_FLAGS)
bench-quick: all
	$(BENCH_ENV) utilities/ovs-afxdp-bench --quick
bench-stock: all tests/callgrind-stock tests/callgrind-ours
	$(BENCH_ENV) utilities/ovs-afxdp-bench --stock-table \
	    --callgrind "$(top_srcdir)/tests/callgrind-budget \
	        tests/callgrind-stock tests/callgrind-ours 0.6"
bench-offload: all
	$(BENCH_ENV) utilities/ovs-afxdp-bench --offload-table
bench-cni: all
	$(BENCH_ENV) utilities/ovs-afxdp-bench --cni-table
.PHONY: bench bench-cni bench-offload bench-quick bench-stock

# Its suite, with bad input and peers that fail; as root.
tests/bench-testsuite: tests/bench-testsuite.at tests/package.m4
	$(make_suite)
check-bench: all tests/bench-testsuite tests/atlocal
	@$(MKDIR_P) tests/results
	@rm -f tests/bench-testsuite.log
	@status=0; \
	$(BENCH_ENV) PYTHON3=$(PYTHON3) \
	BENCH_PROGRAM=$(abs_top_builddir)/utilities/ovs-afxdp-bench \
	VSWITCHD=$(abs_top_builddir)/vswitchd/ovs-vswitchd \
	$(SHELL) tests/bench-testsuite -C tests $(TESTSUITEFLAGS) || status=1; \
	counts=`$(PYTHON3) $(top_srcdir)/build-aux/count-autotest \
	        tests/bench-testsuite.log`; \
	echo "check-bench: $$counts" | tee tests/results/check-bench; \
	exit $$status
.PHONY: check-bench

EXTRA_DIST += tests/bench-testsuite.at
CLEANFILES += tests/bench-testsuite tests/bench-testsuite.log
CLEAN_LOCAL += clean-bench
clean-bench:
	rm -rf tests/bench-testsuite.dir

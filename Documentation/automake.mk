# SPDX-License-Identifier: Apache-2.0
#
# The manual, for Sphinx.  "make docs-html" writes it to Documentation/html.

doc_sources = \
	Documentation/conf.py \
	Documentation/howto/container-runtimes.rst \
	Documentation/howto/index.rst \
	Documentation/howto/installed-open-vswitch.rst \
	Documentation/howto/physical-nic.rst \
	Documentation/howto/several-pmd-threads.rst \
	Documentation/howto/two-containers.rst \
	Documentation/index.rst \
	Documentation/internals/build.rst \
	Documentation/internals/flow-table.rst \
	Documentation/internals/index.rst \
	Documentation/internals/seam.rst \
	Documentation/internals/source.rst \
	Documentation/internals/tests.rst \
	Documentation/internals/xdp-program.rst \
	Documentation/intro/index.rst \
	Documentation/intro/install.rst \
	Documentation/intro/what-is-ovs-afxdp.rst \
	Documentation/ref/appctl.rst \
	Documentation/ref/index.rst \
	Documentation/ref/man-pages.rst \
	Documentation/ref/statistics.rst \
	Documentation/topics/bench.svg \
	Documentation/topics/containers-offloads.rst \
	Documentation/topics/counters.rst \
	Documentation/topics/frames.rst \
	Documentation/topics/index.rst \
	Documentation/topics/memory-sizing.rst \
	Documentation/topics/offload.rst \
	Documentation/topics/options.rst \
	Documentation/topics/performance.rst \
	Documentation/topics/troubleshooting.rst \
	Documentation/topics/zero-copy.rst

EXTRA_DIST += $(doc_sources) build-aux/check-docs

docs-html:
	@if test -z '$(SPHINXBUILD)'; then \
	    echo 'docs-html: no sphinx-build.  Install it with: apt-get' \
	        'install python3-sphinx, and run configure again' >&2; \
	    exit 1; \
	fi
	$(AM_V_GEN)$(SPHINXBUILD) -W --keep-going -q -b html \
	    -d Documentation/doctrees '$(srcdir)/Documentation' \
	    Documentation/html
	@echo "The manual is in `pwd`/Documentation/html/index.html"
.PHONY: docs-html

CHECK_LOCAL += check-docs
check-docs:
	@$(MKDIR_P) tests/results
	@$(PYTHON3) $(top_srcdir)/build-aux/check-docs \
	    --sphinx '$(SPHINXBUILD)' --results tests/results/check-docs \
	    '$(srcdir)' Documentation

CLEAN_LOCAL += clean-docs
clean-docs:
	rm -rf Documentation/html Documentation/doctrees Documentation/dummy

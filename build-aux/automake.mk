# SPDX-License-Identifier: Apache-2.0
#
# Scripts of the build and of its checks.

EXTRA_DIST += \
	build-aux/check-link-map \
	build-aux/check-source \
	build-aux/count-autotest \
	build-aux/prepare-ovs \
	build-aux/quickstart-demo

# Does the source keep its rules?  Needs a clone: it looks at what git lists.
check-source:
	@for file in $(DISTFILES); do echo "$$file"; done \
	    | sed 's|^$(srcdir)/||; s|^$(top_srcdir)/||' > check-source.list
	@list=`pwd`/check-source.list; cd $(srcdir) \
	    && build-aux/check-source --dist $$list $(OVS_SRC)
CLEANFILES += check-source.list
.PHONY: check-source

# SPDX-License-Identifier: Apache-2.0
#
# Scripts of the build and of its checks.

EXTRA_DIST += \
	build-aux/check-link-map \
	build-aux/prepare-ovs

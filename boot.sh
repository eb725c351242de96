#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Makes "configure" and "Makefile.in" out of configure.ac and Makefile.am.
# Run it once in a fresh clone, then go on with ./configure.

cd "$(dirname "$0")" || exit 1
for tool in autoconf automake; do
    if ! command -v $tool >/dev/null 2>&1; then
        echo "boot.sh: $tool is missing; install the Debian packages" \
             "autoconf and automake" >&2
        exit 1
    fi
done
exec autoreconf --install --force --warnings=all,no-portability

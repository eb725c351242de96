# SPDX-License-Identifier: Apache-2.0
#
# The configure checks of configure.ac: the Open vSwitch tree to build on, the
# tools for BPF, the libraries and the compiler's options.

# The releases of Open vSwitch whose netdev interface ours is written for and
# tested with.
m4_define([AFXDP_TESTED_OVS], [3.1.0])

# AFXDP_MISSING(WHAT, PACKAGE)
#
# Notes that WHAT, from the Debian package PACKAGE, was not found, so that one
# line can name everything that has to be installed.
AC_DEFUN([AFXDP_MISSING],
  [afxdp_missing="${afxdp_missing:+$afxdp_missing, }$1"
   case " $afxdp_packages " in #(
     *" $2 "*) ;; #(
     *) afxdp_packages="$afxdp_packages $2" ;;
   esac])

AC_DEFUN([AFXDP_REPORT_MISSING],
  [AS_IF([test -n "$afxdp_missing"],
     [AC_MSG_ERROR([not found: $afxdp_missing. Install it with: apt-get install$afxdp_packages])])])

# AC_PROG_CC stops without a word about packages, so look before it does.
AC_DEFUN([AFXDP_FIND_CC],
  [AC_CHECK_PROGS([CC], [gcc clang cc])
   AS_IF([test -z "$CC"],
     [AC_MSG_ERROR([not found: a C compiler. Install it with: apt-get install gcc libc6-dev])])])

# AFXDP_OVS_VAR(SHELL-VARIABLE, MAKE-VARIABLE)
#
# Takes the value of MAKE-VARIABLE from the Open vSwitch build.  Reading the
# Makefile as text keeps make from rebuilding anything in a tree that is not
# ours.
AC_DEFUN([AFXDP_OVS_VAR],
  [$1=`sed -n 's/^$2 = *//p' "$OVS_BUILD/Makefile" | sed q`])

# AFXDP_FIND_OVS
#
# Sets OVS_SRC and OVS_BUILD and makes sure that this tree can carry our
# netdev; sets OVS_MACHINE_FLAGS and OVS_LINK_LIBS from its Makefile.
AC_DEFUN([AFXDP_FIND_OVS],
  [AC_ARG_WITH([ovs-build],
     [AS_HELP_STRING([--with-ovs-build=DIR],
        [configured and built Open vSwitch
         (default: what build-aux/prepare-ovs made)])])
   AC_ARG_WITH([ovs-source],
     [AS_HELP_STRING([--with-ovs-source=DIR],
        [source of that build (default: the one it was configured from)])])

   AC_MSG_CHECKING([for the Open vSwitch build])
   OVS_BUILD=$with_ovs_build
   AS_IF([test -z "$OVS_BUILD"],
     [OVS_BUILD=`"$srcdir/build-aux/prepare-ovs" --print-build 2>/dev/null`])
   AS_IF([test -z "$OVS_BUILD"],
     [AC_MSG_RESULT([none])
      AC_MSG_ERROR([there is no prepared Open vSwitch. Install the Debian package openvswitch-source and run $srcdir/build-aux/prepare-ovs, or give --with-ovs-build=DIR])])
   AS_IF([test ! -f "$OVS_BUILD/config.h" || test ! -f "$OVS_BUILD/Makefile"],
     [AC_MSG_RESULT([$OVS_BUILD])
      AC_MSG_ERROR([$OVS_BUILD holds no configured Open vSwitch (config.h and Makefile). Run $srcdir/build-aux/prepare-ovs, or configure it with --enable-afxdp and build it])])
   OVS_BUILD=`cd "$OVS_BUILD" && pwd`
   AC_MSG_RESULT([$OVS_BUILD])

   AFXDP_CHECK_OVS
   AC_MSG_CHECKING([for the Open vSwitch source])
   OVS_SRC=$with_ovs_source
   AS_IF([test -z "$OVS_SRC"], [AFXDP_OVS_VAR([OVS_SRC], [abs_top_srcdir])])
   AS_IF([test ! -f "$OVS_SRC/lib/netdev-provider.h"],
     [AC_MSG_RESULT([$OVS_SRC])
      AC_MSG_ERROR([$OVS_SRC holds no Open vSwitch source. Give --with-ovs-source=DIR])])
   AS_IF([grep -q "^PACKAGE_VERSION='$OVS_VERSION'" "$OVS_SRC/configure"], [],
     [AC_MSG_RESULT([$OVS_SRC])
      AC_MSG_ERROR([$OVS_SRC is not the source of $OVS_BUILD, which is release $OVS_VERSION])])
   OVS_SRC=`cd "$OVS_SRC" && pwd`
   AC_MSG_RESULT([$OVS_SRC])

   AFXDP_OVS_FLAGS
   AC_SUBST([OVS_SRC])
   AC_SUBST([OVS_BUILD])])

# Is the Open vSwitch tree one that our netdev fits into?
AC_DEFUN([AFXDP_CHECK_OVS],
  [AC_MSG_CHECKING([for the Open vSwitch release])
   OVS_VERSION=`sed -n 's/^#define PACKAGE_VERSION "\(.*\)"/\1/p' \
     "$OVS_BUILD/config.h"`
   AC_MSG_RESULT([$OVS_VERSION])
   AC_SUBST([OVS_VERSION])
   AS_CASE([" AFXDP_TESTED_OVS "], [*" $OVS_VERSION "*], [],
     [AC_MSG_ERROR([Open vSwitch $OVS_VERSION in $OVS_BUILD is not a tested release; this version of AC_PACKAGE_NAME works with: AFXDP_TESTED_OVS])])

   AC_MSG_CHECKING([whether Open vSwitch was built with AF_XDP])
   AS_IF([grep -q '^#define HAVE_AF_XDP 1' "$OVS_BUILD/config.h"],
     [AC_MSG_RESULT([yes])],
     [AC_MSG_RESULT([no])
      AC_MSG_ERROR([Open vSwitch in $OVS_BUILD was built without AF_XDP. Configure it with --enable-afxdp (needs the Debian packages libxdp-dev, libbpf-dev and libnuma-dev), or run $srcdir/build-aux/prepare-ovs])])

   AC_MSG_CHECKING([whether Open vSwitch was built without DPDK])
   AS_IF([grep -q '^#define DPDK_NETDEV 1' "$OVS_BUILD/config.h"],
     [AC_MSG_RESULT([no])
      AC_MSG_ERROR([Open vSwitch in $OVS_BUILD was built with DPDK, whose packet buffers ours cannot work with. Configure it without --with-dpdk, or run $srcdir/build-aux/prepare-ovs])],
     [AC_MSG_RESULT([yes])])

   AC_MSG_CHECKING([whether Open vSwitch is built completely])
   for afxdp_file in vswitchd/ovs-vswitchd vswitchd/bridge.o \
     ofproto/.libs/libofproto.a lib/.libs/libsflow.a \
     lib/.libs/libopenvswitch.a; do
     AS_IF([test ! -f "$OVS_BUILD/$afxdp_file"],
       [AC_MSG_RESULT([no])
        AC_MSG_ERROR([$OVS_BUILD/$afxdp_file is missing. Run make in $OVS_BUILD (static libraries, as by default), or run $srcdir/build-aux/prepare-ovs])])
   done
   AC_MSG_RESULT([yes])])

# Inline functions and structures of Open vSwitch change with the machine
# flags, so ours must be compiled with the very same ones; and linked with the
# same libraries.
AC_DEFUN([AFXDP_OVS_FLAGS],
  [AC_MSG_CHECKING([for the machine flags of Open vSwitch])
   AFXDP_OVS_VAR([afxdp_cflags], [CFLAGS])
   AFXDP_OVS_VAR([afxdp_ovs_cflags], [OVS_CFLAGS])
   AFXDP_OVS_VAR([afxdp_cppflags], [CPPFLAGS])
   OVS_MACHINE_FLAGS=
   for afxdp_flag in $afxdp_cppflags $afxdp_ovs_cflags $afxdp_cflags; do
     AS_CASE([$afxdp_flag],
       [-m*|-fsanitize=*|-DNDEBUG],
       [OVS_MACHINE_FLAGS="$OVS_MACHINE_FLAGS $afxdp_flag"])
   done
   AS_IF([grep -q '^am__append_[[0-9]]* = -DNDEBUG' "$OVS_BUILD/Makefile"],
     [OVS_MACHINE_FLAGS="$OVS_MACHINE_FLAGS -DNDEBUG"])
   AC_MSG_RESULT([${OVS_MACHINE_FLAGS:-none}])
   AC_SUBST([OVS_MACHINE_FLAGS])

   AC_MSG_CHECKING([for the libraries of Open vSwitch])
   AFXDP_OVS_VAR([afxdp_ssl], [SSL_LIBS])
   AFXDP_OVS_VAR([afxdp_capng], [CAPNG_LDADD])
   AFXDP_OVS_VAR([afxdp_pthread], [PTHREAD_LIBS])
   AFXDP_OVS_VAR([afxdp_libs], [LIBS])
   OVS_LINK_LIBS=`echo $afxdp_ssl $afxdp_capng $afxdp_pthread $afxdp_libs`
   AC_MSG_RESULT([$OVS_LINK_LIBS])
   AC_SUBST([OVS_LINK_LIBS])

   OVS_ARCHIVES="$OVS_BUILD/ofproto/.libs/libofproto.a"
   for afxdp_file in libsflow libopenvswitch libopenvswitchavx512; do
     afxdp_file=$OVS_BUILD/lib/.libs/$afxdp_file.a
     AS_IF([test -f "$afxdp_file"],
       [OVS_ARCHIVES="$OVS_ARCHIVES $afxdp_file"])
   done
   AC_SUBST([OVS_ARCHIVES])])

# AFXDP_CHECK_BPF_TOOLS
#
# clang compiles bpf/, bpftool makes the skeletons.  The kernel's asm/ headers
# live in a folder that "clang -target bpf" does not search by itself.
AC_DEFUN([AFXDP_CHECK_BPF_TOOLS],
  [AC_ARG_VAR([CLANG], [clang, to compile BPF programs])
   AC_ARG_VAR([BPFTOOL], [bpftool, to make skeletons of BPF programs])
   AC_PATH_PROG([CLANG], [clang])
   AS_IF([test -z "$CLANG"], [AFXDP_MISSING([clang], [clang])],
     [AC_MSG_CHECKING([where $CLANG finds the system's headers])
      BPF_INCLUDES=`$CLANG -v -E - 2>&1 </dev/null | sed -n \
        '/^#include <.*search starts here/,/^End of search/s|^ \(/.*\)|-idirafter \1|p' \
        | tr '\n' ' '`
      AC_MSG_RESULT([$BPF_INCLUDES])
      AC_SUBST([BPF_INCLUDES])])
   AC_PATH_PROG([BPFTOOL], [bpftool], [], [$PATH:/usr/sbin:/sbin])
   AS_IF([test -z "$BPFTOOL"], [AFXDP_MISSING([bpftool], [bpftool])])])

# AFXDP_CHECK_LIBRARIES
#
# The headers that we include, and every library that the Open vSwitch objects
# are linked with.
AC_DEFUN([AFXDP_CHECK_LIBRARIES],
  [AC_CHECK_HEADER([bpf/libbpf.h], [], [AFXDP_MISSING([bpf/libbpf.h],
     [libbpf-dev])])
   AC_CHECK_HEADER([xdp/xsk.h], [], [AFXDP_MISSING([xdp/xsk.h],
     [libxdp-dev])])
   AC_CHECK_HEADER([numa.h], [], [AFXDP_MISSING([numa.h], [libnuma-dev])])
   for afxdp_lib in $OVS_LINK_LIBS; do
     AS_CASE([$afxdp_lib],
       [-lbpf], [afxdp_package=libbpf-dev],
       [-lxdp], [afxdp_package=libxdp-dev],
       [-lnuma], [afxdp_package=libnuma-dev],
       [-lssl|-lcrypto], [afxdp_package=libssl-dev],
       [-lcap-ng], [afxdp_package=libcap-ng-dev],
       [-lunbound], [afxdp_package=libunbound-dev],
       [-latomic], [afxdp_package=gcc],
       [afxdp_package=])
     AS_IF([test -n "$afxdp_package"],
       [AC_MSG_CHECKING([for $afxdp_lib])
        afxdp_save_libs=$LIBS
        LIBS="$afxdp_lib $LIBS"
        AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
          [AC_MSG_RESULT([yes])],
          [AC_MSG_RESULT([no])
           AFXDP_MISSING([$afxdp_lib], [$afxdp_package])])
        LIBS=$afxdp_save_libs])
   done])

# AFXDP_CHECK_LIBNL
#
# For ovs-afxdp-cni only.  Its headers are in a folder of their own, which
# pkg-config would tell; that one would be a package more to install.
AC_DEFUN([AFXDP_CHECK_LIBNL],
  [AC_ARG_VAR([LIBNL_CFLAGS], [options to compile with libnl-route-3])
   AC_ARG_VAR([LIBNL_LIBS], [libraries to link for libnl-route-3])
   AS_IF([test -z "$LIBNL_CFLAGS"], [LIBNL_CFLAGS=-I/usr/include/libnl3])
   AS_IF([test -z "$LIBNL_LIBS"], [LIBNL_LIBS="-lnl-route-3 -lnl-3"])
   afxdp_save_cppflags=$CPPFLAGS
   CPPFLAGS="$CPPFLAGS $LIBNL_CFLAGS"
   AC_CHECK_HEADER([netlink/route/link/veth.h], [],
     [AFXDP_MISSING([netlink/route/link/veth.h], [libnl-route-3-dev])])
   CPPFLAGS=$afxdp_save_cppflags])

# The scripts of this tree and of Open vSwitch's want the distribution's
# python3, with its packages, rather than any other that comes first in PATH.
AC_DEFUN([AFXDP_CHECK_PYTHON],
  [AC_ARG_VAR([PYTHON3], [Python 3.9 or later])
   AC_PATH_PROG([PYTHON3], [python3], [], [/usr/bin:$PATH])
   AS_IF([test -z "$PYTHON3"], [AFXDP_MISSING([python3], [python3])])])

# The manual is made and checked where there is a Sphinx; like python3, rather
# the distribution's.
AC_DEFUN([AFXDP_CHECK_SPHINX],
  [AC_ARG_VAR([SPHINXBUILD], [sphinx-build, to make the manual; optional])
   AC_PATH_PROG([SPHINXBUILD], [sphinx-build], [], [/usr/bin:$PATH])])

# AFXDP_TRY_OPTION(OPTION)
#
# Adds OPTION to WARNING_FLAGS if the compiler knows it.  gcc takes any
# -Wno-WARNING, so the warning itself is tried.
AC_DEFUN([AFXDP_TRY_OPTION],
  [AC_MSG_CHECKING([whether $CC accepts $1])
   afxdp_save_cflags=$CFLAGS
   CFLAGS="$CFLAGS -Werror m4_bpatsubst([$1], [-Wno-], [-W])"
   AC_COMPILE_IFELSE([AC_LANG_SOURCE([int x;])],
     [AC_MSG_RESULT([yes])
      WARNING_FLAGS="$WARNING_FLAGS $1"],
     [AC_MSG_RESULT([no])])
   CFLAGS=$afxdp_save_cflags])

# AFXDP_WARNINGS
#
# The options that Open vSwitch compiles itself with, and --enable-werror.
AC_DEFUN([AFXDP_WARNINGS],
  [AC_ARG_ENABLE([werror],
     [AS_HELP_STRING([--enable-werror], [make a compiler warning an error])])
   WARNING_FLAGS=
   m4_foreach_w([afxdp_option],
     [-Qunused-arguments -Wall -Wextra -Wno-sign-compare -Wpointer-arith
      -Wswitch-enum -Wunused-parameter
      -Wbad-function-cast -Wcast-align -Wcast-align=strict
      -Wstrict-prototypes -Wold-style-definition -Wmissing-prototypes
      -Wmissing-field-initializers -Wthread-safety -fno-strict-aliasing
      -Wswitch-bool -Wlogical-not-parentheses -Wsizeof-array-argument
      -Wbool-compare -Wshift-negative-value -Wduplicated-cond -Wshadow
      -Wmultistatement-macros -Wno-null-pointer-arithmetic
      -Warray-bounds-pointer-arithmetic],
     [AFXDP_TRY_OPTION(afxdp_option)
     ])
   AFXDP_TRY_OPTION([-Wformat -Wformat-security])
   BPF_WERROR=
   AS_IF([test "$enable_werror" = yes],
     [WARNING_FLAGS="$WARNING_FLAGS -Werror"
      BPF_WERROR=-Werror])
   # Debian 12's valgrind cannot read what clang writes as DWARF 5.
   AC_CHECK_DECL([__clang__], [WARNING_FLAGS="$WARNING_FLAGS -gdwarf-4"])
   AC_SUBST([WARNING_FLAGS])
   AC_SUBST([BPF_WERROR])])

# AFXDP_CHECK_SANITIZERS
#
# Options for those unit tests that also run under ASan and UBSan.
AC_DEFUN([AFXDP_CHECK_SANITIZERS],
  [SANITIZER_CFLAGS="-fsanitize=address,undefined -fno-omit-frame-pointer"
   AC_MSG_CHECKING([whether $CC can link with $SANITIZER_CFLAGS])
   afxdp_save_cflags=$CFLAGS
   CFLAGS="$CFLAGS $SANITIZER_CFLAGS"
   AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
     [HAVE_SANITIZERS=yes], [HAVE_SANITIZERS=no])
   CFLAGS=$afxdp_save_cflags
   AC_MSG_RESULT([$HAVE_SANITIZERS])
   AC_SUBST([SANITIZER_CFLAGS])
   AC_SUBST([HAVE_SANITIZERS])
   AM_CONDITIONAL([HAVE_SANITIZERS], [test "$HAVE_SANITIZERS" = yes])])

AC_DEFUN([AFXDP_SUMMARY],
  [AC_MSG_NOTICE([AC_PACKAGE_NAME AC_PACKAGE_VERSION on Open vSwitch $OVS_VERSION, $CC; now run make])])

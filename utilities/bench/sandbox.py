# SPDX-License-Identifier: Apache-2.0
"""A place of its own for the measurements.

The bench forks.  The child has network, mount and process namespaces of its
own; it measures, and sends what it found up a pipe.  The parent, which stays
outside, waits for it and reports.  When the child ends, in whichever way, the
kernel ends all that it has started and removes all devices that it has made,
and with them the XDP programs on them; the parent puts back the one thing
that has no namespace, the number of huge pages.
"""

import ctypes
import json
import os
import signal
import sys
import traceback

from . import machine
from .machine import BenchError

CLONE_NEWNS = 0x00020000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000
MS_REC = 0x4000
MS_PRIVATE = 1 << 18
PR_SET_PDEATHSIG = 1

libc = ctypes.CDLL(None, use_errno=True)


class Stopped(BaseException):
    """We were asked to stop."""


def check(result, what):
    if result:
        raise BenchError("cannot %s: %s; the bench needs root with all "
                         "capabilities" % (what,
                                           os.strerror(ctypes.get_errno())))


def mount(kind, target, flags=0):
    check(libc.mount(kind.encode(), target.encode(), kind.encode(),
                     ctypes.c_ulong(flags), None),
          "mount %s on %s" % (kind, target))


def enter():
    """Makes the namespaces' contents, in the child."""
    check(libc.unshare(CLONE_NEWNS | CLONE_NEWNET),
          "make network and mount namespaces")
    check(libc.mount(b"none", b"/", None,
                     ctypes.c_ulong(MS_REC | MS_PRIVATE), None),
          "keep mounts to ourselves")
    mount("proc", "/proc")
    mount("sysfs", "/sys")
    mount("tmpfs", "/run")
    for path in (machine.NETNS_DIR, work_dir()):
        os.mkdir(path)
    machine.run("ip", "link", "set", "dev", "lo", "up")


def work_dir():
    """For files of the daemons; gone with the namespaces."""
    return "/run/bench"


def on_signal(signum, frame):
    raise Stopped()


def child(measure, pipe):
    """Measures, and returns the exit code."""
    others = machine.Others()
    os.setpgid(0, 0)
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    signal.signal(signal.SIGTERM, on_signal)
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def send(record):
        pipe.write(json.dumps(record) + "\n")
        pipe.flush()

    try:
        enter()
        measure(send, others)
    except BenchError as error:
        print("ovs-afxdp-bench: %s" % error, file=sys.stderr)
        return 1
    except Stopped:
        return 130
    except Exception:           # A fault of ours; our parent cannot see it.
        traceback.print_exc()
        return 1
    return 0


def fork_in_new_pidns():
    """Forks; only the child is in a process namespace of its own."""
    sys.stdout.flush()
    with open("/proc/self/ns/pid") as home:
        check(libc.unshare(CLONE_NEWPID), "make a process namespace")
        pid = os.fork()
        if pid:
            check(libc.setns(home.fileno(), CLONE_NEWPID),
                  "return to the process namespace")
    return pid


def measure_apart(measure):
    """Calls measure(send, others) in a child with namespaces of its own.
    Returns the records that it has sent, and its exit code."""
    before = machine.hugepages()
    read_fd, write_fd = os.pipe()
    pid = fork_in_new_pidns()
    if not pid:
        os.close(read_fd)
        code = 1
        try:
            with os.fdopen(write_fd, "w") as pipe:
                code = child(measure, pipe)
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)

    os.close(write_fd)
    for sig in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(sig, on_signal)
    try:
        with os.fdopen(read_fd) as pipe:
            return collect(pid, pipe)
    finally:
        if machine.hugepages() != before:
            machine.set_hugepages(before)


def collect(pid, pipe):
    """Takes what the child sends until it ends.  The first signal asks it to
    stop, the second kills it."""
    records = []
    asked = False
    while True:
        try:
            for line in pipe:
                records.append(json.loads(line))
            status = os.waitpid(pid, 0)[1]
            break
        except Stopped:
            print("\nstopping, and putting the machine back ...",
                  file=sys.stderr)
            os.kill(pid, signal.SIGKILL if asked else signal.SIGTERM)
            asked = True
    return records, 130 if asked else (os.WEXITSTATUS(status)
                                       if os.WIFEXITED(status) else 1)

/* SPDX-License-Identifier: Apache-2.0 */

/* Notes of the kernel's: see afxdp-notes.h. */

#include <config.h>

#include "afxdp-notes.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>

#include "afxdp-device.h"
#include "bpf/afxdp-notes.skel.h"
#include "openvswitch/vlog.h"
#include "util.h"

VLOG_DEFINE_THIS_MODULE(afxdp_notes);

static struct afxdp_notes *skel;  /* NULL if it could not be loaded. */
static unsigned int n_users;

/* Says that there will be no notes, and why. */
static void
log_failure(const char *what, int error)
{
    static const unsigned int caps[] = { CAP_BPF, CAP_PERFMON };
    char *missing = (error == EPERM || error == EACCES
                     ? afxdp_missing_caps(caps, ARRAY_SIZE(caps))
                     : NULL);

    VLOG_WARN("cannot %s the program that tells the size of TCP segments and "
              "VLAN tags in generic mode (%s%s); segments are as long as the "
              "MTU allows, VLAN tags that a container's kernel leaves to the "
              "device are lost", what,
              missing ? "ovs-vswitchd lacks " : ovs_strerror(error),
              missing ? missing : "");
    free(missing);
}

/* Returns the map of notes, loading the program for the first time, or -1 if
 * it cannot be loaded. */
int
afxdp_notes_map(void)
{
    static bool tried;

    if (!tried) {
        int error;

        tried = true;
        skel = afxdp_notes__open();
        error = skel ? -afxdp_notes__load(skel) : errno;
        if (error) {
            log_failure("load", error);
            afxdp_notes__destroy(skel);
            skel = NULL;
        }
    }
    return skel ? bpf_map__fd(skel->maps.notes) : -1;
}

/* Has notes taken from now on, until afxdp_notes_put().  Returns false, and
 * needs no afxdp_notes_put(), if that is not possible. */
bool
afxdp_notes_get(void)
{
    if (!skel) {
        return false;
    }
    if (!n_users) {
        int error = -afxdp_notes__attach(skel);

        if (error) {
            log_failure("attach", error);
            return false;
        }
    }
    n_users++;
    return true;
}

void
afxdp_notes_put(void)
{
    if (!--n_users) {
        afxdp_notes__detach(skel);
    }
}

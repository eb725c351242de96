/* SPDX-License-Identifier: Apache-2.0 */

/* The two MTUs of a veth: see afxdp-mtu.h. */

#include <config.h>

#include "afxdp-mtu.h"

#include <errno.h>

#include "afxdp-device.h"
#include "openvswitch/vlog.h"
#include "packets.h"
#include "util.h"

VLOG_DEFINE_THIS_MODULE(afxdp_mtu);

static void
set_mtu(const char *name, int mtu)
{
    int error = afxdp_device_set_mtu(name, mtu);

    if (error && error != ENODEV) {
        VLOG_WARN("%s: cannot set the MTU to %d: %s", name, mtu,
                  ovs_strerror(error));
    }
}

/* Does the other end of 'device' tell an MTU?  Not if it is such a port, too,
 * whose MTU is raised: of another bridge, or another ovs-vswitchd. */
static bool
peer_tells(const struct afxdp_device *device)
{
    return (device->peer.known
            && !(device->peer.generic
                 && device->peer.mtu == AFXDP_MTU_RAISED));
}

/* Returns the MTU that 'device' has but for our raising it. */
int
afxdp_mtu_of(const struct afxdp_device *device)
{
    return (device->mtu != AFXDP_MTU_RAISED ? device->mtu
            : peer_tells(device) ? device->peer.mtu
            : ETH_PAYLOAD_MAX);
}

/* Returns the MTU that bounds what comes in on 'device', of which 'mtu' is, if
 * it is known. */
int
afxdp_mtu_of_sender(const struct afxdp_mtu *mtu,
                    const struct afxdp_device *device)
{
    return (peer_tells(device) ? device->peer.mtu
            : mtu->raised ? mtu->seen
            : afxdp_mtu_of(device));
}

/* Raises the MTU of device 'name', which is as 'device' says. */
void
afxdp_mtu_raise(struct afxdp_mtu *mtu, const char *name,
                const struct afxdp_device *device)
{
    if (!mtu->raised) {
        mtu->before = afxdp_mtu_of(device);
        mtu->requested = false;
        mtu->seen = afxdp_mtu_of_sender(mtu, device);
        mtu->raised = true;
        VLOG_INFO("%s: MTU raised to %d, for batches of TCP segments; Open "
                  "vSwitch sees %d", name, AFXDP_MTU_RAISED, mtu->seen);
    }
    if (device->mtu != AFXDP_MTU_RAISED) {
        set_mtu(name, AFXDP_MTU_RAISED);
    }
}

/* Undoes afxdp_mtu_raise(), if that was called. */
void
afxdp_mtu_restore(struct afxdp_mtu *mtu, const char *name)
{
    if (mtu->raised) {
        mtu->raised = false;
        set_mtu(name, mtu->before);
    }
}

/* Somebody wants the device, whose MTU is raised, to have 'wanted'. */
void
afxdp_mtu_request(struct afxdp_mtu *mtu, int wanted)
{
    mtu->seen = mtu->before = wanted;
    mtu->requested = true;
}

/* Follows the changes to device 'name' or its peer, which are as 'now' says.
 * Returns true if Open vSwitch sees another MTU then. */
bool
afxdp_mtu_update(struct afxdp_mtu *mtu, const char *name,
                 const struct afxdp_device *now)
{
    int before = mtu->seen;

    if (!mtu->raised) {
        return false;
    }
    if (now->mtu != AFXDP_MTU_RAISED) {
        afxdp_mtu_request(mtu, now->mtu);
        set_mtu(name, AFXDP_MTU_RAISED);
    } else if (!mtu->requested && peer_tells(now)) {
        mtu->seen = now->peer.mtu;
    }
    return mtu->seen != before;
}

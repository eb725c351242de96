/* SPDX-License-Identifier: Apache-2.0 */

/* linux_tc and our ports: see afxdp-offload-tc.h. */

#include <config.h>

#include "afxdp-offload-tc.h"

#include <errno.h>

#include "netdev-offload-provider.h"
#include "netdev-provider.h"
#include "openvswitch/vlog.h"

VLOG_DEFINE_THIS_MODULE(afxdp_offload_tc);

/* Is 'netdev' of one of our classes? */
bool
afxdp_offload_is_ours(const struct netdev *netdev)
{
    const struct netdev_class *class = netdev_get_class(netdev);

    return (class == &netdev_afxdp_class
            || class == &netdev_afxdp_nonpmd_class);
}

static int
init_flow_api(struct netdev *netdev)
{
    return (afxdp_offload_is_ours(netdev) ? EOPNOTSUPP
            : netdev_offload_tc.init_flow_api(netdev));
}

/* Puts a provider in the place of linux_tc that refuses our netdevs and is the
 * same otherwise.
 *
 * netdev_initialize() registers linux_tc just before our classes, and this is
 * called when they are registered: no netdev can use it yet. */
void
afxdp_offload_keep_tc_away(void)
{
    static struct netdev_flow_api tc;

    if (netdev_unregister_flow_api_provider(netdev_offload_tc.type)) {
        VLOG_WARN("the flow API %s may take ports of type afxdp: it is not "
                  "where it is expected", netdev_offload_tc.type);
        return;
    }
    tc = netdev_offload_tc;
    tc.init_flow_api = init_flow_api;
    netdev_register_flow_api_provider(&tc);
}

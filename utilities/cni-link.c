/* SPDX-License-Identifier: Apache-2.0 */

/* The veth pair of a container: see cni-link.h. */

#include <config.h>

#include "cni-link.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netlink/route/link.h>
#include <netlink/route/link/veth.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cni-config.h"
#include "cni-error.h"
#include "cni-nl.h"
#include "packets.h"
#include "util.h"

#define OWN_NETNS "/proc/thread-self/ns/net"

/* Namespaces. */

/* Opens the container's namespace.  One that does not exist is an error. */
struct cni_error *
cni_link_open_netns(struct cni_link *link)
{
    struct stat here, there;

    link->netns_fd = open(link->netns, O_RDONLY | O_CLOEXEC);
    if (link->netns_fd < 0) {
        return cni_error(CNI_NO_CONTAINER, "cannot open the network "
                         "namespace %s: %s", link->netns,
                         ovs_strerror(errno));
    }
    if (!stat(OWN_NETNS, &here) && !fstat(link->netns_fd, &there)
        && here.st_dev == there.st_dev && here.st_ino == there.st_ino) {
        return cni_error(CNI_BAD_ENV, "%s is the network namespace that this "
                         "runs in itself, not that of a container",
                         link->netns);
    }
    return NULL;
}

void
cni_link_close_netns(struct cni_link *link)
{
    if (link->netns_fd >= 0) {
        close(link->netns_fd);
    }
}

/* Creation. */

static struct nl_addr *
mac_to_nl(const struct eth_addr *mac)
{
    return nl_addr_build(AF_LLC, mac->ea, ETH_ADDR_LEN);
}

static void
set_mac(struct rtnl_link *nl_link, const struct eth_addr *mac)
{
    struct nl_addr *addr = mac_to_nl(mac);

    rtnl_link_set_addr(nl_link, addr);
    nl_addr_put(addr);
}

/* What both ends have. */
static void
set_common(struct rtnl_link *end, const char *name,
           const struct eth_addr *mac, const struct cni_config *config)
{
    rtnl_link_set_name(end, name);
    set_mac(end, mac);
    if (config->mtu) {
        rtnl_link_set_mtu(end, config->mtu);
    }
    if (config->n_rxq) {
        rtnl_link_set_num_tx_queues(end, config->n_rxq);
        rtnl_link_set_num_rx_queues(end, config->n_rxq);
    }
}

static int
add_pair(struct nl_sock *sock, const struct cni_link *link,
         const struct cni_config *config)
{
    struct rtnl_link *host = rtnl_link_veth_alloc();
    struct rtnl_link *peer = rtnl_link_veth_get_peer(host);
    int retval;

    set_common(host, link->host, &link->host_mac, config);
    set_common(peer, link->ifname, &link->mac, config);
    rtnl_link_set_ns_fd(peer, link->netns_fd);
    retval = rtnl_link_add(sock, host, NLM_F_CREATE | NLM_F_EXCL);
    rtnl_link_put(peer);
    rtnl_link_put(host);
    return retval;
}

/* Gives the host's end its alias and turns it on; learns its MTU. */
static int
set_up_host(struct nl_sock *sock, struct cni_link *link)
{
    struct rtnl_link *host, *change;
    int retval = rtnl_link_get_kernel(sock, 0, link->host, &host);

    if (retval) {
        return retval;
    }
    link->mtu = rtnl_link_get_mtu(host);
    change = rtnl_link_alloc();
    rtnl_link_set_ifalias(change, link->alias);
    rtnl_link_set_flags(change, IFF_UP);
    retval = rtnl_link_change(sock, host, change, 0);
    rtnl_link_put(change);
    rtnl_link_put(host);
    return retval;
}

/* Makes the pair.  The host's end is up then, the container's not yet. */
struct cni_error *
cni_link_create(struct cni_link *link, const struct cni_config *config)
{
    struct nl_sock *sock;
    struct cni_error *error = cni_nl_open(&sock);
    int retval;

    if (error) {
        return error;
    }
    eth_addr_random(&link->host_mac);
    if (config->has_mac) {
        link->mac = config->mac;
    } else {
        eth_addr_random(&link->mac);
    }
    retval = add_pair(sock, link, config);
    if (retval == -NLE_EXIST) {
        error = cni_error(CNI_LINK, "device %s exists already, either here "
                          "for another interface of this container, or as "
                          "%s in the container", link->host, link->ifname);
    } else if (retval) {
        error = cni_error(CNI_LINK, "cannot make a veth pair, %s and %s in "
                          "%s: %s", link->host, link->ifname, link->netns,
                          nl_geterror(retval));
    }
    if (!error) {
        /* The stack has no business on the host's end. */
        cni_nl_sysctl("ipv6", link->host, "disable_ipv6", "1");
        retval = set_up_host(sock, link);
        if (retval) {
            error = cni_error(CNI_LINK, "cannot turn on device %s: %s",
                              link->host, nl_geterror(retval));
            cni_error_destroy(cni_link_delete(link->host));
        }
    }
    nl_socket_free(sock);
    return error;
}

/* Removal. */

bool
cni_link_exists(const char *host)
{
    return if_nametoindex(host) != 0;
}

/* Deletes the pair.  None is no error. */
struct cni_error *
cni_link_delete(const char *host)
{
    struct rtnl_link *nl_link;
    struct cni_error *error;
    struct nl_sock *sock;
    int retval;

    if (!cni_link_exists(host)) {
        return NULL;
    }
    error = cni_nl_open(&sock);
    if (error) {
        return error;
    }
    nl_link = rtnl_link_alloc();
    rtnl_link_set_name(nl_link, host);
    retval = rtnl_link_delete(sock, nl_link);
    if (retval && retval != -NLE_NODEV && retval != -NLE_OBJ_NOTFOUND) {
        error = cni_error(CNI_LINK, "cannot delete device %s: %s", host,
                          nl_geterror(retval));
    }
    rtnl_link_put(nl_link);
    nl_socket_free(sock);
    return error;
}

/* Calls 'cb' for each device here that has an alias. */
struct cni_error *
cni_link_for_each(void (*cb)(const char *host, const char *alias, void *aux),
                  void *aux)
{
    struct nl_cache *cache;
    struct nl_sock *sock;
    struct cni_error *error = cni_nl_open(&sock);
    int retval;

    if (error) {
        return error;
    }
    retval = rtnl_link_alloc_cache(sock, AF_UNSPEC, &cache);
    nl_socket_free(sock);
    if (retval) {
        return cni_error(CNI_LINK, "cannot list the devices: %s",
                         nl_geterror(retval));
    }
    for (struct nl_object *object = nl_cache_get_first(cache); object;
         object = nl_cache_get_next(object)) {
        struct rtnl_link *nl_link = (struct rtnl_link *) object;
        const char *alias = rtnl_link_get_ifalias(nl_link);

        if (alias) {
            cb(rtnl_link_get_name(nl_link), alias, aux);
        }
    }
    nl_cache_free(cache);
    return NULL;
}

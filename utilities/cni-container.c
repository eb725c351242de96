/* SPDX-License-Identifier: Apache-2.0 */

/* The container's end of its veth pair: see cni-link.h.  All of this is done
 * in the container's network namespace. */

#include <config.h>

#include "cni-link.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netlink/route/addr.h>
#include <netlink/route/link.h>
#include <netlink/route/nexthop.h>
#include <netlink/route/qdisc.h>
#include <netlink/route/qdisc/tbf.h>
#include <netlink/route/route.h>
#include <netlink/route/tc.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cni-config.h"
#include "cni-error.h"
#include "cni-nl.h"
#include "cni-result.h"
#include "packets.h"
#include "util.h"

/* How long a packet waits for its turn, at most, if there is a limit. */
#define LATENCY_US 25000

#define OWN_NETNS "/proc/thread-self/ns/net"

struct container {
    int home_fd;                /* The namespace to go back to. */
    struct nl_sock *sock;
    struct rtnl_link *link;
    int ifindex;
};

static void leave(struct container *);

/* Enters the container.  Unless this fails, the caller must leave(). */
static struct cni_error *
enter(const struct cni_link *link, struct container *c)
{
    struct cni_error *error;
    int retval;

    memset(c, 0, sizeof *c);
    c->home_fd = open(OWN_NETNS, O_RDONLY | O_CLOEXEC);
    if (c->home_fd < 0 || setns(link->netns_fd, CLONE_NEWNET)) {
        error = cni_error(CNI_NO_CONTAINER, "cannot enter the network "
                          "namespace %s: %s", link->netns,
                          ovs_strerror(errno));
        if (c->home_fd >= 0) {
            close(c->home_fd);
        }
        return error;
    }
    error = cni_nl_open(&c->sock);
    if (!error) {
        retval = rtnl_link_get_kernel(c->sock, 0, link->ifname, &c->link);
        if (!retval) {
            c->ifindex = rtnl_link_get_ifindex(c->link);
            return NULL;
        }
        error = cni_error(CNI_LINK, "there is no device %s in %s: %s",
                          link->ifname, link->netns, nl_geterror(retval));
    }
    leave(c);
    return error;
}

static void
leave(struct container *c)
{
    if (c->link) {
        rtnl_link_put(c->link);
    }
    if (c->sock) {
        nl_socket_free(c->sock);
    }
    if (setns(c->home_fd, CLONE_NEWNET)) {
        /* Nothing that follows would be done where it should. */
        ovs_abort(errno, "cannot leave the network namespace");
    }
    close(c->home_fd);
}

/* Turning it on. */

/* Limits what the container can send.  This is done here because on the host's
 * end XDP takes the packets before the queueing disciplines of the kernel
 * could. */
static int
limit_rate(struct container *c, const struct cni_link *link,
           const struct cni_config *config)
{
    struct rtnl_qdisc *qdisc = rtnl_qdisc_alloc();
    int bucket = MAX(config->burst * 125, link->mtu + 32);
    int retval;

    rtnl_tc_set_ifindex(TC_CAST(qdisc), c->ifindex);
    rtnl_tc_set_parent(TC_CAST(qdisc), TC_H_ROOT);
    retval = rtnl_tc_set_kind(TC_CAST(qdisc), "tbf");
    if (!retval) {
        rtnl_qdisc_tbf_set_rate(qdisc, config->rate * 125, bucket, 0);
        retval = rtnl_qdisc_tbf_set_limit_by_latency(qdisc, LATENCY_US);
    }
    if (!retval) {
        retval = rtnl_qdisc_add(c->sock, qdisc, NLM_F_CREATE);
    }
    rtnl_qdisc_put(qdisc);
    return retval;
}

/* Turns the container's end on, with the limit of its rate. */
struct cni_error *
cni_link_up(const struct cni_link *link, const struct cni_config *config)
{
    struct rtnl_link *change;
    struct container c;
    struct cni_error *error = enter(link, &c);
    int retval;

    if (error) {
        return error;
    }
    retval = config->rate ? limit_rate(&c, link, config) : 0;
    if (retval) {
        error = cni_error(CNI_LINK, "cannot limit the rate of %s: %s; "
                          "ingressPolicing needs a kernel with "
                          "CONFIG_NET_SCH_TBF", link->ifname,
                          nl_geterror(retval));
    } else {
        change = rtnl_link_alloc();
        rtnl_link_set_flags(change, IFF_UP);
        retval = rtnl_link_change(c.sock, c.link, change, 0);
        rtnl_link_put(change);
        if (retval) {
            error = cni_error(CNI_LINK, "cannot turn on %s in %s: %s",
                              link->ifname, link->netns,
                              nl_geterror(retval));
        }
    }
    leave(&c);
    return error;
}

/* Addresses and routes. */

static struct cni_error *
parse_addr(const char *s, const char *what, struct nl_addr **addr)
{
    int retval = nl_addr_parse(s, AF_UNSPEC, addr);
    int family;

    if (retval) {
        return cni_error(CNI_IPAM, "%s \"%s\" is not an address: %s", what,
                         s, nl_geterror(retval));
    }
    family = nl_addr_get_family(*addr);
    if (family != AF_INET && family != AF_INET6) {
        nl_addr_put(*addr);
        return cni_error(CNI_IPAM, "%s \"%s\" is not an IP address", what, s);
    }
    return NULL;
}

/* Sets the broadcast address that goes with 'local'; the kernel does not. */
static void
set_broadcast(struct rtnl_addr *addr, struct nl_addr *local)
{
    unsigned int plen = nl_addr_get_prefixlen(local);
    struct nl_addr *broadcast;
    ovs_be32 ip;

    if (plen < 31) {
        memcpy(&ip, nl_addr_get_binary_addr(local), sizeof ip);
        ip |= ~be32_prefix_mask(plen);
        broadcast = nl_addr_build(AF_INET, &ip, sizeof ip);
        rtnl_addr_set_broadcast(addr, broadcast);
        nl_addr_put(broadcast);
    }
}

static struct cni_error *
make_addr(const struct container *c, const struct cni_ip *ip,
          struct rtnl_addr **addrp)
{
    struct nl_addr *local;
    struct cni_error *error = parse_addr(ip->address, "address", &local);

    if (!error) {
        *addrp = rtnl_addr_alloc();
        rtnl_addr_set_ifindex(*addrp, c->ifindex);
        rtnl_addr_set_local(*addrp, local);
        if (ip->v6) {
            /* IPAM has seen to it that there is no other. */
            rtnl_addr_set_flags(*addrp, IFA_F_NODAD);
        } else {
            set_broadcast(*addrp, local);
        }
        nl_addr_put(local);
    }
    return error;
}

static struct cni_error *
add_addr(struct container *c, const struct cni_ip *ip)
{
    struct rtnl_addr *addr;
    struct cni_error *error = make_addr(c, ip, &addr);
    int retval;

    if (error) {
        return error;
    }
    retval = rtnl_addr_add(c->sock, addr, NLM_F_CREATE | NLM_F_EXCL);
    rtnl_addr_put(addr);
    return (retval
            ? cni_error(CNI_LINK, "cannot add address %s: %s", ip->address,
                        nl_geterror(retval))
            : NULL);
}

/* A default route is "0.0.0.0/0" or "::/0", which libnl takes for what it
 * is. */
static struct cni_error *
make_route(const struct container *c, const struct cni_result *result,
           const struct cni_route *route, struct rtnl_route **routep)
{
    const char *gw = cni_result_gateway(result, route);
    struct rtnl_nexthop *nh = rtnl_route_nh_alloc();
    struct rtnl_route *nl_route = rtnl_route_alloc();
    struct nl_addr *addr;
    struct cni_error *error;

    rtnl_route_nh_set_ifindex(nh, c->ifindex);
    rtnl_route_add_nexthop(nl_route, nh);
    error = parse_addr(route->dst, "destination of a route", &addr);
    if (!error) {
        rtnl_route_set_family(nl_route, nl_addr_get_family(addr));
        rtnl_route_set_dst(nl_route, addr);
        nl_addr_put(addr);
    }
    if (!error && gw) {
        error = parse_addr(gw, "gateway", &addr);
        if (!error) {
            rtnl_route_nh_set_gateway(nh, addr);
            nl_addr_put(addr);
        }
    }
    if (error) {
        rtnl_route_put(nl_route);
        return error;
    }
    rtnl_route_set_scope(nl_route, route->scope >= 0 ? route->scope
                                   : gw ? RT_SCOPE_UNIVERSE : RT_SCOPE_LINK);
    if (route->table >= 0) {
        rtnl_route_set_table(nl_route, route->table);
    }
    if (route->priority >= 0) {
        rtnl_route_set_priority(nl_route, route->priority);
    }
    if (route->mtu > 0) {
        rtnl_route_set_metric(nl_route, RTAX_MTU, route->mtu);
    }
    if (route->advmss > 0) {
        rtnl_route_set_metric(nl_route, RTAX_ADVMSS, route->advmss);
    }
    *routep = nl_route;
    return NULL;
}

static struct cni_error *
add_route(struct container *c, const struct cni_result *result,
          const struct cni_route *route)
{
    struct rtnl_route *nl_route;
    struct cni_error *error = make_route(c, result, route, &nl_route);
    int retval;

    if (error) {
        return error;
    }
    retval = rtnl_route_add(c->sock, nl_route, NLM_F_CREATE | NLM_F_EXCL);
    rtnl_route_put(nl_route);
    return (retval
            ? cni_error(CNI_LINK, "cannot add the route to %s: %s",
                        route->dst, nl_geterror(retval))
            : NULL);
}

/* Tells everybody on the network who has the IPv4 addresses of the container
 * now: addresses are used again, and neighbours remember.  (For IPv6 the
 * kernel does it.)
 *
 * With arp_notify the kernel does so whenever the Ethernet address is set, to
 * another one or not.  A packet socket of our own would cost more: to close it
 * takes an RCU grace period, some 10 ms. */
static void
announce(struct container *c, const struct cni_link *link)
{
    struct rtnl_link *change = rtnl_link_alloc();

    cni_nl_sysctl("ipv4", link->ifname, "arp_notify", "1");
    rtnl_link_set_addr(change, rtnl_link_get_addr(c->link));
    rtnl_link_change(c->sock, c->link, change, 0);
    rtnl_link_put(change);
}

/* Gives the container's end, which must be up, the addresses and routes of
 * 'result'. */
struct cni_error *
cni_link_configure(const struct cni_link *link,
                   const struct cni_result *result)
{
    struct container c;
    struct cni_error *error = enter(link, &c);

    if (error) {
        return error;
    }
    if (cni_result_find_ip(result, true)) {
        /* Runtimes turn IPv6 off where they think it is not used. */
        cni_nl_sysctl("ipv6", link->ifname, "disable_ipv6", "0");
        cni_nl_sysctl("ipv6", link->ifname, "ndisc_notify", "1");
    }
    for (size_t i = 0; i < result->n_ips && !error; i++) {
        error = add_addr(&c, &result->ips[i]);
    }
    if (!error && cni_result_find_ip(result, false)) {
        announce(&c, link);
    }
    for (size_t i = 0; i < result->n_routes && !error; i++) {
        error = add_route(&c, result, &result->routes[i]);
    }
    leave(&c);
    return error;
}

/* CHECK. */

static struct cni_error *
check_addrs(struct container *c, const struct cni_link *link,
            const struct cni_result *result)
{
    struct cni_error *error = NULL;
    struct nl_cache *cache;
    int retval = rtnl_addr_alloc_cache(c->sock, &cache);

    if (retval) {
        return cni_error(CNI_LINK, "cannot list the addresses of %s: %s",
                         link->ifname, nl_geterror(retval));
    }
    for (size_t i = 0; i < result->n_ips && !error; i++) {
        const struct cni_ip *ip = &result->ips[i];
        struct rtnl_addr *found = NULL;
        struct nl_addr *local;

        error = parse_addr(ip->address, "address", &local);
        if (!error) {
            found = rtnl_addr_get(cache, c->ifindex, local);
            nl_addr_put(local);
        }
        if (found) {
            rtnl_addr_put(found);
        } else if (!error) {
            error = cni_error(CNI_CHECK, "%s in %s has lost its address %s",
                              link->ifname, link->netns, ip->address);
        }
    }
    nl_cache_free(cache);
    return error;
}

/* Everything may be written as an address or as none. */
static bool
same_prefix(const struct nl_addr *a, const struct nl_addr *b)
{
    unsigned int plen = nl_addr_get_prefixlen(a);

    return (plen == nl_addr_get_prefixlen(b)
            && (!plen || !nl_addr_cmp(a, b)));
}

static bool
same_route(struct rtnl_route *a, struct rtnl_route *b, bool any_table)
{
    return (rtnl_route_get_family(a) == rtnl_route_get_family(b)
            && same_prefix(rtnl_route_get_dst(a), rtnl_route_get_dst(b))
            && (any_table
                || rtnl_route_get_table(a) == rtnl_route_get_table(b)));
}

static struct cni_error *
check_routes(struct container *c, const struct cni_link *link,
             const struct cni_result *result)
{
    struct cni_error *error = NULL;
    struct nl_cache *cache;
    int retval = rtnl_route_alloc_cache(c->sock, AF_UNSPEC, 0, &cache);

    if (retval) {
        return cni_error(CNI_LINK, "cannot list the routes of %s: %s",
                         link->netns, nl_geterror(retval));
    }
    for (size_t i = 0; i < result->n_routes && !error; i++) {
        const struct cni_route *route = &result->routes[i];
        struct rtnl_route *wanted;
        bool found = false;

        error = make_route(c, result, route, &wanted);
        if (error) {
            break;
        }
        for (struct nl_object *object = nl_cache_get_first(cache);
             object && !found; object = nl_cache_get_next(object)) {
            found = same_route(wanted, (struct rtnl_route *) object,
                               route->table < 0);
        }
        rtnl_route_put(wanted);
        if (!found) {
            error = cni_error(CNI_CHECK, "%s has lost its route to %s",
                              link->netns, route->dst);
        }
    }
    nl_cache_free(cache);
    return error;
}

/* Is the container's end as ADD made it? */
struct cni_error *
cni_link_check(const struct cni_link *link, const struct cni_config *config,
               const struct cni_result *result)
{
    struct container c;
    struct cni_error *error = enter(link, &c);

    if (error) {
        error->code = CNI_CHECK;
        return error;
    }
    if (!(rtnl_link_get_flags(c.link) & IFF_UP)) {
        error = cni_error(CNI_CHECK, "%s in %s is down", link->ifname,
                          link->netns);
    } else if (config->mtu && rtnl_link_get_mtu(c.link) != config->mtu) {
        error = cni_error(CNI_CHECK, "the MTU of %s in %s is %u instead of "
                          "%d", link->ifname, link->netns,
                          rtnl_link_get_mtu(c.link), config->mtu);
    }
    if (!error) {
        error = check_addrs(&c, link, result);
    }
    if (!error) {
        error = check_routes(&c, link, result);
    }
    leave(&c);
    return error;
}

/* SPDX-License-Identifier: Apache-2.0 */

/* OpenFlow rules of one container: see cni-flows.h. */

#include <config.h>

#include "cni-flows.h"

#include <stdlib.h>
#include <string.h>

#include "cni-config.h"
#include "cni-error.h"
#include "cni-result.h"
#include "openvswitch/dynamic-string.h"
#include "openvswitch/list.h"
#include "openvswitch/ofp-errors.h"
#include "openvswitch/ofp-flow.h"
#include "openvswitch/ofp-msgs.h"
#include "openvswitch/ofp-util.h"
#include "openvswitch/ofpbuf.h"
#include "openvswitch/vconn.h"
#include "packets.h"
#include "util.h"

/* What a flow that is only checked has in place of what is not known yet. */
#define ANY_MAC "02:00:00:00:00:01"
#define ANY_IP "10.0.0.1"
#define ANY_IP6 "fd00::1"

struct placeholder {
    const char *name;
    const char *value;          /* NULL if there is none. */
};

/* Appends 'flow' to 'ds', with the values of 'placeholders'. */
static struct cni_error *
substitute(const char *flow, const struct placeholder *placeholders, size_t n,
           struct ds *ds)
{
    while (*flow) {
        size_t i;

        for (i = 0; i < n; i++) {
            size_t len = strlen(placeholders[i].name);

            if (!strncmp(flow, placeholders[i].name, len)) {
                if (!placeholders[i].value) {
                    return cni_error(CNI_FLOWS, "flows use %s, but the "
                                     "container has no such address",
                                     placeholders[i].name);
                }
                ds_put_cstr(ds, placeholders[i].value);
                flow += len;
                break;
            }
        }
        if (i >= n) {
            ds_put_char(ds, *flow++);
        }
    }
    return NULL;
}

/* Parses 'flow', the element 'i' of "flows", into '*fm'.  Unless this fails,
 * the caller must free fm->ofpacts and minimatch_destroy(&fm->match). */
static struct cni_error *
parse_flow(const char *flow, size_t i, const struct placeholder *placeholders,
           size_t n, struct ofputil_flow_mod *fm)
{
    enum ofputil_protocol usable;
    struct ds ds = DS_EMPTY_INITIALIZER;
    struct cni_error *error = substitute(flow, placeholders, n, &ds);

    if (!error) {
        char *message = parse_ofp_flow_mod_str(fm, ds_cstr(&ds), NULL, NULL,
                                               OFPFC_ADD, &usable);
        if (message) {
            error = cni_error(CNI_BAD_CONFIG, "flows[%"PRIuSIZE"] is no "
                              "OpenFlow rule: %s", i, message);
            free(message);
        }
    }
    ds_destroy(&ds);
    return error;
}

static void
destroy_flow(struct ofputil_flow_mod *fm)
{
    free(CONST_CAST(struct ofpact *, fm->ofpacts));
    minimatch_destroy(&fm->match);
}

/* Are all flows well-formed? */
struct cni_error *
cni_flows_check(const struct cni_config *config)
{
    static const struct placeholder any[] = {
        { "{port}", "1" },
        { "{mac}", ANY_MAC },
        { "{ip}", ANY_IP },
        { "{ip6}", ANY_IP6 },
    };
    struct cni_error *error = NULL;

    for (size_t i = 0; i < config->n_flows && !error; i++) {
        struct ofputil_flow_mod fm;

        error = parse_flow(config->flows[i], i, any, ARRAY_SIZE(any), &fm);
        if (!error) {
            destroy_flow(&fm);
        }
    }
    return error;
}

/* Connects to the bridge of 'config': its socket is beside the database's. */
static struct cni_error *
connect_bridge(const struct cni_config *config, struct vconn **vconn)
{
    const char *slash = strrchr(config->ovsdb, '/');
    uint32_t versions = (1u << OFP13_VERSION | 1u << OFP14_VERSION
                         | 1u << OFP15_VERSION);
    char *name = xasprintf("%.*s/%s.mgmt", (int) (slash - config->ovsdb),
                           config->ovsdb, config->bridge);
    struct cni_error *error = NULL;
    int retval;

    retval = vconn_open_block(name, versions, 0, config->timeout * 1000LL,
                              vconn);
    if (retval) {
        error = cni_error(CNI_FLOWS, "cannot connect to the bridge by "
                          "OpenFlow 1.3 or later at %s: %s", name,
                          ovs_retval_to_string(retval));
    }
    free(name);
    return error;
}

static struct ofpbuf *
encode(const struct vconn *vconn, const struct ofputil_flow_mod *fm)
{
    return ofputil_encode_flow_mod(
        fm, ofputil_protocol_from_ofp_version(vconn_get_version(vconn)));
}

/* Sends 'messages', which this consumes, and waits until all are done. */
static struct cni_error *
send_all(struct vconn *vconn, struct ovs_list *messages)
{
    struct ofpbuf *reply = NULL;
    struct cni_error *error = NULL;
    int retval = vconn_transact_multiple_noreply(vconn, messages, &reply);

    if (retval) {
        error = cni_error(CNI_FLOWS, "the bridge does not answer by "
                          "OpenFlow: %s", ovs_retval_to_string(retval));
    } else if (reply) {
        enum ofperr ofperr = ofperr_decode_msg(reply->data, NULL);

        error = cni_error(CNI_FLOWS, "the bridge refuses a rule of \"flows\": "
                          "%s", ofperr ? ofperr_get_name(ofperr)
                                       : "unexpected reply");
    }
    ofpbuf_delete(reply);
    return error;
}

static char *
address_only(const struct cni_ip *ip)
{
    return ip ? xmemdup0(ip->address, strcspn(ip->address, "/")) : NULL;
}

/* Adds the flows of 'config', for the port 'ofport' of the container that has
 * 'mac' and the addresses of 'result'. */
struct cni_error *
cni_flows_add(const struct cni_config *config, uint64_t cookie, int ofport,
              struct eth_addr mac, const struct cni_result *result)
{
    struct ovs_list messages = OVS_LIST_INITIALIZER(&messages);
    char *port = xasprintf("%d", ofport);
    char *mac_s = xasprintf(ETH_ADDR_FMT, ETH_ADDR_ARGS(mac));
    char *ip = address_only(cni_result_find_ip(result, false));
    char *ip6 = address_only(cni_result_find_ip(result, true));
    const struct placeholder values[] = {
        { "{port}", port },
        { "{mac}", mac_s },
        { "{ip}", ip },
        { "{ip6}", ip6 },
    };
    struct cni_error *error = NULL;
    struct vconn *vconn = NULL;

    if (config->n_flows) {
        error = connect_bridge(config, &vconn);
    }
    for (size_t i = 0; i < config->n_flows && !error; i++) {
        struct ofputil_flow_mod fm;

        error = parse_flow(config->flows[i], i, values, ARRAY_SIZE(values),
                           &fm);
        if (!error) {
            fm.new_cookie = htonll(cookie);
            ovs_list_push_back(&messages, &encode(vconn, &fm)->list_node);
            destroy_flow(&fm);
        }
    }
    if (!error && config->n_flows) {
        error = send_all(vconn, &messages);
    }
    ofpbuf_list_delete(&messages);
    vconn_close(vconn);
    free(port);
    free(mac_s);
    free(ip);
    free(ip6);
    return error;
}

/* Deletes all flows that have 'cookie'. */
struct cni_error *
cni_flows_del(const struct cni_config *config, uint64_t cookie)
{
    struct ovs_list messages = OVS_LIST_INITIALIZER(&messages);
    struct ofputil_flow_mod fm = {
        .priority = OFP_DEFAULT_PRIORITY,
        .cookie = htonll(cookie),
        .cookie_mask = OVS_BE64_MAX,
        .new_cookie = OVS_BE64_MAX,
        .table_id = OFPTT_ALL,
        .command = OFPFC_DELETE,
        .buffer_id = UINT32_MAX,
        .out_port = OFPP_ANY,
        .out_group = OFPG_ANY,
    };
    struct vconn *vconn;
    struct cni_error *error = connect_bridge(config, &vconn);

    if (error) {
        return error;
    }
    minimatch_init_catchall(&fm.match);
    ovs_list_push_back(&messages, &encode(vconn, &fm)->list_node);
    error = send_all(vconn, &messages);
    minimatch_destroy(&fm.match);
    vconn_close(vconn);
    return error;
}

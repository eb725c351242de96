/* SPDX-License-Identifier: Apache-2.0 */

/* From a flow of the datapath to one of ours: see afxdp-offload-put.h.
 *
 * Whatever the call that brings us here, what counts is what the flow of the
 * datapath matches and does now.  So it does not matter that a change arrives
 * twice, first from the thread that makes it and then from the offload
 * thread, nor that these two may be at it at the same time. */

#include <config.h>

#include "afxdp-offload-put.h"

#include <string.h>

#include "afxdp-dpif-flow.h"
#include "afxdp-flow-translate.h"
#include "afxdp-offload-flow.h"
#include "afxdp-offload-port.h"
#include "afxdp-offload.h"
#include "dpif-netdev-private-flow.h"
#include "netdev-offload.h"
#include "netdev-provider.h"
#include "openvswitch/match.h"
#include "openvswitch/vlog.h"
#include "util.h"

VLOG_DEFINE_THIS_MODULE(afxdp_offload_put);

static struct vlog_rate_limit rl = VLOG_RATE_LIMIT_INIT(5, 5);

uint64_t afxdp_offload_refused[AFXDP_N_REFUSALS];

/* A flow that is put. */
struct put {
    const ovs_u128 *ufid;       /* In struct dp_netdev_flow. */
    const struct netdev *netdev; /* Where it comes in, NULL if the flow must
                                  * be there already. */
    const char *dpif_type;
    const struct dp_netdev_actions *actions;
    struct afxdp_translation t;
    struct afxdp_offload_port *outputs[AFXDP_GROUP_PORTS]; /* Of 't'. */
};

/* Notes that a flow that comes in on 'port', if that is not NULL, was
 * refused. */
static void
count_refusal(const struct afxdp_offload_port *port,
              enum afxdp_refusal refusal)
    OVS_REQUIRES(afxdp_offload_mutex)
{
    static const char *const what[] = {
#define AFXDP_REFUSAL(ENUM, NAME, WHAT) [AFXDP_REFUSED_##ENUM] = WHAT,
        AFXDP_REFUSALS
#undef AFXDP_REFUSAL
    };

    const char *name = port ? port->name : "a port that is gone";

    afxdp_offload_refused[refusal]++;
    if (refusal >= AFXDP_REFUSED_FLOWS_FULL) {
        VLOG_WARN_RL(&rl, "%s: a flow stays in user space: %s", name,
                     what[refusal]);
    } else {
        VLOG_DBG("%s: a flow stays in user space: it %s", name,
                 what[refusal]);
    }
}

/* Finds the ports that the translation outputs to, and takes a reference to
 * each.  Called by netdev_ports_traverse() for each port of the datapath. */
static bool
find_output(struct netdev *netdev, odp_port_t port_no, void *put_)
{
    struct put *put = put_;

    for (size_t i = 0; i < put->t.n_outputs; i++) {
        if (put->t.outputs[i] == port_no) {
            struct afxdp_offload_port *port;

            ovs_mutex_lock(&afxdp_offload_mutex);
            port = afxdp_offload_port_find(netdev);
            if (port) {
                afxdp_offload_port_ref(port);
            }
            ovs_mutex_unlock(&afxdp_offload_mutex);
            put->outputs[i] = port;
        }
    }
    return false;
}

static void
find_outputs(struct put *put)
{
    memset(put->outputs, 0, put->t.n_outputs * sizeof *put->outputs);
    if (put->t.n_outputs) {
        netdev_ports_traverse(put->dpif_type, find_output, put);
    }
}

static void
unref_outputs(struct put *put)
    OVS_REQUIRES(afxdp_offload_mutex)
{
    for (size_t i = 0; i < put->t.n_outputs; i++) {
        if (put->outputs[i]) {
            afxdp_offload_port_unref(put->outputs[i]);
        }
    }
}

static enum afxdp_refusal
check_outputs(const struct put *put)
    OVS_REQUIRES(afxdp_offload_mutex)
{
    for (size_t i = 0; i < put->t.n_outputs; i++) {
        if (!put->outputs[i] || !put->outputs[i]->enabled) {
            return AFXDP_REFUSED_OUT_PORT;
        }
    }
    return AFXDP_TAKEN;
}

/* Makes our flow of 'put', which was translated or led to 'refusal', what the
 * translation says. */
static enum afxdp_refusal
finish(struct put *put, enum afxdp_refusal refusal)
    OVS_REQUIRES(afxdp_offload_mutex)
{
    struct afxdp_offload_flow *flow = afxdp_offload_flow_find(put->ufid);
    struct afxdp_offload_port *port;

    if (flow ? flow->deleted || flow->actions == put->actions
        : !put->netdev) {
        return AFXDP_TAKEN;
    }
    port = flow ? flow->port : afxdp_offload_port_find(put->netdev);
    if (!port || !port->enabled) {
        refusal = AFXDP_REFUSED_PORT_OFF;
    }
    if (!refusal) {
        refusal = check_outputs(put);
    }
    if (!refusal) {
        if (!flow) {
            afxdp_dpif_flow_make_unique(put->ufid);
        }
        refusal = afxdp_offload_flow_put(port, put->ufid, &put->t,
                                         put->outputs);
        flow = afxdp_offload_flow_find(put->ufid);
    }
    if (refusal) {
        count_refusal(port, refusal);
    }
    if (flow) {
        if (refusal) {
            afxdp_offload_flow_take_out(flow);
        }
        flow->actions = put->actions;
    }

    /* If dpif-netdev took a flow that was there for deleted, it would not ask
     * for what has been counted so far. */
    return flow ? AFXDP_TAKEN : refusal;
}

/* Translates the flow of 'put' and finishes it. */
static enum afxdp_refusal
run(struct put *put)
{
    enum afxdp_refusal match_refusal, refusal;
    struct match match;
    bool done;

    afxdp_dpif_flow_match(put->ufid, &match);
    match_refusal = afxdp_translate_match(&match, &put->t);
    do {
        put->actions = afxdp_dpif_flow_actions(put->ufid);
        put->t.n_outputs = 0;
        refusal = (match_refusal ? match_refusal
                   : afxdp_translate_actions(put->actions->actions,
                                             put->actions->size, &put->t));
        if (refusal) {
            put->t.n_outputs = 0;
        }
        find_outputs(put);

        ovs_mutex_lock(&afxdp_offload_mutex);
        done = put->actions == afxdp_dpif_flow_actions(put->ufid);
        if (done) {
            refusal = finish(put, refusal);
        }
        unref_outputs(put);
        ovs_mutex_unlock(&afxdp_offload_mutex);
    } while (!done);
    return refusal;
}

/* Puts the flow of the datapath whose member 'mega_ufid' is, and whose packets
 * come in on 'netdev', into the kernel's table, or makes the table follow its
 * actions.  Returns why a new flow was refused. */
enum afxdp_refusal
afxdp_offload_put(const struct netdev *netdev, const ovs_u128 *mega_ufid)
{
    struct put *put = xmalloc(sizeof *put);
    enum afxdp_refusal refusal;

    put->ufid = mega_ufid;
    put->netdev = netdev;
    put->dpif_type = netdev_get_dpif_type(netdev);
    refusal = run(put);
    free(put);
    return refusal;
}

/* The flow of the datapath whose member 'mega_ufid' is has other actions now.
 * Makes the kernel's table follow, if the flow is there. */
void
afxdp_offload_flow_changed(const ovs_u128 *mega_ufid)
{
    const struct afxdp_offload_flow *flow;
    const char *dpif_type = NULL;
    struct put *put;

    ovs_mutex_lock(&afxdp_offload_mutex);
    flow = afxdp_offload_flow_find(mega_ufid);
    if (flow) {
        dpif_type = netdev_get_dpif_type(flow->port->netdev);
    }
    ovs_mutex_unlock(&afxdp_offload_mutex);

    if (dpif_type) {
        put = xmalloc(sizeof *put);
        put->ufid = mega_ufid;
        put->netdev = NULL;
        put->dpif_type = dpif_type;
        run(put);
        free(put);
    }
}

/* The flow of the datapath whose member 'mega_ufid' is has been deleted.
 * Takes it out of the kernel's table, if it is there. */
void
afxdp_offload_flow_deleted(const ovs_u128 *mega_ufid)
{
    struct afxdp_offload_flow *flow;

    ovs_mutex_lock(&afxdp_offload_mutex);
    flow = afxdp_offload_flow_find(mega_ufid);
    if (flow) {
        flow->deleted = true;
        afxdp_offload_flow_take_out(flow);
    }
    ovs_mutex_unlock(&afxdp_offload_mutex);
}

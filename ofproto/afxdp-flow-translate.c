/* SPDX-License-Identifier: Apache-2.0 */

/* Translation of megaflows: see afxdp-flow-translate.h. */

#include <config.h>

#include "afxdp-flow-translate.h"

#include <netinet/in.h>
#include <netinet/icmp6.h>
#include <string.h>

#include "flow.h"
#include "netlink.h"
#include "odp-netlink.h"
#include "openvswitch/match.h"
#include "packets.h"
#include "util.h"

/* The match on its way into a key. */
struct match_state {
    const struct flow *flow;
    struct flow left;           /* Mask bits not dealt with yet. */
    struct afxdp_flow_key key;  /* Masked. */
    struct afxdp_flow_key mask;
};

/* Moves FIELD of the match into KEY_FIELD of the key. */
#define TAKE(STATE, FIELD, KEY_FIELD)                                        \
    do {                                                                     \
        BUILD_ASSERT(sizeof (STATE)->left.FIELD                              \
                     == sizeof (STATE)->key.KEY_FIELD);                      \
        take_bytes(&(STATE)->flow->FIELD, &(STATE)->left.FIELD,              \
                   &(STATE)->key.KEY_FIELD, &(STATE)->mask.KEY_FIELD,        \
                   sizeof (STATE)->left.FIELD);                              \
    } while (0)

static void
take_bytes(const void *flow_, void *left_, void *key_, void *mask_, size_t n)
{
    const uint8_t *flow = flow_;
    uint8_t *left = left_;
    uint8_t *mask = mask_;
    uint8_t *key = key_;

    for (size_t i = 0; i < n; i++) {
        mask[i] = left[i];
        key[i] = flow[i] & left[i];
        left[i] = 0;
    }
}

/* Do the 'n' bytes of 'flow' have to be other than zero, where 'mask' has bits
 * set? */
static bool
wants_nonzero(const void *flow_, const void *mask_, size_t n)
{
    const uint8_t *flow = flow_;
    const uint8_t *mask = mask_;

    for (size_t i = 0; i < n; i++) {
        if (flow[i] & mask[i]) {
            return true;
        }
    }
    return false;
}

#define WANTS(STATE, FIELD)                                                  \
    wants_nonzero(&(STATE)->flow->FIELD, &(STATE)->left.FIELD,               \
                  sizeof (STATE)->left.FIELD)

/* Checks what a packet carries along with it from an earlier pass.  A fresh
 * one has nothing but zeros there. */
static enum afxdp_refusal
check_metadata(const struct match_state *s)
{
    if (WANTS(s, recirc_id)) {
        return AFXDP_REFUSED_RECIRC;
    }
    if (WANTS(s, tunnel)) {
        return AFXDP_REFUSED_TUNNEL;
    }
    if (WANTS(s, ct_state) || WANTS(s, ct_zone) || WANTS(s, ct_mark)
        || WANTS(s, ct_label) || WANTS(s, ct_nw_proto)
        || WANTS(s, ct_nw_src) || WANTS(s, ct_nw_dst)
        || WANTS(s, ct_ipv6_src) || WANTS(s, ct_ipv6_dst)
        || WANTS(s, ct_tp_src) || WANTS(s, ct_tp_dst)) {
        return AFXDP_REFUSED_CT;
    }
    if (WANTS(s, dp_hash) || WANTS(s, pkt_mark) || WANTS(s, skb_priority)) {
        return AFXDP_REFUSED_METADATA;
    }
    return AFXDP_TAKEN;
}

/* The parser knows packets without a tag and packets with one of type 0x8100,
 * and the tag's CFI bit tells them apart, in 'struct flow' as in the key. */
static enum afxdp_refusal
take_vlan(struct match_state *s)
{
    ovs_be16 tpid_mask = s->left.vlans[0].tpid;
    ovs_be16 tpid = s->flow->vlans[0].tpid & tpid_mask;

    TAKE(s, vlans[0].tci, vlan_tci);
    if (tpid_mask) {
        bool tagged = (s->key.vlan_tci & htons(VLAN_CFI)) != 0;
        ovs_be16 have = tagged ? htons(ETH_TYPE_VLAN_8021Q) : htons(0);

        if (!(s->mask.vlan_tci & htons(VLAN_CFI))
            || tpid != (have & tpid_mask)) {
            return AFXDP_REFUSED_VLAN;
        }
        s->left.vlans[0].tpid = 0;
    }
    return WANTS(s, vlans[1]) ? AFXDP_REFUSED_VLAN : AFXDP_TAKEN;
}

/* Would the flow match only packets of a protocol that the parser does not
 * know? */
static bool
is_unknown_protocol(const struct match_state *s, bool ip6)
{
    uint8_t proto = s->flow->nw_proto;

    if (s->left.nw_proto != 0xff) {
        return false;
    }
    switch (proto) {
    case IPPROTO_ICMP:
        return ip6;
    case IPPROTO_IGMP:
        return true;
    case IPPROTO_ICMPV6: {
        uint16_t type = ntohs(s->flow->tp_src);

        return (!ip6
                || ((s->left.tp_src & htons(0xff)) == htons(0xff)
                    && (type == ND_NEIGHBOR_SOLICIT
                        || type == ND_NEIGHBOR_ADVERT)));
    }
    case IPPROTO_HOPOPTS:
    case IPPROTO_ROUTING:
    case IPPROTO_FRAGMENT:
    case IPPROTO_AH:
    case IPPROTO_DSTOPTS:
    case IPPROTO_MH:
        return ip6;
    default:
        return false;
    }
}

/* Takes what IPv4 and IPv6 have in common. */
static enum afxdp_refusal
take_ip(struct match_state *s, bool ip6)
{
    uint8_t frag = s->flow->nw_frag & s->left.nw_frag;

    if (frag & (ip6 ? FLOW_NW_FRAG_MASK : FLOW_NW_FRAG_LATER)) {
        return AFXDP_REFUSED_FRAGMENT;
    }
    if (is_unknown_protocol(s, ip6)) {
        return AFXDP_REFUSED_PROTOCOL;
    }
    TAKE(s, nw_proto, proto);
    TAKE(s, nw_tos, tos);
    TAKE(s, nw_ttl, ttl);
    TAKE(s, nw_frag, frag);
    TAKE(s, tp_src, tp_src);
    TAKE(s, tp_dst, tp_dst);
    TAKE(s, tcp_flags, tcp_flags);
    return AFXDP_TAKEN;
}

static enum afxdp_refusal
take_l3(struct match_state *s)
{
    if (s->left.dl_type != OVS_BE16_MAX) {
        return AFXDP_REFUSED_ETH_TYPE;
    }
    TAKE(s, dl_type, eth_type);
    switch (ntohs(s->flow->dl_type)) {
    case ETH_TYPE_IP:
        TAKE(s, nw_src, ip4.src);
        TAKE(s, nw_dst, ip4.dst);
        return take_ip(s, false);

    case ETH_TYPE_IPV6:
        TAKE(s, ipv6_src, ip6.src);
        TAKE(s, ipv6_dst, ip6.dst);
        TAKE(s, ipv6_label, ip6_label);
        return take_ip(s, true);

    case ETH_TYPE_ARP:
        TAKE(s, nw_src, arp.spa);
        TAKE(s, nw_dst, arp.tpa);
        TAKE(s, arp_sha, arp.sha);
        TAKE(s, arp_tha, arp.tha);
        TAKE(s, nw_proto, proto);
        return AFXDP_TAKEN;

    default:
        return AFXDP_REFUSED_ETH_TYPE;
    }
}

/* Checks the mask bits of all fields that were not taken. */
static enum afxdp_refusal
check_rest(const struct match_state *s)
{
    return (wants_nonzero(s->flow, &s->left, sizeof s->left)
            ? AFXDP_REFUSED_FIELD : AFXDP_TAKEN);
}

static void
store_key(const struct match_state *s, struct afxdp_translation *t)
{
    BUILD_ASSERT(sizeof s->key == sizeof t->words);
    BUILD_ASSERT(sizeof s->mask == sizeof t->mask.bits);
    memcpy(t->words, &s->key, sizeof t->words);
    memcpy(t->mask.bits, &s->mask, sizeof t->mask.bits);
    t->mask.used = 0;
    for (int w = 0; w < AFXDP_FLOW_WORDS; w++) {
        if (t->mask.bits[w]) {
            t->mask.used |= UINT64_C(1) << w;
        }
    }
}

/* Translates the megaflow 'match' into the key and mask of '*t'.  Returns
 * AFXDP_TAKEN, or else why it has to stay in user space. */
enum afxdp_refusal
afxdp_translate_match(const struct match *match, struct afxdp_translation *t)
{
    struct match_state state;
    struct match_state *s = &state;
    enum afxdp_refusal refusal;

    memset(s, 0, sizeof *s);
    s->flow = &match->flow;
    s->left = match->wc.masks;

    /* The table is one of this port only. */
    memset(&s->left.in_port, 0, sizeof s->left.in_port);

    refusal = check_metadata(s);
    if (!refusal) {
        TAKE(s, dl_dst, eth_dst);
        TAKE(s, dl_src, eth_src);
        refusal = take_vlan(s);
    }
    if (!refusal) {
        refusal = take_l3(s);
    }
    if (!refusal) {
        refusal = check_rest(s);
    }
    store_key(s, t);
    return refusal;
}

/* The actions on their way. */
struct action_state {
    struct afxdp_flow_key key;  /* Of the flow. */
    struct afxdp_flow_key mask;
    struct afxdp_translation *t;
};

/* Changes those bits of 'value' and 'mask' that 'new_mask' has set (all of
 * them if it is null) to those of 'new', as a later action does after an
 * earlier one.  Returns true if there are such bits. */
static bool
merge(void *value_, void *mask_, const void *new_, const void *new_mask_,
      size_t n)
{
    const uint8_t *new_mask = new_mask_;
    const uint8_t *new = new_;
    uint8_t *value = value_;
    uint8_t *mask = mask_;
    bool any = false;

    for (size_t i = 0; i < n; i++) {
        uint8_t m = new_mask ? new_mask[i] : 0xff;

        value[i] = (value[i] & ~m) | (new[i] & m);
        mask[i] |= m;
        any = any || m;
    }
    return any;
}

#define MERGE(ACTIONS, FIELD, NEW, NEW_MASK, NEW_FIELD)                      \
    merge(&(ACTIONS)->FIELD, &(ACTIONS)->FIELD##_mask, &(NEW)->NEW_FIELD,    \
          (NEW_MASK) ? &(NEW_MASK)->NEW_FIELD : NULL,                        \
          sizeof (NEW)->NEW_FIELD)

/* Does the flow match only packets of IP protocol 'proto'? */
static bool
is_proto(const struct action_state *s, uint8_t proto)
{
    return (s->key.eth_type != htons(ETH_TYPE_ARP)
            && s->mask.proto == 0xff && s->key.proto == proto);
}

static bool
is_eth_type(const struct action_state *s, uint16_t type)
{
    return s->key.eth_type == htons(type);
}

static void
set_ethernet(struct afxdp_flow_actions *act,
             const struct ovs_key_ethernet *key,
             const struct ovs_key_ethernet *mask)
{
    bool any = merge(act->eth, act->eth_mask, &key->eth_dst,
                     mask ? &mask->eth_dst : NULL, ETH_ADDR_LEN);

    any |= merge(act->eth + ETH_ADDR_LEN, act->eth_mask + ETH_ADDR_LEN,
                 &key->eth_src, mask ? &mask->eth_src : NULL, ETH_ADDR_LEN);
    if (any) {
        act->flags |= AFXDP_ACT_ETH;
    }
}

static void
set_ipv4(struct afxdp_flow_actions *act, const struct ovs_key_ipv4 *key,
         const struct ovs_key_ipv4 *mask)
{
    bool any = MERGE(act, ip4.src, key, mask, ipv4_src);

    any |= MERGE(act, ip4.dst, key, mask, ipv4_dst);
    any |= MERGE(act, tos, key, mask, ipv4_tos);
    any |= MERGE(act, ttl, key, mask, ipv4_ttl);
    if (any) {
        act->flags |= AFXDP_ACT_IP4;
    }
}

static enum afxdp_refusal
set_ipv6(struct afxdp_flow_actions *act, const struct ovs_key_ipv6 *key,
         const struct ovs_key_ipv6 *mask)
{
    bool any;

    if (!mask || mask->ipv6_label) {
        return AFXDP_REFUSED_ACT_SET;
    }
    any = MERGE(act, ip6.src, key, mask, ipv6_src);
    any |= MERGE(act, ip6.dst, key, mask, ipv6_dst);
    any |= MERGE(act, tos, key, mask, ipv6_tclass);
    any |= MERGE(act, ttl, key, mask, ipv6_hlimit);
    if (any) {
        act->flags |= AFXDP_ACT_IP6;
    }
    return AFXDP_TAKEN;
}

/* The structures for TCP and for UDP are alike. */
BUILD_ASSERT_DECL(sizeof(struct ovs_key_tcp) == sizeof(struct ovs_key_udp));

static void
set_ports(struct afxdp_flow_actions *act, const struct ovs_key_tcp *key,
          const struct ovs_key_tcp *mask)
{
    bool any = MERGE(act, tp_src, key, mask, tcp_src);

    any |= MERGE(act, tp_dst, key, mask, tcp_dst);
    if (any) {
        act->flags |= AFXDP_ACT_TP;
    }
}

/* Translates a set action of the field in 'a', with a mask behind the value if
 * 'masked'. */
static enum afxdp_refusal
translate_set(struct action_state *s, const struct nlattr *a, bool masked)
{
    struct afxdp_flow_actions *act = &s->t->actions;
    const uint8_t *key = nl_attr_get(a);
    const void *mask = masked ? key + nl_attr_get_size(a) / 2 : NULL;
    uint16_t type = nl_attr_type(a);

    if (type == OVS_KEY_ATTR_ETHERNET) {
        set_ethernet(act, (const void *) key, mask);
    } else if (type == OVS_KEY_ATTR_IPV4 && is_eth_type(s, ETH_TYPE_IP)) {
        set_ipv4(act, (const void *) key, mask);
    } else if (type == OVS_KEY_ATTR_IPV6 && is_eth_type(s, ETH_TYPE_IPV6)) {
        return set_ipv6(act, (const void *) key, mask);
    } else if ((type == OVS_KEY_ATTR_TCP && is_proto(s, IPPROTO_TCP))
               || (type == OVS_KEY_ATTR_UDP && is_proto(s, IPPROTO_UDP))) {
        set_ports(act, (const void *) key, mask);
    } else {
        return AFXDP_REFUSED_ACT_SET;
    }
    return AFXDP_TAKEN;
}

static enum afxdp_refusal
translate_push_vlan(struct action_state *s,
                    const struct ovs_action_push_vlan *vlan)
{
    struct afxdp_flow_actions *act = &s->t->actions;

    if (vlan->vlan_tpid != htons(ETH_TYPE_VLAN_8021Q)
        || act->flags & AFXDP_ACT_VLAN_PUSH) {
        return AFXDP_REFUSED_ACT_VLAN;
    }
    act->flags |= AFXDP_ACT_VLAN_PUSH;
    act->vlan_tci = vlan->vlan_tci & htons(~VLAN_CFI);
    return AFXDP_TAKEN;
}

/* Popping a tag that the packet does not have does nothing. */
static enum afxdp_refusal
translate_pop_vlan(struct action_state *s)
{
    struct afxdp_flow_actions *act = &s->t->actions;

    if (act->flags & AFXDP_ACT_VLAN_PUSH) {
        act->flags &= ~AFXDP_ACT_VLAN_PUSH;
        act->vlan_tci = 0;
    } else if (!(s->mask.vlan_tci & htons(VLAN_CFI))) {
        return AFXDP_REFUSED_ACT_VLAN;
    } else if (s->key.vlan_tci & htons(VLAN_CFI)) {
        act->flags |= AFXDP_ACT_VLAN_POP;
    }
    return AFXDP_TAKEN;
}

static enum afxdp_refusal
translate_output(struct action_state *s, odp_port_t port)
{
    struct afxdp_translation *t = s->t;

    for (size_t i = 0; i < t->n_outputs; i++) {
        if (t->outputs[i] == port) {
            return AFXDP_REFUSED_ACT_OUTPUTS;
        }
    }
    if (t->n_outputs >= ARRAY_SIZE(t->outputs)) {
        return AFXDP_REFUSED_ACT_OUTPUTS;
    }
    t->outputs[t->n_outputs++] = port;
    return AFXDP_TAKEN;
}

/* Returns the reason why the action of the given 'type' is refused. */
static enum afxdp_refusal
refuse_action(enum ovs_action_attr type)
{
    switch ((int) type) {
    case OVS_ACTION_ATTR_USERSPACE:
        return AFXDP_REFUSED_ACT_USERSPACE;
    case OVS_ACTION_ATTR_CT:
        return AFXDP_REFUSED_ACT_CT;
    case OVS_ACTION_ATTR_RECIRC:
    case OVS_ACTION_ATTR_HASH:
        return AFXDP_REFUSED_ACT_RECIRC;
    case OVS_ACTION_ATTR_TUNNEL_PUSH:
    case OVS_ACTION_ATTR_TUNNEL_POP:
        return AFXDP_REFUSED_ACT_TUNNEL;
    default:
        return AFXDP_REFUSED_ACT_OTHER;
    }
}

static enum afxdp_refusal
translate_action(struct action_state *s, const struct nlattr *a)
{
    enum ovs_action_attr type = nl_attr_type(a);

    if (type == OVS_ACTION_ATTR_OUTPUT) {
        return translate_output(s, nl_attr_get_odp_port(a));
    }
    if (s->t->n_outputs) {
        return AFXDP_REFUSED_ACT_ORDER;
    }
    switch ((int) type) {
    case OVS_ACTION_ATTR_SET:
        return translate_set(s, nl_attr_get(a), false);
    case OVS_ACTION_ATTR_SET_MASKED:
        return translate_set(s, nl_attr_get(a), true);
    case OVS_ACTION_ATTR_PUSH_VLAN:
        return translate_push_vlan(s, nl_attr_get(a));
    case OVS_ACTION_ATTR_POP_VLAN:
        return translate_pop_vlan(s);
    case OVS_ACTION_ATTR_CT_CLEAR:
        /* There is nothing to clear yet. */
        return AFXDP_TAKEN;
    default:
        return refuse_action(type);
    }
}

/* Translates the actions of a flow, the 'actions_len' bytes of Netlink
 * attributes that the datapath would carry out, into those of '*t', whose key
 * and mask are the flow's.  Returns AFXDP_TAKEN, or else why the flow has to
 * stay in user space. */
enum afxdp_refusal
afxdp_translate_actions(const struct nlattr *actions, size_t actions_len,
                        struct afxdp_translation *t)
{
    struct action_state s = { .t = t };
    const struct nlattr *a;
    size_t left;

    memcpy(&s.key, t->words, sizeof s.key);
    memcpy(&s.mask, t->mask.bits, sizeof s.mask);
    memset(&t->actions, 0, sizeof t->actions);
    t->n_outputs = 0;

    NL_ATTR_FOR_EACH (a, left, actions, actions_len) {
        enum afxdp_refusal refusal;

        if (nl_attr_type(a) == OVS_ACTION_ATTR_DROP && !t->n_outputs) {
            break;
        }
        refusal = translate_action(&s, a);
        if (refusal) {
            return refusal;
        }
    }
    if (!t->n_outputs) {
        /* Nobody sees what was changed. */
        memset(&t->actions, 0, sizeof t->actions);
    }
    return AFXDP_TAKEN;
}

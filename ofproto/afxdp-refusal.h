/* SPDX-License-Identifier: Apache-2.0 */

/* Why a flow stays in user space: one list of reasons, each counted and shown
 * by "ovs-appctl afxdp/offload". */

#ifndef AFXDP_REFUSAL_H
#define AFXDP_REFUSAL_H 1

/* AFXDP_REFUSAL(ENUM, NAME, WHAT) */
#define AFXDP_REFUSALS                                                       \
    /* What the flow matches. */                                             \
    AFXDP_REFUSAL(RECIRC, "recirculated",                                    \
                  "matches packets in a second pass (recirc_id)")            \
    AFXDP_REFUSAL(TUNNEL, "tunnel",                                          \
                  "matches packets that came out of a tunnel")               \
    AFXDP_REFUSAL(CT, "conntrack",                                           \
                  "matches what connection tracking found")                  \
    AFXDP_REFUSAL(METADATA, "metadata",                                      \
                  "matches a hash, mark or priority")                        \
    AFXDP_REFUSAL(ETH_TYPE, "eth-type",                                      \
                  "matches neither IPv4, IPv6 nor ARP")                      \
    AFXDP_REFUSAL(VLAN, "vlan",                                              \
                  "matches a second VLAN tag, or one that is not 802.1Q")    \
    AFXDP_REFUSAL(FRAGMENT, "fragment",                                      \
                  "matches later fragments, or fragments of IPv6")           \
    AFXDP_REFUSAL(PROTOCOL, "ip-protocol",                                   \
                  "matches IGMP, neighbour discovery or extension headers")  \
    AFXDP_REFUSAL(FIELD, "match-field",                                      \
                  "matches another field that XDP does not look at")         \
    /* What its actions do. */                                               \
    AFXDP_REFUSAL(ACT_USERSPACE, "act-userspace",                            \
                  "sends packets to ovs-vswitchd")                           \
    AFXDP_REFUSAL(ACT_CT, "act-ct",                                          \
                  "tracks connections")                                      \
    AFXDP_REFUSAL(ACT_RECIRC, "act-recirc",                                  \
                  "sends packets through the flow table again")              \
    AFXDP_REFUSAL(ACT_TUNNEL, "act-tunnel",                                  \
                  "puts packets into a tunnel or takes them out")            \
    AFXDP_REFUSAL(ACT_SET, "act-set",                                        \
                  "changes a field that XDP does not change")                \
    AFXDP_REFUSAL(ACT_VLAN, "act-vlan",                                      \
                  "pushes two VLAN tags, or one that is not 802.1Q")         \
    AFXDP_REFUSAL(ACT_ORDER, "act-order",                                    \
                  "changes packets after the first output")                  \
    AFXDP_REFUSAL(ACT_OUTPUTS, "act-outputs",                                \
                  "outputs twice to one port, or to too many")               \
    AFXDP_REFUSAL(ACT_OTHER, "act-other",                                    \
                  "samples, meters, clones, truncates and so on")            \
    AFXDP_REFUSAL(OUT_PORT, "output-port",                                   \
                  "outputs to a port that is not of type afxdp")             \
    /* Where it comes in. */                                                 \
    AFXDP_REFUSAL(PORT_OFF, "port-off",                                      \
                  "comes in on a port that is being removed")                \
    /* Limits. */                                                            \
    AFXDP_REFUSAL(FLOWS_FULL, "flows-full",                                  \
                  "the table has no room for more flows")                    \
    AFXDP_REFUSAL(BUCKET_FULL, "bucket-full",                                \
                  "the table's bucket of this flow is full")                 \
    AFXDP_REFUSAL(MASKS_FULL, "masks-full",                                  \
                  "there are too many different masks")                      \
    AFXDP_REFUSAL(PORT_MASKS_FULL, "port-masks-full",                        \
                  "its port has too many different masks")                   \
    AFXDP_REFUSAL(GROUPS_FULL, "groups-full",                                \
                  "there are too many different sets of output ports")       \
    AFXDP_REFUSAL(KERNEL, "kernel",                                          \
                  "the kernel refused an update of the table")

enum afxdp_refusal {
    AFXDP_TAKEN,                /* Not refused. */
#define AFXDP_REFUSAL(ENUM, NAME, WHAT) AFXDP_REFUSED_##ENUM,
    AFXDP_REFUSALS
#undef AFXDP_REFUSAL
    AFXDP_N_REFUSALS
};

#endif /* afxdp-refusal.h */

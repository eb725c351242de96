/* SPDX-License-Identifier: Apache-2.0 */

/* From a megaflow and its datapath actions to what the XDP program looks up
 * and does (bpf/afxdp-flow.h).
 *
 * A flow is taken only if the XDP program then does with each packet exactly
 * what user space would have done:
 *
 *   - A field that the key does not have is the same for every packet that the
 *     XDP program parses: 0, or for the tag's type 0x8100.  Matching that
 *     value adds nothing, and any other value refuses the flow.  So the flows
 *     of a second pass (recirc_id), of tunnels and of tracked connections stay
 *     in user space, while ct_state=-trk or ct_mark=0/0x2, which all packets
 *     on their first pass meet, do no harm.
 *
 *   - All actions that change the packet come before the first output.
 *
 * The functions have no side effects. */

#ifndef AFXDP_FLOW_TRANSLATE_H
#define AFXDP_FLOW_TRANSLATE_H 1

#include <stddef.h>
#include <stdint.h>

#include "afxdp-refusal.h"
#include "bpf/afxdp-flow.h"
#include "openvswitch/types.h"

struct match;
struct nlattr;

struct afxdp_translation {
    struct afxdp_flow_mask mask;
    uint64_t words[AFXDP_FLOW_WORDS]; /* Of the key, masked. */
    struct afxdp_flow_actions actions; /* 'out' is for the caller to fill in,
                                        * like the output flags. */
    size_t n_outputs;           /* 0: drop. */
    odp_port_t outputs[AFXDP_GROUP_PORTS];
};

enum afxdp_refusal afxdp_translate_match(const struct match *,
                                         struct afxdp_translation *);
enum afxdp_refusal afxdp_translate_actions(const struct nlattr *actions,
                                           size_t actions_len,
                                           struct afxdp_translation *);

#endif /* afxdp-flow-translate.h */

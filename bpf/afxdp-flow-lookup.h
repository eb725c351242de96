/* SPDX-License-Identifier: GPL-2.0 */

/* From the key of a packet to its flow. */

#ifndef AFXDP_FLOW_LOOKUP_H
#define AFXDP_FLOW_LOOKUP_H 1

#include "afxdp-flow-maps.h"
#include "afxdp-flow-parse.h"

/* Returns the hash of 'key' under 'mask'. */
static __always_inline __u64 hash_key(const __u64 *key, __u32 port,
				      __u32 mask_id,
				      const struct afxdp_flow_mask *mask)
{
	__u64 hash = afxdp_flow_hash_start(port, mask_id);
	__u64 used = mask->used;

#pragma unroll
	for (int w = 0; w < AFXDP_FLOW_WORDS; w++)
		if (used & 1 << w)
			hash = afxdp_flow_hash_add(hash,
						   key[w] & mask->bits[w]);
	return hash;
}

/* Is 'flow' the one of 'key' under 'mask'? */
static __always_inline bool flow_matches(const struct afxdp_flow_entry *flow,
					 const __u64 *key, __u32 port,
					 __u32 mask_id,
					 const struct afxdp_flow_mask *mask)
{
	__u64 used = mask->used;
	__u64 diff = 0;

	if (flow->port != port || flow->mask != mask_id)
		return false;
#pragma unroll
	for (int w = 0; w < AFXDP_FLOW_WORDS; w++)
		if (used & 1 << w)
			diff |= (key[w] & mask->bits[w]) ^ flow->words[w];
	return !diff;
}

/* Returns the number of the flow of 'key' under the mask 'mask_id' of 'port',
 * or -1 if there is none. */
static __always_inline int lookup_mask(const __u64 *key, __u32 port,
				       __u32 mask_id)
{
	struct afxdp_flow_bucket *bucket;
	struct afxdp_flow_mask *mask;
	struct afxdp_flow_entry *flow;
	__u32 index, tag, found = 0;
	bool any = false;
	__u64 hash;

	mask = bpf_map_lookup_elem(&masks, &mask_id);
	if (!mask)
		return -1;
	hash = hash_key(key, port, mask_id, mask);
	index = afxdp_flow_hash_bucket(hash);
	bucket = bpf_map_lookup_elem(&buckets, &index);
	if (!bucket)
		return -1;

	tag = afxdp_flow_hash_tag(hash);
#pragma unroll
	for (int i = 0; i < AFXDP_BUCKET_SLOTS; i++) {
		__u64 slot = *(volatile __u64 *)&bucket->slot[i];

		if (slot >> 32 == tag) {
			found = slot;
			any = true;
		}
	}
	if (!any)
		return -1;

	flow = bpf_map_lookup_elem(&flows, &found);
	if (!flow || !flow_matches(flow, key, port, mask_id, mask))
		return -1;
	return found;
}

/* Returns the number of the flow of packet 'p', which came in on 'port', or -1
 * if there is none.  A global function: the verifier looks at it once, not
 * anew for each way through the parser. */
__noinline int lookup_flow(const struct afxdp_flow_port *port,
			   const struct afxdp_packet *p)
{
	if (!port || !p)
		return -1;
	for (__u32 i = 0; i < AFXDP_MAX_PORT_MASKS; i++) {
		int flow;

		if (i >= port->n_masks)
			break;
		flow = lookup_mask(p->key, port->id, port->masks[i]);
		if (flow >= 0)
			return flow;
	}
	return -1;
}

#endif /* afxdp-flow-lookup.h */

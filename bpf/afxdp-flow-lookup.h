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
	__u64 masked[AFXDP_FLOW_WORDS];

#pragma unroll
	for (int w = 0; w < AFXDP_FLOW_WORDS; w++)
		masked[w] = key[w] & mask->bits[w];
	return afxdp_flow_hash(port, mask_id, mask->used, masked);
}

/* Is 'flow' the one of 'key' under 'mask'? */
static __always_inline bool flow_matches(const struct afxdp_flow_entry *flow,
					 const __u64 *key, __u32 port,
					 __u32 mask_id,
					 const struct afxdp_flow_mask *mask)
{
	__u64 diff = (flow->port ^ port) | (flow->mask ^ mask_id);

#pragma unroll
	for (int w = 0; w < AFXDP_FLOW_WORDS; w++)
		diff |= (key[w] & mask->bits[w]) ^ flow->words[w];
	return !diff;
}

/* Returns the highest bit of each of the four tags in 'tags' that equals 'tag',
 * perhaps with one that only looks like it behind one that does. */
static __always_inline __u64 find_tag(__u64 tags, __u64 tag)
{
	const __u64 ones = 0x0001000100010001ULL;
	__u64 diff = tags ^ tag * ones;

	return (diff - ones) & ~diff & ones << 15;
}

/* Returns the index, 0 to 3, of the tag whose highest bit is the lowest in
 * 'found', which is not 0.  Shifted by 16 times the index, the constant has the
 * index in its uppermost four bits. */
static __always_inline __u32 first_tag(__u64 found)
{
	__u64 lowest = found & -found;

	return (lowest >> 15) * (1ULL << 44 | 2ULL << 28 | 3ULL << 12) >> 60;
}

/* Returns the number of the flow of 'key' under the mask 'mask_id' of 'port',
 * or -1 if there is none. */
static __always_inline int lookup_mask(const __u64 *key, __u32 port,
				       __u32 mask_id)
{
	struct afxdp_flow_bucket *bucket;
	struct afxdp_flow_mask *mask;
	__u64 hash, low, high;
	__u32 index;

	mask = bpf_map_lookup_elem(&masks, &mask_id);
	if (!mask)
		return -1;
	hash = hash_key(key, port, mask_id, mask);
	index = afxdp_flow_hash_bucket(hash);
	bucket = bpf_map_lookup_elem(&buckets, &index);
	if (!bucket)
		return -1;

	low = find_tag(*(volatile __u64 *)&bucket->tags[0],
		       afxdp_flow_hash_tag(hash));
	high = find_tag(*(volatile __u64 *)&bucket->tags[1],
			afxdp_flow_hash_tag(hash));
	for (int i = 0; i < AFXDP_BUCKET_SLOTS && (low | high); i++) {
		struct afxdp_flow_entry *flow;
		__u32 slot, number;

		if (low) {
			slot = first_tag(low);
			low &= low - 1;
		} else {
			slot = 4 + first_tag(high);
			high &= high - 1;
		}
		number = *(volatile __u32 *)
			&bucket->flow[slot & (AFXDP_BUCKET_SLOTS - 1)];
		flow = bpf_map_lookup_elem(&flows, &number);
		if (flow && flow_matches(flow, key, port, mask_id, mask))
			return number;
	}
	return -1;
}

/* Returns the number of the flow of packet 'p', which came in on 'port', under
 * any mask of the port but the first, or -1 if there is none.  A global
 * function: the verifier looks at it once, not anew for each way through the
 * parser. */
__noinline int lookup_others(const struct afxdp_flow_port *port,
			     const struct afxdp_packet *p)
{
	if (!port || !p)
		return -1;
	for (__u32 i = 1; i < AFXDP_MAX_PORT_MASKS; i++) {
		int flow;

		if (i >= *(volatile __u8 *)&port->n_masks)
			break;
		flow = lookup_mask(p->key, port->id, port->masks[i]);
		if (flow >= 0)
			return flow;
	}
	return -1;
}

/* The same under all masks.  For the first one, where most packets find their
 * flow, it needs no call: that saves 9 ns. */
static __always_inline int lookup_flow(const struct afxdp_flow_port *port,
				       const struct afxdp_packet *p)
{
	int flow = lookup_mask(p->key, port->id, port->masks[0]);

	return flow >= 0 ? flow : lookup_others(port, p);
}

#endif /* afxdp-flow-lookup.h */

/* SPDX-License-Identifier: GPL-2.0 */

/* Maps of bpf/afxdp-flow.bpf.c, beside those of bpf/afxdp-ports.h. */

#ifndef AFXDP_FLOW_MAPS_H
#define AFXDP_FLOW_MAPS_H 1

#include "afxdp-ports.h"

/* Masks in use by any port. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, AFXDP_MAX_MASKS);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct afxdp_flow_mask);
} masks SEC(".maps");

/* The hash table of flows. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, AFXDP_BUCKETS);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct afxdp_flow_bucket);
} buckets SEC(".maps");

/* Flows, by number. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, AFXDP_MAX_FLOWS);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct afxdp_flow_entry);
} flows SEC(".maps");

/* Counters of flows, by number of the counter. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, AFXDP_MAX_FLOWS);
	__type(key, __u32);
	__type(value, struct afxdp_flow_counter);
} counters SEC(".maps");

/* What went to user space, by port id. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, AFXDP_MAX_PORTS);
	__type(key, __u32);
	__type(value, struct afxdp_flow_misses);
} misses SEC(".maps");

/* Devices to send packets of native mode to, by port id; none for a port that
 * cannot take them. */
struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, AFXDP_MAX_PORTS);
	__type(key, __u32);
	__type(value, __u32);
} targets SEC(".maps");

/* The same for packets of generic mode. */
struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, AFXDP_MAX_PORTS);
	__type(key, __u32);
	__type(value, __u32);
} targets_skb SEC(".maps");

/* Devices that a flow floods, by number of the group. */
struct afxdp_flow_group {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, AFXDP_GROUP_PORTS);
	__type(key, __u32);
	__type(value, __u32);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, AFXDP_MAX_GROUPS);
	__type(key, __u32);
	__array(values, struct afxdp_flow_group);
} groups SEC(".maps");

/* Does every port of the group take packets now? */
__u8 group_open[AFXDP_MAX_GROUPS];

#endif /* afxdp-flow-maps.h */

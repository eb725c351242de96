/* SPDX-License-Identifier: GPL-2.0 */

/* The ports and their sockets, for all XDP programs. */

#ifndef AFXDP_PORTS_H
#define AFXDP_PORTS_H 1

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "afxdp-flow.h"

/* Ports, by ifindex: see afxdp_port_slot().  An array, since looking it up
 * takes a fraction of what a hash map takes. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, AFXDP_PORT_SLOTS);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct afxdp_flow_port);
} ports SEC(".maps");

/* Sockets of all ports, those of one side by side. */
struct {
	__uint(type, BPF_MAP_TYPE_XSKMAP);
	__uint(max_entries, AFXDP_MAX_QUEUES);
	__type(key, __u32);
	__type(value, __u32);
} xsks SEC(".maps");

/* Returns the port of the device 'ifindex', or NULL if it has none. */
static __always_inline struct afxdp_flow_port *find_port(__u32 ifindex)
{
	for (__u32 i = 0; i < AFXDP_PORT_PROBES; i++) {
		__u32 slot = afxdp_port_slot(ifindex, i);
		struct afxdp_flow_port *port;

		port = bpf_map_lookup_elem(&ports, &slot);
		if (port && *(volatile __u32 *)&port->ifindex == ifindex)
			return port;
	}
	return NULL;
}

#endif /* afxdp-ports.h */

// SPDX-License-Identifier: GPL-2.0
/* The XDP program of a port: each packet goes to the AF_XDP socket of the
 * queue it came in on, and on to the kernel's stack where there is none. */

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

/* Socket of each queue; user space sets the size to the device's channels. */
struct {
	__uint(type, BPF_MAP_TYPE_XSKMAP);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} xsks SEC(".maps");

SEC("xdp")
int afxdp_xsk(struct xdp_md *ctx)
{
	return bpf_redirect_map(&xsks, ctx->rx_queue_index, XDP_PASS);
}

char _license[] SEC("license") = "GPL";

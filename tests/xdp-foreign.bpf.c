/* SPDX-License-Identifier: GPL-2.0 */

/* Somebody else's XDP program, for the suites: it lets every packet pass. */

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("xdp")
int somebodys_prog(struct xdp_md *ctx)
{
    (void) ctx;
    return XDP_PASS;
}

char _license[] SEC("license") = "GPL";

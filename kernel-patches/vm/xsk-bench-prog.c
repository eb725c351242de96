/* SPDX-License-Identifier: Apache-2.0
 *
 * The programs of xsk-bench, and how it gives up. */

#include "xsk-bench-prog.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Says that 'what' failed with 'error', an errno or its negative, and ends. */
void
die(const char *what, int error)
{
    fprintf(stderr, "xsk-bench: %s: %s\n", what, strerror(abs(error)));
    exit(1);
}

static int
load(const struct bpf_insn *insns, size_t n)
{
    int fd = bpf_prog_load(BPF_PROG_TYPE_XDP, "bench", "GPL", insns, n, NULL);

    if (fd < 0) {
        die("loading a program", errno);
    }
    return fd;
}

/* A program that returns 'action'. */
int
load_action(int action)
{
    struct bpf_insn insns[] = {
        { .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = action },
        { .code = BPF_JMP | BPF_EXIT },
    };

    return load(insns, sizeof insns / sizeof insns[0]);
}

/* A program that redirects to the device 'ifindex'. */
int
load_redirect(int ifindex)
{
    struct bpf_insn insns[] = {
        { .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 1, .imm = ifindex },
        { .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 2, .imm = 0 },
        { .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_redirect },
        { .code = BPF_JMP | BPF_EXIT },
    };

    return load(insns, sizeof insns / sizeof insns[0]);
}

/* What libxdp's own program does: to the socket of the queue, if any. */
int
load_xsk(int map)
{
    struct bpf_insn insns[] = {
        { .code = BPF_LDX | BPF_MEM | BPF_W, .dst_reg = 2, .src_reg = 1,
          .off = offsetof(struct xdp_md, rx_queue_index) },
        { .code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = 1,
          .src_reg = BPF_PSEUDO_MAP_FD, .imm = map },
        { 0 },
        { .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 3,
          .imm = XDP_PASS },
        { .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_redirect_map },
        { .code = BPF_JMP | BPF_EXIT },
    };

    return load(insns, sizeof insns / sizeof insns[0]);
}

void
attach(const char *dev, int prog, bool generic)
{
    int error = bpf_xdp_attach(if_nametoindex(dev), prog,
                               generic ? XDP_FLAGS_SKB_MODE
                                       : XDP_FLAGS_DRV_MODE, NULL);
    if (error) {
        die("attaching a program", error);
    }
}

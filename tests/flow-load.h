/* SPDX-License-Identifier: GPL-2.0 */

/* What flow-load.bpf.c and flow-load.c share. */

#ifndef FLOW_LOAD_H
#define FLOW_LOAD_H 1

#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/types.h>
#include <linux/udp.h>
#include <stdbool.h>

#define LOAD_MAX_FRAMES (1 << 26)
#define LOAD_MAGIC 0x6c6f6164
#define LOAD_PORT 5000
#define LOAD_ADDRESS 0x0a000000         /* 10.0.0.0 */

/* The variant of frames that no rule has changed. */
#define LOAD_VARIANT 252

/* A frame.  Its variant V is in several fields that rules set all at once:
 * destination 02:00:00:00:VV:VV, tos (a multiple of 4 then) and ttl V, address
 * 10.0.0.V, port 5000 + V. */
struct load_frame {
    struct ethhdr eth;
    struct iphdr ip;
    struct udphdr udp;
    __u32 magic;
    __u32 number;
    __u8 padding[10];
} __attribute__((packed));

/* What arrived of a variant, and when (CLOCK_MONOTONIC, ns). */
struct load_variant {
    __u64 packets;
    __u64 first, last;
};

struct load_counts {
    __u64 once;                 /* Frames, each counted once... */
    __u64 twice;                /* ...those that came again... */
    __u64 mixed;                /* ...those of two variants at once. */
    struct load_variant variants[256];
};

#endif /* flow-load.h */

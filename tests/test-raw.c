/* SPDX-License-Identifier: Apache-2.0 */

/* Tests of lib/afxdp-raw.c: a queue in generic mode on the rings of the fake
 * kernel (fake-xsk.h), which gives it what a kernel's stack would. */

#include <config.h>

#include "test-afxdp.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#include "afxdp-frame.h"
#include "afxdp-queue.h"
#include "afxdp-raw.h"
#include "afxdp-rx.h"
#include "afxdp-socket.h"
#include "csum.h"
#include "dp-packet.h"
#include "fake-xsk.h"
#include "packets.h"
#include "random.h"
#include "util.h"

#define N_FRAMES 1024
#define HEADERS (ETH_HEADER_LEN + IP_HEADER_LEN + TCP_HEADER_LEN)
#define MSS 1448

static uint8_t payload[64000];

struct bed {
    struct afxdp_arena arena;
    struct afxdp_queue *q;
    struct xsk_socket *kernel;
};

static struct bed *
bed_create(enum afxdp_raw_mode mode)
{
    const struct afxdp_socket_options options = {
        .need_wakeup = true,
        .long_packets = true,
        .raw = mode,
        .mtu = 1500,
    };
    struct bed *bed = xzalloc_cacheline(sizeof *bed);
    char *message = NULL;
    int error;

    random_bytes(payload, sizeof payload);
    afxdp_frames_init(&bed->arena,
                      xmalloc_pagealign(N_FRAMES * AFXDP_FRAME_SIZE),
                      N_FRAMES, 0);
    bed->q = afxdp_socket_open(&bed->arena, "fake0", 0, &options, &error,
                               &message);
    CHECK(bed->q);
    bed->kernel = fake_xsk_lookup("fake0", 0);
    return bed;
}

/* Every frame must be free when the queue is closed. */
static void
bed_destroy(struct bed *bed)
{
    struct afxdp_census census;
    char *memory = bed->arena.base;

    if (bed->q) {
        afxdp_socket_close(bed->q);
    }
    afxdp_frames_census(&bed->arena, &census);
    CHECK(census.consistent);
    CHECK_EQ(census.free, N_FRAMES);
    afxdp_census_destroy(&census);
    afxdp_frames_uninit(&bed->arena);
    free_pagealign(memory);
    free_cacheline(bed);
}

/* Writes a TCP packet with 'n' bytes of payload, whose checksum is only begun,
 * at 'p', and what the kernel notes of it in '*skb'.  Returns its length. */
static size_t
write_packet(char *p, uint32_t n, uint16_t gso_size, struct afxdp_skb *skb)
{
    struct eth_header *eth = ALIGNED_CAST(struct eth_header *, p);
    struct ip_header *ip = (struct ip_header *) (eth + 1);
    struct tcp_header *tcp = (struct tcp_header *) (ip + 1);

    memset(p, 0, HEADERS);
    eth->eth_type = htons(ETH_TYPE_IP);
    ip->ip_ihl_ver = IP_IHL_VER(5, 4);
    ip->ip_tot_len = htons(IP_HEADER_LEN + TCP_HEADER_LEN + n);
    ip->ip_proto = IPPROTO_TCP;
    ip->ip_ttl = 64;
    put_16aligned_be32(&ip->ip_src, htonl(0x0a000001));
    put_16aligned_be32(&ip->ip_dst, htonl(0x0a000002));
    ip->ip_csum = csum(ip, sizeof *ip);
    tcp->tcp_ctl = TCP_CTL(TCP_ACK | TCP_PSH, 5);
    tcp->tcp_csum = ~csum_finish(packet_csum_pseudoheader(ip));
    memcpy(p + HEADERS, payload, n);

    *skb = (struct afxdp_skb) {
        .flags = AFXDP_SKB_KNOWN | AFXDP_SKB_PARTIAL
                 | (gso_size ? AFXDP_SKB_TCP : 0),
        .csum_start = ETH_HEADER_LEN + IP_HEADER_LEN,
        .csum_offset = offsetof(struct tcp_header, tcp_csum),
        .gso_size = gso_size,
    };
    return HEADERS + n;
}

/* Checks that 'packet', with 'tag' bytes of VLAN tag, is a right one with the
 * 'n' bytes at 'expected' as payload. */
static void
check_packet(struct dp_packet *packet, uint32_t tag, const uint8_t *expected,
             uint32_t n)
{
    char *data = dp_packet_data(packet);
    struct ip_header *ip = ALIGNED_CAST(struct ip_header *,
                                        data + ETH_HEADER_LEN + tag);

    CHECK_EQ(dp_packet_size(packet), HEADERS + tag + n);
    CHECK_EQ(ntohs(ip->ip_tot_len), IP_HEADER_LEN + TCP_HEADER_LEN + n);
    CHECK_EQ(csum(ip, IP_HEADER_LEN), 0);
    CHECK_EQ(csum_finish(csum_continue(packet_csum_pseudoheader(ip), ip + 1,
                                       TCP_HEADER_LEN + n)), 0);
    CHECK(!memcmp(data + HEADERS + tag, expected, n));
}

/* Hands the queue a packet with 'n' bytes of payload. */
static void
deliver(struct bed *bed, uint32_t n, uint16_t gso_size, uint16_t flags,
        bool with_note)
{
    char *p = xmalloc(HEADERS + sizeof payload);
    struct afxdp_skb skb;
    size_t len = write_packet(p, n, gso_size, &skb);

    skb.flags |= flags;
    if (flags & AFXDP_SKB_VLAN) {
        skb.vlan_tpid = htons(ETH_TYPE_VLAN_8021Q);
        skb.vlan_tci = 0x2005;
    }
    CHECK(fake_xsk_receive_long(bed->kernel, &skb, with_note ? sizeof skb : 0,
                                p, len));
    free(p);
}

/* Receives until nothing comes, checks that what came has the 'n' bytes of
 * payload in pieces of at most 'mss', and frees it.  Returns how many packets
 * there were. */
static int
receive(struct bed *bed, uint32_t n, uint32_t mss, uint32_t tag)
{
    struct dp_packet_batch batch;
    struct dp_packet *packet;
    uint32_t done = 0;
    int count = 0;

    dp_packet_batch_init(&batch);
    while (!afxdp_rx_recv(bed->q, &batch)) {
        CHECK(batch.count > 0 && batch.count <= NETDEV_MAX_BURST);
        DP_PACKET_BATCH_FOR_EACH (i, packet, &batch) {
            uint32_t chunk = MIN(n - done, mss);

            check_packet(packet, tag, payload + done, chunk);
            done += chunk;
            count++;
        }
        dp_packet_delete_batch(&batch, true);
        dp_packet_batch_init(&batch);
    }
    CHECK_EQ(done, n);
    fake_xsk_check();
    return count;
}

static uint64_t
counter(const ATOMIC(uint64_t) *c)
{
    uint64_t value;

    atomic_read_relaxed(CONST_CAST(ATOMIC(uint64_t) *, c), &value);
    return value;
}

/* One packet of a frame, with and without a tag beside it. */
static void
test_raw_single(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    struct bed *bed = bed_create(AFXDP_RAW_NOTES);

    for (int i = 0; i < 100; i++) {
        uint32_t n = random_range(MSS) + 1;

        deliver(bed, n, 0, 0, true);
        CHECK_EQ(receive(bed, n, n, 0), 1);
        deliver(bed, n, 0, AFXDP_SKB_VLAN, true);
        CHECK_EQ(receive(bed, n, n, VLAN_HEADER_LEN), 1);

        /* A batch of one segment. */
        deliver(bed, n, MSS, AFXDP_SKB_VLAN, true);
        CHECK_EQ(receive(bed, n, MSS, VLAN_HEADER_LEN), 1);
    }
    CHECK_EQ(counter(&bed->q->rx_count.rx_completed), 300);
    CHECK_EQ(counter(&bed->q->rx_count.rx_packets), 300);
    bed_destroy(bed);
}

/* Batches of segments, in one frame and in many, in one poll and in several,
 * one after the other and side by side. */
static void
test_raw_segments(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    struct bed *bed = bed_create(AFXDP_RAW_NOTES);

    for (int i = 0; i < 100; i++) {
        uint32_t mss = random_range(MSS) + 100;
        uint32_t n = random_range(sizeof payload) + 1;
        uint16_t vlan = random_range(2) ? AFXDP_SKB_VLAN : 0;

        deliver(bed, n, mss, vlan, true);
        CHECK_EQ(receive(bed, n, mss, vlan ? VLAN_HEADER_LEN : 0),
                 DIV_ROUND_UP(n, mss));
    }
    deliver(bed, 1000, 300, 0, true);
    CHECK_EQ(receive(bed, 1000, 300, 0), 4);
    bed_destroy(bed);
}

/* The same without the kernel's notes. */
static void
test_raw_guess(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    struct bed *bed = bed_create(AFXDP_RAW_GUESS);

    for (int i = 0; i < 100; i++) {
        uint32_t n = random_range(sizeof payload) + 1;

        deliver(bed, n, 0, 0, false);
        CHECK_EQ(receive(bed, n, 1460, 0), DIV_ROUND_UP(n, 1460));
    }
    afxdp_raw_set_mtu(bed->q, 1000);
    deliver(bed, 5000, 0, 0, false);
    CHECK_EQ(receive(bed, 5000, 960, 0), 6);
    bed_destroy(bed);

    /* With room for notes that nobody took. */
    bed = bed_create(AFXDP_RAW_NOTES);
    for (int i = 0; i < 20; i++) {
        char *p = xmalloc(HEADERS + sizeof payload);
        uint32_t n = random_range(sizeof payload) + 1;
        struct afxdp_skb skb;
        size_t len = write_packet(p, n, 0, &skb);

        memset(&skb, 0, sizeof skb);
        CHECK(fake_xsk_receive_long(bed->kernel, &skb, sizeof skb, p, len));
        free(p);
        CHECK_EQ(receive(bed, n, 1460, 0), DIV_ROUND_UP(n, 1460));
    }
    bed_destroy(bed);
}

/* Long packets that are no batches, too long or not understood are dropped,
 * counted, and leave their frames. */
static void
test_raw_dropped(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    struct bed *bed = bed_create(AFXDP_RAW_NOTES);
    struct dp_packet_batch batch;
    struct afxdp_skb skb = { .flags = AFXDP_SKB_KNOWN };
    char *p = xzalloc(128 * 1024);

    dp_packet_batch_init(&batch);
    CHECK(fake_xsk_receive_long(bed->kernel, &skb, sizeof skb, p, 9000));
    CHECK_EQ(afxdp_rx_recv(bed->q, &batch), EAGAIN);
    CHECK_EQ(counter(&bed->q->rx_count.rx_too_long), 1);

    skb.flags |= AFXDP_SKB_TCP;
    skb.gso_size = MSS;
    CHECK(fake_xsk_receive_long(bed->kernel, &skb, sizeof skb, p, 128 * 1024));
    CHECK_EQ(afxdp_rx_recv(bed->q, &batch), EAGAIN);
    CHECK_EQ(afxdp_rx_recv(bed->q, &batch), EAGAIN);
    CHECK_EQ(counter(&bed->q->rx_count.rx_too_long), 2);

    CHECK(fake_xsk_receive_long(bed->kernel, &skb, sizeof skb, p, 9000));
    CHECK_EQ(afxdp_rx_recv(bed->q, &batch), EAGAIN);
    skb.flags = AFXDP_SKB_KNOWN | AFXDP_SKB_OTHER;
    CHECK(fake_xsk_receive_long(bed->kernel, &skb, sizeof skb, p, 2000));
    CHECK_EQ(afxdp_rx_recv(bed->q, &batch), EAGAIN);
    CHECK_EQ(counter(&bed->q->rx_count.rx_gso_unknown), 2);

    /* It goes on as if nothing had been. */
    deliver(bed, 5000, MSS, 0, true);
    CHECK_EQ(receive(bed, 5000, MSS, 0), 4);
    free(p);
    bed_destroy(bed);
}

/* When no frame is free for a segment, it and the rest of its batch are lost,
 * and nothing else. */
static void
test_raw_no_frame(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    struct bed *bed = bed_create(AFXDP_RAW_NOTES);
    struct dp_packet_batch batch;
    __u64 addrs[N_FRAMES];
    unsigned int n = 0;

    deliver(bed, 40 * MSS, MSS, 0, true);
    while (afxdp_frames_take(&bed->arena, &addrs[n], 1, AFXDP_USER)) {
        n++;
    }
    afxdp_frames_give(&bed->arena, &addrs[n - 10], 10);
    n -= 10;

    dp_packet_batch_init(&batch);
    CHECK_EQ(afxdp_rx_recv(bed->q, &batch), 0);
    CHECK_EQ(batch.count, 10);
    for (int i = 0; i < 10; i++) {
        check_packet(batch.packets[i], 0, payload + i * MSS, MSS);
    }
    CHECK_EQ(counter(&bed->q->rx_count.rx_gso_no_frame), 30);
    dp_packet_delete_batch(&batch, true);

    for (unsigned int i = 0; i < n; i++) {
        afxdp_frames_give(&bed->arena, &addrs[i], 1);
    }
    deliver(bed, 5000, MSS, 0, true);
    CHECK_EQ(receive(bed, 5000, MSS, 0), 4);
    bed_destroy(bed);
}

/* A queue is closed while segments are to come. */
static void
test_raw_close(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    struct bed *bed = bed_create(AFXDP_RAW_NOTES);
    struct dp_packet_batch batch;

    deliver(bed, sizeof payload, 1000, 0, true);
    deliver(bed, sizeof payload, 1000, 0, true);
    dp_packet_batch_init(&batch);
    CHECK_EQ(afxdp_rx_recv(bed->q, &batch), 0);
    CHECK_EQ(batch.count, NETDEV_MAX_BURST);
    afxdp_socket_close(bed->q);
    bed->q = NULL;

    /* Packets outlive it. */
    for (int i = 0; i < NETDEV_MAX_BURST; i++) {
        check_packet(batch.packets[i], 0, payload + i * 1000, 1000);
    }
    dp_packet_delete_batch(&batch, true);
    bed_destroy(bed);
}

const struct ovs_cmdl_command test_raw_commands[] = {
    { "raw-single", NULL, 0, 0, test_raw_single, OVS_RO },
    { "raw-segments", NULL, 0, 0, test_raw_segments, OVS_RO },
    { "raw-guess", NULL, 0, 0, test_raw_guess, OVS_RO },
    { "raw-dropped", NULL, 0, 0, test_raw_dropped, OVS_RO },
    { "raw-no-frame", NULL, 0, 0, test_raw_no_frame, OVS_RO },
    { "raw-close", NULL, 0, 0, test_raw_close, OVS_RO },
    { NULL, NULL, 0, 0, NULL, OVS_RO },
};

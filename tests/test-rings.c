/* SPDX-License-Identifier: Apache-2.0 */

/* Tests of receiving and sending: whole netdevs, configured and used through
 * Open vSwitch's interface, on the rings of the fake kernel (fake-xsk.h),
 * which stops the program if a frame is given to it twice. */

#include <config.h>

#include "test-afxdp.h"

#include <errno.h>
#include <string.h>

#include "afxdp-frame.h"
#include "afxdp-queue.h"
#include "afxdp-umem.h"
#include "fake-xsk.h"
#include "netdev.h"
#include "netdev-provider.h"
#include "random.h"
#include "smap.h"
#include "util.h"

#define N_FRAMES 2048
#define N_PORTS 2
#define BURST NETDEV_MAX_BURST

struct port {
    struct netdev *netdev;
    struct netdev_rxq *rxqs[FAKE_XSK_QUEUES];
    int n_queues;
};

/* Opens device "fakeN"; 'options' is "NAME=VALUE" or NULL.  Returns what
 * netdev_set_config() does. */
static int
port_open(struct port *port, int number, const char *options, char **errp)
{
    struct smap args = SMAP_INITIALIZER(&args);
    char *name = xasprintf("fake%d", number);
    int error;

    smap_add(&args, "xdp-mode", "native");
    if (options) {
        const char *equals = strchr(options, '=');

        smap_add_nocopy(&args, xmemdup0(options, equals - options),
                        xstrdup(equals + 1));
    }

    memset(port, 0, sizeof *port);
    CHECK_EQ(netdev_open(name, "afxdp", &port->netdev), 0);
    error = port->netdev->netdev_class->set_config(port->netdev, &args, errp);
    if (!error) {
        CHECK_EQ(netdev_reconfigure(port->netdev), 0);
        port->n_queues = netdev_n_rxq(port->netdev);
        for (int i = 0; i < port->n_queues; i++) {
            CHECK_EQ(netdev_rxq_open(port->netdev, &port->rxqs[i], i), 0);
        }
    }
    smap_destroy(&args);
    free(name);
    return error;
}

static void
port_close(struct port *port)
{
    for (int i = 0; i < port->n_queues; i++) {
        netdev_rxq_close(port->rxqs[i]);
    }
    netdev_close(port->netdev);
}

static struct xsk_socket *
kernel_side(const struct port *port, int qid)
{
    struct xsk_socket *s = fake_xsk_lookup(netdev_get_name(port->netdev), qid);

    CHECK(s);
    return s;
}

/* Sets the size of the arena, before the first port. */
static void
small_arena(void)
{
    struct smap other_config = SMAP_INITIALIZER(&other_config);

    smap_add(&other_config, AFXDP_FRAMES_KEY, OVS_STRINGIZE(N_FRAMES));
    afxdp_umem_set_config(&other_config);
    smap_destroy(&other_config);
}

/* Compares the netdev's book of frames with the kernel's.  'held' counts the
 * packets that the test itself holds. */
static void
check_books(unsigned int held)
{
    struct afxdp_arena *arena = afxdp_umem_next(NULL);
    struct afxdp_census census;

    CHECK(arena);
    afxdp_frames_census(arena, &census);
    CHECK(census.consistent);
    CHECK_EQ(census.user, held);
    CHECK_EQ(census.rx_all + census.tx_all, fake_xsk_in_kernel());
    CHECK_EQ(census.free + census.user + census.rx_all + census.tx_all,
             arena->n_frames);
    afxdp_census_destroy(&census);
}

static uint64_t
counter(const struct port *port, const char *name)
{
    struct netdev_custom_stats stats;
    uint64_t sum = 0;

    CHECK_EQ(netdev_get_custom_stats(port->netdev, &stats), 0);
    for (size_t i = 0; i < stats.size; i++) {
        const char *s = strstr(stats.counters[i].name, name);

        if (s && !strcmp(s, name)) {
            sum += stats.counters[i].value;
        }
    }
    free(stats.counters);
    return sum;
}

/* What the fake kernel has sent. */
struct sent {
    unsigned int n;
    size_t len;
    uint8_t bytes[4096];        /* Of the last packet. */
};

static void
sink(const void *data, size_t len, void *sent_)
{
    struct sent *sent = sent_;

    sent->n++;
    sent->len = len;
    memcpy(sent->bytes, data, len);
}

static void
receive(const struct port *port, int qid, const void *data, size_t len,
        unsigned int n, struct dp_packet_batch *batch)
{
    CHECK_EQ(fake_xsk_receive(kernel_side(port, qid), data, len, n), n);
    dp_packet_batch_init(batch);
    CHECK_EQ(netdev_rxq_recv(port->rxqs[qid], batch, NULL), 0);
    CHECK_EQ(dp_packet_batch_size(batch), n);
}

/* A batch comes in on one port and leaves by the other in the same frames. */
static void
test_forward(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    struct dp_packet_batch batch;
    struct port a, b;
    uint8_t data[1500];
    struct sent sent;

    small_arena();
    CHECK_EQ(port_open(&a, 0, NULL, NULL), 0);
    CHECK_EQ(port_open(&b, 1, NULL, NULL), 0);
    CHECK_EQ(a.n_queues, FAKE_XSK_QUEUES);
    for (size_t i = 0; i < sizeof data; i++) {
        data[i] = i;
    }

    for (unsigned int i = 0; i < 4 * N_FRAMES / BURST; i++) {
        size_t len = 14 + random_range(sizeof data - 14);
        unsigned int n = 1 + random_range(BURST);

        receive(&a, i % 4, data, len, n, &batch);
        CHECK_EQ(dp_packet_size(batch.packets[0]), len);
        CHECK(!memcmp(dp_packet_data(batch.packets[n - 1]), data, len));
        CHECK(dp_packet_headroom(batch.packets[0]) >= 512);
        check_books(n);

        CHECK_EQ(netdev_send(b.netdev, i % 4, &batch, false), 0);
        check_books(0);
        sent.n = 0;
        CHECK_EQ(fake_xsk_transmit(kernel_side(&b, i % 4), 2 * BURST, sink,
                                   &sent), n);
        CHECK_EQ(sent.len, len);
        CHECK(!memcmp(sent.bytes, data, len));
    }
    CHECK_EQ(counter(&b, "_tx_copied"), 0);
    CHECK(counter(&b, "_tx_own_frame") > N_FRAMES);
    CHECK_EQ(counter(&a, "_rx_packets"), counter(&b, "_tx_own_frame"));

    port_close(&a);
    port_close(&b);
    CHECK_EQ(fake_xsk_in_kernel(), 0);
    check_books(0);
}

/* Fills the queue of 'port' with all that it has room for, receives one batch
 * of it, and frees that.  Returns how many frames the kernel has then. */
static unsigned int
flood(const struct port *port)
{
    static const uint8_t data[64];
    struct dp_packet_batch batch;

    fake_xsk_receive(kernel_side(port, 0), data, sizeof data, N_FRAMES);
    dp_packet_batch_init(&batch);
    CHECK_EQ(netdev_rxq_recv(port->rxqs[0], &batch, NULL), 0);
    dp_packet_delete_batch(&batch, true);
    return fake_xsk_in_kernel();
}

/* Receives from the queue of 'port' until it is empty. */
static void
drain(const struct port *port)
{
    struct dp_packet_batch batch;
    int error;

    do {
        dp_packet_batch_init(&batch);
        error = netdev_rxq_recv(port->rxqs[0], &batch, NULL);
        dp_packet_delete_batch(&batch, true);
    } while (!error);
    CHECK_EQ(error, EAGAIN);
}

/* A queue grows for a burst.  If it is full all the time, it does not stay
 * long, until it was emptied more than now and then. */
static void
test_flood(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    unsigned int idle, n = 0;
    struct port a;

    small_arena();
    CHECK_EQ(port_open(&a, 0, "n_rxq=1", NULL), 0);
    idle = fake_xsk_in_kernel();
    CHECK(idle >= BURST);

    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 10; i++) {
            n = flood(&a);
        }
        CHECK(n > 2 * idle);
        for (int i = 0; i < 2000; i++) {
            n = flood(&a);
        }
        CHECK(n <= idle);
        CHECK(n + 2 * BURST >= idle);

        drain(&a);
        for (int i = 0; i < 10; i++) {
            n = flood(&a);
        }
        CHECK(n <= idle);

        for (int i = 0; i < 100; i++) {
            drain(&a);
            flood(&a);
        }
    }
    port_close(&a);
    check_books(0);
}

/* Packets that are in no frame, or in one no more, are copied. */
static void
test_copy(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    struct dp_packet_batch batch;
    struct dp_packet *packet;
    struct sent sent = { 0 };
    uint8_t data[1000];
    struct port a;

    small_arena();
    memset(data, 0xa5, sizeof data);
    CHECK_EQ(port_open(&a, 0, "n_rxq=1", NULL), 0);

    /* One of its own, one of the heap's, one that has grown too large for its
     * headroom. */
    receive(&a, 0, data, sizeof data, 2, &batch);
    packet = batch.packets[1];
    memset(dp_packet_push_uninit(packet, 700), 0x01, 700);
    dp_packet_batch_add(&batch, dp_packet_clone_data(data, sizeof data));
    CHECK_EQ(netdev_send(a.netdev, 0, &batch, false), 0);
    CHECK_EQ(fake_xsk_transmit(kernel_side(&a, 0), 2, sink, &sent), 2);
    CHECK_EQ(sent.len, 1700);
    CHECK_EQ(sent.bytes[0], 0x01);
    CHECK_EQ(sent.bytes[1699], 0xa5);
    CHECK_EQ(fake_xsk_transmit(kernel_side(&a, 0), 2, sink, &sent), 1);
    CHECK_EQ(sent.len, sizeof data);
    CHECK_EQ(counter(&a, "_tx_copied"), 2);
    CHECK_EQ(counter(&a, "_tx_own_frame"), 1);
    check_books(0);

    /* One that no frame can hold. */
    packet = dp_packet_new(5000);
    dp_packet_put_zeros(packet, 5000);
    dp_packet_batch_init_packet(&batch, packet);
    netdev_send(a.netdev, 0, &batch, false);
    CHECK_EQ(counter(&a, "_tx_too_long"), 1);
    CHECK_EQ(fake_xsk_transmit(kernel_side(&a, 0), 1, sink, &sent), 0);

    port_close(&a);
    check_books(0);
}

/* A device that sends nothing: packets are dropped and counted, and there are
 * frames left to receive into. */
static void
test_tx_full(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    struct dp_packet_batch batch;
    unsigned int n_sent = 0;
    uint8_t data[60] = { 0 };
    struct port a, b;

    CHECK_EQ(port_open(&a, 0, "n_rxq=1", NULL), 0);
    CHECK_EQ(port_open(&b, 1, "n_rxq=1", NULL), 0);
    for (int i = 0; i < 2 * AFXDP_RING_SIZE / BURST; i++) {
        receive(&a, 0, data, sizeof data, BURST, &batch);
        netdev_send(b.netdev, 0, &batch, false);
        n_sent += BURST;
        check_books(0);
    }
    CHECK_EQ(counter(&b, "_tx_ring_full"), n_sent - AFXDP_RING_SIZE);
    CHECK_EQ(fake_xsk_transmit(kernel_side(&b, 0), n_sent, NULL, NULL),
             AFXDP_RING_SIZE);

    /* It sends again. */
    receive(&a, 0, data, sizeof data, BURST, &batch);
    CHECK_EQ(netdev_send(b.netdev, 0, &batch, false), 0);
    check_books(0);

    /* Closed with a full ring. */
    port_close(&b);
    check_books(0);
    port_close(&a);
    CHECK_EQ(fake_xsk_in_kernel(), 0);
    check_books(0);
}

/* A device that is down refuses every kick, and must not swallow frames. */
static void
test_tx_down(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    static const int errors[] = { ENETDOWN, ENXIO, EOPNOTSUPP };
    struct dp_packet_batch batch;
    uint8_t data[60] = { 0 };
    struct port a, b;
    unsigned int held;

    CHECK_EQ(port_open(&a, 0, "n_rxq=1", NULL), 0);
    CHECK_EQ(port_open(&b, 1, "n_rxq=1", NULL), 0);
    for (size_t e = 0; e < ARRAY_SIZE(errors); e++) {
        fake_xsk_fail(FAKE_XSK_KICK, errors[e], UINT32_MAX);
        receive(&a, 0, data, sizeof data, BURST, &batch);
        netdev_send(b.netdev, 0, &batch, false);
        held = fake_xsk_in_kernel();
        for (int i = 0; i < 100; i++) {
            receive(&a, 0, data, sizeof data, BURST, &batch);
            netdev_send(b.netdev, 0, &batch, false);
        }
        check_books(0);
        CHECK(fake_xsk_in_kernel() <= held + BURST);
        CHECK(counter(&b, "_tx_device_down") >= 99 * BURST * (e + 1));

        /* Up again. */
        fake_xsk_fail(FAKE_XSK_KICK, 0, 0);
        receive(&a, 0, data, sizeof data, BURST, &batch);
        CHECK_EQ(netdev_send(b.netdev, 0, &batch, false), 0);
        CHECK(fake_xsk_transmit(kernel_side(&b, 0), 10 * BURST, NULL, NULL)
              >= BURST);
    }

    /* The kernel is short of memory for a moment: nothing is lost. */
    fake_xsk_fail(FAKE_XSK_KICK, ENOBUFS, 3);
    for (int i = 0; i < 3; i++) {
        receive(&a, 0, data, sizeof data, BURST, &batch);
        CHECK_EQ(netdev_send(b.netdev, 0, &batch, false), 0);
    }
    CHECK_EQ(fake_xsk_transmit(kernel_side(&b, 0), 10 * BURST, NULL, NULL),
             3 * BURST);
    port_close(&a);
    port_close(&b);
    check_books(0);
}

/* A kick that would block is made again until all is sent; one kick is enough
 * when the kernel says so. */
static void
test_kicks(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    struct dp_packet_batch batch;
    uint8_t data[60] = { 0 };
    struct port a;
    uint64_t before;

    CHECK_EQ(port_open(&a, 0, "n_rxq=1", NULL), 0);
    receive(&a, 0, data, sizeof data, BURST, &batch);
    before = fake_xsk_kicks(kernel_side(&a, 0));
    netdev_send(a.netdev, 0, &batch, false);
    CHECK_EQ(fake_xsk_kicks(kernel_side(&a, 0)) - before, 1);
    fake_xsk_transmit(kernel_side(&a, 0), BURST, NULL, NULL);

    fake_xsk_fail(FAKE_XSK_KICK, EAGAIN, 1);
    receive(&a, 0, data, sizeof data, BURST, &batch);
    before = fake_xsk_kicks(kernel_side(&a, 0));
    netdev_send(a.netdev, 0, &batch, false);
    CHECK_EQ(fake_xsk_kicks(kernel_side(&a, 0)) - before, 2);

    /* It never says anything but EAGAIN: the thread goes on all the same, and
     * what was sent long ago does not count for the number of tries. */
    fake_xsk_fail(FAKE_XSK_KICK, 0, 0);
    for (int i = 0; i < 50; i++) {
        receive(&a, 0, data, sizeof data, BURST, &batch);
        netdev_send(a.netdev, 0, &batch, false);
        fake_xsk_transmit(kernel_side(&a, 0), 2 * BURST, NULL, NULL);
    }
    fake_xsk_fail(FAKE_XSK_KICK, EAGAIN, UINT32_MAX);
    receive(&a, 0, data, sizeof data, BURST, &batch);
    before = fake_xsk_kicks(kernel_side(&a, 0));
    netdev_send(a.netdev, 0, &batch, false);
    CHECK(fake_xsk_kicks(kernel_side(&a, 0)) - before < 10);
    fake_xsk_fail(FAKE_XSK_KICK, 0, 0);
    port_close(&a);
    check_books(0);
}

/* A port that cannot come up says why and leaves nothing behind. */
static void
test_failures(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    static const struct {
        enum fake_xsk_point point;
        int error;
        unsigned int skip;      /* Queues that come up before. */
        const char *says;
    } cases[] = {
        { FAKE_XSK_UMEM, ENOMEM, 0, "afxdp-frames" },
        { FAKE_XSK_UMEM, ENOMEM, 2, "afxdp-frames" },
        { FAKE_XSK_BIND, EBUSY, 0, "queue 0 is in use" },
        { FAKE_XSK_BIND, EBUSY, 3, "queue 3 is in use" },
        { FAKE_XSK_BIND, EOPNOTSUPP, 1, "queue 1" },
    };
    char *error = NULL;
    struct port a;

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        fake_xsk_fail_after(cases[i].point, cases[i].error, UINT32_MAX,
                            cases[i].skip);
        CHECK(port_open(&a, 0, NULL, &error) > 0);
        CHECK(error);
        if (!strstr(error, cases[i].says) || !strstr(error, "fake0")) {
            ovs_fatal(0, "\"%s\" does not say \"%s\"", error, cases[i].says);
        }
        free(error);
        error = NULL;
        fake_xsk_fail(cases[i].point, 0, 0);
        CHECK_EQ(fake_xsk_n_sockets(), 0);
        CHECK_EQ(fake_xsk_n_umems(), 0);
        port_close(&a);
        check_books(0);
    }

    /* Busy for a moment only. */
    fake_xsk_fail(FAKE_XSK_BIND, EBUSY, 2);
    CHECK_EQ(port_open(&a, 0, NULL, &error), 0);
    CHECK_EQ(fake_xsk_n_sockets(), FAKE_XSK_QUEUES);
    CHECK_EQ(fake_xsk_n_umems(), FAKE_XSK_QUEUES);
    port_close(&a);
    CHECK_EQ(fake_xsk_n_sockets(), 0);
    check_books(0);
}

/* Packets outlive the port that received them. */
static void
test_packets_outlive(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    struct dp_packet_batch batch;
    uint8_t data[60] = { 0x77 };
    struct port a, b;

    CHECK_EQ(port_open(&a, 0, NULL, NULL), 0);
    CHECK_EQ(port_open(&b, 1, NULL, NULL), 0);
    receive(&a, 3, data, sizeof data, BURST, &batch);
    port_close(&a);
    check_books(BURST);

    CHECK_EQ(((uint8_t *) dp_packet_data(batch.packets[9]))[0], 0x77);
    CHECK_EQ(netdev_send(b.netdev, 0, &batch, false), 0);
    check_books(0);
    port_close(&b);
    CHECK_EQ(fake_xsk_in_kernel(), 0);
    check_books(0);
}

/* Closing and opening, with traffic in all rings, loses no frame. */
static void
test_reconfigure(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    struct dp_packet_batch batch;
    uint8_t data[60] = { 0 };
    struct port a, b;

    CHECK_EQ(port_open(&b, 1, "n_rxq=1", NULL), 0);
    for (int i = 0; i < 200; i++) {
        CHECK_EQ(port_open(&a, 0, i % 2 ? "n_rxq=2" : NULL, NULL), 0);
        receive(&a, 1, data, sizeof data, BURST, &batch);
        netdev_send(b.netdev, 0, &batch, false);
        receive(&a, 1, data, sizeof data, BURST, &batch);
        netdev_send(a.netdev, 0, &batch, false);
        fake_xsk_receive(kernel_side(&a, 0), data, sizeof data, 7);
        fake_xsk_transmit(kernel_side(&a, 0), 9, NULL, NULL);
        fake_xsk_transmit(kernel_side(&b, 0), 20, NULL, NULL);
        port_close(&a);
        check_books(0);
    }
    port_close(&b);
    CHECK_EQ(fake_xsk_in_kernel(), 0);
    check_books(0);
}

/* Everything at random, two ports of four queues. */

#define MAX_HELD 256

struct soup {
    struct port ports[N_PORTS];
    struct dp_packet *held[MAX_HELD];
    unsigned int n_held;
    unsigned int n_frames_held; /* Those of them that are frames. */
};

static struct dp_packet *
soup_take(struct soup *soup)
{
    unsigned int i = random_range(soup->n_held);
    struct dp_packet *packet = soup->held[i];

    soup->held[i] = soup->held[--soup->n_held];
    soup->n_frames_held -= packet->source == DPBUF_AFXDP;
    return packet;
}

static void
soup_hold(struct soup *soup, struct dp_packet *packet)
{
    soup->held[soup->n_held++] = packet;
    soup->n_frames_held += packet->source == DPBUF_AFXDP;
}

static void
soup_receive(struct soup *soup, struct port *port, int qid)
{
    struct dp_packet_batch batch;

    dp_packet_batch_init(&batch);
    if (soup->n_held + BURST > MAX_HELD
        || netdev_rxq_recv(port->rxqs[qid], &batch, NULL)) {
        return;
    }
    for (size_t i = 0; i < batch.count; i++) {
        soup_hold(soup, batch.packets[i]);
    }
}

static void
soup_send(struct soup *soup, struct port *port, int qid)
{
    unsigned int n = 1 + random_range(BURST);
    struct dp_packet_batch batch;

    dp_packet_batch_init(&batch);
    while (n-- && soup->n_held) {
        dp_packet_batch_add(&batch, soup_take(soup));
    }
    if (batch.count) {
        netdev_send(port->netdev, qid, &batch, random_range(2));
    }
}

static void
soup_packet(struct soup *soup)
{
    struct dp_packet *packet;

    if (!soup->n_held || soup->n_held == MAX_HELD) {
        return;
    }
    packet = soup_take(soup);
    switch (random_range(4)) {
    case 0:
        dp_packet_delete(packet);
        return;
    case 1:
        soup_hold(soup, dp_packet_clone_with_headroom(packet, 128));
        break;
    case 2:
        if (dp_packet_size(packet) < 2000) {
            dp_packet_push_zeros(packet, random_range(400));
        }
        break;
    default:
        if (dp_packet_size(packet) < 2000) {
            dp_packet_put_zeros(packet, random_range(400));
        }
        break;
    }
    soup_hold(soup, packet);
}

static void
soup_step(struct soup *soup)
{
    int number = random_range(N_PORTS);
    struct port *port = &soup->ports[number];
    int qid = random_range(port->n_queues);
    uint8_t data[1500] = { 0 };

    switch (random_range(8)) {
    case 0:
    case 1:
        fake_xsk_receive(kernel_side(port, qid), data,
                         14 + random_range(sizeof data - 14),
                         random_range(3 * BURST));
        break;
    case 2:
    case 3:
        soup_receive(soup, port, qid);
        break;
    case 4:
    case 5:
        soup_send(soup, port, qid);
        break;
    case 6:
        fake_xsk_transmit(kernel_side(port, qid), random_range(4 * BURST),
                          NULL, NULL);
        break;
    default:
        soup_packet(soup);
        break;
    }
    if (!random_range(500)) {
        port_close(port);
        CHECK_EQ(port_open(port, number,
                           random_range(2) ? "n_rxq=3" : "n_rxq=4", NULL), 0);
    }
}

static void
test_soup(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    struct soup soup;

    random_set_seed(1);
    small_arena();
    memset(&soup, 0, sizeof soup);
    for (int i = 0; i < N_PORTS; i++) {
        CHECK_EQ(port_open(&soup.ports[i], i, NULL, NULL), 0);
    }
    for (int i = 0; i < 20000; i++) {
        soup_step(&soup);
        if (i % 10 == 0) {
            check_books(soup.n_frames_held);
        }
    }
    while (soup.n_held) {
        dp_packet_delete(soup_take(&soup));
    }
    for (int i = 0; i < N_PORTS; i++) {
        port_close(&soup.ports[i]);
    }
    CHECK_EQ(fake_xsk_in_kernel(), 0);
    check_books(0);
}

const struct ovs_cmdl_command test_rings_commands[] = {
    { "rings-forward", NULL, 0, 0, test_forward, OVS_RO },
    { "rings-flood", NULL, 0, 0, test_flood, OVS_RO },
    { "rings-copy", NULL, 0, 0, test_copy, OVS_RO },
    { "rings-tx-full", NULL, 0, 0, test_tx_full, OVS_RO },
    { "rings-tx-down", NULL, 0, 0, test_tx_down, OVS_RO },
    { "rings-kicks", NULL, 0, 0, test_kicks, OVS_RO },
    { "rings-failures", NULL, 0, 0, test_failures, OVS_RO },
    { "rings-packets-outlive", NULL, 0, 0, test_packets_outlive, OVS_RO },
    { "rings-reconfigure", NULL, 0, 0, test_reconfigure, OVS_RO },
    { "rings-soup", NULL, 0, 0, test_soup, OVS_RO },
    { NULL, NULL, 0, 0, NULL, OVS_RO },
};

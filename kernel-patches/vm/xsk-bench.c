/* SPDX-License-Identifier: Apache-2.0
 *
 * Work for the network of a virtual machine with one CPU whose clock counts
 * instructions (vm/run --count): says how many ns, that is instructions, of
 * kernel and user space together each packet takes from end to end.  With one
 * CPU there is no waiting and no overlap, so the figure is the sum of all work
 * and repeats to a fraction of a percent.  See figures, which runs this.
 *
 * The devices are veth pairs that figures makes: "a" and "b", "c" and "d", or
 * network cards that igb-figures names.
 *
 * Where the model of a device does work of its own, which such a clock does
 * not count, "rate" says how many packets a second pass on any clock. */

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <getopt.h>
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <net/if.h>
#include <netinet/ether.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <xdp/xsk.h>

#include "xsk-bench-prog.h"

#ifndef XDP_SKIP_BPF
#define XDP_SKIP_BPF (1 << 5)
#define XDP_SKIP_BPF_GENERIC (1 << 6)
#endif

enum { N_FRAMES = 1024, FRAME_SIZE = 4096, RING = 512, BATCH = 32 };

/* An AF_XDP socket with its own umem.  Frames that are neither in the fill
 * ring nor on their way out are on the stack. */
struct end {
    const char *dev;
    struct xsk_socket *xsk;
    struct xsk_umem *umem;
    unsigned char *area;
    struct xsk_ring_prod fill, tx;
    struct xsk_ring_cons comp, rx;
    uint64_t stack[N_FRAMES];
    int n_stack;
};

static unsigned int len = 64;
static unsigned int packets = 20000;
static unsigned int seconds = 5;
static const char *dev_a = "a", *dev_b = "b";
static struct ether_addr to = { { 2, 2, 2, 2, 2, 2 } };

static uint64_t
now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* Ends. */

/* A card that is given a program may lose its link for a moment. */
static void
wait_for_link(const char *dev)
{
    char path[64];

    snprintf(path, sizeof path, "/sys/class/net/%s/carrier", dev);
    for (int i = 0; i < 1000; i++) {
        FILE *file = fopen(path, "r");
        int c = file ? getc(file) : EOF;

        if (file) {
            fclose(file);
        }
        if (c == '1') {
            return;
        }
        usleep(10000);
    }
    die(dev, ENOLINK);
}

/* 'mode' is generic, copy or zc, with "-skip" if no program is to run. */
static void
open_end(struct end *e, const char *dev, const char *mode)
{
    struct xsk_umem_config umem_config = {
        .fill_size = RING, .comp_size = RING, .frame_size = FRAME_SIZE,
    };
    struct xsk_socket_config config = {
        .rx_size = RING, .tx_size = RING,
        .libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD,
        .bind_flags = XDP_USE_NEED_WAKEUP,
    };
    bool generic = !strncmp(mode, "generic", 7);
    bool skip = strstr(mode, "-skip") != NULL;
    int error, map;

    config.bind_flags |= strncmp(mode, "zc", 2) ? XDP_COPY : XDP_ZEROCOPY;
    if (skip) {
        config.bind_flags |= XDP_SKIP_BPF;
        config.bind_flags |= generic ? XDP_SKIP_BPF_GENERIC : 0;
    }

    e->dev = dev;
    e->area = mmap(NULL, N_FRAMES * FRAME_SIZE, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    error = xsk_umem__create(&e->umem, e->area, N_FRAMES * FRAME_SIZE,
                             &e->fill, &e->comp, &umem_config);
    if (error) {
        die("registering the umem", error);
    }
    error = xsk_socket__create(&e->xsk, dev, 0, e->umem, &e->rx, &e->tx,
                               &config);
    if (error) {
        die("binding the socket", error);
    }
    for (int i = 0; i < N_FRAMES; i++) {
        e->stack[e->n_stack++] = (uint64_t) i * FRAME_SIZE;
    }

    if (!skip) {
        map = bpf_map_create(BPF_MAP_TYPE_XSKMAP, NULL, 4, 4, 4, NULL);
        if (map < 0 || xsk_socket__update_xskmap(e->xsk, map)) {
            die("filling the XSKMAP", errno);
        }
        attach(dev, load_xsk(map), generic);
    }
}

static void
give_back(struct end *e, uint64_t addr)
{
    e->stack[e->n_stack++] = addr & ~(FRAME_SIZE - 1ULL);
}

static void
refill(struct end *e)
{
    uint32_t idx;

    if (e->n_stack >= BATCH
        && xsk_ring_prod__reserve(&e->fill, BATCH, &idx) == BATCH) {
        for (int i = 0; i < BATCH; i++) {
            *xsk_ring_prod__fill_addr(&e->fill, idx++)
                = e->stack[--e->n_stack];
        }
        xsk_ring_prod__submit(&e->fill, BATCH);
    }
}

/* Has the kernel send what is in the TX ring, if that is needed. */
static void
kick(struct end *e)
{
    if (*e->tx.producer != *e->tx.consumer
        && xsk_ring_prod__needs_wakeup(&e->tx)
        && sendto(xsk_socket__fd(e->xsk), NULL, 0, MSG_DONTWAIT, NULL, 0) < 0
        && errno != EAGAIN && errno != EBUSY) {
        die("sending", errno);
    }
}

/* Takes back the frames that have been sent. */
static void
reap(struct end *e)
{
    uint32_t idx, n = xsk_ring_cons__peek(&e->comp, RING, &idx);

    for (uint32_t i = 0; i < n; i++) {
        give_back(e, *xsk_ring_cons__comp_addr(&e->comp, idx++));
    }
    xsk_ring_cons__release(&e->comp, n);
}

/* Has the kernel send all of the TX ring. */
static void
flush(struct end *e)
{
    do {
        kick(e);
        reap(e);
    } while (*e->tx.producer != *e->tx.consumer);
}

/* Puts a batch into the TX ring; returns how many that are. */
static uint32_t
push_batch(struct end *e)
{
    uint32_t idx;

    if (e->n_stack < BATCH
        || xsk_ring_prod__reserve(&e->tx, BATCH, &idx) != BATCH) {
        return 0;
    }
    for (int i = 0; i < BATCH; i++) {
        struct xdp_desc *desc = xsk_ring_prod__tx_desc(&e->tx, idx++);

        desc->addr = e->stack[--e->n_stack];
        desc->len = len;
        desc->options = 0;
    }
    xsk_ring_prod__submit(&e->tx, BATCH);
    return BATCH;
}

static void
send_batch(struct end *e)
{
    if (!push_batch(e)) {
        die("TX ring", ENOSPC);
    }
    flush(e);
}

/* Receives what there is; gives the frames back, or puts them into the TX ring
 * as far as there is room. */
static uint32_t
receive_some(struct end *e, bool forward)
{
    uint32_t idx, tx_idx = 0, n = RING;

    if (forward) {
        n = xsk_prod_nb_free(&e->tx, RING);
    }
    n = xsk_ring_cons__peek(&e->rx, n, &idx);
    if (forward && n) {
        xsk_ring_prod__reserve(&e->tx, n, &tx_idx);
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct xdp_desc *d = xsk_ring_cons__rx_desc(&e->rx, idx++);

        if (forward) {
            struct xdp_desc *desc = xsk_ring_prod__tx_desc(&e->tx, tx_idx++);
            unsigned char mac[ETH_ALEN], *eth = e->area + d->addr;

            memcpy(mac, eth, ETH_ALEN);
            memcpy(eth, eth + ETH_ALEN, ETH_ALEN);
            memcpy(eth + ETH_ALEN, mac, ETH_ALEN);
            *desc = *d;
        } else {
            give_back(e, d->addr);
        }
    }
    xsk_ring_cons__release(&e->rx, n);
    if (forward && n) {
        xsk_ring_prod__submit(&e->tx, n);
    }
    return n;
}

/* The same, and has all sent. */
static uint32_t
receive(struct end *e, bool forward)
{
    uint32_t n = receive_some(e, forward);

    if (forward && n) {
        flush(e);
    }
    return n;
}

/* Has the threads of the kernel do what there is to do for 'e', and receives a
 * batch. */
static void
await_batch(struct end *e)
{
    struct pollfd fd = { .fd = xsk_socket__fd(e->xsk), .events = POLLIN };

    for (uint32_t n = 0; n < BATCH; n += receive_some(e, false)) {
        if (poll(&fd, 1, 1000) <= 0) {
            die("no packets arrive", errno);
        }
    }
}

/* Works.  Each prints its name and the ns for a packet. */

static void
fill_frames(struct end *e)
{
    for (int i = 0; i < N_FRAMES; i++) {
        unsigned char *eth = e->area + (size_t) i * FRAME_SIZE;

        memcpy(eth, &to, ETH_ALEN);
        memset(eth + ETH_ALEN, 2, ETH_ALEN);
        eth[12] = 0x88;
        eth[13] = 0xb5;
    }
}

/* From "a" to "b", and in l2fwd, back. */
static void
sockets(bool l2fwd, const char *sender, const char *receiver)
{
    static struct end a, b;
    uint64_t start = 0, in_sender = 0, t;
    uint32_t n = 0, sent = 0, got = 0, warm = packets / 10;

    open_end(&a, dev_a, sender);
    open_end(&b, dev_b, receiver);
    wait_for_link(dev_a);
    wait_for_link(dev_b);
    fill_frames(&a);
    fill_frames(&b);
    for (int i = 0; i < 4; i++) {
        refill(&b);
        if (l2fwd) {
            refill(&a);
        }
    }

    while (n < packets) {
        if (!start && sent >= warm) {
            start = now();
            in_sender = 0;
            sent = n = 0;
        }
        t = now();
        send_batch(&a);
        in_sender += now() - t;
        sent += BATCH;
        got = receive(&b, l2fwd);
        if (l2fwd) {
            got = receive(&a, false);
            refill(&a);
        }
        refill(&b);
        if (got != BATCH) {
            fprintf(stderr, "xsk-bench: %u packets of %d arrived\n", got,
                    BATCH);
            exit(1);
        }
        n += got;
    }
    t = now() - start;
    printf("total %.1f sender %.1f\n", (double) t / n, (double) in_sender / n);
}

/* Sends from "a". */
static void
push(const char *sender)
{
    static struct end a;
    uint64_t start = 0;
    uint32_t sent = 0, warm = packets / 10;

    open_end(&a, dev_a, sender);
    wait_for_link(dev_a);
    fill_frames(&a);
    while (!start || sent < packets) {
        if (!start && sent >= warm) {
            start = now();
            sent = 0;
        }
        send_batch(&a);
        sent += BATCH;
    }
    printf("total %.1f\n", (double) (now() - start) / sent);
}

/* Has threads run the NAPI of 'dev', which has to be there already. */
static void
give_threads(const char *dev)
{
    char path[64];
    FILE *f;

    snprintf(path, sizeof path, "/sys/class/net/%s/threaded", dev);
    f = fopen(path, "w");
    if (!f || fputs("1", f) < 0 || fclose(f)) {
        die(path, errno);
    }
}

/* From "a" to "b", whose NAPI has threads: so the sender's work and the
 * receiver's do not mix, and the receiver gets whole batches, as if each had a
 * CPU of its own.  This thread goes before those of NAPI, which run when it
 * waits. */
static void
apart(const char *sender, const char *receiver)
{
    static struct end a, b;
    struct sched_param param = { .sched_priority = 1 };
    uint64_t start = 0, in_sender = 0, t;
    uint32_t n = 0, warm = packets / 10;

    open_end(&a, dev_a, sender);
    open_end(&b, dev_b, receiver);
    fill_frames(&a);
    fill_frames(&b);
    for (int i = 0; i < 4; i++) {
        refill(&b);
    }
    give_threads(dev_b);
    if (sched_setscheduler(0, SCHED_FIFO, &param)) {
        die("setting the priority", errno);
    }

    while (n < packets) {
        if (!start && n >= warm) {
            start = now();
            in_sender = 0;
            n = 0;
        }
        t = now();
        if (!push_batch(&a)) {
            die("TX ring", ENOSPC);
        }
        kick(&a);
        in_sender += now() - t;
        await_batch(&b);
        refill(&b);
        t = now();
        reap(&a);
        in_sender += now() - t;
        n += BATCH;
    }
    t = now() - start;
    printf("total %.1f sender %.1f receiver %.1f\n", (double) t / n,
           (double) in_sender / n, (double) (t - in_sender) / n);
}

/* Until the time is up, and as fast as possible: takes packets and drops them,
 * sends packets, or takes them and sends them back.  Prints thousands of
 * packets a second. */
static void
rate(const char *work, const char *dev, const char *mode)
{
    static struct end e;
    struct pollfd pfd = { .events = POLLIN };
    bool push = !strcmp(work, "txpush"), forward = !strcmp(work, "l2fwd");
    uint64_t n = 0, start, end, warm;

    open_end(&e, dev, mode);
    fill_frames(&e);
    pfd.fd = xsk_socket__fd(e.xsk);
    while (!push && e.n_stack > N_FRAMES / 2) {
        refill(&e);
    }

    warm = now() + 1000000000;
    end = warm + seconds * 1000000000ULL;
    start = 0;
    while (now() < end) {
        uint32_t got;

        if (!start && now() >= warm) {
            start = now();
            n = 0;
        }
        reap(&e);
        if (push) {
            n += push_batch(&e);
        } else {
            got = receive_some(&e, forward);
            n += got;
            refill(&e);
            if (!got) {
                poll(&pfd, 1, 10);
            } else if (xsk_ring_prod__needs_wakeup(&e.fill)) {
                recvfrom(pfd.fd, NULL, 0, MSG_DONTWAIT, NULL, NULL);
            }
        }
        kick(&e);
    }
    printf("%.1f\n", n * 1e6 / (now() - start));
}

/* Frames made by BPF_PROG_RUN that leave by 'dev'. */
static void
live_frames(const char *dev, uint32_t n)
{
    static unsigned char frame[2048] = { 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
                                         0x88, 0xb5 };
    static int prog;
    LIBBPF_OPTS(bpf_test_run_opts, opts,
                .data_in = frame, .data_size_in = len, .repeat = n,
                .flags = BPF_F_TEST_XDP_LIVE_FRAMES, .batch_size = 64);

    if (!prog) {
        prog = load_redirect(if_nametoindex(dev));
    }
    if (bpf_prog_test_run_opts(prog, &opts)) {
        die("BPF_PROG_RUN", errno);
    }
}

/* What the kernel does without AF_XDP with what leaves by "a". */
static void
xdp(void)
{
    uint64_t start;

    live_frames(dev_a, packets / 10);
    start = now();
    live_frames(dev_a, packets);
    printf("total %.1f\n", (double) (now() - start) / packets);
}

/* Bursts with pauses, in which another thread handles them. */
static void
bursts(const char *dev)
{
    for (uint32_t n = 0; n < packets; n += 64) {
        live_frames(dev, packets - n < 64 ? packets - n : 64);
        usleep(1000);
    }
}

/* UDP from a socket of this network namespace; figures has made the routes. */
static void
udp(const char *to)
{
    struct sockaddr_in sin = { .sin_family = AF_INET, .sin_port = htons(9) };
    char payload[2048] = "";
    uint64_t start = 0;
    int fd = socket(AF_INET, SOCK_DGRAM, 0);

    inet_pton(AF_INET, to, &sin.sin_addr);
    if (fd < 0 || connect(fd, (struct sockaddr *) &sin, sizeof sin)) {
        die("connect", errno);
    }
    for (uint32_t i = 0; i < packets + packets / 10; i++) {
        if (i == packets / 10) {
            start = now();
        }
        if (send(fd, payload, len - 42, 0) < 0) {
            die("send", errno);
        }
    }
    printf("total %.1f\n", (double) (now() - start) / packets);
}

static void
usage(void)
{
    fputs("Usage: xsk-bench [--len=N] [--packets=N] [--seconds=N] [--to=MAC]\n"
          "                 [--a=DEV] [--b=DEV] WORK\n"
          "  sockets SENDER RECEIVER  AF_XDP, a to b\n"
          "  apart SENDER RECEIVER    AF_XDP, a to b, NAPI of b in threads\n"
          "  l2fwd SENDER RECEIVER    AF_XDP, a to b and back\n"
          "  push SENDER              AF_XDP, from a\n"
          "  xdp drop|redirect        native program on b\n"
          "  bursts DEV               frames that leave by DEV\n"
          "  udp ADDRESS              UDP to ADDRESS\n"
          "  drop DEV native|generic  attach XDP_DROP to DEV, to stay\n"
          "  rate rxdrop|txpush|l2fwd DEV MODE\n"
          "                           for some time (--seconds=N)\n"
          "SENDER, RECEIVER and MODE are generic, copy or zc, with -skip for\n"
          "XDP_SKIP_BPF.\n", stderr);
    exit(2);
}

int
main(int argc, char *argv[])
{
    static const struct option options[] = {
        { "len", required_argument, NULL, 'l' },
        { "packets", required_argument, NULL, 'p' },
        { "seconds", required_argument, NULL, 's' },
        { "to", required_argument, NULL, 't' },
        { "a", required_argument, NULL, 'a' },
        { "b", required_argument, NULL, 'b' },
        { NULL, 0, NULL, 0 },
    };
    int c;

    while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (c) {
        case 'l':
            len = strtoul(optarg, NULL, 10);
            break;
        case 'p':
            packets = strtoul(optarg, NULL, 10);
            break;
        case 's':
            seconds = strtoul(optarg, NULL, 10);
            break;
        case 'a':
            dev_a = optarg;
            break;
        case 'b':
            dev_b = optarg;
            break;
        case 't':
            if (!ether_aton_r(optarg, &to)) {
                usage();
            }
            break;
        default:
            usage();
        }
    }
    argv += optind;
    argc -= optind;
    libbpf_set_strict_mode(LIBBPF_STRICT_ALL);

    if (argc == 3 && !strcmp(argv[0], "sockets")) {
        sockets(false, argv[1], argv[2]);
    } else if (argc == 3 && !strcmp(argv[0], "apart")) {
        apart(argv[1], argv[2]);
    } else if (argc == 3 && !strcmp(argv[0], "l2fwd")) {
        sockets(true, argv[1], argv[2]);
    } else if (argc == 2 && !strcmp(argv[0], "push")) {
        push(argv[1]);
    } else if (argc == 2 && !strcmp(argv[0], "xdp")) {
        if (!strcmp(argv[1], "redirect")) {
            attach(dev_b, load_redirect(if_nametoindex("c")), false);
            attach("d", load_action(XDP_DROP), false);
        } else {
            attach(dev_b, load_action(XDP_DROP), false);
        }
        xdp();
    } else if (argc == 2 && !strcmp(argv[0], "bursts")) {
        bursts(argv[1]);
    } else if (argc == 4 && !strcmp(argv[0], "rate")
               && (!strcmp(argv[1], "rxdrop") || !strcmp(argv[1], "txpush")
                   || !strcmp(argv[1], "l2fwd"))) {
        rate(argv[1], argv[2], argv[3]);
    } else if (argc == 2 && !strcmp(argv[0], "udp")) {
        udp(argv[1]);
    } else if (argc == 3 && !strcmp(argv[0], "drop")) {
        attach(argv[1], load_action(XDP_DROP), !strcmp(argv[2], "generic"));
    } else {
        usage();
    }
    return 0;
}

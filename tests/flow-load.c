/* SPDX-License-Identifier: Apache-2.0 */

/* flow-load SENDER RECEIVER RATE SECONDS
 *
 * Sends numbered UDP frames out of the device e0 in the network namespace
 * SENDER, RATE in a second or, if that is 0, as many as BPF_PROG_RUN can make,
 * and looks what arrives on e0 in the namespace RECEIVER, by the programs of
 * flow-load.bpf.c.  Prints "ready" when it begins.  After SECONDS, or on
 * SIGTERM, prints what arrived:
 *
 *    sent N once N twice N mixed N
 *    variant V packets N first NS last NS       for each variant that did
 *
 * with times since the epoch of CLOCK_MONOTONIC. */

#include <config.h>

#include "flow-load.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tests/flow-load.skel.h"

#define DEVICE "e0"
#define BATCH 32

static volatile sig_atomic_t over;

static void __attribute__((noreturn, format(printf, 1, 2)))
die(const char *format, ...)
{
    int error = errno;
    va_list args;

    fputs("flow-load: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, ": %s\n", strerror(error));
    exit(1);
}

static void
stop(int signal_number)
{
    (void) signal_number;
    over = 1;
}

static uint64_t
now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* Makes this process one of the network namespace 'name'. */
static void
enter(const char *name)
{
    char path[4096];
    int fd;

    snprintf(path, sizeof path, "/run/netns/%s", name);
    fd = open(path, O_RDONLY);
    if (fd < 0 || setns(fd, CLONE_NEWNET)) {
        die("%s", path);
    }
    close(fd);
}

static uint16_t
header_sum(const void *header, size_t size)
{
    const uint8_t *p = header;
    uint32_t sum = 0;

    for (size_t i = 0; i < size; i += 2) {
        sum += p[i] << 8 | p[i + 1];
    }
    while (sum >> 16) {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return ~sum;
}

static struct load_frame
make_frame(void)
{
    struct load_frame f = {
        .eth = {
            .h_dest = { 2, 0, 0, 0, LOAD_VARIANT, LOAD_VARIANT },
            .h_source = { 2, 0, 0, 0, 0, 1 },
            .h_proto = htons(ETH_P_IP),
        },
        .ip = {
            .version = 4,
            .ihl = 5,
            .tos = LOAD_VARIANT,
            .ttl = LOAD_VARIANT,
            .protocol = IPPROTO_UDP,
            .tot_len = htons(sizeof f - sizeof f.eth),
            .saddr = htonl(LOAD_ADDRESS + 1),
            .daddr = htonl(LOAD_ADDRESS + LOAD_VARIANT),
        },
        .udp = {
            .source = htons(LOAD_PORT),
            .dest = htons(LOAD_PORT + LOAD_VARIANT),
            .len = htons(sizeof f - sizeof f.eth - sizeof f.ip),
        },
        .magic = LOAD_MAGIC,
    };

    f.ip.check = htons(header_sum(&f.ip, sizeof f.ip));
    return f;
}

/* Sends as many frames as possible.  Returns how many that were. */
static uint64_t
send_live(struct flow_load *skel)
{
    struct load_frame frame = make_frame();
    LIBBPF_OPTS(bpf_test_run_opts, opts,
                .data_in = &frame,
                .data_size_in = sizeof frame,
                .repeat = 1 << 30,
                .flags = BPF_F_TEST_XDP_LIVE_FRAMES,
                .batch_size = 64);

    while (!over) {
        if (bpf_prog_test_run_opts(bpf_program__fd(skel->progs.load_gen),
                                   &opts)
            && errno != EINTR) {
            die("cannot make live frames");
        }
    }
    return skel->bss->load_made;
}

/* Sends 'rate' frames in a second from a packet socket.  Returns how many that
 * were. */
static uint64_t
send_paced(uint64_t rate)
{
    struct sockaddr_ll sll = {
        .sll_family = AF_PACKET,
        .sll_ifindex = if_nametoindex(DEVICE),
    };
    int fd = socket(AF_PACKET, SOCK_RAW, 0);
    struct load_frame frame = make_frame();
    uint64_t start = now_ns(), n = 0;

    if (fd < 0 || bind(fd, (struct sockaddr *) &sll, sizeof sll)) {
        die("socket on %s", DEVICE);
    }
    while (!over && n < LOAD_MAX_FRAMES) {
        struct timespec pause = { .tv_nsec = 50000 };
        uint64_t due = (now_ns() - start) * rate / 1000000000;

        for (int i = 0; i < BATCH && n < due; i++) {
            frame.number = n;
            if (send(fd, &frame, sizeof frame, 0) == sizeof frame) {
                n++;
            } else if (errno != EAGAIN && errno != ENOBUFS
                       && errno != EINTR) {
                die("sending");
            }
        }
        if (n >= due) {
            nanosleep(&pause, NULL);
        }
    }
    return n;
}

static void
report(const struct load_counts *c, uint64_t sent)
{
    printf("sent %llu once %llu twice %llu mixed %llu\n",
           (unsigned long long) sent, (unsigned long long) c->once,
           (unsigned long long) c->twice, (unsigned long long) c->mixed);
    for (int i = 0; i < 256; i++) {
        const struct load_variant *v = &c->variants[i];

        if (v->packets) {
            printf("variant %d packets %llu first %llu last %llu\n", i,
                   (unsigned long long) v->packets,
                   (unsigned long long) v->first,
                   (unsigned long long) v->last);
        }
    }
    fflush(stdout);
}

/* Opens the programs: the sink on the device of the namespace 'receiver', the
 * generator for the one of 'sender', in which this process is then. */
static struct flow_load *
open_programs(const char *sender, const char *receiver)
{
    LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = XDP_FLAGS_DRV_MODE);
    struct flow_load *skel = flow_load__open();

    if (!skel) {
        die("opening the programs");
    }
    enter(sender);
    skel->rodata->load_ifindex = if_nametoindex(DEVICE);
    if (flow_load__load(skel)) {
        die("loading the programs");
    }
    skel->bss->load_template = make_frame();
    enter(receiver);
    if (bpf_link_create(bpf_program__fd(skel->progs.load_sink),
                        if_nametoindex(DEVICE), BPF_XDP, &opts) < 0) {
        die("attaching the sink");
    }
    enter(sender);
    return skel;
}

int
main(int argc, char *argv[])
{
    struct sigaction action = { .sa_handler = stop };
    struct flow_load *skel;
    uint64_t rate, sent;

    if (argc != 5) {
        fprintf(stderr, "usage: %s SENDER RECEIVER RATE SECONDS\n", argv[0]);
        return 1;
    }
    rate = strtoull(argv[3], NULL, 10);
    skel = open_programs(argv[1], argv[2]);

    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGALRM, &action, NULL);
    alarm(strtoul(argv[4], NULL, 10));
    puts("ready");
    fflush(stdout);
    sent = rate ? send_paced(rate) : send_live(skel);
    usleep(300000);             /* For the last ones to arrive. */
    report(&skel->bss->load_counts, sent);
    flow_load__destroy(skel);
    return 0;
}

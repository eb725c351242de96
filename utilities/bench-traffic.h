/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_TRAFFIC_H
#define BENCH_TRAFFIC_H 1

/* Traffic for the bench.
 *
 * bench-traffic.c holds main(), the table of subcommands and the helpers
 * below; each subcommand is a file of its own.  ovs-afxdp-bench starts a
 * subcommand inside a container and speaks with it over stdin and stdout:
 *
 *     tool   -> "ready"              it does its work from here on
 *     bench  -> "read"               asks for the counters
 *     tool   -> "NAME VALUE ..."     one line of them, with the time in ns
 *     bench  closes stdin            the tool prints its counters and ends
 *
 * A tool also ends when its time is over (--seconds) and when its parent
 * dies, so that nothing is left running. */

#include <getopt.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

/* What a subcommand may be told; it picks what it needs. */
struct bench_args {
    const char *dev;            /* --dev */
    const char *peer;           /* --peer: the other device. */
    struct in_addr src;         /* --src */
    struct in_addr dst;         /* --dst */
    uint8_t smac[6];            /* --smac */
    uint8_t dmac[6];            /* --dmac */
    uint32_t port;              /* --port: UDP destination. */
    uint32_t drop_port;         /* --drop-port: UDP port to drop. */
    uint32_t flows;             /* --flows; 0 means no frame repeats one. */
    uint32_t size;              /* --size: frame with FCS, or payload. */
    uint32_t rate;              /* --rate: packets a second, 0: all out. */
    uint32_t seconds;           /* --seconds: ends by itself after these. */
    bool generic;               /* --generic: XDP in generic mode. */
    bool realtime;              /* --realtime: run before all others. */
};

int bench_gen(const struct bench_args *);
int bench_redirect(const struct bench_args *);
int bench_sink(const struct bench_args *);
int bench_sink_udp(const struct bench_args *);
int bench_udp(const struct bench_args *);
int bench_rtt(const struct bench_args *);
int bench_echo(const struct bench_args *);

/* Set once the tool has been asked to end. */
extern volatile bool bench_over;

/* Prints one line of counters. */
typedef void bench_report(void *aux);

void bench_die(int error, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));
int bench_ifindex(const char *dev);
uint64_t bench_now(void);
void bench_ready(void);
void bench_serve(bench_report *, void *aux);
void bench_watch(void);
int bench_socket(const struct bench_args *, bool bind_port);
void bench_attach_xdp(int prog_fd, const char *dev, bool generic);

#endif /* bench-traffic.h */

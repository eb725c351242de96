/* SPDX-License-Identifier: Apache-2.0 */

/* Datagrams from an ordinary socket, as many as it takes or a set number a
 * second. */

#include <config.h>
#include "bench-traffic.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define BATCH 64                /* Most datagrams for one system call. */
#define PACE_NS 100000          /* A paced sender wakes up this often. */
#define MAX_PAYLOAD 1472

/* Datagrams due since the last call, when sending at 'rate'. */
static uint32_t
due(uint32_t rate, uint64_t begin, uint64_t sent)
{
    uint64_t now = bench_now() - begin;
    uint64_t owed = rate * (now / 1000) / 1000000;

    return owed <= sent ? 0 : owed - sent < BATCH ? owed - sent : BATCH;
}

/* Whether 'error' is of the kind that passes: a full queue, or the answer to
 * an earlier datagram. */
static bool
passes(int error)
{
    return error == EAGAIN || error == ENOBUFS || error == EINTR
           || error == ECONNREFUSED;
}

int
bench_udp(const struct bench_args *args)
{
    static char payload[MAX_PAYLOAD];
    struct iovec iov = { .iov_base = payload, .iov_len = args->size };
    const struct timespec pace = { .tv_nsec = PACE_NS };
    struct mmsghdr msgs[BATCH];
    uint64_t begin, sent = 0;
    int fd;

    if (args->size > MAX_PAYLOAD) {
        bench_die(0, "--size: a payload has at most %d bytes", MAX_PAYLOAD);
    }
    memset(msgs, 0, sizeof msgs);
    for (int i = 0; i < BATCH; i++) {
        msgs[i].msg_hdr.msg_iov = &iov;
        msgs[i].msg_hdr.msg_iovlen = 1;
    }

    fd = bench_socket(args, false);
    bench_watch();
    bench_ready();
    begin = bench_now();
    while (!bench_over) {
        uint32_t n = args->rate ? due(args->rate, begin, sent) : BATCH;
        int retval;

        if (!n) {
            nanosleep(&pace, NULL);
            continue;
        }
        retval = sendmmsg(fd, msgs, n, 0);
        if (retval > 0) {
            sent += retval;
        } else if (!passes(errno)) {
            bench_die(errno, "cannot send datagrams");
        }
    }
    printf("sent %llu ns %llu\n", (unsigned long long) sent,
           (unsigned long long) (bench_now() - begin));
    return 0;
}

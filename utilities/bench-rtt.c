/* SPDX-License-Identifier: Apache-2.0 */

/* Round trips: one datagram at a time to an echo and back, each timed from
 * just before it is sent until it is read. */

#include <config.h>
#include "bench-traffic.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>

#define MAX_TRIPS 4000000       /* As many as are kept. */
#define LOST_MS 100             /* One not back by then is lost. */

static int
compare(const void *a_, const void *b_)
{
    const uint32_t *a = a_;
    const uint32_t *b = b_;

    return *a < *b ? -1 : *a > *b;
}

/* Reads until the answer to 'seq' is there.  Answers to earlier ones, thought
 * lost, may come first. */
static bool
receive(int fd, uint64_t seq)
{
    uint64_t answer;

    for (;;) {
        ssize_t n = recv(fd, &answer, sizeof answer, 0);

        if (n == sizeof answer && answer == seq) {
            return true;
        } else if (n < 0 && errno != EINTR && errno != ECONNREFUSED) {
            return false;
        } else if (bench_over) {
            return false;
        }
    }
}

static void
print_trips(uint32_t *trips, size_t n, uint64_t lost)
{
    uint64_t sum = 0;

    if (!n) {
        bench_die(0, "no answer came back");
    }
    qsort(trips, n, sizeof *trips, compare);
    for (size_t i = 0; i < n; i++) {
        sum += trips[i];
    }
    printf("trips %zu lost %llu mean %llu p50 %u p99 %u p999 %u max %u\n", n,
           (unsigned long long) lost, (unsigned long long) (sum / n),
           trips[n / 2], trips[n - 1 - n / 100], trips[n - 1 - n / 1000],
           trips[n - 1]);
}

int
bench_rtt(const struct bench_args *args)
{
    const struct timeval timeout = { .tv_usec = LOST_MS * 1000 };
    static uint32_t trips[MAX_TRIPS];
    uint64_t lost = 0;
    size_t n = 0;
    int fd = bench_socket(args, false);

    if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout)) {
        bench_die(errno, "cannot limit the wait for an answer");
    }
    bench_watch();
    bench_ready();
    for (uint64_t seq = 1; !bench_over && n < MAX_TRIPS; seq++) {
        uint64_t begin = bench_now();

        if (send(fd, &seq, sizeof seq, 0) != sizeof seq
            && errno != ECONNREFUSED && errno != EINTR) {
            bench_die(errno, "cannot send");
        }
        if (receive(fd, seq)) {
            trips[n++] = bench_now() - begin;
        } else if (!bench_over) {
            lost++;
        }
    }
    print_trips(trips, n, lost);
    return 0;
}

int
bench_echo(const struct bench_args *args)
{
    int fd = bench_socket(args, true);

    bench_watch();
    bench_ready();
    while (!bench_over) {
        struct sockaddr_in from;
        socklen_t from_len = sizeof from;
        char buffer[2048];
        ssize_t n = recvfrom(fd, buffer, sizeof buffer, 0,
                             (struct sockaddr *) &from, &from_len);

        if (n >= 0) {
            sendto(fd, buffer, n, 0, (struct sockaddr *) &from, from_len);
        }
    }
    return 0;
}

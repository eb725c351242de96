/* SPDX-License-Identifier: Apache-2.0 */

/* The traffic tool of ovs-afxdp-bench: main(), the subcommands' table and what
 * they share.  See bench-traffic.h for how the bench drives it. */

#include <config.h>
#include "bench-traffic.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <limits.h>
#include <linux/if_link.h>
#include <net/ethernet.h>
#include <netinet/ether.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const struct command {
    const char *name;
    int (*run)(const struct bench_args *);
    const char *needs;          /* Letters of the options it must have. */
    const char *help;
} commands[] = {
    { "gen", bench_gen, "iabmnp",
      "make live frames, as if DEV's peer had got them from DEV" },
    { "sink", bench_sink, "i", "count and drop UDP frames on DEV" },
    { "sink-udp", bench_sink_udp, "p", "count and drop datagrams to a port" },
    { "udp", bench_udp, "bp", "send datagrams from a socket" },
    { "echo", bench_echo, "p", "send each datagram back" },
    { "rtt", bench_rtt, "bp", "measure round trips to an echo" },
    { "redirect", bench_redirect, "io", "XDP redirect between two devices" },
};

static const struct option options[] = {
    { "dev", required_argument, NULL, 'i' },
    { "peer", required_argument, NULL, 'o' },
    { "src", required_argument, NULL, 'a' },
    { "dst", required_argument, NULL, 'b' },
    { "smac", required_argument, NULL, 'm' },
    { "dmac", required_argument, NULL, 'n' },
    { "port", required_argument, NULL, 'p' },
    { "drop-port", required_argument, NULL, 'D' },
    { "flows", required_argument, NULL, 'f' },
    { "size", required_argument, NULL, 's' },
    { "rate", required_argument, NULL, 'r' },
    { "seconds", required_argument, NULL, 't' },
    { "generic", no_argument, NULL, 'g' },
    { "realtime", no_argument, NULL, 'R' },
    { "help", no_argument, NULL, 'h' },
    { NULL, 0, NULL, 0 },
};

volatile bool bench_over;

void
bench_die(int error, const char *format, ...)
{
    va_list args;

    fflush(stdout);
    fputs("bench-traffic: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    if (error) {
        errno = error;
        fprintf(stderr, ": %m");
    }
    fputc('\n', stderr);
    exit(EXIT_FAILURE);
}

int
bench_ifindex(const char *dev)
{
    unsigned int ifindex = if_nametoindex(dev);

    if (!ifindex) {
        bench_die(errno, "%s: no such device here", dev);
    }
    return ifindex;
}

uint64_t
bench_now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return ts.tv_sec * UINT64_C(1000000000) + ts.tv_nsec;
}

/* Says that the work has begun. */
void
bench_ready(void)
{
    puts("ready");
    fflush(stdout);
}

/* Answers each line on stdin with the counters, until it is closed or the time
 * is over. */
void
bench_serve(bench_report *report, void *aux)
{
    char line[64];

    bench_ready();
    while (!bench_over && fgets(line, sizeof line, stdin)) {
        report(aux);
        fflush(stdout);
    }
    report(aux);
    fflush(stdout);
}

static void *
watch_stdin(void *aux)
{
    pthread_t *main_thread = aux;
    char c[64];
    ssize_t n;

    do {
        n = read(STDIN_FILENO, c, sizeof c);
    } while (n > 0 || (n < 0 && errno == EINTR));
    bench_over = true;

    /* The signal may come just before a system call that it should end. */
    for (;;) {
        pthread_kill(*main_thread, SIGALRM);
        usleep(20000);
    }
    return NULL;
}

/* For a subcommand whose main thread is busy: sets 'bench_over', and gets it
 * out of its system call, when stdin is closed. */
void
bench_watch(void)
{
    static pthread_t main_thread;
    pthread_t thread;
    sigset_t alarm, old;
    int error;

    main_thread = pthread_self();
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarm, &old);
    error = pthread_create(&thread, NULL, watch_stdin, &main_thread);
    if (error) {
        bench_die(error, "cannot start a thread");
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* A UDP socket, bound to the port of 'args' or else connected to it. */
int
bench_socket(const struct bench_args *args, bool bind_port)
{
    struct sockaddr_in sin = {
        .sin_family = AF_INET,
        .sin_port = htons(args->port),
    };
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (fd < 0) {
        bench_die(errno, "cannot make a UDP socket");
    }
    if (bind_port) {
        if (bind(fd, (struct sockaddr *) &sin, sizeof sin)) {
            bench_die(errno, "cannot bind UDP port %u", args->port);
        }
    } else {
        sin.sin_addr = args->dst;
        if (connect(fd, (struct sockaddr *) &sin, sizeof sin)) {
            bench_die(errno, "%s: no way to there", inet_ntoa(args->dst));
        }
    }
    return fd;
}

/* Attaches a program to 'dev'.  It leaves the device when we end. */
void
bench_attach_xdp(int prog_fd, const char *dev, bool generic)
{
    DECLARE_LIBBPF_OPTS(bpf_link_create_opts, opts,
                        .flags = (generic ? XDP_FLAGS_SKB_MODE
                                  : XDP_FLAGS_DRV_MODE));

    if (bpf_link_create(prog_fd, bench_ifindex(dev), BPF_XDP, &opts) < 0) {
        bench_die(errno, "%s: cannot attach an XDP program in %s mode", dev,
                  generic ? "generic" : "native");
    }
}

static void
on_signal(int sig)
{
    (void) sig;
    bench_over = true;
}

/* Ends with our parent, and when the time is over.  The timer goes on ticking,
 * so that no system call can outlast it. */
static void
set_limits(uint32_t seconds)
{
    struct itimerval timer = {
        .it_value.tv_sec = seconds,
        .it_interval.tv_usec = 20000,
    };
    struct sigaction action = { .sa_handler = on_signal };

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigaction(SIGALRM, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
}

/* Puts us before ordinary tasks, so that a round trip is not measured together
 * with its wait for a time slice.  Where that is refused we go on without. */
static void
set_realtime(void)
{
    struct sched_param param = { .sched_priority = 50 };

    if (sched_setscheduler(0, SCHED_FIFO, &param)) {
        fprintf(stderr, "bench-traffic: no realtime priority: %m\n");
    }
}

static uint32_t
parse_number(const char *name, const char *arg)
{
    unsigned long long value;
    char *tail;

    errno = 0;
    value = strtoull(arg, &tail, 10);
    if (errno || *tail || tail == arg || *arg == '-' || value > UINT32_MAX) {
        bench_die(0, "--%s: \"%s\" is not a number of 0 to %u", name, arg,
                  UINT32_MAX);
    }
    return value;
}

static void
parse_address(const char *name, const char *arg, struct in_addr *addr)
{
    if (!inet_aton(arg, addr)) {
        bench_die(0, "--%s: \"%s\" is not an IPv4 address", name, arg);
    }
}

static void
parse_mac(const char *name, const char *arg, uint8_t mac[6])
{
    const struct ether_addr *ea = ether_aton(arg);

    if (!ea) {
        bench_die(0, "--%s: \"%s\" is not an Ethernet address", name, arg);
    }
    memcpy(mac, ea, 6);
}

static void __attribute__((noreturn))
usage(void)
{
    puts("usage: bench-traffic COMMAND [OPTION]...\n"
         "Traffic for ovs-afxdp-bench, which runs this program.\n\n"
         "Commands:");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        printf("  %-10s%s\n", commands[i].name, commands[i].help);
    }
    puts("\nOptions:");
    for (const struct option *o = options; o->name; o++) {
        printf("  --%s%s\n", o->name, o->has_arg ? "=VALUE" : "");
    }
    exit(EXIT_SUCCESS);
}

static void
parse_option(struct bench_args *args, int letter, const char *name)
{
    switch (letter) {
    case 'i': args->dev = optarg; break;
    case 'o': args->peer = optarg; break;
    case 'a': parse_address(name, optarg, &args->src); break;
    case 'b': parse_address(name, optarg, &args->dst); break;
    case 'm': parse_mac(name, optarg, args->smac); break;
    case 'n': parse_mac(name, optarg, args->dmac); break;
    case 'p': args->port = parse_number(name, optarg); break;
    case 'D': args->drop_port = parse_number(name, optarg); break;
    case 'f': args->flows = parse_number(name, optarg); break;
    case 's': args->size = parse_number(name, optarg); break;
    case 'r': args->rate = parse_number(name, optarg); break;
    case 't': args->seconds = parse_number(name, optarg); break;
    case 'g': args->generic = true; break;
    case 'R': args->realtime = true; break;
    case 'h': usage();
    default: exit(EXIT_FAILURE);
    }
}

static const struct command *
find_command(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (!strcmp(name, commands[i].name)) {
            return &commands[i];
        }
    }
    return NULL;
}

int
main(int argc, char *argv[])
{
    struct bench_args args = { .flows = 1, .size = 64, .seconds = 60 };
    bool seen[UCHAR_MAX + 1] = { false };
    const struct command *command;
    int letter, index;

    while ((letter = getopt_long(argc, argv, "h", options, &index)) != -1) {
        parse_option(&args, letter, options[index].name);
        seen[(unsigned char) letter] = true;
    }
    command = argc == optind + 1 ? find_command(argv[optind]) : NULL;
    if (!command) {
        bench_die(0, "needs one command; --help lists them");
    }
    for (const struct option *o = options; o->name; o++) {
        if (strchr(command->needs, o->val) && !seen[o->val]) {
            bench_die(0, "%s needs --%s", command->name, o->name);
        }
    }

    set_limits(args.seconds);
    if (args.realtime) {
        set_realtime();
    }
    return command->run(&args);
}

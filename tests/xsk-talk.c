/* SPDX-License-Identifier: Apache-2.0 */

/* xsk-talk DEVICE MODE COUNT [MAC]: a program in a container that uses an
 * AF_XDP socket on the container's own device, queue 0, for
 * tests/cni-traffic.at.  MODE is "zerocopy", "native" or "generic"; the last
 * two copy.
 *
 * With MAC it sends COUNT numbered frames to that address, one after the
 * other, and waits for the answer to each.  Without, it answers COUNT frames,
 * each to who sent it. */

#include <config.h>

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_link.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xdp/xsk.h>

#define N_FRAMES 64
#define FRAME_SIZE XSK_UMEM__DEFAULT_FRAME_SIZE
#define ETHERTYPE_TALK 0x88b5   /* For experiments, by IEEE 802. */
#define LENGTH 60
#define WAIT_MS 5000

/* The first frames are to receive, the last one is to send. */
#define TX_ADDR ((uint64_t) (N_FRAMES - 1) * FRAME_SIZE)

struct talk {
    uint8_t *memory;
    struct xsk_umem *umem;
    struct xsk_ring_prod fill, tx;
    struct xsk_ring_cons completion, rx;
    struct xsk_socket *xsk;
    uint8_t mac[ETH_ALEN];
};

struct message {
    struct ether_header eth;
    uint32_t number;
} __attribute__((packed));

static void
die(const char *what, int error)
{
    fprintf(stderr, "xsk-talk: %s: %s\n", what, strerror(error));
    exit(EXIT_FAILURE);
}

static void
give_to_kernel(struct talk *t, uint64_t addr)
{
    uint32_t idx;

    if (xsk_ring_prod__reserve(&t->fill, 1, &idx) == 1) {
        *xsk_ring_prod__fill_addr(&t->fill, idx) = addr;
        xsk_ring_prod__submit(&t->fill, 1);
    }
}

static void
read_mac(struct talk *t, const char *device)
{
    struct ifreq ifr;
    int fd = socket(AF_INET, SOCK_DGRAM, 0);

    memset(&ifr, 0, sizeof ifr);
    strncpy(ifr.ifr_name, device, IFNAMSIZ - 1);
    if (fd < 0 || ioctl(fd, SIOCGIFHWADDR, &ifr)) {
        die(device, errno);
    }
    memcpy(t->mac, ifr.ifr_hwaddr.sa_data, ETH_ALEN);
    close(fd);
}

static void
open_socket(struct talk *t, const char *device, const char *mode)
{
    struct xsk_socket_config config = {
        .rx_size = N_FRAMES,
        .tx_size = N_FRAMES,
        .xdp_flags = (strcmp(mode, "generic") ? XDP_FLAGS_DRV_MODE
                                              : XDP_FLAGS_SKB_MODE),
        .bind_flags = strcmp(mode, "zerocopy") ? XDP_COPY : XDP_ZEROCOPY,
    };
    size_t size = N_FRAMES * FRAME_SIZE;
    int error;

    t->memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (t->memory == MAP_FAILED) {
        die("mmap", errno);
    }
    error = xsk_umem__create(&t->umem, t->memory, size, &t->fill,
                             &t->completion, NULL);
    if (error) {
        die("cannot make a UMEM", -error);
    }
    error = xsk_socket__create(&t->xsk, device, 0, t->umem, &t->rx, &t->tx,
                               &config);
    if (error) {
        die(device, -error);
    }
    for (uint64_t addr = 0; addr < TX_ADDR; addr += FRAME_SIZE) {
        give_to_kernel(t, addr);
    }
}

static void
send_message(struct talk *t, const uint8_t *to, uint32_t number)
{
    struct message *message = (struct message *) (t->memory + TX_ADDR);
    struct xdp_desc *desc;
    uint32_t idx;

    memset(message, 0, LENGTH);
    memcpy(message->eth.ether_dhost, to, ETH_ALEN);
    memcpy(message->eth.ether_shost, t->mac, ETH_ALEN);
    message->eth.ether_type = htons(ETHERTYPE_TALK);
    message->number = htonl(number);

    if (xsk_ring_prod__reserve(&t->tx, 1, &idx) != 1) {
        die("the ring is full", ENOBUFS);
    }
    desc = xsk_ring_prod__tx_desc(&t->tx, idx);
    desc->addr = TX_ADDR;
    desc->len = LENGTH;
    xsk_ring_prod__submit(&t->tx, 1);
    sendto(xsk_socket__fd(t->xsk), NULL, 0, MSG_DONTWAIT, NULL, 0);
    while (!xsk_ring_cons__peek(&t->completion, 1, &idx)) {
        continue;
    }
    xsk_ring_cons__release(&t->completion, 1);
}

/* Waits for a message of ours; others' frames go by. */
static bool
receive_message(struct talk *t, struct message *message)
{
    struct pollfd pfd = { .fd = xsk_socket__fd(t->xsk), .events = POLLIN };
    uint32_t idx;

    for (;;) {
        while (xsk_ring_cons__peek(&t->rx, 1, &idx)) {
            const struct xdp_desc *desc = xsk_ring_cons__rx_desc(&t->rx, idx);
            uint64_t addr = desc->addr;

            memcpy(message, t->memory + addr, sizeof *message);
            xsk_ring_cons__release(&t->rx, 1);
            give_to_kernel(t, addr - addr % FRAME_SIZE);
            if (message->eth.ether_type == htons(ETHERTYPE_TALK)) {
                return true;
            }
        }
        if (poll(&pfd, 1, WAIT_MS) <= 0) {
            return false;
        }
    }
}

/* Sends 'count' messages; returns how many were answered. */
static uint32_t
ask(struct talk *t, const uint8_t *to, uint32_t count)
{
    struct message message;
    uint32_t n = 0;

    while (n < count) {
        send_message(t, to, n);
        if (!receive_message(t, &message) || ntohl(message.number) != n) {
            break;
        }
        n++;
    }
    return n;
}

static uint32_t
answer(struct talk *t, uint32_t count)
{
    struct message message;
    uint32_t n = 0;

    puts("ready");
    fflush(stdout);
    while (n < count && receive_message(t, &message)) {
        send_message(t, message.eth.ether_shost, ntohl(message.number));
        n++;
    }
    return n;
}

int
main(int argc, char *argv[])
{
    static struct talk t;
    uint8_t to[ETH_ALEN];
    uint32_t count, n;

    if (argc < 4
        || (argc > 4 && sscanf(argv[4], "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx",
                               &to[0], &to[1], &to[2], &to[3], &to[4],
                               &to[5]) != 6)) {
        fprintf(stderr, "usage: xsk-talk DEVICE MODE COUNT [MAC]\n");
        return EXIT_FAILURE;
    }
    count = atoi(argv[3]);
    read_mac(&t, argv[1]);
    open_socket(&t, argv[1], argv[2]);
    n = argc > 4 ? ask(&t, to, count) : answer(&t, count);
    printf("%u of %u\n", n, count);
    xsk_socket__delete(t.xsk);
    xsk_umem__delete(t.umem);
    return n == count ? EXIT_SUCCESS : EXIT_FAILURE;
}

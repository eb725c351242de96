/* SPDX-License-Identifier: Apache-2.0 */

/* libxdp's sockets on rings in plain memory; see fake-xsk.h. */

#include <config.h>

#include "fake-xsk.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <xdp/xsk.h>

#include "afxdp-compat.h"
#include "util.h"

#define MAX_FD 1024
#define MAX_AREAS 64
#define MAX_SOCKETS 64

enum place { USER, FILL, RX, TX, CQ };

static const char *const place_names[] = {
    [USER] = "user space", [FILL] = "a fill ring", [RX] = "an rx ring",
    [TX] = "a tx ring", [CQ] = "a completion ring",
};

/* A memory area, registered by one umem or by many. */
struct area {
    char *base;
    size_t size;
    size_t frame_size;
    unsigned int n_users;
    uint8_t *place;             /* By frame: enum place. */
};

/* One ring.  'shadow' keeps what the kernel has put into the ring, since user
 * space may scribble over entries that it has taken. */
struct ring {
    uint32_t producer;
    uint32_t consumer;
    uint32_t flags;
    uint32_t size;
    uint32_t seen;              /* User space's index when last looked at. */
    void *entries;
    uint64_t *shadow;
};

struct xsk_umem {
    struct area *area;
    struct xsk_umem_config cfg;
    struct ring fill;
    struct ring comp;
    struct xsk_socket *user;
};

struct xsk_socket {
    struct xsk_umem *umem;
    struct ring rx;
    struct ring tx;
    char ifname[32];
    uint32_t queue;
    bool long_packets;          /* Takes packets of several frames. */
    uint16_t bind_flags;
    int fd;
    uint64_t n_kicks;
    uint64_t n_wakes;
};

static struct area areas[MAX_AREAS];
static struct xsk_socket *sockets[MAX_SOCKETS];
static struct xsk_socket *by_fd[MAX_FD];
static unsigned int n_umems;

static struct {
    int error;
    unsigned int n;
    unsigned int skip;
} failures[FAKE_XSK_N_POINTS];

static void OVS_PRINTF_FORMAT(1, 2) OVS_NO_RETURN
broken(const char *format, ...)
{
    va_list args;

    fputs("fake-xsk: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    abort();
}

static int
fail_at(enum fake_xsk_point point)
{
    if (!failures[point].n) {
        return 0;
    }
    if (failures[point].skip) {
        failures[point].skip--;
        return 0;
    }
    failures[point].n--;
    errno = failures[point].error;
    return -errno;
}

void
fake_xsk_fail_after(enum fake_xsk_point point, int error, unsigned int n,
                    unsigned int skip)
{
    failures[point].error = error;
    failures[point].n = n;
    failures[point].skip = skip;
}

void
fake_xsk_fail(enum fake_xsk_point point, int error, unsigned int n)
{
    fake_xsk_fail_after(point, error, n, 0);
}

/* Areas. */

static struct area *
area_get(void *base, size_t size, size_t frame_size)
{
    struct area *unused = NULL;

    for (struct area *a = areas; a < &areas[MAX_AREAS]; a++) {
        if (!a->n_users) {
            unused = unused ? unused : a;
        } else if (a->base == base) {
            if (a->size != size || a->frame_size != frame_size) {
                broken("one area registered with two sizes");
            }
            a->n_users++;
            return a;
        } else if ((char *) base < a->base + a->size
                   && (char *) base + size > a->base) {
            broken("two areas overlap");
        }
    }
    if (!unused) {
        broken("more than %d areas", MAX_AREAS);
    }

    unused->base = base;
    unused->size = size;
    unused->frame_size = frame_size;
    unused->n_users = 1;
    unused->place = calloc(size / frame_size, 1);
    return unused;
}

static void
area_put(struct area *a)
{
    if (!--a->n_users) {
        free(a->place);
        a->place = NULL;
    }
}

/* Moves the frame of 'addr' from one place to another. */
static void
move(struct area *a, uint64_t addr, enum place from, enum place to)
{
    uint64_t index = addr / a->frame_size;

    if (addr >= a->size) {
        broken("address %#llx is outside the area",
               (unsigned long long int) addr);
    }
    if (a->place[index] != from) {
        broken("frame %llu goes from %s to %s, but is in %s",
               (unsigned long long int) index, place_names[from],
               place_names[to], place_names[a->place[index]]);
    }
    a->place[index] = to;
}

/* Rings. */

static void
ring_init(struct ring *r, uint32_t size, size_t entry_size)
{
    if (!IS_POW2(size)) {
        broken("ring size %u is no power of two", size);
    }
    memset(r, 0, sizeof *r);
    r->size = size;
    r->entries = calloc(size, entry_size);
    r->shadow = calloc(size, sizeof *r->shadow);
}

static void
ring_destroy(struct ring *r)
{
    free(r->entries);
    free(r->shadow);
    r->entries = NULL;
    r->shadow = NULL;
    r->producer = r->consumer = r->seen = 0;
}

#define RING_TO_USER(USER_RING, R, CACHED_CONS)     \
    do {                                            \
        (USER_RING)->cached_prod = 0;               \
        (USER_RING)->cached_cons = (CACHED_CONS);   \
        (USER_RING)->mask = (R)->size - 1;          \
        (USER_RING)->size = (R)->size;              \
        (USER_RING)->producer = &(R)->producer;     \
        (USER_RING)->consumer = &(R)->consumer;     \
        (USER_RING)->ring = (R)->entries;           \
        (USER_RING)->flags = &(R)->flags;           \
    } while (0)

static void *
ring_entry(struct ring *r, uint32_t index, size_t entry_size)
{
    return (char *) r->entries + (index & (r->size - 1)) * entry_size;
}

static struct xdp_desc *
ring_desc(struct ring *r, uint32_t index)
{
    return ring_entry(r, index, sizeof(struct xdp_desc));
}

static uint64_t *
ring_addr(struct ring *r, uint32_t index)
{
    return ring_entry(r, index, sizeof(uint64_t));
}

static uint64_t *
ring_shadow(struct ring *r, uint32_t index)
{
    return &r->shadow[index & (r->size - 1)];
}

/* Books what user space has taken from 'r', a ring that the kernel fills. */
static void
sync_taken(struct area *a, struct ring *r, enum place from)
{
    uint32_t consumer = __atomic_load_n(&r->consumer, __ATOMIC_ACQUIRE);

    if (r->producer - consumer > r->size) {
        broken("more taken from %s than there was", place_names[from]);
    }
    for (; r->seen != consumer; r->seen++) {
        move(a, *ring_shadow(r, r->seen), from, USER);
    }
}

/* Books what user space has put into 'r', a ring that the kernel empties. */
static void
sync_given(struct area *a, struct ring *r, enum place to)
{
    uint32_t producer = __atomic_load_n(&r->producer, __ATOMIC_ACQUIRE);

    if (producer - r->consumer > r->size) {
        broken("more put into %s than fits", place_names[to]);
    }
    for (; r->seen != producer; r->seen++) {
        move(a, to == FILL ? *ring_addr(r, r->seen)
                           : ring_desc(r, r->seen)->addr, USER, to);
    }
}

/* Brings the book up to date.  The kernel has not moved since the last time,
 * so a frame has been taken from a ring at most once and put into one at most
 * once after that; first all takings, then all givings gives the order. */
void
fake_xsk_check(void)
{
    for (size_t i = 0; i < MAX_SOCKETS; i++) {
        struct xsk_socket *s = sockets[i];

        if (s) {
            sync_taken(s->umem->area, &s->rx, RX);
            sync_taken(s->umem->area, &s->umem->comp, CQ);
        }
    }
    for (size_t i = 0; i < MAX_SOCKETS; i++) {
        struct xsk_socket *s = sockets[i];

        if (s) {
            sync_given(s->umem->area, &s->umem->fill, FILL);
            sync_given(s->umem->area, &s->tx, TX);
        }
    }
}

unsigned int
fake_xsk_in_kernel(void)
{
    unsigned int n = 0;

    fake_xsk_check();
    for (struct area *a = areas; a < &areas[MAX_AREAS]; a++) {
        for (size_t i = 0; a->n_users && i < a->size / a->frame_size; i++) {
            n += a->place[i] != USER;
        }
    }
    return n;
}

unsigned int
fake_xsk_n_sockets(void)
{
    unsigned int n = 0;

    for (size_t i = 0; i < MAX_SOCKETS; i++) {
        n += sockets[i] != NULL;
    }
    return n;
}

unsigned int
fake_xsk_n_umems(void)
{
    return n_umems;
}

/* The kernel's moves. */

/* Where data starts in a frame. */
static uint32_t
data_offset(const struct xsk_umem *umem)
{
    return XDP_PACKET_HEADROOM + umem->cfg.frame_headroom;
}

/* Moves a frame from the fill ring to the rx ring, with the 'len' bytes at
 * 'data'; there is one, and a place for it.  Returns where the copy is. */
static char *
receive_one(struct xsk_socket *s, const void *data, size_t len,
            uint32_t options)
{
    struct xsk_umem *umem = s->umem;
    struct ring *fill = &umem->fill;
    struct ring *rx = &s->rx;
    uint64_t addr = *ring_addr(fill, fill->consumer);
    struct xdp_desc *desc = ring_desc(rx, rx->producer);

    addr = (addr / umem->cfg.frame_size * umem->cfg.frame_size
            + data_offset(umem));
    memcpy(umem->area->base + addr, data, len);

    desc->addr = addr;
    desc->len = len;
    desc->options = options;
    *ring_shadow(rx, rx->producer) = addr;
    move(umem->area, addr, FILL, RX);

    __atomic_store_n(&fill->consumer, fill->consumer + 1, __ATOMIC_RELEASE);
    __atomic_store_n(&rx->producer, rx->producer + 1, __ATOMIC_RELEASE);
    return umem->area->base + addr;
}

/* Returns how many frames the socket can receive into. */
static unsigned int
can_receive(const struct xsk_socket *s)
{
    const struct ring *fill = &s->umem->fill;
    const struct ring *rx = &s->rx;

    return MIN(fill->seen - fill->consumer,
               rx->size - (rx->producer - rx->consumer));
}

/* The network hands the socket 'n' frames of 'len' bytes; returns how many of
 * them found a frame in the fill ring and a place in the rx ring. */
unsigned int
fake_xsk_receive(struct xsk_socket *s, const void *data, size_t len,
                 unsigned int n)
{
    fake_xsk_check();
    if (data_offset(s->umem) + len > s->umem->cfg.frame_size) {
        return 0;
    }
    n = MIN(n, can_receive(s));
    for (unsigned int i = 0; i < n; i++) {
        receive_one(s, data, len, 0);
    }
    return n;
}

/* The network hands the socket a packet of 'len' bytes, in as many frames as
 * it takes, with the 'note_len' bytes at 'note' as metadata in front.  Returns
 * the number of frames, or 0 if there are not enough, or the socket does not
 * take packets of several. */
unsigned int
fake_xsk_receive_long(struct xsk_socket *s, const void *note, size_t note_len,
                      const void *data_, size_t len)
{
    uint32_t room = s->umem->cfg.frame_size - data_offset(s->umem);
    unsigned int n = DIV_ROUND_UP(len, room);
    const char *data = data_;

    fake_xsk_check();
    if (n > can_receive(s) || (n > 1 && !s->long_packets)) {
        return 0;
    }
    for (unsigned int i = 0; i < n; i++) {
        size_t chunk = MIN(len, room);
        char *copy = receive_one(s, data, chunk,
                                 i < n - 1 ? XDP_PKT_CONTD : 0);

        if (!i) {
            memcpy(copy - note_len, note, note_len);
        }
        data += chunk;
        len -= chunk;
    }
    return n;
}

/* The kernel sends up to 'n' frames of the tx ring, shows each to 'sink'
 * (which may be NULL) and puts it into the completion ring; returns their
 * number. */
unsigned int
fake_xsk_transmit(struct xsk_socket *s, unsigned int n, fake_xsk_sink *sink,
                  void *aux)
{
    struct xsk_umem *umem = s->umem;
    struct ring *comp = &umem->comp;
    struct ring *tx = &s->tx;
    unsigned int i;

    fake_xsk_check();
    for (i = 0; i < n; i++) {
        struct xdp_desc *desc;

        if (tx->consumer == tx->seen
            || comp->producer - comp->consumer == comp->size) {
            break;
        }
        desc = ring_desc(tx, tx->consumer);
        if (desc->addr % umem->cfg.frame_size + desc->len
            > umem->cfg.frame_size) {
            broken("a packet of %u bytes runs over the end of its frame",
                   desc->len);
        }
        if (desc->options) {
            broken("descriptor with options %#x", desc->options);
        }
        if (sink) {
            sink(umem->area->base + desc->addr, desc->len, aux);
        }
        *ring_addr(comp, comp->producer) = desc->addr;
        *ring_shadow(comp, comp->producer) = desc->addr;
        move(umem->area, desc->addr, TX, CQ);

        __atomic_store_n(&tx->consumer, tx->consumer + 1, __ATOMIC_RELEASE);
        __atomic_store_n(&comp->producer, comp->producer + 1,
                         __ATOMIC_RELEASE);
    }
    return i;
}

struct xsk_socket *
fake_xsk_lookup(const char *ifname, uint32_t queue)
{
    for (size_t i = 0; i < MAX_SOCKETS; i++) {
        struct xsk_socket *s = sockets[i];

        if (s && s->queue == queue && !strcmp(s->ifname, ifname)) {
            return s;
        }
    }
    return NULL;
}

struct xsk_socket *
fake_xsk_from_fd(int fd)
{
    return fd >= 0 && fd < MAX_FD ? by_fd[fd] : NULL;
}

int
fake_xsk_kick(struct xsk_socket *s)
{
    s->n_kicks++;
    return fail_at(FAKE_XSK_KICK) ? -1 : 0;
}

void
fake_xsk_wake(struct xsk_socket *s)
{
    s->n_wakes++;
}

uint64_t
fake_xsk_kicks(const struct xsk_socket *s)
{
    return s->n_kicks;
}

uint16_t
fake_xsk_bind_flags(const struct xsk_socket *s)
{
    return s->bind_flags;
}

/* libxdp's functions. */

int
xsk_umem__create(struct xsk_umem **umemp, void *umem_area, __u64 size,
                 struct xsk_ring_prod *fill, struct xsk_ring_cons *comp,
                 const struct xsk_umem_config *cfg)
{
    struct xsk_umem *umem;
    int error = fail_at(FAKE_XSK_UMEM);

    if (error) {
        return error;
    }

    umem = calloc(1, sizeof *umem);
    umem->cfg = *cfg;
    umem->area = area_get(umem_area, size, cfg->frame_size);
    ring_init(&umem->fill, cfg->fill_size, sizeof(uint64_t));
    ring_init(&umem->comp, cfg->comp_size, sizeof(uint64_t));
    RING_TO_USER(fill, &umem->fill, umem->fill.size);
    RING_TO_USER(comp, &umem->comp, 0);
    n_umems++;

    *umemp = umem;
    return 0;
}

int
xsk_umem__delete(struct xsk_umem *umem)
{
    if (!umem) {
        return 0;
    }
    if (umem->user) {
        return -EBUSY;
    }
    ring_destroy(&umem->fill);
    ring_destroy(&umem->comp);
    area_put(umem->area);
    free(umem);
    n_umems--;
    return 0;
}

int
xsk_socket__create(struct xsk_socket **xskp, const char *ifname,
                   __u32 queue_id, struct xsk_umem *umem,
                   struct xsk_ring_cons *rx, struct xsk_ring_prod *tx,
                   const struct xsk_socket_config *cfg)
{
    struct xsk_socket *s;
    int error = fail_at(FAKE_XSK_BIND);
    size_t i;

    if (error) {
        return error;
    }
    if (umem->user || fake_xsk_lookup(ifname, queue_id)) {
        errno = EBUSY;
        return -EBUSY;
    }
    if (cfg->bind_flags & XDP_ZEROCOPY) {
        errno = EOPNOTSUPP;
        return -EOPNOTSUPP;
    }

    s = calloc(1, sizeof *s);
    s->umem = umem;
    umem->user = s;
    s->queue = queue_id;
    s->long_packets = cfg->bind_flags & XDP_USE_SG;
    s->bind_flags = cfg->bind_flags;
    ovs_strlcpy(s->ifname, ifname, sizeof s->ifname);
    if (rx) {
        ring_init(&s->rx, cfg->rx_size, sizeof(struct xdp_desc));
        RING_TO_USER(rx, &s->rx, 0);
    }
    if (tx) {
        ring_init(&s->tx, cfg->tx_size, sizeof(struct xdp_desc));
        RING_TO_USER(tx, &s->tx, s->tx.size);
    }

    /* As the kernel has it for a socket in copy mode: sending always wants a
     * kick, the fill ring is looked at without one. */
    if (cfg->bind_flags & XDP_USE_NEED_WAKEUP) {
        s->tx.flags = XDP_RING_NEED_WAKEUP;
    }

    s->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (s->fd < 0 || s->fd >= MAX_FD) {
        broken("no descriptor for a socket");
    }
    by_fd[s->fd] = s;

    for (i = 0; i < MAX_SOCKETS && sockets[i]; i++) {
        continue;
    }
    if (i == MAX_SOCKETS) {
        broken("more than %d sockets", MAX_SOCKETS);
    }
    sockets[i] = s;

    *xskp = s;
    return 0;
}

/* The kernel forgets every frame that it had through this socket. */
static void
forget(struct xsk_socket *s)
{
    struct area *a = s->umem->area;
    struct ring *fill = &s->umem->fill;
    struct ring *comp = &s->umem->comp;

    fake_xsk_check();
    for (; fill->consumer != fill->seen; fill->consumer++) {
        move(a, *ring_addr(fill, fill->consumer), FILL, USER);
    }
    for (; s->tx.consumer != s->tx.seen; s->tx.consumer++) {
        move(a, ring_desc(&s->tx, s->tx.consumer)->addr, TX, USER);
    }
    for (; s->rx.seen != s->rx.producer; s->rx.seen++) {
        move(a, *ring_shadow(&s->rx, s->rx.seen), RX, USER);
    }
    for (; comp->seen != comp->producer; comp->seen++) {
        move(a, *ring_shadow(comp, comp->seen), CQ, USER);
    }
}

void
xsk_socket__delete(struct xsk_socket *s)
{
    if (!s) {
        return;
    }

    forget(s);
    for (size_t i = 0; i < MAX_SOCKETS; i++) {
        if (sockets[i] == s) {
            sockets[i] = NULL;
        }
    }
    by_fd[s->fd] = NULL;
    close(s->fd);
    s->umem->user = NULL;
    ring_destroy(&s->rx);
    ring_destroy(&s->tx);
    free(s);
}

int
xsk_socket__fd(const struct xsk_socket *s)
{
    return s ? s->fd : -EINVAL;
}

int
xsk_umem__fd(const struct xsk_umem *umem)
{
    return umem && umem->user ? umem->user->fd : -EINVAL;
}

int
xsk_socket__update_xskmap(struct xsk_socket *s OVS_UNUSED,
                          int xsks_map_fd OVS_UNUSED)
{
    return 0;
}

/* libbpf's, as far as the stock netdev asks: a program is there. */

int
bpf_xdp_query_id(int ifindex OVS_UNUSED, int flags OVS_UNUSED,
                 __u32 *prog_id)
{
    *prog_id = 1;
    return 0;
}

int
bpf_xdp_detach(int ifindex OVS_UNUSED, __u32 flags OVS_UNUSED,
               const struct bpf_xdp_attach_opts *opts OVS_UNUSED)
{
    return 0;
}

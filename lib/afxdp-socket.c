/* SPDX-License-Identifier: Apache-2.0 */

/* The AF_XDP socket of a queue: see afxdp-socket.h. */

#include <config.h>

#include "afxdp-socket.h"

#include <errno.h>
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "afxdp-compat.h"
#include "afxdp-config.h"
#include "afxdp-device.h"
#include "afxdp-queue.h"
#include "afxdp-rx.h"
#include "openvswitch/vlog.h"

VLOG_DEFINE_THIS_MODULE(afxdp_socket);

#ifndef SOL_XDP
#define SOL_XDP 283
#endif

/* A socket that was just closed keeps its queue until the kernel's work queue
 * has freed it, some milliseconds later.  A bind that meets it is tried again
 * so often, this long apart. */
#define BIND_TRIES 25
#define BIND_PAUSE_MS 20

/* Longest wait for the kernel to let go of a closed socket's frames. */
#define RELEASE_TRIES 100
#define RELEASE_PAUSE_MS 5

static void
sleep_ms(int ms)
{
    xnanosleep_no_quiesce(ms * 1000000LL);
}

/* Registers the memory of 'arena' as the UMEM of the queue 'q' and makes its
 * fill and completion ring.  Returns 0 or a positive errno value. */
static int
umem_open(struct afxdp_arena *arena, struct afxdp_queue *q)
{
    const struct xsk_umem_config config = {
        .fill_size = AFXDP_RING_SIZE,
        .comp_size = AFXDP_RING_SIZE,
        .frame_size = AFXDP_FRAME_SIZE,
        .frame_headroom = AFXDP_HEADROOM,
    };

    return -xsk_umem__create(&q->umem, arena->base, arena->size, &q->fill,
                             &q->comp, &config);
}

/* Binds a socket of 'q' to queue q->qid of its device.  Returns 0 or a
 * positive errno value. */
static int
bind_once(struct afxdp_queue *q, uint16_t flags)
{
    const struct xsk_socket_config config = {
        .rx_size = AFXDP_RING_SIZE,
        .tx_size = AFXDP_RING_SIZE,
        .libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD,
        .bind_flags = flags,
    };

    return -xsk_socket__create(&q->xsk, q->name, q->qid, q->umem, &q->rx,
                               &q->tx, &config);
}

/* Returns why a UMEM of 'arena' could not be registered. */
static char *
umem_error(const struct afxdp_arena *arena, int error)
{
    static const unsigned int raw[] = { CAP_NET_RAW };
    static const unsigned int lock[] = { CAP_IPC_LOCK };
    char *missing = NULL, *message;
    struct rlimit r;

    if (error == EPERM) {
        missing = afxdp_missing_caps(raw, 1);
    } else if (error == ENOBUFS) {
        missing = afxdp_missing_caps(lock, 1);
    }
    if (error == EPERM && missing) {
        message = xasprintf("opening an AF_XDP socket needs %s, which this "
                            "process lacks; give it to ovs-vswitchd", missing);
    } else if (missing) {
        getrlimit(RLIMIT_MEMLOCK, &r);
        message = xasprintf("the limit of locked memory (ulimit -l, %"PRIu64
                            " KiB) is too low for %"PRIu64" KiB a queue; raise"
                            " it, or give ovs-vswitchd %s",
                            (uint64_t) r.rlim_cur / 1024, arena->size / 1024,
                            missing);
    } else if (error == ENOMEM || error == ENOBUFS) {
        message = xasprintf("no memory to register %u frames: %s; free some, "
                            "or set a smaller other_config:afxdp-frames",
                            arena->n_frames, ovs_strerror(error));
    } else {
        message = xasprintf("cannot open an AF_XDP socket: %s%s",
                            ovs_strerror(error),
                            error == EAFNOSUPPORT
                            ? "; the kernel lacks CONFIG_XDP_SOCKETS" : "");
    }
    free(missing);
    return message;
}

/* Returns the flags of bind() for 'options'. */
static uint16_t
bind_flags(const struct afxdp_socket_options *options)
{
    uint16_t flags = options->zero_copy ? XDP_ZEROCOPY : XDP_COPY;

    if (options->need_wakeup) {
        flags |= XDP_USE_NEED_WAKEUP;
    }
    if (options->long_packets) {
        flags |= XDP_USE_SG;
    }
    if (options->skip_bpf) {
        flags |= XDP_SKIP_BPF;
        if (options->generic) {
            flags |= XDP_SKIP_BPF_GENERIC;
        }
    }
    return flags;
}

/* Returns why queue 'qid' could not be bound as 'options' say. */
static char *
bind_error(int qid, const struct afxdp_socket_options *options, int error)
{
    const char *way_out = options->skip_bpf ? "; or use skip-bpf=auto" : "";

    if (error == EBUSY) {
        return xasprintf("queue %d is in use by another AF_XDP socket (still "
                         "after %d ms); stop the program that holds it", qid,
                         BIND_TRIES * BIND_PAUSE_MS);
    } else if (options->zero_copy) {
        return xasprintf("queue %d: the device has no zero copy here (%s); "
                         "use xdp-mode=best-effort or native%s", qid,
                         ovs_strerror(error), way_out);
    }
    return xasprintf("cannot bind to queue %d: %s%s", qid,
                     ovs_strerror(error), way_out);
}

/* Registers the arena and binds the socket of 'q', once or, while the queue is
 * busy, several times. */
static int
socket_bind(struct afxdp_queue *q, const struct afxdp_socket_options *options,
            char **errp)
{
    uint16_t flags = bind_flags(options);
    int error = 0;

    for (int i = 0; i < BIND_TRIES; i++) {
        error = umem_open(q->arena, q);
        if (error) {
            *errp = umem_error(q->arena, error);
            return error;
        }
        error = bind_once(q, flags);
        if (!error) {
            return 0;
        }
        xsk_umem__delete(q->umem);
        if (error != EBUSY) {
            break;
        }
        sleep_ms(BIND_PAUSE_MS);
    }
    *errp = bind_error(q->qid, options, error);
    return error;
}

/* Opens queue 'qid' of device 'name', a string that must outlive it, with
 * frames from 'arena', and gives it its first frames.
 *
 * Returns the queue, which the caller must close with afxdp_socket_close(), or
 * NULL, with a positive errno value in '*errorp' and a message in '*errp',
 * which the caller must free. */
struct afxdp_queue *
afxdp_socket_open(struct afxdp_arena *arena, const char *name, int qid,
                  const struct afxdp_socket_options *options, int *errorp,
                  char **errp)
{
    bool zero_copy = options->zero_copy;
    struct afxdp_queue *q = xzalloc_cacheline(sizeof *q);

    q->arena = arena;
    q->name = name;
    q->qid = qid;
    q->slot = afxdp_slot_alloc(arena, q);
    if (q->slot < 0) {
        *errorp = ENOSPC;
        *errp = xasprintf("more than %d queues are in use", AFXDP_MAX_SLOTS);
        free_cacheline(q);
        return NULL;
    }

    *errorp = socket_bind(q, options, errp);
    if (*errorp) {
        afxdp_slot_free(arena, q->slot);
        free_cacheline(q);
        return NULL;
    }

    q->fd = xsk_socket__fd(q->xsk);
    q->zero_copy = zero_copy;
    q->skip_bpf = options->skip_bpf;
    q->rx_tag = afxdp_tag(AFXDP_RX, q->slot);
    q->tx_tag = afxdp_tag(AFXDP_TX, q->slot);
    q->rx_wakeup = zero_copy && options->need_wakeup;
    q->tx_wakeup = options->need_wakeup;
    q->tx_sync = !zero_copy;
    ovs_spin_init(&q->tx_lock);
    afxdp_raw_init(q, options->raw, options->mtu);
    afxdp_rx_start(q);
    return q;
}

/* Can queue 'qid' of device 'name' be bound again, or is the device gone?
 * Then the kernel has freed the socket that was bound to it before, with all
 * that its driver had of it. */
static bool
queue_is_released(const char *name, int qid)
{
    enum { SIZE = 2 * AFXDP_FRAME_SIZE };
    const struct xsk_umem_config umem_config = {
        .fill_size = 2, .comp_size = 2, .frame_size = AFXDP_FRAME_SIZE,
    };
    const struct xsk_socket_config config = {
        .tx_size = 2,
        .libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD,
        .bind_flags = XDP_COPY,
    };
    struct xsk_ring_prod fill, tx;
    struct xsk_ring_cons comp;
    struct xsk_umem *umem;
    struct xsk_socket *xsk;
    void *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int error = EBUSY;

    if (memory == MAP_FAILED) {
        return false;
    }
    if (!xsk_umem__create(&umem, memory, SIZE, &fill, &comp, &umem_config)) {
        error = -xsk_socket__create(&xsk, name, qid, umem, NULL, &tx, &config);
        if (!error) {
            xsk_socket__delete(xsk);
        }
        xsk_umem__delete(umem);
    }
    munmap(memory, SIZE);
    return error != EBUSY;
}

/* Waits until the kernel has let go of the frames of 'q', whose socket is
 * closed.  Returns false if it does not. */
static bool
wait_for_release(const struct afxdp_queue *q)
{
    for (int i = 0; i < RELEASE_TRIES; i++) {
        if (queue_is_released(q->name, q->qid)) {
            return true;
        }
        sleep_ms(RELEASE_PAUSE_MS);
    }
    return false;
}

/* Closes 'q' and frees it.  All its frames are free afterwards, but for those
 * that are packets in user space: whoever holds them frees them.  No thread
 * may use 'q' any more, and no program deliver to it. */
void
afxdp_socket_close(struct afxdp_queue *q)
{
    /* In copy mode the kernel touches no frame after close() has returned,
     * unless it is still sending some.  A driver may write to frames until the
     * kernel's work queue has taken them away from it.  So long, a socket
     * without a program keeps programs away from the device. */
    bool wait = q->zero_copy || q->skip_bpf || q->tx_held;

    afxdp_raw_uninit(q);
    xsk_socket__delete(q->xsk);
    xsk_umem__delete(q->umem);
    if (wait && !wait_for_release(q)) {
        VLOG_ERR("%s: the kernel still holds queue %d, %d ms after it was "
                 "closed; its frames stay unused until ovs-vswitchd is "
                 "restarted", q->name, q->qid,
                 RELEASE_TRIES * RELEASE_PAUSE_MS);
        q->name = "closed queue";
        return;
    }
    afxdp_frames_reclaim(q->arena, q->slot);
    afxdp_slot_free(q->arena, q->slot);
    ovs_spin_destroy(&q->tx_lock);
    free_cacheline(q);
}

/* Reads the kernel's counters of 'q' into '*stats'; those that the kernel does
 * not have are 0.  Returns 0 or a positive errno value. */
int
afxdp_socket_stats(const struct afxdp_queue *q, struct xdp_statistics *stats)
{
    socklen_t len = sizeof *stats;

    memset(stats, 0, sizeof *stats);
    return getsockopt(q->fd, SOL_XDP, XDP_STATISTICS, stats, &len) ? errno : 0;
}

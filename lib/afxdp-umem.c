/* SPDX-License-Identifier: Apache-2.0 */

/* Arenas: see afxdp-umem.h.  Only the main thread calls these functions. */

#include <config.h>

#include "afxdp-umem.h"

#include <errno.h>
#include <numa.h>
#include <sys/mman.h>

#include "afxdp-frame.h"
#include "openvswitch/vlog.h"
#include "ovs-numa.h"
#include "smap.h"

VLOG_DEFINE_THIS_MODULE(afxdp_umem);

/* A huge page of x86-64 and arm64 in bytes: arenas are a multiple of it. */
#define HUGE_PAGE (2u << 20)
#define FRAMES_PER_HUGE_PAGE (HUGE_PAGE / AFXDP_FRAME_SIZE)

static struct afxdp_arena *arenas[AFXDP_MAX_ARENAS];
static unsigned int n_arenas;

/* Frames of the arenas to come. */
static unsigned int wanted_frames = AFXDP_FRAMES_DEFAULT;

/* Reads the size of arenas from 'other_config'.  Called whenever the database
 * may have changed.  A value out of range is told once and leaves the size as
 * it was. */
void
afxdp_umem_set_config(const struct smap *other_config)
{
    static char *last;
    const char *s = smap_get(other_config, AFXDP_FRAMES_KEY);
    unsigned int n = AFXDP_FRAMES_DEFAULT;

    if (!s == !last && (!s || !strcmp(s, last))) {
        return;
    }
    free(last);
    last = nullable_xstrdup(s);

    if (s && (!str_to_uint(s, 10, &n)
              || n < AFXDP_FRAMES_MIN || n > AFXDP_FRAMES_MAX)) {
        VLOG_ERR("other_config:%s=%s is not a number from %d to %d; "
                 "arenas keep %u frames", AFXDP_FRAMES_KEY, s,
                 AFXDP_FRAMES_MIN, AFXDP_FRAMES_MAX, wanted_frames);
        return;
    }
    wanted_frames = ROUND_UP(n, FRAMES_PER_HUGE_PAGE);
    if (n_arenas && wanted_frames != arenas[0]->n_frames) {
        VLOG_WARN("other_config:%s=%u takes effect when ovs-vswitchd is "
                  "restarted; until then an arena has %u frames",
                  AFXDP_FRAMES_KEY, wanted_frames, arenas[0]->n_frames);
    }
}

/* Maps 'size' bytes, in huge pages if the system has enough of them to spare,
 * which '*huge' tells.  Returns NULL and sets errno if there is no memory. */
static void *
map_memory(size_t size, int numa_id, bool *huge)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                        flags | MAP_HUGETLB, -1, 0);

    *huge = memory != MAP_FAILED;
    if (!*huge) {
        memory = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
        if (memory == MAP_FAILED) {
            return NULL;
        }
        /* Fewer TLB misses where the system allows it; no harm elsewhere. */
        madvise(memory, size, MADV_HUGEPAGE);
    }
    /* The kernel writes to these very pages: a child must not share them. */
    madvise(memory, size, MADV_DONTFORK);
    if (numa_available() != -1 && ovs_numa_get_n_numas() > 1) {
        numa_tonode_memory(memory, size, numa_id);
    }
    return memory;
}

/* Returns the arena of NUMA node 'numa_id', making it if there is none yet.
 * Returns NULL and stores an error message in '*errp', which the caller must
 * free, if there is no memory for it. */
struct afxdp_arena *
afxdp_umem_get(int numa_id, char **errp)
{
    struct afxdp_arena *arena;
    size_t size = (size_t) wanted_frames << AFXDP_FRAME_SHIFT;
    void *memory;
    bool huge;

    for (unsigned int i = 0; i < n_arenas; i++) {
        if (arenas[i]->numa_id == numa_id) {
            return arenas[i];
        }
    }
    if (n_arenas == AFXDP_MAX_ARENAS) {
        *errp = xasprintf("ports on more than %d NUMA nodes are not "
                          "supported", AFXDP_MAX_ARENAS);
        return NULL;
    }

    memory = map_memory(size, numa_id, &huge);
    if (!memory) {
        *errp = xasprintf("no memory for an arena of %u frames (%"PRIuSIZE
                          " MiB): %s; free some, or set a smaller "
                          "other_config:%s", wanted_frames, size >> 20,
                          ovs_strerror(errno), AFXDP_FRAMES_KEY);
        return NULL;
    }

    arena = xzalloc_cacheline(sizeof *arena);
    afxdp_frames_init(arena, memory, wanted_frames, n_arenas);
    arena->numa_id = numa_id;
    arena->huge = huge;
    arenas[n_arenas++] = arena;
    VLOG_INFO("NUMA node %d: arena of %u frames (%"PRIuSIZE" MiB%s)", numa_id,
              wanted_frames, size >> 20, huge ? ", huge pages" : "");
    return arena;
}

/* Returns the arena after 'arena', the first one if it is NULL, or NULL if
 * there are no more. */
struct afxdp_arena *
afxdp_umem_next(const struct afxdp_arena *arena)
{
    unsigned int next = arena ? arena->id + 1 : 0;

    return next < n_arenas ? arenas[next] : NULL;
}

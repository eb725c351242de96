/* SPDX-License-Identifier: Apache-2.0 */

/* Numbers from 0 or 1 up to a limit, handed out and taken back.  One that was
 * given back waits until the kernel's packets cannot refer to it any more:
 *
 *          afxdp_pool_get()              afxdp_pool_put()
 *    free -----------------> in use -------------------------> waiting
 *     ^                                                           |
 *     +---- afxdp_pool_grace_end() <---- afxdp_grace_wait() <-----+
 *                                        between _begin() and _end()
 *
 * The caller provides for mutual exclusion. */

#ifndef AFXDP_POOL_H
#define AFXDP_POOL_H 1

#include <stdbool.h>
#include <stdint.h>

struct afxdp_pool {
    uint32_t *free;             /* The 'n_free' free ones; last is next. */
    uint32_t n_free;
    uint32_t *waiting;          /* The 'n_waiting' waiting ones, oldest
                                 * first... */
    uint32_t n_waiting;
    uint32_t n_grace;           /* ...of which a grace period runs for so
                                 * many. */
    uint32_t n;                 /* All together. */
};

void afxdp_pool_init(struct afxdp_pool *, uint32_t first, uint32_t end);
void afxdp_pool_destroy(struct afxdp_pool *);

bool afxdp_pool_get(struct afxdp_pool *, uint32_t *);
void afxdp_pool_put(struct afxdp_pool *, uint32_t);

void afxdp_pool_grace_begin(struct afxdp_pool *);
void afxdp_pool_grace_end(struct afxdp_pool *);

/* Returns how many are in use. */
static inline uint32_t
afxdp_pool_used(const struct afxdp_pool *pool)
{
    return pool->n - pool->n_free - pool->n_waiting;
}

#endif /* afxdp-pool.h */

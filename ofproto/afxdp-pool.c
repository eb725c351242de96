/* SPDX-License-Identifier: Apache-2.0 */

/* Pools of numbers: see afxdp-pool.h. */

#include <config.h>

#include "afxdp-pool.h"

#include <string.h>

#include "util.h"

/* Makes 'pool' one of the numbers from 'first' to 'end' - 1, all free. */
void
afxdp_pool_init(struct afxdp_pool *pool, uint32_t first, uint32_t end)
{
    pool->n = end - first;
    pool->free = xcalloc(pool->n, sizeof *pool->free);
    pool->waiting = xcalloc(pool->n, sizeof *pool->waiting);
    pool->n_free = pool->n;
    pool->n_waiting = pool->n_grace = 0;
    for (uint32_t i = 0; i < pool->n; i++) {
        pool->free[i] = end - 1 - i;
    }
}

void
afxdp_pool_destroy(struct afxdp_pool *pool)
{
    free(pool->free);
    free(pool->waiting);
}

/* Stores a free number in '*id'.  Returns false if there is none. */
bool
afxdp_pool_get(struct afxdp_pool *pool, uint32_t *id)
{
    if (!pool->n_free) {
        return false;
    }
    *id = pool->free[--pool->n_free];
    return true;
}

/* Takes back 'id', which was in use. */
void
afxdp_pool_put(struct afxdp_pool *pool, uint32_t id)
{
    ovs_assert(pool->n_free + pool->n_waiting < pool->n);
    pool->waiting[pool->n_waiting++] = id;
}

/* Notes which numbers the grace period that now begins is for. */
void
afxdp_pool_grace_begin(struct afxdp_pool *pool)
{
    pool->n_grace = pool->n_waiting;
}

/* Frees the numbers that afxdp_pool_grace_begin() noted. */
void
afxdp_pool_grace_end(struct afxdp_pool *pool)
{
    uint32_t n = pool->n_grace;

    memcpy(pool->free + pool->n_free, pool->waiting,
           n * sizeof *pool->waiting);
    memmove(pool->waiting, pool->waiting + n,
            (pool->n_waiting - n) * sizeof *pool->waiting);
    pool->n_free += n;
    pool->n_waiting -= n;
    pool->n_grace = 0;
}

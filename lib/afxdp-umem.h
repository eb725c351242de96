/* SPDX-License-Identifier: Apache-2.0 */

/* Arenas: one for each NUMA node that has AF_XDP ports, made when the first of
 * them comes and kept as long as the process lives. */

#ifndef AFXDP_UMEM_H
#define AFXDP_UMEM_H 1

#include <stddef.h>

struct afxdp_arena;
struct smap;

/* Key in Open_vSwitch:other_config with the frames of an arena, and its
 * limits.  With the default an arena takes 32 MiB, and each queue that
 * registers it about 1.2 MB of the kernel's memory. */
#define AFXDP_FRAMES_KEY "afxdp-frames"
#define AFXDP_FRAMES_DEFAULT 8192
#define AFXDP_FRAMES_MIN 1024
#define AFXDP_FRAMES_MAX (1 << 22)

void afxdp_umem_set_config(const struct smap *other_config);
struct afxdp_arena *afxdp_umem_get(int numa_id, char **errp);

struct afxdp_arena *afxdp_umem_next(const struct afxdp_arena *);

#endif /* afxdp-umem.h */

/* SPDX-License-Identifier: Apache-2.0 */

/* The XDP program of a port (bpf/afxdp-xsk.bpf.c): loaded for each port, and
 * attached by a bpf_link, so that the kernel detaches it when the process
 * ends, however that comes about. */

#ifndef AFXDP_PROG_H
#define AFXDP_PROG_H 1

#include <stdbool.h>
#include <stdint.h>

struct afxdp_prog;

void afxdp_prog_init(void);

struct afxdp_prog *afxdp_prog_load(int n_channels, char **errp);
int afxdp_prog_set_socket(struct afxdp_prog *, int qid, int fd, char **errp);
int afxdp_prog_attach(struct afxdp_prog *, int ifindex, bool generic);
void afxdp_prog_destroy(struct afxdp_prog *);

uint32_t afxdp_prog_id(const struct afxdp_prog *);
char *afxdp_prog_foreign(const char *name, int ifindex);

#endif /* afxdp-prog.h */

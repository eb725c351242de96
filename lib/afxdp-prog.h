/* SPDX-License-Identifier: Apache-2.0 */

/* The XDP programs (bpf/afxdp-xsk.bpf.c), loaded once for all ports, and each
 * port's share of them: its place in the programs' maps and the bpf_link that
 * attaches one of them to its device.  The kernel detaches it when the process
 * ends, however that comes about.
 *
 * Only the main thread calls these functions. */

#ifndef AFXDP_PROG_H
#define AFXDP_PROG_H 1

#include <stdbool.h>
#include <stdint.h>

struct afxdp_prog;

void afxdp_prog_init(void);

struct afxdp_prog *afxdp_prog_open(int ifindex, int n_queues, char **errp);
int afxdp_prog_set_socket(struct afxdp_prog *, int qid, int fd, char **errp);
int afxdp_prog_attach(struct afxdp_prog *, bool generic);
void afxdp_prog_close(struct afxdp_prog *);

bool afxdp_prog_add_notes(struct afxdp_prog *);
const char *afxdp_prog_name(const struct afxdp_prog *, uint32_t *id);
char *afxdp_prog_foreign(const char *name, int ifindex);

#endif /* afxdp-prog.h */

/* SPDX-License-Identifier: Apache-2.0 */

/* The XDP program (bpf/afxdp-xsk.bpf.c), loaded once for all ports, and each
 * port's share of it: its place in the program's maps and the bpf_link that
 * attaches the program to its device.  The kernel detaches it when the process
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

uint32_t afxdp_prog_id(void);
char *afxdp_prog_foreign(const char *name, int ifindex);

#endif /* afxdp-prog.h */

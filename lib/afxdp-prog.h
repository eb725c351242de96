/* SPDX-License-Identifier: Apache-2.0 */

/* The XDP programs (bpf/afxdp-xsk.bpf.c), loaded once for all ports, and each
 * port's share of them: its place in the programs' maps and the bpf_link that
 * attaches one of them to its device.  The kernel detaches it when the process
 * ends, however that comes about.
 *
 * There are two programs: bpf/afxdp-xsk.bpf.c, which sends all packets to user
 * space, and bpf/afxdp-flow.bpf.c, which looks them up in the flow table
 * first.  The latter is loaded when flows are offloaded, takes the place of
 * the former on each device without a gap, and is what later devices get.
 *
 * Only the main thread calls these functions, with two exceptions.  ofproto/
 * calls afxdp_prog_set_flows() and afxdp_prog_clear_flows() under a mutex of
 * its own, from the time when a port is attached until shortly before it is
 * detached.  And any thread may give back the last reference to a netdev,
 * which calls afxdp_prog_detach() and afxdp_prog_close(). */

#ifndef AFXDP_PROG_H
#define AFXDP_PROG_H 1

#include <stdbool.h>
#include <stdint.h>

struct afxdp_link;
struct afxdp_prog;

/* File descriptors of the maps of bpf/afxdp-flow-maps.h, and the addresses of
 * variables there. */
struct afxdp_flow_maps {
    int masks;
    int buckets;
    int flows;
    int counters;
    int misses;
    int targets[2];             /* For native and for generic mode. */
    int groups;
    uint8_t *group_open;
};

void afxdp_prog_init(void);

struct afxdp_prog *afxdp_prog_open(int ifindex, int n_queues, char **errp);
int afxdp_prog_set_socket(struct afxdp_prog *, int qid, int fd, char **errp);
int afxdp_prog_attach(struct afxdp_prog *, bool generic);
void afxdp_prog_detach(struct afxdp_prog *);
void afxdp_prog_close(struct afxdp_prog *);

int afxdp_prog_load_flows(struct afxdp_flow_maps *, char **errp);
int afxdp_prog_set_flows(struct afxdp_prog *, uint16_t id,
                         const uint8_t *masks, int n_masks);
void afxdp_prog_clear_flows(struct afxdp_prog *);

bool afxdp_prog_add_notes(struct afxdp_prog *);
const char *afxdp_prog_name(const struct afxdp_prog *, uint32_t *id);
char *afxdp_prog_foreign(const char *name, const struct afxdp_link *);

#endif /* afxdp-prog.h */

/* SPDX-License-Identifier: Apache-2.0 */

/* A port: a device, the sockets of its queues and its XDP program, brought up
 * and down as a whole.
 *
 * netdev-afxdp.c keeps one for each netdev and hands packets straight to its
 * queues.  The netdev's mutex protects everything but the queues themselves;
 * 'queues' and 'n_queues' change only while no thread receives or sends. */

#ifndef AFXDP_PORT_H
#define AFXDP_PORT_H 1

#include "afxdp-config.h"
#include "afxdp-device.h"
#include "afxdp-mtu.h"
#include "smap.h"

struct afxdp_port {
    struct afxdp_queue **queues; /* NULL while the port is down. */
    int n_queues;

    char *name;                 /* Of the device; owned. */
    struct smap args;           /* Last options that were taken... */
    struct afxdp_config wanted; /* ...and what they say. */
    struct afxdp_config config; /* Configuration in use, while up. */
    enum afxdp_xdp_mode mode;   /* Mode in use, while up... */
    const char *why;            /* ...and why, for people. */
    bool skip_bpf;              /* Is it up without a program? */
    struct afxdp_device device; /* As it was when brought up. */
    struct afxdp_prog *prog;
    struct afxdp_arena *arena;
    struct afxdp_mtu mtu;
};

/* Largest MTU in bytes that a frame has room for, with an Ethernet header and
 * one VLAN tag. */
int afxdp_port_max_mtu(void);

struct afxdp_port *afxdp_port_create(const char *name);
void afxdp_port_destroy(struct afxdp_port *);

int afxdp_port_up(struct afxdp_port *, int numa_id, char **errp);
void afxdp_port_down(struct afxdp_port *);
bool afxdp_port_update_mtu(struct afxdp_port *,
                           const struct afxdp_device *now);
bool afxdp_port_is_settled(const struct afxdp_port *, const struct smap *);
bool afxdp_port_is_stale(const struct afxdp_port *,
                         const struct afxdp_device *now);

#endif /* afxdp-port.h */

/* SPDX-License-Identifier: Apache-2.0 */

/* The table of ports that the XDP programs look packets up in
 * (bpf/afxdp-ports.h), mapped into our memory.
 *
 * Any thread may call these functions.  What stands in a slot, its owner alone
 * changes, with afxdp_port_table_show() and afxdp_port_table_hide() around the
 * time when packets may find it. */

#ifndef AFXDP_PORT_TABLE_H
#define AFXDP_PORT_TABLE_H 1

#include <stdint.h>

#include "bpf/afxdp-flow.h"

int afxdp_port_table_open(int fd);

struct afxdp_flow_port *afxdp_port_table_claim(uint32_t ifindex);
void afxdp_port_table_show(struct afxdp_flow_port *, uint32_t ifindex);
void afxdp_port_table_hide(struct afxdp_flow_port *);
void afxdp_port_table_release(struct afxdp_flow_port *);

#endif /* afxdp-port-table.h */

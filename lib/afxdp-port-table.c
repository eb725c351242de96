/* SPDX-License-Identifier: Apache-2.0 */

/* The table of ports in the kernel: see afxdp-port-table.h. */

#include <config.h>

#include "afxdp-port-table.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "bitmap.h"
#include "openvswitch/thread.h"
#include "ovs-thread.h"

/* The table, as the kernel sees it, and the slots that have an owner. */
static struct afxdp_flow_port *table;
static struct ovs_mutex mutex = OVS_MUTEX_INITIALIZER;
static unsigned long claimed[BITMAP_N_LONGS(AFXDP_PORT_SLOTS)]
    OVS_GUARDED_BY(mutex);

/* Makes the table, which is empty, that of the map 'fd'.  Returns 0 or a
 * positive errno value. */
int
afxdp_port_table_open(int fd)
{
    void *p = mmap(NULL, AFXDP_PORT_SLOTS * sizeof *table,
                   PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    if (p == MAP_FAILED) {
        return errno;
    }
    table = p;
    return 0;
}

/* Returns a slot in which packets of the device 'ifindex' are looked for, all
 * zeros, or NULL if there is none left.  The caller owns it, until it gives it
 * back with afxdp_port_table_release(). */
struct afxdp_flow_port *
afxdp_port_table_claim(uint32_t ifindex)
{
    struct afxdp_flow_port *port = NULL;

    ovs_mutex_lock(&mutex);
    for (uint32_t n = 0; n < AFXDP_PORT_PROBES; n++) {
        uint32_t slot = afxdp_port_slot(ifindex, n);

        if (!bitmap_is_set(claimed, slot)) {
            bitmap_set1(claimed, slot);
            port = memset(&table[slot], 0, sizeof *port);
            break;
        }
    }
    ovs_mutex_unlock(&mutex);
    return port;
}

/* Makes packets of the device 'ifindex' find 'port', which is complete. */
void
afxdp_port_table_show(struct afxdp_flow_port *port, uint32_t ifindex)
{
    __atomic_store_n(&port->ifindex, ifindex, __ATOMIC_RELEASE);
}

/* Makes packets find 'port' no more.  Those that have found it may go on to
 * read it until an RCU grace period of the kernel is over. */
void
afxdp_port_table_hide(struct afxdp_flow_port *port)
{
    __atomic_store_n(&port->ifindex, 0, __ATOMIC_RELEASE);
}

/* Gives back 'port', which no packet reads any more. */
void
afxdp_port_table_release(struct afxdp_flow_port *port)
{
    ovs_mutex_lock(&mutex);
    bitmap_set0(claimed, port - table);
    ovs_mutex_unlock(&mutex);
}

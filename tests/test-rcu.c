/* SPDX-License-Identifier: Apache-2.0 */

/* Tests of grace periods of Open vSwitch's RCU (afxdp-rcu.h): the main thread
 * here is a PMD thread that polls an empty queue, and never quiesces by
 * itself. */

#include <config.h>

#include "test-afxdp.h"

#include <errno.h>

#include "dp-packet.h"
#include "netdev.h"
#include "netdev-provider.h"
#include "ovs-atomic.h"
#include "ovs-rcu.h"
#include "ovs-thread.h"
#include "smap.h"
#include "timeval.h"
#include "util.h"

struct port {
    struct netdev *netdev;
    struct netdev_rxq *rxq;
};

static void
port_open(struct port *port, const char *name, const char *type)
{
    struct smap args = SMAP_INITIALIZER(&args);

    smap_add(&args, "xdp-mode", "native");
    CHECK_EQ(netdev_open(name, type, &port->netdev), 0);
    CHECK_EQ(port->netdev->netdev_class->set_config(port->netdev, &args,
                                                    NULL), 0);
    CHECK_EQ(netdev_reconfigure(port->netdev), 0);
    CHECK_EQ(netdev_rxq_open(port->netdev, &port->rxq, 0), 0);
    smap_destroy(&args);
}

static void
port_close(struct port *port)
{
    netdev_rxq_close(port->rxq);
    netdev_close(port->netdev);
}

/* Polls 'port', which is empty, until 'done', but no longer than 'ms'.
 * Returns true if it is done. */
static bool
poll_until(struct port *port, atomic_bool *done, int ms)
{
    long long int deadline = time_msec() + ms;
    bool is_done;

    do {
        struct dp_packet_batch batch;

        dp_packet_batch_init(&batch);
        CHECK_EQ(netdev_rxq_recv(port->rxq, &batch, NULL), EAGAIN);
        atomic_read(done, &is_done);
    } while (!is_done && time_msec() < deadline);
    return is_done;
}

static void *
synchronize(void *done_)
{
    atomic_bool *done = done_;

    ovsrcu_synchronize();
    atomic_store(done, true);
    return NULL;
}

/* A PMD thread that finds its queue empty ends each grace period that somebody
 * waits for.  The main thread of Open vSwitch, which polls other ports, must
 * not: it may hold what RCU protects. */
static void
test_idle(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    struct port pmd, nonpmd;

    port_open(&pmd, "fake0", "afxdp");
    port_open(&nonpmd, "fake1", "afxdp-nonpmd");
    ovsrcu_quiesce_end();
    for (int i = 0; i < 100; i++) {
        atomic_bool done = false;
        pthread_t thread = ovs_thread_create("waits", synchronize, &done);

        CHECK(i || !poll_until(&nonpmd, &done, 200));
        CHECK(poll_until(&pmd, &done, 20000));
        xpthread_join(thread, NULL);
    }
    port_close(&nonpmd);
    port_close(&pmd);
}

const struct ovs_cmdl_command test_rcu_commands[] = {
    { "rcu-idle", NULL, 0, 0, test_idle, OVS_RO },
    { NULL, NULL, 0, 0, NULL, OVS_RO },
};

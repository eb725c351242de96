/* SPDX-License-Identifier: Apache-2.0 */

/* Receives and sends through a netdev of class "afxdp", for callgrind.
 *
 * Linked twice, with the stock object and with ours, over the same fake kernel
 * (fake-xsk.h); tests/callgrind-budget runs both and compares.  Only what
 * happens inside netdev_afxdp_rxq_recv() and netdev_afxdp_batch_send() is to
 * be counted: callgrind switches its counting on and off at these two (option
 * --toggle-collect), and forgets the warming up (--zero-before=measure). */

#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dp-packet.h"
#include "fake-xsk.h"
#include "netdev.h"
#include "openvswitch/vlog.h"
#include "ovs-thread.h"
#include "smap.h"
#include "util.h"

#define DEVICE "fake0"
#define BURST NETDEV_MAX_BURST

static struct netdev *netdev;
static struct netdev_rxq *rxq;
static struct xsk_socket *xsk;
static char frame[2048];
static size_t frame_len;

/* Not static and not inlined, so that --zero-before finds it by name. */
void measure(unsigned int n_batches) __attribute__((noinline));

static void
check(int error, const char *what)
{
    if (error) {
        ovs_fatal(error, "%s failed", what);
    }
}

static void
setup(void)
{
    struct smap args = SMAP_INITIALIZER(&args);

    smap_add(&args, "n_rxq", "1");
    smap_add(&args, "xdp-mode", "native");

    check(netdev_open(DEVICE, "afxdp", &netdev), "netdev_open");
    check(netdev_set_config(netdev, &args, NULL), "netdev_set_config");
    netdev_set_tx_multiq(netdev, 1);
    check(netdev_reconfigure(netdev), "netdev_reconfigure");
    check(netdev_rxq_open(netdev, &rxq, 0), "netdev_rxq_open");
    smap_destroy(&args);

    xsk = fake_xsk_lookup(DEVICE, 0);
    if (!xsk) {
        ovs_fatal(0, "the netdev has bound no socket to queue 0");
    }
}

static void
run_batches(unsigned int n_batches)
{
    for (unsigned int i = 0; i < n_batches; i++) {
        struct dp_packet_batch batch;
        int error;

        if (fake_xsk_receive(xsk, frame, frame_len, BURST) != BURST) {
            ovs_fatal(0, "batch %u: the fill ring is empty", i);
        }

        dp_packet_batch_init(&batch);
        error = netdev_rxq_recv(rxq, &batch, NULL);
        if (error || dp_packet_batch_size(&batch) != BURST) {
            ovs_fatal(error, "batch %u: %"PRIuSIZE" packets received", i,
                      dp_packet_batch_size(&batch));
        }

        check(netdev_send(netdev, 0, &batch, false), "netdev_send");
        if (fake_xsk_transmit(xsk, BURST, NULL, NULL) != BURST) {
            ovs_fatal(0, "batch %u: not all packets sent", i);
        }
    }
}

void
measure(unsigned int n_batches)
{
    run_batches(n_batches);
}

int
main(int argc, char *argv[])
{
    unsigned int n_batches;

    set_program_name(argv[0]);
    if (argc != 3) {
        ovs_fatal(0, "usage: %s FRAME-LENGTH BATCHES", argv[0]);
    }
    frame_len = atoi(argv[1]);
    n_batches = atoi(argv[2]);
    if (frame_len < 14 || frame_len > sizeof frame) {
        ovs_fatal(0, "frame length must be 14 to %"PRIuSIZE, sizeof frame);
    }
    memset(frame, 0xff, 12);
    vlog_set_levels(NULL, VLF_CONSOLE, VLL_EMER);

    setup();
    run_batches(300);
    measure(n_batches);
    printf("%u packets of %"PRIuSIZE" bytes\n", n_batches * BURST, frame_len);
    fflush(stdout);
    _exit(0);
}

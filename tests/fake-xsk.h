/* SPDX-License-Identifier: Apache-2.0 */

/* The kernel's side of AF_XDP, in plain memory.
 *
 * A program that links fake-xsk.c gets its own definitions of the libxdp and
 * libbpf functions that create sockets and of the system calls that drive
 * them, so that the netdev runs unchanged, without root and without a device.
 * Nothing moves by itself: the program plays the kernel by calling
 * fake_xsk_receive() and fake_xsk_transmit() between calls of the netdev.
 *
 *                       fake_xsk_receive()
 *               +------+ takes a frame       +------+
 *      user --->| FILL |-------------------->|  RX  |---> user
 *               +------+                     +------+
 *
 *                       fake_xsk_transmit()
 *               +------+ sends a frame       +------+
 *      user --->|  TX  |-------------------->|  CQ  |---> user
 *               +------+                     +------+
 *
 * Every frame of every memory area is in exactly one of these five places.
 * The fake keeps the book, whichever sockets have registered the area, and
 * stops the program with a message when user space puts a frame into a ring
 * while the frame is somewhere else: that is a frame given away twice.
 *
 * The devices are called "fake0", "fake1" and so on; each is up, has
 * FAKE_XSK_QUEUES channels and an MTU of 1500.  Any other name ("lo") stays
 * the machine's own. */

#ifndef FAKE_XSK_H
#define FAKE_XSK_H 1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAKE_XSK_QUEUES 4

struct xsk_socket;

/* Where fake_xsk_fail() can make things go wrong. */
enum fake_xsk_point {
    FAKE_XSK_UMEM,              /* Registering memory. */
    FAKE_XSK_BIND,              /* Binding a socket to a queue. */
    FAKE_XSK_KICK,              /* The wake-up of the transmit side. */
    FAKE_XSK_N_POINTS
};

typedef void fake_xsk_sink(const void *data, size_t len, void *aux);

struct xsk_socket *fake_xsk_lookup(const char *ifname, uint32_t queue);
unsigned int fake_xsk_receive(struct xsk_socket *, const void *data,
                              size_t len, unsigned int n);
unsigned int fake_xsk_receive_long(struct xsk_socket *, const void *note,
                                   size_t note_len, const void *data,
                                   size_t len);
unsigned int fake_xsk_transmit(struct xsk_socket *, unsigned int n,
                               fake_xsk_sink *, void *aux);

/* The book. */
void fake_xsk_check(void);
unsigned int fake_xsk_in_kernel(void);
unsigned int fake_xsk_n_sockets(void);
unsigned int fake_xsk_n_umems(void);
uint64_t fake_xsk_kicks(const struct xsk_socket *);
uint16_t fake_xsk_bind_flags(const struct xsk_socket *);

/* After it has been passed 'skip' times without failing, 'point' fails 'n'
 * times with 'error'. */
void fake_xsk_fail_after(enum fake_xsk_point point, int error, unsigned int n,
                         unsigned int skip);
void fake_xsk_fail(enum fake_xsk_point point, int error, unsigned int n);

void fake_xsk_set_skip(int error, bool native);

/* For fake-libc.c: the socket behind a descriptor, or NULL, and what a system
 * call on it answers. */
struct xsk_socket *fake_xsk_from_fd(int fd);
int fake_xsk_kick(struct xsk_socket *);
void fake_xsk_wake(struct xsk_socket *);

#endif /* fake-xsk.h */

/* SPDX-License-Identifier: Apache-2.0
 *
 * The programs of xsk-bench, and how it gives up. */

#ifndef XSK_BENCH_PROG_H
#define XSK_BENCH_PROG_H 1

#include <stdbool.h>

void die(const char *what, int error);

/* Each returns the file descriptor of a program. */
int load_action(int action);
int load_redirect(int ifindex);
int load_xsk(int map);

void attach(const char *dev, int prog, bool generic);

#endif

/* SPDX-License-Identifier: Apache-2.0 */

/* The program that notes what the kernel knows of a packet in generic mode
 * (bpf/afxdp-notes.bpf.c), for the XDP programs and through them for
 * afxdp-raw.c.
 *
 * It looks at every packet that any device with an XDP program in generic mode
 * receives, so it is attached only while a port needs it.  The kernel detaches
 * it when the process ends.
 *
 * Only the main thread calls these functions. */

#ifndef AFXDP_NOTES_H
#define AFXDP_NOTES_H 1

#include <stdbool.h>

int afxdp_notes_map(void);
bool afxdp_notes_get(void);
void afxdp_notes_put(void);

#endif /* afxdp-notes.h */

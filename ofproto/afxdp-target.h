/* SPDX-License-Identifier: Apache-2.0 */

/* Which packets a device takes that the XDP program redirects to it.
 *
 * The kernel drops a redirected packet without a word if the device cannot
 * take it, so this has to be known before:
 *
 *   - A packet that came in in native mode needs a driver that can send XDP
 *     frames, and for a veth, a peer that looks for them (with NAPI: because
 *     it has GRO on or an XDP program).  The kernel tells since Linux 6.3.
 *
 *   - A packet that came in in generic mode may be up to 64 KiB long (GSO) and
 *     have no checksum yet, which the driver learns from the sk_buff.  Nothing
 *     between us and the driver would segment it, so only a veth takes it that
 *     hands the sk_buff to its peer's network stack, and whose MTU lets it
 *     pass.
 *
 * Devices change, so they are watched. */

#ifndef AFXDP_TARGET_H
#define AFXDP_TARGET_H 1

/* Why a device takes no packets of either kind; NULL if it does. */
struct afxdp_target {
    const char *no_native;
    const char *no_generic;
};

void afxdp_target_probe(int ifindex, struct afxdp_target *);

/* Called for each device that changed, or with 0 for all. */
typedef void afxdp_target_changed_func(int ifindex);

int afxdp_target_watch_open(void);
void afxdp_target_watch_run(afxdp_target_changed_func *);
void afxdp_target_watch_wait(void);

#endif /* afxdp-target.h */

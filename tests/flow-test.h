/* SPDX-License-Identifier: Apache-2.0 */

/* Tests of the XDP flow table, bpf/afxdp-flow.bpf.c: one program, tests/
 * test-flow.c, with a command for each test.
 *
 *                      frame, flows
 *     flow-frame.c --------+-------------> flow-prog.c: the program in the
 *     makes them           |               kernel, through BPF_PROG_RUN
 *                          v                        |
 *                     flow-oracle.c: what           v
 *                     Open vSwitch does ----> the same?
 *
 * The files with the tests themselves: test-flow-fixtures.c, where a person
 * wrote what comes out, test-flow-table.c, and test-flow-fuzz.c, where Open
 * vSwitch's own parser and actions say it. */

#ifndef FLOW_TEST_H
#define FLOW_TEST_H 1

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/afxdp-flow.h"
#include "command-line.h"
#include "test-afxdp.h"

extern const struct ovs_cmdl_command test_flow_fixtures_commands[];
extern const struct ovs_cmdl_command test_flow_table_commands[];
extern const struct ovs_cmdl_command test_flow_fuzz_commands[];

/* Exit code of a test that cannot be run here, as autotest knows it. */
#define EXIT_SKIPPED 77

#define FRAME_MAX 9216
#define FRAME_MIN 14

struct frame {
    size_t len;
    uint8_t data[FRAME_MAX];
};

/* flow-frame.c: making packets. */

void frame_from_text(struct frame *, const char *base, const char *changes);
void frame_random(struct frame *);
void frame_mutate(struct frame *);
void frame_fill(struct frame *, size_t len);
void frame_edit(struct frame *, const char *edits);
bool frame_equal(const struct frame *, const struct frame *);
void frame_print(const char *title, const struct frame *);

/* flow-prog.c: the program and its maps. */

#define N_DEVICES 4             /* Ports with the ids 1 to this. */
#define IN_PORT 1

struct outcome {
    uint32_t verdict;           /* XDP_PASS: to user space. */
    struct frame frame;
    int64_t misses, unknown, refused;   /* By how much they rose. */
};

void prog_start(void);
void prog_clear(void);
void prog_set_flags(uint8_t flags);
void prog_set_target(uint16_t port, bool present);
void prog_set_group(uint32_t group, const uint16_t *ports, size_t n);
void prog_open_group(uint32_t group, bool open);
int prog_add_flow(const struct afxdp_flow_key *,
                  const struct afxdp_flow_key *mask,
                  const struct afxdp_flow_actions *);
int prog_replace_flow(int old, const struct afxdp_flow_key *,
                      const struct afxdp_flow_key *mask,
                      const struct afxdp_flow_actions *);
void prog_del_flow(int);
void prog_counter(int flow, struct afxdp_flow_counter *);
void prog_run(const struct frame *, struct outcome *);
void prog_send(const struct frame *);
bool prog_receive(uint16_t port, struct frame *, int timeout_ms);

/* flow-oracle.c: what Open vSwitch makes of a packet. */

enum known {
    KNOWN,                      /* The program must know such a packet. */
    UNKNOWN,                    /* It must send it to user space. */
    EITHER,                     /* It may do that. */
};

enum known oracle_key(const struct frame *, struct afxdp_flow_key *);
void oracle_match(const char *match, struct afxdp_flow_key *,
                  struct afxdp_flow_key *mask);
void oracle_execute(const struct frame *, const struct afxdp_flow_actions *,
                    struct frame *out);
void oracle_random_actions(const struct afxdp_flow_key *,
                           struct afxdp_flow_actions *);

/* Stops the test with a message and the packet unless CONDITION holds. */
#define CHECK_FRAME(CONDITION, FRAME, WHAT)                             \
    do {                                                                \
        if (!(CONDITION)) {                                             \
            frame_print(WHAT, FRAME);                                   \
            ovs_fatal(0, "%s:%d: %s: %s does not hold", __FILE__,       \
                      __LINE__, WHAT, #CONDITION);                      \
        }                                                               \
    } while (0)

#endif /* flow-test.h */

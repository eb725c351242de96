/* SPDX-License-Identifier: Apache-2.0 */

/* Unit tests of the netdev: one program, a command for each test. */

#ifndef TEST_AFXDP_H
#define TEST_AFXDP_H 1

#include "command-line.h"

/* Each file's commands, ended by one without a name. */
extern const struct ovs_cmdl_command test_config_commands[];
extern const struct ovs_cmdl_command test_frames_commands[];
extern const struct ovs_cmdl_command test_gso_commands[];
extern const struct ovs_cmdl_command test_raw_commands[];
extern const struct ovs_cmdl_command test_rcu_commands[];
extern const struct ovs_cmdl_command test_rings_commands[];
extern const struct ovs_cmdl_command test_skip_commands[];
extern const struct ovs_cmdl_command test_translate_commands[];

/* Stops the program with a message unless CONDITION holds.  Unlike an
 * assertion it is always there. */
#define CHECK(CONDITION)                                                     \
    do {                                                                     \
        if (!(CONDITION)) {                                                  \
            ovs_fatal(0, "%s:%d: %s does not hold", __FILE__, __LINE__,      \
                      #CONDITION);                                           \
        }                                                                    \
    } while (0)

/* The same for two numbers, which the message shows. */
#define CHECK_EQ(A, B)                                                       \
    do {                                                                     \
        long long int a__ = (A);                                             \
        long long int b__ = (B);                                             \
                                                                             \
        if (a__ != b__) {                                                    \
            ovs_fatal(0, "%s:%d: %s is %lld, not %lld", __FILE__, __LINE__,  \
                      #A, a__, b__);                                         \
        }                                                                    \
    } while (0)

#endif /* test-afxdp.h */

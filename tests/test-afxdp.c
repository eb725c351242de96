/* SPDX-License-Identifier: Apache-2.0 */

/* Runs the unit tests of the other files test-*.c.
 *
 * "test-afxdp COMMAND" runs one of them and is silent if it passes;
 * "test-afxdp list" names them all. */

#include <config.h>

#include "test-afxdp.h"

#include <stdio.h>
#include <string.h>

#include "openvswitch/vlog.h"
#include "util.h"

static const struct ovs_cmdl_command *const tables[] = {
    test_config_commands,
    test_frames_commands,
    test_gso_commands,
    test_raw_commands,
    test_rcu_commands,
    test_rings_commands,
    test_skip_commands,
    test_translate_commands,
};

static void
list(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
        for (const struct ovs_cmdl_command *c = tables[i]; c->name; c++) {
            puts(c->name);
        }
    }
}

static const struct ovs_cmdl_command *
find(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
        for (const struct ovs_cmdl_command *c = tables[i]; c->name; c++) {
            if (!strcmp(c->name, name)) {
                return c;
            }
        }
    }
    return NULL;
}

int
main(int argc, char *argv[])
{
    struct ovs_cmdl_context ctx = { .argc = argc - 1, .argv = argv + 1 };
    const struct ovs_cmdl_command *command;

    set_program_name(argv[0]);
    vlog_set_levels(NULL, VLF_ANY_DESTINATION, VLL_EMER);
    if (argc != 2) {
        ovs_fatal(0, "usage: %s COMMAND, or %s list", argv[0], argv[0]);
    }
    if (!strcmp(argv[1], "list")) {
        list();
        return 0;
    }

    command = find(argv[1]);
    if (!command) {
        ovs_fatal(0, "no test is called %s", argv[1]);
    }
    command->handler(&ctx);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */

/* Runs the tests of the XDP flow table: see flow-test.h.
 *
 * "test-flow COMMAND" runs one of them and is silent if it passes; "test-flow
 * list" names them all.  FLOW_SEED in the environment makes random tests take
 * the same turns again. */

#include <config.h>

#include "flow-test.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "openvswitch/vlog.h"
#include "random.h"
#include "util.h"

static const struct ovs_cmdl_command *const tables[] = {
    test_flow_fixtures_commands,
    test_flow_table_commands,
    test_flow_fuzz_commands,
};

static const struct ovs_cmdl_command *
find(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
        for (const struct ovs_cmdl_command *c = tables[i]; c->name; c++) {
            if (!strcmp(name, "list")) {
                puts(c->name);
            } else if (!strcmp(c->name, name)) {
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
    const char *text = getenv("FLOW_SEED");
    const struct ovs_cmdl_command *command;
    unsigned int seed;

    set_program_name(argv[0]);
    vlog_set_levels(NULL, VLF_ANY_DESTINATION, VLL_EMER);
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc != 2) {
        ovs_fatal(0, "usage: %s COMMAND, or %s list", argv[0], argv[0]);
    }
    command = find(argv[1]);
    if (!strcmp(argv[1], "list")) {
        return 0;
    }
    if (!command) {
        ovs_fatal(0, "no test is called %s", argv[1]);
    }

    if (!text || !str_to_uint(text, 10, &seed)) {
        seed = time(NULL);
    }
    printf("FLOW_SEED=%u\n", seed);
    random_set_seed(seed);
    prog_start();
    command->handler(&ctx);
    return 0;
}

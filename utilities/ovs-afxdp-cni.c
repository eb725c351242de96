/* SPDX-License-Identifier: Apache-2.0 */

/* ovs-afxdp-cni: a CNI plugin that connects containers to an Open vSwitch
 * bridge by ports of type afxdp.  See ovs-afxdp-cni(8).
 *
 *   cni-config.c, cni-env.c    what the runtime says, validated
 *   cni-commands.c             what to do then: ADD, DEL, CHECK, GC, STATUS
 *   cni-attachment.c           the identity of a container's interface; DEL
 *   cni-link.c, cni-container.c, cni-nl.c
 *                              the veth pair, by netlink
 *   cni-ovsdb.c, cni-transact.c
 *                              the port, in the database of Open vSwitch
 *   cni-flows.c                OpenFlow rules
 *   cni-ipam.c, cni-result.c   addresses from another plugin
 *   cni-error.c                what is told to the runtime if it goes wrong
 */

#include <config.h>

#include "cni-commands.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cni-config.h"
#include "cni-error.h"
#include "openvswitch/dynamic-string.h"
#include "openvswitch/json.h"
#include "openvswitch/vlog.h"
#include "util.h"

#define PROGRAM "ovs-afxdp-cni"

static const struct {
    const char *name;
    enum cni_version since;
    unsigned int needs;
    cni_command *run;
} commands[] = {
    { "ADD", CNI_0_3_1,
      CNI_NEEDS_CONTAINER | CNI_NEEDS_NETNS | CNI_NEEDS_IFNAME, cni_add },
    { "DEL", CNI_0_3_1,
      CNI_NEEDS_CONTAINER | CNI_NEEDS_IFNAME, cni_del },
    { "CHECK", CNI_0_4_0,
      CNI_NEEDS_CONTAINER | CNI_NEEDS_NETNS | CNI_NEEDS_IFNAME, cni_check },
    { "GC", CNI_1_1_0, CNI_NEEDS_PATH, cni_gc },
    { "STATUS", CNI_1_1_0, 0, cni_status },
};

static char *
read_stdin(void)
{
    struct ds ds = DS_EMPTY_INITIALIZER;
    char buffer[4096];
    size_t n;

    while ((n = fread(buffer, 1, sizeof buffer, stdin)) > 0) {
        ds_put_buffer(&ds, buffer, n);
    }
    return ds_steal_cstr(&ds);
}

/* Runs the command that the environment names with the configuration 'text'.
 * Stores in '*version' that of the configuration. */
static struct cni_error *
run_command(const char *name, const char *text, enum cni_version *version,
            struct json **outputp)
{
    struct cni_config config;
    struct cni_env env;
    struct cni_error *error;
    size_t i = 0;

    while (i < ARRAY_SIZE(commands) && strcmp(name, commands[i].name)) {
        i++;
    }
    if (i >= ARRAY_SIZE(commands)) {
        return cni_error(CNI_BAD_ENV, "CNI_COMMAND is \"%s\", but must be "
                         "ADD, DEL, CHECK, GC, STATUS or VERSION", name);
    }

    error = cni_config_parse(text, &config);
    *version = config.version;
    if (!error) {
        error = cni_env_read(name, commands[i].needs, &env);
    }
    if (!error && config.version < commands[i].since) {
        error = cni_error(CNI_BAD_VERSION, "%s is not in cniVersion %s, only "
                          "from %s on", name, cni_version_name(config.version),
                          cni_version_name(commands[i].since));
    }
    if (!error) {
        error = cni_config_apply_args(&config, &env);
    }
    if (!error) {
        error = commands[i].run(&config, &env, outputp);
    }
    cni_config_destroy(&config);
    return error;
}

static void
print(struct json *json)
{
    char *s = json_to_string(json, JSSF_PRETTY | JSSF_SORT);

    puts(s);
    free(s);
    json_destroy(json);
}

/* VERSION: tells what 'text' says, or the newest. */
static void
print_versions(const char *text)
{
    struct json *output = json_object_create();
    struct json *supported = json_array_create_empty();
    struct cni_config config;

    cni_error_destroy(cni_config_parse(text, &config));
    for (int i = 0; i < CNI_N_VERSIONS; i++) {
        json_array_add(supported, json_string_create(cni_version_name(i)));
    }
    json_object_put_string(output, "cniVersion",
                           cni_version_name(config.version));
    json_object_put(output, "supportedVersions", supported);
    cni_config_destroy(&config);
    print(output);
}

static void
usage(void)
{
    printf("%s is a CNI plugin: it connects containers to Open vSwitch by "
           "ports of\ntype afxdp.  A container runtime runs it, with "
           "CNI_COMMAND and other variables\nset and a network "
           "configuration on standard input.  Its manual page has the keys\n"
           "of the configuration.\n\n"
           "  -h, --help     this text\n"
           "  -V, --version  versions of this program and of the CNI "
           "specification\n", PROGRAM);
}

/* Handles a command line by a person; returns the exit status. */
static int
run_for_person(int argc, char *argv[])
{
    const char *arg = argc > 1 ? argv[1] : "";

    if (!strcmp(arg, "-h") || !strcmp(arg, "--help")) {
        usage();
        return EXIT_SUCCESS;
    } else if (!strcmp(arg, "-V") || !strcmp(arg, "--version")) {
        printf("ovs-afxdp-cni %s\nCNI specification %s to %s\n",
               AFXDP_VERSION, cni_version_name(0),
               cni_version_name(CNI_N_VERSIONS - 1));
        return EXIT_SUCCESS;
    } else if (arg[0]) {
        fprintf(stderr, "ovs-afxdp-cni: unknown argument %s; there are "
                "--help and --version\n", arg);
        return EXIT_FAILURE;
    }
    return -1;
}

int
main(int argc, char *argv[])
{
    const char *command = getenv("CNI_COMMAND");
    enum cni_version version = CNI_N_VERSIONS - 1;
    struct json *output = NULL;
    struct cni_error *error;
    char *text;
    int status;

    status = run_for_person(argc, argv);
    if (status >= 0) {
        return status;
    }
    if (!command || !command[0]) {
        usage();
        return EXIT_FAILURE;
    }

    set_program_name(argv[0]);
    vlog_set_levels(NULL, VLF_SYSLOG, VLL_OFF);
    vlog_set_levels(NULL, VLF_CONSOLE, VLL_OFF);
    signal(SIGPIPE, SIG_IGN);
    text = read_stdin();
    if (!strcmp(command, "VERSION")) {
        print_versions(text);
        free(text);
        return EXIT_SUCCESS;
    }
    error = run_command(command, text, &version, &output);
    free(text);
    if (error) {
        print(cni_error_to_json(error, cni_version_name(version)));
        cni_error_destroy(error);
        return EXIT_FAILURE;
    }
    if (output) {
        print(output);
    }
    return EXIT_SUCCESS;
}

/* SPDX-License-Identifier: Apache-2.0 */

/* Delegation to an IPAM plugin: see cni-ipam.h. */

#include <config.h>

#include "cni-ipam.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cni-config.h"
#include "cni-error.h"
#include "openvswitch/dynamic-string.h"
#include "openvswitch/json.h"
#include "openvswitch/shash.h"
#include "process.h"
#include "socket-util.h"
#include "timeval.h"
#include "util.h"

/* A DHCP server may take its time. */
#define TIMEOUT_MS 60000

/* Returns the file of the plugin 'type' in CNI_PATH, or NULL. */
static char *
find_plugin(const struct cni_env *env, const char *type)
{
    char *path = xstrdup(env->path ? env->path : "");
    char *save = NULL;
    char *file = NULL;

    for (char *dir = strtok_r(path, ":", &save); dir && !file;
         dir = strtok_r(NULL, ":", &save)) {
        file = xasprintf("%s/%s", dir, type);
        if (access(file, X_OK)) {
            free(file);
            file = NULL;
        }
    }
    free(path);
    return file;
}

static void
set_variable(const char *name, const char *value)
{
    if (value) {
        setenv(name, value, 1);
    } else {
        unsetenv(name);
    }
}

/* In the child. */
static void
exec_plugin(const char *file, const struct cni_env *env, const char *command,
            int in, int out)
{
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    set_variable("CNI_COMMAND", command);
    set_variable("CNI_CONTAINERID", env->container);
    set_variable("CNI_NETNS", env->netns);
    set_variable("CNI_IFNAME", env->ifname);
    signal(SIGPIPE, SIG_DFL);
    execl(file, file, NULL);
    _exit(127);
}

static int
write_all(int fd, const char *s, size_t n)
{
    size_t written;

    return write_fully(fd, s, n, &written);
}

/* Reads from 'fd' to its end, or until 'deadline', into 'output'. */
static int
read_all(int fd, long long int deadline, struct ds *output)
{
    for (;;) {
        struct pollfd pfd = { .fd = fd, .events = POLLIN };
        long long int left = deadline - time_wall_msec();
        char buffer[4096];
        ssize_t n;

        if (left <= 0) {
            return ETIMEDOUT;
        }
        if (poll(&pfd, 1, left) <= 0) {
            continue;
        }
        n = read(fd, buffer, sizeof buffer);
        if (n > 0) {
            ds_put_buffer(output, buffer, n);
        } else if (!n) {
            return 0;
        } else if (errno != EINTR) {
            return errno;
        }
    }
}

/* Runs 'file' with 'input' on its standard input; stores what it prints in
 * 'output' and its exit status in '*status'.  Returns 0 or a positive errno
 * value. */
static int
run_plugin(const char *file, const struct cni_env *env, const char *command,
           const char *input, struct ds *output, int *status)
{
    int in[2], out[2];
    int error;
    pid_t pid;

    xpipe(in);
    xpipe(out);
    pid = fork();
    if (!pid) {
        close(in[1]);
        close(out[0]);
        exec_plugin(file, env, command, in[0], out[1]);
    }
    error = pid < 0 ? errno : 0;
    close(in[0]);
    close(out[1]);
    if (!error) {
        /* One that does not read all its input may know why. */
        write_all(in[1], input, strlen(input));
    }
    close(in[1]);
    if (!error) {
        error = read_all(out[0], time_wall_msec() + TIMEOUT_MS, output);
    }
    close(out[0]);
    if (pid > 0) {
        if (error) {
            kill(pid, SIGKILL);
        }
        while (waitpid(pid, status, 0) < 0 && errno == EINTR) {
            continue;
        }
    }
    return error;
}

/* Makes an error of what a plugin that failed has printed. */
static struct cni_error *
plugin_error(const char *type, const char *command, int status,
             const struct json *output)
{
    const struct json *msg = NULL, *code = NULL, *details = NULL;
    struct cni_error *error;
    char *how;

    if (output->type == JSON_OBJECT) {
        msg = shash_find_data(output->object, "msg");
        details = shash_find_data(output->object, "details");
        code = shash_find_data(output->object, "code");
    }
    if (msg && msg->type == JSON_STRING) {
        bool more = (details && details->type == JSON_STRING
                     && details->string[0]);

        return cni_error((code && code->type == JSON_INTEGER && code->integer
                          ? code->integer : CNI_IPAM),
                         "IPAM plugin %s, %s: %s%s%s", type, command,
                         msg->string, more ? "; " : "",
                         more ? details->string : "");
    }
    how = process_status_msg(status);
    error = cni_error(CNI_IPAM, "IPAM plugin %s, %s: %s, without a message",
                      type, command, how);
    free(how);
    return error;
}

static struct cni_error *
call_with(const struct json *config, const char *type, const char *file,
          const struct cni_env *env, const char *command,
          struct json **outputp)
{
    struct ds output = DS_EMPTY_INITIALIZER;
    char *input = json_to_string(config, JSSF_SORT);
    struct cni_error *error = NULL;
    int status = 0;
    int retval;

    retval = run_plugin(file, env, command, input, &output, &status);
    free(input);
    *outputp = json_from_string(ds_cstr(&output));
    if (retval) {
        error = cni_error(CNI_IO, "IPAM plugin %s, %s: %s", file, command,
                          ovs_strerror(retval));
    } else if (!WIFEXITED(status) || WEXITSTATUS(status)) {
        error = plugin_error(type, command, status, *outputp);
    } else if (output.length && (*outputp)->type == JSON_STRING) {
        error = cni_error(CNI_BAD_JSON, "IPAM plugin %s, %s, does not print "
                          "JSON: %s", type, command, (*outputp)->string);
    }
    if (error) {
        json_destroy(*outputp);
        *outputp = NULL;
    }
    ds_destroy(&output);
    return error;
}

/* Has the IPAM plugin of 'config' do 'command'.  Stores what it prints in
 * '*outputp', if that is nonnull, for the caller to destroy.
 *
 * Plugins are older than the specification at times: one that does not know
 * version 1.1.0 is asked in the version before, whose results look the
 * same. */
struct cni_error *
cni_ipam_call(const struct cni_config *config, const struct cni_env *env,
              const char *command, struct json **outputp)
{
    struct json *output = NULL;
    struct cni_error *error;
    char *file;

    if (outputp) {
        *outputp = NULL;
    }
    file = find_plugin(env, config->ipam);
    if (!file) {
        return cni_error(CNI_IO, "IPAM plugin %s is not in CNI_PATH (%s); "
                         "Debian has the usual ones in package "
                         "containernetworking-plugins, folder /usr/lib/cni",
                         config->ipam, env->path ? env->path : "not set");
    }
    error = call_with(config->json, config->ipam, file, env, command,
                      &output);
    if (error && error->code == CNI_BAD_VERSION
        && config->version == CNI_1_1_0) {
        struct json *older = json_deep_clone(config->json);

        cni_error_destroy(error);
        json_object_put_string(older, "cniVersion",
                               cni_version_name(CNI_1_0_0));
        error = call_with(older, config->ipam, file, env, command, &output);
        json_destroy(older);
    }
    free(file);
    if (!error && outputp) {
        *outputp = output;
    } else {
        json_destroy(output);
    }
    return error;
}

/* SPDX-License-Identifier: Apache-2.0 */

/* A kernel that refuses: a library for LD_PRELOAD that fails some of the bpf()
 * system calls that a program makes through libbpf, before they reach the
 * kernel.  The file that REFUSE_BPF names, in the environment, says which, one
 * in a line, and may change at any time:
 *
 *    load PROGRAM              loading the program of this name
 *    attach PROGRAM            attaching it to a device
 *    replace PROGRAM           putting it in the place of another on a device
 *    create MAP                making a map of this name
 *    update MAP                changing an element of it
 *
 * Names are cut off after 15 characters, as the kernel does. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <dlfcn.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef long syscall_func(long number, ...);

/* The C library's.  Looked up when it is first needed, which may be before any
 * constructor of ours. */
static syscall_func *
real_syscall(void)
{
    static syscall_func *real;

    if (!real) {
        real = (syscall_func *) dlsym(RTLD_NEXT, "syscall");
    }
    return real;
}

/* Stores what the kernel knows of the map or program 'fd' in the 'size' bytes
 * of '*info'. */
static void
get_info(int fd, void *info, size_t size)
{
    union bpf_attr attr;

    memset(info, 0, size);
    memset(&attr, 0, sizeof attr);
    attr.info.bpf_fd = fd;
    attr.info.info_len = size;
    attr.info.info = (uintptr_t) info;
    real_syscall()(SYS_bpf, BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof attr);
}

/* Describes the call as a line of the file does.  Returns false if it is none
 * that can be refused. */
static bool
describe(int cmd, const union bpf_attr *attr, char *line, size_t size)
{
    struct bpf_prog_info prog;
    struct bpf_map_info map;

    switch (cmd) {
    case BPF_PROG_LOAD:
        snprintf(line, size, "load %s\n", attr->prog_name);
        return true;
    case BPF_MAP_CREATE:
        snprintf(line, size, "create %s\n", attr->map_name);
        return true;
    case BPF_MAP_UPDATE_ELEM:
        get_info(attr->map_fd, &map, sizeof map);
        snprintf(line, size, "update %s\n", map.name);
        return true;
    case BPF_LINK_CREATE:
        get_info(attr->link_create.prog_fd, &prog, sizeof prog);
        snprintf(line, size, "attach %s\n", prog.name);
        return true;
    case BPF_LINK_UPDATE:
        get_info(attr->link_update.new_prog_fd, &prog, sizeof prog);
        snprintf(line, size, "replace %s\n", prog.name);
        return true;
    default:
        return false;
    }
}

static bool
is_refused(int cmd, const union bpf_attr *attr)
{
    char wanted[64], line[64];
    bool found = false;
    FILE *file;

    if (!describe(cmd, attr, wanted, sizeof wanted)) {
        return false;
    }
    file = fopen(getenv("REFUSE_BPF"), "r");
    while (file && !found && fgets(line, sizeof line, file)) {
        found = !strcmp(line, wanted);
    }
    if (file) {
        fclose(file);
    }
    return found;
}

/* In place of the C library's. */
long
syscall(long number, ...)
{
    long a[6];
    va_list args;

    va_start(args, number);
    for (int i = 0; i < 6; i++) {
        a[i] = va_arg(args, long);
    }
    va_end(args);
    if (number == SYS_bpf && is_refused(a[0], (const union bpf_attr *) a[1])) {
        errno = EINVAL;
        return -1;
    }
    return real_syscall()(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

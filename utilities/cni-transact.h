/* SPDX-License-Identifier: Apache-2.0 */

/* Transactions with a database, for cni-ovsdb.c: a connection, and the JSON of
 * operations and of their results (RFC 7047, sections 4.1.3 and 5). */

#ifndef CNI_TRANSACT_H
#define CNI_TRANSACT_H 1

#include <stddef.h>

struct cni_error;
struct json;
struct json_array;
struct jsonrpc;
struct smap;

struct cni_ovsdb {
    struct jsonrpc *rpc;
    long long int deadline;     /* In time_msec(). */
    int timeout;                /* In seconds, for messages. */
    long long int cur_cfg;      /* What ovs-vswitchd has taken, at least... */
    long long int next_cfg;     /* ...and is to take: our last change. */
};

/* A transaction is made by cni_txn_new() and the functions below that add an
 * operation to it. */
struct json *cni_txn_new(void);
struct cni_error *cni_txn_send(struct cni_ovsdb *, struct json *transaction,
                               struct json **resultsp, char **refusedp);

struct json *cni_add_operation(struct json *transaction, const char *name,
                               const char *table);
void cni_add_select(struct json *transaction, const char *table,
                    struct json *where, const char *columns);
void cni_add_insert(struct json *transaction, const char *table,
                    const char *uuid_name, struct json *row);
void cni_add_mutate(struct json *transaction, const char *table,
                    struct json *where, const char *column,
                    const char *mutator, struct json *value);
struct json *cni_where(const char *column, const char *function,
                       struct json *value);

/* Values of columns. */
struct json *cni_pair(const char *tag, struct json *value);
struct json *cni_map_from_smap(const struct smap *);
void cni_map_to_smap(const struct json *, struct smap *);

/* Results. */
const struct json_array *cni_rows(const struct json *results, size_t i);
long long int cni_count(const struct json *results, size_t i);
const struct json *cni_column(const struct json_array *rows, size_t i,
                              const char *column);
long long int cni_column_int(const struct json_array *rows, size_t i,
                             const char *column);
const char *cni_column_text(const struct json_array *rows, size_t i,
                            const char *column);

#endif /* cni-transact.h */

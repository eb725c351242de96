/* SPDX-License-Identifier: Apache-2.0 */

/* Transactions with a database: see cni-transact.h.
 *
 * A process that lives for some milliseconds has no use for a replica of the
 * database, so this sends transactions and nothing else. */

#include <config.h>

#include "cni-transact.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cni-error.h"
#include "cni-ovsdb.h"
#include "jsonrpc.h"
#include "openvswitch/json.h"
#include "openvswitch/poll-loop.h"
#include "openvswitch/shash.h"
#include "smap.h"
#include "stream.h"
#include "timeval.h"
#include "util.h"

/* Connection. */

struct cni_error *
cni_ovsdb_open(const char *remote, int timeout, struct cni_ovsdb **dbp)
{
    struct stream *stream;
    int error;

    *dbp = NULL;
    error = stream_open_block(jsonrpc_stream_open(remote, &stream, 0),
                              timeout * 1000LL, &stream);
    if (error) {
        return cni_error(CNI_OVSDB, "cannot connect to the database of Open "
                         "vSwitch at %s: %s; is ovsdb-server running?",
                         remote, ovs_retval_to_string(error));
    }
    *dbp = xzalloc(sizeof **dbp);
    (*dbp)->rpc = jsonrpc_open(stream);
    cni_ovsdb_limit(*dbp, timeout);
    return NULL;
}

void
cni_ovsdb_close(struct cni_ovsdb *db)
{
    if (db) {
        jsonrpc_close(db->rpc);
        free(db);
    }
}

/* Gives what follows 'timeout' seconds from now on. */
void
cni_ovsdb_limit(struct cni_ovsdb *db, int timeout)
{
    db->timeout = timeout;
    db->deadline = time_msec() + timeout * 1000LL;
}

static void
answer_echo(struct cni_ovsdb *db, struct jsonrpc_msg *msg)
{
    if (msg->type == JSONRPC_REQUEST && !strcmp(msg->method, "echo")) {
        jsonrpc_send(db->rpc, jsonrpc_create_reply(json_clone(msg->params),
                                                   msg->id));
    }
}

/* Waits for the reply to request 'id'.  Returns 0 or a positive errno. */
static int
receive(struct cni_ovsdb *db, const struct json *id,
        struct jsonrpc_msg **replyp)
{
    for (;;) {
        struct jsonrpc_msg *msg;
        int error;

        jsonrpc_run(db->rpc);
        error = jsonrpc_recv(db->rpc, &msg);
        if (!error) {
            if ((msg->type == JSONRPC_REPLY || msg->type == JSONRPC_ERROR)
                && json_equal(id, msg->id)) {
                *replyp = msg;
                return 0;
            }
            answer_echo(db, msg);
            jsonrpc_msg_destroy(msg);
        } else if (error != EAGAIN) {
            return error == EOF ? ECONNRESET : error;
        } else if (time_msec() >= db->deadline) {
            return ETIMEDOUT;
        } else {
            jsonrpc_wait(db->rpc);
            jsonrpc_recv_wait(db->rpc);
            poll_timer_wait_until(db->deadline);
            poll_block();
        }
    }
}

struct json *
cni_txn_new(void)
{
    return json_array_create_1(json_string_create("Open_vSwitch"));
}

/* Returns the error that the results of a transaction have, or NULL. */
static const struct json *
find_error(const struct json *results)
{
    if (results->type == JSON_ARRAY) {
        for (size_t i = 0; i < results->array.n; i++) {
            const struct json *result = results->array.elems[i];

            if (result->type == JSON_OBJECT
                && shash_find(result->object, "error")) {
                return result;
            }
        }
        return NULL;
    }
    return results;
}

/* Sends 'transaction', which this function consumes, and stores in
 * '*resultsp' one result for each operation.
 *
 * If the database refuses the transaction, returns an error, and also stores
 * in '*refusedp', if 'refusedp' is nonnull, the name that it gives to this:
 * "timed out", "constraint violation"...; the caller must free it. */
struct cni_error *
cni_txn_send(struct cni_ovsdb *db, struct json *transaction,
             struct json **resultsp, char **refusedp)
{
    struct jsonrpc_msg *reply;
    const struct json *refusal;
    struct cni_error *error = NULL;
    struct json *id;
    int retval;

    *resultsp = NULL;
    if (refusedp) {
        *refusedp = NULL;
    }
    retval = jsonrpc_send(db->rpc, jsonrpc_create_request("transact",
                                                          transaction, &id));
    if (!retval) {
        retval = receive(db, id, &reply);
    }
    json_destroy(id);
    if (retval) {
        return cni_error(CNI_OVSDB, "the database of Open vSwitch does not "
                         "answer: %s", ovs_strerror(retval));
    }

    refusal = (reply->type == JSONRPC_ERROR ? reply->error
               : find_error(reply->result));
    if (refusal) {
        char *s = json_to_string(refusal, JSSF_SORT);

        error = cni_error(CNI_OVSDB, "the database of Open vSwitch refuses: "
                          "%s", s);
        free(s);
        if (refusedp && refusal->type == JSON_OBJECT) {
            const struct json *name = shash_find_data(refusal->object,
                                                      "error");
            *refusedp = (name && name->type == JSON_STRING
                         ? xstrdup(name->string) : NULL);
        }
    } else {
        *resultsp = json_clone(reply->result);
    }
    jsonrpc_msg_destroy(reply);
    return error;
}

/* Values of columns. */

struct json *
cni_pair(const char *tag, struct json *value)
{
    return json_array_create_2(json_string_create(tag), value);
}

struct json *
cni_map_from_smap(const struct smap *smap)
{
    struct json *pairs = json_array_create_empty();
    const struct smap_node *node;

    SMAP_FOR_EACH (node, smap) {
        json_array_add(pairs, cni_pair(node->key,
                                       json_string_create(node->value)));
    }
    return cni_pair("map", pairs);
}

/* Reads the map 'json' into 'smap'. */
void
cni_map_to_smap(const struct json *json, struct smap *smap)
{
    const struct json *pairs;

    if (!json || json->type != JSON_ARRAY || json->array.n != 2) {
        return;
    }
    pairs = json->array.elems[1];
    for (size_t i = 0; pairs->type == JSON_ARRAY && i < pairs->array.n; i++) {
        const struct json *p = pairs->array.elems[i];

        if (p->type == JSON_ARRAY && p->array.n == 2
            && p->array.elems[0]->type == JSON_STRING
            && p->array.elems[1]->type == JSON_STRING) {
            smap_replace(smap, p->array.elems[0]->string,
                         p->array.elems[1]->string);
        }
    }
}

/* Operations. */

/* Returns the condition "[[column, function, value]]". */
struct json *
cni_where(const char *column, const char *function, struct json *value)
{
    return json_array_create_1(
        json_array_create_3(json_string_create(column),
                            json_string_create(function), value));
}

struct json *
cni_add_operation(struct json *transaction, const char *name,
                  const char *table)
{
    struct json *op = json_object_create();

    json_object_put_string(op, "op", name);
    json_object_put_string(op, "table", table);
    json_array_add(transaction, op);
    return op;
}

void
cni_add_select(struct json *transaction, const char *table,
               struct json *where, const char *columns)
{
    struct json *op = cni_add_operation(transaction, "select", table);
    struct json *names = json_array_create_empty();
    char *copy = xstrdup(columns);
    char *save = NULL;

    for (char *name = strtok_r(copy, " ", &save); name;
         name = strtok_r(NULL, " ", &save)) {
        json_array_add(names, json_string_create(name));
    }
    free(copy);
    json_object_put(op, "where", where);
    json_object_put(op, "columns", names);
}

void
cni_add_insert(struct json *transaction, const char *table,
               const char *uuid_name, struct json *row)
{
    struct json *op = cni_add_operation(transaction, "insert", table);

    json_object_put_string(op, "uuid-name", uuid_name);
    json_object_put(op, "row", row);
}

void
cni_add_mutate(struct json *transaction, const char *table,
               struct json *where, const char *column, const char *mutator,
               struct json *value)
{
    struct json *op = cni_add_operation(transaction, "mutate", table);

    json_object_put(op, "where", where);
    json_object_put(op, "mutations", json_array_create_1(
        json_array_create_3(json_string_create(column),
                            json_string_create(mutator), value)));
}

/* Returns the rows that the operation 'i' selected. */
const struct json_array *
cni_rows(const struct json *results, size_t i)
{
    static const struct json_array none;
    const struct json *rows;

    if (results->type != JSON_ARRAY || i >= results->array.n
        || results->array.elems[i]->type != JSON_OBJECT) {
        return &none;
    }
    rows = shash_find_data(results->array.elems[i]->object, "rows");
    return rows && rows->type == JSON_ARRAY ? &rows->array : &none;
}

const struct json *
cni_column(const struct json_array *rows, size_t i, const char *column)
{
    return (i < rows->n && rows->elems[i]->type == JSON_OBJECT
            ? shash_find_data(rows->elems[i]->object, column) : NULL);
}

long long int
cni_column_int(const struct json_array *rows, size_t i, const char *column)
{
    const struct json *value = cni_column(rows, i, column);

    return value && value->type == JSON_INTEGER ? value->integer : -1;
}

const char *
cni_column_text(const struct json_array *rows, size_t i, const char *column)
{
    const struct json *value = cni_column(rows, i, column);

    return value && value->type == JSON_STRING ? value->string : NULL;
}

/* How many rows the operation 'i' changed. */
long long int
cni_count(const struct json *results, size_t i)
{
    const struct json *count;

    count = shash_find_data(results->array.elems[i]->object, "count");
    return count && count->type == JSON_INTEGER ? count->integer : 0;
}

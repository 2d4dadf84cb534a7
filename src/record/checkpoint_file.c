// SPDX-License-Identifier: MIT
// The file of a checkpoint; see checkpoint_file.h.
#include "record/checkpoint_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/replace.h"
#include "instance/pack.h"

enum {
    BYTE_ORDER_MARK = 0x01020304,
    MAGIC_SIZE = 8,
    SUM_SIZE = TAKT_HASH_SIZE - 1,
    MAX_FACTS = 100 * 1000 * 1000
};

#define MAX_SIZE ((size_t)1 << 40)

static const char magic[MAGIC_SIZE + 1] = "TAKTCKPT";

typedef struct head {
    char magic[MAGIC_SIZE];
    uint32_t format, byte_order;
    uint64_t size; // of the content
} head;

// ---- writing ---------------------------------------------------------------------------------------

// With its final 0, so that it can be read in place.
static void pack_text(takt_packer *packer, const char *text)
{
    size_t size = strlen(text) + 1;
    takt_pack_integer(packer, (int64_t)size);
    takt_pack(packer, text, size);
}

static void pack_bytes(takt_packer *packer, const void *data, size_t size)
{
    takt_pack_integer(packer, (int64_t)size);
    if (size) takt_pack(packer, data, size);
}

static void pack_content(takt_packer *packer, const takt_checkpoint *content)
{
    const takt_file_mark *results = &content->results;
    takt_pack_real(packer, content->time);
    takt_pack_integer(packer, content->n_facts);
    for (int i = 0; i < content->n_facts; i++) {
        pack_text(packer, content->facts[i].name);
        pack_text(packer, content->facts[i].value);
    }
    takt_pack_integer(packer, results->path != NULL);
    if (results->path) {
        pack_text(packer, results->path);
        takt_pack_integer(packer, (int64_t)results->size);
        takt_pack_integer(packer, (int64_t)results->n_rows);
        takt_pack_real(packer, results->time);
        takt_pack(packer, &results->checksum, sizeof results->checksum);
    }
    pack_bytes(packer, content->run, content->run_size);
    takt_pack_integer(packer, content->n_instances);
    for (int i = 0; i < content->n_instances; i++) {
        pack_text(packer, content->instances[i].name);
        pack_bytes(packer, content->instances[i].data, content->instances[i].size);
    }
}

takt_status takt_checkpoint_print(const takt_checkpoint *content, takt_bytes *out, takt_error *err)
{
    takt_packer packer = {.out = out};
    head first = {.format = TAKT_CHECKPOINT_FORMAT, .byte_order = BYTE_ORDER_MARK};
    char sum[TAKT_HASH_SIZE];
    memcpy(first.magic, magic, MAGIC_SIZE);
    takt_pack(&packer, &first, sizeof first);
    pack_content(&packer, content);
    if (!packer.failed) {
        first.size = out->size - sizeof first;
        memcpy(out->data, &first, sizeof first);
        takt_hash_bytes(out->data, out->size, sum);
        takt_pack(&packer, sum, SUM_SIZE);
    }
    return packer.failed ? takt_fail_memory(err) : TAKT_OK;
}

takt_status takt_checkpoint_file_write(const char *path, const takt_bytes *bytes, takt_error *err)
{
    takt_replacement file = {0};
    takt_status st = takt_replace_begin_safely(path, &file, err);
    if (!st) {
        fwrite(bytes->data, 1, bytes->size, file.file); // the end looks for errors
        st = takt_replace_end(&file, TAKT_OK, err);
    }
    return st ? takt_within(err, st, "checkpoint") : TAKT_OK;
}

// ---- reading ---------------------------------------------------------------------------------------

static const char *unpack_text(takt_unpacker *unpacker)
{
    size_t size = (size_t)takt_unpack_integer(unpacker, 1, INT32_MAX);
    const char *text = takt_unpack_place(unpacker, size);
    if (text && text[size - 1] == 0 && strlen(text) == size - 1) return text;
    unpacker->failed = true;
    return "";
}

static const char *unpack_bytes(takt_unpacker *unpacker, size_t *size)
{
    *size = (size_t)takt_unpack_integer(unpacker, 0, INT64_MAX);
    const char *data = takt_unpack_place(unpacker, *size);
    return data ? data : "";
}

// How many things follow, each of at least 16 bytes, and room for them.
static void *unpack_list(takt_unpacker *unpacker, takt_checkpoint *to, size_t item, int *n)
{
    int64_t most = (int64_t)(unpacker->left / 16);
    *n = (int)takt_unpack_integer(unpacker, 0, most < MAX_FACTS ? most : MAX_FACTS);
    void *list = takt_arena_array(&to->arena, *n ? (size_t)*n : 1, item);
    if (!list) unpacker->failed = unpacker->out_of_memory = true;
    if (unpacker->failed) *n = 0;
    return list;
}

static void unpack_results(takt_unpacker *unpacker, takt_file_mark *results)
{
    if (!takt_unpack_integer(unpacker, 0, 1)) return;
    results->path = unpack_text(unpacker);
    results->size = (uint64_t)takt_unpack_integer(unpacker, 0, INT64_MAX / 2);
    results->n_rows = (uint64_t)takt_unpack_integer(unpacker, 0, INT64_MAX / 2);
    results->time = takt_unpack_real(unpacker);
    takt_unpack(unpacker, &results->checksum, sizeof results->checksum);
}

static void unpack_content(takt_unpacker *unpacker, takt_checkpoint *to)
{
    to->time = takt_unpack_real(unpacker);
    if (!isfinite(to->time)) unpacker->failed = true;
    to->facts = unpack_list(unpacker, to, sizeof *to->facts, &to->n_facts);
    for (int i = 0; i < to->n_facts; i++) {
        to->facts[i].name = unpack_text(unpacker);
        to->facts[i].value = unpack_text(unpacker);
    }
    unpack_results(unpacker, &to->results);
    to->run = unpack_bytes(unpacker, &to->run_size);
    to->instances = unpack_list(unpacker, to, sizeof *to->instances, &to->n_instances);
    for (int i = 0; i < to->n_instances; i++) {
        to->instances[i].name = unpack_text(unpacker);
        to->instances[i].data = unpack_bytes(unpacker, &to->instances[i].size);
    }
}

static takt_status check_head(const char *data, size_t size, takt_error *err)
{
    head first = {0};
    memcpy(&first, data, size < sizeof first ? size : sizeof first);
    if (memcmp(first.magic, magic, MAGIC_SIZE) != 0)
        return takt_fail(err, TAKT_ERR_INPUT, "this is no checkpoint of Takt");
    if (size < sizeof first + SUM_SIZE)
        return takt_fail(err, TAKT_ERR_INPUT, "the file is cut off after %zu bytes", size);
    if (first.byte_order != BYTE_ORDER_MARK)
        return takt_fail(err, TAKT_ERR_INPUT,
                         "it was written on a machine with another order of bytes");
    if (first.format != TAKT_CHECKPOINT_FORMAT)
        return takt_fail(err, TAKT_ERR_INPUT,
                         "it has format %u, but this version of Takt reads format %d; go on with "
                         "the version of Takt that wrote it",
                         (unsigned)first.format, TAKT_CHECKPOINT_FORMAT);
    size_t room = size - sizeof first - SUM_SIZE;
    if (first.size != room)
        return takt_fail(err, TAKT_ERR_INPUT, "%s", // first.size may be anything
                         first.size > room ? "the file is cut off"
                                           : "there is something behind its end");
    char sum[TAKT_HASH_SIZE];
    takt_hash_bytes(data, size - SUM_SIZE, sum);
    if (memcmp(sum, data + size - SUM_SIZE, SUM_SIZE) != 0)
        return takt_fail(err, TAKT_ERR_INPUT, "the file is damaged: its checksum is wrong");
    return TAKT_OK;
}

takt_status takt_checkpoint_parse(char *data, size_t size, takt_checkpoint **out, takt_error *err)
{
    takt_checkpoint *to = calloc(1, sizeof *to);
    if (!to) {
        free(data);
        return takt_fail_memory(err);
    }
    to->bytes = data;
    takt_status st = check_head(data, size, err);
    if (!st) {
        takt_unpacker unpacker = {.next = data + sizeof(head),
                                  .left = size - sizeof(head) - SUM_SIZE};
        unpack_content(&unpacker, to);
        if (unpacker.out_of_memory)
            st = takt_fail_memory(err);
        else if (takt_unpack_end(&unpacker, NULL))
            st = takt_fail(err, TAKT_ERR_INPUT, "the content is not that of a checkpoint");
    }
    if (st)
        takt_checkpoint_close(to);
    else
        *out = to;
    return st;
}

takt_status takt_checkpoint_file_read(const char *path, takt_checkpoint **out, takt_error *err)
{
    char *data = NULL;
    size_t size = 0;
    takt_status st = takt_file_read(path, MAX_SIZE, &data, &size, err);
    if (st) return takt_within(err, st, "checkpoint");
    st = takt_checkpoint_parse(data, size, out, err);
    return st ? takt_within(err, st, "checkpoint %s", path) : TAKT_OK;
}

void takt_checkpoint_close(takt_checkpoint *checkpoint)
{
    if (!checkpoint) return;
    free(checkpoint->bytes);
    takt_arena_clear(&checkpoint->arena);
    free(checkpoint);
}

double takt_checkpoint_time(const takt_checkpoint *checkpoint)
{
    return checkpoint ? checkpoint->time : NAN;
}

const char *takt_checkpoint_results(const takt_checkpoint *checkpoint)
{
    return checkpoint ? checkpoint->results.path : NULL;
}

// SPDX-License-Identifier: MIT
// Making zip archives over libzip; see zip_write.h.
#include "base/zip_write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <zip.h>

#include "base/file.h"
#include "base/replace.h"
#include "base/text.h"

struct takt_zip_writer {
    zip_t *archive; // NULL: not begun, or complete
    takt_arena arena;
    const char *path;
    takt_replacement target;
    zip_error_t problem; // of writing to the target
};

// ---- the file that libzip writes to ------------------------------------------------------------------

static zip_int64_t fail_target(takt_zip_writer *writer, int code, int number)
{
    zip_error_set(&writer->problem, code, number);
    return -1;
}

static zip_int64_t write_target(takt_zip_writer *writer, const void *data, zip_uint64_t length)
{
    if (fwrite(data, 1, length, writer->target.file) == length) return (zip_int64_t)length;
    return fail_target(writer, ZIP_ER_WRITE, errno);
}

static zip_int64_t seek_target(takt_zip_writer *writer, void *data, zip_uint64_t length)
{
    const zip_source_args_seek_t *to =
        ZIP_SOURCE_GET_ARGS(zip_source_args_seek_t, data, length, &writer->problem);
    if (!to) return -1;
    if (fseeko(writer->target.file, (off_t)to->offset, to->whence) == 0) return 0;
    return fail_target(writer, ZIP_ER_SEEK, errno);
}

// libzip's own way to write files asks libcrypto for a random name, which takes 4,500 allocations and
// crashes when some of them fail. What it asks of a source that can only be written: see zip_source_function(3).
static zip_int64_t handle_target(void *context, void *data, zip_uint64_t length,
                                 zip_source_cmd_t command)
{
    takt_zip_writer *writer = context;
    switch (command) {
    case ZIP_SOURCE_SUPPORTS:
        return zip_source_make_command_bitmap(
            ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR,
            ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL, ZIP_SOURCE_BEGIN_WRITE,
            ZIP_SOURCE_COMMIT_WRITE, ZIP_SOURCE_ROLLBACK_WRITE, ZIP_SOURCE_WRITE,
            ZIP_SOURCE_SEEK_WRITE, ZIP_SOURCE_TELL_WRITE, ZIP_SOURCE_REMOVE, -1);
    case ZIP_SOURCE_STAT: return fail_target(writer, ZIP_ER_READ, ENOENT); // nothing is there yet
    case ZIP_SOURCE_ERROR: return zip_error_to_data(&writer->problem, data, length);
    case ZIP_SOURCE_WRITE: return write_target(writer, data, length);
    case ZIP_SOURCE_SEEK_WRITE: return seek_target(writer, data, length);
    case ZIP_SOURCE_TELL_WRITE: return (zip_int64_t)ftello(writer->target.file);
    case ZIP_SOURCE_FREE:
    case ZIP_SOURCE_REMOVE:
    case ZIP_SOURCE_BEGIN_WRITE:
    case ZIP_SOURCE_COMMIT_WRITE:
    case ZIP_SOURCE_ROLLBACK_WRITE: return 0;
    default: return fail_target(writer, ZIP_ER_OPNOTSUPP, 0);
    }
}

static takt_status begin_archive(takt_zip_writer *writer, takt_error *err)
{
    zip_source_t *source = zip_source_function_create(handle_target, writer, &writer->problem);
    if (source)
        writer->archive = zip_open_from_source(source, ZIP_CREATE | ZIP_TRUNCATE, &writer->problem);
    if (writer->archive) return TAKT_OK;
    if (source) zip_source_free(source);
    return takt_fail_memory(err);
}

takt_status takt_zip_create(const char *path, takt_zip_writer **out, takt_error *err)
{
    takt_zip_writer *writer = calloc(1, sizeof *writer);
    if (!writer) return takt_fail_memory(err);
    zip_error_init(&writer->problem);
    writer->path = takt_arena_copy(&writer->arena, path);
    takt_status st =
        writer->path ? takt_replace_begin(path, &writer->target, err) : takt_fail_memory(err);
    if (!st) st = begin_archive(writer, err);
    if (st)
        takt_zip_discard(writer);
    else
        *out = writer;
    return st;
}

// ---- entries -----------------------------------------------------------------------------------------

static bool is_packed(const char *name)
{
    static const char *const endings[] = {".fmu", ".ssp", ".zip"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (length >= 4 && strcmp(name + length - 4, endings[i]) == 0) return true;
    return false;
}

// Has an allocation inside of libzip failed? It does not always say so, but errno does, which must be 0 before.
static bool is_out_of_memory(takt_zip_writer *writer)
{
    return errno == ENOMEM || zip_error_code_zip(zip_get_error(writer->archive)) == ZIP_ER_MEMORY;
}

// Adds an entry; takes over `content`.
static takt_status add(takt_zip_writer *writer, const char *name, zip_source_t *content,
                       takt_error *err)
{
    if (!content) return takt_fail_memory(err);
    if (!takt_utf8_is_valid(name)) {
        zip_source_free(content);
        return takt_fail(err, TAKT_ERR_INPUT,
                         "%s: '%s' cannot be added: its name is not UTF-8; rename it", writer->path,
                         name);
    }
    errno = 0;
    zip_int64_t index = zip_file_add(writer->archive, name, content, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
        bool is_memory = is_out_of_memory(writer);
        zip_source_free(content);
        if (is_memory) return takt_fail_memory(err);
        return takt_fail(err, TAKT_ERR_OUTPUT, "%s: '%s' cannot be added: %s", writer->path, name,
                         zip_strerror(writer->archive));
    }
    // 1980-01-01, the earliest date that an archive can hold.
    if (zip_file_set_dostime(writer->archive, (zip_uint64_t)index, 0, 0x21, 0) != 0 ||
        zip_set_file_compression(writer->archive, (zip_uint64_t)index,
                                 is_packed(name) ? ZIP_CM_STORE : ZIP_CM_DEFLATE, 0) != 0)
        return takt_fail_memory(err);
    return TAKT_OK;
}

takt_status takt_zip_add_file(takt_zip_writer *writer, const char *name, const char *path,
                              takt_error *err)
{
    FILE *file = NULL; // to say at once what cannot be read
    takt_status st = takt_file_open(path, &file, err);
    if (st) return st;
    fclose(file);
    return add(writer, name, zip_source_file(writer->archive, path, 0, -1), err);
}

takt_status takt_zip_add_data(takt_zip_writer *writer, const char *name, const void *data,
                              size_t size, takt_error *err)
{
    // The copy stays ours: libzip sometimes frees it when it fails, and sometimes not.
    char *copy = takt_arena_alloc(&writer->arena, size ? size : 1);
    if (!copy) return takt_fail_memory(err);
    if (size) memcpy(copy, data, size);
    return add(writer, name, zip_source_buffer(writer->archive, copy, size, 0), err);
}

takt_status takt_zip_finish(takt_zip_writer *writer, takt_error *err)
{
    takt_status st = TAKT_OK;
    errno = 0;
    if (zip_close(writer->archive) == 0)
        writer->archive = NULL;
    else if (is_out_of_memory(writer))
        st = takt_fail_memory(err);
    else
        st = takt_fail(err, TAKT_ERR_OUTPUT, "%s: cannot be written: %s", writer->path,
                       zip_strerror(writer->archive));
    st = takt_replace_end(&writer->target, st, err);
    takt_zip_discard(writer);
    return st;
}

void takt_zip_discard(takt_zip_writer *writer)
{
    if (!writer) return;
    if (writer->archive) zip_discard(writer->archive);
    takt_replace_end(&writer->target, TAKT_ERR_OUTPUT, NULL);
    zip_error_fini(&writer->problem);
    takt_arena_clear(&writer->arena);
    free(writer);
}

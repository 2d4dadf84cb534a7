// SPDX-License-Identifier: MIT
// Making zip archives over libzip; see zip_write.h.
#include "base/zip_write.h"

#include <stdlib.h>
#include <string.h>

#include <zip.h>

#include "base/file.h"

struct takt_zip_writer {
    zip_t *archive;
    takt_arena arena;
    const char *path;
};

takt_status takt_zip_create(const char *path, takt_zip_writer **out, takt_error *err)
{
    takt_zip_writer *writer = calloc(1, sizeof *writer);
    if (!writer) return takt_fail_memory(err);
    int problem = 0;
    writer->path = takt_arena_copy(&writer->arena, path);
    writer->archive = writer->path ? zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &problem) : NULL;
    if (writer->archive) {
        *out = writer;
        return TAKT_OK;
    }
    bool is_memory = !writer->path || problem == ZIP_ER_MEMORY;
    takt_zip_discard(writer);
    if (is_memory) return takt_fail_memory(err);
    zip_error_t text;
    zip_error_init_with_code(&text, problem);
    takt_status st = takt_fail(err, TAKT_ERR_OUTPUT, "%s: cannot be written: %s", path,
                               zip_error_strerror(&text));
    zip_error_fini(&text);
    return st;
}

static bool is_packed(const char *name)
{
    static const char *const endings[] = {".fmu", ".ssp", ".zip"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (length >= 4 && strcmp(name + length - 4, endings[i]) == 0) return true;
    return false;
}

// Adds an entry; takes over `content`.
static takt_status add(takt_zip_writer *writer, const char *name, zip_source_t *content,
                       takt_error *err)
{
    if (!content) return takt_fail_memory(err);
    zip_int64_t index = zip_file_add(writer->archive, name, content, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
        zip_source_free(content);
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
    char *copy = size ? malloc(size) : NULL; // libzip does not free an empty one
    if (size && !copy) return takt_fail_memory(err);
    if (size) memcpy(copy, data, size);
    zip_source_t *content = zip_source_buffer(writer->archive, copy, size, 1);
    if (!content) free(copy);
    return add(writer, name, content, err);
}

takt_status takt_zip_finish(takt_zip_writer *writer, takt_error *err)
{
    takt_status st = TAKT_OK;
    if (zip_close(writer->archive) == 0)
        writer->archive = NULL;
    else
        st = takt_fail(err, TAKT_ERR_OUTPUT, "%s: cannot be written: %s", writer->path,
                       zip_strerror(writer->archive));
    takt_zip_discard(writer);
    return st;
}

void takt_zip_discard(takt_zip_writer *writer)
{
    if (!writer) return;
    if (writer->archive) zip_discard(writer->archive);
    takt_arena_clear(&writer->arena);
    free(writer);
}

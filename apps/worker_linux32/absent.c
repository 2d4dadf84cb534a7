// SPDX-License-Identifier: MIT
// What the worker for FMUs with 32 bits does not have, because the libraries that do it are not there with 32 bits: archives and
// fingerprints, which it never needs (Takt's own process has unpacked the FMU).
#include <string.h>

#include "base/cache.h"
#include "base/hash.h"
#include "compile/compile.h"
#include "compile/sources.h"
#include "compile/stamp.h"

takt_status takt_cache_open(FILE *file, const char *name, takt_arena *arena, takt_unpacked *out,
                            takt_error *err)
{
    (void)file, (void)arena, (void)out;
    return takt_fail(err, TAKT_ERR_USAGE, "%s: cannot be unpacked by the worker for 32 bits", name);
}

void takt_cache_close(takt_unpacked *unpacked)
{
    (void)unpacked;
}

takt_status takt_hash_file(FILE *file, char out[TAKT_HASH_SIZE], takt_error *err)
{
    (void)file, (void)out;
    return takt_fail(err, TAKT_ERR_USAGE, "the worker for 32 bits makes no fingerprints");
}

void takt_hash_bytes(const void *data, size_t size, char out[TAKT_HASH_SIZE])
{
    (void)data, (void)size;
    memset(out, 0, TAKT_HASH_SIZE);
}

// ---- sources -------------------------------------------------------------------------------------

static takt_status refuse(takt_error *err)
{
    return takt_fail(err, TAKT_ERR_USAGE, "the worker for 32 bits compiles nothing");
}

takt_status takt_compile(const char *folder, const takt_sources *sources, int fmi_major,
                         const char *library, takt_error *err)
{
    (void)folder, (void)sources, (void)fmi_major, (void)library;
    return refuse(err);
}

takt_status takt_sources_exist(const char *folder, int fmi_major, bool *out, takt_error *err)
{
    (void)folder, (void)fmi_major, (void)err;
    *out = false;
    return TAKT_OK;
}

takt_status takt_sources_find(const takt_sources_wish *wish, takt_arena *arena, takt_sources *out,
                              takt_error *err)
{
    (void)wish, (void)arena, (void)out;
    return refuse(err);
}

bool takt_stamp_is_intact(const char *library)
{
    (void)library;
    return false;
}

takt_status takt_stamp_is_current(const char *library, bool *out, takt_error *err)
{
    (void)library, (void)out;
    return refuse(err);
}

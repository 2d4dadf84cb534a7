// SPDX-License-Identifier: MIT
// Limits of unpacking; see zip_limits.h. The layout of the end of an archive is that of PKWARE's APPNOTE, sections
// 4.3.14 to 4.3.16.
#include "base/zip_limits.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/size.h"

takt_status takt_zip_limits_choose(takt_zip_limits *out, takt_error *err)
{
    const char *size = getenv("TAKT_UNPACK_LIMIT"), *count = getenv("TAKT_UNPACK_ENTRIES");
    *out = TAKT_ZIP_LIMITS_DEFAULT;
    if (size && *size) {
        if (!takt_size_read(size, &out->total_size))
            return takt_fail(err, TAKT_ERR_USAGE,
                             "TAKT_UNPACK_LIMIT (--unpack-limit): '%s' is no size such as 500MB "
                             "or 8GB",
                             size);
        out->entry_size = out->total_size;
        out->ratio_free = out->total_size;
    }
    if (count && *count &&
        (!takt_number_read_integer(count, count + strlen(count), &out->n_entries) ||
         out->n_entries < 1))
        return takt_fail(err, TAKT_ERR_USAGE,
                         "TAKT_UNPACK_ENTRIES (--unpack-entries): '%s' is no number of entries",
                         count);
    return TAKT_OK;
}

takt_status takt_zip_fail_count(int64_t n, const takt_zip_limits *limits, takt_error *err)
{
    return takt_fail(err, TAKT_ERR_INPUT,
                     "the archive is refused: it has %lld entries, more than the %lld allowed; "
                     "--unpack-entries %lld (or TAKT_UNPACK_ENTRIES) would allow it",
                     (long long)n, (long long)limits->n_entries, (long long)n);
}

static uint64_t number_at(const unsigned char *bytes, int size)
{
    uint64_t number = 0;
    for (int i = size - 1; i >= 0; i--) number = number << 8 | bytes[i];
    return number;
}

// The number of entries by the record of large archives, whose place stands in front of the common one; 0: none.
static uint64_t count_large(FILE *archive, const unsigned char *locator)
{
    unsigned char record[40];
    uint64_t place = number_at(locator + 8, 8);
    if (memcmp(locator, "PK\6\7", 4) != 0 || place > INT64_MAX ||
        fseeko(archive, (off_t)place, SEEK_SET) != 0 ||
        fread(record, 1, sizeof record, archive) != sizeof record ||
        memcmp(record, "PK\6\6", 4) != 0)
        return 0;
    return number_at(record + 32, 8);
}

takt_status takt_zip_check_count(FILE *archive, const takt_zip_limits *limits, takt_error *err)
{
    enum { RECORD = 22, LOCATOR = 20, TAIL = 65536 + RECORD + LOCATOR };
    unsigned char *tail = malloc(TAIL);
    if (!tail) return takt_fail_memory(err);
    off_t size = fseeko(archive, 0, SEEK_END) == 0 ? ftello(archive) : 0;
    size_t n = size < TAIL ? (size_t)(size > 0 ? size : 0) : TAIL;
    uint64_t count = 0;
    if (fseeko(archive, size - (off_t)n, SEEK_SET) == 0 && fread(tail, 1, n, archive) == n) {
        // The record stands before a comment of any length: the last one counts.
        for (size_t at = n >= RECORD ? n - RECORD + 1 : 0; at > 0 && !count; at--) {
            const unsigned char *record = tail + at - 1;
            if (memcmp(record, "PK\5\6", 4) != 0) continue;
            uint64_t large = at > LOCATOR ? count_large(archive, record - LOCATOR) : 0;
            count = large ? large : number_at(record + 10, 2);
            break;
        }
    }
    free(tail);
    rewind(archive);
    if (count <= (uint64_t)limits->n_entries) return TAKT_OK;
    return takt_zip_fail_count(count < INT64_MAX ? (int64_t)count : INT64_MAX, limits, err);
}

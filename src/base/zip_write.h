// SPDX-License-Identifier: MIT
// Making zip archives. The same content gives the same bytes: entries have no time. Archives within
// archives (.fmu, .ssp, .zip) are stored as they are, everything else is deflated.
#ifndef TAKT_BASE_ZIP_WRITE_H
#define TAKT_BASE_ZIP_WRITE_H

#include <stddef.h>

#include "base/error.h"

typedef struct takt_zip_writer takt_zip_writer;

/// Begins an archive, which replaces an old file when it is finished. Owned by the caller.
takt_status takt_zip_create(const char *path, takt_zip_writer **out, takt_error *err);

/// Add a file; `name` is its path in the archive. A file on disk is read when the archive is finished;
/// data is copied.
takt_status takt_zip_add_file(takt_zip_writer *writer, const char *name, const char *path,
                              takt_error *err);
takt_status takt_zip_add_data(takt_zip_writer *writer, const char *name, const void *data,
                              size_t size, takt_error *err);

/// Writes the archive and ends the writer, also when that fails.
takt_status takt_zip_finish(takt_zip_writer *writer, takt_error *err);

/// Ends the writer without an archive. Accepts NULL.
void takt_zip_discard(takt_zip_writer *writer);

#endif

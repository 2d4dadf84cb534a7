// SPDX-License-Identifier: MIT
// Reading modelDescription.xml, of any FMI version, into a model. Runs no code of the FMU.
#ifndef TAKT_DESCRIPTION_READ_H
#define TAKT_DESCRIPTION_READ_H

#include "base/log.h"
#include "description/description.h"

/// Reads a description. `model` must be zeroed but for `description_file`, which names the file in
/// messages. Every problem goes to `log` (may be NULL) with its line; a failure names the first
/// error. What was read so far stays in the model and is freed with it. `sizes` (may be NULL) are the
/// values of structural parameters for arrays of other sizes.
takt_status takt_description_read(const char *path, const takt_fmi3_sizes *sizes, takt_log *log,
                                  takt_model *model, takt_description *out, takt_error *err);
takt_status takt_description_read_memory(const void *data, size_t size, takt_log *log,
                                         takt_model *model, takt_description *out, takt_error *err);

#endif

// SPDX-License-Identifier: MIT
// Reading modelDescription.xml, of any FMI version, into a model. Runs no code of the FMU.
#ifndef TAKT_FMI_DESCRIPTION_H
#define TAKT_FMI_DESCRIPTION_H

#include "base/log.h"
#include "instance/model.h"

/// What only src/fmi needs to know; the rest goes into the model. Texts live in the model's arena.
typedef struct takt_description {
    int fmi_major; ///< 1 or 2
    const char *guid; ///< instantiationToken of FMI 3.0
    const char *identifier; ///< of the co-simulation interface; NULL: there is none
    bool has_model_exchange;
    const char *mime_type; ///< of FMI 1.0
    const char **categories; ///< for logging
    int n_categories;
    const bool *is_negated; ///< per variable: the negative of its value reference; NULL: none is
} takt_description;

/// Reads a description. `model` must be zeroed but for `description_file`, which names the file in
/// messages. Every problem goes to `log` (may be NULL) with its line; a failure names the first
/// error. What was read so far stays in the model and is freed with it.
takt_status takt_description_read(const char *path, takt_log *log, takt_model *model,
                                  takt_description *out, takt_error *err);
takt_status takt_description_read_memory(const void *data, size_t size, takt_log *log,
                                         takt_model *model, takt_description *out, takt_error *err);

#endif

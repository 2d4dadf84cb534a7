// SPDX-License-Identifier: MIT
// Opening an FMU: unpack, read the description, find the library. Runs no code of the FMU.
#ifndef TAKT_FMU_OPEN_H
#define TAKT_FMU_OPEN_H

#include "description/description.h"
#include "fmu/options.h"

/// Opens an FMU as a model whose instances run its co-simulation interface, or that for model exchange if
/// it has no other. Problems of the description go to `log` (may be NULL), each with its line. The library
/// is loaded only when the first instance is made. The result is owned by the caller and ended with
/// takt_model_close().
takt_status takt_fmu_open(const char *path, takt_log *log, takt_model **out, takt_error *err);

/// The same with options.
takt_status takt_fmu_open_with(const char *path, const takt_fmu_options *options, takt_log *log,
                               takt_model **out, takt_error *err);

/// The same with other sizes of arrays, without saying anything about its description.
takt_status takt_fmu_open_sized(const char *path, const takt_fmu_options *options,
                                const takt_fmi3_sizes *sizes, takt_model **out, takt_error *err);

/// What its description says besides what is in the model; lives as long as the model, which must be an FMU.
const takt_description *takt_fmu_description(const takt_model *model);

/// Is the model an FMU that offers model exchange, whether it is used or not?
bool takt_fmu_offers_me(const takt_model *model);

#endif

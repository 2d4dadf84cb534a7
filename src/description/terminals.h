// SPDX-License-Identifier: MIT
// Reading terminalsAndIcons.xml of FMI 3.0 (specification 3.0.2, section 2.4.9), which FMI 2.0.4 has taken over: terminals group variables
// that are connected together. Runs need none of it, so what is wrong there is reported and left out.
#ifndef TAKT_DESCRIPTION_TERMINALS_H
#define TAKT_DESCRIPTION_TERMINALS_H

#include "base/log.h"
#include "instance/model.h"

/// Reads the terminals of an open model. `shown` names the file in messages and must live as long as the
/// model. Only exhausted memory is a failure.
takt_status takt_terminals_read(const char *path, const char *shown, takt_log *log,
                                takt_model *model, takt_error *err);
takt_status takt_terminals_read_memory(const void *data, size_t size, const char *shown,
                                       takt_log *log, takt_model *model, takt_error *err);

#endif

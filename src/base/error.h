// SPDX-License-Identifier: MIT
// Writing error messages. The finder of a problem calls takt_fail(); callers that know more put
// context in front with takt_within(), so that a message reads from outside to inside:
//   plant.ssd:41: component 'tank': FMU tank.fmu: modelDescription.xml:12: unknown causality 'inpt'
#ifndef TAKT_BASE_ERROR_H
#define TAKT_BASE_ERROR_H

#include "takt/status.h"

/// Writes the message into `err` (may be NULL) and returns `status`.
takt_status takt_fail(takt_error *err, takt_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// Puts "context: " in front of the message in `err` (may be NULL) and returns `status`.
takt_status takt_within(takt_error *err, takt_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// The status for a failure of the system: TAKT_ERR_MEMORY where errno says so, else `otherwise`.
takt_status takt_status_of_errno(int number, takt_status otherwise);

/// "takt_run_step: the run must not be NULL": a public function (`__func__`) lacks an argument.
takt_status takt_fail_missing(takt_error *err, const char *function, const char *what);

/// The one message for exhausted memory.
takt_status takt_fail_memory(takt_error *err);

#endif

// SPDX-License-Identifier: MIT
// Writing to the log; see takt/log.h for what a log is. All functions accept a NULL log and may be
// called from any thread.
#ifndef TAKT_BASE_LOG_H
#define TAKT_BASE_LOG_H

#include <stdbool.h>

#include "base/error.h"
#include "takt/log.h"

/// Would a message of this level be seen? Ask before preparing an expensive one.
bool takt_log_wants(const takt_log *log, takt_level level);

void takt_log_write(takt_log *log, takt_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// A problem with its place; line 0 means the file as a whole.
void takt_log_problem(takt_log *log, takt_level level, const char *file, int line,
                      const char *format, ...) __attribute__((format(printf, 5, 6)));

/// A doubt: a warning that results may be wrong. It says what is doubtful and what the user can do. The
/// log counts doubts and keeps the first one; file NULL: no place.
void takt_log_doubt(takt_log *log, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/// Fails if the log has seen more than `n_before` doubts: what --strict does at the start of a run. The
/// message names `what`, the number and, where warnings are not shown, the first of all.
takt_status takt_log_check_doubts(const takt_log *log, int n_before, const char *what,
                                  takt_error *err);

/// See takt_log_set_strict().
bool takt_log_is_strict(const takt_log *log);

/// A message of an instance, word for word; `source` names the instance and the category.
void takt_log_relay(takt_log *log, takt_level level, const char *source, const char *text);

#endif

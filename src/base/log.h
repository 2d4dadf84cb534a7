// SPDX-License-Identifier: MIT
// Writing to the log; see takt/log.h for what a log is. All functions accept a NULL log and may be
// called from any thread.
#ifndef TAKT_BASE_LOG_H
#define TAKT_BASE_LOG_H

#include <stdbool.h>

#include "takt/log.h"

/// Would a message of this level be seen? Ask before preparing an expensive one.
bool takt_log_wants(const takt_log *log, takt_level level);

void takt_log_write(takt_log *log, takt_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// A problem with its place; line 0 means the file as a whole.
void takt_log_problem(takt_log *log, takt_level level, const char *file, int line,
                      const char *format, ...) __attribute__((format(printf, 5, 6)));

/// The level of problems that do not matter for a run: a warning in a strict log, else information.
takt_level takt_log_note_level(const takt_log *log);

/// A message of an instance, word for word; `source` names the instance and the category.
void takt_log_relay(takt_log *log, takt_level level, const char *source, const char *text);

#endif

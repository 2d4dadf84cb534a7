// SPDX-License-Identifier: MIT
// Messages that are not failures of a call: problems of a project (all of them, each with file and
// line), messages of FMUs, warnings, progress of the algorithms.
#ifndef TAKT_LOG_H
#define TAKT_LOG_H

#include <stddef.h>

#include "takt/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How serious a message is; a log takes all up to a level.
typedef enum takt_level {
    TAKT_LEVEL_ERROR,
    TAKT_LEVEL_WARN,
    TAKT_LEVEL_INFO,
    TAKT_LEVEL_DEBUG,
    TAKT_LEVEL_TRACE,
} takt_level;

/// One message.
typedef struct takt_message {
    size_t size; ///< of this struct, set by whoever makes it: mostly the library
    takt_level level; ///< errors are reported even where the call continues
    const char *file; ///< where the problem is, or NULL
    int line; ///< 0: the file as a whole
    const char *source; ///< instance and category of an FMU's message, or NULL
    const char *text; ///< one line or more, without a final newline
    int is_doubt; ///< 1: a warning that results may be wrong
} takt_message;

/// Receives one message. The strings live only during the call. Calls come one at a time, perhaps
/// from different threads.
typedef void (*takt_message_fn)(void *context, const takt_message *message);

/// Takes messages and hands them to a receiver.
typedef struct takt_log takt_log;

/// Makes a log that passes messages up to `level` to `receive`; errors and warnings are counted in
/// any case. Owned by the caller; must outlive everything made with it. `receive` may be NULL: messages are only counted. NULL: out of memory.
TAKT_API takt_log *takt_log_create(takt_level level, takt_message_fn receive, void *context);
TAKT_API void takt_log_destroy(takt_log *log);

/// In a strict log every broken rule of a standard is a warning, also those that do not matter for a run.
/// Else there is one information about them per FMU, and each has the level debug.
TAKT_API void takt_log_set_strict(takt_log *log, int is_strict);

/// How many errors and warnings the log has seen so far.
TAKT_API int takt_log_count(const takt_log *log, takt_level level);

/// How many of these warnings say that results may be wrong. With the setting `strict` such a warning is a
/// failure when a system is checked or a run is started.
TAKT_API int takt_log_count_doubts(const takt_log *log);

/// "error", "warn", "info", "debug" or "trace"; "unknown" for any other number.
TAKT_API const char *takt_level_name(takt_level level);

/// Finds a level by its name. Returns 0 when there is no such level.
TAKT_API int takt_level_find(const char *name, takt_level *out);

#ifdef __cplusplus
}
#endif
#endif

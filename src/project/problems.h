// SPDX-License-Identifier: MIT
// Checks report all problems, not the first: each goes to the log with its place, and at the end one
// status says whether there were any.
#ifndef TAKT_PROJECT_PROBLEMS_H
#define TAKT_PROJECT_PROBLEMS_H

#include <stdarg.h>

#include "base/error.h"
#include "base/log.h"

/// Where something was written, for messages.
typedef struct takt_place {
    const char *file; ///< NULL: on the command line or through the API
    int line; ///< 0: the file as a whole
} takt_place;

typedef struct takt_problems {
    takt_log *log; ///< borrowed; may be NULL
    int n_reported; ///< of all levels
    int n_errors;
    int n_errors_in_files; ///< those that are not the fault of an option
    char first[TAKT_MESSAGE_SIZE]; ///< the first error with its place
} takt_problems;

/// Reports an error or a warning (or an information, which is no problem).
void takt_problem(takt_problems *problems, takt_level level, takt_place place, const char *format,
                  ...) __attribute__((format(printf, 4, 5)));

/// Reports that results may be wrong; see takt_log_doubt().
void takt_problem_doubt(takt_problems *problems, takt_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// Counts `n` errors in a file that are in the log already; `first` is one of them.
void takt_problems_add(takt_problems *problems, int n, const char *first);

/// TAKT_OK when there was no error. Otherwise TAKT_ERR_INPUT, or TAKT_ERR_USAGE when only options
/// were wrong. The message says how many problems `what` has and, when there is no log, which
/// was the first.
takt_status takt_problems_end(const takt_problems *problems, const char *what, takt_error *err);

/// Is looking for a similar name among `n` still worth the time? A file full of errors must not take
/// too long.
static inline bool takt_problems_suggests(const takt_problems *problems, int n)
{
    return (double)problems->n_reported * n < 1e6;
}

/// Is a name in a list that NULL ends? If not, *nearest is the one that may be meant; NULL: none is.
bool takt_problems_is_listed(const takt_problems *problems, const char *name,
                             const char *const *list, const char **nearest);

#endif

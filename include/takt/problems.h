// SPDX-License-Identifier: MIT
// Problems as values: a log that keeps what it is told, taken apart into severity, file, line, component, message and suggestion.
//
//     takt_problem_list *list = takt_problem_list_create(TAKT_LEVEL_WARN);
//     takt_project_open(path, takt_problem_list_log(list), &project, &err);
//     takt_project_check(project, &err);
//     for (int i = 0; i < takt_problem_list_count(list); i++) ...
#ifndef TAKT_PROBLEMS_H
#define TAKT_PROBLEMS_H

#include <stddef.h>

#include "takt/log.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A list of problems.
typedef struct takt_problem_list takt_problem_list;

/// One problem. Texts are borrowed from the list until it is cleared.
typedef struct takt_problem_info {
    size_t size; ///< of this struct, set by the caller
    takt_level severity; ///< error, warn, ...
    const char *file; ///< where it is; NULL: in no file
    int line; ///< 0: the file as a whole
    const char *component; ///< that it is about; NULL: none, or not known
    const char *message; ///< without the suggestion
    const char *suggestion; ///< what can be done; NULL: nothing is known
    const char *text; ///< message and suggestion, as they are shown to people
    int is_doubt; ///< 1: a warning that results may be wrong
} takt_problem_info;

/// An empty list for messages up to a level. Owned by the caller; must outlive what uses its log. NULL: out of memory.
TAKT_API takt_problem_list *takt_problem_list_create(takt_level level);

/// Accepts NULL.
TAKT_API void takt_problem_list_destroy(takt_problem_list *list);

/// The log whose messages the list keeps; borrowed from the list.
TAKT_API takt_log *takt_problem_list_log(takt_problem_list *list);

/// Adds a message; may be used as the takt_message_fn of another log. `list` is the takt_problem_list.
TAKT_API void takt_problem_list_add(void *list, const takt_message *message);

/// How many problems the list has, and one of them, by index from 0.
TAKT_API int takt_problem_list_count(const takt_problem_list *list);
TAKT_API takt_status takt_problem_list_get(const takt_problem_list *list, int index,
                                           takt_problem_info *out, takt_error *err);

/// Were there problems that had no room because memory was exhausted?
TAKT_API int takt_problem_list_is_cut(const takt_problem_list *list);

/// Forgets all problems. The counts of the log go on.
TAKT_API void takt_problem_list_clear(takt_problem_list *list);

#ifdef __cplusplus
}
#endif
#endif

// SPDX-License-Identifier: MIT
// A system: a project with its FMUs opened, all names resolved and everything checked.
#ifndef TAKT_SYSTEM_H
#define TAKT_SYSTEM_H

#include "takt/project.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What was made of a project; it does not change any more.
typedef struct takt_system takt_system;

/// Opens the FMUs of a project (running none of their code), resolves and checks everything. All
/// problems go to the project's log; then the status is TAKT_ERR_INPUT, or TAKT_ERR_USAGE if only
/// settings and values that were given by options or the API are wrong. The result is owned by the
/// caller; the project must outlive it.
TAKT_API takt_status takt_system_create(const takt_project *project, takt_system **out,
                                        takt_error *err);

/// Ends a system; no run of it may exist any more. Accepts NULL.
TAKT_API void takt_system_destroy(takt_system *system);

/// Removes the temporary files of a system that cannot be destroyed, because an FMU does not return from a
/// call; for a takt_timeout_fn. Nothing but ending the process may follow. Accepts NULL.
TAKT_API void takt_system_remove_files(const takt_system *system);

/// What a description of a system shows.
typedef enum takt_topic {
    TAKT_TOPIC_CONTENT, ///< components, variables, capabilities, settings
    TAKT_TOPIC_GRAPH, ///< calling sequence, levels, loops, feedthrough; instances of FMUs may be made for it
    TAKT_TOPIC_INPUTS, ///< inputs that are not connected, and the values that they keep; "" if there are none
    TAKT_TOPIC_STATIC_GRAPH, ///< as TAKT_TOPIC_GRAPH as far as it is known without running code of FMUs
    TAKT_TOPIC_EXPERIMENT, ///< interval, algorithm, steps, tolerance, rows: the values in effect, and where each comes from
} takt_topic;

/// The form of a description.
typedef enum takt_format {
    TAKT_FORMAT_TEXT, ///< for reading
    TAKT_FORMAT_JSON,
    TAKT_FORMAT_DOT, ///< Graphviz; only TAKT_TOPIC_GRAPH
} takt_format;

/// Finds the problems that show only when the calling order is made, without running code of FMUs; they go
/// to the project's log. With the setting `strict` it also fails if a warning said that results may be
/// wrong; see takt_log_count_doubts().
TAKT_API takt_status takt_system_check(const takt_system *system, takt_error *err);

/// Describes a system. The text is owned by the caller and freed with takt_free().
TAKT_API takt_status takt_system_describe(const takt_system *system, takt_topic topic,
                                          takt_format format, char **out, takt_error *err);

/// Frees a text that a function of this library returned. Accepts NULL.
TAKT_API void takt_free(char *text);

#ifdef __cplusplus
}
#endif
#endif

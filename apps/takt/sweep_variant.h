// SPDX-License-Identifier: MIT
// One variant of a sweep: its run, and the line of the manifest that comes of it.
#ifndef TAKT_APP_SWEEP_VARIANT_H
#define TAKT_APP_SWEEP_VARIANT_H

#include "session.h"
#include "sweep_keep.h"
#include "sweep_plan.h"

/// What all variants have in common. Constant once workers are made.
typedef struct sweep_job {
    const cli_arguments *arguments; ///< with the settings
    const char *project; ///< its file
    const char *folder; ///< of the sweep
    const char *results; ///< ending of result files, "csv"; NULL: none are written
    sweep_plan plan;
    sweep_keep keep;
    cli_session session; ///< the project as it is, with its FMUs opened and none of them loaded
    bool *is_setting; ///< per column: it is a setting and no variable
    char **own_warnings; ///< owned; of the project itself, of which every variant would tell
    int n_own_warnings, own_warnings_capacity;
    bool is_fresh; ///< each variant has a process of its own
} sweep_job;

/// How a variant ended.
typedef struct sweep_outcome {
    bool is_ok;
    double time; ///< s, simulated; NaN: it did not begin
    double wall; ///< s
    int n_warnings;
    const char *text; ///< what went wrong or is doubtful; ""
    const sweep_collection *kept; ///< NULL: nothing
} sweep_outcome;

/// The header of manifests, and a line of it; with the end of the line. Owned by the caller; NULL: out of memory.
char *sweep_header(const sweep_job *job, size_t *size);
char *sweep_line(const sweep_job *job, int64_t variant, const sweep_outcome *outcome, size_t *size);

/// How many columns stand before those of the plan, and their names.
enum { SWEEP_COLUMNS = 6 };
extern const char *const sweep_columns[SWEEP_COLUMNS];

/// Keeps a warning as one of the project itself: a takt_message_fn whose context is the job.
void sweep_note_own_warning(void *job, const takt_message *message);

/// Changes a project for a sweep: what is recorded.
takt_status sweep_prepare_project(const sweep_job *job, takt_project *project, takt_error *err);

/// Makes the system of a variant from the project's file, without running code of FMUs: for finding mistakes before anything is run.
takt_status sweep_check_variant(const sweep_job *job, int64_t variant, takt_error *err);

/// What others may look at while a variant runs, also when its process has died.
typedef struct sweep_view {
    _Atomic int64_t variant; ///< -1: none
    _Atomic double time; ///< s, simulated
} sweep_view;

/// The work of a worker's process: runs the variants whose numbers arrive at a socket, and sends their lines back, each behind a
/// sweep_message. Returns when the socket is closed, after a run that failed (a new process has no traces of that), and
/// if variants are to be fresh, after each one.
void sweep_serve(sweep_job *job, int socket, sweep_view *view);

typedef struct sweep_message {
    int64_t variant;
    int64_t size; ///< of the line that follows
    int32_t is_ok, has_warnings;
} sweep_message;

/// Writes everything, or reads exactly that much; false: the other side is gone.
bool sweep_send(int socket, const void *data, size_t size);
bool sweep_receive(int socket, void *data, size_t size);

#endif

// SPDX-License-Identifier: MIT
// The folder of a sweep: manifest.csv with one line per variant that has ended, definition.txt, which says what was asked for, and a file for
// locks. Several processes may work in one folder, each on variants of its own.
#ifndef TAKT_APP_SWEEP_MANIFEST_H
#define TAKT_APP_SWEEP_MANIFEST_H

#include "sweep_variant.h"

typedef struct sweep_manifest {
    const sweep_job *job;
    int64_t first, last; ///< variants of this process: first .. last - 1
    char *path; ///< of manifest.csv
    int lock; ///< file; -1: none
    unsigned char *is_done; ///< per variant from `first`
    int64_t n_done; ///< of these, before this process began
} sweep_manifest;

typedef struct sweep_manifest_options {
    int64_t first, last;
    bool resumes; ///< lines of these variants may be there
    bool retries; ///< lines of those that failed are removed
} sweep_manifest_options;

/// What was asked for, as text with a line for each fact; owned by the caller.
takt_status sweep_describe(const sweep_job *job, char **out, takt_error *err);

/// Makes the folder or goes on in it. Clear it in any case.
takt_status sweep_manifest_open(sweep_manifest *manifest, const sweep_job *job,
                                const sweep_manifest_options *options, takt_error *err);
void sweep_manifest_clear(sweep_manifest *manifest);

/// Appends a line: whole, or not at all.
takt_status sweep_manifest_append(sweep_manifest *manifest, const char *line, size_t size,
                                  takt_error *err);

/// "FOLDER/NAME", malloc'ed.
char *sweep_path(const sweep_job *job, const char *name);

#endif

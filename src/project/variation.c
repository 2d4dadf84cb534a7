// SPDX-License-Identifier: MIT
// See variation.h. Everything is borrowed but what changes: settings, and the list of values.
#include "project/variation.h"

#include <stdlib.h>
#include <string.h>

takt_project *takt_project_vary(const takt_project *project)
{
    size_t n = (size_t)project->n_assignments;
    takt_project *own = malloc(sizeof *own);
    takt_project_assignment *values = calloc(n ? n : 1, sizeof *values);
    if (!own || !values) {
        free(own);
        free(values);
        return NULL;
    }
    if (n) memcpy(values, project->assignments, n * sizeof *values);
    *own = *project;
    own->arena = (takt_arena){0};
    own->varied = project;
    takt_project_hold(project);
    own->assignments = values;
    own->assignment_capacity = n ? (int)n : 1;
    // What else the log has seen is about other variations.
    own->n_doubts_before = takt_log_count_doubts(project->log) - project->n_doubts_read;
    return own;
}

void takt_project_end_variation(takt_project *project)
{
    if (!project) return;
    takt_arena_clear(&project->arena);
    free(project->assignments);
    takt_project_release(project->varied);
    free(project);
}

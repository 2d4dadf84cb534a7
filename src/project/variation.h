// SPDX-License-Identifier: MIT
// A project with other settings and values for one run.
#ifndef TAKT_PROJECT_VARIATION_H
#define TAKT_PROJECT_VARIATION_H

#include "project/project.h"

/// A project with the content of another one, which it holds and does not change. Settings and values of it may be
/// changed, nothing else. NULL: out of memory.
takt_project *takt_project_vary(const takt_project *project);

/// Accepts NULL.
void takt_project_end_variation(takt_project *project);

#endif

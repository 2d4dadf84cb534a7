// SPDX-License-Identifier: MIT
// What the files that write SSP share.
#ifndef TAKT_PROJECT_WRITE_SSP_H
#define TAKT_PROJECT_WRITE_SSP_H

#include "base/xml_edit.h"
#include "project/project.h"

/// Makes a SystemStructureDescription of a project that was read from another format. Sources are
/// URIs of absolute paths. What cannot be expressed gives a warning. Owned by the caller.
takt_status takt_ssd_generate(takt_project *project, takt_xml_tree **out, takt_error *err);

/// Carries out in the project's description what was changed there; see takt_project_edit.
takt_status takt_ssd_apply_edits(takt_project *project, takt_xml_tree *tree, takt_error *err);

/// Writes what is new since the project was read into its description: settings, values, components, connections.
/// Returns false when memory is exhausted.
bool takt_ssd_update(takt_project *project, takt_xml_tree *tree);

#endif

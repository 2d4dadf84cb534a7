// SPDX-License-Identifier: MIT
// A single FMU is a project with one component, named after the file.
#include "project/project.h"

takt_status takt_project_read_fmu(takt_project *project, takt_error *err)
{
    takt_project_component component = {
        .name = project->name, .source = project->path, .place = {.file = project->path}};
    return takt_project_add_component(project, &component) ? TAKT_OK : takt_fail_memory(err);
}

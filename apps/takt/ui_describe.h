// SPDX-License-Identifier: MIT
// A project as the page shows it: components with their models, connections, values, settings, problems, calling order.
#ifndef TAKT_APP_UI_DESCRIBE_H
#define TAKT_APP_UI_DESCRIBE_H

#include "ui_models.h"
#include "takt/takt.h"

/// What is shown of `project`, whose messages have gone to `list`. A system is made of it, and ended again; code of FMUs is not run. NULL: out of
/// memory.
json_t *ui_describe_project(const takt_project *project, takt_problem_list *list, ui_models *models,
                            const char *root);

/// The problems of a list.
json_t *ui_describe_problems(const takt_problem_list *list, const char *root);

/// All settings that there are: name, group, type, choices, default, help.
json_t *ui_describe_settings(void);

#endif

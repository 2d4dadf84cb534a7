// SPDX-License-Identifier: MIT
// From a file's name to a checked system; see session.h.
#include "session.h"

#include <string.h>

#include "base/error.h"

static takt_status apply_settings(takt_project *project, const cli_arguments *arguments,
                                  takt_error *err)
{
    for (int i = 0; i < arguments->n_settings; i++) {
        const cli_setting *s = &arguments->settings[i];
        bool is_value = strcmp(s->name, "set") == 0;
        takt_status st = is_value ? takt_project_set_value(project, s->value, err)
                                  : takt_project_set(project, s->name, s->value, err);
        if (st) return st;
    }
    return TAKT_OK;
}

takt_status cli_session_open(cli_session *session, const char *file, const cli_arguments *arguments,
                             takt_error *err)
{
    takt_status st = takt_project_open(file, session->console.log, &session->project, err);
    if (!st) st = apply_settings(session->project, arguments, err);
    if (!st) st = takt_system_create(session->project, &session->system, err);
    return st;
}

void cli_session_fail(cli_session *session, const takt_error *err)
{
    bool is_told = !session->system && takt_log_count(session->console.log, TAKT_LEVEL_ERROR) > 0;
    if (is_told)
        cli_console_note(&session->console, "%s", err->message);
    else
        cli_console_error(&session->console, err);
}

void cli_session_close(cli_session *session)
{
    takt_system_destroy(session->system);
    takt_project_close(session->project);
    session->system = NULL;
    session->project = NULL;
}

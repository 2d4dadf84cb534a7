// SPDX-License-Identifier: MIT
// From a file's name to a checked system; see session.h.
#include "session.h"

#include <stdlib.h>
#include <string.h>

#include "content.h"
#include "ranks.h"
#include "support.h"

takt_status cli_session_apply(takt_project *project, const cli_setting *s, takt_error *err)
{
    if (cli_content_is(s->name)) return cli_content_apply(project, s, err);
    if (strcmp(s->name, "variant") == 0 || strncmp(s->name, "unpack-", 7) == 0)
        return TAKT_OK; // the project is open
    static const char *const others[] = {"vary", "keep", "place", "cost"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(s->name, others[i]) == 0) return TAKT_OK; // of the program, not of a project
    if (strcmp(s->name, "set") == 0) return takt_project_set_value(project, s->value, err);
    if (strcmp(s->name, "ssv") == 0) return takt_project_set_values(project, s->value, err);
    return takt_project_set(project, s->name, s->value, err);
}

takt_status cli_session_open_project(cli_session *session, const char *file,
                                     const cli_arguments *arguments, takt_error *err)
{
    const char *variant = NULL;
    for (int i = 0; i < arguments->n_settings; i++) {
        const cli_setting *s = &arguments->settings[i];
        if (strcmp(s->name, "variant") == 0) variant = s->value;
        // Packages are unpacked before a project has settings; the library asks the environment.
        if (strcmp(s->name, "unpack-limit") == 0) setenv("TAKT_UNPACK_LIMIT", s->value, 1);
        if (strcmp(s->name, "unpack-entries") == 0) setenv("TAKT_UNPACK_ENTRIES", s->value, 1);
    }
    takt_status st = takt_unpack_limits_check(err);
    if (!st)
        st = takt_project_open_variant(file, variant, session->console.log, &session->project, err);
    for (int i = 0; !st && i < arguments->n_settings; i++)
        st = cli_session_apply(session->project, &arguments->settings[i], err);
    return st;
}

// Only FMUs and tables may stand side by side; the first of other files is told.
static takt_status check_files(const cli_arguments *arguments, takt_error *err)
{
    for (int i = 0; i < arguments->n_operands; i++) {
        const char *file = arguments->operands[i];
        if (cli_ends_in(file, ".fmu") || cli_ends_in(file, ".csv") || cli_ends_in(file, ".tsv"))
            continue;
        return cli_fail(
            err, TAKT_ERR_USAGE,
            "unexpected argument '%s': several files can only be FMUs and tables, which "
            "are coupled",
            arguments->operands[i ? i : 1]);
    }
    return TAKT_OK;
}

// Several FMUs without a project: they become the components of one that is named after the first.
static takt_status open_files(cli_session *session, const cli_arguments *arguments, takt_error *err)
{
    takt_status st = check_files(arguments, err);
    if (!st)
        st = takt_project_create(arguments->operands[0], session->console.log, &session->project,
                                 err);
    for (int i = 0; i < arguments->n_operands && !st; i++)
        st = cli_content_add_file(session->project, arguments->operands[i], err);
    for (int i = 0; !st && i < arguments->n_settings; i++)
        st = cli_session_apply(session->project, &arguments->settings[i], err);
    return st;
}

void cli_session_note_places(cli_session *session, const cli_arguments *arguments,
                             const char *reason)
{
    static const char *const names[] = {"place", "cost"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        for (int i = 0; i < arguments->n_settings; i++) {
            if (strcmp(arguments->settings[i].name, names[k]) != 0) continue;
            cli_console_note(&session->console, "--%s has no effect: %s", names[k], reason);
            break;
        }
}

takt_status cli_session_open_files(cli_session *session, const cli_arguments *arguments,
                                   takt_error *err)
{
    takt_status st =
        arguments->n_operands > 1
            ? open_files(session, arguments, err)
            : cli_session_open_project(session, arguments->operands[0], arguments, err);
    if (!st) st = cli_content_finish(session->project, arguments, &session->console, err);
    if (st) return st;
    if (session->ranks) return cli_create_on_ranks(session, arguments, err);
    cli_session_note_places(session, arguments, "all FMUs run in this process; see takt-mpi");
    return takt_system_create(session->project, &session->system, err);
}

takt_status cli_session_open(cli_session *session, const char *file, const cli_arguments *arguments,
                             takt_error *err)
{
    takt_status st = cli_session_open_project(session, file, arguments, err);
    return st ? st : takt_system_create(session->project, &session->system, err);
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
    free(session->places);
    session->places = NULL;
    session->system = NULL;
    session->project = NULL;
}

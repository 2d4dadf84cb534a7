// SPDX-License-Identifier: MIT
// `takt advise`: trial runs of a system, and the settings that are recommended after them.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "exit_guard.h"
#include "session.h"
#include "stdout_guard.h"
#include "support.h"

typedef struct advise_options {
    bool json, quiet;
    double max_steps, max_time;
    int log_level;
} advise_options;

static void tell(void *context, const char *what)
{
    cli_session *session = context;
    cli_console_note(&session->console, "%s", what);
}

// A call to an FMU does not return; see run_command.c.
static void give_up(void *context, const takt_error *err)
{
    cli_session *session = context;
    cli_console_error(&session->console, err);
    takt_system_remove_files(session->system);
    if (err->status !=
        TAKT_ERR_SIMULATION) // else Takt itself crashed, and the signal ends the program
        cli_exit_now(takt_status_exit_code(err->status));
}

// "--name=value", or "--name" for a flag. Freed by the caller; NULL: out of memory.
static char *write_setting(const cli_setting *setting)
{
    bool is_flag = false;
    const takt_setting_info *info;
    for (int i = 0; (info = takt_setting(i)); i++)
        if (strcmp(info->name, setting->name) == 0) is_flag = !info->argument;
    size_t size = strlen(setting->name) + strlen(setting->value) + 4;
    char *text = malloc(size);
    if (text) snprintf(text, size, is_flag ? "--%s" : "--%s=%s", setting->name, setting->value);
    return text;
}

// The words of the command line that a run would need, too.
typedef struct word_list {
    char **words; // the first one is borrowed
    int n_words;
} word_list;

static void free_words(word_list *list)
{
    for (int i = 1; i < list->n_words; i++) free(list->words[i]);
    free(list->words);
}

static takt_status list_words(const cli_arguments *arguments, word_list *out, takt_error *err)
{
    out->words = calloc(1 + (size_t)arguments->n_settings, sizeof *out->words);
    if (!out->words) return cli_fail_memory(err);
    out->words[out->n_words++] = (char *)arguments->operands[0];
    for (int i = 0; i < arguments->n_settings; i++) {
        char *word = write_setting(&arguments->settings[i]);
        if (!word) return cli_fail_memory(err);
        out->words[out->n_words++] = word;
    }
    return TAKT_OK;
}

// What FMUs print must not get between the lines.
static takt_status advise(cli_session *session, const word_list *words,
                          const advise_options *options, takt_error *err)
{
    takt_advise_options work = takt_advise_options_default();
    work.max_steps = (int64_t)options->max_steps;
    work.max_time = options->max_time;
    work.words = (const char *const *)words->words;
    work.n_words = words->n_words;
    work.tell = options->quiet ? NULL : tell;
    work.on_timeout = give_up;
    work.context = session;
    char *text = NULL;
    cli_stdout_guard guard = {.is_needed = true};
    cli_stdout_hide(&guard);
    takt_status st = takt_advise(session->system, &work,
                                 options->json ? TAKT_FORMAT_JSON : TAKT_FORMAT_TEXT, &text, err);
    takt_error unseen;
    takt_status shown = cli_stdout_show(&guard, st ? &unseen : err);
    if (!st && shown) takt_free(text);
    if (st || shown) return st ? st : shown;
    fputs(text, stdout);
    if (*text && text[strlen(text) - 1] != '\n') fputc('\n', stdout);
    takt_free(text);
    return cli_output_end(stdout, err);
}

static int execute(const cli_arguments *arguments)
{
    const advise_options *options = arguments->options;
    cli_session session = {0};
    word_list words = {0};
    takt_error err = {0};
    takt_status st = cli_console_open(&session.console, (takt_level)options->log_level, NULL, &err);
    if (!st) st = list_words(arguments, &words, &err);
    if (!st) st = cli_session_open(&session, arguments->operands[0], arguments, &err);
    if (!st) st = advise(&session, &words, options, &err);
    if (st) cli_session_fail(&session, &err);
    cli_session_close(&session);
    free_words(&words);
    cli_console_close(&session.console);
    return takt_status_exit_code(st);
}

#define FIELD(member) offsetof(advise_options, member)

static const cli_option options[] = {
    {"json", 0, CLI_FLAG, NULL, NULL, "print JSON instead of text", "Output", FIELD(json)},
    {"quiet", 'q', CLI_FLAG, NULL, NULL, "do not say which trial is running", NULL, FIELD(quiet)},
    {"log-level", 0, CLI_CHOICE, "error|warn|info|debug|trace", "error",
     "which messages of the trial runs are shown", NULL, FIELD(log_level)},
    {"max-steps", 0, CLI_NUMBER, "N", "500",
     "communication steps of the first trial; the others cover the same part of the interval",
     "Work", FIELD(max_steps)},
    {"max-time", 0, CLI_TIME, "TIME", "30",
     "real time for all trials; a call to an FMU is not interrupted (see --timeout)", NULL,
     FIELD(max_time)},
    CLI_PROJECT_OPTIONS,
    {0},
};

static const advise_options defaults = {
    .max_steps = 500, .max_time = 30, .log_level = TAKT_LEVEL_ERROR};

const cli_command cli_advise = {
    .name = "advise",
    .operands = "FILE [options]",
    .summary = "measure how components are coupled and recommend settings",
    .details =
        "Runs a project three times over a part of its interval: as it is set, with measurements "
        "in between, and more exactly for comparison. Says what was found, the most important "
        "first (components that cannot be rewound, or not exactly; loops that are cut at a strong "
        "coupling; noise; fast components; jumps; wrong results), and which options of 'takt run' "
        "follow from it. Results are not written. The options of the settings are those of 'takt "
        "run': advice is given for them.",
    .examples = "takt advise plant.ssd\n"
                "takt advise plant.ssd --step-size 10ms\tare these steps short enough?\n"
                "takt advise plant.ssd --json | jq -r .command\n"
                "takt advise slow.ssp --max-time 10min --max-steps 50\n",
    .options = options,
    .has_settings = true,
    .min_operands = 1,
    .max_operands = 1,
    .options_size = sizeof(advise_options),
    .defaults = &defaults,
    .execute = execute,
};

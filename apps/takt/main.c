// SPDX-License-Identifier: MIT
// The program `takt`: finds the command, reads its arguments, executes it. `takt FILE` is
// `takt run FILE`.
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "console.h"
#include "help.h"
#include "options.h"
#include "ranks.h"
#include "terminal.h"
#include "support.h"

// How many there are.
static int count_commands(void)
{
    int n = 0;
    while (cli_commands[n]) n++;
    return n;
}

static void print_overview(FILE *file)
{
    fprintf(file, "Takt couples simulators (FMUs) and steps them through time together.\n\n"
                  "Usage: takt COMMAND ...\n"
                  "       takt FILE [options]     is 'takt run FILE [options]'\n\nCommands:\n");
    int width = cli_terminal_width(file, 40, 100);
    for (int i = 0; cli_commands[i]; i++) {
        fprintf(file, "  %-10s ", cli_commands[i]->name);
        cli_print_wrapped(file, cli_commands[i]->summary, 13, width);
    }
    fputc('\n', file);
    cli_print_wrapped(file,
                      "'takt help COMMAND' or 'takt COMMAND --help' says more; 'takt --version' "
                      "shows the version.",
                      0, width);
}

static int fail(const takt_error *err)
{
    cli_console console = {.has_colour = cli_terminal_has_colour(stderr)};
    cli_console_error(&console, err);
    return takt_status_exit_code(err->status);
}

// After a text for the user: the exit code.
static int end_output(void)
{
    takt_error err = {0};
    return cli_output_end(stdout, &err) ? fail(&err) : 0;
}

static int print_version(void)
{
    printf("takt %s\n", takt_version());
    return end_output();
}

static int print_help(const cli_command *command)
{
    cli_help(command, stdout);
    return end_output();
}

// `help` is one, too, but has no options.
static const char *command_name(void *context, int i)
{
    (void)context;
    return cli_commands[i] ? cli_commands[i]->name : "help";
}

static int fail_unknown_command(const char *word)
{
    takt_error err = {0};
    const char *nearest = takt_text_nearest(word, count_commands() + 1, command_name, NULL);
    if (nearest)
        cli_fail(&err, TAKT_ERR_USAGE, "unknown command '%s'; did you mean '%s'?", word, nearest);
    else
        cli_fail(&err, TAKT_ERR_USAGE, "unknown command '%s'; 'takt help' lists all", word);
    return fail(&err);
}

/// What main() was given.
typedef struct program {
    takt_ranks *ranks;
    const takt_transport *transport;
} program;

static int execute(const cli_command *command, const program *self, int n_words, char **words)
{
    cli_arguments arguments;
    takt_error err = {0};
    int exit_code = 0;
    takt_status st = cli_arguments_read(command, n_words, words, &arguments, &err);
    arguments.ranks = self->ranks;
    arguments.transport = self->transport;
    if (st)
        exit_code = fail(&err);
    else if (arguments.wants_help)
        exit_code = print_help(command);
    else if (arguments.wants_version)
        exit_code = print_version();
    else
        exit_code = command->execute(&arguments);
    cli_arguments_clear(&arguments);
    return exit_code;
}

static int help(int n_words, char **words)
{
    if (n_words == 0) {
        print_overview(stdout);
        return end_output();
    }
    const cli_command *command = cli_command_find(words[0]);
    if (!command) return fail_unknown_command(words[0]);
    return print_help(command);
}

// A word that is no command may be a file: one that exists, or whose name looks like one.
static bool may_be_file(const char *word)
{
    return strpbrk(word, "./") || access(word, F_OK) == 0;
}

// A standard file that is closed would give its number to the next file that is opened, say the one for
// results, and messages would land there. What takes its place refuses to be used, as before.
static void occupy_standard_files(void)
{
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
        if (fcntl(i, F_GETFD) < 0 && open("/dev/null", i ? O_RDONLY : O_WRONLY) < 0) return;
}

int cli_main(int argc, char **argv, takt_ranks *ranks, const takt_transport *transport)
{
    const program self = {ranks, transport};
    occupy_standard_files();
    takt_guard_install(STDERR_FILENO, NULL); // if that fails, crashes are only not explained
    if (argc < 2) {
        print_overview(stderr);
        return takt_status_exit_code(TAKT_ERR_USAGE);
    }
    const char *word = argv[1];
    const cli_command *command = cli_command_find(word);
    if (command) return execute(command, &self, argc - 2, argv + 2);
    if (strcmp(word, "help") == 0) return help(argc - 2, argv + 2);
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) return help(0, NULL);
    if (strcmp(word, "--version") == 0) return print_version();
    if (word[0] == '-' || may_be_file(word)) return execute(&cli_run, &self, argc - 1, argv + 1);
    return fail_unknown_command(word);
}

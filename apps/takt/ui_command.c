// SPDX-License-Identifier: MIT
// `takt ui`: the server, the browser, and the end by Ctrl-C.
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ui_assets.h"
#include "command.h"
#include "console.h"
#include "interrupt.h"
#include "ui_server.h"
#include "support.h"

typedef struct ui_options {
    double port;
    const char *page;
    bool no_browser, no_isolate;
} ui_options;

// The folder of a file; the file may be a folder itself, which is then all.
static takt_status split_file(const char *operand, char **folder, const char **file,
                              takt_error *err)
{
    struct stat status;
    bool is_folder = !operand || (stat(operand, &status) == 0 && S_ISDIR(status.st_mode));
    *file = NULL;
    *folder = strdup(operand ? operand : ".");
    if (!*folder) return cli_fail_memory(err);
    if (is_folder) return TAKT_OK;
    char *slash = strrchr(*folder, '/');
    *file = slash ? operand + (slash - *folder) + 1 : operand;
    if (!slash)
        memcpy(*folder, ".", 2);
    else
        slash[slash == *folder] = 0;
    if (stat(operand, &status) != 0 && !cli_ends_in(operand, ".ssd") &&
        !cli_ends_in(operand, ".ssp"))
        return cli_fail(err, TAKT_ERR_INPUT,
                        "%s: there is no such file; a new system is named .ssd or .ssp", operand);
    return TAKT_OK;
}

// Where nobody sees a browser, the address is enough.
static void open_browser(const char *address)
{
    if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY")) return;
    pid_t child = fork();
    if (child == 0) {
        if (fork() == 0) {
            setsid();
            freopen("/dev/null", "w", stdout);
            freopen("/dev/null", "w", stderr);
            execlp("xdg-open", "xdg-open", address, (char *)NULL);
        }
        _exit(0);
    }
    if (child > 0) waitpid(child, NULL, 0);
}

static void serve(ui_app *app, ui_server *server)
{
    const struct timespec pause = {0, 100 * 1000 * 1000};
    for (int i = 1; !cli_interrupt_seen(); i++) {
        nanosleep(&pause, NULL);
        if (i % 10 == 0) ui_server_tick(server);
        if (i % 50 == 0) ui_events_beat(&app->events);
    }
}

static takt_status work(const ui_options *options, const char *operand, takt_error *err)
{
    ui_app app = {.is_isolated = !options->no_isolate};
    ui_server *server = NULL;
    char *folder = NULL, address[96];
    const char *file = NULL;
    takt_status st = split_file(operand, &folder, &file, err);
    if (!st && !(options->port <= 65535 && options->port == (int)options->port))
        st = cli_fail(err, TAKT_ERR_USAGE, "--port must be a whole number up to 65535");
    if (!st) st = ui_app_open(&app, folder, file, err);
    if (!st) st = ui_server_open(&app, (int)options->port, options->page, &server, err);
    if (!st) {
        snprintf(address, sizeof address, "http://127.0.0.1:%d/#%s", ui_server_port(server),
                 ui_server_token(server));
        printf("%s\n", address);
        if (!ui_assets->path && !options->page)
            printf("This takt was built without its page; 'make ui' builds it.\n");
        printf("Ctrl-C ends the server.\n");
        st = cli_output_end(stdout, err);
    }
    if (!st && !options->no_browser) open_browser(address);
    if (!st) serve(&app, server);
    ui_server_close(server);
    if (folder) ui_app_close(&app);
    free(folder);
    return st;
}

static int execute(const cli_arguments *arguments)
{
    takt_error err = {0};
    cli_console console;
    cli_interrupt_watch();
    takt_status st = cli_console_open(&console, TAKT_LEVEL_WARN, NULL, &err);
    if (!st)
        st = work(arguments->options, arguments->n_operands ? arguments->operands[0] : NULL, &err);
    if (st) cli_console_error(&console, &err);
    cli_console_close(&console);
    return takt_status_exit_code(st);
}

#define FIELD(member) offsetof(ui_options, member)

static const cli_option options[] = {
    {"port", 0, CLI_NUMBER, "N", "any that is free",
     "port on which the server listens, on 127.0.0.1 only", "Server", FIELD(port)},
    {"no-browser", 0, CLI_FLAG, NULL, NULL, "print the address and open no browser", NULL,
     FIELD(no_browser)},
    {"no-isolate", 0, CLI_FLAG, NULL, NULL, "run FMUs within the server; one that crashes ends it",
     NULL, FIELD(no_isolate)},
    {"page", 0, CLI_TEXT, "FOLDER", NULL, "take the page from this folder (for its developers)",
     NULL, FIELD(page)},
    {0},
};

const cli_command cli_ui = {
    .name = "ui",
    .operands = "[FILE] [options]",
    .summary = "draw and run systems in the browser",
    .details =
        "Serves a page in which systems are drawn, run and looked at. Its address is the first "
        "line of standard output; nobody can use it without the token in it, and no "
        "request leaves the machine. FILE is a project, a new .ssd or .ssp, or a folder; "
        "only files in its folder can be used. Ctrl-C ends the server and its runs.",
    .examples = "takt ui plant.ssd\topens a project\n"
                "takt ui\tshows what is in this folder\n",
    .options = options,
    .max_operands = 1,
    .options_size = sizeof(ui_options),
    .execute = execute,
};

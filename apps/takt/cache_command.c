// SPDX-License-Identifier: MIT
// `takt cache`: shows and cleans the cache of unpacked FMUs.
#include <string.h>

#include "command.h"
#include "console.h"

typedef struct cache_options {
    const char *limit;
    bool clean, json;
} cache_options;

static takt_status clean(const cache_options *options, takt_error *err)
{
    int n = 0;
    int64_t bytes = 0;
    takt_status st = options->limit ? takt_cache_limit_to(options->limit, err) : TAKT_OK;
    if (!st) st = takt_cache_clean(options->clean, &n, &bytes, err);
    if (!st && !options->json)
        printf("Removed: %d %s, %.3g MB\n", n, n == 1 ? "archive" : "archives",
               (double)bytes / 1e6);
    return st;
}

static takt_status show(const cache_options *options, takt_error *err)
{
    char *text = NULL;
    takt_status st =
        takt_cache_describe(options->json ? TAKT_FORMAT_JSON : TAKT_FORMAT_TEXT, &text, err);
    if (st) return st;
    fputs(text, stdout);
    if (*text && text[strlen(text) - 1] != '\n') fputc('\n', stdout);
    takt_free(text);
    return cli_output_end(stdout, err);
}

static int execute(const cli_arguments *arguments)
{
    const cache_options *options = arguments->options;
    cli_console console = {0};
    takt_error err = {0};
    takt_status st = cli_console_open(&console, TAKT_LEVEL_WARN, NULL, &err);
    if (!st && (options->clean || options->limit)) st = clean(options, &err);
    if (!st) st = show(options, &err);
    if (st) cli_console_error(&console, &err);
    cli_console_close(&console);
    return takt_status_exit_code(st);
}

#define FIELD(member) offsetof(cache_options, member)

static const cli_option options[] = {
    {"clean", 0, CLI_FLAG, NULL, NULL, "remove everything that no run uses at the moment", "Cache",
     FIELD(clean)},
    {"limit", 0, CLI_TEXT, "SIZE", "4GB",
     "from now on keep at most SIZE (500MB, 8GB), and remove what was not used for longest", NULL,
     FIELD(limit)},
    {"json", 0, CLI_FLAG, NULL, NULL, "print JSON instead of text", "Output", FIELD(json)},
    {0},
};

const cli_command cli_cache = {
    .name = "cache",
    .operands = "[options]",
    .summary = "show or clean the cache of unpacked FMUs",
    .details =
        "FMUs are unpacked once and kept for the next run, in the folder TAKT_CACHE_DIR, else "
        "XDG_CACHE_HOME/takt, else ~/.cache/takt. Shows where that is and what it holds. "
        "The limit is kept in the cache; the environment variable TAKT_CACHE_LIMIT has "
        "precedence.",
    .examples = "takt cache\n"
                "takt cache --limit 1GB\n"
                "takt cache --clean\n",
    .options = options,
    .options_size = sizeof(cache_options),
    .execute = execute,
};

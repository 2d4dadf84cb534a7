// SPDX-License-Identifier: MIT
// `takt new-fmu`: writes a project for an FMU with the kit.
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "console.h"
#include "support.h"

typedef struct new_fmu_options {
    const char *folder, *kit, *table, *like, *versions, *description;
    bool quiet;
} new_fmu_options;

// Tries one place of the kit, seen from the folder `path` up to `length`.
static bool has_kit(char *path, size_t length, const char *place)
{
    char file[PATH_MAX + 64];
    if (length + strlen(place) >= PATH_MAX) return false;
    memmove(path + length, place, strlen(place) + 1);
    snprintf(file, sizeof file, "%s/cmake/FmuKit.cmake", path);
    return access(file, R_OK) == 0;
}

// From the program's own place: of an installation ../share/takt/kit, of a build in the source tree a `kit` above.
static bool find_beside_program(char path[PATH_MAX])
{
    ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
    if (n <= 0) return false;
    path[n] = 0;
    for (int i = 0; i < 4; i++) {
        char *slash = strrchr(path, '/');
        if (!slash) return false;
        *slash = 0;
        size_t length = strlen(path);
        if (has_kit(path, length, "/share/takt/kit") || has_kit(path, length, "/kit")) return true;
        path[length] = 0;
    }
    return false;
}

static takt_status find_kit(const new_fmu_options *options, char path[PATH_MAX], const char **out,
                            takt_error *err)
{
    const char *given = getenv("TAKT_KIT");
    if (options->kit)
        *out = options->kit;
    else if (given && *given)
        *out = given;
    else if (find_beside_program(path))
        *out = path;
    else
        return cli_fail(err, TAKT_ERR_USAGE,
                        "the FMU kit is not found; say where it is with --kit FOLDER or the "
                        "environment variable TAKT_KIT");
    return TAKT_OK;
}

// "2,3" is "2 3" for the build.
static char *blanks_for_commas(const char *text)
{
    char *copy = text ? strdup(text) : NULL;
    for (char *c = copy; c && *c; c++)
        if (*c == ',') *c = ' ';
    return copy;
}

static takt_status write_project(const cli_arguments *arguments, takt_log *log, takt_error *err)
{
    const new_fmu_options *options = arguments->options;
    char path[PATH_MAX];
    takt_new_fmu project = {.size = sizeof project,
                            .name = arguments->operands[0],
                            .description = options->description,
                            .folder = options->folder ? options->folder : arguments->operands[0],
                            .like = options->like,
                            .table = options->table,
                            .n_variables = arguments->n_settings};
    char *versions = blanks_for_commas(options->versions);
    size_t n = (size_t)arguments->n_settings;
    takt_new_variable *variables = calloc(n + 1, sizeof *variables);
    for (size_t i = 0; variables && i < n; i++)
        variables[i] =
            (takt_new_variable){arguments->settings[i].name, arguments->settings[i].value};
    project.versions = versions;
    project.variables = variables;
    takt_status st = variables && (versions || !options->versions) ? TAKT_OK : cli_fail_memory(err);
    if (!st) st = find_kit(options, path, &project.kit, err);
    if (!st) st = takt_new_fmu_write(&project, log, err);
    free(versions);
    free(variables);
    return st;
}

static int execute(const cli_arguments *arguments)
{
    const new_fmu_options *options = arguments->options;
    const char *name = arguments->operands[0], *folder = options->folder ? options->folder : name;
    cli_console console = {0};
    takt_error err = {0};
    takt_status st = cli_console_open(&console, TAKT_LEVEL_WARN, NULL, &err);
    if (!st) st = write_project(arguments, console.log, &err);
    if (!st && !options->quiet) {
        printf("%s: written\n\nBuild and test it:\n  cd '%s' && cmake -B build && cmake --build "
               "build && ctest --test-dir build\n",
               folder, folder);
        st = cli_output_end(stdout, &err);
    }
    if (st) cli_console_error(&console, &err);
    cli_console_close(&console);
    return takt_status_exit_code(st);
}

static const cli_option table[] = {
    {"input", 0, CLI_SETTING, "NAME[:TYPE][:KEY=VALUE]...", NULL,
     "an input; types are Real (default), Integer, Boolean, String, Enumeration, and those of FMI "
     "3.0; keys "
     "are unit, start, min, max, nominal, description, variability, initial, items (first|second), "
     "size (2,3), clock, "
     "derivative_of; \\: is a colon",
     "Variables", 0},
    {"output", 0, CLI_SETTING, "NAME...", NULL, "an output, in the same words", NULL, 0},
    {"parameter", 0, CLI_SETTING, "NAME...", NULL, "a parameter", NULL, 0},
    {"local", 0, CLI_SETTING, "NAME...", NULL, "a local variable", NULL, 0},
    {"state", 0, CLI_SETTING, "NAME...", NULL, "a continuous state, with its derivative der(NAME)",
     NULL, 0},
    {"variables", 0, CLI_TEXT, "CSV", NULL,
     "a table of variables: name, causality, type, and the keys above as columns", NULL,
     offsetof(new_fmu_options, table)},
    {"like", 0, CLI_TEXT, "FMU", NULL, "take the variables of this FMU", NULL,
     offsetof(new_fmu_options, like)},
    {"folder", 'o', CLI_TEXT, "FOLDER", NULL, "where the files go (default: NAME)", "Project",
     offsetof(new_fmu_options, folder)},
    {"description", 0, CLI_TEXT, "TEXT", NULL, "what the model is", NULL,
     offsetof(new_fmu_options, description)},
    {"fmi", 0, CLI_TEXT, "LIST", NULL,
     "versions of FMI to build: 1, 1me, 2, 3 (default: that of --like, else 2, or 3 if needed)",
     NULL, offsetof(new_fmu_options, versions)},
    {"kit", 0, CLI_TEXT, "FOLDER", NULL,
     "the FMU kit (default: $TAKT_KIT, or the one beside this program)", NULL,
     offsetof(new_fmu_options, kit)},
    {"quiet", 'q', CLI_FLAG, NULL, NULL, "print nothing but problems", "Output",
     offsetof(new_fmu_options, quiet)},
    {0},
};

const cli_command cli_new_fmu = {
    .name = "new-fmu",
    .operands = "NAME [options]",
    .summary = "write a new FMU project, to be built with the kit",
    .details =
        "Writes a folder with C source for the FMU kit, a build for CMake, a test and a README. It "
        "builds and passes its tests as it is; the equations are to be written. Variables come "
        "from "
        "the command line, a table, or another FMU. Files that exist are never replaced.",
    .examples = "takt new-fmu Tank --input inflow:unit=m3/s --state volume:unit=m3:start=1 "
                "--output level:unit=m\n"
                "takt new-fmu Pump --variables pump.csv --fmi 2,3\n"
                "takt new-fmu MyTank --like tank.fmu\tthe same variables, own equations\n",
    .options = table,
    .min_operands = 1,
    .max_operands = 1,
    .options_size = sizeof(new_fmu_options),
    .execute = execute,
};

// SPDX-License-Identifier: MIT
// `takt compare`: are results within tolerances of a reference?
#include <math.h>
#include <string.h>

#include "console.h"
#include "command.h"

enum { EXIT_DIFFERENT = 6 };

typedef struct compare_options {
    double relative, absolute, time; ///< negative: the library's default
    bool quiet;
} compare_options;

static void print_comparison(const char *result, const char *reference, const takt_comparison *c)
{
    if (!c->n_differing) {
        printf("%s agrees with %s: %d %s, %lld %s\n", result, reference, c->n_columns,
               c->n_columns == 1 ? "column" : "columns", (long long)c->n_rows,
               c->n_rows == 1 ? "row" : "rows");
        return;
    }
    printf("%s differs from %s in %d of %d columns\n", result, reference, c->n_differing,
           c->n_columns);
    if (!*c->worst) return;
    char t[TAKT_NUMBER_SIZE], value[TAKT_NUMBER_SIZE], wanted[TAKT_NUMBER_SIZE];
    takt_number_write(t, c->time);
    takt_number_write(value, c->value);
    takt_number_write(wanted, c->reference);
    printf("most in %s at t = %s s", c->worst, t);
    if (!isnan(c->reference)) // else text, which the messages above show
        printf(": %s instead of %s", isnan(c->value) ? "no number" : value, wanted);
    printf("\n");
}

static void choose(double *target, double given)
{
    if (given >= 0) *target = given;
}

static int execute(const cli_arguments *arguments)
{
    const compare_options *given = arguments->options;
    takt_compare_options options = takt_compare_options_default();
    choose(&options.relative, given->relative);
    choose(&options.absolute, given->absolute);
    choose(&options.time, given->time);

    cli_console console = {0};
    takt_error err = {0};
    takt_comparison comparison = {.size = sizeof comparison};
    const char *result = arguments->operands[0], *reference = arguments->operands[1];
    takt_level level = given->quiet ? TAKT_LEVEL_ERROR : TAKT_LEVEL_WARN;
    takt_status st = cli_console_open(&console, level, NULL, &err);
    if (!st) st = takt_compare(result, reference, &options, console.log, &comparison, &err);
    if (!st && !given->quiet) {
        print_comparison(result, reference, &comparison);
        st = cli_output_end(stdout, &err);
    }
    if (st) cli_console_error(&console, &err);
    cli_console_close(&console);
    if (st) return takt_status_exit_code(st);
    return comparison.n_differing ? EXIT_DIFFERENT : 0;
}

#define FIELD(member) offsetof(compare_options, member)

static const cli_option options[] = {
    {"relative-tolerance", 0, CLI_NUMBER, "R", "1e-6",
     "a value may differ by R times the size of the reference", "Tolerances", FIELD(relative)},
    {"absolute-tolerance", 0, CLI_NUMBER, "A", "1e-9", "... and by A", NULL, FIELD(absolute)},
    {"time-tolerance", 0, CLI_TIME, "T", "0",
     "a value may be found up to T earlier or later, in seconds or with a unit (10ms)", NULL,
     FIELD(time)},
    {"quiet", 'q', CLI_FLAG, NULL, NULL, "print nothing; only the exit code counts", "Messages",
     FIELD(quiet)},
    {0},
};

static const compare_options defaults = {-1, -1, -1, false};

const cli_command cli_compare = {
    .name = "compare",
    .operands = "RESULT REFERENCE [options]",
    .summary = "compare results with a reference",
    .details = "Compares two result files (CSV or MAT) column by column at the times of the "
               "reference. The exit "
               "code is 0 if all values are within the tolerances and 6 if not.",
    .examples = "takt compare plant.csv expected.csv\n"
                "takt compare plant.csv expected.csv --relative-tolerance 1e-3\n",
    .options = options,
    .min_operands = 2,
    .max_operands = 2,
    .options_size = sizeof(compare_options),
    .defaults = &defaults,
    .execute = execute,
};

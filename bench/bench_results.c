// SPDX-License-Identifier: MIT
// What writing and reading results costs, per value and on one core, beside what the C library needs
// for the same numbers. CSV is compared with snprintf("%.17g") and strtod() in the same run; of several
// rounds the fastest counts, as only that is not disturbed by others.
//
// Usage: bench_results [FOLDER]; the files are written there (default: $TMPDIR or /tmp) and removed.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "record/results.h"
#include "record/row_writer.h"

enum { N_COLUMNS = 20, N_ROWS = 20000, N_VALUES = (N_COLUMNS + 1) * N_ROWS, N_ROUNDS = 25 };

typedef struct bench {
    takt_variable variables[N_COLUMNS];
    char names[N_COLUMNS][16];
    takt_column columns[N_COLUMNS];
    takt_model model;
    takt_component component;
    takt_system system;
    takt_plan plan;
    double *values; // row by row: the time, then the columns
    char csv[512], mat[512];
} bench;

// Processor time of all threads: writing has one of its own.
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fail(const char *what)
{
    fprintf(stderr, "bench_results: %s\n", what);
    exit(1);
}

// Numbers as simulations give them: smooth, with all their digits.
static void prepare(bench *b, const char *folder)
{
    memset(b, 0, sizeof *b);
    snprintf(b->csv, sizeof b->csv, "%s/bench-%ld.csv", folder, (long)getpid());
    snprintf(b->mat, sizeof b->mat, "%s/bench-%ld.mat", folder, (long)getpid());
    for (int i = 0; i < N_COLUMNS; i++) {
        snprintf(b->names[i], sizeof b->names[i], "x%d", i);
        b->variables[i] = (takt_variable){.name = b->names[i],
                                          .type = TAKT_FLOAT64,
                                          .causality = TAKT_OUTPUT,
                                          .variability = TAKT_CONTINUOUS};
        b->columns[i] = (takt_column){{0, i}, {TAKT_KIND_REAL, i}};
    }
    b->model.variables = b->variables;
    b->model.n_variables = N_COLUMNS;
    b->component = (takt_component){.name = "Plant", .model = &b->model};
    b->system.components = &b->component;
    b->system.n_components = 1;
    b->plan = (takt_plan){.system = &b->system, .columns = b->columns, .n_columns = N_COLUMNS};
    b->values = malloc(N_VALUES * sizeof *b->values);
    if (!b->values) fail("out of memory");
    for (int i = 0; i < N_ROWS; i++)
        for (int k = 0; k <= N_COLUMNS; k++)
            b->values[i * (N_COLUMNS + 1) + k] =
                k ? sin(1e-3 * i * k) * pow(10, k % 7 - 3) : 0.01 * i;
}

typedef takt_status open_fn(const takt_plan *, const char *, takt_observer **, takt_error *);

static double write_results(bench *b, open_fn *open, const char *path)
{
    takt_observer *writer = NULL;
    takt_error err = {0};
    double begin = now();
    takt_status st = open(&b->plan, path, &writer, &err);
    for (int i = 0; i < N_ROWS && !st; i++) {
        double *row = b->values + i * (N_COLUMNS + 1);
        st = writer->type->row(writer, row[0], &(takt_values){.real = row + 1}, &err);
    }
    if (!st) st = writer->type->finish(writer, &err);
    double end = now();
    if (writer) writer->type->destroy(writer);
    if (st) fail(err.message);
    return end - begin;
}

static double write_csv(bench *b)
{
    return write_results(b, takt_csv_writer_open, b->csv);
}

static double write_mat(bench *b)
{
    return write_results(b, takt_mat_writer_open, b->mat);
}

// The same job with the C library: all numbers as text into a file.
static double write_snprintf(bench *b)
{
    double begin = now();
    FILE *file = fopen(b->csv, "w");
    char text[32];
    if (!file) fail("a file cannot be written");
    for (int i = 0; i < N_VALUES; i++) {
        int n = snprintf(text, sizeof text, "%.17g,", b->values[i]);
        fwrite(text, 1, (size_t)n, file);
    }
    fclose(file);
    return now() - begin;
}

// The least that a binary file of all numbers costs.
static double write_fwrite(bench *b)
{
    double begin = now();
    FILE *file = fopen(b->mat, "w");
    size_t n = file ? fwrite(b->values, sizeof *b->values, N_VALUES, file) : 0;
    if (!file || fclose(file) != 0 || n != N_VALUES) fail("a file cannot be written");
    return now() - begin;
}

static double read_results(const char *path)
{
    takt_table *table = NULL;
    takt_error err = {0};
    double begin = now();
    if (takt_results_read(path, NULL, &table, &err)) fail(err.message);
    double end = now();
    if (table->n_rows != N_ROWS || table->n_columns != N_COLUMNS + 1) fail("rows are missing");
    takt_table_destroy(table);
    return end - begin;
}

static double read_csv(bench *b)
{
    return read_results(b->csv);
}

static double read_mat(bench *b)
{
    return read_results(b->mat);
}

// The same job with the C library: the file into memory, then number by number.
static double read_strtod(bench *b)
{
    double begin = now();
    FILE *file = fopen(b->csv, "r");
    char *text = malloc(32 * N_VALUES);
    size_t size = file && text ? fread(text, 1, 32 * N_VALUES - 1, file) : 0;
    double *numbers = malloc(N_VALUES * sizeof *numbers);
    if (size == 0 || !numbers) fail("the file written before cannot be read");
    text[size] = 0;
    char *at = strchr(text, '\n') + 1;
    for (int i = 0; i < N_VALUES; i++) {
        numbers[i] = strtod(at, &at);
        at++;
    }
    double end = now();
    if (numbers[N_VALUES - 1] != b->values[N_VALUES - 1]) fail("a number was read wrongly");
    fclose(file);
    free(text);
    free(numbers);
    return end - begin;
}

// The least of several rounds, in ns per value, beside that of a reference: in turns, so that what the machine
// does meanwhile meets both.
static double measure(bench *b, double (*work)(bench *), double (*reference)(bench *),
                      double *of_reference)
{
    double least = INFINITY, least_of_reference = INFINITY;
    for (int i = 0; i < N_ROUNDS; i++) {
        if (reference) least_of_reference = fmin(least_of_reference, reference(b));
        least = fmin(least, work(b));
    }
    if (reference) *of_reference = 1e9 * least_of_reference / N_VALUES;
    return 1e9 * least / N_VALUES;
}

static void tell(const char *name, double value, const char *unit, bool lower_is_better)
{
    printf("{\"name\": \"%s\", \"value\": %.4g, \"unit\": \"%s\", \"lower_is_better\": %s}\n", name,
           value, unit, lower_is_better ? "true" : "false");
}

int main(int argc, char **argv)
{
    const char *temporary = getenv("TMPDIR");
    static bench b;
    prepare(&b, argc > 1 ? argv[1] : temporary ? temporary : "/tmp");
    double library, csv = measure(&b, write_csv, write_snprintf, &library);
    tell("results: write CSV", csv, "ns per value", true);
    tell("results: write CSV, speed", library / csv, "x snprintf(%.17g)", false);
    csv = measure(&b, read_csv, read_strtod, &library);
    tell("results: read CSV", csv, "ns per value", true);
    tell("results: read CSV, speed", library / csv, "x strtod", false);
    double mat = measure(&b, write_mat, write_fwrite, &library);
    tell("results: write MAT", mat, "ns per value", true);
    tell("results: write MAT, cost", mat / library, "x fwrite", true);
    tell("results: read MAT", measure(&b, read_mat, NULL, NULL), "ns per value", true);
    unlink(b.csv);
    unlink(b.mat);
    free(b.values);
    return 0;
}

// SPDX-License-Identifier: MIT
// A plan with columns but without instances, for tests of observers that write results.
#ifndef TAKT_TESTS_UNIT_RECORD_WRITER_FIXTURE_H
#define TAKT_TESTS_UNIT_RECORD_WRITER_FIXTURE_H

#include <unistd.h>

#include "record/row_writer.h"
#include "support/test.h"

// The test says which kind of file it is about.
#ifndef ENDING
#define ENDING ".csv"
#endif

// One component with one variable per column; the values of each kind lie in the order of columns.
typedef struct fixture {
    char path[256];
    takt_variable variables[32];
    takt_column columns[32];
    takt_model model;
    takt_component component;
    takt_system system;
    takt_plan plan;
    takt_values y;
    takt_observer *writer;
    takt_error err;
} fixture;

static inline void add(fixture *f, const char *name, takt_type type)
{
    int i = f->plan.n_columns++;
    takt_kind kind = takt_type_kind(type);
    f->variables[i] = (takt_variable){
        .name = name, .type = type, .causality = TAKT_OUTPUT, .variability = TAKT_CONTINUOUS};
    f->columns[i] = (takt_column){{0, i}, {kind, f->plan.n_outputs[kind]++}};
}

static inline const char *folder(void)
{
    const char *path = getenv("TMPDIR");
    return path ? path : "/tmp";
}

static inline void prepare(fixture *f)
{
    memset(f, 0, sizeof *f);
    snprintf(f->path, sizeof f->path, "%s/writer-%ld%s", folder(), (long)getpid(), ENDING);
    unlink(f->path); // of a test that failed
    f->model.variables = f->variables;
    f->component = (takt_component){.name = "Part", .model = &f->model};
    f->system.components = &f->component;
    f->system.n_components = 1;
    f->plan.system = &f->system;
    f->plan.columns = f->columns;
}

static inline void open_writer(fixture *f)
{
    assert_true(takt_values_init(&f->y, f->plan.n_outputs));
    assert_int_equal(takt_results_writer_open(&f->plan, f->path, &f->writer, &f->err), TAKT_OK);
}

static inline takt_status row(fixture *f, double t)
{
    return f->writer->type->row(f->writer, t, &f->y, &f->err);
}

static inline takt_status finish(fixture *f)
{
    return f->writer->type->finish(f->writer, &f->err);
}

static inline void clean(fixture *f)
{
    if (f->writer) f->writer->type->destroy(f->writer);
    takt_values_clear(&f->y, f->plan.n_outputs);
    unlink(f->path);
}

#endif

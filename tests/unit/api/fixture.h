// SPDX-License-Identifier: MIT
// What tests of the library share: a project, its system and its run, made, read and set with one word each.
#ifndef TEST_API_FIXTURE_H
#define TEST_API_FIXTURE_H

#include "support/test.h"
#include "takt/takt.h"

#define FMU(name) TEST_FMUS "/" name ".fmu"

/// A project of a test with what is made of it.
typedef struct fixture {
    takt_problem_list *problems;
    takt_project *project;
    takt_system *system;
    takt_run *run;
    takt_error err;
} fixture;

static inline void begin(fixture *f)
{
    *f = (fixture){.problems = takt_problem_list_create(TAKT_LEVEL_WARN)};
    assert_int_equal(
        takt_project_create("test.ssd", takt_problem_list_log(f->problems), &f->project, &f->err),
        0);
}

static inline void end(fixture *f)
{
    takt_run_destroy(f->run);
    takt_system_destroy(f->system);
    takt_project_close(f->project);
    takt_problem_list_destroy(f->problems);
}

// Fails with the message.
#define assert_ok(f, call)                                                                         \
    do {                                                                                           \
        if ((call) != TAKT_OK) {                                                                   \
            print_error("%s\n", (f)->err.message);                                                 \
            fail();                                                                                \
        }                                                                                          \
    } while (0)

#define assert_refused(f, call, piece)                                                             \
    do {                                                                                           \
        assert_int_equal(call, TAKT_ERR_USAGE);                                                    \
        assert_contains((f)->err.message, piece);                                                  \
    } while (0)

static inline void add(fixture *f, const char *name, const char *fmu)
{
    assert_ok(f, takt_project_add(f->project, name, fmu, &f->err));
}

static inline void set(fixture *f, const char *name, const char *value)
{
    assert_ok(f, takt_project_set(f->project, name, value, &f->err));
}

static inline void start(fixture *f)
{
    if (!f->system) assert_ok(f, takt_system_create(f->project, &f->system, &f->err));
    assert_ok(f, takt_run_create(f->system, &f->run, &f->err));
}

static inline takt_view *view_of(fixture *f, const char *name)
{
    takt_view *view = NULL;
    assert_ok(f, takt_view_create(f->run, &name, 1, &view, &f->err));
    return view;
}

static inline double read_one(fixture *f, const char *name)
{
    takt_view *view = view_of(f, name);
    assert_ok(f, takt_view_read(view, &f->err));
    double value = takt_view_size(view, TAKT_KIND_REAL) ? takt_view_reals(view)[0]
                                                        : (double)takt_view_integers(view)[0];
    takt_view_destroy(view);
    return value;
}

static inline takt_status try_write(fixture *f, const char *name, double value)
{
    takt_view *view = view_of(f, name);
    if (takt_view_size(view, TAKT_KIND_REAL))
        takt_view_reals(view)[0] = value;
    else
        takt_view_integers(view)[0] = (int64_t)value;
    takt_status st = takt_view_write(view, &f->err);
    takt_view_destroy(view);
    return st;
}

static inline void write_one(fixture *f, const char *name, double value)
{
    assert_ok(f, try_write(f, name, value));
}

static inline void go_to(fixture *f, double time)
{
    takt_progress progress;
    assert_ok(f, takt_run_to(f->run, time, &progress, &f->err));
}

static inline void lotka_volterra(fixture *f)
{
    begin(f);
    add(f, "Prey", FMU("LotkaVolterraPrey"));
    add(f, "Predator", FMU("LotkaVolterraPredator"));
    assert_ok(f, takt_project_connect(f->project, "Prey.x", "Predator.x", &f->err));
    assert_ok(f, takt_project_connect(f->project, "Predator.y", "Prey.y", &f->err));
    set(f, "stop-time", "10");
}

#endif

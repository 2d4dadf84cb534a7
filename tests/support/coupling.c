// SPDX-License-Identifier: MIT
// Coupled systems of plain C models; see coupling.h.
#include "support/coupling.h"

// ---- an observer that keeps everything -------------------------------------------------------------

typedef struct keeper {
    takt_observer base;
    test_coupling *c;
} keeper;

static takt_status keep_row(takt_observer *observer, double t, const takt_values *y,
                            takt_error *err)
{
    test_coupling *c = ((keeper *)observer)->c;
    (void)err;
    assert_true(c->n_rows < TEST_MAX_ROWS);
    c->time[c->n_rows] = t;
    for (int i = 0; i < c->plan->n_columns && i < TEST_MAX_COLUMNS; i++) {
        takt_slot slot = c->plan->columns[i].slot;
        c->value[c->n_rows][i] = slot.kind == TAKT_KIND_REAL      ? y->real[slot.index]
                                 : slot.kind == TAKT_KIND_INTEGER ? (double)y->integer[slot.index]
                                                                  : NAN;
    }
    c->n_rows++;
    return TAKT_OK;
}

static takt_status finish(takt_observer *observer, takt_error *err)
{
    (void)observer, (void)err;
    return TAKT_OK;
}

static void destroy(takt_observer *observer)
{
    free(observer);
}

static const takt_observer_type keeper_type = {
    .row = keep_row, .finish = finish, .destroy = destroy};

// ---- making ----------------------------------------------------------------------------------------

void test_try_couple(test_coupling *c, test_model *models, const char *components,
                     const char *connections, const char *settings)
{
    c->plan = NULL, c->run = NULL;
    c->n_rows = 0;
    test_system_try(&c->system, models, components, connections, settings);
    c->status = c->system.status;
    c->err = c->system.err;
    if (!c->status) c->status = takt_plan_create(c->system.system, &c->plan, &c->err);
    if (!c->status) c->status = takt_run_make(c->plan, NULL, &c->run, &c->err);
    if (c->status) return;
    c->run->work.n_first_timed = 0; // so that few steps suffice to take the short way
    keeper *observer = calloc(1, sizeof *observer);
    assert_non_null(observer);
    *observer = (keeper){.base = {.type = &keeper_type}, .c = c};
    assert_int_equal(takt_run_add_observer(c->run, &observer->base, &c->err), TAKT_OK);
}

void test_couple(test_coupling *c, test_model *models, const char *components,
                 const char *connections, const char *settings)
{
    test_try_couple(c, models, components, connections, settings);
    if (c->status) print_error("%s\n%s\n", c->err.message, c->system.log.text);
    assert_int_equal(c->status, TAKT_OK);
}

void test_uncouple(test_coupling *c)
{
    takt_run_destroy(c->run);
    takt_plan_destroy(c->plan);
    test_system_clear(&c->system);
}

void test_try_run_all(test_coupling *c)
{
    takt_progress progress = TAKT_RUNNING;
    c->status = takt_run_initialize(c->run, &c->err);
    while (!c->status && progress == TAKT_RUNNING)
        c->status = takt_run_step(c->run, &progress, &c->err);
    takt_status finished = takt_run_finish(c->run, c->status ? NULL : &c->err);
    if (!c->status) c->status = finished;
}

void test_run_all(test_coupling *c)
{
    test_try_run_all(c);
    if (c->status) print_error("%s\n%s\n", c->err.message, c->system.log.text);
    assert_int_equal(c->status, TAKT_OK);
}

double test_value(const test_coupling *c, const char *column, int i)
{
    if (i < 0) i += c->n_rows;
    assert_true(i >= 0 && i < c->n_rows);
    for (int k = 0; takt_run_column(c->run, k); k++)
        if (strcmp(takt_run_column(c->run, k), column) == 0) return c->value[i][k];
    print_error("there is no column '%s'\n", column);
    fail();
    return NAN;
}

int64_t test_count_doubts(const test_coupling *c)
{
    int64_t n = takt_log_count_doubts(c->system.system->log);
    for (int k = 0; k < TAKT_N_DOUBTS; k++) n += c->run->counts.doubts[k].n;
    return n;
}

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

static const takt_observer_type keeper_type = {keep_row, finish, destroy};

// ---- making ----------------------------------------------------------------------------------------

// Takes the next item from a list separated by blanks; false at the end.
static bool next_item(const char **list, char *item, size_t size)
{
    *list += strspn(*list, " ");
    size_t length = strcspn(*list, " ");
    if (length == 0) return false;
    assert_true(length < size);
    memcpy(item, *list, length);
    item[length] = 0;
    *list += length;
    return true;
}

// Splits "left<by>right" in place and returns right.
static char *split(char *item, char by)
{
    char *at = strchr(item, by);
    assert_non_null(at);
    *at = 0;
    return at + 1;
}

static void fill_project(takt_project *project, const char *components, const char *connections)
{
    char item[256];
    while (next_item(&components, item, sizeof item)) {
        takt_project_component component = {.source = split(item, '='), .name = item};
        assert_true(takt_project_add_component(project, &component));
    }
    while (next_item(&connections, item, sizeof item)) {
        char *end = split(item, '>');
        takt_project_connection connection = {.start_variable = split(item, '.'),
                                              .start_component = item,
                                              .end_variable = split(end, '.'),
                                              .end_component = end};
        assert_true(takt_project_add_connection(project, &connection));
    }
}

void test_try_couple(test_coupling *c, test_model *models, const char *components,
                     const char *connections, const char *settings)
{
    c->system = NULL, c->plan = NULL, c->run = NULL;
    c->n_rows = 0;
    c->err = (takt_error){0};
    test_log_init(&c->log);
    assert_int_equal(takt_project_create("test.ssd", c->log.log, &c->project, &c->err), TAKT_OK);
    fill_project(c->project, components, connections);
    char item[256];
    c->status = TAKT_OK;
    while (!c->status && next_item(&settings, item, sizeof item)) {
        char *value = split(item, '=');
        c->status = strcmp(item, "set") == 0 ? takt_project_set_value(c->project, value, &c->err)
                                             : takt_project_set(c->project, item, value, &c->err);
    }
    if (!c->status)
        c->status = takt_system_make(c->project, test_model_open, models, &c->system, &c->err);
    if (!c->status) c->status = takt_plan_create(c->system, &c->plan, &c->err);
    if (!c->status) c->status = takt_run_make(c->plan, &c->run, &c->err);
    if (c->status) return;
    keeper *observer = calloc(1, sizeof *observer);
    assert_non_null(observer);
    *observer = (keeper){.base = {&keeper_type}, .c = c};
    assert_int_equal(takt_run_add_observer(c->run, &observer->base, &c->err), TAKT_OK);
}

void test_couple(test_coupling *c, test_model *models, const char *components,
                 const char *connections, const char *settings)
{
    test_try_couple(c, models, components, connections, settings);
    if (c->status) print_error("%s\n%s\n", c->err.message, c->log.text);
    assert_int_equal(c->status, TAKT_OK);
}

void test_uncouple(test_coupling *c)
{
    takt_run_destroy(c->run);
    takt_plan_destroy(c->plan);
    takt_system_destroy(c->system);
    takt_project_close(c->project);
    test_log_clear(&c->log);
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
    if (c->status) print_error("%s\n%s\n", c->err.message, c->log.text);
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

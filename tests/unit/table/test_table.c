// SPDX-License-Identifier: MIT
#include "table/table.h"

#include <unistd.h>

#include "support/memory.h"
#include "support/test.h"

// A table in a file of its own and one instance of it, with access to all columns.
typedef struct fixture {
    char path[256];
    takt_model *model;
    takt_instance *at;
    takt_arena arena;
    takt_access all;
    takt_values values;
    takt_error err;
} fixture;

static void write_table(fixture *f, const char *text)
{
    const char *folder = getenv("TMPDIR");
    memset(f, 0, sizeof *f);
    snprintf(f->path, sizeof f->path, "%s/table-%ld.csv", folder ? folder : "/tmp", (long)getpid());
    FILE *file = fopen(f->path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void open_table(fixture *f, const char *text)
{
    write_table(f, text);
    if (takt_table_open(&(takt_model_source){.path = f->path}, NULL, &f->model, &f->err))
        fail_msg("%s", f->err.message);
}

static void make_instance(fixture *f)
{
    assert_int_equal(f->model->type->instantiate(f->model, "table", NULL, &f->at, &f->err), 0);
    int indices[64];
    for (int i = 0; i < f->model->n_variables; i++) indices[i] = i;
    assert_true(
        takt_access_create(&f->arena, f->model, indices, f->model->n_variables, &f->all, NULL));
    assert_true(takt_values_init(&f->values, f->all.n_values));
}

static takt_status enter(fixture *f, double start)
{
    takt_interval interval = {.start = start, .stop = 100, .has_stop = true};
    return f->at->type->enter_initialization(f->at, &interval, &f->err);
}

// Handles the events at t, and returns the time of the next one.
static double settle(fixture *f, double t)
{
    takt_event event = {.next_time = INFINITY};
    assert_int_equal(f->at->type->enter_events(f->at, t, &f->err), TAKT_OK);
    assert_int_equal(f->at->type->update_events(f->at, &event, &f->err), TAKT_OK);
    assert_int_equal(f->at->type->leave_events(f->at, &f->err), TAKT_OK);
    assert_false(event.needs_update);
    return event.next_time;
}

static void start(fixture *f, const char *text)
{
    open_table(f, text);
    make_instance(f);
    assert_int_equal(enter(f, 0), TAKT_OK);
    assert_int_equal(f->at->type->exit_initialization(f->at, &f->err), TAKT_OK);
}

static void clean(fixture *f)
{
    takt_values_clear(&f->values, f->all.n_values);
    takt_arena_clear(&f->arena);
    if (f->at) f->at->type->destroy(f->at);
    takt_model_close(f->model);
    unlink(f->path);
}

static void step(fixture *f, double t, double h)
{
    takt_step_result result;
    assert_int_equal(f->at->type->step(f->at, t, h, true, &result, &f->err), TAKT_OK);
    assert_int_equal(result.end, TAKT_STEP_DONE);
    assert_near(result.time, t + h, 0);
}

static const takt_values *get(fixture *f)
{
    assert_int_equal(f->at->type->get(f->at, &f->all, &f->values, &f->err), TAKT_OK);
    return &f->values;
}

static void set_text(fixture *f, const char *name, const char *value)
{
    int index = takt_model_find(f->model, name);
    takt_access access;
    takt_values values;
    assert_true(takt_access_create(&f->arena, f->model, &index, 1, &access, NULL));
    assert_true(takt_values_init(&values, access.n_values));
    if (f->model->variables[index].type == TAKT_STRING)
        assert_true(takt_bytes_assign(&values.bytes[0], value, strlen(value)));
    else
        values.integer[0] = strcmp(value, "true") == 0;
    assert_int_equal(f->at->type->set(f->at, &access, &values, &f->err), TAKT_OK);
    takt_values_clear(&values, access.n_values);
}

// The slope of the first column, where the instance is.
static double slope(fixture *f)
{
    int index = 0;
    takt_access access;
    double value = NAN;
    assert_true(takt_access_create(&f->arena, f->model, &index, 1, &access, NULL));
    assert_int_equal(f->at->type->get_derivatives(f->at, &access, &value, &f->err), TAKT_OK);
    return value;
}

static void slopes_are_those_of_what_follows(void **state)
{
    (void)state;
    fixture f;
    start(&f, "time,x\n1,5\n2,7\n3,6\n3,0\n4,0.5\n");
    settle(&f, 0);
    assert_near(slope(&f), 0, 0); // before the first row
    const double expected[] = {2, -1, 0.5, 0}; // at 1, 2, 3, 4
    for (int i = 0; i < 4; i++) {
        step(&f, i, 1);
        if (i == 2) settle(&f, 3); // behind the jump
        assert_near(slope(&f), expected[i], 1e-15);
    }
    clean(&f);
    start(&f, "time,x\n0,5\n1e-320,6\n2,6\n");
    assert_near(slope(&f), 0, 0); // too steep to be a number
    clean(&f);
    open_table(&f, "time,x\n0,0\n1,1\n");
    make_instance(&f);
    set_text(&f, "interpolation", "hold");
    assert_int_equal(enter(&f, 0), TAKT_OK);
    assert_near(slope(&f), 0, 0);
    clean(&f);
}

// ---- values --------------------------------------------------------------------------------------

static void numbers_are_interpolated_and_held_outside(void **state)
{
    (void)state;
    fixture f;
    start(&f, "time,x\n1,10\n2,20\n4,0\n");
    const double points[][2] = {{0.5, 10}, {1, 10}, {1.5, 15}, {2, 20}, {3, 10}, {4, 0}, {9, 0}};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        step(&f, points[i][0] - 0.25, 0.25);
        assert_near(get(&f)->real[0], points[i][1], 0);
    }
    step(&f, 1, 0.25); // back
    assert_near(get(&f)->real[0], 12.5, 0);
    assert_true(isinf(settle(&f, 1.25)));
    clean(&f);
}

static void other_columns_hold_the_last_row(void **state)
{
    (void)state;
    fixture f;
    start(&f, "time,on,mode\n0,true,\"idle\"\n1,False,\"run\"\n2,FALSE,\"run\"\n");
    assert_int_equal(f.model->variables[0].type, TAKT_BOOLEAN);
    assert_int_equal(f.model->variables[1].type, TAKT_STRING);
    assert_near(settle(&f, 0), 1, 0);
    step(&f, 0, 0.75);
    assert_int_equal(get(&f)->integer[0], 1);
    assert_string_equal(f.values.bytes[0].data, "idle");
    step(&f, 0.75, 0.25); // to the change: the values before it
    assert_int_equal(get(&f)->integer[0], 1);
    assert_true(isinf(settle(&f, 1))); // nothing changes at 2
    assert_int_equal(get(&f)->integer[0], 0);
    assert_string_equal(f.values.bytes[0].data, "run");
    clean(&f);
}

static void two_rows_of_one_time_are_a_jump(void **state)
{
    (void)state;
    fixture f;
    start(&f, "time,x,y\n0,0,5\n0.3,3,5\n0.3,7,5\n1,7,5\n1,7,5\n");
    assert_near(settle(&f, 0), 0.3, 0);
    step(&f, 0.1, 0.1);
    assert_near(get(&f)->real[0], 2, 1e-15);
    step(&f, 0.2, 0.1); // 0.30000000000000004: the same time but for rounding
    assert_near(get(&f)->real[0], 3, 0);
    assert_true(isinf(settle(&f, 0.2 + 0.1))); // the rows at 1 are equal
    assert_near(get(&f)->real[0], 7, 0);
    assert_near(f.values.real[1], 5, 0);
    clean(&f);
}

static void a_jump_at_the_start_shows_the_values_after_it(void **state)
{
    (void)state;
    fixture f;
    start(&f, "time,x\n0,1\n0,2\n1,3\n");
    assert_near(get(&f)->real[0], 2, 0);
    assert_true(isinf(settle(&f, 0)));
    assert_near(get(&f)->real[0], 2, 0);
    clean(&f);
}

static void events_that_were_stepped_over_are_past(void **state)
{
    (void)state;
    fixture f;
    start(&f, "time,x\n0,0\n1,0\n1,5\n2,5\n2,6\n");
    assert_near(settle(&f, 0), 1, 0);
    step(&f, 0, 1.5); // another instance could not stop at 1
    assert_near(get(&f)->real[0], 5, 0);
    assert_near(settle(&f, 1.5), 2, 0);
    clean(&f);
}

static void state_is_the_time(void **state)
{
    (void)state;
    fixture f;
    start(&f, "time,x\n0,0\n1,1\n1,5\n2,6\n");
    settle(&f, 0);
    void *saved = NULL;
    step(&f, 0, 1);
    assert_int_equal(f.at->type->save(f.at, &saved, &f.err), TAKT_OK);
    settle(&f, 1);
    step(&f, 1, 0.5);
    assert_near(get(&f)->real[0], 5.5, 0);
    assert_int_equal(f.at->type->restore(f.at, saved, &f.err), TAKT_OK);
    assert_near(get(&f)->real[0], 1, 0); // before the jump again
    assert_true(isinf(settle(&f, 1)));
    assert_near(get(&f)->real[0], 5, 0);
    takt_bytes bytes = {0};
    assert_int_equal(f.at->type->serialize(f.at, saved, &bytes, &f.err), TAKT_OK);
    assert_int_equal(f.at->type->deserialize(f.at, bytes.data, bytes.size, &saved, &f.err),
                     TAKT_OK);
    assert_int_equal(f.at->type->restore(f.at, saved, &f.err), TAKT_OK);
    assert_near(get(&f)->real[0], 1, 0); // before the jump once more
    assert_int_equal(f.at->type->deserialize(f.at, bytes.data, 3, &saved, &f.err), TAKT_ERR_INPUT);
    takt_bytes_clear(&bytes);
    f.at->type->free_state(f.at, &saved);
    assert_null(saved);
    clean(&f);
}

// ---- parameters ----------------------------------------------------------------------------------

static void parameters_choose_interpolation_and_events(void **state)
{
    (void)state;
    fixture f;
    start(&f, "time,x\n0,0\n1,1\n2,5\n");
    set_text(&f, "interpolation", "hold");
    assert_int_equal(enter(&f, 0), TAKT_OK);
    assert_near(settle(&f, 0), 1, 0); // a value that is held changes
    step(&f, 0, 1);
    assert_near(get(&f)->real[0], 0, 0);
    assert_string_equal(f.values.bytes[0].data, "hold");
    assert_int_equal(f.values.integer[0], 1);

    set_text(&f, "events", "false");
    assert_int_equal(enter(&f, 0), TAKT_OK);
    assert_true(isinf(settle(&f, 0)));
    step(&f, 0, 1);
    assert_near(get(&f)->real[0], 1, 0); // at once

    set_text(&f, "interpolation", "cubic");
    assert_int_equal(enter(&f, 0), TAKT_ERR_INPUT);
    assert_contains(f.err.message, "cannot be 'cubic'; choose linear or hold");
    clean(&f);
}

static void columns_win_over_parameters_of_the_same_name(void **state)
{
    (void)state;
    fixture f;
    start(&f, "time,events,interpolation\n0,1,2\n1,3,4\n");
    assert_int_equal(f.model->n_variables, 2);
    assert_near(get(&f)->real[1], 2, 0);
    clean(&f);
}

// ---- knots ---------------------------------------------------------------------------------------

// How many knots the outputs have; writes the first.
static int count_knots(fixture *f, const int *columns, int n, double *first)
{
    takt_access outputs;
    const double *times = NULL;
    int n_times = -1;
    assert_true(takt_access_create(&f->arena, f->model, columns, n, &outputs, NULL));
    assert_int_equal(f->at->type->find_knots(f->at, &outputs, 1e-5, &times, &n_times, &f->err),
                     TAKT_OK);
    *first = n_times > 0 ? times[0] : NAN;
    return n_times;
}

static void knots_are_those_of_outputs_that_are_interpolated(void **state)
{
    (void)state;
    fixture f;
    const int x = 0, y = 1, both[] = {0, 1};
    double first;
    start(&f, "time,x,y,on\n1,0,5,true\n2,1,5,false\n3,2,7,true\n4,2,9,true\n");
    assert_int_equal(count_knots(&f, &x, 1, &first), 2); // at 1 and 3
    assert_near(first, 1, 0);
    assert_int_equal(count_knots(&f, &y, 1, &first), 2); // at 2 and 4
    assert_near(first, 2, 0);
    assert_int_equal(count_knots(&f, both, 2, &first), 4);
    assert_int_equal(count_knots(&f, both, 0, &first), 0);
    set_text(&f, "events", "false");
    assert_int_equal(count_knots(&f, both, 2, &first), 0);
    set_text(&f, "events", "true");
    set_text(&f, "interpolation", "hold");
    assert_int_equal(enter(&f, 0), TAKT_OK);
    assert_int_equal(count_knots(&f, both, 2, &first), 0); // they are events
    clean(&f);
}

// ---- models --------------------------------------------------------------------------------------

static void columns_are_outputs_with_units(void **state)
{
    (void)state;
    fixture f;
    open_table(&f, "time,T [degC],q [furlong],\"z [m]\"\n0,1,2,3\n");
    const takt_model *model = f.model;
    assert_int_equal(model->n_outputs, 3);
    assert_string_equal(model->variables[0].name, "T");
    assert_string_equal(model->variables[0].unit, "degC");
    assert_int_equal(model->variables[0].causality, TAKT_OUTPUT);
    assert_string_equal(model->variables[2].name, "z [m]");
    assert_null(model->variables[2].unit);
    assert_int_equal(model->n_units, 2);
    assert_near(model->units[0].offset, 273.15, 0);
    assert_false(model->units[1].has_base);
    assert_true(model->outputs[0].is_known && model->outputs[0].n_known == 0);
    clean(&f);
}

static void connections_choose_the_type_of_numbers(void **state)
{
    (void)state;
    fixture f;
    open_table(&f, "time,n,b,x,s\n0,1,0,0.5,\"a\"\n1.5,300,1,1,\"b\"\n");
    takt_model *model = f.model;
    assert_int_equal(model->type->retype(model, 0, TAKT_INT32, NULL, &f.err), TAKT_OK);
    assert_int_equal(model->type->retype(model, 1, TAKT_BOOLEAN, NULL, &f.err), TAKT_OK);
    assert_int_equal(model->variables[0].type, TAKT_INT32);
    assert_int_equal(model->variables[1].type, TAKT_BOOLEAN);
    // What makes no sense is left to the check of types.
    assert_int_equal(model->type->retype(model, 2, TAKT_STRING, NULL, &f.err), TAKT_OK);
    assert_int_equal(model->type->retype(model, 3, TAKT_INT32, NULL, &f.err), TAKT_OK);
    assert_int_equal(model->variables[2].type, TAKT_FLOAT64);
    assert_int_equal(model->variables[3].type, TAKT_STRING);

    assert_int_equal(model->type->retype(model, 2, TAKT_INT32, NULL, &f.err), TAKT_ERR_INPUT);
    assert_contains(f.err.message, "column 'x' at t = 0 s: 0.5 is no value of type Int32");
    make_instance(&f);
    assert_int_equal(enter(&f, 0), TAKT_OK);
    step(&f, 0, 1);
    assert_int_equal(get(&f)->integer[0], 1); // held
    clean(&f);

    open_table(&f, "time,n\n0,1\n1.5,300\n");
    assert_int_equal(f.model->type->retype(f.model, 0, TAKT_UINT8, NULL, &f.err), TAKT_ERR_INPUT);
    assert_contains(f.err.message, "column 'n' at t = 1.5 s: 300 is no value of type UInt8");
    clean(&f);
}

static void whole_numbers_keep_all_their_digits(void **state)
{
    (void)state;
    fixture f;
    open_table(&f, "time,i,u,x\n0,-9223372036854775808,0,1\n"
                   "1,9223372036854775807,18446744073709551615,18446744073709551616\n");
    takt_model *model = f.model;
    assert_int_equal(model->type->retype(model, 1, TAKT_INT64, NULL, &f.err), TAKT_ERR_INPUT);
    assert_int_equal(model->type->retype(model, 0, TAKT_UINT64, NULL, &f.err), TAKT_ERR_INPUT);
    assert_int_equal(model->type->retype(model, 2, TAKT_UINT64, NULL, &f.err), TAKT_ERR_INPUT);
    assert_int_equal(model->type->retype(model, 0, TAKT_INT64, NULL, &f.err), TAKT_OK);
    assert_int_equal(model->type->retype(model, 1, TAKT_UINT64, NULL, &f.err), TAKT_OK);
    make_instance(&f);
    assert_int_equal(enter(&f, 0), TAKT_OK);
    assert_true(get(&f)->integer[0] == INT64_MIN);
    step(&f, 0, 1);
    settle(&f, 1);
    assert_true(get(&f)->integer[0] == INT64_MAX);
    clean(&f);
}

static void models_of_one_file_read_it_once_and_adapt_alone(void **state)
{
    (void)state;
    fixture f;
    open_table(&f, "time,n,on\n0,1,true\n1,2,false\n");
    takt_model *first = f.model;
    assert_int_equal(unlink(f.path), 0);
    takt_model_source again = {.path = f.path, .opened = first};
    assert_int_equal(takt_table_open(&again, NULL, &f.model, &f.err), TAKT_OK);
    assert_int_equal(first->type->retype(first, 0, TAKT_INT32, NULL, &f.err), TAKT_OK);
    assert_int_equal(f.model->variables[0].type, TAKT_FLOAT64);
    takt_model_close(first);
    make_instance(&f);
    assert_int_equal(enter(&f, 0), TAKT_OK);
    step(&f, 0, 0.5);
    assert_true(get(&f)->real[0] == 1.5);
    assert_true(get(&f)->integer[0] == 1);
    clean(&f);
}

static void files_that_are_no_tables_are_refused(void **state)
{
    (void)state;
    fixture f;
    write_table(&f, "time,x\n");
    assert_int_equal(takt_table_open(&(takt_model_source){.path = f.path}, NULL, &f.model, &f.err),
                     TAKT_ERR_INPUT);
    assert_contains(f.err.message, "the table has no rows");
    clean(&f);
    write_table(&f, "time,x\n0,1\n2,3\n1,5\n");
    assert_int_equal(takt_table_open(&(takt_model_source){.path = f.path}, NULL, &f.model, &f.err),
                     TAKT_ERR_INPUT);
    assert_contains(f.err.message, ":4:1: the time goes back from 2 to 1");
    clean(&f);
    assert_true(takt_table_is_path("a/b.CSV") && takt_table_is_path("x.tsv"));
    assert_false(takt_table_is_path("a.csv/b") || takt_table_is_path("csv"));
}

static void use_table(void *context)
{
    fixture *f = context;
    takt_interval interval = {.stop = 1};
    takt_model *model = NULL;
    takt_instance *at = NULL;
    takt_error err = {0};
    takt_status st = takt_table_open(&(takt_model_source){.path = f->path}, NULL, &model, &err);
    if (!st) st = model->type->retype(model, 1, TAKT_INT32, NULL, &err);
    if (!st) st = model->type->instantiate(model, "t", NULL, &at, &err);
    if (!st) st = at->type->enter_initialization(at, &interval, &err);
    void *saved = NULL;
    takt_access none = {0};
    const double *times;
    int n_times;
    if (!st) st = at->type->find_knots(at, &none, 1e-5, &times, &n_times, &err);
    if (!st) st = at->type->save(at, &saved, &err);
    if (st) {
        assert_int_equal(st, TAKT_ERR_MEMORY);
        assert_contains(err.message, "memory");
    }
    free(saved);
    if (at) at->type->destroy(at);
    takt_model_close(model);
}

// Far from 0 the same time is not the same number in a table in hours and in a run in seconds.
static void events_are_met_but_for_rounding(void **state)
{
    (void)state;
    const double begin = 1e6, h = 0.01, jump = nextafter(begin + h, 2e6);
    char text[128];
    snprintf(text, sizeof text, "time,x\n0,1\n%.17g,2\n%.17g,3\n%.17g,4\n", jump, jump,
             nextafter(jump, 2e6) + 1);
    fixture f;
    open_table(&f, text);
    make_instance(&f);
    assert_int_equal(enter(&f, begin), TAKT_OK);
    assert_near(settle(&f, begin), jump, 0);
    step(&f, begin, h); // ends one rounding before the jump
    assert_near(get(&f)->real[0], 2, 0);
    assert_true(settle(&f, begin + h) > jump);
    assert_near(get(&f)->real[0], 3, 0);
    clean(&f);
    open_table(&f, text);
    make_instance(&f);
    assert_int_equal(enter(&f, begin + h), TAKT_OK);
    assert_near(get(&f)->real[0], 3, 0);
    assert_true(settle(&f, begin + h) > jump);
    assert_near(get(&f)->real[0], 3, 0);
    clean(&f);
}

static void exhausted_memory_is_reported(void **state)
{
    (void)state;
    fixture f;
    write_table(&f, "time,x [m],n,b\n0,1,2,true\n1,2,3,false\n");
    assert_true(test_memory_fail_each(use_table, &f) > 10);
    unlink(f.path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_are_those_of_what_follows),
        cmocka_unit_test(numbers_are_interpolated_and_held_outside),
        cmocka_unit_test(other_columns_hold_the_last_row),
        cmocka_unit_test(two_rows_of_one_time_are_a_jump),
        cmocka_unit_test(a_jump_at_the_start_shows_the_values_after_it),
        cmocka_unit_test(events_that_were_stepped_over_are_past),
        cmocka_unit_test(state_is_the_time),
        cmocka_unit_test(parameters_choose_interpolation_and_events),
        cmocka_unit_test(columns_win_over_parameters_of_the_same_name),
        cmocka_unit_test(knots_are_those_of_outputs_that_are_interpolated),
        cmocka_unit_test(columns_are_outputs_with_units),
        cmocka_unit_test(connections_choose_the_type_of_numbers),
        cmocka_unit_test(whole_numbers_keep_all_their_digits),
        cmocka_unit_test(models_of_one_file_read_it_once_and_adapt_alone),
        cmocka_unit_test(files_that_are_no_tables_are_refused),
        cmocka_unit_test(events_are_met_but_for_rounding),
        cmocka_unit_test(exhausted_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

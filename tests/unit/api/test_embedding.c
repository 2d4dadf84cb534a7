// SPDX-License-Identifier: MIT
// The library in a program of one's own: systems built in code, looked at, run step by step, read, set, taken back.
#include <math.h>
#include <unistd.h>

#include "base/thread.h"
#include "unit/api/fixture.h"

// ---- systems -----------------------------------------------------------------------------------------

static void content_can_be_listed_and_changed(void **state)
{
    (void)state;
    fixture f;
    lotka_volterra(&f);
    assert_ok(&f, takt_project_set_value(f.project, "Prey.x0=3", &f.err));
    assert_ok(&f, takt_project_rename(f.project, "Prey", "Hare", &f.err));
    assert_int_equal(takt_project_count_components(f.project), 2);
    assert_int_equal(takt_project_find_component(f.project, "Hare"), 0);
    takt_connection_info c = {.size = sizeof c};
    assert_ok(&f, takt_project_get_connection(f.project, 1, &c, &f.err));
    assert_string_equal(c.to_component, "Hare");
    takt_value_info v = {.size = sizeof v};
    assert_ok(&f, takt_project_get_value(f.project, 0, &v, &f.err));
    assert_string_equal(v.variable, "Hare.x0");
    assert_string_equal(v.value, "3");
    assert_ok(&f, takt_project_remove(f.project, "Predator", &f.err));
    assert_int_equal(takt_project_count_connections(f.project), 0);
    char *text = NULL;
    assert_ok(&f, takt_project_get(f.project, "stop-time", &text, &f.err));
    assert_string_equal(text, "10");
    takt_free(text);
    assert_refused(&f, takt_project_get(f.project, "stop-tim", &text, &f.err), "'stop-time'");
    assert_refused(&f, takt_project_get_component(f.project, 7, NULL, &f.err), "number 7");
    takt_component_info none = {.size = 0};
    assert_refused(&f, takt_project_get_component(f.project, 0, &none, &f.err), "size");
    end(&f);
}

// A program that was built with a header of fewer fields gets those, and nothing else is touched.
static void structs_of_older_programs_are_filled_as_far_as_they_go(void **state)
{
    (void)state;
    fixture f;
    lotka_volterra(&f);
    takt_component_info info = {.size = offsetof(takt_component_info, source), .source = "kept"};
    assert_ok(&f, takt_project_get_component(f.project, 0, &info, &f.err));
    assert_string_equal(info.name, "Prey");
    assert_string_equal(info.source, "kept");
    end(&f);
}

static void all_problems_are_values(void **state)
{
    (void)state;
    fixture f;
    lotka_volterra(&f);
    add(&f, "Bad", "nothing.fmu");
    assert_ok(&f, takt_project_connect(f.project, "Prey.z", "Predator.x", &f.err));
    assert_int_equal(takt_project_check(f.project, &f.err), TAKT_ERR_USAGE);
    assert_int_equal(takt_problem_list_count(f.problems), 2);
    takt_problem_info p = {.size = sizeof p};
    assert_ok(&f, takt_problem_list_get(f.problems, 0, &p, &f.err));
    assert_int_equal(p.severity, TAKT_LEVEL_ERROR);
    assert_string_equal(p.component, "Bad");
    assert_contains(p.message, "nothing.fmu: cannot be opened");
    assert_ok(&f, takt_problem_list_get(f.problems, 1, &p, &f.err));
    assert_string_equal(p.component, "Prey");
    assert_string_equal(p.message, "component 'Prey' has no variable 'z'");
    takt_problem_list_clear(f.problems);
    assert_int_equal(takt_problem_list_count(f.problems), 0);
    assert_ok(&f, takt_project_remove(f.project, "Bad", &f.err));
    assert_ok(&f, takt_project_disconnect(f.project, "Prey.z", NULL, &f.err));
    assert_ok(&f, takt_project_check(f.project, &f.err));
    end(&f);
}

static void systems_can_be_looked_at(void **state)
{
    (void)state;
    fixture f;
    lotka_volterra(&f);
    add(&f, "Arrays", FMU("Arrays_fmi3"));
    assert_ok(&f, takt_project_set_value(f.project, "Prey.x0=3", &f.err));
    assert_ok(&f, takt_system_create(f.project, &f.system, &f.err));
    takt_model_info model = {.size = sizeof model};
    assert_ok(&f, takt_system_get_model(f.system, 2, &model, &f.err));
    assert_string_equal(model.component, "Arrays");
    assert_string_equal(model.version, "FMI 3.0");
    assert_true(model.can_rewind);
    takt_variable_info v = {.size = sizeof v};
    int x0 = takt_system_find_variable(f.system, 0, "x0");
    assert_ok(&f, takt_system_get_variable(f.system, 0, x0, &v, &f.err));
    assert_int_equal(v.causality, TAKT_PARAMETER);
    assert_true(v.has_start && v.start_real == 3);
    int y = takt_system_find_variable(f.system, 0, "y");
    assert_ok(&f, takt_system_get_variable(f.system, 0, y, &v, &f.err));
    assert_true(v.is_connected);
    int matrix = takt_system_find_variable(f.system, 2, "A");
    assert_ok(&f, takt_system_get_variable(f.system, 2, matrix + 4, &v, &f.err));
    assert_string_equal(v.name, "A[2,2]");
    assert_string_equal(v.array, "A");
    assert_int_equal(v.n_dimensions, 2);
    assert_int_equal(v.dimensions[1], 3);
    takt_link_info link = {.size = sizeof link};
    assert_int_equal(takt_system_count_links(f.system), 2);
    assert_ok(&f, takt_system_get_link(f.system, 0, &link, &f.err));
    assert_true(link.from == 0 && link.to == 1 && link.factor == 1);
    assert_refused(&f, takt_system_get_variable(f.system, 0, 99, &v, &f.err), "number 99");
    assert_int_equal(takt_system_find_component(f.system, "nobody"), -1);
    end(&f);
}

static void plans_can_be_looked_at(void **state)
{
    (void)state;
    fixture f;
    lotka_volterra(&f);
    add(&f, "G", FMU("Gain"));
    assert_ok(&f, takt_project_connect(f.project, "Prey.x", "G.u", &f.err));
    assert_ok(&f, takt_system_create(f.project, &f.system, &f.err));
    takt_sequence *sequence = NULL;
    assert_ok(&f, takt_sequence_create(f.system, 0, &sequence, &f.err));
    assert_int_equal(takt_sequence_count_blocks(sequence), 2);
    takt_block_info block = {.size = sizeof block};
    assert_ok(&f, takt_sequence_get_block(sequence, 0, &block, &f.err));
    assert_true(block.is_loop && !block.is_algebraic && block.n_members == 2);
    assert_ok(&f, takt_sequence_get_block(sequence, 1, &block, &f.err));
    assert_string_equal(block.members[0], "G");
    bool is_found = false;
    for (int i = 0; i < takt_sequence_count_feedthroughs(sequence); i++) {
        takt_feedthrough_info through = {.size = sizeof through};
        assert_ok(&f, takt_sequence_get_feedthrough(sequence, i, &through, &f.err));
        if (strcmp(through.component, "G") != 0) continue;
        is_found = through.n_inputs == 1 && strcmp(through.inputs[0], "u") == 0;
    }
    assert_true(is_found);
    takt_sequence_destroy(sequence);
    end(&f);
}

static void settings_have_types(void **state)
{
    (void)state;
    int n = 0;
    for (int i = 0; takt_setting(i); i++, n++) {
        const char *name = takt_setting(i)->name;
        if (strcmp(name, "stop-time") == 0)
            assert_int_equal(takt_setting_type_of(i), TAKT_SETTING_TIME);
        if (strcmp(name, "strict") == 0)
            assert_int_equal(takt_setting_type_of(i), TAKT_SETTING_FLAG);
        if (strcmp(name, "iterations") == 0)
            assert_int_equal(takt_setting_type_of(i), TAKT_SETTING_COUNT);
        if (strcmp(name, "algorithm") != 0) continue;
        assert_int_equal(takt_setting_type_of(i), TAKT_SETTING_CHOICE);
        assert_string_equal(takt_setting_choices(i)[0], "auto");
        assert_true(takt_setting_is_repeatable(i));
    }
    assert_true(n > 30);
}

// ---- reading -----------------------------------------------------------------------------------------

/// What rows brought.
typedef struct rows {
    int n, most;
    double time[500], value[500];
} rows;

static int keep_row(void *context, const takt_row *row)
{
    rows *r = context;
    assert_true(r->n < 500);
    r->time[r->n] = row->time;
    r->value[r->n++] = row->reals[0];
    return r->most && r->n >= r->most;
}

static void views_show_what_rows_show(void **state)
{
    (void)state;
    fixture f;
    rows r = {.n = 0};
    lotka_volterra(&f);
    set(&f, "step-size", "0.1"); // a row at every communication point
    start(&f);
    assert_ok(&f, takt_run_observe(f.run, keep_row, &r, &f.err));
    takt_column_info column = {.size = sizeof column};
    assert_int_equal(takt_run_count_columns(f.run), 2);
    assert_ok(&f, takt_run_get_column(f.run, 0, &column, &f.err));
    assert_string_equal(column.name, "Prey.x");
    assert_ok(&f, takt_run_initialize(f.run, &f.err));
    const char *names[] = {"Prey.x", "Predator.x",
                           "Prey.a"}; // an output, where it goes, a parameter
    takt_view *view = NULL;
    assert_ok(&f, takt_view_create(f.run, names, 3, &view, &f.err));
    takt_progress progress = TAKT_RUNNING;
    while (progress == TAKT_RUNNING) {
        assert_ok(&f, takt_run_step(f.run, &progress, &f.err));
        assert_ok(&f, takt_view_read(view, &f.err));
        const double *values = takt_view_reals(view);
        assert_true(values[0] == r.value[r.n - 1] && takt_run_time(f.run) == r.time[r.n - 1]);
        assert_true(values[1] == values[0]);
        assert_true(values[2] == 0.1);
    }
    takt_view_destroy(view);
    end(&f);
}

static void results_can_be_kept_in_memory(void **state)
{
    (void)state;
    fixture f;
    rows r = {.n = 0};
    takt_series *series = NULL;
    lotka_volterra(&f);
    add(&f, "T", FMU("Types3_fmi3"));
    set(&f, "record", "Prey.x");
    set(&f, "record", "T.string_out");
    set(&f, "record", "T.int8_out");
    set(&f, "step-size", "0.1");
    start(&f);
    assert_ok(&f, takt_run_observe(f.run, keep_row, &r, &f.err));
    assert_ok(&f, takt_run_collect(f.run, &series, &f.err));
    assert_ok(&f, takt_run_initialize(f.run, &f.err));
    go_to(&f, 10);
    takt_run_destroy(f.run); // what was kept stays
    f.run = NULL;
    assert_int_equal(takt_series_count(series), 101);
    assert_int_equal(takt_series_width(series, TAKT_KIND_REAL), 1);
    for (int i = 0; i < 101; i++) {
        assert_true(takt_series_times(series)[i] == r.time[i]);
        assert_true(takt_series_reals(series)[i] == r.value[i]);
        assert_int_equal(takt_series_integers(series)[i], -128);
        assert_string_equal(takt_series_bytes(series, i, 0, NULL), "start & <text>");
    }
    assert_string_equal(takt_series_bytes(series, 101, 0, NULL), "");
    takt_series_destroy(series);
    end(&f);
}

// As a program that looks at everything after every step, and one that does not.
static void reading_changes_no_results(void **state)
{
    (void)state;
    static const char *const controls[][2] = {
        {"tolerance", "1e-5"}, {"algorithm", "newton"}, {"algorithm", "jacobi"}};
    for (int c = 0; c < 3; c++) {
        double ends[2];
        for (int reads = 0; reads < 2; reads++) {
            fixture f;
            lotka_volterra(&f);
            if (c) set(&f, "step-size", "0.1");
            set(&f, controls[c][0], controls[c][1]);
            start(&f);
            assert_ok(&f, takt_run_initialize(f.run, &f.err));
            takt_progress progress = TAKT_RUNNING;
            while (progress == TAKT_RUNNING) {
                assert_ok(&f, takt_run_step(f.run, &progress, &f.err));
                if (reads) read_one(&f, "Prey.y");
                if (reads) read_one(&f, "Predator.x");
            }
            ends[reads] = read_one(&f, "Predator.y");
            end(&f);
        }
        assert_true(ends[0] == ends[1]);
    }
}

static void values_of_every_type_are_read_and_set(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    add(&f, "T", FMU("Types3_fmi3"));
    add(&f, "A", FMU("Arrays_fmi3"));
    set(&f, "stop-time", "1");
    set(&f, "step-size", "0.5");
    start(&f);
    assert_ok(&f, takt_run_initialize(f.run, &f.err));
    const char *ins[] = {"T.string_in", "A.u", "T.int8_in", "T.boolean_in", "T.binary_in"};
    const char *outs[] = {"T.string_out", "A.y", "T.int8_out", "T.boolean_out", "T.binary_out"};
    takt_view *in = NULL, *out = NULL;
    assert_ok(&f, takt_view_create(f.run, ins, 5, &in, &f.err));
    assert_ok(&f, takt_view_create(f.run, outs, 5, &out, &f.err));
    assert_int_equal(takt_view_size(in, TAKT_KIND_REAL), 3);
    assert_int_equal(takt_view_size(in, TAKT_KIND_INTEGER), 2);
    assert_int_equal(takt_view_size(in, TAKT_KIND_BYTES), 2);
    takt_view_item item = {.size = sizeof item};
    assert_ok(&f, takt_view_get_item(in, 1, &item, &f.err));
    assert_true(item.n == 3 && item.n_dimensions == 1 && item.dimensions[0] == 3);
    assert_string_equal(item.variable, "u");
    for (int i = 0; i < 3; i++) takt_view_reals(in)[i] = i + 1.5;
    takt_view_integers(in)[0] = -7;
    takt_view_integers(in)[1] = 0;
    assert_ok(&f, takt_view_put_bytes(in, 0, "hello", 5, &f.err));
    assert_ok(&f, takt_view_put_bytes(in, 1, "\0\xff", 2, &f.err));
    assert_ok(&f, takt_view_write(in, &f.err));
    go_to(&f, 0.5);
    assert_ok(&f, takt_view_read(out, &f.err));
    for (int i = 0; i < 3; i++) assert_true(takt_view_reals(out)[i] == 2 * (i + 1.5));
    assert_true(takt_view_integers(out)[0] == -7 && takt_view_integers(out)[1] == 0);
    size_t size;
    assert_string_equal(takt_view_bytes(out, 0, &size), "hello");
    assert_memory_equal(takt_view_bytes(out, 1, &size), "\0\xff", 2);
    assert_int_equal(size, 2);
    assert_refused(&f, takt_view_put_bytes(in, 2, "", 0, &f.err), "number 2");
    takt_view_destroy(in);
    takt_view_destroy(out);
    end(&f);
}

// ---- setting -----------------------------------------------------------------------------------------

// x' = (a - b y) x, with y chosen: the solution is known.
static void check_inputs(const char *fmu, const char *control, const char *value)
{
    fixture f;
    begin(&f);
    add(&f, "Prey", fmu);
    set(&f, "stop-time", "3");
    set(&f, control, value);
    start(&f);
    assert_ok(&f, takt_run_initialize(f.run, &f.err));
    double x = read_one(&f, "Prey.x"), y = 0;
    for (int i = 1; i <= 3; i++) {
        y = 4 * i;
        write_one(&f, "Prey.y", y);
        go_to(&f, i);
        assert_true(takt_run_time(f.run) == i);
        x *= exp(0.1 - 0.02 * y);
        assert_near(read_one(&f, "Prey.x"), x, 2e-4 * x);
    }
    end(&f);
}

static void inputs_can_be_set_between_steps(void **state)
{
    (void)state;
    static const char *const fmus[] = {FMU("LotkaVolterraPrey"), FMU("LotkaVolterraPrey_fmi1"),
                                       FMU("LotkaVolterraPrey_fmi3"), FMU("Prey_fmi1me")};
    for (int i = 0; i < 4; i++) {
        check_inputs(fmus[i], "tolerance", "1e-5");
        check_inputs(fmus[i], "step-size", "0.01");
    }
}

static void tunable_parameters_can_be_set_between_steps(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    add(&f, "A", FMU("Arrays_fmi3"));
    set(&f, "stop-time", "1");
    start(&f);
    assert_ok(&f, takt_run_initialize(f.run, &f.err));
    write_one(&f, "A.A[1,1]", 10);
    go_to(&f, 0.5);
    assert_near(read_one(&f, "A.z[1]"), 10 + 2 + 3, 0);
    end(&f);
}

// What is changed shows as a jump in the results: two rows of the same time.
static void changes_are_jumps_in_the_results(void **state)
{
    (void)state;
    for (int has_grid = 0; has_grid < 2; has_grid++) {
        fixture f;
        rows r = {.n = 0};
        begin(&f);
        add(&f, "G", FMU("Gain"));
        set(&f, "stop-time", "1");
        set(&f, "step-size", "0.25");
        if (has_grid) set(&f, "output-interval", "1");
        start(&f);
        assert_ok(&f, takt_run_observe(f.run, keep_row, &r, &f.err));
        assert_ok(&f, takt_run_initialize(f.run, &f.err));
        go_to(&f, 0.5);
        write_one(&f, "G.u", 3);
        write_one(&f, "G.u", 5); // one jump, not two
        go_to(&f, 1);
        int n = 0;
        for (int i = 1; i < r.n; i++)
            if (r.time[i] == 0.5 && r.time[i - 1] == 0.5) {
                n++;
                assert_true(r.value[i - 1] == 0 && r.value[i] == 5);
            }
        assert_int_equal(n, 1);
        assert_int_equal(r.n, has_grid ? 4 : 6);
        end(&f);
    }
}

static void what_cannot_be_set_is_refused_and_nothing_changes(void **state)
{
    (void)state;
    fixture f;
    lotka_volterra(&f);
    add(&f, "G", FMU("Gain"));
    start(&f);
    assert_refused(&f, try_write(&f, "Prey.x", 1), "Prey.x cannot be set: it has no start value");
    assert_ok(&f, takt_run_initialize(f.run, &f.err));
    assert_refused(&f, try_write(&f, "Prey.y", 1), "gets its value from a connection");
    assert_refused(&f, try_write(&f, "Prey.x", 1), "only inputs and tunable parameters");
    assert_refused(&f, try_write(&f, "Prey.x0", 1), "set it before the initialization");
    assert_refused(&f, try_write(&f, "G.u", NAN), "finite");
    const char *names[] = {"G.u", "Prey.y"};
    takt_view *view = NULL;
    assert_ok(&f, takt_view_create(f.run, names, 2, &view, &f.err));
    takt_view_reals(view)[0] = 7;
    assert_int_equal(takt_view_write(view, &f.err), TAKT_ERR_USAGE);
    takt_view_destroy(view);
    assert_true(read_one(&f, "G.u") == 0);
    const char *unknown[] = {"G.z", "nobody.x", "x", NULL};
    static const char *const pieces[] = {"component 'G' has no variable 'z'",
                                         "no variable 'nobody.x'", "no variable 'x'", "is NULL"};
    for (int i = 0; i < 4; i++)
        assert_refused(&f, takt_view_create(f.run, unknown + i, 1, &view, &f.err), pieces[i]);
    go_to(&f, 1);
    end(&f);
}

// Without opening the FMU again; the value wins over that of the project.
static void start_values_can_differ_from_run_to_run(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    add(&f, "Prey", FMU("LotkaVolterraPrey"));
    assert_ok(&f, takt_project_set_value(f.project, "Prey.x0=3", &f.err));
    set(&f, "stop-time", "1");
    for (int i = 0; i < 3; i++) {
        start(&f);
        if (i) write_one(&f, "Prey.x0", 4 * i);
        if (i) write_one(&f, "Prey.y", i);
        assert_ok(&f, takt_run_initialize(f.run, &f.err));
        double x0 = i ? 4 * i : 3;
        assert_true(read_one(&f, "Prey.x") == x0);
        go_to(&f, 1);
        assert_near(read_one(&f, "Prey.x"), x0 * exp(0.1 - 0.02 * i), 2e-4 * x0);
        takt_run_destroy(f.run);
        f.run = NULL;
    }
    end(&f);
}

// ---- taking back ---------------------------------------------------------------------------------------

static void run_goes_back_as_often_as_one_likes(void **state)
{
    (void)state;
    fixture f;
    lotka_volterra(&f);
    start(&f);
    assert_ok(&f, takt_run_initialize(f.run, &f.err));
    takt_snapshot *first = NULL, *later = NULL;
    assert_ok(&f, takt_snapshot_take(f.run, &first, &f.err));
    go_to(&f, 4);
    assert_ok(&f, takt_snapshot_take(f.run, &later, &f.err));
    assert_true(takt_snapshot_time(later) == 4);
    double expected = 0;
    for (int i = 0; i < 4; i++) {
        go_to(&f, 10);
        double x = read_one(&f, "Prey.x");
        if (i) assert_true(x == expected);
        expected = x;
        assert_ok(&f, takt_snapshot_restore(f.run, i % 2 ? first : later, &f.err));
        if (i % 2) go_to(&f, 4); // the same way as the first time
    }
    takt_snapshot_destroy(first);
    takt_snapshot_destroy(later);
    end(&f);
}

static void owners_may_end_things_in_any_order(void **state)
{
    (void)state;
    fixture f, g;
    lotka_volterra(&f);
    lotka_volterra(&g);
    start(&f);
    start(&g);
    takt_snapshot *snapshot = NULL;
    assert_refused(&f, takt_snapshot_take(f.run, &snapshot, &f.err), "initialization");
    assert_ok(&f, takt_run_initialize(f.run, &f.err));
    assert_ok(&g, takt_run_initialize(g.run, &g.err));
    assert_ok(&f, takt_snapshot_take(f.run, &snapshot, &f.err));
    assert_refused(&g, takt_snapshot_restore(g.run, snapshot, &g.err), "another run");
    takt_view *view = view_of(&f, "Prey.x");
    takt_run_destroy(f.run);
    f.run = NULL;
    assert_refused(&f, takt_view_read(view, &f.err), "has ended");
    assert_refused(&f, takt_view_write(view, &f.err), "has ended");
    assert_refused(&g, takt_snapshot_restore(g.run, snapshot, &g.err), "another run");
    takt_view_destroy(view);
    takt_snapshot_destroy(snapshot);
    end(&g);
    end(&f);
}

static void calls_in_the_wrong_order_are_refused(void **state)
{
    (void)state;
    fixture f;
    rows r = {.n = 0};
    takt_progress progress;
    lotka_volterra(&f);
    start(&f);
    takt_view *view = view_of(&f, "Prey.x");
    assert_refused(&f, takt_view_read(view, &f.err), "initialize");
    assert_refused(&f, takt_run_to(f.run, 1, &progress, &f.err), "initialize");
    assert_ok(&f, takt_run_initialize(f.run, &f.err));
    assert_refused(&f, takt_run_observe(f.run, keep_row, &r, &f.err), "before initialization");
    assert_refused(&f, takt_run_to(f.run, NAN, &progress, &f.err), "number");
    assert_ok(&f, takt_run_finish(f.run, &f.err));
    assert_refused(&f, takt_view_read(view, &f.err), "finished");
    assert_refused(&f, takt_run_step(f.run, &progress, &f.err), "finished");
    takt_view_destroy(view);
    end(&f);
}

// ---- going on and stopping -----------------------------------------------------------------------------

static void steps_end_where_the_user_wants_it(void **state)
{
    (void)state;
    static const char *const controls[][2] = {
        {"tolerance", "1e-4"}, {"step-size", "0.7"}, {"algorithm", "newton"}};
    for (int i = 0; i < 3; i++) {
        fixture f;
        lotka_volterra(&f);
        if (i == 2) set(&f, "step-size", "0.7");
        set(&f, controls[i][0], controls[i][1]);
        start(&f);
        assert_ok(&f, takt_run_initialize(f.run, &f.err));
        static const double times[] = {0.1, 0.1, 0.25, 3, 3.33333, 9.99, 10};
        for (int k = 0; k < 7; k++) {
            go_to(&f, times[k]);
            assert_true(takt_run_time(f.run) == times[k]);
            assert_true(takt_run_time_reached(f.run) == times[k]);
        }
        takt_progress progress;
        assert_ok(&f, takt_run_to(f.run, 20, &progress, &f.err));
        assert_int_equal(progress, TAKT_FINISHED);
        end(&f);
    }
}

static void rows_can_cancel_a_run(void **state)
{
    (void)state;
    fixture f;
    rows r = {.most = 5};
    takt_progress progress;
    lotka_volterra(&f);
    set(&f, "step-size", "0.5");
    start(&f);
    assert_ok(&f, takt_run_observe(f.run, keep_row, &r, &f.err));
    assert_ok(&f, takt_run_initialize(f.run, &f.err));
    assert_ok(&f, takt_run_to(f.run, 10, &progress, &f.err));
    assert_int_equal(progress, TAKT_CANCELLED);
    assert_true(takt_run_time(f.run) == 2);
    r.most = 0;
    takt_run_cancel(f.run, 0);
    assert_ok(&f, takt_run_to(f.run, 10, &progress, &f.err));
    assert_int_equal(progress, TAKT_FINISHED);
    end(&f);
}

// Another thread watches how far the run has come, and stops it.
static void watch_and_cancel(void *context)
{
    takt_run *run = context;
    while (takt_run_time_reached(run) < 1) usleep(100);
    takt_run_cancel(run, 1);
}

static void other_threads_can_cancel_a_run(void **state)
{
    (void)state;
    fixture f;
    takt_thread thread;
    takt_progress progress;
    lotka_volterra(&f);
    set(&f, "stop-time", "1e7");
    set(&f, "step-size", "0.1");
    start(&f);
    assert_ok(&f, takt_run_initialize(f.run, &f.err));
    assert_true(takt_thread_start(&thread, watch_and_cancel, f.run));
    assert_ok(&f, takt_run_to(f.run, 1e7, &progress, &f.err));
    takt_thread_join(&thread);
    assert_int_equal(progress, TAKT_CANCELLED);
    assert_true(takt_run_time(f.run) >= 1);
    end(&f);
}

// ---- several threads -----------------------------------------------------------------------------------

/// One thread's work.
typedef struct worker {
    takt_thread thread;
    const takt_system *system;
    double y; ///< its input
    double x; ///< what came out
    takt_status status;
} worker;

// Runs of one system in several threads, with views, snapshots and changes.
static void work(void *context)
{
    worker *w = context;
    takt_run *run = NULL;
    takt_view *in = NULL, *out = NULL;
    takt_snapshot *snapshot = NULL;
    const char *input = "Prey.y", *output = "Prey.x";
    takt_progress progress;
    takt_status st = takt_run_create(w->system, &run, NULL);
    if (!st) st = takt_view_create(run, &input, 1, &in, NULL);
    if (!st) st = takt_view_create(run, &output, 1, &out, NULL);
    if (!st) st = takt_run_initialize(run, NULL);
    if (!st) st = takt_snapshot_take(run, &snapshot, NULL);
    for (int i = 0; i < 3 && !st; i++) {
        st = takt_snapshot_restore(run, snapshot, NULL);
        takt_view_reals(in)[0] = w->y;
        if (!st) st = takt_view_write(in, NULL);
        if (!st) st = takt_run_to(run, 1, &progress, NULL);
    }
    if (!st) st = takt_view_read(out, NULL);
    if (!st) w->x = takt_view_reals(out)[0];
    w->status = st;
    takt_snapshot_destroy(snapshot);
    takt_view_destroy(in);
    takt_view_destroy(out);
    takt_run_destroy(run);
}

static void runs_of_one_system_are_independent_in_several_threads(void **state)
{
    (void)state;
    enum { N = 4 };
    worker workers[N];
    fixture f;
    begin(&f);
    add(&f, "Prey", FMU("LotkaVolterraPrey"));
    set(&f, "stop-time", "1");
    set(&f, "tolerance", "1e-5");
    assert_ok(&f, takt_system_create(f.project, &f.system, &f.err));
    for (int i = 0; i < N; i++) {
        workers[i] = (worker){.system = f.system, .y = 5 * i};
        assert_true(takt_thread_start(&workers[i].thread, work, &workers[i]));
    }
    for (int i = 0; i < N; i++) {
        takt_thread_join(&workers[i].thread);
        assert_int_equal(workers[i].status, TAKT_OK);
        assert_near(workers[i].x, 10 * exp(0.1 - 0.02 * 5 * i), 1e-3);
    }
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(content_can_be_listed_and_changed),
        cmocka_unit_test(structs_of_older_programs_are_filled_as_far_as_they_go),
        cmocka_unit_test(all_problems_are_values),
        cmocka_unit_test(systems_can_be_looked_at),
        cmocka_unit_test(plans_can_be_looked_at),
        cmocka_unit_test(settings_have_types),
        cmocka_unit_test(views_show_what_rows_show),
        cmocka_unit_test(results_can_be_kept_in_memory),
        cmocka_unit_test(reading_changes_no_results),
        cmocka_unit_test(values_of_every_type_are_read_and_set),
        cmocka_unit_test(inputs_can_be_set_between_steps),
        cmocka_unit_test(tunable_parameters_can_be_set_between_steps),
        cmocka_unit_test(changes_are_jumps_in_the_results),
        cmocka_unit_test(what_cannot_be_set_is_refused_and_nothing_changes),
        cmocka_unit_test(start_values_can_differ_from_run_to_run),
        cmocka_unit_test(run_goes_back_as_often_as_one_likes),
        cmocka_unit_test(owners_may_end_things_in_any_order),
        cmocka_unit_test(calls_in_the_wrong_order_are_refused),
        cmocka_unit_test(steps_end_where_the_user_wants_it),
        cmocka_unit_test(rows_can_cancel_a_run),
        cmocka_unit_test(other_threads_can_cancel_a_run),
        cmocka_unit_test(runs_of_one_system_are_independent_in_several_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

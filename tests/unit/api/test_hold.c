// SPDX-License-Identifier: MIT
// Inputs that are held during a run, whatever their connections deliver.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "unit/api/fixture.h"

static takt_status try_hold(fixture *f, const char *name, double value)
{
    takt_view *view = view_of(f, name);
    if (takt_view_size(view, TAKT_KIND_REAL)) takt_view_reals(view)[0] = value;
    takt_status st = takt_view_hold(view, &f->err);
    takt_view_destroy(view);
    return st;
}

static void release(fixture *f, const char *name)
{
    takt_view *view = view_of(f, name);
    assert_ok(f, takt_view_release(view, &f->err));
    takt_view_destroy(view);
}

// Algorithm, step size ("" is to a tolerance), by how much results may differ from those of a scenario. Fixed steps end where it changes something,
// and are the same then; to a tolerance steps differ before that.
static const struct way {
    const char *algorithm, *step_size, *isolate;
    double room;
} ways[] = {{"jacobi", "0.125", "", 0},    {"seidel", "0.125", "", 0},  {"newton", "0.125", "", 0},
            {"anderson", "0.125", "", 0},  {"auto", "0.125", "", 1e-9}, {"auto", "", "", 1e-3},
            {"fixed-point", "", "", 1e-3}, {"seidel", "0.125", "*", 0}};

static void use(fixture *f, const struct way *way)
{
    lotka_volterra(f);
    set(f, "algorithm", way->algorithm);
    if (*way->step_size) set(f, "step-size", way->step_size);
    if (*way->isolate) set(f, "isolate", way->isolate);
}

// What a scenario does to the same input at the same times.
static void run_scenario(const struct way *way, double out[3])
{
    fixture f;
    char path[] = "/tmp/takt-hold-XXXXXX.csv";
    FILE *file = fdopen(mkstemps(path, 4), "w");
    fputs("time,variable,value\n2,Prey.y,3\n4,Prey.y,\n", file);
    fclose(file);
    use(&f, way);
    set(&f, "scenario", path);
    start(&f);
    unlink(path);
    assert_ok(&f, takt_run_initialize(f.run, &f.err));
    for (int i = 0; i < 3; i++) {
        go_to(&f, 3 + i);
        out[i] = read_one(&f, "Prey.x");
    }
    end(&f);
}

static void held_input_is_as_in_a_scenario_with_every_algorithm(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const struct way *way = &ways[i];
        double expected[3], found[3];
        fixture f;
        run_scenario(way, expected);
        use(&f, way);
        start(&f);
        assert_ok(&f, takt_run_initialize(f.run, &f.err));
        go_to(&f, 2);
        assert_ok(&f, try_hold(&f, "Prey.y", 3));
        assert_true(read_one(&f, "Prey.y") == 3);
        go_to(&f, 3);
        assert_true(read_one(&f, "Prey.y") == 3);
        found[0] = read_one(&f, "Prey.x");
        go_to(&f, 4);
        release(&f, "Prey.y");
        assert_true(read_one(&f, "Prey.y") == read_one(&f, "Predator.y"));
        for (int k = 1; k < 3; k++) {
            go_to(&f, 3 + k);
            found[k] = read_one(&f, "Prey.x");
        }
        for (int k = 0; k < 3; k++) {
            double off = fabs(found[k] - expected[k]);
            if (!(off <= way->room * fabs(expected[k])))
                print_error("%s %s, t=%d: %.17g instead of %.17g\n", way->algorithm, way->step_size,
                            3 + k, found[k], expected[k]);
            assert_true(off <= way->room * fabs(expected[k]));
        }
        end(&f);
    }
}

typedef struct rows {
    double t[100], y[100];
    int n;
} rows;

static int collect(void *context, const takt_row *row)
{
    rows *all = context;
    if (all->n == 100) return 1;
    all->t[all->n] = row->time;
    all->y[all->n++] = row->reals[0];
    return 0;
}

// Rows at one time: how many, and the first and the last value.
static int find(const rows *all, double t, double *first, double *last)
{
    int n = 0;
    for (int i = 0; i < all->n; i++) {
        if (all->t[i] != t) continue;
        if (n++ == 0) *first = all->y[i];
        *last = all->y[i];
    }
    return n;
}

static void rows_show_what_an_input_is_held_at_before_and_after_each_change(void **state)
{
    (void)state;
    static const char *const intervals[] = {"0", "0.5"};
    for (int i = 0; i < 2; i++) {
        fixture f;
        rows all = {.n = 0};
        double first = 0, last = 0;
        lotka_volterra(&f);
        set(&f, "record", "Prey.y");
        set(&f, "step-size", "0.5");
        set(&f, "output-interval", intervals[i]);
        start(&f);
        assert_ok(&f, takt_run_observe(f.run, collect, &all, &f.err));
        assert_ok(&f, takt_run_initialize(f.run, &f.err));
        go_to(&f, 2);
        assert_ok(&f, try_hold(&f, "Prey.y", 3));
        go_to(&f, 3);
        release(&f, "Prey.y");
        go_to(&f, 4);
        assert_int_equal(find(&all, 2, &first, &last), 2);
        assert_true(first != 3 && last == 3);
        assert_int_equal(find(&all, 2.5, &first, &last), 1);
        assert_true(last == 3);
        assert_int_equal(find(&all, 3, &first, &last), 2);
        assert_true(first == 3 && last != 3);
        end(&f);
    }
}

static void what_cannot_be_held_is_refused(void **state)
{
    (void)state;
    fixture f;
    lotka_volterra(&f);
    start(&f);
    assert_refused(&f, try_hold(&f, "Prey.y", 1), "takt_run_initialize()");
    assert_ok(&f, takt_run_initialize(f.run, &f.err));
    assert_refused(&f, try_hold(&f, "Prey.x", 1), "Prey.x cannot be held: it is no input");
    assert_refused(&f, try_hold(&f, "Prey.a", 1), "it is no input");
    assert_refused(&f, try_hold(&f, "Prey.y", NAN), "finite");
    release(&f, "Prey.y"); // which is not held
    go_to(&f, 1);
    end(&f);
}

static double end_with(fixture *f)
{
    go_to(f, 5);
    double x = read_one(f, "Prey.x");
    end(f);
    return x;
}

// From a snapshot, in which something else or nothing may be held by then, and from bytes in another run.
static void a_run_goes_on_with_what_was_held(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        fixture f, other;
        takt_snapshot *snapshot = NULL;
        takt_checkpoint *checkpoint = NULL;
        void *bytes = NULL;
        size_t size = 0;
        use(&f, &ways[i]);
        start(&f);
        assert_ok(&f, takt_run_initialize(f.run, &f.err));
        go_to(&f, 2);
        assert_ok(&f, try_hold(&f, "Prey.y", 3));
        go_to(&f, 3);
        assert_ok(&f, takt_snapshot_take(f.run, &snapshot, &f.err));
        assert_ok(&f, takt_run_serialize(f.run, &bytes, &size, &f.err));
        go_to(&f, 4);
        double expected = read_one(&f, "Prey.x");
        assert_ok(&f, try_hold(&f, "Prey.y", 7));
        assert_ok(&f, takt_snapshot_restore(f.run, snapshot, &f.err));
        assert_true(read_one(&f, "Prey.y") == 3);
        go_to(&f, 4);
        assert_true(read_one(&f, "Prey.x") == expected);
        release(&f, "Prey.y");
        assert_ok(&f, takt_snapshot_restore(f.run, snapshot, &f.err));
        go_to(&f, 4);
        assert_true(read_one(&f, "Prey.x") == expected);
        takt_snapshot_destroy(snapshot);

        use(&other, &ways[i]);
        start(&other);
        assert_ok(&other, takt_checkpoint_deserialize(bytes, size, &checkpoint, &other.err));
        assert_ok(&other, takt_run_resume(other.run, checkpoint, &other.err));
        assert_true(read_one(&other, "Prey.y") == 3);
        go_to(&other, 4);
        assert_true(read_one(&other, "Prey.x") == expected);
        release(&f, "Prey.y");
        release(&other, "Prey.y");
        assert_true(end_with(&f) == end_with(&other));
        takt_checkpoint_close(checkpoint);
        takt_free(bytes);
    }
}

// What was not held then, is not held afterwards.
static void going_back_releases_what_was_not_held(void **state)
{
    (void)state;
    fixture f;
    takt_snapshot *snapshot = NULL;
    use(&f, &ways[0]);
    start(&f);
    assert_ok(&f, takt_run_initialize(f.run, &f.err));
    assert_ok(&f, takt_snapshot_take(f.run, &snapshot, &f.err));
    go_to(&f, 2);
    double expected = read_one(&f, "Prey.x");
    assert_ok(&f, try_hold(&f, "Prey.y", 3));
    assert_ok(&f, takt_snapshot_restore(f.run, snapshot, &f.err));
    go_to(&f, 2);
    assert_true(read_one(&f, "Prey.x") == expected);
    takt_snapshot_destroy(snapshot);
    end(&f);
}

// Set, held and released, an input without a connection keeps its value.
static void unconnected_input_keeps_the_value_it_was_held_at(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    add(&f, "G", FMU("Gain"));
    set(&f, "stop-time", "5");
    set(&f, "step-size", "1");
    start(&f);
    assert_ok(&f, takt_run_initialize(f.run, &f.err));
    assert_ok(&f, try_hold(&f, "G.u", 7));
    write_one(&f, "G.u", 8); // does not get through
    go_to(&f, 2);
    assert_true(read_one(&f, "G.u") == 7);
    release(&f, "G.u");
    go_to(&f, 3);
    assert_true(read_one(&f, "G.u") == 7);
    write_one(&f, "G.u", 8);
    go_to(&f, 4);
    assert_true(read_one(&f, "G.u") == 8);
    end(&f);
}

// B gets what A passes on; held, it passes on something else.
static void inputs_of_every_type_are_held(void **state)
{
    (void)state;
    fixture f;
    static const char *const types[] = {"real", "integer", "boolean", "string"};
    const char *ins[] = {"B.real_in", "B.integer_in", "B.boolean_in", "B.string_in"};
    const char *outs[] = {"B.real_out", "B.integer_out", "B.boolean_out", "B.string_out"};
    begin(&f);
    add(&f, "A", FMU("Passthrough"));
    add(&f, "B", FMU("Passthrough"));
    for (int i = 0; i < 4; i++) {
        char from[40], to[40];
        snprintf(from, sizeof from, "A.%s_out", types[i]);
        snprintf(to, sizeof to, "B.%s_in", types[i]);
        assert_ok(&f, takt_project_connect(f.project, from, to, &f.err));
    }
    set(&f, "stop-time", "4");
    set(&f, "step-size", "1");
    start(&f);
    assert_ok(&f, takt_run_initialize(f.run, &f.err));
    takt_view *in = NULL, *out = NULL;
    assert_ok(&f, takt_view_create(f.run, ins, 4, &in, &f.err));
    assert_ok(&f, takt_view_create(f.run, outs, 4, &out, &f.err));
    takt_view_reals(in)[0] = 2.5;
    takt_view_integers(in)[0] = -7;
    takt_view_integers(in)[1] = 1;
    assert_ok(&f, takt_view_put_bytes(in, 0, "held", 4, &f.err));
    assert_ok(&f, takt_view_hold(in, &f.err));
    go_to(&f, 2);
    takt_view *const both[] = {in, out};
    for (int i = 0; i < 2; i++) {
        assert_ok(&f, takt_view_read(both[i], &f.err));
        assert_true(takt_view_reals(both[i])[0] == 2.5);
        assert_true(takt_view_integers(both[i])[0] == -7 && takt_view_integers(both[i])[1] == 1);
        assert_string_equal(takt_view_bytes(both[i], 0, NULL), "held");
    }
    assert_ok(&f, takt_view_release(in, &f.err));
    go_to(&f, 3);
    assert_ok(&f, takt_view_read(out, &f.err));
    assert_true(takt_view_reals(out)[0] == 0 && takt_view_integers(out)[0] == 0);
    assert_string_equal(takt_view_bytes(out, 0, NULL), "start & <text>");
    takt_view_destroy(in);
    takt_view_destroy(out);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(held_input_is_as_in_a_scenario_with_every_algorithm),
        cmocka_unit_test(rows_show_what_an_input_is_held_at_before_and_after_each_change),
        cmocka_unit_test(what_cannot_be_held_is_refused),
        cmocka_unit_test(unconnected_input_keeps_the_value_it_was_held_at),
        cmocka_unit_test(inputs_of_every_type_are_held),
        cmocka_unit_test(a_run_goes_on_with_what_was_held),
        cmocka_unit_test(going_back_releases_what_was_not_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

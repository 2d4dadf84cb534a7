// SPDX-License-Identifier: MIT
// Functions that a run calls, and other threads, while it is at work: what they may do, and what is refused.
#include <pthread.h>

#include "unit/api/fixture.h"

// What receives rows, and what it tries.
typedef struct meddler {
    takt_run *run;
    takt_view *view;
    const takt_snapshot *snapshot;
    int n_rows, ends;
} meddler;

static int meddle(void *context, const takt_row *row)
{
    meddler *m = context;
    takt_error err = {0};
    takt_progress progress;
    takt_snapshot *snapshot = NULL;
    void *data = NULL;
    size_t size;
    if (m->n_rows++ == 0) return 0; // when the view does not exist yet
    const takt_status all[] = {takt_run_step(m->run, &progress, &err),
                               takt_run_to(m->run, row->time + 1, &progress, &err),
                               takt_run_initialize(m->run, &err),
                               takt_run_finish(m->run, &err),
                               takt_run_set_algorithm(m->run, "newton", &err),
                               takt_run_serialize(m->run, &data, &size, &err),
                               takt_snapshot_take(m->run, &snapshot, &err),
                               takt_snapshot_restore(m->run, m->snapshot, &err),
                               takt_view_write(m->view, &err),
                               takt_view_hold(m->view, &err),
                               takt_view_release(m->view, &err)};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) assert_int_equal(all[i], TAKT_ERR_USAGE);
    assert_contains(err.message, "functions that a run calls");
    assert_int_equal(takt_view_read(m->view, &err), TAKT_OK); // looking is allowed
    assert_true(takt_view_reals(m->view)[0] == row->reals[0]);
    if (m->ends && row->time >= 5) takt_run_destroy(m->run); // at the end of the call
    return 0;
}

static void functions_that_a_run_calls_cannot_change_it(void **state)
{
    (void)state;
    for (int ends = 0; ends < 2; ends++) {
        fixture f;
        takt_snapshot *snapshot = NULL;
        takt_progress progress;
        lotka_volterra(&f);
        set(&f, "step-size", "0.1");
        start(&f);
        meddler m = {.run = f.run, .ends = ends};
        assert_ok(&f, takt_run_observe(f.run, meddle, &m, &f.err));
        assert_ok(&f, takt_run_initialize(f.run, &f.err));
        assert_ok(&f, takt_snapshot_take(f.run, &snapshot, &f.err));
        m.view = view_of(&f, "Prey.x");
        m.snapshot = snapshot;
        if (ends) {
            assert_refused(&f, takt_run_to(f.run, 10, &progress, &f.err), "the run was ended");
            f.run = NULL;
            assert_int_equal(m.n_rows, 51);
        } else {
            go_to(&f, 10);
            assert_int_equal(m.n_rows, 101);
        }
        takt_snapshot_destroy(snapshot);
        takt_view_destroy(m.view);
        end(&f);
    }
}

static int end_again(void *context, const takt_row *row)
{
    (void)row;
    takt_run **run = context;
    if (*run) takt_run_destroy(*run);
    return 0;
}

// Rows that are due at the end may come while the run ends.
static void runs_end_once(void **state)
{
    (void)state;
    fixture f;
    takt_run *run = NULL;
    takt_progress progress;
    lotka_volterra(&f);
    set(&f, "output-interval", "0.3");
    start(&f);
    assert_ok(&f, takt_run_observe(f.run, end_again, &run, &f.err));
    assert_ok(&f, takt_run_initialize(f.run, &f.err));
    assert_ok(&f, takt_run_to(f.run, 2, &progress, &f.err));
    run = f.run;
    end(&f);
}

static void *step_it(void *context)
{
    takt_progress progress;
    takt_error err = {0};
    fixture *f = context;
    f->err.status = takt_run_step(f->run, &progress, &err);
    assert_contains(err.message, "another thread is using the run");
    return NULL;
}

static int wait_for_another(void *context, const takt_row *row)
{
    fixture *f = context;
    pthread_t thread;
    if (row->time < 1 || row->time > 1.15) return 0;
    assert_int_equal(pthread_create(&thread, NULL, step_it, f), 0);
    pthread_join(thread, NULL);
    assert_int_equal(f->err.status, TAKT_ERR_USAGE);
    return 0;
}

static void runs_refuse_a_second_thread(void **state)
{
    (void)state;
    fixture f;
    lotka_volterra(&f);
    set(&f, "step-size", "0.1");
    start(&f);
    assert_ok(&f, takt_run_observe(f.run, wait_for_another, &f, &f.err));
    assert_ok(&f, takt_run_initialize(f.run, &f.err));
    go_to(&f, 2);
    assert_int_equal(f.err.status, TAKT_ERR_USAGE); // there was one
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_that_a_run_calls_cannot_change_it),
        cmocka_unit_test(runs_end_once),
        cmocka_unit_test(runs_refuse_a_second_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

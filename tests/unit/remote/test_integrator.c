// SPDX-License-Identifier: MIT
// Integrating for a worker: it gets the right numbers, and whatever it says, the master answers, and does not believe it.
#include "remote/integrator.h"

#include <math.h>
#include <unistd.h>

#include "num/ode_problem.h"
#include "remote/talk.h"
#include "support/test.h"

/// The other side, with x' = -x.
typedef struct partner {
    takt_region *region;
    takt_integrator *integrator;
    takt_talk tells; ///< what it says when it is asked for values
    takt_status status;
    int n_values; ///< that it tells
    double value; ///< not 0: tells this
    bool is_gone;
    int n_turns;
} partner;

static takt_room room_of(partner *p)
{
    return takt_room_of(takt_region_talk(p->region), TAKT_REGION_TALK);
}

static takt_room begin(partner *p, int64_t what)
{
    takt_room room = room_of(p);
    takt_room_put_number(&room, what);
    return room;
}

static bool turn(void *context)
{
    partner *p = context;
    takt_room in = room_of(p);
    p->n_turns++;
    assert_int_equal(takt_room_take_number(&in, 0, TAKT_N_TALKS), TAKT_TALK_DERIVATIVES);
    takt_room_take_real(&in);
    double x = takt_room_take_real(&in);
    takt_room room = begin(p, p->tells);
    takt_room_put_number(&room, p->status);
    takt_room_put_bytes(&room, "no\nway", 7);
    takt_room_put_number(&room, 1);
    for (int i = 0; i < p->n_values; i++) takt_room_put_real(&room, p->value != 0 ? p->value : -x);
    return !p->is_gone;
}

static void open_both(partner *p)
{
    int file;
    *p = (partner){.tells = TAKT_TALK_VALUES, .n_values = 1};
    assert_int_equal(takt_region_create(&p->region, &file, NULL), TAKT_OK);
    close(file);
    p->integrator = takt_integrator_create(p->region);
    assert_non_null(p->integrator);
}

static void close_both(partner *p)
{
    takt_integrator_destroy(p->integrator);
    takt_region_close(p->region);
}

// Serves what the room has; returns the status of the answer, and what follows it.
static takt_status serve(partner *p, takt_room *out, const char **text)
{
    takt_integrator_serve(p->integrator, turn, p);
    *out = room_of(p);
    assert_int_equal(takt_room_take_number(out, 0, TAKT_N_TALKS), TAKT_TALK_DONE);
    takt_status st = (takt_status)takt_room_take_number(out, 0, TAKT_ERR_CRASH);
    *text = takt_room_take_text(out);
    return st;
}

static takt_status create(partner *p, int64_t method, int64_t n, double relative)
{
    const char *text;
    takt_room room = begin(p, TAKT_TALK_CREATE), out;
    takt_room_put_number(&room, method);
    takt_room_put_number(&room, n);
    takt_room_put_number(&room, 0);
    takt_room_put_number(&room, 0);
    takt_room_put_real(&room, relative);
    return serve(p, &out, &text);
}

static takt_status restart(partner *p, double t, double x, double absolute)
{
    const char *text;
    takt_room room = begin(p, TAKT_TALK_RESTART), out;
    takt_room_put_real(&room, t);
    takt_room_put_real(&room, x);
    takt_room_put_real(&room, absolute);
    return serve(p, &out, &text);
}

static takt_status step(partner *p, double t_end, double *t, double *x, const char **text)
{
    takt_room room = begin(p, TAKT_TALK_STEP), out;
    takt_room_put_real(&room, t_end);
    takt_status st = serve(p, &out, text);
    if (!st) *t = takt_room_take_real(&out);
    if (!st) *x = takt_room_take_real(&out);
    if (!st) assert_false(out.failed);
    return st;
}

static void equations_elsewhere_are_integrated(void **unused)
{
    (void)unused;
    partner p;
    const char *text;
    open_both(&p);
    for (int method = TAKT_CVODE_BDF; method <= TAKT_CVODE_ADAMS; method++) {
        double t = 0, x = 0;
        assert_int_equal(create(&p, method, 1, 1e-8), TAKT_OK);
        assert_int_equal(restart(&p, 0, 1, 1e-10), TAKT_OK);
        for (int i = 0; i < 10000 && t < 1; i++)
            assert_int_equal(step(&p, 1, &t, &x, &text), TAKT_OK);
        assert_true(t == 1);
        assert_near(x, exp(-1), 1e-6);
    }
    begin(&p, TAKT_TALK_DESTROY);
    takt_room out;
    assert_int_equal(serve(&p, &out, &text), TAKT_OK);
    close_both(&p);
}

static void nonsense_is_refused(void **unused)
{
    (void)unused;
    static const struct {
        int64_t method, n;
        double relative;
    } bad[] = {{-1, 1, 1e-6},
               {TAKT_N_ODE_METHODS, 1, 1e-6},
               {TAKT_RK4, 1, 1e-6},
               {TAKT_CVODE_BDF, 0, 1e-6},
               {0, INT64_MAX, 1e-6},
               {0, 2801, 1e-6},
               {0, 1, 0},
               {0, 1, NAN},
               {0, 1, INFINITY}};
    partner p;
    double t, x;
    const char *text;
    open_both(&p);
    for (int64_t what = -1; what <= TAKT_N_TALKS + 1; what++) {
        takt_room out;
        begin(&p, what);
        takt_status st = serve(&p, &out, &text);
        assert_true((st == TAKT_OK) == (what == TAKT_TALK_DESTROY));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_true(create(&p, bad[i].method, bad[i].n, bad[i].relative));
        assert_true(restart(&p, 0, 1, 1e-10)); // there is nothing
        assert_true(step(&p, 1, &t, &x, &text));
    }
    assert_int_equal(create(&p, TAKT_CVODE_BDF, 1, 1e-6), TAKT_OK);
    assert_true(restart(&p, NAN, 1, 1e-10));
    assert_true(restart(&p, 0, 1, -1));
    assert_true(restart(&p, 0, 1, NAN));
    assert_int_equal(restart(&p, 0, 1, 1e-10), TAKT_OK);
    assert_true(step(&p, INFINITY, &t, &x, &text));
    assert_int_equal(p.n_turns, 0);
    close_both(&p);
}

static void wrong_values_end_the_step(void **unused)
{
    (void)unused;
    static const partner bad[] = {{.tells = TAKT_TALK_STEP, .n_values = 1},
                                  {.tells = TAKT_N_TALKS, .n_values = 1},
                                  {.tells = TAKT_TALK_VALUES, .status = 1000, .n_values = 1},
                                  {.tells = TAKT_TALK_VALUES, .value = NAN, .n_values = 1}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        partner p;
        double t, x;
        const char *text = NULL;
        open_both(&p);
        assert_int_equal(create(&p, TAKT_CVODE_BDF, 1, 1e-6), TAKT_OK);
        assert_int_equal(restart(&p, 0, 1, 1e-10), TAKT_OK);
        p.tells = bad[i].tells;
        p.status = bad[i].status;
        p.value = bad[i].value;
        takt_status st = TAKT_OK;
        for (int k = 0; k < 100 && !st; k++) st = step(&p, 1, &t, &x, &text);
        assert_true(st);
        assert_true(p.n_turns < 1000);
        close_both(&p);
    }
}

static void what_the_worker_says_is_passed_on(void **unused)
{
    (void)unused;
    partner p;
    double t, x;
    const char *text = NULL;
    open_both(&p);
    assert_int_equal(create(&p, TAKT_CVODE_BDF, 1, 1e-6), TAKT_OK);
    assert_int_equal(restart(&p, 0, 1, 1e-10), TAKT_OK);
    p.status = TAKT_ERR_SIMULATION;
    assert_int_equal(step(&p, 1, &t, &x, &text), TAKT_ERR_SIMULATION);
    assert_string_equal(text, "no?way");
    p.status = TAKT_OK;
    p.is_gone = true; // nobody is asked again, or told anything
    int n = p.n_turns;
    takt_room room = begin(&p, TAKT_TALK_STEP);
    takt_room_put_real(&room, 1);
    takt_integrator_serve(p.integrator, turn, &p);
    assert_int_equal(p.n_turns, n + 1);
    takt_room out = room_of(&p);
    assert_int_equal(takt_room_take_number(&out, 0, TAKT_N_TALKS), TAKT_TALK_VALUES);
    close_both(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equations_elsewhere_are_integrated),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(wrong_values_end_the_step),
        cmocka_unit_test(what_the_worker_says_is_passed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

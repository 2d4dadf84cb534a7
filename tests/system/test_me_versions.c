// SPDX-License-Identifier: MIT
// FMUs for model exchange of all versions, written with the kit, in whole runs: what they compute, their events, how
// they fail, and that they can be rewound.
#include <math.h>

#include "support/results.h"
#include "support/ssd.h"

// What the names of the FMUs end in.
static const char *const versions[] = {"_fmi1me", "", "_fmi3"};
enum { N_VERSIONS = sizeof versions / sizeof *versions };

static void path_of(char path[600], const char *name, const char *suffix)
{
    snprintf(path, 600, TEST_FMUS "/%s%s.fmu", name, suffix);
}

// Runs a single FMU for model exchange with up to four more words, and reads its results.
static void run_me(test_sandbox *box, const char *name, const char *suffix,
                   const char *const words[4], test_results *r)
{
    char path[600];
    path_of(path, name, suffix);
    test_run(box, "run", path, "--interface", "me", "--quiet", "-o", "r.csv",
             words[0] ? words[0] : NULL, words[1], words[2], words[3], NULL);
    assert_exit(box, 0);
    test_results_read(r, box, "r.csv");
}

static double value_of(const test_results *r, int row, const char *name, const char *suffix,
                       const char *variable)
{
    char column[100];
    snprintf(column, sizeof column, "%s%s.%s", name, suffix, variable);
    return test_result(r, row, column);
}

// ---- events ----------------------------------------------------------------------------------------

// Between two bounces v = v_k - g (t - t_k), which tells t_k. Analytic: t_0 = sqrt(2 h / g), then 2 v_k / g each.
static double worst_bounce_time(const test_results *r, const char *suffix)
{
    const double g = 9.81, e = 0.7;
    double t = sqrt(2 / g), v = sqrt(2 * g), worst = 0;
    int row = 0, n_seen = 0;
    for (int k = 0; k < 9; k++) {
        v *= e;
        double t_next = t + 2 * v / g;
        while (row < r->n_rows && test_result_time(r, row) < t + 0.002) row++;
        if (row < r->n_rows && test_result_time(r, row) < t_next - 0.002) {
            double at = test_result_time(r, row) - (v - value_of(r, row, "Ball", suffix, "v")) / g;
            worst = fmax(worst, fabs(at - t));
            n_seen++;
        }
        t = t_next;
    }
    assert_true(n_seen >= 8);
    return worst;
}

static void bounces_are_hit_to_1e_6_s_in_all_versions(void **state)
{
    test_sandbox *box = *state;
    for (int i = 0; i < N_VERSIONS; i++) {
        test_results r;
        run_me(box, "Ball", versions[i], (const char *[4]){"--step-size", "0.01"}, &r);
        assert_true(worst_bounce_time(&r, versions[i]) < 1e-6);
        assert_int_equal(value_of(&r, r.n_rows - 1, "Ball", versions[i], "bounces"), 11);
        test_results_clear(&r);
    }
}

// Bounces: v_0 = sqrt(2 g h), and 0.7 of it remains each time, until it is below v_min.
static int count_bounces(double v_min)
{
    double v = sqrt(2 * 9.81);
    for (int n = 1;; n++)
        if ((v *= 0.7) < v_min) return n;
}

static void the_shortest_bounce_keeps_the_ball_above_the_floor(void **state)
{
    static const char *const ways[][2] = {
        {"me", "cvode-bdf"}, {"me", "cvode-adams"}, {"me", "rk4"}, {"cs", "rk4"}};
    static const char *const tolerances[] = {"1e-3", "1e-6", "1e-9"};
    static const char *const v_min[] = {"1e-2", "1e-4", "1e-6"};
    test_sandbox *box = *state;
    for (int i = 0; i < 4 * 3 * 3; i++) {
        test_results r;
        char set[40];
        snprintf(set, sizeof set, "Ball.v_min=%s", v_min[i % 3]);
        test_run(box, "run", TEST_FMUS "/Ball.fmu", "--interface", ways[i / 9][0], "--solver",
                 ways[i / 9][1], "--solver-tolerance", tolerances[i / 3 % 3], "--tolerance",
                 tolerances[i / 3 % 3], "--set", set, "-q", "-o", "r.csv", NULL);
        assert_exit(box, 0);
        test_results_read(&r, box, "r.csv");
        assert_true(test_result(&r, r.n_rows - 1, "Ball.h") == 0);
        assert_near(test_result(&r, r.n_rows - 1, "Ball.bounces"),
                    count_bounces(atof(v_min[i % 3])),
                    1); // the last velocity may be nearly v_min
        test_results_clear(&r);
    }
}

static void a_ball_that_never_comes_to_rest_is_a_failure(void **state)
{
    static const char *const ways[][2] = {
        {"me", "cvode-bdf"}, {"me", "cvode-adams"}, {"me", "rk4"}, {"cs", "rk4"}};
    test_sandbox *box = *state;
    for (int i = 0; i < 4; i++) {
        test_run(box, "run", TEST_FMUS "/Ball.fmu", "--interface", ways[i][0], "--solver",
                 ways[i][1], "--set", "Ball.v_min=0", "-q", "-o", "r.csv", NULL);
        assert_exit(box, 1);
        assert_contains(box->err, "events");
    }
}

// The circuit with ideal diodes, with steps of 1e-6 s: how often a pair is switched.
static int count_switches(double stop)
{
    const double h = 1e-6, V = 325, f = 50, R = 0.51, L = 1e-3, C = 1e-3, load = 100;
    double i = 0, v = 300;
    int sign = 0, n = 0; // sign: which pair conducts
    for (long k = 0; k < lround(stop / h); k++) {
        double source = V * sin(2 * acos(-1) * f * (double)k * h);
        if (sign == 0 && fabs(source) > v) {
            sign = source > 0 ? 1 : -1;
            i = 0;
            n++;
        }
        if (sign != 0) i += h * (sign * source - R * i - v) / L;
        if (sign != 0 && i < 0) {
            sign = 0;
            i = 0;
            n++;
        }
        v += h * (i - v / load) / C;
    }
    return n;
}

static void a_stiff_rectifier_loses_none_of_1000_events(void **state)
{
    test_sandbox *box = *state;
    int n = count_switches(5.1);
    assert_true(n >= 1000);
    for (int i = 0; i < N_VERSIONS; i++) {
        test_results r;
        run_me(box, "Rectifier", versions[i], (const char *[4]){"--step-size", "0.001"}, &r);
        assert_int_equal(value_of(&r, r.n_rows - 1, "Rectifier", versions[i], "switches"), n);
        test_results_clear(&r);
    }
}

// As it is, for co-simulation: the kit's implicit integrator finds them, too.
static void the_rectifier_finds_its_events_by_itself(void **state)
{
    test_sandbox *box = *state;
    test_results r;
    test_run(box, "run", TEST_FMUS "/Rectifier.fmu", "-q", "--strict", "-o", "r.csv", NULL);
    assert_exit(box, 0);
    test_results_read(&r, box, "r.csv");
    assert_int_equal(test_result(&r, r.n_rows - 1, "Rectifier.switches"), count_switches(5.1));
    test_results_clear(&r);
}

static void fmus_without_states_hit_their_time_events(void **state)
{
    test_sandbox *box = *state;
    for (int i = 0; i < N_VERSIONS; i++) {
        test_results r;
        run_me(box, "Stairs", versions[i], (const char *[4]){"--step-size", "0.3"}, &r);
        for (int row = 0; row < r.n_rows; row++) {
            double t = test_result_time(&r, row), n = floor(t + 1e-9);
            if (row + 1 < r.n_rows && test_result_time(&r, row + 1) == t) n--; // before the event
            assert_int_equal(value_of(&r, row, "Stairs", versions[i], "n"), n);
            assert_true(value_of(&r, row, "Stairs", versions[i], "t_last") == n); // exactly
        }
        assert_int_equal(value_of(&r, r.n_rows - 1, "Stairs", versions[i], "n"), 10);
        test_results_clear(&r);
    }
}

// The table jumps between two steps: x grows while the relay is on.
static void events_that_inputs_cause_are_the_same_in_both_interfaces(void **state)
{
    static const char *const interfaces[] = {"me", "cs"};
    static const char *const names[] = {"_fmi1", "", "_fmi3"};
    test_sandbox *box = *state;
    test_write_text(box, "u.csv", "time,u\n0,0\n0.35,0\n0.35,1\n0.65,1\n0.65,0\n1,0\n");
    for (int i = 0; i < 6; i++) {
        test_results r;
        char path[600];
        const char *suffix = i == 0 ? "_fmi1me" : names[i % 3]; // FMI 1.0 has one interface per FMU
        path_of(path, "Relay", suffix);
        test_run(box, "run", path, "--interface", interfaces[i / 3], "--input-file", "u.csv",
                 "--step-size", "0.1", "-q", "-o", "r.csv", NULL);
        assert_exit(box, 0);
        test_results_read(&r, box, "r.csv");
        assert_near(value_of(&r, r.n_rows - 1, "Relay", suffix, "x"), 0.3, 1e-9);
        assert_int_equal(value_of(&r, r.n_rows - 1, "Relay", suffix, "switches"), 2);
        test_results_clear(&r);
    }
}

static void a_relay_switches_when_its_partner_does(void **state)
{
    test_sandbox *box = *state;
    for (int i = 0; i < 4; i++) {
        test_results r;
        test_ssd ssd = {0};
        const char *settings = i / 2 ? "" : "interface='me'";
        test_ssd_component(&ssd, "stairs", "Stairs", "out:n:Integer");
        test_ssd_component(&ssd, "relay", i % 2 ? "Relay_fmi3" : "Relay", "in:u out:x");
        test_ssd_connect(&ssd, "stairs.n", "relay.u");
        test_ssd_write(&ssd, box, "s.ssd", 0, 3, settings);
        test_run(box, "run", "s.ssd", "--step-size", "0.25", "--algorithm", "jacobi", "-q", "-o",
                 "r.csv", NULL);
        assert_exit(box, 0);
        test_results_read(&r, box, "r.csv");
        assert_near(test_result(&r, r.n_rows - 1, "relay.x"), 2, 1e-9);
        test_results_clear(&r);
    }
}

// n = floor(t) by time events, x' = 1 while n > 0.75: exact only if the time events, which lie between the points of the
// grid, are communication points for both.
static void time_events_are_communication_points_for_partners(void **state)
{
    static const char *const algorithms[] = {"jacobi", "seidel"};
    static const char *const controls[] = {"fixed", "richardson"};
    test_sandbox *box = *state;
    for (int i = 0; i < 2 * 2 * N_VERSIONS; i++) {
        if (i / 4 == 0 && i % 2) continue; // FMI 1.0: nobody can rewind discrete states
        test_results r;
        test_ssd ssd = {0};
        char stairs[40];
        snprintf(stairs, sizeof stairs, "Stairs%s", versions[i / 4]);
        test_ssd_component(&ssd, "stairs", stairs, "out:n:Integer");
        test_ssd_component(&ssd, "relay", "Relay", "in:u out:x");
        test_ssd_connect(&ssd, "stairs.n", "relay.u");
        test_ssd_write(&ssd, box, "s.ssd", 0, 3, "interface='me'");
        test_run(box, "run", "s.ssd", "--step-size", "0.3", "--step-control", controls[i % 2],
                 "--algorithm", algorithms[i / 2 % 2], "-q", "-o", "r.csv", NULL);
        assert_exit(box, 0);
        test_results_read(&r, box, "r.csv");
        assert_near(test_result(&r, r.n_rows - 1, "relay.x"), 2, 1e-12);
        assert_int_equal(test_result(&r, r.n_rows - 1, "stairs.n"), 3);
        test_results_clear(&r);
    }
}

// ---- what is odd -------------------------------------------------------------------------------------

enum {
    NOTHING,
    NOT_A_NUMBER,
    FAILS,
    DISCARDS,
    NEVER_RESTS,
    SAME_TIME,
    CHATTERS,
    ENDS,
    STEP_EVENTS,
    CLOCKWORK,
    HANGS,
    FIRST_AT_START,
    ALWAYS_AT_ONCE
}; // as in Oddities.c

// Without --interface: the FMU offers nothing else.
static void run_odd(test_sandbox *box, const char *suffix, int mode, const char *solver)
{
    char path[600], set[100];
    path_of(path, "Oddities", suffix);
    snprintf(set, sizeof set, "Oddities%s.mode=%d", suffix, mode);
    test_run(box, "run", path, "--set", set, "--step-size", "0.1", "--solver", solver, "--quiet",
             "-o", "r.csv", NULL);
}

static void events_of_all_kinds_are_handled(void **state)
{
    static const struct {
        int mode, n_events;
        double last;
    } cases[] = {{NOTHING, 2, 0.5}, {STEP_EVENTS, 2, 0.5}, {CLOCKWORK, 11, 1}};
    test_sandbox *box = *state;
    for (int i = 0; i < N_VERSIONS; i++)
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            test_results r;
            run_odd(box, versions[i], cases[k].mode, "cvode-bdf");
            assert_exit(box, 0);
            test_results_read(&r, box, "r.csv");
            int last = r.n_rows - 1;
            assert_near(value_of(&r, last, "Oddities", versions[i], "x"), exp(-1), 2e-5);
            assert_int_equal(value_of(&r, last, "Oddities", versions[i], "events"),
                             cases[k].n_events);
            double t = value_of(&r, last, "Oddities", versions[i], "last_event");
            // After a step of the integrator only the integrator knows where it ended.
            assert_true(t >= cases[k].last && t < cases[k].last + 0.05);
            if (cases[k].mode == CLOCKWORK) assert_true(t == 1);
            test_results_clear(&r);
        }
}

// Demanded at the time of the present event, again and again (some FMUs of FMI 1.0 do): alone and coupled, and rewound.
static void events_that_are_not_later_wait_for_the_end_of_the_step(void **state)
{
    static const struct {
        int mode;
        const char *warning; // NULL: none
    } cases[] = {{FIRST_AT_START, NULL},
                 {SAME_TIME, "demands its next event at t=0.5 s again and again"},
                 {ALWAYS_AT_ONCE, "demands its next event at t=0 s again and again"}};
    test_sandbox *box = *state;
    for (int i = 0; i < 2 * N_VERSIONS; i++)
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            const char *version = versions[i / 2];
            char fmu[40], set[40];
            test_results r;
            test_ssd ssd = {0};
            snprintf(fmu, sizeof fmu, "Oddities%s", version);
            snprintf(set, sizeof set, "odd.mode=%d", cases[k].mode);
            test_ssd_component(&ssd, "odd", fmu,
                               "out:x out:last_event out:events:Integer parameter:mode:Integer");
            if (i % 2) test_ssd_component(&ssd, "lag", "Lag", "in:u out:x");
            if (i % 2) test_ssd_connect(&ssd, "odd.x", "lag.u");
            test_ssd_write(&ssd, box, "s.ssd", 0, 1, "interface='me'");
            test_run(box, "run", "s.ssd", "--set", set, "--step-size", "0.1", "-q", "-o", "r.csv",
                     NULL);
            assert_exit(box, 0);
            test_results_read(&r, box, "r.csv");
            assert_near(test_result(&r, r.n_rows - 1, "odd.x"), exp(-1), 2e-5);
            if (cases[k].warning) {
                assert_contains(box->err, cases[k].warning);
                assert_true(test_result(&r, r.n_rows - 1, "odd.last_event") >= 0.9);
            } else {
                assert_string_equal(box->err, "");
                assert_near(test_result(&r, r.n_rows - 1, "odd.last_event"), 1, 1e-9);
            }
            test_results_clear(&r);
        }
}

static void the_fmu_can_end_the_simulation(void **state)
{
    test_sandbox *box = *state;
    for (int i = 0; i < N_VERSIONS; i++) {
        run_odd(box, versions[i], ENDS, "cvode-bdf");
        assert_exit(box, 0);
        assert_contains(box->err, "ended the simulation at t=0.5 s");
    }
}

static void failures_tell_instance_time_and_reason_with_every_solver(void **state)
{
    static const char *const solvers[] = {"cvode-bdf", "cvode-adams", "euler", "rk4"};
    static const struct {
        int mode;
        const char *message;
    } cases[] = {
        {NOT_A_NUMBER, ": the derivative of continuous state 1 of 1 is nan at t=0.5"},
        {FAILS, " failed (status error); the FMU says: "},
        {DISCARDS, ": the FMU finds its states impossible (discard) at t=0.5"},
        {CHATTERS, ": the model chatters between discrete states; event indicator 1 of 1 is "
                   "nearest to 0"},
    };
    test_sandbox *box = *state;
    for (int i = 0; i < N_VERSIONS; i++)
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
            for (size_t s = 0; s < sizeof solvers / sizeof *solvers; s++) {
                if (s > 0 && *versions[i]) continue; // solvers do not know versions
                char instance[100];
                snprintf(instance, sizeof instance, "takt: error: instance 'Oddities%s' ",
                         versions[i]);
                run_odd(box, versions[i], cases[k].mode, solvers[s]);
                assert_exit(box, 1);
                assert_contains(box->err, instance);
                assert_contains(box->err, cases[k].message);
            }
}

// FMI 1.0 leaves the repetition to the FMU, which says so itself.
static void discrete_states_that_never_rest_are_given_up(void **state)
{
    test_sandbox *box = *state;
    run_odd(box, "", NEVER_RESTS, "cvode-bdf");
    assert_one_error(box, 1,
                     "the discrete states do not come to rest after 1000 updates at t=0.5 s");
    run_odd(box, "_fmi3", NEVER_RESTS, "cvode-bdf");
    assert_one_error(box, 1,
                     "the discrete states do not come to rest after 1000 updates at t=0.5 s");
    run_odd(box, "_fmi1me", NEVER_RESTS, "cvode-bdf");
    assert_exit(box, 1);
    assert_contains(box->err, "the event at time 0.5 does not end after 1000 changes");
}

// ---- solvers -----------------------------------------------------------------------------------------

static void write_populations(test_sandbox *box, const char *prey, const char *predator,
                              const char *settings)
{
    test_ssd ssd = {0};
    char a[100], b[100];
    snprintf(a, sizeof a, "Prey%s", prey);
    snprintf(b, sizeof b, "Predator%s", predator);
    test_ssd_component(&ssd, "prey", a, "in:y out:x");
    test_ssd_component(&ssd, "predator", b, "in:x out:y");
    test_ssd_connect(&ssd, "prey.x", "predator.x");
    test_ssd_connect(&ssd, "predator.y", "prey.y");
    test_ssd_write(&ssd, box, "lv.ssd", 0, 10, settings);
}

static double prey_at_end(test_sandbox *box)
{
    test_results r;
    assert_exit(box, 0);
    test_results_read(&r, box, "r.csv");
    double x = test_result(&r, r.n_rows - 1, "prey.x");
    test_results_clear(&r);
    return x;
}

static void every_component_may_have_its_own_solver(void **state)
{
    test_sandbox *box = *state;
    write_populations(box, "", "_fmi3", "interface='me' solver='rk4' solver-step='0.01'");
    test_run(box, "run", "lv.ssd", "--step-size", "0.1", "-q", "-o", "r.csv", NULL);
    double fine = prey_at_end(box);
    // A large step of one component changes the result, one of none does not.
    test_run(box, "run", "lv.ssd", "--step-size", "0.1", "-q", "-o", "r.csv", "--solver",
             "prey=euler", "--solver-step", "prey=0.1", "--solver-step", "0.01", NULL);
    double coarse = prey_at_end(box);
    assert_true(fabs(coarse - fine) > 1e-3 && fabs(coarse - fine) < 1);
    test_run(box, "run", "lv.ssd", "--step-size", "0.1", "-q", "-o", "r.csv", "--solver",
             "prey=cvode-adams", "--solver-tolerance", "prey=1e-10", NULL);
    assert_near(prey_at_end(box), fine, 1e-7);
    write_populations(box, "", "_fmi3",
                      "interface='me' solver='prey=euler' solver-step='prey=0.1'");
    test_run(box, "run", "lv.ssd", "--step-size", "0.1", "-q", "-o", "r.csv", "--solver-tolerance",
             "1e-10", NULL);
    assert_near(prey_at_end(box), coarse, 1e-6);
}

static void solvers_of_unknown_components_are_refused(void **state)
{
    test_sandbox *box = *state;
    write_populations(box, "", "", "interface='me'");
    test_run(box, "run", "lv.ssd", "--step-size", "0.1", "--solver", "pray=rk4", NULL);
    assert_exit(box, 2);
    assert_contains(box->err, "there is no component 'pray'; did you mean 'prey'?");
    test_run(box, "run", "lv.ssd", "--solver", "prey=rk5", NULL);
    assert_exit(box, 2);
    assert_contains(box->err, "solver: 'rk5' is not possible; choose cvode-bdf, cvode-adams, euler "
                              "or rk4");
    test_run(box, "run", "lv.ssd", "--solver-tolerance", "=1", NULL);
    assert_exit(box, 2);
    assert_contains(box->err, "'=1' names no component");
    test_run(box, "run", "lv.ssd", "--solver-step", "prey=0", NULL);
    assert_exit(box, 2);
    assert_contains(box->err, "'0' is not allowed; it must be greater than 0");
}

// The rod has 20 states. FMI 1.0 does not say what depends on what, so each Jacobian takes 20 evaluations, else 3.
static void known_structure_saves_evaluations(void **state)
{
    test_sandbox *box = *state;
    double evaluations[N_VERSIONS];
    test_write_text(box, "left.csv", "time,left\n0,1\n0.5,2\n1,0\n");
    for (int i = 0; i < N_VERSIONS; i++) {
        test_results r;
        run_me(box, "Chain", versions[i],
               (const char *[4]){"--input-file", "left.csv", "--step-size", "0.01"}, &r);
        int last = r.n_rows - 1;
        evaluations[i] = value_of(&r, last, "Chain", versions[i], "evaluations");
        assert_near(value_of(&r, last - 50, "Chain", versions[i], "x1"), 2 * 20 / 21., 0.05);
        test_results_clear(&r);
    }
    assert_true(evaluations[0] - evaluations[1] > 100 * 10); // of 17 per step
    assert_true(evaluations[1] == evaluations[2]);
}

static void arrays_may_be_states(void **state)
{
    static const char *const interfaces[] = {"me", "cs"};
    test_sandbox *box = *state;
    for (int k = 0; k < 2; k++) {
        test_results r;
        test_run(box, "run", TEST_FMUS "/Decay_fmi3.fmu", "--interface", interfaces[k], "--quiet",
                 "--solver-tolerance", "1e-8", "--tolerance", "1e-8", "-o", "r.csv", NULL);
        assert_exit(box, 0);
        test_results_read(&r, box, "r.csv");
        for (int i = 1; i <= 3; i++) {
            char column[40];
            snprintf(column, sizeof column, "Decay_fmi3.x[%d]", i);
            assert_near(test_result(&r, r.n_rows - 1, column), exp(-i), 1e-6);
        }
        test_results_clear(&r);
    }
}

// ---- rewinding ---------------------------------------------------------------------------------------

static char *results_of(test_sandbox *box, const char *prey, const char *predator,
                        const char *const way[3])
{
    write_populations(box, prey, predator, "interface='me'");
    test_run(box, "run", "lv.ssd", "--step-size", "0.1", "--algorithm", way[0], "--step-control",
             way[1], "--solver", way[2], "--log-level", "info", "-o", "r.csv", NULL);
    assert_exit(box, 0);
    return test_read_file(box, "r.csv", NULL);
}

// FMI 1.0 cannot save a state: continuous states and inputs stand for it, and the log says so. A repeated step must
// not know the difference. (With cvode-bdf Jacobians would differ: only later versions have derivatives.)
static void states_and_inputs_stand_for_a_saved_state(void **state)
{
    static const char *const ways[][3] = {{"fixed-point", "fixed", "rk4"},
                                          {"seidel", "richardson", "cvode-adams"},
                                          {"fixed-point", "richardson", "rk4"}};
    static const char line[] = "cannot save its state; it is rewound by its continuous states and "
                               "inputs";
    test_sandbox *box = *state;
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        char *saved = results_of(box, "", "_fmi3", ways[k]);
        assert_null(strstr(box->err, line));
        char *stood = results_of(box, "_fmi1me", "_fmi1me", ways[k]);
        assert_contains(box->err, line);
        assert_string_equal(saved, stood);
        free(saved);
        free(stood);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(bounces_are_hit_to_1e_6_s_in_all_versions),
        test_in_sandbox(the_shortest_bounce_keeps_the_ball_above_the_floor),
        test_in_sandbox(a_ball_that_never_comes_to_rest_is_a_failure),
        test_in_sandbox(a_stiff_rectifier_loses_none_of_1000_events),
        test_in_sandbox(the_rectifier_finds_its_events_by_itself),
        test_in_sandbox(fmus_without_states_hit_their_time_events),
        test_in_sandbox(events_that_inputs_cause_are_the_same_in_both_interfaces),
        test_in_sandbox(a_relay_switches_when_its_partner_does),
        test_in_sandbox(time_events_are_communication_points_for_partners),
        test_in_sandbox(events_of_all_kinds_are_handled),
        test_in_sandbox(events_that_are_not_later_wait_for_the_end_of_the_step),
        test_in_sandbox(the_fmu_can_end_the_simulation),
        test_in_sandbox(failures_tell_instance_time_and_reason_with_every_solver),
        test_in_sandbox(discrete_states_that_never_rest_are_given_up),
        test_in_sandbox(every_component_may_have_its_own_solver),
        test_in_sandbox(solvers_of_unknown_components_are_refused),
        test_in_sandbox(known_structure_saves_evaluations),
        test_in_sandbox(arrays_may_be_states),
        test_in_sandbox(states_and_inputs_stand_for_a_saved_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
// `takt check --run`: FMUs are tried in processes of their own; what they do wrong is told, and the caller outlives it.
#include <jansson.h>

#include "support/hostile.h"
#include "support/ssd.h"

#ifdef __SANITIZE_ADDRESS__ // whose own memory is beyond any limit
#define LIMIT "--memory-limit=0"
#else
#define LIMIT "--memory-limit=300MB"
#endif
#define test_try(box, ...) test_run(box, "check", "--run", LIMIT, __VA_ARGS__)

static void good_fmus_do_what_they_say(void **state)
{
    test_sandbox *box = *state;
    static const char *const names[] = {"Ball",        "Ball_fmi1",       "Ball_fmi3",
                                        "Types3_fmi3", "ClockTimer_fmi3", "Resources"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int me = 0; me < 2; me++) {
            char path[2 * TEST_PATH_SIZE];
            snprintf(path, sizeof path, "%s/%s.fmu", TEST_FMUS, names[i]);
            test_try(box, path, me ? "--interface=me" : "--interface=cs", NULL);
            assert_exit(box, 0);
            assert_int_equal(test_count(box->err, "error: "), 0);
            assert_contains(box->out, ": repetition: the same values\n");
            assert_contains(box->out, ": end: ok\n");
            if (i == 0 || i == 2) {
                assert_contains(box->out, ": rewinding: the same values again\n");
                assert_contains(box->out, ": serialised state: another instance goes on with");
            }
        }
}

// Systems are tried as a whole.
static void coupled_fmus_can_be_tried(void **state)
{
    test_sandbox *box = *state;
    test_link(box, "fmus", TEST_FMUS);
    test_ssd_copy(box, TAKT_EXAMPLES "/math003/math003.ssd", "project.ssd");
    test_try(box, "project.ssd", NULL);
    assert_exit(box, 0);
    assert_contains(box->out, ": repetition: the same values\n");
}

static void what_fmus_do_wrong_is_told_without_harm(void **state)
{
    test_sandbox *box = *state;
    static const struct {
        const char *guid, *says;
        int code;
    } cases[] = {
        {"segfault instantiate", "trial, instantiation: component 'Engine' (Engine.fmu): crashed",
         4},
        {"segfault initialize", "trial, initialization: component 'Engine' (Engine.fmu): crashed",
         4},
        {"segfault step", "trial, steps: component 'Engine' (Engine.fmu): crashed with SIGSEGV", 4},
        {"segfault get", "crashed with SIGSEGV in fmi2GetReal", 4},
        {"segfault terminate", "trial, end: component 'Engine' (Engine.fmu): crashed", 4},
        {"segfault free", "trial, end: component 'Engine' (Engine.fmu): crashed", 4},
        {"segfault logger", "crashed with SIGSEGV in fmi2DoStep", 4},
        {"overflow step", "crashed with SIGSEGV (stack overflow)", 4},
        {"abort step", "crashed with SIGABRT in fmi2DoStep", 4},
        {"throw step", "crashed with SIGABRT in fmi2DoStep", 4},
        {"kill step", "crashed with SIGKILL", 4},
        {"exit0 step", "ended the program by exit(0) in fmi2DoStep", 4},
        {"exit7 step", "ended the program by exit(7) in fmi2DoStep", 4},
        {"thread step", "crashed with SIGSEGV in a thread of its own", 4},
        {"loop step", "trial, steps: instance 'Engine' at t=0.4 s: fmi2DoStep has not returned", 5},
        {"deadlock step", "fmi2DoStep has not returned", 5},
        {"clock get", "trial, repetition: in a second run: Engine.y", 1},
#ifndef __SANITIZE_ADDRESS__
        {"heap step", "crashed with SIGABRT in fmi2DoStep", 4},
        {"memory step", "crashed with SIGABRT in fmi2DoStep", 4},
#endif
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_hostile_fmu(box, TEST_HOSTILE, "Engine.fmu", cases[i].guid);
        test_try(box, "Engine.fmu", "--step-size", "0.1", "--stop-time", "1", "--timeout",
                 cases[i].code == 5 ? "0.5" : "60", NULL);
        assert_one_error(box, cases[i].code, cases[i].says);
        assert_contains(box->out, "Engine.fmu: 1 error");
    }
}

// What an isolated FMU may do, or is refused: warnings at most.
static void what_does_no_harm_is_no_error(void **state)
{
    test_sandbox *box = *state;
    static const char *const cases[][2] = {
        {"folder always", ""},
        {"locale always", ""},
        {"mask always", ""},
        {"handlers always", ""},
        {"close always", ""},
        {"round always", "changes how numbers are rounded"},
        {"read step", "sandbox refused FMU Engine.fmu /etc/passwd"},
        {"network step", "sandbox refused FMU Engine.fmu the network"},
        {"fork step", "sandbox refused FMU Engine.fmu starting another program"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_hostile_fmu(box, TEST_HOSTILE, "Engine.fmu", cases[i][0]);
        test_try(box, "Engine.fmu", "--step-size", "0.1", "--stop-time", "1", NULL);
        assert_exit(box, 0);
        if (cases[i][1][0]) assert_contains(box->err, cases[i][1]);
    }
}

static void state_that_is_not_complete_is_found(void **state)
{
    test_sandbox *box = *state;
    test_try(box, TEST_FMUS "/Forgetful.fmu", "--step-size", "0.1", NULL);
    assert_one_error(box, 1,
                     "trial, rewinding: after going back to a saved state: Forgetful.count at "
                     "t=0.5 s is another one than the first time");
}

// All files are tried; the first failure decides on the exit code. What FMUs print does not come between.
static void several_files_give_one_list(void **state)
{
    test_sandbox *box = *state;
    test_hostile_fmu(box, TEST_HOSTILE, "Engine.fmu", "exit0 step");
    test_try(box, "--json", TEST_FMUS "/Misbehave.fmu", "Engine.fmu", TEST_FMUS "/Ball.fmu",
             "--set", "what=12", "--step-size", "0.1", "--stop-time", "1", NULL);
    json_t *list = json_loads(box->out, 0, NULL);
    assert_non_null(list);
    json_decref(list);
    assert_int_equal(box->exit_code, 2); // Engine has no variable `what`
    test_try(box, "--json", TEST_FMUS "/Misbehave.fmu", "--set", "what=12", NULL);
    assert_exit(box, 0);
    list = json_loads(box->out, 0, NULL);
    assert_true(json_array_size(list) >= 5);
    json_decref(list);
    test_try(box, "Engine.fmu", TEST_FMUS "/Ball.fmu", "--step-size", "0.1", "--stop-time", "1",
             NULL);
    assert_exit(box, 4);
    assert_contains(box->out, "Engine.fmu: 1 error");
    assert_contains(box->out, "/Ball.fmu: ok\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(good_fmus_do_what_they_say),
        test_in_sandbox(coupled_fmus_can_be_tried),
        test_in_sandbox(what_fmus_do_wrong_is_told_without_harm),
        test_in_sandbox(what_does_no_harm_is_no_error),
        test_in_sandbox(state_that_is_not_complete_is_found),
        test_in_sandbox(several_files_give_one_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

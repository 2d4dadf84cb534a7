// SPDX-License-Identifier: MIT
// FMUs of every version and interface that crash, end the program or change what belongs to all, in every kind of
// call: good FMUs behind a library that meddles with their calls (meddler.c). See test_crashes.c for all ways to crash.
#include "support/archive.h"
#include "support/results.h"

// A good FMU of the build, how it is run, and its platform's name.
typedef struct subject {
    const char *fmu, *library, *platform, *option;
} subject;

static const subject cs1 = {"Lag_fmi1", "Lag", "linux64", "--interface=cs"};
static const subject me1 = {"Lag_fmi1me", "Lag", "linux64", "--interface=me"};
static const subject cs2 = {"Lag", "Lag", "linux64", "--interface=cs"};
static const subject me2 = {"Lag", "Lag", "linux64", "--interface=me"};
static const subject cs3 = {"Lag_fmi3", "Lag", "x86_64-linux", "--interface=cs"};
static const subject me3 = {"Lag_fmi3", "Lag", "x86_64-linux", "--interface=me"};
static const subject ball2 = {"Ball", "Ball", "linux64", "--interface=me"};
static const subject ball3 = {"Ball_fmi3", "Ball", "x86_64-linux", "--interface=me"};
static const subject thermostat = {"Thermostat_fmi3", "Thermostat", "x86_64-linux",
                                   "--interface=cs"};

// "segfault fmi2DoStep 5": at the fifth call.
static void run_meddled(test_sandbox *box, const subject *s, const char *order, bool is_isolated)
{
    enum { SIZE = 3 * TEST_PATH_SIZE };
    char xml[SIZE], real[SIZE], name[3][100], path[SIZE];
    snprintf(xml, sizeof xml, "%s.unpacked/%s/modelDescription.xml", TEST_FMUS, s->fmu);
    snprintf(real, sizeof real, "%s.unpacked/%s/binaries/%s/%s.so", TEST_FMUS, s->fmu, s->platform,
             s->library);
    snprintf(name[0], sizeof name[0], "binaries/%s/%s.so", s->platform, s->library);
    snprintf(name[1], sizeof name[1], "binaries/%s/real.so", s->platform);
    snprintf(name[2], sizeof name[2], "binaries/%s/meddle.txt", s->platform);
    snprintf(path, sizeof path, "%s/Lag.fmu", box->work);
    const test_entry entries[] = {{.name = name[0], .file = TEST_MEDDLER},
                                  {.name = name[1], .file = real},
                                  {.name = name[2], .data = order},
                                  {.name = "modelDescription.xml", .file = xml}};
    test_archive(path, entries, 4);
    test_run(box, "run", "Lag.fmu", "-q", "--step-size", "0.1", "--stop-time", "1", "-o", "r.csv",
             s->option, is_isolated ? "--isolate" : "--quiet", NULL);
}

// How often the function must have been called before, and how many rows there are then; 0: no results.
typedef struct meddling {
    const subject *subject;
    const char *function;
    int call, n_rows;
} meddling;

static const meddling places[] = {
    {&cs1, "fmiInstantiateSlave", 1, 0},
    {&cs1, "fmiInitializeSlave", 1, 0},
    {&cs1, "fmiGetReal", 5, 4},
    {&cs1, "fmiDoStep", 4, 4},
    {&cs1, "fmiFreeSlaveInstance", 1, 11},
    {&me1, "fmiInstantiateModel", 1, 0},
    {&me1, "fmiInitialize", 1, 0},
    {&me1, "fmiSetTime", 4, -1},
    {&me1, "fmiGetDerivatives", 9, -1},
    {&me1, "fmiSetContinuousStates", 9, -1},
    {&me1, "fmiCompletedIntegratorStep", 3, -1},
    {&me1, "fmiFreeModelInstance", 1, 11},
    {&cs2, "fmi2SetupExperiment", 1, 0},
    {&cs2, "fmi2ExitInitializationMode", 1, 0},
    {&cs2, "fmi2GetReal", 5, 4},
    {&me2, "fmi2Instantiate", 1, 0},
    {&me2, "fmi2EnterInitializationMode", 1, 0},
    {&me2, "fmi2NewDiscreteStates", 1, 0},
    {&me2, "fmi2EnterContinuousTimeMode", 1, 0},
    {&me2, "fmi2SetTime", 9, -1},
    {&me2, "fmi2GetDerivatives", 9, -1},
    {&me2, "fmi2SetContinuousStates", 9, -1},
    {&me2, "fmi2FreeInstance", 1, 11},
    {&ball2, "fmi2GetEventIndicators", 9, -1},
    {&ball2, "fmi2EnterEventMode", 1, -1},
    {&ball2, "fmi2NewDiscreteStates", 2, -1},
    {&cs3, "fmi3InstantiateCoSimulation", 1, 0},
    {&cs3, "fmi3EnterInitializationMode", 1, 0},
    {&cs3, "fmi3ExitInitializationMode", 1, 0},
    {&cs3, "fmi3GetFloat64", 5, 4},
    {&cs3, "fmi3DoStep", 4, 4},
    {&cs3, "fmi3Terminate", 1, 11},
    {&cs3, "fmi3FreeInstance", 1, 11},
    {&thermostat, "fmi3UpdateDiscreteStates", 2, -1},
    {&thermostat, "fmi3EnterEventMode", 1, -1},
    {&thermostat, "fmi3EnterStepMode", 2, -1},
    {&me3, "fmi3InstantiateModelExchange", 1, 0},
    {&me3, "fmi3UpdateDiscreteStates", 1, 0},
    {&me3, "fmi3SetTime", 9, -1},
    {&me3, "fmi3GetContinuousStateDerivatives", 9, -1},
    {&me3, "fmi3SetContinuousStates", 9, -1},
    {&me3, "fmi3FreeInstance", 1, 11},
    {&ball3, "fmi3GetEventIndicators", 9, -1},
    {&ball3, "fmi3EnterEventMode", 1, -1},
};
enum { N_PLACES = sizeof places / sizeof *places };

// Sanitizers make each of these runs slow, and have nothing to add to most of them.
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { STRIDE = 5 };
#else
enum { STRIDE = 1 };
#endif

// Complete rows up to the call, on their grid.
static void check_rows(test_sandbox *box, const meddling *m)
{
    if (m->n_rows == 0) return;
    test_results r;
    test_results_read(&r, box, "r.csv");
    if (m->n_rows > 0) assert_int_equal(r.n_rows, m->n_rows);
    assert_in_range(r.n_rows, 1, 12);
    for (int i = 0; i < r.n_rows && i < 11; i++)
        assert_near(test_result_time(&r, i), 0.1 * i, 1e-12);
    test_results_clear(&r);
}

static void check_meddling(test_sandbox *box, const meddling *m, const char *what, const char *says,
                           bool is_isolated)
{
    char order[200], piece[200];
    remove("r.csv");
    snprintf(order, sizeof order, "%s %s %d\n", what, m->function, m->call);
    run_meddled(box, m->subject, order, is_isolated);
    if (box->exit_code != 4) print_error("%s: %s\n", order, box->err);
    snprintf(piece, sizeof piece, "takt: error: component 'Lag' (Lag.fmu): %s ", says);
    assert_one_error(box, 4, piece);
    bool is_making = strstr(m->function, "Instantiate") != NULL;
    assert_contains(box->err, is_making ? "during its instantiation" : m->function);
    check_rows(box, m);
}

static void crashes_are_named_in_every_version_and_call(void **state)
{
    for (int i = 0; i < N_PLACES; i += STRIDE)
        check_meddling(*state, &places[i], "segfault", "crashed with SIGSEGV", false);
}

static void crashes_in_processes_of_their_own_are_named_too(void **state)
{
    for (int i = 0; i < N_PLACES; i += STRIDE)
        check_meddling(*state, &places[i], "segfault", "crashed with SIGSEGV", true);
}

static void ends_of_the_program_are_named_in_every_version_and_call(void **state)
{
    for (int i = STRIDE / 2; i < N_PLACES; i += STRIDE)
        check_meddling(*state, &places[i], "exit", "ended the program by exit(0)",
                       i / STRIDE % 2 == 1);
}

// A message that is no text crashes in our code, but it is the FMU's fault.
static void crashes_in_callbacks_are_those_of_the_fmu(void **state)
{
    static const meddling calls[] = {{&cs3, "fmi3DoStep", 4, 4},
                                     {&me3, "fmi3GetContinuousStateDerivatives", 9, -1}};
    for (int i = 0; i < 4; i++)
        check_meddling(*state, &calls[i / 2], "logger", "crashed with SIGSEGV", i % 2 == 1);
}

// The text of FMI 1.0 has pieces like those of printf(), and those that cannot be read are left out.
static void messages_of_fmi1_without_text_do_no_harm(void **state)
{
    test_sandbox *box = *state;
    run_meddled(box, &cs1, "logger fmiDoStep 4\n", false);
    assert_exit(box, 0);
    assert_contains(box->err, "warning: Lag: x: (no text)");
}

static void what_is_changed_in_any_version_is_put_back(void **state)
{
    test_sandbox *box = *state;
    static const struct {
        const subject *subject;
        const char *function;
    } calls[] = {{&cs1, "fmiDoStep"},
                 {&me1, "fmiGetDerivatives"},
                 {&ball2, "fmi2NewDiscreteStates"},
                 {&cs3, "fmi3DoStep"},
                 {&me3, "fmi3SetContinuousStates"}};
    static const char *const cases[][2] = {
        {"round", "changes how numbers are rounded"},
        {"trap", "changes which floating-point exceptions end the program"},
        {"locale", "changed the locale of the whole program"},
        {"own_locale", "changed the locale of the whole program"},
        {"umask", "changed the rights of new files (umask) of the whole program"},
        {"handlers", "changed how signals are handled"},
        {"mask", "changed which signals are blocked"},
        {"folder", "changed the working folder of the whole program"},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        run_meddled(box, calls[i].subject, "nothing fmiDoStep 0\n", false);
        assert_exit(box, 0);
        char *expected = test_read_file(box, "r.csv", NULL), order[200];
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            snprintf(order, sizeof order, "%s %s 0\n", cases[k][0], calls[i].function);
            run_meddled(box, calls[i].subject, order, false);
            if (box->exit_code || !strstr(box->err, cases[k][1]))
                print_error("%s%s\n", order, box->err);
            assert_exit(box, 0);
            assert_contains(box->err, cases[k][1]);
            // rounding and traps belong to both units of the processor that compute
            assert_in_range(test_count(box->err, "warning: "), 1, k < 2 ? 2 : 1);
            char *results = test_read_file(box, "r.csv", NULL);
            if (k > 0) assert_string_equal(results, expected); // the FMU itself rounds otherwise
            free(results);
        }
        free(expected);
    }
}

int main(void)
{
#if !defined(__x86_64__)
    return 0; // the meddler is made for this processor
#endif
    const struct CMUnitTest tests[] = {
        test_in_sandbox(crashes_are_named_in_every_version_and_call),
        test_in_sandbox(crashes_in_processes_of_their_own_are_named_too),
        test_in_sandbox(ends_of_the_program_are_named_in_every_version_and_call),
        test_in_sandbox(crashes_in_callbacks_are_those_of_the_fmu),
        test_in_sandbox(messages_of_fmi1_without_text_do_no_harm),
        test_in_sandbox(what_is_changed_in_any_version_is_put_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

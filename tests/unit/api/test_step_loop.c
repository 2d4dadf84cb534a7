// SPDX-License-Identifier: MIT
// What a step costs, with real FMUs: no allocation, and one FMI call per type of variable.
#include <math.h>

#include "support/memory.h"
#include "support/test.h"

#include "takt/takt.h"

typedef struct fixture {
    test_log log;
    takt_project *project;
    takt_system *system;
    takt_run *run;
    takt_error err;
} fixture;

#define OK(call)                                                                                   \
    do {                                                                                           \
        if (call) fail_msg("%s\n%s", f->err.message, f->log.text);                                 \
    } while (0)

static void open_run(fixture *f, const char *project, const char *const *settings)
{
    *f = (fixture){0};
    test_log_init(&f->log);
    OK(takt_project_open(project, f->log.log, &f->project, &f->err));
    for (; *settings; settings += 2)
        OK(takt_project_set(f->project, settings[0], settings[1], &f->err));
    OK(takt_system_create(f->project, &f->system, &f->err));
    OK(takt_run_create(f->system, &f->run, &f->err));
}

static void close_run(fixture *f)
{
    takt_run_destroy(f->run);
    takt_system_destroy(f->system);
    takt_project_close(f->project);
    test_log_clear(&f->log);
}

// Opens an example with the FMUs of this build, which need not be the ones its paths lead to.
static void open_example(fixture *f, const char *example, const char *const *settings)
{
    static const char written[] = "../../build/fmus";
    char path[512], text[16384], copy[] = "/tmp/takt_example_XXXXXX.ssd";
    snprintf(path, sizeof path, "%s/%s/%s.ssd", TAKT_EXAMPLES, example, example);
    FILE *from = fopen(path, "r"), *to = fdopen(mkstemps(copy, 4), "w");
    assert_true(from && to);
    text[fread(text, 1, sizeof text - 1, from)] = 0;
    const char *rest = text;
    for (const char *at; (at = strstr(rest, written)); rest = at + strlen(written))
        fprintf(to, "%.*s%s", (int)(at - rest), rest, TEST_FMUS);
    fputs(rest, to);
    fclose(from);
    fclose(to);
    open_run(f, copy, settings);
    remove(copy);
}

// Runs to the end and counts the allocations of the simulation thread after the first step.
static long run_and_count(fixture *f)
{
    OK(takt_run_record(f->run, "/dev/null", &f->err));
    OK(takt_run_initialize(f->run, &f->err));
    takt_progress progress;
    OK(takt_run_step(f->run, &progress, &f->err));
    long before = test_memory_count();
    while (progress == TAKT_RUNNING) OK(takt_run_step(f->run, &progress, &f->err));
    long count = test_memory_count() - before;
    OK(takt_run_finish(f->run, &f->err));
    close_run(f);
    return count;
}

static long allocations(const char *example, const char *const *settings)
{
    fixture f;
    open_example(&f, example, settings);
    return run_and_count(&f);
}

static void step_loop_allocates_nothing_whatever_the_algorithm(void **state)
{
    (void)state;
    const char *const settings[][7] = {
        {"algorithm", "jacobi", NULL},
        {"algorithm", "seidel", NULL},
        {"algorithm", "fixed-point", NULL},
        {"algorithm", "newton", NULL},
        {"algorithm", "quasi-newton", NULL},
        {"algorithm", "anderson", NULL},
        {"algorithm", "fixed-point", "step-control", "convergence", NULL},
        {"algorithm", "quasi-newton", "step-control", "convergence", NULL},
        {"algorithm", "fixed-point", "step-control", "richardson", NULL},
        {"algorithm", "newton", "step-control", "richardson", "step-max", "0.1", NULL},
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        assert_int_equal(allocations("math003", settings[i]), 0);
        assert_int_equal(allocations("lotka_volterra", settings[i]), 0);
    }
}

// To a tolerance, with rows at communication points and between them, and with fixed steps; events are found.
static void steps_by_prediction_allocate_nothing_of_their_own(void **state)
{
    (void)state;
    const char *const settings[][7] = {
        {"tolerance", "1e-4", NULL},
        {"tolerance", "1e-6", "output-interval", "0.01", NULL},
        {"tolerance", "1e-4", "output-interval", "0", NULL},
        {"step-size", "0.1", NULL},
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        // Each FMU allocates its state once more: when a trial within a step saves it for the first time.
        assert_true(allocations("math003", settings[i]) <= 3);
        assert_true(allocations("lotka_volterra", settings[i]) <= 2);
    }
}

// Two FMUs whose inputs change within a step, of one version of FMI.
static long allocations_with_derivatives(const char *fmu, const char *algorithm)
{
    char path[] = "/tmp/takt_swing_XXXXXX.ssd";
    FILE *file = fdopen(mkstemps(path, 4), "w");
    assert_non_null(file);
    fprintf(
        file,
        "<ssd:SystemStructureDescription version='1.0' name='swing' "
        "xmlns:ssd='http://ssp-standard.org/SSP1/SystemStructureDescription'>"
        "<ssd:System name='s'><ssd:Elements>"
        "<ssd:Component name='a' source='%s/%s.fmu'/><ssd:Component name='b' source='%s/%s.fmu'/>"
        "</ssd:Elements><ssd:Connections>"
        "<ssd:Connection startElement='a' startConnector='y' endElement='b' endConnector='u'/>"
        "<ssd:Connection startElement='b' startConnector='y' endElement='a' endConnector='u'/>"
        "</ssd:Connections></ssd:System></ssd:SystemStructureDescription>",
        TEST_FMUS, fmu, TEST_FMUS, fmu);
    fclose(file);
    fixture f;
    open_run(&f, path, (const char *const[]){"algorithm", algorithm, "step-size", "0.1", NULL});
    remove(path);
    return run_and_count(&f);
}

static void derivatives_of_inputs_allocate_nothing(void **state)
{
    (void)state;
    const char *const fmus[] = {"Swing_fmi1", "Swing", "Swing_fmi3"};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(allocations_with_derivatives(fmus[i], "jacobi"), 0);
        assert_int_equal(allocations_with_derivatives(fmus[i], "seidel"), 0);
        if (i > 0) assert_int_equal(allocations_with_derivatives(fmus[i], "newton"), 0);
    }
}

static void central_integration_allocates_nothing(void **state)
{
    (void)state;
    const char *const settings[][7] = {
        {"interface", "me", "me", "central", NULL},
        {"interface", "me", "me", "central", "solver", "cvode-adams", NULL},
        {"interface", "me", "me", "central", "step-control", "richardson", NULL},
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        assert_int_equal(allocations("model_exchange", settings[i]), 0);
}

static void count_line(void *context, const takt_message *message)
{
    if (message->level == TAKT_LEVEL_TRACE) ++*(long *)context;
}

// Every call of an FMU writes a line to the log.
static void traced_calls_allocate_nothing(void **state)
{
    (void)state;
    const char *const fmus[] = {"Swing_fmi1", "Swing", "Swing_fmi3"};
    for (int i = 0; i < 3; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s.fmu", TEST_FMUS, fmus[i]);
        fixture own = {0}, *f = &own;
        long n_lines = 0;
        takt_log *log = takt_log_create(TAKT_LEVEL_TRACE, count_line, &n_lines);
        OK(takt_project_open(path, log, &f->project, &f->err));
        OK(takt_project_set(f->project, "step-size", "0.01", &f->err));
        OK(takt_project_set(f->project, "stop-time", "1", &f->err));
        OK(takt_system_create(f->project, &f->system, &f->err));
        OK(takt_run_create(f->system, &f->run, &f->err));
        test_log_init(&f->log);
        assert_int_equal(run_and_count(f), 0);
        assert_true(n_lines > 200); // a step and reading the outputs, a hundred times
        takt_log_destroy(log);
    }
}

static void allocations_are_counted_at_all(void **state)
{
    (void)state;
    long before = test_memory_count();
    takt_log_destroy(takt_log_create(TAKT_LEVEL_WARN, NULL, NULL));
    assert_true(test_memory_count() > before);
}

// How many times a text occurs.
static int occurrences(const char *text, const char *piece)
{
    int n = 0;
    for (; (text = strstr(text, piece)); text++) n++;
    return n;
}

// Wide.fmu has 20 real inputs and 20 real outputs; the log shows every call.
static void a_step_needs_one_fmi_call_per_type_not_per_variable(void **state)
{
    (void)state;
    char path[] = "/tmp/takt_wide_XXXXXX.ssd";
    int fd = mkstemps(path, 4);
    FILE *file = fdopen(fd, "w");
    assert_non_null(file);
    fputs("<ssd:SystemStructureDescription version='1.0' name='wide' "
          "xmlns:ssd='http://ssp-standard.org/SSP1/SystemStructureDescription'>"
          "<ssd:System name='s'><ssd:Elements>",
          file);
    for (char c = 'A'; c <= 'B'; c++)
        fprintf(file, "<ssd:Component name='%c' source='%s/Wide.fmu'/>", c, TEST_FMUS);
    fputs("</ssd:Elements><ssd:Connections>", file);
    for (int i = 1; i <= 20; i++)
        fprintf(file,
                "<ssd:Connection startElement='A' startConnector='y[%d]' endElement='B' "
                "endConnector='u[%d]'/>",
                i, i);
    fputs("</ssd:Connections></ssd:System></ssd:SystemStructureDescription>", file);
    fclose(file);

    const char *const settings[] = {"step-size", "0.1",    "stop-time", "0.5",
                                    "algorithm", "jacobi", NULL};
    fixture storage, *f = &storage;
    open_run(f, path, settings);
    remove(path);
    OK(takt_run_initialize(f->run, &f->err));
    f->log.length = 0;
    f->log.text[0] = 0;
    takt_progress progress = TAKT_RUNNING;
    while (progress == TAKT_RUNNING) OK(takt_run_step(f->run, &progress, &f->err));
    assert_int_equal(occurrences(f->log.text, "fmi2DoStep("), 10);
    assert_int_equal(occurrences(f->log.text, "fmi2SetReal("), 5); // of B; A has no connected input
    // A's connected outputs; nobody observes B's outputs, so they are read only when asked for.
    assert_int_equal(occurrences(f->log.text, "fmi2GetReal("), 5);
    for (int i = 0; takt_run_column(f->run, i); i++)
        assert_true(isfinite(takt_run_value(f->run, i)));
    assert_int_equal(occurrences(f->log.text, "fmi2GetReal("), 6);
    close_run(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step_loop_allocates_nothing_whatever_the_algorithm),
        cmocka_unit_test(steps_by_prediction_allocate_nothing_of_their_own),
        cmocka_unit_test(derivatives_of_inputs_allocate_nothing),
        cmocka_unit_test(central_integration_allocates_nothing),
        cmocka_unit_test(traced_calls_allocate_nothing),
        cmocka_unit_test(allocations_are_counted_at_all),
        cmocka_unit_test(a_step_needs_one_fmi_call_per_type_not_per_variable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

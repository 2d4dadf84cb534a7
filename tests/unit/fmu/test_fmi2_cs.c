// SPDX-License-Identifier: MIT
#include "support/archive.h"
#include "support/test.h"

#include <dlfcn.h>
#include <time.h>

#include "fmu/model.h"
#include "fmu/open.h"
#include "instance/coupling.h"
#include "unit/fmu/tiny_fmu.h"

static const char description[] =
    "<?xml version='1.0' encoding='UTF-8'?>\n"
    "<fmiModelDescription fmiVersion='2.0' modelName='Tiny' guid='%s'>\n"
    "<CoSimulation modelIdentifier='%s' canGetAndSetFMUstate='true'\n"
    " providesDirectionalDerivative='true' %s/>\n"
    "<LogCategories><Category name='logStatusError'/><Category name='all'/></LogCategories>\n"
    "<ModelVariables>\n"
    "<ScalarVariable name='u' valueReference='0' causality='input'><Real "
    "start='0'/></ScalarVariable>\n"
    "<ScalarVariable name='x' valueReference='1' causality='output'><Real/></ScalarVariable>\n"
    "<ScalarVariable name='y' valueReference='2' causality='output'><Real/></ScalarVariable>\n"
    "<ScalarVariable name='i_in' valueReference='0' causality='input' variability='discrete'>"
    "<Integer start='0'/></ScalarVariable>\n"
    "<ScalarVariable name='i_out' valueReference='1' causality='output' variability='discrete'>"
    "<Integer/></ScalarVariable>\n"
    "<ScalarVariable name='e_in' valueReference='2' causality='input' variability='discrete'>"
    "<Enumeration declaredType='E' start='1'/></ScalarVariable>\n"
    "<ScalarVariable name='e_out' valueReference='3' causality='output' variability='discrete'>"
    "<Enumeration declaredType='E'/></ScalarVariable>\n"
    "<ScalarVariable name='b_in' valueReference='0' causality='input' variability='discrete'>"
    "<Boolean start='0'/></ScalarVariable>\n"
    "<ScalarVariable name='b_out' valueReference='1' causality='output' variability='discrete'>"
    "<Boolean/></ScalarVariable>\n"
    "<ScalarVariable name='s_in' valueReference='0' causality='input' variability='discrete'>"
    "<String start=''/></ScalarVariable>\n"
    "<ScalarVariable name='s_out' valueReference='1' causality='output' variability='discrete'>"
    "<String/></ScalarVariable>\n"
    "<ScalarVariable name='label' valueReference='2' causality='parameter' variability='fixed'>"
    "<String start='hello'/></ScalarVariable>\n"
    "<ScalarVariable name='resources' valueReference='3' variability='fixed'>"
    "<String/></ScalarVariable>\n"
    "<ScalarVariable name='null' valueReference='4' variability='fixed'>"
    "<String/></ScalarVariable>\n"
    "<ScalarVariable name='number' valueReference='4' variability='fixed'>"
    "<Integer/></ScalarVariable>\n"
    "<ScalarVariable name='mode' valueReference='10' causality='parameter' variability='fixed'>"
    "<Integer start='0'/></ScalarVariable>\n"
    "</ModelVariables><ModelStructure/></fmiModelDescription>\n";

typedef struct options {
    const char *guid, *attributes, *library; // NULL: as it should be
    takt_level level; // of the log
} options;

typedef struct fixture {
    test_folder folder;
    char path[512];
    test_log log;
    takt_log *quiet; // shows no details, so that the FMU is not asked for them
    takt_model *model;
    takt_instance *instance;
    takt_arena arena;
    takt_error err;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->folder = test_folder_create();
    test_log_init(&f->log);
    snprintf(f->path, sizeof f->path, "%s/tiny.fmu", f->folder.path);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    if (f->instance) f->instance->type->destroy(f->instance);
    takt_model_close(f->model);
    takt_arena_clear(&f->arena);
    test_log_clear(&f->log);
    takt_log_destroy(f->quiet);
    test_folder_remove(&f->folder);
    free(f);
    return 0;
}

static void make_fmu(fixture *f, options o)
{
    const char *file = o.library ? o.library : TEST_TINY;
    const char *identifier = strcmp(file, TEST_TINY_BARE) == 0 ? "tiny_bare" : "tiny";
    char text[8192], library[128];
    snprintf(text, sizeof text, description, o.guid ? o.guid : "{tiny}", identifier,
             o.attributes ? o.attributes : "");
    snprintf(library, sizeof library, "binaries/linux64/%s.so", identifier);
    test_archive(f->path,
                 (test_entry[]){{.name = library, .file = file},
                                {.name = "binaries/win64/tiny.dll", .data = "MZ"},
                                {.name = "modelDescription.xml", .data = text}},
                 3);
    assert_int_equal(takt_fmu_open(f->path, f->log.log, &f->model, &f->err), TAKT_OK);
}

static takt_status try_instantiate(fixture *f, const char *name, takt_instance **out)
{
    return f->model->type->instantiate(f->model, name, f->quiet ? f->quiet : f->log.log, out,
                                       &f->err);
}

static void instantiate(fixture *f, options o)
{
    make_fmu(f, o);
    if (try_instantiate(f, "tank", &f->instance)) print_error("%s\n", f->err.message);
    assert_non_null(f->instance);
}

static tiny_counters *counters(fixture *f)
{
    return dlsym(((takt_fmu *)f->model)->library->handle, "tiny_counts");
}

static void call(void *library, const char *name)
{
    void (*function)(void);
    void *address = dlsym(library, name);
    memcpy(&function, &address, sizeof function);
    function();
}

// Frees what the FMU still has; for tests in which we must not.
static void forget_all(void *library)
{
    call(library, "tiny_forget_all");
}

// On a clock that never jumps.
static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static takt_access access_to(fixture *f, const char *names[], int n)
{
    int variables[16];
    for (int i = 0; i < n; i++) {
        variables[i] = takt_map_find(&f->model->names, names[i]);
        assert_true(variables[i] >= 0);
    }
    takt_access access;
    assert_true(takt_access_create(&f->arena, f->model, variables, n, &access, NULL));
    return access;
}

static takt_status set_one(fixture *f, const char *name, double real, int64_t integer)
{
    takt_access access = access_to(f, &name, 1);
    takt_values values = {&real, &integer, NULL};
    return f->instance->type->set(f->instance, &access, &values, &f->err);
}

static takt_status get_real(fixture *f, const char *name, double *out)
{
    takt_access access = access_to(f, &name, 1);
    takt_values values = {.real = out};
    return f->instance->type->get(f->instance, &access, &values, &f->err);
}

static void initialize(fixture *f, int mode)
{
    const takt_interval interval = {.start = 0, .stop = 1, .has_stop = true};
    assert_int_equal(set_one(f, "mode", 0, mode), TAKT_OK);
    assert_int_equal(f->instance->type->enter_initialization(f->instance, &interval, &f->err),
                     TAKT_OK);
    assert_int_equal(set_one(f, "u", 1, 0), TAKT_OK);
    assert_int_equal(f->instance->type->exit_initialization(f->instance, &f->err), TAKT_OK);
}

static takt_status step(fixture *f, double t, takt_step_result *result)
{
    return f->instance->type->step(f->instance, t, 0.1, true, result, &f->err);
}

// Steps until something happens or t = 1; returns the time of the last step's start.
static takt_status run(fixture *f, takt_step_result *result, double *t)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < 10 && !st; i++) {
        *t = i * 0.1;
        st = step(f, *t, result);
        if (!st && result->end != TAKT_STEP_DONE) break;
    }
    return st;
}

static void steps_integrate_and_end_where_asked(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    initialize(f, MODE_NORMAL);
    takt_step_result result;
    double t, x = 0;
    assert_int_equal(run(f, &result, &t), TAKT_OK);
    assert_int_equal(result.end, TAKT_STEP_DONE);
    assert_near(result.time, 1, 1e-12);
    assert_int_equal(get_real(f, "x", &x), TAKT_OK);
    assert_near(x, 1, 1e-12);
    assert_int_equal(f->instance->type->terminate(f->instance, &f->err), TAKT_OK);
    tiny_counters *counts = counters(f);
    assert_int_equal(counts->n_terminated, 1);
    f->instance->type->destroy(f->instance);
    f->instance = NULL;
    assert_int_equal(counts->n_terminated, 1);
    assert_int_equal(counts->n_instances, 0);
}

static void values_of_all_types_pass_through(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    initialize(f, MODE_NORMAL);
    const char *in[] = {"i_in", "e_in", "b_in", "s_in"},
               *out[] = {"i_out", "e_out", "b_out", "s_out"};
    takt_access inputs = access_to(f, in, 4), outputs = access_to(f, out, 4);
    takt_values u, y;
    assert_true(takt_values_init(&u, inputs.n_values));
    assert_true(takt_values_init(&y, outputs.n_values));
    // Values lie by type: Int32, Boolean, Enumeration.
    u.integer[0] = -2147483647 - 1, u.integer[1] = 7, u.integer[2] = 3;
    takt_bytes_assign(&u.bytes[0], "two words", 9);
    takt_step_result result;
    assert_int_equal(f->instance->type->set(f->instance, &inputs, &u, &f->err), TAKT_OK);
    assert_int_equal(step(f, 0, &result), TAKT_OK);
    assert_int_equal(f->instance->type->get(f->instance, &outputs, &y, &f->err), TAKT_OK);
    assert_true(y.integer[0] == -2147483648LL);
    assert_int_equal(y.integer[1], 1); // booleans are 0 or 1
    assert_int_equal(y.integer[2], 3);
    assert_string_equal(y.bytes[0].data, "two words");
    takt_values_clear(&u, inputs.n_values);
    takt_values_clear(&y, outputs.n_values);
}

static void integers_that_do_not_fit_are_named(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    initialize(f, MODE_NORMAL);
    assert_int_equal(set_one(f, "i_in", 0, 2147483648LL), TAKT_ERR_SIMULATION);
    assert_string_equal(f->err.message,
                        "variable 'i_in' is set to 2147483648, which is no value of "
                        "type Integer");
    assert_null(f->instance->calling);
}

static void every_call_is_counted_and_none_is_named_after_it(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    assert_null(f->instance->calling);
    initialize(f, MODE_NORMAL);
    unsigned before = *f->instance->n_calls;
    assert_int_equal(set_one(f, "i_in", 0, 1), TAKT_OK);
    assert_int_equal(*f->instance->n_calls, before + 1);
    assert_null(f->instance->calling);
}

static void strings_are_copied_and_null_is_empty(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    const char *names[] = {"label", "null", "resources"};
    takt_access access = access_to(f, names, 3);
    takt_values y;
    assert_true(takt_values_init(&y, access.n_values));
    assert_int_equal(f->instance->type->get(f->instance, &access, &y, &f->err), TAKT_OK);
    assert_string_equal(y.bytes[0].data, "hello"); // set from the description
    assert_string_equal(y.bytes[1].data, "");
    assert_contains(y.bytes[2].data, "/content/resources");
    takt_values_clear(&y, access.n_values);
}

static void error_ends_an_instance_and_says_why(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    initialize(f, MODE_ERROR);
    takt_step_result result;
    double t;
    assert_int_equal(run(f, &result, &t), TAKT_ERR_SIMULATION);
    assert_string_equal(f->err.message, "fmi2DoStep failed (status error); "
                                        "the FMU says: the solver gave up at 0.5 s");
    assert_contains(f->log.text, "error: tank: tiny: the solver gave up at 0.5 s\n");
    tiny_counters *counts = counters(f);
    int n_calls = counts->n_calls;
    assert_int_equal(step(f, t, &result), TAKT_ERR_SIMULATION);
    assert_contains(f->err.message, "fmi2DoStep cannot be called after the earlier error");
    assert_int_equal(counts->n_calls, n_calls);
    f->instance->type->destroy(f->instance);
    f->instance = NULL;
    assert_int_equal(counts->n_calls, n_calls + 1); // freed, but not terminated
    assert_int_equal(counts->n_instances, 0);
}

static void fatal_stops_all_calls_to_the_library(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    takt_instance *other = NULL;
    assert_int_equal(try_instantiate(f, "other", &other), TAKT_OK);
    tiny_counters *counts = counters(f);
    void *kept = dlopen(((takt_fmu *)f->model)->library_path, RTLD_NOW);
    initialize(f, MODE_FATAL);
    takt_step_result result;
    double t;
    void *saved = NULL;
    assert_int_equal(f->instance->type->save(f->instance, &saved, &f->err), TAKT_OK);
    void *leaked = saved;
    assert_int_equal(run(f, &result, &t), TAKT_ERR_SIMULATION);
    assert_string_equal(f->err.message, "fmi2DoStep failed (status fatal)");
    f->instance->type->free_state(f->instance, &saved);
    assert_null(saved);
    assert_int_equal(other->type->exit_initialization(other, &f->err), TAKT_ERR_SIMULATION);
    assert_contains(f->err.message, "fmi2ExitInitializationMode cannot be called: ");
    assert_contains(f->err.message, "tiny.fmu has failed fatally before");
    takt_instance *third = NULL;
    assert_int_equal(try_instantiate(f, "third", &third), TAKT_ERR_SIMULATION);
    assert_contains(f->err.message, "FMU ");
    other->type->destroy(other);
    f->instance->type->destroy(f->instance);
    f->instance = NULL;
    takt_model_close(f->model);
    f->model = NULL;
    assert_int_equal(counts->n_calls_after_fatal, 0);
    assert_int_equal(counts->n_instances, 2);
    free(leaked);
    forget_all(kept);
    dlclose(kept);
}

static void discard_tells_how_far_the_step_came(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    initialize(f, MODE_DISCARD);
    takt_step_result result;
    double t;
    assert_int_equal(run(f, &result, &t), TAKT_OK);
    assert_int_equal(result.end, TAKT_STEP_DISCARDED);
    assert_near(t, 0.5, 1e-12);
    assert_near(result.time, 0.54, 1e-12);
}

static void an_instance_can_end_the_simulation(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    initialize(f, MODE_TERMINATE);
    takt_step_result result;
    double t;
    assert_int_equal(run(f, &result, &t), TAKT_OK);
    assert_int_equal(result.end, TAKT_STEP_TERMINATED);
}

static void unknown_status_values_are_an_error(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    initialize(f, MODE_UNKNOWN_STATUS);
    takt_step_result result;
    double t;
    assert_int_equal(run(f, &result, &t), TAKT_ERR_SIMULATION);
    assert_string_equal(f->err.message, "fmi2DoStep failed (status 17, which "
                                        "FMI 2.0 does not know)");
}

static void pending_steps_are_waited_for(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    initialize(f, MODE_PENDING);
    takt_step_result result;
    double t;
    assert_int_equal(run(f, &result, &t), TAKT_OK);
    assert_near(result.time, 1, 1e-12);
    assert_int_equal(set_one(f, "mode", 0, MODE_PENDING_ERROR), TAKT_OK);
    assert_int_equal(run(f, &result, &t), TAKT_ERR_SIMULATION);
    assert_contains(f->err.message, "fmi2DoStep failed (status error); the FMU says: ");
}

// The first step of 0.03 s is asked for again and again; then the FMU is known to call.
static void steps_that_end_in_another_thread_are_noticed_at_once(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    initialize(f, MODE_PENDING_THREAD);
    set_one(f, "u", 1, 0);
    takt_step_result result;
    assert_int_equal(step(f, 0, &result), TAKT_OK);
    int n_asked = counters(f)->n_asked;
    double begin = seconds();
    assert_int_equal(step(f, 0.1, &result), TAKT_OK);
    double waited = seconds() - begin; // s; the machine may be busy with other things
    assert_int_equal(result.end, TAKT_STEP_DONE);
    // At the signal and every 0.1 s; by polling about 12 in 0.03 s.
    assert_true(counters(f)->n_asked <= n_asked + 2 + (int)(waited / 0.1));
    assert_int_equal(counters(f)->n_canceled, 0);
}

static void long_pending_steps_are_told(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    initialize(f, MODE_PENDING_LONG);
    takt_step_result result;
    assert_int_equal(step(f, 0, &result), TAKT_OK);
    assert_contains(f->log.text, "info: instance 'tank' at t=0 s: the step has been pending for ");
    assert_contains(f->log.text, " s: inverting a matrix\n");
}

static void messages_of_freed_instances_are_dropped(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    f->instance->type->destroy(f->instance);
    f->instance = NULL;
    call(((takt_fmu *)f->model)->library->handle, "tiny_speak_late");
    assert_null(strstr(f->log.text, "am still here"));
}

static void a_pending_step_that_cannot_be_asked_for_is_canceled(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    initialize(f, MODE_PENDING_SILENT);
    takt_step_result result;
    assert_int_equal(step(f, 0, &result), TAKT_ERR_SIMULATION);
    assert_string_equal(f->err.message, "fmi2GetStatus failed (status discard)");
    tiny_counters *counts = counters(f);
    assert_int_equal(counts->n_canceled, 1);
    assert_int_equal(counts->n_instances, 1);
    f->instance->type->destroy(f->instance);
    f->instance = NULL;
    assert_int_equal(counts->n_instances, 0); // canceled, it may be freed
}

static void a_pending_step_that_cannot_be_canceled_is_left_alone(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    initialize(f, MODE_PENDING_LOST);
    takt_step_result result;
    assert_int_equal(step(f, 0, &result), TAKT_ERR_SIMULATION);
    tiny_counters *counts = counters(f);
    f->instance->type->destroy(f->instance);
    f->instance = NULL;
    assert_int_equal(counts->n_instances, 1);
    forget_all(((takt_fmu *)f->model)->library->handle);
}

static void warnings_are_logged_but_not_without_end(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    initialize(f, MODE_WARNING);
    int before = takt_log_count(f->log.log, TAKT_LEVEL_WARN);
    takt_step_result result;
    double t;
    for (int i = 0; i < 3; i++) assert_int_equal(run(f, &result, &t), TAKT_OK);
    assert_contains(f->log.text, "warn: instance 'tank': fmi2DoStep returned a warning at t=0.2\n");
    assert_contains(f->log.text, "at t=0.9; further warnings are not shown\n");
    assert_int_equal(takt_log_count(f->log.log, TAKT_LEVEL_WARN), before + 10);
}

static void discarded_values_are_named_and_the_instance_goes_on(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    initialize(f, MODE_SET_DISCARD);
    assert_int_equal(set_one(f, "u", -1, 0), TAKT_ERR_SIMULATION);
    assert_string_equal(f->err.message, "fmi2SetReal of 'u' failed (status discard)");
    assert_int_equal(set_one(f, "u", 1, 0), TAKT_OK);
}

static void failed_reading_names_variables_and_time(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    initialize(f, MODE_GET_ERROR);
    takt_step_result result;
    double t;
    assert_int_equal(run(f, &result, &t), TAKT_OK);
    const char *names[] = {"u", "x", "y", "u"};
    takt_access access = access_to(f, names, 4);
    double reals[4];
    takt_values values = {.real = reals};
    assert_int_equal(f->instance->type->get(f->instance, &access, &values, &f->err),
                     TAKT_ERR_SIMULATION);
    assert_string_equal(f->err.message, "fmi2GetReal of 'u', 'x', 'y' and 1 more failed "
                                        "(status error); the FMU says: no value at all");
}

static void strange_messages_do_no_harm(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    initialize(f, MODE_LOG);
    assert_contains(f->log.text, "warn: tank: tiny: u and mode differ # in line\n");
    assert_contains(f->log.text, "debug: tank: tiny: 50% so far, %n, %s %d\n");
    assert_contains(f->log.text, "debug: tank: tiny: (null)| 1.50|ab\n");
    assert_contains(f->log.text, "debug: tank: #x1# #r7#\n");
    assert_contains(f->log.text,
                    "warn: instance 'tank': fmi2EnterInitializationMode returned a warning before "
                    "initialization\n");
}

static void only_problems_are_asked_for_unless_details_are_wanted(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    int before = counters(f)->n_debug_logging;
    f->instance->type->destroy(f->instance);
    f->instance = NULL;
    f->quiet = takt_log_create(TAKT_LEVEL_WARN, NULL, NULL);
    assert_int_equal(try_instantiate(f, "tank", &f->instance), TAKT_OK);
    assert_int_equal(counters(f)->n_debug_logging, before + 1);
}

static void states_are_saved_restored_and_freed(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    initialize(f, MODE_NORMAL);
    const takt_instance_type *type = f->instance->type;
    takt_step_result result;
    double x = 0;
    void *saved = NULL;
    step(f, 0, &result);
    assert_int_equal(type->save(f->instance, &saved, &f->err), TAKT_OK);
    step(f, 0.1, &result);
    get_real(f, "x", &x);
    assert_near(x, 0.2, 1e-12);
    assert_int_equal(type->restore(f->instance, saved, &f->err), TAKT_OK);
    get_real(f, "x", &x);
    assert_near(x, 0.1, 1e-12);
    assert_int_equal(type->save(f->instance, &saved, &f->err), TAKT_OK); // memory is reused
    assert_int_equal(counters(f)->n_states, 1);
    type->free_state(f->instance, &saved);
    assert_null(saved);
    assert_int_equal(counters(f)->n_states, 0);
}

static void directional_derivatives_come_from_the_fmu(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    initialize(f, MODE_NORMAL);
    const char *unknowns[] = {"x", "y"}, *knowns[] = {"u"};
    takt_access of = access_to(f, unknowns, 2), by = access_to(f, knowns, 1), none = {0};
    double seed = 3, derivative[2] = {-1, -1};
    assert_int_equal(
        f->instance->type->differentiate(f->instance, &of, &by, &seed, derivative, &f->err),
        TAKT_OK);
    assert_near(derivative[0], 0, 0);
    assert_near(derivative[1], 6, 0);
    assert_int_equal(
        f->instance->type->differentiate(f->instance, &of, &none, &seed, derivative, &f->err),
        TAKT_OK);
    assert_near(derivative[1], 0, 0);
}

static void missing_functions_matter_only_when_used(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){.library = TEST_TINY_BARE});
    initialize(f, MODE_NORMAL);
    takt_step_result result;
    double t, x = 0;
    assert_int_equal(run(f, &result, &t), TAKT_OK);
    assert_int_equal(get_real(f, "x", &x), TAKT_OK);
    assert_near(x, 1, 1e-12);
    void *saved = NULL;
    assert_int_equal(f->instance->type->save(f->instance, &saved, &f->err), TAKT_ERR_SIMULATION);
    assert_contains(f->err.message, "the library of FMU ");
    assert_contains(f->err.message, "tiny.fmu has no function fmi2GetFMUstate");
    // A discarded step is understood without the functions to ask about it.
    set_one(f, "mode", 0, MODE_DISCARD);
    assert_int_equal(step(f, 0.6, &result), TAKT_OK);
    assert_int_equal(result.end, TAKT_STEP_DISCARDED);
    assert_near(result.time, 0.6, 0);
}

static void pending_without_a_way_to_ask_fails(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){.library = TEST_TINY_BARE});
    initialize(f, MODE_PENDING);
    takt_step_result result;
    assert_int_equal(step(f, 0, &result), TAKT_ERR_SIMULATION);
    assert_contains(f->err.message, "tiny.fmu has no function fmi2GetStatus to wait for a step: "
                                    "fmi2DoStep failed (status pending)");
    int n_calls = counters(f)->n_calls;
    tiny_counters *counts = counters(f);
    f->instance->type->destroy(f->instance);
    f->instance = NULL;
    assert_int_equal(counts->n_calls, n_calls); // it may not be freed in the middle of a step
    forget_all(((takt_fmu *)f->model)->library->handle);
}

static void refused_instantiation_says_why(void **state)
{
    fixture *f = *state;
    make_fmu(f, (options){.guid = "{other}"});
    assert_int_equal(try_instantiate(f, "tank", &f->instance), TAKT_ERR_SIMULATION);
    assert_null(f->instance);
    assert_contains(f->err.message, "fmi2Instantiate of FMU ");
    assert_contains(f->err.message,
                    "tiny.fmu returned no instance; the FMU says: the GUID is wrong: {other}");
}

static int64_t number_of(takt_instance *instance, const takt_access *access)
{
    int64_t number = 0;
    takt_values values = {.integer = &number};
    assert_int_equal(instance->type->get(instance, access, &values, NULL), TAKT_OK);
    return number;
}

static void instances_share_a_library_unless_it_can_be_used_only_once(void **state)
{
    fixture *f = *state;
    const char *name = "number";
    takt_instance *second = NULL;
    instantiate(f, (options){0});
    takt_access access = access_to(f, &name, 1);
    assert_int_equal(try_instantiate(f, "second", &second), TAKT_OK);
    assert_int_equal(number_of(second, &access), number_of(f->instance, &access) + 1);
    second->type->destroy(second);
    f->instance->type->destroy(f->instance);
    f->instance = NULL;
    takt_model_close(f->model);
    f->model = NULL;

    instantiate(f, (options){.attributes = "canBeInstantiatedOnlyOncePerProcess='true'"});
    access = access_to(f, &name, 1);
    assert_int_equal(try_instantiate(f, "second", &second), TAKT_OK);
    assert_int_equal(number_of(f->instance, &access), 1);
    assert_int_equal(number_of(second, &access), 1); // with global variables of its own
    second->type->destroy(second);
    f->instance->type->destroy(f->instance);
    f->instance = NULL;
    assert_int_equal(try_instantiate(f, "third", &f->instance), TAKT_OK);
    assert_int_equal(number_of(f->instance, &access), 1);
}

// What remains after steps of 0.1 s with an input that falls, up to t = 1 or until something happens.
typedef struct journey {
    takt_status st;
    takt_step_result result;
    int n_steps, n_calls;
    double values[2];
    char message[4096];
} journey;

static journey travel(int mode, bool is_fast)
{
    void *state;
    setup(&state);
    fixture *f = state;
    instantiate(f, (options){0});
    initialize(f, mode);
    takt_access inputs = access_to(f, (const char *[]){"u"}, 1);
    takt_access outputs = access_to(f, (const char *[]){"x", "y"}, 2);
    double source, u;
    journey j = {0};
    takt_coupling coupling = {.instance = f->instance,
                              .y = &source,
                              .sources = (const int[]){0},
                              .n_sources = 1,
                              .is_private = is_fast, // taken from `source`, or from its copy
                              .gathers = true,
                              .inputs = &inputs,
                              .outputs = &outputs,
                              .input_values = &(takt_values){.real = &u},
                              .output_values = &(takt_values){.real = j.values}};
    takt_coupling_prepare(&coupling);
    const takt_instance_type *type = f->instance->type;
    assert_true(type->can_advance(f->instance, &coupling));
    takt_instance_advance_fn *advance = is_fast ? type->advance : takt_instance_advance;
    takt_coupling *const members[] = {&coupling};
    int n_done = 1;
    for (int i = 0; i < 10 && n_done == 1; i++) {
        source = 1 - 0.3 * i;
        takt_step plan = {0.1 * i, 0.1, .is_final = true};
        j.st = advance(members, 1, &plan, &n_done, &j.result, &f->err);
        j.n_steps += n_done;
    }
    assert_int_equal(coupling.n_advances, j.n_steps);
    j.n_calls = counters(f)->n_calls;
    snprintf(j.message, sizeof j.message, "%s", f->err.message);
    takt_step again = {1, 0.1, .is_final = true}; // an instance that failed fails again
    takt_step_result result;
    if (j.st)
        assert_int_equal(advance(members, 1, &again, &n_done, &result, NULL), TAKT_ERR_SIMULATION);
    teardown(&state);
    return j;
}

static void advancing_at_once_does_what_the_single_calls_do(void **state)
{
    (void)state;
    static const int modes[] = {MODE_NORMAL,    MODE_ERROR,          MODE_DISCARD,
                                MODE_TERMINATE, MODE_UNKNOWN_STATUS, MODE_PENDING,
                                MODE_WARNING,   MODE_SET_DISCARD,    MODE_GET_ERROR};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        journey fast = travel(modes[i], true), slow = travel(modes[i], false);
        assert_int_equal(fast.st, slow.st);
        assert_int_equal(fast.n_steps, slow.n_steps);
        assert_int_equal(fast.n_steps == 10, modes[i] == MODE_NORMAL || modes[i] == MODE_PENDING ||
                                                 modes[i] == MODE_WARNING);
        assert_int_equal(fast.n_calls, slow.n_calls);
        assert_true(fast.values[0] == slow.values[0] && fast.values[1] == slow.values[1]);
        assert_string_equal(fast.message, slow.message);
        if (fast.st)
            assert_int_equal(fast.result.call, slow.result.call);
        else if (fast.n_steps < 10) // else there is no result
            assert_true(fast.result.end == slow.result.end && fast.result.time == slow.result.time);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(steps_integrate_and_end_where_asked),
        cmocka_unit_test(advancing_at_once_does_what_the_single_calls_do),
        TEST(values_of_all_types_pass_through),
        TEST(integers_that_do_not_fit_are_named),
        TEST(every_call_is_counted_and_none_is_named_after_it),
        TEST(strings_are_copied_and_null_is_empty),
        TEST(error_ends_an_instance_and_says_why),
        TEST(discard_tells_how_far_the_step_came),
        TEST(an_instance_can_end_the_simulation),
        TEST(unknown_status_values_are_an_error),
        TEST(pending_steps_are_waited_for),
        TEST(steps_that_end_in_another_thread_are_noticed_at_once),
        TEST(messages_of_freed_instances_are_dropped),
        TEST(long_pending_steps_are_told),
        TEST(a_pending_step_that_cannot_be_asked_for_is_canceled),
        TEST(a_pending_step_that_cannot_be_canceled_is_left_alone),
        TEST(warnings_are_logged_but_not_without_end),
        TEST(discarded_values_are_named_and_the_instance_goes_on),
        TEST(failed_reading_names_variables_and_time),
        TEST(strange_messages_do_no_harm),
        TEST(only_problems_are_asked_for_unless_details_are_wanted),
        TEST(states_are_saved_restored_and_freed),
        TEST(directional_derivatives_come_from_the_fmu),
        TEST(missing_functions_matter_only_when_used),
        TEST(pending_without_a_way_to_ask_fails),
        TEST(refused_instantiation_says_why),
        TEST(instances_share_a_library_unless_it_can_be_used_only_once),
        TEST(fatal_stops_all_calls_to_the_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

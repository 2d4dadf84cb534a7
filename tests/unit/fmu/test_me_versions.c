// SPDX-License-Identifier: MIT
// Model exchange of all versions with FMUs of the kit, as instances: Jacobians, counts, numbers of states that disagree,
// and exhausted memory.
#include "support/archive.h"
#include "support/command.h"
#include "support/memory.h"
#include "support/test.h"

#include "fmu/model.h"
#include "fmu/open.h"
#include "me/jacobian.h"

typedef struct fixture {
    test_log log;
    takt_model *model;
    takt_instance *instance;
    takt_error err;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    test_log_init(&f->log);
    *state = f;
    return 0;
}

static void clear(fixture *f)
{
    if (f->instance) f->instance->type->destroy(f->instance);
    takt_model_close(f->model);
    f->instance = NULL;
    f->model = NULL;
}

static int teardown(void **state)
{
    fixture *f = *state;
    clear(f);
    test_log_clear(&f->log);
    free(f);
    return 0;
}

static takt_status start(fixture *f, const char *path, const takt_me_options *me)
{
    const takt_fmu_options options = {.prefers_me = true, .me = me ? *me : (takt_me_options){0}};
    const takt_interval interval = {.stop = 1, .has_stop = true};
    takt_status st = takt_fmu_open_with(path, &options, f->log.log, &f->model, &f->err);
    if (st) return st;
    const takt_instance_type *type = f->model->type;
    st = type->instantiate(f->model, "it", f->log.log, &f->instance, &f->err);
    if (!st) st = type->enter_initialization(f->instance, &interval, &f->err);
    if (!st) st = type->exit_initialization(f->instance, &f->err);
    return st;
}

static takt_me *me_of(fixture *f)
{
    return f->model->type->equations->me(f->instance);
}

// ---- Jacobians -------------------------------------------------------------------------------------

enum { N = 20 };

static void find_jacobian(fixture *f, double *matrix)
{
    takt_me *me = me_of(f);
    double dx[N];
    takt_ode_answer answer = TAKT_ODE_FINE;
    assert_non_null(me->jacobian);
    assert_int_equal(takt_me_derivatives(me, 0, me->x, dx, &answer, &f->err), TAKT_OK);
    const takt_me_point point = {0, me->x, dx};
    assert_int_equal(takt_me_jacobian_fill(me->jacobian, me, &point, matrix, &answer, &f->err),
                     TAKT_OK);
    assert_int_equal(answer, TAKT_ODE_FINE);
}

static void a_band_takes_three_evaluations(void **state)
{
    static const char *const paths[] = {TEST_FMUS "/Chain.fmu", TEST_FMUS "/Chain_fmi3.fmu"};
    fixture *f = *state;
    for (int k = 0; k < 2; k++) {
        double matrix[N * N];
        assert_int_equal(start(f, paths[k], NULL), TAKT_OK);
        for (int i = 0; i < N; i++) me_of(f)->x[i] = 0.1 * i;
        int64_t before = me_of(f)->n_derivatives;
        find_jacobian(f, matrix);
        assert_int_equal(me_of(f)->n_derivatives - before, 1 + 3);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                assert_near(matrix[j * N + i], i == j ? -2000 : abs(i - j) == 1 ? 1000 : 0, 1e-2);
        clear(f);
    }
}

static void directional_derivatives_are_exact(void **state)
{
    static const char *const paths[] = {TEST_FMUS "/Prey.fmu", TEST_FMUS "/Prey_fmi3.fmu"};
    fixture *f = *state;
    for (int k = 0; k < 2; k++) {
        double matrix[1];
        assert_int_equal(start(f, paths[k], NULL), TAKT_OK);
        int64_t before = me_of(f)->n_derivatives;
        find_jacobian(f, matrix);
        assert_true(matrix[0] == 0.1); // a - b y with y = 0
        assert_int_equal(me_of(f)->n_derivatives - before, 1);
        clear(f);
    }
}

static void without_structure_and_derivatives_the_solver_helps_itself(void **state)
{
    fixture *f = *state;
    assert_int_equal(start(f, TEST_FMUS "/Chain_fmi1me.fmu", NULL), TAKT_OK);
    assert_null(me_of(f)->jacobian);
    clear(f);
    const takt_me_options adams = {.method = TAKT_CVODE_ADAMS};
    assert_int_equal(start(f, TEST_FMUS "/Chain.fmu", &adams), TAKT_OK);
    assert_null(me_of(f)->jacobian); // needed by nobody
}

// ---- numbers ---------------------------------------------------------------------------------------

static char *cut(char *text, const char *begin, const char *end)
{
    char *from = strstr(text, begin), *to = from ? strstr(from, end) : NULL;
    assert_non_null(to);
    to += strlen(end);
    memmove(from, to, strlen(to) + 1);
    return text;
}

// The FMU with a piece of its description left out.
static void assert_refused_without(fixture *f, const char *name, const char *library,
                                   const char *begin, const char *message)
{
    char path[600], folder[600], binary[700];
    test_folder room = test_folder_create();
    snprintf(path, sizeof path, "%s/m.fmu", room.path);
    snprintf(folder, sizeof folder, TEST_FMUS ".unpacked/%s/modelDescription.xml", name);
    snprintf(binary, sizeof binary, TEST_FMUS ".unpacked/%s/%s", name, library);
    char *xml = cut(test_read_path(folder, NULL), begin, "/>");
    test_archive(path,
                 (test_entry[]){{.name = library, .file = binary},
                                {.name = "modelDescription.xml", .data = xml}},
                 2);
    assert_int_equal(start(f, path, NULL), TAKT_ERR_SIMULATION);
    assert_contains(f->err.message, message);
    clear(f);
    free(xml);
    test_folder_remove(&room);
}

static void numbers_of_states_that_disagree_are_refused(void **state)
{
    fixture *f = *state;
    assert_refused_without(f, "Ball_fmi3", "binaries/x86_64-linux/Ball.so",
                           "<ContinuousStateDerivative",
                           "the FMU has 2 continuous states (fmi3GetNumberOfContinuousStates), but "
                           "its modelDescription.xml lists 1");
    assert_refused_without(f, "Ball_fmi3", "binaries/x86_64-linux/Ball.so", "<EventIndicator",
                           "the FMU has 1 event indicators (fmi3GetNumberOfEventIndicators), but "
                           "its modelDescription.xml lists 0");
    // FMI 2.0 cannot be asked; the FMU refuses the wrong number.
    assert_refused_without(f, "Ball", "binaries/linux64/Ball.so", "<Unknown index=\"4\"",
                           "fmi2GetContinuousStates failed (status error); the FMU says: "
                           "fmi2GetContinuousStates: there are 2 values, not 1");
}

// ---- memory ----------------------------------------------------------------------------------------

typedef struct usage {
    const char *path;
    takt_me_options options;
    bool has_steps;
} usage;

// A step, back, and once more.
static takt_status use(fixture *f, const usage *u)
{
    takt_step_result result;
    void *saved = NULL;
    takt_status st = start(f, u->path, &u->options);
    const takt_instance_type *type = f->model ? f->model->type : NULL;
    if (!st && takt_model_can_rewind(f->model)) st = type->save(f->instance, &saved, NULL);
    if (!st && u->has_steps) st = type->step(f->instance, 0, 0.1, false, &result, NULL);
    if (!st && saved) st = type->restore(f->instance, saved, NULL);
    if (!st && u->has_steps) st = type->step(f->instance, 0, 0.1, true, &result, NULL);
    if (saved) type->free_state(f->instance, &saved);
    clear(f);
    return st;
}

// Without steps of CVODE: SUNDIALS 6.4 crashes by itself when it gets no memory; see num/ode_cvode.c.
static void every_failing_allocation_is_survived(void **state)
{
    static const usage usages[] = {
        {TEST_FMUS "/Prey_fmi1me.fmu", {.method = TAKT_RK4}, true},
        {TEST_FMUS "/Prey.fmu", {.method = TAKT_EULER}, true},
        {TEST_FMUS "/Prey_fmi3.fmu", {.method = TAKT_RK4}, true},
        {TEST_FMUS "/Chain.fmu", {.method = TAKT_CVODE_BDF}, false},
        {TEST_FMUS "/Prey.fmu", {.method = TAKT_CVODE_BDF}, false},
    };
    fixture *f = *state;
    for (size_t k = 0; k < sizeof usages / sizeof *usages; k++) {
        assert_int_equal(use(f, &usages[k]), TAKT_OK); // the cache has it from now on
        bool has_failed = true;
        int n = 0;
        while (has_failed) {
            test_memory_fail(++n);
            takt_status st = use(f, &usages[k]);
            has_failed = test_memory_has_failed();
            test_memory_fail(0);
            // An FMU without memory refuses to be instantiated, or the like.
            assert_true(st == TAKT_OK ||
                        (has_failed && (st == TAKT_ERR_MEMORY || st == TAKT_ERR_SIMULATION)));
        }
        assert_true(n > 30);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_band_takes_three_evaluations),
        TEST(directional_derivatives_are_exact),
        TEST(without_structure_and_derivatives_the_solver_helps_itself),
        TEST(numbers_of_states_that_disagree_are_refused),
        TEST(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

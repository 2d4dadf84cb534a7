// SPDX-License-Identifier: MIT
// Models in plain C and their instances; see model.h.
#include "support/model.h"

#include "support/test.h"

// ---- model -------------------------------------------------------------------------------------

typedef struct opened_model {
    takt_model base;
    test_model *definition;
} opened_model;

static takt_initial default_initial(const test_variable *variable)
{
    switch (variable->causality) {
    case TAKT_PARAMETER:
    case TAKT_STRUCTURAL_PARAMETER: return TAKT_EXACT;
    case TAKT_INPUT:
    case TAKT_INDEPENDENT: return TAKT_INITIAL_NONE;
    default: return variable->is_constant ? TAKT_EXACT : TAKT_CALCULATED;
    }
}

static takt_variability variability(const test_variable *variable)
{
    if (variable->is_constant) return TAKT_CONSTANT;
    if (variable->causality <= TAKT_STRUCTURAL_PARAMETER) return TAKT_FIXED;
    if (variable->is_discrete) return TAKT_DISCRETE;
    return takt_type_kind(variable->type) == TAKT_KIND_REAL ? TAKT_CONTINUOUS : TAKT_DISCRETE;
}

static void add_variable(takt_model *model, int i, const test_variable *variable)
{
    bool is_limited = variable->min != 0 || variable->max != 0;
    model->variables[i] = (takt_variable){
        .name = variable->name,
        .reference = (uint32_t)(100 + i),
        .type = variable->type,
        .causality = variable->causality,
        .variability = variability(variable),
        .initial = variable->initial ? variable->initial : default_initial(variable),
        .has_start = variable->start != NULL,
        .min = is_limited ? variable->min : -INFINITY,
        .max = is_limited ? variable->max : INFINITY,
        .nominal = variable->nominal != 0 ? variable->nominal : 1,
        .has_nominal = variable->nominal != 0,
        .line = 10 + i,
        .unit = variable->unit,
        .is_relative = variable->is_relative,
    };
    if (variable->start)
        assert_true(takt_value_read(variable->type, variable->start, &model->arena,
                                    &model->variables[i].start));
    assert_true(takt_map_add(&model->names, variable->name, i));
}

static takt_dependency dependency(takt_model *model, int variable, const char *names)
{
    takt_dependency d = {.variable = variable, .is_known = names && strcmp(names, "?") != 0};
    if (!d.is_known) return d;
    int *known = takt_arena_array(&model->arena, strlen(names) + 1, sizeof *known);
    assert_non_null(known);
    while (*names) {
        size_t length = strcspn(names, " ");
        char *name = takt_arena_copy_n(&model->arena, names, length);
        int i = takt_map_find(&model->names, name);
        if (i < 0) fail_msg("%s depends on '%s', which does not exist", model->name, name);
        known[d.n_known++] = i;
        names += length + strspn(names + length, " ");
    }
    d.known = known;
    return d;
}

static void add_dependencies(takt_model *model, const test_variable *variables)
{
    size_t n = (size_t)model->n_variables;
    model->outputs = takt_arena_array(&model->arena, n, sizeof *model->outputs);
    model->initial_unknowns = takt_arena_array(&model->arena, n, sizeof *model->initial_unknowns);
    assert_true(model->outputs && model->initial_unknowns);
    for (int i = 0; i < model->n_variables; i++) {
        const test_variable *variable = &variables[i];
        if (variable->causality != TAKT_OUTPUT) continue;
        model->outputs[model->n_outputs++] = dependency(model, i, variable->depends);
        if (model->variables[i].initial == TAKT_EXACT) continue;
        model->initial_unknowns[model->n_initial_unknowns++] =
            dependency(model, i, variable->initially ? variable->initially : variable->depends);
    }
}

static bool is_called(const test_model *definition, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    size_t length = strlen(definition->name);
    return strncmp(name, definition->name, length) == 0 &&
           (name[length] == 0 || strcmp(name + length, ".fmu") == 0);
}

static const takt_instance_type test_split_instance_type;

takt_status test_model_open(void *context, const takt_model_source *source, takt_model **out,
                            takt_error *err)
{
    const char *path = source->path;
    test_model *definition = context;
    while (definition->name && !is_called(definition, path)) definition++;
    if (!definition->name)
        return takt_fail(err, TAKT_ERR_INPUT, "FMU %s: cannot open: No such file or directory",
                         path);
    opened_model *opened = calloc(1, sizeof *opened);
    assert_non_null(opened);
    opened->definition = definition;
    takt_model *model = &opened->base;
    model->type = definition->derivatives ? &test_me_instance_type
                  : definition->is_split  ? &test_split_instance_type
                                          : &test_instance_type;
    model->path = takt_arena_copy(&model->arena, path);
    model->description_file = takt_arena_print(&model->arena, "%s/modelDescription.xml", path);
    model->name = definition->name;
    model->version = "plain C";
    static takt_unit units[] = {
        {"K", true, .K = 1, .factor = 1},
        {"degC", true, .K = 1, .factor = 1, .offset = 273.15},
        {"m", true, .m = 1, .factor = 1},
        {"km", true, .m = 1, .factor = 1000},
    };
    model->units = units;
    model->n_units = 4;
    model->can = definition->can;
    model->experiment = definition->experiment;
    while (definition->variables[model->n_variables].name) model->n_variables++;
    model->variables =
        takt_arena_array(&model->arena, (size_t)model->n_variables, sizeof *model->variables);
    assert_non_null(model->variables);
    for (int i = 0; i < model->n_variables; i++) add_variable(model, i, &definition->variables[i]);
    add_dependencies(model, definition->variables);
    definition->n_open++;
    *out = model;
    return TAKT_OK;
}

static void close_model(takt_model *model)
{
    ((opened_model *)model)->definition->n_open--;
    free(model);
}

// ---- instance ----------------------------------------------------------------------------------

enum { INSTANTIATED = 1, INITIALIZING = 2, STEPPING = 4, TERMINATED = 8, EVENTS = 16, BEGUN = 32 };

static int n_variables(const test_instance *instance)
{
    return instance->base.model->n_variables;
}

// Instances of one model may be called by several threads.
#define ADD(instance, what, n)                                                                     \
    do {                                                                                           \
        (instance)->counts.what += (n);                                                            \
        __atomic_fetch_add(&(instance)->model->counts.what, (n), __ATOMIC_RELAXED);                \
    } while (0)

// Counts a call and writes it down.
#define COUNT(instance, call)                                                                      \
    do {                                                                                           \
        ADD(instance, call, 1);                                                                    \
        if ((instance)->model->journal)                                                            \
            takt_text_print((instance)->model->journal, "%s." #call " ", (instance)->base.name);   \
    } while (0)

static takt_status check(const test_instance *instance, const char *call, int phases,
                         test_fault fault, takt_error *err)
{
    if (!(instance->phase & phases))
        return takt_fail(err, TAKT_ERR_SIMULATION, "%s: %s called at the wrong time",
                         instance->base.name, call);
    if (fault && instance->model->fault == fault)
        return takt_fail(err, TAKT_ERR_SIMULATION, "%s: %s fails on request", instance->base.name,
                         call);
    return TAKT_OK;
}

static void destroy(takt_instance *base)
{
    if (!base) return;
    test_instance *instance = (test_instance *)base;
    COUNT(instance, destroy);
    for (int i = 0; i < n_variables(instance); i++) takt_bytes_clear(&instance->bytes[i]);
    free(instance->slopes);
    takt_motion_clear(&instance->motion);
    free(instance->real);
    free(instance->integer);
    free(instance->bytes);
    free(instance);
}

static void set_start_values(test_instance *instance)
{
    for (int i = 0; i < n_variables(instance); i++) {
        const takt_variable *variable = &instance->base.model->variables[i];
        if (!variable->has_start) continue;
        instance->real[i] = variable->start.real;
        instance->integer[i] = variable->start.integer;
        if (takt_type_kind(variable->type) == TAKT_KIND_BYTES)
            assert_true(
                takt_bytes_assign(&instance->bytes[i], variable->start.text, variable->start.size));
    }
}

static takt_status instantiate(const takt_model *model, const char *name, takt_log *log,
                               takt_instance **out, takt_error *err)
{
    test_instance *instance = calloc(1, sizeof *instance);
    assert_non_null(instance);
    instance->base = (takt_instance){.type = model->type, .model = model, .name = name, .log = log};
    instance->model = ((const opened_model *)model)->definition;
    instance->phase = INSTANTIATED;
    size_t n = (size_t)model->n_variables + 1;
    instance->slopes = calloc(n, sizeof *instance->slopes);
    instance->real = calloc(n, sizeof *instance->real);
    instance->integer = calloc(n, sizeof *instance->integer);
    instance->bytes = calloc(n, sizeof *instance->bytes);
    assert_true(instance->slopes && instance->real && instance->integer && instance->bytes);
    set_start_values(instance);
    COUNT(instance, instantiate);
    takt_status st = check(instance, "instantiate", INSTANTIATED, TEST_FAILS_TO_INSTANTIATE, err);
    if (st)
        destroy(&instance->base);
    else
        *out = &instance->base;
    return st;
}

static takt_status enter_initialization(takt_instance *base, const takt_interval *interval,
                                        takt_error *err)
{
    test_instance *instance = (test_instance *)base;
    COUNT(instance, enter);
    takt_status st =
        check(instance, "enter_initialization", INSTANTIATED, TEST_FAILS_TO_ENTER, err);
    if (st) return st;
    instance->time = instance->final_time = interval->start;
    instance->phase = INITIALIZING;
    return TAKT_OK;
}

static takt_status exit_initialization(takt_instance *base, takt_error *err)
{
    test_instance *instance = (test_instance *)base;
    COUNT(instance, exit);
    takt_status st = check(instance, "exit_initialization", INITIALIZING, TEST_FAILS_TO_EXIT, err);
    if (st) return st;
    if (instance->model->init) instance->model->init(instance);
    instance->phase = instance->model->can.events ? EVENTS : STEPPING;
    return TAKT_OK;
}

static takt_status set(takt_instance *base, const takt_access *access, const takt_values *values,
                       takt_error *err)
{
    test_instance *instance = (test_instance *)base;
    COUNT(instance, set);
    takt_status st = check(instance, "set", INSTANTIATED | INITIALIZING | STEPPING | EVENTS,
                           TEST_FAILS_TO_SET, err);
    if (st) return st;
    for (int g = 0; g < access->n_batches; g++) {
        const takt_access_batch *batch = &access->batches[g];
        for (int i = 0; i < batch->n_refs; i++) {
            int variable = (int)batch->refs[i] - 100, k = batch->first + i;
            takt_kind kind = takt_type_kind(batch->type);
            if (kind == TAKT_KIND_REAL)
                instance->real[variable] = values->real[k];
            else if (kind == TAKT_KIND_INTEGER)
                instance->integer[variable] = values->integer[k];
            else
                assert_true(takt_bytes_assign(&instance->bytes[variable], values->bytes[k].data,
                                              values->bytes[k].size));
        }
    }
    return TAKT_OK;
}

static bool gives_nan(const test_instance *instance, int variable)
{
    return instance->model->fault == TEST_GIVES_NAN && instance->phase == STEPPING &&
           instance->time > instance->model->fault_time &&
           instance->base.model->variables[variable].causality == TAKT_OUTPUT;
}

static takt_status get(takt_instance *base, const takt_access *access, takt_values *values,
                       takt_error *err)
{
    test_instance *instance = (test_instance *)base;
    COUNT(instance, get);
    takt_status st = check(instance, "get", INITIALIZING | STEPPING | TERMINATED | EVENTS,
                           TEST_FAILS_TO_GET, err);
    if (st) return st;
    if (instance->model->output) instance->model->output(instance);
    for (int g = 0; g < access->n_batches; g++) {
        const takt_access_batch *batch = &access->batches[g];
        for (int i = 0; i < batch->n_refs; i++) {
            int variable = (int)batch->refs[i] - 100, k = batch->first + i;
            takt_kind kind = takt_type_kind(batch->type);
            if (kind == TAKT_KIND_REAL)
                values->real[k] = gives_nan(instance, variable) ? NAN : instance->real[variable];
            else if (kind == TAKT_KIND_INTEGER)
                values->integer[k] = instance->integer[variable];
            else
                assert_true(takt_bytes_assign(&values->bytes[k], instance->bytes[variable].data,
                                              instance->bytes[variable].size));
        }
    }
    return TAKT_OK;
}

double test_input_at(test_instance *instance, int variable, double time)
{
    const takt_access *inputs = instance->motion.inputs;
    for (int i = 0; inputs && i < inputs->n_values[TAKT_KIND_REAL]; i++)
        if (takt_access_index(inputs, TAKT_KIND_REAL, i) == variable)
            return takt_motion_at(&instance->motion, time)[i];
    return instance->real[variable];
}

// Leaves the inputs that moved where they are at the end of the step.
static void end_motion(test_instance *instance)
{
    const takt_access *inputs = instance->motion.inputs;
    if (!inputs) return;
    const double *values = takt_motion_at(&instance->motion, instance->time);
    for (int i = 0; i < inputs->n_values[TAKT_KIND_REAL]; i++)
        instance->real[takt_access_index(inputs, TAKT_KIND_REAL, i)] = values[i];
    takt_motion_end(&instance->motion);
}

static takt_status step(takt_instance *base, double t, double h, bool is_final,
                        takt_step_result *result, takt_error *err)
{
    test_instance *instance = (test_instance *)base;
    const test_model *model = instance->model;
    if (is_final && t > instance->final_time) instance->final_time = t;
    ADD(instance, step, 1);
    if (model->journal) takt_text_print(model->journal, "%s.step(%g,%g) ", base->name, t, h);
    bool is_faulty = t + h > model->fault_time;
    takt_status st = check(instance, "step", STEPPING, is_faulty ? TEST_FAILS : 0, err);
    if (st) return st;
    if (fabs(instance->time - t) > 1e-9 * (1 + fabs(t)))
        return takt_fail(err, TAKT_ERR_SIMULATION, "%s: step from %g, but the instance is at %g",
                         base->name, t, instance->time);
    *result = (takt_step_result){.end = TAKT_STEP_DONE, .time = t + h};
    if (is_faulty && model->fault == TEST_TERMINATES) result->end = TAKT_STEP_TERMINATED;
    if (is_faulty && model->fault == TEST_DISCARDS)
        *result =
            (takt_step_result){.end = TAKT_STEP_DISCARDED, .time = fmax(t, model->fault_time)};
    if (is_faulty && model->fault == TEST_STOPS)
        *result =
            (takt_step_result){.end = TAKT_STEP_TERMINATED, .time = fmax(t, model->fault_time)};
    if (is_faulty && model->fault == TEST_CREEPS)
        *result = (takt_step_result){.end = TAKT_STEP_DISCARDED, .time = t + 0.9999 * h};
    instance->stop_at = NAN;
    instance->wants_event = false;
    if (model->step) model->step(instance, t, result->time - t);
    if (instance->stop_at < t + h)
        *result = (takt_step_result){.end = TAKT_STEP_EARLY, .time = instance->stop_at};
    result->has_event = instance->wants_event;
    instance->time = result->time;
    if (result->end != TAKT_STEP_EARLY) end_motion(instance);
    return TAKT_OK;
}

static takt_status enter_events(takt_instance *base, double t, takt_error *err)
{
    test_instance *instance = (test_instance *)base;
    COUNT(instance, enter_events);
    takt_status st = check(instance, "enter_events", STEPPING, 0, err);
    if (!st && fabs(instance->time - t) > 1e-9)
        return takt_fail(err, TAKT_ERR_SIMULATION, "%s: events at the wrong time", base->name);
    instance->phase = EVENTS;
    return st;
}

static takt_status update_events(takt_instance *base, takt_event *out, takt_error *err)
{
    test_instance *instance = (test_instance *)base;
    COUNT(instance, update_events);
    *out = (takt_event){.next_time = INFINITY};
    takt_status st = check(instance, "update_events", EVENTS, 0, err);
    if (!st && instance->model->event) instance->model->event(instance, out);
    return st;
}

static takt_status leave_events(takt_instance *base, takt_error *err)
{
    test_instance *instance = (test_instance *)base;
    COUNT(instance, leave_events);
    takt_status st = check(instance, "leave_events", EVENTS, 0, err);
    instance->phase = STEPPING;
    return st;
}

static takt_status terminate(takt_instance *base, takt_error *err)
{
    test_instance *instance = (test_instance *)base;
    COUNT(instance, terminate);
    takt_status st = check(instance, "terminate", STEPPING | EVENTS, TEST_FAILS_TO_TERMINATE, err);
    instance->phase = TERMINATED;
    return st;
}

// ---- states ------------------------------------------------------------------------------------

typedef struct saved_state {
    double time, state[TEST_N_STATES];
    double *real;
    int64_t *integer;
    takt_bytes *bytes;
    int phase;
} saved_state;

static void copy_values(int n, double *real, int64_t *integer, takt_bytes *bytes,
                        const double *from_real, const int64_t *from_integer,
                        const takt_bytes *from_bytes)
{
    memcpy(real, from_real, (size_t)n * sizeof *real);
    memcpy(integer, from_integer, (size_t)n * sizeof *integer);
    for (int i = 0; i < n; i++)
        assert_true(takt_bytes_assign(&bytes[i], from_bytes[i].data, from_bytes[i].size));
}

static takt_status save(takt_instance *base, void **state, takt_error *err)
{
    test_instance *instance = (test_instance *)base;
    COUNT(instance, save);
    takt_status st = check(instance, "save", INITIALIZING | STEPPING, TEST_FAILS_TO_SAVE, err);
    if (st) return st;
    saved_state *saved = *state;
    if (!saved) {
        size_t n = (size_t)n_variables(instance) + 1;
        saved = calloc(1, sizeof *saved);
        assert_non_null(saved);
        saved->real = calloc(n, sizeof *saved->real);
        saved->integer = calloc(n, sizeof *saved->integer);
        saved->bytes = calloc(n, sizeof *saved->bytes);
        assert_true(saved->real && saved->integer && saved->bytes);
        ADD(instance, states, 1);
    }
    saved->time = instance->time;
    saved->phase = instance->phase;
    memcpy(saved->state, instance->state, sizeof saved->state);
    copy_values(n_variables(instance), saved->real, saved->integer, saved->bytes, instance->real,
                instance->integer, instance->bytes);
    *state = saved;
    return TAKT_OK;
}

static takt_status restore(takt_instance *base, void *state, takt_error *err)
{
    test_instance *instance = (test_instance *)base;
    const saved_state *saved = state;
    COUNT(instance, restore);
    takt_status st =
        check(instance, "restore", INITIALIZING | STEPPING, TEST_FAILS_TO_RESTORE, err);
    if (st) return st;
    if (saved->time < instance->final_time - 1e-9 * (1 + fabs(instance->final_time)))
        return takt_fail(err, TAKT_ERR_SIMULATION,
                         "%s: rewound to %g, which was promised not to happen after %g", base->name,
                         saved->time, instance->final_time);
    instance->time = saved->time;
    instance->phase = saved->phase;
    memcpy(instance->state, saved->state, sizeof saved->state);
    copy_values(n_variables(instance), instance->real, instance->integer, instance->bytes,
                saved->real, saved->integer, saved->bytes);
    return TAKT_OK;
}

static void free_state(takt_instance *base, void **state)
{
    test_instance *instance = (test_instance *)base;
    saved_state *saved = *state;
    if (!saved) return;
    for (int i = 0; i < n_variables(instance); i++) takt_bytes_clear(&saved->bytes[i]);
    free(saved->real);
    free(saved->integer);
    free(saved->bytes);
    free(saved);
    ADD(instance, states, -1);
    *state = NULL;
}

static takt_status differentiate(takt_instance *base, const takt_access *unknowns,
                                 const takt_access *knowns, const double *seed, double *derivative,
                                 takt_error *err)
{
    test_instance *instance = (test_instance *)base;
    if (!instance->model->derivative)
        return takt_fail(err, TAKT_ERR_SIMULATION, "%s: no derivatives", base->name);
    for (int i = 0; i < unknowns->n_values[TAKT_KIND_REAL]; i++) {
        derivative[i] = 0;
        for (int k = 0; k < knowns->n_values[TAKT_KIND_REAL]; k++) {
            int output = takt_access_index(unknowns, TAKT_KIND_REAL, i);
            int input = takt_access_index(knowns, TAKT_KIND_REAL, k);
            derivative[i] += seed[k] * instance->model->derivative(instance, output, input);
        }
    }
    return TAKT_OK;
}

static takt_status get_derivatives(takt_instance *base, const takt_access *outputs,
                                   double *derivatives, takt_error *err)
{
    test_instance *instance = (test_instance *)base;
    const test_model *model = instance->model;
    COUNT(instance, get_derivatives);
    bool is_faulty = instance->time >= model->fault_time;
    takt_status st =
        check(instance, "get_derivatives", STEPPING, is_faulty ? TEST_FAILS_TO_DERIVE : 0, err);
    if (st) return st;
    bool is_nan = is_faulty && model->fault == TEST_DERIVES_NAN;
    for (int i = 0; i < outputs->n_values[TAKT_KIND_REAL]; i++)
        derivatives[i] =
            is_nan ? NAN : model->slope(instance, takt_access_index(outputs, TAKT_KIND_REAL, i));
    return TAKT_OK;
}

static takt_status set_motion(takt_instance *base, double t, const takt_access *inputs, int order,
                              const double *derivatives, takt_error *err)
{
    test_instance *instance = (test_instance *)base;
    int n = inputs->n_values[TAKT_KIND_REAL];
    COUNT(instance, set_motion);
    takt_status st = check(instance, "set_motion", STEPPING, TEST_FAILS_TO_SET_MOTION, err);
    if (!st && fabs(instance->time - t) > 1e-9 * (1 + fabs(t)))
        return takt_fail(err, TAKT_ERR_SIMULATION, "%s: derivatives of the wrong time", base->name);
    assert_in_range(order, 1, TAKT_MAX_MOTION_ORDER);
    if (instance->model->fault == TEST_REFUSES_ORDER && order > 1) {
        instance->refused = true;
        order = 1;
    }
    for (int i = 0; i < n && !st; i++) {
        int variable = takt_access_index(inputs, TAKT_KIND_REAL, i);
        if (derivatives[i] != instance->real[variable])
            return takt_fail(err, TAKT_ERR_SIMULATION, "%s: the value was not set before",
                             base->name);
        instance->slopes[variable] = derivatives[n + i];
    }
    if (!st) assert_true(takt_motion_begin(&instance->motion, t, inputs, order, derivatives));
    return st;
}

static int motion_order(const takt_instance *base)
{
    return ((const test_instance *)base)->refused ? 1 : TAKT_MAX_MOTION_ORDER;
}

// The work is done in the second phase; in between no other call is allowed.
static takt_status begin_step(takt_instance *base, double t, double h, bool is_final,
                              takt_error *err)
{
    test_instance *instance = (test_instance *)base;
    if (instance->model->journal)
        takt_text_print(instance->model->journal, "%s.begin ", base->name);
    takt_status st = check(instance, "begin_step", STEPPING, 0, err);
    instance->begun_t = t;
    instance->begun_h = h;
    instance->begun_final = is_final;
    instance->phase = BEGUN;
    return st;
}

static takt_status end_step(takt_instance *base, takt_step_result *result, takt_error *err)
{
    test_instance *instance = (test_instance *)base;
    takt_status st = check(instance, "end_step", BEGUN, 0, err);
    instance->phase = STEPPING;
    if (st) return st;
    return step(base, instance->begun_t, instance->begun_h, instance->begun_final, result, err);
}

static takt_status find_knots(takt_instance *base, const takt_access *outputs, double relative,
                              const double **times, int *n_times, takt_error *err)
{
    const test_model *model = ((test_instance *)base)->model;
    (void)relative, (void)err;
    *times = model->knots;
    *n_times = outputs->n_batches ? model->n_knots : 0;
    return TAKT_OK;
}

#define WHAT_ALL_DO                                                                                \
    .name = "plain C", .instantiate = instantiate, .destroy = destroy,                             \
    .enter_initialization = enter_initialization, .exit_initialization = exit_initialization,      \
    .set = set, .get = get, .step = step, .enter_events = enter_events,                            \
    .update_events = update_events, .leave_events = leave_events, .terminate = terminate,          \
    .save = save, .restore = restore, .free_state = free_state, .differentiate = differentiate,    \
    .get_derivatives = get_derivatives, .set_motion = set_motion, .motion_order = motion_order,    \
    .find_knots = find_knots, .close_model = close_model

const takt_instance_type test_instance_type = {WHAT_ALL_DO};

static const takt_instance_type test_split_instance_type = {WHAT_ALL_DO, .begin_step = begin_step,
                                                            .end_step = end_step};

// SPDX-License-Identifier: MIT
// Built-in functions as models and instances; see function.h. Variables lie in the order parameters,
// inputs (term by term), outputs; an instance keeps the values of all but the outputs, which are
// computed when they are read.
#include "builtin/function.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "instance/pack.h"

typedef struct function_model {
    takt_model base;
    takt_function function;
    int first_input, first_output; // indices of variables
} function_model;

typedef struct function_instance {
    takt_instance base;
    const function_model *model;
    double *values; // of the parameters and inputs
} function_instance;

enum { FACTOR, OFFSET, N_PARAMETERS }; // variables of a linear function

// ---- instance ----------------------------------------------------------------------------------

static size_t values_size(const function_model *model)
{
    return (size_t)model->first_output * sizeof(double);
}

static void destroy(takt_instance *base)
{
    if (!base) return;
    free(((function_instance *)base)->values);
    free(base);
}

static takt_status instantiate(const takt_model *base, const char *name, takt_log *log,
                               takt_instance **out, takt_error *err)
{
    const function_model *model = (const function_model *)base;
    function_instance *instance = calloc(1, sizeof *instance);
    double *values = calloc(1, values_size(model));
    if (!instance || !values) {
        free(instance);
        free(values);
        return takt_fail_memory(err);
    }
    *instance = (function_instance){
        {.type = base->type, .model = base, .name = name, .log = log}, model, values};
    for (int i = 0; i < model->first_output; i++) values[i] = base->variables[i].start.real;
    *out = &instance->base;
    return TAKT_OK;
}

static takt_status enter_initialization(takt_instance *instance, const takt_interval *interval,
                                        takt_error *err)
{
    (void)instance, (void)interval, (void)err;
    return TAKT_OK;
}

static takt_status exit_initialization(takt_instance *instance, takt_error *err)
{
    (void)instance, (void)err;
    return TAKT_OK;
}

static double output(const function_instance *instance, int element)
{
    const function_model *model = instance->model;
    const double *in = instance->values + model->first_input + element;
    double sum = in[0];
    for (int i = 1; i < model->function.n_terms; i++) sum += in[i * model->function.dimension];
    if (!model->function.is_linear) return sum;
    return instance->values[OFFSET] + instance->values[FACTOR] * sum;
}

static takt_status set(takt_instance *base, const takt_access *access, const takt_values *values,
                       takt_error *err)
{
    (void)err;
    function_instance *instance = (function_instance *)base;
    for (int g = 0; g < access->n_batches; g++) {
        const takt_access_batch *batch = &access->batches[g];
        for (int i = 0; i < batch->n_values; i++)
            if (batch->variables[i] < instance->model->first_output)
                instance->values[batch->variables[i]] = values->real[batch->first + i];
    }
    return TAKT_OK;
}

static takt_status get(takt_instance *base, const takt_access *access, takt_values *values,
                       takt_error *err)
{
    (void)err;
    const function_instance *instance = (const function_instance *)base;
    int first_output = instance->model->first_output;
    for (int g = 0; g < access->n_batches; g++) {
        const takt_access_batch *batch = &access->batches[g];
        for (int i = 0; i < batch->n_values; i++) {
            int variable = batch->variables[i];
            values->real[batch->first + i] = variable < first_output
                                                 ? instance->values[variable]
                                                 : output(instance, variable - first_output);
        }
    }
    return TAKT_OK;
}

static takt_status step(takt_instance *instance, double t, double h, bool is_final,
                        takt_step_result *result, takt_error *err)
{
    (void)instance, (void)is_final, (void)err;
    *result = (takt_step_result){.end = TAKT_STEP_DONE, .time = t + h};
    return TAKT_OK;
}

static takt_status save(takt_instance *base, void **state, takt_error *err)
{
    const function_instance *instance = (const function_instance *)base;
    if (!*state) *state = malloc(values_size(instance->model));
    if (!*state) return takt_fail_memory(err);
    memcpy(*state, instance->values, values_size(instance->model));
    return TAKT_OK;
}

static takt_status restore(takt_instance *base, void *state, takt_error *err)
{
    (void)err;
    function_instance *instance = (function_instance *)base;
    memcpy(instance->values, state, values_size(instance->model));
    return TAKT_OK;
}

static void free_state(takt_instance *instance, void **state)
{
    (void)instance;
    free(*state);
    *state = NULL;
}

static takt_status serialize(takt_instance *base, void *state, takt_bytes *out, takt_error *err)
{
    const function_model *model = ((function_instance *)base)->model;
    return takt_bytes_assign(out, state, values_size(model)) ? TAKT_OK : takt_fail_memory(err);
}

static takt_status deserialize(takt_instance *base, const void *data, size_t size, void **state,
                               takt_error *err)
{
    takt_unpacker unpacker = {.next = data, .left = size};
    size_t wanted = values_size(((function_instance *)base)->model);
    void *values = malloc(wanted);
    if (!values) return takt_fail_memory(err);
    takt_unpack(&unpacker, values, wanted);
    takt_status st = takt_unpack_end(&unpacker, err);
    free(st ? values : *state);
    if (!st) *state = values;
    return st;
}

// The derivative of one output in the direction `seed`: only the inputs of its own element count.
static double derivative_of(const function_instance *instance, int element,
                            const takt_access *knowns, const double *seed)
{
    const function_model *model = instance->model;
    double sum = 0;
    for (int g = 0; g < knowns->n_batches; g++) {
        const takt_access_batch *batch = &knowns->batches[g];
        for (int i = 0; i < batch->n_values; i++) {
            int input = batch->variables[i] - model->first_input;
            bool is_input = input >= 0 && batch->variables[i] < model->first_output;
            if (is_input && input % model->function.dimension == element)
                sum += seed[batch->first + i];
        }
    }
    return model->function.is_linear ? instance->values[FACTOR] * sum : sum;
}

static takt_status differentiate(takt_instance *base, const takt_access *unknowns,
                                 const takt_access *knowns, const double *seed, double *derivative,
                                 takt_error *err)
{
    (void)err;
    const function_instance *instance = (const function_instance *)base;
    for (int g = 0; g < unknowns->n_batches; g++) {
        const takt_access_batch *batch = &unknowns->batches[g];
        for (int i = 0; i < batch->n_values; i++) {
            int element = batch->variables[i] - instance->model->first_output;
            derivative[batch->first + i] =
                element < 0 ? 0 : derivative_of(instance, element, knowns, seed);
        }
    }
    return TAKT_OK;
}

static void close_model(takt_model *model)
{
    free(model);
}

static const takt_instance_type function_type = {
    .name = "built-in function",
    .instantiate = instantiate,
    .destroy = destroy,
    .enter_initialization = enter_initialization,
    .exit_initialization = exit_initialization,
    .set = set,
    .get = get,
    .step = step,
    .save = save,
    .restore = restore,
    .free_state = free_state,
    .serialize = serialize,
    .deserialize = deserialize,
    .differentiate = differentiate,
    .close_model = close_model,
};

// ---- model -------------------------------------------------------------------------------------

static bool add(function_model *model, const char *name, takt_causality causality, double start)
{
    takt_model *base = &model->base;
    int i = base->n_variables++;
    bool is_parameter = causality == TAKT_PARAMETER;
    base->variables[i] = (takt_variable){
        .name = name,
        .reference = (uint32_t)i,
        .type = TAKT_FLOAT64,
        .causality = causality,
        .variability = is_parameter ? TAKT_FIXED : TAKT_CONTINUOUS,
        .initial = is_parameter              ? TAKT_EXACT
                   : causality == TAKT_INPUT ? TAKT_INITIAL_NONE
                                             : TAKT_CALCULATED,
        .has_start = causality != TAKT_OUTPUT,
        .start = {.real = start},
        .min = -INFINITY,
        .max = INFINITY,
        .nominal = 1,
    };
    return name && takt_map_add(&base->names, name, i);
}

static bool add_inputs(function_model *model)
{
    const takt_function *f = &model->function;
    takt_arena *arena = &model->base.arena;
    model->first_input = model->base.n_variables;
    for (int i = 0; i < f->n_terms; i++) {
        for (int j = 0; j < f->dimension; j++) {
            const char *name = "in";
            if (f->has_element_index)
                name = takt_arena_print(arena, "in[%d][%d]", i, j);
            else if (f->has_term_index)
                name = takt_arena_print(arena, "in[%d]", i);
            if (!add(model, name, TAKT_INPUT, 0)) return false;
        }
    }
    return true;
}

static bool add_outputs(function_model *model)
{
    const takt_function *f = &model->function;
    takt_arena *arena = &model->base.arena;
    model->first_output = model->base.n_variables;
    for (int j = 0; j < f->dimension; j++) {
        const char *name = f->has_element_index ? takt_arena_print(arena, "out[%d]", j) : "out";
        if (!add(model, name, TAKT_OUTPUT, 0)) return false;
    }
    return true;
}

static bool add_dependencies(function_model *model)
{
    const takt_function *f = &model->function;
    takt_model *base = &model->base;
    base->outputs = takt_arena_array(&base->arena, (size_t)f->dimension, sizeof *base->outputs);
    if (!base->outputs) return false;
    for (int j = 0; j < f->dimension; j++) {
        int *known = takt_arena_array(&base->arena, (size_t)f->n_terms, sizeof *known);
        if (!known) return false;
        for (int i = 0; i < f->n_terms; i++) known[i] = model->first_input + i * f->dimension + j;
        base->outputs[j] = (takt_dependency){.variable = model->first_output + j,
                                             .is_known = true,
                                             .n_known = f->n_terms,
                                             .known = known};
    }
    base->n_outputs = f->dimension;
    base->initial_unknowns = base->outputs;
    base->n_initial_unknowns = base->n_outputs;
    return true;
}

static bool describe(function_model *model, const char *source)
{
    const takt_function *f = &model->function;
    takt_model *base = &model->base;
    size_t n = (size_t)f->n_terms * (size_t)f->dimension + (size_t)f->dimension;
    if (f->is_linear) n += N_PARAMETERS;
    base->variables = takt_arena_array(&base->arena, n, sizeof *base->variables);
    base->path = takt_arena_copy(&base->arena, source);
    if (!base->variables || !base->path) return false;
    base->description_file = base->path;
    base->name = f->name;
    base->version = "built-in function";
    base->is_function = true;
    base->can = (takt_capabilities){
        .rewind = true, .serialize = true, .variable_step = true, .directional_derivatives = true};
    if (f->is_linear && (!add(model, "factor", TAKT_PARAMETER, f->factor) ||
                         !add(model, "offset", TAKT_PARAMETER, f->offset)))
        return false;
    return add_inputs(model) && add_outputs(model) && add_dependencies(model);
}

takt_status takt_function_create(const takt_function *function, const char *source,
                                 takt_model **out, takt_error *err)
{
    function_model *model = calloc(1, sizeof *model);
    if (!model) return takt_fail_memory(err);
    model->base.type = &function_type;
    model->function = *function;
    if (!describe(model, source)) {
        takt_model_close(&model->base);
        return takt_fail_memory(err);
    }
    *out = &model->base;
    return TAKT_OK;
}

// SPDX-License-Identifier: MIT
// A switch with hysteresis: u becomes 0 when x rises above `hi`, and 1 when it falls below `lo`. It announces no
// events: it looks at its input at some points of each step, as controllers from other tools do.
#include <fmukit/fmukit.h>

enum { LOOKS = 32 }; // per step

typedef struct hysteresis {
    double x, u;
    double hi, lo;
    bool is_on;
} hysteresis;

static const fmukit_variable variables[] = {
    {.name = "x", .causality = FMUKIT_INPUT, .field = FMUKIT_FIELD(hysteresis, x)},
    {.name = "u",
     .causality = FMUKIT_OUTPUT,
     .field = FMUKIT_FIELD(hysteresis, u),
     .depends_on = FMUKIT_NO_INPUTS},
    {.name = "hi",
     .causality = FMUKIT_PARAMETER,
     .field = FMUKIT_FIELD(hysteresis, hi),
     .start = {.real = 0.6}},
    {.name = "lo",
     .causality = FMUKIT_PARAMETER,
     .field = FMUKIT_FIELD(hysteresis, lo),
     .start = {.real = 0.4}},
};

static fmukit_status initialize(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    ((hysteresis *)model)->is_on = true;
    return FMUKIT_OK;
}

static fmukit_status evaluate(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    hysteresis *m = model;
    m->u = m->is_on ? 1 : 0;
    return FMUKIT_OK;
}

static fmukit_status step(fmukit_instance *fmu, void *model, double t, double t_end)
{
    hysteresis *m = model;
    for (int i = 0; i <= LOOKS; i++) {
        fmukit_inputs_at(fmu, i < LOOKS ? t + i * (t_end - t) / LOOKS : t_end);
        if (m->x > m->hi) m->is_on = false;
        if (m->x < m->lo) m->is_on = true;
    }
    return FMUKIT_OK;
}

static void state(fmukit_stream *s, void *model)
{
    fmukit_boolean(s, &((hysteresis *)model)->is_on);
}

const fmukit_model fmukit_this_model = {
    .name = "Hysteresis",
    .description = "A switch with hysteresis",
    .version = "1",
    .size = sizeof(hysteresis),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .stop_time = 10,
    .step_size = 0.1,
    .interpolates_inputs = true,
    .functions = {.initialize = initialize, .evaluate = evaluate, .step = step, .state = state},
};

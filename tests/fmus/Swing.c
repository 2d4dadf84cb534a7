// SPDX-License-Identifier: MIT
// One half of a swing, y' = k u. It asks for its input between communication points and gives the
// derivative of its output. Two of them, with k = 1 and k = -1, make sines. On request the derivative is
// wrong.
#include <fmukit/fmukit.h>

#include <math.h>

typedef struct swing {
    double u, y;
    double k, y0;
    int fault; // of derivatives: 1 error, 2 not a number
    double x; // the integral
    int n_asked; // how often inputs were asked for
} swing;

static const fmukit_variable variables[] = {
    {.name = "u", .causality = FMUKIT_INPUT, .field = FMUKIT_FIELD(swing, u)},
    {.name = "y",
     .causality = FMUKIT_OUTPUT,
     .field = FMUKIT_FIELD(swing, y),
     .depends_on = FMUKIT_NO_INPUTS},
    {.name = "k",
     .causality = FMUKIT_PARAMETER,
     .field = FMUKIT_FIELD(swing, k),
     .start = {.real = 1}},
    {.name = "y0", .causality = FMUKIT_PARAMETER, .field = FMUKIT_FIELD(swing, y0)},
    {.name = "fault",
     .type = FMUKIT_INTEGER,
     .causality = FMUKIT_PARAMETER,
     .field = FMUKIT_FIELD(swing, fault)},
    {.name = "n_asked",
     .description = "How often inputs were asked for",
     .type = FMUKIT_INTEGER,
     .causality = FMUKIT_OUTPUT,
     .field = FMUKIT_FIELD(swing, n_asked),
     .depends_on = FMUKIT_NO_INPUTS},
};

static fmukit_status initialize(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    swing *m = model;
    m->x = m->y0;
    return FMUKIT_OK;
}

static fmukit_status evaluate(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    swing *m = model;
    m->y = m->x;
    return FMUKIT_OK;
}

static double input_at(fmukit_instance *fmu, swing *m, double t)
{
    fmukit_inputs_at(fmu, t);
    m->n_asked++;
    return m->u;
}

// Simpson's rule.
static fmukit_status step(fmukit_instance *fmu, void *model, double t, double t_end)
{
    swing *m = model;
    double h = t_end - t, begin = input_at(fmu, m, t), middle = input_at(fmu, m, t + h / 2);
    m->x += m->k * h / 6 * (begin + 4 * middle + input_at(fmu, m, t_end));
    return FMUKIT_OK;
}

static fmukit_status output_derivative(fmukit_instance *fmu, void *model, fmukit_element output,
                                       int order, double *value)
{
    (void)output,
        (void)order; // there is one output of type real, and max_output_derivative_order is 1
    swing *m = model;
    if (m->fault == 1) {
        fmukit_log(fmu, FMUKIT_ERROR, NULL, "no derivative today");
        return FMUKIT_ERROR;
    }
    *value = m->fault == 2 ? NAN : m->k * m->u;
    return FMUKIT_OK;
}

static void state(fmukit_stream *s, void *model)
{
    swing *m = model;
    fmukit_real(s, &m->x);
}

const fmukit_model fmukit_this_model = {
    .name = "Swing",
    .description = "y' = k u with an input that changes within a step",
    .version = "1",
    .size = sizeof(swing),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .stop_time = 1,
    .step_size = 0.1,
    .max_output_derivative_order = 1,
    .interpolates_inputs = true,
    .functions = {.initialize = initialize,
                  .evaluate = evaluate,
                  .step = step,
                  .state = state,
                  .output_derivative = output_derivative},
};

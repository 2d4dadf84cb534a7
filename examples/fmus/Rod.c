// SPDX-License-Identifier: MIT
// A rod that is warmed at its left end and isolated otherwise: heat conduction in 200 finite volumes, stiff, integrated by the
// kit's implicit solver.
#include <fmukit/solver.h>

enum { N = 200 };

typedef struct rod {
    double T_left, T_right, duration; // degC, degC, s
    fmukit_solver *solver;
} rod;

static const fmukit_variable variables[] = {
    {.name = "T_left",
     .causality = FMUKIT_INPUT,
     .unit = "degC",
     .field = FMUKIT_FIELD(rod, T_left)},
    {.name = "T_right",
     .causality = FMUKIT_OUTPUT,
     .unit = "degC",
     .field = FMUKIT_FIELD(rod, T_right),
     .depends_on = FMUKIT_NO_INPUTS},
    {.name = "duration",
     .description = "That heat takes through the rod",
     .causality = FMUKIT_PARAMETER,
     .unit = "s",
     .start = {.real = 100},
     .range = FMUKIT_MIN(1e-6),
     .field = FMUKIT_FIELD(rod, duration)},
};

static const fmukit_unit units[] = {{.name = "s", .s = 1},
                                    {.name = "degC", .K = 1, .offset = 273.15}};

static fmukit_status rates(fmukit_instance *fmu, void *model, double t, const double *x,
                           double *rates)
{
    (void)fmu, (void)t;
    const rod *m = model;
    const double c = (double)N * N / m->duration;
    for (int i = 0; i < N; i++) {
        double left = i == 0 ? 2 * (m->T_left - x[0]) : x[i - 1] - x[i];
        double right = i == N - 1 ? 0 : x[i + 1] - x[i];
        rates[i] = c * (left + right);
    }
    return FMUKIT_OK;
}

static fmukit_status create(fmukit_instance *fmu, void *model)
{
    rod *m = model;
    const fmukit_equations e = {
        .n = N, .rates = rates, .linear = FMUKIT_BAND, .lower = 1, .upper = 1};
    m->solver = fmukit_solver_create(fmu, model, &e);
    return m->solver ? FMUKIT_OK : FMUKIT_ERROR;
}

static void destroy(fmukit_instance *fmu, void *model)
{
    (void)fmu;
    fmukit_solver_destroy(((rod *)model)->solver);
}

static fmukit_status evaluate(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    rod *m = model;
    m->T_right = fmukit_solver_states(m->solver)[N - 1];
    return FMUKIT_OK;
}

static fmukit_status step(fmukit_instance *fmu, void *model, double t, double t_end)
{
    (void)fmu;
    return fmukit_solver_advance(((rod *)model)->solver, t, t_end);
}

static void state(fmukit_stream *s, void *model)
{
    fmukit_solver_state(s, ((rod *)model)->solver);
}

const fmukit_model fmukit_this_model = {
    .name = "Rod",
    .description = "Heat conduction in a rod",
    .version = "1",
    .size = sizeof(rod),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .units = units,
    .n_units = sizeof units / sizeof *units,
    .stop_time = 300,
    .step_size = 1,
    .interpolates_inputs = true,
    .functions =
        {.create = create, .destroy = destroy, .evaluate = evaluate, .step = step, .state = state},
};

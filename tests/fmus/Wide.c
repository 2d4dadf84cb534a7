// SPDX-License-Identifier: MIT
// Heat conduction in a rod of 20 cells, each with a heat source u[i] and a temperature y[i]: many
// variables, to show that importing programs pass all values of a type in one call.
#include <fmukit/fmukit.h>

enum { N = 20, SUBSTEPS = 10 };

typedef struct rod {
    double u[N], y[N];
    double conductivity;
    double temperature[N];
} rod;

#define INPUT(i)                                                                                   \
    {                                                                                              \
        .name = "u[" #i "]", .causality = FMUKIT_INPUT, .field = FMUKIT_FIELD(rod, u[i - 1])       \
    }
#define OUTPUT(i)                                                                                  \
    {                                                                                              \
        .name = "y[" #i "]", .unit = "K", .causality = FMUKIT_OUTPUT,                              \
        .depends_on = FMUKIT_NO_INPUTS, .field = FMUKIT_FIELD(rod, y[i - 1])                       \
    }
#define FOR_ALL_CELLS(X)                                                                           \
    X(1), X(2), X(3), X(4), X(5), X(6), X(7), X(8), X(9), X(10), X(11), X(12), X(13), X(14),       \
        X(15), X(16), X(17), X(18), X(19), X(20)

static const fmukit_variable variables[] = {
    FOR_ALL_CELLS(INPUT),
    FOR_ALL_CELLS(OUTPUT),
    {.name = "conductivity",
     .description = "Exchange between neighbouring cells",
     .unit = "1/s",
     .causality = FMUKIT_PARAMETER,
     .field = FMUKIT_FIELD(rod, conductivity),
     .start = {.real = 1},
     .range = FMUKIT_MIN(0)},
};

static const fmukit_unit units[] = {{.name = "K", .K = 1}, {.name = "1/s", .s = -1}};

static fmukit_status evaluate(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    rod *m = model;
    for (int i = 0; i < N; i++) m->y[i] = m->temperature[i];
    return FMUKIT_OK;
}

// Explicit Euler with a fixed number of substeps; the ends are insulated.
static fmukit_status step(fmukit_instance *fmu, void *model, double t, double t_end)
{
    (void)fmu;
    rod *m = model;
    double h = (t_end - t) / SUBSTEPS;
    for (int k = 0; k < SUBSTEPS; k++) {
        double flow = 0; // from the cell on the left
        for (int i = 0; i < N; i++) {
            double T = m->temperature[i];
            double next = i + 1 < N ? m->conductivity * (T - m->temperature[i + 1]) : 0;
            m->temperature[i] = T + h * (m->u[i] + flow - next);
            flow = next;
        }
    }
    return FMUKIT_OK;
}

static void state(fmukit_stream *s, void *model)
{
    rod *m = model;
    fmukit_reals(s, m->temperature, N);
}

const fmukit_model fmukit_this_model = {
    .name = "Wide",
    .description = "Heat conduction in a rod of 20 cells",
    .size = sizeof(rod),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .units = units,
    .n_units = sizeof units / sizeof *units,
    .functions = {.evaluate = evaluate, .step = step, .state = state},
};

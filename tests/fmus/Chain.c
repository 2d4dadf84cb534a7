// SPDX-License-Identifier: MIT
// Heat along a rod, x' = k (left - 2 x + right): 20 states, of which each derivative depends on three, which only
// FMI 3.0 can say with an array and FMI 2.0 with scalars; here scalars x1 ... x20. It has no derivatives to offer
// and cannot save its state.
#include <fmukit/fmukit.h>

enum { N = 20, K = 2 * N, LEFT, EVALUATIONS, N_VARIABLES };

typedef struct chain {
    double x[N], der[N];
    double k, left;
    int evaluations;
} chain;

#define STATE(i)                                                                                   \
    [i - 1] = {.name = "x" #i,                                                                     \
               .causality = FMUKIT_OUTPUT,                                                         \
               .initial = FMUKIT_EXACT,                                                            \
               .field = {offsetof(chain, x) + (i - 1) * sizeof(double), sizeof(double)}}
#define DERIVATIVE(i, ...)                                                                         \
    [N + i - 1] = {.name = "der(x" #i ")",                                                         \
                   .field = {offsetof(chain, der) + (i - 1) * sizeof(double), sizeof(double)},     \
                   .derivative_of = "x" #i,                                                        \
                   .depends_on_states = FMUKIT_STATES(__VA_ARGS__)}
#define BOTH(before, i, after) STATE(i), DERIVATIVE(i, "x" #before, "x" #i, "x" #after)

static const fmukit_variable variables[N_VARIABLES] = {
    STATE(1),
    DERIVATIVE(1, "x1", "x2"),
    BOTH(1, 2, 3),
    BOTH(2, 3, 4),
    BOTH(3, 4, 5),
    BOTH(4, 5, 6),
    BOTH(5, 6, 7),
    BOTH(6, 7, 8),
    BOTH(7, 8, 9),
    BOTH(8, 9, 10),
    BOTH(9, 10, 11),
    BOTH(10, 11, 12),
    BOTH(11, 12, 13),
    BOTH(12, 13, 14),
    BOTH(13, 14, 15),
    BOTH(14, 15, 16),
    BOTH(15, 16, 17),
    BOTH(16, 17, 18),
    BOTH(17, 18, 19),
    BOTH(18, 19, 20),
    STATE(20),
    DERIVATIVE(20, "x19", "x20"),
    [K] = {.name = "k",
           .causality = FMUKIT_PARAMETER,
           .unit = "1/s",
           .field = FMUKIT_FIELD(chain, k),
           .start = {.real = 1000}},
    [LEFT] = {.name = "left",
              .description = "Temperature at the left end",
              .causality = FMUKIT_INPUT,
              .field = FMUKIT_FIELD(chain, left),
              .start = {.real = 1}},
    [EVALUATIONS] = {.name = "evaluations",
                     .description = "How often the derivatives were computed",
                     .type = FMUKIT_INTEGER,
                     .causality = FMUKIT_OUTPUT,
                     .field = FMUKIT_FIELD(chain, evaluations)},
};

static fmukit_status evaluate(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    chain *m = model;
    m->evaluations++; // not what evaluate is for, but here it is what is looked at
    for (int i = 0; i < N; i++) {
        double before = i > 0 ? m->x[i - 1] : m->left, after = i < N - 1 ? m->x[i + 1] : 0;
        m->der[i] = m->k * (before - 2 * m->x[i] + after);
    }
    return FMUKIT_OK;
}

const fmukit_model fmukit_this_model = {
    .name = "Chain",
    .version = "1",
    .size = sizeof(chain),
    .variables = variables,
    .n_variables = N_VARIABLES,
    .stop_time = 1,
    .step_size = 0.1,
    .no_rewind = true,
    .functions = {.evaluate = evaluate},
};

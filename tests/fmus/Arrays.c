// SPDX-License-Identifier: MIT
// Arrays of several types, whose size is a structural parameter: y = 2 u, z = A u, and copies of
// the others. The number of rows of A can be changed while the FMU is running.
#include <fmukit/fmukit.h>

enum { MAX_N = 8, MAX_ROWS = 3 };

typedef struct arrays {
    uint64_t n, rows;
    double u[MAX_N], y[MAX_N];
    double A[MAX_ROWS][MAX_N], z[MAX_ROWS];
    float f_in[2][2], f_out[2][2];
    int64_t i_in[MAX_N][MAX_ROWS], i_out[MAX_N][MAX_ROWS];
    bool b_in[MAX_N], b_out[MAX_N];
    const char *s_in[2], *s_out[2];
    fmukit_binary raw_in[2], raw_out[2];
} arrays;

enum { N, ROWS, U, Y, A, Z };

#define N_SIZE FMUKIT_SIZE_OF("n", MAX_N)
#define ROWS_SIZE FMUKIT_SIZE_OF("rows", MAX_ROWS)

// One value per element at first: 2 rows, 3 columns.
static const double A_starts[] = {1, 2, 3, 4, 5, 6};
static const char *const s_starts[] = {"first", "second"};
static const float f_starts[] = {0.5f, 1.5f, 2.5f, 3.5f};

#define PAIR(type_, prefix, ...)                                                                   \
    {.name = #prefix "_in",                                                                        \
     .type = type_,                                                                                \
     .causality = FMUKIT_INPUT,                                                                    \
     .field = FMUKIT_FIELD(arrays, prefix##_in),                                                   \
     __VA_ARGS__},                                                                                 \
    {                                                                                              \
        .name = #prefix "_out", .type = type_, .causality = FMUKIT_OUTPUT,                         \
        .field = FMUKIT_FIELD(arrays, prefix##_out), .depends_on = FMUKIT_INPUTS(#prefix "_in"),   \
        __VA_ARGS__                                                                                \
    }

static const fmukit_variable variables[] = {
    [N] = {.name = "n",
           .description = "Length of most arrays",
           .type = FMUKIT_UINT64,
           .causality = FMUKIT_STRUCTURAL_PARAMETER,
           .field = FMUKIT_FIELD(arrays, n),
           .start = {.natural = 3},
           .range = FMUKIT_RANGE(0, MAX_N)},
    [ROWS] = {.name = "rows",
              .description = "Rows of A",
              .type = FMUKIT_UINT64,
              .causality = FMUKIT_STRUCTURAL_PARAMETER,
              .variability = FMUKIT_TUNABLE,
              .field = FMUKIT_FIELD(arrays, rows),
              .start = {.natural = 2},
              .range = FMUKIT_RANGE(1, MAX_ROWS)},
    [U] = {.name = "u",
           .causality = FMUKIT_INPUT,
           .field = FMUKIT_FIELD(arrays, u),
           .dimensions = {N_SIZE},
           .start = {.real = 1}},
    [Y] = {.name = "y",
           .description = "2 u",
           .causality = FMUKIT_OUTPUT,
           .field = FMUKIT_FIELD(arrays, y),
           .dimensions = {N_SIZE},
           .depends_on = FMUKIT_INPUTS("u")},
    [A] = {.name = "A",
           .causality = FMUKIT_PARAMETER,
           .variability = FMUKIT_TUNABLE,
           .field = FMUKIT_FIELD(arrays, A),
           .dimensions = {ROWS_SIZE, N_SIZE},
           .start = {.real = 7},
           .starts = A_starts},
    [Z] = {.name = "z",
           .description = "A u",
           .causality = FMUKIT_OUTPUT,
           .field = FMUKIT_FIELD(arrays, z),
           .dimensions = {ROWS_SIZE},
           .depends_on = FMUKIT_INPUTS("u")},
    PAIR(FMUKIT_FLOAT32, f, .dimensions = {FMUKIT_SIZE(2), FMUKIT_SIZE(2)}, .starts = f_starts),
    PAIR(FMUKIT_INT64, i, .dimensions = {N_SIZE, ROWS_SIZE}, .range = FMUKIT_MAX(1000)),
    PAIR(FMUKIT_BOOLEAN, b, .dimensions = {N_SIZE}, .start = {.boolean = true}),
    PAIR(FMUKIT_STRING, s, .dimensions = {FMUKIT_SIZE(2)}, .starts = s_starts),
    PAIR(FMUKIT_BINARY, raw, .dimensions = {FMUKIT_SIZE(2)}, .start = {.binary = {"ab", 2}}),
};

static fmukit_status evaluate(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    arrays *m = model;
    for (uint64_t i = 0; i < m->rows; i++) m->z[i] = 0;
    for (uint64_t j = 0; j < m->n; j++) {
        m->y[j] = 2 * m->u[j];
        m->b_out[j] = m->b_in[j];
        for (uint64_t i = 0; i < m->rows; i++) m->z[i] += m->A[i][j] * m->u[j];
        for (uint64_t i = 0; i < m->rows; i++) m->i_out[j][i] = m->i_in[j][i];
    }
    for (int i = 0; i < 2; i++) {
        m->s_out[i] = m->s_in[i];
        m->raw_out[i] = m->raw_in[i];
        for (int j = 0; j < 2; j++) m->f_out[i][j] = m->f_in[i][j];
    }
    return FMUKIT_OK;
}

static fmukit_status derivative(fmukit_instance *fmu, void *model, fmukit_element unknown,
                                fmukit_element known, double *value)
{
    (void)fmu;
    const arrays *m = model;
    if (known.variable != U) return FMUKIT_ERROR;
    if (unknown.variable == Y) *value = unknown.index == known.index ? 2 : 0;
    if (unknown.variable == Z) *value = m->A[unknown.index][known.index];
    return FMUKIT_OK;
}

// Element by element, but z is made of all of u.
static bool depends(fmukit_instance *fmu, const void *model, fmukit_element output,
                    fmukit_element input)
{
    (void)fmu, (void)model;
    return output.variable == Z || output.index == input.index;
}

const fmukit_model fmukit_this_model = {
    .name = "Arrays",
    .description = "Arrays of several types, with a size that can be chosen",
    .size = sizeof(arrays),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .functions = {.evaluate = evaluate, .derivative = derivative, .depends = depends},
};

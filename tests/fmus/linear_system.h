// SPDX-License-Identifier: MIT
// A linear system with up to 4 states, 3 inputs and 2 outputs: x' = A x + B u, y = C x + D u, x(0) = x0. All
// matrices are parameters ("A12", "x03") and begin with 0. The file that includes this defines FEEDTHROUGH:
// without it there is no D, and outputs depend on no input.
#include <fmukit/fmukit.h>

enum { STATES = 4, INPUTS = 3, OUTPUTS = 2 };

typedef struct linear {
    double u[INPUTS], x[STATES], der_x[STATES], y[OUTPUTS];
    double A[STATES][STATES], B[STATES][INPUTS], C[OUTPUTS][STATES], D[OUTPUTS][INPUTS];
    double x0[STATES];
} linear;

#define PARAMETER(text, member)                                                                    \
    {                                                                                              \
        .name = text, .causality = FMUKIT_PARAMETER, .field = FMUKIT_FIELD(linear, member)         \
    }
#define INPUT(text, i)                                                                             \
    {                                                                                              \
        .name = text, .causality = FMUKIT_INPUT, .field = FMUKIT_FIELD(linear, u[i])               \
    }
#ifdef FEEDTHROUGH
#define OUTPUT(text, i)                                                                            \
    {                                                                                              \
        .name = text, .causality = FMUKIT_OUTPUT, .field = FMUKIT_FIELD(linear, y[i])              \
    }
#else
#define OUTPUT(text, i)                                                                            \
    {                                                                                              \
        .name = text, .causality = FMUKIT_OUTPUT, .field = FMUKIT_FIELD(linear, y[i]),             \
        .depends_on = FMUKIT_NO_INPUTS                                                             \
    }
#endif
#define STATE(n, i)                                                                                \
    {.name = "x" n, .field = FMUKIT_FIELD(linear, x[i])},                                          \
        {.name = "der(x" n ")", .field = FMUKIT_FIELD(linear, der_x[i]), .derivative_of = "x" n},  \
        PARAMETER("x0" n, x0[i])
#define ROW_OF_3(M, n, i)                                                                          \
    PARAMETER(#M n "1", M[i][0]), PARAMETER(#M n "2", M[i][1]), PARAMETER(#M n "3", M[i][2])
#define ROW_OF_4(M, n, i) ROW_OF_3(M, n, i), PARAMETER(#M n "4", M[i][3])

static const fmukit_variable variables[] = {
    INPUT("u1", 0),      INPUT("u2", 1),      INPUT("u3", 2),      OUTPUT("y1", 0),
    OUTPUT("y2", 1),     STATE("1", 0),       STATE("2", 1),       STATE("3", 2),
    STATE("4", 3),       ROW_OF_4(A, "1", 0), ROW_OF_4(A, "2", 1), ROW_OF_4(A, "3", 2),
    ROW_OF_4(A, "4", 3), ROW_OF_3(B, "1", 0), ROW_OF_3(B, "2", 1), ROW_OF_3(B, "3", 2),
    ROW_OF_3(B, "4", 3), ROW_OF_4(C, "1", 0), ROW_OF_4(C, "2", 1),
#ifdef FEEDTHROUGH
    ROW_OF_3(D, "1", 0), ROW_OF_3(D, "2", 1),
#endif
};

static fmukit_status initialize(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    linear *m = model;
    for (int i = 0; i < STATES; i++) m->x[i] = m->x0[i];
    return FMUKIT_OK;
}

static fmukit_status evaluate(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    linear *m = model;
    for (int i = 0; i < STATES; i++) {
        m->der_x[i] = 0;
        for (int k = 0; k < STATES; k++) m->der_x[i] += m->A[i][k] * m->x[k];
        for (int k = 0; k < INPUTS; k++) m->der_x[i] += m->B[i][k] * m->u[k];
    }
    for (int i = 0; i < OUTPUTS; i++) {
        m->y[i] = 0;
        for (int k = 0; k < STATES; k++) m->y[i] += m->C[i][k] * m->x[k];
        for (int k = 0; k < INPUTS; k++) m->y[i] += m->D[i][k] * m->u[k];
    }
    return FMUKIT_OK;
}

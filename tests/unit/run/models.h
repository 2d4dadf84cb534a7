// SPDX-License-Identifier: MIT
// Small models in plain C that several tests of the run share.
#ifndef TAKT_TESTS_UNIT_RUN_MODELS_H
#define TAKT_TESTS_UNIT_RUN_MODELS_H

#include "support/coupling.h"

// y = time
static const test_variable clock_variables[] = {{"y", TAKT_OUTPUT, .depends = ""}, {0}};
static inline void clock_output(test_instance *at)
{
    at->real[0] = at->time;
}

// y = k u
static const test_variable gain_variables[] = {
    {"u", TAKT_INPUT, .start = "0"},
    {"y", TAKT_OUTPUT, .depends = "u"},
    {"k", TAKT_PARAMETER, .start = "1"},
    {"c", TAKT_PARAMETER, .start = "0"},
    {0},
};
static inline void gain_output(test_instance *at)
{
    at->real[1] = at->real[2] * at->real[0] + at->real[3];
}

// Two inputs with gains, and a constant
static const test_variable pair_variables[] = {
    {"u1", TAKT_INPUT, .start = "0"},
    {"u2", TAKT_INPUT, .start = "0"},
    {"y", TAKT_OUTPUT, .depends = "u1 u2"},
    {"k1", TAKT_PARAMETER, .start = "0"},
    {"k2", TAKT_PARAMETER, .start = "0"},
    {"c", TAKT_PARAMETER, .start = "0"},
    {0},
};

// y' = u, y(0) = 1, with the input held
static const test_variable integrator_variables[] = {
    {"u", TAKT_INPUT, .start = "0"}, {"y", TAKT_OUTPUT, .depends = ""}, {0}};
static inline void integrator_output(test_instance *at)
{
    at->real[1] = 1 + at->state[0];
}
static inline void integrator_step(test_instance *at, double t, double h)
{
    (void)t;
    at->state[0] += h * at->real[0];
}

#define REWINDS .can = {.rewind = true, .variable_step = true}

// clang-format off
#define CLOCK {"Clock", clock_variables, .output = clock_output, REWINDS}
#define GAIN {"Gain", gain_variables, .output = gain_output, REWINDS}
#define INTEGRATOR {"Integrator", integrator_variables, .output = integrator_output, \
                    .step = integrator_step, REWINDS}
// clang-format on

#endif

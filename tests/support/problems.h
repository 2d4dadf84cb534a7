// SPDX-License-Identifier: MIT
// Coupled problems whose solution is known, for measuring master algorithms: instances are exact (or nearly so),
// so that every error is one of the coupling. The instances either follow polynomials in their inputs or hold them.
#ifndef TAKT_TESTS_SUPPORT_PROBLEMS_H
#define TAKT_TESTS_SUPPORT_PROBLEMS_H

#include "support/coupling.h"

enum { TEST_MOST_PARTS = 6, TEST_MOST_STATES = 7, TEST_MOST_PORTS = 3 };

/// What is wrong with the outputs of an instance, by its `noise`.
typedef enum test_noise {
    TEST_NOISE_OF_READING, ///< random each time that they are read, relative
    TEST_NOISE_OF_STATE, ///< the same for the same state and inputs, else random, relative
    TEST_NOISE_ABSOLUTE, ///< random each time, relative to a magnitude
    TEST_NOISE_ROUNDED, ///< rounded to multiples of twice the noise, relative to a magnitude
    TEST_N_NOISES
} test_noise;

/// One instance: x' = A x + B u, y = C x + D u, or a function of its own.
typedef struct test_part {
    int n, n_inputs, n_outputs;
    double a[TEST_MOST_STATES][TEST_MOST_STATES], b[TEST_MOST_STATES][TEST_MOST_PORTS];
    double c[TEST_MOST_PORTS][TEST_MOST_STATES], d[TEST_MOST_PORTS][TEST_MOST_PORTS];
    double x0[TEST_MOST_STATES];
    int sources
        [TEST_MOST_PORTS]; ///< number of the output, counted over all parts, that feeds each input
    void (*derivatives)(const struct test_part *part, const double *x, const double *u, double *dx);
    double parameters[8];
    double low, high; ///< of a switch (hysteresis), which has n = 0 and a memory; both 0: none
    double noise; ///< of outputs
    test_noise noise_kind;
    bool is_discrete; ///< outputs are declared discrete
    test_variable variables[2 * TEST_MOST_PORTS + 1];
    char texts[TEST_MOST_PORTS][32]; ///< on which inputs outputs depend
} test_part;

typedef struct test_problem {
    int n_parts;
    test_part parts[TEST_MOST_PARTS];
    double stop;
    bool is_switching; ///< a lag and a switch
    test_model models[TEST_MOST_PARTS + 1];
    bool is_held[TEST_MOST_PARTS]; ///< the instance holds its inputs
    /// All instances tell derivatives of their outputs: "right" (but for what inputs do directly), "zero", "late" (those of
    /// the question before), "negative", "random", "refused", "nan". NULL: none does.
    const char *derives;
    bool cannot_rewind; ///< no instance can
    void (*watch)(test_instance *at, double t,
                  double h); ///< in place of the steps of one part; may be NULL
    int watched; ///< that part
    void (**unwatched)(test_instance *at, double t, double h); ///< receives what it does else
} test_problem;

typedef struct test_measured {
    double error; ///< largest, relative to the largest magnitude of each output
    double end_error; ///< at the end
    int64_t calls; ///< steps of the busiest instance
    int64_t calls_of[TEST_MOST_PARTS]; ///< steps of each instance
    int64_t all_calls, steps, rejected;
    int64_t n_doubts; ///< steps that were kept though something was wrong
    char noisy[32]; ///< the instance whose noise was found to limit the accuracy; empty: none
    int n_switchings, n_expected; ///< of a switch: in the rows, and in the solution
    takt_status status;
    char message[2100];
} test_measured;

/// Makes a problem by name: "lv", "lvr<seed>", "mass_fx", "mass_xx", "thermal", "thermal2", "hysteresis",
/// "hyst<seed>", "rate<seed>" (parts 0 and 1 are fast, 2 and 3 slow), "roessler", "vdp", "loop", "rnd<seed>". Inputs by `mode`: 'a' all instances follow polynomials,
/// 'b' all hold, 'm' only the last one holds.
void test_problem_make(test_problem *problem, const char *name, char mode);

/// Runs it with these settings, in addition to stop-time, and compares all rows with the solution.
test_measured test_problem_run(test_problem *problem, const char *settings);

#endif

// SPDX-License-Identifier: MIT
// Nets made by chance of members that saturate, have dead zones, and hide states between input and output: where a small
// change of an input shows nothing at an output, now, or for a time. Their equations are known, so that the net can be
// integrated as a whole.
#ifndef TAKT_TESTS_SUPPORT_NETS_H
#define TAKT_TESTS_SUPPORT_NETS_H

#include "support/coupling.h"

enum { TEST_MOST_MEMBERS = 5, TEST_MEMBER_INPUTS = 2, TEST_MEMBER_STATES = 3 };

typedef enum test_bend {
    TEST_BEND_NONE,
    TEST_BEND_TANH,
    TEST_BEND_CLIP, ///< cut off at +-size
    TEST_BEND_DEAD, ///< zero within +-size
    TEST_N_BENDS
} test_bend;

/// A function with a gain, and the size at which it bends.
typedef struct test_curve {
    test_bend bend;
    double gain, size;
} test_curve;

/// v = sum of gain u + source(t); each stage follows the one before: T x' = f(v) - x, or integrates: x' = f(v) - x / T.
/// y = f(x) + through f(v).
typedef struct test_member {
    int n_inputs, from[TEST_MEMBER_INPUTS];
    double gain[TEST_MEMBER_INPUTS];
    double source, swing, frequency, phase;
    int n_states;
    test_curve stages[TEST_MEMBER_STATES], out;
    double time[TEST_MEMBER_STATES]; ///< s; T
    bool is_integrator[TEST_MEMBER_STATES];
    double x0[TEST_MEMBER_STATES];
    double through;
} test_member;

typedef struct test_net {
    int number, n;
    uint64_t chance;
    test_member all[TEST_MOST_MEMBERS];
    double scale[TEST_MOST_MEMBERS]; ///< of the outputs: what errors are relative to
    double condition; ///< what becomes of errors of the inputs
} test_net;

typedef struct test_net_outcome {
    double error; ///< largest, in tolerances
    int i_member; ///< that has it
    double t; ///< s; when
    bool is_silent; ///< neither a failure nor a doubt
    int64_t calls; ///< steps of the busiest member
    int n_steps;
    takt_error failure;
} test_net_outcome;

/// Draws a net that does not amplify errors by much.
void test_net_make(test_net *net, int number);

/// Runs it to a tolerance, with these settings besides. Inputs by `mode`: 'a' all members follow them, 'b' all hold them,
/// 'm' every second one holds them. Compares all steps with the net as a whole.
test_net_outcome test_net_run(test_net *net, char mode, double tolerance, const char *settings);

/// Says in words what it is.
void test_net_describe(const test_net *net, FILE *to);

#endif

// SPDX-License-Identifier: MIT
// Loops of nodes y = f(sum of gains(t) * inputs) + source(t), whose equations are known: a result is checked by one
// exact Newton step from it, which is its error.
#ifndef TAKT_TESTS_SUPPORT_NODES_H
#define TAKT_TESTS_SUPPORT_NODES_H

#include "support/coupling.h"

enum { TEST_MOST_NODES = 50, TEST_NODE_INPUTS = 3 };

/// f: of the sum itself, tanh, a square, a bend, cut off at -1 and 1, a table of seven straight pieces, and one with three
/// roots: s - 0.4 (s^3 - s).
typedef enum test_node_kind {
    TEST_NODE_LINEAR,
    TEST_NODE_TANH,
    TEST_NODE_SQUARE,
    TEST_NODE_BEND,
    TEST_NODE_N_SMOOTH,
    TEST_NODE_CUT = TEST_NODE_N_SMOOTH,
    TEST_NODE_TABLE,
    TEST_NODE_CUBE,
    TEST_N_NODE_KINDS
} test_node_kind;

typedef struct test_node {
    test_node_kind kind;
    int from[TEST_NODE_INPUTS]; ///< -1: not connected
    double gain[TEST_NODE_INPUTS],
        swing[TEST_NODE_INPUTS]; ///< gain(t) = gain + swing sin(t + input)
    double source, source_swing, frequency;
    double unit; ///< of its output: the others see y / unit
} test_node;

typedef struct test_nodes {
    test_coupling coupling;
    test_node all[TEST_MOST_NODES];
    int n;
    double noise; ///< relative, of outputs
    uint32_t seed;
} test_nodes;

/// What became of a run.
typedef struct test_nodes_outcome {
    bool is_silent; ///< neither a failure nor a doubt
    double
        worst; ///< error in tolerances; noise alone does not count, nor doubtful steps, nor the last 0.02 s before a failure
    double n_calls; ///< per member and step
    int n_steps;
    takt_error failure; ///< status TAKT_OK: none
} test_nodes_outcome;

/// By chance: from 0 to 1, from a to b, from 0 to n - 1.
double test_nodes_draw(test_nodes *nodes);
double test_nodes_between(test_nodes *nodes, double a, double b);
int test_nodes_choose(test_nodes *nodes, int n);

/// Draws up to 50 nodes in a circle and across; nearly singular, in units that differ by 18 powers of ten, with noise,
/// of the first `n_kinds` kinds.
void test_nodes_make(test_nodes *nodes, int number, int n_kinds);

/// Runs to the end and checks every step, and the beginning if `at_start`.
test_nodes_outcome test_nodes_run(test_nodes *nodes, const char *settings, bool at_start);

#endif

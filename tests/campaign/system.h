// SPDX-License-Identifier: MIT
// A random system of the campaign: nodes with one output each, what they read from each other, and how the
// system is to be simulated. Made by draw.h from a number alone, simulated by try.h, and compared with
// reference.h.
//
// Every law is one of a weighted sum s of a node's inputs. All numbers here are *plain*: the value that
// travels is the plain one times the scale of its node, which is also its nominal value. So a system means
// the same in any units.
#ifndef TAKT_TESTS_CAMPAIGN_SYSTEM_H
#define TAKT_TESTS_CAMPAIGN_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

enum { MAX_NODES = 60, MAX_INPUTS = 4, MAX_ROWS = 8, N_STATES = 2 };

typedef enum node_law {
    LAW_SUM, ///< v = s + c q(t)
    LAW_TANH, ///< v = a tanh(s) + c q(t)
    LAW_SQUARE, ///< v = c q(t) - a s^2
    LAW_SWITCH, ///< v = s + (first input ? a : c)
    LAW_LAG, ///< x' = (s - x) / T, v = x + a s
    LAW_INTEGRATOR, ///< x' = s, v = x
    LAW_OSCILLATOR, ///< x' = p / T, p' = (s - x - 2 a p) / T, v = x; p is an output that nobody reads
    LAW_JUMP, ///< v = t < t_jump ? a : c
    LAW_COLUMN, ///< of the table, between its rows along straight lines
    LAW_COMPARE, ///< Boolean: s > a
    LAW_GATE, ///< Boolean: of Boolean inputs
    LAW_EDGE, ///< Boolean: t >= t_jump
    LAW_HELD, ///< Boolean: column of the table
} node_law;

typedef enum gate { GATE_AND, GATE_OR, GATE_XOR, N_GATES } gate;

typedef struct node {
    node_law law;
    int n_inputs;
    int source[MAX_INPUTS]; ///< nodes
    double gain[MAX_INPUTS]; ///< 0: of a Boolean input
    double a, c, T, t_jump;
    gate gate;
    bool is_inverted; ///< of a gate
    double start; ///< of x
    double scale;
    bool declares_nominal; ///< the scale
    double noise; ///< of the plain output, at most
    bool rewinds;
    double column[MAX_ROWS]; ///< values in the rows of the table
} node;

typedef enum kind {
    KIND_LINEAR,
    KIND_STEEP,
    KIND_NEARLY_SINGULAR,
    KIND_NONLINEAR,
    KIND_BOOLEAN,
    KIND_MIXED,
    KIND_LAGS,
    KIND_OSCILLATORS,
    KIND_JUMPS,
    KIND_TABLES,
    KIND_NOISE,
    KIND_CROWD,
    KIND_NOMINAL,
    KIND_STUCK,
    KIND_OPEN,
    N_KINDS
} kind;

typedef enum control { CONTROL_FIXED, CONTROL_CONVERGENCE, CONTROL_RICHARDSON, N_CONTROLS } control;

typedef struct random_system {
    uint32_t number;
    kind kind;
    control control;
    int n_nodes;
    node nodes[MAX_NODES];
    int n_rows; ///< of the table; 0: there is none
    double row_times[MAX_ROWS]; ///< two equal ones are a jump
    int n_idle; ///< connections beside, of values that do not change
    double step_size, stop_time; ///< s
    double relative, absolute; ///< tolerances
    int iterations;
    double step_max, step_min; ///< s
} random_system;

/// What the system depends on besides: moves slowly.
long double drive(long double t);

bool is_boolean(const node *at);

/// Does it have a state? Else its output is a function of inputs and time.
bool is_dynamic(const node *at);

/// Does the output depend on the inputs at the same instant?
bool has_feedthrough(const node *at);

/// The weighted sum of inputs; `v` are the outputs of all nodes, Boolean ones 0 or 1.
long double sum_inputs(const node *at, const long double *v);

/// Which of two values a switch takes.
bool is_switched(const node *at, const long double *v);

/// The output of a node that is not Boolean.
long double real_output(const random_system *system, const node *at, long double s, bool is_on,
                        const long double *x, long double t);

/// The output of a Boolean one; and how near a comparison is: the difference of both sides (others: infinite).
bool boolean_output(const random_system *system, const node *at, const long double *v,
                    long double t);
long double distance_to_switching(const node *at, const long double *v);

/// The derivatives of the state by time, and the state after a time h with s held: the exact solution.
void find_rates(const node *at, long double s, const long double *x, long double *rates);
void advance_state(const node *at, long double s, long double h, long double *x);

#endif

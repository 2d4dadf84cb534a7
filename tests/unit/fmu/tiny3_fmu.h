// SPDX-License-Identifier: MIT
// What the tests know about tiny3_fmu.c: value references, modes, counters.
#ifndef TAKT_TESTS_UNIT_FMI_TINY3_FMU_H
#define TAKT_TESTS_UNIT_FMI_TINY3_FMU_H

enum {
    V_TIME,
    V_U, // input
    V_X, // its integral
    V_Y, // twice the input
    V_A, // input, 2 x 3
    V_B, // output: A
    V_FIRST_IN, // inputs of the other types; each output follows its input
    V_MODE = 40,
    V_COUNT, // events handled
    V_RESOURCES,
    V_EVALUATED, // calls of fmi3EvaluateDiscreteStates
    V_STRINGS, // input, 2
    V_STRINGS_OUT,
    V_PERIODIC = 50, // clocks
    V_COUNTDOWN,
    V_TRIGGERED,
    V_OUT_CLOCK, // ticks with V_TRIGGERED
    V_CHANGING,
    V_TUNABLE,
    V_TICKS, // of V_PERIODIC, clocked by it
    V_COUNTDOWN_TICKS, // clocked
    V_OUT_TICKS, // clocked by V_OUT_CLOCK
    V_CLOCKED_IN, // clocked by V_PERIODIC
    V_CHANGING_TICKS, // not clocked
    V_TUNABLE_TICKS, // not clocked
    V_N = 70, // structural
    V_FLAG,
};

enum {
    T_MODE_NORMAL,
    T_MODE_ERROR, // in steps from t = 0.5 on, as the following ones
    T_MODE_FATAL,
    T_MODE_DISCARD,
    T_MODE_TERMINATE,
    T_MODE_UNKNOWN_STATUS,
    T_MODE_WARNING, // in every step
    T_MODE_EARLY, // returns at t = 0.55, with an event
    T_MODE_EARLY_NAN, // and does not say when
    T_MODE_NEXT_EVENT, // announces an event at t = 0.3
    T_MODE_TERMINATE_IN_EVENT,
    T_MODE_LOG, // strange messages when initialization starts
    T_MODE_BAD_INTERVAL, // of the countdown
    T_MODE_UPDATE, // calls back in steps
    T_MODE_NO_VALUES, // null pointers for strings and binaries
    T_MODE_SET_ERROR, // of Int8
    T_MODE_MANY_DEPENDENCIES,
    T_MODE_WRONG_ELEMENT, // in dependencies
    T_MODE_WRONG_REFERENCE,
    T_MODE_STATE_EMPTY, // serialised states
    T_MODE_STATE_HUGE,
    T_MODE_STATE_ERROR,
    T_MODE_STATE_GROWS, // with every call
    T_MODE_LINES, // asks for inputs in the middle of steps and integrates with them
    T_MODE_LINES_AFTER, // asks at a time far behind the step
    T_MODE_LINES_NAN, // asks at a time that is not a number
    T_MODE_LINES_REFUSED, // asks for inputs and refuses them
    T_MODE_LINES_EARLY, // asks for inputs and returns at t = 0.55, with an event
};

typedef struct tiny3_counters {
    int n_instances, n_states, n_terminated, n_calls_after_fatal, n_fatal, n_debug_logging;
    int n_set_float64; // calls
    int n_configured;
    size_t n_intermediate; // variables to be set within steps
    bool uses_events, may_return_early;
} tiny3_counters;

#endif

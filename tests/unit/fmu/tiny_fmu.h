// SPDX-License-Identifier: MIT
// What the tests know about tiny_fmu.c: value references, modes, counters.
#ifndef TAKT_TESTS_UNIT_FMI_TINY_FMU_H
#define TAKT_TESTS_UNIT_FMI_TINY_FMU_H

enum { R_U, R_X, R_Y };
enum { I_IN, I_OUT, E_IN, E_OUT, I_NUMBER, I_MODE = 10, N_INTEGERS };
enum { B_IN, B_OUT, N_BOOLEANS };
enum { S_IN, S_OUT, S_LABEL, S_RESOURCES, S_NULL, N_STRINGS };

enum {
    MODE_NORMAL,
    MODE_ERROR, // from t = 0.5 on, as the following ones
    MODE_FATAL,
    MODE_DISCARD, // having come 0.04 s further
    MODE_TERMINATE,
    MODE_UNKNOWN_STATUS,
    MODE_PENDING, // in every step
    MODE_PENDING_ERROR,
    MODE_PENDING_THREAD, // a thread computes every step and calls stepFinished
    MODE_PENDING_LONG, // the same without the call; a step lasts until it is asked about
    MODE_PENDING_SILENT, // the status cannot be asked for
    MODE_PENDING_LOST, // nor can the step be canceled
    MODE_WARNING, // in every step
    MODE_SET_DISCARD, // of negative numbers
    MODE_GET_ERROR,
    MODE_LOG, // strange messages when initialization starts
};

typedef struct tiny_counters {
    int n_calls, n_calls_after_fatal, n_fatal, n_instances, n_instantiated, n_states, n_terminated;
    int n_debug_logging, n_asked, n_canceled;
} tiny_counters;

#endif

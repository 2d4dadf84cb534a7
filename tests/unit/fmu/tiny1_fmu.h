// SPDX-License-Identifier: MIT
// What the tests know about tiny1_fmu.c: value references and modes.
#ifndef TAKT_TESTS_UNIT_FMI_TINY1_FMU_H
#define TAKT_TESTS_UNIT_FMI_TINY1_FMU_H

enum { T1_U, T1_X, T1_Y, T1_U_AT_START, T1_STOP, T1_N_REALS };
enum { T1_NUMBER, T1_MODE, T1_N_INTEGERS };
enum { T1_B_IN, T1_B_OUT, T1_N_BOOLEANS };
enum { T1_LABEL, T1_LOCATION, T1_MIME, T1_CALLS, T1_N_STRINGS };

enum {
    T1_NORMAL,
    T1_ERROR, // in the second step, as the following ones
    T1_FATAL,
    T1_DISCARD, // having come 0.04 s further
    T1_PENDING,
    T1_UNKNOWN_STATUS,
    T1_LOG, // strange messages when it is initialized
    T1_LOG_FROM_THREAD,
    T1_INITIALIZATION_FAILS,
    T1_PENDING_THREAD, // a thread computes and calls stepFinished; it is asked for only then
    T1_CURVES, // takes derivatives of inputs of the orders 1 and 2, and keeps them
};

#endif

// SPDX-License-Identifier: MIT
// What the test FMU Misbehave can do: the values of its parameter `what`, for the FMU and its tests.
#ifndef TESTS_FMUS_MISBEHAVE_H
#define TESTS_FMUS_MISBEHAVE_H

typedef enum misbehave_kind {
    MISBEHAVE_NOTHING = 1,
    MISBEHAVE_DISCARD,
    MISBEHAVE_TERMINATE,
    MISBEHAVE_WARNING,
    MISBEHAVE_ERROR,
    MISBEHAVE_FATAL,
    MISBEHAVE_NOT_A_NUMBER,
    MISBEHAVE_INFINITE,
    MISBEHAVE_SLOW,
    MISBEHAVE_PENDING,
    MISBEHAVE_INIT_ERROR,
    MISBEHAVE_WRITE_STDOUT,
    MISBEHAVE_LOG_PERCENT,
    MISBEHAVE_LOG_HOSTILE,
    MISBEHAVE_LOG_NULL,
    MISBEHAVE_SLOW_INIT,
    MISBEHAVE_EVENT, ///< FMI 3.0: an event that is over after one update
    MISBEHAVE_ENDLESS_EVENT,
    MISBEHAVE_REPEATED_EVENT,
} misbehave_kind;

#endif

// SPDX-License-Identifier: MIT
// The settings of a MasterSim project: keywords, their defaults, and what they are here.
#ifndef TAKT_PROJECT_MSIM_SETTINGS_H
#define TAKT_PROJECT_MSIM_SETTINGS_H

#include "project/lines.h"

typedef enum takt_msim_keyword {
    TAKT_MSIM_T_START,
    TAKT_MSIM_T_END,
    TAKT_MSIM_H_START,
    TAKT_MSIM_H_MIN,
    TAKT_MSIM_H_MAX,
    TAKT_MSIM_H_FALLBACK,
    TAKT_MSIM_H_OUTPUT,
    TAKT_MSIM_OUTPUT_UNIT,
    TAKT_MSIM_ADJUST,
    TAKT_MSIM_PREVENT_OVERSTEPPING,
    TAKT_MSIM_ABS_TOL,
    TAKT_MSIM_REL_TOL,
    TAKT_MSIM_MODE,
    TAKT_MSIM_ERROR_CONTROL,
    TAKT_MSIM_ITERATIONS,
    TAKT_MSIM_WRITE_INTERNAL,
    TAKT_MSIM_WRITE_UNCONNECTED,
    TAKT_MSIM_N_KEYWORDS
} takt_msim_keyword;

/// Values of MasterMode.
enum { TAKT_MSIM_JACOBI, TAKT_MSIM_SEIDEL, TAKT_MSIM_NEWTON };

typedef struct takt_msim_settings {
    double values[TAKT_MSIM_N_KEYWORDS]; ///< times in s; flags 0 or 1; choices by their index
    int lines[TAKT_MSIM_N_KEYWORDS]; ///< where it was given; 0: it has its default
} takt_msim_settings;

/// MasterSim's defaults.
takt_msim_settings takt_msim_settings_default(void);

/// The name of a keyword, by index; for suggestions.
const char *takt_msim_keyword_name(int index);

/// Reads the value of a keyword from the present line and reports what is wrong. Returns false when
/// there is no such keyword.
bool takt_msim_read_setting(takt_lines *lines, takt_msim_settings *settings, const char *keyword,
                            char *value);

/// Turns all of them into settings of the project, and reports contradictions and what has no effect.
void takt_msim_apply(takt_lines *lines, const takt_msim_settings *settings);

#endif

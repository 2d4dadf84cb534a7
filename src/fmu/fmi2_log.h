// SPDX-License-Identifier: MIT
// The logger callback of FMI 2.0, and what FMI 1.0 shares with it.
#ifndef TAKT_FMU_FMI2_LOG_H
#define TAKT_FMU_FMI2_LOG_H

#include <stdarg.h>

#include "fmi/fmi2.h"
#include "fmu/log.h"

/// The function for fmi2CallbackFunctions; the environment is a takt_fmu_log. Withstands missing texts,
/// and formats that are no formats.
void takt_fmi2_log_receive(fmi2ComponentEnvironment environment, fmi2String instance,
                           fmi2Status status, fmi2String category, fmi2String message, ...);

/// Takes a message of FMI 1.0 or 2.0: a format with its arguments, or what an FMU takes for one.
void takt_fmi2_log_take(takt_fmu_log *self, int status, const char *category, const char *message,
                        va_list arguments);

#endif

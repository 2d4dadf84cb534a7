// SPDX-License-Identifier: MIT
// Messages as FMUs of FMI 1.0 and 2.0 send them: a format with its arguments, or what an FMU takes for
// one. References to variables in it ("#r123#") become names.
#ifndef TAKT_FMU_MESSAGES_H
#define TAKT_FMU_MESSAGES_H

#include "fmu/abi.h"
#include "fmu/log.h"

/// Takes a message. Withstands missing texts, and formats that are no formats.
void takt_fmu_log_format(takt_fmu_log *self, int status, const char *category, const char *message,
                         takt_fmu_arguments arguments);

#endif

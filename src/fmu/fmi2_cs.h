// SPDX-License-Identifier: MIT
// FMUs of FMI 2.0 for co-simulation as a kind of instance.
#ifndef TAKT_FMU_FMI2_CS_H
#define TAKT_FMU_FMI2_CS_H

#include "instance/instance.h"

extern const takt_instance_type takt_fmi2_cs;

#endif

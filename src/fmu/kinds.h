// SPDX-License-Identifier: MIT
// The kinds of instances that FMUs have: one per FMI version and interface.
#ifndef TAKT_FMU_KINDS_H
#define TAKT_FMU_KINDS_H

#include "instance/instance.h"

extern const takt_instance_type takt_fmi1_cs, takt_fmi2_cs, takt_fmi3_cs; ///< co-simulation
extern const takt_instance_type takt_fmi1_me, takt_fmi2_me, takt_fmi3_me; ///< model exchange

#endif

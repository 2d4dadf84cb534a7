// SPDX-License-Identifier: MIT
// FMUs of FMI 1.0 for model exchange as instances.
#ifndef TAKT_FMU_FMI1_ME_H
#define TAKT_FMU_FMI1_ME_H

#include "instance/instance.h"

extern const takt_instance_type takt_fmi1_me;

#endif

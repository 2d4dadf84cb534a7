// SPDX-License-Identifier: MIT
// An instance as FMI 2.0 sees it. A file of its own only for test FMUs that misuse the
// callbacks of the importing program.
#ifndef FMUKIT_FMI2_INSTANCE_H
#define FMUKIT_FMI2_INSTANCE_H

#include "interface.h"

#include "fmi/fmi2.h"

typedef struct fmi2_instance {
    fmukit_instance core; ///< first, so that the core's pointer is also ours
    fmi2CallbackFunctions callbacks;
} fmi2_instance;

#endif

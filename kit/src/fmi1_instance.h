// SPDX-License-Identifier: MIT
// An instance as FMI 1.0 sees it. A file of its own only for test FMUs that misuse the
// callbacks of the importing program.
#ifndef FMUKIT_FMI1_INSTANCE_H
#define FMUKIT_FMI1_INSTANCE_H

#include "interface.h"

#include "fmi/fmi1.h"

typedef struct fmi1_instance {
    fmukit_instance core; ///< first, so that the core's pointer is also ours
    fmiCallbackFunctions callbacks;
} fmi1_instance;

#endif

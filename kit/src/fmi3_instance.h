// SPDX-License-Identifier: MIT
// An instance as FMI 3.0 sees it. A file of its own only for test FMUs that misuse the
// callbacks of the importing program.
#ifndef FMUKIT_FMI3_INSTANCE_H
#define FMUKIT_FMI3_INSTANCE_H

#include "interface.h"

#include "fmi/fmi3.h"

#define FMUKIT_NO_SCHEDULING "the FMU has no scheduled execution"

typedef struct fmi3_instance {
    fmukit_instance core; ///< first, so that the core's pointer is also ours
    fmi3InstanceEnvironment environment;
    fmi3LogMessageCallback log_message; ///< may be NULL
    fmi3IntermediateUpdateCallback intermediate_update; ///< NULL: inputs are held
} fmi3_instance;

#endif

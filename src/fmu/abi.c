// SPDX-License-Identifier: MIT
// Memory for FMUs; see abi.h.
#include "fmu/abi.h"

#include <stdlib.h>

TAKT_FMI_CALL void *takt_fmu_allocate(size_t n_objects, size_t size)
{
    return calloc(n_objects, size);
}

TAKT_FMI_CALL void takt_fmu_release(void *memory)
{
    free(memory);
}

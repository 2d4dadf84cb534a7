// SPDX-License-Identifier: MIT
// A quick look at an FMU: what readers of some formats must know before the system opens it, to decide which
// of several readings of a name is meant. The FMU is unpacked into the cache, from which it will be run
// anyway; nothing of it is executed or checked.
#ifndef TAKT_PROJECT_FMU_GLANCE_H
#define TAKT_PROJECT_FMU_GLANCE_H

#include "base/cache.h"
#include "base/map.h"

/// A zeroed one is empty.
typedef struct takt_fmu_glance {
    takt_arena arena;
    takt_unpacked unpacked;
    const char *folder; ///< of the unpacked FMU; NULL: it could not be opened
    const char *model_name; ///< "" when it is not known
    takt_map variables; ///< name -> index
} takt_fmu_glance;

/// Looks at an FMU. One that cannot be read leaves it empty, as the system will say why; so
/// this fails only when memory is exhausted. End it with takt_fmu_glance_close() in any case.
takt_status takt_fmu_glance_open(const char *path, takt_fmu_glance *out, takt_error *err);
void takt_fmu_glance_close(takt_fmu_glance *glance);

#endif

// SPDX-License-Identifier: MIT
// The shared library inside an FMU: finding it, loading it, its functions.
#ifndef TAKT_FMU_LIBRARY_H
#define TAKT_FMU_LIBRARY_H

#include <stdatomic.h>

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "fmi/fmi1.h"
#include "fmi/fmi2.h"
#include "fmi/fmi3.h"
#include "fmu/options.h"

#define TAKT_FUNCTION_POINTER(result, name, parameters) name##TYPE *name;

/// Pointers to all functions of a version of FMI. A function that a library lacks is NULL; that matters
/// only when it is used, because many FMUs lack some that the standard demands.
typedef struct takt_fmi1_functions {
    FMI1_COMMON_FUNCTIONS(TAKT_FUNCTION_POINTER)
    FMI1_CS_FUNCTIONS(TAKT_FUNCTION_POINTER)
    FMI1_ME_FUNCTIONS(TAKT_FUNCTION_POINTER)
} takt_fmi1_functions;

typedef struct takt_fmi2_functions {
    FMI2_COMMON_FUNCTIONS(TAKT_FUNCTION_POINTER)
    FMI2_CS_FUNCTIONS(TAKT_FUNCTION_POINTER)
    FMI2_ME_FUNCTIONS(TAKT_FUNCTION_POINTER)
} takt_fmi2_functions;

typedef struct takt_fmi3_functions {
    FMI3_COMMON_FUNCTIONS(TAKT_FUNCTION_POINTER)
    FMI3_CS_FUNCTIONS(TAKT_FUNCTION_POINTER)
    FMI3_ME_FUNCTIONS(TAKT_FUNCTION_POINTER)
    FMI3_SE_FUNCTIONS(TAKT_FUNCTION_POINTER)
} takt_fmi3_functions;
#undef TAKT_FUNCTION_POINTER

/// A loaded library.
typedef struct takt_library {
    void *handle;
    takt_fmi1_functions fmi1; ///< only those of the version that it was opened for are set
    takt_fmi2_functions fmi2;
    takt_fmi3_functions fmi3;
    /// Set after a fatal status: the standard forbids any further call to any instance of the library. It
    /// stays in memory, too, because its code may still be running.
    atomic_bool is_dead;
    atomic_bool stays_loaded; ///< a step that never ended may still be running
} takt_library;

/// The name of this platform's folder below `binaries`: "linux64", or "x86_64-linux" from FMI 3.0 on.
const char *takt_library_platform(int fmi_major);

/// The platforms an unpacked FMU has libraries for: "linux64 win64", sorted; "" when there are none.
/// Made in `arena`.
takt_status takt_library_platforms(const char *folder, takt_arena *arena, const char **out,
                                   takt_error *err);

/// Where the library for this platform is, or should be, in an unpacked FMU.
char *takt_library_path(const char *folder, int fmi_major, const char *identifier,
                        takt_arena *arena);

/// The same for other platforms: TAKT_FMU_WINE, TAKT_FMU_32_BITS. NULL: out of memory.
char *takt_library_path_for(takt_fmu_way way, const char *folder, int fmi_major,
                            const char *identifier, takt_arena *arena);

/// Loads a library of an FMI version, which runs its constructors. With `as_copy` a copy of the file is loaded, which
/// has global variables of its own. Functions are also found with "<identifier>_" in front of their
/// names, as FMI 1.0 demands and FMUs compiled from source have them. The result is owned by the caller.
takt_status takt_library_open(const char *path, int fmi_major, const char *identifier, bool as_copy,
                              takt_library **out, takt_error *err);

/// Ends a library. Accepts NULL. Returns false if it stays in memory, because its code may still be
/// running.
bool takt_library_close(takt_library *library);

#endif

// SPDX-License-Identifier: MIT
// How an FMU calls us. Usually that is the compiler's own way. The worker for Windows FMUs (apps/worker_win64) compiles
// this folder with TAKT_FMI_CALL as Windows' way; then arguments of functions like printf are read in another way, too,
// and `long` has 32 bits.
#ifndef TAKT_FMU_ABI_H
#define TAKT_FMU_ABI_H

#include <stdarg.h>
#include <stddef.h>

#include "fmi/fmi2.h"

#ifdef TAKT_FMU_IS_WINDOWS
typedef __builtin_ms_va_list takt_fmu_arguments;
#define TAKT_FMU_ARGUMENTS_START __builtin_ms_va_start
#define TAKT_FMU_ARGUMENTS_COPY __builtin_ms_va_copy
#define TAKT_FMU_ARGUMENTS_END __builtin_ms_va_end
typedef int takt_fmu_long;
typedef unsigned takt_fmu_unsigned_long;
typedef double takt_fmu_long_double; ///< as Microsoft's compilers have it
#else
typedef va_list takt_fmu_arguments;
#define TAKT_FMU_ARGUMENTS_START va_start
#define TAKT_FMU_ARGUMENTS_COPY va_copy
#define TAKT_FMU_ARGUMENTS_END va_end
typedef long takt_fmu_long;
typedef unsigned long takt_fmu_unsigned_long;
typedef long double takt_fmu_long_double;
#endif

/// Memory for FMUs: calloc() and free(), called as FMUs do.
TAKT_FMI_CALL void *takt_fmu_allocate(size_t n_objects, size_t size);
TAKT_FMI_CALL void takt_fmu_release(void *memory);

#endif

// SPDX-License-Identifier: MIT
// An FMU opened without the importer: the library of an unpacked FMU in <build>/fmus.unpacked, its
// functions, and callbacks that remember. For tests of the FMUs themselves.
#ifndef TAKT_TESTS_SUPPORT_RAW_FMU_H
#define TAKT_TESTS_SUPPORT_RAW_FMU_H

#include "support/test.h"

#include "fmi/fmi1.h"
#include "fmi/fmi2.h"
#include "fmi/fmi3.h"

/// Only the functions of its version of FMI are bound.
typedef struct raw_fmu {
    int version; ///< 1, 2 or 3
    void *library;
    char *xml; ///< modelDescription.xml
    char guid[64];
    char log[65536]; ///< lines "category: text"
    size_t log_length;
    int n_messages;
    int n_finished; ///< calls of stepFinished
    fmi2CallbackFunctions callbacks;
    fmiCallbackFunctions callbacks1; ///< of FMI 1.0
    fmi3LogMessageCallback log_message3; ///< of FMI 3.0
    const char *location; ///< of the resources, as the version wants it; NULL at first
    bool event_mode, early_return; ///< of FMI 3.0: what instances are made with; false at first
    void *c; ///< the instance that most tests use
#define RAW_MEMBER(result, name, parameters) name##TYPE *name;
    FMI1_COMMON_FUNCTIONS(RAW_MEMBER)
    FMI1_CS_FUNCTIONS(RAW_MEMBER)
    FMI1_ME_FUNCTIONS(RAW_MEMBER)
    FMI3_COMMON_FUNCTIONS(RAW_MEMBER)
    FMI3_CS_FUNCTIONS(RAW_MEMBER)
    FMI3_ME_FUNCTIONS(RAW_MEMBER)
    FMI3_SE_FUNCTIONS(RAW_MEMBER)
    FMI2_COMMON_FUNCTIONS(RAW_MEMBER)
    FMI2_CS_FUNCTIONS(RAW_MEMBER)
    FMI2_ME_FUNCTIONS(RAW_MEMBER)
#undef RAW_MEMBER
} raw_fmu;

/// Opens the FMU `name` (e.g. "Gain_fmi3") of the folder of unpacked FMUs; any failure fails the
/// test.
void raw_open(raw_fmu *fmu, const char *folder, const char *name);
void raw_close(raw_fmu *fmu); ///< frees the instance `c`, too

// These work with every version. FMUs in event mode stay in it after the initialization.

/// Makes the instance `c` with the FMU's own GUID and problems logged.
void raw_instantiate(raw_fmu *fmu);
/// Instantiates, and goes through initialization from time 0 to an open end.
void raw_start(raw_fmu *fmu);
/// Instantiates with a value of an integer or enumeration parameter, and initializes.
void raw_start_with(raw_fmu *fmu, const char *parameter, int value);

/// The value reference of a variable, from the XML.
fmi2ValueReference raw_reference(const raw_fmu *fmu, const char *variable);
void raw_set(raw_fmu *fmu, const char *variable, double value);
double raw_get(raw_fmu *fmu, const char *variable);
const char *raw_get_string(raw_fmu *fmu, const char *variable);
/// A communication step; what FMI 3.0 tells about it besides the status is left out.
int raw_step(raw_fmu *fmu, double t, double h);
void raw_clear_log(raw_fmu *fmu);
/// Compares what the log says about a call in a state (by FMI's names) with what is expected: the
/// state's letter in `allowed` (the standard allows it), as a small one (it is done with a warning), or not there.
void raw_assert_allowed(const raw_fmu *fmu, const char *call, const char *state,
                        const char *allowed, char letter);

/// Saved states, in FMI 2.0 and 3.0; the answer is the status of the call.
int raw_save(raw_fmu *fmu, void **state);
int raw_restore(raw_fmu *fmu, void *state);
int raw_free_state(raw_fmu *fmu, void **state);
int raw_deserialize(raw_fmu *fmu, const char *bytes, size_t size, void **state);
/// The current state as bytes, for free().
char *raw_serialize(raw_fmu *fmu, size_t *size);

/// From now on that many allocations of FMUs succeed; negative: all of them.
void raw_limit_allocations(int n);
/// Allocations of FMUs that have not been freed.
int raw_allocations(void);

#endif

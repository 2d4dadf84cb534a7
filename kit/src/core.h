// SPDX-License-Identifier: MIT
// The part of the FMU kit that knows nothing of FMI versions: an instance of the author's model, its
// phases, values and saved states. A version of FMI (fmi2.c) sits on top: it checks the order of
// calls, translates types, and tells the core how to log and where to get memory.
#ifndef FMUKIT_CORE_H
#define FMUKIT_CORE_H

#include "fmukit/fmukit.h"
#include "model.h"

/// The phases of an instance; bits, so that a set of phases is a number.
typedef enum fmukit_phase {
    FMUKIT_INSTANTIATED = 1,
    FMUKIT_INITIALIZATION = 2,
    FMUKIT_STEP_COMPLETE = 4,
    FMUKIT_STEP_IN_PROGRESS = 8,
    FMUKIT_STEP_FAILED = 16, ///< a step was discarded
    FMUKIT_STEP_CANCELED = 32,
    FMUKIT_TERMINATED = 64,
    FMUKIT_IN_ERROR = 128,
    FMUKIT_IN_FATAL = 256,
} fmukit_phase;

/// "instantiated", "initialization mode", ...
const char *fmukit_phase_name(fmukit_phase phase);

/// What the importing program provides, as seen by the core.
typedef struct fmukit_host {
    void *(*allocate)(size_t n_items, size_t item_size); ///< returns zeroed memory
    void (*release)(void *memory);
    /// Hands a finished text to the importing program; `category` is never NULL.
    void (*log)(fmukit_instance *fmu, fmukit_status status, const char *category, const char *text);
} fmukit_host;

/// The kit's copy of one string variable.
typedef struct fmukit_text {
    size_t variable;
    char *copy;
    char *fresh; ///< only while copies are being renewed
} fmukit_text;

struct fmukit_instance {
    const fmukit_model *model;
    void *data; ///< the author's struct
    char *name, *resources;
    fmukit_host host;
    unsigned enabled_categories; ///< one bit per log category
    const char *call; ///< function of the interface that is being called, for messages

    fmukit_text *texts;
    size_t n_texts;
    struct fmukit_snapshot *snapshots; ///< all saved states that have not been freed

    // From here on part of the saved state.
    fmukit_phase phase;
    bool is_set_up; ///< start time is known
    bool has_stop;
    bool is_stale; ///< outputs must be computed again before they are read
    bool wants_end; ///< the last step asked for the end of the simulation
    double start, stop, tolerance; ///< s, s, relative (0: none)
    double time; ///< s; what has been reached
    double t_end; ///< s; end of the current step
    double last_time; ///< s; successfully computed part of the last step
    double first_step; ///< s; size of the first step, 0: none yet
    fmukit_status step_status; ///< of the last step
};

// ---- life (core.c) -------------------------------------------------------------------------------

/// Makes an instance with start values in memory of the caller, which must be zero apart from
/// `host`, `enabled_categories` and `call`. On failure everything has been ended again.
bool fmukit_instance_init(fmukit_instance *fmu, const fmukit_model *model, const char *name,
                          const char *resources);
void fmukit_instance_clear(fmukit_instance *fmu);
fmukit_status fmukit_reset(fmukit_instance *fmu);

fmukit_status fmukit_set_up(fmukit_instance *fmu, double tolerance, double start, bool has_stop,
                            double stop);
fmukit_status fmukit_enter_initialization(fmukit_instance *fmu);
fmukit_status fmukit_exit_initialization(fmukit_instance *fmu);
fmukit_status fmukit_step(fmukit_instance *fmu, double t, double h);
/// The status of a step that was pending when last seen.
fmukit_status fmukit_poll(fmukit_instance *fmu);
fmukit_status fmukit_cancel(fmukit_instance *fmu);
fmukit_status fmukit_terminate(fmukit_instance *fmu);

/// Looks at what a function of the author returned: anything but OK and a warning ends the instance's
/// work with a message.
fmukit_status fmukit_judge(fmukit_instance *fmu, fmukit_status status, const char *function);
/// Brings outputs up to date; during initialization initial states too.
fmukit_status fmukit_refresh(fmukit_instance *fmu);
/// Copies strings that the author's functions, or a caller, have pointed fields at.
bool fmukit_adopt_texts(fmukit_instance *fmu);

// ---- messages (log.c) ------------------------------------------------------------------------------

/// The kit's own log categories come first, then those of the model, each with its bit.
typedef struct fmukit_category {
    const char *name, *description;
} fmukit_category;

enum {
    FMUKIT_LOG_EVENTS,
    FMUKIT_LOG_WARNING,
    FMUKIT_LOG_DISCARD,
    FMUKIT_LOG_ERROR,
    FMUKIT_LOG_FATAL,
    FMUKIT_LOG_PENDING,
    FMUKIT_LOG_CALLS,
    FMUKIT_N_CATEGORIES,
    FMUKIT_MAX_OWN_CATEGORIES = 16,
};
/// Problems are told even if the user did not ask for debug messages.
#define FMUKIT_LOG_ALWAYS                                                                          \
    (1u << FMUKIT_LOG_WARNING | 1u << FMUKIT_LOG_ERROR | 1u << FMUKIT_LOG_FATAL)

extern const fmukit_category fmukit_categories[FMUKIT_N_CATEGORIES];

/// Number of a category, -1: unknown.
int fmukit_find_category(const fmukit_model *model, const char *name);
/// Writes "<call>: <message>" to the category of the status, and returns the status.
fmukit_status fmukit_fail(fmukit_instance *fmu, fmukit_status status, const char *format, ...)
#if defined __GNUC__
    __attribute__((format(printf, 3, 4)))
#endif
    ;
/// The same in the category for calls; does nothing when that is switched off.
void fmukit_log_call(fmukit_instance *fmu, const char *format, va_list arguments);

// ---- values (values.c) -----------------------------------------------------------------------------

/// `values` are double, int (integers, enumerations, booleans) or const char *. A refused call
/// changes nothing.
fmukit_status fmukit_get(fmukit_instance *fmu, fmukit_type type, const unsigned *references,
                         size_t n, void *values);
fmukit_status fmukit_set(fmukit_instance *fmu, fmukit_type type, const unsigned *references,
                         size_t n, const void *values);
fmukit_status fmukit_differentiate(fmukit_instance *fmu, const unsigned *unknowns,
                                   size_t n_unknowns, const unsigned *knowns, size_t n_knowns,
                                   const double *seed, double *derivative);
fmukit_status fmukit_get_output_derivatives(fmukit_instance *fmu, const unsigned *references,
                                            size_t n, const int *orders, double *values);
void fmukit_set_start_values(fmukit_instance *fmu);

/// The variable's field in the author's struct.
static inline void *fmukit_at(const fmukit_instance *fmu, size_t variable)
{
    return (char *)fmu->data + fmu->model->variables[variable].field.offset;
}

// ---- saved states (snapshot.c) -----------------------------------------------------------------------

typedef struct fmukit_snapshot fmukit_snapshot;

/// `*snapshot` is NULL or a saved state of this instance, whose memory is then used again.
fmukit_status fmukit_save(fmukit_instance *fmu, fmukit_snapshot **snapshot);
fmukit_status fmukit_restore(fmukit_instance *fmu, fmukit_snapshot *snapshot);
fmukit_status fmukit_free_snapshot(fmukit_instance *fmu, fmukit_snapshot **snapshot);
void fmukit_free_all_snapshots(fmukit_instance *fmu);
fmukit_status fmukit_serialized_size(fmukit_instance *fmu, fmukit_snapshot *snapshot, size_t *size);
fmukit_status fmukit_serialize(fmukit_instance *fmu, fmukit_snapshot *snapshot, void *bytes,
                               size_t size);
/// Trusts nothing in `bytes`: what is not a state of this FMU is refused.
fmukit_status fmukit_deserialize(fmukit_instance *fmu, const void *bytes, size_t size,
                                 fmukit_snapshot **snapshot);

#endif

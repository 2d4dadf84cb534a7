// SPDX-License-Identifier: MIT
// What does not depend on the version of FMI: an instance of the author's model, its
// phases, values, events and saved states. A version of FMI (fmi1.c, fmi2.c, fmi3.c) builds on it: it
// decides which calls are allowed when, translates arguments, and gives the core functions for logging
// and memory. What the versions share of this is in interface.h.
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
    FMUKIT_EVENT_MODE = 512,
    FMUKIT_CONFIGURATION = 1024, ///< structural parameters can be set
    FMUKIT_RECONFIGURATION = 2048, ///< the same between steps
    FMUKIT_INTERMEDIATE = 4096, ///< the importing program may set inputs in the middle of a step
    FMUKIT_CONTINUOUS_TIME = 8192, ///< of model exchange: between events
} fmukit_phase;

/// What differs between versions of FMI where the core has to know it.
typedef struct fmukit_interface {
    int version; ///< 1, 2 or 3
    const char *step_complete; ///< its name for the phase FMUKIT_STEP_COMPLETE
    size_t boolean_size; ///< bytes of a boolean in its calls: that of an int or 1
    fmukit_type enumeration_type; ///< enumerations travel as FMUKIT_INTEGER or FMUKIT_INT64
} fmukit_interface;

/// What the importing program provides, as seen by the core.
typedef struct fmukit_host {
    void *(*allocate)(size_t n_items, size_t item_size); ///< returns zeroed memory
    void (*release)(void *memory);
    /// Hands a finished text to the importing program; `category` is never NULL.
    void (*log)(fmukit_instance *fmu, fmukit_status status, const char *category, const char *text);
    /// Lets the importing program set inputs within a step; NULL: it has given derivatives.
    void (*update_inputs)(fmukit_instance *fmu, double t);
} fmukit_host;

/// The kit's copy of one string or binary; strings with their terminating zero.
typedef struct fmukit_copy {
    size_t offset; ///< of the field (or its element) in the author's struct
    bool is_binary;
    char *bytes;
    size_t size;
    char *fresh; ///< only while copies are being renewed
    size_t fresh_size;
} fmukit_copy;

/// The current shape of an array.
typedef struct fmukit_shape {
    size_t count; ///< elements
    size_t sizes[FMUKIT_MAX_DIMENSIONS];
    bool is_dense; ///< the elements in use lie side by side
} fmukit_shape;

typedef struct fmukit_block fmukit_block;

/// A state and its derivative; as many elements each.
typedef struct fmukit_state {
    const fmukit_variable *variable, *derivative;
} fmukit_state;

struct fmukit_instance {
    const fmukit_model *model;
    void *data; ///< the author's struct
    char *name, *resources;
    fmukit_host host;
    const fmukit_interface *interface;
    unsigned enabled_categories; ///< one bit per log category
    const char *call; ///< function of the interface that is being called, for messages
    bool uses_events; ///< the importing program handles events; else the kit does
    bool has_clocks; ///< spares a look at all variables
    bool may_return_early; ///< the importing program accepts steps that end early
    bool is_model_exchange;
    bool is_final; ///< the importing program will not go back before the present step
    bool is_integrating; ///< the kit integrates: points may turn out to be impossible
    fmukit_state *states; ///< NULL: there are none
    size_t n_states; ///< how many of these
    double *work; ///< room for the integrator and for comparing states
    /// Per indicator: was it above 0 before inputs were set for the coming step? In the saved state; NULL:
    /// there are none. See fmukit_inputs_cause_event().
    bool *signs;

    struct fmukit_block
        *blocks; ///< of the author's struct that are saved as they are; see snapshot.c
    size_t n_blocks;
    const fmukit_variable **others; ///< variables outside of blocks
    size_t n_others;

    fmukit_copy *copies;
    size_t n_copies;
    fmukit_shape *shapes; ///< one per variable; NULL: there are no arrays
    /// Per variable: where its value can be read at once, then (again per variable)
    /// written; NULL: not at all. See fmukit_prepare_places().
    double **places;
    bool may_move; ///< inputs can change within a step; see inputs.c
    struct fmukit_moving *moving; ///< in FMI 1.0 and 2.0: those that can
    size_t n_moving; ///< how many of these
    int input_order; ///< highest order of the derivatives that were given for the coming step
    double moving_since; ///< s; the beginning of the step
    double moved_to; ///< s; the time that the fields of inputs belong to
    struct fmukit_solver *solver; ///< of fmukit_model::integrator; NULL: none has been needed
    int n_tolerated; ///< what the importing program did beyond the standard, as far as reported
    struct fmukit_snapshot *snapshots; ///< all saved states that have not been freed

    bool has_stop;
    double stop; ///< s

    // From here on in the saved state.
    fmukit_phase phase;
    bool is_set_up; ///< start time is known
    bool is_stale; ///< outputs must be computed again before they are read
    bool wants_end; ///< the last step or event asked for the end of the simulation
    bool has_next_event;
    bool is_jumping; ///< what is not continuous has been set since the last event or step
    double start, tolerance; ///< s, relative (0: none)
    double time; ///< s; what has been reached
    double t_end; ///< s; end of the current communication step
    double goal; ///< s; up to where it is being computed
    double last_time; ///< s; up to where the last step was successful
    double first_step; ///< s; size of the first step, 0: none yet
    double next_event; ///< s; the next one that is known
    double inner_step; ///< s; a good first step for the integrator; 0: not known
    fmukit_status step_status; ///< of the last step
};

// ---- creation and end (core.c) -------------------------------------------------------------------------------

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
/// FMUKIT_EVENT means that the step has been computed up to an event, which is for the importing
/// program to handle; FMUKIT_DISCARD also that the model asks to end, see `wants_end`.
fmukit_status fmukit_step(fmukit_instance *fmu, double t, double h);
/// Does a step of size `h` from `t` on begin where the instance is, but for roundings?
bool fmukit_is_at(const fmukit_instance *fmu, double t, double h);
/// The status of a step that was pending when last seen.
fmukit_status fmukit_poll(fmukit_instance *fmu);
fmukit_status fmukit_cancel(fmukit_instance *fmu);
fmukit_status fmukit_terminate(fmukit_instance *fmu);
/// From setting structural parameters back to where it came from: arrays take their new shapes.
fmukit_status fmukit_exit_configuration(fmukit_instance *fmu);

/// "instantiated", "initialization mode", ...
const char *fmukit_phase_name(const fmukit_instance *fmu);

static inline bool fmukit_is_failure(fmukit_status status)
{
    return status != FMUKIT_OK && status != FMUKIT_WARNING;
}

static inline fmukit_status fmukit_worse(fmukit_status a, fmukit_status b)
{
    return a > b ? a : b;
}

/// Where there are strings and binaries to copy, or something to report; see fmukit_judge().
fmukit_status fmukit_judge_closely(fmukit_instance *fmu, fmukit_status status,
                                   const char *function);

/// Looks at what a function of the author returned: anything but OK and a warning ends the instance's
/// work with a message.
static inline fmukit_status fmukit_judge(fmukit_instance *fmu, fmukit_status status,
                                         const char *function)
{
    if (status == FMUKIT_OK && fmu->n_copies == 0) return FMUKIT_OK;
    return fmukit_judge_closely(fmu, status, function);
}

/// Brings outputs up to date; during initialization initial states too.
fmukit_status fmukit_refresh(fmukit_instance *fmu);

// ---- events (event.c) ------------------------------------------------------------------------------

/// Lets the model change its discrete states once; ends the ticks of all clocks.
fmukit_status fmukit_update_discrete(fmukit_instance *fmu, fmukit_event *event);
/// Repeats that until nothing changes; the model may ask to end, see `wants_end`.
fmukit_status fmukit_handle_event(fmukit_instance *fmu);
/// Keeps the signs of the indicators, before inputs are set.
fmukit_status fmukit_note_signs(fmukit_instance *fmu);
/// At the beginning of a step that the kit computes: has setting inputs changed the sign of an indicator, or
/// a value that changes only in events?
fmukit_status fmukit_inputs_cause_event(fmukit_instance *fmu, bool *answer);
void fmukit_clear_clocks(fmukit_instance *fmu, bool inputs_too);
bool fmukit_is_ticking(const fmukit_instance *fmu, const fmukit_variable *variable);

// ---- continuous states (continuous.c, integrate.c) ---------------------------------------------------

bool fmukit_prepare_states(fmukit_instance *fmu);
/// Elements now.
size_t fmukit_n_continuous(const fmukit_instance *fmu);
size_t fmukit_n_indicators(const fmukit_instance *fmu);
/// Elements at most, whatever the sizes of arrays are.
size_t fmukit_max_indicators(const fmukit_model *model);
void fmukit_read_states(const fmukit_instance *fmu, double *x);
/// Writes them; what depends on them must be computed again.
void fmukit_write_states(fmukit_instance *fmu, const double *x);
void fmukit_read_nominals(const fmukit_instance *fmu, double *nominals);
/// Both bring values up to date first; FMUKIT_DISCARD: not possible for these states.
fmukit_status fmukit_read_derivatives(fmukit_instance *fmu, double *derivatives);
fmukit_status fmukit_read_indicators(fmukit_instance *fmu, double *indicators);
fmukit_status fmukit_complete_step(fmukit_instance *fmu, bool *has_event);
/// The same as fmukit_update_discrete(), and finds out whether states have changed.
fmukit_status fmukit_update_states(fmukit_instance *fmu, fmukit_event *event, bool *are_changed);

/// Used where the author has written no `step`: up to `t_end` or an event.
fmukit_status fmukit_integrate(fmukit_instance *fmu, double t, double t_end);

// ---- strings and binaries (copies.c) -----------------------------------------------------------------

bool fmukit_prepare_copies(fmukit_instance *fmu);
/// Copies what the author's functions, or a caller, have pointed fields at.
bool fmukit_adopt(fmukit_instance *fmu);
void fmukit_free_copies(fmukit_instance *fmu);
char *fmukit_copy_text(fmukit_instance *fmu, const char *text);

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
/// Problems are logged even if the user did not ask for debug messages.
#define FMUKIT_LOG_ALWAYS                                                                          \
    (1u << FMUKIT_LOG_WARNING | 1u << FMUKIT_LOG_ERROR | 1u << FMUKIT_LOG_FATAL)

/// `category` is below FMUKIT_N_CATEGORIES; one name depends on the version of FMI.
fmukit_category fmukit_own_category(int category, int version);

/// Number of a category, -1: unknown.
int fmukit_find_category(const fmukit_instance *fmu, const char *name);
/// Writes "<call>: <message>" to the category of the status, and returns the status.
fmukit_status fmukit_fail(fmukit_instance *fmu, fmukit_status status, const char *format, ...)
#if defined __GNUC__
    __attribute__((format(printf, 3, 4)))
#endif
    ;
/// The same for what the importing program should not do and may: a warning, whose status it does not see.
/// Some do it in every step, so after a few of these there are no more.
void fmukit_tolerate(fmukit_instance *fmu, const char *format, ...)
#if defined __GNUC__
    __attribute__((format(printf, 2, 3)))
#endif
    ;
/// The same in the category for calls; does nothing when that is switched off.
void fmukit_log_call(fmukit_instance *fmu, const char *format, va_list arguments);

// ---- values (values.c) -----------------------------------------------------------------------------

/// Which variables a call reads or writes. Arrays have several values, in the order of C.
typedef struct fmukit_access {
    fmukit_type type; ///< of the function, e.g. fmi3GetInt64; enumerations travel as integers
    const unsigned *references;
    size_t n;
    size_t n_values; ///< room for them, or how many are given
} fmukit_access;

/// Finds the variables that are only a number: Float64, no array, without clocks. To be set they must
/// also be continuous inputs without a range. Most calls of a simulation are about these, and then
/// nothing has to be looked up.
bool fmukit_prepare_places(fmukit_instance *fmu);
/// Finds what can be saved block by block. Returns false when memory is exhausted.
bool fmukit_prepare_blocks(fmukit_instance *fmu);

/// `values` have the C type of the variables, with the exceptions of fmukit_interface. Binaries are
/// `const void *`, and only they have `sizes`. A refused call changes nothing.
fmukit_status fmukit_get(fmukit_instance *fmu, const fmukit_access *access, void *values,
                         size_t *sizes);
fmukit_status fmukit_set(fmukit_instance *fmu, const fmukit_access *access, const void *values,
                         const size_t *sizes);

/// Are the variables of a call only numbers, with these places?
static inline bool fmukit_have_places(const fmukit_instance *fmu, const fmukit_access *access,
                                      double *const *places, const void *values)
{
    if (access->type != FMUKIT_REAL || access->n != access->n_values || !access->references ||
        !values)
        return false;
    for (size_t i = 0; i < access->n; i++) {
        unsigned reference = access->references[i];
        if (reference >= fmu->model->n_variables || !places[reference]) return false;
    }
    return true;
}

/// The same as fmukit_get(), but does only simple cases; false: nothing has happened.
static inline bool fmukit_get_simply(const fmukit_instance *fmu, const fmukit_access *access,
                                     double *values)
{
    if (fmu->is_stale || !fmukit_have_places(fmu, access, fmu->places, values)) return false;
    for (size_t i = 0; i < access->n; i++) values[i] = *fmu->places[access->references[i]];
    return true;
}

/// The same as fmukit_set(), but does only simple cases; false: nothing has happened.
static inline bool fmukit_set_simply(fmukit_instance *fmu, const fmukit_access *access,
                                     const double *values)
{
    const unsigned running =
        FMUKIT_STEP_COMPLETE | FMUKIT_EVENT_MODE | FMUKIT_CONTINUOUS_TIME | FMUKIT_INTERMEDIATE;
    double *const *places = fmu->places + fmu->model->n_variables;
    if (!(fmu->phase & running) || !fmukit_have_places(fmu, access, places, values)) return false;
    for (size_t i = 0; i < access->n; i++) *places[access->references[i]] = values[i];
    fmu->is_stale = true;
    return true;
}

/// NULL with a message if there is no such variable of this type.
const fmukit_variable *fmukit_find(fmukit_instance *fmu, fmukit_type type, unsigned reference);
/// Says so if pointers are missing where n values are expected.
bool fmukit_are_given(fmukit_instance *fmu, const void *references, const void *values, size_t n);

// ---- derivatives (derivatives.c) -----------------------------------------------------------------------

/// Derivatives of all elements of the unknowns by all elements of the knowns.
typedef struct fmukit_jacobian {
    const unsigned *unknowns, *knowns;
    size_t n_unknowns, n_knowns;
} fmukit_jacobian;

/// Its product with a vector, or (adjoint) that of a vector with it.
fmukit_status fmukit_differentiate(fmukit_instance *fmu, const fmukit_jacobian *jacobian,
                                   bool is_adjoint, const double *seed, size_t n_seed,
                                   double *sensitivity, size_t n_sensitivity);
/// One order per reference, one value per element.
fmukit_status fmukit_get_output_derivatives(fmukit_instance *fmu, const unsigned *references,
                                            size_t n, const int *orders, double *values,
                                            size_t n_values);

// ---- dependencies (dependencies.c) ---------------------------------------------------------------------

/// An element of a variable depends on an element of an input; elements are counted from 1 on.
typedef struct fmukit_dependency {
    size_t of, on;
    unsigned input;
} fmukit_dependency;

/// Finds the dependencies of an output's elements. Writes as many as there is room for, in `out`, which may
/// be NULL then, and returns how many there are.
size_t fmukit_list_dependencies(const fmukit_instance *fmu, const fmukit_variable *output,
                                fmukit_dependency *out, size_t room);

// ---- inputs within a step (inputs.c) -------------------------------------------------------------------

enum { FMUKIT_MAX_INPUT_ORDER = 6 }; ///< of derivatives of inputs

bool fmukit_prepare_moving(fmukit_instance *fmu);
/// Forgets the derivatives that were given: inputs are held, until there are others.
void fmukit_hold_inputs(fmukit_instance *fmu);
/// At the beginning of a step, if inputs can move.
void fmukit_begin_moving(fmukit_instance *fmu);
fmukit_status fmukit_set_input_derivatives(fmukit_instance *fmu, const unsigned *references,
                                           size_t n, const int *orders, const double *values);

// ---- arrays (shapes.c) ---------------------------------------------------------------------------------

bool fmukit_prepare_shapes(fmukit_instance *fmu);
/// Finds the shapes that structural parameters ask for. Arrays whose shape changes get their start
/// values again if `is_renewed` is set.
void fmukit_take_shapes(fmukit_instance *fmu, bool is_renewed);
/// Start values for everything; those without begin with 0, false or "".
void fmukit_set_start_values(fmukit_instance *fmu);
/// The number of elements that a variable has now.
size_t fmukit_n_elements(const fmukit_instance *fmu, const fmukit_variable *variable);
/// Do these lie side by side, from the beginning of the field on?
bool fmukit_is_dense(const fmukit_instance *fmu, const fmukit_variable *variable);
/// Where the k-th of these is in the field, counted as C does.
size_t fmukit_place(const fmukit_instance *fmu, const fmukit_variable *variable, size_t k);

/// The variable's field in the author's struct.
static inline void *fmukit_field_of(const fmukit_instance *fmu, const fmukit_variable *variable)
{
    return (char *)fmu->data + variable->field.offset;
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

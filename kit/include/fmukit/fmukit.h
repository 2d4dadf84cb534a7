// SPDX-License-Identifier: MIT
/// @file
/// The FMU kit: from one C file to an FMU.
///
/// The author of an FMU writes
///   1. a struct that holds the variables (and whatever else the model needs),
///   2. one table that describes the variables,
///   3. the equations as a few functions,
///   4. one `const fmukit_model fmukit_this_model` that names all of them.
/// The kit does the rest: the interface of the FMI standard, its call-order checks, logging, saving
/// and restoring the state, modelDescription.xml, and the archive (see FmuKit.cmake). The same files
/// become FMUs of FMI 1.0, 2.0 and 3.0; what only FMI 3.0 has is marked so. docs/kit.md shows
/// complete examples.
#ifndef FMUKIT_FMUKIT_H
#define FMUKIT_FMUKIT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A running instance of the FMU, owned by the kit. Passed to the author's functions.
typedef struct fmukit_instance fmukit_instance;

// ---- variables ---------------------------------------------------------------------------------

/// The type of a variable, and the C type its field in the author's struct must have.
typedef enum fmukit_type {
    FMUKIT_REAL, ///< double
    FMUKIT_INTEGER, ///< int
    FMUKIT_BOOLEAN, ///< bool
    FMUKIT_STRING, ///< const char *, see below
    FMUKIT_ENUMERATION, ///< int, one of the values of its enumeration
    // From here on FMI 3.0 only.
    FMUKIT_FLOAT32, ///< float
    FMUKIT_INT8, ///< int8_t
    FMUKIT_UINT8, ///< uint8_t
    FMUKIT_INT16, ///< int16_t
    FMUKIT_UINT16, ///< uint16_t
    FMUKIT_UINT32, ///< uint32_t
    FMUKIT_INT64, ///< int64_t
    FMUKIT_UINT64, ///< uint64_t
    FMUKIT_BINARY, ///< fmukit_binary
    FMUKIT_CLOCK, ///< bool: does it tick now? See fmukit_clock
    FMUKIT_FLOAT64 = FMUKIT_REAL,
    FMUKIT_INT32 = FMUKIT_INTEGER,
} fmukit_type;

/// Any bytes. `bytes` is never NULL between calls, even if there are none.
typedef struct fmukit_binary {
    const void *bytes;
    size_t size;
} fmukit_binary;

// A string field may be pointed at any text that is valid until the author's function returns (a
// literal, another string variable, a buffer of the model). The kit then copies the text and points
// the field at its copy. Between calls a string field is never NULL. Binary fields do the same.

typedef enum fmukit_causality {
    FMUKIT_LOCAL,
    FMUKIT_INPUT,
    FMUKIT_OUTPUT,
    FMUKIT_PARAMETER,
    FMUKIT_CALCULATED_PARAMETER, ///< computed by `initialize`
    FMUKIT_STRUCTURAL_PARAMETER, ///< FMI 3.0: set before all else; may be the size of arrays
} fmukit_causality;

typedef enum fmukit_variability {
    FMUKIT_USUAL_VARIABILITY, ///< parameters: fixed; what belongs to a clock: discrete; other reals
    ///< (also 32 bits): continuous; all else: discrete
    FMUKIT_CONSTANT,
    FMUKIT_FIXED,
    FMUKIT_TUNABLE, ///< parameters that may change between steps
    FMUKIT_DISCRETE,
    FMUKIT_CONTINUOUS,
} fmukit_variability;

typedef enum fmukit_initial {
    FMUKIT_USUAL_INITIAL, ///< parameters and constants: exact; all else: calculated
    FMUKIT_EXACT, ///< begins with its start value, which may be set before and during initialization
    FMUKIT_APPROX, ///< the start value is a guess, which may be set before initialization
    FMUKIT_CALCULATED,
} fmukit_initial;

/// A unit by its exponents of the SI base units: value in base units = factor * value + offset.
/// Units without such a definition may be used as well; then only their name is known.
typedef struct fmukit_unit {
    const char *name;
    int kg, m, s, A, K, mol, cd, rad;
    double factor; ///< 0 stands for 1
    double offset;
} fmukit_unit;

typedef struct fmukit_item {
    const char *name;
    int value;
    const char *description; ///< may be NULL
} fmukit_item;

/// An enumeration type. Several variables may share one.
typedef struct fmukit_enumeration {
    const char *name; ///< must differ from the names of all variables
    const char *description; ///< may be NULL
    const fmukit_item *items;
    size_t n_items;
} fmukit_enumeration;

/// Limits of a value; write FMUKIT_RANGE(0, 1), FMUKIT_MIN(0) or FMUKIT_MAX(1).
typedef struct fmukit_range {
    bool has_min, has_max;
    double min, max;
} fmukit_range;

#define FMUKIT_RANGE(low, high)                                                                    \
    {                                                                                              \
        true, true, low, high                                                                      \
    }
#define FMUKIT_MIN(low)                                                                            \
    {                                                                                              \
        true, false, low, 0                                                                        \
    }
#define FMUKIT_MAX(high)                                                                           \
    {                                                                                              \
        false, true, 0, high                                                                       \
    }

/// The start value; the field that fits the type counts. Of an array: of each of its elements.
typedef union fmukit_start {
    double real; ///< of 64 and 32 bits
    int64_t integer; ///< of all sizes, and enumerations
    uint64_t natural; ///< the same for FMUKIT_UINT64 above the limit of `integer`
    bool boolean;
    const char *string; ///< NULL stands for ""
    fmukit_binary binary;
} fmukit_start;

/// One dimension of an array (FMI 3.0). The field is a C array with room for the largest size, e.g.
/// `double A[3][MAX]` for .dimensions = {FMUKIT_SIZE(3), FMUKIT_SIZE_OF("n", MAX)}; its elements
/// stay where C puts them, whatever the current size is.
typedef struct fmukit_dimension {
    size_t size; ///< 0: there is no such dimension
    const char *parameter; ///< NULL, or the structural parameter (FMUKIT_UINT64, with a range up to
        ///< `size`) that gives how much of it is used
} fmukit_dimension;

enum { FMUKIT_MAX_DIMENSIONS = 4 };

#define FMUKIT_SIZE(constant)                                                                      \
    {                                                                                              \
        constant, NULL                                                                             \
    }
#define FMUKIT_SIZE_OF(parameter, most)                                                            \
    {                                                                                              \
        most, parameter                                                                            \
    }

/// When a clock ticks (FMI 3.0).
typedef enum fmukit_clock_kind {
    FMUKIT_TRIGGERED, ///< inputs: when the importing program says so; outputs and locals: when
    ///< `evaluate` sets the field, which is false before
    FMUKIT_PERIODIC, ///< inputs only: every `interval` seconds
    FMUKIT_CHANGING, ///< inputs only: after each tick fmukit_functions::interval gives the next one
    FMUKIT_COUNTDOWN, ///< inputs only: after any event it may announce a tick
} fmukit_clock_kind;

/// Clocks tick in events only; fields of clocks are false at all other times. Models with clocks
/// need the function `event`.
typedef struct fmukit_clock {
    fmukit_clock_kind kind;
    double interval; ///< s, positive; of periodic clocks
    double shift; ///< s; from the start to the first tick
    /// The same as fractions of a second, counter / resolution, in place of `interval` and `shift`;
    /// ticks then do not suffer from rounding. resolution 0: there are none.
    uint64_t counter, shift_counter, resolution;
} fmukit_clock;

/// What fmukit_functions::interval knows about the next tick of a clock.
typedef enum fmukit_interval {
    FMUKIT_INTERVAL_UNKNOWN, ///< there is none yet
    FMUKIT_INTERVAL_SAME, ///< nothing new: it has been announced and is still to come
    FMUKIT_INTERVAL_NEW, ///< it comes the given time after this event
} fmukit_interval;

/// For fmukit_variable::depends_on: the output depends on none of the inputs.
extern const char *const fmukit_no_inputs[];
#define FMUKIT_NO_INPUTS fmukit_no_inputs

/// For fmukit_variable::depends_on: the output depends on these inputs: FMUKIT_INPUTS("u1", "u2").
#define FMUKIT_INPUTS(...) FMUKIT_NAMES(__VA_ARGS__)

/// The same for fmukit_variable::depends_on_states.
#define FMUKIT_NO_STATES fmukit_no_inputs
#define FMUKIT_STATES(...) FMUKIT_NAMES(__VA_ARGS__)

/// For fmukit_variable::clocks: FMUKIT_CLOCKS("tick").
#define FMUKIT_CLOCKS(...) FMUKIT_NAMES(__VA_ARGS__)

#define FMUKIT_NAMES(...)                                                                          \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

/// Where the value lies: FMUKIT_FIELD(struct, name). The size lets the kit find a wrong C type.
#define FMUKIT_FIELD(type, name)                                                                   \
    {                                                                                              \
        offsetof(type, name), sizeof(((type *)0)->name)                                            \
    }

typedef struct fmukit_field {
    size_t offset, size; ///< bytes
} fmukit_field;

/// One row of the table. Its index in the table is the variable's value reference. Everything that
/// is left out (0, NULL) means "not given" or the usual value.
typedef struct fmukit_variable {
    const char *name; ///< required, unique
    const char *description;
    fmukit_type type;
    fmukit_causality causality;
    fmukit_variability variability;
    fmukit_initial initial;
    fmukit_field field; ///< required
    fmukit_start start; ///< used for inputs, parameters, constants, and `exact` or `approx`
    const char *unit; ///< reals only
    fmukit_range range; ///< numbers only. Setting a value outside is refused with "discard"; real
        ///< inputs are set and get a warning, since iterations may overshoot
    double nominal; ///< reals only, positive: a typical magnitude
    const fmukit_enumeration *enumeration; ///< required for enumerations
    fmukit_dimension dimensions[FMUKIT_MAX_DIMENSIONS]; ///< of arrays
    const void *starts; ///< of arrays whose elements begin with different values: as many items of
        ///< the field's C type as the array has at first; `start` is used when NULL and after the
        ///< array has got another size
    fmukit_clock clock; ///< of clocks
    const char *const *clocks; ///< the clocks it belongs to: FMUKIT_CLOCKS("tick"). It can be set
        ///< and read only while one of them ticks, and during initialization

    /// On which inputs an output depends directly, i.e. at the same time instant: FMUKIT_NO_INPUTS,
    /// FMUKIT_INPUTS("u1", "u2"), or NULL: on all of them. States in between break a dependency.
    const char *const *depends_on;
    /// The same during initialization, where it is different; NULL: as `depends_on`. That values
    /// may depend on parameters there is known to the kit.
    const char *const *depends_on_initially;

    // Continuous states, see docs/kit.md. Models that have them need no `step`, and become FMUs for
    // model exchange as well.
    const char *derivative_of; ///< the variable is the derivative of this one by time, which is
        ///< thereby a continuous state; computed by `evaluate`
    bool is_indicator; ///< an event happens where its sign changes; computed by `evaluate`
    /// On which states an output, derivative or indicator depends: FMUKIT_STATES("x", "v"),
    /// FMUKIT_NO_STATES, or NULL: on all of them.
    const char *const *depends_on_states;
} fmukit_variable;

// ---- equations ---------------------------------------------------------------------------------

/// What the author's functions return.
typedef enum fmukit_status {
    FMUKIT_OK,
    FMUKIT_WARNING, ///< continue, but something is odd; say what with fmukit_log()
    FMUKIT_DISCARD, ///< of `step`: it ended before its end, see fmukit_stopped_at(); of
    ///< `evaluate` in a model with states: not possible for these states, a smaller step may help
    FMUKIT_ERROR, ///< this computation failed; an earlier state can be restored
    FMUKIT_FATAL, ///< the instance can no longer be used
    FMUKIT_PENDING, ///< of `step` and `poll`: still computing, see fmukit_model::poll
    FMUKIT_TERMINATE, ///< of `step`: the simulation has come to its end, see fmukit_stopped_at()
    FMUKIT_EVENT, ///< of `step` and `poll`: stopped at an event, see fmukit_stopped_at() and
    ///< fmukit_functions::event
} fmukit_status;

/// What `event` reports. Everything is 0 before the call.
typedef struct fmukit_event {
    bool again; ///< the change makes another one necessary, at the same time
    bool terminate; ///< the simulation has come to its end
    bool has_next_time;
    double next_time; ///< s; the kit lets no step go beyond it without an event
} fmukit_event;

/// An element of a variable. `index` counts elements as C does, and is 0 for scalars.
typedef struct fmukit_element {
    size_t variable, index;
} fmukit_element;

typedef struct fmukit_stream fmukit_stream;

/// Functions of the author. `model` points to the struct. All of them are optional.
typedef struct fmukit_functions {
    /// Obtains what the model needs besides its struct (memory, files). Variables have their start
    /// values. On failure `destroy` is called as well.
    fmukit_status (*create)(fmukit_instance *fmu, void *model);
    /// Ends what `create` and other functions obtained; must cope with a failed `create`.
    void (*destroy)(fmukit_instance *fmu, void *model);

    /// Computes initial states and calculated parameters from parameters, start values and inputs.
    /// May be called several times, whenever one of these has been set during initialization.
    fmukit_status (*initialize)(fmukit_instance *fmu, void *model, double t);
    /// Computes outputs, derivatives of states and event indicators for time `t` from states, inputs
    /// and parameters, and changes nothing else. Called only when needed.
    fmukit_status (*evaluate)(fmukit_instance *fmu, void *model, double t);
    /// Advances the states from `t` to `t_end`; inputs are those for the whole step. `t` is exactly
    /// the `t_end` of the step before. `evaluate` is called afterwards by the kit. If the model has
    /// events, a communication step may consist of several such steps. Without this function the kit
    /// integrates the continuous states.
    fmukit_status (*step)(fmukit_instance *fmu, void *model, double t, double t_end);
    /// Changes the discrete states at an event: after initialization, where `step` stopped with
    /// FMUKIT_EVENT, at the time announced, and whenever the importing program asks for one. `evaluate`
    /// has been called before, with the clocks that tick now, and is called again afterwards. So
    /// `evaluate` computes what discrete variables will be, and `event` makes it last. The kit
    /// handles events by itself if the importing program cannot (FMI 1.0 and 2.0).
    fmukit_status (*event)(fmukit_instance *fmu, void *model, double t, fmukit_event *event);
    /// Optional for models with continuous states: an integrator has reached time `t`. `*has_event`
    /// asks for an event here. It may keep values of its own, but not change the states.
    fmukit_status (*step_completed)(fmukit_instance *fmu, void *model, double t, bool *has_event);
    /// When the next tick of a changing or countdown clock comes. `clock` is its index in the table, and
    /// *seconds counts from the present event, or from the start. Asked during initialization and after
    /// `event`; of changing clocks only when they have ticked.
    fmukit_interval (*interval)(fmukit_instance *fmu, void *model, size_t clock, double *seconds);
    /// The simulation is over; called once at most, and not after an error.
    fmukit_status (*terminate)(fmukit_instance *fmu, void *model);

    /// Names every piece of the state that is not a variable of the table, once, with fmukit_real()
    /// and its relatives; the kit runs it to measure, to save and to load. A model whose whole
    /// state lies in its table does not need it.
    void (*state)(fmukit_stream *s, void *model);

    /// The partial derivative of an output or of the derivative of a state with respect to an input
    /// or a state (during initialization also to a parameter); both are elements of variables of
    /// type real.
    fmukit_status (*derivative)(fmukit_instance *fmu, void *model, fmukit_element unknown,
                                fmukit_element known, double *value);
    /// FMI 3.0: does an element of an output depend on an element of an input at the same instant? Asked
    /// only where `depends_on` says so for the variables. Worthwhile for arrays: importing programs
    /// find smaller loops then.
    bool (*depends)(fmukit_instance *fmu, const void *model, fmukit_element output,
                    fmukit_element input);
    /// The `order`-th derivative of an output with respect to time, 1 <= order <=
    /// fmukit_model::max_output_derivative_order.
    fmukit_status (*output_derivative)(fmukit_instance *fmu, void *model, fmukit_element output,
                                       int order, double *value);

    /// For models that compute in the background: `step` returned FMUKIT_PENDING; is it done? The
    /// answer is the status of the step, or FMUKIT_PENDING.
    fmukit_status (*poll)(fmukit_instance *fmu, void *model);
    /// Stops such a step.
    void (*cancel)(fmukit_instance *fmu, void *model);
} fmukit_functions;

/// Integrates the continuous states of a model without `step`; see fmukit_model::integrator.
typedef struct fmukit_integrator {
    fmukit_status (*advance)(fmukit_instance *fmu, double t, double t_end);
    void (*end)(fmukit_instance *fmu); ///< frees what `advance` has made
} fmukit_integrator;

/// Interfaces of FMI.
enum { FMUKIT_CO_SIMULATION = 1, FMUKIT_MODEL_EXCHANGE = 2 };

/// All that is known about a model.
typedef struct fmukit_model {
    const char *name; ///< required; letters, digits, underscores; also names the FMU's binary
    const char *description;
    const char *version; ///< of the model. Change it when `state` changes: saved states of another
        ///< version are then refused
    const char *author;

    size_t size; ///< required: sizeof the author's struct
    const fmukit_variable *variables; ///< required
    size_t n_variables;
    const fmukit_unit *units; ///< definitions of units that variables use
    size_t n_units;
    const char *const *log_categories; ///< categories of its own, NULL-terminated; at most 16

    double start_time, stop_time; ///< s; default experiment. Both 0: not given
    double step_size; ///< s; a good communication step. 0: not given
    double tolerance; ///< relative; 0: not given

    unsigned interfaces; ///< FMUKIT_CO_SIMULATION | FMUKIT_MODEL_EXCHANGE, or one of them; 0:
        ///< co-simulation, and model exchange as well if there are continuous states

    // What the model cannot do. The kit provides everything else by itself.
    bool no_rewind; ///< its state cannot be saved and restored
    bool no_serialize; ///< a saved state makes sense only in the process that saved it
    bool fixed_step; ///< all communication steps must have the size of the first one
    bool once_per_process; ///< two instances would disturb each other
    int max_output_derivative_order; ///< see fmukit_functions::output_derivative
    bool interpolates_inputs; ///< `step` asks for inputs between communication points, see
        ///< fmukit_inputs_at()
    const fmukit_integrator
        *integrator; ///< of models without `step`; NULL: explicit, Dormand-Prince. For stiff
    ///< equations: &fmukit_implicit of fmukit/solver.h
    bool holds_inputs; ///< models without `step`: inputs keep their values during a step. Else the
        ///< kit lets them move, as far as the importing program says how

    fmukit_functions functions;
} fmukit_model;

/// The author defines this object.
extern const fmukit_model fmukit_this_model;

// ---- services for the author's functions ---------------------------------------------------------

/// Writes a message for the user. `category` is one of the FMU's log categories; NULL: the one that
/// fits the status. Long messages are cut.
void fmukit_log(fmukit_instance *fmu, fmukit_status status, const char *category,
                const char *format, ...)
#if defined __GNUC__
    __attribute__((format(printf, 4, 5)))
#endif
    ;

/// Up to where the current step has been successful. Called by `step` or `poll` before they return
/// FMUKIT_DISCARD, FMUKIT_TERMINATE or FMUKIT_EVENT; without it that is the beginning of the step.
void fmukit_stopped_at(fmukit_instance *fmu, double t);

/// Called by `step`: from now on the fields of continuous real inputs hold their values at time `t`, which
/// lies within the step. It has an effect if the model `interpolates_inputs` and the importing program
/// lets inputs change within steps; otherwise they keep their values. The kit does the same for the time
/// that a step has reached. For models without `step` it does all of it.
void fmukit_inputs_at(fmukit_instance *fmu, double t);

/// The time the instance has reached, s.
double fmukit_time(const fmukit_instance *fmu);
/// Called by `step`: does the importing program promise not to go back to a time before this step?
bool fmukit_is_final(const fmukit_instance *fmu);
/// The relative tolerance the user asked for; 0: none.
double fmukit_tolerance(const fmukit_instance *fmu);
/// The name of the instance, and the path of the FMU's folder `resources`, with a slash at its end
/// ("" if not known). Both live as long as the instance.
const char *fmukit_name(const fmukit_instance *fmu);
const char *fmukit_resources(const fmukit_instance *fmu);

/// Zeroed memory, from the importing program if it provides memory; NULL: there is none. Free it
/// with fmukit_free(), which accepts NULL.
void *fmukit_alloc(fmukit_instance *fmu, size_t n_items, size_t item_size);
void fmukit_free(fmukit_instance *fmu, void *memory);

// ---- pieces of state, for fmukit_functions::state --------------------------------------------------

void fmukit_real(fmukit_stream *s, double *value);
void fmukit_reals(fmukit_stream *s, double *values, size_t n);
void fmukit_integer(fmukit_stream *s, int *value);
void fmukit_integers(fmukit_stream *s, int *values, size_t n);
void fmukit_boolean(fmukit_stream *s, bool *value);
/// Plain bytes without pointers, e.g. a struct of numbers.
void fmukit_bytes(fmukit_stream *s, void *bytes, size_t n);
/// A number of items, for arrays whose length is kept elsewhere. Loading fails above `limit`.
void fmukit_count(fmukit_stream *s, size_t *count, size_t limit);
/// A buffer from fmukit_alloc() that may change its length. `items` is the address of the pointer
/// to it. Loading replaces the buffer when the lengths differ; with no items it becomes NULL.
void fmukit_buffer(fmukit_stream *s, void *items, size_t *n_items, size_t item_size);

/// Is the state being loaded? For things that are computed from the pieces.
bool fmukit_is_loading(const fmukit_stream *s);
/// Refuses the state that is being loaded, e.g. because an index is out of range.
void fmukit_refuse(fmukit_stream *s, const char *reason);
/// The instance whose state it is.
fmukit_instance *fmukit_stream_instance(const fmukit_stream *s);

#ifdef __cplusplus
}
#endif
#endif

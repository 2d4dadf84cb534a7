// SPDX-License-Identifier: MIT
// An instance of an FMU of FMI 3.0; only for src/fmi.
#ifndef TAKT_FMU_FMI3_INSTANCE_H
#define TAKT_FMU_FMI3_INSTANCE_H

#include "fmi/fmi3.h"
#include "fmu/states.h"

/// When a clock ticks. The instance schedules the input clocks that tick at times the FMU tells.
typedef struct takt_clock_state {
    bool is_active; ///< ticks at this very instant
    bool has_ticked; ///< since its next tick was planned
    double next; ///< s; its next tick; infinite: none is known
    double interval; ///< s; of a periodic clock
    uint64_t counter, shift_counter; ///< the same as fractions, so that ticks do not drift
    uint64_t resolution; ///< per second; 0: there are no fractions
    double origin; ///< s; tick number 0 of a periodic clock since its interval changed
    uint64_t n_ticks; ///< since then
} takt_clock_state;

/// Values of clocked variables: they can only be read while a clock ticks, but are wanted at any time.
typedef struct takt_clocked_values {
    takt_access access; ///< to all clocked variables
    takt_slot *slots; ///< where the value of takt_fmi3_description::clocked[i] lies
    bool *is_initial; ///< has a value already in initialization mode
    takt_values values; ///< as of the latest ticks
} takt_clocked_values;

/// Where a value reference is found among the variables.
typedef struct takt_fmi3_place {
    uint32_t reference;
    int variable;
} takt_fmi3_place;

/// Inputs that change within a step, along straight lines.
typedef struct takt_fmi3_lines {
    uint32_t *refs; ///< of inputs that can be set within a step, of the whole FMU
    size_t n_refs;
    double t; ///< s; where the lines begin
    double t_end; ///< s; end of the step
    bool is_stepping; ///< fmi3DoStep is being called
    const takt_access *inputs; ///< NULL: none change; borrowed until the step is over
    double *room; ///< per input: the value at t, the derivative, the value to set
    int n_room; ///< inputs that there is room for
    takt_status status; ///< of setting them; the message is in `err`
    takt_error err;
} takt_fmi3_lines;

typedef struct takt_fmi3_instance {
    takt_fmu_instance common; ///< first
    const takt_fmi3_functions *fmi3; ///< of the library
    fmi3Instance component;
    takt_arena arena; ///< owns what the instance never gives back
    bool uses_events; ///< event mode is used
    double next_event; ///< s; as the FMU said in its latest update; infinite: none
    bool must_evaluate; ///< discrete states, before values are read in event mode
    takt_clock_state *clocks; ///< parallel to takt_fmi3_description::clocks
    uint32_t *clock_refs; ///< room for calls about clocks, for all of them at most
    fmi3Clock *clock_values;
    takt_clocked_values clocked;
    takt_fmi3_place *places; ///< of all variables, sorted; NULL: not needed so far
    takt_values *parts; ///< per array: what its elements were set to, for setting a part; or NULL
    bool has_parts; ///< of any array
    void *room; ///< for converting values; grows to the largest access and is then reused
    size_t room_size; ///< bytes
    void *sizes; ///< the same for sizes of Binary values, which are size_t
    size_t sizes_size;
    void *wide; ///< the same for derivatives of whole arrays
    size_t wide_size;
    takt_fmi3_lines lines;
} takt_fmi3_instance;

static inline const takt_fmi3_description *takt_fmi3_of(const takt_fmi3_instance *self)
{
    return &self->common.fmu->description.fmi3;
}

// ---- of both interfaces (fmi3_instance.c) --------------------------------------------------------

void takt_fmi3_log_message(fmi3InstanceEnvironment environment, fmi3Status status,
                           fmi3String category, fmi3String message);
/// A kind of instances: what the interfaces do differently.
typedef struct takt_fmi3_kind {
    const takt_instance_type *type;
    takt_status (*create)(takt_fmi3_instance *self, takt_error *err); ///< the component
} takt_fmi3_kind;

/// Instantiates the FMU for a kind.
takt_status takt_fmi3_create(const takt_fmi3_kind *kind, const takt_model *model, const char *name,
                             takt_log *log, takt_instance **out, takt_error *err);

/// Asks for messages about problems where the FMU offers them.
void takt_fmi3_ask_for_problems(takt_fmi3_instance *self);

/// For the tables of instance types.
void takt_fmi3_destroy(takt_instance *instance);
takt_status takt_fmi3_enter_initialization(takt_instance *instance, const takt_interval *interval,
                                           takt_error *err);
takt_status takt_fmi3_terminate(takt_instance *instance, takt_error *err);

/// What fmi3UpdateDiscreteStates says. Booleans are bytes: an FMU may write any.
typedef struct takt_fmi3_answer {
    unsigned char needs_update, terminates, nominals, states, has_next;
    double next; ///< s
} takt_fmi3_answer;

takt_status takt_fmi3_update(takt_fmi3_instance *self, takt_fmi3_answer *answer, takt_error *err);

// ---- values (fmi3_values.c) ----------------------------------------------------------------------

takt_status takt_fmi3_set(takt_instance *instance, const takt_access *access,
                          const takt_values *values, takt_error *err);
takt_status takt_fmi3_get(takt_instance *instance, const takt_access *access, takt_values *values,
                          takt_error *err);

/// Reads one run of values of a group, from index `first` on: a variable, or elements of one array, as
/// many as lie there. Returns their number in `n`.
takt_status takt_fmi3_get_run(takt_fmi3_instance *self, const takt_access_group *group, int first,
                              takt_values *values, int *n, takt_error *err);
void takt_fmi3_values_clear(takt_fmi3_instance *self);

/// Makes room for `size` bytes in memory that is reused. Returns false when memory is exhausted.
bool takt_fmi3_reserve(void **room, size_t *room_size, size_t size);

// ---- states (fmi3_states.c) ------------------------------------------------------------------------

takt_status takt_fmi3_save(takt_instance *instance, void **state, takt_error *err);
takt_status takt_fmi3_restore(takt_instance *instance, void *state, takt_error *err);
void takt_fmi3_free_state(takt_instance *instance, void **state);
takt_status takt_fmi3_serialize(takt_instance *instance, void *state, takt_bytes *out,
                                takt_error *err);
takt_status takt_fmi3_deserialize(takt_instance *instance, const void *data, size_t size,
                                  void **state, takt_error *err);

// ---- structural parameters (fmi3_configure.c) ----------------------------------------------------

/// Sets the structural parameters of a new instance of a model with other sizes.
takt_status takt_fmi3_configure(takt_fmi3_instance *self, takt_error *err);

/// To configuration mode and back.
takt_status takt_fmi3_enter_configuration(takt_fmi3_instance *self, takt_error *err);
takt_status takt_fmi3_exit_configuration(takt_fmi3_instance *self, takt_error *err);

// ---- derivatives (fmi3_derivatives.c) ------------------------------------------------------------

takt_status takt_fmi3_differentiate(takt_instance *instance, const takt_access *unknowns,
                                    const takt_access *knowns, const double *seed,
                                    double *derivative, takt_error *err);

takt_status takt_fmi3_get_derivatives(takt_instance *instance, const takt_access *outputs,
                                      double *derivatives, takt_error *err);

// ---- dependencies (fmi3_dependencies.c) ----------------------------------------------------------

takt_status takt_fmi3_depend(takt_instance *instance, int variable, takt_arena *arena,
                             takt_dependency *out, takt_error *err);

// ---- intermediate update (fmi3_intermediate.c) ---------------------------------------------------

/// The inputs that can be set within a step, as fmi3InstantiateCoSimulation wants to know them: all of
/// them, because connections are not known here.
takt_status takt_fmi3_intermediate_init(takt_fmi3_instance *self, takt_error *err);
void takt_fmi3_intermediate_clear(takt_fmi3_instance *self);

takt_status takt_fmi3_set_derivatives(takt_instance *instance, double t, const takt_access *inputs,
                                      const double *values, const double *derivatives,
                                      takt_error *err);

/// Around the call of a step: inputs can be set until it ends. Ending fails if they could not be set.
void takt_fmi3_intermediate_begin(takt_fmi3_instance *self, double t_end);
takt_status takt_fmi3_intermediate_end(takt_fmi3_instance *self, takt_error *err);

/// The callback. Sets the inputs that change within the step.
void takt_fmi3_intermediate_update(fmi3InstanceEnvironment environment, fmi3Float64 time,
                                   fmi3Boolean may_set, fmi3Boolean may_get,
                                   fmi3Boolean is_finished, fmi3Boolean can_return_early,
                                   fmi3Boolean *return_early, fmi3Float64 *return_time);

// ---- clocks (fmi3_clocks.c) ----------------------------------------------------------------------

/// Prepares a new instance.
takt_status takt_fmi3_clocks_init(takt_fmi3_instance *self, takt_error *err);
void takt_fmi3_clocks_clear(takt_fmi3_instance *self);

/// Before initialization mode is left: plans the first ticks.
takt_status takt_fmi3_clocks_start(takt_fmi3_instance *self, takt_error *err);

/// In event mode: lets those clocks tick that have to tick now.
takt_status takt_fmi3_clocks_tick(takt_fmi3_instance *self, takt_error *err);

/// Before an update of discrete states, which ends all ticks: keeps the values of clocked variables.
takt_status takt_fmi3_clocks_keep(takt_fmi3_instance *self, takt_error *err);

/// After such an update: plans the next ticks.
takt_status takt_fmi3_clocks_plan(takt_fmi3_instance *self, takt_error *err);

double takt_fmi3_clocks_next(const takt_fmi3_instance *self);

/// For set and get: the values of clocks themselves. Outside event mode they are 0 and not set.
takt_status takt_fmi3_clocks_set(takt_fmi3_instance *self, const takt_access_group *group,
                                 const takt_values *values, takt_error *err);
takt_status takt_fmi3_clocks_get(takt_fmi3_instance *self, const takt_access_group *group,
                                 takt_values *values, takt_error *err);

/// May a variable be read or set now? Clocked ones only while one of their clocks ticks, or in
/// initialization mode.
bool takt_fmi3_may_get(const takt_fmi3_instance *self, int variable);
bool takt_fmi3_may_set(const takt_fmi3_instance *self, int variable);

/// Copies the latest known value of a clocked variable that may not be read now.
bool takt_fmi3_clocked_copy(const takt_fmi3_instance *self, int variable, takt_values *values,
                            int index);

#endif

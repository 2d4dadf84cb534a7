// SPDX-License-Identifier: MIT
// The contract for instances: things that can be set, stepped, read, and perhaps rewound. The run
// works with nothing else. FMUs (src/fmu), tables (src/table), functions (src/builtin), groups (src/group) and
// the plain C instances of tests are kinds of instances.
//
// Life of an instance:
//   instantiate -> set start values, not of inputs -> enter_initialization -> set/get -> exit_initialization
//   -> (set -> step -> get)* -> terminate -> destroy
//
// Messages of errors need not name the instance nor the time: the caller puts both in front.
#ifndef TAKT_INSTANCE_INSTANCE_H
#define TAKT_INSTANCE_INSTANCE_H

#include <stdatomic.h>

#include "base/log.h"
#include "instance/motion.h"

/// What all kinds have in common; a kind puts this struct first in its own.
typedef struct takt_instance {
    const struct takt_instance_type *type;
    const takt_model *model; ///< must outlive the instance
    const char *name; ///< borrowed; as the user wrote it
    takt_log *log; ///< borrowed; may be NULL
    /// For watching from another thread: the function that is being called now (NULL: none, or `stage` says
    /// it), and how many calls have begun (NULL: they are not counted, so there is nothing to watch).
    _Atomic(const char *) calling;
    const atomic_uint *n_calls;
    const atomic_uchar *stage; ///< inside `advance`: 1 + the takt_call; else 0; NULL: always 0
    atomic_ullong thread; ///< that calls it, by takt_thread_id(); 0: that of the run
} takt_instance;

/// The interval a run covers. FMUs may refuse to go beyond the stop time.
typedef struct takt_interval {
    double start, stop; ///< s
    bool has_stop;
    bool has_tolerance;
    double tolerance; ///< relative, for the integrators inside the instances
} takt_interval;

typedef enum takt_step_end {
    TAKT_STEP_DONE, ///< reached t + h
    TAKT_STEP_EARLY, ///< stopped at `time` < t + h, because an event must be handled there
    TAKT_STEP_DISCARDED, ///< the step was possible only up to `time`; rewind or give up
    TAKT_STEP_TERMINATED, ///< the instance asks for the simulation to end
} takt_step_end;

/// The calls that takt_instance_type::advance makes.
typedef enum takt_call { TAKT_CALL_SET, TAKT_CALL_STEP, TAKT_CALL_GET } takt_call;

/// How a step ended. None of these ends is an error.
typedef struct takt_step_result {
    takt_step_end end;
    bool has_event; ///< events must be handled at `time` before the next step
    takt_call call; ///< of `advance`: the last one, also written when it failed
    double time; ///< s; up to where the instance has computed successfully
} takt_step_result;

/// A step, from t to t + h.
typedef struct takt_step {
    double t, h; ///< s
    bool is_final; ///< no instance will be rewound to a time before t
    bool is_single; ///< loops make one pass, whatever their algorithm: the step is that small
    int slot; ///< for rewinding: where the states at t are saved
} takt_step;

typedef struct takt_coupling takt_coupling; ///< see coupling.h

/// Advances n instances of one type, one after the other: sets the inputs, steps from t to t + h and reads
/// the outputs. Stops at the first one that fails, does not reach t + h, has an event or gives values that
/// are not finite; `n_done` is the number of those before it and `result` is its own. Where the step is
/// done, its outputs have been read. Where inputs move (takt_coupling::motion), n is 1.
typedef takt_status takt_instance_advance_fn(takt_coupling *const *couplings, int n,
                                             const takt_step *step, int *n_done,
                                             takt_step_result *result, takt_error *err);

/// What an instance reports after an update of its discrete states.
typedef struct takt_event {
    bool needs_update; ///< again, before event mode can be left
    bool terminates; ///< asks for the simulation to end
    double next_time; ///< s; of its next event that is known; infinite: none
} takt_event;

/// What an instance for model exchange, or a member of a group, has evaluated; for statistics.
typedef struct takt_work {
    const char *name; ///< of the instance or member, borrowed
    int64_t derivatives; ///< evaluations of all its differential equations
    int64_t directional; ///< directional derivatives, for their Jacobian
} takt_work;

/// The value of a structural parameter, which may be the size of arrays.
typedef struct takt_structural_value {
    int variable;
    int64_t value;
} takt_structural_value;

typedef struct takt_instance_type {
    const char *name; ///< "FMI 2.0 co-simulation"

    /// Optional, before `instantiate`: the next instance of the model may write into this folder, which is there and
    /// named by its whole path, and is borrowed until then; NULL: into none. Without this function, instances may write
    /// everywhere.
    void (*allow_results)(const takt_model *model, const char *folder);

    /// Required. The result is owned by the caller and ended with `destroy`.
    takt_status (*instantiate)(const takt_model *model, const char *name, takt_log *log,
                               takt_instance **out, takt_error *err);
    void (*destroy)(takt_instance *instance);

    /// Required. `enter_initialization` comes after the start values have been set.
    takt_status (*enter_initialization)(takt_instance *instance, const takt_interval *interval,
                                        takt_error *err);
    takt_status (*exit_initialization)(takt_instance *instance, takt_error *err);

    /// Required. Values lie in the order that `access` defines.
    takt_status (*set)(takt_instance *instance, const takt_access *access,
                       const takt_values *values, takt_error *err);
    takt_status (*get)(takt_instance *instance, const takt_access *access, takt_values *values,
                       takt_error *err);

    /// Required. Steps from t to t + h. `is_final` promises that the instance will not be rewound
    /// to a time before t.
    takt_status (*step)(takt_instance *instance, double t, double h, bool is_final,
                        takt_step_result *result, takt_error *err);

    /// Optional, both or none: a step in two phases. `begin_step` starts it and returns at once; `end_step`
    /// waits for its end. In between the instance computes elsewhere, and no other function is called.
    takt_status (*begin_step)(takt_instance *instance, double t, double h, bool is_final,
                              takt_error *err);
    takt_status (*end_step)(takt_instance *instance, takt_step_result *result, takt_error *err);

    /// Optional: a step that has begun may still wait for those of other instances, to travel with them; after this call it
    /// does not. Waiting for the end of any step does the same.
    void (*depart)(takt_instance *instance);

    /// Optional, both or none: does for several instances exactly what `set`, `step` and `get` would do,
    /// only faster. `can_advance` is asked once, before initialization, whether an instance can do it
    /// for its coupling.
    bool (*can_advance)(const takt_instance *instance, const takt_coupling *coupling);
    takt_instance_advance_fn *advance;
    const char *const *call_names; ///< the functions that it calls, by takt_call; NULL: not known

    /// Optional, all three or none, and used only if the model `can.events` or has equations: events at time t, between
    /// steps. After `exit_initialization` an instance with these functions is in event mode already.
    /// In event mode values are set and read, each followed by updates, until nothing changes.
    /// `enter_events` lets those clocks tick that the instance has to tick at t.
    takt_status (*enter_events)(takt_instance *instance, double t, takt_error *err);
    takt_status (*update_events)(takt_instance *instance, takt_event *out, takt_error *err);
    takt_status (*leave_events)(takt_instance *instance, takt_error *err);

    /// Optional: the times, ascending, at which one of these outputs bends though it does not jump, so that
    /// a step over them would miss something. Deviations up to `relative` of the values do not count. Asked
    /// once, after initialization; the result lives as long as the instance.
    takt_status (*find_knots)(takt_instance *instance, const takt_access *outputs, double relative,
                              const double **times, int *n_times, takt_error *err);

    /// Optional; without it an instance is just destroyed. Not called after an error.
    takt_status (*terminate)(takt_instance *instance, takt_error *err);

    /// Optional, all three or none, and used only if the model `can.rewind`. `*state` is NULL or a
    /// state of this instance, whose memory is then reused.
    takt_status (*save)(takt_instance *instance, void **state, takt_error *err);
    takt_status (*restore)(takt_instance *instance, void *state, takt_error *err);
    void (*free_state)(takt_instance *instance, void **state);

    /// Optional, both or none, and used only if the model `can.serialize` too: a saved state as bytes and
    /// back, also in another process. Bytes that are none of this model's states are a failure. `*state` is
    /// NULL or a state of this instance, which is then replaced.
    takt_status (*serialize)(takt_instance *instance, void *state, takt_bytes *out,
                             takt_error *err);
    takt_status (*deserialize)(takt_instance *instance, const void *data, size_t size, void **state,
                               takt_error *err);

    /// Optional, used only if the model `can.directional_derivatives`: for the outputs in
    /// `unknowns` the derivative in the direction `seed` of the inputs in `knowns`. Both hold only
    /// variables of type Float64.
    takt_status (*differentiate)(takt_instance *instance, const takt_access *unknowns,
                                 const takt_access *knowns, const double *seed, double *derivative,
                                 takt_error *err);

    /// Optional, used only if the model `can.element_dependencies`: on what the elements of an array depend
    /// now, during initialization or later. `variable` is its first element, or a single variable; `out`
    /// gets one entry per element, whose lists lie in `arena`.
    takt_status (*depend)(takt_instance *instance, int variable, takt_arena *arena,
                          takt_dependency *out, takt_error *err);

    /// Optional, used only if the model `can.max_output_derivative_order` > 0: the first derivatives by
    /// time of outputs, where the instance is now. `outputs` holds only continuous variables of type
    /// Float64.
    takt_status (*get_derivatives)(takt_instance *instance, const takt_access *outputs,
                                   double *derivatives, takt_error *err);

    /// Optional, used only if the model `can.interpolate_inputs`: lets inputs move along polynomials of
    /// degree `order` (1 .. TAKT_MAX_MOTION_ORDER) in the one step that begins at t. With n inputs,
    /// derivatives[d * n + i] is the d-th derivative by time of input i at t, d = 0 .. order; for d = 0 that
    /// is the value at t, which has been set. `inputs`, which must live until the step is over, holds only
    /// variables of takt_model_interpolates(). After the step the inputs have the values of its end; after
    /// an early return the polynomials go on in the rest of the step. FMUs of FMI 1.0 and 2.0 may keep the derivatives
    /// that they got last: an input that has moved is held again by derivatives of 0.
    takt_status (*set_motion)(takt_instance *instance, double t, const takt_access *inputs,
                              int order, const double *derivatives, takt_error *err);

    /// Optional: the highest order that `set_motion` can follow; without it, TAKT_MAX_MOTION_ORDER. It falls
    /// when an FMU refuses an order: then the inputs follow the lower derivatives in that step.
    int (*motion_order)(const takt_instance *instance);

    /// Optional: a connection needs the values of a variable as `type`, with the items of `definition` (NULL: none
    /// are known). Changes the variable's type, before any instance exists, where that makes sense, else leaves
    /// it alone. Fails when a value can be none of that type. Without it, types are what they are.
    takt_status (*retype)(takt_model *model, int variable, takt_type type,
                          const takt_type_definition *definition, takt_error *err);

    /// Optional: a connection leads from a variable to a discrete input, so that values between those that
    /// the model has must not be invented. Before any instance exists.
    void (*hold)(takt_model *model, int variable);

    /// Optional: its differential equations, so that they can be integrated together with those of others;
    /// see me/equations.h.
    const struct takt_equations *equations;

    /// Optional: the work of member number `i_member` of a group; an instance with equations has only itself,
    /// number 0. Returns false when there is no such member.
    bool (*work)(const takt_instance *instance, int i_member, takt_work *out);

    /// Optional: member number `i_member` of a group, which is an instance with a name and calls of its own;
    /// NULL: there is none. Who watches asks from another thread, between instantiation and destruction.
    const takt_instance *(*member)(const takt_instance *instance, int i_member);

    /// Optional: does this address of code lie in what the instance runs? For telling who crashed.
    bool (*has_code)(const takt_instance *instance, const void *address);

    /// Optional: opens the model once more with other values of structural parameters, so that its arrays
    /// have other sizes; instances of the result begin with these values. Fails, with the reason, when a
    /// size is impossible. The result is owned by the caller. Without it, sizes are what they are.
    takt_status (*resize)(const takt_model *model, const takt_structural_value *values,
                          int n_values, takt_model **out, takt_error *err);

    /// Required. Ends what takt_model's own fields do not cover (libraries, folders) and frees the
    /// struct; called by takt_model_close().
    void (*close_model)(takt_model *model);
} takt_instance_type;

/// The function of an FMU that an instance is calling now; NULL: none. From any thread.
const char *takt_instance_calling(const takt_instance *instance);

/// Ends a model; no instance of it may exist any more. Accepts NULL and half-opened models.
void takt_model_close(takt_model *model);

/// Can the instance let this variable change within a step?
static inline bool takt_model_interpolates(const takt_model *model, int variable)
{
    const takt_variable *v = &model->variables[variable];
    return model->can.interpolate_inputs && model->type->set_motion && !v->is_held &&
           v->causality == TAKT_INPUT && v->variability == TAKT_CONTINUOUS &&
           v->type == TAKT_FLOAT64;
}

/// The highest degree of polynomials that inputs of the instance can follow; 0: they are held. May fall
/// with a call of `set_motion`.
static inline int takt_instance_motion_order(const takt_instance *instance)
{
    if (!instance->model->can.interpolate_inputs || !instance->type->set_motion) return 0;
    return instance->type->motion_order ? instance->type->motion_order(instance)
                                        : TAKT_MAX_MOTION_ORDER;
}

/// Does the instance give the derivative by time of this variable?
static inline bool takt_model_derives(const takt_model *model, int variable)
{
    const takt_variable *v = &model->variables[variable];
    return model->can.max_output_derivative_order > 0 && model->type->get_derivatives &&
           v->causality == TAKT_OUTPUT && v->variability == TAKT_CONTINUOUS &&
           v->type == TAKT_FLOAT64;
}

/// Can the instance's state be saved and restored?
static inline bool takt_model_can_rewind(const takt_model *model)
{
    return model->can.rewind && model->type->save;
}

/// Can a saved state be turned into bytes?
static inline bool takt_model_can_serialize(const takt_model *model)
{
    return takt_model_can_rewind(model) && model->can.serialize && model->type->serialize;
}

#endif

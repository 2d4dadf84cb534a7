// SPDX-License-Identifier: MIT
// How an FMU is called. Every call goes the same way: takt_fmu_begin() refuses it where none is allowed any
// more and names the function for those who watch, the function is called, takt_fmu_check() turns its status
// into ours. After an error an instance may only be freed; after a fatal one no instance of the library may
// be called at all. A status is given as an int, because the versions number theirs alike.
//
// The macros do all of it. `self` is an instance of a version: it has `common`, a takt_fmu_instance, and
// `functions`, those of its library. Only steps are called by hand (advance.h), because they are called most
// and have more ends than others. Only for src/fmu.
#ifndef TAKT_FMU_CALL_H
#define TAKT_FMU_CALL_H

#include "base/compiler.h"
#include "base/float_mode.h"
#include "fmu/instance.h"

enum {
    TAKT_FMU_OK,
    TAKT_FMU_WARNING,
    TAKT_FMU_DISCARD,
    TAKT_FMU_ERROR,
    TAKT_FMU_FATAL,
    TAKT_FMU_PENDING, ///< not in FMI 3.0
};

// ---- calls ---------------------------------------------------------------------------------------

/// Calls a function with the component and what follows.
#define TAKT_FMU_CALL(self, function, err, ...)                                                    \
    TAKT_FMU_CALL_AS(self, function, ((self)->common.component, __VA_ARGS__), err, takt_fmu_check, \
                     NULL, NULL)

/// The same for a function that takes nothing else.
#define TAKT_FMU_ENTER(self, function, err)                                                        \
    TAKT_FMU_CALL_AS(self, function, ((self)->common.component), err, takt_fmu_check, NULL, NULL)

/// The same for a function about variables, which the message of a failure names.
#define TAKT_FMU_ACCESS(self, function, batch, err, ...)                                           \
    TAKT_FMU_CALL_AS(self, function, ((self)->common.component, __VA_ARGS__), err, takt_fmu_check, \
                     batch, NULL)

/// What all of them do. `check` judges the status; after status and name it gets what follows, and `err`.
#define TAKT_FMU_CALL_AS(self, function, arguments, err, check, ...)                               \
    (takt_fmu_begin(&(self)->common, (self)->functions->function != NULL, #function, err)          \
         ? TAKT_ERR_SIMULATION                                                                     \
         : check(&(self)->common, (int)(self)->functions->function arguments, #function,           \
                 __VA_ARGS__, err))

/// Calls a function that makes the component.
#define TAKT_FMU_CREATE(self, function, err, ...)                                                  \
    (takt_fmu_begin(&(self)->common, (self)->functions->function != NULL, #function, err)          \
         ? TAKT_ERR_SIMULATION                                                                     \
         : takt_fmu_take_component(&(self)->common, (self)->functions->function(__VA_ARGS__),      \
                                   #function, err))

// ---- before a call -------------------------------------------------------------------------------

/// Counts a call, so that messages of the FMU can be known to belong to it.
static inline void takt_fmu_count_call(takt_fmu_instance *self)
{
    unsigned call = atomic_load_explicit(&self->log.call, memory_order_relaxed);
    atomic_store_explicit(&self->log.call, call + 1, memory_order_relaxed); // only we write it
}

/// Names a call that is not judged, and that must not be refused; takt_fmu_end() must follow.
static inline void takt_fmu_name_call(takt_fmu_instance *self, const char *function)
{
    takt_fmu_count_call(self);
    atomic_store_explicit(&self->base.calling, function, memory_order_release);
}

/// May the FMU be called?
static inline bool takt_fmu_may_call(const takt_fmu_instance *self)
{
    return self->phase < TAKT_FMU_FAILED &&
           !atomic_load_explicit(&self->library->is_dead, memory_order_relaxed);
}

/// Says why a call is not possible.
takt_status takt_fmu_refuse(const takt_fmu_instance *self, const char *function, takt_error *err);

/// Prepares a call. Fails where none is allowed, or where the library lacks the function.
static inline takt_status takt_fmu_begin(takt_fmu_instance *self, bool is_there,
                                         const char *function, takt_error *err)
{
    takt_fmu_count_call(self);
    if (!is_there || !takt_fmu_may_call(self)) return takt_fmu_refuse(self, function, err);
    // What was written before can then be read by who sees the name (see run/watch.c).
    atomic_store_explicit(&self->base.calling, function, memory_order_release);
    return TAKT_OK;
}

// ---- after a call --------------------------------------------------------------------------------

/// The FMU left another floating-point mode behind: restores ours and says so, once.
void takt_fmu_restore_floats(takt_fmu_instance *self);

/// Has the FMU changed how this thread computes?
static inline void takt_fmu_check_floats(takt_fmu_instance *self)
{
    if (!TAKT_LIKELY(takt_float_mode_is_usual())) takt_fmu_restore_floats(self);
}

/// Says to those who watch that the call has returned.
static inline void takt_fmu_end(takt_fmu_instance *self)
{
    takt_fmu_check_floats(self);
    atomic_store_explicit(&self->base.calling, NULL, memory_order_relaxed);
}

/// Judges a status other than OK; see takt_fmu_check().
takt_status takt_fmu_judge(takt_fmu_instance *self, int status, const char *function,
                           const takt_access_batch *batch, bool *is_discarded, takt_error *err);

/// Judges the status that a call returned. `batch` has the variables that a message names (NULL: none).
/// Discard is noted in `is_discarded`, or, if that is NULL, a failure after which the instance can go on.
static inline takt_status takt_fmu_check(takt_fmu_instance *self, int status, const char *function,
                                         const takt_access_batch *batch, bool *is_discarded,
                                         takt_error *err)
{
    takt_fmu_end(self);
    return TAKT_LIKELY(status == TAKT_FMU_OK)
               ? TAKT_OK
               : takt_fmu_judge(self, status, function, batch, is_discarded, err);
}

/// A step that reached its end.
static inline takt_status takt_fmu_step_done(takt_fmu_instance *self, double t, double h,
                                             takt_step_result *result)
{
    takt_fmu_end(self);
    self->time = t + h;
    *result = (takt_step_result){.end = TAKT_STEP_DONE, .time = t + h};
    return TAKT_OK;
}

/// Takes what a call to instantiate returned; NULL is a failure.
takt_status takt_fmu_take_component(takt_fmu_instance *self, void *component, const char *function,
                                    takt_error *err);

/// Draws the consequences of a status other than OK, warning and discard.
void takt_fmu_note_failure(takt_fmu_instance *self, int status);

/// Reports a failed call without consequences. `batch` as for takt_fmu_check().
takt_status takt_fmu_fail(takt_fmu_instance *self, const char *function,
                          const takt_access_batch *batch, int status, takt_error *err);

/// Reports an integer that a variable cannot take.
takt_status takt_fmu_fail_range(takt_fmu_instance *self, int variable, const char *value,
                                const char *type, takt_error *err);

#endif

// SPDX-License-Identifier: MIT
// What instances of FMUs have in common, whatever their FMI version: how calls are made and how their
// status is judged. Only for src/fmi.
//
// Every call to the FMU goes the same way: takt_fmu_begin() refuses it where no call is allowed any
// more, the function is called, takt_fmu_check() turns the returned status into ours. After an error
// an instance may only be freed; after a fatal one no instance of the library may be called at all.
// A status is given as an int, because the versions number theirs alike.
#ifndef TAKT_FMU_INSTANCE_H
#define TAKT_FMU_INSTANCE_H

#include "fmu/log.h"
#include "fmu/model.h"
#include "instance/instance.h"

enum {
    TAKT_FMU_OK,
    TAKT_FMU_WARNING,
    TAKT_FMU_DISCARD,
    TAKT_FMU_ERROR,
    TAKT_FMU_FATAL,
    TAKT_FMU_PENDING, ///< not in FMI 3.0
};

typedef enum takt_fmu_phase {
    TAKT_FMU_INSTANTIATED,
    TAKT_FMU_INITIALIZING,
    TAKT_FMU_HANDLING_EVENTS, ///< event mode of FMI 3.0
    TAKT_FMU_STEPPING,
    TAKT_FMU_TERMINATED,
    TAKT_FMU_FAILED, ///< only freeing is allowed
    TAKT_FMU_STUCK, ///< in a step that never ended: not even freeing is allowed
} takt_fmu_phase;

typedef struct takt_fmu_instance {
    takt_instance base; ///< first
    takt_fmu *fmu;
    takt_library *library;
    takt_fmu_log log;
    takt_fmu_contact *contact; ///< for the callbacks; of the FMU, which outlives the instance
    takt_fmu_phase phase;
    double time; ///< s; for messages
    int n_warnings;
    const struct takt_state_calls *states; ///< how the FMU saves its state; NULL: not in FMI 1.0
    struct takt_me *me; ///< integrates the FMU; owned; NULL: it is for co-simulation
} takt_fmu_instance;

/// Prepares the common part of a zeroed instance and gets its library. End it with
/// takt_fmu_instance_clear(), also after a failure.
takt_status takt_fmu_instance_init(takt_fmu_instance *self, const takt_instance_type *type,
                                   const takt_model *model, const char *name, takt_log *log,
                                   takt_error *err);
void takt_fmu_instance_clear(takt_fmu_instance *self);

/// Changes to a copy of the library, for an FMU that refuses a second instance without having said so
/// (canBeInstantiatedOnlyOncePerProcess). Returns false where that cannot help.
bool takt_fmu_change_to_copy(takt_fmu_instance *self);

/// May the FMU be called to free something?
bool takt_fmu_may_free(const takt_fmu_instance *self);

/// Finds the categories about problems among those that the FMU offers. Returns their number.
enum { TAKT_FMU_MAX_CATEGORIES = 4 };
size_t takt_fmu_problem_categories(const takt_fmu_instance *self,
                                   const char *out[TAKT_FMU_MAX_CATEGORIES]);

/// Counts a call, so that messages of the FMU can be told to belong to it.
static inline void takt_fmu_count_call(takt_fmu_instance *self)
{
    unsigned call = atomic_load_explicit(&self->log.call, memory_order_relaxed);
    atomic_store_explicit(&self->log.call, call + 1, memory_order_relaxed); // only we write it
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

/// Judges a status other than OK; see takt_fmu_check().
takt_status takt_fmu_judge(takt_fmu_instance *self, int status, const char *function,
                           takt_error *err);

/// Tells those who watch that the call has returned. All functions that judge a status do it.
static inline void takt_fmu_end(takt_fmu_instance *self)
{
    atomic_store_explicit(&self->base.calling, NULL, memory_order_relaxed);
}

/// Judges the status that a call returned. Discard is a failure here, but the instance can go on.
static inline takt_status takt_fmu_check(takt_fmu_instance *self, int status, const char *function,
                                         takt_error *err)
{
    takt_fmu_end(self);
    return status == TAKT_FMU_OK ? TAKT_OK : takt_fmu_judge(self, status, function, err);
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

/// Judges the status of calls about variables, which the message names.
takt_status takt_fmu_check_access(takt_fmu_instance *self, int status, const char *function,
                                  const takt_access_group *group, takt_error *err);

/// Draws the consequences of a status other than OK, warning and discard.
void takt_fmu_note_failure(takt_fmu_instance *self, int status);

/// Reports a failed call without consequences. `what` may name the variables: " of 'a', 'b'".
takt_status takt_fmu_fail(takt_fmu_instance *self, const char *function, const char *what,
                          int status, takt_error *err);

/// Reports that a call to instantiate returned nothing.
takt_status takt_fmu_fail_instantiate(takt_fmu_instance *self, const char *function,
                                      takt_error *err);

/// Reports an integer that a variable cannot take.
takt_status takt_fmu_fail_range(takt_fmu_instance *self, int variable, const char *value,
                                const char *type, takt_error *err);

#endif

// SPDX-License-Identifier: MIT
// Setting and getting values the way of FMI 1.0 and 2.0, which differ only in names and in the size of
// a Boolean: one call per type, Reals straight from and to our buffers, the others converted in room
// that the instance keeps. Also turns the sign of negated aliases (FMI 1.0). Only for src/fmu.
#ifndef TAKT_FMU_SCALARS_H
#define TAKT_FMU_SCALARS_H

#include "fmu/call.h"
#include "instance/coupling.h"

enum { TAKT_SCALAR_REAL, TAKT_SCALAR_INTEGER, TAKT_SCALAR_BOOLEAN, TAKT_SCALAR_STRING };
enum { TAKT_N_SCALARS = 4 };

/// Sets or gets the variables of a batch. `values` holds double, int, int (also for Booleans) or const char *.
typedef takt_status takt_scalar_fn(takt_fmu_instance *self, const takt_access_batch *batch,
                                   void *values, takt_error *err);

/// Derivatives by time, as the FMU is given them: of variable refs[i] the one of order orders[i].
typedef struct takt_scalar_derivatives {
    size_t n;
    const uint32_t *refs;
    const int *orders;
    double *values;
} takt_scalar_derivatives;

/// The calls of a version.
typedef struct takt_scalar_calls {
    takt_scalar_fn *set[TAKT_N_SCALARS], *get[TAKT_N_SCALARS];
    /// Sets one String; discard is noted in `is_discarded`.
    takt_status (*set_text)(takt_fmu_instance *self, const takt_access_batch *batch,
                            const char *text, bool *is_discarded, takt_error *err);
    /// Of co-simulation; `batch` is for messages. Setting notes in `is_refused` (unless it is NULL) that the
    /// FMU is not content, which then has no consequences.
    takt_status (*set_derivatives)(takt_fmu_instance *self, const takt_access_batch *batch,
                                   const takt_scalar_derivatives *all, bool *is_refused,
                                   takt_error *err);
    takt_status (*get_derivatives)(takt_fmu_instance *self, const takt_access_batch *batch,
                                   const takt_scalar_derivatives *all, takt_error *err);
} takt_scalar_calls;

/// The derivatives of the inputs that moved last, arranged for the FMU: most steps have the same inputs, so that
/// only values are new.
typedef struct takt_scalar_motion {
    const takt_access *access; ///< NULL: none is arranged
    int n; ///< inputs; they are one batch, and no sign is turned
    uint32_t *refs; ///< TAKT_MAX_MOTION_ORDER for each input, by order
    int *orders; ///< likewise
    double *values; ///< likewise
} takt_scalar_motion;

typedef struct takt_scalars {
    const takt_scalar_calls *calls;
    void *room; ///< for converting values; grows to the largest access and is then reused
    size_t size; ///< of room, in bytes
    takt_scalar_motion motion;
    int n_orders; ///< highest order of the derivatives of inputs that the FMU has got so far
    bool follows_lines_only; ///< the FMU has refused derivatives of inputs of higher order than 1
} takt_scalars;

takt_status takt_scalars_set(takt_scalars *scalars, takt_fmu_instance *self,
                             const takt_access *access, const takt_values *values, takt_error *err);
takt_status takt_scalars_get(takt_scalars *scalars, takt_fmu_instance *self,
                             const takt_access *access, takt_values *values, takt_error *err);

/// Do all values go straight from and to our buffers, with one call for each side?
bool takt_scalars_are_direct(const takt_fmu_instance *self, const takt_coupling *coupling);

/// Derivatives by time, of Reals; see takt_instance_type. FMUs may keep derivatives that they got for an earlier
/// step: those of higher orders than are given become 0. What an FMU can follow is not said by its description:
/// when it refuses orders above 1, it gets lines in this and all further steps.
takt_status takt_scalars_set_motion(takt_scalars *scalars, takt_fmu_instance *self,
                                    const takt_access *access, int order, const double *derivatives,
                                    takt_error *err);

/// May the motion be set by one call, with what takt_scalars_fill() makes of it? The inputs are those that moved last.
static inline bool takt_scalars_can_move(const takt_scalars *scalars,
                                         const takt_coupling_motion *motion)
{
    return scalars->motion.access == motion->inputs && motion->order <= scalars->n_orders &&
           !scalars->follows_lines_only;
}

/// The derivatives of the inputs that moved last; `derivatives` begin with those of order 1, and have n_given orders,
/// which are 0 beyond `order`.
static inline takt_scalar_derivatives takt_scalars_fill(const takt_scalars *scalars, int order,
                                                        int n_given, const double *derivatives)
{
    const takt_scalar_motion *motion = &scalars->motion;
    int n = order * motion->n, n_all = scalars->n_orders * motion->n;
    takt_scalar_derivatives all = {(size_t)n_all, motion->refs, motion->orders, motion->values};
    if (n == n_all || n_given >= scalars->n_orders) {
        all.values = (double *)derivatives; // they are only read
        return all;
    }
    for (int k = 0; k < n_all; k++) motion->values[k] = k < n ? derivatives[k] : 0;
    return all;
}

/// Judges the status of that call, if it is not OK; -1: it was not possible, and set_motion does it.
takt_status takt_scalars_end_move(takt_scalars *scalars, takt_fmu_instance *self,
                                  const takt_coupling_motion *motion, int status,
                                  const char *function, takt_error *err);
int takt_scalars_motion_order(const takt_scalars *scalars);
takt_status takt_scalars_get_derivatives(takt_scalars *scalars, takt_fmu_instance *self,
                                         const takt_access *access, double *derivatives,
                                         takt_error *err);

/// Sets String variables to their start values. It should not be necessary, but FMUs of MapleSim crash
/// when their state is saved before.
takt_status takt_scalars_set_string_starts(takt_scalars *scalars, takt_fmu_instance *self,
                                           takt_error *err);

void takt_scalars_clear(takt_scalars *scalars);

// ---- the calls of a version ----------------------------------------------------------------------

/// Defines set_Type and get_Type. `FMI` is how the names of the version begin (fmi or fmi2), `Instance` is the
/// type of its instances.
#define TAKT_SCALAR_ACCESS(FMI, Instance, Type)                                                    \
    static takt_status set_##Type(takt_fmu_instance *common, const takt_access_batch *batch,       \
                                  void *values, takt_error *err)                                   \
    {                                                                                              \
        Instance *self = (Instance *)common;                                                       \
        return TAKT_FMU_ACCESS(self, FMI##Set##Type, batch, err, batch->refs,                      \
                               (size_t)batch->n_refs, values);                                     \
    }                                                                                              \
    static takt_status get_##Type(takt_fmu_instance *common, const takt_access_batch *batch,       \
                                  void *values, takt_error *err)                                   \
    {                                                                                              \
        Instance *self = (Instance *)common;                                                       \
        return TAKT_FMU_ACCESS(self, FMI##Get##Type, batch, err, batch->refs,                      \
                               (size_t)batch->n_refs, values);                                     \
    }

/// Judges what setting derivatives of inputs returned; see takt_scalar_calls.
takt_status takt_scalars_check_motion(takt_fmu_instance *self, int status, const char *function,
                                      const takt_access_batch *batch, bool *is_refused,
                                      takt_error *err);

/// Defines the table of calls; set_Boolean and get_Boolean must have been defined.
#define TAKT_SCALAR_CALLS(table, FMI, Instance)                                                    \
    TAKT_SCALAR_ACCESS(FMI, Instance, Real)                                                        \
    TAKT_SCALAR_ACCESS(FMI, Instance, Integer)                                                     \
    TAKT_SCALAR_ACCESS(FMI, Instance, String)                                                      \
    static takt_status set_text(takt_fmu_instance *common, const takt_access_batch *batch,         \
                                const char *text, bool *is_discarded, takt_error *err)             \
    {                                                                                              \
        Instance *self = (Instance *)common;                                                       \
        return TAKT_FMU_CALL_AS(self, FMI##SetString, (common->component, batch->refs, 1, &text),  \
                                err, takt_fmu_check, batch, is_discarded);                         \
    }                                                                                              \
    static takt_status set_derivatives(takt_fmu_instance *common, const takt_access_batch *batch,  \
                                       const takt_scalar_derivatives *all, bool *is_refused,       \
                                       takt_error *err)                                            \
    {                                                                                              \
        Instance *self = (Instance *)common;                                                       \
        return TAKT_FMU_CALL_AS(self, FMI##SetRealInputDerivatives,                                \
                                (common->component, all->refs, all->n, all->orders, all->values),  \
                                err, takt_scalars_check_motion, batch, is_refused);                \
    }                                                                                              \
    static takt_status get_derivatives(takt_fmu_instance *common, const takt_access_batch *batch,  \
                                       const takt_scalar_derivatives *all, takt_error *err)        \
    {                                                                                              \
        Instance *self = (Instance *)common;                                                       \
        return TAKT_FMU_ACCESS(self, FMI##GetRealOutputDerivatives, batch, err, all->refs, all->n, \
                               all->orders, all->values);                                          \
    }                                                                                              \
    static const takt_scalar_calls table = {                                                       \
        .set = {set_Real, set_Integer, set_Boolean, set_String},                                   \
        .get = {get_Real, get_Integer, get_Boolean, get_String},                                   \
        .set_text = set_text,                                                                      \
        .set_derivatives = set_derivatives,                                                        \
        .get_derivatives = get_derivatives}

#endif

// SPDX-License-Identifier: MIT
// What instances of FMUs have in common, whatever their FMI version and interface: their life and what it
// needs. How the FMU is called: see call.h. Only for src/fmu.
#ifndef TAKT_FMU_INSTANCE_H
#define TAKT_FMU_INSTANCE_H

#include "fmu/log.h"
#include "fmu/model.h"

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
    const struct takt_fmu_kind *kind;
    takt_fmu *fmu;
    takt_library *library;
    void *component; ///< what the FMU calls its instance; NULL: there is none
    takt_fmu_log log;
    takt_fmu_contact *contact; ///< for the callbacks; of the FMU, which outlives the instance
    takt_fmu_phase phase;
    bool is_initialized; ///< must be terminated before it is freed
    double time; ///< s; for messages
    int n_warnings;
    uint64_t float_mode; ///< of the thread that made it; see base/float_mode.h
    bool has_told_floats; ///< that the FMU changes it
    struct takt_tracer *tracer; ///< owned; writes calls to the log (trace.h); NULL: none
    struct takt_me *me; ///< integrates the FMU; owned; NULL: it is for co-simulation
} takt_fmu_instance;

/// A kind of instances: what the versions and their interfaces do differently. Its struct begins with
/// a takt_fmu_instance.
typedef struct takt_fmu_kind {
    const takt_instance_type *type;
    size_t size; ///< bytes, of the struct
    const struct takt_state_calls *states; ///< how the FMU saves its state; NULL: not in FMI 1.0

    /// Before there is a component.
    takt_status (*prepare)(takt_fmu_instance *self, takt_error *err);
    /// Makes the component with the functions of `library`. Called again with another library if the FMU
    /// returns none.
    takt_status (*create)(takt_fmu_instance *self, takt_error *err);
    /// Optional: after that.
    takt_status (*complete)(takt_fmu_instance *self, takt_error *err);
    takt_status (*terminate)(takt_fmu_instance *self, takt_error *err);
    /// Frees the component, which is there and may be freed.
    void (*free)(takt_fmu_instance *self);
    /// Ends what else the struct has; also after a failed `prepare`, when nobody listens to the FMU any more.
    void (*clear)(takt_fmu_instance *self);
} takt_fmu_kind;

/// Makes an instance of a kind; for takt_instance_type::instantiate. The struct begins zeroed.
takt_status takt_fmu_instantiate(const takt_fmu_kind *kind, const takt_model *model,
                                 const char *name, takt_log *log, takt_instance **out,
                                 takt_error *err);

/// For the tables of instance types.
void takt_fmu_destroy(takt_instance *instance);
takt_status takt_fmu_terminate(takt_instance *instance, takt_error *err);

/// For the tables of instance types: does an address lie in the FMU's library, or in one beside it?
bool takt_fmu_has_code(const takt_instance *instance, const void *address);

/// May the FMU be called to free something?
bool takt_fmu_may_free(const takt_fmu_instance *self);

/// Finds the categories about problems among those that the FMU offers. Returns their number.
enum { TAKT_FMU_MAX_CATEGORIES = 4 };
size_t takt_fmu_problem_categories(const takt_fmu_instance *self,
                                   const char *out[TAKT_FMU_MAX_CATEGORIES]);

#endif

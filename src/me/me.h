// SPDX-License-Identifier: MIT
// Model exchange as an instance: the equations of an FMU, or of a group of them, integrated inside each
// step. Where they come from is behind takt_me_interface (equations.h); all else is here.
#ifndef TAKT_ME_ME_H
#define TAKT_ME_ME_H

#include "instance/pack.h"
#include "me/equations.h"

/// `n_states` and `n_indicators` as the description says. End it with takt_me_clear(), also after a failure.
takt_status takt_me_init(takt_me *me, takt_instance *instance, const takt_me_interface *calls,
                         int n_states, int n_indicators, const takt_me_options *options,
                         takt_error *err);
void takt_me_clear(takt_me *me); ///< accepts one that is all zero

/// After initialization mode: updates discrete states until they rest and reads the states.
takt_status takt_me_start(takt_me *me, double t, takt_error *err);

/// Before variables are set between steps: enters event mode where the change may be an event, which is
/// then handled at the beginning of the next step.
takt_status takt_me_prepare_set(takt_me *me, const takt_access *access, takt_error *err);

/// For the step that begins at t: these inputs move along polynomials, also while the integrator is at
/// work. See takt_instance_type::set_motion.
takt_status takt_me_set_motion(takt_me *me, double t, const takt_access *inputs, int order,
                               const double *derivatives, takt_error *err);

/// Integrates from t to t + h, handling state events, time events and step events on the way.
takt_status takt_me_step(takt_me *me, double t, double h, bool is_final, takt_step_result *result,
                         takt_error *err);

/// Events at the end of a step, for takt_instance_type::update_events and leave_events: from the first update on, a
/// time event at the end of a step is not handled within it, so that partners see the values before and behind.
takt_status takt_me_enter_events(takt_me *me, takt_error *err);
takt_status takt_me_update_events(takt_me *me, takt_event *out, takt_error *err);
takt_status takt_me_leave_events(takt_me *me, takt_error *err);

/// Do the states and inputs determine such an FMU completely?
bool takt_me_states_suffice(const takt_model *model, int n_indicators);

/// What is needed to come back to a point.
typedef struct takt_me_state {
    void *fmu; ///< state that the FMU has saved; NULL: it cannot
    double t, next_event, announced; ///< s
    bool is_put_off; ///< see takt_me
    double
        h_first; ///< s; of the first step, which fixed steps of the integrator follow from; 0: none yet
    bool is_in_events, terminates;
    int64_t number; ///< of the state, among those saved
    bool needed_restart; ///< the integrator had no past
    takt_me_past past; ///< read from bytes; `x` is NULL: there is none
    takt_values inputs;
    double x[];
} takt_me_state;

/// `*state` is NULL or a state of this instance, which is then reused. Its field `fmu` is the caller's: it
/// is saved, restored before the rest, and freed before it.
takt_status takt_me_save(takt_me *me, takt_me_state **state, takt_error *err);
takt_status takt_me_restore(takt_me *me, const takt_me_state *state, takt_error *err);
void takt_me_free_state(takt_me *me, takt_me_state **state);

/// After restoring a state that was read from bytes: integrates its past again, so that the integrator is what it was, and
/// restores all once more by `restore`, the instance's function. Where that does not lead to the same states (the FMU keeps
/// something that is not in its state) the integrator begins anew, with a warning.
takt_status takt_me_relive(takt_me *me, takt_me_state *state,
                           takt_status (*restore)(takt_instance *, void *, takt_error *),
                           takt_error *err);

/// A state as bytes, all but its field `fmu`, and back into a state of this instance. If it is the last one that was saved,
/// the instance goes on as if it had not been: then the integrator's past is in the bytes.
void takt_me_pack(takt_me *me, const takt_me_state *state, takt_packer *packer);
void takt_me_unpack(const takt_me *me, takt_me_state *state, takt_unpacker *unpacker);

#endif

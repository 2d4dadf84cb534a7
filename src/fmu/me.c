// SPDX-License-Identifier: MIT
// How the instances of an FMU for model exchange are integrated; see me.h.
#include "fmu/me.h"

#include <stdlib.h>

#include "me/jacobian.h"

static takt_me *me_of(takt_instance *instance)
{
    return ((takt_fmu_instance *)instance)->me;
}

const takt_equations takt_fmu_equations = {.me = me_of};

// ---- life ----------------------------------------------------------------------------------------

static takt_status prepare(takt_me *me, takt_instance *instance, const takt_me_interface *calls,
                           takt_error *err)
{
    const takt_fmu *fmu = (const takt_fmu *)instance->model;
    const takt_me_description *described = &fmu->description.me;
    takt_me_options options = fmu->me_options;
    if (fmu->choose_solver) fmu->choose_solver(fmu->solver_context, instance->name, &options);
    takt_status st = takt_me_init(me, instance, calls, described->n_states, described->n_indicators,
                                  &options, err);
    if (st || options.method != TAKT_CVODE_BDF) return st;
    const takt_me_structure structure = {.n_states = described->n_states,
                                         .derivatives = described->derivatives,
                                         .states = described->states,
                                         .has_directional_derivatives =
                                             described->can.directional_derivatives};
    return takt_me_jacobian_prepare(me, &structure, err);
}

takt_status takt_fmu_me_init(takt_fmu_instance *self, const takt_me_interface *calls,
                             takt_error *err)
{
    self->me = calloc(1, sizeof *self->me);
    return self->me ? prepare(self->me, &self->base, calls, err) : takt_fail_memory(err);
}

void takt_fmu_me_begin(takt_instance *instance, const takt_interval *interval)
{
    takt_me *me = me_of(instance);
    if (!(me->options.relative > 0) && interval->has_tolerance)
        me->options.relative = interval->tolerance;
    me->t = interval->start;
}

takt_status takt_fmu_me_start(takt_instance *instance, takt_error *err)
{
    takt_me *me = me_of(instance);
    return takt_me_start(me, me->t, err);
}

// ---- values and steps ----------------------------------------------------------------------------

takt_status takt_fmu_me_set(takt_instance *instance, const takt_access *access,
                            const takt_values *values, takt_error *err)
{
    takt_status st = TAKT_OK;
    if (((const takt_fmu_instance *)instance)->phase == TAKT_FMU_STEPPING)
        st = takt_me_prepare_set(me_of(instance), access, err);
    return st ? st : takt_equations_set(instance, access, values, err);
}

takt_status takt_fmu_me_step(takt_instance *instance, double t, double h, bool is_final,
                             takt_step_result *result, takt_error *err)
{
    return takt_me_step(me_of(instance), t, h, is_final, result, err);
}

takt_status takt_fmu_me_enter_events(takt_instance *instance, double t, takt_error *err)
{
    (void)t; // where the last step ended
    return takt_me_enter_events(me_of(instance), err);
}

takt_status takt_fmu_me_update_events(takt_instance *instance, takt_event *out, takt_error *err)
{
    return takt_me_update_events(me_of(instance), out, err);
}

takt_status takt_fmu_me_leave_events(takt_instance *instance, takt_error *err)
{
    return takt_me_leave_events(me_of(instance), err);
}

takt_status takt_fmu_me_set_motion(takt_instance *instance, double t, const takt_access *inputs,
                                   int order, const double *derivatives, takt_error *err)
{
    return takt_me_set_motion(me_of(instance), t, inputs, order, derivatives, err);
}

bool takt_fmu_me_work(const takt_instance *instance, int i_member, takt_work *out)
{
    const takt_me *me = ((const takt_fmu_instance *)instance)->me;
    *out = (takt_work){instance->name, me->n_derivatives, me->n_directional};
    return i_member == 0;
}

// ---- states --------------------------------------------------------------------------------------

// Does the FMU save a state of its own?
static bool saves_own(takt_instance *instance)
{
    const takt_fmu_instance *self = (const takt_fmu_instance *)instance;
    return self->kind->states && !self->me->options.saves_inputs;
}

takt_status takt_fmu_me_save(takt_instance *instance, void **state, takt_error *err)
{
    takt_me_state *saved = *state;
    takt_status st = takt_me_save(me_of(instance), &saved, err);
    *state = saved;
    return st || !saves_own(instance) ? st : takt_fmu_save(instance, &saved->fmu, err);
}

static takt_status restore(takt_instance *instance, void *state, takt_error *err)
{
    const takt_me_state *saved = state;
    takt_status st = saved->fmu ? takt_fmu_restore(instance, saved->fmu, err) : TAKT_OK;
    return st ? st : takt_me_restore(me_of(instance), saved, err);
}

takt_status takt_fmu_me_restore(takt_instance *instance, void *state, takt_error *err)
{
    takt_status st = restore(instance, state, err);
    return st ? st : takt_me_relive(me_of(instance), state, restore, err);
}

void takt_fmu_me_free_state(takt_instance *instance, void **state)
{
    takt_me_state *saved = *state;
    if (saved) takt_fmu_free_state(instance, &saved->fmu);
    takt_me_free_state(me_of(instance), &saved);
    *state = NULL;
}

takt_status takt_fmu_me_serialize(takt_instance *instance, void *state, takt_bytes *out,
                                  takt_error *err)
{
    const takt_me_state *saved = state;
    takt_packer packer = {.out = out};
    out->size = 0;
    takt_me_pack(me_of(instance), saved, &packer);
    if (packer.failed) return takt_fail_memory(err);
    return saved->fmu ? takt_fmu_pack_state(instance, saved->fmu, &packer, err) : TAKT_OK;
}

takt_status takt_fmu_me_deserialize(takt_instance *instance, const void *data, size_t size,
                                    void **state, takt_error *err)
{
    takt_me *me = me_of(instance);
    takt_unpacker unpacker = {.next = data, .left = size};
    takt_me_state *saved = *state;
    takt_status st = takt_me_save(me, &saved, err);
    *state = saved;
    if (st) return st;
    takt_me_unpack(me, saved, &unpacker);
    if (!saves_own(instance)) return takt_unpack_end(&unpacker, err);
    return takt_fmu_unpack_state(instance, &unpacker, &saved->fmu, err);
}

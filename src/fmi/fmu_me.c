// SPDX-License-Identifier: MIT
// How the instances of an FMU for model exchange are integrated; see fmu_me.h.
#include "fmi/fmu_me.h"

#include "fmi/fmu.h"
#include "me/jacobian.h"

takt_status takt_fmu_init_me(takt_me *me, takt_instance *instance, const takt_me_interface *calls,
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

void takt_fmu_me_begin(takt_me *me, const takt_interval *interval)
{
    if (!(me->options.relative > 0) && interval->has_tolerance)
        me->options.relative = interval->tolerance;
    me->t = interval->start;
}

takt_status takt_fmu_me_set(takt_instance *instance, const takt_access *access,
                            const takt_values *values, takt_error *err)
{
    const takt_equations *equations = instance->type->equations;
    takt_status st = TAKT_OK;
    if (((const takt_fmu_instance *)instance)->phase == TAKT_FMU_STEPPING)
        st = takt_me_prepare_set(equations->me(instance), access, err);
    return st ? st : takt_equations_set(instance, access, values, err);
}

takt_status takt_fmu_me_step(takt_instance *instance, double t, double h, bool is_final,
                             takt_step_result *result, takt_error *err)
{
    return takt_me_step(instance->type->equations->me(instance), t, h, is_final, result, err);
}

takt_status takt_fmu_me_set_derivatives(takt_instance *instance, double t,
                                        const takt_access *inputs, const double *values,
                                        const double *derivatives, takt_error *err)
{
    takt_me *me = instance->type->equations->me(instance);
    return takt_me_set_lines(me, t, inputs, values, derivatives, err);
}

bool takt_fmu_me_work(const takt_instance *instance, int i_part, takt_work *out)
{
    const takt_me *me = instance->type->equations->me((takt_instance *)instance);
    *out = (takt_work){instance->name, me->n_derivatives, me->n_directional};
    return i_part == 0;
}

// ---- states as bytes -------------------------------------------------------------------------------

takt_status takt_fmu_me_serialize(takt_instance *instance, const takt_state_calls *calls,
                                  const takt_me_state *state, takt_bytes *out, takt_error *err)
{
    takt_packer packer = {.out = out};
    out->size = 0;
    takt_me_pack(instance->type->equations->me(instance), state, &packer);
    if (packer.failed) return takt_fail_memory(err);
    if (!state->fmu || !calls) return TAKT_OK;
    return takt_fmu_pack_state((takt_fmu_instance *)instance, calls, state->fmu, &packer, err);
}

takt_status takt_fmu_me_deserialize(takt_instance *instance, const takt_state_calls *calls,
                                    void (*free_fmu)(takt_instance *instance, void **state),
                                    const takt_bytes *bytes, void **state, takt_error *err)
{
    takt_me *me = instance->type->equations->me(instance);
    takt_unpacker unpacker = {.next = bytes->data, .left = bytes->size};
    takt_me_state *saved = *state;
    takt_status st = takt_me_save(me, &saved, err);
    *state = saved;
    if (st) return st;
    takt_me_unpack(me, saved, &unpacker);
    if (me->options.saves_inputs || !calls) return takt_unpack_end(&unpacker, err);
    free_fmu(instance, &saved->fmu);
    return takt_fmu_unpack_state((takt_fmu_instance *)instance, calls, &unpacker, &saved->fmu, err);
}

// SPDX-License-Identifier: MIT
// How the instances of an FMU for model exchange are integrated; see fmu_me.h.
#include "fmi/fmu_me.h"

#include "fmi/fmu.h"
#include "fmi/me_jacobian.h"

takt_status takt_fmu_init_me(takt_me *me, takt_instance *instance, const takt_me_interface *calls,
                             takt_error *err)
{
    const takt_fmu *fmu = (const takt_fmu *)instance->model;
    const takt_me_description *described = &fmu->description.me;
    takt_me_options options = fmu->me_options;
    if (fmu->choose_solver) fmu->choose_solver(fmu->solver_context, instance->name, &options);
    takt_status st = takt_me_init(me, instance, calls, described->n_states, described->n_indicators,
                                  &options, err);
    if (!st && options.method == TAKT_CVODE_BDF) st = takt_me_jacobian_prepare(me, described, err);
    return st;
}

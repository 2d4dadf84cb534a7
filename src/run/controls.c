// SPDX-License-Identifier: MIT
// The list of kinds of step control; see controls.h.
#include "run/controls.h"

#include "run/controller.h"
#include "run/estimator.h"

static const takt_control controls[] = {
    [TAKT_STEP_CONTROL_AUTO] = {&takt_auto_control, NULL, NULL},
    [TAKT_STEP_CONTROL_FIXED] = {&takt_fixed_control, NULL, NULL},
    [TAKT_STEP_CONTROL_CONVERGENCE] = {&takt_adaptive_control, NULL, &takt_growth_controller},
    [TAKT_STEP_CONTROL_RICHARDSON] = {&takt_adaptive_control, &takt_richardson_estimator,
                                      &takt_elementary_controller},
};

static const takt_control fixed_by_prediction = {&takt_auto_fixed_control, NULL, NULL};

const takt_control *takt_control_of(const takt_plan *plan)
{
    const takt_settings *settings = &plan->system->settings;
    bool is_fixed = settings->step_control == TAKT_STEP_CONTROL_FIXED;
    return is_fixed && takt_plan_predicts(plan) ? &fixed_by_prediction
                                                : &controls[settings->step_control];
}

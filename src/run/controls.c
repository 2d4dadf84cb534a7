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

// Can an instance be led along a polynomial, by itself or in shorter steps? Only then fixed steps are better by
// prediction.
static bool can_be_led(const takt_model *model, int variable)
{
    if (takt_model_interpolates(model, variable)) return true;
    return model->variables[variable].variability == TAKT_CONTINUOUS && !model->is_function &&
           takt_model_can_rewind(model) && model->can.variable_step;
}

static bool has_followers(const takt_plan *plan)
{
    for (int i = 0; i < plan->system->n_components; i++) {
        const takt_model *model = plan->system->components[i].model;
        const takt_access *inputs = &plan->instances[i].inputs;
        for (int k = 0; k < inputs->n_values[TAKT_KIND_REAL]; k++)
            if (can_be_led(model, takt_access_index(inputs, TAKT_KIND_REAL, k))) return true;
    }
    return false;
}

// Loops are solved by prediction only if all instances can be rewound; other algorithms do with the members.
static bool can_all_rewind(const takt_plan *plan)
{
    for (int i = 0; i < plan->system->n_components; i++)
        if (!takt_model_can_rewind(plan->system->components[i].model)) return false;
    return true;
}

static bool has_algebraic_loop(const takt_plan *plan)
{
    for (int b = 0; b < plan->n_blocks; b++)
        if (plan->blocks[b].is_algebraic) return true;
    return false;
}

const takt_control *takt_control_of(const takt_plan *plan)
{
    const takt_settings *settings = &plan->system->settings;
    bool is_predicted = takt_settings_predict_fixed(settings) && has_followers(plan);
    if (is_predicted && (can_all_rewind(plan) || !has_algebraic_loop(plan)))
        return &fixed_by_prediction;
    return &controls[settings->step_control];
}

// SPDX-License-Identifier: MIT
// Are steps made by prediction? See plan.h.
#include "plan/plan.h"

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

bool takt_plan_predicts(const takt_plan *plan)
{
    const takt_settings *settings = &plan->system->settings;
    if (settings->step_control == TAKT_STEP_CONTROL_AUTO) return true;
    bool is_possible = takt_settings_predict_fixed(settings) && has_followers(plan);
    return is_possible && (can_all_rewind(plan) || !has_algebraic_loop(plan));
}

void takt_plan_report_idle(const takt_plan *plan, takt_problems *problems)
{
    const takt_system *system = plan->system;
    const takt_settings *s = &system->settings;
    if (!takt_plan_predicts(plan)) return;
    if (s->step_control != TAKT_STEP_CONTROL_FIXED || system->n_connections == 0) return;
    static const char predicted[] =
        "steps are made by prediction; it belongs to the algorithms that iterate (--algorithm)";
    takt_system_report_idle(system, problems, &s->iterations, "iterations", predicted);
    takt_system_report_idle(system, problems, &s->step_fallback, "step-fallback", predicted);
}

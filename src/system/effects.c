// SPDX-License-Identifier: MIT
// Settings that were given and have no effect in the system at hand: each is reported with the reason. What was given
// by an option is a warning; what a project says may have been written for other systems as well, so it is an
// information.
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "system/builder.h"

static void report(takt_builder *builder, const void *field, const char *name, const char *reason)
{
    const takt_settings *settings = &builder->system->settings;
    if (!takt_settings_has(settings, field)) return;
    bool is_option = takt_settings_is_overridden(settings, field);
    const char *base = (const char *)settings;
    const void *given = (const char *)&builder->project->settings + ((const char *)field - base);
    takt_problem(&builder->problems, is_option ? TAKT_LEVEL_WARN : TAKT_LEVEL_INFO,
                 takt_project_place_of(builder->project, given), "%s has no effect: %s", name,
                 reason);
}

// ---- facts about the system --------------------------------------------------------------------------

typedef struct effect_facts {
    int n_me; // models that Takt integrates
    int n_others; // FMUs that integrate themselves
    int n_stepped; // components that are neither functions nor tables
    bool has_twins; // an FMU is used more than once
    bool interpolates; // an FMU can let inputs move within a step
} effect_facts;

static bool is_fmu(const takt_model *model)
{
    return model->version && strncmp(model->version, "FMI", 3) == 0;
}

static effect_facts find_facts(const takt_system *system)
{
    effect_facts facts = {0};
    for (int i = 0; i < system->n_models; i++) {
        const takt_model *model = system->models[i];
        if (!model || !is_fmu(model)) continue;
        facts.n_me += model->type->equations != NULL;
        facts.n_others += model->type->equations == NULL;
        facts.interpolates |= model->can.interpolate_inputs;
    }
    int n_fmus = 0, n_models = facts.n_me + facts.n_others;
    for (int i = 0; i < system->n_components; i++) {
        const takt_model *model = system->components[i].model;
        if (!model) continue;
        facts.n_stepped += !model->is_function && !system->components[i].is_input_file;
        n_fmus += is_fmu(model);
    }
    facts.has_twins = n_fmus > n_models;
    return facts;
}

// ---- model exchange ----------------------------------------------------------------------------------

static void check_solver(takt_builder *builder, const effect_facts *facts)
{
    const takt_settings *s = &builder->system->settings;
    static const char none[] = "there is no FMU for model exchange that Takt would integrate; "
                               "--interface me chooses model exchange where an FMU offers both";
    if (facts->n_me == 0) {
        report(builder, &s->solver, "solver", none);
        report(builder, &s->solver_tolerance, "solver-tolerance", none);
        report(builder, &s->solver_step, "solver-step", none);
        return;
    }
    bool has_own = s->solver_of.n_items > 0;
    bool is_fixed = s->solver == TAKT_SOLVER_EULER || s->solver == TAKT_SOLVER_RK4;
    if (!is_fixed && !has_own)
        report(builder, &s->solver_step, "solver-step",
               "the solver chooses its steps itself; euler and rk4 have steps of a given size");
    if (is_fixed && !has_own)
        report(builder, &s->solver_tolerance, "solver-tolerance",
               "euler and rk4 do not estimate their error; solver-step is what counts");
}

static void check_interface(takt_builder *builder, const effect_facts *facts)
{
    const takt_settings *s = &builder->system->settings;
    if (s->interface == TAKT_INTERFACE_ME && facts->n_me == 0 && facts->n_others > 0)
        report(builder, &s->interface, "interface me",
               "no FMU offers model exchange, or the project says co-simulation; co-simulation is "
               "used");
    if (s->interface == TAKT_INTERFACE_CS && facts->n_me > 0 && facts->n_others == 0)
        report(builder, &s->interface, "interface cs",
               "no FMU offers co-simulation, or the project says model exchange; Takt integrates "
               "them");
}

// ---- steps, rows, threads ----------------------------------------------------------------------------

static void check_steps(takt_builder *builder)
{
    const takt_settings *s = &builder->system->settings;
    bool is_fixed = s->step_control == TAKT_STEP_CONTROL_FIXED;
    bool is_tested = !is_fixed && s->step_control != TAKT_STEP_CONTROL_CONVERGENCE;
    static const char fixed[] =
        "all steps have the same size (step-control fixed, which a step-size "
        "without a tolerance means, too)";
    static const char untested[] = "there is no error test; it belongs to step-control richardson";
    if (is_fixed) {
        report(builder, &s->step_min, "step-min", fixed);
        report(builder, &s->step_max, "step-max", fixed);
        report(builder, &s->step_reduction, "step-reduction", fixed);
        report(builder, &s->step_growth, "step-growth", fixed);
    } else {
        report(builder, &s->overstep_end, "overstep-end",
               "steps have any size and end at the stop time");
    }
    if (is_tested) return;
    report(builder, &s->error_estimate, "error-estimate", untested);
    report(builder, &s->step_factor_min, "step-factor-min", untested);
    report(builder, &s->step_factor_max, "step-factor-max", untested);
}

static void check_rows(takt_builder *builder)
{
    const takt_settings *s = &builder->system->settings;
    if (s->output_interval > 0) return;
    static const char all[] = "every communication point has a row; output-interval chooses others";
    report(builder, &s->output_grid, "output-grid", all);
    report(builder, &s->output_origin, "output-origin", all);
}

static void check_threads(takt_builder *builder, const effect_facts *facts)
{
    const takt_settings *s = &builder->system->settings;
    static const char alone[] = "there is only one component to step";
    if (facts->n_stepped < 2 && s->jobs > 1) report(builder, &s->jobs, "jobs", alone);
    if (facts->n_stepped < 2) report(builder, &s->one_thread, "one-thread", alone);
    if (s->separate_libraries && !facts->has_twins)
        report(builder, &s->separate_libraries, "separate-libraries",
               "no FMU is used more than once");
}

// ---- couplings ---------------------------------------------------------------------------------------

static void check_couplings(takt_builder *builder, const effect_facts *facts)
{
    const takt_settings *s = &builder->system->settings;
    static const char uncoupled[] = "no components are connected, so that nothing is iterated";
    if (builder->system->n_connections == 0) {
        report(builder, &s->iterations, "iterations", uncoupled);
        report(builder, &s->damping, "damping", uncoupled);
        report(builder, &s->algorithm_at, "algorithm-at", uncoupled);
        report(builder, &s->input_derivatives, "input-derivatives", "no components are connected");
    } else if (!facts->interpolates && s->input_derivatives != TAKT_DERIVATIVES_OFF) {
        report(builder, &s->input_derivatives, "input-derivatives",
               "no FMU can let its inputs change within a step (canInterpolateInputs)");
    }
}

// Times outside of the interval, one by one.
static void check_times(takt_builder *builder)
{
    const takt_settings *s = &builder->system->settings;
    takt_place place =
        takt_project_place_of(builder->project, &builder->project->settings.event_times);
    for (int i = 0; i < s->event_times.n_items; i++) {
        double t;
        if (!takt_number_read_duration(s->event_times.items[i], &t)) continue;
        if (t > s->start_time && t < s->stop_time) continue;
        takt_problem(
            &builder->problems,
            takt_settings_is_overridden(s, &s->event_times) ? TAKT_LEVEL_WARN : TAKT_LEVEL_INFO,
            place,
            "event-time %s has no effect: it does not lie between the start at %.15g s and "
            "the stop at %.15g s",
            s->event_times.items[i], s->start_time, s->stop_time);
    }
}

void takt_builder_check_effects(takt_builder *builder)
{
    if (builder->problems.n_errors) return; // perhaps a model is missing
    effect_facts facts = find_facts(builder->system);
    check_solver(builder, &facts);
    check_interface(builder, &facts);
    check_steps(builder);
    check_rows(builder);
    check_threads(builder, &facts);
    check_couplings(builder, &facts);
    check_times(builder);
}

// SPDX-License-Identifier: MIT
// Settings that were given and have no effect in the system at hand: each is reported with the reason. What was given
// by an option is a warning; what a project says may have been written for other systems as well, so it is an
// information.
#include <stddef.h>
#include <string.h>

#include "base/text.h"
#include "project/algorithms.h"
#include "system/builder.h"

// ---- facts about the system --------------------------------------------------------------------------

// What may hold of a system; a rule names those that take the effect of its setting.
enum {
    UNCOUPLED = 1 << 0, // no component gets values of another one
    ALONE = 1 << 1, // there are not two components to step
    FIXED = 1 << 2, // the step control
    PREDICTED = 1 << 3,
    CONVERGENCE = 1 << 4,
    RICHARDSON = 1 << 5,
    ADAPTIVE = PREDICTED | CONVERGENCE | RICHARDSON,
    ONE_PASS = 1 << 6, // no algorithm in use iterates
    NO_NEWTON = 1 << 7, // none of them solves equations
    ALL_ROWS = 1 << 8, // every communication point has a row
    HELD = 1 << 9, // no FMU lets inputs move within a step
    NO_ME = 1 << 10, // no FMU that Takt integrates
    ONLY_ME = 1 << 11,
    ONLY_CS = 1 << 12,
    OWN_STEPS = 1 << 13, // the solver of all of them chooses its steps
    GIVEN_STEPS = 1 << 14, // it does not
    NO_TWINS = 1 << 15, // no FMU is used more than once
    FIXED_PASS = 1 << 16, // FIXED and ONE_PASS
    IN_PROCESS = 1 << 17, // no FMU is isolated
    NO_SANDBOX = 1 << 18, // none is in a sandbox
};

static bool is_fmu(const takt_model *model)
{
    return model->version && strncmp(model->version, "FMI", 3) == 0;
}

static unsigned facts_of_models(const takt_system *system)
{
    int n_me = 0, n_cs = 0, n_fmus = 0, n_stepped = 0;
    bool interpolates = false, is_isolated = false;
    for (int i = 0; i < system->n_models; i++) {
        const takt_model *model = system->models[i];
        if (!model || !is_fmu(model)) continue;
        n_me += model->type->equations != NULL;
        n_cs += model->type->equations == NULL;
        interpolates |= model->can.interpolate_inputs;
        is_isolated |= model->is_isolated;
    }
    for (int i = 0; i < system->n_components; i++) {
        const takt_model *model = system->components[i].model;
        if (!model) continue;
        n_stepped += !model->is_function && !system->components[i].is_input_file;
        n_fmus += is_fmu(model);
    }
    return (n_stepped < 2 ? ALONE : 0u) | (n_me == 0 ? NO_ME : 0u) |
           (n_me > 0 && n_cs == 0 ? ONLY_ME : 0u) | (n_me == 0 && n_cs > 0 ? ONLY_CS : 0u) |
           (n_fmus <= n_me + n_cs ? NO_TWINS : 0u) | (interpolates ? 0u : HELD) |
           (is_isolated ? 0u : IN_PROCESS) |
           (is_isolated && system->settings.sandbox ? 0u : NO_SANDBOX);
}

// Bits of all algorithms that some loop has at some time.
static unsigned algorithms_in_use(const takt_settings *s)
{
    unsigned used = 1u << s->algorithm;
    for (int i = 0; i < s->loop_algorithms.n_items; i++) {
        takt_algorithm algorithm = TAKT_ALGORITHM_AUTO;
        takt_algorithm_of_loop(s->loop_algorithms.items[i], &algorithm);
        used |= 1u << algorithm;
    }
    for (int i = 0; i < s->algorithm_at.n_items; i++) {
        takt_algorithm_change change = {0};
        takt_algorithm algorithm = TAKT_ALGORITHM_AUTO;
        takt_algorithm_change_read(s->algorithm_at.items[i], &change);
        if (change.algorithm) takt_algorithm_find(change.algorithm, &algorithm);
        used |= 1u << algorithm;
    }
    return used;
}

static unsigned facts_of_settings(const takt_system *system)
{
    const takt_settings *s = &system->settings;
    static const unsigned controls[] = {[TAKT_STEP_CONTROL_AUTO] = PREDICTED,
                                        [TAKT_STEP_CONTROL_FIXED] = FIXED,
                                        [TAKT_STEP_CONTROL_CONVERGENCE] = CONVERGENCE,
                                        [TAKT_STEP_CONTROL_RICHARDSON] = RICHARDSON};
    const unsigned one_pass = 1u << TAKT_ALGORITHM_JACOBI | 1u << TAKT_ALGORITHM_SEIDEL;
    unsigned used = algorithms_in_use(s), facts = controls[s->step_control];
    bool is_one_pass = (used & ~one_pass) == 0;
    bool has_newton = used & ~(one_pass | 1u << TAKT_ALGORITHM_FIXED_POINT);
    bool gives_steps = s->solver == TAKT_SOLVER_EULER || s->solver == TAKT_SOLVER_RK4;
    bool has_own = s->solver_of.n_items > 0;
    return facts | (system->n_connections == 0 ? UNCOUPLED : 0u) | (is_one_pass ? ONE_PASS : 0u) |
           (has_newton ? 0u : NO_NEWTON) | (s->output_interval > 0 ? 0u : ALL_ROWS) |
           (is_one_pass && facts == FIXED ? FIXED_PASS : 0u) |
           (has_own       ? 0u
            : gives_steps ? GIVEN_STEPS
                          : OWN_STEPS);
}

// ---- rules -------------------------------------------------------------------------------------------

#define COUPLING "no components are connected"
#define NOT_ITERATED "no components are connected, so that nothing is iterated"
#define NO_SOLVER                                                                                  \
    "there is no FMU for model exchange that Takt would integrate; --interface me chooses model "  \
    "exchange where an FMU offers both"
#define EQUAL_STEPS                                                                                \
    "all steps have the same size (step-control fixed, which a step-size without a tolerance "     \
    "means, too)"
#define NO_TEST "there is no error test; it belongs to step-control richardson"
#define BY_PREDICTION                                                                              \
    "steps are controlled by prediction; it belongs to step-control richardson or convergence"
#define GROWTH "it belongs to step-control convergence"
#define EVERY_POINT "every communication point has a row; output-interval chooses others"
#define ONE_PASS_ONLY "jacobi and seidel make one pass"
#define NOT_ISOLATED "no FMU is isolated; --isolate runs them in processes of their own"
#define ONE_COMPONENT "there is only one component to step"

// The first rule of a setting whose facts hold is reported, of choices and flags unless the value is the usual one.
typedef struct rule {
    const char *name;
    size_t field; // of takt_settings
    enum { ANY, CHOSEN, TRUE } value;
    unsigned facts; // one of them is enough
    const char *reason;
} rule;

static const rule rules[] = {
#define RULE(name, field, value, facts, reason)                                                    \
    {                                                                                              \
        name, offsetof(takt_settings, field), value, facts, reason                                 \
    }
    RULE("solver", solver, ANY, NO_ME, NO_SOLVER),
    RULE("solver-tolerance", solver_tolerance, ANY, NO_ME, NO_SOLVER),
    RULE("solver-tolerance", solver_tolerance, ANY, GIVEN_STEPS,
         "euler and rk4 do not estimate their error; solver-step is what counts"),
    RULE("solver-step", solver_step, ANY, NO_ME, NO_SOLVER),
    RULE("solver-step", solver_step, ANY, OWN_STEPS,
         "the solver chooses its steps itself; euler and rk4 have steps of a given size"),
    RULE("step-min", step_min, ANY, FIXED, EQUAL_STEPS),
    RULE("step-max", step_max, ANY, FIXED, EQUAL_STEPS),
    RULE("step-reduction", step_reduction, ANY, FIXED, EQUAL_STEPS),
    RULE("step-reduction", step_reduction, ANY, PREDICTED, BY_PREDICTION),
    RULE("step-growth", step_growth, ANY, FIXED, EQUAL_STEPS),
    RULE("step-growth", step_growth, ANY, PREDICTED | RICHARDSON, GROWTH),
    RULE("step-factor-min", step_factor_min, ANY, FIXED | CONVERGENCE | PREDICTED, NO_TEST),
    RULE("step-factor-max", step_factor_max, ANY, FIXED | CONVERGENCE | PREDICTED, NO_TEST),
    RULE("error-estimate", error_estimate, ANY, FIXED | CONVERGENCE | PREDICTED, NO_TEST),
    RULE("step-fallback", step_fallback, ANY, UNCOUPLED, NOT_ITERATED),
    RULE("step-fallback", step_fallback, ANY, PREDICTED, BY_PREDICTION),
    RULE("step-fallback", step_fallback, ANY, FIXED_PASS, ONE_PASS_ONLY),
    RULE("overstep-end", overstep_end, TRUE, ADAPTIVE,
         "steps have any size and end at the stop time"),
    RULE("time-grid", time_grid, CHOSEN, ADAPTIVE, "only fixed steps lie on a grid"),
    RULE("same-steps", same_steps, TRUE, ALONE, ONE_COMPONENT),
    RULE("same-steps", same_steps, TRUE, FIXED | CONVERGENCE | RICHARDSON,
         "components have the same steps; only error control by prediction gives slow ones longer "
         "steps"),
    RULE("output-grid", output_grid, ANY, ALL_ROWS, EVERY_POINT),
    RULE("output-origin", output_origin, ANY, ALL_ROWS, EVERY_POINT),
    RULE("one-thread", one_thread, ANY, ALONE, ONE_COMPONENT),
    RULE("separate-libraries", separate_libraries, TRUE, NO_TWINS, "no FMU is used more than once"),
    RULE("on-crash", on_crash, CHOSEN, IN_PROCESS, NOT_ISOLATED),
    RULE("sandbox-read", sandbox_read, ANY, IN_PROCESS, NOT_ISOLATED),
    RULE("sandbox-read", sandbox_read, ANY, NO_SANDBOX, "FMUs run without a sandbox"),
    RULE("sandbox-write", sandbox_write, ANY, IN_PROCESS, NOT_ISOLATED),
    RULE("sandbox-write", sandbox_write, ANY, NO_SANDBOX, "FMUs run without a sandbox"),
    RULE("algorithm", algorithm, CHOSEN, UNCOUPLED, COUPLING),
    RULE("algorithm-at", algorithm_at, ANY, UNCOUPLED, NOT_ITERATED),
    RULE("call-order", call_order, CHOSEN, UNCOUPLED, COUPLING),
    RULE("norm", norm, CHOSEN, UNCOUPLED, NOT_ITERATED),
    RULE("relative-tolerance", relative_tolerance, ANY, UNCOUPLED, NOT_ITERATED),
    RULE("absolute-tolerance", absolute_tolerance, ANY, UNCOUPLED, NOT_ITERATED),
    RULE("iterations", iterations, ANY, UNCOUPLED, NOT_ITERATED),
    RULE("iterations", iterations, ANY, ONE_PASS, ONE_PASS_ONLY),
    RULE(
        "iterations", iterations, ANY, PREDICTED,
        "steps by prediction have a limit of their own; it belongs to the algorithms that iterate"),
    RULE("damping", damping, ANY, UNCOUPLED, NOT_ITERATED),
    RULE("damping", damping, ANY, NO_NEWTON,
         "no algorithm in use solves equations by Newton's method"),
    RULE("input-derivatives", input_derivatives, CHOSEN, UNCOUPLED, COUPLING),
    RULE("input-derivatives", input_derivatives, CHOSEN, HELD,
         "no FMU can let its inputs change within a step (canInterpolateInputs)"),
#undef RULE
};

// ---- reporting ---------------------------------------------------------------------------------------

bool takt_system_report_idle(const takt_system *system, takt_problems *problems, const void *field,
                             const char *name, const char *reason)
{
    const takt_settings *settings = &system->settings;
    if (!takt_settings_has(settings, field)) return false;
    bool is_option = takt_settings_is_overridden(settings, field);
    const char *base = (const char *)settings;
    const void *given = (const char *)&system->project->settings + ((const char *)field - base);
    takt_problem(problems, is_option ? TAKT_LEVEL_WARN : TAKT_LEVEL_INFO,
                 takt_project_place_of(system->project, given), "%s has no effect: %s", name,
                 reason);
    return true;
}

static bool report(takt_builder *builder, const void *field, const char *name, const char *reason)
{
    return takt_system_report_idle(builder->system, &builder->problems, field, name, reason);
}

static bool has_value(const rule *r, const void *field)
{
    int choice = 0;
    if (r->value == CHOSEN) memcpy(&choice, field, sizeof choice);
    return r->value == ANY || (r->value == CHOSEN ? choice != 0 : *(const bool *)field);
}

static void check_rules(takt_builder *builder, unsigned facts)
{
    const char *settings = (const char *)&builder->system->settings;
    const rule *reported = NULL;
    for (const rule *r = rules; r < rules + sizeof rules / sizeof *rules; r++) {
        const void *field = settings + r->field;
        if (reported && reported->field == r->field) continue;
        if (!(r->facts & facts) || !has_value(r, field)) continue;
        if (report(builder, field, r->name, r->reason)) reported = r;
    }
}

// ---- rules about values ------------------------------------------------------------------------------

static void check_interface(takt_builder *builder, unsigned facts)
{
    const takt_settings *s = &builder->system->settings;
    if (s->interface == TAKT_INTERFACE_ME && facts & ONLY_CS)
        report(builder, &s->interface, "interface me",
               "no FMU offers model exchange, or the project says co-simulation; co-simulation is "
               "used");
    if (s->interface == TAKT_INTERFACE_CS && facts & ONLY_ME)
        report(builder, &s->interface, "interface cs",
               "no FMU offers co-simulation, or the project says model exchange; Takt integrates "
               "them");
}

static void check_values(takt_builder *builder, unsigned facts)
{
    const takt_settings *s = &builder->system->settings;
    if (facts & ALONE && s->jobs > 1) report(builder, &s->jobs, "jobs", ONE_COMPONENT);
    if (facts & PREDICTED && !(facts & HELD) && s->input_derivatives == TAKT_DERIVATIVES_ESTIMATE)
        report(builder, &s->input_derivatives, "input-derivatives estimate",
               "steps by prediction know how all inputs move");
}

static void report_time(takt_builder *builder, const takt_text_list *list, const char *name,
                        const char *item, double t)
{
    const takt_system *system = builder->system;
    const takt_settings *s = &system->settings;
    if (t > s->start_time && t < s->stop_time) return;
    const void *given =
        (const char *)&builder->project->settings + ((const char *)list - (const char *)s);
    takt_problem(&builder->problems,
                 takt_settings_is_overridden(s, list) ? TAKT_LEVEL_WARN : TAKT_LEVEL_INFO,
                 takt_project_place_of(builder->project, given),
                 "%s %s has no effect: it does not lie between the start at %.15g s and the stop "
                 "at %.15g s",
                 name, item, s->start_time, s->stop_time);
}

// Times outside of the interval, one by one. A change of algorithm at the start is one.
static void check_times(takt_builder *builder, unsigned facts)
{
    const takt_settings *s = &builder->system->settings;
    for (int i = 0; i < s->event_times.n_items; i++) {
        double t;
        if (takt_number_read_duration(s->event_times.items[i], &t))
            report_time(builder, &s->event_times, "event-time", s->event_times.items[i], t);
    }
    for (int i = 0; i < s->algorithm_at.n_items && !(facts & UNCOUPLED); i++) {
        takt_algorithm_change change = {0};
        takt_algorithm_change_read(s->algorithm_at.items[i], &change);
        if (change.algorithm && change.time != s->start_time)
            report_time(builder, &s->algorithm_at, "algorithm-at", s->algorithm_at.items[i],
                        change.time);
    }
}

void takt_builder_check_effects(takt_builder *builder)
{
    if (builder->problems.n_errors) return; // perhaps a model is missing
    unsigned facts = facts_of_models(builder->system) | facts_of_settings(builder->system);
    check_rules(builder, facts);
    check_interface(builder, facts);
    check_values(builder, facts);
    check_times(builder, facts);
}

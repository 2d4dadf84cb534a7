// SPDX-License-Identifier: MIT
// From measurements to findings and recommendations. Findings are sorted by weight; those of equal weight stay in
// the order in which they are made here, the most important ones first.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "advise/advise.h"
#include "base/text.h"

// Differences between trials, in units of the tolerance, from which on a result is not as exact as asked for.
static const double INACCURATE = 10;

// Noise, in units of the tolerance, from which on steps become shorter because of it, and what it may be.
static const double NOISY = 0.01;

// Contraction factors: from the first one on a loop is called algebraic, if it stays with small steps; from the
// second one on repeated sweeps diverge, or nearly so.
static const double ALGEBRAIC = 0.05, DIVERGING = 0.95;

// s; a step of a component that costs this much is worth a word.
static const double COSTLY = 1e-3;

// ---- lists ---------------------------------------------------------------------------------------------

__attribute__((format(printf, 4, 5))) static void find(takt_advice *advice, takt_weight weight,
                                                       const char *kind, const char *format, ...)
{
    char text[TAKT_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (advice->n_findings == TAKT_MAX_FINDINGS) return; // enough to do
    const char *kept = takt_arena_copy(&advice->arena, text);
    advice->has_failed |= !kept;
    int i = advice->n_findings++;
    for (; i > 0 && advice->findings[i - 1].weight > weight; i--)
        advice->findings[i] = advice->findings[i - 1];
    advice->findings[i] = (takt_finding){weight, kind, kept};
}

// A setting is recommended once, for the first reason.
static void recommend(takt_advice *advice, const char *option, const char *value,
                      const char *reason)
{
    int n = advice->n_recommendations;
    for (int i = 0; i < n; i++)
        if (advice->recommendations[i].option == option) return;
    const char *kept = takt_arena_copy(&advice->arena, value);
    advice->has_failed |= !kept;
    if (n == TAKT_MAX_RECOMMENDATIONS) return;
    advice->recommendations[n] = (takt_recommendation){option, kept, reason};
    advice->n_recommendations++;
}

static const char TOLERANCE[] = "tolerance", STEP_SIZE[] = "step-size", ME[] = "me",
                  STEP_CONTROL[] = "step-control", INTERFACE[] = "interface",
                  ALGORITHM[] = "algorithm";

static const char *component_name(const takt_advice *advice, int i)
{
    return advice->plan->system->components[i].name;
}

// "'a', 'b', 'c' and 4 others"
static const char *list_components(takt_advice *advice, const int *components, int n)
{
    enum { SHOWN = 6 };
    takt_text text = {0};
    for (int i = 0; i < n && i < SHOWN; i++)
        takt_text_print(&text, "%s'%s'",
                        i == 0       ? ""
                        : i == n - 1 ? " and "
                                     : ", ",
                        component_name(advice, components[i]));
    if (n > SHOWN) takt_text_print(&text, " and %d others", n - SHOWN);
    const char *kept = text.failed ? NULL : takt_arena_copy(&advice->arena, text.data);
    takt_text_clear(&text);
    advice->has_failed |= !kept;
    return kept ? kept : "";
}

static const char *list_members(takt_advice *advice, const takt_block *block)
{
    return list_components(advice, block->members, block->n_members);
}

static const char *output_name(takt_advice *advice, int i, int k)
{
    const takt_access *outputs = &advice->plan->instances[i].outputs;
    const char *name = takt_system_name(
        advice->plan->system, i, takt_access_index(outputs, TAKT_KIND_REAL, k), &advice->arena);
    advice->has_failed |= !name;
    return name ? name : "";
}

// ---- trials --------------------------------------------------------------------------------------------

static void judge_failure(takt_advice *advice)
{
    if (advice->trial.failure.status)
        find(advice, TAKT_WEIGHT_PROBLEM, "failure", "The run fails with these settings: %s.",
             advice->trial.failure.message);
    if (advice->probe.failure)
        find(advice, TAKT_WEIGHT_WARNING, "not-measured",
             "The measurements ended early, because a component did not bear them: %s.",
             advice->probe.failure);
    bool is_late = advice->probe.is_late || advice->trial.n_steps == 0;
    if (is_late && !advice->trial.failure.status)
        find(advice, TAKT_WEIGHT_WARNING, "not-measured",
             "The time was over before everything had been measured; give it more (--max-time), or "
             "make the trials shorter (--max-steps).");
    if (advice->trial.n_doubtful)
        find(advice, TAKT_WEIGHT_PROBLEM, "doubtful-steps",
             "%lld of %lld steps are doubtful: a loop was not solved, or an error test not passed; "
             "the warnings of the run say which.",
             (long long)advice->trial.n_doubtful, (long long)advice->trial.n_steps);
}

// The next smaller one of 1, 2, 5, 10, ...
static double round_down(double x)
{
    double power = pow(10, floor(log10(x)));
    double digit = x / power;
    return power * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1);
}

static void recommend_number(takt_advice *advice, const char *option, double value,
                             const char *reason)
{
    char text[32];
    snprintf(text, sizeof text, "%.3g", value);
    recommend(advice, option, text, reason);
}

// Fixed steps are of first order, where nothing better is known: half the step leaves half the error.
static void judge_fixed(takt_advice *advice)
{
    const takt_trust *trust = &advice->trust;
    double tolerance = advice->system->settings.tolerance, error = 2 * trust->difference;
    if (error <= INACCURATE * tolerance) return;
    double h = round_down(trust->step_size * fmax(tolerance / error, 1e-3));
    find(advice, TAKT_WEIGHT_PROBLEM, "inaccurate",
         "Fixed steps of %.3g s are too long: with half of that %s is different by %.2g of its "
         "size at t = %.6g s. The error is about twice as large, and grows in proportion to the "
         "step size; %.3g s would give an error of about %.2g.",
         trust->step_size, trust->variable, trust->difference, trust->time, h,
         error * h / trust->step_size);
    recommend_number(advice, STEP_SIZE, h,
                     "fixed steps are needed, and shorter ones are exact enough");
}

static void judge_controlled(takt_advice *advice)
{
    const takt_trust *trust = &advice->trust;
    const takt_settings *settings = &advice->system->settings;
    if (trust->difference <= INACCURATE * settings->tolerance) return;
    if (settings->step_control == TAKT_STEP_CONTROL_AUTO) {
        find(advice, TAKT_WEIGHT_PROBLEM, "inaccurate",
             "The result depends on the tolerance more than it should: with a tenth of %.2g %s is "
             "different by %.2g of its size at t = %.6g s. The system amplifies small differences, "
             "or something happens between communication points.",
             settings->tolerance, trust->variable, trust->difference, trust->time);
        recommend_number(advice, TOLERANCE, settings->tolerance / 100,
                         "the error is larger than the tolerance");
        return;
    }
    find(
        advice, TAKT_WEIGHT_PROBLEM, "inaccurate",
        "The chosen steps are not exact: with error control %s is different by %.2g of its size at "
        "t = %.6g s.",
        trust->variable, trust->difference, trust->time);
    const char *reason = "error control finds step sizes that are exact enough";
    if (takt_settings_has(settings, &settings->step_control))
        recommend(advice, STEP_CONTROL, "auto", reason);
    if (takt_settings_has(settings, &settings->algorithm))
        recommend(advice, ALGORITHM, "auto", "error control chooses how loops are solved");
    recommend_number(advice, TOLERANCE, settings->tolerance, reason);
}

static void judge_trust(takt_advice *advice)
{
    if (!advice->trust.is_known) return;
    if (advice->trust.is_controlled)
        judge_controlled(advice);
    else
        judge_fixed(advice);
}

// ---- components ----------------------------------------------------------------------------------------

static void judge_rewinding(takt_advice *advice, int i)
{
    const takt_instance_facts *facts = &advice->probe.instances[i];
    double tolerance = advice->system->settings.tolerance;
    const char *name = component_name(advice, i);
    if (facts->inexact > 0)
        find(advice, facts->inexact > NOISY * tolerance ? TAKT_WEIGHT_PROBLEM : TAKT_WEIGHT_NOTE,
             "rewind-not-exact",
             "'%s' does not come back to where it was: the same step, repeated from a saved state, "
             "gives another %s, by %.2g of its size. Its saved state lacks something, for example "
             "the past of its solver; steps that are repeated are wrong by as much.",
             name, output_name(advice, i, facts->i_inexact), facts->inexact);
    if (facts->inexact > NOISY * tolerance) {
        recommend(advice, STEP_CONTROL, "fixed",
                  "a component is not rewound exactly, so that "
                  "steps should not be repeated");
        recommend(advice, ALGORITHM, "seidel", "it does not iterate, so nothing is rewound");
    }
}

static bool is_rigid(const takt_model *model)
{
    return !model->can.variable_step;
}

static bool is_one_way(const takt_model *model)
{
    return !takt_model_can_rewind(model) && !model->is_function;
}

// The components whose models are such; NULL: none.
static const char *list_such(takt_advice *advice, bool (*is_such)(const takt_model *))
{
    const takt_system *system = advice->plan->system;
    int *found = takt_arena_array(&advice->arena, (size_t)system->n_components, sizeof *found);
    int n = 0;
    advice->has_failed |= !found;
    for (int i = 0; i < system->n_components && found; i++)
        if (is_such(system->components[i].model)) found[n++] = i;
    return n ? list_components(advice, found, n) : NULL;
}

static void judge_abilities(takt_advice *advice)
{
    const char *one_way = list_such(advice, is_one_way), *rigid = list_such(advice, is_rigid);
    if (one_way)
        find(advice, TAKT_WEIGHT_WARNING, "no-rewind",
             "Cannot be rewound, as the FMU does not save its state: %s. Steps cannot be repeated, "
             "so loops through it are not solved and its events are not located. If the tool that "
             "made the FMU has an option for getting and setting its state, use it.",
             one_way);
    if (rigid)
        find(advice, TAKT_WEIGHT_WARNING, "equal-steps",
             "Takes only steps of equal size: %s. So the step size cannot follow what happens, and "
             "has to be chosen for the fastest part of the interval.",
             rigid);
}

static void judge_noise(takt_advice *advice, int i)
{
    const takt_instance_facts *facts = &advice->probe.instances[i];
    double tolerance = advice->system->settings.tolerance;
    if (!facts->has_noise || facts->noise <= NOISY * tolerance) return;
    double wanted = pow(10, ceil(log10(facts->noise / NOISY)));
    find(advice, TAKT_WEIGHT_WARNING, "noise",
         "'%s' is noisy: tiny changes of its inputs change %s irregularly, by %.2g of its size, "
         "which is too much for a tolerance of %.2g. A finer tolerance of its own solver helps, if "
         "it has a parameter for it; else a tolerance of %.2g is what can be had.",
         component_name(advice, i), output_name(advice, i, facts->i_noise), facts->noise, tolerance,
         wanted);
    if (wanted <= 0.01)
        recommend_number(advice, TOLERANCE, wanted, "noise of a component allows no smaller one");
}

static bool holds_inputs(const takt_advice *advice, int i)
{
    const takt_access *inputs = &advice->plan->instances[i].inputs;
    const takt_model *model = advice->plan->system->components[i].model;
    for (int k = 0; k < inputs->n_values[TAKT_KIND_REAL]; k++)
        if (!takt_model_interpolates(model, takt_access_index(inputs, TAKT_KIND_REAL, k)))
            return true;
    return false;
}

static void judge_settling(takt_advice *advice, int i)
{
    const takt_instance_facts *facts = &advice->probe.instances[i];
    if (!facts->settles) return;
    find(advice, TAKT_WEIGHT_NOTE, "stiff",
         "'%s' is fast: it has followed a change of its inputs after about %.2g s, within steps of "
         "%.2g s. Error control deals with it%s; with fixed steps it may need shorter ones than "
         "the rest of the system.",
         component_name(advice, i), facts->settling, facts->h,
         holds_inputs(advice, i) ? ", by several calls per step, as the inputs of this FMU cannot "
                                   "change within a step (canInterpolateInputs)"
                                 : "");
}

static void judge_cost(takt_advice *advice)
{
    double all = 0;
    for (int i = 0; i < advice->plan->system->n_components; i++)
        all += advice->trial.instances[i].do_step.time;
    for (int i = 0; i < advice->plan->system->n_components; i++) {
        const takt_call_statistics *calls = &advice->trial.instances[i].do_step;
        double each = calls->count ? calls->time / (double)calls->count : 0;
        if (each < COSTLY || calls->time < 0.5 * all || advice->plan->system->n_components == 1)
            continue;
        find(advice, TAKT_WEIGHT_NOTE, "costly",
             "'%s' takes %.0f %% of the time of all steps: %.2g s for each of %lld calls.",
             component_name(advice, i), 100 * calls->time / all, each, (long long)calls->count);
    }
}

// ---- loops ---------------------------------------------------------------------------------------------

typedef enum origin { DECLARED, PROBED, ASSUMED } origin;

// Where is it known from on what an output depends?
static origin find_origin(const takt_model *model, const takt_dependency *dependency)
{
    if (!dependency->is_known) return ASSUMED;
    for (int i = 0; i < model->n_outputs; i++)
        if (model->outputs[i].variable == dependency->variable)
            return model->outputs[i].is_known ? DECLARED : PROBED;
    return PROBED;
}

// The least certain one of the connected outputs of the members, and whose it is.
static origin judge_origin(const takt_advice *advice, const takt_block *block, int *i_member)
{
    origin least = DECLARED;
    *i_member = block->members[0];
    for (int m = 0; m < block->n_members; m++) {
        int i = block->members[m];
        const takt_plan_dependencies *all = &advice->plan->dependencies[i];
        for (int k = 0; k < all->n_outputs; k++) {
            origin own = find_origin(advice->plan->system->components[i].model, &all->outputs[k]);
            if (own <= least) continue;
            least = own;
            *i_member = i;
        }
    }
    return least;
}

static bool all_offer_me(const takt_advice *advice, const takt_block *block)
{
    for (int m = 0; m < block->n_members; m++)
        if (!advice->offers_me ||
            !advice->offers_me(advice->plan->system->components[block->members[m]].model))
            return false;
    return advice->system->settings.me != TAKT_ME_CENTRAL;
}

// The name of a torn value, and of one of the inputs that read it.
static const char *name_connection(takt_advice *advice, const takt_block *block, int i_torn)
{
    const takt_plan *plan = advice->plan;
    int place = block->torn[i_torn];
    const char *from = "", *to = NULL;
    for (int m = 0; m < block->n_members; m++) {
        int i = block->members[m];
        const takt_plan_instance *instance = &plan->instances[i];
        int k = place - instance->first_output[TAKT_KIND_REAL];
        if (k >= 0 && k < instance->outputs.n_values[TAKT_KIND_REAL])
            from = output_name(advice, i, k);
        for (k = 0; k < instance->inputs.n_values[TAKT_KIND_REAL] && !to; k++)
            if (plan->sources[TAKT_KIND_REAL][instance->first_input[TAKT_KIND_REAL] + k] == place)
                to = takt_system_name(plan->system, i,
                                      takt_access_index(&instance->inputs, TAKT_KIND_REAL, k),
                                      &advice->arena);
    }
    const char *name = takt_arena_print(&advice->arena, "%s -> %s", from, to ? to : "?");
    advice->has_failed |= !name;
    return name ? name : "";
}

// Newton's and Broyden's methods solve many loops that repeated sweeps do not: have they?
static bool has_trouble(const takt_advice *advice)
{
    return advice->trial.failure.status || advice->trial.n_doubtful ||
           advice->trust.difference > INACCURATE * advice->system->settings.tolerance;
}

static void judge_tearing(takt_advice *advice, const takt_block *block,
                          const takt_loop_facts *facts)
{
    bool has_me = all_offer_me(advice, block);
    int last = TAKT_PROBE_SIZES - 1;
    find(advice, has_trouble(advice) ? TAKT_WEIGHT_PROBLEM : TAKT_WEIGHT_WARNING, "bad-tearing",
         "%s are cut apart where they depend on each other strongly and without delay: one sweep "
         "over them multiplies an error by %.3g with steps of %.2g s, and still by %.3g with %.2g "
         "s (t = %.6g s), mostly through the connection %s. Shorter steps do not help. %s, or "
         "exchange a quantity whose effect is delayed by a state on the other side (paper 003, "
         "section 5.5: closely interacting parts should not be separated).",
         list_members(advice, block), facts->rho[0], facts->h[0], facts->rho[last], facts->h[last],
         facts->t, name_connection(advice, block, facts->i_strongest),
         has_me
             ? "Integrate them together (--interface me --me central), draw the boundary between "
               "the FMUs elsewhere"
             : "Draw the boundary between the FMUs elsewhere");
    if (!has_me) return;
    recommend(advice, INTERFACE, "me", "all members of the loop offer model exchange");
    recommend(advice, ME, "central",
              "a loop that is cut at a strong coupling is integrated as one");
}

// Does a part of the strength stay, however short the step? With a delay it falls in proportion to the step.
static bool is_immediate(const takt_loop_facts *facts)
{
    int last = TAKT_PROBE_SIZES - 1;
    return facts->rho[last] > ALGEBRAIC && facts->rho[last] > 0.5 * facts->rho[last - 1];
}

static void judge_measured(takt_advice *advice, const takt_block *block,
                           const takt_loop_facts *facts)
{
    static const char *const origins[] = {
        [DECLARED] = "as their FMUs say",
        [PROBED] = "as trial steps have shown",
        [ASSUMED] = "which is assumed, as not all FMUs say on what their outputs depend"};
    int last = TAKT_PROBE_SIZES - 1, i_member;
    if (is_immediate(facts) && facts->rho[last] > DIVERGING)
        judge_tearing(advice, block, facts);
    else if (is_immediate(facts))
        find(advice, TAKT_WEIGHT_NOTE, "algebraic-loop",
             "%s form an algebraic loop (%s): one sweep over them multiplies an error by %.3g, "
             "however short the step. It converges, and is solved in each step.",
             list_members(advice, block), origins[judge_origin(advice, block, &i_member)],
             facts->rho[last]);
    else if (facts->rho[0] > DIVERGING)
        find(advice, TAKT_WEIGHT_NOTE, "strong-coupling",
             "%s are coupled strongly at the step sizes that are used: one sweep over them "
             "multiplies an error by %.3g with steps of %.2g s, but by %.3g with %.2g s. Error "
             "control solves such loops implicitly; fixed steps without iteration would have to be "
             "short.",
             list_members(advice, block), facts->rho[0], facts->h[0], facts->rho[1], facts->h[1]);
}

static void judge_loop(takt_advice *advice, int i_block)
{
    const takt_block *block = &advice->plan->blocks[i_block];
    const takt_loop_facts *facts = &advice->probe.loops[i_block];
    int i_member;
    if (!block->is_loop) return;
    if (facts->is_measured)
        judge_measured(advice, block, facts);
    else if (block->is_algebraic)
        find(advice, TAKT_WEIGHT_WARNING, "loop-not-measured",
             "%s form an algebraic loop whose strength could not be measured.",
             list_members(advice, block));
    bool is_weak = facts->is_measured && !is_immediate(facts);
    if (block->is_algebraic && judge_origin(advice, block, &i_member) == ASSUMED && is_weak)
        find(advice, TAKT_WEIGHT_NOTE, "feedthrough-assumed",
             "%s are iterated as an algebraic loop only because the FMU of '%s' does not say on "
             "what its outputs depend; nothing of the kind was measured. An FMU that declares it "
             "saves these sweeps.",
             list_members(advice, block), component_name(advice, i_member));
}

// ---- discontinuities -----------------------------------------------------------------------------------

// Jumps are located by error control alone; both trials may have it.
static void judge_jumps(takt_advice *advice)
{
    enum { SHOWN = 4 };
    takt_text text = {0};
    int n_shown = 0;
    for (int i = 0; i < advice->trial.n_values; i++) {
        int n = advice->trial.n_jumps[i];
        if (advice->reference.n_jumps && advice->reference.n_jumps[i] > n)
            n = advice->reference.n_jumps[i];
        if (n == 0 || n_shown++ >= SHOWN) continue;
        const char *name = takt_trial_name(advice->plan, i, &advice->arena, NULL);
        takt_text_print(&text, "%s%s (%d %s)", n_shown > 1 ? ", " : "", name ? name : "", n,
                        n == 1 ? "time" : "times");
    }
    for (int i = 0; i < advice->plan->system->n_components; i++) {
        int64_t n = advice->trial.instances[i].n_changes;
        if (n == 0 || n_shown++ >= SHOWN) continue;
        takt_text_print(&text, "%sdiscrete outputs of '%s' (%lld %s)", n_shown > 1 ? ", " : "",
                        component_name(advice, i), (long long)n, n == 1 ? "time" : "times");
    }
    if (n_shown > SHOWN) takt_text_print(&text, " and %d more", n_shown - SHOWN);
    advice->has_failed |= text.failed;
    if (n_shown && !text.failed)
        find(advice, TAKT_WEIGHT_NOTE, "jumps",
             "Values jump: %s. Error control locates jumps, which costs some repeated steps each; "
             "where their times are known, --event-time saves these.",
             text.data);
    takt_text_clear(&text);
}

void takt_advice_judge(takt_advice *advice)
{
    int n = advice->plan->system->n_components;
    judge_failure(advice);
    for (int i = 0; i < n; i++) judge_rewinding(advice, i);
    for (int i = 0; i < advice->plan->n_blocks; i++) judge_loop(advice, i);
    judge_trust(advice);
    judge_abilities(advice);
    for (int i = 0; i < n; i++) judge_noise(advice, i);
    for (int i = 0; i < n; i++) judge_settling(advice, i);
    judge_jumps(advice);
    judge_cost(advice);
}

// SPDX-License-Identifier: MIT
// Finds outputs without feedthrough where a model does not say on what they depend, by trial: instances are made
// for a moment, initialized, and make one step, with their real inputs as they start and shifted: a tenth of a step of
// the run, and a hundredth of that.
//   - An output that reacts at once changes by about as much in both. Many FMUs compute outputs only when they
//     step, so that setting an input and reading an output does not show it.
//   - An output behind a state changes in the short step by a hundredth of that, behind two by the square of it. A
//     reaction at once that is hidden in this is at most a few hundredths of what the state passes on.
// All inputs are shifted together, each by another amount, so that products and differences do not hide them;
// twice, in different sizes and directions. What is in doubt counts as feedthrough: outputs that jump or do not react
// at all (their inputs may be read at other times), noise, steps that end early. A trial cannot see what a
// switch opens only later.
#include "plan/compile.h"

#include <math.h>
#include <string.h>

enum { MAX_UPDATES = 100 }; // of events behind the initialization

// The change in the short step, as a share of that in the longer one: 1e-2 or 1e-4, and room for noise and curves.
static const double LEAST_SHARE = 3e-5, GREATEST_SHARE = 0.03;

typedef struct probe {
    const takt_plan *plan;
    takt_arena *scratch;
    int component;
    const takt_model *model;
    takt_access inputs, outputs; // those that are tried
    takt_values in, out;
    int n_inputs, n_outputs;
    double *base; // of the outputs: without shift, over the longer and the short step
    double *shifted; // likewise, with a shift
} probe;

// ---- a trial -------------------------------------------------------------------------------------

// Moves each input by another share of its size, within its limits.
static void shift_inputs(const probe *p, double shift)
{
    for (int i = 0; i < p->n_inputs; i++) {
        const takt_variable *v = takt_access_variable(&p->inputs, p->model, TAKT_KIND_REAL, i);
        double size = fmax(fabs(p->in.real[i]), fabs(v->nominal));
        double moved = p->in.real[i] + shift * size * (1 + 0.37 * i / p->n_inputs);
        p->in.real[i] = fmin(fmax(moved, v->min), v->max);
    }
}

// Behind the initialization an instance that handles events is in event mode.
static takt_status leave_events(takt_instance *instance, takt_error *err)
{
    const takt_instance_type *type = instance->type;
    takt_event event = {.needs_update = true};
    takt_status st = TAKT_OK;
    if (!type->enter_events || !(instance->model->can.events || type->equations)) return TAKT_OK;
    for (int i = 0; i < MAX_UPDATES && event.needs_update && !st; i++) {
        event = (takt_event){.next_time = INFINITY};
        st = type->update_events(instance, &event, err);
    }
    return st ? st : type->leave_events(instance, err);
}

static takt_status initialize(const probe *p, takt_instance *instance, double shift,
                              takt_error *err)
{
    const takt_system *system = p->plan->system;
    const takt_instance_type *type = instance->type;
    takt_interval interval = takt_system_interval(system);
    takt_values in = p->in;
    takt_status st = takt_system_set_starts(system, p->component, instance, false, err);
    if (!st) st = type->enter_initialization(instance, &interval, err);
    if (!st) st = takt_system_set_starts(system, p->component, instance, true, err);
    if (!st) st = type->get(instance, &p->inputs, &in, err);
    if (!st) shift_inputs(p, shift);
    if (!st) st = type->exit_initialization(instance, err);
    return st ? st : leave_events(instance, err);
}

static takt_status step(const probe *p, takt_instance *instance, double h, double *y,
                        takt_error *err)
{
    const takt_instance_type *type = instance->type;
    double t = p->plan->system->settings.start_time;
    takt_step_result result = {0};
    takt_values out = p->out;
    takt_status st = type->set(instance, &p->inputs, &p->in, err);
    if (!st) st = type->step(instance, t, h, true, &result, err);
    if (!st && result.end != TAKT_STEP_DONE)
        st = takt_fail(err, TAKT_ERR_SIMULATION, "a step on trial ends early");
    if (!st) st = type->get(instance, &p->outputs, &out, err);
    for (int i = 0; i < p->n_outputs && !st; i++) y[i] = p->out.real[i];
    return st;
}

// The outputs at the end of a step of length h with shifted inputs.
static takt_status try_step(const probe *p, double shift, double h, double *y, takt_error *err)
{
    const takt_component *owner = &p->plan->system->components[p->component];
    takt_instance *instance = NULL;
    takt_status st = p->model->type->instantiate(p->model, owner->name, NULL, &instance, err);
    if (!st) st = initialize(p, instance, shift, err);
    if (!st) st = step(p, instance, h, y, err);
    if (instance) p->model->type->destroy(instance);
    return st;
}

static takt_status try_both(const probe *p, double shift, double *y, takt_error *err)
{
    double h = p->plan->system->settings.step_size;
    takt_status st = try_step(p, shift, h / 10, y, err);
    return st ? st : try_step(p, shift, h / 1000, y + p->n_outputs, err);
}

// ---- outputs -------------------------------------------------------------------------------------

static bool is_smooth(const takt_variable *variable)
{
    return variable->variability == TAKT_CONTINUOUS &&
           (variable->type == TAKT_FLOAT64 || variable->type == TAKT_FLOAT32);
}

static bool is_behind_a_state(const probe *p, int output)
{
    double change = fabs(p->shifted[output] - p->base[output]);
    double in_short = fabs(p->shifted[p->n_outputs + output] - p->base[p->n_outputs + output]);
    return change > 0 && in_short >= LEAST_SHARE * change && in_short <= GREATEST_SHARE * change;
}

static takt_status try_all(const probe *p, bool *is_free, takt_error *err)
{
    static const double shifts[] = {0.1, -0.003};
    bool is_any_free = true;
    takt_status st = try_both(p, 0, p->base, err);
    for (int i = 0; i < p->n_outputs; i++) is_free[i] = true;
    for (int k = 0; k < 2 && !st && is_any_free; k++) {
        st = try_both(p, shifts[k], p->shifted, err);
        is_any_free = false;
        for (int i = 0; i < p->n_outputs && !st; i++) {
            is_free[i] = is_free[i] && is_behind_a_state(p, i);
            is_any_free |= is_free[i];
        }
    }
    return st;
}

// ---- preparation ---------------------------------------------------------------------------------

// Is nothing said about an output of the component?
static bool is_untold(const takt_plan_dependencies *told, int variable)
{
    for (int i = 0; i < told->n_outputs; i++)
        if (told->outputs[i].variable == variable) return !told->outputs[i].is_known;
    return true;
}

// Chooses the smooth ones of list[first] .. list[end-1]; with `told` only those of which nothing is said.
static int choose(const probe *p, const takt_reference *list, int first, int end,
                  const takt_plan_dependencies *told, int *out)
{
    int n = 0;
    for (int i = first; i < end; i++) {
        int variable = list[i].variable;
        if (!is_smooth(&p->model->variables[variable])) continue;
        if (!told || is_untold(told, variable)) out[n++] = variable;
    }
    return n;
}

static bool prepare(probe *p, const takt_wiring *w)
{
    int c = p->component, in = w->first_input[c], out = w->first_output[c];
    int *inputs =
        takt_arena_array(p->scratch, (size_t)(w->first_input[c + 1] - in), sizeof *inputs);
    int *outputs =
        takt_arena_array(p->scratch, (size_t)(w->first_output[c + 1] - out), sizeof *outputs);
    if (!inputs || !outputs) return false;
    p->n_inputs = choose(p, w->inputs, in, w->first_input[c + 1], NULL, inputs);
    p->n_outputs =
        choose(p, w->outputs, out, w->first_output[c + 1], &p->plan->dependencies[c], outputs);
    p->base = takt_arena_array(p->scratch, 2 * (size_t)p->n_outputs, sizeof *p->base);
    p->shifted = takt_arena_array(p->scratch, 2 * (size_t)p->n_outputs, sizeof *p->shifted);
    p->in.real = takt_arena_array(p->scratch, (size_t)p->n_inputs, sizeof *p->in.real);
    p->out.real = takt_arena_array(p->scratch, (size_t)p->n_outputs, sizeof *p->out.real);
    return p->base && p->shifted && p->in.real && p->out.real &&
           takt_access_create(p->scratch, p->model, inputs, p->n_inputs, &p->inputs, NULL) &&
           takt_access_create(p->scratch, p->model, outputs, p->n_outputs, &p->outputs, NULL);
}

// ---- result --------------------------------------------------------------------------------------

// The connected inputs that are not smooth have not been tried.
static bool list_untried(takt_plan *plan, const probe *p, const takt_wiring *w,
                         takt_dependency *out)
{
    int first = w->first_input[p->component], end = w->first_input[p->component + 1];
    int *known = takt_arena_array(&plan->arena, (size_t)(end - first), sizeof *known);
    if (!known) return false;
    for (int i = first; i < end; i++)
        if (!is_smooth(&p->model->variables[w->inputs[i].variable]))
            known[out->n_known++] = w->inputs[i].variable;
    out->known = known;
    out->is_known = out->is_tried = true;
    return true;
}

// Replaces what is said about output `variable`, or adds it.
static void put_dependency(takt_dependency *list, int *n, takt_dependency found)
{
    int i = 0;
    while (i < *n && list[i].variable != found.variable) i++;
    list[i] = found;
    if (i == *n) ++*n;
}

static bool keep(takt_plan *plan, const probe *p, const takt_wiring *w, const bool *is_free)
{
    takt_plan_dependencies *told = &plan->dependencies[p->component];
    size_t room = (size_t)told->n_outputs + (size_t)p->n_outputs;
    takt_dependency *list = takt_arena_array(&plan->arena, room, sizeof *list);
    takt_dependency found = {0};
    if (!list || !list_untried(plan, p, w, &found)) return false;
    if (told->n_outputs) memcpy(list, told->outputs, (size_t)told->n_outputs * sizeof *list);
    for (int i = 0; i < p->n_outputs; i++) {
        if (!is_free[i]) continue;
        found.variable = takt_access_index(&p->outputs, TAKT_KIND_REAL, i);
        put_dependency(list, &told->n_outputs, found);
    }
    told->outputs = list;
    return true;
}

// "y1, y2" of the outputs that are free; long lists are cut. NULL: out of memory.
static const char *list_free(const probe *p, const bool *is_free, int *n_free)
{
    enum { SHOWN = 8 };
    const char *names = "";
    *n_free = 0;
    for (int i = 0; i < p->n_outputs && names; i++) {
        if (!is_free[i] || ++*n_free > SHOWN) continue;
        const takt_variable *v = takt_access_variable(&p->outputs, p->model, TAKT_KIND_REAL, i);
        names = takt_arena_print(p->scratch, "%s%s%s", names, *n_free > 1 ? ", " : "", v->name);
    }
    return names && *n_free > SHOWN ? takt_arena_print(p->scratch, "%s, ...", names) : names;
}

static bool tell(const probe *p, const bool *is_free)
{
    const char *owner = p->plan->system->components[p->component].name;
    int n = 0;
    const char *names = list_free(p, is_free, &n);
    if (!names) return false;
    if (n == 0)
        takt_log_write(
            p->plan->system->log, TAKT_LEVEL_INFO,
            "component '%s' does not say on which inputs its outputs depend; in steps on trial "
            "none was seen to react to inputs only through states, so all are taken to react "
            "at once",
            owner);
    else
        takt_log_write(
            p->plan->system->log, TAKT_LEVEL_INFO,
            "component '%s' does not say on which inputs its outputs depend; in steps on trial "
            "%d of %d were seen to react to inputs only through states, not at once: %s",
            owner, n, p->n_outputs, names);
    return true;
}

static bool probe_outputs(takt_plan *plan, takt_arena *scratch, const takt_wiring *w, int component)
{
    const takt_component *owner = &plan->system->components[component];
    probe p = {.plan = plan, .scratch = scratch, .component = component, .model = owner->model};
    takt_error err = {0};
    if (!prepare(&p, w)) return false;
    bool *is_free = takt_arena_array(scratch, (size_t)p.n_outputs, sizeof *is_free);
    if (!is_free || p.n_outputs == 0 || p.n_inputs == 0) return is_free != NULL;
    takt_watch_enter(plan->watch, owner->model, owner->name, "trying on what its outputs depend");
    takt_status st = try_all(&p, is_free, &err);
    takt_watch_leave(plan->watch);
    if (st == TAKT_ERR_MEMORY) return false;
    if (st)
        takt_log_write(
            plan->system->log, TAKT_LEVEL_INFO,
            "component '%s' does not say on which inputs its outputs depend, and cannot be "
            "tried, so all are taken to react at once: %s",
            owner->name, err.message);
    return st || (tell(&p, is_free) && keep(plan, &p, w, is_free));
}

bool takt_plan_probe(takt_plan *plan, const takt_wiring *wiring, int component)
{
    const takt_component *owner = &plan->system->components[component];
    const takt_capabilities *can = &owner->model->can;
    // An instance too many may be impossible, or mean another tool or a licence.
    if (can->once_per_process || can->needs_tool || !can->variable_step) return true;
    if (owner->is_group || owner->model->is_function) return true;
    takt_arena scratch = {0};
    bool ok = probe_outputs(plan, &scratch, wiring, component);
    takt_arena_clear(&scratch);
    return ok;
}

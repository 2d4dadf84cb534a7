// SPDX-License-Identifier: MIT
// Where every value lies: the connected outputs of all instances, then those that are only tested, then what is
// only recorded, in y; the connected inputs of all instances in u.
#include "plan/compile.h"

// The variables of list[first] .. list[end-1], which belong to one component, and the slots of
// their values: `next` is where the next value of a kind lies and moves on.
static bool lay_out_list(takt_plan *plan, const takt_model *model, const takt_reference *list,
                         int n, int next[TAKT_N_KINDS], int begin[TAKT_N_KINDS],
                         takt_access *access, takt_slot *slots)
{
    takt_arena scratch = {0};
    int *variables = takt_arena_array(&scratch, (size_t)n, sizeof *variables);
    bool ok = variables != NULL;
    if (ok) {
        for (int i = 0; i < n; i++) variables[i] = list[i].variable;
        ok = takt_access_create(&plan->arena, model, variables, n, access, slots);
    }
    takt_arena_clear(&scratch);
    if (!ok) return false;
    for (int k = 0; k < TAKT_N_KINDS; k++) begin[k] = next[k];
    for (int i = 0; i < n; i++) slots[i].index += begin[slots[i].kind];
    for (int k = 0; k < TAKT_N_KINDS; k++) next[k] += access->n_values[k];
    return true;
}

// Those inputs of component c that are set only during the initialization, or the others. Writes their
// indices in w->inputs to `which`.
static int choose_inputs(const takt_plan *plan, const takt_wiring *w, int c, bool is_initial,
                         takt_reference *list, int *which)
{
    int n = 0;
    for (int i = w->first_input[c]; i < w->first_input[c + 1]; i++) {
        if (plan->system->connections[w->connection[i]].is_initial != is_initial) continue;
        list[n] = w->inputs[i];
        which[n++] = i;
    }
    return n;
}

// The inputs of component c: first those that are set in every step, then, beyond the access, those of
// the initialization.
static bool lay_out_inputs(takt_plan *plan, takt_arena *scratch, const takt_wiring *w, int c,
                           takt_slot *u)
{
    const takt_model *model = plan->system->components[c].model;
    takt_plan_instance *instance = &plan->instances[c];
    size_t room = (size_t)(w->first_input[c + 1] - w->first_input[c]);
    takt_reference *list = takt_arena_array(scratch, room, sizeof *list);
    int *which = takt_arena_array(scratch, room, sizeof *which);
    takt_slot *slots = takt_arena_array(scratch, room, sizeof *slots);
    bool ok = list && which && slots;
    for (int is_initial = 0; ok && is_initial < 2; is_initial++) {
        takt_access unseen;
        int begin[TAKT_N_KINDS];
        int n = choose_inputs(plan, w, c, is_initial, list, which);
        ok = lay_out_list(plan, model, list, n, plan->n_inputs,
                          is_initial ? begin : instance->first_input,
                          is_initial ? &unseen : &instance->inputs, slots);
        for (int i = 0; ok && i < n; i++) u[which[i]] = slots[i];
    }
    return ok;
}

static bool lay_out_connected(takt_plan *plan, takt_arena *scratch, const takt_wiring *w,
                              takt_slot *y, takt_slot *u)
{
    for (int i = 0; i < plan->system->n_components; i++) {
        int c = w->order[i];
        const takt_model *model = plan->system->components[c].model;
        takt_plan_instance *instance = &plan->instances[c];
        int out = w->first_output[c];
        if (!lay_out_list(plan, model, &w->outputs[out], w->first_output[c + 1] - out,
                          plan->n_outputs, instance->first_output, &instance->outputs, &y[out]) ||
            !lay_out_inputs(plan, scratch, w, c, u))
            return false;
    }
    return true;
}

// ---- connections ---------------------------------------------------------------------------------

static const takt_variable *variable_at(const takt_plan *plan, takt_reference at)
{
    return &plan->system->components[at.component].model->variables[at.variable];
}

// Does the value need more than a copy? Then fills in the adapter.
static bool needs_adapter(const takt_plan *plan, const takt_wiring *w, int input, takt_slot from,
                          takt_slot to, takt_adapter *out)
{
    takt_type source = variable_at(plan, w->outputs[w->source[input]])->type;
    takt_type target = variable_at(plan, w->inputs[input])->type;
    const takt_connection *connection = &plan->system->connections[w->connection[input]];
    *out = (takt_adapter){.from = from,
                          .to = to,
                          .map = &connection->map,
                          .factor = connection->factor,
                          .offset = connection->offset,
                          .connection = w->connection[input]};
    if (to.kind == TAKT_KIND_INTEGER) takt_type_range(target, &out->least, &out->greatest);
    if (from.kind != to.kind || out->map->n_values) return true;
    int64_t least, greatest;
    if (to.kind != TAKT_KIND_INTEGER) return false;
    takt_type_range(source, &least, &greatest);
    return least < out->least || greatest > out->greatest;
}

static bool scale(takt_plan *plan, const takt_wiring *w, const takt_slot *u)
{
    size_t n = (size_t)plan->n_inputs[TAKT_KIND_REAL];
    double *factors = takt_arena_array(&plan->arena, n, sizeof *factors);
    double *offsets = takt_arena_array(&plan->arena, n, sizeof *offsets);
    if (!factors || !offsets) return false;
    for (size_t i = 0; i < n; i++) factors[i] = 1;
    bool is_any_scaled = false;
    for (int i = 0; i < w->n_inputs; i++) {
        const takt_connection *connection = &plan->system->connections[w->connection[i]];
        if (connection->factor == 1 && connection->offset == 0) continue;
        factors[u[i].index] = connection->factor;
        offsets[u[i].index] = connection->offset;
        is_any_scaled = true;
    }
    if (is_any_scaled) {
        plan->factors = factors;
        plan->offsets = offsets;
    }
    return true;
}

// Sets the sources, and the adapters where a copy does not suffice. A value that is mapped or of another
// kind has the unused value at the end of y as its source.
static bool connect_sources(takt_plan *plan, const takt_wiring *w, const takt_slot *y,
                            const takt_slot *u)
{
    int *sources[TAKT_N_KINDS];
    for (int k = 0; k < TAKT_N_KINDS; k++) {
        sources[k] = takt_arena_array(&plan->arena, (size_t)plan->n_inputs[k], sizeof(int));
        if (!sources[k]) return false;
        plan->sources[k] = sources[k];
    }
    takt_adapter *adapters = takt_arena_array(&plan->arena, (size_t)w->n_inputs, sizeof *adapters);
    if (!adapters) return false;
    int n = 0, *unused = plan->unused;
    for (int k = 0; k < TAKT_N_KINDS; k++) unused[k] = -1;
    for (int i = 0; i < w->n_inputs; i++) {
        takt_slot from = y[w->source[i]], to = u[i];
        takt_plan_instance *instance = &plan->instances[w->inputs[i].component];
        if (needs_adapter(plan, w, i, from, to, &adapters[n])) {
            if (instance->n_adapters++ == 0) instance->adapters = &adapters[n];
            n++;
        }
        bool is_other =
            from.kind != to.kind || plan->system->connections[w->connection[i]].map.n_values > 0;
        if (is_other && unused[to.kind] < 0) unused[to.kind] = plan->n_outputs[to.kind]++;
        sources[to.kind][to.index] = is_other ? unused[to.kind] : from.index;
    }
    return scale(plan, w, u);
}

// ---- outputs that nobody reads -------------------------------------------------------------------

static bool is_tested(const takt_wiring *w, int c, int variable)
{
    const takt_variable *at = &w->system->components[c].model->variables[variable];
    return at->causality == TAKT_OUTPUT && at->variability == TAKT_CONTINUOUS &&
           takt_type_kind(at->type) == TAKT_KIND_REAL &&
           takt_wiring_find(w->outputs, w->first_output[c], w->first_output[c + 1], variable) < 0;
}

static bool lay_out_tested_of(takt_plan *plan, takt_arena *scratch, const takt_wiring *w, int c)
{
    const takt_model *model = plan->system->components[c].model;
    takt_plan_instance *instance = &plan->instances[c];
    size_t room = (size_t)model->n_variables;
    takt_reference *list = takt_arena_array(scratch, room, sizeof *list);
    takt_slot *slots = takt_arena_array(scratch, room, sizeof *slots);
    if (!list || !slots) return false;
    int n = 0;
    for (int v = 0; v < model->n_variables; v++)
        if (is_tested(w, c, v)) list[n++] = (takt_reference){c, v};
    instance->is_shown = takt_arena_array(&plan->arena, (size_t)n, sizeof *instance->is_shown);
    return instance->is_shown && lay_out_list(plan, model, list, n, plan->n_outputs,
                                              instance->first_tested, &instance->tested, slots);
}

static bool lay_out_tested(takt_plan *plan, takt_arena *scratch, const takt_wiring *w)
{
    if (!takt_settings_test_outputs(&plan->system->settings)) return true;
    for (int c = 0; c < plan->system->n_components; c++)
        if (!lay_out_tested_of(plan, scratch, w, c)) return false;
    return true;
}

// Which of the tested values of an instance a variable is; -1: none.
static int find_tested(const takt_plan_instance *instance, int variable)
{
    for (int b = 0; b < instance->tested.n_batches; b++) {
        const takt_access_batch *batch = &instance->tested.batches[b];
        int first = 0, end = batch->n_values; // they are in ascending order
        while (first < end) {
            int middle = first + (end - first) / 2;
            if (batch->variables[middle] < variable)
                first = middle + 1;
            else
                end = middle;
        }
        if (first < batch->n_values && batch->variables[first] == variable)
            return batch->first + first;
    }
    return -1;
}

// ---- results -------------------------------------------------------------------------------------

// What laying out the columns needs.
typedef struct columns {
    takt_plan *plan;
    const takt_wiring *w;
    const takt_slot *y, *u; // of the connected outputs and inputs
    takt_reference *list; // room for as many as are recorded
    int *which;
    takt_slot *slots;
    takt_copy *copies; // of all instances
    int n_copies;
} columns;

// A recorded input has the value that the run sets: it is copied from u. (A discrete input may have a clock, and
// then takes values only when that ticks. An input that moves within a step has another value at its end.)
static void find_input(columns *at, takt_column *column)
{
    takt_plan *plan = at->plan;
    const takt_wiring *w = at->w;
    takt_reference reference = column->reference;
    int c = reference.component;
    int input =
        takt_wiring_find(w->inputs, w->first_input[c], w->first_input[c + 1], reference.variable);
    const takt_model *model = plan->system->components[c].model;
    const takt_variable *variable = variable_at(plan, reference);
    if (input < 0 || variable->causality != TAKT_INPUT || variable->type != TAKT_FLOAT64 ||
        variable->variability != TAKT_CONTINUOUS || variable->is_scripted ||
        takt_model_interpolates(model, reference.variable))
        return;
    column->slot = (takt_slot){TAKT_KIND_REAL, plan->n_outputs[TAKT_KIND_REAL]++};
    takt_plan_instance *instance = &plan->instances[c];
    if (instance->n_copies++ == 0) instance->copies = &at->copies[at->n_copies];
    at->copies[at->n_copies++] = (takt_copy){at->u[input].index, column->slot.index};
}

// The value of a recorded variable is known without reading it for rows if it is an output that is connected or
// tested, which is in y already, or what the run sets.
static void find_known(columns *at, takt_column *column)
{
    const takt_wiring *w = at->w;
    int c = column->reference.component, variable = column->reference.variable;
    takt_plan_instance *instance = &at->plan->instances[c];
    int output = takt_wiring_find(w->outputs, w->first_output[c], w->first_output[c + 1], variable);
    int tested = find_tested(instance, variable);
    if (output >= 0) {
        column->slot = at->y[output];
    } else if (tested >= 0) {
        column->slot = (takt_slot){TAKT_KIND_REAL, instance->first_tested[TAKT_KIND_REAL] + tested};
        instance->n_shown += !instance->is_shown[tested];
        instance->is_shown[tested] = true;
    } else {
        find_input(at, column);
    }
}

// Of the columns of component c, number own[0] .. own[n_own-1], those that have no slot yet and never change
// after the initialization, or the others, get a slot in y.
static bool lay_out_read(columns *at, int c, const int *own, int n_own, bool is_constant,
                         int begin[TAKT_N_KINDS], takt_access *access)
{
    takt_plan *plan = at->plan;
    int n = 0;
    for (int i = 0; i < n_own; i++) {
        const takt_column *column = &plan->columns[own[i]];
        bool is_fixed = variable_at(plan, column->reference)->variability <= TAKT_FIXED;
        if (column->slot.index >= 0 || is_fixed != is_constant) continue;
        at->list[n] = column->reference;
        at->which[n++] = own[i];
    }
    if (!lay_out_list(plan, plan->system->components[c].model, at->list, n, plan->n_outputs, begin,
                      access, at->slots))
        return false;
    for (int i = 0; i < n; i++) plan->columns[at->which[i]].slot = at->slots[i];
    return true;
}

// `own` are the numbers of the columns by component; those of component c begin at first[c].
static bool lay_out_each_column(columns *at, const int *first, const int *own)
{
    takt_plan *plan = at->plan;
    const takt_system *system = plan->system;
    for (int i = 0; i < system->n_components; i++) {
        int c = at->w->order[i];
        takt_plan_instance *instance = &plan->instances[c];
        const int *of_c = &own[first[c]];
        int n = first[c + 1] - first[c];
        for (int k = 0; k < n; k++) {
            takt_column *column = &plan->columns[of_c[k]];
            *column = (takt_column){system->recorded[of_c[k]], {TAKT_KIND_REAL, -1}};
            find_known(at, column);
        }
        if (!lay_out_read(at, c, of_c, n, false, instance->first_recorded, &instance->recorded) ||
            !lay_out_read(at, c, of_c, n, true, instance->first_constant, &instance->constants))
            return false;
    }
    return true;
}

// The numbers of the recorded variables by component: those of component c are which[first[c]] up to
// which[first[c + 1]], without the latter. False: out of memory.
static bool sort_recorded(takt_arena *scratch, const takt_system *system, int **first, int **which)
{
    int n = system->n_components;
    int *end = takt_arena_array(scratch, (size_t)n + 2, sizeof *end);
    *which = takt_arena_array(scratch, (size_t)system->n_recorded, sizeof **which);
    if (!end || !*which) return false;
    for (int i = 0; i < system->n_recorded; i++) end[system->recorded[i].component + 2]++;
    for (int c = 0; c < n; c++) end[c + 2] += end[c + 1];
    for (int i = 0; i < system->n_recorded; i++)
        (*which)[end[system->recorded[i].component + 1]++] = i;
    *first = end;
    return true;
}

static bool lay_out_columns(takt_plan *plan, takt_arena *scratch, const takt_wiring *w,
                            const takt_slot *y, const takt_slot *u)
{
    size_t n = (size_t)plan->system->n_recorded;
    columns at = {.plan = plan,
                  .w = w,
                  .y = y,
                  .u = u,
                  .list = takt_arena_array(scratch, n, sizeof *at.list),
                  .which = takt_arena_array(scratch, n, sizeof *at.which),
                  .slots = takt_arena_array(scratch, n, sizeof *at.slots),
                  .copies = takt_arena_array(&plan->arena, n, sizeof *at.copies)};
    plan->columns = takt_arena_array(&plan->arena, n, sizeof *plan->columns);
    int *first, *own;
    if (!at.list || !at.which || !at.slots || !at.copies || !plan->columns ||
        !sort_recorded(scratch, plan->system, &first, &own))
        return false;
    plan->n_columns = plan->system->n_recorded;
    return lay_out_each_column(&at, first, own);
}

static bool lay_out(takt_plan *plan, takt_arena *scratch, takt_wiring *w)
{
    takt_slot *y = takt_arena_array(scratch, (size_t)w->n_outputs, sizeof *y);
    takt_slot *u = takt_arena_array(scratch, (size_t)w->n_inputs, sizeof *u);
    plan->instances =
        takt_arena_array(&plan->arena, (size_t)plan->system->n_components, sizeof *plan->instances);
    if (!y || !u || !plan->instances || !lay_out_connected(plan, scratch, w, y, u)) return false;
    for (int i = 0; i < w->n_outputs; i++) w->y[i] = y[i].index;
    for (int i = 0; i < w->n_inputs; i++) w->u[i] = u[i].index;
    return lay_out_tested(plan, scratch, w) && lay_out_columns(plan, scratch, w, y, u) &&
           connect_sources(plan, w, y, u);
}

bool takt_plan_lay_out(takt_plan *plan, takt_wiring *wiring)
{
    takt_arena scratch = {0};
    bool ok = lay_out(plan, &scratch, wiring);
    takt_arena_clear(&scratch);
    return ok;
}

// SPDX-License-Identifier: MIT
// Views: names become indices once, then one call per instance and kind of variable reads or sets everything.
//
// A view is divided into pieces, one per instance for inputs and one for all else. A piece has an access with its own order of values, sorted
// by type; `places` lead from there to the order of the view. Connected inputs are not read from their instances, which get
// their values only with the next step: they are gathered from their sources, into a copy.
#include "run/view.h"

#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "base/text.h"
#include "run/blocks.h"
#include "run/calls.h"
#include "run/gather.h"
#include "run/hold.h"
#include "run/pass.h"
#include "run/steer.h"
#include "run/waves.h"

/// An item of a view, resolved.
typedef struct item {
    takt_reference variable; // of an array its first element
    int n; // of values
    int first; // its place in the view, among those of its kind
    takt_kind kind;
} item;

/// A connected input: its value lies in u.
typedef struct gathered {
    takt_kind kind;
    int from; // in u
    int to; // in the view
} gathered;

/// Variables of one instance.
typedef struct piece {
    takt_steer_values values; // with room of its own
    const int *places[TAKT_N_KINDS]; // per value of the access: in the view
} piece;

/// Connected inputs of one instance.
typedef struct connected {
    int i_instance;
    const gathered *items;
    int n_items;
    takt_values kept; // what lay in u
} connected;

struct takt_view {
    takt_run *run; // NULL: it has ended
    takt_view *next, *previous; // of the same run
    takt_arena arena;
    item *items;
    int n_items;
    int n_values[TAKT_N_KINDS];
    takt_values values; // in the order of the view
    piece *pieces;
    int n_pieces;
    connected *connected;
    int n_connected;
};

// ---- names -------------------------------------------------------------------------------------------

static const takt_model *model_at(const takt_run *run, int component)
{
    return run->plan->system->components[component].model;
}

// The names of a group's variables begin with those of its members.
static bool find_in_groups(const takt_system *system, const char *name, takt_reference *out)
{
    for (int i = 0; i < system->n_components; i++) {
        if (!system->components[i].is_group) continue;
        *out = (takt_reference){i, takt_model_find(system->components[i].model, name)};
        if (out->variable >= 0) return true;
    }
    return false;
}

static const char *variable_name(void *context, int i)
{
    return ((const takt_model *)context)->variables[i].name;
}

static takt_status fail_unknown(const takt_run *run, const char *name, int component, size_t length,
                                takt_error *err)
{
    enum { MOST = 100000 }; // names to compare with
    if (component < 0)
        return takt_fail(
            err, TAKT_ERR_USAGE,
            "there is no variable '%s': names are COMPONENT.VARIABLE, as 'takt info' lists "
            "them",
            name);
    takt_model *model = run->plan->system->components[component].model;
    const char *nearest =
        model->n_variables > MOST
            ? NULL
            : takt_text_nearest(name + length + 1, model->n_variables, variable_name, model);
    return takt_fail(err, TAKT_ERR_USAGE, "component '%.*s' has no variable '%s'%s%s%s",
                     (int)length, name, name + length + 1, nearest ? "; did you mean '" : "",
                     nearest ? nearest : "", nearest ? "'?" : "");
}

// Both names of components and of variables may have dots.
static takt_status find(takt_view *view, const char *name, takt_reference *out, takt_error *err)
{
    const takt_system *system = view->run->plan->system;
    int component = -1, n_found = 0;
    size_t length = 0;
    char *copy = takt_arena_copy(&view->arena, name);
    if (!copy) return takt_fail_memory(err);
    for (char *dot = strchr(copy, '.'); dot; dot = strchr(dot + 1, '.')) {
        *dot = 0;
        int owner = takt_map_find(&system->names, copy);
        *dot = '.';
        if (owner < 0 || system->components[owner].is_group) continue;
        component = owner;
        length = (size_t)(dot - copy);
        int variable = takt_model_find(system->components[owner].model, dot + 1);
        if (variable < 0) continue;
        *out = (takt_reference){owner, variable};
        n_found++;
    }
    if (n_found > 1)
        return takt_fail(err, TAKT_ERR_USAGE,
                         "'%s' is ambiguous: it is a variable of several components", name);
    if (n_found || find_in_groups(system, name, out)) return TAKT_OK;
    return fail_unknown(view->run, name, component, length, err);
}

// "Tank.x[2]" ends in "x[2]".
static bool ends_in(const char *name, const char *end)
{
    size_t length = strlen(name), n = strlen(end);
    return length >= n && strcmp(name + length - n, end) == 0;
}

static takt_status add_item(takt_view *view, const char *name, takt_error *err)
{
    takt_reference at;
    if (!name) return takt_fail(err, TAKT_ERR_USAGE, "the name of a variable is NULL");
    takt_status st = find(view, name, &at, err);
    if (st) return st;
    const takt_variable *v = &model_at(view->run, at.component)->variables[at.variable];
    bool is_whole = v->array && !ends_in(name, v->name);
    item *to = &view->items[view->n_items++];
    *to = (item){
        .variable = at, .n = is_whole ? v->array->n_elements : 1, .kind = takt_type_kind(v->type)};
    to->first = view->n_values[to->kind];
    view->n_values[to->kind] += to->n;
    return TAKT_OK;
}

// ---- pieces ------------------------------------------------------------------------------------------

static int compare_items(const void *a, const void *b)
{
    const item *x = *(const item *const *)a, *y = *(const item *const *)b;
    if (x->variable.component != y->variable.component)
        return x->variable.component < y->variable.component ? -1 : 1;
    return (x > y) - (x < y); // as named
}

// Where connected inputs of an instance lie in u: per variable of the model, -1: not there.
static int *places_in_u(takt_view *view, int i_instance)
{
    const takt_plan_instance *plan = &view->run->plan->instances[i_instance];
    int n = model_at(view->run, i_instance)->n_variables;
    int *places = malloc((size_t)(n ? n : 1) * sizeof *places);
    for (int i = 0; places && i < n; i++) places[i] = -1;
    for (int b = 0; places && b < plan->inputs.n_batches; b++) {
        const takt_access_batch *batch = &plan->inputs.batches[b];
        int first = plan->first_input[takt_type_kind(batch->type)] + batch->first;
        for (int i = 0; i < batch->n_values; i++) places[batch->variables[i]] = first + i;
    }
    return places;
}

/// Variables that one piece will have, and where their values go.
typedef struct collection {
    int *variables, *places;
    int n;
} collection;

static bool add_piece(takt_view *view, int i_instance, const collection *from, bool are_inputs)
{
    if (from->n == 0) return true;
    piece *to = &view->pieces[view->n_pieces];
    takt_slot *slots = takt_arena_array(&view->arena, (size_t)from->n, sizeof *slots);
    to->values.i_instance = i_instance;
    to->values.are_inputs = are_inputs;
    if (!slots || !takt_access_create(&view->arena, model_at(view->run, i_instance),
                                      from->variables, from->n, &to->values.access, slots))
        return false;
    int *places[TAKT_N_KINDS];
    for (int kind = 0; kind < TAKT_N_KINDS; kind++) {
        size_t n = (size_t)to->values.access.n_values[kind];
        to->places[kind] = places[kind] = takt_arena_array(&view->arena, n, sizeof **places);
        if (!places[kind]) return false;
    }
    for (int i = 0; i < from->n; i++) places[slots[i].kind][slots[i].index] = from->places[i];
    view->n_pieces++; // from here on its room is to be cleared
    return takt_values_init(&to->values.values, to->values.access.n_values);
}

// All items of one instance.
static bool add_instance(takt_view *view, item *const *items, int n_items)
{
    int i_instance = items[0]->variable.component, n = 0, n_gathered = 0;
    for (int i = 0; i < n_items; i++) n += items[i]->n;
    const takt_model *model = model_at(view->run, i_instance);
    collection sets[2] = {{0}}; // of others, of inputs
    gathered *from_u = takt_arena_array(&view->arena, (size_t)n, sizeof *from_u);
    int *in_u = places_in_u(view, i_instance);
    for (int k = 0; k < 2; k++) {
        sets[k].variables = takt_arena_array(&view->arena, (size_t)n, sizeof *sets[k].variables);
        sets[k].places = takt_arena_array(&view->arena, (size_t)n, sizeof *sets[k].places);
    }
    bool ok = from_u && in_u && sets[0].variables && sets[0].places && sets[1].variables &&
              sets[1].places;
    for (int i = 0; ok && i < n_items; i++)
        for (int k = 0; k < items[i]->n; k++) {
            int v = items[i]->variable.variable + k, to = items[i]->first + k;
            collection *set = &sets[model->variables[v].causality == TAKT_INPUT];
            if (in_u[v] >= 0) from_u[n_gathered++] = (gathered){items[i]->kind, in_u[v], to};
            set->variables[set->n] = v;
            set->places[set->n++] = to;
        }
    free(in_u);
    if (ok && n_gathered)
        view->connected[view->n_connected++] = (connected){i_instance, from_u, n_gathered, {0}};
    if (ok && n_gathered)
        ok = takt_values_init(&view->connected[view->n_connected - 1].kept,
                              view->run->plan->instances[i_instance].inputs.n_values);
    return ok && add_piece(view, i_instance, &sets[0], false) &&
           add_piece(view, i_instance, &sets[1], true);
}

static bool divide(takt_view *view)
{
    size_t n = (size_t)view->n_items;
    item **sorted = takt_arena_array(&view->arena, n, sizeof *sorted);
    view->pieces = takt_arena_array(&view->arena, 2 * n, sizeof *view->pieces);
    view->connected = takt_arena_array(&view->arena, n, sizeof *view->connected);
    if (!sorted || !view->pieces || !view->connected) return false;
    for (size_t i = 0; i < n; i++) sorted[i] = &view->items[i];
    if (n) qsort(sorted, n, sizeof *sorted, compare_items);
    for (int i = 0, end; i < view->n_items; i = end) {
        end = i + 1;
        while (end < view->n_items &&
               sorted[end]->variable.component == sorted[i]->variable.component)
            end++;
        if (!add_instance(view, sorted + i, end - i)) return false;
    }
    return takt_values_init(&view->values, view->n_values);
}

// ---- life --------------------------------------------------------------------------------------------

takt_status takt_view_create(takt_run *run, const char *const *names, int n, takt_view **out,
                             takt_error *err)
{
    if (!run || !out || n < 0 || (n && !names))
        return takt_fail(err, TAKT_ERR_USAGE,
                         "takt_view_create: run, names and out must not be NULL");
    takt_view *view = calloc(1, sizeof *view);
    if (!view) return takt_fail_memory(err);
    view->run = run;
    view->items = takt_arena_array(&view->arena, (size_t)n, sizeof *view->items);
    takt_status st = view->items ? TAKT_OK : takt_fail_memory(err);
    for (int i = 0; i < n && !st; i++) st = add_item(view, names[i], err);
    if (!st && !divide(view)) st = takt_fail_memory(err);
    view->next = run->views;
    if (run->views) run->views->previous = view;
    run->views = view;
    if (st)
        takt_view_destroy(view);
    else
        *out = view;
    return st;
}

static void leave(takt_view *view)
{
    const takt_run *run = view->run;
    for (int i = 0; i < view->n_connected; i++)
        takt_values_clear(&view->connected[i].kept,
                          run->plan->instances[view->connected[i].i_instance].inputs.n_values);
    view->n_connected = 0;
    view->run = NULL;
}

void takt_views_leave(takt_run *run)
{
    for (takt_view *view = run->views, *next; view; view = next) {
        next = view->next;
        leave(view);
    }
    run->views = NULL;
}

void takt_view_destroy(takt_view *view)
{
    if (!view) return;
    if (view->run) {
        if (view->previous) view->previous->next = view->next;
        if (view->next) view->next->previous = view->previous;
        if (view->run->views == view) view->run->views = view->next;
        leave(view);
    }
    for (int i = 0; i < view->n_pieces; i++)
        takt_values_clear(&view->pieces[i].values.values, view->pieces[i].values.access.n_values);
    takt_values_clear(&view->values, view->n_values);
    takt_arena_clear(&view->arena);
    free(view);
}

// ---- questions ---------------------------------------------------------------------------------------

int takt_view_count(const takt_view *view)
{
    return view ? view->n_items : 0;
}

// Can all values of an item be set now?
static bool can_set(const takt_view *view, const item *at, const char **why)
{
    bool can = true;
    for (int k = 0; k < at->n && can; k++)
        can = takt_steer_can_set(view->run, at->variable.component, at->variable.variable + k, why);
    return can;
}

static takt_status check_run(const takt_view *view, takt_error *err)
{
    if (!view) return takt_fail(err, TAKT_ERR_USAGE, "the view must not be NULL");
    if (view->run) return TAKT_OK;
    return takt_fail(err, TAKT_ERR_USAGE, "the run of this view has ended");
}

takt_status takt_view_get_item(const takt_view *view, int index, takt_view_item *out,
                               takt_error *err)
{
    takt_status st = check_run(view, err);
    if (st) return st;
    if (index < 0 || index >= view->n_items)
        return takt_fail(err, TAKT_ERR_USAGE, "the view has no item number %d", index);
    const item *at = &view->items[index];
    const takt_component *owner = &view->run->plan->system->components[at->variable.component];
    const takt_variable *v = &owner->model->variables[at->variable.variable];
    bool is_whole = v->array && at->n == v->array->n_elements && v->array->n_elements > 1;
    takt_view_item info = {.component = owner->name,
                           .variable = is_whole ? v->array->name : v->name,
                           .type = v->type,
                           .kind = at->kind,
                           .first = at->first,
                           .n = at->n,
                           .unit = v->unit,
                           .is_settable = can_set(view, at, NULL)};
    if (is_whole) {
        info.n_dimensions = v->array->n_dimensions;
        info.dimensions = v->array->dimensions;
    }
    return takt_sized_fill(out, &info, sizeof info, err);
}

int takt_view_size(const takt_view *view, takt_kind kind)
{
    bool is_kind = kind == TAKT_KIND_REAL || kind == TAKT_KIND_INTEGER || kind == TAKT_KIND_BYTES;
    return view && is_kind ? view->n_values[kind] : 0;
}

double *takt_view_reals(takt_view *view)
{
    return takt_view_size(view, TAKT_KIND_REAL) ? view->values.real : NULL;
}

int64_t *takt_view_integers(takt_view *view)
{
    return takt_view_size(view, TAKT_KIND_INTEGER) ? view->values.integer : NULL;
}

const void *takt_view_bytes(const takt_view *view, int index, size_t *size)
{
    bool is_there = index >= 0 && index < takt_view_size(view, TAKT_KIND_BYTES);
    const takt_bytes *bytes = is_there ? &view->values.bytes[index] : NULL;
    if (size) *size = bytes ? bytes->size : 0;
    return bytes && bytes->data ? bytes->data : "";
}

takt_status takt_view_put_bytes(takt_view *view, int index, const void *data, size_t size,
                                takt_error *err)
{
    if (index < 0 || index >= takt_view_size(view, TAKT_KIND_BYTES) || (size && !data))
        return takt_fail(err, TAKT_ERR_USAGE, "the view has no string or binary number %d", index);
    bool ok = takt_bytes_assign(&view->values.bytes[index], data ? data : "", size);
    return ok ? TAKT_OK : takt_fail_memory(err);
}

// ---- reading and setting -----------------------------------------------------------------------------

static bool take(const piece *from, takt_values *to)
{
    const int *n = from->values.access.n_values;
    const takt_values *values = &from->values.values;
    for (int i = 0; i < n[TAKT_KIND_REAL]; i++)
        to->real[from->places[TAKT_KIND_REAL][i]] = values->real[i];
    for (int i = 0; i < n[TAKT_KIND_INTEGER]; i++)
        to->integer[from->places[TAKT_KIND_INTEGER][i]] = values->integer[i];
    for (int i = 0; i < n[TAKT_KIND_BYTES]; i++)
        if (!takt_bytes_assign(&to->bytes[from->places[TAKT_KIND_BYTES][i]], values->bytes[i].data,
                               values->bytes[i].size))
            return false;
    return true;
}

static bool give(const takt_values *from, piece *to)
{
    const int *n = to->values.access.n_values;
    takt_values *values = &to->values.values;
    for (int i = 0; i < n[TAKT_KIND_REAL]; i++)
        values->real[i] = from->real[to->places[TAKT_KIND_REAL][i]];
    for (int i = 0; i < n[TAKT_KIND_INTEGER]; i++)
        values->integer[i] = from->integer[to->places[TAKT_KIND_INTEGER][i]];
    for (int i = 0; i < n[TAKT_KIND_BYTES]; i++) {
        const takt_bytes *bytes = &from->bytes[to->places[TAKT_KIND_BYTES][i]];
        if (!takt_bytes_assign(&values->bytes[i], bytes->data ? bytes->data : "", bytes->size))
            return false;
    }
    return true;
}

// Present values of connected inputs, from their sources; u stays as it is.
static takt_status gather(takt_view *view, connected *at, takt_error *err)
{
    takt_run *run = view->run;
    const takt_plan_instance *plan = &run->plan->instances[at->i_instance];
    takt_values inputs = takt_values_from(&run->state.u, plan->first_input);
    if (!takt_values_copy(&inputs, &at->kept, plan->inputs.n_values)) return takt_fail_memory(err);
    takt_status st = takt_run_gather(run, at->i_instance, err);
    if (!st) st = takt_hold_show(run, at->i_instance, &inputs, err);
    for (int i = 0; i < at->n_items && !st; i++) {
        const gathered *one = &at->items[i];
        if (one->kind == TAKT_KIND_REAL)
            view->values.real[one->to] = run->state.u.real[one->from];
        else if (one->kind == TAKT_KIND_INTEGER)
            view->values.integer[one->to] = run->state.u.integer[one->from];
        else if (!takt_bytes_assign(&view->values.bytes[one->to],
                                    run->state.u.bytes[one->from].data,
                                    run->state.u.bytes[one->from].size))
            st = takt_fail_memory(err);
    }
    bool is_back = takt_values_copy(&at->kept, &inputs, plan->inputs.n_values);
    return st || is_back ? st : takt_fail_memory(err);
}

// Functions that the run calls may read.
static takt_status check_thread(const takt_run *run, takt_error *err)
{
    bool is_used = atomic_load_explicit(&run->is_used, memory_order_relaxed);
    return is_used && run->thread != takt_thread_id() ? takt_run_fail_used(run, err) : TAKT_OK;
}

takt_status takt_view_read(takt_view *view, takt_error *err)
{
    takt_status st = check_run(view, err);
    if (!st) st = check_thread(view->run, err);
    if (!st) st = takt_run_check_ready(view->run, err);
    if (st) return st;
    takt_run *run = view->run;
    run->thread = takt_thread_id();
    for (int i = 0; i < view->n_pieces && !st; i++) {
        piece *at = &view->pieces[i];
        st = takt_run_get_values(run, at->values.i_instance, &at->values.access, &at->values.values,
                                 run->state.grid.time, err);
        if (!st && !take(at, &view->values)) st = takt_fail_memory(err);
    }
    for (int i = 0; i < view->n_connected && !st; i++) st = gather(view, &view->connected[i], err);
    if (st) run->has_failed = true;
    return st;
}

static takt_status check_finite(const takt_view *view, takt_error *err)
{
    for (int i = 0; i < view->n_values[TAKT_KIND_REAL]; i++)
        if (!isfinite(view->values.real[i]))
            return takt_fail(err, TAKT_ERR_USAGE,
                             "value number %d to be set is not a finite number", i);
    return TAKT_OK;
}

static takt_status check_settable(const takt_view *view, takt_error *err)
{
    const takt_run *run = view->run;
    if (run->has_failed || run->is_finished) return takt_run_check_ready(run, err);
    for (int i = 0; i < view->n_items; i++) {
        const item *at = &view->items[i];
        const char *why = NULL;
        if (can_set(view, at, &why)) continue;
        const takt_component *owner = &run->plan->system->components[at->variable.component];
        return takt_fail(err, TAKT_ERR_USAGE, "%s.%s cannot be set: it %s", owner->name,
                         owner->model->variables[at->variable.variable].name, why);
    }
    return check_finite(view, err);
}

// Sets the values of the view as an event.
static takt_status steer(takt_view *view, takt_error *err)
{
    takt_status st = TAKT_OK;
    takt_steer_values *all = calloc((size_t)view->n_pieces + 1, sizeof *all);
    if (!all) return takt_fail_memory(err);
    for (int i = 0; i < view->n_pieces && !st; i++) {
        if (!give(&view->values, &view->pieces[i])) st = takt_fail_memory(err);
        all[i] = view->pieces[i].values;
    }
    if (!st) st = takt_steer_set(view->run, all, view->n_pieces, err);
    free(all);
    return st;
}

static takt_status write_values(takt_view *view, takt_error *err)
{
    takt_status st = check_settable(view, err);
    if (st) return st;
    takt_run *run = view->run;
    run->thread = takt_thread_id();
    if (run->is_initialized) return steer(view, err);
    for (int i = 0; i < view->n_pieces && !st; i++) {
        if (!give(&view->values, &view->pieces[i])) st = takt_fail_memory(err);
        if (!st) st = takt_steer_keep_start(run, &view->pieces[i].values, err);
    }
    return st;
}

takt_status takt_view_write(takt_view *view, takt_error *err)
{
    takt_status st = check_run(view, err);
    if (st) return st;
    takt_run *run = view->run;
    if (!takt_run_enter(run)) return takt_run_fail_used(run, err);
    st = write_values(view, err);
    return takt_run_leave(run, st, err);
}

// ---- holding -----------------------------------------------------------------------------------------

static takt_status fail_hold(const takt_view *view, takt_reference at, const char *why,
                             takt_error *err)
{
    const takt_component *owner = &view->run->plan->system->components[at.component];
    return takt_fail(err, TAKT_ERR_USAGE, "%s.%s cannot be held: %s", owner->name,
                     owner->model->variables[at.variable].name, why);
}

// Where instances are integrated together, only what comes from others passes through the run.
static takt_status check_inputs(const takt_view *view, takt_error *err)
{
    takt_status st = takt_run_check_ready(view->run, err);
    for (int i = 0; !st && i < view->n_items; i++) {
        takt_reference at = view->items[i].variable;
        const takt_model *model = model_at(view->run, at.component);
        bool is_inside = view->run->plan->system->components[at.component].is_group &&
                         !takt_steer_is_connected(view->run, at.component, at.variable);
        if (model->variables[at.variable].causality != TAKT_INPUT)
            st = fail_hold(view, at, "it is no input", err);
        else if (is_inside)
            st = fail_hold(view, at, "it is integrated together with others; use --me separate",
                           err);
    }
    return st;
}

static void rearrange(takt_run *run)
{
    takt_pass_prepare_held(run);
    takt_blocks_arrange(run);
    takt_waves_arrange(run);
}

static takt_status hold(takt_view *view, takt_error *err)
{
    takt_status st = check_inputs(view, err);
    if (!st) st = check_finite(view, err);
    if (st) return st;
    takt_run *run = view->run;
    run->thread = takt_thread_id();
    st = takt_steer_begin(run, err);
    for (int i = 0; i < view->n_pieces && !st; i++) {
        piece *at = &view->pieces[i];
        if (!give(&view->values, at)) st = takt_fail_memory(err);
        if (!st)
            st = takt_hold_inputs(run, at->values.i_instance, &at->values.access,
                                  &at->values.values, err);
    }
    rearrange(view->run);
    return st ? st : steer(view, err);
}

takt_status takt_view_hold(takt_view *view, takt_error *err)
{
    takt_status st = check_run(view, err);
    if (st) return st;
    takt_run *run = view->run;
    if (!takt_run_enter(run)) return takt_run_fail_used(run, err);
    st = hold(view, err);
    return takt_run_leave(run, st, err);
}

static takt_status release(takt_view *view, takt_error *err)
{
    takt_status st = check_inputs(view, err);
    if (!st) st = takt_steer_begin(view->run, err);
    if (st) return st;
    for (int i = 0; i < view->n_pieces; i++)
        takt_hold_release(view->run, view->pieces[i].values.i_instance,
                          &view->pieces[i].values.access);
    rearrange(view->run);
    st = takt_view_read(view, err); // what the connections deliver
    return st ? st : steer(view, err);
}

takt_status takt_view_release(takt_view *view, takt_error *err)
{
    takt_status st = check_run(view, err);
    if (st) return st;
    takt_run *run = view->run;
    if (!takt_run_enter(run)) return takt_run_fail_used(run, err);
    st = release(view, err);
    return takt_run_leave(run, st, err);
}

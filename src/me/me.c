// SPDX-License-Identifier: MIT
// Integration of a model-exchange FMU (FMI 2.0.5, section 3; FMI 3.0.2, section 3). Between events the
// states follow x' = f(t, x), integrated by num/ode.h up to the end of the step, the next time event, or a
// change of sign of an event indicator, whichever comes first. At an event the FMU updates its discrete
// states until they rest; then the integrator starts again.
#include "me/me.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "me/jacobian.h"

enum {
    MAX_UPDATES = 1000, // of discrete states at one event
    MAX_EVENTS = 1000, // while time stands still: chattering
};

// Absolute tolerances are this fraction of the relative one, times the nominal value.
static const double ABSOLUTE_FACTOR = 0.01;

// Events nearer to each other than this fraction of the time, or of the step, are at the same time.
static const double SAME_TIME = 1e-9;

// ---- the problem that the integrator solves ----------------------------------------------------------

static takt_status derivatives(void *context, double t, const double *x, double *dx,
                               takt_ode_answer *answer, takt_error *err)
{
    return takt_me_derivatives(context, t, x, dx, answer, err);
}

static takt_status jacobian(void *context, double t, const double *x, const double *dx,
                            double *matrix, takt_ode_answer *answer, takt_error *err)
{
    takt_me *me = context;
    me->n_jacobians++;
    takt_status st = takt_me_go_to(me, t, x, answer, err);
    if (st || *answer != TAKT_ODE_FINE) return st;
    const takt_me_point point = {t, x, dx};
    return takt_me_jacobian_fill(me->jacobian, me, &point, matrix, answer, err);
}

static takt_status indicators(void *context, double t, const double *x, double *g,
                              takt_ode_answer *answer, takt_error *err)
{
    return takt_me_indicators(context, t, x, g, answer, err);
}

static takt_status step_done(void *context, double t, const double *x, bool *stops, takt_error *err)
{
    takt_me *me = context;
    takt_status st = takt_me_go_surely(me, t, x, err);
    if (!st)
        st = me->calls->completed_step(me->instance, me->is_final, &me->has_event, &me->terminates,
                                       err);
    *stops = me->has_event || me->terminates;
    return st;
}

// ---- creation ------------------------------------------------------------------------------------------

static bool list_inputs(takt_me *me)
{
    const takt_model *model = me->instance->model;
    int *variables = takt_arena_array(&me->arena, (size_t)model->n_variables, sizeof *variables);
    int n = 0;
    for (int i = 0; variables && i < model->n_variables; i++)
        if (model->variables[i].causality == TAKT_INPUT) variables[n++] = i;
    return variables && takt_access_create(&me->arena, model, variables, n, &me->inputs, NULL);
}

takt_status takt_me_init(takt_me *me, takt_instance *instance, const takt_me_interface *calls,
                         int n_states, int n_indicators, const takt_me_options *options,
                         takt_error *err)
{
    *me = (takt_me){.instance = instance,
                    .calls = calls,
                    .options = *options,
                    .n_states = n_states,
                    .n_indicators = n_indicators,
                    .next_event = INFINITY};
    size_t n = (size_t)n_states + 1;
    me->x = calloc(n, sizeof *me->x);
    me->nominal = calloc(n, sizeof *me->nominal);
    me->absolute = calloc(n, sizeof *me->absolute);
    if (!me->x || !me->nominal || !me->absolute || (options->saves_inputs && !list_inputs(me)))
        return takt_fail_memory(err);
    return TAKT_OK;
}

static bool init_past(const takt_me *me, takt_me_past *past)
{
    size_t n = (size_t)me->n_states, n_kept = (size_t)me->n_kept;
    past->x = calloc(n + n_kept + TAKT_ME_PAST, sizeof *past->x);
    if (!past->x) return false;
    past->kept = past->x + n;
    past->ends = past->kept + n_kept;
    return true;
}

void takt_me_clear(takt_me *me)
{
    takt_ode_destroy(me->ode);
    free(me->past.x);
    free(me->x);
    free(me->nominal);
    free(me->absolute);
    takt_motion_clear(&me->motion);
    takt_arena_clear(&me->arena);
    *me = (takt_me){0};
}

static takt_status create_ode(takt_me *me, double h, takt_error *err)
{
    const takt_me_options *options = &me->options;
    if (!(me->h_first > 0)) me->h_first = h; // else the state of an earlier run has it
    if (!me->past.x && !init_past(me, &me->past)) return takt_fail_memory(err);
    takt_ode_problem problem = {.n = me->n_states,
                                .n_roots = me->n_indicators,
                                .relative = options->relative,
                                .absolute = me->absolute,
                                .h_fixed =
                                    options->h_fixed > 0 ? options->h_fixed : me->h_first / 10,
                                .context = me,
                                .derivatives = derivatives,
                                .jacobian = me->jacobian ? jacobian : NULL,
                                .roots = indicators,
                                .step_done = step_done};
    return takt_ode_create(options->method, &problem, &me->ode, err);
}

// ---- events ----------------------------------------------------------------------------------------

static takt_status read_nominals(takt_me *me, takt_error *err)
{
    if (!me->n_states) return TAKT_OK;
    takt_status st = me->calls->get_nominals(me->instance, me->nominal, me->n_states, err);
    for (int i = 0; i < me->n_states && !st; i++) {
        double size = isfinite(me->nominal[i]) && me->nominal[i] != 0 ? fabs(me->nominal[i]) : 1;
        me->absolute[i] = ABSOLUTE_FACTOR * me->options.relative * size;
    }
    return st;
}

// A time event is demanded that is not later than now.
static bool is_overdue(const takt_me *me)
{
    return me->next_event <= me->t;
}

// Some FMUs always demand the next event at the time of the present one, or before it, until time has gone on (in FMI 1.0 those of
// ControlBuild and Simulink). What others do: one update at the end of each step.
static void put_off(takt_me *me)
{
    bool was_put_off = me->is_put_off;
    me->is_put_off = is_overdue(me);
    if (me->is_put_off && !was_put_off && !me->has_told_put_off) {
        me->has_told_put_off = true;
        takt_log_write(me->instance->log, TAKT_LEVEL_WARN,
                       "instance '%s' at t=%.15g s: demands its next event at t=%.15g s again and "
                       "again, which is not later; its events are looked for at the end of each "
                       "step instead",
                       me->instance->name, me->t, me->next_event);
    }
    if (me->is_put_off) me->next_event = INFINITY;
}

// In event mode: one update.
static takt_status update_once(takt_me *me, takt_me_update *update, takt_error *err)
{
    *update = (takt_me_update){.next_time = INFINITY};
    takt_status st = me->calls->update(me->instance, update, err);
    if (st) return st;
    me->states_changed |= update->states_changed;
    me->nominals_changed |= update->nominals_changed;
    me->terminates |= update->terminates;
    me->next_event = update->next_time;
    if (me->is_put_off) put_off(me);
    me->needs_restart = true;
    return TAKT_OK;
}

takt_status takt_me_leave_events(takt_me *me, takt_error *err)
{
    if (me->terminates || !me->is_in_events) return TAKT_OK;
    takt_status st = me->calls->enter_continuous(me->instance, err);
    if (!st) me->is_in_events = false;
    if (!st && me->states_changed && me->n_states)
        st = me->calls->get_states(me->instance, me->x, me->n_states, err);
    if (!st && me->nominals_changed) st = read_nominals(me, err);
    me->states_changed = me->nominals_changed = false;
    return st;
}

// In event mode: updates until nothing changes, then on to continuous time.
static takt_status settle(takt_me *me, takt_error *err)
{
    takt_me_update update = {.needs_update = true};
    for (int k = 0; update.needs_update && k < MAX_UPDATES && !update.terminates; k++) {
        takt_status st = update_once(me, &update, err);
        if (st) return st;
    }
    if (update.needs_update && !update.terminates)
        return takt_fail(err, TAKT_ERR_SIMULATION,
                         "the discrete states do not come to rest after %d updates at t=%.15g s",
                         MAX_UPDATES, me->t);
    return takt_me_leave_events(me, err);
}

takt_status takt_me_start(takt_me *me, double t, takt_error *err)
{
    me->t = t;
    me->is_in_events = true;
    if (!(me->options.relative > 0)) me->options.relative = TAKT_ME_TOLERANCE;
    takt_status st = settle(me, err);
    if (!st && me->n_states) st = me->calls->get_states(me->instance, me->x, me->n_states, err);
    if (!st) st = read_nominals(me, err);
    return st;
}

static takt_status enter_events(takt_me *me, takt_error *err)
{
    if (me->is_in_events) return TAKT_OK;
    takt_status st = me->calls->enter_events(me->instance, err);
    if (!st) me->is_in_events = true;
    return st;
}

takt_status takt_me_prepare_set(takt_me *me, const takt_access *access, takt_error *err)
{
    const takt_variable *variables = me->instance->model->variables;
    bool may_be_event = me->n_indicators > 0 && access->n_batches > 0;
    if (access->n_batches > 0) me->needs_restart = true; // inputs are held, and may have jumped
    for (int k = 0; k < access->n_batches && !may_be_event; k++)
        for (int i = 0; i < access->batches[k].n_values && !may_be_event; i++)
            may_be_event =
                variables[access->batches[k].variables[i]].variability != TAKT_CONTINUOUS;
    return may_be_event ? enter_events(me, err) : TAKT_OK;
}

takt_status takt_me_set_motion(takt_me *me, double t, const takt_access *inputs, int order,
                               const double *derivatives, takt_error *err)
{
    if (!takt_motion_begin(&me->motion, t, inputs, order, derivatives))
        return takt_fail_memory(err);
    me->t_moved = NAN;
    me->needs_restart = true; // the polynomials differ from those of the last step
    return TAKT_OK;
}

// The number, from 1, of the event indicator that is nearest to 0; 0: there is none.
static int nearest_indicator(takt_me *me)
{
    double *g = calloc((size_t)me->n_indicators + 1, sizeof *g);
    takt_ode_answer answer = TAKT_ODE_FINE;
    int nearest = 0;
    if (g && me->n_indicators && !takt_me_indicators(me, me->t, me->x, g, &answer, NULL) &&
        answer == TAKT_ODE_FINE)
        for (int i = 0; i < me->n_indicators; i++)
            if (!nearest || fabs(g[i]) < fabs(g[nearest - 1])) nearest = i + 1;
    free(g);
    return nearest;
}

static takt_status fail_events(takt_me *me, takt_error *err)
{
    int indicator = nearest_indicator(me);
    if (!indicator)
        return takt_fail(err, TAKT_ERR_SIMULATION,
                         "more than %d events at t=%.15g s: the model chatters between discrete "
                         "states",
                         MAX_EVENTS, me->t);
    return takt_fail(
        err, TAKT_ERR_SIMULATION,
        "more than %d events at t=%.15g s: the model chatters between discrete states; "
        "event indicator %d of %d is nearest to 0",
        MAX_EVENTS, me->t, indicator, me->n_indicators);
}

// An event at the present point. Many of them while time stands still are chattering.
static takt_status handle_event(takt_me *me, double h, takt_error *err)
{
    bool is_later = me->t - me->t_events > SAME_TIME * fmax(fabs(me->t), h);
    if (me->n_events == 0 || is_later) {
        me->n_events = 0;
        me->t_events = me->t;
    }
    if (++me->n_events > MAX_EVENTS) {
        if (!is_overdue(me)) return fail_events(me, err);
        put_off(me);
        return TAKT_OK;
    }
    takt_status st = enter_events(me, err);
    return st ? st : settle(me, err);
}

takt_status takt_me_enter_events(takt_me *me, takt_error *err)
{
    return enter_events(me, err);
}

takt_status takt_me_update_events(takt_me *me, takt_event *out, takt_error *err)
{
    takt_me_update update = {0};
    takt_status st = TAKT_OK;
    bool is_due =
        me->is_in_events; // else takt_me_start() has just done it, and nothing has been set
    if (!is_due && is_overdue(me)) { // the first event is due at the start
        is_due = true;
        st = enter_events(me, err);
    }
    for (int k = 0; !st && is_due; k++) {
        st = update_once(me, &update, err);
        if (!st && k == MAX_EVENTS && is_overdue(me)) put_off(me);
        is_due = !update.needs_update && !update.terminates && is_overdue(me);
    }
    if (st) return st;
    me->reports_events = true;
    me->announced = me->next_event;
    *out = (takt_event){update.needs_update, update.terminates, me->next_event};
    return TAKT_OK;
}

// ---- stepping --------------------------------------------------------------------------------------

// `is_again`: with what was kept then.
static takt_status begin(takt_me *me, bool is_again, takt_error *err)
{
    me->past.t = me->t;
    me->past.n_ends = 0;
    memcpy(me->past.x, me->x, (size_t)me->n_states * sizeof *me->x);
    takt_status st = takt_me_go_surely(me, me->t, me->x, err);
    if (!st && me->calls->begin) st = me->calls->begin(me->instance, me->past.kept, is_again, err);
    if (!st) st = takt_ode_restart(me->ode, me->t, me->x, err);
    me->needs_restart = st != TAKT_OK;
    return st;
}

static takt_status integrate(takt_me *me, double target, takt_ode_end *end, takt_error *err)
{
    me->past.ends[me->past.n_ends++] = target;
    return takt_ode_integrate(me->ode, target, &me->t, me->x, end, err);
}

// Up to t_end, the next time event, or any other event, which is then handled.
static takt_status advance(takt_me *me, double t_end, double h, takt_error *err)
{
    double target = fmin(t_end, me->next_event);
    takt_ode_end end = TAKT_ODE_REACHED;
    bool is_full = me->past.n_ends == TAKT_ME_PAST;
    takt_status st = me->needs_restart || is_full ? begin(me, false, err) : TAKT_OK;
    if (!st && target > me->t) st = integrate(me, target, &end, err);
    if (st || me->terminates) return st;
    bool is_due = me->t >= me->next_event && !(me->reports_events && me->t >= t_end);
    bool is_late = me->is_put_off && !me->reports_events && me->t >= t_end;
    bool is_event = end == TAKT_ODE_ROOT || me->has_event || is_due || is_late;
    me->has_event = false;
    return is_event ? handle_event(me, h, err) : TAKT_OK;
}

// A derivative that is not a number explains more than the message of the integrator.
static takt_status explain(const takt_me *me, takt_status st, takt_error *err)
{
    if (st != TAKT_ERR_SIMULATION) return st;
    if (me->is_discarded)
        return takt_within(err, st, "the FMU finds its states impossible (discard) at t=%.15g s",
                           me->t_bad);
    if (!me->i_bad) return st;
    return takt_within(err, st, "the derivative of continuous state %d of %d is %g at t=%.15g s",
                       me->i_bad, me->n_states, me->bad_value, me->t_bad);
}

// The end of a step. A step to an announced event ends exactly there, whatever roundings say.
static double end_of_step(const takt_me *me, double t, double h)
{
    double end = t + h;
    bool is_same = fabs(me->next_event - end) <= SAME_TIME * h + 4 * DBL_EPSILON * fabs(end);
    return me->reports_events && is_same ? me->next_event : end;
}

takt_status takt_me_step(takt_me *me, double t, double h, bool is_final, takt_step_result *result,
                         takt_error *err)
{
    double t_end = end_of_step(me, t, h);
    me->is_final = is_final;
    me->has_event = false;
    me->i_bad = 0;
    me->is_discarded = false;
    if (fabs(t - me->t) > SAME_TIME * fmax(fabs(t), h)) { // else only rounding differs
        me->t = t;
        me->needs_restart = true;
    }
    takt_status st = me->ode ? TAKT_OK : create_ode(me, h, err);
    if (!st && me->is_in_events && !me->terminates) st = settle(me, err);
    while (!st && me->t < t_end && !me->terminates) st = advance(me, t_end, h, err);
    if (!st && !me->is_in_events) st = takt_me_go_surely(me, me->t, me->x, err);
    me->needs_restart |= me->motion.inputs != NULL; // with other polynomials, or with none
    takt_motion_end(&me->motion);
    *result = (takt_step_result){.end = me->terminates ? TAKT_STEP_TERMINATED : TAKT_STEP_DONE,
                                 .time = me->t};
    // Also if the next time event is no longer the one that was announced.
    result->has_event = me->reports_events && !me->terminates &&
                        (is_overdue(me) || me->is_put_off || me->next_event != me->announced);
    return explain(me, st, err);
}

// ---- saving and restoring -----------------------------------------------------------------------------------

bool takt_me_states_suffice(const takt_model *model, int n_indicators)
{
    bool suffice = n_indicators == 0;
    for (int i = 0; i < model->n_variables && suffice; i++)
        suffice = model->variables[i].variability != TAKT_DISCRETE;
    return suffice;
}

void takt_me_free_state(takt_me *me, takt_me_state **state)
{
    if (!*state) return;
    takt_values_clear(&(*state)->inputs, me->inputs.n_values);
    free((*state)->past.x);
    free(*state);
    *state = NULL;
}

takt_status takt_me_save(takt_me *me, takt_me_state **state, takt_error *err)
{
    size_t size = (size_t)me->n_states * sizeof *me->x;
    if (!*state) {
        *state = calloc(1, sizeof **state + size);
        if (!*state || !takt_values_init(&(*state)->inputs, me->inputs.n_values)) {
            free(*state);
            *state = NULL;
            return takt_fail_memory(err);
        }
    }
    takt_me_state *to = *state;
    to->needed_restart = me->needs_restart || !me->ode;
    to->number = ++me->n_saved;
    me->needs_restart = true; // as after restoring, so that a repeated step is the same
    to->t = me->t;
    to->next_event = me->next_event;
    to->announced = me->announced;
    to->is_put_off = me->is_put_off;
    to->h_first = me->h_first;
    to->is_in_events = me->is_in_events;
    to->terminates = me->terminates;
    memcpy(to->x, me->x, size);
    if (!me->inputs.n_batches) return TAKT_OK;
    return me->instance->type->get(me->instance, &me->inputs, &to->inputs, err);
}

// An FMU without a saved state must be in continuous-time mode to take its states.
static takt_status restore_fmu(takt_me *me, const takt_me_state *from, takt_error *err)
{
    takt_status st = me->is_in_events ? settle(me, err) : TAKT_OK;
    if (!st && me->inputs.n_batches)
        st = me->instance->type->set(me->instance, &me->inputs, &from->inputs, err);
    return st ? st : takt_me_go_surely(me, from->t, from->x, err);
}

takt_status takt_me_restore(takt_me *me, const takt_me_state *from, takt_error *err)
{
    me->terminates = from->terminates;
    takt_motion_end(&me->motion);
    takt_status st = from->fmu ? TAKT_OK : restore_fmu(me, from, err);
    if (from->fmu) me->is_in_events = from->is_in_events;
    me->t = from->t;
    me->next_event = from->next_event;
    me->announced = from->announced;
    me->is_put_off = from->is_put_off;
    if (!me->ode) me->h_first = from->h_first;
    me->n_events = 0;
    me->needs_restart = true;
    memcpy(me->x, from->x, (size_t)me->n_states * sizeof *me->x);
    return st;
}

// ---- the past of the integrator --------------------------------------------------------------------

// The same steps as those of the past. `*is_same`: they have led to the same point.
static takt_status integrate_again(takt_me *me, const takt_me_state *to, bool *is_same,
                                   takt_error *err)
{
    const takt_me_past *past = &to->past;
    size_t size = (size_t)me->n_states * sizeof *me->x;
    takt_ode_end end = TAKT_ODE_REACHED;
    me->t = past->t;
    memcpy(me->x, past->x, size);
    takt_status st = me->ode ? TAKT_OK : create_ode(me, me->h_first, err);
    if (!st) {
        memcpy(me->past.kept, past->kept, (size_t)me->n_kept * sizeof *past->kept);
        st = begin(me, true, err);
    }
    for (int i = 0; i < past->n_ends && !st && end == TAKT_ODE_REACHED; i++)
        st = integrate(me, past->ends[i], &end, err);
    *is_same = end == TAKT_ODE_REACHED && me->t == to->t && memcmp(me->x, to->x, size) == 0;
    return st;
}

takt_status takt_me_relive(takt_me *me, takt_me_state *state,
                           takt_status (*restore)(takt_instance *, void *, takt_error *),
                           takt_error *err)
{
    bool is_same = false;
    if (!state->past.x) return TAKT_OK;
    takt_error why = {0};
    takt_status st = integrate_again(me, state, &is_same, &why);
    if (!is_same || st)
        takt_log_write(me->instance->log, TAKT_LEVEL_WARN,
                       "instance '%s': its integrator begins anew at t=%.15g s, since the past "
                       "cannot be repeated%s%s",
                       me->instance->name, state->t, st ? ": " : "", st ? why.message : "");
    free(state->past.x);
    state->past.x = NULL;
    st = restore(me->instance, state, err);
    me->needs_restart = !is_same;
    return st;
}

// ---- states as bytes -------------------------------------------------------------------------------

static void pack_past(const takt_me *me, takt_packer *packer)
{
    const takt_me_past *past = &me->past;
    takt_pack_real(packer, past->t);
    takt_pack(packer, past->x, (size_t)(me->n_states + me->n_kept) * sizeof *past->x);
    takt_pack_integer(packer, past->n_ends);
    takt_pack(packer, past->ends, (size_t)past->n_ends * sizeof *past->ends);
}

static void unpack_past(const takt_me *me, takt_me_state *state, takt_unpacker *unpacker)
{
    takt_me_past *past = &state->past;
    if (!takt_unpack_integer(unpacker, 0, 1)) return;
    if (!past->x && !init_past(me, past)) {
        unpacker->failed = unpacker->out_of_memory = true;
        return;
    }
    past->t = takt_unpack_real(unpacker);
    takt_unpack(unpacker, past->x, (size_t)(me->n_states + me->n_kept) * sizeof *past->x);
    past->n_ends = (int)takt_unpack_integer(unpacker, 0, TAKT_ME_PAST);
    takt_unpack(unpacker, past->ends, (size_t)past->n_ends * sizeof *past->ends);
    double t = past->t;
    for (int i = 0; i < past->n_ends; t = past->ends[i++])
        if (!(past->ends[i] > t)) unpacker->failed = true;
    if (!(t == state->t) || !(state->h_first > 0)) unpacker->failed = true;
}

void takt_me_pack(takt_me *me, const takt_me_state *state, takt_packer *packer)
{
    bool is_last = state->number == me->n_saved && state->t == me->t;
    bool has_past = is_last && !state->needed_restart;
    takt_pack_real(packer, state->t);
    takt_pack_real(packer, state->next_event);
    takt_pack_real(packer, state->announced);
    takt_pack_real(packer, state->h_first);
    takt_pack_integer(packer, state->is_put_off);
    takt_pack_integer(packer, state->is_in_events);
    takt_pack_integer(packer, state->terminates);
    takt_pack_integer(packer, me->n_states);
    takt_pack(packer, state->x, (size_t)me->n_states * sizeof *state->x);
    takt_pack_values(packer, &state->inputs, me->inputs.n_values);
    takt_pack_integer(packer, has_past);
    if (has_past) pack_past(me, packer);
    if (is_last) me->needs_restart = state->needed_restart;
}

void takt_me_unpack(const takt_me *me, takt_me_state *state, takt_unpacker *unpacker)
{
    state->t = takt_unpack_real(unpacker);
    state->next_event = takt_unpack_real(unpacker);
    state->announced = takt_unpack_real(unpacker);
    state->h_first = takt_unpack_real(unpacker);
    state->is_put_off = takt_unpack_integer(unpacker, 0, 1);
    state->is_in_events = takt_unpack_integer(unpacker, 0, 1);
    state->terminates = takt_unpack_integer(unpacker, 0, 1);
    takt_unpack_integer(unpacker, me->n_states, me->n_states);
    takt_unpack(unpacker, state->x, (size_t)me->n_states * sizeof *state->x);
    takt_unpack_values(unpacker, &state->inputs, me->inputs.n_values);
    unpack_past(me, state, unpacker);
}

// SPDX-License-Identifier: MIT
// An instance from beginning to end: creation, initialization, steps, end; see core.h. Invariant: outside of
// the author's functions every string field points at a copy owned by the kit. A refused call leaves
// the phase as it was; only a failure of the model itself leads to the phases "error" and "fatal".
#include "core.h"

#include <float.h>
#include <math.h>
#include <string.h>

const char *fmukit_phase_name(const fmukit_instance *fmu)
{
    static const struct {
        fmukit_phase phase;
        const char *name;
    } names[] = {
        {FMUKIT_INSTANTIATED, "instantiated"},
        {FMUKIT_INITIALIZATION, "initialization mode"},
        {FMUKIT_CONFIGURATION, "configuration mode"},
        {FMUKIT_RECONFIGURATION, "reconfiguration mode"},
        {FMUKIT_EVENT_MODE, "event mode"},
        {FMUKIT_INTERMEDIATE, "intermediate update mode"},
        {FMUKIT_CONTINUOUS_TIME, "continuous-time mode"},
        {FMUKIT_STEP_IN_PROGRESS, "step in progress"},
        {FMUKIT_STEP_FAILED, "step failed"},
        {FMUKIT_STEP_CANCELED, "step canceled"},
        {FMUKIT_TERMINATED, "terminated"},
        {FMUKIT_IN_ERROR, "error"},
        {FMUKIT_IN_FATAL, "fatal"},
    };
    if (fmu->phase == FMUKIT_STEP_COMPLETE) return fmu->interface->step_complete;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i].phase == fmu->phase) return names[i].name;
    }
    return "unknown";
}

// ---- services of the author's functions ------------------------------------------------------------

void fmukit_stopped_at(fmukit_instance *fmu, double t)
{
    fmu->last_time = t;
}

double fmukit_time(const fmukit_instance *fmu)
{
    return fmu->time;
}

bool fmukit_is_final(const fmukit_instance *fmu)
{
    return fmu->is_final;
}

double fmukit_tolerance(const fmukit_instance *fmu)
{
    return fmu->tolerance;
}

const char *fmukit_name(const fmukit_instance *fmu)
{
    return fmu->name;
}

const char *fmukit_resources(const fmukit_instance *fmu)
{
    return fmu->resources;
}

void *fmukit_alloc(fmukit_instance *fmu, size_t n_items, size_t item_size)
{
    if (item_size && n_items > (size_t)-1 / item_size) return NULL;
    return fmu->host.allocate(n_items, item_size);
}

void fmukit_free(fmukit_instance *fmu, void *memory)
{
    if (memory) fmu->host.release(memory);
}

// ---- calls of the author's functions -------------------------------------------------------------------

fmukit_status fmukit_judge_closely(fmukit_instance *fmu, fmukit_status status, const char *function)
{
    if (!fmukit_adopt(fmu)) {
        fmu->phase = FMUKIT_IN_ERROR;
        return fmukit_fail(fmu, FMUKIT_ERROR, "out of memory for strings and binaries");
    }
    switch (status) {
    case FMUKIT_OK:
    case FMUKIT_WARNING: return status;
    case FMUKIT_FATAL:
        fmu->phase = FMUKIT_IN_FATAL;
        return fmukit_fail(fmu, status, "the model's %s reports a fatal error at time %.15g",
                           function, fmu->time);
    case FMUKIT_ERROR:
    case FMUKIT_DISCARD:
    case FMUKIT_PENDING:
    case FMUKIT_TERMINATE:
    case FMUKIT_EVENT: break;
    }
    fmu->phase = FMUKIT_IN_ERROR;
    return fmukit_fail(fmu, FMUKIT_ERROR, "the model's %s reports an error at time %.15g", function,
                       fmu->time);
}

// An integrator may try states for which nothing can be computed, and then others.
static fmukit_status judge_evaluate(fmukit_instance *fmu, fmukit_status status)
{
    bool may_be_tried = fmu->is_integrating || fmu->phase == FMUKIT_CONTINUOUS_TIME;
    if (status != FMUKIT_DISCARD || !may_be_tried) return fmukit_judge(fmu, status, "evaluate");
    fmukit_status st = fmukit_judge(fmu, FMUKIT_OK, "evaluate");
    return fmukit_is_failure(st) ? st : FMUKIT_DISCARD;
}

fmukit_status fmukit_refresh(fmukit_instance *fmu)
{
    const unsigned computable = FMUKIT_INITIALIZATION | FMUKIT_STEP_COMPLETE | FMUKIT_STEP_FAILED |
                                FMUKIT_EVENT_MODE | FMUKIT_CONTINUOUS_TIME | FMUKIT_TERMINATED;
    if (!fmu->is_stale || !(fmu->phase & computable)) return FMUKIT_OK;
    if (fmu->has_clocks) fmukit_clear_clocks(fmu, false);
    const fmukit_functions *f = &fmu->model->functions;
    fmukit_status status = FMUKIT_OK;
    if (fmu->phase == FMUKIT_INITIALIZATION && f->initialize)
        status = fmukit_judge(fmu, f->initialize(fmu, fmu->data, fmu->time), "initialize");
    if (!fmukit_is_failure(status) && f->evaluate)
        status = fmukit_worse(status, judge_evaluate(fmu, f->evaluate(fmu, fmu->data, fmu->time)));
    if (fmu->has_clocks && fmu->phase != FMUKIT_EVENT_MODE)
        fmukit_clear_clocks(fmu, true); // they tick in events only
    if (!fmukit_is_failure(status)) fmu->is_stale = false;
    return status;
}

// ---- creation and end ----------------------------------------------------------------------------------------------

#if defined __GNUC__
static int n_instances; // only for models that exist once per process

static bool may_exist(const fmukit_model *model)
{
    if (!model->once_per_process) return true;
    int none = 0;
    return __atomic_compare_exchange_n(&n_instances, &none, 1, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
}

static void exists_no_more(const fmukit_model *model)
{
    if (model->once_per_process) __atomic_store_n(&n_instances, 0, __ATOMIC_SEQ_CST);
}
#else
#error "the FMU kit needs atomic operations of gcc or clang"
#endif

static fmukit_status start_anew(fmukit_instance *fmu)
{
    const fmukit_functions *f = &fmu->model->functions;
    memset(fmu->data, 0, fmu->model->size);
    fmukit_set_start_values(fmu);
    fmukit_hold_inputs(fmu);
    fmu->phase = FMUKIT_INSTANTIATED;
    fmu->is_set_up = fmu->has_stop = fmu->wants_end = fmu->has_next_event = false;
    fmu->is_jumping = false;
    fmu->is_stale = true;
    fmu->start = fmu->stop = fmu->tolerance = 0;
    fmu->time = fmu->t_end = fmu->goal = fmu->last_time = fmu->first_step = fmu->next_event = 0;
    fmu->inner_step = 0;
    fmu->step_status = FMUKIT_OK;
    // Strings need copies before the author sees them.
    fmukit_status status = fmukit_judge(fmu, FMUKIT_OK, "");
    if (!fmukit_is_failure(status) && f->create)
        status = fmukit_judge(fmu, f->create(fmu, fmu->data), "create");
    return status;
}

static void end_model(fmukit_instance *fmu)
{
    if (fmu->solver) fmu->model->integrator->end(fmu);
    if (fmu->data && fmu->model->functions.destroy) fmu->model->functions.destroy(fmu, fmu->data);
}

bool fmukit_instance_init(fmukit_instance *fmu, const fmukit_model *model, const char *name,
                          const char *resources)
{
    fmu->model = model;
    fmu->has_clocks = fmukit_has_clocks(model);
    if (!may_exist(model)) {
        fmukit_fail(fmu, FMUKIT_ERROR,
                    "there is an instance in this process already, and the model '%s' can have "
                    "only one",
                    model->name);
        return false;
    }
    fmu->name = fmukit_copy_text(fmu, name);
    fmu->resources = fmukit_copy_text(fmu, resources ? resources : "");
    fmu->data = fmukit_alloc(fmu, 1, model->size);
    bool ok = fmu->name && fmu->resources && fmu->data && fmukit_prepare_copies(fmu) &&
              fmukit_prepare_shapes(fmu) && fmukit_prepare_places(fmu) &&
              fmukit_prepare_moving(fmu) && fmukit_prepare_states(fmu) &&
              fmukit_prepare_blocks(fmu);
    if (!ok) {
        fmukit_fail(fmu, FMUKIT_ERROR, "out of memory");
        fmukit_free(fmu, fmu->data);
        fmu->data = NULL; // `create` has not been called, so `destroy` must not be
    }
    ok = ok && !fmukit_is_failure(start_anew(fmu));
    if (!ok) fmukit_instance_clear(fmu);
    return ok;
}

void fmukit_instance_clear(fmukit_instance *fmu)
{
    end_model(fmu);
    fmukit_free_all_snapshots(fmu);
    fmukit_free_copies(fmu);
    fmukit_free(fmu, fmu->moving);
    fmukit_free(fmu, fmu->blocks);
    fmukit_free(fmu, fmu->others);
    fmukit_free(fmu, fmu->places);
    fmukit_free(fmu, fmu->shapes);
    fmukit_free(fmu, fmu->states);
    fmukit_free(fmu, fmu->work);
    fmukit_free(fmu, fmu->signs);
    fmukit_free(fmu, fmu->data);
    fmukit_free(fmu, fmu->resources);
    fmukit_free(fmu, fmu->name);
    exists_no_more(fmu->model);
}

fmukit_status fmukit_reset(fmukit_instance *fmu)
{
    end_model(fmu);
    return start_anew(fmu);
}

// ---- experiment ------------------------------------------------------------------------------------------

fmukit_status fmukit_set_up(fmukit_instance *fmu, double tolerance, double start, bool has_stop,
                            double stop)
{
    if (!isfinite(start) || (has_stop && !(stop >= start && isfinite(stop))))
        return fmukit_fail(fmu, FMUKIT_ERROR, "stop time %.15g is not behind start time %.15g",
                           stop, start);
    fmu->tolerance = tolerance > 0 && isfinite(tolerance) ? tolerance : 0;
    fmu->start = fmu->time = fmu->last_time = start;
    fmu->has_stop = has_stop;
    fmu->stop = has_stop ? stop : 0;
    fmu->is_set_up = fmu->is_stale = true;
    return FMUKIT_OK;
}

fmukit_status fmukit_enter_initialization(fmukit_instance *fmu)
{
    if (!fmu->is_set_up) {
        fmukit_tolerate(fmu, "no start time has been given; it is taken to be %.15g", fmu->time);
        fmukit_status status = fmukit_set_up(fmu, 0, fmu->time, false, 0);
        if (fmukit_is_failure(status)) return status;
    }
    fmu->phase = FMUKIT_INITIALIZATION;
    fmu->is_stale = true;
    return FMUKIT_OK;
}

fmukit_status fmukit_exit_initialization(fmukit_instance *fmu)
{
    if (!(fmu->phase & (FMUKIT_INSTANTIATED | FMUKIT_INITIALIZATION))) return FMUKIT_OK;
    fmukit_status status = FMUKIT_OK;
    if (fmu->phase == FMUKIT_INSTANTIATED) status = fmukit_enter_initialization(fmu);
    if (!fmukit_is_failure(status)) status = fmukit_worse(status, fmukit_refresh(fmu));
    if (fmukit_is_failure(status)) return status;
    fmu->phase = fmu->uses_events ? FMUKIT_EVENT_MODE : FMUKIT_STEP_COMPLETE;
    if (fmu->uses_events || !fmu->model->functions.event) return status;
    status = fmukit_worse(status, fmukit_handle_event(fmu));
    return fmukit_is_failure(status) ? status : fmukit_worse(status, fmukit_refresh(fmu));
}

fmukit_status fmukit_exit_configuration(fmukit_instance *fmu)
{
    fmukit_take_shapes(fmu, true);
    bool is_first = fmu->phase == FMUKIT_CONFIGURATION;
    fmu->phase = is_first ? FMUKIT_INSTANTIATED : FMUKIT_STEP_COMPLETE;
    fmu->is_stale = true;
    return fmukit_judge(fmu, FMUKIT_OK, "");
}

fmukit_status fmukit_terminate(fmukit_instance *fmu)
{
    // What has not begun or has ended already is no business of the model.
    if (fmu->phase & (FMUKIT_TERMINATED | FMUKIT_IN_ERROR)) return FMUKIT_OK;
    bool has_begun = !(fmu->phase & (FMUKIT_INSTANTIATED | FMUKIT_INITIALIZATION));
    const fmukit_functions *f = &fmu->model->functions;
    fmukit_status status = has_begun ? fmukit_refresh(fmu) : FMUKIT_OK;
    if (has_begun && !fmukit_is_failure(status) && f->terminate)
        status = fmukit_worse(status, fmukit_judge(fmu, f->terminate(fmu, fmu->data), "terminate"));
    if (!fmukit_is_failure(status)) fmu->phase = FMUKIT_TERMINATED;
    return status;
}

// ---- steps -----------------------------------------------------------------------------------------------

enum { MAX_EVENTS = 1000 }; // at one time, handled inside of one step

// Events nearer to each other than this fraction of the time, or of the step, are at one time.
static const double SAME_TIME = 1e-9;

// Times of importing programs carry rounding errors, which are accepted. Written so that NaN is refused.
bool fmukit_is_at(const fmukit_instance *fmu, double t, double h)
{
    return fabs(t - fmu->time) <= 1e-6 * h + 1e-14 * fabs(t);
}

// Larger errors, of programs that add up steps in numbers of few digits, are reported.
static bool is_time_right(fmukit_instance *fmu, double t, double h)
{
    if (t + h <= fmu->time) return false; // a step lost to rounding would not advance
    if (fmukit_is_at(fmu, t, h)) return true;
    if (!(fabs(t - fmu->time) <= 1e-3 * h)) return false;
    fmukit_tolerate(fmu, "the communication point is %.17g, but the FMU is at time %.17g", t,
                    fmu->time);
    return true;
}

static bool is_step_valid(fmukit_instance *fmu, double t, double h)
{
    if (!isfinite(h) || h <= 0) {
        fmukit_fail(fmu, FMUKIT_ERROR,
                    "the communication step size must be positive, but it is %.15g at time %.15g",
                    h, t);
        return false;
    }
    if (!is_time_right(fmu, t, h)) {
        fmukit_fail(fmu, FMUKIT_ERROR,
                    "the communication point is %.17g, but the FMU is at time %.17g", t, fmu->time);
        return false;
    }
    if (fmu->has_stop && t + h > fmu->stop && t + h > fmu->stop + 1e-9 * fmax(fabs(fmu->stop), h)) {
        fmukit_fail(fmu, FMUKIT_ERROR, "the step to %.17g would go beyond the stop time %.17g",
                    t + h, fmu->stop);
        return false;
    }
    if (fmu->model->fixed_step && fmu->first_step > 0 &&
        fabs(h - fmu->first_step) > 1e-6 * fmu->first_step) {
        fmukit_fail(fmu, FMUKIT_ERROR,
                    "the model cannot change its communication step size: the first one was "
                    "%.15g, now it is %.15g",
                    fmu->first_step, h);
        return false;
    }
    return true;
}

// After `step` or `poll` has returned: what has been reached? A step that was finished at an
// announced event has met that event.
static fmukit_status note_progress(fmukit_instance *fmu, fmukit_status status)
{
    if (!fmukit_is_failure(status)) {
        fmu->time = fmu->last_time = fmu->goal;
        fmukit_inputs_at(fmu, fmu->time);
        return fmu->has_next_event && fmu->next_event <= fmu->goal ? FMUKIT_EVENT : status;
    }
    if (status != FMUKIT_EVENT) return status;
    if (!(fmu->last_time >= fmu->time && fmu->last_time <= fmu->goal)) {
        fmukit_fail(fmu, FMUKIT_ERROR,
                    "the model stopped at %.17g, which is outside of the step from %.17g to %.17g",
                    fmu->last_time, fmu->time, fmu->goal);
        return FMUKIT_ERROR;
    }
    fmu->time = fmu->last_time;
    fmukit_inputs_at(fmu, fmu->time);
    return FMUKIT_EVENT;
}

// The author's step, or what stands for it. The kit's integrator knows whether outputs are up to date.
static fmukit_status compute(fmukit_instance *fmu)
{
    const fmukit_functions *f = &fmu->model->functions;
    if (f->step || !fmu->work) fmu->is_stale = true;
    if (f->step) return f->step(fmu, fmu->data, fmu->time, fmu->goal);
    if (!fmu->work) return FMUKIT_OK; // no states, no indicators
    if (fmu->model->integrator) return fmu->model->integrator->advance(fmu, fmu->time, fmu->goal);
    return fmukit_integrate(fmu, fmu->time, fmu->goal);
}

// Computes the communication step up to its end or the next event that is known.
static fmukit_status advance(fmukit_instance *fmu)
{
    fmu->goal = fmu->t_end;
    if (fmu->has_next_event && fmu->next_event < fmu->goal) fmu->goal = fmu->next_event;
    fmu->last_time = fmu->time;
    if (fmu->wants_end) return FMUKIT_TERMINATE; // an event before this step said so
    if (fmu->goal <= fmu->time && fmu->has_next_event) return FMUKIT_EVENT;
    bool is_event = false;
    fmukit_status status = fmukit_inputs_cause_event(fmu, &is_event);
    if (fmukit_is_failure(status)) return status;
    return is_event ? FMUKIT_EVENT : note_progress(fmu, compute(fmu));
}

static fmukit_status end_step(fmukit_instance *fmu, fmukit_status status)
{
    fmu->wants_end = status == FMUKIT_TERMINATE;
    switch (status) {
    case FMUKIT_OK:
    case FMUKIT_WARNING:
    case FMUKIT_EVENT: {
        fmu->phase = FMUKIT_STEP_COMPLETE;
        bool is_event = status == FMUKIT_EVENT;
        status = fmukit_judge(fmu, is_event ? FMUKIT_OK : status, "step");
        if (!fmukit_is_failure(status)) status = fmukit_worse(status, fmukit_refresh(fmu));
        if (is_event && !fmukit_is_failure(status)) status = FMUKIT_EVENT;
        break;
    }
    case FMUKIT_DISCARD:
    case FMUKIT_TERMINATE:
        fmu->time = fmu->last_time;
        fmukit_inputs_at(fmu, fmu->time);
        fmu->phase = FMUKIT_STEP_FAILED;
        status =
            fmukit_is_failure(fmukit_judge(fmu, FMUKIT_OK, "step")) ? FMUKIT_ERROR : FMUKIT_DISCARD;
        break;
    case FMUKIT_PENDING: fmu->phase = FMUKIT_STEP_IN_PROGRESS; break;
    case FMUKIT_ERROR:
    case FMUKIT_FATAL: // of an event it has been reported already
        if (!(fmu->phase & (FMUKIT_IN_ERROR | FMUKIT_IN_FATAL)))
            status = fmukit_judge(fmu, status, "step");
        break;
    }
    if (fmu->input_order && status != FMUKIT_PENDING) fmukit_hold_inputs(fmu);
    fmu->step_status = status;
    return status;
}

// Does the importing program handle an event here, or must the kit?
static bool can_tell_event(const fmukit_instance *fmu)
{
    return fmu->uses_events && (fmu->may_return_early || fmu->time >= fmu->t_end);
}

// An event that the importing program does not handle. Clocks tick in it as in any other.
static fmukit_status handle_event_inside(fmukit_instance *fmu)
{
    fmu->is_stale = true;
    fmu->phase =
        fmu->has_clocks ? FMUKIT_EVENT_MODE : FMUKIT_STEP_COMPLETE; // a pending step is over
    fmukit_status status = fmukit_judge(fmu, FMUKIT_OK, "step");
    if (!fmukit_is_failure(status)) status = fmukit_handle_event(fmu);
    if (fmukit_is_failure(status)) return status;
    fmu->phase = FMUKIT_STEP_COMPLETE;
    fmukit_clear_clocks(fmu, true);
    return fmu->wants_end ? FMUKIT_TERMINATE : status;
}

// Continues from an event until there is something to report. A model whose events do not end would stay
// here forever, so events at one time are counted.
static fmukit_status pass_events(fmukit_instance *fmu)
{
    fmukit_status worst = FMUKIT_OK, status = FMUKIT_EVENT;
    double first = fmu->time, slack = SAME_TIME * fmax(fabs(fmu->t_end), fmu->t_end - first);
    for (int n = 0; status == FMUKIT_EVENT && !can_tell_event(fmu); n++) {
        if (fmu->time - first > slack) n = 0;
        if (n == 0) first = fmu->time;
        status = n < MAX_EVENTS ? handle_event_inside(fmu) : FMUKIT_ERROR;
        if (n >= MAX_EVENTS)
            fmukit_fail(fmu, FMUKIT_ERROR, "there are more than %d events at time %.15g",
                        MAX_EVENTS, fmu->time);
        if (fmukit_is_failure(status)) break;
        worst = fmukit_worse(worst, status);
        if (fmu->time < fmu->t_end) status = advance(fmu);
    }
    return fmukit_is_failure(status) ? status : fmukit_worse(worst, status);
}

// Continues from the status of what was computed last.
static fmukit_status complete_step(fmukit_instance *fmu, fmukit_status status)
{
    return end_step(fmu, status == FMUKIT_EVENT ? pass_events(fmu) : status);
}

// The end of a step. A step to an announced event ends exactly there, whatever roundings say.
static double end_of_step(const fmukit_instance *fmu, double t, double h)
{
    double end = t + h;
    if (!fmu->has_next_event) return end;
    double slack = 1e-9 * h + 4 * DBL_EPSILON * fabs(end);
    return fabs(fmu->next_event - end) <= slack ? fmu->next_event : end;
}

fmukit_status fmukit_step(fmukit_instance *fmu, double t, double h)
{
    fmukit_status status = FMUKIT_OK;
    if (fmu->phase == FMUKIT_INITIALIZATION) status = fmukit_exit_initialization(fmu);
    if (fmukit_is_failure(status)) return status;
    if (!is_step_valid(fmu, t, h)) return FMUKIT_ERROR;
    if (fmu->first_step == 0) fmu->first_step = h;
    fmu->t_end = end_of_step(fmu, t, h);
    if (fmu->may_move) fmukit_begin_moving(fmu);
    return fmukit_worse(status, complete_step(fmu, advance(fmu)));
}

fmukit_status fmukit_poll(fmukit_instance *fmu)
{
    const fmukit_functions *f = &fmu->model->functions;
    if (fmu->phase != FMUKIT_STEP_IN_PROGRESS) return fmu->step_status;
    fmukit_status status = f->poll ? f->poll(fmu, fmu->data) : FMUKIT_ERROR;
    fmu->is_stale = true;
    return complete_step(fmu, note_progress(fmu, status));
}

fmukit_status fmukit_cancel(fmukit_instance *fmu)
{
    if (fmu->model->functions.cancel) fmu->model->functions.cancel(fmu, fmu->data);
    fmu->phase = FMUKIT_STEP_CANCELED;
    return fmukit_judge(fmu, FMUKIT_OK, "cancel");
}

// SPDX-License-Identifier: MIT
// Timeouts and crashes of calls to FMUs; see watch.h.
#include "instance/watch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/crash.h"
#include "base/memory.h"
#include "base/thread.h"
#include "instance/crashed.h"

static const double DEFAULT_PATIENCE = 5; // s

// A call that was seen, by instance.
typedef struct sighting {
    const takt_instance *at; // the instance, or its member
    const char *function;
    unsigned call; // its number
    double since; // s on the clock; when it was seen first
    bool is_told; // that it takes long
} sighting;

// Who is called: an instance, or one that is being made or ended.
typedef struct culprit {
    const takt_instance *at; // NULL: its owner only said what it does
    const takt_model *model; // NULL: not known
    const char *name; // NULL: nobody is called
    const char *function; // or what its owner does
} culprit;

struct takt_watch {
    double timeout, patience, period; // s; infinite: none
    takt_log *log;
    takt_watch_options options;
    takt_crash_listener listener;
    bool listens;
    takt_thread thread;
    takt_semaphore wake; // posted when it has to look at once
    takt_mutex lock; // held while the thread looks; protects what follows
    atomic_bool is_ended;
    bool has_expired;
    takt_error error; // the reason
    const takt_model *model; // of the instance that is being made or ended
    const char *instance;
    _Atomic(const char *) what; // is done to it; NULL: nothing
    uint64_t entered_by; // the thread that does it
    double since; // s; when that began
    bool is_told; // that it takes long
    takt_watched watched;
    sighting *sightings; // per instance

    // Of a crash: written in its handler before the semaphore is posted.
    atomic_bool has_crashed;
    takt_crash crash;
    culprit culprit;
};

// ---- who is called ---------------------------------------------------------------------------------

static const char *file_name(const takt_model *model)
{
    const char *path = model && model->path ? model->path : NULL;
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}

// The instance, or the member of a group, that is being called; NULL: none. The name is read first: what was written
// before the call is then visible.
static const takt_instance *find_called(const takt_instance *instance, const char **function)
{
    *function = instance->n_calls ? takt_instance_calling(instance) : NULL;
    if (*function || !instance->type->member) return *function ? instance : NULL;
    const takt_instance *member;
    for (int m = 0; (member = instance->type->member(instance, m)); m++) {
        *function = member->n_calls ? takt_instance_calling(member) : NULL;
        if (*function) return member;
    }
    return NULL;
}

// Does this thread call the instance, where it is called?
static bool is_called_by(const takt_watch *watch, const takt_instance *instance, uint64_t thread)
{
    const takt_watched *watched = &watch->watched;
    uint64_t own = atomic_load(&instance->thread);
    if (own) return own == thread;
    return watched->thread && watched->thread(watched->context) == thread;
}

// Whom a thread is calling; any thread if `thread` is 0. Only reads, so that a handler can use it.
static culprit find_culprit(const takt_watch *watch, uint64_t thread)
{
    const takt_watched *watched = &watch->watched;
    const char *what = atomic_load(&watch->what), *function = NULL;
    for (int i = 0; i < watched->n_instances; i++) {
        const takt_instance *at = watched->instance(watched->context, i);
        const takt_instance *called = at ? find_called(at, &function) : NULL;
        if (called && (!thread || is_called_by(watch, at, thread)))
            return (culprit){called, called->model, called->name, function};
    }
    if (what && (!thread || watch->entered_by == thread))
        return (culprit){NULL, watch->model, watch->instance, what};
    return (culprit){0};
}

// ---- crashes, in handlers --------------------------------------------------------------------------

// Whose code is on the stack of a thread that nobody knows? An FMU's own thread is found that way.
static const takt_instance *find_by_code(const takt_watch *watch, const void *address)
{
    const takt_watched *watched = &watch->watched;
    for (int i = 0; i < watched->n_instances; i++) {
        const takt_instance *at = watched->instance(watched->context, i), *one = at;
        for (int m = 0; one; m++) {
            if (one->type->has_code && one->type->has_code(one, address)) return one;
            one = at->type->member ? at->type->member(at, m) : NULL;
        }
    }
    return NULL;
}

static const takt_instance *find_on_stack(const takt_watch *watch, const takt_crash *crash)
{
    enum { MAX_WORDS = 2048 };
    const takt_instance *at = crash->code ? find_by_code(watch, crash->code) : NULL;
    for (int i = 0; i < MAX_WORDS && crash->stack && !at; i++) {
        const void *word;
        if (!takt_memory_read(&word, (const void *const *)crash->stack + i, sizeof word)) break;
        if (word) at = find_by_code(watch, word);
    }
    return at;
}

static bool hear(void *context, const takt_crash *crash, bool is_sure)
{
    takt_watch *watch = context;
    if (crash->thread == takt_thread_number(&watch->thread)) return false; // nobody else is there
    culprit who = find_culprit(watch, crash->thread);
    if (is_sure && !who.name) return false;
    if (!is_sure &&
        !crash->signal) { // an ordinary end of the program, unless an FMU's thread causes it
        const takt_instance *at = find_on_stack(watch, crash);
        if (!at) return false;
        who = (culprit){at, at->model, at->name, NULL};
    }
    watch->crash = *crash;
    watch->culprit = who;
    atomic_store(&watch->has_crashed, true);
    takt_semaphore_post(&watch->wake);
    return true;
}

static bool is_calling(void *context, uint64_t thread)
{
    return find_culprit(context, thread).name != NULL;
}

static void describe(void *context, char *text, size_t size)
{
    culprit who = find_culprit(context, 0);
    if (!who.name) return;
    const char *file = file_name(who.model);
    takt_crash_add(text, size, "component '");
    takt_crash_add(text, size, who.name);
    takt_crash_add(text, size, "'");
    if (file) takt_crash_add(text, size, " (");
    if (file) takt_crash_add(text, size, file);
    if (file) takt_crash_add(text, size, ")");
    takt_crash_add(text, size, ", ");
    takt_crash_add(text, size, who.function);
}

// ---- messages --------------------------------------------------------------------------------------

enum { MOMENT_SIZE = 64, NAME_SIZE = TAKT_CRASHED_NAME_SIZE, RESULTS_SIZE = 96 };

static void describe_moment(const takt_watch *watch, char out[MOMENT_SIZE])
{
    const takt_watched *watched = &watch->watched;
    double t = watched->time ? watched->time(watched->context) : NAN;
    out[0] = 0;
    if (!isnan(t)) snprintf(out, MOMENT_SIZE, " at t=%.15g s", t);
}

static void describe_component(const culprit *who, char out[NAME_SIZE])
{
    takt_crashed_name(who->name, who->model, out);
}

static void expire(takt_watch *watch, const char *instance, const char *function)
{
    char moment[MOMENT_SIZE];
    describe_moment(watch, moment);
    watch->has_expired = true;
    takt_fail(
        &watch->error, TAKT_ERR_TIMEOUT,
        "instance '%s'%s: %s has not returned within %.15g s of real time; raise --timeout if "
        "the FMU only needs longer",
        instance, moment, function, watch->timeout);
}

static void tell_waiting(takt_watch *watch, const culprit *who, double waited)
{
    char moment[MOMENT_SIZE], component[NAME_SIZE], text[1024];
    describe_moment(watch, moment);
    describe_component(who, component);
    snprintf(text, sizeof text,
             "%s%s: %s has been running for %.0f s of real time; still waiting for it (--timeout "
             "sets a limit)",
             component, moment, who->function, waited);
    if (watch->options.on_wait)
        watch->options.on_wait(watch->options.context, text);
    else
        takt_log_write(watch->log, TAKT_LEVEL_INFO, "%s", text);
}

// "; results up to t=3.1 s are complete"
static void describe_results(const takt_watch *watch, char out[RESULTS_SIZE])
{
    const takt_watched *watched = &watch->watched;
    double t = watched->row_time ? watched->row_time(watched->context) : NAN;
    out[0] = 0;
    if (!isnan(t)) snprintf(out, RESULTS_SIZE, "; results up to t=%.15g s are complete", t);
}

static void report_crash(takt_watch *watch, const culprit *who, bool is_complete)
{
    const takt_crash *crash = &watch->crash;
    char moment[MOMENT_SIZE], component[NAME_SIZE], results[RESULTS_SIZE];
    describe_moment(watch, moment);
    describe_results(watch, results);
    if (!who->name) {
        takt_fail(&watch->error, TAKT_ERR_SIMULATION,
                  "Takt itself crashed with %s%s, unless an FMU has damaged its memory before "
                  "(--isolate shows which); please report it with the project%s",
                  crash->what, moment, is_complete ? results : "; results may be incomplete");
        return;
    }
    describe_component(who, component);
    const char *how = crash->signal ? "crashed with" : "ended the program by";
    const char *where = !who->at ? "during" : who->function ? "in" : "in a thread of its own";
    takt_fail(&watch->error, TAKT_ERR_CRASH, "%s: %s %s %s%s%s%s%s", component, how, crash->what,
              where, who->function ? " " : "", who->function ? who->function : "", moment, results);
}

// ---- thread of the watch ---------------------------------------------------------------------------

// How long something has been going on. Returns true where it has expired.
static bool judge(takt_watch *watch, const culprit *who, double waited, bool *is_told)
{
    if (waited >= watch->timeout) {
        expire(watch, who->name, who->function);
        return true;
    }
    if (waited >= watch->patience && !*is_told) {
        *is_told = true;
        tell_waiting(watch, who, waited);
    }
    return false;
}

// Looks at one instance, or at that member of a group that is being called: there is at most one.
static void look_at(takt_watch *watch, int i, double now)
{
    const takt_instance *instance = watch->watched.instance(watch->watched.context, i);
    sighting *seen = &watch->sightings[i];
    if (!instance) return;
    const char *function;
    const takt_instance *at = find_called(instance, &function);
    unsigned call = at ? atomic_load_explicit(at->n_calls, memory_order_relaxed) : 0;
    if (!at || at != seen->at || call != seen->call || function != seen->function) {
        *seen = (sighting){at, function, call, now, false};
        return;
    }
    const culprit who = {at, at->model, at->name, function};
    judge(watch, &who, now - seen->since, &seen->is_told);
}

static void look(takt_watch *watch)
{
    double now = takt_clock();
    if (watch->what) {
        const culprit who = {NULL, watch->model, watch->instance, watch->what};
        judge(watch, &who, now - watch->since, &watch->is_told);
        return;
    }
    for (int i = 0; i < watch->watched.n_instances && !watch->has_expired; i++)
        look_at(watch, i, now);
}

// Completes the results, and says what happened. The lock is not taken: the thread that crashed may hold it.
static void end_crashed(takt_watch *watch)
{
    const takt_watched *watched = &watch->watched;
    culprit who = watch->culprit;
    if (!who.name) {
        const takt_instance *at = find_on_stack(watch, &watch->crash);
        if (at) who = (culprit){at, at->model, at->name, NULL};
    }
    // Where a thread of ours crashed, say the one that writes, waiting for it would take for ever.
    bool is_writing =
        who.name || (watched->thread && watched->thread(watched->context) == watch->crash.thread);
    if (watched->finish && is_writing) watched->finish(watched->context);
    report_crash(watch, &who, is_writing);
    if (watch->options.on_end)
        watch->options.on_end(watch->options.context, &watch->error);
    else
        takt_log_write(watch->log, TAKT_LEVEL_ERROR, "%s", watch->error.message);
    atomic_store(&watch->listener.is_ours, !who.name);
    atomic_store(&watch->listener.is_done, true);
}

// The lock is kept after a timeout: should the FMU return after all, the run stops where it asks for it.
static void end_expired(takt_watch *watch)
{
    const takt_watched *watched = &watch->watched;
    if (watch->options.on_end) {
        if (watched->finish) watched->finish(watched->context);
        watch->options.on_end(watch->options.context, &watch->error);
    } else { // the process is not ended: the FMU may return, and the run continue
        takt_log_write(watch->log, TAKT_LEVEL_ERROR, "%s", watch->error.message);
    }
}

static void watch_calls(void *context)
{
    takt_watch *watch = context;
    while (!atomic_load(&watch->is_ended) && !watch->has_expired) {
        takt_semaphore_wait_until(&watch->wake, takt_clock() + watch->period);
        if (atomic_load(&watch->has_crashed)) {
            end_crashed(watch);
            return;
        }
        if (atomic_load(&watch->is_ended)) return;
        takt_mutex_lock(&watch->lock);
        look(watch);
        if (watch->has_expired) end_expired(watch);
        takt_mutex_unlock(&watch->lock);
    }
}

// ---- thread of the run -----------------------------------------------------------------------------

static bool start(takt_watch *watch)
{
    if (!takt_mutex_init(&watch->lock)) return false;
    if (takt_semaphore_init(&watch->wake)) {
        if (takt_thread_start(&watch->thread, watch_calls, watch)) return true;
        takt_semaphore_clear(&watch->wake);
    }
    takt_mutex_clear(&watch->lock);
    return false;
}

// How often to look: often enough for the shortest limit, and not more than necessary.
static double find_period(const takt_watch *watch)
{
    double period = fmin(fmax(watch->timeout / 20, 1e-3), 0.1);
    if (isfinite(watch->timeout)) return period;
    return isfinite(watch->patience) ? fmin(fmax(watch->patience / 10, 1e-3), 0.5) : 3600;
}

takt_status takt_watch_create(double timeout, takt_log *log, const takt_watch_options *options,
                              takt_watch **out, takt_error *err)
{
    *out = NULL;
    bool tells = options && options->on_wait, guards = takt_crash_is_installed();
    if (!(timeout > 0) && !tells && !guards) return TAKT_OK;
    takt_watch *watch = calloc(1, sizeof *watch);
    if (!watch) return takt_fail_memory(err);
    if (options) watch->options = *options;
    watch->timeout = timeout > 0 ? timeout : INFINITY;
    watch->patience = !tells                  ? INFINITY
                      : options->patience > 0 ? options->patience
                                              : DEFAULT_PATIENCE;
    watch->period = find_period(watch);
    watch->log = log;
    watch->listener = (takt_crash_listener){
        .hear = hear, .describe = describe, .is_calling = is_calling, .context = watch};
    if (!start(watch)) {
        free(watch);
        return takt_fail(err, TAKT_ERR_MEMORY,
                         "the thread that watches calls cannot be started: out of memory, or too "
                         "many threads");
    }
    watch->listens = guards && takt_crash_listen(&watch->listener);
    *out = watch;
    return TAKT_OK;
}

void takt_watch_destroy(takt_watch *watch)
{
    if (!watch) return;
    if (watch->listens) takt_crash_unlisten(&watch->listener);
    atomic_store(&watch->is_ended, true);
    takt_semaphore_post(&watch->wake);
    takt_thread_join(&watch->thread);
    takt_semaphore_clear(&watch->wake);
    takt_mutex_clear(&watch->lock);
    free(watch->sightings);
    free(watch);
}

static void attach(takt_watch *watch, const takt_watched *watched, sighting *sightings)
{
    takt_mutex_lock(&watch->lock);
    free(watch->sightings);
    watch->watched = *watched;
    watch->sightings = sightings;
    takt_mutex_unlock(&watch->lock);
}

takt_status takt_watch_attach(takt_watch *watch, const takt_watched *watched, takt_error *err)
{
    if (!watch) return TAKT_OK;
    size_t n = (size_t)watched->n_instances;
    sighting *sightings = calloc(n ? n : 1, sizeof *sightings);
    if (!sightings) return takt_fail_memory(err);
    attach(watch, watched, sightings);
    return TAKT_OK;
}

void takt_watch_detach(takt_watch *watch)
{
    if (watch) attach(watch, &(takt_watched){0}, NULL);
}

void takt_watch_enter(takt_watch *watch, const takt_model *model, const char *instance,
                      const char *what)
{
    if (!watch) return;
    takt_mutex_lock(&watch->lock);
    watch->model = model;
    watch->instance = instance;
    watch->entered_by = takt_thread_id();
    watch->since = takt_clock();
    watch->is_told = false;
    atomic_store(&watch->what, what);
    takt_mutex_unlock(&watch->lock);
}

void takt_watch_leave(takt_watch *watch)
{
    if (!watch) return;
    takt_mutex_lock(&watch->lock);
    atomic_store(&watch->what, NULL);
    takt_mutex_unlock(&watch->lock);
}

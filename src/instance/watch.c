// SPDX-License-Identifier: MIT
// Timeouts of calls to FMUs; see watch.h.
#include "instance/watch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/thread.h"

// A call that was seen, by instance.
typedef struct sighting {
    const takt_instance *at; // the instance, or its member
    unsigned call; // its number
    double since; // s on the clock; when it was seen first
} sighting;

struct takt_watch {
    double timeout, period; // s
    takt_log *log;
    takt_timeout_fn on_timeout;
    void *context;
    takt_thread thread;
    takt_mutex lock; // held while the thread looks; protects what follows
    takt_condition wake;
    bool is_ended;
    bool has_expired;
    takt_error error; // the reason
    const char *instance, *what; // that is being made or ended; NULL: none
    double since; // s; when that began
    takt_watched watched;
    sighting *sightings; // per instance
};

// ---- thread of the watch -------------------------------------------------------------------------

static void expire(takt_watch *watch, const char *instance, const char *function)
{
    const takt_watched *watched = &watch->watched;
    char moment[64] = "";
    double t = watched->time ? watched->time(watched->context) : NAN;
    if (!isnan(t)) snprintf(moment, sizeof moment, " at t=%.15g s", t);
    watch->has_expired = true;
    takt_fail(
        &watch->error, TAKT_ERR_TIMEOUT,
        "instance '%s'%s: %s has not returned within %.15g s of real time; raise --timeout if "
        "the FMU only needs longer",
        instance, moment, function, watch->timeout);
}

// The function that is being called; NULL: none, or it is not known.
static const char *function_of(const takt_instance *instance)
{
    if (!instance->n_calls) return NULL;
    return atomic_load_explicit(&instance->calling, memory_order_acquire);
}

// Looks at one instance, or at that member of a group that is being called: there is at most one. The name
// is read first: what was written before the call is then visible.
static void look_at(takt_watch *watch, int i, double now)
{
    const takt_instance *at = watch->watched.instance(watch->watched.context, i);
    sighting *seen = &watch->sightings[i];
    if (!at) return;
    const takt_instance *group = at->type->member ? at : NULL;
    const char *function = function_of(at);
    for (int m = 0; group && !function && (at = group->type->member(group, m)); m++)
        function = function_of(at);
    unsigned call = function ? atomic_load_explicit(at->n_calls, memory_order_relaxed) : 0;
    if (!function || at != seen->at || call != seen->call)
        *seen = (sighting){at, call, now};
    else if (now - seen->since >= watch->timeout)
        expire(watch, at->name, function);
}

static void look(takt_watch *watch)
{
    double now = takt_clock();
    if (watch->what) {
        if (now - watch->since >= watch->timeout) expire(watch, watch->instance, watch->what);
        return;
    }
    for (int i = 0; i < watch->watched.n_instances && !watch->has_expired; i++)
        look_at(watch, i, now);
}

static void sleep_a_while(takt_watch *watch)
{
    double end = takt_clock() + watch->period;
    while (!watch->is_ended && takt_condition_wait_until(&watch->wake, &watch->lock, end)) continue;
}

// The lock is kept after a timeout: should the FMU return after all, the run stops where it asks for it.
static void watch_calls(void *context)
{
    takt_watch *watch = context;
    takt_mutex_lock(&watch->lock);
    while (!watch->is_ended && !watch->has_expired) {
        sleep_a_while(watch);
        if (!watch->is_ended) look(watch);
    }
    if (watch->has_expired && watch->on_timeout) {
        if (watch->watched.finish) watch->watched.finish(watch->watched.context);
        watch->on_timeout(watch->context, &watch->error);
    } else if (
        watch->has_expired) { // the process is not ended: the FMU may return, and the run continue
        takt_log_write(watch->log, TAKT_LEVEL_ERROR, "%s", watch->error.message);
    }
    takt_mutex_unlock(&watch->lock);
}

// ---- thread of the run ---------------------------------------------------------------------------

static bool start(takt_watch *watch)
{
    if (!takt_mutex_init(&watch->lock)) return false;
    if (takt_condition_init(&watch->wake)) {
        if (takt_thread_start(&watch->thread, watch_calls, watch)) return true;
        takt_condition_clear(&watch->wake);
    }
    takt_mutex_clear(&watch->lock);
    return false;
}

takt_status takt_watch_create(double timeout, takt_log *log, takt_timeout_fn on_timeout,
                              void *context, takt_watch **out, takt_error *err)
{
    *out = NULL;
    if (!(timeout > 0)) return TAKT_OK;
    takt_watch *watch = calloc(1, sizeof *watch);
    if (!watch) return takt_fail_memory(err);
    watch->timeout = timeout;
    watch->period = fmin(fmax(timeout / 20, 1e-3), 0.1);
    watch->log = log;
    watch->on_timeout = on_timeout;
    watch->context = context;
    if (!start(watch)) {
        free(watch);
        return takt_fail(err, TAKT_ERR_SIMULATION,
                         "timeout: the watching thread cannot be started");
    }
    *out = watch;
    return TAKT_OK;
}

void takt_watch_destroy(takt_watch *watch)
{
    if (!watch) return;
    takt_mutex_lock(&watch->lock);
    watch->is_ended = true;
    takt_condition_signal(&watch->wake);
    takt_mutex_unlock(&watch->lock);
    takt_thread_join(&watch->thread);
    takt_condition_clear(&watch->wake);
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

void takt_watch_enter(takt_watch *watch, const char *instance, const char *what)
{
    if (!watch) return;
    takt_mutex_lock(&watch->lock);
    watch->instance = instance;
    watch->what = what;
    watch->since = takt_clock();
    takt_mutex_unlock(&watch->lock);
}

void takt_watch_leave(takt_watch *watch)
{
    if (!watch) return;
    takt_mutex_lock(&watch->lock);
    watch->what = NULL;
    takt_mutex_unlock(&watch->lock);
}

// SPDX-License-Identifier: MIT
// Finding the instance that a message of FMI 1.0 belongs to; see fmi1_log.h.
#include "fmu/fmi1_log.h"

#include <string.h>

#include "fmu/messages.h"
#include "fmu/step.h"

// Variables that live as long as the process: the callback of FMI 1.0 has no
// other way to find our data. The lock is held while a message is handled, so that its instance does
// not vanish meanwhile.
static takt_mutex lock = TAKT_MUTEX_INIT;
static takt_fmi1_listener *first;

void takt_fmi1_log_enter(takt_fmi1_listener *listener)
{
    takt_mutex_lock(&lock);
    listener->next = first;
    listener->place = &first;
    if (first) first->place = &listener->next;
    first = listener;
    takt_mutex_unlock(&lock);
}

void takt_fmi1_log_remove(takt_fmi1_listener *listener)
{
    takt_mutex_lock(&lock);
    if (listener->place) *listener->place = listener->next;
    if (listener->place && listener->next) listener->next->place = listener->place;
    listener->place = NULL;
    takt_mutex_unlock(&lock);
}

void takt_fmi1_log_identify(takt_fmi1_listener *listener, fmiComponent component)
{
    takt_mutex_lock(&lock);
    listener->component = component;
    takt_mutex_unlock(&lock);
}

// How well does a listener fit? The component says it for sure; a name may be used in two runs at the
// same time, and is then most likely that of the instance which is being made.
static int score(const takt_fmi1_listener *listener, fmiComponent c, const char *name)
{
    if (c && listener->component == c) return 3;
    if (!name || strcmp(listener->name, name) != 0) return 0;
    return listener->component ? 1 : 2;
}

static takt_fmi1_listener *find(fmiComponent c, const char *name)
{
    takt_fmi1_listener *best = NULL;
    int best_score = 0;
    for (takt_fmi1_listener *at = first; at; at = at->next) {
        int own = score(at, c, name);
        if (own <= best_score) continue;
        best_score = own;
        best = at;
    }
    return best;
}

TAKT_FMI_CALL void takt_fmi1_log_receive(fmiComponent c, fmiString instance, fmiStatus status,
                                         fmiString category, fmiString message, ...)
{
    takt_mutex_lock(&lock);
    takt_fmi1_listener *listener = find(c, instance);
    if (listener) {
        takt_fmu_arguments arguments;
        TAKT_FMU_ARGUMENTS_START(arguments, message);
        takt_fmu_log_format(listener->log, (int)status, category, message, arguments);
        TAKT_FMU_ARGUMENTS_END(arguments);
    }
    takt_mutex_unlock(&lock);
}

TAKT_FMI_CALL void takt_fmi1_log_step_finished(fmiComponent c, fmiStatus status)
{
    (void)status; // it is asked for afterwards
    takt_mutex_lock(&lock);
    takt_fmi1_listener *listener = find(c, NULL);
    if (listener) takt_step_signal_send(listener->signal);
    takt_mutex_unlock(&lock);
}

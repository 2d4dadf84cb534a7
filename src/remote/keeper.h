// SPDX-License-Identifier: MIT
// Writes down in the region what a worker dies of: the signal or the function that ended it, the function of the FMU that
// was being called, and the calls on the stack. It is asked by a signal, too, which function is being called, when
// that has taken too long.
#ifndef TAKT_REMOTE_KEEPER_H
#define TAKT_REMOTE_KEEPER_H

#include <signal.h>

#include "base/crash.h"
#include "instance/instance.h"
#include "remote/region.h"

enum { TAKT_KEEPER_SIGNAL = SIGURG }; ///< ignored by default, so that it does no harm

typedef struct takt_keeper {
    takt_region *region; ///< borrowed
    _Atomic(const takt_instance *) instance; ///< NULL: there is none
    uint64_t thread; ///< that serves
    void (*tell)(void *context); ///< called when all is written down; NULL: nobody is told
    void *context;
    takt_crash_listener listener;
} takt_keeper;

/// Stays where it is until takt_keeper_end(). One per process.
void takt_keeper_start(takt_keeper *keeper);
void takt_keeper_end(takt_keeper *keeper);

/// Which instance there is; NULL: none any more.
void takt_keeper_watch(void *keeper, const takt_instance *instance);

#endif

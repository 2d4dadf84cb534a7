// SPDX-License-Identifier: MIT
// An integrator for the equations of a worker that has none (talk.h). What the worker says is not trusted.
#ifndef TAKT_REMOTE_INTEGRATOR_H
#define TAKT_REMOTE_INTEGRATOR_H

#include "remote/region.h"

typedef struct takt_integrator takt_integrator;

/// Sends what lies in the room and waits until the worker says something; false: it will not.
typedef bool takt_integrator_turn(void *context);

/// NULL: out of memory. The region must outlive it.
takt_integrator *takt_integrator_create(takt_region *region);
void takt_integrator_destroy(takt_integrator *integrator); ///< accepts NULL

/// Does what the worker has asked for. What it says at last lies in the room then, unless a turn has failed.
void takt_integrator_serve(takt_integrator *integrator, takt_integrator_turn *turn, void *context);

#endif

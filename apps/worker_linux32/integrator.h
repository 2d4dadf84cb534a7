// SPDX-License-Identifier: MIT
// The integrators of SUNDIALS, which are in the master's process.
#ifndef TAKT_WORKER_LINUX32_INTEGRATOR_H
#define TAKT_WORKER_LINUX32_INTEGRATOR_H

#include "remote/serve_options.h"

/// Who passes on what they ask; takt_serve_options::begin.
void takt_integrator_begin(void *context, takt_server *server);

#endif

// SPDX-License-Identifier: MIT
// What the core of a worker (serve.h) needs from the program around it.
#ifndef TAKT_REMOTE_SERVE_OPTIONS_H
#define TAKT_REMOTE_SERVE_OPTIONS_H

#include "me/equations.h"
#include "remote/region.h"

typedef struct takt_server takt_server; ///< see server.h

/// What the program of the worker does beside the core.
typedef struct takt_serve_options {
    takt_me_options *me; ///< gets how the instance is integrated, before it is made
    bool (*is_orphan)(void *context); ///< is the master gone? Asked now and then
    /// Before any code of the FMU runs. Fails with a reason; warnings go to `log`.
    /// `results` is a folder that the instance may write into, or NULL.
    takt_status (*prepare)(void *context, const char *results, takt_log *log, takt_error *err);
    /// Sends what the log in the region has, and waits until it was read; false: the master is gone. NULL: by the futexes of the region.
    bool (*turn)(void *context, takt_region *region);
    /// The server begins; it lives until no function is called any more. NULL: nobody needs to know.
    void (*begin)(void *context, takt_server *server);
    void *context; ///< of these functions
    void (*on_instance)(void *keeper, const takt_instance *instance); ///< NULL: it is gone
    void *keeper;
} takt_serve_options;

#endif

// SPDX-License-Identifier: MIT
// The core of a worker: makes the calls that the master asks for, on one instance of a model. Portable: it knows the
// region and futexes of the system and nothing else.
#ifndef TAKT_REMOTE_SERVE_H
#define TAKT_REMOTE_SERVE_H

#include "remote/region.h"
#include "remote/serve_options.h"

/// Serves an instance of the model until the master asks for its end, or is gone. Returns false in the latter case, and
/// where memory is exhausted.
bool takt_serve(takt_region *region, const takt_model *model, const takt_serve_options *options);

/// The folder that the instance may write its results into, says the first message, which is there; NULL: none.
const char *takt_serve_results(takt_region *region);

/// The same message by message, for who gets them in other ways than by the futexes of the region. NULL: out of memory.
takt_server *takt_serve_begin(takt_region *region, const takt_model *model,
                              const takt_serve_options *options);

/// Answers the message that the region has. Returns false when it was the last one.
bool takt_serve_message(takt_server *server);
void takt_serve_end(takt_server *server); ///< accepts NULL

#endif

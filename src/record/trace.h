// SPDX-License-Identifier: MIT
// A trace of a run: when it called which instance, and what it did in between. The file is a JSON array
// of events as Chrome's trace viewer, Perfetto and speedscope read it ("Trace Event Format").
#ifndef TAKT_RECORD_TRACE_H
#define TAKT_RECORD_TRACE_H

#include "run/observer.h"

/// Opens the file. The run hands over only times; a thread of its own formats and writes them, so that
/// memory does not grow. No event is lost: a run that is faster than the file waits. Owned by the caller.
takt_status takt_trace_open(const char *path, takt_observer **out, takt_error *err);

#endif

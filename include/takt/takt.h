// SPDX-License-Identifier: MIT
// Takt: a co-simulation master for the FMI standard. This header includes the whole public API:
// project -> system -> run, each made from the one before; log and errors; comparing, converting and
// plotting results.
//
// Threads: all functions may be called by several threads at once, as long as each object (project, system, run) is used by
// one of them at a time; a log may be shared, and a system may have several runs in several threads. Objects that were made of another one
// use it: a system its project, a run its system. FMUs that may exist only once per process, or whose code is not made for threads, are
// the caller's to keep apart. Takt starts threads of its own for writing results, for the settings `jobs` and
// `timeout`; callbacks say which thread calls them.
//
// NULL in place of an object: functions that return a status refuse it (TAKT_ERR_USAGE); all others do nothing and return 0, NaN (times, values),
// -1 (what is not found), NULL, or "" where bytes were asked for. Numbers that are no value of an enumeration are refused, too, or called "unknown".
#ifndef TAKT_TAKT_H
#define TAKT_TAKT_H

#include "takt/advise.h"
#include "takt/author.h"
#include "takt/cache.h"
#include "takt/checkpoint.h"
#include "takt/compare.h"
#include "takt/guard.h"
#include "takt/log.h"
#include "takt/options.h"
#include "takt/problems.h"
#include "takt/project.h"
#include "takt/ranks.h"
#include "takt/results.h"
#include "takt/pacing.h"
#include "takt/rows.h"
#include "takt/run.h"
#include "takt/sequence.h"
#include "takt/series.h"
#include "takt/snapshot.h"
#include "takt/status.h"
#include "takt/system.h"
#include "takt/text.h"
#include "takt/types.h"
#include "takt/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The version of the library, for example "0.1.0".
TAKT_API const char *takt_version(void);

#ifdef __cplusplus
}
#endif
#endif

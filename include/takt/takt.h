// SPDX-License-Identifier: MIT
// Takt: a co-simulation master for the FMI standard. This header includes the whole public API:
// project -> system -> run, each made from the one before; log and errors; comparing, converting and
// plotting results.
#ifndef TAKT_TAKT_H
#define TAKT_TAKT_H

#include "takt/advise.h"
#include "takt/compare.h"
#include "takt/log.h"
#include "takt/project.h"
#include "takt/results.h"
#include "takt/run.h"
#include "takt/status.h"
#include "takt/system.h"
#include "takt/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The version of the library, for example "0.1.0".
TAKT_API const char *takt_version(void);

#ifdef __cplusplus
}
#endif
#endif

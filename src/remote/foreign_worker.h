// SPDX-License-Identifier: MIT
// What programs of workers that a nest starts (foreign.h) have in common: their arguments, the FMU, and the last part of the sandbox.
#ifndef TAKT_REMOTE_FOREIGN_WORKER_H
#define TAKT_REMOTE_FOREIGN_WORKER_H

#include "remote/sandbox.h"
#include "remote/serve.h"

typedef struct takt_foreign_worker {
    int nest; ///< the process that started it
    int recipe; ///< file
    const char *sandbox; ///< what the nest says about it (foreign.h)
    takt_call_stage stage; ///< of the calls that it may make
    takt_region *region;
    takt_me_options me; ///< of the instance
} takt_foreign_worker;

/// From the arguments of the program. Returns false, with a message on standard error, if a nest has not started it, or if that is gone.
bool takt_foreign_worker_begin(takt_foreign_worker *self, int argc, char **argv);

/// Opens the FMU; what fails is written down in the region. NULL: it has failed.
takt_model *takt_foreign_worker_open(takt_foreign_worker *self);

/// For takt_serve_options, with the takt_foreign_worker as their context. Files are restricted already, system calls only from here on.
bool takt_foreign_worker_is_orphan(void *context);
takt_status takt_foreign_worker_prepare(void *context, const char *results, takt_log *log,
                                        takt_error *err);

#endif

// SPDX-License-Identifier: MIT
// FMUs in processes of their own. The model of an FMU that is isolated has a kind of instances which passes every call
// of the contract on to a worker (worker.h), whatever the version of FMI; what the kind of the FMU lacks, it lacks, too.
//
// Calls that return nothing are only written down, and travel with the next one; the values that were read after
// the last step are asked for together with the step. So set, step and get are one message and one answer.
#ifndef TAKT_REMOTE_ISOLATE_H
#define TAKT_REMOTE_ISOLATE_H

#include "instance/instance.h"
#include "remote/isolation.h"

/// Isolates the instances that are made of an FMU from now on. There must not be any yet.
takt_status takt_isolate(takt_model *model, const takt_isolation *options, takt_error *err);

/// Puts the instances that are made of an FMU from now on on ranks (takt/ranks.h). There must not be any yet; what `placement`
/// refers to must outlive the model.
takt_status takt_place_on_ranks(takt_model *model, double timeout, const takt_placement *placement,
                                takt_error *err);

#endif

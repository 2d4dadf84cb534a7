// SPDX-License-Identifier: MIT
// Life, initialization and events of FMUs of FMI 3.0, which are the same for co-simulation and model
// exchange. Only for src/fmu.
#ifndef TAKT_FMU_FMI3_LIFE_H
#define TAKT_FMU_FMI3_LIFE_H

#include "fmu/fmi3_instance.h"
#include "fmu/states.h"

/// For takt_fmu_kind. A kind creates the component for its interface and then calls takt_fmi3_created().
extern const takt_state_calls takt_fmi3_state_calls;
takt_status takt_fmi3_prepare(takt_fmu_instance *common, takt_error *err);
takt_status takt_fmi3_created(takt_fmi3_instance *self, takt_error *err);
takt_status takt_fmi3_terminate(takt_fmu_instance *common, takt_error *err);
void takt_fmi3_free(takt_fmu_instance *common);
void takt_fmi3_clear(takt_fmu_instance *common);

/// The callback for messages. Unless the log wants all of them, FMUs are asked only for those about problems.
TAKT_FMI_CALL void takt_fmi3_log_message(fmi3InstanceEnvironment environment, fmi3Status status,
                                         fmi3String category, fmi3String message);
bool takt_fmi3_logs_all(const takt_fmi3_instance *self);

/// For the tables of instance types.
takt_status takt_fmi3_enter_initialization(takt_instance *instance, const takt_interval *interval,
                                           takt_error *err);

/// What fmi3UpdateDiscreteStates says. Booleans are bytes: an FMU may write any.
typedef struct takt_fmi3_answer {
    unsigned char needs_update, terminates, nominals, states, has_next;
    double next; ///< s
} takt_fmi3_answer;

takt_status takt_fmi3_update(takt_fmi3_instance *self, takt_fmi3_answer *answer, takt_error *err);

#endif

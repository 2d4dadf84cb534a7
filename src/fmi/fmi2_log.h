// SPDX-License-Identifier: MIT
// What an FMU of FMI 2.0 has to say: its messages go to the log, and the latest one is kept, because
// it usually tells why a call failed.
#ifndef TAKT_FMI_FMI2_LOG_H
#define TAKT_FMI_FMI2_LOG_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/log.h"
#include "fmi/fmi2.h"
#include "instance/model.h"

enum { TAKT_FMI2_TEXT_SIZE = 2048 }; ///< longer messages are cut

/// The environment that an FMU hands back to the logger.
typedef struct takt_fmi2_log {
    takt_log *log; ///< borrowed; may be NULL
    const takt_model *model;
    const char *instance;
    atomic_uint call; ///< counts the calls to the FMU; a message belongs to the present one
    pthread_mutex_t lock; ///< FMUs may log from threads of their own; protects what follows
    unsigned last_call; ///< the call during which `last` came
    char last[TAKT_FMI2_TEXT_SIZE];
} takt_fmi2_log;

void takt_fmi2_log_init(takt_fmi2_log *self, takt_log *log, const takt_model *model,
                        const char *instance);
void takt_fmi2_log_clear(takt_fmi2_log *self);

/// The function for fmi2CallbackFunctions. Withstands missing texts, and formats that are no formats.
void takt_fmi2_log_receive(fmi2ComponentEnvironment environment, fmi2String instance,
                           fmi2Status status, fmi2String category, fmi2String message, ...);

/// Copies the latest message of the present call, as one line; "" when there was none.
void takt_fmi2_log_last(takt_fmi2_log *self, char out[TAKT_FMI2_TEXT_SIZE]);

#endif

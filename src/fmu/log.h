// SPDX-License-Identifier: MIT
// What an instance of an FMU has to say: its messages go to the log, and the latest one is kept, because
// it usually says why a call failed. The callbacks of the FMI versions make the text and pass it on.
#ifndef TAKT_FMU_LOG_H
#define TAKT_FMU_LOG_H

#include <stdatomic.h>

#include "base/log.h"
#include "base/thread.h"
#include "instance/model.h"

enum { TAKT_FMU_TEXT_SIZE = 2048 }; ///< longer messages are cut

typedef struct takt_fmu_log {
    takt_log *log; ///< borrowed; may be NULL
    const takt_model *model;
    const char *instance;
    atomic_uint call; ///< counts the calls to the FMU; a message belongs to the present one
    atomic_uchar
        stage; ///< of `advance`, whose calls are counted together; see takt_instance::stage
    takt_mutex lock; ///< FMUs may log from threads of their own; protects what follows
    unsigned last_call; ///< the call during which `last` came
    unsigned char last_stage; ///< likewise
    char last[TAKT_FMU_TEXT_SIZE];
} takt_fmu_log;

/// Prepares a log. Returns false when memory is exhausted; then there is nothing to clear.
bool takt_fmu_log_init(takt_fmu_log *self, takt_log *log, const takt_model *model,
                       const char *instance);
void takt_fmu_log_clear(takt_fmu_log *self);

/// Takes a message. The status is that of any FMI version: their numbers agree. The category may be
/// NULL. Ends of lines and blanks at the end of `text` are cut off in place.
void takt_fmu_log_receive(takt_fmu_log *self, int status, const char *category, char *text);

/// Copies the latest message of the present call, as one line; "" when there was none.
void takt_fmu_log_last(takt_fmu_log *self, char out[TAKT_FMU_TEXT_SIZE]);

/// Copies a text, cut to `size` bytes with its final 0.
void takt_fmu_log_copy(char *out, size_t size, const char *text);

#endif

// SPDX-License-Identifier: MIT
// What an instance of an FMU has to say: its messages go to the log, and the latest one is kept, because
// it usually tells why a call failed. The callbacks of the FMI versions make the text and hand it over.
#ifndef TAKT_FMU_LOG_H
#define TAKT_FMU_LOG_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/log.h"
#include "fmi/fmi2.h"
#include "instance/model.h"

enum { TAKT_FMU_TEXT_SIZE = 2048 }; ///< longer messages are cut

typedef struct takt_fmu_log {
    takt_log *log; ///< borrowed; may be NULL
    const takt_model *model;
    const char *instance;
    atomic_uint call; ///< counts the calls to the FMU; a message belongs to the present one
    pthread_mutex_t lock; ///< FMUs may log from threads of their own; protects what follows
    unsigned last_call; ///< the call during which `last` came
    char last[TAKT_FMU_TEXT_SIZE];
} takt_fmu_log;

void takt_fmu_log_init(takt_fmu_log *self, takt_log *log, const takt_model *model,
                       const char *instance);
void takt_fmu_log_clear(takt_fmu_log *self);

/// Takes a message. The status is that of any FMI version: their numbers agree. The category may be
/// NULL. Ends of lines and blanks at the end of `text` are cut off in place.
void takt_fmu_log_receive(takt_fmu_log *self, int status, const char *category, char *text);

/// Copies the latest message of the present call, as one line; "" when there was none.
void takt_fmu_log_last(takt_fmu_log *self, char out[TAKT_FMU_TEXT_SIZE]);

/// The environment that an FMU hands back to its callbacks. It lives longer than the instance, because
/// FMUs with threads of their own may still log when the instance is gone; then nobody listens.
typedef struct takt_fmu_contact {
    fmi2CallbackFunctions fmi2; ///< FMUs of FMI 2.0 keep a pointer to it
    pthread_mutex_t lock; ///< held while a message is handled; protects what follows
    struct takt_fmu_instance *instance; ///< NULL: gone
    struct takt_fmu_contact *next; ///< of the same FMU
} takt_fmu_contact;

/// Makes a contact at the front of a list. Returns NULL when memory is exhausted.
takt_fmu_contact *takt_fmu_contact_create(struct takt_fmu_instance *instance,
                                          takt_fmu_contact **list);

/// From here on nobody listens. Waits for a message that is being handled.
void takt_fmu_contact_end(takt_fmu_contact *contact);

/// Frees a list of contacts that ended; `is_kept`: code of the FMU may still run, so that they must stay
/// until the process ends.
void takt_fmu_contacts_destroy(takt_fmu_contact *list, bool is_kept);

/// Begins to handle a call from the FMU: the instance, or NULL when it is gone or there is no environment.
/// Else takt_fmu_contact_leave() must follow.
struct takt_fmu_instance *takt_fmu_contact_enter(void *environment);
void takt_fmu_contact_leave(void *environment);

/// Copies a text, cut to `size` bytes with its final 0.
void takt_fmu_log_copy(char *out, size_t size, const char *text);

#endif

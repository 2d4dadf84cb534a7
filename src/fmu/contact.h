// SPDX-License-Identifier: MIT
// The environment that an FMU hands back to its callbacks. It lives longer than the instance, because FMUs
// with threads of their own may still log when the instance is gone; then nobody listens.
#ifndef TAKT_FMU_CONTACT_H
#define TAKT_FMU_CONTACT_H

#include "base/thread.h"
#include "fmi/fmi2.h"

typedef struct takt_fmu_contact {
    fmi2CallbackFunctions fmi2; ///< FMUs of FMI 2.0 keep a pointer to it
    takt_mutex lock; ///< held while a message is handled; protects what follows
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

#endif

// SPDX-License-Identifier: MIT
// Contacts of FMUs; see contact.h.
#include "fmu/contact.h"

#include <stdlib.h>

// Contacts that code which may still run can reach.
static takt_mutex kept_lock = TAKT_MUTEX_INIT;
static takt_fmu_contact *kept;

takt_fmu_contact *takt_fmu_contact_create(struct takt_fmu_instance *instance,
                                          takt_fmu_contact **list)
{
    takt_fmu_contact *contact = calloc(1, sizeof *contact);
    if (!contact || !takt_mutex_init(&contact->lock)) {
        free(contact);
        return NULL;
    }
    contact->instance = instance;
    contact->next = *list;
    *list = contact;
    return contact;
}

void takt_fmu_contact_end(takt_fmu_contact *contact)
{
    takt_mutex_lock(&contact->lock);
    contact->instance = NULL;
    takt_mutex_unlock(&contact->lock);
}

static void keep(takt_fmu_contact *contact)
{
    takt_mutex_lock(&kept_lock);
    contact->next = kept;
    kept = contact;
    takt_mutex_unlock(&kept_lock);
}

void takt_fmu_contacts_destroy(takt_fmu_contact *list, bool is_kept)
{
    while (list) {
        takt_fmu_contact *next = list->next;
        if (is_kept) {
            keep(list);
        } else {
            takt_mutex_clear(&list->lock);
            free(list);
        }
        list = next;
    }
}

struct takt_fmu_instance *takt_fmu_contact_enter(void *environment)
{
    takt_fmu_contact *contact = environment;
    if (!contact) return NULL;
    takt_mutex_lock(&contact->lock);
    if (contact->instance) return contact->instance;
    takt_mutex_unlock(&contact->lock);
    return NULL;
}

void takt_fmu_contact_leave(void *environment)
{
    takt_mutex_unlock(&((takt_fmu_contact *)environment)->lock);
}

// SPDX-License-Identifier: MIT
// What belongs to the whole process or thread and code of FMUs may change without being asked: the working folder, the
// locale, handlers and masks of signals, standard input, output and errors, the rights of new files, the control word of the x87 unit. (How the other units compute: float_mode.h,
// which is cheap enough to be looked at after each call.)
#ifndef TAKT_BASE_SURROUNDINGS_H
#define TAKT_BASE_SURROUNDINGS_H

#include <stdbool.h>

/// What has changed, as bits.
enum {
    TAKT_CHANGED_FOLDER = 1,
    TAKT_CHANGED_LOCALE = 2,
    TAKT_CHANGED_HANDLERS = 4,
    TAKT_CHANGED_MASK = 8,
    TAKT_CHANGED_X87 = 16,
    TAKT_CHANGED_FILES = 32, ///< standard ones were closed
    TAKT_CHANGED_UMASK = 64,
    TAKT_N_CHANGES = 7,
};

typedef struct takt_surroundings takt_surroundings;

/// Remembers how things are. NULL: out of memory; what cannot be found out is left alone later.
takt_surroundings *takt_surroundings_create(void);
void takt_surroundings_destroy(takt_surroundings *surroundings); ///< accepts NULL

/// Restores what has changed since, and returns it. Handlers of faults that were replaced by handlers, not by the
/// default, stay: virtual machines inside FMUs need theirs. Several threads must not call this at a time; masks and the x87 unit are those
/// of the calling thread, which must be the one that made it, or one like it. Accepts NULL.
int takt_surroundings_restore(takt_surroundings *surroundings);

/// The words for one change: "the working folder".
const char *takt_surroundings_name(int change);

#endif

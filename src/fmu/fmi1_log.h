// SPDX-License-Identifier: MIT
// The callbacks of FMI 1.0. Unlike those of later versions they hand back no pointer of ours, only the FMU's
// component (which does not exist yet while it is instantiated) and the name of the instance. So all
// instances of FMI 1.0 in the process are listed, and the callbacks look up which one is meant.
#ifndef TAKT_FMU_FMI1_LOG_H
#define TAKT_FMU_FMI1_LOG_H

#include "fmi/fmi1.h"
#include "fmu/log.h"

/// An instance in the list.
typedef struct takt_fmi1_listener {
    struct takt_fmi1_listener *next;
    struct takt_fmi1_listener **place; ///< what points to it; NULL: it is not in the list
    takt_fmu_log *log; ///< where its messages go
    const char *name;
    struct takt_step_signal *signal; ///< for the end of its steps
    fmiComponent component; ///< NULL: not made yet
} takt_fmi1_listener;

/// Enters and removes an instance; both may be called from any thread. A listener begins zeroed; removing
/// one that was not entered does nothing.
void takt_fmi1_log_enter(takt_fmi1_listener *listener);
void takt_fmi1_log_remove(takt_fmi1_listener *listener);

/// Says which component belongs to an instance.
void takt_fmi1_log_identify(takt_fmi1_listener *listener, fmiComponent component);

/// The function for fmiCallbackFunctions. Messages that nobody can be found for are dropped.
TAKT_FMI_CALL void takt_fmi1_log_receive(fmiComponent c, fmiString instance, fmiStatus status,
                                         fmiString category, fmiString message, ...);

/// The other function: wakes the instance whose pending step has ended.
TAKT_FMI_CALL void takt_fmi1_log_step_finished(fmiComponent c, fmiStatus status);

#endif

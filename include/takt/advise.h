// SPDX-License-Identifier: MIT
// Advice: what short trial runs of a system show, and the settings that follow from it.
#ifndef TAKT_ADVISE_H
#define TAKT_ADVISE_H

#include <string.h>

#include "takt/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How much work advice may cost, and who hears of it. Start from takt_advise_options_default().
typedef struct takt_advise_options {
    size_t size; ///< of this struct, set by takt_advise_options_default()
    int64_t max_steps; ///< communication steps of the first trial; the others follow it
    double max_time; ///< s of real time, for all trials together; looked at before each step
    /// With which the recommended command line begins: the project's file, and options ("--stop-time=5");
    /// NULL: its name.
    const char *const *words;
    int n_words; ///< how many
    void (*tell)(void *context, const char *what); ///< called when a trial begins; NULL: nobody
    takt_timeout_fn on_timeout; ///< as in takt_watch_options; NULL: it is only logged
    void *context; ///< of both functions
} takt_advise_options;

/// Fills options with their defaults, as far as their `size` says. Mostly called by takt_advise_options_default().
TAKT_API void takt_advise_options_init(takt_advise_options *options);

/// 500 steps, 30 s, no functions.
static inline takt_advise_options takt_advise_options_default(void)
{
    takt_advise_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    takt_advise_options_init(&options);
    return options;
}

/// Runs a system several times over a part of its interval, measures how its components behave and depend on
/// each other, and describes what was found and which settings are recommended, as text or JSON (layout:
/// docs/reference/files.md). A trial that fails is one of the findings; an error means that the system
/// cannot be run at all. The text is owned by the caller and freed with takt_free().
TAKT_API takt_status takt_advise(const takt_system *system, const takt_advise_options *options,
                                 takt_format format, char **out, takt_error *err);

#ifdef __cplusplus
}
#endif
#endif

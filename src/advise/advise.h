// SPDX-License-Identifier: MIT
// Advice: trial runs (trial.h) and measurements (probe.h) of a system, findings in order of importance, and
// the settings that follow from them.
#ifndef TAKT_ADVISE_ADVISE_H
#define TAKT_ADVISE_ADVISE_H

#include "advise/probe.h"
#include "takt/advise.h"

/// How much a finding matters.
typedef enum takt_weight {
    TAKT_WEIGHT_PROBLEM, ///< results are, or will be, wrong
    TAKT_WEIGHT_WARNING, ///< something cannot be done, or known, as well as it could
    TAKT_WEIGHT_NOTE, ///< something that costs time, and is dealt with
    TAKT_N_WEIGHTS
} takt_weight;

/// Something worth knowing.
typedef struct takt_finding {
    takt_weight weight;
    const char *kind; ///< for programs: "bad-tearing"
    const char *text; ///< for people: a sentence or more
} takt_finding;

/// An option of `takt run`.
typedef struct takt_recommendation {
    const char *option, *value; ///< "tolerance", "1e-3"
    const char *reason; ///< a clause
} takt_recommendation;

enum { TAKT_MAX_FINDINGS = 64, TAKT_MAX_RECOMMENDATIONS = 8 };

/// The difference between two trials of which one is more exact.
typedef struct takt_trust {
    bool is_known;
    bool is_controlled; ///< compared with error control; else with steps of half the size
    double difference; ///< relative
    double step_size; ///< s; of the trial with fixed steps that was compared; 0: none
    const char *variable; ///< where it is largest
    double time; ///< s
} takt_trust;

/// All that is known. Texts lie in the arena.
typedef struct takt_advice {
    takt_arena arena;
    const takt_system *system;
    const char *const *words; ///< as in takt_advise_options; at least one
    int n_words;
    const takt_plan *plan; ///< of the system as it is set; that of its groups where they are used
    takt_plan *own_plan; ///< the same
    takt_system *own_system; ///< that of the groups; NULL: there are none
    takt_trial trial; ///< with the settings as they are
    takt_probe probe;
    takt_trial reference; ///< what the trial is compared with
    takt_trust trust;
    /// Does an FMU offer model exchange? NULL: nobody knows.
    bool (*offers_me)(const takt_model *model);
    takt_finding findings[TAKT_MAX_FINDINGS];
    int n_findings;
    takt_recommendation recommendations[TAKT_MAX_RECOMMENDATIONS];
    int n_recommendations;
    bool has_failed; ///< memory is exhausted
} takt_advice;

/// Runs the trials and finds out everything. `out` is zero but for `system`, words and
/// `offers_me`, and is ended with takt_advice_clear() in any case.
takt_status takt_advice_make(takt_advice *out, const takt_advise_options *options, takt_error *err);
void takt_advice_clear(takt_advice *advice);

/// Can errors be controlled: do all components go back, and take steps of any size? Where rewinding is not exact,
/// they do not go back.
bool takt_advice_can_control(const takt_advice *advice);

/// Fills in findings and recommendations from what was measured.
void takt_advice_judge(takt_advice *advice);

/// All of it as text or JSON, owned by the caller; NULL when memory is exhausted.
char *takt_advice_text(const takt_advice *advice);
char *takt_advice_json(const takt_advice *advice);

#endif

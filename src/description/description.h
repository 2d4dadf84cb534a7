// SPDX-License-Identifier: MIT
// What a modelDescription.xml says, of any FMI version, besides what goes into the model.
#ifndef TAKT_DESCRIPTION_DESCRIPTION_H
#define TAKT_DESCRIPTION_DESCRIPTION_H

#include "instance/model.h"

/// When a clock of FMI 3.0 ticks (its intervalVariability). All but triggered ones tick at times that
/// the FMU gives.
typedef enum takt_clock_kind {
    TAKT_CLOCK_CONSTANT,
    TAKT_CLOCK_FIXED,
    TAKT_CLOCK_TUNABLE,
    TAKT_CLOCK_CHANGING,
    TAKT_CLOCK_COUNTDOWN,
    TAKT_CLOCK_TRIGGERED,
} takt_clock_kind;

typedef struct takt_fmi3_clock {
    int variable; ///< index in the model
    takt_clock_kind kind;
    bool can_be_deactivated;
    bool supports_fraction; ///< the FMU gives interval and shift also as fractions
    bool has_interval; ///< else the FMU is asked for interval and shift
    double interval, shift; ///< s
    uint64_t interval_counter, shift_counter; ///< the same as fractions of a second
    uint64_t resolution; ///< per second; 0: there are no fractions
} takt_fmi3_clock;

/// A variable that has a value only while one of its clocks ticks.
typedef struct takt_clocked {
    int variable; ///< index in the model
    int n_clocks;
    const int *clocks; ///< indices in takt_fmi3_description::clocks
} takt_clocked;

/// A limit for the size of a Binary, or of the elements of an array.
typedef struct takt_max_size {
    int first, n; ///< variables
    size_t max; ///< bytes
} takt_max_size;

/// What a structural parameter is set to before anything else.
typedef struct takt_fmi3_size {
    uint32_t reference;
    uint64_t value;
} takt_fmi3_size;

/// What only FMUs of FMI 3.0 have.
typedef struct takt_fmi3_description {
    const char *scheduled_identifier; ///< of scheduled execution; NULL: there is none
    bool might_return_early;
    bool evaluates_discrete_states;
    bool has_structural_parameters;
    const bool *is_size; ///< per variable: gives the size of an array; NULL: none does
    takt_fmi3_clock *clocks;
    int n_clocks;
    takt_clocked *clocked; ///< sorted by variable
    int n_clocked;
    takt_max_size *max_sizes; ///< sorted by variable
    int n_max_sizes;
} takt_fmi3_description;

/// The interface for model exchange.
typedef struct takt_me_description {
    const char *identifier; ///< NULL: there is none
    takt_capabilities can;
    int n_states, n_indicators;
    const takt_dependency
        *derivatives; ///< of the states, and what they depend on; NULL: not said (FMI 1.0)
    const int *states; ///< variables, -1: not said; NULL: as above
    bool skips_completed_step; ///< fmi2CompletedIntegratorStep is not needed
    const char **sources; ///< files to compile
    int n_sources;
} takt_me_description;

/// What only src/fmu needs to know; the rest goes into the model. Texts live in the model's arena.
typedef struct takt_description {
    int fmi_major; ///< 1, 2 or 3
    const char *guid; ///< instantiationToken of FMI 3.0
    const char *identifier; ///< of the co-simulation interface; NULL: there is none
    bool has_model_exchange;
    takt_me_description me;
    const char *mime_type; ///< of FMI 1.0
    const char **categories; ///< for logging
    int n_categories;
    takt_fmi3_description fmi3;
    const char **sources; ///< files to compile, of FMI 2.0
    int n_sources;
    const bool *is_negated; ///< per variable: the negative of its value reference; NULL: none is
} takt_description;

/// Values of structural parameters that replace those of a description.
typedef struct takt_fmi3_sizes {
    const takt_fmi3_size *items;
    int n_items;
} takt_fmi3_sizes;

#endif

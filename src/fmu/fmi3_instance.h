// SPDX-License-Identifier: MIT
// An instance of an FMU of FMI 3.0: what it knows. Only for src/fmu.
#ifndef TAKT_FMU_FMI3_INSTANCE_H
#define TAKT_FMU_FMI3_INSTANCE_H

#include "fmu/call.h"

/// When a clock ticks. The instance schedules the input clocks that tick at times the FMU gives.
typedef struct takt_clock_state {
    bool is_active; ///< ticks at this very instant
    bool has_ticked; ///< since its next tick was planned
    double next; ///< s; its next tick; infinite: none is known
    double interval; ///< s; of a periodic clock
    uint64_t counter, shift_counter; ///< the same as fractions, so that ticks do not drift
    uint64_t resolution; ///< per second; 0: there are no fractions
    double origin; ///< s; tick number 0 of a periodic clock since its interval changed
    uint64_t n_ticks; ///< since then
} takt_clock_state;

/// Values of clocked variables: they can only be read while a clock ticks, but are wanted at any time.
typedef struct takt_clocked_values {
    takt_access access; ///< to all clocked variables
    takt_slot *slots; ///< where the value of takt_fmi3_description::clocked[i] lies
    bool *is_initial; ///< has a value already in initialization mode
    takt_values values; ///< as of the latest ticks
} takt_clocked_values;

/// Where a value reference is found among the variables.
typedef struct takt_fmi3_place {
    uint32_t reference;
    int variable;
} takt_fmi3_place;

/// Inputs that change within a step.
typedef struct takt_fmi3_moving {
    uint32_t *refs; ///< of inputs that can be set within a step, of the whole FMU
    size_t n_refs;
    takt_motion motion;
    double t_end; ///< s; end of the step
    bool is_stepping; ///< fmi3DoStep is being called
    takt_status status; ///< of setting them; the message is in `err`
    takt_error err;
} takt_fmi3_moving;

typedef struct takt_fmi3_instance {
    takt_fmu_instance common; ///< first
    const takt_fmi3_functions *functions; ///< of the library
    takt_arena arena; ///< owns what the instance never gives back
    bool uses_events; ///< event mode is used
    double next_event; ///< s; as the FMU said in its latest update; infinite: none
    bool must_evaluate; ///< discrete states, before values are read in event mode
    takt_clock_state *clocks; ///< parallel to takt_fmi3_description::clocks
    uint32_t *clock_refs; ///< room for calls about clocks, for all of them at most
    fmi3Clock *clock_values;
    takt_clocked_values clocked;
    takt_fmi3_place *places; ///< of all variables, sorted; NULL: not needed so far
    takt_values
        *kept; ///< per array: what its elements were set to, for setting some of them; or NULL
    bool has_kept; ///< of any array
    void *room; ///< for converting values; grows to the largest access and is then reused
    size_t room_size; ///< bytes
    void *sizes; ///< the same for sizes of Binary values, which are size_t
    size_t sizes_size;
    void *wide; ///< the same for derivatives of whole arrays
    size_t wide_size;
    takt_fmi3_moving moving;
} takt_fmi3_instance;

static inline const takt_fmi3_description *takt_fmi3_of(const takt_fmi3_instance *self)
{
    return &self->common.fmu->description.fmi3;
}

/// Makes room for `size` bytes in memory that is reused. Returns false when memory is exhausted.
bool takt_fmi3_reserve(void **room, size_t *room_size, size_t size);

#endif

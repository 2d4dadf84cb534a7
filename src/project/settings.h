// SPDX-License-Identifier: MIT
// The settings of an experiment. One table serves the command line (--step-size 0.1), the annotation
// in the SSD (step-size="0.1"), the API and the documentation.
#ifndef TAKT_PROJECT_SETTINGS_H
#define TAKT_PROJECT_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/number.h"
#include "project/algorithms.h"
#include "project/time_unit.h"
#include "takt/project.h"

/// Which estimates the error test uses.
typedef enum takt_error_estimate {
    TAKT_ESTIMATE_BOTH,
    TAKT_ESTIMATE_RICHARDSON,
    TAKT_ESTIMATE_SLOPE,
} takt_error_estimate;

/// What is compared with the tolerances.
typedef enum takt_norm {
    TAKT_NORM_ERROR, ///< the largest error, of any value, by its own scale
    TAKT_NORM_PAPERS, ///< means over the system, of changes and of connected values, as in the papers' program
} takt_norm;

/// Which derivatives inputs get that an instance can let change within a step.
typedef enum takt_input_derivatives {
    TAKT_DERIVATIVES_OFF, ///< inputs are held
    TAKT_DERIVATIVES_FMU, ///< those that the source gives
    TAKT_DERIVATIVES_ESTIMATE, ///< as well as estimated ones where it gives none
} takt_input_derivatives;

/// In which order components are called.
typedef enum takt_call_order {
    TAKT_ORDER_AUTO, ///< by flow, in a loop by feedthrough; the project's list does not matter
    TAKT_ORDER_FLOW, ///< sources before their targets, the members of a loop as listed
    TAKT_ORDER_LISTED, ///< all as listed
} takt_call_order;

typedef enum takt_time_grid { TAKT_GRID_EXACT, TAKT_GRID_ACCUMULATED } takt_time_grid;

/// Where rows of an output interval lie: on its points, at which steps end; at the next communication points; on its
/// points, drawn between communication points.
typedef enum takt_output_grid {
    TAKT_OUTPUT_EXACT,
    TAKT_OUTPUT_NEXT,
    TAKT_OUTPUT_INTERPOLATED,
} takt_output_grid;

/// Which interface of an FMU is used where it offers both.
typedef enum takt_interface { TAKT_INTERFACE_CS, TAKT_INTERFACE_ME } takt_interface;

/// Whether FMUs for model exchange that are connected directly are integrated one by one or together.
typedef enum takt_me_mode { TAKT_ME_SEPARATE, TAKT_ME_CENTRAL } takt_me_mode;

/// How FMUs for model exchange are integrated.
typedef enum takt_solver {
    TAKT_SOLVER_CVODE_BDF,
    TAKT_SOLVER_CVODE_ADAMS,
    TAKT_SOLVER_EULER,
    TAKT_SOLVER_RK4,
} takt_solver;

/// How FMUs run; see fmu/options.h.
typedef enum takt_binary {
    TAKT_BINARY_AUTO,
    TAKT_BINARY_NATIVE,
    TAKT_BINARY_SOURCES,
    TAKT_BINARY_WINE,
    TAKT_BINARY_LINUX32
} takt_binary;

/// What becomes of an isolated component that crashes.
typedef enum takt_on_crash {
    TAKT_ON_CRASH_STOP,
    TAKT_ON_CRASH_HOLD,
    TAKT_ON_CRASH_RESTART
} takt_on_crash;

enum { TAKT_MAX_SETTINGS = 64 };

/// Texts of a setting that may be given several times.
typedef struct takt_text_list {
    const char **items;
    int n_items;
} takt_text_list;

typedef struct takt_settings {
    double start_time, stop_time; ///< s
    double step_size; ///< s
    takt_text_list step_sizes_of; ///< "GLOB=TIME": longer steps of single components
    double
        tolerance; ///< relative; of the coupled solution, and, a part of it, of the instances' integrators
    takt_algorithm algorithm; ///< for everything without an own one
    takt_text_list loop_algorithms; ///< "LOOP=NAME", from algorithm as well
    takt_text_list algorithm_at; ///< "TIME:NAME" or "TIME:LOOP=NAME"
    takt_call_order call_order;
    int64_t iterations; ///< limit per step
    double damping; ///< first factor of Newton steps
    bool strict; ///< what may make results wrong is a failure
    takt_step_control step_control;
    double step_min, step_max; ///< s
    double step_fallback; ///< s; smaller steps are not iterated
    double step_reduction, step_growth; ///< factors of convergence control
    double step_factor_min, step_factor_max; ///< limits of the factor that the error suggests
    takt_error_estimate error_estimate;
    takt_norm norm;
    double relative_tolerance, absolute_tolerance; ///< of the norms
    takt_input_derivatives input_derivatives;
    takt_text_list event_times; ///< "TIME": known communication points
    takt_time_grid time_grid;
    bool overstep_end;
    double output_interval; ///< s; 0: a row at every communication point
    takt_output_grid output_grid;
    double output_origin; ///< s; a point of the output grid; if not given, the start time
    takt_time_unit output_time_unit;
    takt_text_list input_files; ///< tables that drive inputs
    takt_text_list scenarios; ///< files with changes at known times
    takt_text_list record, record_exclude;
    takt_text_list record_connected; ///< globs of names of components
    int64_t jobs; ///< threads; 0: one per processor
    takt_text_list one_thread; ///< globs of names of components
    bool compile_sources; ///< of FMUs that have no library for this platform
    takt_binary binary;
    takt_interface interface;
    takt_me_mode me;
    takt_solver solver;
    double solver_tolerance; ///< relative; 0: as the run says, else the default
    double solver_step; ///< s; of solvers with fixed steps; 0: by the step size
    takt_text_list solver_of, solver_tolerance_of, solver_step_of; ///< "COMPONENT=VALUE"
    bool same_steps; ///< all components make the same steps
    bool separate_libraries; ///< one copy of an FMU's library per instance
    takt_text_list isolate; ///< globs of names of components: FMUs in processes of their own
    bool sandbox; ///< of isolated FMUs; if it is asked for, all are isolated
    takt_text_list sandbox_read, sandbox_write; ///< files and folders that they may use besides
    int64_t memory_limit; ///< bytes, of an isolated FMU; 0: none
    takt_on_crash on_crash;
    double timeout; ///< s of real time per call to an FMU; 0: none
    uint64_t given; ///< bit i: setting i (its index in the table) was given, not defaulted
    uint64_t overridden; ///< bit i: it was given by takt_settings_override()
} takt_settings;

takt_settings takt_settings_default(void);

/// Sets one setting from text. `arena` keeps copies of texts. Fails with TAKT_ERR_USAGE for an
/// unknown name (with a suggestion) or an impossible value.
takt_status takt_settings_set(takt_settings *settings, takt_arena *arena, const char *name,
                              const char *value, takt_error *err);

/// Fails because there is no setting of that name, with a suggestion.
takt_status takt_settings_fail_unknown(const char *name, takt_error *err);

/// The same for a setting on the command line or through the API: it replaces what was set before,
/// of a setting that may be given several times the whole list.
takt_status takt_settings_override(takt_settings *settings, takt_arena *arena, const char *name,
                                   const char *value, takt_error *err);

/// May the setting be given several times? False for an unknown name.
bool takt_settings_is_repeatable(const char *name);

/// The index of a setting in the table, by the address of its field in `settings`; -1: there is none.
int takt_settings_index(const takt_settings *settings, const void *field);

/// Was the setting given by the user? `field` is the address of the field in `settings`.
bool takt_settings_has(const takt_settings *settings, const void *field);

/// Are fixed steps made by prediction where instances can follow? Not where the user has chosen algorithms, or how
/// inputs move.
bool takt_settings_predict_fixed(const takt_settings *settings);

/// Are algorithms chosen for the user everywhere and always?
bool takt_settings_are_automatic(const takt_settings *settings);

/// Is there an error test that looks at outputs which nobody reads?
bool takt_settings_test_outputs(const takt_settings *settings);
bool takt_settings_is_overridden(const takt_settings *settings, const void *field);

/// The value of setting number `index` as one would write it, in `arena`; "" when it has none, NULL when
/// memory is exhausted. Several are separated by blanks.
const char *takt_settings_text(const takt_settings *settings, int index, takt_arena *arena);

/// The same by the setting's name, in memory of its own that is freed with free().
takt_status takt_settings_print(const takt_settings *settings, const char *name, char **out,
                                takt_error *err);

/// The values that were given for setting number `index`, one by one (`i` from 0), as one would write
/// them, perhaps in `room`; NULL after the last one.
const char *takt_settings_value(const takt_settings *settings, int index, int i,
                                char room[TAKT_NUMBER_SIZE]);

/// The index of a setting in the table by its name, or -1; and its list, if it may be given several times, else NULL.
int takt_settings_find(const char *name);
takt_text_list *takt_settings_list(takt_settings *settings, int index);

/// A component has another name from now on: changes what names it in lists. Returns false when memory is exhausted.
bool takt_settings_rename(takt_settings *settings, takt_arena *arena, const char *name,
                          const char *new_name);

/// A change of algorithm during the run, as an item of `algorithm_at` says.
typedef struct takt_algorithm_change {
    double time; ///< s
    const char *choice; ///< "NAME" or "LOOP=NAME"; borrowed from the item
    const char *algorithm; ///< "NAME"; borrowed from the item
} takt_algorithm_change;

/// Reads an item of `algorithm_at`; the name of the algorithm is not checked. Returns false when it
/// has another form.
bool takt_algorithm_change_read(const char *item, takt_algorithm_change *out);

/// Reads an item of `step_sizes_of`: the pattern of components, and their step size in s. Returns false
/// when it has another form.
enum { TAKT_PATTERN_SIZE = 1024 }; // with a terminating 0
bool takt_step_size_read(const char *item, char pattern[TAKT_PATTERN_SIZE], double *size);

/// The value for a component in a list of "COMPONENT=VALUE"; NULL: there is none. The last one counts.
const char *takt_settings_of(const takt_text_list *list, const char *component);
bool takt_solver_find(const char *name, takt_solver *out);

/// Splits an item of `loop_algorithms`: the length of the name before the last '=', and the
/// algorithm behind it.
size_t takt_algorithm_of_loop(const char *item, takt_algorithm *out);

#endif

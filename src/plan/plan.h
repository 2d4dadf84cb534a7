// SPDX-License-Identifier: MIT
// The plan: in which order instances are called, which of them form loops, and where every value
// lies. Compiled once from the system; the step loop is driven by these arrays alone.
//
// The values of connections lie in two sets of arrays: y holds what is read from instances, u what is set.
// Within y and u the values of one instance are contiguous, in the order of its takt_access, so that
// an FMI call works on them directly. `sources` says for each value of u which value of y it gets; real
// values may be scaled on the way (units), and adapters convert values of other types. What an adapter
// sets has a source of its own at the end of y that is never read.
#ifndef TAKT_PLAN_PLAN_H
#define TAKT_PLAN_PLAN_H

#include "instance/watch.h"
#include "system/system.h"

/// Instances that are advanced together. Blocks are called in order, one after the other.
typedef struct takt_block {
    const int *members; ///< indices of components, in calling order
    int n_members;
    int level; ///< blocks of the same level do not depend on each other
    bool is_loop; ///< the members depend on each other
    bool is_algebraic; ///< a dependency circle passes through feedthrough alone
    takt_algorithm algorithm; ///< never TAKT_ALGORITHM_AUTO
    const int *
        torn; ///< real values, by index in y, that a member reads before they are delivered; ascending
    int n_torn;
} takt_block;

/// A value that is not simply copied from y to u: of another kind, mapped, or to be checked. It is an
/// integer in y.
typedef struct takt_adapter {
    takt_slot from; ///< in y
    takt_slot to; ///< in u
    const takt_value_map *map; ///< applied first; borrowed from the system
    double factor, offset; ///< if the target is real
    int64_t least, greatest; ///< what the target can hold, if it is an integer
    int connection; ///< index in the system, for messages
} takt_adapter;

/// An input that is recorded: with the values that are read for a row its real value is copied from u to y.
typedef struct takt_copy {
    int from, to;
} takt_copy;

typedef struct takt_plan_instance {
    takt_access inputs; ///< connected ones
    takt_access outputs; ///< connected ones
    takt_access recorded; ///< needed for results only, read when a row is written
    takt_access constants; ///< the same, but of values that never change: read for the first row
    takt_access tested; ///< continuous outputs that nobody reads but the error test
    bool *is_shown; ///< per value of `tested`: it is a column
    int n_shown;
    const takt_adapter *adapters; ///< of its inputs; applied after the values were copied
    int n_adapters;
    const takt_copy *copies; ///< of recorded inputs
    int n_copies;
    int first_input[TAKT_N_KINDS]; ///< where the values lie in u
    int first_output[TAKT_N_KINDS]; ///< where the values lie in y
    int first_recorded[TAKT_N_KINDS]; ///< where the values lie in y
    int first_constant[TAKT_N_KINDS]; ///< where the values lie in y
    int first_tested[TAKT_N_KINDS]; ///< where the values lie in y
} takt_plan_instance;

/// One column of the results.
typedef struct takt_column {
    takt_reference reference;
    takt_slot slot; ///< in y
} takt_column;

/// During initialization, or in a flow: reads some outputs of an instance into y, or sets some inputs from u.
typedef struct takt_init_action {
    bool is_set;
    int instance;
    takt_access access;
    const int *index[TAKT_N_KINDS]; ///< for each value of the access its index in y or u
} takt_init_action;

/// Actions that must be repeated until nothing changes (a loop), or done once.
typedef struct takt_init_stage {
    bool is_loop;
    const takt_init_action *actions;
    int n_actions;
} takt_init_stage;

/// On what the outputs of a component depend: what its model says or, more exactly, its instance.
typedef struct takt_plan_dependencies {
    const takt_dependency *outputs;
    int n_outputs;
    const takt_dependency *initial_unknowns;
    int n_initial_unknowns;
} takt_plan_dependencies;

struct takt_plan {
    takt_arena arena;
    const takt_system *system; ///< must outlive the plan
    bool is_static; ///< made without asking instances
    takt_watch *watch; ///< of instances that are asked while it is made; NULL: none
    takt_block *blocks; ///< in calling order
    int n_blocks;
    int n_levels;
    takt_plan_instance *instances; ///< one per component
    takt_plan_dependencies *dependencies; ///< one per component
    const int *sources[TAKT_N_KINDS]; ///< for each value of u its index in y
    int unused[TAKT_N_KINDS]; ///< source of values that only an adapter sets; -1: none
    const double *factors, *offsets; ///< per real value of u; NULL: no value is scaled
    int n_inputs[TAKT_N_KINDS]; ///< length of u
    int n_outputs[TAKT_N_KINDS]; ///< length of y, with the recorded values
    takt_column *columns; ///< of the results
    int n_columns;
    takt_init_stage *init_stages; ///< in order; see also takt_plan_create_flow()
    int n_init_stages;
};
typedef struct takt_plan takt_plan;

/// Makes the plan. Where a model can say more than its description, an instance is made and asked; where it says
/// nothing on what the outputs of a member of a loop depend, instances make steps on trial. The static plan does
/// without.
takt_status takt_plan_create(const takt_system *system, takt_plan **out, takt_error *err);
takt_status takt_plan_create_watched(const takt_system *system, takt_watch *watch, takt_plan **out,
                                     takt_error *err);
takt_status takt_plan_create_static(const takt_system *system, takt_plan **out, takt_error *err);

/// A plan without blocks, whose stages pass the values of all outputs to all inputs at one point of time, in
/// the order of feedthrough, with algebraic loops as loops. For passing values inside a step.
takt_status takt_plan_create_flow(const takt_system *system, takt_watch *watch, takt_plan **out,
                                  takt_error *err);
void takt_plan_destroy(takt_plan *plan);

/// How many real values the actions of a stage read.
int takt_stage_n_read(const takt_init_stage *stage);

/// Tears a loop: the real outputs that are read only after an input that they feed was set must be guessed.
/// If not `in_turn`, all inputs are set before any output is read. Writes their indices in y to `torn`, which
/// has room for takt_stage_n_read(): a sweep that finds the guesses in y passes them on, and replaces them by
/// what it reads. `marks` has room for the real values of y and is all false before and after. Returns how
/// many are torn.
int takt_stage_tear(const takt_plan *plan, const takt_init_stage *stage, bool in_turn, bool *marks,
                    int *torn);

/// Are steps made by prediction, to a tolerance or with fixed steps? Then that takes the place of the algorithms of blocks.
bool takt_plan_predicts(const takt_plan *plan);

/// The algorithm of a block as the run will name it: where steps are made by prediction, that is it.
const char *takt_plan_algorithm(const takt_plan *plan, const takt_block *block);

/// The name of the output behind a real value of y that a member of a block delivers, in `arena`; NULL: out of memory, or there is none.
const char *takt_plan_torn(const takt_plan *plan, const takt_block *block, int value,
                           takt_arena *arena);

/// Reports settings that have no effect on steps by prediction, if the plan has them.
void takt_plan_report_idle(const takt_plan *plan, takt_problems *problems);

/// Describes calling sequence, levels, loops and feedthrough; see takt_system_describe().
takt_status takt_plan_describe(const takt_plan *plan, takt_format format, char **out,
                               takt_error *err);

#endif

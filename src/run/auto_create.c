// SPDX-License-Identifier: MIT
// What steps by prediction need, made once; see auto.h.
#include <float.h>
#include <math.h>
#include <string.h>

#include "run/auto.h"
#include "run/couple_loop.h"
#include "run/scale.h"
#include "run/way_back.h"

// Accepted steps before the first spot checks.
enum { FIRST_SPOT = 8 };

// Torn values for which a loop has a matrix. Loops with more of them keep so many secants.
enum { MOST_DENSE = 100, SECANTS = 30 };

// What algebraic loops may leave, in units of the tolerance, where the size of steps depends on how smooth values are.
static const double ALGEBRAIC = 1e-2;
// The longest step, of the interval: almost a tenth. Steps that are multiples of a round time would meet what recurs with
// that always in the same phase, and never see it.
static const double MOST = 0.0962;

static void find_owners(takt_auto *own)
{
    const takt_plan *plan = own->run->plan;
    int rank = 0;
    for (int i = 0; i < own->history->n_values; i++) own->owners[i] = -1;
    for (int b = 0; b < plan->n_blocks; b++)
        for (int m = 0; m < plan->blocks[b].n_members; m++)
            own->ranks[plan->blocks[b].members[m]] = rank++,
            own->blocks[plan->blocks[b].members[m]] = b;
    for (int i = 0; i < own->run->work.n_instances; i++) {
        const takt_plan_instance *instance = &plan->instances[i];
        int first = instance->first_output[TAKT_KIND_REAL];
        for (int k = 0; k < instance->outputs.n_values[TAKT_KIND_REAL]; k++)
            own->owners[first + k] = i;
        first = instance->first_tested[TAKT_KIND_REAL];
        for (int k = 0; k < instance->tested.n_values[TAKT_KIND_REAL]; k++) {
            own->owners[first + k] = i;
            own->is_unread[first + k] = true;
        }
    }
}

// Connected values, and outputs that nobody reads. Tables are known, and steps end at their knots.
static void find_tested(takt_auto *own)
{
    for (int i = 0; i < own->history->n_values; i++)
        own->is_tested[i] = own->owners[i] >= 0 && own->couple.movement.is_continuous[i] &&
                            !own->couple.movement.is_straight[i];
}

// Which values are meant in what every step does.
static bool list_ranges(takt_auto *own)
{
    takt_arena *arena = &own->run->arena;
    const bool *is_continuous = own->couple.movement.is_continuous;
    int n = own->history->n_values;
    bool *is_ahead = takt_arena_array(arena, (size_t)n, sizeof *is_ahead);
    if (!is_ahead || !takt_ranges_create(arena, n, &own->all_tested) ||
        !takt_ranges_create(arena, n, &own->ahead) || !takt_ranges_create(arena, n, &own->drawn))
        return false;
    for (int i = 0; i < n; i++) {
        is_ahead[i] = is_continuous[i] && own->owners[i] >= 0;
        if (own->owners[i] >= 0) own->n_delivered = i + 1;
        if (own->is_unread[i]) own->unread[own->n_unread++] = i;
    }
    takt_ranges_list(&own->all_tested, own->is_tested, n);
    takt_ranges_list(&own->ahead, is_ahead, n);
    takt_ranges_list(&own->drawn, is_continuous, n);
    own->tested = own->all_tested;
    return true;
}

static bool has_discrete(const takt_auto *own, int i_instance)
{
    const takt_plan_instance *plan = &own->run->plan->instances[i_instance];
    const int *n = plan->outputs.n_values, *first = plan->first_output;
    bool is_discrete = n[TAKT_KIND_INTEGER] > 0 || n[TAKT_KIND_BYTES] > 0;
    for (int k = first[TAKT_KIND_REAL]; k < first[TAKT_KIND_REAL] + n[TAKT_KIND_REAL]; k++)
        is_discrete |= !own->couple.movement.is_continuous[k];
    return is_discrete;
}

static bool is_checkable(const takt_run *run, int i_instance)
{
    const takt_run_instance *at = &run->work.instances[i_instance];
    const takt_model *model = at->instance->model;
    bool is_table = model->version && strcmp(model->version, "table") == 0;
    return !at->is_function && !is_table && model->can.variable_step;
}

// Instances and blocks for which every step has more to do.
static void list_special(takt_auto *own)
{
    const takt_plan *plan = own->run->plan;
    for (int i = 0; i < own->run->work.n_instances; i++) {
        bool has_choice = own->couple.movement.of[i].n_held > 0;
        if (has_discrete(own, i)) own->discrete[own->n_discrete++] = i;
        if (own->couple.has_unread[i]) own->partly_unread[own->n_partly_unread++] = i;
        own->is_checkable[i] = is_checkable(own->run, i);
        own->couple.loops[own->blocks[i]].has_choice |= has_choice;
        own->needs_rate |= has_choice;
    }
    for (int b = 0; b < plan->n_blocks; b++)
        if (plan->blocks[b].is_loop || own->couple.loops[b].has_choice)
            own->probed[own->n_probed++] = b;
}

// The tested values by instance.
static void list_tested(takt_auto *own)
{
    takt_couple *couple = &own->couple;
    int n = own->run->work.n_instances;
    for (int i = 0; i < own->history->n_values; i++)
        if (own->is_tested[i]) couple->first_tested[own->owners[i] + 1]++;
    for (int i = 0; i < n; i++) couple->first_tested[i + 1] += couple->first_tested[i];
    for (int i = 0; i < own->history->n_values; i++) {
        if (!own->is_tested[i]) continue;
        couple->tested[couple->first_tested[own->owners[i]]++] = i;
        couple->has_unread[own->owners[i]] |= own->is_unread[i];
    }
    for (int i = n; i > 0; i--) couple->first_tested[i] = couple->first_tested[i - 1];
    couple->first_tested[0] = 0;
}

// The values for which takt_course::past is of use.
static bool list_followed(takt_auto *own)
{
    int n = own->history->n_values;
    bool *marks = own->run->work.marks; // all false
    own->past = takt_arena_array(&own->run->arena, (size_t)n, sizeof *own->past);
    if (!own->past || !takt_ranges_create(&own->run->arena, n, &own->followed)) return false;
    for (int i = 0; i < own->run->work.n_instances; i++) {
        const takt_moving *moving = &own->couple.movement.of[i];
        if (moving->is_simple) marks[moving->inputs->source] = true;
    }
    takt_ranges_list(&own->followed, marks, n);
    memset(marks, 0, (size_t)n * sizeof *marks);
    return true;
}

// The tested values that others read, in the order in which levels deliver them.
static bool list_watched(takt_auto *own)
{
    const takt_levels *levels = &own->levels;
    const takt_couple *couple = &own->couple;
    takt_arena *arena = &own->run->arena;
    int n = 0;
    own->watched = takt_arena_array(arena, (size_t)own->history->n_values, sizeof *own->watched);
    own->first_watched = takt_arena_array(arena, (size_t)levels->n + 1, sizeof(int));
    if (!own->watched || !own->first_watched) return false;
    for (int level = 0; level < levels->n; level++) {
        for (int k = levels->first[level]; k < levels->first[level + 1]; k++) {
            const takt_block *block = &own->run->plan->blocks[levels->blocks[k]];
            for (int m = 0; m < block->n_members; m++) {
                int i = block->members[m];
                for (int v = couple->first_tested[i]; v < couple->first_tested[i + 1]; v++)
                    if (!own->is_unread[couple->tested[v]]) own->watched[n++] = couple->tested[v];
            }
        }
        own->first_watched[level + 1] = n;
    }
    return true;
}

// Does a member read a torn value that its outputs depend on directly? Then one sweep leaves them wrong, however
// short the step is.
static bool is_inconsistent(const takt_auto *own, const takt_block *block)
{
    const takt_plan *plan = own->run->plan;
    for (int m = 0; m < block->n_members; m++) {
        int i = block->members[m];
        const takt_access *inputs = &plan->instances[i].inputs;
        const int *from =
            plan->sources[TAKT_KIND_REAL] + plan->instances[i].first_input[TAKT_KIND_REAL];
        for (int k = 0; k < inputs->n_values[TAKT_KIND_REAL]; k++) {
            int owner = own->owners[from[k]];
            bool is_torn =
                owner >= 0 && !own->is_unread[from[k]] && own->ranks[owner] >= own->ranks[i];
            int variable = takt_access_index(inputs, TAKT_KIND_REAL, k);
            if (is_torn && takt_moving_feeds_through(own->run, i, variable)) return true;
        }
    }
    return false;
}

// Torn values that can be predicted: discrete ones are not.
static bool list_torn(takt_auto *own, const takt_block *block, takt_coupled *loop)
{
    int *torn = takt_arena_array(&own->run->arena, (size_t)block->n_torn, sizeof *torn);
    if (!torn) return false;
    for (int i = 0; i < block->n_torn; i++)
        if (own->couple.movement.is_continuous[block->torn[i]])
            torn[loop->n_torn++] = block->torn[i];
    loop->torn = torn;
    return true;
}

static takt_status make_loop(takt_auto *own, int b, takt_error *err)
{
    takt_run *run = own->run;
    takt_coupled *loop = &own->couple.loops[b];
    const takt_block *block = &run->plan->blocks[b];
    if (!list_torn(own, block, loop)) return takt_fail_memory(err);
    size_t n = (size_t)loop->n_torn;
    double *room = takt_arena_array(&run->arena, 7 * n, sizeof *room);
    if (!room) return takt_fail_memory(err);
    loop->inverse =
        (takt_inverse){.n = loop->n_torn, .room = loop->n_torn > MOST_DENSE ? SECANTS : 0};
    double **parts[] = {&loop->w, &loop->g, &loop->d, &loop->dg, &loop->scale, &loop->room};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) *parts[k] = room + k * n;
    bool is_algebraic = block->is_algebraic || is_inconsistent(own, block);
    return is_algebraic ? takt_couple_loop_create(&own->couple, b, err) : TAKT_OK;
}

// What a loop carries.
static size_t lay_out_loop(takt_coupled *loop, char *memory)
{
    size_t size = (sizeof *loop->state + 15) / 16 * 16;
    size_t rest = loop->algebraic
                      ? takt_couple_loop_memory(loop->algebraic)
                      : takt_inverse_size(loop->n_torn, loop->inverse.room) * sizeof(double);
    if (!memory) return size + (rest + 15) / 16 * 16;
    loop->state = (takt_coupled_state *)(void *)memory;
    if (loop->algebraic)
        takt_couple_loop_attach(loop->algebraic, memory + size);
    else
        loop->inverse.numbers = (double *)(void *)(memory + size);
    return size + (rest + 15) / 16 * 16;
}

// Everything that is carried lies one after the other. NULL: only the size is wanted.
static size_t lay_out(takt_auto *own, char *memory)
{
    const takt_run *run = own->run;
    size_t n_y = (size_t)run->plan->n_outputs[TAKT_KIND_REAL], size = 0;
    size_t n = (size_t)run->work.n_instances;
    struct piece {
        void *pointer;
        size_t size;
    } pieces[] = {{&own->state, sizeof *own->state},
                  {&own->history, takt_history_size((int)n_y)},
                  {&own->floors, n_y * sizeof *own->floors},
                  {&own->couple.noise.of, n_y * sizeof(double)},
                  {&own->couple.noise.resolution, n_y * sizeof(double)},
                  {&own->scales.noted, n_y * sizeof *own->scales.noted},
                  {&own->scales.least, n_y * sizeof *own->scales.least},
                  {&own->scales.largest, n * sizeof *own->scales.largest},
                  {&own->n_at_once, n * sizeof *own->n_at_once},
                  {&own->couple.schemes, n * sizeof *own->couple.schemes},
                  {&own->held.states, n * sizeof *own->held.states},
                  {&own->held.twin_times, n * sizeof *own->held.twin_times},
                  {&own->held.least, n_y * sizeof *own->held.least},
                  {&own->held.most, n_y * sizeof *own->held.most},
                  {&own->slopes.n_wrong, own->slopes.is_possible * n * sizeof(int)},
                  {&own->slopes.slopes, own->slopes.is_possible * n_y * sizeof(double)},
                  {&own->slopes.is_known, own->slopes.is_possible * n_y * sizeof(bool)},
                  {&own->rate.state, sizeof *own->rate.state},
                  {&own->rate.points, takt_history_size(own->rate.is_possible ? (int)n_y : 0)},
                  {&own->rate.is_slow, n * sizeof *own->rate.is_slow},
                  {&own->rate.worst, n * sizeof *own->rate.worst},
                  {&own->rate.n_wins, n * sizeof *own->rate.n_wins},
                  {&own->spots, n * sizeof *own->spots},
                  {&own->pulses, n * sizeof *own->pulses}};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        char *at = memory ? memory + size : NULL;
        if (memory) memcpy(pieces[i].pointer, &at, sizeof at);
        size += (pieces[i].size + 15) / 16 * 16;
    }
    for (int b = 0; b < run->plan->n_blocks; b++) {
        takt_coupled *loop = &own->couple.loops[b];
        if (loop->n_torn > 0 || loop->algebraic)
            size += lay_out_loop(loop, memory ? memory + size : NULL);
    }
    return size;
}

static bool make_arrays(takt_auto *own)
{
    takt_run *run = own->run;
    takt_arena *arena = &run->arena;
    size_t n_y = (size_t)run->plan->n_outputs[TAKT_KIND_REAL], n = (size_t)run->work.n_instances;
    own->scale = takt_arena_array(arena, n_y, sizeof *own->scale);
    own->predicted = takt_arena_array(arena, n_y, sizeof *own->predicted);
    own->is_tested = takt_arena_array(arena, n_y, sizeof *own->is_tested);
    own->is_unread = takt_arena_array(arena, n_y, sizeof *own->is_unread);
    own->owners = takt_arena_array(arena, n_y, sizeof *own->owners);
    own->ranks = takt_arena_array(arena, n, sizeof *own->ranks);
    own->blocks = takt_arena_array(arena, n, sizeof *own->blocks);
    own->kept = takt_arena_array(arena, n_y, sizeof *own->kept);
    own->unread = takt_arena_array(arena, n_y, sizeof *own->unread);
    own->partly_unread = takt_arena_array(arena, n, sizeof *own->partly_unread);
    own->discrete = takt_arena_array(arena, n, sizeof *own->discrete);
    own->is_checkable = takt_arena_array(arena, n, sizeof *own->is_checkable);
    own->probed = takt_arena_array(arena, (size_t)run->plan->n_blocks, sizeof *own->probed);
    own->couple.first = takt_arena_array(arena, n_y, sizeof *own->couple.first);
    own->couple.is_stepped = takt_arena_array(arena, n, sizeof *own->couple.is_stepped);
    own->couple.tested = takt_arena_array(arena, n_y, sizeof *own->couple.tested);
    own->couple.first_tested = takt_arena_array(arena, n + 1, sizeof *own->couple.first_tested);
    own->couple.has_unread = takt_arena_array(arena, n, sizeof *own->couple.has_unread);
    own->couple.loops =
        takt_arena_array(arena, (size_t)run->plan->n_blocks, sizeof *own->couple.loops);
    return own->blocks && own->kept && own->unread && own->discrete && own->is_checkable &&
           own->partly_unread && own->probed && own->scale && own->predicted && own->is_tested &&
           own->is_unread && own->owners && own->couple.tested && own->couple.first_tested &&
           own->couple.has_unread && own->ranks && own->couple.first && own->couple.is_stepped &&
           own->couple.loops;
}

static void begin_loops(takt_auto *own)
{
    for (int b = 0; b < own->run->plan->n_blocks; b++) {
        takt_coupled *loop = &own->couple.loops[b];
        if (loop->n_torn == 0 && !loop->algebraic) continue;
        *loop->state = (takt_coupled_state){
            .is_implicit = loop->algebraic != NULL, .n_locks = 1, .rho = 1, .h_rho = own->h_first};
        if (!loop->algebraic) takt_inverse_reset(&loop->inverse);
    }
}

// What is carried, as it is before the first step.
static void begin(takt_auto *own)
{
    takt_run *run = own->run;
    const takt_settings *settings = &run->plan->system->settings;
    double length = settings->stop_time - settings->start_time;
    bool has_least = takt_settings_has(settings, &settings->step_min);
    bool has_first = takt_settings_has(settings, &settings->step_size);
    own->h_most = fmin(settings->step_max, MOST * length);
    double resolution =
        16 * DBL_EPSILON * fmax(fabs(settings->start_time), fabs(settings->stop_time));
    own->h_least = has_least ? settings->step_min : fmax(1e-13 * length, resolution);
    own->h_first = fmin(has_first ? settings->step_size : 1e-6 * length, own->h_most);
    *own->state = (takt_auto_state){.k = 1,
                                    .h = own->h_first,
                                    .h_calm = own->h_first,
                                    .error_before = 1,
                                    .jump_from = INFINITY,
                                    .jump_to = INFINITY,
                                    .jump_low = INFINITY};
    for (int i = 0; i < run->work.n_instances; i++)
        takt_held_begin(&own->couple, i, &own->couple.schemes[i], &own->held);
    for (int k = 0; k < own->history->n_values; k++)
        own->held.least[k] = own->couple.noise.resolution[k] = INFINITY,
        own->held.most[k] = -INFINITY;
    // Instances take turns.
    for (int i = 0; i < run->work.n_instances; i++)
        own->spots[i] = (takt_spot_state){.last = i % FIRST_SPOT, .interval = FIRST_SPOT};
    begin_loops(own);
    takt_rate_begin(own);
}

// An instance that cannot be rewound; NULL: all can.
static const takt_instance *find_rigid(const takt_run *run)
{
    for (int i = 0; i < run->work.n_instances; i++) {
        const takt_instance *instance = run->work.instances[i].instance;
        if (!takt_model_can_rewind(instance->model)) return instance;
    }
    return NULL;
}

// Fixed steps are repeated only to solve loops, to find schemes, and for events within them.
static bool needs_states(const takt_auto *own)
{
    if (find_rigid(own->run)) return false;
    if (!own->is_fixed || own->run->work.saves_states) return true;
    for (int b = 0; b < own->run->plan->n_blocks; b++)
        if (own->couple.loops[b].n_torn > 0 || own->couple.loops[b].algebraic) return true;
    for (int i = 0; i < own->run->work.n_instances; i++)
        if (own->couple.movement.of[i].n_held > 0) return true;
    return false;
}

// Without a way back algebraic loops are not solved, whatever the plan says.
static void note_unsolved(takt_auto *own)
{
    takt_run *run = own->run;
    for (int b = 0; b < run->plan->n_blocks; b++) {
        const takt_block *block = &run->plan->blocks[b];
        if (block->is_algebraic && !run->work.unsolved)
            run->work.unsolved = run->work.instances[block->members[0]].instance->name;
    }
}

// Rows between communication points are drawn after a step, for which the values before it must be had again.
static void choose_rows(takt_auto *own)
{
    takt_run *run = own->run;
    const takt_settings *settings = &run->plan->system->settings;
    bool wants_rows =
        settings->output_grid == TAKT_OUTPUT_INTERPOLATED && settings->output_interval > 0;
    const takt_instance *rigid = find_rigid(run);
    own->draws_rows = wants_rows && own->saves_states;
    if (!wants_rows || !rigid || run->work.rigid ||
        !takt_settings_has(settings, &settings->output_interval))
        return;
    takt_log_write(run->log, TAKT_LEVEL_WARN,
                   "rows lie at the first communication point after each point of the output grid, "
                   "as component '%s' cannot be rewound; with --output-grid exact steps end there",
                   rigid->name);
}

static takt_status make_parts(takt_auto *own, takt_error *err)
{
    takt_run *run = own->run;
    takt_status st = make_arrays(own) ? TAKT_OK : takt_fail_memory(err);
    if (!st) st = takt_movement_create(run, &own->couple.movement, err);
    if (st) return st;
    find_owners(own);
    find_tested(own);
    list_tested(own);
    list_special(own);
    if (!list_ranges(own) || !list_followed(own) ||
        !takt_auto_scales_create(own, own->history->n_values))
        return takt_fail_memory(err);
    st = takt_held_create(&own->couple, &own->held, err);
    if (!st && !own->is_fixed)
        st = takt_slopes_create(run, &own->couple.movement, &own->slopes, err);
    for (int b = 0; b < run->plan->n_blocks && !st; b++)
        if (run->plan->blocks[b].is_loop) st = make_loop(own, b, err);
    if (!st) st = takt_levels_create(&own->couple, &own->levels, err);
    return st || list_watched(own) ? st : takt_fail_memory(err);
}

static takt_status make_memory(takt_auto *own, takt_error *err)
{
    int n_values = own->run->plan->n_outputs[TAKT_KIND_REAL];
    own->memory.size = lay_out(own, NULL);
    own->memory.data = takt_arena_alloc(&own->run->arena, own->memory.size);
    if (!own->memory.data) return takt_fail_memory(err);
    lay_out(own, own->memory.data);
    own->history->n_values = n_values;
    own->couple.scale = own->couple.movement.scale = own->scale;
    own->couple.movement.tolerance = own->couple.noise.tolerance = own->couple.tolerance;
    own->couple.noise.scale = own->scale;
    own->couple.owners = own->owners;
    if (own->rate.is_possible) {
        own->rate.memory = takt_arena_alloc(&own->run->arena, own->memory.size);
        if (!own->rate.memory) return takt_fail_memory(err);
    }
    begin(own);
    return TAKT_OK;
}

takt_status takt_auto_create(takt_run *run, bool is_fixed, takt_error *err)
{
    const takt_settings *settings = &run->plan->system->settings;
    takt_auto *own = takt_arena_alloc(&run->arena, sizeof *own);
    if (!own) return takt_fail_memory(err);
    run->automatic = own;
    run->derivatives = NULL; // inputs move along polynomials of more points
    own->run = own->couple.run = run;
    own->is_fixed = own->couple.is_fixed = is_fixed;
    own->couple.tolerance = settings->tolerance;
    own->couple.loop_tolerance = 0.05;
    own->couple.algebraic_tolerance = fmin(is_fixed ? own->couple.loop_tolerance : ALGEBRAIC,
                                           settings->relative_tolerance / settings->tolerance);
    takt_history shape = {.n_values = run->plan->n_outputs[TAKT_KIND_REAL]};
    own->history = &shape;
    takt_status st = make_parts(own, err);
    if (st) return st;
    own->saves_states = own->couple.can_rewind = needs_states(own);
    own->couple.has_way_back = own->saves_states;
    if (!own->saves_states) note_unsolved(own);
    choose_rows(own);
    st = takt_rate_create(own, err);
    if (!st) st = make_memory(own, err);
    if (!st && own->draws_rows && !takt_values_init(&own->row, run->plan->n_outputs))
        st = takt_fail_memory(err);
    return st || !own->saves_states || run->way_back ? st : takt_way_back_create(run, err);
}

void takt_auto_destroy(takt_run *run)
{
    if (run->automatic) takt_values_clear(&run->automatic->row, run->plan->n_outputs);
    if (run->automatic) takt_rate_destroy(run->automatic);
    if (run->automatic) takt_levels_clear(&run->automatic->levels);
    takt_way_back_destroy(run);
}

takt_memory takt_auto_memory(takt_run *run)
{
    return run->automatic->memory;
}

// SPDX-License-Identifier: MIT
// Arguments for calls of the library, by type: right ones and wrong ones. Value number 0 of each pool is NULL or 0, number 1 is good. Objects
// are made when they are asked for, in a world that lasts for one call.
#ifndef TAKT_TESTS_SUPPORT_ARGUMENTS_H
#define TAKT_TESTS_SUPPORT_ARGUMENTS_H

#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "takt/takt.h"

enum { MOST_ARGUMENTS = 8, N_RUNS = 8 };

/// What calls use, made when it is asked for, and what they give.
typedef struct world {
    takt_problem_list *list;
    takt_log *log;
    takt_project *project, *failing_project;
    takt_system *system, *failing_system;
    takt_sequence *sequence;
    takt_run *runs[N_RUNS]; // number 0 is not used
    takt_run *short_run; // for objects whose run has ended
    takt_view *view, *foreign_view, *ended_view;
    takt_snapshot *snapshot, *foreign_snapshot, *ended_snapshot;
    takt_checkpoint *checkpoint;
    takt_series *series, *ended_series;
    takt_ranks *ranks;
    takt_transport transport;
    takt_error err;
    jmp_buf give_up; // where to go when something cannot be made
    bool can_give_up;
    takt_status status;
    double number; // that was returned
    const void *pointer;
    // What functions give.
    takt_project *new_project;
    takt_system *new_system;
    takt_run *new_run;
    takt_view *new_view;
    takt_snapshot *new_snapshot;
    takt_checkpoint *new_checkpoint;
    takt_series *new_series;
    takt_sequence *new_sequence;
    takt_ranks *new_ranks;
    takt_log *new_log;
    takt_problem_list *new_list;
    char *text;
    void *bytes;
} world;

// ---- what functions return ------------------------------------------------------------------------------

#define GOT_void(call) call
#define GOT_takt_status(call) w->status = (call)
#define GOT_int(call) w->number = (double)(call)
#define GOT_int64_t GOT_int
#define GOT_size_t GOT_int
#define GOT_double GOT_int
#define GOT_takt_kind GOT_int
#define GOT_takt_setting_type GOT_int
#define GOT_const_void_p(call) w->pointer = (call)
#define GOT_const_char_p GOT_const_void_p
#define GOT_const_char_p_const_p GOT_const_void_p
#define GOT_const_double_p GOT_const_void_p
#define GOT_const_int64_t_p GOT_const_void_p
#define GOT_const_takt_setting_info_p GOT_const_void_p
#define GOT_double_p GOT_const_void_p
#define GOT_int64_t_p GOT_const_void_p
#define GOT_char_p(call) w->pointer = w->text = (call)
#define GOT_takt_log_p(call) w->pointer = w->new_log = (call)
#define GOT_takt_problem_list_p(call) w->pointer = w->new_list = (call)

// ---- simple arguments ------------------------------------------------------------------------------------

/// A pool of values; more than it has are not asked for.
#define POOL(name, type, ...)                                                                      \
    enum { N_##name = sizeof((type[]){__VA_ARGS__}) / sizeof(type) };                              \
    static type in_##name(world *w, int i)                                                         \
    {                                                                                              \
        (void)w;                                                                                   \
        return ((type[]){__VA_ARGS__})[i];                                                         \
    }

/// NULL and one good value, which may depend on the world.
#define GOOD(name, type, ...)                                                                      \
    enum { N_##name = 2 };                                                                         \
    static type in_##name(world *w, int i)                                                         \
    {                                                                                              \
        (void)w;                                                                                   \
        return i ? __VA_ARGS__ : NULL;                                                             \
    }

POOL(int, int, 0, 1, -1, 2, 1000, INT_MAX, INT_MIN)
POOL(count, int, 0, 1, -1, 2, INT_MIN)
POOL(int64_t, int64_t, 0, 1, -1, 1000, INT64_MAX, INT64_MIN)
POOL(long_long, long long, 0, 1, -1, LLONG_MAX, LLONG_MIN)
POOL(size_t, size_t, 0, 8, 1)
POOL(double, double, 0, 1, -1, 0.25, NAN, INFINITY, -INFINITY, 1e308)
POOL(takt_status, takt_status, 0, 1, (takt_status)-1, (takt_status)99)
POOL(takt_level, takt_level, 0, 1, (takt_level)-1, (takt_level)99)
POOL(takt_kind, takt_kind, 0, 1, 2, (takt_kind)-1, (takt_kind)3)
POOL(takt_type, takt_type, 0, 1, (takt_type)-1, (takt_type)15, (takt_type)INT_MAX)
POOL(takt_causality, takt_causality, 0, 1, (takt_causality)-1, (takt_causality)7)
POOL(takt_variability, takt_variability, 0, 1, (takt_variability)-1, (takt_variability)5)
POOL(takt_topic, takt_topic, 0, 1, 2, 3, 4, 5, (takt_topic)-1, (takt_topic)6)
POOL(takt_format, takt_format, 0, 1, 2, 3, (takt_format)-1, (takt_format)4)
GOOD(takt_error_p, takt_error *, &w->err)
POOL(context, void *, NULL, NULL)

static const char number_text[] = "2.5e3";
POOL(begin, const char *, NULL, number_text, "")
POOL(end, const char *, NULL, number_text + 5, number_text)
POOL(const_void_p, const void *, NULL, "12345678")
GOOD(freed, void *, malloc(8))
static char text_room[64];
POOL(room, char *, NULL, text_room)

// Results that need no clearing.
#define OUT(name, type)                                                                            \
    static type room_for_##name;                                                                   \
    GOOD(name, type *, &room_for_##name)
OUT(int_p, int)
OUT(int64_t_p, int64_t)
OUT(size_t_p, size_t)
OUT(double_p, double)
OUT(takt_level_p, takt_level)
OUT(takt_progress_p, takt_progress)
OUT(const_char_p_p, const char *)

// Results that do.
GOOD(char_p_p, char **, &w->text)
GOOD(void_p_p, void **, &w->bytes)
GOOD(takt_project_p_p, takt_project **, &w->new_project)
GOOD(takt_system_p_p, takt_system **, &w->new_system)
GOOD(takt_run_p_p, takt_run **, &w->new_run)
GOOD(takt_view_p_p, takt_view **, &w->new_view)
GOOD(takt_snapshot_p_p, takt_snapshot **, &w->new_snapshot)
GOOD(takt_checkpoint_p_p, takt_checkpoint **, &w->new_checkpoint)
GOOD(takt_series_p_p, takt_series **, &w->new_series)
GOOD(takt_sequence_p_p, takt_sequence **, &w->new_sequence)
GOOD(takt_ranks_p_p, takt_ranks **, &w->new_ranks)

// Structs to be filled, of several sizes: right, not set, older, newer than the library.
#define SIZED(type)                                                                                \
    enum { N_##type##_p = 5 };                                                                     \
    static type *in_##type##_p(world *w, int i)                                                    \
    {                                                                                              \
        static union {                                                                             \
            type value;                                                                            \
            char room[4096];                                                                       \
        } out;                                                                                     \
        (void)w;                                                                                   \
        memset(&out, 0x5a, sizeof out);                                                            \
        out.value.size = ((size_t[]){0, sizeof(type), 0, 2 * sizeof(size_t), 4096})[i];            \
        return i ? &out.value : NULL;                                                              \
    }
SIZED(takt_block_info)
SIZED(takt_column_info)
SIZED(takt_comparison)
SIZED(takt_component_info)
SIZED(takt_connection_info)
SIZED(takt_connector_info)
SIZED(takt_feedthrough_info)
SIZED(takt_geometry)
SIZED(takt_link_info)
SIZED(takt_model_info)
SIZED(takt_pace_statistics)
SIZED(takt_problem_info)
SIZED(takt_statistics)
SIZED(takt_steady_state)
SIZED(takt_terminal_info)
SIZED(takt_value_info)
SIZED(takt_variable_info)
SIZED(takt_view_item)

// ---- texts ---------------------------------------------------------------------------------------------

// A good one for what the text is for: by function and argument, else by argument.
static const char *const good_texts[][2] = {{"takt_project_create.path", "new.ssd"},
                                            {"takt_project_open.path", "plant.ssd"},
                                            {"takt_project_open_variant.path", "plant.ssp"},
                                            {"takt_project_open_variant.variant", NULL},
                                            {"takt_project_open_copy.path", "plant.ssd"},
                                            {"takt_project_open_copy.copy", "plant.ssd"},
                                            {"takt_project_write.path", "plant.ssd"},
                                            {"takt_project_set_values.path", "values.ssv"},
                                            {"takt_project_get.name", "step-size"},
                                            {"takt_project_set.name", "step-size"},
                                            {"takt_project_set.value", "0.5"},
                                            {"takt_project_add.name", "C"},
                                            {"takt_project_connect.from", "B.out"},
                                            {"takt_project_connect.to", "E.in[1]"},
                                            {"takt_project_disconnect.to", "B.in[0]"},
                                            {"takt_system_get_setting.name", "step-size"},
                                            {"takt_system_find_variable.name", "out"},
                                            {"takt_level_find.name", "warn"},
                                            {"takt_checkpoint_open.path", "run.takt"},
                                            {"takt_run_checkpoint.path", "other.takt"},
                                            {"takt_run_record.path", "rows.csv"},
                                            {"takt_run_describe_results.results", "rows.csv"},
                                            {"takt_plot.results", "result.csv"},
                                            {"takt_plot.svg", "plot.svg"},
                                            {"takt_plot_results.path", "plot.svg"},
                                            {"takt_compare.result", "result.csv"},
                                            {"takt_results_convert.in", "result.csv"},
                                            {"takt_results_convert.out", "result.mat"},
                                            {"takt_cache_limit_to.size", "1 GB"},
                                            {"takt_number_read_duration.text", "10min"},
                                            {"source", "builtin:linear?factor=2"},
                                            {"assignment", "A.in=2"},
                                            {"variable", "A.in"},
                                            {"new_name", "D"},
                                            {"choice", "jacobi"},
                                            {"status", "ok"},
                                            {"reference", "result.csv"},
                                            {"path", "result.csv"},
                                            {"name", "A"},
                                            {"from", "A.out"}};

static const char *good_text(const char *what)
{
    for (size_t i = 0; i < sizeof good_texts / sizeof *good_texts; i++)
        if (strcmp(good_texts[i][0], what) == 0 ||
            strcmp(good_texts[i][0], strchr(what, '.') + 1) == 0)
            return good_texts[i][1];
    return "A";
}

static char long_text[5000];

enum { N_const_char_p = 10 };
static const char *in_const_char_p(world *w, int i, const char *what)
{
    (void)w;
    return i == 1 ? good_text(what)
                  : ((const char *[]){NULL, NULL, "", "A.out", "=", "A.=", "\xff\xfe\n", long_text,
                                      "no/such/folder/x.csv", "../A[1"})[i];
}

static const char *const two_texts[] = {"A.in", "B.in[1]"};
static const char *const odd_texts[] = {"", NULL};
static const char *const two_paths[] = {"result.csv", "result.csv"};
POOL(two_results, const char *const *, NULL, two_paths, odd_texts)
POOL(const_char_p_const_p, const char *const *, NULL, two_texts, odd_texts)

// ---- functions -----------------------------------------------------------------------------------------

static const char *candidate(void *context, int i)
{
    (void)context;
    return i == 0 ? "A.out" : NULL;
}
typedef const char *candidate_fn(void *context, int i);
POOL(candidate, candidate_fn *, NULL, candidate)

static void receive_message(void *context, const takt_message *message)
{
    (void)context;
    (void)message;
}
POOL(takt_message_fn, takt_message_fn, NULL, receive_message)

static int receive_row(void *context, const takt_row *row)
{
    (void)context;
    return row->size == 0;
}
POOL(takt_row_fn, takt_row_fn, NULL, receive_row)

// A transport between nobody: this is the only process.
static int send_nothing(void *context, int rank, const takt_piece *pieces, int n_pieces)
{
    (void)context;
    (void)rank;
    (void)pieces;
    (void)n_pieces;
    return 1;
}

static int receive_nothing(void *context, int *rank, void **data, size_t *size)
{
    (void)context;
    (void)rank;
    (void)data;
    (void)size;
    return 0;
}

static void rest(void *context, double waited)
{
    (void)context;
    (void)waited;
}

static int is_ending(void *context)
{
    (void)context;
    return 1;
}

static const char *host(void *context, int rank)
{
    (void)context;
    (void)rank;
    return "here";
}

enum { N_takt_transport_p = 6 };
static takt_transport *in_takt_transport_p(world *w, int i)
{
    w->transport = (takt_transport){.size = sizeof w->transport,
                                    .n_ranks = 1,
                                    .send = send_nothing,
                                    .receive = receive_nothing,
                                    .rest = rest,
                                    .is_ending = is_ending,
                                    .host = host};
    if (i == 2) w->transport.size = 0;
    if (i == 3) w->transport.send = NULL;
    if (i == 4) w->transport.n_ranks = -1;
    if (i == 5) w->transport.rank = 7;
    return i ? &w->transport : NULL;
}

// ---- objects -------------------------------------------------------------------------------------------

// What a call needs can be made; otherwise there is no call.
static void expect(world *w, takt_status st)
{
    if (!st) return;
    if (w->can_give_up) longjmp(w->give_up, 1);
    fprintf(stderr, "%s\n", w->err.message);
    exit(2);
}

enum { N_takt_problem_list_p = 2, N_problem_list_as_context = 2 };
static takt_problem_list *in_takt_problem_list_p(world *w, int i)
{
    const takt_message message = {sizeof message, TAKT_LEVEL_WARN, "x.ssd", 1, "A", "text", 0};
    if (i && !w->list) {
        w->list = takt_problem_list_create(TAKT_LEVEL_INFO);
        takt_problem_list_add(w->list, &message);
        takt_problem_list_add(w->list, &message);
    }
    return i ? w->list : NULL;
}
static void *in_problem_list_as_context(world *w, int i)
{
    return in_takt_problem_list_p(w, i);
}

enum { N_takt_log_p = 2 };
static takt_log *in_takt_log_p(world *w, int i)
{
    if (i && !w->log) w->log = takt_log_create(TAKT_LEVEL_TRACE, receive_message, NULL);
    return i ? w->log : NULL;
}

// A chain of functions, perhaps with values that become infinite.
static void make_project(world *w, takt_project **out, bool is_failing)
{
    takt_error *err = &w->err;
    expect(w, takt_project_create("plant.ssd", in_takt_log_p(w, 1), out, err));
    takt_project *project = *out;
    expect(w, takt_project_add(project, "A", "builtin:linear?factor=2&offset=1", err));
    expect(w, takt_project_add(project, "B", "builtin:sum?inputs=2", err));
    expect(w, takt_project_add(project, "E", "builtin:sum?inputs=2", err));
    expect(w, takt_project_connect(project, "A.out", "B.in[0]", err));
    expect(w, takt_project_connect(project, "B.out", "E.in[0]", err));
    expect(w, takt_project_set_value(project, "A.offset=0.5", err));
    expect(w, takt_project_set(project, "step-size", "0.5", err));
    expect(w, takt_project_set(project, "stop-time", "3", err));
    expect(w, takt_project_set(project, "record", "*", err));
    expect(w, takt_project_set_value(project, is_failing ? "A.in=1e308" : "A.in=1", err));
    if (is_failing) expect(w, takt_project_set_value(project, "A.factor=1e308", err));
    const takt_geometry geometry = {sizeof geometry, 0, 0, 1, 1};
    expect(w, takt_project_set_geometry(project, "B", &geometry, err));
}

enum { N_takt_project_p = 3 };
static takt_project *in_takt_project_p(world *w, int i)
{
    if (i && !w->project) make_project(w, &w->project, false);
    if (i == 2 && !w->system) expect(w, takt_system_create(w->project, &w->system, &w->err));
    return i ? w->project : NULL;
}

enum { N_takt_system_p = 2 };
static takt_system *in_takt_system_p(world *w, int i)
{
    if (i) in_takt_project_p(w, 2);
    return i ? w->system : NULL;
}

enum { N_takt_sequence_p = 2 };
static takt_sequence *in_takt_sequence_p(world *w, int i)
{
    if (i && !w->sequence)
        expect(w, takt_sequence_create(in_takt_system_p(w, 1), 1, &w->sequence, &w->err));
    return i ? w->sequence : NULL;
}

static takt_run *make_run(world *w, takt_run **out)
{
    expect(w, takt_run_create(in_takt_system_p(w, 1), out, &w->err));
    return *out;
}

// Every value is infinite, so that it fails.
static void make_failed_run(world *w, takt_run **out)
{
    if (!w->failing_project) make_project(w, &w->failing_project, true);
    if (!w->failing_system)
        expect(w, takt_system_create(w->failing_project, &w->failing_system, &w->err));
    expect(w, takt_run_create(w->failing_system, out, &w->err));
    if (!takt_run_initialize(*out, NULL)) abort();
}

/// What has happened to a run before it is used.
enum { NO_RUN, STEPPED, MADE, INITIALIZED, AT_ITS_END, FINISHED, FAILED, CANCELLED };

enum { N_takt_run_p = N_RUNS };
static takt_run *in_takt_run_p(world *w, int i)
{
    takt_progress progress;
    if (i == NO_RUN || w->runs[i]) return w->runs[i];
    if (i == FAILED) make_failed_run(w, &w->runs[i]);
    takt_run *run = i == FAILED ? w->runs[i] : make_run(w, &w->runs[i]);
    if (i == MADE || i == FAILED) return run;
    if (i == STEPPED) expect(w, takt_run_allow_checkpoints(run, &w->err));
    expect(w, takt_run_initialize(run, &w->err));
    if (i == STEPPED) expect(w, takt_run_step(run, &progress, &w->err));
    if (i == AT_ITS_END || i == FINISHED) expect(w, takt_run_to(run, 3, &progress, &w->err));
    if (i == FINISHED) expect(w, takt_run_finish(run, &w->err));
    if (i == CANCELLED) takt_run_cancel(run, 1);
    return run;
}

// The same, where the good one is new.
enum { N_early_run = N_RUNS };
static takt_run *in_early_run(world *w, int i)
{
    return in_takt_run_p(w, i == 1 ? MADE : i == MADE ? STEPPED : i);
}

/// Runs of objects: the one that functions get as well, another one, one that has ended since.
static takt_run *run_for(world *w, int i)
{
    if (i != 3) return in_takt_run_p(w, i == 1 ? STEPPED : CANCELLED);
    return w->short_run ? w->short_run : make_run(w, &w->short_run);
}

static void end_short_run(world *w)
{
    takt_run_destroy(w->short_run);
    w->short_run = NULL;
}

enum { N_takt_view_p = 4 };
static takt_view *in_takt_view_p(world *w, int i)
{
    takt_view **view = (takt_view * *[]){NULL, &w->view, &w->foreign_view, &w->ended_view}[i];
    if (!view || *view) return view ? *view : NULL;
    takt_run *run = run_for(w, i);
    expect(w, takt_view_create(run, two_texts, 2, view, &w->err));
    if (i == 3) end_short_run(w);
    return *view;
}

enum { N_takt_snapshot_p = 4 };
static takt_snapshot *in_takt_snapshot_p(world *w, int i)
{
    takt_snapshot **snapshot =
        (takt_snapshot * *[]){NULL, &w->snapshot, &w->foreign_snapshot, &w->ended_snapshot}[i];
    if (!snapshot || *snapshot) return snapshot ? *snapshot : NULL;
    takt_run *run = run_for(w, i);
    if (i == 3) expect(w, takt_run_initialize(run, &w->err));
    expect(w, takt_snapshot_take(run, snapshot, &w->err));
    if (i == 3) end_short_run(w);
    return *snapshot;
}

enum { N_takt_series_p = 3 };
static takt_series *in_takt_series_p(world *w, int i)
{
    takt_series **series = (takt_series * *[]){NULL, &w->series, &w->ended_series}[i];
    if (!series || *series) return series ? *series : NULL;
    takt_run *run = in_takt_run_p(w, MADE);
    expect(w, takt_run_collect(run, series, &w->err));
    if (i == 2) {
        takt_run_destroy(run);
        w->runs[MADE] = NULL;
    } else {
        expect(w, takt_run_initialize(run, &w->err));
    }
    return *series;
}

enum { N_takt_checkpoint_p = 2 };
static takt_checkpoint *in_takt_checkpoint_p(world *w, int i)
{
    if (i && !w->checkpoint) expect(w, takt_checkpoint_open("run.takt", &w->checkpoint, &w->err));
    return i ? w->checkpoint : NULL;
}

// What lies in that file.
static char checkpoint_bytes[65536];
static size_t n_checkpoint_bytes;
GOOD(checkpoint_data, const void *, checkpoint_bytes)
enum { N_checkpoint_size = 4 };
static size_t in_checkpoint_size(world *w, int i)
{
    (void)w;
    return ((size_t[]){0, n_checkpoint_bytes, 1, n_checkpoint_bytes / 2})[i];
}

enum { N_takt_ranks_p = 2 };
static takt_ranks *in_takt_ranks_p(world *w, int i)
{
    if (i && !w->ranks) expect(w, takt_ranks_create(in_takt_transport_p(w, 1), &w->ranks, &w->err));
    return i ? w->ranks : NULL;
}

// ---- structs that functions get --------------------------------------------------------------------------

enum { N_takt_message_p = 4 };
static takt_message *in_takt_message_p(world *w, int i)
{
    static takt_message message;
    (void)w;
    message = (takt_message){sizeof message, TAKT_LEVEL_WARN, "x.ssd", 3, "A", "it is so", 0};
    if (i == 2) message = (takt_message){.size = sizeof message, .level = (takt_level)-1};
    if (i == 3) message.size = 0;
    return i ? &message : NULL;
}

enum { N_takt_component_rank_p = 4 };
static takt_component_rank *in_takt_component_rank_p(world *w, int i)
{
    static takt_component_rank list[2];
    (void)w;
    list[0] = (takt_component_rank){i == 2 ? NULL : "A", i == 3 ? 7 : 0};
    list[1] = (takt_component_rank){"nobody", 0};
    return i ? list : NULL;
}

enum { N_takt_run_options_p = 8 };
static takt_run_options *in_takt_run_options_p(world *w, int i)
{
    static takt_run_options options;
    static const takt_assignment odd[] = {{NULL, NULL}, {"A.in", NULL}};
    (void)w;
    options = takt_run_options_default();
    if (i == 2) options.size = 0;
    if (i == 3) options.n_settings = 2;
    if (i == 4) options.settings = odd, options.n_settings = 2;
    if (i == 5) options.values = odd, options.n_values = 2;
    if (i == 6) options.record = odd_texts, options.n_record = 2;
    if (i == 7) options.algorithm = (takt_algorithm)77, options.n_values = -1;
    return i ? &options : NULL;
}

enum { N_takt_advise_options_p = 4 };
static takt_advise_options *in_takt_advise_options_p(world *w, int i)
{
    static takt_advise_options options;
    (void)w;
    options = takt_advise_options_default();
    options.max_steps = 3;
    if (i == 2) options.size = 0;
    if (i == 3) options.n_words = 2;
    return i ? &options : NULL;
}

enum { N_takt_compare_options_p = 4 };
static takt_compare_options *in_takt_compare_options_p(world *w, int i)
{
    static takt_compare_options options;
    (void)w;
    options = takt_compare_options_default();
    if (i == 2) options.size = 0;
    if (i == 3) options.relative = options.absolute = options.time = NAN;
    return i ? &options : NULL;
}

enum { N_takt_plot_options_p = 7 };
static takt_plot_options *in_takt_plot_options_p(world *w, int i)
{
    static takt_plot_options options;
    (void)w;
    options = takt_plot_options_default();
    if (i == 2) options.size = 0;
    if (i == 3) options.n_columns = 2;
    if (i == 4) options.columns = odd_texts, options.n_columns = 2;
    if (i == 5) options.panels = (takt_panels)77, options.width = INT_MIN;
    if (i == 6) options.from = 2, options.to = 1, options.over = "";
    return i ? &options : NULL;
}

enum { N_takt_new_fmu_p = 7 };
static takt_new_fmu *in_takt_new_fmu_p(world *w, int i)
{
    static takt_new_fmu project;
    static const takt_new_variable variables[] = {{"input", "u"}, {NULL, NULL}};
    (void)w;
    project = (takt_new_fmu){sizeof project, .name = "Made", .folder = "made",
                             .kit = TAKT_EXAMPLES "/../kit"};
    project.variables = variables;
    project.n_variables = 1;
    if (i == 2) project.size = 0;
    if (i == 3) project.name = NULL;
    if (i == 4) project.kit = NULL;
    if (i == 5) project.folder = NULL;
    if (i == 6) project.folder = "made2", project.n_variables = 2;
    return i ? &project : NULL;
}

// Ends what functions have given.
static void end_given(world *w)
{
    takt_view_destroy(w->new_view);
    takt_snapshot_destroy(w->new_snapshot);
    takt_checkpoint_close(w->new_checkpoint);
    takt_series_destroy(w->new_series);
    takt_run_destroy(w->new_run);
    takt_sequence_destroy(w->new_sequence);
    takt_system_destroy(w->new_system);
    takt_project_close(w->new_project);
    takt_ranks_destroy(w->new_ranks);
    takt_log_destroy(w->new_log);
    takt_problem_list_destroy(w->new_list);
    takt_free(w->text);
    takt_free(w->bytes);
    w->new_view = NULL;
    w->new_snapshot = NULL;
    w->new_checkpoint = NULL;
    w->new_series = NULL;
    w->new_run = NULL;
    w->new_sequence = NULL;
    w->new_system = NULL;
    w->new_project = NULL;
    w->new_ranks = NULL;
    w->new_log = NULL;
    w->new_list = NULL;
    w->text = NULL;
    w->bytes = NULL;
}

static void end_world(world *w)
{
    takt_guard_remove();
    end_given(w);
    takt_view_destroy(w->view);
    takt_view_destroy(w->foreign_view);
    for (int i = 0; i < N_RUNS; i++) takt_run_destroy(w->runs[i]);
    end_short_run(w);
    takt_view_destroy(w->ended_view);
    takt_snapshot_destroy(w->snapshot);
    takt_snapshot_destroy(w->foreign_snapshot);
    takt_snapshot_destroy(w->ended_snapshot);
    takt_series_destroy(w->series);
    takt_series_destroy(w->ended_series);
    takt_checkpoint_close(w->checkpoint);
    takt_sequence_destroy(w->sequence);
    takt_system_destroy(w->system);
    takt_system_destroy(w->failing_system);
    takt_project_close(w->project);
    takt_project_close(w->failing_project);
    takt_ranks_destroy(w->ranks);
    takt_log_destroy(w->log);
    takt_problem_list_destroy(w->list);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    if (!file || fputs(text, file) < 0 || fclose(file)) abort();
}

// Writes the files that good arguments name to the current folder.
static void write_good_files(void)
{
    world w = {.number = 0};
    memset(long_text, 'x', sizeof long_text - 1);
    takt_run *run = in_takt_run_p(&w, MADE);
    write_text("values.ssv",
               "<ssv:ParameterSet version='1.0' name='V' "
               "xmlns:ssv='http://ssp-standard.org/SSP1/SystemStructureParameterValues'>"
               "<ssv:Parameters><ssv:Parameter name='A.in'><ssv:Real value='2'/></ssv:Parameter>"
               "</ssv:Parameters></ssv:ParameterSet>");
    expect(&w, takt_project_write(w.project, "plant.ssd", &w.err));
    expect(&w, takt_project_write(w.project, "plant.ssp", &w.err));
    expect(&w, takt_run_allow_checkpoints(run, &w.err));
    expect(&w, takt_run_record(run, "result.csv", &w.err));
    expect(&w, takt_run_initialize(run, &w.err));
    expect(&w, takt_run_checkpoint(run, "run.takt", &w.err));
    expect(&w, takt_run_finish(run, &w.err));
    end_world(&w);
    FILE *file = fopen("run.takt", "rb");
    if (!file) abort();
    n_checkpoint_bytes = fread(checkpoint_bytes, 1, sizeof checkpoint_bytes, file);
    fclose(file);
}

/// A function with how many values there are for each of its arguments.
typedef struct api_call {
    const char *name;
    void (*call)(world *w, const int *choices);
    int n;
    int n_values[MOST_ARGUMENTS];
    const char *arguments[MOST_ARGUMENTS];
    bool is_pointer[MOST_ARGUMENTS];
    bool has_status, is_end;
} api_call;

#include "api_calls.h" // made by api_calls.py

// An object has been ended by a call.
static void forget(world *w, const api_call *call, const int *choices)
{
    if (!call->is_end || choices[0] == 0) return;
    const char *name = call->name;
    int i = choices[0];
    if (strstr(name, "problem_list")) w->list = NULL;
    if (strstr(name, "log_destroy")) w->log = NULL;
    if (strstr(name, "project_close")) w->project = NULL;
    if (strstr(name, "system_destroy")) w->system = NULL;
    if (strstr(name, "sequence")) w->sequence = NULL;
    if (strstr(name, "run_destroy")) w->runs[i] = NULL;
    if (strstr(name, "checkpoint")) w->checkpoint = NULL;
    if (strstr(name, "ranks")) w->ranks = NULL;
    if (strstr(name, "view"))
        *(takt_view * *[]){NULL, &w->view, &w->foreign_view, &w->ended_view}[i] = NULL;
    if (strstr(name, "snapshot"))
        *(takt_snapshot * *[]){NULL, &w->snapshot, &w->foreign_snapshot, &w->ended_snapshot}[i] =
            NULL;
    if (strstr(name, "series")) *(takt_series * *[]){NULL, &w->series, &w->ended_series}[i] = NULL;
}

#endif

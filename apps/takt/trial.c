// SPDX-License-Identifier: MIT
// Trying what FMUs do; see trial.h. All variables are read in every row, and rows are compared bit by bit: what is
// repeated has to give the same.
#include "trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { N_BEFORE = 4, N_AFTER = 5 }; // steps until states are saved, and from there

// Rows, each of its time and one word for each column: a number, or the hash of bytes.
typedef struct row_list {
    uint64_t *words;
    int n_words, capacity, width;
    const takt_column_info *columns;
    bool is_cut; // out of memory
} row_list;

typedef struct trial {
    const takt_system *system;
    const takt_log *log;
    cli_trial_fn *tell;
    void *context;
    takt_status st; // of the first part that failed
    takt_column_info *columns;
    int n_columns;
    row_list first; // rows of the first run
    double saved_at; // s; where states were saved; NaN: nowhere
    void *bytes; // of the whole state there; NULL: none
    size_t size;
} trial;

// ---- telling -------------------------------------------------------------------------------------

static bool tell(trial *self, const char *part, takt_status st, const char *text)
{
    self->tell(self->context, part, st, text);
    if (st && !self->st) self->st = st;
    return !st;
}

static bool tell_end(trial *self, const char *part, takt_status st, const takt_error *err,
                     const char *text)
{
    return tell(self, part, st, st ? err->message : text);
}

// ---- rows ----------------------------------------------------------------------------------------

static uint64_t hash(const unsigned char *data, size_t size) // FNV-1a
{
    uint64_t sum = 14695981039346656037u;
    for (size_t i = 0; i < size; i++) sum = (sum ^ data[i]) * 1099511628211u;
    return sum;
}

static bool put(row_list *list, const void *word)
{
    if (!cli_grow(&list->words, list->n_words, &list->capacity, sizeof *list->words)) return false;
    memcpy(&list->words[list->n_words++], word, sizeof *list->words);
    return true;
}

static int keep_row(void *context, const takt_row *row)
{
    row_list *list = context;
    bool ok = !list->is_cut && put(list, &row->time);
    for (int i = 0; i < list->width - 1 && ok; i++) {
        const takt_column_info *column = &list->columns[i];
        int k = column->index;
        uint64_t sum = column->kind == TAKT_KIND_BYTES ? hash(row->bytes[k], row->sizes[k]) : 0;
        ok = put(list, column->kind == TAKT_KIND_REAL      ? (const void *)&row->reals[k]
                       : column->kind == TAKT_KIND_INTEGER ? (const void *)&row->integers[k]
                                                           : (const void *)&sum);
    }
    list->is_cut |= !ok;
    return 0;
}

static double time_of(const row_list *list, int at)
{
    double t;
    memcpy(&t, &list->words[at], sizeof t);
    return t;
}

// The first row behind a time.
static int find_after(const row_list *list, double after)
{
    int at = 0;
    while (at < list->n_words && !(time_of(list, at) > after)) at += list->width;
    return at;
}

// Compares the rows behind a time with others. `text` gets the first difference.
static bool are_equal(const trial *self, const row_list *other, double after, char *text,
                      size_t size)
{
    const row_list *first = &self->first;
    int i = find_after(first, after), k = find_after(other, after);
    for (; i < first->n_words && k < other->n_words; i += first->width, k += first->width)
        for (int w = 0; w < first->width; w++) {
            if (first->words[i + w] == other->words[k + w]) continue;
            snprintf(text, size, "%s at t=%.9g s is another one than the first time",
                     w ? self->columns[w - 1].name : "the row", time_of(first, i));
            return false;
        }
    bool is_complete = i >= first->n_words && k >= other->n_words;
    if (!is_complete) snprintf(text, size, "there is another number of rows than the first time");
    return is_complete && !other->is_cut && !first->is_cut;
}

// ---- runs ----------------------------------------------------------------------------------------

// Instantiates all FMUs; all of their variables are recorded into `rows`.
static takt_status begin(trial *self, row_list *rows, takt_run **out, takt_error *err)
{
    const char *const all[] = {"*"};
    takt_run_options options = takt_run_options_default();
    options.output_interval = 0; // all steps
    options.record = all;
    options.n_record = 1;
    takt_run *run = NULL;
    takt_status st = takt_run_create_with(self->system, &options, &run, err);
    if (st) return st;
    *out = run;
    if (!self->columns) {
        self->n_columns = takt_run_count_columns(run);
        self->columns = calloc((size_t)self->n_columns + 1, sizeof *self->columns);
        if (!self->columns) return cli_fail_memory(err);
    }
    for (int i = 0; i < self->n_columns && !st; i++) {
        self->columns[i].size = sizeof *self->columns;
        st = takt_run_get_column(run, i, &self->columns[i], err);
    }
    *rows = (row_list){.width = self->n_columns + 1, .columns = self->columns};
    return st ? st : takt_run_observe(run, keep_row, rows, err);
}

static takt_status advance(takt_run *run, int n, int *n_made, takt_error *err)
{
    takt_progress progress = TAKT_RUNNING;
    takt_status st = TAKT_OK;
    for (int i = 0; i < n && !st && progress == TAKT_RUNNING; i++) {
        st = takt_run_step(run, &progress, err);
        *n_made += !st;
    }
    return st;
}

// Terminates and frees all FMUs.
static takt_status end(const trial *self, takt_run *run, takt_error *err)
{
    int n_before = takt_log_count(self->log, TAKT_LEVEL_ERROR);
    takt_status st = run ? takt_run_finish(run, err) : TAKT_OK;
    takt_run_destroy(run);
    bool has_error = takt_log_count(self->log, TAKT_LEVEL_ERROR) > n_before;
    if (st || !has_error) return st;
    return cli_fail(err, TAKT_ERR_CRASH, "an FMU did not end as it should");
}

static takt_status judge(const trial *self, takt_status st, const row_list *rows, double after,
                         const char *what, takt_error *err)
{
    char text[300];
    if (st || are_equal(self, rows, after, text, sizeof text)) return st;
    return cli_fail(err, TAKT_ERR_SIMULATION, "%s: %s", what, text);
}

// ---- parts ---------------------------------------------------------------------------------------

// The first component that cannot do something; NULL: all can.
static const char *find_unable(const takt_system *system, bool serializes)
{
    for (int i = 0; i < takt_system_count_components(system); i++) {
        takt_model_info info = {.size = sizeof info};
        if (takt_system_get_model(system, i, &info, NULL)) continue;
        if (!(serializes ? info.can_serialize : info.can_rewind)) return info.component;
    }
    return NULL;
}

static void tell_unable(trial *self, const char *part, const char *component)
{
    char text[300];
    snprintf(text, sizeof text, "not possible: component '%s' cannot do it", component);
    tell(self, part, TAKT_OK, text);
}

// Goes back to a state in memory and makes the same steps again.
static bool try_rewinding(trial *self, takt_run *run, const takt_snapshot *snapshot)
{
    takt_error err = {0};
    // The rows that follow go to the same list: those of the repetition are told apart by their place.
    int n = 0, n_words = self->first.n_words;
    takt_status st = takt_snapshot_restore(run, snapshot, &err);
    if (!st) st = advance(run, N_AFTER, &n, &err);
    row_list again = self->first;
    again.words += n_words;
    again.n_words -= n_words;
    self->first.n_words = n_words;
    st = judge(self, st, &again, self->saved_at, "after going back to a saved state", &err);
    return tell_end(self, "rewinding", st, &err, "the same values again");
}

// Saves all that can be saved; `bytes` NULL: not as bytes. Owned by the caller, also after a failure.
static takt_status save(takt_run *run, takt_snapshot **snapshot, void **bytes, size_t *size,
                        takt_error *err)
{
    takt_status st = takt_snapshot_take(run, snapshot, err);
    return st || !bytes ? st : takt_run_serialize(run, bytes, size, err);
}

static bool step_and_save(trial *self, takt_run *run)
{
    takt_error err = {0};
    takt_snapshot *snapshot = NULL;
    char text[100];
    int n = 0;
    const char *no_rewind = find_unable(self->system, false);
    const char *no_bytes = no_rewind ? no_rewind : find_unable(self->system, true);
    takt_status st = advance(run, N_BEFORE, &n, &err);
    if (!st) self->saved_at = takt_run_time(run);
    takt_status saved =
        st || no_rewind ? TAKT_OK
                        : save(run, &snapshot, no_bytes ? NULL : &self->bytes, &self->size, &err);
    if (!st && !saved) st = advance(run, N_AFTER, &n, &err);
    snprintf(text, sizeof text, "%d to t=%.9g s", n, takt_run_time(run));
    bool ok = tell_end(self, "steps", st, &err, text);
    if (ok && saved) ok = tell_end(self, "saving the state", saved, &err, NULL);
    if (ok && no_rewind) tell_unable(self, "rewinding", no_rewind);
    if (ok && snapshot) ok = try_rewinding(self, run, snapshot);
    if (ok && no_bytes) tell_unable(self, "serialised state", no_bytes);
    takt_snapshot_destroy(snapshot);
    return ok;
}

static bool try_first(trial *self)
{
    takt_error err = {0};
    takt_run *run = NULL;
    takt_status st = begin(self, &self->first, &run, &err);
    bool ok = tell_end(self, "instantiation", st, &err, "ok");
    if (ok) ok = tell_end(self, "initialization", takt_run_initialize(run, &err), &err, "ok");
    if (ok) ok = step_and_save(self, run);
    st = end(self, run, &err);
    return ok ? tell_end(self, "end", st, &err, "ok") : false;
}

// New instances go on from the bytes of the first ones.
static bool try_bytes(trial *self)
{
    takt_error err = {0};
    takt_run *run = NULL;
    takt_checkpoint *checkpoint = NULL;
    row_list rows = {0};
    int n = 0;
    takt_status st = takt_checkpoint_deserialize(self->bytes, self->size, &checkpoint, &err);
    if (!st) st = begin(self, &rows, &run, &err);
    if (!st) st = takt_run_resume(run, checkpoint, &err);
    if (!st) st = advance(run, N_AFTER, &n, &err);
    st = judge(self, st, &rows, self->saved_at, "after going on from a serialised state", &err);
    takt_error late;
    takt_status ended = end(self, run, st ? &late : &err);
    takt_checkpoint_close(checkpoint);
    free(rows.words);
    return tell_end(self, "serialised state", st ? st : ended, &err,
                    "another instance goes on with the same values");
}

// States are saved at the same time as before: solvers may start anew there.
static bool try_again(trial *self)
{
    takt_error err = {0};
    takt_run *run = NULL;
    takt_snapshot *snapshot = NULL;
    void *bytes = NULL;
    row_list rows = {0};
    int n = 0;
    takt_status st = begin(self, &rows, &run, &err);
    if (!st) st = takt_run_initialize(run, &err);
    if (!st) st = advance(run, N_BEFORE, &n, &err);
    if (!st && !find_unable(self->system, false))
        st = save(run, &snapshot, self->bytes ? &bytes : NULL, &self->size, &err);
    if (!st) st = advance(run, N_AFTER, &n, &err);
    takt_snapshot_destroy(snapshot);
    takt_free(bytes);
    st = judge(self, st, &rows, -INFINITY, "in a second run", &err);
    takt_error late;
    takt_status ended = end(self, run, st ? &late : &err);
    free(rows.words);
    return tell_end(self, "repetition", st ? st : ended, &err, "the same values");
}

takt_status cli_trial(const takt_system *system, const takt_log *log, cli_trial_fn *tell_part,
                      void *context)
{
    trial self = {.system = system, .log = log, .tell = tell_part, .context = context};
    bool ok = try_first(&self);
    if (ok && self.bytes) ok = try_bytes(&self);
    if (ok) try_again(&self);
    takt_free(self.bytes);
    free(self.first.words);
    free(self.columns);
    return self.st;
}

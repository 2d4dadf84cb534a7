// SPDX-License-Identifier: MIT
// A run goes on exactly from each of its steps, not only from those at which a signal happens to come (test_resume.c of the program):
// every step is turned into bytes, and from each of them another run goes on to the end. All rows that follow are the same, bit by bit.
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "unit/api/fixture.h"

enum { MOST_ROWS = 20000, MOST_STEPS = 400 };

// Rows as sums over the bits of their values.
typedef struct rows {
    uint64_t sums[MOST_ROWS];
    int n;
} rows;

typedef struct moment {
    void *data;
    size_t size;
    double time;
    int n_rows; // so far
} moment;

typedef struct variation {
    const char *name;
    void (*build)(fixture *f);
    const char *settings[7]; // name, value, ...; NULL ends them
} variation;

static rows wanted, found;

static uint64_t add_bits(uint64_t sum, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++) sum = (sum ^ bytes[i]) * 1099511628211u;
    return sum;
}

typedef struct collector {
    takt_run *run;
    rows *to;
} collector;

static int collect(void *context, const takt_row *row)
{
    collector *own = context;
    uint64_t sum = add_bits(14695981039346656037u, &row->time, sizeof row->time);
    int n = takt_run_count_columns(own->run);
    for (int i = 0; i < n; i++) {
        takt_column_info info = {.size = sizeof info};
        if (takt_run_get_column(own->run, i, &info, NULL)) return 1;
        if (info.kind == TAKT_KIND_REAL)
            sum = add_bits(sum, &row->reals[info.index], sizeof(double));
        else if (info.kind == TAKT_KIND_INTEGER)
            sum = add_bits(sum, &row->integers[info.index], sizeof(int64_t));
    }
    if (own->to->n < MOST_ROWS) own->to->sums[own->to->n++] = sum;
    return 0;
}

// ---- systems ---------------------------------------------------------------------------------------

static void connect(fixture *f, const char *from, const char *to)
{
    assert_ok(f, takt_project_connect(f->project, from, to, &f->err));
}

// Jumps that steps by prediction find in a value that nobody reads.
static void build_bounces(fixture *f)
{
    begin(f);
    add(f, "Ball", FMU("Ball"));
    add(f, "Lag", FMU("Lag"));
    connect(f, "Ball.h", "Lag.u");
    set(f, "stop-time", "2");
}

// A loop; inputs that move within steps.
static void build_loop(fixture *f)
{
    lotka_volterra(f);
    set(f, "stop-time", "30");
}

static const variation variations[] = {
    {"bounces", build_bounces, {"tolerance", "1e-6"}},
    {"bounces, few rows", build_bounces, {"tolerance", "1e-4", "output-interval", "0.3"}},
    {"loop", build_loop, {"tolerance", "1e-6", "record", "*"}},
    {"loop, Newton", build_loop, {"algorithm", "newton", "step-size", "0.2", "record", "*"}},
    {"loop, adaptive", build_loop, {"algorithm", "anderson", "step-control", "richardson"}},
};

// ---- runs ------------------------------------------------------------------------------------------

static void create(fixture *f, const variation *at, collector *own, rows *to)
{
    at->build(f);
    for (int i = 0; at->settings[i]; i += 2) set(f, at->settings[i], at->settings[i + 1]);
    start(f);
    to->n = 0;
    *own = (collector){f->run, to};
    assert_ok(f, takt_run_observe(f->run, collect, own, &f->err));
}

// To the end; returns the number of steps, up to MOST_STEPS of which are kept.
static int run_and_keep(const variation *at, moment *moments)
{
    fixture f;
    collector own;
    takt_progress progress = TAKT_RUNNING;
    create(&f, at, &own, &wanted);
    assert_ok(&f, takt_run_initialize(f.run, &f.err));
    int n = 0;
    for (; progress == TAKT_RUNNING; n++) {
        if (n < MOST_STEPS) {
            moments[n] = (moment){.time = takt_run_time(f.run), .n_rows = wanted.n};
            assert_ok(&f, takt_run_serialize(f.run, &moments[n].data, &moments[n].size, &f.err));
        }
        assert_ok(&f, takt_run_step(f.run, &progress, &f.err));
    }
    end(&f);
    return n < MOST_STEPS ? n : MOST_STEPS;
}

static void resume(const variation *at, const moment *from)
{
    fixture f;
    collector own;
    takt_checkpoint *checkpoint = NULL;
    create(&f, at, &own, &found);
    assert_ok(&f, takt_checkpoint_deserialize(from->data, from->size, &checkpoint, &f.err));
    assert_ok(&f, takt_run_resume(f.run, checkpoint, &f.err));
    takt_checkpoint_close(checkpoint);
    go_to(&f, 1e9);
    end(&f);
    // Before them there is the row of the checkpoint.
    int n = wanted.n - from->n_rows;
    bool is_same = found.n == n + 1 && memcmp(found.sums + 1, wanted.sums + from->n_rows,
                                              (size_t)n * sizeof *found.sums) == 0;
    if (!is_same) print_error("%s: goes on differently from t=%.17g\n", at->name, from->time);
    assert_true(is_same);
}

static void a_run_goes_on_from_each_of_its_steps(void **state)
{
    (void)state;
    static moment moments[MOST_STEPS];
    for (size_t i = 0; i < sizeof variations / sizeof *variations; i++) {
        int n = run_and_keep(&variations[i], moments);
        assert_true(n > 20 && wanted.n < MOST_ROWS);
        for (int k = 0; k < n; k++) {
            resume(&variations[i], &moments[k]);
            takt_free(moments[k].data);
        }
    }
}

// ---- forged ----------------------------------------------------------------------------------------

// The bytes of a run, soon after its middle.
static moment run_a_while(const variation *at)
{
    fixture f;
    collector own;
    moment out = {0};
    takt_progress progress;
    create(&f, at, &own, &wanted);
    assert_ok(&f, takt_run_initialize(f.run, &f.err));
    for (int n = 0; n < 20; n++) assert_ok(&f, takt_run_step(f.run, &progress, &f.err));
    assert_ok(&f, takt_run_serialize(f.run, &out.data, &out.size, &f.err));
    end(&f);
    return out;
}

// A number that is as it should not be, and the checksum that belongs to it.
static void forge(const moment *from, moment *to, size_t place, unsigned chance)
{
    static const int numbers[] = {-1, 2, 255, 100000, INT32_MAX, INT32_MIN};
    enum { N = sizeof numbers / sizeof *numbers, SUM = TAKT_HASH_SIZE - 1 };
    char sum[TAKT_HASH_SIZE], *bytes = to->data;
    memcpy(bytes, from->data, from->size);
    memcpy(bytes + place, &numbers[chance % N], sizeof *numbers);
    takt_hash_bytes(bytes, from->size - SUM, sum);
    memcpy(bytes + from->size - SUM, sum, SUM);
}

// Returns whether the run was resumed; what it computes then is up to the forger.
static bool resume_forged(const variation *at, const moment *from)
{
    fixture f;
    collector own;
    takt_checkpoint *checkpoint = NULL;
    takt_progress progress;
    create(&f, at, &own, &found);
    takt_status st = takt_checkpoint_deserialize(from->data, from->size, &checkpoint, &f.err);
    if (!st) st = takt_run_resume(f.run, checkpoint, &f.err);
    takt_checkpoint_close(checkpoint);
    bool is_resumed = !st;
    for (int n = 0; n < 5 && !st; n++) st = takt_run_step(f.run, &progress, &f.err);
    assert_true(!st || f.err.message[0]);
    end(&f);
    return is_resumed;
}

// Whoever has computed the checksum anew can make results wrong, but nothing crashes: under the sanitizers this would tell.
static void forged_checkpoints_are_refused_or_used(void **state)
{
    enum { N_PLACES = 60, HEAD = 24 };
    int n_refused = 0, n_used = 0;
    unsigned chance = 1;
    (void)state;
    for (size_t i = 0; i < sizeof variations / sizeof *variations; i++) {
        moment true_one = run_a_while(&variations[i]);
        moment forged = {.data = malloc(true_one.size), .size = true_one.size};
        assert_non_null(forged.data);
        for (int k = 0; k < N_PLACES; k++) {
            chance = chance * 1664525u + 1013904223u;
            size_t place = HEAD + (chance >> 4) % (true_one.size - HEAD - TAKT_HASH_SIZE) / 4 * 4;
            forge(&true_one, &forged, place, chance >> 8);
            bool is_used = resume_forged(&variations[i], &forged);
            n_used += is_used;
            n_refused += !is_used;
        }
        takt_free(true_one.data);
        free(forged.data);
    }
    assert_true(n_refused > 20 && n_used > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_goes_on_from_each_of_its_steps),
        cmocka_unit_test(forged_checkpoints_are_refused_or_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

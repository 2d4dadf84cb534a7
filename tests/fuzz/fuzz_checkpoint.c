// SPDX-License-Identifier: MIT
// Fuzzes checkpoints: the reader with the bytes as they are, and as a content with a right head and checksum, which no mutation
// would find; and going on from a true checkpoint in which the bytes have changed something, again with the checksum that belongs to it.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "record/checkpoint_file.h"
#include "takt/takt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void parse(const void *data, size_t size)
{
    char *copy = malloc(size ? size : 1);
    if (!copy) return;
    memcpy(copy, data, size);
    takt_checkpoint *checkpoint = NULL;
    takt_error err = {0};
    if (takt_checkpoint_parse(copy, size, &checkpoint, &err)) {
        if (checkpoint || !err.message[0]) abort();
        return;
    }
    volatile size_t sum = 0; // everything is read
    for (int i = 0; i < checkpoint->n_facts; i++)
        sum += strlen(checkpoint->facts[i].name) + strlen(checkpoint->facts[i].value);
    for (int i = 0; i < checkpoint->n_instances; i++)
        for (size_t k = 0; k < checkpoint->instances[i].size; k++)
            sum += (unsigned char)checkpoint->instances[i].data[k];
    for (size_t k = 0; k < checkpoint->run_size; k++) sum += (unsigned char)checkpoint->run[k];
    (void)sum;
    takt_checkpoint_close(checkpoint);
}

// ---- going on --------------------------------------------------------------------------------------

// The system that checkpoints belong to, made once: two functions in a loop, by prediction or by an algorithm that keeps matrices.
typedef struct world {
    takt_problem_list *problems;
    takt_project *project;
    takt_system *system;
    void *bytes; // a true checkpoint
    size_t size;
} world;

static const char *const algorithms[] = {"auto", "anderson", "newton"};
enum { N_WORLDS = sizeof algorithms / sizeof *algorithms };

static void need(takt_status st)
{
    if (st) abort();
}

static void make(world *w, const char *algorithm)
{
    static const char *const settings[][2] = {
        {"stop-time", "1"}, {"step-size", "0.01"}, {"tolerance", "1e-4"}};
    takt_run *run = NULL;
    takt_progress progress;
    w->problems = takt_problem_list_create(TAKT_LEVEL_ERROR);
    need(takt_project_create("fuzz.ssd", takt_problem_list_log(w->problems), &w->project, NULL));
    need(takt_project_add(w->project, "A", "builtin:linear?factor=0.5&offset=1", NULL));
    need(takt_project_add(w->project, "B", "builtin:linear?factor=0.25", NULL));
    need(takt_project_connect(w->project, "A.out", "B.in", NULL));
    need(takt_project_connect(w->project, "B.out", "A.in", NULL));
    for (int i = 0; i < 3; i++)
        need(takt_project_set(w->project, settings[i][0], settings[i][1], NULL));
    need(takt_project_set(w->project, "algorithm", algorithm, NULL));
    need(takt_system_create(w->project, &w->system, NULL));
    need(takt_run_create(w->system, &run, NULL));
    need(takt_run_initialize(run, NULL));
    for (int i = 0; i < 10; i++) need(takt_run_step(run, &progress, NULL));
    need(takt_run_serialize(run, &w->bytes, &w->size, NULL));
    takt_run_destroy(run);
}

static void go_on(const world *w, const void *bytes, size_t size)
{
    takt_run *run = NULL;
    takt_checkpoint *checkpoint = NULL;
    takt_progress progress = TAKT_RUNNING;
    takt_error err = {0};
    need(takt_run_create(w->system, &run, NULL));
    takt_status st = takt_checkpoint_deserialize(bytes, size, &checkpoint, &err);
    if (!st) st = takt_run_resume(run, checkpoint, &err);
    for (int i = 0; i < 20 && !st && progress == TAKT_RUNNING; i++)
        st = takt_run_step(run, &progress, &err);
    if (st && !err.message[0]) abort();
    takt_checkpoint_close(checkpoint);
    takt_run_destroy(run);
}

// Each four bytes of the input change one of the checkpoint: two say where, one says how, one is the new value.
static void go_on_from_forged(const uint8_t *data, size_t size)
{
    static world worlds[N_WORLDS];
    enum { SUM = TAKT_HASH_SIZE - 1 };
    world *w = &worlds[data[0] % N_WORLDS];
    if (!w->system) make(w, algorithms[data[0] % N_WORLDS]);
    char *bytes = malloc(w->size), sum[TAKT_HASH_SIZE];
    if (!bytes) return;
    memcpy(bytes, w->bytes, w->size);
    for (size_t i = 1; i + 4 <= size; i += 4) {
        size_t place = (data[i] | (size_t)data[i + 1] << 8) % (w->size - SUM);
        size_t n = (size_t)1 << data[i + 2] % 4;
        if (place + n <= w->size - SUM) memset(bytes + place, data[i + 3], n);
    }
    takt_hash_bytes(bytes, w->size - SUM, sum);
    memcpy(bytes + w->size - SUM, sum, SUM);
    go_on(w, bytes, w->size);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { HEAD = 24, SUM = TAKT_HASH_SIZE - 1 };
    if (size == 0) return 0;
    parse(data, size);
    char *whole = malloc(HEAD + size + TAKT_HASH_SIZE);
    if (!whole) return 0;
    const uint32_t numbers[] = {TAKT_CHECKPOINT_FORMAT, 0x01020304};
    uint64_t n = size;
    memcpy(whole, "TAKTCKPT", 8);
    memcpy(whole + 8, numbers, sizeof numbers);
    memcpy(whole + 16, &n, sizeof n);
    memcpy(whole + HEAD, data, size);
    takt_hash_bytes(whole, HEAD + size, whole + HEAD + size);
    parse(whole, HEAD + size + SUM);
    free(whole);
    go_on_from_forged(data, size);
    return 0;
}

// SPDX-License-Identifier: MIT
// Several threads use the library at once, each with projects, systems and runs of its own: results are those of
// one thread. The first use of libxml2 is in all of them at once. With -fsanitize=thread this is also
// the test for races.

#include "base/thread.h"
#include "support/command.h"
#include "takt/takt.h"

enum { N_THREADS = 4, N_ROUNDS = 3 };

typedef struct user {
    takt_thread thread;
    const test_sandbox *box;
    takt_log *log; // shared
    int number;
    char failure[2 * TAKT_MESSAGE_SIZE]; // "": none
} user;

static void note(user *u, const char *what, const takt_error *err)
{
    if (!u->failure[0]) snprintf(u->failure, sizeof u->failure, "%s: %s", what, err->message);
}

static void path_of(const user *u, const char *name, char out[2 * TEST_PATH_SIZE])
{
    snprintf(out, 2 * TEST_PATH_SIZE, "%s/%d_%s", u->box->work, u->number, name);
}

static takt_status simulate(const user *u, const takt_system *system, takt_error *err)
{
    char path[2 * TEST_PATH_SIZE];
    takt_run *run = NULL;
    takt_progress progress = TAKT_RUNNING;
    path_of(u, "results.csv", path);
    takt_status st = takt_run_create(system, &run, err);
    if (!st) st = takt_run_record(run, path, err);
    if (!st) st = takt_run_initialize(run, err);
    while (!st && progress == TAKT_RUNNING) st = takt_run_step(run, &progress, err);
    if (!st) st = takt_run_finish(run, err);
    takt_run_destroy(run);
    return st;
}

// Everything that uses libraries: XML, archives, JSON, results, SUNDIALS.
static takt_status use(const user *u, const char *file, takt_error *err)
{
    char package[2 * TEST_PATH_SIZE], *text = NULL;
    takt_project *project = NULL;
    takt_system *system = NULL;
    path_of(u, "package.ssp", package);
    takt_status st = takt_project_open(file, u->log, &project, err);
    if (!st) st = takt_project_set(project, "stop-time", "0.3", err);
    if (!st) st = takt_project_write(project, package, err);
    if (!st) st = takt_system_create(project, &system, err);
    if (!st) st = takt_system_describe(system, TAKT_TOPIC_CONTENT, TAKT_FORMAT_JSON, &text, err);
    if (!st) st = simulate(u, system, err);
    takt_free(text);
    takt_system_destroy(system);
    takt_project_close(project);
    return st;
}

static void work(void *context)
{
    static const char *const files[] = {TAKT_EXAMPLES "/math003/math003.ssd",
                                        TAKT_EXAMPLES "/model_exchange/model_exchange.ssd",
                                        TAKT_EXAMPLES "/formats/OspSystemStructure.xml"};
    user *u = context;
    for (int i = 0; i < N_ROUNDS; i++) {
        takt_error err = {0};
        // The last round is of the same project in all threads.
        const char *file = files[i == N_ROUNDS - 1 ? 0 : (u->number + i) % 3];
        if (use(u, file, &err)) note(u, file, &err);
    }
}

static char *results_of(test_sandbox *box, int number, const char *name, size_t *size)
{
    char file[64];
    snprintf(file, sizeof file, "%d_%s", number, name);
    return test_read_file(box, file, size);
}

static void several_threads_use_the_library_at_once(void **state)
{
    test_sandbox *box = *state;
    test_log log;
    test_log_init_level(&log, TAKT_LEVEL_WARN);
    static user users[N_THREADS];
    setenv("TAKT_CACHE_DIR", box->cache, 1);
    for (int i = 0; i < N_THREADS; i++) {
        users[i] = (user){.box = box, .log = log.log, .number = i};
        assert_true(takt_thread_start(&users[i].thread, work, &users[i]));
    }
    for (int i = 0; i < N_THREADS; i++) takt_thread_join(&users[i].thread);
    for (int i = 0; i < N_THREADS; i++) assert_string_equal(users[i].failure, "");
    static const char *const files[] = {"results.csv", "package.ssp"};
    for (int k = 0; k < 2; k++) {
        size_t size = 0, other_size = 0;
        char *first = results_of(box, 0, files[k], &size);
        assert_non_null(first);
        assert_true(size > 50);
        for (int i = 1; i < N_THREADS; i++) {
            char *other = results_of(box, i, files[k], &other_size);
            assert_int_equal(other_size, size);
            assert_memory_equal(other, first, size);
            free(other);
        }
        free(first);
    }
    test_log_clear(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {test_in_sandbox(several_threads_use_the_library_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

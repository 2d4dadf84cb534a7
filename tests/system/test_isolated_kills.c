// SPDX-License-Identifier: MIT
// `kill -9` of the master, of a nest or of a worker at random moments: no process and no folder is left, results are valid.
// Memory that is shared has no name. With TAKT_TEST_KILLS=N so many kills (`make kills`).
#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "support/command.h"
#include "support/hostile.h"
#include "support/results.h"

enum { MASTER, NEST, WORKER, BOTH, N_VICTIMS };

static void pause_for(double seconds)
{
    nanosleep(&(struct timespec){(time_t)seconds, (long)(1e9 * (seconds - (int)seconds))}, NULL);
}

// The first child of a process; 0: none.
static pid_t child_of(pid_t process)
{
    char path[100];
    int child = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)process, (int)process);
    FILE *file = process > 0 ? fopen(path, "r") : NULL;
    if (file && fscanf(file, "%d", &child) != 1) child = 0;
    if (file) fclose(file);
    return child;
}

static void kill_one(const test_sandbox *box, int victim)
{
    pid_t nest = child_of(box->process), worker = child_of(nest);
    if (victim == BOTH && nest > 0) kill(nest, SIGKILL);
    if (victim == WORKER && worker > 0)
        kill(worker, SIGKILL);
    else if ((victim == WORKER || victim == NEST) && nest > 0)
        kill(nest, SIGKILL);
    else
        kill(box->process, SIGKILL);
}

// Is there a process whose folder for temporary files is that of the sandbox?
static bool is_process_left(const test_sandbox *box)
{
    char wanted[TEST_PATH_SIZE + 16], path[300], text[65536];
    int n = snprintf(wanted, sizeof wanted, "TMPDIR=%s", box->temp);
    bool found = false;
    DIR *processes = opendir("/proc");
    for (struct dirent *entry; processes && !found && (entry = readdir(processes));) {
        snprintf(path, sizeof path, "/proc/%s/environ", entry->d_name);
        FILE *file = atoi(entry->d_name) > 0 ? fopen(path, "r") : NULL;
        size_t size = file ? fread(text, 1, sizeof text, file) : 0;
        for (const char *at = text; at < text + size && !found; at += strlen(at) + 1)
            found = strncmp(at, wanted, (size_t)n + 1) == 0;
        if (file) fclose(file);
        if (size == sizeof text) text[sizeof text - 1] = 0;
    }
    if (processes) closedir(processes);
    return found;
}

static int count_left(const test_sandbox *box)
{
    int n = 0;
    DIR *folder = opendir(box->temp);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        n += strncmp(entry->d_name, "takt-worker", 11) == 0;
    if (folder) closedir(folder);
    return n;
}

// All lines but the last one, which may be cut, have all columns.
static void check_lines(test_sandbox *box)
{
    char *text = test_read_file(box, "r.csv", NULL);
    if (!text) return;
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = 0;
        assert_int_equal(test_count(line, ","), 1);
    }
    free(text);
}

static void run_and_kill(test_sandbox *box, int victim, double after)
{
    remove("r.csv");
    test_start(box, "run", TEST_FMUS "/Misbehave.fmu", "--isolate", "--step-size", "0.01",
               "--stop-time", "100", "--set", "what=9", "--set", "delay=0.002", "-q", "-o", "r.csv",
               NULL);
    pause_for(after);
    kill_one(box, victim);
    test_wait(box);
    bool is_master = box->exit_code == 128 + SIGKILL;
    if (!is_master) assert_exit(box, 4);
    for (int i = 0; i < 1000 && is_process_left(box); i++) pause_for(0.01);
    assert_false(is_process_left(box));
    check_lines(box);
    if (!is_master && test_has_file(box, "r.csv")) {
        test_results r;
        test_results_read(&r, box, "r.csv");
        test_results_clear(&r);
    }
    if (victim == BOTH) {
        // A folder that nobody could remove, the next run does.
        test_run(box, "run", TEST_FMUS "/Gain.fmu", "--isolate", "-q", "-o", "g.csv", NULL);
        assert_exit(box, 0);
    }
    assert_int_equal(count_left(box), 0);
}

// Who is killed between making a folder and locking it leaves it, empty. Nobody can tell that from one that is being made until it
// is old; then the next run removes it.
static void make_new_folders_old(test_sandbox *box)
{
    char path[2 * TEST_PATH_SIZE];
    const struct timespec long_ago[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
    snprintf(path, sizeof path, "%s/takt-new-worker-abcdef", box->temp);
    assert_int_equal(mkdir(path, 0700), 0);
    DIR *folder = opendir(box->temp);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));)
        if (strncmp(entry->d_name, "takt-new-worker-", 16) == 0)
            assert_int_equal(utimensat(dirfd(folder), entry->d_name, long_ago, 0), 0);
    closedir(folder);
    test_run(box, "run", TEST_FMUS "/Gain.fmu", "--isolate", "-q", "-o", "g.csv", NULL);
    assert_exit(box, 0);
}

static void nothing_is_left_after_kills(void **state)
{
    test_sandbox *box = *state;
    const char *asked = getenv("TAKT_TEST_KILLS");
    int n = asked ? 2 * atoi(asked) : 12;
    unsigned random = (unsigned)time(NULL);
    for (int i = 0; i < n; i++) {
        random = random * 1664525u + 1013904223u;
        run_and_kill(box, i % N_VICTIMS, 0.15 * (random >> 8) / (1 << 24));
    }
    make_new_folders_old(box);
}

static void start_long(test_sandbox *box, const char *option)
{
    remove("r.csv");
    test_start(box, "run", TEST_FMUS "/Misbehave.fmu", "--isolate", "--step-size", "0.01",
               "--stop-time", "100", "--set", "what=9", "--set", "delay=0.002", "-q", "-o", "r.csv",
               "--timeout", "1", option, NULL);
    for (int i = 0; i < 1000 && !test_has_file(box, "r.csv"); i++) pause_for(0.01);
    pause_for(0.1);
}

// It does not answer, and is alive.
static void worker_that_was_stopped_is_ended(void **state)
{
    test_sandbox *box = *state;
    start_long(box, "--strict");
    pid_t worker = child_of(child_of(box->process));
    assert_true(worker > 0);
    if (worker > 0) kill(worker, SIGSTOP);
    test_wait(box);
    assert_exit(box, 5);
    assert_contains(box->err, "has not returned within 1 s");
    assert_false(is_process_left(box));
    assert_int_equal(count_left(box), 0);
}

static void processes_that_an_fmu_has_made_end_with_it(void **state)
{
    test_sandbox *box = *state;
    test_run_hostile(box, "daemon step", "--isolate", "--sandbox=false", NULL);
    assert_exit(box, 0);
    test_hostile_rows(box, 11, "ok");
    assert_false(is_process_left(box));
}

// As an FMU without a sandbox can do. It takes half a minute until that is believed.
static void nest_that_was_stopped_is_ended(void **state)
{
    test_sandbox *box = *state;
    if (!getenv("TAKT_TEST_KILLS")) {
        print_message(
            "NOT TESTED: a nest that was stopped, which takes half a minute (make kills)\n");
        skip();
    }
    start_long(box, "--strict");
    pid_t nest = child_of(box->process), worker = child_of(nest);
    assert_true(nest > 0 && worker > 0);
    if (nest > 0) kill(nest, SIGSTOP);
    if (worker > 0) kill(worker, SIGSTOP);
    test_wait(box);
    assert_exit(box, 5);
    for (int i = 0; i < 1000 && is_process_left(box); i++) pause_for(0.01);
    assert_false(is_process_left(box));
    assert_int_equal(count_left(box), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {test_in_sandbox(nothing_is_left_after_kills),
                                       test_in_sandbox(worker_that_was_stopped_is_ended),
                                       test_in_sandbox(processes_that_an_fmu_has_made_end_with_it),
                                       test_in_sandbox(nest_that_was_stopped_is_ended)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
// Several runs at the same time share a cache of unpacked FMUs and do not disturb each other.
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/results.h"
#include "support/ssd.h"

enum { N_RUNS = 4 };

static void runs_at_the_same_time_share_an_empty_cache(void **state)
{
    test_sandbox *first = *state;
    test_sandbox_empty_cache(first);
    void *boxes[N_RUNS] = {first};
    for (int i = 1; i < N_RUNS; i++) {
        assert_int_equal(test_sandbox_setup(&boxes[i]), 0);
        memcpy(((test_sandbox *)boxes[i])->cache, first->cache, sizeof first->cache);
    }
    for (int i = 0; i < N_RUNS; i++) {
        test_ssd_example(boxes[i], "math003");
        test_start(boxes[i], "run", "math003.ssd", NULL);
    }
    for (int i = 0; i < N_RUNS; i++) test_wait(boxes[i]);
    char *wanted = test_read_file(first, "math003.csv", NULL);
    assert_non_null(wanted);
    for (int i = 0; i < N_RUNS; i++) {
        assert_exit((test_sandbox *)boxes[i], 0);
        char *got = test_read_file(boxes[i], "math003.csv", NULL);
        assert_string_equal(got, wanted);
        free(got);
    }
    free(wanted);
    for (int i = 1; i < N_RUNS; i++) assert_int_equal(test_sandbox_teardown(&boxes[i]), 0);
}

static void second_run_uses_what_the_first_unpacked(void **state)
{
    test_sandbox *box = *state;
    test_sandbox_empty_cache(box);
    test_ssd_example(box, "math003");
    test_run(box, "run", "math003.ssd", NULL);
    assert_exit(box, 0);
    char *first = test_read_file(box, "math003.csv", NULL);
    test_run(box, "run", "math003.ssd", NULL);
    assert_exit(box, 0);
    char *second = test_read_file(box, "math003.csv", NULL);
    assert_string_equal(first, second);
    free(first);
    free(second);
}

static void cache_that_cannot_be_written_is_no_riddle(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    snprintf(box->cache, sizeof box->cache, "/proc/nowhere");
    test_run(box, "run", "math003.ssd", NULL);
    // Either it works without a cache, or the message names the folder.
    if (box->exit_code != 0) assert_contains(box->err, "/proc/nowhere");
}

// ---- damage, locks, limits -------------------------------------------------------------------------

// The only entry of the cache, as a path.
static char *find_entry(const test_sandbox *box, char path[1024])
{
    DIR *folder = opendir(box->cache);
    path[0] = 0;
    for (struct dirent *item; folder && (item = readdir(folder));)
        if (strlen(item->d_name) == 64) snprintf(path, 1024, "%s/%s", box->cache, item->d_name);
    if (folder) closedir(folder);
    assert_true(path[0]);
    return path;
}

static int run_gain(test_sandbox *box)
{
    test_run(box, "run", TEST_FMUS "/Gain.fmu", "-q", "-o", "gain.csv", NULL);
    return box->exit_code;
}

// A file of the same size and time: only its content tells.
static void damaged_library_is_unpacked_again(void **state)
{
    test_sandbox *box = *state;
    test_sandbox_empty_cache(box);
    assert_int_equal(run_gain(box), 0);
    for (int k = 0; k < 2; k++) { // after the first use, and after one that knew the files already
        char entry[1024], library[2048];
        snprintf(library, sizeof library, "%s/content/binaries/linux64/Gain.so",
                 find_entry(box, entry));
        struct stat before;
        assert_int_equal(stat(library, &before), 0);
        assert_int_equal(chmod(library, 0644), 0);
        int fd = open(library, O_WRONLY | O_CLOEXEC);
        char *garbage = calloc(1, (size_t)before.st_size);
        assert_int_equal(write(fd, garbage, (size_t)before.st_size), before.st_size);
        free(garbage);
        close(fd);
        utimensat(AT_FDCWD, library, (struct timespec[]){before.st_atim, before.st_mtim}, 0);
        assert_int_equal(run_gain(box), 0);
        assert_int_equal(run_gain(box), 0);
    }
}

static void lock_that_is_held_elsewhere_is_told_and_does_not_stop_a_run(void **state)
{
    test_sandbox *box = *state;
    test_sandbox_empty_cache(box);
    char path[1024];
    mkdir(box->cache, 0700);
    snprintf(path, sizeof path, "%s/lock", box->cache);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    assert_int_equal(run_gain(box), 0);
    assert_contains(box->err, "/lock has been locked by another process for more than 3 s");
    assert_contains(box->err, "Gain.fmu");
    close(fd);
    assert_int_equal(run_gain(box), 0);
    assert_string_equal(box->err, "");
}

// The folder of a process that still unpacks is as old as can be; the one of a killed process is not locked.
static void folders_being_unpacked_stay_and_those_left_behind_go(void **state)
{
    test_sandbox *box = *state;
    test_sandbox_empty_cache(box);
    char used[1024], left[1024], lock[2048];
    mkdir(box->cache, 0700);
    snprintf(used, sizeof used, "%s/.new-abcdef", box->cache);
    snprintf(left, sizeof left, "%s/.new-ghijkl", box->cache);
    mkdir(used, 0700);
    mkdir(left, 0700);
    snprintf(lock, sizeof lock, "%s/lock", used);
    int fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    utimensat(AT_FDCWD, used, (struct timespec[]){{1000, 0}, {1000, 0}}, 0);
    utimensat(AT_FDCWD, left, (struct timespec[]){{1000, 0}, {1000, 0}}, 0);
    assert_int_equal(run_gain(box), 0);
    assert_int_equal(access(used, F_OK), 0);
    assert_int_equal(access(left, F_OK), -1);
    close(fd);
}

static void cleaning_spares_what_a_run_uses(void **state)
{
    test_sandbox *box = *state, *other;
    test_sandbox_empty_cache(box);
    assert_int_equal(test_sandbox_setup((void **)&other), 0);
    memcpy(other->cache, box->cache, sizeof box->cache);
    assert_int_equal(run_gain(box), 0);
    test_start(other, "run", TEST_FMUS "/Misbehave.fmu", "--step-size", "0.01", "--stop-time",
               "100", "--set", "Misbehave.what=9", "--set", "Misbehave.delay=0.02", "-q", NULL);
    test_wait_for_lines(other, "Misbehave.csv", 2);
    test_run(box, "cache", "--clean", NULL);
    assert_exit(box, 0);
    assert_contains(box->out, "Removed: 1 archive,");
    assert_contains(box->out, "Misbehave.fmu  (in use)");
    assert_int_equal(test_count(box->out, "Gain.fmu"), 0);
    kill(other->process, SIGTERM);
    test_wait(other);
    test_run(box, "cache", "--clean", "--json", NULL);
    assert_exit(box, 0);
    assert_contains(box->out, "\"entries\": []");
    assert_int_equal(test_sandbox_teardown((void **)&other), 0);
}

static void limit_removes_what_was_not_used_for_longest(void **state)
{
    test_sandbox *box = *state;
    test_sandbox_empty_cache(box);
    char entry[1024];
    assert_int_equal(run_gain(box), 0);
    utimensat(AT_FDCWD, find_entry(box, entry), (struct timespec[]){{1000, 0}, {1000, 0}}, 0);
    test_run(box, "run", TEST_FMUS "/Ball.fmu", "-q", NULL);
    assert_exit(box, 0);
    test_run(box, "cache", "--limit", "1 GB", NULL);
    assert_contains(box->out, "Removed: 0 archives");
    assert_contains(box->out, "of at most 1.00 GB");
    assert_contains(box->out, "1970-01-01 00:16 UTC  Gain.fmu");
    // One byte too few for both, however large the FMUs of this build are.
    test_run(box, "cache", "--json", NULL);
    char limit[40];
    snprintf(limit, sizeof limit, "%lldB", atoll(strstr(box->out, "\"size\": ") + 8) - 1);
    test_run(box, "cache", "--limit", limit, NULL);
    assert_contains(box->out, "Removed: 1 archive");
    assert_contains(box->out, "Ball.fmu");
    assert_int_equal(test_count(box->out, "Gain.fmu"), 0);
    // The limit is kept, and acts when something new comes.
    utimensat(AT_FDCWD, find_entry(box, entry), (struct timespec[]){{1000, 0}, {1000, 0}}, 0);
    assert_int_equal(run_gain(box), 0);
    test_run(box, "cache", NULL);
    assert_contains(box->out, "Gain.fmu");
    assert_int_equal(test_count(box->out, "Ball.fmu"), 0);
    test_run(box, "cache", "--limit", "much", NULL);
    assert_one_error(box, 2, "'much' is no size such as 500MB or 8GB");
}

static void unusable_entries_are_one_line_and_can_be_removed(void **state)
{
    test_sandbox *box = *state;
    test_sandbox_empty_cache(box);
    assert_int_equal(run_gain(box), 0);
    for (int i = 0; i < 3; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%064d", box->cache, i);
        assert_int_equal(mkdir(path, 0700), 0);
        strcat(path, "/content");
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs("a file of another version", file);
        fclose(file);
    }
    test_run(box, "cache", NULL);
    assert_exit(box, 0);
    assert_contains(box->out, "Gain.fmu");
    assert_contains(box->out, "75 B                        (3 archives, damaged or of another "
                              "version; takt cache --clean removes them)\n");
    assert_int_equal(test_count(box->out, "damaged"), 1);
    test_run(box, "cache", "--clean", NULL);
    assert_exit(box, 0);
    assert_contains(box->out, "Removed: 4 archives");
    assert_int_equal(test_count(box->out, "damaged"), 0);
}

static void limits_of_unpacking_are_options(void **state)
{
    test_sandbox *box = *state;
    test_sandbox_empty_cache(box);
    test_run(box, "info", TEST_FMUS "/Gain.fmu", "--unpack-limit", "20kB", NULL);
    assert_exit(box, 3);
    assert_contains(box->err, "larger than 20.0 kB when unpacked; --unpack-limit SIZE");
    test_run(box, "info", TEST_FMUS "/Gain.fmu", "--unpack-entries", "1", NULL);
    assert_exit(box, 3);
    assert_contains(box->err, "more than the 1 allowed; --unpack-entries ");
    test_run(box, "info", TEST_FMUS "/Gain.fmu", "--unpack-entries", "all", NULL);
    assert_exit(box, 2);
    test_run(box, "info", TEST_FMUS "/Gain.fmu", "--unpack-limit", "1GB", NULL);
    assert_exit(box, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(runs_at_the_same_time_share_an_empty_cache),
        test_in_sandbox(second_run_uses_what_the_first_unpacked),
        test_in_sandbox(cache_that_cannot_be_written_is_no_riddle),
        test_in_sandbox(damaged_library_is_unpacked_again),
        test_in_sandbox(lock_that_is_held_elsewhere_is_told_and_does_not_stop_a_run),
        test_in_sandbox(folders_being_unpacked_stay_and_those_left_behind_go),
        test_in_sandbox(cleaning_spares_what_a_run_uses),
        test_in_sandbox(limit_removes_what_was_not_used_for_longest),
        test_in_sandbox(unusable_entries_are_one_line_and_can_be_removed),
        test_in_sandbox(limits_of_unpacking_are_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

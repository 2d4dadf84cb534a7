// SPDX-License-Identifier: MIT
// main() of the test programs:
//     unit_record                          runs the tests of all files
//     unit_record test_csv_writer          of one file
//     unit_record test_csv_writer 'rows_*' those whose names match
//     unit_record --list                   names the files
#include "support/programs.h"

#include "support/test.h"

#if defined __SANITIZE_THREAD__
// The C library guards its loader and its time zone by locks that the thread sanitizer does not see.
__attribute__((visibility("default"))) const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
    return "race:_dl_close_worker\nrace:tzset_internal\n";
}
#endif

static void list_files(FILE *out)
{
    for (const test_file *file = test_files; file->name; file++) fprintf(out, "%s\n", file->name);
}

static int usage(const char *program)
{
    fprintf(stderr, "usage: %s [FILE [PATTERN]]; the files are\n", program);
    list_files(stderr);
    return 2;
}

int main(int n_arguments, char **arguments)
{
    const char *wanted = n_arguments > 1 ? arguments[1] : NULL;
    if (wanted && strcmp(wanted, "--list") == 0) {
        list_files(stdout);
        return 0;
    }
    if (n_arguments > 2) cmocka_set_test_filter(arguments[2]);
    int n_failed = 0, n_run = 0, result = 0;
    for (const test_file *file = test_files; file->name; file++) {
        if (wanted && strcmp(wanted, file->name) != 0) continue;
        result = file->run();
        n_failed += result != 0;
        n_run++;
    }
    if (n_run == 0) return usage(arguments[0]);
    if (n_run == 1 && result == TEST_SKIPPED) return TEST_SKIPPED;
    return n_failed ? 1 : 0;
}

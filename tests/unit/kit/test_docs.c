// SPDX-License-Identifier: MIT
// Code in docs/kit.md is taken from the files that are compiled: each block follows a sentence that
// names its file.
#include "support/command.h"
#include "support/test.h"

// The last path of a C file between `text` and `end`, if there is one.
static void find_path(const char *text, const char *end, char *path, size_t size)
{
    for (const char *tick = strchr(text, '`'); tick && tick < end; tick = strchr(tick + 1, '`')) {
        size_t n = strcspn(tick + 1, "`\n");
        if (n < 3 || n >= size || memcmp(tick + 1 + n - 2, ".c", 2) != 0) continue;
        memcpy(path, tick + 1, n);
        path[n] = 0;
    }
}

static void code_in_the_manual_is_compiled(void **unused)
{
    (void)unused;
    char *manual = test_read_path(TAKT_EXAMPLES "/../docs/kit.md", NULL);
    assert_non_null(manual);
    char path[256] = "";
    int n_blocks = 0;
    char *rest = manual;
    for (char *block; (block = strstr(rest, "```c\n")) != NULL; n_blocks++) {
        find_path(rest, block, path, sizeof path);
        char *code = block + strlen("```c\n"), *end = strstr(code, "```");
        assert_non_null(end);
        char whole[4096];
        snprintf(whole, sizeof whole, "%s/../%s", TAKT_EXAMPLES, path);
        char *source = test_read_path(whole, NULL);
        if (!source) fail_msg("cannot open %s", whole);
        *end = 0;
        assert_contains(source, code);
        free(source);
        rest = end + 1;
    }
    assert_true(n_blocks >= 10);
    free(manual);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(code_in_the_manual_is_compiled)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

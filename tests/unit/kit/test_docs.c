// SPDX-License-Identifier: MIT
// The example in docs/kit.md is the file that is compiled.
#include "support/test.h"

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 16);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    return text;
}

static void example_in_the_manual_is_the_compiled_one(void **unused)
{
    (void)unused;
    char *manual = read_text(TAKT_EXAMPLES "/../docs/kit.md");
    char *example = read_text(TAKT_EXAMPLES "/fmus/Math003Part3.c");
    assert_contains(manual, example);
    free(manual);
    free(example);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(example_in_the_manual_is_the_compiled_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

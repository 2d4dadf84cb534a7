// SPDX-License-Identifier: MIT
// Manifests of sweeps; see manifest.h.
#include "support/manifest.h"

void test_manifest_read(test_sandbox *box, const char *name, test_manifest *out)
{
    *out = (test_manifest){.text = test_read_file(box, name, NULL)};
    assert_non_null(out->text);
    char *line = strchr(out->text, '\n') + 1;
    for (char *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = 0;
        long i = strtol(line, NULL, 10);
        assert_in_range(i, 1, TEST_MOST_VARIANTS - 1);
        assert_null(out->lines[i]);
        out->lines[i] = line;
        out->n_lines++;
    }
    assert_string_equal(line, "");
}

void test_manifest_clear(test_manifest *manifest)
{
    free(manifest->text);
    *manifest = (test_manifest){0};
}

// The fourth cell is the time that the variant took.
static void assert_same_line(const char *a, const char *b)
{
    for (int cell = 0; *a || *b; cell++) {
        size_t n = strcspn(a, ","), m = strcspn(b, ",");
        if (cell != 3 && (n != m || memcmp(a, b, n) != 0)) fail_msg("'%s' is not '%s'", a, b);
        a += n + (a[n] != 0);
        b += m + (b[m] != 0);
    }
}

void test_manifest_assert_same(const test_manifest *a, const test_manifest *b)
{
    assert_int_equal(a->n_lines, b->n_lines);
    for (int i = 1; i < TEST_MOST_VARIANTS; i++)
        if (a->lines[i]) assert_same_line(a->lines[i], b->lines[i]);
}

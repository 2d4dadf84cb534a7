// SPDX-License-Identifier: MIT
// The folder `resources`: importing programs name it in different ways, authors see one.
#include "support/raw_fmu.h"

#define UNPACKED TEST_FMUS ".unpacked"

static void assert_path(const char *fmu, const char *location, const char *expected)
{
    raw_fmu f;
    raw_open(&f, UNPACKED, fmu);
    f.location = location;
    raw_start(&f);
    assert_string_equal(raw_get_string(&f, "path"), expected);
    raw_close(&f);
    assert_int_equal(raw_allocations(), 0);
}

static void authors_see_a_path_in_every_version(void **unused)
{
    (void)unused;
    assert_path("Resources", "file:///a/b%20c/resources", "/a/b c/resources/");
    assert_path("Resources", "file:/a/b/resources/", "/a/b/resources/");
    assert_path("Resources", "file://localhost/a%2Fb/resources", "/a/b/resources/");
    assert_path("Resources_fmi1", "file:///a/b%C3%A4", "/a/b\xc3\xa4/resources/");
    assert_path("Resources_fmi3", "/a/b%20c/resources/", "/a/b%20c/resources/");
    assert_path("Resources_fmi3", "/a", "/a/");
    // Against the standard, but clear.
    assert_path("Resources", "/a/b%20", "/a/b%20/");
    assert_path("Resources", "a/b", "a/b/");
    assert_path("Resources_fmi1", "/a/b", "/a/b/resources/");
    assert_path("Resources_fmi3", "file:///a/b%20c", "/a/b c/");
}

static void odd_locations_do_no_harm(void **unused)
{
    (void)unused;
    static const char *const odd[] = {"", "file:", "file://", "file://machine", "http://a/b"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) assert_path("Resources", odd[i], "");
    assert_path("Resources", NULL, "");
    assert_path("Resources_fmi1", NULL, "");
    assert_path("Resources_fmi3", NULL, "");
    assert_path("Resources", "file:///a%", "/a%/");
    assert_path("Resources", "file:///a%2", "/a%2/");
    assert_path("Resources", "file:///a%zz", "/a%zz/");
}

static void files_of_the_resources_can_be_read(void **unused)
{
    (void)unused;
    static const char *const fmus[][2] = {
        {"Resources", "file://" UNPACKED "/Resources/resources"},
        {"Resources_fmi1", "file://" UNPACKED "/Resources_fmi1"},
        {"Resources_fmi3", UNPACKED "/Resources_fmi3/resources/"},
    };
    for (size_t i = 0; i < sizeof fmus / sizeof *fmus; i++) {
        raw_fmu f;
        raw_open(&f, UNPACKED, fmus[i][0]);
        f.location = fmus[i][1];
        raw_start(&f);
        assert_string_equal(raw_get_string(&f, "text"), "A text that comes with the FMU.");
        raw_close(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(authors_see_a_path_in_every_version),
        cmocka_unit_test(odd_locations_do_no_harm),
        cmocka_unit_test(files_of_the_resources_can_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

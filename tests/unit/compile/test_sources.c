// SPDX-License-Identifier: MIT
// What there is to compile; that it compiles is shown by tests/system/test_sources.c.
#include "support/test.h"

#include "base/file.h"
#include "compile/sources.h"
#include "support/memory.h"

typedef struct fixture {
    takt_arena arena;
    char *folder;
} fixture;

static void write_text(fixture *f, const char *name, const char *text)
{
    char *path = takt_path_join(&f->arena, f->folder, name);
    assert_non_null(path);
    assert_int_equal(takt_folder_create(takt_path_folder(&f->arena, path), NULL), TAKT_OK);
    assert_int_equal(takt_file_write(path, text, strlen(text), NULL), TAKT_OK);
}

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    if (!f || takt_folder_create_temporary(&f->arena, NULL, "takt-test-", &f->folder, NULL))
        return -1;
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    takt_tree_remove(f->folder);
    takt_arena_clear(&f->arena);
    free(f);
    return 0;
}

static void write_build(fixture *f)
{
    write_text(f, "sources/a.c", "int a;");
    write_text(f, "sources/b.cc", "int b;");
    write_text(f, "sources/buildDescription.xml",
               "<fmiBuildDescription fmiVersion='3.0'><BuildConfiguration modelIdentifier='m'>"
               "<SourceFileSet><SourceFile name='a.c'/><PreprocessorDefinition name='X' value='1'/>"
               "<IncludeDirectory name='inc'/></SourceFileSet><SourceFileSet>"
               "<SourceFile name='b.cc'/></SourceFileSet><Library name='z' external='true'/>"
               "</BuildConfiguration></fmiBuildDescription>");
}

static bool has_sources(const fixture *f, int fmi_major)
{
    bool exist = false;
    assert_int_equal(takt_sources_exist(f->folder, fmi_major, &exist, NULL), TAKT_OK);
    return exist;
}

static void sets_of_files_have_arguments_of_their_own(void **state)
{
    fixture *f = *state;
    takt_sources sources;
    takt_error err = {0};
    write_build(f);
    assert_true(has_sources(f, 3));
    const takt_sources_wish wish = {
        .folder = f->folder, .fmi_major = 3, .platform = "x86_64-linux", .identifier = "m"};
    assert_int_equal(takt_sources_find(&wish, &f->arena, &sources, &err), TAKT_OK);
    assert_int_equal(sources.n_files, 2);
    assert_int_equal(sources.files[0].n_arguments, 2);
    assert_string_equal(sources.files[0].arguments[0], "-DX=1");
    assert_contains(sources.files[0].arguments[1], "/sources/inc");
    assert_false(sources.files[0].is_cpp);
    assert_int_equal(sources.files[1].n_arguments, 0);
    assert_true(sources.files[1].is_cpp);
    assert_int_equal(sources.n_libraries, 1);
    assert_string_equal(sources.libraries[0], "-lz");
}

static void only_included_files_are_left_out(void **state)
{
    fixture *f = *state;
    takt_sources sources;
    takt_error err = {0};
    assert_false(has_sources(f, 1));
    write_text(f, "sources/main.c",
               "#include \"sub/part.c\"\n// include \"other.c\"\n#include <stdio.h>\n#include");
    write_text(f, "sources/other.c", "");
    write_text(f, "sources/part.c", "");
    assert_true(has_sources(f, 1));
    assert_false(has_sources(f, 3));
    const takt_sources_wish wish = {.folder = f->folder, .fmi_major = 1, .identifier = "main"};
    assert_int_equal(takt_sources_find(&wish, &f->arena, &sources, &err), TAKT_OK);
    assert_int_equal(sources.n_files, 2);
    assert_string_equal(takt_path_name(sources.files[0].path), "main.c");
    assert_string_equal(takt_path_name(sources.files[1].path), "other.c");
    assert_string_equal(sources.files[0].arguments[0], "-DFMI_COSIMULATION");
}

static void attempt(void *context)
{
    const fixture *f = context;
    takt_arena arena = {0};
    takt_sources sources;
    takt_error err = {0};
    const takt_sources_wish wish = {
        .folder = f->folder, .fmi_major = 3, .platform = "x86_64-linux", .identifier = "m"};
    takt_status st = takt_sources_find(&wish, &arena, &sources, &err);
    assert_int_equal(st, test_memory_has_failed() ? TAKT_ERR_MEMORY : TAKT_OK);
    takt_arena_clear(&arena);
}

static void exhausted_memory_is_reported(void **state)
{
    write_build(*state);
    assert_true(test_memory_fail_each(attempt, *state) >= 5);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(sets_of_files_have_arguments_of_their_own),
        TEST(only_included_files_are_left_out),
        TEST(exhausted_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

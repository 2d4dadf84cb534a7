// SPDX-License-Identifier: MIT
#include "support/archive.h"
#include "support/test.h"

#include "base/file.h"
#include "base/zip.h"
#include "base/zip_write.h"

static char *make(takt_arena *arena, const char *folder, const char *name)
{
    takt_error err = {0};
    takt_zip_writer *writer = NULL;
    char *path = takt_path_join(arena, folder, name), *file = takt_path_join(arena, folder, "in");
    assert_int_equal(takt_file_write(file, "from disk", 9, &err), TAKT_OK);
    assert_int_equal(takt_zip_create(path, &writer, &err), TAKT_OK);
    assert_int_equal(takt_zip_add_data(writer, "a.txt", "text", 4, &err), TAKT_OK);
    assert_int_equal(takt_zip_add_data(writer, "empty", NULL, 0, &err), TAKT_OK);
    assert_int_equal(takt_zip_add_file(writer, "r/ä.fmu", file, &err), TAKT_OK);
    assert_int_equal(takt_zip_finish(writer, &err), TAKT_OK);
    return path;
}

static void archives_can_be_unpacked_and_are_the_same_every_time(void **state)
{
    (void)state;
    takt_arena arena = {0};
    takt_error err = {0};
    test_folder folder = test_folder_create();
    char *first = make(&arena, folder.path, "a.zip"), *second = make(&arena, folder.path, "b.zip");
    char *x = NULL, *y = NULL;
    size_t n_x, n_y;
    assert_int_equal(takt_file_read(first, 1 << 20, &x, &n_x, &err), TAKT_OK);
    assert_int_equal(takt_file_read(second, 1 << 20, &y, &n_y, &err), TAKT_OK);
    assert_int_equal(n_x, n_y);
    assert_memory_equal(x, y, n_x);
    free(x);
    free(y);
    char *out = takt_path_join(&arena, folder.path, "out");
    assert_int_equal(takt_folder_create(out, &err), TAKT_OK);
    FILE *file = NULL;
    takt_zip_content content;
    assert_int_equal(takt_file_open(first, &file, &err), TAKT_OK);
    assert_int_equal(takt_zip_unpack(file, out, &TAKT_ZIP_LIMITS_DEFAULT, &arena, &content, &err),
                     TAKT_OK);
    fclose(file);
    assert_int_equal(content.n_entries, 3);
    char **files = NULL;
    int n = 0;
    assert_int_equal(takt_tree_list(&arena, out, NULL, &files, &n, &err), TAKT_OK);
    assert_int_equal(n, 3);
    assert_string_equal(files[0], "a.txt");
    assert_string_equal(files[2], "r/ä.fmu");
    takt_arena_clear(&arena);
    test_folder_remove(&folder);
}

static void what_is_missing_or_misnamed_is_named_and_nothing_is_left(void **state)
{
    (void)state;
    takt_arena arena = {0};
    takt_error err = {0};
    takt_zip_writer *writer = NULL;
    test_folder folder = test_folder_create();
    char *path = takt_path_join(&arena, folder.path, "a.zip");
    assert_int_equal(takt_zip_create(path, &writer, &err), TAKT_OK);
    assert_int_equal(takt_zip_add_file(writer, "x", "/no/such/file", &err), TAKT_ERR_INPUT);
    assert_contains(err.message, "/no/such/file: cannot be opened");
    assert_int_equal(takt_zip_add_data(writer, "caf\xe9.txt", "x", 1, &err), TAKT_ERR_INPUT);
    assert_contains(err.message, "cannot be added: its name is not UTF-8; rename it");
    takt_zip_discard(writer);
    assert_false(takt_path_is_file(path));
    assert_int_equal(takt_zip_create("/no/such/folder/a.zip", &writer, &err), TAKT_ERR_OUTPUT);
    assert_contains(err.message, "/no/such/folder/a.zip: cannot be written");
    takt_arena_clear(&arena);
    test_folder_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(archives_can_be_unpacked_and_are_the_same_every_time),
        cmocka_unit_test(what_is_missing_or_misnamed_is_named_and_nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

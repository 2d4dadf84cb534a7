// SPDX-License-Identifier: MIT
#include "support/archive.h"
#include "support/test.h"

#include <sys/stat.h>

#include "base/file.h"
#include "base/zip.h"

typedef struct fixture {
    test_folder folder;
    char archive[512], target[512], outside[512];
    takt_arena arena;
    takt_zip_content content;
    takt_error err;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->folder = test_folder_create();
    snprintf(f->archive, sizeof f->archive, "%s/a.zip", f->folder.path);
    snprintf(f->target, sizeof f->target, "%s/target", f->folder.path);
    snprintf(f->outside, sizeof f->outside, "%s/evil", f->folder.path);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    test_folder_remove(&f->folder);
    takt_arena_clear(&f->arena);
    free(f);
    return 0;
}

static takt_status unpack_with(fixture *f, const takt_zip_limits *limits)
{
    FILE *file = fopen(f->archive, "rb");
    assert_non_null(file);
    takt_tree_remove(f->target);
    assert_int_equal(takt_folder_create(f->target, NULL), TAKT_OK);
    f->err = (takt_error){0};
    takt_status st = takt_zip_unpack(file, f->target, limits, &f->arena, &f->content, &f->err);
    fclose(file);
    return st;
}

static takt_status unpack(fixture *f)
{
    return unpack_with(f, &TAKT_ZIP_LIMITS_DEFAULT);
}

static void assert_content(fixture *f, const char *name, const char *expected)
{
    char path[1024], *data;
    size_t size;
    snprintf(path, sizeof path, "%s/%s", f->target, name);
    assert_int_equal(takt_file_read(path, 1 << 20, &data, &size, &f->err), TAKT_OK);
    assert_string_equal(data, expected);
    free(data);
}

static void assert_refused(fixture *f, const char *message)
{
    assert_int_equal(unpack(f), TAKT_ERR_INPUT);
    assert_contains(f->err.message, message);
    assert_false(takt_path_is_file(f->outside));
}

static void files_and_folders_are_unpacked_read_only(void **state)
{
    fixture *f = *state;
    test_archive(f->archive,
                 (test_entry[]){{.name = "b/c.txt", .data = "inner"},
                                {.name = "empty/"},
                                {.name = "a.txt", .data = "outer"},
                                {.name = "./d//e.txt", .data = "dots"},
                                {.name = "run.sh", .data = "#!", .mode = S_IFREG | 0755}},
                 5);
    assert_int_equal(unpack(f), TAKT_OK);
    assert_content(f, "a.txt", "outer");
    assert_content(f, "b/c.txt", "inner");
    assert_content(f, "d/e.txt", "dots");
    assert_int_equal(f->content.n_entries, 4);
    assert_string_equal(f->content.entries[0].name, "b/c.txt");
    assert_int_equal(f->content.entries[0].size, 5);
    char path[1024];
    struct stat status;
    snprintf(path, sizeof path, "%s/run.sh", f->target);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0222, 0);
    assert_int_equal(status.st_mode & 0100, 0100);
    snprintf(path, sizeof path, "%s/empty", f->target);
    assert_true(takt_path_is_folder(path));
}

static void backslashes_count_as_slashes(void **state)
{
    fixture *f = *state;
    test_archive(f->archive, (test_entry[]){{.name = "b\\c.txt", .data = "x"}}, 1);
    assert_int_equal(unpack(f), TAKT_OK);
    assert_content(f, "b/c.txt", "x");
}

static void names_that_escape_are_refused(void **state)
{
    fixture *f = *state;
    static const char *const names[][2] = {
        {"../evil", "entry '../evil' would be written outside of the folder"},
        {"a/../../evil", "would be written outside of the folder"},
        {"..\\evil", "would be written outside of the folder"},
        {"a/..", "would be written outside of the folder"},
        {"/evil", "has an absolute path"},
        {"\\evil", "has an absolute path"},
        {"C:\\evil", "has a path with a drive letter"},
        {"c:evil", "has a path with a drive letter"},
        {"ev\til", "entry 'ev?il' has a control character in its name"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        test_archive(f->archive, &(test_entry){.name = names[i][0], .data = "x"}, 1);
        assert_refused(f, names[i][1]);
    }
}

static void zero_bytes_in_names_cut_nothing_off(void **state)
{
    fixture *f = *state;
    test_archive(f->archive, &(test_entry){.name = "abcXdef", .data = "x"}, 1);
    test_patch(f->archive, "abcXdef", "abc\0def", 7);
    assert_int_equal(unpack(f), TAKT_OK);
    assert_content(f, "abc def", "x");
}

static void links_and_special_files_are_refused(void **state)
{
    fixture *f = *state;
    test_archive(f->archive, &(test_entry){.name = "l", .data = "/etc", .mode = S_IFLNK | 0777}, 1);
    assert_refused(f, "entry 'l' is a symbolic link");
    test_archive(f->archive, &(test_entry){.name = "p", .data = "x", .mode = S_IFIFO | 0666}, 1);
    assert_refused(f, "entry 'p' is a special file");
}

static void names_that_occur_twice_are_refused(void **state)
{
    fixture *f = *state;
    test_archive(f->archive,
                 (test_entry[]){{.name = "dup1", .data = "x"}, {.name = "dup2", .data = "y"}}, 2);
    test_patch(f->archive, "dup2", "dup1", 4);
    assert_refused(f, "entry 'dup1' occurs twice");
    test_patch(f->archive, "dup1", "d/p1", 4);
    assert_refused(f, "entry 'd/p1' occurs twice");
    test_archive(f->archive,
                 (test_entry[]){{.name = "name", .data = "x"}, {.name = "Name", .data = "y"}}, 2);
    assert_refused(f, "entry 'Name' differs from another one only in case");
}

static void a_file_may_be_packed_twice(void **state)
{
    fixture *f = *state;
    test_archive(f->archive,
                 (test_entry[]){{.name = "dup1", .data = "x"}, {.name = "dup2", .data = "x"}}, 2);
    test_patch(f->archive, "dup2", "dup1", 4);
    assert_int_equal(unpack(f), TAKT_OK);
    assert_content(f, "dup1", "x");
    assert_int_equal(f->content.n_entries, 1);
}

static void a_file_cannot_be_a_folder_too(void **state)
{
    fixture *f = *state;
    const test_entry entries[] = {{.name = "a", .data = "x"}, {.name = "a/b", .data = "y"}};
    test_archive(f->archive, entries, 2);
    assert_refused(f, "entry 'a/b' would have to be a file and a folder at the same time");
    test_archive(f->archive, (test_entry[]){entries[1], entries[0]}, 2);
    assert_refused(f, "entry 'a' would have to be a file and a folder at the same time");
}

static void encrypted_entries_are_refused(void **state)
{
    fixture *f = *state;
    test_archive(f->archive, &(test_entry){.name = "s", .data = "secret", .password = "p"}, 1);
    assert_refused(f, "entry 's' is encrypted");
}

static void unknown_methods_are_named(void **state)
{
    fixture *f = *state;
    test_archive(f->archive, &(test_entry){.name = "method", .data = "xxxx"}, 1);
    // Method 0 (store) lies 20 bytes before the name in the local, 36 before it in the central header.
    char *data;
    size_t size;
    assert_int_equal(takt_file_read(f->archive, 1 << 20, &data, &size, NULL), TAKT_OK);
    for (size_t i = 36; i + 6 < size; i++)
        if (memcmp(data + i, "method", 6) == 0) data[i - 36] = 77;
    assert_int_equal(takt_file_write(f->archive, data, size, NULL), TAKT_OK);
    free(data);
    assert_refused(f, "entry 'method' is packed with method 77, which is not supported");
}

static void bombs_are_stopped_while_inflating(void **state)
{
    fixture *f = *state;
    enum { SIZE = 1 << 20 };
    char *zeros = calloc(1, SIZE);
    test_archive(f->archive,
                 (test_entry[]){{.name = "a", .data = zeros, .size = SIZE},
                                {.name = "b", .data = zeros, .size = SIZE}},
                 2);
    free(zeros);
    takt_zip_limits limits = TAKT_ZIP_LIMITS_DEFAULT;
    limits.ratio_free = SIZE + 1;
    assert_int_equal(unpack_with(f, &limits), TAKT_ERR_INPUT);
    assert_contains(f->err.message,
                    "entry 'b' makes the unpacked archive more than 200 times as large");
    limits = TAKT_ZIP_LIMITS_DEFAULT;
    limits.entry_size = SIZE - 1;
    assert_int_equal(unpack_with(f, &limits), TAKT_ERR_INPUT);
    assert_contains(f->err.message,
                    "entry 'a' is larger than 1.05 MB when unpacked; --unpack-limit SIZE");
    limits = TAKT_ZIP_LIMITS_DEFAULT;
    limits.total_size = 2 * SIZE - 1;
    assert_int_equal(unpack_with(f, &limits), TAKT_ERR_INPUT);
    assert_contains(f->err.message, "entry 'b' makes the unpacked archive larger than 2.10 MB");
    limits = TAKT_ZIP_LIMITS_DEFAULT;
    limits.n_entries = 1;
    assert_int_equal(unpack_with(f, &limits), TAKT_ERR_INPUT);
    assert_contains(f->err.message,
                    "it has 2 entries, more than the 1 allowed; --unpack-entries 2");
    // Headers that lie about the size change nothing.
    test_patch(f->archive, "\0\0\x10\0", "\x10\0\0\0", 4);
    limits.n_entries = 2;
    limits.entry_size = 1000;
    assert_int_equal(unpack_with(f, &limits), TAKT_ERR_INPUT);
}

static void deep_folders_and_long_names_are_refused(void **state)
{
    fixture *f = *state;
    char name[4096] = "";
    for (int i = 0; i < 33; i++) strncat(name, "d/", sizeof name - strlen(name) - 1);
    strncat(name, "f", sizeof name - strlen(name) - 1);
    test_archive(f->archive, &(test_entry){.name = name, .data = "x"}, 1);
    assert_refused(f, "lies in too many folders");
    memset(name, 'n', 300);
    name[300] = 0;
    test_archive(f->archive, &(test_entry){.name = name, .data = "x"}, 1);
    assert_refused(f, "has a path that is too long");
}

static void other_files_are_said_to_be_no_archives(void **state)
{
    fixture *f = *state;
    takt_file_write(f->archive, "<html>hello</html>", 18, NULL);
    assert_refused(f, "is not a zip archive (the first bytes are \"<html>he\")");
    takt_file_write(f->archive,
                    "\x7f"
                    "ELF\2\1\1\0\0",
                    9, NULL);
    assert_refused(f, "is not a zip archive (the first bytes are 7f 45 4c 46 02 01 01 00)");
    takt_file_write(f->archive, "", 0, NULL);
    assert_refused(f, "is not a zip archive (the file is empty)");
}

static void every_truncation_is_noticed(void **state)
{
    fixture *f = *state;
    test_entry entry = {.name = "a", .data = "some text that is long enough"};
    test_archive(f->archive, &entry, 1);
    char *data;
    size_t size;
    assert_int_equal(takt_file_read(f->archive, 1 << 20, &data, &size, NULL), TAKT_OK);
    for (size_t n = 0; n < size; n++) {
        takt_file_write(f->archive, data, n, NULL);
        assert_int_equal(unpack(f), TAKT_ERR_INPUT);
    }
    takt_file_write(f->archive, data, size / 2, NULL);
    assert_refused(f, "is not a complete zip archive: the directory at its end is missing");
    free(data);
}

static void damaged_content_is_noticed(void **state)
{
    fixture *f = *state;
    test_archive(f->archive, &(test_entry){.name = "a", .data = "stored"}, 1);
    test_patch(f->archive, "stored", "STORED", 6);
    assert_refused(f, "entry 'a' is damaged: CRC error");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(files_and_folders_are_unpacked_read_only),
        TEST(backslashes_count_as_slashes),
        TEST(names_that_escape_are_refused),
        TEST(zero_bytes_in_names_cut_nothing_off),
        TEST(links_and_special_files_are_refused),
        TEST(names_that_occur_twice_are_refused),
        TEST(a_file_may_be_packed_twice),
        TEST(a_file_cannot_be_a_folder_too),
        TEST(encrypted_entries_are_refused),
        TEST(unknown_methods_are_named),
        TEST(bombs_are_stopped_while_inflating),
        TEST(deep_folders_and_long_names_are_refused),
        TEST(other_files_are_said_to_be_no_archives),
        TEST(every_truncation_is_noticed),
        TEST(damaged_content_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

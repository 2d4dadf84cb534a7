// SPDX-License-Identifier: MIT
#include "support/archive.h"
#include "support/test.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"

typedef struct fixture {
    test_folder folder;
    takt_arena arena;
    takt_error err;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->folder = test_folder_create();
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

static char *inside(fixture *f, const char *name)
{
    return takt_path_join(&f->arena, f->folder.path, name);
}

static void paths_are_taken_apart_and_joined(void **state)
{
    fixture *f = *state;
    assert_string_equal(takt_path_name("a/b.fmu"), "b.fmu");
    assert_string_equal(takt_path_name("b.fmu"), "b.fmu");
    assert_string_equal(takt_path_join(&f->arena, "a", "b"), "a/b");
    assert_string_equal(takt_path_join(&f->arena, "a/", "b"), "a/b");
    assert_string_equal(takt_path_join(&f->arena, "a", "/b"), "/b");
    assert_string_equal(takt_path_join(&f->arena, "", "b"), "b");
    assert_string_equal(takt_path_folder(&f->arena, "a/b/c"), "a/b");
    assert_string_equal(takt_path_folder(&f->arena, "/c"), "/");
    assert_string_equal(takt_path_folder(&f->arena, "c"), ".");
    assert_string_equal(takt_path_absolute(&f->arena, "/c"), "/c");
    char *current = getcwd(NULL, 0);
    assert_string_equal(takt_path_absolute(&f->arena, "c"),
                        takt_path_join(&f->arena, current, "c"));
    free(current);
}

static void uris_are_percent_encoded(void **state)
{
    fixture *f = *state;
    assert_string_equal(takt_path_uri(&f->arena, "/a b/c#d%\xc3\xa4/x-._~9"),
                        "file:///a%20b/c%23d%25%C3%A4/x-._~9");
}

static void files_are_read_up_to_their_limit(void **state)
{
    fixture *f = *state;
    char *path = inside(f, "a"), *data;
    size_t size;
    assert_int_equal(takt_file_write(path, "hello", 5, &f->err), TAKT_OK);
    assert_int_equal(takt_file_read(path, 5, &data, &size, &f->err), TAKT_OK);
    assert_string_equal(data, "hello");
    assert_int_equal(size, 5);
    free(data);
    assert_int_equal(takt_file_read(path, 4, &data, &size, &f->err), TAKT_ERR_INPUT);
    assert_contains(f->err.message, "/a: the file is larger than 4 bytes");
    assert_int_equal(takt_file_write(path, "", 0, &f->err), TAKT_OK);
    assert_int_equal(takt_file_read(path, 0, &data, &size, &f->err), TAKT_OK);
    assert_string_equal(data, "");
    free(data);
    // This one claims to be empty.
    assert_int_equal(takt_file_read("/proc/self/stat", 1 << 20, &data, &size, &f->err), TAKT_OK);
    assert_true(size > 10);
    free(data);
}

static void what_is_no_file_is_not_read(void **state)
{
    fixture *f = *state;
    char *data;
    size_t size;
    assert_int_equal(takt_file_read(inside(f, "none"), 9, &data, &size, &f->err), TAKT_ERR_INPUT);
    assert_contains(f->err.message, "/none: cannot be opened: No such file or directory");
    assert_int_equal(takt_file_read(f->folder.path, 9, &data, &size, &f->err), TAKT_ERR_INPUT);
    assert_contains(f->err.message, ": is not a file but a folder");
    char *pipe = inside(f, "pipe");
    assert_int_equal(mkfifo(pipe, 0600), 0);
    assert_int_equal(takt_file_read(pipe, 9, &data, &size, &f->err), TAKT_ERR_INPUT);
    assert_contains(f->err.message, "/pipe: is not a file");
    assert_int_equal(takt_file_write(f->folder.path, "x", 1, &f->err), TAKT_ERR_OUTPUT);
    assert_contains(f->err.message, ": cannot be written: ");
}

static void folders_are_made_with_those_above(void **state)
{
    fixture *f = *state;
    char *deep = inside(f, "a/b/c");
    assert_int_equal(takt_folder_create(deep, &f->err), TAKT_OK);
    assert_int_equal(takt_folder_create(deep, &f->err), TAKT_OK);
    assert_true(takt_path_is_folder(deep));
    takt_file_write(inside(f, "file"), "", 0, NULL);
    assert_int_equal(takt_folder_create(inside(f, "file/x"), &f->err), TAKT_ERR_OUTPUT);
    assert_contains(f->err.message, "/file: the folder cannot be made: ");
}

static void trees_are_removed_without_following_links(void **state)
{
    fixture *f = *state;
    char *outside = inside(f, "outside"), *tree = inside(f, "tree"), *kept = inside(f, "outside/k");
    takt_folder_create(outside, NULL);
    takt_file_write(kept, "x", 1, NULL);
    takt_folder_create(inside(f, "tree/a/b"), NULL);
    takt_file_write(inside(f, "tree/a/b/f"), "x", 1, NULL);
    chmod(inside(f, "tree/a/b/f"), 0444);
    assert_int_equal(symlink(outside, inside(f, "tree/a/link")), 0);
    assert_true(takt_tree_remove(tree));
    assert_false(takt_path_is_folder(tree));
    assert_true(takt_path_is_file(kept));
    assert_true(takt_tree_remove(tree));
    assert_true(takt_tree_remove(kept));
}

static void temporary_folders_are_new_and_private(void **state)
{
    fixture *f = *state;
    char *first, *second;
    assert_int_equal(takt_folder_create_temporary(&f->arena, f->folder.path, "t-", &first, &f->err),
                     TAKT_OK);
    assert_int_equal(
        takt_folder_create_temporary(&f->arena, f->folder.path, "t-", &second, &f->err), TAKT_OK);
    assert_string_not_equal(first, second);
    struct stat status;
    assert_int_equal(stat(first, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    assert_int_equal(
        takt_folder_create_temporary(&f->arena, "/dev/null/none", "t", &first, &f->err),
        TAKT_ERR_OUTPUT);
    assert_contains(f->err.message, "/dev/null/none: a temporary folder cannot be made: ");
}

static void swap_leaves_both(void **state)
{
    fixture *f = *state;
    char *a = inside(f, "a"), *b = inside(f, "b"), *data;
    size_t size;
    takt_file_write(a, "A", 1, NULL);
    takt_folder_create(b, NULL);
    assert_int_equal(takt_file_swap(a, b, &f->err), TAKT_OK);
    assert_true(takt_path_is_folder(a));
    assert_int_equal(takt_file_read(b, 9, &data, &size, &f->err), TAKT_OK);
    assert_string_equal(data, "A");
    free(data);
    assert_int_equal(takt_file_swap(b, inside(f, "c"), &f->err), TAKT_OK);
    assert_false(takt_path_is_file(b));
    assert_int_equal(takt_file_swap(b, a, &f->err), TAKT_ERR_OUTPUT);
}

static void hash_is_that_of_the_standard(void **state)
{
    fixture *f = *state;
    char *path = inside(f, "abc"), hash[TAKT_HASH_SIZE];
    takt_file_write(path, "abc", 3, NULL);
    FILE *file;
    assert_int_equal(takt_file_open(path, &file, &f->err), TAKT_OK);
    assert_int_equal(takt_hash_file(file, hash, &f->err), TAKT_OK);
    assert_string_equal(hash, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_int_equal(fgetc(file), 'a'); // back at the beginning
    fclose(file);
}

static void assert_content(const char *path, const char *content)
{
    char *data = NULL;
    size_t size;
    assert_int_equal(takt_file_read(path, 100, &data, &size, NULL), TAKT_OK);
    assert_string_equal(data, content);
    free(data);
}

// As on a full disk: no file may grow beyond 3 bytes.
static void an_old_file_survives_when_the_new_one_cannot_be_written(void **state)
{
    fixture *f = *state;
    char *path = inside(f, "old");
    takt_file_write(path, "abc", 3, NULL);
    assert_int_equal(chmod(path, 0640), 0);
    struct rlimit usual, small = {3, 3};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &usual), 0);
    small.rlim_max = usual.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    takt_status st = takt_file_write(path, "longer", 6, &f->err);
    setrlimit(RLIMIT_FSIZE, &usual);
    assert_int_equal(st, TAKT_ERR_OUTPUT);
    assert_contains(f->err.message, "old: cannot be written: ");
    assert_content(path, "abc");
    assert_false(takt_path_is_file(inside(f, "old.part")));
    struct stat status;
    assert_int_equal(takt_file_write(path, "longer", 6, &f->err), TAKT_OK);
    assert_content(path, "longer");
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0640);
}

static void a_new_file_replaces_nothing_but_the_same(void **state)
{
    fixture *f = *state;
    char *path = inside(f, "new");
    for (int i = 0; i < 2; i++)
        assert_int_equal(takt_file_write_new(path, "abc", 3, &f->err), TAKT_OK);
    assert_int_equal(takt_file_write_new(path, "abd", 3, &f->err), TAKT_ERR_OUTPUT);
    assert_contains(f->err.message, "new: is there already, with other content");
    assert_int_equal(takt_file_write_new(path, "ab", 2, &f->err), TAKT_ERR_OUTPUT);
    assert_content(path, "abc");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static void relative_paths_lead_from_a_folder_to_a_file(void **state)
{
    (void)state;
    takt_arena arena = {0};
    static const char *const cases[][3] = {{"/a/b", "/a/b/c.fmu", "c.fmu"},
                                           {"/a/b", "/a/c/d.fmu", "../c/d.fmu"},
                                           {"/a/b", "/a/bc/d.fmu", "../bc/d.fmu"},
                                           {"/a/b/c", "/x", "../../../x"},
                                           {"/", "/x/y", "x/y"},
                                           {"/a/bc", "/a/b/d", "../b/d"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(takt_path_relative(&arena, cases[i][0], cases[i][1]), cases[i][2]);
    takt_arena_clear(&arena);
}

static void a_copy_replaces_nothing_but_the_same(void **state)
{
    (void)state;
    takt_arena arena = {0};
    takt_error err = {0};
    char *folder;
    assert_int_equal(takt_folder_create_temporary(&arena, NULL, "test", &folder, &err), TAKT_OK);
    char *from = takt_path_join(&arena, folder, "from"), *to = takt_path_join(&arena, folder, "to");
    assert_int_equal(takt_file_write(from, "text", 4, &err), TAKT_OK);
    assert_int_equal(takt_file_copy(from, to, &err), TAKT_OK);
    assert_int_equal(takt_file_copy(from, to, &err), TAKT_OK);
    assert_int_equal(takt_file_write(from, "texts", 5, &err), TAKT_OK);
    assert_int_equal(takt_file_copy(from, to, &err), TAKT_ERR_OUTPUT);
    assert_contains(err.message, "to: is there already, with other content");
    takt_tree_remove(folder);
    takt_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(paths_are_taken_apart_and_joined),
        TEST(uris_are_percent_encoded),
        TEST(files_are_read_up_to_their_limit),
        TEST(what_is_no_file_is_not_read),
        TEST(folders_are_made_with_those_above),
        TEST(trees_are_removed_without_following_links),
        TEST(temporary_folders_are_new_and_private),
        TEST(swap_leaves_both),
        TEST(hash_is_that_of_the_standard),
        TEST(an_old_file_survives_when_the_new_one_cannot_be_written),
        TEST(a_new_file_replaces_nothing_but_the_same),
        cmocka_unit_test(relative_paths_lead_from_a_folder_to_a_file),
        cmocka_unit_test(a_copy_replaces_nothing_but_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

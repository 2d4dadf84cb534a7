// SPDX-License-Identifier: MIT
#include "support/archive.h"
#include "support/test.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

typedef struct fixture {
    test_folder folder;
    takt_arena arena;
    takt_error err;
    char **files;
    int n_files;
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

static void make_folder(fixture *f, const char *name)
{
    assert_int_equal(takt_folder_create(inside(f, name), &f->err), TAKT_OK);
}

static void make_file(fixture *f, const char *name)
{
    assert_int_equal(takt_file_write(inside(f, name), "x", 1, &f->err), TAKT_OK);
}

static takt_status list(fixture *f, takt_tree_choice *wants)
{
    return takt_tree_list(&f->arena, f->folder.path, wants, &f->files, &f->n_files, &f->err);
}

static void files_of_linked_folders_are_listed(void **state)
{
    fixture *f = *state;
    make_folder(f, "a/b");
    make_file(f, "a/b/1");
    make_file(f, "0");
    assert_int_equal(symlink("a", inside(f, "linked")), 0);
    assert_int_equal(symlink("0", inside(f, "z")), 0);
    assert_int_equal(list(f, NULL), TAKT_OK);
    assert_int_equal(f->n_files, 4);
    assert_string_equal(f->files[0], "0");
    assert_string_equal(f->files[1], "a/b/1");
    assert_string_equal(f->files[2], "linked/b/1");
    assert_string_equal(f->files[3], "z");
}

static void links_without_end_and_without_aim_are_told(void **state)
{
    fixture *f = *state;
    make_folder(f, "a");
    assert_int_equal(symlink("..", inside(f, "a/up")), 0);
    assert_int_equal(list(f, NULL), TAKT_ERR_INPUT);
    assert_contains(f->err.message, "a/up: is a symbolic link to a folder above it");
    assert_int_equal(unlink(inside(f, "a/up")), 0);
    assert_int_equal(symlink("nowhere", inside(f, "a/lost")), 0);
    assert_int_equal(list(f, NULL), TAKT_ERR_INPUT);
    assert_contains(f->err.message, "a/lost: is a symbolic link that leads nowhere");
}

static void folders_that_are_too_deep_are_told(void **state)
{
    fixture *f = *state;
    char path[200] = "d";
    for (int i = 1; i < 64; i++) strcat(path, "/d");
    make_folder(f, path);
    assert_int_equal(list(f, NULL), TAKT_OK);
    strcat(path, "/d");
    make_folder(f, path);
    assert_int_equal(list(f, NULL), TAKT_ERR_INPUT);
    assert_contains(f->err.message, "lies in more than 64 folders");
}

static void special_files_are_told(void **state)
{
    fixture *f = *state;
    assert_int_equal(mkfifo(inside(f, "pipe"), 0600), 0);
    assert_int_equal(list(f, NULL), TAKT_ERR_INPUT);
    assert_contains(f->err.message, "pipe: is neither a file nor a folder");
}

static bool wants_a(const char *name, bool is_folder)
{
    return is_folder ? strcmp(name, "a") == 0 : strcmp(name, "a/1") == 0;
}

static void what_is_not_wanted_is_not_looked_at(void **state)
{
    fixture *f = *state;
    make_folder(f, "a");
    make_folder(f, "b");
    make_file(f, "a/1");
    make_file(f, "a/2");
    assert_int_equal(mkfifo(inside(f, "b/pipe"), 0600), 0);
    assert_int_equal(symlink("nowhere", inside(f, "lost")), 0);
    assert_int_equal(list(f, wants_a), TAKT_OK);
    assert_int_equal(f->n_files, 1);
    assert_string_equal(f->files[0], "a/1");
}

// Root may read everything; that no file can be opened any more concerns also root.
static void folders_that_cannot_be_read_are_told(void **state)
{
    fixture *f = *state;
    make_folder(f, "a");
    int next = open("/dev/null", O_RDONLY | O_CLOEXEC);
    struct rlimit old, few;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
    few = old;
    few.rlim_cur = (rlim_t)next + 1; // one more, for the folder itself
    close(next);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    takt_status st = list(f, NULL);
    setrlimit(RLIMIT_NOFILE, &old);
    assert_int_equal(st, TAKT_ERR_INPUT);
    assert_contains(f->err.message, "/a: the folder cannot be read: Too many open files");
    assert_int_equal(takt_tree_list(&f->arena, "missing", NULL, &f->files, &f->n_files, &f->err),
                     TAKT_ERR_INPUT);
    assert_contains(f->err.message, "missing: the folder cannot be read");
}

// More than one buffer of the system holds.
static void large_trees_are_removed_without_memory(void **state)
{
    fixture *f = *state;
    for (int i = 0; i < 600; i++) {
        char name[64];
        snprintf(name, sizeof name, "t/%d/a_name_that_takes_some_room_in_the_buffer_%d", i % 3, i);
        if (i < 3) make_folder(f, takt_arena_print(&f->arena, "t/%d", i));
        make_file(f, name);
    }
    assert_int_equal(symlink("/", inside(f, "t/link")), 0);
    assert_true(takt_tree_remove(inside(f, "t")));
    assert_int_equal(access(inside(f, "t"), F_OK), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(files_of_linked_folders_are_listed, setup, teardown),
        cmocka_unit_test_setup_teardown(links_without_end_and_without_aim_are_told, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(folders_that_are_too_deep_are_told, setup, teardown),
        cmocka_unit_test_setup_teardown(special_files_are_told, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_not_wanted_is_not_looked_at, setup, teardown),
        cmocka_unit_test_setup_teardown(folders_that_cannot_be_read_are_told, setup, teardown),
        cmocka_unit_test_setup_teardown(large_trees_are_removed_without_memory, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

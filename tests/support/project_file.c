// SPDX-License-Identifier: MIT
// Project files in tests; see project_file.h.
#include "support/project_file.h"

#include "base/file.h"

void test_project_file_try(test_project_file *f, const char *name, const char *text)
{
    memset(f, 0, sizeof *f);
    test_log_init(&f->log);
    assert_int_equal(takt_folder_create_temporary(&f->arena, NULL, "test", &f->folder, &f->err), 0);
    f->path = takt_path_join(&f->arena, f->folder, name);
    assert_int_equal(takt_file_write(f->path, text, strlen(text), &f->err), TAKT_OK);
    f->status = takt_project_open(f->path, f->log.log, &f->project, &f->err);
}

void test_project_file_open(test_project_file *f, const char *name, const char *text)
{
    test_project_file_try(f, name, text);
    if (f->status) fail_msg("%s\n%s", f->err.message, f->log.text);
}

void test_project_file_clear(test_project_file *f)
{
    takt_project_close(f->project);
    takt_tree_remove(f->folder);
    takt_arena_clear(&f->arena);
    test_log_clear(&f->log);
}

const char *test_project_file_path(test_project_file *f, const char *name)
{
    return takt_path_join(&f->arena, f->folder, name);
}

void test_problem(const test_project_file *f, const char *level, int line, const char *message,
                  const char *at_file, int at_line)
{
    char expected[1024], number[16] = "";
    if (line) snprintf(number, sizeof number, ":%d", line);
    snprintf(expected, sizeof expected, "%s: %s%s: %s\n", level, f->path, number, message);
    test_contains(f->log.text, expected, at_file, at_line);
}

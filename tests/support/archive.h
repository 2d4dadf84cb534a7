// SPDX-License-Identifier: MIT
// Making zip archives, also bad ones, for tests.
#ifndef TAKT_TESTS_SUPPORT_ARCHIVE_H
#define TAKT_TESTS_SUPPORT_ARCHIVE_H

#include <stddef.h>

/// One entry of an archive. A name that ends with '/' is a folder.
typedef struct test_entry {
    const char *name;
    const void *data; ///< NULL: read from `file`, or empty
    size_t size; ///< 0: length of the text `data`
    const char *file; ///< content comes from this file
    unsigned mode; ///< Unix type and permissions; 0: not said
    const char *password; ///< not NULL: encrypted
} test_entry;

/// Makes an archive, replacing an old file.
void test_archive(const char *path, const test_entry *entries, int n_entries);

/// Replaces the bytes `from` by `to` of the same size, wherever they occur in a file. Fails the test
/// when they do not occur.
void test_patch(const char *path, const void *from, const void *to, size_t size);

/// Cuts a file off after `size` bytes.
void test_truncate(const char *path, size_t size);

/// A new folder for the files of a test, as a path of at most 255 characters. It lies in $TMPDIR and
/// is removed by test_folder_remove().
typedef struct test_folder {
    char path[256];
} test_folder;
test_folder test_folder_create(void);
void test_folder_remove(const test_folder *folder);

/// How many files and folders lie directly in a folder; 0 when it does not exist.
int test_folder_count(const char *path);

#endif

// SPDX-License-Identifier: MIT
// Making zip archives for tests; see archive.h.
#include "support/archive.h"

#include <dirent.h>
#include <unistd.h>

#include <zip.h>

#include "support/test.h"

static void add_entry(zip_t *archive, const test_entry *entry)
{
    size_t length = strlen(entry->name);
    zip_int64_t index;
    if (length > 0 && entry->name[length - 1] == '/' && !entry->data) {
        index = zip_dir_add(archive, entry->name, 0);
    } else {
        const char *data = entry->data ? entry->data : "";
        size_t size = entry->size || !entry->data ? entry->size : strlen(data);
        zip_source_t *source = entry->file ? zip_source_file(archive, entry->file, 0, 0)
                                           : zip_source_buffer(archive, data, size, 0);
        index = zip_file_add(archive, entry->name, source, 0);
    }
    if (index < 0) print_error("%s: %s\n", entry->name, zip_strerror(archive));
    assert_true(index >= 0);
    zip_uint64_t i = (zip_uint64_t)index;
    if (entry->mode)
        assert_int_equal(zip_file_set_external_attributes(archive, i, 0, ZIP_OPSYS_UNIX,
                                                          (zip_uint32_t)entry->mode << 16),
                         0);
    if (entry->password)
        assert_int_equal(zip_file_set_encryption(archive, i, ZIP_EM_AES_256, entry->password), 0);
}

void test_archive(const char *path, const test_entry *entries, int n_entries)
{
    zip_t *archive = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, NULL);
    assert_non_null(archive);
    for (int i = 0; i < n_entries; i++) add_entry(archive, &entries[i]);
    assert_int_equal(zip_close(archive), 0);
}

void test_patch(const char *path, const void *from, const void *to, size_t size)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    size_t total = (size_t)ftell(file);
    char *data = malloc(total + 1);
    assert_non_null(data);
    rewind(file);
    assert_int_equal(fread(data, 1, total, file), total);
    int n_found = 0;
    for (size_t i = 0; i + size <= total; i++) {
        if (memcmp(data + i, from, size) != 0) continue;
        memcpy(data + i, to, size);
        n_found++;
    }
    assert_true(n_found > 0);
    rewind(file);
    assert_int_equal(fwrite(data, 1, total, file), total);
    fclose(file);
    free(data);
}

void test_truncate(const char *path, size_t size)
{
    assert_int_equal(truncate(path, (off_t)size), 0);
}

test_folder test_folder_create(void)
{
    test_folder folder;
    const char *parent = getenv("TMPDIR");
    snprintf(folder.path, sizeof folder.path, "%s/takt-test-XXXXXX", parent ? parent : "/tmp");
    assert_non_null(mkdtemp(folder.path));
    return folder;
}

static void remove_tree(const char *path)
{
    DIR *folder = opendir(path);
    for (struct dirent *item; folder && (item = readdir(folder));) {
        char inner[4096];
        if (strcmp(item->d_name, ".") == 0 || strcmp(item->d_name, "..") == 0) continue;
        snprintf(inner, sizeof inner, "%s/%s", path, item->d_name);
        if (unlink(inner) != 0) remove_tree(inner);
    }
    if (folder) closedir(folder);
    rmdir(path);
}

void test_folder_remove(const test_folder *folder)
{
    remove_tree(folder->path);
}

int test_folder_count(const char *path)
{
    DIR *folder = opendir(path);
    int n = 0;
    for (struct dirent *item; folder && (item = readdir(folder));)
        n += strcmp(item->d_name, ".") != 0 && strcmp(item->d_name, "..") != 0;
    if (folder) closedir(folder);
    return n;
}

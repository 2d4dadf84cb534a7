// SPDX-License-Identifier: MIT
// Safe unpacking over libzip; see zip.h.
#include "base/zip.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zip.h>

#include "base/file.h"
#include "base/map.h"
#include "base/size.h"

enum { PIECE_SIZE = 64 * 1024 };

typedef struct unpacker {
    zip_t *archive;
    const char *folder;
    takt_zip_limits limits;
    int64_t archive_size; // bytes
    int64_t total; // bytes inflated so far
    takt_arena *arena; // for the result
    takt_arena scratch; // names only needed while unpacking
    takt_map names; // of all files, in lower case
    takt_zip_entry *entries;
    int n_entries;
    zip_uint32_t *checksums; // parallel to entries
} unpacker;

// ---- opening -------------------------------------------------------------------------------------

// The first bytes of a file in readable form: `"<html>"`, or in hexadecimal.
static void describe_start(FILE *archive, char *out, size_t size)
{
    unsigned char bytes[8];
    rewind(archive);
    size_t n = fread(bytes, 1, sizeof bytes, archive);
    bool is_text = true;
    for (size_t i = 0; i < n; i++)
        if (bytes[i] < ' ' || bytes[i] > '~') is_text = false;
    size_t used = 0;
    for (size_t i = 0; i < n && !is_text; i++)
        used += (size_t)snprintf(out + used, size - used, i ? " %02x" : "%02x", bytes[i]);
    if (is_text) snprintf(out, size, "\"%.*s\"", (int)n, (const char *)bytes);
}

// Has an allocation inside of libzip failed? It does not always say so, but errno does, which must be 0 before.
static bool is_out_of_memory(zip_error_t *problem)
{
    return errno == ENOMEM || (problem && zip_error_code_zip(problem) == ZIP_ER_MEMORY);
}

static takt_status fail_to_open(FILE *archive, int64_t size, zip_error_t *problem, takt_error *err)
{
    char start[64] = "";
    if (is_out_of_memory(problem)) return takt_fail_memory(err);
    describe_start(archive, start, sizeof start);
    if (size == 0)
        return takt_fail(err, TAKT_ERR_INPUT, "is not a zip archive (the file is empty)");
    if (strncmp(start, "50 4b 03 04", 11) != 0)
        return takt_fail(err, TAKT_ERR_INPUT, "is not a zip archive (the first bytes are %s)",
                         start);
    if (zip_error_code_zip(problem) == ZIP_ER_NOZIP)
        return takt_fail(err, TAKT_ERR_INPUT,
                         "is not a complete zip archive: the directory at its end is missing; the "
                         "file may be cut off");
    return takt_fail(err, TAKT_ERR_INPUT, "is a damaged zip archive: %s",
                     zip_error_strerror(problem));
}

static takt_status open_archive(unpacker *self, FILE *archive, takt_error *err)
{
    struct stat status;
    if (fstat(fileno(archive), &status) != 0)
        return takt_fail(err, TAKT_ERR_INPUT, "cannot be read: %s", strerror(errno));
    self->archive_size = status.st_size;
    // libzip closes what it is given.
    int fd = fcntl(fileno(archive), F_DUPFD_CLOEXEC, 0);
    FILE *own = fd >= 0 ? fdopen(fd, "rb") : NULL;
    if (!own) {
        takt_status st = takt_fail(err, takt_status_of_errno(errno, TAKT_ERR_INPUT),
                                   "cannot be read: %s", strerror(errno));
        if (fd >= 0) close(fd);
        return st;
    }
    errno = 0;
    zip_error_t problem;
    zip_error_init(&problem);
    zip_source_t *source = zip_source_filep_create(own, 0, -1, &problem);
    if (!source) fclose(own);
    if (source) self->archive = zip_open_from_source(source, ZIP_RDONLY, &problem);
    if (source && !self->archive) zip_source_free(source);
    takt_status st = TAKT_OK;
    if (!self->archive || status.st_size == 0)
        st = fail_to_open(archive, status.st_size, &problem, err);
    zip_error_fini(&problem);
    return st;
}

// ---- names ---------------------------------------------------------------------------------------

// Escapes what would garble a message.
static const char *shown(unpacker *self, const char *name)
{
    char *copy = takt_arena_copy_n(&self->scratch, name, strnlen(name, 200));
    for (char *c = copy; c && *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127) *c = '?';
    return copy ? copy : "?";
}

static takt_status refuse(unpacker *self, const char *name, const char *reason, takt_error *err)
{
    return takt_fail(err, TAKT_ERR_INPUT, "the archive is refused: entry '%s' %s",
                     shown(self, name), reason);
}

static bool has_control_character(const char *name)
{
    for (; *name; name++)
        if ((unsigned char)*name < ' ' || *name == 127) return true;
    return false;
}

// Splits at slashes and joins again what is left without empty names and ".". Returns the number of
// names, or -1 when there is a "..".
static int tidy(char *name)
{
    int n_names = 0;
    char *end = name;
    for (char *at = name; *at;) {
        size_t length = strcspn(at, "/");
        char *next = at + length + (at[length] == '/');
        bool is_dot = length == 1 && at[0] == '.';
        if (length == 2 && at[0] == '.' && at[1] == '.') return -1;
        if (length > 0 && !is_dot) {
            if (n_names++ > 0) *end++ = '/';
            memmove(end, at, length);
            end += length;
        }
        at = next;
    }
    *end = 0;
    return n_names;
}

// Makes a name that is safe to use below a folder, in self->arena; an empty one for the folder itself.
static takt_status safe_name(unpacker *self, zip_uint64_t i, char **out, bool *is_folder,
                             takt_error *err)
{
    const char *raw = zip_get_name(self->archive, i, ZIP_FL_ENC_RAW);
    const char *guessed = raw ? zip_get_name(self->archive, i, ZIP_FL_ENC_GUESS) : NULL;
    if (!guessed && is_out_of_memory(zip_get_error(self->archive))) return takt_fail_memory(err);
    if (!guessed) return takt_fail(err, TAKT_ERR_INPUT, "the archive has an entry without a name");
    if (has_control_character(raw)) // libzip itself makes blanks of 0 bytes
        return refuse(self, raw, "has a control character in its name", err);
    char *name = takt_arena_copy(self->arena, guessed);
    if (!name) return takt_fail_memory(err);
    for (char *c = name; *c; c++)
        if (*c == '\\') *c = '/';
    if (name[0] == '/') return refuse(self, raw, "has an absolute path", err);
    if (isalpha((unsigned char)name[0]) && name[1] == ':')
        return refuse(self, raw, "has a path with a drive letter", err);
    size_t length = strlen(name);
    *is_folder = length == 0 || name[length - 1] == '/';
    if (length >= PATH_MAX / 2) return refuse(self, raw, "has a path that is too long", err);
    int n_names = tidy(name);
    if (n_names < 0) return refuse(self, raw, "would be written outside of the folder", err);
    if (n_names > self->limits.depth) return refuse(self, raw, "lies in too many folders", err);
    *out = name;
    return TAKT_OK;
}

// Some tools pack a file twice. The same content does no harm, two different ones are refused.
static takt_status check_unique(unpacker *self, const char *name, const zip_stat_t *about,
                                bool *is_copy, takt_error *err)
{
    const zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_CRC;
    char *lower = takt_arena_copy(&self->scratch, name);
    if (!lower) return takt_fail_memory(err);
    for (char *c = lower; *c; c++) *c = (char)tolower((unsigned char)*c);
    int previous = takt_map_find(&self->names, lower);
    if (previous >= 0) {
        bool is_same = strcmp(self->entries[previous].name, name) == 0;
        *is_copy = is_same && (about->valid & needed) == needed &&
                   (int64_t)about->size == self->entries[previous].size &&
                   about->crc == self->checksums[previous];
        if (*is_copy) return TAKT_OK;
        return refuse(self, name,
                      is_same ? "occurs twice" : "differs from another one only in case", err);
    }
    return takt_map_add(&self->names, lower, self->n_entries) ? TAKT_OK : takt_fail_memory(err);
}

// ---- entries -------------------------------------------------------------------------------------

// The permissions of an entry where the archive knows them, else 0. They decide nothing but whether a
// file is refused or executable: whatever they say, only plain files are made.
static unsigned unix_mode(unpacker *self, zip_uint64_t i)
{
    zip_uint8_t system = 0;
    zip_uint32_t attributes = 0;
    if (zip_file_get_external_attributes(self->archive, i, 0, &system, &attributes) != 0) return 0;
    return system == ZIP_OPSYS_UNIX || system == ZIP_OPSYS_OS_X ? attributes >> 16 : 0;
}

static takt_status check_entry(unpacker *self, const char *name, const zip_stat_t *about,
                               unsigned mode, takt_error *err)
{
    if (S_ISLNK(mode)) return refuse(self, name, "is a symbolic link", err);
    if ((mode & S_IFMT) && !S_ISREG(mode) && !S_ISDIR(mode))
        return refuse(self, name, "is a special file", err);
    if ((about->valid & ZIP_STAT_ENCRYPTION_METHOD) && about->encryption_method != ZIP_EM_NONE)
        return refuse(self, name, "is encrypted", err);
    if ((about->valid & ZIP_STAT_COMP_METHOD) &&
        !zip_compression_method_supported(about->comp_method, 0))
        return takt_fail(
            err, TAKT_ERR_INPUT,
            "entry '%s' is packed with method %d, which is not supported; pack it with "
            "'deflate' or 'store'",
            shown(self, name), about->comp_method);
    return TAKT_OK;
}

static takt_status refuse_size(unpacker *self, const char *name, const char *what, int64_t limit,
                               takt_error *err)
{
    char size[TAKT_SIZE_TEXT];
    return takt_fail(err, TAKT_ERR_INPUT,
                     "the archive is refused: entry '%s' %s larger than %s when unpacked; "
                     "--unpack-limit SIZE (or TAKT_UNPACK_LIMIT) allows more",
                     shown(self, name), what, takt_size_write(limit, size));
}

// Counts inflated bytes. `size` is what the entry has so far, `more` what was just added.
static takt_status count(unpacker *self, const char *name, int64_t size, int64_t more,
                         takt_error *err)
{
    const takt_zip_limits *limits = &self->limits;
    self->total += more;
    if (size > limits->entry_size) return refuse_size(self, name, "is", limits->entry_size, err);
    if (self->total > limits->total_size)
        return refuse_size(self, name, "makes the unpacked archive", limits->total_size, err);
    if (self->total <= limits->ratio_free || self->total / limits->ratio <= self->archive_size)
        return TAKT_OK;
    return takt_fail(
        err, TAKT_ERR_INPUT,
        "the archive is refused: entry '%s' makes the unpacked archive more than "
        "%lld times as large as the packed one; it looks like a bomb. If you trust it, "
        "--unpack-limit SIZE (or TAKT_UNPACK_LIMIT) allows a size",
        shown(self, name), (long long)limits->ratio);
}

// Turns errno after a failed attempt to make a file or folder into a message.
static takt_status fail_to_write(unpacker *self, const char *name, takt_error *err)
{
    if (errno == EEXIST || errno == ENOTDIR || errno == EISDIR)
        return refuse(self, name, "would have to be a file and a folder at the same time", err);
    if (errno == ENAMETOOLONG) return refuse(self, name, "has a path that is too long", err);
    return takt_fail(err, TAKT_ERR_OUTPUT, "entry '%s' cannot be written: %s", shown(self, name),
                     strerror(errno));
}

static takt_status inflate(unpacker *self, zip_file_t *from, FILE *to, const char *name,
                           int64_t *size, takt_error *err)
{
    char piece[PIECE_SIZE];
    for (;;) {
        zip_int64_t n = zip_fread(from, piece, sizeof piece);
        if (n < 0 && is_out_of_memory(zip_file_get_error(from))) return takt_fail_memory(err);
        if (n < 0)
            return takt_fail(err, TAKT_ERR_INPUT, "entry '%s' is damaged: %s", shown(self, name),
                             zip_file_strerror(from));
        if (n == 0) return TAKT_OK;
        *size += n;
        takt_status st = count(self, name, *size, n, err);
        if (st) return st;
        if (fwrite(piece, 1, (size_t)n, to) != (size_t)n) return fail_to_write(self, name, err);
    }
}

// Makes the file in a folder that no other process writes to; O_EXCL also refuses to follow links.
static takt_status create_file(unpacker *self, const char *name, unsigned mode, FILE **out,
                               takt_error *err)
{
    char *path = takt_path_join(&self->scratch, self->folder, name);
    char *folder = path ? takt_path_folder(&self->scratch, path) : NULL;
    if (!folder) return takt_fail_memory(err);
    if (takt_folder_create(folder, NULL)) return fail_to_write(self, name, err);
    int fd =
        open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode & 0111 ? 0555 : 0444);
    if (fd < 0) return fail_to_write(self, name, err);
    *out = fdopen(fd, "wb");
    if (*out) return TAKT_OK;
    close(fd);
    return takt_fail_memory(err);
}

static takt_status unpack_file(unpacker *self, zip_uint64_t i, const char *name, unsigned mode,
                               takt_error *err)
{
    errno = 0;
    zip_file_t *from = zip_fopen_index(self->archive, i, 0);
    if (!from && is_out_of_memory(zip_get_error(self->archive))) return takt_fail_memory(err);
    if (!from)
        return takt_fail(err, TAKT_ERR_INPUT, "entry '%s' cannot be unpacked: %s",
                         shown(self, name), zip_strerror(self->archive));
    FILE *to = NULL;
    int64_t size = 0;
    takt_status st = create_file(self, name, mode, &to, err);
    if (!st) st = inflate(self, from, to, name, &size, err);
    zip_fclose(from);
    if (to && fclose(to) != 0 && !st) st = fail_to_write(self, name, err);
    if (!st) self->entries[self->n_entries++] = (takt_zip_entry){name, size};
    return st;
}

static takt_status unpack_entry(unpacker *self, zip_uint64_t i, takt_error *err)
{
    zip_stat_t about;
    zip_stat_init(&about);
    char *name = NULL;
    bool is_folder = false;
    errno = 0;
    if (zip_stat_index(self->archive, i, 0, &about) != 0)
        return takt_fail(err, TAKT_ERR_INPUT, "the archive is damaged: %s",
                         zip_strerror(self->archive));
    takt_status st = safe_name(self, i, &name, &is_folder, err);
    unsigned mode = unix_mode(self, i);
    if (!st) st = check_entry(self, name, &about, mode, err);
    if (st || name[0] == 0) return st;
    if (is_folder || S_ISDIR(mode)) {
        char *path = takt_path_join(&self->scratch, self->folder, name);
        if (!path) return takt_fail_memory(err);
        return takt_folder_create(path, NULL) ? fail_to_write(self, name, err) : TAKT_OK;
    }
    bool is_copy = false;
    st = check_unique(self, name, &about, &is_copy, err);
    if (st || is_copy) return st;
    self->checksums[self->n_entries] = about.valid & ZIP_STAT_CRC ? about.crc : 0;
    return unpack_file(self, i, name, mode, err);
}

static takt_status unpack_entries(unpacker *self, takt_error *err)
{
    zip_int64_t n = zip_get_num_entries(self->archive, 0);
    if (n > self->limits.n_entries) return takt_zip_fail_count(n, &self->limits, err);
    self->entries = takt_arena_array(self->arena, n > 0 ? (size_t)n : 0, sizeof *self->entries);
    self->checksums =
        takt_arena_array(&self->scratch, n > 0 ? (size_t)n : 0, sizeof *self->checksums);
    if (!self->entries || !self->checksums) return takt_fail_memory(err);
    takt_status st = TAKT_OK;
    for (zip_int64_t i = 0; i < n && !st; i++) st = unpack_entry(self, (zip_uint64_t)i, err);
    return st;
}

takt_status takt_zip_check(FILE *archive, const takt_zip_limits *limits, takt_error *err)
{
    unpacker self = {0};
    takt_status st = takt_zip_check_count(archive, limits, err);
    if (!st) st = open_archive(&self, archive, err);
    if (self.archive) zip_discard(self.archive);
    rewind(archive);
    return st;
}

takt_status takt_zip_unpack(FILE *archive, const char *folder, const takt_zip_limits *limits,
                            takt_arena *arena, takt_zip_content *out, takt_error *err)
{
    unpacker self = {.folder = folder, .limits = *limits, .arena = arena};
    takt_status st = open_archive(&self, archive, err);
    if (!st) st = unpack_entries(&self, err);
    if (self.archive) zip_discard(self.archive);
    takt_map_clear(&self.names);
    takt_arena_clear(&self.scratch);
    if (!st) *out = (takt_zip_content){self.entries, self.n_entries};
    return st;
}

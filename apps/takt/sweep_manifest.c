// SPDX-License-Identifier: MIT
// The folder of a sweep; see sweep_manifest.h. A line is appended by one write() while a lock is held, so that lines of several processes do not
// mix; what a process that was killed has left of a line is cut off by the next one. Locks of fcntl() also hold in network file systems.
#include "sweep_manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support.h"

/// The byte of the lock file that stands for writing; variants have the bytes from 0 on.
static const off_t writing = (off_t)1 << 40;

char *sweep_path(const sweep_job *job, const char *name)
{
    size_t size = strlen(job->folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path) snprintf(path, size, "%s/%s", job->folder, name);
    return path;
}

static takt_status fail_file(const char *path, takt_error *err)
{
    return cli_fail(err, TAKT_ERR_OUTPUT, "cannot write %s: %s", path, strerror(errno));
}

// ---- locks -------------------------------------------------------------------------------------

static int lock_bytes(const sweep_manifest *manifest, short type, int how, off_t first, off_t n)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = first, .l_len = n};
    int done;
    do done = fcntl(manifest->lock, how, &lock);
    while (done < 0 && errno == EINTR);
    return done;
}

static takt_status open_lock(sweep_manifest *manifest, takt_error *err)
{
    char *path = sweep_path(manifest->job, "lock");
    if (!path) return cli_fail_memory(err);
    manifest->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    takt_status st = manifest->lock < 0 ? fail_file(path, err) : TAKT_OK;
    free(path);
    off_t n = (off_t)(manifest->last - manifest->first);
    if (st || n == 0) return st;
    if (lock_bytes(manifest, F_WRLCK, F_SETLK, (off_t)manifest->first, n) == 0) return TAKT_OK;
    if (errno == EAGAIN || errno == EACCES)
        return cli_fail(err, TAKT_ERR_USAGE,
                        "%s: another process is working on these variants; wait for its end",
                        manifest->job->folder);
    return cli_fail(err, TAKT_ERR_OUTPUT, "%s: cannot be locked: %s", manifest->job->folder,
                    strerror(errno));
}

static takt_status begin_writing(const sweep_manifest *manifest, takt_error *err)
{
    if (lock_bytes(manifest, F_WRLCK, F_SETLKW, writing, 1) == 0) return TAKT_OK;
    return cli_fail(err, TAKT_ERR_OUTPUT, "%s: cannot be locked: %s", manifest->job->folder,
                    strerror(errno));
}

static void end_writing(const sweep_manifest *manifest)
{
    lock_bytes(manifest, F_UNLCK, F_SETLK, writing, 1);
}

// ---- what was asked for --------------------------------------------------------------------------

// Everything that results depend on, wherever it stands: project, values, tables, FMUs, options.
takt_status sweep_describe(const sweep_job *job, char **out, takt_error *err)
{
    char *facts = NULL;
    takt_status st = takt_system_describe(job->session.system, TAKT_TOPIC_IDENTITY,
                                          TAKT_FORMAT_TEXT, &facts, err);
    if (st) return st;
    size_t size = strlen(facts) + 64;
    *out = malloc(size);
    if (*out) snprintf(*out, size, "variants: %" PRId64 "\n%s", job->plan.n_variants, facts);
    takt_free(facts);
    return *out ? TAKT_OK : cli_fail_memory(err);
}

static takt_status write_file(const char *path, const char *text, takt_error *err)
{
    size_t size = strlen(path) + sizeof ".new";
    char *fresh = malloc(size);
    if (!fresh) return cli_fail_memory(err);
    snprintf(fresh, size, "%s.new", path);
    FILE *file = fopen(fresh, "wb");
    bool ok = file && fputs(text, file) >= 0 && fflush(file) == 0 && fsync(fileno(file)) == 0;
    if (file && fclose(file) != 0) ok = false;
    ok = ok && rename(fresh, path) == 0;
    takt_status st = ok ? TAKT_OK : fail_file(path, err);
    if (!ok) unlink(fresh);
    free(fresh);
    return st;
}

// The first lines that are not the same, one of which may be missing.
static takt_status fail_changed(const char *path, const char *before, const char *now,
                                takt_error *err)
{
    int line = 1;
    for (;; line++) {
        size_t n = strcspn(before, "\n"), m = strcspn(now, "\n");
        if (n != m || memcmp(before, now, n) != 0 || !*before)
            return cli_fail(err, TAKT_ERR_USAGE,
                            "%s:%d: the sweep was begun with '%.*s', now it is '%.*s'; undo that, "
                            "or begin in another folder",
                            path, line, (int)n, n ? before : "", (int)m, m ? now : "");
        before += n + (before[n] != 0);
        now += m + (now[m] != 0);
    }
}

static takt_status check_definition(const sweep_manifest *manifest, bool has_manifest,
                                    takt_error *err)
{
    char *path = sweep_path(manifest->job, "definition.txt"), *before = NULL, *now = NULL;
    size_t size;
    takt_error none;
    takt_status st = path ? sweep_describe(manifest->job, &now, err) : cli_fail_memory(err);
    if (!st && has_manifest && !cli_file_read(path, &before, &size, &none)) {
        if (strcmp(before, now) != 0) st = fail_changed(path, before, now, err);
    } else if (!st) {
        st = write_file(path, now, err);
    }
    free(path);
    free(before);
    free(now);
    return st;
}

// ---- what has been done --------------------------------------------------------------------------

static takt_status check_header(const sweep_manifest *manifest, const cli_table *table,
                                takt_error *err)
{
    const sweep_job *job = manifest->job;
    int n = SWEEP_COLUMNS + job->plan.n_columns + job->keep.n_items;
    if (table->n_columns != n)
        return cli_fail(err, TAKT_ERR_USAGE,
                        "%s:1: has %d columns, but this sweep would have %d: other values are "
                        "varied or kept; begin in another folder",
                        manifest->path, table->n_columns, n);
    for (int i = 0; i < n; i++) {
        int k = i - SWEEP_COLUMNS, kept = k - job->plan.n_columns;
        const char *name = k < 0      ? sweep_columns[i]
                           : kept < 0 ? sweep_plan_name(&job->plan, k)
                                      : job->keep.items[kept].name;
        if (strcmp(name, table->header[i]) != 0)
            return cli_fail(err, TAKT_ERR_USAGE,
                            "%s:1: column %d is '%s', in this sweep it would be '%s'; begin in "
                            "another folder",
                            manifest->path, i + 1, table->header[i], name);
    }
    return TAKT_OK;
}

// Is the row one of the plan as it is now?
static takt_status check_row(const sweep_manifest *manifest, const cli_table *table, int row,
                             int64_t *variant, takt_error *err)
{
    const sweep_plan *plan = &manifest->job->plan;
    const char *text = cli_table_cell(table, row, 0), *status = cli_table_cell(table, row, 1);
    double index;
    int line = table->lines[row];
    if (!takt_number_read(text, text + strlen(text), &index) || index < 1 ||
        index > (double)plan->n_variants || index != (double)(int64_t)index)
        return cli_fail(err, TAKT_ERR_USAGE,
                        "%s:%d: there is no variant '%s': the plan has %" PRId64 " variants",
                        manifest->path, line, text, plan->n_variants);
    if (strcmp(status, "ok") != 0 && strcmp(status, "failed") != 0)
        return cli_fail(err, TAKT_ERR_INPUT, "%s:%d: status '%s' is neither ok nor failed",
                        manifest->path, line, status);
    *variant = (int64_t)index - 1;
    for (int i = 0; i < plan->n_columns; i++) {
        char room[TAKT_NUMBER_SIZE], place[64] = "";
        const char *before = cli_table_cell(table, row, SWEEP_COLUMNS + i);
        const char *now = sweep_plan_value(plan, *variant, i, room);
        if (strcmp(before, now) == 0) continue;
        if (sweep_plan_line(plan, *variant))
            snprintf(place, sizeof place, ", line %d", sweep_plan_line(plan, *variant));
        return cli_fail(err, TAKT_ERR_USAGE,
                        "%s:%d: variant %s had %s = %s, but the plan (%s%s) says %s: it has "
                        "changed; begin in another folder",
                        manifest->path, line, text, sweep_plan_name(plan, i), before,
                        plan->path ? plan->path : "of the command line", place, now);
    }
    return TAKT_OK;
}

static takt_status take_rows(sweep_manifest *manifest, const cli_table *table,
                             const sweep_manifest_options *options, bool *removes, takt_error *err)
{
    takt_status st = check_header(manifest, table, err);
    for (int row = 0; row < table->n_rows && !st; row++) {
        int64_t i = 0;
        st = check_row(manifest, table, row, &i, err);
        if (st || i < manifest->first || i >= manifest->last) continue;
        removes[row] = options->retries && strcmp(cli_table_cell(table, row, 1), "failed") == 0;
        unsigned char *is_done = &manifest->is_done[i - manifest->first];
        if (!options->resumes)
            st = cli_fail(err, TAKT_ERR_USAGE,
                          "%s: has results of this sweep; --resume goes on, or choose another "
                          "folder with --output-folder",
                          manifest->path);
        else if (*is_done)
            st = cli_fail(err, TAKT_ERR_INPUT, "%s:%d: variant %" PRId64 " is there twice",
                          manifest->path, table->lines[row], i + 1);
        else if (!removes[row])
            manifest->n_done += *is_done = 1;
    }
    return st;
}

// Writes the manifest again without some of its rows; each of them is one line.
static takt_status remove_rows(const sweep_manifest *manifest, const cli_table *table,
                               const bool *removes, takt_error *err)
{
    char *text = NULL;
    size_t size;
    takt_status st = cli_file_read(manifest->path, &text, &size, err);
    if (st) return st;
    char *to = text;
    int line = 1, row = 0;
    for (char *at = text, *next; *at; at = next, line++) {
        next = at + strcspn(at, "\n");
        if (!*next) break; // a line that was cut off
        next++;
        bool is_row = row < table->n_rows && table->lines[row] == line;
        bool is_kept = !is_row || !removes[row];
        row += is_row;
        if (is_kept) memmove(to, at, (size_t)(next - at));
        if (is_kept) to += next - at;
    }
    *to = 0;
    st = write_file(manifest->path, text, err);
    free(text);
    return st;
}

// Reads what is there while nobody writes.
static takt_status take_manifest(sweep_manifest *manifest, const sweep_manifest_options *options,
                                 takt_error *err)
{
    cli_table table;
    takt_status st = cli_table_read(manifest->path, true, &table, err);
    bool *removes = calloc((size_t)table.n_rows + 1, sizeof *removes);
    if (!st && !removes) st = cli_fail_memory(err);
    if (!st && truncate(manifest->path, (off_t)table.n_complete) != 0)
        st = fail_file(manifest->path, err);
    if (!st) st = take_rows(manifest, &table, options, removes, err);
    bool removes_any = false;
    for (int i = 0; i < table.n_rows && !st; i++) removes_any = removes_any || removes[i];
    if (!st && removes_any) st = remove_rows(manifest, &table, removes, err);
    free(removes);
    cli_table_clear(&table);
    return st;
}

static takt_status begin_manifest(sweep_manifest *manifest, takt_error *err)
{
    size_t size;
    char *header = sweep_header(manifest->job, &size);
    if (!header) return cli_fail_memory(err);
    takt_status st = write_file(manifest->path, header, err);
    free(header);
    return st;
}

// ---- life --------------------------------------------------------------------------------------

takt_status sweep_manifest_open(sweep_manifest *manifest, const sweep_job *job,
                                const sweep_manifest_options *options, takt_error *err)
{
    *manifest =
        (sweep_manifest){.job = job, .first = options->first, .last = options->last, .lock = -1};
    manifest->path = sweep_path(job, "manifest.csv");
    manifest->is_done = calloc((size_t)(options->last - options->first) + 1, 1);
    if (!manifest->path || !manifest->is_done) return cli_fail_memory(err);
    if (mkdir(job->folder, 0777) != 0 && errno != EEXIST)
        return cli_fail(err, TAKT_ERR_OUTPUT, "cannot make the folder %s: %s", job->folder,
                        strerror(errno));
    takt_status st = open_lock(manifest, err);
    if (!st) st = begin_writing(manifest, err);
    if (st) return st;
    struct stat status;
    bool is_there = stat(manifest->path, &status) == 0;
    is_there = is_there && status.st_size > 0;
    st = check_definition(manifest, is_there, err);
    if (!st) st = is_there ? take_manifest(manifest, options, err) : begin_manifest(manifest, err);
    end_writing(manifest);
    return st;
}

void sweep_manifest_clear(sweep_manifest *manifest)
{
    if (manifest->path && manifest->lock >= 0) close(manifest->lock); // else it was never opened
    free(manifest->path);
    free(manifest->is_done);
    *manifest = (sweep_manifest){.lock = -1};
}

// Cuts off what a process that was killed has left behind the last end of a line. Returns the size; -1: it failed.
static off_t mend_end(int file)
{
    off_t size = lseek(file, 0, SEEK_END), end = size;
    char last = 0;
    while (end > 0 && pread(file, &last, 1, end - 1) == 1 && last != '\n') end--;
    return end < size && ftruncate(file, end) != 0 ? -1 : end;
}

static bool append_whole(int file, const char *line, size_t size)
{
    off_t before = mend_end(file);
    if (before < 0 || lseek(file, before, SEEK_SET) < 0) return false;
    if (sweep_send(file, line, size)) return true;
    int why = errno;
    if (ftruncate(file, before) != 0) why = errno;
    errno = why;
    return false;
}

takt_status sweep_manifest_append(sweep_manifest *manifest, const char *line, size_t size,
                                  takt_error *err)
{
    takt_status st = begin_writing(manifest, err);
    if (st) return st;
    int file = open(manifest->path, O_RDWR | O_CLOEXEC);
    if (file < 0 || !append_whole(file, line, size)) st = fail_file(manifest->path, err);
    if (file >= 0) close(file);
    end_writing(manifest);
    return st;
}

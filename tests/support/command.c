// SPDX-License-Identifier: MIT
// Sandboxes and programs in tests; see command.h. Output goes to files, so that a program can never
// block on a full pipe and a killed one loses nothing.
#include "support/command.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"

enum { TIME_LIMIT = 120, WORDS_MOST = 64 }; // s: sanitizers and valgrind are slow

// ---- files ---------------------------------------------------------------------------------------

static void path_in(char out[2 * TEST_PATH_SIZE], const char *folder, const char *name)
{
    snprintf(out, 2 * TEST_PATH_SIZE, "%s/%s", folder, name);
}

char *test_read_path(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    long length = ftell(file);
    rewind(file);
    char *text = malloc((size_t)length + 1);
    assert_non_null(text);
    size_t n = fread(text, 1, (size_t)length, file);
    fclose(file);
    text[n] = 0;
    if (size) *size = n;
    return text;
}

void test_write_file(test_sandbox *box, const char *name, const void *data, size_t size)
{
    char path[2 * TEST_PATH_SIZE];
    path_in(path, box->work, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

void test_write_text(test_sandbox *box, const char *name, const char *text)
{
    test_write_file(box, name, text, strlen(text));
}

char *test_read_file(test_sandbox *box, const char *name, size_t *size)
{
    char path[2 * TEST_PATH_SIZE];
    path_in(path, box->work, name);
    return test_read_path(path, size);
}

void test_link(test_sandbox *box, const char *name, const char *target)
{
    char path[2 * TEST_PATH_SIZE];
    path_in(path, box->work, name);
    assert_true(symlink(target, path) == 0 || errno == EEXIST);
}

bool test_has_file(test_sandbox *box, const char *name)
{
    char path[2 * TEST_PATH_SIZE];
    path_in(path, box->work, name);
    return access(path, F_OK) == 0;
}

// ---- sandbox -------------------------------------------------------------------------------------

int test_sandbox_setup(void **state)
{
    test_sandbox *box = calloc(1, sizeof *box);
    if (!box) return -1;
    const char *parent = getenv("TMPDIR");
    snprintf(box->root, sizeof box->root - 16, "%s/takt-test-XXXXXX", parent ? parent : "/tmp");
    if (!mkdtemp(box->root)) return -1;
    int n = (int)sizeof box->work - 16;
    snprintf(box->work, sizeof box->work, "%.*s/work", n, box->root);
    snprintf(box->temp, sizeof box->temp, "%.*s/temp", n, box->root);
    const char *cache = getenv("TAKT_CACHE_DIR");
    if (cache)
        snprintf(box->cache, sizeof box->cache, "%s", cache);
    else
        test_sandbox_empty_cache(box);
    *state = box;
    return mkdir(box->work, 0700) || mkdir(box->temp, 0700);
}

void test_sandbox_empty_cache(test_sandbox *box)
{
    snprintf(box->cache, sizeof box->cache, "%.*s/cache", (int)sizeof box->cache - 16, box->root);
}

// Prints what is left in a folder and tells whether there is anything.
static bool has_content(const char *folder)
{
    DIR *dir = opendir(folder);
    if (!dir) return false;
    bool found = false;
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        print_error("left in the folder for temporary files: %s\n", entry->d_name);
        found = true;
    }
    closedir(dir);
    return found;
}

int test_sandbox_teardown(void **state)
{
    test_sandbox *box = *state;
    if (box->process) {
        kill(box->process, SIGKILL);
        waitpid(box->process, NULL, 0);
    }
    bool is_dirty = has_content(box->temp);
    takt_tree_remove(box->root);
    free(box->out);
    free(box->err);
    free(box);
    return is_dirty ? -1 : 0;
}

// ---- programs ------------------------------------------------------------------------------------

static void redirect(const char *folder, const char *name, int target)
{
    char path[2 * TEST_PATH_SIZE];
    path_in(path, folder, name);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || dup2(file, target) < 0) _exit(126);
    close(file);
}

static void become(const test_sandbox *box, const char *program, char **words)
{
    redirect(box->root, "out", STDOUT_FILENO);
    redirect(box->root, "err", STDERR_FILENO);
    int nothing = open("/dev/null", O_RDONLY);
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || chdir(box->work) != 0) _exit(126);
    setenv("TMPDIR", box->temp, 1);
    setenv("TAKT_CACHE_DIR", box->cache, 1);
    execvp(program, words);
    _exit(127);
}

static void start(test_sandbox *box, const char *program, va_list arguments)
{
    char *words[WORDS_MOST] = {(char *)program};
    int n = 1;
    for (char *word; n < WORDS_MOST - 1 && (word = va_arg(arguments, char *));) words[n++] = word;
    assert_int_equal(box->process, 0);
    fflush(NULL);
    box->process = fork();
    assert_true(box->process >= 0);
    if (box->process == 0) become(box, program, words);
}

static void pause_shortly(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

static char *take_output(const test_sandbox *box, const char *name, char *old)
{
    free(old);
    char path[2 * TEST_PATH_SIZE];
    path_in(path, box->root, name);
    char *text = test_read_path(path, NULL);
    return text ? text : strdup("");
}

void test_wait(test_sandbox *box)
{
    time_t end = time(NULL) + TIME_LIMIT;
    int status = 0;
    while (waitpid(box->process, &status, WNOHANG) == 0) {
        if (time(NULL) > end) kill(box->process, SIGKILL);
        pause_shortly();
    }
    box->process = 0;
    box->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    box->out = take_output(box, "out", box->out);
    box->err = take_output(box, "err", box->err);
}

void test_start_program(test_sandbox *box, const char *program, ...)
{
    va_list arguments;
    va_start(arguments, program);
    start(box, program, arguments);
    va_end(arguments);
}

void test_run_program(test_sandbox *box, const char *program, ...)
{
    va_list arguments;
    va_start(arguments, program);
    start(box, program, arguments);
    va_end(arguments);
    test_wait(box);
}

int test_count(const char *text, const char *piece)
{
    int n = 0;
    while ((text = strstr(text, piece))) {
        n++;
        text += strlen(piece);
    }
    return n;
}

void test_wait_for_lines(test_sandbox *box, const char *name, int n_lines)
{
    time_t end = time(NULL) + TIME_LIMIT;
    for (;;) {
        char *text = test_read_file(box, name, NULL);
        int n = text ? test_count(text, "\n") : 0;
        free(text);
        if (n >= n_lines) return;
        if (time(NULL) > end) fail_msg("%s has only %d lines", name, n);
        pause_shortly();
    }
}

// ---- judging -------------------------------------------------------------------------------------

static void fail_with_output(const test_sandbox *box, const char *file, int line)
{
    print_error("exit code %d\n--- standard output\n%s--- standard error\n%s---\n", box->exit_code,
                box->out, box->err);
    _fail(file, line);
}

void test_assert_exit(const test_sandbox *box, int code, const char *file, int line)
{
    if (box->exit_code == code) return;
    print_error("expected exit code %d\n", code);
    fail_with_output(box, file, line);
}

void test_assert_one_error(const test_sandbox *box, int code, const char *piece, const char *file,
                           int line)
{
    test_assert_exit(box, code, file, line);
    if (test_count(box->err, "error: ") == 1 && strstr(box->err, piece)) return;
    print_error("expected a single error that contains '%s'\n", piece);
    fail_with_output(box, file, line);
}

pid_t test_child_process(pid_t parent, int which)
{
    char command[128];
    snprintf(command, sizeof command, "ps -o pid= --ppid %d | sort -n | sed -n %dp", (int)parent,
             which);
    FILE *file = popen(command, "r");
    int process = 0;
    if (!file || fscanf(file, "%d", &process) != 1) process = 0;
    if (file) pclose(file);
    assert_true(process > 0);
    return (pid_t)process;
}

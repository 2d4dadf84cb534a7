// SPDX-License-Identifier: MIT
// Running other programs with posix_spawn; see process.h.
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static takt_status start(const char *const *arguments, const char *output, pid_t *out,
                         takt_error *err)
{
    posix_spawn_file_actions_t actions;
    int failure = posix_spawn_file_actions_init(&actions);
    if (failure) return takt_fail_memory(err);
    failure = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!failure)
        failure = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output,
                                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (!failure)
        failure = posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    // posix_spawnp() does not change the arguments, its declaration only says so for the sake of old programs.
    if (!failure)
        failure =
            posix_spawnp(out, arguments[0], &actions, NULL, (char *const *)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (!failure) return TAKT_OK;
    return takt_fail(err, TAKT_ERR_OUTPUT, "the program %s cannot be run: %s", arguments[0],
                     strerror(failure));
}

takt_status takt_process_run(const char *const *arguments, const char *output, int *exit_code,
                             takt_error *err)
{
    pid_t process;
    takt_status st = start(arguments, output, &process, err);
    if (st) return st;
    int status;
    while (waitpid(process, &status, 0) < 0)
        if (errno != EINTR)
            return takt_fail(err, TAKT_ERR_OUTPUT, "cannot wait for the program %s: %s",
                             arguments[0], strerror(errno));
    *exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return TAKT_OK;
}

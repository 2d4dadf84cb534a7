// SPDX-License-Identifier: MIT
// Starting a program that serves a worker; see partner.h.
#include "remote/partner.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "remote/sandbox.h"

// Its messages are not for users: it complains that it may not write into the prefix.
_Noreturn static void become(const char *const *arguments, pid_t worker)
{
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int i = 0; i < 3 && nothing >= 0; i++) dup2(nothing, i);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == worker && takt_sandbox_restrict(TAKT_CALLS_OF_SERVER, NULL))
        execv(arguments[0], (char *const *)arguments); // does not change them
    _exit(127);
}

// Does anybody answer there? The connection ends at once.
static bool is_served(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t size = strlen(path) + 1;
    int file =
        size <= sizeof address.sun_path ? socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
    if (file < 0) return false;
    memcpy(address.sun_path, path, size);
    bool is_done = connect(file, (const struct sockaddr *)&address, sizeof address) == 0;
    close(file);
    return is_done;
}

static bool can_be_reached(const char *pattern)
{
    glob_t found;
    bool is_done = false;
    if (glob(pattern, 0, NULL, &found)) return false;
    for (size_t i = 0; i < found.gl_pathc && !is_done; i++) is_done = is_served(found.gl_pathv[i]);
    globfree(&found);
    return is_done;
}

takt_status takt_partner_start(const char *const *arguments, const char *const *sockets,
                               takt_error *err)
{
    const double patience = 30; // s
    double begin = takt_clock();
    pid_t worker = getpid(), process = fork();
    if (process == 0) become(arguments, worker);
    while (process > 0 && takt_clock() < begin + patience) {
        for (const char *const *at = sockets; *at; at++)
            if (can_be_reached(*at)) return TAKT_OK;
        if (waitpid(process, NULL, WNOHANG) == process) break;
        usleep(1000);
    }
    return takt_fail(err, TAKT_ERR_SIMULATION, "%s cannot be used in the sandbox", arguments[0]);
}

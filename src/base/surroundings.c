// SPDX-License-Identifier: MIT
// What FMUs may change without being asked; see surroundings.h. The library itself changes none of it, but puts it
// back: fchdir() and setlocale() are used for that only.
#define _GNU_SOURCE // uselocale()
#include "base/surroundings.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const int signals[] = {SIGINT,  SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ,
                              SIGSEGV, SIGBUS,  SIGFPE, SIGILL,  SIGABRT};
enum { N_SIGNALS = sizeof signals / sizeof *signals, FIRST_FAULT = 5, N_FILES = 3 };

struct takt_surroundings {
    int folder; // open file descriptor; -1: not known
    int files
        [N_FILES]; // copies of standard input, output and errors; -1: it was closed from the beginning
    struct stat status; // of the folder
    char *locale; // NULL: not known
    locale_t own_locale; // of the thread
    long umask; // which new files get; -1: not known
    struct sigaction actions[N_SIGNALS];
    sigset_t mask;
    unsigned short x87;
};

static unsigned short read_x87(void)
{
    unsigned short word = 0;
#if defined(__x86_64__)
    __asm__ volatile("fnstcw %0" : "=m"(word));
#endif
    return word;
}

static void write_x87(unsigned short word)
{
#if defined(__x86_64__)
    __asm__ volatile("fnclex\n\tfldcw %0" : : "m"(word));
#else
    (void)word;
#endif
}

// Who closes files that are not its own, often closes all with small numbers.
static int copy_high(int file)
{
    const int high = 200;
    int copy = fcntl(file, F_DUPFD_CLOEXEC, high);
    return copy < 0 && errno != EBADF ? fcntl(file, F_DUPFD_CLOEXEC, N_FILES) : copy;
}

// The system only tells the mask to those who set it, which for a moment would be seen by other threads.
static long read_umask(void)
{
    char text[4096];
    int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    ssize_t n = read(file, text, sizeof text - 1);
    close(file);
    text[n > 0 ? n : 0] = 0;
    const char *at = strstr(text, "\nUmask:");
    return at ? strtol(at + strlen("\nUmask:"), NULL, 8) : -1;
}

takt_surroundings *takt_surroundings_create(void)
{
    takt_surroundings *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    int folder = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    s->folder = folder >= 0 && fstat(folder, &s->status) == 0 ? copy_high(folder) : -1;
    if (folder >= 0) close(folder);
    const char *locale = setlocale(LC_ALL, NULL);
    s->locale = locale ? strdup(locale) : NULL;
    for (int i = 0; i < N_FILES; i++) s->files[i] = copy_high(i);
    s->own_locale = uselocale((locale_t)0);
    s->umask = read_umask();
    for (int i = 0; i < N_SIGNALS; i++) sigaction(signals[i], NULL, &s->actions[i]);
    pthread_sigmask(SIG_SETMASK, NULL, &s->mask);
    s->x87 = read_x87();
    return s;
}

void takt_surroundings_destroy(takt_surroundings *surroundings)
{
    if (!surroundings) return;
    if (surroundings->folder >= 0) close(surroundings->folder);
    for (int i = 0; i < N_FILES; i++)
        if (surroundings->files[i] >= 0) close(surroundings->files[i]);
    free(surroundings->locale);
    free(surroundings);
}

// ---- one by one ----------------------------------------------------------------------------------

static bool restore_folder(const takt_surroundings *s)
{
    struct stat now;
    if (s->folder < 0) return false;
    bool is_same =
        stat(".", &now) == 0 && now.st_ino == s->status.st_ino && now.st_dev == s->status.st_dev;
    return !is_same && fchdir(s->folder) == 0;
}

// That of the program, and the one that the thread may have instead.
static bool restore_locale(const takt_surroundings *s)
{
    bool has_own = uselocale(s->own_locale) != s->own_locale;
    const char *now = s->locale ? setlocale(LC_ALL, NULL) : NULL;
    return (now && strcmp(now, s->locale) != 0 && setlocale(LC_ALL, s->locale)) || has_own;
}

static bool restore_umask(const takt_surroundings *s)
{
    return s->umask >= 0 && umask((mode_t)s->umask) != (mode_t)s->umask;
}

static bool is_handler(const struct sigaction *action)
{
    return (action->sa_flags & SA_SIGINFO) ||
           (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN);
}

static bool is_same_action(const struct sigaction *a, const struct sigaction *b)
{
    if ((a->sa_flags & SA_SIGINFO) != (b->sa_flags & SA_SIGINFO)) return false;
    return a->sa_flags & SA_SIGINFO ? a->sa_sigaction == b->sa_sigaction
                                    : a->sa_handler == b->sa_handler;
}

static bool restore_handlers(const takt_surroundings *s)
{
    bool has_changed = false;
    for (int i = 0; i < N_SIGNALS; i++) {
        struct sigaction now;
        if (sigaction(signals[i], NULL, &now) || is_same_action(&now, &s->actions[i])) continue;
        if (i >= FIRST_FAULT && is_handler(&now)) continue;
        has_changed |= sigaction(signals[i], &s->actions[i], NULL) == 0;
    }
    return has_changed;
}

static bool restore_mask(const takt_surroundings *s)
{
    sigset_t now;
    if (pthread_sigmask(SIG_SETMASK, NULL, &now)) return false;
    for (int i = 0; i < N_SIGNALS; i++)
        if (sigismember(&now, signals[i]) != sigismember(&s->mask, signals[i]))
            return pthread_sigmask(SIG_SETMASK, &s->mask, NULL) == 0;
    return false;
}

// One that was replaced by another stays.
static bool restore_files(const takt_surroundings *s)
{
    bool has_changed = false;
    for (int i = 0; i < N_FILES; i++)
        if (s->files[i] >= 0 && fcntl(i, F_GETFD) < 0) has_changed |= dup2(s->files[i], i) >= 0;
    return has_changed;
}

static bool restore_x87(const takt_surroundings *s)
{
    if (read_x87() == s->x87) return false;
    write_x87(s->x87);
    return true;
}

int takt_surroundings_restore(takt_surroundings *surroundings)
{
    const takt_surroundings *s = surroundings;
    int changed = 0;
    if (!s) return 0;
    if (restore_folder(s)) changed |= TAKT_CHANGED_FOLDER;
    if (restore_locale(s)) changed |= TAKT_CHANGED_LOCALE;
    if (restore_handlers(s)) changed |= TAKT_CHANGED_HANDLERS;
    if (restore_mask(s)) changed |= TAKT_CHANGED_MASK;
    if (restore_files(s)) changed |= TAKT_CHANGED_FILES;
    if (restore_x87(s)) changed |= TAKT_CHANGED_X87;
    if (restore_umask(s)) changed |= TAKT_CHANGED_UMASK;
    return changed;
}

const char *takt_surroundings_name(int change)
{
    switch (change) {
    case TAKT_CHANGED_FOLDER: return "the working folder";
    case TAKT_CHANGED_LOCALE: return "the locale";
    case TAKT_CHANGED_HANDLERS: return "how signals are handled";
    case TAKT_CHANGED_FILES: return "standard input, output or errors";
    case TAKT_CHANGED_MASK: return "which signals are blocked";
    case TAKT_CHANGED_UMASK: return "the rights of new files (umask)";
    default: return "how the x87 unit computes";
    }
}

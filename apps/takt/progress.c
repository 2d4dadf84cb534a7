// SPDX-License-Identifier: MIT
// Progress of a run; see progress.h. The clock is read only every so many steps: the number is
// doubled or halved so that about 50 looks per second happen, whatever a step costs.
#include "progress.h"

#include <math.h>
#include <string.h>

#include "terminal.h"
#include "support.h"

static const double look_least = 0.01, look_most = 0.03; // s between two looks at the clock
enum { INTERVAL_MOST = 1 << 20 };

// Seconds between two displays; the first one comes after the same time.
static const double show_every[] = {
    [CLI_PROGRESS_BAR] = 0.1, [CLI_PROGRESS_PLAIN] = 3, [CLI_PROGRESS_JSON] = 0.1};

/// What is shown, whatever the form.
typedef struct figures {
    double t, start, stop; ///< s, simulated
    double share; ///< 0..1
    double wall; ///< s since the start
    double factor; ///< simulated per real time; NaN: not known yet
    double remaining; ///< s of real time; NaN: not known yet
} figures;

static figures take_figures(const cli_progress *progress, double now)
{
    figures f = {.t = takt_run_time(progress->run),
                 .start = takt_run_start_time(progress->run),
                 .stop = takt_run_stop_time(progress->run),
                 .wall = now - progress->began,
                 .factor = NAN,
                 .remaining = NAN};
    f.share = f.stop > f.start ? fmin(fmax((f.t - f.start) / (f.stop - f.start), 0), 1) : 1;
    if (f.wall > 0) f.factor = (f.t - f.start) / f.wall;
    if (f.share > 0) f.remaining = f.wall * (1 - f.share) / f.share;
    return f;
}

// "45.2 %  t = 4.52 of 10 s  12.3 x real time  5 s left"
static void describe(char *out, size_t size, const figures *f)
{
    double unit;
    const char *name = cli_duration_unit(fmax(fabs(f->stop), fabs(f->start)), &unit);
    char factor[48] = "", remaining[48] = "", left[CLI_DURATION_SIZE];
    if (isfinite(f->factor)) snprintf(factor, sizeof factor, "  %.3g x real time", f->factor);
    if (isfinite(f->remaining)) {
        cli_duration(left, f->remaining, f->remaining < 60 ? 0 : 1);
        snprintf(remaining, sizeof remaining, "  %s left", left);
    }
    snprintf(out, size, "%5.1f %%  t = %.4g of %.4g %s%s%s", 100 * f->share, f->t / unit,
             f->stop / unit, name, factor, remaining);
}

static void show_bar(const cli_progress *progress, const figures *f)
{
    enum { TEXT_SIZE = 256, BAR_LEAST = 10, BAR_MOST = 40 };
    char text[TEXT_SIZE], line[TEXT_SIZE + BAR_MOST + 8];
    describe(text, sizeof text, f);
    // One column stays free: a full last line would scroll on some terminals.
    int columns = cli_terminal_width(stderr, 20, TEXT_SIZE) - 1;
    int room = columns - (int)strlen(text) - 3;
    if (room > BAR_MOST) room = BAR_MOST;
    if (room < BAR_LEAST) {
        snprintf(line, sizeof line, "%.*s", columns, text);
    } else {
        char bar[BAR_MOST + 1];
        int filled = (int)(f->share * room);
        memset(bar, '#', (size_t)filled);
        memset(bar + filled, '.', (size_t)(room - filled));
        bar[room] = 0;
        snprintf(line, sizeof line, "[%s] %s", bar, text);
    }
    cli_console_bar(progress->console, line);
}

static void show_json(const figures *f)
{
    const struct {
        const char *name;
        double value;
    } members[] = {{"time", f->t},
                   {"start_time", f->start},
                   {"stop_time", f->stop},
                   {"progress", f->share},
                   {"wall", f->wall},
                   {"real_time_factor", f->factor},
                   {"remaining", f->remaining}};
    char line[512], *end = line;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        char number[TAKT_NUMBER_SIZE] = "null"; // JSON knows no NaN and no infinity
        if (isfinite(members[i].value)) takt_number_write(number, members[i].value);
        end += snprintf(end, (size_t)(line + sizeof line - end), "%s\"%s\":%s", i ? "," : "{",
                        members[i].name, number);
    }
    fprintf(stderr, "%s}\n", line);
    fflush(stderr);
}

static void show(cli_progress *progress, double now)
{
    figures f = take_figures(progress, now);
    char text[256];
    switch (progress->mode) {
    case CLI_PROGRESS_BAR: show_bar(progress, &f); break;
    case CLI_PROGRESS_JSON: show_json(&f); break;
    case CLI_PROGRESS_PLAIN:
        describe(text, sizeof text, &f);
        cli_console_note(progress->console, "%s: %s", progress->name, text + strspn(text, " "));
        break;
    case CLI_PROGRESS_AUTO:
    case CLI_PROGRESS_NONE: break;
    }
    progress->shown = now;
}

void cli_progress_start(cli_progress *progress, cli_progress_mode mode, cli_console *console,
                        const takt_run *run, const char *name)
{
    if (mode == CLI_PROGRESS_AUTO)
        mode = cli_terminal_is_able(stderr) ? CLI_PROGRESS_BAR : CLI_PROGRESS_NONE;
    double now = cli_clock();
    *progress = (cli_progress){.mode = mode,
                               .console = console,
                               .run = run,
                               .name = name,
                               .began = now,
                               .looked = now,
                               .shown = now,
                               .interval = 1,
                               .countdown = 1};
    if (mode == CLI_PROGRESS_JSON) show(progress, now);
}

void cli_progress_look(cli_progress *progress)
{
    if (progress->mode == CLI_PROGRESS_NONE) {
        progress->countdown = INTERVAL_MOST;
        return;
    }
    double now = cli_clock();
    double passed = now - progress->looked;
    if (passed < look_least && progress->interval < INTERVAL_MOST) progress->interval *= 2;
    if (passed > look_most && progress->interval > 1) progress->interval /= 2;
    progress->countdown = progress->interval;
    progress->looked = now;
    if (now - progress->shown >= show_every[progress->mode]) show(progress, now);
}

void cli_progress_end(cli_progress *progress)
{
    if (progress->mode == CLI_PROGRESS_JSON) show(progress, cli_clock());
    if (progress->mode == CLI_PROGRESS_BAR) cli_console_bar(progress->console, NULL);
}

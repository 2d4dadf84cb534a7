// SPDX-License-Identifier: MIT
// Terminals and durations; see terminal.h.
#include "terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool cli_terminal_is_able(FILE *file)
{
    const char *kind = getenv("TERM");
    return isatty(fileno(file)) && kind && *kind && strcmp(kind, "dumb") != 0;
}

bool cli_terminal_has_colour(FILE *file)
{
    const char *unwanted = getenv("NO_COLOR");
    return cli_terminal_is_able(file) && !(unwanted && *unwanted);
}

int cli_terminal_width(FILE *file, int least, int most)
{
    struct winsize size = {0};
    int width = 80;
    const char *wanted = getenv("COLUMNS");
    if (ioctl(fileno(file), TIOCGWINSZ, &size) == 0 && size.ws_col)
        width = size.ws_col;
    else if (wanted && atoi(wanted) > 0)
        width = atoi(wanted);
    if (width < least) return least;
    return width < most ? width : most;
}

int cli_columns(const char *text)
{
    int n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xC0) != 0x80;
    return n;
}

const char *cli_duration_unit(double seconds, double *out)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"d", 86400}, {"h", 3600}, {"min", 60}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}};
    size_t last = sizeof units / sizeof *units - 1;
    size_t i = 0;
    while (i < last && fabs(seconds) < units[i].seconds) i++;
    *out = units[i].seconds;
    return units[i].name;
}

void cli_duration(char out[CLI_DURATION_SIZE], double seconds, int decimals)
{
    double unit;
    const char *name = cli_duration_unit(seconds, &unit);
    if (fabs(seconds / unit) < 1e9)
        snprintf(out, CLI_DURATION_SIZE, "%.*f %s", decimals, seconds / unit, name);
    else
        snprintf(out, CLI_DURATION_SIZE, "%.*e %s", decimals, seconds / unit, name);
}

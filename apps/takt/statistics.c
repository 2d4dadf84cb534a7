// SPDX-License-Identifier: MIT
// Statistics table; see statistics.h. The form is that of the MasterSim paper (section 3.1): label,
// time with a fitting unit, count.
#include "statistics.h"

#include <stdlib.h>
#include <string.h>

#include "terminal.h"

enum {
    LISTED_MOST = 20, ///< instances, loops: so many are all listed
    SHOWN_OF_MANY = 10, ///< instances, when there are more
    NAME_LEAST = 24, ///< columns
    NAME_MOST = 60,
    CALL_WIDTH = 9, ///< of "getState"
    UNIT_WIDTH = 4, ///< of " min"
    NAME_SIZE = 4 * NAME_MOST + 8,
};

/// A table under construction: where to, and how wide the names are.
typedef struct stats_table {
    FILE *file;
    int name_width;
} stats_table;

// Copies a name of at most NAME_MOST columns; of a longer one the beginning and the end.
static void fit_name(char out[NAME_SIZE], const char *name)
{
    int columns = cli_columns(name);
    int begin = columns > NAME_MOST ? NAME_MOST / 2 - 2 : NAME_MOST;
    int end = columns > NAME_MOST ? columns - (NAME_MOST - begin - 3) : 0;
    int column = 0;
    size_t n = 0;
    for (const char *p = name; *p && n + 8 < NAME_SIZE; p++) {
        column += ((unsigned char)*p & 0xC0) != 0x80;
        if (column == begin + 1 && end && ((unsigned char)*p & 0xC0) != 0x80) {
            memcpy(out + n, "...", 3);
            n += 3;
        }
        if (column <= begin || column > end) out[n++] = *p;
    }
    out[n] = 0;
}

static void print_rule(const stats_table *table)
{
    int width = table->name_width + CALL_WIDTH + 32;
    for (int i = 0; i < width; i++) fputc('-', table->file);
    fputc('\n', table->file);
}

// A line "name  call = 1.234 ms  count"; time and count are left out when negative.
static void print_line(const stats_table *table, const char *name, const char *call, double time,
                       int64_t count)
{
    char label[NAME_SIZE], duration[CLI_DURATION_SIZE] = "";
    fit_name(label, name);
    if (time >= 0) cli_duration(duration, time, 3);
    // The unit is aligned on the left, so that the numbers stand below each other.
    const char *unit = strchr(duration, ' ');
    int digits = unit ? (int)(unit - duration) : 0;
    int room = table->name_width + CALL_WIDTH - cli_columns(label);
    fprintf(table->file, "%s%*s = %9.*s%s", label, room, call, digits, duration, unit ? unit : "");
    if (count >= 0)
        fprintf(table->file, "%*s %12lld", UNIT_WIDTH - (unit ? (int)strlen(unit) : 0), "",
                (long long)count);
    fputc('\n', table->file);
}

static void print_calls(const stats_table *table, const takt_instance_statistics *s)
{
    const struct {
        const char *name;
        const takt_call_statistics *calls;
    } rows[] = {{"doStep", &s->do_step},
                {"getState", &s->get_state},
                {"setState", &s->set_state},
                {"set", &s->set},
                {"get", &s->get}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        print_line(table, i ? "" : s->name, rows[i].name, rows[i].calls->time,
                   rows[i].calls->count);
    // Evaluations of differential equations; those of a group member by member.
    for (int i = 0; i < s->n_members && i < LISTED_MOST; i++)
        print_line(table, s->n_members > 1 ? s->members[i]->name : "", "der(x)", -1,
                   s->members[i]->derivatives);
}

static double cost(const takt_instance_statistics *s)
{
    return s->do_step.time + s->get_state.time + s->set_state.time + s->set.time + s->get.time;
}

// Expensive ones first; equal ones in the order of the project.
static int compare_cost(const void *a, const void *b)
{
    const takt_instance_statistics *s = *(const takt_instance_statistics *const *)a;
    const takt_instance_statistics *r = *(const takt_instance_statistics *const *)b;
    double difference = cost(r) - cost(s);
    if (difference != 0) return difference > 0 ? 1 : -1;
    return s < r ? -1 : s > r;
}

static void add_calls(takt_call_statistics *sum, const takt_call_statistics *calls)
{
    sum->count += calls->count;
    sum->time += calls->time;
}

static takt_instance_statistics sum_of(const takt_statistics *s, const char *name)
{
    takt_instance_statistics sum = {.name = name};
    for (int i = 0; i < s->n_instances; i++) {
        add_calls(&sum.do_step, &s->instances[i]->do_step);
        add_calls(&sum.get_state, &s->instances[i]->get_state);
        add_calls(&sum.set_state, &s->instances[i]->set_state);
        add_calls(&sum.set, &s->instances[i]->set);
        add_calls(&sum.get, &s->instances[i]->get);
    }
    return sum;
}

static void print_many_instances(const stats_table *table, const takt_statistics *s)
{
    size_t n = (size_t)s->n_instances;
    const takt_instance_statistics **order = calloc(n, sizeof *order);
    if (!order) return; // the sum follows in any case
    for (size_t i = 0; i < n; i++) order[i] = s->instances[i];
    qsort(order, n, sizeof *order, compare_cost);
    fprintf(table->file, "The %d most expensive of %d instances (--stats FILE has all):\n",
            SHOWN_OF_MANY, s->n_instances);
    for (int i = 0; i < SHOWN_OF_MANY; i++) print_calls(table, order[i]);
    free(order);
}

static void print_instances(const stats_table *table, const takt_statistics *s)
{
    if (s->n_instances <= LISTED_MOST) {
        for (int i = 0; i < s->n_instances; i++) print_calls(table, s->instances[i]);
        return;
    }
    print_many_instances(table, s);
    print_rule(table);
    char name[48];
    snprintf(name, sizeof name, "All %d instances", s->n_instances);
    takt_instance_statistics sum = sum_of(s, name);
    print_calls(table, &sum);
}

static void print_loops(const stats_table *table, const takt_statistics *s)
{
    for (int i = 0; i < s->n_loops && i < LISTED_MOST; i++) {
        const takt_loop_statistics *loop = s->loops[i];
        fprintf(table->file, "Loop of ");
        for (int k = 0; k < loop->n_members && k < LISTED_MOST; k++)
            fprintf(table->file, "%s%s", k ? ", " : "", loop->members[k]);
        if (loop->n_members > LISTED_MOST)
            fprintf(table->file, " and %d more", loop->n_members - LISTED_MOST);
        fprintf(table->file, ": %s, %lld sweeps\n", loop->algorithm, (long long)loop->sweeps);
    }
    if (s->n_loops > LISTED_MOST) fprintf(table->file, "%d more loops\n", s->n_loops - LISTED_MOST);
    if (s->n_loops) print_rule(table);
}

enum { SHOWN_LIMITS = 3 };

/// Something that limited steps, and how often.
typedef struct shown_limit {
    const char *name;
    int64_t count;
} shown_limit;

// Lists `name (count)`, separated by commas; those that were never met are left out. Returns whether there is one.
static bool print_limits(const stats_table *table, const char *title, const shown_limit *limits,
                         int n)
{
    const char *before = title;
    for (int i = 0; i < n; i++) {
        if (limits[i].count == 0) continue;
        char name[NAME_SIZE];
        fit_name(name, limits[i].name);
        fprintf(table->file, "%s%s (%lld)", before, name, (long long)limits[i].count);
        before = ", ";
    }
    if (before != title) fputc('\n', table->file);
    return before != title;
}

// What determined the size of steps: the few worst variables, and all else.
static void print_step_limits(const stats_table *table, const takt_step_limits *limits)
{
    shown_limit steps[SHOWN_LIMITS + 8], rejections[SHOWN_LIMITS];
    int n = 0, n_rejections = 0;
    int64_t others = limits->error;
    for (int i = 0; i < limits->n_variables && i < SHOWN_LIMITS; i++) {
        const takt_variable_limits *at = limits->variables[i];
        steps[n++] = (shown_limit){at->name, at->steps};
        rejections[n_rejections++] = (shown_limit){at->name, at->rejected};
        others -= at->steps;
    }
    steps[n++] = (shown_limit){"other variables", others};
    steps[n++] = (shown_limit){"growth", limits->growth};
    steps[n++] = (shown_limit){"largest step", limits->step_max};
    steps[n++] = (shown_limit){"known times", limits->stop};
    steps[n++] = (shown_limit){"events found", limits->event};
    steps[n++] = (shown_limit){"failed steps", limits->failure};
    steps[n++] = (shown_limit){"starts", limits->start};
    bool is_shown = print_limits(table, "Steps limited by ", steps, n);
    is_shown |= print_limits(table, "Steps rejected for ", rejections, n_rejections);
    if (is_shown) print_rule(table);
}

static int widest_name(const takt_statistics *s)
{
    int widest = NAME_LEAST;
    for (int i = 0; i < s->n_instances; i++) {
        int columns = cli_columns(s->instances[i]->name);
        if (columns > widest) widest = columns;
        for (int k = 0; k < s->instances[i]->n_members; k++) {
            columns = cli_columns(s->instances[i]->members[k]->name);
            if (columns > widest) widest = columns;
        }
    }
    return widest < NAME_MOST ? widest : NAME_MOST;
}

void cli_statistics_print(const takt_statistics *s, FILE *file)
{
    stats_table table = {file, widest_name(s)};
    fprintf(file, "Solver statistics\n");
    print_rule(&table);
    print_line(&table, "Wall clock time", "", s->wall, -1);
    print_rule(&table);
    print_line(&table, "Output writing", "", s->output, -1);
    print_line(&table, "Master algorithm", "", s->master, s->steps);
    if (s->rejected) print_line(&table, "Rejected steps", "", -1, s->rejected);
    print_line(&table, "Convergence failures", "", -1, s->convergence_failures);
    if (s->iteration_limit_exceeded)
        print_line(&table, "Iteration limit exceeded", "", -1, s->iteration_limit_exceeded);
    print_line(&table, "Error test time and failures", "", s->error_test, s->error_test_failures);
    print_rule(&table);
    print_instances(&table, s);
    print_rule(&table);
    print_loops(&table, s);
    print_step_limits(&table, s->limits);
}

// SPDX-License-Identifier: MIT
// What limits the size of steps: statistics, the table at the end, and the step log tell the same story.
#include "support/results.h"
#include "support/ssd.h"
#include "support/statistics.h"

// Counts of the lines of a step log.
typedef struct log_counts {
    int n_kept, n_rejected, n_of; // attempts; those limited by the error of one variable
    int n_for; // rejected because of one variable
    int n_event, n_stop, n_step_max;
} log_counts;

// The column of a line, whose end is written to `end`.
static const char *column(const char *line, int index, const char **end)
{
    for (int i = 0; i < index; i++) line = strchr(line, '\t') + 1;
    *end = line + strcspn(line, "\t\n");
    return line;
}

static bool is_word(const char *line, int index, const char *word)
{
    const char *end, *at = column(line, index, &end);
    return (size_t)(end - at) == strlen(word) && memcmp(at, word, strlen(word)) == 0;
}

enum { ERROR = 6, VARIABLE = 8, LIMIT = 9, DECISION = 10 };

static log_counts count_log(test_sandbox *box, const char *variable)
{
    log_counts out = {0};
    char limit[100], *log = test_read_file(box, "steps.tsv", NULL);
    snprintf(limit, sizeof limit, "error of %s", variable);
    for (char *line = strchr(log, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
        if (is_word(line, LIMIT, "")) continue; // no attempt
        const char *end, *decision = column(line, DECISION, &end);
        bool is_kept = strncmp(decision, "accepted", 8) == 0;
        out.n_kept += is_kept;
        out.n_rejected += !is_kept;
        out.n_of += is_kept && is_word(line, LIMIT, limit);
        out.n_for += !is_kept && is_word(line, VARIABLE, variable);
        out.n_event += is_kept && is_word(line, LIMIT, "event");
        out.n_stop += is_kept && is_word(line, LIMIT, "stop");
        out.n_step_max += is_kept && is_word(line, LIMIT, "step_max");
    }
    free(log);
    return out;
}

// The counts of a variable in the statistics; 0: it limited nothing.
static double variable_number(json_t *statistics, const char *name, const char *key)
{
    json_t *all = json_object_get(json_object_get(statistics, "step_limits"), "variables"), *one;
    size_t i;
    json_array_foreach(all, i, one)
    {
        if (strcmp(json_string_value(json_object_get(one, "name")), name) == 0)
            return json_number_value(json_object_get(one, key));
    }
    return 0;
}

static double sum_of_causes(json_t *statistics)
{
    static const char *const causes[] = {"error", "growth",  "step_max", "stop",
                                         "event", "failure", "start"};
    double sum = 0;
    for (int i = 0; i < 7; i++)
        sum += json_number_value(
            json_object_get(json_object_get(statistics, "step_limits"), causes[i]));
    return sum;
}

static void assert_same_story(test_sandbox *box, const char *const *variables)
{
    json_t *s = test_statistics_read(box, "stats.json");
    double of_all = 0;
    assert_near(sum_of_causes(s), test_number(s, "steps"), 0);
    for (int i = 0; variables[i]; i++) {
        log_counts found = count_log(box, variables[i]);
        assert_near(found.n_kept, test_number(s, "steps"), 0);
        assert_near(found.n_rejected, test_number(s, "rejected"), 0);
        assert_near(found.n_of, variable_number(s, variables[i], "steps"), 0);
        assert_near(found.n_for, variable_number(s, variables[i], "rejected"), 0);
        assert_near(found.n_event, test_number(s, "step_limits/event"), 0);
        assert_near(found.n_stop, test_number(s, "step_limits/stop"), 0);
        assert_near(found.n_step_max, test_number(s, "step_limits/step_max"), 0);
        of_all += found.n_of;
    }
    assert_near(of_all, test_number(s, "step_limits/error"), 0);
    json_decref(s);
}

static const char *const populations[] = {"Prey.x", "Predator.y", NULL};

static void each_kept_step_has_one_cause(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "lotka_volterra");
    test_run(box, "run", "lotka_volterra.ssd", "--tolerance", "1e-4", "--stats", "stats.json",
             "--step-log", "steps.tsv", NULL);
    assert_exit(box, 0);
    assert_same_story(box, populations);
    assert_contains(box->out, "Steps limited by Predator.y (");
    assert_contains(box->out, "Steps rejected for Pre");
    test_run(box, "run", "lotka_volterra.ssd", "--tolerance", "1e-4", "--step-max", "0.3",
             "--stats", "stats.json", "--step-log", "steps.tsv", NULL);
    assert_exit(box, 0);
    assert_same_story(box, populations);
    assert_contains(box->out, "largest step (");
}

static void step_doubling_tells_it_as_well(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "lotka_volterra");
    test_run(box, "run", "lotka_volterra.ssd", "--algorithm", "seidel", "--tolerance", "1e-4",
             "--stats", "stats.json", "--step-log", "steps.tsv", NULL);
    assert_exit(box, 0);
    assert_same_story(box, populations);
    test_run(box, "run", "lotka_volterra.ssd", "--algorithm", "seidel", "--norm", "papers",
             "--step-control", "richardson", "--stats", "stats.json", "--step-log", "steps.tsv",
             NULL);
    assert_exit(box, 0);
    assert_same_story(box, populations);
}

static void jumps_name_the_variable_that_shows_them(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    test_run(box, "run", "math003.ssd", "--step-max", "0.14", "--tolerance", "1e-6", "--stats",
             "stats.json", "--step-log", "steps.tsv", NULL);
    assert_exit(box, 0);
    const char *const variables[] = {"Part1.x1", "Part1.x2", "Part2.x3", "Part3.x4", NULL};
    assert_same_story(box, variables);
    json_t *s = test_statistics_read(box, "stats.json");
    for (int i = 0; i < 3; i++) { // each of them jumps three times
        assert_near(variable_number(s, variables[i], "rejected"), 3, 0);
        assert_true(variable_number(s, variables[i], "largest_error") > 1e5);
    }
    assert_near(variable_number(s, "Part3.x4", "rejected"), 0, 0);
    assert_true(test_number(s, "step_limits/event") >= 9);
    json_decref(s);
}

// With fixed steps the user has chosen the size.
static void fixed_steps_have_no_limits(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "lotka_volterra");
    test_run(box, "run", "lotka_volterra.ssd", "--step-size", "0.5", "--stats", "stats.json", NULL);
    assert_exit(box, 0);
    json_t *s = test_statistics_read(box, "stats.json");
    assert_near(sum_of_causes(s), 0, 0);
    json_t *all = json_object_get(json_object_get(s, "step_limits"), "variables");
    assert_int_equal(json_array_size(all), 0);
    json_decref(s);
    assert_null(strstr(box->out, "Steps limited by"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(each_kept_step_has_one_cause),
        test_in_sandbox(step_doubling_tells_it_as_well),
        test_in_sandbox(jumps_name_the_variable_that_shows_them),
        test_in_sandbox(fixed_steps_have_no_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

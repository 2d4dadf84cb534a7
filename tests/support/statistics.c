// SPDX-License-Identifier: MIT
// Reading statistics files in tests; see statistics.h.
#include "support/statistics.h"

json_t *test_statistics_read(test_sandbox *box, const char *name)
{
    char *text = test_read_file(box, name, NULL);
    if (!text) fail_msg("there is no file %s", name);
    json_error_t problem;
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &problem);
    if (!json) fail_msg("%s:%d: %s", name, problem.line, problem.text);
    free(text);
    return json;
}

static const json_t *find(const json_t *json, const char *path)
{
    char word[128];
    const json_t *at = json;
    for (const char *p = path; *p;) {
        size_t n = strcspn(p, "/");
        snprintf(word, sizeof word, "%.*s", (int)n, p);
        at = json_is_array(at) ? json_array_get(at, (size_t)strtol(word, NULL, 10))
                               : json_object_get(at, word);
        if (!at) fail_msg("the statistics have no %s", path);
        p += n + (p[n] == '/');
    }
    return at;
}

double test_number(const json_t *json, const char *path)
{
    const json_t *at = find(json, path);
    assert_true(json_is_number(at));
    return json_number_value(at);
}

const char *test_word(const json_t *json, const char *path)
{
    const json_t *at = find(json, path);
    assert_true(json_is_string(at));
    return json_string_value(at);
}

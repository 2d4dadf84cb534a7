// SPDX-License-Identifier: MIT
// JSON over jansson; see json.h. A failed allocation is seen in errno, which nothing sets back to 0.
#include "base/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

void takt_json_begin(void)
{
    errno = 0;
}

bool takt_json_has_failed(void)
{
    return errno == ENOMEM;
}

char *takt_json_end(json_t *all)
{
    char *text = all ? json_dumps(all, JSON_INDENT(2)) : NULL;
    bool is_complete = !takt_json_has_failed();
    json_decref(all);
    if (is_complete) return text;
    free(text);
    return NULL;
}

json_t *takt_json_text(const char *text)
{
    json_t *out = json_string(text);
    char *copy = out ? NULL : strdup(text);
    if (!copy) return out;
    takt_utf8_clean(copy);
    out = json_string(copy);
    free(copy);
    return out;
}

// SPDX-License-Identifier: MIT
// Messages of FMUs; see log.h.
#include "fmu/log.h"

#include <stdio.h>
#include <string.h>

bool takt_fmu_log_init(takt_fmu_log *self, takt_log *log, const takt_model *model,
                       const char *instance)
{
    *self = (takt_fmu_log){.log = log, .model = model, .instance = instance};
    self->call = 1;
    return takt_mutex_init(&self->lock);
}

void takt_fmu_log_clear(takt_fmu_log *self)
{
    takt_mutex_clear(&self->lock);
}

void takt_fmu_log_copy(char *out, size_t size, const char *text)
{
    size_t length = strnlen(text, size - 1);
    memcpy(out, text, length);
    out[length] = 0;
}

static void cut_line_ends(char *text)
{
    size_t length = strlen(text);
    while (length > 0 && strchr("\r\n \t", text[length - 1])) text[--length] = 0;
}

// By status; all others (OK, pending, unknown ones) are details.
static takt_level level_of(int status)
{
    static const takt_level levels[] = {TAKT_LEVEL_DEBUG, TAKT_LEVEL_WARN, TAKT_LEVEL_WARN,
                                        TAKT_LEVEL_ERROR, TAKT_LEVEL_ERROR};
    bool is_known = status >= 0 && status < (int)(sizeof levels / sizeof *levels);
    return is_known ? levels[status] : TAKT_LEVEL_DEBUG;
}

void takt_fmu_log_receive(takt_fmu_log *self, int status, const char *category, char *text)
{
    cut_line_ends(text);
    takt_mutex_lock(&self->lock);
    self->last_call = self->call;
    self->last_stage = self->stage;
    takt_fmu_log_copy(self->last, sizeof self->last, text);
    takt_mutex_unlock(&self->lock);

    char source[256];
    bool has_category = category && category[0];
    snprintf(source, sizeof source, "%s%s%.100s", self->instance, has_category ? ": " : "",
             has_category ? category : "");
    takt_log_relay(self->log, level_of(status), source, text);
}

void takt_fmu_log_last(takt_fmu_log *self, char out[TAKT_FMU_TEXT_SIZE])
{
    out[0] = 0;
    takt_mutex_lock(&self->lock);
    bool is_present = self->last_call == self->call && self->last_stage == self->stage;
    if (is_present) takt_fmu_log_copy(out, TAKT_FMU_TEXT_SIZE, self->last);
    takt_mutex_unlock(&self->lock);
    for (char *c = out; *c; c++)
        if ((unsigned char)*c < ' ') *c = ' ';
}

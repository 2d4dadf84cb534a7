// SPDX-License-Identifier: MIT
// Messages: sorted into categories, dropped when their category is switched off, and formatted here,
// so that the importing program never sees a text of ours or the author's as a format.
#include "core.h"

#include <stdio.h>
#include <string.h>

enum { MESSAGE_SIZE = 2048 };

static const fmukit_category categories[FMUKIT_N_CATEGORIES] = {
    [FMUKIT_LOG_EVENTS] = {"logEvents", "Events of the model during initialization and simulation"},
    [FMUKIT_LOG_WARNING] = {"logStatusWarning", "Reasons for the status warning"},
    [FMUKIT_LOG_DISCARD] = {"logStatusDiscard", "Reasons for the status discard"},
    [FMUKIT_LOG_ERROR] = {"logStatusError", "Reasons for the status error"},
    [FMUKIT_LOG_FATAL] = {"logStatusFatal", "Reasons for the status fatal"},
    [FMUKIT_LOG_PENDING] = {"logStatusPending", "Reasons for the status pending"},
    [FMUKIT_LOG_CALLS] = {NULL, "Every call of a function of the FMU"},
};

fmukit_category fmukit_own_category(int category, int version)
{
    static const char *const calls[] = {"logFmi1Call", "logFmi2Call", "logFmi3Call"};
    fmukit_category result = categories[category];
    if (category == FMUKIT_LOG_CALLS) result.name = calls[version - 1];
    return result;
}

static int category_of(fmukit_status status)
{
    switch (status) {
    case FMUKIT_OK:
    case FMUKIT_EVENT: return FMUKIT_LOG_EVENTS;
    case FMUKIT_WARNING: return FMUKIT_LOG_WARNING;
    case FMUKIT_DISCARD:
    case FMUKIT_TERMINATE: return FMUKIT_LOG_DISCARD;
    case FMUKIT_ERROR: return FMUKIT_LOG_ERROR;
    case FMUKIT_FATAL: return FMUKIT_LOG_FATAL;
    case FMUKIT_PENDING: return FMUKIT_LOG_PENDING;
    }
    return FMUKIT_LOG_EVENTS;
}

static const char *category_name(const fmukit_instance *fmu, int category)
{
    if (category >= FMUKIT_N_CATEGORIES)
        return fmu->model->log_categories[category - FMUKIT_N_CATEGORIES];
    return fmukit_own_category(category, fmu->interface->version).name;
}

int fmukit_find_category(const fmukit_instance *fmu, const char *name)
{
    for (int i = 0; i < FMUKIT_N_CATEGORIES; i++) {
        if (strcmp(category_name(fmu, i), name) == 0) return i;
    }
    const char *const *own = fmu->model->log_categories;
    for (int i = 0; own && own[i] && i < FMUKIT_MAX_OWN_CATEGORIES; i++) {
        if (strcmp(own[i], name) == 0) return FMUKIT_N_CATEGORIES + i;
    }
    return -1;
}

static bool is_enabled(const fmukit_instance *fmu, int category)
{
    return fmu->enabled_categories >> category & 1;
}

static void hand_over(fmukit_instance *fmu, fmukit_status status, int category, const char *prefix,
                      const char *format, va_list arguments)
{
    char text[MESSAGE_SIZE];
    int n = 0;
    if (prefix) n = snprintf(text, sizeof text, "%s: ", prefix);
    if (n >= 0 && n < MESSAGE_SIZE) vsnprintf(text + n, sizeof text - (size_t)n, format, arguments);
    fmu->host.log(fmu, status, category_name(fmu, category), text);
}

void fmukit_log(fmukit_instance *fmu, fmukit_status status, const char *category,
                const char *format, ...)
{
    int number = category ? fmukit_find_category(fmu, category) : -1;
    if (number < 0) number = category_of(status);
    if (!is_enabled(fmu, number)) return;
    va_list arguments;
    va_start(arguments, format);
    hand_over(fmu, status, number, NULL, format, arguments);
    va_end(arguments);
}

fmukit_status fmukit_fail(fmukit_instance *fmu, fmukit_status status, const char *format, ...)
{
    int category = category_of(status);
    if (!is_enabled(fmu, category)) return status;
    va_list arguments;
    va_start(arguments, format);
    hand_over(fmu, status, category, fmu->call, format, arguments);
    va_end(arguments);
    return status;
}

void fmukit_tolerate(fmukit_instance *fmu, const char *format, ...)
{
    enum { MAX_TOLERATED = 10 };
    if (fmu->n_tolerated >= MAX_TOLERATED || !is_enabled(fmu, FMUKIT_LOG_WARNING)) return;
    fmu->n_tolerated++;
    va_list arguments;
    va_start(arguments, format);
    hand_over(fmu, FMUKIT_WARNING, FMUKIT_LOG_WARNING, fmu->call, format, arguments);
    va_end(arguments);
}

void fmukit_log_call(fmukit_instance *fmu, const char *format, va_list arguments)
{
    if (!is_enabled(fmu, FMUKIT_LOG_CALLS)) return;
    hand_over(fmu, FMUKIT_OK, FMUKIT_LOG_CALLS, fmu->call, format, arguments);
}

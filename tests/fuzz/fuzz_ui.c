// SPDX-License-Identifier: MIT
// Requests to the server of `takt ui` that passed its door: each line is a method, an address and a body, with blanks between them. The project
// lies in a folder of its own, in which nothing but functions of Takt can be used. Every answer has a status, and every failure a reason.
#include <dirent.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ui_app.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_REQUESTS = 12, MOST_BYTES = 8000 };

static const char beginning[] =
    "[{\"op\":\"add\",\"name\":\"A\",\"value\":\"builtin:linear?factor=0.5&offset=1\"},"
    "{\"op\":\"add\",\"name\":\"B\",\"value\":\"builtin:sum?inputs=2\"},"
    "{\"op\":\"connect\",\"name\":\"A.out\",\"to\":\"B.in[0]\"},"
    "{\"op\":\"setting\",\"name\":\"stop-time\",\"value\":\"0.5\"},"
    "{\"op\":\"setting\",\"name\":\"step-size\",\"value\":\"0.1\"}]";

// The value of "name=" behind the '?' of an address; in place, and not decoded.
static const char *query(void *context, const char *name)
{
    static char value[256]; // one question is answered at a time
    size_t length = strlen(name);
    for (const char *at = context; at; at = strchr(at, '&')) {
        at++; // behind '?' or '&'
        if (strncmp(at, name, length) != 0 || at[length] != '=') continue;
        snprintf(value, sizeof value, "%.*s", (int)strcspn(at + length + 1, "&"), at + length + 1);
        return value;
    }
    return NULL;
}

// A system as large as a machine can hold, or a run without an end, would only show that both are possible.
static bool is_harmless(const char *body)
{
    static const char *const words[] = {"time", "dimension", "inputs", "interval", "step", "pace"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(body, words[i])) return false;
    return strlen(body) < 2000;
}

static void ask(ui_app *app, const char *method, char *address, json_t *body)
{
    char *question = strchr(address, '?');
    ui_request request = {.method = method, .path = address, .body = body, .query = query};
    char copy[MOST_BYTES + 2];
    snprintf(copy, sizeof copy, "%s", question ? question : "");
    request.context = question ? copy : NULL;
    if (question) *question = 0;
    ui_reply reply = {.status = 200};
    ui_app_answer(app, &request, &reply);
    const char *reason = json_string_value(json_object_get(reply.json, "error"));
    if (reply.status != 200 && (!reason || !*reason)) abort();
    if (reply.status == 200 && !reply.json && !reply.text && !reply.file) abort();
    char *text = reply.json ? json_dumps(reply.json, JSON_ENCODE_ANY) : NULL;
    if (reply.json && !text) abort();
    free(text);
    free(reply.text);
    free(reply.file);
    json_decref(reply.json);
}

// "POST /api/edit {...}"
static void ask_line(ui_app *app, char *line)
{
    char *address = strchr(line, ' ');
    if (!address) return;
    *address++ = 0;
    char *text = strchr(address, ' ');
    if (text) *text++ = 0;
    json_t *body =
        text && is_harmless(text) ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;
    bool is_post = strcmp(line, "POST") == 0;
    if (!is_post || json_is_object(body))
        ask(app, line, address, is_post ? body : NULL); // as the door sees to
    json_decref(body);
}

// What was saved there.
static void remove_files(const char *folder)
{
    DIR *list = opendir(folder);
    for (struct dirent *file; list && (file = readdir(list));)
        if (file->d_type == DT_REG) unlinkat(dirfd(list), file->d_name, 0);
    if (list) closedir(list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static ui_app app;
    static char folder[] = "/tmp/takt-fuzz-ui-XXXXXX";
    takt_error err = {0};
    char text[MOST_BYTES + 1], *rest = text;
    if (size > MOST_BYTES || memchr(data, 0, size)) return 0;
    memcpy(text, data, size);
    text[size] = 0;
    if (!mkdtemp(folder)) abort();
    memset(&app, 0, sizeof app);
    if (ui_app_open(&app, folder, "system.ssd", &err)) abort();
    json_t *ops = json_loads(beginning, 0, NULL);
    if (ui_editor_edit(&app.editor, "Begin", ops, &err)) abort();
    json_decref(ops);
    for (int i = 0; rest && i < MOST_REQUESTS; i++) ask_line(&app, strsep(&rest, "\n"));
    ui_app_close(&app);
    remove_files(folder);
    if (rmdir(folder) != 0) abort(); // it left something
    memcpy(folder + sizeof folder - 7, "XXXXXX", 6);
    return 0;
}

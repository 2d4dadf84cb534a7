// SPDX-License-Identifier: MIT
// Pages that listen; see ui_events.h. A connection sleeps while there is nothing to say to it.
#include "ui_events.h"

#include <stdlib.h>
#include <string.h>

#include "ui_text.h"

enum { MAX_BACKLOG = 4 << 20 }; // bytes; a page that does not read is let go

struct ui_listener {
    ui_events *events;
    struct MHD_Connection *connection;
    ui_text text; ///< that was not sent yet
    bool is_asleep, is_gone;
    ui_listener *next;
};

void ui_events_open(ui_events *events)
{
    *events = (ui_events){0};
    pthread_mutex_init(&events->lock, NULL);
}

void ui_events_close(ui_events *events)
{
    pthread_mutex_destroy(&events->lock);
}

static void wake(ui_listener *l)
{
    if (!l->is_asleep) return;
    l->is_asleep = false;
    MHD_resume_connection(l->connection);
}

void ui_events_end(ui_events *events)
{
    pthread_mutex_lock(&events->lock);
    events->is_closing = true;
    for (ui_listener *l = events->first; l; l = l->next) wake(l);
    pthread_mutex_unlock(&events->lock);
}

static void send_text(ui_events *events, const char *text, size_t size)
{
    pthread_mutex_lock(&events->lock);
    for (ui_listener *l = events->first; l; l = l->next) {
        if (l->text.size + size > MAX_BACKLOG) l->is_gone = true;
        ui_text_add(&l->text, text, size);
        wake(l);
    }
    pthread_mutex_unlock(&events->lock);
}

void ui_events_send(ui_events *events, const char *name, json_t *data)
{
    ui_text text = {0};
    char *json = json_dumps(data, JSON_COMPACT);
    json_decref(data);
    ui_text_print(&text, "event: %s\ndata: %s\n\n", name, json ? json : "null");
    free(json);
    if (!text.is_failed) send_text(events, text.data, text.size);
    free(ui_text_take(&text));
}

void ui_events_beat(ui_events *events)
{
    send_text(events, ": \n\n", 4);
}

static ssize_t read_text(void *context, uint64_t position, char *buffer, size_t max)
{
    (void)position;
    ui_listener *l = context;
    ssize_t n = 0;
    pthread_mutex_lock(&l->events->lock);
    if (l->events->is_closing || l->is_gone || l->text.is_failed) {
        n = MHD_CONTENT_READER_END_OF_STREAM;
    } else if (l->text.size == 0) {
        l->is_asleep = true;
        MHD_suspend_connection(l->connection);
    } else {
        size_t sent = l->text.size < max ? l->text.size : max;
        memcpy(buffer, l->text.data, sent);
        memmove(l->text.data, l->text.data + sent, l->text.size - sent);
        l->text.size -= sent;
        n = (ssize_t)sent;
    }
    pthread_mutex_unlock(&l->events->lock);
    return n;
}

static void forget(void *context)
{
    ui_listener *l = context;
    pthread_mutex_lock(&l->events->lock);
    ui_listener **at = &l->events->first;
    while (*at && *at != l) at = &(*at)->next;
    if (*at) *at = l->next;
    l->events->n_listeners--;
    pthread_mutex_unlock(&l->events->lock);
    free(ui_text_take(&l->text));
    free(l);
}

struct MHD_Response *ui_events_listen(ui_events *events, struct MHD_Connection *connection)
{
    ui_listener *l = calloc(1, sizeof *l);
    if (!l) return NULL;
    *l = (ui_listener){.events = events, .connection = connection};
    ui_text_print(&l->text, "retry: 1000\n\n");
    pthread_mutex_lock(&events->lock);
    bool has_room = events->n_listeners < UI_MAX_LISTENERS;
    if (has_room) {
        l->next = events->first;
        events->first = l;
        events->n_listeners++;
    }
    pthread_mutex_unlock(&events->lock);
    struct MHD_Response *response =
        has_room ? MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 8192, read_text, l, forget)
                 : NULL;
    if (!response && has_room) {
        forget(l);
    } else if (!response) {
        free(ui_text_take(&l->text));
        free(l);
    }
    return response;
}

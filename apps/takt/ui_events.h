// SPDX-License-Identifier: MIT
// Pages that listen: server-sent events for all of them. Any thread may send.
#ifndef TAKT_APP_UI_EVENTS_H
#define TAKT_APP_UI_EVENTS_H

#include <jansson.h>
#include <pthread.h>
#include <stdbool.h>

#include <microhttpd.h>

typedef struct ui_listener ui_listener;

typedef struct ui_events {
    pthread_mutex_t lock;
    ui_listener *first;
    int n_listeners;
    bool is_closing;
} ui_events;

enum { UI_MAX_LISTENERS = 24 };

void ui_events_open(ui_events *events);

/// Lets all pages go; before the server is stopped.
void ui_events_end(ui_events *events);
void ui_events_close(ui_events *events);

/// Tells all pages: an event with JSON (taken over).
void ui_events_send(ui_events *events, const char *name, json_t *data);

/// Keeps connections alive.
void ui_events_beat(ui_events *events);

/// A response that goes on until the page leaves. NULL: there are too many, or no memory.
struct MHD_Response *ui_events_listen(ui_events *events, struct MHD_Connection *connection);

#endif

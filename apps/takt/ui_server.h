// SPDX-License-Identifier: MIT
// The door of `takt ui`: HTTP on 127.0.0.1, and who may come in. Every request needs the token, the right Host, and no Origin but the page's own; bodies,
// connections and times are limited. The page itself (without any data) is given to everybody.
#ifndef TAKT_APP_UI_SERVER_H
#define TAKT_APP_UI_SERVER_H

#include "ui_app.h"

typedef struct ui_server ui_server;

/// Starts listening; `port` 0: any that is free. `page` (NULL: the one in the program) is a folder with a page.
takt_status ui_server_open(ui_app *app, int port, const char *page, ui_server **out,
                           takt_error *err);

/// Ends all connections.
void ui_server_close(ui_server *server);

int ui_server_port(const ui_server *server);
const char *ui_server_token(const ui_server *server);

/// Ends connections that take too long to say what they want; to be called now and then.
void ui_server_tick(ui_server *server);

#endif

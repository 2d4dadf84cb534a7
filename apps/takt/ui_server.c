// SPDX-License-Identifier: MIT
// The door of `takt ui`; see ui_server.h.
#include "ui_server.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ui_assets.h"
#include "ui_paths.h"
#include "support.h"

enum {
    MAX_BODY = 1 << 20, // bytes, of JSON
    MAX_CONNECTIONS = 64,
    MAX_IDLE = 30, // s
    MAX_REQUEST = 10, // s, until a request has come in
};
static const uint64_t max_upload = (uint64_t)512 << 20; // bytes, of a file

/// A connection that is open.
typedef struct visitor {
    struct MHD_Connection *connection;
    int socket;
    double since; ///< when the present request began
    bool is_patient; ///< it listens, or sends a file
    struct visitor *next;
} visitor;

struct ui_server {
    ui_app *app;
    struct MHD_Daemon *daemon;
    int port;
    char token[33];
    const char *page; ///< folder; NULL: the page of the program
    pthread_mutex_t lock; ///< of `first`
    visitor *first;
};

/// A request that comes in piece by piece.
typedef struct pending {
    bool is_refused;
    char *body;
    size_t size;
    int upload; ///< file descriptor; -1: none
    char *part, *target; ///< paths of the file that comes, and of its final name
    uint64_t uploaded;
} pending;

// ---- answers ---------------------------------------------------------------------------------------

static enum MHD_Result queue(struct MHD_Connection *connection, int status,
                             struct MHD_Response *response)
{
    static const char *const headers[][2] = {
        {"Content-Security-Policy",
         "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
         "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
        {"X-Content-Type-Options", "nosniff"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Cache-Control", "no-store"},
    };
    if (!response) return MHD_NO;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        MHD_add_response_header(response, headers[i][0], headers[i][1]);
    enum MHD_Result result = MHD_queue_response(connection, (unsigned)status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result answer_text(struct MHD_Connection *connection, int status, char *text,
                                   const char *type)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_FREE);
    if (!response) free(text);
    if (response) MHD_add_response_header(response, "Content-Type", type);
    return queue(connection, status, response);
}

static enum MHD_Result refuse(struct MHD_Connection *connection, int status, const char *reason)
{
    json_t *json = json_pack("{s:s}", "error", reason);
    char *text = json_dumps(json, JSON_COMPACT);
    json_decref(json);
    return text ? answer_text(connection, status, text, "application/json") : MHD_NO;
}

static enum MHD_Result answer_file(struct MHD_Connection *connection, const ui_reply *reply)
{
    struct stat status;
    int file = open(reply->file, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &status) != 0) {
        if (file >= 0) close(file);
        return refuse(connection, 404, "there are no results yet");
    }
    struct MHD_Response *response = MHD_create_response_from_fd((uint64_t)status.st_size, file);
    if (!response) close(file);
    if (response) MHD_add_response_header(response, "Content-Type", reply->type);
    return queue(connection, 200, response);
}

static enum MHD_Result answer_reply(struct MHD_Connection *connection, ui_reply *reply)
{
    enum MHD_Result result;
    if (reply->file)
        result = answer_file(connection, reply);
    else if (reply->text)
        result = answer_text(connection, reply->status, reply->text, reply->type);
    else {
        char *text = json_dumps(reply->json, JSON_COMPACT | JSON_ENCODE_ANY);
        result = text ? answer_text(connection, reply->status, text, "application/json") : MHD_NO;
    }
    free(reply->file);
    json_decref(reply->json);
    return result;
}

// ---- the page --------------------------------------------------------------------------------------

static enum MHD_Result answer_developer_page(const ui_server *server,
                                             struct MHD_Connection *connection, const char *path,
                                             const ui_asset *asset)
{
    char name[4096];
    struct stat status;
    snprintf(name, sizeof name, "%s/%s.gz", server->page, path[1] ? path + 1 : "index.html");
    int file = open(name, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &status) != 0) {
        if (file >= 0) close(file);
        return refuse(connection, 404, "the page is not there");
    }
    struct MHD_Response *response = MHD_create_response_from_fd((uint64_t)status.st_size, file);
    MHD_add_response_header(response, "Content-Type", asset->type);
    MHD_add_response_header(response, "Content-Encoding", "gzip");
    return queue(connection, 200, response);
}

static const ui_asset *find_asset(const char *path)
{
    static const ui_asset known[] = {{"/", "text/html; charset=utf-8", NULL, 0},
                                     {"/app.js", "text/javascript; charset=utf-8", NULL, 0},
                                     {"/app.css", "text/css; charset=utf-8", NULL, 0},
                                     {NULL, NULL, NULL, 0}};
    for (const ui_asset *a = ui_assets; a->path; a++)
        if (strcmp(a->path, path) == 0) return a;
    for (const ui_asset *a = known; a->path; a++)
        if (strcmp(a->path, path) == 0) return a;
    return NULL;
}

static enum MHD_Result answer_page(const ui_server *server, struct MHD_Connection *connection,
                                   const char *path)
{
    static const char absent[] =
        "<!doctype html><meta charset=utf-8><title>Takt</title><p>This takt was built without "
        "its page. <code>make ui</code> builds it (with Node.js), and then takt again.";
    const ui_asset *asset = find_asset(path);
    if (!asset) return refuse(connection, 404, "there is nothing here");
    if (server->page) return answer_developer_page(server, connection, path, asset);
    struct MHD_Response *response = MHD_create_response_from_buffer(
        asset->data ? asset->size : sizeof absent - 1,
        asset->data ? (void *)(size_t)asset->data : (void *)(size_t)absent, MHD_RESPMEM_PERSISTENT);
    if (!response) return MHD_NO;
    MHD_add_response_header(response, "Content-Type",
                            asset->data ? asset->type : "text/html; charset=utf-8");
    if (asset->data) MHD_add_response_header(response, "Content-Encoding", "gzip");
    return queue(connection, 200, response);
}

// ---- who may come in -------------------------------------------------------------------------------

static const char *header(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

// Only these names lead to this machine without the help of others.
static bool is_our_name(const ui_server *server, const char *text)
{
    static const char *const names[] = {"127.0.0.1", "localhost"};
    char expected[64];
    for (size_t i = 0; text && i < sizeof names / sizeof *names; i++) {
        snprintf(expected, sizeof expected, "%s:%d", names[i], server->port);
        if (strcmp(text, expected) == 0) return true;
    }
    return false;
}

static bool is_our_origin(const ui_server *server, const char *origin)
{
    return !origin || (strncmp(origin, "http://", 7) == 0 && is_our_name(server, origin + 7));
}

// Takes the same time for every wrong token.
static bool has_token(const ui_server *server, struct MHD_Connection *connection)
{
    const char *given = header(connection, "X-Takt-Token");
    unsigned differences = 0;
    if (!given || strlen(given) != strlen(server->token)) return false;
    for (size_t i = 0; server->token[i]; i++)
        differences |= (unsigned)(given[i] ^ server->token[i]);
    return differences == 0;
}

static enum MHD_Result count_header(void *context, enum MHD_ValueKind kind, const char *key,
                                    const char *value)
{
    (void)kind, (void)value;
    int *counts = context;
    counts[0] += strcasecmp(key, "Host") == 0;
    counts[1] += strcasecmp(key, "Origin") == 0;
    return MHD_YES;
}

// Of two, others may believe the one that is not looked at here (RFC 9112, section 3.2).
static bool is_ambiguous(struct MHD_Connection *connection)
{
    int counts[2] = {0};
    MHD_get_connection_values(connection, MHD_HEADER_KIND, count_header, counts);
    return counts[0] > 1 || counts[1] > 1;
}

// 0: it may come in; else the status and the reason.
static int check(const ui_server *server, struct MHD_Connection *connection, const char *path,
                 const char **reason)
{
    const char *site = header(connection, "Sec-Fetch-Site");
    *reason = "wrong Host: this server is reached as 127.0.0.1 or localhost only";
    if (!is_our_name(server, header(connection, "Host")) || is_ambiguous(connection)) return 403;
    *reason = "wrong Origin: other pages may not use this server";
    if (!is_our_origin(server, header(connection, "Origin"))) return 403;
    if (strncmp(path, "/api/", 5) != 0) return 0;
    if (site && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0) return 403;
    *reason = "the token is missing or wrong: open the address that takt ui printed";
    return has_token(server, connection) ? 0 : 401;
}

// ---- requests --------------------------------------------------------------------------------------

static const char *query(void *context, const char *name)
{
    return MHD_lookup_connection_value(context, MHD_GET_ARGUMENT_KIND, name);
}

static enum MHD_Result answer(ui_server *server, struct MHD_Connection *connection,
                              const char *method, const char *path, const pending *p)
{
    json_t *body = NULL;
    json_error_t error;
    if (strcmp(method, "POST") == 0) {
        body = json_loadb(p->body ? p->body : "", p->size, JSON_REJECT_DUPLICATES, &error);
        if (!json_is_object(body)) {
            json_decref(body);
            return refuse(connection, 400, "the request must be an object of JSON");
        }
    }
    const ui_request request = {method, path, body, query, connection};
    ui_reply reply = {.status = 200, .type = "application/json"};
    ui_app_answer(server->app, &request, &reply);
    json_decref(body);
    return answer_reply(connection, &reply);
}

static visitor *find_visitor(ui_server *server, struct MHD_Connection *connection)
{
    visitor *v = server->first;
    while (v && v->connection != connection) v = v->next;
    return v;
}

static void be_patient(ui_server *server, struct MHD_Connection *connection)
{
    pthread_mutex_lock(&server->lock);
    visitor *v = find_visitor(server, connection);
    if (v) v->is_patient = true;
    pthread_mutex_unlock(&server->lock);
}

static enum MHD_Result listen_to_events(ui_server *server, struct MHD_Connection *connection)
{
    struct MHD_Response *response = ui_events_listen(&server->app->events, connection);
    if (!response) return refuse(connection, 503, "too many pages are open");
    be_patient(server, connection);
    MHD_add_response_header(response, "Content-Type", "text/event-stream");
    return queue(connection, 200, response);
}

// ---- files that are dropped on the page ------------------------------------------------------------

static bool is_plain_name(const char *name)
{
    static const char *const endings[] = {".fmu", ".csv", ".tsv", ".mat", ".ssp", ".ssd", ".msim"};
    bool is_known = false;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        is_known = is_known || cli_ends_in(name, endings[i]);
    return is_known && name[0] != '.' && !strchr(name, '/') && strlen(name) < 200;
}

// The file comes under another name until it is complete; one that exists is not replaced.
static int begin_upload(ui_server *server, struct MHD_Connection *connection, pending *p,
                        const char **reason)
{
    const char *name = query(connection, "name");
    takt_error err = {0};
    *reason = "a file needs a name without folders that ends in .fmu, .csv, .tsv, .mat, .ssp, "
              ".ssd or .msim";
    if (!name || !is_plain_name(name)) return 400;
    if (ui_path_resolve(server->app->editor.root, name, &p->target, &err)) return 400;
    *reason = "there is a file of this name already; nothing was replaced";
    if (access(p->target, F_OK) == 0) return 409;
    size_t size = strlen(p->target) + 16;
    p->part = malloc(size);
    if (!p->part) return 500;
    snprintf(p->part, size, "%s.part-XXXXXX", p->target);
    p->upload = mkstemp(p->part);
    *reason = "the file cannot be written into the folder of the project";
    return p->upload < 0 ? 500 : 0;
}

static bool write_all(int file, const char *data, size_t size)
{
    while (size) {
        ssize_t n = write(file, data, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        data += n;
        size -= (size_t)n;
    }
    return true;
}

static enum MHD_Result end_upload(ui_server *server, struct MHD_Connection *connection, pending *p)
{
    bool ok = fchmod(p->upload, 0644) == 0 && close(p->upload) == 0;
    p->upload = -1;
    ok = ok && link(p->part, p->target) == 0; // fails where there is a file by now
    unlink(p->part);
    if (!ok) return refuse(connection, 409, "the file could not be put into the folder");
    ui_app_note_upload(server->app, p->target);
    json_t *json = json_pack("{s:s}", "file", ui_path_shown(server->app->editor.root, p->target));
    char *text = json_dumps(json, JSON_COMPACT);
    json_decref(json);
    return text ? answer_text(connection, 200, text, "application/json") : MHD_NO;
}

// ---- requests, piece by piece ----------------------------------------------------------------------

static bool is_too_large(struct MHD_Connection *connection, uint64_t limit)
{
    const char *length = header(connection, "Content-Length");
    return length && (strlen(length) > 18 || strtoull(length, NULL, 10) > limit);
}

// The head has come in.
static enum MHD_Result begin(ui_server *server, struct MHD_Connection *connection, const char *path,
                             const char *method, pending *p)
{
    const char *reason = NULL;
    int status = check(server, connection, path, &reason);
    bool is_upload = strcmp(path, "/api/upload") == 0;
    bool is_post = strcmp(method, "POST") == 0;
    if (!status && !is_post && strcmp(method, "GET") != 0) {
        status = 405;
        reason = "only GET and POST are possible";
    }
    if (!status && is_too_large(connection, is_upload ? max_upload : MAX_BODY)) {
        status = 413;
        reason = "the request is too large";
    }
    if (!status && is_upload && is_post) {
        status = begin_upload(server, connection, p, &reason);
        be_patient(server, connection);
    }
    if (!status) return MHD_YES;
    p->is_refused = true;
    return refuse(connection, status, reason);
}

static enum MHD_Result take(pending *p, const char *data, size_t size)
{
    if (p->upload >= 0) {
        p->uploaded += size;
        return p->uploaded <= max_upload && write_all(p->upload, data, size) ? MHD_YES : MHD_NO;
    }
    if (p->size + size > MAX_BODY) return MHD_NO;
    char *grown = realloc(p->body, p->size + size);
    if (!grown) return MHD_NO;
    memcpy(grown + p->size, data, size);
    p->body = grown;
    p->size += size;
    return MHD_YES;
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *data,
                              size_t *size, void **state)
{
    (void)version;
    ui_server *server = context;
    pending *p = *state;
    if (!p) {
        *state = p = calloc(1, sizeof *p);
        if (!p) return MHD_NO;
        p->upload = -1;
        return begin(server, connection, path, method, p);
    }
    if (*size) {
        enum MHD_Result taken = p->is_refused ? MHD_YES : take(p, data, *size);
        *size = 0;
        return taken;
    }
    if (p->is_refused) return MHD_YES;
    if (p->upload >= 0) return end_upload(server, connection, p);
    if (strcmp(path, "/api/events") == 0) return listen_to_events(server, connection);
    if (strncmp(path, "/api/", 5) != 0) return answer_page(server, connection, path);
    return answer(server, connection, method, path, p);
}

static void end_request(void *context, struct MHD_Connection *connection, void **state,
                        enum MHD_RequestTerminationCode code)
{
    (void)code;
    ui_server *server = context;
    pending *p = *state;
    if (p) {
        if (p->upload >= 0) {
            close(p->upload);
            unlink(p->part);
        }
        free(p->body);
        free(p->part);
        free(p->target);
        free(p);
    }
    *state = NULL;
    pthread_mutex_lock(&server->lock);
    visitor *v = find_visitor(server, connection);
    if (v) {
        v->since = cli_clock() + MAX_IDLE; // it may wait for the next one
        v->is_patient = false;
    }
    pthread_mutex_unlock(&server->lock);
}

// ---- connections -----------------------------------------------------------------------------------

static void welcome(ui_server *server, struct MHD_Connection *connection)
{
    visitor *v = calloc(1, sizeof *v);
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (!v) return;
    *v = (visitor){connection, info ? info->connect_fd : -1, cli_clock(), false, server->first};
    server->first = v;
}

static void part_from(ui_server *server, struct MHD_Connection *connection)
{
    visitor **at = &server->first;
    while (*at && (*at)->connection != connection) at = &(*at)->next;
    visitor *gone = *at;
    if (gone) *at = gone->next;
    free(gone);
}

static void note_connection(void *context, struct MHD_Connection *connection, void **state,
                            enum MHD_ConnectionNotificationCode code)
{
    (void)state;
    ui_server *server = context;
    pthread_mutex_lock(&server->lock);
    if (code == MHD_CONNECTION_NOTIFY_STARTED)
        welcome(server, connection);
    else
        part_from(server, connection);
    pthread_mutex_unlock(&server->lock);
}

void ui_server_tick(ui_server *server)
{
    double now = cli_clock();
    pthread_mutex_lock(&server->lock);
    for (visitor *v = server->first; v; v = v->next)
        if (!v->is_patient && now - v->since > MAX_REQUEST && v->socket >= 0)
            shutdown(v->socket, SHUT_RDWR);
    pthread_mutex_unlock(&server->lock);
}

// ---- beginning and end -----------------------------------------------------------------------------

static takt_status make_token(ui_server *server, takt_error *err)
{
    unsigned char bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return cli_fail(err, TAKT_ERR_SIMULATION, "the system gives no random numbers");
    for (size_t i = 0; i < sizeof bytes; i++) snprintf(server->token + 2 * i, 3, "%02x", bytes[i]);
    return TAKT_OK;
}

static takt_status start(ui_server *server, int port, takt_error *err)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    server->daemon = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, (uint16_t)port, NULL, NULL,
        handle, server, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)MAX_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)MAX_IDLE, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)65536,
        MHD_OPTION_NOTIFY_COMPLETED, end_request, server, MHD_OPTION_NOTIFY_CONNECTION,
        note_connection, server, MHD_OPTION_END);
    const union MHD_DaemonInfo *info =
        server->daemon ? MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
    if (!info)
        return cli_fail(err, TAKT_ERR_OUTPUT,
                        "port %d of 127.0.0.1 cannot be opened: %s; choose another with --port",
                        port, strerror(errno));
    server->port = info->port;
    return TAKT_OK;
}

takt_status ui_server_open(ui_app *app, int port, const char *page, ui_server **out,
                           takt_error *err)
{
    ui_server *server = calloc(1, sizeof *server);
    if (!server) return cli_fail_memory(err);
    server->app = app;
    server->page = page;
    pthread_mutex_init(&server->lock, NULL);
    takt_status st = make_token(server, err);
    if (!st) st = start(server, port, err);
    if (st)
        ui_server_close(server);
    else
        *out = server;
    return st;
}

void ui_server_close(ui_server *server)
{
    if (!server) return;
    ui_events_end(&server->app->events);
    if (server->daemon) MHD_stop_daemon(server->daemon);
    pthread_mutex_destroy(&server->lock);
    free(server);
}

int ui_server_port(const ui_server *server)
{
    return server->port;
}

const char *ui_server_token(const ui_server *server)
{
    return server->token;
}

// SPDX-License-Identifier: MIT
// A report of a run; see report.h. Pictures are put into the file as they are drawn by the library, each as an image of its own, so that
// their styles do not meet.
#include "report.h"

#include <math.h>
#include <stdarg.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "support.h"
#include "ui_text.h"

static const char style[] =
    "body{font:13px/20px Inter,'Segoe "
    "UI',system-ui,sans-serif;color:#1a2026;background:#fff;max-width:58rem;margin:2rem "
    "auto;padding:0 "
    "1rem;font-variant-numeric:tabular-nums}"
    "h1{font-size:24px;line-height:32px;margin:0}h2{font-size:15px;line-height:24px;border-top:1px "
    "solid #dce1e6;padding-top:16px;margin:24px 0 "
    "8px}"
    "p{margin:4px "
    "0}.second{color:#525c66;font-size:12px}.row{display:flex;justify-content:space-between;gap:"
    "16px}"
    "dl{display:flex;flex-wrap:wrap;gap:8px 28px;margin:12px "
    "0}dt{font-size:11px;color:#525c66}dd{margin:0;font-weight:600}"
    "table{border-collapse:collapse;width:100%;margin:8px "
    "0}th,td{text-align:left;font-weight:400;padding:4px 8px 4px "
    "0;border-bottom:1px solid #dce1e6;vertical-align:top;overflow-wrap:anywhere}thead "
    "th{font-size:11px;color:#525c66}"
    ".n{text-align:right;white-space:nowrap}.mono{font-family:ui-monospace,'DejaVu Sans "
    "Mono',monospace;font-size:12px}"
    ".changed{color:#0b6b78}.error{color:#b3261e}.ok{color:#2a6b33}.note{background:#fdf3dc;"
    "padding:8px 12px;margin:4px 0}"
    ".note.error{background:#fcedeb}img{max-width:100%;height:auto}"
    ".bar{display:flex;height:10px;width:10rem}.bar i{display:block}"
    "@media "
    "print{body{margin:0;max-width:none}tr,img,.note{break-inside:avoid}h2{break-after:avoid}thead{"
    "display:table-header-group}@page{size:A4;margin:16mm}}";

// ---- pieces ----------------------------------------------------------------------------------------

static void cell(ui_text *out, const char *class, const char *text)
{
    ui_text_print(out, class ? "<td class=\"%s\">" : "<td>", class);
    ui_text_html(out, text);
    ui_text_print(out, "</td>");
}

static void number_cell(ui_text *out, double value, const char *format)
{
    char text[64];
    snprintf(text, sizeof text, format, value);
    cell(out, "n", isnan(value) ? "" : text);
}

static void fact(ui_text *out, const char *name, const char *class, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void fact(ui_text *out, const char *name, const char *class, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    ui_text_print(out, "<div><dt>%s</dt><dd class=\"%s\">", name, class);
    ui_text_html(out, text);
    ui_text_print(out, "</dd></div>\n");
}

static void heads(ui_text *out, const char *const *names)
{
    ui_text_print(out, "<table><thead><tr>");
    for (int i = 0; names[i]; i++)
        ui_text_print(out,
                      names[i][0] == '>' ? "<th class=\"n\" scope=\"col\">%s</th>"
                                         : "<th scope=\"col\">%s</th>",
                      names[i] + (names[i][0] == '>'));
    ui_text_print(out, "</tr></thead><tbody>\n");
}

static void image(ui_text *out, const char *svg, size_t size, const char *alternative)
{
    size_t room = 4 * ((size + 2) / 3) + 1;
    unsigned char *encoded = malloc(room);
    if (!encoded) {
        out->is_failed = true;
        return;
    }
    int length = EVP_EncodeBlock(encoded, (const unsigned char *)svg, (int)size);
    ui_text_print(out, "<p><img alt=\"");
    ui_text_html(out, alternative);
    ui_text_print(out, "\" src=\"data:image/svg+xml;base64,");
    ui_text_add(out, (const char *)encoded, (size_t)length);
    ui_text_print(out, "\"></p>\n");
    free(encoded);
}

// The whole of a file; at most some megabytes.
static char *read_file(const char *path, size_t *size)
{
    enum { MOST = 64 << 20 };
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    ui_text text = {0};
    char piece[16384];
    size_t n;
    while (text.size < MOST && (n = fread(piece, 1, sizeof piece, file)) > 0)
        ui_text_add(&text, piece, n);
    fclose(file);
    *size = text.size;
    return ui_text_take(&text);
}

static double number_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

// ---- result ----------------------------------------------------------------------------------------

static void print_head(const cli_report *r, const json_t *st, ui_text *out)
{
    char date[64] = "";
    time_t now = time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts)) strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", &parts);
    const char *name = takt_project_name(r->project);
    ui_text_print(
        out,
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
        "content=\"width=device-width\"><title>");
    ui_text_html(out, name);
    ui_text_print(out,
                  " – Takt report</title><style>%s</style></head><body>\n<div class=\"row "
                  "second\"><span>Takt "
                  "report</span><span>%s · Takt %s</span></div>\n<h1>",
                  style, date, takt_version());
    ui_text_html(out, name);
    ui_text_print(out, "</h1>\n<p class=\"second\">");
    ui_text_html(out, r->file);
    ui_text_print(out, "</p>\n");
    const char *status = json_string_value(json_object_get(st, "status"));
    bool is_ok = status && strcmp(status, "ok") == 0;
    double from = number_of(st, "start_time"), to = number_of(st, "stop_time"),
           wall = number_of(st, "wall");
    ui_text_print(out, "<dl>");
    fact(out, "Result", is_ok ? "ok" : "error", "%s", is_ok ? "Finished" : status ? status : "");
    fact(out, "Simulated", "", "%.9g s to %.9g s", from, to);
    fact(out, "Elapsed", "", "%.4g s", wall);
    if (wall > 0) fact(out, "Real-time factor", "", "%.4g", (to - from) / wall);
    fact(out, "Steps", "", "%.0f, %.0f rejected", number_of(st, "steps"),
         number_of(st, "rejected"));
    fact(out, "Warnings", "", "%zu", json_array_size(r->messages));
    ui_text_print(out, "</dl>\n");
}

static void print_messages(const cli_report *r, ui_text *out)
{
    enum { MOST = 200 };
    const json_t *one;
    size_t i;
    json_array_foreach(r->messages, i, one)
    {
        const char *level = json_string_value(json_object_get(one, "level"));
        if (i >= MOST) break;
        ui_text_print(out, "<p class=\"note %s\"><b>%s</b> ", level, level);
        ui_text_html(out, json_string_value(json_object_get(one, "text")));
        ui_text_print(out, "</p>\n");
    }
    if (i >= MOST)
        ui_text_print(out, "<p class=\"note\">and %zu more</p>\n",
                      json_array_size(r->messages) - MOST);
}

// Drawn by the library, as `takt plot` does.
static void print_plot(const cli_report *r, ui_text *out)
{
    const char *temp = getenv("TMPDIR");
    ui_text path = {0};
    takt_plot_options options = takt_plot_options_default();
    options.title = "";
    ui_text_print(&path, "%s/takt-report-XXXXXX.svg", temp && *temp ? temp : "/tmp");
    int file = path.data ? mkstemps(path.data, 4) : -1;
    if (file < 0) return;
    close(file);
    size_t size = 0;
    char *svg = NULL;
    if (takt_plot(r->results, path.data, &options, NULL, NULL) == TAKT_OK)
        svg = read_file(path.data, &size);
    unlink(path.data);
    if (svg && size)
        image(out, svg, size,
              "Results over time; first, last and extreme values are in the table below");
    free(svg);
    free(ui_text_take(&path));
}

static void print_results(const cli_report *r, ui_text *out)
{
    static const char *const names[] = {"Variable",  "Unit",     ">First", ">Last",
                                        ">Smallest", ">Largest", NULL};
    if (!r->n_columns) return;
    ui_text_print(out, "<h2>Results</h2>\n");
    if (r->results) print_plot(r, out);
    heads(out, names);
    for (int i = 0; i < r->n_columns; i++) {
        const cli_report_column *c = &r->columns[i];
        ui_text_print(out, "<tr>");
        cell(out, NULL, c->name);
        cell(out, NULL, c->unit ? c->unit : "");
        number_cell(out, c->first, "%.6g");
        number_cell(out, c->last, "%.6g");
        number_cell(out, c->smallest, "%.6g");
        number_cell(out, c->largest, "%.6g");
        ui_text_print(out, "</tr>\n");
    }
    ui_text_print(out, "</tbody></table>\n");
}

// ---- system ----------------------------------------------------------------------------------------

static void print_order(const cli_report *r, ui_text *out)
{
    static const char *const names[] = {"Calling order", "Algorithm", NULL};
    takt_sequence *sequence = NULL;
    if (takt_sequence_create(r->system, 1, &sequence, NULL)) return;
    heads(out, names);
    for (int i = 0; i < takt_sequence_count_blocks(sequence); i++) {
        takt_block_info b = {.size = sizeof b};
        if (takt_sequence_get_block(sequence, i, &b, NULL)) break;
        ui_text_print(out, "<tr><td>%d. %s", i + 1, b.is_loop ? "Loop: " : "");
        for (int k = 0; k < b.n_members; k++) {
            if (k) ui_text_print(out, ", ");
            ui_text_html(out, b.members[k]);
        }
        ui_text_print(out, "</td>");
        cell(out, NULL, b.is_loop && b.algorithm ? b.algorithm : "");
        ui_text_print(out, "</tr>\n");
    }
    ui_text_print(out, "</tbody></table>\n");
    takt_sequence_destroy(sequence);
}

static void print_system(const cli_report *r, ui_text *out)
{
    char *svg = NULL;
    ui_text_print(out, "<h2>System</h2>\n");
    if (!takt_system_describe(r->system, TAKT_TOPIC_STATIC_GRAPH, TAKT_FORMAT_SVG, &svg, NULL) &&
        svg)
        image(out, svg, strlen(svg),
              "Components and their connections; the calling order is in the table below");
    takt_free(svg);
    print_order(r, out);
}

// The SHA-256 of a file, in hexadecimal; "" where it cannot be read.
static void hash_file(const char *path, char out[65])
{
    unsigned char digest[EVP_MAX_MD_SIZE], piece[65536];
    unsigned length = 0;
    size_t n;
    out[0] = 0;
    FILE *file = fopen(path, "rb");
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool ok = file && context && EVP_DigestInit_ex(context, EVP_sha256(), NULL);
    while (ok && (n = fread(piece, 1, sizeof piece, file)) > 0)
        ok = EVP_DigestUpdate(context, piece, n);
    if (ok && !ferror(file) && EVP_DigestFinal_ex(context, digest, &length))
        for (unsigned i = 0; i < length && i < 32; i++) snprintf(out + 2 * i, 3, "%02x", digest[i]);
    EVP_MD_CTX_free(context);
    if (file) fclose(file);
}

static void print_models(const cli_report *r, ui_text *out)
{
    static const char *const names[] = {"Component", "Model", "Kind", "Tool", "SHA-256", NULL};
    ui_text_print(out, "<h2>FMUs</h2>\n");
    heads(out, names);
    for (int i = 0; i < takt_system_count_components(r->system); i++) {
        takt_model_info m = {.size = sizeof m};
        char hash[65] = "";
        if (takt_system_get_model(r->system, i, &m, NULL)) break;
        if (m.path) hash_file(m.path, hash);
        const char *slash = m.path ? strrchr(m.path, '/') : NULL;
        ui_text_print(out, "<tr>");
        cell(out, NULL, m.component);
        cell(out, NULL, slash ? slash + 1 : m.path ? m.path : m.model);
        cell(out, NULL, m.kind);
        cell(out, NULL, m.tool);
        cell(out, "mono", hash);
        ui_text_print(out, "</tr>\n");
    }
    ui_text_print(out, "</tbody></table>\n");
}

// ---- values and settings ---------------------------------------------------------------------------

static void print_values(const cli_report *r, ui_text *out)
{
    static const char *const names[] = {"Start value", ">Value", "Unit", "From", NULL};
    int n = takt_project_count_values(r->project);
    if (!n) return;
    heads(out, names);
    for (int i = 0; i < n; i++) {
        takt_value_info v = {.size = sizeof v};
        if (takt_project_get_value(r->project, i, &v, NULL)) break;
        ui_text_print(out, "<tr><td>");
        ui_text_html(out, v.component);
        if (v.component) ui_text_print(out, ".");
        ui_text_html(out, v.variable);
        ui_text_print(out, "</td>");
        cell(out, "n", v.value);
        cell(out, NULL, v.unit);
        cell(out, "changed", v.file ? "project" : "command line");
        ui_text_print(out, "</tr>\n");
    }
    ui_text_print(out, "</tbody></table>\n");
}

static void print_setting(ui_text *out, const char *name, const char *value, const char *from)
{
    ui_text_print(out, "<tr>");
    cell(out, NULL, name);
    cell(out, NULL, value);
    cell(out, strcmp(from, "default") == 0 ? NULL : "changed", from);
    ui_text_print(out, "</tr>\n");
}

// Those in effect, with where they come from.
static json_t *print_experiment(const cli_report *r, ui_text *out)
{
    char *text = NULL;
    const char *name;
    json_t *one;
    if (takt_system_describe(r->system, TAKT_TOPIC_EXPERIMENT, TAKT_FORMAT_JSON, &text, NULL))
        return NULL;
    json_t *all = json_loads(text, 0, NULL);
    takt_free(text);
    json_object_foreach(all, name, one)
    {
        const json_t *value = json_object_get(one, "value");
        char number[TAKT_NUMBER_SIZE] = "";
        if (json_is_number(value)) takt_number_write(number, json_number_value(value));
        const char *from = json_string_value(json_object_get(one, "from"));
        print_setting(out, name, json_is_string(value) ? json_string_value(value) : number,
                      from ? from : "");
    }
    return all;
}

// All others that are not as they are by default.
static void print_others(const cli_report *r, const json_t *shown, ui_text *out)
{
    const takt_setting_info *info;
    for (int i = 0; (info = takt_setting(i)); i++) {
        char *value = NULL;
        double a, b;
        if (json_object_get(shown, info->name) ||
            takt_project_get(r->project, info->name, &value, NULL))
            continue;
        const char *usual = info->default_text ? info->default_text : "";
        bool is_same = strcmp(value, usual) == 0 ||
                       (takt_number_read(value, value + strlen(value), &a) &&
                        takt_number_read(usual, usual + strlen(usual), &b) && a == b);
        if (*value && !is_same && info->default_text)
            print_setting(out, info->name, value, "project or command line");
        takt_free(value);
    }
}

static void print_settings(const cli_report *r, ui_text *out)
{
    static const char *const names[] = {"Setting", "Value", "From", NULL};
    ui_text_print(out, "<h2>Values and settings</h2>\n");
    print_values(r, out);
    heads(out, names);
    json_t *shown = print_experiment(r, out);
    print_others(r, shown, out);
    json_decref(shown);
    ui_text_print(out, "</tbody></table>\n");
}

// ---- statistics ------------------------------------------------------------------------------------

static const struct kind {
    const char *key, *name, *color;
} kinds[] = {{"do_step", "doStep", "#1440b0"},
             {"get_state", "getState", "#76869a"},
             {"set_state", "setState", "#a267d0"},
             {"set", "set", "#2f9463"},
             {"get", "get", "#c96a00"}};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

static double time_of(const json_t *instance, int kind)
{
    return number_of(json_object_get(instance, kinds[kind].key), "time");
}

static double sum_of(const json_t *instance)
{
    double sum = 0;
    for (int k = 0; k < N_KINDS; k++) sum += time_of(instance, k);
    return sum;
}

static void print_instance(const char *name, const json_t *instance, double most, ui_text *out)
{
    ui_text_print(out, "<tr>");
    cell(out, NULL, name);
    ui_text_print(out, "<td><div class=\"bar\">");
    for (int k = 0; k < N_KINDS; k++)
        ui_text_print(out, "<i style=\"width:%.1f%%;background:%s\"></i>",
                      most > 0 ? 100 * time_of(instance, k) / most : 0, kinds[k].color);
    ui_text_print(out, "</div></td>");
    for (int k = 0; k < N_KINDS; k++) number_cell(out, 1e3 * time_of(instance, k), "%.3f ms");
    number_cell(out, number_of(json_object_get(instance, "do_step"), "count"), "%.0f");
    ui_text_print(out, "</tr>\n");
}

static void print_statistics(const json_t *st, ui_text *out)
{
    static const char *const names[] = {"Instance",  "",     ">doStep", ">getState",
                                        ">setState", ">set", ">get",    ">Calls of doStep",
                                        NULL};
    const char *name;
    json_t *one, *instances = json_object_get(st, "instances");
    double most = 0;
    ui_text_print(out, "<h2>Statistics</h2>\n");
    heads(out, names);
    json_object_foreach(instances, name, one) most = fmax(most, sum_of(one));
    json_object_foreach(instances, name, one) print_instance(name, one, most, out);
    ui_text_print(
        out,
        "</tbody></table>\n<p class=\"second\">Master algorithm %.4g s, error test %.4g s, output "
        "%.4g s</p>\n",
        number_of(st, "master"), number_of(st, "error_test"), number_of(st, "output"));
    json_t *doubtful = json_object_get(st, "doubtful_steps");
    json_object_foreach(doubtful, name, one) if (json_integer_value(one) > 0)
        ui_text_print(out, "<p class=\"note\">Doubtful steps, %s: %lld</p>\n", name,
                      (long long)json_integer_value(one));
}

// ---- all -------------------------------------------------------------------------------------------

takt_status cli_report_make(const cli_report *report, char **out, takt_error *err)
{
    ui_text text = {0};
    json_t *st = json_loads(report->statistics ? report->statistics : "{}", 0, NULL);
    print_head(report, st, &text);
    print_messages(report, &text);
    print_results(report, &text);
    print_system(report, &text);
    print_models(report, &text);
    print_settings(report, &text);
    print_statistics(st, &text);
    ui_text_print(&text, "<p class=\"second\">Run again with <code class=\"mono\">");
    ui_text_html(&text, report->command);
    ui_text_print(&text, "</code></p>\n</body></html>\n");
    json_decref(st);
    *out = ui_text_take(&text);
    return *out ? TAKT_OK : cli_fail_memory(err);
}

cli_report_column cli_report_column_begin(const char *name, const char *unit)
{
    return (cli_report_column){name, unit, NAN, NAN, NAN, NAN};
}

void cli_report_column_add(cli_report_column *column, double value)
{
    if (isnan(column->first)) column->first = value;
    column->last = value;
    column->smallest = fmin(column->smallest, value);
    column->largest = fmax(column->largest, value);
}

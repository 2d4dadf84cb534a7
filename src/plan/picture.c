// SPDX-License-Identifier: MIT
// A plan as a picture: boxes for components, with the inputs that are connected at the left and the outputs at the right, in layers by calling
// order (graph/layered.h). Connections that lead forward are curves; those that close a loop run below the boxes. Boxes and connections of
// a loop have its colour. Components without connections stand below.
#include "plan/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/svg.h"
#include "graph/layered.h"

// Pixels.
enum {
    MARGIN = 24,
    HEAD = 46, // above all boxes
    TITLE = 28, // of a box, above its ports
    PORT = 18, // height of a port
    FOOT = 8, // of a box, below its ports
    NODE_GAP = 26, // between boxes
    EDGE_GAP = 12, // between connections that pass a layer
    LAYER_GAP = 64, // between layers
    TRACK = 7, // between connections that lead back
    LEGEND_ROW = 20,
    MOST_NAME = 30, // characters of a component
    MOST_PORT = 24, // characters of a variable
    ALONE_COLUMNS = 6, // of components without connections
};
// Widths of characters. Names are bold, and some fonts are wide.
static const double BOLD = 8.4, SMALL = 6.3, DIGIT = 7;

// Of loops, one after the other: lines and grounds.
static const char *const colours[][2] = {{"#7a3e9d", "#f4ecf8"},
                                         {"#a85400", "#fbf0e3"},
                                         {"#1440b0", "#e9eefb"},
                                         {"#23784d", "#e8f4ed"},
                                         {"#762f0a", "#f5ebe6"}};
enum { N_COLOURS = 5 };

typedef struct port {
    int variable;
    double y; // below the top of its box
} port;

typedef struct box {
    int component;
    int number; // in the calling order, from 1
    int loop; // number of its loop, from 1; 0: none
    port *inputs, *outputs;
    int n_inputs, n_outputs;
    double x, y, width, height;
    int node; // in the layout; -1: it has no connection
} box;

typedef struct picture {
    const takt_plan *plan;
    takt_arena arena;
    takt_text svg;
    box *boxes; // per component
    int n_loops;
    takt_layered layout;
    int *box_of; // per node
    int *connection_of; // per edge
    double *left, *right; // of layers
    double *back_y; // per edge that leads back: where it runs
    int *track; // per edge: number among those that lead back beside the same layers
    double width, height;
} picture;

static const char *component_name(const picture *p, int component)
{
    return p->plan->system->components[component].name;
}

static const char *variable_name(const picture *p, int component, int variable)
{
    return p->plan->system->components[component].model->variables[variable].name;
}

// ---- boxes -------------------------------------------------------------------------------------

static port *find_port(port *ports, int n, int variable)
{
    for (int i = 0; i < n; i++)
        if (ports[i].variable == variable) return &ports[i];
    return NULL;
}

static bool add_port(picture *p, port **ports, int *n, int room, int variable)
{
    if (!*ports) *ports = takt_arena_array(&p->arena, (size_t)room, sizeof **ports);
    if (!*ports) return false;
    if (!find_port(*ports, *n, variable)) (*ports)[(*n)++].variable = variable;
    return true;
}

static int compare_ports(const void *a, const void *b)
{
    const port *x = a, *y = b;
    return (x->variable > y->variable) - (x->variable < y->variable);
}

static bool collect_ports(picture *p)
{
    const takt_system *system = p->plan->system;
    size_t n = (size_t)system->n_components;
    int *n_in = takt_arena_array(&p->arena, n, sizeof *n_in);
    int *n_out = takt_arena_array(&p->arena, n, sizeof *n_out);
    bool ok = n_in && n_out;
    for (int i = 0; ok && i < system->n_connections; i++) {
        n_in[system->connections[i].to]++;
        n_out[system->connections[i].from]++;
    }
    for (int i = 0; ok && i < system->n_connections; i++) {
        const takt_connection *c = &system->connections[i];
        box *from = &p->boxes[c->from], *to = &p->boxes[c->to];
        ok = add_port(p, &from->outputs, &from->n_outputs, n_out[c->from], c->from_variable) &&
             add_port(p, &to->inputs, &to->n_inputs, n_in[c->to], c->to_variable);
    }
    return ok;
}

static double widest(const picture *p, int component, const port *ports, int n)
{
    int most = 0;
    for (int i = 0; i < n; i++) {
        int length = takt_svg_count_characters(variable_name(p, component, ports[i].variable));
        if (length > most) most = length;
    }
    return SMALL * (most < MOST_PORT ? most : MOST_PORT);
}

static void place_ports(port *ports, int n)
{
    if (n) qsort(ports, (size_t)n, sizeof *ports, compare_ports);
    for (int i = 0; i < n; i++) ports[i].y = TITLE + PORT * i + PORT / 2.0;
}

static int count_digits(int number)
{
    int n = 1;
    while (number /= 10) n++;
    return n;
}

static void size_box(const picture *p, box *b)
{
    place_ports(b->inputs, b->n_inputs);
    place_ports(b->outputs, b->n_outputs);
    int n = b->n_inputs > b->n_outputs ? b->n_inputs : b->n_outputs;
    int title = takt_svg_count_characters(component_name(p, b->component));
    double head = BOLD * (title < MOST_NAME ? title : MOST_NAME) + DIGIT * count_digits(b->number);
    double ports = widest(p, b->component, b->inputs, b->n_inputs) +
                   widest(p, b->component, b->outputs, b->n_outputs) + 40;
    b->width = ceil(fmax(32 + head, ports));
    b->height = TITLE + PORT * n + (n ? FOOT : 2);
}

static bool make_boxes(picture *p)
{
    int n = p->plan->system->n_components, number = 0;
    p->boxes = takt_arena_array(&p->arena, (size_t)n, sizeof *p->boxes);
    if (!p->boxes || !collect_ports(p)) return false;
    for (int b = 0; b < p->plan->n_blocks; b++) {
        const takt_block *block = &p->plan->blocks[b];
        p->n_loops += block->is_loop;
        for (int k = 0; k < block->n_members; k++) {
            box *member = &p->boxes[block->members[k]];
            member->component = block->members[k];
            member->number = ++number;
            member->loop = block->is_loop ? p->n_loops : 0;
            size_box(p, member);
        }
    }
    return true;
}

// ---- layout ------------------------------------------------------------------------------------

static int compare_numbers(const void *a, const void *b)
{
    const box *x = *(box *const *)a, *y = *(box *const *)b;
    return (x->number > y->number) - (x->number < y->number);
}

// The boxes with connections as nodes, by calling order.
static bool make_nodes(picture *p)
{
    size_t n = (size_t)p->plan->system->n_components;
    box **sorted = takt_arena_array(&p->arena, n, sizeof *sorted);
    double *heights = takt_arena_array(&p->arena, n, sizeof *heights);
    int *order = takt_arena_array(&p->arena, n, sizeof *order);
    p->box_of = takt_arena_array(&p->arena, n, sizeof *p->box_of);
    if (!sorted || !heights || !order || !p->box_of) return false;
    for (size_t i = 0; i < n; i++) sorted[i] = &p->boxes[i];
    if (n) qsort(sorted, n, sizeof *sorted, compare_numbers);
    int n_nodes = 0;
    for (size_t i = 0; i < n; i++) {
        bool is_alone = sorted[i]->n_inputs + sorted[i]->n_outputs == 0;
        sorted[i]->node = is_alone ? -1 : n_nodes;
        if (is_alone) continue;
        heights[n_nodes] = sorted[i]->height;
        order[n_nodes] = n_nodes;
        p->box_of[n_nodes++] = (int)(sorted[i] - p->boxes);
    }
    p->layout = (takt_layered){.n_nodes = n_nodes,
                               .heights = heights,
                               .order = order,
                               .gap = NODE_GAP,
                               .edge_gap = EDGE_GAP};
    return true;
}

static bool make_edges(picture *p)
{
    const takt_system *system = p->plan->system;
    size_t n = (size_t)system->n_connections;
    takt_layered_edge *edges = takt_arena_array(&p->arena, n, sizeof *edges);
    if (!edges) return false;
    for (size_t i = 0; i < n; i++) {
        const takt_connection *c = &system->connections[i];
        const box *from = &p->boxes[c->from], *to = &p->boxes[c->to];
        edges[i] = (takt_layered_edge){
            from->node, to->node, find_port(from->outputs, from->n_outputs, c->from_variable)->y,
            find_port(to->inputs, to->n_inputs, c->to_variable)->y};
    }
    p->layout.edges = edges;
    p->layout.n_edges = (int)n;
    return true;
}

// How many connections that lead back pass beside each layer; numbers them.
static bool count_tracks(picture *p, int **beside_out)
{
    takt_layered *g = &p->layout;
    int *beside = takt_arena_array(&p->arena, 2 * (size_t)g->n_layers + 2, sizeof *beside);
    p->track = takt_arena_array(&p->arena, (size_t)g->n_edges, sizeof *p->track);
    if (!beside || !p->track) return false;
    for (int e = 0; e < g->n_edges; e++) {
        if (!g->is_back[e]) continue;
        int from = 2 * g->layer[g->edges[e].from] + 1, to = 2 * g->layer[g->edges[e].to];
        p->track[e] = beside[from] > beside[to] ? beside[from] : beside[to];
        beside[from]++;
        beside[to]++;
    }
    *beside_out = beside;
    return true;
}

static bool place_layers(picture *p)
{
    takt_layered *g = &p->layout;
    int *beside;
    size_t n = (size_t)g->n_layers;
    p->left = takt_arena_array(&p->arena, n, sizeof *p->left);
    p->right = takt_arena_array(&p->arena, n, sizeof *p->right);
    if (!p->left || !p->right || !count_tracks(p, &beside)) return false;
    for (int i = 0; i < g->n_nodes; i++) {
        double *width = &p->right[g->layer[i]];
        *width = fmax(*width, p->boxes[p->box_of[i]].width);
    }
    double x = MARGIN;
    for (int l = 0; l < g->n_layers; l++) {
        x += TRACK * beside[2 * l];
        p->left[l] = x;
        p->right[l] += x;
        x = p->right[l] + TRACK * beside[2 * l + 1] + LAYER_GAP;
    }
    for (int i = 0; i < g->n_nodes; i++) {
        box *b = &p->boxes[p->box_of[i]];
        int l = g->layer[i];
        b->x = p->left[l] + floor((p->right[l] - p->left[l] - b->width) / 2);
        b->y = HEAD + floor(g->y[i]);
        p->width = fmax(p->width, p->right[l] + TRACK * beside[2 * l + 1]);
        p->height = fmax(p->height, b->y + b->height);
    }
    p->width += MARGIN;
    return true;
}

// The layers between which an edge runs below the boxes.
static void span_of(const takt_layered *g, int e, int *low, int *high)
{
    int from = g->layer[g->edges[e].from], to = g->layer[g->edges[e].to];
    *low = from < to ? from : to;
    *high = from < to ? to : from;
}

// The lowest box of each layer.
static bool find_bottoms(picture *p, double **out)
{
    takt_layered *g = &p->layout;
    double *bottoms = *out = takt_arena_array(&p->arena, (size_t)g->n_layers, sizeof *bottoms);
    if (!bottoms) return false;
    for (int i = 0; i < g->n_nodes; i++) {
        const box *b = &p->boxes[p->box_of[i]];
        bottoms[g->layer[i]] = fmax(bottoms[g->layer[i]], b->y + b->height);
    }
    for (int e = 0; e < g->n_edges; e++) {
        int l = g->layer[g->edges[e].from] + 1, end = g->layer[g->edges[e].to];
        for (int k = l; k < end && g->ways[e]; k++)
            bottoms[k] = fmax(bottoms[k], HEAD + g->ways[e][k - l]);
    }
    return true;
}

// Connections that lead back run below the boxes between their ends, the longer ones below the shorter ones.
static bool place_back(picture *p)
{
    takt_layered *g = &p->layout;
    double *bottoms;
    p->back_y = takt_arena_array(&p->arena, (size_t)g->n_edges, sizeof *p->back_y);
    if (!p->back_y || !find_bottoms(p, &bottoms)) return false;
    for (int length = 0; length < g->n_layers; length++)
        for (int e = 0; e < g->n_edges; e++) {
            int low, high;
            if (!g->is_back[e]) continue;
            span_of(g, e, &low, &high);
            if (high - low != length) continue;
            double y = 0;
            for (int l = low; l <= high; l++) y = fmax(y, bottoms[l]);
            p->back_y[e] = y += 10;
            for (int l = low; l <= high; l++) bottoms[l] = y;
            p->height = fmax(p->height, y);
        }
    return true;
}

// Boxes without connections, row by row.
static void place_alone(picture *p)
{
    double x = MARGIN, y = p->layout.n_nodes ? p->height + NODE_GAP : HEAD;
    double most = fmax(p->width - MARGIN, MARGIN + ALONE_COLUMNS * 130);
    for (int i = 0; i < p->plan->system->n_components; i++) {
        box *b = &p->boxes[i];
        if (b->node >= 0) continue;
        if (x > MARGIN && x + b->width > most) {
            x = MARGIN;
            y += b->height + NODE_GAP / 2.0;
        }
        b->x = x;
        b->y = y;
        x += b->width + NODE_GAP;
        p->width = fmax(p->width, x - NODE_GAP + MARGIN);
        p->height = fmax(p->height, b->y + b->height);
    }
}

static bool lay_out(picture *p)
{
    bool ok = make_nodes(p) && make_edges(p) && takt_layered_place(&p->layout, &p->arena) &&
              place_layers(p) && place_back(p);
    if (ok) place_alone(p);
    return ok;
}

// ---- drawing -----------------------------------------------------------------------------------

static const char *line_colour(int loop)
{
    return loop ? colours[(loop - 1) % N_COLOURS][0] : "#6b757f";
}

static void add_text(picture *p, double x, double y, const char *class, const char *text, int most)
{
    takt_text_print(&p->svg, "<text class=\"%s\" x=\"%d\" y=\"%d\">", class, (int)x, (int)y);
    takt_svg_add_shortened(&p->svg, text, most);
    takt_text_add(&p->svg, "</text>\n");
}

static void add_title(picture *p, const char *a, const char *b, const char *c, const char *d)
{
    const char *const pieces[] = {a, b, c, d};
    takt_text_add(&p->svg, "<title>");
    for (int i = 0; i < 4; i++)
        if (pieces[i]) takt_svg_add_escaped(&p->svg, pieces[i], strlen(pieces[i]));
    takt_text_add(&p->svg, "</title>");
}

static void add_ports(picture *p, const box *b, bool is_input)
{
    const port *ports = is_input ? b->inputs : b->outputs;
    int n = is_input ? b->n_inputs : b->n_outputs;
    double x = is_input ? b->x : b->x + b->width;
    for (int i = 0; i < n; i++) {
        takt_text_print(&p->svg, "<circle cx=\"%d\" cy=\"%d\" r=\"3\" fill=\"%s\"/>\n", (int)x,
                        (int)(b->y + ports[i].y), line_colour(b->loop));
        add_text(p, is_input ? x + 9 : x - 9, b->y + ports[i].y + 4, is_input ? "port" : "port end",
                 variable_name(p, b->component, ports[i].variable), MOST_PORT);
    }
}

static void add_box(picture *p, const box *b)
{
    const char *ground = b->loop ? colours[(b->loop - 1) % N_COLOURS][1] : "#ffffff";
    const takt_model *model = p->plan->system->components[b->component].model;
    char number[16];
    snprintf(number, sizeof number, "%d", b->number);
    takt_text_add(&p->svg, "<g>");
    add_title(p, component_name(p, b->component), model->name ? ": " : NULL, model->name, NULL);
    takt_text_print(&p->svg,
                    "\n<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\" fill=\"%s\" "
                    "stroke=\"%s\"/>\n",
                    (int)b->x, (int)b->y, (int)b->width, (int)b->height, ground,
                    line_colour(b->loop));
    add_text(p, b->x + 10, b->y + 19, "name", component_name(p, b->component), MOST_NAME);
    add_text(p, b->x + b->width - 9, b->y + 18, "number end", number, 8);
    add_ports(p, b, true);
    add_ports(p, b, false);
    takt_text_add(&p->svg, "</g>\n");
}

static void add_curve(picture *p, double x1, double y1, double x2, double y2)
{
    double middle = floor((x1 + x2) / 2);
    takt_text_print(&p->svg, " C%d %d %d %d %d %d", (int)middle, (int)y1, (int)middle, (int)y2,
                    (int)x2, (int)y2);
}

static void add_forward(picture *p, int e, double x1, double y1, double x2, double y2)
{
    const takt_layered *g = &p->layout;
    int first = g->layer[g->edges[e].from], last = g->layer[g->edges[e].to];
    double x = p->right[first], y = y1;
    takt_text_print(&p->svg, "M%d %d H%d", (int)x1, (int)y1, (int)x);
    for (int l = first + 1; l < last && g->ways[e]; l++) {
        double way = HEAD + g->ways[e][l - first - 1];
        add_curve(p, x, y, p->left[l], way);
        takt_text_print(&p->svg, " H%d", (int)p->right[l]);
        x = p->right[l];
        y = way;
    }
    add_curve(p, x, y, p->left[last], y2);
    takt_text_print(&p->svg, " H%d", (int)x2);
}

static void add_backward(picture *p, int e, double x1, double y1, double x2, double y2)
{
    const takt_layered *g = &p->layout;
    double shift = 8 + TRACK * p->track[e];
    double out = p->right[g->layer[g->edges[e].from]] + shift;
    double in = p->left[g->layer[g->edges[e].to]] - shift;
    takt_text_print(&p->svg, "M%d %d H%d V%d H%d V%d H%d", (int)x1, (int)y1, (int)out,
                    (int)p->back_y[e], (int)in, (int)y2, (int)x2);
}

static void add_edge(picture *p, int e)
{
    const takt_connection *c = &p->plan->system->connections[e];
    const takt_layered_edge *edge = &p->layout.edges[e];
    const box *from = &p->boxes[c->from], *to = &p->boxes[c->to];
    int loop = from->loop == to->loop ? from->loop : 0;
    double x1 = from->x + from->width, y1 = from->y + edge->from_y, x2 = to->x,
           y2 = to->y + edge->to_y;
    takt_text_print(&p->svg, "<g stroke=\"%s\"><path class=\"edge\" d=\"", line_colour(loop));
    if (p->layout.is_back[e])
        add_backward(p, e, x1, y1, x2 - 4, y2);
    else
        add_forward(p, e, x1, y1, x2 - 4, y2);
    takt_text_print(&p->svg, "\"/><path fill=\"%s\" d=\"M%d %dl-7 -3.5v7z\"/>", line_colour(loop),
                    (int)x2 - 2, (int)y2);
    takt_text_add(&p->svg, "<title>");
    const char *const names[] = {
        component_name(p, c->from), ".", variable_name(p, c->from, c->from_variable), " \u2192 ",
        component_name(p, c->to),   ".", variable_name(p, c->to, c->to_variable)};
    for (int i = 0; i < 7; i++) takt_svg_add_escaped(&p->svg, names[i], strlen(names[i]));
    takt_text_add(&p->svg, "</title></g>\n");
}

static const char *algorithm_of(const picture *p, const takt_block *block)
{
    return takt_algorithm_name(takt_plan_predicts(p->plan) ? TAKT_ALGORITHM_AUTO
                                                           : block->algorithm);
}

// "loop 1 (algebraic), auto: Part2, Part3"
static void add_legend(picture *p, double y)
{
    enum { MOST_MEMBERS = 8 };
    int loop = 0;
    for (int b = 0; b < p->plan->n_blocks; b++) {
        const takt_block *block = &p->plan->blocks[b];
        takt_text text = {0};
        if (!block->is_loop) continue;
        loop++;
        takt_text_print(&text, "loop %d%s, %s: ", loop, block->is_algebraic ? " (algebraic)" : "",
                        algorithm_of(p, block));
        for (int k = 0; k < block->n_members && k < MOST_MEMBERS; k++)
            takt_text_print(&text, "%s%s", k ? ", " : "", component_name(p, block->members[k]));
        if (block->n_members > MOST_MEMBERS)
            takt_text_print(&text, " and %d more", block->n_members - MOST_MEMBERS);
        takt_text_print(
            &p->svg, "<rect x=\"%d\" y=\"%d\" width=\"14\" height=\"10\" rx=\"2\" fill=\"%s\"/>\n",
            MARGIN, (int)y - 9, line_colour(loop));
        p->svg.failed |= text.failed;
        if (text.data) add_text(p, MARGIN + 22, y, "legend", text.data, 200);
        takt_text_clear(&text);
        y += LEGEND_ROW;
    }
}

static void add_head(picture *p, double width, double height)
{
    const takt_system *system = p->plan->system;
    takt_text_print(&p->svg,
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                    "viewBox=\"0 0 %d %d\" role=\"img\">\n",
                    (int)width, (int)height, (int)width, (int)height);
    add_title(p, system->project->name, NULL, NULL, NULL);
    takt_text_add(&p->svg,
                  "\n<style>\ntext { font: 12px sans-serif; fill: #1a2026 }\n"
                  ".title { font-size: 15px; font-weight: bold }\n.name { font-weight: bold }\n"
                  ".port, .legend { font-size: 11px; fill: #525c66 }\n"
                  ".number { font-size: 11px; fill: #525c66 }\n.end { text-anchor: end }\n"
                  ".edge { fill: none; stroke-width: 1.4 }\n</style>\n"
                  "<rect width=\"100%\" height=\"100%\" fill=\"#f3f5f6\"/>\n");
    add_text(p, MARGIN, 26, "title", system->project->name, 60);
}

static double least_width(const picture *p)
{
    double width = MARGIN * 2 + 9.5 * takt_svg_count_characters(p->plan->system->project->name);
    return fmax(fmin(width, 600), p->n_loops ? 480 : 220);
}

char *takt_plan_picture(const takt_plan *plan)
{
    picture p = {.plan = plan};
    if (make_boxes(&p) && lay_out(&p)) {
        double height = p.height + MARGIN + LEGEND_ROW * (p.n_loops + 1);
        add_head(&p, fmax(p.width, least_width(&p)), height);
        for (int e = 0; e < p.layout.n_edges; e++) add_edge(&p, e);
        for (int i = 0; i < plan->system->n_components; i++) add_box(&p, &p.boxes[i]);
        add_text(&p, MARGIN, p.height + MARGIN + 8, "legend", "numbers: calling order", 200);
        add_legend(&p, p.height + MARGIN + 8 + LEGEND_ROW);
        takt_text_add(&p.svg, "</svg>\n");
    } else {
        p.svg.failed = true;
    }
    takt_arena_clear(&p.arena);
    return takt_text_take(&p.svg);
}

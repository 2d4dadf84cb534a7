// SPDX-License-Identifier: MIT
// SVG as PNG or PDF; see render.h. Of librsvg and cairo only a few functions are used, which have been the same for many years; they
// are declared here, so that their headers are not needed.
#include "record/render.h"

#include <dlfcn.h>
#include <string.h>

typedef struct rectangle {
    double x, y, width, height;
} rectangle;

// A piece of a file; 0: go on.
typedef int write_fn(void *closure, const unsigned char *data, unsigned int length);

typedef struct renderer {
    void *(*handle_new)(const unsigned char *data, size_t size, void **error);
    int (*render)(void *handle, void *cairo, const rectangle *viewport, void **error);
    void (*unref)(void *object);
    void *(*image_create)(int format, int width, int height);
    void *(*pdf_create)(write_fn *write, void *closure, double width, double height);
    void *(*create)(void *surface);
    void (*destroy)(void *cairo);
    int (*cairo_status)(void *cairo);
    void (*surface_finish)(void *surface);
    int (*surface_status)(void *surface);
    void (*surface_destroy)(void *surface);
    int (*write_png)(void *surface, write_fn *write, void *closure);
} renderer;

enum { CAIRO_ARGB32 = 0, CAIRO_STATUS_WRITE_ERROR = 11 };

static const char LIBRARY[] = "librsvg-2.so.2";

// Finds all functions. Returns the name of one that is missing; NULL: none is.
static const char *find_functions(void *library, renderer *out)
{
    const struct {
        const char *name;
        void *target;
    } list[] = {{"rsvg_handle_new_from_data", &out->handle_new},
                {"rsvg_handle_render_document", &out->render},
                {"g_object_unref", &out->unref},
                {"cairo_image_surface_create", &out->image_create},
                {"cairo_pdf_surface_create_for_stream", &out->pdf_create},
                {"cairo_create", &out->create},
                {"cairo_destroy", &out->destroy},
                {"cairo_status", &out->cairo_status},
                {"cairo_surface_finish", &out->surface_finish},
                {"cairo_surface_status", &out->surface_status},
                {"cairo_surface_destroy", &out->surface_destroy},
                {"cairo_surface_write_to_png_stream", &out->write_png}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        void *function = dlsym(library, list[i].name); // also in the libraries that it needs
        if (!function) return list[i].name;
        memcpy(list[i].target, &function, sizeof function);
    }
    return NULL;
}

static int add_piece(void *closure, const unsigned char *data, unsigned int length)
{
    takt_text *out = closure;
    takt_text_add_n(out, (const char *)data, length);
    return out->failed ? CAIRO_STATUS_WRITE_ERROR : 0;
}

static takt_status draw(const renderer *r, const char *svg, size_t size, void *surface,
                        const rectangle *area, takt_error *err)
{
    void *handle = r->handle_new((const unsigned char *)svg, size, NULL);
    if (!handle) return takt_fail(err, TAKT_ERR_OUTPUT, "%s cannot read the picture", LIBRARY);
    void *cairo = r->create(surface);
    bool ok = r->render(handle, cairo, area, NULL) && r->cairo_status(cairo) == 0;
    r->destroy(cairo);
    r->unref(handle);
    return ok ? TAKT_OK
              : takt_fail(err, TAKT_ERR_OUTPUT, "%s cannot draw the picture; is it too large?",
                          LIBRARY);
}

static takt_status render(const renderer *r, const char *svg, size_t size, const rectangle *area,
                          takt_render_format format, takt_text *out, takt_error *err)
{
    bool is_png = format == TAKT_RENDER_PNG;
    void *surface = is_png ? r->image_create(CAIRO_ARGB32, (int)area->width, (int)area->height)
                           : r->pdf_create(add_piece, out, 0.75 * area->width, 0.75 * area->height);
    rectangle scaled = *area;
    if (!is_png)
        scaled.width *= 0.75, scaled.height *= 0.75; // points of 1/72 in, pixels of 1/96 in
    takt_status st =
        r->surface_status(surface) == 0
            ? draw(r, svg, size, surface, &scaled, err)
            : takt_fail(err, TAKT_ERR_OUTPUT, "a picture of %g x %g pixels is too large",
                        area->width, area->height);
    bool is_written = true;
    if (!st && is_png) is_written = r->write_png(surface, add_piece, out) == 0;
    r->surface_finish(surface);
    if (!st && !is_png) is_written = r->surface_status(surface) == 0;
    r->surface_destroy(surface);
    if (out->failed) return takt_fail_memory(err);
    if (!st && !is_written) st = takt_fail(err, TAKT_ERR_OUTPUT, "cairo cannot write the picture");
    return st;
}

takt_status takt_render(const char *svg, size_t size, int width, int height,
                        takt_render_format format, takt_text *out, takt_error *err)
{
    renderer r;
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return takt_fail(err, TAKT_ERR_OUTPUT,
                         "PNG and PDF need the library %s, which is not installed (Debian: apt-get "
                         "install librsvg2-2); .svg needs nothing",
                         LIBRARY);
    // It stays loaded: the libraries that it needs cannot be unloaded.
    const char *missing = find_functions(library, &r);
    if (missing)
        return takt_fail(err, TAKT_ERR_OUTPUT, "%s has no function %s; another version is needed",
                         LIBRARY, missing);
    const rectangle area = {.width = width, .height = height};
    return render(&r, svg, size, &area, format, out, err);
}

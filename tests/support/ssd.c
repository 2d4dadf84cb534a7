// SPDX-License-Identifier: MIT
// Writing project files for tests; see ssd.h.
#include "support/ssd.h"

static void add_connector(takt_text *out, char *word)
{
    static const struct {
        const char *word, *kind;
    } kinds[] = {{"in", "input"}, {"out", "output"}, {"parameter", "parameter"}};
    char *name = strchr(word, ':');
    assert_non_null(name);
    *name++ = 0;
    const char *type = "Real";
    char *colon = strchr(name, ':');
    if (colon) {
        *colon = 0;
        type = colon + 1;
    }
    const char *kind = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].word, word) == 0) kind = kinds[i].kind;
    assert_non_null(kind);
    const char *attribute = strcmp(type, "Enumeration") == 0 ? " name=\"E\"" : "";
    takt_text_print(
        out, "          <ssd:Connector name=\"%s\" kind=\"%s\"><ssc:%s%s/></ssd:Connector>\n", name,
        kind, type, attribute);
}

void test_ssd_component(test_ssd *ssd, const char *name, const char *fmu, const char *connectors)
{
    takt_text *out = &ssd->components;
    bool is_path = strchr(fmu, '/');
    takt_text_print(out, "      <ssd:Component name=\"%s\" source=\"%s%s%s\">\n", name,
                    is_path ? "" : "fmus/", fmu, is_path ? "" : ".fmu");
    if (connectors && *connectors) {
        takt_text_add(out, "        <ssd:Connectors>\n");
        char *words = strdup(connectors), *rest = NULL;
        assert_non_null(words);
        for (char *w = strtok_r(words, " ", &rest); w; w = strtok_r(NULL, " ", &rest))
            add_connector(out, w);
        free(words);
        takt_text_add(out, "        </ssd:Connectors>\n");
    }
    takt_text_add(out, "      </ssd:Component>\n");
}

void test_ssd_connect(test_ssd *ssd, const char *from, const char *to)
{
    const char *from_dot = strchr(from, '.'), *to_dot = strchr(to, '.');
    assert_non_null(from_dot);
    assert_non_null(to_dot);
    takt_text_print(&ssd->connections,
                    "      <ssd:Connection startElement=\"%.*s\" startConnector=\"%s\" "
                    "endElement=\"%.*s\" endConnector=\"%s\"/>\n",
                    (int)(from_dot - from), from, from_dot + 1, (int)(to_dot - to), to, to_dot + 1);
}

static void add_experiment(takt_text *out, double start, double stop, const char *settings)
{
    takt_text_print(out, "  <ssd:DefaultExperiment startTime=\"%.17g\" stopTime=\"%.17g\"", start,
                    stop);
    if (!settings) {
        takt_text_add(out, "/>\n");
        return;
    }
    takt_text_print(out,
                    ">\n    <ssd:Annotations>\n"
                    "      <ssc:Annotation type=\"org.takt.experiment\">\n"
                    "        <takt:Experiment xmlns:takt=\"https://takt.org/experiment\" %s/>\n"
                    "      </ssc:Annotation>\n    </ssd:Annotations>\n"
                    "  </ssd:DefaultExperiment>\n",
                    settings);
}

void test_ssd_print(test_ssd *ssd, test_sandbox *box, const char *name, double start, double stop,
                    const char *settings)
{
    takt_text out = {0};
    takt_text_add(&out,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<ssd:SystemStructureDescription name=\"test\" version=\"1.0\"\n"
                  "    xmlns:ssd=\"http://ssp-standard.org/SSP1/SystemStructureDescription\"\n"
                  "    xmlns:ssc=\"http://ssp-standard.org/SSP1/SystemStructureCommon\"\n"
                  "    xmlns:ssv=\"http://ssp-standard.org/SSP1/SystemStructureParameterValues\">\n"
                  "  <ssd:System name=\"root\">\n    <ssd:Elements>\n");
    takt_text_add(&out, ssd->components.data ? ssd->components.data : "");
    takt_text_add(&out, "    </ssd:Elements>\n    <ssd:Connections>\n");
    takt_text_add(&out, ssd->connections.data ? ssd->connections.data : "");
    takt_text_add(&out, "    </ssd:Connections>\n  </ssd:System>\n");
    add_experiment(&out, start, stop, settings);
    takt_text_add(&out, "</ssd:SystemStructureDescription>\n");
    assert_false(out.failed);
    test_write_text(box, name, out.data);
    takt_text_clear(&out);
    takt_text_clear(&ssd->components);
    takt_text_clear(&ssd->connections);
}

// The beginning of the path "../../build/fmus" that ends at `at`.
static const char *first_dot(const char *text, const char *at)
{
    while (at - text >= 3 && strncmp(at - 3, "../", 3) == 0) at -= 3;
    return at;
}

void test_ssd_copy(test_sandbox *box, const char *path, const char *name)
{
    static const char folder[] = "build/fmus";
    char *text = test_read_path(path, NULL);
    if (!text) fail_msg("there is no file %s", path);
    takt_text out = {0};
    const char *rest = text;
    for (const char *at; (at = strstr(rest, folder)); rest = at + sizeof folder - 1) {
        takt_text_add_n(&out, rest, (size_t)(first_dot(rest, at) - rest));
        takt_text_add(&out, "fmus");
    }
    takt_text_add(&out, rest);
    free(text);
    assert_false(out.failed);
    test_write_text(box, name, out.data);
    takt_text_clear(&out);
}

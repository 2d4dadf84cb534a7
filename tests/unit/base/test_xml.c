// SPDX-License-Identifier: MIT
#include "support/test.h"

#include "base/text.h"
#include "base/xml.h"
#include "base/xml_tree.h"

static takt_xml_reader *open_text(const char *text, size_t size)
{
    takt_xml_reader *reader = NULL;
    takt_error err = {0};
    assert_int_equal(takt_xml_open_memory(text, size, "a.xml", &reader, &err), TAKT_OK);
    return reader;
}

// Reads to the end and writes all events as one line: "<root a><b></b></root>".
static takt_status trace(const char *text, size_t size, takt_text *out, takt_error *err)
{
    takt_xml_reader *reader = open_text(text, size);
    takt_status st = TAKT_OK;
    takt_xml_event event = TAKT_XML_START;
    while (!st && event != TAKT_XML_DONE) {
        st = takt_xml_next(reader, &event, err);
        if (st || event == TAKT_XML_DONE) break;
        const char *a = event == TAKT_XML_START ? takt_xml_attribute(reader, "a") : NULL;
        if (event == TAKT_XML_START)
            takt_text_print(out, "<%s%s%s>", takt_xml_name(reader), a ? " " : "", a ? a : "");
        else
            takt_text_print(out, "%s</%s>", takt_xml_text(reader), takt_xml_name(reader));
    }
    takt_xml_close(reader);
    return st;
}

static void assert_trace(const char *text, size_t size, const char *expected)
{
    takt_text out = {0};
    takt_error err = {0};
    assert_int_equal(trace(text, size, &out, &err), TAKT_OK);
    assert_string_equal(out.data, expected);
    takt_text_clear(&out);
    takt_xml_tree *tree = NULL;
    assert_int_equal(takt_xml_tree_open_memory(text, size, "a.xml", &tree, &err), TAKT_OK);
    takt_xml_tree_close(tree);
}

static void assert_refused(const char *text, size_t size, const char *message)
{
    takt_text out = {0};
    takt_error err = {0};
    assert_int_equal(trace(text, size, &out, &err), TAKT_ERR_INPUT);
    assert_contains(err.message, message);
    takt_text_clear(&out);
    takt_xml_tree *tree = NULL;
    err = (takt_error){0};
    assert_int_equal(takt_xml_tree_open_memory(text, size, "a.xml", &tree, &err), TAKT_ERR_INPUT);
    assert_contains(err.message, message);
    assert_null(tree);
}

static void stream_gives_starts_ends_attributes_and_texts(void **state)
{
    (void)state;
    const char *text = "<?xml version=\"1.0\"?>\n<r a='1'><!-- c --><b a='x &amp; &lt;y&gt; "
                       "&#38;amp; &quot;'/><c>t &amp;<![CDATA[<u>]]></c></r>";
    assert_trace(text, strlen(text), "<r 1><b x & <y> &amp; \"></b><c>t &<u></c></r>");
}

static void stream_knows_lines_and_depths_and_leaves_prefixes_out(void **state)
{
    (void)state;
    const char *text = "<r>\n\n<x:b xmlns:x='urn:x'\n x:a='1'\n/>\n</r>";
    takt_xml_reader *reader = open_text(text, strlen(text));
    takt_xml_event event;
    assert_int_equal(takt_xml_next(reader, &event, NULL), TAKT_OK);
    assert_int_equal(takt_xml_next(reader, &event, NULL), TAKT_OK);
    assert_string_equal(takt_xml_name(reader), "b");
    assert_null(takt_xml_attribute(reader, "a"));
    assert_int_equal(takt_xml_line(reader), 3);
    assert_int_equal(takt_xml_depth(reader), 2);
    takt_xml_close(reader);
}

static void line_numbers_have_no_limit(void **state)
{
    (void)state;
    takt_text text = {0};
    takt_text_add(&text, "<r>");
    for (int i = 0; i < 70000; i++) takt_text_add(&text, "\n");
    takt_text_add(&text, "<b\na='1'/></r>");
    takt_xml_tree *tree = NULL;
    assert_int_equal(takt_xml_tree_open_memory(text.data, text.length, "a.xml", &tree, NULL),
                     TAKT_OK);
    const takt_xml_element *b = takt_xml_first_child(takt_xml_tree_root(tree), NULL, "b");
    assert_int_equal(takt_xml_element_line(b), 70001);
    takt_xml_tree_close(tree);
    takt_text_clear(&text);
}

static void attributes_are_found_by_number(void **state)
{
    (void)state;
    static const char text[] = "<a x='1' n:y='2' xmlns:n='urn:n' z='3'><b/></a>";
    takt_xml_reader *reader = NULL;
    takt_xml_event event;
    assert_int_equal(takt_xml_open_memory(text, sizeof text - 1, "t", &reader, NULL), TAKT_OK);
    assert_int_equal(takt_xml_next(reader, &event, NULL), TAKT_OK);
    assert_string_equal(takt_xml_attribute_name(reader, 0), "x");
    assert_string_equal(takt_xml_attribute_name(reader, 1), "z"); // others have a namespace
    assert_null(takt_xml_attribute_name(reader, 2));
    assert_int_equal(takt_xml_next(reader, &event, NULL), TAKT_OK);
    assert_null(takt_xml_attribute_name(reader, 0));
    takt_xml_close(reader);
}

static void skip_goes_to_the_end_of_the_element(void **state)
{
    (void)state;
    const char *text = "<r><b><b/><c/></b><d/></r>";
    takt_xml_reader *reader = open_text(text, strlen(text));
    takt_xml_event event;
    takt_xml_next(reader, &event, NULL);
    takt_xml_next(reader, &event, NULL);
    assert_int_equal(takt_xml_skip(reader, NULL), TAKT_OK);
    assert_string_equal(takt_xml_name(reader), "b");
    takt_xml_next(reader, &event, NULL);
    assert_string_equal(takt_xml_name(reader), "d");
    takt_xml_close(reader);
}

static void encodings_become_utf8(void **state)
{
    (void)state;
    const char latin[] = "<?xml version='1.0' encoding='ISO-8859-1'?><r a='\xb0"
                         "C'/>";
    assert_trace(latin, sizeof latin - 1,
                 "<r \xc2\xb0"
                 "C></r>");
    const char utf16[] = "\xff\xfe<\0r\0 \0a\0=\0'\0\xb0\0'\0/\0>\0";
    assert_trace(utf16, sizeof utf16 - 1, "<r \xc2\xb0></r>");
    const char bom[] = "\xef\xbb\xbf<r a='1'/>";
    assert_trace(bom, sizeof bom - 1, "<r 1></r>");
    const char wrong[] = "<r a='\xb0'/>";
    assert_refused(wrong, sizeof wrong - 1, "a.xml:1: Input is not proper UTF-8");
    const char utf7[] = "<?xml version='1.0' encoding='UTF-7'?><r a='\xff\xff'/>";
    assert_refused(utf7, sizeof utf7 - 1, "a.xml:1: ");
    const char unknown[] = "<?xml version='1.0' encoding='klingon'?><r/>";
    assert_refused(unknown, sizeof unknown - 1, "a.xml:1: ");
}

static void cr_line_ends_are_fine(void **state)
{
    (void)state;
    const char *text = "<?xml version='1.0'?>\r<r>\r<b/>\r</r>\r";
    assert_trace(text, strlen(text), "<r><b></b>\n</r>");
}

static void malformed_documents_are_refused_with_their_line(void **state)
{
    (void)state;
    const char *const bad[][2] = {
        {"<r>\n<b></c></r>", "a.xml:2: Opening and ending tag mismatch"},
        {"<r>\n<b a=1/></r>", "a.xml:2: AttValue"},
        {"<r a='1' a='2'/>", "a.xml:1: Attribute a redefined"},
        {"<r>", "a.xml:1: the document ends too early"},
        {"<r><b a='1", "a.xml:1: "},
        {"", "a.xml:1: is not an XML document"},
        {"hello", "a.xml:1: is not an XML document"},
        {"<r/><r/>", "a.xml:1: Extra content"},
        {"<r>&nbsp;</r>", "a.xml:1: Entity 'nbsp' not defined"},
        {"<r a='&nbsp;'/>", "a.xml:1: Entity 'nbsp' not defined"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_refused(bad[i][0], strlen(bad[i][0]), bad[i][1]);
}

static void doctype_is_refused_before_its_entities_act(void **state)
{
    (void)state;
    const char *const bad[] = {
        "<!DOCTYPE r><r/>",
        "<?xml version='1.0'?>\n<!DOCTYPE r SYSTEM 'file:///etc/passwd'><r/>",
        "<!DOCTYPE r [<!ENTITY a 'aaaa'>]><r a='&a;'>&a;</r>",
        "<!DOCTYPE r [<!ENTITY % p SYSTEM 'http://localhost/x'> %p;]><r/>",
        "<!DOCTYPE r [<!ATTLIST r a CDATA 'default'>]><r/>",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_refused(bad[i], strlen(bad[i]), "a DOCTYPE is not allowed");
}

static void excessive_depth_is_refused(void **state)
{
    (void)state;
    takt_text text = {0};
    for (int i = 0; i <= TAKT_XML_MAX_DEPTH; i++) takt_text_add(&text, "<a>");
    for (int i = 0; i <= TAKT_XML_MAX_DEPTH; i++) takt_text_add(&text, "</a>");
    assert_refused(text.data, text.length, "a.xml:1: elements are nested too deeply");
    takt_text_clear(&text);
}

static void excessive_attributes_are_refused_quickly(void **state)
{
    (void)state;
    for (int n = 1001; n < 1000000; n *= 10) {
        takt_text text = {0};
        takt_text_add(&text, "<a ");
        for (int i = 0; i < n; i++) takt_text_print(&text, "x%d=\"\" ", i);
        takt_text_add(&text, "/>");
        assert_refused(text.data, text.length, "a.xml:1: an element has more than 1000 attributes");
        takt_text_clear(&text);
    }
}

static void long_values_and_files_cross_pieces(void **state)
{
    (void)state;
    takt_text text = {0}, expected = {0};
    takt_text_add(&text, "<r a='");
    takt_text_add(&expected, "<r ");
    for (int i = 0; i < 100000; i++) takt_text_add(&text, "12 "), takt_text_add(&expected, "12 ");
    takt_text_add(&text, "'>");
    takt_text_add(&expected, ">");
    for (int i = 0; i < 50000; i++) takt_text_add(&text, "<b a='v'>t</b>");
    for (int i = 0; i < 50000; i++) takt_text_add(&expected, "<b v>t</b>");
    takt_text_add(&text, "</r>");
    takt_text_add(&expected, "</r>");
    assert_trace(text.data, text.length, expected.data);
    takt_text_clear(&text);
    takt_text_clear(&expected);
}

static void tree_is_walked_by_namespace_and_name(void **state)
{
    (void)state;
    const char *text = "<r xmlns='urn:r' xmlns:x='urn:x'>\n <b a='1 &amp; 2' e=''>t<i>u</i></b>\n"
                       " text <x:b a='2'/><b x:a='3'/></r>";
    takt_xml_tree *tree = NULL;
    assert_int_equal(takt_xml_tree_open_memory(text, strlen(text), "a.xml", &tree, NULL), TAKT_OK);
    const takt_xml_element *root = takt_xml_tree_root(tree);
    assert_string_equal(takt_xml_element_name(root), "r");
    const takt_xml_element *b = takt_xml_first_child(root, "urn:r", "b");
    assert_string_equal(takt_xml_element_attribute(b, "a"), "1 & 2");
    assert_string_equal(takt_xml_element_attribute(b, "e"), "");
    assert_null(takt_xml_element_attribute(b, "z"));
    assert_int_equal(takt_xml_element_line(b), 2);
    takt_arena arena = {0};
    assert_string_equal(takt_xml_element_text(b, &arena), "tu");
    takt_arena_clear(&arena);
    const takt_xml_element *other = takt_xml_next_sibling(b, NULL, NULL);
    assert_string_equal(takt_xml_element_namespace(other), "urn:x");
    b = takt_xml_next_sibling(b, "urn:r", "b");
    assert_null(takt_xml_element_attribute(b, "a"));
    assert_null(takt_xml_next_sibling(b, NULL, NULL));
    takt_xml_tree_close(tree);
}

static void missing_files_are_named(void **state)
{
    (void)state;
    takt_error err = {0};
    takt_xml_reader *reader = NULL;
    assert_int_equal(takt_xml_open("/nonexistent/a", "a", &reader, &err), TAKT_ERR_INPUT);
    assert_string_equal(err.message, "/nonexistent/a: cannot be opened: No such file or directory");
    takt_xml_tree *tree = NULL;
    assert_int_equal(takt_xml_tree_open("/", "a", &tree, &err), TAKT_ERR_INPUT);
    assert_string_equal(err.message, "a: is not a file but a folder");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stream_gives_starts_ends_attributes_and_texts),
        cmocka_unit_test(stream_knows_lines_and_depths_and_leaves_prefixes_out),
        cmocka_unit_test(line_numbers_have_no_limit),
        cmocka_unit_test(attributes_are_found_by_number),
        cmocka_unit_test(skip_goes_to_the_end_of_the_element),
        cmocka_unit_test(encodings_become_utf8),
        cmocka_unit_test(cr_line_ends_are_fine),
        cmocka_unit_test(malformed_documents_are_refused_with_their_line),
        cmocka_unit_test(doctype_is_refused_before_its_entities_act),
        cmocka_unit_test(excessive_depth_is_refused),
        cmocka_unit_test(excessive_attributes_are_refused_quickly),
        cmocka_unit_test(long_values_and_files_cross_pieces),
        cmocka_unit_test(tree_is_walked_by_namespace_and_name),
        cmocka_unit_test(missing_files_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
#include "support/memory.h"
#include "support/test.h"

#include "base/xml_edit.h"

static const char original[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<!-- before -->\n"
    "<a:root xmlns:a=\"urn:a\">\n"
    "  <a:one x='1'/><!-- kept -->\n"
    "  <b:other xmlns:b=\"urn:b\" y=\"&lt;&amp;\"><![CDATA[raw]]></b:other>\n"
    "</a:root>\n";

static char *written(const takt_xml_tree *tree)
{
    char *text = NULL;
    size_t size = 0;
    takt_error err = {0};
    assert_int_equal(takt_xml_tree_write(tree, &text, &size, &err), TAKT_OK);
    assert_int_equal(strlen(text), size);
    return text;
}

static void what_is_not_changed_stays(void **state)
{
    (void)state;
    takt_xml_tree *tree = NULL;
    takt_error err = {0};
    assert_int_equal(takt_xml_tree_open_memory(original, strlen(original), "x.xml", &tree, &err),
                     TAKT_OK);
    takt_xml_element *root = takt_xml_edit_root(tree);
    takt_xml_element *one = takt_xml_edit_child(root, "urn:a", "one");
    assert_true(takt_xml_set_attribute(one, "x", "\"2\""));
    takt_xml_element *added = takt_xml_add_child(root, NULL, "a", "urn:a", "two");
    assert_non_null(takt_xml_add_child(added, NULL, "c", "urn:c", "three"));
    assert_non_null(takt_xml_add_child(root, one, "a", "urn:a", "zero"));
    char *text = written(tree);
    assert_string_equal(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                              "<!-- before -->\n"
                              "<a:root xmlns:a=\"urn:a\">\n"
                              "  <a:zero/>\n"
                              "  <a:one x=\"&quot;2&quot;\"/><!-- kept -->\n"
                              "  <b:other xmlns:b=\"urn:b\" y=\"&lt;&amp;\">raw</b:other>\n"
                              "  <a:two>\n"
                              "    <c:three xmlns:c=\"urn:c\"/>\n"
                              "  </a:two>\n"
                              "</a:root>\n");
    free(text);
    takt_xml_remove(takt_xml_edit_next(one, "urn:b", NULL));
    takt_xml_remove(added);
    assert_true(takt_xml_set_attribute(one, "x", NULL));
    text = written(tree);
    assert_contains(text, "  <a:one/><!-- kept -->\n</a:root>");
    free(text);
    takt_xml_tree_close(tree);
}

static void a_new_tree_has_lines_and_reads_back(void **state)
{
    (void)state;
    takt_xml_tree *tree = NULL, *again = NULL;
    takt_error err = {0};
    assert_int_equal(takt_xml_tree_create("a", "urn:a", "root", &tree, &err), TAKT_OK);
    takt_xml_element *root = takt_xml_edit_root(tree);
    assert_true(takt_xml_declare(root, "b", "urn:b"));
    assert_true(takt_xml_set_attribute(takt_xml_add_child(root, NULL, "b", "urn:b", "x"), "t",
                                       "a\nb<>&'\""));
    char *text = written(tree);
    assert_contains(text, "<a:root xmlns:a=\"urn:a\" xmlns:b=\"urn:b\">\n  <b:x t=");
    assert_int_equal(takt_xml_tree_open_memory(text, strlen(text), "x.xml", &again, &err), TAKT_OK);
    const takt_xml_element *x = takt_xml_first_child(takt_xml_tree_root(again), "urn:b", "x");
    assert_string_equal(takt_xml_element_attribute(x, "t"), "a\nb<>&'\"");
    takt_xml_tree_close(again);
    takt_xml_tree_close(tree);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_changed_stays),
        cmocka_unit_test(a_new_tree_has_lines_and_reads_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

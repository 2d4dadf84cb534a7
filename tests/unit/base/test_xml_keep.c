// SPDX-License-Identifier: MIT
// Tags that mean the same stay as they were written.
#include "base/xml_keep.h"

#include <stdlib.h>
#include <string.h>

#include "support/test.h"

static void assert_kept(const char *before, const char *after, const char *expected)
{
    takt_text out = {0};
    assert_true(takt_xml_keep(before, strlen(before), after, strlen(after), &out));
    assert_string_equal(out.data, expected);
    takt_text_clear(&out);
}

static void tags_keep_their_lines_quotes_and_order(void **state)
{
    (void)state;
    assert_kept("<a x=\"1\"\n   y='2'><b></b></a>", "<a y=\"2\" x=\"1\"><b/><c/></a>",
                "<a x=\"1\"\n   y='2'><b></b><c/></a>");
    assert_kept("<a  x = '1' />", "<a x=\"1\"/>", "<a  x = '1' />");
    assert_kept("<?xml version='1.0'?>\n<a/>", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<a/>",
                "<?xml version='1.0'?>\n<a/>");
}

static void tags_that_have_changed_are_new(void **state)
{
    (void)state;
    assert_kept("<a x='1'\n y='2'/>", "<a x=\"1\" y=\"3\"/>", "<a x=\"1\" y=\"3\"/>");
    assert_kept("<a x='1'/>", "<ab x=\"1\"/>", "<ab x=\"1\"/>");
    assert_kept("<a\n/>", "<a>text</a>", "<a>text</a>");
}

static void other_values_stand_in_the_old_tag(void **state)
{
    (void)state;
    assert_kept("<r>\n\t<a  x='1'\n\ty='2' /></r>", "<r><a y=\"3\" x=\"1\"/></r>",
                "<r>\n\t<a  x='1'\n\ty='3' /></r>");
    // Not where quotes forbid it, or attributes come and go.
    assert_kept("<r><a  x='1'/></r>", "<r><a x=\"it's\"/></r>", "<r><a x=\"it's\"/></r>");
    assert_kept("<r><a  x='1'/></r>", "<r><a x=\"1\" y=\"2\"/></r>", "<r><a x=\"1\" y=\"2\"/></r>");
}

static void texts_stay_as_they_were_written(void **state)
{
    (void)state;
    static const char before[] = "<r><a><![CDATA[ <x> & ]]>&#65;&apos;</a>\r\n <b>1&#10;2</b></r>";
    assert_kept(before, "<r><a> &lt;x&gt; &amp; A'</a>\n <b>1\n2</b></r>", before);
    assert_kept(before, "<r><a>other</a></r>", "<r><a>other</a></r>");
}

static void new_tags_stand_in_line_with_their_neighbours(void **state)
{
    (void)state;
    static const char before[] = "<r>\n\t<l>\n\t\t<a/>\n\t</l>\n</r>\n";
    assert_kept(before, "<r>\n  <l>\n    <a/>\n    <b>\n      <c/>\n    </b>\n  </l>\n</r>\n",
                "<r>\n\t<l>\n\t\t<a/>\n\t\t<b>\n\t\t\t<c/>\n\t\t</b>\n\t</l>\n</r>\n");
    assert_kept(before, "<r>\n  <l>\n    <b/>\n  </l>\n</r>\n",
                "<r>\n\t<l>\n\t\t<b/>\n\t</l>\n</r>\n");
}

// Equal tags of an element that is gone are not those of the next one.
static void what_is_removed_takes_nothing_else_along(void **state)
{
    (void)state;
    assert_kept("<r><a n='1'><x />\n</a><!-- of 2 -->\n<a n='2'> <x  /></a></r>",
                "<r><!-- of 2 --><a n=\"2\"><x/></a></r>",
                "<r><!-- of 2 -->\n<a n='2'> <x  /></a></r>");
}

static void equal_tags_are_taken_in_their_order(void **state)
{
    (void)state;
    assert_kept("<r><a  /><a   /></r>", "<r><a/><a/><a/></r>", "<r><a  /><a   /><a/></r>");
}

static void comments_and_text_are_no_tags(void **state)
{
    (void)state;
    assert_kept("<r><!-- <a  /> --><![CDATA[<a   />]]><a    /></r>",
                "<r><!-- <a  /> --><![CDATA[<a   />]]><a/></r>",
                "<r><!-- <a  /> --><![CDATA[<a   />]]><a    /></r>");
    assert_kept("<r x='>'  y='1'/>", "<r y=\"1\" x=\">\"/>", "<r x='>'  y='1'/>");
}

static void ends_of_lines_are_kept(void **state)
{
    (void)state;
    assert_kept("<a\r\n x='1'>\r\n</a>\r\n", "<a x=\"1\">\n<b/>\n</a>\n",
                "<a\r\n x='1'>\r\n<b/>\r\n</a>\r\n");
}

static void other_encodings_and_broken_texts_change_nothing(void **state)
{
    (void)state;
    assert_kept("<?xml version='1.0' encoding='ISO-8859-1'?><a  />", "<a/>", "<a/>");
    static const char *const broken[] = {"<",    "<a",        "<a x", "<a x=",  "<a x='",
                                         "<!--", "<![CDATA[", "</",   "<?xml ", "<a x=1>"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        assert_kept(broken[i], "<b/>", "<b/>");
        takt_text out = {0};
        assert_true(takt_xml_keep("<b  />", 6, broken[i], strlen(broken[i]), &out));
        assert_string_equal(out.data, broken[i]);
        takt_text_clear(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tags_keep_their_lines_quotes_and_order),
        cmocka_unit_test(tags_that_have_changed_are_new),
        cmocka_unit_test(other_values_stand_in_the_old_tag),
        cmocka_unit_test(texts_stay_as_they_were_written),
        cmocka_unit_test(new_tags_stand_in_line_with_their_neighbours),
        cmocka_unit_test(what_is_removed_takes_nothing_else_along),
        cmocka_unit_test(equal_tags_are_taken_in_their_order),
        cmocka_unit_test(comments_and_text_are_no_tags),
        cmocka_unit_test(ends_of_lines_are_kept),
        cmocka_unit_test(other_encodings_and_broken_texts_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

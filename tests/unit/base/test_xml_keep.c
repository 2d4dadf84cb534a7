// SPDX-License-Identifier: MIT
// Tags that mean the same stay as they were written.
#include "base/xml_keep.h"

#include <stdlib.h>
#include <string.h>

#include "support/memory.h"
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
    assert_kept("<r><a  x='1'/></r>", "<r><a x=\"it's\"/></r>", "<r><a  x='it&apos;s'/></r>");
    assert_kept("<r><a  x='1'/></r>", "<r><a x=\"&quot;\"/></r>", "<r><a  x='&quot;'/></r>");
}

static void attributes_come_and_go_in_the_old_tag(void **state)
{
    (void)state;
    assert_kept("<r><a  x='1' /></r>", "<r><a x=\"1\" y=\"2\"/></r>",
                "<r><a  x='1' y=\"2\" /></r>");
    assert_kept("<r><a  x='1'\n z='3' y=\"2\"/></r>", "<r><a y=\"2\" x=\"5\"/></r>",
                "<r><a  x='5' y=\"2\"/></r>");
    assert_kept("<r><a x='1'/></r>", "<r><a/></r>", "<r><a/></r>");
    // An element gets its first child, or loses its last one.
    assert_kept("<r><a  x='1' /></r>", "<r><a x=\"1\"><b/></a></r>", "<r><a  x='1'><b/></a></r>");
    assert_kept("<r><a  x='1'></a></r>", "<r><a x=\"1\"><b/></a></r>", "<r><a  x='1'><b/></a></r>");
    assert_kept("<r><a  x='1'><b/></a></r>", "<r><a x=\"1\"/></r>", "<r><a  x='1'/></r>");
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
    // Also where they are mixed; new lines end as the first one.
    assert_kept("<a>\r\n<b/>\n <!--1\n2-->\r\n</a>\n",
                "<a>\n<b/>\n <!--1\n2-->\n<c>1\n2</c>\n</a>\n",
                "<a>\r\n<b/>\n <!--1\n2-->\r\n<c>1\r\n2</c>\r\n</a>\n");
}

static void encodings_are_kept(void **state)
{
    (void)state;
    static const char latin[] = "<?xml version='1.0' encoding='ISO-8859-1'?>\n<!-- \xfc -->"
                                "<a  x='\xfc'  y='1'/>";
    assert_kept(latin, "<?xml version=\"1.0\"?><!-- \xc3\xbc --><a x=\"\xc3\xbc\" y=\"1\"/>",
                latin);
    assert_kept(latin,
                "<?xml version=\"1.0\"?><!-- \xc3\xbc --><a x=\"\xe2\x82\xac\" y=\"\xc3\x9f\"/>",
                "<?xml version='1.0' encoding='ISO-8859-1'?>\n<!-- \xfc -->"
                "<a  x='&#8364;'  y='\xdf'/>"); // it has no euro
    assert_kept("\xef\xbb\xbf<a  />", "<?xml version=\"1.0\"?>\n<a/>", "\xef\xbb\xbf<a  />");
    static const char wide[] = "\xff\xfe<\0a\0 \0 \0/\0>";
    takt_text out = {0};
    assert_true(takt_xml_keep(wide, sizeof wide, "<a/>", 4, &out));
    assert_int_equal(out.length, sizeof wide);
    assert_memory_equal(out.data, wide, sizeof wide);
    takt_text_clear(&out);
}

static void characters_may_be_written_as_numbers(void **state)
{
    (void)state;
    static const char before[] = "<r><a x='&#xFC;&#8364;&#x1F600;'  y='&#x7ff;&#x800;'/></r>";
    assert_kept(before,
                "<r><a x=\"\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80\" y=\"\xdf\xbf\xe0\xa0\x80\"/></r>",
                before);
}

// libxml2 always writes one.
static void texts_without_a_declaration_get_none(void **state)
{
    (void)state;
    assert_kept("<a  />", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<a/>", "<a  />");
}

static void unknown_encodings_and_broken_texts_change_nothing(void **state)
{
    (void)state;
    assert_kept("<?xml version='1.0' encoding='no-such-one'?><a  />", "<a/>", "<a/>");
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

static void attempt(void *context)
{
    (void)context;
    static const char before[] = "<?xml version='1.0' encoding='ISO-8859-1'?><a  x='\xfc'/>";
    static const char after[] = "<?xml version=\"1.0\"?><a x=\"\xe2\x82\xac\"/>";
    takt_text out = {0};
    if (takt_xml_keep(before, strlen(before), after, strlen(after), &out))
        assert_string_equal(out.data,
                            "<?xml version='1.0' encoding='ISO-8859-1'?><a  x='&#8364;'/>");
    else
        assert_true(test_memory_has_failed());
    takt_text_clear(&out);
}

static void exhausted_memory_is_told(void **state)
{
    (void)state;
    assert_true(test_memory_fail_each(attempt, NULL) >= 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tags_keep_their_lines_quotes_and_order),
        cmocka_unit_test(tags_that_have_changed_are_new),
        cmocka_unit_test(other_values_stand_in_the_old_tag),
        cmocka_unit_test(attributes_come_and_go_in_the_old_tag),
        cmocka_unit_test(texts_stay_as_they_were_written),
        cmocka_unit_test(new_tags_stand_in_line_with_their_neighbours),
        cmocka_unit_test(what_is_removed_takes_nothing_else_along),
        cmocka_unit_test(equal_tags_are_taken_in_their_order),
        cmocka_unit_test(comments_and_text_are_no_tags),
        cmocka_unit_test(ends_of_lines_are_kept),
        cmocka_unit_test(encodings_are_kept),
        cmocka_unit_test(characters_may_be_written_as_numbers),
        cmocka_unit_test(texts_without_a_declaration_get_none),
        cmocka_unit_test(exhausted_memory_is_told),
        cmocka_unit_test(unknown_encodings_and_broken_texts_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

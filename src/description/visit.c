// SPDX-License-Identifier: MIT
// Visiting elements by tables; see visit.h. What a table does not name is checked by the grammar, then skipped.
#include "description/visit.h"

#include <string.h>

#include "description/grammar.h"

takt_status takt_description_children(takt_description_reader *reader,
                                      const takt_element_rule *rules, takt_error *err)
{
    takt_xml_event event;
    takt_status st;
    takt_grammar_place place = takt_grammar_enter(reader);
    while (!(st = takt_xml_next(reader->xml, &event, err)) && event == TAKT_XML_START) {
        const takt_element_rule *rule = rules;
        while (rule->name && strcmp(rule->name, takt_xml_name(reader->xml)) != 0) rule++;
        takt_grammar_check(reader, &place);
        st = rule->name ? rule->read(reader, err) : takt_xml_skip(reader->xml, err);
        if (!st && reader->out_of_memory) st = takt_fail_memory(err);
        if (st) return st;
    }
    return st;
}

// SPDX-License-Identifier: MIT
// A text that grows, for answers that are written rather than built.
#ifndef TAKT_APP_UI_TEXT_H
#define TAKT_APP_UI_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/// Starts as {0}. What comes after exhausted memory is lost.
typedef struct ui_text {
    char *data; ///< ended by a 0; NULL: empty
    size_t size, capacity;
    bool is_failed; ///< memory was exhausted
} ui_text;

void ui_text_print(ui_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ui_text_add(ui_text *text, const char *data, size_t size);

/// A number as JSON has it, exactly; what is no finite number becomes null. With a comma before.
void ui_text_number(ui_text *text, double value, bool has_comma);

/// Text within HTML: & < > and quotes are replaced.
void ui_text_html(ui_text *text, const char *plain);

/// A text as JSON. Names may be no UTF-8, which JSON cannot hold: bytes above 127 become '_' then. NULL: memory was exhausted.
struct json_t *ui_text_json(const char *text);

/// Hands the text to the caller, who frees it; NULL: memory was exhausted.
char *ui_text_take(ui_text *text);

#endif

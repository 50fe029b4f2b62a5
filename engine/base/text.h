/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/* Text that comes from files and command lines. */

/**
 * sluice_text_check_name:
 * @what: "the name of a run", for the message
 *
 * A name that people and scripts can use again: 1 to 255 bytes of UTF-8, no control characters or
 * such that turn the direction of text, no blank at either end, not "#" and digits (which say a run
 * by its number).
 *
 * Returns: %FALSE with INVALID_ARGUMENT, which shows the name escaped
 */
gboolean sluice_text_check_name (const char *what, const char *name, GError **error);

/* No character that a terminal obeys, or that turns the direction of text; tabs may be. */
gboolean sluice_text_is_visible (const char *text);

/* In the fewest digits that read back as the same number, of a float's bits or of a double's:
 * "0.003", "1000000". (transfer full) */
char *sluice_text_dup_number (double value, gboolean is_float);

/* "500000", "64M", "2G": FALSE where it is none, 0, or more than memory can be. */
gboolean sluice_text_parse_size (const char *text, gsize *bytes);

/* JSON parsers call themselves: whether no bracket lies deeper than that is seen before they begin.
 */
gboolean sluice_text_is_shallow_json (const char *text, gsize length, guint max_depth);

/**
 * sluice_text_escape:
 * @text: any bytes
 *
 * Returns: (transfer full): UTF-8 that a terminal shows as it stands: control characters, those
 * that turn the direction of text and bytes that are no UTF-8 as \n, \x1b, \u202e
 */
char *sluice_text_escape (const char *text);

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <cairo.h>
#include <glib.h>

/* More have no widgets at once, and would be more paper than anybody wants. */
#define SLUICE_MOST_PRINTED_CARDS 400

/* Have all widgets that there are a size? */
gboolean sluice_cards_are_placed (GPtrArray *cards);
/* Draws a sheet of the cards (element-type SluiceTagCard) that have a widget, two in a row; @cr:
 * (nullable). Returns: how many sheets there are */
guint sluice_print_cards (GPtrArray *cards, cairo_t *cr, guint sheet, double width, double height);

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

/* The cards that are laid out, two beside each other, as SluicePageInterface.print wants it.
 * (element-type SluiceTagCard) */
guint sluice_print_cards (GPtrArray *cards, cairo_t *cr, guint sheet, double width, double height);

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Widths of labels without a display, on any thread: sums of advances where letters stand alone
 * (Latin, signs, arrows), Pango's layout of the text where they do not. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Pixels that @text, UTF-8, takes at @size pixels. Kerning of Latin is left out, which errs by a
 * pixel or two. */
double sluice_text_width (const char *text, double size, gboolean bold);

G_END_DECLS

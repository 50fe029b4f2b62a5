/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Widths of labels without a display, on any thread: a table of advances, measured once with Pango.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Pixels that @text takes at @size pixels; kerning and shaping are left out, which errs by a pixel
 * or two. */
double sluice_text_width (const char *text, double size, gboolean bold);

G_END_DECLS

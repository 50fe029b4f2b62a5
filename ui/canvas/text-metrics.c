/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/text-metrics.h"

#include <pango/pangocairo.h>

#define FIRST    32
#define LAST     126
#define MEASURED 100.0 /* pixels */

typedef struct
{
  double advance[2][LAST - FIRST + 1]; /* plain, bold; at MEASURED pixels */
  double other[2];                     /* what is not in the table */
} Table;

static gpointer
measure (G_GNUC_UNUSED gpointer data)
{
  Table *table = g_new0 (Table, 1);
  g_autoptr (PangoFontMap) map = pango_cairo_font_map_new ();
  PangoContext *context = pango_font_map_create_context (map);
  g_autoptr (PangoLayout) layout = pango_layout_new (context);
  for (int bold = 0; bold < 2; bold++)
    {
      g_autoptr (PangoFontDescription) font = pango_font_description_from_string ("Sans");
      int width;
      pango_font_description_set_absolute_size (font, MEASURED * PANGO_SCALE);
      pango_font_description_set_weight (font, bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
      pango_layout_set_font_description (layout, font);
      for (int c = FIRST; c <= LAST; c++)
        {
          char text[] = { (char) c, '\0' };
          pango_layout_set_text (layout, text, 1);
          pango_layout_get_size (layout, &width, NULL);
          table->advance[bold][c - FIRST] = width / (double) PANGO_SCALE;
        }
      pango_layout_set_text (layout, "×", -1);
      pango_layout_get_size (layout, &width, NULL);
      table->other[bold] = width / (double) PANGO_SCALE;
    }
  g_object_unref (context);
  return table;
}

double
sluice_text_width (const char *text, double size, gboolean bold)
{
  static GOnce once = G_ONCE_INIT;
  const Table *table = g_once (&once, measure, NULL);
  double width = 0;
  for (const char *c = text; *c != '\0'; c = g_utf8_next_char (c))
    if (*c >= FIRST && *c <= LAST)
      width += table->advance[bold][*c - FIRST];
    else
      width += table->other[bold];
  return width * size / MEASURED;
}

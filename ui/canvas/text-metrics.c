/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/text-metrics.h"

#include <pango/pangocairo.h>
#include <stdatomic.h>

#define MEASURED 100.0 /* pixels */

/* Code points from FIRST are in the table; of these, those of is_alone() are used. */
#define FIRST   0x20
#define LATIN   0x250  /* behind Latin Extended-B */
#define SIGNS   0x2010 /* dashes, dots, arrows, operators */
#define BEHIND  0x2300
#define N_SLOTS ((LATIN - FIRST) + (BEHIND - SIGNS))

/* Advances at MEASURED pixels, plus 1; 0: not measured yet. [plain, bold] */
static _Atomic float advances[2][N_SLOTS];

/* Pango, for one thread at a time. */
static struct
{
  GMutex lock; /* guards all of this */
  PangoLayout *layout;
  PangoFontDescription *font;
  GHashTable *texts; /* weight, size and text → double: pixels */
} pango;

/* Texts that are remembered; then they are forgotten. */
#define MAX_TEXTS 8192

/* Does the character take the same room whatever stands beside it, kerning apart? Not so what
 * combines, is shaped by its neighbours or only turns the direction. */
static gboolean
is_alone (gunichar c)
{
  return (c >= FIRST && c <= 0x7e) || (c >= 0xa1 && c < LATIN && c != 0xad)
         || (c >= SIGNS && c <= 0x2027) || (c >= 0x2190 && c < BEHIND);
}

static void
start_pango (void)
{
  PangoFontMap *map = pango_cairo_font_map_new ();
  PangoContext *context = pango_font_map_create_context (map);
  pango.layout = pango_layout_new (context);
  pango_layout_set_single_paragraph_mode (pango.layout, TRUE);
  pango.font = pango_font_description_from_string ("Sans");
  pango.texts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_object_unref (context);
  g_object_unref (map);
}

/* Under the lock. Pixels. */
static double
lay_out (const char *text, int length, double size, gboolean bold)
{
  int width;
  pango_font_description_set_absolute_size (pango.font, size * PANGO_SCALE);
  pango_font_description_set_weight (pango.font, bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
  pango_layout_set_font_description (pango.layout, pango.font);
  pango_layout_set_text (pango.layout, text, length);
  pango_layout_get_size (pango.layout, &width, NULL);
  return width / (double) PANGO_SCALE;
}

static void
lock_pango (void)
{
  g_mutex_lock (&pango.lock);
  if (pango.layout == NULL)
    start_pango ();
}

/* At MEASURED pixels. */
static double
measure_character (gunichar c, gboolean bold)
{
  guint slot = c < LATIN ? c - FIRST : LATIN - FIRST + c - SIGNS;
  float known = atomic_load_explicit (&advances[bold][slot], memory_order_relaxed);
  if (G_UNLIKELY (known == 0))
    {
      char utf8[6];
      int length = g_unichar_to_utf8 (c, utf8);
      lock_pango ();
      known = (float) lay_out (utf8, length, MEASURED, bold) + 1;
      g_mutex_unlock (&pango.lock);
      atomic_store_explicit (&advances[bold][slot], known, memory_order_relaxed);
    }
  return known - 1;
}

/* At its own size: the boxes that stand for letters without a font do not grow with it. */
static double
measure_text (const char *text, double size, gboolean bold)
{
  g_autofree char *key = g_strdup_printf ("%d %g %s", bold, size, text);
  lock_pango ();
  double *known = g_hash_table_lookup (pango.texts, key);
  if (known == NULL)
    {
      known = g_new (double, 1);
      *known = lay_out (text, -1, size, bold);
      if (g_hash_table_size (pango.texts) >= MAX_TEXTS)
        g_hash_table_remove_all (pango.texts);
      g_hash_table_insert (pango.texts, g_steal_pointer (&key), known);
    }
  double width = *known;
  g_mutex_unlock (&pango.lock);
  return width;
}

double
sluice_text_width (const char *text, double size, gboolean bold)
{
  double width = 0;
  bold = bold != FALSE;
  for (const char *at = text; *at != '\0'; at = g_utf8_next_char (at))
    {
      gunichar c = g_utf8_get_char (at);
      if (!is_alone (c))
        return measure_text (text, size, bold);
      width += measure_character (c, bold);
    }
  return width * size / MEASURED;
}

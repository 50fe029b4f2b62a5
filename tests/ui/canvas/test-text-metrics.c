/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Widths of labels beside what Pango lays out, in scripts of several kinds, whatever fonts there
 * are. */
#include <math.h>
#include <pango/pangocairo.h>

#include "ui/canvas/text-metrics.h"

static double
width_in_pango (const char *text, double size, gboolean bold)
{
  int width;
  PangoContext *context = pango_font_map_create_context (pango_cairo_font_map_get_default ());
  PangoLayout *layout = pango_layout_new (context);
  PangoFontDescription *font = pango_font_description_from_string ("Sans");
  pango_font_description_set_absolute_size (font, size * PANGO_SCALE);
  pango_font_description_set_weight (font, bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
  pango_layout_set_font_description (layout, font);
  pango_layout_set_text (layout, text, -1);
  pango_layout_get_size (layout, &width, NULL);
  pango_font_description_free (font);
  g_object_unref (layout);
  g_object_unref (context);
  return width / (double) PANGO_SCALE;
}

/* Advances are rounded to pixels where text is drawn: half a pixel a character may be lost. */
static void
test_beside_pango (void)
{
  static const char *const texts[] = {
    "",
    "conv2d_1",
    "gradients/AddN_17",
    "32×128 → 10",
    "Größe…",
    "卷积层",
    "名前スコープ/層_1",
    "합성곱",
    "ＦＵＬＬ",
    "שלום",
    "مرحبا",
    "layer/مرحبا/2",
    "e\u0301te\u0301",
    "x\u0302\u0304",
    "a\u200fb",
    "हिन्दी",
    "Ελλάδα Кириллица",
  };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    for (int bold = 0; bold < 2; bold++)
      for (double size = 11; size <= 100; size += 89)
        {
          double got = sluice_text_width (texts[i], size, bold);
          double wanted = width_in_pango (texts[i], size, bold);
          double slack = 1 + 0.03 * wanted + 0.5 * (double) g_utf8_strlen (texts[i], -1);
          if (fabs (got - wanted) > slack)
            g_test_fail_printf ("\"%s\" at %g: %g pixels, in Pango %g", texts[i], size, got,
                                wanted);
        }
}

/* What takes no room of its own. */
static void
test_marks (void)
{
  double e = sluice_text_width ("e", 100, FALSE), x = sluice_text_width ("x", 100, FALSE);
  g_assert_cmpfloat_with_epsilon (sluice_text_width ("e\u0301", 100, FALSE), e, 4);
  g_assert_cmpfloat_with_epsilon (sluice_text_width ("x\u0302\u0304", 100, FALSE), x, 4);
  g_assert_cmpfloat_with_epsilon (sluice_text_width ("x\u200b\u200f", 100, FALSE), x, 4);
}

static void
test_scales (void)
{
  g_assert_cmpfloat (sluice_text_width ("", 12, TRUE), ==, 0);
  g_assert_cmpfloat_with_epsilon (sluice_text_width ("×é", 24, TRUE),
                                  2 * sluice_text_width ("×é", 12, TRUE), 1e-9);
  g_assert_cmpfloat (sluice_text_width ("卷积", 48, TRUE), >, sluice_text_width ("卷积", 12, TRUE));
  g_assert_cmpfloat (sluice_text_width ("weights", 12, TRUE), >,
                     sluice_text_width ("weights", 12, FALSE));
}

/* More texts than are remembered, on several threads: all as one thread alone measures them. */
#define N_TEXTS 9000

static gpointer
measure_all (gpointer data)
{
  double *sum = data;
  for (int i = 0; i < N_TEXTS; i++)
    {
      char text[32];
      g_snprintf (text, sizeof text, "é×a%d\u0301", i);
      *sum += sluice_text_width (text, 12, i % 2);
    }
  return NULL;
}

static void
test_threads (void)
{
  GThread *threads[3];
  double sums[4] = { 0 };
  for (int i = 0; i < 3; i++)
    threads[i] = g_thread_new ("measure", measure_all, &sums[i]);
  for (int i = 0; i < 3; i++)
    g_thread_join (threads[i]);
  measure_all (&sums[3]);
  for (int i = 0; i < 3; i++)
    g_assert_cmpfloat (sums[i], ==, sums[3]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/canvas/text-metrics/beside-pango", test_beside_pango);
  g_test_add_func ("/canvas/text-metrics/marks", test_marks);
  g_test_add_func ("/canvas/text-metrics/scales", test_scales);
  g_test_add_func ("/canvas/text-metrics/threads", test_threads);
  return g_test_run ();
}

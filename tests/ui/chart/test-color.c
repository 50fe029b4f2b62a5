/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/color.h"
#include "ui/chart/theme.h"

static const SluiceThemeKind kinds[] = { SLUICE_THEME_LIGHT, SLUICE_THEME_DARK,
                                         SLUICE_THEME_HIGH_CONTRAST_LIGHT,
                                         SLUICE_THEME_HIGH_CONTRAST_DARK };

static void
test_contrast_formula (void)
{
  SluiceColor white = sluice_color_from_hex (0xffffff);
  SluiceColor black = sluice_color_from_hex (0x000000);

  g_assert_cmpfloat_with_epsilon (sluice_color_contrast (white, black), 21, 1e-9);
  g_assert_cmpfloat_with_epsilon (sluice_color_contrast (white, white), 1, 1e-9);
  /* A published pair: #767676 on white is 4.54 : 1. */
  g_assert_cmpfloat_with_epsilon (sluice_color_contrast (sluice_color_from_hex (0x767676), white),
                                  4.54, 0.005);
}

static void
test_theme_contrast (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      SluiceChartTheme t;
      double text;

      sluice_chart_theme_init (&t, kinds[i]);
      text = kinds[i] >= SLUICE_THEME_HIGH_CONTRAST_LIGHT ? 7 : 4.5;
      g_assert_cmpfloat (sluice_color_contrast (t.text, t.card), >=, text);
      g_assert_cmpfloat (sluice_color_contrast (t.dim, t.card), >=, text);
      g_assert_cmpfloat (sluice_color_contrast (t.failure, t.card), >=, 4.5);
      g_assert_cmpfloat (sluice_color_contrast (t.cursor, t.card), >=, 3);
      g_assert_cmpfloat (sluice_color_contrast (t.event, t.card), >=, 3);
    }
}

static void
test_palette (void)
{
  for (guint i = 0; i < 60; i++)
    for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
      {
        SluiceChartTheme t;
        SluiceColor c;

        sluice_chart_theme_init (&t, kinds[k]);
        c = sluice_color_readable (sluice_palette_color (i), t.card, 3);
        g_assert_cmpfloat (sluice_color_contrast (c, t.card), >=, 2.999);
      }
  for (guint i = 0; i < 60; i++)
    for (guint j = 0; j < i; j++)
      {
        SluiceColor a = sluice_palette_color (i);
        SluiceColor b = sluice_palette_color (j);

        g_assert_true (a.r != b.r || a.g != b.g || a.b != b.b);
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ui/chart/color/contrast-formula", test_contrast_formula);
  g_test_add_func ("/ui/chart/color/theme-contrast", test_theme_contrast);
  g_test_add_func ("/ui/chart/color/palette", test_palette);
  return g_test_run ();
}

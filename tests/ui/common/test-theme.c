/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/common/color.h"
#include "ui/common/theme.h"

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
      SluiceTheme t = *sluice_theme_get (kinds[i]);
      double text;

      text = kinds[i] >= SLUICE_THEME_HIGH_CONTRAST_LIGHT ? 7 : 4.5;
      g_assert_cmpfloat (sluice_color_contrast (t.text, t.card), >=, text);
      g_assert_cmpfloat (sluice_color_contrast (t.dim, t.card), >=, text);
      g_assert_cmpfloat (sluice_color_contrast (t.failure, t.card), >=, 4.5);
      g_assert_cmpfloat (sluice_color_contrast (t.cursor, t.card), >=, 3);
      g_assert_cmpfloat (sluice_color_contrast (t.event, t.card), >=, 3);
    }
}

static void
test_canvas_contrast (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      const SluiceTheme *t = sluice_theme_get (kinds[i]);

      g_assert_cmpfloat (sluice_color_contrast (t->text, t->ground), >=, 4.5);
      g_assert_cmpfloat (sluice_color_contrast (t->dim, t->ground), >=, 4.5);
      g_assert_cmpfloat (sluice_color_contrast (t->line, t->ground), >=, 3);
      g_assert_cmpfloat (sluice_color_contrast (t->outline, t->ground), >=, 3);
      g_assert_cmpfloat (sluice_color_contrast (t->update, t->ground), >=, 3);
      g_assert_cmpfloat (sluice_color_contrast (t->variable, t->ground), >=, 3);
      g_assert_cmpfloat (sluice_color_contrast (t->accent, t->ground), >=, 3);
      for (guint n = 0; n < 40; n++)
        {
          SluiceColor hue = sluice_theme_get_hue (t, n);
          SluiceColor box = sluice_color_mix (t->surface, hue, t->tint);

          g_assert_cmpfloat (sluice_color_contrast (hue, t->ground), >=, t->contrast);
          g_assert_cmpfloat (sluice_color_contrast (t->text, box), >=, 4.5);
          g_assert_cmpfloat (sluice_color_contrast (t->dim, box), >=, 3);
        }
    }
}

/* Red says failure where structures are drawn: none of theirs comes near to it. */
static void
test_structures (void)
{
  for (guint i = 0; i < 200; i++)
    {
      SluiceColor c = sluice_palette_structure (i);

      g_assert_false (c.r > 0.6 && c.g < 0.35 && c.b < 0.4);
      for (guint j = 0; j < i; j++)
        {
          SluiceColor other = sluice_palette_structure (j);

          g_assert_true (c.r != other.r || c.g != other.g || c.b != other.b);
        }
    }
}

static void
test_palette (void)
{
  for (guint i = 0; i < 60; i++)
    for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
      {
        SluiceTheme t = *sluice_theme_get (kinds[k]);
        SluiceColor c = sluice_color_readable (sluice_palette_color (i), t.card, 3);
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
  g_test_add_func ("/ui/common/theme/contrast-formula", test_contrast_formula);
  g_test_add_func ("/ui/common/theme/contrast", test_theme_contrast);
  g_test_add_func ("/ui/common/theme/canvas-contrast", test_canvas_contrast);
  g_test_add_func ("/ui/common/theme/palette", test_palette);
  g_test_add_func ("/ui/common/theme/structures", test_structures);
  return g_test_run ();
}

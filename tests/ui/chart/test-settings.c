/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/settings-plot.h"

#include <math.h>

#define WIDTH  400
#define HEIGHT 300

/* rate: numbers far apart; optimizer: words; loss: one run has none. */
static SluiceSettingsTable *
sample (void)
{
  static const struct
  {
    const char *name, *optimizer;
    double rate, loss;
  } rows[] = { { "a", "sgd", 0.001, 3 }, { "b", "adam", 0.1, 1 }, { "c", "sgd", 1, NAN } };
  SluiceSettingsTable *table = sluice_settings_table_new ();

  sluice_settings_table_add_column (table, "rate", FALSE, SLUICE_UNIT_NONE);
  sluice_settings_table_add_column (table, "optimizer", FALSE, SLUICE_UNIT_NONE);
  sluice_settings_table_add_column (table, "loss", TRUE, SLUICE_UNIT_NONE);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      SluiceSettingsRow *row =
          sluice_settings_table_add_row (table, i + 1, rows[i].name, sluice_palette_color (i));

      row->cells[0].number = rows[i].rate;
      row->cells[1].text = g_strdup (rows[i].optimizer);
      row->cells[2].number = rows[i].loss;
    }
  return table;
}

static SluiceSettingsRow *
get_row (SluiceSettingsTable *table, guint i)
{
  return g_ptr_array_index (table->rows, i);
}

static void
test_cells (void)
{
  g_autoptr (SluiceSettingsTable) table = sample ();
  g_autofree char *nothing = sluice_settings_table_format (table, get_row (table, 2), 2);
  g_autofree char *text = sluice_settings_table_format (table, get_row (table, 2), 1);
  g_autofree char *setting = sluice_settings_table_format (table, get_row (table, 1), 0);
  const SluiceSettingsCell number = { 1, NULL };
  const SluiceSettingsCell greater = { 2, NULL };
  const SluiceSettingsCell word = { NAN, (char *) "a" };
  const SluiceSettingsCell none = { NAN, NULL };

  g_assert_cmpstr (nothing, ==, "–");
  g_assert_cmpstr (text, ==, "sgd");
  g_assert_cmpstr (setting, ==, "0.1"); /* as it was written */
  g_assert_cmpint (sluice_settings_table_find_column (table, "loss"), ==, 2);
  g_assert_cmpint (sluice_settings_table_find_column (table, "losses"), ==, -1);
  g_assert_cmpint (sluice_settings_cell_compare (&number, &greater), <, 0);
  g_assert_cmpint (sluice_settings_cell_compare (&greater, &word), <, 0);
  g_assert_cmpint (sluice_settings_cell_compare (&word, &none), <, 0);
  g_assert_cmpint (sluice_settings_cell_compare (&none, &none), ==, 0);
}

/* Least and greatest stand at the ends of an axis; a logarithmic one has 0.1 two thirds up. */
static void
test_parallel (void)
{
  g_autoptr (SluiceSettingsTable) table = sample ();
  const SluiceSettingsPlot plot = { SLUICE_SETTINGS_PARALLEL, 0, 0, WIDTH, HEIGHT, 0 };
  double bottom = HEIGHT - 40;
  double top = 38;

  g_assert_cmpint (sluice_settings_plot_find (&plot, table, 44, bottom), ==, 1);
  g_assert_cmpint (sluice_settings_plot_find (&plot, table, 44, top), ==, 3);
  g_assert_cmpint (sluice_settings_plot_find (&plot, table, 44, bottom + (top - bottom) * 2 / 3),
                   ==, 2);
  /* Of two places of words adam has the lower one. */
  g_assert_cmpint (sluice_settings_plot_find (&plot, table, WIDTH / 2, bottom + (top - bottom) / 4),
                   ==, 2);
  /* The third run has no loss: its line ends before. */
  g_assert_cmpint (sluice_settings_plot_find (&plot, table, WIDTH - 44, bottom), ==, 2);
  g_assert_cmpint (sluice_settings_plot_find (&plot, table, WIDTH - 44, (top + bottom) / 2), ==, 0);
}

static void
test_scatter (void)
{
  g_autoptr (SluiceSettingsTable) table = sample ();
  const SluiceSettingsPlot plot = { SLUICE_SETTINGS_SCATTER, 0, 2, WIDTH, HEIGHT, 0 };

  g_assert_cmpint (sluice_settings_plot_find (&plot, table, 72, 38), ==, 1);
  g_assert_cmpint (sluice_settings_plot_find (&plot, table, WIDTH - 24, 38), ==, 0);
}

/* Every kind draws, with a run marked and without, and with nothing to draw. */
static void
test_draw (void)
{
  g_autoptr (SluiceSettingsTable) table = sample ();
  g_autoptr (SluiceSettingsTable) empty = sluice_settings_table_new ();
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, WIDTH, HEIGHT);
  cairo_t *cr = cairo_create (surface);

  sluice_settings_table_add_column (empty, "rate", FALSE, SLUICE_UNIT_NONE);
  for (guint kind = 0; kind < 2; kind++)
    for (guint marked = 0; marked < 2; marked++)
      for (guint x = 0; x < 3; x++)
        {
          const SluiceSettingsPlot plot = { kind, x, 2, WIDTH, HEIGHT, marked };
          const SluiceSettingsPlot nothing = { kind, 0, 0, WIDTH, HEIGHT, marked };

          sluice_settings_plot_draw (&plot, table, cr, sluice_theme_get (SLUICE_THEME_DARK));
          sluice_settings_plot_draw (&nothing, empty, cr, sluice_theme_get (SLUICE_THEME_LIGHT));
        }
  g_assert_cmpint (cairo_status (cr), ==, CAIRO_STATUS_SUCCESS);
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/chart/settings/cells", test_cells);
  g_test_add_func ("/chart/settings/parallel", test_parallel);
  g_test_add_func ("/chart/settings/scatter", test_scatter);
  g_test_add_func ("/chart/settings/draw", test_draw);
  return g_test_run ();
}

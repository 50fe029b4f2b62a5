/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "tests/ui/chart/sample-chart.h"

/* Charts as files. */
#define WIDTH  560
#define HEIGHT 320

static guint
count_lines (const char *text)
{
  guint n = 0;

  for (const char *p = text; (p = strchr (p, '\n')) != NULL; p++)
    n++;
  return n;
}

static void
test_export (void)
{
  static const char *const magic[][2] = {
    { "c.png", "\x89PNG" }, { "c.svg", "<?xml" }, { "c.pdf", "%PDF" }, { "c.csv", "run,step" }
  };
  g_autoptr (SluiceChart) chart = sample_chart ();
  g_autofree char *folder = g_dir_make_tmp ("sluice-chart-XXXXXX", NULL);
  g_autofree char *wrong = g_build_filename (folder, "c.gif", NULL);
  g_autoptr (GError) error = NULL;
  SluiceTheme theme = *sluice_theme_get (SLUICE_THEME_LIGHT);

  for (guint i = 0; i < G_N_ELEMENTS (magic); i++)
    {
      g_autofree char *path = g_build_filename (folder, magic[i][0], NULL);
      g_autofree char *content = NULL;
      gsize length;

      g_assert_true (sluice_chart_export (chart, path, WIDTH, HEIGHT, 2, &theme, &error));
      g_assert_no_error (error);
      g_assert_true (g_file_get_contents (path, &content, &length, NULL));
      g_assert_true (g_str_has_prefix (content, magic[i][1]));
      if (g_str_has_suffix (path, ".csv"))
        g_assert_cmpuint (count_lines (content), ==, 1 + 1241 + 2001);
      /* Curves in an SVG are paths, not a picture. */
      if (g_str_has_suffix (path, ".svg"))
        g_assert_null (strstr (content, "<image"));
      g_remove (path);
    }
  g_assert_false (sluice_chart_export (chart, wrong, WIDTH, HEIGHT, 1, &theme, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL);
  g_assert_false (g_file_test (wrong, G_FILE_TEST_EXISTS));
  g_rmdir (folder);
}

static void
test_csv (void)
{
  g_autoptr (SluiceChart) chart = sample_chart ();
  g_autoptr (SluiceSeriesBuffer) odd = sluice_series_buffer_new ();
  g_autoptr (SluiceChartCsv) csv = NULL;
  g_autoptr (SluiceChartCsv) given_up = NULL;
  g_autofree char *folder = g_dir_make_tmp ("sluice-csv-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "c.csv", NULL);
  g_autofree char *content = NULL;
  g_autoptr (GError) error = NULL;
  gboolean done = FALSE;
  guint calls = 0;

  sluice_series_buffer_append (odd, 7, 1.5, NAN);
  sluice_series_buffer_append (odd, 8, 2.5, 0.1);
  sluice_chart_set_smoothing (chart, 0);
  sluice_chart_add_series (chart, "a \"b\", c", sluice_palette_color (2),
                           sluice_series_buffer_as_source (odd));
  csv = sluice_chart_csv_new (chart, path, &error);
  g_assert_no_error (error);
  /* Until it is whole there is no file of that name. */
  for (; !done; calls++)
    {
      g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
      g_assert_true (sluice_chart_csv_write (csv, 0, &done, &error));
    }
  g_assert_cmpuint (calls, >, 3);
  g_assert_true (g_file_get_contents (path, &content, NULL, NULL));
  g_assert_cmpuint (count_lines (content), ==, 1 + 1241 + 2001 + 2);
  g_assert_nonnull (strstr (content, "\"a \"\"b\"\", c\",7,1.5,nan\n"));
  g_assert_nonnull (strstr (content, ",8,2.5,0.10000000000000001\n"));
  g_assert_cmpint (g_remove (path), ==, 0);
  given_up = sluice_chart_csv_new (chart, path, &error);
  g_assert_true (sluice_chart_csv_write (given_up, 0, &done, &error));
  g_clear_pointer (&given_up, sluice_chart_csv_free);
  /* Empty again: nothing was left behind. */
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  g_assert_null (sluice_chart_csv_new (chart, path, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ui/chart/export/files", test_export);
  g_test_add_func ("/ui/chart/export/csv", test_csv);
  return g_test_run ();
}

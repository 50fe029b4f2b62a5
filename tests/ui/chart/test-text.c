/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What a chart says in text. */
#include "ui/chart/chart.h"
#include "ui/chart/series-buffer.h"

#include <glib/gstdio.h>
#include <math.h>

/* A line is an object; what JSON has no word for is a string. */
static void
test_json_lines (void)
{
  g_autoptr (SluiceChart) chart = sluice_chart_new ();
  g_autoptr (SluiceSeriesBuffer) buffer = sluice_series_buffer_new ();
  g_autofree char *folder = g_dir_make_tmp ("sluice-jsonl-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "loss.jsonl", NULL);
  g_autofree char *text = NULL;

  sluice_series_buffer_append (buffer, 1, 10.5, 0.25);
  sluice_series_buffer_append (buffer, 2, 11, NAN);
  sluice_series_buffer_append (buffer, 3, 12, -INFINITY);
  sluice_chart_set_title (chart, "loss");
  sluice_chart_set_smoothing (chart, 0);
  sluice_chart_add_series (chart, "a \"b\"\n", sluice_palette_color (0),
                           sluice_series_buffer_as_source (buffer));
  g_assert_true (
      sluice_chart_export (chart, path, 560, 320, 1, sluice_theme_get (SLUICE_THEME_LIGHT), NULL));
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_cmpstr (text, ==,
                   "{\"run\": \"a \\\"b\\\"\\u000a\", \"tag\": \"loss\", \"step\": 1, "
                   "\"wall_time\": 10.5, \"value\": 0.25}\n"
                   "{\"run\": \"a \\\"b\\\"\\u000a\", \"tag\": \"loss\", \"step\": 2, "
                   "\"wall_time\": 11, \"value\": \"NaN\"}\n"
                   "{\"run\": \"a \\\"b\\\"\\u000a\", \"tag\": \"loss\", \"step\": 3, "
                   "\"wall_time\": 12, \"value\": \"-Infinity\"}\n");
  g_remove (path);
  g_rmdir (folder);
}

static void
test_summary (void)
{
  g_autoptr (SluiceChart) chart = sluice_chart_new ();
  g_autoptr (SluiceSeriesBuffer) buffer = sluice_series_buffer_new ();
  g_autofree char *text = NULL;

  sluice_series_buffer_append (buffer, 1, 1, 0.5);
  sluice_series_buffer_append (buffer, 12, 2, 0.25);
  sluice_chart_set_title (chart, "loss");
  sluice_chart_add_series (chart, "lenet-3", sluice_palette_color (0),
                           sluice_series_buffer_as_source (buffer));
  text = sluice_chart_dup_summary (chart);
  g_assert_cmpstr (text, ==, "loss: lenet-3 0.2500 at step 12");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ui/chart/text/json-lines", test_json_lines);
  g_test_add_func ("/ui/chart/text/summary", test_summary);
  return g_test_run ();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/chart-card.h"
#include "ui/chart/csv-job.h"
#include "ui/chart/histogram-card.h"
#include "ui/chart/image-card.h"
#include "ui/chart/series-buffer.h"
#include "ui/chart/settings-card.h"
#include "ui/chart/settings-list.h"
#include "ui/chart/sparkline.h"
#include "ui/chart/square-layout.h"
#include "ui/chart/text-card.h"
#include "ui/chart/thumbnail.h"
#include "ui/chart/chart-table.h"
#include "ui/common/mode-bar.h"

#include <glib/gstdio.h>
#include <math.h>

/* Frames until nothing is left to draw or the clock says that something hangs. */
static void
settle (GtkWidget *window)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock (window);
  gint64 first = gdk_frame_clock_get_frame_counter (clock);
  gint64 deadline = g_get_monotonic_time () + 20 * G_USEC_PER_SEC;

  gtk_widget_queue_draw (window);
  while (gdk_frame_clock_get_frame_counter (clock) < first + 3)
    {
      g_assert_cmpint (g_get_monotonic_time (), <, deadline);
      gtk_widget_queue_draw (window);
      g_main_context_iteration (NULL, TRUE);
    }
}

static GtkWidget *
show (GtkWidget *child, int width, int height)
{
  GtkWidget *window = gtk_window_new ();

  gtk_window_set_decorated (GTK_WINDOW (window), FALSE);
  gtk_window_set_default_size (GTK_WINDOW (window), width, height);
  gtk_window_set_child (GTK_WINDOW (window), child);
  gtk_window_present (GTK_WINDOW (window));
  settle (window);
  return window;
}

static GdkTexture *
picture_of (GtkWidget *window)
{
  g_autoptr (GdkPaintable) paintable = gtk_widget_paintable_new (window);
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  double width = gdk_paintable_get_intrinsic_width (paintable);
  double height = gdk_paintable_get_intrinsic_height (paintable);
  g_autoptr (GskRenderNode) node = NULL;

  gdk_paintable_snapshot (paintable, snapshot, width, height);
  node = gtk_snapshot_free_to_node (snapshot);
  g_assert_nonnull (node);
  return gsk_renderer_render_texture (gtk_native_get_renderer (GTK_NATIVE (window)), node,
                                      &GRAPHENE_RECT_INIT (0, 0, (float) width, (float) height));
}

static void
keep_picture (GtkWidget *window, const char *name)
{
  const char *folder = g_getenv ("SLUICE_TEST_PICTURES");
  g_autofree char *path = NULL;
  g_autoptr (GdkTexture) texture = NULL;

  if (folder == NULL)
    return;
  path = g_strdup_printf ("%s/%s.png", folder, name);
  texture = picture_of (window);
  g_assert_true (gdk_texture_save_to_png (texture, path));
}

static SluiceSeriesBuffer *
loss_curve (int n)
{
  SluiceSeriesBuffer *buffer = sluice_series_buffer_new ();

  for (int i = 0; i < n; i++)
    sluice_series_buffer_append (buffer, i, 1.7e9 + i,
                                 2 * exp (-i / 150.0) + 0.1 + 0.05 * sin (i * 7.0));
  return buffer;
}

static GtkWidget *
sample_card (SluiceSeriesBuffer *buffer)
{
  GtkWidget *card = sluice_chart_card_new ("loss");
  SluiceChart *chart = sluice_chart_card_get_chart (SLUICE_CHART_CARD (card));

  sluice_chart_add_series (chart, "lenet-3", sluice_palette_color (0),
                           sluice_series_buffer_as_source (buffer));
  sluice_card_refresh (SLUICE_CARD (card));
  return card;
}

static gboolean
is_zoomed (GtkWidget *card)
{
  double x0;
  double x1;

  return sluice_chart_get_view (sluice_chart_card_get_chart (SLUICE_CHART_CARD (card)), &x0, &x1);
}

static void
act (GtkWidget *widget, const char *action)
{
  g_assert_true (gtk_widget_activate_action (widget, action, NULL));
}

static void
test_actions (void)
{
  g_autoptr (SluiceSeriesBuffer) buffer = loss_curve (1000);
  GtkWidget *card = sample_card (buffer);
  GtkWidget *window = show (card, 560, 320);
  SluiceChart *chart = sluice_chart_card_get_chart (SLUICE_CHART_CARD (card));

  g_assert_false (is_zoomed (card));
  act (card, "chart.zoom-in");
  g_assert_true (is_zoomed (card));
  act (card, "chart.zoom-out");
  g_assert_false (is_zoomed (card));
  act (card, "chart.zoom-in");
  act (card, "chart.zoom-in");
  act (card, "chart.reset-zoom");
  g_assert_false (is_zoomed (card));
  /* Everything is shown already: further out there is nothing. */
  act (card, "chart.zoom-out");
  g_assert_false (is_zoomed (card));
  act (card, "chart.toggle-log");
  g_assert_true (sluice_chart_card_get_log_y (SLUICE_CHART_CARD (card)));
  act (card, "chart.toggle-outliers");
  g_assert_false (sluice_chart_card_get_ignore_outliers (SLUICE_CHART_CARD (card)));
  act (card, "chart.cursor-last");
  act (card, "chart.cursor-left");
  g_assert_cmpfloat (sluice_chart_get_cursor (chart), <, 1000);
  settle (window);
  keep_picture (window, "widget-card");
  act (card, "chart.cursor-hide");
  g_assert_true (isnan (sluice_chart_get_cursor (chart)));
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
count_cb (GtkWidget *card, double x, guint *count)
{
  (*count)++;
}

static void
notify_cb (GObject *card, GParamSpec *pspec, guint *count)
{
  (*count)++;
}

static void
test_properties (void)
{
  GtkWidget *card = g_object_ref_sink (sluice_chart_card_new ("loss"));
  guint notified = 0;
  guint moved = 0;
  g_autofree char *title = NULL;

  g_signal_connect (card, "notify", G_CALLBACK (notify_cb), &notified);
  g_signal_connect (card, "cursor-moved", G_CALLBACK (count_cb), &moved);
  g_object_set (card, "smoothing", 0.9, "x-axis", SLUICE_X_WALL, "log-y", TRUE, "title", "acc",
                "ignore-outliers", FALSE, NULL);
  g_assert_cmpuint (notified, ==, 5);
  g_object_set (card, "smoothing", 0.9, "x-axis", SLUICE_X_WALL, "log-y", TRUE, "title", "acc",
                "ignore-outliers", FALSE, NULL);
  g_assert_cmpuint (notified, ==, 5);
  g_object_get (card, "title", &title, NULL);
  g_assert_cmpstr (title, ==, "acc");
  /* A page that moves every cursor hears of it once, from where it began. */
  sluice_chart_card_set_cursor (SLUICE_CHART_CARD (card), 3);
  g_assert_cmpuint (moved, ==, 0);
  act (card, "chart.cursor-first");
  g_assert_cmpuint (moved, ==, 1);
  g_assert_finalize_object (card);
}

static void
test_redraws (void)
{
  g_autoptr (SluiceSeriesBuffer) buffer = loss_curve (500);
  GtkWidget *card = sample_card (buffer);
  GtkWidget *window = show (card, 560, 320);
  SluiceChart *chart = sluice_chart_card_get_chart (SLUICE_CHART_CARD (card));
  int width = gtk_widget_get_width (card);

  g_assert_false (sluice_chart_needs_redraw (chart));
  sluice_series_buffer_append (buffer, 500, 1.7e9 + 500, 0.2);
  g_assert_true (sluice_chart_needs_redraw (chart));
  sluice_card_refresh (SLUICE_CARD (card));
  settle (window);
  g_assert_false (sluice_chart_needs_redraw (chart));
  /* Live values never move the layout. */
  g_assert_cmpint (gtk_widget_get_width (card), ==, width);
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
drawn_cb (SluiceChartCard *card, gpointer data)
{
  ++*(guint *) data;
}

/* The buttons come with the pointer, also where a card was scrolled under it, and with the focus:
 * what is written where they stand makes room, and comes back. */
static void
test_room_for_buttons (void)
{
  g_autoptr (SluiceSeriesBuffer) buffer = loss_curve (500);
  GtkWidget *card = sample_card (buffer);
  GtkWidget *window = show (card, 560, 320);
  guint n_drawn = 0;

  gtk_widget_set_can_target (window, FALSE); /* the pointer of the screen has no say */
  gtk_widget_unset_state_flags (card, GTK_STATE_FLAG_PRELIGHT | GTK_STATE_FLAG_FOCUS_WITHIN);
  settle (window);
  g_signal_connect (card, "values-changed", G_CALLBACK (drawn_cb), &n_drawn);
  gtk_widget_set_state_flags (card, GTK_STATE_FLAG_FOCUS_WITHIN, FALSE);
  settle (window);
  g_assert_cmpuint (n_drawn, ==, 1);
  gtk_widget_set_state_flags (card, GTK_STATE_FLAG_PRELIGHT, FALSE);
  settle (window);
  g_assert_cmpuint (n_drawn, ==, 1);
  gtk_widget_unset_state_flags (card, GTK_STATE_FLAG_PRELIGHT | GTK_STATE_FLAG_FOCUS_WITHIN);
  settle (window);
  g_assert_cmpuint (n_drawn, ==, 2);
  gtk_window_destroy (GTK_WINDOW (window));
}

static gboolean
tick_cb (gpointer data)
{
  return G_SOURCE_CONTINUE;
}

static void
test_big_series (void)
{
  /* More than one frame can smooth: the card catches up by itself. */
  g_autoptr (SluiceSeriesBuffer) buffer = loss_curve (2000000);
  GtkWidget *card = sample_card (buffer);
  GtkWidget *window = show (card, 560, 320);
  gint64 deadline = g_get_monotonic_time () + 60 * G_USEC_PER_SEC;
  guint tick = g_timeout_add (100, tick_cb, NULL); /* so that the deadline is looked at */
  SluiceSeriesSample last;

  do
    {
      g_assert_cmpint (g_get_monotonic_time (), <, deadline);
      g_main_context_iteration (NULL, TRUE);
      sluice_series_source_lookup (sluice_series_buffer_as_source (buffer), SLUICE_X_STEP, INFINITY,
                                   &last);
    }
  while (last.smoothed == last.value);
  g_source_remove (tick);
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
test_accessible (void)
{
  g_autoptr (SluiceSeriesBuffer) buffer = loss_curve (100);
  GtkWidget *card = sample_card (buffer);
  GtkWidget *window = show (card, 560, 320);

  gtk_test_accessible_assert_role (card, GTK_ACCESSIBLE_ROLE_IMG);
  g_assert_true (gtk_widget_get_focusable (card));
  act (card, "chart.cursor-last");
  gtk_test_accessible_assert_property (card, GTK_ACCESSIBLE_PROPERTY_LABEL, "loss");
  g_assert_true (gtk_test_accessible_has_property (GTK_ACCESSIBLE (card),
                                                   GTK_ACCESSIBLE_PROPERTY_DESCRIPTION));
  gtk_window_destroy (GTK_WINDOW (window));
}

static GtkWidget *
find_table (void)
{
  GListModel *windows = gtk_window_get_toplevels ();
  GtkWidget *table = NULL;

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWidget) window = g_list_model_get_item (windows, i);

      if (SLUICE_IS_CHART_TABLE (window))
        table = window;
    }
  return table;
}

static void
test_values (void)
{
  g_autoptr (SluiceSeriesBuffer) buffer = loss_curve (100);
  g_autoptr (SluiceSeriesBuffer) longer = loss_curve (300);
  GtkWidget *card = sample_card (buffer);
  GtkWidget *window = show (card, 560, 320);
  SluiceChart *chart = sluice_chart_card_get_chart (SLUICE_CHART_CARD (card));
  g_autofree char *last = NULL;
  g_autofree char *at = NULL;
  GtkWidget *table;

  sluice_chart_add_series (chart, "lenet-4", sluice_palette_color (1),
                           sluice_series_buffer_as_source (longer));
  sluice_card_refresh (SLUICE_CARD (card));
  settle (window);
  act (card, "chart.values");
  table = find_table ();
  g_assert_nonnull (table);
  act (card, "chart.values");
  last = sluice_chart_table_dup_text (SLUICE_CHART_TABLE (table));
  g_assert_true (g_str_has_prefix (last, "lenet-3\t"));
  g_assert_nonnull (strstr (last, "\t99\t"));
  g_assert_nonnull (strstr (last, "\nlenet-4\t"));
  g_assert_nonnull (strstr (last, "\t299\t"));
  /* It follows the cursor, and goes with the card. */
  sluice_chart_card_set_cursor (SLUICE_CHART_CARD (card), 50);
  settle (window);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  at = sluice_chart_table_dup_text (SLUICE_CHART_TABLE (table));
  g_assert_nonnull (strstr (at, "\t50\t"));
  g_assert_null (strstr (at, "\t99\t"));
  gtk_window_destroy (GTK_WINDOW (window));
  g_assert_null (find_table ());
}

/* A window that goes with a menu open leaves GTK asking where its pointer is. */
static void
close_menu (GtkWidget *card)
{
  for (GtkWidget *child = gtk_widget_get_first_child (card); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (GTK_IS_POPOVER (child))
      gtk_popover_popdown (GTK_POPOVER (child));
}

static void
test_tools (void)
{
  GtkWidget *cards[] = { sluice_chart_card_new ("loss"), sluice_histogram_card_new ("weights"),
                         sluice_image_card_new ("images"), sluice_text_card_new ("words") };

  for (guint i = 0; i < G_N_ELEMENTS (cards); i++)
    {
      GtkWidget *window = show (cards[i], 400, 300);

      g_autoptr (GdkTexture) picture = sluice_card_dup_picture (SLUICE_CARD (cards[i]));

      g_assert_cmpint (gdk_texture_get_width (picture), ==, gtk_widget_get_width (cards[i]));
      act (cards[i], "card.copy");
      g_assert_true (gdk_content_formats_contain_gtype (
          gdk_clipboard_get_formats (gtk_widget_get_clipboard (cards[i])), GDK_TYPE_TEXTURE));
      act (cards[i], "card.large");
      g_assert_true (sluice_card_get_large (SLUICE_CARD (cards[i])));
      act (cards[i], "card.pinned");
      g_assert_true (sluice_card_get_pinned (SLUICE_CARD (cards[i])));
      act (cards[i], "card.menu");
      settle (window);
      close_menu (cards[i]);
      settle (window);
      act (cards[i], "card.large");
      g_assert_false (sluice_card_get_large (SLUICE_CARD (cards[i])));
      gtk_window_destroy (GTK_WINDOW (window));
    }
}

static void
test_export (void)
{
  g_autoptr (SluiceSeriesBuffer) buffer = loss_curve (100);
  GtkWidget *card = sample_card (buffer);
  GtkWidget *window = show (card, 560, 320);
  g_autofree char *folder = g_dir_make_tmp ("sluice-card-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "loss.csv", NULL);
  g_autofree char *nowhere = g_build_filename (folder, "no", "such", "folder.png", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (sluice_card_write (SLUICE_CARD (card), path, &error));
  g_assert_no_error (error);
  g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
  g_assert_false (sluice_card_write (SLUICE_CARD (card), nowhere, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  g_remove (path);
  g_rmdir (folder);
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
word_cb (GtkWidget *card, const char *word, char **said)
{
  g_free (*said);
  *said = g_strdup (word);
}

static void
test_csv_job (void)
{
  g_autoptr (SluiceSeriesBuffer) buffer = loss_curve (30000);
  GtkWidget *card = g_object_ref_sink (sample_card (buffer));
  SluiceChart *chart = sluice_chart_card_get_chart (SLUICE_CHART_CARD (card));
  g_autofree char *folder = g_dir_make_tmp ("sluice-job-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "loss.csv", NULL);
  g_autofree char *nowhere = g_build_filename (folder, "no", "loss.csv", NULL);
  g_autofree char *exported = NULL;
  g_autofree char *failed = NULL;
  SluiceCsvJob *job;

  g_signal_connect (card, "exported", G_CALLBACK (word_cb), &exported);
  g_signal_connect (card, "export-failed", G_CALLBACK (word_cb), &failed);
  job = sluice_csv_job_new (card, chart, path);
  while (exported == NULL)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpstr (exported, ==, path);
  g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
  sluice_csv_job_free (job);
  g_remove (path);

  job = sluice_csv_job_new (card, chart, nowhere);
  while (failed == NULL)
    g_main_context_iteration (NULL, TRUE);
  g_assert_nonnull (strstr (failed, nowhere));
  sluice_csv_job_free (job);

  /* Given up half-way: nothing stays. */
  job = sluice_csv_job_new (card, chart, path);
  g_main_context_iteration (NULL, FALSE);
  sluice_csv_job_free (job);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  g_assert_finalize_object (card);
}

static void
test_histogram (void)
{
  GtkWidget *card = sluice_histogram_card_new ("fc1/weights");
  SluiceHistogramChart *chart = sluice_histogram_card_get_chart (SLUICE_HISTOGRAM_CARD (card));
  const double edges[] = { -1, -0.5, 0, 0.5, 1 };
  guint run = sluice_histogram_chart_add_run (chart, "lenet-3", sluice_palette_color (0));
  GtkWidget *window;

  for (int i = 0; i < 10; i++)
    {
      const double counts[] = { i, 20, 15, 2 * i };

      g_assert_true (sluice_histogram_chart_append (chart, run, 100 * i, 4, edges, counts));
    }
  window = show (card, 560, 390);
  g_assert_true (gtk_widget_activate_action (card, "histogram.mode", "s", "heat"));
  g_assert_cmpint (sluice_histogram_card_get_mode (SLUICE_HISTOGRAM_CARD (card)), ==,
                   SLUICE_HISTOGRAM_HEAT);
  g_assert_true (gtk_widget_activate_action (card, "histogram.mode", "s", "ridge"));
  act (card, "histogram.fewer-steps");
  settle (window);
  g_assert_cmpuint (sluice_histogram_chart_get_n_shown (chart, NULL), <, 10);
  act (card, "histogram.more-steps");
  act (card, "histogram.more-steps");
  settle (window);
  g_assert_cmpuint (sluice_histogram_chart_get_n_shown (chart, NULL), ==, 10);
  act (card, "histogram.select-older");
  act (card, "histogram.select-older");
  g_assert_cmpint (sluice_histogram_chart_get_selected (chart), ==, 8);
  settle (window);
  keep_picture (window, "widget-histogram");
  gtk_window_destroy (GTK_WINDOW (window));
}

static GtkWidget *
find_descendant (GtkWidget *widget, GType type)
{
  GtkWidget *found = G_TYPE_CHECK_INSTANCE_TYPE (widget, type) ? widget : NULL;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_descendant (child, type);
  return found;
}

/* Also before the frame that is on its way, and of a card that is not in view. */
static void
test_picture (void)
{
  GtkWidget *card = sluice_settings_card_new ("results");
  GtkWidget *window = show (card, 500, 300);
  cairo_surface_t *paper = cairo_image_surface_create (CAIRO_FORMAT_RGB24, 250, 150);
  cairo_t *cr = cairo_create (paper);
  guint n_dark = 0;

  gtk_widget_queue_draw (card);
  {
    g_autoptr (GdkTexture) picture = sluice_card_dup_picture (SLUICE_CARD (card));
    g_assert_cmpint (gdk_texture_get_width (picture), ==, 500);
  }
  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_paint (cr);
  sluice_card_draw_on_paper (SLUICE_CARD (card), cr, 250, 150);
  cairo_surface_flush (paper);
  for (int y = 5; y < 30; y++)
    for (int x = 5; x < 100; x++)
      n_dark +=
          cairo_image_surface_get_data (paper)[y * cairo_image_surface_get_stride (paper) + 4 * x]
          < 128;
  g_assert_cmpuint (n_dark, >, 50); /* the title */
  cairo_destroy (cr);
  cairo_surface_destroy (paper);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Modes are a button each as long as the title has its room, and one menu where it has not. */
static void
test_modes (void)
{
  GtkWidget *cards[] = { sluice_histogram_card_new ("weights"),
                         sluice_settings_card_new ("results"),
                         sluice_histogram_card_new ("weights"),
                         sluice_settings_card_new ("results") };

  for (guint i = 0; i < G_N_ELEMENTS (cards); i++)
    {
      gboolean narrow = i >= 2;
      GtkWidget *window = show (cards[i], narrow ? 300 : 700, 300);
      GtkWidget *bar = find_descendant (cards[i], SLUICE_TYPE_MODE_BAR);
      GtkWidget *row = gtk_widget_get_first_child (bar), *one = gtk_widget_get_last_child (bar);

      g_assert_cmpint (gtk_widget_get_child_visible (row), ==, !narrow);
      g_assert_cmpint (gtk_widget_get_child_visible (one), ==, narrow);
      g_assert_cmpstr (gtk_menu_button_get_label (GTK_MENU_BUTTON (one)), ==,
                       i % 2 == 0 ? "ridges" : "table");
      gtk_widget_activate_action (cards[i], i % 2 == 0 ? "histogram.mode" : "settings.mode", "s",
                                  i % 2 == 0 ? "heat" : "scatter");
      g_assert_cmpstr (gtk_menu_button_get_label (GTK_MENU_BUTTON (one)), ==,
                       i % 2 == 0 ? "heat" : "scatter");
      settle (window);
      keep_picture (window, narrow ? "widget-modes-narrow" : "widget-modes");
      gtk_window_destroy (GTK_WINDOW (window));
    }
}

static guint
count_cut (GtkWidget *widget)
{
  guint n = GTK_IS_LABEL (widget)
            && pango_layout_is_ellipsized (gtk_label_get_layout (GTK_LABEL (widget)));

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n += count_cut (child);
  return n;
}

/* More columns than there is room for: names and numbers are whole all the same. */
static void
test_settings_list (void)
{
  static const char *const names[] = { "digits-mlp", "digits-mlp-12", "digits-mlp-123" };
  g_autoptr (SluiceSettingsTable) table = sluice_settings_table_new ();
  GtkWidget *list = sluice_settings_list_new ();
  GtkWidget *window = show (list, 240, 200);

  for (guint i = 0; i < 12; i++)
    {
      g_autofree char *name = g_strdup_printf ("%u", i);

      sluice_settings_table_add_column (table, name, TRUE, SLUICE_UNIT_NONE);
    }
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      SluiceSettingsRow *row =
          sluice_settings_table_add_row (table, i + 1, names[i], sluice_palette_color (i));

      for (guint k = 0; k < 12; k++)
        row->cells[k].number = 0.08949 / (k + 1);
    }
  sluice_settings_list_set_table (SLUICE_SETTINGS_LIST (list), table, TRUE);
  settle (window);
  keep_picture (window, "widget-settings-list");
  g_assert_cmpuint (count_cut (list), ==, 0);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* An 8x8 picture of a ring, as the digits are. */
static GBytes *
make_png (int shift)
{
  g_autofree guint8 *pixels = g_new0 (guint8, 8 * 8 * 4);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GdkTexture) texture = NULL;

  for (int y = 0; y < 8; y++)
    for (int x = 0; x < 8; x++)
      {
        int d = abs ((x - 4) * (x - 4) + (y - 4) * (y - 4) - 6 - shift);
        guint8 v = (guint8) MAX (0, 255 - 40 * d);

        memset (pixels + 4 * (8 * y + x), v, 3);
        pixels[4 * (8 * y + x) + 3] = 255;
      }
  bytes = g_bytes_new (pixels, 8 * 8 * 4);
  texture = gdk_memory_texture_new (8, 8, GDK_MEMORY_R8G8B8A8, bytes, 32);
  return gdk_texture_save_to_png_bytes (texture);
}

static void
test_images (void)
{
  GtkWidget *card = sluice_image_card_new ("mistakes");
  SluiceImageCard *images = SLUICE_IMAGE_CARD (card);
  g_autoptr (GArray) steps = NULL;
  const char *captions[] = { "0 → 5", "3 → 2", "6 → 9", "9 → 6", "broken" };
  g_autoptr (GBytes) broken = g_bytes_new_static ("no picture", 10);
  g_autoptr (GHashTable) kept = g_hash_table_new (g_int64_hash, g_int64_equal);
  GtkWidget *window;

  window = show (card, 560, 200);
  for (int step = 0; step < 5; step++)
    for (guint i = 0; i < 5; i++)
      {
        g_autoptr (GBytes) picture = i < 4 ? make_png (step + (int) i) : g_bytes_ref (broken);

        sluice_image_card_append (images, i, 100 * step, picture, captions[i]);
      }
  /* It follows the newest until told to stay. */
  g_assert_cmpint (sluice_image_card_get_step (images), ==, 400);
  settle (window);
  keep_picture (window, "widget-images");
  sluice_image_card_show_step (images, 250);
  g_assert_cmpint (sluice_image_card_get_step (images), ==, 200);
  sluice_image_card_append (images, 0, 500, broken, NULL);
  g_assert_cmpint (sluice_image_card_get_step (images), ==, 200);
  steps = g_array_new (FALSE, FALSE, sizeof (gint64));
  sluice_image_card_add_steps (images, steps);
  g_assert_cmpuint (steps->len, ==, 6);
  for (guint i = 0; i < steps->len; i += 5)
    g_hash_table_add (kept, &g_array_index (steps, gint64, i));
  sluice_image_card_keep_steps (images, kept);
  g_assert_cmpint (sluice_image_card_get_step (images), ==, 0);
  g_array_set_size (steps, 0);
  sluice_image_card_add_steps (images, steps);
  g_assert_cmpuint (steps->len, ==, 2);
  sluice_image_card_clear (images);
  g_assert_cmpint (sluice_image_card_get_step (images), ==, -1);
  settle (window);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* A head that says 20 000 x 20 000: what it would take is not taken. */
static void
test_large_image (void)
{
  static const guint8 head[] = { 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00,
                                 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x4e, 0x20,
                                 0x00, 0x00, 0x4e, 0x20, 0x08, 0x02, 0x00, 0x00, 0x00, 0x6c,
                                 0x12, 0xd1, 0x6e, 0x00, 0x00, 0x00, 0x0c, 0x49, 0x44, 0x41,
                                 0x54, 0x78, 0x9c, 0x63, 0x60, 0xa0, 0x3d, 0x00, 0x00, 0x00,
                                 0x64, 0x00, 0x01, 0x86, 0x64, 0x3c, 0x35 };
  g_autoptr (GBytes) bytes = g_bytes_new_static (head, sizeof head);
  GtkWidget *thumbnail = sluice_thumbnail_new ();
  GtkWidget *window;
  GtkLabel *caption;

  g_assert_cmpint (sluice_square_layout_choose (1, 300, 150), ==, 1);
  g_assert_cmpint (sluice_square_layout_choose (10, 300, 150), ==, 5);
  g_assert_cmpint (sluice_square_layout_choose (7, 600, 80), ==, 7);
  sluice_thumbnail_set (SLUICE_THUMBNAIL (thumbnail), bytes, "big");
  window = show (thumbnail, 300, 200);
  caption = GTK_LABEL (gtk_widget_get_first_child (thumbnail));
  while (strcmp (gtk_label_get_label (caption), "big") == 0)
    g_main_context_iteration (NULL, TRUE);
  g_assert_nonnull (strstr (gtk_label_get_label (caption), "too large"));
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
test_text (void)
{
  GtkWidget *card = sluice_text_card_new ("neighbours");
  GtkWidget *window = show (card, 320, 200);

  g_assert_cmpstr (sluice_text_card_get_text (SLUICE_TEXT_CARD (card)), ==, "");
  sluice_text_card_set (SLUICE_TEXT_CARD (card), 100, "mr: mrs\n<b>: no markup");
  g_assert_cmpstr (sluice_text_card_get_text (SLUICE_TEXT_CARD (card)), ==,
                   "mr: mrs\n<b>: no markup");
  settle (window);
  keep_picture (window, "widget-text");
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
test_sparkline (void)
{
  g_autoptr (SluiceSeriesBuffer) buffer = loss_curve (400);
  GtkWidget *line = sluice_sparkline_new ();
  GtkWidget *window;

  gtk_widget_set_halign (line, GTK_ALIGN_CENTER);
  gtk_widget_set_valign (line, GTK_ALIGN_CENTER);
  sluice_sparkline_set_source (SLUICE_SPARKLINE (line), sluice_series_buffer_as_source (buffer),
                               sluice_palette_color (2));
  window = show (line, 100, 50);
  keep_picture (window, "widget-sparkline");
  sluice_series_buffer_append (buffer, 400, 1.7e9 + 400, NAN);
  sluice_sparkline_refresh (SLUICE_SPARKLINE (line));
  settle (window);
  sluice_sparkline_set_source (SLUICE_SPARKLINE (line), NULL, sluice_palette_color (2));
  settle (window);
  gtk_window_destroy (GTK_WINDOW (window));
}

int
main (int argc, char **argv)
{
  /* The accessible tree is asked directly, not over the bus. */
  g_setenv ("GTK_A11Y", "test", TRUE);
  gtk_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ui/chart/card/actions", test_actions);
  g_test_add_func ("/ui/chart/card/properties", test_properties);
  g_test_add_func ("/ui/chart/card/redraws", test_redraws);
  g_test_add_func ("/ui/chart/card/room-for-buttons", test_room_for_buttons);
  g_test_add_func ("/ui/chart/card/big-series", test_big_series);
  g_test_add_func ("/ui/chart/card/accessible", test_accessible);
  g_test_add_func ("/ui/chart/card/values", test_values);
  g_test_add_func ("/ui/chart/card/tools", test_tools);
  g_test_add_func ("/ui/chart/card/export", test_export);
  g_test_add_func ("/ui/chart/card/csv-job", test_csv_job);
  g_test_add_func ("/ui/chart/histogram-card", test_histogram);
  g_test_add_func ("/ui/chart/card/picture", test_picture);
  g_test_add_func ("/ui/chart/modes", test_modes);
  g_test_add_func ("/ui/chart/settings-list", test_settings_list);
  g_test_add_func ("/ui/chart/image-card", test_images);
  g_test_add_func ("/ui/chart/card/large-image", test_large_image);
  g_test_add_func ("/ui/chart/text-card", test_text);
  g_test_add_func ("/ui/chart/sparkline", test_sparkline);
  return g_test_run ();
}

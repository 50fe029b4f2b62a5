/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/graph/watch-window.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app/break-rename.h"
#include "app/graph/inspector-rows.h"
#include "app/graph/value-pictures.h"
#include "app/graph/watched-output.h"
#include "ui/chart/histogram-card.h"
#include "ui/chart/sparkline.h"
#include "ui/chart/ticks.h"

#define RENEW_MS     250
#define N_BUCKETS    40
#define MOST_IMAGES  16
#define IMAGE_SIZE   360 /* pixels at least: smaller pictures are enlarged in whole squares */
#define MOST_ROWS    64
#define MOST_COLUMNS 32
#define MEAN_COLOR   4 /* as in the inspector */

typedef enum
{
  ROW_VALUE,
  ROW_RANGE,
  ROW_ZEROS,
  ROW_NON_FINITE,
  N_ROWS,
} Row;

struct _SluiceWatchWindow
{
  GtkWindow parent;
  char *edge, *node;
  guint port;
  SluiceRunController *controller;
  SluiceWatchedOutput *watched;
  SluiceSession *session; /* (nullable): that is watched */
  guint64 step;           /* of what is shown; 0: nothing yet */
  guint source;

  GtkLabel *note;
  SluiceInspectorRows rows;
  GtkLabel *values[N_ROWS];
  GtkLabel *caption, *image_caption, *table;
  SluiceSparkline *means;
  SluiceHistogramCard *histogram;
  guint run; /* of the histogram's chart */
  GtkPicture *image;
};

G_DEFINE_FINAL_TYPE (SluiceWatchWindow, sluice_watch_window, GTK_TYPE_WINDOW)

static const char *const row_names[N_ROWS] = { N_ ("Value"), N_ ("Min · mean · max"), N_ ("Zeros"),
                                               N_ ("Not finite") };

/* ---- what is seen ---- */

static void
show_numbers (SluiceWatchWindow *self)
{
  g_autofree char *memory = sluice_watched_output_memory (self->watched),
                  *range = sluice_watched_output_range (self->watched),
                  *zeros = sluice_watched_output_zeros (self->watched),
                  *non_finite = sluice_watched_output_non_finite (self->watched),
                  *note = sluice_watched_output_note (self->watched),
                  *caption = sluice_watched_output_caption (self->watched);
  const char *texts[N_ROWS] = { memory != NULL ? memory : "–", range, zeros, non_finite };
  for (guint i = 0; i < N_ROWS; i++)
    sluice_inspector_rows_renew (&self->rows, self->values[i], _ (row_names[i]), texts[i]);
  gtk_label_set_label (self->note, note);
  gtk_widget_set_visible (GTK_WIDGET (self->note), *note != '\0');
  gtk_label_set_label (self->caption, caption);
  sluice_sparkline_refresh (self->means);
}

static void
show_histogram (SluiceWatchWindow *self, const SluiceTensor *values)
{
  double edges[N_BUCKETS + 1], counts[N_BUCKETS];
  if (!sluice_value_histogram (values, N_BUCKETS, edges, counts))
    return;
  sluice_histogram_chart_append (sluice_histogram_card_get_chart (self->histogram), self->run,
                                 (gint64) self->step, N_BUCKETS, edges, counts);
  sluice_card_refresh (SLUICE_CARD (self->histogram));
}

/* Each pixel a square. */
static GdkTexture *
enlarge (const SluiceValueImage *image)
{
  guint times = MAX (IMAGE_SIZE / MAX (image->width, image->height), 1);
  gsize width = (gsize) image->width * times, height = (gsize) image->height * times;
  guint8 *pixels = g_malloc_n (width * height, 3);
  for (gsize y = 0; y < height; y++)
    for (gsize x = 0; x < width; x++)
      memcpy (pixels + 3 * (y * width + x),
              image->pixels + 3 * ((y / times) * image->width + x / times), 3);
  g_autoptr (GBytes) bytes = g_bytes_new_take (pixels, width * height * 3);
  return gdk_memory_texture_new ((int) width, (int) height, GDK_MEMORY_R8G8B8, bytes, width * 3);
}

static void
show_image (SluiceWatchWindow *self, const SluiceTensor *values)
{
  SluiceValueImage image = { 0 };
  if (!sluice_value_image (values, MOST_IMAGES, &image))
    return;
  g_autoptr (GdkTexture) texture = enlarge (&image);
  g_autofree char *step = sluice_format_step ((gint64) self->step);
  g_autofree char *caption =
      g_strdup_printf (_ ("step %s · %u of %u · black: least, white: greatest, red: not finite"),
                       step, image.n_shown, image.n);
  gtk_picture_set_paintable (self->image, GDK_PAINTABLE (texture));
  gtk_picture_set_alternative_text (self->image, caption);
  gtk_label_set_label (self->image_caption, caption);
  sluice_value_image_clear (&image);
}

static void
show_elements (SluiceWatchWindow *self)
{
  guint64 step = 0;
  g_autoptr (SluiceTensor) kept = sluice_watched_output_dup_kept (self->watched, &step);
  if (kept == NULL || step == self->step)
    return;
  g_autoptr (SluiceTensor) values = sluice_value_to_doubles (kept);
  if (values == NULL)
    return;
  self->step = step;
  show_histogram (self, values);
  show_image (self, values);
  g_autofree char *table = sluice_value_table (values, MOST_ROWS, MOST_COLUMNS);
  gtk_label_set_label (self->table, table);
}

static gboolean
renew_cb (gpointer data)
{
  SluiceWatchWindow *self = data;
  sluice_watched_output_read (self->watched);
  show_numbers (self);
  show_elements (self);
  return G_SOURCE_CONTINUE;
}

/* Another run has begun, or there is none any more. */
static void
controller_changed_cb (SluiceWatchWindow *self)
{
  SluiceSession *session = sluice_run_controller_get_state (self->controller) != SLUICE_CONTROL_IDLE
                               ? sluice_run_controller_get_session (self->controller)
                               : NULL;
  if (session == self->session || session == NULL) /* what was seen last stays there to be read */
    return;
  g_set_object (&self->session, session);
  self->step = 0;
  sluice_histogram_chart_clear_run (sluice_histogram_card_get_chart (self->histogram), self->run);
  sluice_watched_output_set (self->watched, session, self->node, self->port, FALSE);
  sluice_watched_output_keep (self->watched);
  sluice_sparkline_set_source (self->means, sluice_watched_output_get_means (self->watched),
                               sluice_palette_structure (MEAN_COLOR));
  show_numbers (self);
}

/* edge: (transfer full): "fc1/Relu:0" */
static void
set_edge (SluiceWatchWindow *self, char *edge)
{
  const char *colon = strrchr (edge, ':');
  g_free (self->edge);
  g_free (self->node);
  self->edge = edge;
  self->node = g_strndup (edge, (gsize) (colon - edge));
  self->port = (guint) g_ascii_strtoull (colon + 1, NULL, 10);
  gtk_window_set_title (GTK_WINDOW (self), edge);
  sluice_card_set_title (SLUICE_CARD (self->histogram), edge);
}

/* A run under way has the graph of its start, and is watched under the name of then. */
static void
renamed_cb (SluiceWatchWindow *self, GHashTable *renamed)
{
  char *edge = sluice_break_rename_edge (self->edge, renamed);
  if (edge != NULL)
    set_edge (self, edge);
}

/* ---- what it is made of ---- */

static GtkLabel *
new_label (const char *css_class)
{
  GtkLabel *label = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_wrap (label, TRUE);
  gtk_label_set_xalign (label, 0);
  gtk_label_set_selectable (label, TRUE);
  gtk_widget_add_css_class (GTK_WIDGET (label), css_class);
  return label;
}

static GtkWidget *
new_numbers (SluiceWatchWindow *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6), *means = sluice_sparkline_new ();
  sluice_inspector_rows_init (&self->rows, GTK_BOX (box));
  for (guint i = 0; i < N_ROWS; i++)
    self->values[i] = sluice_inspector_rows_add (&self->rows, _ (row_names[i]), "–");
  gtk_widget_set_vexpand (means, TRUE);
  self->means = SLUICE_SPARKLINE (means);
  self->caption = new_label ("dim-label");
  gtk_box_append (GTK_BOX (box), means);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->caption));
  return box;
}

static GtkWidget *
new_image (SluiceWatchWindow *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6), *image = gtk_picture_new ();
  gtk_widget_set_vexpand (image, TRUE);
  self->image = GTK_PICTURE (image);
  self->image_caption = new_label ("dim-label");
  gtk_box_append (GTK_BOX (box), image);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->image_caption));
  return box;
}

static GtkWidget *
new_table (SluiceWatchWindow *self)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();
  self->table = new_label ("monospace");
  gtk_label_set_wrap (self->table, FALSE);
  gtk_label_set_yalign (self->table, 0);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), GTK_WIDGET (self->table));
  return scroller;
}

static void
sluice_watch_window_dispose (GObject *object)
{
  SluiceWatchWindow *self = SLUICE_WATCH_WINDOW (object);
  g_clear_handle_id (&self->source, g_source_remove);
  g_clear_object (&self->controller);
  g_clear_object (&self->session);
  g_clear_pointer (&self->watched, sluice_watched_output_free);
  G_OBJECT_CLASS (sluice_watch_window_parent_class)->dispose (object);
}

static void
sluice_watch_window_finalize (GObject *object)
{
  SluiceWatchWindow *self = SLUICE_WATCH_WINDOW (object);
  sluice_inspector_rows_free (&self->rows);
  g_free (self->edge);
  g_free (self->node);
  G_OBJECT_CLASS (sluice_watch_window_parent_class)->finalize (object);
}

static void
sluice_watch_window_class_init (SluiceWatchWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = sluice_watch_window_dispose;
  G_OBJECT_CLASS (klass)->finalize = sluice_watch_window_finalize;
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
sluice_watch_window_init (SluiceWatchWindow *self)
{
  GtkWidget *bar = gtk_header_bar_new (), *switcher = gtk_stack_switcher_new (),
            *stack = gtk_stack_new (), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12);
  self->watched = sluice_watched_output_new ();
  self->histogram = SLUICE_HISTOGRAM_CARD (sluice_histogram_card_new (""));
  self->run = sluice_histogram_chart_add_run (sluice_histogram_card_get_chart (self->histogram), "",
                                              sluice_palette_structure (MEAN_COLOR));
  gtk_widget_set_vexpand (GTK_WIDGET (self->histogram), TRUE);
  gtk_stack_add_titled (GTK_STACK (stack), new_numbers (self), "value", _ ("Value"));
  gtk_stack_add_titled (GTK_STACK (stack), GTK_WIDGET (self->histogram), "histogram",
                        _ ("Histogram"));
  gtk_stack_add_titled (GTK_STACK (stack), new_image (self), "image", _ ("Image"));
  gtk_stack_add_titled (GTK_STACK (stack), new_table (self), "table", _ ("Table"));
  gtk_stack_switcher_set_stack (GTK_STACK_SWITCHER (switcher), GTK_STACK (stack));
  gtk_widget_set_vexpand (stack, TRUE);
  self->note = new_label ("dim-label");
  gtk_box_append (GTK_BOX (box), switcher);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->note));
  gtk_box_append (GTK_BOX (box), stack);
  gtk_widget_add_css_class (box, "watch");
  gtk_window_set_titlebar (GTK_WINDOW (self), bar);
  gtk_window_set_child (GTK_WINDOW (self), box);
  gtk_window_set_default_size (GTK_WINDOW (self), 480, 480);
}

/* The window of that value: (nullable). */
static GtkWindow *
find_window (const char *edge)
{
  g_autoptr (GList) all = gtk_window_list_toplevels ();
  for (GList *at = all; at != NULL; at = at->next)
    if (SLUICE_IS_WATCH_WINDOW (at->data)
        && g_str_equal (SLUICE_WATCH_WINDOW (at->data)->edge, edge))
      return at->data;
  return NULL;
}

void
sluice_watch_window_open (GtkWindow *parent, SluiceRunController *controller, const char *edge)
{
  GtkWindow *window = find_window (edge);
  if (window == NULL)
    {
      SluiceWatchWindow *self = g_object_new (SLUICE_TYPE_WATCH_WINDOW, "transient-for", parent,
                                              "destroy-with-parent", TRUE, NULL);
      set_edge (self, g_strdup (edge));
      self->controller = g_object_ref (controller);
      g_signal_connect_object (controller, "renamed", G_CALLBACK (renamed_cb), self,
                               G_CONNECT_SWAPPED);
      g_signal_connect_object (controller, "changed", G_CALLBACK (controller_changed_cb), self,
                               G_CONNECT_SWAPPED);
      show_numbers (self);
      controller_changed_cb (self);
      self->source = g_timeout_add (RENEW_MS, renew_cb, self);
      window = GTK_WINDOW (self);
    }
  gtk_window_present (window);
}

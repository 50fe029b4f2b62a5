/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What is drawn of runs that came of each other. */

#include "app/runs/lineage-view.h"

#include <string.h>

enum
{
  WIDTH = 700,
  STEPS = 1000, /* of the axis */
};

/* One run that went on at step 400 and dropped what it had done up to step 800, or (tail: 0) never
 * stopped. */
static SluiceLineage *
new_lineage (gint64 tail)
{
  SluiceRunInfo info = { .id = 1,
                         .name = (char *) "run",
                         .color = (char *) "#c01c28",
                         .state = SLUICE_RUN_FINISHED,
                         .step = STEPS,
                         .n_steps = STEPS };
  g_autoptr (GPtrArray) infos = g_ptr_array_new ();
  g_autoptr (GArray) wanted = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_ptr_array_add (infos, &info);
  g_array_append_val (wanted, info.id);
  SluiceLineage *self = sluice_lineage_new (infos, wanted, 5);
  const SluiceLineageTail dropped = { 400, 400 + tail };
  if (tail > 0)
    g_array_append_val (((SluiceLineageLine *) self->lines->pdata[0])->tails, dropped);
  return self;
}

static cairo_surface_t *
draw (gint64 tail)
{
  g_autoptr (GtkWidget) view = g_object_ref_sink (sluice_lineage_view_new ());
  int height;
  sluice_lineage_view_take (SLUICE_LINEAGE_VIEW (view), new_lineage (tail));
  gtk_widget_measure (view, GTK_ORIENTATION_VERTICAL, WIDTH, NULL, &height, NULL, NULL);
  gtk_widget_allocate (view, WIDTH, height, -1, NULL);
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  GTK_WIDGET_GET_CLASS (view)->snapshot (view, snapshot);
  GskRenderNode *node = gtk_snapshot_free_to_node (snapshot);
  cairo_surface_t *picture = cairo_image_surface_create (CAIRO_FORMAT_RGB24, WIDTH, height);
  cairo_t *cr = cairo_create (picture);
  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_paint (cr);
  gsk_render_node_draw (node, cr);
  cairo_destroy (cr);
  gsk_render_node_unref (node);
  cairo_surface_flush (picture);
  return picture;
}

static guint32
get_pixel (cairo_surface_t *picture, int x, int y)
{
  const guint8 *row =
      cairo_image_surface_get_data (picture) + y * cairo_image_surface_get_stride (picture);
  return ((const guint32 *) (const void *) row)[x] & 0xffffff;
}

static gboolean
is_grey (guint32 pixel)
{
  int r = pixel >> 16, g = (pixel >> 8) & 0xff, b = pixel & 0xff;
  return MAX (MAX (r, g), b) - MIN (MIN (r, g), b) < 32;
}

/* What a run did and dropped stays to be seen: below its line, as long as it was, and grey, where
 * the line has the colour that was chosen for the run. */
static void
test_tails (void)
{
  cairo_surface_t *with = draw (400), *without = draw (0);
  int n_columns = 0, n_colored = 0;
  for (int x = 0; x < WIDTH; x++)
    {
      gboolean has_tail = FALSE;
      for (int y = 0; y < cairo_image_surface_get_height (with); y++)
        {
          guint32 pixel = get_pixel (with, x, y), before = get_pixel (without, x, y);
          n_colored += !is_grey (pixel);
          if (pixel == before || !is_grey (before))
            continue; /* the line itself, which the tail leaves */
          has_tail |= pixel != 0xffffff;
          g_assert_true (is_grey (pixel));
        }
      n_columns += has_tail;
    }
  /* 400 of 1000 steps, in the width that names and words leave; and a word behind it. */
  g_assert_cmpint (n_columns, >, 400 * (WIDTH - 300) / STEPS);
  g_assert_cmpint (n_columns, <, 400 * WIDTH / STEPS);
  g_assert_cmpint (n_colored, >, (WIDTH - 300) / 2);
  cairo_surface_destroy (with);
  cairo_surface_destroy (without);
}

int
main (int argc, char **argv)
{
  gtk_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/lineage-view/tails", test_tails);
  return g_test_run ();
}

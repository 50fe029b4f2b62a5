/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/common/cell-label.h"

static void
get_size (GtkWidget *widget, int *width, int *height)
{
  gtk_widget_measure (widget, GTK_ORIENTATION_HORIZONTAL, -1, NULL, width, NULL, NULL);
  gtk_widget_measure (widget, GTK_ORIENTATION_VERTICAL, -1, NULL, height, NULL, NULL);
}

static void
test_size (void)
{
  g_autoptr (GtkWidget) widget =
      g_object_ref_sink (sluice_cell_label_new (FALSE, PANGO_ELLIPSIZE_END));
  int width, height, long_width, long_height;

  get_size (widget, &width, &height);
  g_assert_cmpint (width, ==, 0);
  g_assert_cmpint (height, >, 0);
  sluice_cell_label_set (SLUICE_CELL_LABEL (widget), "much longer words", "and more behind them");
  get_size (widget, &long_width, &long_height);
  g_assert_cmpint (long_width, ==, width);
  g_assert_cmpint (long_height, ==, height);
}

/* Of words and detail in so much room: where they are drawn, from left to right. */
static guint
list_places (GskRenderNode *node, float x, float *places, guint n)
{
  graphene_rect_t bounds;

  gsk_render_node_get_bounds (node, &bounds);
  if (gsk_render_node_get_node_type (node) == GSK_TEXT_NODE)
    places[n++] = x + bounds.origin.x;
  else if (gsk_render_node_get_node_type (node) == GSK_TRANSFORM_NODE)
    {
      float dx, dy;

      gsk_transform_to_translate (gsk_transform_node_get_transform (node), &dx, &dy);
      n = list_places (gsk_transform_node_get_child (node), x + dx, places, n);
    }
  else if (gsk_render_node_get_node_type (node) == GSK_CONTAINER_NODE)
    for (guint i = 0; i < gsk_container_node_get_n_children (node); i++)
      n = list_places (gsk_container_node_get_child (node, i), x, places, n);
  return n;
}

static guint
draw (gboolean at_end, const char *words, const char *detail, int room, float *places)
{
  g_autoptr (GtkWidget) widget =
      g_object_ref_sink (sluice_cell_label_new (at_end, PANGO_ELLIPSIZE_MIDDLE));
  g_autoptr (GtkSnapshot) snapshot = gtk_snapshot_new ();
  int width, height;

  sluice_cell_label_set (SLUICE_CELL_LABEL (widget), words, detail);
  get_size (widget, &width, &height);
  gtk_widget_allocate (widget, room, height, -1, NULL);
  GTK_WIDGET_GET_CLASS (widget)->snapshot (widget, snapshot);
  g_autoptr (GskRenderNode) node = gtk_snapshot_to_node (snapshot);
  return list_places (node, 0, places, 0);
}

static void
test_places (void)
{
  float places[8], right[8];

  g_assert_cmpuint (draw (FALSE, "lenet", NULL, 200, places), ==, 1);
  g_assert_cmpfloat (places[0], <, 10);
  g_assert_cmpuint (draw (TRUE, "0.1", NULL, 200, right), ==, 1);
  g_assert_cmpfloat (right[0], >, 150);
  g_assert_cmpuint (draw (FALSE, "lenet", "· 4", 200, places), ==, 2);
  g_assert_cmpfloat (places[1], >, places[0]);
  g_assert_cmpfloat (places[1], <, 100);
  /* What is too long leaves room for what stands behind it; its ellipsis is a node of its own. */
  guint n = draw (FALSE, "a name that is much longer than its column", "· 4", 90, places);
  g_assert_cmpuint (n, >, 2);
  g_assert_cmpfloat (places[n - 1], >, 50);
  g_assert_cmpfloat (places[n - 1], <, 90);
}

int
main (int argc, char **argv)
{
  gtk_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ui/common/cell-label/size", test_size);
  g_test_add_func ("/ui/common/cell-label/places", test_places);
  return g_test_run ();
}

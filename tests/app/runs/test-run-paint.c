/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "app/runs/run-paint.h"

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

/* In a row that is 200 pixels wide. */
static guint
draw (const SluiceRunWords *words, int room, gboolean mirrored, float *places)
{
  g_autoptr (GtkWidget) widget = g_object_ref_sink (gtk_label_new (NULL));
  SluiceRunPaint *paint = sluice_run_paint_new (widget);
  g_autoptr (GtkSnapshot) snapshot = gtk_snapshot_new ();
  const SluiceRunPen pen = { .paint = paint,
                             .snapshot = snapshot,
                             .row = widget,
                             .width = 200,
                             .height = sluice_run_paint_get_line_height (paint),
                             .mirrored = mirrored };

  g_assert_cmpint (pen.height, >, 0);
  sluice_run_pen_words (&pen, 0, room, words);
  sluice_run_paint_renew (paint);
  GskRenderNode *node = gtk_snapshot_to_node (snapshot);
  guint n = node != NULL ? list_places (node, 0, places, 0) : 0;
  g_clear_pointer (&node, gsk_render_node_unref);
  sluice_run_paint_free (paint);
  return n;
}

/* What has no room is told shorter, as far as there are words for it. */
static void
test_shorter (void)
{
  float whole[8], cut[8], shorter[8];
  const SluiceRunWords plain = { .text = "0.1276 ± 0.0123", .at_end = TRUE };
  SluiceRunWords both = plain;
  both.shorter = "0.1276";
  g_assert_cmpuint (draw (&both, 190, FALSE, whole), ==, 1);
  g_assert_cmpuint (draw (&plain, 190, FALSE, cut), ==, 1);
  g_assert_cmpfloat_with_epsilon (whole[0], cut[0], 0.01); /* there is room */
  g_assert_cmpuint (draw (&plain, 70, FALSE, cut), ==, 0); /* behind a clip */
  g_assert_cmpuint (draw (&both, 70, FALSE, shorter), ==, 1);
  g_assert_cmpfloat (shorter[0], >=, 0);
}

static void
test_places (void)
{
  const SluiceRunWords name = { .text = "lenet", .ellipsize = PANGO_ELLIPSIZE_MIDDLE };
  const SluiceRunWords number = { .text = "0.1", .at_end = TRUE, .ellipsize = PANGO_ELLIPSIZE_END };
  SluiceRunWords both = { .text = "lenet", .detail = "· 4", .ellipsize = PANGO_ELLIPSIZE_MIDDLE };
  float places[8];

  g_assert_cmpuint (draw (&name, 200, FALSE, places), ==, 1);
  g_assert_cmpfloat (places[0], <, 10);
  g_assert_cmpuint (draw (&name, 200, TRUE, places), ==, 1);
  g_assert_cmpfloat (places[0], >, 100); /* where text goes from right to left */
  g_assert_cmpuint (draw (&number, 200, FALSE, places), ==, 1);
  g_assert_cmpfloat (places[0], >, 150);
  g_assert_cmpuint (draw (&number, 200, TRUE, places), ==, 1);
  g_assert_cmpfloat (places[0], <, 10);
  g_assert_cmpuint (draw (&both, 200, FALSE, places), ==, 2);
  g_assert_cmpfloat (places[1], >, places[0]);
  g_assert_cmpfloat (places[1], <, 100);
  /* What is too long leaves room for what stands behind it; its ellipsis is a node of its own. */
  both.text = "a name that is much longer than its column";
  guint n = draw (&both, 90, FALSE, places);
  g_assert_cmpuint (n, >, 2);
  g_assert_cmpfloat (places[n - 1], >, 50);
  g_assert_cmpfloat (places[n - 1], <, 90);
  g_assert_cmpuint (draw (&both, 2, FALSE, places), ==, 0); /* no room */
  /* A state is never shortened: what stands behind it is there, or it is not. */
  both.text = "failed";
  both.detail = "NaN, 1695";
  both.ellipsize = PANGO_ELLIPSIZE_NONE;
  g_assert_cmpuint (draw (&both, 200, FALSE, places), ==, 2);
  g_assert_cmpuint (draw (&both, 80, FALSE, places), ==, 1);
}

/* A tag is as wide as what it says, up to a limit. */
static void
test_pills (void)
{
  g_autoptr (GtkWidget) widget = g_object_ref_sink (gtk_label_new (NULL));
  SluiceRunPaint *paint = sluice_run_paint_new (widget);
  g_autoptr (GtkSnapshot) snapshot = gtk_snapshot_new ();
  const SluiceRunPen pen = { paint, snapshot, widget, 400, 35, FALSE };
  g_autofree char *endless = g_strnfill (10000, 'm');

  int width = sluice_run_pen_pill (&pen, 0, "lenet", 0);
  int longer = sluice_run_pen_pill (&pen, 0, "lenet and more", 1);
  g_assert_cmpint (width, >, 20);
  g_assert_cmpint (longer, >, width);
  g_assert_cmpint (sluice_run_pen_pill (&pen, 0, endless, 2), <, 3 * longer);
  g_autoptr (GskRenderNode) node = gtk_snapshot_to_node (snapshot);
  g_assert_nonnull (node);
  sluice_run_paint_free (paint);
}

int
main (int argc, char **argv)
{
  gtk_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/run-paint/places", test_places);
  g_test_add_func ("/app/run-paint/shorter", test_shorter);
  g_test_add_func ("/app/run-paint/pills", test_pills);
  return g_test_run ();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/common/bar-layout.h"

/* 20 wide at least, and as wide as it is asked for. */
static GtkWidget *
new_child (int natural)
{
  GtkWidget *label = gtk_scrolled_window_new (), *inner = gtk_drawing_area_new ();

  gtk_widget_set_size_request (inner, natural, 10);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (label), GTK_POLICY_EXTERNAL,
                                  GTK_POLICY_NEVER);
  gtk_scrolled_window_set_propagate_natural_width (GTK_SCROLLED_WINDOW (label), TRUE);
  gtk_scrolled_window_set_has_frame (GTK_SCROLLED_WINDOW (label), FALSE);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (label), inner);
  gtk_widget_set_size_request (label, 20, -1);
  return label;
}

static GtkWidget *
new_bar (int spacing)
{
  GtkWidget *bar = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);

  gtk_widget_set_layout_manager (bar, sluice_bar_layout_new (spacing));
  return bar;
}

static void
assert_places (GtkWidget *bar, int room, const int *widths, guint n)
{
  GtkWidget *child = gtk_widget_get_first_child (bar);
  int least, natural;

  gtk_widget_measure (bar, GTK_ORIENTATION_HORIZONTAL, -1, &least, &natural, NULL, NULL);
  gtk_widget_measure (bar, GTK_ORIENTATION_VERTICAL, -1, &least, &natural, NULL, NULL);
  gtk_widget_allocate (bar, room, natural, -1, NULL);
  for (guint i = 0; i < n; i++, child = gtk_widget_get_next_sibling (child))
    g_assert_cmpint (gtk_widget_get_width (child), ==, widths[i]);
}

/* An entry, two buttons, and a box of two more. */
static void
test_widths (void)
{
  g_autoptr (GtkWidget) bar = g_object_ref_sink (new_bar (10));
  GtkWidget *entry = new_child (30), *first = new_child (100), *second = new_child (60);
  GtkWidget *inner = new_bar (10), *third = new_child (80), *fourth = new_child (50);

  gtk_widget_set_hexpand (entry, TRUE);
  gtk_box_append (GTK_BOX (bar), entry);
  gtk_box_append (GTK_BOX (bar), first);
  gtk_box_append (GTK_BOX (bar), second);
  gtk_box_append (GTK_BOX (bar), inner);
  gtk_box_append (GTK_BOX (inner), third);
  gtk_box_append (GTK_BOX (inner), fourth);
  /* All of it: 30 + 10 + 100 + 10 + 60 + 10 + (80 + 10 + 50) = 360 */
  assert_places (bar, 400, (const int[]){ 70, 100, 60, 140 }, 4);
  assert_places (bar, 360, (const int[]){ 30, 100, 60, 140 }, 4);
  /* One that does not fit leaves all of it to the entry. */
  assert_places (bar, 359, (const int[]){ 59, 100, 60, 110 }, 4);
  g_assert_cmpint (gtk_widget_get_width (third), ==, 80);
  g_assert_cmpint (gtk_widget_get_width (fourth), ==, 20);
  assert_places (bar, 200, (const int[]){ 40, 20, 60, 50 }, 4);
  /* Nothing unfolds before the entry has what it asks for. */
  assert_places (bar, 190, (const int[]){ 30, 20, 60, 50 }, 4);
  assert_places (bar, 189, (const int[]){ 39, 20, 20, 80 }, 4);
  assert_places (bar, 145, (const int[]){ 25, 20, 20, 50 }, 4);
  assert_places (bar, 140, (const int[]){ 20, 20, 20, 50 }, 4);
  gtk_widget_set_visible (first, FALSE);
  assert_places (bar, 250, (const int[]){ 30 }, 1);
}

/* Three buttons, of which the last one counts most. */
static void
test_from_end (void)
{
  g_autoptr (GtkWidget) bar = g_object_ref_sink (new_bar (10));

  sluice_bar_layout_set_from_end (SLUICE_BAR_LAYOUT (gtk_widget_get_layout_manager (bar)));
  for (guint i = 0; i < 3; i++)
    gtk_box_append (GTK_BOX (bar), new_child (60));
  assert_places (bar, 200, (const int[]){ 60, 60, 60 }, 3);
  assert_places (bar, 199, (const int[]){ 20, 60, 60 }, 3);
  assert_places (bar, 120, (const int[]){ 20, 20, 60 }, 3);
  assert_places (bar, 80, (const int[]){ 20, 20, 20 }, 3);
}

int
main (int argc, char **argv)
{
  gtk_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ui/common/bar-layout/widths", test_widths);
  g_test_add_func ("/ui/common/bar-layout/from-end", test_from_end);
  return g_test_run ();
}

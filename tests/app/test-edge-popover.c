/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What asks about an edge is as high as its words are at the width that they have, and grows when
 * something is wrong with it. */
#include "app/edge-popover.h"

#include <adwaita.h>

#define TEST_TYPE_POPOVER (test_popover_get_type ())
G_DECLARE_FINAL_TYPE (TestPopover, test_popover, TEST, POPOVER, SluiceEdgePopover)

struct _TestPopover
{
  SluiceEdgePopover parent;
};

G_DEFINE_FINAL_TYPE (TestPopover, test_popover, SLUICE_TYPE_EDGE_POPOVER)

static void
test_popover_class_init (TestPopoverClass *class)
{
}

static void
test_popover_init (TestPopover *self)
{
}

typedef struct
{
  GtkWidget *window, *popover, *button;
} Fixture;

static void
add_popover (Fixture *f)
{
  f->button = gtk_button_new_with_label ("Do");
  f->popover =
      g_object_new (TEST_TYPE_POPOVER, "content", gtk_entry_new (), "actions", f->button, NULL);
  gtk_widget_set_parent (f->popover, gtk_window_get_child (GTK_WINDOW (f->window)));
}

static void
set_up (Fixture *f, gconstpointer unused)
{
  f->window = gtk_window_new ();
  gtk_window_set_default_size (GTK_WINDOW (f->window), 400, 400);
  /* Like the canvas: no layout manager, which asks popovers how large they are. */
  gtk_window_set_child (GTK_WINDOW (f->window), gtk_drawing_area_new ());
  gtk_window_present (GTK_WINDOW (f->window));
  while (!gtk_widget_get_mapped (f->window))
    g_main_context_iteration (NULL, TRUE);
}

static void
tear_down (Fixture *f, gconstpointer unused)
{
  gtk_window_destroy (GTK_WINDOW (f->window));
}

/* The label's words, once they have their place. */
static void
wait_for (GtkWidget *label)
{
  while (gtk_widget_get_height (label) == 0)
    g_main_context_iteration (NULL, TRUE);
}

static GtkWidget *
get_label (Fixture *f, guint n)
{
  GtkWidget *part = gtk_widget_get_first_child (gtk_popover_get_child (GTK_POPOVER (f->popover)));
  for (; n > 0; n--)
    part = gtk_widget_get_next_sibling (part);
  return part;
}

/* How much room there is below the button, which stands last: what the surface is too small for is
 * drawn, and cut. */
static double
get_room (Fixture *f)
{
  double x, y;
  graphene_rect_t place;
  GtkNative *native = GTK_NATIVE (f->popover);
  g_assert_true (gtk_widget_compute_bounds (f->button, f->popover, &place));
  gtk_native_get_surface_transform (native, &x, &y);
  double end = y + place.origin.y + place.size.height;
  int height = gdk_surface_get_height (gtk_native_get_surface (native));
  g_test_message ("the button ends at %g of %d", end, height);
  return height - end;
}

/* For all lengths: a line more comes at one of them. */
static void
test_title (Fixture *f, gconstpointer unused)
{
  double room = 0;
  g_autoptr (GString) place = g_string_new ("Put another value into a");
  for (guint i = 0; i < 40; i++)
    {
      g_string_append_c (place, i % 2 == 0 ? ' ' : 'm');
      add_popover (f);
      sluice_edge_popover_set_place (SLUICE_EDGE_POPOVER (f->popover), "a:0", place->str);
      gtk_popover_popup (GTK_POPOVER (f->popover));
      wait_for (get_label (f, 0));
      room = i == 0 ? get_room (f) : room;
      g_assert_cmpfloat (get_room (f), ==, room);
      g_assert_cmpstr (sluice_edge_popover_get_place (SLUICE_EDGE_POPOVER (f->popover)), ==, "a:0");
      gtk_widget_unparent (f->popover);
    }
}

static void
test_wrong (Fixture *f, gconstpointer unused)
{
  add_popover (f);
  SluiceEdgePopover *popover = SLUICE_EDGE_POPOVER (f->popover);
  sluice_edge_popover_set_place (popover, "a:0", "Stop at a:0");
  gtk_popover_popup (GTK_POPOVER (popover));
  wait_for (get_label (f, 0));
  double room = get_room (f);
  sluice_edge_popover_tell_wrong (popover, "'x' is no number, and what stands behind it is none, "
                                           "so that nothing can be done with it at all");
  wait_for (get_label (f, 2));
  g_assert_cmpfloat (get_room (f), ==, room);
  sluice_edge_popover_tell_wrong (popover, NULL);
  g_assert_false (gtk_widget_get_visible (get_label (f, 2)));
  gtk_widget_unparent (f->popover);
}

int
main (int argc, char **argv)
{
  gtk_test_init (&argc, &argv);
  adw_init (); /* the style of the program */
  g_test_add ("/app/edge-popover/title", Fixture, NULL, set_up, test_title, tear_down);
  g_test_add ("/app/edge-popover/wrong", Fixture, NULL, set_up, test_wrong, tear_down);
  return g_test_run ();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/common/bar-layout.h"

struct _SluiceBarLayout
{
  GtkLayoutManager parent_instance;
  int spacing;
  gboolean from_end;
};

G_DEFINE_FINAL_TYPE (SluiceBarLayout, sluice_bar_layout, GTK_TYPE_LAYOUT_MANAGER)

/* The first child from @child on that takes room: (nullable). */
static GtkWidget *
skip_hidden (GtkWidget *child)
{
  while (child != NULL && !gtk_widget_should_layout (child))
    child = gtk_widget_get_next_sibling (child);
  return child;
}

static GtkWidget *
get_first (GtkWidget *bar)
{
  return skip_hidden (gtk_widget_get_first_child (bar));
}

static GtkWidget *
get_next (GtkWidget *child)
{
  return skip_hidden (gtk_widget_get_next_sibling (child));
}

static void
get_widths (GtkWidget *child, int *minimum, int *natural)
{
  gtk_widget_measure (child, GTK_ORIENTATION_HORIZONTAL, -1, minimum, natural, NULL, NULL);
}

static int share_out (SluiceBarLayout *self, GtkWidget *bar, int room, GArray *widths);

/* Of so much room, no less than its least width, what the child makes use of. */
static int
fit (GtkWidget *child, int room)
{
  GtkLayoutManager *layout = gtk_widget_get_layout_manager (child);
  int minimum, natural;

  get_widths (child, &minimum, &natural);
  if (room >= natural)
    return natural;
  return SLUICE_IS_BAR_LAYOUT (layout) ? share_out (SLUICE_BAR_LAYOUT (layout), child, room, NULL)
                                       : minimum;
}

/* Those that take room: (transfer full) (element-type GtkWidget) */
static GPtrArray *
list_children (GtkWidget *bar)
{
  GPtrArray *children = g_ptr_array_new ();

  for (GtkWidget *child = get_first (bar); child != NULL; child = get_next (child))
    g_ptr_array_add (children, child);
  return children;
}

/* Of so much room, what a child has: one that expands, before others unfold. */
static int
choose_width (GtkWidget *child, int room)
{
  int minimum, natural;

  get_widths (child, &minimum, &natural);
  return gtk_widget_get_hexpand (child) ? MIN (natural, room) : fit (child, room);
}

/* @widths: (nullable) (element-type int): gets those of the children that take room. Returns what
 * they make use of, all together. */
static int
share_out (SluiceBarLayout *self, GtkWidget *bar, int room, GArray *widths)
{
  g_autoptr (GPtrArray) children = list_children (bar);
  g_autoptr (GArray) own = g_array_new (FALSE, FALSE, sizeof (int));
  int used = -self->spacing, minimum, natural;

  for (guint i = 0; i < children->len; i++)
    {
      get_widths (children->pdata[i], &minimum, &natural);
      g_array_append_val (own, minimum);
      used += minimum + self->spacing;
    }
  for (guint k = 0; k < 2 * children->len; k++)
    {
      gboolean expands = k < children->len; /* these first */
      guint i = k % children->len;
      if (self->from_end)
        i = children->len - 1 - i;
      int *width = &g_array_index (own, int, i);
      if (gtk_widget_get_hexpand (children->pdata[i]) != expands)
        continue;
      int chosen = choose_width (children->pdata[i], *width + MAX (0, room - used));
      used += chosen - *width;
      *width = chosen;
    }
  if (widths != NULL)
    g_array_append_vals (widths, own->data, own->len);
  return used;
}

static void
sluice_bar_layout_measure (GtkLayoutManager *layout,
                           GtkWidget *widget,
                           GtkOrientation orientation,
                           int for_size,
                           int *minimum,
                           int *natural,
                           int *minimum_baseline,
                           int *natural_baseline)
{
  SluiceBarLayout *self = SLUICE_BAR_LAYOUT (layout);
  gboolean across = orientation == GTK_ORIENTATION_VERTICAL;

  *minimum = *natural = across || get_first (widget) == NULL ? 0 : -self->spacing;
  for (GtkWidget *child = get_first (widget); child != NULL; child = get_next (child))
    {
      int least, usual;

      gtk_widget_measure (child, orientation, -1, &least, &usual, NULL, NULL);
      *minimum = across ? MAX (*minimum, least) : *minimum + least + self->spacing;
      *natural = across ? MAX (*natural, usual) : *natural + usual + self->spacing;
    }
}

static guint
count_expanding (GtkWidget *bar)
{
  guint n = 0;

  for (GtkWidget *child = get_first (bar); child != NULL; child = get_next (child))
    n += gtk_widget_get_hexpand (child);
  return n;
}

static void
sluice_bar_layout_allocate (
    GtkLayoutManager *layout, GtkWidget *widget, int width, int height, int baseline)
{
  SluiceBarLayout *self = SLUICE_BAR_LAYOUT (layout);
  gboolean mirrored = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  g_autoptr (GArray) widths = g_array_new (FALSE, FALSE, sizeof (int));
  int left = MAX (0, width - share_out (self, widget, width, widths)), x = 0;
  guint i = 0, n = count_expanding (widget);

  for (GtkWidget *child = get_first (widget); child != NULL; child = get_next (child), i++)
    {
      int own = g_array_index (widths, int, i);

      if (gtk_widget_get_hexpand (child))
        {
          int more = left / (int) n--;

          own += more;
          left -= more;
        }
      gtk_widget_allocate (
          child, own, height, baseline,
          gsk_transform_translate (
              NULL, &GRAPHENE_POINT_INIT ((float) (mirrored ? width - x - own : x), 0)));
      x += own + self->spacing;
    }
}

static void
sluice_bar_layout_class_init (SluiceBarLayoutClass *klass)
{
  GtkLayoutManagerClass *layout_class = GTK_LAYOUT_MANAGER_CLASS (klass);

  layout_class->measure = sluice_bar_layout_measure;
  layout_class->allocate = sluice_bar_layout_allocate;
}

static void
sluice_bar_layout_init (SluiceBarLayout *self)
{
}

GtkLayoutManager *
sluice_bar_layout_new (int spacing)
{
  SluiceBarLayout *self = g_object_new (SLUICE_TYPE_BAR_LAYOUT, NULL);

  self->spacing = spacing;
  return GTK_LAYOUT_MANAGER (self);
}

void
sluice_bar_layout_set_from_end (SluiceBarLayout *self)
{
  self->from_end = TRUE;
}

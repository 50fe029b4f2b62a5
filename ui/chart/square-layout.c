/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/square-layout.h"

#define GAP   10
#define LEAST 48

struct _SluiceSquareLayout
{
  GtkLayoutManager parent_instance;
};

G_DEFINE_FINAL_TYPE (SluiceSquareLayout, sluice_square_layout, GTK_TYPE_LAYOUT_MANAGER)

static int
get_side (int n, int columns, int width, int height)
{
  int rows = (n + columns - 1) / columns;

  return MIN ((width + GAP) / columns, (height + GAP) / rows) - GAP;
}

int
sluice_square_layout_choose (int n, int width, int height)
{
  int best = 1;

  for (int columns = 2; columns <= n; columns++)
    if (get_side (n, columns, width, height) > get_side (n, best, width, height))
      best = columns;
  return best;
}

static int
count_children (GtkWidget *widget)
{
  int n = 0;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n += gtk_widget_should_layout (child);
  return n;
}

static void
measure (GtkLayoutManager *manager,
         GtkWidget *widget,
         GtkOrientation orientation,
         int for_size,
         int *minimum,
         int *natural,
         int *minimum_baseline,
         int *natural_baseline)
{
  *minimum = LEAST;
  *natural = 2 * LEAST;
}

static void
allocate (GtkLayoutManager *manager, GtkWidget *widget, int width, int height, int baseline)
{
  gboolean mirrored = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  int n = count_children (widget);
  int columns = sluice_square_layout_choose (n, width, height);
  int rows = (n + columns - 1) / columns;
  int i = 0;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkAllocation area = { 0 };

      if (!gtk_widget_should_layout (child))
        continue;
      area.width = MAX (1, get_side (n, columns, width, height));
      area.height = MAX (1, (height + GAP) / rows - GAP);
      area.x = (i % columns) * (area.width + GAP);
      area.y = (i / columns) * (area.height + GAP);
      if (mirrored)
        area.x = width - area.x - area.width;
      gtk_widget_size_allocate (child, &area, -1);
      i++;
    }
}

static void
sluice_square_layout_class_init (SluiceSquareLayoutClass *klass)
{
  GtkLayoutManagerClass *manager_class = GTK_LAYOUT_MANAGER_CLASS (klass);

  manager_class->measure = measure;
  manager_class->allocate = allocate;
}

static void
sluice_square_layout_init (SluiceSquareLayout *self)
{
}

GtkLayoutManager *
sluice_square_layout_new (void)
{
  return g_object_new (SLUICE_TYPE_SQUARE_LAYOUT, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/common/wrap.h"

struct _SluiceWrap
{
  GtkWidget parent;
  int spacing;
  gboolean columns;
};

G_DEFINE_FINAL_TYPE (SluiceWrap, sluice_wrap, GTK_TYPE_WIDGET)

/* ---- lines ---- */

/* From a child on: those that stand in one line. */
typedef struct
{
  GtkWidget *first, *end; /* end: (nullable): the first one of the next line */
  guint n, n_expand;
  int natural; /* width of all */
} Line;

static GtkWidget *
skip_hidden (GtkWidget *child)
{
  while (child != NULL && !gtk_widget_should_layout (child))
    child = gtk_widget_get_next_sibling (child);
  return child;
}

static GtkWidget *
next_child (GtkWidget *child)
{
  return skip_hidden (gtk_widget_get_next_sibling (child));
}

static void
get_widths (GtkWidget *child, int *least, int *natural)
{
  gtk_widget_measure (child, GTK_ORIENTATION_HORIZONTAL, -1, least, natural, NULL, NULL);
}

/* How many columns fit; 0: as many as there are children. */
static guint
count_columns (SluiceWrap *self, int width)
{
  guint n = 0;
  int widest = 1;
  for (GtkWidget *c = skip_hidden (gtk_widget_get_first_child (GTK_WIDGET (self))); c != NULL;
       c = next_child (c))
    {
      int least, natural;
      get_widths (c, &least, &natural);
      widest = MAX (widest, least);
      n++;
    }
  return (guint) CLAMP ((width + self->spacing) / (widest + self->spacing), 1, (int) MAX (n, 1));
}

static Line
get_line (SluiceWrap *self, GtkWidget *first, int width, guint most)
{
  Line line = { first, first, 0, 0, 0 };
  while (line.end != NULL && (most == 0 || line.n < most))
    {
      int least, natural;
      get_widths (line.end, &least, &natural);
      int added = natural + (line.n > 0 ? self->spacing : 0);
      if (most == 0 && line.n > 0 && line.natural + added > width)
        break;
      line.natural += added;
      line.n++;
      line.n_expand += gtk_widget_compute_expand (line.end, GTK_ORIENTATION_HORIZONTAL);
      line.end = next_child (line.end);
    }
  return line;
}

/* Of a child in a line. */
static int
get_width (SluiceWrap *self, const Line *line, GtkWidget *child, int width, guint most)
{
  int least, natural;
  if (most > 0)
    return (width - (int) (most - 1) * self->spacing) / (int) most;
  get_widths (child, &least, &natural);
  if (line->natural > width) /* alone, and too wide */
    return MAX (least, width);
  if (gtk_widget_compute_expand (child, GTK_ORIENTATION_HORIZONTAL))
    natural += (width - line->natural) / (int) line->n_expand;
  return natural;
}

static int
get_height (SluiceWrap *self, const Line *line, int width, guint most)
{
  int height = 0;
  for (GtkWidget *c = line->first; c != line->end; c = next_child (c))
    {
      int natural;
      gtk_widget_measure (c, GTK_ORIENTATION_VERTICAL, get_width (self, line, c, width, most), NULL,
                          &natural, NULL, NULL);
      height = MAX (height, natural);
    }
  return height;
}

/* ---- the widget ---- */

static void
measure_width (SluiceWrap *self, int *minimum, int *natural)
{
  for (GtkWidget *c = skip_hidden (gtk_widget_get_first_child (GTK_WIDGET (self))); c != NULL;
       c = next_child (c))
    {
      int least, wanted;
      get_widths (c, &least, &wanted);
      *minimum = MAX (*minimum, least);
      *natural += wanted + (*natural > 0 ? self->spacing : 0);
    }
}

static void
sluice_wrap_measure (GtkWidget *widget,
                     GtkOrientation orientation,
                     int for_size,
                     int *minimum,
                     int *natural,
                     int *minimum_baseline,
                     int *natural_baseline)
{
  SluiceWrap *self = SLUICE_WRAP (widget);
  *minimum = *natural = 0;
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    {
      measure_width (self, minimum, natural);
      return;
    }
  int width = for_size;
  if (width < 0)
    {
      int least = 0, wanted = 0;
      measure_width (self, &least, &wanted);
      width = wanted;
    }
  guint most = self->columns ? count_columns (self, width) : 0;
  GtkWidget *child = skip_hidden (gtk_widget_get_first_child (widget));
  while (child != NULL)
    {
      Line line = get_line (self, child, width, most);
      *natural += get_height (self, &line, width, most) + (*natural > 0 ? self->spacing : 0);
      child = line.end;
    }
  *minimum = *natural;
}

static void
sluice_wrap_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  SluiceWrap *self = SLUICE_WRAP (widget);
  gboolean is_rtl = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  guint most = self->columns ? count_columns (self, width) : 0;
  GtkWidget *child = skip_hidden (gtk_widget_get_first_child (widget));
  int y = 0;
  while (child != NULL)
    {
      Line line = get_line (self, child, width, most);
      int line_height = get_height (self, &line, width, most), x = 0;
      for (; child != line.end; child = next_child (child))
        {
          int child_width = get_width (self, &line, child, width, most);
          gtk_widget_size_allocate (
              child,
              &(GtkAllocation){ is_rtl ? width - x - child_width : x, y, child_width, line_height },
              -1);
          x += child_width + self->spacing;
        }
      y += line_height + self->spacing;
    }
}

static GtkSizeRequestMode
sluice_wrap_get_request_mode (GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
sluice_wrap_dispose (GObject *object)
{
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_widget_unparent (child);
  G_OBJECT_CLASS (sluice_wrap_parent_class)->dispose (object);
}

static void
sluice_wrap_class_init (SluiceWrapClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = sluice_wrap_dispose;
  widget_class->measure = sluice_wrap_measure;
  widget_class->size_allocate = sluice_wrap_size_allocate;
  widget_class->get_request_mode = sluice_wrap_get_request_mode;
}

static void
sluice_wrap_init (SluiceWrap *self)
{
}

GtkWidget *
sluice_wrap_new (int spacing, gboolean columns)
{
  SluiceWrap *self = g_object_new (SLUICE_TYPE_WRAP, NULL);
  self->spacing = spacing;
  self->columns = columns;
  return GTK_WIDGET (self);
}

void
sluice_wrap_append (SluiceWrap *self, GtkWidget *child)
{
  gtk_widget_set_parent (child, GTK_WIDGET (self));
}

void
sluice_wrap_insert_before (SluiceWrap *self, GtkWidget *child, GtkWidget *next)
{
  gtk_widget_insert_before (child, GTK_WIDGET (self), next);
}

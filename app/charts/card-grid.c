/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/charts/card-grid.h"

#include <glib/gi18n.h>

#include "ui/chart/ticks.h"
#include "ui/common/card.h"

enum
{
  CARD_WIDTH = 320, /* least */
  CARD_HEIGHT = 238,
  LARGE_HEIGHT = 500,
  HEADING_HEIGHT = 34,
  GAP = 16,
  TOP = 12,
  SIDE = 20,
  /* Of a page that was not shown yet. */
  ASSUMED_WIDTH = 1000,
  ASSUMED_HEIGHT = 800,
};

/* A heading or a card, where it stands. */
typedef struct
{
  gpointer key;                      /* the item, or the group's title */
  const SluiceCardGroup *heading_of; /* (nullable): of a card */
  GdkRectangle area;
} Place;

struct _SluiceCardGrid
{
  GtkWidget parent;
  const SluiceCardGridFuncs *funcs;
  gpointer data;
  GPtrArray *groups;
  GArray *places;      /* from top to bottom, and in a row from the start to the end */
  GHashTable *widgets; /* key -> GtkWidget, of the places that have one */
  GArray *living;      /* of guint: these places, ascending */
  int width, height;   /* what places were made for, and what they take */
  GtkAdjustment *scrolled;
  guint update_source;
  gboolean keeps_all;
};

G_DEFINE_FINAL_TYPE (SluiceCardGrid, sluice_card_grid, GTK_TYPE_WIDGET)

static guint toggled_signal;

SluiceCardGroup *
sluice_card_group_new (const char *title)
{
  SluiceCardGroup *self = g_new0 (SluiceCardGroup, 1);
  self->title = g_strdup (title);
  self->items = g_ptr_array_new ();
  return self;
}

void
sluice_card_group_free (gpointer group)
{
  SluiceCardGroup *self = group;
  g_free (self->title);
  g_ptr_array_unref (self->items);
  g_free (self);
}

/* ---- where everything stands ---- */

typedef struct
{
  int x, y, column, n_columns, card_width;
} Pen;

static void
end_row (Pen *pen)
{
  if (pen->column > 0)
    pen->y += CARD_HEIGHT + GAP;
  pen->column = 0;
}

static void
place_card (SluiceCardGrid *self, Pen *pen, gpointer item)
{
  gboolean large = self->funcs->is_large (item, self->data);
  if (large)
    end_row (pen);
  Place place = { .key = item,
                  .area = { SIDE + pen->column * (pen->card_width + GAP), pen->y,
                            large ? self->width - 2 * SIDE : pen->card_width,
                            large ? LARGE_HEIGHT : CARD_HEIGHT } };
  g_array_append_val (self->places, place);
  if (large)
    pen->y += LARGE_HEIGHT + GAP;
  else if (++pen->column == pen->n_columns)
    end_row (pen);
}

static void
place_group (SluiceCardGrid *self, Pen *pen, const SluiceCardGroup *group)
{
  if (group->title != NULL)
    {
      Place place = { group->title,
                      group,
                      { SIDE, pen->y, self->width - 2 * SIDE, HEADING_HEIGHT } };
      g_array_append_val (self->places, place);
      pen->y += HEADING_HEIGHT + GAP / 2;
    }
  for (guint i = 0; i < group->items->len && !(group->title != NULL && group->collapsed); i++)
    place_card (self, pen, group->items->pdata[i]);
  end_row (pen);
}

static void
place_all (SluiceCardGrid *self, int width)
{
  Pen pen = { .y = TOP };
  self->width = MAX (width, CARD_WIDTH + 2 * SIDE);
  pen.n_columns = MAX (1, (self->width - 2 * SIDE + GAP) / (CARD_WIDTH + GAP));
  pen.card_width = (self->width - 2 * SIDE + GAP) / pen.n_columns - GAP;
  g_array_set_size (self->places, 0);
  for (guint i = 0; i < self->groups->len; i++)
    place_group (self, &pen, self->groups->pdata[i]);
  self->height = pen.y + SIDE - GAP;
}

/* ---- which of it exists ---- */

static void
heading_clicked_cb (GtkButton *button, SluiceCardGrid *self)
{
  g_autofree char *title = g_strdup (gtk_widget_get_name (GTK_WIDGET (button)));
  g_signal_emit (self, toggled_signal, 0, title);
}

static GtkWidget *
new_heading (SluiceCardGrid *self, const SluiceCardGroup *group)
{
  GtkWidget *button = gtk_button_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *arrow =
      gtk_image_new_from_icon_name (group->collapsed ? "pan-end-symbolic" : "pan-down-symbolic");
  GtkWidget *title = gtk_label_new (group->title);
  g_autofree char *count = sluice_format_step (group->items->len);
  GtkWidget *number = gtk_label_new (count);
  gtk_label_set_ellipsize (GTK_LABEL (title), PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_add_css_class (title, "heading");
  gtk_widget_add_css_class (number, "dim-label");
  gtk_widget_add_css_class (number, "numeric");
  gtk_box_append (GTK_BOX (box), arrow);
  gtk_box_append (GTK_BOX (box), title);
  gtk_box_append (GTK_BOX (box), number);
  gtk_button_set_child (GTK_BUTTON (button), box);
  gtk_widget_set_name (button, group->title);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_add_css_class (button, "card-group");
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  group->title, -1);
  gtk_accessible_update_state (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_STATE_EXPANDED,
                               !group->collapsed, -1);
  g_signal_connect (button, "clicked", G_CALLBACK (heading_clicked_cb), self);
  return button;
}

/* The part of the grid that is seen. */
static void
get_view (SluiceCardGrid *self, int *top, int *bottom)
{
  double size = self->scrolled != NULL ? gtk_adjustment_get_page_size (self->scrolled) : 0;
  *top = size > 0 ? (int) gtk_adjustment_get_value (self->scrolled) : 0;
  *bottom = *top + (size > 0 ? (int) size : ASSUMED_HEIGHT);
}

static gboolean
is_within (const Place *place, int top, int bottom)
{
  return place->area.y + place->area.height > top && place->area.y < bottom;
}

static void
drop_widget (SluiceCardGrid *self, gpointer key, GtkWidget *widget)
{
  if (!GTK_IS_BUTTON (widget))
    self->funcs->drop (key, self->data);
  gtk_widget_unparent (widget);
}

static const Place *
find_place (SluiceCardGrid *self, gpointer item)
{
  for (guint i = 0; i < self->places->len; i++)
    if (g_array_index (self->places, Place, i).key == item)
      return &g_array_index (self->places, Place, i);
  return NULL;
}

/* The first place that may reach below @y: they stand from top to bottom, none higher than a large
 * card. */
static guint
find_first (SluiceCardGrid *self, int y)
{
  guint low = 0, high = self->places->len;
  while (low < high)
    {
      guint middle = low + (high - low) / 2;
      if (g_array_index (self->places, Place, middle).area.y + LARGE_HEIGHT <= y)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* Other widths change where places are, not their order. */
static const Place *
get_living (SluiceCardGrid *self, guint i)
{
  return &g_array_index (self->places, Place, g_array_index (self->living, guint, i));
}

/* A picture is half a megabyte and more: only cards that are seen have one, and those that a turn
 * of the wheel brings back. */
static void
forget_unseen (SluiceCardGrid *self)
{
  int top, bottom;
  get_view (self, &top, &bottom);
  const int around = (bottom - top) / 2;
  top -= around;
  bottom += around;
  for (guint i = 0; i < self->living->len; i++)
    {
      const Place *place = get_living (self, i);
      GtkWidget *widget = g_hash_table_lookup (self->widgets, place->key);
      if (SLUICE_IS_CARD (widget) && !is_within (place, top, bottom))
        sluice_card_forget_picture (SLUICE_CARD (widget));
    }
}

/* Gives a place its widget, behind those that were given one. Returns: whether that is new there */
static gboolean
ensure_widget (SluiceCardGrid *self, GArray *living, GHashTable *kept, guint i)
{
  const Place *place = &g_array_index (self->places, Place, i);
  GtkWidget *widget = g_hash_table_lookup (self->widgets, place->key), *before = NULL;
  gboolean is_new = widget == NULL;
  if (living->len > 0)
    before = g_hash_table_lookup (
        kept,
        g_array_index (self->places, Place, g_array_index (living, guint, living->len - 1)).key);
  if (is_new)
    widget = place->heading_of != NULL ? new_heading (self, place->heading_of)
                                       : self->funcs->create (place->key, self->data);
  else
    g_hash_table_steal (self->widgets, place->key);
  if (is_new || gtk_widget_get_prev_sibling (widget) != before)
    {
      gtk_widget_insert_after (widget, GTK_WIDGET (self), before);
      is_new = TRUE;
    }
  g_hash_table_insert (kept, place->key, widget);
  g_array_append_val (living, i);
  return is_new;
}

/* (nullable): the key of the widget that has the focus. */
static gpointer
find_focused (SluiceCardGrid *self)
{
  GtkWidget *focus = gtk_widget_get_focus_child (GTK_WIDGET (self));
  GHashTableIter iter;
  gpointer key, widget;
  g_hash_table_iter_init (&iter, self->widgets);
  while (focus != NULL && g_hash_table_iter_next (&iter, &key, &widget))
    if (widget == focus)
      return key;
  return NULL;
}

/* Makes what is within a view's height of the view, in the order of places, and lets go of what is
 * farther away, unless it has the focus. Of a million cards it costs no more than of those. */
static void
update (SluiceCardGrid *self)
{
  g_autoptr (GHashTable) kept = g_hash_table_new (NULL, NULL);
  GArray *living = g_array_new (FALSE, FALSE, sizeof (guint));
  gpointer focused = find_focused (self);
  int top, bottom;
  gboolean changed = FALSE;
  get_view (self, &top, &bottom);
  int margin = bottom - top;
  guint first = self->keeps_all ? 0 : find_first (self, top - margin), i = first;
  const Place *far = focused != NULL ? find_place (self, focused) : NULL;
  guint at =
      far != NULL ? (guint) (far - (const Place *) (gpointer) self->places->data) : G_MAXUINT;
  if (at < first)
    changed |= ensure_widget (self, living, kept, at);
  for (; i < self->places->len; i++)
    {
      const Place *place = &g_array_index (self->places, Place, i);
      if (!self->keeps_all && place->area.y >= bottom + margin)
        break;
      if (i == at || self->keeps_all || is_within (place, top - margin, bottom + margin))
        changed |= ensure_widget (self, living, kept, i);
    }
  if (at != G_MAXUINT && at >= i)
    changed |= ensure_widget (self, living, kept, at);
  changed |= g_hash_table_size (self->widgets) > 0;
  GHashTableIter iter;
  gpointer key, widget;
  g_hash_table_iter_init (&iter, self->widgets);
  while (g_hash_table_iter_next (&iter, &key, &widget))
    drop_widget (self, key, widget);
  g_hash_table_unref (self->widgets);
  g_array_unref (self->living);
  self->widgets = g_steal_pointer (&kept);
  self->living = living;
  if (!self->keeps_all)
    forget_unseen (self);
  if (changed) /* else each frame would ask for the next one */
    gtk_widget_queue_allocate (GTK_WIDGET (self));
}

static gboolean
update_cb (gpointer data)
{
  SluiceCardGrid *self = data;
  self->update_source = 0;
  update (self);
  return G_SOURCE_REMOVE;
}

/* Before the next frame, and not while sizes are given out. */
static void
queue_update (SluiceCardGrid *self)
{
  if (self->update_source == 0)
    self->update_source = g_idle_add_full (GDK_PRIORITY_REDRAW - 10, update_cb, self, NULL);
}

/* What was drawn last is only what was seen then. */
static void
scrolled_cb (SluiceCardGrid *self)
{
  gtk_widget_queue_draw (GTK_WIDGET (self));
  queue_update (self);
}

/* ---- what pages call ---- */

void
sluice_card_grid_set_funcs (SluiceCardGrid *self, const SluiceCardGridFuncs *funcs, gpointer data)
{
  g_assert (self->funcs == NULL);
  self->funcs = funcs;
  self->data = data;
}

/* Headings say what may have changed: they are made anew. */
static void
drop_headings (SluiceCardGrid *self)
{
  for (guint i = 0; i < self->groups->len; i++)
    {
      const SluiceCardGroup *group = self->groups->pdata[i];
      GtkWidget *heading =
          group->title != NULL ? g_hash_table_lookup (self->widgets, group->title) : NULL;
      if (heading == NULL)
        continue;
      g_hash_table_remove (self->widgets, group->title);
      gtk_widget_unparent (heading);
    }
}

void
sluice_card_grid_set_groups (SluiceCardGrid *self, GPtrArray *groups)
{
  GtkWidget *focus = gtk_widget_get_focus_child (GTK_WIDGET (self));
  g_autofree char *focused = GTK_IS_BUTTON (focus) ? g_strdup (gtk_widget_get_name (focus)) : NULL;
  drop_headings (self);
  g_ptr_array_unref (self->groups);
  self->groups = groups;
  sluice_card_grid_relayout (self);
  for (guint i = 0; focused != NULL && i < groups->len; i++)
    {
      const SluiceCardGroup *group = groups->pdata[i];
      GtkWidget *heading =
          group->title != NULL ? g_hash_table_lookup (self->widgets, group->title) : NULL;
      if (heading != NULL && g_str_equal (group->title, focused))
        gtk_widget_grab_focus (heading);
    }
}

void
sluice_card_grid_relayout (SluiceCardGrid *self)
{
  place_all (self, self->width > 0 ? self->width : ASSUMED_WIDTH);
  update (self);
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

void
sluice_card_grid_set_keeps_all (SluiceCardGrid *self, gboolean keeps_all)
{
  self->keeps_all = keeps_all;
  update (self);
}

gboolean
sluice_card_grid_shows (SluiceCardGrid *self, gpointer item)
{
  GtkWidget *widget = g_hash_table_lookup (self->widgets, item);
  int top, bottom;
  if (widget == NULL || !gtk_widget_get_mapped (widget))
    return FALSE;
  get_view (self, &top, &bottom);
  graphene_rect_t bounds;
  return gtk_widget_compute_bounds (widget, GTK_WIDGET (self), &bounds)
         && bounds.origin.y + bounds.size.height > top && bounds.origin.y < bottom;
}

void
sluice_card_grid_reveal (SluiceCardGrid *self, gpointer item)
{
  const Place *place = find_place (self, item);
  if (place == NULL)
    return;
  if (self->scrolled != NULL)
    gtk_adjustment_clamp_page (self->scrolled, place->area.y - GAP,
                               place->area.y + place->area.height + GAP);
  update (self);
  gtk_widget_grab_focus (g_hash_table_lookup (self->widgets, item));
}

/* ---- as a widget ---- */

static GtkSizeRequestMode
sluice_card_grid_get_request_mode (GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
sluice_card_grid_measure (GtkWidget *widget,
                          GtkOrientation orientation,
                          int for_size,
                          int *minimum,
                          int *natural,
                          int *minimum_baseline,
                          int *natural_baseline)
{
  SluiceCardGrid *self = SLUICE_CARD_GRID (widget);
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    {
      *minimum = CARD_WIDTH + 2 * SIDE;
      *natural = 2 * CARD_WIDTH + GAP + 2 * SIDE;
      return;
    }
  if (for_size > 0 && for_size != self->width)
    place_all (self, for_size);
  *minimum = *natural = self->height;
}

static void
sluice_card_grid_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  SluiceCardGrid *self = SLUICE_CARD_GRID (widget);
  gboolean mirrored = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  if (width != self->width)
    place_all (self, width);
  for (guint i = 0; i < self->living->len; i++)
    {
      const Place *place = get_living (self, i);
      GtkWidget *child = g_hash_table_lookup (self->widgets, place->key);
      GdkRectangle area = place->area;
      int least;
      if (mirrored)
        area.x = width - area.x - area.width;
      gtk_widget_measure (child, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
      area.width = MAX (area.width, least);
      gtk_widget_measure (child, GTK_ORIENTATION_VERTICAL, area.width, &least, NULL, NULL, NULL);
      area.height = MAX (area.height, least);
      gtk_widget_size_allocate (child, &area, -1);
    }
  queue_update (self);
}

/* Only what is seen takes part in a frame. */
static void
sluice_card_grid_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  SluiceCardGrid *self = SLUICE_CARD_GRID (widget);
  int top, bottom;
  get_view (self, &top, &bottom);
  for (guint i = 0; i < self->living->len; i++)
    {
      const Place *place = get_living (self, i);
      GtkWidget *child = g_hash_table_lookup (self->widgets, place->key);
      if (is_within (place, top, bottom))
        gtk_widget_snapshot_child (widget, child, snapshot);
    }
}

static void
sluice_card_grid_root (GtkWidget *widget)
{
  SluiceCardGrid *self = SLUICE_CARD_GRID (widget);
  GTK_WIDGET_CLASS (sluice_card_grid_parent_class)->root (widget);
  GtkWidget *window = gtk_widget_get_ancestor (widget, GTK_TYPE_SCROLLED_WINDOW);
  g_assert (window != NULL && self->scrolled == NULL);
  self->scrolled =
      g_object_ref (gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (window)));
  g_signal_connect_object (self->scrolled, "value-changed", G_CALLBACK (scrolled_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->scrolled, "changed", G_CALLBACK (scrolled_cb), self,
                           G_CONNECT_SWAPPED);
}

static void
sluice_card_grid_unroot (GtkWidget *widget)
{
  SluiceCardGrid *self = SLUICE_CARD_GRID (widget);
  g_signal_handlers_disconnect_by_data (self->scrolled, self);
  g_clear_object (&self->scrolled);
  GTK_WIDGET_CLASS (sluice_card_grid_parent_class)->unroot (widget);
}

static void
sluice_card_grid_dispose (GObject *object)
{
  SluiceCardGrid *self = SLUICE_CARD_GRID (object);
  GHashTableIter iter;
  gpointer key, widget;
  g_clear_handle_id (&self->update_source, g_source_remove);
  g_array_set_size (self->living, 0);
  g_hash_table_iter_init (&iter, self->widgets);
  while (g_hash_table_iter_next (&iter, &key, &widget))
    {
      g_hash_table_iter_remove (&iter);
      drop_widget (self, key, widget);
    }
  G_OBJECT_CLASS (sluice_card_grid_parent_class)->dispose (object);
}

static void
sluice_card_grid_finalize (GObject *object)
{
  SluiceCardGrid *self = SLUICE_CARD_GRID (object);
  g_hash_table_unref (self->widgets);
  g_ptr_array_unref (self->groups);
  g_array_unref (self->places);
  g_array_unref (self->living);
  G_OBJECT_CLASS (sluice_card_grid_parent_class)->finalize (object);
}

static void
sluice_card_grid_class_init (SluiceCardGridClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = sluice_card_grid_dispose;
  G_OBJECT_CLASS (klass)->finalize = sluice_card_grid_finalize;
  widget_class->get_request_mode = sluice_card_grid_get_request_mode;
  widget_class->measure = sluice_card_grid_measure;
  widget_class->size_allocate = sluice_card_grid_size_allocate;
  widget_class->snapshot = sluice_card_grid_snapshot;
  widget_class->root = sluice_card_grid_root;
  widget_class->unroot = sluice_card_grid_unroot;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_LIST);
  toggled_signal = g_signal_new ("toggled", SLUICE_TYPE_CARD_GRID, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                 NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
sluice_card_grid_init (SluiceCardGrid *self)
{
  self->groups = g_ptr_array_new_with_free_func (sluice_card_group_free);
  self->places = g_array_new (FALSE, FALSE, sizeof (Place));
  self->widgets = g_hash_table_new (NULL, NULL);
  self->living = g_array_new (FALSE, FALSE, sizeof (guint));
}

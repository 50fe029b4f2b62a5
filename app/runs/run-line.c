/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/run-line.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "app/runs/run-curve.h"
#include "ui/chart/ticks.h"

#define AIR          6  /* pixels, at both sides of what stands in a cell */
#define INDENT       26 /* of a group's members */
#define MOST_PILLS   3
#define CURVE_HEIGHT 22

struct _SluiceRunLine
{
  GtkWidget parent;
  SluiceRunCells *cells;
  SluiceRunItem *item;   /* (nullable) */
  SluiceRunCurve *curve; /* (nullable): until it is drawn */
  gulong changed;
};

G_DEFINE_FINAL_TYPE (SluiceRunLine, sluice_run_line, GTK_TYPE_WIDGET)

/* ---- its cells ---- */

typedef struct
{
  guint next;   /* of the places */
  int x, width; /* pixels, from where reading begins */
  const SluiceRunColumn *column;
} Cell;

static int
get_total (const SluiceRunCells *cells)
{
  int total = 0;
  for (guint i = 0; i < cells->places->len; i++)
    total += g_array_index (cells->places, SluiceRunPlace, i).width;
  return total;
}

/* The one behind @cell; all of which is 0 before the first. */
static gboolean
next_cell (SluiceRunLine *self, Cell *cell)
{
  const SluiceRunCells *cells = self->cells;
  if (cell->next >= cells->places->len)
    return FALSE;
  const SluiceRunPlace *place = &g_array_index (cells->places, SluiceRunPlace, cell->next++);
  cell->x += cell->width;
  cell->width = place->width;
  cell->column = place->column;
  if (place->expands)
    cell->width += MAX (0, gtk_widget_get_width (GTK_WIDGET (self)) - get_total (cells));
  return TRUE;
}

static gboolean
is_mirrored (SluiceRunLine *self)
{
  return gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL;
}

static GdkRectangle
get_area (SluiceRunLine *self, const Cell *cell)
{
  int width = gtk_widget_get_width (GTK_WIDGET (self));
  return (GdkRectangle){ is_mirrored (self) ? width - cell->x - cell->width : cell->x, 0,
                         cell->width, gtk_widget_get_height (GTK_WIDGET (self)) };
}

/* x: as GTK counts. */
static gboolean
find_cell (SluiceRunLine *self, double x, Cell *cell)
{
  double at = is_mirrored (self) ? gtk_widget_get_width (GTK_WIDGET (self)) - x : x;
  *cell = (Cell){ 0 };
  while (next_cell (self, cell))
    if (at >= cell->x && at < cell->x + cell->width)
      return TRUE;
  return FALSE;
}

static int
get_indent (SluiceRunLine *self)
{
  return sluice_run_item_is_member (self->item) ? INDENT : 0;
}

/* ---- what they look like ---- */

/* (transfer full) (nullable): faint, behind the words: of a group how many it has. */
static char *
dup_detail (SluiceRunLine *self, const SluiceRunColumn *column)
{
  GPtrArray *members = sluice_run_item_get_members (self->item);
  if (column->kind == SLUICE_RUN_COLUMN_NAME)
    return members != NULL ? g_strdup_printf ("· %u", members->len) : NULL;
  return sluice_run_item_dup_detail (self->item, column);
}

/* (transfer full) (nullable): without the ± of a group, and of a large setting its power of ten: a
 * part of a number would be another one. */
static char *
dup_shorter (SluiceRunLine *self, const SluiceRunColumn *column)
{
  const SluiceRunEntry *entry = sluice_run_item_get_entry (self->item);
  double number;
  if (!column->is_number || !sluice_run_column_get_number (column, entry, &number))
    return NULL;
  return column->kind == SLUICE_RUN_COLUMN_SETTING ? sluice_format_value (number, SLUICE_UNIT_NONE)
                                                   : sluice_run_column_dup_text (column, entry);
}

static gboolean
has_failed (const SluiceRunInfo *info)
{
  return info->state == SLUICE_RUN_FAILED || info->state == SLUICE_RUN_CRASHED;
}

static void
draw_words (SluiceRunLine *self, const SluiceRunPen *pen, const Cell *cell, int x)
{
  const SluiceRunInfo *info = sluice_run_item_get_entry (self->item)->info;
  SluiceRunColumnKind kind = cell->column->kind;
  g_autofree char *text = sluice_run_item_dup_text (self->item, cell->column);
  g_autofree char *detail = dup_detail (self, cell->column);
  g_autofree char *shorter = dup_shorter (self, cell->column);
  const SluiceRunWords words = {
    .text = text,
    .shorter = shorter,
    .detail = detail,
    .font = kind == SLUICE_RUN_COLUMN_NAME || kind == SLUICE_RUN_COLUMN_BEST
                ? SLUICE_RUN_FONT_STRONG
                : SLUICE_RUN_FONT_PLAIN,
    .ink = kind == SLUICE_RUN_COLUMN_STATE && has_failed (info) ? SLUICE_RUN_INK_FAILED
                                                                : SLUICE_RUN_INK_TEXT,
    .at_end = cell->column->is_number,
    .ellipsize = kind == SLUICE_RUN_COLUMN_STATE  ? PANGO_ELLIPSIZE_NONE
                 : kind == SLUICE_RUN_COLUMN_NAME ? PANGO_ELLIPSIZE_MIDDLE /* a sweep's differ at
                                                                              their end */
                                                  : PANGO_ELLIPSIZE_END,
  };
  sluice_run_pen_words (pen, x, cell->x + cell->width - AIR - x, &words);
}

static void
draw_name (SluiceRunLine *self, const SluiceRunPen *pen, const Cell *cell)
{
  SluiceColor color = sluice_run_info_get_color (sluice_run_item_get_entry (self->item)->info);
  gboolean is_group = sluice_run_item_get_members (self->item) != NULL;
  int x = cell->x + AIR + get_indent (self);
  if (is_group)
    {
      sluice_run_pen_icon (
          pen, x, sluice_run_item_get_open (self->item) ? "pan-down-symbolic" : "pan-end-symbolic",
          SLUICE_RUN_INK_FAINT);
      x += SLUICE_RUN_ICON + SLUICE_RUN_GAP;
    }
  sluice_run_pen_dot (pen, x, color, is_group);
  draw_words (self, pen, cell, x + SLUICE_RUN_DOT + SLUICE_RUN_GAP);
}

static void
draw_state (SluiceRunLine *self, const SluiceRunPen *pen, const Cell *cell)
{
  SluiceRunState state = sluice_run_item_get_entry (self->item)->info->state;
  sluice_run_pen_icon (pen, cell->x + AIR, sluice_run_cells_get_icon (state),
                       sluice_run_cells_get_ink (state));
  draw_words (self, pen, cell, cell->x + AIR + SLUICE_RUN_ICON + SLUICE_RUN_GAP);
}

static void
draw_star (SluiceRunLine *self, const SluiceRunPen *pen, const Cell *cell)
{
  gboolean is_starred = sluice_run_item_get_entry (self->item)->info->is_starred;
  sluice_run_pen_icon (pen, cell->x + (cell->width - SLUICE_RUN_ICON) / 2,
                       is_starred ? "starred-symbolic" : "non-starred-symbolic",
                       is_starred ? SLUICE_RUN_INK_STAR : SLUICE_RUN_INK_FAINT);
}

static void
draw_curve (SluiceRunLine *self, const SluiceRunPen *pen, const Cell *cell)
{
  int width = cell->width - 2 * AIR;
  const char *tag = cell->column->name != NULL ? cell->column->name : SLUICE_RUN_CURVE_TAG;
  if (self->curve == NULL)
    self->curve = sluice_run_curve_new (self->cells, self->item, tag, pen->row);
  GdkTexture *texture = sluice_run_curve_draw (self->curve, width, CURVE_HEIGHT);
  if (texture != NULL)
    sluice_run_pen_picture (pen, cell->x + AIR, width, CURVE_HEIGHT, texture);
}

static void
draw_tags (SluiceRunLine *self, const SluiceRunPen *pen, const Cell *cell)
{
  char **tags = sluice_run_item_get_entry (self->item)->info->tags;
  guint n = tags != NULL ? g_strv_length (tags) : 0;
  int x = cell->x + AIR, end = cell->x + cell->width - AIR;
  if (n == 0)
    return;
  sluice_run_pen_push_clip (pen, x, end - x);
  for (guint i = 0; i < MIN (n, MOST_PILLS); i++)
    x += sluice_run_pen_pill (pen, x, tags[i], sluice_run_cells_get_hue (tags[i])) + SLUICE_RUN_GAP;
  gtk_snapshot_pop (pen->snapshot);
  if (n <= MOST_PILLS)
    return;
  g_autofree char *rest = g_strdup_printf ("+%u", n - MOST_PILLS);
  sluice_run_pen_words (pen, x, end - x,
                        &(SluiceRunWords){ .text = rest,
                                           .ink = SLUICE_RUN_INK_FAINT,
                                           .ellipsize = PANGO_ELLIPSIZE_END });
}

static void
draw_cell (SluiceRunLine *self, const SluiceRunPen *pen, const Cell *cell)
{
  switch (cell->column->kind)
    {
    case SLUICE_RUN_COLUMN_STAR:
      draw_star (self, pen, cell);
      break;
    case SLUICE_RUN_COLUMN_NAME:
      draw_name (self, pen, cell);
      break;
    case SLUICE_RUN_COLUMN_STATE:
      draw_state (self, pen, cell);
      break;
    case SLUICE_RUN_COLUMN_CURVE:
      draw_curve (self, pen, cell);
      break;
    case SLUICE_RUN_COLUMN_TAGS:
      draw_tags (self, pen, cell);
      break;
    default:
      draw_words (self, pen, cell, cell->x + AIR);
      break;
    }
}

static void
sluice_run_line_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  SluiceRunLine *self = SLUICE_RUN_LINE (widget);
  const SluiceRunPen pen = { self->cells->paint,
                             snapshot,
                             widget,
                             gtk_widget_get_width (widget),
                             gtk_widget_get_height (widget),
                             is_mirrored (self) };
  Cell cell = { 0 };
  if (self->item == NULL)
    return;
  while (next_cell (self, &cell))
    if (cell.width > 2 * AIR)
      draw_cell (self, &pen, &cell);
}

static void
sluice_run_line_measure (GtkWidget *widget,
                         GtkOrientation orientation,
                         int for_size,
                         int *minimum,
                         int *natural,
                         int *minimum_baseline,
                         int *natural_baseline)
{
  const SluiceRunCells *cells = SLUICE_RUN_LINE (widget)->cells;
  *minimum = *natural = orientation == GTK_ORIENTATION_HORIZONTAL
                            ? get_total (cells)
                            : MAX (CURVE_HEIGHT, sluice_run_paint_get_line_height (cells->paint));
}

/* ---- what they say ---- */

static void
name_widget (GtkWidget *widget, const char *name)
{
  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

/* "lenet-2, finished, starred": (transfer full) */
static char *
dup_row_name (SluiceRunItem *item, const SluiceRunInfo *info)
{
  GPtrArray *members = sluice_run_item_get_members (item);
  const char *state = _ (sluice_run_state_name (info->state));
  if (members != NULL)
    return g_strdup_printf (
        ngettext ("%s, group of %u run, %s", "%s, group of %u runs, %s", members->len), info->name,
        members->len, state);
  return info->is_starred ? g_strdup_printf (_ ("%s, %s, starred"), info->name, state)
                          : g_strdup_printf ("%s, %s", info->name, state);
}

/* The row of the list, which GTK 4.8 gives no name. */
static void
name_row (SluiceRunLine *self)
{
  GtkWidget *row = gtk_widget_get_parent (GTK_WIDGET (self));
  if (row == NULL)
    return;
  g_autofree char *name = dup_row_name (self->item, sluice_run_item_get_entry (self->item)->info);
  name_widget (row, name);
  if (sluice_run_item_get_members (self->item) == NULL)
    {
      gtk_accessible_reset_state (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_STATE_EXPANDED);
      gtk_widget_remove_css_class (row, "run-group");
      return;
    }
  gtk_accessible_update_state (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_STATE_EXPANDED,
                               sluice_run_item_get_open (self->item), -1);
  gtk_widget_add_css_class (row, "run-group");
}

static void
name_cells (SluiceRunLine *self)
{
  GtkWidget *object = gtk_widget_get_first_child (GTK_WIDGET (self));
  Cell cell = { 0 };
  for (; object != NULL && next_cell (self, &cell); object = gtk_widget_get_next_sibling (object))
    {
      g_autofree char *text = sluice_run_item_dup_text (self->item, cell.column);
      g_autofree char *name = g_strdup_printf ("%s: %s", cell.column->title, text);
      name_widget (object, name);
    }
}

gboolean
sluice_run_line_tell_cells (SluiceRunLine *self, gboolean tells)
{
  GtkWidget *object = gtk_widget_get_first_child (GTK_WIDGET (self));
  if (tells == (object != NULL) || (tells && self->item == NULL))
    return FALSE;
  while ((object = gtk_widget_get_first_child (GTK_WIDGET (self))) != NULL)
    gtk_widget_unparent (object);
  for (guint i = 0; tells && i < self->cells->places->len; i++)
    {
      object = g_object_new (ADW_TYPE_BIN, "accessible-role", GTK_ACCESSIBLE_ROLE_GRID_CELL,
                             "can-target", FALSE, "can-focus", FALSE, NULL);
      gtk_widget_set_parent (object, GTK_WIDGET (self));
    }
  name_cells (self);
  return TRUE;
}

static void
sluice_run_line_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  SluiceRunLine *self = SLUICE_RUN_LINE (widget);
  GtkWidget *object = gtk_widget_get_first_child (widget);
  Cell cell = { 0 };
  for (; object != NULL && next_cell (self, &cell); object = gtk_widget_get_next_sibling (object))
    {
      GdkRectangle area = get_area (self, &cell);
      gtk_widget_measure (object, GTK_ORIENTATION_HORIZONTAL, -1, NULL, NULL, NULL, NULL);
      gtk_widget_size_allocate (object, &area, -1);
    }
}

/* (transfer full) (nullable): the best value where the last one stands, and the other way round. */
static char *
dup_more (const SluiceRunColumn *column, const SluiceRunEntry *entry)
{
  for (guint i = 0; i < entry->results->len; i++)
    {
      const SluiceRunResult *result = entry->results->pdata[i];
      double best;
      gint64 step;
      if (g_strcmp0 (result->tag, column->name) != 0)
        continue;
      if (!sluice_run_result_get_best (result, &best, &step))
        break;
      SluiceRunColumn other = *column;
      other.kind = SLUICE_RUN_COLUMN_BEST;
      g_autofree char *best_text = sluice_run_column_dup_text (&other, entry);
      other.kind = SLUICE_RUN_COLUMN_LAST;
      g_autofree char *last_text = sluice_run_column_dup_text (&other, entry);
      g_autofree char *step_text = sluice_format_step (step);
      return g_strdup_printf (_ ("%s: last %s, best %s at step %s"), result->tag, last_text,
                              best_text, step_text);
    }
  return NULL;
}

static gboolean
sluice_run_line_query_tooltip (
    GtkWidget *widget, int x, int y, gboolean by_key, GtkTooltip *tooltip)
{
  SluiceRunLine *self = SLUICE_RUN_LINE (widget);
  g_autofree char *words = NULL;
  Cell cell;
  if (self->item == NULL || !find_cell (self, x, &cell))
    return FALSE;
  const SluiceRunEntry *entry = sluice_run_item_get_entry (self->item);
  GdkRectangle area = get_area (self, &cell);
  if (cell.column->kind == SLUICE_RUN_COLUMN_NAME)
    words = g_strdup (entry->info->name);
  else if (cell.column->kind == SLUICE_RUN_COLUMN_STATE && entry->info->state != SLUICE_RUN_DRAFT)
    words = g_strdup (entry->info->message);
  else if (sluice_run_column_is_result (cell.column->kind))
    words = dup_more (cell.column, entry);
  gtk_tooltip_set_text (tooltip, words);
  gtk_tooltip_set_tip_area (tooltip, &area);
  return words != NULL;
}

/* ---- what is done with it ---- */

/* By keys a group is opened by an action of the table, and the star is one, too: a stop in each row
 * is one too many. */
static void
pressed_cb (GtkGesture *gesture, int n, double x, double y, SluiceRunLine *self)
{
  Cell cell;
  if (self->item == NULL || sluice_run_item_get_members (self->item) == NULL
      || !find_cell (self, x, &cell) || cell.column->kind != SLUICE_RUN_COLUMN_NAME)
    return;
  double at = is_mirrored (self) ? gtk_widget_get_width (GTK_WIDGET (self)) - x : x;
  if (at >= cell.x + AIR + SLUICE_RUN_ICON + SLUICE_RUN_GAP)
    return;
  gtk_gesture_set_state (gesture, GTK_EVENT_SEQUENCE_CLAIMED);
  self->cells->toggle (self->item, self->cells->data);
}

static void
released_cb (GtkGesture *gesture, int n, double x, double y, SluiceRunLine *self)
{
  Cell cell;
  if (self->item != NULL && find_cell (self, x, &cell)
      && cell.column->kind == SLUICE_RUN_COLUMN_STAR)
    self->cells->star (self->item, self->cells->data);
}

SluiceRunItem *
sluice_run_line_get_item_of (GtkWidget *focus)
{
  for (; focus != NULL; focus = gtk_widget_get_parent (focus))
    {
      GtkWidget *line = gtk_widget_get_first_child (focus);
      if (SLUICE_IS_RUN_LINE (line))
        return SLUICE_RUN_LINE (line)->item;
    }
  return NULL;
}

/* ---- whose row it is ---- */

static void
item_changed_cb (SluiceRunLine *self)
{
  g_clear_pointer (&self->curve, sluice_run_curve_free); /* its group may have other members */
  name_row (self);
  name_cells (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
set_item (SluiceRunLine *self, SluiceRunItem *item)
{
  if (self->item != NULL)
    g_clear_signal_handler (&self->changed, self->item);
  g_clear_pointer (&self->curve, sluice_run_curve_free);
  sluice_run_line_tell_cells (self, FALSE);
  g_set_object (&self->item, item);
  if (item == NULL)
    return;
  self->changed = g_signal_connect_swapped (item, "changed", G_CALLBACK (item_changed_cb), self);
  name_row (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
setup_cb (GtkSignalListItemFactory *factory, GtkListItem *place, SluiceRunCells *cells)
{
  SluiceRunLine *self = g_object_new (SLUICE_TYPE_RUN_LINE, NULL);
  self->cells = cells;
  g_hash_table_add (cells->lines, self);
  gtk_list_item_set_child (place, GTK_WIDGET (self));
}

static void
bind_cb (GtkSignalListItemFactory *factory, GtkListItem *place, SluiceRunCells *cells)
{
  set_item (SLUICE_RUN_LINE (gtk_list_item_get_child (place)), gtk_list_item_get_item (place));
}

static void
unbind_cb (GtkSignalListItemFactory *factory, GtkListItem *place, SluiceRunCells *cells)
{
  set_item (SLUICE_RUN_LINE (gtk_list_item_get_child (place)), NULL);
}

GtkListItemFactory *
sluice_run_line_new_factory (SluiceRunCells *cells)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  g_signal_connect (factory, "setup", G_CALLBACK (setup_cb), cells);
  g_signal_connect (factory, "bind", G_CALLBACK (bind_cb), cells);
  g_signal_connect (factory, "unbind", G_CALLBACK (unbind_cb), cells);
  return factory;
}

/* ---- of all rows ---- */

static void
for_each_line (SluiceRunCells *cells, void (*each) (SluiceRunLine *self))
{
  GHashTableIter iter;
  gpointer line;
  g_hash_table_iter_init (&iter, cells->lines);
  while (g_hash_table_iter_next (&iter, &line, NULL))
    each (line);
}

static void
renew_curve (SluiceRunLine *self)
{
  if (self->curve != NULL)
    sluice_run_curve_renew (self->curve);
}

static void
place (SluiceRunLine *self)
{
  g_clear_pointer (&self->curve, sluice_run_curve_free); /* it may be of another result */
  sluice_run_line_tell_cells (self, FALSE);
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

void
sluice_run_lines_place (SluiceRunCells *cells)
{
  for_each_line (cells, place);
}

void
sluice_run_lines_renew (SluiceRunCells *cells)
{
  sluice_run_paint_renew (cells->paint);
  for_each_line (cells, renew_curve);
  for_each_line (cells, (void (*) (SluiceRunLine *)) gtk_widget_queue_resize);
}

void
sluice_run_lines_set_scale (SluiceRunCells *cells, double least, double greatest, double last_step)
{
  if (cells->has_scale && cells->least == least && cells->greatest == greatest
      && cells->last_step == last_step)
    return;
  cells->has_scale = TRUE;
  cells->least = least;
  cells->greatest = greatest;
  cells->last_step = last_step;
  for_each_line (cells, renew_curve);
}

/* ---- life ---- */

/* GTK's lists of rows are read as lists of items. */
static void
sluice_run_line_root (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (sluice_run_line_parent_class)->root (widget);
  g_object_set (gtk_widget_get_parent (widget), "accessible-role", GTK_ACCESSIBLE_ROLE_ROW, NULL);
}

static void
sluice_run_line_dispose (GObject *object)
{
  SluiceRunLine *self = SLUICE_RUN_LINE (object);
  if (self->cells != NULL)
    g_hash_table_remove (self->cells->lines, self);
  set_item (self, NULL);
  G_OBJECT_CLASS (sluice_run_line_parent_class)->dispose (object);
}

static void
sluice_run_line_class_init (SluiceRunLineClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = sluice_run_line_dispose;
  widget_class->root = sluice_run_line_root;
  widget_class->snapshot = sluice_run_line_snapshot;
  widget_class->measure = sluice_run_line_measure;
  widget_class->size_allocate = sluice_run_line_size_allocate;
  widget_class->query_tooltip = sluice_run_line_query_tooltip;
  gtk_widget_class_set_css_name (widget_class, "runline");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
sluice_run_line_init (SluiceRunLine *self)
{
  GtkGesture *click = gtk_gesture_click_new ();
  g_signal_connect (click, "pressed", G_CALLBACK (pressed_cb), self);
  g_signal_connect (click, "released", G_CALLBACK (released_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
}

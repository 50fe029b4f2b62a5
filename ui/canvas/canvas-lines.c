/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/canvas-edit-private.h"

#include <glib/gi18n-lib.h>

#include "ui/common/paint.h"

/* One line may be chosen, by a click or by keys, for what its menu offers: a line is the way of one
 * value or of several. Breakpoints on values are dots on their lines. */

#define MOST_VALUES 8 /* of a line that stands for many: so many are offered */
#define DOT         6.0

/* ---- which values a line brings ---- */

/* The open scope at whose border the line ends, inside: what leads on outside is other lines. */
static guint
border_of (SluiceCanvas *self, const SluiceSceneEdge *e)
{
  if (e->bundle != SLUICE_NONE)
    return SLUICE_NONE;
  if (sluice_scene_get_item (self->scene, e->to)->parent == e->from)
    return e->from;
  return sluice_scene_get_item (self->scene, e->from)->parent == e->to ? e->to : SLUICE_NONE;
}

static gboolean
is_line (SluiceCanvas *self, guint edge)
{
  const SluiceSceneEdge *e = sluice_scene_get_edge (self->scene, edge);
  return !e->quiet && e->kind != SLUICE_EDGE_CONTROL
         && (e->bundle != SLUICE_NONE || border_of (self, e) != SLUICE_NONE);
}

static void
add_value (SluiceGraphModel *model, const SluiceModelEdge *m, GPtrArray *values)
{
  g_autofree char *value =
      g_strdup_printf ("%s:%u", sluice_graph_model_get_node (model, m->from)->name, m->port);
  if (m->kind != SLUICE_EDGE_CONTROL
      && !g_ptr_array_find_with_equal_func (values, value, g_str_equal, NULL))
    g_ptr_array_add (values, g_steal_pointer (&value));
}

/* Is it drawn outside of the scope, so that it goes on inside? That a gradient reads its forward
 * half is not, nor are lines of what is set aside (sluice_scene_find_crossings()). */
static gboolean
goes_on (SluiceCanvas *self, guint from, guint to, guint outside)
{
  SluiceHierarchy *h = sluice_scene_get_hierarchy (self->scene);
  guint item = sluice_scene_find_item (self->scene, outside);
  return item != SLUICE_NONE && !sluice_scene_get_item (self->scene, item)->aside
         && (!sluice_hierarchy_get_group (h, to)->gradient
             || sluice_hierarchy_get_group (h, from)->gradient);
}

/* What a line from a border brings to its box, or from it to a border. */
static void
list_crossing (SluiceCanvas *self, const SluiceSceneEdge *e, guint most, GPtrArray *values)
{
  SluiceHierarchy *h = sluice_scene_get_hierarchy (self->scene);
  SluiceGraphModel *model = sluice_hierarchy_get_model (h);
  guint border = border_of (self, e);
  gboolean comes_in = border == e->from;
  guint scope = sluice_scene_get_item (self->scene, border)->node,
        box = sluice_scene_get_item (self->scene, comes_in ? e->to : e->from)->node;
  for (guint i = 0; i < sluice_graph_model_get_n_edges (model) && values->len < most; i++)
    {
      const SluiceModelEdge *m = sluice_graph_model_get_edge (model, i);
      guint from = sluice_hierarchy_get_op_group (h, m->from),
            to = sluice_hierarchy_get_op_group (h, m->to), inside = comes_in ? to : from,
            outside = comes_in ? from : to;
      if (m->kind == SLUICE_EDGE_DATA && sluice_hierarchy_is_below (h, inside, box)
          && !sluice_hierarchy_is_below (h, outside, scope) && goes_on (self, from, to, outside))
        add_value (model, m, values);
    }
}

/* "fc1/Relu:0": at most so many of them. (transfer full) */
static GPtrArray *
list_values (SluiceCanvas *self, guint edge, guint most)
{
  SluiceHierarchy *h = sluice_scene_get_hierarchy (self->scene);
  const SluiceSceneEdge *e = sluice_scene_get_edge (self->scene, edge);
  GPtrArray *values = g_ptr_array_new_with_free_func (g_free);
  if (e->bundle == SLUICE_NONE)
    {
      list_crossing (self, e, most, values);
      return values;
    }
  const SluiceEdgeBundle *b = sluice_hierarchy_get_bundle (h, e->bundle);
  SluiceGraphModel *model = sluice_hierarchy_get_model (h);
  for (guint i = 0; i < b->n_edges && values->len < most; i++)
    add_value (model,
               sluice_graph_model_get_edge (
                   model, sluice_hierarchy_get_bundled_edge (h, b->first_edge + i)),
               values);
  return values;
}

/* ---- the one that is chosen ---- */

static char *
dup_end (SluiceCanvas *self, const SluiceSceneEdge *e, guint item)
{
  const char *title = sluice_scene_get_item (self->scene, item)->title;
  return border_of (self, e) == item ? g_strdup_printf (_ ("the border of %s"), title)
                                     : g_strdup (title);
}

/* (transfer full) (nullable) */
static char *
dup_words (SluiceCanvas *self)
{
  if (self->line.edge == SLUICE_NONE)
    return NULL;
  const SluiceSceneEdge *e = sluice_scene_get_edge (self->scene, self->line.edge);
  g_autoptr (GPtrArray) values = list_values (self, self->line.edge, MOST_VALUES);
  g_ptr_array_add (values, NULL);
  g_autofree char *list = g_strjoinv (", ", (char **) values->pdata);
  g_autofree char *from = dup_end (self, e, e->from), *to = dup_end (self, e, e->to);
  return g_strdup_printf (_ ("Line from %s to %s: %s"), from, to, list);
}

/* A screen reader reads the canvas' name where it changes. */
static void
tell (SluiceCanvas *self)
{
  g_autofree char *words = dup_words (self);
  if (self->edit != NULL)
    sluice_canvas_edit_tell (self, words);
  else
    gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                    words != NULL ? words : _ ("Graph"), -1);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
sluice_canvas_choose_line (SluiceCanvas *self, guint edge)
{
  if (edge == self->line.edge)
    return;
  g_clear_pointer (&self->line.from, g_free);
  g_clear_pointer (&self->line.to, g_free);
  self->line.edge = edge;
  if (edge != SLUICE_NONE)
    {
      const SluiceSceneEdge *e = sluice_scene_get_edge (self->scene, edge);
      self->line.from = g_strdup (sluice_canvas_item_path (self, e->from));
      self->line.to = g_strdup (sluice_canvas_item_path (self, e->to));
    }
  tell (self);
}

gboolean
sluice_canvas_choose_line_at (SluiceCanvas *self, double x, double y)
{
  guint edge = self->scene != NULL ? sluice_canvas_edit_pick_line (self, x, y) : SLUICE_NONE;
  if (edge == SLUICE_NONE || !is_line (self, edge))
    return FALSE;
  sluice_canvas_choose_line (self, edge);
  return TRUE;
}

/* Of a box, by the place of their other ends: those that leave, then those that arrive. */
static GArray *
list_lines (SluiceCanvas *self, guint item)
{
  GArray *edges = g_array_new (FALSE, FALSE, sizeof (guint));
  guint n = 0;
  sluice_scene_get_item_edges (self->scene, item, TRUE, edges);
  sluice_scene_get_item_edges (self->scene, item, FALSE, edges);
  for (guint i = 0; i < edges->len; i++)
    if (is_line (self, g_array_index (edges, guint, i)))
      g_array_index (edges, guint, n++) = g_array_index (edges, guint, i);
  g_array_set_size (edges, n);
  return edges;
}

void
sluice_canvas_line_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceCanvas *self = SLUICE_CANVAS (widget);
  gboolean is_next = g_str_equal (name, "canvas.next-line");
  if (self->scene == NULL || self->lead_item == SLUICE_NONE)
    return;
  g_autoptr (GArray) lines = list_lines (self, self->lead_item);
  guint at = 0;
  while (at < lines->len && g_array_index (lines, guint, at) != self->line.edge)
    at++;
  if (lines->len == 0)
    return;
  if (at == lines->len)
    at = is_next ? 0 : lines->len - 1;
  else
    at = (at + (is_next ? 1 : lines->len - 1)) % lines->len;
  sluice_canvas_choose_line (self, g_array_index (lines, guint, at));
  SluiceRect bounds = sluice_scene_get_edge (self->scene, self->line.edge)->bounds;
  sluice_canvas_show_rect (self, &bounds);
}

/* The line between the same boxes in another scene: SLUICE_NONE. */
static guint
find_again (SluiceCanvas *self)
{
  for (guint i = 0;
       self->scene != NULL && self->line.from != NULL && i < sluice_scene_get_n_edges (self->scene);
       i++)
    {
      const SluiceSceneEdge *e = sluice_scene_get_edge (self->scene, i);
      if (is_line (self, i)
          && g_strcmp0 (sluice_canvas_item_path (self, e->from), self->line.from) == 0
          && g_strcmp0 (sluice_canvas_item_path (self, e->to), self->line.to) == 0)
        return i;
    }
  return SLUICE_NONE;
}

void
sluice_canvas_lines_scene_changed (SluiceCanvas *self)
{
  gboolean had_line = self->line.edge != SLUICE_NONE;
  self->line.edge = find_again (self);
  g_clear_pointer (&self->line.breaks, g_array_unref);
  if (had_line)
    tell (self);
}

char *
sluice_canvas_dup_place (SluiceCanvas *self)
{
  g_return_val_if_fail (SLUICE_IS_CANVAS (self), NULL);
  if (self->line.edge == SLUICE_NONE)
    return g_strdup (sluice_canvas_get_selection (self));
  g_autoptr (GPtrArray) values = list_values (self, self->line.edge, 1);
  return g_strdup (values->len > 0 ? values->pdata[0] : NULL);
}

SluicePoint
sluice_canvas_line_middle (SluiceCanvas *self, guint edge)
{
  const SluiceSceneEdge *e = sluice_scene_get_edge (self->scene, edge);
  const SluicePoint *points = sluice_scene_get_points (self->scene) + e->first_point;
  /* Of the middle piece: a bent line goes through it. */
  guint piece = (e->n_points - 1) / 3 / 2 * 3;
  const SluicePoint *p = points + piece;
  if (((e->n_points - 1) / 3) % 2 == 0)
    return *p;
  return (SluicePoint){ (p[0].x + 3 * p[1].x + 3 * p[2].x + p[3].x) / 8,
                        (p[0].y + 3 * p[1].y + 3 * p[2].y + p[3].y) / 8 };
}

void
sluice_canvas_get_place_point (SluiceCanvas *self, double *x, double *y)
{
  double width = gtk_widget_get_width (GTK_WIDGET (self)),
         height = gtk_widget_get_height (GTK_WIDGET (self));
  SluicePoint p = { width / 2, height / 2 };
  if (self->scene != NULL && self->line.edge != SLUICE_NONE)
    p = sluice_canvas_edit_to_pixels (self, sluice_canvas_line_middle (self, self->line.edge));
  else if (self->scene != NULL && self->lead_item != SLUICE_NONE)
    {
      SluiceRect r = sluice_scene_get_item (self->scene, self->lead_item)->rect;
      p = sluice_canvas_edit_to_pixels (self, (SluicePoint){ r.x + 12, r.y + 12 });
    }
  *x = CLAMP (p.x, 0, width);
  *y = CLAMP (p.y, 0, height);
}

/* ---- menus ---- */

void
sluice_canvas_set_place_commands (SluiceCanvas *self, const SluiceCanvasCommand *commands, guint n)
{
  g_return_if_fail (SLUICE_IS_CANVAS (self));
  self->commands = commands;
  self->n_commands = n;
}

void
sluice_canvas_append_place_menu (SluiceCanvas *self,
                                 GMenu *menu,
                                 const char *place,
                                 gboolean is_scope)
{
  g_autoptr (GMenu) section = g_menu_new ();
  for (guint i = 0; i < self->n_commands; i++)
    {
      const SluiceCanvasCommand *command = &self->commands[i];
      if (is_scope ? !command->of_scopes : !command->of_values)
        continue;
      g_autoptr (GMenuItem) item = g_menu_item_new (_ (command->label), command->action);
      if (command->of_selection)
        g_menu_item_set_attribute (item, "hidden-when", "s", "action-disabled");
      else
        g_menu_item_set_action_and_target (item, command->action, "s", place);
      g_menu_append_item (section, item);
    }
  g_menu_append_section (menu, NULL, G_MENU_MODEL (section));
}

void
sluice_canvas_append_line_menu (SluiceCanvas *self, GMenu *menu)
{
  g_autoptr (GPtrArray) values = list_values (self, self->line.edge, MOST_VALUES);
  for (guint i = 0; i < values->len; i++)
    {
      const char *value = values->pdata[i];
      g_autoptr (GMenu) of_value = g_menu_new ();
      sluice_canvas_append_place_menu (self, of_value, value, FALSE);
      if (values->len == 1)
        g_menu_append_section (menu, value, G_MENU_MODEL (of_value));
      else
        {
          g_autofree char *label = g_strdup (value);
          g_autoptr (GMenuItem) item = g_menu_item_new_submenu (NULL, G_MENU_MODEL (of_value));
          /* Names have underscores, which are no mnemonics. */
          g_autoptr (GString) plain = g_string_new (label);
          g_string_replace (plain, "_", "__", 0);
          g_menu_item_set_label (item, plain->str);
          g_menu_append_item (menu, item);
        }
    }
  if (sluice_canvas_edit_can_arrange (self))
    {
      g_autoptr (GMenu) section = g_menu_new ();
      g_menu_append (section, _ ("_Add a bend"), "canvas.add-bend");
      g_menu_append (section, _ ("_Remove the bend"), "canvas.remove-bend");
      g_menu_append_section (menu, NULL, G_MENU_MODEL (section));
    }
}

/* ---- breakpoints ---- */

typedef struct
{
  guint edge;
  SluiceMarkKind kind;
} LineBreak;

/* The worst of those on the values of a line. */
static SluiceMarkKind
get_break (SluiceCanvas *self, guint edge)
{
  SluiceMarkKind kind = SLUICE_MARK_NONE;
  g_autoptr (GPtrArray) values = list_values (self, edge, G_MAXUINT);
  for (guint i = 0; i < values->len; i++)
    kind = MAX (kind, sluice_canvas_get_break_of (self, values->pdata[i]));
  return kind;
}

static void
find_breaks (SluiceCanvas *self)
{
  self->line.breaks = g_array_new (FALSE, FALSE, sizeof (LineBreak));
  if (!sluice_canvas_has_line_breaks (self))
    return;
  for (guint i = 0; i < sluice_scene_get_n_edges (self->scene); i++)
    {
      /* Inside a border the value's line outside has it already. */
      gboolean is_whole = sluice_scene_get_edge (self->scene, i)->bundle != SLUICE_NONE;
      LineBreak one = { i, is_whole && is_line (self, i) ? get_break (self, i) : SLUICE_MARK_NONE };
      if (one.kind != SLUICE_MARK_NONE)
        g_array_append_val (self->line.breaks, one);
    }
}

static void
draw_break (SluiceCanvas *self, cairo_t *cr, const LineBreak *one)
{
  SluicePoint p = sluice_canvas_edit_to_pixels (self, sluice_canvas_line_middle (self, one->edge));
  gboolean is_ring = one->kind == SLUICE_MARK_BREAK_IDLE;
  cairo_new_path (cr);
  cairo_arc (cr, p.x, p.y, DOT * self->text_scale, 0, 2 * G_PI);
  sluice_cairo_set_color (cr, is_ring ? self->theme.ground : self->theme.failure);
  cairo_fill_preserve (cr);
  sluice_cairo_set_color (cr, is_ring ? self->theme.failure : self->theme.ground);
  cairo_set_line_width (cr, 1.5);
  cairo_stroke (cr);
}

void
sluice_canvas_draw_lines (SluiceCanvas *self, cairo_t *cr)
{
  if (self->line.edge != SLUICE_NONE)
    sluice_canvas_edit_draw_edge (self, cr, self->line.edge);
  if (self->line.breaks == NULL)
    find_breaks (self);
  for (guint i = 0; i < self->line.breaks->len; i++)
    draw_break (self, cr, &g_array_index (self->line.breaks, LineBreak, i));
}

/* For tests: what is chosen, and which lines have dots. */
void
sluice_canvas_append_line_state (SluiceCanvas *self, GString *out)
{
  g_autofree char *words = dup_words (self);
  g_string_append (out, "\"line\":");
  sluice_canvas_append_json (out, words);
  g_string_append (out, ",\"line_breaks\":[");
  for (guint i = 0; self->line.breaks != NULL && i < self->line.breaks->len; i++)
    {
      const LineBreak *one = &g_array_index (self->line.breaks, LineBreak, i);
      SluicePoint p =
          sluice_canvas_edit_to_pixels (self, sluice_canvas_line_middle (self, one->edge));
      g_string_append_printf (out, "%s{\"kind\":\"%s\",\"x\":%d,\"y\":%d}", i > 0 ? "," : "",
                              sluice_mark_kind_nick (one->kind), (int) p.x, (int) p.y);
    }
  g_string_append (out, "],");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/canvas-edit-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "ui/canvas/port-look.h"
#include "ui/common/paint.h"

/* Over the picture, in pixels of the widget: ports, the wire in hand, and what each target says of
 * it. */

#define PILL_SIZE   11.0 /* of its words, CSS pixels */
#define PILL_HEIGHT 21.0
#define PILL_GAP    8.0 /* between a box and what is said of it */
#define RING_AIR    5.0
#define LEAST_BEND  28.0
#define MOST_BEND   120.0
#define WIRE_WIDTH  2.6
#define FADE        0.62 /* of a box that refuses */

/* ---- types ---- */

char *
sluice_canvas_edit_dup_legend (SluiceCanvas *self)
{
  static const struct
  {
    const char *mark, *type, *word;
  } entries[] = { { "●", "float", "float" },
                  { "■", "int", "int" },
                  { "▲", "uint", "uint" },
                  { "◆", "bool", "bool" },
                  { "⬟", "string", N_ ("other") } };
  GString *markup = g_string_new (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (entries) && self->edit != NULL; i++)
    {
      SluiceColor c = sluice_port_get_color (&self->theme, entries[i].type);
      g_string_append_printf (markup, "%s<span foreground=\"#%02x%02x%02x\">%s</span> %s",
                              i > 0 ? "    " : "", (guint) (c.r * 255 + 0.5),
                              (guint) (c.g * 255 + 0.5), (guint) (c.b * 255 + 0.5), entries[i].mark,
                              _ (entries[i].word));
    }
  return g_string_free (markup, self->edit == NULL);
}

/* Where a box is, also while it is on its way. */
static SluiceRect
box_of (SluiceCanvas *self, guint item)
{
  SluiceDrawState state = { .shift = self->shift, .stretch = self->stretch };
  SluiceRect r = sluice_draw_item_rect (self->scene, &state, item);
  SluicePoint p = sluice_canvas_edit_to_pixels (self, (SluicePoint){ r.x, r.y });
  return (SluiceRect){ p.x, p.y, r.width * self->view.zoom, r.height * self->view.zoom };
}

static SluicePoint
place_of (SluiceCanvas *self, guint item, SluicePoint at)
{
  if (self->shift != NULL)
    {
      at.x += self->shift[item].x;
      at.y += self->shift[item].y;
    }
  return sluice_canvas_edit_to_pixels (self, at);
}

/* ---- ports ---- */

static void
draw_port (SluiceCanvas *self, cairo_t *cr, guint item, const CanvasPort *port, gboolean is_hot)
{
  double scale = MIN (self->view.zoom, 1.6 * self->text_scale);
  double radius = (EDIT_PORT_RADIUS + (is_hot ? 1.5 : 0)) * scale, reach = ceil (radius * 1.3 + 2);
  SluicePoint at = place_of (self, item, port->at), middle = { reach, reach };
  char key[64];
  g_snprintf (key, sizeof key, "port %u %d %d %d", sluice_port_get_look (port->dtype),
              port->dtype != NULL, port->is_open, (int) (radius * 8));
  if (sluice_canvas_edit_paint_sprite (self, cr, key, at.x - reach, at.y - reach))
    return;
  cairo_t *sprite = sluice_canvas_edit_new_sprite (self, key, 2 * reach, 2 * reach);
  sluice_port_draw (sprite, &self->theme, port->dtype, middle, radius, scale, port->is_open);
  cairo_destroy (sprite);
  sluice_canvas_edit_paint_sprite (self, cr, key, at.x - reach, at.y - reach);
}

static void
draw_ports (SluiceCanvas *self, cairo_t *cr)
{
  const CanvasEdit *edit = self->edit;
  g_autoptr (GArray) items = g_array_new (FALSE, FALSE, sizeof (guint));
  SluiceRect visible = sluice_canvas_visible (self),
             area = sluice_rect_grown (&visible, EDIT_PORT_RADIUS);
  if (!sluice_canvas_edit_shows_ports (self))
    return;
  sluice_scene_query (self->scene, &area, items);
  for (guint i = 0; i < items->len; i++)
    {
      guint item = g_array_index (items, guint, i);
      if (!sluice_canvas_edit_shows_ports_of (self, item))
        continue;
      GArray *ports = sluice_canvas_edit_get_ports (self, item);
      for (guint k = 0; k < ports->len; k++)
        if (g_array_index (ports, CanvasPort, k).is_drawn)
          draw_port (self, cr, item, &g_array_index (ports, CanvasPort, k),
                     item == edit->hover_item && k == edit->hover_port);
    }
}

/* ---- pills ---- */

static PangoLayout *
new_words (SluiceCanvas *self, const char *words)
{
  PangoLayout *layout = gtk_widget_create_pango_layout (GTK_WIDGET (self), words);
  PangoFontDescription *font =
      pango_font_description_from_string (self->font != NULL ? self->font : "Sans");
  pango_font_description_set_absolute_size (font, PILL_SIZE * self->text_scale * PANGO_SCALE);
  pango_font_description_set_weight (font, PANGO_WEIGHT_SEMIBOLD);
  pango_layout_set_font_description (layout, font);
  pango_font_description_free (font);
  return layout;
}

static void
draw_pill (SluiceCanvas *self, cairo_t *cr, const SluiceRect *pill, gboolean fits)
{
  SluiceColor accent = sluice_color_readable (self->theme.accent, self->theme.ground, 4.5);
  cairo_new_path (cr);
  sluice_cairo_rounded_rect (cr, pill, pill->height / 2);
  sluice_cairo_set_color (cr, fits ? accent : self->theme.surface);
  cairo_fill_preserve (cr);
  sluice_cairo_set_color (cr, fits ? accent : self->theme.outline);
  cairo_set_line_width (cr, self->theme.border_width);
  cairo_stroke (cr);
}

static gboolean
is_free (SluiceCanvas *self, const SluiceRect *pill, const GArray *pills)
{
  g_autoptr (GArray) items = g_array_new (FALSE, FALSE, sizeof (guint));
  SluicePoint at = sluice_canvas_to_scene (self, pill->x, pill->y);
  SluiceRect area = { at.x, at.y, pill->width / self->view.zoom, pill->height / self->view.zoom };
  for (guint i = 0; i < pills->len; i++)
    if (sluice_rect_touches (pill, &g_array_index (pills, SluiceRect, i)))
      return FALSE;
  sluice_scene_query (self->scene, &area, items);
  for (guint i = 0; i < items->len; i++)
    if (sluice_scene_get_item (self->scene, g_array_index (items, guint, i))->kind
        != SLUICE_ITEM_OPEN_SCOPE)
      return FALSE;
  return TRUE;
}

/* Whether the pill stands under the box: at the side that its target is at. */
static gboolean
is_at_foot (SluiceCanvas *self, guint target, const SluiceRect *box)
{
  SluicePoint at = place_of (self, sluice_canvas_edit_get_target (self, target)->item,
                             sluice_canvas_edit_target_port (self, target)->at);
  return at.y > box->y + box->height / 2;
}

/* A dashed ring about a box that takes the wire; the other ones are faded. */
static void
draw_target_box (SluiceCanvas *self, cairo_t *cr, guint target)
{
  static const double dashes[] = { 5, 3 };
  const CanvasTarget *t = sluice_canvas_edit_get_target (self, target);
  const SluiceSceneItem *it = sluice_scene_get_item (self->scene, t->item);
  SluiceRect box = box_of (self, t->item);
  double by = t->fits ? RING_AIR : 1, air = by + 2;
  gboolean is_scope = it->kind == SLUICE_ITEM_SCOPE && !it->aside;
  char key[64];
  g_snprintf (key, sizeof key, "box %d %d %d %d", t->fits, is_scope, (int) (box.width + 0.5),
              (int) (box.height + 0.5));
  if (sluice_canvas_edit_paint_sprite (self, cr, key, box.x - air, box.y - air))
    return;
  SluiceRect ring = { air - by, air - by, box.width + 2 * by, box.height + 2 * by };
  cairo_t *sprite =
      sluice_canvas_edit_new_sprite (self, key, box.width + 2 * air, box.height + 2 * air);
  sluice_cairo_rounded_rect (sprite, &ring, is_scope ? 9 * self->view.zoom + by : ring.height / 2);
  if (t->fits)
    {
      sluice_cairo_set_color (sprite, self->theme.accent);
      cairo_set_dash (sprite, dashes, 2, 0);
      cairo_set_line_width (sprite, 2);
      cairo_stroke (sprite);
    }
  else
    {
      sluice_cairo_set_color (sprite, sluice_color_with_alpha (self->theme.ground, FADE));
      cairo_fill (sprite);
    }
  cairo_destroy (sprite);
  sluice_canvas_edit_paint_sprite (self, cr, key, box.x - air, box.y - air);
}

/* Words are read whole, though their box is at the edge; those of a box that is out of view are not
 * there. */
static SluiceRect
put_in_view (SluiceCanvas *self, SluicePoint at, double width, double height)
{
  double room = gtk_widget_get_width (GTK_WIDGET (self)) - width - PILL_GAP;
  double x =
      at.x + width > 0 && at.x < room + width ? CLAMP (at.x, PILL_GAP, MAX (room, PILL_GAP)) : at.x;
  return (SluiceRect){ round (x), round (at.y), width, height };
}

/* Beside its box, at the side of the port if there is room: over no other box and no other pill. */
static SluiceRect
place_pill (SluiceCanvas *self, guint target, double width, double height, const GArray *pills)
{
  const CanvasTarget *t = sluice_canvas_edit_get_target (self, target);
  SluiceRect box = box_of (self, t->item);
  double gap = PILL_GAP + (t->fits ? RING_AIR / 2 : 0);
  double x = box.x + (box.width - width) / 2, y = box.y + (box.height - height) / 2;
  SluicePoint foot = { x, box.y + box.height + gap }, top = { x, box.y - gap - height },
              right = { box.x + box.width + gap, y }, left = { box.x - gap - width, y };
  gboolean at_foot = is_at_foot (self, target, &box);
  const SluicePoint places[] = { at_foot ? foot : top, right, left, at_foot ? top : foot };
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      SluiceRect pill = put_in_view (self, places[i], width, height);
      if (is_free (self, &pill, pills))
        return pill;
    }
  return put_in_view (self, places[0], width, height);
}

/* Draws a pill where it is not kept already; how large it is. */
static SluiceRect
make_pill (SluiceCanvas *self, const char *key, const char *words, gboolean fits)
{
  double scale = self->text_scale;
  PangoRectangle extents;
  SluiceRect size = { 1, 1, 0, 0 };
  if (sluice_canvas_edit_get_sprite_size (self, key, &size.width, &size.height))
    {
      size.width -= 2;
      size.height -= 2;
      return size;
    }
  g_autofree char *text = fits ? g_strdup_printf ("→ %s", words) : g_strdup (words);
  g_autoptr (PangoLayout) layout = new_words (self, text);
  pango_layout_get_pixel_extents (layout, NULL, &extents);
  size.width = ceil (extents.width + 18 * scale);
  size.height = ceil (PILL_HEIGHT * scale);
  cairo_t *sprite = sluice_canvas_edit_new_sprite (self, key, size.width + 2, size.height + 2);
  draw_pill (self, sprite, &size, fits);
  sluice_cairo_set_color (sprite, fits ? self->theme.ground : self->theme.text);
  cairo_move_to (sprite, 1 + 9 * scale, 1 + (size.height - extents.height) / 2);
  pango_cairo_show_layout (sprite, layout);
  cairo_destroy (sprite);
  return size;
}

static void
draw_target_pill (SluiceCanvas *self, cairo_t *cr, guint target, GArray *pills)
{
  const CanvasTarget *t = sluice_canvas_edit_get_target (self, target);
  if (t->words == NULL || *t->words == '\0')
    return;
  g_autofree char *key = g_strdup_printf ("pill %d %s", t->fits, t->words);
  SluiceRect size = make_pill (self, key, t->words, t->fits);
  SluiceRect pill = place_pill (self, target, size.width, size.height, pills);
  g_array_append_val (pills, pill);
  sluice_canvas_edit_paint_sprite (self, cr, key, pill.x - 1, pill.y - 1);
}

/* What each box says best; of the one at the pointer, what is said there: (transfer full)
 * (element-type guint), targets */
static GArray *
choose_targets (SluiceCanvas *self)
{
  const CanvasWire *wire = &self->edit->wire;
  GArray *chosen = g_array_new (FALSE, FALSE, sizeof (guint));
  const CanvasTarget *hot = sluice_canvas_edit_get_target (self, wire->chosen);
  g_autofree guint8 *seen = g_new0 (guint8, sluice_scene_get_n_items (self->scene) + 1);
  for (guint i = 0; i < wire->targets->len; i++)
    {
      guint item = g_array_index (wire->targets, CanvasTarget, i).item;
      if (seen[item])
        continue;
      seen[item] = 1;
      guint best = hot != NULL && hot->item == item
                       ? wire->chosen
                       : sluice_canvas_edit_best_target (self, item, FALSE);
      if (best != SLUICE_NONE)
        g_array_append_val (chosen, best);
    }
  return chosen;
}

/* ---- the wire ---- */

static void
draw_line (SluiceCanvas *self, cairo_t *cr, SluicePoint from, SluicePoint to, gboolean is_caught)
{
  const CanvasWire *wire = &self->edit->wire;
  gboolean up = wire->is_output == (sluice_scene_get_flow (self->scene) == SLUICE_FLOW_UP);
  double bend = CLAMP (hypot (to.x - from.x, to.y - from.y) / 2, LEAST_BEND, MOST_BEND);
  double way = up ? -bend : bend;
  cairo_new_path (cr);
  cairo_move_to (cr, from.x, from.y);
  /* Into a port straight, to a pointer from where it came. */
  if (is_caught)
    cairo_curve_to (cr, from.x, from.y + way, to.x, to.y - way, to.x, to.y);
  else
    cairo_curve_to (cr, from.x, from.y + way / 2, from.x + (to.x - from.x) / 3, from.y + way / 2,
                    to.x, to.y);
  sluice_cairo_set_color (cr, self->theme.accent);
  cairo_set_line_width (cr, WIRE_WIDTH);
  cairo_set_line_cap (cr, CAIRO_LINE_CAP_ROUND);
  cairo_stroke (cr);
  cairo_set_line_cap (cr, CAIRO_LINE_CAP_BUTT);
}

static void
draw_held (SluiceCanvas *self, cairo_t *cr)
{
  const CanvasWire *wire = &self->edit->wire;
  const CanvasTarget *hot = sluice_canvas_edit_get_target (self, wire->chosen);
  SluicePoint from = place_of (self, wire->item, wire->at), to = { wire->x, wire->y };
  gboolean is_caught = hot != NULL && (hot->fits || wire->state == WIRE_KEYS);
  if (is_caught)
    to = place_of (self, hot->item, sluice_canvas_edit_target_port (self, wire->chosen)->at);
  if (wire->state != WIRE_PORTS && (wire->state != WIRE_KEYS || hot != NULL))
    draw_line (self, cr, from, to, is_caught);
  cairo_arc (cr, from.x, from.y, 7, 0, 2 * G_PI);
  sluice_cairo_set_color (cr, self->theme.accent);
  cairo_set_line_width (cr, 2);
  cairo_stroke (cr);
}

void
sluice_canvas_edit_draw_wire (SluiceCanvas *self, cairo_t *cr)
{
  const CanvasWire *wire = &self->edit->wire;
  if (wire->state == WIRE_NONE)
    {
      draw_ports (self, cr);
      return;
    }
  g_autoptr (GArray) targets = choose_targets (self);
  for (guint i = 0; i < targets->len; i++)
    draw_target_box (self, cr, g_array_index (targets, guint, i));
  draw_ports (self, cr);
  draw_held (self, cr);
  g_autoptr (GArray) pills = g_array_new (FALSE, FALSE, sizeof (SluiceRect));
  for (guint i = 0; i < targets->len; i++)
    draw_target_pill (self, cr, g_array_index (targets, guint, i), pills);
}

/* ---- lines across wires, and wires that wait for a box ---- */

void
sluice_canvas_edit_draw_edge (SluiceCanvas *self, cairo_t *cr, guint edge)
{
  const SluiceSceneEdge *e = sluice_scene_get_edge (self->scene, edge);
  const SluicePoint *points = sluice_scene_get_points (self->scene) + e->first_point;
  SluicePoint p = sluice_canvas_edit_to_pixels (self, points[0]);
  cairo_new_path (cr);
  cairo_move_to (cr, p.x, p.y);
  for (guint i = 1; i + 2 < e->n_points; i += 3)
    {
      SluicePoint a = sluice_canvas_edit_to_pixels (self, points[i]),
                  b = sluice_canvas_edit_to_pixels (self, points[i + 1]),
                  c = sluice_canvas_edit_to_pixels (self, points[i + 2]);
      cairo_curve_to (cr, a.x, a.y, b.x, b.y, c.x, c.y);
    }
  sluice_cairo_set_color (cr, self->theme.accent);
  cairo_set_line_width (cr, 3.5);
  cairo_stroke (cr);
}

void
sluice_canvas_edit_draw_cut (SluiceCanvas *self, cairo_t *cr)
{
  static const double dashes[] = { 6, 4 };
  const CanvasEdit *edit = self->edit;
  if (edit->splice_edge != SLUICE_NONE)
    sluice_canvas_edit_draw_edge (self, cr, edit->splice_edge);
  if (edit->cut == NULL)
    return;
  SluicePoint from = sluice_canvas_edit_to_pixels (self, edit->cut_from),
              to = sluice_canvas_edit_to_pixels (self, edit->cut_to);
  for (guint i = 0; i < edit->cut->len; i++)
    sluice_canvas_edit_draw_edge (self, cr, g_array_index (edit->cut, guint, i));
  cairo_new_path (cr);
  cairo_move_to (cr, from.x, from.y);
  cairo_line_to (cr, to.x, to.y);
  sluice_cairo_set_color (cr, self->theme.text);
  cairo_set_line_width (cr, 1.6);
  cairo_set_dash (cr, dashes, 2, 0);
  cairo_stroke (cr);
  cairo_set_dash (cr, NULL, 0, 0);
}

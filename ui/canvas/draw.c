/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/draw-private.h"

#include <math.h>
#include <string.h>

#include "ui/canvas/scene-private.h"

#define FAR_ZOOM      0.4  /* below: plain boxes, straight lines */
#define DISTANT_ZOOM  0.12 /* below: no smoothing, no borders */
#define SMALLEST_LINE 6.0  /* pixels: shorter lines are left out from afar */
#define KEPT_DRAWINGS 32   /* a text that was in none of so many is laid out anew */

static const struct
{
  double size;
  gboolean bold;
} text_styles[N_TEXTS] = {
  [TEXT_TITLE] = { SCENE_TITLE_SIZE, TRUE },  [TEXT_OP] = { SCENE_OP_SIZE, FALSE },
  [TEXT_NOTE] = { SCENE_NOTE_SIZE, FALSE },   [TEXT_LABEL] = { SCENE_LABEL_SIZE, FALSE },
  [TEXT_GLYPH] = { SCENE_GLYPH_SIZE, FALSE }, [TEXT_HEADING] = { 10, TRUE },
  [TEXT_FAR] = { DRAW_FAR_SIZE, TRUE },       [TEXT_FAR_OP] = { DRAW_FAR_SIZE, FALSE },
};

struct _SluiceValueTable
{
  GHashTable *values; /* char* -> Value* */
};

typedef struct
{
  SluiceCanvasValue value;
  char *name;
  char *text;
  float *bins;
} Value;

static void
free_value (gpointer data)
{
  Value *v = data;
  g_free (v->name);
  g_free (v->text);
  g_free (v->bins);
  g_free (v);
}

SluiceValueTable *
sluice_value_table_new (void)
{
  SluiceValueTable *self = g_new0 (SluiceValueTable, 1);
  self->values = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, free_value);
  return self;
}

void
sluice_value_table_free (SluiceValueTable *self)
{
  g_hash_table_unref (self->values);
  g_free (self);
}

gboolean
sluice_value_table_set (SluiceValueTable *self, const SluiceCanvasValue *value)
{
  Value *v = g_hash_table_lookup (self->values, value->name);
  gboolean new_text = FALSE;
  if (v == NULL)
    {
      v = g_new0 (Value, 1);
      v->name = g_strdup (value->name);
      g_hash_table_insert (self->values, v->name, v);
    }
  /* What an update leaves out stays as it was. */
  if (value->text != NULL && g_strcmp0 (v->text, value->text) != 0)
    {
      new_text = TRUE;
      g_free (v->text);
      v->text = g_strdup (value->text);
    }
  if (value->bins != NULL)
    {
      g_free (v->bins);
      v->bins = g_memdup2 (value->bins, value->n_bins * sizeof *value->bins);
      v->value.n_bins = value->n_bins;
    }
  v->value.share = value->share;
  v->value.bytes = value->bytes;
  v->value.name = v->name;
  v->value.text = v->text;
  v->value.bins = v->bins;
  return new_text;
}

void
sluice_value_table_clear (SluiceValueTable *self)
{
  g_hash_table_remove_all (self->values);
}

const SluiceCanvasValue *
sluice_value_table_get (const SluiceValueTable *self, const char *name)
{
  const Value *v = self == NULL ? NULL : g_hash_table_lookup (self->values, name);
  return v == NULL ? NULL : &v->value;
}

static GHashTable *
new_layouts (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_object_unref);
}

SluiceDrawer *
sluice_drawer_new (void)
{
  SluiceDrawer *self = g_new0 (SluiceDrawer, 1);
  self->layouts = new_layouts ();
  self->older_layouts = new_layouts ();
  self->hues = g_array_new (FALSE, FALSE, sizeof (SluiceColor));
  return self;
}

void
sluice_drawer_free (SluiceDrawer *self)
{
  g_hash_table_unref (self->layouts);
  g_hash_table_unref (self->older_layouts);
  g_array_unref (self->hues);
  g_clear_object (&self->context);
  g_free (self);
}

/* Small names are known by how they begin. */
static PangoEllipsizeMode
ellipsize (TextStyle style)
{
  return style < TEXT_FAR && style != TEXT_NOTE ? PANGO_ELLIPSIZE_MIDDLE : PANGO_ELLIPSIZE_END;
}

guint
sluice_drawer_get_n_boxes (SluiceDrawer *self)
{
  return self->n_boxes;
}

/* "27 ops · 12.4 k params": what has no room is left out, from the last part on. Half a number says
 * something else. */
static void
set_note (PangoLayout *layout, const char *note)
{
  g_autofree char *text = g_strdup (note);
  char *end;
  pango_layout_set_text (layout, text, -1);
  while (pango_layout_is_ellipsized (layout) && (end = g_strrstr (text, " · ")) != NULL)
    {
      *end = '\0';
      pango_layout_set_text (layout, text, -1);
    }
}

/* Of "expert ∇ × 192" what follows the name: which half it is of, and how many there are. */
static const char *
find_tail (const char *text)
{
  const char *tail = g_strrstr (text, " ∇");
  return tail != NULL ? tail : g_strrstr (text, " × ");
}

/* As much of the name as there is room for beside its tail, which is whole, or not there:
 * "ex…∇×192".
 */
static void
set_tailed (PangoLayout *layout, const char *text, const char *tail)
{
  gulong least = 0, most = (gulong) g_utf8_strlen (text, tail - text);
  pango_layout_set_text (layout, text, -1);
  if (!pango_layout_is_ellipsized (layout))
    return;
  g_auto (GStrv) parts = g_strsplit (tail, " ", -1);
  g_autofree char *tight = g_strjoinv ("", parts);
  for (gulong n = (most + 1) / 2;; n = (least + most + 1) / 2)
    {
      g_autofree char *name = g_utf8_substring (text, 0, (glong) n);
      g_autofree char *shorter = g_strconcat (name, n > 0 ? "…" : "", tight, NULL);
      pango_layout_set_text (layout, shorter, -1);
      gboolean fits = !pango_layout_is_ellipsized (layout);
      if (least >= most)
        {
          if (!fits)
            pango_layout_set_text (layout, "", 0);
          return;
        }
      least = fits ? n : least;
      most = fits ? most : n - 1;
    }
}

static PangoLayout *
find_layout (SluiceDrawer *self, const char *key)
{
  PangoLayout *layout = g_hash_table_lookup (self->layouts, key);
  gpointer own_key, older;
  if (layout == NULL && g_hash_table_steal_extended (self->older_layouts, key, &own_key, &older))
    g_hash_table_insert (self->layouts, own_key, layout = older);
  return layout;
}

/* Live values come and go. */
static void
forget_layouts (SluiceDrawer *self)
{
  if (++self->n_drawings % KEPT_DRAWINGS != 0)
    return;
  GHashTable *forgotten = self->older_layouts;
  g_hash_table_remove_all (forgotten);
  self->older_layouts = self->layouts;
  self->layouts = forgotten;
}

static PangoLayout *
get_layout (Draw *d, TextStyle style, const char *text, double width)
{
  SluiceDrawer *self = d->drawer;
  char prefix[32];
  g_snprintf (prefix, sizeof prefix, "%d %d ", style, (int) width);
  g_autofree char *key = g_strconcat (prefix, text, NULL);
  PangoLayout *layout = find_layout (self, key);
  if (layout != NULL)
    return layout;
  PangoFontDescription *font =
      pango_font_description_from_string (d->theme->font != NULL ? d->theme->font : "Sans");
  pango_font_description_set_absolute_size (font, text_styles[style].size * PANGO_SCALE);
  if (text_styles[style].bold)
    pango_font_description_set_weight (font, PANGO_WEIGHT_SEMIBOLD);
  layout = pango_layout_new (self->context);
  pango_layout_set_font_description (layout, font);
  pango_font_description_free (font);
  pango_layout_set_single_paragraph_mode (layout, TRUE);
  const char *tail = find_tail (text);
  pango_layout_set_ellipsize (layout, ellipsize (style));
  pango_layout_set_width (layout, (int) (width * PANGO_SCALE));
  if (style == TEXT_NOTE)
    set_note (layout, text);
  else if (tail != NULL)
    set_tailed (layout, text, tail);
  else
    pango_layout_set_text (layout, text, -1);
  g_hash_table_insert (self->layouts, g_steal_pointer (&key), layout);
  return layout;
}

/* Glyphs are rastered once for each size and kept, thousands of them: on its way from one zoom to
 * another text has one of so many sizes an octave, none more than 4.5 % off. */
#define ZOOMING_SIZES 8

static double
size_while_zooming (cairo_t *cr)
{
  cairo_matrix_t matrix;
  cairo_get_matrix (cr, &matrix);
  return exp2 (round (log2 (matrix.xx) * ZOOMING_SIZES) / ZOOMING_SIZES) / matrix.xx;
}

static void
show_layout (Draw *d, PangoLayout *layout, double x, double y, TextAlign align, SluiceColor color)
{
  PangoRectangle extents;
  pango_layout_get_extents (layout, NULL, &extents);
  double w = (extents.x + extents.width) / (double) PANGO_SCALE,
         h = extents.height / (double) PANGO_SCALE;
  double left = 0;
  if (align == ALIGN_CENTRE)
    left = -(w + extents.x / (double) PANGO_SCALE) / 2;
  else if (align == ALIGN_RIGHT)
    left = -w;
  sluice_cairo_set_color (d->cr, color);
  cairo_save (d->cr);
  cairo_translate (d->cr, x, y);
  if (d->state->is_zooming)
    {
      double size = size_while_zooming (d->cr);
      cairo_scale (d->cr, size, size);
    }
  cairo_move_to (d->cr, left, -h / 2);
  pango_cairo_show_layout (d->cr, layout);
  cairo_restore (d->cr);
}

/* How much larger than the picture around it a text of that style is drawn. */
static double
text_scale (const Draw *d, TextStyle style)
{
  double size = text_styles[style].size;
  return sluice_scene_text_size (size, d->state->zoom) / (size * d->state->zoom);
}

static void
show_scaled (Draw *d,
             TextStyle style,
             const char *text,
             double x,
             double y,
             double width,
             double scale,
             TextAlign align,
             SluiceColor color)
{
  cairo_save (d->cr);
  cairo_translate (d->cr, x, y);
  cairo_scale (d->cr, scale, scale);
  show_layout (d, get_layout (d, style, text, width), 0, 0, align, color);
  cairo_restore (d->cr);
}

void
sluice_draw_text (Draw *d,
                  TextStyle style,
                  const char *text,
                  double x,
                  double y,
                  double width,
                  TextAlign align,
                  SluiceColor color)
{
  double scale = text_scale (d, style);
  if (d->state->zoom < DRAW_SMALL_ZOOM || width < 4)
    return;
  if (scale > 1)
    show_scaled (d, style, text, x, y, width / scale, scale, align, color);
  else
    show_layout (d, get_layout (d, style, text, width), x, y, align, color);
}

void
sluice_draw_far_text (Draw *d,
                      TextStyle style,
                      const char *text,
                      double x,
                      double y,
                      double width,
                      TextAlign align,
                      SluiceColor color)
{
  show_scaled (d, style, text, x, y, width, 1 / d->state->zoom, align, color);
}

/* A dotted ground as one repeated tile; dots keep a pleasant distance at any zoom. */
static void
draw_ground (Draw *d)
{
  const SluiceDrawState *s = d->state;
  double zoom = s->zoom * s->text_scale, step = 24 * zoom;
  sluice_cairo_set_color (d->cr, d->theme->ground);
  cairo_paint (d->cr);
  if (s->plain)
    return;
  while (step < 16)
    step *= 2;
  while (step > 40)
    step /= 2;
  int tile = (int) lround (step);
  cairo_surface_t *surface = cairo_surface_create_similar (cairo_get_target (d->cr),
                                                           CAIRO_CONTENT_COLOR_ALPHA, tile, tile);
  cairo_t *cr = cairo_create (surface);
  sluice_cairo_set_color (cr, d->theme->dot);
  cairo_arc (cr, 1.5, 1.5, 1, 0, 2 * G_PI);
  cairo_fill (cr);
  cairo_destroy (cr);
  cairo_save (d->cr);
  cairo_translate (d->cr, -fmod (s->x * zoom, tile), -fmod (s->y * zoom, tile));
  cairo_set_source_surface (d->cr, surface, 0, 0);
  cairo_pattern_set_extend (cairo_get_source (d->cr), CAIRO_EXTEND_REPEAT);
  cairo_paint (d->cr);
  cairo_restore (d->cr);
  cairo_surface_destroy (surface);
}

SluiceRect
sluice_draw_item_rect (SluiceScene *scene, const SluiceDrawState *state, guint item)
{
  SluiceRect r = sluice_scene_get_item (scene, item)->rect;
  if (state->shift != NULL)
    {
      r.x += state->shift[item].x;
      r.y += state->shift[item].y;
    }
  if (state->stretch != NULL)
    {
      r.width += state->stretch[item].x;
      r.height += state->stretch[item].y;
    }
  return r;
}

/* The first and the last piece of an edge bend to where its ends are. */
static double
end_shift (Draw *d, const SluiceSceneEdge *e, guint i)
{
  const SluicePoint *ends = &d->state->ends[e - sluice_scene_get_edge (d->scene, 0)];
  return i < 2 ? ends->x : i + 2 >= e->n_points ? ends->y : 0;
}

/* Where a point of an edge is while its ends are on their way: it follows both, more the nearer
 * one. */
static SluicePoint
moving_point (Draw *d, const SluiceSceneEdge *e, guint i)
{
  SluicePoint p = sluice_scene_get_points (d->scene)[e->first_point + i];
  const SluicePoint *shift = d->state->shift;
  if (d->state->ends != NULL)
    p.x += end_shift (d, e, i);
  if (shift == NULL)
    return p;
  double t = e->n_points > 1 ? i / (double) (e->n_points - 1) : 0;
  p.x += shift[e->from].x * (1 - t) + shift[e->to].x * t;
  p.y += shift[e->from].y * (1 - t) + shift[e->to].y * t;
  return p;
}

static gboolean
is_selected (Draw *d, guint item)
{
  return item == d->state->lead || (d->state->selected != NULL && d->state->selected[item]);
}

static gboolean
is_traced (Draw *d, guint item)
{
  guint node = sluice_scene_get_item (d->scene, item)->node;
  return d->state->traced != NULL && node != SLUICE_NONE && d->state->traced[node];
}

/* Is the edge one of the selection's, or on the way that is traced? */
static gboolean
is_on (Draw *d, const SluiceSceneEdge *e)
{
  if (d->state->traced != NULL)
    return e->kind != SLUICE_EDGE_CONTROL && is_traced (d, e->from) && is_traced (d, e->to);
  gboolean from = is_selected (d, e->from), to = is_selected (d, e->to);
  /* What stands aside serves everything: its lines are shown when it is asked itself. */
  if (e->quiet && sluice_scene_get_item (d->scene, e->from)->aside)
    return from;
  if (e->quiet && sluice_scene_get_item (d->scene, e->to)->aside)
    return to;
  return from || to;
}

static SluiceColor
edge_color (Draw *d, const SluiceSceneEdge *e)
{
  if (is_on (d, e))
    return d->theme->accent;
  if (e->kind == SLUICE_EDGE_REFERENCE)
    return d->theme->update;
  if (e->kind == SLUICE_EDGE_BACK)
    return d->theme->loop;
  if (sluice_scene_is_stalk (d->scene, e)
      && sluice_scene_get_item (d->scene, e->from)->kind == SLUICE_ITEM_VARIABLE)
    return d->theme->variable;
  return d->theme->line;
}

void
sluice_draw_arrow (Draw *d, SluicePoint before, SluicePoint tip, double width)
{
  double angle = atan2 (tip.y - before.y, tip.x - before.x);
  double length = 7 + width, half = 3.2 + width * 0.55;
  cairo_save (d->cr);
  cairo_translate (d->cr, tip.x, tip.y);
  cairo_rotate (d->cr, angle);
  cairo_move_to (d->cr, 0, 0);
  cairo_line_to (d->cr, -length, -half);
  cairo_line_to (d->cr, -length, half);
  cairo_close_path (d->cr);
  cairo_restore (d->cr);
  cairo_fill (d->cr);
}

/* A turn that is not seen is not drawn. */
static void
trace_distant_edge (Draw *d, const SluiceSceneEdge *e)
{
  const double least = 2 / d->state->zoom;
  SluicePoint last = moving_point (d, e, 0);
  cairo_move_to (d->cr, last.x, last.y);
  for (guint i = 3; i < e->n_points; i += 3)
    {
      SluicePoint p = moving_point (d, e, i);
      if (i + 3 < e->n_points && fabs (p.x - last.x) < least && fabs (p.y - last.y) < least)
        continue;
      cairo_line_to (d->cr, p.x, p.y);
      last = p;
    }
}

static void
trace_edge (Draw *d, const SluiceSceneEdge *e)
{
  SluicePoint a = moving_point (d, e, 0), b, c, p;
  cairo_move_to (d->cr, a.x, a.y);
  if (d->state->zoom < FAR_ZOOM && e->n_points <= 7)
    {
      p = moving_point (d, e, e->n_points - 1);
      cairo_line_to (d->cr, p.x, p.y);
      return;
    }
  for (guint i = 1; i + 2 < e->n_points; i += 3)
    {
      b = moving_point (d, e, i);
      c = moving_point (d, e, i + 1);
      p = moving_point (d, e, i + 2);
      if (d->state->zoom < FAR_ZOOM)
        cairo_line_to (d->cr, p.x, p.y);
      else
        cairo_curve_to (d->cr, b.x, b.y, c.x, c.y, p.x, p.y);
    }
}

/* The head stands at the last card of a stack, or the cards would cover it. */
static void
draw_head (Draw *d, const SluiceSceneEdge *e)
{
  const SluiceSceneItem *to = sluice_scene_get_item (d->scene, e->to);
  SluicePoint before = moving_point (d, e, e->n_points - 2),
              tip = moving_point (d, e, e->n_points - 1);
  if (to->kind == SLUICE_ITEM_SCOPE && to->node != SLUICE_NONE
      && sluice_draw_is_stack (
          sluice_hierarchy_get_group (sluice_scene_get_hierarchy (d->scene), to->node)))
    {
      double depth = DRAW_STACK * DRAW_STACK_STEP;
      if (tip.y > before.y && fabs (tip.x - before.x) < 1)
        tip.y -= depth;
      else if (tip.x < before.x && fabs (tip.y - before.y) < 1)
        tip.x += depth;
    }
  sluice_draw_arrow (d, before, tip, e->width);
}

static void
draw_edge (Draw *d, const SluiceSceneEdge *e)
{
  static const double dashes[] = { 4, 4 };
  double zoom = d->state->zoom;
  gboolean dashed = (e->kind != SLUICE_EDGE_DATA && e->kind != SLUICE_EDGE_BACK)
                    || (sluice_scene_is_stalk (d->scene, e)
                        && sluice_scene_get_item (d->scene, e->to)->kind == SLUICE_ITEM_SUMMARY);
  sluice_cairo_set_color (d->cr, sluice_color_with_alpha (edge_color (d, e), e->quiet ? 0.7 : 1));
  cairo_set_line_width (d->cr, MAX (e->width, 0.6 / zoom));
  cairo_set_dash (d->cr, dashes, dashed && zoom >= FAR_ZOOM ? 2 : 0, 0);
  trace_edge (d, e);
  cairo_stroke (d->cr);
  /* Ports say themselves what is read. */
  if (e->arrow && zoom >= FAR_ZOOM && d->state->ends == NULL)
    {
      cairo_set_dash (d->cr, NULL, 0, 0);
      draw_head (d, e);
    }
}

/* All thin lines in one path: from afar only the mass of them is seen. */
static void
draw_distant_edges (Draw *d, const GArray *edges)
{
  guint traced = 0;
  sluice_cairo_set_color (d->cr, sluice_color_with_alpha (d->theme->line, 0.6));
  cairo_set_line_width (d->cr, 1 / d->state->zoom); /* thinner ones have gaps without smoothing */
  cairo_set_dash (d->cr, NULL, 0, 0);
  for (guint i = 0; i < edges->len; i++)
    {
      const SluiceSceneEdge *e = sluice_scene_get_edge (d->scene, g_array_index (edges, guint, i));
      double size = MAX (e->bounds.width, e->bounds.height) * d->state->zoom;
      if (e->quiet || size < SMALLEST_LINE)
        continue;
      trace_distant_edge (d, e);
      /* Cairo slows down on long paths that cross themselves. */
      if (++traced % 64 == 0)
        cairo_stroke (d->cr);
    }
  cairo_stroke (d->cr);
}

static void
draw_edges (Draw *d, const GArray *edges)
{
  if (d->state->zoom < DISTANT_ZOOM)
    {
      draw_distant_edges (d, edges);
      return;
    }
  /* Selected ones last, on top. */
  for (int pass = 0; pass < 2; pass++)
    for (guint i = 0; i < edges->len; i++)
      {
        const SluiceSceneEdge *e =
            sluice_scene_get_edge (d->scene, g_array_index (edges, guint, i));
        gboolean on = is_on (d, e);
        if (on == (pass == 1) && (on || !e->quiet))
          draw_edge (d, e);
      }
  cairo_set_dash (d->cr, NULL, 0, 0);
}

/* Neighbours of one colour are one path: to change the colour costs more than a box. */
static void
draw_distant_items (Draw *d, const GArray *items)
{
  SluiceColor last = { 0 };
  double last_share = 0;
  for (guint i = 0; i < items->len; i++)
    {
      guint index = g_array_index (items, guint, i);
      const SluiceSceneItem *item = sluice_scene_get_item (d->scene, index);
      if (item->kind == SLUICE_ITEM_HEADING)
        continue;
      SluiceRect r = sluice_draw_item_rect (d->scene, d->state, index);
      double share = item->kind == SLUICE_ITEM_OPEN_SCOPE ? 0.12 : 0.6;
      /* What is smaller than a pixel is seen as the frame around it. */
      if (item->depth > 0 && MAX (r.width, r.height) * d->state->zoom < 1)
        continue;
      d->drawer->n_boxes++;
      SluiceColor color = sluice_draw_item_color (d, item);
      if (share != last_share || memcmp (&color, &last, sizeof color) != 0)
        {
          cairo_fill (d->cr);
          sluice_cairo_set_color (d->cr, sluice_color_mix (d->theme->ground, color, share));
          last = color;
          last_share = share;
        }
      cairo_rectangle (d->cr, r.x, r.y, r.width, r.height);
    }
  cairo_fill (d->cr);
}

/* After the lines, which would cross them out. */
static void
draw_distant_titles (Draw *d, const GArray *items)
{
  for (guint i = 0; i < items->len; i++)
    sluice_draw_far_title (d, g_array_index (items, guint, i));
}

static void
draw_items (Draw *d, const GArray *items, gboolean frames)
{
  for (guint i = 0; i < items->len; i++)
    {
      guint index = g_array_index (items, guint, i);
      gboolean frame = sluice_scene_get_item (d->scene, index)->kind == SLUICE_ITEM_OPEN_SCOPE;
      if (frame != frames)
        continue;
      d->drawer->n_boxes++;
      if (frame)
        sluice_draw_frame (d, index);
      else
        sluice_draw_box (d, index);
    }
}

/* The largest box of the scene. */
SluiceColorScale
sluice_scene_get_color_scale (SluiceScene *scene, const SluiceValueTable *values)
{
  SluiceHierarchy *h = sluice_scene_get_hierarchy (scene);
  SluiceColorScale scale = { 0, 0, 0 };
  for (guint i = 0; i < sluice_scene_get_n_items (scene); i++)
    {
      const SluiceSceneItem *item = sluice_scene_get_item (scene, i);
      if (item->node == SLUICE_NONE || item->kind == SLUICE_ITEM_OPEN_SCOPE)
        continue;
      const SluiceGroup *g = sluice_hierarchy_get_group (h, item->node);
      const SluiceCanvasValue *value = sluice_value_table_get (values, g->path);
      scale.share = MAX (scale.share, value != NULL ? value->share : 0);
      scale.cost = MAX (scale.cost, g->cost);
      scale.bytes = MAX (scale.bytes, (double) g->bytes);
    }
  return scale;
}

/* What touches the view. On the way, boxes are not where the index has them: then each is looked
 * at. */
static void
find_visible (Draw *d, GArray *items, GArray *edges)
{
  SluiceRect area = sluice_rect_grown (&d->area, 12);
  const SluicePoint *shift = d->state->shift;
  if (shift == NULL)
    {
      double pixel = d->state->zoom < DISTANT_ZOOM ? 1 / d->state->zoom : 0;
      sluice_scene_query_larger (d->scene, &area, pixel, items);
      sluice_scene_query_edges (d->scene, &area, SMALLEST_LINE * pixel, edges);
      return;
    }
  for (guint i = 0; i < sluice_scene_get_n_items (d->scene); i++)
    {
      SluiceRect r = sluice_draw_item_rect (d->scene, d->state, i);
      if (sluice_rect_touches (&r, &area))
        g_array_append_val (items, i);
    }
  for (guint i = 0; i < sluice_scene_get_n_edges (d->scene); i++)
    {
      const SluiceSceneEdge *e = sluice_scene_get_edge (d->scene, i);
      SluiceRect a = e->bounds, b = e->bounds;
      a.x += shift[e->from].x;
      a.y += shift[e->from].y;
      b.x += shift[e->to].x;
      b.y += shift[e->to].y;
      a = sluice_rect_union (&a, &b);
      if (sluice_rect_touches (&a, &area))
        g_array_append_val (edges, i);
    }
}

/* Also of what is too small to be drawn itself. */
static void
draw_rings (Draw *d, const GArray *items)
{
  gboolean distant = d->state->zoom < DISTANT_ZOOM;
  guint n = distant ? sluice_scene_get_n_items (d->scene) : items->len;
  if (d->state->selected == NULL && d->state->traced == NULL && d->state->lead == SLUICE_NONE)
    return;
  for (guint i = 0; i < n; i++)
    {
      guint index = distant ? i : g_array_index (items, guint, i);
      if (is_selected (d, index))
        sluice_draw_ring (d, index, 2.5);
      else if (d->state->traced != NULL && is_traced (d, index))
        sluice_draw_ring (d, index, 1.2);
    }
}

/* What was kept of another theme goes. */
static void
begin_theme (SluiceDrawer *self, const SluiceTheme *theme)
{
  if (self->hue_contrast == theme->contrast
      && memcmp (&self->hue_ground, &theme->ground, sizeof theme->ground) == 0)
    return;
  g_array_set_size (self->hues, 0);
  self->hue_contrast = theme->contrast;
  self->hue_ground = theme->ground;
}

void
sluice_drawer_draw (SluiceDrawer *self,
                    SluiceScene *scene,
                    cairo_t *cr,
                    const SluiceDrawState *state)
{
  Draw d = { .drawer = self, .scene = scene, .cr = cr, .state = state, .theme = state->theme };
  g_autoptr (GArray) items = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) edges = g_array_new (FALSE, FALSE, sizeof (guint));

  if (self->context == NULL)
    self->context = pango_font_map_create_context (pango_cairo_font_map_get_default ());
  begin_theme (self, state->theme);
  forget_layouts (self);
  self->n_boxes = 0;
  cairo_save (cr);
  draw_ground (&d);
  const double zoom = state->zoom * state->text_scale;
  cairo_scale (cr, zoom, zoom);
  cairo_translate (cr, -state->x, -state->y);
  d.area = (SluiceRect){ state->x, state->y, state->width / zoom, state->height / zoom };
  if (state->draw_under != NULL)
    state->draw_under (cr, state->under_data);
  find_visible (&d, items, edges);
  if (state->color_by == SLUICE_COLOR_BY_TIME || state->color_by == SLUICE_COLOR_BY_BYTES)
    d.color_scale = sluice_scene_get_color_scale (scene, state->values);
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_ROUND);
  if (state->zoom < DISTANT_ZOOM)
    {
      cairo_set_antialias (cr, CAIRO_ANTIALIAS_NONE);
      draw_distant_items (&d, items);
      draw_edges (&d, edges);
      cairo_set_antialias (cr, CAIRO_ANTIALIAS_DEFAULT);
      draw_distant_titles (&d, items);
    }
  else
    {
      cairo_set_antialias (cr,
                           state->zoom < FAR_ZOOM ? CAIRO_ANTIALIAS_FAST : CAIRO_ANTIALIAS_GOOD);
      draw_items (&d, items, TRUE);
      draw_edges (&d, edges);
      sluice_draw_labels (&d, edges, items);
      draw_items (&d, items, FALSE);
    }
  cairo_set_antialias (cr, CAIRO_ANTIALIAS_DEFAULT);
  draw_rings (&d, items);
  cairo_restore (cr);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/draw-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "ui/canvas/scene-private.h"
#include "ui/canvas/text-metrics.h"

#define SIGN_AT       9 /* of a change: its middle, from the left end of a capsule */
#define SCOPE_RADIUS  9.0
#define CLOSE_WIDTH   56.0
#define MOST_HUES     4096 /* that are kept */
#define TEXT_CONTRAST 4.5  /* of what is to be read */
#define LOOP_TURN     22.0 /* how far the line back of a closed loop goes out */

static const SluiceGroup *
group_of (Draw *d, const SluiceSceneItem *item)
{
  return item->node == SLUICE_NONE
             ? NULL
             : sluice_hierarchy_get_group (sluice_scene_get_hierarchy (d->scene), item->node);
}

static SluiceColor
scale_color (Draw *d, double share)
{
  return sluice_color_mix (d->theme->outline, d->theme->heat, CLAMP (share, 0, 1));
}

static SluiceColor
get_hue (Draw *d, guint hue)
{
  GArray *hues = d->drawer->hues;
  if (hue >= MOST_HUES)
    return sluice_theme_get_hue (d->theme, hue);
  while (hues->len <= hue)
    {
      SluiceColor next = sluice_theme_get_hue (d->theme, hues->len);
      g_array_append_val (hues, next);
    }
  return g_array_index (hues, SluiceColor, hue);
}

static SluiceColor
structure_color (Draw *d, const SluiceSceneItem *item, const SluiceGroup *g)
{
  if (item->kind == SLUICE_ITEM_VARIABLE)
    return d->theme->variable;
  if (g->hue == SLUICE_NONE)
    return d->theme->outline;
  return get_hue (d, g->hue);
}

static SluiceColor
class_color (Draw *d, guint class)
{
  return class != SLUICE_NONE ? get_hue (d, class) : d->theme->outline;
}

/* 0 to 1, where colour is a scale; else negative. */
static double
scale_share (Draw *d, const SluiceGroup *g)
{
  const SluiceColorScale *scale = &d->color_scale;
  const SluiceCanvasValue *value = sluice_value_table_get (d->state->values, g->path);
  if (d->state->color_by == SLUICE_COLOR_BY_BYTES)
    return scale->bytes > 0 ? (double) g->bytes / scale->bytes : 0;
  if (d->state->color_by != SLUICE_COLOR_BY_TIME)
    return -1;
  if (scale->share > 0)
    return value != NULL && value->share > 0 ? value->share / scale->share : 0;
  return scale->cost > 0 ? g->cost / scale->cost : 0;
}

static SluiceColor
health_color (Draw *d, guint node)
{
  SluiceMarkKind kind = sluice_marks_get (d->state->marks, node, NULL);
  return kind == SLUICE_MARK_NONE      ? d->theme->outline
         : kind == SLUICE_MARK_WARNING ? d->theme->heat
                                       : d->theme->failure;
}

/* A gradient has the colour of what it is of. */
static SluiceColor
gradient_color (Draw *d, const SluiceGroup *g)
{
  SluiceHierarchy *h = sluice_scene_get_hierarchy (d->scene);
  while (g->pair == SLUICE_NONE && g->parent != SLUICE_NONE && g->parent != 0)
    g = sluice_hierarchy_get_group (h, g->parent);
  if (g->pair == SLUICE_NONE)
    return d->theme->outline;
  const SluiceGroup *forward = g->gradient ? sluice_hierarchy_get_group (h, g->pair) : g;
  return get_hue (d, forward->hue != SLUICE_NONE ? forward->hue : 0);
}

/* SLUICE_NONE: it has none */
static guint
class_of (Draw *d, guint group)
{
  return d->state->classes != NULL ? sluice_color_classes_get (d->state->classes, group)
                                   : SLUICE_NONE;
}

static SluiceColor
color_of_class (Draw *d, guint group)
{
  guint class = class_of (d, group);
  return class != SLUICE_NONE ? sluice_color_classes_get_color (d->state->classes, class, d->theme)
                              : d->theme->outline;
}

SluiceColor
sluice_draw_item_color (Draw *d, const SluiceSceneItem *item)
{
  const SluiceGroup *g = group_of (d, item);
  if (g == NULL)
    return d->theme->outline;
  switch (d->state->color_by)
    {
    case SLUICE_COLOR_BY_DEVICE:
      return class_color (d, g->device);
    case SLUICE_COLOR_BY_ASKED:
    case SLUICE_COLOR_BY_DTYPE:
    case SLUICE_COLOR_BY_PLACED:
    case SLUICE_COLOR_BY_REASON:
    case SLUICE_COLOR_BY_MARGIN:
    case SLUICE_COLOR_BY_CHANGE:
      return color_of_class (d, item->node);
    case SLUICE_COLOR_BY_TIME:
    case SLUICE_COLOR_BY_BYTES:
      return scale_color (d, sqrt (scale_share (d, g)));
    case SLUICE_COLOR_BY_GRADIENT:
      return gradient_color (d, g);
    case SLUICE_COLOR_BY_HEALTH:
      return health_color (d, item->node);
    case SLUICE_COLOR_BY_STRUCTURE:
    default:
      return structure_color (d, item, g);
    }
}

/* Inside of a box: a tint of its colour; of a scale, the more the higher. */
static SluiceColor
box_fill (Draw *d, const SluiceGroup *g, SluiceColor hue)
{
  double share = scale_share (d, g);
  return sluice_color_mix (d->theme->surface, hue,
                           share >= 0 ? 0.06 + 0.5 * sqrt (CLAMP (share, 0, 1)) : d->theme->tint);
}

/* Of words on a box: the fill of a scale may be strong. */
static SluiceColor
ink_on (Draw *d, const SluiceGroup *g, SluiceColor fill, SluiceColor ink)
{
  return scale_share (d, g) >= 0 ? sluice_color_readable (ink, fill, TEXT_CONTRAST) : ink;
}

SluiceRect
sluice_scene_get_close_rect (SluiceScene *scene, guint item)
{
  SluiceRect r = sluice_scene_get_item (scene, item)->rect;
  return (SluiceRect){ r.x + r.width - CLOSE_WIDTH - 6, r.y + 4, CLOSE_WIDTH, SCENE_HEADER - 8 };
}

/* What is said of a loop or a scope while it runs, else what is always true of it. */
static const char *
note_of (Draw *d, const SluiceSceneItem *item, const SluiceGroup *g)
{
  const SluiceCanvasValue *value = sluice_value_table_get (d->state->values, g->path);
  return value != NULL && value->text != NULL ? value->text : item->note;
}

/* The line back of a closed loop, or what a member of a series hands on to the next one, at the
 * right side: out at the end, in at the beginning. */
static void
draw_line_back (Draw *d, const SluiceRect *r, SluiceColor color)
{
  gboolean up = sluice_scene_get_flow (d->scene) == SLUICE_FLOW_UP;
  double x = r->x + r->width, turn = LOOP_TURN;
  double from = up ? r->y + 11 : r->y + r->height - 11;
  double to = up ? r->y + r->height - 11 : r->y + 11;
  sluice_cairo_set_color (d->cr, color);
  cairo_set_line_width (d->cr, 1.8);
  cairo_move_to (d->cr, x, from);
  cairo_curve_to (d->cr, x + turn * 1.3, from, x + turn * 1.3, to, x + 4, to);
  cairo_stroke (d->cr);
  sluice_draw_arrow (d, (SluicePoint){ x + 9, to }, (SluicePoint){ x, to }, 1.8);
}

void
sluice_draw_frame (Draw *d, guint index)
{
  const SluiceSceneItem *item = sluice_scene_get_item (d->scene, index);
  SluiceRect r = sluice_draw_item_rect (d->scene, d->state, index);
  SluiceColor hue = sluice_draw_item_color (d, item);
  /* Nested frames would add up to mud: each is a little fainter. */
  double tint = d->theme->tint * 0.55 / (1 + 0.25 * item->depth);
  sluice_cairo_rounded_rect (d->cr, &r, SCOPE_RADIUS);
  sluice_cairo_set_color (d->cr, sluice_color_with_alpha (hue, tint));
  cairo_fill_preserve (d->cr);
  sluice_cairo_set_color (d->cr, hue);
  cairo_set_line_width (d->cr, index == d->state->hover ? d->theme->border_width + 0.8
                                                        : d->theme->border_width);
  cairo_stroke (d->cr);
  if (d->state->zoom < DRAW_SMALL_ZOOM)
    {
      sluice_draw_far_title (d, index);
      return;
    }
  double y = r.y + SCENE_HEADER / 2 + 1;
  sluice_draw_text (d, TEXT_TITLE, item->title, r.x + 14, y, r.width - CLOSE_WIDTH - 28, ALIGN_LEFT,
                    sluice_color_mix (hue, d->theme->text, 0.25));
  const SluiceGroup *g = group_of (d, item);
  if (g->loop != NULL)
    {
      double title = sluice_text_width (item->title, SCENE_TITLE_SIZE, TRUE) + 10;
      sluice_draw_text (d, TEXT_NOTE, note_of (d, item, g), r.x + 14 + title, y,
                        r.width - CLOSE_WIDTH - 28 - title, ALIGN_LEFT, d->theme->loop);
    }
  sluice_draw_text (d, TEXT_NOTE, _ ("– close"), r.x + r.width - 12, y, CLOSE_WIDTH, ALIGN_RIGHT,
                    d->theme->dim);
}

/* A name that finds @room and @height, in pixels of the screen, cut at its end; where not half of
 * it would be left it is not drawn. */
static gboolean
draw_far_name (Draw *d,
               TextStyle style,
               const char *name,
               double x,
               double y,
               double room,
               double height,
               TextAlign align,
               SluiceColor color)
{
  if (height < DRAW_FAR_SIZE || room < 2 * DRAW_FAR_SIZE
      || room < sluice_text_width (name, DRAW_FAR_SIZE, style == TEXT_FAR) / 2)
    return FALSE;
  sluice_draw_far_text (d, style, name, x, y, room, align, color);
  return TRUE;
}

void
sluice_draw_far_title (Draw *d, guint index)
{
  const SluiceSceneItem *item = sluice_scene_get_item (d->scene, index);
  SluiceRect r = sluice_draw_item_rect (d->scene, d->state, index);
  double zoom = d->state->zoom, head = SCENE_HEADER * zoom;
  if (r.width * zoom < 2 * DRAW_FAR_SIZE || r.height * zoom < DRAW_FAR_SIZE)
    return; /* most are */
  if (item->kind == SLUICE_ITEM_SCOPE && !item->aside)
    draw_far_name (d, TEXT_FAR, item->title, r.x + r.width / 2, r.y + r.height / 2,
                   r.width * zoom - 4, r.height * zoom - 4, ALIGN_CENTRE, d->theme->text);
  if (item->kind != SLUICE_ITEM_OPEN_SCOPE)
    return;
  /* Frames in frames begin at the same corner: where heads are too low for a line, only the outer
   * one's is drawn, over what is in it. */
  if (item->depth == 0 && r.height * zoom > 3 * DRAW_FAR_SIZE)
    head = MAX (head, DRAW_FAR_SIZE);
  double x = r.x + 6 / zoom, y = r.y + head / 2 / zoom, room = r.width * zoom - 12;
  double width = sluice_text_width (item->title, DRAW_FAR_SIZE, TRUE) + 10;
  if (!draw_far_name (d, TEXT_FAR, item->title, x, y, room, head, ALIGN_LEFT,
                      sluice_color_mix (sluice_draw_item_color (d, item), d->theme->text, 0.25)))
    return;
  const SluiceGroup *g = group_of (d, item);
  if (g->loop != NULL && width < room)
    draw_far_name (d, TEXT_FAR, note_of (d, item, g), x + width / zoom, y, room - width, head,
                   ALIGN_LEFT, d->theme->loop);
}

static void
fill_box (
    Draw *d, const SluiceRect *r, double radius, SluiceColor fill, SluiceColor border, double width)
{
  sluice_cairo_rounded_rect (d->cr, r, radius);
  if (d->state->zoom < 0.4)
    {
      /* Without its border a plain box would be lost on the ground. */
      sluice_cairo_set_color (d->cr, sluice_color_mix (fill, border, 0.3));
      cairo_fill (d->cr);
      return;
    }
  sluice_cairo_set_color (d->cr, fill);
  cairo_fill_preserve (d->cr);
  sluice_cairo_set_color (d->cr, border);
  cairo_set_line_width (d->cr, width);
  cairo_stroke (d->cr);
}

/* A scope that stands on several devices: as much of each colour as it has ops there. */
static void
fill_devices (Draw *d, const SluiceRect *r, guint group)
{
  SluiceHierarchy *h = sluice_scene_get_hierarchy (d->scene);
  g_autoptr (GArray) devices = sluice_hierarchy_dup_device_ops (h, group);
  double x = r->x, n_ops = sluice_hierarchy_get_group (h, group)->n_ops;
  cairo_save (d->cr);
  sluice_cairo_rounded_rect (d->cr, r, SCOPE_RADIUS);
  cairo_clip (d->cr);
  for (guint i = 0; i < devices->len; i++)
    {
      const SluiceDeviceOps *entry = &g_array_index (devices, SluiceDeviceOps, i);
      double width = r->width * entry->n_ops / n_ops;
      SluiceColor hue =
          entry->device == SLUICE_NONE ? d->theme->outline : get_hue (d, entry->device);
      sluice_cairo_set_color (d->cr,
                              sluice_color_mix (d->theme->surface, hue, 1.6 * d->theme->tint));
      cairo_rectangle (d->cr, x, r->y, width + 0.5, r->height);
      cairo_fill (d->cr);
      x += width;
    }
  cairo_restore (d->cr);
  sluice_cairo_rounded_rect (d->cr, r, SCOPE_RADIUS);
  sluice_cairo_set_color (d->cr, d->theme->outline);
  cairo_set_line_width (d->cr, d->theme->border_width);
  cairo_stroke (d->cr);
}

static void
draw_heat (Draw *d, const SluiceRect *r, double share)
{
  SluiceRect track = { r->x + 10, r->y + r->height - 6, r->width - 20, 2.5 }, bar = track;
  bar.width = track.width * CLAMP (share, 0, 1);
  sluice_cairo_rounded_rect (d->cr, &track, 1.25);
  sluice_cairo_set_color (d->cr, d->theme->track);
  cairo_fill (d->cr);
  if (bar.width < 0.5)
    return;
  sluice_cairo_rounded_rect (d->cr, &bar, 1.25);
  sluice_cairo_set_color (d->cr, d->theme->heat);
  cairo_fill (d->cr);
}

/* A breakpoint, on the left corner: filled where it stops, a ring where it does not, with a halo
 * where the run stands now. */
static void
draw_break (Draw *d, const SluiceRect *r, SluiceMarkKind kind)
{
  const double x = r->x + 2, y = r->y + 2;
  const gboolean is_ring = kind == SLUICE_MARK_BREAK_IDLE;
  cairo_new_path (d->cr);
  if (kind == SLUICE_MARK_STOP)
    {
      cairo_arc (d->cr, x, y, 11, 0, 2 * G_PI);
      sluice_cairo_set_color (d->cr, d->theme->heat);
      cairo_fill (d->cr);
    }
  cairo_arc (d->cr, x, y, 6, 0, 2 * G_PI);
  sluice_cairo_set_color (d->cr, is_ring ? d->theme->ground : d->theme->failure);
  cairo_fill_preserve (d->cr);
  sluice_cairo_set_color (d->cr, is_ring ? d->theme->failure : d->theme->ground);
  cairo_set_line_width (d->cr, 1.5);
  cairo_stroke (d->cr);
}

/* Failures are red and filled; what cannot run is a red ring: nothing has happened yet. */
static void
draw_badge (Draw *d, const SluiceRect *r, SluiceMarkKind kind)
{
  static const char *const words[] = { "", "!", "×", "NaN", "!" };
  double half = kind == SLUICE_MARK_NAN ? 15 : 8;
  SluiceRect badge = { r->x + r->width - 4 - half, r->y - 6, 2 * half, 16 };
  SluiceColor color = kind == SLUICE_MARK_WARNING ? d->theme->heat : d->theme->failure;
  gboolean is_ring = kind == SLUICE_MARK_REFUSAL;
  cairo_new_path (d->cr); /* text leaves a current point behind */
  sluice_cairo_rounded_rect (d->cr, &badge, 8);
  sluice_cairo_set_color (d->cr, is_ring ? d->theme->ground : color);
  cairo_fill_preserve (d->cr);
  sluice_cairo_set_color (d->cr, is_ring ? color : d->theme->ground);
  cairo_set_line_width (d->cr, 1.5);
  cairo_stroke (d->cr);
  sluice_draw_text (d, kind == SLUICE_MARK_NAN ? TEXT_GLYPH : TEXT_TITLE, words[kind],
                    r->x + r->width - 4, r->y + 2, 2 * half, ALIGN_CENTRE,
                    is_ring ? color : d->theme->ground);
}

gboolean
sluice_draw_is_stack (const SluiceGroup *g)
{
  return g->kind == SLUICE_GROUP_SERIES && !g->section;
}

static void
draw_scope (Draw *d, guint index, const SluiceGroup *g, SluiceRect r, gboolean hover)
{
  const SluiceSceneItem *item = sluice_scene_get_item (d->scene, index);
  SluiceColor hue = sluice_draw_item_color (d, item);
  SluiceColor fill = box_fill (d, g, hue);
  double border = hover ? d->theme->border_width + 0.8 : d->theme->border_width;
  const SluiceCanvasValue *value = sluice_value_table_get (d->state->values, g->path);
  const char *note = note_of (d, item, g);

  if (sluice_draw_is_stack (g))
    for (int i = DRAW_STACK; i > 0; i--)
      {
        SluiceRect behind = { r.x + DRAW_STACK_STEP * i, r.y - DRAW_STACK_STEP * i, r.width,
                              r.height };
        fill_box (d, &behind, SCOPE_RADIUS, fill, hue, d->theme->border_width);
      }
  fill_box (d, &r, SCOPE_RADIUS, fill, hue, border);
  if (d->state->color_by == SLUICE_COLOR_BY_DEVICE && g->device == SLUICE_NONE)
    fill_devices (d, &r, item->node);
  if ((g->loop != NULL || g->inner_loop != NULL) && d->state->zoom >= 0.25)
    draw_line_back (d, &r, d->theme->loop);
  else if (g->carries && d->state->zoom >= 0.25)
    {
      SluiceRect stack = { r.x, r.y, r.width + DRAW_STACK * DRAW_STACK_STEP, r.height };
      draw_line_back (d, &stack, d->theme->line);
    }
  gboolean heat = value != NULL && value->share >= 0;
  double y = r.y + r.height / 2 - (heat ? 2 : 0);
  if (d->state->zoom < DRAW_SMALL_ZOOM)
    sluice_draw_far_title (d, index);
  else if (note == NULL)
    {
      sluice_draw_text (d, TEXT_TITLE, item->title, r.x + r.width / 2, y, r.width - 16,
                        ALIGN_CENTRE, ink_on (d, g, fill, d->theme->text));
    }
  else
    {
      sluice_draw_text (d, TEXT_TITLE, item->title, r.x + r.width / 2, y - 8, r.width - 16,
                        ALIGN_CENTRE, ink_on (d, g, fill, d->theme->text));
      sluice_draw_text (d, TEXT_NOTE, note, r.x + r.width / 2, y + 9, r.width - 10, ALIGN_CENTRE,
                        ink_on (d, g, fill, d->theme->dim));
    }
  if (heat && d->state->zoom >= 0.4)
    draw_heat (d, &r, value->share);
}

static void
draw_op (Draw *d, const SluiceSceneItem *item, const SluiceGroup *g, SluiceRect r, gboolean hover)
{
  SluiceColor hue = item->aside ? d->theme->outline : sluice_draw_item_color (d, item);
  gboolean input = g->node_class == SLUICE_NODE_CLASS_PLACEHOLDER;
  SluiceColor fill = d->theme->surface;
  const SluiceCanvasValue *value = sluice_value_table_get (d->state->values, g->path);
  if (input)
    fill = sluice_color_mix (d->theme->surface, d->theme->outline, d->theme->tint);
  else if (d->state->color_by != SLUICE_COLOR_BY_STRUCTURE)
    fill = box_fill (d, g, hue);
  fill_box (d, &r, r.height / 2, fill, hue,
            hover ? d->theme->border_width + 0.8 : d->theme->border_width);
  if (d->state->zoom < DRAW_SMALL_ZOOM)
    draw_far_name (d, TEXT_FAR_OP, item->title, r.x + r.width / 2, r.y + r.height / 2,
                   r.width * d->state->zoom - 4, r.height * d->state->zoom, ALIGN_CENTRE,
                   d->theme->text);
  else if (value != NULL && value->text != NULL)
    {
      sluice_draw_text (d, TEXT_OP, item->title, r.x + r.width / 2, r.y + r.height / 2 - 5,
                        r.width - 20, ALIGN_CENTRE, ink_on (d, g, fill, d->theme->text));
      sluice_draw_text (d, TEXT_GLYPH, value->text, r.x + r.width / 2, r.y + r.height / 2 + 7,
                        r.width - 20, ALIGN_CENTRE, ink_on (d, g, fill, d->theme->dim));
    }
  else
    sluice_draw_text (d, TEXT_OP, item->title, r.x + r.width / 2, r.y + r.height / 2, r.width - 16,
                      ALIGN_CENTRE, ink_on (d, g, fill, d->theme->text));
  guint class = class_of (d, item->node);
  const char *sign =
      class != SLUICE_NONE ? sluice_color_classes_get_sign (d->state->classes, class) : NULL;
  if (sign != NULL && d->state->zoom >= DRAW_SMALL_ZOOM)
    sluice_draw_text (d, TEXT_TITLE, sign, r.x + SIGN_AT, r.y + r.height / 2, 2 * SIGN_AT,
                      ALIGN_CENTRE, ink_on (d, g, fill, d->theme->text));
}

/* A histogram's glyph is its histogram; until there is one, and for scalars, a line. */
static void
draw_summary (
    Draw *d, const SluiceSceneItem *item, const SluiceGroup *g, SluiceRect r, gboolean hover)
{
  const SluiceCanvasValue *value = sluice_value_table_get (d->state->values, g->path);
  double x = r.x + 11, y = r.y + r.height - 6, w = 26, h = r.height - 11;
  fill_box (d, &r, r.height / 2, d->theme->surface, hover ? d->theme->summary : d->theme->track,
            d->theme->border_width);
  if (d->state->zoom < 0.4)
    return;
  sluice_cairo_set_color (d->cr, d->theme->summary);
  if (value != NULL && value->n_bins > 0)
    {
      float top = 0;
      for (guint i = 0; i < value->n_bins; i++)
        top = MAX (top, value->bins[i]);
      for (guint i = 0; i < value->n_bins && top > 0; i++)
        cairo_rectangle (d->cr, x + w * i / value->n_bins, y, w / value->n_bins * 0.8,
                         -h * value->bins[i] / top);
      cairo_fill (d->cr);
    }
  else
    {
      cairo_set_line_width (d->cr, 1.4);
      cairo_move_to (d->cr, x, y - h * 0.9);
      cairo_curve_to (d->cr, x + w * 0.3, y, x + w * 0.55, y - h * 0.15, x + w, y - h * 0.1);
      cairo_stroke (d->cr);
    }
  sluice_draw_text (d, TEXT_GLYPH, item->title, x + w + 6, r.y + r.height / 2, r.width - w - 22,
                    ALIGN_LEFT, d->theme->dim);
}

void
sluice_draw_box (Draw *d, guint index)
{
  const SluiceSceneItem *item = sluice_scene_get_item (d->scene, index);
  const SluiceGroup *g = group_of (d, item);
  SluiceRect r = sluice_draw_item_rect (d->scene, d->state, index);
  gboolean hover = index == d->state->hover;
  double middle = r.x + r.width / 2;

  switch (item->kind)
    {
    case SLUICE_ITEM_HEADING:
      sluice_draw_text (d, TEXT_HEADING, item->title, middle, r.y + r.height / 2, 200, ALIGN_CENTRE,
                        d->theme->dim);
      break;
    case SLUICE_ITEM_SCOPE:
      if (item->aside)
        draw_op (d, item, g, r, hover);
      else
        draw_scope (d, index, g, r, hover);
      break;
    case SLUICE_ITEM_SUMMARY:
      draw_summary (d, item, g, r, hover);
      break;
    case SLUICE_ITEM_CONSTANT:
    case SLUICE_ITEM_MORE:
      fill_box (d, &r, r.height / 2, d->theme->surface, hover ? d->theme->outline : d->theme->track,
                1);
      if (sluice_scene_has_room (r.height, d->state->zoom))
        sluice_draw_text (d, TEXT_GLYPH, item->title, middle, r.y + r.height / 2, r.width - 8,
                          ALIGN_CENTRE, d->theme->dim);
      break;
    default:
      draw_op (d, item, g, r, hover);
    }
  SluiceMarkKind kind =
      g != NULL ? sluice_marks_get (d->state->marks, item->node, NULL) : SLUICE_MARK_NONE;
  if (g != NULL && g->n_errors > 0)
    kind = MAX (kind, SLUICE_MARK_REFUSAL);
  if (kind != SLUICE_MARK_NONE && d->state->zoom >= 0.25)
    draw_badge (d, &r, kind);
  kind = g != NULL ? sluice_marks_get (d->state->breaks, item->node, NULL) : SLUICE_MARK_NONE;
  if (kind >= SLUICE_MARK_BREAK_IDLE)
    draw_break (d, &r, kind);
}

/* The accent ring with air: selection is never a fill. */
void
sluice_draw_ring (Draw *d, guint index, double width)
{
  const SluiceSceneItem *item = sluice_scene_get_item (d->scene, index);
  SluiceRect r = sluice_draw_item_rect (d->scene, d->state, index);
  /* On the screen with 3 px of air at any zoom. */
  double px = 1 / MIN (d->state->zoom, 1.0);
  SluiceRect ring = sluice_rect_grown (&r, (d->theme->border_width / 2 + 3) * px);
  gboolean capsule =
      item->kind != SLUICE_ITEM_OPEN_SCOPE && (item->kind != SLUICE_ITEM_SCOPE || item->aside);
  sluice_cairo_rounded_rect (d->cr, &ring, capsule ? ring.height / 2 : SCOPE_RADIUS + 4 * px);
  sluice_cairo_set_color (d->cr, d->theme->accent);
  cairo_set_line_width (d->cr, width * px);
  cairo_stroke (d->cr);
}

/* The scale and place of the scene within a minimap. */
static double
fit_minimap (SluiceScene *scene, double width, double height, double *x, double *y)
{
  SluiceRect b = sluice_scene_get_bounds (scene);
  double zoom = MIN ((width - 16) / MAX (b.width, 1), (height - 16) / MAX (b.height, 1));
  *x = (width - b.width * zoom) / 2 - b.x * zoom;
  *y = (height - b.height * zoom) / 2 - b.y * zoom;
  return zoom;
}

SluicePoint
sluice_minimap_locate (SluiceScene *scene, double width, double height, double x, double y)
{
  double dx, dy, zoom = fit_minimap (scene, width, height, &dx, &dy);
  return (SluicePoint){ (x - dx) / zoom, (y - dy) / zoom };
}

void
sluice_draw_minimap (
    SluiceScene *scene, cairo_t *cr, const SluiceTheme *theme, double width, double height)
{
  double dx, dy, zoom = fit_minimap (scene, width, height, &dx, &dy);
  SluiceRect frame = { 0.5, 0.5, width - 1, height - 1 };
  cairo_save (cr);
  sluice_cairo_rounded_rect (cr, &frame, 7);
  sluice_cairo_set_color (cr, theme->surface);
  cairo_fill_preserve (cr);
  sluice_cairo_set_color (cr, theme->track);
  cairo_set_line_width (cr, 1.4);
  cairo_stroke_preserve (cr);
  cairo_clip (cr);
  for (guint i = 0; i < sluice_scene_get_n_items (scene); i++)
    {
      const SluiceSceneItem *item = sluice_scene_get_item (scene, i);
      double alpha = item->kind == SLUICE_ITEM_OPEN_SCOPE ? 0.25 : 0.6;
      if (item->kind == SLUICE_ITEM_HEADING)
        continue;
      sluice_cairo_set_color (cr, sluice_color_with_alpha (theme->outline, alpha));
      cairo_rectangle (cr, dx + item->rect.x * zoom, dy + item->rect.y * zoom,
                       MAX (item->rect.width * zoom, 1), MAX (item->rect.height * zoom, 1));
      cairo_fill (cr);
    }
  cairo_restore (cr);
}

void
sluice_draw_minimap_view (SluiceScene *scene,
                          cairo_t *cr,
                          const SluiceTheme *theme,
                          double width,
                          double height,
                          const SluiceRect *view)
{
  double dx, dy, zoom = fit_minimap (scene, width, height, &dx, &dy);
  cairo_save (cr);
  cairo_rectangle (cr, 1, 1, width - 2, height - 2);
  cairo_clip (cr);
  sluice_cairo_set_color (cr, theme->accent);
  cairo_set_line_width (cr, 1.6);
  /* A view that is larger than the map is the map's whole edge. */
  double x0 = CLAMP (dx + view->x * zoom, 2, width - 2);
  double y0 = CLAMP (dy + view->y * zoom, 2, height - 2);
  double x1 = CLAMP (dx + (view->x + view->width) * zoom, 2, width - 2);
  double y1 = CLAMP (dy + (view->y + view->height) * zoom, 2, height - 2);
  cairo_rectangle (cr, x0, y0, x1 - x0, y1 - y0);
  cairo_stroke (cr);
  cairo_restore (cr);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/canvas-notes.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "ui/common/paint.h"

#define FRAME_AIR  16.0  /* between a frame and its boxes */
#define TITLE      24.0  /* of a frame: the height of its title, by which it is taken */
#define NOTE_WIDTH 200.0 /* then words wrap */
#define NOTE_AIR   9.0
#define MOST_WORDS 40 /* characters of a command's name */
#define TEXT_SIZE  11.5
#define CORNER     8.0
#define NOTE_HUE   3 /* of sluice_theme_get_hue(): orange */
#define NOTE_TINT  0.16
#define FRAME_TINT 0.035

/* ---- where they are ---- */

static PangoLayout *
new_layout (SluiceCanvas *self, const SluiceViewNote *note)
{
  PangoLayout *layout = gtk_widget_create_pango_layout (GTK_WIDGET (self), note->text);
  PangoFontDescription *font =
      pango_font_description_from_string (self->font != NULL ? self->font : "Sans");
  pango_font_description_set_absolute_size (font, TEXT_SIZE * PANGO_SCALE);
  if (note->is_frame)
    pango_font_description_set_weight (font, PANGO_WEIGHT_BOLD);
  pango_layout_set_font_description (layout, font);
  pango_font_description_free (font);
  if (!note->is_frame)
    pango_layout_set_width (layout, (int) (NOTE_WIDTH * PANGO_SCALE));
  pango_layout_set_wrap (layout, PANGO_WRAP_WORD_CHAR);
  return layout;
}

/* The box of that path, or the closed one that it is in. */
static guint
find_item (SluiceCanvas *self, const char *path)
{
  guint group = sluice_hierarchy_lookup (sluice_scene_get_hierarchy (self->scene), path);
  return group != SLUICE_NONE && group != 0 ? sluice_scene_find_item (self->scene, group)
                                            : SLUICE_NONE;
}

static SluiceRect
item_rect (SluiceCanvas *self, guint item)
{
  SluiceDrawState state = { .shift = self->shift, .stretch = self->stretch };
  return sluice_draw_item_rect (self->scene, &state, item);
}

static gboolean
place_frame (SluiceCanvas *self, CanvasNote *box)
{
  gboolean any = FALSE;
  for (char **name = box->note->names; *name != NULL; name++)
    {
      guint item = find_item (self, *name);
      if (item == SLUICE_NONE)
        continue;
      SluiceRect r = item_rect (self, item);
      box->rect = any ? sluice_rect_union (&box->rect, &r) : r;
      any = TRUE;
    }
  box->rect = sluice_rect_grown (&box->rect, FRAME_AIR);
  box->rect.y -= TITLE - FRAME_AIR / 2;
  box->rect.height += TITLE - FRAME_AIR / 2;
  return any;
}

/* Beside its box; where that is gone, beside the picture's middle. */
static void
place_note (SluiceCanvas *self, CanvasNote *box)
{
  g_autoptr (PangoLayout) layout = new_layout (self, box->note);
  const char *name = box->note->names[0];
  guint item = name != NULL ? find_item (self, name) : SLUICE_NONE;
  SluiceRect beside =
      item != SLUICE_NONE ? item_rect (self, item) : sluice_scene_get_bounds (self->scene);
  SluicePoint middle = sluice_rect_centre (&beside);
  int width, height;
  pango_layout_get_pixel_size (layout, &width, &height);
  box->rect = (SluiceRect){ middle.x + box->note->dx, middle.y + box->note->dy,
                            width + 2 * NOTE_AIR, height + 2 * NOTE_AIR };
  if (g_strcmp0 (box->id, self->notes.selected) == 0)
    {
      box->rect.x += self->notes.by.x;
      box->rect.y += self->notes.by.y;
    }
}

static int
compare_notes (gconstpointer pa, gconstpointer pb)
{
  const CanvasNote *a = pa, *b = pb;
  if (a->note->is_frame != b->note->is_frame)
    return a->note->is_frame ? -1 : 1;
  double x = a->rect.width * a->rect.height, y = b->rect.width * b->rect.height;
  return x != y ? (x > y ? -1 : 1) : strcmp (a->id, b->id); /* the larger one is around the other */
}

GArray *
sluice_canvas_list_notes (SluiceCanvas *self)
{
  GArray *boxes = g_array_new (FALSE, FALSE, sizeof (CanvasNote));
  GHashTableIter iter;
  gpointer id, note;
  g_hash_table_iter_init (&iter, sluice_view_state_get_notes (self->state));
  while (self->scene != NULL && g_hash_table_iter_next (&iter, &id, &note))
    {
      CanvasNote box = { id, note, { 0, 0, 0, 0 } };
      if (box.note->is_frame && !place_frame (self, &box))
        continue;
      if (!box.note->is_frame)
        place_note (self, &box);
      g_array_append_val (boxes, box);
    }
  g_array_sort (boxes, compare_notes);
  return boxes;
}

SluiceRect
sluice_canvas_get_bounds (SluiceCanvas *self)
{
  SluiceRect all = sluice_scene_get_bounds (self->scene);
  g_autoptr (GArray) boxes = sluice_canvas_list_notes (self);
  for (guint i = 0; i < boxes->len; i++)
    all = sluice_rect_union (&all, &g_array_index (boxes, CanvasNote, i).rect);
  return all;
}

char *
sluice_canvas_dup_note_words (const char *text)
{
  g_autofree char *line = g_strndup (text, strcspn (text, "\n"));
  return g_utf8_strlen (line, -1) > MOST_WORDS ? g_utf8_substring (line, 0, MOST_WORDS)
                                               : g_steal_pointer (&line);
}

const char *
sluice_canvas_pick_note (SluiceCanvas *self, double x, double y)
{
  SluicePoint p = sluice_canvas_to_scene (self, x, y);
  g_autoptr (GArray) boxes = sluice_canvas_list_notes (self);
  for (guint i = boxes->len; i > 0; i--)
    {
      const CanvasNote *box = &g_array_index (boxes, CanvasNote, i - 1);
      SluiceRect handle = box->rect;
      if (box->note->is_frame)
        handle.height = TITLE;
      if (sluice_rect_contains (&handle, p.x, p.y))
        return box->id;
    }
  return NULL;
}

/* ---- drawing ---- */

static void
draw_note (SluiceCanvas *self, cairo_t *cr, const CanvasNote *box)
{
  static const double dashes[] = { 5, 4 };
  gboolean is_frame = box->note->is_frame,
           is_selected = g_strcmp0 (box->id, self->notes.selected) == 0;
  SluiceColor hue = sluice_theme_get_hue (&self->theme, NOTE_HUE),
              edge = is_selected ? self->theme.accent
                     : is_frame  ? self->theme.outline
                                 : hue;
  cairo_save (cr);
  cairo_new_path (cr);
  sluice_cairo_rounded_rect (cr, &box->rect, is_frame ? CORNER : CORNER / 2);
  sluice_cairo_set_color (cr, is_frame ? sluice_color_with_alpha (self->theme.text, FRAME_TINT)
                                       : sluice_color_with_alpha (hue, NOTE_TINT));
  cairo_fill_preserve (cr);
  sluice_cairo_set_color (cr, edge);
  cairo_set_line_width (cr, is_selected ? 2 : 1);
  if (is_frame)
    cairo_set_dash (cr, dashes, G_N_ELEMENTS (dashes), 0);
  cairo_stroke (cr);
  if (!is_frame)
    {
      g_autoptr (PangoLayout) layout = new_layout (self, box->note);
      cairo_move_to (cr, box->rect.x + NOTE_AIR, box->rect.y + NOTE_AIR);
      sluice_cairo_set_color (cr, self->theme.text);
      pango_cairo_show_layout (cr, layout);
    }
  cairo_restore (cr);
}

/* One line, on the frame's ground. */
static void
draw_title (SluiceCanvas *self, cairo_t *cr, const CanvasNote *box)
{
  g_autoptr (PangoLayout) layout = new_layout (self, box->note);
  PangoRectangle ink, words;
  double x = box->rect.x + NOTE_AIR, y = box->rect.y + NOTE_AIR / 2;
  pango_layout_set_width (layout, (int) ((box->rect.width - 2 * NOTE_AIR) * PANGO_SCALE));
  pango_layout_set_height (layout, 0);
  pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_END);
  pango_layout_get_pixel_extents (layout, &ink, &words);
  sluice_cairo_set_color (cr, sluice_color_mix (self->theme.ground, self->theme.text, FRAME_TINT));
  cairo_rectangle (cr, x + words.x - 2, y + words.y, words.width + 4, words.height);
  cairo_fill (cr);
  cairo_move_to (cr, x, y);
  sluice_cairo_set_color (cr, self->theme.dim);
  pango_cairo_show_layout (cr, layout);
}

static void
draw_each (SluiceCanvas *self,
           cairo_t *cr,
           void (*draw) (SluiceCanvas *self, cairo_t *cr, const CanvasNote *box),
           gboolean only_frames)
{
  SluiceRect area = sluice_canvas_visible (self);
  g_autoptr (GArray) boxes = sluice_canvas_list_notes (self);
  for (guint i = 0; i < boxes->len; i++)
    {
      const CanvasNote *box = &g_array_index (boxes, CanvasNote, i);
      if (sluice_rect_touches (&box->rect, &area) && (box->note->is_frame || !only_frames))
        draw (self, cr, box);
    }
}

void
sluice_canvas_draw_notes (cairo_t *cr, gpointer canvas)
{
  draw_each (canvas, cr, draw_note, FALSE);
}

void
sluice_canvas_draw_titles (SluiceCanvas *self, cairo_t *cr)
{
  cairo_save (cr);
  cairo_scale (cr, self->view.zoom, self->view.zoom);
  cairo_translate (cr, -self->view.x, -self->view.y);
  draw_each (self, cr, draw_title, TRUE);
  cairo_restore (cr);
}

/* ---- selection and moves ---- */

void
sluice_canvas_select_note (SluiceCanvas *self, const char *id)
{
  g_autofree char *copy = g_strdup (id);
  if (g_strcmp0 (self->notes.selected, copy) == 0)
    return;
  if (copy != NULL)
    sluice_canvas_select_none (self);
  g_free (self->notes.selected);
  self->notes.selected = g_steal_pointer (&copy);
  sluice_canvas_edit_update_actions (self);
  sluice_canvas_queue_proxies (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* (nullable): none is selected, or it is gone */
static const SluiceViewNote *
get_selected (SluiceCanvas *self)
{
  return self->notes.selected != NULL
             ? g_hash_table_lookup (sluice_view_state_get_notes (self->state), self->notes.selected)
             : NULL;
}

guint
sluice_canvas_grab_frame (SluiceCanvas *self, const char *id)
{
  const SluiceViewNote *note = g_hash_table_lookup (sluice_view_state_get_notes (self->state), id);
  g_autoptr (GPtrArray) paths = g_ptr_array_new ();
  guint grabbed = SLUICE_NONE;
  for (char **name = note->names; note->is_frame && *name != NULL; name++)
    {
      guint item = find_item (self, *name);
      if (item == SLUICE_NONE || !sluice_canvas_can_move (self, item))
        continue;
      grabbed = item;
      g_ptr_array_add (paths, (gpointer) sluice_canvas_item_path (self, item));
    }
  if (grabbed != SLUICE_NONE)
    sluice_canvas_select_paths (self, paths);
  return grabbed;
}

gboolean
sluice_canvas_drag_note (SluiceCanvas *self, SluicePoint by)
{
  const SluiceViewNote *note = get_selected (self);
  if (note == NULL || note->is_frame)
    return FALSE;
  self->notes.by = by;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  return TRUE;
}

void
sluice_canvas_move_note (SluiceCanvas *self, double dx, double dy)
{
  const SluiceViewNote *note = get_selected (self);
  self->notes.by = (SluicePoint){ 0, 0 };
  if (note == NULL)
    return;
  g_autofree char *text = sluice_canvas_dup_note_words (note->text);
  g_autofree char *words = g_strdup_printf (_ ("move the note %s"), text);
  if (note->is_frame)
    {
      g_autofree char *id = g_strdup (self->notes.selected);
      if (sluice_canvas_grab_frame (self, id) != SLUICE_NONE)
        sluice_canvas_move_selection (self, dx, dy);
      sluice_canvas_select_note (self, id);
      return;
    }
  SluiceViewState *before = sluice_canvas_begin_arranging (self);
  SluiceViewNote moved = *note;
  moved.dx += dx;
  moved.dy += dy;
  sluice_view_state_set_note (self->state, self->notes.selected, &moved);
  sluice_canvas_end_arranging (self, before, words);
}

/* ---- in words ---- */

void
sluice_canvas_append_note_words (SluiceCanvas *self, GString *text)
{
  g_autoptr (GArray) boxes = sluice_canvas_list_notes (self);
  for (guint i = 0; i < boxes->len; i++)
    {
      const CanvasNote *box = &g_array_index (boxes, CanvasNote, i);
      gboolean is_selected = g_strcmp0 (box->id, self->notes.selected) == 0;
      g_string_append (text, ". ");
      g_string_append_printf (text, box->note->is_frame ? _ ("Frame “%s”") : _ ("Note “%s”"),
                              box->note->text);
      if (is_selected)
        g_string_append (text, _ (", selected"));
    }
}

void
sluice_canvas_append_note_state (SluiceCanvas *self, GString *out)
{
  g_autoptr (GArray) boxes = sluice_canvas_list_notes (self);
  g_string_append (out, "\"notes\":[");
  for (guint i = 0; i < boxes->len; i++)
    {
      const CanvasNote *box = &g_array_index (boxes, CanvasNote, i);
      double zoom = self->view.zoom;
      g_string_append_printf (out, "%s{\"frame\":%s,\"selected\":%s,\"text\":", i > 0 ? "," : "",
                              box->note->is_frame ? "true" : "false",
                              g_strcmp0 (box->id, self->notes.selected) == 0 ? "true" : "false");
      sluice_canvas_append_json (out, box->note->text);
      g_string_append_printf (out, ",\"x\":%d,\"y\":%d,\"width\":%d,\"height\":%d}",
                              (int) ((box->rect.x - self->view.x) * zoom),
                              (int) ((box->rect.y - self->view.y) * zoom),
                              (int) (box->rect.width * zoom), (int) (box->rect.height * zoom));
    }
  g_string_append (out, "],");
}

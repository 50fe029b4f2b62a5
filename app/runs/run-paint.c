/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/run-paint.h"

#include "ui/common/widget.h"

#define MOST_WORDS 4000 /* kept; a page of 30 rows has some 400 */

#define PILL_SIZE    0.88f
#define PILL_AIR     7
#define PILL_HEIGHT  20
#define PILL_ALPHA   0.14f
#define FAINT        0.55f
#define DETAIL_ALPHA 0.7f /* as .dim-label */
/* Characters around what is written from left to right, whatever stands around it. */
#define ISOLATE     "\xe2\x81\xa6"
#define ISOLATE_END "\xe2\x81\xa9"

struct _SluiceRunPaint
{
  GtkWidget *widget;
  gboolean is_known; /* the style is */
  GdkRGBA inks[SLUICE_N_RUN_INKS], hues[SLUICE_RUN_N_HUES];
  SluiceColor ground;      /* of the rows */
  int line_height, letter; /* pixels: of a line, of a letter of a pill by and large */
  GHashTable *words;       /* font, room and text -> Words */
  GHashTable *icons;       /* name and ink -> GdkTexture, of icons_scale */
  int icons_scale;
};

/* A text that is laid out; the extents are in pixels. */
typedef struct
{
  PangoLayout *layout;
  PangoRectangle logical;
} Words;

static void
words_free (gpointer data)
{
  Words *self = data;
  g_object_unref (self->layout);
  g_free (self);
}

SluiceRunPaint *
sluice_run_paint_new (GtkWidget *widget)
{
  SluiceRunPaint *self = g_new0 (SluiceRunPaint, 1);
  self->widget = widget;
  self->words = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, words_free);
  self->icons = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_object_unref);
  return self;
}

void
sluice_run_paint_free (SluiceRunPaint *self)
{
  g_hash_table_unref (self->words);
  g_hash_table_unref (self->icons);
  g_free (self);
}

void
sluice_run_paint_renew (SluiceRunPaint *self)
{
  self->is_known = FALSE;
  g_hash_table_remove_all (self->words);
  g_hash_table_remove_all (self->icons);
}

/* ---- the style ---- */

static void
find_metrics (SluiceRunPaint *self)
{
  PangoContext *context = gtk_widget_get_pango_context (self->widget);
  PangoFontMetrics *metrics = pango_context_get_metrics (context, NULL, NULL);
  self->line_height = PANGO_PIXELS_CEIL (pango_font_metrics_get_height (metrics));
  self->letter = PANGO_PIXELS_CEIL (
      (int) (PILL_SIZE * (float) pango_font_metrics_get_approximate_char_width (metrics)));
  pango_font_metrics_unref (metrics);
}

static void
find_style (SluiceRunPaint *self)
{
  static const char *const names[SLUICE_N_RUN_INKS] = {
    [SLUICE_RUN_INK_RUNNING] = "accent_words",
    [SLUICE_RUN_INK_FINISHED] = "success_words",
    [SLUICE_RUN_INK_FAILED] = "error_color",
    [SLUICE_RUN_INK_STAR] = "star_color",
  };
  if (self->is_known)
    return;
  self->is_known = TRUE;
  SluiceTheme theme;
  sluice_theme_from_widget (&theme, self->widget);
  self->ground = theme.card;
  for (guint i = 0; i < SLUICE_N_RUN_INKS; i++)
    if (names[i] == NULL || !sluice_widget_find_color (self->widget, names[i], &self->inks[i]))
      sluice_widget_get_color (self->widget, &self->inks[i]);
  self->inks[SLUICE_RUN_INK_FAINT].alpha *= FAINT;
  for (guint i = 0; i < SLUICE_RUN_N_HUES; i++)
    {
      g_autofree char *name = g_strdup_printf ("tag_%u", i);
      if (!sluice_widget_find_color (self->widget, name, &self->hues[i]))
        self->hues[i] = self->inks[SLUICE_RUN_INK_TEXT];
    }
  find_metrics (self);
}

int
sluice_run_paint_get_line_height (SluiceRunPaint *self)
{
  find_style (self);
  return self->line_height;
}

/* ---- words ---- */

/* Figures of one width stand below each other. */
static PangoLayout *
create_layout (SluiceRunPaint *self, SluiceRunFont font, const char *text)
{
  static const struct
  {
    double size;
    PangoWeight weight;
  } fonts[] = {
    [SLUICE_RUN_FONT_PLAIN] = { 1, PANGO_WEIGHT_NORMAL },
    [SLUICE_RUN_FONT_STRONG] = { 1, PANGO_WEIGHT_SEMIBOLD },
    [SLUICE_RUN_FONT_DETAIL] = { SLUICE_RUN_DETAIL_SIZE, PANGO_WEIGHT_NORMAL },
    [SLUICE_RUN_FONT_PILL] = { PILL_SIZE, PANGO_WEIGHT_NORMAL },
  };
  PangoLayout *layout = gtk_widget_create_pango_layout (self->widget, text);
  g_autoptr (PangoAttrList) attrs = pango_attr_list_new ();
  pango_attr_list_insert (attrs, pango_attr_font_features_new ("tnum=1"));
  pango_attr_list_insert (attrs, pango_attr_scale_new (fonts[font].size));
  pango_attr_list_insert (attrs, pango_attr_weight_new (fonts[font].weight));
  pango_layout_set_attributes (layout, attrs);
  pango_layout_set_single_paragraph_mode (layout, TRUE);
  return layout;
}

/* (transfer none): room: -1: as wide as it is. */
static const Words *
lay_out (SluiceRunPaint *self,
         SluiceRunFont font,
         const char *text,
         int room,
         PangoEllipsizeMode ellipsize)
{
  g_autofree char *key = g_strdup_printf ("%u %d %u %s", font, room, ellipsize, text);
  Words *words = g_hash_table_lookup (self->words, key);
  if (words != NULL)
    return words;
  if (g_hash_table_size (self->words) >= MOST_WORDS)
    g_hash_table_remove_all (self->words);
  words = g_new (Words, 1);
  words->layout = create_layout (self, font, text);
  if (room >= 0)
    {
      pango_layout_set_ellipsize (words->layout, ellipsize);
      pango_layout_set_width (words->layout, room * PANGO_SCALE);
    }
  pango_layout_get_pixel_extents (words->layout, NULL, &words->logical);
  g_hash_table_insert (self->words, g_steal_pointer (&key), words);
  return words;
}

/* (transfer none) (nullable): shortened where the room is too little; NULL: there is none at all.
 */
static const Words *
fit (SluiceRunPaint *self,
     SluiceRunFont font,
     const char *text,
     int room,
     PangoEllipsizeMode ellipsize)
{
  const Words *words = lay_out (self, font, text, -1, PANGO_ELLIPSIZE_NONE);
  if (words->logical.width <= room || ellipsize == PANGO_ELLIPSIZE_NONE)
    return words;
  return room > 0 ? lay_out (self, font, text, room, ellipsize) : NULL;
}

static float
mirror (const SluiceRunPen *pen, int x, int width)
{
  return (float) (pen->mirrored ? pen->width - x - width : x);
}

static void
draw_words (const SluiceRunPen *pen, int x, const Words *words, const GdkRGBA *color)
{
  graphene_point_t at =
      GRAPHENE_POINT_INIT (mirror (pen, x, words->logical.width) - (float) words->logical.x,
                           (float) ((pen->height - words->logical.height) / 2));
  gtk_snapshot_save (pen->snapshot);
  gtk_snapshot_translate (pen->snapshot, &at);
  gtk_snapshot_append_layout (pen->snapshot, words->layout, color);
  gtk_snapshot_restore (pen->snapshot);
}

/* Words that end before the room does, or are cut off there. */
static void
draw_both (const SluiceRunPen *pen,
           int x,
           int room,
           const SluiceRunWords *what,
           const Words *words,
           const Words *detail)
{
  int width = words->logical.width;
  int behind = detail != NULL ? SLUICE_RUN_GAP + detail->logical.width : 0;
  GdkRGBA color = pen->paint->inks[what->ink];
  gboolean is_cut = width > room;
  if (what->at_end)
    x += room - width - behind;
  if (is_cut)
    sluice_run_pen_push_clip (pen, x, room);
  draw_words (pen, x, words, &color);
  color.alpha *= DETAIL_ALPHA;
  if (detail != NULL)
    draw_words (pen, x + width + SLUICE_RUN_GAP, detail, &color);
  if (is_cut)
    gtk_snapshot_pop (pen->snapshot);
}

void
sluice_run_pen_words (const SluiceRunPen *pen, int x, int room, const SluiceRunWords *what)
{
  SluiceRunPaint *paint = pen->paint;
  const Words *detail = NULL, *words;
  gboolean has_detail = what->detail != NULL && *what->detail != '\0';
  find_style (paint);
  gboolean is_long =
      what->shorter != NULL
      && fit (paint, what->font, what->text, room, PANGO_ELLIPSIZE_NONE)->logical.width > room;
  const char *text = is_long ? what->shorter : what->text;
  /* A number and its unit are read from left to right everywhere. */
  g_autofree char *number =
      what->at_end && pen->mirrored ? g_strdup_printf (ISOLATE "%s" ISOLATE_END, text) : NULL;
  text = number != NULL ? number : text;
  if (*what->text == '\0' || room <= 0)
    return;
  if (has_detail && what->ellipsize != PANGO_ELLIPSIZE_NONE)
    {
      detail = fit (paint, SLUICE_RUN_FONT_DETAIL, what->detail, room, PANGO_ELLIPSIZE_NONE);
      words = fit (paint, what->font, text, room - detail->logical.width - SLUICE_RUN_GAP,
                   what->ellipsize);
    }
  else
    {
      words = fit (paint, what->font, text, room, what->ellipsize);
      if (has_detail)
        detail = fit (paint, SLUICE_RUN_FONT_DETAIL, what->detail, room, PANGO_ELLIPSIZE_NONE);
      /* Half a number says another one. */
      if (detail != NULL && words->logical.width + SLUICE_RUN_GAP + detail->logical.width > room)
        detail = NULL;
    }
  if (words != NULL)
    draw_both (pen, x, room, what, words, detail);
}

/* ---- shapes ---- */

void
sluice_run_pen_picture (const SluiceRunPen *pen, int x, int width, int height, GdkTexture *texture)
{
  sluice_snapshot_append_picture (pen->snapshot, pen->row, texture,
                                  &GRAPHENE_RECT_INIT (mirror (pen, x, width),
                                                       (float) ((pen->height - height) / 2),
                                                       (float) width, (float) height));
}

/* (transfer full): GTK 4.8 tints a symbolic shape pixel by pixel, each time that it is drawn. */
static GdkTexture *
draw_icon (SluiceRunPaint *self, const char *name, SluiceRunInk ink)
{
  GtkIconTheme *theme = gtk_icon_theme_get_for_display (gtk_widget_get_display (self->widget));
  g_autoptr (GtkIconPaintable) icon =
      gtk_icon_theme_lookup_icon (theme, name, NULL, SLUICE_RUN_ICON, self->icons_scale,
                                  gtk_widget_get_direction (self->widget), 0);
  cairo_surface_t *surface =
      sluice_widget_new_surface (self->widget, SLUICE_RUN_ICON, SLUICE_RUN_ICON);
  g_autoptr (GtkSnapshot) snapshot = gtk_snapshot_new ();
  GdkRGBA colors[4];
  for (guint i = 0; i < G_N_ELEMENTS (colors); i++)
    colors[i] = self->inks[ink];
  gtk_symbolic_paintable_snapshot_symbolic (GTK_SYMBOLIC_PAINTABLE (icon), snapshot,
                                            SLUICE_RUN_ICON, SLUICE_RUN_ICON, colors,
                                            G_N_ELEMENTS (colors));
  GskRenderNode *node = gtk_snapshot_to_node (snapshot);
  cairo_t *cr = cairo_create (surface);
  if (node != NULL)
    {
      gsk_render_node_draw (node, cr);
      gsk_render_node_unref (node);
    }
  cairo_destroy (cr);
  return sluice_texture_take_surface (surface);
}

void
sluice_run_pen_icon (const SluiceRunPen *pen, int x, const char *name, SluiceRunInk ink)
{
  SluiceRunPaint *paint = pen->paint;
  g_autofree char *key = g_strdup_printf ("%u %s", ink, name);
  int scale = gtk_widget_get_scale_factor (paint->widget);
  find_style (paint);
  if (scale != paint->icons_scale)
    g_hash_table_remove_all (paint->icons);
  paint->icons_scale = scale;
  GdkTexture *texture = g_hash_table_lookup (paint->icons, key);
  if (texture == NULL)
    {
      texture = draw_icon (paint, name, ink);
      g_hash_table_insert (paint->icons, g_steal_pointer (&key), texture);
    }
  sluice_run_pen_picture (pen, x, SLUICE_RUN_ICON, SLUICE_RUN_ICON, texture);
}

static void
fill (const SluiceRunPen *pen, const GskRoundedRect *shape, const GdkRGBA *color)
{
  gtk_snapshot_push_rounded_clip (pen->snapshot, shape);
  gtk_snapshot_append_color (pen->snapshot, color, &shape->bounds);
  gtk_snapshot_pop (pen->snapshot);
}

void
sluice_run_pen_dot (const SluiceRunPen *pen, int x, SluiceColor color, gboolean square)
{
  float size = square ? 9 : 8, air = ((float) SLUICE_RUN_DOT - size) / 2;
  find_style (pen->paint);
  color = sluice_color_readable (color, pen->paint->ground, 3);
  GskRoundedRect shape;
  gsk_rounded_rect_init_from_rect (&shape,
                                   &GRAPHENE_RECT_INIT (mirror (pen, x, SLUICE_RUN_DOT) + air,
                                                        ((float) pen->height - size) / 2, size,
                                                        size),
                                   square ? 2 : size / 2);
  fill (pen, &shape, &(GdkRGBA){ (float) color.r, (float) color.g, (float) color.b, 1 });
}

int
sluice_run_pen_pill (const SluiceRunPen *pen, int x, const char *text, guint hue)
{
  SluiceRunPaint *paint = pen->paint;
  find_style (paint);
  const Words *words =
      g_utf8_strlen (text, -1) > SLUICE_RUN_PILL_LETTERS
          ? lay_out (paint, SLUICE_RUN_FONT_PILL, text, SLUICE_RUN_PILL_LETTERS * paint->letter,
                     PANGO_ELLIPSIZE_MIDDLE)
          : lay_out (paint, SLUICE_RUN_FONT_PILL, text, -1, PANGO_ELLIPSIZE_NONE);
  GdkRGBA color = paint->hues[hue], ground = color;
  int width = words->logical.width + 2 * (PILL_AIR + 1);
  int height = MAX (PILL_HEIGHT, words->logical.height);
  GskRoundedRect shape;
  gsk_rounded_rect_init_from_rect (&shape,
                                   &GRAPHENE_RECT_INIT (mirror (pen, x, width),
                                                        (float) ((pen->height - height) / 2),
                                                        (float) width, (float) height),
                                   (float) height / 2);
  ground.alpha *= PILL_ALPHA;
  fill (pen, &shape, &ground);
  gtk_snapshot_append_border (pen->snapshot, &shape, (float[4]){ 1, 1, 1, 1 },
                              (GdkRGBA[4]){ color, color, color, color });
  draw_words (pen, x + PILL_AIR + 1, words, &paint->inks[SLUICE_RUN_INK_TEXT]);
  return width;
}

void
sluice_run_pen_push_clip (const SluiceRunPen *pen, int x, int width)
{
  gtk_snapshot_push_clip (pen->snapshot, &GRAPHENE_RECT_INIT (mirror (pen, x, width), 0,
                                                              (float) width, (float) pen->height));
}

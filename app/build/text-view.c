/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/build/text-view.h"

#include <adwaita.h>

#include "ui/common/widget.h"

#define BAR_WIDTH 3 /* px, of the block at its left edge */
#define RADIUS    4

struct _SluiceTextView
{
  GtkSourceView parent;
  GtkTextMark *marks[SLUICE_N_TEXT_RANGES][2]; /* first and last line; NULL: not made yet */
  gboolean is_set[SLUICE_N_TEXT_RANGES];
  GtkSourceGutterRenderer *numbers;
  guint n_digits;   /* that there is room for */
  guint top, lines; /* of a long text: before the buffer's first one, and of all of it */
};

G_DEFINE_FINAL_TYPE (SluiceTextView, sluice_text_view, GTK_SOURCE_TYPE_VIEW)

/* ---- line numbers ---- */

static GdkRGBA
rgba (SluiceColor color, double alpha)
{
  return (GdkRGBA){ (float) color.r, (float) color.g, (float) color.b, (float) alpha };
}

#define SLUICE_TYPE_TEXT_NUMBERS (sluice_text_numbers_get_type ())
G_DECLARE_FINAL_TYPE (
    SluiceTextNumbers, sluice_text_numbers, SLUICE, TEXT_NUMBERS, GtkSourceGutterRendererText)

struct _SluiceTextNumbers
{
  GtkSourceGutterRendererText parent;
};

G_DEFINE_FINAL_TYPE (SluiceTextNumbers, sluice_text_numbers, GTK_SOURCE_TYPE_GUTTER_RENDERER_TEXT)

static void
sluice_text_numbers_query_data (GtkSourceGutterRenderer *renderer,
                                GtkSourceGutterLines *lines,
                                guint line)
{
  GtkSourceView *view = gtk_source_gutter_renderer_get_view (renderer);
  guint first, last, n_before = 0;
  gboolean is_preview = FALSE;
  char text[16];
  for (SluiceTextRange i = SLUICE_TEXT_PREVIEW; i <= SLUICE_TEXT_PREVIEW_INPUT; i++)
    if (sluice_text_view_get_range (SLUICE_TEXT_VIEW (view), i, &first, &last))
      {
        is_preview |= line >= first && line <= last;
        n_before += line > last ? last - first + 1 : 0;
      }
  if (is_preview)
    g_strlcpy (text, "+", sizeof text);
  else
    g_snprintf (text, sizeof text, "%u", SLUICE_TEXT_VIEW (view)->top + line + 1 - n_before);
  gtk_source_gutter_renderer_text_set_text (GTK_SOURCE_GUTTER_RENDERER_TEXT (renderer), text, -1);
}

/* The block has a bar between its numbers and its lines. */
static void
sluice_text_numbers_snapshot_line (GtkSourceGutterRenderer *renderer,
                                   GtkSnapshot *snapshot,
                                   GtkSourceGutterLines *lines,
                                   guint line)
{
  GtkSourceView *view = gtk_source_gutter_renderer_get_view (renderer);
  guint first, last;
  int y, height, width = gtk_widget_get_width (GTK_WIDGET (renderer));
  GTK_SOURCE_GUTTER_RENDERER_CLASS (sluice_text_numbers_parent_class)
      ->snapshot_line (renderer, snapshot, lines, line);
  if (!sluice_text_view_get_range (SLUICE_TEXT_VIEW (view), SLUICE_TEXT_BLOCK, &first, &last)
      || line < first || line > last)
    return;
  SluiceTheme theme;
  sluice_theme_from_widget (&theme, GTK_WIDGET (renderer));
  GdkRGBA bar = rgba (theme.accent, 1);
  gtk_source_gutter_lines_get_line_yrange (
      lines, line, GTK_SOURCE_GUTTER_RENDERER_ALIGNMENT_MODE_CELL, &y, &height);
  gtk_snapshot_append_color (snapshot, &bar,
                             &GRAPHENE_RECT_INIT (width - BAR_WIDTH - 1, y, BAR_WIDTH, height));
}

static void
sluice_text_numbers_class_init (SluiceTextNumbersClass *klass)
{
  GTK_SOURCE_GUTTER_RENDERER_CLASS (klass)->snapshot_line = sluice_text_numbers_snapshot_line;
  GTK_SOURCE_GUTTER_RENDERER_CLASS (klass)->query_data = sluice_text_numbers_query_data;
}

static void
sluice_text_numbers_init (SluiceTextNumbers *self)
{
  gtk_source_gutter_renderer_set_xalign (GTK_SOURCE_GUTTER_RENDERER (self), 1);
  gtk_source_gutter_renderer_set_xpad (GTK_SOURCE_GUTTER_RENDERER (self), 8);
  gtk_widget_add_css_class (GTK_WIDGET (self), "dim-label");
}

static void
make_room_cb (SluiceTextView *self)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (self));
  char text[16];
  int width, height;
  guint lines = MAX (self->lines, (guint) gtk_text_buffer_get_line_count (buffer));
  guint n_digits = (guint) g_snprintf (text, sizeof text, "%u", lines);
  n_digits = MAX (n_digits, 3);
  if (n_digits == self->n_digits)
    return;
  self->n_digits = n_digits;
  memset (text, '0', n_digits);
  text[n_digits] = '\0';
  gtk_source_gutter_renderer_text_measure (GTK_SOURCE_GUTTER_RENDERER_TEXT (self->numbers), text,
                                           &width, &height);
  gtk_widget_set_size_request (GTK_WIDGET (self->numbers), width + 16, -1);
}

void
sluice_text_view_set_lines (SluiceTextView *self, guint top, guint lines)
{
  if (self->top != top)
    gtk_widget_queue_draw (GTK_WIDGET (self->numbers));
  self->top = top;
  self->lines = lines;
  make_room_cb (self);
}

/* ---- ranges ---- */

void
sluice_text_view_set_range (SluiceTextView *self,
                            SluiceTextRange which,
                            const GtkTextIter *begin,
                            const GtkTextIter *end)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (self));
  self->is_set[which] = begin != NULL;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  if (begin == NULL)
    return;
  GtkTextIter last = *end;
  if (gtk_text_iter_starts_line (&last) && gtk_text_iter_compare (&last, begin) > 0)
    gtk_text_iter_backward_char (&last);
  for (guint i = 0; i < 2; i++)
    {
      const GtkTextIter *at = i == 0 ? begin : &last;
      if (self->marks[which][i] == NULL)
        self->marks[which][i] = gtk_text_buffer_create_mark (buffer, NULL, at, i == 0);
      else
        gtk_text_buffer_move_mark (buffer, self->marks[which][i], at);
    }
}

gboolean
sluice_text_view_get_range (SluiceTextView *self, SluiceTextRange which, guint *first, guint *last)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (self));
  GtkTextIter begin, end;
  if (!self->is_set[which])
    return FALSE;
  gtk_text_buffer_get_iter_at_mark (buffer, &begin, self->marks[which][0]);
  gtk_text_buffer_get_iter_at_mark (buffer, &end, self->marks[which][1]);
  *first = (guint) gtk_text_iter_get_line (&begin);
  *last = (guint) gtk_text_iter_get_line (&end);
  return TRUE;
}

/* Of the lines, over all that is seen of their width. FALSE: there are none */
static gboolean
find_area (SluiceTextView *self, SluiceTextRange which, graphene_rect_t *area)
{
  GtkTextView *view = GTK_TEXT_VIEW (self);
  GdkRectangle visible;
  GtkTextIter iter;
  guint first, last;
  int y, end, height;
  if (!sluice_text_view_get_range (self, which, &first, &last))
    return FALSE;
  gtk_text_view_get_visible_rect (view, &visible);
  gtk_text_buffer_get_iter_at_line (gtk_text_view_get_buffer (view), &iter, (int) first);
  gtk_text_view_get_line_yrange (view, &iter, &y, &height);
  gtk_text_buffer_get_iter_at_line (gtk_text_view_get_buffer (view), &iter, (int) last);
  gtk_text_view_get_line_yrange (view, &iter, &end, &height);
  graphene_rect_init (area, (float) visible.x, (float) y, (float) visible.width,
                      (float) (end + height - y));
  return TRUE;
}

/* ---- drawing ---- */

static void
draw_preview (SluiceTextView *self, GtkSnapshot *snapshot, const graphene_rect_t *area)
{
  static const double dashes[] = { 4, 3 };
  GtkStyleContext *style = gtk_widget_get_style_context (GTK_WIDGET (self));
  GdkRGBA color;
  if (!gtk_style_context_lookup_color (style, "success_color", &color))
    return;
  cairo_t *cr = gtk_snapshot_append_cairo (snapshot, area);
  double x = area->origin.x + 1, y = area->origin.y + 0.5;
  double right = x + area->size.width - 3, bottom = y + area->size.height - 1;
  cairo_arc (cr, x + RADIUS, y + RADIUS, RADIUS, G_PI, -G_PI_2);
  cairo_arc (cr, right - RADIUS, y + RADIUS, RADIUS, -G_PI_2, 0);
  cairo_arc (cr, right - RADIUS, bottom - RADIUS, RADIUS, 0, G_PI_2);
  cairo_arc (cr, x + RADIUS, bottom - RADIUS, RADIUS, G_PI_2, G_PI);
  cairo_close_path (cr);
  cairo_set_source_rgba (cr, color.red, color.green, color.blue, 0.1);
  cairo_fill_preserve (cr);
  cairo_set_source_rgba (cr, color.red, color.green, color.blue, 1);
  cairo_set_line_width (cr, 1);
  cairo_set_dash (cr, dashes, G_N_ELEMENTS (dashes), 0);
  cairo_stroke (cr);
  cairo_destroy (cr);
}

static void
sluice_text_view_snapshot_layer (GtkTextView *view, GtkTextViewLayer layer, GtkSnapshot *snapshot)
{
  SluiceTextView *self = SLUICE_TEXT_VIEW (view);
  graphene_rect_t area;
  SluiceTheme theme;
  GTK_TEXT_VIEW_CLASS (sluice_text_view_parent_class)->snapshot_layer (view, layer, snapshot);
  if (layer != GTK_TEXT_VIEW_LAYER_BELOW_TEXT)
    return;
  sluice_theme_from_widget (&theme, GTK_WIDGET (self));
  if (find_area (self, SLUICE_TEXT_BLOCK, &area))
    {
      GdkRGBA tint = rgba (theme.accent, 0.12);
      gtk_snapshot_append_color (snapshot, &tint, &area);
    }
  if (find_area (self, SLUICE_TEXT_FIELD, &area))
    {
      GdkRGBA tint = rgba (theme.accent, 0.16);
      gtk_snapshot_append_color (snapshot, &tint, &area);
    }
  for (SluiceTextRange i = SLUICE_TEXT_PREVIEW; i <= SLUICE_TEXT_PREVIEW_INPUT; i++)
    if (find_area (self, i, &area))
      draw_preview (self, snapshot, &area);
}

/* ---- the widget ---- */

/* Of the program, as it is installed, or of the tree that it was built in. */
static const char *
find_folder (void)
{
  return g_file_test (SLUICE_TEXT_DIR, G_FILE_TEST_IS_DIR) ? SLUICE_TEXT_DIR
                                                           : SLUICE_SOURCE_TEXT_DIR;
}

static GtkSourceLanguage *
find_language (void)
{
  const char *const folders[] = { find_folder (), NULL };
  static GtkSourceLanguageManager *manager;
  if (manager == NULL)
    {
      manager = gtk_source_language_manager_new ();
      const char *const *known = gtk_source_language_manager_get_search_path (manager);
      g_autoptr (GStrvBuilder) all = g_strv_builder_new ();
      g_strv_builder_addv (all, (const char **) folders);
      g_strv_builder_addv (all, (const char **) known); /* where the kinds of styles are */
      g_auto (GStrv) path = g_strv_builder_end (all);
      gtk_source_language_manager_set_search_path (manager, (const char *const *) path);
    }
  return gtk_source_language_manager_get_language (manager, "sluice-pbtxt");
}

static void
dark_cb (SluiceTextView *self, GParamSpec *pspec, AdwStyleManager *style)
{
  static GtkSourceStyleSchemeManager *schemes;
  gboolean dark = adw_style_manager_get_dark (style);
  if (schemes == NULL)
    {
      schemes = gtk_source_style_scheme_manager_new ();
      gtk_source_style_scheme_manager_prepend_search_path (schemes, find_folder ());
    }
  gtk_source_buffer_set_style_scheme (
      GTK_SOURCE_BUFFER (gtk_text_view_get_buffer (GTK_TEXT_VIEW (self))),
      gtk_source_style_scheme_manager_get_scheme (schemes, dark ? "sluice-dark" : "sluice"));
}

SluiceTextView *
sluice_text_view_new (void)
{
  return g_object_new (SLUICE_TYPE_TEXT_VIEW, NULL);
}

static void
sluice_text_view_class_init (SluiceTextViewClass *klass)
{
  GTK_TEXT_VIEW_CLASS (klass)->snapshot_layer = sluice_text_view_snapshot_layer;
}

static void
sluice_text_view_init (SluiceTextView *self)
{
  GtkSourceBuffer *buffer = GTK_SOURCE_BUFFER (gtk_text_view_get_buffer (GTK_TEXT_VIEW (self)));
  GtkSourceGutter *gutter =
      gtk_source_view_get_gutter (GTK_SOURCE_VIEW (self), GTK_TEXT_WINDOW_LEFT);
  AdwStyleManager *style = adw_style_manager_get_default ();
  gtk_text_view_set_monospace (GTK_TEXT_VIEW (self), TRUE);
  gtk_source_buffer_set_language (buffer, find_language ());
  gtk_source_buffer_set_highlight_matching_brackets (buffer, FALSE);
  gtk_source_view_set_auto_indent (GTK_SOURCE_VIEW (self), TRUE);
  gtk_source_view_set_insert_spaces_instead_of_tabs (GTK_SOURCE_VIEW (self), TRUE);
  gtk_source_view_set_tab_width (GTK_SOURCE_VIEW (self), 2);
  self->numbers = g_object_new (SLUICE_TYPE_TEXT_NUMBERS, NULL);
  gtk_source_gutter_insert (gutter, self->numbers, 0);
  g_signal_connect_object (buffer, "changed", G_CALLBACK (make_room_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (style, "notify::dark", G_CALLBACK (dark_cb), self, G_CONNECT_SWAPPED);
  make_room_cb (self);
  dark_cb (self, NULL, style);
}

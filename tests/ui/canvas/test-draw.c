/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <cairo.h>
#include <glib/gstdio.h>
#include <malloc.h>
#include <math.h>
#include <string.h>

#include "tests/ui/canvas/fixture.h"
#include "ui/canvas/dot.h"
#include "ui/canvas/draw.h"
#include "ui/canvas/scene-export.h"
#include "ui/canvas/text-metrics.h"

/* Pictures are asserted on by meaning: the colour of a known place, within a tolerance that
 * antialiasing and fonts stay below. */

typedef struct
{
  SluiceScene *scene;
  SluiceDrawState state;
  cairo_surface_t *surface;
} Picture;

static void
picture_clear (Picture *p)
{
  cairo_surface_destroy (p->surface);
  sluice_scene_unref (p->scene);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Picture, picture_clear)

/* Returns how many boxes were drawn. */
static guint
redraw (Picture *p)
{
  g_autoptr (SluiceDrawer) drawer = sluice_drawer_new ();
  cairo_t *cr = cairo_create (p->surface);
  sluice_drawer_draw (drawer, p->scene, cr, &p->state);
  g_assert_cmpint (cairo_status (cr), ==, CAIRO_STATUS_SUCCESS);
  cairo_destroy (cr);
  cairo_surface_flush (p->surface);
  return sluice_drawer_get_n_boxes (drawer);
}

static Picture
draw_model (SluiceGraphModel *model,
            const SluiceViewState *view,
            SluiceThemeKind theme,
            double zoom)
{
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  Picture p = { .scene = sluice_scene_new (h, view, SLUICE_FLOW_UP, NULL),
                .state = SLUICE_DRAW_STATE_INIT };
  SluiceRect b = sluice_scene_get_bounds (p.scene);
  p.state.theme = sluice_theme_get (theme);
  p.state.zoom = zoom;
  p.state.x = b.x - 20;
  p.state.y = b.y - 20;
  p.state.width = ceil ((b.width + 40) * zoom);
  p.state.height = ceil ((b.height + 40) * zoom);
  p.surface =
      cairo_image_surface_create (CAIRO_FORMAT_RGB24, (int) p.state.width, (int) p.state.height);
  redraw (&p);
  return p;
}

static guint
item_at (Picture *p, const char *path)
{
  return sluice_scene_find_item (p->scene,
                                 fixture_group (sluice_scene_get_hierarchy (p->scene), path));
}

static SluiceColor
pixel (const Picture *p, double x, double y)
{
  int px = (int) ((x - p->state.x) * p->state.zoom), py = (int) ((y - p->state.y) * p->state.zoom);
  const guint8 *row =
      cairo_image_surface_get_data (p->surface) + py * cairo_image_surface_get_stride (p->surface);
  guint32 v;
  g_assert_true (px >= 0 && py >= 0 && px < p->state.width && py < p->state.height);
  memcpy (&v, row + 4 * px, sizeof v);
  return (SluiceColor){ (v >> 16 & 255) / 255.0, (v >> 8 & 255) / 255.0, (v & 255) / 255.0, 1 };
}

static double
distance (SluiceColor a, SluiceColor b)
{
  return MAX (MAX (fabs (a.r - b.r), fabs (a.g - b.g)), fabs (a.b - b.b));
}

static SluiceColor
mix (SluiceColor a, SluiceColor b, double t)
{
  return (SluiceColor){ a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t, 1 };
}

static void
assert_color (Picture *p, double x, double y, SluiceColor wanted)
{
  SluiceColor got = pixel (p, x, y);
  if (distance (got, wanted) > 0.03)
    g_error ("at %g, %g: %.2f %.2f %.2f, not %.2f %.2f %.2f", x, y, got.r, got.g, got.b, wanted.r,
             wanted.g, wanted.b);
}

static void
test_scope (gconstpointer data)
{
  SluiceThemeKind kind = GPOINTER_TO_INT (data);
  g_autoptr (SluiceGraphModel) model = fixture_mlp ();
  g_auto (Picture) p = draw_model (model, NULL, kind, 1);
  const SluiceTheme *theme = p.state.theme;
  SluiceHierarchy *h = sluice_scene_get_hierarchy (p.scene);
  SluiceRect r = sluice_scene_get_item (p.scene, item_at (&p, "hidden"))->rect;
  SluiceColor hue = sluice_theme_get_hue (
      theme, sluice_hierarchy_get_group (h, fixture_group (h, "hidden"))->hue);
  /* Inside near the border: the surface, tinted. On the border: the hue. Outside: the ground. */
  assert_color (&p, r.x + 6, r.y + r.height / 2, mix (theme->surface, hue, theme->tint));
  g_assert_cmpfloat (distance (pixel (&p, r.x, r.y + r.height / 2), hue), <, 0.35);
  assert_color (&p, r.x - 12, r.y + r.height / 2 + 3, theme->ground);
}

static gboolean
any_near (Picture *p, SluiceRect area, SluiceColor color)
{
  for (double y = area.y; y <= area.y + area.height; y += 0.5)
    for (double x = area.x; x <= area.x + area.width; x += 0.5)
      if (distance (pixel (p, x, y), color) < 0.08)
        return TRUE;
  return FALSE;
}

static void
test_selection (void)
{
  g_autoptr (SluiceGraphModel) model = fixture_mlp ();
  g_auto (Picture) p = draw_model (model, NULL, SLUICE_THEME_LIGHT, 1);
  guint item = item_at (&p, "hidden");
  SluiceRect r = sluice_scene_get_item (p.scene, item)->rect;
  SluiceRect ring = { r.x - 6, r.y + 12, 4, 2 };
  SluiceColor inside = pixel (&p, r.x + 6, r.y + r.height / 2);
  g_assert_false (any_near (&p, ring, p.state.theme->accent));
  p.state.lead = item;
  redraw (&p);
  g_assert_true (any_near (&p, ring, p.state.theme->accent));
  assert_color (&p, r.x + 6, r.y + r.height / 2, inside); /* never a fill */
}

static void
test_heat (void)
{
  g_autoptr (SluiceGraphModel) model = fixture_mlp ();
  g_autoptr (SluiceValueTable) values = sluice_value_table_new ();
  g_auto (Picture) p = draw_model (model, NULL, SLUICE_THEME_LIGHT, 1);
  SluiceRect r = sluice_scene_get_item (p.scene, item_at (&p, "hidden"))->rect;
  sluice_value_table_set (values,
                          &(SluiceCanvasValue){ .name = "hidden", .share = 0.5, .bytes = -1 });
  p.state.values = values;
  redraw (&p);
  double y = r.y + r.height - 4.8;
  g_assert_cmpfloat (distance (pixel (&p, r.x + r.width * 0.25, y), p.state.theme->heat), <, 0.2);
  g_assert_cmpfloat (distance (pixel (&p, r.x + r.width * 0.75, y), p.state.theme->track), <, 0.2);
}

/* The second line of a box, whose fill is the strongest where it holds the most bytes. */
static void
test_words_on_a_scale (gconstpointer data)
{
  g_autoptr (SluiceGraphModel) model = fixture_mlp ();
  g_auto (Picture) p = draw_model (model, NULL, GPOINTER_TO_INT (data), 8);
  p.state.color_by = SLUICE_COLOR_BY_BYTES;
  redraw (&p);
  for (guint i = 0; i < sluice_scene_get_n_items (p.scene); i++)
    {
      const SluiceSceneItem *item = sluice_scene_get_item (p.scene, i);
      SluiceRect r = item->rect;
      SluiceColor fill = pixel (&p, r.x + 6, r.y + r.height / 2);
      double best = 1, middle = r.y + r.height / 2 + 9;
      if (item->kind != SLUICE_ITEM_SCOPE || item->aside || item->note == NULL)
        continue;
      for (double y = middle - 4; y < middle + 4; y += 0.125)
        for (double x = r.x + 12; x < r.x + r.width - 12; x += 0.125)
          best = MAX (best, sluice_color_contrast (pixel (&p, x, y), fill));
      g_assert_cmpfloat (best, >=, 4.5); /* within a letter, which is wider than a pixel here */
    }
}

static void
test_values_are_kept (void)
{
  g_autoptr (SluiceValueTable) values = sluice_value_table_new ();
  const float bins[] = { 1, 2, 3 };
  sluice_value_table_set (
      values,
      &(SluiceCanvasValue){ .name = "a", .text = "0.5", .share = -1, .bins = bins, .n_bins = 3 });
  sluice_value_table_set (values, &(SluiceCanvasValue){ .name = "a", .share = 0.25 });
  const SluiceCanvasValue *v = sluice_value_table_get (values, "a");
  g_assert_cmpstr (v->text, ==, "0.5");
  g_assert_cmpfloat (v->share, ==, 0.25);
  g_assert_cmpuint (v->n_bins, ==, 3);
  sluice_value_table_clear (values);
  g_assert_null (sluice_value_table_get (values, "a"));
}

static gsize
allocated (void)
{
  struct mallinfo2 info = mallinfo2 ();
  return info.uordblks + info.hblkhd;
}

/* Each drawing shows another number: those of the drawings before are forgotten. */
static void
test_values_go (void)
{
  g_autoptr (SluiceGraphModel) model = fixture_mlp ();
  g_autoptr (SluiceValueTable) values = sluice_value_table_new ();
  g_autoptr (SluiceDrawer) drawer = sluice_drawer_new ();
  g_auto (Picture) p = draw_model (model, NULL, SLUICE_THEME_LIGHT, 1);
  gsize before = 0;
  p.state.values = values;
  for (guint i = 0; i < 3200; i++)
    {
      g_autofree char *text = g_strdup_printf ("%u.%03u ms", i / 1000, i % 1000);
      before = i == 200 ? allocated () : before;
      sluice_value_table_set (values,
                              &(SluiceCanvasValue){ .name = "hidden", .text = text, .share = 0.5 });
      cairo_t *cr = cairo_create (p.surface);
      sluice_drawer_draw (drawer, p.scene, cr, &p.state);
      cairo_destroy (cr);
    }
  g_assert_cmpuint (allocated (), <, before + (512 << 10)); /* 3,000 texts would be 4 MB */
}

/* An octave in many steps, as one who zooms sees them: what is kept of the sizes that text has
 * meanwhile. */
static gsize
allocate_by_zooming (gboolean is_zooming, double from)
{
  g_autoptr (SluiceGraphModel) model = fixture_mlp ();
  g_auto (Picture) p = draw_model (model, NULL, SLUICE_THEME_LIGHT, 1);
  redraw (&p); /* the font itself */
  gsize before = allocated ();
  SluiceDrawer *drawer = sluice_drawer_new ();
  p.state.is_zooming = is_zooming;
  for (guint i = 0; i < 200; i++)
    {
      p.state.zoom = from * exp2 (i / 200.0);
      cairo_t *cr = cairo_create (p.surface);
      sluice_drawer_draw (drawer, p.scene, cr, &p.state);
      cairo_destroy (cr);
    }
  g_clear_pointer (&drawer, sluice_drawer_free);
  gsize after = allocated ();
  return after > before ? after - before : 0;
}

static void
test_zooming_keeps_few_glyphs (void)
{
  gsize few = allocate_by_zooming (TRUE, 1), many = allocate_by_zooming (FALSE, 1);
  g_assert_cmpuint (2 * few, <, many); /* 1.8 of 4.3 MB, which is where cairo forgets sizes */
}

/* From afar and near, at the edge of the picture and on the way: nothing but valid pictures, and
 * something in them. */
static void
test_detail (void)
{
  static const double zooms[] = { 0.02, 0.1, 0.3, 0.5, 1, 2.5 };
  g_autoptr (SluiceViewState) view = sluice_view_state_new ();
  sluice_view_state_set_open (view, "hidden", TRUE);
  g_autoptr (SluiceGraphModel) model = fixture_mlp ();
  for (guint i = 0; i < G_N_ELEMENTS (zooms); i++)
    for (int by = SLUICE_COLOR_BY_STRUCTURE; by <= SLUICE_COLOR_BY_BYTES; by++)
      {
        g_auto (Picture) p = draw_model (model, view, SLUICE_THEME_DARK, zooms[i]);
        p.state.color_by = by;
        redraw (&p);
        SluiceRect r = sluice_scene_get_item (p.scene, item_at (&p, "logits"))->rect;
        SluicePoint c = { r.x + r.width / 2, r.y + 4 };
        g_assert_cmpfloat (distance (pixel (&p, c.x, c.y), p.state.theme->ground), >, 0.02);
      }
}

/* Names do not shrink with the picture as long as there is room for them. */
static void
test_far_names (void)
{
  static const double zooms[] = { 0.25, 0.35, 0.5 };
  g_autoptr (SluiceViewState) view = sluice_view_state_new ();
  sluice_view_state_set_open (view, "lstm", TRUE);
  sluice_view_state_set_open (view, "lstm/while", TRUE);
  g_autoptr (SluiceGraphModel) model = fixture_loop ();
  for (guint i = 0; i < G_N_ELEMENTS (zooms); i++)
    {
      g_auto (Picture) p = draw_model (model, view, SLUICE_THEME_HIGH_CONTRAST_LIGHT, zooms[i]);
      const SluiceSceneItem *item = sluice_scene_get_item (p.scene, item_at (&p, "lstm"));
      SluiceColor tinted = pixel (&p, item->rect.x + item->rect.width / 2, item->rect.y + 12);
      SluiceRect name = { item->rect.x + 6 / zooms[i], item->rect.y + 4, 24 / zooms[i], 24 };
      double most = 0;
      for (double y = name.y; y < name.y + name.height; y++)
        for (double x = name.x; x < name.x + name.width; x++)
          most = MAX (most, distance (pixel (&p, x, y), tinted));
      g_assert_cmpfloat (most, >, 0.3);
    }
}

/* So many experts, alike, between what they read and what adds them up. */
static SluiceGraphModel *
make_experts (guint n)
{
  g_autoptr (GString) text = g_string_new ("x Placeholder 8\n"), sum = g_string_new ("sum AddN 8");
  for (guint i = 0; i < n; i++)
    {
      g_string_append_printf (text, "expert%u/up MatMul 8 x\nexpert%u/down Relu 8 expert%u/up\n", i,
                              i, i);
      g_string_append_printf (sum, " expert%u/down", i);
    }
  g_string_append_printf (text, "%s\n", sum->str);
  return fixture_model (text->str);
}

static gboolean
look_alike (const Picture *a, const Picture *b, const SluiceRect *area)
{
  for (double y = area->y; y < area->y + area->height; y += 0.5)
    for (double x = area->x; x < area->x + area->width; x += 0.5)
      if (distance (pixel (a, x, y), pixel (b, x, y)) > 0.1)
        return FALSE;
  return TRUE;
}

/* Where there is no room for "expert × 12" its count is seen, all of it: it tells it from
 * "expert × 13", and 112 from 212. */
static void
test_counts_are_seen_of (guint n, guint n_more, double share)
{
  g_autofree char *path = g_strdup_printf ("expert[0-%u]", n - 1);
  g_autofree char *other = g_strdup_printf ("expert[0-%u]", n_more - 1);
  g_autofree char *count = g_strdup_printf (" × %u", n);
  g_autoptr (SluiceGraphModel) model = make_experts (n), more = make_experts (n_more);
  g_auto (Picture) p = draw_model (model, NULL, SLUICE_THEME_LIGHT, 1);
  const SluiceSceneItem *item = sluice_scene_get_item (p.scene, item_at (&p, path));
  g_assert_nonnull (strstr (item->title, count));
  double room = share * sluice_text_width (item->title, 9, TRUE);
  g_auto (Picture) a = draw_model (model, NULL, SLUICE_THEME_LIGHT, room / item->rect.width);
  g_auto (Picture) b = draw_model (more, NULL, SLUICE_THEME_LIGHT, room / item->rect.width);
  const SluiceSceneItem *twin = sluice_scene_get_item (b.scene, item_at (&b, other));
  g_assert_cmpfloat (twin->rect.x, ==, item->rect.x);
  g_assert_cmpfloat (twin->rect.width, ==, item->rect.width);
  g_assert_false (look_alike (&a, &b, &item->rect));
}

static void
test_counts_are_seen (void)
{
  test_counts_are_seen_of (12, 13, 0.8);
  test_counts_are_seen_of (112, 212, 0.64);
}

/* A second line that is too long loses its last part whole: no "12.4 k par…". */
static void
test_notes_are_whole (void)
{
  g_autoptr (SluiceGraphModel) model = fixture_mlp ();
  static const char *const notes[] = { "46 ops · 803 million and more params", "46 ops",
                                       "46 ops · 8" };
  Picture p[G_N_ELEMENTS (notes)];
  for (guint i = 0; i < G_N_ELEMENTS (notes); i++)
    {
      g_autoptr (SluiceValueTable) values = sluice_value_table_new ();
      sluice_value_table_set (
          values,
          &(SluiceCanvasValue){ .name = "hidden", .text = notes[i], .share = -1, .bytes = -1 });
      p[i] = draw_model (model, NULL, SLUICE_THEME_LIGHT, 0.7);
      p[i].state.values = values;
      redraw (&p[i]);
    }
  SluiceRect r = sluice_scene_get_item (p[0].scene, item_at (&p[0], "hidden"))->rect;
  g_assert_true (look_alike (&p[0], &p[1], &r));
  g_assert_false (look_alike (&p[2], &p[1], &r));
  for (guint i = 0; i < G_N_ELEMENTS (notes); i++)
    picture_clear (&p[i]);
}

/* From afar what is smaller than a pixel is not drawn, nearby what is out of view is not. */
static void
test_culling (void)
{
  g_autoptr (SluiceGraphModel) model = fixture_random (1, 2000);
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  g_autoptr (SluiceViewState) view = sluice_view_state_new ();
  for (guint i = 1; i < sluice_hierarchy_get_n_groups (h); i++)
    sluice_view_state_set_open (view, sluice_hierarchy_get_group (h, i)->path, TRUE);
  g_auto (Picture) p = draw_model (model, view, SLUICE_THEME_LIGHT, 0.02);
  guint n = sluice_scene_get_n_items (p.scene), before = n + 1;
  for (double zoom = 0.02; zoom > 0.0005; zoom /= 2) /* all of it is in view */
    {
      p.state.zoom = zoom;
      guint drawn = redraw (&p);
      g_assert_cmpuint (drawn, <=, before);
      before = drawn;
    }
  g_assert_cmpuint (before, <, n / 10);
  p.state.zoom = 1;
  SluiceRect area = { p.state.x - 12, p.state.y - 12, p.state.width + 24, p.state.height + 24 };
  g_autoptr (GArray) visible = g_array_new (FALSE, FALSE, sizeof (guint));
  sluice_scene_query (p.scene, &area, visible);
  g_assert_cmpuint (redraw (&p), ==, visible->len);
  g_assert_cmpuint (visible->len, <, n / 2);
}

static void
test_error_badge (void)
{
  SluiceGraphModel *model = sluice_graph_model_new ();
  sluice_graph_model_add_node (
      model, &(SluiceModelNode){ .name = "op", .op = "Wat", .error = "There is no op “Wat”." });
  g_auto (Picture) p = draw_model (model, NULL, SLUICE_THEME_LIGHT, 1);
  SluiceRect r = sluice_scene_get_item (p.scene, item_at (&p, "op"))->rect;
  /* What cannot run has not failed: a ring, and the ground in it. */
  g_assert_true (
      any_near (&p, (SluiceRect){ r.x + r.width - 14, r.y - 1, 4, 6 }, p.state.theme->failure));
  assert_color (&p, r.x + r.width - 9, r.y + 2, p.state.theme->ground);
  sluice_graph_model_unref (model);
}

/* From afar the words are larger than what they were placed for: one gives way to another, and to a
 * box; none is cut. */
static void
test_plates_are_whole (void)
{
  g_autoptr (SluiceGraphModel) model = fixture_mlp ();
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  g_autoptr (SluiceScene) scene = sluice_scene_new (h, NULL, SLUICE_FLOW_UP, NULL);
  SluiceRect all = sluice_rect_grown (&(SluiceRect){ 0 }, 1e5);
  g_autoptr (GArray) items = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) edges = g_array_new (FALSE, FALSE, sizeof (guint));
  guint n_labels = 0;
  sluice_scene_query (scene, &all, items);
  sluice_scene_query_edges (scene, &all, 0, edges);
  for (guint i = 0; i < edges->len; i++)
    n_labels += sluice_scene_get_edge (scene, g_array_index (edges, guint, i))->label != NULL;
  g_autoptr (GArray) near = sluice_scene_list_plates (scene, edges, items, 1);
  g_autoptr (GArray) far = sluice_scene_list_plates (scene, edges, items, 0.55);
  g_assert_cmpuint (n_labels, >, 0);
  g_assert_cmpuint (near->len, ==, n_labels);
  g_assert_cmpuint (far->len, >, 0);
  for (guint i = 0; i < far->len; i++)
    {
      const SluiceScenePlate *one = &g_array_index (far, SluiceScenePlate, i);
      g_assert_cmpfloat (one->rect.height, >, 16);
      /* Half of what is around the words. */
      SluiceRect r = { one->rect.x + 3, one->rect.y + 4, one->rect.width - 6,
                       one->rect.height - 8 };
      for (guint k = i + 1; k < far->len; k++)
        g_assert_false (sluice_rect_touches (&r, &g_array_index (far, SluiceScenePlate, k).rect)
                        && !sluice_scene_get_edge (scene, one->edge)->stub);
      for (guint k = 0; k < items->len; k++)
        {
          const SluiceSceneItem *item =
              sluice_scene_get_item (scene, g_array_index (items, guint, k));
          g_assert_false (item->kind != SLUICE_ITEM_HEADING
                          && !sluice_scene_get_edge (scene, one->edge)->stub
                          && sluice_rect_touches (&r, &item->rect));
        }
    }
}

static void
test_export (void)
{
  static const struct
  {
    const char *name;
    const char *magic;
  } files[] = {
    { "a.svg", "<?xml" }, { "a.PDF", "%PDF" }, { "a.png", "\211PNG" }, { "a.dot", "digraph" }
  };
  g_autoptr (SluiceGraphModel) model = fixture_mlp ();
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("canvas-XXXXXX", &error);
  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      SluiceExportFormat format;
      g_autofree char *path = g_build_filename (folder, files[i].name, NULL);
      g_autofree char *content = NULL;
      g_assert_true (sluice_export_format_from_name (path, &format));
      g_assert_true (sluice_graph_model_export (model, NULL, sluice_theme_get (SLUICE_THEME_LIGHT),
                                                format, path, &error));
      g_assert_no_error (error);
      g_assert_true (g_file_get_contents (path, &content, NULL, &error));
      g_assert_true (g_str_has_prefix (content, files[i].magic));
      g_unlink (path);
    }
  g_autofree char *nowhere = g_build_filename (folder, "no", "such.png", NULL);
  g_assert_false (sluice_graph_model_export (model, NULL, sluice_theme_get (SLUICE_THEME_LIGHT),
                                             SLUICE_EXPORT_PNG, nowhere, &error));
  g_assert_nonnull (strstr (error->message, "such.png"));
  g_rmdir (folder);
}

static void
test_dot_round_trip (void)
{
  g_autoptr (SluiceGraphModel) model = fixture_model ("a Op 8\nb Op 8 a\n");
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  g_autoptr (SluiceScene) scene = sluice_scene_new (h, NULL, SLUICE_FLOW_UP, NULL);
  g_autoptr (GError) error = NULL;
  g_autofree char *text = sluice_scene_dup_dot (scene);
  g_autoptr (SluiceGraphModel) back = sluice_graph_model_new_from_dot (text, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (sluice_graph_model_get_n_nodes (back), ==, 2);
  g_assert_cmpuint (sluice_graph_model_get_n_edges (back), ==, 1);
  const SluiceModelEdge *e = sluice_graph_model_get_edge (back, 0);
  g_assert_cmpstr (sluice_graph_model_get_node (back, e->from)->name, ==, "a");
  g_assert_cmpstr (sluice_graph_model_get_node (back, e->to)->name, ==, "b");
  g_assert_null (sluice_graph_model_new_from_dot ("digraph { a -> ", &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL);
  g_clear_error (&error);
  g_assert_null (sluice_graph_model_new_from_dot ("graph { a -- b }", &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL);
}

/* A loop's line back is neither data nor control. */
static void
test_dot_back_edge (void)
{
  g_autoptr (SluiceGraphModel) model = fixture_model ("a Op 8 ~b\nb Op 8 a\n");
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  g_autoptr (SluiceScene) scene = sluice_scene_new (h, NULL, SLUICE_FLOW_UP, NULL);
  g_autoptr (GError) error = NULL;
  g_autofree char *text = sluice_scene_dup_dot (scene);
  g_autoptr (SluiceGraphModel) back = sluice_graph_model_new_from_dot (text, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (sluice_graph_model_get_n_edges (back), ==, 2);
  guint n_back = 0;
  for (guint i = 0; i < 2; i++)
    n_back += sluice_graph_model_get_edge (back, i)->kind == SLUICE_EDGE_BACK;
  g_assert_cmpuint (n_back, ==, 1);
}

static void
test_minimap (void)
{
  g_autoptr (SluiceGraphModel) model = fixture_mlp ();
  g_auto (Picture) p = draw_model (model, NULL, SLUICE_THEME_LIGHT, 1);
  SluiceRect b = sluice_scene_get_bounds (p.scene);
  SluicePoint middle = sluice_minimap_locate (p.scene, 150, 100, 75, 50);
  g_assert_cmpfloat_with_epsilon (middle.x, b.x + b.width / 2, 0.01);
  g_assert_cmpfloat_with_epsilon (middle.y, b.y + b.height / 2, 0.01);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/canvas/draw/scope/light", GINT_TO_POINTER (SLUICE_THEME_LIGHT),
                        test_scope);
  g_test_add_data_func ("/canvas/draw/scope/dark", GINT_TO_POINTER (SLUICE_THEME_DARK), test_scope);
  g_test_add_data_func ("/canvas/draw/scope/contrast",
                        GINT_TO_POINTER (SLUICE_THEME_HIGH_CONTRAST_LIGHT), test_scope);
  g_test_add_func ("/canvas/draw/selection", test_selection);
  g_test_add_func ("/canvas/draw/heat", test_heat);
  g_test_add_data_func ("/canvas/draw/words-on-a-scale/light", GINT_TO_POINTER (SLUICE_THEME_LIGHT),
                        test_words_on_a_scale);
  g_test_add_data_func ("/canvas/draw/words-on-a-scale/dark", GINT_TO_POINTER (SLUICE_THEME_DARK),
                        test_words_on_a_scale);
  g_test_add_func ("/canvas/draw/values", test_values_are_kept);
  g_test_add_func ("/canvas/draw/values-go", test_values_go);
  g_test_add_func ("/canvas/draw/zooming-keeps-few-glyphs", test_zooming_keeps_few_glyphs);
  g_test_add_func ("/canvas/draw/detail", test_detail);
  g_test_add_func ("/canvas/draw/far-names", test_far_names);
  g_test_add_func ("/canvas/draw/counts", test_counts_are_seen);
  g_test_add_func ("/canvas/draw/notes", test_notes_are_whole);
  g_test_add_func ("/canvas/draw/culling", test_culling);
  g_test_add_func ("/canvas/draw/badge", test_error_badge);
  g_test_add_func ("/canvas/draw/plates", test_plates_are_whole);
  g_test_add_func ("/canvas/draw/export", test_export);
  g_test_add_func ("/canvas/draw/dot", test_dot_round_trip);
  g_test_add_func ("/canvas/draw/dot/back-edge", test_dot_back_edge);
  g_test_add_func ("/canvas/draw/minimap", test_minimap);
  return g_test_run ();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What is met where on the picture of a step's memory, and that all of it is drawn. */
#include "engine/base/dtype.h"
#include "ui/timeline/memory-draw.h"

#define WIDTH  600
#define HEIGHT 400

enum
{
  WEIGHTS = 1,
  RELU,
  GRAD,
};

static void
add (SluiceAllocationLog *log,
     guint64 ticks,
     SluiceAllocationKind kind,
     guint64 address,
     gsize bytes,
     SluiceOwner owner)
{
  const SluiceAllocationRecord record = {
    .address = address, .bytes = bytes, .given = bytes + 1000, .owner = owner, .kind = kind
  };
  sluice_allocation_log_add (log, &record);
  log->records[log->n_records - 1].ticks = ticks;
}

/* A variable for all of the time, an activation from 100 to 700 and a gradient on it from 400 on,
 * which sinks. */
static SluiceMemoryView *
make_view (gsize limit)
{
  const SluiceOwner weights = { WEIGHTS, SLUICE_MEMORY_PARAMETER };
  const SluiceOwner relu = { RELU, SLUICE_MEMORY_ACTIVATION };
  const SluiceOwner grad = { GRAD, SLUICE_MEMORY_GRADIENT };
  SluiceAllocationLog *log = sluice_allocation_log_new (0);
  log->begin_ticks = 0;
  log->end_ticks = 1000;
  add (log, 0, SLUICE_ALLOCATION_MADE, 10000, 4000, weights);
  add (log, 100, SLUICE_ALLOCATION_MADE, 20000, 3000, relu);
  add (log, 400, SLUICE_ALLOCATION_MADE, 30000, 2000, grad);
  add (log, 700, SLUICE_ALLOCATION_FREED, 20000, 3000, relu);
  g_autoptr (SluiceMemoryTape) tape = sluice_memory_tape_new ("CPU:0", 7, log, 1);
  tape->limit = limit;
  tape->is_limited = limit > 0;
  sluice_memory_tape_name (tape, WEIGHTS, "fc1/weights", "VariableV2");
  sluice_memory_tape_name (tape, RELU, "conv1/relu", "Relu");
  sluice_memory_tape_name (tape, GRAD, "gradients/conv1/relu_grad/ReluGrad", "ReluGrad");
  const SluiceMemoryRun runs[] = { { RELU, 90, 200, 0 }, { GRAD, 390, 500, 0 } };
  g_array_append_vals (tape->runs, runs, G_N_ELEMENTS (runs));
  return sluice_memory_view_new (tape);
}

static SluiceMemoryPicture
make_picture (const SluiceMemoryView *view, SluiceMemoryLayout **layout)
{
  SluiceMemoryPicture picture = {
    .view = view,
    .axis = { 0, 1000, SLUICE_MEMORY_LEFT, WIDTH - SLUICE_MEMORY_END },
    .width = WIDTH,
    .height = HEIGHT,
    .top_bytes = sluice_memory_find_top (view),
    .selected = SLUICE_BAND_NONE,
    .hovered = SLUICE_BAND_NONE,
    .pointer_x = -1,
  };
  *layout = sluice_memory_view_lay_out (view, 0, 1000, (guint) (picture.axis.x1 - picture.axis.x0));
  picture.layout = *layout;
  return picture;
}

static guint32
node_at (const SluiceMemoryPicture *picture, gint64 time, double bytes)
{
  double bottom = picture->height - SLUICE_MEMORY_FOOT;
  double y = bottom - bytes / picture->top_bytes * (bottom - SLUICE_MEMORY_HEAD);
  guint band = sluice_memory_pick (picture, sluice_time_axis_to_x (&picture->axis, time), y);
  return band == SLUICE_BAND_NONE ? 0
                                  : sluice_memory_view_get_band (picture->view, band)->owner.node;
}

static void
test_pick (void)
{
  g_autoptr (SluiceMemoryView) view = make_view (0);
  g_autoptr (SluiceMemoryLayout) layout = NULL;
  const SluiceMemoryPicture picture = make_picture (view, &layout);
  g_assert_cmpuint (node_at (&picture, 50, 2000), ==, WEIGHTS);
  g_assert_cmpuint (node_at (&picture, 50, 5000), ==, 0);
  g_assert_cmpuint (node_at (&picture, 300, 5000), ==, RELU);
  g_assert_cmpuint (node_at (&picture, 500, 8000), ==, GRAD);
  g_assert_cmpuint (node_at (&picture, 900, 5000), ==, GRAD); /* it has sunk */
  g_assert_cmpuint (node_at (&picture, 900, 8000), ==, 0);
  g_assert_cmpuint (sluice_memory_pick (&picture, 3, HEIGHT / 2), ==, SLUICE_BAND_NONE);
  SluiceRect box;
  for (guint i = 0; i < sluice_memory_view_get_n_bands (view); i++)
    {
      g_assert_true (sluice_memory_get_box (&picture, i, &box));
      g_assert_cmpuint (sluice_memory_pick (&picture, box.x + 2, box.y + box.height / 2), ==, i);
    }
}

/* The limit is seen where it is near, else the picture is the peak's. */
static void
test_top (void)
{
  g_autoptr (SluiceMemoryView) without = make_view (0);
  g_autoptr (SluiceMemoryView) near = make_view (12000);
  g_autoptr (SluiceMemoryView) far = make_view (1 << 30);
  g_assert_cmpfloat (sluice_memory_find_top (without), >, 9000);
  g_assert_cmpfloat (sluice_memory_find_top (near), >=, 12000);
  g_assert_cmpfloat (sluice_memory_find_top (far), ==, sluice_memory_find_top (without));
}

static void
test_words (void)
{
  g_autoptr (SluiceMemoryView) view = make_view (0);
  g_autofree char *grad = sluice_memory_dup_name (view, (SluiceOwner){ GRAD, 0 });
  g_autofree char *none = sluice_memory_dup_name (view, SLUICE_OWNER_NONE);
  g_autofree char *unknown = sluice_memory_dup_name (view, (SluiceOwner){ 99, 0 });
  g_autofree char *time = sluice_memory_format_time (view, 400);
  const SluiceBlockLabel label = { SLUICE_FLOAT, 6, { 3, 4, G_MAXUINT32, 5 } };
  const SluiceBlockLabel scalar = { SLUICE_FLOAT, 0, { 0 } };
  const SluiceBlockLabel raw = { 0 };
  g_autofree char *shape = sluice_memory_format_label (&label);
  g_autofree char *single = sluice_memory_format_label (&scalar);
  g_assert_cmpstr (grad, ==, "conv1/relu ∇");
  g_assert_cmpstr (none, ==, "no node (other)");
  g_assert_cmpstr (unknown, ==, "node 99");
  g_assert_cmpstr (time, ==, "0.400\u202fµs");
  g_assert_cmpstr (shape, ==, "float …×3×4×…×5");
  g_assert_cmpstr (single, ==, "float scalar");
  g_assert_null (sluice_memory_format_label (&raw));
}

/* cairo rounds in its own way. */
static gboolean
is_near (guint32 pixel, int shift, double value)
{
  double channel = pixel >> shift & 255;
  return channel > value * 255 - 1.5 && channel < value * 255 + 1.5;
}

/* Pixels of a colour. */
static guint
count_color (cairo_surface_t *surface, SluiceColor color)
{
  guint n = 0;
  cairo_surface_flush (surface);
  for (int y = 0; y < cairo_image_surface_get_height (surface); y++)
    {
      const guint32 *row = (const guint32 *) (cairo_image_surface_get_data (surface)
                                              + y * cairo_image_surface_get_stride (surface));
      for (int x = 0; x < cairo_image_surface_get_width (surface); x++)
        n += is_near (row[x], 24, 1) && is_near (row[x], 16, color.r)
             && is_near (row[x], 8, color.g) && is_near (row[x], 0, color.b);
    }
  return n;
}

/* Each band has its area in the colour of its class, in each theme, and names on it can be read. */
static void
test_draw (void)
{
  for (SluiceThemeKind kind = 0; kind <= SLUICE_THEME_HIGH_CONTRAST_DARK; kind++)
    {
      const SluiceTheme *theme = sluice_theme_get (kind);
      g_autoptr (SluiceMemoryView) view = make_view (12000);
      g_autoptr (SluiceMemoryLayout) layout = NULL;
      SluiceMemoryPicture picture = make_picture (view, &layout);
      cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, WIDTH, HEIGHT);
      cairo_t *cr = cairo_create (surface);
      sluice_memory_draw (&picture, cr, theme);
      double unit = (HEIGHT - SLUICE_MEMORY_FOOT - SLUICE_MEMORY_HEAD) / picture.top_bytes
                    * (picture.axis.x1 - picture.axis.x0) / 1000;
      const double areas[] = { 4000 * 1000, 3000 * 600, 2000 * 600 };
      for (guint i = 0; i < sluice_memory_view_get_n_bands (view); i++)
        {
          SluiceMemoryClass c = sluice_memory_view_get_band (view, i)->owner.memory_class;
          SluiceColor fill = sluice_memory_get_fill (c, theme);
          g_assert_cmpuint (count_color (surface, fill), >, (guint) (areas[i] * unit * 0.85));
          g_assert_cmpfloat (sluice_color_contrast (fill, theme->text), >=, 4.5);
        }
      picture.hovered = picture.selected = 1;
      picture.pointer_x = picture.pointer_y = 200;
      sluice_memory_draw (&picture, cr, theme);
      cairo_destroy (cr);
      cairo_surface_destroy (surface);
    }
}

static guint32
pixel_at (cairo_surface_t *surface, int x, int y)
{
  cairo_surface_flush (surface);
  return *(const guint32 *) (cairo_image_surface_get_data (surface)
                             + y * cairo_image_surface_get_stride (surface) + 4 * x);
}

/* From right to left the same stands at the other side: a band, and what is free beside it. */
static void
test_mirrored (void)
{
  const SluiceTheme *theme = sluice_theme_get (SLUICE_THEME_LIGHT);
  g_autoptr (SluiceMemoryView) view = make_view (0);
  g_autoptr (SluiceMemoryLayout) layout = NULL;
  SluiceMemoryPicture picture = make_picture (view, &layout);
  cairo_surface_t *surfaces[2];
  for (guint i = 0; i < 2; i++)
    {
      surfaces[i] = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, WIDTH, HEIGHT);
      cairo_t *cr = cairo_create (surfaces[i]);
      picture.mirrored = i == 1;
      sluice_memory_draw (&picture, cr, theme);
      cairo_destroy (cr);
    }
  SluiceRect box;
  g_assert_true (sluice_memory_get_box (&picture, 1, &box));
  /* Early: at the same place from the other side it is gone. */
  int inside = (int) box.x + 20, y = (int) (box.y + 4);
  g_assert_cmphex (pixel_at (surfaces[0], WIDTH - 1 - inside, y), !=,
                   pixel_at (surfaces[0], inside, y));
  g_assert_cmphex (pixel_at (surfaces[1], WIDTH - 1 - inside, y), ==,
                   pixel_at (surfaces[0], inside, y));
  for (guint i = 0; i < 2; i++)
    cairo_surface_destroy (surfaces[i]);
}

static void
test_map (void)
{
  g_autoptr (SluiceMemoryView) view = make_view (0);
  g_autoptr (SluiceMemoryMap) map = sluice_memory_view_make_map (view, 4);
  /* The variable, a hole where the activation was, the gradient: 5000, 4000 and 3000 bytes. */
  g_assert_cmpuint (map->n_holes, ==, 1);
  g_assert_cmpuint (sluice_memory_pick_map (map, 120, 10), ==, 0);
  g_assert_cmpuint (sluice_memory_pick_map (map, 120, 60), ==, SLUICE_BAND_NONE);
  g_assert_cmpuint (sluice_memory_pick_map (map, 120, 100), ==, 2);
  g_assert_cmpuint (sluice_memory_pick_map (map, 120, 500), ==, SLUICE_BAND_NONE);
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 300, 48);
  cairo_t *cr = cairo_create (surface);
  const SluiceTheme *theme = sluice_theme_get (SLUICE_THEME_LIGHT);
  sluice_memory_draw_map (view, map, 2, 300, 48, cr, theme);
  g_assert_cmpuint (count_color (surface, sluice_memory_get_fill (SLUICE_MEMORY_GRADIENT, theme)),
                    >, 300 / 4 * 28 * 7 / 10);
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/timeline/memory/pick", test_pick);
  g_test_add_func ("/timeline/memory/top", test_top);
  g_test_add_func ("/timeline/memory/words", test_words);
  g_test_add_func ("/timeline/memory/draw", test_draw);
  g_test_add_func ("/timeline/memory/mirrored", test_mirrored);
  g_test_add_func ("/timeline/memory/map", test_map);
  return g_test_run ();
}

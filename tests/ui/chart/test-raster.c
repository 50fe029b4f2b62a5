/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/raster.h"

#include <malloc.h>
#include <math.h>
#include <string.h>

#define SIZE 64

/* The coverage that cairo gives the path on @cr, of the pixels of an A8 surface. */
static int
cairo_coverage (cairo_surface_t *surface, int x, int y)
{
  return cairo_image_surface_get_data (surface)[y * cairo_image_surface_get_stride (surface) + x];
}

static void
compare (SluiceRaster *raster, cairo_surface_t *surface, int worst, double mean)
{
  double sum = 0;
  int touched = 0;

  cairo_surface_flush (surface);
  for (int y = 0; y < SIZE; y++)
    for (int x = 0; x < SIZE; x++)
      {
        int expected = cairo_coverage (surface, x, y);
        int got = sluice_raster_get_coverage (raster, (guint) x, (guint) y);

        g_assert_cmpint (abs (got - expected), <=, worst);
        sum += abs (got - expected);
        touched += expected > 0 || got > 0;
      }
  /* The mean says little of a handful of pixels at the corner. */
  g_assert_cmpfloat (sum, <=, mean * MAX (touched, 60));
}

static void
test_segments (void)
{
  g_autoptr (SluiceRaster) raster = sluice_raster_new (SIZE, SIZE);

  for (int i = 0; i < 300; i++)
    {
      cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_A8, SIZE, SIZE);
      cairo_t *cr = cairo_create (surface);
      double width = i % 2 == 0 ? 1 : 2.2;
      /* Some ends lie outside, so that clipping is compared as well. */
      double x0 = g_test_rand_double_range (-20, SIZE + 20);
      double y0 = g_test_rand_double_range (-20, SIZE + 20);
      double x1 = g_test_rand_double_range (-20, SIZE + 20);
      double y1 = g_test_rand_double_range (-20, SIZE + 20);

      cairo_set_line_width (cr, width);
      cairo_set_line_cap (cr, CAIRO_LINE_CAP_ROUND);
      cairo_set_antialias (cr, CAIRO_ANTIALIAS_BEST);
      cairo_move_to (cr, x0, y0);
      cairo_line_to (cr, x1, y1);
      cairo_stroke (cr);
      sluice_raster_clear (raster);
      sluice_raster_segment (raster, x0, y0, x1, y1, width);
      compare (raster, surface, 56, 24);
      cairo_destroy (cr);
      cairo_surface_destroy (surface);
    }
}

static void
test_boxes (void)
{
  g_autoptr (SluiceRaster) raster = sluice_raster_new (SIZE, SIZE);

  for (int i = 0; i < 200; i++)
    {
      cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_A8, SIZE, SIZE);
      cairo_t *cr = cairo_create (surface);
      double x0 = g_test_rand_double_range (-5, SIZE);
      double y0 = g_test_rand_double_range (-5, SIZE);
      double x1 = x0 + g_test_rand_double_range (0, 30);
      double y1 = y0 + g_test_rand_double_range (0, 30);

      cairo_set_antialias (cr, CAIRO_ANTIALIAS_BEST);
      cairo_rectangle (cr, x0, y0, x1 - x0, y1 - y0);
      cairo_fill (cr);
      sluice_raster_clear (raster);
      sluice_raster_box (raster, x0, y0, x1, y1);
      compare (raster, surface, 20, 3);
      cairo_destroy (cr);
      cairo_surface_destroy (surface);
    }
}

static void
test_trapezoids (void)
{
  g_autoptr (SluiceRaster) raster = sluice_raster_new (SIZE, SIZE);

  for (int i = 0; i < 200; i++)
    {
      cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_A8, SIZE, SIZE);
      cairo_t *cr = cairo_create (surface);
      double x0 = g_test_rand_double_range (-5, SIZE - 10);
      double x1 = x0 + g_test_rand_double_range (1, 40);
      double t0 = g_test_rand_double_range (-5, SIZE / 2);
      double t1 = g_test_rand_double_range (-5, SIZE / 2);
      double b0 = g_test_rand_double_range (SIZE / 2, SIZE + 5);
      double b1 = g_test_rand_double_range (SIZE / 2, SIZE + 5);
      double cut = x0 + (x1 - x0) * 0.37;
      double tc = t0 + (t1 - t0) * 0.37;
      double bc = b0 + (b1 - b0) * 0.37;

      cairo_set_antialias (cr, CAIRO_ANTIALIAS_BEST);
      cairo_move_to (cr, x0, t0);
      cairo_line_to (cr, x1, t1);
      cairo_line_to (cr, x1, b1);
      cairo_line_to (cr, x0, b0);
      cairo_fill (cr);
      sluice_raster_clear (raster);
      /* In two parts: the seam between them must not show. */
      sluice_raster_trapezoid (raster, x0, t0, b0, cut, tc, bc);
      sluice_raster_trapezoid (raster, cut, tc, bc, x1, t1, b1);
      compare (raster, surface, 60, 4);
      cairo_destroy (cr);
      cairo_surface_destroy (surface);
    }
}

static void
test_overlap (void)
{
  /* A curve that crosses itself is not darker there. */
  g_autoptr (SluiceRaster) raster = sluice_raster_new (SIZE, SIZE);

  sluice_raster_segment (raster, 5, 32.5, 60, 32.5, 1);
  sluice_raster_segment (raster, 5, 32.5, 60, 32.5, 1);
  g_assert_cmpuint (sluice_raster_get_coverage (raster, 30, 32), ==, 255);
  g_assert_cmpuint (sluice_raster_get_coverage (raster, 30, 31), ==, 0);
  g_assert_cmpuint (sluice_raster_get_coverage (raster, 30, 33), ==, 0);
  sluice_raster_clear (raster);
  sluice_raster_segment (raster, 5, 32, 60, 32, 1);
  sluice_raster_segment (raster, 5, 32, 60, 32, 1);
  g_assert_cmpuint (sluice_raster_get_coverage (raster, 30, 32), ==, 128);
}

static void
test_paint (void)
{
  g_autoptr (SluiceRaster) raster = sluice_raster_new (SIZE, SIZE);
  cairo_surface_t *got = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, SIZE, SIZE);
  cairo_surface_t *expected = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, SIZE, SIZE);
  cairo_t *cr = cairo_create (expected);
  const guint8 *a;
  const guint8 *b;

  for (int i = 0; i < 30; i++)
    {
      SluiceColor c = { g_test_rand_double (), g_test_rand_double (), g_test_rand_double (),
                        g_test_rand_double () };
      int x = g_test_rand_int_range (-4, SIZE);
      int y = g_test_rand_int_range (-4, SIZE);

      sluice_raster_box (raster, x, y, x + 20, y + 20);
      sluice_raster_paint (raster, c);
      cairo_set_source_rgba (cr, c.r, c.g, c.b, c.a);
      cairo_rectangle (cr, x, y, 20, 20);
      cairo_fill (cr);
    }
  sluice_raster_to_surface (raster, got);
  cairo_surface_flush (expected);
  a = cairo_image_surface_get_data (got);
  b = cairo_image_surface_get_data (expected);
  for (int i = 0; i < SIZE * cairo_image_surface_get_stride (got); i++)
    g_assert_cmpint (abs (a[i] - b[i]), <=, 6);
  cairo_destroy (cr);
  cairo_surface_destroy (got);
  cairo_surface_destroy (expected);
}

static void
test_extreme (void)
{
  /* Nothing that arithmetic can produce writes outside or hangs. */
  static const double odd[] = { NAN, INFINITY, -INFINITY, 1e300, -1e300, 1e18, 0, 63.99, -0.0 };
  g_autoptr (SluiceRaster) raster = sluice_raster_new (SIZE, SIZE);

  for (guint i = 0; i < G_N_ELEMENTS (odd); i++)
    for (guint j = 0; j < G_N_ELEMENTS (odd); j++)
      for (guint k = 0; k < G_N_ELEMENTS (odd); k++)
        {
          sluice_raster_segment (raster, odd[i], odd[j], odd[k], 5, 2.2);
          sluice_raster_segment (raster, odd[i], odd[j], 5, odd[k], 1);
          sluice_raster_box (raster, odd[i], odd[j], odd[k], odd[j]);
          sluice_raster_trapezoid (raster, odd[i], odd[j], odd[k], 70, odd[j], odd[k]);
        }
  sluice_raster_clear (raster);
  /* A huge segment still goes where it should. */
  sluice_raster_segment (raster, -1e12, 10.5, 1e12, 10.5, 1);
  g_assert_cmpuint (sluice_raster_get_coverage (raster, 30, 10), ==, 255);
}

/* One that takes the memory of another shows nothing of it, whatever sizes they have. */
static void
test_again (void)
{
  static const guint sizes[] = { SIZE, SIZE / 2, SIZE, 2 * SIZE, 1, SIZE };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      const guint n = sizes[i];
      g_autoptr (SluiceRaster) raster = sluice_raster_new (n, n);
      cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, (int) n, (int) n);

      sluice_raster_to_surface (raster, surface);
      for (guint y = 0; y < n; y++)
        for (guint x = 0; x < n; x++)
          {
            const guint8 *row = cairo_image_surface_get_data (surface)
                                + y * (guint) cairo_image_surface_get_stride (surface);

            g_assert_cmpuint (((const guint32 *) row)[x], ==, 0);
            g_assert_cmpuint (sluice_raster_get_coverage (raster, x, y), ==, 0);
          }
      cairo_surface_destroy (surface);
      sluice_raster_box (raster, 0, 0, n, n);
      sluice_raster_paint (raster, (SluiceColor){ 1, 0.5, 0.2, 1 });
      sluice_raster_box (raster, 0, 0, n, n);
    }
}

static guint32
get_pixel (SluiceRaster *raster, int x, int y)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, SIZE, SIZE);
  guint32 pixel;

  sluice_raster_to_surface (raster, surface);
  memcpy (&pixel,
          cairo_image_surface_get_data (surface) + y * cairo_image_surface_get_stride (surface)
              + 4 * x,
          sizeof pixel);
  cairo_surface_destroy (surface);
  return pixel;
}

static void
test_strokes (void)
{
  g_autoptr (SluiceRaster) raster = sluice_raster_new (SIZE, SIZE);
  SluiceRasterInk red = sluice_raster_get_ink ((SluiceColor){ 1, 0, 0, 1 });
  SluiceRasterInk pale = sluice_raster_get_ink ((SluiceColor){ 0, 0, 1, 0.2 });

  sluice_raster_stroke (raster, 3, 10.5, 20, red);
  g_assert_cmphex (get_pixel (raster, 3, 9), ==, 0);
  g_assert_cmphex (get_pixel (raster, 3, 10), ==, 0x80800000);
  g_assert_cmphex (get_pixel (raster, 3, 11), ==, 0xffff0000);
  g_assert_cmphex (get_pixel (raster, 3, 19), ==, 0xffff0000);
  g_assert_cmphex (get_pixel (raster, 3, 20), ==, 0);
  g_assert_cmphex (get_pixel (raster, 4, 15), ==, 0);
  sluice_raster_stroke (raster, 3, 12, 18, pale);
  g_assert_cmphex (get_pixel (raster, 3, 15), ==, 0xffcc0033);
  sluice_raster_stroke (raster, 5, 30.25, 30.75, red);
  g_assert_cmphex (get_pixel (raster, 5, 30) >> 24, ==, 0x80);
  /* What lies outside, or nowhere, is not painted. */
  sluice_raster_stroke (raster, SIZE, 0, SIZE, red);
  sluice_raster_stroke (raster, 6, -1e300, -1, red);
  sluice_raster_stroke (raster, 6, NAN, NAN, red);
  g_assert_cmphex (get_pixel (raster, 6, 0), ==, 0);
  sluice_raster_stroke (raster, 6, -1e300, 1e300, red);
  g_assert_cmphex (get_pixel (raster, 6, SIZE - 1), ==, 0xffff0000);
}

static gsize
allocated (void)
{
  struct mallinfo2 info = mallinfo2 ();

  return info.uordblks + info.hblkhd;
}

/* What one took is kept for the next of its size; where only small ones follow, it goes. */
static void
test_spare (void)
{
  gsize before, kept, large;

  sluice_raster_free (sluice_raster_new (100, 100));
  before = allocated ();
  if (before == 0)
    {
      g_test_skip ("another allocator, which does not say");
      return;
    }
  sluice_raster_free (sluice_raster_new (1000, 500));
  large = allocated ();
  g_assert_cmpuint (large, >, before + 1000 * 500);
  for (guint i = 0; i < 200; i++)
    {
      sluice_raster_free (sluice_raster_new (100, 100));
      sluice_raster_free (sluice_raster_new (1000, 500));
    }
  kept = allocated ();
  g_assert_cmpuint (kept, ==, large);
  for (guint i = 0; i < 200; i++)
    sluice_raster_free (sluice_raster_new (100, 100));
  g_assert_cmpuint (allocated (), <, before + 1000 * 500);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ui/chart/raster/segments", test_segments);
  g_test_add_func ("/ui/chart/raster/boxes", test_boxes);
  g_test_add_func ("/ui/chart/raster/trapezoids", test_trapezoids);
  g_test_add_func ("/ui/chart/raster/overlap", test_overlap);
  g_test_add_func ("/ui/chart/raster/paint", test_paint);
  g_test_add_func ("/ui/chart/raster/again", test_again);
  g_test_add_func ("/ui/chart/raster/extreme", test_extreme);
  g_test_add_func ("/ui/chart/raster/strokes", test_strokes);
  g_test_add_func ("/ui/chart/raster/spare", test_spare);
  return g_test_run ();
}

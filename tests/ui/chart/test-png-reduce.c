/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/png-reduce.h"

#include <png.h>
#include <string.h>

static void
write_cb (png_structp png, png_bytep bytes, png_size_t n)
{
  g_byte_array_append (png_get_io_ptr (png), bytes, (guint) n);
}

/* Rows of eight bits of grey: each the row's number times 16. */
static GBytes *
make_png (guint width, guint height, int interlace)
{
  GByteArray *out = g_byte_array_new ();
  png_structp png = png_create_write_struct (PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png_create_info_struct (png);
  g_autofree guint8 *row = g_malloc (width);

  png_set_write_fn (png, out, write_cb, NULL);
  png_set_compression_level (png, 1);
  png_set_IHDR (png, info, width, height, 8, PNG_COLOR_TYPE_GRAY, interlace,
                PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info (png, info);
  for (int pass = png_set_interlace_handling (png); pass > 0; pass--)
    for (guint y = 0; y < height; y++)
      {
        memset (row, (int) (y * 16 & 255), width);
        png_write_row (png, row);
      }
  png_write_end (png, NULL);
  png_destroy_write_struct (&png, &info);
  return g_byte_array_free_to_bytes (out);
}

static guint32
get_pixel (cairo_surface_t *surface, int x, int y)
{
  const guint8 *row =
      cairo_image_surface_get_data (surface) + (gsize) y * cairo_image_surface_get_stride (surface);

  return ((const guint32 *) row)[x];
}

/* The last block of a row and of the picture is smaller than the others. */
static void
test_blocks (void)
{
  g_autoptr (GBytes) image = make_png (25, 7, PNG_INTERLACE_NONE);
  g_autoptr (GError) error = NULL;
  cairo_surface_t *surface = sluice_png_reduce (image, 7, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpint (cairo_image_surface_get_width (surface), ==, 7); /* of four pixels a side */
  g_assert_cmpint (cairo_image_surface_get_height (surface), ==, 2);
  g_assert_cmphex (get_pixel (surface, 0, 0), ==, 0xff181818); /* (0 + 16 + 32 + 48) / 4 */
  g_assert_cmphex (get_pixel (surface, 6, 0), ==, 0xff181818);
  g_assert_cmphex (get_pixel (surface, 6, 1), ==, 0xff505050); /* (64 + 80 + 96) / 3 */
  cairo_surface_destroy (surface);
}

/* So many rows that they are read in more than a moment. */
static void
test_large (void)
{
  g_autoptr (GBytes) image = make_png (6000, 4500, PNG_INTERLACE_NONE);
  g_autoptr (GError) error = NULL;
  cairo_surface_t *surface = sluice_png_reduce (image, 2048, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpint (cairo_image_surface_get_width (surface), ==, 2000);
  g_assert_cmpint (cairo_image_surface_get_height (surface), ==, 1500);
  g_assert_cmphex (get_pixel (surface, 1999, 0), ==, 0xff101010); /* rows 0 to 2 */
  cairo_surface_destroy (surface);
}

static void
test_bad_input (void)
{
  g_autoptr (GBytes) interlaced = make_png (20, 20, PNG_INTERLACE_ADAM7);
  g_autoptr (GBytes) whole = make_png (200, 200, PNG_INTERLACE_NONE);
  g_autoptr (GCancellable) cancelled = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  g_assert_null (sluice_png_reduce (interlaced, 10, NULL, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED);
  g_clear_error (&error);
  g_cancellable_cancel (cancelled);
  g_assert_null (sluice_png_reduce (whole, 10, cancelled, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  /* Torn at every byte: what there is, or an error. */
  for (gsize n = 0; n < g_bytes_get_size (whole); n++)
    {
      g_autoptr (GBytes) torn = g_bytes_new_from_bytes (whole, 0, n);
      g_autoptr (GError) why = NULL;
      cairo_surface_t *surface = sluice_png_reduce (torn, 10, NULL, &why);

      g_assert_true ((surface != NULL) == (why == NULL));
      g_clear_pointer (&surface, cairo_surface_destroy);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/chart/png-reduce/blocks", test_blocks);
  g_test_add_func ("/chart/png-reduce/large", test_large);
  g_test_add_func ("/chart/png-reduce/bad-input", test_bad_input);
  return g_test_run ();
}

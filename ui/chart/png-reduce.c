/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/png-reduce.h"

#include <glib/gi18n-lib.h>
#include <png.h>
#include <string.h>

/* A row takes four bytes a pixel. */
#define MOST_WIDTH (1u << 24)

typedef struct
{
  const guint8 *bytes;
  gsize left;
  GCancellable *cancellable;
  GError **error; /* set before libpng is left */
  png_structp png;
  png_infop info;
  /* What libpng may leave by longjmp while they are held. */
  guint8 *row;
  guint64 *sums; /* of a row of squares: red, green, blue, each times alpha, and alpha */
  cairo_surface_t *surface;
  guint n_rows; /* of the reduced picture, that are whole */
} Reduce;

static void
read_cb (png_structp png, png_bytep out, png_size_t n)
{
  Reduce *self = png_get_io_ptr (png);

  if (n > self->left)
    png_error (png, "torn");
  memcpy (out, self->bytes, n);
  self->bytes += n;
  self->left -= n;
}

static void
error_cb (png_structp png, png_const_charp words)
{
  longjmp (png_jmpbuf (png), 1);
}

static void
warning_cb (png_structp png, png_const_charp words)
{
}

static void
refuse (Reduce *self, const char *words)
{
  g_set_error_literal (self->error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, words);
  png_error (self->png, "refused");
}

/* Eight bits of red, green, blue and alpha, whatever the file has. */
static void
normalize (Reduce *self)
{
  png_set_expand (self->png);
  png_set_scale_16 (self->png);
  png_set_gray_to_rgb (self->png);
  png_set_add_alpha (self->png, 0xff, PNG_FILLER_AFTER);
  png_read_update_info (self->png, self->info);
}

static void
add_row (Reduce *self, guint width, guint side)
{
  for (guint x = 0; x < width; x++)
    {
      const guint8 *pixel = self->row + (gsize) x * 4;
      guint64 *sum = self->sums + (gsize) (x / side) * 4;

      for (guint i = 0; i < 3; i++)
        sum[i] += (guint64) pixel[i] * pixel[3];
      sum[3] += pixel[3];
    }
}

/* Cairo's colours are multiplied by alpha already. */
static void
put_row (Reduce *self, guint width, guint side, guint n_added)
{
  guint n = (guint) cairo_image_surface_get_width (self->surface);
  guint32 *out =
      (guint32 *) (cairo_image_surface_get_data (self->surface)
                   + (gsize) self->n_rows * cairo_image_surface_get_stride (self->surface));

  for (guint x = 0; x < n; x++)
    {
      const guint64 *sum = self->sums + (gsize) x * 4;
      guint64 area = (guint64) MIN (side, width - x * side) * n_added;

      out[x] = (guint32) (sum[3] / area) << 24 | (guint32) (sum[0] / (area * 255)) << 16
               | (guint32) (sum[1] / (area * 255)) << 8 | (guint32) (sum[2] / (area * 255));
    }
  memset (self->sums, 0, (gsize) n * 4 * sizeof *self->sums);
  self->n_rows++;
}

static void
read_rows (Reduce *self, guint most_side)
{
  guint width = png_get_image_width (self->png, self->info);
  guint height = png_get_image_height (self->png, self->info);
  guint side = (MAX (width, height) + most_side - 1) / most_side;
  guint n = (width + side - 1) / side;

  if (png_get_interlace_type (self->png, self->info) != PNG_INTERLACE_NONE)
    refuse (self, _ ("interlaced"));
  if (width > MOST_WIDTH)
    refuse (self, _ ("too wide"));
  normalize (self);
  self->row = g_try_malloc (png_get_rowbytes (self->png, self->info));
  self->sums = g_try_new0 (guint64, (gsize) n * 4);
  self->surface =
      cairo_image_surface_create (CAIRO_FORMAT_ARGB32, (int) n, (int) ((height + side - 1) / side));
  if (self->row == NULL || self->sums == NULL
      || cairo_surface_status (self->surface) != CAIRO_STATUS_SUCCESS)
    refuse (self, _ ("not enough memory"));
  cairo_surface_flush (self->surface);
  for (guint y = 0; y < height; y++)
    {
      if (g_cancellable_set_error_if_cancelled (self->cancellable, self->error))
        png_error (self->png, "cancelled");
      png_read_row (self->png, self->row, NULL);
      add_row (self, width, side);
      if ((y + 1) % side == 0 || y + 1 == height)
        put_row (self, width, side, y % side + 1);
    }
}

/* All that may leave by longjmp is below: nothing here is changed in between. */
static void
run (Reduce *self, guint most_side)
{
  if (setjmp (png_jmpbuf (self->png)) != 0)
    return;
  png_set_read_fn (self->png, self, read_cb);
  png_set_user_limits (self->png, G_MAXINT32, G_MAXINT32);
  png_read_info (self->png, self->info);
  read_rows (self, most_side);
}

cairo_surface_t *
sluice_png_reduce (GBytes *image, guint most_side, GCancellable *cancellable, GError **error)
{
  g_autoptr (GError) why = NULL;
  Reduce self = { .cancellable = cancellable, .error = &why };

  g_return_val_if_fail (image != NULL && most_side > 0, NULL);

  self.bytes = g_bytes_get_data (image, &self.left);
  self.png = png_create_read_struct (PNG_LIBPNG_VER_STRING, NULL, error_cb, warning_cb);
  self.info = self.png != NULL ? png_create_info_struct (self.png) : NULL;
  if (self.info != NULL)
    run (&self, most_side);
  png_destroy_read_struct (&self.png, &self.info, NULL);
  g_free (self.row);
  g_free (self.sums);
  if (why == NULL && self.n_rows == 0)
    g_set_error_literal (&why, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, _ ("unreadable"));
  if (why != NULL)
    {
      g_clear_pointer (&self.surface, cairo_surface_destroy);
      g_propagate_error (error, g_steal_pointer (&why));
      return NULL;
    }
  cairo_surface_mark_dirty (self.surface);
  return self.surface;
}

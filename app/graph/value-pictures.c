/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/graph/value-pictures.h"

#include <math.h>

#include "engine/train/data.h"

#define GAP  1   /* pixels between two pictures */
#define MOST 512 /* pixels of a picture either way: of more the first ones */

SluiceTensor *
sluice_value_to_doubles (SluiceTensor *value)
{
  const SluiceDTypeSet from = SLUICE_SET_REAL | SLUICE_SET (SLUICE_BOOL);
  gint64 n = value->n_elements;
  if (!sluice_dtype_in ((SluiceDType) value->dtype, from))
    return NULL;
  g_autofree gint64 *rows = g_new (gint64, n + 1);
  for (gint64 i = 0; i < n; i++)
    rows[i] = i;
  g_autoptr (SluiceTensor) flat = sluice_tensor_new_view (value, &SLUICE_SHAPE (n), 0);
  g_autoptr (SluiceTensor) doubles =
      flat != NULL ? sluice_examples_gather (flat, rows, n, SLUICE_DOUBLE, 1) : NULL;
  return doubles != NULL ? sluice_tensor_new_view (doubles, &value->shape, 0) : NULL;
}

/* Of the finite elements; FALSE: there is none. */
static gboolean
find_range (const SluiceTensor *values, double *least, double *most)
{
  const double *x = values->data;
  *least = INFINITY;
  *most = -INFINITY;
  for (gint64 i = 0; i < values->n_elements; i++)
    if (isfinite (x[i]))
      {
        *least = MIN (*least, x[i]);
        *most = MAX (*most, x[i]);
      }
  return *least <= *most;
}

gboolean
sluice_value_histogram (const SluiceTensor *values, guint n, double *edges, double *counts)
{
  const double *x = values->data;
  double least, most;
  if (!find_range (values, &least, &most))
    return FALSE;
  if (least == most) /* around it, whatever its size is */
    {
      double half = MAX (fabs (least), 1) / 2;
      least -= half;
      most += half;
    }
  for (guint i = 0; i <= n; i++)
    edges[i] = least + (most - least) * i / n;
  for (guint i = 0; i < n; i++)
    counts[i] = 0;
  for (gint64 i = 0; i < values->n_elements; i++)
    if (isfinite (x[i]))
      counts[(guint) CLAMP ((x[i] - least) / (most - least) * n, 0, n - 1)]++;
  return TRUE;
}

/* ---- pictures ---- */

/* Where the element of a picture's pixel is. */
typedef struct
{
  gint64 n, height, width;
  gint64 of_picture, of_row, of_column, of_channel; /* elements from one to the next */
  gboolean has_colors;
} Layout;

static Layout
lay_out (const SluiceShape *shape)
{
  const gint64 *dim = shape->dim;
  gint64 last = shape->rank > 0 ? dim[shape->rank - 1] : 1;
  gboolean is_channels = shape->rank >= 3 && (last == 1 || last == 3);
  if (shape->rank < 2)
    return (Layout){ 1, 1, last, 0, last, 1, 0, FALSE };
  if (shape->rank == 2)
    return (Layout){ 1, dim[0], dim[1], 0, dim[1], 1, 0, FALSE };
  gint64 height = dim[shape->rank - 3 + !is_channels], width = dim[shape->rank - 2 + !is_channels];
  if (shape->rank >= 4 && !is_channels) /* maps of features */
    {
      height = dim[shape->rank - 3];
      width = dim[shape->rank - 2];
      return (Layout){ last, height, width, 1, width * last, last, 0, FALSE };
    }
  gint64 channels = is_channels ? last : 1, size = height * width * channels;
  gint64 n = size > 0 ? sluice_shape_n_elements (shape) / size : 0;
  return (
      Layout){ n, height, width, size, width * channels, channels, 1, last == 3 && is_channels };
}

static void
set_pixel (guint8 *pixel, const double *element, const Layout *layout, double least, double scale)
{
  for (guint c = 0; c < 3; c++)
    {
      double x = element[layout->has_colors ? c * layout->of_channel : 0];
      if (!isfinite (x))
        {
          pixel[0] = 224;
          pixel[1] = pixel[2] = 27;
          return;
        }
      pixel[c] = (guint8) CLAMP ((x - least) * scale + 0.5, 0, 255);
    }
}

gboolean
sluice_value_image (const SluiceTensor *values, guint most, SluiceValueImage *image)
{
  const Layout at = lay_out (&values->shape);
  double least = 0, greatest = 1;
  if (values->n_elements == 0)
    return FALSE;
  find_range (values, &least, &greatest);
  double scale = greatest > least ? 255 / (greatest - least) : 0;
  guint n = (guint) MIN (at.n, (gint64) most), columns = (guint) ceil (sqrt (n)),
        rows = (n + columns - 1) / columns;
  guint width = (guint) MIN (at.width, MOST), height = (guint) MIN (at.height, MOST);
  *image = (SluiceValueImage){ .width = columns * (width + GAP) - GAP,
                               .height = rows * (height + GAP) - GAP,
                               .n_shown = n,
                               .n = (guint) at.n };
  image->pixels = g_malloc0_n ((gsize) image->width * image->height, 3);
  for (guint i = 0; i < n; i++)
    for (guint y = 0; y < height; y++)
      for (guint x = 0; x < width; x++)
        {
          gsize px = (i % columns) * (width + GAP) + x, py = (i / columns) * (height + GAP) + y;
          set_pixel (image->pixels + 3 * (py * image->width + px),
                     (const double *) values->data + i * at.of_picture + y * at.of_row
                         + x * at.of_column,
                     &at, least, scale);
        }
  return TRUE;
}

void
sluice_value_image_clear (SluiceValueImage *self)
{
  g_clear_pointer (&self->pixels, g_free);
}

/* ---- a table ---- */

char *
sluice_value_table (const SluiceTensor *values, guint most_rows, guint most_columns)
{
  const SluiceShape *shape = &values->shape;
  gint64 columns = shape->rank > 0 ? shape->dim[shape->rank - 1] : 1,
         rows = shape->rank > 1 ? shape->dim[shape->rank - 2] : 1;
  guint n_rows = (guint) MIN (rows, (gint64) most_rows),
        n_columns = (guint) MIN (columns, (gint64) most_columns);
  GString *text = g_string_new (NULL);
  if (values->n_elements == 0)
    return g_string_free (text, FALSE);
  g_string_append (text, "      ");
  for (guint c = 0; c < n_columns; c++)
    g_string_append_printf (text, " %10u", c);
  for (guint r = 0; r < n_rows; r++)
    {
      g_string_append_printf (text, "%s\n%5u ", r == 0 && n_columns < columns ? " …" : "", r);
      for (guint c = 0; c < n_columns; c++)
        g_string_append_printf (text, " %10.4g", ((const double *) values->data)[r * columns + c]);
    }
  g_string_append (text, n_rows < rows ? "\n    …" : "");
  return g_string_free (text, FALSE);
}

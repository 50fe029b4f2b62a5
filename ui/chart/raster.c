/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/raster.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

/*
 * Mask and image are stored column by column, and the image as four planes: curves of dense series
 * are tall and thin, so the inner loops run over consecutive bytes and the compiler can make
 * vectors of them.
 */
enum
{
  PLANE_B,
  PLANE_G,
  PLANE_R,
  PLANE_A,
  N_PLANES
};

/* Pages of its own that are new cost a raster more than what is drawn into it, twice: they are read
 * before they are written. */
typedef struct
{
  gsize size;
  guint n_smaller; /* rasters in a row that needed less than half of it */
  guint8 bytes[];
} Memory;

#define MOST_SPARE   ((gsize) 8 << 20) /* bytes: larger ones are for paper */
#define MOST_SMALLER 50 /* by then the card that was enlarged is small again, or not seen */

static _Atomic (Memory *) spare; /* of the raster that was freed last; NULL: none */

struct _SluiceRaster
{
  guint width, height;
  guint8 *mask;             /* first in the memory, */
  guint8 *planes[N_PLANES]; /* which follow; premultiplied */
  guint *lo, *hi;           /* of each column: the rows [lo, hi) where the mask may not be 0 */
  Memory *memory;
};

static Memory *
take_memory (gsize size)
{
  Memory *memory = atomic_exchange (&spare, NULL);

  if (memory != NULL && memory->size >= size)
    {
      memory->n_smaller = memory->size / 2 > size ? memory->n_smaller + 1 : 0;
      if (memory->n_smaller < MOST_SMALLER)
        return memory;
    }
  g_free (memory);
  memory = g_malloc (sizeof *memory + size);
  memory->size = size;
  memory->n_smaller = 0;
  return memory;
}

static void
give_memory (Memory *take)
{
  if (take->size <= MOST_SPARE)
    take = atomic_exchange (&spare, take);
  g_free (take);
}

SluiceRaster *
sluice_raster_new (guint width, guint height)
{
  SluiceRaster *self = g_new0 (SluiceRaster, 1);
  gsize size = (gsize) MAX (width, 1) * MAX (height, 1);

  self->width = MAX (width, 1);
  self->height = MAX (height, 1);
  self->memory = take_memory ((1 + N_PLANES) * size);
  self->mask = self->memory->bytes;
  for (guint i = 0; i < N_PLANES; i++)
    self->planes[i] = self->mask + (1 + i) * size;
  self->lo = g_new (guint, self->width);
  self->hi = g_new (guint, self->width);
  sluice_raster_clear (self);
  return self;
}

void
sluice_raster_free (SluiceRaster *self)
{
  if (self == NULL)
    return;
  give_memory (self->memory);
  g_free (self->lo);
  g_free (self->hi);
  g_free (self);
}

guint
sluice_raster_get_width (const SluiceRaster *self)
{
  return self->width;
}

guint
sluice_raster_get_height (const SluiceRaster *self)
{
  return self->height;
}

static void
empty_mask_column (SluiceRaster *self, guint x)
{
  if (self->lo[x] < self->hi[x])
    memset (self->mask + (gsize) x * self->height + self->lo[x], 0, self->hi[x] - self->lo[x]);
  self->lo[x] = self->height;
  self->hi[x] = 0;
}

void
sluice_raster_clear (SluiceRaster *self)
{
  g_return_if_fail (self != NULL);

  memset (self->mask, 0, (1 + N_PLANES) * (gsize) self->width * self->height);
  for (guint x = 0; x < self->width; x++)
    {
      self->lo[x] = self->height;
      self->hi[x] = 0;
    }
}

/* The column's mask, with [lo, hi) noted as touched. */
static inline guint8 *
touch (SluiceRaster *self, guint x, guint lo, guint hi)
{
  self->lo[x] = MIN (self->lo[x], lo);
  self->hi[x] = MAX (self->hi[x], hi);
  return self->mask + (gsize) x * self->height;
}

typedef struct
{
  float x, y;   /* one end */
  float ux, uy; /* unit vector to the other, 0 for a point */
  float length;
  float reach; /* half the width and half a pixel: where coverage ends */
  float peak;  /* of a line thinner than a pixel */
} Capsule;

static void
cover_capsule_column (guint8 *restrict mask, const Capsule *c, float dx, guint lo, guint hi)
{
  const Capsule k = *c;
  float along = dx * k.ux;

  for (guint y = lo; y < hi; y++)
    {
      float dy = (float) (int) y + 0.5f - k.y;
      float t = along + dy * k.uy;
      float ex;
      float ey;
      float coverage;
      guint8 v;

      t = t < 0 ? 0 : t;
      t = t > k.length ? k.length : t;
      ex = dx - t * k.ux;
      ey = dy - t * k.uy;
      coverage = k.reach - sqrtf (ex * ex + ey * ey);
      coverage = coverage < 0 ? 0 : coverage;
      coverage = coverage > k.peak ? k.peak : coverage;
      v = (guint8) (int) (coverage * 255 + 0.5f);
      mask[y] = mask[y] > v ? mask[y] : v;
    }
}

/* Cuts a - b to what may be seen in one direction. Returns: FALSE if nothing is left. */
static gboolean
clip (double lo, double hi, double *a, double *b, double *a2, double *b2)
{
  double delta = *b - *a;

  if (MAX (*a, *b) < lo || MIN (*a, *b) > hi)
    return FALSE;
  if (*a < lo || *a > hi)
    {
      double edge = *a < lo ? lo : hi;

      *a2 += (*b2 - *a2) * ((edge - *a) / delta);
      *a = edge;
    }
  delta = *b - *a;
  if (*b < lo || *b > hi)
    {
      double edge = *b < lo ? lo : hi;

      *b2 = *a2 + (*b2 - *a2) * ((edge - *a) / delta);
      *b = edge;
    }
  return TRUE;
}

void
sluice_raster_segment (SluiceRaster *self, double x0, double y0, double x1, double y1, double width)
{
  double reach = width / 2 + 0.5;
  double margin = reach + 2;
  double length;
  int first;
  int last;
  Capsule c;

  if (!isfinite (x0) || !isfinite (y0) || !isfinite (x1) || !isfinite (y1) || !(width > 0))
    return;
  if (!clip (-margin, self->width + margin, &x0, &x1, &y0, &y1)
      || !clip (-margin, self->height + margin, &y0, &y1, &x0, &x1))
    return;
  length = hypot (x1 - x0, y1 - y0);
  c = (Capsule){
    (float) x0, (float) y0, 0, 0, (float) length, (float) reach, (float) MIN (width, 1)
  };
  if (length > 0)
    {
      c.ux = (float) ((x1 - x0) / length);
      c.uy = (float) ((y1 - y0) / length);
    }
  first = MAX (0, (int) floor (MIN (x0, x1) - reach));
  last = MIN ((int) self->width - 1, (int) floor (MAX (x0, x1) + reach));
  for (int x = first; x <= last; x++)
    {
      double a = CLAMP (x + 0.5 - reach, MIN (x0, x1), MAX (x0, x1));
      double b = CLAMP (x + 0.5 + reach, MIN (x0, x1), MAX (x0, x1));
      double slope = x1 != x0 ? (y1 - y0) / (x1 - x0) : 0;
      double ya = x1 != x0 ? y0 + (a - x0) * slope : y0;
      double yb = x1 != x0 ? y0 + (b - x0) * slope : y1;
      int lo = MAX (0, (int) floor (MIN (ya, yb) - reach));
      int hi = MIN ((int) self->height, (int) ceil (MAX (ya, yb) + reach) + 1);

      if (lo < hi)
        cover_capsule_column (touch (self, (guint) x, (guint) lo, (guint) hi), &c,
                              (float) (x + 0.5 - x0), (guint) lo, (guint) hi);
    }
}

static void
raise_rows (guint8 *restrict mask, guint lo, guint hi, guint8 coverage)
{
  for (guint y = lo; y < hi; y++)
    mask[y] = mask[y] > coverage ? mask[y] : coverage;
}

static void
add_rows (guint8 *restrict mask, guint lo, guint hi, guint8 coverage)
{
  for (guint y = lo; y < hi; y++)
    {
      guint16 sum = (guint16) (mask[y] + coverage);

      mask[y] = (guint8) (sum > 255 ? 255 : sum);
    }
}

typedef void (*RowsFunc) (guint8 *mask, guint lo, guint hi, guint8 coverage);

/* Rows y0 to y1 of column @x at @coverage (0 to 255), with partly covered rows at both ends. */
static void
cover_rows (SluiceRaster *self, guint x, double y0, double y1, double coverage, RowsFunc rows)
{
  guint lo;
  guint hi;
  guint8 *mask;

  y0 = MAX (y0, 0);
  y1 = MIN (y1, self->height);
  if (!(y0 < y1))
    return;
  lo = (guint) y0;
  hi = MIN ((guint) ceil (y1), self->height);
  mask = touch (self, x, lo, hi);
  if (hi - lo == 1)
    {
      rows (mask, lo, hi, (guint8) (coverage * (y1 - y0) + 0.5));
      return;
    }
  rows (mask, lo, lo + 1, (guint8) (coverage * (lo + 1 - y0) + 0.5));
  rows (mask, hi - 1, hi, (guint8) (coverage * (y1 - (hi - 1)) + 0.5));
  rows (mask, lo + 1, hi - 1, (guint8) (coverage + 0.5));
}

void
sluice_raster_box (SluiceRaster *self, double x0, double y0, double x1, double y1)
{
  x0 = MAX (x0, 0);
  x1 = MIN (x1, self->width);
  if (!(x0 < x1) || !(y0 < y1))
    return;
  for (guint x = (guint) x0; x < self->width && x < x1; x++)
    {
      double part = MIN (x1, x + 1.0) - MAX (x0, x);

      cover_rows (self, x, y0, y1, 255 * part, raise_rows);
    }
}

void
sluice_raster_trapezoid (SluiceRaster *self,
                         double x0,
                         double top0,
                         double bottom0,
                         double x1,
                         double top1,
                         double bottom1)
{
  const int parts = 4; /* slanted edges are smoothed by so many strips a column */
  double left = MAX (x0, 0);
  double right = MIN (x1, self->width);

  if (!(x0 < x1) || !(left < right) || !isfinite (top0 + top1) || !isfinite (bottom0 + bottom1))
    return;
  for (guint x = (guint) left; x < self->width && x < right; x++)
    {
      double a = MAX (left, x);
      double b = MIN (right, x + 1.0);
      double covered = 0;

      for (int i = 0; i < parts; i++)
        {
          double t = (a + (b - a) * (i + 0.5) / parts - x0) / (x1 - x0);
          /* Strips are whole numbers that add up to the column's coverage exactly. */
          double total = floor (255 * (b - a) * (i + 1) / parts + 0.5);

          cover_rows (self, x, top0 + (top1 - top0) * t, bottom0 + (bottom1 - bottom0) * t,
                      total - covered, add_rows);
          covered = total;
        }
    }
}

void
sluice_raster_disc (SluiceRaster *self, double x, double y, double radius)
{
  sluice_raster_segment (self, x, y, x, y, 2 * radius);
}

static inline guint16
div255 (guint16 v)
{
  v = (guint16) (v + 128);
  return (guint16) ((guint16) (v + (v >> 8)) >> 8);
}

/* source over destination; @part is the colour's premultiplied component, @alpha its opacity. */
static void
blend_rows (guint8 *restrict plane, const guint8 *restrict mask, guint n, guint8 part, guint8 alpha)
{
  for (guint y = 0; y < n; y++)
    {
      guint16 c = mask[y];
      guint16 keep = (guint16) (255 - div255 ((guint16) (alpha * c)));

      plane[y] = (guint8) div255 ((guint16) ((guint16) (part * c) + (guint16) (plane[y] * keep)));
    }
}

SluiceRasterInk
sluice_raster_get_ink (SluiceColor color)
{
  double a = CLAMP (color.a, 0, 1) * 255;
  SluiceRasterInk ink;

  ink.parts[PLANE_A] = (guint8) (a + 0.5);
  ink.parts[PLANE_R] = (guint8) (CLAMP (color.r, 0, 1) * a + 0.5);
  ink.parts[PLANE_G] = (guint8) (CLAMP (color.g, 0, 1) * a + 0.5);
  ink.parts[PLANE_B] = (guint8) (CLAMP (color.b, 0, 1) * a + 0.5);
  return ink;
}

static void
blend_pixel (SluiceRaster *self, gsize at, double coverage, const SluiceRasterInk *ink)
{
  guint8 mask = (guint8) (coverage * 255 + 0.5);

  for (guint i = 0; i < N_PLANES; i++)
    blend_rows (self->planes[i] + at, &mask, 1, ink->parts[i], ink->parts[PLANE_A]);
}

void
sluice_raster_stroke (SluiceRaster *self, guint x, double y0, double y1, SluiceRasterInk ink)
{
  gsize column = (gsize) x * self->height;
  guint lo;
  guint hi;

  if (!(y0 < y1) || y0 >= self->height || y1 <= 0 || x >= self->width)
    return;
  y0 = MAX (y0, 0);
  y1 = MIN (y1, self->height);
  lo = (guint) y0;
  hi = MIN ((guint) ceil (y1), self->height);
  blend_pixel (self, column + lo, MIN (y1, lo + 1.0) - y0, &ink);
  if (hi - lo == 1)
    return;
  blend_pixel (self, column + hi - 1, y1 - (hi - 1), &ink);
  if (ink.parts[PLANE_A] == 255)
    {
      for (guint i = 0; i < N_PLANES; i++)
        memset (self->planes[i] + column + lo + 1, ink.parts[i], hi - lo - 2);
      return;
    }
  for (gsize at = column + lo + 1; at < column + hi - 1; at++)
    blend_pixel (self, at, 1, &ink);
}

void
sluice_raster_paint (SluiceRaster *self, SluiceColor color)
{
  SluiceRasterInk ink;

  g_return_if_fail (self != NULL);

  ink = sluice_raster_get_ink (color);
  for (guint x = 0; x < self->width; x++)
    {
      gsize offset = (gsize) x * self->height + self->lo[x];

      if (self->lo[x] >= self->hi[x])
        continue;
      for (guint i = 0; i < N_PLANES; i++)
        blend_rows (self->planes[i] + offset, self->mask + offset, self->hi[x] - self->lo[x],
                    ink.parts[i], ink.parts[PLANE_A]);
      empty_mask_column (self, x);
    }
}

guint8
sluice_raster_get_coverage (const SluiceRaster *self, guint x, guint y)
{
  g_return_val_if_fail (x < self->width && y < self->height, 0);

  return self->mask[(gsize) x * self->height + y];
}

static void
store_block (const SluiceRaster *self, guint8 *pixels, int stride, guint x0, guint y0, guint edge)
{
  guint x1 = MIN (x0 + edge, self->width);
  guint y1 = MIN (y0 + edge, self->height);

  for (guint y = y0; y < y1; y++)
    {
      guint32 *row = (guint32 *) (pixels + (gsize) stride * y);

      for (guint x = x0; x < x1; x++)
        {
          gsize i = (gsize) x * self->height + y;

          row[x] = (guint32) self->planes[PLANE_A][i] << 24
                   | (guint32) self->planes[PLANE_R][i] << 16
                   | (guint32) self->planes[PLANE_G][i] << 8 | self->planes[PLANE_B][i];
        }
    }
}

void
sluice_raster_to_surface (const SluiceRaster *self, cairo_surface_t *surface)
{
  const guint edge = 32; /* a block of columns and rows that stays in the first cache */

  g_return_if_fail (cairo_image_surface_get_format (surface) == CAIRO_FORMAT_ARGB32);
  g_return_if_fail (cairo_image_surface_get_width (surface) == (int) self->width);
  g_return_if_fail (cairo_image_surface_get_height (surface) == (int) self->height);

  cairo_surface_flush (surface);
  for (guint y = 0; y < self->height; y += edge)
    for (guint x = 0; x < self->width; x += edge)
      store_block (self, cairo_image_surface_get_data (surface),
                   cairo_image_surface_get_stride (surface), x, y, edge);
  cairo_surface_mark_dirty (surface);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/grid.h"

#include <math.h>
#include <stdlib.h>

/* One part in so many of the cells. */
#define MANY_CELLS 4

struct _SluiceGrid
{
  SluiceRect *rects;
  float *extents; /* the larger side of each, rounded up: most are left out by it, from afar */
  guint n;
  SluiceRect bounds;
  double cell; /* side of a cell */
  guint columns, rows;
  guint *start; /* [columns * rows + 1] */
  guint *list;
};

typedef struct
{
  guint x0, y0, x1, y1; /* cells, both ends included */
} Cells;

static guint
clamp_cell (double at, guint n)
{
  return at <= 0 ? 0 : at >= n - 1 ? n - 1 : (guint) at;
}

static Cells
cells_of (const SluiceGrid *self, const SluiceRect *r)
{
  return (Cells){ clamp_cell ((r->x - self->bounds.x) / self->cell, self->columns),
                  clamp_cell ((r->y - self->bounds.y) / self->cell, self->rows),
                  clamp_cell ((r->x + r->width - self->bounds.x) / self->cell, self->columns),
                  clamp_cell ((r->y + r->height - self->bounds.y) / self->cell, self->rows) };
}

SluiceGrid *
sluice_grid_new (const SluiceRect *rects, guint n)
{
  SluiceGrid *self = g_new0 (SluiceGrid, 1);
  self->rects = g_memdup2 (rects, n * sizeof *rects);
  self->extents = g_new (float, n + 1);
  self->n = n;
  for (guint i = 0; i < n; i++)
    {
      self->extents[i] = nextafterf ((float) MAX (rects[i].width, rects[i].height), INFINITY);
      self->bounds = i == 0 ? rects[0] : sluice_rect_union (&self->bounds, &rects[i]);
    }
  /* About as many cells as rectangles, of screen size at least, so that a long edge does not fill
   * thousands. */
  self->cell = MAX (sqrt (self->bounds.width * self->bounds.height / MAX (n, 1)), 256);
  self->columns = 1 + (guint) MIN (self->bounds.width / self->cell, 4096);
  self->rows = 1 + (guint) MIN (self->bounds.height / self->cell, 4096);
  self->cell = MAX (self->cell, MAX (self->bounds.width, self->bounds.height) / 4096);
  self->start = g_new0 (guint, (gsize) self->columns * self->rows + 2);
  for (guint pass = 0; pass < 2; pass++)
    {
      for (guint i = 0; i < n; i++)
        {
          Cells c = cells_of (self, &rects[i]);
          for (guint y = c.y0; y <= c.y1; y++)
            for (guint x = c.x0; x <= c.x1; x++)
              if (pass == 0)
                self->start[y * self->columns + x + 2]++;
              else
                self->list[self->start[y * self->columns + x + 1]++] = i;
        }
      for (guint k = 0; pass == 0 && k < self->columns * self->rows; k++)
        self->start[k + 2] += self->start[k + 1];
      if (pass == 0)
        self->list = g_new (guint, self->start[self->columns * self->rows + 1] + 1);
    }
  return self;
}

void
sluice_grid_free (SluiceGrid *self)
{
  g_free (self->rects);
  g_free (self->extents);
  g_free (self->start);
  g_free (self->list);
  g_free (self);
}

static int
compare_uint (gconstpointer a, gconstpointer b)
{
  guint x = *(const guint *) a, y = *(const guint *) b;
  return (x > y) - (x < y);
}

/* Appends the marked indices in order: by the marks when they are many, else by sorting what was
 * found. */
static void
append_ascending (const SluiceGrid *self, const guint32 *marks, GArray *found, GArray *result)
{
  if (found->len == 0)
    return;
  if (found->len < self->n / 32)
    {
      qsort (found->data, found->len, sizeof (guint), compare_uint);
      g_array_append_vals (result, found->data, found->len);
      return;
    }
  for (guint word = 0; word <= self->n / 32; word++)
    for (guint32 bits = marks[word]; bits != 0; bits &= bits - 1)
      {
        guint index = word * 32 + g_bit_nth_lsf (bits, -1);
        g_array_append_val (result, index);
      }
}

static inline gboolean
is_large (const SluiceGrid *self, guint i, double least)
{
  return (double) self->extents[i] >= least
         && (self->rects[i].width >= least || self->rects[i].height >= least);
}

/* Of most of them, one after the other: in many cells the long ones would be met again and again.
 */
static void
append_touching (const SluiceGrid *self, const SluiceRect *area, double least, GArray *result)
{
  for (guint i = 0; i < self->n; i++)
    if (is_large (self, i, least) && sluice_rect_touches (&self->rects[i], area))
      g_array_append_val (result, i);
}

void
sluice_grid_query (const SluiceGrid *self, const SluiceRect *area, double least, GArray *result)
{
  if (self->n == 0 || !sluice_rect_touches (&self->bounds, area))
    return;
  Cells c = cells_of (self, area);
  if ((guint64) MANY_CELLS * (c.x1 - c.x0 + 1) * (c.y1 - c.y0 + 1)
      >= (guint64) self->columns * self->rows)
    {
      append_touching (self, area, least, result);
      return;
    }
  g_autofree guint32 *marks = g_new0 (guint32, self->n / 32 + 1);
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint y = c.y0; y <= c.y1; y++)
    for (guint x = c.x0; x <= c.x1; x++)
      {
        guint cell = y * self->columns + x;
        for (guint k = self->start[cell]; k < self->start[cell + 1]; k++)
          {
            guint i = self->list[k];
            if ((marks[i / 32] >> i % 32 & 1) || !is_large (self, i, least)
                || !sluice_rect_touches (&self->rects[i], area))
              continue;
            marks[i / 32] |= 1u << i % 32;
            g_array_append_val (found, i);
          }
      }
  append_ascending (self, marks, found, result);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/path.h"

#include <math.h>

#define PIECES 8 /* that a cubic segment is looked at as */

void
sluice_path_line_to (GArray *points, double x, double y)
{
  SluicePoint a = g_array_index (points, SluicePoint, points->len - 1);
  if (fabs (a.x - x) + fabs (a.y - y) < 0.01)
    return;
  sluice_path_add (points, a.x + (x - a.x) / 3, a.y + (y - a.y) / 3);
  sluice_path_add (points, a.x + (x - a.x) * 2 / 3, a.y + (y - a.y) * 2 / 3);
  sluice_path_add (points, x, y);
}

void
sluice_path_curve_to (GArray *points, double x, double y)
{
  SluicePoint a = g_array_index (points, SluicePoint, points->len - 1);
  double middle = (a.y + y) / 2;
  if (fabs (a.x - x) < 0.01 && fabs (a.y - y) < 0.01)
    return;
  sluice_path_add (points, a.x, middle);
  sluice_path_add (points, x, middle);
  sluice_path_add (points, x, y);
}

void
sluice_path_follow (GArray *points, const SluicePoint *via, guint n, double radius)
{
  for (guint i = 1; i + 1 < n; i++)
    {
      double in = hypot (via[i].x - via[i - 1].x, via[i].y - via[i - 1].y);
      double out = hypot (via[i + 1].x - via[i].x, via[i + 1].y - via[i].y);
      double r = MIN (radius, MIN (in, out) / 2);
      if (in < 0.01 || out < 0.01)
        continue;
      SluicePoint a = { via[i].x + (via[i - 1].x - via[i].x) * r / in,
                        via[i].y + (via[i - 1].y - via[i].y) * r / in };
      SluicePoint b = { via[i].x + (via[i + 1].x - via[i].x) * r / out,
                        via[i].y + (via[i + 1].y - via[i].y) * r / out };
      sluice_path_line_to (points, a.x, a.y);
      /* 0.45: a quarter circle as a cubic, measured from the corner. */
      sluice_path_add (points, a.x + (via[i].x - a.x) * 0.55, a.y + (via[i].y - a.y) * 0.55);
      sluice_path_add (points, b.x + (via[i].x - b.x) * 0.55, b.y + (via[i].y - b.y) * 0.55);
      sluice_path_add (points, b.x, b.y);
    }
  sluice_path_line_to (points, via[n - 1].x, via[n - 1].y);
}

static SluicePoint
on_cubic (const SluicePoint *p, double t)
{
  double s = 1 - t, a = s * s * s, b = 3 * s * s * t, c = 3 * s * t * t, d = t * t * t;
  return (SluicePoint){ a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x,
                        a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y };
}

static double
side (SluicePoint a, SluicePoint b, SluicePoint p)
{
  return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

static gboolean
is_straight (const SluicePoint *p)
{
  return fabs (side (p[0], p[3], p[1])) < 0.01 && fabs (side (p[0], p[3], p[2])) < 0.01;
}

GArray *
sluice_path_flatten (const SluicePoint *path, guint n)
{
  guint n_segments = n > 0 ? (n - 1) / 3 : 0;
  GArray *points = g_array_sized_new (FALSE, FALSE, sizeof (SluicePoint), n_segments * PIECES + 1);
  if (n_segments > 0)
    g_array_append_val (points, path[0]);
  for (guint s = 0; s < n_segments; s++)
    for (guint i = is_straight (path + 3 * s) ? PIECES : 1; i <= PIECES; i++)
      {
        SluicePoint p = on_cubic (path + 3 * s, (double) i / PIECES);
        g_array_append_val (points, p);
      }
  return points;
}

gboolean
sluice_lines_cross (const GArray *a, const GArray *b)
{
  const SluicePoint *p = (const SluicePoint *) a->data, *q = (const SluicePoint *) b->data;
  for (guint i = 1; i < a->len; i++)
    for (guint k = 1; k < b->len; k++)
      if (side (p[i - 1], p[i], q[k - 1]) * side (p[i - 1], p[i], q[k]) < 0
          && side (q[k - 1], q[k], p[i - 1]) * side (q[k - 1], q[k], p[i]) < 0)
        return TRUE;
  return FALSE;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/path.h"

#include <math.h>

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

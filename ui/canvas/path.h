/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Paths of cubic segments: a start, then three points each. */
#pragma once

#include "ui/common/geometry.h"

G_BEGIN_DECLS

static inline void
sluice_path_add (GArray *points, double x, double y)
{
  SluicePoint p = { x, y };
  g_array_append_val (points, p);
}

/* A straight segment; nothing where the path is there already. */
void sluice_path_line_to (GArray *points, double x, double y);

/* A segment that leaves and arrives upright; nothing where the path is there already. */
void sluice_path_curve_to (GArray *points, double x, double y);

/* On from where the path is, via[0], in straight lines through @via with round corners. */
void sluice_path_follow (GArray *points, const SluicePoint *via, guint n, double radius);

/* As straight pieces: (transfer full) (element-type SluicePoint). */
GArray *sluice_path_flatten (const SluicePoint *path, guint n);

/* Whether two lines of straight pieces cross; that they touch is not enough. */
gboolean sluice_lines_cross (const GArray *a, const GArray *b);

G_END_DECLS

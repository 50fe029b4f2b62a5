/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Figures of a drawn level: how much there is to see, and how well it can be seen. */
#pragma once

#include "ui/canvas/scene.h"

G_BEGIN_DECLS

typedef struct
{
  guint n_boxes; /* scopes, ops and variables, open scopes included; without what is set aside */
  guint n_aside; /* boxes that are set aside */
  guint n_edges; /* lines that are drawn without a selection, stalks of glyphs left out */
  guint64 n_crossings;  /* pairs of them that cross and do not end at one item */
  double width, height; /* of everything, unzoomed pixels */
  double fit;           /* the zoom, at most 1, at which that fits the given size */
  double smallest_text; /* height of the smallest name at that zoom, pixels; 0: nothing is drawn */
} SluiceSceneFigures;

void sluice_scene_measure (SluiceScene *scene,
                           double view_width,
                           double view_height,
                           SluiceSceneFigures *figures);

G_END_DECLS

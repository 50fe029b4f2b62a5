/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <cairo.h>

#include "engine/trace/trace-view.h"
#include "ui/common/theme.h"

G_BEGIN_DECLS

/* How long the last steps took, a bar each. */
typedef struct
{
  const SluiceTraceStep *steps;
  guint n;
  guint chosen; /* its place; n: none is */
  guint other;  /* that it is compared with, likewise */
  double x0, x1, height;
  const char *words;   /* (nullable): of the one that is chosen */
  const char *heading; /* (nullable): of all, in the room before x0 */
  const char *range;   /* (nullable): under it */
  gboolean mirrored;   /* the first one stands at the right */
} SluiceStepsPicture;

/* @width: of all, in which it is mirrored */
void sluice_steps_draw (const SluiceStepsPicture *self,
                        cairo_t *cr,
                        double width,
                        const SluiceTheme *theme);
/* The place of the one at @x, or of the nearest; n where there is none. */
guint sluice_steps_pick (const SluiceStepsPicture *self, double x);

/* From one to the next, where @n stand from @x0 to @x1. */
double sluice_steps_get_pitch (double x0, double x1, guint n);
/* How long most of them took; 0: there is none. */
gint64 sluice_steps_get_median (const SluiceTraceStep *steps, guint n);

G_END_DECLS

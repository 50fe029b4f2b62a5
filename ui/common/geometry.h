/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Points and rectangles in user units, y down: of a scene or of a card, unzoomed. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  double x, y;
} SluicePoint;

typedef struct
{
  double x, y, width, height;
} SluiceRect;

static inline gboolean
sluice_rect_contains (const SluiceRect *r, double x, double y)
{
  return x >= r->x && y >= r->y && x <= r->x + r->width && y <= r->y + r->height;
}

static inline gboolean
sluice_rect_touches (const SluiceRect *a, const SluiceRect *b)
{
  return a->x <= b->x + b->width && b->x <= a->x + a->width && a->y <= b->y + b->height
         && b->y <= a->y + a->height;
}

static inline SluiceRect
sluice_rect_union (const SluiceRect *a, const SluiceRect *b)
{
  double x = MIN (a->x, b->x), y = MIN (a->y, b->y);
  return (SluiceRect){ x, y, MAX (a->x + a->width, b->x + b->width) - x,
                       MAX (a->y + a->height, b->y + b->height) - y };
}

static inline SluiceRect
sluice_rect_grown (const SluiceRect *r, double by)
{
  return (SluiceRect){ r->x - by, r->y - by, r->width + 2 * by, r->height + 2 * by };
}

static inline SluicePoint
sluice_rect_centre (const SluiceRect *r)
{
  return (SluicePoint){ r->x + r->width / 2, r->y + r->height / 2 };
}

G_END_DECLS

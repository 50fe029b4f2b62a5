/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <cairo.h>

#include "engine/trace/memory-view.h"
#include "ui/common/geometry.h"
#include "ui/common/theme.h"
#include "ui/timeline/time-axis.h"

G_BEGIN_DECLS

#define SLUICE_MEMORY_LEFT 58.0 /* units at the start, for bytes */
#define SLUICE_MEMORY_END  14.0 /* air behind the time */
#define SLUICE_MEMORY_HEAD 30.0 /* over the bands: limit and peak */
#define SLUICE_MEMORY_FOOT 44.0 /* under them: what ran, the time */
/* Of bands under lanes, which tell what ran and when: */
#define SLUICE_MEMORY_SHARED_HEAD 10.0
#define SLUICE_MEMORY_SHARED_FOOT 12.0

/* What is drawn, at the origin. */
typedef struct
{
  const SluiceMemoryView *view;
  const SluiceMemoryLayout *layout; /* of the part of the axis' time that was recorded */
  SluiceTimeAxis axis;
  double width, height;
  double top_bytes;        /* at the top of the plot */
  guint selected, hovered; /* bands; SLUICE_BAND_NONE */
  gboolean is_shared;      /* it stands under lanes; all that the owner has is ringed */
  gint64 zero;             /* of shared: what times are told from */
  gint64 cursor_time;
  double pointer_x, pointer_y; /* where what is hovered is told; negative: nowhere */
  gboolean mirrored;           /* time goes from right to left; all places are as if it did not */
} SluiceMemoryPicture;

/* How many bytes the whole height is: all of the peak, and limit and pool where they are near. */
double sluice_memory_find_top (const SluiceMemoryView *view);
/* The same of bands under lanes: the peak alone. */
double sluice_memory_find_shared_top (const SluiceMemoryView *view);

void sluice_memory_draw (const SluiceMemoryPicture *self, cairo_t *cr, const SluiceTheme *theme);
/* SLUICE_BAND_NONE: nothing is there. */
guint sluice_memory_pick (const SluiceMemoryPicture *self, double x, double y);
/* The column at a place; within the layout. */
guint sluice_memory_get_column (const SluiceMemoryPicture *self, double x);
/* Where a band is seen: its shape's box. FALSE: it is not. */
gboolean sluice_memory_get_box (const SluiceMemoryPicture *self, guint band, SluiceRect *box);

/* By class, with the theme's contrast to the ground. */
SluiceColor sluice_memory_get_color (SluiceMemoryClass memory_class, const SluiceTheme *theme);
/* What lies on the ground for it, and what stands on that can be read. */
SluiceColor sluice_memory_get_fill (SluiceMemoryClass memory_class, const SluiceTheme *theme);
/* "activation", in the user's language. */
const char *sluice_memory_class_words (SluiceMemoryClass memory_class);
/* "conv1/relu", of a gradient of it "conv1/relu ∇"; memory of no node by its class. (transfer full)
 */
char *sluice_memory_dup_name (const SluiceMemoryView *view, SluiceOwner owner);
/* "3.2 MB". (transfer full) */
char *sluice_memory_format_bytes (double bytes);
/* "3.10 ms", as exact as its step asks. (transfer full) */
char *sluice_memory_format_time (const SluiceMemoryView *view, gint64 time);
/* "float 64×28×28×32". (transfer full) (nullable): no tensor's elements */
char *sluice_memory_format_label (const SluiceBlockLabel *label);

/* Where everything lies at a moment: a strip of pieces. */
void sluice_memory_draw_map (const SluiceMemoryView *view,
                             const SluiceMemoryMap *map,
                             guint selected,
                             double width,
                             double height,
                             cairo_t *cr,
                             const SluiceTheme *theme);
/* SLUICE_BAND_NONE: free, or nothing. */
guint sluice_memory_pick_map (const SluiceMemoryMap *map, double width, double x);

G_END_DECLS

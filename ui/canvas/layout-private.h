/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The stages of the layered layout, shared by its files: layout.c (cycles, components, lines),
 * layout-rank.c, layout-order.c, layout-coord.c, layout-lanes.c, layout-fold.c (rows, bands,
 * packing). */
#pragma once

#include "ui/canvas/layout.h"

G_BEGIN_DECLS

/* One component with dummies: nodes [0, n_real) are boxes, the rest stand on long edges. Every edge
 * joins neighbouring ranks. */
typedef struct
{
  guint n;
  guint n_real;
  guint n_ranks;
  guint *rank;                   /* [n] */
  double *left, *right, *height; /* [n] */

  guint n_edges;
  guint *from, *to;               /* [n_edges], rank[to] == rank[from] + 1 */
  double *weight;                 /* [n_edges] */
  guint *out_start, *out;         /* CSR: neighbours in the next rank */
  guint *in_start, *in;           /* CSR: neighbours in the rank before */
  double *out_weight, *in_weight; /* per slot of these */

  guint *rank_start; /* [n_ranks + 1], into order */
  guint *order;      /* [n]: nodes, rank by rank, from left to right */
  guint *pos;        /* [n]: place within the rank */
  double *x;         /* [n]: anchors, set by sluice_layers_place() */
} SluiceLayers;

/* Ranks by longest path, then pulled tight. @order receives a topological order. Edges must be
 * acyclic. */
void sluice_layout_rank (
    guint n, const guint *from, const guint *to, const double *weight, guint n_edges, guint *rank);

SluiceLayers *sluice_layers_new (guint n, guint n_edges);
void sluice_layers_free (SluiceLayers *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceLayers, sluice_layers_free)

/* Fills the CSR arrays and rank_start from rank, from and to. */
void sluice_layers_index (SluiceLayers *self);

/* Orders every rank; returns the crossings left. @cancelled as in sluice_layout_new(). */
guint64 sluice_layers_order (SluiceLayers *self, const gint *cancelled);

/* Sets x, smallest left side at 0; returns the width. */
double sluice_layers_place (SluiceLayers *self, const SluiceLayoutOptions *options);

/* Draws what is placed from there on in to that width, or as near as it gets: what stands at the
 * sides moves, the rest only where it must. Returns the width. */
double sluice_layers_narrow (SluiceLayers *self, const SluiceLayoutOptions *options, double width);
double sluice_layers_get_least_width (const SluiceLayers *self, const SluiceLayoutOptions *options);

/* After that: lines that have an end in common share their lanes. */
void sluice_layers_share_lanes (SluiceLayers *self, const SluiceLayoutOptions *options);

/* ---- layout-fold.c ---- */

/* What fits the view at this zoom is neither folded nor drawn tighter. */
#define SLUICE_LAYOUT_GOOD_FIT 0.72

/* Components that share their rows: with fixed ranks all columns, else a single one. Rows are cut
 * into bands that stand side by side. */
typedef struct
{
  SluiceLayers **columns; /* not owned */
  guint n_columns;
  guint n_rows;
  double *top, *bottom; /* per row, from y */
  guint n_bands;
  guint *band;      /* per row */
  guint *first_row; /* [n_bands + 1] */
  double *shift;    /* [n_bands * n_columns]: of what stands there, from x */
  double width, height;
  double x, y; /* where packing puts it */

  /* Of more than one band; a cut has the number of the band before it. */
  double *corridor; /* per cut: x of its first lane */
  guint *n_lanes;   /* per cut */
  guint **lane;     /* per column and slot of `out`, of lines over cuts */
} SluiceBands;

/* One band. widths: per column. */
void sluice_bands_init (SluiceBands *self,
                        SluiceLayers **columns,
                        guint n_columns,
                        const double *widths,
                        const SluiceLayoutOptions *options);
void sluice_bands_clear (SluiceBands *self);

/* Into as many bands as fit the options' view best. */
void sluice_bands_fold (SluiceBands *self, const SluiceLayoutOptions *options);

static inline double
sluice_bands_shift (const SluiceBands *self, guint column, guint row)
{
  return self->shift[self->band[row] * self->n_columns + column];
}

/* Left side of what stands of a column in a band. */
double sluice_bands_left (const SluiceBands *self, guint column, guint band);

/* Leads the path on from the end of @from's row to the beginning of @to's, which is in the next
 * band. */
void sluice_bands_route_over (const SluiceBands *self,
                              const SluiceLayoutOptions *options,
                              guint column,
                              guint from,
                              guint to,
                              GArray *points);

/* Sets x and y of all, and the size of what they take up. */
void sluice_bands_pack (SluiceBands *strips,
                        guint n,
                        const SluiceLayoutOptions *options,
                        double *width,
                        double *height);

G_END_DECLS

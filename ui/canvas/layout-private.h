/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The stages of the layered layout, shared by its files: layout.c (cycles, components, packing),
 * layout-rank.c, layout-order.c, layout-coord.c. */
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

G_END_DECLS

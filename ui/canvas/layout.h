/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Layered layout in plain C (Sugiyama): cycles broken depth first, longest-path ranks pulled tight,
 * dummies on long edges, order by weighted median and transposition, coordinates by Brandes and
 * Köpf. Deterministic: same input, same output, on any machine and any number of threads. Nothing
 * in it recurses.
 *
 * Flow coordinates: rank 0 at y = 0, y grows along the edges. Who wants data to flow upward negates
 * y. */
#pragma once

#include "ui/common/geometry.h"

G_BEGIN_DECLS

typedef struct
{
  double left;  /* from the anchor, where edges attach, to the left side */
  double right; /* from the anchor to the right side */
  double height;
  guint rank;   /* with fixed ranks: its row */
  guint column; /* with fixed ranks: columns stand side by side and share the rows */
} SluiceLayoutNode;

typedef struct
{
  guint from;
  guint to;
  double weight; /* pull of the edge, 1 = normal; heavier edges are shorter and straighter */
} SluiceLayoutEdge;

/* Weight of an edge that only says what stands before what: nobody looks at its line, which needs
 * no lane. */
#define SLUICE_LAYOUT_UNSEEN 0.01

typedef struct
{
  double node_gap; /* between boxes of one rank */
  double edge_gap; /* between two lines, and a line and a box */
  double rank_gap; /* between ranks */
  gboolean
      fixed; /* ranks and columns are given; edges within a row or across columns are not routed */
  double column_gap;
  guint max_span; /* edges over more ranks are not routed but marked as ports; 0 = route all */
  double view_width, view_height; /* what the drawing is folded and packed to fit; 0: it is not */
  double beside;                  /* width that the caller adds to it */
} SluiceLayoutOptions;

#define SLUICE_LAYOUT_OPTIONS_INIT                                                                 \
  {                                                                                                \
    .node_gap = 24, .edge_gap = 10, .rank_gap = 44, .column_gap = 60, .max_span = 20               \
  }

typedef struct
{
  guint first_point; /* into points: a path of cubic segments: start, then three points each */
  guint n_points;    /* 0 for self edges, ports, and what `fixed` leaves out */
  gboolean reversed; /* against the flow: the path still runs from `from` to `to` */
  gboolean port;     /* longer than max_span */
} SluiceLayoutRoute;

typedef struct
{
  guint n_nodes;
  guint n_edges;
  SluicePoint *anchors; /* per node: x of the anchor, y of the middle */
  guint *ranks;         /* per node, within its component */
  SluiceLayoutRoute *routes;
  GArray *points;       /* SluicePoint */
  double width, height; /* of everything, lines included; the origin is its top left */
  guint64 crossings;    /* between neighbouring ranks, after ordering */
  guint n_dummies;
  guint n_components;   /* with fixed ranks: columns */
  guint n_rows;         /* with fixed ranks only: */
  double *top, *bottom; /* of each row */
  guint *bands;         /* of each row: rows of one band stand below each other */
  double *column_x;     /* left side of each column, by band: [n_bands * n_components] */
} SluiceLayout;

/* Self edges and parallel edges are fine; ends out of range are an error of the caller. @cancelled:
 * atomic flag that ends the work early with NULL, or NULL. */
SluiceLayout *sluice_layout_new (const SluiceLayoutNode *nodes,
                                 guint n_nodes,
                                 const SluiceLayoutEdge *edges,
                                 guint n_edges,
                                 const SluiceLayoutOptions *options,
                                 const gint *cancelled);
void sluice_layout_free (SluiceLayout *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceLayout, sluice_layout_free)

/* The zoom, at most 1, at which a drawing of that size fits the options' view. */
double sluice_layout_fit (const SluiceLayoutOptions *options, double width, double height);

/* How wide a row may get before it is wrapped; 0: any. */
double sluice_layout_get_row_limit (const SluiceLayoutOptions *options);

/* Makes several rows of each that is wider than @limit. column: (nullable): 0 or 1 per node,
 * columns stand side by side; mate: (nullable): per node, one whose row it shares if it has the
 * same rank, or G_MAXUINT. */
void sluice_layout_wrap_rows (guint n,
                              const double *width,
                              const guint *column,
                              const guint *mate,
                              double limit,
                              guint *rank);

/* Ranks alone (per component, from 0), for callers that place things themselves: g_free(). */
guint *sluice_layout_dup_ranks (guint n_nodes, const SluiceLayoutEdge *edges, guint n_edges);

/* Crossings of straight lines between two ranks: @upper and @lower are positions of the ends of
 * edge i. O(n log n). */
guint64 sluice_layout_count_crossings (const guint *upper, const guint *lower, guint n_edges);

G_END_DECLS

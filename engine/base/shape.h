/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

#include "engine/base/visibility.h"

SLUICE_PUBLIC_BEGIN

/* Higher ranks are refused with an error when a shape is made, never truncated. */
#define SLUICE_MAX_RANK     8
#define SLUICE_UNKNOWN_DIM  (-1)
#define SLUICE_UNKNOWN_RANK (-1)

/* A shape, possibly partial: rank -1 is an unknown rank, a dimension of -1 an unknown size. Plain
 * value. */
typedef struct
{
  gint8 rank;
  gint64 dim[SLUICE_MAX_RANK];
} SluiceShape;

#define SLUICE_SHAPE_UNKNOWN ((SluiceShape){ .rank = SLUICE_UNKNOWN_RANK })
#define SLUICE_SHAPE_SCALAR  ((SluiceShape){ .rank = 0 })
/* SLUICE_SHAPE (2, 3): up to SLUICE_MAX_RANK dimensions; at least one. */
#define SLUICE_SHAPE(...)                                                                          \
  ((SluiceShape){ .rank = sizeof ((gint64[]){ __VA_ARGS__ }) / sizeof (gint64),                    \
                  .dim = { __VA_ARGS__ } })

SluiceShape sluice_shape_of_rank (int rank); /* all dimensions unknown */

/**
 * sluice_shape_make:
 * @dims: (array length=rank): sizes, -1 for unknown
 *
 * Returns: %FALSE with INVALID_ARGUMENT where the rank is over SLUICE_MAX_RANK, a dimension is
 * below -1, or the known dimensions multiply to more than G_MAXINT64
 */
gboolean sluice_shape_make (SluiceShape *shape, const gint64 *dims, gsize rank, GError **error);

gboolean sluice_shape_is_known (const SluiceShape *shape); /* rank and all dimensions */
gboolean
sluice_shape_equal (const SluiceShape *a, const SluiceShape *b); /* also as partial shapes */

/* Could a value have both shapes? */
gboolean sluice_shape_compatible (const SluiceShape *a, const SluiceShape *b);

/* The more specific of two compatible shapes; FALSE where they contradict each other. out may
 * alias. */
gboolean sluice_shape_merge (const SluiceShape *a, const SluiceShape *b, SluiceShape *out);

/* Becomes the most specific shape that covers both: what differs is unknown. */
void sluice_shape_widen (SluiceShape *shape, const SluiceShape *other);

/* Elements; -1 where unknown. Zero wins over unknown. G_MAXINT64 where there are more. */
gint64 sluice_shape_n_elements (const SluiceShape *shape);

/* NumPy's broadcasting on partial shapes; FALSE where it is impossible. out may alias. */
gboolean sluice_shape_broadcast (const SluiceShape *a, const SluiceShape *b, SluiceShape *out);

/* "[2,?,3]", "<unknown>", "[]". */
char *sluice_shape_to_string (const SluiceShape *shape);

/* The same into a caller's buffer, for messages: use as sluice_shape_str (&s, (char[128]){ 0 }). */
#define SLUICE_SHAPE_STR 192
const char *sluice_shape_str (const SluiceShape *shape, char buffer[SLUICE_SHAPE_STR]);

SLUICE_PUBLIC_END

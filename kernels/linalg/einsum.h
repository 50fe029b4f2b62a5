/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"

/* The equation of an Einsum. Labels are bytes; "..." stands for what dimensions are left. */
#define SLUICE_EINSUM_LABELS 32

typedef struct
{
  guint8 labels[SLUICE_EINSUM_LABELS];
  int n;        /* labels */
  int ellipsis; /* how many of them stand in front of "..."; -1: there is none */
} SluiceEinsumPart;

typedef struct
{
  guint n_inputs; /* 1 or 2 */
  SluiceEinsumPart inputs[2], output;
} SluiceEinsum;

/* What dimensions run over: a label, or a place in the ellipsis, counted from its right. */
#define SLUICE_EINSUM_INDICES (256 + SLUICE_MAX_RANK)
#define SLUICE_EINSUM_ABSENT  (-2) /* a size */

gboolean sluice_einsum_parse (SluiceEinsum *self, const SluiceNode *node, GError **error);

/* The index that each dimension of a part runs over, where it has so many of them. */
void sluice_einsum_indices (const SluiceEinsumPart *part, int rank, int index[SLUICE_MAX_RANK]);

/* The size of each index, unknown or absent, and the shape of the output. FALSE: they do not fit.
 */
gboolean sluice_einsum_shape (const SluiceEinsum *self,
                              const SluiceShape *const inputs[2],
                              gint64 sizes[SLUICE_EINSUM_INDICES],
                              SluiceShape *out,
                              GError **error);

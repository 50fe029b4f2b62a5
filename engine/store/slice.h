/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/tensor.h"

/*
 * A part of a tensor, as partitioned variables are saved: in each dimension where it begins and how
 * long it is. A length of SLUICE_SLICE_ALL stands for the whole dimension, from 0.
 */
#define SLUICE_SLICE_ALL (-1)
typedef struct
{
  int rank;
  gint64 start[SLUICE_MAX_RANK];
  gint64 length[SLUICE_MAX_RANK];
} SluiceSlice;

/**
 * sluice_slice_parse_spec:
 * @spec: "4 6 0,2:-": the sizes of the whole tensor, then "start,length" or "-" a dimension; or ""
 * @full: (out): shape of the whole tensor; of unknown rank where the spec is empty
 *
 * Returns: %FALSE with INVALID_ARGUMENT, also where the slice lies outside the tensor
 */
gboolean sluice_slice_parse_spec (
    const char *spec, gsize length, SluiceShape *full, SluiceSlice *slice, GError **error);

/* Does the slice fit into a tensor of that shape? */
gboolean sluice_slice_fits (const SluiceSlice *self, const SluiceShape *full);
/* Of a slice that fits. */
SluiceShape sluice_slice_shape (const SluiceSlice *self, const SluiceShape *full);
gboolean sluice_slice_is_whole (const SluiceSlice *self, const SluiceShape *full);
SluiceSlice sluice_slice_whole (int rank);

/**
 * sluice_slice_copy:
 * @from: what slice @from_slice of a tensor of shape @full holds
 * @to: what is to be filled: slice @to_slice of it
 *
 * Copies the elements that both have.
 */
void sluice_slice_copy (const SluiceShape *full,
                        SluiceTensor *to,
                        const SluiceSlice *to_slice,
                        const SluiceTensor *from,
                        const SluiceSlice *from_slice);

/* The key of a slice in a checkpoint's table: name and slice in an encoding that sorts as they do.
 */
GByteArray *sluice_slice_make_key (const char *name, const SluiceSlice *slice);

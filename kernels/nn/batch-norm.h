/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"

/* What a batch normalisation's data_format says; without that attribute the channels are last. */
typedef struct
{
  int rank;
  gboolean channels_first;
} SluiceBatchNormFormat;

static inline SluiceBatchNormFormat
sluice_batch_norm_format (const SluiceNode *node)
{
  SluiceBatchNormFormat format = { 4, FALSE };
  if (sluice_node_get_attr (node, "data_format") == NULL)
    return format;
  gboolean volumes = sluice_node_string_is (node, "data_format", "NDHWC")
                     || sluice_node_string_is (node, "data_format", "NCDHW");
  format.rank = volumes ? 5 : 4;
  format.channels_first = sluice_node_string_is (node, "data_format", "NCHW")
                          || sluice_node_string_is (node, "data_format", "NCDHW");
  return format;
}

static inline int
sluice_batch_norm_channel_dim (const SluiceBatchNormFormat *format)
{
  return format->channels_first ? 1 : format->rank - 1;
}

/* ---- what the loops of CPUs and the kernels of CUDA devices see ---- */

/* A value seen as [outer, lanes, inner]; inner is 1 where the channels are last. Lanes are the
 * channels, or those of several rows side by side: a loop over sixteen channels is too short. */
typedef struct
{
  gint64 outer, lanes, inner;
  gint64 channels, repeat; /* lanes = repeat · channels */
  gint64 rows;             /* of a chunk, of lanes */
  gint64 sum_rows;         /* of a chunk of sums, of channels */
  SluiceDType dtype;       /* float or double */
  const void *x, *dy;
  void *out;
  const double *mean, *inverse;           /* of each channel; inverse: of its deviation */
  double *partial;                        /* a chunk: its sums, each a row of channels */
  const void *center, *k, *shift, *along; /* of each channel, of the dtype */
} SluiceNorm;

typedef enum
{
  SLUICE_NORM_SUM,
  SLUICE_NORM_SQUARES,  /* of what is off the mean */
  SLUICE_NORM_BACKWARD, /* Σ dy, Σ dy (x - mean), Σ dy (x - mean) inverse */
} SluiceNormSums;

static inline int
sluice_norm_n_sums (SluiceNormSums kind)
{
  return kind == SLUICE_NORM_BACKWARD ? 3 : 1;
}

static inline gint64
sluice_norm_n_chunks (const SluiceNorm *norm)
{
  return (norm->outer * norm->repeat + norm->sum_rows - 1) / norm->sum_rows;
}

#ifdef SLUICE_ON_DEVICE
/* As the loops of batch-norm-cpu.c over rows, a chunk of them each, and over elements; all of them
 * at once. */
void sluice_cuda_norm_sums (const SluiceNorm *norm, SluiceNormSums kind);
void sluice_cuda_norm_scale (const SluiceNorm *norm, gboolean backward);
#endif

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

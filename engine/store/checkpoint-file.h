/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/bundle.h"
#include "engine/store/checkpoint.h"

/* A checkpoint of any format that is read here: safetensors, TensorFlow's bundle, or its older one.
 * Tensors in slices come whole. */
typedef struct _SluiceCheckpointFile SluiceCheckpointFile;

/* By its name or by what lies there. */
gboolean sluice_checkpoint_file_exists (const char *path);

/* NOT_FOUND, DATA_LOSS. */
SluiceCheckpointFile *sluice_checkpoint_file_open (const char *path, GError **error);
void sluice_checkpoint_file_free (SluiceCheckpointFile *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceCheckpointFile, sluice_checkpoint_file_free)

/* "safetensors", "TensorFlow bundle (V2), shards: 1" (transfer full) */
char *sluice_checkpoint_file_dup_format (SluiceCheckpointFile *self);

/* In order of names. (transfer none) (element-type SluiceBundleTensor) */
GArray *sluice_checkpoint_file_list (SluiceCheckpointFile *self);

/* NULL: there is none. (transfer none) */
const SluiceBundleTensor *
sluice_checkpoint_file_find (SluiceCheckpointFile *self, const char *name);
/* The name most like one that is not there, or NULL. (transfer none) */
const char *sluice_checkpoint_file_suggest (SluiceCheckpointFile *self, const char *name);

/* (transfer full) */
SluiceTensor *
sluice_checkpoint_file_read (SluiceCheckpointFile *self, const char *name, GError **error);

/**
 * sluice_checkpoint_convert:
 * @to: a name that ends in .safetensors, else the prefix of a bundle
 * @left_out: (nullable) (element-type utf8): takes the names of tensors that @to cannot hold; NULL:
 *   those are an error
 *
 * Writes every tensor anew, whole; what a run adds to its checkpoints stays between safetensors.
 *
 * Returns: FALSE with UNIMPLEMENTED that lists what @to cannot hold, or an error of reading or
 * writing; then nothing is at @to that was not there
 */
gboolean sluice_checkpoint_convert (SluiceCheckpointFile *from,
                                    const char *to,
                                    GPtrArray *left_out,
                                    GError **error);

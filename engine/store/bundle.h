/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/tensor.h"
#include "engine/store/slice.h"

/*
 * TensorFlow's checkpoints. A bundle (V2) is PREFIX.index, a table of where each tensor lies, and
 * PREFIX.data-00000-of-0000N with the bytes. The older format (V1) is one table at PREFIX, or one
 * a shard at PREFIX-00000-of-0000N, with everything. A variable that was partitioned is one tensor
 * in several slices.
 */
typedef struct
{
  char *name;
  SluiceDType dtype; /* INVALID: a type that is not known here */
  SluiceShape shape;
  guint n_slices; /* 0: in one piece */
} SluiceBundleTensor;

typedef struct _SluiceTensorBundle SluiceTensorBundle;

/* Is there a checkpoint of TensorFlow's at that prefix, or is it the name of its index? */
gboolean sluice_tensor_bundle_exists (const char *path);

/**
 * sluice_tensor_bundle_open:
 * @path: the prefix that the checkpoint was saved under; of a bundle its index file will do
 *
 * NOT_FOUND where there is none, DATA_LOSS where the index is damaged.
 */
SluiceTensorBundle *sluice_tensor_bundle_open (const char *path, GError **error);
void sluice_tensor_bundle_free (SluiceTensorBundle *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceTensorBundle, sluice_tensor_bundle_free)
/* "TensorFlow bundle (V2), 2 shards" (transfer full) */
char *sluice_tensor_bundle_dup_format (SluiceTensorBundle *self);

/* All tensors, in order of their names: (transfer full) (element-type SluiceBundleTensor) */
GArray *sluice_tensor_bundle_list (SluiceTensorBundle *self, GError **error);

/* FALSE with NOT_FOUND that lists every name that is missing, and what may have been meant. */
gboolean sluice_tensor_bundle_check_names (SluiceTensorBundle *self,
                                           const char *const *names,
                                           gsize n,
                                           GError **error);

/* Of a tensor that is there; NOT_FOUND with a similar name. */
gboolean sluice_tensor_bundle_find (SluiceTensorBundle *self,
                                    const char *name,
                                    SluiceDType *dtype,
                                    SluiceShape *shape,
                                    GError **error);

/**
 * sluice_tensor_bundle_read:
 * @slice: (nullable): the part that is wanted; NULL: the whole tensor
 *
 * Returns: (transfer full) (nullable): %NULL with NOT_FOUND (no such tensor, with a similar name;
 * no data file), DATA_LOSS (checksum, sizes), OUT_OF_RANGE (data file cut off), INVALID_ARGUMENT
 * (slice outside the tensor)
 */
SluiceTensor *sluice_tensor_bundle_read (SluiceTensorBundle *self,
                                         const char *name,
                                         const SluiceSlice *slice,
                                         GError **error);

/* ---- writing ---- */

typedef struct _SluiceTensorBundleWriter SluiceTensorBundleWriter;

/* A bundle of one shard; it is there whole once finish() says so, or not at all. */
SluiceTensorBundleWriter *sluice_tensor_bundle_writer_new (const char *prefix, GError **error);
/* The same in one V1 file. */
SluiceTensorBundleWriter *sluice_tensor_bundle_writer_new_v1 (const char *path, GError **error);
/**
 * sluice_tensor_bundle_writer_add:
 * @full: (nullable): with @slice: shape of the whole tensor, and which part of it this one is
 */
gboolean sluice_tensor_bundle_writer_add (SluiceTensorBundleWriter *self,
                                          const char *name,
                                          const SluiceTensor *tensor,
                                          const SluiceShape *full,
                                          const SluiceSlice *slice,
                                          GError **error);
/* Frees, also on failure. */
gboolean sluice_tensor_bundle_writer_finish (SluiceTensorBundleWriter *self, GError **error);
void
sluice_tensor_bundle_writer_abort (SluiceTensorBundleWriter *self); /* frees; nothing is left */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceTensorBundleWriter, sluice_tensor_bundle_writer_abort)

/* Makes one bundle of several: the data files are renamed, the indexes merged and deleted.
   allow_missing: prefixes without a bundle are left out. */
gboolean sluice_tensor_bundle_merge (const char *const *prefixes,
                                     guint n,
                                     const char *destination,
                                     gboolean allow_missing,
                                     GError **error);

/* "PREFIX-00003-of-00010" (transfer full) */
char *sluice_shard_name (const char *prefix, gint64 shard, gint64 n_shards);

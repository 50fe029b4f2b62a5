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

typedef struct _SluiceBundle SluiceBundle;

/* Is there a checkpoint of TensorFlow's at that prefix, or is it the name of its index? */
gboolean sluice_bundle_exists (const char *path);

/**
 * sluice_bundle_open:
 * @path: the prefix that the checkpoint was saved under; of a bundle its index file will do
 *
 * NOT_FOUND where there is none, DATA_LOSS where the index is damaged.
 */
SluiceBundle *sluice_bundle_open (const char *path, GError **error);
void sluice_bundle_free (SluiceBundle *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceBundle, sluice_bundle_free)
/* "TensorFlow bundle (V2), 2 shards" (transfer full) */
char *sluice_bundle_dup_format (SluiceBundle *self);

/* All tensors, in order of their names: (transfer full) (element-type SluiceBundleTensor) */
GArray *sluice_bundle_list (SluiceBundle *self, GError **error);

/* FALSE with NOT_FOUND that lists every name that is missing, and what may have been meant. */
gboolean
sluice_bundle_check_names (SluiceBundle *self, const char *const *names, gsize n, GError **error);

/* Of a tensor that is there; NOT_FOUND with a near name. */
gboolean sluice_bundle_find (
    SluiceBundle *self, const char *name, SluiceDType *dtype, SluiceShape *shape, GError **error);

/**
 * sluice_bundle_read:
 * @slice: (nullable): the part that is wanted; NULL: the whole tensor
 *
 * Returns: (transfer full) (nullable): %NULL with NOT_FOUND (no such tensor, with a near name; no
 * data file), DATA_LOSS (checksum, sizes), OUT_OF_RANGE (data file cut off), INVALID_ARGUMENT
 * (slice outside the tensor)
 */
SluiceTensor *
sluice_bundle_read (SluiceBundle *self, const char *name, const SluiceSlice *slice, GError **error);

/* ---- writing ---- */

typedef struct _SluiceBundleWriter SluiceBundleWriter;

/* A bundle of one shard; it is there whole once finish() says so, or not at all. */
SluiceBundleWriter *sluice_bundle_writer_new (const char *prefix, GError **error);
/* The same in one V1 file. */
SluiceBundleWriter *sluice_bundle_writer_new_v1 (const char *path, GError **error);
/**
 * sluice_bundle_writer_add:
 * @full: (nullable): with @slice: shape of the whole tensor, and which part of it this one is
 */
gboolean sluice_bundle_writer_add (SluiceBundleWriter *self,
                                   const char *name,
                                   const SluiceTensor *tensor,
                                   const SluiceShape *full,
                                   const SluiceSlice *slice,
                                   GError **error);
/* Frees, also on failure. */
gboolean sluice_bundle_writer_finish (SluiceBundleWriter *self, GError **error);
void sluice_bundle_writer_abort (SluiceBundleWriter *self); /* frees; nothing is left */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceBundleWriter, sluice_bundle_writer_abort)

/* Makes one bundle of several: the data files are renamed, the indexes merged and deleted.
   allow_missing: prefixes without a bundle are left out. */
gboolean sluice_bundle_merge (const char *const *prefixes,
                              guint n,
                              const char *destination,
                              gboolean allow_missing,
                              GError **error);

/* "PREFIX-00003-of-00010" (transfer full) */
char *sluice_shard_name (const char *prefix, gint64 shard, gint64 n_shards);

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/bundle.h"
#include "engine/store/bundle.pb-c.h"
#include "engine/store/table.h"

/* What an index says of a tensor or of one slice of it. */
typedef struct
{
  SluiceDType dtype;
  SluiceShape shape;
  GArray *slices; /* (nullable): of SluiceSlice; the tensor lies in these, and nothing here */
  guint shard;
  gint64 offset, size;
  guint32 crc32c; /* masked */
} BundleEntry;

void sluice_tensor_bundle_entry_clear (BundleEntry *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (BundleEntry, sluice_tensor_bundle_entry_clear)
gboolean sluice_tensor_bundle_entry_unpack (BundleEntry *self, SluiceSpan value, GError **error);
GByteArray *sluice_tensor_bundle_entry_pack (const BundleEntry *self);

gboolean sluice_tensor_bundle_shape_unpack (const Sluice__Bundle__Shape *proto,
                                            SluiceShape *shape,
                                            GError **error);
gboolean sluice_tensor_bundle_slice_unpack (const Sluice__Bundle__Slice *proto,
                                            SluiceSlice *slice,
                                            GError **error);
/* Messages that borrow from each other, for packing. */
typedef struct
{
  Sluice__Bundle__Dim dims[SLUICE_MAX_RANK];
  Sluice__Bundle__Dim *dim_list[SLUICE_MAX_RANK];
  Sluice__Bundle__Shape shape;
} BundleShapeProto;
Sluice__Bundle__Shape *
sluice_tensor_bundle_shape_pack (const SluiceShape *shape, BundleShapeProto *room);
typedef struct
{
  Sluice__Bundle__Extent extents[SLUICE_MAX_RANK];
  Sluice__Bundle__Extent *extent_list[SLUICE_MAX_RANK];
  Sluice__Bundle__Slice slice;
} BundleSliceProto;
Sluice__Bundle__Slice *
sluice_tensor_bundle_slice_pack (const SluiceSlice *slice, BundleSliceProto *room);
GByteArray *sluice_tensor_bundle_pack (const ProtobufCMessage *message);

/* "PREFIX.index" and "PREFIX.data-00000-of-00001" (transfer full) */
char *sluice_tensor_bundle_index_name (const char *prefix);
char *sluice_tensor_bundle_data_name (const char *prefix, guint shard, guint n_shards);
/* The header's number of shards; FALSE on an index that is none. */
gboolean
sluice_tensor_bundle_read_header (const SluiceTable *table, guint *n_shards, GError **error);
GByteArray *sluice_tensor_bundle_pack_header (guint n_shards);

/* ---- the older format: bundle-v1.c ---- */

typedef struct _BundleV1 BundleV1;
BundleV1 *sluice_tensor_bundle_v1_open (const char *path, GError **error);
void sluice_tensor_bundle_v1_free (BundleV1 *self);
guint sluice_tensor_bundle_v1_get_n_files (const BundleV1 *self);
/* (nullable) (transfer none) */
const BundleEntry *sluice_tensor_bundle_v1_find (const BundleV1 *self, const char *name);
/* Names, unordered: (transfer container) */
GList *sluice_tensor_bundle_v1_list (const BundleV1 *self);
/* The bytes of slice i of an entry, checked for their number; and what they hold. */
gboolean sluice_tensor_bundle_v1_locate (
    const BundleV1 *self, const char *name, guint i, SluiceSpan *data, GError **error);
SluiceTensor *sluice_tensor_bundle_v1_read (SluiceSpan data,
                                            SluiceDType dtype,
                                            const SluiceShape *shape,
                                            GError **error);
/* A SavedTensorSlices with the tensor's elements. (nullable): too large, or a dtype without form */
GByteArray *sluice_tensor_bundle_v1_pack (const char *name,
                                          const SluiceTensor *tensor,
                                          const SluiceSlice *slice,
                                          GError **error);

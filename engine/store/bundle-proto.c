/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The messages in a checkpoint's index. */
#include "engine/base/error.h"
#include "engine/base/protobuf.h"
#include "engine/store/bundle-private.h"

#define VERSION 1 /* of bundles, and of the older format */

static gboolean
damaged (GError **error, const char *what)
{
  return sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "the index is damaged: %s", what);
}

gboolean
sluice_tensor_bundle_shape_unpack (const Sluice__Bundle__Shape *proto,
                                   SluiceShape *shape,
                                   GError **error)
{
  gint64 dims[SLUICE_MAX_RANK] = { 0 };
  gsize rank = proto != NULL ? proto->n_dim : 0;
  for (gsize i = 0; i < MIN (rank, SLUICE_MAX_RANK); i++)
    dims[i] = proto->dim[i]->size;
  if (!sluice_shape_make (shape, dims, rank, error))
    return FALSE;
  if ((proto != NULL && proto->unknown_rank) || !sluice_shape_is_known (shape))
    return damaged (error, "a tensor's shape is not whole");
  return TRUE;
}

gboolean
sluice_tensor_bundle_slice_unpack (const Sluice__Bundle__Slice *proto,
                                   SluiceSlice *slice,
                                   GError **error)
{
  gsize rank = proto != NULL ? proto->n_extent : 0;
  if (rank > SLUICE_MAX_RANK)
    return damaged (error, "a slice has too many dimensions");
  *slice = sluice_slice_whole ((int) rank);
  for (gsize i = 0; i < rank; i++)
    if (proto->extent[i]->has_length_case == SLUICE__BUNDLE__EXTENT__HAS_LENGTH_LENGTH)
      {
        slice->start[i] = proto->extent[i]->start;
        slice->length[i] = proto->extent[i]->length;
      }
  return TRUE;
}

Sluice__Bundle__Shape *
sluice_tensor_bundle_shape_pack (const SluiceShape *shape, BundleShapeProto *room)
{
  sluice__bundle__shape__init (&room->shape);
  room->shape.n_dim = shape->rank;
  room->shape.dim = room->dim_list;
  for (int i = 0; i < shape->rank; i++)
    {
      sluice__bundle__dim__init (&room->dims[i]);
      room->dims[i].size = shape->dim[i];
      room->dim_list[i] = &room->dims[i];
    }
  return &room->shape;
}

Sluice__Bundle__Slice *
sluice_tensor_bundle_slice_pack (const SluiceSlice *slice, BundleSliceProto *room)
{
  sluice__bundle__slice__init (&room->slice);
  room->slice.n_extent = slice->rank;
  room->slice.extent = room->extent_list;
  for (int i = 0; i < slice->rank; i++)
    {
      sluice__bundle__extent__init (&room->extents[i]);
      if (slice->length[i] != SLUICE_SLICE_ALL)
        {
          room->extents[i].start = slice->start[i];
          room->extents[i].has_length_case = SLUICE__BUNDLE__EXTENT__HAS_LENGTH_LENGTH;
          room->extents[i].length = slice->length[i];
        }
      room->extent_list[i] = &room->extents[i];
    }
  return &room->slice;
}

GByteArray *
sluice_tensor_bundle_pack (const ProtobufCMessage *message)
{
  gsize n = protobuf_c_message_get_packed_size (message);
  GByteArray *bytes = g_byte_array_sized_new (n);
  g_byte_array_set_size (bytes, n);
  protobuf_c_message_pack (message, bytes->data);
  return bytes;
}

void
sluice_tensor_bundle_entry_clear (BundleEntry *self)
{
  g_clear_pointer (&self->slices, g_array_unref);
}

static gboolean
unpack_slices (BundleEntry *self, const Sluice__Bundle__Entry *proto, GError **error)
{
  self->slices = g_array_new (FALSE, FALSE, sizeof (SluiceSlice));
  for (gsize i = 0; i < proto->n_slices; i++)
    {
      SluiceSlice slice;
      if (!sluice_tensor_bundle_slice_unpack (proto->slices[i], &slice, error))
        return FALSE;
      if (!sluice_slice_fits (&slice, &self->shape))
        return damaged (error, "a slice lies outside of its tensor");
      g_array_append_val (self->slices, slice);
    }
  return TRUE;
}

static void *
unpack (const ProtobufCMessageDescriptor *descriptor, SluiceSpan value, GError **error)
{
  GError *local = NULL;
  void *message = sluice_protobuf_unpack (descriptor, value.data, value.length, &local);
  if (message == NULL)
    g_propagate_prefixed_error (error, local, "the index: ");
  return message;
}

gboolean
sluice_tensor_bundle_entry_unpack (BundleEntry *self, SluiceSpan value, GError **error)
{
  Sluice__Bundle__Entry *proto = unpack (&sluice__bundle__entry__descriptor, value, error);
  if (proto == NULL)
    return FALSE;
  gboolean known = proto->dtype > SLUICE_INVALID && proto->dtype < SLUICE_N_DTYPES;
  *self = (BundleEntry){ .dtype = known ? (SluiceDType) proto->dtype : SLUICE_INVALID,
                         .shard = proto->shard_id,
                         .offset = proto->offset,
                         .size = proto->size,
                         .crc32c = proto->crc32c };
  gboolean ok = sluice_tensor_bundle_shape_unpack (proto->shape, &self->shape, error)
                && (proto->n_slices == 0 || unpack_slices (self, proto, error));
  if (ok && (proto->offset < 0 || proto->size < 0 || proto->shard_id < 0))
    ok = damaged (error, "an entry has a negative place or size");
  sluice__bundle__entry__free_unpacked (proto, NULL);
  if (!ok)
    sluice_tensor_bundle_entry_clear (self);
  return ok;
}

GByteArray *
sluice_tensor_bundle_entry_pack (const BundleEntry *self)
{
  Sluice__Bundle__Entry proto;
  BundleShapeProto shape;
  guint n = self->slices != NULL ? self->slices->len : 0;
  g_autofree BundleSliceProto *slices = g_new (BundleSliceProto, n);
  g_autofree Sluice__Bundle__Slice **list = g_new (Sluice__Bundle__Slice *, n);
  for (guint i = 0; i < n; i++)
    list[i] =
        sluice_tensor_bundle_slice_pack (&g_array_index (self->slices, SluiceSlice, i), &slices[i]);
  sluice__bundle__entry__init (&proto);
  proto.dtype = self->dtype;
  proto.shape = sluice_tensor_bundle_shape_pack (&self->shape, &shape);
  proto.shard_id = self->shard;
  proto.offset = self->offset;
  proto.size = self->size;
  proto.crc32c = self->crc32c;
  proto.n_slices = n;
  proto.slices = list;
  return sluice_tensor_bundle_pack (&proto.base);
}

gboolean
sluice_tensor_bundle_read_header (const SluiceTable *table, guint *n_shards, GError **error)
{
  SluiceSpan value;
  g_autoptr (GError) local = NULL;
  if (!sluice_table_find (table, (SluiceSpan){ "", 0 }, &value, &local))
    {
      if (local == NULL)
        return damaged (error, "it has no header");
      g_propagate_error (error, g_steal_pointer (&local));
      return FALSE;
    }
  Sluice__Bundle__Header *header = unpack (&sluice__bundle__header__descriptor, value, error);
  if (header == NULL)
    return FALSE;
  int min_consumer = header->version != NULL ? header->version->min_consumer : 0;
  gboolean is_little = header->endianness == 0;
  *n_shards = MAX (header->num_shards, 0);
  sluice__bundle__header__free_unpacked (header, NULL);
  if (!is_little)
    return sluice_fail (error, SLUICE_ERROR_UNIMPLEMENTED,
                        "the bundle was written on a big-endian machine; save it anew on another");
  if (min_consumer > VERSION)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "the bundle asks for version %d of the format, and this is version %d",
                        min_consumer, VERSION);
  return TRUE;
}

GByteArray *
sluice_tensor_bundle_pack_header (guint n_shards)
{
  Sluice__Bundle__Header header;
  Sluice__Bundle__Version version;
  sluice__bundle__header__init (&header);
  sluice__bundle__version__init (&version);
  version.producer = VERSION;
  header.num_shards = n_shards;
  header.version = &version;
  return sluice_tensor_bundle_pack (&header.base);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The older checkpoints: tables of SavedTensorSlices, whose tensors are lists in a TensorProto. */
#include <errno.h>
#include <glob.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/base/protobuf.h"
#include "engine/base/wire.h"
#include "engine/graph/graphdef.h"
#include "engine/graph/tensorproto.h"
#include "engine/store/bundle-private.h"

typedef struct
{
  GMappedFile *file;
  SluiceTable *table;
} TableFile;

typedef struct
{
  BundleEntry entry;
  GArray *files; /* of guint: where each slice is */
} Saved;

struct _BundleV1
{
  GArray *files;       /* of TableFile */
  GHashTable *tensors; /* name to Saved */
};

static gboolean
damaged (GError **error, const char *what)
{
  return sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "the checkpoint is damaged: %s", what);
}

static void
clear_file (gpointer data)
{
  TableFile *file = data;
  g_clear_pointer (&file->table, sluice_table_free);
  g_mapped_file_unref (file->file);
}

static void
saved_free (gpointer data)
{
  Saved *self = data;
  sluice_tensor_bundle_entry_clear (&self->entry);
  g_array_unref (self->files);
  g_free (self);
}

/* Adds the slices that one file has of a tensor. */
static gboolean
add_saved (BundleV1 *self, const Sluice__Bundle__SavedTensor *proto, GError **error)
{
  SluiceShape shape;
  guint file = self->files->len - 1;
  gboolean known = proto->type > SLUICE_INVALID && proto->type < SLUICE_N_DTYPES;
  SluiceDType dtype = known ? (SluiceDType) proto->type : SLUICE_INVALID;
  if (!sluice_tensor_bundle_shape_unpack (proto->shape, &shape, error))
    return FALSE;
  Saved *saved = g_hash_table_lookup (self->tensors, proto->name);
  if (saved == NULL)
    {
      saved = g_new0 (Saved, 1);
      saved->entry.dtype = dtype;
      saved->entry.shape = shape;
      saved->entry.slices = g_array_new (FALSE, FALSE, sizeof (SluiceSlice));
      saved->files = g_array_new (FALSE, FALSE, sizeof (guint));
      g_hash_table_insert (self->tensors, g_strdup (proto->name), saved);
    }
  if (saved->entry.dtype != dtype || !sluice_shape_equal (&saved->entry.shape, &shape))
    return damaged (error, "two shards disagree on the dtype or shape of a tensor");
  for (gsize i = 0; i < proto->n_slice; i++)
    {
      SluiceSlice slice;
      if (!sluice_tensor_bundle_slice_unpack (proto->slice[i], &slice, error))
        return FALSE;
      if (!sluice_slice_fits (&slice, &shape))
        return damaged (error, "a slice lies outside of its tensor");
      g_array_append_val (saved->entry.slices, slice);
      g_array_append_val (saved->files, file);
    }
  return TRUE;
}

static gboolean
read_meta (BundleV1 *self, const SluiceTable *table, GError **error)
{
  SluiceSpan value;
  g_autoptr (GError) local = NULL;
  Sluice__Bundle__SavedTensorSlices *proto = NULL;
  if (sluice_table_find (table, (SluiceSpan){ "", 0 }, &value, &local))
    proto = sluice_protobuf_unpack (&sluice__bundle__saved_tensor_slices__descriptor, value.data,
                                    value.length, &local);
  if (local != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&local));
      return FALSE;
    }
  gboolean ok = proto != NULL && proto->meta != NULL;
  if (!ok)
    damaged (error, "it has no list of its tensors");
  for (gsize i = 0; ok && i < proto->meta->n_tensor; i++)
    ok = add_saved (self, proto->meta->tensor[i], error);
  if (proto != NULL)
    sluice__bundle__saved_tensor_slices__free_unpacked (proto, NULL);
  return ok;
}

static gboolean
open_file (BundleV1 *self, const char *path, GError **error)
{
  TableFile file = { sluice_file_map ("checkpoint", path, error) };
  if (file.file == NULL)
    return FALSE;
  file.table = sluice_table_open (g_mapped_file_get_contents (file.file),
                                  g_mapped_file_get_length (file.file), error);
  g_array_append_val (self->files, file);
  if (file.table != NULL && read_meta (self, file.table, error))
    return TRUE;
  g_prefix_error (error, "checkpoint '%s': ", path);
  return FALSE;
}

/* The files that a path stands for: itself, a pattern, or the shards of a prefix. */
static gboolean
find_files (const char *path, glob_t *found, GError **error)
{
  g_autofree char *shards = g_strconcat (path, "-[0-9]*-of-[0-9]*", NULL);
  int result = glob (path, 0, NULL, found);
  if (result == GLOB_NOMATCH)
    {
      globfree (found);
      result = glob (shards, 0, NULL, found);
    }
  if (result == 0)
    return TRUE;
  if (result == GLOB_NOMATCH)
    return sluice_fail (error, SLUICE_ERROR_NOT_FOUND,
                        "there is no checkpoint '%s': neither '%s.index' nor that file itself",
                        path, path);
  return sluice_fail (error, SLUICE_ERROR_UNAVAILABLE, "'%s' cannot be looked for", path);
}

BundleV1 *
sluice_tensor_bundle_v1_open (const char *path, GError **error)
{
  BundleV1 *self = g_new0 (BundleV1, 1);
  self->files = g_array_new (FALSE, FALSE, sizeof (TableFile));
  g_array_set_clear_func (self->files, clear_file);
  self->tensors = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, saved_free);
  glob_t found = { 0 };
  gboolean ok = TRUE;
  if (g_file_test (path, G_FILE_TEST_EXISTS)) /* as it stands, though it may look like a pattern */
    ok = open_file (self, path, error);
  else
    {
      ok = find_files (path, &found, error);
      for (gsize i = 0; ok && i < found.gl_pathc; i++)
        ok = open_file (self, found.gl_pathv[i], error);
      globfree (&found);
    }
  if (!ok)
    g_clear_pointer (&self, sluice_tensor_bundle_v1_free);
  return self;
}

void
sluice_tensor_bundle_v1_free (BundleV1 *self)
{
  g_hash_table_unref (self->tensors);
  g_array_unref (self->files);
  g_free (self);
}

guint
sluice_tensor_bundle_v1_get_n_files (const BundleV1 *self)
{
  return self->files->len;
}

const BundleEntry *
sluice_tensor_bundle_v1_find (const BundleV1 *self, const char *name)
{
  const Saved *saved = g_hash_table_lookup (self->tensors, name);
  return saved != NULL ? &saved->entry : NULL;
}

GList *
sluice_tensor_bundle_v1_list (const BundleV1 *self)
{
  return g_hash_table_get_keys (self->tensors);
}

/* ---- elements ---- */

/* How a dtype's elements stand in a TensorProto: the field's number, and the bytes of one; 0: as
 * varints. */
typedef struct
{
  guint field;
  guint width;
} Form;

static Form
form_of (SluiceDType dtype)
{
  switch (dtype)
    {
    case SLUICE_FLOAT:
      return (Form){ 5, 4 };
    case SLUICE_DOUBLE:
      return (Form){ 6, 8 };
    case SLUICE_STRING:
      return (Form){ 8, 0 };
    case SLUICE_COMPLEX64:
      return (Form){ 9, 8 };
    case SLUICE_INT64:
      return (Form){ 10, 0 };
    case SLUICE_BOOL:
      return (Form){ 11, 0 };
    case SLUICE_COMPLEX128:
      return (Form){ 12, 16 };
    case SLUICE_HALF:
    case SLUICE_BFLOAT16:
      return (Form){ 13, 0 };
    case SLUICE_UINT32:
      return (Form){ 16, 0 };
    case SLUICE_UINT64:
      return (Form){ 17, 0 };
    default:
      return (Form){ 7, 0 };
    }
}

/* An element of an integer type as the number that its varint holds: signed ones sign-extended. */
static guint64
get_integer (const SluiceTensor *tensor, gint64 i)
{
  gboolean is_signed = sluice_dtype_in (tensor->dtype, SLUICE_SET_SIGNED | SLUICE_SET (SLUICE_QINT8)
                                                           | SLUICE_SET (SLUICE_QINT16)
                                                           | SLUICE_SET (SLUICE_QINT32));
  switch (sluice_dtype_size (tensor->dtype))
    {
    case 1:
      return is_signed ? (guint64) ((const gint8 *) tensor->data)[i]
                       : ((const guint8 *) tensor->data)[i];
    case 2:
      return is_signed ? (guint64) ((const gint16 *) tensor->data)[i]
                       : ((const guint16 *) tensor->data)[i];
    case 4:
      return is_signed ? (guint64) ((const gint32 *) tensor->data)[i]
                       : ((const guint32 *) tensor->data)[i];
    default:
      return ((const guint64 *) tensor->data)[i];
    }
}

static GByteArray *
pack_elements (const SluiceTensor *tensor)
{
  Form form = form_of (tensor->dtype);
  GByteArray *out = g_byte_array_new ();
  if (tensor->dtype == SLUICE_STRING)
    for (gint64 i = 0; i < tensor->n_elements; i++)
      {
        const SluiceString *s = (const SluiceString *) tensor->data + i;
        sluice_wire_put_bytes (out, form.field, s->data, s->length);
      }
  else if (form.width > 0 && tensor->n_elements > 0)
    sluice_wire_put_bytes (out, form.field, tensor->data, sluice_tensor_bytes (tensor));
  else if (tensor->n_elements > 0)
    {
      g_autoptr (GByteArray) numbers = g_byte_array_new ();
      for (gint64 i = 0; i < tensor->n_elements; i++)
        sluice_wire_put_varint (numbers, get_integer (tensor, i));
      sluice_wire_put_bytes (out, form.field, numbers->data, numbers->len);
    }
  return out;
}

GByteArray *
sluice_tensor_bundle_v1_pack (const char *name,
                              const SluiceTensor *tensor,
                              const SluiceSlice *slice,
                              GError **error)
{
  /* protobuf's limit is 2 GiB; a varint takes up to 10 bytes. */
  guint64 most = 16 * (guint64) tensor->n_elements;
  for (gint64 i = 0; tensor->dtype == SLUICE_STRING && i < tensor->n_elements; i++)
    most += ((const SluiceString *) tensor->data)[i].length;
  if (most > G_MAXINT32)
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                   "tensor '%s' is too large for the old format of checkpoints; save it with "
                   "SaveV2, or in slices",
                   name);
      return NULL;
    }
  g_autoptr (GByteArray) elements = pack_elements (tensor);
  BundleSliceProto room;
  Sluice__Bundle__SavedSlice data;
  Sluice__Bundle__SavedTensorSlices proto;
  sluice__bundle__saved_slice__init (&data);
  sluice__bundle__saved_tensor_slices__init (&proto);
  data.name = (char *) name;
  data.slice = sluice_tensor_bundle_slice_pack (slice, &room);
  data.data = (ProtobufCBinaryData){ elements->len, elements->data };
  proto.data = &data;
  return sluice_tensor_bundle_pack (&proto.base);
}

/* How many elements the fields of that number hold; -1 on nonsense. */
static gint64
count_elements (SluiceSpan data, Form form)
{
  const guint8 *at = (const guint8 *) data.data, *end = at + data.length;
  SluiceWireField field;
  gint64 n = 0;
  while (at < end)
    {
      if (!sluice_wire_next (&at, end, &field) || field.wire_type != SLUICE_WIRE_BYTES)
        return -1;
      if (field.number != form.field)
        continue;
      if (form.field == 8)
        n++;
      else if (form.width > 0)
        n += field.length / form.width;
      else
        for (gsize i = 0; i < field.length; i++)
          n += (field.data[i] & 0x80) == 0; /* the last byte of a varint */
    }
  return n;
}

/* Narrows a message to the payload of its last field of that number, empty where it has none. */
static gboolean
get_field (SluiceSpan *message, guint number)
{
  const guint8 *at = (const guint8 *) message->data, *end = at + message->length;
  SluiceWireField field;
  *message = (SluiceSpan){ "", 0 };
  while (at < end)
    {
      if (!sluice_wire_next (&at, end, &field) || field.wire_type != SLUICE_WIRE_BYTES)
        return FALSE;
      if (field.number == number)
        *message = (SluiceSpan){ (const char *) field.data, field.length };
    }
  return TRUE;
}

gboolean
sluice_tensor_bundle_v1_locate (
    const BundleV1 *self, const char *name, guint i, SluiceSpan *data, GError **error)
{
  const Saved *saved = g_hash_table_lookup (self->tensors, name);
  const SluiceSlice *slice = &g_array_index (saved->entry.slices, SluiceSlice, i);
  const TableFile *file =
      &g_array_index (self->files, TableFile, g_array_index (saved->files, guint, i));
  g_autoptr (GByteArray) key = sluice_slice_make_key (name, slice);
  g_autoptr (GError) local = NULL;
  SluiceSpan value;
  if (!sluice_table_find (file->table, (SluiceSpan){ (const char *) key->data, key->len }, &value,
                          &local))
    {
      if (local == NULL)
        return damaged (error, "a slice that it should have is missing");
      g_propagate_error (error, g_steal_pointer (&local));
      return FALSE;
    }
  /* SavedTensorSlices.data, SavedSlice.data: used where it lies in the file */
  if (!get_field (&value, 2) || !get_field (&value, 3))
    return damaged (error, "a slice is malformed");
  *data = value;
  SluiceShape shape = sluice_slice_shape (slice, &saved->entry.shape);
  if (count_elements (value, form_of (saved->entry.dtype)) != sluice_shape_n_elements (&shape))
    return damaged (error, "a slice has another number of elements than its shape");
  return TRUE;
}

SluiceTensor *
sluice_tensor_bundle_v1_read (SluiceSpan data,
                              SluiceDType dtype,
                              const SluiceShape *shape,
                              GError **error)
{
  /* Only the fields of the elements are stored: dtype and shape go in front. */
  BundleShapeProto room;
  g_autoptr (GByteArray) dims =
      sluice_tensor_bundle_pack (&sluice_tensor_bundle_shape_pack (shape, &room)->base);
  g_autoptr (GByteArray) proto = g_byte_array_new ();
  sluice_wire_put_number (proto, 1, dtype);
  sluice_wire_put_bytes (proto, 2, dims->data, dims->len);
  g_byte_array_append (proto, (const guint8 *) data.data, data.length);
  return sluice_tensor_from_proto (proto->data, proto->len, error);
}

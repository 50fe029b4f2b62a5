/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/error.h"
#include "engine/base/wire.h"
#include "engine/store/bundle-private.h"
#include "engine/store/crc32c.h"

/* What goes into the table: a value, or an entry that may still get slices. */
typedef struct
{
  SluiceSpan key; /* owned */
  BundleEntry entry;
  GByteArray *value; /* (nullable): of the older format */
  char *name;        /* (nullable): of the older format's list of tensors, in the order they came */
  guint order;
} Item;

struct _SluiceTensorBundleWriter
{
  char *prefix;
  gboolean is_v1;
  SluiceFileWriter *data; /* of a bundle */
  GHashTable *items;      /* Item, its own key */
};

static guint
item_hash (gconstpointer key)
{
  const Item *item = key;
  guint hash = 5381;
  for (gsize i = 0; i < item->key.length; i++)
    hash = hash * 33 + (guint8) item->key.data[i];
  return hash;
}

static gboolean
item_equal (gconstpointer a, gconstpointer b)
{
  return sluice_span_compare (((const Item *) a)->key, ((const Item *) b)->key) == 0;
}

static void
item_free (gpointer data)
{
  Item *item = data;
  sluice_tensor_bundle_entry_clear (&item->entry);
  g_clear_pointer (&item->value, g_byte_array_unref);
  g_free ((char *) item->key.data);
  g_free (item->name);
  g_free (item);
}

static GHashTable *
items_new (void)
{
  return g_hash_table_new_full (item_hash, item_equal, item_free, NULL);
}

static Item *
find_item (GHashTable *items, SluiceSpan key)
{
  Item probe = { key };
  return g_hash_table_lookup (items, &probe);
}

static Item *
add_item (GHashTable *items, SluiceSpan key)
{
  Item *item = g_new0 (Item, 1);
  char *copy = g_malloc (key.length + 1);
  memcpy (copy, key.data, key.length);
  item->key = (SluiceSpan){ copy, key.length };
  g_hash_table_add (items, item);
  return item;
}

static gint
by_key (gconstpointer a, gconstpointer b)
{
  return sluice_span_compare ((*(Item *const *) a)->key, (*(Item *const *) b)->key);
}

/* The table with a header under the empty key, and the items in order. */
static gboolean
write_table (const char *path, GHashTable *items, GByteArray *header, GError **error)
{
  SluiceFileWriter *file = sluice_file_writer_new ("checkpoint", path, error);
  if (file == NULL)
    return FALSE;
  g_autoptr (GPtrArray) sorted = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer key;
  g_hash_table_iter_init (&iter, items);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    g_ptr_array_add (sorted, key);
  g_ptr_array_sort (sorted, by_key);
  SluiceTableWriter *table = sluice_table_writer_new (file);
  sluice_table_writer_add (table, (SluiceSpan){ "", 0 },
                           (SluiceSpan){ (const char *) header->data, header->len });
  for (guint i = 0; i < sorted->len; i++)
    {
      const Item *item = sorted->pdata[i];
      g_autoptr (GByteArray) value = item->value != NULL
                                         ? g_byte_array_ref (item->value)
                                         : sluice_tensor_bundle_entry_pack (&item->entry);
      sluice_table_writer_add (table, item->key,
                               (SluiceSpan){ (const char *) value->data, value->len });
    }
  sluice_table_writer_finish (table);
  return sluice_file_writer_finish (file, error);
}

/* ---- one bundle ---- */

SluiceTensorBundleWriter *
sluice_tensor_bundle_writer_new (const char *prefix, GError **error)
{
  g_autofree char *name = sluice_tensor_bundle_data_name (prefix, 0, 1);
  SluiceFileWriter *data = sluice_file_make_folder (prefix, error)
                               ? sluice_file_writer_new ("checkpoint", name, error)
                               : NULL;
  if (data == NULL)
    return NULL;
  SluiceTensorBundleWriter *self = g_new0 (SluiceTensorBundleWriter, 1);
  self->prefix = g_strdup (prefix);
  self->data = data;
  self->items = items_new ();
  return self;
}

SluiceTensorBundleWriter *
sluice_tensor_bundle_writer_new_v1 (const char *path, GError **error)
{
  SluiceTensorBundleWriter *self = g_new0 (SluiceTensorBundleWriter, 1);
  self->prefix = g_strdup (path);
  self->is_v1 = TRUE;
  self->items = items_new ();
  return self;
}

void
sluice_tensor_bundle_writer_abort (SluiceTensorBundleWriter *self)
{
  g_clear_pointer (&self->data, sluice_file_writer_abort);
  g_hash_table_unref (self->items);
  g_free (self->prefix);
  g_free (self);
}

/* bundle.c's unpack_strings() says how strings lie. */
static guint32
put_strings (SluiceFileWriter *file, const SluiceTensor *tensor)
{
  const SluiceString *strings = tensor->data;
  g_autoptr (GByteArray) lengths = g_byte_array_new ();
  guint32 crc = 0;
  for (gint64 i = 0; i < tensor->n_elements; i++)
    {
      guint32 short_length = GUINT32_TO_LE ((guint32) strings[i].length);
      guint64 long_length = GUINT64_TO_LE ((guint64) strings[i].length);
      sluice_wire_put_varint (lengths, strings[i].length);
      crc = strings[i].length <= G_MAXUINT32
                ? sluice_crc32c (crc, &short_length, sizeof short_length)
                : sluice_crc32c (crc, &long_length, sizeof long_length);
    }
  guint32 stored = GUINT32_TO_LE (sluice_crc32c_mask (crc));
  crc = sluice_crc32c (crc, &stored, sizeof stored);
  sluice_file_writer_put (file, lengths->data, lengths->len);
  sluice_file_writer_put (file, &stored, sizeof stored);
  for (gint64 i = 0; i < tensor->n_elements; i++)
    {
      crc = sluice_crc32c (crc, strings[i].data, strings[i].length);
      sluice_file_writer_put (file, strings[i].data, strings[i].length);
    }
  return crc;
}

static void
put_tensor (SluiceTensorBundleWriter *self, Item *item, const SluiceTensor *tensor)
{
  guint32 crc;
  item->entry.dtype = tensor->dtype;
  item->entry.shape = tensor->shape;
  item->entry.offset = sluice_file_writer_get_position (self->data);
  if (tensor->dtype == SLUICE_STRING)
    crc = put_strings (self->data, tensor);
  else
    crc = sluice_file_writer_put_summed (self->data, tensor->data, sluice_tensor_bytes (tensor));
  item->entry.size = sluice_file_writer_get_position (self->data) - item->entry.offset;
  item->entry.crc32c = sluice_crc32c_mask (crc);
}

static gboolean
fail_twice (const char *name, GError **error)
{
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                      "tensor '%s' (or one slice of it) would stand in the checkpoint twice", name);
}

/* The entry of the whole tensor that slices are added to. NULL: error is set. */
static Item *
whole_item (SluiceTensorBundleWriter *self,
            const char *name,
            SluiceDType dtype,
            const SluiceShape *full,
            GError **error)
{
  SluiceSpan key = { name, strlen (name) };
  Item *whole = find_item (self->items, key);
  if (whole == NULL)
    {
      whole = add_item (self->items, key);
      whole->name = g_strdup (name);
      whole->order = g_hash_table_size (self->items);
      whole->entry.dtype = dtype;
      whole->entry.shape = *full;
      whole->entry.slices = g_array_new (FALSE, FALSE, sizeof (SluiceSlice));
      return whole;
    }
  if (whole->entry.slices != NULL && whole->entry.dtype == dtype
      && sluice_shape_equal (&whole->entry.shape, full))
    return whole;
  sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
               "the slices of tensor '%s' do not agree on its dtype or shape", name);
  return NULL;
}

static gboolean
add_v1 (SluiceTensorBundleWriter *self,
        const char *name,
        const SluiceTensor *tensor,
        const SluiceShape *full,
        const SluiceSlice *slice,
        GError **error)
{
  g_autoptr (GByteArray) key = sluice_slice_make_key (name, slice);
  SluiceSpan span = { (const char *) key->data, key->len };
  if (find_item (self->items, span) != NULL)
    return fail_twice (name, error);
  GByteArray *value = sluice_tensor_bundle_v1_pack (name, tensor, slice, error);
  Item *whole = value != NULL ? whole_item (self, name, tensor->dtype, full, error) : NULL;
  if (whole == NULL)
    {
      g_clear_pointer (&value, g_byte_array_unref);
      return FALSE;
    }
  add_item (self->items, span)->value = value;
  g_array_append_val (whole->entry.slices, *slice);
  return TRUE;
}

static gboolean
add_v2 (SluiceTensorBundleWriter *self,
        const char *name,
        const SluiceTensor *tensor,
        const SluiceShape *full,
        const SluiceSlice *slice,
        GError **error)
{
  SluiceSpan span = { name, strlen (name) };
  g_autoptr (GByteArray) key = NULL;
  Item *whole = NULL;
  if (!sluice_slice_is_whole (slice, full))
    {
      key = sluice_slice_make_key (name, slice);
      span = (SluiceSpan){ (const char *) key->data, key->len };
      whole = whole_item (self, name, tensor->dtype, full, error);
      if (whole == NULL)
        return FALSE;
    }
  if (find_item (self->items, span) != NULL)
    return fail_twice (name, error);
  put_tensor (self, add_item (self->items, span), tensor);
  if (whole != NULL)
    g_array_append_val (whole->entry.slices, *slice);
  return TRUE;
}

gboolean
sluice_tensor_bundle_writer_add (SluiceTensorBundleWriter *self,
                                 const char *name,
                                 const SluiceTensor *tensor,
                                 const SluiceShape *full,
                                 const SluiceSlice *slice,
                                 GError **error)
{
  SluiceSlice whole = sluice_slice_whole (tensor->shape.rank);
  if (slice == NULL)
    {
      full = &tensor->shape;
      slice = &whole;
    }
  if (!sluice_dtype_in (tensor->dtype, SLUICE_SET_POD | SLUICE_SET (SLUICE_STRING)))
    return sluice_fail (error, SLUICE_ERROR_UNIMPLEMENTED,
                        "tensor '%s' is of %s, which a checkpoint cannot hold", name,
                        sluice_dtype_name (tensor->dtype));
  if (*name == 0)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "a tensor without a name cannot stand in a checkpoint");
  SluiceShape shape = *full;
  gboolean fits = sluice_slice_fits (slice, full);
  if (fits)
    shape = sluice_slice_shape (slice, full);
  if (!fits || !sluice_shape_equal (&shape, &tensor->shape))
    {
      char got[SLUICE_SHAPE_STR], want[SLUICE_SHAPE_STR];
      return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                          "tensor '%s' has shape %s, but its slice has shape %s", name,
                          sluice_shape_str (&tensor->shape, got), sluice_shape_str (&shape, want));
    }
  return self->is_v1 ? add_v1 (self, name, tensor, full, slice, error)
                     : add_v2 (self, name, tensor, full, slice, error);
}

static gint
by_order (gconstpointer a, gconstpointer b)
{
  return (gint) (*(Item *const *) a)->order - (gint) (*(Item *const *) b)->order;
}

/* The list of tensors, and of their slices, which stands under the empty key. */
static GByteArray *
pack_meta (GPtrArray *wholes)
{
  Sluice__Bundle__SavedTensorSlices proto;
  Sluice__Bundle__SavedMeta meta;
  Sluice__Bundle__Version version;
  sluice__bundle__saved_tensor_slices__init (&proto);
  sluice__bundle__saved_meta__init (&meta);
  sluice__bundle__version__init (&version);
  version.producer = 1;
  proto.meta = &meta;
  meta.versions = &version;
  meta.n_tensor = wholes->len;
  g_autofree Sluice__Bundle__SavedTensor *tensors =
      g_new (Sluice__Bundle__SavedTensor, wholes->len);
  g_autofree Sluice__Bundle__SavedTensor **list =
      g_new (Sluice__Bundle__SavedTensor *, wholes->len);
  g_autofree BundleShapeProto *shapes = g_new (BundleShapeProto, wholes->len);
  g_autoptr (GPtrArray) rooms = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < wholes->len; i++)
    {
      const Item *item = wholes->pdata[i];
      guint n = item->entry.slices->len;
      BundleSliceProto *slices = g_new (BundleSliceProto, n);
      Sluice__Bundle__Slice **slice_list = g_new (Sluice__Bundle__Slice *, n);
      g_ptr_array_add (rooms, slices);
      g_ptr_array_add (rooms, slice_list);
      for (guint k = 0; k < n; k++)
        slice_list[k] = sluice_tensor_bundle_slice_pack (
            &g_array_index (item->entry.slices, SluiceSlice, k), &slices[k]);
      sluice__bundle__saved_tensor__init (&tensors[i]);
      tensors[i].name = item->name;
      tensors[i].type = item->entry.dtype;
      tensors[i].shape = sluice_tensor_bundle_shape_pack (&item->entry.shape, &shapes[i]);
      tensors[i].n_slice = n;
      tensors[i].slice = slice_list;
      list[i] = &tensors[i];
    }
  meta.tensor = list;
  return sluice_tensor_bundle_pack (&proto.base);
}

static gboolean
finish_v1 (SluiceTensorBundleWriter *self, GError **error)
{
  g_autoptr (GPtrArray) wholes = g_ptr_array_new_with_free_func (item_free);
  GHashTableIter iter;
  gpointer key;
  g_hash_table_iter_init (&iter, self->items);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    if (((Item *) key)->name != NULL)
      {
        g_hash_table_iter_steal (&iter);
        g_ptr_array_add (wholes, key);
      }
  g_ptr_array_sort (wholes, by_order);
  g_autoptr (GByteArray) meta = pack_meta (wholes);
  return write_table (self->prefix, self->items, meta, error);
}

static gboolean
finish_v2 (SluiceTensorBundleWriter *self, GError **error)
{
  g_autofree char *index = sluice_tensor_bundle_index_name (self->prefix);
  g_autoptr (GByteArray) header = sluice_tensor_bundle_pack_header (1);
  return sluice_file_writer_finish (g_steal_pointer (&self->data), error)
         && write_table (index, self->items, header, error);
}

gboolean
sluice_tensor_bundle_writer_finish (SluiceTensorBundleWriter *self, GError **error)
{
  gboolean ok = self->is_v1 ? finish_v1 (self, error) : finish_v2 (self, error);
  sluice_tensor_bundle_writer_abort (self);
  return ok;
}

/* ---- several into one ---- */

typedef struct
{
  GHashTable *items;
  GPtrArray *data_files; /* the present names, in the order of their numbers to come */
  const char *prefix;    /* of the bundle that is being added */
  guint n_shards;        /* of it */
} Merge;

/* The number that a shard of the present bundle will have. */
static guint
shard_to_be (Merge *merge, guint shard)
{
  g_autofree char *name = sluice_tensor_bundle_data_name (merge->prefix, shard, merge->n_shards);
  guint known;
  if (g_ptr_array_find_with_equal_func (merge->data_files, name, g_str_equal, &known))
    return known;
  g_ptr_array_add (merge->data_files, g_steal_pointer (&name));
  return merge->data_files->len - 1;
}

static gboolean
merge_entry (SluiceSpan key, SluiceSpan value, gpointer data, GError **error)
{
  Merge *merge = data;
  g_auto (BundleEntry) entry = { 0 };
  if (key.length == 0)
    return TRUE;
  if (!sluice_tensor_bundle_entry_unpack (&entry, value, error))
    return FALSE;
  Item *item = find_item (merge->items, key);
  if (item == NULL)
    {
      item = add_item (merge->items, key);
      item->entry = entry;
      entry.slices = NULL;
      if (item->entry.slices == NULL)
        item->entry.shard = shard_to_be (merge, entry.shard);
      return TRUE;
    }
  if (item->entry.slices == NULL || entry.slices == NULL || item->entry.dtype != entry.dtype
      || !sluice_shape_equal (&item->entry.shape, &entry.shape))
    {
      g_autofree char *name = g_strndup (key.data, key.length);
      return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                          "tensor '%s' is in two of the bundles, and not in slices of one tensor",
                          name);
    }
  g_array_append_vals (item->entry.slices, entry.slices->data, entry.slices->len);
  return TRUE;
}

static gboolean
merge_one (Merge *merge, const char *prefix, gboolean allow_missing, GError **error)
{
  g_autofree char *name = sluice_tensor_bundle_index_name (prefix);
  if (allow_missing && !g_file_test (name, G_FILE_TEST_EXISTS))
    return TRUE;
  g_autoptr (GMappedFile) file = sluice_file_map ("checkpoint", name, error);
  if (file == NULL)
    return FALSE;
  g_autoptr (SluiceTable) table =
      sluice_table_open (g_mapped_file_get_contents (file), g_mapped_file_get_length (file), error);
  merge->prefix = prefix;
  if (table != NULL && sluice_tensor_bundle_read_header (table, &merge->n_shards, error)
      && sluice_table_foreach (table, merge_entry, merge, error))
    return TRUE;
  g_prefix_error (error, "checkpoint '%s': ", prefix);
  return FALSE;
}

static gboolean
rename_shards (const Merge *merge, const char *destination, GError **error)
{
  if (!sluice_file_make_folder (destination, error))
    return FALSE;
  for (guint i = 0; i < merge->data_files->len; i++)
    {
      const char *from = merge->data_files->pdata[i];
      g_autofree char *to = sluice_tensor_bundle_data_name (destination, i, merge->data_files->len);
      if (rename (from, to) != 0)
        return sluice_file_fail (error, errno, "'%s' could not be renamed to '%s'", from, to);
    }
  return TRUE;
}

gboolean
sluice_tensor_bundle_merge (const char *const *prefixes,
                            guint n,
                            const char *destination,
                            gboolean allow_missing,
                            GError **error)
{
  g_autoptr (GHashTable) items = items_new ();
  g_autoptr (GPtrArray) data_files = g_ptr_array_new_with_free_func (g_free);
  Merge merge = { items, data_files };
  for (guint i = 0; i < n; i++)
    if (!merge_one (&merge, prefixes[i], allow_missing, error))
      return FALSE;
  g_autoptr (GByteArray) header = sluice_tensor_bundle_pack_header (data_files->len);
  g_autofree char *index = sluice_tensor_bundle_index_name (destination);
  if (!rename_shards (&merge, destination, error) || !write_table (index, items, header, error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = sluice_tensor_bundle_index_name (prefixes[i]);
      if (strcmp (name, index) != 0)
        unlink (name);
    }
  return TRUE;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/error.h"
#include "engine/base/suggest.h"
#include "engine/base/wire.h"
#include "engine/store/bundle-private.h"
#include "engine/store/crc32c.h"
#include "engine/store/summed.h"

struct _SluiceTensorBundle
{
  char *prefix;
  BundleV1 *v1; /* (nullable): the older format */
  GMappedFile *index;
  SluiceTable *table;
  guint n_shards;
  GHashTable *files; /* shard to the descriptor of its data file */
};

char *
sluice_shard_name (const char *prefix, gint64 shard, gint64 n_shards)
{
  return g_strdup_printf ("%s-%05" G_GINT64_FORMAT "-of-%05" G_GINT64_FORMAT, prefix, shard,
                          n_shards);
}

char *
sluice_tensor_bundle_index_name (const char *prefix)
{
  return g_strconcat (prefix, ".index", NULL);
}

char *
sluice_tensor_bundle_data_name (const char *prefix, guint shard, guint n_shards)
{
  g_autofree char *data = g_strconcat (prefix, ".data", NULL);
  return sluice_shard_name (data, shard, n_shards);
}

/* The prefix of a bundle that is given by its prefix or its index, NULL where there is none. */
static char *
bundle_prefix (const char *path)
{
  g_autofree char *index = sluice_tensor_bundle_index_name (path);
  if (g_file_test (index, G_FILE_TEST_EXISTS))
    return g_strdup (path);
  if (g_str_has_suffix (path, ".index"))
    return g_strndup (path, strlen (path) - strlen (".index"));
  return NULL;
}

gboolean
sluice_tensor_bundle_exists (const char *path)
{
  g_autofree char *prefix = bundle_prefix (path);
  if (prefix != NULL)
    return TRUE;
  g_autoptr (GMappedFile) file = sluice_file_map ("checkpoint", path, NULL);
  return file != NULL
         && sluice_table_is_one (g_mapped_file_get_contents (file),
                                 g_mapped_file_get_length (file));
}

static gboolean
open_index (SluiceTensorBundle *self, GError **error)
{
  g_autofree char *name = sluice_tensor_bundle_index_name (self->prefix);
  self->index = sluice_file_map ("checkpoint", name, error);
  if (self->index == NULL)
    return FALSE;
  self->table = sluice_table_open (g_mapped_file_get_contents (self->index),
                                   g_mapped_file_get_length (self->index), error);
  return self->table != NULL
         && sluice_tensor_bundle_read_header (self->table, &self->n_shards, error);
}

static void
close_file (gpointer data)
{
  close (GPOINTER_TO_INT (data));
}

SluiceTensorBundle *
sluice_tensor_bundle_open (const char *path, GError **error)
{
  g_autoptr (SluiceTensorBundle) self = g_new0 (SluiceTensorBundle, 1);
  self->prefix = bundle_prefix (path);
  self->files = g_hash_table_new_full (NULL, NULL, NULL, close_file);
  if (self->prefix == NULL)
    {
      self->prefix = g_strdup (path);
      self->v1 = sluice_tensor_bundle_v1_open (path, error);
      return self->v1 != NULL ? g_steal_pointer (&self) : NULL;
    }
  if (open_index (self, error))
    return g_steal_pointer (&self);
  g_prefix_error (error, "checkpoint '%s': ", self->prefix);
  return NULL;
}

void
sluice_tensor_bundle_free (SluiceTensorBundle *self)
{
  g_clear_pointer (&self->v1, sluice_tensor_bundle_v1_free);
  g_clear_pointer (&self->table, sluice_table_free);
  g_clear_pointer (&self->index, g_mapped_file_unref);
  g_hash_table_unref (self->files);
  g_free (self->prefix);
  g_free (self);
}

char *
sluice_tensor_bundle_dup_format (SluiceTensorBundle *self)
{
  if (self->v1 != NULL)
    return g_strdup_printf ("TensorFlow checkpoint (V1), files: %u",
                            sluice_tensor_bundle_v1_get_n_files (self->v1));
  return g_strdup_printf ("TensorFlow bundle (V2), shards: %u", self->n_shards);
}

/* ---- what there is ---- */

/* FALSE without an error: not there. */
static gboolean
find_key (SluiceTensorBundle *self, SluiceSpan key, BundleEntry *entry, GError **error)
{
  SluiceSpan value;
  g_autoptr (GError) local = NULL;
  gboolean ok = sluice_table_find (self->table, key, &value, &local)
                && sluice_tensor_bundle_entry_unpack (entry, value, &local);
  if (local != NULL)
    g_propagate_prefixed_error (error, g_steal_pointer (&local), "checkpoint '%s': ", self->prefix);
  return ok;
}

static gboolean
find_entry (SluiceTensorBundle *self, const char *name, BundleEntry *entry, GError **error)
{
  if (self->v1 == NULL)
    return *name != 0 && find_key (self, (SluiceSpan){ name, strlen (name) }, entry, error);
  const BundleEntry *found = sluice_tensor_bundle_v1_find (self->v1, name);
  if (found == NULL)
    return FALSE;
  *entry = *found;
  entry->slices = g_array_ref (found->slices);
  return TRUE;
}

static void
clear_tensor (gpointer data)
{
  g_free (((SluiceBundleTensor *) data)->name);
}

static void
add_tensor (GArray *list, const char *name, gsize length, const BundleEntry *entry)
{
  SluiceBundleTensor tensor = { g_strndup (name, length), entry->dtype, entry->shape,
                                entry->slices != NULL ? entry->slices->len : 0 };
  g_array_append_val (list, tensor);
}

/* Keys that begin with 0 are slices, of tensors that are listed too; the empty one is the header.
 * Out of order, a key would be listed that no search finds. */
static gboolean
list_entry (SluiceSpan key, SluiceSpan value, gpointer data, GError **error)
{
  GArray *list = data;
  g_auto (BundleEntry) entry = { 0 };
  if (key.length == 0 || key.data[0] == 0)
    return TRUE;
  if (!sluice_tensor_bundle_entry_unpack (&entry, value, error))
    return FALSE;
  add_tensor (list, key.data, key.length, &entry);
  const SluiceBundleTensor *last = &g_array_index (list, SluiceBundleTensor, list->len - 1);
  if (strlen (last->name) != key.length
      || (list->len > 1 && strcmp (last[-1].name, last->name) >= 0))
    return sluice_fail (error, SLUICE_ERROR_DATA_LOSS,
                        "the names in its index are not in order; the file is damaged");
  return TRUE;
}

static gint
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (((const SluiceBundleTensor *) a)->name, ((const SluiceBundleTensor *) b)->name);
}

/* A name that is there twice would be read as either. */
static gboolean
check_unique (SluiceTensorBundle *self, const GArray *sorted, GError **error)
{
  for (guint i = 1; i < sorted->len; i++)
    {
      const char *name = g_array_index (sorted, SluiceBundleTensor, i).name;
      if (strcmp (name, g_array_index (sorted, SluiceBundleTensor, i - 1).name) == 0)
        return sluice_fail (error, SLUICE_ERROR_DATA_LOSS,
                            "checkpoint '%s' is damaged: it has '%s' twice", self->prefix, name);
    }
  return TRUE;
}

GArray *
sluice_tensor_bundle_list (SluiceTensorBundle *self, GError **error)
{
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (SluiceBundleTensor));
  g_array_set_clear_func (list, clear_tensor);
  if (self->v1 == NULL && !sluice_table_foreach (self->table, list_entry, list, error))
    {
      g_prefix_error (error, "checkpoint '%s': ", self->prefix);
      return NULL;
    }
  g_autoptr (GList) names = self->v1 != NULL ? sluice_tensor_bundle_v1_list (self->v1) : NULL;
  for (GList *l = names; l != NULL; l = l->next)
    add_tensor (list, l->data, strlen (l->data), sluice_tensor_bundle_v1_find (self->v1, l->data));
  g_array_sort (list, by_name);
  return check_unique (self, list, error) ? g_steal_pointer (&list) : NULL;
}

/* NOT_FOUND, with the name that each of the missing ones is most like. */
static gboolean
fail_missing (SluiceTensorBundle *self, GPtrArray *missing, GError **error)
{
  g_autoptr (GArray) list = sluice_tensor_bundle_list (self, error);
  if (list == NULL)
    return FALSE;
  g_autofree const char **names = g_new (const char *, list->len);
  for (guint i = 0; i < list->len; i++)
    names[i] = g_array_index (list, SluiceBundleTensor, i).name;
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < missing->len; i++)
    {
      const char *hint = sluice_suggest_name (missing->pdata[i], names, list->len);
      g_string_append_printf (text, "%s'%s'", i > 0 ? ", " : "", (char *) missing->pdata[i]);
      if (hint != NULL)
        g_string_append_printf (text, " (did you mean '%s'?)", hint);
    }
  return sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "checkpoint '%s' has %u tensors, but not %s",
                      self->prefix, list->len, text->str);
}

gboolean
sluice_tensor_bundle_check_names (SluiceTensorBundle *self,
                                  const char *const *names,
                                  gsize n,
                                  GError **error)
{
  g_autoptr (GPtrArray) missing = g_ptr_array_new ();
  for (gsize i = 0; i < n; i++)
    {
      g_auto (BundleEntry) entry = { 0 };
      g_autoptr (GError) local = NULL;
      if (find_entry (self, names[i], &entry, &local))
        continue;
      if (local != NULL)
        {
          g_propagate_error (error, g_steal_pointer (&local));
          return FALSE;
        }
      g_ptr_array_add (missing, (gpointer) names[i]);
    }
  return missing->len == 0 || fail_missing (self, missing, error);
}

/* As find_entry(), but not there is an error. */
static gboolean
need_entry (SluiceTensorBundle *self, const char *name, BundleEntry *entry, GError **error)
{
  g_autoptr (GError) local = NULL;
  if (find_entry (self, name, entry, &local))
    return TRUE;
  if (local == NULL)
    return sluice_tensor_bundle_check_names (self, &name, 1, error);
  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}

gboolean
sluice_tensor_bundle_find (SluiceTensorBundle *self,
                           const char *name,
                           SluiceDType *dtype,
                           SluiceShape *shape,
                           GError **error)
{
  g_auto (BundleEntry) entry = { 0 };
  if (!need_entry (self, name, &entry, error))
    return FALSE;
  *dtype = entry.dtype;
  *shape = entry.shape;
  return TRUE;
}

/* ---- the bytes ---- */

/* One stored piece of a tensor, found and checked for its size, but not read. */
typedef struct
{
  SluiceSlice slice;
  SluiceShape shape;
  BundleEntry entry; /* of a bundle */
  SluiceSpan data;   /* of the older format */
} Piece;

/* The descriptor of a shard; -1: error is set. */
static int
open_shard (SluiceTensorBundle *self, guint shard, GError **error)
{
  gpointer known;
  if (g_hash_table_lookup_extended (self->files, GUINT_TO_POINTER (shard), NULL, &known))
    return GPOINTER_TO_INT (known);
  if (shard >= self->n_shards)
    {
      sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "it should lie in shard %u of %u", shard,
                   self->n_shards);
      return -1;
    }
  g_autofree char *name = sluice_tensor_bundle_data_name (self->prefix, shard, self->n_shards);
  int fd = open (name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0)
    sluice_file_fail (error, errno, "'%s' cannot be read", name);
  else
    g_hash_table_insert (self->files, GUINT_TO_POINTER (shard), GINT_TO_POINTER (fd));
  return fd;
}

/* Does the size in the index go with dtype and shape, and has the file so many bytes? */
static gboolean
check_place (SluiceTensorBundle *self, const Piece *piece, GError **error)
{
  const BundleEntry *entry = &piece->entry;
  guint64 n = sluice_shape_n_elements (&piece->shape), size = entry->size;
  gsize width = sluice_dtype_size (entry->dtype);
  struct stat info;
  int fd = open_shard (self, entry->shard, error);
  if (fd < 0)
    return FALSE;
  if (entry->dtype == SLUICE_STRING ? n > size : (n != size / width || size % width != 0))
    return sluice_fail (error, SLUICE_ERROR_DATA_LOSS,
                        "it has %" G_GUINT64_FORMAT " bytes, which does not go with its shape",
                        size);
  if (fstat (fd, &info) != 0)
    return sluice_file_fail (error, errno, "its data file cannot be read");
  if (size == 0) /* wherever that is */
    return TRUE;
  if (entry->offset > info.st_size || entry->size > info.st_size - entry->offset)
    return sluice_fail (error, SLUICE_ERROR_OUT_OF_RANGE,
                        "its bytes end at %" G_GUINT64_FORMAT " of a data file of %" G_GINT64_FORMAT
                        "; the file is cut off",
                        (guint64) entry->offset + size, (gint64) info.st_size);
  return TRUE;
}

static gboolean
read_bytes (
    SluiceTensorBundle *self, const BundleEntry *entry, void *to, guint32 *crc, GError **error)
{
  int fd = open_shard (self, entry->shard, error);
  if (fd < 0)
    return FALSE;
  int failure = sluice_summed_read (fd, entry->offset, to, entry->size, crc);
  if (failure == ENODATA)
    return sluice_fail (error, SLUICE_ERROR_OUT_OF_RANGE, "its data file is cut off");
  return failure == 0 || sluice_file_fail (error, failure, "its data file cannot be read");
}

static gboolean
fail_checksum (GError **error)
{
  return sluice_fail (error, SLUICE_ERROR_DATA_LOSS,
                      "its bytes do not match their checksum; the file is damaged");
}

/* Lengths, a checksum of them, then the bytes. The checksum of all runs over the lengths as 32-bit
 * numbers (64-bit where they need it). */
static gboolean
unpack_strings (const BundleEntry *entry, const guint8 *at, SluiceTensor *tensor, GError **error)
{
  const guint8 *end = at + entry->size;
  SluiceString *strings = tensor->data;
  guint32 crc = 0;
  for (gint64 i = 0; i < tensor->n_elements; i++)
    {
      guint64 length;
      if (!sluice_wire_read_varint (&at, end, &length))
        return sluice_fail (error, SLUICE_ERROR_DATA_LOSS,
                            "the lengths of its strings are cut off");
      guint32 short_length = GUINT32_TO_LE ((guint32) length);
      guint64 long_length = GUINT64_TO_LE (length);
      crc = length <= G_MAXUINT32 ? sluice_crc32c (crc, &short_length, sizeof short_length)
                                  : sluice_crc32c (crc, &long_length, sizeof long_length);
      strings[i].length = length;
    }
  guint32 stored = GUINT32_TO_LE (sluice_crc32c_mask (crc));
  gboolean ok = (gsize) (end - at) >= sizeof stored && memcmp (at, &stored, sizeof stored) == 0;
  if (ok)
    {
      crc = sluice_crc32c (crc, at, end - at);
      at += sizeof stored;
      ok = sluice_crc32c_mask (crc) == entry->crc32c;
    }
  for (gint64 i = 0; i < tensor->n_elements; i++)
    {
      gsize length = strings[i].length;
      strings[i] = (SluiceString){ NULL, 0 };
      ok = ok && length <= (gsize) (end - at);
      if (ok)
        sluice_string_set (&strings[i], (const char *) at, length);
      at += ok ? length : 0;
    }
  return (ok && at == end) || fail_checksum (error);
}

static SluiceTensor *
read_stored (SluiceTensorBundle *self, const Piece *piece, GError **error)
{
  const BundleEntry *entry = &piece->entry;
  g_autoptr (SluiceTensor) tensor =
      sluice_tensor_new_checked (NULL, entry->dtype, &piece->shape, SLUICE_OWNER_NONE, error);
  if (tensor == NULL)
    return NULL;
  gboolean ok;
  guint32 crc;
  if (entry->dtype == SLUICE_STRING)
    {
      g_autofree guint8 *bytes = g_try_malloc (entry->size + 1);
      ok = bytes != NULL
               ? read_bytes (self, entry, bytes, &crc, error)
                     && unpack_strings (entry, bytes, tensor, error)
               : sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED, "no memory for its strings");
    }
  else
    ok = read_bytes (self, entry, tensor->data, &crc, error)
         && (sluice_crc32c_mask (crc) == entry->crc32c || fail_checksum (error));
  return ok ? g_steal_pointer (&tensor) : NULL;
}

static SluiceTensor *
read_piece (SluiceTensorBundle *self, const Piece *piece, GError **error)
{
  return self->v1 != NULL
             ? sluice_tensor_bundle_v1_read (piece->data, piece->entry.dtype, &piece->shape, error)
             : read_stored (self, piece, error);
}

/* Slice i of a tensor. */
static gboolean
locate_slice (SluiceTensorBundle *self,
              const char *name,
              const BundleEntry *whole,
              guint i,
              Piece *piece,
              GError **error)
{
  piece->slice = g_array_index (whole->slices, SluiceSlice, i);
  piece->shape = sluice_slice_shape (&piece->slice, &whole->shape);
  piece->entry.dtype = whole->dtype;
  if (self->v1 != NULL)
    return sluice_tensor_bundle_v1_locate (self->v1, name, i, &piece->data, error);
  g_autoptr (GByteArray) key = sluice_slice_make_key (name, &piece->slice);
  g_autoptr (GError) local = NULL;
  if (!find_key (self, (SluiceSpan){ (const char *) key->data, key->len }, &piece->entry, &local))
    {
      if (local == NULL)
        return sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "one of its slices is missing");
      g_propagate_error (error, g_steal_pointer (&local));
      return FALSE;
    }
  gboolean alike = piece->entry.slices == NULL && piece->entry.dtype == whole->dtype
                   && sluice_shape_equal (&piece->entry.shape, &piece->shape);
  sluice_tensor_bundle_entry_clear (&piece->entry);
  if (!alike)
    return sluice_fail (error, SLUICE_ERROR_DATA_LOSS,
                        "one of its slices has another dtype or shape than the whole");
  return check_place (self, piece, error);
}

/* How many elements of a part of the tensor the piece has. */
static gint64
count_shared (const Piece *piece, const SluiceSlice *slice, const SluiceShape *shape)
{
  gint64 n = 1;
  for (int i = 0; i < shape->rank; i++)
    {
      gint64 begin = MAX (piece->slice.start[i], slice->start[i]);
      gint64 end =
          MIN (piece->slice.start[i] + piece->shape.dim[i], slice->start[i] + shape->dim[i]);
      n *= MAX (end - begin, 0);
    }
  return n;
}

/* Do the pieces hold what is wanted, each element once? So every element is set, and a damaged
 * index cannot ask for more memory than the data would fill. */
static gboolean
check_cover (GArray *pieces, const SluiceSlice *slice, const SluiceShape *shape, GError **error)
{
  gint64 missing = sluice_shape_n_elements (shape);
  for (guint i = 0; i < pieces->len; i++)
    {
      const Piece *piece = &g_array_index (pieces, Piece, i);
      missing -= count_shared (piece, slice, shape);
      gboolean twice = missing < 0;
      for (guint k = 0; k < i && !twice; k++)
        {
          const Piece *other = &g_array_index (pieces, Piece, k);
          twice = count_shared (piece, &other->slice, &other->shape) > 0;
        }
      if (twice)
        return sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "two of its slices overlap");
    }
  return missing == 0
         || sluice_fail (error, SLUICE_ERROR_NOT_FOUND,
                         "only slices of it are here, which do not make up what is wanted of it");
}

/* Puts together what is wanted out of the pieces that have a part of it. */
static SluiceTensor *
assemble (SluiceTensorBundle *self,
          const BundleEntry *whole,
          GArray *pieces,
          const SluiceSlice *slice,
          const SluiceShape *shape,
          GError **error)
{
  const Piece *first = &g_array_index (pieces, Piece, 0);
  if (pieces->len == 1 && sluice_shape_equal (&first->shape, shape))
    return read_piece (self, first, error);
  g_autoptr (SluiceTensor) tensor =
      sluice_tensor_new_checked (NULL, whole->dtype, shape, SLUICE_OWNER_NONE, error);
  if (tensor == NULL)
    return NULL;
  for (guint i = 0; i < pieces->len; i++)
    {
      const Piece *piece = &g_array_index (pieces, Piece, i);
      g_autoptr (SluiceTensor) part = read_piece (self, piece, error);
      if (part == NULL)
        return NULL;
      sluice_slice_copy (&whole->shape, tensor, slice, part, &piece->slice);
    }
  return g_steal_pointer (&tensor);
}

static SluiceTensor *
read_tensor (SluiceTensorBundle *self,
             const char *name,
             const BundleEntry *entry,
             const SluiceSlice *slice,
             GError **error)
{
  SluiceShape shape = sluice_slice_shape (slice, &entry->shape);
  g_autoptr (GArray) pieces = g_array_new (FALSE, FALSE, sizeof (Piece));
  if (!sluice_dtype_in (entry->dtype, SLUICE_SET_POD | SLUICE_SET (SLUICE_STRING)))
    {
      sluice_fail (error, SLUICE_ERROR_UNIMPLEMENTED, "it has a dtype that cannot be read");
      return NULL;
    }
  if (entry->slices == NULL)
    {
      Piece piece = { sluice_slice_whole (entry->shape.rank), entry->shape, *entry };
      if (!check_place (self, &piece, error))
        return NULL;
      g_array_append_val (pieces, piece);
    }
  for (guint i = 0; entry->slices != NULL && i < entry->slices->len; i++)
    {
      Piece piece = { 0 };
      if (!locate_slice (self, name, entry, i, &piece, error))
        return NULL;
      if (count_shared (&piece, slice, &shape) > 0)
        g_array_append_val (pieces, piece);
    }
  if (!check_cover (pieces, slice, &shape, error))
    return NULL;
  if (pieces->len == 0)
    return sluice_tensor_new_checked (NULL, entry->dtype, &shape, SLUICE_OWNER_NONE, error);
  return assemble (self, entry, pieces, slice, &shape, error);
}

SluiceTensor *
sluice_tensor_bundle_read (SluiceTensorBundle *self,
                           const char *name,
                           const SluiceSlice *slice,
                           GError **error)
{
  g_auto (BundleEntry) entry = { 0 };
  if (!need_entry (self, name, &entry, error))
    return NULL;
  SluiceSlice whole = sluice_slice_whole (entry.shape.rank);
  if (slice == NULL)
    slice = &whole;
  if (!sluice_slice_fits (slice, &entry.shape))
    {
      char text[SLUICE_SHAPE_STR];
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                   "checkpoint '%s': the slice lies outside of '%s', which has shape %s",
                   self->prefix, name, sluice_shape_str (&entry.shape, text));
      return NULL;
    }
  SluiceTensor *tensor = read_tensor (self, name, &entry, slice, error);
  if (tensor == NULL)
    g_prefix_error (error, "checkpoint '%s', tensor '%s': ", self->prefix, name);
  return tensor;
}

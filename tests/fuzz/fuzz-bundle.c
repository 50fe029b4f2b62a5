/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Fuzzes the readers of TensorFlow's checkpoints. The first byte says what the rest is: the files
 * as they are, or entries that are signed here, because chance does not find checksums.
 */
#include <string.h>

#include "engine/store/bundle.h"
#include "engine/store/table.h"
#include "tests/fuzz/fuzz-driver.h"
#include "tests/fuzz/fuzz-folder.h"

#define SIGNED    1 /* the index is a list of entries: lengths of key and value, key, value */
#define OLD       2 /* a V1 checkpoint */
#define HEAD      3 /* the first byte, and the length of the index in two */
#define MAX_LISTS 64

static char *folder, *prefix, *index_name, *data_name;

static void
remove_folder (void)
{
  fuzz_folder_remove (folder);
}

void
fuzz_init (void)
{
  folder = fuzz_folder_new ();
  prefix = g_build_filename (folder, "model", NULL);
  index_name = g_strconcat (prefix, ".index", NULL);
  data_name = g_strconcat (prefix, ".data-00000-of-00001", NULL);
  atexit (remove_folder);
}

typedef struct
{
  SluiceSpan key, value;
} Entry;

static gint
by_key (gconstpointer a, gconstpointer b)
{
  return sluice_span_compare (((const Entry *) a)->key, ((const Entry *) b)->key);
}

/* A table with right checksums, of what entries there are. */
static void
write_signed (const char *path, const guint8 *at, const guint8 *end)
{
  g_autoptr (GArray) entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  while (end - at >= 2 && at[0] + at[1] <= end - at - 2)
    {
      const char *key = (const char *) at + 2;
      Entry entry = { { key, at[0] }, { key + at[0], at[1] } };
      g_array_append_val (entries, entry);
      at += 2 + at[0] + at[1];
    }
  g_array_sort (entries, by_key);
  SluiceFileWriter *file = sluice_file_writer_new ("fuzzed", path, NULL);
  SluiceTableWriter *table = sluice_table_writer_new (file);
  for (guint i = 0; i < entries->len; i++)
    sluice_table_writer_add (table, g_array_index (entries, Entry, i).key,
                             g_array_index (entries, Entry, i).value);
  sluice_table_writer_finish (table);
  g_assert_true (sluice_file_writer_finish (file, NULL));
}

static void
read_all (SluiceTensorBundle *bundle)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) list = sluice_tensor_bundle_list (bundle, &error);
  g_assert_true ((list == NULL) == (error != NULL));
  for (guint i = 0; list != NULL && i < MIN (list->len, MAX_LISTS); i++)
    {
      const SluiceBundleTensor *info = &g_array_index (list, SluiceBundleTensor, i);
      SluiceSlice slice = sluice_slice_whole (info->shape.rank);
      g_autoptr (GError) local = NULL;
      g_autoptr (SluiceTensor) tensor =
          sluice_tensor_bundle_read (bundle, info->name, NULL, &local);
      g_assert_true ((tensor == NULL) == (local != NULL));
      for (int d = 0; d < slice.rank; d++)
        {
          slice.start[d] = info->shape.dim[d] / 2;
          slice.length[d] = info->shape.dim[d] - slice.start[d];
        }
      g_autoptr (GError) refusal = NULL;
      g_autoptr (SluiceTensor) part =
          sluice_tensor_bundle_read (bundle, info->name, &slice, &refusal);
      if (tensor != NULL)
        g_assert_no_error (refusal);
    }
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  if (size < HEAD)
    return 0;
  const guint8 *at = data + HEAD, *end = data + size;
  gsize n_index = MIN ((gsize) data[1] | (gsize) data[2] << 8, size - HEAD);
  const char *path = data[0] & OLD ? prefix : index_name;
  g_unlink (data[0] & OLD ? index_name : prefix);
  if (data[0] & SIGNED)
    write_signed (path, at, at + n_index);
  else
    g_assert_true (g_file_set_contents_full (path, (const char *) at, n_index,
                                             G_FILE_SET_CONTENTS_NONE, 0600, NULL));
  at += n_index;
  if (!(data[0] & OLD))
    g_assert_true (g_file_set_contents_full (data_name, (const char *) at, end - at,
                                             G_FILE_SET_CONTENTS_NONE, 0600, NULL));
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTensorBundle) bundle = sluice_tensor_bundle_open (prefix, &error);
  g_assert_true ((bundle == NULL) == (error != NULL));
  if (bundle != NULL)
    read_all (bundle);
  return 0;
}

/* ---- seeds ---- */

static void
write_checkpoint (gboolean old)
{
  SluiceTensorBundleWriter *writer = old ? sluice_tensor_bundle_writer_new_v1 (prefix, NULL)
                                         : sluice_tensor_bundle_writer_new (prefix, NULL);
  static const SluiceDType dtypes[] = { SLUICE_FLOAT, SLUICE_INT64, SLUICE_STRING, SLUICE_HALF };
  for (guint i = 0; i < G_N_ELEMENTS (dtypes); i++)
    {
      g_autoptr (SluiceTensor) tensor = sluice_tensor_new_zeros (dtypes[i], &SLUICE_SHAPE (2, 3));
      SluiceSlice slice = { 2, { 2 * (i % 2), 0 }, { 2, SLUICE_SLICE_ALL } };
      sluice_tensor_bundle_writer_add (writer, sluice_dtype_name (dtypes[i]), tensor, NULL, NULL,
                                       NULL);
      if (i < 1)
        sluice_tensor_bundle_writer_add (writer, "sliced", tensor, &SLUICE_SHAPE (4, 3), &slice,
                                         NULL);
      slice.start[0] = 2;
      if (i < 1)
        sluice_tensor_bundle_writer_add (writer, "sliced", tensor, &SLUICE_SHAPE (4, 3), &slice,
                                         NULL);
    }
  g_assert_true (sluice_tensor_bundle_writer_finish (writer, NULL));
}

static gboolean
collect (SluiceSpan key, SluiceSpan value, gpointer data, GError **error)
{
  GByteArray *out = data;
  guint8 lengths[2] = { MIN (key.length, 255), MIN (value.length, 255) };
  g_byte_array_append (out, lengths, 2);
  g_byte_array_append (out, (const guint8 *) key.data, lengths[0]);
  g_byte_array_append (out, (const guint8 *) value.data, lengths[1]);
  return TRUE;
}

static void
add_seed (GPtrArray *seeds, guint8 mode, const char *index, gsize length)
{
  g_autofree char *data = NULL;
  gsize n_data = 0;
  if (!(mode & OLD))
    g_assert_true (g_file_get_contents (data_name, &data, &n_data, NULL));
  guint8 head[HEAD] = { mode, length & 255, length >> 8 };
  GByteArray *bytes = g_byte_array_new ();
  g_byte_array_append (bytes, head, HEAD);
  g_byte_array_append (bytes, (const guint8 *) index, length);
  g_byte_array_append (bytes, (const guint8 *) data, n_data);
  g_ptr_array_add (seeds, g_byte_array_free_to_bytes (bytes));
}

GPtrArray *
fuzz_seeds (void)
{
  GPtrArray *seeds = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  for (guint old = 0; old < 2; old++)
    {
      g_autofree char *index = NULL;
      gsize length;
      g_autoptr (GByteArray) entries = g_byte_array_new ();
      write_checkpoint (old);
      g_assert_true (g_file_get_contents (old ? prefix : index_name, &index, &length, NULL));
      g_autoptr (SluiceTable) table = sluice_table_open (index, length, NULL);
      g_assert_true (sluice_table_foreach (table, collect, entries, NULL));
      add_seed (seeds, old ? OLD : 0, index, length);
      add_seed (seeds, SIGNED | (old ? OLD : 0), (const char *) entries->data, entries->len);
    }
  /* One name twice, in two shapes: libFuzzer's finding. */
  static const char twice[] = "\0\6\10\1\32\2\10\1"
                              "\1\14a\10\1\22\10\22\2\10\2\22\2\10\3"
                              "\1\4a\10\1\22\0";
  add_seed (seeds, SIGNED, twice, sizeof twice - 1);
  return seeds;
}

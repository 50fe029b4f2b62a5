/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <json-glib/json-glib.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/store/bundle.h"
#include "engine/store/checkpoint.h"
#include "engine/store/crc32c.h"
#include "engine/store/file.h"
#include "tests/remove-tree.h"

/* ---- what TensorFlow wrote: tests/engine/store/corpus ---- */

static char *
dup_checkpoint (const char *folder, const char *file)
{
  return g_build_filename (g_getenv ("SLUICE_SOURCE_DIR"), "tests/engine/store/corpus", folder,
                           file, NULL);
}

static JsonNode *
load_expected (const char *folder)
{
  g_autofree char *path = dup_checkpoint (folder, "expected.json");
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;
  json_parser_load_from_file (parser, path, &error);
  g_assert_no_error (error);
  return json_parser_steal_root (parser);
}

static void
check_strings (const SluiceTensor *tensor, JsonArray *hashes)
{
  g_assert_cmpint (tensor->n_elements, ==, json_array_get_length (hashes));
  for (gint64 i = 0; i < tensor->n_elements; i++)
    {
      const SluiceString *s = (const SluiceString *) tensor->data + i;
      g_autofree char *hash = g_compute_checksum_for_data (
          G_CHECKSUM_SHA256, (const guchar *) (s->data ? s->data : ""), s->length);
      g_assert_cmpstr (hash, ==, json_array_get_string_element (hashes, i));
    }
}

static void
check_tensor (const SluiceTensor *tensor, JsonObject *want)
{
  JsonArray *shape = json_object_get_array_member (want, "shape");
  g_assert_cmpint (tensor->dtype, ==,
                   sluice_dtype_from_name (json_object_get_string_member (want, "dtype")));
  g_assert_cmpint (tensor->shape.rank, ==, json_array_get_length (shape));
  for (int i = 0; i < tensor->shape.rank; i++)
    g_assert_cmpint (tensor->shape.dim[i], ==, json_array_get_int_element (shape, i));
  if (tensor->dtype == SLUICE_STRING)
    {
      check_strings (tensor, json_object_get_array_member (want, "elements_sha256"));
      return;
    }
  g_autofree char *hash =
      g_compute_checksum_for_data (G_CHECKSUM_SHA256, tensor->data, sluice_tensor_bytes (tensor));
  g_assert_cmpstr (hash, ==, json_object_get_string_member (want, "sha256"));
}

static SluiceTensorBundle *
open_bundle (const char *path)
{
  g_autoptr (GError) error = NULL;
  SluiceTensorBundle *bundle = sluice_tensor_bundle_open (path, &error);
  g_assert_no_error (error);
  return bundle;
}

static SluiceTensor *
read_tensor (SluiceTensorBundle *bundle, const char *name, const SluiceSlice *slice)
{
  g_autoptr (GError) error = NULL;
  SluiceTensor *tensor = sluice_tensor_bundle_read (bundle, name, slice, &error);
  g_assert_no_error (error);
  return tensor;
}

/* Every slice that was saved, read alone, is the part of the whole that it says. */
static void
check_slices (SluiceTensorBundle *bundle, JsonObject *slices)
{
  g_autoptr (GList) names = json_object_get_members (slices);
  for (GList *l = names; l != NULL; l = l->next)
    {
      JsonArray *specs = json_object_get_array_member (slices, l->data);
      g_autoptr (SluiceTensor) whole = read_tensor (bundle, l->data, NULL);
      for (guint i = 0; i < json_array_get_length (specs); i++)
        {
          const char *spec = json_array_get_string_element (specs, i);
          SluiceShape full;
          SluiceSlice slice, all = sluice_slice_whole (whole->shape.rank);
          g_assert_true (sluice_slice_parse_spec (spec, strlen (spec), &full, &slice, NULL));
          g_assert_true (sluice_shape_equal (&full, &whole->shape));
          g_autoptr (SluiceTensor) part = read_tensor (bundle, l->data, &slice);
          g_autoptr (SluiceTensor) want = sluice_tensor_new_zeros (whole->dtype, &part->shape);
          sluice_slice_copy (&full, want, &slice, whole, &all);
          g_assert_true (sluice_tensor_identical (part, want));
        }
    }
}

static void
check_bundle (SluiceTensorBundle *bundle, JsonObject *expected)
{
  JsonObject *tensors = json_object_get_object_member (expected, "tensors");
  g_autoptr (GList) names = json_object_get_members (tensors);
  g_autoptr (GArray) list = sluice_tensor_bundle_list (bundle, NULL);
  g_assert_nonnull (list);
  g_assert_cmpuint (list->len, >=, g_list_length (names));
  for (GList *l = names; l != NULL; l = l->next)
    {
      g_autoptr (SluiceTensor) tensor = read_tensor (bundle, l->data, NULL);
      check_tensor (tensor, json_object_get_object_member (tensors, l->data));
    }
  for (guint i = 0; i < list->len; i++)
    {
      const SluiceBundleTensor *info = &g_array_index (list, SluiceBundleTensor, i);
      g_autoptr (SluiceTensor) tensor = read_tensor (bundle, info->name, NULL);
      g_assert_cmpint (info->dtype, ==, tensor->dtype);
      g_assert_true (sluice_shape_equal (&info->shape, &tensor->shape));
    }
  if (json_object_has_member (expected, "slices"))
    check_slices (bundle, json_object_get_object_member (expected, "slices"));
}

static void
test_reads_tensorflow (gconstpointer data)
{
  g_autoptr (JsonNode) root = load_expected (data);
  JsonObject *expected = json_node_get_object (root);
  g_autofree char *prefix =
      dup_checkpoint (data, json_object_get_string_member (expected, "prefix"));
  g_assert_true (sluice_tensor_bundle_exists (prefix));
  g_autoptr (SluiceTensorBundle) bundle = open_bundle (prefix);
  check_bundle (bundle, expected);
}

static void
test_reads_safetensors (void)
{
  g_autoptr (JsonNode) root = load_expected ("safetensors");
  JsonObject *tensors = json_object_get_object_member (json_node_get_object (root), "tensors");
  g_autofree char *path = dup_checkpoint ("safetensors", "model.safetensors");
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) read = sluice_safetensors_read (path, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (read->len, ==, json_object_get_size (tensors));
  for (guint i = 0; i < read->len; i++)
    {
      const SluiceNamedTensor *named = &g_array_index (read, SluiceNamedTensor, i);
      check_tensor (named->tensor, json_object_get_object_member (tensors, named->name));
    }
}

/* What TensorFlow's reader said of each tensor of a damaged copy, tensor by tensor, and the code.
 */
typedef struct
{
  const char *folder;
  SluiceError code;
} Damage;

static void
test_refuses_damage (gconstpointer data)
{
  const Damage *damage = data;
  g_autoptr (JsonNode) root = load_expected (damage->folder);
  JsonObject *says = json_object_get_object_member (json_node_get_object (root), "tensorflow");
  g_autofree char *prefix = dup_checkpoint (damage->folder, "model.ckpt-20000");
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTensorBundle) bundle = sluice_tensor_bundle_open (prefix, &error);
  if (bundle == NULL)
    {
      g_assert_error (error, SLUICE_ERROR, (int) damage->code);
      g_assert_nonnull (strstr (error->message, "model.ckpt-20000"));
      g_assert_false (json_object_get_boolean_member (says, "opens"));
      return;
    }
  g_assert_true (json_object_get_boolean_member (says, "opens"));
  JsonObject *tensors = json_object_get_object_member (says, "tensors");
  g_autoptr (GList) names = json_object_get_members (tensors);
  for (GList *l = names; l != NULL; l = l->next)
    {
      g_autoptr (GError) local = NULL;
      g_autoptr (SluiceTensor) tensor = sluice_tensor_bundle_read (bundle, l->data, NULL, &local);
      if (strcmp (json_object_get_string_member (tensors, l->data), "OK") == 0)
        g_assert_no_error (local);
      else
        {
          g_assert_error (local, SLUICE_ERROR, (int) damage->code);
          g_assert_nonnull (strstr (local->message, l->data));
        }
    }
}

/* ---- what is written here ---- */

typedef struct
{
  char *folder, *prefix;
} Fixture;

static void
set_up (Fixture *f, gconstpointer unused)
{
  f->folder = g_dir_make_tmp ("sluice-bundle-XXXXXX", NULL);
  f->prefix = g_build_filename (f->folder, "deep", "model.ckpt-3", NULL);
}

static void
tear_down (Fixture *f, gconstpointer unused)
{
  remove_tree (f->folder);
  g_free (f->folder);
  g_free (f->prefix);
}

static const SluiceDType dtypes[] = {
  SLUICE_FLOAT,     SLUICE_DOUBLE, SLUICE_INT32,  SLUICE_UINT8,   SLUICE_INT16,      SLUICE_INT8,
  SLUICE_COMPLEX64, SLUICE_INT64,  SLUICE_BOOL,   SLUICE_QINT8,   SLUICE_QUINT8,     SLUICE_QINT32,
  SLUICE_BFLOAT16,  SLUICE_QINT16, SLUICE_UINT16, SLUICE_QUINT16, SLUICE_COMPLEX128, SLUICE_HALF,
  SLUICE_UINT32,    SLUICE_UINT64, SLUICE_STRING,
};

static SluiceTensor *
make_tensor (SluiceDType dtype, const SluiceShape *shape)
{
  SluiceTensor *tensor = sluice_tensor_new_zeros (dtype, shape);
  guint8 *bytes = tensor->data;
  if (dtype == SLUICE_STRING)
    for (gint64 i = 0; i < tensor->n_elements; i++)
      sluice_string_set ((SluiceString *) tensor->data + i, "a\0b\xff\n", i % 6);
  else
    for (gsize k = 0; k < sluice_tensor_bytes (tensor); k++)
      bytes[k] = dtype == SLUICE_BOOL ? k % 2 : k * 37 + dtype;
  return tensor;
}

static void
add (SluiceTensorBundleWriter *writer, const char *name, const SluiceTensor *tensor)
{
  g_autoptr (GError) error = NULL;
  g_assert_true (sluice_tensor_bundle_writer_add (writer, name, tensor, NULL, NULL, &error));
  g_assert_no_error (error);
}

static void
finish (SluiceTensorBundleWriter *writer)
{
  g_autoptr (GError) error = NULL;
  g_assert_true (sluice_tensor_bundle_writer_finish (writer, &error));
  g_assert_no_error (error);
}

static SluiceTensorBundleWriter *
start (Fixture *f, gconstpointer format)
{
  g_autoptr (GError) error = NULL;
  g_assert_true (sluice_file_make_folder (f->prefix, NULL)); /* which V1 does not */
  SluiceTensorBundleWriter *writer = strcmp (format, "v1") == 0
                                         ? sluice_tensor_bundle_writer_new_v1 (f->prefix, &error)
                                         : sluice_tensor_bundle_writer_new (f->prefix, &error);
  g_assert_no_error (error);
  return writer;
}

/* Every dtype, with a scalar, an empty one, and so many that the table has several blocks. */
static void
test_round_trip (Fixture *f, gconstpointer format)
{
  const SluiceShape shapes[] = { SLUICE_SHAPE_SCALAR, SLUICE_SHAPE (3, 0), SLUICE_SHAPE (2, 3, 5) };
  SluiceTensorBundleWriter *writer = start (f, format);
  for (guint i = 0; i < G_N_ELEMENTS (dtypes) * G_N_ELEMENTS (shapes); i++)
    {
      g_autoptr (SluiceTensor) tensor = make_tensor (dtypes[i / 3], &shapes[i % 3]);
      g_autofree char *name =
          g_strdup_printf ("%s/%u \xc3\xa9\xff", sluice_dtype_name (dtypes[i / 3]), i % 3);
      if (strcmp (format, "v1") == 0) /* protobuf's strings are UTF-8 for TensorFlow, not here */
        name[strlen (name) - 1] = '~';
      add (writer, name, tensor);
    }
  for (guint i = 0; i < 20000; i++)
    {
      g_autoptr (SluiceTensor) tensor = sluice_tensor_new_int32 (i);
      g_autofree char *name = g_strdup_printf ("many/%u", i);
      add (writer, name, tensor);
    }
  finish (writer);
  g_autoptr (SluiceTensorBundle) bundle = open_bundle (f->prefix);
  g_autoptr (GArray) list = sluice_tensor_bundle_list (bundle, NULL);
  g_assert_cmpuint (list->len, ==, 20000 + 3 * G_N_ELEMENTS (dtypes));
  for (guint i = 0; i < list->len; i++)
    {
      const SluiceBundleTensor *info = &g_array_index (list, SluiceBundleTensor, i);
      g_autoptr (SluiceTensor) got = read_tensor (bundle, info->name, NULL);
      g_autoptr (SluiceTensor) want =
          g_str_has_prefix (info->name, "many/")
              ? sluice_tensor_new_int32 (atoi (info->name + strlen ("many/")))
              : make_tensor (info->dtype, &info->shape);
      g_assert_true (sluice_tensor_identical (got, want));
    }
}

static void
test_writes_slices (Fixture *f, gconstpointer format)
{
  static const char *const specs[] = { "4 6 0,1:-", "4 6 1,3:0,2", "4 6 1,3:2,4" };
  const SluiceShape shape = SLUICE_SHAPE (4, 6);
  g_autoptr (SluiceTensor) whole = make_tensor (SLUICE_STRING, &shape);
  SluiceSlice all = sluice_slice_whole (2), slice;
  SluiceShape full;
  SluiceTensorBundleWriter *writer = start (f, format);
  for (guint i = 0; i < G_N_ELEMENTS (specs); i++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_true (sluice_slice_parse_spec (specs[i], strlen (specs[i]), &full, &slice, NULL));
      SluiceShape part_shape = sluice_slice_shape (&slice, &full);
      g_autoptr (SluiceTensor) part = sluice_tensor_new_zeros (SLUICE_STRING, &part_shape);
      sluice_slice_copy (&full, part, &slice, whole, &all);
      sluice_tensor_bundle_writer_add (writer, "x", part, &full, &slice, &error);
      g_assert_no_error (error);
      g_assert_false (sluice_tensor_bundle_writer_add (writer, "x", part, &full, &slice, &error));
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
    }
  finish (writer);
  g_autoptr (SluiceTensorBundle) bundle = open_bundle (f->prefix);
  g_autoptr (SluiceTensor) got = read_tensor (bundle, "x", NULL);
  g_assert_true (sluice_tensor_identical (got, whole));
  g_assert_true (sluice_slice_parse_spec ("4 6 0,3:1,4", 11, &full, &slice, NULL));
  g_autoptr (SluiceTensor) part = read_tensor (bundle, "x", &slice);
  g_autoptr (SluiceTensor) want = sluice_tensor_new_zeros (SLUICE_STRING, &SLUICE_SHAPE (3, 4));
  sluice_slice_copy (&shape, want, &slice, whole, &all);
  g_assert_true (sluice_tensor_identical (part, want));
}

/* Slices with a hole, and slices that overlap though their number of elements is right. */
static void
test_refuses_bad_slices (Fixture *f, gconstpointer format)
{
  static const char *const specs[][2] = { { "4 0,2", NULL }, { "4 0,2", "4 1,2" } };
  static const int codes[] = { SLUICE_ERROR_NOT_FOUND, SLUICE_ERROR_DATA_LOSS };
  g_autoptr (SluiceTensor) part = make_tensor (SLUICE_INT32, &SLUICE_SHAPE (2));
  for (guint i = 0; i < 2; i++)
    {
      SluiceTensorBundleWriter *writer = start (f, format);
      g_autoptr (GError) error = NULL;
      for (guint k = 0; k < 2 && specs[i][k] != NULL; k++)
        {
          SluiceShape full;
          SluiceSlice slice;
          g_assert_true (
              sluice_slice_parse_spec (specs[i][k], strlen (specs[i][k]), &full, &slice, NULL));
          g_assert_true (sluice_tensor_bundle_writer_add (writer, "x", part, &full, &slice, NULL));
        }
      finish (writer);
      g_autoptr (SluiceTensorBundle) bundle = open_bundle (f->prefix);
      g_assert_null (sluice_tensor_bundle_read (bundle, "x", NULL, &error));
      g_assert_error (error, SLUICE_ERROR, codes[i]);
    }
}

static void
test_merges (Fixture *f, gconstpointer unused)
{
  g_autofree char *a = g_strconcat (f->prefix, "_a", NULL);
  g_autofree char *b = g_strconcat (f->prefix, "_b", NULL);
  const char *const parts[] = { a, b };
  g_autoptr (GError) error = NULL;
  for (guint i = 0; i < 2; i++)
    {
      SluiceTensorBundleWriter *writer = sluice_tensor_bundle_writer_new (parts[i], NULL);
      g_autoptr (SluiceTensor) own = sluice_tensor_new_int64 (i + 7);
      g_autoptr (SluiceTensor) half = make_tensor (SLUICE_FLOAT, &SLUICE_SHAPE (2, 3));
      SluiceSlice slice = { 2, { 2 * i, 0 }, { 2, SLUICE_SLICE_ALL } };
      g_assert_true (sluice_tensor_bundle_writer_add (writer, "shared", half, &SLUICE_SHAPE (4, 3),
                                                      &slice, NULL));
      add (writer, i == 0 ? "first" : "second", own);
      finish (writer);
    }
  g_assert_true (sluice_tensor_bundle_merge (parts, 2, f->prefix, FALSE, &error));
  g_assert_no_error (error);
  g_assert_false (sluice_tensor_bundle_exists (parts[0]));
  g_autoptr (SluiceTensorBundle) bundle = open_bundle (f->prefix);
  g_autofree char *format = sluice_tensor_bundle_dup_format (bundle);
  g_assert_nonnull (strstr (format, "shards: 2"));
  g_autoptr (SluiceTensor) second = read_tensor (bundle, "second", NULL);
  g_assert_cmpint (sluice_tensor_get_int (second, 0), ==, 8);
  g_autoptr (SluiceTensor) shared = read_tensor (bundle, "shared", NULL);
  g_assert_cmpint (shared->shape.dim[0], ==, 4);
  g_assert_false (sluice_tensor_bundle_merge (parts, 2, f->prefix, FALSE, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
}

static void
test_tells_what_is_missing (Fixture *f, gconstpointer format)
{
  static const char *const names[] = { "fc/wieghts", "fc/biases", "zzz" };
  SluiceTensorBundleWriter *writer = start (f, format);
  g_autoptr (SluiceTensor) tensor = sluice_tensor_new_float (1);
  add (writer, "fc/weights", tensor);
  add (writer, "fc/biases", tensor);
  finish (writer);
  g_autoptr (SluiceTensorBundle) bundle = open_bundle (f->prefix);
  g_autoptr (GError) error = NULL;
  g_assert_false (sluice_tensor_bundle_check_names (bundle, names, G_N_ELEMENTS (names), &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "'fc/wieghts' (did you mean 'fc/weights'?), 'zzz'"));
  g_assert_null (strstr (error->message, "'fc/biases'"));
  g_clear_error (&error);
  g_assert_null (sluice_tensor_bundle_read (bundle, "fc/weight", NULL, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
}

/* Any byte of a bundle changed: the right tensor, or an error. */
static void
test_notices_every_byte (Fixture *f, gconstpointer format)
{
  g_autofree char *name =
      strcmp (format, "v1") == 0 ? g_strdup (f->prefix) : g_strconcat (f->prefix, ".index", NULL);
  SluiceTensorBundleWriter *writer = start (f, format);
  g_autoptr (SluiceTensor) want = make_tensor (SLUICE_INT16, &SLUICE_SHAPE (2, 3));
  add (writer, "w", want);
  finish (writer);
  g_autofree char *bytes = NULL;
  gsize length;
  g_assert_true (g_file_get_contents (name, &bytes, &length, NULL));
  for (gsize i = 0; i < length; i++)
    {
      g_autoptr (GError) error = NULL;
      bytes[i] ^= 0x21;
      g_assert_true (g_file_set_contents (name, bytes, length, NULL));
      bytes[i] ^= 0x21;
      g_autoptr (SluiceTensorBundle) bundle = sluice_tensor_bundle_open (f->prefix, &error);
      g_autoptr (SluiceTensor) got =
          bundle != NULL ? sluice_tensor_bundle_read (bundle, "w", NULL, &error) : NULL;
      g_assert_true ((got == NULL) == (error != NULL));
      g_assert_true (got == NULL || sluice_tensor_identical (got, want));
    }
}

static void
test_slice_specs (void)
{
  static const char *const bad[] = {
    "4",
    "4 ",
    "x 0,2",
    "4 6 0,2",
    "4 0,2:-",
    "4 0,0",
    "4 -1,2",
    "4 3,2",
    "4 0,5",
    "4 0",
    "4 0,1,2",
    " ",
    "4 6",
    "4 0,99999999999999999999",
    "4  0,2:-",
    "-4 0,2",
    "4 6 :",
    "4 6 0,2:-:",
    "4 6 -",
    "4 -:-",
    "1 1 1 1 1 1 1 1 1 -:-:-:-:-:-:-:-:-",
    "9223372036854775807 9223372036854775807 -:-",
  };
  SluiceShape full;
  SluiceSlice slice;
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;
      if (sluice_slice_parse_spec (bad[i], strlen (bad[i]), &full, &slice, &error))
        g_error ("'%s' was taken", bad[i]);
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
    }
  g_assert_true (sluice_slice_parse_spec ("", 0, &full, &slice, NULL));
  g_assert_cmpint (full.rank, ==, SLUICE_UNKNOWN_RANK);
  g_assert_true (sluice_slice_parse_spec ("4 6 0,2:-", 9, &full, &slice, NULL));
  g_assert_true (sluice_shape_equal (&full, &SLUICE_SHAPE (4, 6)));
  g_assert_cmpint (slice.length[0], ==, 2);
  g_assert_cmpint (slice.length[1], ==, SLUICE_SLICE_ALL);
}

static void
test_crc32c (void)
{
  char zeros[32] = { 0 };
  g_assert_cmphex (sluice_crc32c (0, "123456789", 9), ==, 0xe3069283); /* the check of RFC 3720 */
  g_assert_cmphex (sluice_crc32c (0, zeros, sizeof zeros), ==, 0x8a9136aa);
  g_assert_cmphex (sluice_crc32c (sluice_crc32c (0, "12345", 5), "6789", 4), ==, 0xe3069283);
  for (gsize n = 0; n <= 9; n++)
    g_assert_cmphex (sluice_crc32c_join (sluice_crc32c (0, "123456789", n),
                                         sluice_crc32c (0, &"123456789"[n], 9 - n), 9 - n),
                     ==, 0xe3069283);
}

int
main (int argc, char **argv)
{
  static const char *const folders[] = {
    "v2", "v2_sharded", "v1", "partitioned_v1", "partitioned_v2", "object_based"
  };
  static const Damage damages[] = {
    { "damaged/bad_data", SLUICE_ERROR_DATA_LOSS },
    { "damaged/bad_index_block", SLUICE_ERROR_DATA_LOSS },
    { "damaged/bad_index_magic", SLUICE_ERROR_DATA_LOSS },
    { "damaged/missing_data", SLUICE_ERROR_NOT_FOUND },
    { "damaged/truncated_data", SLUICE_ERROR_OUT_OF_RANGE },
    { "damaged/truncated_index", SLUICE_ERROR_DATA_LOSS },
  };
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/bundle/crc32c", test_crc32c);
  g_test_add_func ("/bundle/slice-specs", test_slice_specs);
  for (guint i = 0; i < G_N_ELEMENTS (folders); i++)
    {
      g_autofree char *path = g_strconcat ("/bundle/tensorflow/", folders[i], NULL);
      g_test_add_data_func (path, folders[i], test_reads_tensorflow);
    }
  g_test_add_func ("/bundle/tensorflow/safetensors", test_reads_safetensors);
  for (guint i = 0; i < G_N_ELEMENTS (damages); i++)
    {
      g_autofree char *path = g_strconcat ("/bundle/", damages[i].folder, NULL);
      g_test_add_data_func (path, &damages[i], test_refuses_damage);
    }
#define ADD(name, data, func) g_test_add (name, Fixture, data, set_up, func, tear_down)
  ADD ("/bundle/round-trip/v2", "v2", test_round_trip);
  ADD ("/bundle/round-trip/v1", "v1", test_round_trip);
  ADD ("/bundle/slices/v2", "v2", test_writes_slices);
  ADD ("/bundle/slices/v1", "v1", test_writes_slices);
  ADD ("/bundle/bad-slices/v2", "v2", test_refuses_bad_slices);
  ADD ("/bundle/bad-slices/v1", "v1", test_refuses_bad_slices);
  ADD ("/bundle/merge", NULL, test_merges);
  ADD ("/bundle/missing/v2", "v2", test_tells_what_is_missing);
  ADD ("/bundle/missing/v1", "v1", test_tells_what_is_missing);
  ADD ("/bundle/every-byte/v2", "v2", test_notices_every_byte);
  ADD ("/bundle/every-byte/v1", "v1", test_notices_every_byte);
  return g_test_run ();
}

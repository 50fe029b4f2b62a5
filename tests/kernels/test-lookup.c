/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Lookup tables where TensorFlow's cases say nothing: the ops before V2, vectors as values, what is
   removed and imported, the layout of a dense table. What comes out is what TensorFlow 2.21 gave.
 */
#include <glib/gstdio.h>

#include "tests/kernels/harness.h"

static SluiceEdge
ints (Harness *h, const SluiceShape *shape, const gint64 *values)
{
  return sluice_builder_const (&h->b, sluice_tensor_new_from (SLUICE_INT64, shape, values));
}
#define INTS(h, ...)                                                                               \
  ints ((h), &SLUICE_SHAPE (SLUICE_COUNT_ (gint64, __VA_ARGS__)), (gint64[]){ __VA_ARGS__ })
#define FLOATS(h, ...)                                                                             \
  harness_floats ((h), &SLUICE_SHAPE (SLUICE_COUNT_ (float, __VA_ARGS__)), (float[]){ __VA_ARGS__ })

static void
check_ints (Harness *h, const char *fetch, guint n, const gint64 *want)
{
  g_autoptr (SluiceTensor) got = harness_fetch (h, fetch);
  g_assert_cmpint (got->n_elements, ==, n);
  for (guint i = 0; i < n; i++)
    g_assert_cmpint (((const gint64 *) got->data)[i], ==, want[i]);
}
#define CHECK_INTS(h, fetch, ...)                                                                  \
  check_ints ((h), (fetch), SLUICE_COUNT_ (gint64, __VA_ARGS__), (gint64[]){ __VA_ARGS__ })

static void
check_floats (Harness *h, const char *fetch, guint n, const float *want)
{
  g_autoptr (SluiceTensor) got = harness_fetch (h, fetch);
  g_assert_cmpint (got->n_elements, ==, n);
  for (guint i = 0; i < n; i++)
    g_assert_cmpfloat (((const float *) got->data)[i], ==, want[i]);
}
#define CHECK_FLOATS(h, fetch, ...)                                                                \
  check_floats ((h), (fetch), SLUICE_COUNT_ (float, __VA_ARGS__), (float[]){ __VA_ARGS__ })

#define ENTRY_TYPES                                                                                \
  SLUICE_ATTRS (sluice_attr_type ("key_dtype", SLUICE_INT64),                                      \
                sluice_attr_type ("value_dtype", SLUICE_FLOAT))
#define EXPORT_TYPES                                                                               \
  SLUICE_ATTRS (sluice_attr_type ("Tkeys", SLUICE_INT64),                                          \
                sluice_attr_type ("Tvalues", SLUICE_FLOAT))

/* Fills, looks up and empties a table by its name. */
static void
check_by_name (const char *op, gboolean is_dense)
{
  g_auto (Harness) h;
  harness_init (&h, 1, FALSE);
  SluiceEdge empty = INTS (&h, -1);
  SluiceEdge key = harness_op (&h, "Reshape", "empty", empty,
                               sluice_builder_const_ints (&h.b, SLUICE_INT32, NULL, 0));
  SluiceEdge t = harness_add (&h, op, "t", &key, is_dense, ENTRY_TYPES);
  harness_op (&h, "LookupTableInsert", "insert", t, INTS (&h, 1, 2, 1), FLOATS (&h, 1, 2, 3));
  harness_op (&h, "LookupTableFind", "find", t, INTS (&h, 1, 2, 9),
              harness_floats (&h, &SLUICE_SHAPE_SCALAR, (float[]){ -1 }));
  harness_op (&h, "LookupTableSize", "size", t);
  harness_op (&h, "LookupTableImport", "import", t, INTS (&h, 7), FLOATS (&h, 70));
  harness_add (&h, "LookupTableExport", "export", &t, 1, EXPORT_TYPES);
  CHECK_INTS (&h, "size", 0);
  harness_target (&h, "insert");
  CHECK_FLOATS (&h, "find", 3, 2, -1);
  CHECK_INTS (&h, "size", 2);
  harness_target (&h, "import");
  CHECK_FLOATS (&h, "find", -1, -1, -1);
  CHECK_INTS (&h, "size", 1);
  if (!is_dense)
    CHECK_FLOATS (&h, "export:1", 70);
}

static void
test_by_name (void)
{
  check_by_name ("MutableHashTable", FALSE);
  check_by_name ("MutableDenseHashTable", TRUE);
}

static void
test_file_by_name (void)
{
  g_auto (Harness) h;
  harness_init (&h, 1, FALSE);
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "sluice-vocabulary-XXXXXX", NULL);
  int fd = g_mkstemp (path);
  g_assert_cmpint (fd, >=, 0);
  g_assert_true (g_file_set_contents (path, "5 0.5\r\n6 1.5", -1, NULL));
  SluiceEdge t = harness_add (&h, "HashTable", "t", NULL, 0, ENTRY_TYPES);
  SluiceEdge inputs[] = { t, sluice_builder_const (&h.b, sluice_tensor_new_string (path, -1)) };
  harness_add (&h, "InitializeTableFromTextFile", "fill", inputs, 2,
               SLUICE_ATTRS (sluice_attr_int ("key_index", 0), sluice_attr_int ("value_index", 1),
                             sluice_attr_string ("delimiter", " ")));
  harness_op (&h, "InitializeTable", "again", t, INTS (&h, 5), FLOATS (&h, 0.5f));
  harness_op (&h, "LookupTableFind", "find", t, INTS (&h, 6, 5, 4),
              harness_floats (&h, &SLUICE_SHAPE_SCALAR, (float[]){ 0 }));
  harness_fails (&h, "find", NULL, SLUICE_ERROR_FAILED_PRECONDITION);
  harness_target (&h, "fill");
  CHECK_FLOATS (&h, "find", 1.5f, 0.5f, 0);
  harness_target (&h, "fill");
  harness_fails (&h, NULL, "again", SLUICE_ERROR_FAILED_PRECONDITION);
  g_assert_true (g_remove (path) == 0 && g_close (fd, NULL));
}

static void
check_tensors (const char *op, const char *suffix)
{
  g_auto (Harness) h;
  harness_init (&h, 1, FALSE);
  g_autofree char *insert = g_strconcat ("LookupTableInsert", suffix, NULL);
  g_autofree char *find = g_strconcat ("LookupTableFind", suffix, NULL);
  SluiceEdge t = harness_add (&h, op, "t", NULL, 0,
                              SLUICE_ATTRS (sluice_attr_type ("key_dtype", SLUICE_INT64),
                                            sluice_attr_type ("value_dtype", SLUICE_FLOAT),
                                            sluice_attr_shape ("value_shape", &SLUICE_SHAPE (2))));
  SluiceEdge rows = harness_floats (&h, &SLUICE_SHAPE (2, 2), (float[]){ 1, 2, 3, 4 });
  SluiceEdge own = harness_floats (&h, &SLUICE_SHAPE (2, 2), (float[]){ 0, -1, 5, 6 });
  harness_op (&h, insert, "insert", t, INTS (&h, 1, 2), rows);
  harness_op (&h, insert, "wrong", t, INTS (&h, 1, 2), FLOATS (&h, 1, 2));
  harness_op (&h, find, "find", t, INTS (&h, 2, 9), FLOATS (&h, 0, -1));
  harness_op (&h, find, "own", t, INTS (&h, 9, 2), own);
  harness_target (&h, "insert");
  CHECK_FLOATS (&h, "find", 3, 4, 0, -1);
  CHECK_FLOATS (&h, "own", 0, -1, 3, 4);
  harness_fails (&h, NULL, "wrong", SLUICE_ERROR_INVALID_ARGUMENT);
}

static void
test_tensors (void)
{
  check_tensors ("MutableHashTableOfTensors", "");
  check_tensors ("MutableHashTableOfTensorsV2", "V2");
}

static void
test_dense (void)
{
  g_auto (Harness) h;
  harness_init (&h, 1, FALSE);
  SluiceEdge keys[] = { INTS (&h, -1, -1), INTS (&h, -2, -2) };
  SluiceEdge t = harness_add (&h, "MutableDenseHashTableV2", "t", keys, 2,
                              SLUICE_ATTRS (sluice_attr_type ("value_dtype", SLUICE_FLOAT),
                                            sluice_attr_shape ("value_shape", &SLUICE_SHAPE (2)),
                                            sluice_attr_int ("initial_num_buckets", 4)));
  SluiceEdge two = ints (&h, &SLUICE_SHAPE (2, 2), (gint64[]){ 1, 2, 3, 4 });
  SluiceEdge one = ints (&h, &SLUICE_SHAPE (1, 2), (gint64[]){ 1, 2 });
  SluiceEdge rows = harness_floats (&h, &SLUICE_SHAPE (2, 2), (float[]){ 1, 2, 3, 4 });
  harness_op (&h, "LookupTableInsertV2", "insert", t, two, rows);
  harness_op (&h, "LookupTableRemoveV2", "remove", t, one);
  harness_op (&h, "LookupTableFindV2", "find", t, two, FLOATS (&h, 0, 0));
  harness_op (&h, "LookupTableFindV2", "empty", t, keys[0], FLOATS (&h, 0, 0));
  SluiceEdge export = harness_add (&h, "LookupTableExportV2", "export", &t, 1, EXPORT_TYPES);
  harness_op (&h, "LookupTableImportV2", "import", t, export, sluice_edge_port (export, 1));
  harness_op (&h, "LookupTableSizeV2", "size", t);
  harness_target (&h, "insert");
  CHECK_INTS (&h, "export", 3, 4, -1, -1, -1, -1, 1, 2);
  CHECK_FLOATS (&h, "export:1", 3, 4, 0, 0, 0, 0, 1, 2);
  harness_target (&h, "remove");
  CHECK_FLOATS (&h, "find", 0, 0, 3, 4);
  harness_target (&h, "import");
  CHECK_INTS (&h, "size", 1);
  CHECK_FLOATS (&h, "find", 0, 0, 3, 4);
  harness_fails (&h, "empty", NULL, SLUICE_ERROR_INVALID_ARGUMENT);
}

/* Entries come and go; the table holds what a GHashTable does. */
static void
test_many (void)
{
  g_auto (Harness) h;
  harness_init (&h, 1, FALSE);
  SluiceEdge t = harness_add (&h, "MutableHashTableV2", "t", NULL, 0, ENTRY_TYPES);
  SluiceEdge keys = harness_placeholder (&h, "keys", SLUICE_INT64);
  SluiceEdge values = harness_placeholder (&h, "values", SLUICE_FLOAT);
  harness_op (&h, "LookupTableInsertV2", "insert", t, keys, values);
  harness_op (&h, "LookupTableRemoveV2", "remove", t, keys);
  harness_op (&h, "LookupTableSizeV2", "size", t);
  g_autoptr (GHashTable) held = g_hash_table_new (NULL, NULL);
  g_autoptr (GRand) random = g_rand_new_with_seed (3);
  for (int step = 0; step < 200; step++)
    {
      g_autoptr (SluiceTensor) k = sluice_tensor_new_zeros (SLUICE_INT64, &SLUICE_SHAPE (20));
      g_autoptr (SluiceTensor) v = sluice_tensor_new_zeros (SLUICE_FLOAT, &SLUICE_SHAPE (20));
      gboolean drop = g_rand_boolean (random);
      for (int i = 0; i < 20; i++)
        {
          int key = g_rand_int_range (random, 1, 300);
          ((gint64 *) k->data)[i] = key;
          if (drop)
            g_hash_table_remove (held, GINT_TO_POINTER (key));
          else
            g_hash_table_add (held, GINT_TO_POINTER (key));
        }
      SluiceFeed feeds[] = { { "keys", k }, { "values", v } };
      g_autoptr (GError) error = NULL;
      harness_run (&h, NULL, drop ? "remove" : "insert", feeds, drop ? 1 : 2, &error);
      g_assert_no_error (error);
      CHECK_INTS (&h, "size", g_hash_table_size (held));
    }
}

/* What a run keeps a later one gets, until it is dropped. */
static void
test_session (void)
{
  g_auto (Harness) h;
  harness_init (&h, 1, FALSE);
  harness_op (&h, "GetSessionHandle", "keep", FLOATS (&h, 1, 2));
  harness_op (&h, "GetSessionHandleV2", "keep_v2", FLOATS (&h, 1, 2));
  SluiceEdge handle = harness_placeholder (&h, "handle", SLUICE_STRING);
  harness_add (&h, "GetSessionTensor", "get", &handle, 1,
               SLUICE_ATTRS (sluice_attr_type ("dtype", SLUICE_FLOAT)));
  harness_op (&h, "DeleteSessionTensor", "delete", handle);
  harness_add (&h, "Timestamp", "now", NULL, 0, NULL, 0);
  g_autoptr (SluiceTensor) first = harness_fetch (&h, "keep");
  g_autoptr (SluiceTensor) second = harness_fetch (&h, "keep");
  g_assert_false (sluice_tensor_identical (first, second));
  SluiceFeed feed = { "handle", first };
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTensor) got = harness_run (&h, "get", NULL, &feed, 1, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (((const float *) got->data)[1], ==, 2);
  harness_run (&h, NULL, "delete", &feed, 1, &error);
  g_assert_no_error (error);
  g_assert_null (harness_run (&h, "get", NULL, &feed, 1, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  harness_target (&h, "keep_v2");
  g_autoptr (SluiceTensor) now = harness_fetch (&h, "now");
  g_assert_cmpfloat (*(const double *) now->data, >, 1.7e9);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  g_test_add_func ("/kernels/lookup/by-name", test_by_name);
  g_test_add_func ("/kernels/lookup/file-by-name", test_file_by_name);
  g_test_add_func ("/kernels/lookup/tensors", test_tensors);
  g_test_add_func ("/kernels/lookup/dense", test_dense);
  g_test_add_func ("/kernels/lookup/many", test_many);
  g_test_add_func ("/kernels/lookup/session", test_session);
  return g_test_run ();
}

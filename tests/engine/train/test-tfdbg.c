/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What TensorFlow's debugger dumped (tfdbg/make.py) as a reference. */
#include <string.h>

#include "engine/base/error.h"
#include "engine/graph/graphdef.h"
#include "engine/passes/fold.h"
#include "engine/train/comparison.h"
#include "engine/train/reference.h"
#include "engine/train/tfdbg.h"
#include "kernels/registry.h"
#include "tests/engine/train/folder.h"

#define FILE_NAME "tfdbg_events.0.host.graph_execution_traces"

static char *
dup_path (const char *name)
{
  return g_build_filename (g_getenv ("SLUICE_SOURCE_DIR"), "tests", "engine", "train", "tfdbg",
                           name, NULL);
}

/* The graph that TensorFlow ran, fed with so much; beside the dump. */
static SluiceComparison *
compare (float first, GError **error)
{
  g_autofree char *path = dup_path ("graph.pb"), *values = dup_path ("values");
  g_autoptr (SluiceGraph) graph = sluice_graph_load_file (path, error);
  const float elements[] = { first, 2, -3, 0.5f };
  g_autoptr (SluiceTensor) x = sluice_tensor_new_zeros (SLUICE_FLOAT, &SLUICE_SHAPE (2, 2));
  memcpy (x->data, elements, sizeof elements);
  const SluiceFeed feed = { "x:0", x };
  const SluiceComparisonOptions options = { .feeds = &feed,
                                            .n_feeds = 1,
                                            .reference = values,
                                            .way = { .n_cpus = 1 },
                                            .seed = 1,
                                            .tolerance = { .by_dtype = TRUE } };
  return graph != NULL ? sluice_compare (graph, &options, error) : NULL;
}

static void
test_same (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceComparison) same = compare (1, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (same->edges->len, >=, 8);
  g_assert_cmpuint (same->n_divergent, ==, 0);
  g_assert_null (same->first);
}

/* Another value was fed: the first that differs is what was fed, or who reads it. */
static void
test_other (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceComparison) other = compare (1.5f, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (other->n_divergent, >, 0);
  g_assert_nonnull (other->first);
}

static void
test_health (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *health = dup_path ("health"), *nothing = dup_path ("graph.pb");
  g_assert_true (sluice_tfdbg_is (health));
  g_assert_false (sluice_tfdbg_is (nothing));
  g_assert_null (sluice_reference_open (health, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_FAILED_PRECONDITION);
  g_assert_nonnull (strstr (error->message, "FULL_TENSOR"));
}

static void
test_names (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = dup_path ("values/" FILE_NAME);
  g_autoptr (SluiceTfdbg) dump = sluice_tfdbg_open (path, &error);
  g_assert_no_error (error);
  g_autoptr (GPtrArray) names = sluice_tfdbg_dup_names (dump);
  g_assert_true (g_ptr_array_find_with_equal_func (names, "product", g_str_equal, NULL));
  g_assert_true (g_ptr_array_find_with_equal_func (names, "halves:1", g_str_equal, NULL));
  g_autoptr (SluiceTensor) product = sluice_tfdbg_read (dump, "product", &error);
  g_assert_cmpint (product->dtype, ==, SLUICE_FLOAT);
  g_assert_cmpfloat (((const float *) product->data)[0], ==, 3.5f);
  g_assert_null (sluice_tfdbg_read (dump, "produkt", &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
}

/* Cut anywhere it has less; with another byte it is refused, or the byte was in no value. */
static void
test_damaged (void)
{
  Folder folder;
  g_autofree char *path = dup_path ("values/" FILE_NAME), *data = NULL;
  gsize length;
  folder_init (&folder);
  g_autofree char *copy = folder_dup_path (&folder, FILE_NAME);
  g_assert_true (g_file_get_contents (path, &data, &length, NULL));
  for (gsize at = 0; at < length; at += 7)
    for (guint cuts = 0; cuts < 2; cuts++)
      {
        g_autoptr (GError) error = NULL;
        g_autofree char *bad = g_memdup2 (data, length);
        bad[at] ^= 4;
        g_assert_true (g_file_set_contents (copy, bad, (gssize) (cuts ? at : length), NULL));
        g_autoptr (SluiceTfdbg) dump = sluice_tfdbg_open (copy, &error);
        g_assert_true ((dump == NULL) == (error != NULL));
        g_assert_true (!cuts || dump != NULL
                       || g_error_matches (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND));
        g_assert_true (cuts || g_error_matches (error, SLUICE_ERROR, SLUICE_ERROR_DATA_LOSS));
      }
  folder_clear (&folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
  g_test_add_func ("/tfdbg/same", test_same);
  g_test_add_func ("/tfdbg/other", test_other);
  g_test_add_func ("/tfdbg/health", test_health);
  g_test_add_func ("/tfdbg/names", test_names);
  g_test_add_func ("/tfdbg/damaged", test_damaged);
  return g_test_run ();
}

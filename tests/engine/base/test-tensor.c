/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <string.h>

#include "engine/base/error.h"
#include "engine/base/tensor.h"
#include "tests/engine/base/far-memory.h"

static SluiceTensor *
counting (gint64 rows, gint64 columns)
{
  SluiceTensor *tensor =
      sluice_tensor_new (NULL, SLUICE_INT32, &SLUICE_SHAPE (rows, columns), SLUICE_OWNER_NONE);
  for (gint64 i = 0; i < tensor->n_elements; i++)
    ((gint32 *) tensor->data)[i] = i;
  return tensor;
}

static void
test_inline (void)
{
  g_autoptr (SluiceTensor) small = counting (4, 4);
  g_assert_null (small->buffer);
  g_assert_true (sluice_tensor_is_exclusive (small));
  g_autoptr (SluiceTensor) view = sluice_tensor_new_view (small, &SLUICE_SHAPE (2, 2), 4);
  g_assert_cmpint (((gint32 *) view->data)[0], ==, 4);
  ((gint32 *) view->data)[0] = 99; /* a copy */
  g_assert_cmpint (((gint32 *) small->data)[4], ==, 4);
  sluice_tensor_ref (small);
  g_assert_false (sluice_tensor_is_exclusive (small));
  sluice_tensor_unref (small);
  g_assert_cmpuint ((gsize) small->data % 64, ==, 0);
}

static void
test_views (void)
{
  SluiceTensor *big = counting (10, 10);
  g_assert_nonnull (big->buffer);
  g_assert_cmpuint ((gsize) big->data % 64, ==, 0);
  g_assert_true (sluice_tensor_is_exclusive (big));
  g_autoptr (SluiceTensor) view = sluice_tensor_new_view (big, &SLUICE_SHAPE (5, 10), 50);
  g_assert_false (sluice_tensor_is_exclusive (big));
  ((gint32 *) big->data)[50] = -1;
  sluice_tensor_unref (big); /* the elements live on */
  g_assert_cmpint (((gint32 *) view->data)[0], ==, -1);
  g_assert_true (sluice_tensor_is_exclusive (view));
}

/* A small tensor is one block, which goes with the last who reads the elements. */
static void
test_together (void)
{
  SluiceAllocator *allocator = sluice_allocator_new ("test", 0);
  SluiceOwner owner = { 1, SLUICE_MEMORY_ACTIVATION };
  SluiceMemoryStats stats;
  SluiceTensor *tensor = sluice_tensor_new (allocator, SLUICE_INT32, &SLUICE_SHAPE (100), owner);
  sluice_allocator_get_stats (allocator, &stats);
  g_assert_cmpuint (stats.n_allocations, ==, 1);
  g_assert_cmpuint (stats.class_bytes[SLUICE_MEMORY_ACTIVATION], ==, stats.live_bytes);
  g_assert_cmpuint (stats.live_bytes, >, 400);
  for (gint32 i = 0; i < 100; i++)
    ((gint32 *) tensor->data)[i] = i;

  SluiceTensor *view = sluice_tensor_new_view (tensor, &SLUICE_SHAPE (10), 90);
  g_assert_false (sluice_tensor_is_exclusive (tensor));
  sluice_tensor_unref (tensor);
  g_assert_true (sluice_tensor_is_exclusive (view));
  sluice_tensor_set_memory_class (view, SLUICE_MEMORY_GRADIENT);
  sluice_allocator_get_stats (allocator, &stats);
  g_assert_cmpuint (stats.class_bytes[SLUICE_MEMORY_GRADIENT], ==, stats.live_bytes);
  g_assert_cmpuint (stats.live_bytes, >, 400);
  g_assert_cmpint (((gint32 *) view->data)[9], ==, 99);
  sluice_tensor_unref (view);
  sluice_allocator_get_stats (allocator, &stats);
  g_assert_cmpuint (stats.live_bytes, ==, 0);

  tensor = sluice_tensor_new (allocator, SLUICE_INT32, &SLUICE_SHAPE (100000), owner);
  sluice_allocator_get_stats (allocator, &stats);
  g_assert_cmpuint (stats.n_allocations, ==, 3); /* two for a large one */
  sluice_tensor_unref (tensor);
  sluice_allocator_unref (allocator);
}

static void
test_shared (void)
{
  g_autoptr (SluiceTensor) scalar =
      sluice_tensor_new_shared (NULL, SLUICE_FLOAT, &SLUICE_SHAPE_SCALAR, SLUICE_OWNER_NONE);
  g_assert_nonnull (scalar->buffer);
  g_autoptr (SluiceTensor) view = sluice_tensor_new_view (scalar, &SLUICE_SHAPE (1), 0);
  *(float *) scalar->data = 2.5f;
  g_assert_cmpfloat (*(float *) view->data, ==, 2.5f);
  g_autoptr (SluiceTensor) none =
      sluice_tensor_new_shared (NULL, SLUICE_FLOAT, &SLUICE_SHAPE (0, 3), SLUICE_OWNER_NONE);
  g_assert_nonnull (none->buffer);
}

static void
test_strings (void)
{
  SluiceShape shape = SLUICE_SHAPE (6);
  g_autoptr (SluiceTensor) tensor = sluice_tensor_new_zeros (SLUICE_STRING, &shape);
  SluiceString *strings = tensor->data;
  sluice_string_set (&strings[0], "a\0b", 3);
  sluice_string_set (&strings[1], "first", 5);
  sluice_string_set (&strings[1], "second", 6);
  sluice_string_take (&strings[2], g_strdup ("taken"), 5);
  g_autoptr (SluiceTensor) copy = sluice_tensor_dup (tensor, NULL, SLUICE_OWNER_NONE);
  g_assert_true (sluice_tensor_identical (tensor, copy));
  sluice_string_set (&((SluiceString *) copy->data)[0], "a\0c", 3);
  g_assert_false (sluice_tensor_identical (tensor, copy));
  g_autofree char *text = sluice_tensor_to_string (tensor, 3);
  g_assert_cmpstr (text, ==, "string [6] = [\"a\\000b\" \"second\" \"taken\" …]");
  g_autoptr (SluiceTensor) scalar = sluice_tensor_new_string ("inline", -1);
  g_autoptr (SluiceTensor) view = sluice_tensor_new_view (scalar, &SLUICE_SHAPE (1), 0);
  g_assert_cmpmem (((SluiceString *) view->data)->data, 6, "inline", 6);
}

static int n_finalized;

static void
count_finalize (SluiceResource *self)
{
  n_finalized++;
  g_free (self);
}

static const SluiceResourceType counted_type = { "Counted", count_finalize };

static void
test_resources (void)
{
  SluiceResource *resource = g_new0 (SluiceResource, 1);
  atomic_init (&resource->ref_count, 1);
  resource->type = &counted_type;
  SluiceTensor *handle = sluice_tensor_new_resource (resource);
  SluiceTensor *copy = sluice_tensor_dup (handle, NULL, SLUICE_OWNER_NONE);
  sluice_elements_copy (SLUICE_RESOURCE, copy->data, handle->data, 1); /* over itself */
  sluice_tensor_unref (handle);
  g_assert_cmpint (n_finalized, ==, 0);
  sluice_tensor_unref (copy);
  g_assert_cmpint (n_finalized, ==, 1);
}

static void
count_release (gpointer data)
{
  ++*(int *) data;
}

static void
test_foreign (void)
{
  float elements[6] = { 1, 2, 3, 4, 5, 6 };
  int n_released = 0;
  SluiceTensor *tensor = sluice_tensor_new_foreign (SLUICE_FLOAT, &SLUICE_SHAPE (2, 3), elements,
                                                    count_release, &n_released);
  g_assert_false (sluice_tensor_is_exclusive (tensor)); /* not ours to write into */
  SluiceTensor *view = sluice_tensor_new_view (tensor, &SLUICE_SHAPE (3), 3);
  sluice_tensor_unref (tensor);
  g_assert_cmpint (n_released, ==, 0);
  g_assert_true (view->data == &elements[3]);
  sluice_tensor_unref (view);
  g_assert_cmpint (n_released, ==, 1);
}

static void
test_refused (void)
{
  gint64 big = G_GINT64_CONSTANT (1) << 60;
  g_assert_null (sluice_tensor_new (NULL, SLUICE_DOUBLE, &SLUICE_SHAPE (big), SLUICE_OWNER_NONE));
  g_assert_null (sluice_tensor_new (NULL, SLUICE_INT8, &SLUICE_SHAPE (big), SLUICE_OWNER_NONE));
  g_assert_null (sluice_tensor_new (NULL, SLUICE_INT8, &SLUICE_SHAPE (-1), SLUICE_OWNER_NONE));
  g_autoptr (SluiceTensor) none =
      sluice_tensor_new (NULL, SLUICE_DOUBLE, &SLUICE_SHAPE (big, 0, big), SLUICE_OWNER_NONE);
  g_assert_cmpint (none->n_elements, ==, 0);

  g_autoptr (SluiceAllocator) small = sluice_allocator_new ("small", 1 << 16);
  SluiceOwner owner = { 42, SLUICE_MEMORY_PARAMETER };
  g_autoptr (SluiceTensor) holder =
      sluice_tensor_new (small, SLUICE_FLOAT, &SLUICE_SHAPE (100, 100), owner);
  g_assert_cmpint (holder->n_elements, ==, 10000);
  g_autoptr (GError) error = NULL;
  g_assert_null (sluice_tensor_new_checked (small, SLUICE_FLOAT, &SLUICE_SHAPE (100, 100),
                                            SLUICE_OWNER_NONE, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_RESOURCE_EXHAUSTED);
  g_assert_nonnull (strstr (error->message, "float [100,100] (40000 bytes)"));
  g_assert_nonnull (strstr (error->message, "node 42 (parameter) "));
  g_assert_nonnull (strstr (error->message, "up to float [100,100]"));
}

/* Whatever it is written as: -1 of each signed type, the most of each unsigned one. */
static void
test_get_int (void)
{
  static const struct
  {
    SluiceDType dtype;
    gint64 value;
  } types[] = {
    { SLUICE_BOOL, 0xff },         { SLUICE_UINT8, 0xff },     { SLUICE_INT8, -1 },
    { SLUICE_UINT16, 0xffff },     { SLUICE_INT16, -1 },       { SLUICE_INT32, -1 },
    { SLUICE_UINT32, 0xffffffff }, { SLUICE_INT64, -1 },       { SLUICE_UINT64, -1 },
    { SLUICE_QUINT8, 0xff },       { SLUICE_QINT8, -1 },       { SLUICE_QINT32, -1 },
    { SLUICE_QINT16, -1 },         { SLUICE_QUINT16, 0xffff },
  };
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      g_autoptr (SluiceTensor) tensor =
          sluice_tensor_new (NULL, types[i].dtype, &SLUICE_SHAPE (3), SLUICE_OWNER_NONE);
      gsize size = sluice_dtype_size (types[i].dtype);
      memset (tensor->data, 0, 3 * size);
      memset ((char *) tensor->data + size, 0xff, size);
      for (gint64 k = 0; k < 3; k++)
        g_assert_cmpint (sluice_tensor_get_int (tensor, k), ==, k == 1 ? types[i].value : 0);
    }
}

static void
test_text (void)
{
  g_autoptr (SluiceTensor) tensor = counting (2, 3);
  g_autofree char *text = sluice_tensor_to_string (tensor, 100);
  g_assert_cmpstr (text, ==, "int32 [2,3] = [[0 1 2] [3 4 5]]");
  g_autofree char *cut = sluice_tensor_to_string (tensor, 4);
  g_assert_cmpstr (cut, ==, "int32 [2,3] = [[0 1 2] [3 …]]");
  g_autoptr (SluiceTensor) scalar = sluice_tensor_new_float (1.5f);
  g_autofree char *one = sluice_tensor_to_string (scalar, 1);
  g_assert_cmpstr (one, ==, "float [] = 1.5");
  const guint8 bytes[] = { 0, 200, 255 };
  g_autoptr (SluiceTensor) unsigned_bytes =
      sluice_tensor_new_from (SLUICE_UINT8, &SLUICE_SHAPE (3), bytes);
  g_autofree char *positive = sluice_tensor_to_string (unsigned_bytes, 3);
  g_assert_cmpstr (positive, ==, "uint8 [3] = [0 200 255]");
  g_autoptr (SluiceTensor) signed_bytes =
      sluice_tensor_new_from (SLUICE_INT8, &SLUICE_SHAPE (3), bytes);
  g_autofree char *negative = sluice_tensor_to_string (signed_bytes, 3);
  g_assert_cmpstr (negative, ==, "int8 [3] = [0 -56 -1]");
  g_autoptr (SluiceTensor) empty =
      sluice_tensor_new_zeros (SLUICE_BOOL, &SLUICE_SHAPE (G_GINT64_CONSTANT (1) << 40, 0));
  g_autofree char *none = sluice_tensor_to_string (empty, 1);
  g_assert_cmpstr (none, ==, "bool [1099511627776,0] = []");
}

/* Only the elements lie with the device; pointers are the host's. */
static void
test_far (void)
{
  FarMemory memory;
  far_memory_init (&memory);
  SluiceAllocator *allocator = sluice_allocator_new_from ("far", 1 << 20, &memory.source, NULL);
  const SluiceShape shapes[] = { SLUICE_SHAPE_SCALAR, SLUICE_SHAPE (0), SLUICE_SHAPE (100, 200) };
  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      g_autoptr (SluiceTensor) tensor =
          sluice_tensor_new (allocator, SLUICE_FLOAT, &shapes[i], SLUICE_OWNER_NONE);
      g_assert_true (sluice_tensor_is_far (tensor));
      g_assert_true (far_memory_holds (&memory, tensor->data));
      g_assert_true (sluice_tensor_is_exclusive (tensor));
      sluice_tensor_set_memory_class (tensor, SLUICE_MEMORY_ACTIVATION);
    }
  SluiceTensor *tensor =
      sluice_tensor_new_shared (allocator, SLUICE_FLOAT, &shapes[2], SLUICE_OWNER_NONE);
  SluiceTensor *view = sluice_tensor_new_view (tensor, &SLUICE_SHAPE (50, 10), 400);
  g_assert_true (sluice_tensor_is_far (view));
  g_assert_true ((char *) view->data == (char *) tensor->data + 1600);
  sluice_tensor_unref (tensor);
  g_assert_cmpuint (sluice_allocator_get_live (allocator), >, 80000);
  sluice_tensor_unref (view);

  g_autoptr (SluiceTensor) words =
      sluice_tensor_new (allocator, SLUICE_STRING, &SLUICE_SHAPE (30), SLUICE_OWNER_NONE);
  g_assert_false (sluice_tensor_is_far (words));
  sluice_string_set (&((SluiceString *) words->data)[29], "near", 4);

  GError *error = NULL;
  g_assert_null (sluice_tensor_new_checked (allocator, SLUICE_FLOAT, &SLUICE_SHAPE (1 << 20),
                                            SLUICE_OWNER_NONE, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_RESOURCE_EXHAUSTED);
  g_clear_error (&error);
  sluice_allocator_unref (allocator);
  g_assert_cmpuint (memory.n_blocks, ==, 0);
  far_memory_clear (&memory);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/tensor/inline", test_inline);
  g_test_add_func ("/base/tensor/views", test_views);
  g_test_add_func ("/base/tensor/together", test_together);
  g_test_add_func ("/base/tensor/shared", test_shared);
  g_test_add_func ("/base/tensor/strings", test_strings);
  g_test_add_func ("/base/tensor/resources", test_resources);
  g_test_add_func ("/base/tensor/foreign", test_foreign);
  g_test_add_func ("/base/tensor/far", test_far);
  g_test_add_func ("/base/tensor/refused", test_refused);
  g_test_add_func ("/base/tensor/get-int", test_get_int);
  g_test_add_func ("/base/tensor/text", test_text);
  return g_test_run ();
}

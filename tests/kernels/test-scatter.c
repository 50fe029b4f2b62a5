/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Rows of variables: scatters, gathers and their sparse gradients, counters, temporary variables.
 */
#include <string.h>

#include "engine/grad/grad.h"
#include "tests/kernels/harness.h"

enum
{
  N_ROWS = 5,
  SIZE = 3,
  N_UPDATES = 4,
};
static const gint64 numbers[N_UPDATES] = { 3, 0, 3, 1 }; /* one of them twice */

static float
set (float a, float b)
{
  return b;
}
static float
add (float a, float b)
{
  return a + b;
}
static float
sub (float a, float b)
{
  return a - b;
}
static float
mul (float a, float b)
{
  return a * b;
}
static float
divide (float a, float b)
{
  return a / b;
}
static float
least (float a, float b)
{
  return MIN (a, b);
}
static float
most (float a, float b)
{
  return MAX (a, b);
}

static const struct
{
  float (*change) (float a, float b);
  /* Of a reference, by coordinates, and both of a handle; TensorFlow has not all of them. */
  const char *ops[4];
} changes[] = {
  { set,
    { "ScatterUpdate", "ScatterNdUpdate", "ResourceScatterUpdate", "ResourceScatterNdUpdate" } },
  { add, { "ScatterAdd", "ScatterNdAdd", "ResourceScatterAdd", "ResourceScatterNdAdd" } },
  { sub, { "ScatterSub", "ScatterNdSub", "ResourceScatterSub", "ResourceScatterNdSub" } },
  { mul, { "ScatterMul", NULL, "ResourceScatterMul", NULL } },
  { divide, { "ScatterDiv", NULL, "ResourceScatterDiv", NULL } },
  { least, { "ScatterMin", "ScatterNdMin", "ResourceScatterMin", "ResourceScatterNdMin" } },
  { most, { "ScatterMax", "ScatterNdMax", "ResourceScatterMax", "ResourceScatterNdMax" } },
};

static float
start_at (guint i)
{
  return 1 + 0.25f * i;
}

static float
update_at (guint i)
{
  return 2.5f - 0.5f * i;
}

static SluiceEdge
floats (Harness *h, float (*at) (guint i), gint64 n_rows)
{
  float values[N_ROWS * SIZE];
  for (guint i = 0; i < n_rows * SIZE; i++)
    values[i] = at (i);
  return harness_floats (h, &SLUICE_SHAPE (n_rows, SIZE), values);
}

static SluiceEdge
indices (Harness *h, const SluiceShape *shape, const gint64 *values)
{
  return sluice_builder_const (&h->b, sluice_tensor_new_from (SLUICE_INT64, shape, values));
}

static void
check_rows (Harness *h, float (*change) (float a, float b))
{
  float want[N_ROWS * SIZE];
  for (guint i = 0; i < N_ROWS * SIZE; i++)
    want[i] = start_at (i);
  for (guint k = 0; change != NULL && k < N_UPDATES; k++)
    for (guint i = 0; i < SIZE; i++)
      {
        float *at = &want[numbers[k] * SIZE + i];
        *at = change (*at, update_at (k * SIZE + i));
      }
  g_autoptr (SluiceTensor) value = harness_fetch (h, "v/read:0");
  g_assert_cmpmem (value->data, sluice_tensor_bytes (value), want, sizeof want);
}

/* Every scatter in its four forms against a plain loop; a bad number among good ones changes
 * nothing. */
static void
test_changes (void)
{
  static const gint64 bad[N_UPDATES] = { 3, 0, N_ROWS, 1 };
  for (guint i = 0; i < G_N_ELEMENTS (changes); i++)
    for (guint form = 0; form < 4; form++)
      {
        gboolean nd = form & 1, resource = form & 2;
        const char *op = changes[i].ops[form];
        if (op == NULL)
          continue;
        g_auto (Harness) h;
        harness_init (&h, 1, FALSE);
        SluiceShape shape = nd ? SLUICE_SHAPE (N_UPDATES, 1) : SLUICE_SHAPE (N_UPDATES);
        SluiceEdge v = harness_variable (&h, resource, "v", floats (&h, start_at, N_ROWS));
        SluiceEdge updates = floats (&h, update_at, N_UPDATES);
        harness_op (&h, op, "change", v, indices (&h, &shape, numbers), updates);
        harness_op (&h, op, "bad", v, indices (&h, &shape, bad), updates);
        harness_fails (&h, NULL, "change",
                       resource ? SLUICE_ERROR_NOT_FOUND : SLUICE_ERROR_FAILED_PRECONDITION);
        harness_target (&h, "v/init");
        harness_fails (&h, NULL, "bad", SLUICE_ERROR_INVALID_ARGUMENT);
        check_rows (&h, NULL);
        harness_target (&h, "change");
        check_rows (&h, changes[i].change);
      }
}

/* Rows wide enough for several chunks, the same number many times: threads do not matter. */
static void
test_threads (void)
{
  enum
  {
    WIDE = 5000,
    MANY = 60
  };
  g_autoptr (SluiceTensor) first = NULL;
  gint64 rows[MANY];
  for (guint i = 0; i < MANY; i++)
    rows[i] = i % 3;
  for (guint threads = 1; threads <= 4; threads++)
    {
      g_auto (Harness) h;
      sluice_pool_set_threads (threads);
      harness_init (&h, 1, FALSE);
      SluiceEdge v = harness_variable (&h, TRUE, "v", harness_noise (&h, &SLUICE_SHAPE (3, WIDE)));
      harness_op (&h, "ResourceScatterAdd", "add", v, indices (&h, &SLUICE_SHAPE (MANY), rows),
                  harness_noise (&h, &SLUICE_SHAPE (MANY, WIDE)));
      harness_target (&h, "v/init");
      harness_target (&h, "add");
      g_autoptr (SluiceTensor) value = harness_fetch (&h, "v/read:0");
      if (first == NULL)
        first = g_steal_pointer (&value);
      else
        g_assert_true (sluice_tensor_identical (first, value));
    }
  sluice_pool_set_threads (0);
}

/* The gradient of an embedding reaches the optimizer as rows, and changes those alone: in the
 * variable and in its slot. */
static void
test_sparse_gradient (void)
{
  for (guint resource = 0; resource < 2; resource++)
    {
      g_auto (Harness) h;
      harness_init (&h, 1, FALSE);
      SluiceEdge v = harness_variable (&h, resource, "v", floats (&h, start_at, N_ROWS));
      SluiceEdge slot = harness_variable (&h, resource, "slot", floats (&h, update_at, N_ROWS));
      SluiceEdge ids = indices (&h, &SLUICE_SHAPE (N_UPDATES), numbers);
      SluiceEdge y = resource
                         ? harness_add (&h, "ResourceGather", "gather", (SluiceEdge[]){ v, ids }, 2,
                                        SLUICE_ATTRS (sluice_attr_type ("dtype", SLUICE_FLOAT)))
                         : harness_op (&h, "Gather", "gather", v, ids);
      g_autoptr (GError) error = NULL;
      SluiceGrad grad;
      g_assert_true (sluice_gradients (h.graph, "gradients", &y, 1, NULL, &v, 1, &grad, &error));
      g_assert_nonnull (grad.indices.node);
      float rate = 0.5f;
      SluiceEdge scalar = harness_floats (&h, &SLUICE_SHAPE_SCALAR, &rate);
      harness_op (&h, resource ? "ResourceSparseApplyMomentum" : "SparseApplyMomentum", "train", v,
                  slot, scalar, grad.values, grad.indices, scalar);
      harness_target (&h, "v/init");
      harness_target (&h, "slot/init");
      harness_target (&h, "train");
      g_autoptr (SluiceTensor) value = harness_fetch (&h, "v/read:0");
      g_autoptr (SluiceTensor) moved = harness_fetch (&h, "slot/read:0");
      for (guint i = 0; i < N_ROWS * SIZE; i++)
        {
          guint times = i / SIZE == 3 ? 2 : i / SIZE <= 1 ? 1 : 0;
          float a = update_at (i), x = start_at (i);
          for (guint t = 0; t < times; t++)
            {
              a = a * rate + 1;
              x -= a * rate;
            }
          g_assert_cmpfloat (((float *) value->data)[i], ==, x);
          g_assert_cmpfloat (((float *) moved->data)[i], ==, a);
        }
    }
}

static void
test_temporary (void)
{
  g_auto (Harness) h;
  harness_init (&h, 1, FALSE);
  SluiceShape shape = SLUICE_SHAPE (N_UPDATES, SIZE);
  SluiceEdge part = floats (&h, update_at, N_UPDATES);
  SluiceEdge v = harness_add (&h, "TemporaryVariable", "v", NULL, 0,
                              SLUICE_ATTRS (sluice_attr_shape ("shape", &shape),
                                            sluice_attr_type ("dtype", SLUICE_FLOAT),
                                            sluice_attr_string ("var_name", "sum")));
  SluiceEdge sum = harness_op (&h, "Assign", "assign", v, part);
  sum = harness_op (&h, "AssignAdd", "add", sum, part);
  harness_add (&h, "DestroyTemporaryVariable", "end", &sum, 1,
               SLUICE_ATTRS (sluice_attr_string ("var_name", "sum")));
  harness_add (&h, "DestroyTemporaryVariable", "other", &sum, 1,
               SLUICE_ATTRS (sluice_attr_string ("var_name", "product")));
  for (guint run = 0; run < 2; run++)
    {
      g_autoptr (SluiceTensor) value = harness_fetch (&h, "end:0");
      for (guint i = 0; i < N_UPDATES * SIZE; i++)
        g_assert_cmpfloat (((float *) value->data)[i], ==, 2 * update_at (i));
    }
  harness_fails (&h, "other:0", NULL, SLUICE_ERROR_NOT_FOUND);
  SluiceEdge lasting = harness_variable (&h, FALSE, "sum", part);
  harness_add (&h, "DestroyTemporaryVariable", "steal", &lasting, 1,
               SLUICE_ATTRS (sluice_attr_string ("var_name", "sum")));
  harness_target (&h, "sum/init");
  harness_fails (&h, "steal:0", NULL, SLUICE_ERROR_NOT_FOUND);
}

/* Coordinates into a handle, and their dense gradient. */
static void
test_gather_nd (void)
{
  static const gint64 coordinates[] = { 3, 1, 0, 2, 3, 1 };
  g_auto (Harness) h;
  harness_init (&h, 1, FALSE);
  SluiceEdge v = harness_variable (&h, TRUE, "v", floats (&h, start_at, N_ROWS));
  SluiceEdge at = indices (&h, &SLUICE_SHAPE (3, 2), coordinates);
  SluiceEdge y = harness_add (&h, "ResourceGatherNd", "gather", (SluiceEdge[]){ v, at }, 2,
                              SLUICE_ATTRS (sluice_attr_type ("dtype", SLUICE_FLOAT)));
  g_autoptr (GError) error = NULL;
  SluiceGrad grad;
  g_assert_true (sluice_gradients (h.graph, "gradients", &y, 1, NULL, &v, 1, &grad, &error));
  harness_op (&h, "Identity", "grad", sluice_grad_to_dense (&h.b, &grad));
  harness_fails (&h, "gather:0", NULL, SLUICE_ERROR_NOT_FOUND);
  harness_target (&h, "v/init");
  g_autoptr (SluiceTensor) value = harness_fetch (&h, "gather:0");
  g_autoptr (SluiceTensor) dense = harness_fetch (&h, "grad:0");
  float want[N_ROWS * SIZE] = { 0 };
  for (guint k = 0; k < 3; k++)
    {
      guint offset = coordinates[2 * k] * SIZE + coordinates[2 * k + 1];
      g_assert_cmpfloat (((float *) value->data)[k], ==, start_at (offset));
      want[offset]++;
    }
  g_assert_cmpmem (dense->data, sluice_tensor_bytes (dense), want, sizeof want);
}

static void
test_count (void)
{
  g_auto (Harness) h;
  harness_init (&h, 1, FALSE);
  SluiceEdge v = harness_add (&h, "VarHandleOp", "v", NULL, 0,
                              SLUICE_ATTRS (sluice_attr_type ("dtype", SLUICE_INT64),
                                            sluice_attr_shape ("shape", &SLUICE_SHAPE_SCALAR)));
  harness_op (&h, "AssignVariableOp", "init", v, indices (&h, &SLUICE_SHAPE_SCALAR, &numbers[1]));
  harness_add (&h, "ResourceCountUpTo", "count", &v, 1,
               SLUICE_ATTRS (sluice_attr_int ("limit", 2), sluice_attr_type ("T", SLUICE_INT64)));
  harness_target (&h, "init");
  for (gint64 i = 0; i < 2; i++)
    {
      g_autoptr (SluiceTensor) value = harness_fetch (&h, "count:0");
      g_assert_cmpint (sluice_tensor_get_int (value, 0), ==, i);
    }
  harness_fails (&h, "count:0", NULL, SLUICE_ERROR_OUT_OF_RANGE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernels/scatter/changes", test_changes);
  g_test_add_func ("/kernels/scatter/threads", test_threads);
  g_test_add_func ("/kernels/scatter/sparse-gradient", test_sparse_gradient);
  g_test_add_func ("/kernels/scatter/gather-nd", test_gather_nd);
  g_test_add_func ("/kernels/scatter/count", test_count);
  g_test_add_func ("/kernels/scatter/temporary", test_temporary);
  return g_test_run ();
}

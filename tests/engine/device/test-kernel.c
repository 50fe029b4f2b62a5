/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <string.h>

#include "engine/device/kernel.h"

/* ---- a registry of its own: one source, one op with several kernels ---- */

static gboolean
compute_nothing (SluiceKernelCall *call)
{
  return TRUE;
}

static gboolean
accepts_marked (const SluiceNode *node)
{
  return sluice_node_get_bool (node, "marked");
}

static const SluiceOpDef source_op = {
  .name = "Source",
  .signature = "-> out: T",
  .attrs = "T: type; container: string = ''; shared_name: string = ''",
};
static const SluiceOpDef unit_op = {
  .name = "Unit",
  .signature = "x: T, more: N * int32 -> y: T",
  .attrs = "T: type; N: int >= 0 = 1; marked: bool = false",
};
static const SluiceOpDef *const ops[] = { &source_op, &unit_op };

static const SluiceKernel kernels[] = {
  { .op = "Unit",
    .device = "CPU",
    .where = { { "T", SLUICE_SET_FLOATS } },
    .compute = compute_nothing },
  { .op = "Unit",
    .device = "CPU",
    .where = { { "T", SLUICE_SET (SLUICE_FLOAT) } },
    .rank = 10,
    .compute = compute_nothing },
  { .op = "Unit",
    .device = "CPU",
    .where = { { "T", SLUICE_SET (SLUICE_FLOAT) } },
    .rank = 20,
    .accepts = accepts_marked,
    .compute = compute_nothing },
  { .op = "Unit", .device = "CUDA", .rank = 30, .compute = compute_nothing },
};
static const SluiceKernelModule module = {
  .ops = ops,
  .n_ops = G_N_ELEMENTS (ops),
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
static const SluiceKernelModule *const modules[] = { &module, NULL };

typedef struct
{
  SluiceGraph *graph;
  SluiceDevice *device;
  SluiceResources *resources;
  SluiceNode *node;
  SluiceValue inputs[2], outputs[1];
  SluiceKernelCall call;
} Fixture;

static SluiceNode *
add_node (SluiceGraph *graph, SluiceDType dtype, gboolean marked)
{
  GError *error = NULL;
  SluiceAttr source_attrs[] = { sluice_attr_type ("T", dtype) };
  SluiceNode *x = sluice_graph_add (
      graph, &(SluiceNodeSpec){ .op = "Source", .attrs = source_attrs, .n_attrs = 1 }, &error);
  g_assert_no_error (error);
  SluiceAttr more_attrs[] = { sluice_attr_type ("T", SLUICE_INT32) };
  SluiceNode *more = sluice_graph_add (
      graph, &(SluiceNodeSpec){ .op = "Source", .attrs = more_attrs, .n_attrs = 1 }, &error);
  g_assert_no_error (error);
  SluiceAttr attrs[] = { sluice_attr_bool ("marked", marked) };
  SluiceEdge inputs[] = { { x, 0 }, { more, 0 } };
  SluiceNode *unit = sluice_graph_add (
      graph,
      &(SluiceNodeSpec){
          .op = "Unit", .inputs = inputs, .n_inputs = 2, .attrs = attrs, .n_attrs = 1 },
      &error);
  g_assert_no_error (error);
  return unit;
}

static void
set_up (Fixture *f, gconstpointer data)
{
  f->graph = sluice_graph_new ();
  f->device = sluice_device_new_cpu (NULL, 0, 1 << 20, NULL);
  f->resources = sluice_resources_new ();
  f->node = add_node (f->graph, SLUICE_FLOAT, FALSE);
  f->call = (SluiceKernelCall){
    .node = f->node,
    .inputs = f->inputs,
    .outputs = f->outputs,
    .n_inputs = 2,
    .n_outputs = 1,
    .device = f->device,
    .resources = f->resources,
    .owner = { f->node->id, SLUICE_MEMORY_ACTIVATION },
  };
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  for (guint i = 0; i < 2; i++)
    if (f->inputs[i].tensor)
      sluice_tensor_unref (f->inputs[i].tensor);
  if (f->outputs[0].tensor)
    sluice_tensor_unref (f->outputs[0].tensor);
  g_clear_error (&f->call.error);
  sluice_resources_unref (f->resources);
  sluice_device_free (f->device);
  sluice_graph_unref (f->graph);
}

static SluiceTensor *
floats (Fixture *f, gint64 n)
{
  return sluice_tensor_new (f->device->allocator, SLUICE_FLOAT, &SLUICE_SHAPE (n), f->call.owner);
}

static void
test_find (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_assert_true (sluice_kernel_find (f->node, "CPU", G_MAXINT, &error) == &kernels[1]);
  g_assert_true (sluice_kernel_find (f->node, "CPU", 0, &error) == &kernels[0]);
  g_assert_true (sluice_kernel_find (f->node, "CUDA", G_MAXINT, &error) == &kernels[3]);
  g_assert_true (
      sluice_kernel_find (add_node (f->graph, SLUICE_FLOAT, TRUE), "CPU", G_MAXINT, &error)
      == &kernels[2]);
  g_assert_true (
      sluice_kernel_find (add_node (f->graph, SLUICE_HALF, TRUE), "CPU", G_MAXINT, &error)
      == &kernels[0]);
  g_assert_no_error (error);

  g_assert_null (
      sluice_kernel_find (add_node (f->graph, SLUICE_INT32, FALSE), "CPU", G_MAXINT, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "T = int32"));
  g_assert_nonnull (strstr (error->message, "device='CPU' rank 20; T in float"));
  g_assert_nonnull (strstr (error->message, "device='CUDA' rank 30"));

  sluice_kernel_force_reference (TRUE);
  g_assert_true (sluice_kernel_find (f->node, "CPU", G_MAXINT, NULL) == &kernels[0]);
  sluice_kernel_force_reference (FALSE);

  guint n;
  const SluiceKernel *const *list = sluice_kernel_list ("Unit", &n);
  g_assert_cmpuint (n, ==, 4);
  for (guint i = 1; i < n; i++)
    g_assert_cmpint (list[i - 1]->rank, >=, list[i]->rank);
  g_assert_null (sluice_kernel_list ("None", &n));
  g_assert_cmpuint (n, ==, 0);
}

static void
test_null_device (Fixture *f, gconstpointer data)
{
  const SluiceKernel *kernel = sluice_kernel_find (f->node, "NULL", G_MAXINT, NULL);
  g_assert_nonnull (kernel);
  g_assert_true (kernel->compute (&f->call));
  g_assert_nonnull (f->outputs[0].tensor);
}

static void
test_output (Fixture *f, gconstpointer data)
{
  SluiceTensor *out = sluice_call_output (&f->call, 0, &SLUICE_SHAPE (100));
  g_assert_true (out == f->outputs[0].tensor);
  SluiceMemoryStats stats;
  sluice_allocator_get_stats (f->device->allocator, &stats);
  g_assert_cmpuint (stats.class_bytes[SLUICE_MEMORY_ACTIVATION], >=, 400);
  SluiceTensor *scratch = sluice_call_scratch (&f->call, SLUICE_DOUBLE, &SLUICE_SHAPE (100));
  sluice_allocator_get_stats (f->device->allocator, &stats);
  g_assert_cmpuint (stats.class_bytes[SLUICE_MEMORY_WORKSPACE], >=, 800);
  sluice_tensor_unref (scratch);

  sluice_tensor_unref (out);
  f->outputs[0].tensor = NULL;
  g_assert_null (sluice_call_output (&f->call, 0, &SLUICE_SHAPE (1 << 20))); /* over the limit */
  g_assert_error (f->call.error, SLUICE_ERROR, SLUICE_ERROR_RESOURCE_EXHAUSTED);
  g_assert_nonnull (strstr (f->call.error->message, f->node->name));
}

static void
test_reuse (Fixture *f, gconstpointer data)
{
  SluiceTensor *x = f->inputs[0].tensor = floats (f, 100);
  g_assert_true (sluice_call_can_reuse (&f->call, 0));
  g_assert_true (sluice_call_reuse (&f->call, 0, 0, &x->shape) == x);
  g_assert_false (sluice_call_can_reuse (&f->call, 0)); /* taken */
  g_clear_pointer (&f->outputs[0].tensor, sluice_tensor_unref);

  /* Other dimensions share the elements under a header of their own. */
  SluiceTensor *y = sluice_call_reuse (&f->call, 0, 0, &SLUICE_SHAPE (10, 10));
  g_assert_true (y != x && y->data == x->data);
  g_assert_cmpint (x->shape.rank, ==, 1);
  g_clear_pointer (&f->outputs[0].tensor, sluice_tensor_unref);

  /* Another size does not fit; another holder forbids it. */
  y = sluice_call_reuse (&f->call, 0, 0, &SLUICE_SHAPE (50));
  g_assert_true (y->data != x->data);
  g_clear_pointer (&f->outputs[0].tensor, sluice_tensor_unref);
  sluice_tensor_ref (x);
  y = sluice_call_reuse (&f->call, 0, 0, &x->shape);
  g_assert_true (y->data != x->data);
  sluice_tensor_unref (x);
}

static void
test_forward (Fixture *f, gconstpointer data)
{
  SluiceTensor *x = f->inputs[0].tensor = floats (f, 100);
  sluice_call_forward (&f->call, 0, 0);
  g_assert_true (f->outputs[0].tensor == x);
  g_clear_pointer (&f->outputs[0].tensor, sluice_tensor_unref);
  g_assert_true (sluice_call_forward_view (&f->call, 0, 0, &SLUICE_SHAPE (4, 25)));
  g_assert_true (f->outputs[0].tensor->data == x->data);
  g_assert_cmpint (f->outputs[0].tensor->shape.rank, ==, 2);
}

static void
test_fail (Fixture *f, gconstpointer data)
{
  f->inputs[0].tensor = floats (f, 3);
  f->inputs[1].tensor = sluice_tensor_new_int32 (1);
  g_assert_true (sluice_call_want_rank (&f->call, 0, 1));
  g_assert_true (sluice_call_want_scalar (&f->call, 1));
  g_assert_false (sluice_call_want_rank (&f->call, 1, 2));
  g_autofree char *wanted = g_strdup_printf (
      "%s '%s': input 1 (more) must be a matrix, not of shape []", f->node->op_name, f->node->name);
  g_assert_error (f->call.error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  g_assert_cmpstr (f->call.error->message, ==, wanted);
  g_assert_false (sluice_call_fail (&f->call, SLUICE_ERROR_INTERNAL, "second"));
  g_assert_cmpstr (f->call.error->message, ==, wanted); /* the first one tells */
}

typedef struct
{
  _Atomic int cancelled;
  atomic_int n_chunks;
} Work;

static void
work_once (gpointer data, gint64 begin, gint64 end)
{
  Work *work = data;
  atomic_fetch_add (&work->n_chunks, 1);
  atomic_store (&work->cancelled, 1);
}

static void
test_cancel (Fixture *f, gconstpointer data)
{
  sluice_pool_set_threads (1);
  Work work = { 0, 0 };
  f->call.cancelled = &work.cancelled;
  g_assert_false (sluice_call_parallel_for (&f->call, 1000, 1, 1e6, work_once, &work));
  g_assert_error (f->call.error, SLUICE_ERROR, SLUICE_ERROR_CANCELLED);
  g_assert_cmpint (work.n_chunks, ==, 1);
}

static SluiceResource *
make_variable (gpointer data, GError **error)
{
  return &sluice_variable_new (data, SLUICE_FLOAT, &SLUICE_SHAPE_SCALAR)->parent;
}

static const SluiceResourceType other_type = { "Queue", NULL };

static void
test_resource (Fixture *f, gconstpointer data)
{
  SluiceResource *by_name = sluice_call_resource (&f->call, &sluice_variable_type, make_variable,
                                                  (gpointer) f->node->name);
  SluiceResource *found = sluice_resources_get (f->resources, NULL, f->node->name,
                                                &sluice_variable_type, NULL, NULL, NULL);
  g_assert_true (by_name == found);
  sluice_resource_unref (found);

  SluiceAttr attrs[] = { sluice_attr_type ("T", SLUICE_FLOAT),
                         sluice_attr_string ("container", "box"),
                         sluice_attr_string ("shared_name", "shared") };
  f->call.node = sluice_graph_add (
      f->graph, &(SluiceNodeSpec){ .op = "Source", .attrs = attrs, .n_attrs = 3 }, NULL);
  SluiceResource *shared =
      sluice_call_resource (&f->call, &sluice_variable_type, make_variable, (gpointer) "shared");
  found =
      sluice_resources_get (f->resources, "box", "shared", &sluice_variable_type, NULL, NULL, NULL);
  g_assert_true (shared == found && shared != by_name);
  sluice_resource_unref (found);
  sluice_resource_unref (shared);

  f->call.node = f->node;
  f->inputs[0].tensor = sluice_tensor_new_resource (by_name);
  g_assert_true (sluice_call_handle (&f->call, 0, &sluice_variable_type) == by_name);
  g_assert_null (sluice_call_handle (&f->call, 0, &other_type));
  g_assert_error (f->call.error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
}

#define ADD(name, func) g_test_add ("/device/kernel/" name, Fixture, NULL, set_up, func, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (modules);
  ADD ("find", test_find);
  ADD ("null-device", test_null_device);
  ADD ("output", test_output);
  ADD ("reuse", test_reuse);
  ADD ("forward", test_forward);
  ADD ("fail", test_fail);
  ADD ("cancel", test_cancel);
  ADD ("resource", test_resource);
  return g_test_run ();
}

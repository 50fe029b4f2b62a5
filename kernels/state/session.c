/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Tensors that stay with the session between runs, by a handle: a string that names them, or a
 * resource. Timestamp is the time of day.
 */
#include <glib/gi18n-lib.h>

#include "engine/graph/shape-context.h"
#include "kernels/string/text.h"

typedef struct
{
  SluiceResource parent;
  SluiceTensor *tensor;
} Kept;

static void
kept_finalize (SluiceResource *resource)
{
  sluice_tensor_unref (((Kept *) resource)->tensor);
  g_free (resource);
}

static const SluiceResourceType kept_type = { "Session tensor", kept_finalize };

static SluiceResource *
make_kept (gpointer data, GError **error)
{
  Kept *self = g_new0 (Kept, 1);
  atomic_init (&self->parent.ref_count, 1);
  self->parent.type = &kept_type;
  self->tensor = sluice_tensor_ref (data);
  return &self->parent;
}

/* Each has a container of its own, so that it can be dropped alone. No variable's is called that.
 */
static char *
container_of (const char *handle)
{
  return g_strconcat ("session tensor ", handle, NULL);
}

static gboolean
keep_compute (SluiceKernelCall *call)
{
  static _Atomic guint64 last_number;
  SluiceTensor *value = sluice_call_input (call, 0);
  g_autofree char *handle =
      g_strdup_printf ("%s;%" G_GUINT64_FORMAT, call->node->name, ++last_number);
  g_autofree char *container = container_of (handle);
  SluiceResource *kept =
      sluice_resources_get (call->resources, container, handle, &kept_type, make_kept, value, NULL);
  if (sluice_edge_dtype ((SluiceEdge){ (SluiceNode *) call->node, 0 }) == SLUICE_RESOURCE)
    sluice_call_take_output (call, 0, sluice_tensor_new_resource (kept));
  else
    {
      sluice_resource_unref (kept);
      sluice_call_take_output (call, 0, sluice_tensor_new_string (handle, -1));
    }
  return TRUE;
}

/* (transfer full) (nullable): call->error is set */
static Kept *
find_kept (SluiceKernelCall *call, char **container)
{
  if (!sluice_call_want_scalar (call, 0))
    return NULL;
  g_autofree char *handle = sluice_string_dup_text (sluice_call_input (call, 0)->data);
  *container = container_of (handle);
  SluiceResource *kept =
      sluice_resources_get (call->resources, *container, handle, &kept_type, NULL, NULL, NULL);
  if (kept == NULL)
    sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                      "the session keeps no tensor with handle '%s'", handle);
  return (Kept *) kept;
}

static gboolean
get_compute (SluiceKernelCall *call)
{
  g_autofree char *container = NULL;
  Kept *kept = find_kept (call, &container);
  if (kept == NULL)
    return FALSE;
  SluiceDType want = call->node->outputs[0].dtype;
  gboolean fits = (SluiceDType) kept->tensor->dtype == want;
  if (fits)
    sluice_call_take_output (call, 0, sluice_tensor_ref (kept->tensor));
  else
    sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "the tensor is %s, not %s",
                      sluice_dtype_name (kept->tensor->dtype), sluice_dtype_name (want));
  sluice_resource_unref (&kept->parent);
  return fits;
}

static gboolean
delete_compute (SluiceKernelCall *call)
{
  g_autofree char *container = NULL;
  Kept *kept = find_kept (call, &container);
  if (kept == NULL)
    return FALSE;
  sluice_resource_unref (&kept->parent);
  sluice_resources_reset (call->resources, container);
  return TRUE;
}

static gboolean
timestamp_compute (SluiceKernelCall *call)
{
  SluiceTensor *out = sluice_call_output (call, 0, &SLUICE_SHAPE_SCALAR);
  if (out == NULL)
    return FALSE;
  *(double *) out->data = (double) g_get_real_time () / G_USEC_PER_SEC;
  return TRUE;
}

static gboolean
get_shape (SluiceShapeContext *c, GError **error)
{
  return sluice_shape_context_want_rank (c, 0, 0, error);
}

static const SluiceRecipe recipe = {
  .why_none = N_ ("differs from run to run: tests/kernels/test-lookup looks at what must hold")
};

#define KEEP_TEXT N_ ("Keeps a tensor in the session and gives a handle to it")
SLUICE_STATEFUL_OP (keep_op,
                    "GetSessionHandle",
                    "value: T -> handle: string",
                    "T: type",
                    sluice_shape_scalar,
                    KEEP_TEXT);
SLUICE_STATEFUL_OP (keep_v2_op,
                    "GetSessionHandleV2",
                    "value: T -> handle: resource",
                    "T: type",
                    sluice_shape_scalar,
                    KEEP_TEXT);
SLUICE_STATEFUL_OP (get_op,
                    "GetSessionTensor",
                    "handle: string -> value: dtype",
                    "dtype: type",
                    get_shape,
                    N_ ("A tensor that the session keeps"));
SLUICE_STATEFUL_OP (delete_op,
                    "DeleteSessionTensor",
                    "handle: string ->",
                    NULL,
                    get_shape,
                    N_ ("Drops a tensor that the session keeps"));
SLUICE_STATEFUL_OP (timestamp_op,
                    "Timestamp",
                    "-> ts: double",
                    NULL,
                    sluice_shape_scalar,
                    N_ ("Seconds since 1970"));

static const SluiceOpDef *const ops[] = { &keep_op, &keep_v2_op, &get_op, &delete_op,
                                          &timestamp_op };

#define KERNEL(name, function)                                                                     \
  {                                                                                                \
    .op = name, .device = "CPU", .flags = SLUICE_KERNEL_KEEPS_DENORMALS, .compute = function       \
  }
static const SluiceKernel kernels[] = {
  KERNEL ("GetSessionHandle", keep_compute), KERNEL ("GetSessionHandleV2", keep_compute),
  KERNEL ("GetSessionTensor", get_compute),  KERNEL ("DeleteSessionTensor", delete_compute),
  KERNEL ("Timestamp", timestamp_compute),
};

const SluiceKernelModule sluice_module_state_session = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The registry of kernels. Written once at start-up, then read without a lock. */
#include "engine/device/kernel.h"

#include <stdlib.h>

#include "engine/base/error.h"

static GHashTable *kernels_by_op; /* op name -> GPtrArray of const SluiceKernel, best rank first */
static atomic_int reference_forced;

static gint
compare_ranks (gconstpointer a, gconstpointer b)
{
  const SluiceKernel *x = *(const SluiceKernel *const *) a, *y = *(const SluiceKernel *const *) b;
  return (x->rank < y->rank) - (x->rank > y->rank);
}

static void
add_kernel (const SluiceKernel *kernel)
{
  GPtrArray *list = g_hash_table_lookup (kernels_by_op, kernel->op);
  if (list == NULL)
    {
      list = g_ptr_array_new ();
      g_hash_table_insert (kernels_by_op, (gpointer) kernel->op, list);
    }
  g_ptr_array_add (list, (gpointer) kernel);
  g_ptr_array_sort (list, compare_ranks); /* a stable merge sort */
}

/* names: of the ops that come with it */
static gboolean
check_kernel (const SluiceKernel *kernel, GHashTable *names, GError **error)
{
  if (kernel->op == NULL
      || (!sluice_registry_find (kernel->op) && !g_hash_table_contains (names, kernel->op)))
    return sluice_fail (error, SLUICE_ERROR_NOT_FOUND,
                        "a kernel is for op '%s', which is not known",
                        kernel->op ? kernel->op : "(none)");
  if (kernel->device == NULL || (kernel->compute == NULL && kernel->start == NULL))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "a kernel of op '%s' has no device or no function", kernel->op);
  return TRUE;
}

gboolean
sluice_registry_add_modules (const SluiceKernelModule *const *modules, GError **error)
{
  g_autoptr (GPtrArray) ops = g_ptr_array_new (), kernels = g_ptr_array_new ();
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  for (const SluiceKernelModule *const *m = modules; *m != NULL; m++)
    {
      if ((*m)->init)
        (*m)->init ();
      for (guint i = 0; i < (*m)->n_ops; i++)
        {
          g_ptr_array_add (ops, (gpointer) (*m)->ops[i]);
          g_hash_table_add (names, (gpointer) (*m)->ops[i]->name);
        }
      for (guint i = 0; i < (*m)->n_kernels; i++)
        g_ptr_array_add (kernels, (gpointer) & (*m)->kernels[i]);
    }
  for (guint i = 0; i < kernels->len; i++)
    if (!check_kernel (kernels->pdata[i], names, error))
      return FALSE;
  if (!sluice_registry_add_ops ((const SluiceOpDef *const *) ops->pdata, ops->len, error))
    return FALSE;
  for (guint i = 0; i < kernels->len; i++)
    add_kernel (kernels->pdata[i]);
  return TRUE;
}

void
sluice_registry_init (const SluiceKernelModule *const *modules)
{
  if (kernels_by_op != NULL)
    return;
  kernels_by_op = g_hash_table_new (g_str_hash, g_str_equal);
  if (g_strcmp0 (g_getenv ("SLUICE_KERNEL"), "reference") == 0)
    sluice_kernel_force_reference (TRUE);
  g_autoptr (GError) error = NULL;
  if (!sluice_registry_add_modules (modules, &error))
    g_error ("%s", error->message);
}

void
sluice_kernel_force_reference (gboolean force)
{
  atomic_store (&reference_forced, force);
}

const SluiceKernel *const *
sluice_kernel_list (const char *op, guint *n)
{
  GPtrArray *list = kernels_by_op ? g_hash_table_lookup (kernels_by_op, op) : NULL;
  *n = list ? list->len : 0;
  return list ? (const SluiceKernel *const *) list->pdata : NULL;
}

static gboolean
type_accepted (const SluiceAttrValue *value, SluiceDTypeSet types)
{
  if (value == NULL)
    return FALSE;
  if (value->kind == SLUICE_ATTR_TYPE)
    return sluice_dtype_in (value->type, types);
  if (value->kind != SLUICE_ATTR_LIST)
    return FALSE;
  for (guint i = 0; i < value->list.n; i++)
    if (!type_accepted (&value->list.items[i], types))
      return FALSE;
  return TRUE;
}

static gboolean
kernel_accepts (const SluiceKernel *kernel, const SluiceNode *node, const char *device)
{
  if (!g_str_equal (kernel->device, device))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (kernel->where) && kernel->where[i].attr; i++)
    if (!type_accepted (sluice_node_get_attr (node, kernel->where[i].attr), kernel->where[i].types))
      return FALSE;
  return kernel->accepts == NULL || kernel->accepts (node);
}

/* A device that computes nothing has one kernel for all: it allocates what inference knows. */
static gboolean
compute_nothing (SluiceKernelCall *call)
{
  for (guint i = 0; i < call->n_outputs; i++)
    {
      if (sluice_dtype_is_ref (call->node->outputs[i].dtype))
        continue;
      SluiceShape shape = call->node->outputs[i].shape;
      shape.rank = MAX (shape.rank, 0);
      for (int d = 0; d < shape.rank; d++)
        if (shape.dim[d] < 0)
          shape.dim[d] = 1;
      if (sluice_call_output (call, i, &shape) == NULL)
        return FALSE;
    }
  return TRUE;
}

static const SluiceKernel null_kernel = {
  .op = "*",
  .device = "NULL",
  .flags = SLUICE_KERNEL_CHEAP | SLUICE_KERNEL_MAY_LEAVE_DEAD,
  .compute = compute_nothing,
};

static void
append_types (GString *text, SluiceDTypeSet types)
{
  const char *separator = "";
  if ((types & SLUICE_SET_ANY) == SLUICE_SET_ANY)
    {
      g_string_append (text, "any");
      return;
    }
  for (guint i = 1; i < SLUICE_N_DTYPES; i++)
    if (types & SLUICE_SET (i))
      {
        g_string_append_printf (text, "%s%s", separator, sluice_dtype_name (i));
        separator = "|";
      }
}

static void
append_kernel (GString *text, const SluiceKernel *kernel)
{
  g_string_append_printf (text, "\n  device='%s' rank %d", kernel->device, kernel->rank);
  for (guint i = 0; i < G_N_ELEMENTS (kernel->where) && kernel->where[i].attr; i++)
    {
      g_string_append_printf (text, "; %s in ", kernel->where[i].attr);
      append_types (text, kernel->where[i].types);
    }
}

static void
fail_not_found (const SluiceNode *node,
                const char *device,
                int max_rank,
                const SluiceKernel *const *list,
                guint n,
                GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_string_printf (text, "%s '%s': no kernel for device %s", node->op_name, node->name, device);
  for (guint i = 0; i < node->n_attrs; i++)
    if (node->attrs[i].value.kind == SLUICE_ATTR_TYPE)
      g_string_append_printf (text, ", %s = %s", node->attrs[i].name,
                              sluice_dtype_name (node->attrs[i].value.type));
  if (max_rank < G_MAXINT)
    g_string_append_printf (text, " up to rank %d", max_rank);
  g_string_append (text, n ? "; registered are:" : "; none is registered");
  for (guint i = 0; i < n; i++)
    append_kernel (text, list[i]);
  sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "%s", text->str);
}

const SluiceKernel *
sluice_kernel_find (const SluiceNode *node, const char *device_type, int max_rank, GError **error)
{
  if (g_str_equal (device_type, null_kernel.device))
    return &null_kernel;
  if (atomic_load (&reference_forced))
    max_rank = 0;

  guint n;
  const SluiceKernel *const *list = sluice_kernel_list (node->op_name, &n);
  for (guint i = 0; i < n; i++)
    if (list[i]->rank <= max_rank && kernel_accepts (list[i], node, device_type))
      return list[i];
  fail_not_found (node, device_type, max_rank, list, n, error);
  return NULL;
}

/* Values that are made of objects of the host, whose memory nobody here can place. */
static gboolean
is_hosts_own (SluiceDType dtype)
{
  dtype = sluice_dtype_base (dtype);
  return dtype == SLUICE_STRING || dtype == SLUICE_VARIANT;
}

static gboolean
handles_hosts_own (const SluiceNode *node)
{
  for (guint i = 0; i < node->n_inputs; i++)
    if (node->inputs[i].node != NULL && is_hosts_own (sluice_edge_dtype (node->inputs[i])))
      return TRUE;
  for (guint i = 0; i < node->n_outputs; i++)
    if (is_hosts_own (node->outputs[i].dtype))
      return TRUE;
  return FALSE;
}

const SluiceKernel *
sluice_device_class_find_kernel (const SluiceDeviceClass *klass,
                                 const SluiceNode *node,
                                 int max_rank,
                                 GError **error)
{
  const char *type = sluice_device_class_get_kernel_type (klass);
  const SluiceKernel *kernel = sluice_kernel_find (node, type, max_rank, error);
  if (kernel == NULL || klass->queues == NULL)
    return kernel;
  const char *why = NULL;
  if (kernel->flags & SLUICE_KERNEL_ASYNC && !(kernel->flags & SLUICE_KERNEL_WAITS_FOR_SWAP))
    why = "waits for others, and would hold up the queue";
  else if (handles_hosts_own (node))
    why = "has strings or variants, which cannot lie in the memory";
  if (why == NULL)
    return kernel;
  sluice_node_fail (node, error, SLUICE_ERROR_NOT_FOUND,
                    "%s of a device of type %s; let it stand on a CPU", why, klass->type);
  return NULL;
}

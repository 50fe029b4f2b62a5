/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Send and Recv that stand in a graph, one that was written after its partitioning: they meet by
 * name within a step. (The executor's own transfers are none of these.) White paper 3.2.2.
 */
#include "kernels/flow/flow.h"
#include "kernels/queue/monitor.h"

typedef struct
{
  SluiceMonitor parent;
  GHashTable *values; /* under the monitor's lock: key → GQueue of SluiceTensor; DEAD: a dead one */
} Rendezvous;

static char dead;
#define DEAD ((gpointer) &dead)

static void
value_free (gpointer value)
{
  if (value != DEAD)
    sluice_tensor_unref (value);
}

static void
queue_free (gpointer queue)
{
  g_queue_free_full (queue, value_free);
}

static void
rendezvous_finalize (SluiceResource *resource)
{
  Rendezvous *self = (Rendezvous *) resource;
  g_hash_table_unref (self->values);
  sluice_monitor_clear (&self->parent);
  g_free (self);
}

static const SluiceResourceType rendezvous_type = { "rendezvous", rendezvous_finalize };

static SluiceResource *
make_rendezvous (gpointer data, GError **error)
{
  Rendezvous *self = g_new0 (Rendezvous, 1);
  self->values = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, queue_free);
  sluice_monitor_init (&self->parent, &rendezvous_type, "of the step", FALSE);
  return &self->parent.parent;
}

/* (transfer full) (nullable): call->error is set */
static Rendezvous *
get_rendezvous (SluiceKernelCall *call)
{
  if (call->step_resources == NULL)
    {
      sluice_call_fail (call, SLUICE_ERROR_FAILED_PRECONDITION, "there is no step to meet in");
      return NULL;
    }
  GError *error = NULL;
  SluiceResource *found = sluice_resources_get (call->step_resources, NULL, "_rendezvous",
                                                &rendezvous_type, make_rendezvous, NULL, &error);
  if (found == NULL)
    sluice_call_fail_with (call, error);
  return (Rendezvous *) found;
}

/* What does not change from one execution to the next of the name under which both sides meet. */
static gpointer
transfer_prepare (const SluiceNode *node, GError **error)
{
  static const char *const parts[] = { "send_device", "recv_device", "tensor_name" };
  GString *key = g_string_new (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      const SluiceString *part = &sluice_node_get_attr (node, parts[i])->s;
      g_string_append_printf (key, "%" G_GSIZE_FORMAT ":", part->length);
      g_string_append_len (key, part->data, (gssize) part->length);
    }
  return g_string_free (key, FALSE);
}

static char *
dup_key (const SluiceKernelCall *call)
{
  return g_strdup_printf ("%s;%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT, (const char *) call->state,
                          call->frame, call->iteration);
}

static gboolean
send_compute (SluiceKernelCall *call)
{
  Rendezvous *self = get_rendezvous (call);
  if (self == NULL)
    return FALSE;
  gpointer value = call->is_dead ? DEAD : sluice_tensor_ref (sluice_call_input (call, 0));
  char *key = dup_key (call);
  sluice_monitor_enter (&self->parent);
  GQueue *queue = g_hash_table_lookup (self->values, key);
  if (queue == NULL)
    g_hash_table_insert (self->values, g_steal_pointer (&key), queue = g_queue_new ());
  g_queue_push_tail (queue, value);
  sluice_monitor_leave (&self->parent);
  g_free (key);
  sluice_resource_unref (&self->parent.parent);
  return TRUE;
}

static gboolean
try_receive (SluiceMonitor *monitor, SluiceKernelCall *call, gint64 number)
{
  g_autofree char *key = dup_key (call);
  GQueue *queue = g_hash_table_lookup (((Rendezvous *) monitor)->values, key);
  gpointer value = queue != NULL ? g_queue_pop_head (queue) : NULL;
  if (value == NULL)
    return FALSE;
  SluiceDType wanted = call->node->outputs[0].dtype;
  if (value != DEAD && (SluiceDType) ((SluiceTensor *) value)->dtype != wanted)
    {
      sluice_call_fail (
          call, SLUICE_ERROR_INVALID_ARGUMENT, "what was sent is %s, attribute tensor_type says %s",
          sluice_dtype_name (((SluiceTensor *) value)->dtype), sluice_dtype_name (wanted));
      sluice_tensor_unref (value);
    }
  else if (value != DEAD)
    sluice_call_take_output (call, 0, value);
  return TRUE;
}

static void
receive_start (SluiceKernelCall *call)
{
  Rendezvous *self = get_rendezvous (call);
  if (self == NULL)
    {
      call->done (call);
      return;
    }
  sluice_monitor_wait (&self->parent, call, try_receive, 0);
  sluice_resource_unref (&self->parent.parent);
}

#define SEND(name)                                                                                 \
  {                                                                                                \
    .op = name, .device = "CPU", .flags = SLUICE_KERNEL_RUNS_DEAD | SLUICE_KERNEL_KEEPS_DENORMALS, \
    .prepare = transfer_prepare, .free_state = g_free, .compute = send_compute                     \
  }
#define RECEIVE(name)                                                                              \
  {                                                                                                \
    .op = name, .device = "CPU", .flags = SLUICE_KERNEL_ASYNC | SLUICE_KERNEL_MAY_LEAVE_DEAD,      \
    .prepare = transfer_prepare, .free_state = g_free, .start = receive_start,                     \
    .cancel = sluice_monitor_cancel, .describe_wait = sluice_monitor_describe_wait                 \
  }

static const SluiceKernel kernels[] = {
  SEND ("_Send"),
  SEND ("_HostSend"),
  RECEIVE ("_Recv"),
  RECEIVE ("_HostRecv"),
};

const SluiceKernelModule sluice_module_flow_rendezvous = { .kernels = kernels,
                                                           .n_kernels = G_N_ELEMENTS (kernels) };

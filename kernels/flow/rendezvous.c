/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Send and Recv that stand in a graph, one that was written after its partitioning: they meet in
 * the run's rendezvous. (The executor's own transfers are none of these.) White paper 3.2.2.
 */
#include "engine/device/rendezvous.h"

#include "kernels/flow/flow.h"

static gpointer
transfer_prepare (const SluiceNode *node, GError **error)
{
  return sluice_transfer_new_of_node (node, error);
}

static void
transfer_free (gpointer transfer)
{
  sluice_transfer_unref (transfer);
}

static SluiceTransferKey
key_of (const SluiceKernelCall *call)
{
  return (SluiceTransferKey){ call->state, call->frame, call->iteration };
}

static gboolean
check_step (SluiceKernelCall *call)
{
  return call->rendezvous != NULL
         || sluice_call_fail (call, SLUICE_ERROR_FAILED_PRECONDITION,
                              "there is no step to meet in");
}

static gboolean
send_compute (SluiceKernelCall *call)
{
  const SluiceTransferKey key = key_of (call);
  SluiceTensor *tensor = call->is_dead ? NULL : sluice_call_input (call, 0);
  GError *error = NULL;
  if (!check_step (call))
    return FALSE;
  if (!sluice_rendezvous_send (call->rendezvous, call->epoch, &key, tensor, &error))
    return sluice_call_fail_with (call, error);
  return TRUE;
}

typedef struct
{
  SluiceReceive parent;
  SluiceKernelCall *call;
} Waiting;

static void
received (SluiceReceive *receive, SluiceTensor *take, GError *take_error)
{
  g_autofree Waiting *waiting = (Waiting *) receive;
  SluiceKernelCall *call = waiting->call;
  SluiceDType wanted = call->node->outputs[0].dtype;
  if (take_error != NULL)
    sluice_call_fail_with (call, take_error);
  else if (take != NULL && (SluiceDType) take->dtype != wanted)
    {
      sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                        "what was sent is %s, attribute tensor_type says %s",
                        sluice_dtype_name (take->dtype), sluice_dtype_name (wanted));
      sluice_tensor_unref (take);
    }
  else if (take != NULL)
    sluice_call_take_output (call, 0, take);
  call->done (call);
}

static void
receive_start (SluiceKernelCall *call)
{
  if (!check_step (call))
    {
      call->done (call);
      return;
    }
  const SluiceTransferKey key = key_of (call);
  Waiting *waiting = g_new0 (Waiting, 1);
  *waiting = (Waiting){ .parent.received = received, .call = call };
  sluice_rendezvous_receive (call->rendezvous, call->epoch, &key, &waiting->parent);
}

static char *
receive_describe_wait (SluiceKernelCall *call)
{
  const SluiceTransferKey key = key_of (call);
  g_autofree char *what = sluice_rendezvous_describe_wait (call->rendezvous, call->epoch, &key);
  if (what == NULL)
    return NULL;
  return g_strdup_printf ("%s, on %s; let the run reach the node that sends it, or feed '%s:0'",
                          what, call->device->name, call->node->name);
}

#define SEND(name)                                                                                 \
  {                                                                                                \
    .op = name, .device = "CPU", .flags = SLUICE_KERNEL_RUNS_DEAD | SLUICE_KERNEL_KEEPS_DENORMALS, \
    .prepare = transfer_prepare, .free_state = transfer_free, .compute = send_compute              \
  }
/* A run that ends early aborts what waits: there is nothing to cancel. */
#define RECEIVE(name)                                                                              \
  {                                                                                                \
    .op = name, .device = "CPU", .flags = SLUICE_KERNEL_ASYNC | SLUICE_KERNEL_MAY_LEAVE_DEAD,      \
    .prepare = transfer_prepare, .free_state = transfer_free, .start = receive_start,              \
    .describe_wait = receive_describe_wait                                                         \
  }

static const SluiceKernel kernels[] = {
  SEND ("_Send"),
  SEND ("_HostSend"),
  RECEIVE ("_Recv"),
  RECEIVE ("_HostRecv"),
};

const SluiceKernelModule sluice_module_flow_rendezvous = { .kernels = kernels,
                                                           .n_kernels = G_N_ELEMENTS (kernels) };

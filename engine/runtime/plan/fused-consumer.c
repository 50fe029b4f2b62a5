/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/runtime/plan/fused-consumer.h"

#include "engine/runtime/plan/fused.h"

typedef struct
{
  const SluiceNode *origin;
  const SluiceKernel *kernel;
  gpointer state; /* of kernel->prepare */
} Member;

typedef struct
{
  Member producer, consumer;
  guint n_inputs, consumed; /* of the consumer; which of them the producer makes */
} FusedConsumer;

static void
member_clear (Member *self)
{
  if (self->state && self->kernel->free_state)
    self->kernel->free_state (self->state);
}

static void
fused_consumer_free (gpointer data)
{
  FusedConsumer *self = data;
  member_clear (&self->producer);
  member_clear (&self->consumer);
  g_free (self);
}

static gboolean
member_init (
    Member *self, const SluiceWorkNode *node, const char *device_type, int max_rank, GError **error)
{
  const SluiceNode *origin = node->origin;
  GError *failed = NULL;
  if (node->kind == SLUICE_WORK_FUSED)
    {
      *self = (Member){ origin, &sluice_fused_kernel,
                        sluice_fusion_new (node, device_type, max_rank, error) };
      return self->state != NULL;
    }
  self->origin = origin;
  self->kernel = sluice_kernel_find (origin, device_type, max_rank, &failed);
  if (!failed && self->kernel->prepare)
    self->state = self->kernel->prepare (origin, &failed);
  if (!failed)
    return TRUE;
  g_propagate_error (error, failed);
  return FALSE;
}

gpointer
sluice_fused_consumer_new (const SluiceWorkNode *node,
                           const char *device_type,
                           int max_rank,
                           GError **error)
{
  FusedConsumer *self = g_new0 (FusedConsumer, 1);
  if (member_init (&self->producer, node->fused_consumer.producer, device_type, max_rank, error)
      && member_init (&self->consumer, node->fused_consumer.consumer, device_type, max_rank, error))
    {
      self->n_inputs =
          node->fused_consumer.consumer->n_inputs; /* few: SLUICE_FUSED_INPUTS, a rule's */
      self->consumed = node->fused_consumer.input;
      return self;
    }
  fused_consumer_free (self);
  return NULL;
}

/* The call of a member that reads n inputs. */
static SluiceKernelCall
call_of (const SluiceKernelCall *call, const Member *member, SluiceValue *inputs, guint n)
{
  SluiceKernelCall one = *call;
  one.node = member->origin;
  one.kernel = member->kernel;
  one.state = member->state;
  one.inputs = inputs;
  one.n_inputs = (guint16) n;
  return one;
}

typedef struct
{
  SluicePartProducer parent;
  const FusedConsumer *fused;
  const SluiceKernelCall *call; /* of the fused node */
  guint first_input;            /* of the producer's */
} Producer;

static gboolean
produce (const SluicePartProducer *producer,
         SluiceKernelCall *consumer_call,
         const SluicePartConsumer *consumer)
{
  const Producer *self = (const Producer *) producer;
  SluiceKernelCall call =
      call_of (self->call, &self->fused->producer, self->call->inputs + self->first_input,
               self->call->n_inputs - self->first_input);
  call.outputs = NULL;
  call.n_outputs = 0;
  gboolean ok = call.kernel->produce (&call, consumer);
  if (!consumer_call->error)
    consumer_call->error = call.error;
  else
    g_clear_error (&call.error);
  return ok;
}

static gboolean
fused_consumer_compute (SluiceKernelCall *call)
{
  const FusedConsumer *self = call->state;
  const guint n = self->n_inputs;
  SluiceValue *inputs = g_newa (SluiceValue, n);
  const Producer producer = {
    { self->producer.origin->outputs[0].dtype, self->consumed, produce }, self, call, n - 1
  };
  for (guint i = 0; i < n; i++)
    inputs[i] =
        i == self->consumed ? (SluiceValue){ NULL } : call->inputs[i - (i > self->consumed)];
  SluiceKernelCall consumer = call_of (call, &self->consumer, inputs, n);
  consumer.producer = &producer.parent;
  gboolean ok = consumer.kernel->compute (&consumer);
  call->error = consumer.error;
  return ok;
}

const SluiceKernel sluice_fused_consumer_kernel = { .op = "fused-consumer",
                                                    .device = "CPU",
                                                    .compute = fused_consumer_compute,
                                                    .free_state = fused_consumer_free };

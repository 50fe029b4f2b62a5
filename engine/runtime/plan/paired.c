/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/runtime/plan/paired.h"

#include "engine/runtime/plan/fused.h"

typedef struct
{
  const SluiceNode *origin;
  const SluiceKernel *kernel;
  gpointer state; /* of kernel->prepare */
} Member;

typedef struct
{
  Member giver, taker;
  guint n_inputs, taken; /* of the taker; which of them is given */
} Paired;

static void
member_clear (Member *self)
{
  if (self->state && self->kernel->free_state)
    self->kernel->free_state (self->state);
}

static void
paired_free (gpointer data)
{
  Paired *self = data;
  member_clear (&self->giver);
  member_clear (&self->taker);
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
sluice_paired_new (const SluiceWorkNode *node,
                   const char *device_type,
                   int max_rank,
                   GError **error)
{
  Paired *self = g_new0 (Paired, 1);
  if (member_init (&self->giver, node->pair.giver, device_type, max_rank, error)
      && member_init (&self->taker, node->pair.taker, device_type, max_rank, error))
    {
      self->n_inputs = node->pair.taker->n_inputs; /* few: SLUICE_FUSED_INPUTS, a rule's */
      self->taken = node->pair.input;
      return self;
    }
  paired_free (self);
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
  SluicePartGiver parent;
  const Paired *paired;
  const SluiceKernelCall *call; /* of the pair */
  guint first_input;            /* of the giver's */
} Giver;

static gboolean
give (const SluicePartGiver *giver, SluiceKernelCall *taker_call, const SluicePartTaker *taker)
{
  const Giver *self = (const Giver *) giver;
  SluiceKernelCall call =
      call_of (self->call, &self->paired->giver, self->call->inputs + self->first_input,
               self->call->n_inputs - self->first_input);
  call.outputs = NULL;
  call.n_outputs = 0;
  gboolean ok = call.kernel->give (&call, taker);
  if (!taker_call->error)
    taker_call->error = call.error;
  else
    g_clear_error (&call.error);
  return ok;
}

static gboolean
paired_compute (SluiceKernelCall *call)
{
  const Paired *self = call->state;
  const guint n = self->n_inputs;
  SluiceValue *inputs = g_newa (SluiceValue, n);
  const Giver giver = {
    { self->giver.origin->outputs[0].dtype, self->taken, give }, self, call, n - 1
  };
  for (guint i = 0; i < n; i++)
    inputs[i] = i == self->taken ? (SluiceValue){ NULL } : call->inputs[i - (i > self->taken)];
  SluiceKernelCall taker = call_of (call, &self->taker, inputs, n);
  taker.giver = &giver.parent;
  gboolean ok = taker.kernel->compute (&taker);
  call->error = taker.error;
  return ok;
}

const SluiceKernel sluice_paired_kernel = {
  .op = "paired", .device = "CPU", .compute = paired_compute, .free_state = paired_free
};

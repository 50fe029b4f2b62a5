/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Ops that only pass values on or join control edges: NoOp, ControlTrigger, Identity, IdentityN,
 * RefIdentity, and the transfers that partitioning puts between devices.
 */
#include "kernels/flow/flow.h"

void
sluice_flow_pass_on (SluiceShapeContext *c, guint input, guint output)
{
  SluiceEdge edge = c->node->inputs[input];
  c->outputs[output].shape = c->inputs[input];
  if (!edge.node)
    return;
  c->outputs[output].handle_dtype = edge.node->outputs[edge.port].handle_dtype;
  c->outputs[output].handle_shape = edge.node->outputs[edge.port].handle_shape;
}

gboolean
sluice_flow_pass_all (SluiceShapeContext *c, GError **error)
{
  for (guint i = 0; i < c->n_outputs; i++)
    sluice_flow_pass_on (c, i, i);
  return TRUE;
}

/* Zeros come back where nothing came in, as far as the dtype has a gradient. */
static gboolean
identity_n_gradient (SluiceGradContext *g, GError **error)
{
  for (guint i = 0; i < g->node->n_inputs; i++)
    if (sluice_dtype_in (g->node->outputs[i].dtype, SLUICE_SET_FLOATS | SLUICE_SET_COMPLEX))
      sluice_grad_set (g, i, sluice_grad_dy (g, i));
  return TRUE;
}

static const SluiceSample identity_samples[] = {
  { "", "float[2,3]", 0, 0 },
  { "", "int32[4]", 0, 0, TRUE },
  { "", "string[2]", 0, 0, TRUE },
  { "", "float[0,3]", 0, 0 },
};
static const SluiceRecipe identity_recipe = {
  .samples = identity_samples,
  .n_samples = G_N_ELEMENTS (identity_samples),
  .dtypes = SLUICE_SET_POD,
};

static const SluiceSample identity_n_samples[] = {
  { "", "float[2]; int32[3]", 0, 0, TRUE },
  { "", "float[2]; float[]", 0, 0 },
};
static const SluiceRecipe identity_n_recipe = {
  .samples = identity_n_samples,
  .n_samples = G_N_ELEMENTS (identity_n_samples),
};

static const SluiceRecipe no_values = { .why_none = "it carries no value" };
static const SluiceRecipe of_reference = { .why_none = "it takes a reference to a variable" };
static const SluiceRecipe of_partition = {
  .why_none = "one meets another: tests/kernels/test-rendezvous has both"
};

static const SluiceOpDef no_op = {
  .name = "NoOp",
  .signature = "->",
  .summary = N_ ("Nothing; a place for control edges to meet"),
  .role = SLUICE_ROLE_NO_OP,
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .recipe = &no_values,
};

static const SluiceOpDef control_trigger = {
  .name = "ControlTrigger",
  .signature = "->",
  .summary = N_ ("Nothing; runs also when what it waits for did not"),
  .role = SLUICE_ROLE_CONTROL_TRIGGER,
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .recipe = &no_values,
};

static const SluiceOpDef identity = {
  .name = "Identity",
  .signature = "input: T -> output: T",
  .attrs = "T: type",
  .summary = N_ ("The input, unchanged"),
  .role = SLUICE_ROLE_IDENTITY,
  .shape = sluice_flow_pass_all,
  .gradient = sluice_grad_pass,
  .recipe = &identity_recipe,
};

static const SluiceOpDef identity_n = {
  .name = "IdentityN",
  .signature = "input: T -> output: T",
  .attrs = "T: list(type) >= 1",
  .summary = N_ ("The inputs, unchanged"),
  .flags = SLUICE_OP_ONLY_READS | SLUICE_OP_MAY_SHARE,
  .shape = sluice_flow_pass_all,
  .gradient = identity_n_gradient,
  .recipe = &identity_n_recipe,
};

static const SluiceOpDef ref_identity = {
  .name = "RefIdentity",
  .signature = "input: Ref(T) -> output: Ref(T)",
  .attrs = "T: type",
  .summary = N_ ("The same reference"),
  .flags = SLUICE_OP_ALLOWS_UNINITIALIZED | SLUICE_OP_ONLY_READS,
  .shape = sluice_flow_pass_all,
  .gradient = sluice_grad_pass,
  .recipe = &of_reference,
};

#define SEND_ATTRS                                                                                 \
  "T: type; tensor_name: string; send_device: string; send_device_incarnation: int; "              \
  "recv_device: string; client_terminated: bool = false"
#define RECV_ATTRS                                                                                 \
  "tensor_type: type; tensor_name: string; send_device: string; send_device_incarnation: int; "    \
  "recv_device: string; client_terminated: bool = false"

static const SluiceOpDef send = {
  .name = "_Send",
  .signature = "tensor: T ->",
  .attrs = SEND_ATTRS,
  .summary = N_ ("Sends a value to another device"),
  .role = SLUICE_ROLE_SEND,
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_NOT_DIFFERENTIABLE,
  .recipe = &of_partition,
};

static const SluiceOpDef recv = {
  .name = "_Recv",
  .signature = "-> tensor: tensor_type",
  .attrs = RECV_ATTRS,
  .summary = N_ ("Receives a value from another device"),
  .role = SLUICE_ROLE_RECV,
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_NOT_DIFFERENTIABLE,
  .recipe = &of_partition,
};

static const SluiceOpDef host_send = {
  .name = "_HostSend",
  .signature = "tensor: T ->",
  .attrs = SEND_ATTRS,
  .summary = N_ ("Sends a value out of host memory to another device"),
  .role = SLUICE_ROLE_SEND,
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_NOT_DIFFERENTIABLE,
  .recipe = &of_partition,
};

static const SluiceOpDef host_recv = {
  .name = "_HostRecv",
  .signature = "-> tensor: tensor_type",
  .attrs = RECV_ATTRS,
  .summary = N_ ("Receives a value from another device into host memory"),
  .role = SLUICE_ROLE_RECV,
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_NOT_DIFFERENTIABLE,
  .recipe = &of_partition,
};

static const SluiceOpDef *const ops[] = {
  &no_op, &control_trigger, &identity,  &identity_n, &ref_identity, &send,
  &recv,  &host_send,       &host_recv,
};

const SluiceKernelModule sluice_module_flow_flow = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };

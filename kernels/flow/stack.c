/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Stacks: where the gradient of a loop finds what the loop computed. A stack is made anew by every
 * execution of its op and lives as long as a handle to it.
 */
#include "engine/base/lock.h"
#include "kernels/flow/flow.h"
#include "kernels/handle.h"

/* One of the two. */
typedef struct
{
  SluiceTensor *tensor;
  SluiceSwapped *swapped; /* may have left the memory */
} Value;

typedef struct
{
  SluiceResource parent;
  pthread_mutex_t lock;
  GArray *values;     /* under lock; of Value */
  gboolean is_closed; /* under lock */
  SluiceDType dtype;
  gint64 max_size; /* negative: no limit */
} Stack;

static void
value_clear (gpointer data)
{
  Value *self = data;
  g_clear_pointer (&self->tensor, sluice_tensor_unref);
  g_clear_pointer (&self->swapped, sluice_swapped_drop);
}

static void
stack_finalize (SluiceResource *resource)
{
  Stack *self = (Stack *) resource;
  g_array_unref (self->values);
  pthread_mutex_destroy (&self->lock);
  g_free (self);
}

static const SluiceResourceType stack_type = { "stack", stack_finalize };

/* ---- kernels ---- */

static gpointer
stack_prepare (const SluiceNode *node, GError **error)
{
  SluiceDType *dtype = g_new (SluiceDType, 1);
  *dtype = sluice_node_get_type (node, "elem_type");
  return dtype;
}

static gboolean
stack_compute (SluiceKernelCall *call)
{
  gint64 max_size = -1;
  if (call->n_inputs)
    {
      if (!sluice_call_want_scalar (call, 0))
        return FALSE;
      max_size = *(const gint32 *) sluice_call_input (call, 0)->data;
    }
  Stack *self = g_new0 (Stack, 1);
  atomic_init (&self->parent.ref_count, 1);
  self->parent.type = &stack_type;
  pthread_mutex_init (&self->lock, NULL);
  self->values = g_array_new (FALSE, FALSE, sizeof (Value));
  g_array_set_clear_func (self->values, value_clear);
  self->dtype = *(const SluiceDType *) call->state;
  self->max_size = max_size;
  sluice_call_put_named_handle (call, 0, &self->parent, "_stacks", call->node->name);
  return TRUE;
}

static gpointer
push_prepare (const SluiceNode *node, GError **error)
{
  return GINT_TO_POINTER (sluice_node_get_bool (node, "swap_memory"));
}

/* FALSE: no memory for a header. */
static gboolean
make_value (SluiceKernelCall *call, SluiceTensor *tensor, Value *value)
{
  gboolean may_leave =
      call->state != NULL && call->device->swap && sluice_swap_accepts (call->device->swap, tensor);
  *value = (Value){ NULL, NULL };
  sluice_tensor_set_memory_class (tensor, SLUICE_MEMORY_STACK);
  if (!may_leave)
    value->tensor = sluice_tensor_ref (tensor);
  else
    value->swapped = sluice_swap_keep (call->device->swap, tensor,
                                       (SluiceOwner){ call->owner.node, SLUICE_MEMORY_STACK });
  return value->tensor || value->swapped
         || sluice_call_fail (call, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                              "out of memory for a tensor's header");
}

static gboolean
push_compute (SluiceKernelCall *call)
{
  Stack *self = (Stack *) sluice_call_get_handle (call, 0, &stack_type);
  if (!self)
    return FALSE;
  SluiceTensor *tensor = sluice_call_input (call, 1);
  if ((SluiceDType) tensor->dtype != self->dtype)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "the stack holds %s, and %s is pushed",
                             sluice_dtype_name (self->dtype), sluice_dtype_name (tensor->dtype));
  Value value;
  if (!make_value (call, tensor, &value))
    return FALSE;
  sluice_lock (&self->lock, SLUICE_LOCK_DATA);
  gboolean is_closed = self->is_closed;
  gboolean is_full = self->max_size >= 0 && self->values->len >= self->max_size;
  if (!is_closed && !is_full)
    g_array_append_val (self->values, value);
  pthread_mutex_unlock (&self->lock);
  if (is_closed || is_full)
    value_clear (&value);
  if (is_closed)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "the stack was closed before this push");
  if (is_full)
    return sluice_call_fail (
        call, SLUICE_ERROR_INVALID_ARGUMENT,
        "the stack is full: it holds %" G_GINT64_FORMAT " values, its max_size", self->max_size);
  sluice_call_forward (call, 0, 1);
  return TRUE;
}

static void
output_popped (SluiceKernelCall *call, SluiceTensor *tensor)
{
  SluiceDType want = *(const SluiceDType *) call->state;
  sluice_tensor_set_memory_class (tensor, call->owner.memory_class);
  sluice_call_take_output (call, 0, tensor);
  if ((SluiceDType) tensor->dtype != want)
    sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "the stack holds %s, and %s is popped",
                      sluice_dtype_name (tensor->dtype), sluice_dtype_name (want));
}

/* The top leaves the stack; where only_now is set, only if it is in memory: else *value is empty.
 * FALSE: call->error is set. */
static gboolean
take_top (SluiceKernelCall *call, gboolean only_now, Value *value)
{
  *value = (Value){ NULL, NULL };
  Stack *self = (Stack *) sluice_call_get_handle (call, 0, &stack_type);
  if (!self)
    return FALSE;
  sluice_lock (&self->lock, SLUICE_LOCK_DATA);
  gboolean is_closed = self->is_closed, is_empty = self->values->len == 0;
  if (!is_closed && !is_empty)
    {
      Value *top = &g_array_index (self->values, Value, self->values->len - 1);
      *value = *top;
      if (only_now && top->swapped)
        *value = (Value){ sluice_swapped_take_now (top->swapped), NULL };
      if (value->tensor || value->swapped)
        {
          *top = (Value){ NULL, NULL };
          g_array_set_size (self->values, self->values->len - 1);
        }
    }
  pthread_mutex_unlock (&self->lock);
  if (is_closed)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "the stack was closed before this pop");
  if (is_empty)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "the stack is empty: more is popped than was pushed");
  return TRUE;
}

static gboolean
pop_compute (SluiceKernelCall *call)
{
  Value value;
  if (!take_top (call, TRUE, &value) || !value.tensor)
    return FALSE;
  output_popped (call, value.tensor);
  return call->error == NULL;
}

static void
on_read (gpointer data, SluiceTensor *tensor, GError *error)
{
  SluiceKernelCall *call = data;
  if (tensor)
    output_popped (call, tensor);
  else
    sluice_call_fail_with (call, error);
  call->done (call);
}

/* The value is on its way from the disk. */
static void
pop_start (SluiceKernelCall *call)
{
  Value value;
  if (!take_top (call, FALSE, &value))
    call->done (call);
  else if (value.swapped)
    sluice_swapped_take (value.swapped, on_read, call);
  else
    on_read (call, value.tensor, NULL);
}

static void
pop_cancel (SluiceKernelCall *call)
{
  if (!call->device->swap || !sluice_swap_cancel (call->device->swap, call))
    return;
  sluice_call_fail (call, SLUICE_ERROR_CANCELLED, "the run was cancelled");
  call->done (call);
}

static gboolean
close_compute (SluiceKernelCall *call)
{
  Stack *self = (Stack *) sluice_call_get_handle (call, 0, &stack_type);
  if (!self)
    return FALSE;
  sluice_lock (&self->lock, SLUICE_LOCK_DATA);
  self->is_closed = TRUE;
  g_array_set_size (self->values, 0);
  pthread_mutex_unlock (&self->lock);
  return TRUE;
}

/* ---- definitions ---- */

static gboolean
handle_shape (SluiceShapeContext *c, GError **error)
{
  if (c->n_inputs && !sluice_shape_context_want_rank (c, 0, 0, error))
    return FALSE;
  /* As TensorFlow has it, of the resource handle too. */
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE (2));
  return TRUE;
}

static gboolean
push_shape (SluiceShapeContext *c, GError **error)
{
  sluice_flow_pass_on (c, 1, 0);
  return TRUE;
}

static const SluiceRecipe of_stack = { .why_none = "it works on a stack that another op makes" };

#define STACK_ATTRS "elem_type: type; stack_name: string = ''"
#define STACK_FLAGS (SLUICE_OP_STATEFUL | SLUICE_OP_ENDS_WITH_STEP | SLUICE_OP_NOT_DIFFERENTIABLE)

static const SluiceOpDef stack_ops[] = {
  { .name = "Stack",
    .signature = "-> handle: Ref(string)",
    .attrs = STACK_ATTRS,
    .summary = N_ ("A stack of values"),
    .flags = STACK_FLAGS,
    .shape = handle_shape,
    .recipe = &of_stack },
  { .name = "StackPush",
    .signature = "handle: Ref(string), elem: T -> output: T",
    .attrs = "T: type; swap_memory: bool = false",
    .summary = N_ ("Puts a value on a stack, and hands it on"),
    .flags = STACK_FLAGS | SLUICE_OP_MAY_SHARE,
    .shape = push_shape,
    .recipe = &of_stack },
  { .name = "StackPop",
    .signature = "handle: Ref(string) -> elem: elem_type",
    .attrs = "elem_type: type",
    .summary = N_ ("Takes the value from the top of a stack"),
    .flags = STACK_FLAGS,
    .shape = sluice_shape_of_popped,
    .recipe = &of_stack },
  { .name = "StackClose",
    .signature = "handle: Ref(string) ->",
    .summary = N_ ("Empties a stack for good"),
    .flags = STACK_FLAGS,
    .recipe = &of_stack },
  { .name = "StackV2",
    .signature = "max_size: int32 -> handle: resource",
    .attrs = STACK_ATTRS,
    .summary = N_ ("A stack of values"),
    .role = SLUICE_ROLE_STACK,
    .flags = STACK_FLAGS,
    .shape = handle_shape,
    .recipe = &of_stack },
  { .name = "StackPushV2",
    .signature = "handle: resource, elem: T -> output: T",
    .attrs = "T: type; swap_memory: bool = false",
    .summary = N_ ("Puts a value on a stack, and hands it on"),
    .role = SLUICE_ROLE_STACK_PUSH,
    .flags = STACK_FLAGS | SLUICE_OP_MAY_SHARE,
    .shape = push_shape,
    .recipe = &of_stack },
  { .name = "StackPopV2",
    .signature = "handle: resource -> elem: elem_type",
    .attrs = "elem_type: type",
    .summary = N_ ("Takes the value from the top of a stack"),
    .role = SLUICE_ROLE_STACK_POP,
    .flags = STACK_FLAGS,
    .shape = sluice_shape_of_popped,
    .recipe = &of_stack },
  { .name = "StackCloseV2",
    .signature = "handle: resource ->",
    .summary = N_ ("Empties a stack for good"),
    .flags = STACK_FLAGS,
    .recipe = &of_stack },
};

static const SluiceOpDef *const ops[] = { &stack_ops[0], &stack_ops[1], &stack_ops[2],
                                          &stack_ops[3], &stack_ops[4], &stack_ops[5],
                                          &stack_ops[6], &stack_ops[7] };

#define MOVES (SLUICE_KERNEL_CHEAP | SLUICE_KERNEL_KEEPS_DENORMALS)
#define MAKE(name)                                                                                 \
  {                                                                                                \
    .op = name, .device = "CPU", .flags = MOVES, .host_inputs = ~0u, .host_outputs = ~0u,          \
    .prepare = stack_prepare, .free_state = g_free, .compute = stack_compute                       \
  }
#define PUSH(name)                                                                                 \
  {                                                                                                \
    .op = name, .device = "CPU", .flags = MOVES, .host_inputs = 1, .prepare = push_prepare,        \
    .compute = push_compute                                                                        \
  }
#define POP(name)                                                                                  \
  {                                                                                                \
    .op = name, .device = "CPU",                                                                   \
    .flags = MOVES | SLUICE_KERNEL_ASYNC | SLUICE_KERNEL_WAITS_FOR_SWAP, .host_inputs = 1,         \
    .prepare = stack_prepare, .free_state = g_free, .compute = pop_compute, .start = pop_start,    \
    .cancel = pop_cancel                                                                           \
  }
#define CLOSE(name)                                                                                \
  {                                                                                                \
    .op = name, .device = "CPU", .flags = MOVES, .host_inputs = 1, .compute = close_compute        \
  }

static const SluiceKernel kernels[] = {
  MAKE ("Stack"),   PUSH ("StackPush"),   POP ("StackPop"),   CLOSE ("StackClose"),
  MAKE ("StackV2"), PUSH ("StackPushV2"), POP ("StackPopV2"), CLOSE ("StackCloseV2"),
};

const SluiceKernelModule sluice_module_flow_stack = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};

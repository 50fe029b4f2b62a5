/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * What the module brings: kernels of its own, kernels of the CPU that were compiled once more for
 * the device (reuse.h), and those of the CPU that touch no elements, which serve a device as they
 * are: they hand tensors on, look at shapes, hold variables, steer.
 */
#include <string.h>

#include "engine/device/plugin.h"
#include "kernels/cuda/cuda.h"

/* ---- kernels that touch no elements ---- */

static const char *const host_ops[] = {
  /* clang-format off */
  "Const", "Placeholder", "PlaceholderV2", "PlaceholderWithDefault", "NoOp", "ControlTrigger",
  "Identity", "IdentityN", "StopGradient", "PreventGradient", "RefIdentity", "Snapshot",
  "Reshape", "ExpandDims", "Squeeze", "Shape", "ShapeN", "Size", "Rank", "BroadcastGradientArgs",
  "BroadcastArgs", "ConcatOffset", "InvertPermutation", "Range",
  "Variable", "VariableV2", "TemporaryVariable", "DestroyTemporaryVariable", "Assign",
  "IsVariableInitialized", "VarHandleOp", "_VarHandlesOp", "ReadVariableOp", "AssignVariableOp",
  "VarIsInitializedOp", "VariableShape", "DestroyResourceOp",
  "Switch", "RefSwitch", "Merge", "RefMerge", "Enter", "RefEnter", "Exit", "RefExit",
  "NextIteration", "RefNextIteration", "LoopCond", "RefSelect", "_SwitchN", "Abort",
  "_Send", "_Recv", "_HostSend", "_HostRecv", "_Arg", "_Retval",
  "StackV2", "StackPushV2", "StackPopV2", "StackCloseV2", "Stack", "StackPush", "StackPop",
  "StackClose",
  /* clang-format on */
};

/* ---- kernels of the CPU that were compiled once more ---- */

#define ALL    0
#define FLOATS (SLUICE_SET (SLUICE_FLOAT) | SLUICE_SET (SLUICE_DOUBLE))

/* X (module, lowest rank that is taken over, types of T, ops; NULL: all) */
#define REUSED(X)                                                                                  \
  X (array_concat, 0, ALL, NULL)                                                                   \
  X (array_copy, 0, ALL, NULL)                                                                     \
  X (array_fill, 0, ALL, NULL)                                                                     \
  X (array_mirror_pad, 0, ALL, NULL)                                                               \
  X (array_repeat, 0, ALL, NULL)                                                                   \
  X (array_reverse, 0, ALL, NULL)                                                                  \
  X (array_slice, 0, ALL, NULL)                                                                    \
  X (array_space, 0, ALL, NULL)                                                                    \
  X (array_split, 0, ALL, NULL)                                                                    \
  X (array_transpose, 0, ALL, NULL)                                                                \
  X (linalg_batch_matmul, 10, ALL, NULL)                                                           \
  X (linalg_matmul, 10, ALL, NULL)                                                                 \
  X (nn_pool, 0, FLOATS, "MaxPool MaxPoolV2 MaxPoolGrad MaxPoolGradV2 AvgPool AvgPoolGrad ")       \
  X (nn_batch_norm, 0, FLOATS, NULL)                                                               \
  X (state_variable, 0, SLUICE_SET_REAL,                                                           \
     "AssignAdd AssignSub AssignAddVariableOp AssignSubVariableOp ")                               \
  X (random_random, 0, ALL, NULL)                                                                  \
  X (random_stateless, 0, ALL, NULL)

#define OWN(X)                                                                                     \
  X (array_cast)                                                                                   \
  X (array_gather)                                                                                 \
  X (math_add_n)                                                                                   \
  X (math_binary)                                                                                  \
  X (math_reduce)                                                                                  \
  X (math_select)                                                                                  \
  X (math_unary)                                                                                   \
  X (nn_activations)                                                                               \
  X (nn_bias)                                                                                      \
  X (nn_conv)                                                                                      \
  X (nn_softmax)                                                                                   \
  X (train_apply)

#define DECLARE_REUSED(name, ...) extern const SluiceKernelModule sluice_module_##name##_cpu;
#define DECLARE_OWN(name)         extern const SluiceKernelModule sluice_module_##name##_cuda;
REUSED (DECLARE_REUSED)
OWN (DECLARE_OWN)

static const struct
{
  const SluiceKernelModule *module;
  int lowest_rank;
  SluiceDTypeSet types;
  const char *ops; /* (nullable): names, a space behind each */
} reused[] = {
#define REUSED_ENTRY(name, rank, types, ops) { &sluice_module_##name##_cpu, rank, types, ops },
  REUSED (REUSED_ENTRY)
};

/* ---- the tables, made at start-up ---- */

static GArray *taken_over; /* of SluiceKernel */

/* Is there one already that has an op's kernels? Then what the CPU does without looking stays. */
static gboolean
has_kernel (const char *op)
{
  for (guint i = 0; i < taken_over->len; i++)
    if (g_str_equal (g_array_index (taken_over, SluiceKernel, i).op, op))
      return TRUE;
  return FALSE;
}

/* As it is, but for what belongs to fusion, which runs on CPUs. */
static void
take_over (const SluiceKernel *kernel, SluiceDTypeSet types)
{
  SluiceKernel copy = *kernel;
  copy.device = "CUDA";
  copy.strip = NULL;
  copy.produce = NULL;
  copy.consumed = 0;
  if (types != ALL)
    copy.where[0].types = types;
  g_array_append_val (taken_over, copy);
}

static gboolean
is_named (const char *op, const char *ops)
{
  g_autofree char *name = g_strconcat (op, " ", NULL);
  const char *at = ops != NULL ? strstr (ops, name) : name;
  return at != NULL && (at == ops || at == name || at[-1] == ' ');
}

static void init (void);
static SluiceKernelModule taken_over_module = { .init = init };

static void
init (void)
{
  taken_over = g_array_new (FALSE, FALSE, sizeof (SluiceKernel));
  for (guint i = 0; i < G_N_ELEMENTS (reused); i++)
    for (guint k = 0; k < reused[i].module->n_kernels; k++)
      {
        const SluiceKernel *kernel = &reused[i].module->kernels[k];
        if (kernel->rank >= reused[i].lowest_rank && is_named (kernel->op, reused[i].ops))
          take_over (kernel, reused[i].types);
      }
  for (guint i = 0; i < G_N_ELEMENTS (host_ops); i++)
    {
      guint n;
      const SluiceKernel *const *kernels = sluice_kernel_list (host_ops[i], &n);
      if (has_kernel (host_ops[i]))
        continue;
      for (guint k = 0; k < n; k++) /* the best first, as it stays */
        if (g_str_equal (kernels[k]->device, "CPU"))
          take_over (kernels[k], ALL);
    }
  taken_over_module.kernels = (const SluiceKernel *) taken_over->data;
  taken_over_module.n_kernels = taken_over->len;
}

static const SluiceKernelModule *const modules[] = {
#define OWN_ENTRY(name) &sluice_module_##name##_cuda,
  &taken_over_module,
  OWN (OWN_ENTRY) NULL,
};

SLUICE_PUBLIC_BEGIN
extern const SluicePlugin sluice_plugin;
SLUICE_PUBLIC_END
const SluicePlugin sluice_plugin = { SLUICE_PLUGIN_ABI, "cuda", modules, &sluice_cuda_kind };

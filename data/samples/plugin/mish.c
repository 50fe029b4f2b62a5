/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * An op of one's own, with its kernel and its gradient, outside the program: Mish, x tanh (log (1 +
 * e^x)) (Misra 2019).
 *
 *   gcc -shared -fPIC -O2 mish.c -o mish.so $(pkg-config --cflags sluice-0) -lm
 *
 *   sluice ops Mish --load mish.so
 *
 *   sluice run mish.pbtxt --load mish.so --feed x:0=1.5 --fetch y:0
 */
#include <gmodule.h>
#include <math.h>

#include "engine/device/plugin.h"
#include "engine/grad/grad.h"
#include "engine/graph/shape-context.h"

static double
mish (double x)
{
  return x * tanh (log1p (exp (x)));
}

static double
mish_slope (double x)
{
  double t = tanh (log1p (exp (x))), sigmoid = 1 / (1 + exp (-x));
  return t + x * sigmoid * (1 - t * t);
}

/* ---- definitions ---- */

static gboolean
mish_gradient (SluiceGradContext *g, GError **error)
{
  sluice_grad_set (g, 0,
                   sluice_op (&g->b, "MishGrad", sluice_grad_dy (g, 0), sluice_grad_input (g, 0)));
  return TRUE;
}

static const SluiceSample mish_samples[] = { { "", "float[3,5]", 1e-6, 1e-6 } };
static const SluiceRecipe mish_recipe = { mish_samples, G_N_ELEMENTS (mish_samples),
                                          SLUICE_SET (SLUICE_FLOAT) | SLUICE_SET (SLUICE_DOUBLE) };
static const SluiceOpDef mish_op = {
  .name = "Mish",
  .signature = "x: T -> y: T",
  .attrs = "T: {float, double} = float",
  .summary = "x tanh (softplus (x))",
  .shape = sluice_shape_unchanged,
  .gradient = mish_gradient,
  .recipe = &mish_recipe,
};

static const SluiceSample grad_samples[] = { { "", "float[3,5]; float[3,5]", 1e-6, 1e-6 } };
static const SluiceRecipe grad_recipe = { grad_samples, G_N_ELEMENTS (grad_samples),
                                          SLUICE_SET (SLUICE_FLOAT) | SLUICE_SET (SLUICE_DOUBLE) };
static const SluiceOpDef mish_grad_op = {
  .name = "MishGrad",
  .signature = "dy: T, x: T -> dx: T",
  .attrs = "T: {float, double} = float",
  .summary = "Gradient of Mish",
  .shape = sluice_shape_unchanged,
  .recipe = &grad_recipe,
};

/* ---- kernels ---- */

typedef struct
{
  const SluiceTensor *dy, *x; /* dy: of MishGrad only */
  SluiceTensor *out;
} Job;

#define LOOP(T)                                                                                    \
  {                                                                                                \
    const T *x = job->x->data, *dy = job->dy ? job->dy->data : NULL;                               \
    T *out = job->out->data;                                                                       \
    for (gint64 i = begin; i < end; i++)                                                           \
      out[i] = (T) (dy ? dy[i] * mish_slope (x[i]) : mish (x[i]));                                 \
  }

static void
run (gpointer data, gint64 begin, gint64 end)
{
  const Job *job = data;
  if (job->x->dtype == SLUICE_DOUBLE)
    LOOP (double)
  else
    LOOP (float)
}

/* An element takes some 40 ns: work for several threads from a few thousand on. */
static gboolean
compute (SluiceKernelCall *call)
{
  guint x_at = call->n_inputs - 1u;
  Job job = { .x = sluice_call_input (call, x_at) };
  if (call->n_inputs == 2)
    {
      job.dy = sluice_call_input (call, 0);
      if (!sluice_shape_equal (&job.dy->shape, &job.x->shape))
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "dy and x must have one shape");
    }
  job.out = sluice_call_reuse (call, 0, x_at, &job.x->shape);
  return job.out != NULL && sluice_call_parallel_for (call, job.x->n_elements, 1024, 40, run, &job);
}

#define TYPES                                                                                      \
  {                                                                                                \
    {                                                                                              \
      "T", SLUICE_SET (SLUICE_FLOAT) | SLUICE_SET (SLUICE_DOUBLE)                                  \
    }                                                                                              \
  }
static const SluiceKernel kernels[] = {
  { .op = "Mish", .device = "CPU", .where = TYPES, .compute = compute },
  { .op = "MishGrad", .device = "CPU", .where = TYPES, .compute = compute },
};

/* ---- what the program looks for ---- */

static const SluiceOpDef *const ops[] = { &mish_op, &mish_grad_op };
static const SluiceKernelModule module = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
static const SluiceKernelModule *const modules[] = { &module, NULL };
G_MODULE_EXPORT const SluicePlugin sluice_plugin;
const SluicePlugin sluice_plugin = { SLUICE_PLUGIN_ABI, "mish", modules };

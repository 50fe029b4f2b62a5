/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/math/elementwise.h"
#include "kernels/math/tables.h"
#include "kernels/math/wide.h"

/* Halves go through float in blocks of this many elements. */
#define BLOCK 512

typedef struct
{
  SluiceUnaryLoop loop;
  SluiceDType dtype, out_dtype;
  const char *x;
  char *out;
} UnaryJob;

static void
run_half (const UnaryJob *job, gint64 begin, gint64 end)
{
  float wide[BLOCK], result[BLOCK];
  for (gint64 i = begin; i < end; i += BLOCK)
    {
      gint64 n = MIN (BLOCK, end - i);
      sluice_widen (job->dtype, job->x + 2 * i, wide, n);
      if (job->out_dtype != job->dtype)
        {
          job->loop (n, wide, job->out + sluice_dtype_size (job->out_dtype) * i);
          continue;
        }
      job->loop (n, wide, result);
      sluice_narrow (job->dtype, result, job->out + 2 * i, n);
    }
}

static void
run (gpointer data, gint64 begin, gint64 end)
{
  const UnaryJob *job = data;
  if (sluice_dtype_is_half (job->dtype))
    run_half (job, begin, end);
  else
    job->loop (end - begin, job->x + sluice_dtype_size (job->dtype) * begin,
               job->out + sluice_dtype_size (job->out_dtype) * begin);
}

static gboolean
unary_compute (SluiceKernelCall *call)
{
  const SluiceUnaryKernel *k = call->kernel->data;
  const SluiceTensor *x = sluice_call_input (call, 0);
  UnaryJob job = { .loop = k->loop[x->dtype], .dtype = x->dtype, .x = x->data };
  gint64 n = x->n_elements;
  SluiceTensor *out = k->retypes ? sluice_call_output (call, 0, &x->shape)
                                 : sluice_call_reuse (call, 0, 0, &x->shape);
  if (out == NULL)
    return FALSE;
  job.out = out->data;
  job.out_dtype = out->dtype;
  if (n > SLUICE_GRAIN)
    return sluice_call_parallel_for (call, n, SLUICE_GRAIN, k->ns, run, &job);
  if (n > 0)
    run (&job, 0, n);
  return TRUE;
}

static void
run_strip (const SluiceStrip *strip, gint64 n, const void *const *operands, guint single, void *out)
{
  ((SluiceUnaryLoop) strip->loop) (n, operands[0], out);
}

static gboolean
unary_strip (const SluiceKernel *kernel, const SluiceNode *node, SluiceStrip *strip)
{
  const SluiceUnaryKernel *k = kernel->data;
  SluiceDType dtype = sluice_strip_dtype (node);
  *strip = (SluiceStrip){
    .run = run_strip, .loop = (void (*) (void)) k->loop[dtype], .n_operands = 1, .ns = k->ns
  };
  return !sluice_dtype_is_half (dtype);
}

/* One element after the other, in the widest type of its kind. */
static gboolean
unary_compute_reference (SluiceKernelCall *call)
{
  const SluiceUnaryKernel *k = call->kernel->data;
  const SluiceTensor *x = sluice_call_input (call, 0);
  SluiceUnaryLoop one = k->loop[sluice_wide_dtype (x->dtype)];
  SluiceTensor *out = sluice_call_output (call, 0, &x->shape);
  if (out == NULL)
    return FALSE;
  for (gint64 i = 0; i < x->n_elements; i++)
    {
      SluiceWide from = sluice_wide_load (x->dtype, x->data, i), to = { 0 };
      one (1, &from, &to);
      sluice_wide_store (out->dtype, out->data, i, to);
    }
  return TRUE;
}

/* ---- the kernels ---- */

#define NOTHING(...)
#define MAKE_LOOPS(op, fn, kinds, ...)      FOR_##kinds (UNARY_LOOP, fn)
#define MAKE_PREDICATES(op, fn, kinds, ...) FOR_##kinds (PREDICATE_LOOP, fn)

UNARY_TABLE (MAKE_LOOPS, NOTHING)
CONJ_TABLE (MAKE_LOOPS)
PREDICATE_TABLE (MAKE_PREDICATES)
FOR_B (UNARY_LOOP, logical_not)
#define MAKE_PARTS(op, fn, ...)                                                                    \
  UNARY_LOOP_TO (fn, c64, SluiceComplex64, float, SLUICE_RARE)                                     \
  UNARY_LOOP_TO (fn, c128, SluiceComplex128, double, SLUICE_RARE)
PART_TABLE (MAKE_PARTS)

#define MAKE_KERNEL_TO(op, fn, kinds, ns_, bool_)                                                  \
  static const SluiceUnaryKernel kernel_##op = { .loop = { LOOPS_##kinds (unary_##fn) },           \
                                                 .retypes = bool_,                                 \
                                                 .ns = ns_ };
#define MAKE_KERNEL(op, fn, kinds, types, summary, gradient, domain, rtol, ns)                     \
  MAKE_KERNEL_TO (op, fn, kinds, ns, FALSE)
#define MAKE_TEST(op, fn, kinds, types, summary, gradient, domain, rtol, ns)                       \
  MAKE_KERNEL_TO (op, fn, kinds, ns, TRUE)

UNARY_TABLE (MAKE_KERNEL, MAKE_KERNEL)
CONJ_TABLE (MAKE_KERNEL)
#define MAKE_PART(op, fn, signature, summary, gradient, ns) MAKE_KERNEL_TO (op, fn, C, ns, TRUE)

PREDICATE_TABLE (MAKE_TEST)
PART_TABLE (MAKE_PART)
MAKE_KERNEL_TO (LogicalNot, logical_not, B, 0.1, FALSE)

#define REGISTER(op_, fn, kinds, ...)                                                              \
  { .op = #op_,                                                                                    \
    .device = "CPU",                                                                               \
    .where = { { "T", SET_##kinds } },                                                             \
    .rank = 10,                                                                                    \
    .compute = unary_compute,                                                                      \
    .strip = unary_strip,                                                                          \
    .data = (gpointer) &kernel_##op_ },                                                            \
      { .op = #op_,                                                                                \
        .device = "CPU",                                                                           \
        .where = { { "T", SET_##kinds } },                                                         \
        .compute = unary_compute_reference,                                                        \
        .data = (gpointer) &kernel_##op_ },

#define REGISTER_PART_OF(op_, in, out, rank_, compute_)                                            \
  { .op = #op_,                                                                                    \
    .device = "CPU",                                                                               \
    .where = { { "T", SLUICE_SET (in) }, { "Tout", SLUICE_SET (out) } },                           \
    .rank = rank_,                                                                                 \
    .compute = compute_,                                                                           \
    .data = (gpointer) &kernel_##op_ },
#define REGISTER_PART(op, ...)                                                                     \
  REGISTER_PART_OF (op, SLUICE_COMPLEX64, SLUICE_FLOAT, 10, unary_compute)                         \
  REGISTER_PART_OF (op, SLUICE_COMPLEX128, SLUICE_DOUBLE, 10, unary_compute)                       \
  REGISTER_PART_OF (op, SLUICE_COMPLEX64, SLUICE_FLOAT, 0, unary_compute_reference)                \
  REGISTER_PART_OF (op, SLUICE_COMPLEX128, SLUICE_DOUBLE, 0, unary_compute_reference)

static const SluiceKernel kernels[] = {
  /* clang-format off */
  UNARY_TABLE (REGISTER, REGISTER)
  CONJ_TABLE (REGISTER)
  PREDICATE_TABLE (REGISTER)
  PART_TABLE (REGISTER_PART)
  /* clang-format on */
  { .op = "LogicalNot",
    .device = "CPU",
    .rank = 10,
    .compute = unary_compute,
    .strip = unary_strip,
    .data = (gpointer) &kernel_LogicalNot },
  { .op = "LogicalNot",
    .device = "CPU",
    .compute = unary_compute_reference,
    .data = (gpointer) &kernel_LogicalNot },
};

const SluiceKernelModule sluice_module_math_unary_cpu = { .kernels = kernels,
                                                          .n_kernels = G_N_ELEMENTS (kernels) };

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/math/elementwise-cuda.h"

typedef void (*UnaryLaunch) (gint64 n, const void *x, void *out);
typedef struct
{
  SluiceDType dtype; /* SLUICE_INVALID: the last */
  UnaryLaunch launch;
} UnaryEntry;

template <typename M, typename TO, typename F>
static void
launch_unary (gint64 n, const void *x_, void *out_)
{
  const M *x = (const M *) x_;
  TO *out = (TO *) out_;
  sluice_each (n, [=] SLUICE_LAMBDA (gint64 i) {
    sluice_put (&out[i], F () (sluice_wide (x[i])));
  });
}

static UnaryLaunch
find_launch (const UnaryEntry *entries, int dtype)
{
  while (entries->dtype != SLUICE_INVALID && (int) entries->dtype != dtype)
    entries++;
  return entries->launch;
}

static gboolean
unary_compute (SluiceKernelCall *call)
{
  const SluiceTensor *x = sluice_call_input (call, 0);
  UnaryLaunch launch = find_launch ((const UnaryEntry *) call->kernel->data, x->dtype);
  SluiceShape shape = x->shape;
  SluiceTensor *out = sluice_call_reuse (call, 0, 0, &shape); /* of another size: a new one */
  if (out == NULL || x->n_elements == 0)
    return out != NULL;
  if (!sluice_cuda_begin (call))
    return FALSE;
  const void *from = sluice_cuda_tensor (x, SLUICE_CUDA_READ);
  void *to = sluice_cuda_tensor (out, SLUICE_CUDA_WRITE);
  if (from != NULL && to != NULL)
    launch (x->n_elements, from, to);
  return sluice_cuda_end (call);
}

/* ---- the formulas ---- */

#define FUNCTOR_TO(fn, s, T, TO)                                                                   \
  struct Unary_##fn##_##s                                                                          \
  {                                                                                                \
    SLUICE_MEMBER TO operator() (T x) const { return scalar_##fn##_##s (x); }                      \
  };
#define FUNCTOR(fn, s, T)   FUNCTOR_TO (fn, s, T, T)
#define PREDICATE(fn, s, T) FUNCTOR_TO (fn, s, T, guint8)

#define MAKE_FUNCTORS(op, fn, kinds, ...)   UNLESS_SPECIAL (fn) (EACH_##kinds (FUNCTOR, fn))
#define MAKE_PREDICATES(op, fn, kinds, ...) EACH_##kinds (PREDICATE, fn)
UNARY_TABLE (MAKE_FUNCTORS, SLUICE_NOTHING)
PREDICATE_TABLE (MAKE_PREDICATES)
EACH_B (FUNCTOR, logical_not)

#define ENTRY(dtype, M, functor)           { dtype, launch_unary<M, M, Unary_##functor> },
#define PREDICATE_ENTRY(dtype, M, functor) { dtype, launch_unary<M, guint8, Unary_##functor> },
#define LAST                               { SLUICE_INVALID, NULL }
#define MAKE_ENTRIES(op, fn, kinds, ...)                                                           \
  UNLESS_SPECIAL (fn)                                                                              \
  (static const UnaryEntry entries_##op[] = { ENTRIES_##kinds (ENTRY, fn) LAST };)
#define MAKE_PREDICATE_ENTRIES(op, fn, kinds, ...)                                                 \
  static const UnaryEntry entries_##op[] = { ENTRIES_##kinds (PREDICATE_ENTRY, fn) LAST };
UNARY_TABLE (MAKE_ENTRIES, MAKE_ENTRIES)
PREDICATE_TABLE (MAKE_PREDICATE_ENTRIES)
static const UnaryEntry entries_LogicalNot[] = { ENTRIES_B (ENTRY, logical_not) LAST };

#define KERNEL(op_, ...)                                                                           \
  { .op = #op_, .device = "CUDA", __VA_ARGS__ .compute = unary_compute,                            \
    .data = (gpointer) entries_##op_ },
#define REGISTER(op, fn, kinds, ...)                                                               \
  UNLESS_SPECIAL (fn) (KERNEL (op, .where = { { "T", CUDA_SET_##kinds } }, ))

static const SluiceKernel kernels[] = {
  /* clang-format off */
  UNARY_TABLE (REGISTER, REGISTER)
  PREDICATE_TABLE (REGISTER)
  KERNEL (LogicalNot, )
  /* clang-format on */
};

extern "C" const SluiceKernelModule sluice_module_math_unary_cuda = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};

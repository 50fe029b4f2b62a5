/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/math/elementwise-cuda.h"

typedef void (*BinaryLaunch) (
    gint64 n, const SluiceBroadcast *b, const void *x, const void *y, void *out);
typedef struct
{
  SluiceDType dtype; /* SLUICE_INVALID: the last */
  BinaryLaunch launch;
} BinaryEntry;

typedef enum
{
  REFUSES_NOTHING,
  REFUSES_ZERO,
  REFUSES_ZERO_INTERNAL, /* TensorFlow has another code for these */
  REFUSES_NEGATIVE,
} Refusal;

typedef struct
{
  const BinaryEntry *entries;
  Refusal refusal; /* of integers at y */
  gboolean one_shape;
} BinaryKernel;

/* Of 32 bits where that suffices: a division of 64 takes the device a hundred instructions. */
template <typename I>
SLUICE_DEVICE void
find_operands (const SluiceBroadcast &b, gint64 at, gint64 *x, gint64 *y)
{
  I i = (I) at;
  *x = *y = 0;
  for (int d = b.rank - 1; d > 0; d--)
    {
      I rest = i / (I) b.dim[d], column = i - rest * (I) b.dim[d];
      *x += (gint64) column * b.step[0][d];
      *y += (gint64) column * b.step[1][d];
      i = rest;
    }
  *x += (gint64) i * b.step[0][0];
  *y += (gint64) i * b.step[1][0];
}

template <typename M, typename TO, typename F>
static void
launch_binary (gint64 n, const SluiceBroadcast *b_, const void *x_, const void *y_, void *out_)
{
  const M *x = (const M *) x_, *y = (const M *) y_;
  TO *out = (TO *) out_;
  SluiceBroadcast b = *b_;
  gboolean is_small = n <= G_MAXINT32;
  sluice_each (n, [=] SLUICE_LAMBDA (gint64 i) {
    gint64 at_x, at_y;
    if (is_small)
      find_operands<guint32> (b, i, &at_x, &at_y);
    else
      find_operands<guint64> (b, i, &at_x, &at_y);
    sluice_put (&out[i], F () (sluice_wide (x[at_x]), sluice_wide (y[at_y])));
  });
}

static gboolean
refuse_shapes (SluiceKernelCall *call, const SluiceTensor *x, const SluiceTensor *y)
{
  char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
  return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                           "shapes %s and %s do not broadcast; make them equal, or 1 where they "
                           "differ",
                           sluice_shape_str (&x->shape, a), sluice_shape_str (&y->shape, b));
}

/* Shapes that cannot be compared differ: NotEqual is true, Equal false. */
static gpointer
prepare_equal (const SluiceNode *node, GError **error)
{
  return GINT_TO_POINTER (!sluice_node_get_bool (node, "incompatible_shape_error"));
}

static gboolean
answer_differs (SluiceKernelCall *call)
{
  SluiceShape scalar = { .rank = 0 };
  SluiceTensor *out = sluice_call_output (call, 0, &scalar);
  if (out != NULL)
    *(guint8 *) out->data = strcmp (call->node->op_name, "NotEqual") == 0;
  return out != NULL;
}

/* Looks at y on the host, which shares the memory. */
static gboolean
check_divisor (SluiceKernelCall *call, Refusal refusal, const SluiceTensor *y)
{
  if (refusal == REFUSES_NOTHING || !sluice_dtype_in (y->dtype, SLUICE_SET_INTS))
    return TRUE;
  gboolean is_unsigned = sluice_dtype_in (y->dtype, SLUICE_SET_UNSIGNED);
  for (gint64 i = 0; i < y->n_elements; i++)
    {
      gint64 value = sluice_tensor_get_int (y, i);
      if (refusal == REFUSES_NEGATIVE && value < 0 && !is_unsigned)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "integer to a negative power at element %" G_GINT64_FORMAT " of y",
                                 i);
      if (refusal != REFUSES_NEGATIVE && value == 0)
        return sluice_call_fail (call,
                                 refusal == REFUSES_ZERO ? SLUICE_ERROR_INVALID_ARGUMENT
                                                         : SLUICE_ERROR_INTERNAL,
                                 "integer division by zero at element %" G_GINT64_FORMAT " of y",
                                 i);
    }
  return TRUE;
}

/* In the memory of an operand of its shape and type, where that is allowed. */
static SluiceTensor *
make_output (SluiceKernelCall *call, const SluiceShape *shape, gint64 n)
{
  const SluiceTensor *x = sluice_call_input (call, 0), *y = sluice_call_input (call, 1);
  if (x->n_elements == n && (y->n_elements != n || sluice_call_can_reuse (call, 0)))
    return sluice_call_reuse (call, 0, 0, shape);
  if (y->n_elements == n)
    return sluice_call_reuse (call, 0, 1, shape);
  return sluice_call_output (call, 0, shape);
}

static gboolean
run (SluiceKernelCall *call, BinaryLaunch launch, const SluiceBroadcast *b, SluiceTensor *out)
{
  if (!sluice_cuda_begin (call))
    return FALSE;
  const void *x = sluice_cuda_tensor (sluice_call_input (call, 0), SLUICE_CUDA_READ);
  const void *y = sluice_cuda_tensor (sluice_call_input (call, 1), SLUICE_CUDA_READ);
  void *to = sluice_cuda_tensor (out, SLUICE_CUDA_WRITE);
  if (x != NULL && y != NULL && to != NULL)
    launch (out->n_elements, b, x, y, to);
  return sluice_cuda_end (call);
}

static gboolean
binary_compute (SluiceKernelCall *call)
{
  const BinaryKernel *k = (const BinaryKernel *) call->kernel->data;
  const SluiceTensor *x = sluice_call_input (call, 0), *y = sluice_call_input (call, 1);
  const SluiceShape *shapes[] = { &x->shape, &y->shape };
  SluiceBroadcast b;
  SluiceShape shape;
  if ((k->one_shape && !sluice_shape_equal (&x->shape, &y->shape))
      || !sluice_broadcast_make (&b, shapes, 2, &shape))
    return call->state ? answer_differs (call) : refuse_shapes (call, x, y);
  gint64 n = sluice_shape_n_elements (&shape);
  if (n > 0 && !check_divisor (call, k->refusal, y))
    return FALSE;
  const BinaryEntry *entry = k->entries;
  while ((int) entry->dtype != x->dtype)
    entry++;
  SluiceTensor *out = make_output (call, &shape, n);
  if (out == NULL || n == 0)
    return out != NULL;
  return run (call, entry->launch, &b, out);
}

/* ---- the formulas ---- */

#define FUNCTOR_TO(fn, s, T, TO)                                                                   \
  struct Binary_##fn##_##s                                                                         \
  {                                                                                                \
    SLUICE_MEMBER TO operator() (T x, T y) const { return scalar_##fn##_##s (x, y); }              \
  };
#define FUNCTOR(fn, s, T) FUNCTOR_TO (fn, s, T, T)
#define COMPARE(fn, s, T) FUNCTOR_TO (fn, s, T, guint8)

#define MAKE_FUNCTORS(op, fn, kinds, ...)              EACH_##kinds (FUNCTOR, fn)
#define MAKE_COMPARES(op, fn, kinds, ...)              EACH_##kinds (COMPARE, fn)
#define MAKE_LOGICALS(op, fn, ...)                     EACH_B (FUNCTOR, fn)
#define MAKE_NAMED_FUNCTORS(signature, op, fn, kinds, ...)                                         \
  UNLESS_SPECIAL (fn) (EACH_##kinds (FUNCTOR, fn))
BINARY_TABLE (MAKE_FUNCTORS, SLUICE_NOTHING)
GRADIENT_TABLE (MAKE_FUNCTORS, SLUICE_NOTHING)
NAMED_BINARY_TABLE (MAKE_NAMED_FUNCTORS)
COMPARE_TABLE (MAKE_COMPARES)
EQUAL_TABLE (MAKE_COMPARES)
LOGICAL_TABLE (MAKE_LOGICALS)

#define refuses_none      REFUSES_NOTHING
#define refuses_divisor   REFUSES_ZERO
#define refuses_truncated REFUSES_ZERO_INTERNAL
#define refuses_power     REFUSES_NEGATIVE

#define ENTRY(dtype, M, functor)         { dtype, launch_binary<M, M, Binary_##functor> },
#define COMPARE_ENTRY(dtype, M, functor) { dtype, launch_binary<M, guint8, Binary_##functor> },
#define TABLE(op, entries, refusal, one_shape)                                                     \
  static const BinaryEntry entries_##op[] = { entries{ SLUICE_INVALID, NULL } };                   \
  static const BinaryKernel kernel_##op = { entries_##op, refusal, one_shape };

#define MAKE_BINARY(op, fn, kinds, types, summary, gradient, domain, rtol, ns, refused, flags)     \
  TABLE (op, ENTRIES_##kinds (ENTRY, fn), refuses_##refused, FALSE)
#define MAKE_GRADIENT(op, fn, kinds, ...)                                                          \
  TABLE (op, ENTRIES_##kinds (ENTRY, fn), REFUSES_NOTHING, TRUE)
#define MAKE_NAMED(signature, op, fn, kinds, ...)                                                  \
  UNLESS_SPECIAL (fn) (TABLE (op, ENTRIES_##kinds (ENTRY, fn), REFUSES_NOTHING, FALSE))
#define MAKE_COMPARE(op, fn, kinds, ...)                                                           \
  TABLE (op, ENTRIES_##kinds (COMPARE_ENTRY, fn), REFUSES_NOTHING, FALSE)
#define MAKE_LOGICAL(op, fn, ...) TABLE (op, ENTRIES_B (ENTRY, fn), REFUSES_NOTHING, FALSE)

BINARY_TABLE (MAKE_BINARY, MAKE_BINARY)
GRADIENT_TABLE (MAKE_GRADIENT, MAKE_GRADIENT)
NAMED_BINARY_TABLE (MAKE_NAMED)
COMPARE_TABLE (MAKE_COMPARE)
EQUAL_TABLE (MAKE_COMPARE)
LOGICAL_TABLE (MAKE_LOGICAL)
/* Div cuts integers towards 0 and divides the others. */
TABLE (Div, ENTRIES_R (ENTRY, div) ENTRIES_I (ENTRY, truncate_div), REFUSES_ZERO, FALSE)

#define KERNEL(op_, set, prepare_)                                                                 \
  { .op = #op_, .device = "CUDA", .where = { { "T", set } }, .prepare = prepare_,                  \
    .compute = binary_compute, .data = (gpointer) &kernel_##op_ },
#define REGISTER(op, fn, kinds, ...)       KERNEL (op, CUDA_SET_##kinds, NULL)
#define REGISTER_EQUAL(op, fn, kinds, ...) KERNEL (op, CUDA_SET_##kinds, prepare_equal)
#define REGISTER_NAMED(signature, op, fn, kinds, ...)                                              \
  UNLESS_SPECIAL (fn) (KERNEL (op, CUDA_SET_##kinds, NULL))
#define REGISTER_LOGICAL(op_, ...)                                                                 \
  { .op = #op_, .device = "CUDA", .compute = binary_compute, .data = (gpointer) &kernel_##op_ },

static const SluiceKernel kernels[] = {
  /* clang-format off */
  BINARY_TABLE (REGISTER, REGISTER)
  GRADIENT_TABLE (REGISTER, REGISTER)
  COMPARE_TABLE (REGISTER)
  EQUAL_TABLE (REGISTER_EQUAL)
  LOGICAL_TABLE (REGISTER_LOGICAL)
  NAMED_BINARY_TABLE (REGISTER_NAMED)
  KERNEL (Div, CUDA_SET_RI, NULL)
  /* clang-format on */
};

extern "C" const SluiceKernelModule sluice_module_math_binary_cuda = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};

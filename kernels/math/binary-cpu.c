/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <string.h>

#include "kernels/math/chain.h"
#include "kernels/math/elementwise.h"
#include "kernels/math/tables.h"
#include "kernels/math/wide.h"

/* Halves go through float in blocks of this many elements. */
#define BLOCK 512

typedef struct
{
  SluiceBinaryLoop loop;
  SluiceDType dtype;
  gsize size, out_size;
  const char *x, *y;
  char *out;
  SluiceBroadcast b;
} BinaryJob;

/* A plane of halves, row by row in blocks. x, y and out point to its first elements. */
static void
run_half (const BinaryJob *job, const SluicePlane *p, const char *x, const char *y, char *out)
{
  float wide_x[BLOCK], wide_y[BLOCK], result[BLOCK];
  for (gint64 r = 0; r < p->rows; r++)
    for (gint64 i = 0; i < p->n; i += BLOCK)
      {
        SluicePlane part = {
          .rows = 1, .n = MIN (BLOCK, p->n - i), .x_step = p->x_step, .y_step = p->y_step
        };
        gint64 at = r * p->n + i;
        sluice_widen (job->dtype, x + 2 * (r * p->x_row + i * p->x_step), wide_x,
                      p->x_step ? part.n : 1);
        sluice_widen (job->dtype, y + 2 * (r * p->y_row + i * p->y_step), wide_y,
                      p->y_step ? part.n : 1);
        if (job->out_size != 2)
          {
            job->loop (&part, wide_x, wide_y, out + at * job->out_size);
            continue;
          }
        job->loop (&part, wide_x, wide_y, result);
        sluice_narrow (job->dtype, result, out + 2 * at, part.n);
      }
}

static inline void
run_plane (const BinaryJob *job, const SluicePlane *p, gint64 x, gint64 y, gint64 out)
{
  const char *at_x = job->x + x * job->size, *at_y = job->y + y * job->size;
  char *at_out = job->out + out * job->out_size;
  if (sluice_dtype_is_half (job->dtype))
    run_half (job, p, at_x, at_y, at_out);
  else
    job->loop (p, at_x, at_y, at_out);
}

/* Units are elements of the one dimension. */
static void
run_flat (gpointer data, gint64 begin, gint64 end)
{
  const BinaryJob *job = data;
  SluicePlane p = {
    .rows = 1, .n = end - begin, .x_step = job->b.step[0][0], .y_step = job->b.step[1][0]
  };
  run_plane (job, &p, begin * p.x_step, begin * p.y_step, begin);
}

/* Units are rows; those that follow each other in the second dimension make one plane. */
static void
run_rows (gpointer data, gint64 begin, gint64 end)
{
  const BinaryJob *job = data;
  const SluiceBroadcast *b = &job->b;
  int inner = b->rank - 1;
  while (begin < end)
    {
      gint64 rows = MIN (end - begin, b->dim[inner - 1] - begin % b->dim[inner - 1]);
      SluicePlane p = { .rows = rows,
                        .n = b->dim[inner],
                        .x_row = b->step[0][inner - 1],
                        .y_row = b->step[1][inner - 1],
                        .x_step = b->step[0][inner],
                        .y_step = b->step[1][inner] };
      run_plane (job, &p, sluice_broadcast_row (b, 0, begin), sluice_broadcast_row (b, 1, begin),
                 begin * p.n);
      begin += rows;
    }
}

/* ---- shapes and outputs ---- */

static gboolean
refuse_shapes (SluiceKernelCall *call, const SluiceTensor *x, const SluiceTensor *y)
{
  char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
  return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                           "shapes %s and %s do not broadcast; make them equal, or 1 where they "
                           "differ",
                           sluice_shape_str (&x->shape, a), sluice_shape_str (&y->shape, b));
}

static const char differs_marker;

static gpointer
prepare_equal (const SluiceNode *node, GError **error)
{
  return sluice_node_get_bool (node, "incompatible_shape_error") ? NULL
                                                                 : (gpointer) &differs_marker;
}

/* Shapes that cannot be compared differ: NotEqual is true, Equal false. */
static gboolean
answer_differs (SluiceKernelCall *call)
{
  SluiceTensor *out = sluice_call_output (call, 0, &SLUICE_SHAPE_SCALAR);
  if (out)
    *(guint8 *) out->data = g_str_equal (call->node->op_name, "NotEqual");
  return out != NULL;
}

/* The output, in the memory of an operand of its shape where that is allowed. */
static SluiceTensor *
make_output (SluiceKernelCall *call, const SluiceShape *shape, gint64 n)
{
  const SluiceBinaryKernel *k = call->kernel->data;
  const SluiceTensor *x = sluice_call_input (call, 0), *y = sluice_call_input (call, 1);
  if (k->retypes)
    return sluice_call_output (call, 0, shape);
  if (x->n_elements == n && (y->n_elements != n || sluice_call_can_reuse (call, 0)))
    return sluice_call_reuse (call, 0, 0, shape);
  if (y->n_elements == n)
    return sluice_call_reuse (call, 0, 1, shape);
  return sluice_call_output (call, 0, shape);
}

/* Fills job->b and shape; FALSE: the call is over, *done tells how it ended. */
static gboolean
plan (SluiceKernelCall *call, SluiceBroadcast *b, SluiceShape *shape, gboolean *done)
{
  const SluiceBinaryKernel *k = call->kernel->data;
  const SluiceTensor *x = sluice_call_input (call, 0), *y = sluice_call_input (call, 1);
  gboolean fits =
      (!k->one_shape || sluice_shape_equal (&x->shape, &y->shape))
      && sluice_broadcast_make (b, (const SluiceShape *[]){ &x->shape, &y->shape }, 2, shape);
  if (!fits)
    {
      *done = call->state ? answer_differs (call) : refuse_shapes (call, x, y);
      return FALSE;
    }
  if (k->check && sluice_shape_n_elements (shape) > 0 && !k->check (call, y))
    {
      *done = FALSE;
      return FALSE;
    }
  return TRUE;
}

/* One shape, few elements: what a scalar step of a big graph consists of. */
static gboolean
compute_small (SluiceKernelCall *call, const SluiceBinaryKernel *k)
{
  const SluiceTensor *x = sluice_call_input (call, 0), *y = sluice_call_input (call, 1);
  SluiceBinaryLoop loop = k->loop[x->dtype];
  const void *from_x = x->data, *from_y = y->data;
  SluicePlane p = { .rows = 1, .n = x->n_elements, .x_step = 1, .y_step = 1 };
  SluiceTensor *out = make_output (call, &x->shape, p.n);
  if (out == NULL)
    return FALSE;
  if (p.n > 0)
    loop (&p, from_x, from_y, out->data);
  return TRUE;
}

static gboolean
binary_compute (SluiceKernelCall *call)
{
  const SluiceBinaryKernel *k = call->kernel->data;
  const SluiceTensor *x = sluice_call_input (call, 0), *y = sluice_call_input (call, 1);
  gint64 n = x->n_elements;
  if (n <= SLUICE_GRAIN && n == y->n_elements && k->check == NULL
      && !sluice_dtype_is_half (x->dtype) && sluice_shape_equal (&x->shape, &y->shape))
    return compute_small (call, k);
  BinaryJob job = { .loop = k->loop[x->dtype],
                    .dtype = x->dtype,
                    .size = sluice_dtype_size (x->dtype),
                    .x = x->data,
                    .y = y->data };
  SluiceShape shape;
  gboolean done;
  if (!plan (call, &job.b, &shape, &done))
    return done;
  n = sluice_shape_n_elements (&shape);
  SluiceTensor *out = make_output (call, &shape, n);
  if (out == NULL)
    return FALSE;
  job.out = out->data;
  job.out_size = sluice_dtype_size (out->dtype);
  if (n == 0)
    return TRUE;
  if (job.b.rank == 1)
    return sluice_call_parallel_for (call, n, SLUICE_GRAIN, k->ns, run_flat, &job);
  gint64 inner = job.b.dim[job.b.rank - 1];
  return sluice_call_parallel_for (call, n / inner, MAX (1, SLUICE_GRAIN / inner), k->ns * inner,
                                   run_rows, &job);
}

static void
run_strip (const SluiceStrip *strip, gint64 n, const void *const *operands, guint single, void *out)
{
  SluicePlane plane = { .rows = 1, .n = n, .x_step = !(single & 1), .y_step = !(single & 2) };
  ((SluiceBinaryLoop) strip->loop) (&plane, operands[0], operands[1], out);
}

static SluiceChainOp
chain_op (const char *op)
{
  if (strcmp (op, "Add") == 0 || strcmp (op, "AddV2") == 0)
    return SLUICE_CHAIN_ADD;
  if (strcmp (op, "Sub") == 0)
    return SLUICE_CHAIN_SUB;
  return strcmp (op, "Mul") == 0 ? SLUICE_CHAIN_MUL : SLUICE_CHAIN_NONE;
}

static gboolean
binary_strip (const SluiceKernel *kernel, const SluiceNode *node, SluiceStrip *strip)
{
  const SluiceBinaryKernel *k = kernel->data;
  SluiceDType dtype = sluice_strip_dtype (node);
  *strip = (SluiceStrip){ .run = run_strip,
                          .loop = (void (*) (void)) k->loop[dtype],
                          .n_operands = 2,
                          .one_shape = k->one_shape,
                          .ns = k->ns,
                          .chain_op = chain_op (kernel->op) };
  if (strip->chain_op != SLUICE_CHAIN_NONE)
    strip->chain = sluice_chain_get (dtype);
  gboolean may_refuse = k->check != NULL && sluice_dtype_in (dtype, SLUICE_SET_INTS);
  return !sluice_dtype_is_half (dtype) && !may_refuse;
}

/* Goes through the elements of the output in order. */
typedef struct
{
  const SluiceBroadcast *b;
  gint64 row, column;
  gint64 x, y; /* where the operands stand */
} Walk;

static inline void
walk_on (Walk *self)
{
  const SluiceBroadcast *b = self->b;
  self->x += b->step[0][b->rank - 1];
  self->y += b->step[1][b->rank - 1];
  if (++self->column < b->dim[b->rank - 1])
    return;
  self->column = 0;
  self->row++;
  self->x = sluice_broadcast_row (b, 0, self->row);
  self->y = sluice_broadcast_row (b, 1, self->row);
}

/* z = f (x, y) of halves that round on the way, by their loop of floats. */
static SluiceWide
half_element (SluiceBinaryLoop loop, SluiceWide x, SluiceWide y)
{
  const SluicePlane p = { .rows = 1, .n = 1 };
  float from_x = (float) x.f64, from_y = (float) y.f64, to;
  loop (&p, &from_x, &from_y, &to);
  return (SluiceWide){ .f64 = to };
}

/* One element after the other, in the widest type of its kind. */
static gboolean
binary_compute_reference (SluiceKernelCall *call)
{
  const SluiceBinaryKernel *k = call->kernel->data;
  const SluiceTensor *x = sluice_call_input (call, 0), *y = sluice_call_input (call, 1);
  SluiceBinaryLoop one = k->loop[sluice_wide_dtype (x->dtype)], own = k->loop[x->dtype];
  gboolean rounds = sluice_dtype_is_half (x->dtype) && own != k->loop[SLUICE_FLOAT];
  SluiceBroadcast b;
  SluiceShape shape;
  gboolean done;
  if (!plan (call, &b, &shape, &done))
    return done;
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL)
    return FALSE;
  const SluicePlane p = { .rows = 1, .n = 1 };
  gsize size = sluice_dtype_size (x->dtype);
  Walk walk = { &b };
  for (gint64 i = 0; i < out->n_elements && k->own_type; i++, walk_on (&walk))
    own (&p, (char *) x->data + walk.x * size, (char *) y->data + walk.y * size,
         (char *) out->data + i * size);
  for (gint64 i = 0; i < out->n_elements && !k->own_type; i++, walk_on (&walk))
    {
      SluiceWide from_x = sluice_wide_load (x->dtype, x->data, walk.x);
      SluiceWide from_y = sluice_wide_load (y->dtype, y->data, walk.y), to = { 0 };
      if (rounds)
        to = half_element (own, from_x, from_y);
      else
        one (&p, &from_x, &from_y, &to);
      sluice_wide_store (out->dtype, out->data, i, to);
    }
  return TRUE;
}

/* ---- strings ---- */

/* Of elements x and y of `size` bytes. */
typedef void (*PairFunc) (gconstpointer x, gconstpointer y, gsize size, gpointer out);

static void
strings_add (gconstpointer x_, gconstpointer y_, gsize size, gpointer out)
{
  const SluiceString *x = x_, *y = y_;
  gsize length = x->length + y->length;
  char *joined = g_malloc (length + 1);
  if (x->length)
    memcpy (joined, x->data, x->length);
  if (y->length)
    memcpy (joined + x->length, y->data, y->length);
  sluice_string_take (out, joined, length);
}

static void
strings_equal (gconstpointer x_, gconstpointer y_, gsize size, gpointer out)
{
  const SluiceString *x = x_, *y = y_;
  *(guint8 *) out =
      x->length == y->length && (x->length == 0 || memcmp (x->data, y->data, x->length) == 0);
}

static void
strings_not_equal (gconstpointer x, gconstpointer y, gsize size, gpointer out)
{
  strings_equal (x, y, size, out);
  *(guint8 *) out = !*(guint8 *) out;
}

/* Quantised numbers are equal where their bits are. */
static void
bits_equal (gconstpointer x, gconstpointer y, gsize size, gpointer out)
{
  *(guint8 *) out = memcmp (x, y, size) == 0;
}

static void
bits_not_equal (gconstpointer x, gconstpointer y, gsize size, gpointer out)
{
  *(guint8 *) out = memcmp (x, y, size) != 0;
}

/* Element by element, of types that have no loops. */
static gboolean
compute_pairs (SluiceKernelCall *call, PairFunc func)
{
  const SluiceTensor *x = sluice_call_input (call, 0), *y = sluice_call_input (call, 1);
  SluiceBroadcast b;
  SluiceShape shape;
  gboolean done;
  if (!plan (call, &b, &shape, &done))
    return done;
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL)
    return FALSE;
  gsize size = sluice_dtype_size (x->dtype), out_size = sluice_dtype_size (out->dtype);
  Walk walk = { &b };
  for (gint64 i = 0; i < out->n_elements; i++, walk_on (&walk))
    func ((const char *) x->data + walk.x * size, (const char *) y->data + walk.y * size, size,
          (char *) out->data + i * out_size);
  return TRUE;
}

static gboolean
compute_strings_add (SluiceKernelCall *call)
{
  return compute_pairs (call, strings_add);
}

static gboolean
compute_strings_equal (SluiceKernelCall *call)
{
  return compute_pairs (call, strings_equal);
}

static gboolean
compute_strings_not_equal (SluiceKernelCall *call)
{
  return compute_pairs (call, strings_not_equal);
}

static gboolean
compute_bits_equal (SluiceKernelCall *call)
{
  return compute_pairs (call, bits_equal);
}

static gboolean
compute_bits_not_equal (SluiceKernelCall *call)
{
  return compute_pairs (call, bits_not_equal);
}

/* ---- what is refused of integers ---- */

static gboolean
check_none_is (SluiceKernelCall *call,
               const SluiceTensor *y,
               gboolean (*bad) (SluiceWide value),
               SluiceError code,
               const char *why)
{
  if (!sluice_dtype_in (y->dtype, SLUICE_SET_INTS))
    return TRUE;
  for (gint64 i = 0; i < y->n_elements; i++)
    if (bad (sluice_wide_load (y->dtype, y->data, i)))
      return sluice_call_fail (call, code, "%s at element %" G_GINT64_FORMAT " of y", why, i);
  return TRUE;
}

static gboolean
is_zero (SluiceWide value)
{
  return value.u64 == 0;
}

static gboolean
is_negative (SluiceWide value)
{
  return value.i64 < 0;
}

static gboolean
check_divisor (SluiceKernelCall *call, const SluiceTensor *y)
{
  return check_none_is (call, y, is_zero, SLUICE_ERROR_INVALID_ARGUMENT,
                        "integer division by zero");
}

/* TensorFlow has another code for these two operations. */
static gboolean
check_truncated (SluiceKernelCall *call, const SluiceTensor *y)
{
  return check_none_is (call, y, is_zero, SLUICE_ERROR_INTERNAL, "integer division by zero");
}

static gboolean
check_power (SluiceKernelCall *call, const SluiceTensor *y)
{
  return check_none_is (call, y, is_negative, SLUICE_ERROR_INVALID_ARGUMENT,
                        "integer to a negative power");
}

#define check_none NULL

/* ---- the kernels ---- */

#define NOTHING(...)
#define MAKE_LOOPS(op, fn, kinds, ...)    FOR_##kinds (BINARY_LOOP, fn)
#define MAKE_COMPARES(op, fn, kinds, ...) FOR_##kinds (COMPARE_LOOP, fn)
#define MAKE_LOGICALS(op, fn, ...)        FOR_B (BINARY_LOOP, fn)

BINARY_TABLE (MAKE_LOOPS, NOTHING)
GRADIENT_TABLE (MAKE_LOOPS, NOTHING)
#define MAKE_NAMED_LOOPS(signature, op, fn, kinds, ...) FOR_##kinds (BINARY_LOOP, fn)
NAMED_BINARY_TABLE (MAKE_NAMED_LOOPS)
BINARY_LOOP_TO (join, f32, float, SluiceComplex64, SLUICE_RARE)
BINARY_LOOP_TO (join, f64, double, SluiceComplex128, SLUICE_RARE)
COMPARE_TABLE (MAKE_COMPARES)
EQUAL_TABLE (MAKE_COMPARES)
LOGICAL_TABLE (MAKE_LOGICALS)

/* Columns: flags of the kernel beside its loops. */
#define MAKE_BINARY(op, fn, kinds, types, summary, gradient, domain, rtol, ns_, checked, flags)    \
  static const SluiceBinaryKernel kernel_##op = { .loop = { LOOPS_##kinds (binary_##fn) },         \
                                                  .check = check_##checked,                        \
                                                  .ns = ns_ };
#define MAKE_GRADIENT(op, fn, kinds, types, summary, gradient, domain, rtol, ns_)                  \
  static const SluiceBinaryKernel kernel_##op = { .loop = { LOOPS_##kinds (binary_##fn) },         \
                                                  .one_shape = TRUE,                               \
                                                  .ns = ns_ };
#define MAKE_NAMED(sig, op, fn, kinds, types, summary, gradient, x_domain, y_domain, rtol, ns_)    \
  static const SluiceBinaryKernel kernel_##op = { .loop = { LOOPS_##kinds (binary_##fn) },         \
                                                  .own_type = OWN_TYPE_##kinds,                    \
                                                  .ns = ns_ };
#define MAKE_COMPARE(op, fn, kinds, ...)                                                           \
  static const SluiceBinaryKernel kernel_##op = { .loop = { LOOPS_##kinds (binary_##fn) },         \
                                                  .retypes = TRUE,                                 \
                                                  .ns = 0.2 };
#define MAKE_LOGICAL(op, fn, ...)                                                                  \
  static const SluiceBinaryKernel kernel_##op = { .loop = { LOOPS_B (binary_##fn) },               \
                                                  .retypes = TRUE,                                 \
                                                  .ns = 0.1 };

BINARY_TABLE (MAKE_BINARY, MAKE_BINARY)
GRADIENT_TABLE (MAKE_GRADIENT, MAKE_GRADIENT)
NAMED_BINARY_TABLE (MAKE_NAMED)
COMPARE_TABLE (MAKE_COMPARE)
EQUAL_TABLE (MAKE_COMPARE)
LOGICAL_TABLE (MAKE_LOGICAL)

/* Div cuts integers towards 0 and divides the others. */
static const SluiceBinaryKernel kernel_Div = { .loop = { LOOPS_RC (binary_div),
                                                         LOOPS_I (binary_truncate_div) },
                                               .check = check_divisor,
                                               .ns = 0.5 };

static const SluiceBinaryKernel kernel_Complex = { .loop = { LOOPS_D (binary_join) },
                                                   .retypes = TRUE,
                                                   .ns = 0.5 };

#define REGISTER_WITH(op_, set, prepare_)                                                          \
  { .op = #op_,                                                                                    \
    .device = "CPU",                                                                               \
    .where = { { "T", set } },                                                                     \
    .rank = 10,                                                                                    \
    .prepare = prepare_,                                                                           \
    .compute = binary_compute,                                                                     \
    .strip = binary_strip,                                                                         \
    .data = (gpointer) &kernel_##op_ },                                                            \
      { .op = #op_,                                                                                \
        .device = "CPU",                                                                           \
        .where = { { "T", set } },                                                                 \
        .prepare = prepare_,                                                                       \
        .compute = binary_compute_reference,                                                       \
        .data = (gpointer) &kernel_##op_ },
#define REGISTER(op, fn, kinds, ...)                  REGISTER_WITH (op, SET_##kinds, NULL)
#define REGISTER_NAMED(signature, op, fn, kinds, ...) REGISTER_WITH (op, SET_##kinds, NULL)
#define REGISTER_COMPLEX(in, out, rank_, compute_)                                                 \
  { .op = "Complex",                                                                               \
    .device = "CPU",                                                                               \
    .where = { { "T", SLUICE_SET (in) }, { "Tout", SLUICE_SET (out) } },                           \
    .rank = rank_,                                                                                 \
    .compute = compute_,                                                                           \
    .data = (gpointer) &kernel_Complex },
#define REGISTER_EQUAL(op, fn, kinds, ...) REGISTER_WITH (op, SET_##kinds, prepare_equal)
#define REGISTER_LOGICAL(op_, ...)                                                                 \
  { .op = #op_,                                                                                    \
    .device = "CPU",                                                                               \
    .rank = 10,                                                                                    \
    .compute = binary_compute,                                                                     \
    .strip = binary_strip,                                                                         \
    .data = (gpointer) &kernel_##op_ },                                                            \
      { .op = #op_,                                                                                \
        .device = "CPU",                                                                           \
        .compute = binary_compute_reference,                                                       \
        .data = (gpointer) &kernel_##op_ },
#define REGISTER_STRING(op_, compute_, prepare_)                                                   \
  { .op = #op_,                                                                                    \
    .device = "CPU",                                                                               \
    .where = { { "T", SLUICE_SET (SLUICE_STRING) } },                                              \
    .prepare = prepare_,                                                                           \
    .compute = compute_,                                                                           \
    .data = (gpointer) &kernel_##op_ },
#define REGISTER_QUANTIZED(op_, compute_)                                                          \
  { .op = #op_,                                                                                    \
    .device = "CPU",                                                                               \
    .where = { { "T", SLUICE_SET_QUANTIZED } },                                                    \
    .prepare = prepare_equal,                                                                      \
    .compute = compute_,                                                                           \
    .data = (gpointer) &kernel_##op_ },

static const SluiceKernel kernels[] = {
  /* clang-format off */
  BINARY_TABLE (REGISTER, REGISTER)
  GRADIENT_TABLE (REGISTER, REGISTER)
  COMPARE_TABLE (REGISTER)
  EQUAL_TABLE (REGISTER_EQUAL)
  LOGICAL_TABLE (REGISTER_LOGICAL)
  REGISTER_WITH (Div, SET_RIC, NULL)
  NAMED_BINARY_TABLE (REGISTER_NAMED)
  REGISTER_COMPLEX (SLUICE_FLOAT, SLUICE_COMPLEX64, 10, binary_compute)
  REGISTER_COMPLEX (SLUICE_DOUBLE, SLUICE_COMPLEX128, 10, binary_compute)
  REGISTER_COMPLEX (SLUICE_FLOAT, SLUICE_COMPLEX64, 0, binary_compute_reference)
  REGISTER_COMPLEX (SLUICE_DOUBLE, SLUICE_COMPLEX128, 0, binary_compute_reference)
  REGISTER_STRING (Add, compute_strings_add, NULL)
  REGISTER_STRING (Equal, compute_strings_equal, prepare_equal)
  REGISTER_STRING (NotEqual, compute_strings_not_equal, prepare_equal)
  REGISTER_QUANTIZED (Equal, compute_bits_equal)
  REGISTER_QUANTIZED (NotEqual, compute_bits_not_equal)
  /* clang-format on */
};

const SluiceKernelModule sluice_module_math_binary_cpu = { .kernels = kernels,
                                                           .n_kernels = G_N_ELEMENTS (kernels) };

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Each operand is laid out anew as a batch of matrices, with what only it has summed up; the
 * products of these are the output, but for the order of its dimensions.
 */
#include <string.h>

#include "kernels/array/move.h"
#include "kernels/linalg/einsum.h"
#include "kernels/linalg/gemm.h"
#include "kernels/typed.h"

/* Indices in an order, and how many elements they run over. */
typedef struct
{
  int index[2 * SLUICE_MAX_RANK];
  int n;
  gint64 n_elements;
} Order;

typedef struct
{
  SluiceKernelCall *call;
  SluiceDType dtype; /* that the products are done in */
  SluiceShape shape; /* of the output */
  gint64 sizes[SLUICE_EINSUM_INDICES];
  Order batch, contracted, own[2], summed[2]; /* own: of one operand and the output */
} Work;

static void
order_add (Order *self, int index, gint64 size)
{
  for (int k = 0; k < self->n; k++)
    if (self->index[k] == index)
      return;
  self->index[self->n++] = index;
  self->n_elements *= size;
}

static Order
order_join (const Order *a, const Order *b, const Order *c)
{
  const Order *const parts[] = { a, b, c };
  Order all = { .n_elements = a->n_elements * b->n_elements * c->n_elements };
  for (guint i = 0; i < 3; i++)
    for (int k = 0; k < parts[i]->n && all.n < (int) G_N_ELEMENTS (all.index); k++)
      all.index[all.n++] = parts[i]->index[k];
  return all;
}

/* The steps of each index through a tensor; 0 where it has none. */
static void
measure (const SluiceEinsumPart *part, const SluiceShape *shape, gint64 steps[])
{
  int index[SLUICE_MAX_RANK];
  gint64 strides[SLUICE_MAX_RANK];
  memset (steps, 0, SLUICE_EINSUM_INDICES * sizeof (gint64));
  sluice_move_strides (shape, strides);
  sluice_einsum_indices (part, shape->rank, index);
  for (int d = 0; d < shape->rank; d++)
    if (shape->dim[d] != 1)
      steps[index[d]] += strides[d];
}

/* Are the elements in this order already? */
static gboolean
is_dense (const Work *w, const Order *order, const gint64 steps[])
{
  gint64 stride = 1;
  for (int k = order->n; k-- > 0; stride *= w->sizes[order->index[k]])
    if (w->sizes[order->index[k]] != 1 && steps[order->index[k]] != stride)
      return FALSE;
  return TRUE;
}

/* Between elements in this order and those that the steps lead to. */
static gboolean
move (const Work *w,
      const Order *order,
      const gint64 steps[],
      gboolean to_steps,
      void *to,
      const void *from)
{
  SluiceMove move = { 0 };
  gint64 stride = order->n_elements;
  for (int k = 0; k < order->n; k++)
    {
      gint64 size = w->sizes[order->index[k]], step = steps[order->index[k]];
      stride /= size;
      sluice_move_add (&move, size, to_steps ? step : stride, to_steps ? stride : step);
    }
  return sluice_move_run (w->call, w->dtype, &move, to, from);
}

typedef struct
{
  SluiceGemm gemm; /* of the first pair of matrices */
  gsize size;      /* of an element */
  gboolean reference;
} Products;

static void
multiply_range (gpointer data, gint64 begin, gint64 end)
{
  const Products *p = data;
  for (gint64 i = begin; i < end; i++)
    {
      SluiceGemm g = p->gemm;
      g.a = (const char *) g.a + i * g.m * g.k * p->size;
      g.b = (const char *) g.b + i * g.k * g.n * p->size;
      g.c = (char *) g.c + i * g.m * g.n * p->size;
      if (p->reference)
        sluice_gemm_reference (&g);
      else
        sluice_gemm_library (&g);
    }
}

static gboolean
multiply (const Work *w, gint64 n_batches, const SluiceGemm *gemm)
{
  Products p = { *gemm, sluice_dtype_size (w->dtype), w->call->kernel->rank == 0 };
  double flops = 2.0 * (double) gemm->m * (double) gemm->n * (double) gemm->k;
  if (n_batches == 1 && !p.reference)
    return sluice_call_gemm (w->call, gemm);
  return sluice_call_parallel_for (w->call, n_batches, MAX (1, (gint64) (2e6 / (flops + 1))),
                                   flops / 50, multiply_range, &p);
}

static SluiceTensor *
scratch (const Work *w, gint64 n)
{
  return sluice_call_scratch (w->call, w->dtype, &SLUICE_SHAPE (n));
}

/* n ones, to add up by. */
static SluiceTensor *
make_ones (const Work *w, gint64 n)
{
  const float f[2] = { 1 };
  const double d[2] = { 1 };
  const gint32 i = 1;
  const gint64 l = 1;
  gboolean is_wide = w->dtype == SLUICE_DOUBLE || w->dtype == SLUICE_COMPLEX128;
  const void *one = w->dtype == SLUICE_INT32   ? (const void *) &i
                    : w->dtype == SLUICE_INT64 ? (const void *) &l
                    : is_wide                  ? (const void *) d
                                               : (const void *) f;
  g_autoptr (SluiceTensor) ones = scratch (w, n);
  if (ones == NULL || !sluice_move_fill (w->call, w->dtype, ones->data, one, n))
    return NULL;
  return g_steal_pointer (&ones);
}

/* The elements of x in this order, added up over the indices in `summed`. (transfer full) */
static SluiceTensor *
lay_out (const Work *w,
         const SluiceEinsumPart *part,
         SluiceTensor *x,
         const Order *order,
         const Order *summed)
{
  const Order nothing = { .n_elements = 1 }, all = order_join (order, summed, &nothing);
  gint64 steps[SLUICE_EINSUM_INDICES];
  measure (part, &x->shape, steps);
  g_autoptr (SluiceTensor) moved = NULL;
  if (is_dense (w, &all, steps))
    moved = sluice_tensor_ref (x);
  else if ((moved = scratch (w, all.n_elements)) == NULL
           || !move (w, &all, steps, FALSE, moved->data, x->data))
    return NULL;
  if (summed->n == 0)
    return g_steal_pointer (&moved);
  g_autoptr (SluiceTensor) ones = make_ones (w, summed->n_elements);
  g_autoptr (SluiceTensor) sums = ones != NULL ? scratch (w, order->n_elements) : NULL;
  if (sums == NULL
      || !multiply (w, 1,
                    &(SluiceGemm){ .dtype = w->dtype,
                                   .m = order->n_elements,
                                   .n = 1,
                                   .k = summed->n_elements,
                                   .a = moved->data,
                                   .b = ones->data,
                                   .c = sums->data }))
    return NULL;
  return g_steal_pointer (&sums);
}

/* Sorts the indices of both operands. */
static void
sort_indices (Work *w, const SluiceEinsum *e)
{
  int index[3][SLUICE_MAX_RANK], rank[3] = { 0, 0, w->shape.rank };
  guint8 where[SLUICE_EINSUM_INDICES] = { 0 }; /* bit i: in operand i; bit 2: in the output */
  for (guint i = 0; i < 3; i++)
    {
      if (i < e->n_inputs)
        rank[i] = sluice_call_input (w->call, i)->shape.rank;
      sluice_einsum_indices (i < 2 ? &e->inputs[i] : &e->output, rank[i], index[i]);
      for (int d = 0; d < rank[i]; d++)
        where[index[i][d]] |= 1 << i;
    }
  Order *const orders[8] = { [1] = &w->summed[0], [2] = &w->summed[1], [3] = &w->contracted,
                             [5] = &w->own[0],    [6] = &w->own[1],    [7] = &w->batch };
  for (int i = 1; i < 8; i++)
    if (orders[i] != NULL)
      orders[i]->n_elements = 1;
  /* In the output's order as far as there is one, so that it need not be put in order. */
  for (guint k = 0; k < 3; k++)
    {
      const guint i = (k + 2) % 3;
      for (int d = 0; d < rank[i]; d++)
        order_add (orders[where[index[i][d]]], index[i][d], w->sizes[index[i][d]]);
    }
}

/* Into out, which is of the dtype of the products. */
static gboolean
compute_into (Work *w, const SluiceEinsum *e, SluiceTensor *const inputs[2], SluiceTensor *out)
{
  gint64 steps[SLUICE_EINSUM_INDICES];
  Order x_order = order_join (&w->batch, &w->own[0], &w->contracted);
  Order y_order = order_join (&w->batch, &w->contracted, &w->own[1]);
  Order order = order_join (&w->batch, &w->own[0], &w->own[1]);
  g_autoptr (SluiceTensor) y = NULL;
  g_autoptr (SluiceTensor) x = lay_out (w, &e->inputs[0], inputs[0], &x_order, &w->summed[0]);
  if (x == NULL)
    return FALSE;
  measure (&e->output, &w->shape, steps);
  g_autoptr (SluiceTensor) result = g_steal_pointer (&x);
  if (e->n_inputs == 2)
    {
      x = g_steal_pointer (&result);
      y = lay_out (w, &e->inputs[1], inputs[1], &y_order, &w->summed[1]);
      result =
          is_dense (w, &order, steps) ? sluice_tensor_ref (out) : scratch (w, order.n_elements);
      if (y == NULL || result == NULL
          || !multiply (w, w->batch.n_elements,
                        &(SluiceGemm){ .dtype = w->dtype,
                                       .m = w->own[0].n_elements,
                                       .n = w->own[1].n_elements,
                                       .k = w->contracted.n_elements,
                                       .a = x->data,
                                       .b = y->data,
                                       .c = result->data }))
        return FALSE;
    }
  if (result == out)
    return TRUE;
  if (out->n_elements != order.n_elements) /* a diagonal: zeros beside it */
    memset (out->data, 0, out->n_elements * sluice_dtype_size (out->dtype));
  return move (w, &order, steps, TRUE, out->data, result->data);
}

static gboolean
einsum_compute (SluiceKernelCall *call)
{
  const SluiceEinsum *e = call->state;
  g_autoptr (GError) error = NULL;
  Work w = { .call = call };
  const SluiceShape *const shapes[2] = { &sluice_call_input (call, 0)->shape,
                                         &sluice_call_input (call, e->n_inputs - 1)->shape };
  if (!sluice_einsum_shape (e, shapes, w.sizes, &w.shape, &error))
    return sluice_call_fail (call, error->code, "%s", error->message);
  SluiceTensor *out = sluice_call_output (call, 0, &w.shape);
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  /* Sums of nothing: from here on no size is 0, and none grows beyond what there is. */
  if (sluice_call_input (call, 0)->n_elements == 0
      || sluice_call_input (call, e->n_inputs - 1)->n_elements == 0)
    {
      memset (out->data, 0, sluice_tensor_bytes (out));
      return TRUE;
    }
  sort_indices (&w, e);
  w.dtype = out->dtype;
  if (!sluice_dtype_is_half (out->dtype))
    return compute_into (&w, e,
                         (SluiceTensor *const[2]){ sluice_call_input (call, 0),
                                                   sluice_call_input (call, e->n_inputs - 1) },
                         out);
  w.dtype = SLUICE_FLOAT;
  g_autoptr (SluiceTensor) x = sluice_call_widen_input (call, 0);
  g_autoptr (SluiceTensor) y = x ? sluice_call_widen_input (call, e->n_inputs - 1) : NULL;
  g_autoptr (SluiceTensor) wide = y ? sluice_call_scratch (call, SLUICE_FLOAT, &w.shape) : NULL;
  if (wide == NULL || !compute_into (&w, e, (SluiceTensor *const[2]){ x, y }, wide))
    return FALSE;
  sluice_narrow (out->dtype, wide->data, out->data, out->n_elements);
  return TRUE;
}

static gpointer
einsum_prepare (const SluiceNode *node, GError **error)
{
  g_autofree SluiceEinsum *e = g_new0 (SluiceEinsum, 1);
  return sluice_einsum_parse (e, node, error) ? g_steal_pointer (&e) : NULL;
}

#define ALL  (SLUICE_SET_FLOATS | SLUICE_SET_INDEX | SLUICE_SET_COMPLEX)
#define FAST (SLUICE_SET (SLUICE_FLOAT) | SLUICE_SET (SLUICE_DOUBLE))
#define KERNEL(types, kernel_rank)                                                                 \
  {                                                                                                \
    .op = "Einsum", .device = "CPU", .where = { { "T", types } }, .rank = kernel_rank,             \
    .prepare = einsum_prepare, .free_state = g_free, .compute = einsum_compute                     \
  }

static const SluiceKernel kernels[] = { KERNEL (ALL, 0), KERNEL (FAST, 10) };

const SluiceKernelModule sluice_module_linalg_einsum_cpu = { .kernels = kernels,
                                                             .n_kernels = G_N_ELEMENTS (kernels) };

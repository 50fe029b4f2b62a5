/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/array/array.h"
#include "kernels/array/rows.h"

/*
 * The first k of a row's n elements in an order, as their places in a heap with the last of them at
 * its root. An earlier one goes before its equal; a NaN is behind everything.
 */
typedef void (*SelectFunc) (
    const void *row, gint64 n, gint64 k, gboolean smallest, gboolean sorted, gint64 *places);
/* Where value i would stand in the sorted row. */
typedef gint64 (*BoundFunc) (
    const void *row, gint64 n, const void *values, gint64 i, gboolean upper);

typedef struct
{
  SelectFunc select;
  BoundFunc bound;
} OrderFuncs;

#define T       float
#define NAME(x) x##_f32
#include "kernels/array/order-loops.h"

#define T       double
#define NAME(x) x##_f64
#include "kernels/array/order-loops.h"

#define T        guint16
#define N        float
#define VALUE(x) sluice_half_to_float (x)
#define NAME(x)  x##_f16
#include "kernels/array/order-loops.h"

#define T        guint16
#define N        float
#define VALUE(x) sluice_bfloat16_to_float (x)
#define NAME(x)  x##_bf16
#include "kernels/array/order-loops.h"

#define T       gint8
#define NAME(x) x##_i8
#include "kernels/array/order-loops.h"

#define T       gint16
#define NAME(x) x##_i16
#include "kernels/array/order-loops.h"

#define T       gint32
#define NAME(x) x##_i32
#include "kernels/array/order-loops.h"

#define T       gint64
#define NAME(x) x##_i64
#include "kernels/array/order-loops.h"

#define T       guint8
#define NAME(x) x##_u8
#include "kernels/array/order-loops.h"

#define T       guint16
#define NAME(x) x##_u16
#include "kernels/array/order-loops.h"

#define T       guint32
#define NAME(x) x##_u32
#include "kernels/array/order-loops.h"

#define T       guint64
#define NAME(x) x##_u64
#include "kernels/array/order-loops.h"

static const OrderFuncs functions[SLUICE_N_DTYPES] = {
  [SLUICE_FLOAT] = { select_f32, bound_f32 },  [SLUICE_DOUBLE] = { select_f64, bound_f64 },
  [SLUICE_HALF] = { select_f16, bound_f16 },   [SLUICE_BFLOAT16] = { select_bf16, bound_bf16 },
  [SLUICE_INT8] = { select_i8, bound_i8 },     [SLUICE_INT16] = { select_i16, bound_i16 },
  [SLUICE_INT32] = { select_i32, bound_i32 },  [SLUICE_INT64] = { select_i64, bound_i64 },
  [SLUICE_UINT8] = { select_u8, bound_u8 },    [SLUICE_UINT16] = { select_u16, bound_u16 },
  [SLUICE_UINT32] = { select_u32, bound_u32 }, [SLUICE_UINT64] = { select_u64, bound_u64 },
};

/* About what a comparison takes. */
#define COMPARE_NS 1.5

static void
put_integer (const SluiceTensor *tensor, gint64 i, gint64 value)
{
  if (tensor->dtype == SLUICE_INT64)
    ((gint64 *) tensor->data)[i] = value;
  else if (tensor->dtype == SLUICE_INT32)
    ((gint32 *) tensor->data)[i] = (gint32) value;
  else
    ((gint16 *) tensor->data)[i] = (gint16) value;
}

/* ---- TopK, NthElement ---- */

typedef struct
{
  SelectFunc select;
  gint64 n, k;
  gboolean smallest;
  gsize element;
  const char *from;
  gint64 *places;              /* [rows, k] */
  char *values;                /* [rows, k], or [rows] where only the last of them is wanted */
  const SluiceTensor *indices; /* NULL: only the last is wanted */
} Selection;

static void
select_rows (gpointer data, gint64 begin, gint64 end)
{
  const Selection *s = data;
  for (gint64 r = begin; r < end; r++)
    {
      const char *row = s->from + r * s->n * s->element;
      gint64 *places = s->places + r * s->k;
      s->select (row, s->n, s->k, s->smallest, s->indices != NULL, places);
      if (s->indices == NULL)
        memcpy (s->values + r * s->element, row + places[0] * s->element, s->element);
      for (gint64 i = 0; s->indices != NULL && i < s->k; i++)
        {
          memcpy (s->values + (r * s->k + i) * s->element, row + places[i] * s->element,
                  s->element);
          put_integer (s->indices, r * s->k + i, places[i]);
        }
    }
}

static gboolean
run_selection (SluiceKernelCall *call, Selection *s, gint64 n_rows)
{
  const SluiceTensor *input = sluice_call_input (call, 0);
  if (n_rows == 0 || s->k == 0)
    return TRUE;
  g_autoptr (SluiceTensor) places =
      sluice_call_scratch (call, SLUICE_INT64, &SLUICE_SHAPE (n_rows, s->k));
  if (places == NULL)
    return FALSE;
  s->select = functions[input->dtype].select;
  s->element = sluice_dtype_size (input->dtype);
  s->from = input->data;
  s->places = places->data;
  double row_ns = COMPARE_NS * (s->n + 2 * s->k * g_bit_storage ((gulong) s->k));
  return sluice_call_parallel_for (call, n_rows, MAX (1, 16384 / s->n), row_ns, select_rows, s);
}

/* Elements in a row, and rows. */
static gboolean
measure_rows (SluiceKernelCall *call, gint64 *n, gint64 *n_rows)
{
  const SluiceShape *shape = &sluice_call_input (call, 0)->shape;
  if (shape->rank < 1)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "input 0 must have a dimension, but it is a scalar");
  *n = shape->dim[shape->rank - 1];
  *n_rows = 1;
  for (int i = 0; i < shape->rank - 1; i++)
    *n_rows *= shape->dim[i];
  return TRUE;
}

static gboolean
top_k (SluiceKernelCall *call, gint64 k)
{
  const SluiceTensor *input = sluice_call_input (call, 0);
  gint64 n = 0, n_rows = 0;
  if (!measure_rows (call, &n, &n_rows))
    return FALSE;
  if (k < 0 || k > n)
    return sluice_call_fail (
        call, SLUICE_ERROR_INVALID_ARGUMENT,
        "k is %" G_GINT64_FORMAT ", but rows have %" G_GINT64_FORMAT " elements", k, n);
  if (call->node->outputs[1].dtype == SLUICE_INT16 && n - 1 > G_MAXINT16)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "places in rows of %" G_GINT64_FORMAT " elements do not fit int16", n);
  SluiceShape shape = input->shape;
  shape.dim[shape.rank - 1] = k;
  SluiceTensor *values = sluice_call_output (call, 0, &shape);
  SluiceTensor *indices = values ? sluice_call_output (call, 1, &shape) : NULL;
  if (indices == NULL)
    return FALSE;
  Selection s = { .n = n, .k = k, .values = values->data, .indices = indices };
  return run_selection (call, &s, n_rows);
}

static gpointer
k_prepare (const SluiceNode *node, GError **error)
{
  gint64 *k = g_new (gint64, 1);
  *k = sluice_node_get_int (node, "k");
  return k;
}

static gboolean
top_k_compute (SluiceKernelCall *call)
{
  return top_k (call, *(const gint64 *) call->state);
}

static gboolean
top_k_v2_compute (SluiceKernelCall *call)
{
  return sluice_call_want_scalar (call, 1)
         && top_k (call, sluice_tensor_get_int (sluice_call_input (call, 1), 0));
}

static gpointer
reverse_prepare (const SluiceNode *node, GError **error)
{
  return GINT_TO_POINTER (sluice_node_get_bool (node, "reverse"));
}

static gboolean
nth_element_compute (SluiceKernelCall *call)
{
  gint64 n = 0, n_rows = 0;
  if (!measure_rows (call, &n, &n_rows) || !sluice_call_want_scalar (call, 1))
    return FALSE;
  gint64 nth = sluice_tensor_get_int (sluice_call_input (call, 1), 0);
  if (nth < 0 || nth >= n)
    return sluice_call_fail (
        call, SLUICE_ERROR_INVALID_ARGUMENT,
        "n is %" G_GINT64_FORMAT ", but rows have %" G_GINT64_FORMAT " elements", nth, n);
  SluiceShape shape = sluice_call_input (call, 0)->shape;
  shape.rank--;
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL)
    return FALSE;
  gboolean from_largest = GPOINTER_TO_INT (call->state);
  Selection s = { .n = n, .k = nth + 1, .smallest = !from_largest, .values = out->data };
  return run_selection (call, &s, n_rows);
}

/* ---- LowerBound, UpperBound ---- */

typedef struct
{
  BoundFunc bound;
  gboolean upper;
  gint64 n, n_values; /* in a row */
  gsize element;
  const char *rows;
  const void *values;
  const SluiceTensor *out;
} Bounds;

static void
find_bounds (gpointer data, gint64 begin, gint64 end)
{
  const Bounds *b = data;
  for (gint64 i = begin; i < end; i++)
    {
      const char *row = b->rows + i / b->n_values * b->n * b->element;
      put_integer (b->out, i, b->bound (row, b->n, b->values, i, b->upper));
    }
}

static gboolean
bound_compute (SluiceKernelCall *call)
{
  const SluiceTensor *rows = sluice_call_input (call, 0), *values = sluice_call_input (call, 1);
  if (!sluice_call_want_rank (call, 0, 2) || !sluice_call_want_rank (call, 1, 2))
    return FALSE;
  if (rows->shape.dim[0] != values->shape.dim[0])
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "there are %" G_GINT64_FORMAT " sorted rows, but %" G_GINT64_FORMAT
                             " rows of values",
                             rows->shape.dim[0], values->shape.dim[0]);
  SluiceTensor *out = sluice_call_output (call, 0, &values->shape);
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  Bounds b = {
    functions[rows->dtype].bound,
    GPOINTER_TO_INT (call->kernel->data),
    rows->shape.dim[1],
    values->shape.dim[1],
    sluice_dtype_size (rows->dtype),
    rows->data,
    values->data,
    out,
  };
  double value_ns = 3 + COMPARE_NS * g_bit_storage ((gulong) b.n);
  return sluice_call_parallel_for (call, out->n_elements, 4096, value_ns, find_bounds, &b);
}

#define ORDER_KERNEL(op_name, ...)                                                                 \
  {                                                                                                \
    .op = op_name, .device = "CPU", .where = { { "T", SLUICE_SET_REAL } }, __VA_ARGS__             \
  }

static const SluiceKernel kernels[] = {
  ORDER_KERNEL ("TopK", .prepare = k_prepare, .free_state = g_free, .compute = top_k_compute),
  ORDER_KERNEL ("TopKV2", .compute = top_k_v2_compute),
  ORDER_KERNEL ("NthElement", .prepare = reverse_prepare, .compute = nth_element_compute),
  ORDER_KERNEL ("LowerBound", .compute = bound_compute, .data = GINT_TO_POINTER (FALSE)),
  ORDER_KERNEL ("UpperBound", .compute = bound_compute, .data = GINT_TO_POINTER (TRUE)),
};

const SluiceKernelModule sluice_module_array_order_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};

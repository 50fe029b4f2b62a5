/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <math.h>

#include "kernels/math/scalar.h"
#include "kernels/typed.h"

/* Rows of logits and what is made of them. Strides of 0 repeat a row or an element. */
typedef struct
{
  SluiceDType dtype; /* float or double */
  gint64 rows, classes;
  gboolean logarithm;
  const void *logits, *labels;               /* labels: a distribution, or NULL */
  SluiceTensor *numbers;                     /* (nullable): class numbers */
  gint64 logits_stride[2], labels_stride[2]; /* row, class; in elements */
  void *out;                                 /* softmax, its logarithm, or the gradient */
  void *loss;                                /* (nullable) */
} Rows;

#define BLOCK 64 /* rows that are kept in mind at once */

/* Rows are too short for the exponentials of one: those of a whole chunk are made at once. */
SLUICE_HOT static void
exp_all_float (float *x, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    x[i] = scalar_exp_f32 (x[i]);
}

static void
exp_all_double (double *x, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    x[i] = scalar_exp_f64 (x[i]);
}

/* Without the maximum taken off first, e^x would overflow. */
#define SHIFT(T, suffix)                                                                           \
  static inline T shift_##suffix (const T *x, gint64 step, gint64 n, T *out)                       \
  {                                                                                                \
    T largest = x[0];                                                                              \
    for (gint64 i = 1; i < n; i++)                                                                 \
      largest = x[i * step] > largest ? x[i * step] : largest;                                     \
    for (gint64 i = 0; i < n; i++)                                                                 \
      out[i] = x[i * step] - largest;                                                              \
    return largest;                                                                                \
  }

#define SOFTMAX(T, suffix, exponential, logarithm_of)                                              \
  static void softmax_##suffix (const Rows *r, gint64 begin, gint64 end)                           \
  {                                                                                                \
    gint64 n = r->classes;                                                                         \
    for (gint64 row = begin; row < end; row++)                                                     \
      shift_##suffix ((const T *) r->logits + row * n, 1, n, (T *) r->out + row * n);              \
    if (!r->logarithm)                                                                             \
      exp_all_##suffix ((T *) r->out + begin * n, (end - begin) * n);                              \
    for (gint64 row = begin; row < end; row++)                                                     \
      {                                                                                            \
        T *out = (T *) r->out + row * n, sum = 0;                                                  \
        for (gint64 i = 0; i < n; i++)                                                             \
          sum += r->logarithm ? exponential (out[i]) : out[i];                                     \
        T log_sum = r->logarithm ? logarithm_of (sum) : 0;                                         \
        for (gint64 i = 0; i < n; i++)                                                             \
          out[i] = r->logarithm ? out[i] - log_sum : out[i] / sum;                                 \
      }                                                                                            \
  }

#define CROSS_ENTROPY(T, suffix, logarithm_of)                                                     \
  static void cross_entropy_##suffix (const Rows *r, gint64 begin, gint64 end)                     \
  {                                                                                                \
    gint64 n = r->classes, step = r->logits_stride[1], label_step = r->labels_stride[1];           \
    T *largest = r->loss; /* until the loss is known */                                            \
    for (gint64 row = begin; row < end; row++)                                                     \
      largest[row] = shift_##suffix ((const T *) r->logits + row * r->logits_stride[0], step, n,   \
                                     (T *) r->out + row * n);                                      \
    exp_all_##suffix ((T *) r->out + begin * n, (end - begin) * n);                                \
    for (gint64 row = begin; row < end; row++)                                                     \
      {                                                                                            \
        const T *x = (const T *) r->logits + row * r->logits_stride[0];                            \
        T *out = (T *) r->out + row * n, sum = 0, loss = 0;                                        \
        for (gint64 i = 0; i < n; i++)                                                             \
          sum += out[i];                                                                           \
        T log_sum = logarithm_of (sum);                                                            \
        if (r->numbers)                                                                            \
          {                                                                                        \
            gint64 label = sluice_tensor_get_int (r->numbers, row);                                \
            loss = log_sum - (x[label * step] - largest[row]);                                     \
            for (gint64 i = 0; i < n; i++)                                                         \
              out[i] = out[i] / sum;                                                               \
            out[label] -= 1;                                                                       \
          }                                                                                        \
        else                                                                                       \
          {                                                                                        \
            const T *label = (const T *) r->labels + row * r->labels_stride[0];                    \
            for (gint64 i = 0; i < n; i++)                                                         \
              {                                                                                    \
                loss += label[i * label_step] * (log_sum - (x[i * step] - largest[row]));          \
                out[i] = out[i] / sum - label[i * label_step];                                     \
              }                                                                                    \
          }                                                                                        \
        ((T *) r->loss)[row] = loss;                                                               \
      }                                                                                            \
  }

#define FAMILY(T, suffix, exponential, logarithm_of)                                               \
  SHIFT (T, suffix)                                                                                \
  SOFTMAX (T, suffix, exponential, logarithm_of)                                                   \
  CROSS_ENTROPY (T, suffix, logarithm_of)
FAMILY (float, float, expf, logf)
FAMILY (double, double, exp, log)

/* Where rows are short, what is done once a row counts: each pass is over many rows. */
SLUICE_HOT static void
sparse_cross_entropy_rows (const Rows *r, gint64 begin, gint64 n_rows)
{
  const gint64 n = r->classes;
  const float *x = (const float *) r->logits + begin * n;
  float *restrict out = (float *) r->out + begin * n, *restrict loss = (float *) r->loss + begin;
  float sums[BLOCK];
  for (gint64 row = 0; row < n_rows; row++)
    loss[row] = -shift_float (x + row * n, 1, n, out + row * n); /* until the loss is known */
  for (gint64 i = 0; i < n_rows * n; i++)
    out[i] = scalar_exp_f32 (out[i]);
  for (gint64 row = 0; row < n_rows; row++)
    {
      float sum = 0;
      for (gint64 i = 0; i < n; i++)
        sum += out[row * n + i];
      for (gint64 i = 0; i < n; i++)
        out[row * n + i] /= sum;
      sums[row] = sum;
    }
  for (gint64 row = 0; row < n_rows; row++)
    sums[row] = scalar_log_f32 (sums[row]);
  for (gint64 row = 0; row < n_rows; row++)
    {
      gint64 label = row * n + sluice_tensor_get_int (r->numbers, begin + row);
      loss[row] = sums[row] - (x[label] + loss[row]);
      out[label] -= 1;
    }
}

static void
sparse_cross_entropy_float (const Rows *r, gint64 begin, gint64 end)
{
  for (; begin < end; begin += BLOCK)
    sparse_cross_entropy_rows (r, begin, MIN (BLOCK, end - begin));
}

static void
rows_range (gpointer data, gint64 begin, gint64 end)
{
  const Rows *r = data;
  if (r->numbers && r->dtype == SLUICE_FLOAT)
    sparse_cross_entropy_float (r, begin, end);
  else if (r->loss)
    (r->dtype == SLUICE_FLOAT ? cross_entropy_float : cross_entropy_double) (r, begin, end);
  else
    (r->dtype == SLUICE_FLOAT ? softmax_float : softmax_double) (r, begin, end);
}

static gboolean
run_rows (SluiceKernelCall *call, Rows *r)
{
  if (r->classes == 0)
    return TRUE;
  gint64 grain = MAX (1, 2048 / r->classes);
  return sluice_call_parallel_for (call, r->rows, grain, 5.0 * (double) r->classes, rows_range, r);
}

/* An output, or float scratch in its place where the output is of a half type. (transfer full) */
static SluiceTensor *
output_or_wide (SluiceKernelCall *call, guint i, const SluiceShape *shape)
{
  SluiceTensor *out = sluice_call_output (call, i, shape);
  if (out == NULL)
    return NULL;
  return sluice_dtype_is_half (out->dtype) ? sluice_call_scratch (call, SLUICE_FLOAT, shape)
                                           : sluice_tensor_ref (out);
}

static void
narrow_output (SluiceKernelCall *call, guint i, SluiceTensor *wide)
{
  SluiceTensor *out = call->outputs[i].tensor;
  if (out != wide)
    sluice_narrow (out->dtype, wide->data, out->data, out->n_elements);
}

/* A tensor as it is, or widened where it is of a half type. (transfer full) */
static SluiceTensor *
input_or_wide (SluiceKernelCall *call, guint i)
{
  SluiceTensor *input = sluice_call_input (call, i);
  return sluice_dtype_is_half (input->dtype) ? sluice_call_widen_input (call, i)
                                             : sluice_tensor_ref (input);
}

static gboolean
softmax_compute (SluiceKernelCall *call)
{
  SluiceTensor *input = sluice_call_input (call, 0);
  if (input->shape.rank < 1)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "logits must have at least one dimension, not be a scalar");
  g_autoptr (SluiceTensor) logits = input_or_wide (call, 0);
  g_autoptr (SluiceTensor) out = output_or_wide (call, 0, &input->shape);
  if (logits == NULL || out == NULL)
    return FALSE;
  gint64 classes = input->shape.dim[input->shape.rank - 1];
  Rows rows = { .dtype = logits->dtype,
                .rows = classes ? input->n_elements / classes : 0,
                .classes = classes,
                .logarithm = call->kernel->data != NULL,
                .logits = logits->data,
                .out = out->data };
  if (!run_rows (call, &rows))
    return FALSE;
  narrow_output (call, 0, out);
  return TRUE;
}

/* Steps from row to row and class to class of a matrix that is broadcast. */
static void
broadcast_strides (const SluiceShape *shape, gint64 strides[2])
{
  gint64 classes = shape->rank > 0 ? shape->dim[shape->rank - 1] : 1;
  gint64 rows = shape->rank > 1 ? shape->dim[0] : 1;
  strides[0] = rows == 1 ? 0 : classes;
  strides[1] = classes == 1 ? 0 : 1;
}

/* Runs the loss on rows of known sizes; labels is NULL for class numbers. */
static gboolean
cross_entropy (SluiceKernelCall *call, Rows *rows, SluiceTensor *labels)
{
  SluiceShape shape = SLUICE_SHAPE (rows->rows, rows->classes);
  g_autoptr (SluiceTensor) logits = input_or_wide (call, 0);
  g_autoptr (SluiceTensor) loss = output_or_wide (call, 0, &SLUICE_SHAPE (rows->rows));
  g_autoptr (SluiceTensor) out = output_or_wide (call, 1, &shape);
  if (logits == NULL || loss == NULL || out == NULL)
    return FALSE;
  rows->dtype = logits->dtype;
  rows->logits = logits->data;
  rows->labels = labels ? labels->data : NULL;
  rows->loss = loss->data;
  rows->out = out->data;
  if (!run_rows (call, rows))
    return FALSE;
  narrow_output (call, 0, loss);
  narrow_output (call, 1, out);
  return TRUE;
}

static gboolean
xent_compute (SluiceKernelCall *call)
{
  SluiceTensor *features = sluice_call_input (call, 0), *labels = sluice_call_input (call, 1);
  SluiceShape shape;
  if (!sluice_shape_broadcast (&features->shape, &labels->shape, &shape) || shape.rank != 2)
    {
      char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "logits %s and labels %s must be, or broadcast to, one matrix",
                               sluice_shape_str (&features->shape, a),
                               sluice_shape_str (&labels->shape, b));
    }
  g_autoptr (SluiceTensor) wide_labels = input_or_wide (call, 1);
  if (wide_labels == NULL)
    return FALSE;
  Rows rows = { .rows = shape.dim[0], .classes = shape.dim[1] };
  broadcast_strides (&features->shape, rows.logits_stride);
  broadcast_strides (&labels->shape, rows.labels_stride);
  return cross_entropy (call, &rows, wide_labels);
}

static gboolean
sparse_xent_compute (SluiceKernelCall *call)
{
  SluiceTensor *features = sluice_call_input (call, 0), *labels = sluice_call_input (call, 1);
  if (!sluice_call_want_rank (call, 0, 2) || !sluice_call_want_rank (call, 1, 1))
    return FALSE;
  Rows rows = { .rows = features->shape.dim[0],
                .classes = features->shape.dim[1],
                .numbers = labels,
                .logits_stride = { features->shape.dim[1], 1 } };
  if (labels->n_elements != rows.rows)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "%" G_GINT64_FORMAT " rows of logits, but %" G_GINT64_FORMAT
                             " labels; make them equal",
                             rows.rows, labels->n_elements);
  for (gint64 i = 0; i < rows.rows; i++)
    {
      gint64 label = sluice_tensor_get_int (labels, i);
      if (label < 0 || label >= rows.classes)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "label %" G_GINT64_FORMAT " at %" G_GINT64_FORMAT
                                 " is outside the valid range [0, %" G_GINT64_FORMAT ")",
                                 label, i, rows.classes);
    }
  return cross_entropy (call, &rows, NULL);
}

/* ---- InTopK: a target counts when fewer than k predictions of its row are larger ---- */

static gboolean
is_in_top_k (const float *row, gint64 classes, gint64 target, gint64 k)
{
  if (target < 0 || target >= classes || !isfinite (row[target]))
    return FALSE;
  gint64 larger = 0;
  for (gint64 i = 0; i < classes && larger <= k; i++)
    {
      if (!isfinite (row[i]))
        return FALSE;
      larger += row[i] > row[target];
    }
  return larger < k;
}

static gpointer
top_prepare (const SluiceNode *node, GError **error)
{
  gint64 *k = g_new0 (gint64, 1);
  *k = sluice_node_get_int (node, "k");
  return k;
}

static gboolean
top_compute (SluiceKernelCall *call)
{
  SluiceTensor *predictions = sluice_call_input (call, 0), *targets = sluice_call_input (call, 1);
  if (!sluice_call_want_rank (call, 0, 2) || !sluice_call_want_rank (call, 1, 1)
      || (call->n_inputs > 2 && !sluice_call_want_scalar (call, 2)))
    return FALSE;
  gint64 rows = predictions->shape.dim[0], classes = predictions->shape.dim[1];
  if (targets->n_elements != rows)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "%" G_GINT64_FORMAT " rows of predictions, but %" G_GINT64_FORMAT
                             " targets; make them equal",
                             rows, targets->n_elements);
  gint64 k = call->n_inputs > 2 ? sluice_tensor_get_int (sluice_call_input (call, 2), 0)
                                : *(const gint64 *) call->state;
  SluiceTensor *out = sluice_call_output (call, 0, &SLUICE_SHAPE (rows));
  if (out == NULL)
    return FALSE;
  for (gint64 i = 0; i < rows; i++)
    ((guint8 *) out->data)[i] = is_in_top_k ((const float *) predictions->data + i * classes,
                                             classes, sluice_tensor_get_int (targets, i), k);
  return TRUE;
}

#define KERNEL(name, function, ...)                                                                \
  {                                                                                                \
    .op = name, .device = "CPU", .where = { { "T", SLUICE_SET_FLOATS } }, .compute = function,     \
    __VA_ARGS__                                                                                    \
  }

static const SluiceKernel kernels[] = {
  KERNEL ("Softmax", softmax_compute),
  KERNEL ("LogSoftmax", softmax_compute, .data = GINT_TO_POINTER (TRUE)),
  KERNEL ("SoftmaxCrossEntropyWithLogits", xent_compute),
  KERNEL ("SparseSoftmaxCrossEntropyWithLogits", sparse_xent_compute),
  { .op = "InTopK",
    .device = "CPU",
    .prepare = top_prepare,
    .free_state = g_free,
    .compute = top_compute },
  { .op = "InTopKV2", .device = "CPU", .compute = top_compute },
};

const SluiceKernelModule sluice_module_nn_softmax_cpu = { .kernels = kernels,
                                                          .n_kernels = G_N_ELEMENTS (kernels) };

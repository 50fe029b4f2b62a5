/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Softmax and its losses: a block finds the largest logit of a row, another the sum of the
 * exponentials, and a thread an element the rest. */
#include "kernels/math/elementwise-cuda.h"

/* Rows of logits and what is made of them. Strides of 0 repeat a row or an element. */
typedef struct
{
  gint64 rows, classes;
  gboolean logarithm;
  const void *logits, *labels;               /* labels: a distribution, or class numbers */
  gboolean has_numbers, are_wide;            /* numbers: int64, else int32 */
  gint64 logits_stride[2], labels_stride[2]; /* row, class; in elements */
  void *out, *loss;
} Rows;

SLUICE_DEVICE float
exp_of (float x)
{
  return scalar_exp_f32 (x);
}
SLUICE_DEVICE double
exp_of (double x)
{
  return scalar_exp_f64 (x);
}
SLUICE_DEVICE float
log_of (float x)
{
  return scalar_log_f32 (x);
}
SLUICE_DEVICE double
log_of (double x)
{
  return scalar_log_f64 (x);
}

template <typename W>
struct Largest
{
  static SLUICE_MEMBER W neutral () { return (W) -INFINITY; }
  static SLUICE_MEMBER W combine (W a, W b) { return b > a || b != b ? b : a; }
};
template <typename W>
struct Sum
{
  static SLUICE_MEMBER W neutral () { return 0; }
  static SLUICE_MEMBER W combine (W a, W b) { return a + b; }
};

SLUICE_DEVICE gint64
number_at (const Rows &r, gint64 row)
{
  return r.are_wide ? ((const gint64 *) r.labels)[row] : ((const gint32 *) r.labels)[row];
}

/* The largest logit and the sum of exponentials of each row, in scratch memory. */
template <typename M, typename W>
static W *
launch_sums (const Rows *rows)
{
  Rows r = *rows;
  const M *x = (const M *) r.logits;
  W *largest = (W *) sluice_cuda_scratch (2 * r.rows * sizeof (W)), *sum = largest + r.rows;
  if (largest == NULL)
    return NULL;
  sluice_reduce<W, Largest<W>> (
      r.rows, r.classes,
      [=] SLUICE_LAMBDA (gint64 row, gint64 i) -> W {
        return sluice_wide (x[row * r.logits_stride[0] + i * r.logits_stride[1]]);
      },
      [=] SLUICE_LAMBDA (gint64 row, W value) { largest[row] = value; });
  sluice_reduce<W, Sum<W>> (
      r.rows, r.classes,
      [=] SLUICE_LAMBDA (gint64 row, gint64 i) -> W {
        W logit = sluice_wide (x[row * r.logits_stride[0] + i * r.logits_stride[1]]);
        return exp_of (logit - largest[row]);
      },
      [=] SLUICE_LAMBDA (gint64 row, W value) { sum[row] = value; });
  return largest;
}

template <typename M, typename W>
static void
launch_softmax (const Rows *rows)
{
  Rows r = *rows;
  const M *x = (const M *) r.logits;
  M *out = (M *) r.out;
  W *largest = launch_sums<M, W> (rows), *sum = largest + r.rows;
  if (largest == NULL)
    return;
  sluice_each (r.rows * r.classes, [=] SLUICE_LAMBDA (gint64 at) {
    gint64 row = at / r.classes;
    W logit = sluice_wide (x[at]) - largest[row];
    sluice_put (&out[at], r.logarithm ? logit - log_of (sum[row]) : exp_of (logit) / sum[row]);
  });
}

/* Losses by rows, then gradients by elements. */
template <typename M, typename W>
static void
launch_losses (const Rows *rows)
{
  Rows r = *rows;
  const M *x = (const M *) r.logits, *labels = (const M *) r.labels;
  M *out = (M *) r.out, *loss = (M *) r.loss;
  W *largest = launch_sums<M, W> (rows), *sum = largest + r.rows;
  if (largest == NULL)
    return;
  sluice_reduce<W, Sum<W>> (
      r.rows, r.classes,
      [=] SLUICE_LAMBDA (gint64 row, gint64 i) -> W {
        W logit = sluice_wide (x[row * r.logits_stride[0] + i * r.logits_stride[1]]);
        W part = log_of (sum[row]) - (logit - largest[row]);
        if (r.has_numbers)
          return number_at (r, row) == i ? part : 0;
        return sluice_wide (labels[row * r.labels_stride[0] + i * r.labels_stride[1]]) * part;
      },
      [=] SLUICE_LAMBDA (gint64 row, W value) { sluice_put (&loss[row], value); });
  sluice_each (r.rows * r.classes, [=] SLUICE_LAMBDA (gint64 at) {
    gint64 row = at / r.classes, i = at % r.classes;
    W logit = sluice_wide (x[row * r.logits_stride[0] + i * r.logits_stride[1]]);
    W label = r.has_numbers
                  ? (W) (number_at (r, row) == i)
                  : (W) sluice_wide (labels[row * r.labels_stride[0] + i * r.labels_stride[1]]);
    sluice_put (&out[at], exp_of (logit - largest[row]) / sum[row] - label);
  });
}

typedef struct
{
  SluiceDType dtype;
  void (*softmax) (const Rows *rows);
  void (*losses) (const Rows *rows);
} Entry;
#define ENTRY(dtype, M, W) { dtype, launch_softmax<M, W>, launch_losses<M, W> }
static const Entry entries[] = {
  ENTRY (SLUICE_FLOAT, float, float),
  ENTRY (SLUICE_DOUBLE, double, double),
  ENTRY (SLUICE_HALF, SluiceHalf, float),
  ENTRY (SLUICE_BFLOAT16, SluiceBfloat, float),
};

static const Entry *
find_entry (const SluiceTensor *tensor)
{
  const Entry *entry = entries;
  while ((int) entry->dtype != tensor->dtype)
    entry++;
  return entry;
}

static gboolean
softmax_compute (SluiceKernelCall *call)
{
  const SluiceTensor *input = sluice_call_input (call, 0);
  if (input->shape.rank < 1)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "logits must have at least one dimension, not be a scalar");
  SluiceTensor *out = sluice_call_output (call, 0, &input->shape);
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  if (!sluice_cuda_begin (call))
    return FALSE;
  gint64 classes = input->shape.dim[input->shape.rank - 1];
  Rows rows = { .rows = input->n_elements / classes,
                .classes = classes,
                .logarithm = call->kernel->data != NULL,
                .logits = sluice_cuda_tensor (input, SLUICE_CUDA_READ),
                .logits_stride = { classes, 1 },
                .out = sluice_cuda_tensor (out, SLUICE_CUDA_WRITE) };
  if (rows.logits != NULL && rows.out != NULL)
    find_entry (input)->softmax (&rows);
  return sluice_cuda_end (call);
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

/* The losses of rows of known sizes. */
static gboolean
cross_entropy (SluiceKernelCall *call, Rows *rows)
{
  const SluiceTensor *logits = sluice_call_input (call, 0), *labels = sluice_call_input (call, 1);
  SluiceShape vector = { .rank = 1, .dim = { rows->rows } };
  SluiceShape matrix = { .rank = 2, .dim = { rows->rows, rows->classes } };
  SluiceTensor *loss = sluice_call_output (call, 0, &vector);
  SluiceTensor *out = loss != NULL ? sluice_call_output (call, 1, &matrix) : NULL;
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  if (!sluice_cuda_begin (call))
    return FALSE;
  rows->logits = sluice_cuda_tensor (logits, SLUICE_CUDA_READ);
  rows->labels = sluice_cuda_tensor (labels, SLUICE_CUDA_READ);
  rows->loss = sluice_cuda_tensor (loss, SLUICE_CUDA_WRITE);
  rows->out = sluice_cuda_tensor (out, SLUICE_CUDA_WRITE);
  if (rows->logits != NULL && rows->labels != NULL && rows->loss != NULL && rows->out != NULL)
    find_entry (logits)->losses (rows);
  return sluice_cuda_end (call);
}

static gboolean
xent_compute (SluiceKernelCall *call)
{
  const SluiceShape *features = &sluice_call_input (call, 0)->shape;
  const SluiceShape *labels = &sluice_call_input (call, 1)->shape;
  SluiceShape shape;
  char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
  if (!sluice_shape_broadcast (features, labels, &shape) || shape.rank != 2)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "logits %s and labels %s must be, or broadcast to, one matrix",
                             sluice_shape_str (features, a), sluice_shape_str (labels, b));
  Rows rows = { .rows = shape.dim[0], .classes = shape.dim[1] };
  broadcast_strides (features, rows.logits_stride);
  broadcast_strides (labels, rows.labels_stride);
  return cross_entropy (call, &rows);
}

/* Looks at the labels on the host, which shares the memory. */
static gboolean
check_labels (SluiceKernelCall *call, const SluiceTensor *labels, const SluiceShape *features)
{
  if (labels->n_elements != features->dim[0])
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "%" G_GINT64_FORMAT " rows of logits, but %" G_GINT64_FORMAT
                             " labels; make them equal",
                             features->dim[0], labels->n_elements);
  for (gint64 i = 0; i < labels->n_elements; i++)
    {
      gint64 label = sluice_tensor_get_int (labels, i);
      if (label < 0 || label >= features->dim[1])
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "label %" G_GINT64_FORMAT " at %" G_GINT64_FORMAT
                                 " is outside the valid range [0, %" G_GINT64_FORMAT ")",
                                 label, i, features->dim[1]);
    }
  return TRUE;
}

static gboolean
sparse_xent_compute (SluiceKernelCall *call)
{
  const SluiceTensor *features = sluice_call_input (call, 0), *labels = sluice_call_input (call, 1);
  if (!sluice_call_want_rank (call, 0, 2) || !sluice_call_want_rank (call, 1, 1)
      || !check_labels (call, labels, &features->shape))
    return FALSE;
  Rows rows = { .rows = features->shape.dim[0],
                .classes = features->shape.dim[1],
                .has_numbers = TRUE,
                .are_wide = labels->dtype == SLUICE_INT64,
                .logits_stride = { features->shape.dim[1], 1 } };
  return cross_entropy (call, &rows);
}

#define KERNEL(name, function, data_)                                                              \
  { .op = name, .device = "CUDA", .where = { { "T", SLUICE_SET_FLOATS } }, .compute = function,    \
    .data = data_ },

static const SluiceKernel kernels[] = {
  /* clang-format off */
  KERNEL ("Softmax", softmax_compute, NULL)
  KERNEL ("LogSoftmax", softmax_compute, GINT_TO_POINTER (TRUE))
  KERNEL ("SoftmaxCrossEntropyWithLogits", xent_compute, NULL)
  /* clang-format on */
  { .op = "SparseSoftmaxCrossEntropyWithLogits",
    .device = "CUDA",
    .where = { { "T", SLUICE_SET_FLOATS }, { "Tlabels", SLUICE_SET_INDEX } },
    .compute = sparse_xent_compute },
};

extern "C" const SluiceKernelModule sluice_module_nn_softmax_cuda = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};

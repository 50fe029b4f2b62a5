/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <string.h>

#include "kernels/typed.h"

/* A value seen as [outer, channels, inner]; inner is 1 but for NCHW. */
typedef struct
{
  gint64 outer, channels, inner;
} Layout;

static gpointer
bias_prepare (const SluiceNode *node, GError **error)
{
  gboolean nchw = sluice_node_get_attr (node, "data_format")
                  && sluice_node_string_is (node, "data_format", "NCHW");
  return GINT_TO_POINTER (nchw);
}

static gboolean
read_layout (SluiceKernelCall *call, Layout *layout)
{
  const SluiceShape *shape = &sluice_call_input (call, 0)->shape;
  if (shape->rank < 2)
    {
      char text[SLUICE_SHAPE_STR];
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "the value must be a matrix or more, not of shape %s",
                               sluice_shape_str (shape, text));
    }
  int channel = call->state && shape->rank > 2 ? 1 : shape->rank - 1;
  *layout = (Layout){ 1, shape->dim[channel], 1 };
  for (int i = 0; i < channel; i++)
    layout->outer *= shape->dim[i];
  for (int i = channel + 1; i < shape->rank; i++)
    layout->inner *= shape->dim[i];
  return TRUE;
}

typedef struct
{
  Layout layout;
  SluiceDType dtype;
  const void *value, *bias;
  void *out;
} Add;

/*
 * Rows of a few channels fill no vector: then the bias is written down once more for each of some
 * rows, and these are one.
 */
#define TILE 128 /* elements */

#define ADD(T, name)                                                                               \
  static inline void name##_run (const T *value, const T *bias, T *out, gint64 n)                  \
  {                                                                                                \
    for (gint64 i = 0; i < n; i++)                                                                 \
      out[i] = value[i] + bias[i];                                                                 \
  }                                                                                                \
  SLUICE_HOT static void name##_short (const Add *add, gint64 begin, gint64 end)                   \
  {                                                                                                \
    gint64 channels = add->layout.channels, rows = TILE / channels;                                \
    T bias[TILE];                                                                                  \
    for (gint64 o = 0; o < rows; o++)                                                              \
      memcpy (bias + o * channels, add->bias, (gsize) channels * sizeof (T));                      \
    for (gint64 o = begin; o < end; o += rows)                                                     \
      name##_run ((const T *) add->value + o * channels, bias, (T *) add->out + o * channels,      \
                  MIN (rows, end - o) * channels);                                                 \
  }                                                                                                \
  SLUICE_HOT static void name##_long (const Add *add, gint64 begin, gint64 end)                    \
  {                                                                                                \
    gint64 channels = add->layout.channels, inner = add->layout.inner;                             \
    const T *bias = add->bias;                                                                     \
    for (gint64 o = begin; o < end; o++)                                                           \
      {                                                                                            \
        const T *value = (const T *) add->value + o * channels * inner;                            \
        T *out = (T *) add->out + o * channels * inner;                                            \
        if (inner == 1)                                                                            \
          name##_run (value, bias, out, channels);                                                 \
        else                                                                                       \
          for (gint64 c = 0; c < channels; c++)                                                    \
            for (gint64 i = 0; i < inner; i++)                                                     \
              out[c * inner + i] = value[c * inner + i] + bias[c];                                 \
      }                                                                                            \
  }                                                                                                \
  static void name (const Add *add, gint64 begin, gint64 end)                                      \
  {                                                                                                \
    gboolean is_short = add->layout.inner == 1 && add->layout.channels <= TILE / 4                 \
                        && add->layout.channels > 0 && end - begin >= 4;                           \
    (is_short ? name##_short : name##_long) (add, begin, end);                                     \
  }
ADD (float, add_float)
ADD (double, add_double)
/* Unsigned, because overflow wraps. */
ADD (guint8, add_8)
ADD (guint16, add_16)
ADD (guint32, add_32)
ADD (guint64, add_64)
ADD (_Complex float, add_c64)
ADD (_Complex double, add_c128)

typedef void (*AddRows) (const Add *add, gint64 begin, gint64 end);

static AddRows
rows_of (SluiceDType dtype)
{
  switch (dtype)
    {
    case SLUICE_FLOAT:
      return add_float;
    case SLUICE_DOUBLE:
      return add_double;
    case SLUICE_COMPLEX64:
      return add_c64;
    case SLUICE_COMPLEX128:
      return add_c128;
    default:
      break;
    }
  gsize size = sluice_dtype_size (dtype);
  return size == 1 ? add_8 : size == 2 ? add_16 : size == 4 ? add_32 : add_64;
}

static void
add_range (gpointer data, gint64 begin, gint64 end)
{
  const Add *add = data;
  rows_of (add->dtype) (add, begin, end);
}

static void
run_strip (const SluiceStrip *strip, gint64 n, const void *const *operands, guint single, void *out)
{
  Add add = { .layout = { 1, n, 1 }, .value = operands[0], .bias = operands[1], .out = out };
  ((AddRows) strip->loop) (&add, 0, 1);
}

static gboolean
add_strip (const SluiceKernel *kernel, const SluiceNode *node, SluiceStrip *strip)
{
  SluiceDType dtype = sluice_strip_dtype (node);
  *strip = (SluiceStrip){ .run = run_strip,
                          .loop = (void (*) (void)) rows_of (dtype),
                          .n_operands = 2,
                          .ns = 0.2,
                          .adds_rows = TRUE };
  return !sluice_dtype_is_half (dtype) && bias_prepare (node, NULL) == NULL;
}

/* Rows are cut so that a chunk holds about as many elements, whatever the shape. */
static gint64
rows_per_chunk (const Layout *layout)
{
  return MAX (1, 32768 / MAX (1, layout->channels * layout->inner));
}

static gboolean
add_wide (SluiceKernelCall *call, Add *add, SluiceTensor *out)
{
  g_autoptr (SluiceTensor) value = sluice_call_widen_input (call, 0);
  g_autoptr (SluiceTensor) bias = sluice_call_widen_input (call, 1);
  if (value == NULL || bias == NULL)
    return FALSE;
  add->dtype = SLUICE_FLOAT;
  add->value = add->out = value->data;
  add->bias = bias->data;
  add_range (add, 0, add->layout.outer);
  sluice_narrow (out->dtype, value->data, out->data, out->n_elements);
  return TRUE;
}

static gboolean
bias_add_compute (SluiceKernelCall *call)
{
  SluiceTensor *value = sluice_call_input (call, 0), *bias = sluice_call_input (call, 1);
  Add add;
  if (!read_layout (call, &add.layout) || !sluice_call_want_rank (call, 1, 1))
    return FALSE;
  if (bias->n_elements != add.layout.channels)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "the value has %" G_GINT64_FORMAT
                             " channels, the bias %" G_GINT64_FORMAT "; make them equal",
                             add.layout.channels, bias->n_elements);
  SluiceTensor *out = sluice_call_reuse (call, 0, 0, &value->shape);
  if (out == NULL)
    return FALSE;
  if (sluice_dtype_is_half (out->dtype))
    return add_wide (call, &add, out);
  add.dtype = out->dtype;
  add.value = value->data;
  add.bias = bias->data;
  add.out = out->data;
  return sluice_call_parallel_for (call, add.layout.outer, rows_per_chunk (&add.layout),
                                   0.2 * (double) (add.layout.channels * add.layout.inner),
                                   add_range, &add);
}

/* ---- the sum ---- */

typedef struct
{
  Layout layout;
  SluiceDType dtype;
  gint64 rows; /* of a chunk */
  const char *value;
  char *partial; /* one row of channels a chunk */
} Sum;

/* A vector of columns at a time, so that sums stay in registers. The last vector of a row begins in
 * the next one where that is there; what does not belong to it is not used. Each column is added up
 * from its first row to its last. */
#define SUM_COLUMNS(T, name)                                                                       \
  SLUICE_HOT static void name##_columns (const T *value, T *into, gint64 channels, gint64 rows)    \
  {                                                                                                \
    typedef T Vector __attribute__ ((vector_size (64)));                                           \
    typedef T Loose __attribute__ ((vector_size (64), aligned (sizeof (T)), may_alias));           \
    const gint64 lanes = 64 / sizeof (T);                                                          \
    for (gint64 c = 0; c < channels; c += lanes)                                                   \
      {                                                                                            \
        gint64 n = MIN (lanes, channels - c), o = 0;                                               \
        gint64 left = channels * rows - c - lanes, whole = left < 0 ? 0 : left / channels + 1;     \
        Vector sum = { 0 };                                                                        \
        T last[64 / sizeof (T)];                                                                   \
        for (; o < MIN (whole, rows); o++)                                                         \
          sum += *(const Loose *) (value + o * channels + c);                                      \
        memcpy (last, &sum, sizeof last);                                                          \
        for (; o < rows; o++)                                                                      \
          for (gint64 i = 0; i < n; i++)                                                           \
            last[i] += value[o * channels + c + i];                                                \
        memcpy (into + c, last, (gsize) n * sizeof (T));                                           \
      }                                                                                            \
  }
SUM_COLUMNS (float, sum_float)
SUM_COLUMNS (double, sum_double)

#define SUM(T, name)                                                                               \
  SLUICE_HOT static void name (const Sum *sum, const T *value, T *into, gint64 rows)               \
  {                                                                                                \
    gint64 channels = sum->layout.channels, inner = sum->layout.inner;                             \
    memset (into, 0, channels * sizeof (T));                                                       \
    for (gint64 o = 0; o < rows; o++, value += channels * inner)                                   \
      if (inner == 1)                                                                              \
        for (gint64 c = 0; c < channels; c++)                                                      \
          into[c] += value[c];                                                                     \
      else                                                                                         \
        for (gint64 c = 0; c < channels; c++)                                                      \
          {                                                                                        \
            T row = 0;                                                                             \
            for (gint64 i = 0; i < inner; i++)                                                     \
              row += value[c * inner + i];                                                         \
            into[c] += row;                                                                        \
          }                                                                                        \
  }
SUM (float, sum_float)
SUM (double, sum_double)
SUM (guint8, sum_8)
SUM (guint16, sum_16)
SUM (guint32, sum_32)
SUM (guint64, sum_64)
SUM (_Complex float, sum_c64)
SUM (_Complex double, sum_c128)

static void
sum_rows (const Sum *sum, const void *value, void *into, gint64 rows)
{
  /* Of more channels a row is more than one page: columns would be far apart. */
  gboolean in_columns = sum->layout.inner == 1 && sum->layout.channels <= 256;
  switch (sum->dtype)
    {
    case SLUICE_FLOAT:
      if (in_columns)
        return sum_float_columns (value, into, sum->layout.channels, rows);
      return sum_float (sum, value, into, rows);
    case SLUICE_DOUBLE:
      if (in_columns)
        return sum_double_columns (value, into, sum->layout.channels, rows);
      return sum_double (sum, value, into, rows);
    case SLUICE_COMPLEX64:
      return sum_c64 (sum, value, into, rows);
    case SLUICE_COMPLEX128:
      return sum_c128 (sum, value, into, rows);
    default:
      break;
    }
  gsize size = sluice_dtype_size (sum->dtype);
  if (size == 1)
    sum_8 (sum, value, into, rows);
  else if (size == 2)
    sum_16 (sum, value, into, rows);
  else if (size == 4)
    sum_32 (sum, value, into, rows);
  else
    sum_64 (sum, value, into, rows);
}

static void
sum_range (gpointer data, gint64 begin, gint64 end)
{
  const Sum *sum = data;
  gsize size = sluice_dtype_size (sum->dtype);
  gint64 chunk = begin / sum->rows;
  sum_rows (sum, sum->value + begin * sum->layout.channels * sum->layout.inner * size,
            sum->partial + chunk * sum->layout.channels * size, end - begin);
}

/* Chunks of rows, each into a partial sum; then the partial sums in their order. */
static gboolean
sum_all (SluiceKernelCall *call, Sum *sum, const void *value, void *out)
{
  gint64 channels = sum->layout.channels;
  sum->rows = rows_per_chunk (&sum->layout);
  sum->value = value;
  gint64 n_chunks = (sum->layout.outer + sum->rows - 1) / sum->rows;
  if (n_chunks <= 1)
    {
      sum_rows (sum, value, out, sum->layout.outer);
      return TRUE;
    }
  g_autoptr (SluiceTensor) partial =
      sluice_call_scratch (call, sum->dtype, &SLUICE_SHAPE (n_chunks, channels));
  if (partial == NULL)
    return FALSE;
  sum->partial = partial->data;
  if (!sluice_call_parallel_for (call, sum->layout.outer, sum->rows,
                                 0.2 * (double) (channels * sum->layout.inner), sum_range, sum))
    return FALSE;
  Sum last = *sum;
  last.layout.inner = 1;
  sum_rows (&last, partial->data, out, n_chunks);
  return TRUE;
}

static gboolean
bias_grad_compute (SluiceKernelCall *call)
{
  SluiceTensor *value = sluice_call_input (call, 0);
  Sum sum = { .dtype = value->dtype };
  if (!read_layout (call, &sum.layout))
    return FALSE;
  SluiceTensor *out = sluice_call_output (call, 0, &SLUICE_SHAPE (sum.layout.channels));
  if (out == NULL)
    return FALSE;
  if (!sluice_dtype_is_half (value->dtype))
    return sum_all (call, &sum, value->data, out->data);
  g_autoptr (SluiceTensor) wide = sluice_call_widen_input (call, 0);
  g_autoptr (SluiceTensor) total = sluice_call_scratch (call, SLUICE_FLOAT, &out->shape);
  sum.dtype = SLUICE_FLOAT;
  if (wide == NULL || total == NULL || !sum_all (call, &sum, wide->data, total->data))
    return FALSE;
  sluice_narrow (out->dtype, total->data, out->data, out->n_elements);
  return TRUE;
}

#define KERNEL(name, function, ...)                                                                \
  {                                                                                                \
    .op = name, .device = "CPU", .where = { { "T", SLUICE_SET_NUMBER } }, .prepare = bias_prepare, \
    .compute = function, __VA_ARGS__                                                               \
  }

static const SluiceKernel kernels[] = {
  KERNEL ("BiasAdd", bias_add_compute, .strip = add_strip),
  KERNEL ("BiasAddV1", bias_add_compute, .strip = add_strip),
  KERNEL ("BiasAddGrad", bias_grad_compute),
};

const SluiceKernelModule sluice_module_nn_bias_cpu = { .kernels = kernels,
                                                       .n_kernels = G_N_ELEMENTS (kernels) };

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <math.h>
#include <string.h>

#include "kernels/array/array.h"

/* One of the two: its values, put together by sequence. */
typedef struct
{
  const SluiceTensor *indices, *values;
  gint64 *starts; /* [sequences + 1] */
  gint64 *order;  /* [values]: sequence by sequence, as they come */
} Side;

typedef struct
{
  Side hypothesis, truth;
  gboolean normalize;
  gsize element;
  float *out;
  const _Atomic int *cancelled;
} Job;

static gboolean
is_equal (const Job *job, gint64 hypothesis, gint64 truth)
{
  const char *a = (const char *) job->hypothesis.values->data + hypothesis * job->element;
  const char *b = (const char *) job->truth.values->data + truth * job->element;
  switch ((SluiceDType) job->truth.values->dtype)
    {
    case SLUICE_STRING:
      {
        const SluiceString *x = (const SluiceString *) a, *y = (const SluiceString *) b;
        return x->length == y->length
               && (x->length == 0 || memcmp (x->data, y->data, x->length) == 0);
      }
    case SLUICE_FLOAT:
      return *(const float *) a == *(const float *) b;
    case SLUICE_DOUBLE:
      return *(const double *) a == *(const double *) b;
    default:
      return memcmp (a, b, job->element) == 0;
    }
}

/* The distance of two sequences, by a row of the table of distances of their beginnings. */
static gint64
distance (const Job *job, const gint64 *a, gint64 n_a, const gint64 *b, gint64 n_b)
{
  g_autofree gint64 *row = g_new (gint64, n_b + 1);
  for (gint64 k = 0; k <= n_b; k++)
    row[k] = k;
  for (gint64 i = 0; i < n_a; i++)
    {
      if (job->cancelled && *job->cancelled)
        return 0; /* nobody will see it */
      gint64 corner = row[0];
      row[0] = i + 1;
      for (gint64 k = 0; k < n_b; k++)
        {
          gint64 replaced = corner + (is_equal (job, a[i], b[k]) ? 0 : 1);
          corner = row[k + 1];
          row[k + 1] = MIN (replaced, MIN (corner, row[k]) + 1);
        }
    }
  return row[n_b];
}

static void
measure_sequences (gpointer data, gint64 begin, gint64 end)
{
  const Job *job = data;
  for (gint64 s = begin; s < end; s++)
    {
      const gint64 *a = job->hypothesis.order + job->hypothesis.starts[s];
      const gint64 *b = job->truth.order + job->truth.starts[s];
      gint64 n_a = job->hypothesis.starts[s + 1] - job->hypothesis.starts[s];
      gint64 n_b = job->truth.starts[s + 1] - job->truth.starts[s];
      float edits = (float) distance (job, a, n_a, b, n_b);
      if (job->normalize)
        edits = n_b > 0 ? edits / (float) n_b : n_a > 0 ? INFINITY : 0;
      job->out[s] = edits;
    }
}

/* Checks a sparse tensor at inputs `first` … first + 2. */
static gboolean
check_sparse (SluiceKernelCall *call, guint first)
{
  const SluiceTensor *indices = sluice_call_input (call, first);
  const SluiceTensor *values = sluice_call_input (call, first + 1);
  const SluiceTensor *shape = sluice_call_input (call, first + 2);
  if (!sluice_call_want_rank (call, first, 2) || !sluice_call_want_rank (call, first + 1, 1)
      || !sluice_call_want_rank (call, first + 2, 1))
    return FALSE;
  char text[3][SLUICE_SHAPE_STR];
  if (indices->shape.dim[0] != values->n_elements || indices->shape.dim[1] != shape->n_elements)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "indices %s, values %s and shape %s are of no one sparse tensor",
                             sluice_shape_str (&indices->shape, text[0]),
                             sluice_shape_str (&values->shape, text[1]),
                             sluice_shape_str (&shape->shape, text[2]));
  return shape->n_elements >= 2
         || sluice_call_fail (
             call, SLUICE_ERROR_INVALID_ARGUMENT,
             "a sparse tensor must have two dimensions or more here, not %" G_GINT64_FORMAT,
             shape->n_elements);
}

/* The shape of the output: the larger sizes of both sides, but for the sequences' own. */
static gboolean
output_shape (SluiceKernelCall *call, SluiceShape *shape)
{
  const SluiceTensor *a = sluice_call_input (call, 2), *b = sluice_call_input (call, 5);
  if (!check_sparse (call, 0) || !check_sparse (call, 3))
    return FALSE;
  if (a->n_elements != b->n_elements || a->n_elements > SLUICE_MAX_RANK)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "both must have as many dimensions, %d at most, not %" G_GINT64_FORMAT
                             " and %" G_GINT64_FORMAT,
                             SLUICE_MAX_RANK, a->n_elements, b->n_elements);
  gint64 dims[SLUICE_MAX_RANK];
  for (int i = 0; i < a->n_elements - 1; i++)
    {
      dims[i] = MAX (sluice_tensor_get_int (a, i), sluice_tensor_get_int (b, i));
      if (dims[i] < 0)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "dimension %d of both shapes is negative", i);
    }
  g_autoptr (GError) error = NULL;
  if (!sluice_shape_make (shape, dims, a->n_elements - 1, &error))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "%s", error->message);
  return TRUE;
}

/* Counts the values of each sequence and puts them together. memory: [sequences + 1 + 2 values] */
static gboolean
group (SluiceKernelCall *call, guint first, const SluiceShape *shape, gint64 *memory, Side *side)
{
  side->indices = sluice_call_input (call, first);
  side->values = sluice_call_input (call, first + 1);
  gint64 n = side->values->n_elements, n_sequences = sluice_shape_n_elements (shape);
  const gint64 *at = side->indices->data;
  side->starts = memory;
  side->order = memory + n_sequences + 1;
  gint64 *sequence = side->order + n;
  memset (side->starts, 0, (n_sequences + 1) * sizeof *side->starts);
  for (gint64 i = 0; i < n; i++, at += shape->rank + 1)
    {
      sequence[i] = 0;
      for (int d = 0; d < shape->rank; d++)
        {
          if (at[d] < 0 || at[d] >= shape->dim[d])
            return sluice_call_fail (call, SLUICE_ERROR_INTERNAL,
                                     "index %" G_GINT64_FORMAT " of input %u is %" G_GINT64_FORMAT
                                     " in dimension %d, which has %" G_GINT64_FORMAT " elements",
                                     i, first, at[d], d, shape->dim[d]);
          sequence[i] = sequence[i] * shape->dim[d] + at[d];
        }
      side->starts[sequence[i] + 1]++;
    }
  for (gint64 s = 0; s < n_sequences; s++)
    side->starts[s + 1] += side->starts[s];
  for (gint64 i = 0; i < n; i++)
    side->order[side->starts[sequence[i]]++] = i;
  /* Each start has moved to the next sequence's: back by one place. */
  memmove (side->starts + 1, side->starts, n_sequences * sizeof *side->starts);
  side->starts[0] = 0;
  return TRUE;
}

static gboolean
edit_distance_compute (SluiceKernelCall *call)
{
  const SluiceTensor *values = sluice_call_input (call, 4);
  Job job = { .normalize = GPOINTER_TO_INT (call->state),
              .element = sluice_dtype_size (values->dtype),
              .cancelled = call->cancelled };
  SluiceShape shape;
  if (!output_shape (call, &shape))
    return FALSE;
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL)
    return FALSE;
  gint64 n_a = sluice_call_input (call, 1)->n_elements, n_b = values->n_elements;
  g_autoptr (SluiceTensor) a =
      sluice_call_scratch (call, SLUICE_INT64, &SLUICE_SHAPE (out->n_elements + 1 + 2 * n_a));
  g_autoptr (SluiceTensor) b =
      sluice_call_scratch (call, SLUICE_INT64, &SLUICE_SHAPE (out->n_elements + 1 + 2 * n_b));
  if (a == NULL || b == NULL || !group (call, 0, &shape, a->data, &job.hypothesis)
      || !group (call, 3, &shape, b->data, &job.truth))
    return FALSE;
  if (out->n_elements == 0)
    return TRUE;
  job.out = out->data;
  double length = (double) n_a * (double) n_b / (double) out->n_elements;
  return sluice_call_parallel_for (call, out->n_elements, 1, 50 + 2 * length, measure_sequences,
                                   &job);
}

static gpointer
edit_distance_prepare (const SluiceNode *node, GError **error)
{
  return GINT_TO_POINTER (sluice_node_get_bool (node, "normalize"));
}

static const SluiceKernel kernels[] = {
  { .op = "EditDistance",
    .device = "CPU",
    .where = { { "T", SLUICE_SET_NUMBER | SLUICE_SET (SLUICE_BOOL) | SLUICE_SET (SLUICE_STRING) } },
    .prepare = edit_distance_prepare,
    .compute = edit_distance_compute },
};

const SluiceKernelModule sluice_module_array_edit_distance_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};

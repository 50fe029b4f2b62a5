/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/linalg/matrix.h"

#include <math.h>
#include <string.h>

#include "kernels/linalg/batches.h"
#include "kernels/typed.h"

#define MAX_OUTPUTS 3

gpointer
sluice_matrix_prepare (const SluiceNode *node, GError **error)
{
  static const struct
  {
    const char *attr;
    guint flag;
  } table[] = {
    { "adjoint", SLUICE_MATRIX_ADJOINT },    { "lower", SLUICE_MATRIX_LOWER },
    { "full_matrices", SLUICE_MATRIX_FULL }, { "compute_uv", SLUICE_MATRIX_VECTORS },
    { "compute_v", SLUICE_MATRIX_VECTORS },  { "fast", SLUICE_MATRIX_FAST },
  };
  guint *flags = g_new0 (guint, 1);
  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    if (sluice_op_find_attr (node->op, table[i].attr) && sluice_node_get_bool (node, table[i].attr))
      *flags |= table[i].flag;
  return flags;
}

SluiceShape
sluice_matrix_shape_same (const SluiceMatrixJob *job, guint output)
{
  return SLUICE_SHAPE (job->m, job->n);
}

SluiceShape
sluice_matrix_shape_number (const SluiceMatrixJob *job, guint output)
{
  return SLUICE_SHAPE_SCALAR;
}

gboolean
sluice_matrix_factor (const SluiceMatrixJob *job, void *lu, int *pivots)
{
  gint64 n = job->n;
  if (job->flags & SLUICE_MATRIX_ADJOINT)
    {
      memcpy (lu, job->in[0], n * n * job->lapack->size);
      sluice_matrix_conjugate (job->lapack, lu, n * n);
    }
  else
    sluice_matrix_transpose (job->lapack, job->in[0], n, n, FALSE, lu);
  if (n > 0)
    sluice_getrf (job->lapack, job->n, lu, pivots);
  for (gint64 i = 0; i < n; i++)
    {
      double d[2];
      sluice_matrix_get (job->lapack, lu, i * n + i, d);
      if (!(hypot (d[0], d[1]) > 0)) /* or not a number */
        return FALSE;
    }
  return TRUE;
}

/* A call in progress. */
typedef struct
{
  SluiceKernelCall *call;
  const SluiceMatrixRule *rule;
  SluiceMatrixJob job; /* of no matrix in particular */
  SluiceMatrixBatches batches;
  SluiceShape batch; /* leading dimensions of the outputs */
  SluiceTensor *operands[2];
  SluiceTensor *outputs[MAX_OUTPUTS]; /* what the job writes; NULL: not wanted */
  _Atomic gint64 first_failed;        /* number of a matrix; G_MAXINT64: none */
  _Atomic gboolean no_memory;
} Work;

static void
work_clear (Work *work)
{
  for (int i = 0; i < 2; i++)
    g_clear_pointer (&work->operands[i], sluice_tensor_unref);
  for (int i = 0; i < MAX_OUTPUTS; i++)
    g_clear_pointer (&work->outputs[i], sluice_tensor_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Work, work_clear)

/* ---- checks ---- */

static gboolean
check_operand (SluiceKernelCall *call, guint i)
{
  const SluiceShape *shape = &sluice_call_input (call, i)->shape;
  char s[SLUICE_SHAPE_STR];
  if (shape->rank < 2)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "input %u must be a matrix or a batch of them, not of shape %s", i,
                             sluice_shape_str (shape, s));
  if (sluice_matrix_dim (shape, 1) > G_MAXINT32 || sluice_matrix_dim (shape, 2) > G_MAXINT32)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "input %u of shape %s is larger than LAPACK can count", i,
                             sluice_shape_str (shape, s));
  return TRUE;
}

static gboolean
check_second (SluiceKernelCall *call, Work *work)
{
  const SluiceMatrixRule *rule = work->rule;
  const SluiceShape *first = &sluice_call_input (call, 0)->shape;
  const SluiceShape *second = &sluice_call_input (call, 1)->shape;
  SluiceShape batch = sluice_batch_shape (first), other = sluice_batch_shape (second);
  gboolean fits = sluice_matrix_dim (second, 2) == work->job.m;
  if (rule->is_second_alike)
    fits = fits && sluice_matrix_dim (second, 1) == work->job.n;
  if (!rule->broadcasts)
    fits = fits && sluice_shape_equal (&batch, &other);
  if (!fits || !sluice_matrix_batches_make (&work->batches, first, second, &work->batch))
    {
      char sa[SLUICE_SHAPE_STR], sb[SLUICE_SHAPE_STR];
      return sluice_call_fail (
          call, SLUICE_ERROR_INVALID_ARGUMENT,
          "input 0 is %s, input 1 is %s: leading dimensions must %s, and %s be equal",
          sluice_shape_str (first, sa), sluice_shape_str (second, sb),
          rule->broadcasts ? "broadcast together" : "be equal",
          rule->is_second_alike ? "both sizes of the matrices" : "the numbers of rows");
    }
  work->job.k = (int) sluice_matrix_dim (second, 1);
  return TRUE;
}

static gboolean
check_operands (SluiceKernelCall *call, Work *work)
{
  const SluiceShape *first = &sluice_call_input (call, 0)->shape;
  for (guint i = 0; i < work->rule->n_operands; i++)
    if (!check_operand (call, i))
      return FALSE;
  work->job.m = (int) sluice_matrix_dim (first, 2);
  work->job.n = (int) sluice_matrix_dim (first, 1);
  if (work->rule->is_square && work->job.m != work->job.n)
    {
      char s[SLUICE_SHAPE_STR];
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "input 0 must hold square matrices, not shape %s",
                               sluice_shape_str (first, s));
    }
  if (work->rule->n_operands == 2)
    return check_second (call, work);
  return sluice_matrix_batches_make (&work->batches, first, first, &work->batch);
}

/* ---- work ---- */

/* half and bfloat16 are computed in float. */
static gboolean
open_operands (SluiceKernelCall *call, Work *work)
{
  for (guint i = 0; i < work->rule->n_operands; i++)
    {
      SluiceTensor *input = sluice_call_input (call, i);
      work->operands[i] = sluice_dtype_is_half (input->dtype) ? sluice_call_widen_input (call, i)
                                                              : sluice_tensor_ref (input);
      if (work->operands[i] == NULL)
        return FALSE;
    }
  SluiceDType dtype = work->operands[0]->dtype;
  work->job.lapack = sluice_lapack_get (dtype);
  if (work->job.lapack == NULL)
    return sluice_call_fail (call, SLUICE_ERROR_UNIMPLEMENTED,
                             "needs LAPACK: install libopenblas0-pthread");
  return TRUE;
}

static gboolean
open_outputs (SluiceKernelCall *call, Work *work)
{
  for (guint i = 0; i < call->n_outputs; i++)
    {
      SluiceShape shape = work->rule->shape (&work->job, i), whole = work->batch;
      gboolean wanted = shape.rank >= 0;
      for (int d = 0; d < shape.rank; d++)
        whole.dim[whole.rank++] = shape.dim[d];
      SluiceTensor *out = sluice_call_output (call, i, wanted ? &whole : &SLUICE_SHAPE (0));
      if (out == NULL)
        return FALSE;
      if (!wanted)
        continue;
      work->outputs[i] = sluice_dtype_is_half (out->dtype)
                             ? sluice_call_scratch (call, SLUICE_FLOAT, &whole)
                             : sluice_tensor_ref (out);
      if (work->outputs[i] == NULL)
        return FALSE;
    }
  return TRUE;
}

static void
note_failure (Work *work, gint64 matrix)
{
  gint64 first = atomic_load (&work->first_failed);
  while (matrix < first && !atomic_compare_exchange_weak (&work->first_failed, &first, matrix))
    ;
}

static void
compute_range (gpointer data, gint64 begin, gint64 end)
{
  Work *work = data;
  gint64 n = work->batches.n;
  for (gint64 i = begin; i < end; i++)
    {
      SluiceMatrixJob job = work->job;
      for (guint k = 0; k < work->rule->n_operands; k++)
        {
          gint64 elements = (gint64) job.m * (k == 0 ? job.n : job.k);
          job.in[k] =
              (const char *) work->operands[k]->data
              + sluice_matrix_batches_index (&work->batches, k, i) * elements * job.lapack->size;
        }
      for (guint k = 0; k < MAX_OUTPUTS; k++)
        if (work->outputs[k])
          job.out[k] = (char *) work->outputs[k]->data
                       + i * (work->outputs[k]->n_elements / n) * job.lapack->size;
      SluiceMatrixResult result = work->rule->compute (&job);
      if (result == SLUICE_MATRIX_FAILED)
        note_failure (work, i);
      else if (result == SLUICE_MATRIX_NO_MEMORY)
        atomic_store (&work->no_memory, TRUE);
    }
}

gboolean
sluice_matrix_compute (SluiceKernelCall *call)
{
  g_auto (Work) work = { .call = call,
                         .rule = call->kernel->data,
                         .first_failed = G_MAXINT64,
                         .job.flags = *(const guint *) call->state };
  if (!check_operands (call, &work))
    return FALSE;
  if (call->n_inputs > work.rule->n_operands)
    {
      if (!sluice_call_want_scalar (call, 2))
        return FALSE;
      work.job.shift = *(const double *) sluice_call_input (call, 2)->data;
      if (!(work.job.shift >= 0))
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "l2_regularizer is %g, it must not be negative", work.job.shift);
    }
  if (!open_operands (call, &work) || !open_outputs (call, &work))
    return FALSE;
  double flops = 2.0 * work.job.m * work.job.n * MAX (MAX (work.job.m, work.job.n), work.job.k);
  if (!sluice_call_parallel_for (call, work.batches.n, 1, 500 + flops, compute_range, &work))
    return FALSE;
  if (atomic_load (&work.no_memory))
    return sluice_call_fail (call, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                             "no memory to work on matrices of [%d,%d]", work.job.m, work.job.n);
  gint64 failed = atomic_load (&work.first_failed);
  if (failed != G_MAXINT64)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "matrix %" G_GINT64_FORMAT " of the batch %s", failed,
                             work.rule->failure);
  for (guint i = 0; i < call->n_outputs; i++)
    if (work.outputs[i] && work.outputs[i] != call->outputs[i].tensor)
      sluice_narrow (call->outputs[i].tensor->dtype, work.outputs[i]->data,
                     call->outputs[i].tensor->data, work.outputs[i]->n_elements);
  return TRUE;
}

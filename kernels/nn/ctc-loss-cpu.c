/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Forward and backward variables of CTC in logarithms, in double. Labels l become l' by a blank
 * before each and one at the end; alpha (u, t) is the probability of having said l'[0..u] at time
 * t, beta (u, t) that of saying the rest after it.
 */
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "kernels/nn/ctc.h"
#include "kernels/typed.h"

typedef struct
{
  gboolean collapse, merge, ignore_longer;
} State;

typedef struct
{
  const State *state;
  const SluiceTensor *scores;
  gint64 time, batch, classes;
  const gint32 *length; /* of each sequence */
  const gint32 *labels; /* of all sequences, one behind the other */
  const gint64 *first;  /* where those of each begin; batch + 1 of them */
  SluiceTensor *loss, *gradient;
  SluiceKernelCall *call;
  atomic_int no_memory;
} Work;

/* One sequence. */
typedef struct
{
  gboolean merge;
  gint64 time, classes, n_labels; /* n_labels: of l' */
  const gint32 *labels;           /* l' */
  double *y, *log_y;              /* [time, classes]: the softmax of the scores and its logarithm */
  double *alpha, *beta;           /* [time, n_labels] */
  const _Atomic int *cancelled;
} Sequence;

static gpointer
loss_prepare (const SluiceNode *node, GError **error)
{
  State *state = g_new (State, 1);
  *state = (State){ sluice_node_get_bool (node, "preprocess_collapse_repeated"),
                    sluice_node_get_bool (node, "ctc_merge_repeated"),
                    sluice_node_get_bool (node, "ignore_longer_outputs_than_inputs") };
  return state;
}

/* ---- the labels ---- */

/* Are the indices those of a sparse matrix with a row a sequence, in order? Fills first. */
static gboolean
read_indices (SluiceKernelCall *call, gint64 batch, gint64 *first)
{
  const SluiceTensor *indices = sluice_call_input (call, 1);
  const gint64 *at = indices->data;
  gint64 n = indices->shape.dim[0], row = 0;
  first[0] = 0;
  for (gint64 i = 0; i < n; i++)
    {
      const gint64 *p = at + 2 * i;
      gboolean rises = i == 0 || p[0] > p[-2] || (p[0] == p[-2] && p[1] > p[-1]);
      if (p[0] < 0 || p[0] >= batch || p[1] < 0 || !rises)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "labels_indices[%" G_GINT64_FORMAT "] is [%" G_GINT64_FORMAT
                                 ",%" G_GINT64_FORMAT "]: indices must rise and name one of "
                                 "%" G_GINT64_FORMAT " sequences",
                                 i, p[0], p[1], batch);
      while (row < p[0])
        first[++row] = i;
    }
  while (row < batch)
    first[++row] = n;
  return TRUE;
}

/* Does label i of a sequence count, or is it the repetition of the one before? */
static gboolean
counts (const State *state, const gint32 *labels, gint64 i)
{
  return i == 0 || !state->collapse || labels[i] != labels[i - 1];
}

/* A label that is the blank or more ends a sequence: no other may follow. */
static gboolean
check_labels (SluiceKernelCall *call, const Work *w, gint64 b)
{
  const gint32 *labels = w->labels + w->first[b];
  gint64 n = w->first[b + 1] - w->first[b];
  gboolean ended = FALSE;
  if (n == 0)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "sequence %" G_GINT64_FORMAT " has no labels", b);
  if (w->length[b] < 0 || w->length[b] > w->time)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "sequence_length[%" G_GINT64_FORMAT "] is %d, it must lie between 0 "
                             "and %" G_GINT64_FORMAT,
                             b, w->length[b], w->time);
  for (gint64 i = 0; i < n; i++)
    {
      gboolean blank = labels[i] >= w->classes - 1;
      if (counts (w->state, labels, i) && (labels[i] < 0 || (ended && !blank)))
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "label %" G_GINT64_FORMAT " of sequence %" G_GINT64_FORMAT
                                 " is %d: labels must not be negative nor follow a blank, which is "
                                 "%" G_GINT64_FORMAT " or more",
                                 i, b, labels[i], w->classes - 1);
      ended |= blank;
    }
  if (!w->state->ignore_longer && n > w->length[b])
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "sequence %" G_GINT64_FORMAT " has %" G_GINT64_FORMAT
                             " labels but only %d steps; ignore_longer_outputs_than_inputs skips "
                             "such",
                             b, n, w->length[b]);
  return TRUE;
}

/* l': room for 2 n + 1. */
static gint64
expand_labels (const Work *w, gint64 b, gint32 *expanded)
{
  const gint32 *labels = w->labels + w->first[b];
  gint32 blank = (gint32) w->classes - 1;
  gint64 n = 0;
  for (gint64 i = 0; i < w->first[b + 1] - w->first[b]; i++)
    if (counts (w->state, labels, i) && labels[i] < blank)
      {
        expanded[n++] = blank;
        expanded[n++] = labels[i];
      }
  expanded[n++] = blank;
  return n;
}

/* ---- one sequence ---- */

static void
softmax_rows (const Work *w, gint64 b, Sequence *s)
{
  for (gint64 t = 0; t < s->time; t++)
    {
      gint64 at = (t * w->batch + b) * s->classes;
      double *y = s->y + t * s->classes, *log_y = s->log_y + t * s->classes;
      double largest = -INFINITY, sum = 0;
      for (gint64 c = 0; c < s->classes; c++)
        {
          log_y[c] = sluice_ctc_score (w->scores, at + c);
          largest = MAX (largest, log_y[c]);
        }
      for (gint64 c = 0; c < s->classes; c++)
        sum += exp (log_y[c] - largest);
      for (gint64 c = 0; c < s->classes; c++)
        {
          log_y[c] -= largest + log (sum);
          y[c] = exp (log_y[c]);
        }
    }
}

/* May a path go from u to u + 2, over the blank between them? */
static inline gboolean
may_skip (const Sequence *s, gint64 u)
{
  gint32 blank = (gint32) s->classes - 1;
  return s->labels[u] != blank && s->labels[u + 2] != blank
         && !(s->merge && s->labels[u] == s->labels[u + 2]);
}

/* May a path stay at u? */
static inline gboolean
may_stay (const Sequence *s, gint64 u)
{
  return s->merge || s->labels[u] == s->classes - 1;
}

static void
forward_variables (Sequence *s)
{
  gint64 n = s->n_labels;
  for (gint64 i = 0; i < s->time * n; i++)
    s->alpha[i] = -INFINITY;
  for (gint64 u = 0; u < MIN (n, 2); u++)
    s->alpha[u] = s->log_y[s->labels[u]];
  for (gint64 t = 1; t < s->time && !atomic_load (s->cancelled); t++)
    for (gint64 u = MAX (0, n - 2 * (s->time - t)); u < MIN (n, 2 * (t + 1)); u++)
      {
        const double *before = s->alpha + (t - 1) * n;
        double sum = may_stay (s, u) ? before[u] : -INFINITY;
        if (u > 0)
          sum = sluice_ctc_log_add (sum, before[u - 1]);
        if (u > 1 && may_skip (s, u - 2))
          sum = sluice_ctc_log_add (sum, before[u - 2]);
        s->alpha[t * n + u] = s->log_y[t * s->classes + s->labels[u]] + sum;
      }
}

static void
backward_variables (Sequence *s)
{
  gint64 n = s->n_labels;
  for (gint64 i = 0; i < s->time * n; i++)
    s->beta[i] = -INFINITY;
  for (gint64 u = MAX (n - 2, 0); u < n; u++)
    s->beta[(s->time - 1) * n + u] = 0;
  for (gint64 t = s->time - 2; t >= 0 && !atomic_load (s->cancelled); t--)
    for (gint64 u = MAX (0, n - 2 * (s->time - t)); u < MIN (n, 2 * (t + 1)); u++)
      {
        const double *after = s->beta + (t + 1) * n, *log_y = s->log_y + (t + 1) * s->classes;
        double sum = may_stay (s, u) ? after[u] + log_y[s->labels[u]] : -INFINITY;
        if (u + 1 < n)
          sum = sluice_ctc_log_add (sum, after[u + 1] + log_y[s->labels[u + 1]]);
        if (u + 2 < n && may_skip (s, u))
          sum = sluice_ctc_log_add (sum, after[u + 2] + log_y[s->labels[u + 2]]);
        s->beta[t * n + u] = sum;
      }
}

static void
set_score (SluiceTensor *tensor, gint64 i, double value)
{
  if (tensor->dtype == SLUICE_DOUBLE)
    ((double *) tensor->data)[i] = value;
  else
    ((float *) tensor->data)[i] = (float) value;
}

/* y less the probability that the label is said at t. Of no path at all: y. */
static void
store_gradient (const Work *w, gint64 b, const Sequence *s, double log_p, double *said)
{
  for (gint64 t = 0; t < s->time; t++)
    {
      gint64 at = (t * w->batch + b) * s->classes;
      for (gint64 c = 0; c < s->classes; c++)
        said[c] = -INFINITY;
      for (gint64 u = 0; u < s->n_labels; u++)
        said[s->labels[u]] = sluice_ctc_log_add (
            said[s->labels[u]], s->alpha[t * s->n_labels + u] + s->beta[t * s->n_labels + u]);
      for (gint64 c = 0; c < s->classes; c++)
        set_score (w->gradient, at + c,
                   s->y[t * s->classes + c] - (log_p == -INFINITY ? 0 : exp (said[c] - log_p)));
    }
}

static void
run_sequence (Work *w, gint64 b)
{
  gint64 n = w->first[b + 1] - w->first[b], time = w->length[b];
  SluiceKernelCall *call = w->call;
  SluiceAllocator *allocator = call->device->allocator;
  SluiceOwner owner = { call->owner.node, SLUICE_MEMORY_WORKSPACE };
  g_autoptr (SluiceTensor) labels =
      sluice_tensor_new (allocator, SLUICE_INT32, &SLUICE_SHAPE (2 * n + 1), owner);
  g_autoptr (SluiceTensor) scores =
      sluice_tensor_new (allocator, SLUICE_DOUBLE, &SLUICE_SHAPE (2 * time + 1, w->classes), owner);
  g_autoptr (SluiceTensor) variables =
      sluice_tensor_new (allocator, SLUICE_DOUBLE, &SLUICE_SHAPE (2 * time, 2 * n + 1), owner);
  if (labels == NULL || scores == NULL || variables == NULL)
    {
      atomic_store (&w->no_memory, 1);
      return;
    }
  Sequence s = { .merge = w->state->merge,
                 .time = time,
                 .classes = w->classes,
                 .labels = labels->data,
                 .n_labels = expand_labels (w, b, labels->data),
                 .y = scores->data,
                 .alpha = variables->data,
                 .cancelled = call->cancelled };
  s.log_y = s.y + time * s.classes;
  s.beta = s.alpha + time * s.n_labels;
  softmax_rows (w, b, &s);
  forward_variables (&s);
  backward_variables (&s);
  double log_p = -INFINITY;
  for (gint64 u = 0; u < s.n_labels; u++)
    log_p = sluice_ctc_log_add (log_p, s.alpha[u] + s.beta[u]);
  set_score (w->loss, b, -log_p);
  store_gradient (w, b, &s, log_p, s.log_y + time * s.classes);
}

/* Sequences without time or, where that is allowed, with too many labels have no loss. */
static void
sequence_range (gpointer data, gint64 begin, gint64 end)
{
  Work *w = data;
  for (gint64 b = begin; b < end; b++)
    if (w->length[b] > 0 && w->first[b + 1] - w->first[b] <= w->length[b])
      run_sequence (w, b);
}

static gboolean
check_inputs (SluiceKernelCall *call, Work *w)
{
  const SluiceTensor *indices = sluice_call_input (call, 1), *values = sluice_call_input (call, 2);
  const SluiceTensor *lengths = sluice_call_input (call, 3);
  static const int ranks[] = { 3, 2, 1, 1 };
  for (guint i = 0; i < 4; i++)
    if (!sluice_call_want_rank (call, i, ranks[i]))
      return FALSE;
  w->time = w->scores->shape.dim[0];
  w->batch = w->scores->shape.dim[1];
  w->classes = w->scores->shape.dim[2];
  if (w->batch == 0 || w->classes == 0 || w->classes > G_MAXINT32)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "inputs must hold a sequence and a class, and at most 2^31 of these");
  if (lengths->n_elements != w->batch || indices->shape.dim[1] != 2
      || indices->shape.dim[0] != values->n_elements)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "sequence_length must have %" G_GINT64_FORMAT
                             " elements, labels_indices two columns and a row for each of "
                             "%" G_GINT64_FORMAT " values",
                             w->batch, values->n_elements);
  return TRUE;
}

static gboolean
loss_compute (SluiceKernelCall *call)
{
  Work w = { .state = call->state,
             .scores = sluice_call_input (call, 0),
             .length = sluice_call_input (call, 3)->data,
             .labels = sluice_call_input (call, 2)->data,
             .call = call };
  if (!check_inputs (call, &w))
    return FALSE;
  g_autoptr (SluiceTensor) first =
      sluice_call_scratch (call, SLUICE_INT64, &SLUICE_SHAPE (w.batch + 1));
  if (first == NULL || !read_indices (call, w.batch, first->data))
    return FALSE;
  w.first = first->data;
  for (gint64 b = 0; b < w.batch; b++)
    if (!check_labels (call, &w, b))
      return FALSE;
  w.loss = sluice_call_output (call, 0, &SLUICE_SHAPE (w.batch));
  w.gradient = sluice_call_output (call, 1, &w.scores->shape);
  if (w.loss == NULL || w.gradient == NULL)
    return FALSE;
  memset (w.loss->data, 0, sluice_tensor_bytes (w.loss));
  memset (w.gradient->data, 0, sluice_tensor_bytes (w.gradient));
  double ns = 20 * (double) w.time * (double) w.classes;
  if (!sluice_call_parallel_for (call, w.batch, 1, ns, sequence_range, &w))
    return FALSE;
  return !atomic_load (&w.no_memory)
         || sluice_call_fail (call, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                              "no memory for the variables of a sequence: steps times labels");
}

static const SluiceKernel kernels[] = {
  { .op = "CTCLoss",
    .device = "CPU",
    .where = { { "T", SLUICE_SET (SLUICE_FLOAT) | SLUICE_SET (SLUICE_DOUBLE) } },
    .prepare = loss_prepare,
    .free_state = g_free,
    .compute = loss_compute },
};

const SluiceKernelModule sluice_module_nn_ctc_loss_cpu = { .kernels = kernels,
                                                           .n_kernels = G_N_ELEMENTS (kernels) };

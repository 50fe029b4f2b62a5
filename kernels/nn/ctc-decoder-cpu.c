/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Decoders of CTC. The beam search keeps the likeliest prefixes of labels; each carries the
 * probability of having been said with and without a blank at the end, in logarithms.
 */
#include <string.h>

#include "kernels/nn/ctc.h"
#include "kernels/typed.h"

typedef struct
{
  gboolean merge;
  gint64 blank_index; /* of the greedy decoder; from the end where negative */
  gint64 beam_width, top_paths;
} State;

static gpointer
greedy_prepare (const SluiceNode *node, GError **error)
{
  State *state = g_new (State, 1);
  *state = (State){ .merge = sluice_node_get_bool (node, "merge_repeated"),
                    .blank_index = sluice_node_get_int (node, "blank_index"),
                    .top_paths = 1 };
  return state;
}

static gpointer
beam_prepare (const SluiceNode *node, GError **error)
{
  State *state = g_new (State, 1);
  *state = (State){ .merge = sluice_node_get_bool (node, "merge_repeated"),
                    .beam_width = sluice_node_get_int (node, "beam_width"),
                    .top_paths = sluice_node_get_int (node, "top_paths") };
  return state;
}

/* Scores, and what was decoded: an array of labels for each path of each sequence. */
typedef struct
{
  const SluiceTensor *scores;
  gint64 time, batch, classes, paths;
  const gint32 *length;
  GArray **decoded; /* [batch, paths] of gint64 */
  SluiceTensor *log_probability;
} Decoder;

static void
decoder_clear (Decoder *d)
{
  for (gint64 i = 0; d->decoded && i < d->batch * d->paths; i++)
    g_array_unref (d->decoded[i]);
  g_free (d->decoded);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Decoder, decoder_clear)

static gboolean
decoder_begin (SluiceKernelCall *call, Decoder *d)
{
  const SluiceTensor *lengths = sluice_call_input (call, 1);
  d->scores = sluice_call_input (call, 0);
  if (!sluice_call_want_rank (call, 0, 3) || !sluice_call_want_rank (call, 1, 1))
    return FALSE;
  d->time = d->scores->shape.dim[0];
  d->batch = d->scores->shape.dim[1];
  d->classes = d->scores->shape.dim[2];
  d->paths = ((const State *) call->state)->top_paths;
  d->length = lengths->data;
  if (d->scores->n_elements == 0 || d->classes > G_MAXINT32)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "inputs must not be empty nor of more than 2^31 classes");
  if (lengths->n_elements != d->batch)
    return sluice_call_fail (call, SLUICE_ERROR_FAILED_PRECONDITION,
                             "sequence_length has %" G_GINT64_FORMAT
                             " elements, the batch %" G_GINT64_FORMAT " sequences",
                             lengths->n_elements, d->batch);
  for (gint64 b = 0; b < d->batch; b++)
    if (d->length[b] > d->time)
      return sluice_call_fail (call, SLUICE_ERROR_FAILED_PRECONDITION,
                               "sequence_length[%" G_GINT64_FORMAT
                               "] is %d, but there are %" G_GINT64_FORMAT " steps",
                               b, d->length[b], d->time);
  d->log_probability =
      sluice_call_output (call, 3 * (guint) d->paths, &SLUICE_SHAPE (d->batch, d->paths));
  if (d->log_probability == NULL)
    return FALSE;
  d->decoded = g_new (GArray *, d->batch * d->paths);
  for (gint64 i = 0; i < d->batch * d->paths; i++)
    d->decoded[i] = g_array_new (FALSE, FALSE, sizeof (gint64));
  return TRUE;
}

static void
set_log_probability (Decoder *d, gint64 b, gint64 path, double value)
{
  gint64 at = b * d->paths + path;
  if (d->log_probability->dtype == SLUICE_DOUBLE)
    ((double *) d->log_probability->data)[at] = value;
  else
    ((float *) d->log_probability->data)[at] = (float) value;
}

/* Each path as a sparse matrix with a row a sequence. */
static gboolean
decoder_end (SluiceKernelCall *call, const Decoder *d)
{
  for (gint64 path = 0; path < d->paths; path++)
    {
      gint64 total = 0, longest = 0, at = 0;
      for (gint64 b = 0; b < d->batch; b++)
        {
          gint64 length = d->decoded[b * d->paths + path]->len;
          total += length;
          longest = MAX (longest, length);
        }
      SluiceTensor *indices = sluice_call_output (call, path, &SLUICE_SHAPE (total, 2));
      SluiceTensor *values = sluice_call_output (call, d->paths + path, &SLUICE_SHAPE (total));
      SluiceTensor *shape = sluice_call_output (call, 2 * d->paths + path, &SLUICE_SHAPE (2));
      if (indices == NULL || values == NULL || shape == NULL)
        return FALSE;
      for (gint64 b = 0; b < d->batch; b++)
        {
          const GArray *labels = d->decoded[b * d->paths + path];
          for (gint64 i = 0; i < labels->len; i++, at++)
            {
              ((gint64 *) indices->data)[2 * at] = b;
              ((gint64 *) indices->data)[2 * at + 1] = i;
              ((gint64 *) values->data)[at] = g_array_index (labels, gint64, i);
            }
        }
      ((gint64 *) shape->data)[0] = d->batch;
      ((gint64 *) shape->data)[1] = longest;
    }
  return TRUE;
}

static gboolean
is_cancelled (SluiceKernelCall *call)
{
  return atomic_load (call->cancelled)
         && !sluice_call_fail (call, SLUICE_ERROR_CANCELLED, "the step was cancelled");
}

/* ---- greedy ---- */

static gboolean
greedy_compute (SluiceKernelCall *call)
{
  const State *state = call->state;
  g_auto (Decoder) d = { 0 };
  if (!decoder_begin (call, &d))
    return FALSE;
  gint64 blank = state->blank_index < 0 ? d.classes + state->blank_index : state->blank_index;
  if (blank < 0 || blank >= d.classes)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "blank_index must lie between %" G_GINT64_FORMAT
                             " and %" G_GINT64_FORMAT ", not be %" G_GINT64_FORMAT,
                             -d.classes, d.classes - 1, state->blank_index);
  for (gint64 b = 0; b < d.batch; b++)
    {
      gint64 previous = -1;
      double sum = 0;
      if (is_cancelled (call))
        return FALSE;
      for (gint64 t = 0; t < d.length[b]; t++)
        {
          gint64 at = (t * d.batch + b) * d.classes, best = 0;
          for (gint64 c = 1; c < d.classes; c++)
            if (sluice_ctc_score (d.scores, at + c) > sluice_ctc_score (d.scores, at + best))
              best = c;
          sum -= sluice_ctc_score (d.scores, at + best);
          if (best != blank && !(state->merge && best == previous))
            g_array_append_val (d.decoded[b], best);
          previous = best;
        }
      set_log_probability (&d, b, 0, sum);
    }
  return decoder_end (call, &d);
}

/* ---- beam search ---- */

#define MAX_PREFIXES (1 << 23)

typedef struct
{
  double total, blank, label; /* label: the last label was said last */
} Probability;

static const Probability nothing = { -INFINITY, -INFINITY, -INFINITY };

/* A prefix: a label behind another prefix. Without a parent: the empty one. */
typedef struct _Prefix Prefix;
struct _Prefix
{
  Prefix *parent;
  gint64 label;
  Prefix *children, *sibling; /* (nullable): the first longer by a label, the next like this */
  Probability old, now;
};

typedef struct
{
  gint64 classes, width;
  GPtrArray *all;    /* every prefix made */
  GPtrArray *leaves; /* the best ones, the likeliest first; at most width */
  double *log_y;     /* of the step */
} Beam;

static void
beam_clear (Beam *beam)
{
  g_ptr_array_unref (beam->all);
  g_ptr_array_unref (beam->leaves);
  g_free (beam->log_y);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Beam, beam_clear)

static Prefix *
prefix_new (Beam *beam, Prefix *parent, gint64 label)
{
  Prefix *prefix = g_new (Prefix, 1);
  *prefix = (Prefix){ .parent = parent, .label = label, .old = nothing, .now = nothing };
  if (parent)
    {
      prefix->sibling = parent->children;
      parent->children = prefix;
    }
  g_ptr_array_add (beam->all, prefix);
  return prefix;
}

static Prefix *
find_child (const Prefix *parent, gint64 label)
{
  Prefix *child = parent->children;
  while (child && child->label != label)
    child = child->sibling;
  return child;
}

/* Among the leaves in their order; the last one falls out of a full beam. */
static void
push_leaf (Beam *beam, Prefix *prefix)
{
  guint at = beam->leaves->len;
  while (at > 0 && ((Prefix *) beam->leaves->pdata[at - 1])->now.total < prefix->now.total)
    at--;
  g_ptr_array_insert (beam->leaves, (gint) at, prefix);
  if (beam->leaves->len > beam->width)
    g_ptr_array_set_size (beam->leaves, (gint) beam->width);
}

static gboolean
is_candidate (const Beam *beam, double total)
{
  if (!(total > -INFINITY))
    return FALSE;
  const Prefix *last = beam->leaves->len ? beam->leaves->pdata[beam->leaves->len - 1] : NULL;
  return beam->leaves->len < beam->width || total > last->now.total;
}

/* A prefix that stays as it is: a blank, or its last label once more. */
static void
stay (Beam *beam, Prefix *prefix)
{
  Probability *now = &prefix->now;
  if (prefix->parent)
    {
      const Prefix *parent = prefix->parent;
      if (parent->now.total != -INFINITY)
        now->label = sluice_ctc_log_add (
            now->label, prefix->label == parent->label ? parent->old.blank : parent->old.total);
      now->label += beam->log_y[prefix->label];
    }
  now->blank = prefix->old.total + beam->log_y[beam->classes - 1];
  now->total = sluice_ctc_log_add (now->blank, now->label);
  push_leaf (beam, prefix);
}

/* A prefix and one label more, for each label. */
static void
grow (Beam *beam, Prefix *prefix)
{
  for (gint64 label = 0; label < beam->classes - 1 && is_candidate (beam, prefix->old.total);
       label++)
    {
      Prefix *child = find_child (prefix, label);
      double total =
          beam->log_y[label] + (label == prefix->label ? prefix->old.blank : prefix->old.total);
      if ((child && child->now.total != -INFINITY) /* in the beam already */
          || !is_candidate (beam, total))
        continue;
      if (child == NULL)
        child = prefix_new (beam, prefix, label);
      child->now = (Probability){ .total = total, .blank = -INFINITY, .label = total };
      if (beam->leaves->len == beam->width)
        ((Prefix *) beam->leaves->pdata[beam->leaves->len - 1])->now = nothing;
      push_leaf (beam, child);
    }
}

/* The step's scores as logarithms of probabilities. */
static void
normalize (Beam *beam, const SluiceTensor *scores, gint64 at)
{
  double largest = -INFINITY, sum = 0;
  for (gint64 c = 0; c < beam->classes; c++)
    {
      beam->log_y[c] = sluice_ctc_score (scores, at + c);
      largest = MAX (largest, beam->log_y[c]);
    }
  for (gint64 c = 0; c < beam->classes; c++)
    sum += exp (beam->log_y[c] - largest);
  for (gint64 c = 0; c < beam->classes; c++)
    beam->log_y[c] -= largest + log (sum);
}

/* FALSE: the beam is so wide that there are too many prefixes to keep. */
static gboolean
beam_step (Beam *beam, const SluiceTensor *scores, gint64 at)
{
  g_autoptr (GPtrArray) branches = beam->leaves;
  beam->leaves = g_ptr_array_new ();
  normalize (beam, scores, at);
  for (guint i = 0; i < branches->len; i++)
    {
      Prefix *prefix = branches->pdata[i];
      prefix->old = prefix->now;
    }
  for (guint i = 0; i < branches->len; i++)
    stay (beam, branches->pdata[i]);
  for (guint i = 0; i < branches->len && beam->all->len < MAX_PREFIXES; i++)
    grow (beam, branches->pdata[i]);
  return beam->all->len < MAX_PREFIXES;
}

static void
store_labels (const Prefix *prefix, gboolean merge, GArray *labels)
{
  gint64 previous = -1;
  for (; prefix->parent; prefix = prefix->parent)
    {
      if (!merge || prefix->label != previous)
        g_array_append_val (labels, prefix->label);
      previous = prefix->label;
    }
  for (guint i = 0, j = labels->len; i + 1 < j; i++)
    {
      j--;
      gint64 label = g_array_index (labels, gint64, i);
      g_array_index (labels, gint64, i) = g_array_index (labels, gint64, j);
      g_array_index (labels, gint64, j) = label;
    }
}

static gboolean
search_sequence (SluiceKernelCall *call, Decoder *d, gint64 b)
{
  const State *state = call->state;
  g_auto (Beam) beam = { .classes = d->classes,
                         .width = state->beam_width,
                         .all = g_ptr_array_new_with_free_func (g_free),
                         .leaves = g_ptr_array_new (),
                         .log_y = g_new (double, d->classes) };
  Prefix *empty = prefix_new (&beam, NULL, -1);
  empty->now.total = empty->now.blank = 0;
  push_leaf (&beam, empty);
  for (gint64 t = 0; t < d->length[b]; t++)
    {
      if (is_cancelled (call))
        return FALSE;
      if (!beam_step (&beam, d->scores, (t * d->batch + b) * d->classes))
        return sluice_call_fail (call, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                                 "the beam of sequence %" G_GINT64_FORMAT
                                 " keeps over %d prefixes; make beam_width smaller",
                                 b, MAX_PREFIXES);
    }
  if (beam.leaves->len < d->paths)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "the beam of sequence %" G_GINT64_FORMAT
                             " has %u paths, fewer than the %" G_GINT64_FORMAT " asked for",
                             b, beam.leaves->len, d->paths);
  for (gint64 path = 0; path < d->paths; path++)
    {
      const Prefix *prefix = beam.leaves->pdata[path];
      store_labels (prefix, state->merge, d->decoded[b * d->paths + path]);
      set_log_probability (d, b, path, prefix->now.total);
    }
  return TRUE;
}

static gboolean
beam_compute (SluiceKernelCall *call)
{
  const State *state = call->state;
  g_auto (Decoder) d = { 0 };
  if (state->top_paths > state->beam_width)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "top_paths is more than the width of the beam");
  if (!decoder_begin (call, &d))
    return FALSE;
  for (gint64 b = 0; b < d.batch; b++)
    if (!search_sequence (call, &d, b))
      return FALSE;
  return decoder_end (call, &d);
}

#define KERNEL(name, prepare_function, function)                                                   \
  {                                                                                                \
    .op = name, .device = "CPU",                                                                   \
    .where = { { "T", SLUICE_SET (SLUICE_FLOAT) | SLUICE_SET (SLUICE_DOUBLE) } },                  \
    .prepare = prepare_function, .free_state = g_free, .compute = function                         \
  }

static const SluiceKernel kernels[] = {
  KERNEL ("CTCGreedyDecoder", greedy_prepare, greedy_compute),
  KERNEL ("CTCBeamSearchDecoder", beam_prepare, beam_compute),
};

const SluiceKernelModule sluice_module_nn_ctc_decoder_cpu = { .kernels = kernels,
                                                              .n_kernels = G_N_ELEMENTS (kernels) };

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Candidate samplers: classes out of [0, range) drawn by a law, all different on wish, and how
 * often a draw is expected to hold a class. A law says how it draws and how probable a class is.
 */
#include <float.h>
#include <math.h>

#include "kernels/random/generator.h"
#include "kernels/random/unigram.h"
#include "kernels/io/io.h"

/* ---- laws ---- */

typedef struct _Law Law;

typedef struct
{
  SluiceRandomNode node;
  gint64 n_true, n_sampled, range;
  gboolean unique;
  double log_range;
  SluiceAliasTable *fixed; /* of FixedUnigram, and where its weights come from (nullable) */
  char *vocabulary;
} Sampler;

/* What a law draws from. */
typedef struct
{
  const Sampler *sampler;
  SluiceUnigram *learned; /* of LearnedUnigram, locked */
  SluiceWords words;
} Draw;

struct _Law
{
  gint64 (*draw) (Draw *draw);
  float (*probability) (const Draw *draw, gint64 class);
};

static gint64
draw_uniform (Draw *draw)
{
  return (gint64) sluice_words_below_64 (&draw->words, (guint64) draw->sampler->range);
}

static float
uniform_probability (const Draw *draw, gint64 class)
{
  return (float) (1.0 / (double) draw->sampler->range);
}

static gint64
draw_log_uniform (Draw *draw)
{
  double x = exp (sluice_words_next_double (&draw->words) * draw->sampler->log_range);
  return x < 0x1p63 ? ((gint64) x - 1) % draw->sampler->range : 0;
}

static float
log_uniform_probability (const Draw *draw, gint64 class)
{
  return (float) (log (((double) class + 2.0) / ((double) class + 1.0)) / draw->sampler->log_range);
}

static gint64
draw_learned (Draw *draw)
{
  return sluice_unigram_draw (draw->learned, &draw->words);
}

static float
learned_probability (const Draw *draw, gint64 class)
{
  return sluice_unigram_probability (draw->learned, class);
}

static gint64
draw_fixed (Draw *draw)
{
  return sluice_alias_table_draw (draw->sampler->fixed, &draw->words);
}

static float
fixed_probability (const Draw *draw, gint64 class)
{
  return sluice_alias_table_probability (draw->sampler->fixed, class);
}

static const Law uniform_law = { draw_uniform, uniform_probability };
static const Law log_uniform_law = { draw_log_uniform, log_uniform_probability };
static const Law learned_law = { draw_learned, learned_probability };
static const Law fixed_law = { draw_fixed, fixed_probability };
static const Law all_law = { NULL, NULL }; /* each class once */

/* ---- drawing ---- */

/* How often a class is among n_sampled draws, or among n_tries where these are all different. */
static float
expected_count (float p, gint64 n_sampled, gint64 n_tries)
{
  if (n_tries == n_sampled)
    return p * (float) n_sampled;
  return -expm1f ((float) n_tries * log1pf (-p));
}

/* Returns how many draws it took; -1: cancelled, call->error is set. */
static gint64
draw_classes (SluiceKernelCall *call, const Law *law, Draw *draw, gint64 *classes, gint64 n)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_int64_hash, g_int64_equal);
  gint64 n_tries = 0;
  for (gint64 i = 0; i < n; n_tries++)
    {
      if (n_tries % 1024 == 0 && *call->cancelled)
        {
          sluice_call_fail (call, SLUICE_ERROR_CANCELLED, "the step was cancelled");
          return -1;
        }
      gint64 class = law->draw (draw);
      if (draw->sampler->unique && g_hash_table_contains (seen, &class))
        continue;
      classes[i] = class;
      if (draw->sampler->unique)
        g_hash_table_add (seen, &classes[i]);
      i++;
    }
  return n_tries;
}

/* ---- the call ---- */

static gboolean
check_classes (SluiceKernelCall *call)
{
  const Sampler *sampler = call->state;
  const SluiceTensor *classes = sluice_call_input (call, 0);
  const gint64 *class = classes->data;
  if (!sluice_call_want_rank (call, 0, 2))
    return FALSE;
  if (classes->shape.dim[1] != sampler->n_true)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "true_classes must have num_true = %" G_GINT64_FORMAT
                             " columns, not %" G_GINT64_FORMAT,
                             sampler->n_true, classes->shape.dim[1]);
  gint64 possible = sampler->fixed ? sampler->fixed->n_possible : sampler->range;
  if (sampler->unique && sampler->n_sampled > possible)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "num_sampled is %" G_GINT64_FORMAT
                             ", but there are only %" G_GINT64_FORMAT " different classes to draw",
                             sampler->n_sampled, possible);
  for (gint64 i = 0; i < classes->n_elements; i++)
    if (class[i] < 0 || class[i] >= sampler->range)
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "true_classes holds %" G_GINT64_FORMAT
                               ", which is not in [0, %" G_GINT64_FORMAT ")",
                               class[i], sampler -> range);
  return TRUE;
}

/* Each class once, and each expected once. */
static void
list_all (SluiceTensor *sampled, SluiceTensor *true_counts, SluiceTensor *counts)
{
  for (gint64 i = 0; i < sampled->n_elements; i++)
    {
      ((gint64 *) sampled->data)[i] = i;
      ((float *) counts->data)[i] = 1;
    }
  for (gint64 i = 0; i < true_counts->n_elements; i++)
    ((float *) true_counts->data)[i] = 1;
}

static void
count_expected (const Law *law,
                const Draw *draw,
                const SluiceTensor *classes,
                gint64 n_tries,
                SluiceTensor *counts)
{
  for (gint64 i = 0; i < classes->n_elements; i++)
    {
      float p = law->probability (draw, ((const gint64 *) classes->data)[i]);
      ((float *) counts->data)[i] = expected_count (p, draw->sampler->n_sampled, n_tries);
    }
}

static gboolean
sample (SluiceKernelCall *call, Draw *draw, SluiceTensor *const out[3])
{
  const Law *law = call->kernel->data;
  const SluiceTensor *classes = sluice_call_input (call, 0);
  SluicePhilox philox;
  /* 2048 words a sample, as TensorFlow reserves them. */
  if (!sluice_call_reserve_random (call, (guint64) draw->sampler->n_sampled * (2048 / 4), &philox))
    return FALSE;
  draw->words = sluice_words (&philox);
  gint64 n_tries = draw_classes (call, law, draw, out[0]->data, out[0]->n_elements);
  if (n_tries < 0)
    return FALSE;
  count_expected (law, draw, classes, n_tries, out[1]);
  count_expected (law, draw, out[0], n_tries, out[2]);
  for (gint64 i = 0; draw->learned && i < classes->n_elements; i++)
    sluice_unigram_see (draw->learned, ((const gint64 *) classes->data)[i]);
  return TRUE;
}

static gboolean
sampler_compute (SluiceKernelCall *call)
{
  const Sampler *sampler = call->state;
  const Law *law = call->kernel->data;
  GError *error = NULL;
  if (!check_classes (call))
    return FALSE;
  /* The plan has read it; what comes of it is the session's to allow. */
  if (sampler->vocabulary != NULL
      && !sluice_call_check_path (call, sampler->vocabulary, SLUICE_FILE_READ, &error))
    return sluice_call_take_error (call, error);
  SluiceTensor *out[3];
  for (int i = 0; i < 3; i++)
    {
      out[i] = sluice_call_output (call, i,
                                   i == 1 ? &sluice_call_input (call, 0)->shape
                                          : &SLUICE_SHAPE (sampler->n_sampled));
      if (out[i] == NULL)
        return FALSE;
    }
  Draw draw = { .sampler = sampler };
  if (law == &all_law)
    {
      list_all (out[0], out[1], out[2]);
      return TRUE;
    }
  if (law != &learned_law)
    return sample (call, &draw, out);
  gint32 range = (gint32) sampler->range;
  draw.learned = (SluiceUnigram *) sluice_call_resource (call, &sluice_unigram_type,
                                                         sluice_unigram_make, &range);
  if (draw.learned == NULL)
    return FALSE;
  pthread_mutex_lock (&draw.learned->lock);
  gboolean ok = sample (call, &draw, out);
  pthread_mutex_unlock (&draw.learned->lock);
  sluice_resource_unref (&draw.learned->parent);
  return ok;
}

/* ---- states ---- */

static void
sampler_free (gpointer data)
{
  Sampler *self = data;
  sluice_alias_table_free (self->fixed);
  g_free (self->vocabulary);
  g_free (self);
}

static Sampler *
sampler_new (const SluiceNode *node, const char *range_attr)
{
  Sampler *self = g_new0 (Sampler, 1);
  sluice_random_node_init (&self->node, node);
  self->n_true = sluice_node_get_int (node, "num_true");
  self->n_sampled = sluice_node_get_int (node, "num_sampled");
  self->unique = sluice_node_get_bool (node, "unique");
  self->range = sluice_node_get_int (node, range_attr);
  self->log_range = log1p ((double) self->range);
  return self;
}

static gpointer
sampler_prepare (const SluiceNode *node, GError **error)
{
  return sampler_new (node, "range_max");
}

static gpointer
all_prepare (const SluiceNode *node, GError **error)
{
  return sampler_new (node, "num_sampled");
}

static gpointer
learned_prepare (const SluiceNode *node, GError **error)
{
  gint64 range = sluice_node_get_int (node, "range_max");
  if (range < G_MAXINT32)
    return sampler_new (node, "range_max");
  sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                    "range_max %" G_GINT64_FORMAT " must be below %d", range, G_MAXINT32);
  return NULL;
}

static gpointer
fixed_prepare (const SluiceNode *node, GError **error)
{
  SluiceAliasTable *table = sluice_alias_table_new (node, error);
  if (table == NULL)
    {
      g_prefix_error (error, "%s '%s': ", node->op_name, node->name);
      return NULL;
    }
  Sampler *self = sampler_new (node, "range_max");
  self->fixed = table;
  const SluiceString *file = sluice_node_get_string (node, "vocab_file");
  if (file->length > 0)
    self->vocabulary = g_strndup (file->data, file->length);
  return self;
}

/* ---- ComputeAccidentalHits ---- */

/* Where a true class was sampled: its row, and the last place that sampled it. */
typedef struct
{
  gint32 row;
  gint64 place;
} Hit;

static void
find_hits (const SluiceTensor *classes, const SluiceTensor *sampled, GArray *hits)
{
  const gint64 *class = classes->data;
  gint64 *place = sampled->data, n_true = classes->shape.dim[1];
  g_autoptr (GHashTable) places = g_hash_table_new (g_int64_hash, g_int64_equal);
  for (gint64 i = 0; i < sampled->n_elements; i++)
    g_hash_table_replace (places, &place[i], &place[i]);
  for (gint64 i = 0; i < classes->n_elements; i++)
    {
      const gint64 *found = g_hash_table_lookup (places, &class[i]);
      if (found)
        {
          Hit hit = { (gint32) (i / n_true), found - place };
          g_array_append_val (hits, hit);
        }
    }
}

static gboolean
hits_compute (SluiceKernelCall *call)
{
  const SluiceTensor *classes = sluice_call_input (call, 0);
  const Sampler *sampler = call->state;
  if (!sluice_call_want_rank (call, 0, 2) || !sluice_call_want_rank (call, 1, 1))
    return FALSE;
  if (classes->shape.dim[1] != sampler->n_true)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "true_classes must have num_true = %" G_GINT64_FORMAT
                             " columns, not %" G_GINT64_FORMAT,
                             sampler->n_true, classes->shape.dim[1]);
  g_autoptr (GArray) hits = g_array_new (FALSE, FALSE, sizeof (Hit));
  find_hits (classes, sluice_call_input (call, 1), hits);
  SluiceTensor *out[3];
  for (int i = 0; i < 3; i++)
    if ((out[i] = sluice_call_output (call, i, &SLUICE_SHAPE (hits->len))) == NULL)
      return FALSE;
  for (guint i = 0; i < hits->len; i++)
    {
      const Hit *hit = &g_array_index (hits, Hit, i);
      ((gint32 *) out[0]->data)[i] = hit->row;
      ((gint64 *) out[1]->data)[i] = hit->place;
      ((float *) out[2]->data)[i] = -FLT_MAX;
    }
  return TRUE;
}

static gpointer
hits_prepare (const SluiceNode *node, GError **error)
{
  Sampler *self = g_new0 (Sampler, 1);
  self->n_true = sluice_node_get_int (node, "num_true");
  return self;
}

#define SAMPLER(name, its_prepare, law)                                                            \
  {                                                                                                \
    .op = name, .device = "CPU", .prepare = its_prepare, .free_state = sampler_free,               \
    .compute = sampler_compute, .data = (gpointer) &law                                            \
  }

static const SluiceKernel kernels[] = {
  SAMPLER ("UniformCandidateSampler", sampler_prepare, uniform_law),
  SAMPLER ("LogUniformCandidateSampler", sampler_prepare, log_uniform_law),
  SAMPLER ("LearnedUnigramCandidateSampler", learned_prepare, learned_law),
  SAMPLER ("ThreadUnsafeUnigramCandidateSampler", learned_prepare, learned_law),
  SAMPLER ("FixedUnigramCandidateSampler", fixed_prepare, fixed_law),
  SAMPLER ("AllCandidateSampler", all_prepare, all_law),
  { .op = "ComputeAccidentalHits",
    .device = "CPU",
    .prepare = hits_prepare,
    .free_state = sampler_free,
    .compute = hits_compute },
};

const SluiceKernelModule sluice_module_random_sampler_cpu = { .kernels = kernels,
                                                              .n_kernels = G_N_ELEMENTS (kernels) };

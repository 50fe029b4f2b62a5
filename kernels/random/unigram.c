/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/random/unigram.h"

#include <math.h>

#include "engine/base/read-file.h"

guint32
sluice_words_below (SluiceWords *words, guint32 n)
{
  guint32 rest = G_MAXUINT32 % n + 1, word;
  if ((n & (n - 1)) == 0)
    return sluice_words_next (words) & (n - 1);
  do
    word = sluice_words_next (words);
  while (word < rest);
  return word % n;
}

guint64
sluice_words_below_64 (SluiceWords *words, guint64 n)
{
  guint64 rest = G_MAXUINT64 % n + 1, word;
  if ((n & (n - 1)) == 0)
    return sluice_words_next_64 (words) & (n - 1);
  do
    word = sluice_words_next_64 (words);
  while (word < rest);
  return word % n;
}

/* ---- learned ---- */

static void
unigram_finalize (SluiceResource *resource)
{
  SluiceUnigram *self = (SluiceUnigram *) resource;
  pthread_mutex_destroy (&self->lock);
  g_free (self->sums);
  g_free (self);
}

const SluiceResourceType sluice_unigram_type = { "Unigram", unigram_finalize };

SluiceResource *
sluice_unigram_make (gpointer data, GError **error)
{
  gint32 range = *(const gint32 *) data;
  gint32 *sums = g_try_new (gint32, (gsize) range + 1);
  if (sums == NULL)
    {
      sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                   "no memory for the weights of %d classes", range);
      return NULL;
    }
  for (gint64 i = 0; i <= range; i++)
    sums[i] = (gint32) (i & -i); /* as many ones as the node spans */
  SluiceUnigram *self = g_new0 (SluiceUnigram, 1);
  atomic_init (&self->parent.ref_count, 1);
  self->parent.type = &sluice_unigram_type;
  pthread_mutex_init (&self->lock, NULL);
  self->range = self->total = range;
  self->sums = sums;
  return &self->parent;
}

/* The class in whose weight the drawn place falls. */
gint64
sluice_unigram_draw (const SluiceUnigram *self, SluiceWords *words)
{
  gint32 place = (gint32) sluice_words_below (words, (guint32) self->total);
  gint64 class = 0, step = 1;
  while (2 * step <= self->range)
    step *= 2;
  for (; step > 0; step /= 2)
    if (class + step <= self->range && self->sums[class + step] <= place)
      {
        class += step;
        place -= self->sums[class];
      }
  return class;
}

static gint32
weight_of (const SluiceUnigram *self, gint64 class)
{
  gint64 node = class + 1, end = node - (node & -node);
  gint32 weight = self->sums[node];
  for (node--; node > end; node -= node & -node)
    weight -= self->sums[node];
  return weight;
}

float
sluice_unigram_probability (const SluiceUnigram *self, gint64 class)
{
  return (float) weight_of (self, class) / (float) self->total;
}

void
sluice_unigram_see (SluiceUnigram *self, gint64 class)
{
  if (self->total == G_MAXINT32)
    return;
  self->total++;
  for (gint64 node = class + 1; node <= self->range; node += node & -node)
    self->sums[node]++;
}

/* ---- given ---- */

void
sluice_alias_table_free (SluiceAliasTable *self)
{
  if (self == NULL)
    return;
  g_free (self->weights);
  g_free (self->probabilities);
  g_free (self->aliases);
  g_free (self);
}

/* The weights while they are read: class numbers are dealt out to shards in turn. */
typedef struct
{
  GArray *weights;   /* float */
  gint64 n_reserved; /* classes of this shard before them, which have no weight */
  gint64 n_seen, n_shards, shard;
  float distortion, total;
} Weights;

static void
add_weight (Weights *self, float weight)
{
  if (self->n_seen++ % self->n_shards != self->shard)
    return;
  float distorted = powf (weight, self->distortion);
  self->total += distorted;
  g_array_append_val (self->weights, distorted);
}

/* The weight is the last of the fields that commas part. */
static gboolean
read_vocabulary (Weights *weights, const char *path, GError **error)
{
  g_autoptr (GBytes) bytes =
      sluice_read_file ("vocabulary", path, SLUICE_READ_PLAIN, G_MAXUINT32, error);
  if (bytes == NULL)
    return FALSE;
  gsize length;
  const char *begin = g_bytes_get_data (bytes, &length);
  g_autofree char *text = g_strndup (begin, length);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (char **line = lines; *line; line++)
    {
      if (**line == '\0')
        continue;
      const char *comma = strrchr (*line, ',');
      g_autofree char *field = g_strstrip (g_strdup (comma ? comma + 1 : *line));
      char *end = NULL;
      float weight = (float) g_ascii_strtod (field, &end);
      if (end == field || *end != '\0')
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "'%s': line %d, \"%s\", does not end with a weight", path,
                            (int) (line - lines) + 1, *line);
      add_weight (weights, weight);
    }
  return TRUE;
}

static gboolean
read_weights (const SluiceNode *node, Weights *weights, GError **error)
{
  const SluiceString *file = sluice_node_get_string (node, "vocab_file");
  const SluiceAttrValue *unigrams = sluice_node_get_attr (node, "unigrams");
  gint64 reserved = sluice_node_get_int (node, "num_reserved_ids");
  gint64 range = sluice_node_get_int (node, "range_max");
  if ((file->length > 0) == (unigrams->list.n > 0))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "give one of vocab_file and unigrams: %s",
                        file->length > 0 ? "there are both" : "there is neither");
  if (reserved > range || range > G_MAXINT32)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "range_max %" G_GINT64_FORMAT
                        " must hold num_reserved_ids %" G_GINT64_FORMAT " and fit into 31 bits",
                        range, reserved);
  if (reserved > weights->shard)
    weights->n_reserved = (reserved - weights->shard - 1) / weights->n_shards + 1;
  weights->n_seen = weights->n_reserved;
  if (file->length > 0)
    {
      g_autofree char *path = g_strndup (file->data, file->length);
      if (!read_vocabulary (weights, path, error))
        return FALSE;
    }
  for (guint i = 0; i < unigrams->list.n; i++)
    add_weight (weights, unigrams->list.items[i].f);
  gint64 n = weights->n_reserved + weights->weights->len;
  if (n != range)
    return sluice_fail (
        error, SLUICE_ERROR_INVALID_ARGUMENT,
        "range_max is %" G_GINT64_FORMAT ", but there are %" G_GINT64_FORMAT " weights", range, n);
  return TRUE;
}

/* Pairs each place that has less than its share with one that has more. FALSE: no memory. */
static gboolean
pair_places (SluiceAliasTable *self)
{
  guint32 n = self->n, n_low = 0, n_high = 0;
  g_autofree double *shares = g_try_new (double, n);
  g_autofree gint32 *low = g_try_new (gint32, n), *high = g_try_new (gint32, n);
  double sum = 0;
  if (shares == NULL || low == NULL || high == NULL)
    return FALSE;
  for (guint32 i = 0; i < n; i++)
    sum += self->weights[i];
  for (guint32 i = 0; i < n; i++)
    {
      shares[i] = self->weights[i] * (float) n / sum;
      if (shares[i] < 1)
        low[n_low++] = (gint32) i;
      else
        high[n_high++] = (gint32) i;
    }
  while (n_high > 0 && n_low > 0)
    {
      gint32 l = low[--n_low], h = high[--n_high];
      self->aliases[l] = h;
      shares[h] -= 1 - shares[l];
      if (shares[h] < 1)
        low[n_low++] = h;
      else
        high[n_high++] = h;
    }
  for (guint32 i = 0; i < n; i++)
    self->probabilities[i] = (float) shares[i];
  /* What is left over has a share of 1 but for rounding. */
  while (n_high > 0 || n_low > 0)
    {
      gint32 i = n_high > 0 ? high[--n_high] : low[--n_low];
      self->probabilities[i] = 1;
      self->aliases[i] = i;
    }
  return TRUE;
}

SluiceAliasTable *
sluice_alias_table_new (const SluiceNode *node, GError **error)
{
  g_autoptr (GArray) array = g_array_new (FALSE, FALSE, sizeof (float));
  Weights weights = { .weights = array,
                      .n_shards = sluice_node_get_int (node, "num_shards"),
                      .shard = sluice_node_get_int (node, "shard"),
                      .distortion = sluice_node_get_float (node, "distortion") };
  if (!read_weights (node, &weights, error))
    return NULL;
  g_autoptr (SluiceAliasTable) self = g_new0 (SluiceAliasTable, 1);
  self->n = (guint32) weights.n_reserved + array->len;
  self->total = weights.total;
  self->weights = g_try_new0 (float, self->n);
  self->probabilities = g_try_new0 (float, self->n);
  self->aliases = g_try_new0 (gint32, self->n);
  gboolean ok = self->weights != NULL && self->probabilities != NULL && self->aliases != NULL;
  if (ok && array->len > 0)
    memcpy (self->weights + weights.n_reserved, array->data, array->len * sizeof (float));
  for (guint32 i = 0; ok && i < self->n; i++)
    self->n_possible += self->weights[i] > 0;
  if (ok && pair_places (self))
    return g_steal_pointer (&self);
  sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
               "there is no memory for a table of %u classes", self->n);
  return NULL;
}

gint64
sluice_alias_table_draw (const SluiceAliasTable *self, SluiceWords *words)
{
  float x = sluice_words_next_float (words);
  guint32 place = sluice_words_below (words, self->n);
  return x < self->probabilities[place] ? (gint64) place : self->aliases[place];
}

float
sluice_alias_table_probability (const SluiceAliasTable *self, gint64 class)
{
  return self->weights[class] / self->total;
}

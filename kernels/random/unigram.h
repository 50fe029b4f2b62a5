/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/resource.h"
#include "engine/graph/graph.h"
#include "kernels/random/philox.h"

/* Laws of candidate samplers that are tables: learned while a session lives, or given. */

/* A uniform integer below n without bias, as TensorFlow draws it: the lowest words are rejected. */
guint32 sluice_words_below (SluiceWords *words, guint32 n);
guint64 sluice_words_below_64 (SluiceWords *words, guint64 n);

/* ---- learned: every class begins with a weight of 1, and gains 1 when it is seen ---- */

typedef struct
{
  SluiceResource parent;
  pthread_mutex_t lock; /* of all below; who draws holds it */
  gint32 range, total;
  gint32 *sums; /* a Fenwick tree of the weights, from element 1 */
} SluiceUnigram;

extern const SluiceResourceType sluice_unigram_type;

/* SluiceResourceMake; data: a gint32, the range. RESOURCE_EXHAUSTED where there is no memory. */
SluiceResource *sluice_unigram_make (gpointer data, GError **error);
gint64 sluice_unigram_draw (const SluiceUnigram *self, SluiceWords *words);
float sluice_unigram_probability (const SluiceUnigram *self, gint64 class);
void sluice_unigram_see (SluiceUnigram *self, gint64 class);

/* ---- given: Walker's alias method ---- */

typedef struct
{
  guint32 n;
  guint32 n_possible; /* classes of a weight above 0 */
  float total;
  float *weights;
  float *probabilities; /* of staying in a place that was drawn */
  gint32 *aliases;      /* where one goes otherwise */
} SluiceAliasTable;

/**
 * sluice_alias_table_new:
 *
 * Reads the attributes of a FixedUnigramCandidateSampler, and its vocabulary file if it has one.
 * (nullable): INVALID_ARGUMENT, NOT_FOUND
 */
SluiceAliasTable *sluice_alias_table_new (const SluiceNode *node, GError **error);
void sluice_alias_table_free (SluiceAliasTable *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceAliasTable, sluice_alias_table_free)
gint64 sluice_alias_table_draw (const SluiceAliasTable *self, SluiceWords *words);
float sluice_alias_table_probability (const SluiceAliasTable *self, gint64 class);

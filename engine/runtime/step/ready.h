/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/*
 * The set of nodes that are ready: a bit a node, a summary bit a word of them. Taking the smallest
 * is two bit scans; 4096 nodes share a summary word, of which the lowest that may hold something is
 * remembered. Belongs to one thread at a time.
 */
typedef struct
{
  guint64 *words, *summary;
  guint32 n_words, n_summary;
  guint32 first; /* no summary word below it holds anything */
} SluiceReady;

static inline void
sluice_ready_init (SluiceReady *self, guint32 n)
{
  self->n_words = n / 64 + 1;
  self->n_summary = self->n_words / 64 + 1;
  self->words = g_new0 (guint64, self->n_words);
  self->summary = g_new0 (guint64, self->n_summary);
  self->first = self->n_summary;
}

static inline void
sluice_ready_free (SluiceReady *self)
{
  g_free (self->words);
  g_free (self->summary);
}

static inline void
sluice_ready_clear (SluiceReady *self)
{
  memset (self->words, 0, self->n_words * sizeof (guint64));
  memset (self->summary, 0, self->n_summary * sizeof (guint64));
  self->first = self->n_summary;
}

static inline void
sluice_ready_add (SluiceReady *self, guint32 i)
{
  guint32 word = i >> 6, block = i >> 12;
  self->words[word] |= (guint64) 1 << (i & 63);
  self->summary[block] |= (guint64) 1 << (word & 63);
  if (block < self->first)
    self->first = block;
}

/* The same where condition is 1, nothing where it is 0, in the same time. */
static inline void
sluice_ready_add_if (SluiceReady *self, guint32 i, guint64 condition)
{
  guint32 word = i >> 6, block = i >> 12;
  self->words[word] |= condition << (i & 63);
  self->summary[block] |= condition << (word & 63);
  guint32 first = condition ? block : G_MAXUINT32;
  self->first = MIN (self->first, first);
}

static inline gboolean
sluice_ready_is_empty (SluiceReady *self)
{
  while (self->first < self->n_summary && self->summary[self->first] == 0)
    self->first++;
  return self->first == self->n_summary;
}

static inline gboolean
sluice_ready_has (const SluiceReady *self, guint32 i)
{
  return (self->words[i >> 6] >> (i & 63)) & 1;
}

/* Takes the smallest; FALSE where there is none. */
static inline gboolean
sluice_ready_take (SluiceReady *self, guint32 *i)
{
  if (sluice_ready_is_empty (self))
    return FALSE;
  guint32 block = self->first;
  guint32 word = block << 6 | (guint32) __builtin_ctzll (self->summary[block]);
  guint64 bits = self->words[word];
  *i = word << 6 | (guint32) __builtin_ctzll (bits);
  bits &= bits - 1;
  self->words[word] = bits;
  if (bits == 0)
    self->summary[block] &= ~((guint64) 1 << (word & 63));
  return TRUE;
}

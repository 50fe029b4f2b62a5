/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/texts.h"

struct _SluiceTexts
{
  gatomicrefcount ref_count;
  GMutex lock;
  GStringChunk *chunk;
};

SluiceTexts *
sluice_texts_new (void)
{
  SluiceTexts *self = g_new0 (SluiceTexts, 1);
  g_atomic_ref_count_init (&self->ref_count);
  g_mutex_init (&self->lock);
  self->chunk = g_string_chunk_new (16384);
  return self;
}

SluiceTexts *
sluice_texts_ref (SluiceTexts *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
sluice_texts_unref (SluiceTexts *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  g_string_chunk_free (self->chunk);
  g_mutex_clear (&self->lock);
  g_free (self);
}

const char *
sluice_texts_keep (SluiceTexts *self, const char *text)
{
  g_mutex_lock (&self->lock);
  const char *kept = g_string_chunk_insert_const (self->chunk, text);
  g_mutex_unlock (&self->lock);
  return kept;
}

const char *
sluice_texts_keep_part (SluiceTexts *self, const char *text, gsize length)
{
  g_autofree char *part = g_strndup (text, length);
  return sluice_texts_keep (self, part);
}

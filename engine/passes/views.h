/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/passes/work.h"

/* Who reads a variable's memory on another device than that where it lies, and when. */
typedef struct
{
  guint n; /* nodes that there were */
  guint8
      *holds;   /* by work index: may a value of its be memory of a variable that is a reference? */
  guint8 *late; /* by work index: may it read such memory behind a write of it, or beside it? */
} SluiceViews;

/**
 * sluice_views_gather:
 * @work: before partitioning
 *
 * On one device whoever reads a variable, or what shares its memory (an Identity, a Reshape, a way
 * through a Switch), sees what is there when it runs. For that to be so wherever nodes stand, what
 * shares the memory is put where that lies, as far as somebody reads it from elsewhere late; a
 * value that is read early may be copied at any time.
 *
 * Returns: %FALSE where the graph cannot run
 */
gboolean sluice_views_gather (SluiceViews *self, SluiceWork *work, GError **error);
void sluice_views_clear (SluiceViews *self);

/* Must the value be copied for this reader alone, when it is ready to read it? */
static inline gboolean
sluice_views_is_late (const SluiceViews *self,
                      const SluiceWorkNode *source,
                      const SluiceWorkNode *reader)
{
  return source->index < self->n && reader->index < self->n && self->holds[source->index]
         && self->late[reader->index];
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/passes/kept.h"

#include <stdatomic.h>
#include <string.h>

SluiceKeptNodes *
sluice_kept_new (GStrv take_names, gboolean all)
{
  SluiceKeptNodes *self = g_new0 (SluiceKeptNodes, 1);
  self->ref_count = 1;
  self->names = take_names != NULL ? take_names : g_new0 (char *, 1);
  self->all = all;
  return self;
}

SluiceKeptNodes *
sluice_kept_ref (SluiceKeptNodes *self)
{
  atomic_fetch_add (&self->ref_count, 1);
  return self;
}

void
sluice_kept_unref (SluiceKeptNodes *self)
{
  if (atomic_fetch_sub (&self->ref_count, 1) != 1)
    return;
  g_strfreev (self->names);
  g_free (self);
}

gboolean
sluice_kept_has (const SluiceKeptNodes *self, const char *name)
{
  for (guint i = 0; self != NULL && self->names[i] != NULL; i++)
    {
      gsize length = strlen (self->names[i]);
      if (length > 0 && self->names[i][length - 1] == '/'
              ? strncmp (self->names[i], name, length) == 0
              : strcmp (self->names[i], name) == 0)
        return TRUE;
    }
  return self != NULL && self->all;
}

gboolean
sluice_kept_equal (const SluiceKeptNodes *a, const SluiceKeptNodes *b)
{
  if (a == NULL || b == NULL || a == b)
    return a == b;
  return a->all == b->all
         && g_strv_equal ((const char *const *) a->names, (const char *const *) b->names);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/reference.h"

#include "engine/base/read-file.h"
#include "engine/store/checkpoint-file.h"
#include "engine/train/data.h"
#include "engine/train/tfdbg.h"

struct _SluiceReference
{
  char *path;
  SluiceCheckpointFile *checkpoint; /* one of these three */
  GBytes *archive;
  SluiceTfdbg *dump;
  GPtrArray *names;
};

static const guint8 *
archive_bytes (const SluiceReference *self, gsize *length)
{
  return g_bytes_get_data (self->archive, length);
}

static gboolean
open_checkpoint (SluiceReference *self, GError **error)
{
  self->checkpoint = sluice_checkpoint_file_open (self->path, error);
  if (self->checkpoint == NULL)
    return FALSE;
  const GArray *tensors = sluice_checkpoint_file_list (self->checkpoint);
  self->names = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < tensors->len; i++)
    g_ptr_array_add (self->names, g_strdup (g_array_index (tensors, SluiceBundleTensor, i).name));
  return TRUE;
}

static gboolean
open_archive (SluiceReference *self, GError **error)
{
  gsize length;
  self->archive =
      sluice_read_file ("archive", self->path, SLUICE_READ_MAPPED, G_MAXINT64 / 2, error);
  if (self->archive == NULL)
    return FALSE;
  const guint8 *bytes = archive_bytes (self, &length);
  self->names = sluice_npz_list (bytes, length, self->path, error);
  return self->names != NULL;
}

static gboolean
open_dump (SluiceReference *self, GError **error)
{
  self->dump = sluice_tfdbg_open (self->path, error);
  if (self->dump == NULL)
    return FALSE;
  self->names = sluice_tfdbg_dup_names (self->dump);
  return TRUE;
}

SluiceReference *
sluice_reference_open (const char *path, GError **error)
{
  g_autoptr (SluiceReference) self = g_new0 (SluiceReference, 1);
  self->path = g_strdup (path);
  gboolean ok = sluice_tfdbg_is (path)            ? open_dump (self, error)
                : g_str_has_suffix (path, ".npz") ? open_archive (self, error)
                                                  : open_checkpoint (self, error);
  return ok ? g_steal_pointer (&self) : NULL;
}

void
sluice_reference_free (SluiceReference *self)
{
  g_free (self->path);
  g_clear_pointer (&self->checkpoint, sluice_checkpoint_file_free);
  g_clear_pointer (&self->archive, g_bytes_unref);
  g_clear_pointer (&self->dump, sluice_tfdbg_free);
  g_clear_pointer (&self->names, g_ptr_array_unref);
  g_free (self);
}

GPtrArray *
sluice_reference_list (SluiceReference *self)
{
  return self->names;
}

SluiceTensor *
sluice_reference_read (SluiceReference *self, const char *name, GError **error)
{
  if (self->checkpoint != NULL)
    return sluice_checkpoint_file_read (self->checkpoint, name, error);
  if (self->dump != NULL)
    return sluice_tfdbg_read (self->dump, name, error);
  gsize length, n;
  const guint8 *bytes = archive_bytes (self, &length);
  g_autoptr (GBytes) member = sluice_npz_read (bytes, length, name, self->path, error);
  if (member == NULL)
    return NULL;
  const guint8 *data = g_bytes_get_data (member, &n);
  g_autofree char *where = g_strdup_printf ("%s:%s", self->path, name);
  return sluice_npy_parse (data, n, where, error);
}

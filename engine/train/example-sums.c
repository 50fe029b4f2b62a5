/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/example-sums.h"

#include <glib/gstdio.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/store/crc32c.h"
#include "engine/store/file.h"

#define FOLDER "examples"

void
sluice_example_sums_free (SluiceExampleSums *self)
{
  g_free (self->sums);
  g_free (self);
}

static SluiceExampleSums *
sums_alloc (gint64 n)
{
  SluiceExampleSums *self = g_new0 (SluiceExampleSums, 1);
  self->n = n;
  self->sums = g_new0 (guint32, (gsize) n + 1);
  return self;
}

SluiceExampleSums *
sluice_example_sums_new (const SluiceTensor *values)
{
  gint64 n = values->shape.rank > 0 ? values->shape.dim[0] : 0;
  if (n < 1 || n > SLUICE_EXAMPLE_SUMS_MOST)
    return NULL;
  SluiceExampleSums *self = sums_alloc (n);
  gsize row = sluice_tensor_bytes (values) / (gsize) n;
  for (gint64 i = 0; i < n; i++)
    self->sums[i] = sluice_crc32c (0, (const char *) values->data + (gsize) i * row, row);
  return self;
}

static char *
dup_path (const char *workspace, const char *hash)
{
  return g_build_filename (workspace, FOLDER, hash, NULL);
}

/* A link could lead to any folder of the user's. */
static gboolean
make_folder (const char *workspace, GError **error)
{
  g_autofree char *folder = g_build_filename (workspace, FOLDER, NULL);
  if (g_file_test (folder, G_FILE_TEST_IS_SYMLINK))
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        "'%s' is a link, which is not followed; put the folder itself there",
                        folder);
  return g_mkdir_with_parents (folder, 0777) == 0
         || sluice_fail (error, SLUICE_ERROR_PERMISSION_DENIED, "'%s' cannot be made", folder);
}

gboolean
sluice_example_sums_write (const SluiceExampleSums *self,
                           const char *workspace,
                           char **hash,
                           GError **error)
{
  gsize bytes = (gsize) self->n * sizeof (guint32);
  g_autofree guint32 *stored = g_new (guint32, (gsize) self->n);
  for (gint64 i = 0; i < self->n; i++)
    stored[i] = GUINT32_TO_LE (self->sums[i]);
  g_autofree char *own = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (guchar *) stored, bytes);
  g_autofree char *path = dup_path (workspace, own);
  GStatBuf info;
  gboolean is_there = g_stat (path, &info) == 0 && (gsize) info.st_size == bytes;
  if (!is_there
      && (!make_folder (workspace, error)
          || !sluice_file_put ("example sums", path, stored, bytes, error)))
    return FALSE;
  *hash = g_steal_pointer (&own);
  return TRUE;
}

SluiceExampleSums *
sluice_example_sums_read (const char *workspace, const char *hash)
{
  g_autofree char *path = dup_path (workspace, hash);
  g_autoptr (GMappedFile) file = sluice_file_map ("example sums", path, NULL);
  if (file == NULL)
    return NULL;
  gsize bytes = g_mapped_file_get_length (file);
  const guchar *data = (const guchar *) g_mapped_file_get_contents (file);
  if (bytes == 0 || bytes % sizeof (guint32) != 0
      || bytes / sizeof (guint32) > (gsize) SLUICE_EXAMPLE_SUMS_MOST)
    return NULL;
  g_autofree char *own = g_compute_checksum_for_data (G_CHECKSUM_SHA256, data, bytes);
  if (strcmp (own, hash) != 0)
    return NULL;
  SluiceExampleSums *self = sums_alloc ((gint64) (bytes / sizeof (guint32)));
  memcpy (self->sums, data, bytes);
  for (gint64 i = 0; i < self->n; i++)
    self->sums[i] = GUINT32_FROM_LE (self->sums[i]);
  return self;
}

GArray *
sluice_example_sums_compare (const SluiceExampleSums *before, const SluiceExampleSums *now)
{
  GArray *changed = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (gint64 i = 0; i < MIN (before->n, now->n); i++)
    if (before->sums[i] != now->sums[i])
      g_array_append_val (changed, i);
  return changed;
}

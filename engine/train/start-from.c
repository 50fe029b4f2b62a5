/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/start-from.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/store/checkpoint-file.h"

const char *
sluice_start_fit_name (SluiceStartFit fit)
{
  static const char *const names[] = { N_ ("fits"), N_ ("missing"), N_ ("other shape"),
                                       N_ ("other dtype"), N_ ("unused") };
  return names[fit];
}

static void
row_free (gpointer data)
{
  SluiceStartRow *row = data;
  g_free (row->name);
  g_free (row->suggestion);
  g_free (row);
}

void
sluice_start_table_free (SluiceStartTable *self)
{
  g_ptr_array_unref (self->rows);
  g_ptr_array_unref (self->unused);
  g_free (self);
}

/* How many of the last parts of both names, between slashes, are the same. */
static guint
count_common_parts (const char *a, const char *b)
{
  g_auto (GStrv) x = g_strsplit (a, "/", -1), y = g_strsplit (b, "/", -1);
  guint n = g_strv_length (x), m = g_strv_length (y), common = 0;
  while (common < n && common < m && strcmp (x[n - 1 - common], y[m - 1 - common]) == 0)
    common++;
  return common;
}

/* What a variable without a tensor most likely is there: of its shape, by the end of its name; else
 * by its spelling. (nullable) */
static const char *
suggest (SluiceCheckpointFile *file, const SluiceStartRow *row)
{
  GArray *list = sluice_checkpoint_file_list (file);
  const char *best = NULL;
  guint most = 0;
  gboolean is_unique = FALSE;
  for (guint i = 0; i < list->len; i++)
    {
      const SluiceBundleTensor *tensor = &g_array_index (list, SluiceBundleTensor, i);
      guint common = count_common_parts (row->name, tensor->name);
      if (tensor->dtype != row->dtype || !sluice_shape_equal (&tensor->shape, &row->shape)
          || common < MAX (most, 1))
        continue;
      is_unique = common > most;
      most = common;
      best = tensor->name;
    }
  return is_unique ? best : sluice_checkpoint_file_suggest (file, row->name);
}

static SluiceStartRow *
row_new (const char *name, SluiceDType dtype, const SluiceShape *shape)
{
  SluiceStartRow *row = g_new0 (SluiceStartRow, 1);
  row->name = g_strdup (name);
  row->dtype = dtype;
  row->shape = *shape;
  row->there_shape = SLUICE_SHAPE_UNKNOWN;
  return row;
}

static void
compare (SluiceStartTable *self, SluiceStartRow *row, SluiceCheckpointFile *file)
{
  const SluiceBundleTensor *there = sluice_checkpoint_file_find (file, row->name);
  if (there == NULL)
    {
      row->fit = SLUICE_START_MISSING;
      row->suggestion = g_strdup (suggest (file, row));
      return;
    }
  row->there_dtype = there->dtype;
  row->there_shape = there->shape;
  row->fit = there->dtype != row->dtype                         ? SLUICE_START_OTHER_DTYPE
             : !sluice_shape_equal (&there->shape, &row->shape) ? SLUICE_START_OTHER_SHAPE
                                                                : SLUICE_START_FITS;
  self->n_fit += row->fit == SLUICE_START_FITS;
}

static void
list_unused (SluiceStartTable *self, SluiceCheckpointFile *file)
{
  g_autoptr (GHashTable) used = g_hash_table_new (g_str_hash, g_str_equal);
  GArray *list = sluice_checkpoint_file_list (file);
  for (guint i = 0; i < self->rows->len; i++)
    g_hash_table_add (used, ((SluiceStartRow *) self->rows->pdata[i])->name);
  for (guint i = 0; i < list->len; i++)
    {
      const SluiceBundleTensor *tensor = &g_array_index (list, SluiceBundleTensor, i);
      if (g_hash_table_contains (used, tensor->name))
        continue;
      SluiceStartRow *row = row_new (tensor->name, tensor->dtype, &tensor->shape);
      row->fit = SLUICE_START_UNUSED;
      row->there_dtype = tensor->dtype;
      row->there_shape = tensor->shape;
      g_ptr_array_add (self->unused, row);
    }
}

SluiceStartTable *
sluice_start_table_new (SluiceReplica *replica, const char *path, GError **error)
{
  g_autoptr (SluiceCheckpointFile) file = sluice_checkpoint_file_open (path, error);
  if (file == NULL)
    return NULL;
  g_autoptr (GArray) variables = sluice_replica_dup_variables (replica, error);
  if (variables == NULL)
    return NULL;
  SluiceStartTable *self = g_new0 (SluiceStartTable, 1);
  self->rows = g_ptr_array_new_with_free_func (row_free);
  self->unused = g_ptr_array_new_with_free_func (row_free);
  for (guint i = 0; i < variables->len; i++)
    {
      const SluiceNamedTensor *named = &g_array_index (variables, SluiceNamedTensor, i);
      SluiceStartRow *row = row_new (named->name, named->tensor->dtype, &named->tensor->shape);
      g_ptr_array_add (self->rows, row);
      compare (self, row, file);
    }
  list_unused (self, file);
  return self;
}

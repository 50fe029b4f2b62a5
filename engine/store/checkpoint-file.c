/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/checkpoint-file.h"

#include <string.h>

#include "engine/base/error.h"
#include "engine/base/suggest.h"

#define SUFFIX ".safetensors"

struct _SluiceCheckpointFile
{
  GArray *list;               /* of SluiceBundleTensor */
  SluiceTensorBundle *bundle; /* NULL: it is safetensors */
  GArray *tensors;            /* of SluiceNamedTensor, in the order of the list */
  char *state;                /* (nullable) */
};

gboolean
sluice_checkpoint_file_exists (const char *path)
{
  return g_str_has_suffix (path, SUFFIX) || sluice_tensor_bundle_exists (path);
}

static void
clear_info (gpointer data)
{
  g_free (((SluiceBundleTensor *) data)->name);
}

static gint
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (((const SluiceNamedTensor *) a)->name, ((const SluiceNamedTensor *) b)->name);
}

static gboolean
open_safetensors (SluiceCheckpointFile *self, const char *path, GError **error)
{
  self->tensors = sluice_safetensors_read (path, &self->state, error);
  if (self->tensors == NULL)
    return FALSE;
  g_array_sort (self->tensors, by_name);
  self->list = g_array_new (FALSE, FALSE, sizeof (SluiceBundleTensor));
  g_array_set_clear_func (self->list, clear_info);
  for (guint i = 0; i < self->tensors->len; i++)
    {
      const SluiceNamedTensor *named = &g_array_index (self->tensors, SluiceNamedTensor, i);
      SluiceBundleTensor info = { g_strdup (named->name), named->tensor->dtype,
                                  named->tensor->shape, 0 };
      g_array_append_val (self->list, info);
    }
  return TRUE;
}

SluiceCheckpointFile *
sluice_checkpoint_file_open (const char *path, GError **error)
{
  g_autoptr (SluiceCheckpointFile) self = g_new0 (SluiceCheckpointFile, 1);
  if (g_str_has_suffix (path, SUFFIX))
    return open_safetensors (self, path, error) ? g_steal_pointer (&self) : NULL;
  self->bundle = sluice_tensor_bundle_open (path, error);
  self->list = self->bundle != NULL ? sluice_tensor_bundle_list (self->bundle, error) : NULL;
  return self->list != NULL ? g_steal_pointer (&self) : NULL;
}

void
sluice_checkpoint_file_free (SluiceCheckpointFile *self)
{
  g_clear_pointer (&self->list, g_array_unref);
  g_clear_pointer (&self->bundle, sluice_tensor_bundle_free);
  g_clear_pointer (&self->tensors, g_array_unref);
  g_free (self->state);
  g_free (self);
}

char *
sluice_checkpoint_file_dup_format (SluiceCheckpointFile *self)
{
  return self->bundle != NULL ? sluice_tensor_bundle_dup_format (self->bundle)
                              : g_strdup ("safetensors");
}

GArray *
sluice_checkpoint_file_list (SluiceCheckpointFile *self)
{
  return self->list;
}

const SluiceBundleTensor *
sluice_checkpoint_file_find (SluiceCheckpointFile *self, const char *name)
{
  SluiceNamedTensor key = { (char *) name, NULL };
  guint i;
  /* Both structs begin with the name. */
  return g_array_binary_search (self->list, &key, by_name, &i)
             ? &g_array_index (self->list, SluiceBundleTensor, i)
             : NULL;
}

const char *
sluice_checkpoint_file_suggest (SluiceCheckpointFile *self, const char *name)
{
  g_autofree const char **names = g_new (const char *, self->list->len + 1);
  for (guint i = 0; i < self->list->len; i++)
    names[i] = g_array_index (self->list, SluiceBundleTensor, i).name;
  return sluice_suggest_name (name, names, self->list->len);
}

SluiceTensor *
sluice_checkpoint_file_read (SluiceCheckpointFile *self, const char *name, GError **error)
{
  if (self->bundle != NULL)
    return sluice_tensor_bundle_read (self->bundle, name, NULL, error);
  SluiceNamedTensor key = { (char *) name, NULL };
  guint i;
  if (g_array_binary_search (self->tensors, &key, by_name, &i))
    return sluice_tensor_ref (g_array_index (self->tensors, SluiceNamedTensor, i).tensor);
  sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "the checkpoint has no '%s'", name);
  return NULL;
}

/* ---- conversion ---- */

/* What the other format cannot hold: listed, or an error that lists it. */
static gboolean
check_dtypes (SluiceCheckpointFile *from,
              gboolean to_safetensors,
              GPtrArray *left_out,
              GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < from->list->len; i++)
    {
      const SluiceBundleTensor *info = &g_array_index (from->list, SluiceBundleTensor, i);
      if (to_safetensors ? sluice_safetensors_has_dtype (info->dtype)
                         : info->dtype != SLUICE_INVALID)
        continue;
      if (left_out != NULL)
        g_ptr_array_add (left_out, g_strdup (info->name));
      else
        g_string_append_printf (text, "%s'%s' (%s)", text->len > 0 ? ", " : "", info->name,
                                info->dtype != SLUICE_INVALID ? sluice_dtype_name (info->dtype)
                                                              : "a dtype not known here");
    }
  return text->len == 0
         || sluice_fail (error, SLUICE_ERROR_UNIMPLEMENTED,
                         "the new checkpoint cannot hold %s; leave them out, or choose another "
                         "format",
                         text->str);
}

static gboolean
is_left_out (const GPtrArray *left_out, const char *name)
{
  return left_out != NULL
         && g_ptr_array_find_with_equal_func ((GPtrArray *) left_out, name, g_str_equal, NULL);
}

static void
clear_named (gpointer data)
{
  SluiceNamedTensor *named = data;
  g_free (named->name);
  sluice_tensor_unref (named->tensor);
}

static gboolean
write_safetensors (SluiceCheckpointFile *from,
                   const char *to,
                   const GPtrArray *left_out,
                   GError **error)
{
  g_autoptr (GArray) tensors = g_array_new (FALSE, FALSE, sizeof (SluiceNamedTensor));
  g_array_set_clear_func (tensors, clear_named);
  for (guint i = 0; i < from->list->len; i++)
    {
      const char *name = g_array_index (from->list, SluiceBundleTensor, i).name;
      if (is_left_out (left_out, name))
        continue;
      SluiceNamedTensor named = { NULL, sluice_checkpoint_file_read (from, name, error) };
      if (named.tensor == NULL)
        return FALSE;
      named.name = g_strdup (name);
      g_array_append_val (tensors, named);
    }
  return sluice_safetensors_write (to, tensors, from->state, error);
}

static gboolean
write_bundle (SluiceCheckpointFile *from, const char *to, const GPtrArray *left_out, GError **error)
{
  g_autoptr (SluiceTensorBundleWriter) writer = sluice_tensor_bundle_writer_new (to, error);
  for (guint i = 0; writer != NULL && i < from->list->len; i++)
    {
      const char *name = g_array_index (from->list, SluiceBundleTensor, i).name;
      if (is_left_out (left_out, name))
        continue;
      g_autoptr (SluiceTensor) tensor = sluice_checkpoint_file_read (from, name, error);
      if (tensor == NULL
          || !sluice_tensor_bundle_writer_add (writer, name, tensor, NULL, NULL, error))
        return FALSE;
    }
  return writer != NULL && sluice_tensor_bundle_writer_finish (g_steal_pointer (&writer), error);
}

gboolean
sluice_checkpoint_convert (SluiceCheckpointFile *from,
                           const char *to,
                           GPtrArray *left_out,
                           GError **error)
{
  gboolean to_safetensors = g_str_has_suffix (to, SUFFIX);
  if (!check_dtypes (from, to_safetensors, left_out, error))
    return FALSE;
  return to_safetensors ? write_safetensors (from, to, left_out, error)
                        : write_bundle (from, to, left_out, error);
}

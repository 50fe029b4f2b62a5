/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Which MetaGraph of a SavedModel, and where it lies. */
#include "engine/graph/savedmodel-private.h"
#include "engine/graph/savedmodel.h"
#include "engine/graph/text-format.h"

#include <string.h>

#include "engine/base/error.h"
#include "engine/base/read-file.h"
#include "engine/graph/graphdef.h"
#include "engine/graph/wire.h"

#define BINARY "saved_model.pb"
#define TEXT   "saved_model.pbtxt"

enum /* field numbers */
{
  SAVED_SCHEMA_VERSION = 1,
  SAVED_META_GRAPHS = 2,
  META_INFO = 1,
  INFO_TAGS = 4,
};

/* ---- the folder ---- */

/* (transfer full) (nullable): the file in a folder. */
static char *
find_file (const char *folder)
{
  static const char *const names[] = { BINARY, TEXT };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);
      if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
        return g_steal_pointer (&path);
    }
  return NULL;
}

gboolean
sluice_saved_model_exists (const char *path)
{
  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    {
      g_autofree char *file = find_file (path);
      return file != NULL;
    }
  g_autofree char *name = g_path_get_basename (path);
  return (strcmp (name, BINARY) == 0 || strcmp (name, TEXT) == 0)
         && g_file_test (path, G_FILE_TEST_IS_REGULAR);
}

char *
sluice_saved_model_dup_folder (const char *path)
{
  return g_file_test (path, G_FILE_TEST_IS_DIR) ? g_strdup (path) : g_path_get_dirname (path);
}

char *
sluice_saved_model_dup_variables (const char *folder)
{
  return g_build_filename (folder, "variables", "variables", NULL);
}

char *
sluice_saved_model_dup_file (const char *path, GError **error)
{
  if (!g_file_test (path, G_FILE_TEST_IS_DIR))
    return g_strdup (path);
  char *file = find_file (path);
  if (file == NULL)
    sluice_fail (error, SLUICE_ERROR_NOT_FOUND,
                 "%s: is no SavedModel: the folder has no " BINARY " and no " TEXT, path);
  return file;
}

/* ---- the MetaGraph ---- */

static char *
describe_tags (const char *const *tags)
{
  g_autofree char *all = g_strjoinv (", ", (char **) tags);
  return g_strdup_printf ("[%s]", all);
}

static gboolean
has_tags (const char *const *tags, const char *const *wanted)
{
  for (; *wanted != NULL; wanted++)
    if (!g_strv_contains (tags, *wanted))
      return FALSE;
  return TRUE;
}

/* The one of exactly these tags, else the only one that has them all. -1: none, or several. */
static int
find_tagged (const GPtrArray *sets, const char *const *wanted)
{
  int found = -1;
  guint n_wanted = g_strv_length ((char **) wanted), n_found = 0;
  for (guint i = 0; i < sets->len; i++)
    {
      const char *const *tags = sets->pdata[i];
      if (!has_tags (tags, wanted))
        continue;
      if (g_strv_length ((char **) tags) == n_wanted)
        return (int) i;
      found = (int) i;
      n_found++;
    }
  return n_found == 1 ? found : -1;
}

/* sets: (element-type GStrv). -1 with NOT_FOUND. */
static int
choose (const GPtrArray *sets, const char *const *wanted, GError **error)
{
  static const char *const serve[] = { SLUICE_TAG_SERVE, NULL };
  int found = find_tagged (sets, wanted != NULL ? wanted : serve);
  if (found < 0 && wanted == NULL && sets->len == 1)
    found = 0;
  if (found >= 0)
    return found;
  g_autofree char *want = describe_tags (wanted != NULL ? wanted : serve);
  g_autoptr (GString) have = g_string_new (NULL);
  for (guint i = 0; i < sets->len; i++)
    {
      g_autofree char *tags = describe_tags (sets->pdata[i]);
      g_string_append_printf (have, "%s%s", i > 0 ? ", " : "", tags);
    }
  sluice_fail (error, SLUICE_ERROR_NOT_FOUND,
               "the SavedModel has no one MetaGraph with the tags %s; it has %s. Say which by its "
               "tags",
               want, sets->len > 0 ? have->str : "none at all");
  return -1;
}

/* Adds the tags of one MetaGraphDef's bytes. FALSE: damaged. */
static gboolean
read_tags (const SluiceWireField *meta, GPtrArray *sets)
{
  g_autoptr (GStrvBuilder) tags = g_strv_builder_new ();
  const guint8 *at = meta->data, *end = at + meta->length;
  SluiceWireField field, inner;
  while (at < end)
    {
      if (!sluice_wire_next (&at, end, &field))
        return FALSE;
      if (field.number != META_INFO || field.wire_type != SLUICE_WIRE_BYTES)
        continue;
      const guint8 *in = field.data, *stop = in + field.length;
      while (in < stop)
        {
          if (!sluice_wire_next (&in, stop, &inner))
            return FALSE;
          if (inner.number != INFO_TAGS)
            continue;
          if (inner.wire_type != SLUICE_WIRE_BYTES
              || !sluice_wire_is_text (inner.data, inner.length))
            return FALSE;
          g_autofree char *tag = g_strndup ((const char *) inner.data, inner.length);
          g_strv_builder_add (tags, tag);
        }
    }
  g_ptr_array_add (sets, g_strv_builder_end (tags));
  return TRUE;
}

gboolean
sluice_saved_model_is_binary (const guint8 *bytes, gsize length)
{
  const guint8 *at = bytes;
  SluiceWireField field;
  return sluice_wire_next (&at, bytes + length, &field) && field.number == SAVED_SCHEMA_VERSION
         && field.wire_type == SLUICE_WIRE_VARINT;
}

/* graphs: takes the MetaGraphDefs; sets: their tags. */
static gboolean
read_binary (const guint8 *bytes, gsize length, GArray *graphs, GPtrArray *sets, GError **error)
{
  const guint8 *at = bytes, *end = bytes + length;
  SluiceWireField field;
  while (at < end)
    {
      const guint8 *begin = at;
      gboolean ok = sluice_wire_next (&at, end, &field);
      if (ok && field.number != SAVED_META_GRAPHS)
        continue;
      if (!ok || field.wire_type != SLUICE_WIRE_BYTES || !read_tags (&field, sets))
        return sluice_fail (error, SLUICE_ERROR_DATA_LOSS,
                            "byte %zu: the SavedModel's MetaGraph %u is damaged or cut off",
                            (gsize) (begin - bytes), sets->len);
      g_array_append_val (graphs, field);
    }
  return TRUE;
}

gboolean
sluice_saved_model_pick (const guint8 **bytes,
                         gsize *length,
                         const char *const *tags,
                         GError **error)
{
  g_autoptr (GArray) graphs = g_array_new (FALSE, FALSE, sizeof (SluiceWireField));
  g_autoptr (GPtrArray) sets = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev);
  if (!read_binary (*bytes, *length, graphs, sets, error))
    return FALSE;
  int chosen = choose (sets, tags, error);
  if (chosen < 0)
    return FALSE;
  const SluiceWireField *graph = &g_array_index (graphs, SluiceWireField, chosen);
  *bytes = graph->data;
  *length = graph->length;
  return TRUE;
}

/* (transfer full): with a NULL behind the last, as protobuf-c has none. */
static GPtrArray *
list_unpacked (const Tensorflow__SavedModel *model)
{
  GPtrArray *sets = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev);
  for (gsize i = 0; i < model->n_meta_graphs; i++)
    {
      const Tensorflow__MetaGraphDef__MetaInfoDef *info = model->meta_graphs[i]->meta_info_def;
      g_autoptr (GStrvBuilder) tags = g_strv_builder_new ();
      for (gsize k = 0; info != NULL && k < info->n_tags; k++)
        g_strv_builder_add (tags, info->tags[k]);
      g_ptr_array_add (sets, g_strv_builder_end (tags));
    }
  return sets;
}

Tensorflow__MetaGraphDef *
sluice_saved_model_pick_text (
    SluiceArena *arena, const char *text, gsize length, const char *const *tags, GError **error)
{
  const Tensorflow__SavedModel *model =
      sluice_text_parse (arena, &tensorflow__saved_model__descriptor, text, length, error);
  if (model == NULL)
    return NULL;
  g_autoptr (GPtrArray) sets = list_unpacked (model);
  int chosen = choose (sets, tags, error);
  return chosen >= 0 ? model->meta_graphs[chosen] : NULL;
}

GPtrArray *
sluice_saved_model_list_tags (const char *path, GError **error)
{
  g_autofree char *file = sluice_saved_model_dup_file (path, error);
  g_autoptr (GBytes) read = file != NULL ? sluice_read_file ("SavedModel", file, SLUICE_READ_PLAIN,
                                                             SLUICE_MAX_FILE_BYTES, error)
                                         : NULL;
  if (read == NULL)
    return NULL;
  gsize length;
  const char *bytes = g_bytes_get_data (read, &length);
  if (g_str_has_suffix (file, TEXT))
    {
      g_auto (SluiceArena) arena;
      sluice_arena_init (&arena);
      const Tensorflow__SavedModel *model =
          sluice_text_parse (&arena, &tensorflow__saved_model__descriptor, bytes, length, error);
      return model != NULL ? list_unpacked (model) : NULL;
    }
  g_autoptr (GArray) graphs = g_array_new (FALSE, FALSE, sizeof (SluiceWireField));
  g_autoptr (GPtrArray) sets = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev);
  return read_binary ((const guint8 *) bytes, length, graphs, sets, error) ? g_steal_pointer (&sets)
                                                                           : NULL;
}

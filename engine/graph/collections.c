/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/graph/collections-private.h"
#include "engine/graph/collections.h"

#include <string.h>

#include "engine/graph/graph-private.h"
#include "engine/graph/wire.h"

gboolean
sluice_collection_find (SluiceGraph *graph,
                        SluiceArena *arena,
                        const char *key,
                        const Tensorflow__CollectionDef **collection,
                        GError **error)
{
  gsize length;
  *collection = NULL;
  if (graph->meta_shell == NULL)
    return TRUE;
  const guint8 *bytes = g_bytes_get_data (graph->meta_shell, &length);
  const Tensorflow__MetaGraphDef *meta =
      sluice_wire_unpack (arena, &tensorflow__meta_graph_def__descriptor, bytes, length, error);
  for (gsize i = 0; meta != NULL && i < meta->n_collection_def; i++)
    if (strcmp (meta->collection_def[i]->key, key) == 0)
      *collection = meta->collection_def[i]->value; /* of a map the last entry counts */
  return meta != NULL;
}

/* VariableDef.variable_name. (transfer full) (nullable) */
static char *
dup_variable_name (const ProtobufCBinaryData *def)
{
  const guint8 *at = def->data, *end = at + def->len;
  SluiceWireField field;
  char *name = NULL;
  while (def->len > 0 && sluice_wire_next (&at, end, &field))
    if (field.number == 1 && field.wire_type == SLUICE_WIRE_BYTES
        && sluice_wire_is_text (field.data, field.length))
      {
        g_free (name);
        name = g_strndup ((const char *) field.data, field.length);
      }
  return name;
}

GPtrArray *
sluice_graph_dup_trainable (SluiceGraph *self, GError **error)
{
  const Tensorflow__CollectionDef *collection;
  g_auto (SluiceArena) arena;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  sluice_arena_init (&arena);
  if (!sluice_collection_find (self, &arena, "trainable_variables", &collection, error))
    return NULL;
  if (collection == NULL || collection->kind_case != TENSORFLOW__COLLECTION_DEF__KIND_BYTES_LIST)
    return g_steal_pointer (&names);
  for (gsize i = 0; i < collection->bytes_list->n_value; i++)
    {
      char *name = dup_variable_name (&collection->bytes_list->value[i]);
      if (name == NULL)
        {
          sluice_fail (error, SLUICE_ERROR_DATA_LOSS,
                       "collection trainable_variables: entry %" G_GSIZE_FORMAT " has no name", i);
          return NULL;
        }
      g_ptr_array_add (names, name);
    }
  return g_steal_pointer (&names);
}

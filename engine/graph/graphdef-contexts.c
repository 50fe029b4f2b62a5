/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What a MetaGraphDef says of its loops and conditionals beside the graph. */
#include "engine/graph/collections-private.h"
#include "engine/graph/graph-private.h"
#include "engine/graph/graphdef.h"
#include "engine/graph/wire.h"

static void
add_frame_of (SluiceGraph *graph, const char *edge, GHashTable *frames)
{
  SluiceEdge enter;
  if (!sluice_graph_parse_edge (graph, edge, &enter, NULL)
      || sluice_node_get_role (enter.node) != SLUICE_ROLE_ENTER || enter.node->error != NULL)
    return;
  const SluiceString *frame = sluice_node_get_string (enter.node, "frame_name");
  g_hash_table_add (frames, g_strndup (frame->data, frame->length));
}

static void
add_while (SluiceGraph *graph, const Tensorflow__WhileContextDef *loop, GHashTable *frames);

static void
add_nested (SluiceGraph *graph,
            Tensorflow__ControlFlowContextDef *const *contexts,
            gsize n,
            GHashTable *frames)
{
  for (gsize i = 0; i < n; i++)
    if (contexts[i]->ctxt_case == TENSORFLOW__CONTROL_FLOW_CONTEXT_DEF__CTXT_WHILE_CTXT)
      add_while (graph, contexts[i]->while_ctxt, frames);
    else if (contexts[i]->ctxt_case == TENSORFLOW__CONTROL_FLOW_CONTEXT_DEF__CTXT_COND_CTXT)
      add_nested (graph, contexts[i]->cond_ctxt->nested_contexts,
                  contexts[i]->cond_ctxt->n_nested_contexts, frames);
}

/* By its Enters: in the export of a part of a graph the context's name is not the frame's. */
static void
add_while (SluiceGraph *graph, const Tensorflow__WhileContextDef *loop, GHashTable *frames)
{
  for (gsize i = 0; loop->swap_memory && i < loop->n_loop_enter_names; i++)
    add_frame_of (graph, loop->loop_enter_names[i], frames);
  add_nested (graph, loop->nested_contexts, loop->n_nested_contexts, frames);
}

static void
read_while (SluiceGraph *graph, const void *message, GHashTable *frames)
{
  add_while (graph, message, frames);
}

static void
read_cond (SluiceGraph *graph, const void *message, GHashTable *frames)
{
  const Tensorflow__CondContextDef *cond = message;
  add_nested (graph, cond->nested_contexts, cond->n_nested_contexts, frames);
}

/* Each entry of a collection is the bytes of such a message. */
typedef struct
{
  const char *key;
  const ProtobufCMessageDescriptor *descriptor;
  void (*read) (SluiceGraph *graph, const void *message, GHashTable *frames);
} Collection;

static gboolean
read_collection (SluiceGraph *graph,
                 SluiceArena *arena,
                 const Collection *collection,
                 GHashTable *frames,
                 GError **error)
{
  const Tensorflow__CollectionDef *def;
  if (!sluice_collection_find (graph, arena, collection->key, &def, error))
    return FALSE;
  if (def == NULL || def->kind_case != TENSORFLOW__COLLECTION_DEF__KIND_BYTES_LIST)
    return TRUE;
  for (gsize i = 0; i < def->bytes_list->n_value; i++)
    {
      const ProtobufCBinaryData *bytes = &def->bytes_list->value[i];
      const void *message =
          sluice_wire_unpack (arena, collection->descriptor, bytes->data, bytes->len, error);
      if (message == NULL)
        {
          g_prefix_error (error, "collection %s: ", collection->key);
          return FALSE;
        }
      collection->read (graph, message, frames);
    }
  return TRUE;
}

GHashTable *
sluice_graph_dup_swapping_frames (SluiceGraph *self, GError **error)
{
  static const Collection collections[] = {
    { "while_context", &tensorflow__while_context_def__descriptor, read_while },
    { "cond_context", &tensorflow__cond_context_def__descriptor, read_cond },
  };
  g_autoptr (GHashTable) frames = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_auto (SluiceArena) arena;
  sluice_arena_init (&arena);
  for (guint i = 0; i < G_N_ELEMENTS (collections); i++)
    if (!read_collection (self, &arena, &collections[i], frames, error))
      return NULL;
  return g_steal_pointer (&frames);
}

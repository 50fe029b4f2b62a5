/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* QueueRunnerDefs of a MetaGraphDef: what tf.train.start_queue_runners() would start. */
#include "engine/graph/collections-private.h"
#include "engine/graph/graph-private.h"
#include "engine/graph/graphdef.h"
#include "engine/graph/wire.h"

static void
queue_runner_free (gpointer data)
{
  SluiceQueueRunner *self = data;
  g_free (self->queue);
  g_strfreev (self->enqueue);
  g_free (self->close);
  g_free (self->cancel);
  g_free (self);
}

static gboolean
check_node (SluiceGraph *graph, const char *queue, const char *name, GError **error)
{
  return sluice_graph_find (graph, name) != NULL
         || sluice_fail (
             error, SLUICE_ERROR_INVALID_ARGUMENT,
             "the queue runner of '%s' wants to run '%s', which is no node of the graph", queue,
             name);
}

static guint32
closed_errors (const Tensorflow__QueueRunnerDef *def)
{
  guint32 errors = 0;
  for (gsize i = 0; i < def->n_queue_closed_exception_types; i++)
    if (def->queue_closed_exception_types[i] > 0 && def->queue_closed_exception_types[i] < 32)
      errors |= 1u << def->queue_closed_exception_types[i];
  return errors != 0 ? errors : 1u << SLUICE_ERROR_OUT_OF_RANGE;
}

static SluiceQueueRunner *
read_runner (SluiceGraph *graph,
             SluiceArena *arena,
             const ProtobufCBinaryData *bytes,
             GError **error)
{
  const Tensorflow__QueueRunnerDef *def = sluice_wire_unpack (
      arena, &tensorflow__queue_runner_def__descriptor, bytes->data, bytes->len, error);
  if (def == NULL)
    {
      g_prefix_error (error, "collection queue_runners: ");
      return NULL;
    }
  gboolean ok = TRUE;
  for (gsize i = 0; ok && i < def->n_enqueue_op_name; i++)
    ok = check_node (graph, def->queue_name, def->enqueue_op_name[i], error);
  if (*def->close_op_name != '\0')
    ok = ok && check_node (graph, def->queue_name, def->close_op_name, error);
  if (*def->cancel_op_name != '\0')
    ok = ok && check_node (graph, def->queue_name, def->cancel_op_name, error);
  if (!ok)
    return NULL;
  SluiceQueueRunner *self = g_new0 (SluiceQueueRunner, 1);
  self->queue = g_strdup (def->queue_name);
  self->enqueue = g_new0 (char *, def->n_enqueue_op_name + 1);
  for (gsize i = 0; i < def->n_enqueue_op_name; i++)
    self->enqueue[i] = g_strdup (def->enqueue_op_name[i]);
  self->close = *def->close_op_name != '\0' ? g_strdup (def->close_op_name) : NULL;
  self->cancel = *def->cancel_op_name != '\0' ? g_strdup (def->cancel_op_name) : NULL;
  self->closed_errors = closed_errors (def);
  return self;
}

static gboolean
read_all (SluiceGraph *graph, SluiceArena *arena, GPtrArray *runners, GError **error)
{
  const Tensorflow__CollectionDef *collection;
  if (!sluice_collection_find (graph, arena, "queue_runners", &collection, error))
    return FALSE;
  if (collection == NULL || collection->kind_case != TENSORFLOW__COLLECTION_DEF__KIND_BYTES_LIST)
    return TRUE;
  const Tensorflow__CollectionDef__BytesList *list = collection->bytes_list;
  for (gsize k = 0; k < list->n_value; k++)
    {
      SluiceQueueRunner *runner = read_runner (graph, arena, &list->value[k], error);
      if (runner == NULL)
        return FALSE;
      g_ptr_array_add (runners, runner);
    }
  return TRUE;
}

GPtrArray *
sluice_graph_dup_queue_runners (SluiceGraph *self, GError **error)
{
  g_autoptr (GPtrArray) runners = g_ptr_array_new_with_free_func (queue_runner_free);
  g_auto (SluiceArena) arena;
  sluice_arena_init (&arena);
  if (!read_all (self, &arena, runners, error))
    return NULL;
  return g_steal_pointer (&runners);
}

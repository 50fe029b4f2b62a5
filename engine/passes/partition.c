/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Every edge that leaves its device goes through a Send there and a Recv here. One transfer serves
 * all readers of a tensor on a device; control edges cross as a transfer without a value. Whether
 * the producer was dead crosses with either. Each has a name, as a _Send of a graph has: within a
 * process it stands in traces and errors, and between two it is what both meet under.
 */
#include <glib/gi18n-lib.h>

#include "engine/passes/pass.h"
#include "engine/passes/views.h"

typedef struct
{
  SluiceWork *work;
  const SluiceViews *views;
  GHashTable *done;  /* of Crossing: the Recv */
  GHashTable *names; /* of text: how many transfers would have it */
} Partition;

typedef struct
{
  const SluiceWorkNode *source;
  int port; /* -1: control */
  guint device;
} Crossing;

static guint
hash_crossing (gconstpointer key)
{
  const Crossing *c = key;
  return g_direct_hash (c->source) * 31 + (guint) c->port * 7 + c->device;
}

static gboolean
equal_crossing (gconstpointer a, gconstpointer b)
{
  const Crossing *x = a, *y = b;
  return x->source == y->source && x->port == y->port && x->device == y->device;
}

/* "x:0", "^init", and of what one reader has for itself "v:0>reader"; a node that is there several
 * times brings a number. (transfer full) */
static char *
name_edge (const Partition *self,
           const SluiceWorkNode *source,
           int port,
           guint device,
           const SluiceWorkNode *reader)
{
  g_autoptr (GString) text = g_string_new (NULL);
  if (port < 0)
    g_string_append_printf (text, "^%s", source->origin->name);
  else
    g_string_append_printf (text, "%s:%d", source->origin->name, port);
  if (reader)
    g_string_append_printf (text, ">%s", reader->origin->name);
  g_autofree char *way = g_strdup_printf ("%u>%u %s", source->device, device, text->str);
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (self->names, way));
  g_hash_table_insert (self->names, g_steal_pointer (&way), GUINT_TO_POINTER (n + 1));
  if (n > 0)
    g_string_append_printf (text, "#%u", n + 1);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* A new pair; returns the Recv, *send is the Send. reader (nullable): all there are. */
static SluiceWorkNode *
add_pair (const Partition *self,
          SluiceWorkNode *source,
          int port,
          guint device,
          const SluiceWorkNode *reader,
          SluiceWorkNode **send_out)
{
  SluiceWork *work = self->work;
  SluiceWorkNode *send = sluice_work_add (work, SLUICE_WORK_SEND, source->origin, source->device);
  SluiceWorkNode *recv = sluice_work_add (work, SLUICE_WORK_RECV, source->origin, device);
  g_autofree char *edge = name_edge (self, source, port, device, reader);
  send->port = recv->port = port;
  send->transfer = recv->transfer = work->transfers->len;
  g_ptr_array_add (work->transfers, sluice_transfer_new_between (work->devices[source->device],
                                                                 work->devices[device], edge));
  if (port < 0)
    {
      sluice_work_add_control (work, send, source);
      sluice_work_add_control (work, recv, send);
    }
  else
    {
      send->inputs = sluice_work_alloc (work, sizeof (SluiceWorkEdge));
      send->inputs[send->n_inputs++] = (SluiceWorkEdge){ source, port };
      recv->inputs = sluice_work_alloc (work, sizeof (SluiceWorkEdge));
      recv->inputs[recv->n_inputs++] = (SluiceWorkEdge){ send, 0 };
    }
  if (send_out)
    *send_out = send;
  return recv;
}

static SluiceWorkNode *
transfer (const Partition *self, SluiceWorkNode *source, int port, guint device)
{
  Crossing key = { source, port, device };
  SluiceWorkNode *recv = g_hash_table_lookup (self->done, &key);
  if (!recv)
    {
      recv = add_pair (self, source, port, device, NULL, NULL);
      Crossing *kept = sluice_work_alloc (self->work, sizeof *kept);
      *kept = key;
      g_hash_table_insert (self->done, kept, recv);
    }
  return recv;
}

/* Has waited for a node, on the device, whether the node was dead or not. */
static SluiceWorkNode *
wait_for (SluiceWork *work, SluiceWorkNode *node, guint device)
{
  SluiceWorkNode *after = sluice_work_add (work, SLUICE_WORK_AFTER, node->origin, device);
  sluice_work_add_control (work, after, node);
  return after;
}

/*
 * A reader of a variable on another device, or of what shares its memory (views.h), reads when it
 * runs, after all its other inputs. The read becomes a Send of its own, after the same inputs: that
 * adds no cycle. A Merge reads the one input that is alive, and waits for its control inputs dead
 * or alive: they must not kill the Send. inputs: the reader's, before they were cut
 */
static SluiceWorkNode *
transfer_late (const Partition *self,
               SluiceWorkNode *reader,
               const SluiceWorkEdge *inputs,
               guint input)
{
  SluiceWork *work = self->work;
  SluiceWorkNode *source = inputs[input].node, *send;
  SluiceWorkNode *recv = add_pair (self, source, inputs[input].port, reader->device, reader, &send);
  gboolean merges = sluice_work_role (reader) == SLUICE_ROLE_MERGE;
  for (guint i = merges ? reader->n_inputs : 0; i < reader->n_inputs + reader->n_controls; i++)
    {
      SluiceWorkNode *before =
          i < reader->n_inputs ? inputs[i].node : reader->controls[i - reader->n_inputs];
      if (i == input || !before || before == source || sluice_work_get_traits (before)->is_state
          || sluice_work_is_back_edge (before))
        continue;
      if (before->device != source->device)
        before = transfer (self, before, -1, source->device);
      sluice_work_add_control (work, send,
                               merges ? wait_for (work, before, source->device) : before);
    }
  return recv;
}

static void
cut_inputs (const Partition *self, SluiceWorkNode *node)
{
  SluiceWork *work = self->work;
  /* What is read late first: its Send waits for the other inputs where these really are. */
  g_autofree SluiceWorkEdge *inputs = NULL;
  for (guint i = 0; i < node->n_inputs; i++)
    {
      SluiceWorkNode *source = node->inputs[i].node;
      if (!source || source->device == node->device
          || (!sluice_dtype_is_ref (sluice_work_dtype (work, node->inputs[i]))
              && !sluice_views_is_late (self->views, source, node)))
        continue;
      if (!inputs)
        inputs = g_memdup2 (node->inputs, node->n_inputs * sizeof *inputs);
      node->inputs[i] = (SluiceWorkEdge){ transfer_late (self, node, inputs, i), 0 };
    }
  for (guint i = 0; i < node->n_inputs; i++)
    {
      SluiceWorkNode *source = node->inputs[i].node;
      if (source && source->device != node->device)
        node->inputs[i] =
            (SluiceWorkEdge){ transfer (self, source, node->inputs[i].port, node->device), 0 };
    }
  for (guint i = 0; i < node->n_controls; i++)
    if (node->controls[i]->device != node->device)
      node->controls[i] = transfer (self, node->controls[i], -1, node->device);
}

static gboolean
run (SluiceWork *work, const SluicePassOptions *options, GError **error)
{
  g_autoptr (GHashTable) done = g_hash_table_new (hash_crossing, equal_crossing);
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  SluiceViews views;
  if (!sluice_views_gather (&views, work, error))
    return FALSE;
  const Partition self = { work, &views, done, names };
  guint n = work->nodes->len;
  for (guint i = 0; i < n; i++)
    cut_inputs (&self, work->nodes->pdata[i]);
  sluice_views_clear (&views);
  sluice_work_touch (work);
  return TRUE;
}

/* One transfer for a (tensor, device). */
const SluicePass sluice_pass_partition = {
  .name = "partition",
  .summary = N_ ("A Send and a Recv where an edge leaves its device"),
  .requires = SLUICE_FACT_PRUNED,
  .excludes = SLUICE_FACT_PARTITIONED,
  .provides = SLUICE_FACT_PARTITIONED,
  .run = run,
};

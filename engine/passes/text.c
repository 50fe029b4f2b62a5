/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/passes/text.h"

#define MOST_VALUES 6 /* of a constant */

typedef struct
{
  const SluiceWork *work;
  SluiceWorkText *text;
  const char **names; /* by work index */
} Write;

/* ---- names ---- */

static const char *
suffix_of (SluiceWorkKind kind)
{
  switch (kind)
    {
    case SLUICE_WORK_SEND:
      return "#send";
    case SLUICE_WORK_RECV:
      return "#recv";
    case SLUICE_WORK_FEED:
      return "#feed";
    case SLUICE_WORK_FETCH:
      return "#fetch";
    case SLUICE_WORK_AFTER:
      return "#after";
    default:
      return "";
    }
}

static void
name_nodes (Write *write)
{
  const GPtrArray *nodes = write->work->nodes;
  g_autoptr (GHashTable) counts = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < nodes->len; i++)
    {
      const SluiceWorkNode *node = nodes->pdata[i];
      const char *suffix = suffix_of (node->kind);
      g_autofree char *first = g_strconcat (node->origin->name, suffix, NULL);
      const char *name = g_string_chunk_insert_const (write->text->names, first);
      guint n = GPOINTER_TO_UINT (g_hash_table_lookup (counts, name)) + 1;
      g_hash_table_insert (counts, (gpointer) name, GUINT_TO_POINTER (n));
      g_autofree char *next = g_strdup_printf ("%s%s%u", name, *suffix ? "" : "#", n);
      write->names[i] = n == 1 ? name : g_string_chunk_insert_const (write->text->names, next);
    }
}

static void
append_edge (const Write *write, GString *line, SluiceWorkEdge edge)
{
  const SluiceEdge *feeds = write->work->feeds;
  const char *name = edge.node ? write->names[edge.node->index] : feeds[edge.port].node->name;
  int port = edge.node ? edge.port : feeds[edge.port].port;
  g_string_append_printf (line, "%s%s", edge.node ? "" : "<", name);
  if (port)
    g_string_append_printf (line, ":%d", port);
  g_string_append (line, edge.node ? "" : ">");
}

/* ---- a node ---- */

static void
append_inputs (const Write *write, GString *line, const SluiceWorkNode *node)
{
  for (guint i = 0; i < node->n_inputs; i++)
    {
      g_string_append (line, i ? ", " : " (");
      append_edge (write, line, node->inputs[i]);
    }
  g_string_append (line, node->n_inputs ? ")" : "");
}

static void
append_values (GString *line, const SluiceWorkNode *node)
{
  for (guint i = 0; i < node->origin->n_outputs; i++)
    {
      g_autofree char *values = sluice_tensor_to_string (node->values[i], MOST_VALUES);
      g_string_append_printf (line, "%s %s", i ? "," : "", values);
    }
}

static void
append_region (GString *line, const SluiceWorkRegion *region)
{
  for (guint i = 0; i < region->n_members; i++)
    g_string_append_printf (line, "%s%s = %s", i ? ", " : "", region->members[i]->origin->name,
                            region->members[i]->origin->op_name);
}

static void
append_together (GString *line, const SluiceWorkNode *node)
{
  const SluiceWorkRegion *region = sluice_work_get_region (node);
  g_string_append (line, " {");
  if (node->kind == SLUICE_WORK_FUSED_CONSUMER)
    {
      const SluiceNode *producer = node->fused_consumer.producer->origin,
                       *consumer = node->fused_consumer.consumer->origin;
      g_string_append_printf (line, "%s = %s -> %u of ", producer->name, producer->op_name,
                              node->fused_consumer.input);
      if (!region)
        g_string_append_printf (line, "%s = %s", consumer->name, consumer->op_name);
    }
  if (region)
    append_region (line, region);
  g_string_append_c (line, '}');
  for (guint i = 0; region && i < region->n_outputs; i++)
    g_string_append_printf (line, "%s%s", i ? ", " : " -> ", region->outputs[i]->origin->name);
}

static void
append_place (const Write *write, GString *line, const SluiceWorkNode *node)
{
  const GArray *frames = write->work->frames;
  if (node->device)
    g_string_append_printf (line, " @%s", write->work->devices[node->device]->short_name);
  if (node->frame && write->work->facts & SLUICE_FACT_FRAMED)
    g_string_append_printf (line, " in %s",
                            g_array_index (frames, SluiceWorkFrame, node->frame).name);
}

static const char *
word_of (const SluiceWorkNode *node)
{
  static const char *const words[] = {
    [SLUICE_WORK_CONST] = "Const",
    [SLUICE_WORK_SEND] = "Send",
    [SLUICE_WORK_RECV] = "Recv",
    [SLUICE_WORK_FUSED] = "Fused",
    [SLUICE_WORK_FUSED_CONSUMER] = "FusedConsumer",
    [SLUICE_WORK_FEED] = "Feed",
    [SLUICE_WORK_FETCH] = "Fetch",
    [SLUICE_WORK_AFTER] = "After",
  };
  return node->kind == SLUICE_WORK_OP ? node->origin->op_name : words[node->kind];
}

static void
add_line (Write *write, const char *name, GString *take)
{
  SluiceWorkLine line = { name, g_string_free (take, FALSE) };
  g_array_append_val (write->text->lines, line);
}

/* A line that is no node's. */
static void
add_end (Write *write, const char *what, guint number, GString *take)
{
  g_autofree char *name = g_strdup_printf ("%s %u", what, number);
  add_line (write, g_string_chunk_insert (write->text->names, name), take);
}

static void
add_node (Write *write, const SluiceWorkNode *node)
{
  const char *name = write->names[node->index];
  GString *line = g_string_new (name);
  g_string_append_printf (line, " = %s", word_of (node));
  append_inputs (write, line, node);
  if (node->kind == SLUICE_WORK_CONST)
    append_values (line, node);
  if (node->kind == SLUICE_WORK_FUSED || node->kind == SLUICE_WORK_FUSED_CONSUMER)
    append_together (line, node);
  for (guint i = 0; i < node->n_controls; i++)
    g_string_append_printf (line, " ^%s", write->names[node->controls[i]->index]);
  append_place (write, line, node);
  add_line (write, name, line);
}

/* ---- all of them ---- */

static void
add_nodes (Write *write)
{
  const SluiceWork *work = write->work;
  const GPtrArray *schedule = work->schedule;
  g_autofree guint8 *is_scheduled = g_new0 (guint8, work->nodes->len + 1);
  for (guint i = 0; schedule && i < schedule->len; i++)
    if (sluice_work_has (work, schedule->pdata[i]))
      is_scheduled[((const SluiceWorkNode *) schedule->pdata[i])->index] = 1;
  for (guint i = 0; i < work->nodes->len; i++)
    if (!is_scheduled[i])
      add_node (write, work->nodes->pdata[i]);
  for (guint i = 0; schedule && i < schedule->len; i++)
    if (sluice_work_has (work, schedule->pdata[i]))
      add_node (write, schedule->pdata[i]);
}

static void
add_ends (Write *write)
{
  const SluiceWork *work = write->work;
  for (guint i = 1; work->facts & SLUICE_FACT_FRAMED && i < work->frames->len; i++)
    {
      const SluiceWorkFrame *frame = &g_array_index (work->frames, SluiceWorkFrame, i);
      GString *line = g_string_new (NULL);
      g_string_printf (line, "loop %s: parallel_iterations=%u", frame->name,
                       frame->parallel_iterations);
      if (frame->parent)
        g_string_append_printf (line, " in %s",
                                g_array_index (work->frames, SluiceWorkFrame, frame->parent).name);
      add_end (write, "loop", i, line);
    }
  for (guint i = 0; i < work->n_targets; i++)
    {
      GString *line = g_string_new ("target ");
      g_string_append (line, write->names[work->targets[i]->index]);
      add_end (write, "target", i, line);
    }
  for (guint i = 0; i < work->n_fetches; i++)
    {
      GString *line = g_string_new ("fetch ");
      append_edge (write, line, work->fetches[i]);
      add_end (write, "fetch", i, line);
    }
}

static void
clear_line (gpointer data)
{
  g_free (((SluiceWorkLine *) data)->text);
}

SluiceWorkText *
sluice_work_text_new (const SluiceWork *work)
{
  SluiceWorkText *self = g_new0 (SluiceWorkText, 1);
  g_autofree const char **names = g_new0 (const char *, work->nodes->len + 1);
  Write write = { work, self, names };
  self->names = g_string_chunk_new (4096);
  self->lines = g_array_new (FALSE, FALSE, sizeof (SluiceWorkLine));
  g_array_set_clear_func (self->lines, clear_line);
  self->n_nodes = work->nodes->len;
  name_nodes (&write);
  add_nodes (&write);
  add_ends (&write);
  return self;
}

void
sluice_work_text_free (SluiceWorkText *self)
{
  if (!self)
    return;
  g_array_unref (self->lines);
  g_string_chunk_free (self->names);
  g_free (self);
}

char *
sluice_work_text_dup (const SluiceWorkText *self)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < self->lines->len; i++)
    g_string_append_printf (text, "%s\n", g_array_index (self->lines, SluiceWorkLine, i).text);
  return g_string_free (text, FALSE);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/trace/memory-tape.h"

#include <json-glib/json-glib.h>
#include <stdatomic.h>

SluiceMemoryTape *
sluice_memory_tape_new (const char *device,
                        guint64 step,
                        SluiceAllocationLog *take_log,
                        double ns_per_tick)
{
  SluiceMemoryTape *self = g_new0 (SluiceMemoryTape, 1);
  atomic_init (&self->ref_count, 1);
  self->device = g_strdup (device);
  self->step = step;
  self->log = take_log;
  self->ns_per_tick = ns_per_tick;
  self->length = (gint64) ((double) (take_log->end_ticks - take_log->begin_ticks) * ns_per_tick);
  self->runs = g_array_new (FALSE, FALSE, sizeof (SluiceMemoryRun));
  self->reads = g_array_new (FALSE, FALSE, sizeof (SluiceRead));
  self->nodes = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  return self;
}

SluiceMemoryTape *
sluice_memory_tape_ref (SluiceMemoryTape *self)
{
  atomic_fetch_add_explicit (&self->ref_count, 1, memory_order_relaxed);
  return self;
}

void
sluice_memory_tape_unref (SluiceMemoryTape *self)
{
  if (atomic_fetch_sub_explicit (&self->ref_count, 1, memory_order_acq_rel) != 1)
    return;
  sluice_allocation_log_free (self->log);
  g_array_unref (self->runs);
  g_array_unref (self->reads);
  g_hash_table_unref (self->nodes);
  g_free (self->device);
  g_free (self);
}

void
sluice_memory_tape_name (SluiceMemoryTape *self, guint32 node, const char *name, const char *op)
{
  SluiceMemoryNode *named = g_new (SluiceMemoryNode, 1);
  *named = (SluiceMemoryNode){ name, op };
  g_hash_table_insert (self->nodes, GUINT_TO_POINTER (node), named);
}

const SluiceMemoryNode *
sluice_memory_tape_get_node (const SluiceMemoryTape *self, guint32 node)
{
  return g_hash_table_lookup (self->nodes, GUINT_TO_POINTER (node));
}

gint64
sluice_memory_tape_get_time (const SluiceMemoryTape *self, gsize record)
{
  guint64 ticks = self->log->records[record].ticks - self->log->begin_ticks;
  return (gint64) ((double) ticks * self->ns_per_tick);
}

const char *
sluice_allocation_kind_name (SluiceAllocationKind kind)
{
  static const char *const names[] = { "made",     "freed",    "handed-on",
                                       "reserved", "returned", "refused" };
  return names[kind];
}

/* ---- as lines ---- */

static void
add_string (JsonBuilder *b, const char *name, const char *value)
{
  json_builder_set_member_name (b, name);
  if (value != NULL)
    json_builder_add_string_value (b, value);
  else
    json_builder_add_null_value (b);
}

static void
add_int (JsonBuilder *b, const char *name, guint64 value)
{
  json_builder_set_member_name (b, name);
  json_builder_add_int_value (b, (gint64) value);
}

static void
add_us (JsonBuilder *b, const char *name, gint64 ns)
{
  json_builder_set_member_name (b, name);
  json_builder_add_double_value (b, (double) ns / 1000);
}

static JsonBuilder *
begin_line (void)
{
  JsonBuilder *b = json_builder_new ();
  json_builder_begin_object (b);
  return b;
}

static void
end_line (JsonBuilder *b, GString *lines)
{
  json_builder_end_object (b);
  g_autoptr (JsonGenerator) generator = json_generator_new ();
  g_autoptr (JsonNode) root = json_builder_get_root (b);
  json_generator_set_root (generator, root);
  json_generator_to_gstring (generator, lines);
  g_string_append_c (lines, '\n');
  g_object_unref (b);
}

static void
add_owner (JsonBuilder *b, const SluiceMemoryTape *self, const SluiceAllocationRecord *record)
{
  const SluiceMemoryNode *node = sluice_memory_tape_get_node (self, record->owner.node);
  g_autofree char *label = sluice_block_label_to_string (&record->label);
  add_string (b, "node", node != NULL ? node->name : NULL);
  add_string (b, "class", sluice_memory_class_name (record->owner.memory_class));
  add_string (b, "type", label);
  add_int (b, "bytes", record->bytes);
  add_int (b, "counted", record->counted);
}

static void
print_record (const SluiceMemoryTape *self, gsize i, GString *lines)
{
  const SluiceAllocationRecord *record = &self->log->records[i];
  JsonBuilder *b = begin_line ();
  add_string (b, "event", sluice_allocation_kind_name (record->kind));
  add_us (b, "us", sluice_memory_tape_get_time (self, i));
  if (record->kind != SLUICE_ALLOCATION_REFUSED)
    {
      add_int (b, "address", record->address);
      add_int (b, "given", record->given);
      add_int (b, "shard", record->shard);
    }
  if (record->kind != SLUICE_ALLOCATION_RESERVED && record->kind != SLUICE_ALLOCATION_RETURNED)
    add_owner (b, self, record);
  end_line (b, lines);
}

static void
print_head (const SluiceMemoryTape *self, GString *lines)
{
  JsonBuilder *b = begin_line ();
  add_string (b, "event", "step");
  add_int (b, "step", self->step);
  add_string (b, "device", self->device);
  json_builder_set_member_name (b, "limit_bytes");
  if (self->is_limited)
    json_builder_add_int_value (b, (gint64) self->limit);
  else
    json_builder_add_null_value (b);
  add_us (b, "us", self->length);
  add_int (b, "records", self->log->n_records);
  add_int (b, "lost", self->log->n_lost);
  end_line (b, lines);
}

void
sluice_memory_tape_print (const SluiceMemoryTape *self, GString *lines)
{
  print_head (self, lines);
  for (gsize i = 0; i < self->log->n_records; i++)
    print_record (self, i, lines);
  for (guint i = 0; i < self->runs->len; i++)
    {
      const SluiceMemoryRun *run = &g_array_index (self->runs, SluiceMemoryRun, i);
      const SluiceMemoryNode *node = sluice_memory_tape_get_node (self, run->node);
      JsonBuilder *b = begin_line ();
      add_string (b, "event", "ran");
      add_us (b, "us", run->start);
      add_us (b, "end_us", run->end);
      add_string (b, "node", node != NULL ? node->name : NULL);
      add_string (b, "op", node != NULL ? node->op : NULL);
      add_int (b, "lane", run->lane);
      end_line (b, lines);
    }
}

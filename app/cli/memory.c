/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "app/cli/memory.h"

#include <glib/gi18n-lib.h>
#include <json-glib/json-glib.h>
#include <stdio.h>

#include "engine/base/error.h"
#include "engine/base/residency.h"

#define N_SHOWN 20 /* holders, for people; --json has all of them */

gboolean sluice_cli_memory;

/* What is held and was not in use at the peak is what blocks of other sizes take. */
static void
print_head (SluiceAllocator *allocator, const SluiceLedger *ledger)
{
  g_autofree char *peak = g_format_size_full (ledger->peak_bytes, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *held = g_format_size_full (ledger->reserved_bytes, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *limit =
      g_format_size_full (sluice_allocator_get_limit (allocator), G_FORMAT_SIZE_IEC_UNITS);
  const char *name = sluice_allocator_get_name (allocator);
  if (sluice_allocator_is_limited (allocator))
    printf (_ ("%s: %s at the most of %s; %s held\n"), name, peak, limit, held);
  else
    printf (_ ("%s: %s at the most; %s held\n"), name, peak, held);
}

/* None where nothing can leave. */
static SluiceResidencyStats
get_moved (SluiceAllocator *allocator)
{
  SluiceResidencyStats moved = { 0 };
  SluiceResidency *residency = sluice_allocator_get_residency (allocator);
  if (residency != NULL)
    sluice_residency_get_stats (residency, &moved);
  return moved;
}

/* Of a device with too little memory. */
static void
print_moved (SluiceAllocator *allocator)
{
  const SluiceResidencyStats moved = get_moved (allocator);
  if (moved.n_out == 0)
    return;
  g_autofree char *out = g_format_size_full (moved.bytes_out, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *back = g_format_size_full (moved.bytes_back, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *at_once = g_format_size_full (moved.most_at_once, G_FORMAT_SIZE_IEC_UNITS);
  printf (_ ("  %s moved to the host's memory for want of room, %s back; one node needs up to "
             "%s at once\n"),
          out, back, at_once);
}

static void
print_table (SluiceAllocator *allocator, const SluiceLedger *ledger)
{
  print_head (allocator, ledger);
  print_moved (allocator);
  for (guint i = 0; i < SLUICE_N_MEMORY_CLASSES; i++)
    if (ledger->class_bytes[i] > 0)
      {
        g_autofree char *size =
            g_format_size_full (ledger->class_bytes[i], G_FORMAT_SIZE_IEC_UNITS);
        printf ("  %-10s %s\n", sluice_memory_class_name (i), size);
      }
  for (guint i = 0; i < MIN (ledger->holders->len, N_SHOWN); i++)
    {
      const SluiceMemoryHolder *holder = &g_array_index (ledger->holders, SluiceMemoryHolder, i);
      g_autofree char *name = sluice_allocator_dup_node_name (allocator, holder->owner.node);
      g_autofree char *size = g_format_size_full (holder->bytes, G_FORMAT_SIZE_IEC_UNITS);
      g_autofree char *label = sluice_block_label_to_string (&holder->largest);
      printf (_ ("  %s  %s, %s in %u blocks%s%s\n"), size, name != NULL ? name : _ ("no node"),
              sluice_memory_class_name (holder->owner.memory_class), holder->n_blocks,
              label != NULL ? _ (" up to ") : "", label != NULL ? label : "");
    }
  if (ledger->holders->len > N_SHOWN)
    printf (_ ("  and %u more\n"), ledger->holders->len - N_SHOWN);
}

static void
add_moved (JsonBuilder *b, SluiceAllocator *allocator)
{
  const SluiceResidencyStats moved = get_moved (allocator);
  json_builder_begin_object (b);
  sluice_cli_json_int (b, "out", (gint64) moved.n_out);
  sluice_cli_json_int (b, "out_bytes", (gint64) moved.bytes_out);
  sluice_cli_json_int (b, "back", (gint64) moved.n_back);
  sluice_cli_json_int (b, "back_bytes", (gint64) moved.bytes_back);
  sluice_cli_json_int (b, "away_bytes", (gint64) moved.bytes_away);
  sluice_cli_json_int (b, "at_once_bytes", (gint64) moved.most_at_once);
  json_builder_end_object (b);
}

static void
add_json (JsonBuilder *b, SluiceAllocator *allocator, const SluiceLedger *ledger)
{
  json_builder_begin_object (b);
  sluice_cli_json_string (b, "device", sluice_allocator_get_name (allocator));
  sluice_cli_json_int (b, "peak_bytes", (gint64) ledger->peak_bytes);
  sluice_cli_json_int (b, "held_bytes", (gint64) ledger->reserved_bytes);
  json_builder_set_member_name (b, "limit_bytes");
  if (sluice_allocator_is_limited (allocator))
    json_builder_add_int_value (b, (gint64) sluice_allocator_get_limit (allocator));
  else
    json_builder_add_null_value (b);
  json_builder_set_member_name (b, "moved");
  add_moved (b, allocator);
  json_builder_set_member_name (b, "classes");
  json_builder_begin_object (b);
  for (guint i = 0; i < SLUICE_N_MEMORY_CLASSES; i++)
    sluice_cli_json_int (b, sluice_memory_class_name (i), (gint64) ledger->class_bytes[i]);
  json_builder_end_object (b);
  json_builder_set_member_name (b, "holders");
  json_builder_begin_array (b);
  for (guint i = 0; i < ledger->holders->len; i++)
    {
      const SluiceMemoryHolder *holder = &g_array_index (ledger->holders, SluiceMemoryHolder, i);
      g_autofree char *name = sluice_allocator_dup_node_name (allocator, holder->owner.node);
      g_autofree char *label = sluice_block_label_to_string (&holder->largest);
      json_builder_begin_object (b);
      sluice_cli_json_string (b, "node", name);
      sluice_cli_json_string (b, "class", sluice_memory_class_name (holder->owner.memory_class));
      sluice_cli_json_int (b, "bytes", (gint64) holder->bytes);
      sluice_cli_json_int (b, "blocks", holder->n_blocks);
      sluice_cli_json_string (b, "largest", label);
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
  json_builder_end_object (b);
}

void
sluice_cli_print_memory (SluiceSession *session)
{
  JsonBuilder *b = sluice_cli_json_begin ();
  json_builder_set_member_name (b, "memory");
  json_builder_begin_array (b);
  for (guint i = 0; i < sluice_session_get_n_devices (session); i++)
    {
      g_autoptr (SluiceLedger) ledger = sluice_session_dup_ledger (session, i);
      SluiceAllocator *allocator = sluice_session_get_device (session, i)->allocator;
      if (ledger == NULL || ledger->peak_bytes == 0)
        continue;
      if (sluice_cli_json)
        add_json (b, allocator, ledger);
      else
        print_table (allocator, ledger);
    }
  json_builder_end_array (b);
  sluice_cli_json_end (b);
}

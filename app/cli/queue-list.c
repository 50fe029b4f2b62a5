/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/cli/queue-list.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <stdio.h>

#include "engine/base/text.h"
#include "engine/store/run-queue.h"

static void
add_need (JsonBuilder *b, const char *name, gint64 need)
{
  if (need > 0)
    sluice_cli_json_int (b, name, need);
  else
    sluice_cli_json_null (b, name);
}

static void
print_json (const SluiceQueueEntry *entry, guint place, gboolean paused)
{
  const SluiceRunInfo *info = entry->info;
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_int (b, "id", info->id);
  sluice_cli_json_string (b, "run", info->name);
  sluice_cli_json_string (b, "state", sluice_run_state_name (info->state));
  sluice_cli_json_int (b, "place", place);
  sluice_cli_json_string (b, "group", info->group);
  sluice_cli_json_string (b, "after", entry->after_name);
  sluice_cli_json_int (b, "step", info->step);
  sluice_cli_json_int (b, "steps", info->n_steps);
  sluice_cli_json_string (b, "devices", entry->devices);
  add_need (b, "memory", entry->memory);
  add_need (b, "threads", entry->threads);
  sluice_cli_json_bool (b, "paused", paused);
  sluice_cli_json_end (b);
}

static void
print_text (const SluiceQueueEntry *entry, guint place)
{
  const SluiceRunInfo *info = entry->info;
  g_autoptr (GString) line = g_string_new (NULL);
  g_string_append_printf (
      line, "%4u  #%" G_GINT64_FORMAT " %-24s %-9s %" G_GINT64_FORMAT "/%" G_GINT64_FORMAT, place,
      info->id, info->name, _ (sluice_run_state_name (info->state)), info->step, info->n_steps);
  if (info->group != NULL)
    g_string_append_printf (line, "  (%s)", info->group);
  if (entry->after_name != NULL)
    g_string_append_printf (line, _ ("  after %s"), entry->after_name);
  if (entry->devices != NULL)
    g_string_append_printf (line, _ ("  device: %s"), entry->devices);
  if (entry->threads > 0)
    g_string_append_printf (line, _ ("  threads: %" PRId64), entry->threads);
  if (entry->memory > 0)
    {
      g_autofree char *size = g_format_size_full (entry->memory, G_FORMAT_SIZE_IEC_UNITS);
      g_string_append_printf (line, _ ("  memory: %s"), size);
    }
  g_autofree char *safe = sluice_text_escape (line->str);
  printf ("%s\n", safe);
}

/* Those with numbers from first to last. */
static gboolean
print (SluiceStore *store, gint64 first, gint64 last, GError **error)
{
  gboolean paused;
  g_autoptr (GPtrArray) entries = sluice_run_queue_dup_entries (store, error);
  if (entries == NULL || !sluice_run_queue_get_paused (store, &paused, error))
    return FALSE;
  for (guint i = 0; i < entries->len; i++)
    {
      const SluiceQueueEntry *entry = entries->pdata[i];
      if (entry->info->id < first || entry->info->id > last)
        continue;
      if (sluice_cli_json)
        print_json (entry, i + 1, paused);
      else
        print_text (entry, i + 1);
    }
  if (paused && !sluice_cli_json)
    puts (_ ("The queue is paused; 'sluice queue resume' lets it go on."));
  return TRUE;
}

gboolean
sluice_cli_print_queue (SluiceStore *store, gint64 only, GError **error)
{
  return only != 0 ? print (store, only, only, error) : print (store, 1, G_MAXINT64, error);
}

gboolean
sluice_cli_print_new (SluiceStore *store, GPtrArray *runs, GError **error)
{
  const SluiceRunInfo *first = runs->pdata[0], *last = runs->pdata[runs->len - 1];
  return print (store, first->id, last->id, error);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/cli/runs-empty.h"

#include <glib/gi18n-lib.h>
#include <stdio.h>

#include "app/cli/cli.h"
#include "app/cli/json.h"
#include "engine/base/text.h"

static const SluiceTrashItem *
find_item (GPtrArray *items, gint64 run)
{
  for (guint i = 0; i < items->len; i++)
    if (((const SluiceTrashItem *) items->pdata[i])->run == run)
      return items->pdata[i];
  return NULL;
}

/* (transfer container) (nullable) (element-type SluiceTrashItem) */
static GPtrArray *
find_named (SluiceStore *store, GPtrArray *items, char **names, GError **error)
{
  g_autoptr (GPtrArray) found = g_ptr_array_new ();
  for (guint i = 0; names[i] != NULL; i++)
    {
      g_autoptr (SluiceRunInfo) info = sluice_store_dup_deleted_run (store, names[i], error);
      const SluiceTrashItem *item = info != NULL ? find_item (items, info->id) : NULL;
      if (info == NULL)
        return NULL;
      if (item != NULL && !g_ptr_array_find (found, item, NULL))
        g_ptr_array_add (found, (gpointer) item);
    }
  return g_steal_pointer (&found);
}

static void
print_item (const SluiceTrashItem *item)
{
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_int (b, "id", item->run);
  sluice_cli_json_string (b, "run", item->name);
  sluice_cli_json_int (b, "bytes", (gint64) item->bytes);
  sluice_cli_json_end (b);
  if (sluice_cli_json)
    return;
  g_autofree char *size = g_format_size (item->bytes);
  g_autofree char *name = sluice_text_escape (item->name);
  printf (_ ("run %s: deleted for good, %s\n"), name, size);
}

gboolean
sluice_cli_empty_trash (SluiceStore *store,
                        char **names,
                        const SluiceTrashLimits *limits,
                        GError **error)
{
  g_autoptr (GPtrArray) items = sluice_store_read_trash (store, error);
  if (items == NULL)
    return FALSE;
  g_autoptr (GPtrArray) chosen =
      names[0] != NULL ? find_named (store, items, names, error)
                       : sluice_trash_choose (items, limits, (double) g_get_real_time () * 1e-6);
  for (guint i = 0; chosen != NULL && i < chosen->len; i++)
    {
      const SluiceTrashItem *item = chosen->pdata[i];
      if (!sluice_store_empty_run (store, item->run, error))
        return FALSE;
      print_item (item);
    }
  return chosen != NULL;
}

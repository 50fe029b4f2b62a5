/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/run-settings.h"

#include <string.h>

#include "ui/chart/ticks.h"

const SluiceSetting *
sluice_run_find_setting (SluiceRun *run, const char *name)
{
  GPtrArray *settings = sluice_run_get_settings (run);
  for (guint i = 0; i < settings->len; i++)
    if (strcmp (((const SluiceSetting *) settings->pdata[i])->name, name) == 0)
      return settings->pdata[i];
  return NULL;
}

gboolean
sluice_setting_is_same (const SluiceSetting *a, const SluiceSetting *b)
{
  if (a == NULL || b == NULL)
    return a == b;
  return g_strcmp0 (a->text, b->text) == 0
         && memcmp (&a->number, &b->number, sizeof a->number) == 0; /* NaN is like NaN */
}

gboolean
sluice_runs_differ_in (GPtrArray *runs, const char *name)
{
  const SluiceSetting *first =
      runs->len > 0 ? sluice_run_find_setting (runs->pdata[0], name) : NULL;
  for (guint i = 1; i < runs->len; i++)
    if (!sluice_setting_is_same (first, sluice_run_find_setting (runs->pdata[i], name)))
      return TRUE;
  return FALSE;
}

char *
sluice_setting_format (const SluiceSetting *self)
{
  if (self == NULL)
    return g_strdup ("–");
  return self->text != NULL ? g_strdup (self->text) : sluice_format_exact (self->number);
}

GHashTable *
sluice_runs_find_differing (GPtrArray *runs)
{
  GHashTable *differing = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) first = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) counts = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < runs->len; i++)
    {
      GPtrArray *settings = sluice_run_get_settings (runs->pdata[i]);
      for (guint k = 0; k < settings->len; k++)
        {
          SluiceSetting *setting = settings->pdata[k];
          const SluiceSetting *before = g_hash_table_lookup (first, setting->name);
          guint n = GPOINTER_TO_UINT (g_hash_table_lookup (counts, setting->name));
          g_hash_table_insert (counts, setting->name, GUINT_TO_POINTER (n + 1));
          if (before == NULL)
            g_hash_table_insert (first, setting->name, setting);
          else if (!sluice_setting_is_same (before, setting))
            g_hash_table_add (differing, g_strdup (setting->name));
        }
    }
  GHashTableIter iter;
  gpointer name, n;
  g_hash_table_iter_init (&iter, counts);
  while (g_hash_table_iter_next (&iter, &name, &n))
    if (GPOINTER_TO_UINT (n) < runs->len) /* some run has none */
      g_hash_table_add (differing, g_strdup (name));
  return differing;
}

char *
sluice_run_dup_own_settings (SluiceRun *run, GHashTable *differing, guint most)
{
  GPtrArray *settings = sluice_run_get_settings (run);
  GString *out = g_string_new (NULL);
  guint n = 0;
  for (guint i = 0; i < settings->len && n < most; i++)
    {
      const SluiceSetting *setting = settings->pdata[i];
      if (strcmp (setting->name, SLUICE_SETTING_SEED) == 0
          || !g_hash_table_contains (differing, setting->name))
        continue;
      g_autofree char *value = sluice_setting_format (setting);
      g_string_append_printf (out, "%s%s %s", n++ > 0 ? ", " : "", setting->name, value);
    }
  return g_string_free (out, FALSE);
}

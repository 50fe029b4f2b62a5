/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/seed-groups.h"

#include <string.h>

#include "engine/store/kinds/hparams.h"

#define SEED "seed"

static void
group_free (gpointer data)
{
  SluiceSeedGroup *self = data;
  g_free (self->name);
  g_ptr_array_unref (self->runs);
  g_free (self);
}

static void
append_setting (GString *key, const SluiceSetting *setting)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  g_ascii_dtostr (number, sizeof number, setting->number);
  g_string_append_printf (key, "\n%s=%s", setting->name,
                          setting->text != NULL ? setting->text : number);
}

/* What runs of a group have in common: (nullable) where too little is known of the run. */
static char *
dup_key (SluiceRun *run)
{
  const SluiceRunInfo *info = sluice_run_get_info (run);
  GPtrArray *settings = sluice_run_get_settings (run);
  if (settings->len == 0 || info->graph_hash == NULL || *info->graph_hash == '\0')
    return NULL;
  GString *key = g_string_new (info->project);
  g_string_append_printf (key, "\n%s", info->graph_hash);
  for (guint i = 0; i < settings->len; i++)
    if (strcmp (((const SluiceSetting *) settings->pdata[i])->name, SEED) != 0)
      append_setting (key, settings->pdata[i]);
  return g_string_free (key, FALSE);
}

static gboolean
has_seed (const SluiceSeedGroup *group, guint64 seed)
{
  for (guint i = 0; i < group->runs->len; i++)
    if (sluice_run_get_info (group->runs->pdata[i])->seed == seed)
      return TRUE;
  return FALSE;
}

/* What all names begin with, without the number that told them apart. */
static char *
dup_common_name (const SluiceSeedGroup *group)
{
  const SluiceRunInfo *first = sluice_run_get_info (group->runs->pdata[0]);
  g_autofree char *name = g_strdup (first->name);
  for (guint i = 1; i < group->runs->len; i++)
    {
      const char *other = sluice_run_get_info (group->runs->pdata[i])->name;
      char *end = name;
      for (; *end != '\0' && *end == *other; end++, other++)
        ;
      *end = '\0';
    }
  const char *valid;
  g_utf8_validate (name, -1, &valid);
  name[valid - name] = '\0';
  for (gsize n = strlen (name); n > 0 && strchr ("-_ .0123456789", name[n - 1]) != NULL; n--)
    name[n - 1] = '\0';
  return *name != '\0' ? g_steal_pointer (&name) : g_strdup (first->project);
}

GPtrArray *
sluice_seed_groups_new (GListModel *runs)
{
  GPtrArray *groups = g_ptr_array_new_with_free_func (group_free);
  g_autoptr (GHashTable) by_key = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = g_list_model_get_n_items (runs); i-- > 0;)
    {
      g_autoptr (SluiceRun) run = g_list_model_get_item (runs, i);
      g_autofree char *key = sluice_run_get_shown (run) ? dup_key (run) : NULL;
      SluiceSeedGroup *group = key != NULL ? g_hash_table_lookup (by_key, key) : NULL;
      if (key == NULL)
        continue;
      if (group == NULL)
        {
          group = g_new0 (SluiceSeedGroup, 1);
          group->runs = g_ptr_array_new_with_free_func (g_object_unref);
          g_ptr_array_add (groups, group);
          g_hash_table_insert (by_key, g_steal_pointer (&key), group);
        }
      if (!has_seed (group, sluice_run_get_info (run)->seed))
        g_ptr_array_add (group->runs, g_steal_pointer (&run));
    }
  for (guint i = groups->len; i-- > 0;)
    if (((SluiceSeedGroup *) groups->pdata[i])->runs->len < 2)
      g_ptr_array_remove_index (groups, i);
  for (guint i = 0; i < groups->len; i++)
    ((SluiceSeedGroup *) groups->pdata[i])->name = dup_common_name (groups->pdata[i]);
  return groups;
}

const SluiceSeedGroup *
sluice_seed_groups_find (GPtrArray *groups, SluiceRun *run)
{
  for (guint i = 0; groups != NULL && i < groups->len; i++)
    if (g_ptr_array_find (((SluiceSeedGroup *) groups->pdata[i])->runs, run, NULL))
      return groups->pdata[i];
  return NULL;
}

static gboolean
group_equal (const SluiceSeedGroup *a, const SluiceSeedGroup *b)
{
  if (a->runs->len != b->runs->len)
    return FALSE;
  for (guint i = 0; i < a->runs->len; i++)
    if (a->runs->pdata[i] != b->runs->pdata[i])
      return FALSE;
  return TRUE;
}

gboolean
sluice_seed_groups_equal (GPtrArray *a, GPtrArray *b)
{
  guint n = a != NULL ? a->len : 0;
  if (n != (b != NULL ? b->len : 0))
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (!group_equal (a->pdata[i], b->pdata[i]))
      return FALSE;
  return TRUE;
}

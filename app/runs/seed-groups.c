/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/seed-groups.h"

#include <string.h>

#include "engine/train/experiment.h"

typedef struct
{
  SluiceSeedGroup base;
  GArray *seeds; /* of guint64: the runs' */
} Group;

static void
group_free (gpointer data)
{
  Group *self = data;
  g_free (self->base.name);
  g_ptr_array_unref (self->base.runs);
  g_array_unref (self->seeds);
  g_free (self);
}

static Group *
group_new (void)
{
  Group *self = g_new0 (Group, 1);
  self->base.runs = g_ptr_array_new_with_free_func (g_object_unref);
  self->seeds = g_array_new (FALSE, FALSE, sizeof (guint64));
  return self;
}

static gboolean
has_seed (const Group *group, guint64 seed)
{
  for (guint i = 0; i < group->seeds->len; i++)
    if (g_array_index (group->seeds, guint64, i) == seed)
      return TRUE;
  return FALSE;
}

char *
sluice_seed_groups_dup_name (GPtrArray *infos)
{
  const SluiceRunInfo *first = infos->pdata[0];
  g_autofree char *name = g_strdup (first->name);
  for (guint i = 1; i < infos->len; i++)
    {
      const char *other = ((const SluiceRunInfo *) infos->pdata[i])->name;
      char *end = name;
      for (; *end != '\0' && *end == *other; end++, other++)
        ;
      *end = '\0';
    }
  const char *valid;
  g_utf8_validate (name, -1, &valid);
  name[valid - name] = '\0';
  for (gsize n = strlen (name); n > 0 && strchr ("-_= .:0123456789", name[n - 1]) != NULL; n--)
    name[n - 1] = '\0';
  if (*name != '\0')
    return g_steal_pointer (&name);
  return g_strdup (first->project != NULL && *first->project != '\0' ? first->project
                                                                     : first->name);
}

static char *
dup_common_name (const SluiceSeedGroup *group)
{
  g_autoptr (GPtrArray) infos = g_ptr_array_new ();
  for (guint i = 0; i < group->runs->len; i++)
    g_ptr_array_add (infos, (gpointer) sluice_run_get_info (group->runs->pdata[i]));
  return sluice_seed_groups_dup_name (infos);
}

/* @take: (transfer full): its key. */
static void
add_run (GPtrArray *groups, GHashTable *by_key, SluiceRun *run, char *take, guint64 seed)
{
  g_autofree char *key = take;
  Group *group = g_hash_table_lookup (by_key, key);
  if (group == NULL)
    {
      group = group_new ();
      g_ptr_array_add (groups, group);
      g_hash_table_insert (by_key, g_steal_pointer (&key), group);
    }
  if (has_seed (group, seed))
    return;
  g_ptr_array_add (group->base.runs, g_object_ref (run));
  g_array_append_val (group->seeds, seed);
}

GPtrArray *
sluice_seed_groups_new (GListModel *runs, gboolean hidden_too)
{
  GPtrArray *groups = g_ptr_array_new_with_free_func (group_free);
  g_autoptr (GHashTable) by_key = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = g_list_model_get_n_items (runs); i-- > 0;)
    {
      g_autoptr (SluiceRun) run = g_list_model_get_item (runs, i);
      guint64 seed;
      char *key = hidden_too || sluice_run_get_shown (run) ? sluice_experiment_dup_key (
                      sluice_run_get_info (run), sluice_run_get_settings (run), &seed)
                                                           : NULL;
      if (key != NULL)
        add_run (groups, by_key, run, key, seed);
    }
  for (guint i = groups->len; i-- > 0;)
    if (((SluiceSeedGroup *) groups->pdata[i])->runs->len < 2)
      g_ptr_array_remove_index (groups, i);
  for (guint i = 0; i < groups->len; i++)
    ((SluiceSeedGroup *) groups->pdata[i])->name = dup_common_name (groups->pdata[i]);
  return groups;
}

GPtrArray *
sluice_seed_groups_sort (GPtrArray *groups, GListModel *runs)
{
  GPtrArray *sorted = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GHashTable) of_run = g_hash_table_new (NULL, NULL),
                         done = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < groups->len; i++)
    {
      SluiceSeedGroup *group = groups->pdata[i];
      for (guint k = 0; k < group->runs->len; k++)
        g_hash_table_insert (of_run, group->runs->pdata[k], group);
    }
  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SluiceRun) run = g_list_model_get_item (runs, i);
      const SluiceSeedGroup *group = g_hash_table_lookup (of_run, run);
      if (group == NULL)
        g_ptr_array_add (sorted, g_steal_pointer (&run));
      else if (g_hash_table_add (done, (gpointer) group))
        for (guint k = group->runs->len; k-- > 0;)
          g_ptr_array_add (sorted, g_object_ref (group->runs->pdata[k]));
    }
  return sorted;
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

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/run-table-private.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "app/runs/run-group.h"
#include "app/status-text.h"

/* ---- a group, or a run ---- */

static GPtrArray *
list_entries (SluiceRunItem *group)
{
  GPtrArray *entries = g_ptr_array_sized_new (group->members->len);
  for (guint i = 0; i < group->members->len; i++)
    g_ptr_array_add (entries, ((SluiceRunItem *) group->members->pdata[i])->entry);
  return entries;
}

const SluiceRunEntry *
sluice_run_item_get_entry (SluiceRunItem *self)
{
  if (self->entry == NULL)
    {
      g_autoptr (GPtrArray) entries = list_entries (self);
      self->entry = sluice_run_group_new_entry (
          entries, sluice_run_group_dup_title (self->by, self->key, entries));
    }
  return self->entry;
}

GPtrArray *
sluice_run_item_get_members (SluiceRunItem *self)
{
  return self->members;
}

gboolean
sluice_run_item_get_open (SluiceRunItem *self)
{
  return self->is_open;
}

gboolean
sluice_run_item_is_member (SluiceRunItem *self)
{
  return self->is_member;
}

/* Of "98.7 %", and the space before it, of whatever width. */
static void
drop_unit (char *text)
{
  char *end = text + strlen (text) - 1;
  for (char *before = g_utf8_find_prev_char (text, end);
       before != NULL && g_unichar_isspace (g_utf8_get_char (before));
       before = g_utf8_find_prev_char (text, before))
    end = before;
  *end = '\0';
}

/* "98.7 ± 0.1 %" */
static char *
dup_mean_text (SluiceRunItem *self, const SluiceRunColumn *column, char *mean)
{
  g_autofree char *take = mean;
  g_autoptr (GPtrArray) entries = list_entries (self);
  double deviation = sluice_run_group_get_deviation (entries, column->name,
                                                     column->kind == SLUICE_RUN_COLUMN_BEST);
  if (isnan (deviation) || *mean == '\0')
    return g_steal_pointer (&take);
  g_autofree char *around = sluice_format_value (deviation, sluice_tag_unit (column->name));
  if (g_str_has_suffix (mean, "%") && g_str_has_suffix (around, "%"))
    drop_unit (mean);
  return g_strdup_printf ("%s ± %s", mean, around);
}

char *
sluice_run_item_dup_text (SluiceRunItem *self, const SluiceRunColumn *column)
{
  if (self->members != NULL
      && (column->kind == SLUICE_RUN_COLUMN_SEED || column->kind == SLUICE_RUN_COLUMN_NOTES
          || column->kind == SLUICE_RUN_COLUMN_BEST_STEP))
    return g_strdup (""); /* each has its own */
  char *text = sluice_run_column_dup_text (column, sluice_run_item_get_entry (self));
  if (self->members != NULL
      && (column->kind == SLUICE_RUN_COLUMN_BEST || column->kind == SLUICE_RUN_COLUMN_LAST))
    return dup_mean_text (self, column, text);
  return text;
}

char *
sluice_run_item_dup_detail (SluiceRunItem *self, const SluiceRunColumn *column)
{
  if (self->members == NULL)
    return sluice_run_column_dup_detail (column, self->entry);
  guint n_finished = 0, n = self->members->len;
  for (guint i = 0; i < n; i++)
    n_finished +=
        ((SluiceRunItem *) self->members->pdata[i])->entry->info->state == SLUICE_RUN_FINISHED;
  if (column->kind != SLUICE_RUN_COLUMN_STATE || n_finished == n)
    return NULL;
  /* Translators: how many runs of a group have finished. */
  return g_strdup_printf (_ ("%u of %u"), n_finished, n);
}

/* ---- which are found ---- */

static gboolean
is_in_view (const char *view, const SluiceRunInfo *info)
{
  return strcmp (view, SLUICE_RUN_VIEW_ALL) == 0 ? TRUE
         : strcmp (view, SLUICE_RUN_VIEW_STARRED) == 0
             ? info->is_starred
             : strcmp (view, sluice_run_state_name (info->state)) == 0;
}

static gboolean
has_tag (const SluiceRunInfo *info, const char *tag)
{
  return info->tags != NULL && g_strv_contains ((const char *const *) info->tags, tag);
}

static gboolean
has_wanted_tags (const SluiceRunTable *self, const SluiceRunInfo *info)
{
  GHashTableIter iter;
  gpointer tag;
  g_hash_table_iter_init (&iter, self->tags_wanted);
  while (g_hash_table_iter_next (&iter, &tag, NULL))
    if (!has_tag (info, tag))
      return FALSE;
  return TRUE;
}

/* (transfer full) (element-type SluiceRunItem) */
static GPtrArray *
find_items (SluiceRunTable *self)
{
  GPtrArray *found = g_ptr_array_sized_new (self->items->len);
  for (guint i = 0; i < self->items->len; i++)
    {
      SluiceRunItem *item = self->items->pdata[i];
      item->index = i;
      item->is_member = FALSE;
      const SluiceRunInfo *info = item->entry->info;
      if ((self->trash || (is_in_view (self->view, info) && has_wanted_tags (self, info)))
          && (self->filter == NULL || sluice_run_filter_matches (self->filter, item->entry)))
        g_ptr_array_add (found, item);
    }
  self->n_found = found->len;
  return found;
}

/* ---- their groups ---- */

static const char *
get_key (SluiceRunTable *self, SluiceRunItem *item)
{
  if (!item->has_key)
    {
      g_free (item->key);
      item->key = sluice_run_group_dup_key (self->group_by, item->entry);
      item->has_key = TRUE;
    }
  return item->key;
}

/* Takes the members. They are newest first; a group has them oldest first. */
static void
set_members (SluiceRunItem *group, GPtrArray *members)
{
  gboolean is_same = group->members != NULL && group->members->len == members->len;
  for (guint i = 0; i < members->len / 2; i++)
    {
      gpointer item = members->pdata[i];
      members->pdata[i] = members->pdata[members->len - 1 - i];
      members->pdata[members->len - 1 - i] = item;
    }
  for (guint i = 0; i < members->len; i++)
    {
      is_same = is_same && group->members->pdata[i] == members->pdata[i]
                && !((SluiceRunItem *) members->pdata[i])->is_stale;
      g_object_ref (members->pdata[i]);
    }
  g_ptr_array_set_free_func (members, g_object_unref);
  g_clear_pointer (&group->members, g_ptr_array_unref);
  group->members = members;
  group->index = ((SluiceRunItem *) members->pdata[members->len - 1])->index;
  if (is_same)
    return;
  g_clear_pointer (&group->entry, sluice_run_entry_free);
  sluice_run_item_emit_changed (group);
}

/* (transfer none): the one that there was of the key, or a new one. Takes the members. */
static SluiceRunItem *
ensure_group (SluiceRunTable *self, GHashTable *groups, const char *key, GPtrArray *members)
{
  SluiceRunItem *group = g_hash_table_lookup (self->groups, key);
  if (group != NULL)
    g_object_ref (group);
  else
    {
      group = g_object_new (SLUICE_TYPE_RUN_ITEM, NULL);
      group->key = g_strdup (key);
      group->by = g_strdup (self->group_by);
    }
  g_hash_table_insert (groups, group->key, group);
  set_members (group, members);
  return group;
}

/* Of found items those that stand alone, and groups: (transfer container). */
static GPtrArray *
group_items (SluiceRunTable *self, GPtrArray *found)
{
  GPtrArray *top = g_ptr_array_sized_new (found->len);
  GHashTable *groups = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_object_unref);
  g_autoptr (GHashTable) by_key =
      g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) g_ptr_array_unref);
  for (guint i = 0; i < found->len; i++)
    {
      const char *key = get_key (self, found->pdata[i]);
      GPtrArray *members = key != NULL ? g_hash_table_lookup (by_key, key) : NULL;
      if (key != NULL && members == NULL)
        {
          members = g_ptr_array_new ();
          g_hash_table_insert (by_key, (gpointer) key, members);
        }
      if (members != NULL)
        g_ptr_array_add (members, found->pdata[i]);
    }
  for (guint i = 0; i < found->len; i++)
    {
      const char *key = ((SluiceRunItem *) found->pdata[i])->key;
      GPtrArray *members = key != NULL ? g_hash_table_lookup (by_key, key) : NULL;
      if (members == NULL || members->len < 2)
        g_ptr_array_add (top, found->pdata[i]);
      else if (members->pdata[0] == found->pdata[i]) /* the newest one: its group stands there */
        g_ptr_array_add (top,
                         ensure_group (self, groups, key, g_ptr_array_copy (members, NULL, NULL)));
    }
  g_hash_table_unref (self->groups);
  self->groups = groups;
  return top;
}

/* ---- their order ---- */

typedef struct
{
  SluiceRunItem *item;
  SluiceRunKey key;
} Placed;

static int
compare_places (gconstpointer a, gconstpointer b, gpointer descending)
{
  const Placed *first = a, *second = b;
  int result = sluice_run_key_compare (&first->key, &second->key, GPOINTER_TO_INT (descending));
  return result != 0 ? result
                     : (first->item->index > second->item->index)
                           - (first->item->index < second->item->index);
}

/* A key is found once a run, not once a comparison. */
static void
sort_items (SluiceRunTable *self, GPtrArray *items)
{
  const SluiceRunColumn *column = sluice_run_table_find_column (self, self->sort);
  if (column == NULL)
    return; /* as they are: newest first */
  g_autofree Placed *placed = g_new (Placed, MAX (1, items->len));
  for (guint i = 0; i < items->len; i++)
    {
      SluiceRunItem *item = items->pdata[i];
      placed[i] =
          (Placed){ item, sluice_run_column_get_key (column, sluice_run_item_get_entry (item)) };
    }
  g_qsort_with_data (placed, (int) items->len, sizeof *placed, compare_places,
                     GINT_TO_POINTER (self->descending));
  for (guint i = 0; i < items->len; i++)
    items->pdata[i] = placed[i].item;
}

/* (transfer container): a group's members, in the order of the rows: newest first unless sorted. */
static GPtrArray *
list_members (SluiceRunTable *self, SluiceRunItem *group)
{
  GPtrArray *members = g_ptr_array_new ();
  for (guint i = group->members->len; i-- > 0;)
    g_ptr_array_add (members, group->members->pdata[i]);
  sort_items (self, members);
  return members;
}

/* ---- the rows ---- */

/* Rows that stay where they are stay as they are. */
static void
set_rows (SluiceRunTable *self, GPtrArray *sorted)
{
  GListModel *rows = G_LIST_MODEL (self->rows);
  guint n = g_list_model_get_n_items (rows), start = 0, end = 0;
  for (; start < MIN (n, sorted->len); start++)
    {
      g_autoptr (SluiceRunItem) item = g_list_model_get_item (rows, start);
      if (item != sorted->pdata[start])
        break;
    }
  for (; end < MIN (n, sorted->len) - start; end++)
    {
      g_autoptr (SluiceRunItem) item = g_list_model_get_item (rows, n - 1 - end);
      if (item != sorted->pdata[sorted->len - 1 - end])
        break;
    }
  if (start + end < MAX (n, sorted->len))
    g_list_store_splice (self->rows, start, n - start - end, sorted->pdata + start,
                         sorted->len - start - end);
}

static void
add_row (SluiceRunTable *self, GPtrArray *rows, SluiceRunItem *item)
{
  g_ptr_array_add (rows, item);
  if (!item->is_open || item->members == NULL)
    return;
  g_autoptr (GPtrArray) members = list_members (self, item);
  for (guint i = 0; i < members->len; i++)
    {
      ((SluiceRunItem *) members->pdata[i])->is_member = TRUE;
      g_ptr_array_add (rows, members->pdata[i]);
    }
}

void
sluice_run_table_arrange (SluiceRunTable *self)
{
  g_autoptr (GPtrArray) found = find_items (self);
  g_autoptr (GPtrArray) top =
      self->group_by != NULL && !self->trash ? group_items (self, found) : g_ptr_array_ref (found);
  g_autoptr (GPtrArray) rows = g_ptr_array_sized_new (found->len);
  sort_items (self, top);
  for (guint i = 0; i < top->len; i++)
    add_row (self, rows, top->pdata[i]);
  set_rows (self, rows);
  for (guint i = 0; i < self->items->len; i++)
    ((SluiceRunItem *) self->items->pdata[i])->is_stale = FALSE;
}

void
sluice_run_table_set_open (SluiceRunTable *self, SluiceRunItem *group, gboolean open)
{
  guint at;
  if (group->members == NULL || group->is_open == open
      || !g_list_store_find (self->rows, group, &at))
    return;
  g_autoptr (GPtrArray) members = list_members (self, group);
  group->is_open = open;
  for (guint i = 0; i < members->len; i++)
    ((SluiceRunItem *) members->pdata[i])->is_member = open;
  g_list_store_splice (self->rows, at + 1, open ? 0 : members->len, members->pdata,
                       open ? members->len : 0);
  sluice_run_item_emit_changed (group);
}

void
sluice_run_table_set_group_by (SluiceRunTable *self, const char *by)
{
  if (g_strcmp0 (self->group_by, by) == 0)
    return;
  char *copy = g_strdup (by);
  g_free (self->group_by);
  self->group_by = copy;
  for (guint i = 0; i < self->items->len; i++)
    ((SluiceRunItem *) self->items->pdata[i])->has_key = FALSE;
  g_hash_table_remove_all (self->groups);
  sluice_run_table_arrange (self);
  sluice_run_table_emit_changed (self);
}

const char *
sluice_run_table_get_group_by (SluiceRunTable *self)
{
  return self->group_by;
}

/* ---- views ---- */

void
sluice_run_table_set_view (SluiceRunTable *self, const char *view)
{
  if (strcmp (self->view, view) == 0)
    return;
  g_free (self->view);
  self->view = g_strdup (view);
  sluice_run_table_arrange (self);
  sluice_run_table_emit_changed (self);
}

const char *
sluice_run_table_get_view (SluiceRunTable *self)
{
  return self->view;
}

void
sluice_run_table_set_tag_wanted (SluiceRunTable *self, const char *tag, gboolean wanted)
{
  gboolean anew = wanted ? g_hash_table_add (self->tags_wanted, g_strdup (tag))
                         : g_hash_table_remove (self->tags_wanted, tag);
  if (!anew)
    return;
  sluice_run_table_arrange (self);
  sluice_run_table_emit_changed (self);
}

gboolean
sluice_run_table_get_tag_wanted (SluiceRunTable *self, const char *tag)
{
  return g_hash_table_contains (self->tags_wanted, tag);
}

void
sluice_run_tag_count_free (gpointer data)
{
  SluiceRunTagCount *self = data;
  g_free (self->tag);
  g_free (self);
}

static void
count_tags (SluiceRunTable *self, GHashTable *seen, char **tags)
{
  for (guint i = 0; tags != NULL && tags[i] != NULL; i++)
    {
      SluiceRunTagCount *count = g_hash_table_lookup (seen, tags[i]);
      if (count == NULL)
        {
          count = g_new (SluiceRunTagCount, 1);
          *count = (SluiceRunTagCount){ g_strdup (tags[i]), 0 };
          g_ptr_array_add (self->counts.tags, count);
          g_hash_table_insert (seen, count->tag, count);
        }
      count->n++;
    }
}

static gint
by_tag (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(SluiceRunTagCount *const *) a)->tag, (*(SluiceRunTagCount *const *) b)->tag);
}

void
sluice_run_table_count (SluiceRunTable *self)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  if (self->trash)
    return;
  self->counts = (SluiceRunCounts){ .version = self->counts.version + 1,
                                    .n = self->items->len,
                                    .tags = self->counts.tags };
  g_ptr_array_set_size (self->counts.tags, 0);
  for (guint i = 0; i < self->items->len; i++)
    {
      const SluiceRunInfo *info = ((SluiceRunItem *) self->items->pdata[i])->entry->info;
      self->counts.n_starred += info->is_starred;
      self->counts.n_of_state[info->state]++;
      count_tags (self, seen, info->tags);
    }
  g_ptr_array_sort (self->counts.tags, by_tag);
}

const SluiceRunCounts *
sluice_run_table_get_counts (SluiceRunTable *self)
{
  return &self->counts;
}

guint
sluice_run_table_get_n_found (SluiceRunTable *self)
{
  return self->n_found;
}

guint
sluice_run_table_count_found (SluiceRunTable *self,
                              const char *filter,
                              const char *view,
                              const char *const *tags)
{
  g_autoptr (SluiceRunFilter) wanted = sluice_run_filter_new (filter, NULL);
  guint n = 0;
  if (wanted == NULL || self->trash)
    return G_MAXUINT;
  for (guint i = 0; i < self->items->len; i++)
    {
      const SluiceRunEntry *entry = ((SluiceRunItem *) self->items->pdata[i])->entry;
      gboolean found = is_in_view (view, entry->info) && sluice_run_filter_matches (wanted, entry);
      for (guint k = 0; found && tags[k] != NULL; k++)
        found = has_tag (entry->info, tags[k]);
      n += found;
    }
  return n;
}

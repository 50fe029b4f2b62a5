/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/run-table-private.h"

#include <math.h>
#include <string.h>

#define SLICE_US 2000
#define FRAME_MS 16
/* A run that is a hundred times as long does not shorten the others: so few are longer than what is
 * drawn. */
#define OUTSIDE 0.1

/* ---- a run ---- */

G_DEFINE_FINAL_TYPE (SluiceRunItem, sluice_run_item, G_TYPE_OBJECT)

static guint item_changed_signal;

static void
sluice_run_item_finalize (GObject *object)
{
  SluiceRunItem *self = SLUICE_RUN_ITEM (object);
  g_clear_pointer (&self->entry, sluice_run_entry_free);
  g_clear_pointer (&self->members, g_ptr_array_unref);
  g_free (self->by);
  g_free (self->key);
  G_OBJECT_CLASS (sluice_run_item_parent_class)->finalize (object);
}

static void
sluice_run_item_class_init (SluiceRunItemClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sluice_run_item_finalize;
  item_changed_signal = g_signal_new ("changed", SLUICE_TYPE_RUN_ITEM, G_SIGNAL_RUN_LAST, 0, NULL,
                                      NULL, NULL, G_TYPE_NONE, 0);
}

static void
sluice_run_item_init (SluiceRunItem *self)
{
}

void
sluice_run_item_emit_changed (SluiceRunItem *self)
{
  g_signal_emit (self, item_changed_signal, 0);
}

static gboolean
is_same_info (const SluiceRunInfo *a, const SluiceRunInfo *b)
{
  gboolean same_tags =
      a->tags == NULL || b->tags == NULL
          ? a->tags == b->tags
          : g_strv_equal ((const char *const *) a->tags, (const char *const *) b->tags);
  return same_tags && a->state == b->state && a->step == b->step && a->n_steps == b->n_steps
         && a->seconds == b->seconds && a->started == b->started && a->ended == b->ended
         && a->parent == b->parent && a->parent_step == b->parent_step
         && a->is_starred == b->is_starred && strcmp (a->name, b->name) == 0
         && g_strcmp0 (a->color, b->color) == 0 && g_strcmp0 (a->notes, b->notes) == 0
         && g_strcmp0 (a->group, b->group) == 0 && g_strcmp0 (a->message, b->message) == 0;
}

static gboolean
is_same_number (double a, double b)
{
  return memcmp (&a, &b, sizeof a) == 0; /* NaN is like NaN */
}

static gboolean
is_same_entry (const SluiceRunEntry *a, const SluiceRunEntry *b)
{
  if (!is_same_info (a->info, b->info) || a->settings->len != b->settings->len
      || a->results->len != b->results->len)
    return FALSE;
  for (guint i = 0; i < a->results->len; i++)
    {
      const SluiceRunResult *first = a->results->pdata[i], *second = b->results->pdata[i];
      if (first->n != second->n || first->last_step != second->last_step
          || !is_same_number (first->last, second->last) || strcmp (first->tag, second->tag) != 0)
        return FALSE;
    }
  return TRUE; /* settings are recorded once */
}

/* ---- the table ---- */

G_DEFINE_FINAL_TYPE (SluiceRunTable, sluice_run_table, G_TYPE_OBJECT)

enum
{
  CHANGED,
  COLUMNS_CHANGED,
  N_SIGNALS,
};
static guint signals[N_SIGNALS];

const SluiceRunColumn *
sluice_run_table_find_column (SluiceRunTable *self, const char *id)
{
  for (guint i = 0; id != NULL && i < self->columns->len; i++)
    if (strcmp (((const SluiceRunColumn *) self->columns->pdata[i])->id, id) == 0)
      return self->columns->pdata[i];
  return NULL;
}

void
sluice_run_table_emit_changed (SluiceRunTable *self)
{
  g_signal_emit (self, signals[CHANGED], 0);
}

gboolean
sluice_run_table_set_filter (SluiceRunTable *self, const char *text, GError **error)
{
  SluiceRunFilter *filter = sluice_run_filter_new (text, error);
  if (filter == NULL)
    return FALSE;
  g_clear_pointer (&self->filter, sluice_run_filter_free);
  self->filter = filter;
  sluice_run_table_arrange (self);
  g_signal_emit (self, signals[CHANGED], 0);
  return TRUE;
}

void
sluice_run_table_set_sort (SluiceRunTable *self, const char *column, gboolean descending)
{
  if (g_strcmp0 (self->sort, column) == 0 && self->descending == descending)
    return;
  char *copy = g_strdup (column);
  g_free (self->sort);
  self->sort = copy;
  self->descending = descending;
  sluice_run_table_arrange (self);
}

const char *
sluice_run_table_get_sort (SluiceRunTable *self, gboolean *descending)
{
  *descending = self->descending;
  return self->sort;
}

/* ---- reading ---- */

typedef struct
{
  SluiceStore *store;
  gboolean trash;
  GPtrArray *columns; /* (nullable) */
} Reading;

static void
reading_free (gpointer data)
{
  Reading *self = data;
  g_object_unref (self->store);
  g_clear_pointer (&self->columns, g_ptr_array_unref);
  g_free (self);
}

static void
read_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Reading *reading = data;
  GError *error = NULL;
  GPtrArray *entries = sluice_store_read_run_entries (reading->store, reading->trash, &error);
  if (entries == NULL)
    {
      g_task_return_error (task, error);
      return;
    }
  reading->columns = sluice_run_columns_new (entries);
  g_task_return_pointer (task, entries, (GDestroyNotify) g_ptr_array_unref);
}

/* Takes over one run. */
static void
take_entry (SluiceRunTable *self, guint at)
{
  SluiceRunEntry *entry = g_steal_pointer (&self->news->pdata[at]);
  SluiceRunItem *item = g_hash_table_lookup (self->by_id, &entry->info->id);
  if (item == NULL)
    {
      item = g_object_new (SLUICE_TYPE_RUN_ITEM, NULL);
      item->entry = entry;
      item->is_stale = TRUE;
      self->differs = TRUE;
      g_ptr_array_add (self->taken, item);
      return;
    }
  g_ptr_array_add (self->taken, g_object_ref (item));
  if (is_same_entry (item->entry, entry))
    {
      sluice_run_entry_free (entry);
      return;
    }
  g_hash_table_steal (self->by_id, &item->entry->info->id); /* its key goes with the entry */
  sluice_run_entry_free (item->entry);
  item->entry = entry;
  item->is_stale = TRUE;
  g_clear_pointer (&item->key, g_free);
  item->has_key = FALSE;
  g_hash_table_insert (self->by_id, &entry->info->id, item);
  self->differs = TRUE;
  sluice_run_item_emit_changed (item);
}

static void
finish_reading (SluiceRunTable *self)
{
  gboolean anew = self->differs || self->taken->len != self->items->len;
  g_clear_pointer (&self->news, g_ptr_array_unref);
  GPtrArray *old = self->items;
  self->items = g_steal_pointer (&self->taken);
  g_hash_table_remove_all (self->by_id);
  for (guint i = 0; i < self->items->len; i++)
    {
      SluiceRunItem *item = self->items->pdata[i];
      g_hash_table_insert (self->by_id, &item->entry->info->id, item);
    }
  if (anew)
    {
      sluice_run_table_count (self);
      sluice_run_table_arrange (self);
    }
  g_ptr_array_unref (old);
  self->state = SLUICE_RUN_TABLE_READY;
  self->reading = FALSE;
  g_clear_pointer (&self->failure, g_free);
  g_signal_emit (self, signals[CHANGED], 0);
  if (self->again)
    sluice_run_table_read (self, self->store);
}

static gboolean
apply_cb (gpointer data)
{
  SluiceRunTable *self = data;
  gint64 deadline = g_get_monotonic_time () + SLICE_US;
  while (self->at < self->news->len)
    {
      take_entry (self, self->at++);
      if (self->at % 64 == 0 && g_get_monotonic_time () > deadline)
        return G_SOURCE_CONTINUE;
    }
  self->apply_source = 0;
  finish_reading (self);
  return G_SOURCE_REMOVE;
}

static void
entry_clear (gpointer entry)
{
  if (entry != NULL)
    sluice_run_entry_free (entry);
}

static void
fail (SluiceRunTable *self, const GError *error)
{
  self->reading = self->again = FALSE;
  self->state = SLUICE_RUN_TABLE_FAILED;
  g_free (self->failure);
  self->failure = g_strdup (error->message);
  g_signal_emit (self, signals[CHANGED], 0);
}

static void
read_done (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceRunTable *self = SLUICE_RUN_TABLE (object);
  Reading *reading = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  GPtrArray *entries = g_task_propagate_pointer (G_TASK (result), &error);
  if (entries == NULL)
    {
      if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        fail (self, error);
      return;
    }
  if (reading->trash != self->trash) /* others are asked for by now */
    {
      g_ptr_array_unref (entries);
      self->reading = FALSE;
      sluice_run_table_read (self, self->store);
      return;
    }
  if (!sluice_run_columns_equal (self->columns, reading->columns))
    {
      g_ptr_array_unref (self->columns);
      self->columns = g_steal_pointer (&reading->columns);
      sluice_run_columns_set_curve (self->columns, self->curve);
      self->differs = TRUE;
      g_signal_emit (self, signals[COLUMNS_CHANGED], 0);
    }
  g_ptr_array_set_free_func (entries, entry_clear);
  self->news = entries;
  self->taken = g_ptr_array_new_with_free_func (g_object_unref);
  self->at = 0;
  if (apply_cb (self) == G_SOURCE_CONTINUE)
    self->apply_source = g_timeout_add (FRAME_MS, apply_cb, self);
}

void
sluice_run_table_read (SluiceRunTable *self, SluiceStore *store)
{
  g_set_object (&self->store, store);
  self->again = self->reading;
  if (self->reading)
    return;
  self->reading = TRUE;
  self->differs = FALSE;
  Reading *reading = g_new0 (Reading, 1);
  reading->store = g_object_ref (store);
  reading->trash = self->trash;
  g_autoptr (GTask) task = g_task_new (self, self->cancellable, read_done, NULL);
  g_task_set_task_data (task, reading, reading_free);
  g_task_run_in_thread (task, read_in_worker);
}

void
sluice_run_table_set_trash (SluiceRunTable *self, gboolean trash)
{
  if (self->trash == trash)
    return;
  self->trash = trash;
  if (self->store != NULL)
    sluice_run_table_read (self, self->store);
}

gboolean
sluice_run_table_get_trash (SluiceRunTable *self)
{
  return self->trash;
}

gboolean
sluice_run_table_is_reading (SluiceRunTable *self)
{
  return self->reading;
}

SluiceRunTableState
sluice_run_table_get_state (SluiceRunTable *self)
{
  return self->state;
}

const char *
sluice_run_table_get_failure (SluiceRunTable *self)
{
  return self->failure;
}

GListModel *
sluice_run_table_get_rows (SluiceRunTable *self)
{
  return G_LIST_MODEL (self->rows);
}

guint
sluice_run_table_get_n_runs (SluiceRunTable *self)
{
  return self->items->len;
}

SluiceRunItem *
sluice_run_table_find (SluiceRunTable *self, gint64 run)
{
  return g_hash_table_lookup (self->by_id, &run);
}

GPtrArray *
sluice_run_table_dup_group (SluiceRunTable *self, const char *group)
{
  GPtrArray *items = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < self->items->len; i++)
    {
      SluiceRunItem *item = self->items->pdata[i];
      if (g_strcmp0 (item->entry->info->group, group) == 0)
        g_ptr_array_add (items, g_object_ref (item));
    }
  return items;
}

GPtrArray *
sluice_run_table_get_columns (SluiceRunTable *self)
{
  return self->columns;
}

void
sluice_run_table_set_curve (SluiceRunTable *self, const char *tag)
{
  if (strcmp (self->curve, tag) == 0)
    return;
  g_free (self->curve);
  self->curve = g_strdup (tag);
  sluice_run_columns_set_curve (self->columns, tag);
  g_signal_emit (self, signals[COLUMNS_CHANGED], 0);
  if (g_strcmp0 (self->sort, "curve") == 0)
    sluice_run_table_arrange (self);
}

const char *
sluice_run_table_get_curve (SluiceRunTable *self)
{
  return self->curve;
}

/* ---- what all have in common ---- */

static gint
by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

GStrv
sluice_run_table_dup_tags (SluiceRunTable *self)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  GPtrArray *tags = g_ptr_array_new ();
  for (guint i = 0; i < self->items->len; i++)
    {
      char **of = ((SluiceRunItem *) self->items->pdata[i])->entry->info->tags;
      for (guint k = 0; of != NULL && of[k] != NULL; k++)
        if (g_hash_table_add (seen, of[k]))
          g_ptr_array_add (tags, g_strdup (of[k]));
    }
  g_ptr_array_sort (tags, by_text);
  g_ptr_array_add (tags, NULL);
  return (GStrv) g_ptr_array_free (tags, FALSE);
}

static gint
by_number (gconstpointer a, gconstpointer b)
{
  double first = *(const double *) a, second = *(const double *) b;
  return (first > second) - (first < second);
}

/* The ends of the scale, of all runs' least and greatest values, sorted. One that lies further out
 * than one and a half times what the middle half spans (Tukey's fences) is of a run that diverged,
 * which must not flatten the others. */
static void
find_ends (const GArray *sorted, double *least, double *greatest)
{
  const double *values = (const double *) (gconstpointer) sorted->data;
  guint low = 0, high = sorted->len - 1;
  double q1 = values[high / 4], q3 = values[high - high / 4];
  double reach = q3 > q1 ? 1.5 * (q3 - q1) : INFINITY;
  while (values[low] < q1 - reach)
    low++;
  while (values[high] > q3 + reach)
    high--;
  *least = values[low];
  *greatest = values[high];
}

gboolean
sluice_run_table_get_scale (
    SluiceRunTable *self, const char *tag, double *least, double *greatest, double *last_step)
{
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GArray) ends = g_array_new (FALSE, FALSE, sizeof (double));
  for (guint i = 0; i < self->items->len; i++)
    {
      GPtrArray *results = ((SluiceRunItem *) self->items->pdata[i])->entry->results;
      for (guint k = 0; k < results->len; k++)
        {
          const SluiceRunResult *result = results->pdata[k];
          if (strcmp (result->tag, tag) != 0 || isnan (result->min))
            continue;
          g_array_append_val (values, result->min);
          g_array_append_val (values, result->max);
          double end = (double) result->last_step;
          g_array_append_val (ends, end);
          break;
        }
    }
  if (values->len == 0)
    return FALSE;
  g_array_sort (values, by_number);
  g_array_sort (ends, by_number);
  *last_step = g_array_index (ends, double, ends->len - 1 - (guint) (ends->len * OUTSIDE));
  find_ends (values, least, greatest);
  return *least < *greatest;
}

/* ---- life ---- */

SluiceRunTable *
sluice_run_table_new (void)
{
  return g_object_new (SLUICE_TYPE_RUN_TABLE, NULL);
}

static void
sluice_run_table_dispose (GObject *object)
{
  SluiceRunTable *self = SLUICE_RUN_TABLE (object);
  g_cancellable_cancel (self->cancellable);
  g_clear_handle_id (&self->apply_source, g_source_remove);
  g_clear_object (&self->store);
  G_OBJECT_CLASS (sluice_run_table_parent_class)->dispose (object);
}

static void
sluice_run_table_finalize (GObject *object)
{
  SluiceRunTable *self = SLUICE_RUN_TABLE (object);
  g_clear_pointer (&self->news, g_ptr_array_unref);
  g_clear_pointer (&self->taken, g_ptr_array_unref);
  g_clear_pointer (&self->filter, sluice_run_filter_free);
  g_object_unref (self->cancellable);
  g_object_unref (self->rows);
  g_hash_table_unref (self->by_id);
  g_ptr_array_unref (self->items);
  g_ptr_array_unref (self->columns);
  g_hash_table_unref (self->groups);
  g_hash_table_unref (self->tags_wanted);
  g_ptr_array_unref (self->counts.tags);
  g_free (self->curve);
  g_free (self->group_by);
  g_free (self->view);
  g_free (self->sort);
  g_free (self->failure);
  G_OBJECT_CLASS (sluice_run_table_parent_class)->finalize (object);
}

static void
sluice_run_table_class_init (SluiceRunTableClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sluice_run_table_dispose;
  G_OBJECT_CLASS (klass)->finalize = sluice_run_table_finalize;
  signals[CHANGED] = g_signal_new ("changed", SLUICE_TYPE_RUN_TABLE, G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
  signals[COLUMNS_CHANGED] = g_signal_new ("columns-changed", SLUICE_TYPE_RUN_TABLE,
                                           G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
sluice_run_table_init (SluiceRunTable *self)
{
  self->rows = g_list_store_new (SLUICE_TYPE_RUN_ITEM);
  self->items = g_ptr_array_new_with_free_func (g_object_unref);
  self->by_id = g_hash_table_new (g_int64_hash, g_int64_equal);
  self->columns = sluice_run_columns_new (self->items); /* of no run */
  self->groups = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_object_unref);
  self->tags_wanted = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->counts.tags = g_ptr_array_new_with_free_func (sluice_run_tag_count_free);
  self->view = g_strdup (SLUICE_RUN_VIEW_ALL);
  self->curve = g_strdup (SLUICE_RUN_CURVE_TAG);
  self->cancellable = g_cancellable_new ();
}

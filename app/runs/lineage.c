/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/lineage.h"

#include <glib/gi18n.h>
#include <string.h>

#include "engine/store/kinds/event.h"
#include "ui/chart/ticks.h"

#define MOST_GENERATIONS 1000 /* a ring of parents, which nobody can make, ends here */

static void
line_free (gpointer data)
{
  SluiceLineageLine *self = data;
  g_free (self->name);
  g_free (self->change);
  g_free (self->outcome);
  g_free (self->plan);
  g_array_unref (self->checkpoints);
  g_array_unref (self->tails);
  g_free (self);
}

void
sluice_lineage_free (SluiceLineage *self)
{
  g_ptr_array_unref (self->lines);
  g_free (self);
}

/* ---- which runs ---- */

typedef struct
{
  GHashTable *infos;    /* gint64 -> SluiceRunInfo */
  GHashTable *children; /* gint64 -> GPtrArray of SluiceRunInfo, oldest first */
  SluiceLineage *lineage;
  guint most;
} Family;

static void
index_runs (Family *self, GPtrArray *infos)
{
  self->infos = g_hash_table_new (g_int64_hash, g_int64_equal);
  self->children =
      g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, (GDestroyNotify) g_ptr_array_unref);
  for (guint i = 0; i < infos->len; i++)
    {
      SluiceRunInfo *info = infos->pdata[i];
      g_hash_table_insert (self->infos, &info->id, info);
      if (info->parent == 0)
        continue;
      GPtrArray *children = g_hash_table_lookup (self->children, &info->parent);
      if (children == NULL)
        {
          children = g_ptr_array_new ();
          g_hash_table_insert (self->children, &info->parent, children);
        }
      g_ptr_array_add (children, info);
    }
}

/* What it came of in the end. (nullable) */
static const SluiceRunInfo *
find_root (const Family *self, gint64 run)
{
  const SluiceRunInfo *info = g_hash_table_lookup (self->infos, &run);
  for (guint i = 0; info != NULL && info->parent != 0 && i < MOST_GENERATIONS; i++)
    {
      const SluiceRunInfo *parent = g_hash_table_lookup (self->infos, &info->parent);
      if (parent == NULL)
        break; /* in the trash, or gone */
      info = parent;
    }
  return info;
}

static gint
by_id (gconstpointer a, gconstpointer b)
{
  const SluiceRunInfo *first = *(SluiceRunInfo *const *) a;
  const SluiceRunInfo *second = *(SluiceRunInfo *const *) b;
  return (first->id > second->id) - (first->id < second->id);
}

static void
add_line (Family *self, const SluiceRunInfo *info, int parent)
{
  SluiceLineage *lineage = self->lineage;
  if (lineage->lines->len >= self->most)
    {
      lineage->n_left_out++;
      return;
    }
  gboolean goes_on = info->state == SLUICE_RUN_RUNNING || info->state == SLUICE_RUN_PAUSED
                     || info->state == SLUICE_RUN_WAITING || info->state == SLUICE_RUN_DRAFT;
  SluiceLineageLine *line = g_new (SluiceLineageLine, 1);
  *line = (SluiceLineageLine){
    .run = info->id,
    .name = g_strdup (info->name),
    .state = info->state,
    .color = sluice_run_info_get_color (info),
    .parent = parent,
    .from = info->parent != 0 ? info->parent_step : 0,
    .to = MAX (info->step, info->parent != 0 ? info->parent_step : 0),
    .end = goes_on ? info->n_steps : 0,
    .checkpoints = g_array_new (FALSE, FALSE, sizeof (gint64)),
    .tails = g_array_new (FALSE, FALSE, sizeof (SluiceLineageTail)),
  };
  lineage->last_step = MAX (lineage->last_step, MAX (line->to, line->end));
  int at = (int) lineage->lines->len;
  g_ptr_array_add (lineage->lines, line);
  GPtrArray *children = g_hash_table_lookup (self->children, &info->id);
  if (children == NULL || at > MOST_GENERATIONS)
    return;
  g_ptr_array_sort (children, by_id);
  for (guint i = 0; i < children->len; i++)
    add_line (self, children->pdata[i], at);
}

SluiceLineage *
sluice_lineage_new (GPtrArray *infos, GArray *wanted, guint most)
{
  SluiceLineage *self = g_new0 (SluiceLineage, 1);
  Family family = { .lineage = self, .most = most };
  g_autoptr (GHashTable) done = g_hash_table_new (NULL, NULL);
  self->lines = g_ptr_array_new_with_free_func (line_free);
  index_runs (&family, infos);
  for (guint i = 0; i < wanted->len; i++)
    {
      const SluiceRunInfo *root = find_root (&family, g_array_index (wanted, gint64, i));
      if (root != NULL && g_hash_table_add (done, (gpointer) root))
        add_line (&family, root, -1);
    }
  g_hash_table_unref (family.infos);
  g_hash_table_unref (family.children);
  return self;
}

/* ---- what they left ---- */

static gboolean
read_line (SluiceLineageLine *self, SluiceStore *store, GError **error)
{
  g_autoptr (GPtrArray) checkpoints = sluice_store_read_checkpoints (store, self->run, error);
  g_autoptr (GPtrArray) events =
      checkpoints != NULL ? sluice_store_read_events (store, self->run, error) : NULL;
  if (events == NULL)
    return FALSE;
  for (guint i = 0; i < checkpoints->len; i++)
    {
      gint64 step = ((const SluiceCheckpointInfo *) checkpoints->pdata[i])->step;
      if (self->parent < 0 || step > self->from) /* the one it began with is its parent's */
        g_array_append_val (self->checkpoints, step);
    }
  for (guint i = 0; i < events->len; i++)
    {
      const SluiceEvent *event = events->pdata[i];
      const SluiceLineageTail tail = { event->base.step, sluice_event_get_dropped (event) };
      if (strcmp (event->kind, "resume") == 0)
        g_array_append_val (self->tails, tail);
    }
  return TRUE;
}

gboolean
sluice_lineage_read (SluiceLineage *self, SluiceStore *store, GError **error)
{
  for (guint i = 0; i < self->lines->len; i++)
    {
      SluiceLineageLine *line = self->lines->pdata[i];
      if (!read_line (line, store, error))
        return FALSE;
      for (guint k = 0; k < line->tails->len; k++)
        self->last_step =
            MAX (self->last_step, g_array_index (line->tails, SluiceLineageTail, k).to);
    }
  return TRUE;
}

/* ---- in words ---- */

char *
sluice_lineage_dup_words (const SluiceLineage *self, guint line)
{
  const SluiceLineageLine *of = self->lines->pdata[line];
  GString *words = g_string_new (of->name);
  g_autofree char *to = sluice_format_step (of->to), *from = sluice_format_step (of->from);
  if (of->parent >= 0)
    g_string_append_printf (words, _ (", from %s at step %s"),
                            ((const SluiceLineageLine *) self->lines->pdata[of->parent])->name,
                            from);
  if (of->change != NULL)
    g_string_append_printf (words, ", %s", of->change);
  if (of->state == SLUICE_RUN_DRAFT)
    g_string_append_printf (words, ", %s%s%s", _ (sluice_run_state_name (of->state)),
                            of->plan != NULL ? ", " : "", of->plan != NULL ? of->plan : "");
  else
    g_string_append_printf (words, _ (", %s at step %s"), _ (sluice_run_state_name (of->state)),
                            to);
  for (guint i = 0; i < of->checkpoints->len; i++)
    {
      g_autofree char *step = sluice_format_step (g_array_index (of->checkpoints, gint64, i));
      g_string_append_printf (words, "%s%s", i == 0 ? _ (", checkpoints at ") : ", ", step);
    }
  if (of->outcome != NULL)
    g_string_append_printf (words, ", %s", of->outcome);
  for (guint i = 0; i < of->tails->len; i++)
    {
      const SluiceLineageTail *tail = &g_array_index (of->tails, SluiceLineageTail, i);
      g_autofree char *at = sluice_format_step (tail->from);
      g_autofree char *dropped = sluice_format_step (tail->to);
      if (tail->to > tail->from)
        g_string_append_printf (words, _ (", went on at step %s and dropped what came up to %s"),
                                at, dropped);
    }
  return g_string_free (words, FALSE);
}

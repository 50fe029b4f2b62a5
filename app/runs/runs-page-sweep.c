/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/runs-page-private.h"

#include <glib/gi18n.h>

/* Of more runs nobody sees the lines. */
#define MOST_RUNS 500
#define LEAST     3

/* (transfer full) (element-type SluiceRunItem): those that are selected, where they are several;
 * of fewer the sweep that they are of. */
static GPtrArray *
list_runs (SluiceRunsPage *self)
{
  g_autoptr (GPtrArray) items = sluice_runs_page_dup_selected (self);
  if (items->len == 0 || items->len >= LEAST)
    return g_steal_pointer (&items);
  const char *group = sluice_run_item_get_entry (items->pdata[0])->info->group;
  return group != NULL ? sluice_run_table_dup_group (self->table, group) : g_steal_pointer (&items);
}

static guint64
hash_items (SluiceRunsPage *self, GPtrArray *items)
{
  guint64 hash = sluice_run_table_get_counts (self->table)->version;
  for (guint i = 0; i < items->len; i++)
    hash = hash * 1099511628211u ^ (guint64) sluice_run_item_get_entry (items->pdata[i])->info->id;
  return hash;
}

void
sluice_runs_page_update_sweep (SluiceRunsPage *self)
{
  if (!gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  g_autoptr (GPtrArray) items = list_runs (self), entries = g_ptr_array_new ();
  guint64 hash = hash_items (self, items);
  if (self->swept == hash)
    return;
  self->swept = hash;
  for (guint i = 0; i < MIN (items->len, MOST_RUNS); i++)
    g_ptr_array_add (entries, (gpointer) sluice_run_item_get_entry (items->pdata[i]));
  gtk_widget_set_visible (self->sweep_box,
                          entries->len >= LEAST && !sluice_run_table_get_trash (self->table)
                              && sluice_sweep_view_show (self->sweep, entries, NULL));
}

static void
run_chosen_cb (SluiceRunsPage *self, gint64 run)
{
  sluice_run_set_set_front (self->shown, run);
}

void
sluice_runs_page_init_sweep (SluiceRunsPage *self)
{
  self->sweep = SLUICE_SWEEP_VIEW (sluice_sweep_view_new ());
  self->sweep_box = sluice_runs_page_add_below (self, _ ("Settings and results"),
                                                _ ("a line is a run: press it to go there"),
                                                GTK_WIDGET (self->sweep));
  g_signal_connect_object (self->sweep, "run-chosen", G_CALLBACK (run_chosen_cb), self,
                           G_CONNECT_SWAPPED);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/runtime/session/titles.h"

static void
clear_transfer (gpointer title)
{
  g_free (((SluiceTransferTitle *) title)->text);
}

void
sluice_titles_init (SluiceTitles *self)
{
  *self = (SluiceTitles){ .nodes = g_array_new (FALSE, FALSE, sizeof (SluiceNodeTitle)) };
  pthread_mutex_init (&self->lock, NULL);
  self->reasons = g_string_chunk_new (256);
  self->frames = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (self->frames, NULL);
  self->frame_numbers = g_hash_table_new (g_str_hash, g_str_equal);
  self->transfers = g_array_new (FALSE, FALSE, sizeof (SluiceTransferTitle));
  g_array_set_clear_func (self->transfers, clear_transfer);
  self->transfer_numbers = g_hash_table_new (g_str_hash, g_str_equal);
  self->name_lists = g_ptr_array_new_with_free_func (g_free);
  self->together = g_hash_table_new (NULL, NULL);
}

void
sluice_titles_clear (SluiceTitles *self)
{
  g_array_unref (self->nodes);
  g_clear_pointer (&self->by_name, g_hash_table_unref);
  g_string_chunk_free (self->reasons);
  g_hash_table_unref (self->frame_numbers);
  g_hash_table_unref (self->transfer_numbers);
  g_array_unref (self->transfers);
  g_hash_table_unref (self->together);
  g_ptr_array_unref (self->name_lists);
  g_ptr_array_unref (self->frames);
  pthread_mutex_destroy (&self->lock);
}

static SluiceNodeTitle *
title_at (const SluiceTitles *self, guint32 number)
{
  return &g_array_index (self->nodes, SluiceNodeTitle, number - 1);
}

/* ---- the writer's side ---- */

/* A title's number, without its place. */
static guint32
number_of (SluiceTitles *self, const SluiceNode *node)
{
  if (self->has_several)
    {
      guint32 known = GPOINTER_TO_UINT (g_hash_table_lookup (self->by_name, node->name));
      if (known != 0 && title_at (self, known)->op == node->op_name)
        return known;
    }
  SluiceNodeTitle title = { .name = node->name, .op = node->op_name };
  g_array_append_val (self->nodes, title);
  if (self->by_name != NULL)
    g_hash_table_insert (self->by_name, (gpointer) node->name, GUINT_TO_POINTER (self->nodes->len));
  return self->nodes->len;
}

/* Reasons of neighbours are mostly one text; a snapshot's go with it. */
static const char *
keep_reason (SluiceTitles *self, const SluicePlacement *placement, const char *last[2])
{
  const char *reason = placement->error != NULL ? placement->error->message : placement->reason;
  if (reason == NULL || reason == last[0])
    return reason == NULL ? "" : last[1];
  last[0] = reason;
  last[1] = g_string_chunk_insert_const (self->reasons, reason);
  return last[1];
}

static void
begin_newest (SluiceTitles *self, const SluiceSnapshot *snapshot)
{
  self->newest = snapshot;
  for (guint32 i = 1; i <= self->nodes->len; i++)
    title_at (self, i)->device = title_at (self, i)->reason = NULL;
}

void
sluice_titles_add (SluiceTitles *self, SluiceSnapshot *snapshot, SluiceDevice *const *devices)
{
  const char *last[2] = { NULL, NULL };
  pthread_mutex_lock (&self->lock);
  if (self->newest == NULL || (self->has_several && snapshot->numbers == NULL))
    begin_newest (self, snapshot);
  if (self->has_several && snapshot->numbers == NULL)
    snapshot->numbers = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint n = sluice_graph_get_n_nodes (snapshot->graph);
  guint first = snapshot->numbers != NULL ? snapshot->numbers->len : self->nodes->len;
  if (snapshot->numbers != NULL)
    g_array_set_size (snapshot->numbers, n);
  for (guint i = first; i < n; i++)
    {
      const SluiceNode *node = sluice_graph_get_node (snapshot->graph, i);
      const SluicePlacement *placement = sluice_placements_get (snapshot->placements, node);
      guint32 number = number_of (self, node);
      if (snapshot->numbers != NULL)
        g_array_index (snapshot->numbers, guint32, i) = number;
      if (snapshot != self->newest)
        continue;
      SluiceNodeTitle *title = title_at (self, number);
      title->device = placement->device >= 0 ? devices[placement->device]->short_name : NULL;
      title->reason = keep_reason (self, placement, last);
    }
  pthread_mutex_unlock (&self->lock);
}

static void
index_names (SluiceTitles *self)
{
  if (self->by_name != NULL)
    return;
  self->by_name = g_hash_table_new (NULL, NULL);
  for (guint32 i = 1; i <= self->nodes->len; i++)
    g_hash_table_insert (self->by_name, (gpointer) title_at (self, i)->name, GUINT_TO_POINTER (i));
}

/* Names being unique, the first snapshot's numbers are its ids. */
void
sluice_titles_begin_several (SluiceTitles *self, SluiceSnapshot *first)
{
  if (self->has_several)
    return;
  pthread_mutex_lock (&self->lock);
  index_names (self);
  self->has_several = TRUE;
  first->numbers = g_array_sized_new (FALSE, FALSE, sizeof (guint32), self->nodes->len);
  for (guint32 i = 1; i <= self->nodes->len; i++)
    g_array_append_val (first->numbers, i);
  pthread_mutex_unlock (&self->lock);
}

guint32
sluice_titles_number_frame (SluiceTitles *self, const char *name)
{
  pthread_mutex_lock (&self->lock);
  guint32 number = GPOINTER_TO_UINT (g_hash_table_lookup (self->frame_numbers, name));
  if (number == 0)
    {
      char *kept = g_strdup (name);
      number = self->frames->len;
      g_ptr_array_add (self->frames, kept);
      g_hash_table_insert (self->frame_numbers, kept, GUINT_TO_POINTER (number));
    }
  pthread_mutex_unlock (&self->lock);
  return number;
}

/* Under the lock. The name of a node that came anew under an old one's is the newer's. */
static guint32
number_transfer (SluiceTitles *self, const SluiceTransfer *transfer, guint32 node)
{
  gpointer known = g_hash_table_lookup (self->transfer_numbers, transfer->text);
  guint32 number = GPOINTER_TO_UINT (known);
  if (known != NULL
      && g_array_index (self->transfers, SluiceTransferTitle, number - 1).node == node)
    return number;
  SluiceTransferTitle title = { node, g_strdup (transfer->text) };
  g_array_append_val (self->transfers, title);
  number = self->transfers->len;
  g_hash_table_replace (self->transfer_numbers, title.text, GUINT_TO_POINTER (number));
  return number;
}

void
sluice_titles_number_transfers (SluiceTitles *self, SluicePlan *plan)
{
  if (plan->transfers->len == 0)
    return;
  pthread_mutex_lock (&self->lock);
  for (guint32 i = 0; i < plan->n_nodes; i++)
    {
      const SluicePlanNode *node = &plan->nodes[i];
      if (node->flags & SLUICE_PLAN_SEND)
        plan->transfer_labels[node->first_constant] =
            number_transfer (self, plan->transfers->pdata[node->first_constant], node->origin_id);
    }
  pthread_mutex_unlock (&self->lock);
}

void
sluice_titles_set_together (SluiceTitles *self, guint32 number, const char **take_names)
{
  gpointer id = GUINT_TO_POINTER (number);
  pthread_mutex_lock (&self->lock);
  const char *const *known = g_hash_table_lookup (self->together, id);
  if (known != NULL && g_strv_equal (known, take_names))
    g_free (take_names);
  else
    {
      g_ptr_array_add (self->name_lists, take_names);
      g_hash_table_insert (self->together, id, take_names);
    }
  pthread_mutex_unlock (&self->lock);
}

/* ---- the readers' side ---- */

gboolean
sluice_titles_get (SluiceTitles *self, guint32 number, SluiceNodeTitle *title)
{
  pthread_mutex_lock (&self->lock);
  gboolean found = number > 0 && number <= self->nodes->len;
  if (found)
    *title = *title_at (self, number);
  pthread_mutex_unlock (&self->lock);
  return found;
}

gboolean
sluice_titles_find (SluiceTitles *self, const char *name, SluiceNodeTitle *title)
{
  pthread_mutex_lock (&self->lock);
  guint32 number = self->last_found + 1;
  if (self->has_several || number > self->nodes->len || title_at (self, number)->name != name)
    {
      index_names (self); /* once: it is kept up to date from then on */
      number = GPOINTER_TO_UINT (g_hash_table_lookup (self->by_name, name));
    }
  gboolean found = number != 0 && title_at (self, number)->reason != NULL;
  if (found)
    *title = *title_at (self, number);
  self->last_found = number;
  pthread_mutex_unlock (&self->lock);
  return found;
}

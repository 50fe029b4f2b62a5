/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/charts/card-count.h"

#include <string.h>

#include "app/charts/settings-cards.h"
#include "engine/store/kinds/event.h"

static void
add_to_card (const SluiceCardCount *self, const SluiceTagCardKind *kind, const char *tag)
{
  if (kind == NULL)
    return;
  g_autofree char *name = kind->dup_name != NULL ? kind->dup_name (tag) : NULL;
  const char *title = name != NULL ? name : tag;
  SluiceTagCard *card = g_hash_table_lookup (self->cards, title);
  if (card == NULL)
    {
      card = sluice_tag_card_new (self->workspace, kind, title, self->choice);
      g_hash_table_insert (self->cards, card->tag, card);
      sluice_card_memory_apply (self->memory, card);
    }
  card->n_runs += card->kind == kind; /* of another kind under the same name only the first shows */
}

static void
add_run (const SluiceCardCount *self, SluiceRun *run)
{
  GPtrArray *series = sluice_run_get_series (run);
  GPtrArray *events = sluice_run_get_events (run);
  for (guint i = 0; i < series->len; i++)
    {
      const SluiceRunSeries *s = series->pdata[i];
      add_to_card (self, sluice_tag_card_find_kind (s->kind), s->tag);
    }
  if (sluice_run_get_settings (run)->len > 0)
    add_to_card (self, &sluice_tag_card_settings, SLUICE_SETTINGS_CARD_TAG);
  for (guint i = 0; i < events->len; i++)
    {
      const SluiceEvent *event = events->pdata[i];
      if (strcmp (event->kind, SLUICE_EVENT_TEXT) == 0 && event->text != NULL)
        add_to_card (self, &sluice_tag_card_text, event->text);
    }
}

void
sluice_cards_count_runs (const SluiceCardCount *self)
{
  GListModel *runs = sluice_workspace_get_runs (self->workspace);
  GHashTableIter iter;
  gpointer card;
  g_hash_table_iter_init (&iter, self->cards);
  while (g_hash_table_iter_next (&iter, NULL, &card))
    ((SluiceTagCard *) card)->n_runs = 0;
  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SluiceRun) run = g_list_model_get_item (runs, i);
      if (sluice_run_get_shown (run))
        add_run (self, run);
    }
}

void
sluice_cards_forget_empty (GHashTable *cards)
{
  GHashTableIter iter;
  gpointer card;
  g_hash_table_iter_init (&iter, cards);
  while (g_hash_table_iter_next (&iter, NULL, &card))
    if (((const SluiceTagCard *) card)->n_runs == 0)
      g_hash_table_iter_remove (&iter);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/charts/card-order.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app/charts/card-groups.h"
#include "app/charts/settings-cards.h"
#include "app/charts/step-sort.h"
#include "engine/store/kinds/event.h"
#include "ui/chart/ticks.h"

/* Of a card, in tenths of a microsecond. */
enum
{
  COUNT_COST = 10,
  FILTER_COST = 8,
  FORGET_COST = 5,
};

typedef enum
{
  COUNT, /* of each run, of each of its series: the card that shows it */
  SORT,
  FILTER,
  GROUP,
  FORGET, /* cards that no run has anything for */
  DONE,
} Phase;

struct _SluiceCardOrder
{
  SluiceCardOrderOptions options;
  GHashTable *cards;                      /* tag -> SluiceTagCard */
  GPtrArray *known;                       /* of SluiceTagCard: all of them */
  GPtrArray *sorted, *matching;           /* of these, those that are there; and match the filter */
  GPtrArray *next_sorted, *next_matching; /* (nullable): to take their places */
  const SluiceQuery *filter;
  Phase phase;
  gboolean again; /* runs changed while they were counted */
  /* What the phase works on. */
  guint round;       /* counts how often runs were counted */
  GPtrArray *runs;   /* of SluiceRun: those that were shown when counting began */
  GPtrArray *series; /* (nullable): of the run that is counted */
  guint run, at;
  GPtrArray *found;             /* to become known, sorted or matching */
  SluiceStepSort *sort;         /* (nullable) */
  SluiceCardGrouping *grouping; /* (nullable) */
  GPtrArray *old; /* what was known before; from n_forgotten on it may be to be forgotten */
  guint n_forgotten;
};

SluiceCardOrder *
sluice_card_order_new (const SluiceCardOrderOptions *options)
{
  SluiceCardOrder *self = g_new0 (SluiceCardOrder, 1);
  self->options = *options;
  self->cards = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, sluice_tag_card_free);
  self->known = g_ptr_array_new ();
  self->sorted = g_ptr_array_new ();
  self->matching = g_ptr_array_new ();
  self->old = g_ptr_array_new ();
  self->phase = DONE;
  return self;
}

static void
drop_work (SluiceCardOrder *self)
{
  g_clear_pointer (&self->runs, g_ptr_array_unref);
  g_clear_pointer (&self->series, g_ptr_array_unref);
  g_clear_pointer (&self->found, g_ptr_array_unref);
  g_clear_pointer (&self->sort, sluice_step_sort_free);
  g_clear_pointer (&self->grouping, sluice_card_grouping_free);
  self->run = self->at = 0;
}

void
sluice_card_order_free (SluiceCardOrder *self)
{
  drop_work (self);
  g_ptr_array_unref (self->known);
  g_ptr_array_unref (self->sorted);
  g_ptr_array_unref (self->matching);
  g_clear_pointer (&self->next_sorted, g_ptr_array_unref);
  g_clear_pointer (&self->next_matching, g_ptr_array_unref);
  g_ptr_array_unref (self->old);
  g_hash_table_unref (self->cards);
  g_free (self);
}

/* ---- counting ---- */

static GPtrArray *
dup_shown_runs (SluiceWorkspace *workspace)
{
  GListModel *all = sluice_workspace_get_runs (workspace);
  GPtrArray *runs = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < g_list_model_get_n_items (all); i++)
    {
      g_autoptr (SluiceRun) run = g_list_model_get_item (all, i);
      if (sluice_run_get_shown (run))
        g_ptr_array_add (runs, g_steal_pointer (&run));
    }
  return runs;
}

static void
add_to_card (SluiceCardOrder *self, const SluiceTagCardKind *kind, const char *tag)
{
  const SluiceCardOrderOptions *options = &self->options;
  if (kind == NULL)
    return;
  g_autofree char *name = kind->dup_name != NULL ? kind->dup_name (tag) : NULL;
  const char *title = name != NULL ? name : tag;
  SluiceTagCard *card = g_hash_table_lookup (self->cards, title);
  if (card == NULL)
    {
      card = sluice_tag_card_new (options->workspace, kind, title, options->choice);
      g_hash_table_insert (self->cards, card->tag, card);
      sluice_card_memory_apply (options->memory, card);
    }
  if (card->round != self->round)
    {
      card->round = self->round;
      card->n_runs = 0;
      g_ptr_array_add (self->found, card);
    }
  card->n_runs += card->kind == kind; /* of another kind under the same name only the first shows */
}

/* What a run has beside its series: little. */
static void
count_rest (SluiceCardOrder *self, SluiceRun *run)
{
  GPtrArray *events = sluice_run_get_events (run);
  if (sluice_run_get_settings (run)->len > 0)
    add_to_card (self, &sluice_tag_card_settings, SLUICE_SETTINGS_CARD_TAG);
  for (guint i = 0; i < events->len; i++)
    {
      const SluiceEvent *event = events->pdata[i];
      if (strcmp (event->kind, SLUICE_EVENT_TEXT) == 0 && event->text != NULL)
        add_to_card (self, &sluice_tag_card_text, event->text);
    }
}

static gboolean
step_count (SluiceCardOrder *self, guint *budget)
{
  for (; self->run < self->runs->len; self->run++)
    {
      SluiceRun *run = self->runs->pdata[self->run];
      if (self->series == NULL)
        {
          self->series = g_ptr_array_new (); /* the run's own grows */
          g_ptr_array_extend (self->series, sluice_run_get_series (run), NULL, NULL);
        }
      for (; self->at < self->series->len; *budget -= MIN (*budget, COUNT_COST))
        {
          if (*budget == 0)
            return FALSE;
          const SluiceRunSeries *series = self->series->pdata[self->at++];
          add_to_card (self, sluice_tag_card_find_kind (series->kind), series->tag);
        }
      count_rest (self, run);
      g_clear_pointer (&self->series, g_ptr_array_unref);
      self->at = 0;
    }
  return TRUE;
}

/* ---- order ---- */

static gint
by_place (gconstpointer a, gconstpointer b)
{
  return sluice_tag_card_compare (*(SluiceTagCard *const *) a, *(SluiceTagCard *const *) b);
}

static GPtrArray *
dup_those_there (GPtrArray *cards)
{
  GPtrArray *there = g_ptr_array_new ();
  for (guint i = 0; i < cards->len; i++)
    if (sluice_tag_card_is_there (cards->pdata[i]))
      g_ptr_array_add (there, cards->pdata[i]);
  return there;
}

static gboolean
step_sort (SluiceCardOrder *self, guint *budget)
{
  if (self->sort == NULL)
    {
      GPtrArray *there = dup_those_there (self->found);
      g_ptr_array_extend_and_steal (self->old, self->known);
      self->known = self->found;
      self->found = there;
      self->sort = sluice_step_sort_new (there, by_place);
    }
  return sluice_step_sort_step (self->sort, budget);
}

/* Drawn in the card of another tag, which is there? */
static gboolean
is_in_another (const SluiceCardOrder *self, const char *tag)
{
  const char *other = g_hash_table_lookup (self->options.memory->joined, tag);
  const SluiceTagCard *card = other != NULL ? g_hash_table_lookup (self->cards, other) : NULL;
  return card != NULL && card->round == self->round && card->n_runs > 0;
}

static gboolean
step_filter (SluiceCardOrder *self, guint *budget)
{
  GPtrArray *cards = self->next_sorted != NULL ? self->next_sorted : self->sorted;
  if (self->found == NULL)
    self->found = g_ptr_array_new ();
  for (; self->at < cards->len; *budget -= MIN (*budget, FILTER_COST))
    {
      if (*budget == 0)
        return FALSE;
      SluiceTagCard *card = cards->pdata[self->at++];
      if (!is_in_another (self, card->tag) && sluice_card_matches (card, self->filter))
        g_ptr_array_add (self->found, card);
    }
  return TRUE;
}

static gboolean
step_group (SluiceCardOrder *self, guint *budget)
{
  const SluiceCardMemory *memory = self->options.memory;
  if (self->grouping == NULL)
    self->grouping = sluice_card_grouping_new (self->next_matching != NULL ? self->next_matching
                                                                           : self->matching,
                                               memory->pinned, memory->collapsed);
  return sluice_card_grouping_step (self->grouping, budget);
}

static gboolean
step_forget (SluiceCardOrder *self, guint *budget)
{
  for (; self->n_forgotten < self->old->len; *budget -= MIN (*budget, FORGET_COST))
    {
      if (*budget == 0)
        return FALSE;
      const SluiceTagCard *card = self->old->pdata[self->n_forgotten++];
      if (card->round != self->round)
        g_hash_table_remove (self->cards, card->tag);
    }
  g_ptr_array_set_size (self->old, 0);
  self->n_forgotten = 0;
  return TRUE;
}

/* ---- one after the other ---- */

static void
begin (SluiceCardOrder *self, Phase phase)
{
  drop_work (self);
  self->phase = phase;
  if (phase <= FILTER)
    g_clear_pointer (&self->next_matching, g_ptr_array_unref);
  if (phase != COUNT)
    return;
  g_clear_pointer (&self->next_sorted, g_ptr_array_unref);
  self->again = FALSE;
  self->round++;
  self->runs = dup_shown_runs (self->options.workspace);
  self->found = g_ptr_array_new ();
}

static void
replace (GPtrArray **there, GPtrArray **with)
{
  if (*with == NULL)
    return;
  g_ptr_array_unref (*there);
  *there = g_steal_pointer (with);
}

/* What was found is there at once. */
static void
arrange (SluiceCardOrder *self)
{
  replace (&self->sorted, &self->next_sorted);
  replace (&self->matching, &self->next_matching);
  self->options.arranged (sluice_card_grouping_take (self->grouping), self->options.data);
}

static void
end_phase (SluiceCardOrder *self)
{
  switch (self->phase)
    {
    case COUNT:
      self->phase = SORT; /* which takes what was found */
      return;
    case SORT:
      self->next_sorted = g_steal_pointer (&self->found);
      break;
    case FILTER:
      self->next_matching = g_steal_pointer (&self->found);
      break;
    case GROUP:
      arrange (self);
      break;
    default:
      break;
    }
  begin (self, self->phase + 1);
  if (self->phase == DONE && self->again)
    begin (self, COUNT);
}

void
sluice_card_order_begin (SluiceCardOrder *self, SluiceCardsChange change)
{
  static const Phase phases[] = { COUNT, FILTER, GROUP };
  if (change == SLUICE_CARDS_COUNT && self->phase != DONE)
    self->again = TRUE;
  else if (self->phase >= phases[change])
    begin (self, phases[change]);
}

void
sluice_card_order_set_filter (SluiceCardOrder *self, const SluiceQuery *filter)
{
  self->filter = filter;
}

gboolean
sluice_card_order_step (SluiceCardOrder *self, guint units)
{
  static gboolean (*const steps[]) (SluiceCardOrder * self,
                                    guint * budget) = { step_count, step_sort, step_filter,
                                                        step_group, step_forget };
  while (self->phase != DONE && units > 0)
    if (steps[self->phase](self, &units))
      end_phase (self);
  return self->phase == DONE;
}

gboolean
sluice_card_order_is_done (const SluiceCardOrder *self)
{
  return self->phase == DONE;
}

GPtrArray *
sluice_card_order_get_all (SluiceCardOrder *self)
{
  return self->sorted;
}

GPtrArray *
sluice_card_order_get_matching (SluiceCardOrder *self)
{
  return self->matching;
}

guint
sluice_card_order_get_n_known (const SluiceCardOrder *self)
{
  return g_hash_table_size (self->cards);
}

char *
sluice_card_order_dup_count (const SluiceCardOrder *self)
{
  gboolean is_done = self->phase == DONE || self->phase == FORGET;
  guint n = is_done ? self->matching->len : sluice_card_order_get_n_known (self);
  g_autofree char *number = sluice_format_step (n);
  return g_strdup_printf (
      is_done ? ngettext ("%s chart", "%s charts", n) : _ ("Sorting %s charts…"), number);
}

gboolean
sluice_card_order_search (const SluiceCardOrder *self,
                          const SluiceQuery *query,
                          GObject *owner,
                          SluiceHits *hits)
{
  for (; hits->from < self->sorted->len && hits->budget > 0; hits->budget--)
    {
      const SluiceTagCard *card = self->sorted->pdata[hits->from++];
      if (sluice_query_matches_text (query, card->tag))
        sluice_hits_add (hits, owner, "sluice-charts-symbolic", card->tag, _ (card->kind->name));
    }
  return hits->from >= self->sorted->len;
}

SluiceTagCard *
sluice_card_order_find (const SluiceCardOrder *self, const char *tag)
{
  return g_hash_table_lookup (self->cards, tag);
}

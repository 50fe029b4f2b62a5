/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/charts/card-groups.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app/charts/card-grid.h"
#include "app/charts/tag-card.h"

/* So many cards need no headings. */
#define FEW_CARDS 24
/* Of a card, twice, in tenths of a microsecond. */
#define GROUP_COST 4u

GStrv
sluice_cards_dup_scalar_tags (GPtrArray *cards)
{
  g_autoptr (GStrvBuilder) tags = g_strv_builder_new ();
  for (guint i = 0; i < cards->len; i++)
    if (sluice_tag_card_is_scalar (cards->pdata[i]))
      g_strv_builder_add (tags, ((const SluiceTagCard *) cards->pdata[i])->tag);
  return g_strv_builder_end (tags);
}

GStrv
sluice_cards_dup_joinable (GPtrArray *cards, GtkWidget *but)
{
  g_autoptr (GStrvBuilder) tags = g_strv_builder_new ();
  for (guint i = 0; i < cards->len; i++)
    {
      const SluiceTagCard *card = cards->pdata[i];
      if (sluice_tag_card_is_scalar (card) && card->widget != but && card->others->len == 0)
        g_strv_builder_add (tags, card->tag);
    }
  return g_strv_builder_end (tags);
}

/* ---- groups ---- */

struct _SluiceCardGrouping
{
  GPtrArray *cards;
  GHashTable *pinned, *collapsed;
  GHashTable *sizes;    /* what tags have before their first stroke -> how many begin so */
  GHashTable *by_title; /* SluiceCardGroup, of groups */
  GPtrArray *groups;
  SluiceCardGroup *first, *alone;
  guint n_counted, n_placed;
};

SluiceCardGrouping *
sluice_card_grouping_new (GPtrArray *cards, GHashTable *pinned, GHashTable *collapsed)
{
  SluiceCardGrouping *self = g_new0 (SluiceCardGrouping, 1);
  self->cards = g_ptr_array_ref (cards);
  self->pinned = g_hash_table_ref (pinned);
  self->collapsed = g_hash_table_ref (collapsed);
  self->sizes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->by_title = g_hash_table_new (g_str_hash, g_str_equal);
  self->groups = g_ptr_array_new_with_free_func (sluice_card_group_free);
  self->first = sluice_card_group_new (_ ("Pinned"));
  self->alone = sluice_card_group_new (NULL);
  self->n_counted = cards->len > FEW_CARDS ? 0 : cards->len;
  return self;
}

void
sluice_card_grouping_free (SluiceCardGrouping *self)
{
  g_ptr_array_unref (self->cards);
  g_hash_table_unref (self->pinned);
  g_hash_table_unref (self->collapsed);
  g_hash_table_unref (self->sizes);
  g_hash_table_unref (self->by_title);
  g_clear_pointer (&self->groups, g_ptr_array_unref);
  g_clear_pointer (&self->first, sluice_card_group_free);
  g_clear_pointer (&self->alone, sluice_card_group_free);
  g_free (self);
}

static void
count_group (SluiceCardGrouping *self, const char *tag)
{
  const char *stroke = strchr (tag, '/');
  if (stroke == NULL)
    return;
  char *group = g_strndup (tag, stroke - tag);
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (self->sizes, group));
  g_hash_table_insert (self->sizes, group, GUINT_TO_POINTER (n + 1));
}

/* What stands before the first stroke, where several tags have it in common: (nullable). */
static char *
dup_group (const SluiceCardGrouping *self, const char *tag)
{
  const char *stroke = strchr (tag, '/');
  g_autofree char *group = stroke != NULL ? g_strndup (tag, stroke - tag) : NULL;
  if (group == NULL || GPOINTER_TO_UINT (g_hash_table_lookup (self->sizes, group)) < 2)
    return NULL;
  return g_steal_pointer (&group);
}

static SluiceCardGroup *
find_group (SluiceCardGrouping *self, const char *title)
{
  SluiceCardGroup *group = g_hash_table_lookup (self->by_title, title);
  if (group != NULL)
    return group;
  group = sluice_card_group_new (title);
  g_hash_table_insert (self->by_title, group->title, group);
  g_ptr_array_add (self->groups, group);
  return group;
}

static void
place_card (SluiceCardGrouping *self, SluiceTagCard *card)
{
  g_autofree char *title = dup_group (self, card->tag);
  SluiceCardGroup *group = g_hash_table_contains (self->pinned, card->tag) ? self->first
                           : title != NULL ? find_group (self, title)
                                           : self->alone;
  g_ptr_array_add (group->items, card);
}

gboolean
sluice_card_grouping_step (SluiceCardGrouping *self, guint *budget)
{
  guint n = self->cards->len;
  for (; self->n_counted<n && * budget> 0; *budget -= MIN (*budget, GROUP_COST))
    count_group (self, ((const SluiceTagCard *) self->cards->pdata[self->n_counted++])->tag);
  for (; self->n_counted == n && self->n_placed<n && * budget> 0;
       *budget -= MIN (*budget, GROUP_COST))
    place_card (self, self->cards->pdata[self->n_placed++]);
  return self->n_counted == n && self->n_placed == n;
}

/* Before the others; none that is empty. Takes @group. */
static void
add_first (GPtrArray *groups, SluiceCardGroup *group)
{
  if (group->items->len > 0)
    g_ptr_array_insert (groups, 0, group);
  else
    sluice_card_group_free (group);
}

GPtrArray *
sluice_card_grouping_take (SluiceCardGrouping *self)
{
  GPtrArray *groups = g_steal_pointer (&self->groups);
  if (self->first->items->len > 0)
    self->alone->title = g_strdup (_ ("Other charts"));
  add_first (groups, g_steal_pointer (&self->alone));
  add_first (groups, g_steal_pointer (&self->first));
  for (guint i = 0; i < groups->len; i++)
    {
      SluiceCardGroup *group = groups->pdata[i];
      group->collapsed =
          group->title != NULL && g_hash_table_contains (self->collapsed, group->title);
    }
  return groups;
}

gboolean
sluice_card_matches (const SluiceTagCard *card, const SluiceQuery *query)
{
  if (query == NULL || sluice_query_matches_text (query, card->tag))
    return TRUE;
  for (guint i = 0; i < card->others->len; i++)
    if (sluice_query_matches_text (query, card->others->pdata[i]))
      return TRUE;
  return FALSE;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/charts/card-groups.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app/charts/card-grid.h"
#include "app/charts/tag-card.h"

/* So many cards need no headings. */
#define FEW_CARDS 24

static gint
by_place (gconstpointer a, gconstpointer b)
{
  return sluice_tag_card_compare (*(SluiceTagCard *const *) a, *(SluiceTagCard *const *) b);
}

GPtrArray *
sluice_cards_sort (GHashTable *cards)
{
  GPtrArray *sorted = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer card;
  g_hash_table_iter_init (&iter, cards);
  while (g_hash_table_iter_next (&iter, NULL, &card))
    if (sluice_tag_card_is_there (card))
      g_ptr_array_add (sorted, card);
  g_ptr_array_sort (sorted, by_place);
  return sorted;
}

GStrv
sluice_cards_dup_scalar_tags (GHashTable *cards)
{
  g_autoptr (GPtrArray) sorted = sluice_cards_sort (cards);
  g_autoptr (GStrvBuilder) tags = g_strv_builder_new ();
  for (guint i = 0; i < sorted->len; i++)
    if (sluice_tag_card_is_scalar (sorted->pdata[i]))
      g_strv_builder_add (tags, ((const SluiceTagCard *) sorted->pdata[i])->tag);
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

/* What stands before the first stroke, where several tags have it in common: (nullable). */
static char *
dup_group (GHashTable *sizes, const char *tag)
{
  const char *stroke = strchr (tag, '/');
  g_autofree char *group = stroke != NULL ? g_strndup (tag, stroke - tag) : NULL;
  if (group == NULL || GPOINTER_TO_UINT (g_hash_table_lookup (sizes, group)) < 2)
    return NULL;
  return g_steal_pointer (&group);
}

/* Tag -> how many begin so. Empty where there are few. */
static GHashTable *
count_groups (GPtrArray *cards)
{
  GHashTable *sizes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < cards->len && cards->len > FEW_CARDS; i++)
    {
      const char *tag = ((SluiceTagCard *) cards->pdata[i])->tag;
      const char *stroke = strchr (tag, '/');
      if (stroke == NULL)
        continue;
      char *group = g_strndup (tag, stroke - tag);
      guint n = GPOINTER_TO_UINT (g_hash_table_lookup (sizes, group));
      g_hash_table_insert (sizes, group, GUINT_TO_POINTER (n + 1));
    }
  return sizes;
}

static SluiceCardGroup *
find_group (GPtrArray *groups, GHashTable *by_title, const char *title)
{
  SluiceCardGroup *group = g_hash_table_lookup (by_title, title);
  if (group != NULL)
    return group;
  group = sluice_card_group_new (title);
  g_hash_table_insert (by_title, group->title, group);
  g_ptr_array_add (groups, group);
  return group;
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
sluice_card_groups_new (GPtrArray *cards, GHashTable *pinned, GHashTable *collapsed)
{
  g_autoptr (GHashTable) sizes = count_groups (cards);
  g_autoptr (GHashTable) by_title = g_hash_table_new (g_str_hash, g_str_equal);
  GPtrArray *groups = g_ptr_array_new_with_free_func (sluice_card_group_free);
  SluiceCardGroup *first = sluice_card_group_new (_ ("Pinned"));
  SluiceCardGroup *alone = sluice_card_group_new (NULL);
  for (guint i = 0; i < cards->len; i++)
    {
      SluiceTagCard *card = cards->pdata[i];
      g_autofree char *title = dup_group (sizes, card->tag);
      SluiceCardGroup *group = g_hash_table_contains (pinned, card->tag) ? first
                               : title != NULL ? find_group (groups, by_title, title)
                                               : alone;
      g_ptr_array_add (group->items, card);
    }
  if (first->items->len > 0)
    alone->title = g_strdup (_ ("Other charts"));
  add_first (groups, alone);
  add_first (groups, first);
  for (guint i = 0; i < groups->len; i++)
    {
      SluiceCardGroup *group = groups->pdata[i];
      group->collapsed = group->title != NULL && g_hash_table_contains (collapsed, group->title);
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

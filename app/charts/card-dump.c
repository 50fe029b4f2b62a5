/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/charts/card-dump.h"

#include <json-glib/json-glib.h>

#include "app/charts/tag-card.h"
#include "ui/chart/chart-card.h"

/* What each card shows, in words. */
static void
dump_texts (GPtrArray *cards, JsonBuilder *b)
{
  json_builder_set_member_name (b, "cards");
  json_builder_begin_object (b);
  for (guint i = 0; i < cards->len; i++)
    {
      SluiceTagCard *card = cards->pdata[i];
      g_autofree char *text = sluice_tag_card_dup_text (card);
      json_builder_set_member_name (b, card->tag);
      json_builder_add_string_value (b, text);
    }
  json_builder_end_object (b);
}

static void
dump_view (SluiceChart *chart, JsonBuilder *b)
{
  double v[4];
  gboolean has[] = { sluice_chart_get_view (chart, &v[0], &v[1]),
                     sluice_chart_get_y_view (chart, &v[2], &v[3]) };
  json_builder_begin_array (b);
  for (guint k = 0; k < 4; k++)
    if (has[k / 2])
      json_builder_add_double_value (b, v[k]);
    else
      json_builder_add_null_value (b);
  json_builder_end_array (b);
}

/* What each chart shows of its axes: [x0, x1, y0, y1], as far as it was chosen. */
static void
dump_views (GPtrArray *cards, JsonBuilder *b)
{
  json_builder_set_member_name (b, "views");
  json_builder_begin_object (b);
  for (guint i = 0; i < cards->len; i++)
    {
      const SluiceTagCard *card = cards->pdata[i];
      if (card->widget == NULL || !SLUICE_IS_CHART_CARD (card->widget))
        continue;
      json_builder_set_member_name (b, card->tag);
      dump_view (sluice_chart_card_get_chart (SLUICE_CHART_CARD (card->widget)), b);
    }
  json_builder_end_object (b);
}

typedef gboolean (*CardFilter) (const SluiceTagCard *card, GHashTable *pinned);

static gboolean
is_any (const SluiceTagCard *card, GHashTable *pinned)
{
  return TRUE;
}

static gboolean
is_pinned (const SluiceTagCard *card, GHashTable *pinned)
{
  return g_hash_table_contains (pinned, card->tag);
}

static gboolean
is_large (const SluiceTagCard *card, GHashTable *pinned)
{
  return card->large;
}

static void
dump_tags (GPtrArray *cards, GHashTable *pinned, JsonBuilder *b, const char *name, CardFilter is)
{
  json_builder_set_member_name (b, name);
  json_builder_begin_array (b);
  for (guint i = 0; i < cards->len; i++)
    if (is (cards->pdata[i], pinned))
      json_builder_add_string_value (b, ((const SluiceTagCard *) cards->pdata[i])->tag);
  json_builder_end_array (b);
}

char *
sluice_cards_dump_json (GPtrArray *cards, GHashTable *pinned, const char *state, double scrolled)
{
  g_autoptr (JsonBuilder) b = json_builder_new ();
  json_builder_begin_object (b);
  json_builder_set_member_name (b, "state");
  json_builder_add_string_value (b, state);
  json_builder_set_member_name (b, "scrolled");
  json_builder_add_double_value (b, scrolled);
  dump_texts (cards, b);
  dump_views (cards, b);
  dump_tags (cards, pinned, b, "order", is_any);
  dump_tags (cards, pinned, b, "pinned", is_pinned);
  dump_tags (cards, pinned, b, "large", is_large);
  json_builder_end_object (b);
  g_autoptr (JsonNode) root = json_builder_get_root (b);
  return json_to_string (root, FALSE);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/charts/card-memory.h"

#include <math.h>
#include <string.h>

#include "app/window-state.h"
#include "ui/chart/chart-card.h"

#define PAGE "charts"

static GHashTable *
new_set (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
}

static GHashTable *
new_map (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
}

void
sluice_card_memory_init (SluiceCardMemory *self)
{
  *self = (SluiceCardMemory){ new_set (), new_set (), new_set (), new_map (), new_map () };
}

void
sluice_card_memory_clear (SluiceCardMemory *self)
{
  g_hash_table_unref (self->pinned);
  g_hash_table_unref (self->large);
  g_hash_table_unref (self->collapsed);
  g_hash_table_unref (self->joined);
  g_hash_table_unref (self->modes);
}

/* A list of names, each with its value behind it. */
static void
keep_map (GHashTable *map, GKeyFile *state, gboolean saves, const char *key)
{
  if (!saves)
    {
      g_auto (GStrv) all = g_key_file_get_string_list (state, PAGE, key, NULL, NULL);
      for (guint i = 0; all != NULL && all[i] != NULL && all[i + 1] != NULL; i += 2)
        g_hash_table_insert (map, g_strdup (all[i]), g_strdup (all[i + 1]));
      return;
    }
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer name, value;
  g_hash_table_iter_init (&iter, map);
  while (g_hash_table_iter_next (&iter, &name, &value))
    {
      g_ptr_array_add (all, name);
      g_ptr_array_add (all, value);
    }
  g_key_file_set_string_list (state, PAGE, key, (const char *const *) all->pdata, all->len);
}

void
sluice_card_memory_keep (SluiceCardMemory *self, GKeyFile *state, gboolean saves)
{
  sluice_state_keep_set (state, saves, PAGE, "collapsed", self->collapsed);
  sluice_state_keep_set (state, saves, PAGE, "large", self->large);
  keep_map (self->joined, state, saves, "joined");
  keep_map (self->modes, state, saves, "modes");
}

void
sluice_card_memory_set (GHashTable *set, const char *tag, gboolean is_in)
{
  if (is_in)
    g_hash_table_add (set, g_strdup (tag));
  else
    g_hash_table_remove (set, tag);
}

void
sluice_card_memory_read_pinned (SluiceCardMemory *self, GSettings *settings)
{
  g_auto (GStrv) tags = g_settings_get_strv (settings, "pinned-tags");
  g_hash_table_remove_all (self->pinned);
  for (guint i = 0; tags[i] != NULL; i++)
    g_hash_table_add (self->pinned, g_strdup (tags[i]));
}

void
sluice_card_memory_pin (SluiceCardMemory *self,
                        const char *tag,
                        gboolean pinned,
                        GSettings *settings)
{
  sluice_card_memory_set (self->pinned, tag, pinned);
  g_autofree const char **tags =
      (const char **) g_hash_table_get_keys_as_array (self->pinned, NULL);
  g_settings_set_strv (settings, "pinned-tags", tags);
}

static int
by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

void
sluice_card_memory_apply (SluiceCardMemory *self, SluiceTagCard *card)
{
  g_autoptr (GPtrArray) others = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer tag, owner;
  card->large = g_hash_table_contains (self->large, card->tag);
  if (!sluice_tag_card_is_scalar (card))
    return;
  g_hash_table_iter_init (&iter, self->joined);
  while (g_hash_table_iter_next (&iter, &tag, &owner))
    if (strcmp (owner, card->tag) == 0)
      g_ptr_array_add (others, tag);
  g_ptr_array_sort (others, by_text); /* colours do not change from one start to the next */
  for (guint i = 0; i < others->len; i++)
    sluice_tag_card_join (card, others->pdata[i]);
}

typedef struct
{
  SluiceCardMemory *memory;
  char *tag;
} Follow;

static void
follow_free (gpointer data, GClosure *closure)
{
  g_free (((Follow *) data)->tag);
  g_free (data);
}

static void
mode_cb (GObject *widget, GParamSpec *pspec, Follow *follow)
{
  char *mode;
  g_object_get (widget, "mode-name", &mode, NULL);
  g_hash_table_insert (follow->memory->modes, g_strdup (follow->tag), mode);
}

void
sluice_card_memory_follow (SluiceCardMemory *self, SluiceTagCard *card)
{
  const char *mode = g_hash_table_lookup (self->modes, card->tag);
  if (SLUICE_IS_CHART_CARD (card->widget))
    sluice_chart_set_y_view (sluice_chart_card_get_chart (SLUICE_CHART_CARD (card->widget)),
                             card->y0, card->y1);
  GObjectClass *klass = G_OBJECT_GET_CLASS (card->widget);
  if (g_object_class_find_property (klass, "mode-name") == NULL)
    return;
  if (mode != NULL)
    g_object_set (card->widget, "mode-name", mode, NULL);
  Follow *follow = g_new (Follow, 1);
  *follow = (Follow){ self, g_strdup (card->tag) };
  g_signal_connect_data (card->widget, "notify::mode-name", G_CALLBACK (mode_cb), follow,
                         follow_free, 0);
}

void
sluice_card_memory_leave (SluiceTagCard *card)
{
  if (!SLUICE_IS_CHART_CARD (card->widget))
    return;
  SluiceChart *chart = sluice_chart_card_get_chart (SLUICE_CHART_CARD (card->widget));
  if (!sluice_chart_get_y_view (chart, &card->y0, &card->y1))
    card->y0 = card->y1 = NAN;
}

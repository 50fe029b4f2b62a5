/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What is meant by a few letters, and what is meant most often. */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/command/offers-private.h"

/* ---- what is meant ---- */

static gboolean
is_word_of (const char *words, const char *word)
{
  g_auto (GStrv) all = g_strsplit (words, " ", -1);
  for (guint i = 0; all[i] != NULL; i++)
    if (g_ascii_strcasecmp (all[i], word) == 0)
      return TRUE;
  return FALSE;
}

/* Does a word of it begin so? Capitals begin words as well. Both in small letters but for @text. */
static gboolean
has_word (const char *text, const char *begin)
{
  gsize n = strlen (begin);
  for (const char *at = text; *at != '\0'; at++)
    if ((at == text || !g_ascii_isalnum (at[-1]) || g_ascii_isupper (*at))
        && g_ascii_strncasecmp (at, begin, n) == 0)
      return TRUE;
  return FALSE;
}

/* All letters of it, in this order, perhaps with others between. */
static gboolean
has_letters (const char *text, const char *letters)
{
  for (; *letters != '\0'; letters++, text++)
    {
      while (*text != '\0' && g_ascii_tolower (*text) != g_ascii_tolower (*letters))
        text++;
      if (*text == '\0')
        return FALSE;
    }
  return TRUE;
}

static guint
match_name (const char *name, const char *text)
{
  gsize n = strlen (text);
  if (g_ascii_strcasecmp (name, text) == 0)
    return 100;
  if (g_ascii_strncasecmp (name, text, n) == 0)
    return 80;
  if (has_word (name, text))
    return 60;
  g_autofree char *small = g_ascii_strdown (name, -1), *wanted = g_ascii_strdown (text, -1);
  if (strstr (small, wanted) != NULL)
    return 40;
  return n >= 3 && has_letters (small, wanted) ? 10 : 0;
}

guint
sluice_offer_match (const SluiceOffer *self, const char *text)
{
  const char *alias = sluice_op_words_get_also (self->key);
  const char *space = strchr (self->key, ' ');
  guint best = MAX (match_name (self->title, text),
                    match_name (space != NULL ? space + 1 : self->key, text));
  if (best < 90 && alias != NULL && is_word_of (alias, text))
    best = 90;
  if (best < 50 && alias != NULL && has_word (alias, text))
    best = 50;
  if (best < 20 && self->op != NULL && strlen (text) >= 3
      && (has_word (self->op->def->summary, text) || has_word (_ (self->op->def->summary), text)))
    best = 20;
  return best;
}

/* ---- order ---- */

typedef struct
{
  const SluiceOffer *offer;
  guint section, match, place; /* place: of pinned ones, recent ones, usual ones */
} Ranked;

static guint
find_key (const char *const *keys, const char *key)
{
  for (guint i = 0; keys != NULL && keys[i] != NULL; i++)
    if (g_str_equal (keys[i], key))
      return i;
  return G_MAXUINT;
}

static guint
place_of (const SluiceOffer *offer, const char *const *recent, const char *const *pinned)
{
  guint pin = find_key (pinned, offer->key), last = find_key (recent, offer->key);
  /* What makes it fit stands by how well it does; habits say nothing about that. */
  if (offer->reason == SLUICE_OFFER_MAKES_FIT)
    return offer->order;
  if (pin != G_MAXUINT)
    return pin;
  if (last != G_MAXUINT)
    return (1 << 10) + last;
  return (2 << 10) + offer->order + (offer->has_result ? 0 : 1 << 10);
}

static int
compare (gconstpointer a, gconstpointer b)
{
  const Ranked *x = a, *y = b;
  if (x->section != y->section)
    return x->section < y->section ? -1 : 1;
  if (x->match != y->match)
    return x->match > y->match ? -1 : 1;
  if (x->place != y->place)
    return x->place < y->place ? -1 : 1;
  return strcmp (x->offer->title, y->offer->title);
}

GPtrArray *
sluice_offers_rank (const GPtrArray *offers,
                    const char *text,
                    const char *const *recent,
                    const char *const *pinned,
                    gboolean with_others)
{
  g_autoptr (GArray) ranked = g_array_new (FALSE, FALSE, sizeof (Ranked));
  gboolean is_typed = text != NULL && *text != '\0';
  GPtrArray *found = g_ptr_array_new ();
  for (guint i = 0; i < offers->len; i++)
    {
      const SluiceOffer *offer = offers->pdata[i];
      guint match = is_typed ? sluice_offer_match (offer, text) : 1;
      Ranked row = { offer, offer->reason, match, place_of (offer, recent, pinned) };
      if (match > 0 && (is_typed || with_others || offer->reason != SLUICE_OFFER_OTHER))
        g_array_append_val (ranked, row);
    }
  g_array_sort (ranked, compare);
  for (guint i = 0; i < ranked->len; i++)
    g_ptr_array_add (found, (gpointer) g_array_index (ranked, Ranked, i).offer);
  return found;
}

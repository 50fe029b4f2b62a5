/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/hierarchy-fold.h"

#include <stdlib.h>
#include <string.h>

/* What repeats itself in the order of a level: stretches in which each box has the structure of the
 * one a period before, and the lines within a period lead between the same places. */

#define MAX_PERIODS 24 /* that are tried */
#define LOOK_AHEAD  4  /* boxes that must agree for a period to be thought of */
#define MAX_NAMES   3  /* in a label */
#define MAX_LABEL   24 /* bytes of those: more would be cut in the middle of a word */
#define CELL_COST   4  /* lines that a cell counts for */

typedef struct
{
  const SluiceFoldLevel *level;
  guint64 *symbol; /* per position */
  guint least_period, n_periods;
  guint period[MAX_PERIODS + 1];
  guint *alike[MAX_PERIODS + 1]; /* per position: boxes from there on that are as a period later */
} Search;

/* How often what takes so many boxes must be there to be worth a box of its own. */
static guint
least_repeats (const SluiceFoldLevel *level, guint first, guint period)
{
  const SluiceGroup *g = &level->hierarchy->groups[level->base + level->order[first]];
  if (period == 1)
    return g->kind == SLUICE_GROUP_OP ? 5 : 4;
  return period < 4 ? 4 : period < 20 ? 3 : 2;
}

/* ---- periods ---- */

typedef struct
{
  guint64 hash;
  guint at;
} Gram;

static int
compare_grams (const void *pa, const void *pb)
{
  const Gram *a = pa, *b = pb;
  if (a->hash != b->hash)
    return a->hash < b->hash ? -1 : 1;
  return a->at < b->at ? -1 : a->at > b->at;
}

typedef struct
{
  guint period, votes;
} Vote;

static int
compare_votes (const void *pa, const void *pb)
{
  const Vote *a = pa, *b = pb;
  if (a->votes != b->votes)
    return a->votes > b->votes ? -1 : 1;
  return a->period < b->period ? -1 : a->period > b->period;
}

static int
compare_periods (const void *pa, const void *pb)
{
  guint a = *(const guint *) pa, b = *(const guint *) pb;
  return a < b ? -1 : a > b;
}

/* Of the distances between equal stretches the most frequent ones, shortest first. */
static void
think_of_periods (Search *s)
{
  guint n = s->level->n_main;
  g_autofree Gram *grams = g_new (Gram, n + 1);
  g_autofree Vote *votes = g_new0 (Vote, n + 1);
  if (s->least_period <= 1)
    s->period[s->n_periods++] = 1;
  for (guint p = 0; p < n; p++)
    {
      grams[p] = (Gram){ 0, p };
      votes[p].period = p;
      for (guint k = p; k < MIN (n, p + LOOK_AHEAD); k++)
        grams[p].hash = sluice_mix_hashes (grams[p].hash, s->symbol[k]);
    }
  qsort (grams, n, sizeof *grams, compare_grams);
  for (guint i = 0; i + 1 < n; i++)
    if (grams[i].hash == grams[i + 1].hash)
      votes[grams[i + 1].at - grams[i].at].votes++;
  qsort (votes, n, sizeof *votes, compare_votes);
  for (guint i = 0; i < n && s->n_periods < MAX_PERIODS; i++)
    if (votes[i].period > 1 && votes[i].votes > 1)
      s->period[s->n_periods++] = votes[i].period;
  qsort (s->period, s->n_periods, sizeof *s->period, compare_periods);
}

static void
compare_with_later (Search *s)
{
  guint n = s->level->n_main;
  for (guint k = 0; k < s->n_periods; k++)
    {
      guint period = s->period[k], *alike = s->alike[k] = g_new0 (guint, n + 1);
      for (guint p = n; p-- > 0;)
        alike[p] = p + period < n && s->symbol[p] == s->symbol[p + period] ? alike[p + 1] + 1 : 0;
    }
}

/* ---- lines ---- */

/* Per position: its lines from boxes at most a period before, by how far these are. */
static guint64
hash_lines (const SluiceFoldLevel *level, guint first, guint period)
{
  const SluiceHierarchy *h = level->hierarchy;
  guint64 total = 0;
  for (guint p = first; p < first + period; p++)
    {
      guint child = level->base + level->order[p];
      guint b = sluice_fold_level_first_bundle (level, level->order[p]);
      for (; b < h->bundle_start[level->scope + 1] && h->bundles[b].from == child; b++)
        {
          guint to = level->position[h->bundles[b].to - level->base];
          if (h->bundles[b].kind == SLUICE_EDGE_DATA && to != SLUICE_NONE && to >= first
              && to < first + period)
            total += sluice_mix_hashes (p - first, to - first);
        }
    }
  return total;
}

/* The longest stretch of cells of @run whose lines are the same. */
static SluiceFoldRun
agree (const SluiceFoldLevel *level, SluiceFoldRun run)
{
  SluiceFoldRun best = { run.first, run.period, 0 };
  guint64 last = 0;
  guint first = 0;
  for (guint k = 0; k < run.n; k++)
    {
      guint64 hash = hash_lines (level, run.first + k * run.period, run.period);
      if (k == 0 || hash != last)
        first = k;
      last = hash;
      if (k + 1 - first > best.n)
        best = (SluiceFoldRun){ run.first + first * run.period, run.period, k + 1 - first };
    }
  return best;
}

/* Cells begin where fewest lines lead from one to the next; a cell less for that costs something.
 */
static SluiceFoldRun
turn (const SluiceFoldLevel *level, guint first, guint period, guint length)
{
  SluiceFoldRun best = { first, period, length / period };
  guint least = G_MAXUINT;
  for (guint off = 0; off < period && off + 2 * period <= length; off++)
    {
      guint n = (length - off) / period;
      guint cut = level->cut[first + off + period] + (n < length / period ? CELL_COST : 0);
      if (n + 1 < length / period || n < least_repeats (level, first + off, period) || cut >= least)
        continue;
      least = cut;
      best = (SluiceFoldRun){ first + off, period, n };
    }
  return best;
}

/* ---- runs ---- */

/* All boxes of a cell are alike: that is no cell. */
static gboolean
is_plain (const Search *s, guint first, guint period)
{
  for (guint p = first + 1; p < first + period; p++)
    if (s->symbol[p] != s->symbol[first])
      return FALSE;
  return period > 1;
}

/* The run that covers most of what begins at @p, of n = 0 where there is none. */
static SluiceFoldRun
best_at (const Search *s, guint p)
{
  SluiceFoldRun best = { p, 1, 0 };
  for (guint k = 0; k < s->n_periods; k++)
    {
      guint period = s->period[k], length = s->alike[k][p] + period;
      if (length / period < least_repeats (s->level, p, period)
          || length / period * period <= best.n * best.period || is_plain (s, p, period))
        continue;
      SluiceFoldRun run = agree (s->level, turn (s->level, p, period, length));
      if (run.n >= least_repeats (s->level, run.first, period)
          && run.n * period > best.n * best.period)
        best = run;
    }
  return best;
}

GArray *
sluice_fold_level_find_runs (const SluiceFoldLevel *self, guint least_period)
{
  GArray *runs = g_array_new (FALSE, FALSE, sizeof (SluiceFoldRun));
  g_autofree guint64 *symbol = g_new (guint64, self->n_main + 1);
  Search s = { .level = self, .symbol = symbol, .least_period = least_period };
  for (guint p = 0; p < self->n_main; p++)
    {
      const SluiceGroup *g = &self->hierarchy->groups[self->base + self->order[p]];
      symbol[p] = sluice_mix_hashes (g->structure, 2 * g->node_class + self->late[self->order[p]]);
    }
  think_of_periods (&s);
  compare_with_later (&s);
  for (guint p = 0; p < self->n_main;)
    {
      SluiceFoldRun run = best_at (&s, p);
      if (run.n == 0)
        {
          p++;
          continue;
        }
      g_array_append_val (runs, run);
      p = run.first + run.n * run.period;
    }
  for (guint k = 0; k < s.n_periods; k++)
    g_free (s.alike[k]);
  return runs;
}

/* ---- words ---- */

typedef struct
{
  const char *name;
  gsize length;
  double cost;
  guint first, n;
} Word;

/* The op, or the scope without its number. */
static const char *
name_of (const SluiceFoldLevel *level, guint child, gsize *p_length)
{
  SluiceHierarchy *h = level->hierarchy;
  const SluiceGroup *g = &h->groups[level->base + child];
  const char *name = g->kind == SLUICE_GROUP_OP
                         ? sluice_graph_model_get_node (h->model, g->model_node)->op
                         : g->label;
  gsize length = strlen (name);
  const char *times = strstr (name, " × ");
  if (times != NULL)
    length = times - name;
  else if (g->kind != SLUICE_GROUP_OP)
    while (length > 1 && (g_ascii_isdigit (name[length - 1]) || name[length - 1] == '_'))
      length--;
  *p_length = length;
  return name;
}

char *
sluice_fold_level_dup_word (const SluiceFoldLevel *self, guint child)
{
  gsize length;
  const char *name = name_of (self, child, &length);
  return g_strndup (name, length);
}

static Word
word_of (const SluiceFoldLevel *level, guint position)
{
  guint child = level->order[position];
  Word word = { .cost = level->hierarchy->groups[level->base + child].cost, .first = position };
  word.name = name_of (level, child, &word.length);
  word.n = 1;
  return word;
}

static int
compare_weights (const void *pa, const void *pb)
{
  const Word *a = pa, *b = pb;
  if (a->cost != b->cost)
    return a->cost > b->cost ? -1 : 1;
  return a->n != b->n ? (a->n > b->n ? -1 : 1) : a->first < b->first ? -1 : a->first > b->first;
}

static int
compare_firsts (const void *pa, const void *pb)
{
  const Word *a = pa, *b = pb;
  return a->first < b->first ? -1 : a->first > b->first;
}

static GArray *
collect_words (const SluiceFoldLevel *self, guint first, guint end)
{
  GArray *words = g_array_new (FALSE, FALSE, sizeof (Word));
  for (guint p = first; p < MIN (end, first + 400); p++)
    {
      Word word = word_of (self, p);
      guint i = 0;
      for (; i < words->len; i++)
        {
          Word *w = &g_array_index (words, Word, i);
          if (w->length != word.length || strncmp (w->name, word.name, word.length) != 0)
            continue;
          w->cost += word.cost;
          w->n++;
          break;
        }
      if (i == words->len)
        g_array_append_val (words, word);
    }
  return words;
}

/* The heaviest words that have room in a box, in the order of the flow. */
char *
sluice_fold_level_dup_label (const SluiceFoldLevel *self, guint first, guint end, guint n_repeats)
{
  g_autoptr (GArray) words = collect_words (self, first, end);
  g_autoptr (GString) label = g_string_new (NULL);
  qsort (words->data, words->len, sizeof (Word), compare_weights);
  guint n = 0;
  for (gsize length = 0; n < MIN (words->len, MAX_NAMES); n++)
    {
      length += g_array_index (words, Word, n).length + (n > 0 ? strlen (" → ") : 0);
      if (n > 0 && length > MAX_LABEL)
        break;
    }
  qsort (words->data, n, sizeof (Word), compare_firsts);
  for (guint i = 0; i < n; i++)
    {
      const Word *w = &g_array_index (words, Word, i);
      g_string_append (label, i > 0 ? " → " : "");
      g_string_append_len (label, w->name, w->length);
    }
  if (n_repeats > 0)
    g_string_append_printf (label, " × %u", n_repeats);
  return g_string_free (g_steal_pointer (&label), FALSE);
}

char *
sluice_fold_level_dup_path (const SluiceFoldLevel *self, guint first, guint last)
{
  const SluiceGroup *groups = self->hierarchy->groups + self->base;
  return g_strdup_printf ("%s..%s", groups[first].path, sluice_path_leaf (groups[last].path));
}

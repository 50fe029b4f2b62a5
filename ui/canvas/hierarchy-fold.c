/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/hierarchy-fold.h"

#include <stdlib.h>
#include <string.h>

/* Levels with more boxes than can be taken in get groups of their own, whatever the names say.
 * Their boxes are put in an order in which data flows forward (hierarchy-fold-order.c); what
 * repeats itself in it, op by op and line by line, becomes a series of cells
 * (hierarchy-fold-repeats.c); if too much is left, stretches between narrow places become sections.
 * All of these are stretches of one order, so that no cycles come about. Gradients are folded as
 * what they are the gradients of, and variables, constants and summaries stand with what reads or
 * makes them. */

#define FEW_BOXES   24 /* fewer are left as they are */
#define MANY_BOXES  40 /* more get sections */
#define FULL_LEVEL  24 /* boxes that a level with sections has, about */
#define LOOSE_LEVEL 7  /* the same in an order that is not that of making */
#define MANY_ROWS   18 /* that fit a window at a zoom at which they can be read */
#define MANY_PAST   3  /* lines beside a row: more make it wide */
#define COARSER     1.2
#define MAX_TRIES   6
#define MAX_ROUNDS  4 /* of sections in sections */
#define MIN_MEMBERS 2
#define MANY_ASIDE  16 /* things set aside that are listed one by one */
#define MAX_KINDS   8  /* of them, else */

/* ---- who is what ---- */

/* The forward half of a gradient, or the series that it is in, where that is its sibling; else
 * SLUICE_NONE. What a series of gradients is of, its first op tells. */
static guint
sibling_pair (const SluiceHierarchy *h, guint child)
{
  guint parent = h->groups[child].parent, first = child;
  if (!h->groups[child].gradient)
    return SLUICE_NONE;
  while (h->groups[first].kind == SLUICE_GROUP_SERIES)
    first = h->groups[first].first_child;
  guint pair = h->groups[first].pair;
  if (pair >= SLUICE_OUTSIDE)
    return SLUICE_NONE;
  while (h->groups[pair].parent != parent
         && h->groups[h->groups[pair].parent].kind == SLUICE_GROUP_SERIES)
    pair = h->groups[pair].parent;
  return h->groups[pair].parent == parent ? pair : SLUICE_NONE;
}

static void
classify (SluiceFoldLevel *level)
{
  const SluiceHierarchy *h = level->hierarchy;
  for (guint i = 0; i < level->n; i++)
    {
      const SluiceGroup *g = &h->groups[level->base + i];
      guint pair = sibling_pair (h, level->base + i);
      level->pair[i] = pair != SLUICE_NONE ? pair - level->base : SLUICE_NONE;
      level->part[i] = g->hub ? SLUICE_FOLD_OUT
                       : g->node_class == SLUICE_NODE_CLASS_CONSTANT
                               || g->node_class == SLUICE_NODE_CLASS_VARIABLE
                               || g->node_class == SLUICE_NODE_CLASS_SUMMARY
                           ? SLUICE_FOLD_GLYPH
                       : pair != SLUICE_NONE ? SLUICE_FOLD_GRADIENT
                                             : SLUICE_FOLD_MAIN;
      level->n_boxes +=
          level->part[i] == SLUICE_FOLD_GRADIENT || level->part[i] == SLUICE_FOLD_MAIN;
    }
}

/* ---- folds ---- */

static guint
add_fold (SluiceFolds *folds, guint scope, guint outer, gboolean section, gboolean gradient)
{
  SluiceFold fold = { .scope = scope, .outer = outer, .section = section, .gradient = gradient };
  g_array_append_val (folds->made, fold);
  return folds->made->len;
}

static SluiceFold *
fold_at (SluiceFolds *folds, guint number)
{
  return &g_array_index (folds->made, SluiceFold, number - 1);
}

/* Of what stands at positions [first, end) of the order. */
static char *
dup_path (const SluiceFoldLevel *level, guint first, guint end)
{
  return sluice_fold_level_dup_path (level, level->order[first], level->order[end - 1]);
}

/* The boxes at positions [first, end) of the order, which have no place yet, and the outermost
 * folds among them, go into @fold. */
static void
enclose (SluiceFoldLevel *level, guint first, guint end, guint fold)
{
  SluiceFolds *folds = level->folds;
  for (guint p = first; p < end; p++)
    {
      guint *home = &folds->home[level->base + level->order[p]];
      if (*home == 0)
        {
          *home = fold;
          continue;
        }
      guint at = *home;
      while (fold_at (folds, at)->outer != 0)
        at = fold_at (folds, at)->outer;
      if (at != fold)
        fold_at (folds, at)->outer = fold;
    }
}

static void
fold_run (SluiceFoldLevel *level, const SluiceFoldRun *run)
{
  guint outer = add_fold (level->folds, level->scope, 0, FALSE, FALSE);
  guint end = run->first + run->period * run->n;
  SluiceFold *fold = fold_at (level->folds, outer);
  fold->n_repeats = run->n;
  fold->label = sluice_fold_level_dup_label (level, run->first, run->first + run->period, run->n);
  fold->path = dup_path (level, run->first, end);
  for (guint k = 0; k < run->n && run->period > 1; k++)
    {
      guint first = run->first + k * run->period;
      guint cell = add_fold (level->folds, level->scope, outer, TRUE, FALSE);
      enclose (level, first, first + run->period, cell);
      fold_at (level->folds, cell)->outer = outer;
      g_autofree char *name = sluice_fold_level_dup_label (level, first, first + run->period, 0);
      fold_at (level->folds, cell)->label = g_strdup_printf ("%s · %u", name, k + 1);
      fold_at (level->folds, cell)->path = dup_path (level, first, first + run->period);
    }
  if (run->period == 1)
    enclose (level, run->first, end, outer);
}

/* ---- sections ---- */

/* What stands side by side on the level: a run or a single box. */
typedef struct
{
  guint first, end; /* positions */
} Stretch;

/* Stretches that are put together. */
typedef struct
{
  guint first, end; /* positions */
  guint n;          /* stretches */
} Section;

static GArray *
list_stretches (const SluiceFoldLevel *level, const GArray *runs)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (Stretch));
  guint next = 0;
  for (guint p = 0; p < level->n_main;)
    {
      const SluiceFoldRun *run =
          next < runs->len ? &g_array_index (runs, SluiceFoldRun, next) : NULL;
      Stretch stretch = { p, p + 1 };
      if (run != NULL && run->first == p)
        {
          stretch.end = p + run->n * run->period;
          next++;
        }
      g_array_append_val (list, stretch);
      p = stretch.end;
    }
  return list;
}

static guint
count_ops (const SluiceFoldLevel *level, guint first, guint end)
{
  guint n = 0;
  for (guint p = first; p < end; p++)
    n += level->hierarchy->groups[level->base + level->order[p]].n_ops;
  return n;
}

/* A section ends before and after what is a @large part of the level, and where what is computed
 * from gradients begins. */
static gboolean
must_end (const SluiceFoldLevel *level, const Stretch *before, const Stretch *after, guint large)
{
  return count_ops (level, before->first, before->end) >= large
         || count_ops (level, after->first, after->end) >= large
         || level->late[level->order[before->first]] != level->late[level->order[after->first]];
}

/* Where the section that begins with stretch @at ends: the narrowest place near @size stretches. */
static guint
find_end (const SluiceFoldLevel *level, const GArray *list, guint at, double size, guint large)
{
  guint best = at + 1;
  double least = G_MAXDOUBLE;
  for (guint i = at + 1; i <= list->len && i - at <= 1.6 * size; i++)
    {
      const Stretch *before = &g_array_index (list, Stretch, i - 1);
      const Stretch *after = i < list->len ? &g_array_index (list, Stretch, i) : NULL;
      double off = (i - at) / size - 1;
      double cost = after == NULL ? 0 : level->cut[after->first] + 2 * off * off;
      if (after == NULL || must_end (level, before, after, large))
        return i - at > 1.3 * size && least < G_MAXDOUBLE ? best : i;
      if (i - at >= 0.5 * size && cost < least)
        {
          least = cost;
          best = i;
        }
    }
  return best;
}

/* How many boxes the stretches are, each with that of its gradients. */
static guint
count_boxes (const SluiceFoldLevel *level, const GArray *list)
{
  guint n = list->len;
  g_autofree guint8 *has_gradient = g_new0 (guint8, level->n + 1);
  for (guint i = 0; i < level->n; i++)
    if (level->part[i] == SLUICE_FOLD_GRADIENT)
      has_gradient[level->pair[i]] = TRUE;
  for (guint i = 0; i < list->len; i++)
    {
      const Stretch *stretch = &g_array_index (list, Stretch, i);
      gboolean any = FALSE;
      for (guint p = stretch->first; p < stretch->end && !any; p++)
        any = has_gradient[level->order[p]];
      n += any;
    }
  return n;
}

/* The sections of @size stretches each, about: (transfer full) (element-type Stretch). */
static GArray *
cut_sections (const SluiceFoldLevel *level, const GArray *list, double size, guint large)
{
  GArray *sections = g_array_new (FALSE, FALSE, sizeof (Section));
  for (guint i = 0, end; i < list->len; i = end)
    {
      end = find_end (level, list, i, size, large);
      Section section = { g_array_index (list, Stretch, i).first,
                          g_array_index (list, Stretch, end - 1).end, end - i };
      g_array_append_val (sections, section);
    }
  return sections;
}

/* Sections above each other with lines past them: such a drawing is as wide as it is high, so that
 * the layout cannot break it into columns. */
static gboolean
is_too_tall (const SluiceFoldLevel *level, const GArray *sections)
{
  const SluiceHierarchy *h = level->hierarchy;
  guint n = sections->len, n_rows = 0, n_past = 0;
  g_autofree guint *row = g_new0 (guint, n + 1);
  g_autofree guint *section_at = g_new (guint, level->n_main + 1);
  g_autoptr (GArray) lines = g_array_new (FALSE, FALSE, sizeof (guint)); /* from, to */
  g_autofree guint *seen = g_new0 (guint, n + 1); /* the last section that leads to it, + 1 */
  for (guint i = 0; i < n; i++)
    for (guint p = g_array_index (sections, Section, i).first;
         p < g_array_index (sections, Section, i).end; p++)
      section_at[p] = i;
  for (guint p = 0; p < level->n_main; p++)
    {
      guint child = level->base + level->order[p], from = section_at[p];
      guint b = sluice_fold_level_first_bundle (level, level->order[p]);
      n_rows = MAX (n_rows, row[from] + 1);
      for (; b < h->bundle_start[level->scope + 1] && h->bundles[b].from == child; b++)
        {
          guint at = level->position[h->bundles[b].to - level->base];
          guint to = at == SLUICE_NONE ? 0 : section_at[at];
          if (h->bundles[b].kind != SLUICE_EDGE_DATA || to <= from || seen[to] == from + 1)
            continue;
          seen[to] = from + 1;
          row[to] = MAX (row[to], row[from] + 1);
          g_array_append_val (lines, from);
          g_array_append_val (lines, to);
        }
    }
  for (guint i = 0; i < lines->len; i += 2)
    n_past += row[g_array_index (lines, guint, i + 1)] - row[g_array_index (lines, guint, i)] - 1;
  return n_rows > MANY_ROWS && n_past > MANY_PAST * n_rows;
}

static void
fold_sections (SluiceFoldLevel *level, const GArray *runs)
{
  g_autoptr (GArray) list = list_stretches (level, runs);
  guint n_boxes = count_boxes (level, list);
  double size = MAX (2.0, (double) n_boxes / (level->in_order ? FULL_LEVEL : LOOSE_LEVEL));
  guint large = MAX (count_ops (level, 0, level->n_main) / 8, 12);
  if (n_boxes <= (level->in_order ? MANY_BOXES : FULL_LEVEL))
    return;
  g_autoptr (GArray) sections = cut_sections (level, list, size, large);
  for (guint i = 0; i < MAX_TRIES && is_too_tall (level, sections); i++)
    {
      g_array_unref (sections);
      sections = cut_sections (level, list, size *= COARSER, large);
    }
  for (guint i = 0; i < sections->len; i++)
    {
      const Section *section = &g_array_index (sections, Section, i);
      if (section->n < MIN_MEMBERS)
        continue;
      guint fold = add_fold (level->folds, level->scope, 0, TRUE, FALSE);
      enclose (level, section->first, section->end, fold);
      SluiceFold *made = fold_at (level->folds, fold);
      made->label = sluice_fold_level_dup_label (level, section->first, section->end, 0);
      made->path = dup_path (level, section->first, section->end);
    }
}

/* ---- what is set aside ---- */

/* Things of one kind that are set aside. */
typedef struct
{
  char *word;
  guint n, first, last; /* children */
  guint fold;
} Kind;

static void
free_kind (gpointer data)
{
  Kind *kind = data;
  g_free (kind->word);
  g_free (kind);
}

static gint
compare_kinds (gconstpointer pa, gconstpointer pb)
{
  const Kind *a = *(Kind *const *) pa, *b = *(Kind *const *) pb;
  return a->n != b->n ? (a->n > b->n ? -1 : 1) : a->first < b->first ? -1 : a->first > b->first;
}

/* (transfer full) (element-type Kind): most frequent first. Sets @kind_of, per child. */
static GPtrArray *
find_kinds (const SluiceFoldLevel *level, Kind **kind_of)
{
  g_autoptr (GHashTable) by_word = g_hash_table_new (g_str_hash, g_str_equal);
  GPtrArray *kinds = g_ptr_array_new_with_free_func (free_kind);
  for (guint i = 0; i < level->n; i++)
    {
      if (level->part[i] != SLUICE_FOLD_OUT)
        continue;
      g_autofree char *word = sluice_fold_level_dup_word (level, i);
      Kind *kind = g_hash_table_lookup (by_word, word);
      if (kind == NULL)
        {
          kind = g_new0 (Kind, 1);
          *kind = (Kind){ .word = g_steal_pointer (&word), .first = i };
          g_hash_table_insert (by_word, kind->word, kind);
          g_ptr_array_add (kinds, kind);
        }
      kind->n++;
      kind->last = i;
      kind_of[i] = kind;
    }
  g_ptr_array_sort (kinds, compare_kinds);
  return kinds;
}

/* A constant that nothing reads is of no use to the model. */
static void
set_unread_aside (SluiceFoldLevel *level)
{
  const SluiceHierarchy *h = level->hierarchy;
  g_autofree guint8 *is_read = g_new0 (guint8, level->n + 1);
  for (guint b = h->bundle_start[level->scope]; b < h->bundle_start[level->scope + 1]; b++)
    is_read[h->bundles[b].from - level->base] = TRUE;
  for (guint i = 0; i < level->n; i++)
    if (!is_read[i] && h->groups[level->base + i].node_class == SLUICE_NODE_CLASS_CONSTANT)
      level->part[i] = SLUICE_FOLD_OUT;
}

/* Set-aside things by their kinds, and all of the rare kinds in one, where they are too many to be
 * listed. */
static void
fold_aside (SluiceFoldLevel *level)
{
  guint n = 0, rest = 0;
  set_unread_aside (level);
  for (guint i = 0; i < level->n; i++)
    n += level->part[i] == SLUICE_FOLD_OUT;
  if (n <= MANY_ASIDE)
    return;
  g_autofree Kind **kind_of = g_new0 (Kind *, level->n + 1);
  g_autoptr (GPtrArray) kinds = find_kinds (level, kind_of);
  for (guint k = 0; k < kinds->len; k++)
    {
      Kind *kind = kinds->pdata[k];
      gboolean is_rare = k >= MAX_KINDS && kinds->len > MAX_KINDS + 1;
      if (is_rare ? rest == 0 : kind->n >= MIN_MEMBERS)
        {
          kind->fold = add_fold (level->folds, level->scope, 0, is_rare, FALSE);
          SluiceFold *fold = fold_at (level->folds, kind->fold);
          fold->n_repeats = is_rare ? 0 : kind->n;
          fold->label = is_rare ? g_strdup_printf ("%s …", kind->word)
                                : g_strdup_printf ("%s × %u", kind->word, kind->n);
          fold->path = sluice_fold_level_dup_path (level, kind->first, kind->last);
        }
      if (is_rare)
        rest = kind->fold = rest != 0 ? rest : kind->fold;
    }
  for (guint i = 0; i < level->n; i++)
    if (kind_of[i] != NULL)
      level->folds->home[level->base + i] = kind_of[i]->fold;
}

/* ---- gradients, and what stands at other boxes ---- */

/* "Conv2D ∇ × 3" of "Conv2D × 3". */
static char *
dup_gradient_label (const char *label)
{
  const char *times = strstr (label, " × ");
  return times == NULL ? g_strdup_printf ("%s ∇", label)
                       : g_strdup_printf ("%.*s ∇%s", (int) (times - label), label, times);
}

/* The fold of the gradients of what is in @fold; 0: there are too few of them. */
static guint
mirror (SluiceFoldLevel *level, guint fold, const guint *n_gradients, guint *mirrors)
{
  while (fold != 0 && n_gradients[fold - level->first_fold] < MIN_MEMBERS)
    fold = fold_at (level->folds, fold)->outer;
  if (fold == 0 || mirrors[fold - level->first_fold] != 0)
    return fold == 0 ? 0 : mirrors[fold - level->first_fold];
  guint outer = mirror (level, fold_at (level->folds, fold)->outer, n_gradients, mirrors);
  guint made = add_fold (level->folds, level->scope, outer, TRUE, TRUE);
  SluiceFold *of = fold_at (level->folds, fold), *to = fold_at (level->folds, made);
  to->section = of->section;
  to->label = dup_gradient_label (of->label);
  to->path = g_strconcat (SLUICE_GRADIENTS_OF, of->path, NULL);
  return mirrors[fold - level->first_fold] = made;
}

/* The gradients of what is in a series that the names make. */
static guint
mirror_series (SluiceFoldLevel *level, guint child, guint outer)
{
  const SluiceGroup *g = &level->hierarchy->groups[level->base + child];
  guint made = add_fold (level->folds, level->scope, outer, g->section, TRUE);
  fold_at (level->folds, made)->label = dup_gradient_label (g->label);
  fold_at (level->folds, made)->path = g_strconcat (SLUICE_GRADIENTS_OF, g->path, NULL);
  return made;
}

static void
fold_gradients (SluiceFoldLevel *level)
{
  SluiceFolds *folds = level->folds;
  guint n_folds = folds->made->len + 1 - level->first_fold;
  g_autofree guint *n_gradients = g_new0 (guint, n_folds + 1);
  g_autofree guint *mirrors = g_new0 (guint, n_folds + 1);
  g_autofree guint *n_of = g_new0 (guint, level->n + 1); /* gradients per child */
  g_autofree guint *series = g_new0 (guint, level->n + 1);
  for (guint i = 0; i < level->n; i++)
    {
      if (level->part[i] != SLUICE_FOLD_GRADIENT)
        continue;
      n_of[level->pair[i]]++;
      for (guint fold = folds->home[level->base + level->pair[i]]; fold != 0;
           fold = fold_at (folds, fold)->outer)
        n_gradients[fold - level->first_fold]++;
    }
  for (guint i = 0; i < level->n; i++)
    {
      guint pair = level->pair[i], *home = &folds->home[level->base + i];
      if (level->part[i] != SLUICE_FOLD_GRADIENT)
        continue;
      guint fold = folds->home[level->base + pair];
      *home = fold != 0 ? mirror (level, fold, n_gradients, mirrors) : 0;
      if (n_of[pair] < MIN_MEMBERS)
        continue;
      if (series[pair] == 0)
        series[pair] = mirror_series (level, pair, *home);
      *home = series[pair];
    }
}

static guint
depth_of (SluiceFolds *folds, guint fold)
{
  guint depth = 0;
  for (; fold != 0; fold = fold_at (folds, fold)->outer)
    depth++;
  return depth;
}

/* The innermost fold that both stand in; 0: none. */
static guint
common_fold (SluiceFolds *folds, guint a, guint b)
{
  guint depth_a = depth_of (folds, a), depth_b = depth_of (folds, b);
  for (; depth_a > depth_b; depth_a--)
    a = fold_at (folds, a)->outer;
  for (; depth_b > depth_a; depth_b--)
    b = fold_at (folds, b)->outer;
  while (a != b)
    {
      a = fold_at (folds, a)->outer;
      b = fold_at (folds, b)->outer;
    }
  return a;
}

/* What a glyph is tied to, least first. */
enum
{
  NOT_TIED,
  BY_ASIDE,
  BY_GRADIENT,
  BY_FORWARD
};

static guint8
tie_of (const SluiceFoldLevel *level, guint child)
{
  return level->part[child] == SLUICE_FOLD_OUT        ? BY_ASIDE
         : level->part[child] == SLUICE_FOLD_GRADIENT ? BY_GRADIENT
                                                      : BY_FORWARD;
}

/* Where a glyph stands that is tied to child @a, and so is in fold @fold, and to child @b as well.
 * A variable that several folds read stands in the one that data comes to first: lines to the
 * others lead on from there. */
static guint
share_glyph (SluiceFoldLevel *level, guint fold, guint *a, guint b, SluiceNodeClass node_class)
{
  SluiceFolds *folds = level->folds;
  guint home = folds->home[level->base + b], common = common_fold (folds, fold, home);
  if (common != 0 || node_class != SLUICE_NODE_CLASS_VARIABLE || level->position[*a] == SLUICE_NONE
      || level->position[b] == SLUICE_NONE)
    return common;
  if (level->position[*a] < level->position[b])
    return fold;
  *a = b;
  return home;
}

/* Glyphs of one class go where all that they are tied to stands. That a gradient reads a variable
 * does not count if the forward half does, too; nor what is set aside, unless nothing else is tied
 * to it. */
static void
fold_glyphs (SluiceFoldLevel *level, SluiceNodeClass node_class)
{
  SluiceFolds *folds = level->folds;
  const SluiceHierarchy *h = level->hierarchy;
  gboolean is_summary = node_class == SLUICE_NODE_CLASS_SUMMARY;
  g_autofree guint8 *tied = g_new0 (guint8, level->n + 1);
  g_autofree guint *fold = g_new0 (guint, level->n + 1);
  g_autofree guint *to = g_new0 (guint, level->n + 1); /* the child that the fold is of */
  for (guint b = h->bundle_start[level->scope]; b < h->bundle_start[level->scope + 1]; b++)
    {
      const SluiceEdgeBundle *bundle = &h->bundles[b];
      guint glyph = (is_summary ? bundle->to : bundle->from) - level->base;
      guint other = (is_summary ? bundle->from : bundle->to) - level->base;
      guint8 tie = tie_of (level, other);
      if (bundle->kind != SLUICE_EDGE_DATA || level->part[glyph] != SLUICE_FOLD_GLYPH
          || h->groups[level->base + glyph].node_class != node_class || tie < tied[glyph])
        continue;
      if (tie > tied[glyph] || (tie == BY_ASIDE && fold[glyph] == 0))
        {
          fold[glyph] = folds->home[level->base + other];
          to[glyph] = other;
        }
      else if (tie != BY_ASIDE)
        fold[glyph] = share_glyph (level, fold[glyph], &to[glyph], other, node_class);
      tied[glyph] = tie;
    }
  for (guint i = 0; i < level->n; i++)
    if (tied[i] != NOT_TIED)
      folds->home[level->base + i] = fold[i];
}

/* ---- all of it ---- */

static void
fold_level (SluiceFolds *folds, SluiceHierarchy *h, guint scope, gboolean first)
{
  SluiceFoldLevel level;
  sluice_fold_level_init (&level, folds, h, scope);
  classify (&level);
  if (level.n_boxes > FEW_BOXES)
    {
      sluice_fold_level_order (&level);
      g_autoptr (GArray) runs = sluice_fold_level_find_runs (&level, first ? 2 : 1);
      for (guint i = 0; i < runs->len; i++)
        fold_run (&level, &g_array_index (runs, SluiceFoldRun, i));
      if (!first)
        fold_sections (&level, runs);
    }
  if (!first)
    fold_aside (&level);
  if (!first || folds->made->len + 1 > level.first_fold)
    fold_gradients (&level);
  if (folds->made->len + 1 > level.first_fold)
    {
      fold_glyphs (&level, SLUICE_NODE_CLASS_SUMMARY);
      fold_glyphs (&level, SLUICE_NODE_CLASS_VARIABLE);
      fold_glyphs (&level, SLUICE_NODE_CLASS_CONSTANT);
    }
  sluice_fold_level_clear (&level);
}

/* Only what is new is looked at again: sections that still hold too much. */
static gboolean
is_level (const SluiceHierarchy *h, guint i, guint round)
{
  const SluiceGroup *g = &h->groups[i];
  return g->n_children > FEW_BOXES
         && (round == 0 ? g->kind != SLUICE_GROUP_SERIES : g->section != FALSE);
}

static void
clear_fold (gpointer data)
{
  SluiceFold *fold = data;
  g_free (fold->label);
  g_free (fold->path);
}

static gboolean
fold_once (SluiceHierarchy *self, guint round, gboolean first)
{
  g_autofree guint *home = g_new0 (guint, self->n_groups + 1);
  SluiceFolds folds = { home, g_array_new (FALSE, TRUE, sizeof (SluiceFold)) };
  g_array_set_clear_func (folds.made, clear_fold);
  for (guint i = 0; i < self->n_groups; i++)
    if (is_level (self, i, round))
      fold_level (&folds, self, i, first);
  g_autofree SluiceGroup *made = g_new0 (SluiceGroup, folds.made->len + 1);
  g_autofree guint *outer = g_new0 (guint, folds.made->len + 1);
  for (guint i = 0; i < folds.made->len; i++)
    {
      const SluiceFold *fold = &g_array_index (folds.made, SluiceFold, i);
      made[i] = sluice_hierarchy_make_series (self, fold->scope, fold->path, fold->label);
      made[i].section = fold->section;
      made[i].gradient = fold->gradient;
      outer[i] = fold->outer;
    }
  if (folds.made->len > 0)
    sluice_hierarchy_insert_groups (self, home, made, outer, folds.made->len);
  gboolean any = folds.made->len > 0;
  g_array_unref (folds.made);
  return any;
}

gboolean
sluice_hierarchy_insert_folds (SluiceHierarchy *self, gboolean first)
{
  gboolean any = FALSE;
  for (guint round = 0; round < (first ? 1 : MAX_ROUNDS) && fold_once (self, round, first); round++)
    {
      any = TRUE;
      sluice_hierarchy_build_bundles (self, FALSE);
      sluice_hierarchy_sum_up (self);
      sluice_hierarchy_hash_structures (self, TRUE);
    }
  return any;
}

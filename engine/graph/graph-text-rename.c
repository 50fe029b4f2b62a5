/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Which edits of a text give nodes and scopes other names. A block whose name is new is the node
 * whose block stood there: between the same two that stay, of the same op. So what is known of a
 * node by its name can follow, and whoever names it in the text need not be changed by hand.
 */
#include <string.h>

#include "engine/graph/graph-text-private.h"

typedef struct
{
  SluiceGraphText *map;
  SluiceTextProposal *p;
  const Tensorflow__GraphDef *def;
  GHashTable *names; /* of the text as it is now */
} Pairing;

static SluiceNode *
old_node (const Pairing *self, guint i)
{
  return ((const SluiceTextBlock *) self->p->old->pdata[i])->node;
}

static gboolean
is_gone (const Pairing *self, guint i)
{
  const SluiceNode *node = old_node (self, i);
  return node != NULL && !g_hash_table_contains (self->names, node->name);
}

static gboolean
is_new (const Pairing *self, guint k)
{
  const char *name = self->def->node[k]->name;
  return *name != '\0' && sluice_graph_find (self->map->graph, name) == NULL;
}

/* Do both texts have the same node there? i, k: its index and 1; n_old, n_now: behind the last */
static gboolean
is_same (const Pairing *self, guint i, guint k)
{
  guint n_old = self->p->old->len, n_now = self->p->blocks->len;
  if (i == 0 || k == 0 || i > n_old || k > n_now)
    return (i == 0 && k == 0) || (i > n_old && k > n_now);
  const SluiceNode *node = old_node (self, i - 1);
  return node != NULL && g_str_equal (node->name, self->def->node[k - 1]->name);
}

static void
pair (Pairing *self, guint i, guint k)
{
  SluiceNode *node = old_node (self, i);
  const char *name = self->def->node[k]->name;
  if (!g_str_equal (self->def->node[k]->op, node->op_name)
      || g_hash_table_contains (self->p->was, name))
    return;
  g_hash_table_insert (self->p->was, g_strdup (name), (gpointer) node->name);
}

static void
find_pairs (Pairing *self)
{
  guint n_old = self->p->old->len, n_now = self->p->blocks->len, i = 0, k = 0;
  while (i < n_old && k < n_now)
    {
      guint first = i, first_now = k;
      while (i < n_old && is_gone (self, i))
        i++;
      while (k < n_now && is_new (self, k))
        k++;
      if (i - first == k - first_now && is_same (self, first, first_now)
          && is_same (self, i + 1, k + 1))
        for (guint at = 0; at < i - first; at++)
          pair (self, first + at, first_now + at);
      i++;
      k++;
    }
}

/* ---- scopes ---- */

/* A name, or the first length bytes of both: how many nodes are renamed in that way. */
typedef struct
{
  char *from, *to;
  guint n;
} Step;

static void
step_free (gpointer data)
{
  Step *step = data;
  g_free (step->from);
  g_free (step->to);
  g_free (step);
}

/* Takes the last part off both, where it is the same. */
static gboolean
shorten (char *from, char *to)
{
  char *a = strrchr (from, '/'), *b = strrchr (to, '/');
  if (a == NULL || b == NULL || !g_str_equal (a, b))
    return FALSE;
  *a = *b = '\0';
  return TRUE;
}

static char *
dup_key (const char *from, const char *to)
{
  return g_strconcat (from, "\n", to, NULL);
}

/* Every way in which the names can be understood: "a/b/c" to "x/b/c" is also "a/b" to "x/b", and
 * "a" to "x". "from\nto" -> Step */
static GHashTable *
collect_steps (const SluiceTextProposal *p)
{
  GHashTable *steps = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, step_free);
  GHashTableIter iter;
  gpointer now, was;
  g_hash_table_iter_init (&iter, p->was);
  while (g_hash_table_iter_next (&iter, &now, &was))
    {
      g_autofree char *from = g_strdup (was), *to = g_strdup (now);
      do
        {
          g_autofree char *key = dup_key (from, to);
          Step *step = g_hash_table_lookup (steps, key);
          if (step == NULL)
            {
              step = g_new0 (Step, 1);
              step->from = g_strdup (from);
              step->to = g_strdup (to);
              g_hash_table_insert (steps, g_steal_pointer (&key), step);
            }
          step->n++;
        }
      while (shorten (from, to));
    }
  return steps;
}

/* How many nodes are called so, or stand below: name -> their number, of those in the steps. */
static GHashTable *
count_below (SluiceGraph *graph, GHashTable *steps)
{
  GHashTable *counts = g_hash_table_new (g_str_hash, g_str_equal);
  GHashTableIter iter;
  Step *step;
  g_hash_table_iter_init (&iter, steps);
  while (g_hash_table_iter_next (&iter, NULL, (gpointer *) &step))
    g_hash_table_insert (counts, step->from, GUINT_TO_POINTER (0));
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      g_autofree char *name = g_strdup (sluice_graph_get_node (graph, i)->name);
      for (char *slash = name; slash != NULL;)
        {
          gpointer key, n;
          if (g_hash_table_lookup_extended (counts, name, &key, &n))
            g_hash_table_insert (counts, key, GUINT_TO_POINTER (GPOINTER_TO_UINT (n) + 1));
          slash = strrchr (name, '/');
          if (slash != NULL)
            *slash = '\0';
        }
    }
  return counts;
}

/* The outermost step that says of all that it names what the text says. (nullable) */
static Step *
find_step (GHashTable *steps, GHashTable *counts, const char *was, const char *now)
{
  g_autofree char *from = g_strdup (was), *to = g_strdup (now);
  Step *found = NULL;
  do
    {
      g_autofree char *key = dup_key (from, to);
      Step *step = g_hash_table_lookup (steps, key);
      if (step->n == GPOINTER_TO_UINT (g_hash_table_lookup (counts, step->from)))
        found = step;
    }
  while (shorten (from, to));
  return found;
}

/* Is something put where another rename takes things from? Then it would count in which order they
 * are done. */
static gboolean
is_tangled (const GArray *renames)
{
  g_autoptr (GHashTable) from = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < renames->len; i++)
    g_hash_table_insert (from, g_array_index (renames, SluiceTextRename, i).from,
                         GUINT_TO_POINTER (i + 1));
  for (guint i = 0; i < renames->len; i++)
    {
      g_autofree char *to = g_strdup (g_array_index (renames, SluiceTextRename, i).to);
      for (char *slash = to; slash != NULL;)
        {
          guint other = GPOINTER_TO_UINT (g_hash_table_lookup (from, to));
          if (other > 0 && other != i + 1)
            return TRUE;
          slash = strrchr (to, '/');
          if (slash != NULL)
            *slash = '\0';
        }
    }
  return FALSE;
}

void
sluice_text_rename_clear (gpointer data)
{
  SluiceTextRename *self = data;
  g_free (self->from);
  g_free (self->to);
}

/* What cannot be said by renames is no rename: a node alone, where others stand below it. */
static void
collect_renames (Pairing *self, GArray *renames)
{
  g_autoptr (GHashTable) steps = collect_steps (self->p);
  g_autoptr (GHashTable) counts = count_below (self->map->graph, steps);
  g_autoptr (GHashTable) taken = g_hash_table_new (NULL, NULL);
  for (guint k = 0; k < self->p->blocks->len; k++)
    {
      const char *now = self->def->node[k]->name, *was = g_hash_table_lookup (self->p->was, now);
      Step *step = was != NULL ? find_step (steps, counts, was, now) : NULL;
      if (was != NULL && step == NULL)
        g_hash_table_remove (self->p->was, now);
      if (step == NULL || !g_hash_table_add (taken, step))
        continue;
      SluiceTextRename rename = { g_strdup (step->from), g_strdup (step->to) };
      g_array_append_val (renames, rename);
    }
  if (!is_tangled (renames))
    return;
  g_array_set_size (renames, 0);
  g_hash_table_remove_all (self->p->was);
}

void
sluice_text_proposal_find_renames (SluiceGraphText *map,
                                   SluiceTextProposal *p,
                                   const Tensorflow__GraphDef *def,
                                   GArray *renames)
{
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  Pairing self = { map, p, def, names };
  for (gsize k = 0; k < def->n_node; k++)
    g_hash_table_add (names, def->node[k]->name);
  find_pairs (&self);
  if (g_hash_table_size (p->was) == 0)
    return;
  collect_renames (&self, renames);
  GHashTableIter iter;
  gpointer now, was;
  g_hash_table_iter_init (&iter, p->was);
  while (g_hash_table_iter_next (&iter, &now, &was))
    g_hash_table_insert (p->now, was, now);
}

/* ---- what names them ---- */

/* "a", "^a", "a:1", "loc:@a" without its quotes. */
static void
append_name (GString *out, const char *text, gsize length, GHashTable *names)
{
  gsize mark = length > 5 && strncmp (text, "loc:@", 5) == 0 ? 5 : length > 0 && *text == '^';
  const char *colon = memchr (text + mark, ':', length - mark);
  gsize end = colon != NULL ? (gsize) (colon - text) : length;
  g_autofree char *name = g_strndup (text + mark, end - mark);
  const char *other = g_hash_table_lookup (names, name);
  g_string_append_len (out, text, (gssize) mark);
  g_string_append (out, other != NULL ? other : name);
  g_string_append_len (out, text + end, (gssize) (length - end));
}

/* Behind a string or a comment that begins there. */
static gsize
end_of_piece (const char *text, gsize begin, gsize end)
{
  char first = text[begin++];
  if (first == '#')
    while (begin < end && text[begin] != '\n')
      begin++;
  else if (first == '"' || first == '\'')
    {
      while (begin < end && text[begin] != first)
        begin += text[begin] == '\\' && begin + 1 < end ? 2 : 1;
      begin += begin < end;
    }
  return begin;
}

static void
append_field (GString *out, const char *text, gsize begin, gsize end, GHashTable *names)
{
  for (gsize next; begin < end; begin = next)
    {
      next = end_of_piece (text, begin, end);
      if (next - begin < 2 || text[begin] == '#')
        {
          g_string_append_len (out, text + begin, (gssize) (next - begin));
          continue;
        }
      g_string_append_c (out, text[begin]);
      append_name (out, text + begin + 1, next - begin - 2, names);
      g_string_append_c (out, text[next - 1]);
    }
}

char *
sluice_text_dup_renamed (const char *body, GHashTable *names)
{
  g_autoptr (GArray) fields =
      g_hash_table_size (names) > 0 ? sluice_node_text_scan (body, NULL) : NULL;
  GString *out = g_string_new (NULL);
  gsize at = 0;
  for (guint i = 0; fields != NULL && i < fields->len; i++)
    {
      const SluiceNodeField *field = &g_array_index (fields, SluiceNodeField, i);
      gboolean is_class =
          field->kind == SLUICE_NODE_FIELD_ATTR && g_strcmp0 (field->attr, "_class") == 0;
      if (!is_class && field->kind != SLUICE_NODE_FIELD_NAME
          && field->kind != SLUICE_NODE_FIELD_INPUT)
        continue;
      g_string_append_len (out, body + at, (gssize) (field->begin - at));
      append_field (out, body, field->begin, field->end, names);
      at = field->end;
    }
  g_string_append (out, body + at);
  return g_string_free (out, FALSE);
}

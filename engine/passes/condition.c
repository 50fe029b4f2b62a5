/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * What has to happen for a node to run: a set of events, such as that a branch is taken or that a
 * kernel has waited. Which events a node depends on is static; nodes with the same set run both or
 * neither, and neither can be what the other waits for.
 *
 * The variables of a loop come together as a rule, and each by its own chain of events: their
 * Merges are taken for one event as long as nothing tells them apart, as states are when a finite
 * automaton is minimised (Hopcroft, An n log n algorithm for minimizing states, 1971).
 */
#include "engine/passes/condition.h"

#define MOST_EVENTS 32 /* of a set: a node with more becomes an event itself */
#define MOST_ROUNDS 16 /* then every Merge of a loop is an event of its own */
#define N_CACHED    1024
#define TOO_MANY    G_MAXUINT32

typedef enum
{
  NODE,   /* a node has ended, and is not dead: index */
  BRANCH, /* what chooses, is alive and chooses so: index, port, output, outputs in all */
  TURN,   /* an iteration has a variable's value: class of its Merge */
  END,    /* a loop has ended: frame, what its Exit waits for in the last iteration */
} Kind;

typedef struct
{
  guint32 a, b, both;
} Union;

typedef struct
{
  const SluiceWork *work;
  const GPtrArray *order;
  GHashTable *event_numbers, *set_numbers, *class_numbers; /* words -> number */
  GPtrArray *events, *sets;                                /* of GBytes: words, by number */
  Union *cached;
  guint32 *runs;    /* by index: the set that the node waits for */
  guint32 *gives;   /* by index: the set that its outputs wait for; of a Switch, of both */
  guint32 *classes; /* by index of a loop's Merge */
} Find;

static guint32
number_words (GHashTable *numbers, GPtrArray *by_number, const guint32 *words, guint n)
{
  GBytes *key = g_bytes_new (words, n * sizeof *words);
  gpointer number;
  if (g_hash_table_lookup_extended (numbers, key, NULL, &number))
    {
      g_bytes_unref (key);
      return GPOINTER_TO_UINT (number);
    }
  guint32 fresh = g_hash_table_size (numbers);
  g_hash_table_insert (numbers, key, GUINT_TO_POINTER (fresh));
  if (by_number)
    g_ptr_array_add (by_number, key);
  return fresh;
}

static const guint32 *
words_of (const GPtrArray *by_number, guint32 number, guint *n)
{
  gsize bytes;
  const guint32 *words = g_bytes_get_data (by_number->pdata[number], &bytes);
  *n = bytes / sizeof *words;
  return words;
}

/* The set of that one event. */
static guint32
only (Find *find, const guint32 *words, guint n)
{
  guint32 event = number_words (find->event_numbers, find->events, words, n);
  return number_words (find->set_numbers, find->sets, &event, 1);
}

static guint32
only_node (Find *find, const SluiceWorkNode *node)
{
  return only (find, (const guint32[]){ NODE, node->index }, 2);
}

static guint32
make_union (Find *find, guint32 a, guint32 b)
{
  guint n_x, n_y, n = 0;
  const guint32 *x = words_of (find->sets, a, &n_x), *y = words_of (find->sets, b, &n_y);
  guint32 both[2 * MOST_EVENTS];
  for (guint i = 0, k = 0; i < n_x || k < n_y; n++)
    {
      guint32 next = k == n_y || (i < n_x && x[i] <= y[k]) ? x[i] : y[k];
      i += i < n_x && x[i] == next;
      k += k < n_y && y[k] == next;
      both[n] = next;
    }
  return n > MOST_EVENTS ? TOO_MANY : number_words (find->set_numbers, find->sets, both, n);
}

static guint32
unite (Find *find, guint32 a, guint32 b)
{
  if (a == b || b == 0 || a == TOO_MANY)
    return a;
  if (a == 0 || b == TOO_MANY)
    return b;
  Union *cached = &find->cached[(a * 31 + b) % N_CACHED];
  if (cached->a != a || cached->b != b)
    *cached = (Union){ a, b, make_union (find, a, b) };
  return cached->both;
}

/* ---- one node ---- */

static guint32
given_by (Find *find, SluiceWorkEdge edge)
{
  if (!edge.node)
    return 0;
  if (sluice_work_is_back_edge (edge.node)) /* may not have been looked at */
    return only_node (find, edge.node);
  guint32 given = find->gives[edge.node->index];
  if (sluice_work_role (edge.node) != SLUICE_ROLE_SWITCH)
    return given;
  SluiceWorkEdge chooser = edge.node->inputs[1];
  const guint32 words[] = { BRANCH, chooser.node ? chooser.node->index : G_MAXUINT32,
                            (guint32) chooser.port, (guint32) edge.port,
                            edge.node->origin->n_outputs };
  guint32 set = unite (find, given, only (find, words, G_N_ELEMENTS (words)));
  return set == TOO_MANY ? only (find, (const guint32[]){ NODE, edge.node->index, edge.port }, 3)
                         : set;
}

static gboolean
is_loop_merge (const SluiceWorkNode *node)
{
  if (sluice_work_role (node) != SLUICE_ROLE_MERGE)
    return FALSE;
  for (guint i = 0; i < node->n_inputs; i++)
    if (sluice_work_is_back_edge (node->inputs[i].node))
      return TRUE;
  return FALSE;
}

/* The set without its event BRANCH of that output, of a Switch with two; TOO_MANY: has none. */
static guint32
without_branch (Find *find, guint32 set, guint32 output, guint32 *branch)
{
  guint n, n_words;
  const guint32 *events = words_of (find->sets, set, &n);
  for (guint i = n; i-- > 0;)
    {
      const guint32 *words = words_of (find->events, events[i], &n_words);
      if (words[0] != BRANCH || words[3] != output || words[4] != 2)
        continue;
      guint32 rest[MOST_EVENTS], chooser[] = { words[1], words[2] };
      memcpy (rest, events, i * sizeof *rest);
      memcpy (rest + i, events + i + 1, (n - i - 1) * sizeof *rest);
      memcpy (branch, chooser, sizeof chooser);
      return n == 1 ? 0 : number_words (find->set_numbers, find->sets, rest, n - 1);
    }
  return TOO_MANY;
}

/* Of a Merge: one of two branches always comes. */
static guint32
join_branches (Find *find, const SluiceWorkNode *node)
{
  guint32 branches[2][2], rest[2];
  if (node->n_inputs != 2 || node->n_controls)
    return only_node (find, node);
  for (guint i = 0; i < 2; i++)
    {
      guint32 set = given_by (find, node->inputs[i]);
      rest[i] = without_branch (find, set, i, branches[i]);
      if (rest[i] == TOO_MANY)
        return only_node (find, node);
    }
  return rest[0] == rest[1] && memcmp (branches[0], branches[1], sizeof branches[0]) == 0
             ? rest[0]
             : only_node (find, node);
}

/* Comes when it likes, or whatever becomes of its inputs. What waits for a disk only does not. */
static gboolean
is_event (const Find *find, SluiceWorkNode *node)
{
  const SluiceKernel *kernel = sluice_work_find_kernel (find->work, node);
  const guint own = SLUICE_KERNEL_ASYNC | SLUICE_KERNEL_MAY_LEAVE_DEAD | SLUICE_KERNEL_RUNS_DEAD;
  switch (sluice_work_role (node))
    {
    case SLUICE_ROLE_CONTROL_TRIGGER:
    case SLUICE_ROLE_NEXT_ITERATION:
      return TRUE;
    case SLUICE_ROLE_SWITCH:
    case SLUICE_ROLE_STACK_POP:
      return FALSE;
    default:
      return node->kind == SLUICE_WORK_FEED || node->kind == SLUICE_WORK_AFTER
             || (kernel && kernel->flags & own);
    }
}

static void
settle (Find *find, SluiceWorkNode *node)
{
  guint32 at = node->index, runs = 0;
  SluiceRole role = sluice_work_role (node);
  if (is_loop_merge (node))
    {
      find->runs[at] = find->gives[at] =
          node->n_controls ? only_node (find, node)
                           : only (find, (const guint32[]){ TURN, find->classes[at] }, 2);
      return;
    }
  if (role == SLUICE_ROLE_MERGE)
    {
      find->runs[at] = find->gives[at] = join_branches (find, node);
      return;
    }
  for (guint i = 0; i < node->n_inputs; i++)
    runs = unite (find, runs, given_by (find, node->inputs[i]));
  for (guint i = 0; i < node->n_controls; i++)
    runs = unite (find, runs, find->gives[node->controls[i]->index]);
  find->runs[at] = runs == TOO_MANY ? only_node (find, node) : runs;
  if (role == SLUICE_ROLE_EXIT)
    find->gives[at] = only (find, (const guint32[]){ END, node->frame, find->runs[at] }, 3);
  else
    find->gives[at] = is_event (find, node) ? only_node (find, node) : find->runs[at];
}

/* ---- all of them ---- */

/* Merges whose first values or next ones come by different events are of different classes. Returns
 * how many classes there are. */
static guint
tell_apart (Find *find, gboolean all)
{
  g_autoptr (GHashTable) classes = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) words = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint i = 0; i < find->order->len; i++)
    {
      const SluiceWorkNode *node = find->order->pdata[i];
      if (!sluice_work_has (find->work, node) || !is_loop_merge (node))
        continue;
      guint32 *class = &find->classes[node->index];
      g_array_set_size (words, 0);
      g_array_append_val (words, *class);
      for (guint k = 0; k < node->n_inputs; k++)
        {
          const SluiceWorkNode *from = node->inputs[k].node;
          guint32 given = sluice_work_is_back_edge (from) ? find->runs[from->index]
                                                          : given_by (find, node->inputs[k]);
          g_array_append_val (words, given);
        }
      if (all)
        g_array_append_val (words, node->index);
      *class = number_words (find->class_numbers, NULL, (const guint32 *) words->data, words->len);
      g_hash_table_add (classes, GUINT_TO_POINTER (*class));
    }
  return g_hash_table_size (classes);
}

static void
settle_all (Find *find)
{
  for (guint i = 0; i < find->order->len; i++)
    if (sluice_work_has (find->work, find->order->pdata[i]))
      settle (find, find->order->pdata[i]);
}

guint32 *
sluice_find_conditions (const SluiceWork *work, const GPtrArray *order)
{
  guint n = work->nodes->len;
  g_autofree guint32 *gives = g_new0 (guint32, n + 1);
  g_autofree guint32 *classes = g_new (guint32, n + 1);
  g_autofree Union *cached = g_new0 (Union, N_CACHED);
  GDestroyNotify free_key = (GDestroyNotify) g_bytes_unref;
  g_autoptr (GHashTable) events =
      g_hash_table_new_full (g_bytes_hash, g_bytes_equal, free_key, NULL);
  g_autoptr (GHashTable) sets = g_hash_table_new_full (g_bytes_hash, g_bytes_equal, free_key, NULL);
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_bytes_hash, g_bytes_equal, free_key, NULL);
  g_autoptr (GPtrArray) event_words = g_ptr_array_new ();
  g_autoptr (GPtrArray) set_words = g_ptr_array_new ();
  Find find = { work,      order,  events,
                sets,      seen,   event_words,
                set_words, cached, g_new0 (guint32, n + 1),
                gives,     classes };
  number_words (sets, set_words, NULL, 0); /* the empty set is number 0 */
  for (guint i = 0; i < n; i++)
    {
      const SluiceWorkNode *node = work->nodes->pdata[i];
      if (is_loop_merge (node))
        classes[i] = number_words (seen, NULL, (const guint32[]){ node->frame }, 1);
    }
  settle_all (&find);
  guint n_classes = g_hash_table_size (seen), n_found;
  for (guint round = 0; (n_found = tell_apart (&find, round == MOST_ROUNDS)) != n_classes; round++)
    {
      n_classes = n_found;
      settle_all (&find);
      if (round == MOST_ROUNDS)
        break;
    }
  return find.runs;
}

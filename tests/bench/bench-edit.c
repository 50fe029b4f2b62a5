/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What one edit of a graph costs: `bench-edit FILE.pb.gz`. The first edit of a kind may have to
 * look at the whole graph once (which nodes lie in which loop); it is told by itself. To rename a
 * scope costs so much a node: the first one of inception_v3_towers holds 2,810. Last what is said
 * after an edit: all problems, what is offered for an output, whether a wire fits an input. */
#include <string.h>

#include "app/graph/graph-adapter.h"
#include "engine/command/judge.h"
#include "engine/command/offers.h"
#include "engine/command/problems.h"
#include "engine/graph/edit.h"
#include "engine/graph/graphdef.h"
#include "engine/runtime/session/copy.h"
#include "kernels/registry.h"
#include "tests/bench/rounds.h"
#include "ui/canvas/hierarchy.h"

#define N_ANEW     5
#define GOAL_MS    2.0
#define PICTURE_MS 16.0

typedef struct
{
  SluiceGraph *graph;
  guint number;
} Bench;

typedef gboolean (*Change) (Bench *b);

/* Far from each other, so that no edit finds the caches warm for it. */
static SluiceNode *
next_node (Bench *b)
{
  b->number = b->number * 1103515245u + 12345u;
  guint n = sluice_graph_get_n_nodes (b->graph);
  return sluice_graph_get_node (b->graph, (b->number >> 8) % n);
}

static gboolean
change_device (Bench *b)
{
  SluiceNode *node = next_node (b);
  sluice_edit_set_device (b->graph, node, *node->device == '\0' ? "/cpu:0" : "");
  return TRUE;
}

static gboolean
change_attr (Bench *b)
{
  SluiceAttr attr = sluice_attr_int ("_note", (gint64) b->number);
  return sluice_edit_set_attr (b->graph, next_node (b), &attr, NULL);
}

static gboolean
rename_node (Bench *b)
{
  SluiceNode *node = next_node (b);
  g_autofree char *wanted = g_strconcat (node->name, "_renamed", NULL);
  g_autofree char *name = sluice_graph_unique_name (b->graph, wanted);
  return sluice_edit_rename (b->graph, node, name, NULL);
}

static gboolean
rename_scope (Bench *b)
{
  SluiceNode *node = next_node (b);
  const char *slash = strrchr (node->name, '/');
  if (slash == NULL)
    return FALSE;
  g_autofree char *scope = g_strndup (node->name, slash - node->name);
  g_autofree char *name = g_strconcat (scope, "_r", NULL);
  return sluice_edit_rename_scope (b->graph, scope, name, NULL);
}

static gboolean
add_node (Bench *b)
{
  SluiceNode *node = next_node (b);
  if (node->n_outputs == 0)
    return FALSE;
  SluiceEdge input = { node, 0 };
  SluiceNodeSpec spec = { .op = "Identity", .inputs = &input, .n_inputs = 1 };
  return sluice_edit_add (b->graph, &spec, NULL) != NULL;
}

static gboolean
delete_node (Bench *b)
{
  SluiceNode *node = next_node (b);
  return sluice_edit_delete (b->graph, &node, 1, NULL);
}

/* Reads the same value through a node put between. */
static gboolean
insert_node (Bench *b)
{
  SluiceNode *node = next_node (b);
  if (node->n_inputs == 0 || node->inputs[0].node == NULL
      || sluice_dtype_is_ref (sluice_edge_dtype (node->inputs[0])))
    return FALSE;
  SluiceNodeSpec spec = { .op = "Identity", .inputs = &node->inputs[0], .n_inputs = 1 };
  SluiceNode *made = sluice_edit_add (b->graph, &spec, NULL);
  return made != NULL && sluice_edit_set_input (b->graph, node, 0, (SluiceEdge){ made, 0 }, NULL);
}

static gboolean
add_control (Bench *b)
{
  SluiceNode *after = next_node (b), *before = next_node (b);
  return after->id > before->id && sluice_edit_add_control (b->graph, after, before, NULL);
}

static const struct
{
  const char *name;
  Change change;
} changes[] = {
  { "device", change_device },      { "attribute", change_attr }, { "rename", rename_node },
  { "rename-scope", rename_scope }, { "add", add_node },          { "insert", insert_node },
  { "control", add_control },       { "delete", delete_node },
};

/* Milliseconds of one edit that was taken, and of its undo. */
static double
measure_one (Bench *b, Change change, double *undo)
{
  for (;;)
    {
      double start = rounds_thread_ns ();
      sluice_edit_begin (b->graph);
      if (!change (b))
        {
          sluice_edit_abandon (b->graph);
          continue;
        }
      g_autoptr (SluiceEdit) edit = sluice_edit_commit (b->graph, NULL);
      double end = rounds_thread_ns ();
      if (edit == NULL)
        continue;
      if (!sluice_edit_apply (edit, NULL))
        g_error ("an edit cannot be undone");
      *undo = (rounds_thread_ns () - end) / 1e6;
      return (end - start) / 1e6;
    }
}

/* ---- the picture ---- */

typedef struct
{
  SluiceGraphModel *model;
  SluiceHierarchy *tree;
  double model_ms, tree_ms; /* of the last edit */
} Picture;

static void
follow_cb (SluiceGraph *graph, const SluiceGraphDelta *delta, gpointer data)
{
  Picture *picture = data;
  double start = rounds_thread_ns ();
  SluiceGraphModel *model = sluice_graph_model_after (picture->model, graph, NULL, delta);
  double end = rounds_thread_ns ();
  SluiceHierarchy *tree = sluice_hierarchy_new_after (picture->tree, model);
  picture->model_ms = (end - start) / 1e6;
  picture->tree_ms = (rounds_thread_ns () - end) / 1e6;
  sluice_hierarchy_unref (picture->tree);
  sluice_graph_model_unref (picture->model);
  picture->model = model;
  picture->tree = tree;
}

/* ---- all of it ---- */

static void
report (const char *file, const char *what, double *values, guint n, double goal)
{
  g_autofree char *name = g_strdup_printf ("edit/%s/%s", file, what);
  rounds_report (name, "ms", values, n, goal, LESS_IS_BETTER);
}

/* From an edit to what is laid out and drawn: the edit, the model by its delta, the tree of scopes
 * after the last one. Taken of the undo, which is an edit as well. */
static void
measure_after (Bench *b, const char *file, Picture *picture, const char *kind, Change change)
{
  double model_ms[ROUNDS], tree_ms[ROUNDS], all_ms[ROUNDS];
  for (guint r = 0; r < ROUNDS; r++)
    {
      measure_one (b, change, &all_ms[r]);
      model_ms[r] = picture->model_ms;
      tree_ms[r] = picture->tree_ms;
    }
  g_autofree char *model_name = g_strconcat ("model-after-", kind, NULL);
  g_autofree char *tree_name = g_strconcat ("tree-after-", kind, NULL);
  g_autofree char *all_name = g_strconcat ("picture-after-", kind, NULL);
  report (file, model_name, model_ms, ROUNDS, PICTURE_MS);
  report (file, tree_name, tree_ms, ROUNDS, PICTURE_MS);
  report (file, all_name, all_ms, ROUNDS, PICTURE_MS);
}

static void
measure_picture (Bench *b, const char *file)
{
  double model_ms[N_ANEW], tree_ms[N_ANEW];
  Picture picture = { 0 };
  for (guint r = 0; r < N_ANEW; r++)
    {
      g_clear_pointer (&picture.model, sluice_graph_model_unref);
      g_clear_pointer (&picture.tree, sluice_hierarchy_unref);
      double start = rounds_thread_ns ();
      picture.model = sluice_graph_model_from_graph (b->graph, NULL);
      double end = rounds_thread_ns ();
      picture.tree = sluice_hierarchy_new (picture.model);
      model_ms[r] = (end - start) / 1e6;
      tree_ms[r] = (rounds_thread_ns () - end) / 1e6;
    }
  report (file, "model-anew", model_ms, N_ANEW, PICTURE_MS);
  report (file, "tree-anew", tree_ms, N_ANEW, PICTURE_MS);
  guint number = sluice_graph_follow (b->graph, follow_cb, &picture);
  for (guint k = 0; k < G_N_ELEMENTS (changes); k++)
    measure_after (b, file, &picture, changes[k].name, changes[k].change);
  sluice_graph_unfollow (b->graph, number);
  sluice_hierarchy_unref (picture.tree);
  sluice_graph_model_unref (picture.model);
}

/* ---- what is said and offered ---- */

#define PROBLEMS_MS 100.0
#define OFFERS_MS   50.0
#define JUDGE_US    20.0
#define COPY_MS     30.0 /* for another thread, in pieces */

/* All that is wrong after an edit; what could be put behind a node; what a wire fits. */
static void
measure_words (Bench *b, const char *file)
{
  double problems_ms[ROUNDS], offers_ms[ROUNDS], judge_us[ROUNDS], copy_ms[ROUNDS], undo;
  g_autofree char *judge_name = g_strdup_printf ("edit/%s/judge", file);
  for (guint r = 0; r < ROUNDS; r++)
    {
      measure_one (b, insert_node, &undo);
      double start = rounds_thread_ns ();
      g_autoptr (GPtrArray) problems = sluice_problems_find (b->graph, NULL);
      problems_ms[r] = (rounds_thread_ns () - start) / 1e6;

      start = rounds_thread_ns ();
      g_autoptr (SluiceGraphCopy) pieces = sluice_graph_copy_begin (b->graph);
      g_autoptr (SluiceGraph) copy = sluice_graph_copy_go_on (pieces, G_MAXINT64, NULL);
      copy_ms[r] = (rounds_thread_ns () - start) / 1e6;

      SluiceNode *node = next_node (b);
      const SluiceHand hand = { .edge = { node->n_outputs > 0 ? node : NULL, 0 } };
      start = rounds_thread_ns ();
      g_autoptr (SluiceOffers) offers = sluice_offers_new (b->graph, &hand);
      offers_ms[r] = (rounds_thread_ns () - start) / 1e6;

      g_autoptr (SluiceJudge) judge = sluice_judge_new (b->graph);
      guint n = 0;
      start = rounds_thread_ns ();
      while (hand.edge.node != NULL && n < 1000)
        {
          g_auto (SluiceVerdict) verdict = { 0 };
          SluiceNode *to = next_node (b);
          if (to->n_inputs > 0)
            sluice_judge_ask (judge, hand.edge, to, 0, &verdict);
          n++;
        }
      judge_us[r] = (rounds_thread_ns () - start) / 1e3 / MAX (n, 1);
    }
  report (file, "problems", problems_ms, ROUNDS, PROBLEMS_MS);
  report (file, "budget-copy", copy_ms, ROUNDS, COPY_MS);
  report (file, "offers", offers_ms, ROUNDS, OFFERS_MS);
  rounds_report (judge_name, "us", judge_us, ROUNDS, JUDGE_US, LESS_IS_BETTER);
}

int
main (int argc, char **argv)
{
  GError *error = NULL;
  sluice_registry_init (sluice_kernel_modules ());
  for (int i = 1; i < argc; i++)
    {
      g_autoptr (SluiceGraph) graph = sluice_graph_load_file (argv[i], &error);
      if (graph == NULL)
        rounds_fatal (error);
      g_autofree char *file = g_path_get_basename (argv[i]);
      *strchrnul (file, '.') = '\0';
      Bench b = { graph, 1 };
      for (guint k = 0; k < G_N_ELEMENTS (changes); k++)
        {
          double first, values[ROUNDS], undo[ROUNDS];
          first = measure_one (&b, changes[k].change, &undo[0]);
          for (guint r = 0; r < ROUNDS; r++)
            values[r] = measure_one (&b, changes[k].change, &undo[r]);
          g_autofree char *first_name = g_strconcat (changes[k].name, "-first", NULL);
          g_autofree char *undo_name = g_strconcat (changes[k].name, "-undo", NULL);
          report (file, first_name, &first, 1, GOAL_MS);
          report (file, changes[k].name, values, ROUNDS, GOAL_MS);
          report (file, undo_name, undo, ROUNDS, GOAL_MS);
        }
      measure_picture (&b, file);
      measure_words (&b, file);
    }
  return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/graph/problem-watch.h"

#include "engine/graph/rewrite.h"

#define PIECE_US 5000 /* a turn, for which a large graph is looked through */

struct _SluiceProblemWatch
{
  void (*found) (gpointer data);
  gpointer data;
  SluiceGraph *graph;          /* (nullable) (not owned) */
  SluiceProjectEnds *ends;     /* (nullable) */
  GPtrArray *problems;         /* (nullable): of SluiceProblem: what was found last */
  GHashTable *warning_of;      /* name of a node -> of them */
  SluiceProblemSearch *search; /* (nullable) */
  guint64 searched;            /* version of the graph that it is of */
  guint source;
};

static void
take_problems (SluiceProblemWatch *self, GPtrArray *take)
{
  g_hash_table_remove_all (self->warning_of);
  g_clear_pointer (&self->problems, g_ptr_array_unref);
  self->problems = take;
  for (guint i = 0; take != NULL && i < take->len; i++)
    {
      SluiceProblem *problem = take->pdata[i];
      if (problem->level == SLUICE_PROBLEM_LOOK)
        g_hash_table_insert (self->warning_of, (gpointer) problem->name, problem);
    }
}

static void
end_search (SluiceProblemWatch *self)
{
  g_clear_handle_id (&self->source, g_source_remove);
  g_clear_pointer (&self->search, sluice_problem_search_free);
}

static gboolean
search_cb (gpointer data)
{
  SluiceProblemWatch *self = data;
  if (sluice_graph_is_in_transaction (self->graph))
    return G_SOURCE_CONTINUE;
  guint64 version = sluice_graph_get_version (self->graph);
  /* What was refused changes nothing, but was done. */
  if (self->search == NULL || self->searched != version)
    {
      g_clear_pointer (&self->search, sluice_problem_search_free);
      self->search =
          sluice_problem_search_new (self->graph, sluice_project_ends_get_context (self->ends));
      self->searched = version;
    }
  GPtrArray *found = sluice_problem_search_go_on (self->search, PIECE_US);
  if (found == NULL)
    return G_SOURCE_CONTINUE;
  end_search (self);
  take_problems (self, found);
  self->found (self->data);
  return G_SOURCE_REMOVE;
}

SluiceProblemWatch *
sluice_problem_watch_new (void (*found) (gpointer data), gpointer data)
{
  SluiceProblemWatch *self = g_new0 (SluiceProblemWatch, 1);
  self->found = found;
  self->data = data;
  self->warning_of = g_hash_table_new (g_str_hash, g_str_equal);
  return self;
}

void
sluice_problem_watch_free (SluiceProblemWatch *self)
{
  sluice_problem_watch_set_graph (self, NULL, NULL, NULL);
  g_hash_table_unref (self->warning_of);
  g_free (self);
}

static void
take_ends (SluiceProblemWatch *self, SluiceProjectEnds *ends)
{
  if (ends != NULL)
    sluice_project_ends_ref (ends);
  g_clear_pointer (&self->ends, sluice_project_ends_unref);
  self->ends = ends;
}

void
sluice_problem_watch_set_graph (SluiceProblemWatch *self,
                                SluiceGraph *graph,
                                SluiceProjectEnds *ends,
                                GPtrArray *problems)
{
  end_search (self);
  take_ends (self, ends);
  self->graph = graph;
  take_problems (self, problems);
}

void
sluice_problem_watch_set_ends (SluiceProblemWatch *self, SluiceProjectEnds *ends)
{
  take_ends (self, ends);
  if (self->graph != NULL)
    sluice_problem_watch_look_again (self);
}

void
sluice_problem_watch_look_again (SluiceProblemWatch *self)
{
  end_search (self);
  self->source = g_idle_add (search_cb, self);
}

gboolean
sluice_problem_watch_is_settled (SluiceProblemWatch *self)
{
  return self->source == 0;
}

GPtrArray *
sluice_problem_watch_get_last (SluiceProblemWatch *self)
{
  return self->problems;
}

const SluiceProblem *
sluice_problem_watch_get_warning (SluiceProblemWatch *self, const char *node)
{
  return g_hash_table_lookup (self->warning_of, node);
}

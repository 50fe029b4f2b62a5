/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/graph/inspector-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app/failure-words.h"
#include "app/graph/node-words.h"
#include "engine/graph/variable-kind.h"
#include "ui/chart/ticks.h"

#define N_BEGUN 10 /* nodes: a graph that is only begun has no more */

#define MOST_WARNINGS 12 /* that a scope lists; the badges show the others */

#define MOST_DIFFERENCES 8 /* between a scope and a fold that are listed */

typedef struct
{
  guint n, n_variables;
  GPtrArray *errors;                        /* of const SluiceNode: that cannot run */
  GPtrArray *trained;                       /* of const SluiceNode: variables */
  GPtrArray *warned;                        /* of const SluiceNode: that have a warning */
  gboolean has_optimizer;                   /* of the whole graph */
  double elements[SLUICE_N_VARIABLE_KINDS]; /* of variables, by their kind */
  double work;
  GHashTable *devices; /* name -> how many */
} Sums;

static void
add_up (Sums *sums,
        SluiceGraph *graph,
        const SluiceNode *node,
        const SluiceModelNode *item,
        SluiceGraphPage *page)
{
  SluiceMarkKind mark;
  SluiceVariableKind kind = sluice_variable_get_kind (graph, node, sums->has_optimizer);
  const char *device = item != NULL ? item->device : NULL;
  sums->n++;
  if (node->error != NULL)
    g_ptr_array_add (sums->errors, (gpointer) node);
  if (sluice_graph_page_get_mark (page, node->name, &mark) != NULL && mark == SLUICE_MARK_WARNING)
    g_ptr_array_add (sums->warned, (gpointer) node);
  if (kind == SLUICE_VARIABLE_TRAINED)
    g_ptr_array_add (sums->trained, (gpointer) node);
  sums->n_variables += kind != SLUICE_VARIABLE_NONE;
  sums->elements[kind] += sluice_variable_get_elements (node);
  sums->work += item != NULL ? item->cost : 0;
  if (device == NULL || *device == '\0')
    return;
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (sums->devices, device));
  g_hash_table_insert (sums->devices, (char *) device, GUINT_TO_POINTER (n + 1));
}

/* Of all nodes of the drawn scope, or of the graph. */
static void
sum_up (Sums *sums, SluiceGraph *graph, const char *scope, SluiceGraphPage *page)
{
  SluiceGraphModel *model = sluice_graph_page_get_model (page);
  SluiceHierarchy *hierarchy = sluice_graph_page_get_hierarchy (page);
  guint group = scope != NULL && hierarchy != NULL ? sluice_hierarchy_lookup (hierarchy, scope) : 0;
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      const SluiceNode *node = sluice_graph_get_node (graph, i);
      guint index = model != NULL ? sluice_graph_model_lookup (model, node->name) : G_MAXUINT;
      if (scope != NULL
          && (group == SLUICE_NONE || index == G_MAXUINT || hierarchy == NULL
              || !sluice_hierarchy_is_below (
                  hierarchy, sluice_hierarchy_get_op_group (hierarchy, index), group)))
        continue;
      add_up (sums, graph, node,
              index != G_MAXUINT ? sluice_graph_model_get_node (model, index) : NULL, page);
    }
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

static void
add_devices (SluiceInspector *self, GHashTable *devices)
{
  guint n;
  g_autofree gpointer *names = g_hash_table_get_keys_as_array (devices, &n);
  qsort (names, n, sizeof *names, compare_names);
  sluice_inspector_rows_begin (&self->rows, _ ("Devices"), TRUE);
  for (guint i = 0; i < n; i++)
    {
      guint n_ops = GPOINTER_TO_UINT (g_hash_table_lookup (devices, names[i]));
      g_autofree char *count = sluice_format_step (n_ops);
      sluice_inspector_rows_add_printf (&self->rows, names[i], ngettext ("%s op", "%s ops", n_ops),
                                        count);
    }
}

static void
add_variables (SluiceInspector *self, const Sums *sums)
{
  static const struct
  {
    SluiceVariableKind kind;
    const char *name;
  } rows[] = {
    { SLUICE_VARIABLE_TRAINED, N_ ("Parameters") },
    { SLUICE_VARIABLE_SLOT, N_ ("Optimizer's own") },
    { SLUICE_VARIABLE_OTHER, N_ ("Not trained") },
  };
  g_autofree char *n = sluice_format_step (sums->n_variables);
  sluice_inspector_rows_add (&self->rows, _ ("Variables"), n);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (sums->elements[rows[i].kind] > 0)
      {
        g_autofree char *count = sluice_words_count (sums->elements[rows[i].kind]);
        sluice_inspector_rows_add (&self->rows, _ (rows[i].name), count);
      }
}

/* By op and reason, most first. */
static int
compare_errors (gconstpointer pa, gconstpointer pb)
{
  const SluiceNode *a = *(SluiceNode *const *) pa, *b = *(SluiceNode *const *) pb;
  int order = strcmp (a->op_name, b->op_name);
  return order != 0 ? order : (a->id > b->id) - (a->id < b->id);
}

/* Which ops, how many, and why the first of each cannot run: a link leads to it. */
static void
add_errors (SluiceInspector *self, GPtrArray *errors)
{
  g_autofree char *n = sluice_format_step (errors->len);
  sluice_inspector_rows_begin (&self->rows, NULL, TRUE);
  sluice_inspector_rows_add (&self->rows, _ ("Nodes that cannot run"), n);
  g_ptr_array_sort (errors, compare_errors);
  for (guint i = 0, end; i < errors->len; i = end)
    {
      const SluiceNode *first = errors->pdata[i];
      for (end = i; end < errors->len
                    && ((const SluiceNode *) errors->pdata[end])->op_name == first->op_name;)
        end++;
      g_autofree char *why = sluice_failure_words (first->error);
      g_autofree char *count = sluice_format_step (end - i);
      g_autofree char *times = g_strconcat ("× ", count, NULL);
      g_autofree char *said = g_strdup_printf (_ ("%s. Show the first"), why);
      sluice_inspector_rows_add_link (&self->rows, first->op_name, times, "win.select", first->name,
                                      said);
      sluice_inspector_rows_add_words (&self->rows, why);
    }
}

/* Which nodes, each a link, and what is said of them: once where it is the same. */
static void
add_warnings (SluiceInspector *self, GPtrArray *warned)
{
  SluiceMarkKind kind;
  const char *said_last = NULL;
  g_autofree char *n = sluice_format_step (warned->len);
  sluice_inspector_rows_begin (&self->rows, NULL, TRUE);
  sluice_inspector_rows_add (&self->rows, _ ("Warnings"), n);
  for (guint i = 0; i < MIN (warned->len, MOST_WARNINGS); i++)
    {
      const SluiceNode *node = warned->pdata[i];
      const char *text = sluice_graph_page_get_mark (self->page, node->name, &kind);
      g_autofree char *said = g_strconcat (node->name, ": ", text, NULL);
      if (g_strcmp0 (text, said_last) != 0)
        sluice_inspector_rows_add_words (&self->rows, text);
      said_last = text;
      sluice_inspector_rows_add_link (&self->rows, node->name, node->op_name, "win.select",
                                      node->name, said);
    }
}

/* A fold has a path that no one would write. */
static const char *
title_of (SluiceInspector *self, const char *scope)
{
  SluiceHierarchy *hierarchy = sluice_graph_page_get_hierarchy (self->page);
  guint group = hierarchy != NULL ? sluice_hierarchy_lookup (hierarchy, scope) : SLUICE_NONE;
  const SluiceGroup *g =
      group != SLUICE_NONE ? sluice_hierarchy_get_group (hierarchy, group) : NULL;
  return g != NULL && g->kind == SLUICE_GROUP_SERIES ? g->label : scope;
}

/* Of a fold, each a link that opens it. */
static void
add_members (SluiceInspector *self, const char *scope)
{
  SluiceHierarchy *hierarchy = sluice_graph_page_get_hierarchy (self->page);
  guint group = hierarchy != NULL ? sluice_hierarchy_lookup (hierarchy, scope) : SLUICE_NONE;
  const SluiceGroup *g =
      group != SLUICE_NONE ? sluice_hierarchy_get_group (hierarchy, group) : NULL;
  if (g == NULL || g->kind != SLUICE_GROUP_SERIES)
    return;
  sluice_inspector_rows_begin (&self->rows, _ ("Members"), TRUE);
  for (guint i = 0; i < g->n_children; i++)
    {
      const SluiceGroup *member = sluice_hierarchy_get_group (hierarchy, g->first_child + i);
      g_autofree char *n = sluice_format_step (member->n_ops);
      if (i == self->n_readers)
        {
          g_autofree char *rest = sluice_format_step (g->n_children - i);
          g_autofree char *text = g_strdup_printf (_ ("%s more"), rest);
          sluice_inspector_rows_add_link (&self->rows, "…", text, "inspector.more-readers", "",
                                          _ ("Show more members"));
          return;
        }
      g_autofree char *ops = g_strdup_printf (ngettext ("%s op", "%s ops", member->n_ops), n);
      g_autofree char *said = g_strdup_printf (_ ("Show %s, %s"), member->path, ops);
      sluice_inspector_rows_add_link (&self->rows, member->label, ops, "win.select", member->path,
                                      said);
    }
}

/* ---- a scope that is nearly one of a fold ---- */

/* "tower_0" and "tower_12" are alike but for their numbers. */
static gboolean
are_alike (const char *a, const char *b)
{
  while (*a != '\0' || *b != '\0')
    {
      while (g_ascii_isdigit (*a))
        a++;
      while (g_ascii_isdigit (*b))
        b++;
      if (*a != *b)
        return FALSE;
      if (*a == '\0')
        return TRUE;
      a++;
      b++;
    }
  return TRUE;
}

/* The fold beside it whose members are called as it is: (nullable). */
static const SluiceGroup *
find_fold (SluiceHierarchy *hierarchy, const SluiceGroup *g)
{
  const SluiceGroup *parent = sluice_hierarchy_get_group (hierarchy, g->parent);
  for (guint i = parent->first_child; i < parent->first_child + parent->n_children; i++)
    {
      const SluiceGroup *other = sluice_hierarchy_get_group (hierarchy, i);
      if (other->kind == SLUICE_GROUP_SERIES && !other->section && other->gradient == g->gradient
          && are_alike (sluice_hierarchy_get_group (hierarchy, other->first_child)->label,
                        g->label))
        return other;
    }
  return NULL;
}

/* Ops by their kind: how many more of them the scope has than a member of the fold. */
static GHashTable *
count_ops (SluiceHierarchy *hierarchy, guint scope, guint member)
{
  GHashTable *more = g_hash_table_new (g_str_hash, g_str_equal);
  guint n;
  const SluiceModelNode *nodes =
      sluice_graph_model_get_nodes (sluice_hierarchy_get_model (hierarchy), &n);
  for (guint i = 0; i < n; i++)
    {
      guint op = sluice_hierarchy_get_op_group (hierarchy, i);
      int change = (int) sluice_hierarchy_is_below (hierarchy, op, scope)
                   - (int) sluice_hierarchy_is_below (hierarchy, op, member);
      if (change == 0)
        continue;
      int before = GPOINTER_TO_INT (g_hash_table_lookup (more, nodes[i].op));
      g_hash_table_insert (more, (char *) nodes[i].op, GINT_TO_POINTER (before + change));
    }
  return more;
}

static void
add_differences (SluiceInspector *self, const char *scope)
{
  SluiceHierarchy *hierarchy = sluice_graph_page_get_hierarchy (self->page);
  guint group = hierarchy != NULL ? sluice_hierarchy_lookup (hierarchy, scope) : SLUICE_NONE;
  const SluiceGroup *g =
      group != SLUICE_NONE && group != 0 ? sluice_hierarchy_get_group (hierarchy, group) : NULL;
  const SluiceGroup *fold =
      g != NULL && g->kind == SLUICE_GROUP_SCOPE ? find_fold (hierarchy, g) : NULL;
  if (fold == NULL)
    return;
  g_autoptr (GHashTable) more = count_ops (hierarchy, group, fold->first_child);
  guint n, n_shown = 0;
  g_autofree gpointer *names = g_hash_table_get_keys_as_array (more, &n);
  qsort (names, n, sizeof *names, compare_names);
  g_autofree char *heading = g_strdup_printf (_ ("Unlike %s"), fold->label);
  sluice_inspector_rows_begin (&self->rows, heading, TRUE);
  for (guint i = 0; i < n; i++)
    {
      int change = GPOINTER_TO_INT (g_hash_table_lookup (more, names[i]));
      guint size = (guint) ABS (change);
      if (change != 0 && n_shown++ < MOST_DIFFERENCES)
        sluice_inspector_rows_add_printf (&self->rows, names[i],
                                          change > 0 ? ngettext ("%u more", "%u more", size)
                                                     : ngettext ("%u fewer", "%u fewer", size),
                                          size);
    }
  if (n_shown == 0)
    sluice_inspector_rows_add_words (
        &self->rows, _ ("It has the same ops, but they are tied to each other in another way."));
}

void
sluice_inspector_add_scope (SluiceInspector *self, SluiceGraph *graph, const char *scope)
{
  Sums sums = { .devices = g_hash_table_new (g_str_hash, g_str_equal),
                .errors = g_ptr_array_new (),
                .trained = g_ptr_array_new (),
                .warned = g_ptr_array_new (),
                .has_optimizer = sluice_graph_has_optimizer (graph) };
  sum_up (&sums, graph, scope, self->page);
  g_autofree char *n = sluice_format_step (sums.n);
  g_autofree char *subtitle = g_strdup_printf (ngettext ("%s node", "%s nodes", sums.n), n);
  sluice_watched_output_set (self->watched, NULL, NULL, 0, FALSE);
  sluice_inspector_set_heading (
      self, scope != NULL ? title_of (self, scope) : _ ("The whole graph"), subtitle, NULL);
  if (scope != NULL && !sluice_inspector_add_layer (self, graph, scope))
    sluice_inspector_add_block (self, graph, scope);
  sluice_inspector_rows_begin (&self->rows, NULL, scope != NULL);
  add_variables (self, &sums);
  if (sums.work > 0)
    {
      g_autofree char *work = sluice_words_work (sums.work);
      sluice_inspector_rows_add (&self->rows, _ ("Work"), work);
    }
  sluice_inspector_add_parameters (self, sums.trained, scope);
  if (sums.errors->len > 0)
    add_errors (self, sums.errors);
  if (sums.warned->len > 0)
    add_warnings (self, sums.warned);
  if (scope != NULL)
    {
      sluice_inspector_rows_begin (&self->rows, NULL, TRUE);
      sluice_inspector_add_times (self, FALSE);
    }
  add_devices (self, sums.devices);
  if (scope != NULL)
    {
      add_members (self, scope);
      add_differences (self, scope);
    }
  else
    {
      sluice_inspector_rows_begin (&self->rows, _ ("Tip"), TRUE);
      sluice_inspector_rows_add_words (
          &self->rows, sums.n > N_BEGUN
                           ? _ ("Select a node to see its inputs, shapes, times and values. "
                                "Double-click a scope to open it.")
                           : _ ("On the page Build, select what is to be read, then choose a "
                                "layer at the left, or press Shift+A and type what it is called."));
    }
  g_hash_table_unref (sums.devices);
  g_ptr_array_unref (sums.errors);
  g_ptr_array_unref (sums.trained);
  g_ptr_array_unref (sums.warned);
}

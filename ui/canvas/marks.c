/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/marks.h"

#include <string.h>

typedef struct
{
  SluiceMarkKind kind;
  guint text; /* into texts, from 1; 0: the group's own n_errors says all */
} Mark;

struct _SluiceMarks
{
  Mark *marks; /* by group */
  guint n_groups;
  GPtrArray *texts;
};

static void
add_mark (SluiceMarks *self, SluiceHierarchy *hierarchy, const SluiceCanvasMark *mark)
{
  g_autofree char *name = g_strndup (mark->name, strcspn (mark->name, ":"));
  guint node = sluice_graph_model_lookup (sluice_hierarchy_get_model (hierarchy), name);
  guint group = node != G_MAXUINT ? sluice_hierarchy_get_op_group (hierarchy, node)
                                  : sluice_hierarchy_lookup (hierarchy, name);
  if (group == SLUICE_NONE || group == 0)
    return; /* of a call that was written out, say: it is not drawn */
  g_ptr_array_add (self->texts, g_strdup (mark->text));
  guint own = self->texts->len;
  g_ptr_array_add (self->texts, g_strdup_printf ("%s: %s", mark->name, mark->text));
  for (guint at = group; at != 0 && at != SLUICE_NONE;
       at = sluice_hierarchy_get_group (hierarchy, at)->parent)
    if (mark->kind > self->marks[at].kind)
      self->marks[at] = (Mark){ mark->kind, at == group ? own : own + 1 };
}

SluiceMarks *
sluice_marks_new (SluiceHierarchy *hierarchy, const SluiceCanvasMark *marks, guint n_marks)
{
  SluiceMarks *self = g_new0 (SluiceMarks, 1);
  self->n_groups = sluice_hierarchy_get_n_groups (hierarchy);
  self->marks = g_new0 (Mark, self->n_groups);
  self->texts = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 1; i < self->n_groups; i++)
    if (sluice_hierarchy_get_group (hierarchy, i)->n_errors > 0)
      self->marks[i].kind = SLUICE_MARK_REFUSAL;
  for (guint i = 0; i < n_marks; i++)
    add_mark (self, hierarchy, &marks[i]);
  return self;
}

void
sluice_marks_free (SluiceMarks *self)
{
  g_ptr_array_unref (self->texts);
  g_free (self->marks);
  g_free (self);
}

SluiceMarkKind
sluice_marks_get (const SluiceMarks *self, guint group, const char **text)
{
  if (text != NULL)
    *text = NULL;
  if (self == NULL || group >= self->n_groups)
    return SLUICE_MARK_NONE;
  const Mark *mark = &self->marks[group];
  if (text != NULL && mark->text > 0)
    *text = self->texts->pdata[mark->text - 1];
  return mark->kind;
}

const char *
sluice_mark_kind_nick (SluiceMarkKind kind)
{
  static const char *const nicks[] = { "",        "warning",    "refusal", "nan",
                                       "failure", "break-idle", "break",   "stop" };
  return nicks[kind];
}

/* ---- what leads where ---- */

/* The nodes at the other ends of each node's data edges, side by side. */
typedef struct
{
  guint *first; /* by node, and one more */
  guint *others;
} Neighbours;

static Neighbours
find_neighbours (SluiceGraphModel *model, gboolean outputs)
{
  guint n = sluice_graph_model_get_n_nodes (model),
        n_edges = sluice_graph_model_get_n_edges (model);
  Neighbours to = { g_new0 (guint, n + 2), g_new (guint, n_edges + 1) };
  for (int pass = 0; pass < 2; pass++)
    {
      for (guint i = 0; i < n_edges; i++)
        {
          const SluiceModelEdge *edge = sluice_graph_model_get_edge (model, i);
          guint from = outputs ? edge->from : edge->to, other = outputs ? edge->to : edge->from;
          if (edge->kind == SLUICE_EDGE_CONTROL)
            continue;
          if (pass == 0)
            to.first[from + 2]++;
          else
            to.others[to.first[from + 1]++] = other;
        }
      for (guint i = 2; i < n + 2 && pass == 0; i++)
        to.first[i] += to.first[i - 1];
    }
  return to;
}

static void
mark_up (SluiceHierarchy *hierarchy, guint8 *reached, guint group)
{
  for (; group != 0 && group != SLUICE_NONE && !reached[group];
       group = sluice_hierarchy_get_group (hierarchy, group)->parent)
    reached[group] = 1;
}

guint8 *
sluice_trace_groups (SluiceHierarchy *hierarchy, guint group, gboolean outputs, guint depth)
{
  SluiceGraphModel *model = sluice_hierarchy_get_model (hierarchy);
  guint n = sluice_graph_model_get_n_nodes (model);
  guint8 *reached = g_new0 (guint8, sluice_hierarchy_get_n_groups (hierarchy) + 1);
  g_autofree guint8 *seen = g_new0 (guint8, n + 1);
  g_autofree guint *queue = g_new (guint, n + 1);
  guint n_queued = 0, at = 0;
  for (guint i = 0; i < n; i++)
    if (sluice_hierarchy_is_below (hierarchy, sluice_hierarchy_get_op_group (hierarchy, i), group))
      {
        seen[i] = TRUE;
        queue[n_queued++] = i;
      }
  Neighbours to = find_neighbours (model, outputs);
  for (guint level = 0; at < n_queued; level++)
    for (guint end = n_queued; at < end; at++)
      {
        mark_up (hierarchy, reached, sluice_hierarchy_get_op_group (hierarchy, queue[at]));
        if (depth > 0 && level == depth)
          continue;
        for (guint k = to.first[queue[at]]; k < to.first[queue[at] + 1]; k++)
          if (!seen[to.others[k]])
            {
              seen[to.others[k]] = TRUE;
              queue[n_queued++] = to.others[k];
            }
      }
  g_free (to.first);
  g_free (to.others);
  return reached;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/graph/merge.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/graph/diff.h"
#include "engine/graph/edge-text.h"
#include "engine/graph/edit.h"

/* What became of the base's nodes in another graph. */
typedef struct
{
  SluiceGraph *graph;
  GPtrArray *diffs;     /* SluiceNodeDiff */
  GHashTable *now;      /* of the base -> of the graph; what was removed is not there */
  GHashTable *changed;  /* of the base, with another field than its name -> its diff */
  GPtrArray *added;     /* in the graph's order */
  GPtrArray *functions; /* names of those that are others: char* */
} Side;

typedef struct
{
  SluiceGraph *base;
  Side ours, theirs;
  GHashTable *merged; /* of theirs -> of ours */
  GPtrArray *conflicts;
  GError *refusal; /* of the change that is being made */
} Merge;

/* ---- both sides ---- */

static void
take_diff (Side *self, const SluiceNodeDiff *diff, GHashTable *removed)
{
  if (diff->function != NULL)
    g_ptr_array_add (self->functions, g_strdup (diff->function));
  else if (diff->kind == SLUICE_DIFF_ADDED)
    g_ptr_array_add (self->added, (gpointer) diff->is);
  else if (diff->kind == SLUICE_DIFF_REMOVED)
    g_hash_table_add (removed, (gpointer) diff->was);
  else
    {
      g_hash_table_insert (self->now, (gpointer) diff->was, (gpointer) diff->is);
      if (diff->fields->len > 0)
        g_hash_table_insert (self->changed, (gpointer) diff->was, (gpointer) diff);
    }
}

static SluiceNode *
now (const Side *side, const SluiceNode *base)
{
  return g_hash_table_lookup (side->now, base);
}

static gboolean
is_same_edge (const Side *side, SluiceEdge base, SluiceEdge is)
{
  if (base.node == NULL || is.node == NULL)
    return base.node == is.node;
  return base.port == is.port && now (side, base.node) == is.node;
}

static gboolean
has_same_inputs (const Side *side, const SluiceNode *base, const SluiceNode *is)
{
  gboolean same = base->n_inputs == is->n_inputs;
  for (guint i = 0; same && i < base->n_inputs; i++)
    same = is_same_edge (side, base->inputs[i], is->inputs[i]);
  return same;
}

/* The same inputs, as far as is known: what is gone may be what was added. */
static gboolean
may_have_same_inputs (const Side *side, const SluiceNode *base, const SluiceNode *is)
{
  gboolean same = base->n_inputs == is->n_inputs;
  for (guint i = 0; same && i < base->n_inputs; i++)
    {
      SluiceEdge was = base->inputs[i], now_is = is->inputs[i];
      gboolean unknown = was.node != NULL && now_is.node != NULL && now (side, was.node) == NULL;
      same = unknown ? was.port == now_is.port && was.node->op_name == now_is.node->op_name
                           && g_ptr_array_find (side->added, now_is.node, NULL)
                     : is_same_edge (side, was, now_is);
    }
  return same;
}

/* A node of few inputs is told by its readers, if its name is another: they read what does the
 * same.
 */
static gboolean
find_by_readers (Side *self, SluiceNode *base)
{
  guint n, at;
  const SluiceUse *uses = sluice_graph_get_uses (base->graph, base, &n);
  for (guint i = 0; i < n; i++)
    {
      const SluiceNode *reader = now (self, uses[i].node);
      SluiceNode *is =
          uses[i].input >= 0 && reader != NULL && (guint) uses[i].input < reader->n_inputs
              ? reader->inputs[uses[i].input].node
              : NULL;
      if (is == NULL || is->op_name != base->op_name || !sluice_node_attrs_equal (is, base)
          || !may_have_same_inputs (self, base, is) || !g_ptr_array_find (self->added, is, &at))
        continue;
      g_ptr_array_remove_index (self->added, at);
      g_hash_table_insert (self->now, base, is);
      return TRUE;
    }
  return FALSE;
}

/* Whoever is found tells of what it reads. */
static void
find_renamed (Side *self, SluiceGraph *base)
{
  g_autoptr (GPtrArray) missing = g_ptr_array_new ();
  for (guint i = 0; i < sluice_graph_get_n_nodes (base); i++)
    if (now (self, sluice_graph_get_node (base, i)) == NULL)
      g_ptr_array_add (missing, sluice_graph_get_node (base, i));
  for (gboolean again = self->added->len > 0; again;)
    {
      again = FALSE;
      for (guint i = missing->len; i-- > 0;)
        if (find_by_readers (self, missing->pdata[i]))
          {
            g_ptr_array_remove_index (missing, i);
            again = TRUE;
          }
    }
}

static void
side_init (Side *self, SluiceGraph *base, SluiceGraph *graph)
{
  g_autoptr (GHashTable) removed = g_hash_table_new (NULL, NULL);
  self->graph = graph;
  self->diffs = sluice_graph_diff (base, graph);
  self->now = g_hash_table_new (NULL, NULL);
  self->changed = g_hash_table_new (NULL, NULL);
  self->added = g_ptr_array_new ();
  self->functions = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < self->diffs->len; i++)
    take_diff (self, self->diffs->pdata[i], removed);
  for (guint i = 0; i < sluice_graph_get_n_nodes (base); i++)
    {
      SluiceNode *was = sluice_graph_get_node (base, i);
      SluiceNode *is = sluice_graph_find (graph, was->name);
      if (is != NULL && !g_hash_table_contains (self->now, was)
          && !g_hash_table_contains (removed, was))
        g_hash_table_insert (self->now, was, is);
    }
  find_renamed (self, base);
}

static void
side_clear (Side *self)
{
  g_ptr_array_unref (self->diffs);
  g_hash_table_unref (self->now);
  g_hash_table_unref (self->changed);
  g_ptr_array_unref (self->added);
  g_ptr_array_unref (self->functions);
}

/* The edge of ours that is theirs; no edge where ours lacks its node. */
static SluiceEdge
merged_edge (const Merge *self, SluiceEdge theirs)
{
  SluiceNode *node = theirs.node != NULL ? g_hash_table_lookup (self->merged, theirs.node) : NULL;
  return node != NULL ? (SluiceEdge){ node, theirs.port } : SLUICE_NO_EDGE;
}

/* ---- conflicts ---- */

static void
conflict_free (gpointer data)
{
  SluiceMergeConflict *self = data;
  g_free (self->node);
  g_free (self->field);
  g_free (self->base);
  g_free (self->ours);
  g_free (self->theirs);
  g_free (self);
}

/* Takes the texts of the three. */
static void
add_conflict (
    Merge *self, const char *node, const char *field, char *base, char *ours, char *theirs)
{
  SluiceMergeConflict *conflict = g_new (SluiceMergeConflict, 1);
  *conflict = (SluiceMergeConflict){ g_strdup (node), g_strdup (field), base, ours, theirs };
  g_ptr_array_add (self->conflicts, conflict);
}

/* A change that the graph does not take. */
static void
add_refused (Merge *self, const char *node, GError *take)
{
  add_conflict (self, node, "node", NULL, NULL, g_strdup (take->message));
  g_error_free (take);
}

/* A change of that node was made, or self->refusal says why not: it is not lost without a word. */
static void
note_refusal (Merge *self, const SluiceNode *node, gboolean ok)
{
  if (!ok)
    add_refused (self, node->name, g_steal_pointer (&self->refusal));
}

/* ---- names ---- */

static void
merge_name (Merge *self, const SluiceNode *base, SluiceNode *ours, const SluiceNode *theirs)
{
  GError *error = NULL;
  if (theirs->name == base->name || ours->name == theirs->name) /* interned */
    return;
  if (ours->name != base->name)
    add_conflict (self, ours->name, "name", g_strdup (base->name), g_strdup (ours->name),
                  g_strdup (theirs->name));
  else if (!sluice_edit_rename (self->ours.graph, ours, theirs->name, &error))
    add_refused (self, ours->name, error);
}

/* ---- what was added ---- */

/* With the edges whose nodes are there. (nullable): refused, and said so */
static SluiceNode *
add_node (Merge *self, const SluiceNode *theirs)
{
  GError *error = NULL;
  g_autofree SluiceEdge *inputs = g_new0 (SluiceEdge, MAX (theirs->n_inputs, 1));
  for (guint i = 0; i < theirs->n_inputs; i++)
    inputs[i] = merged_edge (self, theirs->inputs[i]);
  SluiceNodeSpec spec = { .name = theirs->name,
                          .op = theirs->op_name,
                          .device = theirs->device,
                          .inputs = inputs,
                          .n_inputs = theirs->n_inputs,
                          .attrs = theirs->attrs,
                          .n_attrs = theirs->n_attrs };
  SluiceNode *node = sluice_edit_add (self->ours.graph, &spec, &error);
  if (node == NULL)
    add_refused (self, theirs->name, error);
  else
    g_hash_table_insert (self->merged, (gpointer) theirs, node);
  return node;
}

/* Edges to what came later, and control edges. */
static void
finish_node (Merge *self, const SluiceNode *theirs, SluiceNode *node)
{
  for (guint i = 0; i < theirs->n_inputs; i++)
    {
      SluiceEdge edge = merged_edge (self, theirs->inputs[i]);
      if (theirs->inputs[i].node != NULL && edge.node == NULL)
        {
          g_autofree char *field = g_strdup_printf ("input %u", i);
          add_conflict (self, node->name, field, NULL, NULL,
                        sluice_edge_to_text (theirs->inputs[i]));
        }
      else if (edge.node != NULL && node->inputs[i].node == NULL)
        note_refusal (self, node,
                      sluice_edit_set_input (self->ours.graph, node, i, edge, &self->refusal));
    }
  for (guint i = 0; i < theirs->n_control_inputs; i++)
    {
      SluiceNode *before = g_hash_table_lookup (self->merged, theirs->control_inputs[i]);
      if (before != NULL)
        note_refusal (self, node,
                      sluice_edit_add_control (self->ours.graph, node, before, &self->refusal));
      else
        add_conflict (self, node->name, "control inputs", NULL, NULL,
                      g_strdup (theirs->control_inputs[i]->name));
    }
}

/* What both added under one name is the same, or a conflict. */
static void
compare_added (Merge *self, const SluiceNode *theirs, const SluiceNode *ours)
{
  gboolean same = theirs->op_name == ours->op_name && theirs->device == ours->device
                  && theirs->n_inputs == ours->n_inputs
                  && theirs->n_control_inputs == ours->n_control_inputs
                  && sluice_node_attrs_equal (theirs, ours);
  for (guint i = 0; same && i < theirs->n_inputs; i++)
    {
      SluiceEdge edge = merged_edge (self, theirs->inputs[i]);
      same = edge.node == ours->inputs[i].node && edge.port == ours->inputs[i].port;
    }
  if (!same)
    add_conflict (self, ours->name, "node", NULL, g_strdup (ours->op_name),
                  g_strdup (theirs->op_name));
}

static void
merge_added (Merge *self)
{
  g_autoptr (GPtrArray) both = g_ptr_array_new ();
  for (guint i = 0; i < self->theirs.added->len; i++)
    {
      const SluiceNode *theirs = self->theirs.added->pdata[i];
      SluiceNode *ours = sluice_graph_find (self->ours.graph, theirs->name);
      if (ours == NULL)
        add_node (self, theirs);
      else
        {
          g_hash_table_insert (self->merged, (gpointer) theirs, ours);
          g_ptr_array_add (both, (gpointer) theirs);
        }
    }
  for (guint i = 0; i < self->theirs.added->len; i++)
    {
      const SluiceNode *theirs = self->theirs.added->pdata[i];
      SluiceNode *node = g_hash_table_lookup (self->merged, theirs);
      if (node == NULL)
        continue;
      if (g_ptr_array_find (both, theirs, NULL))
        compare_added (self, theirs, node);
      else
        finish_node (self, theirs, node);
    }
}

/* ---- what was changed ---- */

/* A node of one base, in all three. */
typedef struct
{
  const SluiceNode *base;
  SluiceNode *ours;
  const SluiceNode *theirs;
} Three;

/* Another op under the same name: the node is made anew, and what read it reads that. */
static void
replace_node (Merge *self, const Three *t)
{
  SluiceGraph *graph = self->ours.graph;
  guint n;
  const SluiceUse *uses = sluice_graph_get_uses (graph, t->ours, &n);
  g_autofree SluiceUse *readers = g_memdup2 (uses, n * sizeof *readers);
  for (guint i = 0; i < n; i++)
    if (readers[i].input < 0)
      note_refusal (self, readers[i].node,
                    sluice_edit_remove_control (graph, readers[i].node, t->ours, &self->refusal));
    else
      note_refusal (self, readers[i].node,
                    sluice_edit_set_input (graph, readers[i].node, (guint) readers[i].input,
                                           SLUICE_NO_EDGE, &self->refusal));
  if (!sluice_edit_remove (graph, &t->ours, 1, &self->refusal))
    {
      note_refusal (self, t->ours, FALSE);
      return;
    }
  SluiceNode *node = add_node (self, t->theirs);
  for (guint i = 0; node != NULL && i < n; i++)
    if (readers[i].input < 0)
      note_refusal (self, readers[i].node,
                    sluice_edit_add_control (graph, readers[i].node, node, &self->refusal));
    else
      note_refusal (self, readers[i].node,
                    sluice_edit_set_input (graph, readers[i].node, (guint) readers[i].input,
                                           (SluiceEdge){ node, readers[i].port }, &self->refusal));
  if (node != NULL)
    finish_node (self, t->theirs, node);
}

static void
merge_device (Merge *self, const Three *t)
{
  if (t->theirs->device == t->base->device || t->theirs->device == t->ours->device)
    return;
  if (t->ours->device == t->base->device)
    sluice_edit_set_device (self->ours.graph, t->ours, t->theirs->device);
  else
    add_conflict (self, t->ours->name, "device", g_strdup (t->base->device),
                  g_strdup (t->ours->device), g_strdup (t->theirs->device));
}

static void
merge_input (Merge *self, const Three *t, guint i)
{
  SluiceEdge base = t->base->inputs[i], ours = t->ours->inputs[i], theirs = t->theirs->inputs[i];
  SluiceEdge wanted = merged_edge (self, theirs);
  gboolean is_there = theirs.node == NULL || wanted.node != NULL;
  if (is_same_edge (&self->theirs, base, theirs)
      || (is_there && wanted.node == ours.node && wanted.port == ours.port))
    return;
  if (is_there && is_same_edge (&self->ours, base, ours))
    {
      note_refusal (self, t->ours,
                    sluice_edit_set_input (self->ours.graph, t->ours, i, wanted, &self->refusal));
      return;
    }
  g_autofree char *field = g_strdup_printf ("input %u", i);
  add_conflict (self, t->ours->name, field, sluice_edge_to_text (base), sluice_edge_to_text (ours),
                sluice_edge_to_text (theirs));
}

/* Their number changed there. */
static void
merge_all_inputs (Merge *self, const Three *t)
{
  guint n = t->theirs->n_inputs;
  g_autofree SluiceEdge *wanted = g_new0 (SluiceEdge, MAX (n, 1));
  gboolean is_there = TRUE;
  for (guint i = 0; i < n; i++)
    {
      wanted[i] = merged_edge (self, t->theirs->inputs[i]);
      is_there &= wanted[i].node != NULL || t->theirs->inputs[i].node == NULL;
    }
  if (is_there && has_same_inputs (&self->ours, t->base, t->ours))
    note_refusal (self, t->ours,
                  sluice_edit_set_inputs (self->ours.graph, t->ours, wanted, n, &self->refusal));
  else
    add_conflict (self, t->ours->name, "inputs", g_strdup_printf ("%u", t->base->n_inputs),
                  g_strdup_printf ("%u", t->ours->n_inputs), g_strdup_printf ("%u", n));
}

static gboolean
waits_for (const SluiceNode *node, const SluiceNode *before)
{
  for (guint i = 0; before != NULL && i < node->n_control_inputs; i++)
    if (node->control_inputs[i] == before)
      return TRUE;
  return FALSE;
}

/* Sets: what was added there is added, what was taken away is taken away. */
static void
merge_controls (Merge *self, const Three *t)
{
  for (guint i = 0; i < t->base->n_control_inputs; i++)
    {
      const SluiceNode *before = t->base->control_inputs[i];
      SluiceNode *ours = now (&self->ours, before);
      if (!waits_for (t->theirs, now (&self->theirs, before)) && waits_for (t->ours, ours))
        note_refusal (self, t->ours,
                      sluice_edit_remove_control (self->ours.graph, t->ours, ours, &self->refusal));
    }
  for (guint i = 0; i < t->theirs->n_control_inputs; i++)
    {
      const SluiceNode *before = t->theirs->control_inputs[i];
      SluiceNode *ours = g_hash_table_lookup (self->merged, before);
      gboolean is_old = FALSE;
      for (guint k = 0; !is_old && k < t->base->n_control_inputs; k++)
        is_old = now (&self->theirs, t->base->control_inputs[k]) == before;
      if (is_old)
        continue;
      if (ours != NULL)
        note_refusal (self, t->ours,
                      sluice_edit_add_control (self->ours.graph, t->ours, ours, &self->refusal));
      else
        add_conflict (self, t->ours->name, "control inputs", NULL, NULL, g_strdup (before->name));
    }
}

static gboolean
is_same_value (const SluiceAttrValue *a, const SluiceAttrValue *b)
{
  return a == b || (a != NULL && b != NULL && sluice_attr_value_equal (a, b));
}

static char *
value_text (const SluiceAttrValue *value)
{
  return value != NULL ? sluice_attr_value_to_string (value) : NULL;
}

static gboolean
has_changed (const Side *side, const SluiceNode *base, const char *field)
{
  const SluiceNodeDiff *diff = g_hash_table_lookup (side->changed, base);
  for (guint i = 0; diff != NULL && i < diff->fields->len; i++)
    if (g_str_equal (g_array_index (diff->fields, SluiceFieldDiff, i).field, field))
      return TRUE;
  return FALSE;
}

/* A node that an attribute names is called otherwise in ours: "loc:@w". */
static void
rename_class (const Merge *self, SluiceAttrValue *value)
{
  static const char prefix[] = "loc:@";
  for (guint i = 0; value->kind == SLUICE_ATTR_LIST && i < value->list.n; i++)
    {
      SluiceAttrValue *item = &value->list.items[i];
      g_autofree char *text = item->kind == SLUICE_ATTR_STRING && item->s.length > 0
                                  ? g_strndup (item->s.data, item->s.length)
                                  : g_strdup ("");
      const SluiceNode *theirs =
          g_str_has_prefix (text, prefix)
              ? sluice_graph_find (self->theirs.graph, text + strlen (prefix))
              : NULL;
      const SluiceNode *ours = theirs != NULL ? g_hash_table_lookup (self->merged, theirs) : NULL;
      if (ours == NULL)
        continue;
      g_autofree char *name = g_strconcat (prefix, ours->name, NULL);
      SluiceAttr attr = sluice_attr_string ("", name);
      sluice_attr_value_clear (item);
      sluice_attr_value_copy (item, &attr.value);
    }
}

static void
merge_attr (Merge *self, const Three *t, const char *name)
{
  const SluiceAttrValue *base = sluice_node_get_attr (t->base, name);
  const SluiceAttrValue *ours = sluice_node_get_attr (t->ours, name);
  const SluiceAttrValue *given = sluice_node_get_attr (t->theirs, name);
  SluiceAttrValue theirs = { 0 };
  if (!has_changed (&self->theirs, t->base, name))
    return;
  if (given != NULL)
    sluice_attr_value_copy (&theirs, given);
  if (g_str_equal (name, "_class"))
    rename_class (self, &theirs);
  if (given == NULL ? ours == NULL : is_same_value (ours, &theirs))
    ;
  else if (has_changed (&self->ours, t->base, name))
    add_conflict (self, t->ours->name, name, value_text (base), value_text (ours),
                  value_text (given));
  else if (given == NULL)
    note_refusal (self, t->ours,
                  sluice_edit_remove_attr (self->ours.graph, t->ours, name, &self->refusal));
  else
    {
      SluiceAttr attr = sluice_attr_value (name, &theirs);
      note_refusal (self, t->ours,
                    sluice_edit_set_attr (self->ours.graph, t->ours, &attr, &self->refusal));
    }
  sluice_attr_value_clear (&theirs);
}

static void
merge_fields (Merge *self, const Three *t)
{
  merge_device (self, t);
  if (t->theirs->n_inputs != t->base->n_inputs || t->ours->n_inputs != t->base->n_inputs)
    {
      if (!has_same_inputs (&self->theirs, t->base, t->theirs))
        merge_all_inputs (self, t);
    }
  else
    for (guint i = 0; i < t->base->n_inputs; i++)
      merge_input (self, t, i);
  merge_controls (self, t);
  for (guint i = 0; i < t->theirs->n_attrs; i++)
    merge_attr (self, t, t->theirs->attrs[i].name);
  for (guint i = 0; i < t->base->n_attrs; i++)
    if (sluice_node_get_attr (t->theirs, t->base->attrs[i].name) == NULL)
      merge_attr (self, t, t->base->attrs[i].name);
}

static void
merge_changed (Merge *self, const Three *t)
{
  if (!g_hash_table_contains (self->theirs.changed, t->base))
    return;
  if (t->theirs->op_name == t->base->op_name && t->ours->op_name == t->base->op_name)
    merge_fields (self, t);
  else if (!g_hash_table_contains (self->ours.changed, t->base))
    replace_node (self, t);
  else if (t->ours->op_name != t->theirs->op_name)
    add_conflict (self, t->ours->name, "op", g_strdup (t->base->op_name),
                  g_strdup (t->ours->op_name), g_strdup (t->theirs->op_name));
  else
    merge_fields (self, t);
}

/* ---- what was removed ---- */

/* Who reads it and stays. (nullable) */
static const SluiceNode *
find_reader (const Merge *self, const SluiceNode *node, GHashTable *gone)
{
  guint n;
  const SluiceUse *uses = sluice_graph_get_uses (self->ours.graph, node, &n);
  for (guint i = 0; i < n; i++)
    if (!g_hash_table_contains (gone, uses[i].node))
      return uses[i].node;
  return NULL;
}

/* Nodes that were removed there and are read by what stays here stay, with all that they read. */
static void
remove_nodes (Merge *self, GPtrArray *nodes)
{
  g_autoptr (GHashTable) gone = g_hash_table_new (NULL, NULL);
  gboolean again = TRUE;
  for (guint i = 0; i < nodes->len; i++)
    g_hash_table_add (gone, nodes->pdata[i]);
  while (again)
    {
      again = FALSE;
      for (guint i = nodes->len; i-- > 0;)
        {
          const SluiceNode *node = nodes->pdata[i];
          const SluiceNode *reader = find_reader (self, node, gone);
          if (reader == NULL)
            continue;
          add_conflict (self, node->name, "node", g_strdup (node->op_name),
                        g_strdup_printf ("is read by '%s'", reader->name), NULL);
          g_hash_table_remove (gone, node);
          g_ptr_array_remove_index (nodes, i);
          again = TRUE;
        }
    }
  if (nodes->len > 0)
    note_refusal (self, nodes->pdata[0],
                  sluice_edit_remove (self->ours.graph, (SluiceNode *const *) nodes->pdata,
                                      nodes->len, &self->refusal));
}

static void
merge_removed (Merge *self)
{
  g_autoptr (GPtrArray) nodes = g_ptr_array_new ();
  for (guint i = 0; i < sluice_graph_get_n_nodes (self->base); i++)
    {
      SluiceNode *base = sluice_graph_get_node (self->base, i);
      SluiceNode *ours = now (&self->ours, base), *theirs = now (&self->theirs, base);
      gboolean ours_changed =
          g_hash_table_contains (self->ours.changed, base) || (ours && ours->name != base->name);
      gboolean theirs_changed = g_hash_table_contains (self->theirs.changed, base)
                                || (theirs && theirs->name != base->name);
      if (theirs == NULL && ours != NULL && ours_changed)
        add_conflict (self, ours->name, "node", g_strdup (base->op_name), g_strdup ("changed"),
                      NULL);
      else if (theirs == NULL && ours != NULL)
        g_ptr_array_add (nodes, ours);
      else if (ours == NULL && theirs != NULL && theirs_changed)
        add_conflict (self, base->name, "node", g_strdup (base->op_name), NULL,
                      g_strdup ("changed"));
    }
  remove_nodes (self, nodes);
}

/* ---- the whole ---- */

/* Functions have no parts here: what was changed there is said, if it was not done here as well. */
static void
tell_functions (Merge *self)
{
  g_autoptr (GPtrArray) diffs = sluice_graph_diff (self->ours.graph, self->theirs.graph);
  for (guint i = 0; i < diffs->len; i++)
    {
      const SluiceNodeDiff *diff = diffs->pdata[i];
      if (diff->function != NULL
          && g_ptr_array_find_with_equal_func (self->theirs.functions, diff->function, g_str_equal,
                                               NULL))
        add_conflict (self, diff->function, "function", NULL, NULL,
                      g_strdup (sluice_diff_kind_name (diff->kind)));
    }
}

static gboolean
check_base (const Side *side, const char *which, GError **error)
{
  return g_hash_table_size (side->now) > 0
         || sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                         "the base has no node in common with %s: it is the base of other graphs",
                         which);
}

static void
merge_nodes (Merge *self)
{
  g_autoptr (GArray) threes = g_array_new (FALSE, FALSE, sizeof (Three));
  for (guint i = 0; i < sluice_graph_get_n_nodes (self->base); i++)
    {
      SluiceNode *base = sluice_graph_get_node (self->base, i);
      Three t = { base, now (&self->ours, base), now (&self->theirs, base) };
      if (t.ours == NULL || t.theirs == NULL)
        continue;
      g_hash_table_insert (self->merged, (gpointer) t.theirs, t.ours);
      g_array_append_val (threes, t);
    }
  for (guint i = 0; i < threes->len; i++)
    {
      const Three *t = &g_array_index (threes, Three, i);
      merge_name (self, t->base, t->ours, t->theirs);
    }
  merge_added (self);
  for (guint i = 0; i < threes->len; i++)
    merge_changed (self, &g_array_index (threes, Three, i));
  merge_removed (self);
}

static const char *
or_dash (const char *text)
{
  return text != NULL ? text : "–";
}

char *
sluice_merge_conflict_dup_words (const SluiceMergeConflict *conflict)
{
  return g_strdup_printf (_ ("conflict: %s, %s: base %s, ours %s, theirs %s"), conflict->node,
                          conflict->field, or_dash (conflict->base), or_dash (conflict->ours),
                          or_dash (conflict->theirs));
}

gboolean
sluice_graph_merge_into (SluiceGraph *base,
                         SluiceGraph *ours,
                         SluiceGraph *theirs,
                         GPtrArray **conflicts,
                         GError **error)
{
  Merge self = { .base = base };
  side_init (&self.ours, base, ours);
  side_init (&self.theirs, base, theirs);
  gboolean ok =
      sluice_graph_get_n_nodes (base) == 0
      || (check_base (&self.ours, "ours", error) && check_base (&self.theirs, "theirs", error));
  if (ok)
    {
      self.merged = g_hash_table_new (NULL, NULL);
      self.conflicts = g_ptr_array_new_with_free_func (conflict_free);
      tell_functions (&self);
      merge_nodes (&self);
      g_hash_table_unref (self.merged);
      *conflicts = self.conflicts;
    }
  side_clear (&self.ours);
  side_clear (&self.theirs);
  return ok;
}

gboolean
sluice_graph_merge (SluiceGraph *base,
                    SluiceGraph *ours,
                    SluiceGraph *theirs,
                    GPtrArray **conflicts,
                    GError **error)
{
  GError *refused = NULL;
  sluice_edit_begin (ours);
  if (!sluice_graph_merge_into (base, ours, theirs, conflicts, error))
    {
      sluice_edit_abandon (ours);
      return FALSE;
    }
  SluiceEdit *edit = sluice_edit_commit (ours, &refused);
  if (edit != NULL)
    {
      sluice_edit_free (edit);
      return TRUE;
    }
  /* Each change is right by itself, all of them are not. */
  SluiceErrorPlace place = sluice_error_get_place (refused);
  g_autofree char *node = g_strdup (place.node);
  Merge self = { .conflicts = *conflicts };
  add_refused (&self, node != NULL ? node : "", refused);
  return TRUE;
}

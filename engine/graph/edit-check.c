/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * What a transaction is judged by. Only what it made or changed is looked at, and what stands
 * behind that as far as it changes.
 */
#include <string.h>

#include "engine/base/error.h"
#include "engine/graph/edit-log.h"
#include "engine/graph/edit-private.h"
#include "engine/graph/function.h"
#include "engine/graph/shape-context-private.h"

/* ---- one node ---- */

static gboolean
is_new (const SluiceNode *node)
{
  return sluice_node_record (node)->image == SLUICE_IMAGE_OF_NEW;
}

/* The node before the transaction. (nullable): there was none, or it is as it was */
static const SluiceNode *
old_of (const SluiceEdit *self, const SluiceNode *node)
{
  const SluiceNodeImage *image = sluice_edit_find_image (self, node);
  return image != NULL ? &image->other.node : NULL;
}

static guint
changes_of (const SluiceEdit *self, const SluiceNode *node)
{
  const SluiceNodeImage *image = sluice_edit_find_image (self, node);
  return image != NULL ? sluice_node_image_compare (image) : 0;
}

static SluiceAttr *
dup_attrs (const SluiceNode *node)
{
  SluiceAttr *attrs = g_new (SluiceAttr, node->n_attrs + 1);
  for (guint i = 0; i < node->n_attrs; i++)
    {
      attrs[i].name = node->attrs[i].name;
      sluice_attr_value_copy (&attrs[i].value, &node->attrs[i].value);
    }
  return attrs;
}

/* What the definition makes of the attributes and inputs; shapes stay where the outputs are the
 * same, so that inference sees what changes. */
static gboolean
complete (SluiceEdit *self, SluiceNode *node, GError **error)
{
  g_autofree SluiceAttr *attrs = dup_attrs (node);
  guint n_attrs = node->n_attrs, n = node->n_outputs;
  g_autofree SluiceOutput *old = g_memdup2 (node->outputs, n * sizeof *old);
  sluice_node_forget_constants (node);
  node->n_outputs = 0;
  sluice_graph_index_attrs (self->graph, node, FALSE);
  gboolean ok = sluice_node_complete (node, attrs, n_attrs, TRUE, error);
  sluice_graph_index_attrs (self->graph, node, TRUE);
  for (guint i = 0; i < MIN (n, node->n_outputs); i++)
    if (old[i].dtype == node->outputs[i].dtype)
      node->outputs[i] = old[i];
  return ok;
}

/* Inference does not look at what is wrong for another reason. */
static void
forget_shapes_of_wrong (SluiceNode *node)
{
  for (guint i = 0; node->error != NULL && i < node->n_outputs; i++)
    {
      node->outputs[i].shape = node->outputs[i].handle_shape = SLUICE_SHAPE_UNKNOWN;
      node->outputs[i].handle_dtype = SLUICE_INVALID;
    }
}

/* A node whose op is a function of the graph, or nothing that is known. */
static void
complete_call (SluiceNode *node)
{
  const Tensorflow__FunctionDef *called = sluice_library_find (node->graph->library, node->op_name);
  if (called == NULL)
    return;
  g_clear_error (&node->error);
  sluice_function_set_outputs (called, node);
  sluice_node_set_open_error (node);
  forget_shapes_of_wrong (node);
}

/* Does the file that it came from name an input that is no node? */
static gboolean
lacks_named_input (const SluiceNode *node)
{
  for (guint i = 0; sluice_node_record (node)->foreign != NULL && i < node->n_inputs; i++)
    if (node->inputs[i].node == NULL)
      return TRUE;
  return FALSE;
}

/* FALSE: the transaction is refused. */
static gboolean
judge_node (SluiceEdit *self, SluiceNode *node, GError **error)
{
  const guint edges = SLUICE_CHANGED_INPUTS | SLUICE_CHANGED_CONTROLS;
  SluiceNodeRecord *record = sluice_node_record (node);
  if (node->op == NULL)
    {
      complete_call (node);
      return TRUE;
    }
  if (record->lowered != NULL
      && (changes_of (self, node) & (SLUICE_CHANGED_INPUTS | SLUICE_CHANGED_ATTRS)))
    return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                             "its function was written out below '%s/_call' for a gradient; take "
                             "that back before the call is changed",
                             node->name);
  /* What an import said of the edges holds as long as these are what they were. */
  gboolean keeps =
      (record->cycle_error || lacks_named_input (node)) && !(changes_of (self, node) & edges);
  gboolean in_cycle = record->cycle_error && keeps;
  g_autoptr (GError) kept = keeps ? g_steal_pointer (&node->error) : NULL;
  g_clear_error (&node->error);
  record->shape_error = FALSE;
  if (!complete (self, node, error) || !sluice_node_check_inputs (node, error))
    return FALSE;
  record->cycle_error = in_cycle;
  node->error = g_steal_pointer (&kept);
  sluice_node_set_open_error (node);
  forget_shapes_of_wrong (node);
  return TRUE;
}

static gboolean
has_other_outputs (const SluiceNode *now, const SluiceNode *old)
{
  if (old == NULL)
    return FALSE;
  if (now->n_outputs != old->n_outputs)
    return TRUE;
  for (guint i = 0; i < now->n_outputs; i++)
    if (now->outputs[i].dtype != old->outputs[i].dtype)
      return TRUE;
  return FALSE;
}

/* A reader that was not changed itself, of outputs that were. */
static gboolean
judge_reader (SluiceNode *node, const SluiceUse *use, GError **error)
{
  SluiceNode *reader = use->node;
  if (use->input >= 0 && (guint) use->port >= node->n_outputs)
    return sluice_node_fail (reader, error, SLUICE_ERROR_INVALID_ARGUMENT,
                             "input %d is '%s:%d', but %s '%s' has %u outputs now; connect it "
                             "elsewhere first",
                             use->input, node->name, use->port, node->op_name, node->name,
                             node->n_outputs);
  if (use->input < 0 || reader->op == NULL || reader->error != NULL)
    return TRUE;
  return sluice_node_check_inputs (reader, error);
}

static gboolean
judge_readers (SluiceEdit *self, SluiceNode *node, GError **error)
{
  const SluiceNodeRecord *record = sluice_node_record (node);
  if (!has_other_outputs (node, old_of (self, node)))
    return TRUE;
  for (guint i = 0; i < record->n_uses; i++)
    if (!judge_reader (node, &record->uses[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
judge_direct (SluiceEdit *self, GError **error)
{
  for (guint i = 0; i < self->direct->len; i++)
    {
      SluiceNode *node = self->direct->pdata[i];
      if (node->graph != NULL && !judge_node (self, node, error))
        return FALSE;
    }
  for (guint i = 0; i < self->direct->len; i++)
    {
      SluiceNode *node = self->direct->pdata[i];
      if (node->graph != NULL && !judge_readers (self, node, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- what is gone ---- */

static gboolean
fail_reader (const SluiceNode *gone, const SluiceUse *use, GError **error)
{
  const SluiceNode *reader = use->node;
  if (use->input < 0)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "%s '%s' cannot be removed: %s '%s' waits for it; take that control edge "
                        "away first, or remove both",
                        gone->op_name, gone->name, reader->op_name, reader->name);
  g_autofree char *input = sluice_node_dup_input_name (reader, (guint) use->input);
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                      "%s '%s' cannot be removed: input %d (%s) of %s '%s' reads '%s:%d'; connect "
                      "that elsewhere or leave it open first, or remove both",
                      gone->op_name, gone->name, use->input, input, reader->op_name, reader->name,
                      gone->name, use->port);
}

static gboolean
names_removed (const SluiceLowered *lowered, const SluiceNode **gone)
{
  for (guint i = 0; i < lowered->n_outputs; i++)
    if ((*gone = lowered->outputs[i].node)->graph == NULL)
      return TRUE;
  for (guint i = 0; i < lowered->n_effects; i++)
    if ((*gone = lowered->effects[i])->graph == NULL)
      return TRUE;
  *gone = lowered->done;
  return (*gone)->graph == NULL;
}

/* Nodes that a call was written out to, while the call is there. */
static gboolean
check_written_out (SluiceEdit *self, GError **error)
{
  gboolean any = FALSE;
  for (guint i = 0; i < self->removed->len && !any; i++)
    any = sluice_node_record (g_array_index (self->removed, SluiceNodePlace, i).node)->path != NULL;
  for (guint i = 0; any && i < self->graph->nodes->len; i++)
    {
      const SluiceNode *gone, *call = self->graph->nodes->pdata[i];
      const SluiceLowered *lowered = sluice_node_record (call)->lowered;
      if (lowered != NULL && names_removed (lowered, &gone))
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "%s '%s' cannot be removed: it is what the function of %s '%s' was "
                            "written out to; remove that, too",
                            gone->op_name, gone->name, call->op_name, call->name);
    }
  return TRUE;
}

/* One that is still there. (nullable) */
static const SluiceNode *
find_class_user (SluiceEdit *self, const char *name)
{
  g_autoptr (GPtrArray) users = g_ptr_array_new ();
  sluice_graph_collect_class_users (self->graph, name, users);
  return users->len > 0 ? users->pdata[0] : NULL;
}

static gboolean
check_removed (SluiceEdit *self, GError **error)
{
  for (guint i = 0; i < self->removed->len; i++)
    {
      const SluiceNode *gone = g_array_index (self->removed, SluiceNodePlace, i).node;
      const SluiceNodeRecord *record = sluice_node_record (gone);
      if (record->n_uses > 0)
        return fail_reader (gone, &record->uses[0], error);
      if (sluice_graph_find (self->graph, gone->name) != NULL)
        continue; /* another took its name, and what goes with it */
      const SluiceNode *user = find_class_user (self, gone->name);
      if (user != NULL)
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "%s '%s' cannot be removed: attribute _class of %s '%s' asks to stand "
                            "beside it; change that first, or remove both",
                            gone->op_name, gone->name, user->op_name, user->name);
    }
  return check_written_out (self, error);
}

/* ---- _class ---- */

typedef struct
{
  SluiceGraph *graph;
  const SluiceNode *old; /* (nullable): what named a missing node before may go on doing so */
  char *missing;
} ClassCheck;

static void
keep_if_equal (const SluiceNode *node, const char *name, gsize length, gpointer data)
{
  char **missing = data;
  if (*missing != NULL && strlen (*missing) == length && memcmp (*missing, name, length) == 0)
    g_clear_pointer (missing, g_free);
}

static void
look_up_class (const SluiceNode *node, const char *name, gsize length, gpointer data)
{
  ClassCheck *check = data;
  if (check->missing != NULL
      || sluice_name_table_find (&check->graph->by_name, name, length) != NULL)
    return;
  check->missing = g_strndup (name, length);
  if (check->old != NULL)
    sluice_node_foreach_class (check->old, keep_if_equal, &check->missing);
}

static gboolean
check_class (SluiceEdit *self, const SluiceNode *node, GError **error)
{
  ClassCheck check = { self->graph, old_of (self, node), NULL };
  sluice_node_foreach_class (node, look_up_class, &check);
  if (check.missing == NULL)
    return TRUE;
  g_autofree char *missing = check.missing;
  const char *hint = sluice_graph_suggest_name (self->graph, missing);
  return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                           "attribute _class asks to stand beside '%s', which is no node of the "
                           "graph%s%s%s",
                           missing, hint ? "; did you mean '" : "", hint ? hint : "",
                           hint ? "'?" : "");
}

/* ---- edges ---- */

static gboolean
order_inputs (SluiceEdit *self, SluiceNode *node, GError **error)
{
  for (guint i = 0; i < node->n_inputs + node->n_control_inputs; i++)
    {
      SluiceNode *before =
          i < node->n_inputs ? node->inputs[i].node : node->control_inputs[i - node->n_inputs];
      if (before != NULL && !sluice_edge_is_back_edge (before, node)
          && !sluice_graph_order_edge (self->graph, before, node, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
check_added (SluiceEdit *self, GError **error)
{
  for (guint i = 0; i < self->added->len; i++)
    {
      SluiceNode *node = g_array_index (self->added, SluiceNodePlace, i).node;
      if (!check_class (self, node, error) || !order_inputs (self, node, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
check_changed (SluiceEdit *self, GError **error)
{
  const guint edges = SLUICE_CHANGED_INPUTS | SLUICE_CHANGED_CONTROLS;
  for (guint i = 0; i < self->images->len; i++)
    {
      const SluiceNodeImage *image = self->images->pdata[i];
      SluiceNode *node = image->node;
      guint what = node->graph != NULL ? sluice_node_image_compare (image) : 0;
      if (((what & SLUICE_CHANGED_ATTRS) && !check_class (self, node, error))
          || ((what & edges) && !order_inputs (self, node, error)))
        return FALSE;
    }
  return TRUE;
}

/* Nodes whose errors may not be what they were: what is wrong now stays on them. */
static void
judge_again (SluiceEdit *self, SluiceNode *node)
{
  g_autoptr (GError) error = NULL;
  sluice_graph_touch (self->graph, node);
  if (!judge_node (self, node, &error))
    {
      g_clear_error (&node->error);
      node->error = g_steal_pointer (&error);
    }
  g_ptr_array_add (self->direct, node);
}

/* Nodes that were part of a cycle may not be any more. */
static void
look_at_cycles_again (SluiceEdit *self)
{
  SluiceGraph *graph = self->graph;
  for (guint i = 0; graph->is_unordered && i < graph->nodes->len; i++)
    {
      SluiceNode *node = graph->nodes->pdata[i];
      if (!sluice_node_record (node)->cycle_error || !order_inputs (self, node, NULL))
        continue;
      sluice_graph_touch (graph, node);
      sluice_node_record (node)->cycle_error = FALSE;
      judge_again (self, node);
    }
}

/* Messages name what a node reads. */
static void
look_at_readers_again (SluiceEdit *self)
{
  g_autoptr (GPtrArray) readers = g_ptr_array_new ();
  for (guint i = 0; i < self->images->len; i++)
    {
      const SluiceNodeImage *image = self->images->pdata[i];
      const SluiceNodeRecord *record = sluice_node_record (image->node);
      if (image->node->graph == NULL || image->node->name == image->other.node.name)
        continue;
      for (guint k = 0; k < record->n_uses; k++)
        {
          SluiceNode *reader = record->uses[k].node;
          if (reader->error != NULL && reader->op != NULL
              && !sluice_node_record (reader)->cycle_error
              && sluice_node_record (reader)->foreign == NULL)
            g_ptr_array_add (readers, reader);
        }
    }
  for (guint i = 0; i < readers->len; i++)
    judge_again (self, readers->pdata[i]);
}

/* ---- shapes ---- */

static void
add_pop (SluiceNode *pop, gpointer nodes)
{
  if (pop->graph != NULL)
    g_ptr_array_add (nodes, pop);
}

/* What comes off a stack is told by what is pushed on it, which no edge leads to. */
static void
add_pops (SluiceEdit *self, GPtrArray *nodes)
{
  for (guint i = 0; i < self->images->len; i++)
    {
      const SluiceNodeImage *image = self->images->pdata[i];
      if (sluice_node_get_role (image->node) != SLUICE_ROLE_STACK_PUSH)
        continue;
      sluice_node_foreach_pop (image->node, add_pop, nodes);
      sluice_node_foreach_pop (&image->other.node, add_pop, nodes);
    }
}

/* again: loops are begun anew, for which frames must be known */
static void
settle_shapes (SluiceEdit *self, gboolean again)
{
  g_autoptr (GPtrArray) nodes = g_ptr_array_new ();
  for (guint i = 0; i < self->direct->len; i++)
    {
      SluiceNode *node = self->direct->pdata[i];
      if (node->graph == NULL)
        continue;
      g_ptr_array_add (nodes, node);
      /* Its readers may go by its value, which its shape does not tell; and what has an open input
       * is not inferred, so it is told here that its shapes are gone. */
      const SluiceNodeRecord *record = sluice_node_record (node);
      for (guint k = 0; k < record->n_uses; k++)
        if (record->uses[k].input >= 0)
          g_ptr_array_add (nodes, record->uses[k].node);
    }
  add_pops (self, nodes);
  sluice_graph_settle (self->graph, (SluiceNode *const *) nodes->pdata, nodes->len, again);
  sluice_edit_forget_constants (self);
}

void
sluice_edit_settle_so_far (SluiceEdit *self)
{
  settle_shapes (self, FALSE);
}

static gboolean
settle (SluiceEdit *self, GError **error)
{
  guint n_own = self->direct->len;
  look_at_cycles_again (self);
  look_at_readers_again (self);
  settle_shapes (self, TRUE);
  for (guint i = 0; i < n_own; i++)
    {
      const SluiceNode *node = self->direct->pdata[i], *old = old_of (self, node);
      if (node->graph == NULL || !sluice_node_record (node)->shape_error
          || (!is_new (node) && (old == NULL || old->error != NULL)))
        continue;
      if (error != NULL)
        *error = g_error_copy (node->error);
      return FALSE;
    }
  return TRUE;
}

gboolean
sluice_edit_check (SluiceEdit *self, GError **error)
{
  return judge_direct (self, error) && check_removed (self, error) && check_added (self, error)
         && check_changed (self, error) && sluice_edit_check_frames (self, error)
         && settle (self, error);
}

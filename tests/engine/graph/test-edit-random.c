/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Transactions drawn by lot on the graphs of the conformance cases: a follower that only hears the
 * deltas has what the graph has, shapes are those of the same graph read from a file, and undo of
 * all gives the bytes that were there before.
 *
 * SLUICE_EDIT_GRAPHS=FILE:FILE… takes other graphs, SLUICE_EDIT_TRANSACTIONS=10000 more of them.
 */
#include <string.h>

#include "engine/base/error.h"
#include "engine/graph/edit.h"
#include "engine/graph/graphdef.h"
#include "engine/passes/passes.h"
#include "kernels/registry.h"
#include "tests/engine/graph/random-edit.h"

#define N_TRANSACTIONS 40

typedef struct
{
  SluiceGraph *graph;
  GPtrArray *order;    /* SluiceNode, as the deltas tell */
  GHashTable *digests; /* SluiceNode -> text */
  guint n_lost;        /* names in `_class` that are no node's; no edit makes more */
} Follower;

/* ---- what is known of a node ---- */

static void
append_output (GString *text, const SluiceOutput *output)
{
  char shape[SLUICE_SHAPE_STR], handle[SLUICE_SHAPE_STR];
  g_string_append_printf (text, " %d%s", output->dtype, sluice_shape_str (&output->shape, shape));
  if (output->handle_dtype != SLUICE_INVALID)
    g_string_append_printf (text, "(%d%s)", output->handle_dtype,
                            sluice_shape_str (&output->handle_shape, handle));
}

static char *
digest (SluiceNode *node)
{
  const char *loop = sluice_node_get_loop (node);
  GString *text = g_string_new (node->name);
  g_string_append_printf (text, " in %s", loop != NULL ? loop : "no loop");
  guint attrs = 0;
  for (guint i = 0; i < node->n_attrs; i++)
    attrs = attrs * 31 + g_str_hash (node->attrs[i].name)
            + 7 * sluice_attr_value_hash (&node->attrs[i].value);
  g_string_append_printf (text, " %s '%s' %08x", node->op_name, node->device, attrs);
  for (guint i = 0; i < node->n_inputs; i++)
    g_string_append_printf (text, " %p:%d", (void *) node->inputs[i].node, node->inputs[i].port);
  for (guint i = 0; i < node->n_control_inputs; i++)
    g_string_append_printf (text, " ^%p", (void *) node->control_inputs[i]);
  for (guint i = 0; i < node->n_outputs; i++)
    append_output (text, &node->outputs[i]);
  if (node->error != NULL)
    g_string_append_printf (text, " !%s", node->error->message);
  return g_string_free (text, FALSE);
}

static void
follow_cb (SluiceGraph *graph, const SluiceGraphDelta *delta, gpointer data)
{
  Follower *self = data;
  for (guint i = delta->n_removed; i-- > 0;)
    {
      g_assert_true (self->order->pdata[delta->removed[i].index] == delta->removed[i].node);
      g_ptr_array_remove_index (self->order, delta->removed[i].index);
      g_assert_true (g_hash_table_remove (self->digests, delta->removed[i].node));
    }
  for (guint i = 0; i < delta->n_added; i++)
    {
      g_ptr_array_insert (self->order, (int) delta->added[i].index, delta->added[i].node);
      g_assert_true (
          g_hash_table_insert (self->digests, delta->added[i].node, digest (delta->added[i].node)));
    }
  for (guint i = 0; i < delta->n_changed; i++)
    {
      char *now = digest (delta->changed[i].node);
      /* A loop of the same name in another is another loop. */
      if (delta->changed[i].what != SLUICE_CHANGED_LOOP)
        g_assert_cmpstr (now, !=, g_hash_table_lookup (self->digests, delta->changed[i].node));
      g_assert_false (g_hash_table_insert (self->digests, delta->changed[i].node, now));
    }
}

static guint
count_lost (SluiceGraph *graph)
{
  guint n = 0;
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      const SluiceAttrValue *value =
          sluice_node_get_attr (sluice_graph_get_node (graph, i), "_class");
      for (guint k = 0; value != NULL && value->kind == SLUICE_ATTR_LIST && k < value->list.n; k++)
        {
          const SluiceAttrValue *item = &value->list.items[k];
          g_autofree char *text =
              item->kind == SLUICE_ATTR_STRING ? g_strndup (item->s.data, item->s.length) : NULL;
          n += text != NULL && g_str_has_prefix (text, "loc:@")
               && sluice_graph_find (graph, text + strlen ("loc:@")) == NULL;
        }
    }
  return n;
}

static void
follower_init (Follower *self, SluiceGraph *graph)
{
  self->graph = graph;
  self->n_lost = count_lost (graph);
  self->order = g_ptr_array_new ();
  self->digests = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      SluiceNode *node = sluice_graph_get_node (graph, i);
      g_ptr_array_add (self->order, node);
      g_hash_table_insert (self->digests, node, digest (node));
    }
  sluice_graph_follow (graph, follow_cb, self);
}

static void
follower_clear (Follower *self)
{
  g_ptr_array_unref (self->order);
  g_hash_table_unref (self->digests);
}

static guint
count_uses (SluiceGraph *graph, const SluiceNode *node)
{
  guint n;
  const SluiceUse *uses = sluice_graph_get_uses (graph, node, &n);
  for (guint i = 0; i < n; i++)
    if (uses[i].input >= 0)
      {
        SluiceEdge edge = uses[i].node->inputs[uses[i].input];
        g_assert_true (edge.node == node && edge.port == uses[i].port);
      }
  return n;
}

/* The graph holds together, and the follower has the same. */
static void
check (Follower *self)
{
  guint n = sluice_graph_get_n_nodes (self->graph), n_uses = 0, n_edges = 0, n_notes = 0;
  g_assert_cmpuint (self->order->len, ==, n);
  g_assert_cmpuint (g_hash_table_size (self->digests), ==, n);
  for (guint i = 0; i < n; i++)
    {
      SluiceNode *node = sluice_graph_get_node (self->graph, i);
      g_autofree char *now = digest (node);
      g_assert_true (self->order->pdata[i] == node && node->graph == self->graph);
      g_assert_cmpuint (node->id, ==, i + 1);
      g_assert_true (sluice_graph_find (self->graph, node->name) == node);
      g_assert_cmpstr (now, ==, g_hash_table_lookup (self->digests, node));
      n_uses += count_uses (self->graph, node);
      for (guint k = 0; k < node->n_inputs; k++)
        n_edges += node->inputs[k].node != NULL;
      n_edges += node->n_control_inputs;
      n_notes += sluice_node_get_attr (node, "_note") != NULL;
    }
  g_assert_cmpuint (sluice_graph_count_marked (self->graph, "_note"), ==, n_notes);
  g_assert_cmpuint (n_uses, ==, n_edges);
  g_assert_cmpuint (count_lost (self->graph), <=, self->n_lost);
}

static GBytes *
dup_bytes (SluiceGraph *graph)
{
  g_autoptr (GError) error = NULL;
  GBytes *bytes = sluice_graph_export (graph, SLUICE_EXPORT_BINARY, &error);
  g_assert_no_error (error);
  return bytes;
}

static gboolean
shapes_agree (const SluiceShape *a, const SluiceShape *b, gboolean exactly)
{
  if (exactly || sluice_shape_equal (a, b))
    return sluice_shape_equal (a, b);
  if (a->rank < 0 || b->rank < 0)
    return TRUE;
  for (int i = 0; i < a->rank && a->rank == b->rank; i++)
    if (a->dim[i] >= 0 && b->dim[i] >= 0 && a->dim[i] != b->dim[i])
      return FALSE;
  return a->rank == b->rank;
}

static gboolean
nodes_agree (const SluiceNode *a, const SluiceNode *b, gboolean exactly)
{
  if (a->n_outputs != b->n_outputs
      || (exactly
          && ((a->error == NULL) != (b->error == NULL)
              || (a->error != NULL && a->error->code != b->error->code))))
    return FALSE;
  for (guint i = 0; i < a->n_outputs; i++)
    if (a->outputs[i].dtype != b->outputs[i].dtype
        || !shapes_agree (&a->outputs[i].shape, &b->outputs[i].shape, exactly)
        || !shapes_agree (&a->outputs[i].handle_shape, &b->outputs[i].handle_shape, exactly))
      return FALSE;
  return TRUE;
}

static gboolean
has_loops (SluiceGraph *graph)
{
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    if (sluice_node_get_role (sluice_graph_get_node (graph, i)) == SLUICE_ROLE_ENTER)
      return TRUE;
  return FALSE;
}

/* Of several writers of one array the first that is found tells the shape: which that is depends on
 * the order of edges, which a file does not keep. */
static gboolean
looks_afar (SluiceGraph *graph)
{
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      const SluiceNode *node = sluice_graph_get_node (graph, i);
      if (node->op != NULL && (node->op->def->flags & SLUICE_OP_LOOKS_AFAR))
        return TRUE;
    }
  return FALSE;
}

/* Shapes behind changes are those that the whole graph has when it is read anew. What widens in
 * loops depends on the order in which they are looked at, so with these it must not contradict. */
static void
check_shapes (SluiceGraph *graph, const char *path)
{
  g_autoptr (GBytes) bytes = dup_bytes (graph);
  g_autoptr (SluiceGraph) again = sluice_graph_new ();
  g_autoptr (GError) error = NULL;
  sluice_graph_import (again, bytes, &error);
  g_assert_no_error (error);
  gboolean exactly = !has_loops (graph);
  if (!exactly && looks_afar (graph))
    return;
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      SluiceNode *a = sluice_graph_get_node (graph, i), *b = sluice_graph_get_node (again, i);
      if (nodes_agree (a, b, exactly))
        continue;
      g_autofree char *is = digest (a), *want = digest (b);
      g_test_message ("%s: has %s, read anew %s", path, is, want);
      g_test_fail ();
      return;
    }
}

/* ---- a graph ---- */

static void
apply_all (GPtrArray *edits, gboolean undo)
{
  g_autoptr (GError) error = NULL;
  for (guint i = 0; i < edits->len; i++)
    {
      sluice_edit_apply (edits->pdata[undo ? edits->len - 1 - i : i], &error);
      g_assert_no_error (error);
    }
}

static void
assert_bytes (SluiceGraph *graph, GBytes *expected)
{
  g_autoptr (GBytes) bytes = dup_bytes (graph);
  g_assert_true (g_bytes_equal (bytes, expected));
}

static void
test_file (gconstpointer data)
{
  const char *path = data, *more = g_getenv ("SLUICE_EDIT_TRANSACTIONS");
  guint n = more != NULL ? (guint) g_ascii_strtoull (more, NULL, 10) : N_TRANSACTIONS, refused = 0;
  g_autoptr (SluiceGraph) graph = sluice_graph_load_file (path, NULL);
  g_autoptr (GPtrArray) edits = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_edit_free);
  if (graph == NULL || sluice_graph_get_n_nodes (graph) < 4)
    return;
  Follower follower;
  follower_init (&follower, graph);
  g_autoptr (GBytes) before = dup_bytes (graph);
  for (guint i = 0; i < n; i++)
    {
      SluiceEdit *edit = random_edit (graph);
      refused += edit == NULL;
      if (edit != NULL)
        g_ptr_array_add (edits, edit);
      if (g_getenv ("SLUICE_EDIT_CHECK") != NULL)
        {
          check_shapes (graph, path);
          if (g_test_failed ())
            g_error ("transaction %u", i);
        }
      if (i % (n / 4 + 1) == 0)
        check (&follower);
    }
  check (&follower);
  check_shapes (graph, path);
  g_test_message ("%s: %u transactions, %u refused", path, n, refused);
  g_autoptr (GBytes) after = dup_bytes (graph);
  apply_all (edits, TRUE);
  check (&follower);
  assert_bytes (graph, before);
  check_shapes (graph, path);
  apply_all (edits, FALSE);
  check (&follower);
  assert_bytes (graph, after);
  apply_all (edits, TRUE);
  assert_bytes (graph, before);
  follower_clear (&follower);
}

static void
add_file (const char *path)
{
  g_autofree char *base = g_path_get_basename (path);
  g_autofree char *name = g_strdup_printf ("/edit-random/%s", base);
  g_test_add_data_func_full (name, g_strdup (path), test_file, g_free);
}

static void
add_folder (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *entry;
  while (dir != NULL && (entry = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, entry, NULL);
      if (g_str_has_suffix (entry, ".pb.gz"))
        add_file (path);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
  const char *graphs = g_getenv ("SLUICE_EDIT_GRAPHS");
  if (graphs != NULL)
    {
      g_auto (GStrv) paths = g_strsplit (graphs, ":", 0);
      for (char **path = paths; *path != NULL; path++)
        add_file (*path);
      return g_test_run ();
    }
  g_autofree char *folder =
      g_build_filename (g_getenv ("SLUICE_SOURCE_DIR"), "tests", "conformance", "graphs", NULL);
  add_folder (folder);
  return g_test_run ();
}

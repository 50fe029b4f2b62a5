/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "tests/engine/graph/edit-fixture.h"

#include <string.h>

#include "engine/base/error.h"
#include "engine/graph/graphdef.h"

static int
compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* "+name@index -name@index name:what", changes by name, then a line break. */
static void
follow_cb (SluiceGraph *graph, const SluiceGraphDelta *delta, gpointer data)
{
  Fixture *f = data;
  g_autoptr (GPtrArray) changed = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < delta->n_removed; i++)
    g_string_append_printf (f->heard, "-%s@%u ", delta->removed[i].node->name,
                            delta->removed[i].index);
  for (guint i = 0; i < delta->n_added; i++)
    {
      g_assert_true (sluice_graph_get_node (graph, delta->added[i].index) == delta->added[i].node);
      g_string_append_printf (f->heard, "+%s@%u ", delta->added[i].node->name,
                              delta->added[i].index);
    }
  for (guint i = 0; i < delta->n_changed; i++)
    g_ptr_array_add (
        changed, g_strdup_printf ("%s:%x ", delta->changed[i].node->name, delta->changed[i].what));
  g_ptr_array_sort (changed, compare_texts);
  for (guint i = 0; i < changed->len; i++)
    g_string_append (f->heard, changed->pdata[i]);
  g_string_append_c (f->heard, '\n');
}

void
edit_set_up (Fixture *f, gconstpointer data)
{
  f->graph = sluice_graph_new ();
  f->heard = g_string_new (NULL);
  sluice_builder_init (&f->b, f->graph, NULL);
}

void
edit_tear_down (Fixture *f, gconstpointer data)
{
  g_clear_error (&f->b.error);
  sluice_graph_unref (f->graph);
  g_string_free (f->heard, TRUE);
}

void
edit_follow (Fixture *f)
{
  f->follower = sluice_graph_follow (f->graph, follow_cb, f);
}

void
edit_assert_heard (Fixture *f, const char *expected)
{
  g_assert_cmpstr (f->heard->str, ==, expected);
  g_string_truncate (f->heard, 0);
}

SluiceNode *
edit_node (Fixture *f, const char *name)
{
  SluiceNode *found = sluice_graph_find (f->graph, name);
  g_assert_nonnull (found);
  return found;
}

SluiceEdge
edit_edge (Fixture *f, const char *name)
{
  SluiceEdge found = SLUICE_NO_EDGE;
  g_assert_true (sluice_graph_parse_edge (f->graph, name, &found, NULL));
  return found;
}

SluiceEdge
edit_placeholder (Fixture *f, const char *name, SluiceDType dtype, SluiceShape shape)
{
  SluiceAttr attrs[] = { sluice_attr_type ("dtype", dtype), sluice_attr_shape ("shape", &shape) };
  SluiceEdge made = sluice_builder_add (&f->b, "Placeholder", name, NULL, 0, attrs, 2);
  g_assert_no_error (f->b.error);
  return made;
}

SluiceEdge
edit_add (Fixture *f, const char *op, const char *name, SluiceEdge a, SluiceEdge b)
{
  SluiceEdge made =
      sluice_builder_add (&f->b, op, name, (SluiceEdge[]){ a, b }, b.node != NULL ? 2 : 1, NULL, 0);
  g_assert_no_error (f->b.error);
  return made;
}

GBytes *
edit_dup_bytes (SluiceGraph *graph)
{
  GBytes *bytes = sluice_graph_export (graph, SLUICE_EXPORT_BINARY, NULL);
  g_assert_nonnull (bytes);
  return bytes;
}

char *
edit_dup_text (SluiceGraph *graph)
{
  g_autoptr (GBytes) bytes = sluice_graph_export (graph, SLUICE_EXPORT_TEXT, NULL);
  gsize length;
  const char *text = g_bytes_get_data (bytes, &length);
  return g_strndup (text, length);
}

void
edit_assert_bytes (SluiceGraph *graph, GBytes *expected)
{
  g_autoptr (GBytes) bytes = edit_dup_bytes (graph);
  if (g_bytes_equal (bytes, expected))
    return;
  g_autoptr (SluiceGraph) other = sluice_graph_new ();
  g_assert_true (sluice_graph_import (other, expected, NULL));
  g_autofree char *is = edit_dup_text (graph), *was = edit_dup_text (other);
  g_error ("is\n%s\ninstead of\n%s", is, was);
}

SluiceEdit *
edit_commit (Fixture *f)
{
  g_autoptr (GError) error = NULL;
  SluiceEdit *edit = sluice_edit_commit (f->graph, &error);
  g_assert_no_error (error);
  return edit;
}

/* Undoes and redoes, with the bytes that must come out, and is done again at the end. */
void
edit_assert_inverse (Fixture *f, SluiceEdit *edit, GBytes *before)
{
  g_autoptr (GBytes) after = edit_dup_bytes (f->graph);
  g_autoptr (GError) error = NULL;
  for (guint i = 0; i < 2; i++)
    {
      g_assert_true (sluice_edit_apply (edit, &error));
      edit_assert_bytes (f->graph, before);
      g_assert_true (sluice_edit_apply (edit, &error));
      edit_assert_bytes (f->graph, after);
    }
}

void
edit_assert_words (GError **error, int code, const char *const *words)
{
  g_assert_error (*error, SLUICE_ERROR, code);
  for (; *words != NULL; words++)
    if (strstr ((*error)->message, *words) == NULL)
      g_error ("'%s' is not in: %s", *words, (*error)->message);
  g_clear_error (error);
}

/* The open transaction is refused, and nothing has happened. */
void
edit_assert_refused (Fixture *f, GBytes *before, const char *const *words)
{
  g_autoptr (GError) error = NULL;
  guint64 version = sluice_graph_get_version (f->graph);
  g_assert_null (sluice_edit_commit (f->graph, &error));
  edit_assert_words (&error, SLUICE_ERROR_INVALID_ARGUMENT, words);
  edit_assert_bytes (f->graph, before);
  g_assert_cmpuint (sluice_graph_get_version (f->graph), >=, version);
  edit_assert_heard (f, "");
}

/* x [2,4] -> a -> b -> c, and y beside it. */
void
edit_make_chain (Fixture *f)
{
  SluiceEdge x = edit_placeholder (f, "x", SLUICE_FLOAT, SLUICE_SHAPE (2, 4));
  edit_placeholder (f, "y", SLUICE_FLOAT, SLUICE_SHAPE (2, 4));
  edit_placeholder (f, "z", SLUICE_FLOAT, SLUICE_SHAPE (3, 4));
  SluiceEdge a = edit_add (f, "Relu", "s/a", x, SLUICE_NO_EDGE);
  SluiceEdge b = edit_add (f, "Neg", "s/b", a, SLUICE_NO_EDGE);
  edit_add (f, "AddV2", "c", b, a);
  edit_follow (f);
}

void
edit_assert_shape (SluiceEdge found, const char *expected)
{
  char text[SLUICE_SHAPE_STR];
  g_assert_cmpstr (sluice_shape_str (sluice_edge_shape (found), text), ==, expected);
}

static const char meta_text[] =
    "meta_info_def { tags: \"train\" }\n"
    "graph_def {\n"
    "  node { name: \"v\" op: \"VariableV2\" attr { key: \"dtype\" value { type: DT_FLOAT } }\n"
    "    attr { key: \"shape\" value { shape { dim { size: 2 } } } } }\n"
    "  node { name: \"v/i\" op: \"Placeholder\" attr { key: \"dtype\" value { type: DT_FLOAT } } "
    "}\n"
    "  node { name: \"v/Assign\" op: \"Assign\" input: \"v\" input: \"v/i\"\n"
    "    attr { key: \"T\" value { type: DT_FLOAT } }\n"
    "    attr { key: \"_class\" value { list { s: \"loc:@v\" s: \"other\" } } } }\n"
    "  node { name: \"v/read\" op: \"Identity\" input: \"v\"\n"
    "    attr { key: \"T\" value { type: DT_FLOAT } }\n"
    "    attr { key: \"_class\" value { list { s: \"loc:@v\" } } } }\n"
    "  node { name: \"vv\" op: \"Neg\" input: \"v/read\" attr { key: \"T\" value { type: DT_FLOAT "
    "} } }\n"
    "  node { name: \"train\" op: \"NoOp\" input: \"^vv\" input: \"^v/Assign\" }\n"
    "}\n"
    "saver_def { filename_tensor_name: \"v/i:0\" save_tensor_name: \"vv:0\"\n"
    "  restore_op_name: \"train\" }\n"
    "collection_def { key: \"train_op\" value { node_list { value: \"train\" value: \"v:0\" } } }\n"
    "collection_def { key: \"trainable_variables\" value { bytes_list {\n"
    "  value: \"\\n\\003v:0\\022\\010v/Assign\\032\\010v/read:02\\005v/i:0\" } } }\n"
    "collection_def { key: \"queue_runners\" value { bytes_list {\n"
    "  value: \"\\n\\001v\\022\\010v/Assign\\022\\002vv\" } } }\n"
    "signature_def { key: \"s\" value {\n"
    "  inputs { key: \"v\" value { name: \"v/read:0\" dtype: DT_FLOAT } }\n"
    "  outputs { key: \"out\" value { name: \"vv:0\" dtype: DT_FLOAT } } } }\n";

void
edit_load_meta (Fixture *f)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = g_bytes_new_static (meta_text, strlen (meta_text));
  sluice_graph_import (f->graph, bytes, &error);
  g_assert_no_error (error);
  edit_follow (f);
}

/* while L2Loss (x) < limit: x = Exp (x) */
void
edit_make_loop (Fixture *f)
{
  const SluiceAttr frame = sluice_attr_string ("frame_name", "loop");
  SluiceEdge x = edit_placeholder (f, "x", SLUICE_FLOAT, SLUICE_SHAPE (2));
  edit_placeholder (f, "x3", SLUICE_FLOAT, SLUICE_SHAPE (3));
  SluiceEdge limit = edit_placeholder (f, "limit", SLUICE_FLOAT, SLUICE_SHAPE_SCALAR);
  SluiceEdge enter = sluice_builder_add (&f->b, "Enter", "enter", &x, 1, &frame, 1);
  SluiceAttr constant[] = { frame, sluice_attr_bool ("is_constant", TRUE) };
  SluiceEdge limit_in = sluice_builder_add (&f->b, "Enter", "limit_in", &limit, 1, constant, 2);
  SluiceEdge merge = edit_add (f, "Merge", "merge", enter, enter);
  SluiceEdge sum = edit_add (f, "L2Loss", "sum", merge, SLUICE_NO_EDGE);
  SluiceEdge less = edit_add (f, "Less", "less", sum, limit_in);
  SluiceEdge cond = edit_add (f, "LoopCond", "cond", less, SLUICE_NO_EDGE);
  SluiceEdge branch = edit_add (f, "Switch", "switch", merge, cond);
  SluiceEdge body = edit_add (f, "Exp", "body", sluice_edge_port (branch, 1), SLUICE_NO_EDGE);
  SluiceEdge next = edit_add (f, "NextIteration", "next", body, SLUICE_NO_EDGE);
  g_assert_true (sluice_graph_set_input (f->graph, merge.node, 1, next, NULL));
  SluiceEdge out = edit_add (f, "Exit", "exit", branch, SLUICE_NO_EDGE);
  edit_add (f, "Neg", "after", out, SLUICE_NO_EDGE);
  edit_follow (f);
}

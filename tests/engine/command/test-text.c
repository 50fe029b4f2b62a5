/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The command `text`, and edits of the text by hand, which become it: the graph is what the text
 * read anew would be, undo gives the graph that was there, the journal does it again. */
#include <string.h>

#include "engine/base/error.h"
#include "engine/command/stack.h"
#include "engine/graph/graphdef.h"
#include "engine/passes/passes.h"
#include "kernels/registry.h"
#include "tests/engine/graph/text-mirror.h"

#define N_EDITS 60

typedef struct
{
  SluiceGraph *graph;
  SluiceCommandStack *stack;
  SluiceGraphText *map; /* (nullable) */
  GString *mirror;      /* (nullable) */
  GBytes *origin;       /* (nullable): the graph as it was opened */
} Fixture;

static void
run (Fixture *f, const char *script)
{
  g_autoptr (GError) error = NULL;
  sluice_command_stack_run (f->stack, script, FALSE, NULL, NULL, &error);
  g_assert_no_error (error);
}

static const char model[] = "add Placeholder x dtype=DT_FLOAT shape=[?,2]\n"
                            "add Const s/w value=[[1.0],[2.0]]\n"
                            "add MatMul y x s/w\n"
                            "add Relu r y\n"
                            "add Neg n r\n"
                            "add NoOp done ^n\n";

static void
open_text (Fixture *f, const char *text)
{
  f->stack = sluice_command_stack_new (f->graph);
  f->origin = sluice_graph_export (f->graph, SLUICE_EXPORT_BINARY, NULL);
  f->map = sluice_graph_text_new (f->graph, text);
  f->mirror = text_mirror_new (f->map);
  text_mirror_check (f->mirror, f->map, f->graph);
}

static void
set_up (Fixture *f, gconstpointer data)
{
  f->graph = sluice_graph_new ();
  f->stack = sluice_command_stack_new (f->graph);
  run (f, model);
  sluice_command_stack_free (f->stack);
  open_text (f, NULL);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  sluice_graph_text_free (f->map);
  sluice_command_stack_free (f->stack);
  sluice_graph_unref (f->graph);
  g_bytes_unref (f->origin);
  g_string_free (f->mirror, TRUE);
}

static void
assert_bytes (SluiceGraph *graph, GBytes *wanted)
{
  g_autoptr (GBytes) bytes = sluice_graph_export (graph, SLUICE_EXPORT_BINARY, NULL);
  g_assert_true (g_bytes_equal (bytes, wanted));
}

/* What was done does the same to the same graph again, and undone leaves it as it was. */
static void
check_journal (Fixture *f)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  sluice_graph_import (graph, f->origin, &error);
  g_assert_no_error (error);
  g_autoptr (SluiceCommandStack) stack = sluice_command_stack_new (graph);
  sluice_command_stack_run (stack, sluice_command_stack_get_journal (f->stack), FALSE, NULL, NULL,
                            &error);
  g_assert_no_error (error);
  g_autoptr (GBytes) bytes = sluice_graph_export (f->graph, SLUICE_EXPORT_BINARY, NULL);
  assert_bytes (graph, bytes);
  sluice_command_stack_undo (f->stack, sluice_command_stack_get_n_undo (f->stack), &error);
  g_assert_no_error (error);
  assert_bytes (f->graph, f->origin);
  text_mirror_check (f->mirror, f->map, f->graph);
}

/* ---- an editor ---- */

static guint
count_lines (const char *text)
{
  guint n = 0;
  for (const char *at = text; (at = strchr (at, '\n')) != NULL; at++)
    n++;
  return n;
}

static const char *
find_line (const char *text, guint line)
{
  for (; line > 0; line--)
    text = strchr (text, '\n') + 1;
  return text;
}

/* Whole lines that both have at the beginning, and at the end. */
static void
compare_lines (const char *old, const char *now, guint *n_before, guint *n_behind)
{
  g_auto (GStrv) a = g_strsplit (old, "\n", -1), b = g_strsplit (now, "\n", -1);
  guint n = g_strv_length (a), m = g_strv_length (b), i = 0, k = 0;
  while (i < MIN (n, m) && g_str_equal (a[i], b[i]))
    i++;
  while (k < MIN (n, m) - i && g_str_equal (a[n - 1 - k], b[m - 1 - k]))
    k++;
  *n_before = i;
  *n_behind = k;
}

/* The text is another one now, as a person made it. FALSE: it, or what follows from it, is
 * refused; then the old one is there again. */
static gboolean
edit (Fixture *f, const char *now, GError **error)
{
  guint n_before, n_behind;
  g_autofree char *old = g_strdup (f->mirror->str);
  if (g_str_equal (old, now))
    return TRUE;
  compare_lines (old, now, &n_before, &n_behind);
  sluice_graph_text_widen (f->map, &n_before, &n_behind);
  const char *begin = find_line (now, n_before);
  const char *end =
      n_behind > 0 ? find_line (now, count_lines (now) + 1 - n_behind) : now + strlen (now);
  g_autofree char *part = g_strndup (begin, (gsize) (end - begin));
  g_auto (SluiceTextChange) change = { 0 };
  if (!sluice_graph_text_propose (f->map, n_before, n_behind, part, &change, error))
    return FALSE;
  g_autofree char *line = sluice_command_dup_text_line (&change, NULL);
  if (line != NULL && !sluice_command_stack_do (f->stack, line, NULL, error))
    return FALSE;
  g_string_assign (f->mirror, now);
  sluice_graph_text_accept (f->map);
  return TRUE;
}

static gboolean
replace (Fixture *f, const char *what, const char *by, GError **error)
{
  g_autoptr (GString) now = g_string_new (f->mirror->str);
  g_assert_cmpuint (g_string_replace (now, what, by, 1), ==, 1);
  return edit (f, now->str, error);
}

static void
must_replace (Fixture *f, const char *what, const char *by)
{
  g_autoptr (GError) error = NULL;
  replace (f, what, by, &error);
  g_assert_no_error (error);
  text_mirror_check (f->mirror, f->map, f->graph);
}

/* ---- each kind of edit ---- */

static void
test_attribute (Fixture *f, gconstpointer data)
{
  must_replace (f, "op: \"MatMul\"",
                "op: \"MatMul\" # times\n  attr { key: 'transpose_a' value { b: false } }");
  g_assert_cmpuint (sluice_command_stack_get_n_undo (f->stack), ==, 0); /* says nothing new */
  must_replace (f, "b: false", "b: true");
  g_autofree char *words = sluice_command_stack_dup_undo_words (f->stack);
  g_assert_cmpstr (words, ==, "edit y as text");
  g_assert_true (sluice_node_get_bool (sluice_graph_find (f->graph, "y"), "transpose_a"));
  g_assert_nonnull (strstr (f->mirror->str, "# times\n"));
  check_journal (f);
  g_assert_nonnull (strstr (f->mirror->str, "# times\n"));
}

static void
assert_last (Fixture *f, const char *words, const char *line)
{
  g_autofree char *undo = sluice_command_stack_dup_undo_words (f->stack);
  g_autofree char *ending = g_strdup_printf ("\n%s\n", line);
  g_autofree char *journal = g_strconcat ("\n", sluice_command_stack_get_journal (f->stack), NULL);
  g_assert_cmpstr (undo, ==, words);
  if (!g_str_has_suffix (journal, ending))
    g_error ("the last line is not '%s': %s", line, journal);
}

/* All that stands between two lines of the text is another one now. */
static void
must_become (Fixture *f, const char *now)
{
  g_autoptr (GError) error = NULL;
  edit (f, now, &error);
  g_assert_no_error (error);
  text_mirror_check (f->mirror, f->map, f->graph);
}

static void
must_replace_all (Fixture *f, const char *const *pairs)
{
  g_autoptr (GString) now = g_string_new (f->mirror->str);
  for (guint i = 0; pairs[i] != NULL; i += 2)
    g_assert_cmpuint (g_string_replace (now, pairs[i], pairs[i + 1], 0), >, 0);
  must_become (f, now->str);
}

/* Who reads a node that gets another name reads it still, and it is the node that it was. */
static void
test_rename (Fixture *f, gconstpointer data)
{
  const SluiceNode *node = sluice_graph_find (f->graph, "y");
  must_replace (f, "name: \"y\"", "name: \"scope/z\"");
  assert_last (f, "rename y to scope/z", "rename y scope/z");
  g_assert_cmpuint (sluice_command_stack_get_n_undo (f->stack), ==, 1);
  g_assert_true (sluice_graph_find (f->graph, "scope/z") == node);
  g_assert_nonnull (strstr (f->mirror->str, "op: \"Relu\"\n  input: \"scope/z\""));
  g_assert_nonnull (sluice_graph_find (f->graph, "scope/z"));
  check_journal (f);
  g_assert_nonnull (strstr (f->mirror->str, "op: \"Relu\"\n  input: \"y\""));
}

/* Who reads it may have been changed by hand as well, before it or with it. */
static void
test_rename_readers (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  static const char *const both[] = { "name: \"y\"", "name: \"z\"", "input: \"y\"", "input: \"z\"",
                                      NULL };
  g_assert_false (replace (f, "input: \"y\"", "input: \"z\"", &error));
  g_assert_nonnull (strstr (error->message, "there is no node 'z'"));
  must_replace_all (f, both);
  assert_last (f, "rename y to z", "rename y z");
  /* A reader that is changed otherwise says the old name still. */
  static const char *const more[] = { "name: \"z\"", "name: \"a\"", "input: \"z\"",
                                      "device: \"/cpu:0\"\n  input: \"z\"", NULL };
  must_replace_all (f, more);
  g_autofree char *words = sluice_command_stack_dup_undo_words (f->stack);
  g_assert_cmpstr (words, ==, "edit 2 nodes as text");
  const SluiceNode *reader = sluice_graph_find (f->graph, "r");
  g_assert_cmpstr (reader->inputs[0].node->name, ==, "a");
  g_assert_cmpstr (reader->device, ==, "/cpu:0");
  check_journal (f);
}

/* The name and something else of the node, in one go. */
static void
test_rename_more (Fixture *f, gconstpointer data)
{
  const SluiceNode *node = sluice_graph_find (f->graph, "y");
  must_replace (f, "name: \"y\"\n  op: \"MatMul\"",
                "name: \"z\"\n  op: \"MatMul\" # times\n  device: \"/cpu:0\"");
  g_assert_true (sluice_graph_find (f->graph, "z") == node);
  g_assert_cmpstr (node->device, ==, "/cpu:0");
  g_assert_nonnull (strstr (sluice_command_stack_get_journal (f->stack), "\"rename y z\""));
  g_assert_nonnull (strstr (f->mirror->str, "# times\n"));
  g_assert_cmpuint (sluice_command_stack_get_n_undo (f->stack), ==, 1);
  check_journal (f);
}

/* All of a scope is the scope; some of it are these nodes. */
static void
test_rename_scope (Fixture *f, gconstpointer data)
{
  run (f, "group layer y r\ngroup outer layer");
  text_mirror_check (f->mirror, f->map, f->graph);
  must_replace_all (f, (const char *const[]){ "outer/layer", "outer/other", NULL });
  assert_last (f, "rename outer/layer to outer/other", "rename outer/layer outer/other");
  must_replace_all (f, (const char *const[]){ "outer/other", "top/other", NULL });
  assert_last (f, "rename outer to top", "rename outer top");
  must_replace (f, "name: \"top/other/y\"", "name: \"top/one/y\"");
  assert_last (f, "rename top/other/y to top/one/y", "rename top/other/y top/one/y");
  must_replace (f, "name: \"top/other/r\"", "name: \"top/one/r\""); /* the last of it */
  assert_last (f, "rename top/other to top/one", "rename top/other top/one");
  must_replace_all (f, (const char *const[]){ "top/one/y", "a", "top/one/r", "b", NULL });
  g_autofree char *words = sluice_command_stack_dup_undo_words (f->stack);
  g_assert_cmpstr (words, ==, "rename top/one/y to a and 1 more");
  check_journal (f);
}

/* A node that others stand below: they are called as before. */
static void
test_rename_alone (Fixture *f, gconstpointer data)
{
  run (f, "rename r y/below");
  text_mirror_check (f->mirror, f->map, f->graph);
  must_replace (f, "name: \"y\"", "name: \"z\"");
  g_assert_nonnull (sluice_graph_find (f->graph, "z"));
  g_assert_cmpstr (sluice_graph_find (f->graph, "y/below")->inputs[0].node->name, ==, "z");
  check_journal (f);
}

/* What is named in attributes follows, typed there or not. */
static void
test_rename_named (Fixture *f, gconstpointer data)
{
  run (f, "colocate r y\nmute r");
  text_mirror_check (f->mirror, f->map, f->graph);
  must_replace_all (
      f, (const char *const[]){ "name: \"y\"", "name: \"z\"", "loc:@y", "loc:@z", NULL });
  assert_last (f, "rename y to z", "rename y z");
  must_replace (f, "name: \"n\"", "name: \"m\"");
  assert_last (f, "rename n to m", "rename n m");
  run (f, "unmute r");
  g_assert_cmpstr (sluice_graph_find (f->graph, "m")->inputs[0].node->name, ==, "r");
  text_mirror_check (f->mirror, f->map, f->graph);
  check_journal (f);
}

/* Another op where it stood is another node. */
static void
test_no_rename (Fixture *f, gconstpointer data)
{
  must_replace_all (f, (const char *const[]){ "name: \"r\"\n  op: \"Relu\"",
                                              "name: \"t\"\n  op: \"Tanh\"", "input: \"r\"",
                                              "input: \"t\"", NULL });
  g_assert_null (strstr (sluice_command_stack_get_journal (f->stack), "rename"));
  g_assert_cmpstr (sluice_graph_find (f->graph, "t")->op_name, ==, "Tanh");
  check_journal (f);
}

static void
test_add (Fixture *f, gconstpointer data)
{
  must_replace (f, "node {\n  name: \"r\"",
                "# Squares.\nnode { name: \"sq\" op: \"Square\" input: \"later\" }\n"
                "node { name: \"later\" op: \"Neg\" input: \"x\" }\nnode {\n  name: \"r\"");
  const SluiceNode *node = sluice_graph_find (f->graph, "sq");
  g_assert_cmpint (node->outputs[0].dtype, ==, SLUICE_FLOAT);
  g_autofree char *words = sluice_command_stack_dup_undo_words (f->stack);
  g_assert_cmpstr (words, ==, "edit 2 nodes as text");
  g_assert_nonnull (strstr (f->mirror->str, "# Squares.\nnode { name: \"sq\" op: \"Square\" "
                                            "input: \"later\" attr { key: \"T\""));
  run (f, "undo");
  text_mirror_check (f->mirror, f->map, f->graph);
  g_assert_null (strstr (f->mirror->str, "Square\""));
  run (f, "redo");
  text_mirror_check (f->mirror, f->map, f->graph);
  g_assert_nonnull (strstr (f->mirror->str, "# Squares.\nnode { name: \"sq\" op: \"Square\""));
  check_journal (f);
}

static void
test_remove (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  const char *begin = strstr (f->mirror->str, "node {\n  name: \"n\"");
  const char *end = strstr (begin, "}\nnode") + 2;
  g_autofree char *block = g_strndup (begin, (gsize) (end - begin));
  g_assert_false (replace (f, block, "", &error));
  SluiceErrorPlace place = sluice_error_get_place (error);
  g_assert_cmpstr (place.node, ==, "done");
  g_assert_nonnull (strstr (error->message, "waits for 'n', which is gone"));
  text_mirror_check (f->mirror, f->map, f->graph);
  g_autofree char *both =
      g_strconcat (block, "node {\n  name: \"done\"\n  op: \"NoOp\"\n  input: \"^n\"\n}\n", NULL);
  must_replace (f, both, "# gone\n");
  g_assert_null (sluice_graph_find (f->graph, "n"));
  check_journal (f);
}

/* Another op under the same name, read as before. */
static void
test_op (Fixture *f, gconstpointer data)
{
  must_replace (f, "op: \"Relu\"", "op: \"Tanh\"");
  const SluiceNode *node = sluice_graph_find (f->graph, "r");
  g_assert_cmpstr (node->op_name, ==, "Tanh");
  g_assert_true (sluice_graph_find (f->graph, "n")->inputs[0].node == node);
  check_journal (f);
}

/* Blocks may stand in any order, and so they stay. */
static void
test_order (Fixture *f, gconstpointer data)
{
  const char *begin = strstr (f->mirror->str, "node {\n  name: \"x\"");
  const char *end = strstr (begin, "}\nnode") + 2;
  g_autofree char *block = g_strndup (begin, (gsize) (end - begin));
  g_autofree char *now = g_strdup_printf ("%.*s# first\n%s%s", (int) (begin - f->mirror->str),
                                          f->mirror->str, end, block);
  g_autoptr (GError) error = NULL;
  edit (f, now, &error);
  g_assert_no_error (error);
  text_mirror_check (f->mirror, f->map, f->graph);
  g_assert_cmpstr (f->mirror->str, ==, now);
  g_assert_cmpuint (sluice_command_stack_get_n_undo (f->stack), ==, 0);
  run (f, "rename x in");
  text_mirror_check (f->mirror, f->map, f->graph);
  g_assert_true (g_str_has_prefix (f->mirror->str, "# first\nnode {\n  name: \"s/w\""));
  check_journal (f);
}

/* What is wrong is said with its place in the text, and nothing has changed. */
static void
test_refused (Fixture *f, gconstpointer data)
{
  static const struct
  {
    const char *what, *by, *line, *words;
  } cases[] = {
    { "op: \"Relu\"", "op: \"Relu", "\"Relu", "a string is not closed" },
    { "op: \"Relu\"", "op \"Relu\"", "\"Relu", "':' is expected after 'op'" },
    { "op: \"Relu\"", "ops: \"Relu\"", "ops", "did you mean 'op'" },
    { "op: \"Relu\"", "op: \"Rilu\"", "op:", "did you mean Relu" },
    { "op: \"Relu\"", "op: Relu", "Relu", "a quoted string is expected" },
    { "name: \"r\"\n", "name: \"r\"\n  name: \"t\"\n", "name: \"t", "given twice" },
    { "input: \"y\"", "input: \"yy\"", "input: \"yy", "there is no node 'yy'" },
    { "input: \"y\"", "input: \"y:1\"", "input: \"y:1", "has 1 output" },
    { "input: \"y\"", "input: \"n\"", NULL, "cycle" },
    { "name: \"r\"", "name: \"y\"", "name: \"y\"\n  op: \"Relu", "there is a node 'y' already" },
    { "name: \"r\"", "name: \"\"", NULL, "needs a name" },
    { "name: \"r\"", "name: \"a b\"", "name: \"a b", "'a b' is no name" },
    { "type: DT_FLOAT } }\n}\nnode {\n  name: \"r\"",
      "type: DT_INT32 } }\n}\nnode {\n  name: \"r\"", NULL, "int32" },
    { "node {\n  name: \"r\"", "nodes {\n  name: \"r\"", "nodes", "GraphDef has no field 'nodes'" },
    { "node {\n  name: \"r\"", "node \n  name: \"r\"", NULL, "is expected" },
    { "producer: ", "producer: 1", "versions", "only nodes are changed here" },
    { "op: \"Relu\"", "op: \"Relu\"\n  attr { key: \"Q\" value { i: 1 } }", "attr { key: \"Q\"",
      "has no attribute 'Q'" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GString) now = g_string_new (f->mirror->str);
      SluiceTextPlace place;
      g_string_replace (now, cases[i].what, cases[i].by, 1);
      g_test_message ("%s", cases[i].by);
      g_assert_false (edit (f, now->str, &error));
      const char *message = sluice_command_skip_names (error->message);
      if (strstr (message, cases[i].words) == NULL)
        g_error ("%s: %s", cases[i].by, message);
      text_mirror_check (f->mirror, f->map, f->graph);
      g_assert_cmpuint (sluice_command_stack_get_n_undo (f->stack), ==, 0);
      gboolean knows = error->message == message /* the proposal itself was refused */
                           ? sluice_text_split_error (message, &place) != NULL
                           : sluice_graph_text_locate (f->map, message,
                                                       sluice_error_get_place (error).node, &place);
      if (!knows)
        g_error ("no place: %s", error->message);
      const char *at = find_line (now->str, place.line) + place.byte;
      if (cases[i].line != NULL && !g_str_has_prefix (at, cases[i].line))
        g_error ("%s is said of %.20s", message, at);
    }
}

/* ---- edits by lot ---- */

static char *
nth_block (const char *text, guint i, gsize *at)
{
  const char *begin = text;
  for (begin = strstr (begin, "node {"); i > 0 && begin != NULL; i--)
    begin = strstr (begin + 1, "node {");
  const char *end = begin != NULL ? strstr (begin, "\n}\n") : NULL;
  if (end == NULL)
    return NULL;
  *at = (gsize) (begin - text);
  return g_strndup (begin, (gsize) (end + 3 - begin));
}

static void
change_line (GString *text)
{
  guint line = (guint) g_test_rand_int_range (0, (int) count_lines (text->str) + 1);
  const char *begin = find_line (text->str, line);
  gsize at = (gsize) (begin - text->str), length = strcspn (begin, "\n");
  static const char *const lines[] = {
    "# a comment\n", "\n", "  device: \"/cpu:0\"\n", "  input: \"x\"\n", "}\n", "node {\n", "  \"\n"
  };
  switch (g_test_rand_int_range (0, 4))
    {
    case 0:
      g_string_insert (text, (gssize) at, lines[g_test_rand_int_range (0, G_N_ELEMENTS (lines))]);
      break;
    case 1:
      g_string_erase (text, (gssize) at, (gssize) length);
      break;
    case 2:
      if (length > 0)
        g_string_erase (text, (gssize) (at + (gsize) g_test_rand_int_range (0, (int) length)), 1);
      break;
    default:
      g_string_insert_c (text, (gssize) (at + (gsize) g_test_rand_int_range (0, (int) length + 1)),
                         "a0 \"{}#:/"[g_test_rand_int_range (0, 9)]);
      break;
    }
}

static void
change_block (GString *text, guint n_nodes)
{
  gsize at = 0, to = 0;
  g_autofree char *block =
      nth_block (text->str, (guint) g_test_rand_int_range (0, (int) n_nodes), &at);
  g_autofree char *other =
      nth_block (text->str, (guint) g_test_rand_int_range (0, (int) n_nodes), &to);
  if (block == NULL || other == NULL)
    return;
  g_autofree char *copy = g_strdup (block);
  char *name = strstr (copy, "name: \"");
  switch (g_test_rand_int_range (0, 4))
    {
    case 0: /* under another name */
      if (name != NULL)
        name[strlen ("name: \"")] = (char) g_test_rand_int_range ('a', 'z');
      g_string_erase (text, (gssize) at, (gssize) strlen (block));
      g_string_insert (text, (gssize) at, copy);
      break;
    case 1: /* twice */
      if (name != NULL)
        name[strlen ("name: \"")] = (char) g_test_rand_int_range ('A', 'Z');
      g_string_insert (text, (gssize) to, copy);
      break;
    case 2:
      g_string_erase (text, (gssize) at, (gssize) strlen (block));
      break;
    default: /* elsewhere */
      g_string_insert (text, (gssize) to, block);
      g_string_erase (text, (gssize) (at >= to ? at + strlen (block) : at),
                      (gssize) strlen (block));
      break;
    }
}

static void
test_random (gconstpointer data)
{
  g_autofree char *file = g_strconcat (data, ".pb.gz", NULL);
  g_autofree char *path = g_build_filename (g_getenv ("SLUICE_SOURCE_DIR"), "tests", "conformance",
                                            "graphs", file, NULL);
  Fixture f = { .graph = sluice_graph_load_file (path, NULL) };
  g_assert_nonnull (f.graph);
  open_text (&f, NULL);
  guint n_taken = 0;
  for (guint i = 0; i < N_EDITS; i++)
    {
      g_autoptr (GString) text = g_string_new (f.mirror->str);
      for (int k = g_test_rand_int_range (1, 3); k > 0; k--)
        if (g_test_rand_bit ())
          change_line (text);
        else
          change_block (text, sluice_graph_get_n_nodes (f.graph) + 1);
      n_taken += edit (&f, text->str, NULL);
      if (g_test_rand_int_range (0, 8) == 0 && sluice_command_stack_get_n_undo (f.stack) > 0)
        run (&f, g_test_rand_bit () ? "undo" : "undo\nredo");
      text_mirror_check (f.mirror, f.map, f.graph);
    }
  g_test_message ("%u of %u taken, %u commands", n_taken, N_EDITS,
                  sluice_command_stack_get_n_undo (f.stack));
  check_journal (&f);
  tear_down (&f, NULL);
}

int
main (int argc, char **argv)
{
  static const char *const graphs[] = { "attention", "accumulators", "augment", "dev_colocate",
                                        "bad_dtype" };
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
#define ADD(name, func) g_test_add ("/command/text/" name, Fixture, NULL, set_up, func, tear_down)
  ADD ("attribute", test_attribute);
  ADD ("rename", test_rename);
  ADD ("rename-readers", test_rename_readers);
  ADD ("rename-more", test_rename_more);
  ADD ("rename-scope", test_rename_scope);
  ADD ("rename-alone", test_rename_alone);
  ADD ("rename-named", test_rename_named);
  ADD ("no-rename", test_no_rename);
  ADD ("add", test_add);
  ADD ("remove", test_remove);
  ADD ("op", test_op);
  ADD ("order", test_order);
  ADD ("refused", test_refused);
  for (guint i = 0; i < G_N_ELEMENTS (graphs); i++)
    {
      g_autofree char *name = g_strdup_printf ("/command/text/random/%s", graphs[i]);
      g_test_add_data_func (name, graphs[i], test_random);
    }
  return g_test_run ();
}

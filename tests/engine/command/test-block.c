/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Blocks: what was changed in one instance is done to all, and what each reads stays its own. */
#include <string.h>

#include "engine/base/error.h"
#include "engine/command/block.h"
#include "engine/graph/graphdef.h"
#include "tests/engine/command/fixture.h"

static const char model[] = "add Placeholder x dtype=DT_FLOAT shape=[?,6]\n"
                            "add Placeholder y dtype=DT_INT64 shape=[?]\n"
                            "layer dense body/fc input=x units=6 activation=relu\n"
                            "layer layer-norm body/ln input=body/fc/output\n"
                            "layer dense logits input=body/ln/output units=3\n"
                            "layer softmax-cross-entropy loss input=logits/output labels=y\n"
                            "block body body\n"
                            "instance body second body/out_0\n"
                            "connect second/out_0 logits/MatMul:0\n";

static void
assert_op (Fixture *f, const char *name, const char *op)
{
  const SluiceNode *node = sluice_graph_find (f->graph, name);
  g_assert_nonnull (node);
  g_assert_cmpstr (node->op_name, ==, op);
}

static void
assert_reads (Fixture *f, const char *name, const char *what)
{
  const SluiceNode *node = sluice_graph_find (f->graph, name);
  g_assert_nonnull (node);
  g_assert_cmpstr (node->inputs[0].node->name, ==, what);
}

static void
assert_wired (Fixture *f)
{
  assert_reads (f, "body/in_0", "x");
  assert_reads (f, "body/fc/MatMul", "body/in_0");
  assert_reads (f, "second/in_0", "body/out_0");
  assert_reads (f, "second/fc/MatMul", "second/in_0");
  assert_reads (f, "logits/MatMul", "second/out_0");
  fixture_run (f, "check\n");
}

static GBytes *
dup_bytes (Fixture *f)
{
  return sluice_graph_export (f->graph, SLUICE_EXPORT_BINARY, NULL);
}

static void
test_ports (Fixture *f, gconstpointer data)
{
  g_auto (GStrv) instances = sluice_block_list_instances (f->graph, "body");
  g_autofree char *all = g_strjoinv (" ", instances);
  g_autofree char *block = sluice_block_dup_name (f->graph, "second");
  g_assert_cmpstr (all, ==, "body second");
  g_assert_cmpstr (block, ==, "body");
  g_assert_null (sluice_block_dup_name (f->graph, "logits"));
  assert_wired (f);
}

static void
test_apply (Fixture *f, gconstpointer data)
{
  fixture_run (f, "set body/fc activation=tanh\nadd Relu body/more body/ln/output\n"
                  "connect body/more body/out_0:0\n");
  g_autoptr (GBytes) before = dup_bytes (f);
  fixture_run (f, "apply body\n");
  assert_op (f, "second/fc/output", "Tanh");
  assert_reads (f, "second/out_0", "second/more");
  assert_wired (f);
  fixture_run (f, "set second/fc activation=none\napply second\n");
  assert_op (f, "body/fc/output", "Identity");
  assert_wired (f);
  fixture_run (f, "undo 3\n");
  g_autoptr (GBytes) after = dup_bytes (f);
  g_assert_true (g_bytes_equal (before, after));
}

/* In front of all that was there: what an instance reads is still its own. */
static void
test_apply_at_begin (Fixture *f, gconstpointer data)
{
  fixture_run (f, "insert Tanh second/first second/in_0\napply second\n");
  assert_reads (f, "body/first", "body/in_0");
  assert_reads (f, "body/fc/MatMul", "body/first");
  assert_reads (f, "body/in_0", "x");
  fixture_run (f, "check\n");
}

static void
test_trained (Fixture *f, gconstpointer data)
{
  fixture_run (f, "train loss/output optimizer=adam learning-rate=0.01\n"
                  "set body/fc activation=tanh\napply body\n");
  assert_op (f, "second/fc/output", "Tanh");
  g_assert_nonnull (sluice_graph_find (f->graph, "train"));
  assert_wired (f);
  fixture_run (f, "undo 2\nredo 2\n");
  assert_wired (f);
}

static void
test_scope (Fixture *f, gconstpointer data)
{
  fixture_run (f, "group model body second\nset model/body/fc activation=elu\napply model/body\n");
  assert_op (f, "model/second/fc/output", "Elu");
  fixture_run (f, "unblock model/second\nset model/body/fc activation=relu\napply model/body\n");
  assert_op (f, "model/second/fc/output", "Elu");
}

static void
test_refused (Fixture *f, gconstpointer data)
{
  static const char *const cases[][2] = {
    { "block body other", "already" },
    { "block logits logits", "is a layer" },
    { "block x input", "is a node" },
    { "block nowhere b", "nowhere" },
    { "instance bodi third", "bodi" },
    { "instance body third x x", "too many" },
    { "instance body second", "second" },
    { "instance body body/inner", "cannot stand in it" },
    { "apply logits", "instance of no block" },
    { "unblock logits", "instance of no block" },
    { "apply nowhere", "nowhere" },
    { "instance body third y", "" },
  };
  g_autoptr (GBytes) before = dup_bytes (f);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_false (sluice_command_stack_do (f->stack, cases[i][0], NULL, &error));
      if (strstr (error->message, cases[i][1]) == NULL)
        g_error ("%s: %s", cases[i][0], error->message);
    }
  g_autoptr (GBytes) after = dup_bytes (f);
  g_assert_true (g_bytes_equal (before, after));
}

#define TEST(path, func)                                                                           \
  g_test_add ("/command/block/" path, Fixture, model, fixture_set_up, func, fixture_tear_down)

int
main (int argc, char **argv)
{
  fixture_init (&argc, &argv);
  TEST ("ports", test_ports);
  TEST ("apply", test_apply);
  TEST ("apply-at-begin", test_apply_at_begin);
  TEST ("trained", test_trained);
  TEST ("scope", test_scope);
  TEST ("refused", test_refused);
  return g_test_run ();
}

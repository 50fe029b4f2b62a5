/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What is muted is gone around, and comes back to the last byte. */
#include <string.h>

#include "engine/base/error.h"
#include "engine/graph/graphdef.h"
#include "tests/engine/command/fixture.h"

static const char model[] = "add Placeholder x dtype=DT_FLOAT shape=[?,4]\n"
                            "layer dense h input=x units=3\n"
                            "add Relu r h/output\n"
                            "layer dropout d input=r\n"
                            "layer dense out input=d/output units=2\n"
                            "add Const axes value=[0,1]\n"
                            "add Mean loss out/output axes\n";

static GBytes *
dup_bytes (Fixture *f)
{
  GBytes *bytes = sluice_graph_export (f->graph, SLUICE_EXPORT_TEXT, NULL);
  g_assert_nonnull (bytes);
  return bytes;
}

static void
assert_same (Fixture *f, GBytes *before)
{
  g_autoptr (GBytes) now = dup_bytes (f);
  g_assert_cmpstr (g_bytes_get_data (now, NULL), ==, g_bytes_get_data (before, NULL));
}

/* What input of a node reads. */
static void
assert_reads (Fixture *f, const char *node, guint input, const char *wanted)
{
  const SluiceNode *from = sluice_graph_find (f->graph, node)->inputs[input].node;
  g_assert_nonnull (from);
  g_assert_cmpstr (from->name, ==, wanted);
}

/* A node, a layer, and both; with and without a training. */
static void
test_back (Fixture *f, gconstpointer data)
{
  for (guint i = 0; i < 2; i++)
    {
      if (i == 1)
        fixture_run (f, "train loss optimizer=momentum learning-rate=0.1");
      g_autoptr (GBytes) before = dup_bytes (f);
      fixture_run (f, "mute r\nunmute r");
      assert_same (f, before);
      fixture_run (f, "mute d\nmute r\nunmute d\nunmute r");
      assert_same (f, before);
      fixture_run (f, "mute d\nundo");
      assert_same (f, before);
      fixture_run (f,
                   "together both \"mute r\" \"mute d\"\ntogether both \"unmute d\" \"unmute r\"");
      assert_same (f, before);
    }
}

static void
test_around (Fixture *f, gconstpointer data)
{
  fixture_run (f, "add Identity also d/output\nmute d");
  assert_reads (f, "also", 0, "r");
  fixture_run (f, "mute r");
  assert_reads (f, "also", 0, "h/output");
  /* In a training it is another graph that is trained. */
  fixture_run (f, "unmute r\ntrain loss optimizer=sgd learning-rate=0.1\nmute r");
  g_assert_null (sluice_graph_find (f->graph, "gradients/r_grad/ReluGrad"));
  g_assert_nonnull (sluice_graph_find (f->graph, "train"));
}

/* Whoever reads it may be called otherwise by then, be gone, or read something else. */
static void
test_readers (Fixture *f, gconstpointer data)
{
  g_autoptr (GString) said = g_string_new (NULL);
  fixture_run (f, "add Identity a r\nadd Identity b r\nadd Identity c r\nadd Identity e r\n"
                  "add Identity g r\nmute r\n"
                  "rename a s/a\ndelete b\nconnect x c:0\nduplicate r twin\ngroup t e g");
  g_assert_true (sluice_command_stack_do (f->stack, "unmute r", said, NULL));
  assert_reads (f, "s/a", 0, "r");
  assert_reads (f, "t/e", 0, "r");
  assert_reads (f, "t/g", 0, "r");
  assert_reads (f, "c", 0, "x");
  g_assert_nonnull (strstr (said->str, "c:0"));
  g_assert_false (sluice_command_stack_do (f->stack, "unmute twin", NULL, NULL));
}

static void
test_refused (Fixture *f, gconstpointer data)
{
  static const char *const lines[][2] = {
    { "mute x", "could take the place" },
    { "mute loss", "nothing reads" },
    { "mute nothing", "neither a node nor a scope" },
    { "unmute r", "is not muted" },
    { "mute d", "is muted already" },
    { "mute train", "belongs to the training" },
    { "set d rate=0.2", "unmute it" },
    { "mute h", "" }, /* another shape than what reads it takes */
  };
  fixture_run (f, "mute d\ntrain loss optimizer=sgd learning-rate=0.1");
  g_autoptr (GBytes) before = dup_bytes (f);
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      g_autoptr (GError) error = NULL;
      g_test_message ("%s", lines[i][0]);
      g_assert_false (sluice_command_stack_do (f->stack, lines[i][0], NULL, &error));
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, lines[i][1]));
      assert_same (f, before);
    }
}

int
main (int argc, char *argv[])
{
  fixture_init (&argc, &argv);
  g_test_add ("/command/mute/back", Fixture, model, fixture_set_up, test_back, fixture_tear_down);
  g_test_add ("/command/mute/around", Fixture, model, fixture_set_up, test_around,
              fixture_tear_down);
  g_test_add ("/command/mute/readers", Fixture, model, fixture_set_up, test_readers,
              fixture_tear_down);
  g_test_add ("/command/mute/refused", Fixture, model, fixture_set_up, test_refused,
              fixture_tear_down);
  return g_test_run ();
}

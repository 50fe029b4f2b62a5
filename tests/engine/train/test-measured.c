/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What was measured of sessions, and what is kept of it over runs. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/error.h"
#include "engine/base/pool.h"
#include "engine/graph/builder.h"
#include "engine/passes/fold.h"
#include "engine/train/measured-file.h"
#include "engine/train/measuring.h"
#include "engine/train/sized-graph.h"
#include "kernels/registry.h"
#include "engine/train/trainer-private.h"
#include "tests/engine/train/trained.h"

/* ---- the file ---- */

static void
make_folder (Folder *folder, gconstpointer unused)
{
  folder_init (folder);
}

static void
remove_folder (Folder *folder, gconstpointer unused)
{
  folder_clear (folder);
}

static void
add (SluiceMeasured *self, const char *shapes, guint times)
{
  const SluiceCostKey key = { (char *) "Abs float->float", (char *) shapes, { 4, 32 } };
  sluice_measured_entry_add (sluice_measured_open (self, "CPU:0", &key), SLUICE_MEASURED_ALONE, 900,
                             times);
}

/* Times that the file has it. */
static guint64
count (const char *folder, const char *shapes)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceMeasured) read = sluice_measured_file_load (folder, &error);
  const SluiceCostKey key = { (char *) "Abs float->float", (char *) shapes, { 4, 32 } };
  const SluiceMeasuredEntry *entry = sluice_measured_find (read, "CPU:0", &key);
  SluiceMeasuredFigure figure = { .n = 0 };
  g_assert_no_error (error);
  if (entry != NULL)
    sluice_measured_entry_get (entry, &figure);
  return figure.n;
}

static void
keep (const char *folder, SluiceMeasured *self)
{
  g_autoptr (GError) error = NULL;
  g_assert_true (sluice_measured_file_keep (folder, self, &error));
  g_assert_no_error (error);
}

static void
test_kept (Folder *f, gconstpointer unused)
{
  g_autofree char *folder = folder_dup_path (f, "cache");
  g_autoptr (SluiceMeasured) first = sluice_measured_new (), second = sluice_measured_new ();
  g_assert_cmpuint (count (folder, "[4]->[4]"), ==, 0);
  add (first, "[4]->[4]", 3);
  keep (folder, first);
  g_assert_cmpuint (count (folder, "[4]->[4]"), ==, 3);
  keep (folder, first); /* nothing new */
  add (second, "[4]->[4]", 4);
  add (second, "[5]->[5]", 1);
  keep (folder, second);
  add (first, "[4]->[4]", 5);
  keep (folder, first);
  g_assert_cmpuint (count (folder, "[4]->[4]"), ==, 12);
  g_assert_cmpuint (count (folder, "[5]->[5]"), ==, 1);
}

/* Another number of threads is another machine, and its figures stay. */
static void
test_machines (Folder *f, gconstpointer unused)
{
  g_autofree char *folder = folder_dup_path (f, "cache");
  for (guint threads = 1; threads <= SLUICE_MEASURED_MACHINES + 1; threads++)
    {
      g_autoptr (SluiceMeasured) measured = sluice_measured_new ();
      sluice_pool_set_threads (threads);
      g_assert_cmpuint (count (folder, "[4]->[4]"), ==, 0);
      add (measured, "[4]->[4]", threads);
      keep (folder, measured);
      g_assert_cmpuint (count (folder, "[4]->[4]"), ==, threads);
    }
  guint n_known = 0;
  for (guint threads = 1; threads <= SLUICE_MEASURED_MACHINES + 1; threads++)
    {
      sluice_pool_set_threads (threads);
      guint64 n = count (folder, "[4]->[4]");
      g_assert_true (n == 0 || n == threads);
      n_known += n > 0;
    }
  g_assert_cmpuint (n_known, ==, SLUICE_MEASURED_MACHINES);
  sluice_pool_set_threads (0);
}

/* Cut short, and with another byte, at a hundred places. */
static void
test_damaged (Folder *f, gconstpointer unused)
{
  g_autofree char *folder = folder_dup_path (f, "cache");
  g_autofree char *path = g_build_filename (folder, "measured.txt", NULL), *text = NULL;
  g_autoptr (SluiceMeasured) first = sluice_measured_new ();
  gsize length;
  add (first, "[4]->[4]", 3);
  keep (folder, first);
  g_assert_true (g_file_get_contents (path, &text, &length, NULL));
  for (gsize at = 0; at < length; at += length / 100 + 1)
    for (guint cut = 0; cut < 2; cut++)
      {
        g_autoptr (GError) error = NULL;
        g_autofree char *bad = g_memdup2 (text, length);
        bad[at] ^= 1;
        g_assert_true (g_file_set_contents (path, bad, (gssize) (cut ? at : length), NULL));
        g_autoptr (SluiceMeasured) read = sluice_measured_file_load (folder, &error);
        g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_DATA_LOSS);
        g_assert_nonnull (strstr (error->message, "measured.txt"));
        g_assert_cmpuint (sluice_measured_get_n (read), ==, 0);
      }
  add (first, "[4]->[4]", 2);
  keep (folder, first); /* replaces it */
  g_assert_cmpuint (count (folder, "[4]->[4]"), ==, 2);
}

static void
test_processes (Folder *f, gconstpointer unused)
{
  g_autofree char *folder = folder_dup_path (f, "cache");
  pid_t children[4];
  for (guint i = 0; i < G_N_ELEMENTS (children); i++)
    if ((children[i] = fork ()) == 0)
      {
        g_autoptr (SluiceMeasured) measured = sluice_measured_new ();
        for (guint k = 0; k < 10; k++)
          {
            add (measured, "[4]->[4]", 1);
            if (!sluice_measured_file_keep (folder, measured, NULL))
              _exit (1);
          }
        _exit (0);
      }
  for (guint i = 0; i < G_N_ELEMENTS (children); i++)
    {
      int status;
      g_assert_cmpint (waitpid (children[i], &status, 0), ==, children[i]);
      g_assert_cmpint (status, ==, 0);
    }
  g_assert_cmpuint (count (folder, "[4]->[4]"), ==, 10 * G_N_ELEMENTS (children));
}

static void
test_nowhere (Folder *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *file = folder_dup_path (f, "file");
  g_autoptr (SluiceMeasured) measured = sluice_measured_new ();
  g_assert_true (g_file_set_contents (file, "", 0, NULL));
  add (measured, "[4]->[4]", 1);
  g_assert_false (sluice_measured_file_keep (file, measured, &error));
  g_assert_nonnull (error);
  g_assert_true (sluice_measured_has_fresh (measured));
}

/* ---- a session ---- */

/* y = -|x . w| on a device and a constant that is folded; z on another device. */
static SluiceSession *
make_session (gboolean no_fusion)
{
  static const float w[8 * 16];
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  SluiceBuilder b;
  SluiceShape rows = SLUICE_SHAPE (-1, 8);
  sluice_builder_init (&b, graph, NULL);
  SluiceEdge x = sluice_builder_add (
      &b, "Placeholder", "x", NULL, 0,
      SLUICE_ATTRS (sluice_attr_type ("dtype", SLUICE_FLOAT), sluice_attr_shape ("shape", &rows)));
  SluiceEdge weights =
      sluice_builder_const (&b, sluice_tensor_new_from (SLUICE_FLOAT, &SLUICE_SHAPE (8, 16), w));
  SluiceEdge folded = sluice_builder_add (&b, "Exp", "folded", &weights, 1, NULL, 0);
  SluiceEdge product[2] = { x, folded };
  SluiceEdge y = sluice_builder_add (&b, "MatMul", "product", product, 2, NULL, 0);
  y = sluice_builder_add (&b, "Abs", "abs", &y, 1, NULL, 0);
  y = sluice_builder_add (&b, "Neg", "y", &y, 1, NULL, 0);
  b.device = "/device:CPU:1";
  sluice_builder_add (&b, "Softmax", "z", &y, 1, NULL, 0);
  g_assert_true (sluice_builder_finish (&b, &error));
  const SluiceSessionOptions options = { .no_fusion = no_fusion, .n_cpus = 2 };
  SluiceSession *session = sluice_session_new (&options, &error);
  g_assert_true (sluice_session_extend (session, graph, &error));
  g_assert_no_error (error);
  return session;
}

static void
run_steps (SluiceSession *session, guint first, guint n)
{
  static const char *const fetch = "z:0";
  const SluiceFeed feed = { "x:0", sluice_tensor_new_zeros (SLUICE_FLOAT, &SLUICE_SHAPE (4, 8)) };
  const SluiceStepNames names = { .feeds = &feed, .n_feeds = 1, .fetches = &fetch, .n_fetches = 1 };
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GError) error = NULL;
      SluiceTensor *z = NULL;
      const SluiceRunOptions options = { .step = first + i };
      g_assert_true (sluice_session_run (session, &names, &z, &options, &error));
      sluice_tensor_unref (z);
    }
  sluice_tensor_unref (feed.tensor);
}

static SluiceMeasuredFigure
get (SluiceMeasured *measured, SluiceSession *session, const char *name)
{
  SluiceMeasuredFigure figure = { .n = 0 };
  g_autoptr (SluiceGraph) sized = sluice_graph_dup_sized (sluice_session_get_graph (session), 4);
  g_auto (SluiceCostKey) key;
  sluice_cost_key_init (&key, sluice_graph_find (sized, name), 4);
  const SluiceMeasuredEntry *entry = sluice_measured_find (measured, "CPU:0", &key);
  if (entry != NULL)
    sluice_measured_entry_get (entry, &figure);
  return figure;
}

static void
check_session (gboolean no_fusion)
{
  static const char *const nodes[] = { "product", "abs", "y", "z" };
  g_autoptr (SluiceSession) session = make_session (no_fusion);
  g_autoptr (SluiceMeasured) measured = sluice_measured_new ();
  g_autoptr (SluiceMeasuring) measuring = sluice_measuring_new (session, measured, 4);
  SluiceMeasuredLink link;
  run_steps (session, 1, 5);
  sluice_measuring_skip (measuring);
  g_assert_cmpuint (sluice_measured_get_n (measured), ==, 0);
  run_steps (session, 6, 20);
  g_assert_cmpuint (sluice_measuring_read (measuring), >=, 20 * (no_fusion ? 4 : 2));
  g_assert_cmpuint (sluice_measuring_read (measuring), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (nodes); i++)
    {
      SluiceMeasuredFigure figure = get (measured, session, nodes[i]);
      g_assert_cmpuint (figure.n, ==, 20);
      g_assert_cmpfloat (figure.us, >, 0);
      g_assert_cmpfloat (figure.p95, >=, figure.us);
    }
  /* Nobody waits any more for what was folded, and it takes nothing. */
  SluiceMeasuredFigure folded = get (measured, session, "folded");
  g_assert_cmpuint (folded.n, ==, 19);
  g_assert_cmpfloat (folded.us, ==, 0);
  g_assert_true (sluice_measured_get_link (measured, "CPU:0", "CPU:1", &link));
  g_assert_cmpuint (link.n, ==, 20);
}

/* Behind a placeholder with a batch all is known; a dimension that is not an input's stays open. */
static void
test_sized (void)
{
  g_autoptr (SluiceSession) session = make_session (FALSE);
  SluiceGraph *graph = sluice_session_get_graph (session);
  g_autoptr (SluiceGraph) sized = sluice_graph_dup_sized (graph, 4);
  g_assert_cmpuint (sluice_graph_get_n_nodes (sized), ==, sluice_graph_get_n_nodes (graph));
  const SluiceShape *shape = &sluice_graph_find (sized, "z")->outputs[0].shape;
  g_assert_true (sluice_shape_equal (shape, &SLUICE_SHAPE (4, 16)));
  shape = &sluice_graph_find (graph, "z")->outputs[0].shape;
  g_assert_true (sluice_shape_equal (shape, &SLUICE_SHAPE (-1, 16)));
}

static void
test_alone (void)
{
  check_session (TRUE);
}

/* Three of them in one kernel, or two: each has its share. */
static void
test_together (void)
{
  check_session (FALSE);
}

/* ---- training ---- */

/* After each step, and at the end into the file: which holds what the steps ran. */
static void
test_training (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTrainer) trainer = new_trainer (f, NULL, NULL);
  trainer->measure_seconds = 0;
  sluice_trainer_start (trainer);
  g_assert_true (sluice_trainer_wait (trainer, &error));
  g_assert_no_error (error);
  g_autoptr (SluiceMeasured) measured = sluice_measured_file_load (NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (sluice_measured_get_n (measured), >, 0);
  SluiceMeasuredFigure between;
  sluice_measured_get_overhead (measured, "CPU:0", SLUICE_OVERHEAD_BETWEEN, &between);
  g_assert_cmpuint (between.n, >, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
  Folder cache;
  folder_init (&cache);
  g_setenv ("XDG_CACHE_HOME", cache.path, TRUE);
#define TEST(name, func) g_test_add (name, Folder, NULL, make_folder, func, remove_folder)
  TEST ("/measured/kept", test_kept);
  TEST ("/measured/machines", test_machines);
  TEST ("/measured/damaged", test_damaged);
  TEST ("/measured/processes", test_processes);
  TEST ("/measured/nowhere", test_nowhere);
  g_test_add_func ("/measured/sized", test_sized);
  g_test_add_func ("/measured/alone", test_alone);
  g_test_add_func ("/measured/together", test_together);
  g_test_add ("/measured/training", Fixture, NULL, set_up, test_training, tear_down);
  int status = g_test_run ();
  folder_clear (&cache);
  return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Input pipelines of TF1 programs: queues that the queue runners of a MetaGraphDef fill. */
#include <string.h>

#include "engine/base/error.h"
#include "engine/graph/graphdef.h"
#include "engine/store/kinds/event.h"
#include "engine/train/trainer.h"
#include "kernels/registry.h"
#include "tests/engine/train/folder.h"

typedef struct
{
  Folder folder;
  SluiceStore *store;
} Fixture;

static char *
pipeline_path (const char *name)
{
  return g_build_filename (g_getenv ("SLUICE_SOURCE_DIR"), "tests", "engine", "train", "pipeline",
                           name, NULL);
}

static void
set_up (Fixture *f, gconstpointer graph)
{
  g_autoptr (GError) error = NULL;
  folder_init (&f->folder);
  g_autofree char *path = pipeline_path (graph);
  g_autofree char *text = g_strdup_printf (
      "[project]\nname=Pipeline\ngraph=%s\ninit=init_all\ntrain=train\nloss=loss:0\n"
      "[train]\nsteps=100\nbatch=4\nseed=1\n[data]\nsource=graph\n",
      path);
  folder_write (&f->folder, "project.ini", text, -1);
  g_autofree char *workspace = folder_dup_path (&f->folder, "workspace");
  f->store = sluice_store_open (workspace, &error);
  g_assert_no_error (error);
}

static void
tear_down (Fixture *f, gconstpointer unused)
{
  g_clear_object (&f->store);
  folder_clear (&f->folder);
}

static SluiceTrainer *
new_trainer (Fixture *f, const SluiceTrainerOptions *options)
{
  g_autoptr (GError) error = NULL;
  SluiceProject *project = sluice_project_load (f->folder.path, &error);
  g_assert_no_error (error);
  SluiceTrainer *trainer = sluice_trainer_new (f->store, project, options, &error);
  g_assert_no_error (error);
  return trainer;
}

static void
assert_ended (SluiceTrainer *trainer, SluiceRunState state, gint64 step)
{
  SluiceProgress p;
  sluice_trainer_get_progress (trainer, &p);
  g_assert_cmpint (p.state, ==, state);
  g_assert_cmpint (p.step, ==, step);
}

static gboolean
has_event (Fixture *f, SluiceTrainer *trainer, const char *kind)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) events =
      sluice_store_read_events (f->store, sluice_trainer_get_run (trainer), &error);
  g_assert_no_error (error);
  for (guint i = 0; i < events->len; i++)
    if (strcmp (((SluiceEvent *) events->pdata[i])->kind, kind) == 0)
      return TRUE;
  return FALSE;
}

/* Three epochs of eight lines are six batches of four; 100 steps were asked for. */
static void
test_end_of_input (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTrainer) trainer = new_trainer (f, NULL);
  sluice_trainer_start (trainer);
  g_assert_true (sluice_trainer_wait (trainer, &error));
  g_assert_no_error (error);
  assert_ended (trainer, SLUICE_RUN_FINISHED, 6);
  g_assert_true (has_event (f, trainer, "input-ended"));
  SluiceProgress p;
  sluice_trainer_get_progress (trainer, &p);
  g_assert_cmpint (p.last_checkpoint, ==, 6);
}

/* The step fails of a closed queue; what is told is why it was closed. */
static void
test_first_failure (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTrainer) trainer = new_trainer (f, NULL);
  sluice_trainer_start (trainer);
  g_assert_false (sluice_trainer_wait (trainer, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "'batch/fifo_queue'"));
  g_assert_nonnull (strstr (error->message, "oops"));
  SluiceProgress p;
  sluice_trainer_get_progress (trainer, &p);
  g_assert_cmpint (p.state, ==, SLUICE_RUN_FAILED);
}

static void
wait_for_pause (SluiceTrainer *trainer, gint64 step)
{
  SluiceProgress p;
  do
    {
      g_usleep (200);
      sluice_trainer_get_progress (trainer, &p);
      g_assert_cmpint (p.state, !=, SLUICE_RUN_FAILED);
    }
  while (p.state != SLUICE_RUN_PAUSED || p.step < step);
}

/* Fillers wait at full queues while the run is paused: that is no deadlock, and they end with it.
 */
static void
test_stop (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTrainer) trainer =
      new_trainer (f, &(SluiceTrainerOptions){ .start_paused = TRUE });
  sluice_trainer_start (trainer);
  sluice_trainer_step (trainer, 2);
  wait_for_pause (trainer, 2);
  sluice_trainer_stop (trainer);
  g_assert_true (sluice_trainer_wait (trainer, &error));
  g_assert_no_error (error);
  assert_ended (trainer, SLUICE_RUN_STOPPED, 2);
  g_assert_false (has_event (f, trainer, "input-ended"));
}

/* ---- what a MetaGraphDef says ---- */

static GPtrArray *
load_runners (const char *text, SluiceGraph *graph, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_autoptr (GError) local = NULL;
  sluice_graph_import (graph, bytes, &local);
  g_assert_no_error (local);
  return sluice_graph_dup_queue_runners (graph, error);
}

static void
test_runners_of_file (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = pipeline_path ("good.meta.gz");
  g_autoptr (SluiceGraph) graph = sluice_graph_load_file (path, &error);
  g_assert_no_error (error);
  g_autoptr (GPtrArray) runners = sluice_graph_dup_queue_runners (graph, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (runners->len, ==, 2);
  const SluiceQueueRunner *lines = runners->pdata[0];
  g_assert_cmpstr (lines->queue, ==, "lines");
  g_assert_cmpuint (g_strv_length (lines->enqueue), ==, 1);
  g_assert_nonnull (lines->close);
  g_assert_nonnull (lines->cancel);
  g_assert_cmpuint (lines->closed_errors & 1u << SLUICE_ERROR_OUT_OF_RANGE, !=, 0);
  g_assert_cmpuint (lines->closed_errors & 1u << SLUICE_ERROR_INVALID_ARGUMENT, ==, 0);
}

#define META(value)                                                                                \
  "meta_info_def { } graph_def { node { name: 'q' op: 'NoOp' } } "                                 \
  "collection_def { key: 'queue_runners' value { bytes_list { value: '" value "' } } }"

static void
test_missing_node (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  /* queue_name q, enqueue_op_name gone */
  g_assert_null (load_runners (META ("\\n\\001q\\022\\004gone"), graph, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "'q'"));
  g_assert_nonnull (strstr (error->message, "'gone'"));
}

static void
test_damaged (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  g_assert_null (load_runners (META ("\\n\\177q"), graph, &error)); /* a text of 127 bytes */
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_DATA_LOSS);
  g_assert_nonnull (strstr (error->message, "queue_runners"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
#define ADD(path, graph, func) g_test_add (path, Fixture, graph, set_up, func, tear_down)
  ADD ("/train/queue-runners/end-of-input", "good.meta.gz", test_end_of_input);
  ADD ("/train/queue-runners/first-failure", "bad.meta.gz", test_first_failure);
  ADD ("/train/queue-runners/stop", "good.meta.gz", test_stop);
  g_test_add_func ("/train/queue-runners/of-file", test_runners_of_file);
  g_test_add_func ("/train/queue-runners/missing-node", test_missing_node);
  g_test_add_func ("/train/queue-runners/damaged", test_damaged);
  return g_test_run ();
}

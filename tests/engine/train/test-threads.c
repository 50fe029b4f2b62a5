/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* A machine that gives no more threads: each one that a program asks for is refused once. The
 * linker sends the engine's pthread_create() here. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/base/pool.h"
#include "engine/graph/builder.h"
#include "engine/train/trainer.h"
#include "kernels/registry.h"
#include "tests/engine/train/folder.h"

static atomic_int n_before_refusal; /* negative: all are granted */

int
__real_pthread_create (pthread_t *thread, const pthread_attr_t *attr, void *(*m) (void *), void *d);
int
__wrap_pthread_create (pthread_t *thread, const pthread_attr_t *attr, void *(*m) (void *), void *d);

int
__wrap_pthread_create (pthread_t *thread, const pthread_attr_t *attr, void *(*m) (void *), void *d)
{
  if (atomic_fetch_sub (&n_before_refusal, 1) == 0)
    return EAGAIN;
  return __real_pthread_create (thread, attr, m, d);
}

/* Opens a store, makes a trainer and trains to the end. */
static gboolean
train (const Folder *folder, const char *const *assignments, GError **error)
{
  g_autofree char *workspace = folder_dup_path (folder, "workspace");
  g_autoptr (SluiceStore) store = sluice_store_open (workspace, error);
  if (store == NULL)
    return FALSE;
  SluiceProject *project = sluice_project_load (folder->path, error);
  if (project == NULL)
    return FALSE;
  for (guint i = 0; assignments[i] != NULL; i++)
    g_assert_true (sluice_project_set (project, assignments[i], NULL));
  g_autoptr (SluiceTrainer) trainer = sluice_trainer_new (store, project, NULL, error);
  if (trainer == NULL)
    return FALSE;
  sluice_trainer_start (trainer);
  gboolean ok = sluice_trainer_wait (trainer, error);
  SluiceProgress p;
  sluice_trainer_get_progress (trainer, &p);
  g_assert_cmpint (p.state, ==, ok ? SLUICE_RUN_FINISHED : SLUICE_RUN_FAILED);
  return ok;
}

/* Refuses the first thread, then the second, … until all were granted. expected: what the messages
 * begin with, each of which somebody must have met. */
static void
refuse_each (const Folder *folder, const char *const *assignments, const char *const *expected)
{
  g_autoptr (GPtrArray) messages = g_ptr_array_new_with_free_func (g_free);
  gboolean all_granted = FALSE;
  for (int i = 0; !all_granted; i++)
    {
      g_autoptr (GError) error = NULL;
      n_before_refusal = i;
      gboolean ok = train (folder, assignments, &error);
      all_granted = atomic_exchange (&n_before_refusal, -1) >= 0;
      g_assert_true (ok || !all_granted);
      if (ok)
        continue;
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_RESOURCE_EXHAUSTED);
      g_assert_nonnull (strstr (error->message, "ulimit -u"));
      g_test_message ("%s", error->message);
      g_ptr_array_add (messages, g_strdup (error->message));
    }
  for (guint k = 0; expected[k] != NULL; k++)
    {
      gboolean found = FALSE;
      for (guint i = 0; i < messages->len; i++)
        found = found || strstr (messages->pdata[i], expected[k]) != NULL;
      if (!found)
        g_error ("no run failed for want of '%s'", expected[k]);
    }
}

static void
count (gpointer data)
{
  atomic_fetch_add ((atomic_int *) data, 1);
}

static void
wait_for (atomic_int *n, int wanted)
{
  while (atomic_load (n) < wanted)
    g_thread_yield ();
}

/* First of all tests, for a pool that was there once stays. */
static void
test_pool (void)
{
  g_autoptr (GError) error = NULL;
  atomic_int n = 0;
  sluice_pool_set_threads (2);
  n_before_refusal = 0;
  g_assert_false (sluice_pool_submit (count, &n, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_RESOURCE_EXHAUSTED);
  g_assert_nonnull (strstr (error->message, "the pool of threads"));
  g_clear_error (&error);
  n_before_refusal = 0;
  g_assert_null (sluice_session_new (NULL, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_RESOURCE_EXHAUSTED);
  g_clear_error (&error);
  /* One that is granted does the work of those that are not, and stays when the number changes. */
  sluice_pool_set_threads (5);
  n_before_refusal = 1;
  g_assert_true (sluice_pool_submit (count, &n, &error));
  wait_for (&n, 1);
  sluice_pool_set_threads (1);
  sluice_pool_set_threads (3);
  n_before_refusal = 0;
  g_assert_true (sluice_pool_submit (count, &n, &error));
  wait_for (&n, 2);
  g_assert_cmpint (n_before_refusal, <, 0); /* one was asked for, and refused */
  sluice_pool_set_threads (2);
  n_before_refusal = -1;
  g_assert_true (sluice_pool_start (&error));
}

static void
test_workers (void)
{
  Folder folder;
  folder_init (&folder);
  folder_write_project (&folder, NULL);
  folder_write_examples (&folder, 30);
  refuse_each (&folder,
               (const char *const[]){ "project.train=train;train", "project.loss=loss:0;loss:0",
                                      "cpus=2", NULL },
               (const char *const[]){ "writing to the store", "training", "worker 1 of 2",
                                      "worker 2 of 2", "making batches", NULL });
  folder_clear (&folder);
}

static void
test_fillers (void)
{
  Folder folder;
  folder_init (&folder);
  g_autofree char *text = g_strdup_printf (
      "[project]\nname=Pipeline\ngraph=%s/tests/engine/train/pipeline/good.meta.gz\ninit=init_all\n"
      "train=train\nloss=loss:0\n[train]\nsteps=100\nbatch=4\nseed=1\n[data]\nsource=graph\n",
      g_getenv ("SLUICE_SOURCE_DIR"));
  folder_write (&folder, "project.ini", text, -1);
  refuse_each (&folder, (const char *const[]){ NULL },
               (const char *const[]){ "filling the queue 'lines', thread 1 of 2",
                                      "filling the queue 'batch/fifo_queue', thread 2 of 2",
                                      NULL });
  folder_clear (&folder);
}

static void
test_partial_run (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  SluiceBuilder b = { .graph = graph };
  SluiceEdge one = sluice_builder_const_number (&b, SLUICE_FLOAT, 1);
  SluiceEdge sum = sluice_builder_add (&b, "Add", "sum", (SluiceEdge[]){ one, one }, 2, NULL, 0);
  g_autoptr (SluiceSession) session = sluice_session_new (NULL, &error);
  g_assert_true (sluice_session_extend (session, sum.node->graph, &error));
  const char *feed = one.node->name, *fetch = "sum:0";
  n_before_refusal = 0;
  SluicePartialRun *run = sluice_session_set_up_partial (
      session,
      &(SluiceStepNames){
          .feeds = &(SluiceFeed){ feed }, .fetches = &fetch, .n_feeds = 1, .n_fetches = 1 },
      NULL, &error);
  n_before_refusal = -1;
  g_assert_null (run);
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_RESOURCE_EXHAUSTED);
  g_clear_error (&error);
  /* The step that was not begun serves the next. */
  run = sluice_session_set_up_partial (
      session,
      &(SluiceStepNames){
          .feeds = &(SluiceFeed){ feed }, .fetches = &fetch, .n_feeds = 1, .n_fetches = 1 },
      NULL, &error);
  g_assert_no_error (error);
  g_autoptr (SluiceTensor) fed = sluice_tensor_new_float (3);
  g_autoptr (SluiceTensor) output = NULL;
  g_assert_true (sluice_partial_run_part (
      run,
      &(SluiceStepNames){
          .feeds = &(SluiceFeed){ feed, fed }, .fetches = &fetch, .n_feeds = 1, .n_fetches = 1 },
      &output, &error));
  g_assert_cmpfloat (*(float *) output->data, ==, 6);
  sluice_partial_run_unref (run);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  n_before_refusal = -1;
  sluice_registry_init (sluice_kernel_modules ());
  g_test_add_func ("/train/threads/pool", test_pool);
  g_test_add_func ("/train/threads/workers", test_workers);
  g_test_add_func ("/train/threads/fillers", test_fillers);
  g_test_add_func ("/train/threads/partial-run", test_partial_run);
  return g_test_run ();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* A training run that stops at breakpoints: no bit of it is another one, a stop always works, and a
 * learning rate a thousand times too large is found at the node where it shows first. */
#include <math.h>
#include <string.h>

#include "engine/base/statistics.h"
#include "kernels/registry.h"
#include "tests/engine/train/trained.h"
#include "tests/lib/sample-project.h"

static guint
add_breakpoint (SluiceTrainer *trainer, const char *text)
{
  g_autoptr (GError) error = NULL;
  SluiceBreakpoint breakpoint;
  sluice_breakpoint_parse (&breakpoint, text, &error);
  g_assert_no_error (error);
  guint number = sluice_debugger_add (sluice_trainer_get_debugger (trainer), &breakpoint, &error);
  g_assert_no_error (error);
  return number;
}

/* To the end, with stops at breakpoints, walks through nodes and another breakpoint set meanwhile.
 */
static void
test_same (Fixture *f, gconstpointer unused)
{
  const char *const twelve[] = { "steps=12", NULL };
  g_autofree char *alone = train (f, &(SluiceTrainerOptions){ .run_name = "alone" }, twelve);
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTrainer) trainer =
      new_trainer (f, &(SluiceTrainerOptions){ .run_name = "stopped" }, twelve);
  SluiceDebugger *debugger = sluice_trainer_get_debugger (trainer);
  guint number = add_breakpoint (trainer, "predict if step >= 3"), n_stops = 0;
  sluice_trainer_start (trainer);
  for (; sluice_debugger_wait (debugger); n_stops++)
    {
      g_autoptr (SluiceStop) stop = sluice_debugger_dup_stop (debugger);
      g_assert_cmpuint (stop->step, >=, 3);
      if (n_stops == 40)
        {
          g_assert_true (sluice_debugger_remove (debugger, number));
          add_breakpoint (trainer, "noise:0");
        }
      if (n_stops < 50)
        sluice_debugger_step (debugger);
      else if (n_stops % 2)
        sluice_debugger_next (debugger);
      else
        sluice_debugger_go (debugger);
    }
  g_assert_cmpuint (n_stops, >, 50);
  sluice_trainer_wait (trainer, &error);
  g_assert_no_error (error);
  assert_same_series (f, "alone", "stopped", "loss", 12);
  assert_same_checkpoint (f, "alone", "stopped", 12);
}

/* The step goes on to its end, and is saved. */
static void
test_stop (Fixture *f, gconstpointer unused)
{
  const char *const twelve[] = { "steps=12", NULL };
  g_autofree char *alone = train (f, &(SluiceTrainerOptions){ .run_name = "alone" }, twelve);
  g_autoptr (GError) error = NULL;
  {
    g_autoptr (SluiceTrainer) trainer =
        new_trainer (f, &(SluiceTrainerOptions){ .run_name = "stopped" }, twelve);
    SluiceProgress progress;
    add_breakpoint (trainer, "predict if step >= 5");
    sluice_trainer_start (trainer);
    g_assert_true (sluice_debugger_wait (sluice_trainer_get_debugger (trainer)));
    sluice_trainer_stop (trainer);
    sluice_trainer_wait (trainer, &error);
    g_assert_no_error (error);
    sluice_trainer_get_progress (trainer, &progress);
    g_assert_cmpint (progress.state, ==, SLUICE_RUN_STOPPED);
    g_assert_cmpint (progress.step, ==, 5);
    g_assert_cmpint (progress.last_checkpoint, ==, 5);
  }
  g_autofree char *resumed = train (f, &(SluiceTrainerOptions){ .resume = "stopped" }, NULL);
  assert_same_series (f, "alone", "stopped", "loss", 12);
  assert_same_checkpoint (f, "alone", "stopped", 12);
  /* One that nobody waits for any more. */
  g_autoptr (SluiceTrainer) left =
      new_trainer (f, &(SluiceTrainerOptions){ .run_name = "left" }, twelve);
  add_breakpoint (left, "predict");
  sluice_trainer_start (left);
  g_assert_true (sluice_debugger_wait (sluice_trainer_get_debugger (left)));
}

static gboolean
is_finite (const GArray *values)
{
  for (guint i = 0; i < values->len; i++)
    {
      SluiceStatistics statistics;
      const SluiceTensor *tensor = g_array_index (values, SluiceDebugValue, i).tensor;
      g_assert_nonnull (tensor);
      if (sluice_tensor_get_statistics (tensor, &statistics) && statistics.n_non_finite > 0)
        return FALSE;
    }
  return TRUE;
}

/* (transfer full): ones in its place */
static SluiceTensor *
ones_like (const SluiceTensor *tensor)
{
  SluiceTensor *ones = sluice_tensor_new_zeros (SLUICE_FLOAT, &tensor->shape);
  for (gint64 i = 0; i < tensor->n_elements; i++)
    ((float *) ones->data)[i] = 1;
  return ones;
}

static void
test_not_finite (Fixture *f, gconstpointer unused)
{
  const char *const settings[] = { "learning-rate=50", "steps=100", NULL };
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = sample_dup_folder ("digits-lenet");
  g_autoptr (SluiceTrainer) trainer =
      sluice_trainer_new (f->store, load_project (folder, settings), NULL, &error);
  g_assert_no_error (error);
  SluiceDebugger *debugger = sluice_trainer_get_debugger (trainer);
  add_breakpoint (trainer, "* if nonfinite");
  sluice_trainer_start (trainer);
  g_assert_true (sluice_debugger_wait (debugger));
  g_autoptr (SluiceStop) stop = sluice_debugger_dup_stop (debugger);
  g_assert_cmpint (stop->kind, ==, SLUICE_STOP_BEHIND);
  g_assert_cmpstr (stop->node.name, ==, "conv1/norm");
  g_assert_cmpuint (stop->inputs->len, ==, 1);
  g_assert_true (is_finite (stop->inputs));
  g_assert_false (is_finite (stop->outputs));
  /* Another value there, and the step has a loss. */
  g_autoptr (SluiceTensor) one =
      ones_like (g_array_index (stop->outputs, SluiceDebugValue, 0).tensor);
  sluice_debugger_put (debugger, "conv1/norm", one, &error);
  g_assert_no_error (error);
  sluice_debugger_next (debugger);
  g_assert_true (sluice_debugger_wait (debugger));
  g_autoptr (SluiceStop) next = sluice_debugger_dup_stop (debugger);
  g_assert_cmpuint (next->step, ==, stop->step + 1);
  g_assert_cmpstr (next->node.name, ==, "conv1/norm");
  SluiceProgress progress;
  sluice_trainer_get_progress (trainer, &progress);
  g_assert_cmpint (progress.step, ==, stop->step);
  g_assert_true (isfinite (progress.loss));
  /* Left alone, the run fails as it always does, and its own search finds the same node. */
  sluice_debugger_go (debugger);
  while (sluice_debugger_wait (debugger))
    sluice_debugger_go (debugger);
  g_assert_false (sluice_trainer_wait (trainer, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  g_test_message ("%s", error->message);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  g_test_add ("/train/debugger/same", Fixture, NULL, set_up, test_same, tear_down);
  g_test_add ("/train/debugger/stop", Fixture, NULL, set_up, test_stop, tear_down);
  g_test_add ("/train/debugger/not-finite", Fixture, NULL, set_up, test_not_finite, tear_down);
  return g_test_run ();
}

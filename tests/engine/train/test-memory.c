/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The memory of a run's steps: recorded where somebody asks, and told where a step lacked it. */
#include "engine/base/error.h"
#include "engine/passes/passes.h"
#include "engine/trace/memory-view.h"
#include "kernels/registry.h"
#include "tests/engine/train/trained.h"
#include "tests/lib/sample-project.h"

static void
test_asked_for (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTrainer) trainer =
      new_trainer (f, &(SluiceTrainerOptions){ .run_name = "Line", .start_paused = TRUE },
                   (const char *const[]){ "steps=100000000", NULL });
  sluice_trainer_start (trainer);
  sluice_trainer_step (trainer, 3);
  wait_for_state (trainer, SLUICE_RUN_PAUSED, 3);
  g_autoptr (GPtrArray) none = sluice_trainer_dup_memory (trainer);
  g_assert_cmpuint (none->len, ==, 0);

  sluice_trainer_record_memory (trainer, 2);
  sluice_trainer_step (trainer, 4);
  wait_for_state (trainer, SLUICE_RUN_PAUSED, 7);
  g_autoptr (GPtrArray) two = sluice_trainer_dup_memory (trainer);
  g_assert_cmpuint (two->len, ==, 2);
  for (guint i = 0; i < two->len; i++)
    {
      SluiceMemoryTape *tape = two->pdata[i];
      g_assert_cmpuint (tape->step, ==, 4 + i);
      g_assert_cmpstr (tape->device, ==, "CPU:0");
      g_assert_cmpuint (tape->runs->len, >, 0);
      g_assert_false (tape->is_failure);
      g_autoptr (SluiceMemoryView) view = sluice_memory_view_new (tape);
      g_assert_cmpuint (sluice_memory_view_get_n_wrong (view), ==, 0);
    }

  /* Of many steps the newest stay, whole. */
  sluice_trainer_record_memory (trainer, 30);
  sluice_trainer_step (trainer, 30);
  wait_for_state (trainer, SLUICE_RUN_PAUSED, 37);
  g_autoptr (GPtrArray) many = sluice_trainer_dup_memory (trainer);
  g_assert_cmpuint (many->len, ==, 16);
  g_assert_cmpuint (((SluiceMemoryTape *) many->pdata[15])->step, ==, 37);
  sluice_trainer_stop (trainer);
  sluice_trainer_wait (trainer, &error);
  g_assert_no_error (error);
}

static SluiceTrainer *
run_out (Fixture *f, gboolean records)
{
  g_autoptr (GError) error = NULL;
  const SluiceSessionOptions host = { .device = "SIM:0", .device_options = "memory=100000" };
  const SluiceTrainerOptions options = { .run_name = "tight", .host = &host };
  SluiceTrainer *trainer =
      sluice_trainer_new (f->store, sample_load_project ("digits-mlp"), &options, &error);
  g_assert_no_error (error);
  sluice_trainer_record_memory (trainer, records ? 1 : 0);
  sluice_trainer_start (trainer);
  g_assert_false (sluice_trainer_wait (trainer, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_RESOURCE_EXHAUSTED);
  return trainer;
}

static const SluiceAllocationRecord *
find_refusal (GPtrArray *tapes, gboolean *is_failure)
{
  for (guint i = 0; i < tapes->len; i++)
    {
      const SluiceMemoryTape *tape = tapes->pdata[i];
      *is_failure = tape->is_failure;
      for (gsize k = 0; k < tape->log->n_records; k++)
        if (tape->log->records[k].kind == SLUICE_ALLOCATION_REFUSED)
          {
            const SluiceAllocationRecord *refused = &tape->log->records[k];
            g_assert_cmpstr (tape->device, ==, "SIM:0");
            g_assert_cmpuint (tape->limit, ==, 100000);
            g_assert_nonnull (sluice_memory_tape_get_node (tape, refused->owner.node));
            return refused;
          }
    }
  g_assert_not_reached ();
}

/* Whether the step was recorded or not: what was refused, and what was live then. */
static void
test_shortage (Fixture *f, gconstpointer unused)
{
  for (gboolean records = FALSE; records <= TRUE; records++)
    {
      g_autoptr (SluiceTrainer) trainer = run_out (f, records);
      g_autoptr (GPtrArray) tapes = sluice_trainer_dup_memory (trainer);
      gboolean is_failure;
      const SluiceAllocationRecord *refused = find_refusal (tapes, &is_failure);
      g_assert_cmpint (is_failure, ==, !records);
      g_assert_cmpuint (refused->counted, <=, 100000);
      g_assert_cmpuint (refused->counted + refused->bytes, >, 100000);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
  g_test_add ("/train/memory/asked-for", Fixture, NULL, set_up, test_asked_for, tear_down);
  g_test_add ("/train/memory/shortage", Fixture, NULL, set_up, test_shortage, tear_down);
  return g_test_run ();
}

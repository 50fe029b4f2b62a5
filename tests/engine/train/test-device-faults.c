/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * A device that refuses: each call of it that may fail does so once, the first one, then the
 * second, …, while a sample is initialised and trained; and from each of them on, as a device that
 * vanishes does. What comes up names node and device, nothing is left in its memory, and who begins
 * anew is right.
 */
#include <math.h>
#include <string.h>

#include "engine/device/sim.h"
#include "engine/passes/passes.h"
#include "engine/train/replica.h"
#include "kernels/registry.h"

#define N_STEPS 2

/* ---- FAULT:0: a simulated device behind a gate ---- */

static _Atomic gint64 n_calls;  /* since plan_fault() */
static _Atomic gint64 bad_call; /* fails; 0: none */
static _Atomic int is_for_good; /* and those after it, too */
static _Atomic gint64 mapped;   /* bytes */
static _Atomic gint64 n_left;   /* blocks that were vacated, ever */
static SluiceMemorySource sim_memory, memory;

static void
plan_fault (gint64 call, gboolean for_good)
{
  n_calls = 0;
  is_for_good = for_good;
  bad_call = call;
}

static gboolean
is_lost (void)
{
  return is_for_good && bad_call > 0 && n_calls >= bad_call;
}

static gboolean
works (void)
{
  gint64 number = atomic_fetch_add (&n_calls, 1) + 1;
  return bad_call == 0 || (is_for_good ? number < bad_call : number != bad_call);
}

static const SluiceDeviceQueues *
get_queues (void)
{
  return sluice_sim_kind.klass->queues;
}

static gboolean
fault_enqueue (SluiceDevice *self, SluiceQueueKind kind, SluiceQueuedFunc func, gpointer data)
{
  return works () && get_queues ()->enqueue (self, kind, func, data);
}

static gboolean
fault_notify (SluiceDevice *self, SluiceQueueKind kind, SluiceQueuedFunc func, gpointer data)
{
  return works () && get_queues ()->notify (self, kind, func, data);
}

static gboolean
fault_copy (SluiceDevice *self,
            SluiceQueueKind kind,
            SluiceCopyKind direction,
            void *to,
            const void *from,
            gsize bytes)
{
  gboolean ok = works ();
  /* One that fails half-way has written something. */
  return get_queues ()->copy (self, kind, direction, to, from, ok ? bytes : bytes / 2) && ok;
}

static gboolean
fault_copy_across (SluiceDevice *self,
                   SluiceQueueKind kind,
                   void *to,
                   SluiceDevice *from_device,
                   const void *from,
                   gsize bytes)
{
  return works () && get_queues ()->copy_across (self, kind, to, from_device, from, bytes);
}

static SluiceDeviceEvent
fault_record (SluiceDevice *self, SluiceQueueKind kind)
{
  return get_queues ()->record (self, kind);
}

static gboolean
fault_has_passed (SluiceDevice *self, SluiceDeviceEvent event)
{
  return get_queues ()->has_passed (self, event);
}

static void
fault_wait (SluiceDevice *self, SluiceDeviceEvent event)
{
  get_queues ()->wait (self, event);
}

static void
fault_wait_in_queue (SluiceDevice *self, SluiceQueueKind kind, SluiceDeviceEvent event)
{
  get_queues ()->wait_in_queue (self, kind, event);
}

static gboolean
fault_synchronize (SluiceDevice *self, GError **error)
{
  gboolean ok = get_queues ()->synchronize (self, error);
  return is_lost () ? sluice_fail (error, SLUICE_ERROR_UNAVAILABLE, "it fell off the bus") : ok;
}

static void
fault_finalize (SluiceDevice *self)
{
  sluice_sim_kind.klass->finalize (self);
}

static void *
fault_map (gpointer data, gsize bytes)
{
  void *at = works () ? sim_memory.map (data, bytes) : NULL;
  if (at != NULL)
    atomic_fetch_add (&mapped, (gint64) bytes);
  return at;
}

static void
fault_unmap (gpointer data, void *at, gsize bytes)
{
  atomic_fetch_sub (&mapped, (gint64) bytes);
  sim_memory.unmap (data, at, bytes);
}

static void
fault_vacate (gpointer data, void *at, gsize bytes)
{
  atomic_fetch_add (&n_left, 1);
  sim_memory.vacate (data, at, bytes);
}

static gboolean
fault_occupy (gpointer data, void *at, gsize bytes)
{
  return works () && sim_memory.occupy (data, at, bytes);
}

static const SluiceMemorySource *
fault_open (guint index, const char *options, GError **error)
{
  const SluiceMemorySource *source = sluice_sim_kind.open (index, options, error);
  g_assert_nonnull (source);
  memory = sim_memory = *source;
  memory.map = fault_map;
  memory.unmap = fault_unmap;
  memory.vacate = fault_vacate;
  memory.occupy = fault_occupy;
  return &memory;
}

static guint
fault_count (void)
{
  return 1;
}

static char *
fault_describe (guint index)
{
  return g_strdup ("refuses");
}

static const SluiceDeviceQueues queues = { .enqueue = fault_enqueue,
                                           .notify = fault_notify,
                                           .copy = fault_copy,
                                           .copy_across = fault_copy_across,
                                           .record = fault_record,
                                           .has_passed = fault_has_passed,
                                           .wait = fault_wait,
                                           .wait_in_queue = fault_wait_in_queue,
                                           .synchronize = fault_synchronize };
static const SluiceDeviceClass fault_class = { .type = "FAULT",
                                               .kernel_type = "CPU",
                                               .computes = TRUE,
                                               .queues = &queues,
                                               .finalize = fault_finalize };
static const SluiceDeviceKind fault_kind = { &fault_class, fault_count, fault_describe, fault_open,
                                             TRUE };

/* ---- trainings ---- */

static const char *device_options; /* (nullable) */
static SluiceProject *project;
static SluiceExamples *examples, *test;

/* The loss after N_STEPS; NAN with an error. */
static double
train (GError **error)
{
  const SluiceSessionOptions host = { .device = "FAULT:0", .device_options = device_options };
  SluiceReplica *replica = sluice_replica_new (project, examples, NULL, 1, &host, error);
  if (replica == NULL)
    return NAN;
  g_autofree double *scalars = g_new (double, replica->n_scalars);
  gboolean ok = sluice_replica_initialize (replica, error);
  for (guint i = 0; ok && i < N_STEPS; i++)
    {
      const SluiceRunOptions options = { .step = (guint64) replica->n_done + 1 };
      ok = sluice_replica_step (replica, scalars, NULL, &options, error);
    }
  sluice_replica_free (replica);
  return ok ? scalars[0] : NAN;
}

/* Not every fault is an error: a value that was not copied ahead is copied when it is needed, and
 * the end of what a queue did shows in other ways than a notice. */
static void
check_each (gboolean for_good)
{
  g_autoptr (GError) none = NULL;
  plan_fault (0, FALSE);
  double expected = train (&none);
  g_assert_no_error (none);
  gint64 n = n_calls;
  guint n_errors = 0;
  g_test_message ("%" G_GINT64_FORMAT " calls", n);
  g_assert_cmpint (n, >, 50);
  for (gint64 call = 1; call <= n; call++)
    {
      g_autoptr (GError) error = NULL;
      plan_fault (call, for_good);
      double loss = train (&error);
      if (error != NULL)
        {
          n_errors++;
          if (strstr (error->message, "FAULT:0") == NULL || strchr (error->message, '\'') == NULL)
            g_error ("call %" G_GINT64_FORMAT ": %s", call, error->message);
        }
      else
        g_assert_cmpfloat (loss, ==, expected);
      g_assert_cmpint (mapped, ==, 0);
      if (call % 16 == 0)
        {
          plan_fault (0, FALSE);
          g_assert_cmpfloat (train (&none), ==, expected);
          g_assert_no_error (none);
        }
    }
  g_assert_cmpuint (n_errors, >, (guint) n / 3);
}

static void
begin (const char *sample)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path =
      g_build_filename (g_getenv ("SLUICE_SOURCE_DIR"), "data", "samples", sample, NULL);
  project = sluice_project_load (path, &error);
  g_assert_no_error (error);
  sluice_examples_load_all (project, &examples, &test, &error);
  g_assert_no_error (error);
}

static void
end (void)
{
  g_clear_pointer (&examples, sluice_examples_free);
  g_clear_pointer (&test, sluice_examples_free);
  g_clear_pointer (&project, sluice_project_free);
}

static void
test_once (gconstpointer sample)
{
  begin (sample);
  check_each (FALSE);
  end ();
}

static void
test_vanished (gconstpointer sample)
{
  begin (sample);
  check_each (TRUE);
  end ();
}

/* With so little memory that values leave it and come back: those copies fail as well, and none of
 * the values is lost. */
static void
test_tight (gconstpointer for_good)
{
  device_options = "memory=132K";
  begin ("digits-mlp");
  n_left = 0;
  check_each (for_good != NULL);
  g_assert_cmpint (n_left, >, 0);
  end ();
  device_options = NULL;
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
  sluice_device_add_kind (&fault_kind);
  /* Variables behind handles, and references. */
  static const char *const samples[] = { "digits-mlp", "word2vec" };
  for (guint i = 0; i < G_N_ELEMENTS (samples); i++)
    {
      g_autofree char *path = g_strconcat ("/train/device-faults/once/", samples[i], NULL);
      g_test_add_data_func (path, samples[i], test_once);
    }
  g_test_add_data_func ("/train/device-faults/vanished", samples[0], test_vanished);
  g_test_add_data_func ("/train/device-faults/tight/once", NULL, test_tight);
  g_test_add_data_func ("/train/device-faults/tight/vanished", samples[0], test_tight);
  return g_test_run ();
}

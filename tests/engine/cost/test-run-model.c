/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* How long steps take as the runtime does them, by hand. */
#include "engine/cost/run-model.h"
#include "tests/engine/cost/random-workload.h"

/* a makes 100 bytes for b and c; b and c are for d, which waits for a as well. */
typedef struct
{
  SluiceMachine *machine;
  SluiceWorkload *w;
  guint devices[4];
  double us[4], rounds[4];
  guint8 is_carried[4], is_fed[4];
  SluiceRunDevice abouts[2];
  SluiceRunLink links[4];
  SluiceRunModel model;
} Fixture;

static void
set_up (Fixture *f, gconstpointer unused)
{
  static const double us[] = { 10, 30, 50, 5 };
  g_autoptr (GRand) lot = g_rand_new_with_seed (1);
  f->machine = draw_machine (lot, &(WorkloadKind){ .n_devices = 2 });
  f->w = make_diamond (f->machine);
  for (guint v = 0; v < 4; v++)
    {
      f->us[v] = us[v];
      f->rounds[v] = 1;
      f->links[v] = (SluiceRunLink){ 2, 1, 10 };
    }
  f->model = (SluiceRunModel){ .workload = f->w,
                               .devices = f->devices,
                               .us = f->us,
                               .rounds = f->rounds,
                               .is_carried = f->is_carried,
                               .is_fed = f->is_fed,
                               .abouts = f->abouts,
                               .links = f->links,
                               .n_threads = 1 };
}

static void
tear_down (Fixture *f, gconstpointer unused)
{
  sluice_workload_free (f->w);
  sluice_machine_free (f->machine);
}

static void
add_queues (Fixture *f)
{
  f->abouts[1] = (SluiceRunDevice){ TRUE, 6, 3, 4 };
}

static void
expect (const Fixture *f, double us)
{
  g_assert_cmpfloat_with_epsilon (sluice_run_model_get_us (&f->model), us, 1e-9);
}

/* Another thread takes c while one runs b, where iterations are long. */
static void
test_threads (Fixture *f, gconstpointer unused)
{
  expect (f, 95);
  f->model.n_threads = 2;
  expect (f, 65);
  f->model.hand_us = 7;
  expect (f, 72);
  for (guint v = 0; v < 4; v++)
    f->rounds[v] = 10;
  expect (f, 95);
}

/* On one thread two CPUs are slower than one: it sends and receives. */
static void
test_cpus (Fixture *f, gconstpointer unused)
{
  f->devices[2] = 1;
  expect (f, 10 + 2 * (2 + 10) + 30 + 50 + 2 * (2 + 4) + 5);
}

/* All is given before the first has ended: the queue wakes once, and the host hears of the end. */
static void
test_queue (Fixture *f, gconstpointer unused)
{
  add_queues (f);
  for (guint v = 0; v < 4; v++)
    f->devices[v] = 1;
  expect (f, 6 + 95 + 4);
  f->is_carried[0] = 1; /* nobody gives it */
  expect (f, 6 + 95 + 4);
  f->us[0] = 0; /* nothing runs it */
  expect (f, 6 + 85 + 4);
}

/* a, the copy 13 to 25; the host is at b until 43, gives c, which ends at 96; it hears of that and
 * gives the copy back, 103 to 109, hears of that, too. */
static void
test_both (Fixture *f, gconstpointer unused)
{
  add_queues (f);
  f->devices[2] = 1;
  expect (f, 113 + 5);
  f->us[1] = 8; /* now it sleeps when the copy ends */
  expect (f, 29 + 6 + 50 + 4 + 3 + 6 + 4 + 5);
}

/* 100 bytes go in first: given at 3, begun at 4, there at 16. */
static void
test_feed_and_fetch (Fixture *f, gconstpointer unused)
{
  static const guint fetched[] = { 2 };
  add_queues (f);
  for (guint v = 0; v < 4; v++)
    f->devices[v] = 1;
  f->us[0] = 0;
  f->is_fed[0] = 1;
  expect (f, 16 + 85 + 4);
  f->model.fetched = fetched;
  f->model.n_fetched = 1;
  expect (f, 16 + 85 + 4 + 2 + 4);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define TEST(name, func) g_test_add (name, Fixture, NULL, set_up, func, tear_down)
  TEST ("/run-model/threads", test_threads);
  TEST ("/run-model/cpus", test_cpus);
  TEST ("/run-model/queue", test_queue);
  TEST ("/run-model/both", test_both);
  TEST ("/run-model/feed-and-fetch", test_feed_and_fetch);
  return g_test_run ();
}

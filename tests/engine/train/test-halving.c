/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <math.h>

#include "engine/train/halving.h"

#define MAX_TRIALS 40

static void
test_rungs (void)
{
  const SluiceHalving by_three = { 3, 100, 1000, FALSE };
  const SluiceHalving one_step = { 2, 1, 1, FALSE };
  const SluiceHalving late = { 4, 5000, 1000, FALSE };
  const SluiceHalving endless = { 2, 1, G_MAXINT64, FALSE };

  g_assert_cmpuint (sluice_halving_count_rungs (&by_three), ==, 4);
  g_assert_cmpint (sluice_halving_get_step (&by_three, 0), ==, 100);
  g_assert_cmpint (sluice_halving_get_step (&by_three, 1), ==, 300);
  g_assert_cmpint (sluice_halving_get_step (&by_three, 2), ==, 900);
  g_assert_cmpint (sluice_halving_get_step (&by_three, 3), ==, 1000);
  g_assert_cmpint (sluice_halving_get_step (&by_three, 60), ==, 1000);
  g_assert_cmpuint (sluice_halving_count_rungs (&one_step), ==, 1);
  g_assert_cmpuint (sluice_halving_count_rungs (&late), ==, 1);
  g_assert_cmpint (sluice_halving_get_step (&late, 0), ==, 1000);
  g_assert_cmpuint (sluice_halving_count_rungs (&endless), <=, SLUICE_HALVING_MAX_RUNGS);
  g_assert_cmpint (sluice_halving_get_step (&endless, SLUICE_HALVING_MAX_RUNGS), ==, G_MAXINT64);
  g_assert_cmpuint (sluice_halving_get_places (&by_three, 27, 0), ==, 9);
  g_assert_cmpuint (sluice_halving_get_places (&by_three, 27, 1), ==, 3);
  g_assert_cmpuint (sluice_halving_get_places (&by_three, 2, 3), ==, 1);
  /* Four trials to step 10, two of them on to 20, one to 40, that one to 50. */
  const SluiceHalving by_two = { .one_of = 2, .first = 10, .last = 50 };
  g_assert_cmpfloat (sluice_halving_count_steps (&by_two, 4), ==, 4 * 10 + 2 * 10 + 20 + 10);
  const SluiceHalving whole = { .one_of = 2, .first = 50, .last = 50 };
  g_assert_cmpfloat (sluice_halving_count_steps (&whole, 4), ==, 200);
}

/* Three of four trials have come to the first rung, of two places. */
static void
test_certain (void)
{
  const SluiceHalving self = { 2, 10, 20, FALSE };
  double values[] = { 0.1, 0.3, 0.2 };
  SluiceHalvingTrial trials[4] = {
    { 1, values, FALSE }, { 1, values + 1, FALSE }, { 1, values + 2, FALSE }, { 0, NULL, FALSE }
  };
  SluiceHalvingFate fates[4];

  sluice_halving_judge (&self, trials, 4, fates);
  g_assert_cmpint (fates[0], ==, SLUICE_HALVING_GOES_ON); /* whatever the fourth comes to */
  g_assert_cmpint (fates[1], ==, SLUICE_HALVING_DROPPED);
  g_assert_cmpint (fates[2], ==, SLUICE_HALVING_WAITS);
  g_assert_cmpint (fates[3], ==, SLUICE_HALVING_GOES_ON);
  trials[3].is_over = TRUE; /* it failed: nobody waits for it */
  sluice_halving_judge (&self, trials, 4, fates);
  g_assert_cmpint (fates[2], ==, SLUICE_HALVING_GOES_ON);
  g_assert_cmpint (fates[3], ==, SLUICE_HALVING_DROPPED);
}

static void
test_values (void)
{
  const SluiceHalving self = { 4, 10, 20, TRUE };
  double values[] = { NAN, 0.5, INFINITY, 0.5 };
  SluiceHalvingTrial trials[4];
  SluiceHalvingFate fates[4];

  for (guint i = 0; i < 4; i++)
    trials[i] = (SluiceHalvingTrial){ 1, values + i, FALSE };
  sluice_halving_judge (&self, trials, 4, fates);
  /* Of equals the first, and nothing that is not finite. */
  g_assert_cmpint (fates[1], ==, SLUICE_HALVING_GOES_ON);
  for (guint i = 0; i < 4; i++)
    g_assert_true (i == 1 || fates[i] == SLUICE_HALVING_DROPPED);
}

/* What a trial would come to, and on which rung it fails. */
typedef struct
{
  guint n, n_rungs;
  double values[MAX_TRIALS][SLUICE_HALVING_MAX_RUNGS];
  guint fails_on[MAX_TRIALS];
} World;

static void
draw_world (World *world, const SluiceHalving *self)
{
  world->n = g_test_rand_int_range (1, MAX_TRIALS);
  world->n_rungs = sluice_halving_count_rungs (self);
  for (guint i = 0; i < world->n; i++)
    {
      gboolean fails = g_test_rand_int_range (0, 8) == 0;
      world->fails_on[i] = fails ? (guint) g_test_rand_int_range (0, world->n_rungs) : G_MAXUINT;
      for (guint k = 0; k < world->n_rungs; k++)
        world->values[i][k] =
            g_test_rand_int_range (0, 12) == 0 ? NAN : g_test_rand_int_range (0, 10);
    }
}

/* A trial that may is trained to its next rung. FALSE: none may. */
static gboolean
advance (const World *world, SluiceHalvingTrial *trials, const SluiceHalvingFate *fates)
{
  guint start = g_test_rand_int_range (0, world->n);
  for (guint k = 0; k < world->n; k++)
    {
      guint i = (start + k) % world->n;
      if (fates[i] != SLUICE_HALVING_GOES_ON)
        continue;
      if (world->fails_on[i] == trials[i].n_reached)
        trials[i].is_over = TRUE;
      else
        trials[i].n_reached++;
      return TRUE;
    }
  return FALSE;
}

/* How each ended, in an order by lot; and that nothing that was said is taken back. */
static void
play (const SluiceHalving *self, World *world, guint *reached)
{
  SluiceHalvingTrial trials[MAX_TRIALS] = { 0 };
  SluiceHalvingFate fates[MAX_TRIALS], before[MAX_TRIALS];
  for (guint i = 0; i < world->n; i++)
    trials[i].values = world->values[i];
  sluice_halving_judge (self, trials, world->n, fates);
  for (gboolean any = TRUE; any;)
    {
      for (guint i = 0; i < world->n; i++)
        before[i] = fates[i];
      any = advance (world, trials, fates);
      sluice_halving_judge (self, trials, world->n, fates);
      for (guint i = 0; i < world->n; i++)
        if (before[i] == SLUICE_HALVING_DROPPED || before[i] == SLUICE_HALVING_FINISHED)
          g_assert_cmpint (fates[i], ==, before[i]);
    }
  for (guint i = 0; i < world->n; i++)
    {
      g_assert_true (fates[i] == SLUICE_HALVING_DROPPED || fates[i] == SLUICE_HALVING_FINISHED);
      reached[i] = trials[i].n_reached;
    }
}

static void
test_order (void)
{
  for (guint round = 0; round < 200; round++)
    {
      const SluiceHalving self = { g_test_rand_int_range (2, 5), g_test_rand_int_range (1, 20),
                                   g_test_rand_int_range (1, 2000), g_test_rand_int () & 1 };
      World world;
      guint first[MAX_TRIALS], other[MAX_TRIALS];
      draw_world (&world, &self);
      play (&self, &world, first);
      for (guint again = 0; again < 5; again++)
        {
          play (&self, &world, other);
          for (guint i = 0; i < world.n; i++)
            g_assert_cmpuint (other[i], ==, first[i]);
        }
      for (guint rung = 0; rung + 1 < world.n_rungs; rung++)
        {
          guint n_on = 0;
          for (guint i = 0; i < world.n; i++)
            n_on += first[i] > rung + 1;
          g_assert_cmpuint (n_on, <=, sluice_halving_get_places (&self, world.n, rung));
        }
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/train/halving/rungs", test_rungs);
  g_test_add_func ("/train/halving/certain", test_certain);
  g_test_add_func ("/train/halving/values", test_values);
  g_test_add_func ("/train/halving/order", test_order);
  return g_test_run ();
}

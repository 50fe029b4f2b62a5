/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What policies make of the networks that papers on placement take, on machines that are not here:
 * predicted step times, in milliseconds, and what 'learned' spent on them.
 *
 * usage: bench-policies [SIZE [SECONDS]]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/cost/policy.h"
#include "tests/engine/cost/networks.h"

static double
run (const char *name,
     const SluiceWorkload *w,
     const SluicePolicyOptions *options,
     SluiceChoice **choice)
{
  g_autoptr (GError) error = NULL;
  *choice = sluice_policy_run (sluice_policies_find (name, NULL), w, options, &error);
  if (*choice == NULL)
    fprintf (stderr, "%s: %s\n", name, error->message);
  return *choice != NULL ? (*choice)->schedule->us / 1000 : NAN;
}

static void
print_row (const Network *network, guint n_devices, double size, double seconds)
{
  static const char *const others[] = { "single", "round-robin", "greedy" };
  g_autoptr (SluiceMachine) machine = make_gpus (n_devices);
  g_autoptr (SluiceWorkload) w = network->make (machine, size);
  const SluicePolicyOptions options = { .seed = 1, .seconds = seconds };
  double greedy = NAN;
  printf ("%-14s %2u %6u", network->name, n_devices, w->n_nodes);
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    {
      SluiceChoice *choice;
      printf (" %11.2f", greedy = run (others[i], w, &options, &choice));
      g_clear_pointer (&choice, sluice_choice_free);
    }
  SluiceChoice *choice;
  double learned = run ("learned", w, &options, &choice);
  printf (" %9.2f %9.2f %7.1f %% %8.1f %9" G_GUINT64_FORMAT "  %s\n",
          choice != NULL ? choice->learned_us / 1000 : NAN, learned, 100 * (learned / greedy - 1),
          choice != NULL ? choice->seconds : NAN, choice != NULL ? choice->n_tried : 0,
          choice == NULL             ? "-"
          : choice->instead != NULL  ? choice->instead
          : choice->found_by != NULL ? choice->found_by
                                     : "-");
  fflush (stdout);
  g_clear_pointer (&choice, sluice_choice_free);
}

int
main (int argc, char **argv)
{
  static const guint counts[] = { 4, 8 };
  double size = argc > 1 ? g_ascii_strtod (argv[1], NULL) : 1;
  double seconds = argc > 2 ? g_ascii_strtod (argv[2], NULL) : 0;
  printf ("%-14s %2s %6s %11s %11s %11s %9s %9s %9s %8s %9s  %s\n", "network", "on", "nodes",
          "single", "round-robin", "greedy", "REINFORCE", "learned", "", "seconds", "tried",
          "found by");
  for (guint i = 0; i < n_networks; i++)
    for (guint k = 0; k < G_N_ELEMENTS (counts); k++)
      print_row (&networks[i], counts[k], size, seconds);
  return EXIT_SUCCESS;
}

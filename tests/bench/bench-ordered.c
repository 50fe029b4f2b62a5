/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * What it costs to order the effects of a training step: with and without the session option
 * `ordered`, in turns on one thread. A JSON line a project: by how many percent the median step is
 * longer.
 *
 * usage: bench-ordered PROJECT...
 */
#include <stdio.h>

#include "engine/base/pool.h"
#include "engine/passes/passes.h"
#include "kernels/registry.h"
#include "tests/bench/pair.h"

int
main (int argc, char **argv)
{
  g_set_prgname ("bench-ordered");
  sluice_pool_set_threads (1);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
  for (int i = 1; i < argc; i++)
    {
      SluiceSessionOptions options[2] = { { .seed = 1, .ordered = TRUE }, { .seed = 1 } };
      double ns[2];
      g_autofree char *name = pair_measure_project (argv[i], options, ns);
      printf ("{\"name\": \"ordered/%s\", \"value\": %.3f, \"unit\": \"%%\", \"goal\": 10, "
              "\"step_us\": %.1f}\n",
              name, (ns[0] / ns[1] - 1) * 100, ns[0] / 1000);
      fflush (stdout);
    }
  return 0;
}

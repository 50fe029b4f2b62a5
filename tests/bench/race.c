/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "tests/bench/race.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "engine/base/pool.h"
#include "tests/bench/median.h"

#define ROUNDS    9
#define ROUND_NS  5e6  /* about what a turn takes */
#define SETTLE_US 4000 /* libgomp's threads spin for a few milliseconds after their last work */
#define MOST      4    /* contenders */

guint race_n_threads;
const char *race_only;

static void
fatal (GError *error)
{
  fprintf (stderr, "%s: %s\n", g_get_prgname (), error->message);
  exit (1);
}

/* ---- one node ---- */

SluiceTensor *
race_filled (const SluiceShape *shape)
{
  SluiceTensor *tensor = sluice_tensor_new_zeros (SLUICE_FLOAT, shape);
  for (gint64 i = 0; i < tensor->n_elements; i++)
    ((float *) tensor->data)[i] = (float) (i * 7919 % 1000) / 1000 - 0.5f;
  return tensor;
}

void
node_bench_init (NodeBench *self,
                 const char *op,
                 SluiceTensor *const *inputs,
                 guint n,
                 guint n_refs,
                 const SluiceAttr *attrs,
                 guint n_attrs)
{
  GError *error = NULL;
  SluiceBuilder b;
  SluiceEdge edges[RACE_MAX_INPUTS];
  g_assert (n <= RACE_MAX_INPUTS);
  *self = (NodeBench){ .graph = sluice_graph_new (),
                       .device = sluice_device_new_cpu (NULL, 0, 0, NULL),
                       .n_refs = n_refs };
  sluice_builder_init (&b, self->graph, NULL);
  for (guint i = 0; i < n; i++)
    {
      const SluiceTensor *tensor = inputs[i];
      SluiceAttr of[] = { sluice_attr_type ("dtype", tensor->dtype),
                          sluice_attr_shape ("shape", &tensor->shape) };
      edges[i] =
          sluice_builder_add (&b, i < n_refs ? "VariableV2" : "Placeholder", NULL, NULL, 0, of, 2);
      self->inputs[i].tensor = inputs[i];
      if (i >= n_refs)
        continue;
      self->inputs[i].ref = sluice_variable_new ("v", tensor->dtype, &tensor->shape);
      sluice_variable_take_tensor (self->inputs[i].ref, inputs[i]);
    }
  self->node = sluice_builder_add (&b, op, NULL, edges, n, attrs, n_attrs).node;
  if (!sluice_builder_finish (&b, &error))
    fatal (error);
  self->kernel = sluice_kernel_find (self->node, "CPU", G_MAXINT, &error);
  if (!self->kernel)
    fatal (error);
  if (self->kernel->prepare)
    self->state = self->kernel->prepare (self->node, &error);
  if (error)
    fatal (error);
}

void
node_bench_clear (NodeBench *self)
{
  if (self->kernel->free_state)
    self->kernel->free_state (self->state);
  for (guint i = 0; i < self->node->n_inputs; i++)
    if (i < self->n_refs)
      sluice_resource_unref (&self->inputs[i].ref->parent);
    else
      sluice_tensor_unref (self->inputs[i].tensor);
  sluice_graph_unref (self->graph);
  sluice_device_free (self->device);
}

void
node_bench_call (gpointer data)
{
  NodeBench *self = data;
  SluiceValue output = { NULL };
  SluiceKernelCall call = { .node = self->node,
                            .kernel = self->kernel,
                            .state = self->state,
                            .inputs = self->inputs,
                            .outputs = &output,
                            .n_inputs = (guint16) self->node->n_inputs,
                            .n_outputs = 1,
                            .device = self->device };
  if (!self->kernel->compute (&call))
    fatal (call.error);
  if (self->n_refs > 0)
    sluice_resource_unref (&output.ref->parent);
  else
    sluice_tensor_unref (output.tensor);
}

/* ---- measuring in turns ---- */

/* One thread's own time where there is one: then other programs do not count. */
static double
now_ns (void)
{
  struct timespec now;
  clock_gettime (race_n_threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &now);
  return 1e9 * (double) now.tv_sec + (double) now.tv_nsec;
}

static void
repeat (const Contender *contender, guint n)
{
  for (guint i = 0; i < n; i++)
    contender->call (contender->data);
}

/* Nanoseconds a call. On several threads each contender begins with the others' threads asleep and
 * its own awake: a rival's spinning thread would take a core away. */
static double
time_turn (const Contender *contender, guint repeats)
{
  if (race_n_threads > 1)
    g_usleep (SETTLE_US);
  repeat (contender, repeats / 4 + 1);
  double start = now_ns ();
  repeat (contender, repeats);
  return (now_ns () - start) / repeats;
}

/* So many calls that a turn takes ROUND_NS. */
static guint
find_repeats (const Contender *contender)
{
  double ns = time_turn (contender, 1);
  return (guint) CLAMP (ROUND_NS / ns, 1, 100000);
}

void
race (const char *name,
      double work,
      const char *unit,
      double goal,
      const Contender *contenders,
      guint n)
{
  double ns[MOST][ROUNDS], best[MOST], ratios[ROUNDS];
  guint fastest = 1;
  g_assert (n >= 2 && n <= MOST);
  if (race_only && !strstr (name, race_only))
    return;
  guint repeats = find_repeats (&contenders[0]);
  for (guint c = 0; c < n; c++)
    best[c] = G_MAXDOUBLE;
  for (guint round = 0; round < ROUNDS; round++)
    for (guint c = 0; c < n; c++)
      {
        ns[c][round] = time_turn (&contenders[c], repeats);
        best[c] = MIN (best[c], ns[c][round]);
      }
  for (guint c = 2; c < n; c++)
    fastest = best[c] < best[fastest] ? c : fastest;
  for (guint round = 0; round < ROUNDS; round++)
    ratios[round] = ns[fastest][round] / ns[0][round];
  printf ("{\"name\": \"kernels/%s/threads=%u\", \"value\": %.3f, \"unit\": \"ratio\", \"better\": "
          "\"higher\", \"goal\": %g, \"%s\": %.3g, \"us\": %.1f}\n",
          name, race_n_threads, bench_median (ratios, ROUNDS), goal, unit, work / best[0],
          best[0] / 1000);
  fflush (stdout);
}

void
race_threads (const char *name, const Contender *contender, double goal)
{
  guint all = sluice_pool_get_threads (), repeats = find_repeats (contender);
  double ratios[ROUNDS];
  if (race_only && !strstr (name, race_only))
    return;
  for (guint round = 0; round < ROUNDS; round++)
    {
      sluice_pool_set_threads (1);
      double alone = time_turn (contender, repeats);
      sluice_pool_set_threads (all);
      ratios[round] = alone / time_turn (contender, repeats);
    }
  printf ("{\"name\": \"kernels/speed-up/%s\", \"value\": %.3f, \"unit\": \"ratio\", "
          "\"better\": \"higher\", \"goal\": %g}\n",
          name, bench_median (ratios, ROUNDS), goal);
  fflush (stdout);
}

double
race_best_ns (const Contender *contender)
{
  guint repeats = find_repeats (contender);
  double best = G_MAXDOUBLE;
  for (guint round = 0; round < ROUNDS; round++)
    best = MIN (best, time_turn (contender, repeats));
  return best;
}

int
race_main (int argc, char **argv, void (*bench) (void))
{
  race_only = argc > 1 ? argv[1] : NULL;
  g_set_prgname (argv[0]);
  sluice_registry_init (sluice_kernel_modules ());
  guint saved = sluice_denormals_flush_begin ();
  guint all = sluice_pool_get_threads ();
  for (race_n_threads = 1; race_n_threads <= all;
       race_n_threads = race_n_threads < all ? all : all + 1)
    {
      sluice_pool_set_threads (race_n_threads);
      bench ();
    }
  sluice_denormals_flush_end (saved);
  return 0;
}

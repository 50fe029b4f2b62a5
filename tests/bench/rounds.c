/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "tests/bench/rounds.h"

#include <stdio.h>
#include <time.h>

#include "tests/bench/median.h"

#define N_BEFORE 3

void
rounds_fatal (GError *error)
{
  fprintf (stderr, "%s: %s\n", g_get_prgname (), error->message);
  exit (1);
}

double
rounds_thread_ns (void)
{
  struct timespec now;
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  return (double) now.tv_sec * 1e9 + (double) now.tv_nsec;
}

void
rounds_report (
    const char *name, const char *unit, double *values, guint n, double goal, Better better)
{
  qsort (values, n, sizeof (double), bench_compare_doubles);
  printf ("{\"name\": \"runtime/%s\", \"value\": %.4g, \"unit\": \"%s\", \"goal\": %.2f, "
          "\"better\": \"%s\", \"best\": %.4g}\n",
          name, values[n / 2], unit, goal, better == LESS_IS_BETTER ? "lower" : "higher",
          values[better == LESS_IS_BETTER ? 0 : n - 1]);
  fflush (stdout);
}

SluiceNode *
rounds_add_node (SluiceGraph *graph,
                 const char *op,
                 const SluiceEdge *inputs,
                 guint n_inputs,
                 SluiceNode *const *controls,
                 guint n_controls)
{
  GError *error = NULL;
  SluiceNodeSpec spec = { .op = op,
                          .inputs = inputs,
                          .n_inputs = n_inputs,
                          .control_inputs = controls,
                          .n_control_inputs = n_controls };
  SluiceNode *node = sluice_graph_add (graph, &spec, &error);
  if (!node)
    rounds_fatal (error);
  return node;
}

void
rounds_finish (SluiceBuilder *b)
{
  GError *error = NULL;
  if (!sluice_builder_finish (b, &error))
    rounds_fatal (error);
}

SluiceEdge
rounds_placeholder (SluiceGraph *graph, const char *name, const SluiceShape *shape)
{
  SluiceBuilder b;
  sluice_builder_init (&b, graph, NULL);
  SluiceAttr attrs[] = { sluice_attr_type ("dtype", SLUICE_FLOAT),
                         sluice_attr_shape ("shape", shape) };
  SluiceEdge edge = sluice_builder_add (&b, "Placeholder", name, NULL, 0, attrs, 2);
  rounds_finish (&b);
  return edge;
}

SluiceEdge
rounds_enter (SluiceBuilder *b, SluiceEdge value, gboolean is_constant)
{
  SluiceAttr attrs[] = { sluice_attr_string ("frame_name", "loop"),
                         sluice_attr_bool ("is_constant", is_constant) };
  return sluice_builder_add (b, "Enter", NULL, &value, 1, attrs, G_N_ELEMENTS (attrs));
}

SluiceSession *
rounds_session (SluiceGraph *graph, const SluiceSessionOptions *options)
{
  GError *error = NULL;
  SluiceSession *session = sluice_session_new (options, &error);
  if (!session || !sluice_session_extend (session, graph, &error))
    rounds_fatal (error);
  return session;
}

void
rounds_run (SluiceCallable *callable,
            SluiceTensor *const *feeds,
            guint n_outputs,
            guint n_rounds,
            guint n,
            double *ns)
{
  GError *error = NULL;
  g_autofree SluiceTensor **outputs = g_new0 (SluiceTensor *, n_outputs + 1);
  for (int i = -N_BEFORE; i < (int) n_rounds; i++)
    {
      double start = rounds_thread_ns ();
      for (guint k = 0; k < n; k++)
        {
          if (!sluice_callable_run (callable, feeds, outputs, NULL, &error))
            rounds_fatal (error);
          for (guint o = 0; o < n_outputs; o++)
            sluice_tensor_unref (outputs[o]);
        }
      if (i >= 0)
        ns[i] = (rounds_thread_ns () - start) / n;
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The text of a large graph: all of it, what a keystroke reads, what a command writes anew. The
 * graph is SLUICE_BENCH_GRAPH, or 36,000 nodes that are made here. A JSON line a figure. */
#include <stdio.h>
#include <string.h>

#include "engine/command/stack.h"
#include "engine/graph/graphdef.h"
#include "engine/passes/passes.h"
#include "kernels/registry.h"
#include "tests/bench/rounds.h"

enum
{
  N_NODES = 36000,
  N_ROUNDS = 20,
};

static void
print_figure (const char *figure, double value, const char *unit, double goal)
{
  printf ("{\"name\":\"text/%s\",\"value\":%.3f,\"unit\":\"%s\",\"goal\":%g}\n", figure, value,
          unit, goal);
  fflush (stdout);
}

static double
ms_since (double start)
{
  return (rounds_thread_ns () - start) / 1e6;
}

static SluiceGraph *
make_graph (void)
{
  const char *path = g_getenv ("SLUICE_BENCH_GRAPH");
  g_autoptr (GError) error = NULL;
  SluiceGraph *graph = path != NULL ? sluice_graph_load_file (path, &error) : sluice_graph_new ();
  if (graph == NULL)
    rounds_fatal (g_steal_pointer (&error));
  SluiceShape shape = SLUICE_SHAPE (-1, 64);
  SluiceAttr attrs[] = { sluice_attr_type ("dtype", SLUICE_FLOAT),
                         sluice_attr_shape ("shape", &shape) };
  SluiceEdge last = SLUICE_NO_EDGE;
  for (guint i = 0; path == NULL && i < N_NODES; i++)
    {
      g_autofree char *name = g_strdup_printf ("tower_%u/layer_%u/op_%u", i / 400, i / 20, i);
      SluiceNodeSpec spec = { .name = name, .op = i == 0 ? "Placeholder" : "Relu" };
      spec.attrs = attrs;
      spec.n_attrs = i == 0 ? G_N_ELEMENTS (attrs) : 0;
      spec.inputs = &last;
      spec.n_inputs = i > 0;
      last.node = sluice_graph_add (graph, &spec, NULL);
    }
  return graph;
}

/* What stands in the lines of a block. (transfer full) */
static char *
dup_lines (const char *text, guint first, guint behind)
{
  const char *begin = text;
  for (guint i = 0; i < first; i++)
    begin = strchr (begin, '\n') + 1;
  const char *end = begin;
  for (guint i = first; i < behind; i++)
    end = strchr (end, '\n') + 1;
  return g_strndup (begin, (gsize) (end - begin));
}

/* A comment comes into the block of a node in the middle. */
static void
time_typing (SluiceGraph *graph, SluiceGraphText *map, const char *text)
{
  g_auto (SluiceTextSpot) spot = { 0 };
  guint n = sluice_graph_text_get_n_lines (map);
  SluiceNode *node = sluice_graph_get_node (graph, sluice_graph_get_n_nodes (graph) / 2);
  sluice_graph_text_find_node (map, node, SLUICE_NODE_FIELD_NONE, NULL, 0, &spot);
  g_autofree char *block = dup_lines (text, spot.begin.line, spot.end.line);
  g_autofree char *now = g_strconcat ("# here\n", block, NULL);
  double start = rounds_thread_ns ();
  for (guint i = 0; i < N_ROUNDS; i++)
    {
      g_auto (SluiceTextChange) change = { 0 };
      guint n_before = spot.begin.line, n_behind = n - spot.end.line;
      sluice_graph_text_widen (map, &n_before, &n_behind);
      sluice_graph_text_propose (map, n_before, n_behind, now, &change, NULL);
    }
  print_figure ("read of a block", ms_since (start) / N_ROUNDS, "ms", 16);
}

static void
time_command (SluiceGraph *graph, SluiceCommandStack *stack, SluiceGraphText *map)
{
  const char *name = sluice_graph_get_node (graph, sluice_graph_get_n_nodes (graph) / 2)->name;
  double start = rounds_thread_ns ();
  for (guint i = 0; i < N_ROUNDS; i++)
    {
      g_autofree char *line = g_strdup_printf ("set %s _note=%u", name, i);
      sluice_command_stack_do (stack, line, NULL, NULL);
      sluice_graph_text_refresh (map, G_MAXINT64);
    }
  print_figure ("command and its lines", ms_since (start) / N_ROUNDS, "ms", 16);
}

int
main (int argc, char **argv)
{
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
  g_autoptr (SluiceGraph) graph = make_graph ();
  g_autoptr (SluiceCommandStack) stack = sluice_command_stack_new (graph);
  double start = rounds_thread_ns ();
  g_autoptr (SluiceGraphText) map = sluice_graph_text_new (graph, NULL);
  print_figure ("map", ms_since (start), "ms", 100);
  start = rounds_thread_ns ();
  g_autofree char *text = sluice_graph_text_dup_text (map);
  print_figure ("all lines", ms_since (start), "ms", 2000);
  print_figure ("size", (double) strlen (text) / 1e6, "MB", 20);
  time_typing (graph, map, text);
  time_command (graph, stack, map);
  return 0;
}

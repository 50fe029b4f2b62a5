/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "tests/engine/cost/random-workload.h"

#include <math.h>

static gboolean
happens (GRand *lot, guint chance)
{
  return g_rand_int_range (lot, 0, 100) < (int) chance;
}

SluiceMachine *
draw_machine (GRand *lot, const WorkloadKind *kind)
{
  SluiceMachine *machine = g_new0 (SluiceMachine, 1);
  guint n = machine->n_devices = kind->n_devices;
  machine->devices = g_new0 (SluiceMachineDevice, n);
  machine->links = g_new0 (SluiceMachineLink, n * n);
  for (guint d = 0; d < n; d++)
    {
      machine->devices[d].name =
          g_strdup_printf ("/job:localhost/replica:0/task:0/device:CPU:%u", d);
      machine->devices[d].type = g_strdup ("CPU");
      machine->devices[d].memory = INFINITY;
      for (guint e = 0; e < n; e++)
        {
          SluiceMachineLink *link = &machine->links[d * n + e];
          link->latency_us =
              happens (lot, kind->gap_chance) ? INFINITY : g_rand_int_range (lot, 0, 8);
          link->bytes_per_us = 1 << g_rand_int_range (lot, 0, 4);
        }
    }
  return machine;
}

/* Each once. */
static guint
draw_some (GRand *lot, GArray *list, guint n, guint most)
{
  guint first = list->len;
  for (guint tries = 0; n > 0 && tries < most; tries++)
    {
      guint one = (guint) g_rand_int_range (lot, 0, (gint32) n);
      gboolean has = FALSE;
      for (guint i = first; i < list->len; i++)
        has |= g_array_index (list, guint, i) == one;
      if (!has)
        g_array_append_val (list, one);
    }
  return list->len - first;
}

static void
draw_node (GRand *lot, const WorkloadKind *kind, SluiceWorkload *w, GArray *lists[3])
{
  guint v = w->n_nodes++, n_devices = w->machine->n_devices;
  SluiceWorkloadNode *node = &w->nodes[v];
  g_autofree char *name = g_strdup_printf ("n%u", v);
  node->name = g_string_chunk_insert (w->texts, name);
  node->first_read = lists[0]->len;
  node->n_reads = draw_some (lot, lists[0], lists[2]->len,
                             (guint) g_rand_int_range (lot, 0, (gint32) kind->most_reads + 1));
  node->first_before = lists[1]->len;
  node->n_befores = draw_some (lot, lists[1], v, happens (lot, kind->before_chance));
  node->first_output = lists[2]->len;
  node->n_outputs = (guint) g_rand_int_range (lot, 0, 3);
  for (guint i = 0; i < node->n_outputs; i++)
    {
      const SluiceWorkloadOutput output = { v, g_rand_int_range (lot, 0, 60) };
      g_array_append_val (lists[2], output);
    }
  node->group = v > 0 && happens (lot, kind->group_chance)
                    ? w->nodes[g_rand_int_range (lot, 0, (gint32) v)].group
                    : w->n_groups++;
  guint always = (guint) g_rand_int_range (lot, 0, (gint32) n_devices);
  for (guint d = 0; d < n_devices; d++)
    w->us[v * n_devices + d] = d != always && happens (lot, kind->missing_chance)
                                   ? INFINITY
                                   : g_rand_int_range (lot, 1, 40);
}

SluiceWorkload *
draw_workload (GRand *lot, const WorkloadKind *kind, SluiceMachine *machine)
{
  SluiceWorkload *w = sluice_workload_new (machine);
  GArray *lists[3] = { g_array_new (FALSE, FALSE, sizeof (guint)),
                       g_array_new (FALSE, FALSE, sizeof (guint)),
                       g_array_new (FALSE, FALSE, sizeof (SluiceWorkloadOutput)) };
  double bytes = 0;
  w->nodes = g_new0 (SluiceWorkloadNode, kind->n_nodes);
  w->us = g_new0 (double, kind->n_nodes * machine->n_devices);
  while (w->n_nodes < kind->n_nodes)
    draw_node (lot, kind, w, lists);
  w->n_reads = lists[0]->len;
  w->n_befores = lists[1]->len;
  w->n_outputs = lists[2]->len;
  w->reads = (guint *) g_array_free (lists[0], FALSE);
  w->befores = (guint *) g_array_free (lists[1], FALSE);
  w->outputs = (SluiceWorkloadOutput *) g_array_free (lists[2], FALSE);
  for (guint o = 0; o < w->n_outputs; o++)
    bytes += w->outputs[o].bytes;
  for (guint d = 0; d < machine->n_devices; d++)
    machine->devices[d].memory = kind->memory > 0 ? floor (bytes * kind->memory) : INFINITY;
  return w;
}

gboolean
draw_devices (GRand *lot, const SluiceWorkload *w, guint *devices)
{
  guint n = w->machine->n_devices;
  for (guint v = 0; v < w->n_nodes; v++)
    devices[v] = G_MAXUINT;
  for (guint v = 0; v < w->n_nodes; v++)
    {
      if (devices[v] != G_MAXUINT)
        continue;
      guint begin = (guint) g_rand_int_range (lot, 0, (gint32) n), found = G_MAXUINT;
      for (guint i = 0; i < n && found == G_MAXUINT; i++)
        {
          gboolean fits = TRUE;
          for (guint u = 0; u < w->n_nodes; u++)
            if (w->nodes[u].group == w->nodes[v].group)
              fits &= isfinite (sluice_workload_get_us (w, u, (begin + i) % n));
          found = fits ? (begin + i) % n : G_MAXUINT;
        }
      if (found == G_MAXUINT)
        return FALSE;
      for (guint u = v; u < w->n_nodes; u++)
        if (w->nodes[u].group == w->nodes[v].group)
          devices[u] = found;
    }
  return TRUE;
}

SluiceWorkload *
make_diamond (const SluiceMachine *machine)
{
  static const SluiceWorkloadNode nodes[] = {
    { "a", 0, 0, 0, 0, 0, 1, 0 },
    { "b", 0, 1, 0, 0, 1, 1, 1 },
    { "c", 1, 1, 0, 0, 2, 1, 2 },
    { "d", 2, 2, 0, 1, 3, 0, 3 },
  };
  static const SluiceWorkloadOutput outputs[] = { { 0, 100 }, { 1, 20 }, { 2, 40 } };
  static const guint reads[] = { 0, 0, 1, 2 }, befores[] = { 0 };
  static const double us[] = { 10, 10, 30, 30, 50, 50, 5, 5 };
  SluiceWorkload *w = sluice_workload_new (machine);
  w->nodes = g_memdup2 (nodes, sizeof nodes);
  w->outputs = g_memdup2 (outputs, sizeof outputs);
  w->reads = g_memdup2 (reads, sizeof reads);
  w->befores = g_memdup2 (befores, sizeof befores);
  w->us = g_memdup2 (us, sizeof us);
  w->n_nodes = w->n_groups = G_N_ELEMENTS (nodes);
  w->n_outputs = G_N_ELEMENTS (outputs);
  w->n_reads = G_N_ELEMENTS (reads);
  w->n_befores = G_N_ELEMENTS (befores);
  return w;
}

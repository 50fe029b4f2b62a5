/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/passes/predict.h"

#include <math.h>

/* Of a table of which no prediction was held to a step yet: as formulas. */
#define UNTRIED 0.5

typedef struct
{
  const SluiceGraphWorkload *workload;
  const SluiceMachine *machine;
  SluiceMeasured *measured;
  SluiceRunDevice *abouts;
  SluiceRunLink *links;
  double *us, *rounds;
  guint8 *is_carried, *is_fed;
  guint *fetched;
  guint n_fetched;
} Builder;

static void
builder_clear (Builder *self)
{
  g_free (self->abouts);
  g_free (self->links);
  g_free (self->us);
  g_free (self->rounds);
  g_free (self->is_carried);
  g_free (self->is_fed);
  g_free (self->fetched);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Builder, builder_clear)

static double
get_overhead_us (SluiceMeasured *measured, const char *device, SluiceOverhead overhead)
{
  SluiceMeasuredFigure figure;
  sluice_measured_get_overhead (measured, device, overhead, &figure);
  return figure.mean_us;
}

static void
fill_device (Builder *self, guint d)
{
  const SluiceMachineDevice *device = &self->machine->devices[d];
  SluiceRunDevice *about = &self->abouts[d];
  SluiceMeasuredFigure give;
  about->has_queues = device->device->klass->queues != NULL;
  if (!about->has_queues)
    return;
  /* What passes between nodes goes with each of them already. */
  double between_us = get_overhead_us (self->measured, device->name, SLUICE_OVERHEAD_BETWEEN);
  double wake_us = get_overhead_us (self->measured, device->name, SLUICE_OVERHEAD_WAKE);
  about->wake_us = fmax (wake_us - between_us, 0);
  /* The median: the thread may have been away meanwhile. */
  sluice_measured_get_overhead (self->measured, device->name, SLUICE_OVERHEAD_GIVE, &give);
  about->give_us = give.us;
  about->news_us = get_overhead_us (self->measured, device->name, SLUICE_OVERHEAD_NEWS);
}

/* A queue that was never seen to wake for a copy takes as long as that for nodes. */
static void
fill_link (Builder *self, guint from, guint to)
{
  SluiceMeasuredLink link;
  SluiceRunLink *about = &self->links[from * self->machine->n_devices + to];
  const SluiceMachineLink *told = sluice_machine_get_link (self->machine, from, to);
  double wake_us = fmax (self->abouts[from].wake_us, self->abouts[to].wake_us);
  *about = (SluiceRunLink){ told->latency_us, wake_us, told->bytes_per_us };
  if (from != to && sluice_machine_find_measured (self->machine, self->measured, from, to, &link))
    *about = (SluiceRunLink){ link.latency_us, link.wait_us > 0 ? link.wait_us : wake_us,
                              link.bytes_per_us };
}

/* The first device that is none of its own. */
static guint
find_host (const Builder *self)
{
  guint d = 0;
  while (d + 1 < self->machine->n_devices && self->abouts[d].has_queues)
    d++;
  return d;
}

/* Nodes of one kind are off together, those of others by themselves. sums: by kind, of double */
static void
add_plus_minus (GHashTable *sums, const SluiceFigure *figure, double *square)
{
  double *sum = figure->kind != NULL ? g_hash_table_lookup (sums, figure->kind) : NULL;
  if (figure->kind == NULL)
    *square += figure->plus_minus * figure->plus_minus;
  else if (sum != NULL)
    *sum += figure->plus_minus;
  else
    g_hash_table_insert (sums, (gpointer) figure->kind,
                         g_memdup2 (&figure->plus_minus, sizeof figure->plus_minus));
}

static void
fill_nodes (Builder *self,
            const guint *devices,
            SluiceCostModel *costs,
            SluicePrediction *prediction)
{
  g_autoptr (GHashTable) sums = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  GHashTableIter iter;
  gpointer sum;
  double square = 0;
  for (guint v = 0; v < self->workload->workload->n_nodes; v++)
    {
      const SluiceNode *node = self->workload->nodes[v];
      SluiceFigure figure = sluice_cost_model_get (costs, node, &self->machine->devices[devices[v]],
                                                   SLUICE_WORKLOAD_DIM);
      self->us[v] = figure.mean_us;
      self->rounds[v] = figure.rounds;
      self->is_carried[v] = figure.is_carried;
      self->is_fed[v] = sluice_node_get_role (node) == SLUICE_ROLE_PLACEHOLDER;
      add_plus_minus (sums, &figure, &square);
      if (self->abouts[devices[v]].has_queues)
        prediction->queues_us += figure.mean_us;
      else
        prediction->host_us += figure.mean_us;
    }
  g_hash_table_iter_init (&iter, sums);
  while (g_hash_table_iter_next (&iter, NULL, &sum))
    square += *(double *) sum * *(double *) sum;
  prediction->plus_minus = sqrt (square);
}

static void
fill_fetches (Builder *self, const SluiceEdge *fetches, guint n)
{
  const SluiceWorkload *w = self->workload->workload;
  for (guint i = 0; i < n; i++)
    for (guint v = 0; v < w->n_nodes; v++)
      if (self->workload->nodes[v] == fetches[i].node)
        self->fetched[self->n_fetched++] = w->nodes[v].first_output + (guint) fetches[i].port;
}

void
sluice_graph_workload_predict (const SluiceGraphWorkload *self,
                               const guint *devices,
                               const SluiceEdge *fetches,
                               guint n_fetches,
                               SluiceCostModel *costs,
                               SluiceMeasured *measured,
                               guint n_threads,
                               SluicePrediction *prediction)
{
  const SluiceWorkload *w = self->workload;
  guint n = w->machine->n_devices;
  g_auto (Builder) builder = { .workload = self,
                               .machine = w->machine,
                               .measured = measured,
                               .abouts = g_new0 (SluiceRunDevice, n + 1),
                               .links = g_new0 (SluiceRunLink, (gsize) n * n + 1),
                               .us = g_new (double, w->n_nodes + 1),
                               .rounds = g_new (double, w->n_nodes + 1),
                               .is_carried = g_new (guint8, w->n_nodes + 1),
                               .is_fed = g_new (guint8, w->n_nodes + 1),
                               .fetched = g_new (guint, n_fetches + 1) };
  *prediction = (SluicePrediction){ 0 };
  for (guint d = 0; d < n; d++)
    fill_device (&builder, d);
  for (guint i = 0; i < n * n; i++)
    fill_link (&builder, i / n, i % n);
  fill_nodes (&builder, devices, costs, prediction);
  fill_fetches (&builder, fetches, n_fetches);
  const SluiceRunModel model = { .workload = w,
                                 .devices = devices,
                                 .us = builder.us,
                                 .rounds = builder.rounds,
                                 .is_carried = builder.is_carried,
                                 .is_fed = builder.is_fed,
                                 .abouts = builder.abouts,
                                 .links = builder.links,
                                 .fetched = builder.fetched,
                                 .n_fetched = builder.n_fetched,
                                 .host = find_host (&builder),
                                 .n_threads = n_threads,
                                 .hand_us = 0 };
  prediction->us = sluice_run_model_get_us (&model);
  double off = sluice_measured_get_off (measured);
  prediction->plus_minus =
      hypot (prediction->plus_minus, (isnan (off) ? UNTRIED : off) * prediction->us);
}

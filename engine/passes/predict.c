/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/passes/predict.h"

#include <math.h>

typedef struct
{
  const SluiceMachine *machine;
  SluiceMeasured *measured;
  SluiceRunDevice *abouts;
  SluiceRunLink *links;
} Builder;

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

static void
fill_link (Builder *self, guint from, guint to)
{
  SluiceMeasuredLink link;
  SluiceRunLink *about = &self->links[from * self->machine->n_devices + to];
  const SluiceMachineLink *told = sluice_machine_get_link (self->machine, from, to);
  *about = (SluiceRunLink){ told->latency_us, 0, told->bytes_per_us };
  if (sluice_measured_get_link (self->measured, self->machine->devices[from].name,
                                self->machine->devices[to].name, &link))
    *about = (SluiceRunLink){ link.latency_us, link.wait_us, link.bytes_per_us };
}

/* A session of one thread has but that; whose second one was never seen to help gets it for free.
 */
static double
get_hand_us (const Builder *self)
{
  for (guint d = 0; d < self->machine->n_devices; d++)
    if (!self->abouts[d].has_queues)
      return get_overhead_us (self->measured, self->machine->devices[d].name, SLUICE_OVERHEAD_WAKE);
  return 0;
}

void
sluice_graph_workload_predict (const SluiceGraphWorkload *self,
                               const guint *devices,
                               SluiceCostModel *costs,
                               SluiceMeasured *measured,
                               guint n_threads,
                               SluicePrediction *prediction)
{
  const SluiceWorkload *w = self->workload;
  guint n = w->machine->n_devices;
  g_autofree double *us = g_new (double, w->n_nodes + 1);
  g_autofree guint8 *is_carried = g_new (guint8, w->n_nodes + 1);
  g_autofree SluiceRunDevice *abouts = g_new0 (SluiceRunDevice, n + 1);
  g_autofree SluiceRunLink *links = g_new0 (SluiceRunLink, (gsize) n * n + 1);
  Builder builder = { w->machine, measured, abouts, links };
  double square = 0;
  *prediction = (SluicePrediction){ 0 };
  for (guint d = 0; d < n; d++)
    fill_device (&builder, d);
  for (guint i = 0; i < n * n; i++)
    fill_link (&builder, i / n, i % n);
  for (guint v = 0; v < w->n_nodes; v++)
    {
      SluiceFigure figure = sluice_cost_model_get (
          costs, self->nodes[v], &w->machine->devices[devices[v]], SLUICE_WORKLOAD_DIM);
      us[v] = figure.mean_us;
      is_carried[v] = figure.is_carried;
      square += figure.plus_minus * figure.plus_minus;
      *(abouts[devices[v]].has_queues ? &prediction->queues_us : &prediction->host_us) += us[v];
    }
  const SluiceRunModel model = { w,      devices, us,        is_carried,
                                 abouts, links,   n_threads, get_hand_us (&builder) };
  prediction->us = sluice_run_model_get_us (&model);
  prediction->plus_minus = sqrt (square);
}

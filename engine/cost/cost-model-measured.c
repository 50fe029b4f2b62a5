/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <math.h>

#include "engine/cost/cost-model-private.h"

/* What a figure that was scaled may be off besides, for each factor of e. */
#define SCALED_PLUS_MINUS 0.3

/* What passes before a node goes with each that has a kernel of its own. */
static void
take (SluiceMeasured *measured,
      const SluiceMeasuredFigure *found,
      double factor,
      const char *device,
      SluiceFigure *figure)
{
  SluiceMeasuredFigure between = { .n = 0 };
  *figure = (SluiceFigure){
    .us = found->us * factor,
    .plus_minus = found->plus_minus * factor,
    .p95 = found->p95 * factor,
    .n = found->n,
    .source = SLUICE_COST_MEASURED,
    .mean_us = found->mean_us * factor,
    .is_carried = found->how != SLUICE_MEASURED_ALONE,
  };
  if (figure->is_carried)
    return;
  sluice_measured_get_overhead (measured, device, SLUICE_OVERHEAD_BETWEEN, &between);
  figure->us += between.us;
  figure->p95 += between.us;
  figure->mean_us += between.mean_us;
}

gboolean
sluice_cost_measured_get (SluiceMeasured *measured,
                          const SluiceNode *node,
                          const SluiceMachineDevice *device,
                          gint64 unknown_dim,
                          SluiceFigure *figure)
{
  g_auto (SluiceCostKey) key = { NULL };
  SluiceMeasuredFigure found;
  sluice_cost_key_init (&key, node, unknown_dim);
  const SluiceMeasuredEntry *entry = sluice_measured_find (measured, device->name, &key);
  gboolean is_exact = entry != NULL;
  if (!is_exact)
    entry = sluice_measured_find_near (measured, device->name, &key);
  if (entry == NULL)
    return FALSE;
  sluice_measured_entry_get (entry, &found);
  double factor = is_exact ? 1
                           : sluice_cost_formula_get_us (&key.cost, device)
                                 / sluice_cost_formula_get_us (&found.cost, device);
  take (measured, &found, factor, device->name, figure);
  figure->kind = entry;
  const char *loop = sluice_node_get_loop ((SluiceNode *) node);
  figure->rounds = loop != NULL ? sluice_measured_get_rounds (measured, device->name, loop) : 1;
  figure->plus_minus += SCALED_PLUS_MINUS * fabs (log (factor)) * figure->us;
  return TRUE;
}

/* From when a value is made until who needs it on another device can begin: the simulator knows of
 * links alone. */
static double
get_latency_us (SluiceMeasured *measured,
                const SluiceMeasuredLink *link,
                const SluiceMachineDevice *from,
                const SluiceMachineDevice *to)
{
  SluiceMeasuredFigure before, after, wake;
  sluice_measured_get_overhead (measured, from->name, SLUICE_OVERHEAD_NEWS, &before);
  sluice_measured_get_overhead (measured, to->name, SLUICE_OVERHEAD_WAKE, &wake);
  after = before;
  if (before.n == 0)
    sluice_measured_get_overhead (measured, to->name, SLUICE_OVERHEAD_NEWS, &after);
  return before.mean_us + link->wait_us + link->latency_us + after.mean_us + wake.mean_us;
}

static gboolean
find_alike (const SluiceMachine *self,
            SluiceMeasured *measured,
            guint from,
            guint to,
            SluiceMeasuredLink *link)
{
  const SluiceMachineDevice *devices = self->devices;
  for (guint a = 0; a < self->n_devices; a++)
    for (guint b = 0; b < self->n_devices; b++)
      if (a != b && g_str_equal (devices[a].type, devices[from].type)
          && g_str_equal (devices[b].type, devices[to].type)
          && sluice_measured_get_link (measured, devices[a].name, devices[b].name, link))
        return TRUE;
  return FALSE;
}

gboolean
sluice_machine_find_measured (const SluiceMachine *self,
                              SluiceMeasured *measured,
                              guint from,
                              guint to,
                              SluiceMeasuredLink *link)
{
  return sluice_measured_get_link (measured, self->devices[from].name, self->devices[to].name, link)
         || find_alike (self, measured, from, to, link)
         || find_alike (self, measured, to, from, link);
}

void
sluice_machine_take_measured (SluiceMachine *self, SluiceMeasured *measured)
{
  SluiceMeasuredLink link;
  for (guint a = 0; a < self->n_devices; a++)
    for (guint b = 0; b < self->n_devices; b++)
      {
        const SluiceMachineDevice *from = &self->devices[a], *to = &self->devices[b];
        if (a != b && from->is_here && to->is_here
            && sluice_machine_find_measured (self, measured, a, b, &link))
          self->links[a * self->n_devices + b] =
              (SluiceMachineLink){ get_latency_us (measured, &link, from, to), link.bytes_per_us };
      }
}

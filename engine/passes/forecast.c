/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/passes/forecast.h"

#include <string.h>

#include "engine/graph/cost.h"
#include "engine/passes/analysis.h"
#include "engine/passes/values.h"

/* An output of a node of the work graph. */
typedef struct
{
  guint32 root; /* the value whose memory it shares */
  guint device;
  double bytes;       /* 0: somebody else holds it */
  guint32 born, dies; /* positions in the order */
} Value;

typedef struct
{
  SluiceForecast *found;
  SluiceWork *work;
  const GPtrArray *order;
  gint64 unknown_dim;
  guint32 *first_value; /* by index */
  Value *values;
} Forecast;

/* ---- outputs ---- */

static gboolean
is_guess (const SluiceShape *shape)
{
  for (int i = 0; i < shape->rank; i++)
    if (shape->dim[i] < 0)
      return TRUE;
  return FALSE;
}

/* What the step itself holds. */
static double
bytes_made (Forecast *self, const SluiceWorkNode *node, guint i)
{
  const SluiceOutput *output = sluice_work_get_output (node, i);
  if (!sluice_work_makes_memory (node, i))
    return 0;
  self->found->has_guess |= is_guess (&output->shape);
  return sluice_output_bytes (output, (double) self->unknown_dim);
}

/* ---- lives ---- */

static Value *
get_root (const Forecast *self, SluiceWorkEdge edge)
{
  return edge.node != NULL
             ? &self->values[self->values[self->first_value[edge.node->index] + (guint) edge.port]
                                 .root]
             : NULL;
}

static void
begin_values (Forecast *self, SluiceWorkNode *node, guint32 at)
{
  const Value *shared = sluice_work_hands_on (node) ? get_root (self, node->inputs[0]) : NULL;
  for (guint i = 0; i < sluice_work_count_outputs (node); i++)
    {
      guint32 number = self->first_value[node->index] + i;
      self->values[number] = (Value){ .root = shared != NULL ? shared->root : number,
                                      .device = node->device,
                                      .bytes = bytes_made (self, node, i),
                                      .born = at,
                                      .dies = at };
    }
}

static void
number_values (Forecast *self)
{
  guint32 n = 0;
  self->first_value = g_new0 (guint32, self->work->nodes->len + 1);
  for (guint i = 0; i < self->work->nodes->len; i++)
    {
      self->first_value[i] = n;
      n += MAX (sluice_work_count_outputs (self->work->nodes->pdata[i]), 1);
    }
  self->first_value[self->work->nodes->len] = n;
  self->values = g_new0 (Value, n + 1);
  for (guint32 i = 0; i < n; i++)
    self->values[i].root = i;
  for (guint i = 0; i < self->order->len; i++)
    if (sluice_work_has (self->work, self->order->pdata[i]))
      begin_values (self, self->order->pdata[i], i);
}

static void
end_values (Forecast *self)
{
  for (guint32 at = 0; at < self->order->len; at++)
    {
      const SluiceWorkNode *node = self->order->pdata[at];
      if (!sluice_work_has (self->work, node))
        continue;
      for (guint i = 0; i < node->n_inputs; i++)
        {
          Value *root = get_root (self, node->inputs[i]);
          if (root != NULL)
            root->dies = MAX (root->dies, at);
        }
    }
  for (guint i = 0; i < self->work->n_fetches; i++)
    {
      Value *root = get_root (self, self->work->fetches[i]);
      if (root != NULL)
        root->dies = self->order->len - 1;
    }
}

static void
take_over (Forecast *self, SluiceWorkNode *node, guint32 at)
{
  Value *own = &self->values[self->first_value[node->index]];
  for (guint i = 0; i < node->n_inputs && own->bytes > 0; i++)
    {
      Value *root = get_root (self, node->inputs[i]);
      if (root == NULL || root->dies != at || root->bytes != own->bytes
          || root->device != own->device)
        continue;
      own->born = at + 1;
      own->dies = MAX (own->dies, own->born);
      return;
    }
}

static void
find_peaks (Forecast *self)
{
  guint32 n = self->order->len;
  g_autofree double *live = g_new (double, n + 2);
  for (guint device = 0; device < self->found->n_devices; device++)
    {
      double now = 0;
      memset (live, 0, (n + 2) * sizeof *live);
      for (guint32 i = 0; i < self->first_value[self->work->nodes->len]; i++)
        {
          const Value *value = &self->values[i];
          if (value->bytes <= 0 || value->device != device || value->root != i)
            continue;
          live[MIN (value->born, n)] += value->bytes;
          live[MIN (value->dies, n) + 1] -= value->bytes;
        }
      for (guint32 at = 0; at <= n; at++)
        {
          now += live[at];
          self->found->value_bytes[device] = MAX (self->found->value_bytes[device], now);
        }
    }
}

/* ---- what stays, and what is called ---- */

static double
count_elements (const Forecast *self, const SluiceOutput *output)
{
  double n = 1;
  for (int i = 0; i < output->shape.rank; i++)
    n *= (double) (output->shape.dim[i] < 0 ? self->unknown_dim : output->shape.dim[i]);
  return n;
}

static gboolean
add_op (Forecast *self, SluiceWorkNode *node, SluiceForecastCall *call)
{
  SluiceCost one;
  SluiceStrip strip;
  if (!sluice_node_get_cost (node->origin, self->unknown_dim, &one))
    return FALSE;
  call->cost.flops += one.flops;
  call->cost.bytes += one.bytes;
  if (sluice_work_get_strip (self->work, node, &strip))
    call->ns += strip.ns * count_elements (self, &node->origin->outputs[0]);
  return TRUE;
}

/* Of what runs in one kernel the values between are in no memory. */
static void
add_region (Forecast *self, const SluiceWorkNode *node, SluiceForecastCall *call)
{
  const SluiceWorkRegion *region = sluice_work_get_region (node);
  double bytes = call->cost.bytes;
  for (guint i = 0; i < region->n_members; i++)
    add_op (self, region->members[i], call);
  call->cost.bytes = bytes;
  for (guint i = 0; i < region->n_outputs; i++)
    call->cost.bytes +=
        sluice_output_bytes (sluice_work_get_output (node, i), (double) self->unknown_dim);
  for (guint i = 0; i < node->n_inputs; i++)
    if (node->inputs[i].node != NULL)
      call->cost.bytes += sluice_output_bytes (
          sluice_work_get_output (node->inputs[i].node, (guint) node->inputs[i].port),
          (double) self->unknown_dim);
}

static void
add_call (Forecast *self, SluiceWorkNode *node)
{
  SluiceForecastCall call = { { 0, 0 }, 0 };
  gboolean known = TRUE;
  if (node->kind == SLUICE_WORK_CONST || sluice_work_is_view (node)
      || (node->kind == SLUICE_WORK_OP && node->origin->n_inputs == 0))
    return;
  if (node->kind == SLUICE_WORK_FUSED_CONSUMER)
    known = add_op (self, node->fused_consumer.producer, &call);
  if (sluice_work_get_region (node) != NULL)
    add_region (self, node, &call);
  else if (node->kind == SLUICE_WORK_FUSED_CONSUMER)
    known &= add_op (self, node->fused_consumer.consumer, &call);
  else if (node->kind == SLUICE_WORK_OP && !sluice_work_hands_on (node))
    known = add_op (self, node, &call);
  self->found->n_not_known += !known;
  self->found->n_looped += node->frame != 0;
  g_array_append_val (self->found->calls, call);
}

/* ---- the whole ---- */

SluiceForecast *
sluice_forecast_new (SluiceWork *work, guint n_devices, gint64 unknown_dim)
{
  SluiceForecast *found = g_new0 (SluiceForecast, 1);
  Forecast self = { .found = found,
                    .work = work,
                    .order = sluice_analysis_get_order (work, NULL),
                    .unknown_dim = unknown_dim };
  found->n_devices = n_devices;
  found->value_bytes = g_new0 (double, n_devices + 1);
  found->held_bytes = g_new0 (double, n_devices + 1);
  found->calls = g_array_new (FALSE, FALSE, sizeof (SluiceForecastCall));
  number_values (&self);
  end_values (&self);
  for (guint i = 0; i < self.order->len; i++)
    if (sluice_work_has (work, self.order->pdata[i]))
      {
        SluiceWorkNode *node = self.order->pdata[i];
        add_call (&self, node);
        if (sluice_work_is_element_wise (work, node))
          take_over (&self, node, i);
      }
  for (guint i = 0; i < work->nodes->len; i++)
    {
      const SluiceWorkNode *node = work->nodes->pdata[i];
      found->held_bytes[node->device] += sluice_work_get_held_bytes (node);
    }
  find_peaks (&self);
  g_free (self.first_value);
  g_free (self.values);
  return found;
}

void
sluice_forecast_free (SluiceForecast *self)
{
  g_free (self->value_bytes);
  g_free (self->held_bytes);
  g_array_unref (self->calls);
  g_free (self);
}

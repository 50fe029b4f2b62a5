/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/passes/forecast.h"

#include <string.h>

#include "engine/graph/cost.h"
#include "engine/passes/analysis.h"

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

static const SluiceWorkNode *
get_maker (const SluiceWorkNode *node)
{
  return node->kind == SLUICE_WORK_FUSED_CONSUMER ? node->fused_consumer.consumer : node;
}

static guint
count_outputs (const SluiceWorkNode *node)
{
  const SluiceWorkRegion *region = sluice_work_get_region (node);
  return region != NULL ? region->n_outputs
         : node->kind == SLUICE_WORK_SEND || node->kind == SLUICE_WORK_RECV
             ? 1
             : node->origin->n_outputs;
}

/* (nullable): a control edge from device to device */
static const SluiceOutput *
get_output (const SluiceWorkNode *node, guint i)
{
  const SluiceWorkRegion *region = sluice_work_get_region (node);
  if (region != NULL)
    return &region->outputs[i]->origin->outputs[0];
  if (node->kind == SLUICE_WORK_SEND || node->kind == SLUICE_WORK_RECV)
    return node->port >= 0 ? &node->origin->outputs[node->port] : NULL;
  return &get_maker (node)->origin->outputs[i];
}

static gboolean
is_guess (const SluiceShape *shape)
{
  for (int i = 0; i < shape->rank; i++)
    if (shape->dim[i] < 0)
      return TRUE;
  return FALSE;
}

static gboolean
is_view (const SluiceWorkNode *node)
{
  return node->n_inputs > 0 && sluice_work_get_traits (node)->is_view;
}

/* What the step itself holds. */
static double
bytes_made (Forecast *self, const SluiceWorkNode *node, guint i)
{
  const SluiceOutput *output = get_output (node, i);
  SluiceRole role = sluice_work_role (node);
  if (output == NULL || node->kind == SLUICE_WORK_CONST || node->kind == SLUICE_WORK_SEND
      || is_view (node) || role == SLUICE_ROLE_READ_VARIABLE || role == SLUICE_ROLE_SWITCH
      || role == SLUICE_ROLE_MERGE || sluice_work_get_traits (node)->crosses_frames)
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

/* Hands on what it gets; a Merge what comes first. */
static gboolean
shares_input (const SluiceWorkNode *node)
{
  SluiceRole role = sluice_work_role (node);
  return node->n_inputs > 0
         && (is_view (node) || role == SLUICE_ROLE_SWITCH || role == SLUICE_ROLE_MERGE
             || sluice_work_get_traits (node)->crosses_frames);
}

static void
begin_values (Forecast *self, SluiceWorkNode *node, guint32 at)
{
  const Value *shared = shares_input (node) ? get_root (self, node->inputs[0]) : NULL;
  for (guint i = 0; i < count_outputs (node); i++)
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
      n += MAX (count_outputs (self->work->nodes->pdata[i]), 1);
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

/* FALSE: it has no element-wise kernel. */
static gboolean
get_strip (const Forecast *self, SluiceWorkNode *node, SluiceStrip *strip)
{
  const SluiceKernel *kernel =
      node->kind == SLUICE_WORK_OP ? sluice_work_find_kernel (self->work, node) : NULL;
  return kernel != NULL && kernel->strip != NULL && kernel->strip (kernel, node->origin, strip);
}

/* Such a kernel writes over an operand that nobody needs any more. */
static gboolean
is_element_wise (const Forecast *self, SluiceWorkNode *node)
{
  SluiceStrip strip;
  return sluice_work_get_region (node) != NULL || get_strip (self, node, &strip);
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

static void
add_held (Forecast *self, const SluiceWorkNode *node)
{
  double *held = &self->found->held_bytes[node->device];
  if (node->kind == SLUICE_WORK_CONST)
    for (guint i = 0; i < node->origin->n_outputs; i++)
      *held += node->values[i] != NULL ? (double) sluice_tensor_bytes (node->values[i]) : 0;
  if (!sluice_work_get_traits (node)->is_state || node->origin->n_outputs == 0)
    return;
  SluiceOutput variable = node->origin->outputs[0];
  if (variable.dtype == SLUICE_RESOURCE)
    {
      variable.dtype = variable.handle_dtype;
      variable.shape = variable.handle_shape;
    }
  variable.dtype = sluice_dtype_base (variable.dtype);
  if (variable.dtype != SLUICE_INVALID && variable.shape.rank >= 0)
    *held += sluice_output_bytes (&variable, 1);
}

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
  if (get_strip (self, node, &strip))
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
    call->cost.bytes += sluice_output_bytes (get_output (node, i), (double) self->unknown_dim);
  for (guint i = 0; i < node->n_inputs; i++)
    if (node->inputs[i].node != NULL)
      call->cost.bytes +=
          sluice_output_bytes (get_output (node->inputs[i].node, (guint) node->inputs[i].port),
                               (double) self->unknown_dim);
}

static void
add_call (Forecast *self, SluiceWorkNode *node)
{
  SluiceForecastCall call = { { 0, 0 }, 0 };
  gboolean known = TRUE;
  if (node->kind == SLUICE_WORK_CONST || is_view (node)
      || (node->kind == SLUICE_WORK_OP && node->origin->n_inputs == 0))
    return;
  if (node->kind == SLUICE_WORK_FUSED_CONSUMER)
    known = add_op (self, node->fused_consumer.producer, &call);
  if (sluice_work_get_region (node) != NULL)
    add_region (self, node, &call);
  else if (node->kind == SLUICE_WORK_FUSED_CONSUMER)
    known &= add_op (self, node->fused_consumer.consumer, &call);
  else if (node->kind == SLUICE_WORK_OP && !shares_input (node))
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
        if (is_element_wise (&self, node))
          take_over (&self, node, i);
      }
  for (guint i = 0; i < work->nodes->len; i++)
    add_held (&self, work->nodes->pdata[i]);
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

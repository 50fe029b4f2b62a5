/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "tests/engine/cost/networks.h"

#define NONE        G_MAXUINT
#define MOST_INPUTS 10
#define FLOAT       4.0

/* ---- forward ---- */

typedef struct
{
  char *name;
  double flops, bytes; /* of its output */
  guint inputs[MOST_INPUTS], n_inputs;
  guint variable; /* that it reads besides; NONE */
  gboolean is_variable;
} Op;

typedef struct
{
  GArray *ops; /* of Op */
} Net;

static Op *
get (const Net *net, guint i)
{
  return &g_array_index (net->ops, Op, i);
}

static guint
add (Net *net, char *take_name, double flops, double bytes, guint variable)
{
  const Op op = { .name = take_name, .flops = flops, .bytes = bytes, .variable = variable };
  g_array_append_val (net->ops, op);
  return net->ops->len - 1;
}

static void
feed (Net *net, guint op, guint input)
{
  if (input != NONE)
    get (net, op)->inputs[get (net, op)->n_inputs++] = input;
}

static guint
add_variable (Net *net, char *take_name, double n)
{
  guint i = add (net, take_name, 0, FLOAT * n, NONE);
  get (net, i)->is_variable = TRUE;
  return i;
}

/* A convolution of k x k on size x size from so many channels to so many, with its bias and relu.
 * weights: NONE: its own */
static guint
add_conv (Net *net,
          const char *name,
          guint input,
          double batch,
          double size,
          double k,
          double from,
          double to,
          guint weights)
{
  if (weights == NONE)
    weights = add_variable (net, g_strconcat (name, "/weights", NULL), k * k * from * to);
  double n = batch * size * size * to;
  guint conv = add (net, g_strdup (name), 2 * n * k * k * from, FLOAT * n, weights);
  feed (net, conv, input);
  return conv;
}

/* ---- the whole step ---- */

typedef struct
{
  const Net *net;
  SluiceWorkload *w;
  GArray *nodes, *outputs, *reads, *befores, *flops, *bytes;
  guint *value;     /* by op: its output */
  GPtrArray *grads; /* by op: GArray of outputs: what its gradient is the sum of */
} Step;

static guint
add_output (Step *step, double bytes)
{
  const SluiceWorkloadOutput output = { step->nodes->len - 1, bytes };
  g_array_append_val (step->outputs, output);
  g_array_index (step->nodes, SluiceWorkloadNode, output.node).n_outputs++;
  return step->outputs->len - 1;
}

static void
read_value (Step *step, guint output)
{
  SluiceWorkloadNode *node = &g_array_index (step->nodes, SluiceWorkloadNode, step->nodes->len - 1);
  for (guint i = 0; i < node->n_reads; i++)
    if (g_array_index (step->reads, guint, node->first_read + i) == output)
      return;
  g_array_append_val (step->reads, output);
  node->n_reads++;
}

/* group: NONE: its own */
static void
begin_node (Step *step, const char *kind, const Op *op, double flops, double bytes, guint group)
{
  g_autofree char *name = g_strconcat (kind, op->name, NULL);
  const SluiceWorkloadNode node = {
    .name = g_string_chunk_insert (step->w->texts, name),
    .first_read = step->reads->len,
    .first_before = step->befores->len,
    .first_output = step->outputs->len,
    .group = group != NONE ? group : step->w->n_groups++,
  };
  g_array_append_val (step->nodes, node);
  g_array_append_val (step->flops, flops);
  g_array_append_val (step->bytes, bytes);
}

static double
count_bytes (const Step *step, const Op *op)
{
  double bytes = op->bytes + (op->variable != NONE ? get (step->net, op->variable)->bytes : 0);
  for (guint i = 0; i < op->n_inputs; i++)
    bytes += get (step->net, op->inputs[i])->bytes;
  return bytes;
}

static void
add_forward (Step *step, guint i)
{
  const Op *op = get (step->net, i);
  begin_node (step, "", op, op->flops, op->is_variable ? 0 : count_bytes (step, op), NONE);
  for (guint k = 0; k < op->n_inputs; k++)
    read_value (step, step->value[op->inputs[k]]);
  if (op->variable != NONE)
    read_value (step, step->value[op->variable]);
  step->value[i] = add_output (step, op->bytes);
}

static void
add_gradient (Step *step, guint i, double bytes)
{
  guint output = add_output (step, bytes);
  g_array_append_val ((GArray *) step->grads->pdata[i], output);
}

/* Twice the work: by the inputs, and by the variable. */
static void
add_backward (Step *step, guint i)
{
  const Op *op = get (step->net, i);
  const GArray *grads = step->grads->pdata[i];
  gboolean has_inputs = op->n_inputs > 0 || op->variable != NONE;
  if (op->is_variable || !has_inputs)
    return;
  begin_node (step, "gradients/", op, 2 * op->flops, 2 * count_bytes (step, op), NONE);
  for (guint k = 0; k < grads->len; k++)
    read_value (step, g_array_index (grads, guint, k));
  for (guint k = 0; k < op->n_inputs; k++)
    read_value (step, step->value[op->inputs[k]]);
  if (op->variable != NONE)
    read_value (step, step->value[op->variable]);
  for (guint k = 0; k < op->n_inputs; k++)
    add_gradient (step, op->inputs[k], get (step->net, op->inputs[k])->bytes);
  if (op->variable != NONE)
    add_gradient (step, op->variable, get (step->net, op->variable)->bytes);
}

static void
add_update (Step *step, guint i)
{
  const Op *op = get (step->net, i);
  const GArray *grads = step->grads->pdata[i];
  if (!op->is_variable)
    return;
  guint node = g_array_index (step->outputs, SluiceWorkloadOutput, step->value[i]).node;
  guint group = g_array_index (step->nodes, SluiceWorkloadNode, node).group;
  begin_node (step, "update/", op, op->bytes, (2 + grads->len) * op->bytes, group);
  for (guint k = 0; k < grads->len; k++)
    read_value (step, g_array_index (grads, guint, k));
  read_value (step, step->value[i]);
}

static void
clear_op (gpointer op)
{
  g_free (((Op *) op)->name);
}

static void
begin_net (Net *net)
{
  net->ops = g_array_new (FALSE, TRUE, sizeof (Op));
  g_array_set_clear_func (net->ops, clear_op);
}

static void
take_arrays (Step *step)
{
  SluiceWorkload *w = step->w;
  const SluiceMachine *machine = w->machine;
  w->n_nodes = step->nodes->len;
  w->n_outputs = step->outputs->len;
  w->n_reads = step->reads->len;
  w->us = g_new (double, (gsize) w->n_nodes * machine->n_devices + 1);
  for (guint v = 0; v < w->n_nodes; v++)
    for (guint d = 0; d < machine->n_devices; d++)
      {
        const SluiceMachineDevice *device = &machine->devices[d];
        double work = g_array_index (step->flops, double, v) / device->flops_per_us;
        double traffic = g_array_index (step->bytes, double, v) / device->bytes_per_us;
        w->us[v * machine->n_devices + d] = device->overhead_us + MAX (work, traffic);
      }
  w->nodes = (SluiceWorkloadNode *) g_array_free (step->nodes, FALSE);
  w->outputs = (SluiceWorkloadOutput *) g_array_free (step->outputs, FALSE);
  w->reads = (guint *) g_array_free (step->reads, FALSE);
  w->befores = (guint *) g_array_free (step->befores, FALSE);
}

static SluiceWorkload *
finish (Net *net, const SluiceMachine *machine)
{
  Step step = { .net = net,
                .w = sluice_workload_new (machine),
                .nodes = g_array_new (FALSE, TRUE, sizeof (SluiceWorkloadNode)),
                .outputs = g_array_new (FALSE, TRUE, sizeof (SluiceWorkloadOutput)),
                .reads = g_array_new (FALSE, TRUE, sizeof (guint)),
                .befores = g_array_new (FALSE, TRUE, sizeof (guint)),
                .flops = g_array_new (FALSE, TRUE, sizeof (double)),
                .bytes = g_array_new (FALSE, TRUE, sizeof (double)),
                .value = g_new0 (guint, net->ops->len + 1),
                .grads = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref) };
  for (guint i = 0; i < net->ops->len; i++)
    {
      g_ptr_array_add (step.grads, g_array_new (FALSE, FALSE, sizeof (guint)));
      add_forward (&step, i);
    }
  for (guint i = net->ops->len; i-- > 0;)
    add_backward (&step, i);
  for (guint i = 0; i < net->ops->len; i++)
    add_update (&step, i);
  take_arrays (&step);
  g_array_unref (step.flops);
  g_array_unref (step.bytes);
  g_free (step.value);
  g_ptr_array_unref (step.grads);
  g_array_unref (net->ops);
  return step.w;
}

/* ---- networks ---- */

/* Eight towers share the weights of a convolutional network; each has an eighth of the batch. */
static SluiceWorkload *
make_towers (const SluiceMachine *machine, double size)
{
  const guint n_layers = (guint) MAX (12 * size, 2);
  g_autofree guint *weights = g_new (guint, n_layers);
  Net net;
  begin_net (&net);
  for (guint layer = 0; layer < n_layers; layer++)
    {
      g_autofree char *name = g_strdup_printf ("conv%u", layer);
      weights[layer] = add_variable (&net, g_steal_pointer (&name), 9 * 128 * 128);
    }
  for (guint tower = 0; tower < 8; tower++)
    {
      g_autofree char *input = g_strdup_printf ("tower%u/input", tower);
      guint x = add (&net, g_steal_pointer (&input), 0, FLOAT * 16 * 32 * 32 * 128, NONE);
      for (guint layer = 0; layer < n_layers; layer++)
        {
          g_autofree char *name = g_strdup_printf ("tower%u/conv%u", tower, layer);
          x = add_conv (&net, name, x, 16, 32, 3, 128, 128, weights[layer]);
        }
    }
  return finish (&net, machine);
}

/* One cell: the product of input and state by the weights, and what the gates make of it. */
static guint
add_cell (Net *net, const char *name, guint x, guint h, double batch, double units, guint weights)
{
  guint product = add (net, g_strconcat (name, "/product", NULL), 2 * batch * 8 * units * units,
                       FLOAT * batch * 4 * units, weights);
  feed (net, product, x);
  feed (net, product, h);
  guint gates = add (net, g_strconcat (name, "/gates", NULL), 30 * batch * units,
                     FLOAT * batch * units, NONE);
  feed (net, gates, product);
  return gates;
}

static guint
add_input (Net *net, const char *name, guint step, double n)
{
  return add (net, g_strdup_printf ("%s%u", name, step), 0, FLOAT * n, NONE);
}

/* Layers of cells over so many steps; states: of the last step, by layer, (inout). Returns: the top
 * output of each step */
static guint *
add_recurrent (
    Net *net, const char *name, guint n_layers, guint n_steps, double units, guint *states)
{
  const double batch = 64;
  guint *tops = g_new (guint, n_steps + 1);
  g_autofree guint *weights = g_new (guint, n_layers);
  for (guint layer = 0; layer < n_layers; layer++)
    weights[layer] =
        add_variable (net, g_strdup_printf ("%s/layer%u/weights", name, layer), 8 * units * units);
  for (guint step = 0; step < n_steps; step++)
    {
      g_autofree char *input = g_strconcat (name, "/input", NULL);
      guint x = add_input (net, input, step, batch * units);
      for (guint layer = 0; layer < n_layers; layer++)
        {
          g_autofree char *cell = g_strdup_printf ("%s/layer%u/step%u", name, layer, step);
          x = states[layer] = add_cell (net, cell, x, states[layer], batch, units, weights[layer]);
        }
      tops[step] = x;
    }
  return tops;
}

static guint
add_softmax (Net *net, const char *name, guint x, double units, guint weights)
{
  const double batch = 64, words = 10000;
  guint logits =
      add (net, g_strdup (name), 2 * batch * units * words, FLOAT * batch * words, weights);
  feed (net, logits, x);
  return logits;
}

static SluiceWorkload *
make_lstm (const SluiceMachine *machine, double size)
{
  guint n_steps = (guint) MAX (20 * size, 2), states[4] = { NONE, NONE, NONE, NONE };
  Net net;
  begin_net (&net);
  g_autofree guint *tops = add_recurrent (&net, "lstm", 4, n_steps, 1024, states);
  guint weights = add_variable (&net, g_strdup ("softmax/weights"), 1024 * 10000.0);
  for (guint step = 0; step < n_steps; step++)
    {
      g_autofree char *name = g_strdup_printf ("softmax/step%u", step);
      add_softmax (&net, name, tops[step], 1024, weights);
    }
  return finish (&net, machine);
}

/* Encoder and decoder of two layers each, with attention over all that was read. */
static SluiceWorkload *
make_seq2seq (const SluiceMachine *machine, double size)
{
  guint n_steps = (guint) MAX (30 * size, 2), states[2] = { NONE, NONE };
  const double batch = 64, units = 1024;
  Net net;
  begin_net (&net);
  g_autofree guint *read = add_recurrent (&net, "encoder", 2, n_steps, units, states);
  guint memory =
      add (&net, g_strdup ("attention/memory"), 0, FLOAT * batch * units * n_steps, NONE);
  for (guint i = 0; i < MOST_INPUTS && i < n_steps; i++)
    feed (&net, memory, read[n_steps - 1 - i]);
  g_autofree guint *tops = add_recurrent (&net, "decoder", 2, n_steps, units, states);
  guint mix = add_variable (&net, g_strdup ("attention/weights"), 2 * units * units);
  guint weights = add_variable (&net, g_strdup ("softmax/weights"), units * 10000);
  for (guint step = 0; step < n_steps; step++)
    {
      g_autofree char *name = g_strdup_printf ("attention/step%u", step);
      guint attended =
          add (&net, g_steal_pointer (&name), 2 * batch * units * (2 * n_steps + 2 * units),
               FLOAT * batch * units, mix);
      feed (&net, attended, tops[step]);
      feed (&net, attended, memory);
      g_autofree char *logits = g_strdup_printf ("softmax/step%u", step);
      add_softmax (&net, logits, attended, units, weights);
    }
  return finish (&net, machine);
}

/* One module: four branches of one, two, three and one convolutions, which are joined. */
static guint
add_module (Net *net, guint number, guint x, double size, double channels)
{
  static const guint lengths[] = { 1, 2, 3, 1 };
  const double batch = 32, part = channels / 4;
  guint ends[4];
  for (guint branch = 0; branch < 4; branch++)
    {
      ends[branch] = x;
      for (guint i = 0; i < lengths[branch]; i++)
        {
          g_autofree char *name = g_strdup_printf ("module%u/branch%u/conv%u", number, branch, i);
          ends[branch] = add_conv (net, name, ends[branch], batch, size, i > 0 ? 3 : 1,
                                   i > 0 ? part : channels, part, NONE);
        }
    }
  guint join = add (net, g_strdup_printf ("module%u/join", number), 0,
                    FLOAT * batch * size * size * channels, NONE);
  for (guint branch = 0; branch < 4; branch++)
    feed (net, join, ends[branch]);
  return join;
}

static SluiceWorkload *
make_inception (const SluiceMachine *machine, double size)
{
  static const double sizes[] = { 35, 17, 8 }, channels[] = { 288, 768, 1280 };
  static const guint counts[] = { 3, 5, 3 };
  guint number = 0;
  Net net;
  begin_net (&net);
  guint x = add (&net, g_strdup ("input"), 0, FLOAT * 32 * 147 * 147 * 32, NONE);
  x = add_conv (&net, "stem1", x, 32, 147, 3, 32, 64, NONE);
  x = add_conv (&net, "stem2", x, 32, 71, 3, 64, 192, NONE);
  for (guint stage = 0; stage < 3; stage++)
    {
      g_autofree char *name = g_strdup_printf ("reduce%u", stage);
      x = add_conv (&net, name, x, 32, sizes[stage], 3, stage > 0 ? channels[stage - 1] : 192,
                    channels[stage], NONE);
      for (guint i = 0; i < MAX (counts[stage] * size, 1); i++)
        x = add_module (&net, number++, x, sizes[stage], channels[stage]);
    }
  return finish (&net, machine);
}

const Network networks[] = {
  { "8 towers", make_towers },
  { "4-layer LSTM", make_lstm },
  { "Inception", make_inception },
  { "seq2seq", make_seq2seq },
};
const guint n_networks = G_N_ELEMENTS (networks);

SluiceMachine *
make_gpus (guint n)
{
  g_autoptr (GString) text = g_string_new ("{\"devices\": [");
  for (guint d = 0; d < n; d++)
    g_string_append_printf (
        text,
        "%s{\"name\": \"/job:localhost/replica:0/task:0/device:CUDA:%u\", "
        "\"gflops\": 4000, \"gbps\": 200, \"memory\": 12e9, \"overhead_us\": 5}",
        d > 0 ? ", " : "", d);
  g_string_append (text, "], \"links\": [");
  for (guint a = 0, n_links = 0; a < n; a++)
    for (guint b = a + 1; b < n; b++)
      g_string_append_printf (text,
                              "%s{\"from\": \"/job:localhost/replica:0/task:0/device:CUDA:%u\", "
                              "\"to\": \"/job:localhost/replica:0/task:0/device:CUDA:%u\", "
                              "\"latency_us\": 20, \"gbps\": 10}",
                              n_links++ > 0 ? ", " : "", a, b);
  g_string_append (text, "]}");
  SluiceMachine *machine = sluice_machine_parse (text->str, text->len, "gpus.json", NULL);
  g_assert_nonnull (machine);
  return machine;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "tests/engine/runtime/lstm.h"

#include "engine/grad/grad.h"

typedef struct
{
  SluiceBuilder b;
  const LstmSize *size;
  SluiceNode *pivot; /* runs in every iteration */
} Lstm;

static SluiceEdge
add_named (Lstm *l, const char *op, const char *name, const SluiceEdge *inputs, guint n)
{
  return sluice_builder_add (&l->b, op, name, inputs, n, NULL, 0);
}

/* A constant of the loop's body. */
static SluiceEdge
add_inside (Lstm *l, gint32 value)
{
  SluiceBuilder b = l->b;
  b.control_inputs = &l->pivot;
  b.n_control_inputs = 1;
  SluiceEdge edge = sluice_builder_const_int32 (&b, value);
  l->b.error = b.error;
  return edge;
}

/* Elements of both signs that differ. */
static SluiceEdge
add_numbers (Lstm *l, const SluiceShape *shape, float scale)
{
  SluiceTensor *tensor = sluice_tensor_new_zeros (SLUICE_FLOAT, shape);
  for (gint64 i = 0; i < tensor->n_elements; i++)
    ((float *) tensor->data)[i] = scale * ((float) (i * 7919 % 2003) / 1001.5f - 1);
  return sluice_builder_const (&l->b, tensor);
}

static SluiceEdge
add_variable (Lstm *l, const char *name, const SluiceShape *shape, float scale, SluiceNode **assign)
{
  SluiceAttr attrs[] = { sluice_attr_type ("dtype", SLUICE_FLOAT),
                         sluice_attr_shape ("shape", shape) };
  SluiceEdge variable = sluice_builder_add (&l->b, "VariableV2", name, NULL, 0, attrs, 2);
  SluiceEdge inputs[] = { variable, add_numbers (l, shape, scale) };
  *assign = add_named (l, "Assign", NULL, inputs, 2).node;
  return variable;
}

static SluiceEdge
enter (Lstm *l, SluiceEdge value, gboolean is_constant)
{
  SluiceAttr attrs[] = { sluice_attr_string ("frame_name", "lstm"),
                         sluice_attr_bool ("is_constant", is_constant),
                         sluice_attr_int ("parallel_iterations", l->size->parallel_iterations),
                         sluice_attr_bool ("_swap_memory", l->size->swap_memory) };
  return sluice_builder_add (&l->b, "Enter", NULL, &value, 1, attrs, G_N_ELEMENTS (attrs));
}

typedef struct
{
  SluiceEdge merge, turn, value;
} Loop;

static Loop
begin_variable (Lstm *l, SluiceEdge start)
{
  SluiceEdge first = enter (l, start, FALSE);
  return (Loop){ .merge = sluice_op (&l->b, "Merge", first, first) };
}

static void
turn_variable (Lstm *l, Loop *v, SluiceEdge cond)
{
  v->turn = sluice_op (&l->b, "Switch", v->merge, cond);
  v->value = sluice_op (&l->b, "Identity", sluice_edge_port (v->turn, 1));
}

static void
end_variable (Lstm *l, const Loop *v, SluiceEdge next)
{
  sluice_graph_set_input (l->b.graph, v->merge.node, 1, sluice_op (&l->b, "NextIteration", next),
                          &l->b.error);
}

/* The next c and h. */
static void
add_cell (Lstm *l, SluiceEdge x, SluiceEdge kernel, SluiceEdge bias, SluiceEdge *c, SluiceEdge *h)
{
  SluiceBuilder *b = &l->b;
  SluiceAttr four = sluice_attr_int ("num_split", 4);
  SluiceEdge both = sluice_op (b, "ConcatV2", x, *h, add_inside (l, 1));
  SluiceEdge sum = sluice_op (b, "BiasAdd", sluice_op (b, "MatMul", both, kernel), bias);
  SluiceEdge parts[] = { add_inside (l, 1), sum };
  SluiceEdge split = sluice_builder_add (b, "Split", NULL, parts, 2, &four, 1);
  SluiceEdge in = sluice_op (b, "Sigmoid", split);
  SluiceEdge forget = sluice_op (b, "Sigmoid", sluice_edge_port (split, 2));
  SluiceEdge out = sluice_op (b, "Sigmoid", sluice_edge_port (split, 3));
  SluiceEdge fresh = sluice_op (b, "Tanh", sluice_edge_port (split, 1));
  *c = sluice_op (b, "AddV2", sluice_op (b, "Mul", *c, forget), sluice_op (b, "Mul", in, fresh));
  *h = sluice_op (b, "Mul", sluice_op (b, "Tanh", *c), out);
}

static SluiceEdge
add_loop (Lstm *l, SluiceEdge kernel, SluiceEdge bias)
{
  SluiceBuilder *b = &l->b;
  gint64 batch = l->size->batch, units = l->size->units;
  SluiceAttr dtype = sluice_attr_type ("dtype", SLUICE_INT32);
  SluiceAttr shape = sluice_attr_shape ("shape", &SLUICE_SHAPE_SCALAR);
  SluiceAttr attrs[] = { dtype, shape };
  SluiceEdge steps = sluice_builder_add (b, "Placeholder", "steps", NULL, 0, attrs, 2);
  SluiceEdge zeros = add_numbers (l, &SLUICE_SHAPE (batch, units), 0);
  SluiceEdge x = enter (l, add_numbers (l, &SLUICE_SHAPE (batch, units), 1), TRUE);
  kernel = enter (l, sluice_op (b, "Identity", kernel), TRUE);
  bias = enter (l, sluice_op (b, "Identity", bias), TRUE);
  Loop i = begin_variable (l, sluice_builder_const_int32 (b, 0));
  Loop c = begin_variable (l, zeros), h = begin_variable (l, zeros);
  SluiceEdge less = sluice_op (b, "Less", i.merge, enter (l, steps, TRUE));
  SluiceEdge cond = sluice_op (b, "LoopCond", less);
  turn_variable (l, &i, cond);
  turn_variable (l, &c, cond);
  turn_variable (l, &h, cond);
  l->pivot = i.value.node;
  end_variable (l, &i, sluice_op (b, "Add", i.value, add_inside (l, 1)));
  SluiceAttr to_float = sluice_attr_type ("DstT", SLUICE_FLOAT);
  SluiceEdge number = sluice_builder_add (b, "Cast", NULL, &i.value, 1, &to_float, 1);
  SluiceEdge next_c = c.value, next_h = h.value;
  SluiceEdge seen = sluice_op (b, "Mul", x, sluice_op (b, "Cos", number));
  add_cell (l, seen, kernel, bias, &next_c, &next_h);
  end_variable (l, &c, next_c);
  end_variable (l, &h, next_h);
  return sluice_op (b, "Exit", h.turn);
}

static void
add_training (Lstm *l, SluiceEdge loss, const SluiceEdge *variables)
{
  static const char *const names[] = { "gradients/kernel", "gradients/bias" };
  SluiceGrad grads[2];
  SluiceNode *updates[2] = { NULL };
  if (!l->b.error)
    sluice_gradients (l->b.graph, "gradients", &loss, 1, NULL, variables, 2, grads, &l->b.error);
  for (guint i = 0; i < 2 && !l->b.error; i++)
    {
      SluiceEdge grad = add_named (l, "Identity", names[i], &grads[i].values, 1);
      SluiceEdge rate = sluice_builder_const (&l->b, sluice_tensor_new_float (1e-3f));
      updates[i] = sluice_op (&l->b, "ApplyGradientDescent", variables[i], rate, grad).node;
    }
  SluiceBuilder b = l->b;
  b.control_inputs = updates;
  b.n_control_inputs = 2;
  if (!b.error)
    sluice_builder_add (&b, "NoOp", "train", NULL, 0, NULL, 0);
  l->b.error = b.error;
}

void
lstm_build (SluiceGraph *graph, const LstmSize *size)
{
  Lstm l = { .size = size };
  g_autoptr (GError) error = NULL;
  SluiceNode *assigns[2];
  gint64 units = size->units;
  sluice_builder_init (&l.b, graph, NULL);
  SluiceEdge variables[] = {
    add_variable (&l, "kernel", &SLUICE_SHAPE (2 * units, 4 * units), 0.1f, &assigns[0]),
    add_variable (&l, "bias", &SLUICE_SHAPE (4 * units), 0.1f, &assigns[1])
  };
  SluiceBuilder after = l.b;
  after.control_inputs = assigns;
  after.n_control_inputs = 2;
  sluice_builder_add (&after, "NoOp", "init", NULL, 0, NULL, 0);
  SluiceEdge last = add_loop (&l, variables[0], variables[1]);
  static const gint64 axes[] = { 0, 1 };
  SluiceEdge parts[] = { last, sluice_builder_const_ints (&l.b, SLUICE_INT32, axes, 2) };
  SluiceEdge loss = add_named (&l, "Sum", "loss", parts, 2);
  add_training (&l, loss, variables);
  sluice_builder_finish (&l.b, &error);
  g_assert_no_error (error);
}

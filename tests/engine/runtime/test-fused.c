/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "tests/engine/runtime/fixture.h"

#include <string.h>

static SluiceEdge
op2 (Fixture *f, const char *op, const char *name, SluiceEdge a, SluiceEdge b)
{
  return sluice_builder_add (&f->b, op, name, (SluiceEdge[]){ a, b }, 2, NULL, 0);
}

static SluiceEdge
placeholder (Fixture *f, const char *name, SluiceDType dtype, const SluiceShape *shape)
{
  SluiceAttr attrs[] = { sluice_attr_type ("dtype", dtype), sluice_attr_shape ("shape", shape) };
  return sluice_builder_add (&f->b, "Placeholder", name, NULL, 0, attrs, 2);
}

/* ---- random programs ---- */

#define N_FEEDS   5
#define N_NODES   24
#define N_FETCHES 5

typedef struct
{
  Fixture f;
  SluiceDType dtype;
  SluiceShape shape; /* of the large operands */
  SluiceEdge values[N_FEEDS + N_NODES];
  guint n_values;
  SluiceFeed feeds[N_FEEDS];
  char *names[N_FEEDS];
} Program;

static SluiceTensor *
random_tensor (GRand *rand, SluiceDType dtype, const SluiceShape *shape)
{
  SluiceTensor *tensor = sluice_tensor_new_zeros (dtype, shape);
  for (gint64 i = 0; i < tensor->n_elements; i++)
    {
      double value = g_rand_double_range (rand, -2, 2);
      if (dtype == SLUICE_FLOAT)
        ((float *) tensor->data)[i] = (float) value;
      else
        ((double *) tensor->data)[i] = value;
    }
  return tensor;
}

/* What is known of a shape while the graph is built; what is not may be fed otherwise. */
static void
add_feed (Program *p, GRand *rand, guint i, const SluiceShape *shape, gboolean surprises)
{
  SluiceShape known = *shape, fed = *shape;
  for (int k = 0; k < known.rank; k++)
    if (g_rand_int_range (rand, 0, 3) == 0)
      {
        known.dim[k] = -1;
        if (surprises && g_rand_int_range (rand, 0, 3) == 0)
          fed.dim[k] = g_rand_boolean (rand) ? 1 : shape->dim[k] + 1;
      }
  g_autofree char *name = g_strdup_printf ("x%u", i);
  p->names[i] = g_strdup_printf ("x%u:0", i);
  p->feeds[i] = (SluiceFeed){ p->names[i], random_tensor (rand, p->dtype, &fed) };
  p->values[p->n_values++] = placeholder (&p->f, name, p->dtype, &known);
}

static void
add_node (Program *p, GRand *rand)
{
  static const char *const unary[] = { "Neg",     "Square", "Tanh",  "Relu",
                                       "Sigmoid", "Abs",    "Floor", "Elu" };
  static const char *const binary[] = { "AddV2",    "Sub",     "Mul",      "Maximum",
                                        "Minimum",  "RealDiv", "ReluGrad", "SigmoidGrad",
                                        "TanhGrad", "BiasAdd", "AddN" };
  /* Chains more often than wide trees. */
  guint newest = MIN (p->n_values, 4);
  SluiceEdge a = p->values[p->n_values - 1 - (guint) g_rand_int_range (rand, 0, (gint32) newest)];
  SluiceEdge b = p->values[g_rand_int_range (rand, 0, (gint32) p->n_values)];
  g_autofree char *name = g_strdup_printf ("n%u", p->n_values);
  SluiceEdge made;
  /* No element-wise node: it reads what lies inside, and paths that leave come back through it. */
  if (g_rand_int_range (rand, 0, 6) == 0)
    made = sluice_builder_add (&p->f.b, g_rand_boolean (rand) ? "Snapshot" : "Softmax", name, &b, 1,
                               NULL, 0);
  else if (g_rand_int_range (rand, 0, 3) == 0)
    made = sluice_builder_add (&p->f.b, unary[g_rand_int_range (rand, 0, G_N_ELEMENTS (unary))],
                               name, &a, 1, NULL, 0);
  else if (g_rand_int_range (rand, 0, 8) == 0)
    made = sluice_builder_add (&p->f.b, "AddN", name, (SluiceEdge[]){ a, b }, 2,
                               (SluiceAttr[]){ sluice_attr_int ("N", 2) }, 1);
  else if (g_rand_boolean (rand))
    made = op2 (&p->f, binary[g_rand_int_range (rand, 0, G_N_ELEMENTS (binary))], name, a, b);
  else
    made = op2 (&p->f, binary[g_rand_int_range (rand, 0, G_N_ELEMENTS (binary))], name, b, a);
  /* Shapes that contradict each other are refused on the spot: another draw, then. */
  if (made.node)
    p->values[p->n_values++] = made;
  else
    g_clear_error (&p->f.b.error);
}

static void
program_init (Program *p, guint32 seed, gboolean surprises)
{
  static const SluiceShape shapes[] = { { 2, { 3, 5 } },     { 2, { 700, 3 } }, { 2, { 40, 300 } },
                                        { 1, { 5000 } },     { 2, { 0, 4 } },   { 2, { 2, 2100 } },
                                        { 3, { 30, 9, 8 } }, { 2, { 9, 1 } },   { 0, { 0 } } };
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  *p = (Program){ .dtype = g_rand_boolean (rand) ? SLUICE_FLOAT : SLUICE_DOUBLE,
                  .shape = shapes[g_rand_int_range (rand, 0, G_N_ELEMENTS (shapes))] };
  fixture_init (&p->f, &(SluiceSessionOptions){ .seed = 1 });
  SluiceShape last =
      p->shape.rank > 1 ? SLUICE_SHAPE (p->shape.dim[p->shape.rank - 1]) : SLUICE_SHAPE_SCALAR;
  add_feed (p, rand, 0, &SLUICE_SHAPE_SCALAR, FALSE);
  add_feed (p, rand, 1, &last, FALSE);
  for (guint i = 2; i < N_FEEDS; i++)
    add_feed (p, rand, i, &p->shape, surprises);
  while (p->n_values < N_FEEDS + N_NODES)
    add_node (p, rand);
  fixture_extend (&p->f);
}

static void
program_clear (Program *p)
{
  for (guint i = 0; i < N_FEEDS; i++)
    {
      sluice_tensor_unref (p->feeds[i].tensor);
      g_free (p->names[i]);
    }
  fixture_clear (&p->f);
}

/* What a run gives, or how it fails. */
static char *
run_program (const Program *p,
             SluiceSession *session,
             const char *const *fetches,
             SluiceTensor **outputs)
{
  g_autoptr (GError) error = NULL;
  if (sluice_session_run (
          session,
          &(SluiceStepNames){
              .feeds = p->feeds, .fetches = fetches, .n_feeds = N_FEEDS, .n_fetches = N_FETCHES },
          outputs, NULL, &error))
    return NULL;
  return g_strdup (error->message);
}

static gboolean
same_bits (const SluiceTensor *a, const SluiceTensor *b)
{
  return sluice_shape_equal (&a->shape, &b->shape)
         && (a->n_elements == 0
             || memcmp (a->data, b->data, a->n_elements * sluice_dtype_size (a->dtype)) == 0);
}

/* Returns whether the run succeeded. */
static gboolean
check_program (guint32 seed, gboolean surprises, guint *n_saved)
{
  Program p;
  program_init (&p, seed, surprises);
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceSession) apart =
      sluice_session_new (&(SluiceSessionOptions){ .no_fusion = TRUE, .seed = 1 }, &error);
  g_assert_no_error (error);
  sluice_session_extend (apart, p.f.graph, &error);
  g_assert_no_error (error);
  char *names[N_FETCHES];
  const char *fetches[N_FETCHES];
  for (guint i = 0; i < N_FETCHES; i++)
    {
      guint inner = i * seed % N_NODES; /* the first: the last node; none but it in every seventh */
      names[i] = g_strdup_printf ("n%u:0", p.n_values - 1 - (seed % 7 ? inner : 0));
      fetches[i] = names[i];
    }
  SluiceTensor *outputs[N_FETCHES], *wanted[N_FETCHES];
  g_autofree char *why = run_program (&p, p.f.session, fetches, outputs);
  g_autofree char *why_apart = run_program (&p, apart, fetches, wanted);
  /* Where several nodes fail, which of them does first is another matter. */
  g_assert_cmpint (why != NULL, ==, why_apart != NULL);
  for (guint i = 0; i < N_FETCHES && !why; i++)
    {
      if (!same_bits (outputs[i], wanted[i]))
        g_error ("program %u: %s differs where nodes are fused", seed, fetches[i]);
      sluice_tensor_unref (outputs[i]);
      sluice_tensor_unref (wanted[i]);
    }
  SluiceSessionStats fused, unfused;
  sluice_session_get_stats (p.f.session, &fused);
  sluice_session_get_stats (apart, &unfused);
  *n_saved += (guint) (unfused.n_nodes_run - fused.n_nodes_run);
  for (guint i = 0; i < N_FETCHES; i++)
    g_free (names[i]);
  program_clear (&p);
  return why == NULL;
}

static void
test_programs (void)
{
  guint saved = 0;
  for (guint32 seed = 0; seed < 200; seed++)
    g_assert_true (check_program (seed, FALSE, &saved));
  g_assert_cmpuint (saved, >, 500);
}

/* Operands of other sizes than those that fusion hoped for. */
static void
test_surprises (void)
{
  guint saved = 0, n_fine = 0;
  for (guint32 seed = 0; seed < 300; seed++)
    n_fine += check_program (seed, TRUE, &saved);
  g_assert_cmpuint (n_fine, >, 30);
  g_assert_cmpuint (n_fine, <, 300);
}

/* ---- what is fused, and what is not ---- */

static guint64
count_run (
    Fixture *f, const char *const *fetches, guint n_fetches, const SluiceFeed *feeds, guint n)
{
  g_autoptr (GError) error = NULL;
  SluiceSessionStats before, after;
  SluiceTensor *outputs[2];
  sluice_session_get_stats (f->session, &before);
  sluice_session_run (
      f->session,
      &(SluiceStepNames){
          .feeds = feeds, .fetches = fetches, .n_feeds = n, .n_fetches = n_fetches },
      outputs, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < n_fetches; i++)
    sluice_tensor_unref (outputs[i]);
  sluice_session_get_stats (f->session, &after);
  return after.n_nodes_run - before.n_nodes_run;
}

/* The newest record names what ran with the node. */
static void
check_trace (Fixture *f, const char *node, const char *const *with)
{
  guint64 cursor = 0;
  g_autoptr (GArray) events = sluice_session_dup_trace (f->session, &cursor, NULL);
  const SluiceTraceEvent *event = NULL;
  for (guint i = 0; i < events->len; i++)
    if (g_str_equal (g_array_index (events, SluiceTraceEvent, i).node, node))
      event = &g_array_index (events, SluiceTraceEvent, i);
  g_assert_nonnull (event);
  g_assert_cmpint (event->kind, ==, SLUICE_TRACE_NODE);
  g_assert_true (with ? event->with && g_strv_equal (event->with, with) : !event->with);
}

static void
test_counts (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  SluiceEdge x = placeholder (&f, "x", SLUICE_FLOAT, &SLUICE_SHAPE (-1, 4));
  SluiceEdge s = placeholder (&f, "s", SLUICE_FLOAT, &SLUICE_SHAPE_SCALAR);
  SluiceEdge inner = op2 (&f, "Mul", "inner", x, s);
  SluiceEdge y = op2 (&f, "AddV2", "y", inner, op2 (&f, "Sub", "other", s, x));
  SluiceEdge columns[] = { y, { NULL, 0 } };
  g_autoptr (SluiceTensor) axis = sluice_tensor_new_int32 (0);
  SluiceAttr value[] = { sluice_attr_type ("dtype", SLUICE_INT32),
                         sluice_attr_tensor ("value", axis) };
  columns[1] = sluice_builder_add (&f.b, "Const", "axis", NULL, 0, value, 2);
  SluiceEdge sum = sluice_builder_add (&f.b, "Sum", "sum", columns, 2, NULL, 0);
  op2 (&f, "Mul", "z", y, sum);
  fixture_extend (&f);
  g_autoptr (SluiceTensor) table = sluice_tensor_new_zeros (SLUICE_FLOAT, &SLUICE_SHAPE (3, 4));
  g_autoptr (SluiceTensor) two = sluice_tensor_new_float (2);
  SluiceFeed feeds[] = { { "x:0", table }, { "s:0", two } };
  const char *const only_y[] = { "y:0", "inner:0" }, *const z[] = { "z:0" };
  g_assert_cmpuint (count_run (&f, only_y, 1, feeds, 2), ==, 1);
  check_trace (&f, "y", (const char *const[]){ "inner", "other", NULL });
  /* A value that is fetched is made on the way. */
  g_assert_cmpuint (count_run (&f, only_y, 2, feeds, 2), ==, 1);
  /* A path leads through a sum from y to z: they cannot be one. */
  g_assert_cmpuint (count_run (&f, z, 1, feeds, 2), ==, 3);
  check_trace (&f, "z", NULL);
}

/* What is fetched from inside is of one row, which was not known, and is repeated further on. */
static void
test_repeated (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  SluiceEdge x = placeholder (&f, "x", SLUICE_FLOAT, &SLUICE_SHAPE (-1, -1));
  SluiceEdge row = placeholder (&f, "row", SLUICE_FLOAT, &SLUICE_SHAPE (4));
  SluiceEdge table = placeholder (&f, "table", SLUICE_FLOAT, &SLUICE_SHAPE (-1, 4));
  SluiceEdge inner = op2 (&f, "AddV2", "inner", x, row);
  op2 (&f, "Mul", "y", inner, table);
  fixture_extend (&f);
  g_autoptr (SluiceTensor) one = sluice_tensor_new_zeros (SLUICE_FLOAT, &SLUICE_SHAPE (1, 1));
  g_autoptr (SluiceTensor) four = sluice_tensor_new_zeros (SLUICE_FLOAT, &SLUICE_SHAPE (4));
  g_autoptr (SluiceTensor) all = sluice_tensor_new_zeros (SLUICE_FLOAT, &SLUICE_SHAPE (3, 4));
  SluiceFeed feeds[] = { { "x:0", one }, { "row:0", four }, { "table:0", all } };
  const char *const fetches[] = { "inner:0", "y:0" };
  g_autoptr (GError) error = NULL;
  SluiceTensor *outputs[2];
  g_assert_cmpuint (count_run (&f, fetches, 2, feeds, 3), ==, 1);
  sluice_session_run (
      f.session,
      &(SluiceStepNames){ .feeds = feeds, .fetches = fetches, .n_feeds = 3, .n_fetches = 2 },
      outputs, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (sluice_shape_equal (&outputs[0]->shape, &SLUICE_SHAPE (1, 4)));
  g_assert_true (sluice_shape_equal (&outputs[1]->shape, &SLUICE_SHAPE (3, 4)));
  sluice_tensor_unref (outputs[0]);
  sluice_tensor_unref (outputs[1]);
}

/* The guard speaks of the node, not of what it was fused into. */
static void
test_guard (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  SluiceEdge x = placeholder (&f, "x", SLUICE_FLOAT, &SLUICE_SHAPE (2));
  SluiceEdge log = sluice_builder_add (&f.b, "Log", "log_of_x", &x, 1, NULL, 0);
  op2 (&f, "Mul", "y", log, log);
  fixture_extend (&f);
  g_autoptr (SluiceTensor) zeros = sluice_tensor_new_zeros (SLUICE_FLOAT, &SLUICE_SHAPE (2));
  SluiceFeed feed = { "x:0", zeros };
  const char *fetch = "y:0";
  SluiceTensor *output;
  g_autoptr (GError) failed = NULL;
  g_autoptr (SluiceCallable) callable = sluice_session_prepare (
      f.session,
      &(SluiceStepNames){ .feeds = &feed, .fetches = &fetch, .n_feeds = 1, .n_fetches = 1 },
      &failed);
  g_assert_no_error (failed);
  for (int i = 0; i < 4; i++)
    {
      g_autoptr (GError) error = NULL;
      gboolean guarded = i & 1;
      SluiceRunOptions options = { .nan_guard = guarded };
      gboolean ok =
          i < 2 ? sluice_session_run (
              f.session,
              &(SluiceStepNames){ .feeds = &feed, .fetches = &fetch, .n_feeds = 1, .n_fetches = 1 },
              &output, &options, &error)
                : sluice_callable_run (callable, &feed.tensor, &output, &options, &error);
      g_assert_cmpint (ok, ==, !guarded);
      if (ok)
        sluice_tensor_unref (output);
      else if (!strstr (error->message, "log_of_x"))
        g_error ("'%s' does not name log_of_x", error->message);
    }
}

/* One operand of the tree comes from the branch that is not taken. */
static void
test_dead (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  SluiceEdge x = placeholder (&f, "x", SLUICE_FLOAT, &SLUICE_SHAPE_SCALAR);
  SluiceEdge p = placeholder (&f, "p", SLUICE_BOOL, &SLUICE_SHAPE_SCALAR);
  SluiceEdge taken = op2 (&f, "Switch", "switch", x, p), other = { taken.node, 1 };
  SluiceEdge low = op2 (&f, "Mul", "low", op2 (&f, "AddV2", NULL, taken, x), x);
  SluiceEdge high = op2 (&f, "Sub", "high", op2 (&f, "AddV2", NULL, x, other), x);
  SluiceAttr n = sluice_attr_int ("N", 2);
  sluice_builder_add (&f.b, "Merge", "merge", (SluiceEdge[]){ low, high }, 2, &n, 1);
  fixture_extend (&f);
  g_autoptr (SluiceTensor) three = sluice_tensor_new_float (3);
  for (int value = 0; value < 2; value++)
    {
      g_autoptr (SluiceTensor) which = sluice_tensor_new_bool (value);
      SluiceFeed feeds[] = { { "x:0", three }, { "p:0", which } };
      g_assert_cmpfloat (fixture_fetch (&f, "merge:0", feeds, 2), ==, value ? 3 : 18);
    }
}

/* A value that lives, though what it is fused with everywhere else is dead. */
static void
test_half_dead (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  SluiceEdge x = placeholder (&f, "x", SLUICE_FLOAT, &SLUICE_SHAPE_SCALAR);
  SluiceEdge p = placeholder (&f, "p", SLUICE_BOOL, &SLUICE_SHAPE_SCALAR);
  SluiceEdge low = op2 (&f, "Switch", "switch", x, p), high = { low.node, 1 };
  SluiceEdge alive = op2 (&f, "Mul", "alive", x, x);
  low = op2 (&f, "AddV2", "low", alive, low);
  SluiceEdge inner = op2 (&f, "Mul", "inner", high, x);
  high = op2 (&f, "Sub", "high", inner, alive);
  SluiceAttr n = sluice_attr_int ("N", 2);
  sluice_builder_add (&f.b, "Merge", "merge", (SluiceEdge[]){ low, high }, 2, &n, 1);
  sluice_builder_add (&f.b, "Merge", "other", (SluiceEdge[]){ alive, inner }, 2, &n, 1);
  fixture_extend (&f);
  g_autoptr (SluiceTensor) three = sluice_tensor_new_float (3);
  for (int value = 0; value < 2; value++)
    {
      g_autoptr (SluiceTensor) which = sluice_tensor_new_bool (value);
      SluiceFeed feeds[] = { { "x:0", three }, { "p:0", which } };
      g_assert_cmpfloat (fixture_fetch (&f, "merge:0", feeds, 2), ==, value ? 0 : 12);
      g_assert_cmpfloat (fixture_fetch (&f, "other:0", feeds, 2), ==, 9);
    }
}

/* What is enqueued must not wait for what is dequeued, though both are read by one sum. */
static void
test_waits (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  SluiceAttrValue type = { .kind = SLUICE_ATTR_TYPE, .type = SLUICE_FLOAT };
  SluiceAttrValue shape = { .kind = SLUICE_ATTR_SHAPE, .shape = SLUICE_SHAPE_SCALAR };
  SluiceAttrValue types = { .kind = SLUICE_ATTR_LIST, .list = { &type, 1 } };
  SluiceAttrValue shapes = { .kind = SLUICE_ATTR_LIST, .list = { &shape, 1 } };
  SluiceAttr made[] = { sluice_attr_value ("component_types", &types),
                        sluice_attr_value ("shapes", &shapes) };
  SluiceAttr put = sluice_attr_value ("Tcomponents", &types);
  SluiceEdge x = placeholder (&f, "x", SLUICE_FLOAT, &SLUICE_SHAPE_SCALAR);
  SluiceEdge queue = sluice_builder_add (&f.b, "FIFOQueueV2", "queue", NULL, 0, made, 2);
  SluiceEdge in[] = { queue, op2 (&f, "Mul", "in", x, x) };
  SluiceEdge out = sluice_builder_add (&f.b, "QueueDequeueV2", "out", &queue, 1, made, 1);
  op2 (&f, "AddV2", "y", in[1], out);
  sluice_builder_add (&f.b, "QueueEnqueueV2", "put", in, 2, &put, 1);
  fixture_extend (&f);
  g_autoptr (SluiceTensor) three = sluice_tensor_new_float (3);
  SluiceFeed feed = { "x:0", three };
  const char *fetch = "y:0", *target = "put";
  SluiceTensor *output;
  g_autoptr (GError) error = NULL;
  sluice_session_run (f.session,
                      &(SluiceStepNames){ .feeds = &feed,
                                          .fetches = &fetch,
                                          .targets = &target,
                                          .n_feeds = 1,
                                          .n_fetches = 1,
                                          .n_targets = 1 },
                      &output, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (*(const float *) output->data, ==, 18);
  sluice_tensor_unref (output);
}

/* Adds NextIteration of `value` to the loop's variable that `merged` is. */
static void
close_loop (Fixture *f, SluiceEdge merged, SluiceEdge value)
{
  g_autoptr (GError) error = NULL;
  SluiceEdge next = sluice_op (&f->b, "NextIteration", value);
  sluice_graph_set_input (f->graph, merged.node, 1, next, &error);
  g_assert_no_error (error);
}

/* for (; i > 0; i -= 1) { a, b = a * b + b, a * b - a; }. Nodes of an iteration's body that run. */
static guint64
count_body (gboolean no_fusion)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &(SluiceSessionOptions){ .no_fusion = no_fusion });
  SluiceEdge x = placeholder (&f, "x", SLUICE_FLOAT, &SLUICE_SHAPE_SCALAR), merged[3], body[3];
  SluiceAttr frame = sluice_attr_string ("frame_name", "loop"), n = sluice_attr_int ("N", 2);
  for (guint i = 0; i < 3; i++)
    {
      SluiceEdge enter = sluice_builder_add (&f.b, "Enter", NULL, &x, 1, &frame, 1);
      merged[i] =
          sluice_builder_add (&f.b, "Merge", NULL, (SluiceEdge[]){ enter, enter }, 2, &n, 1);
    }
  SluiceEdge zero = sluice_op (&f.b, "ZerosLike", merged[0]);
  SluiceEdge more = sluice_op (&f.b, "LoopCond", sluice_op (&f.b, "Greater", merged[0], zero));
  for (guint i = 0; i < 3; i++)
    {
      SluiceEdge turn = sluice_op (&f.b, "Switch", merged[i], more);
      body[i] = sluice_edge_port (turn, 1);
      if (i == 1)
        sluice_builder_add (&f.b, "Exit", "y", &turn, 1, NULL, 0);
    }
  SluiceEdge product = sluice_op (&f.b, "Mul", body[1], body[2]);
  close_loop (&f, merged[0],
              sluice_op (&f.b, "Sub", body[0], sluice_op (&f.b, "OnesLike", body[0])));
  close_loop (&f, merged[1], sluice_op (&f.b, "AddV2", product, body[2]));
  close_loop (&f, merged[2], sluice_op (&f.b, "Sub", product, body[1]));
  fixture_extend (&f);
  g_autoptr (SluiceTensor) three = sluice_tensor_new_float (3);
  SluiceFeed feed = { "x:0", three };
  const char *fetch = "y:0";
  g_assert_cmpfloat (fixture_fetch (&f, fetch, &feed, 1), ==, 4740);
  return count_run (&f, &fetch, 1, &feed, 1);
}

/* The variables of a loop live and die together. */
static void
test_loop (void)
{
  g_assert_cmpuint (count_body (TRUE) - count_body (FALSE), ==, 3 * 2);
}

/* The first of a tree takes a variable's value, which was fed, or has come from another device. */
static void
test_reference (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &(SluiceSessionOptions){ .n_cpus = 2 });
  SluiceEdge w = fixture_variable (&f, "w", 1);
  SluiceEdge x = placeholder (&f, "x", SLUICE_FLOAT, &SLUICE_SHAPE_SCALAR);
  op2 (&f, "Mul", "near", op2 (&f, "AddV2", NULL, w, x), x);
  f.b.device = "/cpu:1";
  op2 (&f, "Mul", "far", op2 (&f, "AddV2", NULL, w, x), x);
  fixture_extend (&f);
  fixture_run_target (&f, "w/Assign", NULL, NULL);
  g_autoptr (SluiceTensor) two = sluice_tensor_new_float (2);
  g_autoptr (SluiceTensor) three = sluice_tensor_new_float (3);
  SluiceFeed feeds[] = { { "x:0", three }, { "w:0", two } };
  g_assert_cmpfloat (fixture_fetch (&f, "near:0", feeds, 2), ==, 15);
  g_assert_cmpfloat (fixture_fetch (&f, "far:0", feeds, 2), ==, 15);
  g_assert_cmpfloat (fixture_fetch (&f, "far:0", feeds, 1), ==, 12);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  fixture_init_registry ();
  g_test_add_func ("/fused/programs", test_programs);
  g_test_add_func ("/fused/surprises", test_surprises);
  g_test_add_func ("/fused/counts", test_counts);
  g_test_add_func ("/fused/repeated", test_repeated);
  g_test_add_func ("/fused/guard", test_guard);
  g_test_add_func ("/fused/dead", test_dead);
  g_test_add_func ("/fused/half-dead", test_half_dead);
  g_test_add_func ("/fused/waits", test_waits);
  g_test_add_func ("/fused/loop", test_loop);
  g_test_add_func ("/fused/reference", test_reference);
  return g_test_run ();
}

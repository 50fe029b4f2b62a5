/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Whoever reads what shares a variable's memory sees what is there when it runs, wherever variable,
 * views and reader stand. Programs by lot: variables, views of them and of views by each op that
 * may hand its input on, updates, readers; control edges leave one result. They run on a CPU and
 * spread over devices with memory of their own: the same bits.
 */
#include "engine/device/sim.h"
#include "engine/graph/edit.h"
#include "tests/engine/runtime/fixture.h"

#define N_VARS 2

static const char *const devices[] = { "/device:CPU:0", "/device:SIM:0", "/device:SIM:1" };
static const char *const starts[N_VARS] = { "start0", "start1" };
static const SluiceShape shape = { .rank = 2, .dim = { 2, 3 } };

typedef struct
{
  Fixture f;
  GRand *lot, *places;
  gboolean is_spread;
  SluiceEdge vars[N_VARS];
  GArray *values;     /* of SluiceEdge: variables and what is alive */
  GPtrArray *since;   /* of SluiceNode: what the next update waits for */
  SluiceNode *update; /* the last one: what reads waits for it */
  GPtrArray *fetches; /* of text */
} Program;

/* By a lot of its own: programs that are spread are the same. */
static const char *
place (Program *p)
{
  return devices[p->is_spread ? g_rand_int_range (p->places, 0, G_N_ELEMENTS (devices)) : 0];
}

static int
draw (Program *p, int n)
{
  return g_rand_int_range (p->lot, 0, n);
}

/* Constants and views wait for nothing, or, as all that reads, for the last update. */
static SluiceEdge
add (Program *p,
     const char *op,
     const SluiceEdge *in,
     guint n,
     const SluiceAttr *attrs,
     guint n_attrs)
{
  gboolean waits = p->update != NULL && draw (p, 2) == 0;
  SluiceNode *node =
      fixture_node (&p->f, op, NULL, place (p), in, n, &p->update, waits, attrs, n_attrs);
  g_ptr_array_add (p->since, node);
  return (SluiceEdge){ node, 0 };
}

static SluiceEdge
constant (Program *p, SluiceTensor *take)
{
  g_autoptr (SluiceTensor) tensor = take;
  SluiceAttr attrs[] = { sluice_attr_type ("dtype", tensor->dtype),
                         sluice_attr_tensor ("value", tensor) };
  return (SluiceEdge){ fixture_node (&p->f, "Const", NULL, devices[0], NULL, 0, NULL, 0, attrs, 2),
                       0 };
}

static SluiceEdge
ints (Program *p, guint n, const gint32 *values)
{
  return constant (p, sluice_tensor_new_from (SLUICE_INT32, &SLUICE_SHAPE (n), values));
}

static SluiceEdge
scalar (Program *p, gint32 value)
{
  return constant (p, sluice_tensor_new_int32 (value));
}

static SluiceEdge
call (Program *p, const char *op, SluiceEdge x, SluiceEdge y)
{
  SluiceEdge in[] = { x, y };
  return add (p, op, in, y.node != NULL ? 2 : 1, NULL, 0);
}

static const SluiceEdge none = { NULL, 0 };

static const SluiceShape *
shape_of (SluiceEdge x)
{
  return &x.node->outputs[x.port].shape;
}

/* What a Switch lets through, alone or by way of a Merge. */
static SluiceEdge
switch_view (Program *p, SluiceEdge x)
{
  gboolean taken = draw (p, 2);
  SluiceEdge in[] = { x, { sluice_graph_find (p->f.graph, taken ? "yes" : "no"), 0 } };
  SluiceEdge both = add (p, "Switch", in, 2, NULL, 0), alive = sluice_edge_port (both, taken);
  if (draw (p, 2))
    return alive;
  SluiceEdge sides[] = { both, sluice_edge_port (both, 1) };
  return add (p, "Merge", sides, 2, NULL, 0);
}

/* Of a matrix: the same elements by an op that has nothing to do. */
static SluiceEdge
idle_view (Program *p, SluiceEdge x)
{
  static const gint32 zeros[4], ones[] = { 1, 1 }, order[] = { 0, 1 }, all[] = { -1, -1 };
  SluiceEdge three[] = { x, ints (p, 2, zeros), ints (p, 2, all) };
  SluiceEdge two[] = { scalar (p, 0), x };
  SluiceAttr type = sluice_attr_type ("DstT", SLUICE_FLOAT), one = sluice_attr_int ("N", 1),
             split = sluice_attr_int ("num_split", 1);
  g_autoptr (SluiceTensor) no_pads =
      sluice_tensor_new_from (SLUICE_INT32, &SLUICE_SHAPE (2, 2), zeros);
  SluiceAttr message = sluice_attr_string ("message", "it");
  switch (draw (p, 9))
    {
    case 0:
      return add (p, "Slice", three, 3, NULL, 0);
    case 1:
      return add (p, "Split", two, 2, &split, 1);
    case 2:
      return call (p, "Transpose", x, ints (p, 2, order));
    case 3:
      return call (p, "Tile", x, ints (p, 2, ones));
    case 4:
      return call (p, "Pad", x, constant (p, sluice_tensor_ref (no_pads)));
    case 5:
      return add (p, "AddN", &x, 1, &one, 1);
    case 6:
      return add (p, "Cast", &x, 1, &type, 1);
    case 7:
      return add (p, "CheckNumerics", &x, 1, &message, 1);
    default:
      return call (p, "Snapshot", x, none);
    }
}

/* Under other dimensions. */
static SluiceEdge
other_dims (Program *p, SluiceEdge x)
{
  static const gint32 flat[] = { 6 }, matrix[] = { 2, 3 }, room[] = { 2, 1, 3 };
  switch (draw (p, 4))
    {
    case 0:
      return call (p, "Reshape", x, ints (p, 1, flat));
    case 1:
      return call (p, "Reshape", x, ints (p, 2, matrix));
    case 2:
      return call (p, "Squeeze", call (p, "Reshape", x, ints (p, 3, room)), none);
    default:
      return call (p, "ExpandDims", x, scalar (p, 0));
    }
}

static SluiceEdge
make_view (Program *p, SluiceEdge x)
{
  switch (draw (p, 5))
    {
    case 0:
      return call (p, "Identity", x, none);
    case 1:
      return call (p, "StopGradient", x, none);
    case 2:
      return switch_view (p, x);
    case 3:
      return shape_of (x)->rank == 2 ? idle_view (p, x) : other_dims (p, x);
    default:
      return other_dims (p, x);
    }
}

/* It is computed from what is there then. */
static SluiceEdge
make_reader (Program *p, SluiceEdge x, SluiceEdge y)
{
  gboolean fits = sluice_shape_equal (shape_of (x), shape_of (y));
  SluiceEdge in[] = { x, y };
  SluiceNode *node = fixture_node (&p->f, fits ? "Add" : "Neg", NULL, place (p), in, fits ? 2 : 1,
                                   &p->update, p->update != NULL, NULL, 0);
  g_ptr_array_add (p->since, node);
  g_ptr_array_add (p->fetches, g_strdup_printf ("%s:0", node->name));
  return (SluiceEdge){ node, 0 };
}

/* Behind all that was there before. */
static void
make_update (Program *p, SluiceEdge value)
{
  SluiceEdge in[] = { p->vars[draw (p, N_VARS)], value };
  gboolean fits = sluice_shape_equal (shape_of (value), &shape);
  if (!fits)
    in[1] = constant (p, sluice_tensor_new_zeros (SLUICE_FLOAT, &shape));
  static const char *const ops[] = { "AssignAdd", "AssignSub", "Assign" };
  const char *op = ops[draw (p, 3)];
  p->update = fixture_node (&p->f, op, NULL, NULL, in, 2, (SluiceNode **) p->since->pdata,
                            p->since->len, NULL, 0);
  g_ptr_array_set_size (p->since, 0);
  g_ptr_array_add (p->since, p->update);
}

static void
make_variables (Program *p)
{
  for (guint i = 0; i < N_VARS; i++)
    {
      g_autofree char *name = g_strdup_printf ("v%u", i);
      SluiceAttr attrs[] = { sluice_attr_type ("dtype", SLUICE_FLOAT),
                             sluice_attr_shape ("shape", &shape) };
      SluiceNode *node =
          fixture_node (&p->f, "VariableV2", name, place (p), NULL, 0, NULL, 0, attrs, 2);
      p->vars[i] = (SluiceEdge){ node, 0 };
      g_array_append_val (p->values, p->vars[i]);
      const float start[] = { 1, 2, 3, 4, 5, (float) i };
      SluiceEdge in[] = { p->vars[i],
                          constant (p, sluice_tensor_new_from (SLUICE_FLOAT, &shape, start)) };
      fixture_node (&p->f, "Assign", starts[i], NULL, in, 2, NULL, 0, NULL, 0);
    }
}

static void
program_begin (Program *p, guint32 seed, gboolean is_spread)
{
  *p = (Program){ .lot = g_rand_new_with_seed (seed),
                  .places = g_rand_new_with_seed (seed + 1),
                  .is_spread = is_spread,
                  .values = g_array_new (FALSE, FALSE, sizeof (SluiceEdge)),
                  .since = g_ptr_array_new (),
                  .fetches = g_ptr_array_new_with_free_func (g_free) };
  static const SluiceSessionOptions spread = { .device = "SIM:1",
                                               .device_options = "latency=20us" };
  fixture_init (&p->f, is_spread ? &spread : &(SluiceSessionOptions){ .n_cpus = 1 });
}

static void
program_init (Program *p, guint32 seed, gboolean is_spread)
{
  program_begin (p, seed, is_spread);
  fixture_placeholder (&p->f, "yes", SLUICE_BOOL);
  fixture_placeholder (&p->f, "no", SLUICE_BOOL);
  make_variables (p);
  for (guint i = 0; i < 24; i++)
    {
      SluiceEdge x = g_array_index (p->values, SluiceEdge, draw (p, (int) p->values->len));
      SluiceEdge y = g_array_index (p->values, SluiceEdge, draw (p, (int) p->values->len));
      int kind = draw (p, 8);
      SluiceEdge made = none;
      if (kind < 4)
        made = make_view (p, x);
      else if (kind < 6)
        made = make_reader (p, x, y);
      else
        make_update (p, x);
      if (made.node != NULL)
        g_array_append_val (p->values, made);
      if (kind == 0) /* what is fetched is looked at when all is done */
        g_ptr_array_add (p->fetches, g_strdup_printf ("%s:%d", made.node->name, made.port));
    }
  make_reader (p, g_array_index (p->values, SluiceEdge, p->values->len - 1), p->vars[0]);
  fixture_extend (&p->f);
}

static void
program_clear (Program *p)
{
  fixture_clear (&p->f);
  g_rand_free (p->lot);
  g_rand_free (p->places);
  g_array_unref (p->values);
  g_ptr_array_unref (p->since);
  g_ptr_array_unref (p->fetches);
}

/* (transfer full): as many as fetches */
static GPtrArray *
program_run (Program *p)
{
  GPtrArray *outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_tensor_unref);
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTensor) yes = sluice_tensor_new_bool (TRUE), no = sluice_tensor_new_bool (FALSE);
  SluiceFeed feeds[] = { { "yes", yes }, { "no", no } };
  g_ptr_array_set_size (outputs, (int) p->fetches->len);
  const char *target = p->update != NULL ? p->update->name : NULL;
  sluice_session_run (p->f.session,
                      &(SluiceStepNames){ .feeds = feeds,
                                          .n_feeds = 2,
                                          .fetches = (const char *const *) p->fetches->pdata,
                                          .n_fetches = p->fetches->len,
                                          .targets = &target,
                                          .n_targets = target != NULL },
                      (SluiceTensor **) outputs->pdata, NULL, &error);
  g_assert_no_error (error);
  return outputs;
}

static void
check_program (guint32 seed)
{

  Program near, far;
  program_init (&near, seed, FALSE);
  program_init (&far, seed, TRUE);
  for (guint i = 0; i < N_VARS; i++)
    {
      g_assert_true (fixture_run_target (&near.f, starts[i], NULL, NULL));
      g_assert_true (fixture_run_target (&far.f, starts[i], NULL, NULL));
    }
  for (guint run = 0; run < 2; run++)
    {
      g_autoptr (GPtrArray) expected = program_run (&near), got = program_run (&far);
      for (guint i = 0; i < expected->len; i++)
        if (!sluice_tensor_identical (expected->pdata[i], got->pdata[i]))
          {
            g_autofree char *a = sluice_tensor_to_string (expected->pdata[i], 8),
                            *b = sluice_tensor_to_string (got->pdata[i], 8);
            g_error ("program %u, run %u: '%s' is %s, not %s", seed, run,
                     (char *) near.fetches->pdata[i], b, a);
          }
    }
  program_clear (&near);
  program_clear (&far);
}

/* SLUICE_STRESS_SECONDS in the environment: for so long, instead of a few programs. */
static void
test_programs (void)
{
  const char *text = g_getenv ("SLUICE_STRESS_SECONDS");
  gint64 until = text ? g_get_monotonic_time () + g_ascii_strtoll (text, NULL, 10) * 1000000 : 0;
  guint32 n = 0;
  for (; until ? g_get_monotonic_time () < until : n < 100; n++)
    check_program (n);
  g_test_message ("%u programs", n);
}

/* In a loop that updates a variable: what reads what came in as a constant sees each update. */
static float
run_loop (gboolean is_spread, guint32 seed)
{
  Program p;
  SluiceShape one = SLUICE_SHAPE_SCALAR;
  program_begin (&p, seed, is_spread);
  SluiceAttr variable[] = { sluice_attr_type ("dtype", SLUICE_FLOAT),
                            sluice_attr_shape ("shape", &one) };
  SluiceAttr enters[] = { sluice_attr_string ("frame_name", "loop"),
                          sluice_attr_bool ("is_constant", TRUE),
                          sluice_attr_int ("parallel_iterations", 1) };
  SluiceAttr first[] = { sluice_attr_string ("frame_name", "loop") };
  SluiceEdge v = {
    fixture_node (&p.f, "VariableV2", "v", place (&p), NULL, 0, NULL, 0, variable, 2), 0
  };
  SluiceEdge start[] = { v, constant (&p, sluice_tensor_new_float (1)) };
  fixture_node (&p.f, "Assign", "start", NULL, start, 2, NULL, 0, NULL, 0);
  SluiceEdge view = call (&p, "Reshape", call (&p, "Identity", v, none), ints (&p, 0, NULL));
  SluiceEdge inside = add (&p, "Enter", &view, 1, enters, 3);
  SluiceEdge reference = { fixture_node (&p.f, "RefEnter", NULL, NULL, &v, 1, NULL, 0, enters, 3),
                           0 };
  SluiceEdge step_outside = constant (&p, sluice_tensor_new_float (2));
  SluiceEdge step = add (&p, "Enter", &step_outside, 1, enters, 3);
  SluiceEdge limit_outside = constant (&p, sluice_tensor_new_float (100));
  SluiceEdge limit = add (&p, "Enter", &limit_outside, 1, enters, 3);
  SluiceEdge zero = constant (&p, sluice_tensor_new_float (0));
  SluiceEdge entered = add (&p, "Enter", &zero, 1, first, 1);
  SluiceEdge both[] = { entered, entered };
  SluiceEdge merge = add (&p, "Merge", both, 2, NULL, 0);
  SluiceEdge cond = call (&p, "LoopCond", call (&p, "Less", merge, limit), none);
  SluiceEdge decided[] = { merge, cond };
  SluiceEdge out = add (&p, "Switch", decided, 2, NULL, 0), body = sluice_edge_port (out, 1);
  SluiceEdge added[] = { reference, step };
  SluiceNode *behind = call (&p, "Identity", body, none).node;
  SluiceNode *update = fixture_node (&p.f, "AssignAdd", NULL, NULL, added, 2, &behind, 1, NULL, 0);
  SluiceEdge summed[] = { body, inside };
  SluiceEdge sum = { fixture_node (&p.f, "Add", NULL, place (&p), summed, 2, &update, 1, NULL, 0),
                     0 };
  SluiceEdge next = call (&p, "NextIteration", sum, none);
  g_assert_true (sluice_graph_set_input (p.f.graph, merge.node, 1, next, NULL));
  SluiceEdge exit = call (&p, "Exit", out, none);
  g_autofree char *fetch = g_strdup_printf ("%s:0", exit.node->name);
  fixture_extend (&p.f);
  g_assert_true (fixture_run_target (&p.f, "start", NULL, NULL));
  float got = fixture_fetch (&p.f, fetch, NULL, 0);
  program_clear (&p);
  return got;
}

static void
test_loop (void)
{
  float expected = run_loop (FALSE, 0);
  g_assert_cmpfloat (expected, ==, 3 + 5 + 7 + 9 + 11 + 13 + 15 + 17 + 19 + 21);
  for (guint32 seed = 1; seed < 60; seed++)
    g_assert_cmpfloat (run_loop (TRUE, seed), ==, expected);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  fixture_init_registry ();
  g_test_add_func ("/runtime/far-views/programs", test_programs);
  g_test_add_func ("/runtime/far-views/loop", test_loop);
  return g_test_run ();
}

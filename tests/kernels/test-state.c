/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Variables, optimizers and random states over several runs of one session. */
#include <math.h>
#include <string.h>

#include "engine/device/random.h"
#include "tests/kernels/harness.h"

static float
first (SluiceTensor *take)
{
  g_autoptr (SluiceTensor) tensor = take;
  return ((const float *) tensor->data)[0];
}

static void
test_uninitialised (void)
{
  for (int resource = 0; resource < 2; resource++)
    {
      g_auto (Harness) h;
      harness_init (&h, 1, FALSE);
      SluiceEdge one = harness_floats (&h, &SLUICE_SHAPE_SCALAR, (float[]){ 1 });
      SluiceEdge v = harness_variable (&h, resource, "v", one);
      harness_op (&h, resource ? "AssignAddVariableOp" : "AssignAdd", "add", v, one);
      harness_fails (&h, "v/read:0", NULL, SLUICE_ERROR_FAILED_PRECONDITION);
      harness_fails (&h, NULL, "add",
                     resource ? SLUICE_ERROR_NOT_FOUND : SLUICE_ERROR_FAILED_PRECONDITION);
      harness_target (&h, "v/init");
      harness_target (&h, "add");
      g_assert_cmpfloat (first (harness_fetch (&h, "v/read:0")), ==, 2);
    }
}

/* A read of a resource is a value of its own; an alias of a reference sees later updates. */
static void
test_updates_in_place (void)
{
  for (int resource = 0; resource < 2; resource++)
    {
      g_auto (Harness) h;
      harness_init (&h, 1, FALSE);
      SluiceEdge initial = harness_floats (&h, &SLUICE_SHAPE (3), (float[]){ 1, 2, 3 });
      SluiceEdge v = harness_variable (&h, resource, "v", initial);
      SluiceNode *read = sluice_graph_find (h.graph, "v/read");
      h.b.control_inputs = &read;
      h.b.n_control_inputs = 1;
      SluiceNode *add =
          harness_op (&h, resource ? "AssignAddVariableOp" : "AssignAdd", "add", v, initial).node;
      h.b.control_inputs = &add;
      harness_op (&h, "Identity", "late", (SluiceEdge){ read, 0 });
      h.b.n_control_inputs = 0;
      harness_target (&h, "v/init");
      g_assert_cmpfloat (first (harness_fetch (&h, "late:0")), ==, resource ? 1 : 2);
      g_assert_cmpfloat (first (harness_fetch (&h, "v/read:0")), ==, 2);
    }
}

static gpointer
add_many (gpointer data)
{
  Harness *h = data;
  for (int i = 0; i < 500; i++)
    {
      const char *target = "add";
      g_autoptr (GError) error = NULL;
      sluice_session_run (h->session, &(SluiceStepNames){ .targets = &target, .n_targets = 1 },
                          NULL, NULL, &error);
      g_assert_no_error (error);
    }
  return NULL;
}

/* Additions of concurrent runs are not lost: there is one lock a variable. */
static void
test_concurrent_updates (void)
{
  for (int resource = 0; resource < 2; resource++)
    {
      g_auto (Harness) h;
      GThread *threads[4];
      harness_init (&h, 1, FALSE);
      SluiceEdge zero = harness_floats (&h, &SLUICE_SHAPE_SCALAR, (float[]){ 0 });
      SluiceEdge one = harness_floats (&h, &SLUICE_SHAPE_SCALAR, (float[]){ 1 });
      SluiceEdge v = harness_variable (&h, resource, "v", zero);
      harness_op (&h, resource ? "AssignAddVariableOp" : "AssignAdd", "add", v, one);
      harness_target (&h, "v/init");
      for (int i = 0; i < 4; i++)
        threads[i] = g_thread_new ("adder", add_many, &h);
      for (int i = 0; i < 4; i++)
        g_thread_join (threads[i]);
      g_assert_cmpfloat (first (harness_fetch (&h, "v/read:0")), ==, 2000);
    }
}

static void
test_destroy (void)
{
  g_auto (Harness) h;
  harness_init (&h, 1, FALSE);
  SluiceEdge one = harness_floats (&h, &SLUICE_SHAPE_SCALAR, (float[]){ 1 });
  SluiceEdge v = harness_variable (&h, TRUE, "v", one);
  harness_op (&h, "DestroyResourceOp", "drop", v);
  harness_add (&h, "DestroyResourceOp", "drop-strictly", &v, 1,
               SLUICE_ATTRS (sluice_attr_bool ("ignore_lookup_error", FALSE)));
  harness_fails (&h, NULL, "drop-strictly", SLUICE_ERROR_NOT_FOUND);
  harness_target (&h, "v/init");
  harness_target (&h, "drop-strictly");
  harness_target (&h, "drop");
  harness_fails (&h, "v/read:0", NULL, SLUICE_ERROR_FAILED_PRECONDITION);
}

/* ---- optimizers ---- */

#define SIZE 20000 /* more than one chunk */

static double
gradient_at (int i)
{
  return sin (i * 0.1) + 0.25;
}

static SluiceEdge
gradient (Harness *h)
{
  g_autofree float *values = g_new (float, SIZE);
  for (int i = 0; i < SIZE; i++)
    values[i] = (float) gradient_at (i);
  return harness_floats (h, &SLUICE_SHAPE (SIZE), values);
}

static SluiceEdge
scalar (Harness *h, float value)
{
  return harness_floats (h, &SLUICE_SHAPE_SCALAR, &value);
}

static SluiceEdge
filled (Harness *h, float value)
{
  g_autofree float *values = g_new (float, SIZE);
  for (int i = 0; i < SIZE; i++)
    values[i] = value;
  return harness_floats (h, &SLUICE_SHAPE (SIZE), values);
}

static void
check_variable (Harness *h, const char *read, double (*want) (int i))
{
  g_autoptr (SluiceTensor) tensor = harness_fetch (h, read);
  for (int i = 0; i < SIZE; i++)
    g_assert_cmpfloat_with_epsilon (((const float *) tensor->data)[i], want (i), 2e-6);
}

static double
after_descent (int i)
{
  return 1 - 3 * 0.1 * gradient_at (i);
}

static double
after_nesterov (int i)
{
  double g = gradient_at (i), accum = 0, var = 1;
  for (int step = 0; step < 3; step++)
    {
      accum = accum * 0.9 + g;
      var -= g * 0.1 + accum * 0.9 * 0.1;
    }
  return var;
}

static double
after_adam (int i)
{
  double g = gradient_at (i), m = 0, v = 0, var = 1;
  double alpha = 0.01 * sqrt (1 - 0.999) / (1 - 0.9);
  for (int step = 0; step < 3; step++)
    {
      m += (g - m) * 0.1;
      v += (g * g - v) * 0.001;
      var -= m * alpha / (sqrt (v) + 1e-4);
    }
  return var;
}

static void
test_optimizers (gconstpointer data)
{
  gboolean resource = GPOINTER_TO_INT (data);
  const char *prefix = resource ? "ResourceApply" : "Apply";
  g_auto (Harness) h;
  harness_init (&h, 1, FALSE);
  SluiceEdge g = gradient (&h), var[3], zero = filled (&h, 0), one = filled (&h, 1);
  const char *names[] = { "a", "b", "c" };
  for (int i = 0; i < 3; i++)
    var[i] = harness_variable (&h, resource, names[i], one);
  SluiceEdge accum = harness_variable (&h, resource, "accum", zero);
  SluiceEdge m = harness_variable (&h, resource, "m", zero),
             v = harness_variable (&h, resource, "v", zero);
  g_autofree char *descent = g_strconcat (prefix, "GradientDescent", NULL);
  g_autofree char *momentum = g_strconcat (prefix, "Momentum", NULL);
  g_autofree char *adam = g_strconcat (prefix, "Adam", NULL);
  harness_op (&h, descent, "descent", var[0], scalar (&h, 0.1f), g);
  SluiceEdge inputs[] = { var[1], accum, scalar (&h, 0.1f), g, scalar (&h, 0.9f) };
  harness_add (&h, momentum, "nesterov", inputs, 5,
               SLUICE_ATTRS (sluice_attr_bool ("use_nesterov", TRUE)));
  harness_op (&h, adam, "adam", var[2], m, v, scalar (&h, 0.9f), scalar (&h, 0.999f),
              scalar (&h, 0.01f), scalar (&h, 0.9f), scalar (&h, 0.999f), scalar (&h, 1e-4f), g);
  harness_fails (&h, NULL, "adam",
                 resource ? SLUICE_ERROR_NOT_FOUND : SLUICE_ERROR_FAILED_PRECONDITION);
  const char *init[] = { "a/init", "b/init", "c/init", "accum/init", "m/init", "v/init" };
  for (guint i = 0; i < G_N_ELEMENTS (init); i++)
    harness_target (&h, init[i]);
  for (int step = 0; step < 3; step++)
    {
      harness_target (&h, "descent");
      harness_target (&h, "nesterov");
      harness_target (&h, "adam");
    }
  check_variable (&h, "a/read:0", after_descent);
  check_variable (&h, "b/read:0", after_nesterov);
  check_variable (&h, "c/read:0", after_adam);
}

/* The same variable twice: locked once. */
static void
test_slot_is_variable (void)
{
  g_auto (Harness) h;
  harness_init (&h, 1, FALSE);
  SluiceEdge one = harness_floats (&h, &SLUICE_SHAPE (1), (float[]){ 1 });
  SluiceEdge v = harness_variable (&h, FALSE, "v", one);
  harness_op (&h, "ApplyMomentum", "apply", v, v, scalar (&h, 0.5f), one, scalar (&h, 0));
  harness_target (&h, "v/init");
  harness_target (&h, "apply");
  g_assert_true (isfinite (first (harness_fetch (&h, "v/read:0"))));
}

/* ---- random states ---- */

static void
add_random (Harness *h, const char *name, gint64 seed)
{
  gint64 size = 5;
  SluiceEdge shape = sluice_builder_const_ints (&h->b, SLUICE_INT32, &size, 1);
  harness_add (
      h, "TruncatedNormal", name, &shape, 1,
      SLUICE_ATTRS (sluice_attr_type ("dtype", SLUICE_FLOAT), sluice_attr_int ("seed", seed)));
}

static gboolean
same_draw (Harness *a, const char *x, Harness *b, const char *y)
{
  g_autoptr (SluiceTensor) p = harness_fetch (a, x), q = harness_fetch (b, y);
  return memcmp (p->data, q->data, sluice_tensor_bytes (p)) == 0;
}

/* Without seeds of their own, nodes follow the session's seed and their names. */
static void
test_random_seeds (void)
{
  g_auto (Harness) a, b, c;
  harness_init (&a, 7, FALSE);
  harness_init (&b, 7, FALSE);
  harness_init (&c, 8, FALSE);
  Harness *all[] = { &a, &b, &c };
  for (int i = 0; i < 3; i++)
    {
      add_random (all[i], "x", 0);
      add_random (all[i], "y", 0);
    }
  g_assert_true (same_draw (&a, "x:0", &b, "x:0"));
  g_assert_true (same_draw (&a, "x:0", &b, "x:0"));
  g_assert_false (same_draw (&a, "x:0", &a, "x:0"));
  g_assert_false (same_draw (&a, "x:0", &b, "y:0"));
  g_assert_false (same_draw (&b, "y:0", &c, "y:0"));
}

/* A state written down and read back goes on where it was: what a resumed run needs. */
static void
test_random_resume (void)
{
  g_auto (Harness) a, b;
  g_autoptr (GError) error = NULL;
  harness_init (&a, 1, FALSE);
  harness_init (&b, 2, FALSE);
  add_random (&a, "x", 5);
  add_random (&b, "x", 5);
  for (int i = 0; i < 3; i++)
    sluice_tensor_unref (harness_fetch (&a, "x:0"));
  SluiceRandomState *from =
      sluice_random_state_get (sluice_session_get_resources (a.session), "x", NULL, &error);
  g_assert_no_error (error);
  SluicePhilox philox = sluice_random_state_dump (from);
  sluice_resource_unref (&from->parent);
  SluiceRandomState *to =
      sluice_random_state_get (sluice_session_get_resources (b.session), "x", &philox, &error);
  g_assert_no_error (error);
  sluice_resource_unref (&to->parent);
  g_assert_true (same_draw (&a, "x:0", &b, "x:0"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernels/state/uninitialised", test_uninitialised);
  g_test_add_func ("/kernels/state/in-place", test_updates_in_place);
  g_test_add_func ("/kernels/state/concurrent", test_concurrent_updates);
  g_test_add_func ("/kernels/state/destroy", test_destroy);
  g_test_add_data_func ("/kernels/train/references", GINT_TO_POINTER (FALSE), test_optimizers);
  g_test_add_data_func ("/kernels/train/resources", GINT_TO_POINTER (TRUE), test_optimizers);
  g_test_add_func ("/kernels/train/slot-is-variable", test_slot_is_variable);
  g_test_add_func ("/kernels/random/seeds", test_random_seeds);
  g_test_add_func ("/kernels/random/resume", test_random_resume);
  return g_test_run ();
}

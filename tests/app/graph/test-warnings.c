/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What is odd about a graph that runs. */
#include "app/graph/warnings.h"
#include "engine/graph/builder.h"
#include "kernels/registry.h"

static SluiceEdge
add (SluiceBuilder *b, const char *op, const char *name, const SluiceShape *shape)
{
  SluiceAttr attrs[] = { sluice_attr_type ("dtype", SLUICE_FLOAT),
                         sluice_attr_shape ("shape", shape) };
  return sluice_builder_add (b, op, name, NULL, 0, attrs, G_N_ELEMENTS (attrs));
}

static SluiceEdge
join (SluiceBuilder *b, const char *op, const char *name, SluiceEdge first, SluiceEdge second)
{
  SluiceEdge inputs[] = { first, second };
  return sluice_builder_add (b, op, name, inputs, second.node != NULL ? 2 : 1, NULL, 0);
}

/* Nothing else is said of @graph than what is in @wanted, node by node. */
static void
assert_warned (SluiceGraph *graph, const char *const *wanted)
{
  g_autoptr (GPtrArray) warnings = sluice_graph_find_warnings (graph);
  guint i = 0;
  for (; wanted[i] != NULL && i < warnings->len; i++)
    g_assert_cmpstr (((SluiceGraphWarning *) warnings->pdata[i])->node, ==, wanted[i]);
  g_assert_cmpuint (warnings->len, ==, i);
  g_assert_null (wanted[i]);
}

static void
test_broadcast (void)
{
  static const struct
  {
    const char *op;
    SluiceShape first, second;
    gboolean is_odd;
  } cases[] = {
    { "Sub", SLUICE_SHAPE (-1, 1), SLUICE_SHAPE (-1), TRUE },
    { "Sub", SLUICE_SHAPE (8), SLUICE_SHAPE (8, 1), TRUE },
    { "SquaredDifference", SLUICE_SHAPE (8, 1), SLUICE_SHAPE (8), TRUE },
    { "Sub", SLUICE_SHAPE (8, 1), SLUICE_SHAPE (5), FALSE }, /* a table, on purpose */
    { "Sub", SLUICE_SHAPE (8, 5), SLUICE_SHAPE (5), FALSE },
    { "Sub", SLUICE_SHAPE (1, 1), SLUICE_SHAPE (1), FALSE },
    { "Sub", SLUICE_SHAPE (8, 1), SLUICE_SHAPE (8, 1), FALSE },
    { "Mul", SLUICE_SHAPE (8, 1), SLUICE_SHAPE (8), FALSE },
    { "Sub", SLUICE_SHAPE_SCALAR, SLUICE_SHAPE (8), FALSE },
    { "Sub", SLUICE_SHAPE_UNKNOWN, SLUICE_SHAPE (8), FALSE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SluiceGraph) graph = sluice_graph_new ();
      SluiceBuilder b;
      sluice_builder_init (&b, graph, NULL);
      join (&b, cases[i].op, "odd", add (&b, "Placeholder", "a", &cases[i].first),
            add (&b, "Placeholder", "b", &cases[i].second));
      sluice_builder_finish (&b, &error);
      g_assert_no_error (error);
      assert_warned (graph, (const char *const[]){ cases[i].is_odd ? "odd" : NULL, NULL });
    }
}

/* Read and never written but by its initial value; not so what is trained, an average, a number, a
 * copy of another variable, or what is not read. */
static void
test_variables (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  SluiceShape shape = SLUICE_SHAPE (3, 4), scalar = SLUICE_SHAPE_SCALAR;
  SluiceEdge none = { NULL, 0 };
  SluiceBuilder b;
  sluice_builder_init (&b, graph, NULL);
  SluiceEdge trained = add (&b, "VariableV2", "trained", &shape);
  SluiceEdge frozen = add (&b, "VariableV2", "frozen", &shape);
  SluiceEdge average = add (&b, "VariableV2", "average", &shape);
  SluiceEdge copy = add (&b, "VariableV2", "copy", &shape);
  SluiceEdge rate = add (&b, "VariableV2", "rate", &scalar);
  SluiceEdge value = add (&b, "Placeholder", "value", &shape);
  add (&b, "VariableV2", "unread", &shape);
  SluiceEdge read = join (&b, "Identity", "trained/read", trained, none);
  join (&b, "Identity", "frozen/read", frozen, none);
  join (&b, "Identity", "average/read", average, none);
  join (&b, "Identity", "copy/read", copy, none);
  join (&b, "Identity", "rate/read", rate, none);
  join (&b, "Assign", "frozen/init", frozen, value);
  join (&b, "AssignSub", "average/update", average, value);
  join (&b, "Assign", "copy/update", copy, read);
  SluiceEdge inputs[] = { trained, sluice_builder_const_number (&b, SLUICE_FLOAT, 0.1), value };
  assert_warned (graph, (const char *const[]){ NULL }); /* nothing is trained at all */
  sluice_builder_add (&b, "ApplyGradientDescent", "update", inputs, 3, NULL, 0);
  sluice_builder_finish (&b, &error);
  g_assert_no_error (error);
  assert_warned (graph, (const char *const[]){ "frozen", NULL });
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  g_test_add_func ("/app/warnings/broadcast", test_broadcast);
  g_test_add_func ("/app/warnings/variables", test_variables);
  return g_test_run ();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Which figure of a node counts: what was measured goes before the formulas. */
#include <math.h>
#include <string.h>

#include "engine/cost/cost-model.h"
#include "engine/graph/builder.h"
#include "kernels/registry.h"

static const char machine_text[] =
    "{\"devices\": [{\"name\": \"CPU:0\", \"gflops\": 1, \"gbps\": 1, \"overhead_us\": 2},"
    " {\"name\": \"CPU:1\"}], \"links\": [{\"from\": \"CPU:0\", \"to\": \"CPU:1\", \"gbps\": 1}]}";

typedef struct
{
  SluiceGraph *graph;
  SluiceMachine *machine;
  SluiceMeasured *measured;
  SluiceCostModel *model;
} Fixture;

static void
set_up (Fixture *f, gconstpointer unused)
{
  f->graph = sluice_graph_new ();
  f->machine = sluice_machine_parse (machine_text, strlen (machine_text), "machine.json", NULL);
  g_assert_nonnull (f->machine);
  f->machine->devices[0].is_here = f->machine->devices[1].is_here = TRUE;
  f->measured = sluice_measured_new ();
  f->model = sluice_cost_model_new ();
  sluice_cost_model_set_measured (f->model, f->measured);
}

static void
tear_down (Fixture *f, gconstpointer unused)
{
  sluice_cost_model_free (f->model);
  sluice_measured_free (f->measured);
  sluice_machine_free (f->machine);
  sluice_graph_unref (f->graph);
}

/* Of [rows, columns]; rows may be -1. */
static SluiceNode *
add_abs (Fixture *f, gint64 rows, gint64 columns)
{
  g_autoptr (GError) error = NULL;
  SluiceBuilder b;
  SluiceShape shape = SLUICE_SHAPE (rows, columns);
  sluice_builder_init (&b, f->graph, NULL);
  SluiceEdge x = sluice_builder_add (
      &b, "Placeholder", NULL, NULL, 0,
      SLUICE_ATTRS (sluice_attr_type ("dtype", SLUICE_FLOAT), sluice_attr_shape ("shape", &shape)));
  SluiceEdge y = sluice_op (&b, "Abs", x);
  g_assert_true (sluice_builder_finish (&b, &error));
  return y.node;
}

static void
measure (Fixture *f, const SluiceNode *node, double us)
{
  g_auto (SluiceCostKey) key = { NULL };
  sluice_cost_key_init (&key, node, 1);
  sluice_measured_entry_add (sluice_measured_open (f->measured, "CPU:0", &key),
                             SLUICE_MEASURED_ALONE, us * 1000, 100);
}

static SluiceFigure
get (Fixture *f, const SluiceNode *node)
{
  return sluice_cost_model_get (f->model, node, &f->machine->devices[0], 1);
}

static void
test_order (Fixture *f, gconstpointer unused)
{
  const char given[] = "{\"nodes\": {\"Abs\": {\"us\": {\"CPU\": 3}}}}";
  g_autoptr (GError) error = NULL;
  const SluiceNode *node = add_abs (f, 100, 100);
  SluiceFigure figure = get (f, node);
  g_assert_cmpint (figure.source, ==, SLUICE_COST_FORMULA);
  g_assert_cmpfloat_with_epsilon (figure.us, 2 + 80, 1e-6); /* 80 kB at 1 GB/s */
  measure (f, node, 50);
  figure = get (f, node);
  g_assert_cmpint (figure.source, ==, SLUICE_COST_MEASURED);
  g_assert_cmpuint (figure.n, ==, 100);
  g_assert_cmpfloat_with_epsilon (figure.us, 50, 2.5);
  g_assert_cmpfloat_with_epsilon (figure.p95, 50, 2.5);
  g_assert_cmpfloat (figure.plus_minus, <, 2.5);
  f->machine->devices[0].is_here = FALSE;
  g_assert_cmpint (get (f, node).source, ==, SLUICE_COST_FORMULA);
  f->machine->devices[0].is_here = TRUE;
  g_assert_true (sluice_cost_model_parse_given (f->model, given, strlen (given), "costs.json",
                                                f->graph, &error));
  figure = get (f, node);
  g_assert_cmpint (figure.source, ==, SLUICE_COST_GIVEN);
  g_assert_cmpfloat_with_epsilon (figure.us, 3, 1e-9);
}

/* Ten times as much takes as much longer as the formula says; the further, the less sure. */
static void
test_near (Fixture *f, gconstpointer unused)
{
  measure (f, add_abs (f, 100, 100), 41);
  SluiceFigure near = get (f, add_abs (f, 100, 110)), far = get (f, add_abs (f, 1000, 100));
  g_assert_cmpint (near.source, ==, SLUICE_COST_MEASURED);
  g_assert_cmpfloat_with_epsilon (near.us, 41 * 90 / 82.0, 2.5);
  g_assert_cmpfloat_with_epsilon (far.us, 41 * 802 / 82.0, 21);
  g_assert_cmpfloat (far.plus_minus / far.us, >, near.plus_minus / near.us + 0.3);
}

static void
test_batch (Fixture *f, gconstpointer unused)
{
  const SluiceNode *open = add_abs (f, -1, 100);
  measure (f, add_abs (f, 64, 100), 10);
  sluice_cost_model_set_batch (f->model, NULL, 64);
  SluiceFigure figure = get (f, open);
  g_assert_cmpfloat_with_epsilon (figure.us, 10, 0.5);
  g_assert_cmpfloat (figure.plus_minus, <, 0.5);
  g_assert_cmpfloat_with_epsilon (sluice_cost_model_get_bytes (f->model, open, 0, 1), 25600, 1e-9);
}

static void
test_machine (Fixture *f, gconstpointer unused)
{
  measure (f, add_abs (f, 100, 100), 50);
  for (double bytes = 64; bytes < 1e6; bytes *= 2)
    sluice_measured_add_transfer (f->measured, "CPU:0", "CPU:1", bytes, 4000 + bytes / 2);
  sluice_measured_entry_add (sluice_measured_open_overhead (f->measured, "CPU:0", SLUICE_OVERHEAD_BETWEEN),
                             SLUICE_MEASURED_ALONE, 3000, 10);
  sluice_machine_take_measured (f->machine, f->measured);
  const SluiceMachineLink *link = sluice_machine_get_link (f->machine, 0, 1);
  g_assert_cmpfloat_with_epsilon (link->latency_us, 4, 0.3);
  g_assert_cmpfloat_with_epsilon (link->bytes_per_us, 2000, 100);
  g_assert_cmpfloat_with_epsilon (get (f, add_abs (f, 100, 100)).us, 53, 3);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
#define TEST(name, func) g_test_add (name, Fixture, NULL, set_up, func, tear_down)
  TEST ("/cost-model/order", test_order);
  TEST ("/cost-model/near", test_near);
  TEST ("/cost-model/batch", test_batch);
  TEST ("/cost-model/machine", test_machine);
  return g_test_run ();
}

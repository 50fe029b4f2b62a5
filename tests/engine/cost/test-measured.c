/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The table of what was measured: nodes and links. */
#include "engine/cost/measured.h"

#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/graph/builder.h"
#include "kernels/registry.h"

#define CPU  "/job:localhost/replica:0/task:0/device:CPU:0"
#define NEAR 0.05 /* a sketch is off by so much at the most */

#define assert_near(a, b) g_assert_cmpfloat (fabs ((a) / (b) -1), <, NEAR)

/* A product of [rows, ?] by [?, columns]. */
static SluiceNode *
add_product (SluiceGraph *graph, gint64 rows, gint64 inner, gint64 columns, gboolean transpose)
{
  g_autoptr (GError) error = NULL;
  SluiceBuilder b;
  SluiceShape shapes[2] = { SLUICE_SHAPE (rows, inner), SLUICE_SHAPE (inner, columns) };
  SluiceEdge inputs[2];
  if (transpose)
    shapes[1] = SLUICE_SHAPE (columns, inner);
  sluice_builder_init (&b, graph, NULL);
  for (guint i = 0; i < 2; i++)
    inputs[i] = sluice_builder_add (&b, "Placeholder", NULL, NULL, 0,
                                    SLUICE_ATTRS (sluice_attr_type ("dtype", SLUICE_FLOAT),
                                                  sluice_attr_shape ("shape", &shapes[i])));
  SluiceEdge product = sluice_builder_add (
      &b, "MatMul", NULL, inputs, 2, SLUICE_ATTRS (sluice_attr_bool ("transpose_b", transpose)));
  g_assert_true (sluice_builder_finish (&b, &error));
  return product.node;
}

static void
add (SluiceMeasured *self, const SluiceNode *node, SluiceMeasuredHow how, double us, guint times)
{
  g_auto (SluiceCostKey) key;
  sluice_cost_key_init (&key, node, 32);
  sluice_measured_entry_add (sluice_measured_open (self, CPU, &key), how, us * 1000, times);
}

/* FALSE: there is none. */
static gboolean
get (SluiceMeasured *self, const SluiceNode *node, const char *device, SluiceMeasuredFigure *figure)
{
  g_auto (SluiceCostKey) key;
  sluice_cost_key_init (&key, node, 32);
  const SluiceMeasuredEntry *entry = sluice_measured_find (self, device, &key);
  if (entry != NULL)
    sluice_measured_entry_get (entry, figure);
  return entry != NULL;
}

static void
test_key (void)
{
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  g_auto (SluiceCostKey) guessed, known, other, turned;
  sluice_cost_key_init (&guessed, add_product (graph, -1, 784, 10, FALSE), 32);
  sluice_cost_key_init (&known, add_product (graph, 32, 784, 10, FALSE), 64);
  sluice_cost_key_init (&other, add_product (graph, 32, 784, 11, FALSE), 32);
  sluice_cost_key_init (&turned, add_product (graph, 32, 784, 10, TRUE), 32);
  g_assert_cmpstr (known.family, ==,
                   "MatMul float,float->float transpose_a=false transpose_b=false");
  g_assert_cmpstr (known.shapes, ==, "[32,784];[784,10]->[32,10]");
  g_assert_cmpstr (guessed.family, ==, known.family);
  g_assert_cmpstr (guessed.shapes, ==, "[?32,784];[784,10]->[?32,10]");
  g_assert_cmpfloat (guessed.cost.flops, ==, known.cost.flops);
  g_assert_cmpstr (other.family, ==, known.family);
  g_assert_cmpstr (other.shapes, !=, known.shapes);
  g_assert_cmpstr (turned.family, !=, known.family);
  g_assert_cmpfloat (known.cost.flops, ==, 2.0 * 32 * 784 * 10);

  /* What is folded before the first step is something else. */
  g_autoptr (GError) error = NULL;
  g_auto (SluiceCostKey) folded;
  SluiceBuilder b;
  sluice_builder_init (&b, graph, NULL);
  SluiceEdge sum = sluice_op (&b, "Abs", sluice_builder_const_number (&b, SLUICE_FLOAT, 2));
  sum = sluice_op (&b, "Neg", sum);
  g_assert_true (sluice_builder_finish (&b, &error));
  sluice_cost_key_init (&folded, sum.node, 1);
  g_assert_cmpstr (folded.family, ==, "Neg float->float of constants");
}

static void
test_figures (void)
{
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  g_autoptr (SluiceMeasured) self = sluice_measured_new ();
  const SluiceNode *node = add_product (graph, 32, 784, 10, FALSE);
  SluiceMeasuredFigure figure;
  g_assert_false (get (self, node, CPU, &figure));
  for (guint i = 0; i < 100; i++)
    add (self, node, SLUICE_MEASURED_ALONE, i < 90 ? 40 : 60, 1);
  g_assert_true (get (self, node, "CPU:1", &figure)); /* all CPUs are one */
  g_assert_cmpuint (figure.n, ==, 100);
  assert_near (figure.us, 40);
  assert_near (figure.p95, 60);
  g_assert_cmpfloat_with_epsilon (figure.plus_minus, 20, NEAR * 60);
  g_assert_false (get (self, node, "SIM:0", &figure));

  /* Mostly within another kernel, and now and then not at all. */
  add (self, node, SLUICE_MEASURED_TOGETHER, 10, 900);
  g_assert_true (get (self, node, CPU, &figure));
  assert_near (figure.us, 10);
  g_assert_cmpfloat_with_epsilon (figure.plus_minus, 50, NEAR * 60);
  add (self, node, SLUICE_MEASURED_NOT_RUN, 0, 9000);
  g_assert_true (get (self, node, CPU, &figure));
  g_assert_cmpfloat (figure.us, ==, 0);
  assert_near (figure.plus_minus, 10);
}

static void
test_near (void)
{
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  g_autoptr (SluiceMeasured) self = sluice_measured_new ();
  SluiceMeasuredFigure figure;
  g_auto (SluiceCostKey) key;
  add (self, add_product (graph, 32, 784, 10, FALSE), SLUICE_MEASURED_ALONE, 40, 9);
  add (self, add_product (graph, 32, 784, 1000, FALSE), SLUICE_MEASURED_ALONE, 4000, 9);
  add (self, add_product (graph, 32, 784, 900, TRUE), SLUICE_MEASURED_ALONE, 1, 9);
  sluice_cost_key_init (&key, add_product (graph, 32, 784, 800, FALSE), 32);
  g_assert_null (sluice_measured_find (self, CPU, &key));
  sluice_measured_entry_get (sluice_measured_find_near (self, CPU, &key), &figure);
  assert_near (figure.us, 4000);
  g_assert_cmpfloat (figure.cost.flops, ==, 2.0 * 32 * 784 * 1000);
  g_assert_null (sluice_measured_find_near (self, "SIM:0", &key));
}

static void
test_options (void)
{
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  g_autoptr (SluiceMeasured) self = sluice_measured_new ();
  const SluiceNode *node = add_product (graph, 32, 784, 10, FALSE);
  g_auto (SluiceCostKey) key;
  sluice_cost_key_init (&key, node, 32);
  sluice_measured_set_options (self, "speed=0.5");
  sluice_measured_entry_add (sluice_measured_open (self, "SIM:0", &key), SLUICE_MEASURED_ALONE, 9,
                             1);
  g_assert_nonnull (sluice_measured_find (self, "SIM:0", &key));
  sluice_measured_set_options (self, "speed=0.1");
  g_assert_null (sluice_measured_find (self, "SIM:0", &key));
}

static void
test_links (void)
{
  g_autoptr (SluiceMeasured) self = sluice_measured_new ();
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  SluiceMeasuredLink link;
  g_assert_false (sluice_measured_get_link (self, "CPU:0", "SIM:0", &link));
  for (double bytes = 64; bytes < 1e8; bytes *= 3)
    for (guint i = 0; i < 50; i++)
      {
        double us = 20 + bytes / 2000; /* and one in ten is disturbed */
        double off = i % 10 == 0 ? 30 : g_rand_double_range (rand, 0.97, 1.03);
        sluice_measured_add_transfer (self, "CPU:0", "SIM:0", bytes, us * off * 1000);
      }
  g_assert_true (sluice_measured_get_link (self, "CPU:1", "SIM:0", &link));
  g_assert_false (sluice_measured_get_link (self, "SIM:0", "CPU:0", &link));
  g_assert_cmpfloat (fabs (link.latency_us / 20 - 1), <, 0.1);
  g_assert_cmpfloat (fabs (link.bytes_per_us / 2000 - 1), <, 0.1);
  g_assert_cmpfloat (link.residual, <, 0.06);

  /* One size says nothing of the slope. */
  sluice_measured_add_transfer (self, "SIM:0", "SIM:1", 4096, 7000);
  g_assert_true (sluice_measured_get_link (self, "SIM:0", "SIM:1", &link));
  assert_near (link.latency_us, 7);
  g_assert_true (isinf (link.bytes_per_us));
}

static void
test_text (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  g_autoptr (SluiceMeasured) first = sluice_measured_new (), second = sluice_measured_new ();
  g_autoptr (GString) text = g_string_new (NULL), again = g_string_new (NULL);
  const SluiceNode *node = add_product (graph, 32, 784, 10, FALSE);
  SluiceMeasuredFigure a, b;
  for (guint i = 0; i < 50; i++)
    {
      add (first, node, SLUICE_MEASURED_ALONE, 40 + i, 1);
      add (first, node, SLUICE_MEASURED_TOGETHER, 4 + i, 1);
    }
  add (first, node, SLUICE_MEASURED_NOT_RUN, 0, 3);
  sluice_measured_append_text (first, text);
  g_assert_true (sluice_measured_add_text (second, text->str, text->len, &error));
  g_assert_no_error (error);
  sluice_measured_append_text (second, again);
  g_assert_cmpstr (text->str, ==, again->str);
  g_assert_true (get (first, node, CPU, &a) && get (second, node, CPU, &b));
  g_assert_cmpmem (&a, sizeof a, &b, sizeof b);
  g_assert_true (sluice_measured_has_fresh (first));
  g_assert_false (sluice_measured_has_fresh (second));

  /* Only what is fresh is added. */
  sluice_measured_merge_fresh (second, first);
  sluice_measured_set_kept (first);
  sluice_measured_merge_fresh (second, first);
  g_assert_true (get (second, node, CPU, &b));
  g_assert_cmpuint (b.n, ==, 2 * a.n);
}

/* Cut anywhere, and with any byte another one: refused with a line's number, or read. */
static void
test_bad_text (void)
{
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  g_autoptr (SluiceMeasured) first = sluice_measured_new ();
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  for (guint i = 1; i < 6; i++)
    add (first, add_product (graph, 32, 784, i, FALSE), SLUICE_MEASURED_ALONE, 40 + i, 9);
  sluice_measured_add_transfer (first, "CPU:0", "SIM:0", 4096, 7000);
  sluice_measured_append_text (first, text);
  for (guint round = 0; round < 3000; round++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SluiceMeasured) read = sluice_measured_new ();
      g_autofree char *bad = g_strndup (text->str, text->len);
      gsize length = round % 2 ? text->len : (gsize) g_rand_int_range (rand, 0, (int) text->len);
      for (guint i = 0; round % 2 && i < round % 7; i++)
        bad[g_rand_int_range (rand, 0, (int) length)] =
            "\t\n -0179ex"[g_rand_int_range (rand, 0, 10)];
      SluiceMeasuredLink link;
      if (sluice_measured_add_text (read, bad, length, &error))
        g_assert_no_error (error);
      else
        {
          g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_DATA_LOSS);
          g_assert_cmpuint (sluice_measured_get_n (read), ==, 0);
        }
      sluice_measured_get_link (read, "CPU:0", "SIM:0", &link);
    }
}

static void
test_bounded (void)
{
  g_autoptr (SluiceMeasured) self = sluice_measured_new (), more = sluice_measured_new ();
  for (guint i = 0; i < SLUICE_MEASURED_MOST + 100; i++)
    {
      g_autofree char *shapes = g_strdup_printf ("[%u]->[1]", i);
      const SluiceCostKey key = { (char *) "Sum float->float", shapes, { i + 1, i + 1 } };
      sluice_measured_entry_add (sluice_measured_open (more, CPU, &key), SLUICE_MEASURED_ALONE, 9,
                                 1);
    }
  sluice_measured_merge_fresh (self, more);
  g_assert_cmpuint (sluice_measured_get_n (self), ==, SLUICE_MEASURED_MOST);
  const SluiceCostKey key = { (char *) "Sum float->float", (char *) "[]->[]", { 5, 5 } };
  g_assert_nonnull (sluice_measured_find_near (self, CPU, &key));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  g_test_add_func ("/measured/key", test_key);
  g_test_add_func ("/measured/figures", test_figures);
  g_test_add_func ("/measured/near", test_near);
  g_test_add_func ("/measured/options", test_options);
  g_test_add_func ("/measured/links", test_links);
  g_test_add_func ("/measured/text", test_text);
  g_test_add_func ("/measured/bad-text", test_bad_text);
  g_test_add_func ("/measured/bounded", test_bounded);
  return g_test_run ();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The picture of an op's ports: of every op there is one, with all of its arguments. */
#include "app/graph/op-ports.h"

#include <string.h>

#include "app/cli/describe-op.h"
#include "kernels/registry.h"

static int
measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum)
{
  int natural;
  gtk_widget_measure (widget, orientation, for_size, minimum, &natural, NULL, NULL);
  g_assert_cmpint (*minimum, >, 0);
  g_assert_cmpint (natural, >=, *minimum);
  return natural;
}

/* As wide as it likes, and as narrow as it can be. */
static void
test_all (void)
{
  guint n;
  const SluiceOp *const *ops = sluice_registry_list (&n);
  for (guint i = 0; i < n; i++)
    {
      const SluiceOp *op = ops[i];
      g_autofree char *said = sluice_describe_ports (op);
      GtkWidget *ports = g_object_ref_sink (sluice_op_ports_new (op));
      int least, wide = measure (ports, GTK_ORIENTATION_HORIZONTAL, -1, &least), unused;
      int low = measure (ports, GTK_ORIENTATION_VERTICAL, wide, &unused);
      int high = measure (ports, GTK_ORIENTATION_VERTICAL, least, &unused);
      g_test_message ("%s: %s, %d × %d, %d × %d", op->name, said, wide, low, least, high);
      g_assert_cmpint (high, >=, low);
      for (guint k = 0; k < op->n_inputs + op->n_outputs; k++)
        {
          const SluiceArg *arg = k < op->n_inputs ? &op->inputs[k] : &op->outputs[k - op->n_inputs];
          g_autofree char *type = sluice_describe_arg_type (arg);
          g_autofree char *words = g_strdup_printf ("%s: %s", arg->name, type);
          g_assert_nonnull (strstr (said, words));
        }
      char *problem = gtk_test_accessible_check_property (GTK_ACCESSIBLE (ports),
                                                          GTK_ACCESSIBLE_PROPERTY_LABEL, said);
      g_assert_cmpstr (problem, ==, NULL);
      g_object_unref (ports);
    }
  g_assert_cmpuint (n, >, 900);
}

/* Outputs go below where there is no room beside the inputs. */
static void
test_narrow (void)
{
  const SluiceOp *op = sluice_registry_find ("MatMul");
  GtkWidget *ports = g_object_ref_sink (sluice_op_ports_new (op));
  int least, wide = measure (ports, GTK_ORIENTATION_HORIZONTAL, -1, &least), unused;
  int low = measure (ports, GTK_ORIENTATION_VERTICAL, wide, &unused);
  int high = measure (ports, GTK_ORIENTATION_VERTICAL, least, &unused);
  g_assert_cmpint (least, <, wide);
  g_assert_cmpint (high, >, low);
  g_object_unref (ports);
}

static void
assert_port (const char *name, gboolean is_output, guint i, const char *type, const char *dtype)
{
  const SluiceOp *op = sluice_registry_find (name);
  const SluiceArg *arg = is_output ? &op->outputs[i] : &op->inputs[i];
  g_autofree char *words = sluice_describe_arg_type (arg);
  g_assert_cmpstr (words, ==, type);
  g_assert_cmpstr (sluice_op_ports_get_dtype (op, arg), ==, dtype);
}

static void
test_types (void)
{
  assert_port ("Shape", TRUE, 0, "out_type", "int64"); /* int32 looks the same */
  assert_port ("AddN", FALSE, 0, "N × T", NULL);
  assert_port ("Assign", FALSE, 0, "Ref(T)", NULL);
  assert_port ("LogicalAnd", FALSE, 0, "bool", "bool");
  assert_port ("QueueEnqueueV2", FALSE, 1, "Tcomponents", NULL);
}

int
main (int argc, char **argv)
{
  gtk_test_init (&argc, &argv);
  sluice_registry_init (sluice_kernel_modules ());
  g_test_add_func ("/app/op-ports/all", test_all);
  g_test_add_func ("/app/op-ports/narrow", test_narrow);
  g_test_add_func ("/app/op-ports/types", test_types);
  return g_test_run ();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What a graph under edit would take. */
#include <math.h>

#include "engine/command/stack.h"
#include "engine/passes/passes.h"
#include "engine/runtime/session/copy.h"
#include "engine/train/budget.h"
#include "kernels/registry.h"
#include "tests/engine/train/folder.h"

#define MODEL                                                                                      \
  "add Placeholder x dtype=DT_FLOAT shape=[?,784]\nadd Placeholder y dtype=DT_INT64 shape=[?]\n"   \
  "layer dense head input=x units=10\n"                                                            \
  "layer softmax-cross-entropy loss input=head/output labels=y\n"

static SluiceBudget *
budget_on (const char *script,
           const SluiceSessionOptions *where,
           const char *folder,
           GError **error)
{
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  g_autoptr (SluiceCommandStack) stack = sluice_command_stack_new (graph);
  g_autoptr (GError) problem = NULL;
  sluice_command_stack_run (stack, script, FALSE, NULL, NULL, &problem);
  g_assert_no_error (problem);
  g_autoptr (SluiceGraphCopy) pieces = sluice_graph_copy_begin (graph);
  g_autoptr (SluiceGraph) copy = NULL;
  while (copy == NULL && problem == NULL)
    copy = sluice_graph_copy_go_on (pieces, -1, &problem);
  g_assert_no_error (problem);
  return sluice_budget_new (copy, where, 100, folder, NULL, error);
}

static SluiceBudget *
budget_of (const char *script, const char *folder, GError **error)
{
  return budget_on (script, NULL, folder, error);
}

static void
set_up (Folder *folder, gconstpointer data)
{
  folder_init (folder);
}

static void
tear_down (Folder *folder, gconstpointer data)
{
  folder_clear (folder);
}

static void
test_model (Folder *folder, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceBudget) forward = budget_of (MODEL, folder->path, &error);
  g_assert_no_error (error);
  g_autoptr (SluiceBudget) training =
      budget_of (MODEL "train loss/output optimizer=sgd learning-rate=0.1\n", folder->path, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (forward->parameters, ==, 7850);
  g_assert_cmpfloat (training->parameters, ==, 7850);
  g_assert_false (forward->is_training);
  g_assert_true (training->is_training);
  /* A product of [100, 784] and [784, 10] forward, one more back: two operations an element. */
  g_assert_cmpfloat (forward->flops, >, 2 * 7840);
  g_assert_cmpfloat (forward->flops, <, 2 * 7840 + 500);
  g_assert_cmpfloat (training->flops, >, 4 * 7840);
  g_assert_cmpfloat (training->flops, <, 4 * 7840 + 1500);
  g_assert_cmpfloat (training->step_us, >, forward->step_us);
  g_assert_cmpfloat (training->plus_minus, >, 0);
  g_assert_cmpuint (forward->devices->len, ==, 1);
  const SluiceBudgetDevice *device = &g_array_index (forward->devices, SluiceBudgetDevice, 0);
  g_assert_cmpstr (device->name, ==, "CPU:0");
  g_assert_cmpfloat (device->bytes, >=, 4 * 7850); /* what is fed is the caller's */
}

/* Each device that anything stands on, with the memory that it has. */
static void
test_devices (Folder *folder, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  const SluiceSessionOptions where = { .device = "SIM:1", .device_options = "memory=1M" };
  g_autoptr (SluiceBudget) budget = budget_on (
      MODEL "train loss/output optimizer=sgd learning-rate=0.1\n", &where, folder->path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (budget->devices->len, >=, 2);
  double bytes = 0;
  for (guint i = 0; i < budget->devices->len; i++)
    {
      const SluiceBudgetDevice *device = &g_array_index (budget->devices, SluiceBudgetDevice, i);
      if (!g_str_has_prefix (device->name, "SIM:"))
        continue;
      bytes += device->bytes;
      g_assert_cmpfloat (device->bytes, >, 0);
      g_assert_cmpfloat (device->limit, ==, 1 << 20);
    }
  g_assert_cmpfloat (bytes, >=, 4 * 7850);
}

static void
test_unfinished (Folder *folder, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceBudget) empty = budget_of ("", folder->path, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (empty->parameters, ==, 0);
  g_assert_true (isnan (empty->step_us));
  g_autoptr (SluiceBudget) open =
      budget_of (MODEL "add MatMul product head/output \"\"\n", folder->path, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (open->flops, >, 2 * 7840); /* of what can run */
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
  g_test_add ("/train/budget/model", Folder, NULL, set_up, test_model, tear_down);
  g_test_add ("/train/budget/devices", Folder, NULL, set_up, test_devices, tear_down);
  g_test_add ("/train/budget/unfinished", Folder, NULL, set_up, test_unfinished, tear_down);
  return g_test_run ();
}

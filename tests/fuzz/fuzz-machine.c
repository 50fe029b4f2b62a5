/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Fuzzes machine.json and costs.json: what is read as a machine has devices that can be found, and
 * links that take a time; the rest is refused with a reason. */
#include <math.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/cost/cost-model.h"
#include "tests/fuzz/fuzz-driver.h"

static guint n_machines, n_costs;

static void
check (const SluiceMachine *machine)
{
  guint n = machine->n_devices;
  g_assert_true (machine->is_elsewhere);
  for (guint d = 0; d < n; d++)
    {
      const SluiceMachineDevice *device = &machine->devices[d];
      g_assert_cmpint (sluice_machine_find_device (machine, device->name), ==, (int) d);
      g_assert_true (device->flops_per_us > 0 && device->bytes_per_us > 0);
      g_assert_true (device->overhead_us >= 0 && device->memory >= 0);
      g_assert_cmpstr (device->device->klass->type, ==, device->type);
      g_assert_true (g_str_has_suffix (device->name, device->device->short_name));
      for (guint e = 0; e < n; e++)
        {
          const SluiceMachineLink *link = sluice_machine_get_link (machine, d, e);
          g_assert_true (link->latency_us >= 0 && link->bytes_per_us > 0);
        }
    }
}

static void
check_words (const GError *error, gboolean is_text)
{
  if (is_text)
    g_assert_true (sluice_text_is_visible (error->message));
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  const char *text = data != NULL ? (const char *) data : "";
  gboolean is_text = g_utf8_validate_len (text, size, NULL);
  g_autoptr (GError) error = NULL, other = NULL;
  g_autoptr (SluiceMachine) machine = sluice_machine_parse (text, size, "machine.json", &error);
  g_assert_true ((machine != NULL) == (error == NULL));
  n_machines += machine != NULL;
  if (machine != NULL)
    check (machine);
  else
    check_words (error, is_text);
  g_autoptr (SluiceCostModel) costs = sluice_cost_model_new ();
  gboolean is_read = sluice_cost_model_parse_given (costs, text, size, "costs.json", NULL, &other);
  g_assert_true (is_read == (other == NULL));
  n_costs += is_read;
  if (!is_read)
    check_words (other, is_text);
  return 0;
}

void
fuzz_init (void)
{
}

void
fuzz_check_met (void)
{
  g_assert_cmpuint (n_machines, >=, 2);
  g_assert_cmpuint (n_costs, >=, 2);
}

GPtrArray *
fuzz_seeds (void)
{
  static const char *const seeds[] = {
    "{\"devices\": [{\"name\": \"CPU:0\"}]}",
    ("{\"devices\": [{\"name\": \"/job:localhost/replica:0/task:0/device:CPU:0\", \"gflops\": 50, "
     "\"gbps\": 10, \"memory\": 1e9, \"overhead_us\": 0.1}, {\"name\": \"/job:w/task:3/gpu:7\"}], "
     "\"links\": [{\"from\": \"CPU:0\", \"to\": \"/job:w/task:3/gpu:7\", \"latency_us\": 5, "
     "\"gbps\": 2}, {\"to\": \"CPU:0\", \"from\": \"/job:w/task:3/gpu:7\", \"gbps\": 1}]}"),
    "{\"nodes\": {\"a\": {\"us\": {\"CPU\": 10, \"cpu:1\": 7.5}, \"bytes\": [4000, 0]}}}",
    "{\"nodes\": {\"a\": {}, \"b/c\": {\"bytes\": []}}}",
    "{\"devices\": [{\"name\": \"CPU:0\", \"memory\": -1}]}",
  };
  return fuzz_texts (seeds, G_N_ELEMENTS (seeds));
}

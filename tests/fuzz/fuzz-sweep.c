/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Fuzzes what a sweep varies: any text is the values of a setting or is refused with a reason, and
 * what is drawn of them can be said again. */
#include "engine/train/sweep.h"
#include "tests/fuzz/fuzz-driver.h"

static void
try_values (const SluiceSweepAxis *axis)
{
  guint64 n = sluice_sweep_axis_count (axis), stream = 1, same = 1;
  g_assert_cmpuint (n, <=, SLUICE_SWEEP_MAX_TRIALS);
  for (guint64 i = 0; i < MIN (n, 20); i++)
    {
      g_autofree char *value = sluice_sweep_axis_dup_value (axis, i);
      g_assert_true (*value != '\0');
    }
  g_autofree char *drawn = sluice_sweep_axis_draw (axis, &stream);
  g_autofree char *again = sluice_sweep_axis_draw (axis, &same);
  g_assert_cmpstr (drawn, ==, again);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = g_strndup (data != NULL ? (const char *) data : "", size);
  g_autoptr (SluiceSweepAxis) axis = sluice_sweep_axis_parse (text, &error);
  g_assert_true ((axis != NULL) == (error == NULL));
  if (axis != NULL)
    try_values (axis);
  return 0;
}

void
fuzz_init (void)
{
}

GPtrArray *
fuzz_seeds (void)
{
  static const char *const seeds[] = {
    "learning-rate=0.1,0.01,1e-3", "batch=16..128/4:log", "r=-1..1",
    "train-x=../a.csv,b",          "r=0.001..0.1/10000",
  };
  return fuzz_texts (seeds, G_N_ELEMENTS (seeds));
}

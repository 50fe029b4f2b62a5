/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Fuzzes the filter of runs: any text is a filter or is refused with a reason, and a filter says of
 * a run whether it is meant. */
#include "engine/store/kinds/hparams.h"
#include "engine/store/run-filter.h"
#include "tests/fuzz/fuzz-driver.h"

static void
try_on_a_run (const SluiceRunFilter *filter)
{
  static char *tags[] = { (char *) "lenet", NULL };
  static SluiceRunInfo info = { .name = (char *) "a run", .tags = tags };
  static SluiceSetting setting = { (char *) "lr", 0.1, NULL };
  static SluiceRunResult result = { .tag = (char *) "loss", .last = 0.5 };
  g_autoptr (GPtrArray) settings = g_ptr_array_new (), results = g_ptr_array_new ();
  g_ptr_array_add (settings, &setting);
  g_ptr_array_add (results, &result);
  const SluiceRunEntry row = { &info, settings, results };
  gboolean once = sluice_run_filter_matches (filter, &row);
  g_assert_true (once == sluice_run_filter_matches (filter, &row));
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = g_strndup (data != NULL ? (const char *) data : "", size);
  g_autoptr (SluiceRunFilter) filter = sluice_run_filter_new (text, &error);
  g_assert_true ((filter != NULL) == (error == NULL));
  if (filter != NULL)
    try_on_a_run (filter);
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
    "lr < 0.1 tag:lenet state:failed \"words\"",
    "-is:starred lr>=1e-3 name:a",
    "\"a b\"!=x loss<1",
    "project:p group:\"g h\" steps=100",
  };
  return fuzz_texts (seeds, G_N_ELEMENTS (seeds));
}

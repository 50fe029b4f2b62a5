/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/run.h"

#include "engine/store/kinds/event.h"
#include "engine/store/kinds/image.h"

/* However long a run is: what is kept of its pictures has a bound, reaches from the first to the
 * newest, and lies about evenly. */
static void
test_thinned (void)
{
  const SluiceRunInfo info = { .id = 1, .name = (char *) "run" };
  const SluiceSeriesInfo series_info = {
    .id = 1, .run = 1, .tag = (char *) "digits", .kind = SLUICE_SERIES_IMAGE
  };
  g_autoptr (SluiceRun) run = sluice_run_new (&info);
  g_autoptr (GBytes) png = g_bytes_new_static ("png", 3);
  SluiceRunSeries *series = sluice_run_ensure_series (run, NULL, &series_info);
  const gint64 n = 10000;
  for (gint64 step = 0; step < n; step++)
    {
      g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (sluice_record_free);
      g_ptr_array_add (items, sluice_stored_image_new (step, 0, 1, 1, 1, png));
      sluice_run_series_take_items (series, g_steal_pointer (&items));
      g_assert_cmpuint (series->items->len, <=, SLUICE_RUN_MAX_ITEMS * 9 / 8);
      const SluiceRecord *newest = series->items->pdata[series->items->len - 1];
      g_assert_cmpint (newest->step, ==, step);
    }
  g_assert_cmpuint (series->n_dropped + series->items->len, ==, n);
  gint64 last = 0;
  for (guint i = 0; i < series->items->len; i++)
    {
      const SluiceRecord *record = series->items->pdata[i];
      g_assert_cmpint (record->step - last, <=, 2 * n / SLUICE_RUN_MAX_ITEMS);
      g_assert_true (i > 0 ? record->step > last : record->step == 0);
      last = record->step;
    }
}

static void
take (SluiceRun *run, SluiceRunSeries *series, gint64 step, double wall)
{
  g_autoptr (GBytes) png = g_bytes_new_static ("png", 3);
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (sluice_record_free);
  g_ptr_array_add (items, sluice_stored_image_new (step, wall, 1, 1, 1, png));
  sluice_run_series_take_items (series, g_steal_pointer (&items));
}

/* Killed at step 111 before it was saved, and begun again: the last picture is an old one until the
 * run is past it; and where it was stopped on the way. */
static void
test_former (void)
{
  SluiceRunInfo info = { .id = 1, .name = (char *) "run", .state = SLUICE_RUN_RUNNING };
  const SluiceSeriesInfo series_info = {
    .id = 1, .run = 1, .tag = (char *) "digits", .kind = SLUICE_SERIES_IMAGE
  };
  g_autoptr (SluiceRun) run = sluice_run_new (&info);
  SluiceRunSeries *series = sluice_run_ensure_series (run, NULL, &series_info);
  gint64 last = 0, from = 0;
  g_assert_false (sluice_run_has_former (run, series, &last, &from));
  take (run, series, 111, 1000);
  g_assert_false (sluice_run_has_former (run, series, &last, &from));
  GPtrArray *events = g_ptr_array_new_with_free_func (sluice_record_free);
  g_ptr_array_add (events, sluice_event_new (0, 2000, "resume", NULL));
  sluice_run_take_events (run, events, FALSE);
  g_assert_true (sluice_run_has_former (run, series, &last, &from));
  g_assert_cmpint (last, ==, 111);
  g_assert_cmpint (from, ==, 0);
  take (run, series, 112, 2010);
  g_assert_false (sluice_run_has_former (run, series, &last, &from));
  info.state = SLUICE_RUN_STOPPED;
  info.step = 23;
  sluice_run_update (run, &info);
  g_assert_true (sluice_run_has_former (run, series, &last, &from));
  info.step = 112;
  sluice_run_update (run, &info);
  g_assert_false (sluice_run_has_former (run, series, &last, &from));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/run/thinned", test_thinned);
  g_test_add_func ("/run/former", test_former);
  return g_test_run ();
}

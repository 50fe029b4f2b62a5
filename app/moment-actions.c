/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/moment-actions.h"

#include <glib/gi18n.h>

#include "app/event-words.h"
#include "app/failure-words.h"
#include "app/window-private.h"
#include "engine/train/flight-file.h"
#include "ui/chart/ticks.h"

typedef struct
{
  SluiceStore *store;
  char *run;
  gint64 step;
} Question;

static void
question_free (gpointer data)
{
  Question *self = data;
  g_object_unref (self->store);
  g_free (self->run);
  g_free (self);
}

static void
flight_clear (gpointer data)
{
  if (data != NULL)
    sluice_flight_free (data);
}

/* Of what was kept the one of the step nearest to it. */
static void
find_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Question *question = data;
  GError *error = NULL;
  g_autoptr (SluiceRunInfo) run = sluice_store_dup_run (question->store, question->run, &error);
  g_autoptr (GPtrArray) flights =
      run != NULL ? sluice_flight_list (question->store, run->id, &error) : NULL;
  if (flights == NULL)
    {
      g_task_return_error (task, error);
      return;
    }
  guint best = 0;
  for (guint i = 1; i < flights->len; i++)
    if (ABS (((SluiceFlight *) flights->pdata[i])->step - question->step)
        < ABS (((SluiceFlight *) flights->pdata[best])->step - question->step))
      best = i;
  g_task_return_pointer (task, flights->len > 0 ? g_ptr_array_steal_index (flights, best) : NULL,
                         flight_clear);
}

/* FALSE: no page can. */
static gboolean
show_on_page (SluiceWindow *window, const SluiceKeptMoment *moment)
{
  for (guint i = 0; i < sluice_n_page_kinds; i++)
    if (sluice_page_show_moment (sluice_window_get_nth_page (window, i), moment))
      {
        sluice_window_show_page (window, sluice_page_kinds[i].name);
        return TRUE;
      }
  return FALSE;
}

static void
tell (SluiceWindow *window, const Question *question, const SluiceFlight *flight)
{
  g_autofree char *step = sluice_format_step (flight != NULL ? flight->step : question->step);
  g_autofree char *words = flight != NULL ? sluice_flight_words (flight) : NULL;
  /* Translators: a run, a step of it, why what ran there was kept. */
  g_autofree char *said =
      words != NULL ? g_strdup_printf (_ ("%s, step %s: %s"), question->run, step, words)
                    : g_strdup_printf (_ ("Of the steps of “%s” nothing was kept"), question->run);
  sluice_window_tell (window, said);
}

static void
found (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceWindow *window = SLUICE_WINDOW (object);
  const Question *question = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceFlight) flight = g_task_propagate_pointer (G_TASK (result), &error);
  if (sluice_window_get_workspace (window) == NULL)
    return; /* it is closed */
  if (error != NULL)
    {
      g_autofree char *words = sluice_failure_words (error);
      sluice_window_tell (window, words);
      return;
    }
  const SluiceKeptMoment moment = { .run = question->run,
                                    .step = question->step,
                                    .path = flight != NULL ? flight->path : NULL };
  if (!show_on_page (window, &moment))
    tell (window, question, flight);
}

static void
show_moment_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceWindow *window = data;
  SluiceStore *store = sluice_workspace_get_store (sluice_window_get_workspace (window));
  const char *run;
  gint64 step;
  g_variant_get (parameter, "(&sx)", &run, &step);
  sluice_runs_pane_select (sluice_window_get_runs_pane (window), run);
  if (store == NULL)
    return;
  Question *question = g_new (Question, 1);
  *question = (Question){ g_object_ref (store), g_strdup (run), step };
  g_autoptr (GTask) task = g_task_new (window, NULL, found, NULL);
  g_task_set_task_data (task, question, question_free);
  g_task_run_in_thread (task, find_in_worker);
}

void
sluice_moment_actions_add (SluiceWindow *window)
{
  static const GActionEntry entry = { .name = SLUICE_MOMENT_ACTION,
                                      .activate = show_moment_cb,
                                      .parameter_type = "(sx)" };
  g_action_map_add_action_entries (G_ACTION_MAP (window), &entry, 1, window);
}

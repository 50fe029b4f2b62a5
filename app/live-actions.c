/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/live-actions.h"

#include <glib/gi18n.h>

#include "app/failure-words.h"
#include "app/window-private.h"
#include "engine/store/run-control.h"
#include "ui/chart/ticks.h"

#define PATIENCE_MS 60000 /* a step under way may take as long */

typedef struct
{
  SluiceStore *store;
  gint64 run;
  char *now, *was; /* "learning-rate=0.01" */
} Wish;

static void
wish_free (gpointer data)
{
  Wish *self = data;
  g_object_unref (self->store);
  g_free (self->now);
  g_free (self->was);
  g_free (self);
}

static void
ask_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Wish *wish = data;
  GError *error = NULL;
  g_autofree char *number = g_strdup_printf ("#%" G_GINT64_FORMAT, wish->run);
  g_autoptr (SluiceRunInfo) run = sluice_store_dup_run (wish->store, number, &error);
  g_autoptr (SluiceCommand) command =
      run != NULL
          ? sluice_run_control_call (wish->store, run, "set", wish->now, PATIENCE_MS, NULL, &error)
          : NULL;
  if (command != NULL)
    g_task_return_int (task, command->step);
  else
    g_task_return_error (task, error);
}

static void
asked (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceWindow *window = SLUICE_WINDOW (object);
  const Wish *wish = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  gint64 at = g_task_propagate_int (G_TASK (result), &error);
  if (error != NULL)
    {
      g_autofree char *words = sluice_failure_words (error);
      sluice_window_tell (window, words);
      return;
    }
  g_autofree char *step = sluice_format_step (at);
  g_autofree char *words = g_strdup_printf (_ ("%s from step %s on"), wish->now, step);
  g_autoptr (GVariant) back =
      g_variant_ref_sink (g_variant_new ("(xss)", wish->run, wish->was, wish->now));
  g_autofree char *action = g_action_print_detailed_name ("win.set-live", back);
  sluice_window_offer (window, words, _ ("Undo"), action);
  sluice_inspector_renew_live (window->inspector, at);
  sluice_workspace_refresh (window->workspace);
}

static void
set_live_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceWindow *window = data;
  SluiceStore *store = sluice_workspace_get_store (window->workspace);
  if (store == NULL)
    return;
  Wish *wish = g_new (Wish, 1);
  wish->store = g_object_ref (store);
  g_variant_get (parameter, "(xss)", &wish->run, &wish->now, &wish->was);
  g_autoptr (GTask) task = g_task_new (window, NULL, asked, NULL);
  g_task_set_task_data (task, wish, wish_free);
  g_task_run_in_thread (task, ask_in_worker);
}

void
sluice_live_actions_add (SluiceWindow *window)
{
  static const GActionEntry actions[] = {
    { .name = "set-live", .activate = set_live_cb, .parameter_type = "(xss)" },
  };
  g_action_map_add_action_entries (G_ACTION_MAP (window), actions, G_N_ELEMENTS (actions), window);
}

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
  const char *verb; /* as engine/train/trainer-control.c has them */
  char *now, *was;  /* "learning-rate=0.01"; was: (nullable): there is no way back */
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
      run != NULL ? sluice_run_control_call (wish->store, run, wish->verb, wish->now, PATIENCE_MS,
                                             NULL, &error)
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
  if (wish->was == NULL)
    {
      sluice_window_tell (window, words);
      return;
    }
  g_autoptr (GVariant) back =
      g_variant_ref_sink (g_variant_new ("(xss)", wish->run, wish->was, wish->now));
  g_autofree char *action = g_action_print_detailed_name ("win.set-live", back);
  sluice_window_offer (window, words, _ ("Undo"), action);
  sluice_inspector_renew_live (window->inspector, at);
  sluice_workspace_refresh (window->workspace);
}

static void
ask (SluiceWindow *window, Wish *take)
{
  g_autoptr (GTask) task = g_task_new (window, NULL, asked, NULL);
  g_task_set_task_data (task, take, wish_free);
  g_task_run_in_thread (task, ask_in_worker);
}

static void
set_live_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceWindow *window = data;
  SluiceStore *store = sluice_workspace_get_store (window->workspace);
  if (store == NULL)
    return;
  Wish *wish = g_new0 (Wish, 1);
  wish->store = g_object_ref (store);
  wish->verb = "set";
  g_variant_get (parameter, "(xss)", &wish->run, &wish->now, &wish->was);
  ask (window, wish);
}

static void
inject_value_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceWindow *window = data;
  SluiceStore *store = sluice_workspace_get_store (window->workspace);
  const char *edge, *value;
  g_variant_get (parameter, "(&s&s)", &edge, &value);
  if (store == NULL || !sluice_live_actions_have_run (window))
    {
      sluice_window_tell (window, _ ("No run is under way: start one first (F5)"));
      return;
    }
  Wish *wish = g_new0 (Wish, 1);
  wish->store = g_object_ref (store);
  wish->run = sluice_run_controller_get_run (window->controller);
  wish->verb = "inject";
  wish->now = *value != '\0' ? g_strconcat (edge, " ", value, NULL) : g_strdup (edge);
  ask (window, wish);
}

gboolean
sluice_live_actions_have_run (SluiceWindow *window)
{
  SluiceControlState state = sluice_run_controller_get_state (window->controller);
  return state == SLUICE_CONTROL_RUNNING || state == SLUICE_CONTROL_PAUSED;
}

void
sluice_live_actions_add (SluiceWindow *window)
{
  static const GActionEntry actions[] = {
    { .name = "set-live", .activate = set_live_cb, .parameter_type = "(xss)" },
    { .name = "inject-value", .activate = inject_value_cb, .parameter_type = "(ss)" },
  };
  g_action_map_add_action_entries (G_ACTION_MAP (window), actions, G_N_ELEMENTS (actions), window);
}

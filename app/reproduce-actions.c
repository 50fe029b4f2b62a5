/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/reproduce-actions.h"

#include <glib/gi18n.h>

#include "app/failure-words.h"
#include "app/run-controller.h"
#include "app/workspace.h"
#include "engine/train/reproduce.h"
#include "ui/chart/ticks.h"

#define CANCELLABLE "sluice-reproduce-cancellable"

typedef struct
{
  SluiceStore *store;
  char *number, *name; /* of the run */
} Question;

static void
question_free (gpointer data)
{
  Question *self = data;
  g_object_unref (self->store);
  g_free (self->number);
  g_free (self->name);
  g_free (self);
}

static void
reproduce_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Question *question = data;
  const SluiceReproduceOptions options = { .from = -1,
                                           .allow_files =
                                               sluice_run_controller_get_allowed_files (),
                                           .cancellable = cancellable };
  GError *error = NULL;
  SluiceReproduction *found =
      sluice_reproduce (question->store, question->number, &options, &error);
  if (found != NULL)
    g_task_return_pointer (task, found, (GDestroyNotify) sluice_reproduction_free);
  else
    g_task_return_error (task, error);
}

/* (transfer full) */
static char *
dup_words (const char *name, const SluiceReproduction *found)
{
  const SluiceParting *parting = found->parting;
  g_autofree char *step = sluice_format_step (parting != NULL ? parting->step : found->to);
  return parting != NULL
             ? g_strdup_printf (_ ("“%s” parts at step %s, in %s: %s"), name, step, parting->node,
                                parting->because)
             : g_strdup_printf (_ ("“%s” is equal bit for bit up to step %s"), name, step);
}

static void
reproduced (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceWindow *window = SLUICE_WINDOW (object);
  const Question *question = g_task_get_task_data (G_TASK (result));
  GSimpleAction *action =
      G_SIMPLE_ACTION (g_action_map_lookup_action (G_ACTION_MAP (window), SLUICE_REPRODUCE_ACTION));
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceReproduction) found = g_task_propagate_pointer (G_TASK (result), &error);
  if (sluice_window_get_workspace (window) == NULL)
    return; /* it is closed */
  g_object_set_data (G_OBJECT (action), CANCELLABLE, NULL);
  g_simple_action_set_state (action, g_variant_new_int64 (0));
  if (g_cancellable_is_cancelled (g_task_get_cancellable (G_TASK (result))))
    return;
  g_autofree char *words =
      found != NULL ? dup_words (question->name, found) : sluice_failure_words (error);
  sluice_window_tell (window, words);
}

static void
reproduce_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceWindow *window = data;
  GCancellable *under_way = g_object_get_data (G_OBJECT (action), CANCELLABLE);
  gint64 number = g_variant_get_int64 (parameter);
  SluiceWorkspace *workspace = sluice_window_get_workspace (window);
  SluiceStore *store = sluice_workspace_get_store (workspace);
  g_autoptr (SluiceRun) run = number != 0 ? sluice_workspace_dup_run (workspace, number) : NULL;
  if (under_way != NULL && number == 0)
    g_cancellable_cancel (under_way);
  if (under_way != NULL || run == NULL || store == NULL)
    return;
  Question *question = g_new (Question, 1);
  *question = (Question){ g_object_ref (store), g_strdup_printf ("#%" G_GINT64_FORMAT, number),
                          g_strdup (sluice_run_get_info (run)->name) };
  GCancellable *cancellable = g_cancellable_new ();
  g_object_set_data_full (G_OBJECT (action), CANCELLABLE, cancellable, g_object_unref);
  g_signal_connect_object (window, "destroy", G_CALLBACK (g_cancellable_cancel), cancellable,
                           G_CONNECT_SWAPPED);
  g_simple_action_set_state (action, g_variant_new_int64 (number));
  g_autoptr (GTask) task = g_task_new (window, cancellable, reproduced, NULL);
  g_task_set_task_data (task, question, question_free);
  g_task_run_in_thread (task, reproduce_in_worker);
}

void
sluice_reproduce_actions_add (SluiceWindow *window)
{
  static const GActionEntry entry = { .name = SLUICE_REPRODUCE_ACTION,
                                      .activate = reproduce_cb,
                                      .parameter_type = "x",
                                      .state = "int64 0" };
  g_action_map_add_action_entries (G_ACTION_MAP (window), &entry, 1, window);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/resume-dialog.h"

#include <glib/gi18n.h>

#include "ui/chart/ticks.h"

#define MOST_HEIGHT 280 /* pixels: a longer list of checkpoints scrolls */

typedef struct
{
  SluiceWindow *window;
  SluiceStore *store;
  gint64 run;
  char *name;
} Question;

static void
question_free (gpointer data)
{
  Question *self = data;
  g_object_unref (self->window);
  g_object_unref (self->store);
  g_free (self->name);
  g_free (self);
}

static void
response_cb (AdwMessageDialog *dialog, const char *response, Question *self)
{
  GActionGroup *group = G_ACTION_GROUP (self->window);
  g_autoptr (GVariant) step = g_action_group_get_action_state (group, "resume-step");
  g_autoptr (GVariant) accept = g_action_group_get_action_state (group, "resume-accept");
  g_autoptr (GVariant) audit = g_action_group_get_action_state (group, "resume-audit");
  if (g_str_equal (response, "resume"))
    g_action_group_activate_action (group, "resume-run-from",
                                    g_variant_new ("(sxbb)", self->name, g_variant_get_int64 (step),
                                                   g_variant_get_boolean (accept),
                                                   g_variant_get_boolean (audit)));
}

/* Buttons of one action are a group: those of the step that it has are pressed. */
static void
add_choice (GtkBox *box, gint64 step, const char *label)
{
  GtkWidget *button = gtk_check_button_new_with_label (label);
  gtk_actionable_set_action_target (GTK_ACTIONABLE (button), "x", step);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "win.resume-step");
  gtk_box_append (box, button);
}

static GtkWidget *
make_steps (GPtrArray *checkpoints)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  gtk_accessible_update_property (GTK_ACCESSIBLE (box), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Go on from"), -1);
  for (guint i = checkpoints->len; i-- > 0;)
    {
      const SluiceCheckpointInfo *info = checkpoints->pdata[i];
      gboolean is_newest = i == checkpoints->len - 1;
      g_autofree char *number = sluice_format_step (info->step);
      g_autofree char *label = g_strdup_printf (is_newest ? _ ("The newest checkpoint, step %s")
                                                : info->is_pinned ? _ ("Step %s, kept for good")
                                                                  : _ ("Step %s"),
                                                number);
      add_choice (GTK_BOX (box), is_newest ? -1 : info->step, label);
    }
  add_choice (GTK_BOX (box), 0, _ ("The start"));
  return box;
}

static void
add_check (GtkWidget *box, const char *label, const char *action)
{
  GtkWidget *check = gtk_check_button_new_with_label (label);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (check), action);
  gtk_box_append (GTK_BOX (box), check);
}

static GtkWidget *
make_choices (GPtrArray *checkpoints)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12);
  GtkWidget *scroller = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (scroller), TRUE);
  gtk_scrolled_window_set_max_content_height (GTK_SCROLLED_WINDOW (scroller), MOST_HEIGHT);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), make_steps (checkpoints));
  gtk_box_append (GTK_BOX (box), scroller);
  gtk_box_append (GTK_BOX (box), gtk_separator_new (GTK_ORIENTATION_HORIZONTAL));
  add_check (box, _ ("Accept data files that have changed"), "win.resume-accept");
  add_check (box, _ ("First take a step of its past again, and compare"), "win.resume-audit");
  return box;
}

/* take */
static void
ask (Question *self, GPtrArray *checkpoints)
{
  g_autofree char *heading = g_strdup_printf (_ ("Resume “%s”"), self->name);
  GtkWidget *dialog = adw_message_dialog_new (
      GTK_WINDOW (self->window), heading,
      _ ("What was logged after the step that it goes on from is forgotten."));
  AdwMessageDialog *message = ADW_MESSAGE_DIALOG (dialog);
  g_action_group_change_action_state (G_ACTION_GROUP (self->window), "resume-step",
                                      g_variant_new_int64 (-1));
  g_action_group_change_action_state (G_ACTION_GROUP (self->window), "resume-accept",
                                      g_variant_new_boolean (FALSE));
  g_action_group_change_action_state (G_ACTION_GROUP (self->window), "resume-audit",
                                      g_variant_new_boolean (FALSE));
  gtk_widget_insert_action_group (dialog, "win", G_ACTION_GROUP (self->window));
  /* Without mnemonics: names in the accessible tree would hold them. Return resumes, Escape does
   * not. */
  adw_message_dialog_set_extra_child (message, make_choices (checkpoints));
  adw_message_dialog_add_responses (message, "cancel", _ ("Cancel"), "resume", _ ("Resume"), NULL);
  adw_message_dialog_set_response_appearance (message, "resume", ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response (message, "resume");
  adw_message_dialog_set_close_response (message, "cancel");
  g_object_set_data_full (G_OBJECT (dialog), "sluice-question", self, question_free);
  g_signal_connect (dialog, "response", G_CALLBACK (response_cb), self);
  gtk_window_present (GTK_WINDOW (dialog));
}

static void
read_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Question *self = data;
  GError *error = NULL;
  GPtrArray *checkpoints = sluice_store_read_checkpoints (self->store, self->run, &error);
  if (checkpoints != NULL)
    g_task_return_pointer (task, checkpoints, (GDestroyNotify) g_ptr_array_unref);
  else
    g_task_return_error (task, error);
}

static void
read_done (GObject *object, GAsyncResult *result, gpointer data)
{
  Question *self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) checkpoints = g_task_propagate_pointer (G_TASK (result), &error);
  if (checkpoints != NULL)
    {
      ask (self, checkpoints);
      return;
    }
  sluice_window_tell (self->window, error->message);
  question_free (self);
}

void
sluice_resume_dialog_present (SluiceWindow *window, SluiceStore *store, SluiceRun *run)
{
  Question *self = g_new0 (Question, 1);
  self->window = g_object_ref (window);
  self->store = g_object_ref (store);
  self->run = sluice_run_get_info (run)->id;
  self->name = g_strdup (sluice_run_get_info (run)->name);
  g_autoptr (GTask) task = g_task_new (window, NULL, read_done, self);
  g_task_set_task_data (task, self, NULL);
  g_task_run_in_thread (task, read_in_worker);
}

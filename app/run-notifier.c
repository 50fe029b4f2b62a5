/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/run-notifier.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app/failure-words.h"
#include "app/status-text.h"

/* One at a time: the newest takes the place of the last. */
#define NOTICE_ID "run-ended"
#define ALERT_ID  "run-alert"

typedef struct
{
  SluiceWindow *window; /* (unowned): lives longer */
  GSettings *settings;
  gboolean was_busy;
} Notifier;

static void
notifier_free (gpointer data)
{
  Notifier *self = data;
  g_object_unref (self->settings);
  g_free (self);
}

/* What a click on it shows: the run, and where it failed that moment. step: -1: the run alone */
static void
set_shown (GNotification *notice, const char *name, gint64 step)
{
  gboolean has_step = step >= 0;
  const char *action = has_step ? "app.show-moment" : "app.show-run";
  g_autoptr (GVariant) target = g_variant_ref_sink (has_step ? g_variant_new ("(sx)", name, step)
                                                             : g_variant_new_string (name));
  g_notification_set_default_action_and_target_value (notice, action, target);
  g_notification_add_button_with_target_value (notice, _ ("Show"), action, target);
}

/* (transfer full) */
static GNotification *
notice_new (SluiceRunController *controller, const SluiceProgress *progress, const char *name)
{
  const GError *failure = sluice_run_controller_get_failure (controller);
  gboolean waits = progress->state == SLUICE_RUN_WAITING;
  const char *format = failure == NULL                            ? _ ("%s has finished")
                       : waits                                    ? _ ("%s waits again")
                       : strstr (failure->message, "NaN") != NULL ? _ ("%s has gone to NaN")
                                                                  : _ ("%s has failed");
  g_autofree char *title = g_strdup_printf (format, name);
  g_autofree char *step = sluice_status_step_text (progress);
  g_autofree char *rate = sluice_status_rate_text (
      SLUICE_CONTROL_IDLE, progress, sluice_run_controller_get_evaluation_name (controller));
  g_autofree char *body = failure != NULL ? sluice_failure_words (failure)
                          : *rate != '\0' ? g_strconcat (step, " · ", rate, NULL)
                                          : g_steal_pointer (&step);
  GNotification *notice = g_notification_new (title);
  g_notification_set_body (notice, body);
  g_notification_set_priority (notice, failure != NULL ? G_NOTIFICATION_PRIORITY_HIGH
                                                       : G_NOTIFICATION_PRIORITY_NORMAL);
  set_shown (notice, name, failure != NULL ? progress->step : -1);
  if (failure != NULL && !waits)
    g_notification_add_button_with_target (notice, _ ("Resume"), "app.resume-run", "s", name);
  return notice;
}

static void
tell (Notifier *self, SluiceRunController *controller)
{
  SluiceProgress progress;
  if (gtk_window_is_active (GTK_WINDOW (self->window))
      || !g_settings_get_boolean (self->settings, "notify")
      || !sluice_run_controller_get_progress (controller, &progress)
      || (progress.state != SLUICE_RUN_FINISHED && progress.state != SLUICE_RUN_FAILED
          && progress.state != SLUICE_RUN_WAITING))
    return;
  const char *name = sluice_run_controller_get_run_name (controller);
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (self->window));
  if (name == NULL || application == NULL)
    return;
  g_autoptr (GNotification) notice = notice_new (controller, &progress, name);
  g_application_send_notification (G_APPLICATION (application), NOTICE_ID, notice);
}

/* What the run's project wants somebody to be told of: in the window where that is looked at. */
static void
tell_alert (Notifier *self, SluiceRunController *controller)
{
  g_autofree char *text = sluice_run_controller_take_alert (controller);
  const char *name = sluice_run_controller_get_run_name (controller);
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (self->window));
  if (text == NULL || name == NULL || application == NULL)
    return;
  /* Translators: a run, what is the matter with it. */
  g_autofree char *words = g_strdup_printf (_ ("%s: %s"), name, text);
  if (gtk_window_is_active (GTK_WINDOW (self->window)))
    {
      sluice_window_tell (self->window, words);
      return;
    }
  if (!g_settings_get_boolean (self->settings, "notify"))
    return;
  g_autofree char *title = g_strdup_printf (_ ("Alert of %s"), name);
  g_autoptr (GNotification) notice = g_notification_new (title);
  g_notification_set_body (notice, text);
  g_notification_set_priority (notice, G_NOTIFICATION_PRIORITY_HIGH);
  set_shown (notice, name, -1);
  g_application_send_notification (G_APPLICATION (application), ALERT_ID, notice);
}

/* The window's own answer to the same signal may be that it goes: it is the object of the
 * connection, which ends with it. */
static void
controller_changed_cb (SluiceRunController *controller, SluiceWindow *window)
{
  Notifier *self = g_object_get_data (G_OBJECT (window), NOTICE_ID);
  gboolean is_busy = sluice_run_controller_get_state (controller) != SLUICE_CONTROL_IDLE;
  tell_alert (self, controller);
  if (self->was_busy && !is_busy)
    tell (self, controller);
  self->was_busy = is_busy;
}

static void
active_changed_cb (GtkWindow *window)
{
  GtkApplication *application = gtk_window_get_application (window);
  if (application != NULL && gtk_window_is_active (window))
    {
      g_application_withdraw_notification (G_APPLICATION (application), NOTICE_ID);
      g_application_withdraw_notification (G_APPLICATION (application), ALERT_ID);
    }
}

void
sluice_run_notifier_attach (SluiceWindow *window, GSettings *settings)
{
  Notifier *self = g_new0 (Notifier, 1);
  self->window = window;
  self->settings = g_object_ref (settings);
  g_object_set_data_full (G_OBJECT (window), NOTICE_ID, self, notifier_free);
  g_signal_connect_object (sluice_window_get_controller (window), "changed",
                           G_CALLBACK (controller_changed_cb), window, 0);
  g_signal_connect (window, "notify::is-active", G_CALLBACK (active_changed_cb), NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/launch/live-settings.h"

#include <glib/gi18n.h>

#include "app/failure-words.h"
#include "app/launch/launch-form.h"

struct _SluiceLiveSettings
{
  GtkBox parent;
  gint64 run, step;
  SluiceLaunchForm *form; /* (nullable): it is being read */
};

G_DEFINE_FINAL_TYPE (SluiceLiveSettings, sluice_live_settings, GTK_TYPE_BOX)

/* One setting: its field, and what is wrong with what was typed. */
typedef struct
{
  SluiceLiveSettings *of;
  const SluiceLaunchSetting *setting;
  GtkWidget *entry, *problem;
} Line;

static void
entered_cb (GtkEntry *entry, Line *line)
{
  SluiceLiveSettings *self = line->of;
  const char *typed = gtk_editable_get_text (GTK_EDITABLE (entry));
  g_autofree char *name = sluice_launch_setting_dup_name (line->setting);
  g_autofree char *now = g_strdup_printf ("%s=%s", name, typed);
  g_autofree char *was = g_strdup_printf ("%s=%s", name, line->setting->value);
  g_autoptr (GError) error = NULL;
  gboolean ok = sluice_project_set (self->form->project, now, &error);
  g_autofree char *words = ok ? NULL : sluice_failure_words (error);
  gtk_label_set_label (GTK_LABEL (line->problem), ok ? "" : words);
  gtk_widget_set_visible (line->problem, !ok);
  if (ok && !sluice_launch_setting_is_default (line->setting, typed))
    gtk_widget_activate_action (GTK_WIDGET (self), "win.set-live", "(xss)", self->run, now, was);
}

static void
add_line (SluiceLiveSettings *self, const SluiceLaunchSetting *setting)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  const char *title = setting->title != NULL ? _ (setting->title) : setting->key;
  GtkWidget *label = gtk_label_new (title);
  Line *line = g_new (Line, 1);
  *line = (Line){ self, setting, gtk_entry_new (), gtk_label_new (NULL) };
  g_autofree char *tip = g_strdup_printf (_ ("%s: Return changes it, %s"), title,
                                          sluice_effect_words (setting->effect));
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_editable_set_width_chars (GTK_EDITABLE (line->entry), 8);
  gtk_editable_set_max_width_chars (GTK_EDITABLE (line->entry), 10);
  gtk_editable_set_text (GTK_EDITABLE (line->entry), setting->value);
  gtk_widget_set_valign (line->entry, GTK_ALIGN_CENTER);
  gtk_widget_set_tooltip_text (line->entry, tip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (line->entry), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  title, -1);
  gtk_label_set_xalign (GTK_LABEL (line->problem), 0);
  gtk_label_set_wrap (GTK_LABEL (line->problem), TRUE);
  gtk_widget_add_css_class (line->problem, "error");
  gtk_widget_set_visible (line->problem, FALSE);
  g_signal_connect_data (line->entry, "activate", G_CALLBACK (entered_cb), line,
                         (GClosureNotify) (void (*) (void)) g_free, 0);
  gtk_box_append (GTK_BOX (box), label);
  gtk_box_append (GTK_BOX (box), line->entry);
  gtk_box_append (GTK_BOX (self), box);
  gtk_box_append (GTK_BOX (self), line->problem);
}

/* ---- reading, in a worker ---- */

static void
read_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GError *error = NULL;
  SluiceLaunchForm *form =
      sluice_launch_form_load (data, ((SluiceLiveSettings *) source)->step, &error);
  if (form != NULL)
    g_task_return_pointer (task, form, (GDestroyNotify) sluice_launch_form_free);
  else
    g_task_return_error (task, error);
}

static void
read_done (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceLiveSettings *self = SLUICE_LIVE_SETTINGS (object);
  self->form = g_task_propagate_pointer (G_TASK (result), NULL);
  for (guint i = 0; self->form != NULL && i < self->form->settings->len; i++)
    {
      const SluiceLaunchSetting *setting = self->form->settings->pdata[i];
      if (setting->effect != SLUICE_EFFECT_RESTART && !setting->is_gone && setting->value != NULL)
        add_line (self, setting);
    }
}

/* ---- life ---- */

GtkWidget *
sluice_live_settings_new (SluiceStore *store, gint64 run, gint64 step)
{
  SluiceLiveSettings *self = g_object_new (SLUICE_TYPE_LIVE_SETTINGS, "orientation",
                                           GTK_ORIENTATION_VERTICAL, "spacing", 6, NULL);
  self->run = run;
  self->step = step;
  g_autoptr (GTask) task = g_task_new (self, NULL, read_done, NULL);
  g_task_set_task_data (task, sluice_store_dup_run_folder (store, run), g_free);
  g_task_run_in_thread (task, read_in_worker);
  return GTK_WIDGET (self);
}

static void
sluice_live_settings_finalize (GObject *object)
{
  g_clear_pointer (&SLUICE_LIVE_SETTINGS (object)->form, sluice_launch_form_free);
  G_OBJECT_CLASS (sluice_live_settings_parent_class)->finalize (object);
}

static void
sluice_live_settings_class_init (SluiceLiveSettingsClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sluice_live_settings_finalize;
}

static void
sluice_live_settings_init (SluiceLiveSettings *self)
{
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/new-run-dialog.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app/failure-words.h"
#include "app/runs/new-run-form.h"

/* From the last change to the check, which reads the project and the files of its runs. */
#define CHECK_MS 150

typedef struct
{
  SluiceWindow *window;
  char *folder;
  GPtrArray *rows;   /* of SluiceRunFormRow */
  GPtrArray *fields; /* of GtkEntry or GtkSwitch, one a row */
  GtkWidget *dialog, *name, *start, *said, *seed_button;
  GtkEditable *seed;
  guint source;         /* of the check that comes */
  GCancellable *latest; /* (nullable): of the check under way, whose answer counts */
} Form;

static void
form_free (gpointer data)
{
  Form *self = data;
  g_clear_handle_id (&self->source, g_source_remove);
  g_cancellable_cancel (self->latest);
  g_clear_object (&self->latest);
  g_object_unref (self->window);
  g_ptr_array_unref (self->rows);
  g_ptr_array_unref (self->fields);
  g_free (self->folder);
  g_free (self);
}

/* ---- what was chosen ---- */

/* (transfer full) */
static char *
dup_value (const Form *self, guint i)
{
  GtkWidget *field = self->fields->pdata[i];
  if (GTK_IS_SWITCH (field))
    return g_strdup (gtk_switch_get_active (GTK_SWITCH (field)) ? "true" : "false");
  return g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (field))));
}

/* Only what differs from the project. (transfer full) */
static GStrv
dup_assignments (const Form *self)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  for (guint i = 0; i < self->rows->len; i++)
    {
      const SluiceRunFormRow *row = self->rows->pdata[i];
      g_autofree char *value = dup_value (self, i);
      g_autofree char *assignment = sluice_run_form_row_assign (row, value);
      if (strcmp (value, row->value != NULL ? row->value : "") != 0)
        g_strv_builder_add (builder, assignment);
    }
  return g_strv_builder_end (builder);
}

static void
start_cb (Form *self)
{
  g_auto (GStrv) assignments = dup_assignments (self);
  const char *name = gtk_editable_get_text (GTK_EDITABLE (self->name));
  g_action_group_activate_action (G_ACTION_GROUP (self->window), "start-run",
                                  g_variant_new ("(s^as)", name, assignments));
  gtk_window_destroy (GTK_WINDOW (self->dialog));
}

/* One that no run of the workspace has. */
static void
another_seed_cb (Form *self)
{
  GListModel *runs = sluice_workspace_get_runs (sluice_window_get_workspace (self->window));
  guint64 seed = g_ascii_strtoull (gtk_editable_get_text (self->seed), NULL, 10);
  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SluiceRun) run = g_list_model_get_item (runs, i);
      seed = MAX (seed, sluice_run_get_info (run)->seed);
    }
  g_autofree char *text = g_strdup_printf ("%" G_GUINT64_FORMAT, seed + 1);
  gtk_editable_set_text (self->seed, text);
}

/* ---- is it one that may be begun, and is it new? ---- */

typedef struct
{
  char *folder;
  GStrv assignments;
  SluiceStore *store;
  char *repeated;
} Check;

static void
check_free (gpointer data)
{
  Check *self = data;
  g_free (self->folder);
  g_strfreev (self->assignments);
  g_object_unref (self->store);
  g_free (self->repeated);
  g_free (self);
}

static void
check_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Check *self = data;
  GError *error = NULL;
  if (sluice_run_form_check (self->folder, (const char *const *) self->assignments, self->store,
                             &self->repeated, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
say (Form *self, const char *words, gboolean is_error)
{
  gtk_label_set_label (GTK_LABEL (self->said), words);
  gtk_accessible_update_state (GTK_ACCESSIBLE (self->start), GTK_ACCESSIBLE_STATE_DISABLED,
                               is_error, -1);
  gtk_widget_set_sensitive (self->start, !is_error);
  if (is_error)
    gtk_widget_add_css_class (self->said, "error");
  else
    gtk_widget_remove_css_class (self->said, "error");
}

static void
check_done (GObject *object, GAsyncResult *result, gpointer data)
{
  Form *self = data;
  g_autoptr (GError) error = NULL;
  gboolean good = g_task_propagate_boolean (G_TASK (result), &error);
  const Check *check = g_task_get_task_data (G_TASK (result));
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return; /* the form may be gone */
  g_autofree char *words =
      !good ? sluice_failure_words (error)
      : check->repeated != NULL
          ? g_strdup_printf (_ ("This repeats “%s”: with the same graph, data, settings and seed "
                                "its numbers are the same to the last bit"),
                             check->repeated)
          : g_strdup (_ ("No run so far had these settings"));
  say (self, words, !good);
  gtk_widget_set_visible (self->seed_button, good && check->repeated != NULL);
}

static gboolean
check_cb (gpointer data)
{
  Form *self = data;
  SluiceStore *store = sluice_workspace_get_store (sluice_window_get_workspace (self->window));
  self->source = 0;
  g_cancellable_cancel (self->latest);
  g_set_object (&self->latest, NULL);
  if (store == NULL)
    return G_SOURCE_REMOVE;
  self->latest = g_cancellable_new ();
  Check *check = g_new0 (Check, 1);
  check->folder = g_strdup (self->folder);
  check->assignments = dup_assignments (self);
  check->store = g_object_ref (store);
  g_autoptr (GTask) task = g_task_new (self->window, self->latest, check_done, self);
  g_task_set_task_data (task, check, check_free);
  g_task_run_in_thread (task, check_in_worker);
  return G_SOURCE_REMOVE;
}

static void
changed_cb (Form *self)
{
  g_clear_handle_id (&self->source, g_source_remove);
  self->source = g_timeout_add (CHECK_MS, check_cb, self);
}

/* ---- the form ---- */

/* A line with its control at the end, which a screen reader calls as the line does. An AdwEntryRow
 * of libadwaita 1.2 tells it neither its text nor its focus. */
static GtkWidget *
make_line (const char *title, GtkWidget *control)
{
  GtkWidget *line = g_object_new (ADW_TYPE_ACTION_ROW, "title", title, "title-lines", 3,
                                  "use-markup", FALSE, NULL);
  gtk_widget_set_valign (control, GTK_ALIGN_CENTER);
  adw_action_row_add_suffix (ADW_ACTION_ROW (line), control);
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (line), control);
  gtk_widget_set_focusable (line, FALSE); /* the control is */
  return line;
}

static GtkWidget *
make_entry (const char *value)
{
  GtkWidget *entry = gtk_entry_new ();
  gtk_entry_set_activates_default (GTK_ENTRY (entry), TRUE);
  gtk_editable_set_width_chars (GTK_EDITABLE (entry), 14);
  gtk_editable_set_text (GTK_EDITABLE (entry), value != NULL ? value : "");
  return entry;
}

static GtkWidget *
make_row (Form *self, const SluiceRunFormRow *row)
{
  GtkWidget *control = row->is_switch ? gtk_switch_new () : make_entry (row->value);
  if (row->is_switch)
    gtk_switch_set_active (GTK_SWITCH (control), g_str_equal (row->value, "true"));
  else if (row->value == NULL)
    gtk_entry_set_placeholder_text (GTK_ENTRY (control), _ ("as in the graph"));
  g_signal_connect_swapped (control, row->is_switch ? "notify::active" : "changed",
                            G_CALLBACK (changed_cb), self);
  g_ptr_array_add (self->fields, control);
  if (g_str_equal (row->group, "train") && g_str_equal (row->key, "seed"))
    self->seed = GTK_EDITABLE (control);
  return make_line (row->title != NULL ? _ (row->title) : row->key, control);
}

static AdwPreferencesGroup *
add_group (AdwPreferencesPage *page, const char *title)
{
  AdwPreferencesGroup *group = ADW_PREFERENCES_GROUP (adw_preferences_group_new ());
  adw_preferences_group_set_title (group, title);
  adw_preferences_page_add (page, group);
  return group;
}

/* What is changed from run to run stands in sight, the rest is folded away. */
static gboolean
is_frequent (const SluiceRunFormRow *row)
{
  return *row->group == '\0'
         || (g_str_equal (row->group, "train")
             && g_strv_contains ((const char *const[]){ "steps", "batch", "seed", NULL },
                                 row->key));
}

static GtkWidget *
make_page (Form *self)
{
  static const struct
  {
    const char *group, *title;
  } folds[] = { { "train", N_ ("More of training") },
                { "data", N_ ("Data") },
                { "evaluate", N_ ("Evaluation") },
                { "project", N_ ("Graph and project") } };
  AdwPreferencesPage *page = ADW_PREFERENCES_PAGE (adw_preferences_page_new ());
  AdwPreferencesGroup *run = add_group (page, _ ("Run"));
  AdwPreferencesGroup *others = add_group (page, _ ("All else that the project says"));
  GtkWidget *fold[G_N_ELEMENTS (folds)];
  self->name = make_entry (NULL);
  gtk_entry_set_placeholder_text (GTK_ENTRY (self->name), _ ("a free one"));
  adw_preferences_group_add (run, make_line (_ ("Name"), self->name));
  for (guint i = 0; i < G_N_ELEMENTS (folds); i++)
    {
      fold[i] = g_object_new (ADW_TYPE_EXPANDER_ROW, "title", _ (folds[i].title), NULL);
      gtk_accessible_update_property (GTK_ACCESSIBLE (fold[i]), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                      _ (folds[i].title), -1);
      adw_preferences_group_add (others, fold[i]);
    }
  for (guint i = 0; i < self->rows->len; i++)
    {
      const SluiceRunFormRow *row = self->rows->pdata[i];
      GtkWidget *line = make_row (self, row);
      if (is_frequent (row))
        adw_preferences_group_add (run, line);
      for (guint j = 0; j < G_N_ELEMENTS (folds) && !is_frequent (row); j++)
        if (g_str_equal (row->group, folds[j].group))
          adw_expander_row_add_row (ADW_EXPANDER_ROW (fold[j]), line);
    }
  return GTK_WIDGET (page);
}

/* What was found of it, and a way out, under the form. */
static GtkWidget *
make_foot (Form *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  self->said = gtk_label_new (NULL);
  gtk_label_set_wrap (GTK_LABEL (self->said), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (self->said), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_xalign (GTK_LABEL (self->said), 0);
  gtk_widget_set_hexpand (self->said, TRUE);
  self->seed_button = gtk_button_new_with_label (_ ("Another seed"));
  gtk_widget_set_valign (self->seed_button, GTK_ALIGN_CENTER);
  gtk_widget_set_visible (self->seed_button, FALSE);
  g_signal_connect_swapped (self->seed_button, "clicked", G_CALLBACK (another_seed_cb), self);
  gtk_widget_add_css_class (box, "form-foot");
  gtk_box_append (GTK_BOX (box), self->said);
  gtk_box_append (GTK_BOX (box), self->seed_button);
  return box;
}

static GtkWidget *
make_bar (Form *self)
{
  GtkWidget *bar = adw_header_bar_new ();
  GtkWidget *cancel = gtk_button_new_with_label (_ ("Cancel"));
  self->start = gtk_button_new_with_label (_ ("Start"));
  gtk_widget_add_css_class (self->start, "suggested-action");
  gtk_actionable_set_action_name (GTK_ACTIONABLE (cancel), "window.close");
  g_signal_connect_swapped (self->start, "clicked", G_CALLBACK (start_cb), self);
  adw_header_bar_set_show_start_title_buttons (ADW_HEADER_BAR (bar), FALSE);
  adw_header_bar_set_show_end_title_buttons (ADW_HEADER_BAR (bar), FALSE);
  adw_header_bar_pack_start (ADW_HEADER_BAR (bar), cancel);
  adw_header_bar_pack_end (ADW_HEADER_BAR (bar), self->start);
  return bar;
}

static void
close_by_escape (GtkWidget *dialog)
{
  GtkEventController *keys = gtk_shortcut_controller_new ();
  gtk_shortcut_controller_add_shortcut (
      GTK_SHORTCUT_CONTROLLER (keys), gtk_shortcut_new (gtk_keyval_trigger_new (GDK_KEY_Escape, 0),
                                                        gtk_named_action_new ("window.close")));
  gtk_widget_add_controller (dialog, keys);
}

static void
present (Form *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  self->dialog =
      g_object_new (ADW_TYPE_WINDOW, "title", _ ("New run"), "modal", TRUE, "transient-for",
                    self->window, "default-width", 560, "default-height", 680, NULL);
  GtkWidget *bar = make_bar (self), *page = make_page (self);
  gtk_widget_set_vexpand (page, TRUE);
  gtk_box_append (GTK_BOX (box), bar);
  gtk_box_append (GTK_BOX (box), page);
  gtk_box_append (GTK_BOX (box), make_foot (self));
  adw_window_set_content (ADW_WINDOW (self->dialog), box);
  gtk_window_set_default_widget (GTK_WINDOW (self->dialog), self->start);
  close_by_escape (self->dialog);
  g_object_set_data_full (G_OBJECT (self->dialog), "sluice-form", self, form_free);
  gtk_widget_grab_focus (self->name); /* Return starts, whichever field it is pressed in */
  changed_cb (self);
  gtk_window_present (GTK_WINDOW (self->dialog));
}

/* ---- what there is to choose, read in a worker ---- */

static void
read_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GError *error = NULL;
  GPtrArray *rows = sluice_run_form_rows_new (data, &error);
  if (rows != NULL)
    g_task_return_pointer (task, rows, (GDestroyNotify) g_ptr_array_unref);
  else
    g_task_return_error (task, error);
}

static void
read_done (GObject *object, GAsyncResult *result, gpointer data)
{
  GPtrArray *rows = g_task_propagate_pointer (G_TASK (result), NULL);
  if (rows == NULL) /* whose start fails as this did, and tells why where failures are told */
    {
      g_action_group_activate_action (G_ACTION_GROUP (object), "start-run",
                                      g_variant_new ("(sas)", "", NULL));
      return;
    }
  Form *self = g_new0 (Form, 1);
  self->window = SLUICE_WINDOW (g_object_ref (object));
  self->folder = g_strdup (g_task_get_task_data (G_TASK (result)));
  self->rows = rows;
  self->fields = g_ptr_array_new ();
  present (self);
}

void
sluice_new_run_dialog_present (SluiceWindow *window, const char *folder)
{
  g_autoptr (GTask) task = g_task_new (window, NULL, read_done, NULL);
  g_task_set_task_data (task, g_strdup (folder), g_free);
  g_task_run_in_thread (task, read_in_worker);
}

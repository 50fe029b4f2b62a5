/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/launch/launch-row.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app/failure-words.h"
#include "app/launch/vary-pane.h"
#include "engine/device/sim.h"
#include "engine/train/queue-needs.h"

#define FIELD_CHARS 13

struct _SluiceLaunchRow
{
  GtkBox parent;
  SluiceLaunchForm *form;
  const SluiceLaunchSetting *setting;
  GtkWidget *field; /* GtkEntry, GtkSwitch or GtkDropDown */
  GtkWidget *reset, *sweep;
  GtkLabel *many, *problem;
  GtkRevealer *revealer;
  SluiceVaryPane *vary; /* (nullable): as long as it was never varied */
  char *values;         /* (nullable): for a sweep */
  guint64 count;
  gboolean is_wrong;
};

G_DEFINE_FINAL_TYPE (SluiceLaunchRow, sluice_launch_row, GTK_TYPE_BOX)

enum
{
  CHANGED,
  REMOVE,
  N_SIGNALS,
};
static guint signals[N_SIGNALS];

static const char *
get_title (SluiceLaunchRow *self)
{
  return self->setting->title != NULL ? _ (self->setting->title) : self->setting->key;
}

static gboolean
is_varied (SluiceLaunchRow *self)
{
  return gtk_switch_get_active (GTK_SWITCH (self->sweep));
}

/* (transfer full) */
char *
sluice_launch_row_dup_value (SluiceLaunchRow *self)
{
  if (GTK_IS_SWITCH (self->field))
    return g_strdup (gtk_switch_get_active (GTK_SWITCH (self->field)) ? "true" : "false");
  if (GTK_IS_DROP_DOWN (self->field))
    return g_strdup (
        self->setting->choices[gtk_drop_down_get_selected (GTK_DROP_DOWN (self->field))]);
  return g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (self->field))));
}

/* ---- what is wrong, at once ---- */

static void
say (SluiceLaunchRow *self, const GError *error)
{
  g_autofree char *words = error != NULL ? sluice_failure_words (error) : NULL;
  self->is_wrong = error != NULL;
  gtk_label_set_label (self->problem, words != NULL ? words : "");
  gtk_widget_set_visible (GTK_WIDGET (self->problem), words != NULL);
  if (words != NULL)
    gtk_widget_add_css_class (self->field, "error");
  else
    gtk_widget_remove_css_class (self->field, "error");
  gtk_accessible_update_state (
      GTK_ACCESSIBLE (self->field), GTK_ACCESSIBLE_STATE_INVALID,
      words != NULL ? GTK_ACCESSIBLE_INVALID_TRUE : GTK_ACCESSIBLE_INVALID_FALSE, -1);
}

static void
check_value (SluiceLaunchRow *self, GError **error)
{
  g_autofree char *assignment = sluice_launch_row_dup_assignment (self);
  g_autofree char *value = sluice_launch_row_dup_value (self);
  SluiceQueueNeeds needs = { 0 };
  if (sluice_launch_row_is_device_options (self))
    sluice_sim_check_options (NULL, value, error);
  else if (sluice_launch_row_is_need (self))
    sluice_queue_needs_set (&needs, self->setting->key, value, error);
  else if (assignment != NULL)
    sluice_project_set (self->form->project, assignment, error);
}

static void
check_values (SluiceLaunchRow *self, GError **error)
{
  g_autofree char *name = sluice_launch_setting_dup_name (self->setting);
  self->values =
      sluice_vary_pane_dup_text (self->vary, name, self->form->project, &self->count, error);
  g_autofree char *words = sluice_vary_pane_dup_words (self->vary, self->count);
  gtk_label_set_label (self->many, words);
}

static void
update (SluiceLaunchRow *self)
{
  g_autoptr (GError) error = NULL;
  gboolean varied = is_varied (self);
  g_clear_pointer (&self->values, g_free);
  self->count = 0;
  self->is_wrong = FALSE;
  if (varied)
    check_values (self, &error);
  else
    check_value (self, &error);
  say (self, error);
  gtk_widget_set_visible (self->field, !varied);
  gtk_widget_set_visible (GTK_WIDGET (self->many), varied);
  gtk_widget_set_visible (self->reset, sluice_launch_row_is_changed (self));
  g_signal_emit (self, signals[CHANGED], 0);
}

static void
sweep_cb (SluiceLaunchRow *self)
{
  gboolean varied = is_varied (self);
  if (varied && self->vary == NULL)
    {
      g_autofree char *value = sluice_launch_row_dup_value (self);
      self->vary =
          SLUICE_VARY_PANE (sluice_vary_pane_new (get_title (self), value, self->setting->value));
      g_signal_connect_object (self->vary, "changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
      gtk_revealer_set_child (self->revealer, GTK_WIDGET (self->vary));
    }
  gtk_widget_set_visible (GTK_WIDGET (self->revealer), varied);
  gtk_revealer_set_reveal_child (self->revealer, varied);
  update (self);
  if (varied)
    sluice_vary_pane_focus (self->vary);
}

/* ---- what the form asks ---- */

gboolean
sluice_launch_row_is_need (SluiceLaunchRow *self)
{
  return g_str_equal (self->setting->group, SLUICE_LAUNCH_NEEDS);
}

gboolean
sluice_launch_row_is_device (SluiceLaunchRow *self)
{
  return sluice_launch_row_is_need (self) && g_str_equal (self->setting->key, SLUICE_LAUNCH_DEVICE);
}

gboolean
sluice_launch_row_is_device_options (SluiceLaunchRow *self)
{
  return sluice_launch_row_is_need (self)
         && g_str_equal (self->setting->key, SLUICE_LAUNCH_DEVICE_OPTIONS);
}

/* The field itself, too: assistive technology does not ask what it stands in. */
void
sluice_launch_row_offer (SluiceLaunchRow *self, gboolean counts)
{
  gtk_widget_set_sensitive (GTK_WIDGET (self), counts);
  gtk_widget_set_sensitive (self->field, counts);
}

/* Holds without being said: what a fork is to need is none of its parent's settings. */
static gboolean
is_understood (SluiceLaunchRow *self, const char *value)
{
  const SluiceLaunchSetting *setting = self->setting;
  gboolean is_usual =
      *value == '\0' || (setting->choices != NULL && strcmp (value, setting->choices[0]) == 0);
  return sluice_launch_setting_is_default (setting, value)
         && (is_usual || !sluice_launch_row_is_need (self));
}

char *
sluice_launch_row_dup_assignment (SluiceLaunchRow *self)
{
  g_autofree char *value = sluice_launch_row_dup_value (self);
  g_autofree char *name = sluice_launch_setting_dup_name (self->setting);
  if (is_varied (self) || self->setting->is_gone || self->is_wrong || is_understood (self, value)
      || (*self->setting->group == '\0' && *value == '\0')) /* the graph's own */
    return NULL;
  return g_strconcat (name, "=", value, NULL);
}

const char *
sluice_launch_row_get_values (SluiceLaunchRow *self, guint64 *count)
{
  *count = self->count;
  return self->values;
}

gboolean
sluice_launch_row_is_wrong (SluiceLaunchRow *self)
{
  return self->is_wrong;
}

gboolean
sluice_launch_row_is_changed (SluiceLaunchRow *self)
{
  g_autofree char *value = sluice_launch_row_dup_value (self);
  return is_varied (self) || !sluice_launch_setting_is_default (self->setting, value);
}

static guint
find_choice (const SluiceLaunchSetting *setting, const char *value)
{
  for (guint i = 0; setting->choices[i] != NULL; i++)
    if (g_strcmp0 (setting->choices[i], value) == 0)
      return i;
  return 0;
}

void
sluice_launch_row_set_value (SluiceLaunchRow *self, const char *value)
{
  gtk_switch_set_active (GTK_SWITCH (self->sweep), FALSE);
  if (GTK_IS_SWITCH (self->field))
    gtk_switch_set_active (GTK_SWITCH (self->field), g_strcmp0 (value, "true") == 0);
  else if (GTK_IS_DROP_DOWN (self->field))
    gtk_drop_down_set_selected (GTK_DROP_DOWN (self->field), find_choice (self->setting, value));
  else
    gtk_editable_set_text (GTK_EDITABLE (self->field), value != NULL ? value : "");
}

gboolean
sluice_launch_row_take (SluiceLaunchRow *self, const char *assignment)
{
  g_autofree char *name = sluice_launch_setting_dup_name (self->setting);
  gsize length = strlen (name);
  if (strncmp (assignment, name, length) != 0 || assignment[length] != '=')
    return FALSE;
  sluice_launch_row_set_value (self, assignment + length + 1);
  return TRUE;
}

void
sluice_launch_row_reset (SluiceLaunchRow *self)
{
  sluice_launch_row_set_value (self, self->setting->value);
}

/* ---- kept and taken up again ---- */

/* "setting train.batch": people name parameters as they like. */
char *
sluice_launch_row_dup_group (SluiceLaunchRow *self)
{
  g_autofree char *name = sluice_launch_setting_dup_name (self->setting);
  return g_strconcat ("setting ", name, NULL);
}

void
sluice_launch_row_save (SluiceLaunchRow *self, GKeyFile *file)
{
  g_autofree char *name = sluice_launch_row_dup_group (self);
  g_autofree char *value = sluice_launch_row_dup_value (self);
  if (self->setting->is_gone || !sluice_launch_row_is_changed (self))
    return;
  g_key_file_set_string (file, name, "value", value);
  if (is_varied (self))
    sluice_vary_pane_save (self->vary, file, name);
}

void
sluice_launch_row_load (SluiceLaunchRow *self, GKeyFile *file)
{
  g_autofree char *name = sluice_launch_row_dup_group (self);
  g_autofree char *value = g_key_file_get_string (file, name, "value", NULL);
  if (self->setting->is_gone || value == NULL)
    return;
  sluice_launch_row_set_value (self, value);
  if (!g_key_file_has_key (file, name, "vary", NULL))
    return;
  gtk_switch_set_active (GTK_SWITCH (self->sweep), TRUE);
  sluice_vary_pane_load (self->vary, file, name);
}

/* ---- making ---- */

static void
name_widget (GtkWidget *widget, const char *name)
{
  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

static GtkLabel *
make_label (const char *text, const char *css)
{
  GtkLabel *label = GTK_LABEL (gtk_label_new (text));
  gtk_label_set_xalign (label, 0);
  gtk_label_set_wrap (label, TRUE);
  gtk_label_set_wrap_mode (label, PANGO_WRAP_WORD_CHAR);
  gtk_widget_add_css_class (GTK_WIDGET (label), css);
  return label;
}

/* "train/learning_rate · float32 · 0 to 1 · next step" (transfer full) */
static char *
dup_details (const SluiceLaunchSetting *setting)
{
  GString *text = g_string_new (setting->from);
  const char *const parts[] = { _ (setting->type), setting->unit, setting->range,
                                sluice_effect_words (setting->effect) };
  if (setting->is_gone)
    {
      g_string_printf (text, _ ("%s · not in the graph any more"), setting->from);
      return g_string_free (text, FALSE);
    }
  for (guint i = 0; i < G_N_ELEMENTS (parts) && !g_str_equal (setting->group, SLUICE_LAUNCH_NEEDS);
       i++)
    if (parts[i] != NULL)
      g_string_append_printf (text, " · %s", parts[i]);
  return g_string_free (text, FALSE);
}

static GtkWidget *
make_names (SluiceLaunchRow *self)
{
  const SluiceLaunchSetting *setting = self->setting;
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  g_autofree char *sub = dup_details (setting);
  GtkLabel *detail = make_label (sub, "launch-small");
  gtk_widget_add_css_class (GTK_WIDGET (detail), "dim-label");
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (make_label (get_title (self), "launch-name")));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (detail));
  if (setting->help != NULL)
    gtk_box_append (GTK_BOX (box), GTK_WIDGET (make_label (setting->help, "launch-small")));
  gtk_widget_set_hexpand (box, TRUE);
  gtk_widget_set_valign (box, GTK_ALIGN_CENTER);
  return box;
}

static GtkWidget *
make_field (SluiceLaunchRow *self)
{
  const SluiceLaunchSetting *setting = self->setting;
  GtkWidget *field = setting->choices != NULL
                         ? gtk_drop_down_new_from_strings ((const char *const *) setting->choices)
                     : setting->is_switch ? gtk_switch_new ()
                                          : gtk_entry_new ();
  if (setting->choices != NULL)
    {
      gtk_drop_down_set_selected (GTK_DROP_DOWN (field), find_choice (setting, setting->value));
      name_widget (gtk_widget_get_first_child (field), get_title (self)); /* has the focus */
    }
  else if (setting->is_switch)
    gtk_switch_set_active (GTK_SWITCH (field), g_str_equal (setting->value, "true"));
  else
    {
      /* No narrower beside long words: fields stand below each other. */
      gtk_editable_set_width_chars (GTK_EDITABLE (field), FIELD_CHARS);
      gtk_editable_set_max_width_chars (GTK_EDITABLE (field), FIELD_CHARS);
      gtk_editable_set_text (GTK_EDITABLE (field), setting->value != NULL ? setting->value : "");
      gtk_entry_set_placeholder_text (
          GTK_ENTRY (field), setting->value == NULL ? _ ("as in the graph") : setting->placeholder);
    }
  name_widget (field, get_title (self));
  gtk_widget_set_valign (field, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (field, "launch-field");
  return field;
}

static GtkWidget *
make_reset (SluiceLaunchRow *self)
{
  const char *value = self->setting->value;
  GtkWidget *button = gtk_button_new_from_icon_name ("edit-undo-symbolic");
  g_autofree char *name = g_strdup_printf (_ ("%s: back to %s"), get_title (self),
                                           value == NULL    ? _ ("the graph's own value")
                                           : *value == '\0' ? _ ("none")
                                                            : value);
  gtk_widget_set_tooltip_text (button, name);
  name_widget (button, name);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (button, "launch-reset");
  gtk_widget_set_visible (button, FALSE);
  g_signal_connect_object (button, "clicked", G_CALLBACK (sluice_launch_row_reset), self,
                           G_CONNECT_SWAPPED);
  return button;
}

static GtkWidget *
make_sweep (SluiceLaunchRow *self)
{
  GtkWidget *sweep = gtk_switch_new ();
  g_autofree char *name = g_strdup_printf (_ ("Sweep %s"), get_title (self));
  gtk_widget_set_valign (sweep, GTK_ALIGN_CENTER);
  gtk_widget_set_tooltip_text (sweep, _ ("Several values, a run for each"));
  gtk_widget_add_css_class (sweep, "launch-sweep");
  name_widget (sweep, name);
  g_signal_connect_object (sweep, "notify::active", G_CALLBACK (sweep_cb), self, G_CONNECT_SWAPPED);
  return sweep;
}

static void
remove_cb (SluiceLaunchRow *self)
{
  g_signal_emit (self, signals[REMOVE], 0, self->setting->key);
}

/* Of a parameter that is gone there is nothing to set. */
static GtkWidget *
make_remedy (SluiceLaunchRow *self)
{
  GtkWidget *button = gtk_button_new_with_label (_ ("Take out"));
  g_autofree char *name = g_strdup_printf (_ ("Take %s out of the form"), get_title (self));
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_set_tooltip_text (button, name);
  name_widget (button, name);
  g_signal_connect_object (button, "clicked", G_CALLBACK (remove_cb), self, G_CONNECT_SWAPPED);
  return button;
}

static void
fill (SluiceLaunchRow *self)
{
  GtkWidget *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 10);
  self->field = make_field (self);
  self->reset = make_reset (self);
  self->sweep = make_sweep (self);
  self->many = make_label (NULL, "launch-many");
  self->problem = make_label (NULL, "error");
  gtk_label_set_wrap (self->many, FALSE);
  gtk_widget_add_css_class (GTK_WIDGET (self->problem), "launch-small");
  gtk_widget_set_visible (GTK_WIDGET (self->problem), FALSE);
  gtk_widget_set_visible (GTK_WIDGET (self->many), FALSE);
  self->revealer = GTK_REVEALER (gtk_revealer_new ());
  gtk_widget_set_visible (GTK_WIDGET (self->revealer), FALSE);
  gtk_box_append (GTK_BOX (line), make_names (self));
  gtk_box_append (GTK_BOX (line), self->reset);
  gtk_box_append (GTK_BOX (line), self->field);
  gtk_box_append (GTK_BOX (line), GTK_WIDGET (self->many));
  gtk_box_append (GTK_BOX (line), self->sweep);
  if (self->setting->is_gone)
    {
      gtk_widget_set_visible (self->field, FALSE);
      gtk_widget_set_visible (self->sweep, FALSE);
      gtk_box_append (GTK_BOX (line), make_remedy (self));
    }
  else if (sluice_launch_row_is_need (self))
    {
      gtk_widget_set_opacity (self->sweep, 0); /* fields stand below each other */
      gtk_widget_set_sensitive (self->sweep, FALSE);
      gtk_accessible_update_state (GTK_ACCESSIBLE (self->sweep), GTK_ACCESSIBLE_STATE_HIDDEN, TRUE,
                                   -1);
    }
  gtk_widget_add_css_class (line, "launch-line");
  gtk_box_append (GTK_BOX (self), line);
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->revealer));
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->problem));
  g_signal_connect_object (self->field,
                           GTK_IS_SWITCH (self->field)      ? "notify::active"
                           : GTK_IS_DROP_DOWN (self->field) ? "notify::selected"
                                                            : "changed",
                           G_CALLBACK (update), self, G_CONNECT_SWAPPED);
}

GtkWidget *
sluice_launch_row_new (SluiceLaunchForm *form, const SluiceLaunchSetting *setting)
{
  SluiceLaunchRow *self =
      g_object_new (SLUICE_TYPE_LAUNCH_ROW, "orientation", GTK_ORIENTATION_VERTICAL, NULL);
  self->form = form;
  self->setting = setting;
  gtk_widget_add_css_class (GTK_WIDGET (self), "launch-row");
  fill (self);
  return GTK_WIDGET (self);
}

static void
sluice_launch_row_finalize (GObject *object)
{
  g_free (SLUICE_LAUNCH_ROW (object)->values);
  G_OBJECT_CLASS (sluice_launch_row_parent_class)->finalize (object);
}

static void
sluice_launch_row_class_init (SluiceLaunchRowClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sluice_launch_row_finalize;
  signals[CHANGED] = g_signal_new ("changed", SLUICE_TYPE_LAUNCH_ROW, G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
  signals[REMOVE] = g_signal_new ("remove", SLUICE_TYPE_LAUNCH_ROW, G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
sluice_launch_row_init (SluiceLaunchRow *self)
{
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/settings-card.h"

#include "ui/chart/settings-area.h"
#include "ui/chart/settings-list.h"
#include "ui/common/mode-bar.h"

#include <glib/gi18n-lib.h>

typedef enum
{
  MODE_TABLE,
  MODE_PARALLEL,
  MODE_SCATTER,
  N_MODES
} Mode;

static const SluiceMode modes[N_MODES] = {
  [MODE_TABLE] = { "table", N_ ("table") },
  [MODE_PARALLEL] = { "parallel", N_ ("parallel") },
  [MODE_SCATTER] = { "scatter", N_ ("scatter") },
};

struct _SluiceSettingsCard
{
  SluiceCard parent_instance;
  SluiceSettingsTable *table; /* (nullable) */
  Mode mode;
  GtkStack *stack;
  SluiceSettingsList *list;
  SluiceSettingsArea *plot;
  GtkWidget *choices;
  GtkDropDown *columns[2]; /* of a scatter: x, y */
  gboolean updating;
};

G_DEFINE_FINAL_TYPE (SluiceSettingsCard, sluice_settings_card, SLUICE_TYPE_CARD)

enum
{
  PROP_0,
  PROP_MODE_NAME,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];
static guint run_marked_signal;

/* ---- the marked run ---- */

void
sluice_settings_card_set_marked (SluiceSettingsCard *self, gint64 run)
{
  sluice_settings_area_set_marked (self->plot, run);
}

/* Pointed at in the list, or gone to by key there. */
static void
list_marked_cb (SluiceSettingsCard *self, gint64 run)
{
  sluice_settings_area_set_marked (self->plot, run);
  g_signal_emit (self, run_marked_signal, 0, run);
}

static void
plot_marked_cb (SluiceSettingsCard *self, gint64 run)
{
  g_signal_emit (self, run_marked_signal, 0, run);
}

/* ---- modes and columns ---- */

static void
update_plot (SluiceSettingsCard *self)
{
  sluice_settings_area_set_kind (
      self->plot, self->mode == MODE_SCATTER ? SLUICE_SETTINGS_SCATTER : SLUICE_SETTINGS_PARALLEL,
      gtk_drop_down_get_selected (self->columns[0]), gtk_drop_down_get_selected (self->columns[1]));
}

static void
set_mode (SluiceSettingsCard *self, Mode mode)
{
  self->mode = mode;
  gtk_stack_set_visible_child_name (self->stack, mode == MODE_TABLE ? "table" : "plot");
  gtk_widget_set_visible (self->choices, mode == MODE_SCATTER);
  update_plot (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MODE_NAME]);
}

static void
column_chosen_cb (SluiceSettingsCard *self)
{
  if (!self->updating)
    update_plot (self);
}

/* The column that was chosen stays where there is one of its name. */
static void
update_choice (SluiceSettingsCard *self, GtkDropDown *choice, gboolean is_result)
{
  g_autoptr (GtkStringList) names = gtk_string_list_new (NULL);
  GtkStringObject *chosen = gtk_drop_down_get_selected_item (choice);
  g_autofree char *before =
      chosen != NULL ? g_strdup (gtk_string_object_get_string (chosen)) : NULL;
  int at = before != NULL ? sluice_settings_table_find_column (self->table, before) : -1;

  for (guint i = 0; i < self->table->columns->len; i++)
    {
      const SluiceSettingsColumn *column = g_ptr_array_index (self->table->columns, i);

      gtk_string_list_append (names, column->name);
      if (at < 0 && column->is_result == is_result)
        at = (int) i;
    }
  gtk_drop_down_set_model (choice, G_LIST_MODEL (names));
  gtk_drop_down_set_selected (choice, (guint) MAX (0, at));
}

static gboolean
has_same_columns (const SluiceSettingsTable *a, const SluiceSettingsTable *b)
{
  if (a == NULL || a->columns->len != b->columns->len)
    return FALSE;
  for (guint i = 0; i < a->columns->len; i++)
    if (!g_str_equal (((SluiceSettingsColumn *) g_ptr_array_index (a->columns, i))->name,
                      ((SluiceSettingsColumn *) g_ptr_array_index (b->columns, i))->name))
      return FALSE;
  return TRUE;
}

void
sluice_settings_card_take_table (SluiceSettingsCard *self, SluiceSettingsTable *take)
{
  gboolean same = has_same_columns (self->table, take);

  g_return_if_fail (SLUICE_IS_SETTINGS_CARD (self));

  sluice_settings_area_set_table (self->plot, take);
  g_clear_pointer (&self->table, sluice_settings_table_free);
  self->table = take;
  self->updating = TRUE;
  for (guint i = 0; i < 2 && !same; i++)
    update_choice (self, self->columns[i], i == 1);
  self->updating = FALSE;
  sluice_settings_list_set_table (self->list, take, !same);
  update_plot (self);
}

/* ---- as a card ---- */

char *
sluice_settings_card_dup_text (SluiceSettingsCard *self)
{
  return sluice_settings_area_dup_text (self->plot);
}

static void
fill_menu (SluiceCard *card, GMenu *menu)
{
  g_autoptr (GMenu) list = g_menu_new ();

  g_menu_append (list, _ ("Table"), "settings.mode::table");
  g_menu_append (list, _ ("Parallel coordinates"), "settings.mode::parallel");
  g_menu_append (list, _ ("One over another"), "settings.mode::scatter");
  g_menu_append_section (menu, NULL, G_MENU_MODEL (list));
}

static void
sluice_settings_card_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  g_value_set_string (value, modes[SLUICE_SETTINGS_CARD (object)->mode].name);
}

static void
sluice_settings_card_set_property (GObject *object,
                                   guint id,
                                   const GValue *value,
                                   GParamSpec *pspec)
{
  for (guint i = 0; i < N_MODES; i++)
    if (g_strcmp0 (g_value_get_string (value), modes[i].name) == 0)
      set_mode (SLUICE_SETTINGS_CARD (object), (Mode) i);
}

static void
sluice_settings_card_finalize (GObject *object)
{
  g_clear_pointer (&SLUICE_SETTINGS_CARD (object)->table, sluice_settings_table_free);
  G_OBJECT_CLASS (sluice_settings_card_parent_class)->finalize (object);
}

static void
sluice_settings_card_class_init (SluiceSettingsCardClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->finalize = sluice_settings_card_finalize;
  object_class->get_property = sluice_settings_card_get_property;
  object_class->set_property = sluice_settings_card_set_property;
  SLUICE_CARD_CLASS (klass)->fill_menu = fill_menu;
  properties[PROP_MODE_NAME] =
      g_param_spec_string ("mode-name", NULL, NULL, modes[MODE_TABLE].name,
                           G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  gtk_widget_class_install_property_action (widget_class, "settings.mode", "mode-name");
  run_marked_signal = g_signal_new ("run-marked", SLUICE_TYPE_SETTINGS_CARD, G_SIGNAL_RUN_LAST, 0,
                                    NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_INT64);
  gtk_widget_class_set_css_name (widget_class, "settingscard");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static GtkWidget *
new_choices (SluiceSettingsCard *self)
{
  static const char *const names[] = { N_ ("Horizontal axis of the scatter"),
                                       N_ ("Vertical axis of the scatter") };
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);

  for (guint i = 2; i-- > 0;)
    {
      self->columns[i] = GTK_DROP_DOWN (gtk_drop_down_new (NULL, NULL));
      gtk_widget_set_hexpand (GTK_WIDGET (self->columns[i]), TRUE);
      gtk_accessible_update_property (GTK_ACCESSIBLE (self->columns[i]),
                                      GTK_ACCESSIBLE_PROPERTY_LABEL, _ (names[i]), -1);
      g_signal_connect_swapped (self->columns[i], "notify::selected", G_CALLBACK (column_chosen_cb),
                                self);
      gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->columns[i]));
      if (i == 1)
        gtk_box_append (GTK_BOX (box), gtk_label_new (_ ("over")));
    }
  return box;
}

static GtkWidget *
new_plot (SluiceSettingsCard *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);

  self->choices = new_choices (self);
  self->plot = SLUICE_SETTINGS_AREA (sluice_settings_area_new ());
  gtk_widget_set_vexpand (GTK_WIDGET (self->plot), TRUE);
  g_signal_connect_swapped (self->plot, "run-marked", G_CALLBACK (plot_marked_cb), self);
  gtk_box_append (GTK_BOX (box), self->choices);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->plot));
  return box;
}

static void
sluice_settings_card_init (SluiceSettingsCard *self)
{
  GtkWidget *box = sluice_card_add_box (SLUICE_CARD (self));

  self->list = SLUICE_SETTINGS_LIST (sluice_settings_list_new ());
  g_signal_connect_swapped (self->list, "run-marked", G_CALLBACK (list_marked_cb), self);
  self->stack = GTK_STACK (gtk_stack_new ());
  gtk_widget_set_vexpand (GTK_WIDGET (self->stack), TRUE);
  gtk_stack_add_named (self->stack, GTK_WIDGET (self->list), "table");
  gtk_stack_add_named (self->stack, new_plot (self), "plot");
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->stack));
  sluice_card_add_tool (SLUICE_CARD (self), sluice_mode_bar_new ("settings.mode", modes, N_MODES));
  set_mode (self, MODE_TABLE);
}

GtkWidget *
sluice_settings_card_new (const char *title)
{
  return g_object_new (SLUICE_TYPE_SETTINGS_CARD, "title", title, NULL);
}

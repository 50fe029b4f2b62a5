/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/charts/axis-chooser.h"

#include <glib/gi18n.h>

#include "ui/common/mode-bar.h"

enum
{
  LIST_WIDTH = 280,
  LIST_HEIGHT = 300,
  LEAST_CHARS = 5,
  MOST_CHARS = 18, /* of the tag on its button; its tooltip has all of it */
};

struct _SluiceAxisChooser
{
  GtkBox parent;
  GtkToggleButton *buttons[SLUICE_N_X_AXES];
  GtkLabel *label; /* on the last of them */
  SluiceModeBar *bar;
  GtkPopover *popover;
  GtkWidget *entry, *list;
  GtkStringList *tags;
  GtkStringFilter *filter;
  GStrv (*dup_tags) (gpointer data);
  gpointer data;
  SluiceXAxis axis;
  char *tag; /* (nullable) */
  gboolean updating;
};

G_DEFINE_FINAL_TYPE (SluiceAxisChooser, sluice_axis_chooser, GTK_TYPE_BOX)

static guint changed_signal;

static const SluiceMode axes[SLUICE_N_X_AXES] = {
  [SLUICE_X_STEP] = { "step", N_ ("Step") },
  [SLUICE_X_RELATIVE] = { "relative", N_ ("Relative") },
  [SLUICE_X_WALL] = { "wall", N_ ("Wall") },
  [SLUICE_X_SERIES] = { "tag", N_ ("Over…") },
};

/* ---- what is shown ---- */

static void
show_choice (SluiceAxisChooser *self)
{
  GtkWidget *button = GTK_WIDGET (self->buttons[SLUICE_X_SERIES]);
  g_autofree char *over =
      self->tag != NULL ? g_strdup_printf (_ ("Over %s"), self->tag) : g_strdup (_ ("Over a tag"));
  self->updating = TRUE;
  gtk_toggle_button_set_active (self->buttons[self->axis], TRUE);
  self->updating = FALSE;
  gtk_label_set_label (self->label, self->tag != NULL ? over : _ (axes[SLUICE_X_SERIES].word));
  sluice_mode_bar_set_word (self->bar, _ (axes[self->axis].word)); /* a tag may be long */
  gtk_widget_set_tooltip_text (button, over);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, over, -1);
}

static void
choose (SluiceAxisChooser *self, SluiceXAxis axis, const char *tag)
{
  g_autofree char *copy = g_strdup (tag); /* it may be self->tag */
  gboolean same = self->axis == axis && g_strcmp0 (self->tag, copy) == 0;
  g_free (self->tag);
  self->axis = axis;
  self->tag = g_steal_pointer (&copy);
  show_choice (self);
  if (!same)
    g_signal_emit (self, changed_signal, 0);
}

static void
toggled_cb (GtkToggleButton *button, SluiceAxisChooser *self)
{
  if (self->updating || !gtk_toggle_button_get_active (button))
    return;
  for (SluiceXAxis axis = 0; axis < SLUICE_X_SERIES; axis++)
    if (self->buttons[axis] == button)
      choose (self, axis, NULL);
}

/* ---- the list of tags ---- */

static void
activate_cb (GtkListView *list, guint position, SluiceAxisChooser *self)
{
  GListModel *model = G_LIST_MODEL (gtk_list_view_get_model (list));
  g_autoptr (GtkStringObject) item = g_list_model_get_item (model, position);
  if (item == NULL)
    return;
  gtk_popover_popdown (self->popover);
  choose (self, SLUICE_X_SERIES, gtk_string_object_get_string (item));
}

static void
search_changed_cb (SluiceAxisChooser *self)
{
  gtk_string_filter_set_search (self->filter, gtk_editable_get_text (GTK_EDITABLE (self->entry)));
}

static void
entry_activated_cb (SluiceAxisChooser *self)
{
  GtkSingleSelection *model =
      GTK_SINGLE_SELECTION (gtk_list_view_get_model (GTK_LIST_VIEW (self->list)));
  search_changed_cb (self); /* it is told late, and the list is to be that of what was typed */
  activate_cb (GTK_LIST_VIEW (self->list), gtk_single_selection_get_selected (model), self);
}

/* Nothing was chosen: the buttons show what there was. */
static void
closed_cb (SluiceAxisChooser *self)
{
  show_choice (self);
}

void
sluice_axis_chooser_open (SluiceAxisChooser *self)
{
  g_auto (GStrv) tags = self->dup_tags (self->data);
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->tags));
  gtk_string_list_splice (self->tags, 0, n, (const char *const *) tags);
  gtk_editable_set_text (GTK_EDITABLE (self->entry), "");
  gtk_popover_popup (self->popover);
  gtk_widget_grab_focus (self->entry);
}

/* By the menu that stands for the buttons in a narrow window. */
static void
choose_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  const char *name = g_variant_get_string (parameter, NULL);
  for (SluiceXAxis axis = 0; axis < SLUICE_X_SERIES; axis++)
    if (g_str_equal (name, axes[axis].name))
      {
        choose (data, axis, NULL);
        return;
      }
  sluice_axis_chooser_open (data);
}

/* Also where it is the choice already, to choose another tag. */
static void
clicked_cb (SluiceAxisChooser *self)
{
  if (!self->updating)
    sluice_axis_chooser_open (self);
}

static void
setup_row_cb (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  GtkWidget *label = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_single_line_mode (GTK_LABEL (label), TRUE);
  gtk_widget_set_margin_top (label, 4);
  gtk_widget_set_margin_bottom (label, 4);
  gtk_list_item_set_child (item, label);
}

static void
bind_row_cb (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  gtk_label_set_label (GTK_LABEL (gtk_list_item_get_child (item)),
                       gtk_string_object_get_string (gtk_list_item_get_item (item)));
}

static GtkWidget *
new_list (SluiceAxisChooser *self)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  GtkWidget *scroller = gtk_scrolled_window_new ();
  GtkExpression *text = gtk_property_expression_new (GTK_TYPE_STRING_OBJECT, NULL, "string");
  self->tags = gtk_string_list_new (NULL);
  self->filter = gtk_string_filter_new (text);
  gtk_string_filter_set_match_mode (self->filter, GTK_STRING_FILTER_MATCH_MODE_SUBSTRING);
  GtkFilterListModel *filtered = gtk_filter_list_model_new (
      G_LIST_MODEL (self->tags), GTK_FILTER (g_object_ref (self->filter)));
  g_signal_connect (factory, "setup", G_CALLBACK (setup_row_cb), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (bind_row_cb), NULL);
  self->list = gtk_list_view_new (
      GTK_SELECTION_MODEL (gtk_single_selection_new (G_LIST_MODEL (filtered))), factory);
  gtk_list_view_set_single_click_activate (GTK_LIST_VIEW (self->list), TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Tags for the horizontal axis"), -1);
  g_signal_connect (self->list, "activate", G_CALLBACK (activate_cb), self);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), self->list);
  gtk_widget_set_size_request (scroller, LIST_WIDTH, LIST_HEIGHT);
  return scroller;
}

static void
add_popover (SluiceAxisChooser *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  self->popover = GTK_POPOVER (gtk_popover_new ());
  self->entry = gtk_search_entry_new ();
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->entry), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Find a tag for the horizontal axis"), -1);
  g_signal_connect_swapped (self->entry, "changed", G_CALLBACK (search_changed_cb), self);
  g_signal_connect_swapped (self->entry, "activate", G_CALLBACK (entry_activated_cb), self);
  g_signal_connect_swapped (self->entry, "stop-search", G_CALLBACK (gtk_popover_popdown),
                            self->popover);
  gtk_box_append (GTK_BOX (box), self->entry);
  gtk_box_append (GTK_BOX (box), new_list (self));
  gtk_popover_set_child (self->popover, box);
  gtk_widget_set_parent (GTK_WIDGET (self->popover), GTK_WIDGET (self));
  g_signal_connect_swapped (self->popover, "closed", G_CALLBACK (closed_cb), self);
}

/* ---- as a widget ---- */

static void
sluice_axis_chooser_dispose (GObject *object)
{
  SluiceAxisChooser *self = SLUICE_AXIS_CHOOSER (object);
  if (self->popover != NULL)
    gtk_widget_unparent (GTK_WIDGET (self->popover));
  self->popover = NULL;
  g_clear_object (&self->filter);
  G_OBJECT_CLASS (sluice_axis_chooser_parent_class)->dispose (object);
}

static void
sluice_axis_chooser_finalize (GObject *object)
{
  g_free (SLUICE_AXIS_CHOOSER (object)->tag);
  G_OBJECT_CLASS (sluice_axis_chooser_parent_class)->finalize (object);
}

static void
sluice_axis_chooser_class_init (SluiceAxisChooserClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sluice_axis_chooser_dispose;
  G_OBJECT_CLASS (klass)->finalize = sluice_axis_chooser_finalize;
  changed_signal = g_signal_new ("changed", SLUICE_TYPE_AXIS_CHOOSER, G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 0);
}

static GtkWidget *
new_buttons (SluiceAxisChooser *self)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  for (SluiceXAxis axis = 0; axis < SLUICE_N_X_AXES; axis++)
    {
      GtkWidget *button = gtk_toggle_button_new_with_label (_ (axes[axis].word));
      self->buttons[axis] = GTK_TOGGLE_BUTTON (button);
      if (axis > 0)
        gtk_toggle_button_set_group (self->buttons[axis], self->buttons[0]);
      gtk_widget_add_css_class (button, "flat");
      g_signal_connect (button, "toggled", G_CALLBACK (toggled_cb), self);
      gtk_box_append (GTK_BOX (row), button);
    }
  self->label = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_ellipsize (self->label, PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_width_chars (self->label, LEAST_CHARS);
  gtk_label_set_max_width_chars (self->label, MOST_CHARS);
  gtk_label_set_single_line_mode (self->label, TRUE);
  gtk_button_set_child (GTK_BUTTON (self->buttons[SLUICE_X_SERIES]), GTK_WIDGET (self->label));
  g_signal_connect_swapped (self->buttons[SLUICE_X_SERIES], "clicked", G_CALLBACK (clicked_cb),
                            self);
  return row;
}

static GMenuModel *
new_menu (void)
{
  GMenu *menu = g_menu_new ();
  for (SluiceXAxis axis = 0; axis < SLUICE_N_X_AXES; axis++)
    {
      g_autoptr (GMenuItem) item = g_menu_item_new (_ (axes[axis].word), NULL);
      g_menu_item_set_action_and_target (item, "axis.choose", "s", axes[axis].name);
      g_menu_append_item (menu, item);
    }
  return G_MENU_MODEL (menu);
}

static void
sluice_axis_chooser_init (SluiceAxisChooser *self)
{
  const GActionEntry actions[] = { { "choose", choose_cb, "s", NULL, NULL, { 0 } } };
  g_autoptr (GSimpleActionGroup) group = g_simple_action_group_new ();
  g_autoptr (GMenuModel) menu = new_menu ();
  g_action_map_add_action_entries (G_ACTION_MAP (group), actions, G_N_ELEMENTS (actions), self);
  gtk_widget_insert_action_group (GTK_WIDGET (self), "axis", G_ACTION_GROUP (group));
  self->bar = SLUICE_MODE_BAR (sluice_mode_bar_new_over (new_buttons (self), menu));
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->bar));
  add_popover (self);
  show_choice (self);
}

/* ---- what pages call ---- */

void
sluice_axis_chooser_set_tags_func (SluiceAxisChooser *self,
                                   GStrv (*dup_tags) (gpointer data),
                                   gpointer data)
{
  self->dup_tags = dup_tags;
  self->data = data;
}

void
sluice_axis_chooser_set (SluiceAxisChooser *self, SluiceXAxis axis, const char *tag)
{
  g_assert ((axis == SLUICE_X_SERIES) == (tag != NULL));
  g_free (self->tag);
  self->axis = axis;
  self->tag = g_strdup (tag);
  show_choice (self);
}

SluiceXAxis
sluice_axis_chooser_get_axis (SluiceAxisChooser *self)
{
  return self->axis;
}

const char *
sluice_axis_chooser_get_tag (SluiceAxisChooser *self)
{
  return self->tag;
}

gboolean
sluice_axis_chooser_keep (SluiceAxisChooser *self, GKeyFile *state, gboolean saves)
{
  if (saves && self->tag != NULL)
    g_key_file_set_string (state, "charts", "axis-tag", self->tag);
  g_autofree char *tag = saves ? NULL : g_key_file_get_string (state, "charts", "axis-tag", NULL);
  if (tag == NULL)
    return FALSE;
  sluice_axis_chooser_set (self, SLUICE_X_SERIES, tag);
  return TRUE;
}

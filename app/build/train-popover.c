/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/build/train-popover.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "engine/command/line.h"
#include "engine/command/template.h"

#define TEXT_WIDTH 280

struct _SluiceTrainPopover
{
  GtkPopover parent;
  GtkDropDown *loss, *optimizer, *schedule;
  GtkEditable *rate, *clip;
  GtkWidget *train;
  GtkLabel *wrong;
  gboolean is_trained; /* already */
};

G_DEFINE_FINAL_TYPE (SluiceTrainPopover, sluice_train_popover, GTK_TYPE_POPOVER)

enum
{
  CHOSEN,
  N_SIGNALS,
};
static guint signals[N_SIGNALS];

/* What people begin with. */
static const struct
{
  const char *optimizer, *rate;
} rates[] = {
  { "adam", "0.003" },    { "sgd", "0.1" },     { "momentum", "0.01" },
  { "rmsprop", "0.001" }, { "adagrad", "0.1" },
};

/* ---- which losses there are ---- */

/* One number that can be differentiated, which is all that a loss is. */
static gboolean
is_loss (const SluiceNode *node)
{
  return node->n_outputs == 1 && node->outputs[0].shape.rank == 0 && node->n_inputs > 0
         && sluice_dtype_is_floating (node->outputs[0].dtype);
}

/* By what made it: "softmax-cross-entropy input=…". */
static gboolean
is_of_loss_layer (const SluiceNode *node)
{
  const SluiceAttrValue *layer = sluice_node_get_attr (node, "_layer");
  if (layer == NULL || layer->kind != SLUICE_ATTR_STRING)
    return FALSE;
  g_autofree char *text = g_strndup (layer->s.data, layer->s.length);
  text[strcspn (text, " ")] = '\0';
  const SluiceTemplate *template = sluice_template_find ("layer", text, NULL);
  return template != NULL && strcmp (template->family, "loss") == 0;
}

/* (transfer full): the one that is meant first */
static GtkStringList *
list_losses (SluiceGraph *graph, const char *selected)
{
  GtkStringList *names = gtk_string_list_new (NULL);
  g_autofree char *output = selected != NULL ? g_strconcat (selected, "/output", NULL) : NULL;
  const char *const meant[] = { output, selected };
  const SluiceNode *first = NULL;
  for (guint i = 0; i < G_N_ELEMENTS (meant) && first == NULL; i++)
    {
      const SluiceNode *node = meant[i] != NULL ? sluice_graph_find (graph, meant[i]) : NULL;
      first = node != NULL && is_loss (node) ? node : NULL;
    }
  if (first != NULL)
    gtk_string_list_append (names, first->name);
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      const SluiceNode *node = sluice_graph_get_node (graph, i);
      if (node != first && is_of_loss_layer (node) && is_loss (node))
        gtk_string_list_append (names, node->name);
    }
  return names;
}

/* ---- what is asked for ---- */

static const char *
get_chosen (GtkDropDown *box)
{
  GtkStringObject *item = gtk_drop_down_get_selected_item (box);
  return item != NULL ? gtk_string_object_get_string (item) : NULL;
}

static gboolean
is_positive (GtkEditable *entry)
{
  char *end;
  const char *text = gtk_editable_get_text (entry);
  double number = g_ascii_strtod (text, &end);
  return end != text && *end == '\0' && isfinite (number) && number > 0;
}

static gboolean
is_empty (GtkEditable *entry)
{
  return *gtk_editable_get_text (entry) == '\0';
}

static void
update (SluiceTrainPopover *self)
{
  gboolean has_loss = get_chosen (self->loss) != NULL;
  const char *wrong =
      !has_loss
          ? _ ("No loss is known here: select the node that gives it, one number, or add one and "
               "connect it to what it measures.")
      : !is_positive (self->rate) ? _ ("The learning rate must be over 0, as 0.003.")
      : !is_empty (self->clip) && !is_positive (self->clip)
          ? _ ("The largest norm must be over 0, or empty for none.")
          : NULL;
  gtk_widget_set_sensitive (self->train, wrong == NULL);
  gtk_label_set_label (self->wrong, wrong != NULL ? wrong : "");
  gtk_widget_set_visible (gtk_widget_get_parent (GTK_WIDGET (self->wrong)), wrong != NULL);
}

/* What goes with an optimizer is another rate. */
static void
optimizer_changed_cb (SluiceTrainPopover *self)
{
  const char *optimizer = get_chosen (self->optimizer);
  for (guint i = 0; optimizer != NULL && i < G_N_ELEMENTS (rates); i++)
    if (strcmp (rates[i].optimizer, optimizer) == 0)
      gtk_editable_set_text (self->rate, rates[i].rate);
  update (self);
}

/* (transfer full) */
static char *
dup_line (SluiceTrainPopover *self)
{
  GString *line = g_string_new ("train ");
  g_autofree char *loss = sluice_line_quote (get_chosen (self->loss));
  g_string_append_printf (line, "%s optimizer=%s learning-rate=%s", loss,
                          get_chosen (self->optimizer), gtk_editable_get_text (self->rate));
  if (gtk_drop_down_get_selected (self->schedule) > 0)
    g_string_append_printf (line, " schedule=%s", get_chosen (self->schedule));
  if (!is_empty (self->clip))
    g_string_append_printf (line, " clip=%s", gtk_editable_get_text (self->clip));
  if (!self->is_trained)
    return g_string_free (line, FALSE);
  g_autofree char *train = g_string_free (line, FALSE), *quoted = sluice_line_quote (train);
  g_autofree char *words = g_strdup_printf (_ ("train by %s"), get_chosen (self->loss));
  g_autofree char *named = sluice_line_quote (words);
  return g_strdup_printf ("together %s untrain %s", named, quoted);
}

static void
train_cb (SluiceTrainPopover *self)
{
  if (!gtk_widget_get_sensitive (self->train))
    return;
  g_autofree char *line = dup_line (self);
  gtk_popover_popdown (GTK_POPOVER (self));
  g_signal_emit (self, signals[CHOSEN], 0, line);
}

/* ---- what is offered ---- */

static void
fill_templates (GtkDropDown *box, const char *family, const char *none, const char *chosen)
{
  g_autoptr (GPtrArray) templates = sluice_template_list (family);
  g_autoptr (GtkStringList) names = gtk_string_list_new (NULL);
  guint selected = 0;
  if (none != NULL)
    gtk_string_list_append (names, none);
  for (guint i = 0; i < templates->len; i++)
    {
      const SluiceTemplate *template = templates->pdata[i];
      if (g_strcmp0 (template->name, chosen) == 0)
        selected = g_list_model_get_n_items (G_LIST_MODEL (names));
      gtk_string_list_append (names, template->name);
    }
  gtk_drop_down_set_model (box, G_LIST_MODEL (names));
  gtk_drop_down_set_selected (box, selected);
}

void
sluice_train_popover_fill (SluiceTrainPopover *self,
                           SluiceGraph *graph,
                           const char *selected,
                           const char *optimizer)
{
  g_autoptr (GtkStringList) losses = list_losses (graph, selected);
  self->is_trained = sluice_graph_find (graph, "train") != NULL;
  gtk_drop_down_set_model (self->loss, G_LIST_MODEL (losses));
  fill_templates (self->optimizer, "optimizer", NULL, optimizer != NULL ? optimizer : "adam");
  gtk_button_set_label (GTK_BUTTON (self->train),
                        self->is_trained ? _ ("Train it this way instead") : _ ("Train this"));
  optimizer_changed_cb (self);
}

static GtkWidget *
add_row (GtkGrid *grid, int row, const char *title, GtkWidget *widget)
{
  GtkWidget *label = gtk_label_new (title);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_grid_attach (grid, label, 0, row, 1, 1);
  gtk_widget_set_hexpand (widget, TRUE);
  gtk_grid_attach (grid, widget, 1, row, 1, 1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, title,
                                  -1);
  if (GTK_IS_DROP_DOWN (widget)) /* its button, where the focus is */
    gtk_accessible_update_property (GTK_ACCESSIBLE (gtk_widget_get_first_child (widget)),
                                    GTK_ACCESSIBLE_PROPERTY_LABEL, title, -1);
  return widget;
}

static GtkEditable *
add_entry (SluiceTrainPopover *self, GtkGrid *grid, int row, const char *title)
{
  GtkWidget *entry = add_row (grid, row, title, gtk_entry_new ());
  g_signal_connect_swapped (entry, "changed", G_CALLBACK (update), self);
  g_signal_connect_swapped (entry, "activate", G_CALLBACK (train_cb), self);
  return GTK_EDITABLE (entry);
}

static GtkDropDown *
add_choice (SluiceTrainPopover *self, GtkGrid *grid, int row, const char *title)
{
  return GTK_DROP_DOWN (add_row (grid, row, title, gtk_drop_down_new (NULL, NULL)));
}

static void
sluice_train_popover_class_init (SluiceTrainPopoverClass *klass)
{
  signals[CHOSEN] = g_signal_new ("chosen", SLUICE_TYPE_TRAIN_POPOVER, G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
sluice_train_popover_init (SluiceTrainPopover *self)
{
  GtkWidget *grid = gtk_grid_new (), *wrong = gtk_label_new (NULL), *clamp = adw_clamp_new ();
  gtk_grid_set_row_spacing (GTK_GRID (grid), 8);
  gtk_grid_set_column_spacing (GTK_GRID (grid), 12);
  gtk_widget_add_css_class (grid, "train-form");
  self->loss = add_choice (self, GTK_GRID (grid), 0, _ ("Loss"));
  self->optimizer = add_choice (self, GTK_GRID (grid), 1, _ ("Optimizer"));
  self->rate = add_entry (self, GTK_GRID (grid), 2, _ ("Learning rate"));
  self->schedule = add_choice (self, GTK_GRID (grid), 3, _ ("Schedule"));
  self->clip = add_entry (self, GTK_GRID (grid), 4, _ ("Largest norm of gradients"));
  fill_templates (self->schedule, "schedule", _ ("none"), NULL);
  self->wrong = GTK_LABEL (wrong);
  gtk_label_set_wrap (self->wrong, TRUE);
  gtk_label_set_max_width_chars (self->wrong, 36);
  gtk_label_set_xalign (self->wrong, 0);
  /* GTK 4.8 asks what is in a popover how tall it is in a width that has its shadow, too; text that
   * is no wider than this is as tall in both. */
  adw_clamp_set_maximum_size (ADW_CLAMP (clamp), TEXT_WIDTH);
  adw_clamp_set_tightening_threshold (ADW_CLAMP (clamp), TEXT_WIDTH);
  adw_clamp_set_child (ADW_CLAMP (clamp), wrong);
  gtk_widget_set_halign (clamp, GTK_ALIGN_START);
  gtk_grid_attach (GTK_GRID (grid), clamp, 0, 5, 2, 1);
  self->train = gtk_button_new_with_label (_ ("Train this"));
  gtk_widget_add_css_class (self->train, "suggested-action");
  gtk_widget_set_halign (self->train, GTK_ALIGN_END);
  gtk_grid_attach (GTK_GRID (grid), self->train, 0, 6, 2, 1);
  gtk_popover_set_child (GTK_POPOVER (self), grid);
  g_signal_connect_swapped (self->train, "clicked", G_CALLBACK (train_cb), self);
  g_signal_connect_swapped (self->optimizer, "notify::selected", G_CALLBACK (optimizer_changed_cb),
                            self);
  g_signal_connect_swapped (self->loss, "notify::selected", G_CALLBACK (update), self);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Train this"), -1);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/edge-popover.h"

#define MOST_CHARS 36 /* of a line */

typedef struct
{
  char *place; /* (nullable) */
  GtkWidget *box, *title, *content, *wrong, *actions;
} SluiceEdgePopoverPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (SluiceEdgePopover, sluice_edge_popover, GTK_TYPE_POPOVER)

enum
{
  PROP_CONTENT = 1,
  PROP_ACTIONS,
  N_PROPS,
};

static SluiceEdgePopoverPrivate *
get_private (SluiceEdgePopover *self)
{
  return sluice_edge_popover_get_instance_private (self);
}

void
sluice_edge_popover_set_place (SluiceEdgePopover *self, const char *place, const char *title)
{
  SluiceEdgePopoverPrivate *p = get_private (self);
  g_free (p->place);
  p->place = g_strdup (place);
  gtk_label_set_label (GTK_LABEL (p->title), title);
  gtk_widget_set_visible (p->title, TRUE);
}

const char *
sluice_edge_popover_get_place (SluiceEdgePopover *self)
{
  return get_private (self)->place;
}

void
sluice_edge_popover_tell_wrong (SluiceEdgePopover *self, const char *words)
{
  SluiceEdgePopoverPrivate *p = get_private (self);
  gtk_label_set_label (GTK_LABEL (p->wrong), words != NULL ? words : "");
  gtk_widget_set_visible (p->wrong, words != NULL);
  /* What it belongs to does not ask how large it is while it is open. */
  if (gtk_widget_get_mapped (GTK_WIDGET (self)))
    gtk_popover_present (GTK_POPOVER (self));
}

void
sluice_edge_popover_apply (SluiceEdgePopover *self, const char *action, const char *format, ...)
{
  va_list values;
  va_start (values, format);
  g_autoptr (GVariant) parameter = g_variant_ref_sink (g_variant_new_va (format, NULL, &values));
  va_end (values);
  sluice_edge_popover_tell_wrong (self, NULL);
  gtk_popover_popdown (GTK_POPOVER (self));
  gtk_widget_activate_action_variant (GTK_WIDGET (self), action, parameter);
}

/* ---- the widget ---- */

static GtkWidget *
add_label (GtkWidget *box, GtkAccessibleRole role, const char *style)
{
  GtkWidget *label = g_object_new (GTK_TYPE_LABEL, "accessible-role", role, "wrap", TRUE,
                                   "wrap-mode", PANGO_WRAP_WORD_CHAR, "max-width-chars", MOST_CHARS,
                                   "xalign", 0.0, "visible", FALSE, NULL);
  gtk_widget_add_css_class (label, style);
  gtk_box_append (GTK_BOX (box), label);
  return label;
}

static void
replace (GtkWidget *box, GtkWidget **part, GtkWidget *above, GtkWidget *by)
{
  if (*part != NULL)
    gtk_box_remove (GTK_BOX (box), *part);
  *part = by;
  if (by != NULL)
    gtk_box_insert_child_after (GTK_BOX (box), by, above);
}

static void
sluice_edge_popover_set_property (GObject *object,
                                  guint id,
                                  const GValue *value,
                                  GParamSpec *property)
{
  SluiceEdgePopoverPrivate *p = get_private (SLUICE_EDGE_POPOVER (object));
  if (id == PROP_CONTENT)
    replace (p->box, &p->content, p->title, g_value_get_object (value));
  else
    replace (p->box, &p->actions, p->wrong, g_value_get_object (value));
}

static GtkSizeRequestMode
sluice_edge_popover_get_request_mode (GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

/* GtkPopover asks how high lines are that have the room of its shadow, too: who wraps is cut. */
static void
sluice_edge_popover_measure (GtkWidget *widget,
                             GtkOrientation orientation,
                             int for_size,
                             int *minimum,
                             int *natural,
                             int *minimum_baseline,
                             int *natural_baseline)
{
  GtkWidgetClass *parent = GTK_WIDGET_CLASS (sluice_edge_popover_parent_class);
  GtkWidget *box = get_private (SLUICE_EDGE_POPOVER (widget))->box;
  int wide, inner_wide, high, inner_high;
  parent->measure (widget, orientation, -1, minimum, natural, minimum_baseline, natural_baseline);
  if (orientation == GTK_ORIENTATION_HORIZONTAL || for_size < 0)
    return;
  parent->measure (widget, GTK_ORIENTATION_HORIZONTAL, -1, minimum, &wide, minimum_baseline,
                   natural_baseline);
  gtk_widget_measure (box, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &inner_wide, NULL, NULL);
  gtk_widget_measure (box, orientation, -1, NULL, &inner_high, NULL, NULL);
  gtk_widget_measure (box, orientation, MAX (for_size - (wide - inner_wide), 0), NULL, &high, NULL,
                      NULL);
  *minimum = *natural = *natural + high - inner_high;
}

static void
sluice_edge_popover_finalize (GObject *object)
{
  g_free (get_private (SLUICE_EDGE_POPOVER (object))->place);
  G_OBJECT_CLASS (sluice_edge_popover_parent_class)->finalize (object);
}

static void
sluice_edge_popover_class_init (SluiceEdgePopoverClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS (klass);
  object->set_property = sluice_edge_popover_set_property;
  object->finalize = sluice_edge_popover_finalize;
  GTK_WIDGET_CLASS (klass)->get_request_mode = sluice_edge_popover_get_request_mode;
  GTK_WIDGET_CLASS (klass)->measure = sluice_edge_popover_measure;
  g_object_class_install_property (
      object, PROP_CONTENT,
      g_param_spec_object ("content", NULL, NULL, GTK_TYPE_WIDGET, G_PARAM_WRITABLE));
  g_object_class_install_property (
      object, PROP_ACTIONS,
      g_param_spec_object ("actions", NULL, NULL, GTK_TYPE_WIDGET, G_PARAM_WRITABLE));
}

static void
sluice_edge_popover_init (SluiceEdgePopover *self)
{
  SluiceEdgePopoverPrivate *p = get_private (self);
  p->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 8);
  gtk_widget_add_css_class (p->box, "edge-popover");
  p->title = add_label (p->box, GTK_ACCESSIBLE_ROLE_LABEL, "heading");
  p->wrong = add_label (p->box, GTK_ACCESSIBLE_ROLE_ALERT, "error");
  gtk_popover_set_child (GTK_POPOVER (self), p->box);
}

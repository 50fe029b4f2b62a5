/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/debug-bar.h"

#include <glib/gi18n.h>
#include <inttypes.h>

#include "app/clip-popover.h"
#include "app/value-popover.h"
#include "engine/base/statistics.h"

#define FEW_ELEMENTS 4 /* that are told one by one */

struct _SluiceDebugBar
{
  GtkWidget parent;
  GtkRevealer *revealer;
  GtkLabel *label, *values, *why;
  GtkMenuButton *clip, *change;
  SluiceClipPopover *clip_popover;
  SluiceValuePopover *value_popover;
  GtkWidget *edited;
  guint64 number; /* of the stop that is shown */
};

G_DEFINE_FINAL_TYPE (SluiceDebugBar, sluice_debug_bar, GTK_TYPE_WIDGET)

/* ---- words ---- */

/* (transfer full) */
static char *
describe_stop (const SluiceStop *stop)
{
  const SluiceDebugNode *node = &stop->node;
  const char *const in = node->loops != NULL ? node->loops : "";
  const gint64 step = (gint64) stop->step;
  switch (stop->kind)
    {
    case SLUICE_STOP_BEFORE:
      return g_strdup_printf (_ ("Step %" PRId64 ": stopped before %s “%s” on %s %s"), step,
                              node->op, node->name, node->device, in);
    case SLUICE_STOP_BEHIND:
      return g_strdup_printf (_ ("Step %" PRId64 ": stopped behind %s “%s” on %s %s"), step,
                              node->op, node->name, node->device, in);
    case SLUICE_STOP_WAITS:
      return g_strdup_printf (_ ("Step %" PRId64 ": stopped, as nothing is ready and what is under "
                                 "way waits"),
                              step);
    case SLUICE_STOP_END:
      break;
    }
  return g_strdup_printf (_ ("Step %" PRId64 ": stopped, as all nodes have run"), step);
}

/* Elements where there are few, else what they lie between. */
static void
append_value (GString *text, const char *kind, const SluiceDebugValue *value)
{
  const SluiceTensor *tensor = value->tensor;
  SluiceStatistics values;
  char shape[SLUICE_SHAPE_STR];
  g_string_append_printf (text, "%s%s %s  ", text->len > 0 ? "\n" : "", kind, value->edge);
  if (tensor == NULL)
    g_string_append (text, _ ("no value"));
  else if (tensor->n_elements <= FEW_ELEMENTS || !sluice_tensor_get_statistics (tensor, &values))
    {
      g_autofree char *elements = sluice_tensor_to_string (tensor, FEW_ELEMENTS);
      g_string_append (text, elements);
    }
  else
    {
      g_string_append_printf (text, _ ("%s %s, from %.4g to %.4g"),
                              sluice_dtype_name (tensor->dtype),
                              sluice_shape_str (&tensor->shape, shape), values.min, values.max);
      if (values.n_non_finite > 0)
        g_string_append_printf (text, _ (", %" PRId64 " not finite"), values.n_non_finite);
    }
}

static void
append_values (GString *text, const char *kind, const GArray *values)
{
  for (guint i = 0; i < values->len; i++)
    append_value (text, kind, &g_array_index (values, SluiceDebugValue, i));
}

void
sluice_debug_bar_set_stop (SluiceDebugBar *self, const SluiceStop *stop)
{
  gtk_revealer_set_reveal_child (self->revealer, stop != NULL);
  if (stop == NULL)
    return;
  g_autofree char *label = describe_stop (stop);
  g_autoptr (GString) values = g_string_new (NULL);
  append_values (values, _ ("made"), stop->ran_outputs);
  append_values (values, _ ("input"), stop->inputs);
  append_values (values, _ ("output"), stop->outputs);
  gtk_label_set_label (self->label, g_strchomp (label));
  gtk_label_set_label (self->values, values->str);
  if (stop->number == self->number)
    return; /* somebody may be choosing */
  self->number = stop->number;
  gtk_widget_set_visible (GTK_WIDGET (self->clip),
                          sluice_clip_popover_set_stop (self->clip_popover, stop));
  gtk_widget_set_visible (GTK_WIDGET (self->change),
                          sluice_value_popover_set_stop (self->value_popover, stop));
}

void
sluice_debug_bar_set_why (SluiceDebugBar *self, const char *words)
{
  gtk_label_set_label (self->why, words != NULL ? words : "");
  gtk_widget_set_visible (GTK_WIDGET (self->why), words != NULL);
}

void
sluice_debug_bar_set_edited (SluiceDebugBar *self, gboolean is_edited)
{
  gtk_widget_set_visible (self->edited, is_edited);
}

static void
open_popover (GtkMenuButton *button)
{
  if (gtk_widget_get_visible (GTK_WIDGET (button)))
    gtk_menu_button_popup (button);
}

void
sluice_debug_bar_open_clip (SluiceDebugBar *self)
{
  open_popover (self->clip);
}

void
sluice_debug_bar_open_change (SluiceDebugBar *self)
{
  open_popover (self->change);
}

const char *
sluice_debug_bar_get_text (SluiceDebugBar *self)
{
  return gtk_revealer_get_reveal_child (self->revealer) ? gtk_label_get_label (self->label) : "";
}

/* ---- life ---- */

static void
sluice_debug_bar_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), SLUICE_TYPE_DEBUG_BAR);
  G_OBJECT_CLASS (sluice_debug_bar_parent_class)->dispose (object);
}

static void
sluice_debug_bar_class_init (SluiceDebugBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  g_type_ensure (SLUICE_TYPE_CLIP_POPOVER);
  g_type_ensure (SLUICE_TYPE_VALUE_POPOVER);
  G_OBJECT_CLASS (klass)->dispose = sluice_debug_bar_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/sluice/Workbench/debug-bar.ui");
  gtk_widget_class_bind_template_child (widget_class, SluiceDebugBar, revealer);
  gtk_widget_class_bind_template_child (widget_class, SluiceDebugBar, label);
  gtk_widget_class_bind_template_child (widget_class, SluiceDebugBar, values);
  gtk_widget_class_bind_template_child (widget_class, SluiceDebugBar, why);
  gtk_widget_class_bind_template_child (widget_class, SluiceDebugBar, clip);
  gtk_widget_class_bind_template_child (widget_class, SluiceDebugBar, clip_popover);
  gtk_widget_class_bind_template_child (widget_class, SluiceDebugBar, change);
  gtk_widget_class_bind_template_child (widget_class, SluiceDebugBar, value_popover);
  gtk_widget_class_bind_template_child (widget_class, SluiceDebugBar, edited);
}

static void
sluice_debug_bar_init (SluiceDebugBar *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

SluiceDebugBar *
sluice_debug_bar_new (void)
{
  return g_object_new (SLUICE_TYPE_DEBUG_BAR, NULL);
}

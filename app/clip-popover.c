/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/clip-popover.h"

#include <glib/gi18n.h>
#include <math.h>

#include "engine/base/statistics.h"

struct _SluiceClipPopover
{
  SluiceEdgePopover parent;
  GtkDropDown *edges, *by;
  GtkStringList *edge_names;
  GtkWidget *least_label;
  GtkEntry *least, *most;
};

G_DEFINE_FINAL_TYPE (SluiceClipPopover, sluice_clip_popover, SLUICE_TYPE_EDGE_POPOVER)

/* The largest |x|; NAN: nothing that can be clipped. */
static double
get_size (const SluiceDebugValue *value)
{
  SluiceStatistics statistics;
  const SluiceTensor *tensor = value->tensor;
  if (tensor == NULL || !sluice_dtype_is_floating ((SluiceDType) tensor->dtype)
      || !sluice_tensor_get_statistics (tensor, &statistics))
    return NAN;
  if (statistics.n_non_finite > 0)
    return INFINITY;
  return MAX (fabs (statistics.min), fabs (statistics.max));
}

gboolean
sluice_clip_popover_set_stop (SluiceClipPopover *self, const SluiceStop *stop)
{
  guint n = 0;
  double largest = -1;
  gtk_string_list_splice (self->edge_names, 0,
                          g_list_model_get_n_items (G_LIST_MODEL (self->edge_names)), NULL);
  for (guint i = 0; i < stop->inputs->len; i++)
    {
      const SluiceDebugValue *value = &g_array_index (stop->inputs, SluiceDebugValue, i);
      double size = get_size (value);
      if (isnan (size))
        continue;
      gtk_string_list_append (self->edge_names, value->edge);
      if (size > largest)
        gtk_drop_down_set_selected (self->edges, n);
      largest = MAX (size, largest);
      n++;
    }
  return n > 0;
}

static gboolean
is_by_norm (SluiceClipPopover *self)
{
  return gtk_drop_down_get_selected (self->by) == 1;
}

static void
by_changed_cb (SluiceClipPopover *self)
{
  gtk_widget_set_visible (self->least_label, !is_by_norm (self));
  gtk_widget_set_visible (GTK_WIDGET (self->least), !is_by_norm (self));
}

static gboolean
read_number (GtkEntry *entry, double *value)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (entry));
  char *end;
  *value = g_ascii_strtod (text, &end);
  return end != text && *end == '\0' && isfinite (*value);
}

static void
clip_cb (SluiceClipPopover *self)
{
  double least = 0, most;
  SluiceEdgePopover *base = SLUICE_EDGE_POPOVER (self);
  GtkStringObject *edge = gtk_drop_down_get_selected_item (self->edges);
  gboolean ok = read_number (self->most, &most);
  if (edge == NULL)
    return;
  if (!ok || (!is_by_norm (self) && !read_number (self->least, &least)))
    sluice_edge_popover_tell_wrong (base, _ ("The limits are numbers, as -10 and 1e-3"));
  else if (is_by_norm (self) ? most <= 0 : least >= most)
    sluice_edge_popover_tell_wrong (base, is_by_norm (self) ? _ ("A norm is above zero")
                                                            : _ ("The least is below the most"));
  else
    sluice_edge_popover_apply (base, "win.clip", "(sbdd)", gtk_string_object_get_string (edge),
                               is_by_norm (self), least, most);
}

static void
sluice_clip_popover_class_init (SluiceClipPopoverClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/sluice/Workbench/clip-popover.ui");
  gtk_widget_class_bind_template_child (widget_class, SluiceClipPopover, edges);
  gtk_widget_class_bind_template_child (widget_class, SluiceClipPopover, by);
  gtk_widget_class_bind_template_child (widget_class, SluiceClipPopover, edge_names);
  gtk_widget_class_bind_template_child (widget_class, SluiceClipPopover, least_label);
  gtk_widget_class_bind_template_child (widget_class, SluiceClipPopover, least);
  gtk_widget_class_bind_template_child (widget_class, SluiceClipPopover, most);
  gtk_widget_class_bind_template_callback (widget_class, clip_cb);
  gtk_widget_class_bind_template_callback (widget_class, by_changed_cb);
}

static void
sluice_clip_popover_init (SluiceClipPopover *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/break-popover.h"

#include <glib/gi18n.h>

#include "app/failure-words.h"

struct _SluiceBreakPopover
{
  SluiceEdgePopover parent;
  char *before; /* "": none is set */
  GtkLabel *note;
  GtkCheckButton *non_finite;
  GtkEntry *above, *shape, *step, *hits;
  GtkDropDown *shape_test;
  GtkWidget *remove;
  GtkButton *set;
};

G_DEFINE_FINAL_TYPE (SluiceBreakPopover, sluice_break_popover, SLUICE_TYPE_EDGE_POPOVER)

/* As sluice_breakpoint_parse() takes it: (transfer full). */
static char *
dup_text (SluiceBreakPopover *self)
{
  static const char *const shapes[] = { NULL, "shape is ", "shape is not " };
  const char *shape = shapes[gtk_drop_down_get_selected (self->shape_test)];
  const struct
  {
    const char *words;
    GtkEntry *entry;
  } conditions[] = {
    { "|x| > ", self->above },
    { shape, self->shape },
    { "step >= ", self->step },
    { "hits >= ", self->hits },
  };
  GString *text = g_string_new (sluice_edge_popover_get_place (SLUICE_EDGE_POPOVER (self)));
  const char *joint = " if ";
  if (gtk_check_button_get_active (self->non_finite))
    {
      g_string_append_printf (text, "%snonfinite", joint);
      joint = " and ";
    }
  for (guint i = 0; i < G_N_ELEMENTS (conditions); i++)
    {
      const char *value = gtk_editable_get_text (GTK_EDITABLE (conditions[i].entry));
      if (conditions[i].words == NULL || *value == '\0')
        continue;
      g_string_append_printf (text, "%s%s%s", joint, conditions[i].words, value);
      joint = " and ";
    }
  return g_string_free (text, FALSE);
}

static void
finish (SluiceBreakPopover *self, const char *after)
{
  sluice_edge_popover_apply (SLUICE_EDGE_POPOVER (self), "win.set-breakpoint", "(ss)", self->before,
                             after);
}

static void
set_cb (SluiceBreakPopover *self)
{
  SluiceBreakpoint breakpoint;
  g_autofree char *typed = dup_text (self);
  g_autoptr (GError) error = NULL;
  if (!sluice_breakpoint_parse (&breakpoint, typed, &error))
    {
      g_autofree char *words = sluice_failure_words (error);
      sluice_edge_popover_tell_wrong (SLUICE_EDGE_POPOVER (self), words);
      return;
    }
  g_autofree char *text = sluice_breakpoint_to_text (&breakpoint);
  finish (self, text);
}

static void
remove_cb (SluiceBreakPopover *self)
{
  finish (self, "");
}

static void
shape_test_cb (SluiceBreakPopover *self)
{
  gtk_widget_set_sensitive (GTK_WIDGET (self->shape),
                            gtk_drop_down_get_selected (self->shape_test) != SLUICE_SHAPE_ANY);
}

static void
set_number (GtkEntry *entry, guint64 number)
{
  g_autofree char *text = g_strdup_printf ("%" G_GUINT64_FORMAT, number);
  gtk_editable_set_text (GTK_EDITABLE (entry), text);
}

static void
show_condition (SluiceBreakPopover *self, const SluiceBreakpoint *what)
{
  char text[MAX (G_ASCII_DTOSTR_BUF_SIZE, SLUICE_SHAPE_STR)];
  gtk_check_button_set_active (self->non_finite, what->non_finite);
  if (what->has_above)
    gtk_editable_set_text (GTK_EDITABLE (self->above),
                           g_ascii_dtostr (text, sizeof text, what->above));
  gtk_drop_down_set_selected (self->shape_test, what->shape_test);
  if (what->shape_test != SLUICE_SHAPE_ANY)
    gtk_editable_set_text (GTK_EDITABLE (self->shape), sluice_shape_str (&what->shape, text));
  if (what->first_step > 0)
    set_number (self->step, what->first_step);
  if (what->first_hit > 1)
    set_number (self->hits, what->first_hit);
}

void
sluice_break_popover_set_place (SluiceBreakPopover *self,
                                const char *place,
                                const char *text,
                                const char *note)
{
  SluiceBreakpoint what;
  g_autofree char *title = g_strdup_printf (_ ("Stop at %s"), place);
  g_free (self->before);
  self->before = g_strdup (text != NULL ? text : "");
  sluice_edge_popover_set_place (SLUICE_EDGE_POPOVER (self), place, title);
  gtk_label_set_label (self->note, note != NULL ? note : "");
  gtk_widget_set_visible (GTK_WIDGET (self->note), note != NULL);
  gtk_widget_set_visible (self->remove, text != NULL);
  gtk_button_set_label (self->set, text != NULL ? _ ("Change") : _ ("Stop here"));
  if (text != NULL && sluice_breakpoint_parse (&what, text, NULL))
    show_condition (self, &what);
}

static void
sluice_break_popover_finalize (GObject *object)
{
  g_free (SLUICE_BREAK_POPOVER (object)->before);
  G_OBJECT_CLASS (sluice_break_popover_parent_class)->finalize (object);
}

static void
sluice_break_popover_class_init (SluiceBreakPopoverClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->finalize = sluice_break_popover_finalize;
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/sluice/Workbench/break-popover.ui");
  gtk_widget_class_bind_template_child (widget_class, SluiceBreakPopover, note);
  gtk_widget_class_bind_template_child (widget_class, SluiceBreakPopover, non_finite);
  gtk_widget_class_bind_template_child (widget_class, SluiceBreakPopover, above);
  gtk_widget_class_bind_template_child (widget_class, SluiceBreakPopover, shape_test);
  gtk_widget_class_bind_template_child (widget_class, SluiceBreakPopover, shape);
  gtk_widget_class_bind_template_child (widget_class, SluiceBreakPopover, step);
  gtk_widget_class_bind_template_child (widget_class, SluiceBreakPopover, hits);
  gtk_widget_class_bind_template_child (widget_class, SluiceBreakPopover, remove);
  gtk_widget_class_bind_template_child (widget_class, SluiceBreakPopover, set);
  gtk_widget_class_bind_template_callback (widget_class, set_cb);
  gtk_widget_class_bind_template_callback (widget_class, remove_cb);
  gtk_widget_class_bind_template_callback (widget_class, shape_test_cb);
}

static void
sluice_break_popover_init (SluiceBreakPopover *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_widget_set_direction (GTK_WIDGET (self->shape),
                            GTK_TEXT_DIR_LTR); /* of [64,?] all is neutral */
}

SluiceBreakPopover *
sluice_break_popover_new (void)
{
  return g_object_new (SLUICE_TYPE_BREAK_POPOVER, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/graph/op-example-view.h"

#include <glib/gi18n.h>

#include "app/failure-words.h"
#include "app/graph/op-example-picture.h"

#define GAP 6 /* pixels */

struct _SluiceOpExampleView
{
  GtkWidget parent;
  const SluiceOp *op;
  GtkWidget *expander;
  GtkBox *box;
  GCancellable *cancellable;
};

G_DEFINE_FINAL_TYPE (SluiceOpExampleView, sluice_op_example_view, GTK_TYPE_WIDGET)

/* ---- what is shown ---- */

static void
add_words (SluiceOpExampleView *self, const char *words)
{
  GtkWidget *label = gtk_label_new (words);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_selectable (GTK_LABEL (label), TRUE);
  gtk_box_append (self->box, label);
}

static void
add_button (SluiceOpExampleView *self)
{
  GtkWidget *button = gtk_button_new_with_mnemonic (_ ("_Open as Graph"));
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "win.open-example");
  gtk_actionable_set_action_target (GTK_ACTIONABLE (button), "s", self->op->name);
  gtk_widget_set_halign (button, GTK_ALIGN_START);
  gtk_box_append (self->box, button);
}

/* ---- to run it ---- */

static void
run (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GError *error = NULL;
  SluiceOpExample *example = sluice_op_example_new (data, &error);
  if (example != NULL)
    g_task_return_pointer (task, example, (GDestroyNotify) sluice_op_example_free);
  else
    g_task_return_error (task, error);
}

static void
ran_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceOpExample) example = g_task_propagate_pointer (G_TASK (result), &error);
  SluiceOpExampleView *self = SLUICE_OP_EXAMPLE_VIEW (source);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  g_autofree char *words = example != NULL ? g_strchomp (sluice_op_example_dup_text (example))
                                           : sluice_failure_words (error);
  if (example != NULL)
    gtk_box_append (self->box, sluice_op_example_picture_new (example));
  add_words (self, words);
  if (example != NULL)
    add_button (self);
}

static void
expanded_cb (SluiceOpExampleView *self)
{
  if (self->cancellable != NULL)
    return;
  self->cancellable = g_cancellable_new ();
  g_autoptr (GTask) task = g_task_new (self, self->cancellable, ran_cb, NULL);
  g_task_set_task_data (task, (gpointer) self->op, NULL);
  g_task_run_in_thread (task, run);
}

/* ---- the widget ---- */

static void
sluice_op_example_view_dispose (GObject *object)
{
  SluiceOpExampleView *self = SLUICE_OP_EXAMPLE_VIEW (object);
  g_cancellable_cancel (self->cancellable);
  g_clear_pointer (&self->expander, gtk_widget_unparent);
  g_clear_object (&self->cancellable);
  G_OBJECT_CLASS (sluice_op_example_view_parent_class)->dispose (object);
}

static void
sluice_op_example_view_class_init (SluiceOpExampleViewClass *class)
{
  G_OBJECT_CLASS (class)->dispose = sluice_op_example_view_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (class), GTK_TYPE_BIN_LAYOUT);
}

static void
sluice_op_example_view_init (SluiceOpExampleView *self)
{
  self->expander = gtk_expander_new (_ ("Example"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->expander), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Example"), -1);
  self->box = GTK_BOX (gtk_box_new (GTK_ORIENTATION_VERTICAL, GAP));
  gtk_expander_set_child (GTK_EXPANDER (self->expander), GTK_WIDGET (self->box));
  gtk_widget_set_parent (self->expander, GTK_WIDGET (self));
  g_signal_connect_swapped (self->expander, "notify::expanded", G_CALLBACK (expanded_cb), self);
}

GtkWidget *
sluice_op_example_view_new (const SluiceOp *op)
{
  SluiceOpExampleView *self = g_object_new (SLUICE_TYPE_OP_EXAMPLE_VIEW, NULL);
  self->op = op;
  return GTK_WIDGET (self);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/graph/inspector-pane.h"

typedef struct
{
  GtkWidget *scroller;
  GtkLabel *title, *subtitle;
  SluiceInspectorRows rows;
} SluiceInspectorPanePrivate;

G_DEFINE_TYPE_WITH_PRIVATE (SluiceInspectorPane, sluice_inspector_pane, GTK_TYPE_WIDGET)

static SluiceInspectorPanePrivate *
get_private (SluiceInspectorPane *self)
{
  return sluice_inspector_pane_get_instance_private (self);
}

void
sluice_inspector_pane_clear (SluiceInspectorPane *self)
{
  sluice_inspector_rows_clear (&get_private (self)->rows);
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}

SluiceInspectorRows *
sluice_inspector_pane_begin (SluiceInspectorPane *self, const char *title, const char *subtitle)
{
  SluiceInspectorPanePrivate *p = get_private (self);
  sluice_inspector_rows_clear (&p->rows);
  gtk_label_set_label (p->title, title);
  gtk_label_set_label (p->subtitle, subtitle);
  gtk_widget_set_visible (GTK_WIDGET (self), TRUE);
  return &p->rows;
}

char *
sluice_inspector_pane_dup_text (SluiceInspectorPane *self)
{
  const SluiceInspectorPanePrivate *p = get_private (self);
  return gtk_widget_get_visible (GTK_WIDGET (self))
             ? g_strdup_printf ("%s\n%s\n%s", gtk_label_get_label (p->title),
                                gtk_label_get_label (p->subtitle), p->rows.text->str)
             : g_strdup ("");
}

/* ---- life ---- */

static void
sluice_inspector_pane_dispose (GObject *object)
{
  g_clear_pointer (&get_private (SLUICE_INSPECTOR_PANE (object))->scroller, gtk_widget_unparent);
  G_OBJECT_CLASS (sluice_inspector_pane_parent_class)->dispose (object);
}

static void
sluice_inspector_pane_finalize (GObject *object)
{
  sluice_inspector_rows_free (&get_private (SLUICE_INSPECTOR_PANE (object))->rows);
  G_OBJECT_CLASS (sluice_inspector_pane_parent_class)->finalize (object);
}

static void
sluice_inspector_pane_class_init (SluiceInspectorPaneClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sluice_inspector_pane_dispose;
  G_OBJECT_CLASS (klass)->finalize = sluice_inspector_pane_finalize;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static GtkLabel *
add_label (GtkWidget *box, const char *css)
{
  GtkWidget *label = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_widget_add_css_class (label, css);
  gtk_box_append (GTK_BOX (box), label);
  return GTK_LABEL (label);
}

static void
sluice_inspector_pane_init (SluiceInspectorPane *self)
{
  SluiceInspectorPanePrivate *p = get_private (self);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);
  GtkWidget *rows = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);
  p->scroller = gtk_scrolled_window_new ();
  p->title = add_label (box, "title-4");
  p->subtitle = add_label (box, "dim-label");
  gtk_widget_set_margin_top (rows, 10);
  gtk_box_append (GTK_BOX (box), rows);
  sluice_inspector_rows_init (&p->rows, GTK_BOX (rows));
  gtk_widget_add_css_class (box, "inspector");
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (p->scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (p->scroller), box);
  gtk_widget_set_parent (p->scroller, GTK_WIDGET (self));
  gtk_widget_add_css_class (GTK_WIDGET (self), "side-pane");
  gtk_widget_add_css_class (GTK_WIDGET (self), "inspector-pane");
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}

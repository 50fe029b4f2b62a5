/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/text-card.h"

#include "ui/chart/ticks.h"
#include "ui/common/widget.h"

#include <glib/gi18n-lib.h>

struct _SluiceTextCard
{
  SluiceCard parent_instance;
  GtkWidget *text_label;
};

G_DEFINE_FINAL_TYPE (SluiceTextCard, sluice_text_card, SLUICE_TYPE_CARD)

static void
sluice_text_card_class_init (SluiceTextCardClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  gtk_widget_class_set_css_name (widget_class, "textcard");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
sluice_text_card_init (SluiceTextCard *self)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();
  GtkWidget *box = sluice_card_add_box (SLUICE_CARD (self));

  self->text_label = gtk_label_new (NULL);
  gtk_label_set_selectable (GTK_LABEL (self->text_label), TRUE);
  gtk_label_set_wrap (GTK_LABEL (self->text_label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (self->text_label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_xalign (GTK_LABEL (self->text_label), 0);
  gtk_label_set_yalign (GTK_LABEL (self->text_label), 0);
  gtk_widget_set_vexpand (scroller, TRUE);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), self->text_label);
  sluice_widget_chain_wheel (GTK_SCROLLED_WINDOW (scroller));
  gtk_box_append (GTK_BOX (box), scroller);
}

GtkWidget *
sluice_text_card_new (const char *title)
{
  return g_object_new (SLUICE_TYPE_TEXT_CARD, "title", title, NULL);
}

static void
set_step (SluiceTextCard *self, gint64 step)
{
  g_autofree char *number = sluice_format_step (step);
  g_autofree char *label = g_strdup_printf (_ ("step %s"), number);

  sluice_card_set_note (SLUICE_CARD (self), label);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, label,
                                  -1);
}

void
sluice_text_card_set (SluiceTextCard *self, gint64 step, const char *text)
{
  g_return_if_fail (SLUICE_IS_TEXT_CARD (self));

  set_step (self, step);
  gtk_label_set_text (GTK_LABEL (self->text_label), text);
}

void
sluice_text_card_set_markup (SluiceTextCard *self, gint64 step, const char *markup)
{
  g_return_if_fail (SLUICE_IS_TEXT_CARD (self));

  set_step (self, step);
  gtk_label_set_markup (GTK_LABEL (self->text_label), markup);
}

const char *
sluice_text_card_get_text (SluiceTextCard *self)
{
  g_return_val_if_fail (SLUICE_IS_TEXT_CARD (self), "");

  return gtk_label_get_text (GTK_LABEL (self->text_label));
}

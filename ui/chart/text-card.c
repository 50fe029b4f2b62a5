/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/text-card.h"

#include "ui/chart/ticks.h"
#include "ui/common/widget.h"

#include <glib/gi18n-lib.h>

struct _SluiceTextCard
{
  GtkWidget parent_instance;
  GdkTexture *ground;

  GtkWidget *box;
  GtkWidget *title_label;
  GtkWidget *step_label;
  GtkWidget *text_label;
};

G_DEFINE_FINAL_TYPE (SluiceTextCard, sluice_text_card, GTK_TYPE_WIDGET)

enum
{
  PROP_0,
  PROP_TITLE,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

static void
sluice_text_card_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  SluiceTextCard *self = SLUICE_TEXT_CARD (widget);

  sluice_snapshot_card_ground (snapshot, widget, &self->ground);
  gtk_widget_snapshot_child (widget, self->box, snapshot);
}

static void
sluice_text_card_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (sluice_text_card_parent_class)->css_changed (widget, change);
  g_clear_object (&SLUICE_TEXT_CARD (widget)->ground);
  gtk_widget_queue_draw (widget);
}

static void
sluice_text_card_dispose (GObject *object)
{
  SluiceTextCard *self = SLUICE_TEXT_CARD (object);

  g_clear_pointer (&self->box, gtk_widget_unparent);
  g_clear_object (&self->ground);
  G_OBJECT_CLASS (sluice_text_card_parent_class)->dispose (object);
}

static void
sluice_text_card_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_TITLE)
    g_value_set_string (value,
                        gtk_label_get_label (GTK_LABEL (SLUICE_TEXT_CARD (object)->title_label)));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
sluice_text_card_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  const char *title = g_value_get_string (value);

  if (id != PROP_TITLE)
    {
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      return;
    }
  title = title != NULL ? title : "";
  gtk_label_set_label (GTK_LABEL (SLUICE_TEXT_CARD (object)->title_label), title);
  gtk_accessible_update_property (GTK_ACCESSIBLE (object), GTK_ACCESSIBLE_PROPERTY_LABEL, title,
                                  -1);
}

static void
sluice_text_card_class_init (SluiceTextCardClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = sluice_text_card_dispose;
  object_class->get_property = sluice_text_card_get_property;
  object_class->set_property = sluice_text_card_set_property;
  widget_class->snapshot = sluice_text_card_snapshot;
  widget_class->css_changed = sluice_text_card_css_changed;

  properties[PROP_TITLE] =
      g_param_spec_string ("title", NULL, NULL, "", G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  gtk_widget_class_set_css_name (widget_class, "textcard");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
}

static void
sluice_text_card_init (SluiceTextCard *self)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();

  self->box = sluice_card_new_box (&self->title_label, &self->step_label);
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
  gtk_box_append (GTK_BOX (self->box), scroller);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
}

GtkWidget *
sluice_text_card_new (const char *title)
{
  return g_object_new (SLUICE_TYPE_TEXT_CARD, "title", title, NULL);
}

void
sluice_text_card_set (SluiceTextCard *self, gint64 step, const char *text)
{
  g_autofree char *number = NULL;
  g_autofree char *label = NULL;

  g_return_if_fail (SLUICE_IS_TEXT_CARD (self));

  number = sluice_format_step (step);
  label = g_strdup_printf (_ ("step %s"), number);
  gtk_label_set_label (GTK_LABEL (self->step_label), label);
  gtk_label_set_label (GTK_LABEL (self->text_label), text);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, label,
                                  -1);
}

const char *
sluice_text_card_get_text (SluiceTextCard *self)
{
  g_return_val_if_fail (SLUICE_IS_TEXT_CARD (self), "");

  return gtk_label_get_label (GTK_LABEL (self->text_label));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n.h>

#include "app/timeline/timeline-private.h"
#include "ui/common/mode-bar.h"

/* What stands under the lanes: one of a few ways to look further, with a title and a sentence. */

static const struct
{
  SluiceMode mode;
  void (*show) (SluiceTimelinePage *self);
} modes[] = {
  { { "memory", N_ ("Memory") }, sluice_timeline_page_show_memory },
  { { "compare", N_ ("Compare") }, sluice_timeline_page_show_compared },
  { { "heat", N_ ("Heat map") }, sluice_timeline_page_show_heat },
  { { "predicted", N_ ("Predicted") }, sluice_timeline_page_show_predicted },
  { { "report", N_ ("Why slow") }, sluice_timeline_page_show_report },
  { { "notes", N_ ("Notes") }, sluice_timeline_page_show_notes },
  { { "none", N_ ("Lanes only") }, NULL },
};

static guint
find_mode (const char *name)
{
  guint i = 0;
  while (i < G_N_ELEMENTS (modes) && g_strcmp0 (modes[i].mode.name, name) != 0)
    i++;
  return i;
}

gboolean
sluice_timeline_page_is_lower (SluiceTimelinePage *self, const char *mode)
{
  return g_strcmp0 (self->lower, mode) == 0;
}

void
sluice_timeline_page_say_lower (SluiceTimelinePage *self,
                                const char *mode,
                                const char *title,
                                const char *words,
                                gboolean has_content)
{
  if (!sluice_timeline_page_is_lower (self, mode))
    return;
  gtk_label_set_label (self->lower_title, title);
  gtk_label_set_label (self->lower_words, words);
  gtk_widget_set_visible (GTK_WIDGET (self->lower_stack), has_content);
  gtk_widget_set_vexpand (self->lanes_overlay,
                          !has_content || !gtk_widget_get_visible (self->lower_box));
}

void
sluice_timeline_page_cover_lower (SluiceTimelinePage *self, gboolean covers)
{
  gboolean has_content = gtk_widget_get_visible (GTK_WIDGET (self->lower_stack));
  gtk_widget_set_visible (self->lower_box, !covers);
  gtk_widget_set_vexpand (self->lanes_overlay, covers || !has_content);
}

void
sluice_timeline_page_show_lower (SluiceTimelinePage *self)
{
  guint i = find_mode (self->lower);
  if (modes[i].show != NULL)
    {
      modes[i].show (self);
      return;
    }
  sluice_timeline_page_say_lower (self, self->lower, "", "", FALSE);
}

void
sluice_timeline_page_set_lower (SluiceTimelinePage *self, const char *mode)
{
  guint i = find_mode (mode);
  if (i == G_N_ELEMENTS (modes) || !sluice_page_renew_text (&self->lower, mode))
    return;
  if (modes[i].show != NULL)
    gtk_stack_set_visible_child_name (self->lower_stack, mode);
  sluice_mode_bar_set_word (self->lower_modes, _ (modes[i].mode.word));
  sluice_timeline_page_show_lower (self);
  if (g_strcmp0 (mode, "compare") != 0)
    sluice_lanes_set_ghosts (self->lanes, NULL);
  g_object_notify (G_OBJECT (self), "lower");
}

/* The next one, by a key. */
void
sluice_timeline_page_turn_lower (SluiceTimelinePage *self)
{
  guint i = find_mode (self->lower);
  sluice_timeline_page_set_lower (self, modes[(i + 1) % G_N_ELEMENTS (modes)].mode.name);
}

static GtkWidget *
make_head (SluiceTimelinePage *self)
{
  GtkWidget *head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  SluiceMode told[G_N_ELEMENTS (modes)];
  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    told[i] = modes[i].mode;
  self->lower_title = GTK_LABEL (gtk_label_new (NULL));
  self->lower_words = GTK_LABEL (gtk_label_new (NULL));
  self->lower_modes =
      SLUICE_MODE_BAR (sluice_mode_bar_new ("timeline.lower", told, G_N_ELEMENTS (told)));
  gtk_label_set_xalign (self->lower_title, 0);
  gtk_label_set_ellipsize (self->lower_title, PANGO_ELLIPSIZE_END);
  gtk_label_set_xalign (self->lower_words, 0);
  gtk_label_set_wrap (self->lower_words, TRUE);
  gtk_label_set_wrap_mode (self->lower_words, PANGO_WRAP_WORD_CHAR);
  gtk_widget_set_hexpand (GTK_WIDGET (self->lower_words), TRUE);
  gtk_widget_add_css_class (GTK_WIDGET (self->lower_title), "timeline-lower-title");
  gtk_widget_add_css_class (GTK_WIDGET (self->lower_words), "numeric");
  gtk_widget_add_css_class (head, "timeline-lower-head");
  gtk_box_append (GTK_BOX (head), GTK_WIDGET (self->lower_title));
  gtk_box_append (GTK_BOX (head), GTK_WIDGET (self->lower_words));
  gtk_box_append (GTK_BOX (head), GTK_WIDGET (self->lower_modes));
  return head;
}

GtkWidget *
sluice_timeline_page_make_lower (SluiceTimelinePage *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  self->lower_box = box;
  self->lower_stack = GTK_STACK (gtk_stack_new ());
  gtk_stack_set_vhomogeneous (self->lower_stack, FALSE);
  gtk_stack_add_named (self->lower_stack, sluice_timeline_page_make_memory (self), "memory");
  gtk_stack_add_named (self->lower_stack, sluice_timeline_page_make_compared (self), "compare");
  gtk_stack_add_named (self->lower_stack, sluice_timeline_page_make_heat (self), "heat");
  gtk_stack_add_named (self->lower_stack, sluice_timeline_page_make_predicted (self), "predicted");
  gtk_stack_add_named (self->lower_stack, sluice_timeline_page_make_report (self), "report");
  gtk_stack_add_named (self->lower_stack, sluice_timeline_page_make_notes (self), "notes");
  gtk_widget_set_vexpand (GTK_WIDGET (self->lower_stack), TRUE);
  gtk_widget_set_visible (GTK_WIDGET (self->lower_stack), FALSE);
  gtk_box_append (GTK_BOX (box), gtk_separator_new (GTK_ORIENTATION_HORIZONTAL));
  gtk_box_append (GTK_BOX (box), make_head (self));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->lower_stack));
  return box;
}

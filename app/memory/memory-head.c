/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What the page consists of, and what stands around its bands. */
#include <adwaita.h>
#include <glib/gi18n.h>

#include "app/memory/memory-legend.h"
#include "app/memory/memory-private.h"
#include "app/memory/memory-words.h"
#include "ui/chart/ticks.h"
#include "ui/common/bar-layout.h"
#include "ui/common/widget.h"
#include "ui/common/wrap.h"
#include "ui/timeline/memory-draw.h"

/* ---- the head ---- */

static void
device_chosen_cb (SluiceMemoryPage *self)
{
  GtkStringObject *item = gtk_drop_down_get_selected_item (self->device);
  if (!self->fills && item != NULL)
    sluice_memory_page_choose_device (self, gtk_string_object_get_string (item));
}

static GtkWidget *
make_step_button (const char *icon, const char *action, const char *tip)
{
  GtkWidget *button = gtk_button_new_from_icon_name (icon);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  gtk_widget_set_tooltip_text (button, tip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, tip, -1);
  return button;
}

static GtkWidget *
make_steps (SluiceMemoryPage *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  self->step_label = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_width_chars (self->step_label, 12);
  gtk_widget_add_css_class (GTK_WIDGET (self->step_label), "memory-step");
  gtk_widget_add_css_class (GTK_WIDGET (self->step_label), "numeric");
  gtk_widget_add_css_class (box, "linked");
  gtk_box_append (GTK_BOX (box), make_step_button ("go-previous-symbolic", "memory.before-step",
                                                   _ ("The recorded step before")));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->step_label));
  gtk_box_append (GTK_BOX (box), make_step_button ("go-next-symbolic", "memory.next-step",
                                                   _ ("Next recorded step")));
  return box;
}

static GtkWidget *
make_head (SluiceMemoryPage *self)
{
  GtkWidget *head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 10);
  GtkWidget *live = gtk_toggle_button_new_with_label (_ ("Live"));
  self->device = GTK_DROP_DOWN (gtk_drop_down_new (NULL, NULL));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->device), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Device"), -1);
  gtk_widget_set_tooltip_text (live, _ ("Record a step now and then and show the newest (L)"));
  gtk_actionable_set_action_name (GTK_ACTIONABLE (live), "memory.live");
  gtk_widget_add_css_class (live, "timeline-live");
  self->sum = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_xalign (self->sum, 1);
  gtk_label_set_ellipsize (self->sum, PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (GTK_WIDGET (self->sum), TRUE);
  gtk_widget_add_css_class (GTK_WIDGET (self->sum), "numeric");
  gtk_box_append (GTK_BOX (head), GTK_WIDGET (self->device));
  gtk_box_append (GTK_BOX (head), make_steps (self));
  gtk_box_append (GTK_BOX (head), live);
  gtk_box_append (GTK_BOX (head), GTK_WIDGET (self->sum));
  gtk_widget_add_css_class (head, "memory-head");
  g_signal_connect_swapped (self->device, "notify::selected", G_CALLBACK (device_chosen_cb), self);
  return head;
}

/* ---- what is said ---- */

static void
fill_devices (SluiceMemoryPage *self)
{
  const SluiceMemoryTape *shown = sluice_memory_view_get_tape (self->shown->view);
  g_autoptr (GtkStringList) devices = gtk_string_list_new (NULL);
  guint at = 0;
  for (guint i = 0; i < self->tapes->len; i++)
    {
      const SluiceMemoryTape *tape = self->tapes->pdata[i];
      if (tape->step != shown->step)
        continue;
      if (g_str_equal (tape->device, shown->device))
        at = g_list_model_get_n_items (G_LIST_MODEL (devices));
      gtk_string_list_append (devices, tape->device);
    }
  self->fills = TRUE;
  gtk_drop_down_set_model (self->device, G_LIST_MODEL (devices));
  gtk_drop_down_set_selected (self->device, at);
  self->fills = FALSE;
}

void
sluice_memory_page_fill_head (SluiceMemoryPage *self)
{
  const SluiceMemoryView *view = self->shown->view;
  const SluiceMemoryTape *tape = sluice_memory_view_get_tape (view);
  gboolean is_whole;
  g_autofree char *number = sluice_format_step ((gint64) tape->step);
  g_autofree char *step = g_strdup_printf (_ ("step %s"), number);
  g_autofree char *sum = sluice_memory_words_sum (view, &is_whole);
  g_autofree char *said = is_whole ? g_strdup_printf ("%s ✓", sum) : g_strdup (sum);
  g_autofree char *why = sluice_memory_words_refusal (view);
  const char *rescue = self->shown->rescue;
  g_autofree char *refusal =
      why != NULL && rescue != NULL ? g_strdup_printf ("%s %s", why, rescue) : g_strdup (why);
  fill_devices (self);
  GtkWidget *free = gtk_label_new (_ ("hatched: free"));
  sluice_memory_legend_fill (self->legend, view);
  gtk_widget_add_css_class (free, "dim-label");
  sluice_wrap_append (SLUICE_WRAP (self->legend), free);
  gtk_label_set_label (self->step_label, step);
  gtk_label_set_label (self->sum, said);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->sum), sum);
  gtk_label_set_label (self->refusal, refusal != NULL ? refusal : "");
  gtk_widget_set_visible (GTK_WIDGET (self->refusal), refusal != NULL);
}

/* ---- the page ---- */

static GtkWidget *
make_addresses (SluiceMemoryPage *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);
  GtkWidget *words = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 14);
  GtkWidget *title = gtk_label_new (_ ("Addresses"));
  self->map_time = GTK_LABEL (gtk_label_new (NULL));
  self->map_words = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_xalign (self->map_words, 1);
  gtk_label_set_ellipsize (self->map_words, PANGO_ELLIPSIZE_START);
  gtk_widget_set_hexpand (GTK_WIDGET (self->map_words), TRUE);
  gtk_widget_add_css_class (title, "memory-title");
  gtk_widget_add_css_class (GTK_WIDGET (self->map_time), "dim-label");
  gtk_widget_add_css_class (GTK_WIDGET (self->map_words), "numeric");
  gtk_box_append (GTK_BOX (words), title);
  gtk_box_append (GTK_BOX (words), GTK_WIDGET (self->map_time));
  gtk_box_append (GTK_BOX (words), GTK_WIDGET (self->map_words));
  gtk_box_append (GTK_BOX (box), words);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->strip));
  gtk_widget_add_css_class (box, "memory-addresses");
  return box;
}

GtkWidget *
sluice_memory_page_make (SluiceMemoryPage *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *scroller = gtk_scrolled_window_new ();
  self->head = make_head (self);
  self->legend = sluice_memory_legend_new ();
  self->refusal = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_wrap (self->refusal, TRUE);
  gtk_label_set_xalign (self->refusal, 0);
  gtk_widget_add_css_class (GTK_WIDGET (self->refusal), "memory-refusal");
  gtk_widget_add_css_class (self->legend, "memory-legend");
  gtk_widget_set_vexpand (GTK_WIDGET (self->bands), TRUE);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_min_content_height (GTK_SCROLLED_WINDOW (scroller), 150);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), GTK_WIDGET (self->table));
  gtk_widget_set_vexpand (scroller, TRUE);
  gtk_box_append (GTK_BOX (box), self->head);
  gtk_box_append (GTK_BOX (box), gtk_separator_new (GTK_ORIENTATION_HORIZONTAL));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->refusal));
  gtk_box_append (GTK_BOX (box), self->legend);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->bands));
  gtk_box_append (GTK_BOX (box), gtk_separator_new (GTK_ORIENTATION_HORIZONTAL));
  gtk_box_append (GTK_BOX (box), make_addresses (self));
  gtk_box_append (GTK_BOX (box), gtk_separator_new (GTK_ORIENTATION_HORIZONTAL));
  gtk_box_append (GTK_BOX (box), sluice_memory_page_make_fit (self));
  gtk_box_append (GTK_BOX (box), scroller);
  return box;
}

GtkWidget *
sluice_memory_page_make_empty (SluiceMemoryPage *self)
{
  GtkWidget *page = adw_status_page_new (), *button = gtk_button_new ();
  adw_status_page_set_icon_name (ADW_STATUS_PAGE (page), "sluice-memory-symbolic");
  adw_status_page_set_title (ADW_STATUS_PAGE (page), _ ("No step recorded yet"));
  adw_status_page_set_description (
      ADW_STATUS_PAGE (page),
      _ ("Who holds which memory, when and where, appears here as soon as a step runs while this "
         "page is seen."));
  gtk_button_set_label (GTK_BUTTON (button), _ ("Train one step"));
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "win.step");
  gtk_widget_set_halign (button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (button, "pill");
  gtk_widget_add_css_class (button, "suggested-action");
  adw_status_page_set_child (ADW_STATUS_PAGE (page), button);
  self->empty_step = button;
  return page;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/timeline/report.h"

#include <glib/gi18n.h>

#include "engine/trace/bottleneck.h"
#include "ui/chart/ticks.h"

struct _SluiceTimelineReport
{
  GtkWidget parent;
  GtkWidget *scroller;
  GtkListBox *list;
  GString *text; /* of the rows */
};

G_DEFINE_FINAL_TYPE (SluiceTimelineReport, sluice_timeline_report, GTK_TYPE_WIDGET)

static guint finding_chosen_signal;

/* ---- rows ---- */

static GtkWidget *
make_label (const char *text, const char *css_class)
{
  GtkWidget *label = gtk_label_new (text);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  if (css_class != NULL)
    gtk_widget_add_css_class (label, css_class);
  return label;
}

static GtkWidget *
make_row (const SluiceBottleneck *one)
{
  GtkWidget *row = gtk_list_box_row_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *words = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  g_autofree char *share = sluice_format_tick (one->share, 0.01, SLUICE_UNIT_PERCENT);
  g_autofree char *all = g_strdup_printf ("%s %s", one->words, one->remedy);
  GtkWidget *figure = gtk_label_new (share);
  gtk_label_set_width_chars (GTK_LABEL (figure), 6);
  gtk_label_set_xalign (GTK_LABEL (figure), 1);
  gtk_label_set_yalign (GTK_LABEL (figure), 0);
  gtk_widget_add_css_class (figure, "numeric");
  gtk_widget_set_hexpand (words, TRUE);
  gtk_box_append (GTK_BOX (words), make_label (one->words, NULL));
  gtk_box_append (GTK_BOX (words), make_label (one->remedy, "dim-label"));
  gtk_box_append (GTK_BOX (box), figure);
  gtk_box_append (GTK_BOX (box), words);
  gtk_widget_add_css_class (box, "timeline-finding");
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, all, -1);
  return row;
}

char *
sluice_timeline_report_dup_words (const GPtrArray *found, guint n_steps)
{
  if (found == NULL)
    return g_strdup (_ ("Looking for what makes steps slow …"));
  if (found->len == 0)
    return g_strdup_printf (ngettext ("%u step: nothing costs as much as %.0f %% of it",
                                      "%u steps: nothing costs as much as %.0f %% of one", n_steps),
                            n_steps, 100 * SLUICE_BOTTLENECK_MIN);
  return n_steps > 0 ? g_strdup_printf (
             ngettext ("What makes %u step slow or large, the worst first",
                       "What makes %u steps slow or large, the worst first", n_steps),
             n_steps)
                     : g_strdup (_ ("What takes long in this trace"));
}

void
sluice_timeline_report_show (SluiceTimelineReport *self, const GPtrArray *found)
{
  for (GtkListBoxRow *row; (row = gtk_list_box_get_row_at_index (self->list, 0)) != NULL;)
    gtk_list_box_remove (self->list, GTK_WIDGET (row));
  g_string_truncate (self->text, 0);
  for (guint i = 0; found != NULL && i < found->len; i++)
    {
      const SluiceBottleneck *one = found->pdata[i];
      gtk_list_box_append (self->list, make_row (one));
      g_string_append_printf (self->text, "%s\t%s\t%s\n", sluice_bottleneck_kind_name (one->kind),
                              one->words, one->remedy);
    }
}

void
sluice_timeline_report_focus (SluiceTimelineReport *self)
{
  GtkListBoxRow *first = gtk_list_box_get_row_at_index (self->list, 0);
  if (first == NULL)
    return;
  gtk_list_box_select_row (self->list, first);
  gtk_widget_grab_focus (GTK_WIDGET (first));
}

char *
sluice_timeline_report_dup_text (SluiceTimelineReport *self)
{
  return g_strdup (self->text->str);
}

/* ---- life ---- */

static void
activated_cb (SluiceTimelineReport *self, GtkListBoxRow *row)
{
  g_signal_emit (self, finding_chosen_signal, 0, (guint) gtk_list_box_row_get_index (row));
}

static void
sluice_timeline_report_dispose (GObject *object)
{
  g_clear_pointer (&SLUICE_TIMELINE_REPORT (object)->scroller, gtk_widget_unparent);
  G_OBJECT_CLASS (sluice_timeline_report_parent_class)->dispose (object);
}

static void
sluice_timeline_report_finalize (GObject *object)
{
  g_string_free (SLUICE_TIMELINE_REPORT (object)->text, TRUE);
  G_OBJECT_CLASS (sluice_timeline_report_parent_class)->finalize (object);
}

static void
sluice_timeline_report_class_init (SluiceTimelineReportClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = sluice_timeline_report_dispose;
  G_OBJECT_CLASS (klass)->finalize = sluice_timeline_report_finalize;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  finding_chosen_signal =
      g_signal_new ("finding-chosen", SLUICE_TYPE_TIMELINE_REPORT, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                    NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
}

static void
sluice_timeline_report_init (SluiceTimelineReport *self)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();
  self->text = g_string_new (NULL);
  self->scroller = scroller;
  self->list = GTK_LIST_BOX (gtk_list_box_new ());
  gtk_list_box_set_activate_on_single_click (self->list, TRUE);
  gtk_widget_add_css_class (GTK_WIDGET (self->list), "timeline-report");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("What makes steps slow or large"), -1);
  g_signal_connect_swapped (self->list, "row-activated", G_CALLBACK (activated_cb), self);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), GTK_WIDGET (self->list));
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_widget_set_parent (scroller, GTK_WIDGET (self));
}

GtkWidget *
sluice_timeline_report_new (void)
{
  return g_object_new (SLUICE_TYPE_TIMELINE_REPORT, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n.h>

#include "app/timeline/timeline-private.h"
#include "engine/trace/trace-import.h"
#include "engine/trace/trace-remarks.h"
#include "ui/common/number.h"

/* A trace that a file holds, of this program or of another one, instead of the run's. */

typedef struct
{
  char *path;
  gint64 step; /* that somebody wants to see; 0: all of it */
  guint number;
  const char *format;
  GArray *remarks; /* of SluiceTraceRemark */
} Opening;

static void
opening_free (gpointer data)
{
  Opening *opening = data;
  g_free (opening->path);
  g_array_unref (opening->remarks);
  g_free (opening);
}

static void
picture_unref (gpointer picture)
{
  sluice_step_picture_unref (picture);
}

static void
open_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Opening *opening = data;
  GError *error = NULL;
  SluiceTraceView *view =
      sluice_trace_open (opening->path, &opening->format, opening->remarks, &error);
  if (view != NULL)
    g_task_return_pointer (task, sluice_step_picture_new_of_view (view), picture_unref);
  else
    g_task_return_error (task, error);
}

static void
say (SluiceTimelinePage *self, const char *words)
{
  gtk_label_set_label (self->file_label, words);
  gtk_widget_set_visible (self->file_bar, TRUE);
}

/* What there is, and all that was not understood. */
static char *
dup_words (const Opening *opening, const SluiceStepPicture *picture)
{
  GString *words = g_string_new (NULL);
  guint64 n = sluice_trace_view_get_n_spans (picture->view);
  g_autofree char *name = g_path_get_basename (opening->path);
  g_autofree char *spans = sluice_format_step ((gint64) n);
  g_string_append_printf (words, ngettext ("%s · %s · %s span", "%s · %s · %s spans", (gulong) n),
                          name, opening->format, spans);
  for (guint i = 0; i < opening->remarks->len; i++)
    {
      const SluiceTraceRemark *remark = &g_array_index (opening->remarks, SluiceTraceRemark, i);
      g_autofree char *count = sluice_format_step ((gint64) remark->n);
      g_string_append_printf (words, " · %s: %s", remark->what, count);
    }
  return g_string_free (words, FALSE);
}

/* That step, or the one nearest to it. */
static void
show_nearest_step (SluiceTimelinePage *self, gint64 step)
{
  const GArray *steps = self->picture->steps;
  const SluiceTraceStep *best = NULL;
  for (guint i = 0; i < steps->len; i++)
    {
      const SluiceTraceStep *at = &g_array_index (steps, SluiceTraceStep, i);
      if (best == NULL || ABS ((gint64) at->step - step) < ABS ((gint64) best->step - step))
        best = at;
    }
  if (best != NULL)
    sluice_timeline_page_show_step (self, best->step);
}

static void
open_done (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceTimelinePage *self = SLUICE_TIMELINE_PAGE (object);
  const Opening *opening = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceStepPicture) picture = g_task_propagate_pointer (G_TASK (result), &error);
  if (self->states == NULL || opening->number != self->n_opened)
    return; /* the page goes, or another file was opened */
  self->opening = FALSE;
  g_autofree char *words = picture != NULL ? dup_words (opening, picture)
                                           : g_strdup_printf (_ ("“%s” is not shown: %s"),
                                                              opening->path, error->message);
  say (self, words);
  if (picture == NULL)
    return;
  g_free (self->file);
  self->file = g_strdup (opening->path);
  sluice_timeline_page_set_live (self, FALSE);
  sluice_timeline_page_take_picture (self, picture);
  sluice_lanes_show_all (self->lanes);
  if (opening->step > 0)
    show_nearest_step (self, opening->step);
}

static void
open_at (SluiceTimelinePage *self, const char *path, gint64 step)
{
  Opening *opening = g_new0 (Opening, 1);
  opening->path = g_strdup (path);
  opening->step = step;
  opening->number = ++self->n_opened;
  opening->remarks = sluice_trace_remarks_new ();
  self->opening = TRUE;
  g_autoptr (GTask) task = g_task_new (self, NULL, open_done, NULL);
  g_task_set_task_data (task, opening, opening_free);
  g_task_run_in_thread (task, open_in_worker);
}

void
sluice_timeline_page_open (SluiceTimelinePage *self, const char *path)
{
  open_at (self, path, 0);
}

static gboolean
timeline_page_show_moment (SluicePage *page, const SluiceKeptMoment *moment)
{
  if (moment->path == NULL)
    return FALSE;
  open_at (SLUICE_TIMELINE_PAGE (page), moment->path, moment->step);
  return TRUE;
}

void
sluice_timeline_page_init_moment (SluicePageInterface *iface)
{
  iface->show_moment = timeline_page_show_moment;
}

void
sluice_timeline_page_close_file (SluiceTimelinePage *self)
{
  gtk_widget_set_visible (self->file_bar, FALSE);
  self->n_opened++;
  self->opening = FALSE;
  if (self->file == NULL)
    return;
  g_clear_pointer (&self->file, g_free);
  sluice_timeline_page_clear (self);
  sluice_timeline_page_set_live (self, TRUE);
}

GtkWidget *
sluice_timeline_page_make_file_bar (SluiceTimelinePage *self)
{
  GtkWidget *close = gtk_button_new_with_label (_ ("Back to the run"));
  self->file_bar = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  self->file_label = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_xalign (self->file_label, 0);
  gtk_label_set_wrap (self->file_label, TRUE);
  gtk_label_set_wrap_mode (self->file_label, PANGO_WRAP_WORD_CHAR);
  gtk_widget_set_hexpand (GTK_WIDGET (self->file_label), TRUE);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (close), "timeline.close-file");
  gtk_widget_set_valign (close, GTK_ALIGN_CENTER);
  gtk_box_append (GTK_BOX (self->file_bar), GTK_WIDGET (self->file_label));
  gtk_box_append (GTK_BOX (self->file_bar), close);
  gtk_widget_add_css_class (self->file_bar, "import-bar");
  gtk_widget_set_visible (self->file_bar, FALSE);
  return self->file_bar;
}

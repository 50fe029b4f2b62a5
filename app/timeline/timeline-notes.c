/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n.h>

#include "app/graph/node-words.h"
#include "app/timeline/timeline-private.h"
#include "engine/trace/trace-notes.h"
#include "ui/common/number.h"

/* What somebody wrote to a moment, or to an area: flags over the lanes, and a list. It is kept
 * beside the traces of the run, by step: so it stands in what was kept of it, too. */

/* ---- where and when ---- */

/* When its step began in what is shown. FALSE: it is not there */
static gboolean
get_begin (SluiceTimelinePage *self, guint64 step, gint64 *begin)
{
  const SluiceTraceStep *shown = sluice_step_picture_find (self->picture, step);
  gint64 end;
  if (step == 0 && self->picture->steps->len == 0)
    sluice_trace_view_get_extent (self->picture->view, begin, &end);
  else if (shown != NULL)
    *begin = shown->start;
  return shown != NULL || (step == 0 && self->picture->steps->len == 0);
}

/* The step that runs then, else the last that has begun, else the first; 0: there is none. */
static guint64
find_step (SluiceTimelinePage *self, gint64 time)
{
  const GArray *steps = self->picture->steps;
  guint64 found = steps->len > 0 ? g_array_index (steps, SluiceTraceStep, 0).step : 0;
  for (guint i = 0; i < steps->len; i++)
    if (g_array_index (steps, SluiceTraceStep, i).start <= time)
      found = g_array_index (steps, SluiceTraceStep, i).step;
  return found;
}

/* (transfer full) (nullable): nothing is shown that notes are kept of */
static char *
dup_path (SluiceTimelinePage *self)
{
  SluiceStore *store =
      self->workspace != NULL ? sluice_workspace_get_store (self->workspace) : NULL;
  gint64 run = self->controller != NULL ? sluice_run_controller_get_run (self->controller) : 0;
  if (self->file != NULL)
    return sluice_trace_notes_dup_path_of (self->file);
  if (store == NULL || run <= 0)
    return NULL;
  g_autofree char *folder = sluice_store_dup_run_folder (store, run);
  return sluice_trace_notes_dup_path (folder);
}

/* ---- what is shown ---- */

static void
say (SluiceTimelinePage *self)
{
  guint n = self->notes != NULL ? self->notes->len : 0;
  g_autofree char *count = g_strdup_printf (ngettext ("%u note", "%u notes", n), n);
  const char *words = self->notes_failure != NULL ? self->notes_failure
                      : n > 0                     ? count
                              : _ ("Shift+N writes one, to the area or to where the pointer is.");
  sluice_timeline_page_say_lower (self, "notes", _ ("Notes"), words, self->notes != NULL);
}

static void
clear_note (gpointer data)
{
  g_free (((SluiceLanesNote *) data)->text);
}

static void
show_flags (SluiceTimelinePage *self)
{
  g_autoptr (GArray) flags = g_array_new (FALSE, FALSE, sizeof (SluiceLanesNote));
  g_array_set_clear_func (flags, clear_note);
  for (guint i = 0; self->picture != NULL && self->notes != NULL && i < self->notes->len; i++)
    {
      const SluiceTraceNote *note = self->notes->pdata[i];
      gint64 begin;
      if (!get_begin (self, note->step, &begin))
        continue;
      const SluiceLanesNote flag = { begin + note->from, begin + note->to, g_strdup (note->text) };
      g_array_append_val (flags, flag);
    }
  sluice_lanes_set_notes (self->lanes, flags);
}

static char *
dup_when (const SluiceTraceNote *note)
{
  g_autofree char *step = sluice_format_step ((gint64) note->step);
  g_autofree char *from = sluice_words_duration ((double) note->from / 1000);
  return note->step > 0 ? g_strdup_printf (_ ("step %s · %s"), step, from)
                        : g_steal_pointer (&from);
}

static void
add_row (SluiceTimelinePage *self, const SluiceTraceNote *note, guint place)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  g_autofree char *when = dup_when (note);
  GtkWidget *at = gtk_label_new (when), *text = gtk_label_new (note->text);
  GtkWidget *remove = gtk_button_new_from_icon_name ("user-trash-symbolic");
  gtk_widget_add_css_class (at, "dim-label");
  gtk_widget_add_css_class (at, "numeric");
  gtk_label_set_xalign (GTK_LABEL (text), 0);
  gtk_label_set_wrap (GTK_LABEL (text), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (text), PANGO_WRAP_WORD_CHAR);
  gtk_widget_set_hexpand (text, TRUE);
  gtk_widget_add_css_class (remove, "flat");
  gtk_widget_set_valign (remove, GTK_ALIGN_CENTER);
  gtk_widget_set_tooltip_text (remove, _ ("Remove the note"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (remove), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Remove the note"), -1);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (remove), "timeline.remove-note");
  gtk_actionable_set_action_target (GTK_ACTIONABLE (remove), "u", place);
  gtk_box_append (GTK_BOX (box), at);
  gtk_box_append (GTK_BOX (box), text);
  gtk_box_append (GTK_BOX (box), remove);
  gtk_list_box_append (self->notes_list, box);
}

static void
fill_list (SluiceTimelinePage *self)
{
  GtkListBoxRow *row;
  while ((row = gtk_list_box_get_row_at_index (self->notes_list, 0)) != NULL)
    gtk_list_box_remove (self->notes_list, GTK_WIDGET (row));
  for (guint i = 0; self->notes != NULL && i < self->notes->len; i++)
    add_row (self, self->notes->pdata[i], i);
}

static void
read_notes (SluiceTimelinePage *self)
{
  g_autoptr (GError) error = NULL;
  g_clear_pointer (&self->notes, g_ptr_array_unref);
  g_clear_pointer (&self->notes_failure, g_free);
  if (self->notes_path != NULL)
    self->notes = sluice_trace_notes_read (self->notes_path, &error);
  if (error != NULL)
    self->notes_failure = g_strdup (error->message);
  fill_list (self);
}

void
sluice_timeline_page_show_notes (SluiceTimelinePage *self)
{
  g_autofree char *path = self->picture != NULL ? dup_path (self) : NULL;
  if (sluice_page_renew_text (&self->notes_path, path))
    read_notes (self);
  show_flags (self);
  say (self);
}

/* ---- by a person ---- */

static void
write_notes (SluiceTimelinePage *self)
{
  g_autoptr (GError) error = NULL;
  g_clear_pointer (&self->notes_failure, g_free);
  if (!sluice_trace_notes_write (self->notes, self->notes_path, &error))
    self->notes_failure = g_strdup (error->message);
  fill_list (self);
  show_flags (self);
  say (self);
}

/* The area that is marked, or the moment at the pointer. */
static void
choose_time (SluiceTimelinePage *self)
{
  SluiceLanesArea area;
  self->note_from = self->note_to = sluice_lanes_get_pointed (self->lanes);
  if (sluice_lanes_get_area (self->lanes, &area))
    {
      self->note_from = area.from;
      self->note_to = area.to;
    }
}

static void
entered_cb (SluiceTimelinePage *self)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->notes_entry));
  gint64 begin;
  if (*text == '\0' || self->picture == NULL || self->notes == NULL)
    return;
  if (!self->note_is_asked)
    choose_time (self);
  guint64 step = find_step (self, self->note_from);
  if (!get_begin (self, step, &begin))
    return;
  g_ptr_array_add (self->notes, sluice_trace_note_new (step, self->note_from - begin,
                                                       self->note_to - begin, text));
  self->note_is_asked = FALSE;
  gtk_editable_set_text (GTK_EDITABLE (self->notes_entry), "");
  write_notes (self);
  gtk_widget_grab_focus (GTK_WIDGET (self->lanes));
}

void
sluice_timeline_page_write_note (SluiceTimelinePage *self)
{
  if (self->picture != NULL)
    {
      sluice_timeline_page_touch (self);
      choose_time (self);
      self->note_is_asked = TRUE;
    }
  if (gtk_revealer_get_reveal_child (self->table_revealer))
    sluice_timeline_page_cover_lower (self, FALSE); /* the sums of the area stay */
  sluice_timeline_page_set_lower (self, "notes");
  gtk_widget_grab_focus (self->notes_entry);
}

void
sluice_timeline_page_remove_note (SluiceTimelinePage *self, guint place)
{
  if (self->notes == NULL || place >= self->notes->len)
    return;
  g_ptr_array_remove_index (self->notes, place);
  write_notes (self);
}

static void
row_activated_cb (SluiceTimelinePage *self, GtkListBoxRow *row)
{
  const SluiceTraceNote *note = self->notes->pdata[gtk_list_box_row_get_index (row)];
  if (note->step != 0 && sluice_step_picture_find (self->picture, note->step) != NULL)
    sluice_timeline_page_show_step (self, note->step);
}

/* ---- life ---- */

void
sluice_timeline_page_drop_notes (SluiceTimelinePage *self)
{
  g_clear_pointer (&self->notes, g_ptr_array_unref);
  g_clear_pointer (&self->notes_path, g_free);
  g_clear_pointer (&self->notes_failure, g_free);
}

static GtkWidget *
make_entry (SluiceTimelinePage *self)
{
  self->notes_entry = gtk_entry_new ();
  gtk_entry_set_placeholder_text (GTK_ENTRY (self->notes_entry), _ ("Note"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->notes_entry), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Note"), -1);
  gtk_widget_add_css_class (self->notes_entry, "timeline-note");
  g_signal_connect_swapped (self->notes_entry, "activate", G_CALLBACK (entered_cb), self);
  return self->notes_entry;
}

GtkWidget *
sluice_timeline_page_make_notes (SluiceTimelinePage *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *scroller = gtk_scrolled_window_new (), *list = gtk_list_box_new ();
  self->notes_list = GTK_LIST_BOX (list);
  gtk_list_box_set_selection_mode (self->notes_list, GTK_SELECTION_NONE);
  gtk_widget_add_css_class (list, "timeline-notes");
  gtk_accessible_update_property (GTK_ACCESSIBLE (list), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Notes"),
                                  -1);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), list);
  gtk_scrolled_window_set_min_content_height (GTK_SCROLLED_WINDOW (scroller), 120);
  gtk_widget_set_vexpand (scroller, TRUE);
  g_signal_connect_swapped (list, "row-activated", G_CALLBACK (row_activated_cb), self);
  gtk_box_append (GTK_BOX (box), make_entry (self));
  gtk_box_append (GTK_BOX (box), scroller);
  return box;
}

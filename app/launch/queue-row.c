/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/launch/queue-row.h"

#include <glib/gi18n.h>

#include "app/launch/queue-view-private.h"
#include "app/runs/run-cells.h"
#include "ui/common/widget.h"

static void
name_widget (GtkWidget *widget, const char *name)
{
  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

/* ---- buttons ---- */

static void
away_cb (SluiceQueueRow *row)
{
  sluice_queue_worker_drop (row->view->context->queue, row->run);
}

/* Only after the one above, or when its turn comes. The button shows what is so, not what was
 * asked for. */
static void
after_cb (SluiceQueueRow *row)
{
  const SluiceQueueEntry *entry = sluice_queue_view_find_waiting (row->view, row->run);
  if (entry != NULL)
    sluice_queue_worker_set_after (row->view->context->queue, row->run,
                                   entry->after != 0 ? 0 : row->above);
  sluice_queue_view_update (row->view);
}

/* ---- dragging ---- */

static GdkContentProvider *
drag_prepare_cb (GtkDragSource *source, double x, double y, SluiceQueueRow *row)
{
  if (!sluice_queue_view_is_waiting (row->view, row->run))
    return NULL;
  g_autoptr (GdkPaintable) picture = gtk_widget_paintable_new (row->row);
  gtk_drag_source_set_icon (source, picture, 0, 0);
  return gdk_content_provider_new_typed (G_TYPE_INT64, row->run);
}

/* A line where it would come to stand. */
static void
mark_place (SluiceQueueRow *row, const char *place)
{
  gtk_widget_remove_css_class (row->row, "launch-drop-before");
  gtk_widget_remove_css_class (row->row, "launch-drop-after");
  if (place != NULL)
    gtk_widget_add_css_class (row->row, place);
}

static gboolean
is_upper_half (SluiceQueueRow *row, double y)
{
  return y < gtk_widget_get_height (row->row) / 2.0;
}

static GdkDragAction
drag_motion_cb (GtkDropTarget *target, double x, double y, SluiceQueueRow *row)
{
  gboolean may = sluice_queue_view_is_waiting (row->view, row->run);
  mark_place (row, !may                     ? NULL
                   : is_upper_half (row, y) ? "launch-drop-before"
                                            : "launch-drop-after");
  return may ? GDK_ACTION_MOVE : 0;
}

static void
drag_leave_cb (GtkDropTarget *target, SluiceQueueRow *row)
{
  mark_place (row, NULL);
}

static gboolean
drop_cb (GtkDropTarget *target, const GValue *value, double x, double y, SluiceQueueRow *row)
{
  gint64 run = g_value_get_int64 (value);
  mark_place (row, NULL);
  if (run == row->run || !sluice_queue_view_is_waiting (row->view, row->run))
    return FALSE;
  row->view->wanted = run;
  sluice_queue_worker_move (row->view->context->queue, run, row->run, is_upper_half (row, y));
  return TRUE;
}

static void
add_dragging (SluiceQueueRow *row, GtkWidget *handle)
{
  GtkDragSource *source = gtk_drag_source_new ();
  GtkDropTarget *target = gtk_drop_target_new (G_TYPE_INT64, GDK_ACTION_MOVE);
  gtk_drag_source_set_actions (source, GDK_ACTION_MOVE);
  g_signal_connect (source, "prepare", G_CALLBACK (drag_prepare_cb), row);
  g_signal_connect (target, "drop", G_CALLBACK (drop_cb), row);
  g_signal_connect (target, "motion", G_CALLBACK (drag_motion_cb), row);
  g_signal_connect (target, "leave", G_CALLBACK (drag_leave_cb), row);
  gtk_widget_add_controller (handle, GTK_EVENT_CONTROLLER (source));
  gtk_widget_add_controller (row->row, GTK_EVENT_CONTROLLER (target));
}

/* ---- making ---- */

/* The buttons of what waits. */
static GtkWidget *
make_end (SluiceQueueRow *row)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  row->after = gtk_toggle_button_new ();
  row->away = gtk_button_new_from_icon_name ("window-close-symbolic");
  gtk_button_set_icon_name (GTK_BUTTON (row->after), "insert-link-symbolic");
  g_signal_connect_swapped (row->after, "clicked", G_CALLBACK (after_cb), row);
  g_signal_connect_swapped (row->away, "clicked", G_CALLBACK (away_cb), row);
  GtkWidget *buttons[] = { row->after, row->away };
  for (guint i = 0; i < G_N_ELEMENTS (buttons); i++)
    {
      gtk_widget_add_css_class (buttons[i], "flat");
      gtk_widget_add_css_class (buttons[i], "launch-reset");
      gtk_widget_set_valign (buttons[i], GTK_ALIGN_CENTER);
      gtk_box_append (GTK_BOX (box), buttons[i]);
    }
  gtk_widget_set_halign (row->away, GTK_ALIGN_END);
  gtk_widget_set_hexpand (row->away, TRUE);
  gtk_widget_set_hexpand (box, FALSE);
  gtk_size_group_add_widget (row->view->ends, box);
  return box;
}

SluiceQueueRow *
sluice_queue_row_add (SluiceQueueView *self)
{
  SluiceQueueRow *row = g_new0 (SluiceQueueRow, 1);
  GtkWidget *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *names = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 7);
  GtkWidget *handle = gtk_image_new_from_icon_name ("list-drag-handle-symbolic");
  row->view = self;
  row->row = gtk_list_box_row_new ();
  row->icon = gtk_image_new ();
  row->dot = sluice_dot_new ();
  row->name = GTK_LABEL (gtk_label_new (NULL));
  row->device = GTK_LABEL (gtk_label_new (NULL));
  gtk_widget_add_css_class (GTK_WIDGET (row->device), "dim-label");
  gtk_widget_add_css_class (GTK_WIDGET (row->device), "launch-small");
  gtk_label_set_xalign (row->name, 0);
  gtk_label_set_ellipsize (row->name, PANGO_ELLIPSIZE_END);
  gtk_label_set_width_chars (row->name, 12);
  gtk_label_set_max_width_chars (row->name, 16);
  gtk_widget_add_css_class (GTK_WIDGET (row->name), "launch-name");
  gtk_widget_add_css_class (handle, "dim-label");
  gtk_widget_set_valign (row->dot, GTK_ALIGN_CENTER);
  row->bar = SLUICE_QUEUE_BAR (sluice_queue_bar_new (&self->scale));
  gtk_widget_set_hexpand (GTK_WIDGET (row->bar), TRUE);
  gtk_box_append (GTK_BOX (names), handle);
  gtk_box_append (GTK_BOX (names), row->icon);
  gtk_box_append (GTK_BOX (names), row->dot);
  gtk_box_append (GTK_BOX (names), GTK_WIDGET (row->name));
  gtk_box_append (GTK_BOX (names), GTK_WIDGET (row->device));
  gtk_size_group_add_widget (self->names, names);
  gtk_box_append (GTK_BOX (line), names);
  gtk_box_append (GTK_BOX (line), GTK_WIDGET (row->bar));
  gtk_box_append (GTK_BOX (line), make_end (row));
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row->row), line);
  add_dragging (row, handle);
  gtk_list_box_append (self->list, row->row);
  g_ptr_array_add (self->rows, row);
  return row;
}

void
sluice_queue_row_remove_last (SluiceQueueView *self)
{
  SluiceQueueRow *row = self->rows->pdata[self->rows->len - 1];
  gtk_list_box_remove (self->list, row->row);
  g_ptr_array_set_size (self->rows, self->rows->len - 1);
}

static void
name_button (GtkWidget *button, const char *words)
{
  gtk_widget_set_tooltip_text (button, words);
  name_widget (button, words);
}

/* entry: (nullable): it does not wait; above: (nullable): what stands above it */
void
sluice_queue_row_show_end (SluiceQueueRow *row,
                           const SluiceQueueEntry *entry,
                           const SluiceRunInfo *above)
{
  row->above = above != NULL ? above->id : 0;
  gtk_widget_set_visible (row->away, entry != NULL);
  gtk_widget_set_visible (row->after, entry != NULL && (entry->after != 0 || above != NULL));
  if (entry == NULL)
    return;
  const char *name = entry->info->name;
  g_autofree char *away = g_strdup_printf (_ ("Take %s out of the queue"), name);
  g_autofree char *after =
      entry->after != 0 ? g_strdup_printf (_ ("%s begins only after %s has finished"), name,
                                           entry->after_name != NULL ? entry->after_name : "–")
                        : g_strdup_printf (_ ("Begin %s only after %s has finished"), name,
                                           above != NULL ? above->name : "");
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (row->after), entry->after != 0);
  name_button (row->after, after);
  name_button (row->away, away);
}

/* "lenet-3, running, 62 % done, ends in 0:48 ± 0:03" */
static void
describe (SluiceQueueRow *row, const char *name, const char *state, const SluiceQueueSpan *span)
{
  g_autofree char *times = sluice_queue_span_words (span);
  g_autofree char *words = g_strdup_printf ("%s, %s, %s", name, state, times);
  name_widget (row->row, words);
  gtk_widget_set_tooltip_text (row->row, words);
}

/* device: (nullable): where it stands, if that was said */
static void
show_device (SluiceQueueRow *row, const char *device)
{
  gtk_label_set_label (row->device, device != NULL ? device : "");
  gtk_widget_set_visible (GTK_WIDGET (row->device), device != NULL);
}

void
sluice_queue_row_show_run (SluiceQueueRow *row,
                           const SluiceRunInfo *info,
                           const SluiceQueueSpan *span)
{
  SluiceColor color = sluice_run_info_get_color (info);
  const SluiceQueueEntry *entry = sluice_queue_view_find_entry (row->view, info->id);
  row->run = info->id;
  gtk_label_set_label (row->name, info->name);
  show_device (row, entry != NULL ? entry->devices : NULL);
  gtk_image_set_from_icon_name (GTK_IMAGE (row->icon), sluice_run_cells_get_icon (info->state));
  sluice_dot_set_color (row->dot, color);
  gtk_widget_set_opacity (row->dot, 1);
  gtk_widget_remove_css_class (row->row, "launch-draft");
  sluice_queue_bar_set (row->bar, span,
                        sluice_queue_is_under_way (info) ? SLUICE_QUEUE_BAR_RUNNING
                                                         : SLUICE_QUEUE_BAR_WAITING,
                        color);
  describe (row, info->name, _ (sluice_run_state_name (info->state)), span);
}

void
sluice_queue_row_show_draft (SluiceQueueRow *row, const SluiceQueueSpan *span)
{
  const SluiceQueueView *self = row->view;
  g_autofree char *name = self->n_draft > 1
                              ? g_strdup_printf ("%s × %u", self->draft_name, self->n_draft)
                              : g_strdup (self->draft_name);
  SluiceColor color = sluice_palette_color (0);
  row->run = 0;
  gtk_label_set_label (row->name, name);
  show_device (row, self->draft_device);
  gtk_image_set_from_icon_name (GTK_IMAGE (row->icon), "document-edit-symbolic");
  sluice_dot_set_color (row->dot, color);
  gtk_widget_set_opacity (row->dot, 0.4);
  gtk_widget_add_css_class (row->row, "launch-draft");
  sluice_queue_bar_set (row->bar, span, SLUICE_QUEUE_BAR_DRAFT, color);
  describe (row, name, _ ("as it would be queued"), span);
}

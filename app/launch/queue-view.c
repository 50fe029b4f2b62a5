/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/launch/queue-view.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <math.h>

#include "app/launch/queue-bar.h"
#include "app/runs/run-cells.h"
#include "app/shortcuts.h"
#include "ui/common/color.h"
#include "ui/common/widget.h"

#define SOON_MS    300 /* from news of the workspace to what is shown of it */
#define SECOND_MS  1000
#define MOST_KNOWN 10 /* runs that tell how long a step takes, newest first */
#define MOST_ROWS  60 /* of a long queue the first ones are drawn */
#define UNDO_S     10 /* so long what was taken out can be had back */

/* A row, which shows one run after the other. */
typedef struct
{
  SluiceQueueView *view;
  GtkWidget *row, *icon, *dot;
  GtkLabel *name, *device;
  SluiceQueueBar *bar;
  GtkWidget *after, *away;
  gint64 run;   /* 0: the draft */
  gint64 above; /* run of the row above; 0: none */
} Row;

struct _SluiceQueueView
{
  GtkBox parent;
  const SluicePageContext *context;
  GtkLabel *summary, *rest;
  GtkWidget *button;
  GtkListBox *list;
  SluiceQueueBar *axis;
  GtkSizeGroup *names; /* what stands before the bars */
  GtkSizeGroup *ends;  /* and behind them */
  GPtrArray *rows;     /* of Row */
  SluiceQueueScale scale;
  gint64 wanted; /* run whose row is to have the focus once it is moved; 0: none */
  guint news;    /* what the workspace has told is shown soon; 0: it is */
  guint source;  /* each second, while time is to be seen to pass; 0: none */

  char *draft_name, *draft_project, *draft_device; /* (nullable) */
  guint n_draft;
  gint64 draft_steps;
  double draft_seconds, draft_spread; /* a step */
};

G_DEFINE_FINAL_TYPE (SluiceQueueView, sluice_queue_view, GTK_TYPE_BOX)

static void
name_widget (GtkWidget *widget, const char *name)
{
  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

/* ---- how long runs take ---- */

/* What the runs of a project that were trained tell. */
static void
find_step_time (SluiceQueueView *self, const char *project, double *seconds, double *spread)
{
  double known[MOST_KNOWN];
  guint n = 0;
  GListModel *runs = sluice_workspace_get_runs (self->context->workspace);
  for (guint i = 0; i < g_list_model_get_n_items (runs) && n < MOST_KNOWN; i++)
    {
      g_autoptr (SluiceRun) run = g_list_model_get_item (runs, i);
      const SluiceRunInfo *info = sluice_run_get_info (run);
      if (info->step > 0 && info->seconds > 0 && g_strcmp0 (info->project, project) == 0)
        known[n++] = info->seconds / (double) info->step;
    }
  *seconds = sluice_queue_step_time (known, n, spread);
}

static gboolean
is_running (const SluiceRunInfo *info)
{
  return info->state == SLUICE_RUN_RUNNING || info->state == SLUICE_RUN_PAUSED;
}

static SluiceQueueItem
item_of_run (SluiceQueueView *self, const SluiceRunInfo *info, double now)
{
  SluiceQueueItem item = { .is_running = is_running (info),
                           .step = info->step,
                           .n_steps = info->n_steps,
                           .started = now - info->seconds };
  find_step_time (self, info->project, &item.step_seconds, &item.step_spread);
  if (item.is_running && info->step > 0 && info->seconds > 0)
    item.step_seconds = info->seconds / (double) info->step;
  return item;
}

static SluiceQueueItem
item_of_draft (SluiceQueueView *self)
{
  SluiceQueueItem item = { .n_steps = self->draft_steps,
                           .step_seconds = self->draft_seconds,
                           .step_spread = self->draft_spread };
  if (isnan (item.step_seconds))
    find_step_time (self, self->draft_project, &item.step_seconds, &item.step_spread);
  return item;
}

/* The run that is trained here stands first, be it of the queue or not. (transfer full)
 * (element-type SluiceRunInfo) */
static GPtrArray *
dup_infos (SluiceQueueView *self)
{
  GPtrArray *infos = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_run_info_free);
  GPtrArray *entries = sluice_queue_worker_get_entries (self->context->queue);
  SluiceRunController *controller = self->context->controller;
  gint64 here = sluice_run_controller_get_run (controller);
  gboolean is_idle = sluice_run_controller_get_state (controller) == SLUICE_CONTROL_IDLE;
  g_autoptr (SluiceRun) run =
      !is_idle && here != 0 ? sluice_workspace_dup_run (self->context->workspace, here) : NULL;
  SluiceProgress progress;
  if (run != NULL && sluice_run_controller_get_progress (controller, &progress))
    {
      SluiceRunInfo *info = sluice_run_info_copy (sluice_run_get_info (run));
      info->step = progress.step;
      info->n_steps = progress.n_steps;
      info->state = progress.state;
      g_ptr_array_add (infos, info);
    }
  for (guint i = 0; i < entries->len && infos->len < MOST_ROWS; i++)
    {
      const SluiceQueueEntry *entry = entries->pdata[i];
      if (run == NULL || entry->info->id != here)
        g_ptr_array_add (infos, sluice_run_info_copy (entry->info));
    }
  return infos;
}

/* ---- actions ---- */

static Row *
get_focused (SluiceQueueView *self)
{
  GtkListBoxRow *selected = gtk_list_box_get_selected_row (self->list);
  for (guint i = 0; i < self->rows->len; i++)
    {
      Row *row = self->rows->pdata[i];
      if (GTK_WIDGET (selected) == row->row)
        return row;
    }
  return NULL;
}

/* (nullable): it is none of the queue. */
static const SluiceQueueEntry *
find_entry (SluiceQueueView *self, gint64 run)
{
  GPtrArray *entries = sluice_queue_worker_get_entries (self->context->queue);
  for (guint i = 0; i < entries->len; i++)
    if (((const SluiceQueueEntry *) entries->pdata[i])->info->id == run)
      return entries->pdata[i];
  return NULL;
}

/* (nullable): it is none of the queue, or under way. */
static const SluiceQueueEntry *
find_waiting (SluiceQueueView *self, gint64 run)
{
  const SluiceQueueEntry *entry = find_entry (self, run);
  return entry != NULL && !is_running (entry->info) ? entry : NULL;
}

static gboolean
is_waiting (SluiceQueueView *self, gint64 run)
{
  return find_waiting (self, run) != NULL;
}

/* by: -1 or 1 */
static void
move_focused (SluiceQueueView *self, int by)
{
  Row *row = get_focused (self);
  GtkListBoxRow *other =
      row != NULL ? gtk_list_box_get_row_at_index (
          self->list, gtk_list_box_row_get_index (GTK_LIST_BOX_ROW (row->row)) + by)
                  : NULL;
  for (guint i = 0; other != NULL && i < self->rows->len; i++)
    {
      const Row *found = self->rows->pdata[i];
      if (found->row != GTK_WIDGET (other) || !is_waiting (self, found->run)
          || !is_waiting (self, row->run))
        continue;
      self->wanted = row->run;
      sluice_queue_worker_move (self->context->queue, row->run, found->run, by < 0);
    }
}

static void
move_up_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  move_focused (SLUICE_QUEUE_VIEW (widget), -1);
}

static void
move_down_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  move_focused (SLUICE_QUEUE_VIEW (widget), 1);
}

static void
drop_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceQueueView *self = SLUICE_QUEUE_VIEW (widget);
  const Row *row = get_focused (self);
  if (row != NULL && is_waiting (self, row->run))
    sluice_queue_worker_drop (self->context->queue, row->run);
}

static void
undo_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceQueueView *self = SLUICE_QUEUE_VIEW (widget);
  self->wanted = sluice_queue_worker_restore (self->context->queue, 0);
}

static void
away_cb (Row *row)
{
  sluice_queue_worker_drop (row->view->context->queue, row->run);
}

static void update (SluiceQueueView *self);

/* Only after the one above, or when its turn comes. The button shows what is so, not what was
 * asked for. */
static void
after_cb (Row *row)
{
  const SluiceQueueEntry *entry = find_waiting (row->view, row->run);
  if (entry != NULL)
    sluice_queue_worker_set_after (row->view->context->queue, row->run,
                                   entry->after != 0 ? 0 : row->above);
  update (row->view);
}

static void
undo_cb (AdwToast *toast, SluiceQueueView *self)
{
  const gint64 *run = g_object_get_data (G_OBJECT (toast), "run");
  sluice_queue_worker_restore (self->context->queue, *run);
}

static void
dropped_cb (SluiceQueueView *self, gint64 run, const char *name)
{
  GtkWidget *toasts = gtk_widget_get_ancestor (GTK_WIDGET (self), ADW_TYPE_TOAST_OVERLAY);
  g_autofree char *words = g_strdup_printf (_ ("“%s” waits no more"), name);
  g_autofree char *markup = g_markup_escape_text (words, -1);
  if (toasts == NULL)
    return;
  AdwToast *toast = adw_toast_new (markup);
  adw_toast_set_button_label (toast, _ ("Undo"));
  adw_toast_set_priority (toast, ADW_TOAST_PRIORITY_HIGH); /* others wait for seconds */
  adw_toast_set_timeout (toast, UNDO_S);
  g_object_set_data_full (G_OBJECT (toast), "run", g_memdup2 (&run, sizeof run), g_free);
  g_signal_connect_object (toast, "button-clicked", G_CALLBACK (undo_cb), self, 0);
  adw_toast_overlay_add_toast (ADW_TOAST_OVERLAY (toasts), toast);
}

/* What the button says is what it does. */
static void
toggle_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceQueueWorker *queue = SLUICE_QUEUE_VIEW (widget)->context->queue;
  if (sluice_queue_worker_get_paused (queue))
    sluice_queue_worker_set_paused (queue, FALSE);
  else if (sluice_queue_worker_get_works (queue))
    sluice_queue_worker_set_paused (queue, TRUE);
  sluice_queue_worker_set_works (queue, TRUE);
}

/* ---- dragging ---- */

static GdkContentProvider *
drag_prepare_cb (GtkDragSource *source, double x, double y, Row *row)
{
  if (!is_waiting (row->view, row->run))
    return NULL;
  g_autoptr (GdkPaintable) picture = gtk_widget_paintable_new (row->row);
  gtk_drag_source_set_icon (source, picture, 0, 0);
  return gdk_content_provider_new_typed (G_TYPE_INT64, row->run);
}

/* A line where it would come to stand. */
static void
mark_place (Row *row, const char *place)
{
  gtk_widget_remove_css_class (row->row, "launch-drop-before");
  gtk_widget_remove_css_class (row->row, "launch-drop-after");
  if (place != NULL)
    gtk_widget_add_css_class (row->row, place);
}

static gboolean
is_upper_half (Row *row, double y)
{
  return y < gtk_widget_get_height (row->row) / 2.0;
}

static GdkDragAction
drag_motion_cb (GtkDropTarget *target, double x, double y, Row *row)
{
  gboolean may = is_waiting (row->view, row->run);
  mark_place (row, !may                     ? NULL
                   : is_upper_half (row, y) ? "launch-drop-before"
                                            : "launch-drop-after");
  return may ? GDK_ACTION_MOVE : 0;
}

static void
drag_leave_cb (GtkDropTarget *target, Row *row)
{
  mark_place (row, NULL);
}

static gboolean
drop_cb (GtkDropTarget *target, const GValue *value, double x, double y, Row *row)
{
  gint64 run = g_value_get_int64 (value);
  mark_place (row, NULL);
  if (run == row->run || !is_waiting (row->view, row->run))
    return FALSE;
  row->view->wanted = run;
  sluice_queue_worker_move (row->view->context->queue, run, row->run, is_upper_half (row, y));
  return TRUE;
}

static void
add_dragging (Row *row, GtkWidget *handle)
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

/* ---- rows ---- */

/* The buttons of what waits. */
static GtkWidget *
make_end (Row *row)
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

static Row *
add_row (SluiceQueueView *self)
{
  Row *row = g_new0 (Row, 1);
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

static void
remove_last_row (SluiceQueueView *self)
{
  Row *row = self->rows->pdata[self->rows->len - 1];
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
static void
show_end (Row *row, const SluiceQueueEntry *entry, const SluiceRunInfo *above)
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
describe (Row *row, const char *name, const char *state, const SluiceQueueSpan *span)
{
  g_autofree char *times = sluice_queue_span_words (span);
  g_autofree char *words = g_strdup_printf ("%s, %s, %s", name, state, times);
  name_widget (row->row, words);
  gtk_widget_set_tooltip_text (row->row, words);
}

/* device: (nullable): where it stands, if that was said */
static void
show_device (Row *row, const char *device)
{
  gtk_label_set_label (row->device, device != NULL ? device : "");
  gtk_widget_set_visible (GTK_WIDGET (row->device), device != NULL);
}

static void
show_run (SluiceQueueView *self, Row *row, const SluiceRunInfo *info, const SluiceQueueSpan *span)
{
  SluiceColor color = sluice_run_info_get_color (info);
  const SluiceQueueEntry *entry = find_entry (self, info->id);
  row->run = info->id;
  gtk_label_set_label (row->name, info->name);
  show_device (row, entry != NULL ? entry->devices : NULL);
  gtk_image_set_from_icon_name (GTK_IMAGE (row->icon), sluice_run_cells_get_icon (info->state));
  sluice_dot_set_color (row->dot, color);
  gtk_widget_set_opacity (row->dot, 1);
  gtk_widget_remove_css_class (row->row, "launch-draft");
  sluice_queue_bar_set (row->bar, span,
                        is_running (info) ? SLUICE_QUEUE_BAR_RUNNING : SLUICE_QUEUE_BAR_WAITING,
                        color);
  describe (row, info->name, _ (sluice_run_state_name (info->state)), span);
}

static void
show_draft (SluiceQueueView *self, Row *row, const SluiceQueueSpan *span)
{
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

static void
focus_wanted (SluiceQueueView *self)
{
  for (guint i = 0; self->wanted != 0 && i < self->rows->len; i++)
    {
      const Row *row = self->rows->pdata[i];
      if (row->run != self->wanted)
        continue;
      gtk_list_box_select_row (self->list, GTK_LIST_BOX_ROW (row->row));
      gtk_widget_grab_focus (row->row);
      self->wanted = 0;
    }
}

/* ---- all of it ---- */

static void
show_summary (SluiceQueueView *self, GPtrArray *infos, const SluiceQueueSpan *spans)
{
  guint n_running = 0;
  double spread, end = sluice_queue_times_get_end (spans, infos->len, &spread);
  for (guint i = 0; i < infos->len; i++)
    n_running += is_running (infos->pdata[i]);
  g_autofree char *ends = sluice_queue_time_words (end, spread);
  g_autofree char *words =
      infos->len == 0 ? g_strdup (_ ("empty: what you add waits here until its turn comes"))
                      : g_strdup_printf (_ ("%u running, %u waiting · empty in %s"), n_running,
                                         infos->len - n_running, ends);
  gtk_label_set_label (self->summary, words);
}

static void
show_button (SluiceQueueView *self)
{
  SluiceQueueWorker *queue = self->context->queue;
  gboolean paused = sluice_queue_worker_get_paused (queue);
  gboolean works = sluice_queue_worker_get_works (queue);
  gtk_button_set_label (GTK_BUTTON (self->button), paused  ? _ ("Resume queue")
                                                   : works ? _ ("Pause queue")
                                                           : _ ("Train what waits"));
  gtk_widget_set_tooltip_text (
      self->button, paused  ? _ ("Nothing more begins while it is paused")
                    : works ? _ ("What is under way goes on; nothing more begins, in no program")
                            : _ ("One run after the other, in this window"));
  gtk_label_set_label (self->rest, paused ? _ ("Paused: nothing more begins")
                                   : !works && sluice_queue_worker_get_entries (queue)->len > 0
                                       ? _ ("This window does not train what waits")
                                       : "");
  gtk_widget_set_visible (GTK_WIDGET (self->rest), *gtk_label_get_label (self->rest) != '\0');
}

static void
show_rows (SluiceQueueView *self, GPtrArray *infos, const SluiceQueueSpan *spans)
{
  guint n = infos->len + (self->n_draft > 0);
  while (self->rows->len < n)
    add_row (self);
  while (self->rows->len > n)
    remove_last_row (self);
  for (guint i = 0; i < infos->len; i++)
    {
      const SluiceRunInfo *info = infos->pdata[i];
      show_run (self, self->rows->pdata[i], info, &spans[i]);
      show_end (self->rows->pdata[i], find_waiting (self, info->id),
                i > 0 ? infos->pdata[i - 1] : NULL);
    }
  if (self->n_draft > 0)
    {
      show_draft (self, self->rows->pdata[infos->len], &spans[infos->len]);
      show_end (self->rows->pdata[infos->len], NULL, NULL);
    }
  focus_wanted (self);
}

static guint
get_after (SluiceQueueView *self, GPtrArray *infos, guint i)
{
  const SluiceQueueEntry *entry =
      find_waiting (self, ((const SluiceRunInfo *) infos->pdata[i])->id);
  for (guint k = 0; entry != NULL && entry->after != 0 && k < infos->len; k++)
    if (((const SluiceRunInfo *) infos->pdata[k])->id == entry->after)
      return k + 1;
  return 0;
}

static void
update (SluiceQueueView *self)
{
  if (!gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  double now = (double) g_get_real_time () / G_USEC_PER_SEC;
  g_autoptr (GPtrArray) infos = dup_infos (self);
  g_autofree SluiceQueueItem *items = g_new0 (SluiceQueueItem, infos->len + 1);
  g_autofree SluiceQueueSpan *spans = g_new0 (SluiceQueueSpan, infos->len + 1);
  for (guint i = 0; i < infos->len; i++)
    {
      items[i] = item_of_run (self, infos->pdata[i], now);
      items[i].after = get_after (self, infos, i);
    }
  items[infos->len] = item_of_draft (self);
  guint n = infos->len + (self->n_draft > 0);
  sluice_queue_times (items, n, now, spans);
  sluice_queue_scale_set (&self->scale, spans, n);
  show_rows (self, infos, spans);
  show_summary (self, infos, spans);
  show_button (self);
  gtk_widget_set_visible (GTK_WIDGET (self->axis), n > 0);
  gtk_widget_queue_draw (GTK_WIDGET (self->axis));
}

static gboolean
second_cb (gpointer data)
{
  SluiceQueueView *self = data;
  if (sluice_run_controller_get_state (self->context->controller) != SLUICE_CONTROL_IDLE)
    update (self);
  return G_SOURCE_CONTINUE;
}

static gboolean
news_cb (gpointer data)
{
  SluiceQueueView *self = data;
  self->news = 0;
  update (self);
  return G_SOURCE_REMOVE;
}

/* Runs that were trained tell how long others take. */
static void
workspace_changed_cb (SluiceQueueView *self)
{
  if (self->news == 0 && gtk_widget_get_mapped (GTK_WIDGET (self)))
    self->news = g_timeout_add (SOON_MS, news_cb, self);
}

gboolean
sluice_queue_view_is_idle (SluiceQueueView *self)
{
  return self->news == 0;
}

static void
sluice_queue_view_map (GtkWidget *widget)
{
  SluiceQueueView *self = SLUICE_QUEUE_VIEW (widget);
  GTK_WIDGET_CLASS (sluice_queue_view_parent_class)->map (widget);
  self->source = g_timeout_add (SECOND_MS, second_cb, self);
  sluice_queue_worker_refresh (self->context->queue);
  update (self);
}

static void
sluice_queue_view_unmap (GtkWidget *widget)
{
  g_clear_handle_id (&SLUICE_QUEUE_VIEW (widget)->source, g_source_remove);
  g_clear_handle_id (&SLUICE_QUEUE_VIEW (widget)->news, g_source_remove);
  GTK_WIDGET_CLASS (sluice_queue_view_parent_class)->unmap (widget);
}

void
sluice_queue_view_set_draft (SluiceQueueView *self,
                             const char *name,
                             const char *project,
                             const char *device,
                             guint n_runs,
                             gint64 n_steps,
                             double step_seconds,
                             double step_spread)
{
  g_free (self->draft_name);
  g_free (self->draft_project);
  g_free (self->draft_device);
  self->draft_device = g_strdup (device);
  self->draft_name = g_strdup (name);
  self->draft_project = g_strdup (project);
  self->n_draft = n_runs;
  self->draft_steps = n_steps;
  self->draft_seconds = step_seconds;
  self->draft_spread = step_spread;
  update (self);
}

/* ---- life ---- */

static GtkWidget *
make_head (SluiceQueueView *self)
{
  GtkWidget *head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 10);
  GtkWidget *title = gtk_label_new (_ ("Queue"));
  gtk_widget_add_css_class (title, "launch-heading");
  self->summary = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_xalign (self->summary, 0);
  gtk_label_set_wrap (self->summary, TRUE);
  gtk_widget_set_hexpand (GTK_WIDGET (self->summary), TRUE);
  gtk_widget_add_css_class (GTK_WIDGET (self->summary), "dim-label");
  gtk_widget_add_css_class (GTK_WIDGET (self->summary), "launch-small");
  self->button = gtk_button_new_with_label (_ ("Pause queue"));
  gtk_widget_set_valign (self->button, GTK_ALIGN_CENTER);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->button), "queue.toggle");
  gtk_box_append (GTK_BOX (head), title);
  gtk_box_append (GTK_BOX (head), GTK_WIDGET (self->summary));
  gtk_box_append (GTK_BOX (head), self->button);
  gtk_widget_add_css_class (head, "launch-line");
  return head;
}

static GtkWidget *
make_axis (SluiceQueueView *self)
{
  GtkWidget *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *blank = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  GtkWidget *end = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  self->axis = SLUICE_QUEUE_BAR (sluice_queue_bar_new (&self->scale));
  gtk_widget_set_hexpand (GTK_WIDGET (self->axis), TRUE);
  gtk_size_group_add_widget (self->names, blank);
  gtk_box_append (GTK_BOX (line), blank);
  gtk_box_append (GTK_BOX (line), GTK_WIDGET (self->axis));
  gtk_box_append (GTK_BOX (line), end);
  gtk_size_group_add_widget (self->ends, end);
  gtk_widget_add_css_class (line, "launch-axis");
  return line;
}

GtkWidget *
sluice_queue_view_new (const SluicePageContext *context)
{
  SluiceQueueView *self =
      g_object_new (SLUICE_TYPE_QUEUE_VIEW, "orientation", GTK_ORIENTATION_VERTICAL, NULL);
  self->context = context;
  self->names = gtk_size_group_new (GTK_SIZE_GROUP_HORIZONTAL);
  self->ends = gtk_size_group_new (GTK_SIZE_GROUP_HORIZONTAL);
  gtk_box_append (GTK_BOX (self), make_head (self));
  gtk_box_append (GTK_BOX (self), make_axis (self));
  self->list = GTK_LIST_BOX (gtk_list_box_new ());
  name_widget (GTK_WIDGET (self->list), _ ("Queue"));
  gtk_widget_add_css_class (GTK_WIDGET (self->list), "launch-queue");
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->list));
  self->rest = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_xalign (self->rest, 0);
  gtk_label_set_wrap (self->rest, TRUE);
  gtk_widget_add_css_class (GTK_WIDGET (self->rest), "launch-note");
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->rest));
  gtk_widget_add_css_class (GTK_WIDGET (self), "launch-card");
  g_signal_connect_object (context->queue, "changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (context->queue, "dropped", G_CALLBACK (dropped_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (context->controller, "changed", G_CALLBACK (update), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (context->workspace, "changed", G_CALLBACK (workspace_changed_cb), self,
                           G_CONNECT_SWAPPED);
  return GTK_WIDGET (self);
}

static void
sluice_queue_view_finalize (GObject *object)
{
  SluiceQueueView *self = SLUICE_QUEUE_VIEW (object);
  g_clear_object (&self->names);
  g_clear_object (&self->ends);
  g_ptr_array_unref (self->rows);
  g_free (self->draft_name);
  g_free (self->draft_project);
  g_free (self->draft_device);
  G_OBJECT_CLASS (sluice_queue_view_parent_class)->finalize (object);
}

static void
sluice_queue_view_class_init (SluiceQueueViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->finalize = sluice_queue_view_finalize;
  widget_class->map = sluice_queue_view_map;
  widget_class->unmap = sluice_queue_view_unmap;
  gtk_widget_class_install_action (widget_class, "queue.up", NULL, move_up_action);
  gtk_widget_class_install_action (widget_class, "queue.down", NULL, move_down_action);
  gtk_widget_class_install_action (widget_class, "queue.drop", NULL, drop_action);
  gtk_widget_class_install_action (widget_class, "queue.undo", NULL, undo_action);
  gtk_widget_class_install_action (widget_class, "queue.toggle", NULL, toggle_action);
  sluice_shortcuts_bind (widget_class, "queue.");
}

static void
sluice_queue_view_init (SluiceQueueView *self)
{
  self->rows = g_ptr_array_new_with_free_func (g_free);
}

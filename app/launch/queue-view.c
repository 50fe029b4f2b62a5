/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/launch/queue-view-private.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <math.h>

#include "app/launch/queue-row.h"
#include "app/shortcuts.h"
#include "ui/common/color.h"
#include "ui/common/widget.h"

#define SOON_MS    300 /* from news of the workspace to what is shown of it */
#define SECOND_MS  1000
#define MOST_KNOWN 10 /* runs that tell how long a step takes, newest first */
#define MOST_ROWS  60 /* of a long queue the first ones are drawn */
#define UNDO_S     10 /* so long what was taken out can be had back */

G_DEFINE_FINAL_TYPE (SluiceQueueView, sluice_queue_view, GTK_TYPE_BOX)

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

gboolean
sluice_queue_is_under_way (const SluiceRunInfo *info)
{
  return info->state == SLUICE_RUN_RUNNING || info->state == SLUICE_RUN_PAUSED;
}

static SluiceQueueItem
item_of_run (SluiceQueueView *self, const SluiceRunInfo *info, double now)
{
  SluiceQueueItem item = { .is_running = sluice_queue_is_under_way (info),
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

static SluiceQueueRow *
get_focused (SluiceQueueView *self)
{
  GtkListBoxRow *selected = gtk_list_box_get_selected_row (self->list);
  for (guint i = 0; i < self->rows->len; i++)
    {
      SluiceQueueRow *row = self->rows->pdata[i];
      if (GTK_WIDGET (selected) == row->row)
        return row;
    }
  return NULL;
}

/* (nullable): it is none of the queue. */
const SluiceQueueEntry *
sluice_queue_view_find_entry (SluiceQueueView *self, gint64 run)
{
  GPtrArray *entries = sluice_queue_worker_get_entries (self->context->queue);
  for (guint i = 0; i < entries->len; i++)
    if (((const SluiceQueueEntry *) entries->pdata[i])->info->id == run)
      return entries->pdata[i];
  return NULL;
}

/* (nullable): it is none of the queue, or under way. */
const SluiceQueueEntry *
sluice_queue_view_find_waiting (SluiceQueueView *self, gint64 run)
{
  const SluiceQueueEntry *entry = sluice_queue_view_find_entry (self, run);
  return entry != NULL && !sluice_queue_is_under_way (entry->info) ? entry : NULL;
}

gboolean
sluice_queue_view_is_waiting (SluiceQueueView *self, gint64 run)
{
  return sluice_queue_view_find_waiting (self, run) != NULL;
}

/* by: -1 or 1 */
static void
move_focused (SluiceQueueView *self, int by)
{
  SluiceQueueRow *row = get_focused (self);
  GtkListBoxRow *other =
      row != NULL ? gtk_list_box_get_row_at_index (
          self->list, gtk_list_box_row_get_index (GTK_LIST_BOX_ROW (row->row)) + by)
                  : NULL;
  for (guint i = 0; other != NULL && i < self->rows->len; i++)
    {
      const SluiceQueueRow *found = self->rows->pdata[i];
      if (found->row != GTK_WIDGET (other) || !sluice_queue_view_is_waiting (self, found->run)
          || !sluice_queue_view_is_waiting (self, row->run))
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
  const SluiceQueueRow *row = get_focused (self);
  if (row != NULL && sluice_queue_view_is_waiting (self, row->run))
    sluice_queue_worker_drop (self->context->queue, row->run);
}

static void
undo_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceQueueView *self = SLUICE_QUEUE_VIEW (widget);
  self->wanted = sluice_queue_worker_restore (self->context->queue, 0);
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

static void
focus_wanted (SluiceQueueView *self)
{
  for (guint i = 0; self->wanted != 0 && i < self->rows->len; i++)
    {
      const SluiceQueueRow *row = self->rows->pdata[i];
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
    n_running += sluice_queue_is_under_way (infos->pdata[i]);
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
    sluice_queue_row_add (self);
  while (self->rows->len > n)
    sluice_queue_row_remove_last (self);
  for (guint i = 0; i < infos->len; i++)
    {
      const SluiceRunInfo *info = infos->pdata[i];
      sluice_queue_row_show_run (self->rows->pdata[i], info, &spans[i]);
      sluice_queue_row_show_end (self->rows->pdata[i],
                                 sluice_queue_view_find_waiting (self, info->id),
                                 i > 0 ? infos->pdata[i - 1] : NULL);
    }
  if (self->n_draft > 0)
    {
      sluice_queue_row_show_draft (self->rows->pdata[infos->len], &spans[infos->len]);
      sluice_queue_row_show_end (self->rows->pdata[infos->len], NULL, NULL);
    }
  focus_wanted (self);
}

static guint
get_after (SluiceQueueView *self, GPtrArray *infos, guint i)
{
  const SluiceQueueEntry *entry =
      sluice_queue_view_find_waiting (self, ((const SluiceRunInfo *) infos->pdata[i])->id);
  for (guint k = 0; entry != NULL && entry->after != 0 && k < infos->len; k++)
    if (((const SluiceRunInfo *) infos->pdata[k])->id == entry->after)
      return k + 1;
  return 0;
}

void
sluice_queue_view_update (SluiceQueueView *self)
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
    sluice_queue_view_update (self);
  return G_SOURCE_CONTINUE;
}

static gboolean
news_cb (gpointer data)
{
  SluiceQueueView *self = data;
  self->news = 0;
  sluice_queue_view_update (self);
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
  sluice_queue_view_update (self);
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
  sluice_queue_view_update (self);
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
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Queue"), -1);
  gtk_widget_add_css_class (GTK_WIDGET (self->list), "launch-queue");
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->list));
  self->rest = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_xalign (self->rest, 0);
  gtk_label_set_wrap (self->rest, TRUE);
  gtk_widget_add_css_class (GTK_WIDGET (self->rest), "launch-note");
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->rest));
  gtk_widget_add_css_class (GTK_WIDGET (self), "launch-card");
  g_signal_connect_object (context->queue, "changed", G_CALLBACK (sluice_queue_view_update), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (context->queue, "dropped", G_CALLBACK (dropped_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (context->controller, "changed", G_CALLBACK (sluice_queue_view_update),
                           self, G_CONNECT_SWAPPED);
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

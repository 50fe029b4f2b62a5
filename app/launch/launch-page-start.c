/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/launch/launch-page-private.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "app/failure-words.h"
#include "app/shortcuts.h"
#include "app/status-text.h"
#include "ui/chart/ticks.h"

/* From the last change to the check, which reads the project and the files of its runs. */
#define CHECK_MS 150
/* Of a sweep, as a bar's length: more are as many. */
#define MOST_STEPS ((gint64) 1 << 53)

/* ---- what is asked for ---- */

/* A setting of the project, or what is said that the run needs; its device is both. */
static void
add_assignment (SluiceLaunchRow *row,
                const char *assignment,
                GStrvBuilder *settings,
                GStrvBuilder *needs)
{
  gboolean is_need = sluice_launch_row_is_need (row);
  gboolean is_options = sluice_launch_row_is_device_options (row);
  const char *need = is_need ? strchr (assignment, '.') + 1 : NULL;
  g_autofree char *setting = is_options || sluice_launch_row_is_device (row)
                                 ? g_strconcat ("train.", need, NULL)
                                 : g_strdup (is_need ? NULL : assignment);
  if (setting != NULL)
    g_strv_builder_add (settings, setting);
  if (is_need && !is_options)
    g_strv_builder_add (needs, need);
}

/* (transfer full) */
static SluiceLaunchJob *
new_job (SluiceLaunchPage *self)
{
  SluiceLaunchJob *job = g_new0 (SluiceLaunchJob, 1);
  g_autoptr (GStrvBuilder) assignments = g_strv_builder_new ();
  g_autoptr (GStrvBuilder) values = g_strv_builder_new ();
  g_autoptr (GStrvBuilder) needs = g_strv_builder_new ();
  for (guint i = 0; i < self->rows->len; i++)
    {
      guint64 count;
      g_autofree char *assignment = sluice_launch_row_dup_assignment (self->rows->pdata[i]);
      const char *varied = sluice_launch_row_get_values (self->rows->pdata[i], &count);
      if (assignment != NULL)
        add_assignment (self->rows->pdata[i], assignment, assignments, needs);
      if (varied != NULL)
        g_strv_builder_add (values, varied);
    }
  g_autofree char *name = g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (self->name))));
  job->folder = g_strdup (self->source->folder);
  job->title = g_strdup (self->source->title);
  job->assignments = g_strv_builder_end (assignments);
  job->values = g_strv_builder_end (values);
  job->needs = g_strv_builder_end (needs);
  job->checkpoint = g_strdup (sluice_launch_page_get_file (self));
  job->partly = gtk_check_button_get_active (GTK_CHECK_BUTTON (self->partly));
  job->name = *name != '\0' ? g_steal_pointer (&name) : NULL;
  sluice_launch_page_get_origin (self, &job->parent, &job->parent_step);
  job->halves = gtk_switch_get_active (GTK_SWITCH (self->halve)) && job->values[0] != NULL
                && job->parent == 0;
  return job;
}

/* The product, G_MAXUINT64 where it is more. words: (out) (transfer full): "3 × 2" */
static guint64
count_runs (SluiceLaunchPage *self, char **words)
{
  GString *text = g_string_new (NULL);
  guint64 n = 1;
  for (guint i = 0; i < self->rows->len; i++)
    {
      guint64 count;
      if (sluice_launch_row_get_values (self->rows->pdata[i], &count) == NULL)
        continue;
      g_string_append_printf (text, "%s%" G_GUINT64_FORMAT, text->len > 0 ? " × " : "", count);
      if (!g_uint64_checked_mul (&n, n, count))
        n = G_MAXUINT64;
    }
  *words = g_string_free (text, FALSE);
  return n;
}

static gboolean
has_wrong_row (SluiceLaunchPage *self)
{
  for (guint i = 0; i < self->rows->len; i++)
    if (sluice_launch_row_is_wrong (self->rows->pdata[i]))
      return TRUE;
  return FALSE;
}

/* ---- what may be done now ---- */

static void
label_start (SluiceLaunchPage *self)
{
  g_autofree char *label =
      self->n_runs > 1 && self->n_runs <= SLUICE_SWEEP_MAX_TRIALS ? g_strdup_printf (
          ngettext ("Start %u run", "Start %u runs", (guint) self->n_runs), (guint) self->n_runs)
                                                                  : g_strdup (_ ("Start 1 run"));
  gtk_button_set_label (GTK_BUTTON (self->start_button), label);
}

static void
count_changed (SluiceLaunchPage *self)
{
  guint n = 0;
  for (guint i = 0; i < self->rows->len; i++)
    n += sluice_launch_row_is_changed (self->rows->pdata[i]);
  g_autofree char *label = g_strdup_printf (_ ("Reset all %u"), n);
  gtk_button_set_label (GTK_BUTTON (self->reset_all), label);
  gtk_widget_set_visible (self->reset_all, n > 1);
}

void
sluice_launch_page_update (SluiceLaunchPage *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  gint64 run, step;
  gboolean has_form = self->form != NULL && self->context != NULL
                      && sluice_workspace_get_store (self->context->workspace) != NULL;
  /* Who is quicker than the check is told at the start what it would have said. */
  gboolean may_be = self->verdict != NULL || self->timeout != 0 || self->latest != NULL;
  gboolean ok = has_form && may_be && self->n_jobs == 0 && !self->is_refused
                && sluice_launch_page_get_origin (self, &run, &step);
  gboolean idle =
      self->context != NULL
      && sluice_run_controller_get_state (self->context->controller) == SLUICE_CONTROL_IDLE;
  label_start (self);
  gtk_widget_action_set_enabled (widget, "launch.start", ok && idle);
  gtk_widget_action_set_enabled (widget, "launch.add-to-queue", ok);
  gtk_widget_action_set_enabled (widget, "launch.check-again", self->context != NULL);
  gtk_widget_set_tooltip_text (
      self->start_button, idle ? _ ("Begins now (Ctrl+Return)")
                               : _ ("A run is under way: add this to the queue, or stop that one"));
}

gboolean
sluice_launch_page_is_idle (SluiceLaunchPage *self)
{
  return self->timeout == 0 && self->latest == NULL && self->n_jobs == 0
         && sluice_launch_page_is_kept (self)
         && (self->form == NULL
             || (sluice_preflight_card_is_idle (self->preflight)
                 && sluice_queue_view_is_idle (self->queue)))
         && (self->context == NULL || sluice_queue_worker_is_settled (self->context->queue)
             || sluice_workspace_get_store (self->context->workspace) == NULL);
}

/* ---- the check: may it be begun, is it new? ---- */

typedef struct
{
  SluiceLaunchJob *job;
  SluiceStore *store;
} Work;

static void
work_free (gpointer data)
{
  Work *work = data;
  sluice_launch_job_free (work->job);
  g_object_unref (work->store);
  g_free (work);
}

/* (transfer full) (nullable): the workspace is not open. */
static Work *
new_work (SluiceLaunchPage *self)
{
  SluiceStore *store = sluice_workspace_get_store (self->context->workspace);
  if (store == NULL)
    return NULL;
  Work *work = g_new (Work, 1);
  *work = (Work){ new_job (self), g_object_ref (store) };
  return work;
}

static void
check_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Work *work = data;
  GError *error = NULL;
  SluiceLaunchVerdict *verdict = sluice_launch_job_check (work->job, work->store, &error);
  if (verdict != NULL)
    g_task_return_pointer (task, verdict, (GDestroyNotify) sluice_launch_verdict_free);
  else
    g_task_return_error (task, error);
}

static void
say (SluiceLaunchPage *self, const char *words, gboolean is_error)
{
  gtk_label_set_label (self->said, words);
  gtk_widget_remove_css_class (GTK_WIDGET (self->said), is_error ? "dim-label" : "error");
  gtk_widget_add_css_class (GTK_WIDGET (self->said), is_error ? "error" : "dim-label");
}

static void
say_verdict (SluiceLaunchPage *self)
{
  const SluiceLaunchVerdict *v = self->verdict;
  g_autofree char *words =
      v->n_runs > 1 ? g_strdup (_ ("named by what they vary, in one group"))
      : v->repeated != NULL
          ? g_strdup_printf (_ ("This repeats “%s”: with the same graph, data, settings and seed "
                                "its numbers are the same to the last bit"),
                             v->repeated)
          : g_strdup (_ ("No run so far had these settings"));
  say (self, words, FALSE);
  gtk_entry_set_placeholder_text (GTK_ENTRY (self->name),
                                  v->name != NULL ? v->name : _ ("a free one"));
  gtk_widget_set_visible (self->seed_button, v->repeated != NULL && self->seed_row != NULL);
  if (v->metric == NULL)
    return;
  gint64 parent, step;
  sluice_launch_page_get_origin (self, &parent, &step);
  gtk_widget_set_sensitive (self->halve, parent == 0);
  g_autofree char *halves =
      parent != 0        ? g_strdup (_ ("not of runs that begin where another one stood"))
      : v->rungs != NULL ? g_strdup_printf (_ ("by %s, at steps %s"), v->metric, v->rungs)
                         : g_strdup_printf (_ ("by %s"), v->metric);
  gtk_label_set_label (self->halve_said, halves);
}

static gint64
get_last_step (SluiceLaunchPage *self, const SluiceLaunchJob *job)
{
  gint64 n_steps = self->n_steps;
  for (guint i = 0; job->assignments[i] != NULL; i++)
    if (g_str_has_prefix (job->assignments[i], "train.steps="))
      n_steps = g_ascii_strtoll (strchr (job->assignments[i], '=') + 1, NULL, 10);
  return n_steps;
}

gint64
sluice_launch_page_get_last_step (SluiceLaunchPage *self)
{
  g_autoptr (SluiceLaunchJob) job = new_job (self);
  return get_last_step (self, job);
}

char *
sluice_launch_page_dup_variety (SluiceLaunchPage *self)
{
  g_autofree char *words = NULL;
  count_runs (self, &words);
  return *words != '\0' ? g_steal_pointer (&words) : NULL;
}

/* Of one run, from where it begins. */
static double
count_steps (SluiceLaunchPage *self, const SluiceLaunchJob *job)
{
  return (double) (get_last_step (self, job) - job->parent_step);
}

/* Where it would stand in the queue, were it added now. */
static void
show_draft (SluiceLaunchPage *self)
{
  g_autoptr (SluiceLaunchJob) job = new_job (self);
  double part = self->verdict != NULL ? self->verdict->part : 1;
  double all = part * (double) self->n_runs * count_steps (self, job);
  SluiceQueueNeeds needs;
  sluice_launch_job_get_needs (job, &needs, NULL);
  sluice_queue_view_set_draft (
      self->queue, job->name != NULL ? job->name : job->title, self->source->project, needs.devices,
      self->is_refused ? 0 : (guint) self->n_runs, (gint64) MIN (all, (double) MOST_STEPS),
      self->step_seconds, self->step_spread);
}

/* The queue says what the pre-flight says. */
static void
looked_cb (SluiceLaunchPage *self)
{
  double seconds, spread;
  sluice_preflight_card_get_finish (self->preflight, &seconds, &spread);
  self->step_seconds = seconds / MAX (self->looked_steps, 1);
  self->step_spread = spread / MAX (self->looked_steps, 1);
  show_draft (self);
}

void
sluice_launch_page_follow_preflight (SluiceLaunchPage *self)
{
  self->step_seconds = self->step_spread = NAN;
  g_signal_connect_object (self->preflight, "looked", G_CALLBACK (looked_cb), self,
                           G_CONNECT_SWAPPED);
}

/* At the first of a sweep's runs, which differ in what was asked for. */
static void
look (SluiceLaunchPage *self)
{
  g_autoptr (SluiceLaunchJob) job = new_job (self);
  self->looked_steps = count_steps (self, job);
  sluice_preflight_card_set_runs (self->preflight, self->n_runs, self->verdict->part);
  SluiceQueueNeeds needs;
  sluice_launch_job_get_needs (job, &needs, NULL);
  sluice_preflight_card_check (self->preflight, job->folder, job->assignments,
                               sluice_workspace_get_folder (self->context->workspace),
                               job->checkpoint, needs.devices);
}

static void
check_done (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceLaunchPage *self = SLUICE_LAUNCH_PAGE (object);
  g_autoptr (GError) error = NULL;
  SluiceLaunchVerdict *verdict = g_task_propagate_pointer (G_TASK (result), &error);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  g_clear_object (&self->latest);
  g_clear_pointer (&self->verdict, sluice_launch_verdict_free);
  self->verdict = verdict;
  if (verdict != NULL)
    {
      say_verdict (self);
      look (self);
      if (verdict->part < 1)
        show_draft (self);
    }
  else
    {
      g_autofree char *words = sluice_failure_words (error);
      say (self, words, TRUE);
      gtk_widget_set_visible (self->seed_button, FALSE);
    }
  sluice_launch_page_update (self);
}

static gboolean
check_cb (gpointer data)
{
  SluiceLaunchPage *self = data;
  self->timeout = 0;
  Work *work = new_work (self);
  if (work == NULL)
    {
      self->timeout = g_timeout_add (CHECK_MS, check_cb, self); /* until it is open */
      return G_SOURCE_REMOVE;
    }
  self->latest = g_cancellable_new ();
  g_autoptr (GTask) task = g_task_new (self, self->latest, check_done, NULL);
  g_task_set_task_data (task, work, work_free);
  g_task_run_in_thread (task, check_in_worker);
  return G_SOURCE_REMOVE;
}

/* "3 × 2 = 6 runs"; of one setting that is varied "3 runs". product: "3 × 2" (transfer full) */
static char *
dup_sum (const char *product, guint64 n)
{
  g_autofree char *runs = sluice_status_runs_text (n);
  return strstr (product, "×") != NULL ? g_strdup_printf ("%s = %s", product, runs)
                                       : g_steal_pointer (&runs);
}

static void
show_sum (SluiceLaunchPage *self)
{
  g_autofree char *words = NULL;
  self->n_runs = count_runs (self, &words);
  gboolean too_many = self->n_runs > SLUICE_SWEEP_MAX_TRIALS;
  g_autofree char *text = dup_sum (words, self->n_runs);
  gtk_label_set_label (self->sum, text);
  gtk_widget_queue_draw (self->grid);
  gtk_widget_set_visible (self->grid, self->n_runs > 1);
  gtk_widget_set_visible (self->halve_box, self->n_runs > 1);
  self->is_refused = too_many || has_wrong_row (self);
  if (too_many)
    {
      g_autofree char *most = sluice_format_step (SLUICE_SWEEP_MAX_TRIALS);
      g_autofree char *said = g_strdup_printf (
          _ ("A sweep has at most %s runs: vary fewer settings, or draw from them"), most);
      say (self, said, TRUE);
    }
  else if (self->is_refused)
    say (self, _ ("A setting above is to be put right first"), TRUE);
}

/* What a simulated device is like is said where one is chosen. */
static void
offer_device_options (SluiceLaunchPage *self)
{
  gboolean is_simulated = FALSE;
  for (guint i = 0; i < self->rows->len; i++)
    {
      SluiceLaunchRow *row = self->rows->pdata[i];
      g_autofree char *value = sluice_launch_row_dup_value (row);
      if (sluice_launch_row_is_device (row))
        is_simulated = g_str_has_prefix (value, "SIM:");
      else if (sluice_launch_row_is_device_options (row))
        sluice_launch_row_offer (row, is_simulated);
    }
}

void
sluice_launch_page_changed (SluiceLaunchPage *self)
{
  offer_device_options (self);
  g_clear_handle_id (&self->timeout, g_source_remove);
  g_cancellable_cancel (self->latest);
  g_clear_object (&self->latest);
  g_clear_pointer (&self->verdict, sluice_launch_verdict_free);
  if (self->form != NULL && self->sum != NULL && self->context != NULL)
    {
      show_sum (self);
      count_changed (self);
      if (!self->is_refused)
        self->timeout = g_timeout_add (CHECK_MS, check_cb, self);
      else
        gtk_widget_set_visible (self->seed_button, FALSE);
      show_draft (self);
      sluice_launch_page_keep (self);
    }
  sluice_launch_page_update (self);
}

/* ---- beginning ---- */

static void
enqueue_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Work *work = data;
  GError *error = NULL;
  guint n_added;
  if (sluice_launch_job_enqueue (work->job, work->store, &n_added, &error))
    g_task_return_int (task, n_added);
  else
    g_task_return_error (task, error);
}

void
sluice_launch_page_clear (SluiceLaunchPage *self)
{
  gtk_editable_set_text (GTK_EDITABLE (self->name), "");
  gtk_drop_down_set_selected (self->origin, 0);
  sluice_launch_page_reset (self);
}

static void
leave (SluiceLaunchPage *self)
{
  sluice_launch_page_clear (self);
  gtk_widget_activate_action (GTK_WIDGET (self), "win.show-page", "s", "runs");
}

static void
enqueue_done (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceLaunchPage *self = SLUICE_LAUNCH_PAGE (object);
  const Work *work = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  guint n = (guint) g_task_propagate_int (G_TASK (result), &error);
  self->n_jobs--;
  if (self->context == NULL)
    return;
  sluice_workspace_refresh (self->context->workspace);
  sluice_queue_worker_refresh (self->context->queue);
  if (error != NULL)
    {
      g_autofree char *words = sluice_failure_words (error);
      say (self, words, TRUE);
    }
  else
    {
      g_autofree char *words = g_strdup_printf (
          ngettext ("%u run waits in the queue", "%u runs wait in the queue", n), n);
      sluice_launch_page_tell (self, words);
      sluice_queue_worker_set_works (self->context->queue, TRUE);
      if (work->job->is_next)
        {
          if (sluice_queue_worker_get_paused (self->context->queue))
            sluice_queue_worker_set_paused (self->context->queue, FALSE);
          leave (self);
        }
    }
  sluice_launch_page_update (self);
}

static void
enqueue (SluiceLaunchPage *self, gboolean is_next)
{
  Work *work = new_work (self);
  if (work == NULL)
    return;
  work->job->is_next = is_next;
  self->n_jobs++;
  sluice_launch_page_update (self);
  g_autoptr (GTask) task = g_task_new (self, NULL, enqueue_done, NULL);
  g_task_set_task_data (task, work, work_free);
  g_task_run_in_thread (task, enqueue_in_worker);
}

static void
start_one (SluiceLaunchPage *self)
{
  g_autoptr (SluiceLaunchJob) job = new_job (self);
  SluiceQueueNeeds needs;
  sluice_launch_job_get_needs (job, &needs, NULL);
  const SluiceNewRun how = { .name = job->name,
                             .assignments = (const char *const *) job->assignments,
                             .checkpoint = job->checkpoint,
                             .partly = job->partly,
                             .parent = job->parent,
                             .step = job->parent_step,
                             .device = needs.devices };
  sluice_run_controller_launch (self->context->controller, &how);
  leave (self);
}

/* ---- actions ---- */

static void
back_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  gtk_widget_activate_action (widget, "win.show-page", "s", "runs");
}

static void
check_again_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceLaunchPage *self = SLUICE_LAUNCH_PAGE (widget);
  if (self->form != NULL)
    sluice_preflight_card_forget (self->preflight);
  sluice_launch_page_read (self);
}

static void
start_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceLaunchPage *self = SLUICE_LAUNCH_PAGE (widget);
  if (self->n_runs > 1)
    enqueue (self, TRUE);
  else
    start_one (self);
}

static void
add_to_queue_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  enqueue (SLUICE_LAUNCH_PAGE (widget), FALSE);
}

/* What the pre-flight says would put something right. */
static void
set_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceLaunchPage *self = SLUICE_LAUNCH_PAGE (widget);
  const char *assignment = g_variant_get_string (parameter, NULL);
  for (guint i = 0; self->form != NULL && i < self->rows->len; i++)
    if (sluice_launch_row_take (self->rows->pdata[i], assignment))
      {
        const char *dot = strchr (assignment, '.');
        /* Its row may be folded away. */
        g_autofree char *said =
            g_strdup_printf (_ ("Of this run: %s"), dot != NULL ? dot + 1 : assignment);
        sluice_launch_page_tell (self, said);
        return;
      }
}

static void
take_out_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  sluice_launch_page_demote (SLUICE_LAUNCH_PAGE (widget), g_variant_get_string (parameter, NULL));
}

static void
throw_away_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  sluice_launch_page_throw_away (SLUICE_LAUNCH_PAGE (widget));
}

void
sluice_launch_page_install_actions (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "launch.back", NULL, back_action);
  gtk_widget_class_install_action (widget_class, "launch.throw-away", NULL, throw_away_action);
  gtk_widget_class_install_action (widget_class, "launch.check-again", NULL, check_again_action);
  gtk_widget_class_install_action (widget_class, "launch.start", NULL, start_action);
  gtk_widget_class_install_action (widget_class, "launch.add-to-queue", NULL, add_to_queue_action);
  gtk_widget_class_install_action (widget_class, "launch.set", "s", set_action);
  gtk_widget_class_install_action (widget_class, "launch.take-out", "s", take_out_action);
  sluice_shortcuts_bind (widget_class, "launch.");
}

/* ---- the queue ---- */

GtkWidget *
sluice_launch_page_make_queue (SluiceLaunchPage *self)
{
  GtkWidget *view = sluice_queue_view_new (self->context);
  self->queue = SLUICE_QUEUE_VIEW (view);
  return view;
}

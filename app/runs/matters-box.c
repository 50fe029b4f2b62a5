/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/matters-box.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app/failure-words.h"
#include "engine/train/which-matters.h"
#include "ui/chart/ticks.h"

#define N_STEPS 200 /* of each short run, as the command has it */
#define LOOK_MS 250 /* from news of the workspace to a look at the short runs */

/* Two runs, and what is known of the question. A worker has it, too. */
typedef struct
{
  SluiceStore *store;
  SluiceRunInfo *first, *second;
} Pair;

struct _SluiceMattersBox
{
  GtkWidget parent;
  GtkBox *box;
  SluiceWorkspace *workspace;    /* (nullable): not attached yet */
  SluiceQueueWorker *queue;      /* (nullable) */
  Pair *shown;                   /* (nullable) */
  SluiceWhichMattersState state; /* all 0: nothing can be tried, or it is not known yet */
  SluiceWhichMatters *answer;    /* (nullable) */
  char *failure;                 /* (nullable): it was asked in vain */
  gboolean is_busy;              /* a worker asks or takes back */
  guint source;                  /* of the look that comes */
};

G_DEFINE_FINAL_TYPE (SluiceMattersBox, sluice_matters_box, GTK_TYPE_WIDGET)

static void
pair_clear (gpointer data)
{
  Pair *self = data;
  g_object_unref (self->store);
  sluice_run_info_free (self->first);
  sluice_run_info_free (self->second);
}

static void
pair_unref (gpointer self)
{
  g_atomic_rc_box_release_full (self, pair_clear);
}

/* ---- what it says ---- */

static guint
count_missing (SluiceMattersBox *self)
{
  return self->state.all - self->state.known;
}

/* (transfer full): as long as the first of them took for as many steps. */
static char *
dup_time (SluiceMattersBox *self)
{
  const Pair *pair = self->shown;
  const SluiceRunInfo *run = pair->first->step > 0 ? pair->first : pair->second;
  double seconds = run->step > 0 ? run->seconds / (double) run->step : 0;
  return sluice_format_value (seconds * N_STEPS * count_missing (self), SLUICE_UNIT_SECONDS);
}

static char *
dup_proposal (SluiceMattersBox *self)
{
  g_autofree char *time = dup_time (self);
  guint n = count_missing (self);
  return g_strdup_printf (
      ngettext ("%d short run of %d steps swaps one difference at a time: about %s",
                "%d short runs of %d steps each swap one difference at a time: about %s", n),
      (int) n, N_STEPS, time);
}

static char *
dup_effect (const SluiceMatter *matter)
{
  return matter->why != NULL ? g_strdup (_ ("not alone"))
         : matter->matters   ? g_strdup_printf ("%+.3g ± %.2g", matter->effect, matter->plus_minus)
                             : g_strdup (_ ("no more than seeds"));
}

static char *
dup_head (const SluiceWhichMatters *answer)
{
  return g_strdup_printf (_ ("Loss %.3g ± %.2g after %d steps; what each difference does to it:"),
                          answer->loss, answer->spread, (int) answer->n_steps);
}

char *
sluice_matters_box_dup_text (SluiceMattersBox *self)
{
  if (self->shown == NULL || self->state.all == 0)
    return g_strdup ("");
  if (self->failure != NULL)
    return g_strdup (self->failure);
  if (self->answer == NULL)
    return dup_proposal (self);
  g_autofree char *head = dup_head (self->answer);
  GString *text = g_string_new (head);
  for (guint i = 0; i < self->answer->matters->len; i++)
    {
      const SluiceMatter *matter = self->answer->matters->pdata[i];
      g_autofree char *effect = dup_effect (matter);
      g_string_append_printf (text, "%s %s: %s", i > 0 ? ";" : "", sluice_matter_get_title (matter),
                              effect);
    }
  return g_string_free (text, FALSE);
}

/* ---- what it looks like ---- */

static GtkWidget *
add_label (SluiceMattersBox *self, const char *words, const char *style)
{
  GtkWidget *label = gtk_label_new (words);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_widget_add_css_class (label, style);
  gtk_box_append (self->box, label);
  return label;
}

static void
add_button (SluiceMattersBox *self, const char *words, GCallback clicked)
{
  GtkWidget *button = gtk_button_new_with_label (words);
  g_signal_connect_object (button, "clicked", clicked, self, G_CONNECT_SWAPPED);
  gtk_box_append (self->box, button);
}

static void
add_matter (SluiceMattersBox *self, const SluiceMatter *matter)
{
  g_autofree char *effect = dup_effect (matter);
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *name = gtk_label_new (sluice_matter_get_title (matter)),
            *value = gtk_label_new (effect);
  gtk_label_set_xalign (GTK_LABEL (name), 0);
  gtk_label_set_ellipsize (GTK_LABEL (name), PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_set_hexpand (name, TRUE);
  gtk_widget_set_tooltip_text (name, matter->name);
  gtk_widget_set_tooltip_text (value, matter->why);
  gtk_widget_set_direction (value, GTK_TEXT_DIR_LTR); /* as numbers are read everywhere */
  gtk_widget_add_css_class (value, "numeric");
  gtk_widget_add_css_class (value, matter->matters ? "run-strong" : "dim-label");
  gtk_widget_add_css_class (row, "diff-row");
  gtk_box_append (GTK_BOX (row), name);
  gtk_box_append (GTK_BOX (row), value);
  gtk_box_append (self->box, row);
}

static void find_out (SluiceMattersBox *self);
static void take_back (SluiceMattersBox *self);

static void
add_progress (SluiceMattersBox *self)
{
  g_autofree char *words =
      g_strdup_printf (_ ("%d of %d short runs are done; the others wait in the queue"),
                       (int) self->state.known, (int) self->state.all);
  add_label (self, words, "dim-label");
  add_button (self, _ ("Cancel"), G_CALLBACK (take_back));
}

static void
show_answer (SluiceMattersBox *self, const SluiceWhichMatters *answer)
{
  g_autofree char *head = dup_head (answer);
  add_label (self, head, "dim-label");
  for (guint i = 0; i < answer->matters->len; i++)
    add_matter (self, answer->matters->pdata[i]);
}

static gboolean
holds_focus (SluiceMattersBox *self)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;
  return focus != NULL && gtk_widget_is_ancestor (focus, GTK_WIDGET (self));
}

/* Who pressed a button that goes stays where it was: at the next one, or at the answer. */
static void
keep_focus (SluiceMattersBox *self)
{
  g_autofree char *text = sluice_matters_box_dup_text (self);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->box), GTK_ACCESSIBLE_PROPERTY_LABEL, text,
                                  -1);
  if (!gtk_widget_child_focus (GTK_WIDGET (self->box), GTK_DIR_TAB_FORWARD))
    gtk_widget_grab_focus (GTK_WIDGET (self->box));
}

static void
fill (SluiceMattersBox *self)
{
  gboolean had_focus = holds_focus (self), shows = self->shown != NULL && self->state.all > 0;
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->box))) != NULL)
    gtk_box_remove (self->box, child);
  gtk_widget_set_visible (GTK_WIDGET (self), shows);
  gtk_widget_set_focusable (GTK_WIDGET (self->box), self->answer != NULL);
  if (!shows)
    return;
  add_label (self, _ ("Which one matters?"), "heading");
  if (self->answer != NULL)
    show_answer (self, self->answer);
  else if (self->state.waiting > 0)
    add_progress (self);
  else
    {
      g_autofree char *proposal = dup_proposal (self);
      add_label (self, self->failure != NULL ? self->failure : proposal,
                 self->failure != NULL ? "error" : "dim-label");
      add_button (self, _ ("Find out"), G_CALLBACK (find_out));
    }
  if (had_focus)
    keep_focus (self);
}

/* ---- looking, on a worker ---- */

static const SluiceWhichMattersOptions how = { .n_steps = N_STEPS };

typedef struct
{
  SluiceWhichMattersState state;
  SluiceWhichMatters *answer; /* (nullable) */
} Found;

static void
found_free (gpointer data)
{
  Found *self = data;
  g_clear_pointer (&self->answer, sluice_which_matters_free);
  g_free (self);
}

static void
look_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Pair *pair = data;
  Found *found = g_new0 (Found, 1);
  g_autoptr (GError) error = NULL;
  sluice_which_matters_look (pair->store, pair->first, pair->second, &how, &found->state,
                             &found->answer, &error);
  /* Where nothing can be tried, nothing is proposed; what failed is told where it was tried. */
  if (error != NULL && found->state.known > 0)
    {
      found_free (found);
      g_task_return_error (task, g_steal_pointer (&error));
    }
  else
    g_task_return_pointer (task, found, found_free);
}

static void
looked (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceMattersBox *self = SLUICE_MATTERS_BOX (object);
  g_autoptr (GError) error = NULL;
  Found *found = g_task_propagate_pointer (G_TASK (result), &error);
  if (self->box != NULL && g_task_get_task_data (G_TASK (result)) == self->shown)
    {
      g_clear_pointer (&self->answer, sluice_which_matters_free);
      if (found != NULL)
        {
          self->state = found->state;
          self->answer = g_steal_pointer (&found->answer);
        }
      else
        self->failure = sluice_failure_words (error);
      fill (self);
    }
  g_clear_pointer (&found, found_free);
}

static void
work (SluiceMattersBox *self, GTaskThreadFunc func, GAsyncReadyCallback done)
{
  g_autoptr (GTask) task = g_task_new (self, NULL, done, NULL);
  g_task_set_task_data (task, g_atomic_rc_box_acquire (self->shown), pair_unref);
  g_task_run_in_thread (task, func);
}

static gboolean
look_cb (gpointer data)
{
  SluiceMattersBox *self = data;
  self->source = 0;
  if (self->shown != NULL)
    work (self, look_in_worker, looked);
  return G_SOURCE_REMOVE;
}

static void
look_soon (SluiceMattersBox *self)
{
  if (self->source == 0)
    self->source = g_timeout_add (LOOK_MS, look_cb, self);
}

/* As long as some are under way, news may be of them. */
static void
workspace_changed_cb (SluiceMattersBox *self)
{
  if (self->shown != NULL && self->state.waiting > 0)
    look_soon (self);
}

/* ---- asking, on a worker ---- */

static void
return_outcome (GTask *task, gboolean ok, GError *take)
{
  if (ok)
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, take);
}

static void
ask_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Pair *pair = data;
  GError *error = NULL;
  gboolean ok = sluice_which_matters_ask (pair->store, pair->first, pair->second, &how, &error);
  return_outcome (task, ok, error);
}

static void
take_back_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Pair *pair = data;
  GError *error = NULL;
  gboolean ok = sluice_which_matters_withdraw (pair->store, pair->first, pair->second, &error);
  return_outcome (task, ok, error);
}

static void
asked (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceMattersBox *self = SLUICE_MATTERS_BOX (object);
  g_autoptr (GError) error = NULL;
  gboolean ok = g_task_propagate_boolean (G_TASK (result), &error);
  self->is_busy = FALSE;
  if (self->box == NULL)
    return;
  sluice_workspace_refresh (self->workspace);
  sluice_queue_worker_refresh (self->queue);
  if (self->shown != g_task_get_task_data (G_TASK (result)))
    return;
  if (ok)
    work (self, look_in_worker, looked);
  else
    {
      self->failure = sluice_failure_words (error);
      fill (self);
    }
}

static void
begin (SluiceMattersBox *self, GTaskThreadFunc func)
{
  if (self->is_busy || self->queue == NULL)
    return;
  self->is_busy = TRUE;
  g_clear_pointer (&self->failure, g_free);
  work (self, func, asked);
}

static void
find_out (SluiceMattersBox *self)
{
  if (self->queue != NULL)
    sluice_queue_worker_set_works (self->queue, TRUE);
  begin (self, ask_in_worker);
}

static void
take_back (SluiceMattersBox *self)
{
  begin (self, take_back_in_worker);
}

/* What is compared anew, for the table has news, keeps its answer and the focus. */
static gboolean
is_shown (SluiceMattersBox *self, const SluiceRunInfo *first, const SluiceRunInfo *second)
{
  return self->shown != NULL && self->shown->first->id == first->id
         && self->shown->second->id == second->id;
}

void
sluice_matters_box_show (SluiceMattersBox *self,
                         SluiceStore *store,
                         const SluiceRunInfo *first,
                         const SluiceRunInfo *second)
{
  if (is_shown (self, first, second))
    {
      look_soon (self);
      return;
    }
  Pair *pair = g_atomic_rc_box_new0 (Pair);
  *pair =
      (Pair){ g_object_ref (store), sluice_run_info_copy (first), sluice_run_info_copy (second) };
  g_clear_pointer (&self->shown, pair_unref);
  g_clear_pointer (&self->answer, sluice_which_matters_free);
  g_clear_pointer (&self->failure, g_free);
  self->state = (SluiceWhichMattersState){ 0 };
  self->shown = pair;
  fill (self);
  work (self, look_in_worker, looked);
}

void
sluice_matters_box_attach (SluiceMattersBox *self,
                           SluiceWorkspace *workspace,
                           SluiceQueueWorker *queue)
{
  self->workspace = g_object_ref (workspace);
  self->queue = g_object_ref (queue);
  g_signal_connect_object (workspace, "changed", G_CALLBACK (workspace_changed_cb), self,
                           G_CONNECT_SWAPPED);
}

/* ---- life ---- */

static void
sluice_matters_box_dispose (GObject *object)
{
  SluiceMattersBox *self = SLUICE_MATTERS_BOX (object);
  g_clear_handle_id (&self->source, g_source_remove);
  g_clear_pointer (&self->shown, pair_unref);
  g_clear_pointer (&self->answer, sluice_which_matters_free);
  g_clear_pointer (&self->failure, g_free);
  g_clear_object (&self->workspace);
  g_clear_object (&self->queue);
  if (self->box != NULL)
    gtk_widget_unparent (GTK_WIDGET (self->box));
  self->box = NULL;
  G_OBJECT_CLASS (sluice_matters_box_parent_class)->dispose (object);
}

static void
sluice_matters_box_class_init (SluiceMattersBoxClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sluice_matters_box_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static void
sluice_matters_box_init (SluiceMattersBox *self)
{
  self->box = g_object_new (GTK_TYPE_BOX, "orientation", GTK_ORIENTATION_VERTICAL, "spacing", 4,
                            "accessible-role", GTK_ACCESSIBLE_ROLE_GROUP, NULL);
  gtk_widget_add_css_class (GTK_WIDGET (self->box), "diff-heading");
  gtk_widget_set_parent (GTK_WIDGET (self->box), GTK_WIDGET (self));
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}

GtkWidget *
sluice_matters_box_new (void)
{
  return g_object_new (SLUICE_TYPE_MATTERS_BOX, NULL);
}

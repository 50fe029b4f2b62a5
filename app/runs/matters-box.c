/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/matters-box.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app/failure-words.h"
#include "engine/train/which-matters.h"
#include "ui/chart/ticks.h"

#define N_STEPS 200 /* of each short run, as the command has it */
#define LOOK_MS 250 /* from one look at the progress to the next */

/* Two runs, and what became of the question. A worker has it, too. */
typedef struct
{
  SluiceStore *store;
  SluiceRunInfo *first, *second;
  gint n_runs, done;          /* atomic; n_runs: 0: nothing can be tried, or not known yet */
  GCancellable *cancellable;  /* (nullable): at work */
  SluiceWhichMatters *answer; /* (nullable) */
  char *failure;              /* (nullable) */
} Pair;

struct _SluiceMattersBox
{
  GtkWidget parent;
  GtkBox *box;
  GtkLabel *progress; /* (nullable) */
  GPtrArray *begun;   /* of Pair: which are at work, or have an answer */
  Pair *shown;        /* (nullable) */
  guint source;       /* looks at the progress */
};

G_DEFINE_FINAL_TYPE (SluiceMattersBox, sluice_matters_box, GTK_TYPE_WIDGET)

static void
pair_clear (gpointer data)
{
  Pair *self = data;
  g_object_unref (self->store);
  sluice_run_info_free (self->first);
  sluice_run_info_free (self->second);
  g_clear_object (&self->cancellable);
  g_clear_pointer (&self->answer, sluice_which_matters_free);
  g_free (self->failure);
}

static void
pair_unref (gpointer self)
{
  g_atomic_rc_box_release_full (self, pair_clear);
}

/* ---- what it says ---- */

/* (transfer full): as long as the first of them took for as many steps. */
static char *
dup_time (const Pair *self)
{
  const SluiceRunInfo *run = self->first->step > 0 ? self->first : self->second;
  double seconds = run->step > 0 ? run->seconds / (double) run->step : 0;
  return sluice_format_value (seconds * N_STEPS * self->n_runs, SLUICE_UNIT_SECONDS);
}

static char *
dup_proposal (const Pair *self)
{
  g_autofree char *time = dup_time (self);
  return g_strdup_printf (
      ngettext ("%d short run of %d steps swaps one difference at a time: about %s",
                "%d short runs of %d steps each swap one difference at a time: about %s",
                self->n_runs),
      self->n_runs, N_STEPS, time);
}

/* As settings are called in the lists: without their group where that is the usual one. */
static const char *
get_name (const SluiceMatter *matter)
{
  static const char *const usual[] = { "overrides.", "train." };
  for (guint i = 0; i < G_N_ELEMENTS (usual); i++)
    if (g_str_has_prefix (matter->name, usual[i]))
      return matter->name + strlen (usual[i]);
  return matter->name;
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
  const Pair *pair = self->shown;
  if (pair == NULL || pair->n_runs == 0)
    return g_strdup ("");
  if (pair->failure != NULL)
    return g_strdup (pair->failure);
  if (pair->answer == NULL)
    return dup_proposal (pair);
  g_autofree char *head = dup_head (pair->answer);
  GString *text = g_string_new (head);
  for (guint i = 0; i < pair->answer->matters->len; i++)
    {
      const SluiceMatter *matter = pair->answer->matters->pdata[i];
      g_autofree char *effect = dup_effect (matter);
      g_string_append_printf (text, "%s %s: %s", i > 0 ? ";" : "", get_name (matter), effect);
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
  GtkWidget *name = gtk_label_new (get_name (matter)), *value = gtk_label_new (effect);
  gtk_label_set_xalign (GTK_LABEL (name), 0);
  gtk_label_set_ellipsize (GTK_LABEL (name), PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_set_hexpand (name, TRUE);
  gtk_widget_set_tooltip_text (name, matter->name);
  gtk_widget_set_tooltip_text (value, matter->why);
  gtk_widget_add_css_class (value, "numeric");
  gtk_widget_add_css_class (value, matter->matters ? "run-strong" : "dim-label");
  gtk_widget_add_css_class (row, "diff-row");
  gtk_box_append (GTK_BOX (row), name);
  gtk_box_append (GTK_BOX (row), value);
  gtk_box_append (self->box, row);
}

static void
show_progress (SluiceMattersBox *self)
{
  const Pair *pair = self->shown;
  g_autofree char *words = g_strdup_printf (_ ("%d of %d short runs are done"),
                                            g_atomic_int_get (&pair->done), pair->n_runs);
  gtk_label_set_label (self->progress, words);
}

static gboolean
look_cb (gpointer data)
{
  show_progress (data);
  return G_SOURCE_CONTINUE;
}

static void find_out (SluiceMattersBox *self);

static void
cancel (SluiceMattersBox *self)
{
  if (self->shown != NULL && self->shown->cancellable != NULL)
    g_cancellable_cancel (self->shown->cancellable);
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
  const Pair *pair = self->shown;
  gboolean had_focus = holds_focus (self);
  GtkWidget *child;
  g_clear_handle_id (&self->source, g_source_remove);
  self->progress = NULL;
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->box))) != NULL)
    gtk_box_remove (self->box, child);
  gtk_widget_set_visible (GTK_WIDGET (self), pair != NULL && pair->n_runs > 0);
  gtk_widget_set_focusable (GTK_WIDGET (self->box), pair != NULL && pair->answer != NULL);
  if (pair == NULL || pair->n_runs == 0)
    return;
  g_autofree char *proposal = dup_proposal (pair);
  add_label (self, _ ("Which one matters?"), "heading");
  if (pair->cancellable != NULL)
    {
      self->progress = GTK_LABEL (add_label (self, "", "dim-label"));
      show_progress (self);
      self->source = g_timeout_add (LOOK_MS, look_cb, self);
      add_button (self, _ ("Cancel"), G_CALLBACK (cancel));
    }
  else if (pair->answer != NULL)
    show_answer (self, pair->answer);
  else
    {
      add_label (self, pair->failure != NULL ? pair->failure : proposal,
                 pair->failure != NULL ? "error" : "dim-label");
      add_button (self, _ ("Find out"), G_CALLBACK (find_out));
    }
  if (had_focus)
    keep_focus (self);
}

/* ---- the short runs, on a worker ---- */

static void
progress_cb (guint done, guint all, gpointer data)
{
  Pair *pair = data;
  g_atomic_int_set (&pair->done, (gint) done);
}

static void
try_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Pair *pair = data;
  GError *error = NULL;
  const SluiceWhichMattersOptions options = {
    .n_steps = N_STEPS, .cancellable = cancellable, .progress = progress_cb, .progress_data = pair
  };
  SluiceWhichMatters *answer =
      sluice_which_matters (pair->store, pair->first, pair->second, &options, &error);
  if (answer != NULL)
    g_task_return_pointer (task, answer, (GDestroyNotify) sluice_which_matters_free);
  else
    g_task_return_error (task, error);
}

static void
tried (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceMattersBox *self = SLUICE_MATTERS_BOX (object);
  Pair *pair = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  gboolean was_cancelled = g_cancellable_is_cancelled (pair->cancellable);
  g_task_set_check_cancellable (G_TASK (result), FALSE); /* what was found counts */
  pair->answer = g_task_propagate_pointer (G_TASK (result), &error);
  pair->failure = error != NULL && !was_cancelled ? sluice_failure_words (error) : NULL;
  g_clear_object (&pair->cancellable);
  if (pair->answer == NULL && self->begun != NULL)
    g_ptr_array_remove (self->begun, pair);
  if (self->box != NULL && pair == self->shown)
    fill (self);
}

static void
find_out (SluiceMattersBox *self)
{
  Pair *pair = self->shown;
  g_clear_pointer (&pair->failure, g_free);
  pair->done = 0;
  pair->cancellable = g_cancellable_new ();
  g_ptr_array_add (self->begun, g_atomic_rc_box_acquire (pair));
  g_autoptr (GTask) task = g_task_new (self, pair->cancellable, tried, NULL);
  g_task_set_task_data (task, g_atomic_rc_box_acquire (pair), pair_unref);
  g_task_run_in_thread (task, try_in_worker);
  fill (self);
}

/* ---- how many there are, on a worker ---- */

static void
count_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Pair *pair = data;
  g_task_return_int (task,
                     sluice_which_matters_count (pair->store, pair->first, pair->second, 0, NULL));
}

static void
counted (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceMattersBox *self = SLUICE_MATTERS_BOX (object);
  Pair *pair = g_task_get_task_data (G_TASK (result));
  pair->n_runs = (gint) g_task_propagate_int (G_TASK (result), NULL);
  if (self->box != NULL && pair == self->shown)
    fill (self);
}

static Pair *
find_begun (SluiceMattersBox *self, const SluiceRunInfo *first, const SluiceRunInfo *second)
{
  for (guint i = 0; i < self->begun->len; i++)
    {
      Pair *pair = self->begun->pdata[i];
      if (pair->first->id == first->id && pair->second->id == second->id)
        return g_atomic_rc_box_acquire (pair);
    }
  return NULL;
}

void
sluice_matters_box_show (SluiceMattersBox *self,
                         SluiceStore *store,
                         const SluiceRunInfo *first,
                         const SluiceRunInfo *second)
{
  Pair *pair = find_begun (self, first, second);
  gboolean is_new = pair == NULL;
  if (is_new)
    {
      pair = g_atomic_rc_box_new0 (Pair);
      pair->store = g_object_ref (store);
      pair->first = sluice_run_info_copy (first);
      pair->second = sluice_run_info_copy (second);
    }
  g_clear_pointer (&self->shown, pair_unref);
  self->shown = pair;
  fill (self);
  if (!is_new)
    return;
  g_autoptr (GTask) task = g_task_new (self, NULL, counted, NULL);
  g_task_set_task_data (task, g_atomic_rc_box_acquire (pair), pair_unref);
  g_task_run_in_thread (task, count_in_worker);
}

/* ---- life ---- */

static void
sluice_matters_box_dispose (GObject *object)
{
  SluiceMattersBox *self = SLUICE_MATTERS_BOX (object);
  g_clear_handle_id (&self->source, g_source_remove);
  for (guint i = 0; self->begun != NULL && i < self->begun->len; i++)
    if (((Pair *) self->begun->pdata[i])->cancellable != NULL)
      g_cancellable_cancel (((Pair *) self->begun->pdata[i])->cancellable);
  g_clear_pointer (&self->begun, g_ptr_array_unref);
  g_clear_pointer (&self->shown, pair_unref);
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
  self->begun = g_ptr_array_new_with_free_func (pair_unref);
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

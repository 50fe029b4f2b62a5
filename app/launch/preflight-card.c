/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/launch/preflight-card.h"

#include <glib/gi18n.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "app/failure-words.h"
#include "app/launch/preflight-batch.h"
#include "app/launch/preflight-picture.h"
#include "app/launch/preflight-words.h"
#include "engine/train/preflight.h"
#include "ui/common/wrap.h"

#define SOON_MS     700 /* from the last change to the look */
#define PROGRESS_MS 100
#define MEASURE_S   0.6 /* steps are taken for so long */

/* One look. Shared by the worker and the card. */
typedef struct
{
  atomic_int n_refs;
  char *folder, *workspace, *init_from, *device; /* init_from, device: (nullable) */
  char **assignments;
  _Atomic double part; /* of it that is done */
} Flight;

struct _SluicePreflightCard
{
  GtkBox parent;
  GtkLabel *verdict, *when;
  GtkProgressBar *progress;
  GtkBox *rows;
  SluicePreflight *found; /* (nullable): what is shown */
  guint64 n_runs;
  double part;         /* of their steps */
  Flight *flight;      /* (nullable): what is looked at, or was last */
  GCancellable *under; /* (nullable): of the look under way */
  guint source, progress_source;
};

G_DEFINE_FINAL_TYPE (SluicePreflightCard, sluice_preflight_card, GTK_TYPE_BOX)

static gboolean is_still;
static guint looked_signal;

void
sluice_preflight_cards_set_still (gboolean still)
{
  is_still = still;
}

static Flight *
flight_ref (Flight *self)
{
  atomic_fetch_add (&self->n_refs, 1);
  return self;
}

static void
flight_unref (gpointer data)
{
  Flight *self = data;
  if (atomic_fetch_sub (&self->n_refs, 1) > 1)
    return;
  g_free (self->folder);
  g_free (self->workspace);
  g_free (self->init_from);
  g_free (self->device);
  g_strfreev (self->assignments);
  g_free (self);
}

/* ---- rows ---- */

static GtkLabel *
make_label (const char *text, const char *css)
{
  GtkLabel *label = GTK_LABEL (gtk_label_new (text));
  gtk_label_set_xalign (label, 0);
  gtk_label_set_yalign (label, 0);
  gtk_label_set_wrap (label, TRUE);
  gtk_label_set_wrap_mode (label, PANGO_WRAP_WORD_CHAR);
  if (css != NULL)
    gtk_widget_add_css_class (GTK_WIDGET (label), css);
  return label;
}

static void
add_button (
    GtkBox *line, const char *label, const char *name, const char *action, const char *target)
{
  GtkWidget *button = gtk_button_new_with_label (label);
  gtk_actionable_set_action_target (GTK_ACTIONABLE (button), "s", target);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_add_css_class (button, "launch-link");
  gtk_widget_set_valign (button, GTK_ALIGN_START);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  gtk_box_append (line, button);
}

/* The one action of what is not well: a setting that puts it right, one that goes, or a look at the
 * node. */
static void
add_action (GtkBox *line, const SluicePreflightItem *item)
{
  if (item->level == SLUICE_PREFLIGHT_WELL)
    return;
  if (item->set != NULL)
    {
      const char *dot = strchr (item->set, '.');
      g_autofree char *label = g_strdup_printf (_ ("Set %s"), dot != NULL ? dot + 1 : item->set);
      add_button (line, label, label, "launch.set", item->set);
      return;
    }
  if (item->take_out != NULL)
    {
      g_autofree char *words = g_strdup_printf (_ ("Take %s out of the form"), item->take_out);
      add_button (line, _ ("Take out"), words, "launch.take-out", item->take_out);
      return;
    }
  g_autofree char *name =
      item->node != NULL ? g_strdup_printf (_ ("Show %s in the graph"), item->node) : NULL;
  if (name != NULL)
    add_button (line, _ ("Show in graph"), name, "win.select", item->node);
}

/* What is said of it, and behind that how much of what there is it takes. */
static GtkWidget *
make_words (const SluicePreflightKind *kind,
            const SluicePreflightItem *item,
            const SluicePreflight *card)
{
  gboolean hides = kind->is_measured && is_still;
  g_autofree char *markup = sluice_preflight_dup_markup (kind, item, card, hides);
  GtkWidget *wrap = sluice_wrap_new (10, FALSE);
  GtkLabel *label = make_label (NULL, "launch-figure");
  gtk_label_set_markup (label, markup);
  gtk_widget_set_hexpand (GTK_WIDGET (label), TRUE);
  gtk_widget_set_hexpand (wrap, TRUE);
  if (!is_still)
    gtk_widget_set_tooltip_text (GTK_WIDGET (label), item->text);
  sluice_wrap_append (SLUICE_WRAP (wrap), GTK_WIDGET (label));
  if (strcmp (item->what, "peak_bytes") != 0 || !isfinite (item->limit))
    return wrap;
  GtkWidget *room = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 10);
  GtkWidget *bar = hides ? NULL : sluice_preflight_picture_new (item, card);
  if (bar != NULL)
    gtk_box_append (GTK_BOX (room), bar);
  if (item->level == SLUICE_PREFLIGHT_WELL)
    {
      GtkLabel *fits = make_label (_ ("fits"), "state-finished");
      gtk_widget_add_css_class (GTK_WIDGET (fits), "launch-figure");
      gtk_widget_add_css_class (GTK_WIDGET (fits), "launch-name");
      gtk_box_append (GTK_BOX (room), GTK_WIDGET (fits));
    }
  sluice_wrap_append (SLUICE_WRAP (wrap), room);
  return wrap;
}

static GtkBox *
add_line (SluicePreflightCard *self, SluicePreflightLevel level, const char *name, GtkWidget *words)
{
  static const struct
  {
    const char *icon, *css, *words;
  } levels[] = {
    [SLUICE_PREFLIGHT_WELL] = { "object-select-symbolic", "state-finished", N_ ("well") },
    [SLUICE_PREFLIGHT_LOOK] = { "dialog-warning-symbolic", "launch-look", N_ ("to be looked at") },
    [SLUICE_PREFLIGHT_STOP] = { "dialog-error-symbolic", "state-failed", N_ ("would fail") },
  };
  GtkBox *line = GTK_BOX (gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 10));
  GtkWidget *icon = gtk_image_new_from_icon_name (levels[level].icon);
  GtkLabel *title = make_label (name, "launch-name");
  gtk_label_set_width_chars (title, 9);
  gtk_widget_add_css_class (icon, levels[level].css);
  gtk_widget_set_valign (icon, GTK_ALIGN_START);
  gtk_accessible_update_property (GTK_ACCESSIBLE (icon), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ (levels[level].words), -1);
  gtk_box_append (line, icon);
  gtk_box_append (line, GTK_WIDGET (title));
  gtk_box_append (line, words);
  gtk_widget_add_css_class (GTK_WIDGET (line), "launch-item");
  if (level != SLUICE_PREFLIGHT_WELL)
    gtk_widget_add_css_class (GTK_WIDGET (line), "launch-item-look");
  gtk_box_append (self->rows, GTK_WIDGET (line));
  return line;
}

static void
add_sweep (SluicePreflightCard *self, guint *n_look)
{
  gboolean too_much;
  g_autofree char *markup = sluice_preflight_dup_sweep_markup (self->found, self->n_runs,
                                                               self->part, is_still, &too_much);
  g_autofree char *title = g_strdup_printf ("× %" G_GUINT64_FORMAT, self->n_runs);
  if (markup == NULL)
    return;
  GtkLabel *label = make_label (NULL, "launch-figure");
  gtk_label_set_markup (label, markup);
  gtk_widget_set_hexpand (GTK_WIDGET (label), TRUE);
  add_line (self, too_much ? SLUICE_PREFLIGHT_LOOK : SLUICE_PREFLIGHT_WELL, title,
            GTK_WIDGET (label));
  *n_look += too_much;
}

static void
clear (SluicePreflightCard *self)
{
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->rows))) != NULL)
    gtk_box_remove (self->rows, child);
}

/* What is well first, then what needs a look, and how the first batch looks. */
static void
show_items (SluicePreflightCard *self)
{
  const SluicePreflight *found = self->found;
  guint n_look = 0;
  clear (self);
  for (guint pass = 0; pass < 2; pass++)
    for (const SluicePreflightKind *kind = sluice_preflight_kinds; kind->what != NULL; kind++)
      for (guint i = 0; i < found->items->len; i++)
        {
          const SluicePreflightItem *item = found->items->pdata[i];
          gboolean is_well = item->level == SLUICE_PREFLIGHT_WELL;
          if (strcmp (item->what, kind->what) != 0 || is_well != (pass == 0)
              || (is_well && kind->is_of_batch))
            continue;
          add_action (add_line (self, item->level, _ (kind->title), make_words (kind, item, found)),
                      item);
          n_look += !is_well;
        }
  if (self->n_runs > 1)
    add_sweep (self, &n_look);
  GtkWidget *batch = sluice_preflight_batch_new (found);
  if (batch != NULL)
    gtk_box_append (self->rows, batch);
  g_autofree char *words = !found->ok ? g_strdup (_ ("it would fail"))
                           : n_look > 0
                               ? g_strdup_printf (ngettext ("ready · %u thing to look at",
                                                            "ready · %u things to look at", n_look),
                                                  n_look)
                               : g_strdup (_ ("ready"));
  gtk_label_set_label (self->verdict, words);
  gtk_widget_set_css_classes (GTK_WIDGET (self->verdict),
                              (const char *[]){ "launch-verdict",
                                                !found->ok   ? "state-failed"
                                                : n_look > 0 ? "launch-look"
                                                             : "state-finished",
                                                NULL });
  gtk_label_set_label (self->when, found->ok ? _ ("a batch was tried on this machine") : "");
}

/* ---- the look, in a worker ---- */

static void
progress (double part, const char *what, gpointer data)
{
  atomic_store (&((Flight *) data)->part, part);
}

static void
fly_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Flight *flight = data;
  GError *error = NULL;
  g_autoptr (SluiceProject) project = sluice_project_load (flight->folder, &error);
  const SluiceSessionOptions host = { .device = flight->device };
  const SluicePreflightOptions options = { .host = flight->device != NULL ? &host : NULL,
                                           .workspace = flight->workspace,
                                           .init_from = flight->init_from,
                                           .seconds = MEASURE_S,
                                           .cancellable = cancellable,
                                           .progress = progress,
                                           .progress_data = flight };
  SluicePreflight *found =
      project != NULL && sluice_project_set_all (project, flight->assignments, &error)
          ? sluice_preflight (project, &options, &error)
          : NULL;
  if (found != NULL)
    g_task_return_pointer (task, found, (GDestroyNotify) sluice_preflight_free);
  else
    g_task_return_error (task, error);
}

static void
end (SluicePreflightCard *self)
{
  g_clear_object (&self->under);
  g_clear_handle_id (&self->progress_source, g_source_remove);
  gtk_widget_set_opacity (GTK_WIDGET (self->progress), 0);
}

static void
flown (GObject *object, GAsyncResult *result, gpointer data)
{
  SluicePreflightCard *self = SLUICE_PREFLIGHT_CARD (object);
  g_autoptr (GError) error = NULL;
  SluicePreflight *found = g_task_propagate_pointer (G_TASK (result), &error);
  if (g_task_get_task_data (G_TASK (result)) != self->flight || self->rows == NULL)
    {
      g_clear_pointer (&found, sluice_preflight_free); /* another one is under way */
      return;
    }
  end (self);
  g_clear_pointer (&self->found, sluice_preflight_free);
  self->found = found;
  g_signal_emit (self, looked_signal, 0);
  if (found != NULL)
    {
      show_items (self);
      return;
    }
  g_autofree char *words = sluice_failure_words (error);
  clear (self);
  gtk_label_set_label (self->verdict, words);
  gtk_label_set_label (self->when, "");
}

static gboolean
progress_cb (gpointer data)
{
  SluicePreflightCard *self = data;
  gtk_progress_bar_set_fraction (self->progress, CLAMP (atomic_load (&self->flight->part), 0, 1));
  return G_SOURCE_CONTINUE;
}

static gboolean
fly_cb (gpointer data)
{
  SluicePreflightCard *self = data;
  self->source = 0;
  self->under = g_cancellable_new ();
  self->progress_source = g_timeout_add (PROGRESS_MS, progress_cb, self);
  gtk_progress_bar_set_fraction (self->progress, 0);
  gtk_widget_set_opacity (GTK_WIDGET (self->progress), 1);
  g_autoptr (GTask) task = g_task_new (self, self->under, flown, NULL);
  g_task_set_task_data (task, flight_ref (self->flight), flight_unref);
  g_task_run_in_thread (task, fly_in_worker);
  return G_SOURCE_REMOVE;
}

static gboolean
is_same (const Flight *a, const Flight *b)
{
  return a != NULL && strcmp (a->folder, b->folder) == 0
         && g_strcmp0 (a->init_from, b->init_from) == 0 && g_strcmp0 (a->device, b->device) == 0
         && g_strv_equal ((const char *const *) a->assignments,
                          (const char *const *) b->assignments);
}

void
sluice_preflight_card_check (SluicePreflightCard *self,
                             const char *folder,
                             char **assignments,
                             const char *workspace,
                             const char *init_from,
                             const char *device)
{
  Flight *flight = g_new0 (Flight, 1);
  atomic_init (&flight->n_refs, 1);
  flight->folder = g_strdup (folder);
  flight->assignments = g_strdupv (assignments);
  flight->workspace = g_strdup (workspace);
  flight->init_from = g_strdup (init_from);
  flight->device = g_strdup (device);
  if (is_same (self->flight, flight))
    {
      flight_unref (flight);
      return;
    }
  sluice_preflight_card_forget (self);
  self->flight = flight;
  gtk_label_set_label (self->when, _ ("a batch is tried…"));
  self->source = g_timeout_add (SOON_MS, fly_cb, self);
}

void
sluice_preflight_card_set_runs (SluicePreflightCard *self, guint64 n_runs, double part)
{
  if (self->n_runs == n_runs && self->part == part)
    return;
  self->n_runs = n_runs;
  self->part = part;
  if (self->found != NULL)
    show_items (self);
}

void
sluice_preflight_card_forget (SluicePreflightCard *self)
{
  g_clear_handle_id (&self->source, g_source_remove);
  g_cancellable_cancel (self->under);
  if (self->progress != NULL)
    end (self);
  g_clear_pointer (&self->flight, flight_unref);
}

gboolean
sluice_preflight_card_is_idle (SluicePreflightCard *self)
{
  return self->source == 0 && self->under == NULL;
}

void
sluice_preflight_card_get_finish (SluicePreflightCard *self, double *seconds, double *plus_minus)
{
  *seconds = *plus_minus = NAN;
  for (guint i = 0; self->found != NULL && !is_still && i < self->found->items->len; i++)
    {
      const SluicePreflightItem *item = self->found->items->pdata[i];
      if (strcmp (item->what, "finish_seconds") != 0)
        continue;
      *seconds = item->value;
      *plus_minus = item->plus_minus;
    }
}

const char *
sluice_preflight_card_get_verdict (SluicePreflightCard *self)
{
  return gtk_label_get_label (self->verdict);
}

/* ---- life ---- */

GtkWidget *
sluice_preflight_card_new (void)
{
  return g_object_new (SLUICE_TYPE_PREFLIGHT_CARD, "orientation", GTK_ORIENTATION_VERTICAL, NULL);
}

static void
sluice_preflight_card_dispose (GObject *object)
{
  SluicePreflightCard *self = SLUICE_PREFLIGHT_CARD (object);
  self->progress = NULL;
  self->rows = NULL;
  g_clear_handle_id (&self->progress_source, g_source_remove);
  sluice_preflight_card_forget (self);
  g_clear_object (&self->under);
  g_clear_pointer (&self->found, sluice_preflight_free);
  G_OBJECT_CLASS (sluice_preflight_card_parent_class)->dispose (object);
}

static void
sluice_preflight_card_class_init (SluicePreflightCardClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sluice_preflight_card_dispose;
  looked_signal = g_signal_new ("looked", SLUICE_TYPE_PREFLIGHT_CARD, G_SIGNAL_RUN_LAST, 0, NULL,
                                NULL, NULL, G_TYPE_NONE, 0);
}

static void
sluice_preflight_card_init (SluicePreflightCard *self)
{
  GtkBox *head = GTK_BOX (gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12));
  self->verdict = make_label (NULL, "launch-verdict");
  self->when = make_label (NULL, "launch-small");
  gtk_label_set_wrap (self->when, FALSE);
  gtk_label_set_ellipsize (self->when, PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (GTK_WIDGET (self->when), "dim-label");
  gtk_widget_set_hexpand (GTK_WIDGET (self->verdict), TRUE);
  GtkLabel *title = make_label (_ ("Pre-flight"), "launch-heading");
  GtkLabel *labels[] = { title, self->verdict, self->when };
  gtk_label_set_wrap (title, FALSE);
  for (guint i = 0; i < G_N_ELEMENTS (labels); i++)
    {
      gtk_widget_set_valign (GTK_WIDGET (labels[i]), GTK_ALIGN_BASELINE);
      gtk_box_append (head, GTK_WIDGET (labels[i]));
    }
  gtk_widget_add_css_class (GTK_WIDGET (head), "launch-card-head");
  self->progress = GTK_PROGRESS_BAR (gtk_progress_bar_new ());
  gtk_widget_set_opacity (GTK_WIDGET (self->progress), 0);
  gtk_widget_add_css_class (GTK_WIDGET (self->progress), "run-progress");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->progress), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Progress of the pre-flight"), -1);
  self->rows = GTK_BOX (gtk_box_new (GTK_ORIENTATION_VERTICAL, 0));
  gtk_widget_add_css_class (GTK_WIDGET (self->rows), "launch-items");
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (head));
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->progress));
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->rows));
  gtk_widget_add_css_class (GTK_WIDGET (self), "launch-card");
}

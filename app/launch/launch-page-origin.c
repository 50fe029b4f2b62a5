/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/launch/launch-page-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "ui/chart/ticks.h"
#include "ui/common/wrap.h"

/* Where a run begins: with its initial values, where another run stood, or with a file. */

#define MOST_RUNS 50 /* newest ones; others are forked from the table of runs */

typedef struct
{
  gint64 run, step; /* run 0: none; step: how far it came */
} Origin;

static const Origin *
get_chosen (SluiceLaunchPage *self)
{
  guint i =
      self->origin != NULL ? gtk_drop_down_get_selected (self->origin) : GTK_INVALID_LIST_POSITION;
  return i < self->origins->len ? self->origins->pdata[i] : NULL;
}

static gboolean
is_file (SluiceLaunchPage *self)
{
  return self->origin != NULL && gtk_drop_down_get_selected (self->origin) == self->origins->len;
}

const char *
sluice_launch_page_get_file (SluiceLaunchPage *self)
{
  return is_file (self) ? self->checkpoint : NULL;
}

gboolean
sluice_launch_page_get_origin (SluiceLaunchPage *self, gint64 *run, gint64 *step)
{
  const Origin *origin = get_chosen (self);
  *run = origin != NULL ? origin->run : 0;
  *step = 0;
  if (*run == 0)
    return !is_file (self) || self->checkpoint != NULL;
  g_autofree char *text = g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (self->step))));
  return g_ascii_string_to_signed (text, 10, 0, G_MAXINT64, step, NULL) && *step <= origin->step;
}

static void
show_problem (SluiceLaunchPage *self)
{
  const Origin *origin = get_chosen (self);
  gint64 run, step;
  gboolean ok = sluice_launch_page_get_origin (self, &run, &step);
  g_autofree char *last = sluice_format_step (origin != NULL ? origin->step : 0);
  g_autofree char *words =
      ok         ? NULL
      : run != 0 ? g_strdup_printf (_ ("Step: a whole number from 0 to %s, where it stands"), last)
                 : g_strdup (_ ("Choose a checkpoint file"));
  gtk_label_set_label (self->origin_problem, words != NULL ? words : "");
  gtk_widget_set_visible (GTK_WIDGET (self->origin_problem), !ok);
}

SluiceLaunchSource *
sluice_launch_page_new_source (SluiceLaunchPage *self)
{
  gint64 run = self->wanted_run, step = self->wanted_step;
  const char *folder =
      self->context != NULL ? sluice_run_controller_get_project (self->context->controller) : NULL;
  if (run == 0 && self->origin != NULL && !sluice_launch_page_get_origin (self, &run, &step))
    step = 0; /* a wrong one is told where it was typed */
  g_autoptr (SluiceRun) parent =
      folder != NULL && run != 0 ? sluice_workspace_dup_run (self->context->workspace, run) : NULL;
  if (folder == NULL)
    return NULL;
  SluiceLaunchSource *source = g_new (SluiceLaunchSource, 1);
  if (parent != NULL)
    {
      const SluiceRunInfo *info = sluice_run_get_info (parent);
      SluiceStore *store = sluice_workspace_get_store (self->context->workspace);
      *source = (SluiceLaunchSource){ sluice_store_dup_run_folder (store, run),
                                      g_strdup (info->name), g_strdup (info->project), run, step };
    }
  else
    *source = (SluiceLaunchSource){ g_strdup (folder), g_path_get_basename (folder),
                                    g_path_get_basename (folder), 0, -1 };
  return source;
}

static void
step_changed_cb (SluiceLaunchPage *self)
{
  show_problem (self);
  sluice_launch_page_follow_source (self);
  sluice_launch_page_changed (self);
}

/* ---- a file ---- */

static void
take_file (SluiceLaunchPage *self, char *take_path)
{
  g_free (self->checkpoint);
  self->checkpoint = take_path;
  /* What a checkpoint of several files is called by. */
  if (self->checkpoint != NULL && g_str_has_suffix (self->checkpoint, ".index"))
    self->checkpoint[strlen (self->checkpoint) - strlen (".index")] = '\0';
  g_autofree char *name =
      self->checkpoint != NULL ? g_path_get_basename (self->checkpoint) : g_strdup ("");
  gtk_button_set_label (GTK_BUTTON (self->file), name);
  gtk_widget_set_tooltip_text (self->file, self->checkpoint);
}

void
sluice_launch_page_choose_file (SluiceLaunchPage *self, const char *path, gboolean partly)
{
  take_file (self, g_strdup (path));
  gtk_check_button_set_active (GTK_CHECK_BUTTON (self->partly), partly);
  gtk_drop_down_set_selected (self->origin, self->origins->len);
}

static void
file_chosen_cb (GtkNativeDialog *dialog, int response, SluiceLaunchPage *self)
{
  g_autoptr (GFile) file = response == GTK_RESPONSE_ACCEPT
                               ? gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog))
                               : NULL;
  if (file != NULL)
    take_file (self, g_file_get_path (file));
  else if (self->checkpoint == NULL)
    gtk_drop_down_set_selected (self->origin, 0);
  g_object_unref (dialog);
  step_changed_cb (self);
}

static void
choose_file (SluiceLaunchPage *self)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkFileChooserNative *dialog =
      gtk_file_chooser_native_new (_ ("Start from a checkpoint"), GTK_WINDOW (root),
                                   GTK_FILE_CHOOSER_ACTION_OPEN, _ ("_Open"), _ ("_Cancel"));
  g_signal_connect_object (dialog, "response", G_CALLBACK (file_chosen_cb), self, 0);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

/* ---- the choice ---- */

/* step: (nullable): the one that the chosen run has come to */
static void
show_step (SluiceLaunchPage *self, const char *step)
{
  const Origin *origin = get_chosen (self);
  gboolean is_run = origin != NULL && origin->run != 0;
  g_autofree char *last = g_strdup_printf ("%" G_GINT64_FORMAT, is_run ? origin->step : 0);
  gtk_widget_set_visible (self->step_box, is_run);
  gtk_widget_set_visible (self->file_box, is_file (self));
  g_signal_handlers_block_by_func (self->step, step_changed_cb, self);
  gtk_editable_set_text (GTK_EDITABLE (self->step), step != NULL ? step : last);
  g_signal_handlers_unblock_by_func (self->step, step_changed_cb, self);
  step_changed_cb (self);
}

static void
origin_changed_cb (SluiceLaunchPage *self)
{
  if (is_file (self) && self->checkpoint == NULL)
    choose_file (self);
  show_step (self, NULL);
}

static void
add_origin (SluiceLaunchPage *self, GtkStringList *names, gint64 run, gint64 step, const char *name)
{
  Origin *origin = g_new (Origin, 1);
  *origin = (Origin){ run, step };
  g_ptr_array_add (self->origins, origin);
  gtk_string_list_append (names, name);
}

/* Of the project that is open; always: of whichever one. */
static void
add_runs (SluiceLaunchPage *self, GtkStringList *names, gint64 always)
{
  GListModel *runs = sluice_workspace_get_runs (self->context->workspace);
  const char *folder = sluice_run_controller_get_project (self->context->controller);
  g_autofree char *project = folder != NULL ? g_path_get_basename (folder) : NULL;
  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SluiceRun) run = g_list_model_get_item (runs, i);
      const SluiceRunInfo *info = sluice_run_get_info (run);
      if (info->id == always
          || (info->step > 0 && g_strcmp0 (info->project, project) == 0
              && self->origins->len <= MOST_RUNS))
        add_origin (self, names, info->id, info->step, info->name);
    }
}

/* The first one where that run is not listed. */
static guint
find_origin (SluiceLaunchPage *self, gint64 run)
{
  for (guint i = 0; i < self->origins->len; i++)
    if (((const Origin *) self->origins->pdata[i])->run == run)
      return i;
  return 0;
}

void
sluice_launch_page_list_origins (SluiceLaunchPage *self)
{
  const Origin *chosen = get_chosen (self);
  gint64 run = self->wanted_run != 0 ? self->wanted_run : chosen != NULL ? chosen->run : 0;
  gboolean was_file = is_file (self) && self->wanted_run == 0;
  g_autofree char *step = self->wanted_run != 0
                              ? g_strdup_printf ("%" G_GINT64_FORMAT, self->wanted_step)
                              : g_strdup (gtk_editable_get_text (GTK_EDITABLE (self->step)));
  g_autoptr (GtkStringList) names = gtk_string_list_new (NULL);
  g_signal_handlers_block_by_func (self->origin, origin_changed_cb, self);
  g_ptr_array_set_size (self->origins, 0);
  add_origin (self, names, 0, 0, _ ("Nothing: initial values"));
  add_runs (self, names, run);
  gtk_string_list_append (names, _ ("A checkpoint file…"));
  gtk_drop_down_set_model (self->origin, G_LIST_MODEL (names));
  gtk_drop_down_set_selected (self->origin,
                              was_file ? self->origins->len : find_origin (self, run));
  g_signal_handlers_unblock_by_func (self->origin, origin_changed_cb, self);
  self->wanted_run = 0;
  show_step (self, step);
}

void
sluice_launch_page_choose_origin (SluiceLaunchPage *self, gint64 run, gint64 step)
{
  self->wanted_run = run;
  self->wanted_step = step;
  if (self->form != NULL)
    sluice_launch_page_list_origins (self);
}

/* Which file it is, and what becomes of variables that it lacks. */
static GtkWidget *
make_file (SluiceLaunchPage *self)
{
  GtkWidget *wrap = sluice_wrap_new (8, FALSE);
  self->file = gtk_button_new_with_label ("");
  self->partly = gtk_check_button_new_with_label (
      _ ("What it lacks, or has in another shape, keeps its initial values"));
  gtk_widget_set_tooltip_text (self->partly,
                               _ ("Otherwise no run begins with a checkpoint that does not have "
                                  "every variable of the graph in its shape"));
  gtk_widget_set_visible (wrap, FALSE);
  g_signal_connect_object (self->file, "clicked", G_CALLBACK (choose_file), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->partly, "toggled", G_CALLBACK (step_changed_cb), self,
                           G_CONNECT_SWAPPED);
  sluice_wrap_append (SLUICE_WRAP (wrap), self->file);
  sluice_wrap_append (SLUICE_WRAP (wrap), self->partly);
  return wrap;
}

GtkWidget *
sluice_launch_page_make_origin (SluiceLaunchPage *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4), *wrap = sluice_wrap_new (8, FALSE);
  GtkWidget *origin = gtk_drop_down_new (NULL, NULL);
  self->origin = GTK_DROP_DOWN (origin);
  gtk_widget_set_hexpand (origin, TRUE);
  /* The button in it is what has the focus. */
  gtk_accessible_update_property (GTK_ACCESSIBLE (origin), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Start from"), -1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (gtk_widget_get_first_child (origin)),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Start from"), -1);
  self->step_box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  self->step = gtk_entry_new ();
  gtk_editable_set_width_chars (GTK_EDITABLE (self->step), 8);
  gtk_editable_set_max_width_chars (GTK_EDITABLE (self->step), 8);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->step), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Step to start from"), -1);
  gtk_box_append (GTK_BOX (self->step_box), gtk_label_new (_ ("step")));
  gtk_box_append (GTK_BOX (self->step_box), self->step);
  gtk_widget_set_visible (self->step_box, FALSE);
  self->origin_problem = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_wrap (self->origin_problem, TRUE);
  gtk_label_set_xalign (self->origin_problem, 0);
  gtk_widget_add_css_class (GTK_WIDGET (self->origin_problem), "error");
  gtk_widget_add_css_class (GTK_WIDGET (self->origin_problem), "launch-small");
  gtk_widget_set_visible (GTK_WIDGET (self->origin_problem), FALSE);
  g_signal_connect_object (origin, "notify::selected", G_CALLBACK (origin_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->step, "changed", G_CALLBACK (step_changed_cb), self,
                           G_CONNECT_SWAPPED);
  sluice_wrap_append (SLUICE_WRAP (wrap), origin);
  sluice_wrap_append (SLUICE_WRAP (wrap), self->step_box);
  self->file_box = make_file (self);
  gtk_box_append (GTK_BOX (box), wrap);
  gtk_box_append (GTK_BOX (box), self->file_box);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->origin_problem));
  return box;
}

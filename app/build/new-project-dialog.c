/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/build/new-project-dialog.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app/failure-words.h"
#include "engine/train/new-project.h"
#include "ui/chart/ticks.h"

/* Which files there are. */
typedef enum
{
  TRAIN_X,
  TRAIN_Y,
  TEST_X,
  TEST_Y,
  N_FILES,
} File;

#define N_MODELS 3

struct _SluiceNewProjectDialog
{
  AdwWindow parent;
  char *samples; /* (nullable) */
  AdwComboRow *data;
  GtkCheckButton *models[N_MODELS];
  GtkEditable *files[N_FILES], *folder;
  GtkWidget *file_group, *create, *spinner;
  GtkLabel *about, *wrong;
  gboolean is_known; /* what the data are */
  gboolean is_working;
  guint look_source;
  guint64 asked; /* how often the files were looked at: an answer to an older question is left */
};

G_DEFINE_FINAL_TYPE (SluiceNewProjectDialog, sluice_new_project_dialog, ADW_TYPE_WINDOW)

enum
{
  CREATED,
  N_SIGNALS,
};
static guint signals[N_SIGNALS];

/* Data that come with the program, and what is theirs among its samples. */
static const struct
{
  const char *title, *name;
  const char *files[N_FILES];
} sets[] = {
  { N_ ("Handwritten digits, 8 × 8"),
    "digits",
    { "data/digits/train-images-idx3-ubyte.gz", "data/digits/train-labels-idx1-ubyte.gz",
      "data/digits/t10k-images-idx3-ubyte.gz", "data/digits/t10k-labels-idx1-ubyte.gz" } },
  { N_ ("Files of mine"), "model", { NULL } },
};

/* In the order of SluiceFirstModel. */
static const char *const models[N_MODELS] = { N_ ("None: the data alone, on an empty canvas"),
                                              N_ ("Dense: one hidden layer, for a beginning"),
                                              N_ ("Convolution: for pictures") };

/* ---- what is asked for ---- */

typedef struct
{
  char *files[N_FILES]; /* (nullable) */
  char *folder;
  SluiceFirstModel model;
  guint64 number;
  SluiceDataAbout about; /* the answer */
} Question;

static void
question_free (gpointer data)
{
  Question *self = data;
  for (guint i = 0; i < N_FILES; i++)
    g_free (self->files[i]);
  g_free (self->folder);
  g_free (self);
}

static Question *
new_question (SluiceNewProjectDialog *self)
{
  Question *question = g_new0 (Question, 1);
  for (guint i = 0; i < N_FILES; i++)
    {
      const char *text = gtk_editable_get_text (self->files[i]);
      question->files[i] = *text != '\0' ? g_strdup (text) : NULL;
    }
  question->folder = g_strdup (gtk_editable_get_text (self->folder));
  for (guint i = 0; i < N_MODELS; i++)
    if (gtk_check_button_get_active (self->models[i]))
      question->model = (SluiceFirstModel) i;
  question->number = self->asked;
  return question;
}

static SluiceNewProject
get_project (const Question *self)
{
  return (SluiceNewProject){ .train_x = self->files[TRAIN_X],
                             .train_y = self->files[TRAIN_Y],
                             .test_x = self->files[TEST_X],
                             .test_y = self->files[TEST_Y],
                             .model = self->model };
}

static void
update (SluiceNewProjectDialog *self)
{
  gtk_widget_set_sensitive (self->create, self->is_known && !self->is_working
                                              && *gtk_editable_get_text (self->folder) != '\0');
  gtk_widget_set_visible (self->spinner, self->is_working);
  gtk_spinner_set_spinning (GTK_SPINNER (self->spinner), self->is_working);
}

static void
show_wrong (SluiceNewProjectDialog *self, const GError *error)
{
  g_autofree char *words = error != NULL ? sluice_failure_words (error) : NULL;
  gtk_label_set_label (self->wrong, words != NULL ? words : "");
  gtk_widget_set_visible (GTK_WIDGET (self->wrong), words != NULL);
}

/* ---- what the data are ---- */

/* "1 437 examples of 8 × 8 × 1, 0 to 255; 10 classes; 360 to test on" */
static char *
dup_about (const SluiceDataAbout *about)
{
  GString *text = g_string_new (NULL);
  GString *shape = g_string_new (NULL);
  g_autofree char *n = sluice_format_step (about->n);
  for (int i = 0; i < about->x.rank; i++)
    g_string_append_printf (shape, "%s%" G_GINT64_FORMAT, i > 0 ? " × " : "", about->x.dim[i]);
  g_autofree char *size = g_string_free (shape, FALSE);
  g_string_append_printf (text, _ ("%s examples of %s numbers, %g to %g"), n,
                          *size != '\0' ? size : "1", about->x_least, about->x_most);
  if (about->n_classes > 0)
    {
      g_autofree char *classes = sluice_format_step (about->n_classes);
      g_string_append_printf (text, _ ("; %s classes"), classes);
    }
  else
    g_string_append_printf (text, _ ("; a quantity, %g to %g"), about->y_least, about->y_most);
  if (about->n_test > 0)
    {
      g_autofree char *tests = sluice_format_step (about->n_test);
      g_string_append_printf (text, _ ("; %s to test on"), tests);
    }
  return g_string_free (text, FALSE);
}

static void
look_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Question *question = data;
  SluiceNewProject project = get_project (question);
  GError *error = NULL;
  if (sluice_new_project_describe (&project, &question->about, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
looked (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceNewProjectDialog *self = SLUICE_NEW_PROJECT_DIALOG (object);
  const Question *question = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  gboolean ok = g_task_propagate_boolean (G_TASK (result), &error);
  if (question->number != self->asked)
    return;
  g_autofree char *words = ok ? dup_about (&question->about) : g_strdup ("");
  self->is_known = ok;
  self->is_working = FALSE;
  gtk_label_set_label (self->about, words);
  show_wrong (self, error);
  update (self);
}

static gboolean
look_cb (gpointer data)
{
  SluiceNewProjectDialog *self = data;
  self->look_source = 0;
  self->asked++;
  self->is_known = FALSE;
  self->is_working = *gtk_editable_get_text (self->files[TRAIN_X]) != '\0';
  if (self->is_working)
    {
      g_autoptr (GTask) task = g_task_new (self, NULL, looked, NULL);
      g_task_set_task_data (task, new_question (self), question_free);
      g_task_run_in_thread (task, look_in_worker);
    }
  else
    gtk_label_set_label (self->about, _ ("Name a file, and what it holds is said here."));
  show_wrong (self, NULL);
  update (self);
  return G_SOURCE_REMOVE;
}

/* Once who types pauses. */
static void
files_changed_cb (SluiceNewProjectDialog *self)
{
  g_clear_handle_id (&self->look_source, g_source_remove);
  self->look_source = g_timeout_add (200, look_cb, self);
  self->is_known = FALSE;
  update (self);
}

/* ---- which data ---- */

/* A folder of that name that is not there yet. (transfer full) */
static char *
dup_free_folder (const char *name)
{
  const char *documents = g_get_user_special_dir (G_USER_DIRECTORY_DOCUMENTS);
  g_autofree char *folder =
      g_build_filename (documents != NULL ? documents : g_get_home_dir (), "Sluice", name, NULL);
  char *path = g_strdup (folder);
  for (guint i = 2; g_file_test (path, G_FILE_TEST_EXISTS); i++)
    {
      g_free (path);
      path = g_strdup_printf ("%s-%u", folder, i);
    }
  return path;
}

static void
data_chosen_cb (SluiceNewProjectDialog *self)
{
  guint set = MIN (adw_combo_row_get_selected (self->data), G_N_ELEMENTS (sets) - 1);
  g_autofree char *folder = dup_free_folder (sets[set].name);
  gboolean is_own = sets[set].files[TRAIN_X] == NULL;
  for (guint i = 0; i < N_FILES; i++)
    {
      g_autofree char *path = !is_own && self->samples != NULL
                                  ? g_build_filename (self->samples, sets[set].files[i], NULL)
                                  : g_strdup ("");
      gtk_editable_set_text (self->files[i], path);
    }
  gtk_editable_set_text (self->folder, folder);
  gtk_widget_set_visible (self->file_group, is_own);
  files_changed_cb (self);
}

/* ---- making it ---- */

static void
create_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Question *question = data;
  SluiceNewProject project = get_project (question);
  GError *error = NULL;
  if (sluice_new_project_create (&project, question->folder, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
created (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceNewProjectDialog *self = SLUICE_NEW_PROJECT_DIALOG (object);
  const Question *question = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  self->is_working = FALSE;
  if (g_task_propagate_boolean (G_TASK (result), &error))
    {
      g_signal_emit (self, signals[CREATED], 0, question->folder);
      gtk_window_close (GTK_WINDOW (self));
      return;
    }
  show_wrong (self, error);
  update (self);
}

static void
create_cb (SluiceNewProjectDialog *self)
{
  if (!gtk_widget_get_sensitive (self->create))
    return;
  g_autoptr (GTask) task = g_task_new (self, NULL, created, NULL);
  g_task_set_task_data (task, new_question (self), question_free);
  self->is_working = TRUE;
  show_wrong (self, NULL);
  update (self);
  g_task_run_in_thread (task, create_in_worker);
}

/* ---- choosing files ---- */

static void
file_chosen_cb (GtkNativeDialog *dialog, int response, GtkEditable *row)
{
  g_autoptr (GFile) file = response == GTK_RESPONSE_ACCEPT
                               ? gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog))
                               : NULL;
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;
  if (path != NULL)
    gtk_editable_set_text (row, path);
  g_object_unref (dialog);
}

static void
choose_cb (GtkEditable *row, GtkButton *button)
{
  GtkWindow *window = GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (row)));
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new (
      _ ("Choose a file"), window, GTK_FILE_CHOOSER_ACTION_OPEN, _ ("_Choose"), NULL);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_signal_connect_object (dialog, "response", G_CALLBACK (file_chosen_cb), row, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

/* The title is for the eye alone. */
static GtkWidget *
new_entry_row (const char *title)
{
  GtkWidget *row = adw_entry_row_new ();
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  gtk_accessible_update_property (GTK_ACCESSIBLE (gtk_editable_get_delegate (GTK_EDITABLE (row))),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, title, -1);
  return row;
}

static GtkEditable *
new_file_row (SluiceNewProjectDialog *self, const char *title)
{
  GtkWidget *row = new_entry_row (title);
  GtkWidget *button = gtk_button_new_from_icon_name ("document-open-symbolic");
  g_autofree char *name = g_strdup_printf (_ ("Choose: %s"), title);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_tooltip_text (button, _ ("Choose a file"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  adw_entry_row_add_suffix (ADW_ENTRY_ROW (row), button);
  g_signal_connect_swapped (button, "clicked", G_CALLBACK (choose_cb), row);
  g_signal_connect_swapped (row, "changed", G_CALLBACK (files_changed_cb), self);
  return GTK_EDITABLE (row);
}

/* ---- life ---- */

static AdwComboRow *
new_choice (const char *title)
{
  GtkWidget *row = adw_combo_row_new ();
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  adw_combo_row_set_use_subtitle (ADW_COMBO_ROW (row), TRUE); /* all of its words are seen */
  return ADW_COMBO_ROW (row);
}

static void
add_names (AdwComboRow *row, const char *const *names, gsize n, gsize stride)
{
  g_autoptr (GtkStringList) list = gtk_string_list_new (NULL);
  for (gsize i = 0; i < n; i++)
    gtk_string_list_append (list, _ (*(const char *const *) ((const char *) names + i * stride)));
  adw_combo_row_set_model (row, G_LIST_MODEL (list));
}

static GtkLabel *
new_words (const char *style)
{
  GtkWidget *label = gtk_label_new (NULL);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_add_css_class (label, style);
  return GTK_LABEL (label);
}

static GtkWidget *
new_group (GtkWidget *box)
{
  GtkWidget *group = adw_preferences_group_new ();
  gtk_box_append (GTK_BOX (box), group);
  return group;
}

/* All of them are seen, with all of their words: it is the first thing that somebody chooses. */
static void
add_models (SluiceNewProjectDialog *self, GtkWidget *group)
{
  adw_preferences_group_set_title (ADW_PREFERENCES_GROUP (group), _ ("First model"));
  for (guint i = 0; i < N_MODELS; i++)
    {
      GtkWidget *row = adw_action_row_new ();
      GtkWidget *check =
          g_object_new (GTK_TYPE_CHECK_BUTTON, "accessible-role", GTK_ACCESSIBLE_ROLE_RADIO, NULL);
      self->models[i] = GTK_CHECK_BUTTON (check);
      gtk_check_button_set_group (self->models[i], i > 0 ? self->models[0] : NULL);
      gtk_widget_set_valign (check, GTK_ALIGN_CENTER);
      adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), _ (models[i]));
      adw_action_row_add_prefix (ADW_ACTION_ROW (row), check);
      adw_action_row_set_activatable_widget (ADW_ACTION_ROW (row), check); /* and its label */
      adw_preferences_group_add (ADW_PREFERENCES_GROUP (group), row);
    }
  gtk_check_button_set_active (self->models[SLUICE_FIRST_MODEL_DENSE], TRUE);
}

static void
add_rows (SluiceNewProjectDialog *self, GtkWidget *box)
{
  static const char *const titles[N_FILES] = { N_ ("Examples: IDX, CSV or NumPy"),
                                               N_ ("Their labels (of CSV: the last column)"),
                                               N_ ("Examples to test on"), N_ ("Their labels") };
  GtkWidget *first = new_group (box), *last;
  self->data = new_choice (_ ("Data"));
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (first), GTK_WIDGET (self->data));
  self->file_group = new_group (box);
  for (guint i = 0; i < N_FILES; i++)
    {
      self->files[i] = new_file_row (self, _ (titles[i]));
      adw_preferences_group_add (ADW_PREFERENCES_GROUP (self->file_group),
                                 GTK_WIDGET (self->files[i]));
    }
  self->about = new_words ("dim-label");
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->about));
  add_models (self, new_group (box));
  last = new_group (box);
  self->folder = GTK_EDITABLE (new_entry_row (_ ("Folder")));
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (last), GTK_WIDGET (self->folder));
  self->wrong = new_words ("error");
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->wrong));
  g_signal_connect_swapped (self->folder, "changed", G_CALLBACK (update), self);
}

static GtkWidget *
new_bar (SluiceNewProjectDialog *self)
{
  GtkWidget *bar = adw_header_bar_new (), *cancel = gtk_button_new_with_label (_ ("Cancel"));
  self->create = gtk_button_new_with_label (_ ("Create"));
  self->spinner = gtk_spinner_new ();
  gtk_widget_add_css_class (self->create, "suggested-action");
  adw_header_bar_set_show_end_title_buttons (ADW_HEADER_BAR (bar), FALSE);
  adw_header_bar_pack_start (ADW_HEADER_BAR (bar), cancel);
  adw_header_bar_pack_end (ADW_HEADER_BAR (bar), self->create);
  adw_header_bar_pack_end (ADW_HEADER_BAR (bar), self->spinner);
  g_signal_connect_swapped (cancel, "clicked", G_CALLBACK (gtk_window_close), self);
  g_signal_connect_swapped (self->create, "clicked", G_CALLBACK (create_cb), self);
  return bar;
}

GtkWidget *
sluice_new_project_dialog_new (GtkWindow *over, const char *samples)
{
  SluiceNewProjectDialog *self =
      g_object_new (SLUICE_TYPE_NEW_PROJECT_DIALOG, "transient-for", over, NULL);
  self->samples = g_strdup (samples);
  if (samples == NULL)
    adw_combo_row_set_selected (self->data, G_N_ELEMENTS (sets) - 1);
  data_chosen_cb (self);
  gtk_window_set_focus (GTK_WINDOW (self), GTK_WIDGET (self->data));
  return GTK_WIDGET (self);
}

static void
sluice_new_project_dialog_dispose (GObject *object)
{
  SluiceNewProjectDialog *self = SLUICE_NEW_PROJECT_DIALOG (object);
  g_clear_handle_id (&self->look_source, g_source_remove);
  g_clear_pointer (&self->samples, g_free);
  G_OBJECT_CLASS (sluice_new_project_dialog_parent_class)->dispose (object);
}

static void
sluice_new_project_dialog_class_init (SluiceNewProjectDialogClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sluice_new_project_dialog_dispose;
  gtk_widget_class_add_binding_action (GTK_WIDGET_CLASS (klass), GDK_KEY_Escape, 0, "window.close",
                                       NULL);
  signals[CREATED] = g_signal_new ("created", SLUICE_TYPE_NEW_PROJECT_DIALOG, G_SIGNAL_RUN_LAST, 0,
                                   NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
sluice_new_project_dialog_init (SluiceNewProjectDialog *self)
{
  GtkWidget *content = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12);
  gtk_window_set_title (GTK_WINDOW (self), _ ("New project from data"));
  gtk_window_set_modal (GTK_WINDOW (self), TRUE);
  gtk_window_set_default_size (GTK_WINDOW (self), 560, -1);
  gtk_widget_add_css_class (box, "new-project");
  gtk_box_append (GTK_BOX (content), new_bar (self));
  add_rows (self, box);
  gtk_box_append (GTK_BOX (content), box);
  adw_window_set_content (ADW_WINDOW (self), content);
  add_names (self->data, &sets[0].title, G_N_ELEMENTS (sets), sizeof sets[0]);
  gtk_window_set_default_widget (GTK_WINDOW (self), self->create);
  g_signal_connect_swapped (self->data, "notify::selected", G_CALLBACK (data_chosen_cb), self);
}

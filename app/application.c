/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/application.h"

#include <glib-unix.h>
#include <glib/gi18n.h>
#include <stdio.h>

#include "app/help/help-pages.h"
#include "app/help/help-window.h"
#include "app/moment-actions.h"
#include "app/page.h"
#include "app/picture.h"
#include "app/plugins.h"
#include "app/preferences.h"
#include "app/recent.h"
#include "app/run-controller.h"
#include "app/shortcuts.h"
#include "app/signals.h"
#include "app/window-state.h"
#include "app/samples.h"
#include "app/window.h"
#include "engine/base/read-file.h"
#include "engine/base/text.h"

/* Of a picture, in pixels: where nothing else is asked for, and what a Cairo surface can have. */
#define PICTURE_WIDTH  1280
#define PICTURE_HEIGHT 800
#define PICTURE_MAX    32767

static char **allowed_files, **picture_actions, *unpack_limit;
static gboolean special_files, allow_commands;

struct _SluiceApplication
{
  AdwApplication parent;
  GSettings *settings;
  SluiceWindow *window;
  SluiceHelpWindow *help; /* (nullable): while it is open */
  gboolean is_dark;       /* --dark: until somebody chooses */
  char *dark_picture;     /* (nullable): --dark-out, until it is drawn */
  guint inhibition;       /* of the session's end, while a run is saved; 0: none */
  guint n_failed_plugins; /* told when there is a window */
  SluiceReadAhead *ahead; /* (nullable): until the window has it */
  int status;
};

G_DEFINE_FINAL_TYPE (SluiceApplication, sluice_application, ADW_TYPE_APPLICATION)

/* ---- light and dark ---- */

static void
apply_color_scheme (SluiceApplication *self)
{
  static const AdwColorScheme schemes[] = { ADW_COLOR_SCHEME_DEFAULT, ADW_COLOR_SCHEME_FORCE_LIGHT,
                                            ADW_COLOR_SCHEME_FORCE_DARK };
  adw_style_manager_set_color_scheme (
      adw_application_get_style_manager (ADW_APPLICATION (self)),
      self->is_dark ? ADW_COLOR_SCHEME_FORCE_DARK
                    : schemes[g_settings_get_enum (self->settings, "color-scheme")]);
}

static void
toggle_dark_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceApplication *self = data;
  gboolean dark =
      adw_style_manager_get_dark (adw_application_get_style_manager (ADW_APPLICATION (self)));
  self->is_dark = FALSE;
  g_settings_set_string (self->settings, "color-scheme", dark ? "light" : "dark");
  apply_color_scheme (self); /* also where the setting was that already */
}

/* ---- actions ---- */

static void
preferences_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceApplication *self = data;
  sluice_preferences_present (GTK_WINDOW (self->window), self->settings);
}

static void
show_help (SluiceApplication *self, const char *page)
{
  if (self->help == NULL)
    g_set_weak_pointer (&self->help, sluice_help_window_new (GTK_APPLICATION (self)));
  sluice_help_window_go (self->help, page);
  gtk_window_present (GTK_WINDOW (self->help));
}

/* The page of what has the focus, or of what is in front. */
static void
help_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceApplication *self = data;
  GtkWindow *window = gtk_application_get_active_window (GTK_APPLICATION (self));
  GtkWidget *focus = window != NULL ? gtk_window_get_focus (window) : NULL;
  const char *page = sluice_help_get_page (focus != NULL ? focus : GTK_WIDGET (window));
  if (page == NULL && window != NULL && window == GTK_WINDOW (self->window))
    page = sluice_help_get_page (GTK_WIDGET (sluice_window_get_page (self->window)));
  show_help (self, page != NULL ? page : SLUICE_HELP_INDEX);
}

static void
help_page_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  show_help (data, g_variant_get_string (parameter, NULL));
}

static void
about_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceApplication *self = data;
  adw_show_about_window (
      GTK_WINDOW (self->window), "application-name", "Sluice", "application-icon",
      "org.sluice.Workbench", "version", SLUICE_VERSION, "developer-name", _ ("The Sluice authors"),
      "license-type", GTK_LICENSE_APACHE_2_0, "comments",
      _ ("Build, train and understand dataflow graphs on your own machine."), NULL);
}

static void
quit_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceApplication *self = data;
  if (self->window != NULL)
    gtk_window_close (GTK_WINDOW (self->window)); /* saves what runs */
}

/* What a notification offers: the window comes to the front with the run selected. */
static gboolean
show_run (SluiceApplication *self, const char *name)
{
  if (self->window == NULL)
    return FALSE;
  sluice_runs_pane_select (sluice_window_get_runs_pane (self->window), name);
  gtk_window_present (GTK_WINDOW (self->window));
  return TRUE;
}

static void
show_run_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  show_run (data, g_variant_get_string (parameter, NULL));
}

/* The same at a step: what was kept of it. */
static void
show_moment_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceApplication *self = data;
  if (self->window == NULL)
    return;
  gtk_window_present (GTK_WINDOW (self->window));
  g_action_group_activate_action (G_ACTION_GROUP (self->window), SLUICE_MOMENT_ACTION, parameter);
}

/* Where its project is still the open one, and nothing else is under way. */
static void
resume_run_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceApplication *self = data;
  const char *name = g_variant_get_string (parameter, NULL);
  /* By name: the list of runs hears later than the desktop that this one has ended. */
  if (show_run (self, name))
    g_action_group_activate_action (G_ACTION_GROUP (self->window), "resume-run-from",
                                    g_variant_new ("(sxbb)", name, (gint64) -1, FALSE, FALSE));
}

static void open_workspace (SluiceApplication *self, const char *folder);

static void
open_workspace_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceApplication *self = data;
  const char *folder = g_variant_get_string (parameter, NULL);
  if (self->window == NULL)
    return;
  if (g_file_test (folder, G_FILE_TEST_IS_DIR))
    {
      open_workspace (self, folder);
      return;
    }
  g_autofree char *words =
      g_strdup_printf (_ ("“%s” is not there any more; it was taken off the list"), folder);
  sluice_recent_remove (self->settings, folder);
  sluice_window_tell (self->window, words);
}

static void
workspace_chosen_cb (GtkNativeDialog *dialog, int response, SluiceApplication *self)
{
  g_autoptr (GFile) file = response == GTK_RESPONSE_ACCEPT
                               ? gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog))
                               : NULL;
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;
  if (path != NULL)
    open_workspace (self, path);
  g_object_unref (dialog);
}

static void
choose_workspace_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceApplication *self = data;
  if (self->window == NULL)
    return;
  GtkFileChooserNative *dialog =
      gtk_file_chooser_native_new (_ ("Open a workspace"), GTK_WINDOW (self->window),
                                   GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, _ ("_Open"), NULL);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_signal_connect_object (dialog, "response", G_CALLBACK (workspace_chosen_cb), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

static const GActionEntry actions[] = {
  { .name = "open-workspace", .activate = open_workspace_cb, .parameter_type = "s" },
  { .name = "choose-workspace", .activate = choose_workspace_cb },
  { .name = "show-run", .activate = show_run_cb, .parameter_type = "s" },
  { .name = "show-moment", .activate = show_moment_cb, .parameter_type = "(sx)" },
  { .name = "resume-run", .activate = resume_run_cb, .parameter_type = "s" },
  { .name = "preferences", .activate = preferences_cb },
  { .name = "help", .activate = help_cb },
  { .name = "help-page", .activate = help_page_cb, .parameter_type = "s" },
  { .name = "about", .activate = about_cb },
  { .name = "quit", .activate = quit_cb },
  { .name = "toggle-dark", .activate = toggle_dark_cb },
};

/* ---- a picture of a page, then the end ---- */

/* What --screenshot and its options ask for. FALSE: told what is wrong with them. */
typedef struct
{
  const char *page; /* (nullable): no picture is asked for */
  const char *path;
  const char *dark_path; /* (nullable) */
  gint32 width, height;
  double text_scale;
  char **actions; /* (nullable) */
} PictureOptions;

static void
picture_done_cb (const char *failure, gpointer data)
{
  SluiceApplication *self = data;
  g_autofree char *dark = g_steal_pointer (&self->dark_picture);
  if (failure == NULL && dark != NULL)
    {
      self->is_dark = TRUE;
      apply_color_scheme (self);
      sluice_picture_take_again (self->window, dark, picture_done_cb, self);
      return;
    }
  if (failure != NULL)
    g_printerr ("sluice-workbench: %s\n", failure);
  self->status = failure != NULL;
  g_application_quit (G_APPLICATION (self));
}

static gboolean
read_picture_options (GVariantDict *options, GApplicationCommandLine *line, PictureOptions *picture)
{
  *picture = (PictureOptions){
    .width = PICTURE_WIDTH, .height = PICTURE_HEIGHT, .text_scale = 1, .actions = picture_actions
  };
  g_variant_dict_lookup (options, "screenshot", "&s", &picture->page);
  g_variant_dict_lookup (options, "out", "^&ay", &picture->path);
  g_variant_dict_lookup (options, "dark-out", "^&ay", &picture->dark_path);
  g_variant_dict_lookup (options, "width", "i", &picture->width);
  g_variant_dict_lookup (options, "height", "i", &picture->height);
  g_variant_dict_lookup (options, "text-scale", "d", &picture->text_scale);
  if (picture->page == NULL)
    return TRUE;
  g_autofree char *pages = sluice_page_list_names ();
  if (!sluice_page_exists (picture->page))
    g_application_command_line_printerr (
        line, _ ("sluice-workbench: there is no page “%s”; the pages are: %s\n"), picture->page,
        pages);
  else if (picture->path == NULL)
    g_application_command_line_printerr (
        line, _ ("sluice-workbench: --screenshot needs --out FILE.png\n"));
  else if (MIN (picture->width, picture->height) < 1
           || MAX (picture->width, picture->height) > PICTURE_MAX)
    g_application_command_line_printerr (
        line, _ ("sluice-workbench: --width and --height must lie between 1 and %d\n"),
        PICTURE_MAX);
  else if (!(picture->text_scale >= 0.5 && picture->text_scale <= 4))
    g_application_command_line_printerr (
        line, _ ("sluice-workbench: --text-scale must lie between 0.5 and 4\n"));
  else
    return TRUE;
  return FALSE;
}

/* ---- starting ---- */

static char *
find_sample (void)
{
  const char *folder = sluice_samples_get_folder ();
  return folder != NULL ? g_build_filename (folder, SLUICE_FIRST_SAMPLE, NULL) : NULL;
}

/* The project is opened in the background: training begins once there is something to train. */
static void
start_when_enabled (GActionGroup *window, const char *action, gboolean enabled)
{
  if (!enabled)
    return;
  g_signal_handlers_disconnect_by_func (window, start_when_enabled, NULL);
  g_action_group_activate_action (window, action, NULL);
}

static void
start_training (SluiceWindow *window)
{
  GActionGroup *group = G_ACTION_GROUP (window);
  g_signal_connect (group, "action-enabled-changed::start", G_CALLBACK (start_when_enabled), NULL);
  start_when_enabled (group, "start", g_action_group_get_action_enabled (group, "start"));
}

static void
tell_failed_plugins (SluiceApplication *self)
{
  if (self->n_failed_plugins == 0)
    return;
  g_autofree char *message =
      g_strdup_printf (ngettext ("%u shared object could not be loaded",
                                 "%u shared objects could not be loaded", self->n_failed_plugins),
                       self->n_failed_plugins);
  sluice_window_offer (self->window, message, _ ("_Preferences"), "app.preferences");
}

/* For tests, which drive the window over the bus. */
static void
tell_bus_name (GApplication *application)
{
  GDBusConnection *bus = g_application_get_dbus_connection (application);
  puts (bus != NULL ? g_dbus_connection_get_unique_name (bus) : "");
  fflush (stdout);
}

/* (transfer full) */
static char *
dup_workspace (GVariantDict *options)
{
  g_autofree char *workspace = NULL;
  g_variant_dict_lookup (options, "workspace", "^ay", &workspace);
  return workspace != NULL ? g_steal_pointer (&workspace)
                           : g_build_filename (g_get_user_data_dir (), "sluice", NULL);
}

/* What the command line names, what was open last in the workspace, or the sample. (transfer full)
 * (nullable) */
static char *
dup_path (GVariantDict *options)
{
  g_autofree const char **paths = NULL;
  if (g_variant_dict_lookup (options, G_OPTION_REMAINING, "^a&ay", &paths) && paths[0] != NULL)
    return g_strdup (paths[0]);
  g_autofree char *workspace = dup_workspace (options);
  g_autofree char *last = sluice_window_state_dup_project (workspace);
  return last != NULL ? g_steal_pointer (&last) : find_sample ();
}

/* Of this process, which is the one that reads. FALSE: --unpack-limit is none. */
static gboolean
set_read_options (void)
{
  SluiceReadOptions options = { .special_files = special_files };
  gsize bytes = 0;
  if (unpack_limit != NULL && !sluice_text_parse_size (unpack_limit, &bytes))
    {
      g_printerr (_ ("--unpack-limit '%s': a number of bytes is wanted, as 500000, 64M or 2G\n"),
                  unpack_limit);
      return FALSE;
    }
  options.unpacked_bytes = bytes;
  sluice_read_set_options (&options);
  sluice_run_controller_allow_files ((const char *const *) allowed_files);
  sluice_run_controller_allow_commands (allow_commands);
  return TRUE;
}

/* Before there is a toolkit, whose start takes as long as reading a large graph. What plugins bring
 * must be known by then. */
static int
read_ahead_cb (GApplication *application, GVariantDict *options, gpointer data)
{
  SluiceApplication *self = SLUICE_APPLICATION (application);
  if (!set_read_options ())
    return 2;
  g_autofree char *path = dup_path (options);
  self->settings = g_settings_new ("org.sluice.Workbench");
  self->n_failed_plugins = sluice_plugins_load (self->settings);
  if (path != NULL)
    self->ahead = sluice_read_ahead_new (path);
  return -1; /* go on */
}

/* GTK 4.8 gives the button of its own search no name. */
static void
name_search_button (GtkWidget *widget)
{
  if (GTK_IS_TOGGLE_BUTTON (widget) && gtk_button_get_icon_name (GTK_BUTTON (widget)) != NULL)
    gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                    _ ("Search the shortcuts"), -1);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    name_search_button (child);
}

static void
set_window (SluiceApplication *self, SluiceWindow *window)
{
  if (self->window != NULL)
    g_object_remove_weak_pointer (G_OBJECT (self->window), (gpointer *) &self->window);
  self->window = window;
  GtkShortcutsWindow *keys =
      gtk_application_window_get_help_overlay (GTK_APPLICATION_WINDOW (window));
  if (keys != NULL)
    name_search_button (GTK_WIDGET (keys));
  g_object_add_weak_pointer (G_OBJECT (window), (gpointer *) &self->window);
}

/* In place of the one that is open, which goes as by its close button: what runs is saved. */
static void
open_workspace (SluiceApplication *self, const char *folder)
{
  SluiceWindow *old = self->window;
  g_autofree char *project = sluice_window_state_dup_project (folder);
  set_window (self, sluice_window_new (self, folder));
  sluice_window_restore (self->window);
  if (project != NULL)
    sluice_window_open (self->window, project, NULL);
  gtk_window_present (GTK_WINDOW (self->window));
  if (old != NULL)
    gtk_window_close (GTK_WINDOW (old));
}

static int
sluice_application_command_line (GApplication *application, GApplicationCommandLine *line)
{
  SluiceApplication *self = SLUICE_APPLICATION (application);
  GVariantDict *options = g_application_command_line_get_options_dict (line);
  g_autofree char *workspace = dup_workspace (options);
  PictureOptions picture;
  if (!read_picture_options (options, line, &picture))
    return 2;
  if (g_variant_dict_lookup (options, "dark", "b", &self->is_dark))
    apply_color_scheme (self);
  if (self->window == NULL)
    {
      set_window (self, sluice_window_new (self, workspace));
      if (picture.page == NULL)
        sluice_window_restore (self->window);
      tell_failed_plugins (self);
    }
  if (g_variant_dict_contains (options, "width") || g_variant_dict_contains (options, "height"))
    gtk_window_set_default_size (GTK_WINDOW (self->window), picture.width, picture.height);
  g_autofree char *path = dup_path (options);
  if (path != NULL)
    sluice_window_open (self->window, path, g_steal_pointer (&self->ahead));
  if (g_variant_dict_contains (options, "start"))
    start_training (self->window);
  if (picture.page != NULL)
    {
      sluice_window_show_page (self->window, picture.page);
      self->dark_picture = g_strdup (picture.dark_path);
      sluice_picture_take (self->window, picture.path, picture.width, picture.height,
                           picture.text_scale, picture.actions, picture_done_cb, self);
    }
  gtk_window_present (GTK_WINDOW (self->window));
  if (g_getenv ("SLUICE_PROBE") != NULL)
    tell_bus_name (G_APPLICATION (self));
  return 0;
}

/* Several of these programs may run; a desktop sends a notification's actions to the application's
 * name, which the first of them has. */
static void
own_name (SluiceApplication *self)
{
  GDBusConnection *bus = g_application_get_dbus_connection (G_APPLICATION (self));
  if (bus != NULL)
    g_bus_own_name_on_connection (bus, g_application_get_application_id (G_APPLICATION (self)),
                                  G_BUS_NAME_OWNER_FLAGS_DO_NOT_QUEUE, NULL, NULL, NULL, NULL);
}

/* As the window's close button: what runs is saved, then the window goes. */
static gboolean
signal_cb (int fd, GIOCondition condition, gpointer data)
{
  SluiceApplication *self = data;
  sluice_signals_clear ();
  if (self->window != NULL)
    gtk_window_close (GTK_WINDOW (self->window));
  else
    g_application_quit (G_APPLICATION (self));
  return G_SOURCE_CONTINUE;
}

static void
release_session (SluiceApplication *self)
{
  if (self->inhibition != 0)
    gtk_application_uninhibit (GTK_APPLICATION (self), self->inhibition);
  self->inhibition = 0;
}

/* The session wants to end, and is asked to wait until what runs is saved. */
static void
query_end_cb (SluiceApplication *self)
{
  SluiceRunController *controller =
      self->window != NULL ? sluice_window_get_controller (self->window) : NULL;
  if (controller == NULL || sluice_run_controller_get_state (controller) == SLUICE_CONTROL_IDLE)
    return;
  if (self->inhibition == 0)
    self->inhibition =
        gtk_application_inhibit (GTK_APPLICATION (self), GTK_WINDOW (self->window),
                                 GTK_APPLICATION_INHIBIT_LOGOUT, _ ("A run is being saved"));
  gtk_window_close (GTK_WINDOW (self->window));
}

static void
sluice_application_window_removed (GtkApplication *application, GtkWindow *window)
{
  SluiceApplication *self = SLUICE_APPLICATION (application);
  if (window == GTK_WINDOW (self->window))
    {
      release_session (self);
      if (self->help != NULL)
        gtk_window_destroy (GTK_WINDOW (self->help));
    }
  GTK_APPLICATION_CLASS (sluice_application_parent_class)->window_removed (application, window);
}

/* However the program ends, also where the session did not wait. */
static void
sluice_application_shutdown (GApplication *application)
{
  SluiceApplication *self = SLUICE_APPLICATION (application);
  if (self->window != NULL)
    sluice_run_controller_finish (sluice_window_get_controller (self->window));
  G_APPLICATION_CLASS (sluice_application_parent_class)->shutdown (application);
}

static void
sluice_application_startup (GApplication *application)
{
  SluiceApplication *self = SLUICE_APPLICATION (application);
  g_set_application_name (_ ("Sluice"));
  sluice_signals_catch ();
  g_unix_fd_add (sluice_signals_get_fd (), G_IO_IN, signal_cb, self);
  g_signal_connect (self, "query-end", G_CALLBACK (query_end_cb), NULL);
  G_APPLICATION_CLASS (sluice_application_parent_class)->startup (application);
  /* Text that can be copied is not marked because Tab came by. */
  g_object_set (gtk_settings_get_default (), "gtk-label-select-on-focus", FALSE, NULL);
  g_signal_connect_swapped (self->settings, "changed::color-scheme",
                            G_CALLBACK (apply_color_scheme), self);
  apply_color_scheme (self);
  own_name (self);
  g_action_map_add_action_entries (G_ACTION_MAP (self), actions, G_N_ELEMENTS (actions), self);
  sluice_shortcuts_set_accelerators (GTK_APPLICATION (self));
}

static void
sluice_application_activate (GApplication *application)
{
  SluiceApplication *self = SLUICE_APPLICATION (application);
  if (self->window != NULL)
    gtk_window_present (GTK_WINDOW (self->window));
}

int
sluice_application_get_status (SluiceApplication *self)
{
  return self->status;
}

static void
sluice_application_finalize (GObject *object)
{
  SluiceApplication *self = SLUICE_APPLICATION (object);
  g_clear_weak_pointer (&self->help);
  g_clear_object (&self->settings);
  g_clear_pointer (&self->ahead, sluice_read_ahead_free);
  g_free (self->dark_picture);
  G_OBJECT_CLASS (sluice_application_parent_class)->finalize (object);
}

static void
sluice_application_class_init (SluiceApplicationClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sluice_application_finalize;
  G_APPLICATION_CLASS (klass)->startup = sluice_application_startup;
  G_APPLICATION_CLASS (klass)->shutdown = sluice_application_shutdown;
  GTK_APPLICATION_CLASS (klass)->window_removed = sluice_application_window_removed;
  G_APPLICATION_CLASS (klass)->activate = sluice_application_activate;
  G_APPLICATION_CLASS (klass)->command_line = sluice_application_command_line;
}

static void
sluice_application_init (SluiceApplication *self)
{
  static const GOptionEntry options[] = {
    { "workspace", 0, 0, G_OPTION_ARG_FILENAME, NULL,
      N_ ("Folder of runs (your data folder's sluice)"), N_ ("DIR") },
    { "allow-files", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &allowed_files,
      N_ ("Ops may read and write files in this folder, beside the workspace; may be given several "
          "times"),
      N_ ("DIR") },
    { "allow-commands", 0, 0, G_OPTION_ARG_NONE, &allow_commands,
      N_ ("Alerts may run the commands that a project names; else they are only told"), NULL },
    { "special-files", 0, 0, G_OPTION_ARG_NONE, &special_files,
      N_ ("Also read pipes and devices where a file is named"), NULL },
    { "unpack-limit", 0, 0, G_OPTION_ARG_STRING, &unpack_limit,
      N_ ("How much a compressed file may hold (256M, or 100 times its size)"), N_ ("SIZE") },
    { "start", 0, 0, G_OPTION_ARG_NONE, NULL, N_ ("Start training at once"), NULL },
    { "screenshot", 0, 0, G_OPTION_ARG_STRING, NULL, N_ ("Draw a page and end"), N_ ("PAGE") },
    { "out", 0, 0, G_OPTION_ARG_FILENAME, NULL, N_ ("Where to draw it"), N_ ("FILE.png") },
    { "dark-out", 0, 0, G_OPTION_ARG_FILENAME, NULL,
      N_ ("Of --screenshot: where to draw it in dark colours, too"), N_ ("FILE.png") },
    { "dark", 0, 0, G_OPTION_ARG_NONE, NULL, N_ ("Dark colours"), NULL },
    { "width", 0, 0, G_OPTION_ARG_INT, NULL, N_ ("Width of the window"), N_ ("PIXELS") },
    { "height", 0, 0, G_OPTION_ARG_INT, NULL, N_ ("Height of the window"), N_ ("PIXELS") },
    { "text-scale", 0, 0, G_OPTION_ARG_DOUBLE, NULL, N_ ("Of --screenshot: size of all text"),
      N_ ("FACTOR") },
    { "act", 0, 0, G_OPTION_ARG_STRING_ARRAY, &picture_actions,
      N_ ("Of --screenshot: do this first, as in win.select::NODE; may be given several times"),
      N_ ("ACTION") },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, NULL, NULL, N_ ("[PROJECT]") },
    G_OPTION_ENTRY_NULL,
  };
  g_application_add_main_option_entries (G_APPLICATION (self), options);
  g_signal_connect (self, "handle-local-options", G_CALLBACK (read_ahead_cb), NULL);
}

SluiceApplication *
sluice_application_new (void)
{
  return g_object_new (SLUICE_TYPE_APPLICATION, "application-id", "org.sluice.Workbench", "flags",
                       G_APPLICATION_HANDLES_COMMAND_LINE | G_APPLICATION_NON_UNIQUE,
                       "register-session", TRUE, NULL);
}

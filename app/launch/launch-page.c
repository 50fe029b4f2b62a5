/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/launch/launch-page-private.h"

#include <glib/gi18n.h>
#include <json-glib/json-glib.h>
#include <string.h>

#include "app/failure-words.h"
#include "app/program.h"
#include "ui/common/bar-layout.h"
#include "ui/common/wrap.h"

static void init_page (SluicePageInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (SluiceLaunchPage,
                               sluice_launch_page,
                               GTK_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (SLUICE_TYPE_PAGE, init_page))

void
sluice_launch_page_tell (SluiceLaunchPage *self, const char *message)
{
  GtkWidget *toasts = gtk_widget_get_ancestor (GTK_WIDGET (self), ADW_TYPE_TOAST_OVERLAY);
  g_autofree char *markup = g_markup_escape_text (message, -1);
  if (toasts != NULL)
    adw_toast_overlay_add_toast (ADW_TOAST_OVERLAY (toasts), adw_toast_new (markup));
}

/* ---- reading the project, in a worker ---- */

void
sluice_launch_source_free (SluiceLaunchSource *self)
{
  g_free (self->folder);
  g_free (self->title);
  g_free (self->project);
  g_free (self);
}

/* (nullable) */
static gboolean
is_same_source (const SluiceLaunchSource *a, const SluiceLaunchSource *b)
{
  return a == b
         || (a != NULL && b != NULL && strcmp (a->folder, b->folder) == 0 && a->step == b->step);
}

static void
read_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const SluiceLaunchSource *asked = data;
  GError *error = NULL;
  SluiceLaunchForm *form = sluice_launch_form_load (asked->folder, asked->step, &error);
  if (form != NULL)
    g_task_return_pointer (task, form, (GDestroyNotify) sluice_launch_form_free);
  else
    g_task_return_error (task, error);
}

/* "digits-mlp · graph 7c1e04 · data train-images-idx3-ubyte.gz · build 0.3.0" */
static void
show_subtitle (SluiceLaunchPage *self)
{
  const SluiceLaunchForm *form = self->form;
  g_autofree char *data = form->project->train_x != NULL
                              ? g_path_get_basename (form->project->train_x)
                              : g_strdup (_ ("of the graph"));
  g_autofree char *text = g_strdup_printf (
      _ ("%s · graph %.6s · data %s · build %s"), self->source->project,
      form->graph_hash != NULL ? form->graph_hash : "–", data, sluice_program_get_version ());
  gtk_label_set_label (self->subtitle, text);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->subtitle), text);
}

/* All that the rows are made of, but for how much memory is free at the moment. (transfer full) */
static char *
dup_fingerprint (const SluiceLaunchForm *form)
{
  GString *text = g_string_new (form->folder);
  for (guint i = 0; i < form->settings->len; i++)
    {
      const SluiceLaunchSetting *s = form->settings->pdata[i];
      gboolean is_need = g_str_equal (s->group, SLUICE_LAUNCH_NEEDS);
      const char *const said[] = { s->value, is_need ? NULL : s->from, s->unit, s->range, s->help };
      g_string_append_printf (text, "\n%s.%s %d", s->group, s->key, s->is_gone);
      for (guint k = 0; k < G_N_ELEMENTS (said); k++)
        g_string_append_printf (text, " %s", said[k] != NULL ? said[k] : "");
    }
  return g_string_free (text, FALSE);
}

static void
take_form (SluiceLaunchPage *self, SluiceLaunchForm *form, SluiceLaunchSource *source)
{
  g_autofree char *fingerprint = dup_fingerprint (form);
  gboolean same =
      self->form != NULL && self->taking == NULL && strcmp (fingerprint, self->shown) == 0;
  g_clear_pointer (&self->source, sluice_launch_source_free);
  self->source = source;
  if (same)
    {
      sluice_launch_form_free (form);
    }
  else
    {
      self->n_steps = form->project->n_steps;
      g_free (self->shown);
      self->shown = g_steal_pointer (&fingerprint);
      if (gtk_viewport_get_child (self->viewport) == NULL)
        gtk_viewport_set_child (self->viewport, sluice_launch_page_make_form (self));
      sluice_launch_page_take_settings (self, form);
    }
  show_subtitle (self);
  sluice_launch_page_list_origins (self);
  if (self->taking != NULL)
    sluice_launch_page_take_up (self);
  gtk_stack_set_visible_child_name (self->states, "form");
}

static void
read_done (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceLaunchPage *self = SLUICE_LAUNCH_PAGE (object);
  g_autoptr (GError) error = NULL;
  SluiceLaunchForm *form = g_task_propagate_pointer (G_TASK (result), &error);
  g_autoptr (SluiceLaunchSource) asked = g_steal_pointer (&self->asked);
  g_autoptr (SluiceLaunchSource) wanted = sluice_launch_page_new_source (self);
  if (!is_same_source (asked, wanted)) /* another one by now, or the window goes */
    {
      g_clear_pointer (&form, sluice_launch_form_free);
      sluice_launch_page_read (self);
      return;
    }
  if (form != NULL)
    take_form (self, form, g_steal_pointer (&asked));
  else
    {
      g_autofree char *words = sluice_failure_words (error);
      adw_status_page_set_description (self->failure, words);
      gtk_stack_set_visible_child_name (self->states, "failed");
      gtk_label_set_label (self->subtitle, "");
    }
  if (form != NULL && self->wants_focus)
    gtk_widget_grab_focus (self->name);
  self->wants_focus = FALSE;
  sluice_launch_page_changed (self);
}

void
sluice_launch_page_read (SluiceLaunchPage *self)
{
  if (self->asked != NULL || self->context == NULL)
    return;
  self->asked = sluice_launch_page_new_source (self);
  if (self->asked == NULL)
    {
      gtk_stack_set_visible_child_name (self->states, "empty");
      gtk_label_set_label (self->subtitle, "");
      sluice_launch_page_update (self);
      return;
    }
  if (self->form == NULL)
    gtk_stack_set_visible_child_name (self->states, "loading");
  g_autoptr (GTask) task = g_task_new (self, NULL, read_done, NULL);
  g_task_set_task_data (task, self->asked, NULL);
  g_task_run_in_thread (task, read_in_worker);
}

void
sluice_launch_page_follow_source (SluiceLaunchPage *self)
{
  g_autoptr (SluiceLaunchSource) wanted = sluice_launch_page_new_source (self);
  if (!is_same_source (wanted, self->source))
    sluice_launch_page_read (self);
}

void
sluice_launch_page_begin (SluiceLaunchPage *self)
{
  gint64 draft =
      self->context != NULL && self->wanted_run == 0 ? sluice_launch_page_find_draft (self) : 0;
  self->wants_focus = TRUE;
  if (draft != 0)
    sluice_launch_page_resume (self, draft);
  else
    sluice_launch_page_read (self);
}

void
sluice_launch_page_fork (SluiceLaunchPage *self, gint64 run, gint64 step)
{
  sluice_launch_page_choose_origin (self, run, step);
  sluice_launch_page_begin (self);
}

static void
controller_changed_cb (SluiceLaunchPage *self)
{
  if (gtk_widget_get_mapped (GTK_WIDGET (self)))
    sluice_launch_page_follow_source (self);
  sluice_launch_page_update (self);
}

static void
sluice_launch_page_map (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (sluice_launch_page_parent_class)->map (widget);
  sluice_launch_page_read (SLUICE_LAUNCH_PAGE (widget));
}

/* ---- a page of the window ---- */

static void
launch_page_attach (SluicePage *page, const SluicePageContext *context)
{
  SluiceLaunchPage *self = SLUICE_LAUNCH_PAGE (page);
  self->window = *context;
  self->context = &self->window;
  g_signal_connect_object (context->controller, "changed", G_CALLBACK (controller_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (context->workspace, "changed", G_CALLBACK (sluice_launch_page_update),
                           self, G_CONNECT_SWAPPED);
}

static gboolean
launch_page_is_settled (SluicePage *page)
{
  SluiceLaunchPage *self = SLUICE_LAUNCH_PAGE (page);
  return !gtk_widget_get_mapped (GTK_WIDGET (self))
         || (self->asked == NULL && sluice_launch_page_is_idle (self));
}

/* Whether this window trains what waits. */
static void
launch_page_keep_state (SluicePage *page, GKeyFile *state, gboolean saves)
{
  SluiceQueueWorker *queue = SLUICE_LAUNCH_PAGE (page)->window.queue;
  if (saves)
    g_key_file_set_boolean (state, "launch", "works", sluice_queue_worker_get_works (queue));
  else
    sluice_queue_worker_set_works (queue, g_key_file_get_boolean (state, "launch", "works", NULL));
}

static void
add_string (JsonBuilder *b, const char *name, const char *value)
{
  json_builder_set_member_name (b, name);
  json_builder_add_string_value (b, value);
}

static void
add_queue (SluiceLaunchPage *self, JsonBuilder *b)
{
  GPtrArray *entries = sluice_queue_worker_get_entries (self->window.queue);
  json_builder_set_member_name (b, "queue");
  json_builder_begin_array (b);
  for (guint i = 0; i < entries->len; i++)
    json_builder_add_string_value (b, ((SluiceQueueEntry *) entries->pdata[i])->info->name);
  json_builder_end_array (b);
  json_builder_set_member_name (b, "paused");
  json_builder_add_boolean_value (b, sluice_queue_worker_get_paused (self->window.queue));
  json_builder_set_member_name (b, "works");
  json_builder_add_boolean_value (b, sluice_queue_worker_get_works (self->window.queue));
}

static char *
launch_page_dump_state (SluicePage *page)
{
  SluiceLaunchPage *self = SLUICE_LAUNCH_PAGE (page);
  g_autoptr (JsonBuilder) b = json_builder_new ();
  json_builder_begin_object (b);
  add_string (b, "shows", gtk_stack_get_visible_child_name (self->states));
  add_string (b, "subtitle", gtk_label_get_label (self->subtitle));
  add_string (b, "usual-name",
              self->form != NULL ? gtk_entry_get_placeholder_text (GTK_ENTRY (self->name)) : "");
  add_string (b, "start", gtk_button_get_label (GTK_BUTTON (self->start_button)));
  add_string (b, "said", self->form != NULL ? gtk_label_get_label (self->said) : "");
  json_builder_set_member_name (b, "draft");
  json_builder_add_int_value (b, self->draft);
  add_string (b, "preflight",
              self->form != NULL ? sluice_preflight_card_get_verdict (self->preflight) : "");
  /* The run and the step that it is to begin from. */
  json_builder_set_member_name (b, "from");
  json_builder_begin_array (b);
  if (self->source != NULL && self->source->run != 0)
    {
      json_builder_add_string_value (b, self->source->title);
      json_builder_add_int_value (b, self->source->step);
    }
  json_builder_end_array (b);
  json_builder_set_member_name (b, "runs");
  json_builder_add_int_value (b, (gint64) self->n_runs);
  add_queue (self, b);
  json_builder_end_object (b);
  g_autoptr (JsonNode) root = json_builder_get_root (b);
  return json_to_string (root, FALSE);
}

static void
init_page (SluicePageInterface *iface)
{
  iface->attach = launch_page_attach;
  iface->is_settled = launch_page_is_settled;
  iface->keep_state = launch_page_keep_state;
  iface->dump_state = launch_page_dump_state;
}

/* ---- life ---- */

static void
sluice_launch_page_dispose (GObject *object)
{
  SluiceLaunchPage *self = SLUICE_LAUNCH_PAGE (object);
  g_clear_handle_id (&self->timeout, g_source_remove);
  g_clear_handle_id (&self->keep_timeout, g_source_remove);
  g_cancellable_cancel (self->latest);
  g_clear_object (&self->latest);
  self->context = NULL;
  gtk_widget_dispose_template (GTK_WIDGET (self), SLUICE_TYPE_LAUNCH_PAGE);
  G_OBJECT_CLASS (sluice_launch_page_parent_class)->dispose (object);
}

static void
sluice_launch_page_finalize (GObject *object)
{
  SluiceLaunchPage *self = SLUICE_LAUNCH_PAGE (object);
  g_clear_pointer (&self->form, sluice_launch_form_free);
  g_clear_pointer (&self->verdict, sluice_launch_verdict_free);
  g_clear_pointer (&self->source, sluice_launch_source_free);
  g_clear_pointer (&self->asked, sluice_launch_source_free);
  g_clear_pointer (&self->taking, g_key_file_unref);
  g_ptr_array_unref (self->rows);
  g_ptr_array_unref (self->origins);
  g_free (self->shown);
  g_free (self->kept);
  g_free (self->checkpoint);
  G_OBJECT_CLASS (sluice_launch_page_parent_class)->finalize (object);
}

static void
sluice_launch_page_class_init (SluiceLaunchPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = sluice_launch_page_dispose;
  G_OBJECT_CLASS (klass)->finalize = sluice_launch_page_finalize;
  widget_class->map = sluice_launch_page_map;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/sluice/Workbench/launch-page.ui");
  gtk_widget_class_bind_template_child (widget_class, SluiceLaunchPage, box);
  gtk_widget_class_bind_template_child (widget_class, SluiceLaunchPage, bar);
  gtk_widget_class_bind_template_child (widget_class, SluiceLaunchPage, states);
  gtk_widget_class_bind_template_child (widget_class, SluiceLaunchPage, failure);
  gtk_widget_class_bind_template_child (widget_class, SluiceLaunchPage, viewport);
  sluice_launch_page_install_actions (widget_class);
}

static GtkWidget *
make_button (const char *label, const char *action, const char *tip)
{
  GtkWidget *button = gtk_button_new_with_label (label);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  gtk_widget_set_tooltip_text (button, tip);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  return button;
}

/* One that folds to its icon. */
static GtkWidget *
make_folding (const char *label, const char *icon, const char *action, const char *tip)
{
  GtkWidget *button = make_button (label, action, tip), *squeezer = adw_squeezer_new ();
  adw_squeezer_set_homogeneous (ADW_SQUEEZER (squeezer), FALSE);
  adw_squeezer_add (ADW_SQUEEZER (squeezer), gtk_label_new (label));
  adw_squeezer_add (ADW_SQUEEZER (squeezer), gtk_image_new_from_icon_name (icon));
  gtk_button_set_child (GTK_BUTTON (button), squeezer);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                  -1);
  return button;
}

/* Title and buttons, below each other where there is no room for both. */
static void
fill_bar (SluiceLaunchPage *self)
{
  GtkWidget *wrap = sluice_wrap_new (12, FALSE), *words = gtk_box_new (0, 12);
  GtkWidget *buttons = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  GtkLayoutManager *layout = sluice_bar_layout_new (8);
  self->title = GTK_LABEL (gtk_label_new (_ ("New run")));
  gtk_widget_add_css_class (GTK_WIDGET (self->title), "launch-title");
  self->subtitle = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_ellipsize (self->subtitle, PANGO_ELLIPSIZE_END);
  gtk_label_set_xalign (self->subtitle, 0);
  gtk_label_set_width_chars (self->subtitle, 8);
  gtk_label_set_max_width_chars (self->subtitle, 30);
  gtk_widget_set_hexpand (GTK_WIDGET (self->subtitle), TRUE);
  gtk_widget_add_css_class (GTK_WIDGET (self->subtitle), "dim-label");
  gtk_widget_add_css_class (GTK_WIDGET (self->subtitle), "launch-small");
  self->check_button = make_folding (_ ("Check again"), "view-refresh-symbolic",
                                     "launch.check-again", _ ("Read project and graph again"));
  self->queue_button = make_folding (_ ("Add to queue"), "list-add-symbolic", "launch.add-to-queue",
                                     _ ("Begins when its turn comes (Ctrl+Shift+Return)"));
  self->start_button = make_button (_ ("Start"), "launch.start", _ ("Begins now (Ctrl+Return)"));
  self->away_button =
      make_folding (_ ("Throw away"), "user-trash-symbolic", "launch.throw-away",
                    _ ("What was changed here and not started is kept as a draft, until then"));
  gtk_widget_add_css_class (self->start_button, "suggested-action");
  gtk_box_append (GTK_BOX (words), GTK_WIDGET (self->title));
  gtk_box_append (GTK_BOX (words), GTK_WIDGET (self->subtitle));
  gtk_box_append (GTK_BOX (buttons), self->away_button);
  gtk_box_append (GTK_BOX (buttons), self->check_button);
  gtk_box_append (GTK_BOX (buttons), self->queue_button);
  gtk_box_append (GTK_BOX (buttons), self->start_button);
  sluice_bar_layout_set_from_end (SLUICE_BAR_LAYOUT (layout));
  gtk_widget_set_layout_manager (buttons, layout);
  gtk_widget_set_hexpand (words, TRUE);
  gtk_widget_set_hexpand (wrap, TRUE);
  sluice_wrap_append (SLUICE_WRAP (wrap), words);
  sluice_wrap_append (SLUICE_WRAP (wrap), buttons);
  gtk_box_append (self->bar, wrap);
}

static void
sluice_launch_page_init (SluiceLaunchPage *self)
{
  self->rows = g_ptr_array_new ();
  self->origins = g_ptr_array_new_with_free_func (g_free);
  gtk_widget_init_template (GTK_WIDGET (self));
  fill_bar (self);
  sluice_launch_page_show_draft (self);
  sluice_launch_page_update (self);
}

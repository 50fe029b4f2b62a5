/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/build/build-page.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <json-glib/json-glib.h>

#include "app/build/budget-bar.h"
#include "app/build/document-bar.h"
#include "app/build/edit-lines.h"
#include "app/build/graph-editor.h"
#include "app/build/history-list.h"
#include "app/build/layers-pane.h"
#include "app/build/problems-list.h"
#include "app/build/text-twin.h"
#include "app/build/train-popover.h"
#include "app/failure-words.h"
#include "app/shortcuts.h"
#include "engine/command/block.h"
#include "engine/command/command.h"
#include "engine/command/layer.h"
#include "ui/canvas/canvas.h"
#include "ui/common/widget.h"
#include "ui/common/wrap.h"

#define NARROW     640 /* pixels: a graph beside its text is a column that nobody can read */
#define COMPACT    800 /* pixels: the bar above would take two lines */
#define NAME_CHARS 14  /* of the graph's name, then */

struct _SluiceBuildPage
{
  GtkWidget parent;
  GtkWidget *box, *left, *editor_box, *title_box, *action_box;
  GtkWidget *begin; /* of a page without a graph */
  GtkStack *states;
  GtkLabel *name, *saved, *undo_words, *refusal, *n_commands, *kept;
  GtkRevealer *refusal_revealer;
  SluiceCanvas *canvas;
  SluiceTextTwin *twin;
  SluiceDocumentBar *news;
  SluiceHistoryList *history;
  SluiceProblemsList *problems;
  SluiceBudgetBar *budget;
  SluicePalette *palette;
  SluiceLayersPane *layers;
  GtkButton *undo, *redo, *text_button, *save_button;
  GtkMenuButton *train_button;
  SluiceTrainPopover *train;
  SluiceGraphEditor *editor; /* (nullable), with document */
  SluiceDocument *document;  /* (nullable): before the window has one */
  SluiceGraphModel *model;   /* (nullable): to be drawn as soon as the page is seen */
  char *selected;            /* (nullable): in the other pages, to be selected then */
  char *path;                /* (nullable): of the graph that is shown */
  guint fold_source;
  gboolean is_told;         /* what is wrong with the graph as it is now */
  gboolean is_compact;      /* the bar above says only what it must */
  gboolean is_narrow;       /* for graph and text beside each other */
  gboolean is_text_to_fold; /* or to be shown again, with fold_source */
  gboolean folds_text;      /* which is shown again when there is room */
  const char *optimizer;    /* (nullable): that training begins with, of a template */
};

static void init_page (SluicePageInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (SluiceBuildPage,
                               sluice_build_page,
                               GTK_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (SLUICE_TYPE_PAGE, init_page))

enum
{
  SELECTION_CHANGED,
  ATTR_SELECTED,
  ARRANGED,
  N_SIGNALS,
};
static guint signals[N_SIGNALS];

/* ---- what is said ---- */

/* error: (nullable): nothing is wrong any more */
static void
show_refusal (SluiceBuildPage *self, const GError *error)
{
  if (error != NULL)
    {
      g_autoptr (GError) said = g_error_copy (error);
      g_free (said->message);
      said->message = g_strdup (sluice_command_skip_names (error->message));
      g_autofree char *words = sluice_failure_words (said);
      gtk_label_set_label (self->refusal, words);
    }
  gtk_revealer_set_reveal_child (self->refusal_revealer, error != NULL);
}

/* "saved · 7c1e04". A large graph takes a while to hash: not for who never looks. */
static void
show_saved (SluiceBuildPage *self)
{
  if (!gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  const char *hash = sluice_document_get_saved_hash (self->document);
  g_autofree char *words = sluice_document_is_changed (self->document)
                               ? g_strdup (_ ("not saved"))
                               : g_strdup_printf (_ ("saved · %.6s"), hash != NULL ? hash : "–");
  gtk_label_set_label (self->saved, words);
}

/* What can be taken back stands beside the buttons that do it. */
static void
show_undo (SluiceBuildPage *self)
{
  SluiceCommandStack *stack = sluice_document_get_stack (self->document);
  g_autofree char *undo = sluice_command_stack_dup_undo_words (stack);
  g_autofree char *redo = sluice_command_stack_dup_redo_words (stack);
  g_autofree char *words = undo != NULL   ? g_strdup_printf (_ ("Undo “%s”"), undo)
                           : redo != NULL ? g_strdup_printf (_ ("Redo “%s”"), redo)
                                          : g_strdup ("");
  gtk_label_set_label (self->undo_words, words);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->undo_words), words);
  g_autofree char *undo_tip = undo != NULL ? g_strdup_printf (_ ("Undo “%s” (Ctrl+Z)"), undo)
                                           : g_strdup (_ ("Undo (Ctrl+Z)"));
  g_autofree char *redo_tip = redo != NULL ? g_strdup_printf (_ ("Redo “%s” (Ctrl+Shift+Z)"), redo)
                                           : g_strdup (_ ("Redo (Ctrl+Shift+Z)"));
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->undo), undo_tip);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->redo), redo_tip);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "build.undo", undo != NULL);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "build.redo", redo != NULL);
}

/* What the history's list holds, and where it is safe. */
static void
show_history (SluiceBuildPage *self)
{
  SluiceCommandStack *stack = sluice_document_get_stack (self->document);
  guint n = sluice_command_stack_get_n_undo (stack) + sluice_command_stack_get_n_redo (stack);
  g_autofree char *words =
      n > 0 ? g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%u command", "%u commands", n), n)
            : g_strdup (_ ("none"));
  gtk_label_set_label (self->n_commands, words);
  gtk_widget_set_visible (GTK_WIDGET (self->kept),
                          n > 0 && sluice_document_get_path (self->document) != NULL);
}

/* What may be done with the scope that is selected, and which blocks there are. */
static void
update_blocks (SluiceBuildPage *self)
{
  SluiceGraph *graph = sluice_document_get_graph (self->document);
  const char *scope = sluice_canvas_get_selection (self->canvas);
  gboolean is_scope = graph != NULL && scope != NULL && sluice_graph_find (graph, scope) == NULL;
  g_autofree char *block = is_scope ? sluice_block_dup_name (graph, scope) : NULL;
  g_autoptr (SluiceLayer) layer = is_scope ? sluice_layer_read (graph, scope) : NULL;
  g_auto (GStrv) blocks = graph != NULL ? sluice_block_list (graph) : g_new0 (char *, 1);
  GtkWidget *widget = GTK_WIDGET (self);
  sluice_layers_pane_set_blocks (self->layers, (const char *const *) blocks);
  gtk_widget_action_set_enabled (widget, "build.take-apart", layer != NULL);
  gtk_widget_action_set_enabled (widget, "build.make-block", is_scope && block == NULL);
  gtk_widget_action_set_enabled (widget, "build.apply-block", block != NULL);
  gtk_widget_action_set_enabled (widget, "build.instance", block != NULL);
  gtk_widget_action_set_enabled (widget, "build.unblock", block != NULL);
}

/* It may be saved under another one. */
static void
show_name (SluiceBuildPage *self)
{
  const char *path = sluice_document_get_path (self->document);
  g_autofree char *name = path != NULL ? g_path_get_basename (path) : g_strdup (_ ("New graph"));
  g_free (self->path);
  self->path = g_strdup (path);
  gtk_label_set_label (self->name, name);
}

static void
changed_cb (SluiceBuildPage *self)
{
  show_name (self);
  update_blocks (self);
  sluice_budget_bar_update (self->budget, sluice_document_get_graph (self->document),
                            sluice_document_get_path (self->document), 0);
  show_refusal (self, NULL);
  show_saved (self);
  show_undo (self);
  show_history (self);
}

static void
opened_cb (SluiceBuildPage *self)
{
  const char *path = sluice_document_get_path (self->document);
  /* What was open and in view in another graph is nothing in this one. */
  if (g_strcmp0 (path, self->path) != 0)
    {
      sluice_build_page_show (self, NULL);
      sluice_canvas_set_model (self->canvas, NULL);
      sluice_canvas_set_view_state (self->canvas, NULL);
    }
  gboolean has_graph = sluice_document_get_graph (self->document) != NULL;
  show_name (self);
  gboolean is_first = !g_str_equal (gtk_stack_get_visible_child_name (self->states), "editor");
  gtk_stack_set_visible_child_name (self->states, has_graph ? "editor" : "empty");
  gtk_widget_set_sensitive (self->left, has_graph);
  sluice_graph_editor_update (self->editor);
  if (is_first && has_graph && gtk_widget_get_mapped (GTK_WIDGET (self)))
    gtk_widget_grab_focus (GTK_WIDGET (self)); /* the button that made it is gone */
  if (has_graph)
    changed_cb (self);
}

/* ---- actions ---- */

static void
do_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceBuildPage *self = SLUICE_BUILD_PAGE (widget);
  g_autoptr (GError) error = NULL;
  if (!sluice_document_do (self->document, g_variant_get_string (parameter, NULL), &error))
    show_refusal (self, error);
}

/* Commands on the scope that is selected. */
static void
scope_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceBuildPage *self = SLUICE_BUILD_PAGE (widget);
  SluiceGraph *graph = sluice_document_get_graph (self->document);
  const char *selected = sluice_canvas_get_selection (self->canvas);
  if (selected == NULL || graph == NULL)
    return;
  g_autofree char *block = sluice_block_dup_name (graph, selected);
  g_autofree char *line =
      g_str_equal (name, "build.make-block")    ? sluice_edit_line_block (graph, selected)
      : g_str_equal (name, "build.apply-block") ? sluice_edit_line_of ("apply", selected)
      : g_str_equal (name, "build.unblock")     ? sluice_edit_line_of ("unblock", selected)
      : g_str_equal (name, "build.instance") && block != NULL
          ? sluice_edit_line_instance (graph, block, selected)
          : sluice_edit_line_of ("unlayer", selected);
  sluice_graph_editor_do (self->editor, line);
}

static void
go_to_cb (SluiceBuildPage *self, guint n)
{
  g_autoptr (GError) error = NULL;
  if (!sluice_document_go_to (self->document, n, &error))
    show_refusal (self, error);
}

static void
undo_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceBuildPage *self = SLUICE_BUILD_PAGE (widget);
  SluiceCommandStack *stack = sluice_document_get_stack (self->document);
  sluice_document_finish_paste (self->document);
  guint n = sluice_command_stack_get_n_undo (stack);
  go_to_cb (self, g_str_equal (name, "build.undo") ? n - 1 : n + 1);
}

static void
dismiss_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  show_refusal (SLUICE_BUILD_PAGE (widget), NULL);
}

/* ---- the canvas ---- */

void
sluice_build_page_show (SluiceBuildPage *self, SluiceGraphModel *model)
{
  g_clear_pointer (&self->model, sluice_graph_model_unref);
  self->model = model != NULL ? sluice_graph_model_ref (model) : NULL;
  if (gtk_widget_get_mapped (GTK_WIDGET (self)))
    sluice_canvas_set_model (self->canvas, model);
}

void
sluice_build_page_take_arrangement (SluiceBuildPage *self, const SluiceViewState *state)
{
  sluice_canvas_take_arrangement (self->canvas, state);
}

SluiceViewState *
sluice_build_page_dup_view_state (SluiceBuildPage *self)
{
  return sluice_canvas_dup_view_state (self->canvas);
}

static void
layout_changed_cb (SluiceBuildPage *self)
{
  g_signal_emit (self, signals[ARRANGED], 0);
}

SluiceCanvas *
sluice_build_page_get_canvas (SluiceBuildPage *self)
{
  return self->canvas;
}

void
sluice_build_page_select (SluiceBuildPage *self, const char *name)
{
  if (g_strcmp0 (name, self->selected) == 0)
    return;
  g_free (self->selected);
  self->selected = g_strdup (name);
  if (gtk_widget_get_mapped (GTK_WIDGET (self)))
    sluice_canvas_select (self->canvas, name);
}

/* A page that is not seen draws nothing: a picture is packed for the room that it has. */
static void
sluice_build_page_map (GtkWidget *widget)
{
  SluiceBuildPage *self = SLUICE_BUILD_PAGE (widget);
  GTK_WIDGET_CLASS (sluice_build_page_parent_class)->map (widget);
  sluice_canvas_set_model (self->canvas, self->model);
  if (g_strcmp0 (sluice_canvas_get_selection (self->canvas), self->selected) != 0)
    sluice_canvas_select (self->canvas, self->selected);
  if (self->document != NULL && sluice_document_get_graph (self->document) != NULL)
    show_saved (self);
}

void
sluice_build_page_select_attr (SluiceBuildPage *self, const char *attr)
{
  sluice_text_twin_select_attr (self->twin, attr);
}

static void
attr_selected_cb (SluiceBuildPage *self, const char *attr)
{
  g_signal_emit (self, signals[ATTR_SELECTED], 0, attr);
}

static void
selected_in_text_cb (SluiceBuildPage *self, const char *name)
{
  sluice_canvas_select (self->canvas, name);
}

static void
selection_changed_cb (SluiceBuildPage *self, const char *name)
{
  g_free (self->selected);
  self->selected = g_strdup (name);
  sluice_text_twin_select (self->twin, name);
  update_blocks (self);
  g_signal_emit (self, signals[SELECTION_CHANGED], 0, name);
}

static void
all_ops_cb (SluiceBuildPage *self)
{
  gtk_widget_grab_focus (GTK_WIDGET (self->canvas));
  gtk_widget_activate_action (GTK_WIDGET (self->canvas), "canvas.palette", NULL);
}

/* error: (nullable): it was done */
static void
edited_cb (const GError *error, gpointer data)
{
  show_refusal (data, error);
}

static void
layer_chosen_cb (SluiceBuildPage *self, const char *family, const char *name)
{
  self->optimizer = g_str_equal (family, "optimizer") ? name : NULL;
  if (self->optimizer != NULL)
    gtk_menu_button_popup (self->train_button);
  else
    {
      sluice_graph_editor_add (self->editor, family, name);
      /* What was added is selected: keys are for it, as behind the palette. */
      gtk_widget_grab_focus (GTK_WIDGET (self->canvas));
    }
}

/* ---- training ---- */

static void
train_shown_cb (SluiceBuildPage *self)
{
  sluice_train_popover_fill (self->train, sluice_document_get_graph (self->document),
                             sluice_canvas_get_selection (self->canvas), self->optimizer);
  self->optimizer = NULL;
}

static void
train_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  gtk_menu_button_popup (SLUICE_BUILD_PAGE (widget)->train_button);
}

/* A run trains what the file holds. */
static void
launch_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceBuildPage *self = SLUICE_BUILD_PAGE (widget);
  if (sluice_document_is_changed (self->document))
    gtk_widget_activate_action (widget, "win.save-graph", NULL);
  sluice_document_settle (self->document);
  if (!sluice_document_is_changed (self->document))
    gtk_widget_activate_action (widget, "win.new-run", NULL);
}

/* ---- what is wrong ---- */

void
sluice_build_page_show_problems (SluiceBuildPage *self, GPtrArray *problems)
{
  SluiceGraph *graph = sluice_document_get_graph (self->document);
  self->is_told = problems != NULL || graph == NULL;
  if (self->is_told)
    sluice_problems_list_update (self->problems, graph, problems);
}

static void
show_node_cb (SluiceBuildPage *self, const char *name)
{
  sluice_canvas_select (self->canvas, name);
  gtk_widget_grab_focus (GTK_WIDGET (self->canvas));
}

static void
mend_cb (SluiceBuildPage *self, const char *line)
{
  sluice_graph_editor_do (self->editor, line);
}

/* ---- the text ---- */

static void
toggle_text_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceBuildPage *self = SLUICE_BUILD_PAGE (widget);
  GtkWidget *twin = GTK_WIDGET (self->twin);
  gtk_widget_set_visible (twin, !gtk_widget_get_visible (twin));
  gtk_widget_grab_focus (gtk_widget_get_visible (twin) ? twin : GTK_WIDGET (self->canvas));
}

/* What the buttons beside it say too is left out, so that the bar stays one line. */
static void
fold_bar (SluiceBuildPage *self)
{
  gtk_widget_set_visible (GTK_WIDGET (self->saved), !self->is_compact);
  gtk_widget_set_visible (GTK_WIDGET (self->undo_words), !self->is_compact);
  gtk_label_set_max_width_chars (self->name, self->is_compact ? NAME_CHARS : -1);
  if (self->is_compact)
    {
      gtk_widget_add_css_class (GTK_WIDGET (self), "compact");
      gtk_button_set_icon_name (self->text_button, "text-x-generic-symbolic");
      gtk_button_set_icon_name (self->save_button, "document-save-symbolic");
      return;
    }
  gtk_widget_remove_css_class (GTK_WIDGET (self), "compact");
  gtk_button_set_label (self->text_button, _ ("Text"));
  gtk_button_set_label (self->save_button, _ ("Save"));
}

static void
fold_text (SluiceBuildPage *self)
{
  GtkWidget *twin = GTK_WIDGET (self->twin);
  if (!self->is_narrow && !self->folds_text)
    return;
  self->folds_text = self->is_narrow && gtk_widget_get_visible (twin);
  gtk_widget_set_visible (twin, !self->is_narrow);
}

static gboolean
fold_cb (gpointer data)
{
  SluiceBuildPage *self = data;
  self->fold_source = 0;
  fold_bar (self);
  if (self->is_text_to_fold)
    fold_text (self);
  self->is_text_to_fold = FALSE;
  return G_SOURCE_REMOVE;
}

static void
sluice_build_page_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  SluiceBuildPage *self = SLUICE_BUILD_PAGE (widget);
  gtk_widget_allocate (self->box, width, height, baseline, NULL);
  double scale = sluice_widget_get_text_scale (widget);
  gboolean is_narrow = width < NARROW * scale, is_compact = width < COMPACT * scale;
  if (self->is_narrow == is_narrow && self->is_compact == is_compact)
    return;
  self->is_text_to_fold |= self->is_narrow != is_narrow;
  self->is_narrow = is_narrow;
  self->is_compact = is_compact;
  if (self->fold_source == 0)
    self->fold_source = g_idle_add_full (G_PRIORITY_HIGH_IDLE, fold_cb, self, NULL);
}

static void
sluice_build_page_measure (GtkWidget *widget,
                           GtkOrientation orientation,
                           int for_size,
                           int *minimum,
                           int *natural,
                           int *minimum_baseline,
                           int *natural_baseline)
{
  gtk_widget_measure (SLUICE_BUILD_PAGE (widget)->box, orientation, for_size, minimum, natural,
                      minimum_baseline, natural_baseline);
}

/* What the palette's choice would add stands in the text, dashed. line: (nullable): nothing */
static void
preview_cb (SluiceBuildPage *self, const char *line, const char *title)
{
  gboolean is_seen = line != NULL && gtk_widget_get_mapped (GTK_WIDGET (self->twin));
  sluice_document_finish_paste (self->document);
  SluiceCommandStack *stack = is_seen ? sluice_document_get_stack (self->document) : NULL;
  g_auto (SluicePreviewInput) reader = { 0 };
  g_autofree char *text =
      stack != NULL ? sluice_command_stack_dup_preview (stack, line, &reader) : NULL;
  g_autofree char *words = title != NULL ? g_strdup_printf (_ ("with %s inserted"), title) : NULL;
  sluice_text_twin_preview (self->twin, text, &reader, words);
}

/* What was arranged of what gets another name in the text goes with it. */
static char *
renamed_cb (const char *const *from, const char *const *to, gpointer data)
{
  SluiceBuildPage *self = data;
  g_autoptr (GPtrArray) lines = sluice_canvas_list_renamed (self->canvas, from, to);
  return lines->len > 0 ? sluice_edit_line_layout (lines, from[0]) : NULL;
}

/* ---- a page of the window ---- */

static void
build_page_attach (SluicePage *page, const SluicePageContext *context)
{
  SluiceBuildPage *self = SLUICE_BUILD_PAGE (page);
  g_set_object (&self->document, context->document);
  g_signal_connect_object (self->document, "opened", G_CALLBACK (opened_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->document, "changed", G_CALLBACK (changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->document, "hashed", G_CALLBACK (show_saved), self,
                           G_CONNECT_SWAPPED);
  self->editor =
      sluice_graph_editor_new (self->document, self->canvas, self->palette, edited_cb, self);
  g_signal_connect_object (self->palette, "preview", G_CALLBACK (preview_cb), self,
                           G_CONNECT_SWAPPED);
  sluice_document_bar_set_document (self->news, self->document);
  sluice_history_list_set_document (self->history, self->document);
  sluice_text_twin_set_document (self->twin, self->document);
  sluice_text_twin_set_renamed (self->twin, renamed_cb, self);
  opened_cb (self);
}

static void
build_page_apply_settings (SluicePage *page, GSettings *settings)
{
  SluiceCanvas *canvas = SLUICE_BUILD_PAGE (page)->canvas;
  gboolean is_up = g_settings_get_enum (settings, "data-flow") == 0;
  sluice_canvas_set_flow (canvas, is_up ? SLUICE_FLOW_UP : SLUICE_FLOW_DOWN);
  sluice_canvas_set_reduced_motion (canvas, g_settings_get_boolean (settings, "reduced-motion"));
}

gboolean
sluice_build_page_is_drawn (SluiceBuildPage *self)
{
  return !sluice_canvas_is_busy (self->canvas);
}

gboolean
sluice_build_page_is_told (SluiceBuildPage *self)
{
  return self->is_told;
}

static gboolean
build_page_is_settled (SluicePage *page)
{
  SluiceBuildPage *self = SLUICE_BUILD_PAGE (page);
  return !sluice_canvas_is_busy (self->canvas) && sluice_text_twin_is_settled (self->twin)
         && self->is_told && sluice_budget_bar_is_settled (self->budget);
}

static guint
build_page_print (SluicePage *page, cairo_t *cr, guint sheet, double width, double height)
{
  return sluice_canvas_draw_on_paper (SLUICE_BUILD_PAGE (page)->canvas, cr, width, height);
}

static GtkWidget *
build_page_get_left (SluicePage *page)
{
  return SLUICE_BUILD_PAGE (page)->left;
}

static void
add_text (JsonBuilder *b, const char *member, const char *text)
{
  json_builder_set_member_name (b, member);
  json_builder_add_string_value (b, text);
}

static void
add_count (JsonBuilder *b, const char *member, guint count)
{
  json_builder_set_member_name (b, member);
  json_builder_add_int_value (b, count);
}

static char *
build_page_dump_state (SluicePage *page)
{
  SluiceBuildPage *self = SLUICE_BUILD_PAGE (page);
  SluiceCommandStack *stack =
      self->document != NULL ? sluice_document_get_stack (self->document) : NULL;
  gboolean refuses = gtk_revealer_get_reveal_child (self->refusal_revealer);
  const char *news = "";
  if (self->document != NULL)
    sluice_document_get_news (self->document, &news);
  g_autofree char *drawn = sluice_canvas_dump_state (self->canvas);
  g_autofree char *text = sluice_text_twin_dump_state (self->twin);
  g_autoptr (JsonBuilder) b = json_builder_new ();
  json_builder_begin_object (b);
  add_text (b, "shows", gtk_stack_get_visible_child_name (self->states));
  add_text (b, "name", gtk_label_get_label (self->name));
  add_text (b, "saved", gtk_label_get_label (self->saved));
  add_text (b, "undo", gtk_label_get_label (self->undo_words));
  add_text (b, "news", news);
  add_text (b, "refusal", refuses ? gtk_label_get_label (self->refusal) : "");
  add_count (b, "n-undo", stack != NULL ? sluice_command_stack_get_n_undo (stack) : 0);
  add_count (b, "n-redo", stack != NULL ? sluice_command_stack_get_n_redo (stack) : 0);
  json_builder_set_member_name (b, "canvas");
  json_builder_add_value (b, json_from_string (drawn, NULL));
  json_builder_set_member_name (b, "text");
  json_builder_add_value (b, json_from_string (text, NULL));
  json_builder_end_object (b);
  g_autoptr (JsonNode) root = json_builder_get_root (b);
  return json_to_string (root, FALSE);
}

/* Whether the text is folded is as it was. */
static void
build_page_keep_state (SluicePage *page, GKeyFile *state, gboolean saves)
{
  SluiceBuildPage *self = SLUICE_BUILD_PAGE (page);
  GtkWidget *twin = GTK_WIDGET (self->twin);
  if (saves)
    g_key_file_set_boolean (state, "build", "text",
                            gtk_widget_get_visible (twin) || self->folds_text);
  else if (g_key_file_has_key (state, "build", "text", NULL))
    gtk_widget_set_visible (twin, g_key_file_get_boolean (state, "build", "text", NULL));
}

static void
init_page (SluicePageInterface *iface)
{
  iface->attach = build_page_attach;
  iface->apply_settings = build_page_apply_settings;
  iface->is_settled = build_page_is_settled;
  iface->print = build_page_print;
  iface->get_left = build_page_get_left;
  iface->keep_state = build_page_keep_state;
  iface->dump_state = build_page_dump_state;
}

/* ---- life ---- */

static void
sluice_build_page_dispose (GObject *object)
{
  SluiceBuildPage *self = SLUICE_BUILD_PAGE (object);
  g_clear_handle_id (&self->fold_source, g_source_remove);
  g_clear_pointer (&self->path, g_free);
  g_clear_pointer (&self->selected, g_free);
  g_clear_pointer (&self->model, sluice_graph_model_unref);
  g_clear_pointer (&self->editor, sluice_graph_editor_free);
  g_clear_pointer ((GtkWidget **) &self->palette, gtk_widget_unparent);
  g_clear_object (&self->document);
  g_clear_pointer (&self->box, gtk_widget_unparent);
  G_OBJECT_CLASS (sluice_build_page_parent_class)->dispose (object);
}

/* The keyboard is the canvas': all of the rest can be reached from there. Without a graph it is for
 * what begins one. */
static gboolean
sluice_build_page_grab_focus (GtkWidget *widget)
{
  SluiceBuildPage *self = SLUICE_BUILD_PAGE (widget);
  gboolean has_graph = g_str_equal (gtk_stack_get_visible_child_name (self->states), "editor");
  return gtk_widget_grab_focus (has_graph ? GTK_WIDGET (self->canvas) : self->begin);
}

static void
sluice_build_page_class_init (SluiceBuildPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = sluice_build_page_dispose;
  widget_class->grab_focus = sluice_build_page_grab_focus;
  widget_class->map = sluice_build_page_map;
  widget_class->measure = sluice_build_page_measure;
  widget_class->size_allocate = sluice_build_page_size_allocate;
  signals[SELECTION_CHANGED] =
      g_signal_new ("selection-changed", SLUICE_TYPE_BUILD_PAGE, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                    NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[ATTR_SELECTED] = g_signal_new ("attr-selected", SLUICE_TYPE_BUILD_PAGE, G_SIGNAL_RUN_LAST,
                                         0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[ARRANGED] = g_signal_new ("arranged", SLUICE_TYPE_BUILD_PAGE, G_SIGNAL_RUN_LAST, 0, NULL,
                                    NULL, NULL, G_TYPE_NONE, 0);
  g_type_ensure (SLUICE_TYPE_BUDGET_BAR);
  g_type_ensure (SLUICE_TYPE_CANVAS);
  g_type_ensure (SLUICE_TYPE_DOCUMENT_BAR);
  g_type_ensure (SLUICE_TYPE_HISTORY_LIST);
  g_type_ensure (SLUICE_TYPE_LAYERS_PANE);
  g_type_ensure (SLUICE_TYPE_PROBLEMS_LIST);
  g_type_ensure (SLUICE_TYPE_TRAIN_POPOVER);
  g_type_ensure (SLUICE_TYPE_TEXT_TWIN);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/sluice/Workbench/build-page.ui");
  gtk_widget_class_bind_template_child (widget_class, SluiceBuildPage, layers);
  gtk_widget_class_bind_template_child (widget_class, SluiceBuildPage, begin);
  gtk_widget_class_bind_template_child (widget_class, SluiceBuildPage, box);
  gtk_widget_class_bind_template_child (widget_class, SluiceBuildPage, left);
  gtk_widget_class_bind_template_child (widget_class, SluiceBuildPage, editor_box);
  gtk_widget_class_bind_template_child (widget_class, SluiceBuildPage, title_box);
  gtk_widget_class_bind_template_child (widget_class, SluiceBuildPage, action_box);
  gtk_widget_class_bind_template_child (widget_class, SluiceBuildPage, states);
  gtk_widget_class_bind_template_child (widget_class, SluiceBuildPage, name);
  gtk_widget_class_bind_template_child (widget_class, SluiceBuildPage, saved);
  gtk_widget_class_bind_template_child (widget_class, SluiceBuildPage, undo_words);
  gtk_widget_class_bind_template_child (widget_class, SluiceBuildPage, refusal);
  gtk_widget_class_bind_template_child (widget_class, SluiceBuildPage, refusal_revealer);
  gtk_widget_class_bind_template_child (widget_class, SluiceBuildPage, n_commands);
  gtk_widget_class_bind_template_child (widget_class, SluiceBuildPage, kept);
  gtk_widget_class_bind_template_child (widget_class, SluiceBuildPage, canvas);
  gtk_widget_class_bind_template_child (widget_class, SluiceBuildPage, history);
  gtk_widget_class_bind_template_child (widget_class, SluiceBuildPage, twin);
  gtk_widget_class_bind_template_child (widget_class, SluiceBuildPage, problems);
  gtk_widget_class_bind_template_child (widget_class, SluiceBuildPage, budget);
  gtk_widget_class_bind_template_callback (widget_class, selected_in_text_cb);
  gtk_widget_class_bind_template_child (widget_class, SluiceBuildPage, train);
  gtk_widget_class_bind_template_child (widget_class, SluiceBuildPage, train_button);
  gtk_widget_class_bind_template_child (widget_class, SluiceBuildPage, undo);
  gtk_widget_class_bind_template_child (widget_class, SluiceBuildPage, redo);
  gtk_widget_class_bind_template_child (widget_class, SluiceBuildPage, text_button);
  gtk_widget_class_bind_template_child (widget_class, SluiceBuildPage, save_button);
  gtk_widget_class_bind_template_callback (widget_class, layer_chosen_cb);
  gtk_widget_class_bind_template_callback (widget_class, all_ops_cb);
  gtk_widget_class_bind_template_callback (widget_class, train_shown_cb);
  gtk_widget_class_bind_template_callback (widget_class, attr_selected_cb);
  gtk_widget_class_bind_template_callback (widget_class, show_node_cb);
  gtk_widget_class_bind_template_callback (widget_class, mend_cb);
  gtk_widget_class_bind_template_child (widget_class, SluiceBuildPage, news);
  gtk_widget_class_bind_template_callback (widget_class, selection_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, go_to_cb);
  gtk_widget_class_install_action (widget_class, "build.undo", NULL, undo_action);
  gtk_widget_class_install_action (widget_class, "build.redo", NULL, undo_action);
  gtk_widget_class_install_action (widget_class, "build.do", "s", do_action);
  gtk_widget_class_install_action (widget_class, "build.take-apart", NULL, scope_action);
  gtk_widget_class_install_action (widget_class, "build.make-block", NULL, scope_action);
  gtk_widget_class_install_action (widget_class, "build.apply-block", NULL, scope_action);
  gtk_widget_class_install_action (widget_class, "build.instance", NULL, scope_action);
  gtk_widget_class_install_action (widget_class, "build.unblock", NULL, scope_action);
  gtk_widget_class_install_action (widget_class, "build.train", NULL, train_action);
  gtk_widget_class_install_action (widget_class, "build.launch", NULL, launch_action);
  gtk_widget_class_install_action (widget_class, "build.toggle-text", NULL, toggle_text_action);
  gtk_widget_class_install_action (widget_class, "build.dismiss", NULL, dismiss_action);
  sluice_shortcuts_bind (widget_class, "build.");
}

static void
sluice_build_page_init (SluiceBuildPage *self)
{
  self->is_told = TRUE; /* there is no graph */
  g_autoptr (GSettings) settings = g_settings_new ("org.sluice.Workbench");
  gtk_widget_init_template (GTK_WIDGET (self));
  GtkWidget *bar = sluice_wrap_new (8, FALSE);
  gtk_widget_add_css_class (bar, "build-bar");
  sluice_wrap_append (SLUICE_WRAP (bar), self->title_box);
  sluice_wrap_append (SLUICE_WRAP (bar), self->action_box);
  gtk_box_prepend (GTK_BOX (self->editor_box), bar);
  self->palette = SLUICE_PALETTE (sluice_palette_new (settings));
  gtk_widget_set_parent (GTK_WIDGET (self->palette), GTK_WIDGET (self->canvas));
  g_signal_connect_swapped (self->canvas, "layout-changed", G_CALLBACK (layout_changed_cb), self);
}

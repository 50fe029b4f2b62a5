/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/window-private.h"

#include <glib/gi18n.h>

#include "app/help/help-window.h"
#include "app/memory/memory-page.h"
#include "app/shortcuts.h"
#include "app/timeline/timeline-page.h"
#include "engine/base/error.h"

/* The pages of the window: those of the switcher, and such as are pushed on one of them. */

/* The one that a page is pushed on has them in a stack with it. */
static GtkStack *
get_pile (SluiceWindow *self, const SluicePageKind *kind)
{
  GtkWidget *child =
      adw_view_stack_get_child_by_name (self->stack, kind->over != NULL ? kind->over : kind->name);
  return GTK_IS_STACK (child) ? GTK_STACK (child) : NULL;
}

static gboolean
has_pushed (const char *name)
{
  for (guint i = 0; i < sluice_n_page_kinds; i++)
    if (g_strcmp0 (sluice_page_kinds[i].over, name) == 0)
      return TRUE;
  return FALSE;
}

static GtkWidget *
make_pile (GtkWidget *page, const char *name)
{
  GtkWidget *pile = gtk_stack_new ();
  gtk_stack_set_hhomogeneous (GTK_STACK (pile), FALSE);
  gtk_stack_set_vhomogeneous (GTK_STACK (pile), FALSE);
  gtk_stack_add_named (GTK_STACK (pile), page, name);
  return pile;
}

static void
frame_mapped_cb (GtkWidget *frame)
{
  gtk_widget_set_visible (adw_bin_get_child (ADW_BIN (frame)), gtk_widget_get_mapped (frame));
}

/* What a stack only covers is styled as if it was seen, all of it whenever the focus or the pointer
 * moves: thousands of widgets. In its frame a page is hidden as long as it is covered. */
static GtkWidget *
frame_page (GtkWidget *page)
{
  GtkWidget *frame = adw_bin_new ();
  adw_bin_set_child (ADW_BIN (frame), page);
  gtk_widget_set_visible (page, FALSE);
  g_signal_connect_after (frame, "map", G_CALLBACK (frame_mapped_cb), NULL);
  g_signal_connect_after (frame, "unmap", G_CALLBACK (frame_mapped_cb), NULL);
  return frame;
}

static void
add_page (SluiceWindow *self, const SluicePageKind *kind, GtkWidget *page)
{
  GtkWidget *frame = frame_page (page);
  if (kind->over != NULL)
    {
      gtk_stack_add_named (get_pile (self, kind), frame, kind->name);
      return;
    }
  GtkWidget *child = has_pushed (kind->name) ? make_pile (frame, kind->name) : frame;
  AdwViewStackPage *shown =
      adw_view_stack_add_titled (self->stack, child, kind->name, _ (kind->title));
  adw_view_stack_page_set_icon_name (shown, kind->icon);
  if (child != frame)
    g_signal_connect_swapped (child, "notify::visible-child",
                              G_CALLBACK (sluice_window_page_changed), self);
}

void
sluice_window_add_pages (SluiceWindow *self)
{
  for (guint i = 0; i < sluice_n_page_kinds; i++)
    {
      const SluicePageKind *kind = &sluice_page_kinds[i];
      GtkWidget *page = g_object_new (kind->get_type (), NULL);
      self->pages[i] = SLUICE_PAGE (page);
      sluice_help_set_page (page, kind->help);
      add_page (self, kind, page);
    }
}

/* ---- one selection ---- */

static void
graph_selected_cb (SluiceTimelinePage *timeline, const char *name)
{
  sluice_timeline_page_select_node (timeline, name);
}

static void
graph_selected_memory_cb (SluiceMemoryPage *memory, const char *name)
{
  sluice_memory_page_select_node (memory, name);
}

/* Nodes that only a run has, such as those of a call that was written out, are none of the graph's.
 */
static void
page_selected_cb (SluiceGraphPage *graph, const char *name)
{
  sluice_graph_page_select (graph, name);
}

static void
open_trace_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluicePage *timeline = sluice_window_find_page (data, "timeline");
  sluice_window_show_page (data, "timeline");
  sluice_timeline_page_open (SLUICE_TIMELINE_PAGE (timeline),
                             g_variant_get_string (parameter, NULL));
  gtk_widget_grab_focus (GTK_WIDGET (timeline));
}

void
sluice_window_join_selections (SluiceWindow *self)
{
  SluicePage *timeline = sluice_window_find_page (self, "timeline");
  g_signal_connect_object (self->graph_page, "selection-changed", G_CALLBACK (graph_selected_cb),
                           timeline, G_CONNECT_SWAPPED);
  g_signal_connect_object (timeline, "node-selected", G_CALLBACK (page_selected_cb),
                           self->graph_page, G_CONNECT_SWAPPED);
  SluicePage *memory = sluice_window_find_page (self, "memory");
  g_signal_connect_object (self->graph_page, "selection-changed",
                           G_CALLBACK (graph_selected_memory_cb), memory, G_CONNECT_SWAPPED);
  g_signal_connect_object (memory, "node-selected", G_CALLBACK (page_selected_cb), self->graph_page,
                           G_CONNECT_SWAPPED);
  static const GActionEntry actions[] = {
    { .name = "open-trace-file", .activate = open_trace_cb, .parameter_type = "s" },
  };
  g_action_map_add_action_entries (G_ACTION_MAP (self), actions, G_N_ELEMENTS (actions), self);
}

gboolean
sluice_window_lacked_memory (SluiceWindow *self)
{
  const GError *failure = sluice_run_controller_get_failure (self->controller);
  g_autoptr (GPtrArray) tapes = sluice_run_controller_dup_memory (self->controller);
  return g_error_matches (failure, SLUICE_ERROR, SLUICE_ERROR_RESOURCE_EXHAUSTED) && tapes != NULL
         && tapes->len > 0;
}

SluicePage *
sluice_window_get_nth_page (SluiceWindow *self, guint i)
{
  return self->pages[i];
}

SluicePage *
sluice_window_find_page (SluiceWindow *self, const char *name)
{
  for (guint i = 0; i < sluice_n_page_kinds; i++)
    if (g_str_equal (sluice_page_kinds[i].name, name))
      return self->pages[i];
  return NULL;
}

/* (nullable): the window goes */
static const SluicePageKind *
get_shown (SluiceWindow *self)
{
  GtkWidget *child = adw_view_stack_get_visible_child (self->stack);
  if (GTK_IS_STACK (child))
    child = gtk_stack_get_visible_child (GTK_STACK (child));
  for (guint i = 0; i < sluice_n_page_kinds; i++)
    if (child != NULL && gtk_widget_get_parent (GTK_WIDGET (self->pages[i])) == child)
      return &sluice_page_kinds[i];
  return NULL;
}

SluicePage *
sluice_window_get_page (SluiceWindow *self)
{
  const SluicePageKind *kind = get_shown (self);
  return kind != NULL ? self->pages[kind - sluice_page_kinds] : NULL;
}

const char *
sluice_window_get_page_name (SluiceWindow *self)
{
  const SluicePageKind *kind = get_shown (self);
  return kind != NULL ? kind->name : "";
}

gboolean
sluice_window_page_is_pushed (SluiceWindow *self)
{
  const SluicePageKind *kind = get_shown (self);
  return kind != NULL && kind->over != NULL;
}

void
sluice_window_show_page (SluiceWindow *self, const char *page)
{
  for (guint i = 0; i < sluice_n_page_kinds; i++)
    {
      const SluicePageKind *kind = &sluice_page_kinds[i];
      GtkStack *pile = get_pile (self, kind);
      if (!g_str_equal (kind->name, page))
        continue;
      if (pile != NULL)
        gtk_stack_set_visible_child_name (pile, page);
      adw_view_stack_set_visible_child_name (self->stack, kind->over != NULL ? kind->over : page);
    }
}

/* ---- finding ---- */

static void
find_here_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceWindow *self = SLUICE_WINDOW (widget);
  SluicePage *page = sluice_window_get_page (self);
  if (page == NULL || !gtk_widget_activate_action (GTK_WIDGET (page), "table.filter", NULL))
    sluice_search_box_begin (self->search);
}

void
sluice_window_install_find (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "anywhere.find", NULL, find_here_action);
  sluice_shortcuts_bind (widget_class, "anywhere.");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/build/text-twin.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <json-glib/json-glib.h>
#include <string.h>

#include "app/build/text-preview.h"
#include "app/build/text-view.h"
#include "app/shortcuts.h"

#define LEAST_WIDTH 260
#define NEAR_END    100 /* lines */

struct _SluiceTextTwin
{
  GtkWidget parent;
  GtkWidget *box, *find_bar, *find_entry;
  GtkLabel *file, *state, *place, *hint, *problem;
  GtkImage *state_icon;
  SluiceTextView *view;
  GtkTextBuffer *buffer;
  GtkTextTag *wrong;
  GtkSourceSearchContext *search;
  SluiceTextSync *sync;
  SluiceDocument *document; /* (nullable) */
  gboolean is_open;         /* the text is the document's */
  char *node, *attr;        /* (nullable): that stand out */
  char *hint_words;         /* (nullable): of the preview */
  gboolean is_showing;      /* the caret is put somewhere: nobody went there */
  guint caret_source, grow_source;
  double height; /* of the text, when it was scrolled last */
};

G_DEFINE_FINAL_TYPE (SluiceTextTwin, sluice_text_twin, GTK_TYPE_WIDGET)

enum
{
  SELECTED,
  ATTR_SELECTED,
  N_SIGNALS,
};
static guint signals[N_SIGNALS];

/* ---- the foot ---- */

static void
show_state (SluiceTextTwin *self, const char *icon, const char *words, const char *class)
{
  static const char *const classes[] = { "success", "error", "dim-label" };
  gtk_image_set_from_icon_name (self->state_icon, icon);
  gtk_widget_set_visible (GTK_WIDGET (self->state_icon), icon != NULL);
  gtk_label_set_label (self->state, words);
  for (guint i = 0; i < G_N_ELEMENTS (classes); i++)
    {
      gtk_widget_remove_css_class (GTK_WIDGET (self->state), classes[i]);
      gtk_widget_remove_css_class (GTK_WIDGET (self->state_icon), classes[i]);
    }
  gtk_widget_add_css_class (GTK_WIDGET (self->state), class);
  gtk_widget_add_css_class (GTK_WIDGET (self->state_icon), class);
}

/* Of the whole text, from 0. */
static int
get_line (SluiceTextTwin *self, const GtkTextIter *at)
{
  return (int) sluice_text_sync_get_top (self->sync) + gtk_text_iter_get_line (at);
}

static void
show_place (SluiceTextTwin *self)
{
  GtkTextIter at;
  gtk_text_buffer_get_iter_at_mark (self->buffer, &at, gtk_text_buffer_get_insert (self->buffer));
  g_autofree char *words = g_strdup_printf (_ ("line %d, column %d"), get_line (self, &at) + 1,
                                            gtk_text_iter_get_line_offset (&at) + 1);
  gtk_label_set_label (self->place, words);
  sluice_text_view_set_lines (self->view, sluice_text_sync_get_top (self->sync),
                              sluice_text_sync_count_lines (self->sync));
}

/* What is wrong, and from where to the end of that word or line. */
static void
show_problem (SluiceTextTwin *self)
{
  SluiceTextPlace place;
  gboolean has_place;
  GtkTextIter begin, end;
  const char *error = sluice_text_sync_get_error (self->sync, &place, &has_place);
  gtk_text_buffer_get_bounds (self->buffer, &begin, &end);
  if (error != NULL || gtk_widget_get_visible (GTK_WIDGET (self->problem)))
    gtk_text_buffer_remove_tag (self->buffer, self->wrong, &begin, &end);
  gtk_widget_set_visible (GTK_WIDGET (self->problem), error != NULL);
  gtk_accessible_update_state (
      GTK_ACCESSIBLE (self->view), GTK_ACCESSIBLE_STATE_INVALID,
      error != NULL ? GTK_ACCESSIBLE_INVALID_TRUE : GTK_ACCESSIBLE_INVALID_FALSE, -1);
  if (error == NULL)
    return;
  if (!has_place || !sluice_text_sync_get_iter (self->sync, place, &begin))
    {
      gtk_label_set_label (self->problem, error);
      return;
    }
  g_autofree char *words =
      g_strdup_printf (_ ("line %d, column %d: %s"), get_line (self, &begin) + 1,
                       gtk_text_iter_get_line_offset (&begin) + 1, error);
  gtk_label_set_label (self->problem, words);
  end = begin;
  if (!gtk_text_iter_ends_line (&end))
    gtk_text_iter_forward_to_line_end (&end);
  else
    gtk_text_iter_backward_char (&begin);
  gtk_text_buffer_apply_tag (self->buffer, self->wrong, &begin, &end);
}

static void
show_foot (SluiceTextTwin *self)
{
  SluiceTextPlace place;
  gboolean has_place;
  gboolean is_loading = !self->is_open || sluice_text_sync_is_loading (self->sync);
  /* A long text is coloured once it is there. */
  gtk_source_buffer_set_highlight_syntax (GTK_SOURCE_BUFFER (self->buffer), !is_loading);
  guint first, last;
  gtk_text_view_set_editable (
      GTK_TEXT_VIEW (self->view),
      !is_loading && !sluice_text_view_get_range (self->view, SLUICE_TEXT_PREVIEW, &first, &last));
  if (is_loading)
    show_state (self, NULL, _ ("reading …"), "dim-label");
  else if (sluice_text_sync_get_error (self->sync, &place, &has_place) != NULL)
    show_state (self, "dialog-error-symbolic", _ ("not valid"), "error");
  else if (sluice_text_sync_is_edited (self->sync))
    show_state (self, NULL, _ ("typing …"), "dim-label");
  else
    show_state (self, "object-select-symbolic", _ ("valid"), "success");
  /* Nobody writes while something is previewed: its words take the place of the caret's. */
  gtk_label_set_label (self->hint, self->hint_words != NULL ? self->hint_words : "");
  gtk_widget_set_visible (GTK_WIDGET (self->place), self->hint_words == NULL);
}

/* ---- what stands out ---- */

static void
set_range (SluiceTextTwin *self, SluiceTextRange which, SluiceTextPlace from, SluiceTextPlace to)
{
  GtkTextIter begin, end;
  if (sluice_text_sync_get_iter (self->sync, from, &begin)
      && sluice_text_sync_get_iter (self->sync, to, &end))
    sluice_text_view_set_range (self->view, which, &begin, &end);
}

static void
show_spot (SluiceTextTwin *self, const SluiceTextSpot *spot)
{
  gboolean has_field = spot->node != NULL && spot->kind != SLUICE_NODE_FIELD_NONE;
  if (spot->node != NULL)
    set_range (self, SLUICE_TEXT_BLOCK, spot->begin, spot->end);
  else
    sluice_text_view_set_range (self->view, SLUICE_TEXT_BLOCK, NULL, NULL);
  if (has_field)
    set_range (self, SLUICE_TEXT_FIELD, spot->field_begin, spot->field_end);
  else
    sluice_text_view_set_range (self->view, SLUICE_TEXT_FIELD, NULL, NULL);
}

/* Not at the edge, unless some lines behind it are seen already. is_new: lines before it came with
 * it, and have no height yet. */
static void
bring_in_view (SluiceTextTwin *self, const GtkTextIter *at, gboolean is_new)
{
  GtkTextView *view = GTK_TEXT_VIEW (self->view);
  GdkRectangle visible, line;
  gtk_text_view_get_visible_rect (view, &visible);
  gtk_text_view_get_iter_location (view, at, &line);
  if (is_new || line.y < visible.y || line.y + 8 * line.height > visible.y + visible.height)
    gtk_text_view_scroll_to_mark (view, gtk_text_buffer_get_insert (self->buffer), 0, TRUE, 0, 0.2);
}

static void end_preview (SluiceTextTwin *self);

/* What is selected elsewhere stands out, and is seen. */
static void
show_node (SluiceTextTwin *self)
{
  g_auto (SluiceTextSpot) spot = { 0 };
  GtkTextIter at;
  if (self->node == NULL
      || !sluice_text_sync_find_node (self->sync, self->node,
                                      self->attr != NULL ? SLUICE_NODE_FIELD_ATTR
                                                         : SLUICE_NODE_FIELD_NONE,
                                      self->attr, 0, &spot))
    {
      show_spot (self, &(SluiceTextSpot){ 0 });
      return;
    }
  SluiceTextPlace place = self->attr != NULL ? spot.field_begin : spot.begin;
  self->is_showing = TRUE;
  gboolean is_new = !sluice_text_sync_get_iter (self->sync, place, &at);
  if (is_new)
    end_preview (self); /* another part of the text comes */
  gboolean is_there = sluice_text_sync_show (self->sync, place);
  show_spot (self, &spot);
  if (is_there && sluice_text_sync_get_iter (self->sync, place, &at))
    {
      gtk_text_buffer_place_cursor (self->buffer, &at);
      bring_in_view (self, &at, is_new);
    }
  self->is_showing = FALSE;
}

static void
take_selection (SluiceTextTwin *self, const SluiceTextSpot *spot)
{
  const char *attr = spot->kind == SLUICE_NODE_FIELD_ATTR ? spot->attr : NULL;
  gboolean is_other = g_strcmp0 (self->node, spot->node->name) != 0;
  gboolean is_other_attr = is_other || g_strcmp0 (self->attr, attr) != 0;
  g_free (self->node);
  g_free (self->attr);
  self->node = g_strdup (spot->node->name);
  self->attr = g_strdup (attr);
  if (is_other)
    g_signal_emit (self, signals[SELECTED], 0, self->node);
  if (is_other_attr)
    g_signal_emit (self, signals[ATTR_SELECTED], 0, self->attr);
}

/* The caret went somewhere. */
static gboolean
caret_cb (gpointer data)
{
  SluiceTextTwin *self = data;
  GtkTextIter at;
  g_auto (SluiceTextSpot) spot = { 0 };
  self->caret_source = 0;
  gtk_text_buffer_get_iter_at_mark (self->buffer, &at, gtk_text_buffer_get_insert (self->buffer));
  guint line = (guint) get_line (self, &at);
  if (sluice_text_sync_is_edited (self->sync) && !sluice_text_sync_is_edited_at (self->sync, line))
    sluice_text_sync_apply (self->sync);
  /* The buffer may have changed by that. */
  gtk_text_buffer_get_iter_at_mark (self->buffer, &at, gtk_text_buffer_get_insert (self->buffer));
  if (sluice_text_sync_is_edited_at (self->sync, (guint) get_line (self, &at)))
    return G_SOURCE_REMOVE; /* it stands in what is being typed */
  gboolean is_node = sluice_text_sync_find_spot (self->sync, &at, &spot);
  if (!is_node)
    spot.node = NULL;
  show_spot (self, &spot);
  if (is_node)
    take_selection (self, &spot);
  return G_SOURCE_REMOVE;
}

static void
cursor_moved_cb (SluiceTextTwin *self)
{
  show_place (self);
  if (!self->is_showing && gtk_widget_has_focus (GTK_WIDGET (self->view))
      && self->caret_source == 0)
    self->caret_source = g_idle_add (caret_cb, self);
}

typedef enum
{
  FIND_HERE,
  FIND_NEXT,
  FIND_PREVIOUS,
} FindWay;

static gboolean is_finding (SluiceTextTwin *self);
static void find (SluiceTextTwin *self, FindWay way);

static void
news_cb (SluiceTextSync *sync, gpointer data)
{
  SluiceTextTwin *self = data;
  if (self->sync == NULL)
    return;
  const char *wanted = gtk_editable_get_text (GTK_EDITABLE (self->find_entry));
  if (is_finding (self) && *wanted != '\0' && !gtk_text_buffer_get_has_selection (self->buffer))
    find (self, FIND_HERE); /* it may be in what was not there before */
  show_problem (self);
  show_foot (self);
  show_place (self);
  if (gtk_widget_has_focus (GTK_WIDGET (self->view)))
    cursor_moved_cb (self);
  else if (!is_finding (self)) /* who finds has the caret */
    show_node (self);
}

static void
typed_cb (SluiceTextTwin *self)
{
  if (self->is_open && !sluice_text_sync_is_loading (self->sync))
    show_foot (self);
}

void
sluice_text_twin_select (SluiceTextTwin *self, const char *name)
{
  if (g_strcmp0 (self->node, name) == 0)
    return;
  g_free (self->node);
  self->node = g_strdup (name);
  g_clear_pointer (&self->attr, g_free);
  show_node (self);
}

void
sluice_text_twin_select_attr (SluiceTextTwin *self, const char *attr)
{
  if (g_strcmp0 (self->attr, attr) == 0)
    return;
  g_free (self->attr);
  self->attr = g_strdup (attr);
  show_node (self);
}

/* ---- what would come ---- */

static void
end_preview (SluiceTextTwin *self)
{
  if (!sluice_text_preview_end (self->view, self->sync))
    return;
  g_clear_pointer (&self->hint_words, g_free);
  show_foot (self);
}

void
sluice_text_twin_preview (SluiceTextTwin *self,
                          const char *text,
                          const SluicePreviewInput *reader,
                          const char *words)
{
  end_preview (self);
  if (text == NULL || *text == '\0' || !self->is_open || sluice_text_sync_is_edited (self->sync)
      || sluice_text_sync_is_loading (self->sync))
    return;
  sluice_text_preview_begin (self->view, self->sync, self->node, text, reader);
  self->hint_words = words != NULL ? g_strdup_printf (_ ("dashed: %s"), words) : NULL;
  show_foot (self);
}

/* ---- the document ---- */

static void
open_text (SluiceTextTwin *self)
{
  gboolean has_graph = self->document != NULL && sluice_document_get_graph (self->document) != NULL;
  const char *path = self->document != NULL ? sluice_document_get_path (self->document) : NULL;
  g_autofree char *name = path != NULL ? g_path_get_basename (path) : g_strdup ("");
  if (!gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  self->is_open = TRUE;
  gtk_label_set_label (self->file, name);
  sluice_text_sync_open (self->sync, has_graph ? self->document : NULL);
}

static void
opened_cb (SluiceTextTwin *self)
{
  g_clear_pointer (&self->node, g_free);
  g_clear_pointer (&self->attr, g_free);
  end_preview (self);
  if (self->is_open)
    sluice_text_sync_open (self->sync, NULL); /* its map is gone */
  self->is_open = FALSE;
  open_text (self);
}

/* Whatever was chosen has come, or something else has. */
static void
changed_cb (SluiceTextTwin *self)
{
  end_preview (self);
}

static void
sluice_text_twin_map (GtkWidget *widget)
{
  SluiceTextTwin *self = SLUICE_TEXT_TWIN (widget);
  GTK_WIDGET_CLASS (sluice_text_twin_parent_class)->map (widget);
  if (!self->is_open && self->document != NULL)
    open_text (self);
}

static gboolean
sluice_text_twin_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (GTK_WIDGET (SLUICE_TEXT_TWIN (widget)->view));
}

void
sluice_text_twin_set_document (SluiceTextTwin *self, SluiceDocument *document)
{
  g_return_if_fail (self->document == NULL);
  self->document = g_object_ref (document);
  g_signal_connect_object (document, "opened", G_CALLBACK (opened_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "changed", G_CALLBACK (changed_cb), self, G_CONNECT_SWAPPED);
  open_text (self);
}

void
sluice_text_twin_set_renamed (SluiceTextTwin *self, SluiceTextRenamed renamed, gpointer user_data)
{
  sluice_text_sync_set_renamed (self->sync, renamed, user_data);
}

gboolean
sluice_text_twin_is_settled (SluiceTextTwin *self)
{
  SluiceTextPlace place;
  gboolean has_place;
  return !self->is_open
         || (!sluice_text_sync_is_loading (self->sync)
             && (!sluice_text_sync_is_edited (self->sync)
                 || sluice_text_sync_get_error (self->sync, &place, &has_place) != NULL));
}

/* ---- a long text ---- */

/* More of it comes before its end is seen: by lines, for those that were never seen have no height
 * yet. */
static gboolean
grow_cb (gpointer data)
{
  SluiceTextTwin *self = data;
  GtkTextView *view = GTK_TEXT_VIEW (self->view);
  GdkRectangle seen;
  GtkTextIter first, last;
  self->grow_source = 0;
  gtk_text_view_get_visible_rect (view, &seen);
  gtk_text_view_get_line_at_y (view, &first, seen.y, NULL);
  gtk_text_view_get_line_at_y (view, &last, seen.y + seen.height, NULL);
  gboolean is_near_start = gtk_text_iter_get_line (&first) < NEAR_END;
  if (gtk_text_iter_get_line (&last) + NEAR_END > gtk_text_buffer_get_line_count (self->buffer))
    sluice_text_sync_grow (self->sync, FALSE);
  if (is_near_start)
    sluice_text_sync_grow (self->sync, TRUE);
  show_place (self);
  return G_SOURCE_REMOVE;
}

/* Not where lines got their height. */
static void
scrolled_cb (SluiceTextTwin *self, GtkAdjustment *at)
{
  gboolean is_person = gtk_adjustment_get_upper (at) == self->height;
  self->height = gtk_adjustment_get_upper (at);
  if (is_person && self->grow_source == 0)
    self->grow_source = g_idle_add (grow_cb, self);
}

/* ---- finding ---- */

static gboolean
is_finding (SluiceTextTwin *self)
{
  return gtk_search_bar_get_search_mode (GTK_SEARCH_BAR (self->find_bar));
}

static void
found_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SluiceTextTwin) self = data;
  g_autoptr (GError) error = NULL;
  GtkTextIter begin, end;
  gboolean wrapped;
  gboolean is_found = gtk_source_search_context_forward_finish (
      GTK_SOURCE_SEARCH_CONTEXT (source), result, &begin, &end, &wrapped, &error);
  if (error != NULL || self->box == NULL || !is_finding (self)) /* the caret is somebody's again */
    return;
  if (is_found)
    {
      gtk_text_buffer_select_range (self->buffer, &begin, &end);
      bring_in_view (self, &begin, FALSE);
    }
  else if (gtk_text_buffer_get_selection_bounds (self->buffer, &begin, &end))
    gtk_text_buffer_place_cursor (self->buffer, &begin); /* what was found is not it any more */
}

/* What is being typed goes on from what was found of it so far. */
static void
find (SluiceTextTwin *self, FindWay way)
{
  GtkTextIter begin, end;
  gtk_text_buffer_get_selection_bounds (self->buffer, &begin, &end);
  if (way != FIND_PREVIOUS)
    gtk_source_search_context_forward_async (self->search, way == FIND_NEXT ? &end : &begin, NULL,
                                             found_cb, g_object_ref (self));
  else
    gtk_source_search_context_backward_async (self->search, &begin, NULL, found_cb,
                                              g_object_ref (self));
}

/* Where the caret stands; it goes on standing there. */
static void
show_part (SluiceTextTwin *self)
{
  GtkTextIter at;
  gtk_text_buffer_get_iter_at_mark (self->buffer, &at, gtk_text_buffer_get_insert (self->buffer));
  SluiceTextPlace place = { (guint) get_line (self, &at),
                            (guint) gtk_text_iter_get_line_index (&at) };
  self->is_showing = TRUE;
  sluice_text_sync_show_part (self->sync, place.line);
  if (sluice_text_sync_get_iter (self->sync, place, &at))
    {
      gtk_text_buffer_place_cursor (self->buffer, &at);
      bring_in_view (self, &at, TRUE);
    }
  self->is_showing = FALSE;
  show_place (self);
}

static void
find_changed_cb (SluiceTextTwin *self)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->find_entry));
  gtk_source_search_settings_set_search_text (gtk_source_search_context_get_settings (self->search),
                                              text);
  if (*text != '\0' && is_finding (self))
    find (self, FIND_HERE);
}

static void
find_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceTextTwin *self = SLUICE_TEXT_TWIN (widget);
  gboolean ends = g_str_equal (name, "twin.end-find");
  if (g_str_equal (name, "twin.find-next") || g_str_equal (name, "twin.find-previous"))
    {
      find (self, g_str_equal (name, "twin.find-next") ? FIND_NEXT : FIND_PREVIOUS);
      return;
    }
  gtk_search_bar_set_search_mode (GTK_SEARCH_BAR (self->find_bar), !ends);
  if (ends)
    show_part (self);
  else
    sluice_text_sync_show_all (self->sync);
  show_foot (self);
  gtk_source_search_context_set_highlight (self->search, !ends);
  gtk_widget_grab_focus (ends ? GTK_WIDGET (self->view) : self->find_entry);
}

static void
find_next_cb (SluiceTextTwin *self)
{
  find (self, FIND_NEXT);
}

static void
find_previous_cb (SluiceTextTwin *self)
{
  find (self, FIND_PREVIOUS);
}

static void
end_find_cb (SluiceTextTwin *self)
{
  find_action (GTK_WIDGET (self), "twin.end-find", NULL);
}

/* ---- the widget ---- */

static GtkLabel *
add_label (GtkWidget *box, const char *text, const char *class)
{
  GtkWidget *label = gtk_label_new (text);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_add_css_class (label, class);
  gtk_box_append (GTK_BOX (box), label);
  return GTK_LABEL (label);
}

static GtkWidget *
make_head (SluiceTextTwin *self)
{
  GtkWidget *head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *fold = gtk_button_new_from_icon_name ("pan-end-symbolic");
  add_label (head, _ ("Text"), "heading");
  self->file = add_label (head, "", "dim-label");
  gtk_widget_set_hexpand (GTK_WIDGET (self->file), TRUE);
  add_label (head, _ ("Ctrl+T folds"), "dim-label");
  gtk_actionable_set_action_name (GTK_ACTIONABLE (fold), "build.toggle-text");
  gtk_widget_set_tooltip_text (fold, _ ("Fold the text (Ctrl+T)"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (fold), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Fold the text"), -1);
  gtk_widget_add_css_class (fold, "flat");
  gtk_widget_add_css_class (head, "twin-head");
  gtk_box_append (GTK_BOX (head), fold);
  return head;
}

static GtkWidget *
make_find_bar (SluiceTextTwin *self)
{
  self->find_bar = gtk_search_bar_new ();
  self->find_entry = gtk_search_entry_new ();
  gtk_search_bar_set_child (GTK_SEARCH_BAR (self->find_bar), self->find_entry);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->find_entry), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Find in the text"), -1);
  g_signal_connect_swapped (self->find_entry, "search-changed", G_CALLBACK (find_changed_cb), self);
  g_signal_connect_swapped (self->find_entry, "activate", G_CALLBACK (find_next_cb), self);
  g_signal_connect_swapped (self->find_entry, "next-match", G_CALLBACK (find_next_cb), self);
  g_signal_connect_swapped (self->find_entry, "previous-match", G_CALLBACK (find_previous_cb),
                            self);
  g_signal_connect_swapped (self->find_entry, "stop-search", G_CALLBACK (end_find_cb), self);
  return self->find_bar;
}

static GtkWidget *
make_text (SluiceTextTwin *self)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();
  self->view = sluice_text_view_new ();
  self->buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (self->view));
  self->wrong =
      gtk_text_buffer_create_tag (self->buffer, NULL, "underline", PANGO_UNDERLINE_ERROR, NULL);
  self->sync = sluice_text_sync_new (self->buffer, news_cb, self);
  g_autoptr (GtkSourceSearchSettings) settings = gtk_source_search_settings_new ();
  gtk_source_search_settings_set_wrap_around (settings, TRUE);
  self->search = gtk_source_search_context_new (GTK_SOURCE_BUFFER (self->buffer), settings);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Text of the graph"), -1);
  gtk_widget_add_css_class (GTK_WIDGET (self->view), "twin-text");
  gtk_widget_set_vexpand (scroller, TRUE);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), GTK_WIDGET (self->view));
  g_signal_connect_object (gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scroller)),
                           "value-changed", G_CALLBACK (scrolled_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_swapped (self->buffer, "cursor-moved", G_CALLBACK (cursor_moved_cb), self);
  g_signal_connect_swapped (self->buffer, "changed", G_CALLBACK (typed_cb), self);
  return scroller;
}

static GtkWidget *
make_foot (SluiceTextTwin *self)
{
  GtkWidget *foot = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  self->state_icon = GTK_IMAGE (gtk_image_new ());
  gtk_box_append (GTK_BOX (row), GTK_WIDGET (self->state_icon));
  self->state = add_label (row, "", "twin-state");
  self->place = add_label (row, "", "dim-label");
  self->hint = add_label (row, "", "dim-label");
  gtk_widget_set_hexpand (GTK_WIDGET (self->hint), TRUE);
  gtk_label_set_xalign (self->hint, 1);
  gtk_box_append (GTK_BOX (foot), row);
  self->problem = add_label (foot, "", "twin-problem");
  gtk_label_set_ellipsize (self->problem, PANGO_ELLIPSIZE_NONE);
  gtk_label_set_wrap (self->problem, TRUE);
  gtk_label_set_wrap_mode (self->problem, PANGO_WRAP_WORD_CHAR);
  gtk_label_set_selectable (self->problem, TRUE);
  gtk_widget_set_visible (GTK_WIDGET (self->problem), FALSE);
  gtk_widget_add_css_class (foot, "twin-foot");
  return foot;
}

static void
add_text (JsonBuilder *b, const char *member, const char *text)
{
  json_builder_set_member_name (b, member);
  json_builder_add_string_value (b, text != NULL ? text : "");
}

static void
add_lines (SluiceTextTwin *self, JsonBuilder *b, const char *member, SluiceTextRange which)
{
  guint first = 0, last = 0;
  json_builder_set_member_name (b, member);
  json_builder_begin_array (b);
  if (sluice_text_view_get_range (self->view, which, &first, &last))
    {
      guint top = sluice_text_sync_get_top (self->sync);
      json_builder_add_int_value (b, top + first + 1);
      json_builder_add_int_value (b, top + last + 1);
    }
  json_builder_end_array (b);
}

char *
sluice_text_twin_dump_state (SluiceTextTwin *self)
{
  g_autoptr (JsonBuilder) b = json_builder_new ();
  gboolean is_wrong = gtk_widget_get_visible (GTK_WIDGET (self->problem));
  json_builder_begin_object (b);
  json_builder_set_member_name (b, "shown");
  json_builder_add_boolean_value (b, gtk_widget_get_mapped (GTK_WIDGET (self)));
  json_builder_set_member_name (b, "lines");
  json_builder_add_int_value (b, sluice_text_sync_count_lines (self->sync));
  add_text (b, "state", gtk_label_get_label (self->state));
  add_text (b, "place", gtk_label_get_label (self->place));
  add_text (b, "problem", is_wrong ? gtk_label_get_label (self->problem) : "");
  add_text (b, "hint", gtk_label_get_label (self->hint));
  add_text (b, "node", self->node);
  add_text (b, "attr", self->attr);
  add_lines (self, b, "block", SLUICE_TEXT_BLOCK);
  add_lines (self, b, "field", SLUICE_TEXT_FIELD);
  add_lines (self, b, "preview", SLUICE_TEXT_PREVIEW);
  add_lines (self, b, "preview-input", SLUICE_TEXT_PREVIEW_INPUT);
  json_builder_end_object (b);
  g_autoptr (JsonNode) root = json_builder_get_root (b);
  return json_to_string (root, FALSE);
}

static void
sluice_text_twin_dispose (GObject *object)
{
  SluiceTextTwin *self = SLUICE_TEXT_TWIN (object);
  g_clear_handle_id (&self->caret_source, g_source_remove);
  g_clear_handle_id (&self->grow_source, g_source_remove);
  if (self->sync != NULL)
    {
      g_signal_handlers_disconnect_by_data (self->buffer, self);
      sluice_text_sync_free (g_steal_pointer (&self->sync));
    }
  g_clear_object (&self->search);
  g_clear_object (&self->document);
  g_clear_pointer (&self->box, gtk_widget_unparent);
  G_OBJECT_CLASS (sluice_text_twin_parent_class)->dispose (object);
}

static void
sluice_text_twin_finalize (GObject *object)
{
  SluiceTextTwin *self = SLUICE_TEXT_TWIN (object);
  g_free (self->node);
  g_free (self->attr);
  g_free (self->hint_words);
  G_OBJECT_CLASS (sluice_text_twin_parent_class)->finalize (object);
}

static void
sluice_text_twin_class_init (SluiceTextTwinClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = sluice_text_twin_dispose;
  G_OBJECT_CLASS (klass)->finalize = sluice_text_twin_finalize;
  widget_class->map = sluice_text_twin_map;
  widget_class->grab_focus = sluice_text_twin_grab_focus;
  signals[SELECTED] = g_signal_new ("selected", SLUICE_TYPE_TEXT_TWIN, G_SIGNAL_RUN_LAST, 0, NULL,
                                    NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[ATTR_SELECTED] = g_signal_new ("attr-selected", SLUICE_TYPE_TEXT_TWIN, G_SIGNAL_RUN_LAST,
                                         0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_install_action (widget_class, "twin.find", NULL, find_action);
  gtk_widget_class_install_action (widget_class, "twin.find-next", NULL, find_action);
  gtk_widget_class_install_action (widget_class, "twin.find-previous", NULL, find_action);
  gtk_widget_class_install_action (widget_class, "twin.end-find", NULL, find_action);
}

static void
sluice_text_twin_init (SluiceTextTwin *self)
{
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  gtk_widget_set_size_request (GTK_WIDGET (self), LEAST_WIDTH, -1);
  gtk_widget_add_css_class (GTK_WIDGET (self), "text-twin");
  gtk_box_append (GTK_BOX (self->box), make_head (self));
  gtk_box_append (GTK_BOX (self->box), make_find_bar (self));
  gtk_box_append (GTK_BOX (self->box), make_text (self));
  gtk_box_append (GTK_BOX (self->box), make_foot (self));
}

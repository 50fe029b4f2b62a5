/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/canvas-notes.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* What notes and frames say is written in their place: Return and leaving take it, Shift+Return is
 * a new line, Escape gives it up. A new one is there once it says something. */

#define BESIDE       24.0  /* of a new note, from the box that is selected */
#define NEW_WIDTH    150.0 /* room that is looked for */
#define NEW_HEIGHT   34.0
#define LEAST_WIDTH  180
#define LEAST_HEIGHT 34

/* ---- the entry ---- */

void
sluice_canvas_end_note_edit (SluiceCanvas *self)
{
  GtkWidget *entry = g_steal_pointer (&self->notes.entry);
  g_clear_handle_id (&self->notes.source, g_source_remove);
  if (entry == NULL)
    return;
  if (gtk_widget_get_focus_child (GTK_WIDGET (self)) == entry)
    gtk_widget_grab_focus (GTK_WIDGET (self));
  gtk_widget_unparent (entry);
  /* One that never said anything was never there. */
  const SluiceViewNote *note =
      g_hash_table_lookup (sluice_view_state_get_notes (self->state), self->notes.edited);
  if (note != NULL && *note->text == '\0')
    sluice_view_state_set_note (self->state, self->notes.edited, NULL);
  g_clear_pointer (&self->notes.edited, g_free);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
sluice_canvas_allocate_note_edit (SluiceCanvas *self)
{
  if (self->notes.entry == NULL || self->scene == NULL)
    return;
  g_autoptr (GArray) boxes = sluice_canvas_list_notes (self);
  for (guint i = 0; i < boxes->len; i++)
    {
      const CanvasNote *box = &g_array_index (boxes, CanvasNote, i);
      int least, natural, height;
      if (!g_str_equal (box->id, self->notes.edited))
        continue;
      double x = (box->rect.x - self->view.x) * self->view.zoom,
             y = (box->rect.y - self->view.y) * self->view.zoom;
      int width = MAX ((int) (box->rect.width * self->view.zoom), LEAST_WIDTH);
      gtk_widget_measure (self->notes.entry, GTK_ORIENTATION_HORIZONTAL, -1, &least, &natural, NULL,
                          NULL);
      width = MAX (width, least);
      gtk_widget_measure (self->notes.entry, GTK_ORIENTATION_VERTICAL, width, &least, &height, NULL,
                          NULL);
      height = MAX (MAX (height, least), LEAST_HEIGHT);
      double most_x = MAX (gtk_widget_get_width (GTK_WIDGET (self)) - width, 0),
             most_y = MAX (gtk_widget_get_height (GTK_WIDGET (self)) - height, 0);
      gtk_widget_allocate (
          self->notes.entry, width, height, -1,
          gsk_transform_translate (
              NULL, &GRAPHENE_POINT_INIT (CLAMP (x, 0, most_x), CLAMP (y, 0, most_y))));
    }
}

/* What was written becomes a command, or nothing where it is as before. */
static void
take_text (SluiceCanvas *self)
{
  GtkWidget *entry = gtk_widget_get_first_child (self->notes.entry);
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (entry));
  GtkTextIter start, end;
  gtk_text_buffer_get_bounds (buffer, &start, &end);
  g_autofree char *text = gtk_text_buffer_get_text (buffer, &start, &end, FALSE);
  g_autofree char *id = g_strdup (self->notes.edited);
  g_strstrip (text);
  const SluiceViewNote *note = g_hash_table_lookup (sluice_view_state_get_notes (self->state), id);
  gboolean is_new = note != NULL && *note->text == '\0';
  if (note == NULL || *text == '\0' || g_str_equal (text, note->text))
    {
      sluice_canvas_end_note_edit (self);
      return;
    }
  SluiceViewNote said = { note->is_frame, text, g_strdupv (note->names), note->dx, note->dy };
  g_autofree char *first = sluice_canvas_dup_note_words (text);
  g_autofree char *words =
      g_strdup_printf (is_new          ? (said.is_frame ? _ ("frame %s") : _ ("note %s"))
                       : said.is_frame ? _ ("call the frame %s")
                                       : _ ("write %s"),
                       first);
  sluice_canvas_end_note_edit (self); /* an empty one goes, and comes as a command */
  SluiceViewState *before = sluice_canvas_begin_arranging (self);
  sluice_view_state_set_note (self->state, id, &said);
  sluice_canvas_end_arranging (self, before, words);
  g_strfreev (said.names);
}

static gboolean
key_cb (SluiceCanvas *self, guint key, guint code, GdkModifierType state)
{
  if (key == GDK_KEY_Escape)
    sluice_canvas_end_note_edit (self);
  else if ((key == GDK_KEY_Return || key == GDK_KEY_KP_Enter) && !(state & GDK_SHIFT_MASK))
    take_text (self);
  else
    return FALSE;
  return TRUE;
}

static gboolean
other_key_cb (void)
{
  return TRUE;
}

static gboolean
left_cb (gpointer data)
{
  SluiceCanvas *self = data;
  self->notes.source = 0;
  if (self->notes.entry != NULL)
    take_text (self);
  return G_SOURCE_REMOVE;
}

/* Not while the focus is on its way: the toolkit still holds what it leaves. */
static void
leave_cb (SluiceCanvas *self)
{
  if (self->notes.entry != NULL && self->notes.source == 0)
    self->notes.source = g_idle_add (left_cb, self);
}

static GtkWidget *
new_entry (SluiceCanvas *self, const SluiceViewNote *note)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), *entry = gtk_text_view_new ();
  GtkEventController *keys = gtk_event_controller_key_new (),
                     *others = gtk_event_controller_key_new (),
                     *focus = gtk_event_controller_focus_new ();
  gtk_text_view_set_wrap_mode (GTK_TEXT_VIEW (entry), GTK_WRAP_WORD_CHAR);
  gtk_text_view_set_accepts_tab (GTK_TEXT_VIEW (entry), FALSE);
  gtk_widget_set_vexpand (entry, TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  note->is_frame ? _ ("Title of the frame") : _ ("Note"), -1);
  gtk_widget_add_css_class (box, "canvas-bar");
  gtk_widget_add_css_class (box, "canvas-tip");
  gtk_box_append (GTK_BOX (box), entry);
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect_object (keys, "key-pressed", G_CALLBACK (key_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect (others, "key-pressed", G_CALLBACK (other_key_cb), NULL);
  g_signal_connect_object (focus, "leave", G_CALLBACK (leave_cb), self, G_CONNECT_SWAPPED);
  gtk_widget_add_controller (box, others);
  gtk_widget_add_controller (box, keys);
  gtk_widget_add_controller (box, focus);
  return box;
}

void
sluice_canvas_edit_note (SluiceCanvas *self, const char *id)
{
  const SluiceViewNote *note = g_hash_table_lookup (sluice_view_state_get_notes (self->state), id);
  GtkTextIter start, end;
  if (note == NULL)
    return;
  g_autofree char *copy = g_strdup (id);
  sluice_canvas_end_note_edit (self);
  self->notes.edited = g_steal_pointer (&copy);
  self->notes.entry = new_entry (self, note);
  gtk_widget_set_parent (self->notes.entry, GTK_WIDGET (self));
  GtkWidget *entry = gtk_widget_get_first_child (self->notes.entry);
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (entry));
  gtk_text_buffer_set_text (buffer, note->text, -1);
  gtk_text_buffer_get_bounds (buffer, &start, &end);
  gtk_text_buffer_select_range (buffer, &start, &end);
  gtk_widget_grab_focus (entry);
  gtk_widget_queue_allocate (GTK_WIDGET (self));
}

/* ---- new ones ---- */

/* Says nothing yet, and is nothing but the place of its entry. */
static void
begin_new (SluiceCanvas *self, const SluiceViewNote *note)
{
  g_autofree char *id = sluice_view_state_new_note_id (self->state);
  sluice_view_state_set_note (self->state, id, note);
  sluice_canvas_select_note (self, id);
  sluice_canvas_edit_note (self, id);
}

static int
compare_paths (const void *a, const void *b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

static void
frame_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceCanvas *self = SLUICE_CANVAS (widget);
  guint n;
  g_autofree char **paths =
      (char **) g_hash_table_get_keys_as_array (self->selected, &n); /* the keys are the set's */
  if (self->scene == NULL || n == 0)
    return;
  qsort (paths, n, sizeof *paths, compare_paths);
  begin_new (self, &(SluiceViewNote){ TRUE, (char *) "", paths, 0, 0 });
}

/* The box that is selected, else the one next to the middle of the view. */
static guint
find_beside (SluiceCanvas *self)
{
  g_autoptr (GArray) items = g_array_new (FALSE, FALSE, sizeof (guint));
  SluiceRect area = sluice_canvas_visible (self);
  SluicePoint middle = sluice_rect_centre (&area);
  double nearest = G_MAXDOUBLE;
  guint found = SLUICE_NONE;
  if (self->lead_item != SLUICE_NONE)
    return self->lead_item;
  sluice_scene_query (self->scene, &area, items);
  for (guint i = 0; i < items->len; i++)
    {
      guint item = g_array_index (items, guint, i);
      SluicePoint p = sluice_rect_centre (&sluice_scene_get_item (self->scene, item)->rect);
      double square = (p.x - middle.x) * (p.x - middle.x) + (p.y - middle.y) * (p.y - middle.y);
      if (!sluice_canvas_can_move (self, item) || square >= nearest)
        continue;
      nearest = square;
      found = item;
    }
  return found;
}

/* Beside the box where nothing else stands and it is in view, else to the right of it. */
static SluicePoint
find_room (SluiceCanvas *self, const SluiceRect *box)
{
  SluiceRect visible = sluice_canvas_visible (self);
  double w = NEW_WIDTH, h = NEW_HEIGHT;
  const SluicePoint places[] = { { box->x + box->width + BESIDE, box->y },
                                 { box->x - BESIDE - w, box->y },
                                 { box->x, box->y + box->height + BESIDE },
                                 { box->x, box->y - BESIDE - h } };
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      SluiceRect area = { places[i].x, places[i].y, w, h };
      g_autoptr (GArray) items = g_array_new (FALSE, FALSE, sizeof (guint));
      sluice_scene_query (self->scene, &area, items);
      gboolean is_free = sluice_rect_contains (&visible, area.x, area.y)
                         && sluice_rect_contains (&visible, area.x + w, area.y + h);
      for (guint k = 0; k < items->len && is_free; k++)
        is_free = sluice_scene_get_item (self->scene, g_array_index (items, guint, k))->kind
                  == SLUICE_ITEM_OPEN_SCOPE;
      if (is_free)
        return places[i];
    }
  return places[0];
}

static void
note_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceCanvas *self = SLUICE_CANVAS (widget);
  char *names[] = { NULL, NULL };
  SluiceViewNote note = { FALSE, (char *) "", names, 0, 0 };
  if (self->scene == NULL)
    return;
  guint item = find_beside (self);
  if (item != SLUICE_NONE)
    {
      const SluiceRect *r = &sluice_scene_get_item (self->scene, item)->rect;
      names[0] = (char *) sluice_canvas_item_path (self, item);
      SluicePoint middle = sluice_rect_centre (r), at = find_room (self, r);
      note.dx = at.x - middle.x;
      note.dy = at.y - middle.y;
    }
  begin_new (self, &note);
}

/* ---- those that are there ---- */

gboolean
sluice_canvas_delete_note (SluiceCanvas *self)
{
  const SluiceViewNote *note =
      self->notes.selected != NULL
          ? g_hash_table_lookup (sluice_view_state_get_notes (self->state), self->notes.selected)
          : NULL;
  if (note == NULL)
    return FALSE;
  g_autofree char *text = sluice_canvas_dup_note_words (note->text);
  g_autofree char *words =
      g_strdup_printf (note->is_frame ? _ ("delete the frame %s") : _ ("delete the note %s"), text);
  g_autofree char *id = g_strdup (self->notes.selected);
  sluice_canvas_select_note (self, NULL);
  SluiceViewState *before = sluice_canvas_begin_arranging (self);
  sluice_view_state_set_note (self->state, id, NULL);
  sluice_canvas_end_arranging (self, before, words);
  return TRUE;
}

/* One after the other, and then none. */
static void
next_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceCanvas *self = SLUICE_CANVAS (widget);
  g_autoptr (GArray) boxes = sluice_canvas_list_notes (self);
  guint next = 0;
  for (guint i = 0; i < boxes->len; i++)
    if (g_strcmp0 (g_array_index (boxes, CanvasNote, i).id, self->notes.selected) == 0)
      next = i + 1;
  if (next >= boxes->len)
    {
      sluice_canvas_select_note (self, NULL);
      return;
    }
  SluiceRect rect = g_array_index (boxes, CanvasNote, next).rect;
  sluice_canvas_select_note (self, g_array_index (boxes, CanvasNote, next).id);
  sluice_canvas_show_rect (self, &rect);
}

void
sluice_canvas_append_note_menu (SluiceCanvas *self, GMenu *menu)
{
  if (g_hash_table_size (self->selected) > 0)
    g_menu_append (menu, _ ("_Frame around it"), "canvas.frame");
  g_menu_append (menu, _ ("_Write a note"), "canvas.note");
}

void
sluice_canvas_install_note_actions (GtkWidgetClass *klass)
{
  gtk_widget_class_install_action (klass, "canvas.frame", NULL, frame_action);
  gtk_widget_class_install_action (klass, "canvas.note", NULL, note_action);
  gtk_widget_class_install_action (klass, "canvas.next-note", NULL, next_action);
  gtk_widget_class_add_binding_action (klass, GDK_KEY_j, GDK_CONTROL_MASK, "canvas.frame", NULL);
  gtk_widget_class_add_binding_action (klass, GDK_KEY_m, GDK_CONTROL_MASK, "canvas.note", NULL);
  gtk_widget_class_add_binding_action (klass, GDK_KEY_m, GDK_CONTROL_MASK | GDK_SHIFT_MASK,
                                       "canvas.next-note", NULL);
}

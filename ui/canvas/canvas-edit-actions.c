/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/canvas-edit-private.h"
#include "ui/canvas/canvas-notes.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* What is done with the selection, by a key, an entry of the menu, or an action: one table. */

typedef void (*NamesRequest) (const char *const *names, gpointer user_data);

typedef enum
{
  MENU_NONE,
  MENU_WIRE,
  MENU_NAME,
  MENU_RUN,
  MENU_CLIPBOARD,
  MENU_REMOVE,
  N_MENUS,
} MenuSection;

/* Of what is selected. */
typedef enum
{
  OF_ANYTHING, /* and of nothing */
  OF_BOX,
  OF_NAMED, /* no fold of what is alike */
  OF_SCOPE,
} ActionOf;

typedef struct
{
  const char *name;
  const char *word; /* in the menu */
  MenuSection section;
  ActionOf of;
  guint key;
  GdkModifierType modifiers;
  guint offset; /* of the editor's member: without it, it is not offered */
  GtkWidgetActionActivateFunc activate;
} EditAction;

static void names_action (GtkWidget *widget, const char *name, GVariant *parameter);
static void remove_action (GtkWidget *widget, const char *name, GVariant *parameter);
static void ungroup_action (GtkWidget *widget, const char *name, GVariant *parameter);
static void copy_action (GtkWidget *widget, const char *name, GVariant *parameter);
static void paste_action (GtkWidget *widget, const char *name, GVariant *parameter);

#define MEMBER(m) G_STRUCT_OFFSET (SluiceCanvasEditor, m)
#define CTRL      GDK_CONTROL_MASK
#define SHIFT     GDK_SHIFT_MASK
#define ALT       GDK_ALT_MASK

/* clang-format off */
static const EditAction actions[] = {
  { "canvas.palette", N_ ("_Add a node…"), MENU_WIRE, OF_ANYTHING, GDK_KEY_a, SHIFT, MEMBER (palette),
    sluice_canvas_edit_palette_action },
  { "canvas.link", N_ ("_Lay a wire"), MENU_WIRE, OF_BOX, GDK_KEY_l, 0, MEMBER (connect),
    sluice_canvas_edit_link_action },
  { "canvas.splice", N_ ("Put into a w_ire"), MENU_WIRE, OF_BOX, GDK_KEY_l, SHIFT, MEMBER (splice),
    sluice_canvas_edit_splice_action },
  { "canvas.detach", N_ ("_Take out of its wires"), MENU_WIRE, OF_BOX, GDK_KEY_x, CTRL | SHIFT,
    MEMBER (detach), names_action },
  { "canvas.rename", N_ ("_Rename"), MENU_NAME, OF_NAMED, GDK_KEY_F2, 0, MEMBER (rename),
    sluice_canvas_edit_rename_action },
  { "canvas.duplicate", N_ ("_Duplicate"), MENU_NAME, OF_BOX, GDK_KEY_d, CTRL, MEMBER (duplicate),
    names_action },
  { "canvas.group", N_ ("_Group"), MENU_NAME, OF_BOX, GDK_KEY_g, CTRL, MEMBER (group),
    names_action },
  { "canvas.ungroup", N_ ("_Ungroup"), MENU_NAME, OF_SCOPE, GDK_KEY_g, CTRL | SHIFT, MEMBER (ungroup),
    ungroup_action },
  { "canvas.mute", N_ ("_Mute or unmute"), MENU_RUN, OF_BOX, GDK_KEY_m, 0, MEMBER (mute), names_action },
  { "canvas.bypass", N_ ("_Bypass"), MENU_RUN, OF_BOX, GDK_KEY_b, 0, MEMBER (bypass),
    names_action },
  { "canvas.straighten", N_ ("Strai_ghten its lines"), MENU_WIRE, OF_BOX, GDK_KEY_s, ALT, MEMBER (arrange),
    sluice_canvas_edit_straighten_action },
  { "canvas.cut", N_ ("Cu_t"), MENU_CLIPBOARD, OF_BOX, GDK_KEY_x, CTRL, MEMBER (copy),
    copy_action },
  { "canvas.copy", N_ ("_Copy"), MENU_CLIPBOARD, OF_BOX, GDK_KEY_c, CTRL, MEMBER (copy),
    copy_action },
  { "canvas.paste", N_ ("_Paste"), MENU_CLIPBOARD, OF_ANYTHING, GDK_KEY_v, CTRL, MEMBER (paste),
    paste_action },
  { "canvas.paste-wired", N_ ("Paste, inputs _kept"), MENU_CLIPBOARD, OF_ANYTHING, GDK_KEY_v,
    CTRL | SHIFT, MEMBER (paste), paste_action },
  { "canvas.delete", N_ ("D_elete"), MENU_REMOVE, OF_BOX, GDK_KEY_Delete, 0, MEMBER (remove),
    remove_action },
};
/* clang-format on */

static gboolean
is_offered (SluiceCanvas *self, const EditAction *action)
{
  return self->edit != NULL
         && G_STRUCT_MEMBER (gpointer, self->edit->editor, action->offset) != NULL;
}

/* What is done to a note that is selected as well as to a box. */
static gboolean
is_of_notes (const EditAction *action)
{
  return action->activate == remove_action || action->activate == sluice_canvas_edit_rename_action;
}

/* (transfer full) (nullable): nothing is selected. */
static char **
dup_names (SluiceCanvas *self)
{
  char **names = self->edit != NULL ? sluice_canvas_edit_dup_names (self) : NULL;
  if (names != NULL && names[0] == NULL)
    g_clear_pointer (&names, g_strfreev);
  return names;
}

static void
names_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceCanvas *self = SLUICE_CANVAS (widget);
  g_auto (GStrv) names = dup_names (self);
  for (guint i = 0; i < G_N_ELEMENTS (actions) && names != NULL; i++)
    if (g_str_equal (actions[i].name, name) && is_offered (self, &actions[i]))
      {
        NamesRequest request =
            G_STRUCT_MEMBER (NamesRequest, self->edit->editor, actions[i].offset);
        request ((const char *const *) names, self->edit->user_data);
        return;
      }
}

/* What is selected once the selection is gone: what it read, else what read it. (transfer full)
 * (nullable) */
static char *
dup_neighbour (SluiceCanvas *self)
{
  for (int out = 0; out < 2 && self->lead_item != SLUICE_NONE; out++)
    {
      g_autoptr (GArray) edges = g_array_new (FALSE, FALSE, sizeof (guint));
      sluice_scene_get_item_edges (self->scene, self->lead_item, out == 1, edges);
      for (guint i = 0; i < edges->len; i++)
        {
          const SluiceSceneEdge *e =
              sluice_scene_get_edge (self->scene, g_array_index (edges, guint, i));
          guint other = out == 1 ? e->to : e->from;
          if (!self->flags[other] && sluice_canvas_item_path (self, other) != NULL)
            return g_strdup (sluice_canvas_item_path (self, other));
        }
    }
  return NULL;
}

static void
remove_names (SluiceCanvas *self, char **names)
{
  g_free (self->edit->successor);
  self->edit->successor = dup_neighbour (self);
  self->edit->editor->remove ((const char *const *) names, self->edit->user_data);
}

static void
remove_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceCanvas *self = SLUICE_CANVAS (widget);
  if (sluice_canvas_delete_note (self))
    return;
  g_auto (GStrv) names = dup_names (self);
  if (names != NULL && self->edit->editor->remove != NULL)
    remove_names (self, names);
}

static void
ungroup_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceCanvas *self = SLUICE_CANVAS (widget);
  g_auto (GStrv) names = dup_names (self);
  if (names != NULL && names[1] == NULL && self->edit->editor->ungroup != NULL)
    self->edit->editor->ungroup (names[0], self->edit->user_data);
}

/* ---- the clipboard ---- */

/* As bytes: GTK 4.8 closes the stream of a text before all of it is fetched, and waits for that in
 * the very thread that would bring it: other programs that paste some hundred kilobytes hang this
 * one. text: (transfer full) */
static void
set_clipboard (GtkWidget *widget, char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new_take (text, strlen (text));
  GdkContentProvider *types[] = {
    gdk_content_provider_new_for_bytes ("text/plain;charset=utf-8", bytes),
    gdk_content_provider_new_for_bytes ("text/plain", bytes),
  };
  g_autoptr (GdkContentProvider) all = gdk_content_provider_new_union (types, G_N_ELEMENTS (types));
  gdk_clipboard_set_content (gtk_widget_get_clipboard (widget), all);
}

static void
copy_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceCanvas *self = SLUICE_CANVAS (widget);
  g_auto (GStrv) names = dup_names (self);
  if (names == NULL || self->edit->editor->copy == NULL)
    return;
  char *text = self->edit->editor->copy ((const char *const *) names, self->edit->user_data);
  if (text == NULL)
    return;
  set_clipboard (widget, text);
  if (g_str_equal (name, "canvas.cut") && self->edit->editor->remove != NULL)
    remove_names (self, names);
}

typedef struct
{
  SluiceCanvas *canvas;
  gboolean wired;
} Paste;

static void
pasted_cb (GObject *object, GAsyncResult *result, gpointer data)
{
  Paste *paste = data;
  SluiceCanvas *self = paste->canvas;
  /* What is no text is as good as nothing. */
  g_autoptr (GError) error = NULL;
  g_autofree char *text = gdk_clipboard_read_text_finish (GDK_CLIPBOARD (object), result, &error);
  double width = gtk_widget_get_width (GTK_WIDGET (self)),
         height = gtk_widget_get_height (GTK_WIDGET (self));
  SluicePoint p = { self->pointer_x, self->pointer_y };
  if (p.x <= 0 || p.y <= 0 || p.x >= width || p.y >= height)
    p = (SluicePoint){ width / 2, height / 2 };
  /* Meanwhile the page may have stopped editing. */
  if (text != NULL && *text != '\0' && self->edit != NULL && self->edit->editor->paste != NULL)
    self->edit->editor->paste (text, sluice_canvas_to_scene (self, p.x, p.y), paste->wired,
                               self->edit->user_data);
  g_autofree char *words =
      error != NULL ? g_strdup_printf (_ ("There is no text to paste: %s"), error->message) : NULL;
  if (words != NULL && self->edit != NULL)
    sluice_canvas_edit_tell (self, words);
  g_object_unref (self);
  g_free (paste);
}

static void
paste_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  Paste *paste = g_new (Paste, 1);
  paste->canvas = g_object_ref (SLUICE_CANVAS (widget));
  paste->wired = g_str_equal (name, "canvas.paste-wired");
  gdk_clipboard_read_text_async (gtk_widget_get_clipboard (widget), NULL, pasted_cb, paste);
}

/* ---- the table ---- */

static ActionOf
what_is_selected (SluiceCanvas *self)
{
  guint group = self->lead != NULL && self->hierarchy != NULL
                    ? sluice_hierarchy_lookup (self->hierarchy, self->lead)
                    : SLUICE_NONE;
  if (group == SLUICE_NONE)
    return OF_ANYTHING;
  SluiceGroupKind kind = sluice_hierarchy_get_group (self->hierarchy, group)->kind;
  return kind == SLUICE_GROUP_SERIES ? OF_BOX : kind == SLUICE_GROUP_SCOPE ? OF_SCOPE : OF_NAMED;
}

void
sluice_canvas_edit_update_actions (SluiceCanvas *self)
{
  ActionOf selected = what_is_selected (self);
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    gtk_widget_action_set_enabled (
        GTK_WIDGET (self), actions[i].name,
        (is_offered (self, &actions[i]) && actions[i].of <= selected)
            || (self->notes.selected != NULL && is_of_notes (&actions[i])));
}

void
sluice_canvas_edit_append_menu (SluiceCanvas *self, GMenu *menu, gboolean of_item)
{
  for (MenuSection s = MENU_NONE + 1; s < N_MENUS && self->edit != NULL; s++)
    {
      g_autoptr (GMenu) section = g_menu_new ();
      for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
        if (actions[i].section == s && (of_item || actions[i].of == OF_ANYTHING)
            && is_offered (self, &actions[i]))
          g_menu_append (section, _ (actions[i].word), actions[i].name);
      if (g_menu_model_get_n_items (G_MENU_MODEL (section)) > 0)
        g_menu_append_section (menu, NULL, G_MENU_MODEL (section));
    }
}

void
sluice_canvas_edit_install_actions (GtkWidgetClass *klass)
{
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    {
      gtk_widget_class_install_action (klass, actions[i].name, NULL, actions[i].activate);
      gtk_widget_class_add_binding_action (klass, actions[i].key, actions[i].modifiers,
                                           actions[i].name, NULL);
    }
  gtk_widget_class_add_binding_action (klass, GDK_KEY_KP_Delete, 0, "canvas.delete", NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/canvas-notes.h"

#include <glib/gi18n-lib.h>

/* Children for assistive technology: one undrawn widget over each visible item, at most
 * CANVAS_MAX_PROXIES, those nearest to the middle. They take no pointer and no keyboard focus;
 * their actions select and open. */

#define SETTLE_MS 120 /* after the picture came to rest */

#define SLUICE_TYPE_CANVAS_PROXY (sluice_canvas_proxy_get_type ())
G_DECLARE_FINAL_TYPE (SluiceCanvasProxy, sluice_canvas_proxy, SLUICE, CANVAS_PROXY, GtkWidget)

struct _SluiceCanvasProxy
{
  GtkWidget parent;
  guint item;
  char *path; /* or NULL */
  char *label;
};

G_DEFINE_FINAL_TYPE (SluiceCanvasProxy, sluice_canvas_proxy, GTK_TYPE_WIDGET)

static void
sluice_canvas_proxy_finalize (GObject *object)
{
  SluiceCanvasProxy *self = SLUICE_CANVAS_PROXY (object);
  g_free (self->path);
  g_free (self->label);
  G_OBJECT_CLASS (sluice_canvas_proxy_parent_class)->finalize (object);
}

static void
item_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceCanvasProxy *self = SLUICE_CANVAS_PROXY (widget);
  SluiceCanvas *canvas = SLUICE_CANVAS (gtk_widget_get_parent (widget));
  if (self->path == NULL)
    return;
  sluice_canvas_select_path (canvas, self->path);
  if (g_str_has_suffix (name, "toggle"))
    gtk_widget_activate_action (GTK_WIDGET (canvas), "canvas.toggle", NULL);
}

static void
sluice_canvas_proxy_class_init (SluiceCanvasProxyClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->finalize = sluice_canvas_proxy_finalize;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_TREE_ITEM);
  gtk_widget_class_install_action (widget_class, "item.select", NULL, item_action);
  gtk_widget_class_install_action (widget_class, "item.toggle", NULL, item_action);
}

static void
sluice_canvas_proxy_init (SluiceCanvasProxy *self)
{
  self->item = SLUICE_NONE;
  gtk_widget_set_can_target (GTK_WIDGET (self), FALSE);
  gtk_widget_set_can_focus (GTK_WIDGET (self), FALSE);
}

static void
set_item (SluiceCanvas *canvas, SluiceCanvasProxy *self, guint item)
{
  const SluiceSceneItem *it = sluice_scene_get_item (canvas->scene, item);
  g_autofree char *label = sluice_canvas_item_text (canvas, item);
  self->item = item;
  g_free (self->path);
  self->path = g_strdup (sluice_canvas_item_path (canvas, item));
  /* Only what changed: each update is a message on the bus. */
  if (g_strcmp0 (label, self->label) != 0)
    {
      g_free (self->label);
      self->label = g_steal_pointer (&label);
      gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                      self->label, -1);
    }
  gtk_accessible_update_state (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_STATE_SELECTED,
                               item == canvas->lead_item || canvas->flags[item] != 0, -1);
  if (it->kind == SLUICE_ITEM_SCOPE || it->kind == SLUICE_ITEM_OPEN_SCOPE)
    gtk_accessible_update_state (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_STATE_EXPANDED,
                                 it->kind == SLUICE_ITEM_OPEN_SCOPE, -1);
  else
    gtk_accessible_reset_state (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_STATE_EXPANDED);
}

typedef struct
{
  guint item;
  double distance; /* from the middle of the view, squared */
} Visible;

static int
compare_distance (gconstpointer pa, gconstpointer pb)
{
  const Visible *a = pa, *b = pb;
  if (a->distance != b->distance)
    return a->distance < b->distance ? -1 : 1;
  return a->item < b->item ? -1 : a->item > b->item;
}

static int
compare_items (gconstpointer pa, gconstpointer pb)
{
  const Visible *a = pa, *b = pb;
  return a->item < b->item ? -1 : a->item > b->item;
}

/* The items that get a proxy, in drawing order. */
static GArray *
choose_items (SluiceCanvas *self, guint *n_visible)
{
  GArray *chosen = g_array_new (FALSE, FALSE, sizeof (Visible));
  g_autoptr (GArray) items = g_array_new (FALSE, FALSE, sizeof (guint));
  SluiceRect area = sluice_canvas_visible (self);
  SluicePoint middle = sluice_rect_centre (&area);
  sluice_scene_query (self->scene, &area, items);
  for (guint i = 0; i < items->len; i++)
    {
      guint index = g_array_index (items, guint, i);
      const SluiceSceneItem *item = sluice_scene_get_item (self->scene, index);
      SluicePoint p = sluice_rect_centre (&item->rect);
      Visible v = { index,
                    (p.x - middle.x) * (p.x - middle.x) + (p.y - middle.y) * (p.y - middle.y) };
      if (item->kind == SLUICE_ITEM_HEADING)
        continue;
      if (index == self->lead_item)
        v.distance = -1;
      g_array_append_val (chosen, v);
    }
  *n_visible = chosen->len;
  g_array_sort (chosen, compare_distance);
  if (chosen->len > CANVAS_MAX_PROXIES)
    g_array_set_size (chosen, CANVAS_MAX_PROXIES);
  g_array_sort (chosen, compare_items);
  return chosen;
}

/* All at once: that is much less work. */
static void
prepare_ports (SluiceCanvas *self, const GArray *visible)
{
  g_autoptr (GArray) items = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < visible->len; i++)
    g_array_append_val (items, g_array_index (visible, Visible, i).item);
  sluice_canvas_edit_prepare (self, items);
}

static void
describe (SluiceCanvas *self, guint n_listed, guint n_visible)
{
  guint n = self->model == NULL ? 0 : sluice_graph_model_get_n_nodes (self->model);
  g_autofree char *boxes =
      n_listed < n_visible ? g_strdup_printf (_ ("%u nodes; %u of the %u visible boxes are listed"),
                                              n, n_listed, n_visible)
                           : g_strdup_printf (_ ("%u nodes, %u visible boxes"), n, n_visible);
  g_autoptr (GString) text = g_string_new (boxes);
  sluice_canvas_append_note_words (self, text);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  text->str, -1);
}

static gboolean
update_cb (gpointer data)
{
  SluiceCanvas *self = data;
  guint n_visible = 0;
  if (self->tick != 0 || self->job != NULL)
    return G_SOURCE_CONTINUE; /* still moving */
  self->proxy_source = 0;
  g_autoptr (GArray) items = self->scene == NULL || !self->has_view
                                 ? g_array_new (FALSE, FALSE, sizeof (Visible))
                                 : choose_items (self, &n_visible);
  while (self->proxies->len < items->len)
    {
      GtkWidget *proxy = g_object_new (SLUICE_TYPE_CANVAS_PROXY, NULL);
      gtk_widget_set_parent (proxy, GTK_WIDGET (self));
      g_ptr_array_add (self->proxies, proxy);
    }
  while (self->proxies->len > items->len)
    gtk_widget_unparent (g_ptr_array_steal_index (self->proxies, self->proxies->len - 1));
  prepare_ports (self, items);
  for (guint i = 0; i < items->len; i++)
    set_item (self, self->proxies->pdata[i], g_array_index (items, Visible, i).item);
  describe (self, items->len, n_visible);
  gtk_widget_queue_allocate (GTK_WIDGET (self));
  return G_SOURCE_REMOVE;
}

void
sluice_canvas_queue_proxies (SluiceCanvas *self)
{
  if (self->proxy_source == 0)
    self->proxy_source = g_timeout_add (SETTLE_MS, update_cb, self);
}

void
sluice_canvas_allocate_proxies (SluiceCanvas *self)
{
  for (guint i = 0; i < self->proxies->len; i++)
    {
      SluiceCanvasProxy *proxy = self->proxies->pdata[i];
      if (self->scene == NULL || proxy->item >= sluice_scene_get_n_items (self->scene))
        continue;
      SluiceRect r = sluice_scene_get_item (self->scene, proxy->item)->rect;
      double zoom = self->view.zoom;
      GskTransform *at = gsk_transform_translate (
          NULL, &GRAPHENE_POINT_INIT ((r.x - self->view.x) * zoom, (r.y - self->view.y) * zoom));
      gtk_widget_allocate (GTK_WIDGET (proxy), MAX ((int) (r.width * zoom), 1),
                           MAX ((int) (r.height * zoom), 1), -1, at);
    }
}

void
sluice_canvas_drop_proxies (SluiceCanvas *self)
{
  g_clear_handle_id (&self->proxy_source, g_source_remove);
  while (self->proxies->len > 0)
    gtk_widget_unparent (g_ptr_array_steal_index (self->proxies, self->proxies->len - 1));
}

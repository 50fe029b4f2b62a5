/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/common/proxies.h"

#include "ui/common/widget.h"

#define SETTLE_MS 120 /* after the picture came to rest */

#define SLUICE_TYPE_PROXY (sluice_proxy_get_type ())
G_DECLARE_FINAL_TYPE (SluiceProxy, sluice_proxy, SLUICE, PROXY, GtkWidget)

struct _SluiceProxy
{
  GtkWidget parent_instance;
  SluiceProxies *proxies; /* of its parent */
  guint64 item;
  SluiceRect rect;
  char *label;
};

G_DEFINE_FINAL_TYPE (SluiceProxy, sluice_proxy, GTK_TYPE_WIDGET)

static void
sluice_proxy_finalize (GObject *object)
{
  g_free (SLUICE_PROXY (object)->label);
  G_OBJECT_CLASS (sluice_proxy_parent_class)->finalize (object);
}

static void
select_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceProxy *self = SLUICE_PROXY (widget);
  GtkWidget *owner = gtk_widget_get_parent (widget);

  if (self->item != SLUICE_PROXY_NONE && owner != NULL)
    self->proxies->select (owner, self->item);
}

static void
sluice_proxy_class_init (SluiceProxyClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sluice_proxy_finalize;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_TREE_ITEM);
  gtk_widget_class_install_action (widget_class, "proxy.select", NULL, select_action);
}

static void
sluice_proxy_init (SluiceProxy *self)
{
  self->item = SLUICE_PROXY_NONE;
  gtk_widget_set_can_target (GTK_WIDGET (self), FALSE);
  gtk_widget_set_can_focus (GTK_WIDGET (self), FALSE);
}

static SluiceProxy *
ensure_proxy (SluiceProxies *self)
{
  if (self->n == self->widgets->len)
    {
      SluiceProxy *proxy = g_object_new (SLUICE_TYPE_PROXY, NULL);

      proxy->proxies = self;
      gtk_widget_set_parent (GTK_WIDGET (proxy), self->owner);
      g_ptr_array_add (self->widgets, proxy);
    }
  return self->widgets->pdata[self->n++];
}

void
sluice_proxies_add (SluiceProxies *self,
                    const SluiceRect *rect,
                    guint64 item,
                    char *take_label,
                    gboolean is_selected)
{
  g_autofree char *label = take_label;
  SluiceProxy *proxy = ensure_proxy (self);

  proxy->item = item;
  proxy->rect = *rect;
  /* Only what changed: each update is a message on the bus. */
  if (g_strcmp0 (label, proxy->label) != 0)
    {
      g_free (proxy->label);
      proxy->label = g_steal_pointer (&label);
      gtk_accessible_update_property (GTK_ACCESSIBLE (proxy), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                      proxy->label, -1);
    }
  gtk_accessible_update_state (GTK_ACCESSIBLE (proxy), GTK_ACCESSIBLE_STATE_SELECTED, is_selected,
                               -1);
}

static void
shorten (SluiceProxies *self, guint n)
{
  while (self->widgets->len > n)
    gtk_widget_unparent (g_ptr_array_steal_index (self->widgets, self->widgets->len - 1));
}

static gboolean
update_cb (gpointer data)
{
  SluiceProxies *self = data;

  self->source = 0;
  self->n = 0;
  self->fill (self->owner, self);
  shorten (self, self->n);
  sluice_proxies_allocate (self);
  return G_SOURCE_REMOVE;
}

void
sluice_proxies_queue (SluiceProxies *self)
{
  if (self->source == 0 && self->widgets != NULL && gtk_widget_get_mapped (self->owner))
    self->source = g_timeout_add (SETTLE_MS, update_cb, self);
}

void
sluice_proxies_allocate (SluiceProxies *self)
{
  double scale = sluice_widget_get_text_scale (self->owner);
  double width = gtk_widget_get_width (self->owner);
  gboolean mirrored = sluice_widget_is_mirrored (self->owner);

  for (guint i = 0; i < self->widgets->len; i++)
    {
      SluiceProxy *proxy = self->widgets->pdata[i];
      const SluiceRect *r = &proxy->rect;
      double x = mirrored ? width - (r->x + r->width) * scale : r->x * scale;
      GskTransform *at =
          gsk_transform_translate (NULL, &GRAPHENE_POINT_INIT ((float) x, (float) (r->y * scale)));

      gtk_widget_allocate (GTK_WIDGET (proxy), MAX ((int) (r->width * scale), 1),
                           MAX ((int) (r->height * scale), 1), -1, at);
    }
}

void
sluice_proxies_init (SluiceProxies *self,
                     GtkWidget *owner,
                     SluiceProxiesFill fill,
                     SluiceProxiesSelect select)
{
  *self = (SluiceProxies){
    .owner = owner, .fill = fill, .select = select, .widgets = g_ptr_array_new ()
  };
}

void
sluice_proxies_clear (SluiceProxies *self)
{
  g_clear_handle_id (&self->source, g_source_remove);
  if (self->widgets == NULL)
    return;
  shorten (self, 0);
  g_clear_pointer (&self->widgets, g_ptr_array_unref);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <glib/gi18n-lib.h>

#include "ui/common/widget.h"
#include "ui/timeline/memory-bands-private.h"

/* Children for assistive technology: an undrawn widget for each band, the largest first, MOST at
 * the most, of those that are seen. They take no pointer and no focus. */

#define MOST      100
#define SETTLE_MS 120 /* after the picture came to rest */

#define SLUICE_TYPE_MEMORY_PROXY (sluice_memory_proxy_get_type ())
G_DECLARE_FINAL_TYPE (SluiceMemoryProxy, sluice_memory_proxy, SLUICE, MEMORY_PROXY, GtkWidget)

struct _SluiceMemoryProxy
{
  GtkWidget parent_instance;
  guint band;
  SluiceRect rect;
  char *label;
};

G_DEFINE_FINAL_TYPE (SluiceMemoryProxy, sluice_memory_proxy, GTK_TYPE_WIDGET)

static void
sluice_memory_proxy_finalize (GObject *object)
{
  g_free (SLUICE_MEMORY_PROXY (object)->label);
  G_OBJECT_CLASS (sluice_memory_proxy_parent_class)->finalize (object);
}

static void
select_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  sluice_memory_bands_emit_selected (SLUICE_MEMORY_BANDS (gtk_widget_get_parent (widget)),
                                     SLUICE_MEMORY_PROXY (widget)->band);
}

static void
sluice_memory_proxy_class_init (SluiceMemoryProxyClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sluice_memory_proxy_finalize;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_TREE_ITEM);
  gtk_widget_class_install_action (widget_class, "band.select", NULL, select_action);
}

static void
sluice_memory_proxy_init (SluiceMemoryProxy *self)
{
  gtk_widget_set_can_target (GTK_WIDGET (self), FALSE);
  gtk_widget_set_can_focus (GTK_WIDGET (self), FALSE);
}

/* ---- which there are ---- */

static int
compare_shapes (gconstpointer a, gconstpointer b, gpointer view)
{
  const SluiceMemoryShape *x = *(SluiceMemoryShape *const *) a;
  const SluiceMemoryShape *y = *(SluiceMemoryShape *const *) b;
  gsize p = sluice_memory_view_get_band (view, x->band)->bytes;
  gsize q = sluice_memory_view_get_band (view, y->band)->bytes;

  if (p != q)
    return p > q ? -1 : 1;
  return x->band < y->band ? -1 : x->band > y->band;
}

/* (transfer full) (element-type SluiceMemoryShape) */
static GPtrArray *
choose (const SluiceMemoryPicture *picture)
{
  const GArray *shapes = picture->layout->shapes;
  GPtrArray *chosen = g_ptr_array_new ();

  for (guint i = 0; i < shapes->len; i++)
    g_ptr_array_add (chosen, &g_array_index (shapes, SluiceMemoryShape, i));
  g_ptr_array_sort_with_data (chosen, compare_shapes, (gpointer) picture->view);
  if (chosen->len > MOST)
    g_ptr_array_set_size (chosen, MOST);
  return chosen;
}

static void
set_shown (SluiceMemoryBands *self,
           SluiceMemoryProxy *proxy,
           const SluiceMemoryPicture *picture,
           guint band)
{
  g_autofree char *label = self->words (self->view, band);

  proxy->band = band;
  sluice_memory_get_box (picture, band, &proxy->rect);
  /* Only what changed: each update is a message on the bus. */
  if (g_strcmp0 (label, proxy->label) != 0)
    {
      g_free (proxy->label);
      proxy->label = g_steal_pointer (&label);
      gtk_accessible_update_property (GTK_ACCESSIBLE (proxy), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                      proxy->label, -1);
    }
  gtk_accessible_update_state (GTK_ACCESSIBLE (proxy), GTK_ACCESSIBLE_STATE_SELECTED,
                               band == self->selected, -1);
}

/* (transfer full) */
static char *
dup_words (SluiceMemoryBands *self, guint n_shown)
{
  guint peak = sluice_memory_view_get_peak (self->view);
  guint n = sluice_memory_view_get_n_bands (self->view);
  g_autofree char *bytes =
      sluice_memory_format_bytes ((double) sluice_memory_view_get_live (self->view, peak));
  g_autofree char *time =
      sluice_memory_format_time (self->view, sluice_memory_view_get_time (self->view, peak));

  return g_strdup_printf (
      ngettext ("peak %s at %s; %u buffer, of which the %u largest in sight are listed",
                "peak %s at %s; %u buffers, of which the %u largest in sight are listed", n),
      bytes, time, n, n_shown);
}

static gboolean
update_cb (gpointer data)
{
  SluiceMemoryBands *self = data;

  self->proxy_source = 0;
  if (self->view == NULL || self->words == NULL)
    {
      sluice_memory_bands_drop_proxies (self);
      return G_SOURCE_REMOVE;
    }
  const SluiceMemoryPicture picture = sluice_memory_bands_get_picture (self);
  g_autoptr (GPtrArray) chosen = choose (&picture);
  while (self->proxies->len < chosen->len)
    {
      GtkWidget *proxy = g_object_new (SLUICE_TYPE_MEMORY_PROXY, NULL);

      gtk_widget_set_parent (proxy, GTK_WIDGET (self));
      g_ptr_array_add (self->proxies, proxy);
    }
  while (self->proxies->len > chosen->len)
    gtk_widget_unparent (g_ptr_array_steal_index (self->proxies, self->proxies->len - 1));
  for (guint i = 0; i < chosen->len; i++)
    set_shown (self, self->proxies->pdata[i], &picture,
               ((const SluiceMemoryShape *) chosen->pdata[i])->band);
  g_autofree char *words = dup_words (self, chosen->len);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Memory over the step"), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  words, -1);
  sluice_memory_bands_allocate_proxies (self);
  return G_SOURCE_REMOVE;
}

void
sluice_memory_bands_queue_proxies (SluiceMemoryBands *self)
{
  if (self->proxy_source == 0 && gtk_widget_get_mapped (GTK_WIDGET (self)))
    self->proxy_source = g_timeout_add (SETTLE_MS, update_cb, self);
}

void
sluice_memory_bands_allocate_proxies (SluiceMemoryBands *self)
{
  double scale = sluice_widget_get_text_scale (GTK_WIDGET (self));

  for (guint i = 0; i < self->proxies->len; i++)
    {
      SluiceMemoryProxy *proxy = self->proxies->pdata[i];
      SluiceRect r = proxy->rect;
      GskTransform *at = gsk_transform_translate (
          NULL, &GRAPHENE_POINT_INIT ((float) (r.x * scale), (float) (r.y * scale)));

      gtk_widget_allocate (GTK_WIDGET (proxy), MAX ((int) (r.width * scale), 1),
                           MAX ((int) (r.height * scale), 1), -1, at);
    }
}

void
sluice_memory_bands_drop_proxies (SluiceMemoryBands *self)
{
  g_clear_handle_id (&self->proxy_source, g_source_remove);
  while (self->proxies->len > 0)
    gtk_widget_unparent (g_ptr_array_steal_index (self->proxies, self->proxies->len - 1));
}

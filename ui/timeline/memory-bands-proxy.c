/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <glib/gi18n-lib.h>

#include "ui/timeline/memory-bands-private.h"

/* What assistive technology meets: each band that is seen, the largest first, MOST at the most. */

#define MOST 100

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

static void
fill (GtkWidget *widget, SluiceProxies *proxies)
{
  SluiceMemoryBands *self = SLUICE_MEMORY_BANDS (widget);

  if (self->view == NULL || self->words == NULL)
    return;
  const SluiceMemoryPicture picture = sluice_memory_bands_get_picture (self);
  g_autoptr (GPtrArray) chosen = choose (&picture);
  for (guint i = 0; i < chosen->len; i++)
    {
      guint band = ((const SluiceMemoryShape *) chosen->pdata[i])->band;
      SluiceRect box = { 0 };

      sluice_memory_get_box (&picture, band, &box);
      sluice_proxies_add (proxies, &box, band, self->words (self->view, band),
                          band == self->selected);
    }
  g_autofree char *words = dup_words (self, chosen->len);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Memory over the step"), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  words, -1);
}

static void
selected (GtkWidget *widget, guint64 item)
{
  sluice_memory_bands_emit_selected (SLUICE_MEMORY_BANDS (widget), (guint) item);
}

void
sluice_memory_bands_init_proxies (SluiceMemoryBands *self)
{
  sluice_proxies_init (&self->proxies, GTK_WIDGET (self), fill, selected);
}

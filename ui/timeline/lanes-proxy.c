/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <glib/gi18n-lib.h>

#include "ui/common/number.h"
#include "ui/common/widget.h"
#include "ui/timeline/lanes-private.h"

/* Children for assistive technology: an undrawn widget for each lane, and each wait and bar that
 * can be told from its neighbours, as far as they are seen, MOST at the most. They take no pointer
 * and no focus. */

#define MOST      200
#define LEAST     4.0 /* units that a bar is wide */
#define SETTLE_MS 120 /* after the picture came to rest */

#define SLUICE_TYPE_LANES_PROXY (sluice_lanes_proxy_get_type ())
G_DECLARE_FINAL_TYPE (SluiceLanesProxy, sluice_lanes_proxy, SLUICE, LANES_PROXY, GtkWidget)

struct _SluiceLanesProxy
{
  GtkWidget parent_instance;
  guint64 span; /* SLUICE_SPAN_NONE: a lane */
  SluiceRect rect;
  char *label;
};

G_DEFINE_FINAL_TYPE (SluiceLanesProxy, sluice_lanes_proxy, GTK_TYPE_WIDGET)

static void
sluice_lanes_proxy_finalize (GObject *object)
{
  g_free (SLUICE_LANES_PROXY (object)->label);
  G_OBJECT_CLASS (sluice_lanes_proxy_parent_class)->finalize (object);
}

static void
select_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceLanesProxy *self = SLUICE_LANES_PROXY (widget);

  if (self->span != SLUICE_SPAN_NONE)
    sluice_lanes_emit_selected (SLUICE_LANES (gtk_widget_get_parent (widget)), self->span);
}

static void
sluice_lanes_proxy_class_init (SluiceLanesProxyClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sluice_lanes_proxy_finalize;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_TREE_ITEM);
  gtk_widget_class_install_action (widget_class, "span.select", NULL, select_action);
}

static void
sluice_lanes_proxy_init (SluiceLanesProxy *self)
{
  self->span = SLUICE_SPAN_NONE;
  gtk_widget_set_can_target (GTK_WIDGET (self), FALSE);
  gtk_widget_set_can_focus (GTK_WIDGET (self), FALSE);
}

/* ---- which there are ---- */

typedef struct
{
  guint64 span; /* SLUICE_SPAN_NONE: a gap, or a lane */
  guint lane;
  const SluiceLanesGap *gap; /* (nullable) */
  SluiceRect rect;
} Shown;

typedef struct
{
  const SluiceLanesPicture *picture;
  const SluiceLanesRow *row;
  GArray *shown; /* of Shown */
  guint64 n;     /* spans seen, also those that are not shown */
} Choice;

static void
choose_piece (const SluiceTracePiece *piece, gpointer data)
{
  Choice *self = data;
  SluiceRect bar;

  self->n += piece->n;
  if (piece->n > 1 || self->shown->len >= MOST
      || !sluice_lanes_get_bar (self->picture, piece->span, &bar) || bar.width < LEAST)
    return;
  const Shown shown = { piece->span, self->row->lane, NULL, bar };
  g_array_append_val (self->shown, shown);
}

/* What a lane waits for, where that can be seen. */
static void
choose_gaps (Choice *self)
{
  const SluiceLanesPicture *p = self->picture;
  guint first;
  guint end;

  sluice_lanes_find_gaps (p->gaps, self->row->lane, &first, &end);
  for (guint i = first; i < end && self->shown->len < MOST; i++)
    {
      const SluiceLanesGap *gap = &g_array_index (p->gaps, SluiceLanesGap, i);
      Shown shown = { SLUICE_SPAN_NONE, self->row->lane, gap, { 0 } };

      if (gap->is_wait && gap->end > p->axis.from && gap->start < p->axis.to
          && sluice_lanes_get_gap_rect (p, gap, &shown.rect) && shown.rect.width >= LEAST)
        g_array_append_val (self->shown, shown);
    }
}

static GArray *
choose (SluiceLanes *self, guint64 *n)
{
  SluiceLanesPicture picture = sluice_lanes_get_picture (self);
  Choice choice = { &picture, NULL, g_array_new (FALSE, FALSE, sizeof (Shown)), 0 };
  const GArray *rows = self->layout->rows;

  for (guint i = sluice_lanes_layout_first (self->layout, picture.scroll); i < rows->len; i++)
    {
      choice.row = &g_array_index (rows, SluiceLanesRow, i);
      double top = SLUICE_LANES_HEAD + choice.row->y - picture.scroll;

      if (top > picture.height)
        break;
      const Shown lane = {
        SLUICE_SPAN_NONE, choice.row->lane, NULL, { 0, top, SLUICE_LANES_NAMES, choice.row->height }
      };
      if (choice.row->begins_lane && choice.shown->len < MOST)
        g_array_append_val (choice.shown, lane);
      if (choice.row->begins_lane)
        choose_gaps (&choice);
      sluice_trace_view_each_piece (self->view, choice.row->lane, choice.row->row, self->from,
                                    self->to, sluice_time_axis_get_grain (&picture.axis, LEAST),
                                    choose_piece, &choice);
    }
  *n = choice.n;
  return choice.shown;
}

static void
set_shown (SluiceLanes *self, SluiceLanesProxy *proxy, const Shown *shown)
{
  g_autofree char *label = NULL;

  proxy->span = shown->span;
  proxy->rect = shown->rect;
  if (shown->gap != NULL)
    label = g_strdup (shown->gap->sentence);
  else if (shown->span == SLUICE_SPAN_NONE)
    label =
        self->words.dup_lane (sluice_trace_view_get_lane (self->view, shown->lane),
                              self->busy != NULL ? self->busy[shown->lane] : -1, self->words.data);
  else
    {
      SluiceTraceSpan span;

      sluice_trace_view_get_span (self->view, shown->span, &span);
      label = self->words.dup_span (&span, self->words.data);
    }
  /* Only what changed: each update is a message on the bus. */
  if (g_strcmp0 (label, proxy->label) != 0)
    {
      g_free (proxy->label);
      proxy->label = g_steal_pointer (&label);
      gtk_accessible_update_property (GTK_ACCESSIBLE (proxy), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                      proxy->label, -1);
    }
  gtk_accessible_update_state (GTK_ACCESSIBLE (proxy), GTK_ACCESSIBLE_STATE_SELECTED,
                               shown->span != SLUICE_SPAN_NONE && shown->span == self->selected,
                               -1);
}

static gboolean
update_cb (gpointer data)
{
  SluiceLanes *self = data;
  guint64 n = 0;

  self->proxy_source = 0;
  g_autoptr (GArray) shown = self->view != NULL && self->words.dup_span != NULL
                                 ? choose (self, &n)
                                 : g_array_new (FALSE, FALSE, sizeof (Shown));
  while (self->proxies->len < shown->len)
    {
      GtkWidget *proxy = g_object_new (SLUICE_TYPE_LANES_PROXY, NULL);

      gtk_widget_set_parent (proxy, GTK_WIDGET (self));
      g_ptr_array_add (self->proxies, proxy);
    }
  while (self->proxies->len > shown->len)
    gtk_widget_unparent (g_ptr_array_steal_index (self->proxies, self->proxies->len - 1));
  for (guint i = 0; i < shown->len; i++)
    set_shown (self, self->proxies->pdata[i], &g_array_index (shown, Shown, i));
  g_autofree char *spans = sluice_format_step ((gint64) n);
  g_autofree char *words =
      g_strdup_printf (_ ("%s spans in sight; %u lanes and spans are listed"), spans, shown->len);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Lanes"),
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, words, -1);
  sluice_lanes_allocate_proxies (self);
  return G_SOURCE_REMOVE;
}

void
sluice_lanes_queue_proxies (SluiceLanes *self)
{
  if (self->proxy_source == 0 && gtk_widget_get_mapped (GTK_WIDGET (self)))
    self->proxy_source = g_timeout_add (SETTLE_MS, update_cb, self);
}

void
sluice_lanes_allocate_proxies (SluiceLanes *self)
{
  double scale = sluice_widget_get_text_scale (GTK_WIDGET (self));
  double width = gtk_widget_get_width (GTK_WIDGET (self));
  gboolean mirrored = gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL;

  for (guint i = 0; i < self->proxies->len; i++)
    {
      SluiceLanesProxy *proxy = self->proxies->pdata[i];
      SluiceRect r = proxy->rect;
      double x = mirrored ? width - (r.x + r.width) * scale : r.x * scale;
      GskTransform *at =
          gsk_transform_translate (NULL, &GRAPHENE_POINT_INIT ((float) x, (float) (r.y * scale)));

      gtk_widget_allocate (GTK_WIDGET (proxy), MAX ((int) (r.width * scale), 1),
                           MAX ((int) (r.height * scale), 1), -1, at);
    }
}

void
sluice_lanes_drop_proxies (SluiceLanes *self)
{
  g_clear_handle_id (&self->proxy_source, g_source_remove);
  while (self->proxies->len > 0)
    gtk_widget_unparent (g_ptr_array_steal_index (self->proxies, self->proxies->len - 1));
}

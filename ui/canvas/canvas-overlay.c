/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/canvas-private.h"

#include <glib/gi18n-lib.h>

#include "ui/common/mode-bar.h"

#define BAR_MARGIN    14
#define SPIN_AFTER_MS 1500
#define LEGEND_GAP    8
#define MESSAGE_ICON  96

/* "Colour by structure device time bytes" at the bottom right, and what stands in for a graph that
 * is not there. */

/* The look of the bar: quiet, the choice in bold. Colours are the theme's. No rule is for labels by
 * the state of what they stand in: GTK 4.8 would find new styles for all labels of the window
 * whenever the focus goes elsewhere. */
static const char style[] =
    ".canvas-bar { background: @theme_base_color; border: 1px solid @borders; border-radius: 8px;"
    " padding: 1px 4px; font-size: 0.92em; }"
    ".canvas-legend { padding: 7px 12px; }"
    ".canvas-tip { padding: 5px 10px; }"
    /* What stands under an entry that refuses is not read through it. */
    ".canvas-rename { background: @theme_base_color; border-radius: 6px; }"
    ".canvas-bar button { min-height: 22px; padding: 1px 7px; font-weight: normal; }"
    ".canvas-bar menubutton button { padding: 1px 4px; }"
    ".canvas-bar button.toggle:not(:checked) { color: alpha(@theme_fg_color, 0.75); }"
    ".canvas-bar button:checked { background: none; box-shadow: none; font-weight: bold; }";

static void
add_style (void)
{
  static gsize added;
  GdkDisplay *display = gdk_display_get_default ();
  if (display == NULL || !g_once_init_enter (&added))
    return;
  g_autoptr (GtkCssProvider) provider = gtk_css_provider_new ();
  gtk_css_provider_load_from_data (provider, style, -1);
  gtk_style_context_add_provider_for_display (display, GTK_STYLE_PROVIDER (provider),
                                              GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
  g_once_init_leave (&added, 1);
}

/* By SluiceColorBy. Those that are asked for most stand in the bar, the others in a menu at its
 * end. */
#define N_IN_BAR 4
static const struct
{
  const char *nick, *word;
} ways[] = { { "structure", N_ ("structure") },
             { "device", N_ ("device") },
             { "time", N_ ("time") },
             { "bytes", N_ ("bytes") },
             { "asked", N_ ("device asked for") },
             { "dtype", N_ ("type") },
             { "gradient", N_ ("gradient of") },
             { "health", N_ ("health") },
             { "placed", N_ ("predicted device") },
             { "reason", N_ ("reason of the place") },
             { "margin", N_ ("margin of the place") },
             { "change", N_ ("change") } };
G_STATIC_ASSERT (G_N_ELEMENTS (ways) == SLUICE_COLOR_BY_CHANGE + 1);

static GMenuModel *
make_menu (guint from)
{
  GMenu *menu = g_menu_new ();
  for (guint i = from; i < SLUICE_N_COLOR_BY; i++)
    {
      g_autofree char *action = g_strdup_printf ("canvas.color-by::%s", ways[i].nick);
      g_menu_append (menu, _ (ways[i].word), action);
    }
  return G_MENU_MODEL (menu);
}

static void
append_choice (GtkWidget *row, SluiceColorBy by)
{
  GtkWidget *button = gtk_toggle_button_new_with_label (_ (ways[by].word));
  gtk_widget_add_css_class (button, "flat");
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "canvas.color-by");
  gtk_actionable_set_action_target (GTK_ACTIONABLE (button), "s", ways[by].nick);
  gtk_box_append (GTK_BOX (row), button);
}

/* What two graphs have otherwise is chosen from where it was there once. */
static GtkWidget *
make_choices (void)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0), *more = gtk_menu_button_new ();
  g_autoptr (GMenuModel) menu = make_menu (N_IN_BAR);
  append_choice (row, SLUICE_COLOR_BY_CHANGE);
  gtk_widget_set_visible (gtk_widget_get_first_child (row), FALSE);
  for (guint i = 0; i < N_IN_BAR; i++)
    append_choice (row, i);
  gtk_menu_button_set_menu_model (GTK_MENU_BUTTON (more), menu);
  gtk_menu_button_set_direction (GTK_MENU_BUTTON (more), GTK_ARROW_UP);
  gtk_widget_add_css_class (more, "flat");
  gtk_widget_set_tooltip_text (more, _ ("More to colour by"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (more), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("More to colour by"), -1);
  gtk_box_append (GTK_BOX (row), more);
  return row;
}

static void
offer_change_cb (SluiceCanvas *self, GParamSpec *pspec, GtkWidget *button)
{
  if (self->color_by == SLUICE_COLOR_BY_CHANGE)
    gtk_widget_set_visible (button, TRUE);
}

static void
color_by_cb (SluiceCanvas *self, GParamSpec *pspec, SluiceModeBar *modes)
{
  sluice_mode_bar_set_word (modes, _ (ways[self->color_by].word));
}

static GtkWidget *
make_bar (SluiceCanvas *self)
{
  GtkWidget *bar = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  GtkWidget *label = gtk_label_new (_ ("Colour by"));
  g_autoptr (GMenuModel) menu = make_menu (0);
  GtkWidget *row = make_choices (), *modes = sluice_mode_bar_new_over (row, menu);
  gtk_widget_add_css_class (bar, "canvas-bar");
  gtk_widget_add_css_class (label, "dim-label");
  gtk_widget_set_margin_start (label, 10);
  gtk_widget_set_margin_end (label, 6);
  gtk_box_append (GTK_BOX (bar), label);
  gtk_box_append (GTK_BOX (bar), modes);
  color_by_cb (self, NULL, SLUICE_MODE_BAR (modes));
  g_signal_connect_object (self, "notify::color-by", G_CALLBACK (color_by_cb), modes, 0);
  g_signal_connect_object (self, "notify::color-by", G_CALLBACK (offer_change_cb),
                           gtk_widget_get_first_child (row), 0);
  return bar;
}

static GtkWidget *
make_message (SluiceCanvas *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12);
  self->spinner = gtk_spinner_new ();
  self->message_icon = gtk_image_new ();
  self->way_out = gtk_button_new ();
  self->message_title = gtk_label_new (NULL);
  self->message_text = gtk_label_new (NULL);
  gtk_widget_set_size_request (self->spinner, 32, 32);
  gtk_image_set_pixel_size (GTK_IMAGE (self->message_icon), MESSAGE_ICON);
  gtk_widget_add_css_class (self->message_icon, "dim-label");
  gtk_widget_add_css_class (self->way_out, "pill");
  gtk_widget_set_halign (self->way_out, GTK_ALIGN_CENTER);
  gtk_widget_set_margin_top (self->way_out, 12);
  gtk_widget_add_css_class (self->message_title, "title-2");
  gtk_widget_add_css_class (self->message_text, "dim-label");
  for (int i = 0; i < 2; i++)
    {
      GtkLabel *label = GTK_LABEL (i == 0 ? self->message_title : self->message_text);
      gtk_label_set_wrap (label, TRUE);
      gtk_label_set_wrap_mode (label, PANGO_WRAP_WORD_CHAR);
      gtk_label_set_justify (label, GTK_JUSTIFY_CENTER);
      gtk_label_set_max_width_chars (label, 60);
    }
  gtk_box_append (GTK_BOX (box), self->spinner);
  gtk_box_append (GTK_BOX (box), self->message_icon);
  gtk_box_append (GTK_BOX (box), self->message_title);
  gtk_box_append (GTK_BOX (box), self->message_text);
  gtk_box_append (GTK_BOX (box), self->way_out);
  return box;
}

void
sluice_canvas_add_overlays (SluiceCanvas *self)
{
  add_style ();
  self->bar = make_bar (self);
  self->legend = sluice_canvas_new_legend ();
  self->message = make_message (self);
  self->tip = sluice_canvas_new_tip ();
  gtk_widget_set_parent (self->message, GTK_WIDGET (self));
  gtk_widget_set_parent (self->bar, GTK_WIDGET (self));
  gtk_widget_set_parent (self->legend, GTK_WIDGET (self));
  gtk_widget_set_parent (self->tip, GTK_WIDGET (self));
}

static gboolean
spin_cb (gpointer data)
{
  SluiceCanvas *self = data;
  self->spin_source = 0;
  gtk_spinner_set_spinning (GTK_SPINNER (self->spinner), TRUE);
  return G_SOURCE_REMOVE;
}

/* Only who waits for long wants to see that something moves; until then drawing it would only keep
 * the worker from its work. */
static void
set_waiting (SluiceCanvas *self, gboolean waiting)
{
  gtk_widget_set_visible (self->spinner, waiting);
  if (waiting && self->spin_source == 0 && !gtk_spinner_get_spinning (GTK_SPINNER (self->spinner)))
    self->spin_source = g_timeout_add (SPIN_AFTER_MS, spin_cb, self);
  if (waiting)
    return;
  g_clear_handle_id (&self->spin_source, g_source_remove);
  gtk_spinner_set_spinning (GTK_SPINNER (self->spinner), FALSE);
}

void
sluice_canvas_set_way_out (SluiceCanvas *self, const char *label, const char *action)
{
  gtk_button_set_label (GTK_BUTTON (self->way_out), label);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->way_out), action);
  sluice_canvas_update_message (self);
}

/* An empty graph that is edited needs no way out of it, and what is below the words is pressed. */
static void
update_way_out (SluiceCanvas *self, gboolean failed, gboolean waiting)
{
  gboolean offers = gtk_actionable_get_action_name (GTK_ACTIONABLE (self->way_out)) != NULL
                    && (failed || (!waiting && self->edit == NULL));
  gtk_image_set_from_icon_name (GTK_IMAGE (self->message_icon),
                                failed ? "dialog-warning-symbolic" : "sluice-graph-symbolic");
  gtk_widget_set_visible (self->message_icon, failed || !waiting);
  gtk_widget_set_visible (self->way_out, offers);
  gtk_widget_set_can_target (self->message, offers);
}

/* One state at a time: failed, loading, empty, or the graph. */
void
sluice_canvas_update_message (SluiceCanvas *self)
{
  gboolean failed = self->failure != NULL;
  gboolean waiting = self->loading != NULL || (self->job != NULL && self->scene == NULL);
  gboolean empty = self->model == NULL || sluice_graph_model_get_n_nodes (self->model) == 0;
  const char *title = _ ("No graph"), *text = _ ("Open a project to see its graph here.");
  if (failed)
    {
      title = _ ("The graph cannot be shown");
      text = self->failure;
    }
  else if (waiting)
    {
      title = self->loading != NULL ? self->loading : _ ("Laying out the graph…");
      text = "";
    }
  else if (self->model != NULL && self->edit != NULL)
    text = _ ("Double-click, or press Shift+A, to add a node.");
  else if (self->model != NULL)
    text = _ ("This graph has no nodes.");
  gtk_label_set_label (GTK_LABEL (self->message_title), title);
  gtk_label_set_label (GTK_LABEL (self->message_text), text);
  gtk_widget_set_visible (self->message_text, *text != '\0');
  set_waiting (self, waiting && !failed);
  update_way_out (self, failed, waiting);
  gtk_widget_set_visible (self->message, failed || waiting || empty);
  gtk_widget_set_visible (self->bar, !failed && !waiting && !empty);
  sluice_canvas_update_legend (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
allocate_at (GtkWidget *child, double x, double y, int width, int height)
{
  GskTransform *transform = gsk_transform_translate (NULL, &GRAPHENE_POINT_INIT (x, y));
  gtk_widget_allocate (child, width, height, -1, transform);
}

/* What stands at the foot of the picture. */
typedef struct
{
  SluiceRect bar, legend;
} Foot;

/* A legend of one line stands beside the bar, which makes room for it by folding; others above. */
static Foot
lay_foot (SluiceCanvas *self)
{
  GtkRequisition folded, bar, least, legend;
  Foot foot = { 0 };
  double width = gtk_widget_get_width (GTK_WIDGET (self)), room = width - 2 * BAR_MARGIN;
  gboolean has_legend = gtk_widget_get_visible (self->legend);
  if (!gtk_widget_get_visible (self->bar))
    return foot;
  gtk_widget_get_preferred_size (self->bar, &folded, &bar);
  gtk_widget_get_preferred_size (self->legend, &least, &legend);
  legend.width = MIN (legend.width, (int) MAX (room, least.width));
  double beside = has_legend && self->legend_types != NULL ? legend.width + LEGEND_GAP : 0;
  if (folded.width + beside > room)
    beside = 0;
  foot.bar.width = bar.width + beside <= room ? bar.width : folded.width;
  foot.bar.height = beside > 0 ? MAX (bar.height, legend.height) : bar.height;
  foot.bar.x = MAX (width - foot.bar.width - BAR_MARGIN, 0);
  foot.bar.y = MAX (gtk_widget_get_height (GTK_WIDGET (self)) - foot.bar.height - BAR_MARGIN, 0);
  if (beside > 0)
    foot.legend = (SluiceRect){ foot.bar.x - beside, foot.bar.y, legend.width, foot.bar.height };
  else if (has_legend)
    foot.legend = (SluiceRect){ MAX (width - legend.width - BAR_MARGIN, 0),
                                MAX (foot.bar.y - legend.height - LEGEND_GAP, 0), legend.width,
                                legend.height };
  return foot;
}

SluiceRect
sluice_canvas_bar_rect (SluiceCanvas *self)
{
  return lay_foot (self).bar;
}

SluiceRect
sluice_canvas_legend_rect (SluiceCanvas *self)
{
  return lay_foot (self).legend;
}

/* Right to left, the minimap stays where it is and so do these: the picture has no direction. */
static void
allocate_rect (GtkWidget *child, SluiceRect rect)
{
  if (rect.width > 0)
    allocate_at (child, rect.x, rect.y, (int) rect.width, (int) rect.height);
}

void
sluice_canvas_allocate_overlays (SluiceCanvas *self, int width, int height)
{
  GtkRequisition size, least;
  Foot foot = lay_foot (self);
  allocate_rect (self->bar, foot.bar);
  allocate_rect (self->legend, foot.legend);
  allocate_rect (self->tip, sluice_canvas_tip_rect (self));
  if (gtk_widget_get_visible (self->message))
    {
      int min_height, natural;
      gtk_widget_get_preferred_size (self->message, &least, &size);
      int w = CLAMP (size.width, least.width, MAX (width - 48, least.width));
      gtk_widget_measure (self->message, GTK_ORIENTATION_VERTICAL, w, &min_height, &natural, NULL,
                          NULL);
      allocate_at (self->message, (width - w) / 2.0, MAX ((height - natural) / 2.0, 0), w, natural);
    }
}

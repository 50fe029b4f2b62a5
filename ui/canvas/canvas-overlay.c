/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/canvas-private.h"

#include <glib/gi18n-lib.h>

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

typedef struct
{
  const char *nick;
  const char *label;
} Choice;

static void
append_choices (GtkWidget *bar, const Choice *choices, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      GtkWidget *button = gtk_toggle_button_new_with_label (_ (choices[i].label));
      gtk_widget_add_css_class (button, "flat");
      gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "canvas.color-by");
      gtk_actionable_set_action_target (GTK_ACTIONABLE (button), "s", choices[i].nick);
      gtk_box_append (GTK_BOX (bar), button);
    }
}

/* The four that are asked for most stand in the bar, the others in a menu at its end. */
static GtkWidget *
make_bar (void)
{
  static const Choice choices[] = { { "structure", N_ ("structure") },
                                    { "device", N_ ("device") },
                                    { "time", N_ ("time") },
                                    { "bytes", N_ ("bytes") } },
                      others[] = { { "asked", N_ ("device asked for") },
                                   { "dtype", N_ ("type") },
                                   { "gradient", N_ ("gradient of") },
                                   { "health", N_ ("health") } };
  GtkWidget *bar = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  GtkWidget *label = gtk_label_new (_ ("Colour by")), *more = gtk_menu_button_new ();
  g_autoptr (GMenu) menu = g_menu_new ();
  gtk_widget_add_css_class (bar, "canvas-bar");
  gtk_widget_add_css_class (label, "dim-label");
  gtk_widget_set_margin_start (label, 10);
  gtk_widget_set_margin_end (label, 6);
  gtk_box_append (GTK_BOX (bar), label);
  append_choices (bar, choices, G_N_ELEMENTS (choices));
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    {
      g_autofree char *action = g_strdup_printf ("canvas.color-by::%s", others[i].nick);
      g_menu_append (menu, _ (others[i].label), action);
    }
  gtk_menu_button_set_menu_model (GTK_MENU_BUTTON (more), G_MENU_MODEL (menu));
  gtk_menu_button_set_direction (GTK_MENU_BUTTON (more), GTK_ARROW_UP);
  gtk_widget_add_css_class (more, "flat");
  gtk_widget_set_tooltip_text (more, _ ("More to colour by"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (more), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("More to colour by"), -1);
  gtk_box_append (GTK_BOX (bar), more);
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
  self->bar = make_bar ();
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

SluiceRect
sluice_canvas_bar_rect (SluiceCanvas *self)
{
  GtkRequisition least, size;
  if (!gtk_widget_get_visible (self->bar))
    return (SluiceRect){ 0, 0, 0, 0 };
  gtk_widget_get_preferred_size (self->bar, &least, &size);
  return (
      SluiceRect){ MAX (gtk_widget_get_width (GTK_WIDGET (self)) - size.width - BAR_MARGIN, 0),
                   MAX (gtk_widget_get_height (GTK_WIDGET (self)) - size.height - BAR_MARGIN, 0),
                   size.width, size.height };
}

SluiceRect
sluice_canvas_legend_rect (SluiceCanvas *self)
{
  GtkRequisition least, size;
  SluiceRect bar = sluice_canvas_bar_rect (self);
  if (!gtk_widget_get_visible (self->legend))
    return (SluiceRect){ 0, 0, 0, 0 };
  gtk_widget_get_preferred_size (self->legend, &least, &size);
  return (SluiceRect){ MAX (gtk_widget_get_width (GTK_WIDGET (self)) - size.width - BAR_MARGIN, 0),
                       MAX (bar.y - size.height - LEGEND_GAP, 0), size.width, size.height };
}

void
sluice_canvas_allocate_overlays (SluiceCanvas *self, int width, int height)
{
  GtkRequisition size, least;
  if (gtk_widget_get_visible (self->bar))
    {
      gtk_widget_get_preferred_size (self->bar, &least, &size);
      /* Right to left, the minimap stays where it is and so does the bar: the picture has no
       * direction. */
      allocate_at (self->bar, MAX (width - size.width - BAR_MARGIN, 0),
                   MAX (height - size.height - BAR_MARGIN, 0), size.width, size.height);
    }
  SluiceRect legend = sluice_canvas_legend_rect (self);
  if (legend.width > 0)
    allocate_at (self->legend, legend.x, legend.y, (int) legend.width, (int) legend.height);
  SluiceRect tip = sluice_canvas_tip_rect (self);
  if (tip.width > 0)
    allocate_at (self->tip, tip.x, tip.y, (int) tip.width, (int) tip.height);
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

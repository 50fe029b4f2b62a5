/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/common/card.h"

#include "ui/common/paint.h"
#include "ui/common/text.h"
#include "ui/common/widget.h"

#include <glib/gi18n-lib.h>

#define LEAST_WIDTH   240
#define NATURAL_WIDTH 400
#define TOOLS_AIR     12
#define TOOLS_GAP     6
#define TITLE_MIDDLE  21 /* of the title's row, in units, as is: */
#define TITLE_ROOM    28
#define SIDE          16 /* in pixels: round a title and widgets */
#define TITLE_AIR     14 /* between a title and the tools */
#define HEAD_TOP      4  /* over a title's row and under it, of a card of widgets */
#define HEAD_AIR      10
/* Screen readers are told of new values no more often than they can speak. */
#define DESCRIBE_INTERVAL_MS 1000

typedef struct
{
  char *title;
  GdkTexture *texture; /* the card, or only its ground, as it was drawn last */
  GtkWidget *menu;
  double text_scale;  /* of the last drawing */
  guint describe_id;  /* pending update of the accessible description */
  gint64 waits_since; /* sluice_widget_take_share() */
  gboolean is_stale;  /* the picture is of another state of the card */
  gboolean is_asked;  /* somebody waits for the picture: it is drawn whatever the frame has cost */

  GtkWidget *tools; /* at the end of the title's row: what kinds add, then the buttons */
  GtkWidget *buttons;
  gboolean large, pinned;

  GtkWidget *box; /* these three of a card of widgets */
  GtkWidget *title_label;
  GtkWidget *note_label;
} SluiceCardPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (SluiceCard, sluice_card, GTK_TYPE_WIDGET)

#define PRIVATE(self) ((SluiceCardPrivate *) sluice_card_get_instance_private (self))

enum
{
  PROP_0,
  PROP_TITLE,
  PROP_LARGE,
  PROP_PINNED,
  N_PROPS
};

enum
{
  EXPORTED,
  EXPORT_FAILED,
  MENU,
  N_SIGNALS
};

static GParamSpec *properties[N_PROPS];
static guint signals[N_SIGNALS];

void
sluice_card_describe (SluiceCard *self)
{
  SluiceCardPrivate *p = PRIVATE (self);
  g_autofree char *summary = NULL;

  if (SLUICE_CARD_GET_CLASS (self)->dup_summary != NULL)
    summary = SLUICE_CARD_GET_CLASS (self)->dup_summary (self);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, p->title,
                                  -1);
  if (summary != NULL)
    gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                    summary, -1);
}

static gboolean
describe_cb (gpointer data)
{
  PRIVATE (data)->describe_id = 0;
  sluice_card_describe (data);
  return G_SOURCE_REMOVE;
}

static gboolean
needs_redraw (SluiceCard *self)
{
  SluiceCardClass *klass = SLUICE_CARD_GET_CLASS (self);

  return klass->needs_redraw != NULL && klass->needs_redraw (self);
}

void
sluice_card_refresh (SluiceCard *self)
{
  SluiceCardPrivate *p;

  g_return_if_fail (SLUICE_IS_CARD (self));
  if (!needs_redraw (self))
    return;
  p = PRIVATE (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
  if (p->describe_id == 0)
    p->describe_id = g_timeout_add (DESCRIBE_INTERVAL_MS, describe_cb, self);
}

void
sluice_card_forget_picture (SluiceCard *self)
{
  if (PRIVATE (self)->texture == NULL)
    return;
  g_clear_object (&PRIVATE (self)->texture);
  gtk_widget_queue_draw (GTK_WIDGET (self)); /* GTK keeps the last frame's, too */
}

double
sluice_card_get_text_scale (SluiceCard *self)
{
  return PRIVATE (self)->text_scale;
}

static void
name_tools (SluiceCard *self)
{
  SluiceCardPrivate *p = PRIVATE (self);
  g_autofree char *enlarge = g_strdup_printf (_ ("Enlarge %s"), p->title);
  g_autofree char *menu = g_strdup_printf (_ ("Menu of %s"), p->title);

  gtk_accessible_update_property (GTK_ACCESSIBLE (gtk_widget_get_first_child (p->buttons)),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, enlarge, -1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (gtk_widget_get_last_child (p->buttons)),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, menu, -1);
}

void
sluice_card_set_title (SluiceCard *self, const char *title)
{
  SluiceCardClass *klass = SLUICE_CARD_GET_CLASS (self);
  SluiceCardPrivate *p;

  g_return_if_fail (SLUICE_IS_CARD (self));

  p = PRIVATE (self);
  title = title != NULL ? title : "";
  if (g_str_equal (title, p->title))
    return;
  g_free (p->title);
  p->title = g_strdup (title);
  if (p->title_label != NULL)
    gtk_label_set_label (GTK_LABEL (p->title_label), title);
  if (klass->title_changed != NULL)
    klass->title_changed (self, title);
  name_tools (self);
  sluice_card_describe (self);
  sluice_card_refresh (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_TITLE]);
}

const char *
sluice_card_get_title (SluiceCard *self)
{
  g_return_val_if_fail (SLUICE_IS_CARD (self), "");
  return PRIVATE (self)->title;
}

static GtkWidget *
new_title_label (const char *title)
{
  GtkWidget *label = gtk_label_new (title);

  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_add_css_class (label, "heading");
  return label;
}

GtkWidget *
sluice_card_add_box (SluiceCard *self)
{
  SluiceCardPrivate *p = PRIVATE (self);

  g_return_val_if_fail (p->box == NULL, p->box);
  p->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 10);
  gtk_widget_set_margin_start (p->box, SIDE);
  gtk_widget_set_margin_end (p->box, SIDE);
  gtk_widget_set_margin_bottom (p->box, 8);
  p->title_label = new_title_label (p->title);
  p->note_label = gtk_label_new (NULL);
  gtk_widget_add_css_class (p->note_label, "dim-label");
  gtk_widget_add_css_class (p->note_label, "caption");
  gtk_widget_add_css_class (p->note_label, "numeric");
  gtk_widget_set_visible (p->note_label, FALSE);
  sluice_card_add_tool (self, p->note_label);
  gtk_widget_insert_before (p->title_label, GTK_WIDGET (self), p->tools);
  gtk_widget_set_parent (p->box, GTK_WIDGET (self));
  return p->box;
}

void
sluice_card_set_note (SluiceCard *self, const char *note)
{
  gtk_label_set_label (GTK_LABEL (PRIVATE (self)->note_label), note);
  gtk_widget_set_visible (PRIVATE (self)->note_label, *note != '\0');
}

/* ---- the menu and the buttons ---- */

static void
popup_menu (SluiceCard *self, double x, double y)
{
  SluiceCardPrivate *p = PRIVATE (self);
  SluiceCardClass *klass = SLUICE_CARD_GET_CLASS (self);
  g_autoptr (GMenu) menu = g_menu_new ();
  g_autoptr (GMenu) card = g_menu_new ();

  g_menu_append (card, _ ("Enlarge"), "card.large");
  g_menu_append (card, _ ("Pin to the top"), "card.pinned");
  g_menu_append (card, _ ("Copy picture"), "card.copy");
  if (klass->fill_menu != NULL)
    klass->fill_menu (self, menu);
  g_signal_emit (self, signals[MENU], 0, menu);
  g_menu_append_section (menu, NULL, G_MENU_MODEL (card));
  if (p->menu == NULL)
    {
      p->menu = gtk_popover_menu_new_from_model (NULL);
      gtk_popover_set_has_arrow (GTK_POPOVER (p->menu), FALSE);
      gtk_widget_set_halign (p->menu, GTK_ALIGN_START);
      gtk_widget_set_parent (p->menu, GTK_WIDGET (self));
    }
  gtk_popover_menu_set_menu_model (GTK_POPOVER_MENU (p->menu), G_MENU_MODEL (menu));
  gtk_popover_set_pointing_to (GTK_POPOVER (p->menu), &(GdkRectangle){ (int) x, (int) y, 1, 1 });
  gtk_popover_popup (GTK_POPOVER (p->menu));
}

static void
menu_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  popup_menu (SLUICE_CARD (widget), gtk_widget_get_width (widget) - 24, 32);
}

/* (transfer full) (nullable): as it would be on the screen now. A GtkWidgetPaintable has nothing
 * where a frame is on its way, or where the card lies outside of the view. */
static GskRenderNode *
dup_node (SluiceCard *self)
{
  GtkSnapshot *snapshot = gtk_snapshot_new ();

  PRIVATE (self)->is_asked = TRUE;
  GTK_WIDGET_GET_CLASS (self)->snapshot (GTK_WIDGET (self), snapshot);
  PRIVATE (self)->is_asked = FALSE;
  return gtk_snapshot_free_to_node (snapshot);
}

GdkTexture *
sluice_card_dup_picture (SluiceCard *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  float width = (float) gtk_widget_get_width (widget);
  float height = (float) gtk_widget_get_height (widget);
  GtkNative *native = gtk_widget_get_native (widget);
  g_autoptr (GskRenderNode) node = dup_node (self);

  if (node == NULL || native == NULL)
    return NULL;
  return gsk_renderer_render_texture (gtk_native_get_renderer (native), node,
                                      &GRAPHENE_RECT_INIT (0, 0, width, height));
}

static void
copy_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  g_autoptr (GdkTexture) picture = sluice_card_dup_picture (SLUICE_CARD (widget));

  if (picture != NULL)
    gdk_clipboard_set_texture (gtk_widget_get_clipboard (widget), picture);
}

static void
secondary_pressed_cb (GtkGestureClick *gesture, int n_press, double x, double y, gpointer data)
{
  gtk_widget_grab_focus (GTK_WIDGET (data));
  popup_menu (data, x, y);
}

static GtkWidget *
new_tool (GtkWidget *button, const char *icon, const char *action)
{
  gtk_button_set_icon_name (GTK_BUTTON (button), icon);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  gtk_widget_set_focus_on_click (button, FALSE);
  gtk_widget_add_css_class (button, "flat");
  return button;
}

static void
add_tools (SluiceCard *self)
{
  SluiceCardPrivate *p = PRIVATE (self);
  GtkWidget *large = new_tool (gtk_toggle_button_new (), "view-fullscreen-symbolic", "card.large");
  GtkWidget *menu = new_tool (gtk_button_new (), "view-more-symbolic", "card.menu");

  gtk_widget_set_tooltip_text (large, _ ("Enlarge (E)"));
  gtk_widget_set_tooltip_text (menu, _ ("More (Menu)"));
  p->buttons = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 2);
  gtk_widget_add_css_class (p->buttons, "card-buttons");
  gtk_box_append (GTK_BOX (p->buttons), large);
  gtk_box_append (GTK_BOX (p->buttons), menu);
  p->tools = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, TOOLS_GAP);
  gtk_widget_add_css_class (p->tools, "card-tools");
  gtk_box_append (GTK_BOX (p->tools), p->buttons);
  gtk_widget_set_parent (p->tools, GTK_WIDGET (self));
}

void
sluice_card_add_tool (SluiceCard *self, GtkWidget *widget)
{
  gtk_box_append (GTK_BOX (PRIVATE (self)->tools), widget);
}

static gboolean
state_shows_buttons (GtkStateFlags flags)
{
  return (flags & (GTK_STATE_FLAG_PRELIGHT | GTK_STATE_FLAG_FOCUS_WITHIN)) != 0;
}

gboolean
sluice_card_shows_buttons (SluiceCard *self)
{
  return state_shows_buttons (gtk_widget_get_state_flags (GTK_WIDGET (self)));
}

int
sluice_card_get_tools_width (SluiceCard *self)
{
  GtkWidget *tools = PRIVATE (self)->tools;
  return gtk_widget_get_child_visible (tools) ? gtk_widget_get_width (tools) : 0;
}

void
sluice_card_set_large (SluiceCard *self, gboolean large)
{
  if (PRIVATE (self)->large == !!large)
    return;
  PRIVATE (self)->large = !!large;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_LARGE]);
}

gboolean
sluice_card_get_large (SluiceCard *self)
{
  return PRIVATE (self)->large;
}

void
sluice_card_set_pinned (SluiceCard *self, gboolean pinned)
{
  if (PRIVATE (self)->pinned == !!pinned)
    return;
  PRIVATE (self)->pinned = !!pinned;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PINNED]);
}

gboolean
sluice_card_get_pinned (SluiceCard *self)
{
  return PRIVATE (self)->pinned;
}

/* ---- files ---- */

/* A card of widgets, as large as it fits. */
static void
draw_widgets (SluiceCard *self, cairo_t *cr, double width, double height)
{
  GtkWidget *widget = GTK_WIDGET (self);
  g_autoptr (GskRenderNode) node = dup_node (self);
  double scale = MIN (width / MAX (1, gtk_widget_get_width (widget)),
                      height / MAX (1, gtk_widget_get_height (widget)));
  if (node == NULL)
    return;
  cairo_save (cr);
  cairo_scale (cr, scale, scale);
  cairo_new_path (cr); /* GTK draws text from the current point on, if there is one */
  gsk_render_node_draw (node, cr);
  cairo_restore (cr);
}

void
sluice_card_draw_on_paper (SluiceCard *self, cairo_t *cr, double width, double height)
{
  SluiceCardClass *klass = SLUICE_CARD_GET_CLASS (self);
  SluiceTheme theme, own;

  sluice_theme_from_widget (&own, GTK_WIDGET (self));
  theme = *sluice_theme_get (SLUICE_THEME_LIGHT);
  theme.font = own.font;
  if (klass->prepare != NULL)
    klass->prepare (self);
  if (klass->draw != NULL)
    klass->draw (self, cr, width, height, &theme);
  else
    draw_widgets (self, cr, width, height);
  /* What is on the screen was drawn for another size. */
  g_clear_object (&PRIVATE (self)->texture);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

gboolean
sluice_card_write (SluiceCard *self, const char *path, GError **error)
{
  SluiceCardClass *klass = SLUICE_CARD_GET_CLASS (self);
  GtkWidget *widget = GTK_WIDGET (self);
  SluiceTheme theme;

  g_return_val_if_fail (SLUICE_IS_CARD (self) && klass->write != NULL, FALSE);

  sluice_theme_from_widget (&theme, widget);
  return klass->write (self, path, MAX (gtk_widget_get_width (widget), NATURAL_WIDTH),
                       MAX (gtk_widget_get_height (widget), klass->natural_height), &theme, error);
}

static void
sluice_card_real_export (SluiceCard *self, const char *path)
{
  g_autoptr (GError) error = NULL;

  if (sluice_card_write (self, path, &error))
    g_signal_emit (self, signals[EXPORTED], 0, path);
  else
    g_signal_emit (self, signals[EXPORT_FAILED], 0, error->message);
}

/* A card that draws itself is enlarged as the user wants text to be; widgets do that themselves. */
static void
redraw (SluiceCard *self, int width, int height)
{
  SluiceCardClass *klass = SLUICE_CARD_GET_CLASS (self);
  SluiceCardPrivate *p = PRIVATE (self);
  GtkWidget *widget = GTK_WIDGET (self);
  cairo_surface_t *surface;
  SluiceTheme theme;
  cairo_t *cr;

  if (klass->prepare != NULL && !klass->prepare (self) && p->texture != NULL)
    return;
  surface = sluice_widget_new_surface (widget, width, height);
  cr = cairo_create (surface);
  sluice_theme_from_widget (&theme, widget);
  if (klass->draw != NULL)
    {
      p->text_scale = sluice_widget_get_text_scale (widget);
      cairo_scale (cr, p->text_scale, p->text_scale);
      klass->draw (self, cr, width / p->text_scale, height / p->text_scale, &theme);
    }
  else
    sluice_cairo_draw_card (cr, width, height, &theme);
  cairo_destroy (cr);
  g_clear_object (&p->texture);
  p->texture = sluice_texture_take_surface (surface);
  p->is_stale = FALSE;
}

static void
sluice_card_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  SluiceCard *self = SLUICE_CARD (widget);
  SluiceCardPrivate *p = PRIVATE (self);
  int width = gtk_widget_get_width (widget);
  int height = gtk_widget_get_height (widget);
  int scale = gtk_widget_get_scale_factor (widget);
  const graphene_rect_t place = GRAPHENE_RECT_INIT (0, 0, (float) width, (float) height);

  if (width <= 0 || height <= 0)
    return;
  if (p->texture != NULL
      && (gdk_texture_get_width (p->texture) != width * scale
          || gdk_texture_get_height (p->texture) != height * scale))
    g_clear_object (&p->texture);
  if ((p->texture == NULL || p->is_stale || needs_redraw (self))
      && (p->is_asked || sluice_widget_take_share (widget, &p->waits_since)))
    {
      gint64 start = g_get_monotonic_time ();
      redraw (self, width, height);
      sluice_widget_spend_share (start);
    }
  if (p->texture != NULL)
    sluice_snapshot_append_picture (snapshot, widget, p->texture, &place);
  else
    sluice_snapshot_append_card (snapshot, widget, &place); /* the picture comes in a later frame */
  if (p->box != NULL)
    {
      gtk_widget_snapshot_child (widget, p->title_label, snapshot);
      gtk_widget_snapshot_child (widget, p->box, snapshot);
    }
  gtk_widget_snapshot_child (widget, p->tools, snapshot);
  sluice_snapshot_focus_ring (snapshot, widget);
}

static void
sluice_card_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (sluice_card_parent_class)->css_changed (widget, change);
  g_clear_object (&PRIVATE (SLUICE_CARD (widget))->texture);
  gtk_widget_queue_draw (widget);
}

/* Of a card of widgets: the title's row with the air round it. */
static int
get_head_height (GtkWidget *widget)
{
  SluiceCardPrivate *p = PRIVATE (SLUICE_CARD (widget));
  int label, tools;

  gtk_widget_measure (p->title_label, GTK_ORIENTATION_VERTICAL, -1, NULL, &label, NULL, NULL);
  gtk_widget_measure (p->tools, GTK_ORIENTATION_VERTICAL, -1, NULL, &tools, NULL, NULL);
  return HEAD_TOP + MAX (label, tools) + HEAD_AIR;
}

static void
sluice_card_measure (GtkWidget *widget,
                     GtkOrientation orientation,
                     int for_size,
                     int *minimum,
                     int *natural,
                     int *minimum_baseline,
                     int *natural_baseline)
{
  SluiceCardClass *klass = SLUICE_CARD_GET_CLASS (widget);

  SluiceCardPrivate *p = PRIVATE (SLUICE_CARD (widget));
  gboolean horizontal = orientation == GTK_ORIENTATION_HORIZONTAL;

  *minimum = horizontal ? LEAST_WIDTH : klass->least_height;
  *natural = horizontal ? NATURAL_WIDTH : klass->natural_height;
  if (p->box == NULL)
    return;
  gtk_widget_measure (p->box, orientation, for_size, minimum, natural, NULL, NULL);
  *minimum = horizontal ? MAX (*minimum, LEAST_WIDTH) : *minimum + get_head_height (widget);
  *natural = horizontal ? MAX (*natural, NATURAL_WIDTH) : *natural + get_head_height (widget);
}

/* As the title is drawn, or as its label has it. */
static int
get_title_width (SluiceCard *self)
{
  SluiceCardPrivate *p = PRIVATE (self);
  g_autoptr (PangoLayout) layout = NULL;
  int width;

  if (p->title_label != NULL)
    {
      gtk_widget_measure (p->title_label, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &width, NULL, NULL);
      return width;
    }
  layout = gtk_widget_create_pango_layout (GTK_WIDGET (self), p->title);
  PangoFontDescription *font = pango_font_description_copy (
      pango_context_get_font_description (gtk_widget_get_pango_context (GTK_WIDGET (self))));
  double size = SLUICE_TEXT_TITLE * sluice_widget_get_text_scale (GTK_WIDGET (self));
  pango_font_description_set_absolute_size (font, size * PANGO_SCALE);
  pango_font_description_set_weight (font, PANGO_WEIGHT_SEMIBOLD);
  pango_layout_set_font_description (layout, font);
  pango_font_description_free (font);
  pango_layout_get_pixel_size (layout, &width, NULL);
  return width;
}

/* At the end of the title's row, which is read from the left in every language where a chart is
 * drawn. They are as narrow as they can be where the title would have no room else, and go where it
 * would have none even so: the card's menu and keys have the same. Returns their width. */
static int
allocate_tools (SluiceCard *self, int width, gboolean mirrored)
{
  SluiceCardPrivate *p = PRIVATE (self);
  double scale = sluice_widget_get_text_scale (GTK_WIDGET (self));
  int room = width - TOOLS_AIR - SIDE - get_title_width (self) - TITLE_AIR;
  GtkAllocation area = { 0 };
  int least;

  gtk_widget_measure (p->tools, GTK_ORIENTATION_HORIZONTAL, -1, &least, &area.width, NULL, NULL);
  area.width = room >= area.width ? area.width : least;
  gtk_widget_measure (p->tools, GTK_ORIENTATION_VERTICAL, area.width, NULL, &area.height, NULL,
                      NULL);
  area.x = width - TOOLS_AIR - area.width;
  area.y = p->box != NULL ? HEAD_TOP : MAX ((int) (scale * TITLE_MIDDLE) - area.height / 2, 0);
  gtk_widget_set_child_visible (p->tools, area.x >= scale * TITLE_ROOM);
  if (mirrored)
    area.x = width - area.x - area.width;
  gtk_widget_size_allocate (p->tools, &area, -1);
  return gtk_widget_get_child_visible (p->tools) ? area.width : 0;
}

/* Buttons that are not seen leave their room to the title. */
static int
get_unseen_width (SluiceCard *self)
{
  SluiceCardPrivate *p = PRIVATE (self);
  int width = gtk_widget_get_width (p->buttons);

  return sluice_card_shows_buttons (self) || !gtk_widget_get_child_visible (p->tools)
             ? 0
             : width + TOOLS_GAP;
}

static void
allocate_box (SluiceCard *self, int width, int height)
{
  SluiceCardPrivate *p = PRIVATE (self);
  GtkWidget *widget = GTK_WIDGET (self);
  gboolean mirrored = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  int head = get_head_height (widget);
  int tools = allocate_tools (self, width, mirrored);
  GtkAllocation area = { SIDE, HEAD_TOP, width - SIDE - TOOLS_AIR - TITLE_AIR - tools,
                         head - HEAD_TOP - HEAD_AIR };
  int least;

  gtk_widget_measure (p->title_label, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
  area.width = MAX (area.width + get_unseen_width (self), least);
  if (mirrored)
    area.x = width - area.x - area.width;
  gtk_widget_size_allocate (p->title_label, &area, -1);
  gtk_widget_size_allocate (p->box, &(GtkAllocation){ 0, head, width, height - head }, -1);
}

static void
sluice_card_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  SluiceCardPrivate *p = PRIVATE (SLUICE_CARD (widget));

  if (p->box != NULL)
    allocate_box (SLUICE_CARD (widget), width, height);
  else
    allocate_tools (SLUICE_CARD (widget), width, FALSE);
  if (p->menu != NULL)
    sluice_popover_follow (p->menu);
}

static void
sluice_card_state_flags_changed (GtkWidget *widget, GtkStateFlags before)
{
  GTK_WIDGET_CLASS (sluice_card_parent_class)->state_flags_changed (widget, before);
  if (PRIVATE (SLUICE_CARD (widget))->box != NULL)
    gtk_widget_queue_allocate (widget);
  else if (state_shows_buttons (before) != sluice_card_shows_buttons (SLUICE_CARD (widget)))
    sluice_card_forget_picture (
        SLUICE_CARD (widget)); /* what it draws makes room for the buttons */
}

static void
sluice_card_dispose (GObject *object)
{
  SluiceCardPrivate *p = PRIVATE (SLUICE_CARD (object));

  g_clear_handle_id (&p->describe_id, g_source_remove);
  g_clear_pointer (&p->menu, gtk_widget_unparent);
  g_clear_pointer (&p->title_label, gtk_widget_unparent);
  g_clear_pointer (&p->tools, gtk_widget_unparent);
  g_clear_pointer (&p->box, gtk_widget_unparent);
  g_clear_object (&p->texture);
  G_OBJECT_CLASS (sluice_card_parent_class)->dispose (object);
}

static void
sluice_card_finalize (GObject *object)
{
  g_free (PRIVATE (SLUICE_CARD (object))->title);
  G_OBJECT_CLASS (sluice_card_parent_class)->finalize (object);
}

static void
sluice_card_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  SluiceCard *self = SLUICE_CARD (object);

  if (id == PROP_TITLE)
    g_value_set_string (value, sluice_card_get_title (self));
  else if (id == PROP_LARGE)
    g_value_set_boolean (value, PRIVATE (self)->large);
  else if (id == PROP_PINNED)
    g_value_set_boolean (value, PRIVATE (self)->pinned);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
sluice_card_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  SluiceCard *self = SLUICE_CARD (object);

  if (id == PROP_TITLE)
    sluice_card_set_title (self, g_value_get_string (value));
  else if (id == PROP_LARGE)
    sluice_card_set_large (self, g_value_get_boolean (value));
  else if (id == PROP_PINNED)
    sluice_card_set_pinned (self, g_value_get_boolean (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
install_actions (GtkWidgetClass *klass)
{
  gtk_widget_class_install_action (klass, "card.menu", NULL, menu_action);
  gtk_widget_class_install_action (klass, "card.copy", NULL, copy_action);
  gtk_widget_class_install_property_action (klass, "card.large", "large");
  gtk_widget_class_install_property_action (klass, "card.pinned", "pinned");
  gtk_widget_class_add_binding_action (klass, GDK_KEY_Menu, 0, "card.menu", NULL);
  gtk_widget_class_add_binding_action (klass, GDK_KEY_F10, GDK_SHIFT_MASK, "card.menu", NULL);
  gtk_widget_class_add_binding_action (klass, GDK_KEY_c, GDK_CONTROL_MASK, "card.copy", NULL);
  gtk_widget_class_add_binding_action (klass, GDK_KEY_e, 0, "card.large", NULL);
  gtk_widget_class_add_binding_action (klass, GDK_KEY_p, 0, "card.pinned", NULL);
}

static void
sluice_card_class_init (SluiceCardClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->dispose = sluice_card_dispose;
  object_class->finalize = sluice_card_finalize;
  object_class->get_property = sluice_card_get_property;
  object_class->set_property = sluice_card_set_property;
  widget_class->snapshot = sluice_card_snapshot;
  widget_class->measure = sluice_card_measure;
  widget_class->size_allocate = sluice_card_size_allocate;
  widget_class->css_changed = sluice_card_css_changed;
  widget_class->state_flags_changed = sluice_card_state_flags_changed;
  klass->export = sluice_card_real_export;

  properties[PROP_TITLE] = g_param_spec_string ("title", NULL, NULL, "", flags);
  properties[PROP_LARGE] = g_param_spec_boolean ("large", NULL, NULL, FALSE, flags);
  properties[PROP_PINNED] = g_param_spec_boolean ("pinned", NULL, NULL, FALSE, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  install_actions (widget_class);
  signals[EXPORTED] = g_signal_new ("exported", SLUICE_TYPE_CARD, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                    NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[MENU] = g_signal_new ("menu", SLUICE_TYPE_CARD, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                G_TYPE_NONE, 1, G_TYPE_MENU);
  signals[EXPORT_FAILED] = g_signal_new ("export-failed", SLUICE_TYPE_CARD, G_SIGNAL_RUN_LAST, 0,
                                         NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
sluice_card_init (SluiceCard *self)
{
  SluiceCardPrivate *p = PRIVATE (self);
  GtkGesture *secondary = gtk_gesture_click_new ();

  p->title = g_strdup ("");
  p->text_scale = 1;
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  gtk_widget_add_css_class (GTK_WIDGET (self), "sluice-card");
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (secondary), GDK_BUTTON_SECONDARY);
  g_signal_connect (secondary, "pressed", G_CALLBACK (secondary_pressed_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (secondary));
  add_tools (self);
  name_tools (self);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/build/palette.h"

#include <glib/gi18n.h>

#include "app/build/palette-row.h"
#include "app/failure-words.h"
#include "engine/command/judge.h"
#include "ui/chart/ticks.h"

#define WIDTH       430
#define HEIGHT      330 /* of the list, at the most */
#define MOST_RECENT 8
#define PAGE_ROWS   8

struct _SluicePalette
{
  GtkPopover parent;
  GtkWidget *entry, *scroller, *list, *empty, *why, *problem, *all;
  GSettings *settings; /* (nullable) */
  GListStore *items;   /* of SluicePaletteItem */
  GtkSingleSelection *selection;
  SluiceOffers *offers; /* (nullable): while it is open */
  char **recent, **pinned;
  gboolean shift_alone; /* it was pressed, and nothing since */
};

G_DEFINE_FINAL_TYPE (SluicePalette, sluice_palette, GTK_TYPE_POPOVER)

enum
{
  CHOSEN,
  PREVIEW,
  N_SIGNALS,
};
static guint signals[N_SIGNALS];

/* ---- habits ---- */

static void
load_habits (SluicePalette *self)
{
  g_strfreev (self->recent);
  g_strfreev (self->pinned);
  self->recent = self->settings != NULL ? g_settings_get_strv (self->settings, "palette-recent")
                                        : g_new0 (char *, 1);
  self->pinned = self->settings != NULL ? g_settings_get_strv (self->settings, "palette-pinned")
                                        : g_new0 (char *, 1);
}

/* keys without one of them, which is put in front where first. (transfer full) */
static char **
move_key (char **keys, const char *key, gboolean first, guint most)
{
  g_autoptr (GPtrArray) moved = g_ptr_array_new ();
  if (first)
    g_ptr_array_add (moved, g_strdup (key));
  for (guint i = 0; keys[i] != NULL && moved->len < most; i++)
    if (!g_str_equal (keys[i], key))
      g_ptr_array_add (moved, g_strdup (keys[i]));
  g_ptr_array_add (moved, NULL);
  return (char **) g_ptr_array_steal (moved, NULL);
}

static void
keep (SluicePalette *self, const char *name, char ***keys, char **take)
{
  g_strfreev (*keys);
  *keys = take;
  if (self->settings != NULL)
    g_settings_set_strv (self->settings, name, (const char *const *) take);
}

static gboolean
is_pinned (SluicePalette *self, const SluiceOffer *offer)
{
  return g_strv_contains ((const char *const *) self->pinned, offer->key);
}

/* ---- the list ---- */

static SluicePaletteItem *
get_item (SluicePalette *self, guint i)
{
  SluicePaletteItem *item = g_list_model_get_item (G_LIST_MODEL (self->items), i);
  g_object_unref (item); /* the list keeps it */
  return item;
}

const SluiceOffer *
sluice_palette_get_selected (SluicePalette *self)
{
  SluicePaletteItem *item = gtk_single_selection_get_selected_item (self->selection);
  return item != NULL ? sluice_palette_item_get_offer (item) : NULL;
}

/* The nearest offer from there on, or back; headings are none. FALSE: there is none. */
static gboolean
select_from (SluicePalette *self, int at, int step)
{
  int n = (int) g_list_model_get_n_items (G_LIST_MODEL (self->items));
  for (; at >= 0 && at < n; at += step)
    if (sluice_palette_item_get_offer (get_item (self, (guint) at)) != NULL)
      {
        gtk_single_selection_set_selected (self->selection, (guint) at);
        gtk_widget_activate_action (self->list, "list.scroll-to-item", "u", at == 1 ? 0 : at);
        return TRUE;
      }
  return FALSE;
}

static void
walk_action (GtkWidget *widget, const char *name, GVariant *steps)
{
  SluicePalette *self = SLUICE_PALETTE (widget);
  int step = g_variant_get_int32 (steps);
  int n = (int) g_list_model_get_n_items (G_LIST_MODEL (self->items));
  int at = (int) gtk_single_selection_get_selected (self->selection) + step;
  if (!select_from (self, CLAMP (at, 0, MAX (n - 1, 0)), step > 0 ? 1 : -1))
    select_from (self, CLAMP (at, 0, MAX (n - 1, 0)), step > 0 ? -1 : 1);
}

/* The command of the offer with what was typed behind its name. (transfer full) (nullable) */
static char *
dup_line (SluicePalette *self, const SluiceOffer *offer, GError **error)
{
  g_auto (GStrv) values = NULL;
  g_autofree char *text =
      sluice_offer_split_text (gtk_editable_get_text (GTK_EDITABLE (self->entry)), &values);
  return sluice_offer_dup_line_with (offer, (const char *const *) values, error);
}

/* offer: (nullable): nothing would come any more */
static void
preview (SluicePalette *self, const SluiceOffer *offer)
{
  g_autofree char *line = offer != NULL ? dup_line (self, offer, NULL) : NULL;
  g_signal_emit (self, signals[PREVIEW], 0, line, line != NULL ? offer->title : NULL);
}

/* What the selected one is, for who does not see it: the keyboard stays in the field. */
static void
selected_cb (SluicePalette *self)
{
  const SluiceOffer *offer = sluice_palette_get_selected (self);
  preview (self, offer);
  const char *why = offer != NULL ? sluice_offers_get_why (self->offers, offer) : NULL;
  g_autofree char *words = offer != NULL ? sluice_palette_dup_words (offer, why) : g_strdup ("");
  gtk_label_set_label (GTK_LABEL (self->why), words);
  gtk_widget_set_visible (self->why, why != NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->entry), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  words, -1);
}

static char *
dup_heading (SluicePalette *self, SluiceOfferReason reason)
{
  const char *hand = sluice_offers_get_hand_name (self->offers);
  switch (reason)
    {
    case SLUICE_OFFER_MAKES_FIT:
      return g_strdup_printf (_ ("Makes it fit %s"), sluice_offers_get_refused_name (self->offers));
    case SLUICE_OFFER_FITS:
      return hand != NULL ? g_strdup_printf (_ ("Fits %s"), hand) : g_strdup (_ ("Usual"));
    case SLUICE_OFFER_BLOCK:
      return g_strdup (_ ("Blocks of this graph"));
    default:
      return g_strdup (hand != NULL ? _ ("Does not fit") : _ ("All"));
    }
}

static void
show_list (SluicePalette *self)
{
  g_auto (GStrv) values = NULL;
  g_autofree char *text =
      sluice_offer_split_text (gtk_editable_get_text (GTK_EDITABLE (self->entry)), &values);
  gboolean all = gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (self->all));
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_object_unref);
  if (self->offers == NULL)
    return;
  g_autoptr (GPtrArray) found =
      sluice_offers_match (self->offers, text, (const char *const *) self->recent,
                           (const char *const *) self->pinned, all);
  for (guint i = 0; i < found->len; i++)
    {
      const SluiceOffer *offer = found->pdata[i];
      if (i == 0 || ((const SluiceOffer *) found->pdata[i - 1])->reason != offer->reason)
        {
          g_autofree char *heading = dup_heading (self, offer->reason);
          g_ptr_array_add (items, sluice_palette_item_new (heading, NULL));
        }
      g_ptr_array_add (items, sluice_palette_item_new (NULL, offer));
    }
  g_list_store_splice (self->items, 0, g_list_model_get_n_items (G_LIST_MODEL (self->items)),
                       items->pdata, items->len);
  g_autofree char *nothing = g_strdup_printf (_ ("Nothing is called “%s”"), text);
  gtk_label_set_label (GTK_LABEL (self->empty), nothing);
  gtk_widget_set_visible (self->empty, found->len == 0);
  gtk_widget_set_visible (self->scroller, found->len > 0);
  gtk_widget_set_visible (self->problem, FALSE);
  if (!select_from (self, 0, 1))
    gtk_single_selection_set_selected (self->selection, GTK_INVALID_LIST_POSITION);
  selected_cb (self);
}

/* ---- what is done ---- */

/* Why what was typed cannot be done, below the list. */
static void
show_problem (SluicePalette *self, const GError *error)
{
  g_autofree char *words = sluice_failure_words (error);
  gtk_label_set_label (GTK_LABEL (self->problem), words);
  gtk_widget_set_visible (self->problem, TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->entry), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  words, -1);
}

static void
choose (SluicePalette *self)
{
  const SluiceOffer *offer = sluice_palette_get_selected (self);
  if (offer == NULL)
    return;
  g_autoptr (GError) error = NULL;
  g_autofree char *line = dup_line (self, offer, &error);
  if (line == NULL)
    {
      show_problem (self, error);
      return;
    }
  keep (self, "palette-recent", &self->recent,
        move_key (self->recent, offer->key, TRUE, MOST_RECENT));
  preview (self, NULL);
  g_signal_emit (self, signals[CHOSEN], 0, line);
  gtk_popover_popdown (GTK_POPOVER (self));
}

static void
toggle_pin (SluicePalette *self, const SluiceOffer *offer)
{
  if (offer == NULL)
    return;
  gboolean pin = !is_pinned (self, offer);
  keep (self, "palette-pinned", &self->pinned, move_key (self->pinned, offer->key, pin, G_MAXUINT));
  g_autofree char *key = g_strdup (offer->key);
  show_list (self);
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->items)); i++)
    {
      const SluiceOffer *other = sluice_palette_item_get_offer (get_item (self, i));
      if (other != NULL && g_str_equal (other->key, key))
        {
          select_from (self, (int) i, 1);
          return;
        }
    }
}

static void
pin_action (GtkWidget *widget, const char *name, GVariant *nothing)
{
  SluicePalette *self = SLUICE_PALETTE (widget);
  toggle_pin (self, sluice_palette_get_selected (self));
}

static void
all_action (GtkWidget *widget, const char *name, GVariant *nothing)
{
  GtkToggleButton *all = GTK_TOGGLE_BUTTON (SLUICE_PALETTE (widget)->all);
  gtk_toggle_button_set_active (all, !gtk_toggle_button_get_active (all));
}

/* ---- keys ---- */

static gboolean
is_shift (guint key)
{
  return key == GDK_KEY_Shift_L || key == GDK_KEY_Shift_R;
}

static gboolean
key_pressed_cb (SluicePalette *self, guint key)
{
  self->shift_alone = is_shift (key);
  return GDK_EVENT_PROPAGATE;
}

static void
key_released_cb (SluicePalette *self, guint key)
{
  if (is_shift (key) && self->shift_alone)
    gtk_widget_activate_action (GTK_WIDGET (self), "palette.all", NULL);
  self->shift_alone = FALSE;
}

static void
activate_cb (SluicePalette *self, guint position)
{
  gtk_single_selection_set_selected (self->selection, position);
  choose (self);
}

/* ---- rows ---- */

static void
pin_cb (SluicePaletteRow *row, SluicePalette *self)
{
  SluicePaletteItem *item = sluice_palette_row_get_item (row);
  toggle_pin (self, item != NULL ? sluice_palette_item_get_offer (item) : NULL);
}

static void
setup_cb (SluicePalette *self, GtkListItem *list_item)
{
  GtkWidget *row = sluice_palette_row_new ();
  g_signal_connect_object (row, "pin-toggled", G_CALLBACK (pin_cb), self, 0);
  gtk_list_item_set_child (list_item, row);
}

static void
bind_cb (SluicePalette *self, GtkListItem *list_item)
{
  SluicePaletteItem *item = gtk_list_item_get_item (list_item);
  const SluiceOffer *offer = sluice_palette_item_get_offer (item);
  gtk_list_item_set_selectable (list_item, offer != NULL);
  gtk_list_item_set_activatable (list_item, offer != NULL);
  if (offer != NULL) /* of what is in sight alone */
    sluice_palette_item_set_why (item, sluice_offers_get_why (self->offers, offer));
  sluice_palette_row_show (SLUICE_PALETTE_ROW (gtk_list_item_get_child (list_item)), item,
                           offer != NULL && is_pinned (self, offer));
}

/* ---- open ---- */

/* "what reads float32 of 4 axes". (transfer full) */
static char *
dup_question (const SluiceHand *hand)
{
  SluiceInputWant want;
  if (hand->edge.node != NULL && hand->node != NULL)
    return g_strdup (_ ("what goes between"));
  if (hand->edge.node == NULL && hand->node == NULL)
    return g_strdup (_ ("an op or a layer"));
  if (hand->node != NULL)
    sluice_input_want_find (hand->node, hand->input, SLUICE_INVALID, &want);
  else
    {
      int rank = sluice_edge_shape (hand->edge)->rank;
      want = (SluiceInputWant){ .dtype = sluice_edge_dtype (hand->edge),
                                .shape =
                                    rank > 0 ? sluice_shape_of_rank (rank) : SLUICE_SHAPE_UNKNOWN };
    }
  g_autofree char *words = sluice_input_want_dup_words (&want);
  return g_strdup_printf (hand->node != NULL ? _ ("what gives %s") : _ ("what reads %s"), words);
}

void
sluice_palette_open (SluicePalette *self,
                     SluiceGraph *graph,
                     const SluiceHand *hand,
                     double x,
                     double y,
                     const char *text)
{
  g_autofree char *question = dup_question (hand);
  const GdkRectangle at = { (int) x, (int) y, 1, 1 };
  g_clear_pointer (&self->offers, sluice_offers_free);
  self->offers = sluice_offers_new (graph, hand);
  load_habits (self);
  g_autofree char *n = sluice_format_step (sluice_offers_get_n (self->offers));
  g_autofree char *all = g_strdup_printf (_ ("Shift: all %s"), n);
  gtk_button_set_label (GTK_BUTTON (self->all), all);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->all), FALSE);
  gtk_entry_set_placeholder_text (GTK_ENTRY (self->entry), question);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->entry), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  question, -1);
  gtk_editable_set_text (GTK_EDITABLE (self->entry), text != NULL ? text : "");
  gtk_editable_set_position (GTK_EDITABLE (self->entry), -1);
  show_list (self);
  gtk_popover_set_pointing_to (GTK_POPOVER (self), &at);
  gtk_popover_popup (GTK_POPOVER (self));
  gtk_entry_grab_focus_without_selecting (GTK_ENTRY (self->entry));
  gtk_editable_set_position (GTK_EDITABLE (self->entry), -1); /* what comes goes on from there */
}

/* Offers are of the graph as it is now. */
static void
closed_cb (SluicePalette *self)
{
  preview (self, NULL);
  g_list_store_remove_all (self->items);
  g_clear_pointer (&self->offers, sluice_offers_free);
}

/* ---- the widget ---- */

static void
sluice_palette_dispose (GObject *object)
{
  SluicePalette *self = SLUICE_PALETTE (object);
  g_clear_object (&self->settings);
  if (self->items != NULL)
    g_list_store_remove_all (self->items);
  g_clear_object (&self->items);
  g_clear_pointer (&self->offers, sluice_offers_free);
  g_clear_pointer (&self->recent, g_strfreev);
  g_clear_pointer (&self->pinned, g_strfreev);
  G_OBJECT_CLASS (sluice_palette_parent_class)->dispose (object);
}

static void
sluice_palette_class_init (SluicePaletteClass *klass)
{
  static const struct
  {
    guint key;
    int steps;
  } walks[] = { { GDK_KEY_Down, 1 },
                { GDK_KEY_Up, -1 },
                { GDK_KEY_Page_Down, PAGE_ROWS },
                { GDK_KEY_Page_Up, -PAGE_ROWS } };
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = sluice_palette_dispose;
  gtk_widget_class_install_action (widget, "palette.walk", "i", walk_action);
  gtk_widget_class_install_action (widget, "palette.pin", NULL, pin_action);
  gtk_widget_class_install_action (widget, "palette.all", NULL, all_action);
  for (guint i = 0; i < G_N_ELEMENTS (walks); i++)
    gtk_widget_class_add_binding_action (widget, walks[i].key, 0, "palette.walk", "i",
                                         walks[i].steps);
  gtk_widget_class_add_binding_action (widget, GDK_KEY_p, GDK_CONTROL_MASK, "palette.pin", NULL);
  signals[CHOSEN] = g_signal_new ("chosen", SLUICE_TYPE_PALETTE, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                  NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[PREVIEW] = g_signal_new ("preview", SLUICE_TYPE_PALETTE, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                   NULL, G_TYPE_NONE, 2, G_TYPE_STRING, G_TYPE_STRING);
}

static GtkWidget *
new_list (SluicePalette *self)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  g_signal_connect_swapped (factory, "setup", G_CALLBACK (setup_cb), self);
  g_signal_connect_swapped (factory, "bind", G_CALLBACK (bind_cb), self);
  self->items = g_list_store_new (SLUICE_TYPE_PALETTE_ITEM);
  self->selection = gtk_single_selection_new (G_LIST_MODEL (g_object_ref (self->items)));
  gtk_single_selection_set_autoselect (self->selection, FALSE);
  gtk_single_selection_set_can_unselect (self->selection, TRUE);
  g_signal_connect_object (self->selection, "notify::selected", G_CALLBACK (selected_cb), self,
                           G_CONNECT_SWAPPED);
  GtkWidget *list = gtk_list_view_new (GTK_SELECTION_MODEL (self->selection), factory);
  gtk_list_view_set_single_click_activate (GTK_LIST_VIEW (list), TRUE);
  gtk_widget_add_css_class (list, "palette-list");
  gtk_widget_set_focusable (list, FALSE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Offers"), -1);
  g_signal_connect_swapped (list, "activate", G_CALLBACK (activate_cb), self);
  return list;
}

static GtkWidget *
new_foot (SluicePalette *self)
{
  GtkWidget *foot = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *hint = gtk_label_new (_ ("Enter inserts and connects"));
  gtk_label_set_xalign (GTK_LABEL (hint), 0);
  gtk_widget_set_hexpand (hint, TRUE);
  gtk_widget_add_css_class (hint, "dim-label");
  self->all = gtk_toggle_button_new ();
  gtk_widget_add_css_class (self->all, "flat");
  gtk_widget_set_focusable (self->all, FALSE);
  g_signal_connect_swapped (self->all, "toggled", G_CALLBACK (show_list), self);
  gtk_box_append (GTK_BOX (foot), hint);
  gtk_box_append (GTK_BOX (foot), self->all);
  gtk_widget_add_css_class (foot, "palette-foot");
  return foot;
}

/* Below the list, as wide as that. */
static GtkWidget *
new_words (const char *css)
{
  GtkWidget *label = gtk_label_new (NULL);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 1);
  gtk_widget_add_css_class (label, css);
  return label;
}

static void
sluice_palette_init (SluicePalette *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  GtkEventController *keys = gtk_event_controller_key_new ();
  self->recent = g_new0 (char *, 1);
  self->pinned = g_new0 (char *, 1);
  self->entry = gtk_entry_new ();
  gtk_entry_set_icon_from_icon_name (GTK_ENTRY (self->entry), GTK_ENTRY_ICON_PRIMARY,
                                     "system-search-symbolic");
  g_signal_connect_swapped (self->entry, "changed", G_CALLBACK (show_list), self);
  g_signal_connect_swapped (self->entry, "activate", G_CALLBACK (choose), self);
  self->list = new_list (self);
  self->scroller = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (self->scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (self->scroller), TRUE);
  gtk_scrolled_window_set_max_content_height (GTK_SCROLLED_WINDOW (self->scroller), HEIGHT);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->scroller), self->list);
  gtk_widget_set_vexpand (self->scroller, TRUE); /* the foot stays at the foot of an open popover */
  self->empty = gtk_label_new (NULL);
  gtk_label_set_ellipsize (GTK_LABEL (self->empty), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (self->empty, "dim-label");
  self->why = new_words ("dim-label");
  self->problem = new_words ("error");
  gtk_box_append (GTK_BOX (box), self->entry);
  gtk_box_append (GTK_BOX (box), self->empty);
  gtk_box_append (GTK_BOX (box), self->scroller);
  gtk_box_append (GTK_BOX (box), self->why);
  gtk_box_append (GTK_BOX (box), self->problem);
  gtk_box_append (GTK_BOX (box), new_foot (self));
  gtk_widget_set_size_request (box, WIDTH, -1);
  gtk_popover_set_child (GTK_POPOVER (self), box);
  gtk_popover_set_has_arrow (GTK_POPOVER (self), FALSE);
  gtk_popover_set_position (GTK_POPOVER (self), GTK_POS_BOTTOM);
  gtk_widget_set_halign (GTK_WIDGET (self), GTK_ALIGN_START);
  gtk_widget_add_css_class (GTK_WIDGET (self), "palette");
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect_swapped (keys, "key-pressed", G_CALLBACK (key_pressed_cb), self);
  g_signal_connect_swapped (keys, "key-released", G_CALLBACK (key_released_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), keys);
  g_signal_connect (self, "closed", G_CALLBACK (closed_cb), NULL);
}

GtkWidget *
sluice_palette_new (GSettings *settings)
{
  SluicePalette *self = g_object_new (SLUICE_TYPE_PALETTE, NULL);
  g_set_object (&self->settings, settings);
  return GTK_WIDGET (self);
}

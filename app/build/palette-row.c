/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/build/palette-row.h"

#include <glib/gi18n.h>

#include "engine/graph/shape-words.h"

/* ---- the item ---- */

struct _SluicePaletteItem
{
  GObject parent;
  char *heading;            /* (nullable) */
  const SluiceOffer *offer; /* (nullable) */
  const char *why;          /* (nullable) */
};

G_DEFINE_FINAL_TYPE (SluicePaletteItem, sluice_palette_item, G_TYPE_OBJECT)

static void
sluice_palette_item_finalize (GObject *object)
{
  g_free (SLUICE_PALETTE_ITEM (object)->heading);
  G_OBJECT_CLASS (sluice_palette_item_parent_class)->finalize (object);
}

static void
sluice_palette_item_class_init (SluicePaletteItemClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sluice_palette_item_finalize;
}

static void
sluice_palette_item_init (SluicePaletteItem *self)
{
}

SluicePaletteItem *
sluice_palette_item_new (const char *heading, const SluiceOffer *offer)
{
  SluicePaletteItem *self = g_object_new (SLUICE_TYPE_PALETTE_ITEM, NULL);
  self->heading = g_strdup (heading);
  self->offer = offer;
  return self;
}

const SluiceOffer *
sluice_palette_item_get_offer (SluicePaletteItem *self)
{
  return self->offer;
}

void
sluice_palette_item_set_why (SluicePaletteItem *self, const char *why)
{
  self->why = why;
}

/* ---- the row ---- */

struct _SluicePaletteRow
{
  GtkWidget parent;
  GtkWidget *heading, *box, *mark, *title, *detail, *result, *pin;
  SluicePaletteItem *item; /* (nullable) */
};

G_DEFINE_FINAL_TYPE (SluicePaletteRow, sluice_palette_row, GTK_TYPE_WIDGET)

enum
{
  PIN_TOGGLED,
  N_SIGNALS,
};
static guint signals[N_SIGNALS];

/* A type is seen by its colour and its shape, as at the ports of the canvas. */
static const struct
{
  const char *prefix, *mark, *css;
} marks[] = {
  { "float", "●", "type-float" },     { "bfloat", "●", "type-float" },
  { "complex", "●", "type-complex" }, { "uint", "▲", "type-uint" },
  { "int", "■", "type-int" },         { "bool", "◆", "type-bool" },
  { "", "⬟", "type-other" },
};

static void
show_mark (SluicePaletteRow *self, const SluiceOffer *offer)
{
  const char *type = offer->has_result ? sluice_dtype_get_word (offer->result.dtype) : "";
  guint i = 0;
  while (!g_str_has_prefix (type, marks[i].prefix))
    i++;
  const char *classes[] = { "palette-mark", marks[i].css, NULL };
  gtk_widget_set_css_classes (self->mark, classes);
  gtk_label_set_label (GTK_LABEL (self->mark), offer->has_result ? marks[i].mark : "");
}

char *
sluice_palette_dup_words (const SluiceOffer *offer, const char *why)
{
  if (why != NULL)
    return g_strdup_printf (_ ("%s, does not fit: %s"), offer->title, why);
  g_autofree char *name = g_strjoin (" ", offer->title, offer->detail, NULL);
  g_autofree char *shape = offer->has_result ? sluice_shape_dup_words (&offer->result.shape) : NULL;
  if (shape == NULL)
    return g_steal_pointer (&name);
  return g_strdup_printf (_ ("%s, gives %s %s"), name, shape,
                          sluice_dtype_get_word (offer->result.dtype));
}

/* What comes of it, or, before its detail, why nothing does. */
static void
show_result (SluicePaletteRow *self, const SluiceOffer *offer, const char *why)
{
  g_autofree char *shape = offer->has_result ? sluice_shape_dup_words (&offer->result.shape) : NULL;
  g_autofree char *arrow = shape != NULL ? g_strconcat ("→ ", shape, NULL) : NULL;
  gboolean gives_nothing = offer->op != NULL && offer->op->n_outputs == 0;
  const char *detail = why != NULL ? why : offer->detail;
  gtk_label_set_label (GTK_LABEL (self->detail), detail != NULL ? detail : "");
  gtk_widget_set_tooltip_text (self->detail, detail);
  gtk_label_set_label (GTK_LABEL (self->result), why != NULL     ? ""
                                                 : arrow != NULL ? arrow
                                                 : gives_nothing ? _ ("no output")
                                                                 : "");
}

void
sluice_palette_row_show (SluicePaletteRow *self, SluicePaletteItem *item, gboolean is_pinned)
{
  const SluiceOffer *offer = item->offer;
  g_set_object (&self->item, item);
  gtk_widget_set_visible (self->heading, offer == NULL);
  gtk_widget_set_visible (self->box, offer != NULL);
  if (offer == NULL)
    {
      gtk_label_set_label (GTK_LABEL (self->heading), item->heading);
      return;
    }
  g_autofree char *words = sluice_palette_dup_words (offer, item->why);
  show_mark (self, offer);
  gtk_label_set_label (GTK_LABEL (self->title), offer->title);
  gtk_widget_set_tooltip_text (self->title, offer->title);
  show_result (self, offer, item->why);
  g_signal_handlers_block_matched (self->pin, G_SIGNAL_MATCH_DATA, 0, 0, NULL, NULL, self);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->pin), is_pinned);
  g_signal_handlers_unblock_matched (self->pin, G_SIGNAL_MATCH_DATA, 0, 0, NULL, NULL, self);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, words, -1);
}

SluicePaletteItem *
sluice_palette_row_get_item (SluicePaletteRow *self)
{
  return self->item;
}

static void
toggled_cb (SluicePaletteRow *self)
{
  g_signal_emit (self, signals[PIN_TOGGLED], 0);
}

static void
sluice_palette_row_dispose (GObject *object)
{
  SluicePaletteRow *self = SLUICE_PALETTE_ROW (object);
  g_clear_object (&self->item);
  g_clear_pointer (&self->heading, gtk_widget_unparent);
  g_clear_pointer (&self->box, gtk_widget_unparent);
  G_OBJECT_CLASS (sluice_palette_row_parent_class)->dispose (object);
}

static void
sluice_palette_row_class_init (SluicePaletteRowClass *klass)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = sluice_palette_row_dispose;
  gtk_widget_class_set_layout_manager_type (widget, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget, GTK_ACCESSIBLE_ROLE_GROUP);
  signals[PIN_TOGGLED] = g_signal_new ("pin-toggled", SLUICE_TYPE_PALETTE_ROW, G_SIGNAL_RUN_LAST, 0,
                                       NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static GtkWidget *
add_label (SluicePaletteRow *self, const char *css)
{
  GtkWidget *label = gtk_label_new (NULL);
  gtk_widget_add_css_class (label, css);
  gtk_box_append (GTK_BOX (self->box), label);
  return label;
}

static void
sluice_palette_row_init (SluicePaletteRow *self)
{
  self->heading = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (self->heading), 0);
  gtk_label_set_ellipsize (GTK_LABEL (self->heading), PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_add_css_class (self->heading, "palette-heading");
  gtk_widget_set_parent (self->heading, GTK_WIDGET (self));
  self->box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  self->mark = add_label (self, "palette-mark");
  self->title = add_label (self, "palette-title");
  gtk_label_set_ellipsize (GTK_LABEL (self->title), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_max_width_chars (GTK_LABEL (self->title), 24);
  self->detail = add_label (self, "dim-label");
  gtk_label_set_xalign (GTK_LABEL (self->detail), 0);
  gtk_label_set_ellipsize (GTK_LABEL (self->detail), PANGO_ELLIPSIZE_END);
  gtk_label_set_max_width_chars (GTK_LABEL (self->detail), 8);
  gtk_widget_set_hexpand (self->detail, TRUE);
  self->result = add_label (self, "palette-result");
  self->pin = gtk_toggle_button_new ();
  gtk_button_set_icon_name (GTK_BUTTON (self->pin), "view-pin-symbolic");
  gtk_widget_add_css_class (self->pin, "flat");
  gtk_widget_add_css_class (self->pin, "palette-pin");
  gtk_widget_set_focusable (self->pin, FALSE);
  gtk_widget_set_tooltip_text (self->pin, _ ("Pin (Ctrl+P)"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->pin), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Pin"), -1);
  g_signal_connect_swapped (self->pin, "toggled", G_CALLBACK (toggled_cb), self);
  gtk_box_append (GTK_BOX (self->box), self->pin);
}

GtkWidget *
sluice_palette_row_new (void)
{
  return g_object_new (SLUICE_TYPE_PALETTE_ROW, NULL);
}

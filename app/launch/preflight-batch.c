/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/launch/preflight-batch.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "app/graph/node-words.h"
#include "app/launch/preflight-picture.h"
#include "app/launch/preflight-words.h"
#include "ui/chart/ticks.h"
#include "ui/common/wrap.h"

#define SPACING 10 /* pixels between cards */

/* What a card says around its picture. */
typedef struct
{
  char *title, *detail; /* "input/x:0", "64×784 f32" */
  char *from, *to;      /* (nullable): ends of the picture's axis */
  char *foot;           /* "mean 0.13 · sd 0.31" */
} Card;

static void
card_clear (Card *self)
{
  g_free (self->title);
  g_free (self->detail);
  g_free (self->from);
  g_free (self->to);
  g_free (self->foot);
}

static Card
card_of_input (const SluicePreflightItem *item)
{
  const SluicePreflightSpread *spread = item->spread;
  g_autofree char *shape = sluice_words_shape (&spread->shape);
  g_autofree char *type = sluice_words_type (spread->dtype);
  g_autofree char *mean = sluice_format_value (spread->mean, SLUICE_UNIT_NONE);
  g_autofree char *deviation = sluice_format_value (spread->deviation, SLUICE_UNIT_NONE);
  return (Card){ .title = g_strdup (item->name),
                 .detail = g_strdup_printf ("%s %s", shape, type),
                 .from = sluice_format_value (spread->min, SLUICE_UNIT_NONE),
                 .to = sluice_format_value (spread->max, SLUICE_UNIT_NONE),
                 .foot = g_strdup_printf (_ ("mean %s · sd %s"), mean, deviation) };
}

static Card
card_of_labels (const SluicePreflightItem *item)
{
  guint n = (guint) item->value;
  return (Card){ .title = g_strdup (_ ("All labels")),
                 .detail = g_strdup_printf (ngettext ("%u class", "%u classes", n), n),
                 .from = g_strdup ("0"),
                 .to = g_strdup_printf ("%u", item->counts->len - 1),
                 .foot = sluice_preflight_dup_balance (item->counts) };
}

static GtkWidget *
make_label (const char *text, const char *css, float xalign)
{
  return g_object_new (GTK_TYPE_LABEL, "label", text, "xalign", xalign, "wrap", TRUE, "wrap-mode",
                       PANGO_WRAP_WORD_CHAR, "css-classes",
                       (const char *[]){ "launch-small", css, NULL }, NULL);
}

/* Two texts at both ends of a line, below each other where it is too short. */
static GtkWidget *
make_ends (GtkWidget *start, GtkWidget *end)
{
  GtkWidget *line = sluice_wrap_new (SPACING, FALSE);
  gtk_widget_set_hexpand (start, TRUE);
  sluice_wrap_append (SLUICE_WRAP (line), start);
  sluice_wrap_append (SLUICE_WRAP (line), end);
  return line;
}

static GtkWidget *
make_card (const SluicePreflightItem *item, const SluicePreflight *found)
{
  Card card = item->spread != NULL ? card_of_input (item) : card_of_labels (item);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);
  GtkWidget *picture = sluice_preflight_picture_new (item, found);
  gtk_box_append (GTK_BOX (box), make_label (card.title, "launch-name", 0));
  gtk_box_append (GTK_BOX (box), make_label (card.detail, "dim-label", 0));
  if (picture != NULL)
    {
      gtk_box_append (GTK_BOX (box), picture);
      gtk_box_append (GTK_BOX (box), make_ends (make_label (card.from, "dim-label", 0),
                                                make_label (card.to, "dim-label", 1)));
    }
  GtkWidget *foot = make_label (card.foot, "numeric", 0.5);
  gtk_label_set_justify (GTK_LABEL (foot), GTK_JUSTIFY_CENTER);
  gtk_widget_set_vexpand (foot, TRUE);
  gtk_widget_set_valign (foot, GTK_ALIGN_END);
  gtk_box_append (GTK_BOX (box), foot);
  gtk_widget_add_css_class (box, "launch-batch-card");
  card_clear (&card);
  return box;
}

static GtkWidget *
make_head (const SluicePreflightItem *loss, const SluicePreflight *found)
{
  GtkWidget *title = gtk_label_new (_ ("First batch"));
  g_autofree char *markup = loss != NULL ? sluice_preflight_dup_markup (
                                sluice_preflight_find_kind (loss->what), loss, found, FALSE)
                                         : NULL;
  GtkWidget *words = make_label ("", "launch-figure", 1);
  gtk_label_set_markup (GTK_LABEL (words), markup != NULL ? markup : "");
  gtk_label_set_xalign (GTK_LABEL (title), 0);
  gtk_widget_add_css_class (title, "launch-name");
  return make_ends (title, words);
}

GtkWidget *
sluice_preflight_batch_new (const SluicePreflight *found)
{
  GtkWidget *cards = sluice_wrap_new (SPACING, TRUE);
  const SluicePreflightItem *loss = NULL, *labels = NULL;
  for (guint i = 0; i < found->items->len; i++)
    {
      const SluicePreflightItem *item = found->items->pdata[i];
      if (strcmp (item->what, "first_loss") == 0 && loss == NULL)
        loss = item;
      if (item->spread != NULL)
        sluice_wrap_append (SLUICE_WRAP (cards), make_card (item, found));
      else if (item->counts != NULL)
        labels = item;
    }
  if (labels != NULL)
    sluice_wrap_append (SLUICE_WRAP (cards), make_card (labels, found));
  if (loss == NULL && gtk_widget_get_first_child (cards) == NULL)
    {
      g_object_unref (g_object_ref_sink (cards));
      return NULL;
    }
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 8);
  gtk_box_append (GTK_BOX (box), make_head (loss, found));
  gtk_box_append (GTK_BOX (box), cards);
  gtk_widget_add_css_class (box, "launch-batch");
  return box;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "app/place/place-bar.h"

#include <glib/gi18n.h>
#include <math.h>

#include "app/failure-words.h"
#include "app/graph/node-words.h"
#include "app/place/place-words.h"
#include "engine/base/error.h"
#include "ui/common/share-bar.h"
#include "ui/common/widget.h"
#include "ui/common/wrap.h"

#define N_LINES 3 /* of what would be */

/* A device. */
typedef struct
{
  GtkWidget *button, *name, *load, *memory, *change;
  SluiceShareBar *bar;
} Tile;

struct _SluicePlaceBar
{
  GtkWidget parent;
  GtkWidget *box, *step, *error, *tiles_box, *scrub_row, *scrub, *scrubbed, *machine, *policy;
  GArray *tiles;              /* of Tile: as many as there ever were */
  SluicePredictor *predictor; /* (nullable) */
  char **chosen, *title;      /* (nullable) */
  char **tried, *tried_title; /* (nullable): of the trial under way */
  guint over;                 /* device that it is tried on; G_MAXUINT: none */
  gboolean is_dragged;        /* rather than pointed at */
  gboolean fills;             /* it sets its own controls */
  gboolean begins;            /* the keyboard waits for the devices */
};

G_DEFINE_FINAL_TYPE (SluicePlaceBar, sluice_place_bar, GTK_TYPE_WIDGET)

enum
{
  PUT,
  SCRUBBED,
  CHOOSE_MACHINE,
  CLOSED,
  N_SIGNALS,
};
static guint signals[N_SIGNALS];

static SluicePlacePrediction *
get_prediction (SluicePlaceBar *self, const GError **error)
{
  *error = NULL;
  return self->predictor != NULL && gtk_widget_get_mapped (GTK_WIDGET (self))
             ? sluice_predictor_get (self->predictor, error)
             : NULL;
}

static Tile *
get_tile (SluicePlaceBar *self, guint i)
{
  return &g_array_index (self->tiles, Tile, i);
}

/* ---- what would be ---- */

static void
show_change (Tile *tile, const char *words, int sense)
{
  static const char *const classes[] = { "place-better", "place-same", "place-worse" };
  for (int i = 0; i < 3; i++)
    gtk_widget_remove_css_class (tile->change, classes[i]);
  gtk_widget_add_css_class (tile->change, classes[sense + 1]);
  /* A figure a line, and always as many lines, so that nothing moves. */
  g_auto (GStrv) parts = g_strsplit (words, " · ", N_LINES);
  g_autofree char *lines = g_strdup_printf ("%s\n%s\n%s", parts[0] != NULL ? parts[0] : "",
                                            parts[0] != NULL && parts[1] != NULL ? parts[1] : "",
                                            g_strv_length (parts) == N_LINES ? parts[2] : "");
  gtk_label_set_label (GTK_LABEL (tile->change), lines);
}

static void
clear_changes (SluicePlaceBar *self)
{
  for (guint i = 0; i < self->tiles->len; i++)
    {
      show_change (get_tile (self, i), " ", 0);
      gtk_widget_remove_css_class (get_tile (self, i)->button, "place-over");
    }
}

static void
told_cb (SluicePlacePrediction *after, const GError *error, gpointer data)
{
  SluicePlaceBar *self = data;
  const GError *why;
  const SluicePlacePrediction *before = get_prediction (self, &why);
  if (self->over >= self->tiles->len || (after != NULL && before == NULL)
      || g_error_matches (error, SLUICE_ERROR, SLUICE_ERROR_CANCELLED))
    return; /* it is told anew when what changed is known */
  Tile *tile = get_tile (self, self->over);
  g_autofree char *words =
      after != NULL ? sluice_place_words_change (before, after) : sluice_failure_words (error);
  double us = after != NULL ? after->us - before->us : 0;
  int sense = after == NULL ? 1 : fabs (us) < 0.005 * before->us ? 0 : us < 0 ? -1 : 1;
  show_change (tile, words, sense);
  gtk_widget_set_tooltip_text (tile->button, words);
  gtk_accessible_update_property (GTK_ACCESSIBLE (tile->button),
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, words, -1);
}

static void
leave (SluicePlaceBar *self)
{
  if (self->over == G_MAXUINT)
    return;
  self->over = G_MAXUINT;
  if (self->predictor != NULL)
    sluice_predictor_forget (self->predictor, self);
  clear_changes (self);
}

/* names: borrowed */
static void
try_on (SluicePlaceBar *self, guint device, const char *const *names, const char *title)
{
  const GError *error;
  const SluicePlacePrediction *p = get_prediction (self, &error);
  if (p == NULL || names == NULL || device >= p->machine->n_devices)
    return;
  if (self->over == device && g_strcmp0 (title, self->tried_title) == 0)
    return;
  leave (self);
  g_free (self->tried_title);
  self->tried_title = g_strdup (title);
  self->over = device;
  g_autofree char *spec = sluice_prediction_dup_spec (p, device);
  gtk_widget_add_css_class (get_tile (self, device)->button, "place-over");
  g_autofree char *waits = g_strdup_printf (_ ("%s here: …"), title);
  show_change (get_tile (self, device), waits, 0);
  sluice_predictor_try (self->predictor, names, spec, told_cb, self);
}

static void
put (SluicePlaceBar *self, guint device, const char *const *names)
{
  const GError *error;
  const SluicePlacePrediction *p = get_prediction (self, &error);
  if (p == NULL || names == NULL || device >= p->machine->n_devices)
    return;
  g_autofree char *spec = sluice_prediction_dup_spec (p, device);
  g_auto (GStrv) copy = g_strdupv ((char **) names);
  leave (self);
  g_signal_emit (self, signals[PUT], 0, copy, spec);
}

gboolean
sluice_place_bar_drag (SluicePlaceBar *self,
                       const char *const *names,
                       const char *title,
                       GtkWidget *from,
                       double x,
                       double y,
                       gboolean is_dropped)
{
  double at_x, at_y;
  guint found = G_MAXUINT;
  if (names != NULL && gtk_widget_get_mapped (GTK_WIDGET (self)))
    for (guint i = 0; i < self->tiles->len; i++)
      {
        GtkWidget *button = get_tile (self, i)->button;
        if (gtk_widget_get_mapped (button)
            && gtk_widget_translate_coordinates (from, button, x, y, &at_x, &at_y)
            && gtk_widget_contains (button, at_x, at_y))
          found = i;
      }
  self->is_dragged = names != NULL && !is_dropped;
  if (found == G_MAXUINT)
    leave (self);
  else if (is_dropped)
    put (self, found, names);
  else
    try_on (self, found, names, title);
  return found != G_MAXUINT;
}

/* ---- tiles ---- */

static guint
find_tile (SluicePlaceBar *self, GtkWidget *button)
{
  for (guint i = 0; i < self->tiles->len; i++)
    if (get_tile (self, i)->button == button)
      return i;
  return G_MAXUINT;
}

static void
pressed_cb (GtkWidget *button, SluicePlaceBar *self)
{
  put (self, find_tile (self, button), (const char *const *) self->chosen);
}

static void
enter_cb (GtkEventController *controller, SluicePlaceBar *self)
{
  if (!self->is_dragged)
    try_on (self, find_tile (self, gtk_event_controller_get_widget (controller)),
            (const char *const *) self->chosen, self->title);
}

static void
pointed_cb (GtkEventController *controller, double x, double y, SluicePlaceBar *self)
{
  enter_cb (controller, self);
}

static void
leave_cb (GtkEventController *controller, SluicePlaceBar *self)
{
  if (!self->is_dragged
      && find_tile (self, gtk_event_controller_get_widget (controller)) == self->over)
    leave (self);
}

static GtkWidget *
append_label (GtkWidget *box, const char *css)
{
  GtkWidget *label = gtk_label_new (" ");
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (label, css);
  gtk_box_append (GTK_BOX (box), label);
  return label;
}

static void
add_tile (SluicePlaceBar *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  Tile tile = { .button = gtk_button_new () };
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkEventController *focus = gtk_event_controller_focus_new ();
  tile.name = append_label (box, "heading");
  tile.load = append_label (box, "numeric");
  tile.bar = SLUICE_SHARE_BAR (sluice_share_bar_new ());
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (tile.bar));
  tile.memory = append_label (box, "numeric");
  tile.change = append_label (box, "place-change");
  gtk_label_set_label (GTK_LABEL (tile.change), "\n\n");
  gtk_widget_add_css_class (tile.button, "place-tile");
  gtk_button_set_child (GTK_BUTTON (tile.button), box);
  g_signal_connect (motion, "enter", G_CALLBACK (pointed_cb), self);
  g_signal_connect (motion, "leave", G_CALLBACK (leave_cb), self);
  g_signal_connect (focus, "enter", G_CALLBACK (enter_cb), self);
  g_signal_connect (focus, "leave", G_CALLBACK (leave_cb), self);
  g_signal_connect (tile.button, "clicked", G_CALLBACK (pressed_cb), self);
  gtk_widget_add_controller (tile.button, motion);
  gtk_widget_add_controller (tile.button, focus);
  gtk_box_append (GTK_BOX (self->tiles_box), tile.button);
  g_array_append_val (self->tiles, tile);
}

static void
show_tile (SluicePlaceBar *self, const SluicePlacePrediction *p, guint device)
{
  Tile *tile = get_tile (self, device);
  double busy, us = p->choice->schedule->us;
  guint n = sluice_prediction_get_load (p, device, &busy);
  g_autofree char *load =
      g_strdup_printf (ngettext ("busy %.0f %% · %u node", "busy %.0f %% · %u nodes", n),
                       us > 0 ? 100 * busy / us : 0.0, n);
  g_autofree char *memory = sluice_place_words_memory (p, device);
  const char *name = p->machine->devices[device].device->short_name;
  g_autofree char *said = g_strdup_printf ("%s: %s, %s", name, load, memory);
  SluiceTheme theme;
  sluice_theme_from_widget (&theme, GTK_WIDGET (self));
  const SluiceSharePart part = { busy, sluice_theme_get_hue (&theme, device) };
  gtk_label_set_label (GTK_LABEL (tile->name), name);
  gtk_label_set_label (GTK_LABEL (tile->load), load);
  gtk_label_set_label (GTK_LABEL (tile->memory), memory);
  sluice_share_bar_set (tile->bar, &part, 1, us);
  gtk_accessible_update_property (GTK_ACCESSIBLE (tile->button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  said, -1);
}

/* ---- the policy's decisions, one after the other ---- */

static void
show_scrubbed (SluicePlaceBar *self, const SluicePlacePrediction *p)
{
  guint n = p->choice->n_nodes;
  guint k = (guint) gtk_range_get_value (GTK_RANGE (self->scrub));
  g_autofree char *words = sluice_place_words_decision (p, MIN (k, n));
  gtk_label_set_label (GTK_LABEL (self->scrubbed), words);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->scrub), GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT,
                                  words, -1);
}

static void
scrubbed_cb (SluicePlaceBar *self)
{
  const GError *error;
  const SluicePlacePrediction *p = get_prediction (self, &error);
  if (p == NULL || self->fills)
    return;
  guint k = (guint) gtk_range_get_value (GTK_RANGE (self->scrub));
  show_scrubbed (self, p);
  g_signal_emit (self, signals[SCRUBBED], 0, k < p->choice->n_nodes ? k : G_MAXUINT);
}

static void
show_scrub (SluicePlaceBar *self, const SluicePlacePrediction *p)
{
  guint n = p->choice->n_nodes;
  gtk_widget_set_visible (self->scrub_row, p->machine->n_devices > 1 && n > 0);
  self->fills = TRUE;
  gtk_range_set_range (GTK_RANGE (self->scrub), 0, MAX (n, 1));
  gtk_range_set_increments (GTK_RANGE (self->scrub), 1, MAX (n / 20, 1));
  gtk_range_set_value (GTK_RANGE (self->scrub), n);
  self->fills = FALSE;
  show_scrubbed (self, p);
}

/* ---- all of it ---- */

/* Where most of what is chosen stands. */
static guint
find_device (SluicePlaceBar *self, const SluicePlacePrediction *p)
{
  g_autofree guint *n_on = g_new0 (guint, p->machine->n_devices);
  guint most = 0, node;
  for (guint i = 0; self->chosen != NULL && self->chosen[i] != NULL; i++)
    if (sluice_prediction_find (p, self->chosen[i], &node))
      n_on[p->choice->devices[node]]++;
  for (guint d = 1; d < p->machine->n_devices; d++)
    if (n_on[d] > n_on[most])
      most = d;
  return most;
}

/* The keyboard goes there once that is known. */
static void
begin_now (SluicePlaceBar *self)
{
  const GError *error;
  const SluicePlacePrediction *p = get_prediction (self, &error);
  guint device = p != NULL && self->begins ? find_device (self, p) : G_MAXUINT;
  if (device >= self->tiles->len)
    return;
  self->begins = FALSE;
  gtk_widget_grab_focus (get_tile (self, device)->button);
}

static void
show_nothing (SluicePlaceBar *self, const GError *error)
{
  g_autofree char *words = error != NULL ? sluice_failure_words (error) : NULL;
  gtk_label_set_label (GTK_LABEL (self->step), error != NULL ? _ ("No prediction") : _ ("…"));
  gtk_label_set_label (GTK_LABEL (self->error), words != NULL ? words : "");
  gtk_widget_set_visible (self->error, words != NULL);
  for (guint i = 0; i < self->tiles->len && error != NULL; i++)
    gtk_widget_set_visible (get_tile (self, i)->button, FALSE);
  gtk_widget_set_visible (self->scrub_row, FALSE);
}

static void
show (SluicePlaceBar *self)
{
  const GError *error;
  const SluicePlacePrediction *p = get_prediction (self, &error);
  leave (self);
  if (p == NULL)
    {
      show_nothing (self, error);
      return;
    }
  g_autofree char *step =
      sluice_place_words_step (p, sluice_predictor_get_machine (self->predictor));
  gtk_label_set_label (GTK_LABEL (self->step), step);
  gtk_widget_set_tooltip_text (self->step, step);
  gtk_widget_set_visible (self->error, FALSE);
  while (self->tiles->len < p->machine->n_devices)
    add_tile (self);
  for (guint i = 0; i < self->tiles->len; i++)
    {
      gtk_widget_set_visible (get_tile (self, i)->button, i < p->machine->n_devices);
      if (i < p->machine->n_devices)
        show_tile (self, p, i);
    }
  show_scrub (self, p);
  begin_now (self);
}

/* ---- who computes, who chooses ---- */

static void
policy_cb (SluicePlaceBar *self)
{
  guint n, i = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->policy));
  const SluicePolicy *const *policies = sluice_policies_list (&n);
  if (self->predictor != NULL && !self->fills)
    sluice_predictor_set_policy (self->predictor, i > 0 && i <= n ? policies[i - 1]->name : NULL);
}

static void
machine_cb (SluicePlaceBar *self)
{
  if (self->predictor != NULL && sluice_predictor_get_machine (self->predictor) != NULL)
    sluice_predictor_set_machine (self->predictor, NULL);
  else
    g_signal_emit (self, signals[CHOOSE_MACHINE], 0);
}

static void
show_machine (SluicePlaceBar *self)
{
  const char *path = sluice_predictor_get_machine (self->predictor);
  gtk_button_set_label (GTK_BUTTON (self->machine),
                        path != NULL ? _ ("Back to this machine") : _ ("Another machine…"));
}

static void
changed_cb (SluicePlaceBar *self)
{
  show_machine (self);
  show (self);
}

static void
closed_cb (SluicePlaceBar *self)
{
  g_signal_emit (self, signals[CLOSED], 0);
}

static GtkWidget *
make_policy (SluicePlaceBar *self)
{
  guint n;
  const SluicePolicy *const *policies = sluice_policies_list (&n);
  g_autoptr (GtkStringList) list = gtk_string_list_new (NULL);
  gtk_string_list_append (list, _ ("as runs do"));
  for (guint i = 0; i < n; i++)
    gtk_string_list_append (list, policies[i]->name);
  GtkWidget *policy = gtk_drop_down_new (G_LIST_MODEL (g_steal_pointer (&list)), NULL);
  gtk_widget_set_tooltip_text (policy, _ ("Who chooses the devices"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (policy), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Who chooses the devices"), -1);
  /* GTK 4.8 gives the focus to its button, and no name. */
  gtk_accessible_update_property (GTK_ACCESSIBLE (gtk_widget_get_first_child (policy)),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Who chooses the devices"), -1);
  g_signal_connect_swapped (policy, "notify::selected", G_CALLBACK (policy_cb), self);
  return policy;
}

static GtkWidget *
make_head (SluicePlaceBar *self)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *close = gtk_button_new_from_icon_name ("window-close-symbolic");
  self->step = append_label (row, "heading");
  gtk_widget_set_hexpand (self->step, TRUE);
  self->policy = make_policy (self);
  self->machine = gtk_button_new_with_label (_ ("Another machine…"));
  gtk_widget_set_tooltip_text (
      self->machine, _ ("Predict for the devices and links of a file, which need not be here"));
  gtk_widget_set_tooltip_text (close, _ ("Hide the devices"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (close), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Hide the devices"), -1);
  gtk_widget_add_css_class (close, "flat");
  g_signal_connect_swapped (self->machine, "clicked", G_CALLBACK (machine_cb), self);
  g_signal_connect_swapped (close, "clicked", G_CALLBACK (closed_cb), self);
  gtk_box_append (GTK_BOX (row), self->policy);
  gtk_box_append (GTK_BOX (row), self->machine);
  gtk_box_append (GTK_BOX (row), close);
  return row;
}

static GtkWidget *
make_scrub (SluicePlaceBar *self)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  self->scrub = gtk_scale_new_with_range (GTK_ORIENTATION_HORIZONTAL, 0, 1, 1);
  gtk_scale_set_draw_value (GTK_SCALE (self->scrub), FALSE);
  gtk_widget_set_size_request (self->scrub, 200, -1);
  gtk_widget_set_tooltip_text (self->scrub, _ ("The decisions, one after the other"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->scrub), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("The decisions, one after the other"), -1);
  g_signal_connect_swapped (self->scrub, "value-changed", G_CALLBACK (scrubbed_cb), self);
  gtk_box_append (GTK_BOX (row), self->scrub);
  self->scrubbed = append_label (row, "dim-label");
  gtk_widget_set_hexpand (self->scrubbed, TRUE);
  return row;
}

/* ---- the widget ---- */

GtkWidget *
sluice_place_bar_new (void)
{
  return g_object_new (SLUICE_TYPE_PLACE_BAR, NULL);
}

void
sluice_place_bar_set_predictor (SluicePlaceBar *self, SluicePredictor *predictor)
{
  if (g_set_object (&self->predictor, predictor) && predictor != NULL)
    g_signal_connect_object (predictor, "changed", G_CALLBACK (changed_cb), self,
                             G_CONNECT_SWAPPED);
}

void
sluice_place_bar_set_chosen (SluicePlaceBar *self, const char *const *names, const char *title)
{
  char **copy = g_strdupv ((char **) names);
  leave (self);
  g_strfreev (self->chosen);
  self->chosen = copy;
  g_free (self->title);
  self->title = g_strdup (title);
}

void
sluice_place_bar_begin (SluicePlaceBar *self)
{
  self->begins = TRUE;
  begin_now (self);
}

gboolean
sluice_place_bar_is_settled (SluicePlaceBar *self)
{
  return !gtk_widget_get_mapped (GTK_WIDGET (self)) || self->predictor == NULL
         || sluice_predictor_is_settled (self->predictor);
}

static void
sluice_place_bar_map (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (sluice_place_bar_parent_class)->map (widget);
  if (SLUICE_PLACE_BAR (widget)->predictor != NULL)
    changed_cb (SLUICE_PLACE_BAR (widget));
}

static void
sluice_place_bar_dispose (GObject *object)
{
  SluicePlaceBar *self = SLUICE_PLACE_BAR (object);
  if (self->predictor != NULL)
    sluice_predictor_forget (self->predictor, self);
  g_clear_object (&self->predictor);
  g_array_set_size (self->tiles, 0);
  self->over = G_MAXUINT;
  g_clear_pointer (&self->box, gtk_widget_unparent);
  G_OBJECT_CLASS (sluice_place_bar_parent_class)->dispose (object);
}

static void
sluice_place_bar_finalize (GObject *object)
{
  SluicePlaceBar *self = SLUICE_PLACE_BAR (object);
  g_array_unref (self->tiles);
  g_strfreev (self->chosen);
  g_free (self->title);
  g_free (self->tried_title);
  G_OBJECT_CLASS (sluice_place_bar_parent_class)->finalize (object);
}

static void
sluice_place_bar_class_init (SluicePlaceBarClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  object_class->dispose = sluice_place_bar_dispose;
  object_class->finalize = sluice_place_bar_finalize;
  GTK_WIDGET_CLASS (klass)->map = sluice_place_bar_map;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (GTK_WIDGET_CLASS (klass), GTK_ACCESSIBLE_ROLE_GROUP);
  signals[PUT] = g_signal_new ("put", SLUICE_TYPE_PLACE_BAR, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                               G_TYPE_NONE, 2, G_TYPE_STRV, G_TYPE_STRING);
  signals[SCRUBBED] = g_signal_new ("scrubbed", SLUICE_TYPE_PLACE_BAR, G_SIGNAL_RUN_LAST, 0, NULL,
                                    NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
  signals[CHOOSE_MACHINE] = g_signal_new ("choose-machine", SLUICE_TYPE_PLACE_BAR,
                                          G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[CLOSED] = g_signal_new ("closed", SLUICE_TYPE_PLACE_BAR, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                  NULL, G_TYPE_NONE, 0);
}

static void
sluice_place_bar_init (SluicePlaceBar *self)
{
  GtkWidget *scrolls = gtk_scrolled_window_new ();
  self->tiles = g_array_new (FALSE, TRUE, sizeof (Tile));
  self->over = G_MAXUINT;
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  gtk_widget_add_css_class (self->box, "place-bar");
  gtk_box_append (GTK_BOX (self->box), make_head (self));
  self->error = append_label (self->box, "error");
  gtk_label_set_wrap (GTK_LABEL (self->error), TRUE);
  gtk_label_set_ellipsize (GTK_LABEL (self->error), PANGO_ELLIPSIZE_NONE);
  self->tiles_box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  gtk_box_set_homogeneous (GTK_BOX (self->tiles_box), TRUE);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolls), GTK_POLICY_AUTOMATIC,
                                  GTK_POLICY_NEVER);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolls), self->tiles_box);
  gtk_box_append (GTK_BOX (self->box), scrolls);
  self->scrub_row = make_scrub (self);
  gtk_box_append (GTK_BOX (self->box), self->scrub_row);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Where the nodes stand"), -1);
}

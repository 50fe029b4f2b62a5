/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Where a node stands and why: what ties it to a device, and the devices that it could have had. It
 * stands in a box of its own, which a prediction fills when it is there: nobody who writes in
 * another row is disturbed. */
#include "app/graph/inspector-private.h"

#include <glib/gi18n.h>
#include <math.h>

#include "app/failure-words.h"
#include "app/graph/node-words.h"
#include "ui/common/share-bar.h"
#include "ui/common/widget.h"
#include "ui/common/wrap.h"

/* What a node's time until its end is made of. */
static const struct
{
  const char *name;
  guint32 rgb;
} parts[] = {
  { N_ ("waits"), 0x8d8d92 },
  { N_ ("transfer"), 0x00838f },
  { N_ ("queue"), 0xe5a50a },
  { N_ ("compute"), 0x9141ac },
};

static GtkWidget *
new_heads (const char *device, const char *value, gboolean is_chosen)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *left = gtk_label_new (device), *right = gtk_label_new (value);
  gtk_label_set_xalign (GTK_LABEL (left), 0);
  gtk_label_set_ellipsize (GTK_LABEL (left), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_ellipsize (GTK_LABEL (right), PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (left, TRUE);
  gtk_widget_add_css_class (left, "place-device");
  gtk_widget_add_css_class (right, "numeric");
  gtk_widget_add_css_class (right, is_chosen ? "success" : "dim-label");
  gtk_box_append (GTK_BOX (row), left);
  gtk_box_append (GTK_BOX (row), right);
  return row;
}

static void
set_bar (SluiceShareBar *bar, const SluiceCandidate *candidate, double whole)
{
  const double values[] = { candidate->ready_us, candidate->transfer_us, candidate->queue_us,
                            candidate->compute_us };
  SluiceSharePart shares[G_N_ELEMENTS (parts)];
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    shares[i] = (SluiceSharePart){ values[i], sluice_color_from_hex (parts[i].rgb) };
  sluice_share_bar_set (bar, shares, G_N_ELEMENTS (parts), whole);
}

static void
add_candidate (SluiceInspector *self,
               const char *device,
               const SluiceCandidate *candidate,
               const char *why_not,
               gboolean is_chosen,
               double whole)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 3);
  g_autofree char *finish = why_not == NULL ? sluice_words_duration (candidate->finish_us) : NULL;
  g_autofree char *value = finish == NULL ? g_strdup (why_not)
                           : is_chosen    ? g_strdup_printf ("%s ✓", finish)
                                          : g_strdup (finish);
  gtk_box_append (GTK_BOX (box), new_heads (device, value, is_chosen));
  if (why_not == NULL)
    {
      GtkWidget *bar = sluice_share_bar_new ();
      set_bar (SLUICE_SHARE_BAR (bar), candidate, whole);
      gtk_box_append (GTK_BOX (box), bar);
    }
  sluice_inspector_rows_add_widget (&self->why, box);
  g_string_append_printf (self->why.text, "%s: %s\n", device, value);
}

static void
add_legend (SluiceInspector *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      GtkWidget *entry = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 4), *dot = sluice_dot_new ();
      GtkWidget *name = gtk_label_new (_ (parts[i].name));
      sluice_dot_set_color (dot, sluice_color_from_hex (parts[i].rgb));
      gtk_widget_add_css_class (name, "dim-label");
      gtk_box_append (GTK_BOX (entry), dot);
      gtk_box_append (GTK_BOX (entry), name);
      gtk_box_append (GTK_BOX (box), entry);
    }
  sluice_inspector_rows_add_widget (&self->why, box);
}

static void
add_candidates (SluiceInspector *self, const SluicePlacePrediction *p, guint node)
{
  const GArray *candidates = p->choice->decisions[node].candidates;
  double whole = 0;
  for (guint i = 0; i < candidates->len; i++)
    {
      const SluiceCandidate *one = &g_array_index (candidates, SluiceCandidate, i);
      if (one->why_not == NULL && isfinite (one->finish_us))
        whole = MAX (whole, one->finish_us);
    }
  for (guint i = 0; i < candidates->len; i++)
    {
      const SluiceCandidate *one = &g_array_index (candidates, SluiceCandidate, i);
      const char *why_not = one->why_not == NULL                        ? NULL
                            : *p->workload->nodes[node]->device != '\0' ? _ ("it asks for another")
                                                                        : _ (one->why_not);
      add_candidate (self, p->machine->devices[one->device].device->short_name, one, why_not,
                     one->device == p->choice->devices[node], whole);
    }
  if (whole > 0)
    add_legend (self);
}

/* ---- what ties it ---- */

static void
add_chip (SluiceInspector *self, GtkWidget *chips, char *take_words)
{
  g_autofree char *words = take_words;
  GtkWidget *chip = gtk_label_new (words);
  gtk_label_set_ellipsize (GTK_LABEL (chip), PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_set_tooltip_text (chip, words);
  gtk_widget_add_css_class (chip, "place-chip");
  sluice_wrap_append (SLUICE_WRAP (chips), chip);
  g_string_append_printf (self->why.text, "[%s]\n", words);
}

/* The first other node that must stand with it, and how many there are. (nullable) */
static const char *
find_mate (const SluicePlacePrediction *p, guint node, guint *n)
{
  const SluiceWorkload *w = p->workload->workload;
  const char *mate = NULL;
  *n = 0;
  for (guint v = 0; v < w->n_nodes; v++)
    if (v != node && w->nodes[v].group == w->nodes[node].group)
      {
        mate = mate != NULL ? mate : w->nodes[v].name;
        ++*n;
      }
  return mate;
}

static guint
count_possible (const SluicePlacePrediction *p, guint node)
{
  guint n = 0;
  for (guint d = 0; d < p->machine->n_devices; d++)
    n += isfinite (sluice_workload_get_us (p->workload->workload, node, d));
  return n;
}

static void
add_chips (SluiceInspector *self, const SluicePlacePrediction *p, guint node)
{
  const SluiceNode *at = p->workload->nodes[node];
  GtkWidget *chips = sluice_wrap_new (4, FALSE);
  guint n_mates, n_possible = count_possible (p, node);
  const char *mate = find_mate (p, node, &n_mates);
  gboolean asks = *at->device != '\0';
  sluice_inspector_rows_add_widget (&self->why, chips);
  if (asks)
    add_chip (self, chips, g_strdup_printf (_ ("asks for %s"), at->device));
  if (mate != NULL && n_mates == 1)
    add_chip (self, chips, g_strdup_printf (_ ("stands with %s"), mate));
  else if (mate != NULL)
    add_chip (self, chips,
              g_strdup_printf (ngettext ("stands with %s and %u other",
                                         "stands with %s and %u others", n_mates - 1),
                               mate, n_mates - 1));
  if (mate != NULL)
    add_chip (self, chips,
              g_strdup (sluice_node_get_attr (at, "_class") != NULL
                            ? _ ("tied by colocation")
                            : _ ("tied by what they share")));
  if (n_possible == 1 && !asks && p->machine->n_devices > 1)
    add_chip (self, chips, g_strdup (_ ("can stand only here")));
  if (n_possible > 1 && !asks && mate == NULL)
    add_chip (self, chips, g_strdup (_ ("free")));
}

/* ---- in words ---- */

static void
add_margin (SluiceInspector *self, const SluicePlacePrediction *p, guint node)
{
  double us = p->choice->decisions[node].margin_us;
  g_autofree char *time = sluice_words_duration (fabs (us));
  g_autofree char *words = NULL;
  if (!isfinite (us))
    return;
  if (us >= 0)
    words = g_strdup_printf (_ ("Anywhere else it would end later, by %s at least."), time);
  else
    words = g_strdup_printf (_ ("Elsewhere it would end sooner, by %s: nobody chose this place by "
                                "its cost."),
                             time);
  sluice_inspector_rows_add_words (&self->why, words);
}

static void
add_figures (SluiceInspector *self, const SluicePlacePrediction *p, guint node)
{
  const SluiceSimulatedSpan *span = &p->choice->schedule->spans[node];
  g_autofree char *predicted =
      sluice_words_spread (span->end_us - span->start_us, p->plus_minus[node]);
  SluiceLiveTimes times;
  sluice_inspector_rows_add (&self->why, _ ("Predicted"), predicted);
  if (p->machine->is_elsewhere)
    return;
  gboolean is_live = sluice_graph_page_get_times (self->page, self->name, &times);
  double us = is_live && times.n_steps > 0 ? times.median_us : p->measured_us[node];
  g_autofree char *measured = isfinite (us) ? sluice_words_duration (us) : g_strdup ("–");
  sluice_inspector_rows_add (&self->why, _ ("Measured"), measured);
}

static void
add_source (SluiceInspector *self, const SluicePlacePrediction *p)
{
  const char *path = sluice_predictor_get_machine (self->predictor);
  if (!p->machine->is_elsewhere || path == NULL)
    return;
  g_autofree char *base = g_filename_display_basename (path);
  g_autofree char *words = g_strdup_printf (
      _ ("A prediction: the devices are those of “%s”, not of this machine."), base);
  sluice_inspector_rows_add_words (&self->why, words);
}

static void
fill_prediction (SluiceInspector *self)
{
  const GError *error = NULL;
  guint node;
  const SluicePlacePrediction *p = sluice_predictor_get (self->predictor, &error);
  if (p == NULL && error == NULL)
    return; /* it is told when it is there */
  sluice_inspector_rows_begin (&self->why, _ ("Why here"), TRUE);
  if (error != NULL)
    {
      g_autofree char *words = sluice_failure_words (error);
      sluice_inspector_rows_add_words (&self->why, words);
      return;
    }
  if (!sluice_prediction_find (p, self->name, &node))
    {
      sluice_inspector_rows_add_words (&self->why, _ ("No step of training needs it."));
      return;
    }
  add_source (self, p);
  add_chips (self, p, node);
  if (p->machine->n_devices > 1)
    {
      add_margin (self, p, node);
      add_candidates (self, p, node);
    }
  add_figures (self, p, node);
}

/* Where it stands and why; what it asks for where that is another thing. */
static void
fill_place (SluiceInspector *self, const SluiceNode *node)
{
  SluiceSession *session =
      self->session != NULL ? self->session : sluice_graph_page_get_placed (self->page);
  const char *reason = NULL;
  const char *device =
      session != NULL ? sluice_session_get_placement (session, node->name, &reason) : NULL;
  if (device != NULL)
    sluice_inspector_rows_add (&self->why, _ ("Device"), device);
  if (*node->device != '\0')
    sluice_inspector_rows_add (&self->why, _ ("Device asked for"), node->device);
  if (reason != NULL && *reason != '\0')
    sluice_inspector_rows_add (&self->why, _ ("Because"), _ (reason));
}

/* ---- its box ---- */

static void
fill (SluiceInspector *self)
{
  SluiceGraph *graph = sluice_graph_page_get_graph (self->page);
  const SluiceNode *node = graph != NULL ? sluice_graph_find (graph, self->name) : NULL;
  sluice_inspector_rows_clear (&self->why);
  if (node == NULL)
    return;
  fill_place (self, node);
  if (self->predictor != NULL)
    fill_prediction (self);
}

void
sluice_inspector_add_place (SluiceInspector *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);
  sluice_inspector_rows_init (&self->why, GTK_BOX (box));
  sluice_inspector_rows_add_widget (&self->rows, box);
  fill (self);
}

void
sluice_inspector_forget_place (SluiceInspector *self)
{
  if (self->why.text != NULL)
    sluice_inspector_rows_free (&self->why);
  self->why = (SluiceInspectorRows){ NULL };
}

static void
predicted_cb (SluiceInspector *self)
{
  if (self->why.box != NULL)
    fill (self);
}

void
sluice_inspector_set_predictor (SluiceInspector *self, SluicePredictor *predictor)
{
  if (g_set_object (&self->predictor, predictor) && predictor != NULL)
    g_signal_connect_object (predictor, "changed", G_CALLBACK (predicted_cb), self,
                             G_CONNECT_SWAPPED);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "app/place/place-colors.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* From little to much: what it would cost that the node stood elsewhere. */
static const struct
{
  double least_us;
  const char *words;
} margins[] = {
  { -INFINITY, N_ ("ends sooner elsewhere") },
  { 0, N_ ("as good elsewhere") },
  { 0.5, N_ ("later elsewhere, by up to 10 µs") },
  { 10, N_ ("by up to 100 µs") },
  { 100, N_ ("by up to 1 ms") },
  { 1000, N_ ("by more than 1 ms") },
  { INFINITY, N_ ("nowhere else") },
};

gboolean
sluice_place_colors_has (SluiceColorBy by)
{
  return by == SLUICE_COLOR_BY_PLACED || by == SLUICE_COLOR_BY_REASON
         || by == SLUICE_COLOR_BY_MARGIN;
}

static const char *
find_margin (double us)
{
  guint i = G_N_ELEMENTS (margins) - 1;
  while (i > 0 && !(us >= margins[i].least_us))
    i--;
  return _ (margins[i].words);
}

static const char *
find_text (const SluicePlacePrediction *p, SluiceColorBy by, guint v)
{
  const SluiceDecision *decision = &p->choice->decisions[v];
  if (by == SLUICE_COLOR_BY_PLACED)
    return p->machine->devices[p->choice->devices[v]].device->short_name;
  if (by == SLUICE_COLOR_BY_MARGIN)
    return find_margin (decision->margin_us);
  const char *reason = p->policy != NULL
                           ? decision->reason
                           : sluice_placements_get (p->placements, p->workload->nodes[v])->reason;
  /* One that names others would be a colour of its own for each of them. */
  return strchr (reason, '\'') != NULL ? _ ("tied to others") : _ (reason);
}

/* All texts, in the order in which colours go: (transfer full), ends with NULL. */
static GPtrArray *
list_texts (const SluicePlacePrediction *p, SluiceColorBy by, GHashTable *texts)
{
  GPtrArray *order = g_ptr_array_new ();
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  if (by == SLUICE_COLOR_BY_PLACED)
    for (guint d = 0; d < p->machine->n_devices; d++)
      g_ptr_array_add (order, (gpointer) p->machine->devices[d].device->short_name);
  else if (by == SLUICE_COLOR_BY_MARGIN)
    for (guint i = 0; i < G_N_ELEMENTS (margins); i++)
      g_ptr_array_add (order, (gpointer) _ (margins[i].words));
  else
    for (guint v = 0; v < p->choice->n_nodes; v++)
      {
        gpointer text = g_hash_table_lookup (texts, p->workload->nodes[v]->name);
        if (text != NULL && g_hash_table_add (seen, text))
          g_ptr_array_add (order, text);
      }
  g_ptr_array_add (order, NULL);
  return order;
}

void
sluice_place_colors_show (SluiceCanvas *canvas,
                          SluiceColorBy by,
                          const SluicePlacePrediction *p,
                          guint n_decided)
{
  g_autoptr (GHashTable) texts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  if (p == NULL)
    {
      sluice_canvas_set_told (canvas, by, NULL);
      return;
    }
  for (guint v = 0; v < p->choice->n_nodes; v++)
    if (by != SLUICE_COLOR_BY_PLACED || p->choice->decisions[v].step < n_decided)
      g_hash_table_insert (texts, g_strdup (p->workload->nodes[v]->name),
                           g_strdup (find_text (p, by, v)));
  g_autoptr (GPtrArray) order = list_texts (p, by, texts);
  const SluiceColorTold told = { texts, (const char *const *) order->pdata,
                                 by == SLUICE_COLOR_BY_MARGIN };
  sluice_canvas_set_told (canvas, by, &told);
}

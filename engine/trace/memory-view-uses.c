/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Who read each band and who freed it: from what the plans say reads what, and when that ran. */
#include "engine/graph/op.h"
#include "engine/trace/memory-view-private.h"

/* Of the whole recording: what is held so long for nothing is told of. */
#define LATE_SHARE 20
/* Runs before a moment among which the one is looked for that was under way: as many threads as a
 * machine has, and the waits beside them. */
#define N_BACK 256

typedef struct
{
  SluiceMemoryView *view;
  GHashTable *made; /* node -> GArray of gint64: when it made something, in order */
  GHashTable *runs; /* node -> GArray of guint: its runs, in order */
} Uses;

/* Of one band: whose readers are still to be looked at, and since when. */
typedef struct
{
  guint32 node;
  gint64 since;
} Handed;

static void
add_run (Uses *uses, guint i)
{
  guint32 node = sluice_memory_view_get_run (uses->view, i)->node;
  GArray *runs = g_hash_table_lookup (uses->runs, GUINT_TO_POINTER (node));
  if (runs == NULL)
    {
      runs = g_array_new (FALSE, FALSE, sizeof (guint));
      g_hash_table_insert (uses->runs, GUINT_TO_POINTER (node), runs);
    }
  g_array_append_val (runs, i);
}

/* The first read of what a node makes. */
static guint
find_reads (const GArray *reads, guint32 node)
{
  guint from = 0, to = reads->len;
  while (from < to)
    {
      guint middle = from + (to - from) / 2;
      if (g_array_index (reads, SluiceRead, middle).from < node)
        from = middle + 1;
      else
        to = middle;
    }
  return from;
}

/* Did a run make something of its own? One that did not may have handed on what it read; so may one
 * of several nodes, of which one makes something and another works in place. */
static gboolean
made_something (const Uses *uses, const SluiceMemoryRun *run)
{
  const GArray *made = g_hash_table_lookup (uses->made, GUINT_TO_POINTER (run->node));
  guint from = 0, to = made != NULL ? made->len : 0;
  while (from < to)
    {
      guint middle = from + (to - from) / 2;
      if (g_array_index (made, gint64, middle) < run->start)
        from = middle + 1;
      else
        to = middle;
    }
  return made != NULL && from < made->len && g_array_index (made, gint64, from) <= run->end;
}

/* What such an op reads may stay where the edges do not tell: in what outlives it, or in a list. */
static gboolean
stores (const SluiceMemoryView *view, guint32 number)
{
  const guint other = SLUICE_OP_ONLY_READS | SLUICE_OP_OPTIMIZER | SLUICE_OP_TAKES_STEP;
  const SluiceMemoryNode *node = sluice_memory_tape_get_node (view->tape, number);
  const SluiceOp *op = node != NULL ? sluice_registry_find (node->op) : NULL;
  if (op == NULL)
    return FALSE;
  for (guint i = 0; i < op->n_outputs; i++)
    if (op->outputs[i].type == SLUICE_VARIANT)
      return TRUE;
  return (op->def->flags & SLUICE_OP_STATEFUL) && !(op->def->flags & other);
}

/* Those runs of a node that began while the band lived. Returns: when the first of them began that
 * may have handed it on; G_MAXINT64: none */
static gint64
add_readings (Uses *uses, const SluiceMemoryBand *band, guint32 node, gint64 since)
{
  const GArray *runs = g_hash_table_lookup (uses->runs, GUINT_TO_POINTER (node));
  gint64 handed = G_MAXINT64;
  guint from = 0, to = runs != NULL ? runs->len : 0;
  while (from < to)
    {
      guint middle = from + (to - from) / 2;
      guint run = g_array_index (runs, guint, middle);
      if (sluice_memory_view_get_run (uses->view, run)->start < since)
        from = middle + 1;
      else
        to = middle;
    }
  for (; runs != NULL && from < runs->len; from++)
    {
      guint number = g_array_index (runs, guint, from);
      const SluiceMemoryRun *run = sluice_memory_view_get_run (uses->view, number);
      if (run->start > band->freed)
        break;
      g_array_append_val (uses->view->readings, number);
      if (handed == G_MAXINT64 && (run->is_together || !made_something (uses, run)))
        handed = run->start;
    }
  return handed;
}

/* Whoever reads it, and where that one made nothing of its own, whoever reads that. Returns: it is
 * kept for more than these: fetched, or stored */
static gboolean
find_readings (Uses *uses, const SluiceMemoryBand *band)
{
  const GArray *reads = uses->view->tape->reads;
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (Handed));
  gboolean is_kept = FALSE;
  Handed handed = { band->owner.node, band->made };
  g_array_append_val (open, handed);
  for (guint i = 0; i < open->len; i++)
    {
      handed = g_array_index (open, Handed, i);
      for (guint k = find_reads (reads, handed.node);
           k < reads->len && g_array_index (reads, SluiceRead, k).from == handed.node; k++)
        {
          guint32 to = g_array_index (reads, SluiceRead, k).to;
          if (!g_hash_table_add (seen, GUINT_TO_POINTER (to)))
            continue;
          is_kept |= to == 0 || stores (uses->view, to);
          Handed next = { to, to != 0 ? add_readings (uses, band, to, handed.since) : G_MAXINT64 };
          if (next.since < G_MAXINT64)
            g_array_append_val (open, next);
        }
    }
  return is_kept;
}

static int
compare_numbers (gconstpointer a, gconstpointer b)
{
  guint x = *(const guint *) a, y = *(const guint *) b;
  return x < y ? -1 : x > y;
}

/* The runs of a time, from the newest back. Returns: the one of the node that was under way;
 * node 0: of any, else the one that had ended last; SLUICE_BAND_NONE: none */
static guint
find_under_way (const SluiceMemoryView *view, gint64 time, guint32 node)
{
  const GArray *runs = view->tape->runs;
  guint from = 0, to = runs->len;
  while (from < to)
    {
      guint middle = from + (to - from) / 2;
      if (sluice_memory_view_get_run (view, middle)->start <= time)
        from = middle + 1;
      else
        to = middle;
    }
  guint ended = SLUICE_BAND_NONE;
  for (guint back = 0; back < N_BACK && from-- > 0; back++)
    {
      const SluiceMemoryRun *run = sluice_memory_view_get_run (view, from);
      if (node != 0 && run->node != node)
        continue;
      if (run->end >= time && !run->is_wait)
        return from;
      if (node == 0
          && (ended == SLUICE_BAND_NONE
              || run->end > sluice_memory_view_get_run (view, ended)->end))
        ended = from;
    }
  return ended;
}

/* With it ends what it freed: the last reader where that was under way or had just ended. */
static void
find_freer (const SluiceMemoryView *view, SluiceMemoryBand *band, guint maker)
{
  const guint *readings = (const guint *) view->readings->data + band->first_reading;
  guint last = maker;
  for (guint i = 0; i < band->n_readings; i++)
    if (last == SLUICE_BAND_NONE
        || sluice_memory_view_get_run (view, readings[i])->end
               >= sluice_memory_view_get_run (view, last)->end)
      last = readings[i];
  gint64 idle = band->freed - band->used;
  gboolean is_late = last != SLUICE_BAND_NONE && idle > view->end / LATE_SHARE;
  if (band->stays)
    return;
  band->waste = is_late ? idle : 0;
  band->freer = is_late || last == SLUICE_BAND_NONE ? find_under_way (view, band->freed, 0) : last;
}

static void
find_uses (Uses *uses, SluiceMemoryBand *band)
{
  SluiceMemoryView *view = uses->view;
  band->first_reading = view->readings->len;
  band->used = band->made;
  if (band->owner.node == 0)
    return;
  gboolean is_kept = find_readings (uses, band);
  band->n_readings = view->readings->len - band->first_reading;
  guint *readings = (guint *) view->readings->data + band->first_reading;
  if (band->n_readings > 1)
    qsort (readings, band->n_readings, sizeof *readings, compare_numbers);
  guint maker =
      band->was_before ? SLUICE_BAND_NONE : find_under_way (view, band->made, band->owner.node);
  if (maker != SLUICE_BAND_NONE)
    band->used = MAX (band->used, sluice_memory_view_get_run (view, maker)->end);
  band->ready = band->was_before ? 0 : band->used;
  for (guint i = 0; i < band->n_readings; i++)
    band->used = MAX (band->used, sluice_memory_view_get_run (view, readings[i])->end);
  band->used = is_kept ? band->freed : MIN (band->used, band->freed);
  find_freer (view, band, maker);
}

static void
add_made (Uses *uses, const SluiceMemoryBand *band)
{
  GArray *made = g_hash_table_lookup (uses->made, GUINT_TO_POINTER (band->owner.node));
  if (band->was_before)
    return;
  if (made == NULL)
    {
      made = g_array_new (FALSE, FALSE, sizeof (gint64));
      g_hash_table_insert (uses->made, GUINT_TO_POINTER (band->owner.node), made);
    }
  g_array_append_val (made, band->made);
}

void
sluice_memory_view_find_uses (SluiceMemoryView *self)
{
  Uses uses = { self, g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref),
                g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref) };
  for (guint i = 0; i < self->bands->len; i++)
    add_made (&uses, sluice_memory_view_band_at (self, i));
  for (guint i = 0; i < self->tape->runs->len; i++)
    add_run (&uses, i);
  for (guint i = 0; i < self->bands->len; i++)
    find_uses (&uses, sluice_memory_view_band_at (self, i));
  g_hash_table_unref (uses.made);
  g_hash_table_unref (uses.runs);
}

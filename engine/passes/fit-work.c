/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/passes/again.h"
#include "engine/passes/fit-private.h"
#include "engine/passes/values.h"

#define NONE G_MAXUINT

/* ---- in the user's names ---- */

char *
sluice_fit_study_dup_name (const SluiceFitStudy *self, guint output)
{
  int port;
  guint v = self->w->outputs[output].node;
  const SluiceNode *origin = sluice_work_get_output_origin (
      self->nodes->pdata[v], output - self->w->nodes[v].first_output, &port);
  return g_strdup_printf ("%s:%d", origin->name, MAX (port, 0));
}

static void
clear_line (gpointer line)
{
  g_free (((SluiceFitLine *) line)->name);
  g_free (((SluiceFitLine *) line)->reader);
}

/* Who is the first behind the gap of a decision? */
static const SluiceWorkNode *
find_reader (const SluiceFitStudy *self, const SluiceFit *fit, const SluiceFitDecision *decision)
{
  guint n = 0;
  for (guint s = 0; s < fit->steps->len; s++)
    {
      const SluiceFitStep *step = &g_array_index (fit->steps, SluiceFitStep, s);
      if (step->is_again || step->back != NONE)
        continue;
      if (n++ == decision->position)
        return self->nodes->pdata[step->node];
    }
  return self->nodes->pdata[self->w->outputs[decision->output].node];
}

SluiceFitReport *
sluice_fit_study_report (const SluiceFitStudy *self, const SluiceFit *fit, const double *limits)
{
  SluiceFitReport *report = g_new0 (SluiceFitReport, 1);
  gsize bytes = fit->n_devices * sizeof (double);
  report->fits = fit->fits;
  report->n_devices = fit->n_devices;
  report->natural_us = fit->natural_us;
  report->us = fit->us;
  report->n_tried = fit->n_tried;
  report->limits = g_memdup2 (limits, bytes);
  report->natural_bytes = g_memdup2 (fit->natural_bytes, bytes);
  report->bytes = g_memdup2 (fit->bytes, bytes);
  report->held_bytes = g_memdup2 (self->held, bytes);
  report->lines = g_array_new (FALSE, TRUE, sizeof (SluiceFitLine));
  g_array_set_clear_func (report->lines, clear_line);
  for (guint i = 0; i < fit->decisions->len; i++)
    {
      const SluiceFitDecision *one = &g_array_index (fit->decisions, SluiceFitDecision, i);
      const SluiceFitLine line = { .kind = one->kind,
                                   .name = sluice_fit_study_dup_name (self, one->output),
                                   .reader = g_strdup (find_reader (self, fit, one)->origin->name),
                                   .device = self->devices[self->w->outputs[one->output].node],
                                   .n_again = one->n_again,
                                   .value_bytes = self->w->outputs[one->output].bytes,
                                   .bytes = one->bytes,
                                   .us = one->us };
      g_array_append_val (report->lines, line);
    }
  return report;
}

void
sluice_fit_report_free (SluiceFitReport *self)
{
  g_free (self->limits);
  g_free (self->natural_bytes);
  g_free (self->bytes);
  g_free (self->held_bytes);
  g_array_unref (self->lines);
  g_free (self);
}

/* ---- the work graph ---- */

typedef struct
{
  SluiceFitStudy *study;
  const SluiceFit *fit;
  SluiceWorkNode **made; /* by step */
  GHashTable *last;      /* device and branch -> the node that the next one waits for */
} Apply;

static const SluiceFitStep *
get_step (const Apply *self, guint s)
{
  return &g_array_index (self->fit->steps, SluiceFitStep, s);
}

/* What comes back is in the buffer that it was in: the device sees to it. */
static SluiceWorkNode *
find_made (const Apply *self, guint s)
{
  while (get_step (self, s)->back != NONE)
    s = g_array_index (self->fit->makers, guint, get_step (self, s)->first_maker);
  return self->made[s];
}

static void
redirect (Apply *self, guint s)
{
  const SluiceFitStudy *study = self->study;
  const SluiceFitStep *step = get_step (self, s);
  const SluiceWorkloadNode *told = &study->w->nodes[step->node];
  SluiceWorkNode *node = self->made[s];
  for (guint i = 0; i < told->n_reads; i++)
    {
      guint output = study->w->reads[told->first_read + i], maker = study->w->outputs[output].node;
      int port = (int) (output - study->w->nodes[maker].first_output);
      SluiceWorkNode *from = study->nodes->pdata[maker];
      SluiceWorkNode *to =
          find_made (self, g_array_index (self->fit->makers, guint, step->first_maker + i));
      if (from != to)
        sluice_work_replace_input (node, (SluiceWorkEdge){ from, port },
                                   (SluiceWorkEdge){ to, port });
    }
}

static gboolean
reads_of (const SluiceWorkNode *node, const SluiceWorkNode *before)
{
  for (guint i = 0; i < node->n_inputs; i++)
    if (node->inputs[i].node == before)
      return TRUE;
  return FALSE;
}

/* Each waits for the one before it on its device that waits for the same branches and queues: two
 * that do not could never end. */
static void
keep_order (Apply *self, guint s)
{
  SluiceWorkNode *node = self->made[s];
  guint branch = get_step (self, s)->branch;
  gpointer key = GUINT_TO_POINTER (branch * SLUICE_MAX_DEVICES + node->device + 1);
  SluiceWorkNode *before = g_hash_table_lookup (self->last, key);
  if (!sluice_fit_study_is_awaited (self->study, node))
    return;
  if (before != NULL && sluice_fit_study_waits (self->study, node) && !reads_of (node, before))
    sluice_work_add_control (self->study->work, node, before);
  if (before == NULL || sluice_fit_study_waits (self->study, node))
    g_hash_table_insert (self->last, key, node);
}

void
sluice_fit_study_apply (SluiceFitStudy *self, const SluiceFit *fit)
{
  SluiceWork *work = self->work;
  g_autofree SluiceWorkNode **made = g_new0 (SluiceWorkNode *, fit->steps->len + 1);
  g_autoptr (GHashTable) last = g_hash_table_new (NULL, NULL);
  Apply apply = { self, fit, made, last };
  GPtrArray *order = g_ptr_array_new ();
  for (guint s = 0; s < fit->steps->len; s++)
    {
      const SluiceFitStep *step = get_step (&apply, s);
      SluiceWorkNode *node = self->nodes->pdata[step->node];
      if (step->back != NONE)
        continue;
      made[s] = step->is_again ? sluice_work_add_again (work, node) : node;
      g_ptr_array_add (order, made[s]);
    }
  for (guint s = 0; s < fit->steps->len; s++)
    if (made[s] != NULL)
      redirect (&apply, s);
  for (guint s = 0; s < fit->steps->len; s++)
    if (made[s] != NULL)
      keep_order (&apply, s);
  g_ptr_array_unref (work->schedule);
  work->schedule = order;
  sluice_work_touch (work);
}

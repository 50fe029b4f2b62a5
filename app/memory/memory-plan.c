/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "app/memory/memory-plan.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "engine/passes/graph-workload.h"
#include "ui/timeline/memory-draw.h"

/* What holds, or gains, less of the peak than this part of it is not worth a word. */
#define SMALL_PART 0.002

struct _SluiceMemoryPlan
{
  SluiceTrainer *trainer;
  SluiceFitStudy *study;
  GArray *choices; /* of SluiceMemoryChoice */
  double *bytes;   /* scratch, by device */
  guint device;    /* that is looked at */
  double natural_bytes, natural_us, measured_bytes;
};

static guint
find_device (SluiceTrainer *trainer, const char *name)
{
  SluiceSession *session = sluice_trainer_get_session (trainer);
  for (guint i = 0; i < sluice_session_get_n_devices (session); i++)
    {
      const SluiceDevice *device = sluice_session_get_device (session, i);
      if (g_str_equal (device->short_name, name) || g_str_equal (device->name, name))
        return i;
    }
  return 0;
}

static double
try_some (SluiceMemoryPlan *self, const SluiceFitDecision *decisions, guint n, double *bytes)
{
  double us = sluice_fitter_try (sluice_fit_study_get_fitter (self->study), decisions, n, NULL,
                                 self->bytes, NULL, NULL);
  *bytes = self->bytes[self->device];
  return us;
}

/* "relu:0" is held by relu. */
static char *
dup_node (const char *name)
{
  return g_strndup (name, strcspn (name, ":"));
}

static SluiceMemoryChoice *
find (const SluiceMemoryPlan *self, const char *node)
{
  for (guint i = 0; i < self->choices->len; i++)
    {
      SluiceMemoryChoice *choice = &g_array_index (self->choices, SluiceMemoryChoice, i);
      if (g_strcmp0 (choice->node, node) == 0)
        return choice;
    }
  return NULL;
}

/* Of several for one holder stays the one that gains most for its time. */
static void
consider (SluiceMemoryPlan *self, const SluiceFitDecision *decision)
{
  double bytes, us = try_some (self, decision, 1, &bytes);
  double gain = self->natural_bytes - bytes, cost = MAX (us - self->natural_us, 0);
  if (!isfinite (us) || gain <= SMALL_PART * self->natural_bytes)
    return;
  g_autofree char *name = sluice_fit_study_dup_name (self->study, decision->output);
  g_autofree char *node = dup_node (name);
  SluiceMemoryChoice *there = find (self, node);
  double tiny = 1e-3 * self->natural_us + 1e-9;
  if (there != NULL && there->bytes / (there->us + tiny) >= gain / (cost + tiny))
    return;
  if (there == NULL)
    {
      const SluiceMemoryChoice fresh = { .node = g_steal_pointer (&node),
                                         .name = g_steal_pointer (&name) };
      g_array_append_val (self->choices, fresh);
      there = &g_array_index (self->choices, SluiceMemoryChoice, self->choices->len - 1);
    }
  there->decision = *decision;
  there->bytes = gain;
  there->us = cost;
}

static void
clear_choice (gpointer choice)
{
  g_free (((SluiceMemoryChoice *) choice)->node);
  g_free (((SluiceMemoryChoice *) choice)->name);
}

SluiceMemoryPlan *
sluice_memory_plan_new (SluiceTrainer *trainer, const SluiceMemoryView *view)
{
  SluiceFitStudy *study = sluice_trainer_study_fit (trainer, NULL);
  if (study == NULL)
    return NULL;
  SluiceMemoryPlan *self = g_new0 (SluiceMemoryPlan, 1);
  self->trainer = g_object_ref (trainer);
  self->study = study;
  self->choices = g_array_new (FALSE, TRUE, sizeof (SluiceMemoryChoice));
  g_array_set_clear_func (self->choices, clear_choice);
  self->bytes = g_new0 (double, sluice_fit_study_get_n_devices (study) + 1);
  self->device = MIN (find_device (trainer, sluice_memory_view_get_tape (view)->device),
                      sluice_fit_study_get_n_devices (study) - 1);
  self->natural_us = try_some (self, NULL, 0, &self->natural_bytes);
  self->measured_bytes =
      (double) sluice_memory_view_get_live (view, sluice_memory_view_get_peak (view));
  g_autoptr (GArray) candidates =
      sluice_fitter_dup_candidates (sluice_fit_study_get_fitter (study));
  for (guint i = 0; i < candidates->len; i++)
    {
      const SluiceFitDecision *one = &g_array_index (candidates, SluiceFitDecision, i);
      if (sluice_fit_study_get_bytes (study, one->output) > SMALL_PART * self->natural_bytes)
        consider (self, one);
    }
  return self;
}

void
sluice_memory_plan_free (SluiceMemoryPlan *self)
{
  sluice_fit_study_free (self->study);
  g_object_unref (self->trainer);
  g_array_unref (self->choices);
  g_free (self->bytes);
  g_free (self);
}

/* limits: of the same bytes each. (transfer full) (nullable) */
static char *
dup_rescue (const SluiceFit *fit, gsize limit)
{
  guint n = fit->decisions->len;
  double least = 0;
  for (guint d = 0; d < fit->n_devices; d++)
    least = MAX (least, fit->least_bytes[d]);
  g_autofree char *least_text = sluice_memory_format_bytes (least);
  g_autofree char *time = sluice_graph_workload_dup_time (fit->us - fit->natural_us);
  if (!fit->fits)
    return g_strdup_printf (_ ("Nothing that is computed again would have made it fit: a step "
                               "holds %s at the least."),
                            least_text);
  return n > 0 ? g_strdup_printf (
             ngettext (
                 "%u value that is not kept meanwhile would have, for %s a step: train.fit=%zu.",
                 "%u values that are not kept meanwhile would have, for %s a step: "
                 "train.fit=%zu.",
                 n),
             n, time, limit)
               : NULL;
}

char *
sluice_memory_plan_dup_rescue (SluiceTrainer *trainer, gsize limit)
{
  g_autoptr (SluiceFitStudy) study = sluice_trainer_study_fit (trainer, NULL);
  if (study == NULL)
    return NULL;
  guint n = sluice_fit_study_get_n_devices (study);
  g_autofree double *limits = g_new0 (double, n + 1);
  for (guint d = 0; d < n; d++)
    limits[d] = (double) limit;
  g_autoptr (SluiceFit) fit = sluice_fit_study_run (study, limits);
  return dup_rescue (fit, limit);
}

const SluiceMemoryChoice *
sluice_memory_plan_find (const SluiceMemoryPlan *self, const char *node)
{
  return node != NULL ? find (self, node) : NULL;
}

void
sluice_memory_plan_predict (SluiceMemoryPlan *self,
                            const SluiceMemoryChoice *const *choices,
                            guint n,
                            double *bytes,
                            double *us)
{
  g_autofree SluiceFitDecision *decisions = g_new (SluiceFitDecision, n + 1);
  for (guint i = 0; i < n; i++)
    decisions[i] = choices[i]->decision;
  *us = try_some (self, decisions, n, bytes);
  *bytes += (double) sluice_memory_plan_get_slack (self);
}

gint64
sluice_memory_plan_get_slack (const SluiceMemoryPlan *self)
{
  return (gint64) (self->measured_bytes - self->natural_bytes);
}

double
sluice_memory_plan_get_natural_us (const SluiceMemoryPlan *self)
{
  return self->natural_us;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/passes/analysis.h"

#include "engine/passes/aliases.h"
#include "engine/passes/condition.h"
#include "engine/passes/frames.h"
#include "engine/passes/sort.h"

/* Each result, and the version of the work graph that it is of, plus one. */
struct _SluiceAnalysis
{
  guint64 order_of, uses_of, frames_of, branches_of, conditions_of, effects_of, aliases_of;
  GPtrArray *order;
  SluiceWorkNode *stuck;
  SluiceUses *uses;
  SluiceBranches *branches;
  guint32 *conditions;
  SluiceEffects effects;
  guint8 *aliases;
};

static SluiceAnalysis *
analysis_of (SluiceWork *work)
{
  if (!work->analysis)
    work->analysis = g_new0 (SluiceAnalysis, 1);
  return work->analysis;
}

/* Whether the result must be made; it counts as one of this version then. */
static gboolean
take_up (const SluiceWork *work, guint64 *of)
{
  if (*of == work->version + 1)
    return FALSE;
  *of = work->version + 1;
  return TRUE;
}

const GPtrArray *
sluice_analysis_get_order (SluiceWork *work, SluiceWorkNode **stuck)
{
  SluiceAnalysis *self = analysis_of (work);
  if (work->schedule)
    return work->schedule;
  if (take_up (work, &self->order_of))
    {
      g_clear_pointer (&self->order, g_ptr_array_unref);
      self->order = sluice_work_sort (work, &self->stuck);
    }
  if (!self->order && stuck)
    *stuck = self->stuck;
  return self->order;
}

SluiceUses *
sluice_analysis_get_uses (SluiceWork *work)
{
  SluiceAnalysis *self = analysis_of (work);
  if (take_up (work, &self->uses_of))
    {
      sluice_uses_free (self->uses);
      self->uses = sluice_uses_new (work);
    }
  return self->uses;
}

gboolean
sluice_analysis_find_frames (SluiceWork *work, GError **error)
{
  SluiceAnalysis *self = analysis_of (work);
  SluiceWorkNode *stuck;
  if (work->facts & SLUICE_FACT_FRAMED || !take_up (work, &self->frames_of))
    return TRUE;
  const GPtrArray *order = sluice_analysis_get_order (work, &stuck);
  if (order ? sluice_find_frames (work, order, error) : sluice_work_fail_cycle (stuck, error))
    return TRUE;
  self->frames_of = 0;
  return FALSE;
}

const SluiceBranches *
sluice_analysis_get_branches (SluiceWork *work)
{
  SluiceAnalysis *self = analysis_of (work);
  if (take_up (work, &self->branches_of))
    {
      sluice_branches_free (self->branches);
      self->branches = sluice_branches_new (work, sluice_analysis_get_order (work, NULL));
    }
  return self->branches;
}

const guint32 *
sluice_analysis_get_conditions (SluiceWork *work)
{
  SluiceAnalysis *self = analysis_of (work);
  if (take_up (work, &self->conditions_of))
    {
      g_free (self->conditions);
      self->conditions = sluice_find_conditions (work, sluice_analysis_get_order (work, NULL));
    }
  return self->conditions;
}

const SluiceEffects *
sluice_analysis_get_effects (SluiceWork *work)
{
  SluiceAnalysis *self = analysis_of (work);
  if (take_up (work, &self->effects_of))
    {
      sluice_effects_clear (&self->effects);
      sluice_effects_find (&self->effects, work, sluice_analysis_get_order (work, NULL));
    }
  return &self->effects;
}

const guint8 *
sluice_analysis_get_aliases (SluiceWork *work)
{
  SluiceAnalysis *self = analysis_of (work);
  if (take_up (work, &self->aliases_of))
    {
      g_free (self->aliases);
      self->aliases = sluice_find_aliases (work, sluice_analysis_get_order (work, NULL));
    }
  return self->aliases;
}

void
sluice_analysis_free (SluiceAnalysis *self)
{
  if (!self)
    return;
  g_clear_pointer (&self->order, g_ptr_array_unref);
  sluice_uses_free (self->uses);
  sluice_branches_free (self->branches);
  g_free (self->conditions);
  sluice_effects_clear (&self->effects);
  g_free (self->aliases);
  g_free (self);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/sweep.h"

#include <string.h>

#include "engine/base/error.h"
#include "engine/train/random-stream.h"

/* Of the i-th of all combinations; the last setting changes first. (transfer full) */
static char **
dup_combination (GPtrArray *axes, guint64 i)
{
  char **trial = g_new0 (char *, axes->len + 1);
  for (guint k = axes->len; k-- > 0;)
    {
      const SluiceSweepAxis *axis = axes->pdata[k];
      guint64 n = sluice_sweep_axis_count (axis);
      g_autofree char *value = sluice_sweep_axis_dup_value (axis, i % n);
      trial[k] = g_strdup_printf ("%s=%s", axis->key, value);
      i /= n;
    }
  return trial;
}

/* How many combinations; more than can be counted are G_MAXUINT64. FALSE: a setting has no grid. */
static gboolean
count_grid (GPtrArray *axes, guint64 *n, GError **error)
{
  *n = 1;
  for (guint k = 0; k < axes->len; k++)
    {
      const SluiceSweepAxis *axis = axes->pdata[k];
      guint64 one = sluice_sweep_axis_count (axis);
      if (one == 0)
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "%s: a grid wants the number of points, as %s=%g..%g/5; or draw values "
                            "with --method random",
                            axis->key, axis->key, axis->low, axis->high);
      if (!g_uint64_checked_mul (n, *n, one))
        *n = G_MAXUINT64;
    }
  return TRUE;
}

static void
add_all (GPtrArray *axes, guint64 n, GPtrArray *trials)
{
  for (guint64 i = 0; i < n; i++)
    g_ptr_array_add (trials, dup_combination (axes, i));
}

/* Different ones, in the order in which they were drawn. */
static void
add_by_lot (GPtrArray *axes, guint64 n, const SluiceSweepPlan *plan, GPtrArray *trials)
{
  guint64 stream = plan->seed;
  g_autoptr (GHashTable) drawn = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  while (trials->len < plan->n_trials)
    {
      guint64 i = sluice_random_stream_below (&stream, n);
      if (g_hash_table_add (drawn, g_memdup2 (&i, sizeof i)))
        g_ptr_array_add (trials, dup_combination (axes, i));
    }
}

static gboolean
plan_grid (GPtrArray *axes, const SluiceSweepPlan *plan, GPtrArray *trials, GError **error)
{
  guint64 n;
  if (!count_grid (axes, &n, error))
    return FALSE;
  if (plan->n_trials == 0 && n > SLUICE_SWEEP_MAX_TRIALS)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "the grid has %s%" G_GUINT64_FORMAT
                        " combinations, more than %d; give fewer values, or --trials N for so many "
                        "of them by lot",
                        n == G_MAXUINT64 ? "at least " : "", n, SLUICE_SWEEP_MAX_TRIALS);
  if (plan->n_trials == 0 || plan->n_trials >= n)
    add_all (axes, n, trials);
  else
    add_by_lot (axes, n, plan, trials);
  return TRUE;
}

/* Each trial has a stream of its own: with more trials the first ones stay what they were. */
static gboolean
plan_random (GPtrArray *axes, const SluiceSweepPlan *plan, GPtrArray *trials, GError **error)
{
  if (plan->n_trials == 0)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "values are drawn by lot; say how often with --trials N");
  for (guint i = 0; i < plan->n_trials; i++)
    {
      guint64 stream = plan->seed;
      stream = sluice_random_stream_next (&stream) ^ i;
      char **trial = g_new0 (char *, axes->len + 1);
      for (guint k = 0; k < axes->len; k++)
        {
          const SluiceSweepAxis *axis = axes->pdata[k];
          g_autofree char *value = sluice_sweep_axis_draw (axis, &stream);
          trial[k] = g_strdup_printf ("%s=%s", axis->key, value);
        }
      g_ptr_array_add (trials, trial);
    }
  return TRUE;
}

static gboolean
check_axes (GPtrArray *axes, GError **error)
{
  if (axes->len == 0)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "a sweep wants KEY=VALUES, as learning-rate=0.1,0.01");
  for (guint i = 0; i < axes->len; i++)
    for (guint k = 0; k < i; k++)
      {
        const SluiceSweepAxis *one = axes->pdata[i], *other = axes->pdata[k];
        if (strcmp (one->key, other->key) == 0)
          return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                              "'%s' is given twice; put all its values behind one", one->key);
      }
  return TRUE;
}

GPtrArray *
sluice_sweep_dup_trials (GPtrArray *axes, const SluiceSweepPlan *plan, GError **error)
{
  g_autoptr (GPtrArray) trials = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev);
  gboolean ok = check_axes (axes, error)
                && (plan->method == SLUICE_SWEEP_GRID ? plan_grid (axes, plan, trials, error)
                                                      : plan_random (axes, plan, trials, error));
  return ok ? g_steal_pointer (&trials) : NULL;
}

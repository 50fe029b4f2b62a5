/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/random/variable.h"

#include "engine/base/lock.h"
#include "kernels/state/access.h"

/* As TensorFlow counts: where the upper half of n is all ones and the lower carries, the carry is
 * lost. A skip by a negative number comes here. */
static void
skip (SluicePhilox *philox, guint64 n)
{
  guint32 low = (guint32) n, high = (guint32) (n >> 32);
  philox->counter[0] += low;
  if (philox->counter[0] < low)
    high++;
  philox->counter[1] += high;
  if (philox->counter[1] < high && ++philox->counter[2] == 0)
    philox->counter[3]++;
}

/* The variable's lock is held. */
static gboolean
move_on (SluiceKernelCall *call,
         const SluiceRandomVariable *wanted,
         SluiceVariable *variable,
         SluicePhilox *start)
{
  gint64 algorithm = wanted->algorithm, n_before = wanted->has_algorithm ? 1 : 0;
  gint64 n_least = n_before + SLUICE_RANDOM_COUNTER_SIZE + SLUICE_RANDOM_KEY_SIZE;
  SluiceTensor *state = sluice_call_writable (call, 0, variable);
  char s[SLUICE_SHAPE_STR];
  if (state == NULL)
    return FALSE;
  if (state->dtype != SLUICE_INT64 || state->shape.rank != 1)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "variable '%s' must be a vector of int64 to be a generator, not %s %s",
                             variable->name, sluice_dtype_name (state->dtype),
                             sluice_shape_str (&state->shape, s));
  guint64 *words = (guint64 *) state->data + n_before;
  if (wanted->has_algorithm && state->n_elements > 0)
    algorithm = *(const gint64 *) state->data;
  if (algorithm == SLUICE_ALGORITHM_AUTO && wanted->knows_all)
    algorithm = SLUICE_ALGORITHM_PHILOX;
  if (algorithm == SLUICE_ALGORITHM_THREEFRY && wanted->knows_all)
    return sluice_call_fail (call, SLUICE_ERROR_UNIMPLEMENTED,
                             "a CPU does not draw random numbers by ThreeFry (2); use Philox (1)");
  if (!sluice_call_want_philox (call, algorithm))
    return FALSE;
  if (state->n_elements < n_least)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "variable '%s' has %" G_GINT64_FORMAT
                             " elements; a generator needs %" G_GINT64_FORMAT,
                             variable->name, state->n_elements, n_least);
  *start = sluice_philox_read (words, words + SLUICE_RANDOM_COUNTER_SIZE);
  SluicePhilox moved = *start;
  skip (&moved, wanted->n_groups);
  sluice_philox_write (&moved, words, words + SLUICE_RANDOM_COUNTER_SIZE);
  return TRUE;
}

gboolean
sluice_call_random_variable (SluiceKernelCall *call,
                             const SluiceRandomVariable *wanted,
                             SluicePhilox *start)
{
  SluiceVariable *variable = sluice_call_variable (call, 0);
  if (variable == NULL)
    return FALSE;
  sluice_lock (&variable->lock, SLUICE_LOCK_VARIABLE);
  gboolean ok = move_on (call, wanted, variable, start);
  pthread_mutex_unlock (&variable->lock);
  return ok;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/random/generator.h"

guint64
sluice_random_name_hash (const char *name)
{
  guint64 hash = 14695981039346656037u; /* FNV-1a, 64 bits */
  for (const char *c = name; *c; c++)
    hash = (hash ^ (guint8) *c) * 1099511628211u;
  return hash;
}

void
sluice_random_node_init (SluiceRandomNode *self, const SluiceNode *node)
{
  guint64 seed = (guint64) sluice_node_get_int (node, "seed");
  guint64 seed2 = (guint64) sluice_node_get_int (node, "seed2");
  self->seeded = seed != 0 || seed2 != 0;
  self->start = sluice_philox_seeded (seed, seed2);
  self->name_hash = sluice_random_name_hash (node->name);
}

gpointer
sluice_random_prepare (const SluiceNode *node, GError **error)
{
  SluiceRandomNode *self = g_new0 (SluiceRandomNode, 1);
  sluice_random_node_init (self, node);
  return self;
}

gpointer
sluice_random_seedless_prepare (const SluiceNode *node, GError **error)
{
  SluiceRandomNode *self = g_new0 (SluiceRandomNode, 1);
  self->name_hash = sluice_random_name_hash (node->name);
  return self;
}

SluicePhilox
sluice_random_node_start (const SluiceRandomNode *self, guint64 run_seed)
{
  return self->seeded ? self->start
                      : sluice_philox_seeded (run_seed ^ self->name_hash, self->name_hash);
}

gboolean
sluice_call_reserve_random (SluiceKernelCall *call, guint64 n_groups, SluicePhilox *start)
{
  const SluiceRandomNode *node = call->state;
  SluicePhilox first = sluice_random_node_start (node, call->run_seed);
  SluiceRandomState *random =
      sluice_random_state_get (call->resources, call->node->name, &first, &call->error);
  if (random == NULL)
    return FALSE;
  *start = sluice_random_state_reserve (random, n_groups);
  sluice_resource_unref (&random->parent);
  return TRUE;
}

gboolean
sluice_call_stateless_random (SluiceKernelCall *call, guint i, SluicePhilox *start)
{
  const SluiceTensor *seeds = sluice_call_input (call, i);
  if (seeds->shape.rank != 1 || seeds->n_elements != 2)
    {
      char s[SLUICE_SHAPE_STR];
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "input %u (seed) must have shape [2], not %s", i,
                               sluice_shape_str (&seeds->shape, s));
    }
  if (!sluice_dtype_in (seeds->dtype, SLUICE_SET_INDEX))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "input %u (seed) must be int32 or int64, not %s", i,
                             sluice_dtype_name (seeds->dtype));
  guint64 seed = (guint64) sluice_tensor_get_int (seeds, 0);
  guint64 seed2 = (guint64) sluice_tensor_get_int (seeds, 1);
  /* The seeds are scrambled by a Philox of a fixed key, so that any part of them may vary. */
  SluicePhilox scramble = {
    .key = { 0x3ec8f720, 0x02461e29 },
    .counter = { (guint32) seed, (guint32) (seed >> 32), (guint32) seed2, (guint32) (seed2 >> 32) },
  };
  guint32 words[4];
  sluice_philox_next (&scramble, words);
  *start = (SluicePhilox){ .key = { words[0], words[1] }, .counter = { 0, 0, words[2], words[3] } };
  return TRUE;
}

gboolean
sluice_call_want_philox (SluiceKernelCall *call, gint64 algorithm)
{
  if (algorithm == SLUICE_ALGORITHM_PHILOX)
    return TRUE;
  return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                           "a CPU has algorithm 1 (Philox) of random numbers, not %" G_GINT64_FORMAT
                           "%s",
                           algorithm, algorithm == SLUICE_ALGORITHM_THREEFRY ? " (ThreeFry)" : "");
}

gboolean
sluice_call_keyed_random (SluiceKernelCall *call, guint i, SluicePhilox *start, gint64 *algorithm)
{
  const SluiceTensor *key = sluice_call_input (call, i);
  const SluiceTensor *counter = sluice_call_input (call, i + 1);
  char s[SLUICE_SHAPE_STR];
  if (!sluice_call_want_scalar (call, i + 2))
    return FALSE;
  *algorithm = *(const gint32 *) sluice_call_input (call, i + 2)->data;
  if (*algorithm == SLUICE_ALGORITHM_AUTO)
    *algorithm = SLUICE_ALGORITHM_PHILOX;
  if (key->shape.rank != 1 || key->n_elements != SLUICE_RANDOM_KEY_SIZE)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "input %u (key) must have shape [1], not %s", i,
                             sluice_shape_str (&key->shape, s));
  if (counter->shape.rank != 1 || counter->n_elements < SLUICE_RANDOM_COUNTER_SIZE)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "input %u (counter) must be a vector of %d or more, not of shape %s",
                             i + 1, SLUICE_RANDOM_COUNTER_SIZE,
                             sluice_shape_str (&counter->shape, s));
  *start = sluice_philox_read (counter->data, key->data);
  return TRUE;
}

SluicePhilox
sluice_philox_read (const guint64 *counter, const guint64 *key)
{
  return (SluicePhilox){
    .key = { (guint32) key[0], (guint32) (key[0] >> 32) },
    .counter = { (guint32) counter[0], (guint32) (counter[0] >> 32), (guint32) counter[1],
                 (guint32) (counter[1] >> 32) },
  };
}

void
sluice_philox_write (const SluicePhilox *self, guint64 *counter, guint64 *key)
{
  key[0] = self->key[0] | (guint64) self->key[1] << 32;
  counter[0] = self->counter[0] | (guint64) self->counter[1] << 32;
  counter[1] = self->counter[2] | (guint64) self->counter[3] << 32;
}

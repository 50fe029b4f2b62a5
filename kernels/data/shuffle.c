/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* A dataset in random order: the order of TensorFlow's generator for the same seeds. */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/graph/shape-context.h"
#include "kernels/data/dataset-pass.h"
#include "kernels/random/generator.h"

/* What TensorFlow calls a number of elements that is not known; a buffer of so many takes all. */
#define UNKNOWN_CARDINALITY (-2)

typedef struct
{
  SluiceDataset parent;
  gint64 buffer_size; /* negative: all elements */
  gboolean reshuffles;
  SluicePhilox start;
  pthread_mutex_t lock;
  SluiceWords seeds; /* under lock: two words begin each way through, where it reshuffles */
} Shuffle;

typedef struct
{
  SluiceCursor parent;
  SluiceCursor *input; /* NULL before the first element and when all are in the buffer */
  gboolean has_begun;
  SluiceWords random;
  /* A ring of buffer_size places, of which those from start to end are in use; it grows as they
   * are. */
  SluiceElementCache buffer;
  gint64 start, end;
} Shuffling;

static gint64
place (const Shuffling *self, gint64 i)
{
  gint64 size = ((const Shuffle *) self->parent.dataset)->buffer_size;
  return size < 0 ? i : i % size;
}

static void
begin (Shuffling *self)
{
  Shuffle *dataset = (Shuffle *) self->parent.dataset;
  SluicePhilox start = dataset->start;
  if (dataset->reshuffles)
    {
      pthread_mutex_lock (&dataset->lock);
      guint64 seed = sluice_words_next (&dataset->seeds);
      guint64 seed2 = sluice_words_next (&dataset->seeds);
      pthread_mutex_unlock (&dataset->lock);
      start = sluice_philox_seeded (seed, seed2);
    }
  self->random = sluice_words (&start);
  self->buffer.n = dataset->parent.n;
  self->input = sluice_cursor_new (self->parent.dataset->inputs[0], self->parent.pass);
  self->has_begun = TRUE;
}

/* END: the buffer is as full as it gets. */
static SluiceNext
fill (Shuffling *self, SluiceKernelCall *call, GError **error)
{
  gint64 size = ((const Shuffle *) self->parent.dataset)->buffer_size;
  gint64 most = size < 0 ? G_MAXINT64 : size;
  while (self->input != NULL && self->end - self->start < most)
    {
      gint64 at = place (self, self->end);
      if (!sluice_element_cache_reserve (&self->buffer, at + 1, most, error))
        return SLUICE_NEXT_FAILED;
      SluiceNext result = sluice_cursor_next (self->input, call,
                                              sluice_element_cache_at (&self->buffer, at), error);
      if (result == SLUICE_NEXT_ONE)
        self->end++;
      if (result == SLUICE_NEXT_FAILED || result == SLUICE_NEXT_LATER)
        return result;
      if (result == SLUICE_NEXT_END)
        g_clear_pointer (&self->input, sluice_cursor_free);
    }
  return SLUICE_NEXT_END;
}

static SluiceNext
shuffle_next (SluiceCursor *cursor, SluiceKernelCall *call, SluiceTensor **out, GError **error)
{
  Shuffling *self = (Shuffling *) cursor;
  if (!self->has_begun)
    begin (self);
  SluiceNext filled = fill (self, call, error);
  if (filled != SLUICE_NEXT_END)
    return filled;
  if (self->start == self->end)
    return SLUICE_NEXT_END;
  gint64 offset = sluice_words_next (&self->random) % (self->end - self->start);
  SluiceTensor **chosen =
      sluice_element_cache_at (&self->buffer, place (self, self->start + offset));
  SluiceTensor **first = sluice_element_cache_at (&self->buffer, place (self, self->start));
  gsize size = self->parent.dataset->n * sizeof *out;
  memcpy (out, chosen, size);
  memmove (chosen, first, size);
  self->start++;
  return SLUICE_NEXT_ONE;
}

static void
shuffling_end (SluiceCursor *cursor)
{
  Shuffling *self = (Shuffling *) cursor;
  g_clear_pointer (&self->input, sluice_cursor_free);
  sluice_dataset_pass_leave (cursor->pass, &self->buffer, self->start, self->end - self->start);
}

static void
shuffle_clear (SluiceDataset *self)
{
  pthread_mutex_destroy (&((Shuffle *) self)->lock);
}

static const SluiceDatasetClass shuffle_class = {
  .size = sizeof (Shuffle),
  .cursor_size = sizeof (Shuffling),
  .next = shuffle_next,
  .end = shuffling_end,
  .clear = shuffle_clear,
};

/* ---- the op ---- */

typedef struct
{
  gboolean reshuffles;
  guint64 name_hash;
} State;

static gpointer
prepare (const SluiceNode *node, GError **error)
{
  State *self = g_new (State, 1);
  self->reshuffles = sluice_node_get_bool (node, "reshuffle_each_iteration");
  self->name_hash = sluice_random_name_hash (node->name);
  return self;
}

static gboolean
shuffle_compute (SluiceKernelCall *call)
{
  const State *state = call->state;
  gint64 buffer_size, seed, seed2;
  if (!sluice_call_get_scalar (call, 1, &buffer_size) || !sluice_call_get_scalar (call, 2, &seed)
      || !sluice_call_get_scalar (call, 3, &seed2))
    return FALSE;
  if (buffer_size < 1 && buffer_size != UNKNOWN_CARDINALITY)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "input 1 (buffer_size) is %" G_GINT64_FORMAT
                             "; it must be 1 or more, or -2 for all elements",
                             buffer_size);
  Shuffle *self = (Shuffle *) sluice_dataset_new_over (&shuffle_class, call, 0, 1);
  if (self == NULL)
    return FALSE;
  if (seed == 0 && seed2 == 0)
    {
      seed = (gint64) (call->run_seed ^ state->name_hash);
      seed2 = (gint64) state->name_hash;
    }
  self->buffer_size = buffer_size;
  self->reshuffles = state->reshuffles;
  self->start = sluice_philox_seeded ((guint64) seed, (guint64) seed2);
  self->seeds = sluice_words (&self->start);
  pthread_mutex_init (&self->lock, NULL);
  return sluice_call_put_dataset (call, &self->parent);
}

static const SluiceRecipe recipe = {
  .why_none = N_ ("makes a dataset: tests/kernels/test-data goes through one")
};

SLUICE_DATASET_OP (shuffle_op,
                   "ShuffleDataset",
                   "input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64 -> "
                   "handle: variant",
                   "reshuffle_each_iteration: bool = true; " SLUICE_DATASET_TYPES,
                   0,
                   N_ ("A dataset in random order"));

static const SluiceOpDef *const ops[] = { &shuffle_op };

static const SluiceKernel kernels[] = {
  { .op = "ShuffleDataset",
    .device = "CPU",
    .prepare = prepare,
    .free_state = g_free,
    .compute = shuffle_compute },
};

const SluiceKernelModule sluice_module_data_shuffle = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};

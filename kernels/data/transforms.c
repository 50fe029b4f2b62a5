/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Datasets made of others: parts of them, several of them, or what somebody has seen of them. */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/graph/shape-context.h"
#include "kernels/data/dataset-pass.h"

/* A dataset with a number, and a cursor over its first input. */
typedef struct
{
  SluiceDataset parent;
  gint64 count;
} Counted;

typedef struct
{
  SluiceCursor parent;
  SluiceCursor *input;
  gint64 i;
  gboolean flag; /* this way through the input has given something */
} Counting;

static SluiceCursor *
get_input (Counting *self)
{
  if (self->input == NULL)
    self->input = sluice_cursor_new (self->parent.dataset->inputs[0], self->parent.pass);
  return self->input;
}

static void
counting_end (SluiceCursor *cursor)
{
  g_clear_pointer (&((Counting *) cursor)->input, sluice_cursor_free);
}

static gint64
get_count (const SluiceCursor *cursor)
{
  return ((const Counted *) cursor->dataset)->count;
}

/* ---- repeating, taking, skipping, handing on ---- */

static SluiceNext
repeat_next (SluiceCursor *cursor, SluiceKernelCall *call, SluiceTensor **out, GError **error)
{
  Counting *self = (Counting *) cursor;
  gint64 count = get_count (cursor);
  while (count < 0 || self->i < count)
    {
      SluiceNext result = sluice_cursor_next (get_input (self), call, out, error);
      self->flag = self->flag || result == SLUICE_NEXT_ONE;
      if (result != SLUICE_NEXT_END)
        return result;
      counting_end (cursor);
      self->i++;
      if (count < 0 && !self->flag) /* for ever nothing */
        return SLUICE_NEXT_END;
      self->flag = FALSE;
    }
  return SLUICE_NEXT_END;
}

static SluiceNext
take_next (SluiceCursor *cursor, SluiceKernelCall *call, SluiceTensor **out, GError **error)
{
  Counting *self = (Counting *) cursor;
  if (get_count (cursor) >= 0 && self->i >= get_count (cursor))
    return SLUICE_NEXT_END;
  SluiceNext result = sluice_cursor_next (get_input (self), call, out, error);
  if (result == SLUICE_NEXT_ONE)
    self->i++;
  return result;
}

static SluiceNext
skip_next (SluiceCursor *cursor, SluiceKernelCall *call, SluiceTensor **out, GError **error)
{
  Counting *self = (Counting *) cursor;
  if (get_count (cursor) < 0)
    return SLUICE_NEXT_END;
  for (; self->i < get_count (cursor); self->i++)
    {
      SluiceNext result = sluice_cursor_next (get_input (self), call, out, error);
      if (result != SLUICE_NEXT_ONE)
        return result;
      sluice_element_drop (out, cursor->dataset->n);
    }
  return sluice_cursor_next (get_input (self), call, out, error);
}

/* An element is made when it is asked for, also where a buffer was wanted: the order is the same.
 */
static SluiceNext
prefetch_next (SluiceCursor *cursor, SluiceKernelCall *call, SluiceTensor **out, GError **error)
{
  return sluice_cursor_next (get_input ((Counting *) cursor), call, out, error);
}

/* ---- several datasets ---- */

typedef struct
{
  SluiceCursor parent;
  SluiceCursor **inputs;  /* as many as the dataset has */
  guint i;                /* of the input whose turn it is */
  guint n;                /* components of those before it */
  SluiceTensor **element; /* zipped so far */
  GError *error;          /* of an input; the others go on, so that they stay side by side */
} Several;

static void
several_end (SluiceCursor *cursor)
{
  Several *self = (Several *) cursor;
  for (guint i = 0; self->inputs != NULL && i < cursor->dataset->n_inputs; i++)
    sluice_cursor_free (self->inputs[i]);
  g_free (self->inputs);
  if (self->element != NULL)
    sluice_element_drop (self->element, cursor->dataset->n);
  g_free (self->element);
  g_clear_error (&self->error);
}

static void
several_begin (Several *self)
{
  const SluiceDataset *dataset = self->parent.dataset;
  if (self->inputs != NULL)
    return;
  self->inputs = g_new (SluiceCursor *, dataset->n_inputs);
  for (guint i = 0; i < dataset->n_inputs; i++)
    self->inputs[i] = sluice_cursor_new (dataset->inputs[i], self->parent.pass);
}

static SluiceNext
zip_next (SluiceCursor *cursor, SluiceKernelCall *call, SluiceTensor **out, GError **error)
{
  Several *self = (Several *) cursor;
  const SluiceDataset *dataset = cursor->dataset;
  several_begin (self);
  if (self->element == NULL)
    self->element = g_new0 (SluiceTensor *, dataset->n);
  for (; self->i < dataset->n_inputs; self->i++)
    {
      SluiceNext result =
          sluice_cursor_next (self->inputs[self->i], call, self->element + self->n, error);
      gboolean has_failed = sluice_next_has_failed (result, error);
      if (has_failed && self->error == NULL)
        self->error = g_steal_pointer (error);
      else if (has_failed)
        g_clear_error (error);
      else if (result != SLUICE_NEXT_ONE)
        return result;
      self->n += dataset->inputs[self->i]->n;
    }
  if (self->error != NULL)
    {
      sluice_element_drop (self->element, dataset->n);
      self->i = self->n = 0;
      g_propagate_error (error, g_steal_pointer (&self->error));
      return SLUICE_NEXT_FAILED;
    }
  memcpy (out, self->element, dataset->n * sizeof *out);
  memset (self->element, 0, dataset->n * sizeof *out);
  self->i = self->n = 0;
  return SLUICE_NEXT_ONE;
}

static SluiceNext
concatenate_next (SluiceCursor *cursor, SluiceKernelCall *call, SluiceTensor **out, GError **error)
{
  Several *self = (Several *) cursor;
  several_begin (self);
  for (; self->i < cursor->dataset->n_inputs; self->i++)
    {
      SluiceNext result = sluice_cursor_next (self->inputs[self->i], call, out, error);
      if (result != SLUICE_NEXT_END)
        return result;
    }
  return SLUICE_NEXT_END;
}

/* ---- a cache ---- */

typedef struct
{
  SluiceDataset parent;
  pthread_mutex_t lock;
  /* Under lock; all of them, once somebody has been through. */
  SluiceElementCache elements;
  gint64 n;
  gboolean is_complete;
} Cache;

typedef struct
{
  SluiceCursor parent;
  SluiceCursor *input;
  SluiceElementCache seen; /* on the first way through, i of them */
  gint64 i;
} Caching;

static SluiceNext
cache_replay (Cache *cache, Caching *self, SluiceTensor **out)
{
  if (self->i == cache->n)
    return SLUICE_NEXT_END;
  SluiceTensor **element = sluice_element_cache_at (&cache->elements, self->i++);
  for (guint i = 0; i < cache->parent.n; i++)
    out[i] = sluice_tensor_ref (element[i]);
  return SLUICE_NEXT_ONE;
}

static SluiceNext
cache_next (SluiceCursor *cursor, SluiceKernelCall *call, SluiceTensor **out, GError **error)
{
  Caching *self = (Caching *) cursor;
  Cache *cache = (Cache *) cursor->dataset;
  pthread_mutex_lock (&cache->lock);
  gboolean replays = cache->is_complete && self->input == NULL;
  SluiceNext result = replays ? cache_replay (cache, self, out) : SLUICE_NEXT_ONE;
  pthread_mutex_unlock (&cache->lock);
  if (replays)
    return result;
  if (self->input == NULL)
    self->input = sluice_cursor_new (cursor->dataset->inputs[0], cursor->pass);
  self->seen.n = cursor->dataset->n;
  if (!sluice_element_cache_reserve (&self->seen, self->i + 1, G_MAXINT64, error))
    return SLUICE_NEXT_FAILED;
  result = sluice_cursor_next (self->input, call, out, error);
  if (result == SLUICE_NEXT_ONE)
    {
      SluiceTensor **element = sluice_element_cache_at (&self->seen, self->i++);
      for (guint i = 0; i < cursor->dataset->n; i++)
        element[i] = sluice_tensor_ref (out[i]);
    }
  else if (result == SLUICE_NEXT_END)
    {
      pthread_mutex_lock (&cache->lock);
      if (!cache->is_complete)
        {
          cache->elements = self->seen;
          cache->n = self->i;
          self->seen = (SluiceElementCache){ .n = cache->parent.n };
          self->i = 0;
        }
      cache->is_complete = TRUE;
      pthread_mutex_unlock (&cache->lock);
    }
  return result;
}

static void
caching_end (SluiceCursor *cursor)
{
  Caching *self = (Caching *) cursor;
  if (self->input == NULL) /* nothing seen: i counts what was replayed */
    return;
  g_clear_pointer (&self->input, sluice_cursor_free);
  sluice_dataset_pass_leave (cursor->pass, &self->seen, 0, self->i);
}

static void
cache_clear (SluiceDataset *dataset)
{
  Cache *self = (Cache *) dataset;
  SluiceRemains *remains = NULL;
  sluice_remains_add (&remains, &self->elements, 0, self->n);
  sluice_remains_free (&remains, NULL);
  pthread_mutex_destroy (&self->lock);
}

/* ---- kernels ---- */

#define COUNTED(id, function)                                                                      \
  static const SluiceDatasetClass id = { .size = sizeof (Counted),                                 \
                                         .cursor_size = sizeof (Counting),                         \
                                         .next = function,                                         \
                                         .end = counting_end }
#define SEVERAL(id, function)                                                                      \
  static const SluiceDatasetClass id = { .size = sizeof (SluiceDataset),                           \
                                         .cursor_size = sizeof (Several),                          \
                                         .next = function,                                         \
                                         .end = several_end }
COUNTED (repeat_class, repeat_next);
COUNTED (take_class, take_next);
COUNTED (skip_class, skip_next);
COUNTED (prefetch_class, prefetch_next);
SEVERAL (zip_class, zip_next);
SEVERAL (concatenate_class, concatenate_next);
static const SluiceDatasetClass cache_class = { .size = sizeof (Cache),
                                                .cursor_size = sizeof (Caching),
                                                .next = cache_next,
                                                .end = caching_end,
                                                .clear = cache_clear };

/* kernel->data: the class. */
static gboolean
counted_compute (SluiceKernelCall *call)
{
  const SluiceDatasetClass *klass = call->kernel->data;
  gint64 count;
  if (!sluice_call_get_scalar (call, 1, &count))
    return FALSE;
  if (klass == &prefetch_class && count < -1)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "input 1 is %" G_GINT64_FORMAT "; it must be 0 or more, or -1", count);
  Counted *self = (Counted *) sluice_dataset_new_over (klass, call, 0, 1);
  if (self == NULL)
    return FALSE;
  self->count = count;
  return sluice_call_put_dataset (call, &self->parent);
}

static gboolean
zip_compute (SluiceKernelCall *call)
{
  return sluice_call_put_dataset (call,
                                  sluice_dataset_new_over (&zip_class, call, 0, call->n_inputs));
}

static gboolean
concatenate_compute (SluiceKernelCall *call)
{
  const SluiceDataset *a = sluice_call_get_dataset (call, 0);
  const SluiceDataset *b = a != NULL ? sluice_call_get_dataset (call, 1) : NULL;
  if (b == NULL)
    return FALSE;
  gboolean alike = a->n == b->n;
  for (guint i = 0; alike && i < a->n; i++)
    alike = a->types[i] == b->types[i];
  if (!alike)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "the datasets '%s' and '%s' have components of other dtypes", a->name,
                             b->name);
  SluiceDataset *self = sluice_dataset_new_over (&concatenate_class, call, 0, 2);
  self->n = a->n;
  return sluice_call_put_dataset (call, self);
}

static gboolean
cache_compute (SluiceKernelCall *call)
{
  if (!sluice_call_want_scalar (call, 1))
    return FALSE;
  if (((const SluiceString *) sluice_call_input (call, 1)->data)->length > 0)
    return sluice_call_fail (call, SLUICE_ERROR_UNIMPLEMENTED,
                             "a dataset is cached in memory only: leave filename empty");
  Cache *self = (Cache *) sluice_dataset_new_over (&cache_class, call, 0, 1);
  if (self != NULL)
    pthread_mutex_init (&self->lock, NULL);
  return sluice_call_put_dataset (call, (SluiceDataset *) self);
}

/* ---- the ops ---- */

static const SluiceRecipe recipe = {
  .why_none = N_ ("makes a dataset: tests/kernels/test-data goes through one")
};

#define OP(id, op_name, inputs, more, text)                                                        \
  SLUICE_DATASET_OP (id, op_name, inputs " -> handle: variant", more SLUICE_DATASET_TYPES, 0, text)

OP (repeat_op,
    "RepeatDataset",
    "input_dataset: variant, count: int64",
    "",
    N_ ("A dataset several times, or for ever"));
OP (take_op,
    "TakeDataset",
    "input_dataset: variant, count: int64",
    "",
    N_ ("The first elements of a dataset"));
OP (skip_op,
    "SkipDataset",
    "input_dataset: variant, count: int64",
    "",
    N_ ("A dataset without its first elements"));
OP (prefetch_op,
    "PrefetchDataset",
    "input_dataset: variant, buffer_size: int64",
    "slack_period: int = 0; legacy_autotune: bool = true; buffer_size_min: int = 0; ",
    N_ ("The same dataset"));
OP (zip_op,
    "ZipDataset",
    "input_datasets: N * variant",
    "N: int >= 1; ",
    N_ ("The elements of several datasets side by side"));
OP (concatenate_op,
    "ConcatenateDataset",
    "input_dataset: variant, another_dataset: variant",
    "",
    N_ ("One dataset after another"));
OP (cache_op,
    "CacheDataset",
    "input_dataset: variant, filename: string",
    "",
    N_ ("A dataset that remembers its elements when somebody has been through all of them"));

static const SluiceOpDef *const ops[] = { &repeat_op, &take_op,        &skip_op, &prefetch_op,
                                          &zip_op,    &concatenate_op, &cache_op };

#define KERNEL(op_name, ...)                                                                       \
  {                                                                                                \
    .op = op_name, .device = "CPU", __VA_ARGS__                                                    \
  }
#define WITH_COUNT(klass) .compute = counted_compute, .data = (gpointer) &klass

static const SluiceKernel kernels[] = {
  KERNEL ("RepeatDataset", WITH_COUNT (repeat_class)),
  KERNEL ("TakeDataset", WITH_COUNT (take_class)),
  KERNEL ("SkipDataset", WITH_COUNT (skip_class)),
  KERNEL ("PrefetchDataset", WITH_COUNT (prefetch_class)),
  KERNEL ("ZipDataset", .compute = zip_compute),
  KERNEL ("ConcatenateDataset", .compute = concatenate_compute),
  KERNEL ("CacheDataset", .compute = cache_compute),
};

const SluiceKernelModule sluice_module_data_transforms = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};

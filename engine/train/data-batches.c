/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <string.h>

#include "engine/base/error.h"
#include "engine/base/thread.h"
#include "engine/train/data.h"
#include "engine/train/random-stream.h"

/* ---- gathering ---- */

/* n elements from the given one on, as doubles. */
static void
read_row (const SluiceTensor *t, gint64 from, gint64 n, double *to)
{
#define READ(dtype, type, convert)                                                                 \
  case dtype:                                                                                      \
    for (gint64 i = 0; i < n; i++)                                                                 \
      to[i] = convert (((const type *) t->data)[from + i]);                                        \
    break;
  switch ((SluiceDType) t->dtype)
    {
      READ (SLUICE_FLOAT, float, )
      READ (SLUICE_DOUBLE, double, )
      READ (SLUICE_HALF, guint16, sluice_half_to_float)
      READ (SLUICE_INT8, gint8, )
      READ (SLUICE_INT16, gint16, )
      READ (SLUICE_INT32, gint32, )
      READ (SLUICE_INT64, gint64, )
      READ (SLUICE_BOOL, guint8, )
      READ (SLUICE_UINT8, guint8, )
      READ (SLUICE_UINT16, guint16, )
      READ (SLUICE_UINT32, guint32, )
      READ (SLUICE_UINT64, guint64, )
    default:
      g_assert_not_reached ();
    }
#undef READ
}

static void
write_row (SluiceTensor *t, gint64 from, gint64 n, const double *values)
{
#define WRITE(dtype, type, convert)                                                                \
  case dtype:                                                                                      \
    for (gint64 i = 0; i < n; i++)                                                                 \
      ((type *) t->data)[from + i] = convert (values[i]);                                          \
    break;
  switch ((SluiceDType) t->dtype)
    {
      WRITE (SLUICE_FLOAT, float, )
      WRITE (SLUICE_DOUBLE, double, )
      WRITE (SLUICE_HALF, guint16, sluice_float_to_half)
      WRITE (SLUICE_BFLOAT16, guint16, sluice_float_to_bfloat16)
      WRITE (SLUICE_INT32, gint32, )
      WRITE (SLUICE_INT64, gint64, )
      WRITE (SLUICE_UINT8, guint8, )
      WRITE (SLUICE_BOOL, guint8, 0 !=)
    default:
      g_assert_not_reached ();
    }
#undef WRITE
}

double
sluice_examples_get_value (const SluiceTensor *values, gint64 i)
{
  double value;
  read_row (values, i, 1, &value);
  return value;
}

static gint64
row_elements (const SluiceTensor *values)
{
  return values->shape.dim[0] > 0 ? values->n_elements / values->shape.dim[0] : 0;
}

/* Are the values what is wanted, so that their bytes are copied? */
static gboolean
is_as_is (const SluiceTensor *values, SluiceDType dtype, double scale)
{
  return values->dtype == (gint8) dtype && scale == 1;
}

SluiceTensor *
sluice_examples_gather (
    const SluiceTensor *values, const gint64 *rows, gint64 n, SluiceDType dtype, double scale)
{
  SluiceShape shape = values->shape;
  gint64 row = row_elements (values);
  shape.dim[0] = n;
  SluiceTensor *out = sluice_tensor_new (NULL, dtype, &shape, SLUICE_OWNER_NONE);
  if (out == NULL)
    return NULL;
  gsize bytes = row * sluice_dtype_size (dtype);
  gboolean as_is = is_as_is (values, dtype, scale);
  double block[512];
  for (gint64 r = 0; r < n; r++)
    if (as_is)
      memcpy ((char *) out->data + r * bytes, (const char *) values->data + rows[r] * bytes, bytes);
    else
      for (gint64 i = 0; i < row; i += G_N_ELEMENTS (block))
        {
          gint64 count = MIN (row - i, (gint64) G_N_ELEMENTS (block));
          read_row (values, rows[r] * row + i, count, block);
          for (gint64 k = 0; k < count; k++)
            block[k] *= scale;
          write_row (out, r * row + i, count, block);
        }
  return out;
}

/* ---- batches ---- */

/* How many batches are made ahead. The thread that makes them sleeps until half of them are used:
 * to wake it costs as much as a small batch. */
#define AHEAD 4
/* Copying less is not worth a thread. */
#define COPY_BYTES ((gint64) 64 << 10)

struct _SluiceDataBatches
{
  const SluiceExamples *examples;
  gint64 size;
  gboolean shuffle;
  guint64 seed;
  SluiceDType x_dtype, y_dtype;
  double scale;
  gboolean has_thread;

  /* the thread's own; of who asks for a batch where there is none */
  SluiceDataCursor cursor;
  gint64 *order; /* of epoch cursor.epoch */
  gint64 order_epoch;
  gint64 *rows;
  pthread_t thread;

  pthread_mutex_t lock; /* guards what follows */
  pthread_cond_t changed;
  GQueue ready; /* of SluiceDataBatch */
  gboolean thread_sleeps, caller_sleeps;
  gboolean quit;
};

void
sluice_data_batch_free (SluiceDataBatch *self)
{
  g_clear_pointer (&self->x, sluice_tensor_unref);
  g_clear_pointer (&self->y, sluice_tensor_unref);
  g_free (self);
}

void
sluice_data_make_order (gint64 *order, gint64 n, gboolean shuffle, guint64 seed, gint64 epoch)
{
  for (gint64 i = 0; i < n; i++)
    order[i] = i;
  if (!shuffle)
    return;
  guint64 state = seed;
  state = sluice_random_stream_next (&state) ^ (guint64) epoch;
  for (gint64 i = n - 1; i > 0; i--)
    {
      gint64 j = (gint64) sluice_random_stream_below (&state, (guint64) i + 1);
      gint64 swap = order[i];
      order[i] = order[j];
      order[j] = swap;
    }
}

static void
make_order (SluiceDataBatches *self)
{
  self->order_epoch = self->cursor.epoch;
  sluice_data_make_order (self->order, self->examples->n, self->shuffle, self->seed,
                          self->cursor.epoch);
}

static SluiceTensor *
view_rows (SluiceTensor *values, gint64 first, gint64 n)
{
  SluiceShape shape = values->shape;
  shape.dim[0] = n;
  return sluice_tensor_new_view (values, &shape, first * row_elements (values));
}

/* The next batch where its examples lie one after the other as they are wanted. (nullable) */
static SluiceDataBatch *
view_batch (SluiceDataBatches *self)
{
  const SluiceExamples *examples = self->examples;
  if (self->shuffle || !is_as_is (examples->x, self->x_dtype, self->scale)
      || !is_as_is (examples->y, self->y_dtype, 1))
    return NULL;
  SluiceDataCursor from = self->cursor;
  if (from.position >= examples->n)
    from = (SluiceDataCursor){ from.epoch + 1, 0 };
  if (self->size > examples->n - from.position)
    return NULL;
  SluiceDataBatch *batch = g_new0 (SluiceDataBatch, 1);
  batch->x = view_rows (examples->x, from.position, self->size);
  batch->y = view_rows (examples->y, from.position, self->size);
  if (batch->x == NULL || batch->y == NULL)
    {
      sluice_data_batch_free (batch);
      return NULL; /* who copies asks for memory again, and tells */
    }
  self->cursor = (SluiceDataCursor){ from.epoch, from.position + self->size };
  batch->next = self->cursor;
  return batch;
}

static SluiceDataBatch *
make_batch (SluiceDataBatches *self)
{
  SluiceDataBatch *view = view_batch (self);
  if (view != NULL)
    return view;
  for (gint64 i = 0; i < self->size; i++)
    {
      if (self->cursor.position >= self->examples->n)
        self->cursor = (SluiceDataCursor){ self->cursor.epoch + 1, 0 };
      if (self->order_epoch != self->cursor.epoch)
        make_order (self);
      self->rows[i] = self->order[self->cursor.position++];
    }
  SluiceDataBatch *batch = g_new0 (SluiceDataBatch, 1);
  batch->x = sluice_examples_gather (self->examples->x, self->rows, self->size, self->x_dtype,
                                     self->scale);
  batch->y = sluice_examples_gather (self->examples->y, self->rows, self->size, self->y_dtype, 1);
  batch->next = self->cursor;
  return batch;
}

static void *
batches_main (void *data)
{
  SluiceDataBatches *self = data;
  pthread_mutex_lock (&self->lock);
  while (!self->quit)
    {
      if (self->ready.length >= AHEAD)
        {
          self->thread_sleeps = TRUE;
          while (!self->quit && self->ready.length > AHEAD / 2)
            pthread_cond_wait (&self->changed, &self->lock);
          self->thread_sleeps = FALSE;
          continue;
        }
      pthread_mutex_unlock (&self->lock);
      SluiceDataBatch *batch = make_batch (self);
      pthread_mutex_lock (&self->lock);
      g_queue_push_tail (&self->ready, batch);
      if (self->caller_sleeps)
        pthread_cond_broadcast (&self->changed);
    }
  pthread_mutex_unlock (&self->lock);
  return NULL;
}

static void
batches_free (SluiceDataBatches *self)
{
  g_queue_clear_full (&self->ready, (GDestroyNotify) sluice_data_batch_free);
  pthread_mutex_destroy (&self->lock);
  pthread_cond_destroy (&self->changed);
  g_free (self->order);
  g_free (self->rows);
  g_free (self);
}

/* Is a batch there at once, or nearly? */
static gboolean
makes_fast (const SluiceDataBatches *self)
{
  const SluiceExamples *examples = self->examples;
  if (!is_as_is (examples->x, self->x_dtype, self->scale)
      || !is_as_is (examples->y, self->y_dtype, 1))
    return FALSE;
  gsize row = row_elements (examples->x) * sluice_dtype_size (self->x_dtype)
              + row_elements (examples->y) * sluice_dtype_size (self->y_dtype);
  return !self->shuffle || row == 0 || self->size <= COPY_BYTES / (gint64) row;
}

SluiceDataBatches *
sluice_data_batches_new (const SluiceExamples *examples,
                         gint64 size,
                         gboolean shuffle,
                         guint64 seed,
                         SluiceDType x_dtype,
                         SluiceDType y_dtype,
                         double scale,
                         SluiceDataCursor start,
                         GError **error)
{
  SluiceDataBatches *self = g_new0 (SluiceDataBatches, 1);
  *self = (SluiceDataBatches){ .examples = examples,
                               .size = size,
                               .shuffle = shuffle,
                               .seed = seed,
                               .x_dtype = x_dtype,
                               .y_dtype = y_dtype,
                               .scale = scale,
                               .cursor = start,
                               .order = g_try_new (gint64, examples->n),
                               .order_epoch = -1,
                               .rows = g_try_new (gint64, size),
                               .ready = G_QUEUE_INIT };
  pthread_mutex_init (&self->lock, NULL);
  pthread_cond_init (&self->changed, NULL);
  self->has_thread = !makes_fast (self);
  if (self->order == NULL || self->rows == NULL)
    sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                 "no memory for batches of %" G_GINT64_FORMAT " out of %" G_GINT64_FORMAT
                 " examples; make [train] batch smaller",
                 size, examples->n);
  else if (!self->has_thread
           || sluice_thread_start (&self->thread, batches_main, self, "making batches", NULL,
                                   error))
    return self;
  batches_free (self);
  return NULL;
}

const SluiceDataBatch *
sluice_data_batches_peek (SluiceDataBatches *self)
{
  pthread_mutex_lock (&self->lock);
  if (!self->has_thread && self->ready.length == 0)
    g_queue_push_tail (&self->ready, make_batch (self));
  const SluiceDataBatch *batch = g_queue_peek_head (&self->ready);
  pthread_mutex_unlock (&self->lock);
  return batch;
}

SluiceDataBatch *
sluice_data_batches_next (SluiceDataBatches *self)
{
  if (!self->has_thread)
    {
      SluiceDataBatch *peeked = g_queue_pop_head (&self->ready);
      return peeked != NULL ? peeked : make_batch (self);
    }
  pthread_mutex_lock (&self->lock);
  self->caller_sleeps = TRUE;
  while (self->ready.length == 0)
    pthread_cond_wait (&self->changed, &self->lock);
  self->caller_sleeps = FALSE;
  SluiceDataBatch *batch = g_queue_pop_head (&self->ready);
  if (self->thread_sleeps && self->ready.length <= AHEAD / 2)
    pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
  return batch;
}

void
sluice_data_batches_free (SluiceDataBatches *self)
{
  pthread_mutex_lock (&self->lock);
  self->quit = TRUE;
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
  if (self->has_thread)
    pthread_join (self->thread, NULL);
  batches_free (self);
}

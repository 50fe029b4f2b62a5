/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <string.h>

#include "engine/train/data.h"

/* n examples; x and y of each are its number. */
static SluiceExamples *
make_examples (gint64 n)
{
  SluiceExamples *examples = g_new0 (SluiceExamples, 1);
  g_autofree gint64 *numbers = g_new (gint64, n);
  for (gint64 i = 0; i < n; i++)
    numbers[i] = i;
  examples->x = sluice_tensor_new_from (SLUICE_INT64, &SLUICE_SHAPE (n, 1), numbers);
  examples->y = sluice_tensor_new_from (SLUICE_INT64, &SLUICE_SHAPE (n), numbers);
  examples->n = n;
  return examples;
}

static SluiceDataBatches *
make_batches (const SluiceExamples *examples,
              gint64 size,
              gboolean shuffle,
              guint64 seed,
              SluiceDataCursor start)
{
  g_autoptr (GError) error = NULL;
  SluiceDataBatches *batches = sluice_data_batches_new (
      examples, size, shuffle, seed, SLUICE_DOUBLE, SLUICE_INT64, 2, start, &error);
  g_assert_no_error (error);
  return batches;
}

/* Appends the numbers of the next n batches. */
static void
take (SluiceDataBatches *batches, guint n, GArray *numbers, SluiceDataCursor *next)
{
  for (guint i = 0; i < n; i++)
    {
      SluiceDataBatch *batch = sluice_data_batches_next (batches);
      const gint64 *y = batch->y->data;
      for (gint64 k = 0; k < batch->y->n_elements; k++)
        {
          g_assert_cmpfloat (((const double *) batch->x->data)[k], ==, 2 * y[k]);
          g_array_append_val (numbers, y[k]);
        }
      if (next != NULL)
        *next = batch->next;
      sluice_data_batch_free (batch);
    }
}

static GArray *
take_new (
    const SluiceExamples *examples, gint64 size, gboolean shuffle, guint64 seed, guint n_batches)
{
  GArray *numbers = g_array_new (FALSE, FALSE, sizeof (gint64));
  SluiceDataBatches *batches =
      make_batches (examples, size, shuffle, seed, (SluiceDataCursor){ 0, 0 });
  take (batches, n_batches, numbers, NULL);
  sluice_data_batches_free (batches);
  return numbers;
}

/* Each epoch holds each example once, also where batches span two of them. */
static void
test_once_an_epoch (void)
{
  g_autoptr (SluiceExamples) examples = make_examples (21);
  for (gint64 size = 1; size <= 64; size = size * 2 + 1)
    {
      g_autoptr (GArray) numbers = take_new (examples, size, TRUE, 7, 21 * 4 / size + 21);
      for (guint epoch = 0; (epoch + 1) * 21 <= numbers->len; epoch++)
        {
          gboolean seen[21] = { 0 };
          for (guint i = 0; i < 21; i++)
            {
              gint64 number = g_array_index (numbers, gint64, epoch * 21 + i);
              g_assert_false (seen[number]);
              seen[number] = TRUE;
            }
        }
    }
}

static void
test_in_order (void)
{
  g_autoptr (SluiceExamples) examples = make_examples (5);
  g_autoptr (GArray) numbers = take_new (examples, 3, FALSE, 7, 5);
  for (guint i = 0; i < numbers->len; i++)
    g_assert_cmpint (g_array_index (numbers, gint64, i), ==, i % 5);
}

static gboolean
same (GArray *a, GArray *b, guint from, guint n)
{
  return memcmp ((gint64 *) a->data + from, (gint64 *) b->data + from, n * sizeof (gint64)) == 0;
}

static void
test_seeds (void)
{
  g_autoptr (SluiceExamples) examples = make_examples (100);
  g_autoptr (GArray) a = take_new (examples, 10, TRUE, 7, 20);
  g_autoptr (GArray) b = take_new (examples, 10, TRUE, 7, 20);
  g_autoptr (GArray) c = take_new (examples, 10, TRUE, 8, 20);
  g_autoptr (GArray) d = take_new (examples, 25, TRUE, 7, 8);
  g_assert_true (same (a, b, 0, 200));
  g_assert_false (same (a, c, 0, 100));
  g_assert_true (same (a, d, 0, 200)); /* the order does not depend on the batch */
  g_assert_cmpint (memcmp (a->data, (gint64 *) a->data + 100, 100 * sizeof (gint64)), !=, 0);
}

/* What was looked at before is what comes, with a thread that makes batches and without one. */
static void
test_peek (void)
{
  g_autoptr (SluiceExamples) examples = make_examples (9);
  const SluiceDataCursor start = { 0, 0 };
  g_autoptr (GError) error = NULL;
  SluiceDataBatches *kinds[] = {
    make_batches (examples, 4, TRUE, 7, start),
    sluice_data_batches_new (examples, 4, TRUE, 7, SLUICE_INT64, SLUICE_INT64, 1, start, &error),
  };
  g_assert_no_error (error);
  g_autoptr (GArray) expected = take_new (examples, 4, TRUE, 7, 20);
  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    {
      guint n_seen = 0;
      for (guint i = 0; i < 20; i++)
        {
          const SluiceDataBatch *peeked = sluice_data_batches_peek (kinds[k]);
          SluiceDataBatch *batch = sluice_data_batches_next (kinds[k]);
          g_assert_true (peeked == NULL || peeked == batch);
          n_seen += peeked != NULL;
          g_assert_cmpmem (batch->y->data, 4 * sizeof (gint64),
                           (gint64 *) expected->data + (gsize) i * 4, 4 * sizeof (gint64));
          sluice_data_batch_free (batch);
        }
      g_assert_true (k == 0 || n_seen == 20); /* without a thread there always is one */
      sluice_data_batches_peek (kinds[k]);
      sluice_data_batches_free (kinds[k]);
    }
}

/* From a batch's cursor on comes what would have come without the interruption. */
static void
test_restart (void)
{
  g_autoptr (SluiceExamples) examples = make_examples (23);
  g_autoptr (GArray) whole = take_new (examples, 8, TRUE, 3, 12);
  for (guint cut = 0; cut <= 12; cut++)
    {
      g_autoptr (GArray) parts = g_array_new (FALSE, FALSE, sizeof (gint64));
      SluiceDataCursor cursor = { 0, 0 };
      SluiceDataBatches *batches = make_batches (examples, 8, TRUE, 3, cursor);
      take (batches, cut, parts, &cursor);
      sluice_data_batches_free (batches);
      batches = make_batches (examples, 8, TRUE, 3, cursor);
      take (batches, 12 - cut, parts, NULL);
      sluice_data_batches_free (batches);
      g_assert_cmpuint (parts->len, ==, whole->len);
      g_assert_true (same (parts, whole, 0, whole->len));
    }
}

static SluiceDataBatches *
make_as_is (const SluiceExamples *examples, gint64 size, gboolean shuffle)
{
  g_autoptr (GError) error = NULL;
  SluiceDataBatches *batches =
      sluice_data_batches_new (examples, size, shuffle, 7, SLUICE_INT64, SLUICE_INT64, 1,
                               (SluiceDataCursor){ 0, 0 }, &error);
  g_assert_no_error (error);
  return batches;
}

static gboolean
lies_in (const SluiceTensor *part, const SluiceTensor *whole)
{
  return part->data >= whole->data
         && part->data < (gpointer) ((gint64 *) whole->data + whole->n_elements);
}

/* What is wanted as the files have it and in their order is not copied. */
static void
test_as_is (void)
{
  SluiceExamples *examples = make_examples (25);
  SluiceDataBatches *batches = make_as_is (examples, 10, FALSE);
  g_autoptr (GPtrArray) kept =
      g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_data_batch_free);
  for (gint64 i = 0; i < 10; i++)
    {
      SluiceDataBatch *batch = sluice_data_batches_next (batches);
      gint64 first = i * 10 % 25;
      g_assert_cmpint (lies_in (batch->x, examples->x), ==, first + 10 <= 25);
      g_assert_cmpint (lies_in (batch->y, examples->y), ==, first + 10 <= 25);
      g_assert_cmpint (batch->next.epoch, ==, (i * 10 + 9) / 25);
      g_assert_cmpint (batch->next.position, ==, (first + 9) % 25 + 1);
      g_assert_cmpint (batch->x->shape.rank, ==, 2);
      g_ptr_array_add (kept, batch);
    }
  sluice_data_batches_free (batches);
  sluice_examples_free (examples); /* batches hold what they show */
  for (gint64 i = 0; i < 100; i++)
    {
      const SluiceDataBatch *batch = kept->pdata[i / 10];
      g_assert_cmpint (((const gint64 *) batch->x->data)[i % 10], ==, i % 25);
      g_assert_cmpint (((const gint64 *) batch->y->data)[i % 10], ==, i % 25);
    }
}

/* Batches that are made on the caller's thread, and too large ones that are not, are the same. */
static void
test_as_is_shuffled (void)
{
  g_autoptr (SluiceExamples) examples = make_examples (9000);
  for (gint64 size = 100; size <= 6000; size += 5900)
    {
      g_autoptr (GArray) converted = take_new (examples, size, TRUE, 7, 3);
      SluiceDataBatches *batches = make_as_is (examples, size, TRUE);
      for (guint i = 0; i < 3; i++)
        {
          SluiceDataBatch *batch = sluice_data_batches_next (batches);
          const gint64 *want = (const gint64 *) converted->data + i * size;
          g_assert_cmpmem (batch->x->data, size * sizeof *want, want, size * sizeof *want);
          g_assert_cmpmem (batch->y->data, size * sizeof *want, want, size * sizeof *want);
          sluice_data_batch_free (batch);
        }
      sluice_data_batches_free (batches);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/batches/once-an-epoch", test_once_an_epoch);
  g_test_add_func ("/batches/in-order", test_in_order);
  g_test_add_func ("/batches/seeds", test_seeds);
  g_test_add_func ("/batches/restart", test_restart);
  g_test_add_func ("/batches/as-is", test_as_is);
  g_test_add_func ("/batches/as-is-shuffled", test_as_is_shuffled);
  g_test_add_func ("/train/data-batches/peek", test_peek);
  return g_test_run ();
}

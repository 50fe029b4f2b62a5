/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The mover against the plainest loop: all sizes of elements, permuted, strided, repeated. */
#include <string.h>

#include "kernels/array/move.h"
#include "kernels/array/stream.h"

static const SluiceDType dtypes[] = { SLUICE_UINT8,  SLUICE_HALF,       SLUICE_FLOAT,
                                      SLUICE_DOUBLE, SLUICE_COMPLEX128, SLUICE_STRING };

static void
move_plainly (SluiceDType dtype, const SluiceMove *move, int dim, char *to, const char *from)
{
  if (dim == move->rank)
    {
      sluice_elements_copy (dtype, to, from, 1);
      return;
    }
  gint64 bytes = sluice_dtype_size (dtype);
  for (gint64 i = 0; i < move->dim[dim].size; i++)
    move_plainly (dtype, move, dim + 1, to + i * move->dim[dim].to * bytes,
                  from + i * move->dim[dim].from * bytes);
}

static SluiceTensor *
make_source (SluiceDType dtype, gint64 n)
{
  SluiceTensor *tensor = sluice_tensor_new_zeros (dtype, &SLUICE_SHAPE (n));
  for (gint64 i = 0; i < n && dtype == SLUICE_STRING; i++)
    {
      char text[24];
      g_snprintf (text, sizeof text, "%" G_GINT64_FORMAT, i);
      sluice_string_set ((SluiceString *) tensor->data + i, text, strlen (text));
    }
  for (gsize i = 0; dtype != SLUICE_STRING && i < sluice_tensor_bytes (tensor); i++)
    ((guint8 *) tensor->data)[i] = i * 2654435761u >> 13;
  return tensor;
}

/* from_offset: where the source begins, for strides that go backwards. */
static void
check_move_of (
    SluiceDType dtype, const SluiceMove *move, gint64 n_to, gint64 n_from, gint64 from_offset)
{
  SluiceKernelCall call = { 0 };
  g_autoptr (SluiceTensor) from = make_source (dtype, n_from);
  g_autoptr (SluiceTensor) got = sluice_tensor_new_zeros (dtype, &SLUICE_SHAPE (n_to));
  g_autoptr (SluiceTensor) want = sluice_tensor_new_zeros (dtype, &SLUICE_SHAPE (n_to));
  const char *source = (char *) from->data + from_offset * sluice_dtype_size (dtype);
  g_assert_true (sluice_move_run (&call, dtype, move, got->data, source));
  move_plainly (dtype, move, 0, want->data, source);
  if (!sluice_tensor_identical (got, want))
    g_error ("%s: a nest of %d dimensions moved wrongly", sluice_dtype_name (dtype), move->rank);
}

static void
check_move (const SluiceMove *move, gint64 n_to, gint64 n_from, gint64 from_offset)
{
  for (guint d = 0; d < G_N_ELEMENTS (dtypes); d++)
    if (dtypes[d] != SLUICE_STRING || n_to <= 20000)
      check_move_of (dtypes[d], move, n_to, n_from, from_offset);
}

/* Returns the number of elements. */
static gint64
make_transpose (SluiceMove *move, const gint64 *sizes, const int *perm, int rank)
{
  SluiceShape x = { .rank = rank }, y = { .rank = rank };
  gint64 to[SLUICE_MAX_RANK], from[SLUICE_MAX_RANK];
  for (int i = 0; i < rank; i++)
    {
      x.dim[i] = sizes[i];
      y.dim[i] = sizes[perm[i]];
    }
  sluice_move_strides (&x, from);
  sluice_move_strides (&y, to);
  for (int i = 0; i < rank; i++)
    sluice_move_add (move, y.dim[i], to[i], from[perm[i]]);
  return sluice_shape_n_elements (&x);
}

static void
check_transpose (const gint64 *sizes, const int *perm, int rank)
{
  SluiceMove move = { 0 };
  gint64 n = make_transpose (&move, sizes, perm, rank);
  check_move (&move, n, n, 0);
}

static void
test_transpose (void)
{
  const gint64 edges[] = { 1, 3, 7, 8, 16, 17, 64, 65, 130 };
  for (guint i = 0; i < G_N_ELEMENTS (edges); i++)
    for (guint k = 0; k < G_N_ELEMENTS (edges); k++)
      check_transpose ((gint64[]){ edges[i], edges[k] }, (int[]){ 1, 0 }, 2);
  check_transpose ((gint64[]){ 300, 700 }, (int[]){ 1, 0 }, 2);
  check_transpose ((gint64[]){ 3, 20, 33 }, (int[]){ 0, 2, 1 }, 3);
  check_transpose ((gint64[]){ 33, 20, 3 }, (int[]){ 2, 1, 0 }, 3);
  check_transpose ((gint64[]){ 2, 17, 18, 19 }, (int[]){ 0, 3, 1, 2 }, 4);
  check_transpose ((gint64[]){ 2, 17, 18, 19 }, (int[]){ 0, 2, 3, 1 }, 4);
  check_transpose ((gint64[]){ 2, 3, 4, 3, 2, 3, 2, 3 }, (int[]){ 7, 0, 6, 1, 5, 2, 4, 3 }, 8);
}

/* Targets that go past the caches: lines of the source long and short, whole and in part. */
static void
test_streamed (void)
{
  sluice_pool_set_threads (3);
  for (guint d = 0; d < G_N_ELEMENTS (dtypes); d++)
    {
      if (dtypes[d] == SLUICE_STRING)
        continue;
      gint64 n = SLUICE_STREAM_BYTES / (gint64) sluice_dtype_size (dtypes[d]);
      const gint64 sizes[][3] = { { 1, n / 1024, 1024 },
                                  { 1, n / 1031 + 3, 1031 },
                                  { 3, n / 39, 14 } };
      for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
        {
          SluiceMove move = { 0 };
          gint64 size = make_transpose (&move, sizes[i], (int[]){ 0, 2, 1 }, 3);
          check_move_of (dtypes[d], &move, size, size, 0);
        }
    }
  sluice_pool_set_threads (1);
}

static void
test_strides (void)
{
  SluiceMove backwards = { 0 }, every_other = { 0 }, repeated = { 0 }, empty = { 0 };
  sluice_move_add (&backwards, 10, 33, -33);
  sluice_move_add (&backwards, 33, 1, -1);
  check_move (&backwards, 330, 330, 329);

  sluice_move_add (&every_other, 50, 20, 80);
  sluice_move_add (&every_other, 20, 1, 2);
  check_move (&every_other, 1000, 4000, 0);

  sluice_move_add (&repeated, 3, 3000, 0);
  sluice_move_add (&repeated, 100, 30, 1);
  sluice_move_add (&repeated, 30, 1, 0);
  check_move (&repeated, 9000, 100, 0);

  sluice_move_add (&empty, 5, 1, 1);
  sluice_move_add (&empty, 0, 5, 5);
  check_move (&empty, 5, 5, 0);
  check_move (&(SluiceMove){ 0 }, 1, 1, 0);
}

/* Long runs are cut into pieces, with a remainder. */
static void
test_long (void)
{
  for (gint64 n = 300000; n < 300003; n++)
    {
      SluiceMove copy = { 0 }, fill = { 0 }, rows = { 0 };
      sluice_move_add (&copy, n, 1, 1);
      check_move (&copy, n, n, 0);
      sluice_move_add (&fill, n, 1, 0);
      check_move (&fill, n, 1, 0);
      sluice_move_add (&rows, 2, n + 5, n);
      sluice_move_add (&rows, n, 1, 1);
      check_move (&rows, 2 * n + 5, 2 * n, 0);
    }
}

static void
test_threads (void)
{
  sluice_pool_set_threads (3);
  test_transpose ();
  test_long ();
  sluice_pool_set_threads (1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_pool_set_threads (1);
  g_test_add_func ("/kernels/move/transpose", test_transpose);
  g_test_add_func ("/kernels/move/streamed", test_streamed);
  g_test_add_func ("/kernels/move/strides", test_strides);
  g_test_add_func ("/kernels/move/long", test_long);
  g_test_add_func ("/kernels/move/threads", test_threads);
  return g_test_run ();
}

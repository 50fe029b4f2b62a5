/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <string.h>

#include "kernels/array/sparse.h"
#include "kernels/string/hash.h"
#include "kernels/string/text.h"

#define SEPARATOR "_X_"

typedef struct
{
  guint n_sparse;
  gboolean only_strings; /* internal_type */
  SluiceDType out_type;
  guint64 n_buckets, key;
} Cross;

static gpointer
cross_prepare (const SluiceNode *node, GError **error)
{
  Cross *self = g_new (Cross, 1);
  *self = (Cross){ .n_sparse = sluice_node_get_int (node, "N"),
                   .only_strings = sluice_node_get_type (node, "internal_type") == SLUICE_STRING,
                   .out_type = sluice_node_get_type (node, "out_type"),
                   .n_buckets = sluice_node_get_int (node, "num_buckets"),
                   .key = (guint64) sluice_node_get_int (node, "hash_key") };
  return self;
}

/* The values of one input, row by row: those of row b are [begin[b], begin[b + 1]). */
typedef struct
{
  const SluiceTensor *values;
  SluiceTensor *places; /* int64: begin is its elements */
  gint64 *begin;
} Column;

typedef struct
{
  const Cross *cross;
  Column *columns;
  guint n;
  gint64 n_rows;
} Table;

static void
table_clear (Table *self)
{
  for (guint i = 0; i < self->n; i++)
    sluice_tensor_unref (self->columns[i].places);
  g_free (self->columns);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Table, table_clear)

/* Row by row as the indices come, as TensorFlow: what is out of order or out of range is left out.
 */
static void
find_rows (const SluiceSparse *in, gint64 n_rows, gint64 *begin)
{
  gint64 at = 0;
  for (gint64 row = 0; row < n_rows; row++)
    {
      begin[row] = at;
      while (at < in->n && sluice_sparse_index (in, at)[0] == row)
        at++;
    }
  begin[n_rows] = at;
}

/* How many rows input `from` has; all must have as many. */
static gboolean
merge_rows (SluiceKernelCall *call, Table *table, guint from, gint64 n)
{
  if (n < 0 || n == G_MAXINT64 || (table->n_rows >= 0 && n != table->n_rows))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "input %u has %" G_GINT64_FORMAT " rows, others %" G_GINT64_FORMAT
                             "; all columns need as many",
                             from, n, table->n_rows);
  table->n_rows = n;
  return TRUE;
}

static gboolean
count_table_rows (SluiceKernelCall *call, Table *table, SluiceSparse *sparse)
{
  guint n_sparse = table->cross->n_sparse;
  table->n_rows = -1;
  for (guint i = 0; i < n_sparse; i++)
    {
      if (!sluice_call_sparse (call, i, n_sparse + i, 2 * n_sparse + i, &sparse[i]))
        return FALSE;
      if (sparse[i].rank != 2)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "sparse input %u has %" G_GINT64_FORMAT
                                 " dimensions, but a column has rows and values: 2",
                                 i, sparse[i].rank);
      if (!merge_rows (call, table, 2 * n_sparse + i, sparse[i].shape[0]))
        return FALSE;
    }
  for (guint i = 3 * n_sparse; i < call->n_inputs; i++)
    if (!sluice_call_want_rank (call, i, 2)
        || !merge_rows (call, table, i, sluice_call_input (call, i)->shape.dim[0]))
      return FALSE;
  table->n_rows = MAX (table->n_rows, 0);
  return TRUE;
}

static gboolean
read_table (SluiceKernelCall *call, Table *table)
{
  guint n_sparse = table->cross->n_sparse;
  g_autofree SluiceSparse *sparse = g_new (SluiceSparse, n_sparse + 1);
  if (!count_table_rows (call, table, sparse))
    return FALSE;
  guint n = call->n_inputs - 2 * n_sparse;
  table->columns = g_new0 (Column, n);
  for (; table->n < n; table->n++)
    {
      Column *column = &table->columns[table->n];
      guint i = table->n < n_sparse ? n_sparse + table->n : 2 * n_sparse + table->n;
      column->values = sluice_call_input (call, i);
      if (table->cross->only_strings && column->values->dtype != SLUICE_STRING)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "input %u is of %s, but internal_type is string", i,
                                 sluice_dtype_name (column->values->dtype));
      column->places = sluice_call_scratch (call, SLUICE_INT64, &SLUICE_SHAPE (table->n_rows + 1));
      if (column->places == NULL)
        return FALSE;
      column->begin = column->places->data;
      if (table->n < n_sparse)
        find_rows (&sparse[table->n], table->n_rows, column->begin);
      else
        for (gint64 row = 0; row <= table->n_rows; row++)
          column->begin[row] = row * column->values->shape.dim[1];
    }
  return TRUE;
}

/* Combinations of a row; -1 where there are too many to count. */
static gint64
count_combinations (const Table *table, gint64 row)
{
  gint64 n = table->n > 0;
  for (guint i = 0; i < table->n; i++)
    {
      gint64 values = table->columns[i].begin[row + 1] - table->columns[i].begin[row];
      if (values == 0)
        return 0;
      if (n < 0 || __builtin_mul_overflow (n, values, &n))
        n = -1;
    }
  return n;
}

/* Where in column i combination k of a row takes its value; k: what is left for the columns before
 * it. */
static gint64
take_value (const Column *column, gint64 row, gint64 *k)
{
  gint64 n = column->begin[row + 1] - column->begin[row];
  gint64 at = column->begin[row] + *k % n;
  *k /= n;
  return at;
}

static void
join_combination (const Table *table, const gint64 *at, SluiceString *to)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < table->n; i++)
    {
      const SluiceTensor *values = table->columns[i].values;
      if (i > 0)
        g_string_append (text, SEPARATOR);
      if (values->dtype == SLUICE_STRING)
        {
          const SluiceString *value = sluice_tensor_get_string (values, at[i]);
          g_string_append_len (text, value->data, value->length);
        }
      else
        g_string_append_printf (text, "%" G_GINT64_FORMAT, sluice_tensor_get_int (values, at[i]));
    }
  sluice_string_take_text (to, text);
}

static guint64
shift_mix (guint64 value)
{
  return value ^ (value >> 47);
}

/* TensorFlow's FingerprintCat64. */
static guint64
join_fingerprints (guint64 a, guint64 b)
{
  const guint64 mul = 0xc6a4a7935bd1e995;
  guint64 result = (a ^ mul ^ (shift_mix (b * mul) * mul)) * mul;
  return shift_mix (shift_mix (result) * mul);
}

static gint64
hash_combination (const Table *table, const gint64 *at)
{
  guint64 hash = table->cross->key;
  for (guint i = 0; i < table->n; i++)
    {
      const SluiceTensor *values = table->columns[i].values;
      guint64 value;
      if (values->dtype == SLUICE_STRING)
        {
          const SluiceString *text = sluice_tensor_get_string (values, at[i]);
          value = sluice_fingerprint64 (text->data, text->length);
        }
      else
        value = (guint64) sluice_tensor_get_int (values, at[i]);
      hash = join_fingerprints (hash, value);
    }
  guint64 n = table->cross->n_buckets > 0 ? table->cross->n_buckets : G_MAXINT64;
  return (gint64) (hash % n);
}

static gboolean
write_table (SluiceKernelCall *call, const Table *table, const SluiceSparseOutput *out)
{
  g_autofree gint64 *at = g_new (gint64, table->n + 1);
  gint64 to = 0;
  for (gint64 row = 0; row < table->n_rows; row++)
    {
      gint64 n = count_combinations (table, row);
      if (sluice_call_stopped (call))
        return FALSE;
      for (gint64 k = 0; k < n; k++, to++)
        {
          gint64 rest = k;
          for (guint i = table->n; i-- > 0;)
            at[i] = take_value (&table->columns[i], row, &rest);
          out->indices[2 * to] = row;
          out->indices[2 * to + 1] = k;
          if (table->cross->out_type == SLUICE_STRING)
            join_combination (table, at, (SluiceString *) out->values->data + to);
          else
            ((gint64 *) out->values->data)[to] = hash_combination (table, at);
        }
    }
  return TRUE;
}

static gboolean
cross_compute (SluiceKernelCall *call)
{
  static const guint outputs[] = { 0, 1, 2 };
  g_auto (Table) table = { .cross = call->state };
  SluiceSparseOutput out;
  gint64 total = 0, most = 0;
  if (!read_table (call, &table))
    return FALSE;
  for (gint64 row = 0; row < table.n_rows; row++)
    {
      gint64 n = count_combinations (&table, row);
      if (n < 0 || __builtin_add_overflow (total, n, &total))
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "the combinations of row %" G_GINT64_FORMAT " are more than 2^63",
                                 row);
      most = MAX (most, n);
    }
  if (!sluice_call_sparse_output (call, outputs, total, 2, &out))
    return FALSE;
  out.shape[0] = table.n_rows;
  out.shape[1] = most;
  return write_table (call, &table, &out);
}

static const SluiceKernel kernels[] = {
  SLUICE_ARRAY_KERNEL (
      "SparseCross", .prepare = cross_prepare, .free_state = g_free, .compute = cross_compute),
};

const SluiceKernelModule sluice_module_array_sparse_cross_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};

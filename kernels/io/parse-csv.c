/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* DecodeCSV: one tensor a column out of records in RFC 4180's format. */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/base/csv.h"
#include "engine/graph/shape-context.h"
#include "kernels/string/number.h"
#include "kernels/string/text.h"

static gboolean
csv_shape (SluiceShapeContext *c, GError **error)
{
  for (guint i = 1; i < c->n_inputs; i++)
    {
      const SluiceShape *shape = &c->inputs[i];
      char text[SLUICE_SHAPE_STR];
      if (shape->rank > 1 || (shape->rank == 1 && shape->dim[0] > 1))
        return sluice_shape_context_fail (c, error,
                                          "the default of column %u must be one element or none, "
                                          "not of shape %s",
                                          i - 1, sluice_shape_str (shape, text));
    }
  for (guint i = 0; i < c->n_outputs; i++)
    sluice_shape_context_set (c, i, &c->inputs[0]);
  return TRUE;
}

typedef struct
{
  char delimiter;
  gboolean has_quotes;
  SluiceString missing; /* what stands for a missing field, beside nothing */
  gint64 *columns;      /* (nullable): those that are wanted, ascending */
} Csv;

static void
csv_free (gpointer state)
{
  Csv *self = state;
  g_free (self->missing.data);
  g_free (self->columns);
  g_free (self);
}

/* Which columns are wanted. */
static gboolean
read_columns (Csv *self, const SluiceNode *node, GError **error)
{
  guint n = sluice_node_get_ints (node, "select_cols", NULL, 0);
  if (n == 0)
    return TRUE;
  if (n != node->n_outputs)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "select_cols names %u columns, but there are %u outputs", n,
                        node->n_outputs);
  self->columns = g_new (gint64, n);
  sluice_node_get_ints (node, "select_cols", self->columns, n);
  for (guint i = 0; i < n; i++)
    if (self->columns[i] < 0 || (i > 0 && self->columns[i] <= self->columns[i - 1]))
      return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                          "select_cols must ascend from 0 or more, but has %" G_GINT64_FORMAT
                          " at %u",
                          self->columns[i], i);
  return TRUE;
}

static gpointer
csv_prepare (const SluiceNode *node, GError **error)
{
  const SluiceString *delimiter = sluice_node_get_string (node, "field_delim");
  const SluiceString *missing = sluice_node_get_string (node, "na_value");
  g_autoptr (GError) reason = NULL;
  Csv *self = g_new0 (Csv, 1);
  self->has_quotes = sluice_node_get_bool (node, "use_quote_delim");
  sluice_string_set (&self->missing, missing->data, missing->length);
  if (delimiter->length == 1)
    self->delimiter = *delimiter->data;
  else
    sluice_fail (&reason, SLUICE_ERROR_INVALID_ARGUMENT,
                 "field_delim must be one byte, not %" G_GSIZE_FORMAT, delimiter->length);
  if (reason == NULL && read_columns (self, node, &reason))
    return self;
  sluice_node_fail (node, error, reason->code, "%s", reason->message);
  csv_free (self);
  return NULL;
}

typedef struct
{
  SluiceKernelCall *call;
  SluiceTensor **columns;
} Task;

static gboolean
is_missing (const Csv *csv, const GString *field)
{
  return field->len == 0
         || (field->len == csv->missing.length
             && memcmp (field->str, csv->missing.data, field->len) == 0);
}

/* A field becomes element i of output k. */
static gboolean
store (const Task *task, guint k, gint64 i, const GString *field, GError **error)
{
  const SluiceTensor *fallback = sluice_call_input (task->call, 1 + k);
  SluiceTensor *out = task->columns[k];
  SluiceDType dtype = out->dtype;
  char *to = (char *) out->data + i * sluice_dtype_size (dtype);
  if (is_missing (task->call->state, field))
    {
      if (fallback->n_elements == 0)
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "field %u is missing, and has no default", k);
      sluice_elements_copy (dtype, to, fallback->data, 1);
      return TRUE;
    }
  if (dtype == SLUICE_STRING)
    {
      sluice_string_set ((SluiceString *) to, field->str, field->len);
      return TRUE;
    }
  if (sluice_parse_number (dtype, field->str, field->len, to))
    return TRUE;
  g_autofree char *quoted = sluice_string_quote (&(SluiceString){ field->str, field->len });
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "field %u: %s is no %s", k, quoted,
                      sluice_dtype_name (dtype));
}

static gboolean
read_record (gpointer data, gint64 i, GError **error)
{
  const Task *task = data;
  const Csv *csv = task->call->state;
  const SluiceString *record = sluice_tensor_get_string (sluice_call_input (task->call, 0), i);
  const char *text = record->length ? record->data : "";
  g_autoptr (GString) field = g_string_new (NULL);
  SluiceCsv reader;
  sluice_csv_init (&reader, text, record->length, csv->delimiter, FALSE);
  reader.has_quotes = csv->has_quotes;
  guint wanted = task->call->n_outputs, n = 0;
  for (gint64 column = 0; csv->columns == NULL || n < wanted; column++)
    {
      SluiceCsvResult result = sluice_csv_next (&reader, field, error);
      if (result == SLUICE_CSV_FAILED)
        return FALSE;
      if (result == SLUICE_CSV_END)
        break;
      if (csv->columns != NULL && csv->columns[n] != column)
        continue;
      if (n < wanted && !store (task, n, i, field, error))
        return FALSE;
      n++;
    }
  return n == wanted
         || sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "the record has %u fields, not %u",
                         n, wanted);
}

static gboolean
csv_compute (SluiceKernelCall *call)
{
  const SluiceTensor *records = sluice_call_input (call, 0);
  g_autofree SluiceTensor **columns = g_new (SluiceTensor *, call->n_outputs);
  for (guint k = 0; k < call->n_outputs; k++)
    {
      const SluiceTensor *fallback = sluice_call_input (call, 1 + k);
      if (fallback->shape.rank > 1 || fallback->n_elements > 1)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "the default of column %u must be one element or none", k);
      columns[k] = sluice_call_output (call, k, &records->shape);
      if (columns[k] == NULL)
        return FALSE;
    }
  Task task = { call, columns };
  return sluice_call_each (call, records->n_elements, 100.0 * (1 + call->n_outputs), read_record,
                           &task);
}

static const SluiceSample samples[] = {
  { "OUT_TYPE=[float,int32,string]",
    "string[2]={'1.5,2,hello','-3e2,,\"a,\"\"b\"\"\"'}; float[0]; int32[1]={7}; string[0]={}" },
  { "OUT_TYPE=[int64]; field_delim='|'; select_cols=[1]; na_value='NA'",
    "string[]='1|NA|3'; int64[]=5" },
  { "OUT_TYPE=[double]; use_quote_delim=false", "string[0]={}; double[0]" },
};
static const SluiceRecipe recipe = { .samples = samples, .n_samples = G_N_ELEMENTS (samples) };

static const SluiceOpDef csv_op = {
  .name = "DecodeCSV",
  .signature = "records: string, record_defaults: OUT_TYPE -> output: OUT_TYPE",
  .attrs = "OUT_TYPE: list({float, double, int32, int64, string}) >= 1; "
           "field_delim: string = ','; use_quote_delim: bool = true; na_value: string = ''; "
           "select_cols: list(int) = []",
  .summary = N_ ("Columns of records with commas"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = csv_shape,
  .recipe = &recipe,
};

static const SluiceOpDef *const ops[] = { &csv_op };

static const SluiceKernel kernels[] = {
  { .op = "DecodeCSV",
    .device = "CPU",
    .flags = SLUICE_KERNEL_KEEPS_DENORMALS,
    .prepare = csv_prepare,
    .free_state = csv_free,
    .compute = csv_compute },
};

const SluiceKernelModule sluice_module_io_parse_csv = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Datasets that begin with tensors, numbers or files. */
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>

#include "engine/graph/shape-context.h"
#include "engine/store/input.h"
#include "kernels/data/dataset.h"
#include "kernels/io/records.h"
#include "kernels/queue/items.h"

/* ---- tensors ---- */

typedef struct
{
  SluiceDataset parent;
  SluiceElements *elements;
  gint64 n_rows; /* SLUICE_WHOLE: they are the one element */
} Tensors;

typedef struct
{
  SluiceCursor parent;
  gint64 i;
} Position;

static SluiceNext
tensors_next (SluiceCursor *cursor, SluiceKernelCall *call, SluiceTensor **out, GError **error)
{
  const Tensors *self = (const Tensors *) cursor->dataset;
  Position *at = (Position *) cursor;
  if (at->i == (self->n_rows == SLUICE_WHOLE ? 1 : self->n_rows))
    return SLUICE_NEXT_END;
  const SluiceItem item = { self->elements, self->n_rows == SLUICE_WHOLE ? SLUICE_WHOLE : at->i };
  at->i++;
  for (guint i = 0; i < self->parent.n; i++)
    {
      out[i] = sluice_item_dup (&item, i, call->device->allocator, call->owner, error);
      if (out[i] != NULL)
        continue;
      sluice_element_drop (out, i);
      return SLUICE_NEXT_FAILED;
    }
  return SLUICE_NEXT_ONE;
}

static void
tensors_clear (SluiceDataset *self)
{
  sluice_elements_unref (((Tensors *) self)->elements);
}

static const SluiceDatasetClass tensors_class = {
  .size = sizeof (Tensors),
  .cursor_size = sizeof (Position),
  .next = tensors_next,
  .clear = tensors_clear,
};

static gboolean
check_rows (SluiceKernelCall *call, gint64 *n_rows)
{
  for (guint i = 0; i < call->n_inputs; i++)
    {
      const SluiceShape *shape = &sluice_call_input (call, i)->shape;
      if (shape->rank == 0)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "component %u is a scalar: it has no rows to be the elements", i);
      if (i > 0 && shape->dim[0] != *n_rows)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "component 0 has %" G_GINT64_FORMAT " rows, and component %u "
                                 "%" G_GINT64_FORMAT,
                                 *n_rows, i, shape->dim[0]);
      *n_rows = shape->dim[0];
    }
  return TRUE;
}

/* kernel->data: TRUE where the rows are the elements. */
static gboolean
tensors_compute (SluiceKernelCall *call)
{
  gint64 n_rows = SLUICE_WHOLE;
  if (call->kernel->data != NULL && !check_rows (call, &n_rows))
    return FALSE;
  Tensors *self = (Tensors *) sluice_dataset_new (&tensors_class, call, call->n_inputs, NULL);
  self->n_rows = n_rows;
  self->elements = sluice_elements_new (call->n_inputs);
  for (guint i = 0; i < call->n_inputs; i++)
    {
      self->elements->tensors[i] = sluice_tensor_ref (sluice_call_input (call, i));
      self->parent.types[i] = (SluiceDType) sluice_call_input (call, i)->dtype;
    }
  return sluice_call_put_dataset (call, &self->parent);
}

/* ---- numbers ---- */

typedef struct
{
  SluiceDataset parent;
  gint64 start, step;
  guint64 n;
} Range;

static SluiceNext
range_next (SluiceCursor *cursor, SluiceKernelCall *call, SluiceTensor **out, GError **error)
{
  const Range *self = (const Range *) cursor->dataset;
  Position *at = (Position *) cursor;
  if ((guint64) at->i == self->n)
    return SLUICE_NEXT_END;
  gint64 value = (gint64) ((guint64) self->start + (guint64) at->i * (guint64) self->step);
  at->i++;
  *out = sluice_tensor_new_int64 (value);
  return SLUICE_NEXT_ONE;
}

static const SluiceDatasetClass range_class = {
  .size = sizeof (Range),
  .cursor_size = sizeof (Position),
  .next = range_next,
};

static gpointer
range_prepare (const SluiceNode *node, GError **error)
{
  const SluiceAttrValue *types = sluice_node_get_attr (node, "output_types");
  if (types->list.n == 1 && types->list.items[0].type == SLUICE_INT64)
    return (gpointer) node;
  sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                    "output_types must be int64 alone; cast the numbers where others are wanted");
  return NULL;
}

static gboolean
range_compute (SluiceKernelCall *call)
{
  const SluiceDType type = SLUICE_INT64;
  gint64 start, stop, step;
  if (!sluice_call_get_scalar (call, 0, &start) || !sluice_call_get_scalar (call, 1, &stop)
      || !sluice_call_get_scalar (call, 2, &step))
    return FALSE;
  if (step == 0)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "input 2 (step) must not be 0");
  Range *self = (Range *) sluice_dataset_new (&range_class, call, 1, &type);
  self->start = start;
  self->step = step;
  if (step > 0 && stop > start)
    self->n = ((guint64) stop - (guint64) start - 1) / (guint64) step + 1;
  else if (step < 0 && stop < start)
    self->n = ((guint64) start - (guint64) stop - 1) / (0 - (guint64) step) + 1;
  return sluice_call_put_dataset (call, &self->parent);
}

/* ---- files ---- */

typedef struct
{
  SluiceDataset parent;
  SluiceRecordSpec spec;
  SluiceTensor *names;
} Files;

typedef struct
{
  SluiceCursor parent;
  gint64 i; /* of the next file */
  gboolean is_open;
  SluiceRecords records;
  GString *key, *value;
} FilePosition;

/* Nothing but a header, whole records and a footer? What is packed tells only at its end. */
static gboolean
check_size (const SluiceRecordSpec *spec, const char *path, GError **error)
{
  GStatBuf info;
  if (spec->format != SLUICE_RECORDS_FIXED_LENGTH || spec->encoding != SLUICE_ENCODING_NONE
      || g_stat (path, &info) != 0)
    return TRUE; /* where it is not there opening it says so */
  gint64 size = info.st_size;
  if (spec->header_bytes <= size && spec->footer_bytes <= size - spec->header_bytes
      && (size - spec->header_bytes - spec->footer_bytes) % spec->record_bytes == 0)
    return TRUE;
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                      "file '%s' has %" G_GINT64_FORMAT
                      " bytes, which are no header of %" G_GINT64_FORMAT
                      ", whole records of %" G_GINT64_FORMAT " and footer of %" G_GINT64_FORMAT,
                      path, size, spec->header_bytes, spec->record_bytes, spec->footer_bytes);
}

static gboolean
check_end (const FilePosition *at, GError **error)
{
  const SluiceRecordSpec *spec = &at->records.spec;
  if (spec->format != SLUICE_RECORDS_FIXED_LENGTH
      || (gint64) at->records.ahead->len == spec->footer_bytes)
    return TRUE;
  return sluice_fail (error, SLUICE_ERROR_DATA_LOSS,
                      "file '%s' ends within a record or its footer: %" G_GSIZE_FORMAT
                      " bytes are left after the last whole record of %" G_GINT64_FORMAT
                      ", and not the %" G_GINT64_FORMAT " of the footer",
                      at->records.name, at->records.ahead->len, spec->record_bytes,
                      spec->footer_bytes);
}

static gboolean
open_next (FilePosition *at, const Files *self, SluiceKernelCall *call, GError **error)
{
  const SluiceString *name = (const SluiceString *) self->names->data + at->i++;
  g_autofree char *path = g_strndup (name->length > 0 ? name->data : "", name->length);
  if (at->key == NULL)
    {
      sluice_records_init (&at->records, &self->spec);
      at->key = g_string_new (NULL);
      at->value = g_string_new (NULL);
    }
  at->is_open = sluice_call_check_path (call, path, SLUICE_FILE_READ, error)
                && check_size (&self->spec, path, error)
                && sluice_records_open (&at->records, call, path, error);
  return at->is_open;
}

static SluiceNext
files_next (SluiceCursor *cursor, SluiceKernelCall *call, SluiceTensor **out, GError **error)
{
  const Files *self = (const Files *) cursor->dataset;
  FilePosition *at = (FilePosition *) cursor;
  for (;;)
    {
      gboolean is_last = FALSE;
      if (!at->is_open && at->i == self->names->n_elements)
        return SLUICE_NEXT_END;
      if (!at->is_open && !open_next (at, self, call, error))
        return SLUICE_NEXT_FAILED;
      SluiceReadResult result =
          sluice_records_read (&at->records, at->key, at->value, &is_last, error);
      if (result == SLUICE_READ_ONE)
        {
          *out = sluice_tensor_new_string (at->value->str, (gssize) at->value->len);
          return SLUICE_NEXT_ONE;
        }
      gboolean ok = result != SLUICE_READ_FAILED && check_end (at, error);
      sluice_records_close (&at->records);
      at->is_open = FALSE;
      if (!ok)
        return SLUICE_NEXT_FAILED;
    }
}

static void
files_end (SluiceCursor *cursor)
{
  FilePosition *at = (FilePosition *) cursor;
  if (at->key == NULL)
    return;
  sluice_records_clear (&at->records);
  g_string_free (at->key, TRUE);
  g_string_free (at->value, TRUE);
}

static void
files_clear (SluiceDataset *self)
{
  sluice_tensor_unref (((Files *) self)->names);
}

static const SluiceDatasetClass files_class = {
  .size = sizeof (Files),
  .cursor_size = sizeof (FilePosition),
  .next = files_next,
  .end = files_end,
  .clear = files_clear,
};

/* Input i, a number of bytes, at least `least`. */
static gboolean
get_bytes (SluiceKernelCall *call, guint i, const char *name, gint64 least, gint64 *bytes)
{
  if (!sluice_call_get_scalar (call, i, bytes))
    return FALSE;
  return *bytes >= least
         || sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                              "input %u (%s) is %" G_GINT64_FORMAT
                              "; it must be at least %" G_GINT64_FORMAT,
                              i, name, *bytes, least);
}

/* Of the files that input 0 names; compression: the number of that input, 0: none is there. */
static gboolean
put_files (SluiceKernelCall *call, SluiceRecordSpec *spec, guint compression)
{
  const SluiceDType type = SLUICE_STRING;
  const SluiceTensor *names = sluice_call_input (call, 0);
  char text[SLUICE_SHAPE_STR];
  GError *error = NULL;
  if (names->shape.rank > 1)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "input 0 (filenames) must be one name or a vector of them, not of "
                             "shape %s",
                             sluice_shape_str (&names->shape, text));
  if (compression > 0)
    {
      if (!sluice_call_want_scalar (call, compression))
        return FALSE;
      const SluiceString *s = sluice_call_input (call, compression)->data;
      g_autofree char *name = g_strndup (s->length > 0 ? s->data : "", s->length);
      if (!sluice_encoding_parse (name, &spec->encoding, &error))
        return sluice_call_fail_with (call, error);
    }
  Files *self = (Files *) sluice_dataset_new (&files_class, call, 1, &type);
  self->spec = *spec;
  self->names = sluice_tensor_ref (sluice_call_input (call, 0));
  return sluice_call_put_dataset (call, &self->parent);
}

/* kernel->data: the format. */
static gboolean
files_compute (SluiceKernelCall *call)
{
  SluiceRecordSpec spec = { .format = (SluiceRecordFormat) GPOINTER_TO_INT (call->kernel->data) };
  gint64 buffer_size;
  /* Of records -1 leaves the size to the reader, and it is what TensorFlow 2.21 writes. */
  gint64 least = spec.format == SLUICE_RECORDS_TFRECORD ? -1 : 0;
  return get_bytes (call, 2, "buffer_size", least, &buffer_size) && put_files (call, &spec, 1);
}

/* kernel->data: the number of the input compression_type. */
static gboolean
fixed_compute (SluiceKernelCall *call)
{
  SluiceRecordSpec spec = { .format = SLUICE_RECORDS_FIXED_LENGTH };
  gint64 buffer_size, together;
  if (!get_bytes (call, 1, "header_bytes", 0, &spec.header_bytes)
      || !get_bytes (call, 2, "record_bytes", 1, &spec.record_bytes)
      || !get_bytes (call, 3, "footer_bytes", 0, &spec.footer_bytes)
      || !get_bytes (call, 4, "buffer_size", 0, &buffer_size))
    return FALSE;
  if (__builtin_add_overflow (spec.record_bytes, spec.footer_bytes, &together))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "a record and the footer are too large together");
  spec.hop_bytes = spec.record_bytes;
  return put_files (call, &spec, GPOINTER_TO_UINT (call->kernel->data));
}

/* ---- the ops ---- */

static const SluiceRecipe recipe = {
  .why_none = N_ ("makes a dataset: tests/kernels/test-data goes through one")
};

#define TENSOR_ATTRS "Toutput_types: list(type) >= 1; output_shapes: list(shape) >= 1; "

SLUICE_DATASET_OP (tensor_op,
                   "TensorDataset",
                   "components: Toutput_types -> handle: variant",
                   TENSOR_ATTRS,
                   SLUICE_OP_STATEFUL,
                   N_ ("A dataset of one element"));
SLUICE_DATASET_OP (slice_op,
                   "TensorSliceDataset",
                   "components: Toutput_types -> handle: variant",
                   TENSOR_ATTRS "is_files: bool = false; replicate_on_split: bool = false; ",
                   SLUICE_OP_STATEFUL,
                   N_ ("A dataset of the rows of tensors"));
SLUICE_DATASET_OP (range_op,
                   "RangeDataset",
                   "start: int64, stop: int64, step: int64 -> handle: variant",
                   SLUICE_DATASET_TYPES "replicate_on_split: bool = false; ",
                   SLUICE_OP_STATEFUL,
                   N_ ("A dataset of numbers at equal distances"));
#define FILES "filenames: string, compression_type: string, buffer_size: int64 -> handle: variant"
SLUICE_DATASET_OP (text_op,
                   "TextLineDataset",
                   FILES,
                   "",
                   SLUICE_OP_STATEFUL | SLUICE_OP_READS_FILES,
                   N_ ("A dataset of lines of files"));
SLUICE_DATASET_OP (record_op,
                   "TFRecordDataset",
                   FILES,
                   "",
                   SLUICE_OP_STATEFUL | SLUICE_OP_READS_FILES,
                   N_ ("A dataset of the records of TFRecord files"));

#define FIXED                                                                                      \
  "filenames: string, header_bytes: int64, record_bytes: int64, footer_bytes: int64, "             \
  "buffer_size: int64"
SLUICE_DATASET_OP (fixed_op,
                   "FixedLengthRecordDataset",
                   FIXED " -> handle: variant",
                   "",
                   SLUICE_OP_STATEFUL | SLUICE_OP_READS_FILES,
                   N_ ("A dataset of the records of files, all of one size"));
SLUICE_DATASET_OP (fixed_v2_op,
                   "FixedLengthRecordDatasetV2",
                   FIXED ", compression_type: string -> handle: variant",
                   "",
                   SLUICE_OP_STATEFUL | SLUICE_OP_READS_FILES,
                   N_ ("A dataset of the records of files, all of one size"));

static const SluiceOpDef *const ops[] = { &tensor_op, &slice_op, &range_op,   &text_op,
                                          &record_op, &fixed_op, &fixed_v2_op };

#define KERNEL(op_name, ...)                                                                       \
  {                                                                                                \
    .op = op_name, .device = "CPU", __VA_ARGS__                                                    \
  }

static const SluiceKernel kernels[] = {
  KERNEL ("TensorDataset", .compute = tensors_compute),
  KERNEL ("TensorSliceDataset", .compute = tensors_compute, .data = GINT_TO_POINTER (TRUE)),
  KERNEL ("RangeDataset", .prepare = range_prepare, .compute = range_compute),
  KERNEL ("TextLineDataset",
          .compute = files_compute,
          .data = GINT_TO_POINTER (SLUICE_RECORDS_TEXT_LINE)),
  KERNEL ("TFRecordDataset",
          .compute = files_compute,
          .data = GINT_TO_POINTER (SLUICE_RECORDS_TFRECORD)),
  KERNEL ("FixedLengthRecordDataset", .compute = fixed_compute),
  KERNEL ("FixedLengthRecordDatasetV2", .compute = fixed_compute, .data = GUINT_TO_POINTER (5)),
};

const SluiceKernelModule sluice_module_data_sources = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};

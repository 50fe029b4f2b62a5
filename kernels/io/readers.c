/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * The readers' ops: what makes one, and what works on any. Each is there twice: with a resource
 * handle (V2), and as it was before, with a reference to the reader's name.
 */
#include <glib/gi18n-lib.h>

#include "engine/graph/shape-context.h"
#include "engine/base/wire.h"
#include "kernels/handle.h"
#include "kernels/io/io.h"
#include "kernels/io/reader.h"
#include "kernels/string/text.h"

/* ---- making ---- */

static gboolean
set_fixed (const SluiceNode *node, SluiceRecordSpec *spec, GError **error)
{
  spec->header_bytes = sluice_node_get_int (node, "header_bytes");
  spec->record_bytes = sluice_node_get_int (node, "record_bytes");
  spec->footer_bytes = sluice_node_get_int (node, "footer_bytes");
  spec->hop_bytes = sluice_node_get_int (node, "hop_bytes");
  const gint64 most = G_MAXINT32; /* bytes of one record that a machine may have to hold */
  if (spec->header_bytes < 0 || spec->footer_bytes < 0 || spec->hop_bytes < 0
      || spec->record_bytes <= 0 || spec->record_bytes > most || spec->footer_bytes > most)
    return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                             "record_bytes must be positive and header_bytes, footer_bytes and "
                             "hop_bytes not negative; a record or footer has 2 GiB at most");
  if (spec->hop_bytes == 0)
    spec->hop_bytes = spec->record_bytes;
  return TRUE;
}

static gboolean
set_encoding (const SluiceNode *node, const char *attr, SluiceRecordSpec *spec, GError **error)
{
  if (sluice_node_get_attr (node, attr) == NULL)
    return TRUE;
  g_autofree char *name = sluice_node_dup_text (node, attr);
  if (sluice_encoding_parse (name, &spec->encoding, error))
    return TRUE;
  g_prefix_error (error, "%s '%s': ", node->op_name, node->name);
  sluice_node_sign_error (node, error);
  return FALSE;
}

static gpointer
prepare (const SluiceNode *node, SluiceRecordFormat format, GError **error)
{
  SluiceRecordSpec spec = { .format = format };
  gboolean ok = TRUE;
  if (format == SLUICE_RECORDS_TEXT_LINE)
    spec.skip_lines = sluice_node_get_int (node, "skip_header_lines");
  else if (format == SLUICE_RECORDS_TFRECORD)
    ok = set_encoding (node, "compression_type", &spec, error);
  else if (format == SLUICE_RECORDS_FIXED_LENGTH)
    ok = set_fixed (node, &spec, error) && set_encoding (node, "encoding", &spec, error);
  return ok ? g_memdup2 (&spec, sizeof spec) : NULL;
}

#define PREPARE(id, format)                                                                        \
  static gpointer id##_prepare (const SluiceNode *node, GError **error)                            \
  {                                                                                                \
    return prepare (node, format, error);                                                          \
  }
PREPARE (text, SLUICE_RECORDS_TEXT_LINE)
PREPARE (tfrecord, SLUICE_RECORDS_TFRECORD)
PREPARE (fixed, SLUICE_RECORDS_FIXED_LENGTH)
PREPARE (whole, SLUICE_RECORDS_WHOLE_FILE)
PREPARE (identity, SLUICE_RECORDS_IDENTITY)

static SluiceResource *
make_reader (gpointer data, GError **error)
{
  SluiceKernelCall *call = data;
  return (SluiceResource *) sluice_reader_new (call->node->name, call->state);
}

static gboolean
reader_compute (SluiceKernelCall *call)
{
  SluiceResource *reader = sluice_call_resource (call, &sluice_reader_type, make_reader, call);
  if (reader == NULL)
    return FALSE;
  sluice_call_put_handle (call, 0, reader);
  return TRUE;
}

/* ---- reading ---- */

static SluiceReader *
get_reader (SluiceKernelCall *call)
{
  return (SluiceReader *) sluice_call_get_handle (call, 0, &sluice_reader_type);
}

static void
cancel (SluiceKernelCall *call)
{
  SluiceReader *reader = get_reader (call);
  if (reader != NULL)
    sluice_reader_cancel (reader, call);
}

static char *
describe (SluiceKernelCall *call)
{
  SluiceReader *reader = get_reader (call);
  return reader != NULL ? sluice_reader_describe_wait (reader, call) : NULL;
}

static void
read_start (SluiceKernelCall *call)
{
  gboolean is_vector = call->n_inputs > 2;
  SluiceReader *reader = get_reader (call);
  SluiceResource *queue =
      reader != NULL ? sluice_call_get_handle (call, 1, &sluice_queue_type) : NULL;
  gboolean ok = queue != NULL && (!is_vector || sluice_call_want_scalar (call, 2));
  gint64 max = ok && is_vector ? sluice_tensor_get_int (sluice_call_input (call, 2), 0) : -1;
  if (ok && is_vector && max < 0)
    ok = sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                           "input 2 (num_records) is %" G_GINT64_FORMAT "; it must not be negative",
                           max);
  if (ok)
    sluice_reader_read (reader, (SluiceQueue *) queue, call, max);
  else
    call->done (call);
}

/* ---- state ---- */

/* Numbers of fields of TensorFlow's ReaderBaseState. */
enum
{
  STATE_STARTED = 1,
  STATE_FINISHED = 2,
  STATE_RECORDS = 3,
  STATE_WORK = 4,
};

static gboolean
output_count (SluiceKernelCall *call, gint64 value)
{
  SluiceTensor *out = sluice_call_output (call, 0, &SLUICE_SHAPE_SCALAR);
  if (out != NULL)
    *(gint64 *) out->data = value;
  return out != NULL;
}

/* Records, or files where data is set. */
static gboolean
count_compute (SluiceKernelCall *call)
{
  SluiceReader *reader = get_reader (call);
  if (reader == NULL)
    return FALSE;
  SluiceReaderState state;
  sluice_reader_get_state (reader, &state);
  gint64 count = call->kernel->data != NULL ? state.n_finished : state.n_records;
  sluice_reader_state_clear (&state);
  return output_count (call, count);
}

static gboolean
reset_compute (SluiceKernelCall *call)
{
  SluiceReader *reader = get_reader (call);
  if (reader != NULL)
    sluice_reader_set_state (reader, NULL);
  return reader != NULL;
}

static gboolean
check_can_save (SluiceKernelCall *call, const SluiceReader *reader)
{
  return reader != NULL
         && (sluice_reader_can_save (reader)
             || sluice_call_fail (call, SLUICE_ERROR_UNIMPLEMENTED,
                                  "where a reader stands inside a file cannot be saved; only "
                                  "WholeFileReader and IdentityReader can be"));
}

static gboolean
serialize_compute (SluiceKernelCall *call)
{
  SluiceReader *reader = get_reader (call);
  SluiceTensor *out =
      check_can_save (call, reader) ? sluice_call_output (call, 0, &SLUICE_SHAPE_SCALAR) : NULL;
  if (out == NULL)
    return FALSE;
  SluiceReaderState state;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  sluice_reader_get_state (reader, &state);
  sluice_wire_put_int (bytes, STATE_STARTED, state.n_started);
  sluice_wire_put_int (bytes, STATE_FINISHED, state.n_finished);
  sluice_wire_put_int (bytes, STATE_RECORDS, state.n_records);
  if (state.work != NULL && state.work->len > 0)
    sluice_wire_put_bytes (bytes, STATE_WORK, state.work->str, state.work->len);
  sluice_reader_state_clear (&state);
  sluice_string_set (out->data, (const char *) bytes->data, bytes->len);
  return TRUE;
}

/* FALSE where the bytes are no state. */
static gboolean
parse_state (const SluiceString *bytes, SluiceReaderState *state)
{
  const guint8 *at = (const guint8 *) bytes->data, *end = at + bytes->length;
  SluiceWireField field;
  while (at < end)
    {
      if (!sluice_wire_next (&at, end, &field)
          || field.wire_type
                 != (field.number == STATE_WORK ? SLUICE_WIRE_BYTES : SLUICE_WIRE_VARINT))
        return FALSE;
      if (field.number == STATE_STARTED)
        state->n_started = field.value;
      else if (field.number == STATE_FINISHED)
        state->n_finished = field.value;
      else if (field.number == STATE_RECORDS)
        state->n_records = field.value;
      else if (field.number != STATE_WORK)
        return FALSE;
      else
        {
          if (state->work == NULL)
            state->work = g_string_new (NULL);
          g_string_truncate (state->work, 0);
          g_string_append_len (state->work, (const char *) field.data, field.length);
        }
    }
  return state->n_started >= 0 && state->n_finished >= 0 && state->n_records >= 0
         && state->n_started <= state->n_finished;
}

static gboolean
restore_compute (SluiceKernelCall *call)
{
  SluiceReader *reader = get_reader (call);
  if (!check_can_save (call, reader) || !sluice_call_want_scalar (call, 1))
    return FALSE;
  const SluiceString *bytes = sluice_call_input (call, 1)->data;
  SluiceReaderState state = { 0 };
  gboolean ok = bytes->length == 0 || parse_state (bytes, &state);
  if (ok)
    sluice_reader_set_state (reader, &state);
  sluice_reader_state_clear (&state);
  return ok
         || sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                              "input 1 (state) is not what ReaderSerializeState made: %zu bytes",
                              bytes->length);
}

/* ---- the ops ---- */

static gboolean
handle_shape (SluiceShapeContext *c, GError **error)
{
  gboolean is_handle = c->outputs[0].dtype == SLUICE_RESOURCE;
  sluice_shape_context_set (c, 0, is_handle ? &SLUICE_SHAPE_SCALAR : &SLUICE_SHAPE (2));
  return TRUE;
}

static gboolean
read_up_to_shape (SluiceShapeContext *c, GError **error)
{
  if (!sluice_shape_context_want_rank (c, 2, 0, error))
    return FALSE;
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE (SLUICE_UNKNOWN_DIM));
  sluice_shape_context_set (c, 1, &SLUICE_SHAPE (SLUICE_UNKNOWN_DIM));
  return TRUE;
}

static gboolean
restore_shape (SluiceShapeContext *c, GError **error)
{
  return sluice_shape_context_want_rank (c, 1, 0, error);
}

static const SluiceRecipe recipe = {
  .why_none = N_ ("works on files and a queue: the conformance cases make them")
};

#define NAMED "container: string = ''; shared_name: string = ''"
#define READER(id, use, op_name, attrs_ref, attrs_v2, text)                                        \
  SLUICE_OP_DEF (id##_ref, op_name, "-> reader_handle: Ref(string)", attrs_ref NAMED,              \
                 SLUICE_OP_STATEFUL | SLUICE_OP_NOT_DIFFERENTIABLE | (use), handle_shape, &recipe, \
                 text);                                                                            \
  SLUICE_OP_DEF (id##_v2, op_name "V2", "-> reader_handle: resource", attrs_v2 NAMED,              \
                 SLUICE_OP_STATEFUL | SLUICE_OP_NOT_DIFFERENTIABLE | (use), handle_shape, &recipe, \
                 text)
#define READER_OP(id, op_name, rest, op_shape, text)                                               \
  SLUICE_STATEFUL_OP (id##_ref, op_name, "reader_handle: Ref(string)" rest, NULL, op_shape, text); \
  SLUICE_STATEFUL_OP (id##_v2, op_name "V2", "reader_handle: resource" rest, NULL, op_shape, text)
#define READ_OP(id, op_name, rest, op_shape, text)                                                 \
  SLUICE_STATEFUL_OP (id##_ref, op_name,                                                           \
                      "reader_handle: Ref(string), queue_handle: Ref(string)" rest, NULL,          \
                      op_shape, text);                                                             \
  SLUICE_STATEFUL_OP (id##_v2, op_name "V2",                                                       \
                      "reader_handle: resource, queue_handle: resource" rest, NULL, op_shape,      \
                      text)

#define FIXED                                                                                      \
  "header_bytes: int = 0; record_bytes: int; footer_bytes: int = 0; hop_bytes: int = 0; "

READER (text,
        SLUICE_OP_READS_FILES,
        "TextLineReader",
        "skip_header_lines: int = 0; ",
        "skip_header_lines: int = 0; ",
        N_ ("Reads lines of files, without their ends"));
READER (tfrecord,
        SLUICE_OP_READS_FILES,
        "TFRecordReader",
        "compression_type: string = ''; ",
        "compression_type: string = ''; ",
        N_ ("Reads records of TFRecord files, checksums and all"));
READER (fixed,
        SLUICE_OP_READS_FILES,
        "FixedLengthRecordReader",
        FIXED,
        FIXED "encoding: string = ''; ",
        N_ ("Reads records of a fixed number of bytes"));
READER (
    whole, SLUICE_OP_READS_FILES, "WholeFileReader", "", "", N_ ("Reads files as one record each"));
READER (identity, 0, "IdentityReader", "", "", N_ ("Gives the names that it takes as records"));
READ_OP (read,
         "ReaderRead",
         " -> key: string, value: string",
         sluice_shape_scalar,
         N_ ("The next record of a reader, which takes files from a queue"));
READ_OP (read_up_to,
         "ReaderReadUpTo",
         ", num_records: int64 -> keys: string, values: string",
         read_up_to_shape,
         N_ ("The next records of a reader: up to so many, fewer at the end of a file"));
READER_OP (n_records,
           "ReaderNumRecordsProduced",
           " -> records_produced: int64",
           sluice_shape_scalar,
           N_ ("How many records a reader has given"));
READER_OP (n_files,
           "ReaderNumWorkUnitsCompleted",
           " -> units_completed: int64",
           sluice_shape_scalar,
           N_ ("How many files a reader has done with"));
READER_OP (
    reset, "ReaderReset", " ->", sluice_shape_none, N_ ("Puts a reader back to where it began"));
READER_OP (serialize,
           "ReaderSerializeState",
           " -> state: string",
           sluice_shape_scalar,
           N_ ("The state of a reader as bytes"));
READER_OP (restore,
           "ReaderRestoreState",
           ", state: string ->",
           restore_shape,
           N_ ("Gives a reader a state that was saved"));

#define BOTH(id) &id##_ref, &id##_v2
static const SluiceOpDef *const ops[] = {
  BOTH (text),     BOTH (tfrecord), BOTH (fixed),      BOTH (whole),
  BOTH (identity), BOTH (read),     BOTH (read_up_to), BOTH (n_records),
  BOTH (n_files),  BOTH (reset),    BOTH (serialize),  BOTH (restore),
};

#define KERNELS(name, ...)                                                                         \
  { .op = name, .device = "CPU", __VA_ARGS__ },                                                    \
  {                                                                                                \
    .op = name "V2", .device = "CPU", __VA_ARGS__                                                  \
  }
#define READER_KERNELS(name, id)                                                                   \
  KERNELS (name, .prepare = id##_prepare, .free_state = g_free, .compute = reader_compute)

static const SluiceKernel kernels[] = {
  READER_KERNELS ("TextLineReader", text),
  READER_KERNELS ("TFRecordReader", tfrecord),
  READER_KERNELS ("FixedLengthRecordReader", fixed),
  READER_KERNELS ("WholeFileReader", whole),
  READER_KERNELS ("IdentityReader", identity),
  KERNELS ("ReaderRead",
           .start = read_start,
           .cancel = cancel,
           .describe_wait = describe,
           .flags = SLUICE_KERNEL_ASYNC),
  KERNELS ("ReaderReadUpTo",
           .start = read_start,
           .cancel = cancel,
           .describe_wait = describe,
           .flags = SLUICE_KERNEL_ASYNC),
  KERNELS ("ReaderNumRecordsProduced", .compute = count_compute),
  KERNELS ("ReaderNumWorkUnitsCompleted", .compute = count_compute, .data = GINT_TO_POINTER (TRUE)),
  KERNELS ("ReaderReset", .compute = reset_compute),
  KERNELS ("ReaderSerializeState", .compute = serialize_compute),
  KERNELS ("ReaderRestoreState", .compute = restore_compute),
};

const SluiceKernelModule sluice_module_io_readers = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Reading graph files: what must not load, what loads with an error on a node, what is kept. */
#include <string.h>
#include <zlib.h>

#include "engine/base/error.h"
#include "engine/graph/graphdef.h"
#include "engine/graph/tensorproto.h"
#include "kernels/registry.h"

static SluiceGraph *
load_text (const char *text, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  return sluice_graph_import (graph, bytes, error) ? g_steal_pointer (&graph) : NULL;
}

static void
assert_words (const char *message, const char *words)
{
  g_auto (GStrv) list = g_strsplit (words, "|", 0);
  for (char **word = list; *word != NULL; word++)
    if (strstr (message, *word) == NULL)
      g_error ("'%s' is not in: %s", *word, message);
}

/* ---- what does not load ---- */

typedef struct
{
  const char *name;
  const char *text;
  int code;
  const char *words; /* '|' between: all must be in the message */
} BadFile;

static const BadFile bad_files[] = {
  { "duplicate", "node { name: 'n' op: 'NoOp' } node { name: 'n' op: 'NoOp' }",
    SLUICE_ERROR_INVALID_ARGUMENT, "two nodes|'n'" },
  { "blank-in-name", "node { name: 'a b' op: 'NoOp' }", SLUICE_ERROR_INVALID_ARGUMENT, "a b" },
  { "no-name", "node { op: 'NoOp' }", SLUICE_ERROR_INVALID_ARGUMENT, "node 0|\"\"" },
  { "control-first", "node { name: 'n' op: 'Neg' input: '^n' input: 'n' }",
    SLUICE_ERROR_INVALID_ARGUMENT, "'n'|control inputs" },
  { "min-consumer", "versions { producer: 9999 min_consumer: 9999 }", SLUICE_ERROR_INVALID_ARGUMENT,
    "9999|2474" },
  { "bad-consumer", "versions { producer: 10 bad_consumers: [1, 2474] }",
    SLUICE_ERROR_INVALID_ARGUMENT, "2474" },
  { "unknown-field", "node {\n  name: 'a'\n  opp: 'NoOp'\n}", SLUICE_ERROR_INVALID_ARGUMENT,
    "3:3|'opp'|did you mean 'op'?" },
  { "unknown-top", "nodes { }", SLUICE_ERROR_INVALID_ARGUMENT, "1:1|'nodes'|'node'" },
  { "twice", "node { name: 'a' name: 'b' }", SLUICE_ERROR_INVALID_ARGUMENT, "1:18|'name'|twice" },
  { "oneof", "node { attr { key: 'a' value { i: 1 f: 2 } } }", SLUICE_ERROR_INVALID_ARGUMENT,
    "'f'|'i'" },
  { "no-close", "node { name: 'a'", SLUICE_ERROR_INVALID_ARGUMENT, "1:17|the file ends" },
  { "wrong-close", "node { name: 'a' >", SLUICE_ERROR_INVALID_ARGUMENT, "1:18|'>'" },
  { "no-colon", "node { name 'a' }", SLUICE_ERROR_INVALID_ARGUMENT, "1:13|':'" },
  { "open-string", "node { name: 'a\n' }", SLUICE_ERROR_INVALID_ARGUMENT, "1:14|not closed" },
  { "bad-escape", "node { name: 'a\\q' }", SLUICE_ERROR_INVALID_ARGUMENT, "1:16|escape" },
  { "bad-enum", "node { attr { key: 'T' value { type: DT_FLOOT } } }",
    SLUICE_ERROR_INVALID_ARGUMENT, "1:38|DataType|DT_FLOOT" },
  { "bad-number", "versions { producer: 1.5 }", SLUICE_ERROR_INVALID_ARGUMENT, "1:22|1.5" },
  { "out-of-range", "versions { producer: 3000000000 }", SLUICE_ERROR_INVALID_ARGUMENT,
    "1:22|range" },
  { "bad-bool", "node { attr { value { b: 2 } } }", SLUICE_ERROR_INVALID_ARGUMENT, "'2'" },
  { "not-utf8", "node { name: '\\377' op: 'NoOp' }", SLUICE_ERROR_INVALID_ARGUMENT, "UTF-8" },
  { "zero-in-name", "node { name: 'a\\0b' op: 'NoOp' }", SLUICE_ERROR_INVALID_ARGUMENT, "UTF-8" },
  { "no-graph", "meta_info_def { tags: 'train' }", SLUICE_ERROR_INVALID_ARGUMENT, "graph_def" },
  { "empty", "", SLUICE_ERROR_DATA_LOSS, "empty" },
};

static void
test_bad_file (gconstpointer data)
{
  const BadFile *bad = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceGraph) graph = load_text (bad->text, &error);
  g_assert_null (graph);
  g_assert_error (error, SLUICE_ERROR, bad->code);
  assert_words (error->message, bad->words);
}

/* A graph that something fails to be added to stays as it was. */
static void
test_failed_import_changes_nothing (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceGraph) graph = load_text ("node { name: 'a' op: 'NoOp' }", &error);
  g_assert_no_error (error);
  const char *text = "node { name: 'b' op: 'NoOp' } node { name: 'a' op: 'NoOp' }";
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_assert_false (sluice_graph_import (graph, bytes, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  g_assert_cmpuint (sluice_graph_get_n_nodes (graph), ==, 1);
  g_assert_null (sluice_graph_find (graph, "b"));
  g_assert_nonnull (sluice_graph_find (graph, "a"));
}

static void
test_deep_text (void)
{
  g_autoptr (GString) text = g_string_new ("node { name: 'a' op: 'NoOp' ");
  for (guint i = 0; i < 1000000; i++)
    g_string_append (text, "attr { value { func { ");
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceGraph) graph = load_text (text->str, &error);
  g_assert_null (graph);
  assert_words (error->message, "nested");
}

/* NodeDef{attr{value{func{attr{value{func … a million deep, each a few bytes around the next. */
static void
test_deep_binary (void)
{
  const guint depth = 200000; /* of three messages each */
  g_autoptr (GByteArray) reversed = g_byte_array_new ();
  for (guint i = 0; i < depth; i++)
    for (guint k = 0; k < 3; k++)
      {
        static const guint8 tags[3] = { 0x52, 0x12, 0x12 }; /* func = 10, value = 2, attr = 2 */
        guint length = reversed->len;
        guint8 varint[8];
        guint n = 0;
        for (; length >= 0x80; length >>= 7)
          varint[n++] = (guint8) (length | 0x80);
        varint[n++] = (guint8) length;
        while (n > 0)
          g_byte_array_append (reversed, &varint[--n], 1);
        g_byte_array_append (reversed, &tags[k], 1);
      }
  for (guint i = 0; i < reversed->len / 2; i++)
    {
      guint8 byte = reversed->data[i];
      reversed->data[i] = reversed->data[reversed->len - 1 - i];
      reversed->data[reversed->len - 1 - i] = byte;
    }
  /* The outermost is NameAttrList.attr (2); as NodeDef.attr it is field 5. */
  reversed->data[0] = 0x2a;
  g_autoptr (GByteArray) file = g_byte_array_new ();
  g_byte_array_append (file, (const guint8 *) "\x0a", 1);
  guint length = reversed->len;
  for (; length >= 0x80; length >>= 7)
    g_byte_array_append (file, &(guint8){ (guint8) (length | 0x80) }, 1);
  g_byte_array_append (file, &(guint8){ (guint8) length }, 1);
  g_byte_array_append (file, reversed->data, reversed->len);
  g_autoptr (GBytes) bytes = g_bytes_new (file->data, file->len);
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  g_autoptr (GError) error = NULL;
  g_assert_false (sluice_graph_import (graph, bytes, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_DATA_LOSS);
  assert_words (error->message, "nested|byte");
}

static void
test_truncated (void)
{
  g_autoptr (SluiceGraph) graph =
      load_text ("node { name: 'abc' op: 'Placeholder' attr { key: 'dtype' value { type: "
                 "DT_FLOAT } } } node { name: 'n' op: 'Neg' input: 'abc' }",
                 NULL);
  g_autoptr (GBytes) whole = sluice_graph_export (graph, SLUICE_EXPORT_BINARY, NULL);
  gsize size;
  const guint8 *data = g_bytes_get_data (whole, &size);
  guint n_errors = 0;
  for (gsize n = 0; n < size; n++)
    {
      g_autoptr (GBytes) part = g_bytes_new (data, n);
      g_autoptr (SluiceGraph) cut = sluice_graph_new ();
      g_autoptr (GError) error = NULL;
      if (sluice_graph_import (cut, part, &error))
        continue;
      g_assert_cmpuint (error->domain, ==, SLUICE_ERROR);
      n_errors++;
    }
  /* Only a cut between two fields of the file leaves something whole. */
  g_assert_cmpuint (n_errors, >=, size - 4);
}

static void
test_gzip (void)
{
  const char *text = "node { name: 'a' op: 'NoOp' } # comment\n";
  guint8 packed[256];
  z_stream stream = { .next_in = (Bytef *) text,
                      .avail_in = (uInt) strlen (text),
                      .next_out = packed,
                      .avail_out = sizeof packed };
  g_assert_cmpint (deflateInit2 (&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, 0), ==, Z_OK);
  g_assert_cmpint (deflate (&stream, Z_FINISH), ==, Z_STREAM_END);
  gsize size = stream.total_out;
  deflateEnd (&stream);
  g_autoptr (GBytes) bytes = g_bytes_new (packed, size);
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  g_autoptr (GError) error = NULL;
  g_assert_true (sluice_graph_import (graph, bytes, &error));
  g_assert_nonnull (sluice_graph_find (graph, "a"));
  g_autoptr (GBytes) cut = g_bytes_new (packed, size - 10);
  g_autoptr (SluiceGraph) other = sluice_graph_new ();
  g_assert_false (sluice_graph_import (other, cut, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_DATA_LOSS);
}

static void
test_no_file (void)
{
  g_autoptr (GError) error = NULL;
  g_assert_null (sluice_graph_load_file ("no/such/file.pb", &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
  assert_words (error->message, "no/such/file.pb");
}

/* ---- what loads with an error on a node ---- */

#define X                                                                                          \
  "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } "             \
  "attr { key: 'shape' value { shape { dim { size: 2 } dim { size: 3 } } } } } "
#define T "attr { key: 'T' value { type: DT_FLOAT } } "
#define CONST(tensor)                                                                              \
  "node { name: 'n' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } } "                   \
  "attr { key: 'value' value { tensor { dtype: DT_FLOAT tensor_shape { " tensor " } } } }"

typedef struct
{
  const char *name;
  const char *text; /* its node 'n' is the one with the error */
  int code;
  const char *words;
} BadNode;

static const BadNode bad_nodes[] = {
  { "unknown-op", X "node { name: 'n' op: 'MatMull' input: 'x' }", SLUICE_ERROR_NOT_FOUND,
    "MatMull 'n'|did you mean MatMul?" },
  { "missing-input", X "node { name: 'n' op: 'Neg' input: 'y' " T "}",
    SLUICE_ERROR_INVALID_ARGUMENT, "Neg 'n'|input 0|'y'|no such node" },
  { "missing-control", X "node { name: 'n' op: 'Neg' input: 'x' input: '^y' " T "}",
    SLUICE_ERROR_INVALID_ARGUMENT, "Neg 'n'|control|'y'" },
  { "missing-output", X "node { name: 'n' op: 'Neg' input: 'x:3' " T "}",
    SLUICE_ERROR_INVALID_ARGUMENT, "Neg 'n'|'x:3'|1 output" },
  { "bad-port", X "node { name: 'n' op: 'Neg' input: 'x:y' " T "}", SLUICE_ERROR_INVALID_ARGUMENT,
    "Neg 'n'|x:y" },
  { "too-few", X "node { name: 'n' op: 'AddV2' input: 'x' " T "}", SLUICE_ERROR_INVALID_ARGUMENT,
    "takes 2 inputs (x, y)|1" },
  { "too-many", X "node { name: 'n' op: 'Neg' input: 'x' input: 'x' " T "}",
    SLUICE_ERROR_INVALID_ARGUMENT, "takes 1 inputs (x)|2" },
  { "missing-attr", X "node { name: 'n' op: 'Neg' input: 'x' }", SLUICE_ERROR_INVALID_ARGUMENT,
    "attribute T|missing" },
  { "wrong-kind",
    X "node { name: 'n' op: 'MatMul' input: 'x' input: 'x' " T
      "attr { key: 'transpose_b' value { i: 1 } } }",
    SLUICE_ERROR_INVALID_ARGUMENT, "transpose_b|bool|int" },
  { "no-value", X "node { name: 'n' op: 'Neg' input: 'x' attr { key: 'T' value { } } }",
    SLUICE_ERROR_INVALID_ARGUMENT, "T|type|none" },
  { "dtype-not-allowed",
    X "node { name: 'n' op: 'Neg' input: 'x' "
      "attr { key: 'T' value { type: DT_STRING } } }",
    SLUICE_ERROR_INVALID_ARGUMENT, "T is string|float" },
  { "dtype-unknown",
    X "node { name: 'n' op: 'Neg' input: 'x' "
      "attr { key: 'T' value { type: 77 } } }",
    SLUICE_ERROR_INVALID_ARGUMENT, "T" },
  { "dtype-mismatch",
    X "node { name: 'n' op: 'Neg' input: 'x' "
      "attr { key: 'T' value { type: DT_INT32 } } }",
    SLUICE_ERROR_INVALID_ARGUMENT, "'x:0'|float|int32|Cast" },
  { "shape-mismatch", X "node { name: 'n' op: 'MatMul' input: 'x' input: 'x' " T "}",
    SLUICE_ERROR_INVALID_ARGUMENT, "MatMul 'n'|[2,3]" },
  { "not-a-ref", X "node { name: 'n' op: 'Assign' input: 'x' input: 'x' " T "}",
    SLUICE_ERROR_INVALID_ARGUMENT, "reference" },
  { "below-minimum", X "node { name: 'n' op: 'AddN' attr { key: 'N' value { i: 0 } } " T "}",
    SLUICE_ERROR_INVALID_ARGUMENT, "N is 0|at least 1" },
  { "not-one-of",
    X "node { name: 'n' op: 'MaxPool' input: 'x' " T "attr { key: 'padding' value { s: 'MAYBE' } } "
      "attr { key: 'ksize' value { list { i: [1,1,1,1] } } } "
      "attr { key: 'strides' value { list { i: [1,1,1,1] } } } }",
    SLUICE_ERROR_INVALID_ARGUMENT, "padding|MAYBE|SAME" },
  { "mixed-list",
    X "node { name: 'n' op: 'Neg' input: 'x' " T "attr { key: 'a' value { list { i: 1 f: 2 } } } }",
    SLUICE_ERROR_INVALID_ARGUMENT, "a|several kinds" },
  { "later-attr",
    X "node { name: 'n' op: 'Neg' input: 'x' " T "attr { key: 'invented_later' value { i: 5 } } }",
    SLUICE_ERROR_INVALID_ARGUMENT, "invented_later = 5" },
  { "later-attr-set",
    X "node { name: 'n' op: 'Neg' input: 'x' " T "attr { key: 'batch_dims' value { i: 1 } } }",
    SLUICE_ERROR_INVALID_ARGUMENT, "batch_dims = 1" },
  { "self-cycle", X "node { name: 'n' op: 'Neg' input: 'n' " T "}", SLUICE_ERROR_INVALID_ARGUMENT,
    "cycle: n -> n" },
  { "huge-tensor", CONST ("dim { size: 1152921504606846976 } } float_val: 1"),
    SLUICE_ERROR_INVALID_ARGUMENT, "1152921504606846976" },
  { "many-strings",
    "node { name: 'n' op: 'Const' attr { key: 'dtype' value { type: DT_STRING } } "
    "attr { key: 'value' value { tensor { dtype: DT_STRING tensor_shape { dim { size: 68574961 } } "
    "string_val: 'i' } } } }",
    SLUICE_ERROR_INVALID_ARGUMENT, "68574961 elements of string|1 KiB" },
  { "overflowing-tensor", CONST ("dim { size: 1099511627776 } dim { size: 1099511627776 } }"),
    SLUICE_ERROR_INVALID_ARGUMENT, "value" },
  { "negative-tensor", CONST ("dim { size: -4 } } float_val: 1"), SLUICE_ERROR_INVALID_ARGUMENT,
    "value|-4" },
  { "unknown-size-tensor", CONST ("dim { size: -1 } }"), SLUICE_ERROR_INVALID_ARGUMENT, "value" },
  { "short-content", CONST ("dim { size: 2 } } tensor_content: 'abcdefg'"),
    SLUICE_ERROR_INVALID_ARGUMENT, "7 bytes|[2]" },
  { "rank-9", CONST ("dim {} dim {} dim {} dim {} dim {} dim {} dim {} dim {} dim {} }"),
    SLUICE_ERROR_INVALID_ARGUMENT, "9 dimensions" },
  { "resource-tensor",
    "node { name: 'n' op: 'Const' attr { key: 'dtype' value { type: DT_RESOURCE } } "
    "attr { key: 'value' value { tensor { dtype: DT_RESOURCE tensor_shape { } } } } }",
    SLUICE_ERROR_INVALID_ARGUMENT, "resource" },
  { "string-content",
    "node { name: 'n' op: 'Const' attr { key: 'dtype' value { type: DT_STRING } } "
    "attr { key: 'value' value { tensor { dtype: DT_STRING tensor_content: 'abc' } } } }",
    SLUICE_ERROR_INVALID_ARGUMENT, "string" },
  { "value-of-other-dtype",
    "node { name: 'n' op: 'Const' attr { key: 'dtype' value { type: DT_INT32 } } "
    "attr { key: 'value' value { tensor { dtype: DT_FLOAT float_val: 1 } } } }",
    SLUICE_ERROR_INVALID_ARGUMENT, "int32|float" },
};

static SluiceGraph *
reload (SluiceGraph *graph, guint flags)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = sluice_graph_export (graph, flags, &error);
  g_assert_no_error (error);
  g_autoptr (SluiceGraph) again = sluice_graph_new ();
  sluice_graph_import (again, bytes, &error);
  g_assert_no_error (error);
  return g_steal_pointer (&again);
}

/* The error is on the node, the rest of the graph is fine, and the node survives the way out. */
static void
test_bad_node (gconstpointer data)
{
  const BadNode *bad = data;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = g_strconcat (bad->text, " node { name: 'good' op: 'NoOp' }", NULL);
  g_autoptr (SluiceGraph) graph = load_text (text, &error);
  g_assert_no_error (error);
  const SluiceNode *node = sluice_graph_find (graph, "n");
  g_assert_nonnull (node);
  g_assert_error (node->error, SLUICE_ERROR, bad->code);
  assert_words (node->error->message, "'n'");
  assert_words (node->error->message, bad->words);
  g_assert_no_error (sluice_graph_find (graph, "good")->error);
  for (guint flags = SLUICE_EXPORT_BINARY; flags <= SLUICE_EXPORT_TEXT; flags++)
    {
      g_autoptr (SluiceGraph) again = reload (graph, flags);
      g_assert_cmpstr (sluice_graph_find (again, "n")->error->message, ==, node->error->message);
    }
}

static void
test_cycles (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceGraph) graph =
      load_text (X "node { name: 'behind' op: 'Neg' input: 'b' " T "} "
                   "node { name: 'a' op: 'AddV2' input: 'x' input: 'c' " T "} "
                   "node { name: 'b' op: 'Neg' input: 'a' " T "} "
                   "node { name: 'c' op: 'Neg' input: 'b' " T "} "
                   "node { name: 'by_control' op: 'Neg' input: 'x' input: '^by_control2' " T "} "
                   "node { name: 'by_control2' op: 'Neg' input: 'by_control' " T "} ",
                 &error);
  g_assert_no_error (error);
  static const char *const cyclic[] = { "a", "b", "c", "by_control", "by_control2" };
  for (guint i = 0; i < G_N_ELEMENTS (cyclic); i++)
    {
      const SluiceNode *node = sluice_graph_find (graph, cyclic[i]);
      g_assert_error (node->error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
      assert_words (node->error->message, "cycle|NextIteration");
    }
  g_assert_no_error (sluice_graph_find (graph, "behind")->error);
}

/* A back edge may stand before or behind the loop it closes, and widens its shape. */
static void
test_loop_in_any_order (void)
{
  static const char *const nodes[] = {
    X,
    "node { name: 'e' op: 'Enter' input: 'x' " T "attr { key: 'frame_name' value { s: 'f' } } } ",
    "node { name: 'm' op: 'Merge' input: 'e' input: 'next' " T
    "attr { key: 'N' value { i: 2 } } } ",
    "node { name: 'axis' op: 'Const' attr { key: 'dtype' value { type: DT_INT32 } } attr { key: "
    "'value' value { tensor { dtype: DT_INT32 int_val: 0 } } } } ",
    "node { name: 'cat' op: 'ConcatV2' input: 'm' input: 'e' input: 'axis' " T
    "attr { key: 'N' value { i: 2 } } } ",
    "node { name: 'next' op: 'NextIteration' input: 'cat' " T "} ",
  };
  for (guint turn = 0; turn < 2; turn++)
    {
      g_autoptr (GString) text = g_string_new (NULL);
      for (guint i = 0; i < G_N_ELEMENTS (nodes); i++)
        g_string_append (text, nodes[turn ? G_N_ELEMENTS (nodes) - 1 - i : i]);
      g_autoptr (GError) error = NULL;
      g_autoptr (SluiceGraph) graph = load_text (text->str, &error);
      g_assert_no_error (error);
      const SluiceNode *merge = sluice_graph_find (graph, "m");
      g_assert_no_error (merge->error);
      char shape[SLUICE_SHAPE_STR];
      g_assert_cmpstr (sluice_shape_str (&merge->outputs[0].shape, shape), ==, "[?,3]");
      g_assert_cmpstr (
          sluice_shape_str (&sluice_graph_find (graph, "cat")->outputs[0].shape, shape), ==,
          "[?,3]");
    }
}

/* Attributes of later TensorFlows do no harm at their default. */
static void
test_later_defaults (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceGraph) graph = load_text (
      X "node { name: 'n' op: 'Neg' input: 'x' " T "attr { key: 'batch_dims' value { i: 0 } } "
        "attr { key: 'dilations' value { list { i: [1,1,1,1] } } } "
        "attr { key: 'explicit_paddings' value { list { } } } "
        "attr { key: '_anything' value { s: 'x' } } }",
      &error);
  g_assert_no_error (error);
  g_assert_no_error (sluice_graph_find (graph, "n")->error);
  g_autoptr (SluiceGraph) again = reload (graph, SLUICE_EXPORT_BINARY);
  g_assert_nonnull (sluice_node_get_attr (sluice_graph_find (again, "n"), "dilations"));
}

/* ---- what is kept ---- */

static void
test_unknown_op_is_kept (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceGraph) graph =
      load_text (X "node { name: 'n' op: 'FancyOp' input: 'x' device: '/gpu:0' "
                   "attr { key: 'mode' value { s: 'a\\001b' } } "
                   "attr { key: '_output_shapes' value { list { shape { dim { size: 7 } } } } } }"
                   "node { name: 'after' op: 'Neg' input: 'n:2' " T "}",
                 &error);
  g_assert_no_error (error);
  const SluiceNode *node = sluice_graph_find (graph, "n");
  g_assert_cmpuint (node->n_outputs, ==, 3);
  char shape[SLUICE_SHAPE_STR];
  g_assert_cmpstr (sluice_shape_str (&node->outputs[0].shape, shape), ==, "[7]");
  g_assert_true (sluice_node_is_stateful (node));
  g_assert_no_error (sluice_graph_find (graph, "after")->error);
  for (guint flags = SLUICE_EXPORT_BINARY; flags <= SLUICE_EXPORT_TEXT; flags++)
    {
      g_autoptr (SluiceGraph) again = reload (graph, flags);
      const SluiceNode *copy = sluice_graph_find (again, "n");
      g_assert_cmpstr (copy->device, ==, "/gpu:0");
      g_assert_cmpuint (sluice_node_get_attr (copy, "mode")->s.length, ==, 3);
    }
}

/* Fields that nobody knows, of the file and of a node: 100 = 7 (varint). */
static void
test_unknown_fields_are_kept (void)
{
  static const guint8 file[] = { 0x0a, 0x0c, 0x0a, 0x01, 'a',  0x12, 0x04, 'N', 'o',
                                 'O',  'p',  0xa0, 0x06, 0x07, 0xa0, 0x06, 0x09 };
  g_autoptr (GBytes) bytes = g_bytes_new_static (file, sizeof file);
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  g_autoptr (GError) error = NULL;
  sluice_graph_import (graph, bytes, &error);
  g_assert_no_error (error);
  g_autoptr (GBytes) out = sluice_graph_export (graph, SLUICE_EXPORT_BINARY, &error);
  gsize size;
  const guint8 *data = g_bytes_get_data (out, &size);
  g_assert_nonnull (memmem (data, size, "\xa0\x06\x07", 3));
  g_assert_nonnull (memmem (data, size, "\xa0\x06\x09", 3));
  /* Text has no place for them; it stays readable. */
  g_autoptr (SluiceGraph) from_text = reload (graph, SLUICE_EXPORT_TEXT);
  g_assert_nonnull (sluice_graph_find (from_text, "a"));
}

static void
test_meta_graph (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceGraph) graph =
      load_text ("meta_info_def { tags: 'train' tensorflow_version: '1.4' } "
                 "graph_def { node { name: 'a' op: 'NoOp' } versions { producer: 21 } } "
                 "saver_def { version: V2 max_to_keep: 5 } "
                 "collection_def { key: 'train_op' value { node_list { value: 'a' } } } "
                 "collection_def { key: 'v' value { bytes_list { value: 'x\\000y' } } }",
                 &error);
  g_assert_no_error (error);
  g_assert_nonnull (sluice_graph_find (graph, "a"));
  g_assert_cmpint (sluice_graph_get_producer (graph), ==, 21);
  g_autoptr (SluiceGraph) again = reload (graph, SLUICE_EXPORT_BINARY);
  g_autoptr (GBytes) text = sluice_graph_export (again, SLUICE_EXPORT_TEXT, NULL);
  g_autofree char *copy = g_strndup (g_bytes_get_data (text, NULL), g_bytes_get_size (text));
  assert_words (copy, "tags: \"train\"|version: V2|max_to_keep: 5|\"train_op\"|value: \"a\"|"
                      "\"x\\000y\"|graph_def {|producer: 21");
}

/* Up to producer 21 a placeholder's empty shape could be no scalar's; TensorFlow 2.21's rule. What
 * is inferred while a file is read goes by the file's producer. */
static void
test_old_producers (void)
{
  static const int producers[] = { 0, 9, 21, 22, 24, 2474 };
  for (guint i = 0; i < G_N_ELEMENTS (producers); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *text = g_strdup_printf (
          "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } "
          "attr { key: 'shape' value { shape { } } } } "
          "node { name: 'y' op: 'Neg' input: 'x' " T "} versions { producer: %d }",
          producers[i]);
      g_autoptr (SluiceGraph) graph = load_text (text, &error);
      g_assert_no_error (error);
      int rank = producers[i] <= 21 ? SLUICE_UNKNOWN_RANK : 0;
      g_assert_cmpint (sluice_graph_find (graph, "x")->outputs[0].shape.rank, ==, rank);
      g_assert_cmpint (sluice_graph_find (graph, "y")->outputs[0].shape.rank, ==, rank);
    }
}

static void
test_export_flags (void)
{
  g_autoptr (SluiceGraph) graph =
      load_text (X "node { name: 'n' op: 'MatMul' input: 'x' input: 'x' " T
                   "attr { key: 'transpose_b' value { b: true } } }",
                 NULL);
  g_autoptr (GBytes) bytes = sluice_graph_export (
      graph, SLUICE_EXPORT_TEXT | SLUICE_EXPORT_SHAPES | SLUICE_EXPORT_STRIP_DEFAULTS, NULL);
  g_autofree char *text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  assert_words (text, "transpose_b|_output_shapes|size: 2");
  g_assert_null (strstr (text, "transpose_a"));
  g_autoptr (SluiceGraph) again = load_text (text, NULL);
  g_assert_false (sluice_node_get_bool (sluice_graph_find (again, "n"), "transpose_a"));
  g_autofree char *hash = sluice_graph_dup_hash (graph, NULL);
  g_autofree char *hash_again = sluice_graph_dup_hash (again, NULL);
  g_assert_cmpstr (hash, ==, hash_again);
}

/* The hash sees what a graph computes, not how it is written down. */
static void
test_hash (void)
{
  static const char *const same[] = {
    "node { name: 'a' op: 'NoOp' } node { name: 'b' op: 'NoOp' input: '^a' }",
    "node { name: 'b' op: 'NoOp' input: '^a' } node < name: \"a\", op: 'No' 'Op'; > # hi",
  };
  g_autoptr (SluiceGraph) one = load_text (same[0], NULL);
  g_autoptr (SluiceGraph) two = load_text (same[1], NULL);
  g_autofree char *x = sluice_graph_dup_hash (one, NULL), *y = sluice_graph_dup_hash (two, NULL);
  g_assert_cmpstr (x, ==, y);
  g_assert_cmpuint (strlen (x), ==, 64);
  g_autoptr (SluiceGraph) other =
      load_text ("node { name: 'a' op: 'NoOp' } node { name: 'b' op: 'NoOp' }", NULL);
  g_autofree char *z = sluice_graph_dup_hash (other, NULL);
  g_assert_cmpstr (x, !=, z);
}

/* Where nodes stand, in bodies of functions as well, is no part of what is computed. */
static void
test_unplaced_hash (void)
{
  const char *form =
      "node { name: 'a' op: 'NoOp' device: '%s' } library { function { signature { name: 'f' } "
      "node_def { name: 'n' op: '%s' device: '%s' } } }";
  static const char *const words[][3] = {
    { "", "NoOp", "" },
    { "/device:CPU:0", "NoOp", "" },
    { "", "NoOp", "/device:SIM:0" },
    { "", "Other", "" },
  };
  g_autoptr (GPtrArray) placed = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) unplaced = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    {
      g_autofree char *text = g_strdup_printf (form, words[i][0], words[i][1], words[i][2]);
      g_autoptr (SluiceGraph) graph = load_text (text, NULL);
      g_ptr_array_add (placed, sluice_graph_dup_hash (graph, NULL));
      g_ptr_array_add (unplaced, sluice_graph_dup_unplaced_hash (graph, NULL));
    }
  g_assert_cmpstr (placed->pdata[0], ==, unplaced->pdata[0]);
  for (guint i = 1; i < G_N_ELEMENTS (words); i++)
    {
      g_assert_cmpstr (placed->pdata[i], !=, placed->pdata[0]);
      g_assert_cmpint (strcmp (unplaced->pdata[i], unplaced->pdata[0]) == 0, ==, i < 3);
    }
}

/* ---- tensors ---- */

static SluiceTensor *
read_tensor (const char *proto)
{
  g_autofree char *text = g_strdup_printf (
      "node { name: 'n' op: 'Mystery' attr { key: 'v' value { tensor { %s } } } }", proto);
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceGraph) graph = load_text (text, &error);
  g_assert_no_error (error);
  const SluiceAttrValue *value = sluice_node_get_attr (sluice_graph_find (graph, "n"), "v");
  g_assert_nonnull (value);
  return sluice_tensor_ref (value->tensor);
}

static void
test_tensor_forms (void)
{
  static const struct
  {
    const char *tensor;
    const char *expected;
  } forms[] = {
    { "dtype: DT_FLOAT tensor_shape { dim { size: 3 } } float_val: [1, 2.5]",
      "dtype: DT_FLOAT tensor_shape { dim { size: 3 } } float_val: [1, 2.5, 2.5]" },
    { "dtype: DT_FLOAT tensor_shape { dim { size: 2 } } float_val: [1, 2, 3]",
      "dtype: DT_FLOAT tensor_shape { dim { size: 2 } } float_val: [1, 2]" },
    { "dtype: DT_INT16 tensor_shape { dim { size: 2 } }",
      "dtype: DT_INT16 tensor_shape { dim { size: 2 } } int_val: [0, 0]" },
    { "dtype: DT_HALF tensor_shape { dim { size: 2 } } half_val: 15360",
      "dtype: DT_HALF tensor_shape { dim { size: 2 } } tensor_content: '\\000\\074\\000\\074'" },
    { "dtype: DT_COMPLEX64 tensor_shape { dim { size: 2 } } scomplex_val: [1, 2]",
      "dtype: DT_COMPLEX64 tensor_shape { dim { size: 2 } } scomplex_val: [1, 2, 1, 2]" },
    { "dtype: DT_STRING tensor_shape { dim { size: 3 } } string_val: ['a', 'b']",
      "dtype: DT_STRING tensor_shape { dim { size: 3 } } string_val: ['a', 'b', 'b']" },
    { "dtype: DT_BOOL tensor_shape { dim { size: 2 } } bool_val: true",
      "dtype: DT_BOOL tensor_shape { dim { size: 2 } } tensor_content: '\\001\\001'" },
    { "dtype: DT_INT64 tensor_shape { } int64_val: -9223372036854775808",
      "dtype: DT_INT64 tensor_shape { } tensor_content: '\\0\\0\\0\\0\\0\\0\\0\\200'" },
    { "dtype: DT_UINT64 tensor_shape { } uint64_val: 18446744073709551615",
      "dtype: DT_UINT64 tensor_shape { } "
      "tensor_content: '\\377\\377\\377\\377\\377\\377\\377\\377'" },
    { "dtype: DT_FLOAT tensor_shape { dim { size: 0 } } float_val: 1",
      "dtype: DT_FLOAT tensor_shape { dim { size: 0 } }" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (forms); i++)
    {
      g_autoptr (SluiceTensor) tensor = read_tensor (forms[i].tensor);
      g_autoptr (SluiceTensor) expected = read_tensor (forms[i].expected);
      if (!sluice_tensor_identical (tensor, expected))
        g_error ("%s", forms[i].tensor);
    }
}

static void
test_tensor_proto (void)
{
  const float values[] = { 1, 2, 3, 4, 5, 6 };
  g_autoptr (SluiceTensor) tensor =
      sluice_tensor_new_from (SLUICE_FLOAT, &SLUICE_SHAPE (2, 3), values);
  g_autoptr (GBytes) bytes = sluice_tensor_to_proto (tensor, NULL);
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTensor) back = sluice_tensor_from_proto (data, size, &error);
  g_assert_no_error (error);
  g_assert_true (sluice_tensor_identical (tensor, back));
  g_assert_null (sluice_tensor_from_proto (data, size - 1, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_DATA_LOSS);
}

/* A value that is written once stands for all elements again. */
static void
test_repeated_value (void)
{
  static const SluiceDType dtypes[] = { SLUICE_INT8, SLUICE_FLOAT, SLUICE_COMPLEX128 };
  for (guint d = 0; d < G_N_ELEMENTS (dtypes); d++)
    for (gint64 n = 2; n < 70; n++)
      {
        g_autoptr (SluiceTensor) tensor = sluice_tensor_new_zeros (dtypes[d], &SLUICE_SHAPE (n));
        gsize size = sluice_dtype_size (dtypes[d]), length;
        for (gsize i = 0; i < n * size; i++)
          ((guint8 *) tensor->data)[i] = (guint8) (i % size + 1);
        g_autoptr (GBytes) bytes = sluice_tensor_to_proto (tensor, NULL);
        const guint8 *data = g_bytes_get_data (bytes, &length);
        g_assert_cmpuint (length, <, 40);
        g_autoptr (GError) error = NULL;
        g_autoptr (SluiceTensor) back = sluice_tensor_from_proto (data, length, &error);
        g_assert_no_error (error);
        g_assert_true (sluice_tensor_identical (tensor, back));
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  for (guint i = 0; i < G_N_ELEMENTS (bad_files); i++)
    {
      g_autofree char *path = g_strconcat ("/graphdef/bad-file/", bad_files[i].name, NULL);
      g_test_add_data_func (path, &bad_files[i], test_bad_file);
    }
  for (guint i = 0; i < G_N_ELEMENTS (bad_nodes); i++)
    {
      g_autofree char *path = g_strconcat ("/graphdef/bad-node/", bad_nodes[i].name, NULL);
      g_test_add_data_func (path, &bad_nodes[i], test_bad_node);
    }
  g_test_add_func ("/graphdef/failed-import", test_failed_import_changes_nothing);
  g_test_add_func ("/graphdef/deep-text", test_deep_text);
  g_test_add_func ("/graphdef/deep-binary", test_deep_binary);
  g_test_add_func ("/graphdef/truncated", test_truncated);
  g_test_add_func ("/graphdef/gzip", test_gzip);
  g_test_add_func ("/graphdef/no-file", test_no_file);
  g_test_add_func ("/graphdef/cycles", test_cycles);
  g_test_add_func ("/graphdef/loop-in-any-order", test_loop_in_any_order);
  g_test_add_func ("/graphdef/later-defaults", test_later_defaults);
  g_test_add_func ("/graphdef/unknown-op", test_unknown_op_is_kept);
  g_test_add_func ("/graphdef/unknown-fields", test_unknown_fields_are_kept);
  g_test_add_func ("/graphdef/meta-graph", test_meta_graph);
  g_test_add_func ("/graphdef/old-producers", test_old_producers);
  g_test_add_func ("/graphdef/export-flags", test_export_flags);
  g_test_add_func ("/graphdef/hash", test_hash);
  g_test_add_func ("/graphdef/unplaced-hash", test_unplaced_hash);
  g_test_add_func ("/graphdef/tensor-forms", test_tensor_forms);
  g_test_add_func ("/graphdef/tensor-proto", test_tensor_proto);
  g_test_add_func ("/graphdef/repeated-value", test_repeated_value);
  return g_test_run ();
}

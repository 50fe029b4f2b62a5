/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * ParseExample, ParseSequenceExample and their like: serialized Examples to tensors, one or a few a
 * feature: dense, sparse or ragged.
 */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "engine/graph/shape-context.h"
#include "kernels/io/parse-form.h"

/* The shapes of one sort, for serialized strings of that shape; single_splits: of a ragged one
 * without a dimension of examples. */
typedef struct
{
  SluiceShapeContext *c;
  const SluiceShape *serialized;
  guint first, n; /* outputs: all first ones, then all second ones … */
} Outputs;

static void
set_all (const Outputs *self, guint part, const SluiceShape *shape)
{
  for (guint i = 0; i < self->n; i++)
    sluice_shape_context_set (self->c, self->first + part * self->n + i, shape);
}

/* Coordinates have so many numbers beside the example's. */
static void
set_sparse (const Outputs *self, int rank)
{
  gint64 numbers = self->serialized->rank < 0 ? SLUICE_UNKNOWN_DIM : rank + self->serialized->rank;
  set_all (self, 0, &SLUICE_SHAPE (SLUICE_UNKNOWN_DIM, numbers));
  set_all (self, 1, &SLUICE_SHAPE (SLUICE_UNKNOWN_DIM));
  set_all (self, 2, &SLUICE_SHAPE (numbers));
}

/* Each its own shape, behind that of the strings and, of lists, the steps. */
static void
set_dense (const Outputs *self, const SluiceAttrValue *shapes, gboolean is_list)
{
  for (guint i = 0; i < self->n && i < shapes->list.n; i++)
    {
      const SluiceShape *shape = &shapes->list.items[i].shape;
      SluiceShape whole = *self->serialized;
      if (whole.rank < 0 || shape->rank < 0 || whole.rank + is_list + shape->rank > SLUICE_MAX_RANK)
        continue;
      if (is_list)
        whole.dim[whole.rank++] = SLUICE_UNKNOWN_DIM;
      for (int d = 0; d < shape->rank; d++)
        whole.dim[whole.rank++] = shape->dim[d];
      sluice_shape_context_set (self->c, self->first + i, &whole);
    }
}

static void
set_splits (const Outputs *self, guint part, const SluiceShape *single)
{
  if (self->serialized->rank == 0)
    set_all (self, part, single);
  else if (self->serialized->rank == 1)
    {
      gint64 n = self->serialized->dim[0];
      set_all (self, part, &SLUICE_SHAPE (n < 0 ? SLUICE_UNKNOWN_DIM : n + 1));
    }
}

static void
set_sort (const Outputs *self, SluiceSort sort)
{
  const SluiceNode *node = self->c->node;
  const SluiceForm *form = sluice_form_of (node);
  const SluiceShape vector = SLUICE_SHAPE (SLUICE_UNKNOWN_DIM);
  switch (sort)
    {
    case SLUICE_SORT_SPARSE:
      set_sparse (self, 1);
      break;
    case SLUICE_SORT_DENSE:
      set_dense (self, sluice_form_shapes (node, sort), FALSE);
      break;
    case SLUICE_SORT_RAGGED:
      set_all (self, 0, &vector);
      set_splits (self, 1, form->is_sequence ? &SLUICE_SHAPE_SCALAR : &SLUICE_SHAPE (0));
      break;
    case SLUICE_SORT_LIST_SPARSE:
      set_sparse (self, 2);
      break;
    case SLUICE_SORT_LIST_DENSE:
      set_dense (self, sluice_form_shapes (node, sort), TRUE);
      if (form->has_ragged)
        set_all (self, 1, self->serialized);
      break;
    default:
      set_all (self, 0, &vector);
      set_splits (self, 1, &SLUICE_SHAPE_SCALAR);
      set_all (self, 2, &vector);
    }
}

static gboolean
parse_shape (SluiceShapeContext *c, GError **error)
{
  const SluiceForm *form = sluice_form_of (c->node);
  SluiceShape serialized = c->inputs[0];
  g_autoptr (GError) reason = NULL;
  if (form->rank >= 0)
    {
      if (!sluice_shape_context_want_rank (c, 0, form->rank, error))
        return FALSE;
      if (serialized.rank < 0)
        serialized = sluice_shape_of_rank (form->rank);
    }
  else if (serialized.rank > 1)
    return sluice_shape_context_want_rank (c, 0, 1, error);
  if (!sluice_form_check (c->node, &reason))
    return sluice_shape_context_fail (c, error, "%s", reason->message);
  Outputs outputs = { c, &serialized, 0, 0 };
  for (int sort = 0; sort < SLUICE_N_SORTS; sort++)
    {
      outputs.n = sluice_form_count (c->node, sort);
      if (outputs.n > 0)
        set_sort (&outputs, sort);
      outputs.first += outputs.n * sluice_form_outputs (form, sort);
    }
  return TRUE;
}

/* ---- definitions ---- */

#define RECIPE(id, ...)                                                                            \
  static const SluiceSample id##_samples[] = { __VA_ARGS__ };                                      \
  static const SluiceRecipe id##_recipe = { .samples = id##_samples,                               \
                                            .n_samples = G_N_ELEMENTS (id##_samples) }

/* { a: int64 [5, 6] }, as an Example and as a context; and { w: [["a"], ["b"]] } as lists. */
#define TWO_INTS "\x0a\x0d\x0a\x0b\x0a\x01\x61\x12\x06\x1a\x04\x0a\x02\x05\x06"
#define WORDS                                                                                      \
  "\x12\x19\x0a\x17\x0a\x01\x77\x12\x12\x0a\x07\x0a\x05\x0a\x03\x0a\x01\x61\x0a\x07\x0a\x05\x0a"   \
  "\x03\x0a\x01\x62"

RECIPE (example,
        { "Nsparse=1; Ndense=1; sparse_types=[int64]; Tdense=[float]; dense_shapes=[[2]]",
          "string[2]={'" TWO_INTS "',''}; string[0]={}; string[]='a'; string[]='b'; "
          "float[2]={7,8}" },
        { "Nsparse=0; Ndense=1; sparse_types=[]; Tdense=[int64]; dense_shapes=[[?]]",
          "string[2]={'" TWO_INTS "',''}; string[0]={}; string[]='a'; int64[1]={9}" });
RECIPE (example_v2,
        { "num_sparse=1; sparse_types=[int64]; Tdense=[float]; dense_shapes=[[2]]; "
          "ragged_value_types=[int64]; ragged_split_types=[int32]",
          "string[2]={'" TWO_INTS "',''}; string[0]={}; string[1]={'a'}; string[1]={'b'}; "
          "string[1]={'a'}; float[2]={7,8}" },
        { "num_sparse=0; sparse_types=[]; Tdense=[]; dense_shapes=[]; "
          "ragged_value_types=[int64]; ragged_split_types=[int64]",
          "string[]='" TWO_INTS "'; string[0]={}; string[0]={}; string[0]={}; string[1]={'a'}" });
RECIPE (single,
        { "num_sparse=1; sparse_keys=['a']; dense_keys=['a']; sparse_types=[int64]; "
          "Tdense=[int64]; dense_shapes=[[2]]",
          "string[]='" TWO_INTS "'; int64[0]={}" });
RECIPE (sequence,
        { "feature_list_dense_missing_assumed_empty=['w']; context_sparse_keys=['a']; "
          "context_dense_keys=[]; feature_list_sparse_keys=['w']; feature_list_dense_keys=['w']; "
          "Ncontext_sparse=1; Nfeature_list_sparse=1; Nfeature_list_dense=1; "
          "context_sparse_types=[int64]; feature_list_sparse_types=[string]; "
          "feature_list_dense_types=[string]; feature_list_dense_shapes=[[1]]",
          "string[2]={'" TWO_INTS WORDS "',''}; string[0]={}" });
RECIPE (sequence_v2,
        { "Ncontext_sparse=0; Nfeature_list_dense=1; Tcontext_dense=[int64]; "
          "context_dense_shapes=[[2]]; feature_list_dense_types=[string]; "
          "feature_list_dense_shapes=[[]]; context_ragged_value_types=[int64]; "
          "context_ragged_split_types=[int32]; feature_list_ragged_value_types=[string]; "
          "feature_list_ragged_split_types=[int64]",
          "string[2]={'" TWO_INTS WORDS "',''}; string[0]={}; string[0]={}; string[1]={'a'}; "
          "string[1]={'a'}; string[0]={}; string[1]={'w'}; string[1]={'w'}; bool[1]={true}; "
          "int64[2]={1,2}" });
RECIPE (single_sequence,
        { "Ncontext_dense=1; Nfeature_list_sparse=1; Tcontext_dense=[int64]; "
          "context_dense_shapes=[[2]]; feature_list_sparse_types=[string]",
          "string[]='" TWO_INTS WORDS "'; string[0]={}; string[]='a'; string[]='w'; "
          "int64[0]={}; string[]=''" },
        { "Nfeature_list_dense=1; feature_list_dense_types=[float]; "
          "feature_list_dense_shapes=[[2]]",
          "string[]=''; string[1]={'t'}; string[]='t'; string[]=''" });

#define PARSE_OP(id, op_name, inputs, outputs, op_attrs, text)                                     \
  SLUICE_OP_DEF (id##_op, op_name, "serialized: string, " inputs " -> " outputs, op_attrs,         \
                 SLUICE_OP_NOT_DIFFERENTIABLE, parse_shape, &id##_recipe, text)

#define SPARSE(prefix, n)                                                                          \
  prefix "sparse_indices: " n " * int64, " prefix "sparse_values: " prefix "sparse_types, " prefix \
         "sparse_shapes: " n " * int64"
#define EXAMPLE_OUTPUTS(n) SPARSE ("", n) ", dense_values: Tdense"
#define CONTEXT_OUTPUTS                                                                            \
  SPARSE ("context_", "Ncontext_sparse") ", context_dense_values: Tcontext_dense"
#define LIST_OUTPUTS                                                                               \
  SPARSE ("feature_list_", "Nfeature_list_sparse")                                                 \
  ", feature_list_dense_values: feature_list_dense_types"
#define LIST_LENGTHS ", feature_list_dense_lengths: Nfeature_list_dense * int64"

#define VALUES        "list({float, int64, string}) >= 0"
#define SPLITS        "list({int32, int64}) >= 0"
#define EXAMPLE_ATTRS "sparse_types: " VALUES "; Tdense: " VALUES "; dense_shapes: list(shape) >= 0"
#define SEQUENCE_ATTRS                                                                             \
  "Ncontext_sparse: int >= 0 = 0; Nfeature_list_sparse: int >= 0 = 0; "                            \
  "Nfeature_list_dense: int >= 0 = 0; context_sparse_types: " VALUES " = []; "                     \
  "Tcontext_dense: " VALUES " = []; feature_list_dense_types: " VALUES " = []; "                   \
  "context_dense_shapes: list(shape) >= 0 = []; feature_list_sparse_types: " VALUES " = []; "      \
  "feature_list_dense_shapes: list(shape) >= 0 = []"

#define EXAMPLES_TEXT N_ ("Features out of serialized Examples")
PARSE_OP (example,
          "ParseExample",
          "names: string, sparse_keys: Nsparse * string, dense_keys: Ndense * string, "
          "dense_defaults: Tdense",
          EXAMPLE_OUTPUTS ("Nsparse"),
          "Nsparse: int >= 0; Ndense: int >= 0; " EXAMPLE_ATTRS,
          EXAMPLES_TEXT);
PARSE_OP (example_v2,
          "ParseExampleV2",
          "names: string, sparse_keys: string, dense_keys: string, ragged_keys: string, "
          "dense_defaults: Tdense",
          EXAMPLE_OUTPUTS ("num_sparse") ", ragged_values: ragged_value_types, "
                                         "ragged_row_splits: ragged_split_types",
          "num_sparse: int >= 0; " EXAMPLE_ATTRS "; ragged_value_types: " VALUES
          "; ragged_split_types: " SPLITS,
          EXAMPLES_TEXT);
PARSE_OP (single,
          "ParseSingleExample",
          "dense_defaults: Tdense",
          EXAMPLE_OUTPUTS ("num_sparse"),
          "num_sparse: int >= 0; sparse_keys: list(string) >= 0; dense_keys: list(string) >= "
          "0; " EXAMPLE_ATTRS,
          N_ ("Features out of a serialized Example"));

#define SEQUENCES_TEXT N_ ("Features out of serialized SequenceExamples")
PARSE_OP (
    sequence,
    "ParseSequenceExample",
    "debug_name: string, context_dense_defaults: Tcontext_dense",
    CONTEXT_OUTPUTS ", " LIST_OUTPUTS LIST_LENGTHS,
    "feature_list_dense_missing_assumed_empty: list(string) >= 0; "
    "context_sparse_keys: list(string) >= 0; context_dense_keys: list(string) >= 0; "
    "feature_list_sparse_keys: list(string) >= 0; "
    "feature_list_dense_keys: list(string) >= 0; Ncontext_dense: int >= 0 = 0; " SEQUENCE_ATTRS,
    SEQUENCES_TEXT);
PARSE_OP (sequence_v2,
          "ParseSequenceExampleV2",
          "debug_name: string, context_sparse_keys: string, context_dense_keys: string, "
          "context_ragged_keys: string, feature_list_sparse_keys: string, "
          "feature_list_dense_keys: string, feature_list_ragged_keys: string, "
          "feature_list_dense_missing_assumed_empty: bool, "
          "context_dense_defaults: Tcontext_dense",
          CONTEXT_OUTPUTS
          ", context_ragged_values: context_ragged_value_types, "
          "context_ragged_row_splits: context_ragged_split_types, " LIST_OUTPUTS LIST_LENGTHS
          ", feature_list_ragged_values: feature_list_ragged_value_types, "
          "feature_list_ragged_outer_splits: feature_list_ragged_split_types, "
          "feature_list_ragged_inner_splits: feature_list_ragged_split_types",
          SEQUENCE_ATTRS "; context_ragged_value_types: " VALUES " = []; "
                         "context_ragged_split_types: " SPLITS " = []; "
                         "feature_list_ragged_value_types: " VALUES " = []; "
                         "feature_list_ragged_split_types: " SPLITS " = []",
          SEQUENCES_TEXT);
PARSE_OP (single_sequence,
          "ParseSingleSequenceExample",
          "feature_list_dense_missing_assumed_empty: string, "
          "context_sparse_keys: Ncontext_sparse * string, "
          "context_dense_keys: Ncontext_dense * string, "
          "feature_list_sparse_keys: Nfeature_list_sparse * string, "
          "feature_list_dense_keys: Nfeature_list_dense * string, "
          "context_dense_defaults: Tcontext_dense, debug_name: string",
          CONTEXT_OUTPUTS ", " LIST_OUTPUTS,
          "Ncontext_dense: int >= 0 = 0; " SEQUENCE_ATTRS,
          N_ ("Features out of a serialized SequenceExample"));

static const SluiceOpDef *const ops[] = {
  &example_op, &example_v2_op, &single_op, &sequence_op, &sequence_v2_op, &single_sequence_op,
};

const SluiceKernelModule sluice_module_io_parse_example = { .ops = ops,
                                                            .n_ops = G_N_ELEMENTS (ops) };

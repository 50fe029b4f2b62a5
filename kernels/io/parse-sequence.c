/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * ParseSingleSequenceExample: a serialized SequenceExample to one tensor a feature of its context,
 * and one a list of features: a row a step.
 */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/graph/shape-context.h"
#include "kernels/io/parse-feature.h"
#include "kernels/string/text.h"

/* The four sorts of features, in the order of inputs and outputs. */
enum
{
  CONTEXT_SPARSE,
  CONTEXT_DENSE,
  LIST_SPARSE,
  LIST_DENSE,
  N_SORTS
};

static const char *const counts[N_SORTS] = { "Ncontext_sparse", "Ncontext_dense",
                                             "Nfeature_list_sparse", "Nfeature_list_dense" };
static const char *const types[N_SORTS] = { "context_sparse_types", "Tcontext_dense",
                                            "feature_list_sparse_types",
                                            "feature_list_dense_types" };
static const char *const shapes[N_SORTS] = { NULL, "context_dense_shapes", NULL,
                                             "feature_list_dense_shapes" };

static guint
count_of (const SluiceNode *node, int sort)
{
  return (guint) sluice_node_get_int (node, counts[sort]);
}

/* ---- shapes ---- */

static void
set_sparse (SluiceShapeContext *c, guint first, guint n, int rank)
{
  for (guint i = 0; i < n; i++)
    {
      sluice_shape_context_set (c, first + i, &SLUICE_SHAPE (SLUICE_UNKNOWN_DIM, rank));
      sluice_shape_context_set (c, first + n + i, &SLUICE_SHAPE (SLUICE_UNKNOWN_DIM));
      sluice_shape_context_set (c, first + 2 * n + i, &SLUICE_SHAPE (rank));
    }
}

static void
set_dense (SluiceShapeContext *c, guint first, guint n, const char *attr, const SluiceShape *prefix)
{
  const SluiceAttrValue *list = sluice_node_get_attr (c->node, attr);
  for (guint i = 0; i < n && i < list->list.n; i++)
    {
      SluiceShape whole = *prefix, shape = list->list.items[i].shape;
      if (shape.rank < 0 || whole.rank + shape.rank > SLUICE_MAX_RANK)
        continue;
      for (int d = 0; d < shape.rank; d++)
        whole.dim[whole.rank++] = shape.dim[d];
      sluice_shape_context_set (c, first + i, &whole);
    }
}

static gboolean
sequence_shape (SluiceShapeContext *c, GError **error)
{
  guint n[N_SORTS], at = 0;
  for (int sort = 0; sort < N_SORTS; sort++)
    n[sort] = count_of (c->node, sort);
  if (!sluice_shape_context_want_rank (c, 0, 0, error)
      || !sluice_shape_context_want_rank (c, 1, 1, error))
    return FALSE;
  if (3 * (n[CONTEXT_SPARSE] + n[LIST_SPARSE]) + n[CONTEXT_DENSE] + n[LIST_DENSE] != c->n_outputs)
    return TRUE;
  set_sparse (c, at, n[CONTEXT_SPARSE], 1);
  at += 3 * n[CONTEXT_SPARSE];
  set_dense (c, at, n[CONTEXT_DENSE], shapes[CONTEXT_DENSE], &SLUICE_SHAPE_SCALAR);
  at += n[CONTEXT_DENSE];
  set_sparse (c, at, n[LIST_SPARSE], 2);
  at += 3 * n[LIST_SPARSE];
  set_dense (c, at, n[LIST_DENSE], shapes[LIST_DENSE], &SLUICE_SHAPE (SLUICE_UNKNOWN_DIM));
  return TRUE;
}

/* ---- kernel ---- */

typedef struct
{
  guint n[N_SORTS];
  guint first[N_SORTS]; /* in wants */
  guint n_wants;
  SluiceWant wants[];
} Parser;

static gboolean
parser_fill (Parser *self, const SluiceNode *node, GError **error)
{
  for (int sort = 0; sort < N_SORTS; sort++)
    {
      const SluiceAttrValue *list = sluice_node_get_attr (node, types[sort]);
      const SluiceAttrValue *forms =
          shapes[sort] ? sluice_node_get_attr (node, shapes[sort]) : NULL;
      if (list->list.n != self->n[sort] || (forms != NULL && forms->list.n != self->n[sort]))
        return sluice_fail (
            error, SLUICE_ERROR_INVALID_ARGUMENT, "%s is %u, but there are %u types%s of them",
            counts[sort], self->n[sort], list->list.n,
            forms && forms->list.n != self->n[sort] ? " and not as many shapes" : "");
      for (guint i = 0; i < self->n[sort]; i++)
        {
          SluiceWant *want = &self->wants[self->first[sort] + i];
          want->dtype = list->list.items[i].type;
          want->is_dense = forms != NULL;
          if (forms != NULL
              && !sluice_want_set_shape (want, &forms->list.items[i].shape, FALSE, error))
            return FALSE;
        }
    }
  return TRUE;
}

static gpointer
parser_prepare (const SluiceNode *node, GError **error)
{
  Parser sizes = { 0 };
  for (int sort = 0; sort < N_SORTS; sort++)
    {
      sizes.n[sort] = count_of (node, sort);
      sizes.first[sort] = sizes.n_wants;
      sizes.n_wants += sizes.n[sort];
    }
  Parser *self = g_malloc0 (sizeof (Parser) + sizes.n_wants * sizeof (SluiceWant));
  *self = sizes;
  g_autoptr (GError) reason = NULL;
  if (parser_fill (self, node, &reason))
    return self;
  sluice_fail (error, reason->code, "%s '%s': %s", node->op_name, node->name, reason->message);
  g_free (self);
  return NULL;
}

/* [n,1] with 0 … n-1, the values, n; output `output` of `n_outputs` each. */
static gboolean
give_context_sparse (SluiceKernelCall *call,
                     guint output,
                     guint n_outputs,
                     const SluiceFeature *feature)
{
  gint64 n = sluice_feature_count (feature);
  SluiceTensor *indices = sluice_call_output (call, output, &SLUICE_SHAPE (n, 1));
  SluiceTensor *values =
      indices ? sluice_call_output (call, output + n_outputs, &SLUICE_SHAPE (n)) : NULL;
  SluiceTensor *shape =
      values ? sluice_call_output (call, output + 2 * n_outputs, &SLUICE_SHAPE (1)) : NULL;
  if (shape == NULL)
    return FALSE;
  for (gint64 i = 0; i < n; i++)
    ((gint64 *) indices->data)[i] = i;
  sluice_feature_copy (feature, values, 0);
  *(gint64 *) shape->data = n;
  return TRUE;
}

static gboolean
give_context (SluiceKernelCall *call,
              const SluiceWants *wants,
              const Sluice__Example__Features *context)
{
  const Parser *self = call->state;
  g_autofree const SluiceFeature **found = g_new0 (const SluiceFeature *, wants->n + 1);
  g_autoptr (GError) error = NULL;
  if (!sluice_wants_find (wants, context, found, &error))
    return sluice_call_fail (call, error->code, "context: %s", error->message);
  guint n_sparse = self->n[CONTEXT_SPARSE];
  for (guint i = 0; i < n_sparse; i++)
    if (!give_context_sparse (call, i, n_sparse, found[i]))
      return FALSE;
  for (guint i = n_sparse; i < wants->n; i++)
    {
      const SluiceWant *want = &wants->wants[i];
      SluiceTensor *out = sluice_call_output (call, 2 * n_sparse + i, &want->shape);
      if (out == NULL)
        return FALSE;
      if (found[i] != NULL)
        sluice_feature_copy (found[i], out, 0);
      else if (want->n > 0)
        sluice_elements_copy (want->dtype, out->data, want->fallback->data, want->n);
    }
  return TRUE;
}

typedef Sluice__Example__FeatureList FeatureList;

/* Rows of any number of values: (step, position), the values, [steps, longest]. */
static gboolean
give_list_sparse (SluiceKernelCall *call, guint output, guint n_outputs, const FeatureList *list)
{
  gint64 steps = list ? (gint64) list->n_feature : 0, total = 0, most = 0, at = 0;
  for (gint64 t = 0; t < steps; t++)
    {
      gint64 n = sluice_feature_count (list->feature[t]);
      total += n;
      most = MAX (most, n);
    }
  SluiceTensor *indices = sluice_call_output (call, output, &SLUICE_SHAPE (total, 2));
  SluiceTensor *values =
      indices ? sluice_call_output (call, output + n_outputs, &SLUICE_SHAPE (total)) : NULL;
  SluiceTensor *shape =
      values ? sluice_call_output (call, output + 2 * n_outputs, &SLUICE_SHAPE (2)) : NULL;
  if (shape == NULL)
    return FALSE;
  gint64 *index = indices->data;
  for (gint64 t = 0; t < steps; t++)
    {
      gint64 n = sluice_feature_count (list->feature[t]);
      sluice_feature_copy (list->feature[t], values, at);
      at += n;
      for (gint64 i = 0; i < n; i++)
        {
          *index++ = t;
          *index++ = i;
        }
    }
  ((gint64 *) shape->data)[0] = steps;
  ((gint64 *) shape->data)[1] = most;
  return TRUE;
}

static gboolean
give_list_dense (SluiceKernelCall *call,
                 guint output,
                 const SluiceWant *want,
                 const FeatureList *list)
{
  gint64 steps = list ? (gint64) list->n_feature : 0;
  SluiceTensor *out = sluice_call_output_rows (call, output, steps, &want->shape);
  for (gint64 t = 0; out != NULL && t < steps; t++)
    sluice_feature_copy (list->feature[t], out, t * want->n);
  return out != NULL;
}

/* May the list be missing? Input 1 names those. */
static gboolean
may_be_missing (SluiceKernelCall *call, const SluiceWant *want)
{
  const SluiceTensor *names = sluice_call_input (call, 1);
  for (gint64 i = 0; i < names->n_elements; i++)
    {
      const SluiceString *name = sluice_tensor_get_string (names, i);
      if (name->length == want->key.length
          && (name->length == 0 || memcmp (name->data, want->key.data, name->length) == 0))
        return TRUE;
    }
  return FALSE;
}

static gboolean
check_list (SluiceKernelCall *call, const SluiceWant *want, const FeatureList *list)
{
  g_autoptr (GError) error = NULL;
  if (list == NULL && want->is_dense && !may_be_missing (call, want))
    {
      g_autofree char *key = sluice_string_quote (&want->key);
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "feature list %s is missing, and is not among "
                               "feature_list_dense_missing_assumed_empty",
                               key);
    }
  for (gsize t = 0; list != NULL && t < list->n_feature; t++)
    {
      const SluiceFeature *feature = list->feature[t];
      if (!want->is_dense && feature->kind_case == SLUICE__EXAMPLE__FEATURE__KIND__NOT_SET)
        continue;
      if (!sluice_want_check_dtype (want, feature, &error)
          || (want->is_dense && !sluice_want_check_count (want, feature, &error)))
        return sluice_call_fail (
            call, error->code, "step %" G_GSIZE_FORMAT " of a feature list: %s", t, error->message);
    }
  return TRUE;
}

static gboolean
give_lists (SluiceKernelCall *call,
            const SluiceWants *wants,
            const Sluice__Example__FeatureLists *lists)
{
  const Parser *self = call->state;
  guint output = 3 * self->n[CONTEXT_SPARSE] + self->n[CONTEXT_DENSE];
  guint n_sparse = self->n[LIST_SPARSE];
  g_autofree const FeatureList **found = g_new0 (const FeatureList *, wants->n + 1);
  static const FeatureList none = SLUICE__EXAMPLE__FEATURE_LIST__INIT;
  for (gsize i = 0; lists != NULL && i < lists->n_feature_list; i++)
    {
      const Sluice__Example__FeatureListEntry *entry = lists->feature_list[i];
      for (guint at = sluice_wants_lookup (wants, &entry->key); at > 0; at = wants->earlier[at - 1])
        found[at - 1] = entry->value ? entry->value : &none;
    }
  for (guint i = 0; i < wants->n; i++)
    if (!check_list (call, &wants->wants[i], found[i])
        || !(i < n_sparse
                 ? give_list_sparse (call, output + i, n_sparse, found[i])
                 : give_list_dense (call, output + 2 * n_sparse + i, &wants->wants[i], found[i])))
      return FALSE;
  return TRUE;
}

/* Keys and defaults are inputs, behind the bytes and the names of lists that may be missing. */
static gboolean
read_inputs (SluiceKernelCall *call, SluiceWant *wants)
{
  const Parser *self = call->state;
  if (!sluice_call_want_scalar (call, 0) || !sluice_call_want_rank (call, 1, 1)
      || !sluice_call_want_scalar (call, call->n_inputs - 1))
    return FALSE;
  for (guint i = 0; i < self->n_wants; i++)
    {
      if (!sluice_call_want_scalar (call, 2 + i))
        return FALSE;
      wants[i].key = *sluice_tensor_get_string (sluice_call_input (call, 2 + i), 0);
    }
  for (guint i = 0; i < self->n[CONTEXT_DENSE]; i++)
    {
      g_autoptr (GError) error = NULL;
      if (!sluice_want_set_fallback (&wants[self->first[CONTEXT_DENSE] + i],
                                     sluice_call_input (call, 2 + self->n_wants + i), &error))
        return sluice_call_fail (call, error->code, "%s", error->message);
    }
  return TRUE;
}

static gboolean
sequence_compute (SluiceKernelCall *call)
{
  const Parser *self = call->state;
  g_autofree SluiceWant *wants = g_memdup2 (self->wants, self->n_wants * sizeof (SluiceWant));
  if (!read_inputs (call, wants))
    return FALSE;
  g_autoptr (GError) error = NULL;
  Sluice__Example__SequenceExample *example = sluice_example_unpack (
      &sluice__example__sequence_example__descriptor, sluice_call_input (call, 0)->data, &error);
  if (example == NULL)
    return sluice_call_fail (call, error->code, "%s", error->message);
  g_auto (SluiceWants) context, lists;
  guint n_context = self->first[LIST_SPARSE];
  sluice_wants_init (&context, wants, n_context);
  sluice_wants_init (&lists, wants + n_context, self->n_wants - n_context);
  gboolean ok = give_context (call, &context, example->context)
                && give_lists (call, &lists, example->feature_lists);
  protobuf_c_message_free_unpacked (&example->base, NULL);
  return ok;
}

/* { context { len: 2 } feature_lists { w: ["a"], ["bc"] } } */
#define SEQUENCE                                                                                   \
  "\x0a\x0e\x0a\x0c\x0a\x03len\x12\x05\x1a\x03\x0a\x01\x02\x12\x19\x0a\x17\x0a\x01w\x12\x12"       \
  "\x0a\x07\x0a\x05\x0a\x03\x0a\x01"                                                               \
  "a\x0a\x07\x0a\x05\x0a\x03\x0a\x01"                                                              \
  "b"
static const SluiceSample samples[] = {
  { "Ncontext_dense=1; Nfeature_list_sparse=1; Tcontext_dense=[int64]; context_dense_shapes=[[]]; "
    "feature_list_sparse_types=[string]",
    "string[]='" SEQUENCE "'; string[0]={}; string[]='len'; string[]='w'; int64[]=7; string[]=''" },
  { "Nfeature_list_dense=1; feature_list_dense_types=[float]; feature_list_dense_shapes=[[2]]",
    "string[]=''; string[1]={'t'}; string[]='t'; string[]=''" },
};
static const SluiceRecipe recipe = { .samples = samples, .n_samples = G_N_ELEMENTS (samples) };

#define TYPES "list({float, int64, string}) >= 0 = []"
static const SluiceOpDef sequence_op = {
  .name = "ParseSingleSequenceExample",
  .signature =
      "serialized: string, feature_list_dense_missing_assumed_empty: string, "
      "context_sparse_keys: Ncontext_sparse * string, "
      "context_dense_keys: Ncontext_dense * string, "
      "feature_list_sparse_keys: Nfeature_list_sparse * string, "
      "feature_list_dense_keys: Nfeature_list_dense * string, "
      "context_dense_defaults: Tcontext_dense, debug_name: string -> "
      "context_sparse_indices: Ncontext_sparse * int64, "
      "context_sparse_values: context_sparse_types, "
      "context_sparse_shapes: Ncontext_sparse * int64, context_dense_values: Tcontext_dense, "
      "feature_list_sparse_indices: Nfeature_list_sparse * int64, "
      "feature_list_sparse_values: feature_list_sparse_types, "
      "feature_list_sparse_shapes: Nfeature_list_sparse * int64, "
      "feature_list_dense_values: feature_list_dense_types",
  .attrs = "Ncontext_sparse: int >= 0 = 0; Ncontext_dense: int >= 0 = 0; "
           "Nfeature_list_sparse: int >= 0 = 0; Nfeature_list_dense: int >= 0 = 0; "
           "context_sparse_types: " TYPES "; Tcontext_dense: " TYPES
           "; feature_list_dense_types: " TYPES "; context_dense_shapes: list(shape) >= 0 = []; "
           "feature_list_sparse_types: " TYPES "; feature_list_dense_shapes: list(shape) >= 0 = []",
  .summary = N_ ("Features out of a serialized SequenceExample"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = sequence_shape,
  .recipe = &recipe,
};

static const SluiceOpDef *const ops[] = { &sequence_op };

static const SluiceKernel kernels[] = {
  { .op = "ParseSingleSequenceExample",
    .device = "CPU",
    .flags = SLUICE_KERNEL_KEEPS_DENORMALS,
    .prepare = parser_prepare,
    .free_state = g_free,
    .compute = sequence_compute },
};

const SluiceKernelModule sluice_module_io_parse_sequence = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};

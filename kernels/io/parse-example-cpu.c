/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <string.h>

#include "kernels/io/parse-batch.h"
#include "kernels/io/parse-form.h"
#include "kernels/string/text.h"

/* What the attributes say; keys and defaults join it in a call. */
typedef struct
{
  const SluiceForm *form;
  guint n[SLUICE_N_SORTS], first[SLUICE_N_SORTS]; /* in wants */
  guint n_wants, n_context;                       /* all, and those that are no lists */
  SluiceWant wants[];
} Parser;

static gboolean
parser_fill (Parser *self, const SluiceNode *node, GError **error)
{
  for (int sort = 0; sort < SLUICE_N_SORTS; sort++)
    {
      const SluiceAttrValue *types = sluice_form_types (node, sort);
      const SluiceAttrValue *shapes = sluice_form_shapes (node, sort);
      const SluiceAttrValue *keys = sluice_form_keys (node, sort);
      for (guint i = 0; i < self->n[sort]; i++)
        {
          SluiceWant *want = &self->wants[self->first[sort] + i];
          want->dtype = types->list.items[i].type;
          want->is_dense = shapes != NULL;
          if (keys != NULL)
            want->key = keys->list.items[i].s;
          if (shapes != NULL
              && !sluice_want_set_shape (want, &shapes->list.items[i].shape,
                                         !self->form->is_sequence, error))
            return FALSE;
        }
    }
  return TRUE;
}

static gboolean
same_string (const SluiceString *a, const SluiceString *b)
{
  return a->length == b->length && (a->length == 0 || memcmp (a->data, b->data, a->length) == 0);
}

/* A list that is named here may be missing. */
static void
allow_missing (const Parser *self, SluiceWant *wants, const SluiceString *name)
{
  for (guint i = 0; i < self->n[SLUICE_SORT_LIST_DENSE]; i++)
    {
      SluiceWant *want = &wants[self->first[SLUICE_SORT_LIST_DENSE] + i];
      want->may_be_missing |= same_string (&want->key, name);
    }
}

#define MISSING_ATTR "feature_list_dense_missing_assumed_empty"

static gpointer
parser_prepare (const SluiceNode *node, GError **error)
{
  Parser sizes = { .form = sluice_form_of (node) };
  for (int sort = 0; sort < SLUICE_N_SORTS; sort++)
    {
      sizes.n[sort] = sluice_form_count (node, sort);
      sizes.first[sort] = sizes.n_wants;
      sizes.n_wants += sizes.n[sort];
      if (sort < SLUICE_SORT_LIST_SPARSE)
        sizes.n_context = sizes.n_wants;
    }
  Parser *self = g_malloc0 (sizeof (Parser) + sizes.n_wants * sizeof (SluiceWant));
  *self = sizes;
  g_autoptr (GError) reason = NULL;
  if (!sluice_form_check (node, &reason) || !parser_fill (self, node, &reason))
    {
      sluice_node_fail (node, error, reason->code, "%s", reason->message);
      g_free (self);
      return NULL;
    }
  if (sluice_op_find_attr (node->op, MISSING_ATTR))
    {
      const SluiceAttrValue *names = sluice_node_get_attr (node, MISSING_ATTR);
      for (guint i = 0; i < names->list.n; i++)
        allow_missing (self, self->wants, &names->list.items[i].s);
    }
  return self;
}

/* ---- what the inputs say ---- */

static gboolean
read_scalar_keys (SluiceKernelCall *call, const Parser *self, SluiceWant *wants)
{
  for (guint i = 0; i < self->n_wants; i++)
    {
      guint input = self->form->first_key + i;
      if (!sluice_call_want_scalar (call, input))
        return FALSE;
      wants[i].key = *sluice_tensor_get_string (sluice_call_input (call, input), 0);
    }
  if (!self->form->is_sequence)
    return TRUE;
  if (!sluice_call_want_rank (call, 1, 1))
    return FALSE;
  const SluiceTensor *names = sluice_call_input (call, 1);
  for (gint64 i = 0; i < names->n_elements; i++)
    allow_missing (self, wants, sluice_tensor_get_string (names, i));
  return TRUE;
}

static guint
n_sorts (const Parser *self)
{
  return self->form->is_sequence ? SLUICE_N_SORTS : SLUICE_SORT_LIST_SPARSE;
}

static gboolean
read_vector_keys (SluiceKernelCall *call, const Parser *self, SluiceWant *wants)
{
  for (guint sort = 0; sort < n_sorts (self); sort++)
    {
      guint input = self->form->first_key + sort;
      const SluiceTensor *keys = sluice_call_input (call, input);
      if (!sluice_call_want_rank (call, input, 1))
        return FALSE;
      if (keys->n_elements != self->n[sort])
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "input %u holds %" G_GINT64_FORMAT " keys, the attributes have %u "
                                 "types for them",
                                 input, keys->n_elements, self->n[sort]);
      for (guint i = 0; i < self->n[sort]; i++)
        wants[self->first[sort] + i].key = *sluice_tensor_get_string (keys, i);
    }
  if (!self->form->is_sequence)
    return TRUE;
  guint input = self->form->first_key + SLUICE_N_SORTS, n = self->n[SLUICE_SORT_LIST_DENSE];
  const SluiceTensor *missing = sluice_call_input (call, input);
  if (missing->n_elements != n)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "input %u (" MISSING_ATTR ") holds %" G_GINT64_FORMAT
                             " elements, not %u",
                             input, missing->n_elements, n);
  for (guint i = 0; i < n; i++)
    wants[self->first[SLUICE_SORT_LIST_DENSE] + i].may_be_missing =
        ((const guint8 *) missing->data)[i];
  return TRUE;
}

static guint
first_default (const Parser *self)
{
  switch (self->form->keys)
    {
    case SLUICE_KEYS_SCALARS:
      return self->form->first_key + self->n_wants;
    case SLUICE_KEYS_VECTORS:
      return self->form->first_key + n_sorts (self) + self->form->is_sequence;
    default:
      return self->form->first_key;
    }
}

static gboolean
read_inputs (SluiceKernelCall *call, const Parser *self, SluiceWant *wants)
{
  const SluiceTensor *serialized = sluice_call_input (call, 0);
  if (self->form->rank >= 0 && !sluice_call_want_rank (call, 0, self->form->rank))
    return FALSE;
  if (serialized->shape.rank > 1)
    return sluice_call_want_rank (call, 0, 1);
  if ((self->form->keys == SLUICE_KEYS_SCALARS && !read_scalar_keys (call, self, wants))
      || (self->form->keys == SLUICE_KEYS_VECTORS && !read_vector_keys (call, self, wants)))
    return FALSE;
  /* Names of examples are for messages, which name the element instead. */
  if (!self->form->is_sequence && self->form->keys != SLUICE_KEYS_ATTRS
      && sluice_call_input (call, 1)->n_elements != 0
      && !sluice_shape_equal (&sluice_call_input (call, 1)->shape, &serialized->shape))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "input 1 (names) must be empty or as long as input 0 (serialized)");
  for (guint i = 0; i < self->n[SLUICE_SORT_DENSE]; i++)
    {
      g_autoptr (GError) error = NULL;
      if (!sluice_want_set_fallback (&wants[self->first[SLUICE_SORT_DENSE] + i],
                                     sluice_call_input (call, first_default (self) + i), &error))
        return sluice_call_fail (call, error->code, "%s", error->message);
    }
  return TRUE;
}

/* ---- one call ---- */

typedef struct
{
  SluiceExampleBatch batch;
  const Parser *parser;
  SluiceWants context, lists;
  void **messages; /* Example or SequenceExample, one an element */
} Parse;

static gboolean
check_list (const SluiceWant *want, const SluiceFeatureList *list, GError **error)
{
  if (list == NULL && want->is_dense && !want->may_be_missing)
    {
      g_autofree char *key = sluice_string_quote (&want->key);
      return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                          "feature list %s is missing, and is not named in " MISSING_ATTR, key);
    }
  for (gsize t = 0; list != NULL && t < list->n_feature; t++)
    {
      const SluiceFeature *feature = list->feature[t];
      if (!want->is_dense && feature->kind_case == SLUICE__EXAMPLE__FEATURE__KIND__NOT_SET)
        continue;
      if (!sluice_want_check_dtype (want, feature, error)
          || (want->is_dense && !sluice_want_check_count (want, feature, error)))
        return FALSE;
    }
  return TRUE;
}

static gboolean
find_lists (const SluiceWants *wants,
            const Sluice__Example__FeatureLists *lists,
            const SluiceFeatureList **found,
            GError **error)
{
  static const SluiceFeatureList none = SLUICE__EXAMPLE__FEATURE_LIST__INIT;
  for (gsize i = 0; lists != NULL && i < lists->n_feature_list; i++)
    {
      const Sluice__Example__FeatureListEntry *entry = lists->feature_list[i];
      for (guint at = sluice_wants_lookup (wants, &entry->key); at > 0; at = wants->earlier[at - 1])
        found[at - 1] = entry->value ? entry->value : &none;
    }
  for (guint i = 0; i < wants->n; i++)
    if (!check_list (&wants->wants[i], found[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
parse_one (gpointer data, gint64 i, GError **error)
{
  Parse *self = data;
  gboolean is_sequence = self->parser->form->is_sequence;
  const SluiceString *bytes = sluice_tensor_get_string (sluice_call_input (self->batch.call, 0), i);
  if (self->messages[i] == NULL)
    self->messages[i] =
        sluice_example_unpack (is_sequence ? &sluice__example__sequence_example__descriptor
                                           : &sluice__example__example__descriptor,
                               bytes, error);
  if (self->messages[i] == NULL)
    return FALSE;
  const SluiceFeature **found = self->batch.found + i * self->context.n;
  if (!is_sequence)
    return sluice_wants_find (
        &self->context, ((Sluice__Example__Example *) self->messages[i])->features, found, error);
  const Sluice__Example__SequenceExample *sequence = self->messages[i];
  return sluice_wants_find (&self->context, sequence->context, found, error)
         && find_lists (&self->lists, sequence->feature_lists,
                        self->batch.lists + i * self->lists.n, error);
}

/* One want's outputs. step: 0 where a dense list has no lengths. */
static gboolean
give (const Parse *self, SluiceSort sort, guint i, guint output, guint step)
{
  guint index = self->parser->first[sort] + i;
  const SluiceWant *want = &self->context.wants[index];
  const SluiceExampleBatch *batch = &self->batch;
  switch (sort)
    {
    case SLUICE_SORT_SPARSE:
      return sluice_example_batch_give_sparse (batch, index, output, step);
    case SLUICE_SORT_DENSE:
      return sluice_example_batch_give_dense (batch, index, want, output);
    case SLUICE_SORT_RAGGED:
      return sluice_example_batch_give_ragged (
          batch, index, output, step,
          self->parser->form->is_sequence ? &SLUICE_SHAPE_SCALAR : &SLUICE_SHAPE (0));
    case SLUICE_SORT_LIST_SPARSE:
      return sluice_example_batch_give_list_sparse (batch, index - self->context.n, output, step);
    case SLUICE_SORT_LIST_DENSE:
      return sluice_example_batch_give_list_dense (batch, index - self->context.n, want, output,
                                                   self->parser->form->has_ragged ? step : 0);
    default:
      return sluice_example_batch_give_list_ragged (batch, index - self->context.n, output, step);
    }
}

static gboolean
give_all (const Parse *self)
{
  guint output = 0;
  for (int sort = 0; sort < SLUICE_N_SORTS; sort++)
    {
      guint n = self->parser->n[sort];
      for (guint i = 0; i < n; i++)
        if (!give (self, sort, i, output + i, n))
          return FALSE;
      output += n * sluice_form_outputs (self->parser->form, sort);
    }
  return TRUE;
}

static gboolean
parse_all (Parse *self)
{
  SluiceKernelCall *call = self->batch.call;
  gsize n = (gsize) self->batch.n;
  self->messages = g_try_malloc0_n (n + 1, sizeof (gpointer));
  self->batch.found = g_try_malloc0_n (n * self->context.n + 1, sizeof (gpointer));
  self->batch.lists = g_try_malloc0_n (n * self->lists.n + 1, sizeof (gpointer));
  if (self->messages == NULL || self->batch.found == NULL || self->batch.lists == NULL)
    return sluice_call_fail (call, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                             "no memory for %" G_GINT64_FORMAT " examples", self->batch.n);
  double unit_ns = 1000.0 * (1 + self->context.n + self->lists.n);
  return sluice_call_each (call, self->batch.n, unit_ns, parse_one, self) && give_all (self);
}

static gboolean
parse_compute (SluiceKernelCall *call)
{
  const Parser *parser = call->state;
  guint n_lists = parser->n_wants - parser->n_context;
  g_autofree SluiceWant *wants = g_memdup2 (parser->wants, parser->n_wants * sizeof (SluiceWant));
  if (!read_inputs (call, parser, wants))
    return FALSE;
  const SluiceTensor *serialized = sluice_call_input (call, 0);
  Parse parse = { { call, serialized->shape.rank == 0, serialized->n_elements, parser->n_context,
                    n_lists, NULL, NULL },
                  parser };
  sluice_wants_init (&parse.context, wants, parser->n_context);
  sluice_wants_init (&parse.lists, n_lists ? wants + parser->n_context : NULL, n_lists);
  gboolean ok = parse_all (&parse);
  for (gint64 i = 0; parse.messages != NULL && i < parse.batch.n; i++)
    if (parse.messages[i] != NULL)
      protobuf_c_message_free_unpacked (parse.messages[i], NULL);
  g_free (parse.messages);
  g_free (parse.batch.found);
  g_free (parse.batch.lists);
  sluice_wants_clear (&parse.context);
  sluice_wants_clear (&parse.lists);
  return ok;
}

#define KERNEL(name)                                                                               \
  {                                                                                                \
    .op = name, .device = "CPU", .flags = SLUICE_KERNEL_KEEPS_DENORMALS,                           \
    .prepare = parser_prepare, .free_state = g_free, .compute = parse_compute                      \
  }
static const SluiceKernel kernels[] = {
  KERNEL ("ParseExample"),           KERNEL ("ParseExampleV2"),
  KERNEL ("ParseSingleExample"),     KERNEL ("ParseSequenceExample"),
  KERNEL ("ParseSequenceExampleV2"), KERNEL ("ParseSingleSequenceExample"),
};

const SluiceKernelModule sluice_module_io_parse_example_cpu = { .kernels = kernels,
                                                                .n_kernels =
                                                                    G_N_ELEMENTS (kernels) };

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/io/parse-feature.h"
#include "kernels/string/text.h"

/* What the attributes say; keys and defaults join it in a call. */
typedef struct
{
  guint n_sparse, n_dense;
  gboolean is_single;
  SluiceWant wants[]; /* the sparse ones, then the dense ones */
} Parser;

static guint
list_length (const SluiceNode *node, const char *name)
{
  return sluice_node_get_attr (node, name)->list.n;
}

/* Do the lists belong together? */
static gboolean
check_lists (const SluiceNode *node, gboolean is_single, GError **error)
{
  guint n_sparse = list_length (node, "sparse_types"), n_dense = list_length (node, "Tdense");
  guint sparse_keys =
      is_single ? list_length (node, "sparse_keys") : (guint) sluice_node_get_int (node, "Nsparse");
  guint dense_keys =
      is_single ? list_length (node, "dense_keys") : (guint) sluice_node_get_int (node, "Ndense");
  if ((!is_single || sluice_node_get_int (node, "num_sparse") == n_sparse)
      && sparse_keys == n_sparse && dense_keys == n_dense
      && list_length (node, "dense_shapes") == n_dense)
    return TRUE;
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                      "there are %u keys and %u types of sparse features, %u keys, %u types and %u "
                      "shapes of dense ones; they must be as many",
                      sparse_keys, n_sparse, dense_keys, n_dense,
                      list_length (node, "dense_shapes"));
}

static gboolean
parser_fill (Parser *self, const SluiceNode *node, GError **error)
{
  const SluiceAttrValue *types = sluice_node_get_attr (node, "sparse_types");
  for (guint i = 0; i < self->n_sparse; i++)
    self->wants[i].dtype = types->list.items[i].type;
  types = sluice_node_get_attr (node, "Tdense");
  const SluiceAttrValue *shapes = sluice_node_get_attr (node, "dense_shapes");
  for (guint i = 0; i < self->n_dense; i++)
    {
      SluiceWant *want = &self->wants[self->n_sparse + i];
      want->dtype = types->list.items[i].type;
      want->is_dense = TRUE;
      if (!sluice_want_set_shape (want, &shapes->list.items[i].shape, TRUE, error))
        return FALSE;
    }
  if (!self->is_single)
    return TRUE;
  const SluiceAttrValue *keys[] = { sluice_node_get_attr (node, "sparse_keys"),
                                    sluice_node_get_attr (node, "dense_keys") };
  for (guint i = 0; i < self->n_sparse; i++)
    self->wants[i].key = keys[0]->list.items[i].s;
  for (guint i = 0; i < self->n_dense; i++)
    self->wants[self->n_sparse + i].key = keys[1]->list.items[i].s;
  return TRUE;
}

static gpointer
parser_prepare (const SluiceNode *node, GError **error)
{
  gboolean is_single = g_str_equal (node->op_name, "ParseSingleExample");
  guint n_sparse = list_length (node, "sparse_types"), n_dense = list_length (node, "Tdense");
  Parser *self = g_malloc0 (sizeof (Parser) + (n_sparse + n_dense) * sizeof (SluiceWant));
  self->n_sparse = n_sparse;
  self->n_dense = n_dense;
  self->is_single = is_single;
  g_autoptr (GError) reason = NULL;
  if (check_lists (node, is_single, &reason) && parser_fill (self, node, &reason))
    return self;
  sluice_fail (error, reason->code, "%s '%s': %s", node->op_name, node->name, reason->message);
  g_free (self);
  return NULL;
}

/* One call: all examples unpacked, and what was found in each. */
typedef struct
{
  SluiceKernelCall *call;
  const Parser *parser;
  const SluiceWants *wants;
  gint64 n_examples;
  Sluice__Example__Example **examples;
  const SluiceFeature **found; /* n_examples rows of a want each */
} Parse;

static gboolean
unpack_one (gpointer data, gint64 i, GError **error)
{
  Parse *parse = data;
  const SluiceString *bytes = sluice_tensor_get_string (sluice_call_input (parse->call, 0), i);
  Sluice__Example__Example **example = &parse->examples[i];
  if (*example == NULL)
    *example = sluice_example_unpack (&sluice__example__example__descriptor, bytes, error);
  return *example != NULL
         && sluice_wants_find (parse->wants, (*example)->features,
                               parse->found + i * parse->wants->n, error);
}

static gint64
count_of (const Parse *parse, gint64 example, guint want)
{
  return sluice_feature_count (parse->found[example * parse->wants->n + want]);
}

static gboolean
give_sparse (Parse *parse, guint want)
{
  guint n = parse->parser->n_sparse;
  gint64 total = 0, most = 0, rank = parse->parser->is_single ? 1 : 2;
  for (gint64 i = 0; i < parse->n_examples; i++)
    {
      total += count_of (parse, i, want);
      most = MAX (most, count_of (parse, i, want));
    }
  SluiceKernelCall *call = parse->call;
  SluiceTensor *indices = sluice_call_output (call, want, &SLUICE_SHAPE (total, rank));
  SluiceTensor *values =
      indices ? sluice_call_output (call, n + want, &SLUICE_SHAPE (total)) : NULL;
  SluiceTensor *shape =
      values ? sluice_call_output (call, 2 * n + want, &SLUICE_SHAPE (rank)) : NULL;
  if (shape == NULL)
    return FALSE;
  gint64 *index = indices->data, at = 0;
  for (gint64 i = 0; i < parse->n_examples; i++)
    {
      gint64 count = count_of (parse, i, want);
      sluice_feature_copy (parse->found[i * parse->wants->n + want], values, at);
      for (gint64 k = 0; k < count; k++)
        {
          if (rank == 2)
            *index++ = i;
          *index++ = k;
        }
      at += count;
    }
  gint64 *size = shape->data;
  if (rank == 2)
    *size++ = parse->n_examples;
  *size = most;
  return TRUE;
}

static void
fill_with (SluiceTensor *to, gint64 at, gint64 n, const SluiceTensor *element)
{
  gsize size = sluice_dtype_size (to->dtype);
  for (gint64 i = at; i < at + n; i++)
    sluice_elements_copy (to->dtype, (char *) to->data + i * size, element->data, 1);
}

/* Examples one behind the other, each with the rows of the longest where that is open. */
static gboolean
give_dense (Parse *parse, guint output, guint want_index)
{
  const SluiceWant *want = &parse->wants->wants[want_index];
  SluiceShape shape = want->shape;
  gint64 most = 0, step = want->n;
  for (gint64 i = 0; want->is_variable && i < parse->n_examples; i++)
    most = MAX (most, count_of (parse, i, want_index));
  if (want->is_variable)
    {
      shape.dim[0] = want->n > 0 ? most / want->n : 0;
      step = most;
    }
  SluiceTensor *out =
      parse->parser->is_single
          ? sluice_call_output (parse->call, output, &shape)
          : sluice_call_output_rows (parse->call, output, parse->n_examples, &shape);
  if (out == NULL)
    return FALSE;
  for (gint64 i = 0; i < parse->n_examples; i++)
    {
      const SluiceFeature *feature = parse->found[i * parse->wants->n + want_index];
      gint64 count = sluice_feature_count (feature), at = i * step;
      sluice_feature_copy (feature, out, at);
      if (want->is_variable)
        fill_with (out, at + count, step - count, want->fallback);
      else if (feature == NULL && step > 0)
        sluice_elements_copy (out->dtype,
                              (char *) out->data + at * (gint64) sluice_dtype_size (out->dtype),
                              want->fallback->data, step);
    }
  return TRUE;
}

static gboolean
give_all (Parse *parse)
{
  for (guint i = 0; i < parse->parser->n_sparse; i++)
    if (!give_sparse (parse, i))
      return FALSE;
  for (guint i = 0; i < parse->parser->n_dense; i++)
    if (!give_dense (parse, 3 * parse->parser->n_sparse + i, parse->parser->n_sparse + i))
      return FALSE;
  return TRUE;
}

static gboolean
parse_all (SluiceKernelCall *call, const Parser *parser, const SluiceWants *wants)
{
  Parse parse = { call, parser, wants, sluice_call_input (call, 0)->n_elements };
  parse.examples = g_try_malloc0_n ((gsize) parse.n_examples + 1, sizeof (gpointer));
  parse.found = g_try_malloc0_n ((gsize) parse.n_examples * wants->n + 1, sizeof (gpointer));
  gboolean ok =
      parse.examples != NULL && parse.found != NULL
          ? sluice_call_each (call, parse.n_examples, 1000.0 * (1 + wants->n), unpack_one, &parse)
                && give_all (&parse)
          : sluice_call_fail (call, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                              "no memory for %" G_GINT64_FORMAT " examples", parse.n_examples);
  for (gint64 i = 0; parse.examples != NULL && i < parse.n_examples; i++)
    if (parse.examples[i] != NULL)
      protobuf_c_message_free_unpacked (&parse.examples[i]->base, NULL);
  g_free (parse.examples);
  g_free (parse.found);
  return ok;
}

/* ParseExample: keys are inputs. */
static gboolean
read_keys (SluiceKernelCall *call, const Parser *parser, SluiceWant *wants)
{
  for (guint i = 0; i < parser->n_sparse + parser->n_dense; i++)
    {
      if (!sluice_call_want_scalar (call, 2 + i))
        return FALSE;
      wants[i].key = *sluice_tensor_get_string (sluice_call_input (call, 2 + i), 0);
    }
  gint64 n_names = sluice_call_input (call, 1)->n_elements;
  if (n_names == 0 || n_names == sluice_call_input (call, 0)->n_elements)
    return TRUE;
  return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                           "input 1 (names) must be empty or as long as input 0 (serialized)");
}

static gboolean
parse_compute (SluiceKernelCall *call)
{
  const Parser *parser = call->state;
  guint n = parser->n_sparse + parser->n_dense;
  if (!sluice_call_want_rank (call, 0, parser->is_single ? 0 : 1))
    return FALSE;
  g_autofree SluiceWant *wants = g_memdup2 (parser->wants, n * sizeof (SluiceWant));
  if (!parser->is_single && !read_keys (call, parser, wants))
    return FALSE;
  guint first_default = parser->is_single ? 1 : 2 + n;
  for (guint i = 0; i < parser->n_dense; i++)
    {
      g_autoptr (GError) error = NULL;
      if (!sluice_want_set_fallback (&wants[parser->n_sparse + i],
                                     sluice_call_input (call, first_default + i), &error))
        return sluice_call_fail (call, error->code, "%s", error->message);
    }
  g_auto (SluiceWants) index;
  sluice_wants_init (&index, wants, n);
  return parse_all (call, parser, &index);
}

#define KERNEL(name)                                                                               \
  {                                                                                                \
    .op = name, .device = "CPU", .flags = SLUICE_KERNEL_KEEPS_DENORMALS,                           \
    .prepare = parser_prepare, .free_state = g_free, .compute = parse_compute                      \
  }
static const SluiceKernel kernels[] = { KERNEL ("ParseExample"), KERNEL ("ParseSingleExample") };

const SluiceKernelModule sluice_module_io_parse_example_cpu = { .kernels = kernels,
                                                                .n_kernels =
                                                                    G_N_ELEMENTS (kernels) };

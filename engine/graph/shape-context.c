/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/graph/shape-context-private.h"
#include "engine/graph/shape-context.h"

#include <string.h>

#include "engine/graph/graph-private.h"
#include "engine/graph/role.h"

/* ---- values known before a run ---- */

/* Folding is for shape arithmetic: what is larger waits for the run. */
#define MAX_FOLDED_ELEMENTS 4096
#define MAX_FOLDED_DEPTH    64

static SluiceConstantFolder constant_folder; /* set at start-up */
static gpointer constant_folder_data;

void
sluice_graph_set_constant_folder (SluiceConstantFolder folder, gpointer user_data)
{
  constant_folder = folder;
  constant_folder_data = user_data;
}

void
sluice_node_forget_constants (SluiceNode *node)
{
  SluiceNodeRecord *record = sluice_node_record (node);
  for (guint i = 0; record->constants != NULL && i < node->n_outputs; i++)
    g_clear_pointer (&record->constants[i], sluice_tensor_unref);
  g_clear_pointer (&record->constants, g_free);
}

static SluiceTensor *
make_ints (SluiceDType dtype, const SluiceShape *shape, const gint64 *values)
{
  SluiceTensor *tensor = sluice_tensor_new_zeros (dtype, shape);
  for (gint64 i = 0; i < tensor->n_elements; i++)
    if (dtype == SLUICE_INT64)
      ((gint64 *) tensor->data)[i] = values[i];
    else
      ((gint32 *) tensor->data)[i] = (gint32) values[i];
  return tensor;
}

/* What output `port` of Shape, ShapeN, Size or Rank measures: an input's shape, or of ops that take
 * nothing but resources (VariableShape) the shape of what the handle refers to. */
static const SluiceShape *
measured_shape (const SluiceNode *node, guint port)
{
  if (port >= node->n_inputs || node->inputs[port].node == NULL)
    return NULL;
  const SluiceOutput *in = &node->inputs[port].node->outputs[node->inputs[port].port];
  return node->op->inputs[0].type == SLUICE_RESOURCE ? &in->handle_shape : &in->shape;
}

/* The value of Shape, ShapeN, Size or Rank, from the static shape of what they measure. */
static SluiceTensor *
measure (const SluiceNode *node, guint output)
{
  SluiceDType dtype = node->outputs[output].dtype;
  const SluiceShape *shape = measured_shape (node, output);
  if (shape == NULL || (dtype != SLUICE_INT32 && dtype != SLUICE_INT64))
    return NULL;
  gint64 rank = shape->rank, size = sluice_shape_n_elements (shape);
  switch (node->op->def->role)
    {
    case SLUICE_ROLE_RANK:
      return rank >= 0 ? make_ints (dtype, &SLUICE_SHAPE_SCALAR, &rank) : NULL;
    case SLUICE_ROLE_SIZE:
      return size >= 0 && (dtype == SLUICE_INT64 || size <= G_MAXINT32)
                 ? make_ints (dtype, &SLUICE_SHAPE_SCALAR, &size)
                 : NULL;
    case SLUICE_ROLE_SHAPE:
      if (!sluice_shape_is_known (shape))
        return NULL;
      for (int i = 0; i < rank && dtype == SLUICE_INT32; i++)
        if (shape->dim[i] > G_MAXINT32)
          return NULL;
      return make_ints (dtype, &SLUICE_SHAPE (rank), shape->dim);
    default:
      return NULL;
    }
}

static gboolean
may_fold (const SluiceNode *node)
{
  const SluiceRoleTraits *traits = sluice_node_get_traits (node);
  if (traits->is_control_flow || traits->is_transfer
      || sluice_node_get_role (node) == SLUICE_ROLE_PLACEHOLDER)
    return FALSE;
  if (constant_folder == NULL || node->n_inputs == 0 || sluice_node_is_stateful (node))
    return FALSE;
  for (guint i = 0; i < node->n_outputs; i++)
    {
      /* Negative where only the values tell, as of DynamicPartition; the folder limits it then. */
      gint64 n = sluice_shape_n_elements (&node->outputs[i].shape);
      SluiceDType dtype = node->outputs[i].dtype;
      if (n > MAX_FOLDED_ELEMENTS || dtype <= SLUICE_INVALID || dtype >= SLUICE_N_DTYPES
          || !sluice_dtype_in (dtype, SLUICE_SET_POD))
        return FALSE;
    }
  return TRUE;
}

/* Steps that reading one shape may take: graphs can be made in which it would double at each node.
 */
#define PARTIAL_STEPS 256

/* What is left to a reading of vectors that are known in part. */
typedef struct
{
  guint steps;
  guint depth; /* of the nodes that are folded on the way, as edge_constant() counts */
} Budget;

static const SluiceTensor *edge_constant (SluiceEdge edge, guint depth);
static gboolean partial_vector (SluiceEdge edge, SluiceShape *vector, Budget *budget);
static gboolean
partial_strided_slice (const SluiceNode *node, gboolean scalar, SluiceShape *out, Budget *budget);

static void
fold (SluiceNode *node, SluiceTensor **outputs, guint depth)
{
  SluiceTensor *few[8];
  g_autofree SluiceTensor **many =
      node->n_inputs > G_N_ELEMENTS (few) ? g_new (SluiceTensor *, node->n_inputs) : NULL;
  SluiceTensor **inputs = many != NULL ? many : few;
  for (guint i = 0; i < node->n_inputs; i++)
    {
      inputs[i] = (SluiceTensor *) edge_constant (node->inputs[i], depth);
      if (inputs[i] == NULL || inputs[i]->n_elements > MAX_FOLDED_ELEMENTS)
        return;
    }
  if (!constant_folder (node, inputs, outputs, constant_folder_data))
    memset (outputs, 0, node->n_outputs * sizeof *outputs);
}

/* The value of a StridedSlice of a vector of which only the part that it takes is known. */
static SluiceTensor *
known_part (const SluiceNode *node, guint depth)
{
  SluiceDType dtype = node->outputs[0].dtype;
  const SluiceShape *shape = &node->outputs[0].shape;
  gboolean scalar = shape->rank == 0;
  SluiceShape part;
  Budget budget = { PARTIAL_STEPS, depth };
  if ((!scalar && shape->rank != 1) || (dtype != SLUICE_INT32 && dtype != SLUICE_INT64)
      || !partial_strided_slice (node, scalar, &part, &budget) || !sluice_shape_is_known (&part))
    return NULL;
  for (int i = 0; i < part.rank && dtype == SLUICE_INT32; i++)
    if (part.dim[i] > G_MAXINT32)
      return NULL;
  return make_ints (dtype, scalar ? &SLUICE_SHAPE_SCALAR : &SLUICE_SHAPE (part.rank), part.dim);
}

static const SluiceTensor *
edge_constant (SluiceEdge edge, guint depth)
{
  SluiceNode *node = edge.node;
  if (node == NULL || node->op == NULL || node->error != NULL || edge.port < 0
      || (guint) edge.port >= node->n_outputs)
    return NULL;
  SluiceNodeRecord *record = sluice_node_record (node);
  if (node->op->def->role == SLUICE_ROLE_CONST)
    {
      const SluiceAttrValue *value = sluice_node_get_attr (node, "value");
      return value != NULL && value->kind == SLUICE_ATTR_TENSOR ? value->tensor : NULL;
    }
  if (record->constants != NULL)
    return record->constants[edge.port];
  if (record->constants_pending || depth == MAX_FOLDED_DEPTH)
    return NULL;
  g_autofree SluiceTensor **constants = g_new0 (SluiceTensor *, node->n_outputs);
  record->constants_pending = TRUE;
  for (guint i = 0; i < node->n_outputs; i++)
    constants[i] = measure (node, i);
  if (constants[edge.port] == NULL && may_fold (node))
    fold (node, constants, depth + 1);
  if (constants[edge.port] == NULL && sluice_node_get_role (node) == SLUICE_ROLE_STRIDED_SLICE)
    constants[edge.port] = known_part (node, depth + 1);
  record->constants_pending = FALSE;
  record->was_asked = TRUE;
  record->constants = g_steal_pointer (&constants);
  return record->constants[edge.port];
}

const SluiceTensor *
sluice_edge_constant (SluiceEdge edge)
{
  return edge_constant (edge, 0);
}

const SluiceTensor *
sluice_shape_context_constant (SluiceShapeContext *self, guint input)
{
  return self->constant != NULL && input < self->n_inputs ? self->constant (self, input) : NULL;
}

/* ---- vectors that are known in part ---- */

static gboolean
is_vector (const SluiceTensor *tensor)
{
  return tensor->shape.rank == 1 && tensor->n_elements <= SLUICE_MAX_RANK
         && (tensor->dtype == SLUICE_INT32 || tensor->dtype == SLUICE_INT64);
}

/* A constant vector of whole numbers; FALSE where it is none or longer than a shape. */
static gboolean
constant_vector (SluiceEdge edge, gint64 values[SLUICE_MAX_RANK], int *n, const Budget *budget)
{
  const SluiceTensor *tensor = edge_constant (edge, budget->depth);
  if (tensor == NULL || !is_vector (tensor))
    return FALSE;
  *n = (int) tensor->n_elements;
  for (int i = 0; i < *n; i++)
    values[i] = sluice_tensor_get_int (tensor, i);
  return TRUE;
}

/* begin:end:step over a vector of n; indices as in Python. Returns how many it takes. */
static int
slice_range (gint64 n, gint64 *begin, gint64 *end, gint64 step, gboolean no_begin, gboolean no_end)
{
  if (step == 0)
    return -1;
  gint64 low = step > 0 ? 0 : -1, high = step > 0 ? n : n - 1;
  *begin = no_begin ? (step > 0 ? low : high) : CLAMP (*begin < 0 ? *begin + n : *begin, low, high);
  *end = no_end ? (step > 0 ? high : low) : CLAMP (*end < 0 ? *end + n : *end, low, high);
  gint64 span = step > 0 ? *end - *begin : *begin - *end;
  gint64 stride = step > 0 ? step : -MAX (step, -G_MAXINT32);
  return span > 0 ? (int) ((span + stride - 1) / stride) : 0;
}

/* StridedSlice of a vector with constant bounds. scalar: with shrink_axis, one element is left. */
static gboolean
partial_strided_slice (const SluiceNode *node, gboolean scalar, SluiceShape *out, Budget *budget)
{
  SluiceShape from;
  gint64 begin[SLUICE_MAX_RANK], end[SLUICE_MAX_RANK], step[SLUICE_MAX_RANK];
  int n_begin, n_end, n_step;
  if (node->n_inputs < 4 || sluice_node_get_int (node, "ellipsis_mask") != 0
      || sluice_node_get_int (node, "new_axis_mask") != 0
      || (sluice_node_get_int (node, "shrink_axis_mask") == 1) != scalar
      || !constant_vector (node->inputs[1], begin, &n_begin, budget)
      || !constant_vector (node->inputs[2], end, &n_end, budget)
      || !constant_vector (node->inputs[3], step, &n_step, budget) || n_begin != 1 || n_end != 1
      || n_step != 1 || !partial_vector (node->inputs[0], &from, budget))
    return FALSE;
  if (scalar)
    {
      gint64 at = begin[0] < 0 ? begin[0] + from.rank : begin[0];
      if (at < 0 || at >= from.rank)
        return FALSE;
      *out = SLUICE_SHAPE (from.dim[at]);
      return TRUE;
    }
  int n = slice_range (from.rank, &begin[0], &end[0], step[0],
                       sluice_node_get_int (node, "begin_mask") & 1,
                       sluice_node_get_int (node, "end_mask") & 1);
  if (n < 0)
    return FALSE;
  *out = sluice_shape_of_rank (n);
  for (int i = 0; i < n; i++)
    out->dim[i] = from.dim[begin[0] + i * step[0]];
  return TRUE;
}

static gboolean
partial_slice (const SluiceNode *node, SluiceShape *out, Budget *budget)
{
  SluiceShape from;
  gint64 begin[SLUICE_MAX_RANK], size[SLUICE_MAX_RANK];
  int n_begin, n_size;
  if (node->n_inputs < 3 || !constant_vector (node->inputs[1], begin, &n_begin, budget)
      || !constant_vector (node->inputs[2], size, &n_size, budget) || n_begin != 1 || n_size != 1
      || !partial_vector (node->inputs[0], &from, budget))
    return FALSE;
  gint64 n = size[0] == -1 ? from.rank - begin[0] : size[0];
  if (begin[0] < 0 || begin[0] > from.rank || n < 0 || n > from.rank - begin[0])
    return FALSE;
  *out = sluice_shape_of_rank ((int) n);
  for (int i = 0; i < n; i++)
    out->dim[i] = from.dim[begin[0] + i];
  return TRUE;
}

/* One number; -1 where it is not known. */
static gint64
partial_scalar (SluiceEdge edge, Budget *budget)
{
  if (edge.node == NULL || budget->steps == 0)
    return SLUICE_UNKNOWN_DIM;
  budget->steps--;
  const SluiceTensor *tensor = edge_constant (edge, budget->depth);
  if (tensor != NULL)
    return tensor->n_elements == 1
                   && (tensor->dtype == SLUICE_INT32 || tensor->dtype == SLUICE_INT64)
               ? sluice_tensor_get_int (tensor, 0)
               : SLUICE_UNKNOWN_DIM;
  const SluiceNode *node = edge.node;
  SluiceShape one;
  if (node->error != NULL || node->n_inputs == 0)
    return SLUICE_UNKNOWN_DIM;
  switch (sluice_node_get_role (node))
    {
    case SLUICE_ROLE_CAST:
    case SLUICE_ROLE_IDENTITY:
      return edge.port == 0 ? partial_scalar (node->inputs[0], budget) : SLUICE_UNKNOWN_DIM;
    case SLUICE_ROLE_STRIDED_SLICE:
      return partial_strided_slice (node, TRUE, &one, budget) ? one.dim[0] : SLUICE_UNKNOWN_DIM;
    default:
      return SLUICE_UNKNOWN_DIM;
    }
}

static gboolean
partial_pack (const SluiceNode *node, SluiceShape *out, Budget *budget)
{
  if (node->n_inputs > SLUICE_MAX_RANK)
    return FALSE;
  *out = sluice_shape_of_rank ((int) node->n_inputs);
  for (guint i = 0; i < node->n_inputs; i++)
    {
      const SluiceShape *shape =
          node->inputs[i].node != NULL ? sluice_edge_shape (node->inputs[i]) : NULL;
      if (shape == NULL || shape->rank != 0)
        return FALSE;
      out->dim[i] = partial_scalar (node->inputs[i], budget);
    }
  return TRUE;
}

static gboolean
partial_concat (const SluiceNode *node, SluiceShape *out, Budget *budget)
{
  /* ConcatV2 has its axis behind the values, Concat before them. */
  guint first = node->op->inputs[0].number_attr != NULL ? 0 : 1;
  *out = SLUICE_SHAPE_SCALAR;
  for (guint i = first; i + 1 - first < node->n_inputs; i++)
    {
      SluiceShape part;
      if (!partial_vector (node->inputs[i], &part, budget)
          || out->rank + part.rank > SLUICE_MAX_RANK)
        return FALSE;
      memcpy (out->dim + out->rank, part.dim, part.rank * sizeof (gint64));
      out->rank += part.rank;
    }
  return TRUE;
}

/* What is known of a vector's values: its length as the rank, its elements as dimensions. FALSE
 * where not even the length is known. */
static gboolean
partial_vector (SluiceEdge edge, SluiceShape *vector, Budget *budget)
{
  const SluiceNode *node = edge.node;
  if (node == NULL || budget->steps == 0)
    return FALSE;
  budget->steps--;
  int n;
  if (constant_vector (edge, vector->dim, &n, budget))
    {
      vector->rank = n;
      return TRUE;
    }
  gboolean known = FALSE;
  const SluiceShape *measured;
  if (node->error == NULL && node->n_inputs > 0)
    switch (sluice_node_get_role (node))
      {
      case SLUICE_ROLE_SHAPE:
        measured = measured_shape (node, (guint) edge.port);
        known = measured != NULL && measured->rank >= 0;
        if (known)
          *vector = *measured;
        break;
      case SLUICE_ROLE_PACK:
        known = partial_pack (node, vector, budget);
        break;
      case SLUICE_ROLE_CONCAT:
        known = partial_concat (node, vector, budget);
        break;
      case SLUICE_ROLE_SLICE:
        known = partial_slice (node, vector, budget);
        break;
      case SLUICE_ROLE_STRIDED_SLICE:
        known = partial_strided_slice (node, FALSE, vector, budget);
        break;
      case SLUICE_ROLE_CAST:
      case SLUICE_ROLE_IDENTITY:
        known = edge.port == 0 && partial_vector (node->inputs[0], vector, budget);
        break;
      default:
        break;
      }
  if (known)
    return TRUE;
  const SluiceShape *shape = sluice_edge_shape (edge);
  if (shape->rank != 1 || shape->dim[0] < 0 || shape->dim[0] > SLUICE_MAX_RANK)
    return FALSE;
  *vector = sluice_shape_of_rank ((int) shape->dim[0]);
  return TRUE;
}

gboolean
sluice_shape_context_shape_from_input (SluiceShapeContext *self,
                                       guint input,
                                       SluiceShape *shape,
                                       GError **error)
{
  *shape = SLUICE_SHAPE_UNKNOWN;
  if (!sluice_shape_context_want_rank (self, input, 1, error))
    {
      /* A scalar -1 stands for "any shape" in old graphs. */
      const SluiceTensor *value = sluice_shape_context_constant (self, input);
      if (value == NULL || value->shape.rank != 0
          || (value->dtype != SLUICE_INT32 && value->dtype != SLUICE_INT64)
          || sluice_tensor_get_int (value, 0) != -1)
        return FALSE;
      g_clear_error (error);
      return TRUE;
    }
  gint64 length = self->inputs[input].rank == 1 ? self->inputs[input].dim[0] : SLUICE_UNKNOWN_DIM;
  if (length > SLUICE_MAX_RANK)
    return sluice_shape_context_fail (
        self, error, "input %u is a shape of %" G_GINT64_FORMAT " dimensions; %d are the most",
        input, length, SLUICE_MAX_RANK);
  SluiceShape values;
  Budget budget = { PARTIAL_STEPS, 0 };
  if (!partial_vector (self->node->inputs[input], &values, &budget))
    return TRUE;
  for (int i = 0; i < values.rank; i++)
    if (values.dim[i] < SLUICE_UNKNOWN_DIM)
      return sluice_shape_context_fail (self, error,
                                        "input %u has %" G_GINT64_FORMAT
                                        " as dimension %d of a shape; sizes are 0 or more, or -1",
                                        input, values.dim[i], i);
  g_autoptr (GError) why = NULL;
  if (!sluice_shape_make (shape, values.dim, values.rank, &why))
    return sluice_shape_context_fail (self, error, "input %u: %s", input, why->message);
  return TRUE;
}

/* ---- checks ---- */

gboolean
sluice_shape_context_fail (SluiceShapeContext *self, GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  return sluice_node_fail (self->node, error, SLUICE_ERROR_INVALID_ARGUMENT, "%s", what);
}

static gboolean
fail_rank (SluiceShapeContext *self, guint input, const char *least, int rank, GError **error)
{
  char shape[SLUICE_SHAPE_STR];
  g_autofree char *name = sluice_node_dup_input_name (self->node, input);
  SluiceEdge edge = self->node->inputs != NULL && input < self->node->n_inputs
                        ? self->node->inputs[input]
                        : SLUICE_NO_EDGE;
  return sluice_shape_context_fail (
      self, error, "input %u (%s)%s%s%s must have rank %d%s, but its shape is %s", input, name,
      edge.node ? " from '" : "", edge.node ? edge.node->name : "", edge.node ? "'" : "", rank,
      least, sluice_shape_str (&self->inputs[input], shape));
}

gboolean
sluice_shape_context_want_rank (SluiceShapeContext *self, guint input, int rank, GError **error)
{
  int got = self->inputs[input].rank;
  return got < 0 || got == rank || fail_rank (self, input, "", rank, error);
}

gboolean
sluice_shape_context_want_rank_at_least (SluiceShapeContext *self,
                                         guint input,
                                         int rank,
                                         GError **error)
{
  int got = self->inputs[input].rank;
  return got < 0 || got >= rank || fail_rank (self, input, " or more", rank, error);
}

static gboolean
fail_two (SluiceShapeContext *self, guint a, guint b, const char *what, GError **error)
{
  char shape_a[SLUICE_SHAPE_STR], shape_b[SLUICE_SHAPE_STR];
  g_autofree char *name_a = sluice_node_dup_input_name (self->node, a);
  g_autofree char *name_b = sluice_node_dup_input_name (self->node, b);
  return sluice_shape_context_fail (self, error,
                                    "inputs %u (%s) of shape %s and %u (%s) of shape %s %s", a,
                                    name_a, sluice_shape_str (&self->inputs[a], shape_a), b, name_b,
                                    sluice_shape_str (&self->inputs[b], shape_b), what);
}

gboolean
sluice_shape_context_merge (
    SluiceShapeContext *self, guint a, guint b, SluiceShape *out, GError **error)
{
  SluiceShape merged;
  if (!sluice_shape_merge (&self->inputs[a], &self->inputs[b], &merged))
    return fail_two (self, a, b, "must be equal; Reshape one of them", error);
  if (out != NULL)
    *out = merged;
  return TRUE;
}

/* ---- common rules ---- */

gboolean
sluice_shape_unchanged (SluiceShapeContext *self, GError **error)
{
  sluice_shape_context_set (self, 0, &self->inputs[0]);
  return TRUE;
}

gboolean
sluice_shape_scalar (SluiceShapeContext *self, GError **error)
{
  for (guint i = 0; i < self->n_outputs; i++)
    sluice_shape_context_set (self, i, &SLUICE_SHAPE_SCALAR);
  return TRUE;
}

gboolean
sluice_shape_broadcast_2 (SluiceShapeContext *self, GError **error)
{
  SluiceShape shape;
  if (!sluice_shape_broadcast (&self->inputs[0], &self->inputs[1], &shape))
    return fail_two (self, 0, 1,
                     "do not broadcast: from the last dimension on, sizes must be equal or 1",
                     error);
  sluice_shape_context_set (self, 0, &shape);
  return TRUE;
}

gboolean
sluice_shape_merge_all (SluiceShapeContext *self, GError **error)
{
  SluiceShape shape = SLUICE_SHAPE_UNKNOWN;
  guint last_known = 0;
  for (guint i = 0; i < self->n_inputs; i++)
    {
      if (!sluice_shape_merge (&shape, &self->inputs[i], &shape))
        return fail_two (self, last_known, i, "must be equal", error);
      if (self->inputs[i].rank >= 0)
        last_known = i;
    }
  sluice_shape_context_set (self, 0, &shape);
  return TRUE;
}

gboolean
sluice_shape_none (SluiceShapeContext *self, GError **error)
{
  return TRUE;
}

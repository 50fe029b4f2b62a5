/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Bitcast: the same bytes as elements of another type. A smaller one makes a new last dimension; a
 * bigger one takes the last away.
 */
#include <glib/gi18n-lib.h>

#include "kernels/array/array.h"
#include "kernels/array/bitcast.h"

const char *
sluice_bitcast_shape (const SluiceShape *input, gsize from, gsize to, SluiceShape *shape)
{
  *shape = *input;
  if (input->rank < 0 || from == to)
    return NULL;
  gint64 ratio = (gint64) (MAX (from, to) / MIN (from, to));
  if (from > to)
    {
      if (input->rank == SLUICE_MAX_RANK)
        return "the result would have too many dimensions";
      shape->dim[shape->rank++] = ratio;
      return NULL;
    }
  if (input->rank == 0
      || (input->dim[input->rank - 1] >= 0 && input->dim[input->rank - 1] != ratio))
    return "the last dimension does not make one element of the bigger type";
  shape->rank--;
  return NULL;
}

static gboolean
bitcast_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape shape;
  SluiceDType from = sluice_node_get_type (c->node, "T"),
              to = sluice_node_get_type (c->node, "type");
  const char *why = sluice_bitcast_shape (&c->inputs[0], sluice_dtype_size (from),
                                          sluice_dtype_size (to), &shape);
  if (why != NULL)
    return sluice_shape_context_fail (c, error, "%s cannot become %s: %s", sluice_dtype_name (from),
                                      sluice_dtype_name (to), why);
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

static const SluiceSample samples[] = {
  { "type=int32", "float[3,4]" },
  { "type=uint8", "int32[]" },
  { "type=double", "float[3,2]" },
  { "type=float", "double[0,2]" },
};
static const SluiceRecipe recipe = { samples, G_N_ELEMENTS (samples) };

#define TYPES                                                                                      \
  "{bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, uint64, int8, int16, "     \
  "complex64, complex128, qint8, quint8, qint16, quint16, qint32}"

static const SluiceOpDef bitcast_op = {
  .name = "Bitcast",
  .signature = "input: T -> output: type",
  .attrs = "T: " TYPES "; type: " TYPES,
  .summary = N_ ("The same bytes as elements of another type"),
  .shape = bitcast_shape,
  .recipe = &recipe,
};

static const SluiceOpDef *const ops[] = { &bitcast_op };

const SluiceKernelModule sluice_module_array_bitcast = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };

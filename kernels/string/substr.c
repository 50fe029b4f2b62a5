/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Substr and StringLength: in bytes, or in characters of UTF-8 (whatever begins one). */
#include <glib/gi18n-lib.h>

#include "engine/graph/shape-context.h"
#include "kernels/string/text.h"

static gboolean
is_trail (char c)
{
  return ((guint8) c & 0xc0) == 0x80;
}

static gpointer
unit_prepare (const SluiceNode *node, GError **error)
{
  gboolean *characters = g_new (gboolean, 1);
  *characters = sluice_node_string_is (node, "unit", "UTF8_CHAR");
  return characters;
}

/* ---- StringLength ---- */

static gboolean
measure (gpointer data, gint64 i, GError **error)
{
  const SluiceTextMap *map = data;
  const gboolean *characters = map->state;
  gsize n = map->in[i].length;
  if (*characters)
    for (gsize k = 0; k < map->in[i].length; k++)
      n -= is_trail (map->in[i].data[k]);
  ((gint32 *) map->out->data)[i] = (gint32) n;
  return TRUE;
}

static gboolean
length_compute (SluiceKernelCall *call)
{
  return sluice_call_map_text (call, call->state, 20, measure);
}

/* ---- Substr ---- */

static gboolean
substr_shape (SluiceShapeContext *c, GError **error)
{
  return sluice_shape_context_merge (c, 1, 2, NULL, error) && sluice_shape_broadcast_2 (c, error);
}

/* Moves *at on by n characters. FALSE: there are fewer. */
static gboolean
forward (const SluiceString *s, gint64 n, gsize *at)
{
  for (; n > 0 && *at < s->length; n--)
    do
      ++*at;
    while (*at < s->length && is_trail (s->data[*at]));
  return n <= 0;
}

static gboolean
backward (const SluiceString *s, gint64 n, gsize *at)
{
  for (; n > 0 && *at > 0; n--)
    do
      --*at;
    while (*at > 0 && is_trail (s->data[*at]));
  return n == 0;
}

/* From pos, len characters or what is left: [*begin, *end) in bytes. A length below 0 takes
 * nothing; with a position counted from the end it lies outside, as in TensorFlow. */
static gboolean
find_characters (const SluiceString *s, gint64 pos, gint64 len, gsize *begin, gsize *end)
{
  if (pos >= 0)
    {
      *begin = 0;
      if (!forward (s, pos, begin))
        return FALSE;
      *end = *begin;
      forward (s, len, end);
      return TRUE;
    }
  gint64 behind = MAX (0, -pos - len);
  *end = s->length;
  if (!backward (s, behind, end))
    return FALSE;
  *begin = *end;
  return backward (s, -pos - behind, begin);
}

/* The same in bytes; a length below 0 takes the rest. */
static gboolean
find_bytes (const SluiceString *s, gint64 pos, gint64 len, gsize *begin, gsize *end)
{
  gint64 size = (gint64) s->length;
  if (pos < -size || pos > size)
    return FALSE;
  *begin = pos < 0 ? pos + size : pos;
  *end = len < 0 || len > size - (gint64) *begin ? s->length : *begin + (gsize) len;
  return TRUE;
}

typedef struct
{
  const SluiceTensor *in, *pos, *len;
  SluiceTensor *out;
  gboolean characters;
  /* Steps of one row and one column, 0 where the operand is stretched; the result has that many
   * columns. */
  gint64 columns, text_step[2], pos_step[2];
} Substr;

static gboolean
substr_one (gpointer data, gint64 i, GError **error)
{
  const Substr *task = data;
  gint64 row = i / task->columns, column = i % task->columns;
  gint64 at = row * task->pos_step[0] + column * task->pos_step[1];
  const SluiceString *s =
      sluice_tensor_get_string (task->in, row * task->text_step[0] + column * task->text_step[1]);
  gint64 pos = sluice_tensor_get_int (task->pos, at), len = sluice_tensor_get_int (task->len, at);
  /* No string is that long, and sums of two such do not overflow. */
  const gint64 far = G_MAXINT64 / 4;
  gsize begin, end;
  if (!(task->characters ? find_characters : find_bytes) (s, CLAMP (pos, -far, far),
                                                          CLAMP (len, -far, far), &begin, &end))
    {
      g_autofree char *quoted = sluice_string_quote (s);
      return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                          "pos %" G_GINT64_FORMAT " is out of range for %s of %" G_GSIZE_FORMAT
                          " bytes",
                          pos, quoted, s->length);
    }
  sluice_string_set (sluice_tensor_get_string (task->out, i), s->data ? s->data + begin : NULL,
                     end - begin);
  return TRUE;
}

static void
set_steps (const SluiceShape *shape, gint64 step[2])
{
  gint64 columns = shape->rank > 0 ? shape->dim[shape->rank - 1] : 1;
  gint64 rows = shape->rank > 1 ? shape->dim[0] : 1;
  step[0] = rows == 1 ? 0 : columns;
  step[1] = columns == 1 ? 0 : 1;
}

static gboolean
substr_compute (SluiceKernelCall *call)
{
  const gboolean *characters = call->state;
  SluiceTensor *in = sluice_call_input (call, 0);
  SluiceTensor *pos = sluice_call_input (call, 1), *len = sluice_call_input (call, 2);
  char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
  if (!sluice_shape_equal (&pos->shape, &len->shape))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "pos and len must have the same shape, not %s and %s",
                             sluice_shape_str (&pos->shape, a), sluice_shape_str (&len->shape, b));
  SluiceShape shape;
  if (!sluice_shape_broadcast (&in->shape, &pos->shape, &shape))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "input of shape %s and pos of shape %s cannot be broadcast",
                             sluice_shape_str (&in->shape, a), sluice_shape_str (&pos->shape, b));
  Substr task = { .in = in, .pos = pos, .len = len, .characters = *characters, .columns = 1 };
  gboolean equal = sluice_shape_equal (&in->shape, &pos->shape);
  if (equal || pos->shape.rank == 0)
    {
      task.columns = MAX (1, in->n_elements);
      task.text_step[1] = 1;
      task.pos_step[1] = equal;
    }
  else if (shape.rank > 2)
    return sluice_call_fail (call, SLUICE_ERROR_UNIMPLEMENTED,
                             "shapes %s and %s differ; that is possible up to 2 dimensions",
                             sluice_shape_str (&in->shape, a), sluice_shape_str (&pos->shape, b));
  else
    {
      task.columns = MAX (1, shape.dim[shape.rank - 1]);
      set_steps (&in->shape, task.text_step);
      set_steps (&pos->shape, task.pos_step);
    }
  task.out = sluice_call_output (call, 0, &shape);
  return task.out != NULL && sluice_call_each (call, task.out->n_elements, 50, substr_one, &task);
}

/* ---- definitions ---- */

static const SluiceSample length_samples[] = { { "", "string[2,2]={'a','','xyz','é'}" },
                                               { "unit='UTF8_CHAR'", "string[2]={'éa',''}" },
                                               { "", "string[0]={}" } };
static const SluiceRecipe length_recipe = { .samples = length_samples,
                                            .n_samples = G_N_ELEMENTS (length_samples) };
static const SluiceSample substr_samples[] = {
  { "T=int32", "string[2]={'hello','world'}; int32[]=1; int32[]=3" },
  { "T=int64", "string[2]={'hello','world'}; int64[2]={0,-3}; int64[2]={9,2}" },
  { "T=int32", "string[2]={'ab','cd'}; int32[2,1]={1,0}; int32[2,1]={1,1}" },
  { "T=int32; unit='UTF8_CHAR'", "string[]='été'; int32[2]={0,-2}; int32[2]={2,1}" },
  { "T=int32", "string[0]={}; int32[]=1; int32[]=3" },
};
static const SluiceRecipe substr_recipe = { .samples = substr_samples,
                                            .n_samples = G_N_ELEMENTS (substr_samples) };

static const SluiceOpDef length_op = {
  .name = "StringLength",
  .signature = "input: string -> output: int32",
  .attrs = "unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'",
  .summary = N_ ("Lengths of strings"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = sluice_shape_unchanged,
  .recipe = &length_recipe,
};

static const SluiceOpDef substr_op = {
  .name = "Substr",
  .signature = "input: string, pos: T, len: T -> output: string",
  .attrs = "T: {int32, int64}; unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'",
  .summary = N_ ("Pieces of strings"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = substr_shape,
  .recipe = &substr_recipe,
};

static const SluiceOpDef *const ops[] = { &length_op, &substr_op };

#define KERNEL(name, function)                                                                     \
  {                                                                                                \
    .op = name, .device = "CPU", .flags = SLUICE_KERNEL_KEEPS_DENORMALS, .prepare = unit_prepare,  \
    .free_state = g_free, .compute = function                                                      \
  }
static const SluiceKernel kernels[] = { KERNEL ("StringLength", length_compute),
                                        KERNEL ("Substr", substr_compute) };

const SluiceKernelModule sluice_module_string_substr = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};

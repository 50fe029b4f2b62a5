/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * StringSplit cuts at every byte out of a set; StringSplitV2 cuts as Python's str.split() does.
 * Both give the parts of a vector's strings as a sparse matrix, a row a string.
 */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/graph/shape-context.h"
#include "kernels/string/text.h"

static gboolean
split_shape (SluiceShapeContext *c, GError **error)
{
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE (SLUICE_UNKNOWN_DIM, 2));
  sluice_shape_context_set (c, 1, &SLUICE_SHAPE (SLUICE_UNKNOWN_DIM));
  sluice_shape_context_set (c, 2, &SLUICE_SHAPE (2));
  return sluice_shape_context_want_rank (c, 0, 1, error)
         && sluice_shape_context_want_rank (c, 1, 0, error);
}

/* A part of an input string, which owns the bytes. */
typedef struct
{
  gint64 row, column;
  SluiceString text;
} Part;

typedef struct
{
  GArray *parts; /* Part */
  gint64 row, column, columns;
} Parts;

static void
parts_add (Parts *self, const char *data, gsize length)
{
  Part part = { self->row, self->column++, { (char *) data, length } };
  g_array_append_val (self->parts, part);
  self->columns = MAX (self->columns, self->column);
}

typedef void (*SplitFunc) (Parts *parts,
                           const SluiceString *text,
                           const SluiceString *separator,
                           gint64 option);

static void
split_at_bytes (Parts *parts, const SluiceString *text, const SluiceString *set, gint64 skip_empty)
{
  gsize begin = 0;
  for (gsize i = 0; i < text->length; i++)
    if (set->length == 0)
      parts_add (parts, text->data + i, 1);
    else if (memchr (set->data, text->data[i], set->length) != NULL)
      {
        if (i > begin || !skip_empty)
          parts_add (parts, text->data + begin, i - begin);
        begin = i + 1;
      }
  if (set->length > 0 && text->length > 0 && (begin < text->length || !skip_empty))
    parts_add (parts, text->data + begin, text->length - begin);
}

static void
split_at_space (Parts *parts, const SluiceString *text, gint64 max)
{
  const char *at = text->data, *end = text->length ? at + text->length : at;
  while (at < end && sluice_is_space (*at))
    at++;
  for (gint64 n = 1; at < end; n++)
    {
      const char *begin = at;
      while (at < end && !sluice_is_space (*at))
        at++;
      parts_add (parts, begin, at - begin);
      while (at < end && sluice_is_space (*at))
        at++;
      if (n == max)
        {
          parts_add (parts, at, end - at); /* also where nothing is left, as TensorFlow's */
          return;
        }
    }
}

static void
split_as_python (Parts *parts, const SluiceString *text, const SluiceString *separator, gint64 max)
{
  if (max != 0 && separator->length == 0)
    {
      split_at_space (parts, text, max);
      return;
    }
  const char *at = text->data;
  gsize left = text->length;
  for (gint64 n = 0; n != max && left > 0; n++)
    {
      const char *found = memmem (at, left, separator->data, separator->length);
      if (found == NULL)
        break;
      parts_add (parts, at, found - at);
      left -= found - at + separator->length;
      at = found + separator->length;
    }
  parts_add (parts, at, left);
}

static gboolean
give_parts (SluiceKernelCall *call, const Parts *parts, gint64 rows)
{
  gint64 n = parts->parts->len;
  SluiceTensor *indices = sluice_call_output (call, 0, &SLUICE_SHAPE (n, 2));
  SluiceTensor *values = indices ? sluice_call_output (call, 1, &SLUICE_SHAPE (n)) : NULL;
  SluiceTensor *shape = values ? sluice_call_output (call, 2, &SLUICE_SHAPE (2)) : NULL;
  if (shape == NULL)
    return FALSE;
  for (gint64 i = 0; i < n; i++)
    {
      const Part *part = &g_array_index (parts->parts, Part, i);
      ((gint64 *) indices->data)[2 * i] = part->row;
      ((gint64 *) indices->data)[2 * i + 1] = part->column;
      sluice_string_set (sluice_tensor_get_string (values, i), part->text.data, part->text.length);
    }
  ((gint64 *) shape->data)[0] = rows;
  ((gint64 *) shape->data)[1] = parts->columns;
  return TRUE;
}

static gboolean
split_compute (SluiceKernelCall *call)
{
  if (!sluice_call_want_rank (call, 0, 1) || !sluice_call_want_scalar (call, 1))
    return FALSE;
  const SluiceTensor *in = sluice_call_input (call, 0);
  const SluiceString *separator = sluice_call_input (call, 1)->data;
  SplitFunc split = (SplitFunc) call->kernel->data;
  g_autoptr (GArray) array = g_array_new (FALSE, FALSE, sizeof (Part));
  Parts parts = { .parts = array };
  for (; parts.row < in->n_elements; parts.row++, parts.column = 0)
    {
      if (sluice_call_stopped (call))
        return FALSE;
      split (&parts, sluice_tensor_get_string (in, parts.row), separator,
             *(const gint64 *) call->state);
    }
  return give_parts (call, &parts, in->n_elements);
}

static gpointer
split_prepare (const SluiceNode *node, GError **error)
{
  gint64 *option = g_new (gint64, 1);
  *option = sluice_op_find_attr (node->op, "maxsplit")
                ? MAX (-1, sluice_node_get_int (node, "maxsplit"))
                : sluice_node_get_bool (node, "skip_empty");
  return option;
}

static const SluiceSample split_samples[] = {
  { "", "string[3]={'a b  c','',' d'}; string[]=' '" },
  { "skip_empty=false", "string[2]={'a,;b',','}; string[]=',;'" },
  { "", "string[1]={'xyz'}; string[]=''" },
  { "", "string[0]={}; string[]=' '" },
};
static const SluiceRecipe split_recipe = { .samples = split_samples,
                                           .n_samples = G_N_ELEMENTS (split_samples) };
static const SluiceSample split_v2_samples[] = {
  { "", "string[3]={'a b  c','',' d '}; string[]=''" },
  { "maxsplit=1", "string[2]={'a<>b<>c','<>'}; string[]='<>'" },
  { "", "string[0]={}; string[]=','" },
};
static const SluiceRecipe split_v2_recipe = { .samples = split_v2_samples,
                                              .n_samples = G_N_ELEMENTS (split_v2_samples) };

static const SluiceOpDef split_op = {
  .name = "StringSplit",
  .signature = "input: string, delimiter: string -> indices: int64, values: string, shape: int64",
  .attrs = "skip_empty: bool = true",
  .summary = N_ ("Parts of strings between bytes of a set"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = split_shape,
  .recipe = &split_recipe,
};

static const SluiceOpDef split_v2_op = {
  .name = "StringSplitV2",
  .signature = "input: string, sep: string -> indices: int64, values: string, shape: int64",
  .attrs = "maxsplit: int = -1",
  .summary = N_ ("Parts of strings between separators"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = split_shape,
  .recipe = &split_v2_recipe,
};

static const SluiceOpDef *const ops[] = { &split_op, &split_v2_op };

#define KERNEL(name, function)                                                                     \
  {                                                                                                \
    .op = name, .device = "CPU", .flags = SLUICE_KERNEL_KEEPS_DENORMALS, .prepare = split_prepare, \
    .free_state = g_free, .compute = split_compute, .data = (gpointer) function                    \
  }
static const SluiceKernel kernels[] = { KERNEL ("StringSplit", split_at_bytes),
                                        KERNEL ("StringSplitV2", split_as_python) };

const SluiceKernelModule sluice_module_string_split = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/runtime/step/guard.h"

#include <math.h>

#define MOST 8 /* inputs whose range a message tells */

/* Counts elements that are no finite numbers, and widens the range by the others. */
#define SCAN(type, is_bad, value)                                                                  \
  for (gint64 i = 0; i < n; i++)                                                                   \
    {                                                                                              \
      type x = ((const type *) data)[i];                                                           \
      if (is_bad)                                                                                  \
        bad++;                                                                                     \
      else                                                                                         \
        {                                                                                          \
          range->min = MIN (range->min, (double) (value));                                         \
          range->max = MAX (range->max, (double) (value));                                         \
        }                                                                                          \
    }                                                                                              \
  break

/* Numbers only: of other dtypes the range stays empty. Complex ones count as their parts. */
static gint64
scan (const SluiceTensor *tensor, SluiceGuardRange *range)
{
  const void *data = tensor->data;
  gint64 n = tensor->n_elements, bad = 0;
  switch ((SluiceDType) tensor->dtype)
    {
    case SLUICE_COMPLEX64:
      n *= 2;
      SCAN (float, !isfinite (x), x);
    case SLUICE_FLOAT:
      SCAN (float, !isfinite (x), x);
    case SLUICE_COMPLEX128:
      n *= 2;
      SCAN (double, !isfinite (x), x);
    case SLUICE_DOUBLE:
      SCAN (double, !isfinite (x), x);
    case SLUICE_HALF: /* the exponent's bits are all set */
      SCAN (guint16, (x & 0x7C00u) == 0x7C00u, sluice_half_to_float (x));
    case SLUICE_BFLOAT16:
      SCAN (guint16, (x & 0x7F80u) == 0x7F80u, sluice_bfloat16_to_float (x));
    case SLUICE_INT32:
      SCAN (gint32, FALSE, x);
    case SLUICE_INT64:
      SCAN (gint64, FALSE, x);
    default:
      break;
    }
  return bad;
}

/* Of the variable behind a reference or a resource handle. */
static gint64
scan_variable (SluiceVariable *variable, SluiceGuardRange *range)
{
  g_autoptr (SluiceTensor) tensor = sluice_variable_dup_tensor (variable);
  return tensor ? scan (tensor, range) : 0;
}

SluiceVariable *
sluice_guard_get_variable (const SluiceTensor *tensor)
{
  if (tensor->dtype != SLUICE_RESOURCE || tensor->n_elements != 1)
    return NULL;
  SluiceResource *resource = *(SluiceResource *const *) tensor->data;
  return resource && resource->type == &sluice_variable_type ? (SluiceVariable *) resource : NULL;
}

SluiceTensor *
sluice_guard_dup_value (const SluicePlanNode *node, guint32 output, const SluiceValue *outputs)
{
  SluiceValue value = outputs[output];
  if (value.tensor == NULL)
    return NULL;
  if (node->flags & SLUICE_PLAN_REF_OUTPUTS
      && sluice_dtype_is_ref (node->origin->outputs[output].dtype))
    return sluice_variable_dup_tensor (value.ref);
  SluiceVariable *variable = sluice_guard_get_variable (value.tensor);
  return variable != NULL ? sluice_variable_dup_tensor (variable)
                          : sluice_tensor_ref (value.tensor);
}

static gint64
scan_input (const SluicePlan *plan,
            const SluicePlanNode *node,
            const SluiceValue *inputs,
            guint i,
            SluiceGuardRange *range)
{
  if (!inputs[i].tensor)
    return 0;
  if (plan->slot_flags[node->first_input + i] & SLUICE_SLOT_REF)
    return scan_variable (inputs[i].ref, range);
  SluiceVariable *variable = sluice_guard_get_variable (inputs[i].tensor);
  return variable ? scan_variable (variable, range) : scan (inputs[i].tensor, range);
}

gboolean
sluice_guard_inputs (const SluicePlanNode *node,
                     const SluicePlan *plan,
                     const SluiceValue *inputs,
                     GArray *ranges)
{
  g_array_set_size (ranges, node->n_inputs);
  for (guint i = 0; i < node->n_inputs; i++)
    {
      SluiceGuardRange *range = &g_array_index (ranges, SluiceGuardRange, i);
      *range = (SluiceGuardRange){ .min = INFINITY, .max = -INFINITY };
      if (scan_input (plan, node, inputs, i, range))
        return FALSE;
    }
  return TRUE;
}

/* ", input 0 from -1 to 88.7, input 1 from 0 to 0" */
static char *
describe_ranges (const GArray *ranges)
{
  GString *text = g_string_new (NULL);
  guint n = 0;
  for (guint i = 0; i < ranges->len; i++)
    {
      const SluiceGuardRange *range = &g_array_index (ranges, SluiceGuardRange, i);
      if (range->min > range->max)
        continue;
      if (n++ < MOST)
        g_string_append_printf (text, "%s input %u from %.6g to %.6g", n > 1 ? "," : ":", i,
                                range->min, range->max);
    }
  if (n > MOST)
    g_string_append_printf (text, " and %u more", n - MOST);
  return g_string_free (text, FALSE);
}

GError *
sluice_guard_outputs (const SluicePlanNode *node,
                      const SluicePlan *plan,
                      const SluiceValue *inputs,
                      const SluiceValue *outputs,
                      const GArray *ranges)
{
  gint64 bad = 0;
  gboolean in_variable = FALSE;
  SluiceGuardRange ignored = { 0, 0 };
  for (guint i = 0; i < node->n_outputs && !bad; i++)
    if (outputs[i].tensor)
      bad = sluice_dtype_is_ref (node->origin->outputs[i].dtype)
                ? scan_variable (outputs[i].ref, &ignored)
                : scan (outputs[i].tensor, &ignored);
  const guint8 *flags = plan->slot_flags + node->first_input;
  for (guint i = 0; i < node->n_inputs && !bad; i++)
    if (inputs[i].tensor
        && (flags[i] & SLUICE_SLOT_REF || sluice_guard_get_variable (inputs[i].tensor)))
      {
        bad = scan_input (plan, node, inputs, i, &ignored);
        in_variable = bad != 0;
      }
  if (!bad)
    return NULL;
  g_autofree char *text = describe_ranges (ranges);
  GError *error = g_error_new (
      SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT,
      "%s '%s' is the first node with a NaN or an infinity: %" G_GINT64_FORMAT
      " %s of %s, made of finite inputs%s",
      node->origin->op_name, node->origin->name, bad, bad == 1 ? "element" : "elements",
      in_variable ? "the variable that it wrote" : "its output", text);
  sluice_node_sign_error (node->origin, &error);
  return error;
}

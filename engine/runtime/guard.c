/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/runtime/guard.h"

/* Elements that are no finite numbers; 0 for other dtypes. The exponent's bits are all set then. */
#define COUNT(type, mask)                                                                          \
  for (gint64 i = 0; i < n; i++)                                                                   \
  bad += (((const type *) data)[i] & (mask)) == (mask)

static gint64
count_bad (const SluiceTensor *tensor)
{
  const void *data = tensor->data;
  gint64 n = tensor->n_elements, bad = 0;
  switch ((SluiceDType) tensor->dtype)
    {
    case SLUICE_COMPLEX64:
      n *= 2;
      COUNT (guint32, 0x7F800000u);
      break;
    case SLUICE_FLOAT:
      COUNT (guint32, 0x7F800000u);
      break;
    case SLUICE_COMPLEX128:
      n *= 2;
      COUNT (guint64, G_GUINT64_CONSTANT (0x7FF0000000000000));
      break;
    case SLUICE_DOUBLE:
      COUNT (guint64, G_GUINT64_CONSTANT (0x7FF0000000000000));
      break;
    case SLUICE_HALF:
      COUNT (guint16, 0x7C00u);
      break;
    case SLUICE_BFLOAT16:
      COUNT (guint16, 0x7F80u);
      break;
    default:
      break;
    }
  return bad;
}

/* Of the variable behind a reference or a resource handle. */
static gint64
count_bad_in_variable (SluiceVariable *variable)
{
  g_autoptr (SluiceTensor) tensor = sluice_variable_dup_tensor (variable);
  return tensor ? count_bad (tensor) : 0;
}

static SluiceVariable *
variable_of_handle (const SluiceTensor *tensor)
{
  if (tensor->dtype != SLUICE_RESOURCE || tensor->n_elements != 1)
    return NULL;
  SluiceResource *resource = *(SluiceResource *const *) tensor->data;
  return resource && resource->type == &sluice_variable_type ? (SluiceVariable *) resource : NULL;
}

static gint64
count_bad_input (const SluicePlan *plan,
                 const SluicePlanNode *node,
                 const SluiceValue *inputs,
                 guint i)
{
  if (!inputs[i].tensor)
    return 0;
  if (plan->slot_flags[node->first_input + i] & SLUICE_SLOT_REF)
    return count_bad_in_variable (inputs[i].ref);
  SluiceVariable *variable = variable_of_handle (inputs[i].tensor);
  return variable ? count_bad_in_variable (variable) : count_bad (inputs[i].tensor);
}

gboolean
sluice_guard_inputs (const SluicePlanNode *node, const SluicePlan *plan, const SluiceValue *inputs)
{
  for (guint i = 0; i < node->n_inputs; i++)
    if (count_bad_input (plan, node, inputs, i))
      return FALSE;
  return TRUE;
}

GError *
sluice_guard_outputs (const SluicePlanNode *node,
                      const SluicePlan *plan,
                      const SluiceValue *inputs,
                      const SluiceValue *outputs)
{
  gint64 bad = 0;
  gboolean in_variable = FALSE;
  for (guint i = 0; i < node->n_outputs && !bad; i++)
    if (outputs[i].tensor)
      bad = sluice_dtype_is_ref (node->origin->outputs[i].dtype)
                ? count_bad_in_variable (outputs[i].ref)
                : count_bad (outputs[i].tensor);
  const guint8 *flags = plan->slot_flags + node->first_input;
  for (guint i = 0; i < node->n_inputs && !bad; i++)
    if (inputs[i].tensor && (flags[i] & SLUICE_SLOT_REF || variable_of_handle (inputs[i].tensor)))
      {
        bad = count_bad_input (plan, node, inputs, i);
        in_variable = bad != 0;
      }
  if (!bad)
    return NULL;
  return g_error_new (SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT,
                      "%s '%s' is the first node with a NaN or an infinity: %" G_GINT64_FORMAT
                      " elements of %s, made of finite inputs",
                      node->origin->op_name, node->origin->name, bad,
                      in_variable ? "the variable that it wrote" : "its output");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Optionals: a tuple of tensors, or nothing, as one value. The branches of a conditional hand one
 * on where only one of them has something for its gradient. The gradient of an optional is the
 * optional of the gradients.
 */
#include "kernels/data/optional.h"

#include <glib/gi18n-lib.h>

#include "engine/grad/grad.h"
#include "engine/graph/shape-context.h"
#include "kernels/data/spec.h"
#include "kernels/list/variant.h"

typedef struct
{
  SluiceResource parent;
  SluiceElements *elements; /* (nullable): nothing */
} Optional;

static void
optional_finalize (SluiceResource *resource)
{
  Optional *self = (Optional *) resource;
  g_clear_pointer (&self->elements, sluice_elements_unref);
  g_free (self);
}

static const SluiceResourceType optional_type = { "optional", optional_finalize };

/* take: (nullable): nothing */
static SluiceResource *
optional_new (SluiceElements *take)
{
  Optional *self = g_new0 (Optional, 1);
  atomic_init (&self->parent.ref_count, 1);
  self->parent.type = &optional_type;
  self->elements = take;
  return &self->parent;
}

void
sluice_call_put_optional (SluiceKernelCall *call, guint i, SluiceElements *take)
{
  SluiceTensor *tensor = sluice_tensor_new_zeros (SLUICE_VARIANT, &SLUICE_SHAPE_SCALAR);
  *(SluiceResource **) tensor->data = optional_new (take);
  sluice_call_take_output (call, i, tensor);
}

/* That of input 0. (transfer none) (nullable): call->error is set */
static const Optional *
get_optional (SluiceKernelCall *call)
{
  const SluiceTensor *tensor = sluice_call_input (call, 0);
  if (!sluice_call_want_scalar (call, 0))
    return NULL;
  SluiceResource *resource = *(SluiceResource *const *) tensor->data;
  if (resource != NULL && resource->type == &optional_type)
    return (const Optional *) resource;
  sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                    "input 0 (optional) must be an optional, not %s",
                    resource != NULL ? resource->type->name : "nothing");
  return NULL;
}

/* ---- arithmetic ---- */

static SluiceResource *
optional_zeros_like (SluiceKernelCall *call, SluiceResource *value)
{
  const SluiceElements *from = ((const Optional *) value)->elements;
  SluiceElements *zeros = from != NULL ? sluice_elements_new (from->n) : NULL;
  for (guint i = 0; from != NULL && i < from->n; i++)
    {
      zeros->tensors[i] = sluice_call_zeros_like (call, from->tensors[i]);
      if (zeros->tensors[i] != NULL)
        continue;
      sluice_elements_unref (zeros);
      return NULL;
    }
  return optional_new (zeros);
}

static SluiceResource *
optional_add (SluiceKernelCall *call, SluiceResource *first, SluiceResource *second)
{
  const SluiceElements *a = ((const Optional *) first)->elements;
  const SluiceElements *b = ((const Optional *) second)->elements;
  if (a == NULL && b == NULL)
    return optional_new (NULL);
  if (a == NULL || b == NULL || a->n != b->n)
    {
      sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                        "optionals of %u and %u tensors cannot be added", a != NULL ? a->n : 0,
                        b != NULL ? b->n : 0);
      return NULL;
    }
  SluiceElements *sums = sluice_elements_new (a->n);
  for (guint i = 0; i < a->n; i++)
    {
      sums->tensors[i] = sluice_call_add_values (call, a->tensors[i], b->tensors[i]);
      if (sums->tensors[i] != NULL)
        continue;
      sluice_elements_unref (sums);
      return NULL;
    }
  return optional_new (sums);
}

const SluiceVariantMath sluice_optional_math = { &optional_type, optional_zeros_like,
                                                 optional_add };

/* ---- kernels ---- */

static gboolean
from_value_compute (SluiceKernelCall *call)
{
  SluiceElements *elements = sluice_elements_new (call->n_inputs);
  for (guint i = 0; i < call->n_inputs; i++)
    elements->tensors[i] = sluice_tensor_ref (sluice_call_input (call, i));
  sluice_call_put_optional (call, 0, elements);
  return TRUE;
}

static gboolean
none_compute (SluiceKernelCall *call)
{
  sluice_call_put_optional (call, 0, NULL);
  return TRUE;
}

static gboolean
has_value_compute (SluiceKernelCall *call)
{
  const Optional *self = get_optional (call);
  SluiceTensor *out = self != NULL ? sluice_call_output (call, 0, &SLUICE_SHAPE_SCALAR) : NULL;
  if (out == NULL)
    return FALSE;
  *(guint8 *) out->data = self->elements != NULL;
  return TRUE;
}

static gboolean
get_value_compute (SluiceKernelCall *call)
{
  const SluiceElementSpec *wanted = call->state;
  const Optional *self = get_optional (call);
  if (self == NULL)
    return FALSE;
  if (self->elements == NULL)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "the optional has no value; ask OptionalHasValue first");
  guint n = self->elements->n;
  g_autofree SluiceDType *types = g_new (SluiceDType, n);
  for (guint i = 0; i < n; i++)
    types[i] = (SluiceDType) self->elements->tensors[i]->dtype;
  if (!sluice_element_spec_check (wanted, call, "the optional", n, types))
    return FALSE;
  for (guint i = 0; i < n; i++)
    sluice_tensor_ref (self->elements->tensors[i]);
  return sluice_element_spec_give (wanted, call, self->elements->tensors);
}

/* ---- gradients ---- */

/* Dense ones of all outputs, in an optional. */
static gboolean
get_value_gradient (SluiceGradContext *g, GError **error)
{
  guint n = g->node->n_outputs;
  g_autofree SluiceEdge *dys = g_new (SluiceEdge, n);
  for (guint i = 0; i < n; i++)
    dys[i] = sluice_grad_dy (g, i);
  sluice_grad_set (g, 0, sluice_builder_add (&g->b, "OptionalFromValue", NULL, dys, n, NULL, 0));
  return TRUE;
}

static gboolean
from_value_gradient (SluiceGradContext *g, GError **error)
{
  guint n = g->node->n_inputs;
  g_autofree SluiceAttrValue *types = g_new0 (SluiceAttrValue, n);
  g_autofree SluiceAttrValue *shapes = g_new0 (SluiceAttrValue, n);
  if (!sluice_grad_has_dy (g, 0))
    return TRUE;
  for (guint i = 0; i < n; i++)
    {
      SluiceEdge edge = g->node->inputs[i];
      types[i] = sluice_attr_type ("", sluice_dtype_base (sluice_edge_dtype (edge))).value;
      shapes[i] = sluice_attr_shape ("", sluice_edge_shape (edge)).value;
    }
  SluiceAttr attrs[] = {
    { .name = "output_types",
      .value = { .kind = SLUICE_ATTR_LIST, .list_kind = SLUICE_ATTR_TYPE, .list = { types, n } } },
    { .name = "output_shapes",
      .value = { .kind = SLUICE_ATTR_LIST, .list_kind = SLUICE_ATTR_SHAPE, .list = { shapes, n } } }
  };
  SluiceEdge dy = sluice_grad_dy (g, 0);
  SluiceEdge value =
      sluice_builder_add (&g->b, "OptionalGetValue", NULL, &dy, 1, attrs, G_N_ELEMENTS (attrs));
  for (guint i = 0; value.node != NULL && i < n; i++)
    sluice_grad_set (g, i, (SluiceEdge){ value.node, (int) i });
  return TRUE;
}

/* ---- the ops ---- */

static const SluiceRecipe recipe = {
  .why_none = N_ ("hands on an optional: tests/kernels/test-optional makes one")
};

static const SluiceOpDef from_value_op = {
  .name = "OptionalFromValue",
  .signature = "components: Toutput_types -> optional: variant",
  .attrs = "Toutput_types: list(type) >= 1",
  .summary = N_ ("Tensors as a value that may be missing elsewhere"),
  .shape = sluice_shape_scalar,
  .gradient = from_value_gradient,
  .recipe = &recipe,
};
static const SluiceOpDef none_op = {
  .name = "OptionalNone",
  .signature = "-> optional: variant",
  .summary = N_ ("A value that is missing"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = sluice_shape_scalar,
  .recipe = &recipe,
};
static const SluiceOpDef has_value_op = {
  .name = "OptionalHasValue",
  .signature = "optional: variant -> has_value: bool",
  .summary = N_ ("Is the value there?"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = sluice_shape_scalar,
  .recipe = &recipe,
};
static const SluiceOpDef get_value_op = {
  .name = "OptionalGetValue",
  .signature = "optional: variant -> components: output_types",
  .attrs = "output_types: list(type) >= 1; output_shapes: list(shape) >= 1",
  .summary = N_ ("The tensors of a value that is there"),
  .shape = sluice_shape_of_element,
  .gradient = get_value_gradient,
  .recipe = &recipe,
};

static const SluiceOpDef *const ops[] = { &from_value_op, &none_op, &has_value_op, &get_value_op };

static const SluiceKernel kernels[] = {
  { .op = "OptionalFromValue", .device = "CPU", .compute = from_value_compute },
  { .op = "OptionalNone", .device = "CPU", .compute = none_compute },
  { .op = "OptionalHasValue", .device = "CPU", .compute = has_value_compute },
  { .op = "OptionalGetValue",
    .device = "CPU",
    .prepare = sluice_element_spec_prepare,
    .free_state = sluice_element_spec_free,
    .compute = get_value_compute },
};

const SluiceKernelModule sluice_module_data_optional = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};

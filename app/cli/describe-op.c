/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/cli/describe-op.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/graph/builder.h"
#include "engine/graph/lower.h"
#include "engine/graph/role.h"
#include "kernels/samples.h"

static const char *
kind_name (SluiceAttrKind kind)
{
  switch (kind)
    {
    case SLUICE_ATTR_STRING:
      return "string";
    case SLUICE_ATTR_INT:
      return "int";
    case SLUICE_ATTR_FLOAT:
      return "float";
    case SLUICE_ATTR_BOOL:
      return "bool";
    case SLUICE_ATTR_TYPE:
      return "type";
    case SLUICE_ATTR_SHAPE:
      return "shape";
    case SLUICE_ATTR_TENSOR:
      return "tensor";
    case SLUICE_ATTR_FUNC:
      return "func";
    default:
      g_assert_not_reached ();
    }
}

char *
sluice_describe_attr_type (const SluiceAttrDef *attr)
{
  return attr->kind == SLUICE_ATTR_LIST ? g_strdup_printf ("list(%s)", kind_name (attr->list_kind))
                                        : g_strdup (kind_name (attr->kind));
}

GStrv
sluice_describe_dtypes (SluiceDTypeSet set)
{
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  for (guint d = 1; d < SLUICE_N_DTYPES; d++)
    if (set & SLUICE_SET (d))
      g_strv_builder_add (names, sluice_dtype_name (d));
  return g_strv_builder_end (names);
}

char *
sluice_describe_arg_type (const SluiceArg *arg)
{
  const char *type = arg->type != SLUICE_INVALID ? sluice_dtype_name (arg->type)
                     : arg->type_attr != NULL    ? arg->type_attr
                                                 : arg->list_attr;
  g_autofree char *each = arg->is_ref ? g_strdup_printf ("Ref(%s)", type) : g_strdup (type);
  return arg->number_attr != NULL ? g_strdup_printf ("%s × %s", arg->number_attr, each)
                                  : g_steal_pointer (&each);
}

static void
append_args (GString *text, const SluiceArg *args, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *type = sluice_describe_arg_type (&args[i]);
      g_string_append_printf (text, "%s%s: %s", i > 0 ? ", " : "", args[i].name, type);
    }
  if (n == 0)
    g_string_append (text, _ ("nothing"));
}

char *
sluice_describe_ports (const SluiceOp *op)
{
  GString *text = g_string_new (NULL);
  append_args (text, op->inputs, op->n_inputs);
  g_string_append (text, " → ");
  append_args (text, op->outputs, op->n_outputs);
  return g_string_free (text, FALSE);
}

GStrv
sluice_describe_attr_allowed (const SluiceAttrDef *attr)
{
  if (attr->allowed_types != 0)
    return sluice_describe_dtypes (attr->allowed_types);
  return g_strdupv (attr->allowed_strings);
}

char *
sluice_describe_attr_default (const SluiceAttrDef *attr)
{
  if (!attr->has_default)
    return NULL;
  /* As signatures write dtypes, not as GraphDef text does. */
  return attr->kind == SLUICE_ATTR_TYPE ? g_strdup (sluice_dtype_name (attr->default_value.type))
                                        : sluice_attr_value_to_string (&attr->default_value);
}

SluiceDTypeSet
sluice_describe_kernel_dtypes (const SluiceKernel *kernel, const SluiceAttrDef *attr)
{
  SluiceDTypeSet set = attr->allowed_types;
  for (guint i = 0; i < G_N_ELEMENTS (kernel->where) && kernel->where[i].attr != NULL; i++)
    if (strcmp (kernel->where[i].attr, attr->name) == 0)
      set = set != 0 ? set & kernel->where[i].types : kernel->where[i].types;
  return set;
}

const char *
sluice_describe_gradient (const SluiceOpDef *def)
{
  if (def->gradient != NULL)
    return _ ("yes");
  return def->flags & SLUICE_OP_NOT_DIFFERENTIABLE ? _ ("none: nothing flows back")
                                                   : _ ("no: a path through the op is an error");
}

gboolean
sluice_describe_is_done (const char *op)
{
  const SluiceOp *found = sluice_registry_find (op);
  guint n = 0;
  if (found == NULL)
    return FALSE;
  sluice_kernel_list (op, &n);
  return n > 0 || sluice_lowering_exists (op)
         || sluice_role_traits[found->def->role].crosses_frames; /* the executor's own work */
}

/* ---- an example ---- */

static void
append_edges (GString *text, const Use *use)
{
  for (guint i = 0; i < use->n_inputs; i++)
    {
      char shape[SLUICE_SHAPE_STR];
      const SluiceTensor *tensor = use->inputs[i];
      g_string_append_printf (text, "%s%s%s", i > 0 ? ", " : "", sluice_dtype_name (tensor->dtype),
                              sluice_shape_str (&tensor->shape, shape));
      /* What decides the shape of the result mostly is a few whole numbers. */
      if (sluice_dtype_is_integer (tensor->dtype) && tensor->shape.rank <= 1
          && tensor->n_elements > 0 && tensor->n_elements <= 8)
        {
          g_autofree char *values = sluice_tensor_to_string (tensor, 8);
          g_string_append_printf (text, "=%s", strchr (values, '=') + 2); /* "… = [2 3]" */
        }
    }
  if (use->n_inputs > 0)
    g_string_append_c (text, ' ');
}

static void
append_outputs (GString *text, const SluiceNode *node)
{
  g_string_append (text, node->n_outputs > 0 ? "-> " : "->");
  for (guint i = 0; i < node->n_outputs; i++)
    {
      char shape[SLUICE_SHAPE_STR];
      g_string_append_printf (text, "%s%s%s", i > 0 ? ", " : "",
                              sluice_dtype_name (sluice_dtype_base (node->outputs[i].dtype)),
                              sluice_shape_str (&node->outputs[i].shape, shape));
    }
}

/* The node that a sample makes of constants; NULL: it is not one that stands alone. */
static const SluiceNode *
add_use (SluiceGraph *graph, const Use *use)
{
  SluiceBuilder b;
  sluice_builder_init (&b, graph, NULL);
  g_autofree SluiceEdge *inputs = g_new0 (SluiceEdge, use->n_inputs + 1);
  for (guint i = 0; i < use->n_inputs; i++)
    inputs[i] = sluice_builder_const (&b, sluice_tensor_ref (use->inputs[i]));
  sluice_builder_add (&b, use->op->name, "example", inputs, use->n_inputs, use->attrs,
                      use->n_attrs);
  return sluice_builder_finish (&b, NULL) ? sluice_graph_find (graph, "example") : NULL;
}

char *
sluice_describe_example (const SluiceOp *op)
{
  const SluiceRecipe *recipe = op->def->recipe;
  for (guint i = 0; i < op->n_inputs; i++)
    if (op->inputs[i].is_ref || op->inputs[i].type == SLUICE_RESOURCE)
      return NULL;
  if (recipe == NULL || recipe->n_samples == 0)
    return NULL;
  g_auto (Use) use = { 0 };
  sluice_use_init (&use, op, &recipe->samples[0], SLUICE_INVALID, 0);
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  const SluiceNode *node = add_use (graph, &use);
  if (node == NULL)
    return NULL;
  GString *text = g_string_new (NULL);
  append_edges (text, &use);
  append_outputs (text, node);
  const char *attrs = recipe->samples[0].attrs;
  if (attrs != NULL && *attrs != '\0')
    g_string_append_printf (text, "  (%s)", attrs);
  return g_string_free (text, FALSE);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Einsum: products and sums over labelled dimensions, of one or two operands: "ab,bc->ac". The
 * gradient of an operand is an Einsum of the gradient and the other operand; where a label was
 * summed up that only this operand has, the gradient is repeated along it.
 */
#include "kernels/linalg/einsum.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/graph/shape-context.h"
#include "kernels/array/array.h"
#include "kernels/math/gradients.h"

/* ---- the equation ---- */

static gboolean
parse_part (SluiceEinsumPart *part, const char *text, GError **error)
{
  const char *dots = strstr (text, "...");
  *part = (SluiceEinsumPart){ .ellipsis = -1 };
  for (const char *p = text; *p != '\0'; p++)
    {
      if (p == dots)
        {
          part->ellipsis = part->n;
          p += 2;
          continue;
        }
      if (*p == '.')
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "there may be one ellipsis (...) in '%s', and no other periods", text);
      if (part->n == SLUICE_EINSUM_LABELS)
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "'%s' has more labels than a tensor has dimensions", text);
      part->labels[part->n++] = (guint8) *p;
    }
  return TRUE;
}

gboolean
sluice_einsum_parse (SluiceEinsum *self, const SluiceNode *node, GError **error)
{
  const SluiceString *attr = sluice_node_get_string (node, "equation");
  g_autofree char *equation = g_strndup (attr->data, attr->length);
  g_auto (GStrv) sides = g_strsplit (equation, "->", 0);
  if (g_strv_length (sides) != 2)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "equation '%s' must have one '->'",
                        equation);
  g_auto (GStrv) inputs = g_strsplit (sides[0], ",", 0);
  guint n = MAX (1, g_strv_length (inputs)); /* of "" there is none */
  if (n > 2 || n != node->n_inputs)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "equation '%s' is of %u operands, but there are %u; 1 or 2 can be",
                        equation, n, node->n_inputs);
  self->n_inputs = n;
  for (guint i = 0; i < n; i++)
    if (!parse_part (&self->inputs[i], inputs[i] != NULL ? inputs[i] : "", error))
      return FALSE;
  if (!parse_part (&self->output, sides[1], error))
    return FALSE;
  for (int k = 0; k < self->output.n; k++)
    {
      gboolean found = FALSE;
      for (guint i = 0; i < n; i++)
        found |= memchr (self->inputs[i].labels, self->output.labels[k], self->inputs[i].n) != NULL;
      if (!found)
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "equation '%s': no operand has the label '%c' of the output", equation,
                            self->output.labels[k]);
    }
  return TRUE;
}

void
sluice_einsum_indices (const SluiceEinsumPart *part, int rank, int index[SLUICE_MAX_RANK])
{
  int n_open = rank - part->n;
  for (int d = 0, k = 0; d < rank; d++)
    if (part->ellipsis >= 0 && d >= part->ellipsis && d < part->ellipsis + n_open)
      index[d] = 256 + part->ellipsis + n_open - 1 - d;
    else
      index[d] = part->labels[k++];
}

/* Two sizes of an index; the ellipsis broadcasts. */
static gboolean
join_sizes (int index, gint64 *size, gint64 other)
{
  gint64 old = *size;
  if (old == SLUICE_EINSUM_ABSENT || old == other)
    *size = other;
  else if (index < 256)
    *size = old >= 0 ? old : other;
  else if (old < 0 || other < 0)
    *size = MAX (old, other) > 1 ? MAX (old, other) : MAX (old, other) == 0 ? 0 : -1;
  else
    *size = old == 1 ? other : old;
  gboolean known = old >= 0 && other >= 0 && old != other;
  return !known || (index >= 256 && (old == 1 || other == 1));
}

/* The sizes that operand i adds; how many dimensions its ellipsis has goes to n_open. */
static gboolean
add_sizes (const SluiceEinsumPart *part,
           const SluiceShape *shape,
           guint i,
           gint64 sizes[SLUICE_EINSUM_INDICES],
           int *n_open,
           GError **error)
{
  SluiceShape of = *shape;
  int index[SLUICE_MAX_RANK];
  if (of.rank < 0 && part->n <= SLUICE_MAX_RANK)
    of = sluice_shape_of_rank (part->n);
  if (of.rank < part->n || (part->ellipsis < 0 && of.rank > part->n))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "operand %u has %d dimensions, but %d labels in the equation", i, of.rank,
                        part->n);
  sluice_einsum_indices (part, of.rank, index);
  for (int d = 0; d < of.rank; d++)
    if (!join_sizes (index[d], &sizes[index[d]], of.dim[d]))
      return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                          "dimension %d of operand %u has %" G_GINT64_FORMAT
                          " elements, but %" G_GINT64_FORMAT " stand elsewhere for it",
                          d, i, of.dim[d], sizes[index[d]]);
  *n_open = MAX (*n_open, of.rank - part->n);
  return TRUE;
}

gboolean
sluice_einsum_shape (const SluiceEinsum *self,
                     const SluiceShape *const inputs[2],
                     gint64 sizes[SLUICE_EINSUM_INDICES],
                     SluiceShape *out,
                     GError **error)
{
  int n_open = 0, index[SLUICE_MAX_RANK];
  gboolean known = TRUE;
  for (int k = 0; k < SLUICE_EINSUM_INDICES; k++)
    sizes[k] = SLUICE_EINSUM_ABSENT;
  for (guint i = 0; i < self->n_inputs; i++)
    {
      if (!add_sizes (&self->inputs[i], inputs[i], i, sizes, &n_open, error))
        return FALSE;
      known &= inputs[i]->rank >= 0 || self->inputs[i].ellipsis < 0;
    }
  if (n_open > 0 && self->output.ellipsis < 0)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "the ellipsis of the operands has %d dimensions, and the output none",
                        n_open);
  int rank = self->output.n + (self->output.ellipsis >= 0 ? n_open : 0);
  if (rank > SLUICE_MAX_RANK)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "the result would have more than %d dimensions", SLUICE_MAX_RANK);
  *out = SLUICE_SHAPE_UNKNOWN;
  if (!known && self->output.ellipsis >= 0)
    return TRUE;
  *out = sluice_shape_of_rank (rank);
  sluice_einsum_indices (&self->output, rank, index);
  for (int d = 0; d < rank; d++)
    out->dim[d] = sizes[index[d]];
  return TRUE;
}

/* ---- definition ---- */

static gboolean
einsum_shape (SluiceShapeContext *c, GError **error)
{
  SluiceEinsum e;
  SluiceShape out;
  gint64 sizes[SLUICE_EINSUM_INDICES];
  g_autoptr (GError) cause = NULL;
  if (!sluice_einsum_parse (&e, c->node, &cause)
      || !sluice_einsum_shape (
          &e, (const SluiceShape *const[2]){ &c->inputs[0], &c->inputs[e.n_inputs - 1] }, sizes,
          &out, &cause))
    return sluice_shape_context_fail (c, error, "%s", cause->message);
  sluice_shape_context_set (c, 0, &out);
  return TRUE;
}

/* ---- gradient ---- */

static void
append_part (GString *text, const SluiceEinsumPart *part)
{
  for (int k = 0; k <= part->n; k++)
    {
      if (k == part->ellipsis)
        g_string_append (text, "...");
      if (k < part->n)
        g_string_append_c (text, (char) part->labels[k]);
    }
}

/* Einsum of a and, where it is there, b; the parts stand for them and for the result. */
static SluiceEdge
einsum (SluiceGradContext *g,
        SluiceEdge a,
        const SluiceEinsumPart *of_a,
        SluiceEdge b,
        const SluiceEinsumPart *of_b,
        const SluiceEinsumPart *result)
{
  g_autoptr (GString) text = g_string_new (NULL);
  append_part (text, of_a);
  if (of_b != NULL)
    {
      g_string_append_c (text, ',');
      append_part (text, of_b);
    }
  g_string_append (text, "->");
  append_part (text, result);
  SluiceAttr attrs[] = { sluice_attr_string ("equation", text->str),
                         sluice_attr_int ("N", of_b != NULL ? 2 : 1) };
  return sluice_builder_add (&g->b, "Einsum", NULL, (const SluiceEdge[]){ a, b },
                             of_b != NULL ? 2 : 1, attrs, 2);
}

/* Elements begin to end of a vector; end 0: to its end. As one where `one` says so. */
static SluiceEdge
part_of_vector (SluiceGradContext *g, SluiceEdge vector, int begin, int end, gboolean one)
{
  const gint64 at[] = { begin, end, 1 };
  SluiceEdge edges[3];
  for (int i = 0; i < 3; i++)
    edges[i] = sluice_builder_const_ints (&g->b, SLUICE_INT32, &at[i], 1);
  return sluice_op_with (&g->b, "StridedSlice",
                         SLUICE_ATTRS (sluice_attr_int ("end_mask", !one && end == 0),
                                       sluice_attr_int ("shrink_axis_mask", one)),
                         vector, edges[0], edges[1], edges[2]);
}

/* The labels of `part` that neither of the others has, each once, and without an ellipsis. */
static SluiceEinsumPart
labels_of_its_own (const SluiceEinsumPart *part,
                   const SluiceEinsumPart *a,
                   const SluiceEinsumPart *b)
{
  SluiceEinsumPart own = { .ellipsis = -1 };
  for (int k = 0; k < part->n; k++)
    if (memchr (a->labels, part->labels[k], a->n) == NULL
        && memchr (b->labels, part->labels[k], b->n) == NULL
        && memchr (own.labels, part->labels[k], own.n) == NULL)
      own.labels[own.n++] = part->labels[k];
  return own;
}

/* `part` without labels. */
static SluiceEinsumPart
without (const SluiceEinsumPart *part, const SluiceEinsumPart *labels)
{
  SluiceEinsumPart rest = { .ellipsis = part->ellipsis < 0 ? -1 : 0 };
  for (int k = 0; k < part->n; k++)
    if (memchr (labels->labels, part->labels[k], labels->n) == NULL)
      {
        rest.labels[rest.n++] = part->labels[k];
        rest.ellipsis += k < part->ellipsis;
      }
  return rest;
}

/* dx, from d without the labels that were summed up: d repeated along them, in front. */
static SluiceEdge
repeat (SluiceGradContext *g,
        SluiceEdge d,
        const SluiceEinsumPart *of_d,
        const SluiceEinsumPart *summed,
        SluiceEdge x,
        const SluiceEinsumPart *of_x)
{
  SluiceEdge shape = sluice_grad_shape_of (g, x, SLUICE_INT32);
  SluiceEdge sizes[SLUICE_EINSUM_LABELS];
  SluiceEinsumPart all = *summed;
  for (int k = 0; k < summed->n; k++)
    {
      const guint8 *first = memchr (of_x->labels, summed->labels[k], of_x->n);
      int at = (int) (first - of_x->labels);
      if (of_x->ellipsis >= 0 && at >= of_x->ellipsis)
        at -= of_x->n;
      sizes[k] = part_of_vector (g, shape, at, at + 1, TRUE);
    }
  SluiceAttr n = sluice_attr_int ("N", summed->n);
  SluiceEdge front = sluice_builder_add (&g->b, "Pack", NULL, sizes, summed->n, &n, 1);
  SluiceEdge wanted = sluice_op_with (&g->b, "ConcatV2", SLUICE_ATTRS (sluice_attr_int ("N", 2)),
                                      front, sluice_grad_shape_of (g, d, SLUICE_INT32),
                                      sluice_builder_const_int32 (&g->b, 0));
  all.ellipsis = of_d->ellipsis < 0 ? -1 : summed->n + of_d->ellipsis;
  for (int k = 0; k < of_d->n && all.n < SLUICE_EINSUM_LABELS; k++)
    all.labels[all.n++] = of_d->labels[k];
  return einsum (g, MAKE ("BroadcastTo", d, wanted), &all, SLUICE_NO_EDGE, NULL, of_x);
}

/* Without regard to what the ellipsis broadcast; `other` may be none. */
static SluiceEdge
gradient_of (SluiceGradContext *g,
             const SluiceEinsumPart *output,
             SluiceEdge x,
             const SluiceEinsumPart *of_x,
             SluiceEdge other,
             const SluiceEinsumPart *of_other)
{
  SluiceEdge d = sluice_grad_dy (g, 0);
  SluiceEinsumPart none = { .ellipsis = -1 };
  SluiceEinsumPart summed = labels_of_its_own (of_x, output, of_other ? of_other : &none);
  SluiceEinsumPart rest = of_other ? without (of_x, &summed) : *output;
  if (of_other != NULL)
    d = einsum (g, d, output, gradient_conj (g, other), of_other, &rest);
  else if (summed.n == 0)
    return einsum (g, d, output, SLUICE_NO_EDGE, NULL, of_x);
  return summed.n > 0 ? repeat (g, d, &rest, &summed, x, of_x) : d;
}

/* dx added up over what the ellipsis broadcast. */
static void
set_broadcast (SluiceGradContext *g, const SluiceEinsumPart parts[2], const SluiceEdge dx[2])
{
  SluiceEdge shapes[2], open[2];
  for (guint i = 0; i < 2; i++)
    {
      shapes[i] = sluice_grad_shape_of (g, sluice_grad_input (g, i), SLUICE_INT32);
      open[i] =
          part_of_vector (g, shapes[i], parts[i].ellipsis, parts[i].ellipsis - parts[i].n, FALSE);
    }
  SluiceEdge axes = sluice_op (&g->b, "BroadcastGradientArgs", open[0], open[1]);
  for (guint i = 0; i < 2; i++)
    {
      SluiceEdge first = sluice_builder_const_int32 (&g->b, parts[i].ellipsis);
      SluiceEdge sum = MAKE ("Sum", dx[i], MAKE ("Add", sluice_edge_port (axes, i), first));
      sluice_grad_set (g, i, MAKE ("Reshape", sum, shapes[i]));
    }
}

static gboolean
einsum_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEinsum e;
  if (!sluice_einsum_parse (&e, g->node, error))
    return FALSE;
  SluiceEdge x = sluice_grad_input (g, 0);
  if (e.n_inputs == 1)
    {
      sluice_grad_set (g, 0, gradient_of (g, &e.output, x, &e.inputs[0], SLUICE_NO_EDGE, NULL));
      return TRUE;
    }
  SluiceEdge y = sluice_grad_input (g, 1);
  /* An operand without the output's ellipsis has one of no dimensions. */
  for (guint i = 0; i < 2; i++)
    if (e.output.ellipsis >= 0 && e.inputs[i].ellipsis < 0)
      e.inputs[i].ellipsis = e.inputs[i].n;
  SluiceEdge dx[2] = { gradient_of (g, &e.output, x, &e.inputs[0], y, &e.inputs[1]),
                       gradient_of (g, &e.output, y, &e.inputs[1], x, &e.inputs[0]) };
  if (e.output.ellipsis >= 0)
    set_broadcast (g, e.inputs, dx);
  for (guint i = 0; i < 2 && e.output.ellipsis < 0; i++)
    sluice_grad_set (g, i, dx[i]);
  return TRUE;
}

static void
einsum_cost (const SluiceNode *node,
             const SluiceShape *in,
             const SluiceShape *out,
             SluiceCost *cost)
{
  SluiceEinsum e;
  SluiceShape shape;
  gint64 sizes[SLUICE_EINSUM_INDICES];
  const SluiceShape *const inputs[2] = { &in[0], &in[node->n_inputs - 1] };
  double all = 1, elements = (double) sluice_shape_n_elements (&out[0]);
  if (!sluice_einsum_parse (&e, node, NULL)
      || !sluice_einsum_shape (&e, inputs, sizes, &shape, NULL))
    return;
  for (int k = 0; k < SLUICE_EINSUM_INDICES; k++)
    all *= sizes[k] >= 0 ? (double) sizes[k] : 1;
  for (guint i = 0; i < node->n_inputs; i++)
    elements += (double) sluice_shape_n_elements (&in[i]);
  cost->flops = 2 * all;
  cost->bytes = (double) sluice_dtype_size (node->outputs[0].dtype) * elements;
}

static const SluiceSample samples[] = {
  { "N=2; equation='ab,bc->ac'", "float[3,4]; float[4,5]", 1e-5, 1e-6 },
  { "N=2; equation='bac,bad->bcd'", "float[2,3,4]; float[2,3,5]", 1e-5, 1e-6 },
  { "N=2; equation='...ab,...cb->...ca'", "float[2,1,3,4]; float[3,5,4]", 1e-5, 1e-6 },
  { "N=2; equation='aabe,bcc->cca'", "float[2,2,3,2]; float[3,2,2]", 1e-5, 1e-6 },
  { "N=1; equation='abc->ca'", "float[2,3,4]", 1e-5, 1e-6 },
  { "N=1; equation='a...a->...'", "float[3,2,3]", 1e-5, 1e-6 },
  { "N=1; equation='ab->ba'", "float[0,3]", 0, 0 },
  { "N=2; equation='ba,ca->c'", "float[4,0]; float[3,0]", 0, 0 },
};
static const SluiceRecipe recipe = {
  .samples = samples,
  .n_samples = G_N_ELEMENTS (samples),
  .dtypes = SLUICE_SET_FLOATS | SLUICE_SET_INDEX | SLUICE_SET_COMPLEX,
};

static const SluiceOpDef einsum_op = {
  .name = "Einsum",
  .signature = "inputs: N * T -> output: T",
  .attrs = "equation: string; N: int >= 1; T: type",
  .summary = N_ ("Products and sums over labelled dimensions"),
  .shape = einsum_shape,
  .gradient = einsum_gradient,
  .cost = einsum_cost,
  .recipe = &recipe,
};

static const SluiceOpDef *const ops[] = { &einsum_op };

const SluiceKernelModule sluice_module_linalg_einsum = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
